//! The rubric, judgements and labels beside a recording. They are read anew at each call, since judges and raters add
//! to them.

mod check;

use std::{
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use trajview_formats::{SourceBytes, rubric};
use trajview_run::{
    Warning,
    rubric::{Rubric, VerdictDoubt},
};

use super::{
    disk,
    entries::{entries_of, is_folder, is_plain_file, name_of},
    file_bytes,
    labels::safe_name,
    remote::{self, FetchAmount},
    rubric_tree::TREE_FILES,
};

pub use check::{check_alone, check_beside_run};

/// Reads the rubric beside the run at `path`: a bundle's folder or its `run.json`. A recording that is no bundle has
/// none. Links are not followed.
pub fn read_beside(path: &Path) -> Rubric {
    bundle_of(path).map(|folder| read_folder(&folder)).unwrap_or_default()
}

/// Works as [`read_beside`], for a folder that need not be a bundle: one in which a study keeps the labels of a run.
pub fn read_folder(folder: &Path) -> Rubric {
    let RubricFiles { files, problems } = RubricFiles::in_folder(folder);
    let sources: Vec<_> = files.iter().map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    let mut read = rubric::read_rubric(&sources);
    read.warnings.splice(0..0, problems);
    read.pinned_judge = pinned_judge();
    read.admit_pinned_test();
    leave_out_unlooked(&mut read);
    if let Some(rater) = HIDING_RATER.read().unwrap_or_else(PoisonError::into_inner).as_deref() {
        read.hide_from_rater(rater);
    }
    let missing = read.missing_pin().map(|what| Warning { place: "judge".into(), what });
    read.warnings.extend(missing);
    read
}

static LABELS_FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// Sets the folder for the labels of graded rubric trees outside bundles; None for folders beside their files.
pub fn set_labels_folder(folder: Option<PathBuf>) {
    *LABELS_FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder;
}

/// Returns the name of a graded rubric tree: that of its file without the ending. A file that is called as PaperBench calls
/// all of them has the name of its folder before it.
pub fn name_of_tree(folder: &Path, file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let above = disk::canonical_path(folder).ok();
    let above = above.as_deref().map(name_of).filter(|name| !name.is_empty());
    match above.filter(|_| TREE_FILES.contains(&file)) {
        Some(above) => format!("{above}-{stem}"),
        None => stem,
    }
}

/// Returns the folder for the labels of a graded rubric tree outside a bundle: `NAME.labels` beside its file, or a folder of
/// its name in the one that is set ([`set_labels_folder`]).
pub(crate) fn label_folder_of_tree(folder: &Path, file: &str) -> PathBuf {
    let chosen = LABELS_FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone();
    match chosen {
        Some(chosen) => chosen.join(safe_name(&name_of_tree(folder, file))),
        None => {
            let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
            folder.join(format!("{stem}.labels"))
        }
    }
}

static PINNED_JUDGE: RwLock<Option<String>> = RwLock::new(None);

/// Sets the judge, or the judgement, whose scores are the results of all runs that are read from now on; None for the one of
/// each run.
pub fn pin_judge(judge: Option<String>) {
    *PINNED_JUDGE.write().unwrap_or_else(PoisonError::into_inner) = judge;
}

static HIDING_RATER: RwLock<Option<String>> = RwLock::new(None);

/// Takes out of all rubrics that are read from now on what this rater may not see yet ([`Rubric::hide_from_rater`]).
pub fn hide_from_rater(rater: Option<String>) {
    *HIDING_RATER.write().unwrap_or_else(PoisonError::into_inner) = rater;
}

static COUNTS_UNLOOKED: AtomicBool = AtomicBool::new(false);

/// Makes means and counts include levels that a judge gave without one look at the code, in all runs that are read from now on.
pub fn count_unlooked_levels() {
    COUNTS_UNLOOKED.store(true, Ordering::Relaxed);
}

/// Marks the unlooked levels of components and decisions, so that no mean includes them, unless
/// [they are to count](count_unlooked_levels).
pub fn leave_out_unlooked(rubric: &mut Rubric) {
    if COUNTS_UNLOOKED.load(Ordering::Relaxed) {
        return;
    }
    let Rubric { judgements, judge_tests, decisions, .. } = rubric;
    let judgements = judgements.iter_mut().chain(judge_tests).chain(decisions);
    let verdicts = judgements.flat_map(|it| &mut it.verdicts);
    verdicts.for_each(|it| it.is_left_out = it.doubt() == Some(VerdictDoubt::Unlooked));
}

fn pinned_judge() -> Option<String> {
    PINNED_JUDGE.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The files beside a run, and why others could not be read.
struct RubricFiles {
    files: Vec<(String, Vec<u8>)>,
    problems: Vec<Warning>,
}

impl RubricFiles {
    fn in_folder(folder: &Path) -> Self {
        let mut files_of_folder = Self { files: vec![], problems: vec![] };
        let mut left = MOST_TOGETHER;
        let parts = file_paths(folder);
        let paths: Vec<PathBuf> = parts.iter().map(|(_, path)| path.clone()).collect();
        remote::fetch_soon(&paths, FetchAmount::All);
        for (name, path) in parts {
            match read_whole(&path, &mut left) {
                Ok(bytes) => files_of_folder.files.push((name, bytes)),
                Err(what) => files_of_folder.problems.push(Warning { place: name, what }),
            }
        }
        files_of_folder
    }
}

/// Returns the folder of a bundle, named by itself or by its `run.json`.
pub fn bundle_of(path: &Path) -> Option<PathBuf> {
    let is_folder = disk::is_dir(path);
    let folder = if is_folder { path } else { path.parent()? };
    let is_named = is_folder || name_of(path) == "run.json";
    (is_named && is_plain_file(&folder.join("run.json"))).then(|| folder.to_owned())
}

/// Returns the files by their names relative to the bundle, with their paths.
fn file_paths(folder: &Path) -> Vec<(String, PathBuf)> {
    let named =
        |prefix: &'static str| move |path: PathBuf| (format!("{prefix}{}", name_of(&path)), path);
    let below =
        |name: &'static str, prefix| entries_in(folder, name).into_iter().map(named(prefix));
    let all =
        entries_of(folder).into_iter().map(named("")).chain(below("judgements", "judgements/"));
    all.chain(below("labels", "labels/"))
        .filter(|(name, path)| rubric::is_rubric_file(name) && is_plain_file(path))
        .collect()
}

/// Returns the entries of a folder of the bundle; a link to a folder has none.
fn entries_in(folder: &Path, name: &str) -> Vec<PathBuf> {
    let folder = folder.join(name);
    if is_folder(&folder) { entries_of(&folder) } else { vec![] }
}

/// The most bytes of all files beside a run together that are read.
const MOST_TOGETHER: u64 = 64 << 20;

/// Reads a file and subtracts its size from `left`, the bytes that may still be read. The error is a sentence.
fn read_whole(path: &Path, left: &mut u64) -> Result<Vec<u8>, String> {
    let cannot =
        |why: &std::io::Error| format!("cannot be read: {}", file_bytes::error_reason(why));
    let size = disk::metadata(path).map_err(|why| cannot(&why))?.len();
    if size > rubric::MAX_BYTES {
        return Err(format!("is larger than {} MB and was not read", rubric::MAX_BYTES >> 20));
    }
    *left = left.checked_sub(size).ok_or_else(|| {
        let most = MOST_TOGETHER >> 20;
        format!("was not read: the files before it have {most} MB together, and no more are read")
    })?;
    disk::read_file(path).map_err(|why| cannot(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_pair_has_a_checklist_of_24_components_and_nothing_to_warn_of() {
        let samples = Path::new(trajview_testing::project()).join("sample-runs");
        for name in ["codex-p12", "codex-p12-single-shot"] {
            let rubric = read_beside(&samples.join(name));
            assert_eq!(rubric.checklist.unwrap().components.len(), 24);
            assert_eq!(rubric.warnings, vec![]);
        }
        assert_eq!(read_beside(&samples.join("codex-exec-json/stdout.jsonl")), Rubric::default());
    }

    /// Returns the problems with judgements of these sizes, each a sparse file.
    fn problems_with(sizes: &[u64]) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.json"), r#"{"schema": "trajview.run/1"}"#).unwrap();
        std::fs::create_dir(folder.path().join("judgements")).unwrap();
        for (size, name) in sizes.iter().zip(b'a'..) {
            let path = folder.path().join(format!("judgements/{}.json", char::from(name)));
            std::fs::File::create(path).unwrap().set_len(*size).unwrap();
        }
        let problems = RubricFiles::in_folder(folder.path()).problems.into_iter();
        problems.map(|warning| (warning.place, warning.what)).collect()
    }

    #[test]
    fn a_judgement_file_larger_than_any_is_not_read_and_that_is_said() {
        let what = "is larger than 8 MB and was not read".to_owned();
        assert_eq!(problems_with(&[(8 << 20) + 1]), [("judgements/a.json".to_owned(), what)]);
        assert_eq!(problems_with(&[8 << 20]), []);
    }

    #[test]
    fn files_beside_a_run_that_are_too_much_together_are_left_out_and_that_is_said() {
        let problems = problems_with(&[8 << 20; 9]);

        let what = "was not read: the files before it have 64 MB together, and no more are read"
            .to_owned();
        assert_eq!(problems, [("judgements/i.json".to_owned(), what)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_bundle_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.json"), r#"{"schema": "trajview.run/1"}"#).unwrap();
        std::fs::write(outside.path().join("a.json"), "{").unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("judgements")).unwrap();
        std::os::unix::fs::symlink(
            outside.path().join("a.json"),
            folder.path().join("components.json"),
        )
        .unwrap();
        assert_eq!(read_beside(folder.path()), Rubric::default());
    }
}
