//! Studies as the screen and the commands open them: a file, or a folder of bundles.

use std::path::Path;

use trajview_analysis as analysis;
use trajview_analysis::study::StudyError;
use trajview_study::{
    design::{SampleDesign, StudyDesign},
    loaded_study::LoadedStudy,
};

use super::{CommandFailure, output::print_note};

/// Returns the study that a screen is wanted of, where it is one: a file, or a folder of bundles in the audit.
pub(crate) fn study_to_open(
    path: &Path,
    is_audit: bool,
    seed: Option<u64>,
) -> Result<Option<LoadedStudy>, CommandFailure> {
    if analysis::study::is_study(path) {
        if seed.is_some() {
            let why = format!("the study file sets the seed: {}; change it there", path.display());
            return Err(CommandFailure::wrong_arguments(why));
        }
        return Ok(Some(analysis::study::open_study(path)?));
    }
    if !is_audit || !analysis::study::contains_several_bundles(path) {
        return Ok(None);
    }
    let usual = SampleDesign::default();
    let sample = SampleDesign { seed: seed.unwrap_or(usual.seed), ..usual };
    study_of_folder(path, StudyDesign { sample, ..StudyDesign::default() }).map(Some)
}

/// Returns a study of this design over everything below a folder.
pub(crate) fn study_of_folder(
    folder: &Path,
    design: StudyDesign,
) -> Result<LoadedStudy, CommandFailure> {
    let design = StudyDesign { runs: vec![folder.display().to_string()], ..design };
    let name = folder.canonicalize().ok();
    let name =
        name.as_deref().and_then(Path::file_name).map(|it| it.to_string_lossy().into_owned());
    Ok(analysis::study::gather_study(design, Path::new(""), &name.unwrap_or_default())?)
}

impl From<StudyError> for CommandFailure {
    fn from(why: StudyError) -> Self {
        match why {
            StudyError::Read { .. } => Self::cannot_read(why.to_string()),
            StudyError::Wrong(mut all) => {
                let last = all.pop().unwrap_or_default();
                all.iter().for_each(|it| print_note(it));
                Self::cannot_understand(last)
            }
        }
    }
}
