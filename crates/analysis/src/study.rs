//! A study from the disk: its file, its runs, and the judgements and labels of each.
//!
//! All mistakes of the study file are reported together and end the study; a problem of one run is a warning, and the
//! others count. Runs are read without their logs: a study of hundreds opens in a moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component as Part, Path, PathBuf},
};

use globset::GlobBuilder;
use rayon::prelude::*;

use trajview_formats::{SourceBytes, rubric as files};
use trajview_run::{
    Run, Warning,
    rubric::{Checklist, LabelUnit, Rubric},
};
use trajview_store as store;
use trajview_store::{
    cards, contains_several_runs, disk::name_of, entries_of, error_reason, is_folder,
    labels::safe_name, rubric, runs_below,
};
use trajview_study::{
    design::{self, StudyDesign},
    loaded_study::{LoadedStudy, StudyRun},
};

use super::process;

/// The reason why a study cannot be read, in one or several sentences.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    /// Sentences that begin with the file and a line.
    #[error("{}", .0.join("\n"))]
    Wrong(Vec<String>),
}

/// The most runs of a study.
const MOST_RUNS: usize = 10_000;

/// Returns whether a path names a study file.
pub fn is_study(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml") && path.is_file()
}

/// Returns whether there is more than one bundle below a folder, of which a study can be made.
pub fn contains_several_bundles(path: &Path) -> bool {
    path.is_dir() && rubric::bundle_of(path).is_none() && contains_several_runs(path)
}

/// Returns all mistakes of a study file, each with its line, and the problems of its runs.
pub fn check_study(path: &Path) -> Result<Vec<Warning>, StudyError> {
    let (design, mistakes) = design::parse_study_file(&read_text(path)?);
    let warning = |it: design::StudyFileMistake| Warning {
        place: format!("{}:{}", name_of(path), it.line),
        what: it.what,
    };
    match mistakes.is_empty() {
        true => gather_file(path, design).map(|studied| studied.warnings),
        false => Ok(mistakes.into_iter().map(warning).collect()),
    }
}

fn read_text(path: &Path) -> Result<String, StudyError> {
    let cannot = |why: String| StudyError::Read { path: path.to_owned(), why };
    let size = fs::metadata(path).map_err(|why| cannot(error_reason(&why)))?.len();
    if size > design::MAX_FILE_BYTES as u64 {
        return Err(cannot(format!(
            "it is larger than {} MB: no study",
            design::MAX_FILE_BYTES >> 20
        )));
    }
    let content = fs::read(path).map_err(|why| cannot(error_reason(&why)))?;
    String::from_utf8(content).map_err(|_| cannot("not UTF-8".into()))
}

/// Reads a study file. The error lists all its mistakes.
pub fn read_design(path: &Path) -> Result<StudyDesign, StudyError> {
    let (design, mistakes) = design::parse_study_file(&read_text(path)?);
    let sentence =
        |it: &design::StudyFileMistake| format!("{}:{}: {}", path.display(), it.line, it.what);
    match mistakes.as_slice() {
        [] => Ok(design),
        all => Err(StudyError::Wrong(all.iter().map(sentence).collect())),
    }
}

/// Opens the study of a file with its runs.
pub fn open_study(path: &Path) -> Result<LoadedStudy, StudyError> {
    gather_file(path, read_design(path)?)
}

/// Gathers the study of this file, which has this design.
fn gather_file(path: &Path, design: StudyDesign) -> Result<LoadedStudy, StudyError> {
    let base = path.parent().filter(|it| !it.as_os_str().is_empty());
    let name = name_of(path).trim_end_matches(".toml").to_owned();
    gather_study(design, base.unwrap_or(Path::new(".")), &name)
}

/// Returns a study of this design, whose paths are relative to `base`; called `name` where it has none of its own.
pub fn gather_study(
    design: StudyDesign,
    base: &Path,
    name: &str,
) -> Result<LoadedStudy, StudyError> {
    if design.judge.is_some() {
        rubric::pin_judge(design.judge.clone());
    }
    let mut warnings = vec![];
    let checklist = match &design.rubric {
        Some(file) => Some(read_checklist(&base.join(file))?),
        None => None,
    };
    let bundles = find_bundles(&design, base, &mut warnings);
    let read: Vec<(StudyRun, Vec<Warning>)> = bundles
        .par_iter()
        .map(|bundle| {
            let (mut run, mut warnings) = study_run(bundle);
            if checklist.is_some() {
                run.rubric.checklist.clone_from(&checklist);
            }
            judge_run(&mut run, &design, &mut warnings);
            (run, warnings)
        })
        .collect();
    let (mut runs, run_warnings): (Vec<StudyRun>, Vec<Vec<Warning>>) = read.into_iter().unzip();
    warnings.extend(run_warnings.into_iter().flatten());
    make_names_distinct(&mut runs);
    if let Some(folder) = &design.labels_folder {
        let folder = base.join(folder);
        runs.par_iter_mut().for_each(|run| {
            run.labels_folder = folder.join(safe_name(&run.name));
            let kept = rubric::read_folder(&run.labels_folder);
            (run.rubric.labels, run.rubric.gold) = (kept.labels, kept.gold);
        });
    }
    let name = design.name.clone().unwrap_or_else(|| name.to_owned());
    Ok(LoadedStudy::new(design, name, runs, warnings))
}

/// Returns the components of a file in the place of those of the bundles.
fn read_checklist(path: &Path) -> Result<Checklist, StudyError> {
    let cannot = |why: String| StudyError::Read { path: path.to_owned(), why };
    let size = fs::metadata(path).map_err(|why| cannot(error_reason(&why)))?.len();
    if size > files::MAX_BYTES {
        return Err(cannot(format!("it is larger than {} MB", files::MAX_BYTES >> 20)));
    }
    let bytes = fs::read(path).map_err(|why| cannot(error_reason(&why)))?;
    let read = files::read_rubric(&[SourceBytes { name: "components.json", bytes: &bytes }]);
    let why = || read.warnings.first().map_or_else(String::new, |it| it.what.clone());
    read.checklist.clone().ok_or_else(|| cannot(why()))
}

/// Returns the bundles that a study names, each once, sorted.
fn find_bundles(design: &StudyDesign, base: &Path, warnings: &mut Vec<Warning>) -> Vec<PathBuf> {
    let is_leaf = design.unit == LabelUnit::Leaf;
    let mut bundles = BTreeSet::new();
    for pattern in &design.runs {
        let before = bundles.len();
        let paths = matching_paths(base, pattern);
        for path in &paths {
            match rubric::bundle_of(path) {
                Some(bundle) => {
                    bundles.insert(bundle);
                }
                None if is_leaf && path.is_file() => {
                    bundles.insert(path.clone());
                }
                None if path.is_dir() => {
                    let trees = |run: PathBuf| Some(run).filter(|it| is_leaf && is_tree_alone(it));
                    let below = runs_below(path).into_iter();
                    bundles.extend(
                        below.filter_map(|run| rubric::bundle_of(&run).or_else(|| trees(run))),
                    );
                }
                None => {}
            }
        }
        if bundles.len() == before && !paths.iter().any(|path| is_in_bundle(&bundles, path)) {
            let what = match paths.as_slice() {
                [path] if !path.exists() => "no such file or folder",
                [] => "nothing there is called so",
                _ if is_leaf => {
                    "no run bundle (a folder with run.json) and no graded rubric tree found"
                }
                _ => "no run bundle (a folder with run.json) found",
            };
            warnings.push(Warning { place: pattern.clone(), what: what.into() });
        }
        if bundles.len() > MOST_RUNS {
            let what = format!("more than {MOST_RUNS} runs; the rest is left out");
            warnings.push(Warning { place: pattern.clone(), what });
            break;
        }
    }
    bundles.into_iter().take(MOST_RUNS).collect()
}

fn is_in_bundle(bundles: &BTreeSet<PathBuf>, path: &Path) -> bool {
    bundles.iter().any(|bundle| bundle.starts_with(path) || path.parent() == Some(bundle))
}

/// Returns the paths that a pattern means; a path without `*`, `?`, `[` and `{` means itself.
fn matching_paths(base: &Path, pattern: &str) -> Vec<PathBuf> {
    if !is_pattern(pattern) {
        return vec![base.join(pattern)];
    }
    let mut paths = vec![base.to_owned()];
    for part in Path::new(pattern).components() {
        let word = part.as_os_str().to_string_lossy();
        paths = match part {
            Part::Normal(_) if word == "**" => {
                paths.iter().flat_map(|path| folders_below(path, 0)).collect()
            }
            Part::Normal(_) if is_pattern(&word) => {
                paths.iter().flat_map(|path| entries_named(path, &word)).collect()
            }
            _ => paths.into_iter().map(|path| path.join(part)).collect(),
        };
        paths.truncate(MOST_RUNS);
    }
    paths.retain(|path| path.exists());
    paths
}

fn is_pattern(words: &str) -> bool {
    words.contains(['*', '?', '[', '{'])
}

/// Returns the entries of a folder whose names match a pattern.
fn entries_named(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() else { return vec![] };
    let glob = glob.compile_matcher();
    let entries = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    entries_of(entries).into_iter().filter(|path| glob.is_match(name_of(path))).collect()
}

/// The depth to which `**` searches.
const MOST_DEEP: usize = 6;

/// Returns a folder and the folders below it; bundles are not entered.
fn folders_below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    if depth < MOST_DEEP && rubric::bundle_of(folder).is_none() {
        let folders = entries_of(folder).into_iter().filter(|path| is_folder(path));
        all.extend(folders.flat_map(|path| folders_below(&path, depth + 1)));
    }
    all
}

/// Returns the name of a graded rubric tree that is a recording by itself; None for other recordings.
pub fn name_of_tree_alone(path: &Path, run: &Run) -> Option<String> {
    let tree = run.rubric_tree.as_ref().filter(|_| run.is_rubric_tree_alone())?;
    if rubric::bundle_of(path).is_some() {
        return None;
    }
    let folder = if path.is_dir() { path } else { path.parent()? };
    Some(rubric::name_of_tree(folder, &tree.file))
}

fn is_tree_alone(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|end| end == "json");
    is_json && store::open(path).is_ok_and(|opened| opened.run.is_rubric_tree_alone())
}

/// Returns a graded rubric tree as a run of a study.
fn study_tree(path: &Path) -> (StudyRun, Vec<Warning>) {
    let warning = |what: String| Warning { place: path.display().to_string(), what };
    let run =
        StudyRun { path: path.to_owned(), name: name_of(path).to_owned(), ..StudyRun::default() };
    let opened = match store::open(path) {
        Ok(opened) => opened,
        Err(why) => return (run, vec![warning(format!("cannot be opened: {why}"))]),
    };
    let (Some(name), Some(folder)) =
        (name_of_tree_alone(path, &opened.run), opened.archive.label_folder())
    else {
        return (run, vec![warning("is not a run bundle and not a graded rubric tree".into())]);
    };
    let labels_folder = folder.to_owned();
    (StudyRun { name, labels_folder, rubric: opened.archive.read_rubric(), ..run }, vec![])
}

/// Returns a run of a study, and what of it could not be used.
fn study_run(bundle: &Path) -> (StudyRun, Vec<Warning>) {
    if rubric::bundle_of(bundle).is_none() {
        return study_tree(bundle);
    }
    let rubric = rubric::read_beside(bundle);
    let card = cards::card_of_head(bundle);
    let folder = bundle.canonicalize().ok();
    let folder = folder.as_deref().map_or_else(|| name_of(bundle), name_of).to_owned();
    let mut warnings = vec![];
    if card.is_none() {
        let what = "cannot be opened: run.json does not read as a bundle".to_owned();
        warnings.push(Warning { place: bundle.display().to_string(), what });
    }
    let judged = rubric.judgements.iter().find_map(|it| it.run.clone());
    let rubric_warnings = rubric.warnings.iter().map(|it| Warning {
        place: format!("{}/{}", bundle.display(), it.place),
        what: it.what.clone(),
    });
    warnings.extend(rubric_warnings);
    let identity = card.map(|card| card.identity);
    let id = identity.as_ref().map(|it| it.id.clone()).filter(|id| !id.is_empty());
    let run = StudyRun {
        name: judged.or(id).unwrap_or(folder),
        path: bundle.to_owned(),
        labels_folder: bundle.to_owned(),
        condition: identity.and_then(|it| it.condition),
        rubric: Rubric { warnings: vec![], ..rubric },
        judgings: vec![],
    };
    (run, warnings)
}

/// Computes the scores of a run. A unit other than a verdict needs the run, which is opened.
fn judge_run(run: &mut StudyRun, design: &StudyDesign, warnings: &mut Vec<Warning>) {
    let unit = design.unit;
    if !matches!(unit, LabelUnit::Leaf | LabelUnit::Signal) {
        return run.collect_verdicts(design, &Run::default(), None);
    }
    match store::open(&run.path) {
        Ok(opened) => {
            let report = (unit == LabelUnit::Signal)
                .then(|| process::process_report(&opened.archive, &opened.run));
            run.collect_verdicts(design, &opened.run, report.as_ref());
        }
        Err(why) => {
            let place = run.path.display().to_string();
            warnings.push(Warning { place, what: format!("cannot be opened: {why}") });
        }
    }
}

/// Gives runs of the same name the names of their folders; where those are the same too, their paths.
fn make_names_distinct(runs: &mut [StudyRun]) {
    let ways: [fn(&StudyRun) -> String; 2] =
        [|run| name_of(&run.path).to_owned(), |run| run.path.display().to_string()];
    for other in ways {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for run in runs.iter() {
            *times.entry(run.name.clone()).or_default() += 1;
        }
        for run in runs.iter_mut().filter(|run| times.get(&run.name).is_some_and(|it| *it > 1)) {
            run.name = other(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_bundle(folder: &Path, id: &str, scores: &[u8]) {
        fs::create_dir_all(folder.join("judgements")).unwrap();
        let run = format!(
            "{{\"schema\": \"trajview.run/1\", \"id\": \"{id}\", \"condition\": \"emergent\"}}"
        );
        fs::write(folder.join("run.json"), run).unwrap();
        let verdict =
            |(at, score): (usize, &u8)| format!("{{\"component\": \"C{at}\", \"score\": {score}}}");
        let verdicts: Vec<String> = scores.iter().enumerate().map(verdict).collect();
        let judgement = format!(
            "{{\"schema\": \"trajview.judgement/1\", \"judge\": {{\"name\": \"j\", \"kind\": \"http\"}}, \"scores\": [{}]}}",
            verdicts.join(", ")
        );
        fs::write(folder.join("judgements/j.json"), judgement).unwrap();
    }

    fn write_study(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        write_bundle(&folder.path().join("runs/one"), "one", &[0, 4]);
        write_bundle(&folder.path().join("runs/two"), "two", &[1, 2, 3]);
        write_bundle(&folder.path().join("runs/deep/three"), "one", &[4]);
        let path = folder.path().join("study.toml");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn run_names(studied: &LoadedStudy) -> Vec<&str> {
        studied.runs.iter().map(|run| run.path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn runs_are_paths_folders_and_patterns() {
        for (runs, expected) in [
            ("\"runs/one\", \"runs/two/run.json\"", ["one", "two"].as_slice()),
            ("\"runs/t*\"", &["two"]),
            ("\"runs\"", &["three", "one", "two"]),
            ("\"runs/**\"", &["three", "one", "two"]),
            ("\"runs/{one,two}\", \"runs/one\"", &["one", "two"]),
        ] {
            let (_folder, path) = write_study(&format!("runs = [{runs}]"));
            let studied = open_study(&path).unwrap();
            let mut expected = expected.to_vec();
            let mut names = run_names(&studied);
            expected.sort_unstable();
            names.sort_unstable();
            assert_eq!(names, expected, "{runs}");
            assert_eq!(studied.warnings, [], "{runs}");
        }
    }

    #[test]
    fn runs_of_one_name_are_called_as_their_folders_and_those_of_one_folder_name_as_their_paths() {
        let (folder, path) = write_study("runs = [\"runs\"]");
        let called = || -> BTreeSet<String> {
            open_study(&path).unwrap().runs.into_iter().map(|run| run.name).collect()
        };
        assert_eq!(called(), ["one", "three", "two"].map(str::to_owned).into());

        write_bundle(&folder.path().join("runs/deeper/three"), "one", &[4]);
        let paths = ["deep", "deeper"].map(|it| folder.path().join("runs").join(it).join("three"));
        let paths = paths.map(|path| path.display().to_string());
        assert!(paths.iter().all(|path| called().contains(path)), "{:?}", called());
    }

    #[test]
    fn what_a_pattern_does_not_find_and_a_run_that_is_broken_are_warnings() {
        let (folder, path) =
            write_study("runs = [\"runs/one\", \"gone\", \"runs/x*\", \"runs/two\"]");
        fs::write(folder.path().join("runs/two/judgements/k.json"), "{").unwrap();

        let studied = open_study(&path).unwrap();

        let texts: Vec<String> =
            studied.warnings.iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
        assert_eq!(studied.items.len(), 5);
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert_eq!(texts[0], "gone: no such file or folder");
        assert_eq!(texts[1], "runs/x*: nothing there is called so");
        assert!(texts[2].contains("judgements/k.json: is not JSON"), "{texts:?}");
    }

    #[test]
    fn labels_of_a_folder_of_the_study_take_the_place_of_those_of_the_bundles() {
        let (folder, path) = write_study("runs = [\"runs/one\"]\nlabels_folder = \"said\"");
        let labels = "{\"schema\": \"trajview.labels/1\", \"annotator\": \"ana\", \"labels\": [{\"component\": \"C0\", \"score\": 1}]}";
        let place = folder.path().join("said/one/labels");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("ana.json"), labels).unwrap();

        let studied = open_study(&path).unwrap();

        assert_eq!(studied.runs[0].labels_folder, folder.path().join("said/one"));
        assert_eq!(studied.rater_names(), ["ana"]);
    }

    #[test]
    fn everything_that_is_wrong_with_the_file_is_told_with_its_line() {
        let (_folder, path) = write_study("runs = 3\nunit = \"word\"\n[sample]\nsize = 0\n");
        let StudyError::Wrong(said) = open_study(&path).unwrap_err() else { panic!("read") };
        let lines: Vec<&str> =
            said.iter().map(|it| it.rsplit("study.toml").next().unwrap()).collect();
        assert!(lines.len() == 3 && lines[0].starts_with(":1: runs: expected"), "{lines:?}");
        assert!(lines[1].starts_with(":2: unit: expected one of \"component\""), "{lines:?}");
        assert!(lines[2].starts_with(":4: sample.size: expected a whole number"), "{lines:?}");
    }
}
