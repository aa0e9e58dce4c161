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

/// The entries of folders below a folder, while it is read.
type FolderContents = HashMap<String, Vec<PathBuf>>;

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
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let list = EvaluationList::of_folder(folder, places);
    let mut files = vec![];
    for below in &list.folders {
        for instance in instances {
            let mut records = places.records.iter().map(|it| format!("{below}/{instance}/{it}"));
            files.extend(records.find(|name| is_plain_file(&folder.join(name))));
        }
    }
    files.extend(list.reports.iter().cloned());
    files
}

impl EvaluationList {
    fn of_folder(folder: &Path, places: &EvaluationPlaces) -> Arc<Self> {
        let lists = || EVALUATION_LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |lists: &mut Vec<Arc<Self>>| {
            let at = lists.iter().position(|it| it.folder == folder)?;
            let list = lists.remove(at);
            lists.push(Arc::clone(&list));
            Some(list)
        };
        // The system is asked without the lock: logs are opened side by side.
        let is_same = |(path, time): &(PathBuf, Option<SystemTime>)| {
            time.is_some() && containers::changed_at(path) == *time
        };
        let listed_before = take(&mut lists());
        if let Some(list) = listed_before.filter(|it| it.listed.iter().all(is_same)) {
            return list;
        }
        let list = Arc::new(Self::read(folder, places));
        let mut lists = lists();
        lists.retain(|it| it.folder != folder);
        if lists.len() == MOST_LISTED {
            lists.remove(0);
        }
        lists.push(Arc::clone(&list));
        list
    }

    fn read(folder: &Path, places: &EvaluationPlaces) -> Self {
        let mut list =
            Self { folder: folder.to_owned(), listed: vec![], reports: vec![], folders: vec![] };
        let mut contents = FolderContents::new();
        for name in places.report_folders {
            let folders = match *name {
                "" => vec![String::new()],
                name => list.folders_in("", name, &mut contents),
            };
            for below in folders {
                let entries = list.entries(&below, &mut contents).iter();
                let named = entries.filter(|path| (places.is_report_name)(name_of(path)));
                let mut files: Vec<PathBuf> =
                    named.filter(|path| is_plain_file(path)).cloned().collect();
                newest_first(&mut files);
                files.truncate(MOST_LOOKED);
                files.retain(|path| is_report(path, places));
                list.reports.extend(files.iter().map(|path| relative_name(path, folder)));
            }
        }
        for pattern in places.folders {
            let mut found = vec![String::new()];
            for part in pattern.split('/') {
                let below = found.iter();
                found = below.flat_map(|it| list.folders_in(it, part, &mut contents)).collect();
                found.truncate(MOST_FOLDERS);
            }
            list.folders.extend(found);
        }
        list
    }

    /// Returns the entries of a folder below, which is listed once, and remembers its time.
    fn entries<'c>(&mut self, below: &str, contents: &'c mut FolderContents) -> &'c [PathBuf] {
        contents.entry(below.to_owned()).or_insert_with(|| {
            let path = if below.is_empty() { self.folder.clone() } else { self.folder.join(below) };
            // A file that comes while the folder is listed changes the time.
            let changed = containers::changed_at(&path);
            let entries = entries_of(&path);
            self.listed.push((path, changed));
            entries
        })
    }

    /// Returns the folders of that name in a folder below, of any name for `*`.
    fn folders_in(
        &mut self,
        below: &str,
        name: &str,
        contents: &mut FolderContents,
    ) -> Vec<String> {
        // The list answers what is not there; the system is asked about the rest.
        let entries = self.entries(below, contents).iter();
        let named = entries.filter(|path| name == "*" || name_of(path) == name);
        let mut folders: Vec<PathBuf> = named.filter(|path| is_folder(path)).cloned().collect();
        if folders.len() > 1 {
            newest_first(&mut folders);
        }
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
    /// The logs, and the records that count as such, by the names that an evaluation may have for their instance.
    logs: HashMap<String, Vec<PathBuf>>,
    /// The records in the folders of instances.
    records: Vec<ApartTrial>,
    /// The elements of files about several instances: of reports, and of what was submitted.
    elements: Vec<ApartTrial>,
}

struct ApartTrial {
    /// The path whose last part is the instance.
    instance: PathBuf,
    recording: PathBuf,
}

impl ApartTrials {
    pub fn add_log(&mut self, log: &Path) {
        let path = log.to_string_lossy().replace('\\', "/");
        let places = HARNESSES.iter().filter_map(|it| it.evaluations());
        for name in places.flat_map(|places| (places.instances_of_log)(&path)) {
            self.logs.entry(name).or_default().push(log.to_owned());
        }
    }

    pub fn add_record(&mut self, recording: PathBuf) {
        let instance = recording.parent().unwrap_or(&recording).to_owned();
        self.records.push(ApartTrial { instance, recording });
    }

    pub(crate) fn add_elements(&mut self, elements: Vec<PathBuf>) {
        let trials = elements.into_iter();
        self.elements.extend(trials.map(|it| ApartTrial { instance: it.clone(), recording: it }));
    }

    /// Returns the records of trials without a log, each trial once: a record in its folder before an element of a report, and
    /// this before one of what was submitted.
    pub fn without_log(mut self) -> Vec<PathBuf> {
        let is_of_report = |trial: &ApartTrial| {
            let file = trial.instance.parent().map(name_of).unwrap_or_default();
            HARNESSES.iter().filter_map(|it| it.evaluations()).any(|it| (it.is_report_name)(file))
        };
        let (reported, submitted) =
            std::mem::take(&mut self.elements).into_iter().partition(is_of_report);
        let records = std::mem::take(&mut self.records);
        let mut alone = self.take_alone(records, |instance, log| {
            let mut names = instance.ancestors().skip(1).take(2).map(name_of);
            names.any(|name| log.iter().any(|part| part == name))
        });
        alone.extend(self.take_alone(reported, |instance, log| {
            let report = instance.parent().map(name_of).unwrap_or_default();
            let stem = report.trim_end_matches(".json");
            log.iter().filter_map(|part| part.to_str()).any(|part| {
                stem == part
                    || stem.strip_prefix(part).is_some_and(|rest| rest.starts_with('.'))
                    || stem.strip_suffix(part).is_some_and(|rest| rest.ends_with("__"))
            })
        }));
        alone.extend(self.take_alone(submitted, |instance, log| {
            instance.ancestors().nth(2).is_some_and(|folder| log.starts_with(folder))
        }));
        alone
    }

    /// Returns the recordings of those of these trials that no log is of, and adds all of them to the logs. As many trials of
    /// an instance as it has logs are taken as theirs; where there are more, those that belong to a log.
    fn take_alone(
        &mut self,
        trials: Vec<ApartTrial>,
        is_of_log: impl Fn(&Path, &Path) -> bool,
    ) -> Vec<PathBuf> {
        let mut by_instance: HashMap<String, Vec<ApartTrial>> = HashMap::new();
        for trial in trials {
            let instance = name_of(&trial.instance).to_owned();
            by_instance.entry(instance).or_default().push(trial);
        }
        let mut alone = vec![];
        for (instance, trials) in by_instance {
            let logs = self.logs.entry(instance).or_default();
            let models: BTreeSet<_> = trials.iter().map(|it| it.instance.parent()).collect();
            if models.len() > logs.len() {
                let has_log =
                    |trial: &ApartTrial| logs.iter().any(|log| is_of_log(&trial.instance, log));
                let without = trials.iter().filter(|trial| !has_log(trial));
                alone.extend(without.map(|trial| trial.recording.clone()));
            }
            logs.extend(trials.into_iter().map(|trial| trial.recording));
        }
        alone.sort();
        alone
    }
}
