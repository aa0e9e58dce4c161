//! Evaluations that a harness keeps apart from the logs of the agent, and the trials of which nothing else is there.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use trajview_formats::{
    FileHead,
    harness::{EvaluationPlaces, HARNESSES},
};

use super::{
    containers,
    entries::{entries_of, is_folder, is_plain_file, name_of},
    path_bytes,
};

/// The most folders of evaluations, and the most files among which reports are, below one folder.
const MOST_FOLDERS: usize = 1_000;
const MOST_LOOKED: usize = 256;

/// What is in a folder above logs, relative to it, the newest first.
struct EvaluationList {
    folder: PathBuf,
    /// The folders that were listed, with the time when their entries last changed.
    listed: Vec<(PathBuf, Option<SystemTime>)>,
    reports: Vec<String>,
    folders: Vec<String>,
}

/// The folders that were last listed, the latest last.
static EVALUATION_LISTS: Mutex<Vec<Arc<EvaluationList>>> = Mutex::new(vec![]);

/// The most folders that are remembered.
const MOST_LISTED: usize = 64;

/// Returns the files of evaluations below a folder that may have one of these instances, relative to it.
pub(crate) fn evaluation_files(
    folder: &Path,
    places: &EvaluationPlaces,
    instances: &[String],
) -> Vec<String> {
    if instances.is_empty() {
        return vec![];
    }
    let list = EvaluationList::of_folder(folder, places);
    let mut files = vec![];
    for (below, instance) in
        list.folders.iter().flat_map(|below| instances.iter().map(move |it| (below, it)))
    {
        let record = |name: &&str| Some(format!("{below}/{instance}/{name}"));
        let is_there = |name: &String| is_plain_file(&folder.join(name));
        files.extend(places.records.iter().filter_map(|it| record(it)).find(is_there));
    }
    files.extend(list.reports.iter().cloned());
    files
}

impl EvaluationList {
    fn of_folder(folder: &Path, places: &EvaluationPlaces) -> Arc<Self> {
        // Locked while a folder is listed: another thread would only list it a second time.
        let mut lists = EVALUATION_LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = lists.iter().position(|it| it.folder == folder) {
            let known = lists.remove(at);
            let is_same = |(path, time): &(PathBuf, Option<SystemTime>)| {
                time.is_some() && containers::changed_at(path) == *time
            };
            if known.listed.iter().all(is_same) {
                lists.push(Arc::clone(&known));
                return known;
            }
        }
        let list = Arc::new(Self::read(folder, places));
        if lists.len() == MOST_LISTED {
            lists.remove(0);
        }
        lists.push(Arc::clone(&list));
        list
    }

    fn read(folder: &Path, places: &EvaluationPlaces) -> Self {
        let mut list =
            Self { folder: folder.to_owned(), listed: vec![], reports: vec![], folders: vec![] };
        for below in places.report_folders {
            let mut files = list.entries(below);
            files.retain(|path| name_of(path).ends_with(".json") && is_plain_file(path));
            newest_first(&mut files);
            files.truncate(MOST_LOOKED);
            files.retain(|path| is_report(path, places));
            list.reports.extend(files.iter().map(|path| relative_name(path, folder)));
        }
        for pattern in places.folders {
            let mut found = vec![String::new()];
            for part in pattern.split('/') {
                found = found.iter().flat_map(|below| list.folders_in(below, part)).collect();
                found.truncate(MOST_FOLDERS);
            }
            list.folders.extend(found);
        }
        list
    }

    fn place_of(&self, below: &str) -> PathBuf {
        if below.is_empty() { self.folder.clone() } else { self.folder.join(below) }
    }

    fn remember_time(&mut self, below: &str) {
        let path = self.place_of(below);
        if !self.listed.iter().any(|it| it.0 == path) {
            let changed = containers::changed_at(&path);
            self.listed.push((path, changed));
        }
    }

    /// Returns the entries of a folder below, and remembers its time.
    fn entries(&mut self, below: &str) -> Vec<PathBuf> {
        let path = self.place_of(below);
        if !below.is_empty() && !is_folder(&path) {
            return vec![];
        }
        self.remember_time(below);
        entries_of(&path)
    }

    /// Returns the folders of that name in a folder below, of any name for `*`.
    fn folders_in(&mut self, below: &str, name: &str) -> Vec<String> {
        let mut folders = match name {
            "*" => self.entries(below),
            name => {
                // A folder of that name may come later.
                self.remember_time(below);
                vec![self.place_of(below).join(name)]
            }
        };
        folders.retain(|path| is_folder(path));
        newest_first(&mut folders);
        folders.iter().map(|path| relative_name(path, &self.folder)).collect()
    }
}

fn newest_first(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| std::cmp::Reverse(containers::changed_at(path)));
}

fn relative_name(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn is_report(path: &Path, places: &EvaluationPlaces) -> bool {
    path_bytes::read_head(path).is_ok_and(|(bytes, is_whole)| {
        (places.is_run_report)(&FileHead { name: name_of(path), bytes: &bytes, is_whole })
    })
}

/// The trials of a walk whose records are apart from the logs: of each, the log is the recording where the walk comes by it.
#[derive(Default)]
pub(crate) struct ApartTrials {
    /// The logs by the names that an evaluation may have for their instance.
    logs: HashMap<String, Vec<PathBuf>>,
    /// The records in the folders of instances, and those in the reports of runs.
    records: Vec<PathBuf>,
    report_rows: Vec<PathBuf>,
}

impl ApartTrials {
    pub fn add_log(&mut self, log: &Path) {
        let path = log.to_string_lossy().replace('\\', "/");
        let places = HARNESSES.iter().filter_map(|it| it.evaluations());
        for name in places.flat_map(|places| (places.instances_of_log)(&path)) {
            self.logs.entry(name).or_default().push(log.to_owned());
        }
    }

    pub fn add_record(&mut self, record: PathBuf) {
        self.records.push(record);
    }

    pub fn add_report_row(&mut self, row: PathBuf) {
        self.report_rows.push(row);
    }

    /// Returns the records of trials without a log, each trial once.
    pub fn without_log(mut self) -> Vec<PathBuf> {
        let mut alone = alone_among(&self.records, &self.logs, |path| path.parent());
        for record in &self.records {
            let instance = record.parent().map(name_of).unwrap_or_default();
            self.logs.entry(instance.to_owned()).or_default().push(record.clone());
        }
        alone.extend(alone_among(&self.report_rows, &self.logs, |path| Some(path)));
        alone
    }
}

/// Returns those of these records that no log is of. As many evaluations of an instance as it has logs are taken as theirs;
/// where there are more, those with a name in common with a log.
fn alone_among(
    records: &[PathBuf],
    logs: &HashMap<String, Vec<PathBuf>>,
    trial: impl Fn(&Path) -> Option<&Path>,
) -> Vec<PathBuf> {
    let mut by_instance: HashMap<&str, Vec<&PathBuf>> = HashMap::new();
    for record in records {
        by_instance.entry(trial(record).map(name_of).unwrap_or_default()).or_default().push(record);
    }
    let names_of = |record: &PathBuf| -> BTreeSet<String> {
        let around = trial(record).into_iter().flat_map(|it| it.ancestors().skip(1).take(2));
        around.map(|it| name_of(it).trim_end_matches(".json").to_owned()).collect()
    };
    let is_alone = |record: &&PathBuf| {
        let instance = trial(record).map(name_of).unwrap_or_default();
        let Some(logs) = logs.get(instance) else { return true };
        let models = by_instance[instance].iter().map(|it| trial(it).and_then(Path::parent));
        if models.collect::<BTreeSet<_>>().len() <= logs.len() {
            return false;
        }
        let names = names_of(record);
        let shares_name = |part: &str| {
            let is_of = |name: &String| {
                name == part || name.starts_with(&format!("{part}.")) && part.len() > 1
            };
            names.iter().any(is_of)
        };
        let mut parts = logs.iter().flat_map(|log| log.iter().filter_map(|part| part.to_str()));
        !parts.any(shares_name)
    };
    records.iter().filter(is_alone).cloned().collect()
}
