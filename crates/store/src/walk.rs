//! A walk over the recordings below a folder, which reports them one by one: a folder of thousands has something to
//! show before all are found.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rayon::prelude::*;

use trajview_formats as formats;
use trajview_formats::{
    FileHead, Format, RunsInFile,
    companion_files::{self, BelongsTo},
    could_be_log, log_stem,
};

use super::{
    containers::{self, Members},
    disk,
    entries::{entries_of, is_bundle, is_folder, is_log_file, is_plain_file, name_of},
    evaluations::ApartTrials,
    file_head_cache::{FileHeadCache, RecordingHead},
    links, path_bytes,
    path_memo::with_path_memo,
    path_meta::PathKind,
    remote::{self, FetchAmount, is_address},
    slopcodebench, trial_sidecars,
};

/// The file that marks the folder of a live run's workspace and home.
pub const WORK_MARK_FILE: &str = "trajview-live";

/// Returns whether a folder is that of a live run's workspace and home: the logs in it are copied into the bundle, and
/// are no runs of their own.
pub(crate) fn is_work_folder(folder: &Path) -> bool {
    let beside = name_of(folder).strip_suffix(".work").map(|name| folder.with_file_name(name));
    is_plain_file(&folder.join(WORK_MARK_FILE)) || beside.is_some_and(|bundle| is_bundle(&bundle))
}

/// The depth to which runs are searched below a folder.
const MOST_DEEP: usize = 8;

/// A callback for each recording; false ends the walk.
type RunCallback<'a> = dyn FnMut(PathBuf) -> bool + 'a;

/// Returns the recordings below a folder, sorted: bundles and problems of SlopCodeBench as their folders, logs without
/// their companions, and nothing of a live run's workspace. Links to files are followed, links to folders are not; those
/// that lead out of the folder are remembered for [`super::outside_link_notes`].
pub fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let mut runs = vec![];
    walk_root(folder, None, &mut |run| {
        runs.push(run);
        true
    });
    runs.sort();
    runs
}

/// Returns whether a path may have runs below it: a folder, or a container file.
pub fn may_contain_runs(path: &Path) -> bool {
    match disk::metadata(path) {
        Ok(meta) => meta.is_dir() || containers::is_container_with(path, &meta),
        Err(_) => containers::place_inside(path).is_some_and(|place| place.is_folder()),
    }
}

/// Returns whether a path is a folder with more than one recording below. Looks no further than the second.
pub fn contains_several_runs(path: &Path) -> bool {
    let mut count = 0;
    if may_contain_runs(path) {
        walk_root(path, None, &mut |_| {
            count += 1;
            count < 2
        });
    }
    count > 1
}

/// Walks over the recordings of a path: those below a folder, else the path itself, whatever it is. Returns false if
/// `on_run` ended it. What is read of the beginnings of files is added to `heads`, and not saved.
pub fn walk_runs(path: &Path, heads: Option<&FileHeadCache>, on_run: &mut RunCallback<'_>) -> bool {
    match may_contain_runs(path) {
        true => walk_root(path, heads, on_run),
        false => on_run(path.to_owned()),
    }
}

/// The number of files that are read together for [`newest_runs`]: a screen of rows.
const A_SCREEN: usize = 64;

/// Reports the newest logs below these folders that are recordings of their own, the newest first, at most so many, a
/// screen of them at a time: something to show before thousands of files are read.
pub fn newest_runs(
    sources: &[PathBuf],
    most: usize,
    heads: Option<&FileHeadCache>,
    on_runs: &mut dyn FnMut(Vec<PathBuf>),
) {
    let mut logs = vec![];
    sources.iter().for_each(|source| collect_logs(source, &mut |_| {}, &mut logs));
    logs.sort_unstable_by(|a, b| b.cmp(a));
    logs.dedup();
    logs.truncate(most * 2);
    let is_run = |path: &Path| {
        matches!(classify_file(path, heads), Some(FolderEntry::Log(_, BelongsTo::Itself)))
    };
    let mut reported = 0;
    for some in logs.chunks(A_SCREEN) {
        let runs = some.par_iter().map(|(_, path)| is_run(path).then(|| path.clone()));
        let runs: Vec<Option<PathBuf>> = runs.collect();
        let runs: Vec<PathBuf> = runs.into_iter().flatten().take(most - reported).collect();
        reported += runs.len();
        on_runs(runs);
        if reported == most {
            return;
        }
    }
}

/// Returns whether a file is a recording of its own whatever else is there.
pub(super) fn is_own_recording(path: &Path) -> bool {
    matches!(classify_file(path, None), Some(FolderEntry::Log(_, BelongsTo::Itself)))
}

/// Returns whether a file is the log of an agent, whatever its name.
pub(super) fn is_agent_log(path: &Path, heads: Option<&FileHeadCache>) -> bool {
    let entry = match could_be_log(path) {
        true => classify_file(path, heads),
        false => classify_content(path, heads),
    };
    matches!(entry, Some(FolderEntry::Log(format, _)) if format.capabilities().is_log())
}

/// Collects the files that may be logs by their names, with their times, and calls `enter` for each folder.
pub(super) fn collect_logs(
    folder: &Path,
    enter: &mut dyn FnMut(&Path),
    logs: &mut Vec<(SystemTime, PathBuf)>,
) {
    collect_logs_at(folder, (folder, 0), enter, logs);
}

fn collect_logs_at(
    folder: &Path,
    (root, depth): (&Path, usize),
    enter: &mut dyn FnMut(&Path),
    logs: &mut Vec<(SystemTime, PathBuf)>,
) {
    let is_one = is_bundle(folder) || containers::is_repository(folder);
    if is_one || is_work_folder(folder) || slopcodebench::is_problem(folder) {
        return;
    }
    enter(folder);
    let (mut folders, mut stems) = (vec![], HashSet::new());
    for path in disk::list_folder(folder) {
        let meta = match disk::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() && !has_found_target(&path, root) => {
                disk::metadata(&path).ok().filter(|meta| meta.is_file())
            }
            meta => meta.ok(),
        };
        let Some(meta) = meta else { continue };
        if meta.is_dir() {
            folders.push(path);
        } else if meta.is_file() && could_be_log(&path) {
            stems.insert(log_stem(&path).to_owned());
            logs.extend(meta.modified.map(|written| (written, path)));
        }
    }
    for folder in folders.iter().filter(|path| depth < MOST_DEEP && !is_part(path, &stems)) {
        collect_logs_at(folder, (root, depth + 1), enter, logs);
    }
}

/// Returns whether a folder is part of what lies beside it: one named after a log has that log's companions, and
/// where a log has a folder that is named after it for itself, `subagents` in that one does. Kimi's agents have a
/// folder each, the main one too.
fn is_part(folder: &Path, stems: &HashSet<String>) -> bool {
    let (name, around) = (name_of(folder), folder.parent().map(name_of));
    let is_own = || around.is_some_and(|own| stems.contains(own));
    let has_main = || is_plain_file(&folder.with_file_name("main").join("wire.jsonl"));
    stems.contains(name)
        || name == "workspace.git"
        || name == "subagents" && is_own()
        || around == Some("agents") && name != "main" && has_main()
}

/// The values that are the same for all folders of a walk.
#[derive(Clone, Copy)]
struct WalkContext<'a> {
    /// The folder that was named.
    root: &'a Path,
    heads: Option<&'a FileHeadCache>,
    /// The databases into which the sessions of a tree of files were migrated.
    migrated: Option<&'a [Arc<dyn Members>]>,
}

impl WalkContext<'_> {
    /// Returns whether a log is of a session that is also in a database beside the tree.
    fn is_migrated(&self, log: &Path) -> bool {
        let id = name_of(log).strip_suffix(".json");
        let databases = self.migrated.unwrap_or_default();
        id.is_some_and(|id| databases.iter().any(|base| base.has_session(id)))
    }
}

fn is_link(path: &Path) -> bool {
    disk::symlink_kind(path).is_ok_and(|kind| kind == PathKind::Link)
}

/// Returns whether a walk from `root` finds the target of a link without the link.
fn has_found_target(link: &Path, root: &Path) -> bool {
    match (disk::canonical_path(link), disk::canonical_path(root)) {
        (Ok(file), Ok(root)) => {
            let is_found = could_be_log(&file) || containers::is_named_as_container(&file);
            file.starts_with(root) && is_found
        }
        _ => true, // it leads nowhere
    }
}

/// What a walk does at a folder.
enum ExaminedFolder {
    /// The folder is a recording, or has nothing but these.
    Runs(Vec<PathBuf>),
    /// The folder has logs, and other folders and containers to enter.
    Folder { logs: Vec<PathBuf>, below: Vec<PathBuf>, databases: Option<Vec<Arc<dyn Members>>> },
    /// The folder is that of a trial of which nothing but a record is there.
    Record(PathBuf),
    /// The folder is a file about several trials, the logs of which may be elsewhere.
    Elements(Vec<PathBuf>),
}

/// The receiver of what a walk comes by, in the order of the folders.
struct WalkOutput<'a, 'b> {
    on_run: &'a mut RunCallback<'b>,
    /// The trials whose records are apart from the logs, which are reported at the end.
    apart: ApartTrials,
}

impl WalkOutput<'_, '_> {
    fn report_run(&mut self, run: PathBuf) -> bool {
        self.apart.add_log(&run);
        (self.on_run)(run)
    }
}

/// Walks over the recordings below a folder, and last over the trials that only a record apart from the logs has.
/// Returns false if `on_run` ended the walk.
fn walk_root(root: &Path, heads: Option<&FileHeadCache>, on_run: &mut RunCallback<'_>) -> bool {
    let mut output = WalkOutput { on_run, apart: ApartTrials::default() };
    let walk = WalkContext { root, heads, migrated: None };
    report_folder(examine_folder(root, 0, walk), 0, walk, &mut output)
        && output.apart.without_log().into_iter().all(output.on_run)
}

/// The most folders beside each other that are examined at once.
const MOST_AHEAD: usize = 64;

/// Reports the runs of a folder, and walks over those below it. Some folders are examined ahead, on all cores, more of
/// them the longer the walk goes on; they are reported in their order. Returns false if the walk was ended.
fn report_folder(
    examined: ExaminedFolder,
    depth: usize,
    walk: WalkContext<'_>,
    output: &mut WalkOutput<'_, '_>,
) -> bool {
    let (logs, below, databases) = match examined {
        ExaminedFolder::Runs(runs) => {
            return runs.into_iter().all(|run| output.report_run(run));
        }
        ExaminedFolder::Record(record) => {
            output.apart.add_record(record);
            return true;
        }
        ExaminedFolder::Elements(elements) => {
            output.apart.add_elements(elements);
            return true;
        }
        ExaminedFolder::Folder { logs, below, databases } => (logs, below, databases),
    };
    if !logs.into_iter().all(|log| output.report_run(log)) {
        return false;
    }
    let walk_of = |folder: &Path| match name_of(folder) {
        STORAGE => WalkContext { migrated: databases.as_deref().or(walk.migrated), ..walk },
        _ => walk,
    };
    let (mut left, mut ahead) = (below.as_slice(), 1);
    while !left.is_empty() {
        let (next, later) = left.split_at(ahead.min(left.len()));
        let examine = |folder: &PathBuf| examine_folder(folder, depth + 1, walk_of(folder));
        let examined: Vec<ExaminedFolder> = match next {
            [one] => vec![examine(one)],
            several => several.par_iter().map(examine).collect(),
        };
        for (folder, examined) in next.iter().zip(examined) {
            if !report_folder(examined, depth + 1, walk_of(folder), output) {
                return false;
            }
        }
        (left, ahead) = (later, (ahead * 2).min(MOST_AHEAD));
    }
    true
}

/// The folder in which opencode had its sessions before it had a database, in which they are now.
const STORAGE: &str = "storage";

fn examine_folder(folder: &Path, depth: usize, walk: WalkContext<'_>) -> ExaminedFolder {
    with_path_memo(|| classify_folder(folder, depth, walk))
}

/// Returns what a walk does at a folder, which is `depth` levels below the root; enters none below it. Notes links that lead
/// outside the root.
fn classify_folder(folder: &Path, depth: usize, walk: WalkContext<'_>) -> ExaminedFolder {
    let mut entries = entries_of(folder);
    // The list answers most questions about what is not there; the system is asked about the rest.
    let has = |wanted: &str| entries.iter().any(|path| name_of(path) == wanted);
    if (has(WORK_MARK_FILE) || name_of(folder).ends_with(".work")) && is_work_folder(folder) {
        return ExaminedFolder::Runs(vec![]);
    }
    if has("run.json") && is_bundle(folder) || slopcodebench::is_problem_with(&entries) {
        return ExaminedFolder::Runs(vec![folder.to_owned()]);
    }
    if has("HEAD") && containers::is_repository(folder) {
        let sessions =
            containers::place_at(folder).map(|place| place.entry_names()).unwrap_or_default();
        let runs = sessions.into_iter().map(|name| folder.join(name));
        return ExaminedFolder::Runs(runs.collect());
    }
    let link_paths: HashSet<PathBuf> =
        entries.iter().filter(|path| is_link(path)).cloned().collect();
    entries.retain(|path| !link_paths.contains(path) || !has_found_target(path, walk.root));
    let folder_links = link_paths.iter().filter(|path| disk::is_dir(path));
    folder_links.for_each(|link| links::note_if_outside(link, walk.root));
    if containers::place_at(folder).is_some_and(|place| place.members.are_runs()) {
        if is_apart_from_logs(folder) {
            return ExaminedFolder::Elements(entries);
        }
        // Where the walk comes by the folders of the trials, it reports them there.
        let recording = |entry: PathBuf| match trial_sidecars::own_recording(&entry, walk.heads) {
            Some(recording) => (depth == 0).then_some(recording),
            None => Some(entry),
        };
        return ExaminedFolder::Runs(entries.into_iter().filter_map(recording).collect());
    }
    let FolderEntries { mut logs, container_files, agents, trial_record } =
        classify_entries(&entries, walk);
    if let Some((record, format)) = trial_record {
        if !format.is_apart_from_logs() {
            let log = trial_sidecars::log_of_trial(folder, walk.heads);
            return ExaminedFolder::Runs(vec![log.unwrap_or(record)]);
        }
        logs.retain(|log| is_agent_log(log, walk.heads));
        if logs.is_empty() {
            return ExaminedFolder::Record(record);
        }
    }
    logs.retain(|log| !walk.is_migrated(log));
    let linked_logs = logs.iter().chain(&container_files).filter(|log| link_paths.contains(*log));
    linked_logs.for_each(|log| links::note_if_outside(log, walk.root));
    if depth >= MOST_DEEP {
        return ExaminedFolder::Runs(logs);
    }
    let stems: HashSet<String> = logs.iter().map(|log| log_stem(log).to_owned()).collect();
    let is_entered = |path: &PathBuf| is_folder(path) || container_files.contains(path);
    let is_left_out = |path: &PathBuf| is_part(path, &stems) || agents.contains(path);
    entries.retain(|path| !is_left_out(path) && is_entered(path));
    let has_storage = entries.iter().any(|path| name_of(path) == STORAGE);
    let databases = has_storage.then(|| session_databases(&container_files));
    ExaminedFolder::Folder { logs, below: entries, databases }
}

/// Returns the databases of sessions among files.
fn session_databases(container_files: &HashSet<PathBuf>) -> Vec<Arc<dyn Members>> {
    let names_one = |path: &&PathBuf| name_of(path).ends_with(".db");
    let databases =
        container_files.iter().filter(names_one).filter_map(|path| containers::place_at(path));
    databases.map(|place| place.members).collect()
}

/// Returns the folders beside logs that hold what their sub-agents did, those of sub-agents' sub-agents too.
fn subagent_folders(
    logs: &[(&PathBuf, &'static dyn Format)],
    entries: &[PathBuf],
) -> HashSet<PathBuf> {
    let mut folders = HashSet::new();
    let mut open: Vec<(PathBuf, &'static dyn Format)> = logs
        .iter()
        .filter(|(_, format)| format.has_agent_folders())
        .map(|(path, format)| ((*path).clone(), *format))
        .collect();
    if open.is_empty() || !entries.iter().any(|path| is_folder(path)) {
        return folders;
    }
    let Some(around) = open[0].0.parent().map(Path::to_owned) else { return folders };
    while let Some((log, format)) = open.pop() {
        for name in parts_in(&log, format).unwrap_or_default() {
            let folder = around.join(&name);
            let is_beside = !name.contains(['/', '\\']) && entries.contains(&folder);
            if is_beside && is_folder(&folder) && folders.insert(folder.clone()) {
                let logs = entries_of(&folder).into_iter().filter(|path| could_be_log(path));
                open.extend(logs.map(|path| (path, format)));
            }
        }
    }
    folders
}

/// The entries of a folder, sorted by their role.
struct FolderEntries {
    /// The logs that are not companions of others.
    logs: Vec<PathBuf>,
    /// The container files: they contain runs, or files.
    container_files: HashSet<PathBuf>,
    /// The folders of companion logs.
    agents: HashSet<PathBuf>,
    /// The record of the trial whose folder it is.
    trial_record: Option<(PathBuf, &'static dyn Format)>,
}

/// The role of one entry.
enum FolderEntry {
    Log(&'static dyn Format, BelongsTo),
    Container,
}

impl FolderEntry {
    fn to_head(&self) -> Option<RecordingHead> {
        let Self::Log(format, belongs_to) = self else { return None };
        let (format, belongs_to) = (format.name().to_owned(), belongs_to.clone());
        Some(RecordingHead { format, belongs_to, names: None })
    }
}

/// The fewest entries of a folder that are worth another thread, which has no memo of their paths.
const LEAST_PER_THREAD: usize = 8;

/// Finds the role of each entry. Each is read once, and once more where there are companions by name.
fn classify_entries(entries: &[PathBuf], walk: WalkContext<'_>) -> FolderEntries {
    let heads = walk.heads;
    fetch_beginnings(entries, heads);
    let classified: Vec<(&PathBuf, FolderEntry)> = entries
        .par_iter()
        .with_min_len(LEAST_PER_THREAD)
        .filter_map(|path| Some((path, classify_file(path, heads)?)))
        .collect();
    let (mut paths, mut memberships, mut container_files) = (vec![], vec![], HashSet::new());
    for (path, entry) in classified {
        match entry {
            FolderEntry::Log(format, belongs_to) => {
                paths.push(path);
                memberships.push((format, belongs_to));
            }
            FolderEntry::Container => {
                container_files.insert(path.clone());
            }
        }
    }
    let names = |at: usize| {
        let ask = || part_names(paths[at], memberships[at].0).unwrap_or_default();
        match heads {
            Some(heads) => {
                heads.part_names(paths[at], || ask().into_iter().collect()).into_iter().collect()
            }
            None => ask(),
        }
    };
    let logs = companion_files::main_files(&memberships, names)
        .into_iter()
        .map(|at| paths[at].clone())
        .collect();
    let formats: Vec<_> =
        paths.iter().zip(&memberships).map(|(path, memberships)| (*path, memberships.0)).collect();
    let agents = subagent_folders(&formats, entries);
    let ranked = formats.iter().filter_map(|(path, format)| {
        Some((format.trial_record_rank(name_of(path))?, *path, *format))
    });
    let trial_record = ranked.min_by_key(|(rank, ..)| *rank);
    let trial_record = trial_record.map(|(_, path, format)| (path.clone(), format));
    FolderEntries { logs, container_files, agents, trial_record }
}

/// Fetches the beginnings of possible logs, several at a time, where they are on remote storage and not known yet.
fn fetch_beginnings(entries: &[PathBuf], heads: Option<&FileHeadCache>) {
    let is_unknown = |path: &&PathBuf| {
        let is_known = |meta| heads.is_some_and(|heads| heads.get(path, &meta).is_some());
        could_be_log(path) && !disk::symlink_metadata(path).is_ok_and(is_known)
    };
    let addresses = entries.iter().filter(|path| is_address(path));
    let wanted: Vec<PathBuf> = addresses.filter(is_unknown).cloned().collect();
    remote::fetch_soon(&wanted, FetchAmount::Start);
}

fn classify_file(path: &Path, heads: Option<&FileHeadCache>) -> Option<FolderEntry> {
    if containers::is_named_as_container(path) {
        return containers::is_container(path).then_some(FolderEntry::Container);
    }
    if could_be_log(path) { classify_content(path, heads) } else { None }
}

/// Returns the role of a file by its content, whatever its name.
fn classify_content(path: &Path, heads: Option<&FileHeadCache>) -> Option<FolderEntry> {
    let Ok(meta) = disk::symlink_metadata(path) else {
        return if is_plain_file(path) { classify_by_head(path) } else { None };
    };
    // Of a link to a log what it leads to is known.
    let meta = match meta.is_symlink() && is_log_file(path) {
        true => disk::metadata(path).ok()?,
        false => meta,
    };
    if !meta.is_file() {
        return None;
    }
    let known_entry = heads.and_then(|heads| heads.get(path, &meta));
    let entry = match &known_entry {
        Some(head) => head.as_ref().and_then(|head| {
            Some(FolderEntry::Log(formats::format_by_name(&head.format)?, head.belongs_to.clone()))
        }),
        None => classify_by_head(path),
    };
    if !matches!(entry, Some(FolderEntry::Container)) {
        let format = match &entry {
            Some(FolderEntry::Log(format, _)) => Some(*format),
            _ => None,
        };
        containers::remember_plain_log(path, &meta, format);
        if let Some(heads) = heads.filter(|_| known_entry.is_none()) {
            heads.put(path, &meta, entry.as_ref().and_then(FolderEntry::to_head));
        }
    }
    entry
}

/// Returns the role of a file that may be a log, from its beginning.
fn classify_by_head(path: &Path) -> Option<FolderEntry> {
    let (bytes, is_whole) = path_bytes::read_head(path).ok()?;
    let head = FileHead { name: name_of(path), bytes: &bytes, is_whole };
    if containers::has_named_columns(&bytes) {
        return containers::is_container(path).then_some(FolderEntry::Container);
    }
    let format = formats::format_for_head(&head)?;
    if format.runs_in_file(&head) != RunsInFile::One && containers::is_container(path) {
        return Some(FolderEntry::Container);
    }
    Some(FolderEntry::Log(format, format.belongs_to(&head)))
}

/// Returns whether the runs in a file are trials whose logs may be elsewhere.
fn is_apart_from_logs(file: &Path) -> bool {
    path_bytes::read_head(file).is_ok_and(|(bytes, is_whole)| {
        let head = FileHead { name: name_of(file), bytes: &bytes, is_whole };
        formats::format_for_head(&head).is_some_and(|format| format.is_apart_from_logs())
    })
}

fn parts_in(path: &Path, format: &dyn Format) -> Option<Vec<String>> {
    let (bytes, is_whole) = path_bytes::read_head(path).ok()?;
    Some(format.part_paths(&FileHead { name: name_of(path), bytes: &bytes, is_whole }))
}

fn part_names(path: &Path, format: &dyn Format) -> Option<HashSet<String>> {
    let (bytes, is_whole) = path_bytes::read_head(path).ok()?;
    Some(format.names_in_parts(&FileHead { name: name_of(path), bytes: &bytes, is_whole }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_bundles(bundles: usize) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..bundles {
            let bundle = folder.path().join(format!("deep/run-{number}"));
            std::fs::create_dir_all(&bundle).unwrap();
            std::fs::write(bundle.join("run.json"), "{\"schema\": \"trajview.run/1\"}").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_holds_several_from_two_on() {
        assert!(!contains_several_runs(folder_with_bundles(0).path()));
        assert!(!contains_several_runs(folder_with_bundles(1).path()));
        assert!(contains_several_runs(folder_with_bundles(2).path()));
        assert!(!contains_several_runs(Path::new("no/such/folder")));
    }

    #[test]
    fn the_format_of_a_log_that_a_walk_came_by_is_kept_until_the_log_changes() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("s.jsonl");
        let line = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        std::fs::write(&log, line).unwrap();
        let seen_format = || containers::format_of_seen_log(&log).map(|format| format.name());
        assert_eq!(seen_format(), None);

        assert_eq!(runs_below(folder.path()), [log.as_path()]);
        assert_eq!(seen_format(), Some("claude-code"));

        std::fs::write(&log, "{\"type\": \"session_meta\", \"payload\": {\"id\": \"s\"}}").unwrap();
        assert_eq!(seen_format(), None);
    }

    #[test]
    fn a_walk_with_cached_heads_finds_the_same_runs() {
        let samples = Path::new(trajview_testing::project()).join("sample-runs");
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("sessions.sqlite");
        let walk = |heads: &FileHeadCache| {
            let mut runs = vec![];
            walk_runs(&samples, Some(heads), &mut |run| {
                runs.push(run);
                true
            });
            heads.save();
            runs.sort();
            runs
        };
        let expected = runs_below(&samples);

        assert_eq!(walk(&FileHeadCache::beside_file(&file)), expected);
        assert!(place.path().join("heads.json").exists());
        assert_eq!(walk(&FileHeadCache::beside_file(&file)), expected);
    }

    #[test]
    fn a_walk_ends_when_nobody_wants_more() {
        let folder = folder_with_bundles(5);
        let mut runs = vec![];

        let is_whole = walk_runs(folder.path(), None, &mut |run| {
            runs.push(run);
            runs.len() < 3
        });

        assert!(!is_whole);
        let names: Vec<&str> = runs.iter().map(|path| name_of(path)).collect();
        assert_eq!(names, ["run-0", "run-1", "run-2"]);
    }

    #[test]
    fn folders_that_are_examined_ahead_are_reported_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let line = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        let mut expected = vec![];
        for number in 0..150 {
            let log = folder.path().join(format!("{number:03}/deep/s.jsonl"));
            std::fs::create_dir_all(log.parent().unwrap()).unwrap();
            std::fs::write(&log, line).unwrap();
            expected.push(log);
        }
        let walk = |most: usize| {
            let mut runs = vec![];
            walk_runs(folder.path(), None, &mut |run| {
                runs.push(run);
                runs.len() < most
            });
            runs
        };

        assert_eq!(walk(1_000), expected);
        assert_eq!(walk(100), expected[..100]);
    }

    #[test]
    fn what_a_killed_live_run_leaves_beside_its_bundle_is_no_run() {
        let folder = folder_with_bundles(1);
        let log = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        let leave = |name: &str| {
            let home = folder.path().join("deep").join(name).join("home");
            std::fs::create_dir_all(&home).unwrap();
            std::fs::write(home.join("s.jsonl"), log).unwrap();
        };
        leave("run-0.work");
        leave("elsewhere");
        assert_eq!(runs_below(folder.path()).len(), 2, "a folder that is nobody's holds a run");

        std::fs::write(folder.path().join("deep/elsewhere").join(WORK_MARK_FILE), "id").unwrap();

        assert_eq!(runs_below(folder.path()), [folder.path().join("deep/run-0")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_logs_are_logs_and_links_to_folders_are_not_followed_and_those_outside_are_named() {
        use std::{fs, os::unix::fs::symlink};
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let log = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        // As a hub caches what it serves: contents by their sums, and links by their names.
        fs::create_dir_all(at("hub/blobs")).unwrap();
        fs::create_dir_all(at("hub/snapshots/1")).unwrap();
        fs::write(at("hub/blobs/0a1b"), log).unwrap();
        symlink("../../blobs/0a1b", at("hub/snapshots/1/a.jsonl")).unwrap();
        fs::create_dir_all(at("elsewhere")).unwrap();
        fs::write(at("elsewhere/b.jsonl"), log).unwrap();
        symlink(at("elsewhere/b.jsonl"), at("hub/b.jsonl")).unwrap();
        // A folder that leads back, a link to nothing, one to itself, and one to a log that is found anyway.
        symlink("..", at("hub/up")).unwrap();
        symlink(at("elsewhere"), at("hub/folder")).unwrap();
        symlink("nothing.jsonl", at("hub/broken.jsonl")).unwrap();
        symlink("self.jsonl", at("hub/self.jsonl")).unwrap();
        fs::write(at("hub/c.jsonl"), log).unwrap();
        symlink("c.jsonl", at("hub/latest.jsonl")).unwrap();

        let expected = ["hub/b.jsonl", "hub/c.jsonl", "hub/snapshots/1/a.jsonl"].map(at);
        assert_eq!(runs_below(&at("hub")), expected);
        assert!(expected.iter().all(|run| crate::open(run).is_ok()));
        let notes = crate::outside_link_notes().join("\n");
        for link in ["hub/b.jsonl", "hub/folder"] {
            let named = format!("{} → ", at(link).display());
            assert!(notes.contains(&named), "{notes}");
        }
        let mut newest = vec![];
        newest_runs(&[at("hub")], 9, None, &mut |runs| newest.extend(runs));
        newest.sort();
        assert_eq!(newest, expected, "the newest runs have links too");
    }

    /// Copies a folder as the cache of a model hub has it: each file is a link to its content in `blobs`.
    #[cfg(unix)]
    fn copy_as_hub_cache(from: &Path, snapshot: &Path, blobs: &Path) {
        std::fs::create_dir_all(snapshot).unwrap();
        for path in disk::list_folder(from) {
            let copy = snapshot.join(name_of(&path));
            if path.is_dir() {
                copy_as_hub_cache(&path, &copy, blobs);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                let blob = blobs.join(crate::sha256(&bytes));
                std::fs::write(&blob, bytes).unwrap();
                std::os::unix::fs::symlink(blob, copy).unwrap();
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_bundle_in_the_cache_of_a_hub_is_one_run_with_its_repository() {
        let cache = tempfile::tempdir().unwrap();
        let (snapshot, blobs) = (cache.path().join("snapshots/1"), cache.path().join("blobs"));
        std::fs::create_dir_all(&blobs).unwrap();
        let bundle = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        copy_as_hub_cache(&bundle, &snapshot.join("codex-p12"), &blobs);

        assert_eq!(runs_below(cache.path()), [snapshot.join("codex-p12")]);
        let (original, cached) =
            (crate::open(&bundle).unwrap(), crate::open(&snapshot.join("codex-p12")).unwrap());
        assert_eq!(cached.run, original.run);
    }

    #[test]
    fn a_path_that_is_no_folder_stands_for_itself() {
        let mut runs = vec![];
        walk_runs(Path::new("no/such/file"), None, &mut |run| {
            runs.push(run);
            true
        });
        assert_eq!(runs, [PathBuf::from("no/such/file")]);
    }
}
