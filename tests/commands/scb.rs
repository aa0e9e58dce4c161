//! Releases of `scb-check` beside which ours is run.
//!
//! They are not part of the project, nor are their rules. To have them: make a virtual environment for each release with
//! Python 3.12 or later, `pip install scb-check==0.1.3` in one and `scb-check==0.2.0` in the other, and put the two
//! folders, with a colon between, into `TRAJVIEW_SCB_CHECK`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use trajview::metrics::{
    quality::{QualityProfile, Ruler},
    rules::RuleSet,
};

/// One installed release.
pub struct Release {
    pub profile: QualityProfile,
    /// Our ruler with its rules.
    pub ruler: Ruler,
    programs: PathBuf,
}

/// The two releases that the environment names.
pub fn find_releases() -> Vec<Release> {
    let folders = env::var_os("TRAJVIEW_SCB_CHECK")
        .expect("TRAJVIEW_SCB_CHECK names the folders of scb-check, see tests/commands/scb.rs");
    let releases: Vec<_> = env::split_paths(&folders).map(|folder| read_release(&folder)).collect();
    let profiles: Vec<_> = releases.iter().map(|release| release.profile).collect();
    assert_eq!(profiles, [QualityProfile::ScbCheck013, QualityProfile::ScbCheck020]);
    releases
}

fn read_release(folder: &Path) -> Release {
    let packages =
        folder_entries(&folder.join("lib")).into_iter().map(|python| python.join("site-packages"));
    let packages =
        packages.into_iter().find(|packages| packages.join("scb_check").is_dir()).unwrap();
    let info = folder_entries(&packages).into_iter().find_map(|entry| {
        let name = entry.file_name()?.to_str()?.to_owned();
        Some(name.strip_prefix("scb_check-")?.strip_suffix(".dist-info")?.to_owned())
    });
    let profile: QualityProfile = format!("scb-check-{}", info.unwrap()).parse().unwrap();
    let rules = read_rules(&packages.join("scb_check/resources/slop_rules"));
    assert_eq!(rules.problems(), []);
    Release { profile, ruler: Ruler::new(profile, rules), programs: folder.join("bin") }
}

/// The rules below a folder, in the order of their names.
pub fn read_rules(folder: &Path) -> RuleSet {
    let text = |path: PathBuf| (path.display().to_string(), fs::read_to_string(path).unwrap());
    let texts: Vec<_> = folder_entries(folder).into_iter().map(text).collect();
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    RuleSet::load(&folder.display().to_string(), &texts)
}

impl Release {
    /// What it says about a folder. None where it has nothing to say, as where no file could be read. It ends with 1
    /// where it found something.
    pub fn report(&self, tree: &Path) -> Option<Value> {
        let others = env::var_os("PATH").unwrap_or_default();
        let path =
            env::join_paths([self.programs.clone()].into_iter().chain(env::split_paths(&others)))
                .unwrap();
        let mut command = Command::new(self.programs.join("scb-check"));
        command.args(["check", "--report", "--include-all"]).arg(tree).env("PATH", path);
        let ran = command.output().unwrap();
        serde_json::from_slice(&ran.stdout).ok()
    }
}

/// What is in a folder, by name.
pub fn folder_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
