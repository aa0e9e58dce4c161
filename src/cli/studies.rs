//! Studies as the screen and the commands open them: a file, or a folder of bundles.

use std::path::Path;

use trajview_store as store;
use trajview_store::study::StudyError;
use trajview_study::{
    design::{Design, Sample},
    studied::Studied,
};

use super::{Failure, output::tell};

/// The study that a screen is wanted of, where it is one: a file, or a folder of bundles in the audit.
pub fn on_screen(
    path: &Path,
    is_audit: bool,
    seed: Option<u64>,
) -> Result<Option<Studied>, Failure> {
    if store::study::is_study(path) {
        if seed.is_some() {
            let why = format!("--seed is said by the study: {}; change it there", path.display());
            return Err(Failure::wrong(why));
        }
        return Ok(Some(store::study::open(path)?));
    }
    if !is_audit || !store::study::holds_bundles(path) {
        return Ok(None);
    }
    let usual = Sample::default();
    let sample = Sample { seed: seed.unwrap_or(usual.seed), ..usual };
    made_of(path, Design { sample, ..Design::default() }).map(Some)
}

/// A study of this design over everything below a folder.
pub fn made_of(folder: &Path, design: Design) -> Result<Studied, Failure> {
    let design = Design { runs: vec![folder.display().to_string()], ..design };
    let name = folder.canonicalize().ok();
    let name =
        name.as_deref().and_then(Path::file_name).map(|it| it.to_string_lossy().into_owned());
    Ok(store::study::gather(design, Path::new(""), &name.unwrap_or_default())?)
}

impl From<StudyError> for Failure {
    fn from(why: StudyError) -> Self {
        match why {
            StudyError::Read { .. } => Self::unread(why.to_string()),
            StudyError::Wrong(mut all) => {
                let last = all.pop().unwrap_or_default();
                all.iter().for_each(|it| tell(it));
                Self::not_understood(last)
            }
        }
    }
}
