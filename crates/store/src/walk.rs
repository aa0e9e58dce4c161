//! The recordings below a folder, told one by one: a folder of thousands has something to show before all are found.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rayon::prelude::*;

use trajview_formats as formats;
use trajview_formats::{
    Format, Head, Rows,
    companions::{self, BelongsTo},
};

use super::{
    disk,
    entries::{
        could_be_log, entries_of, is_bundle, is_folder, is_log_file, is_plain_file, name_of,
        stem_of,
    },
    heads::{KnownHead, KnownHeads},
    inside::{self, Members},
    reading,
    remote::{self, Much, is_address},
    slopcodebench,
};

/// The file by which the folder of a live run's workspace and home is known.
pub const WORK_MARK: &str = "trajview-live";

/// Whether a folder is that of a live run's workspace and home: the logs in it are copied into the bundle, and are no runs
/// of their own.
pub fn is_work_folder(folder: &Path) -> bool {
    let beside = name_of(folder).strip_suffix(".work").map(|name| folder.with_file_name(name));
    is_plain_file(&folder.join(WORK_MARK)) || beside.is_some_and(|bundle| is_bundle(&bundle))
}

/// How deep runs are looked for below a folder.
const MOST_DEEP: usize = 6;

/// Told of each recording; false ends the walk.
type Found<'a> = dyn FnMut(PathBuf) -> bool + 'a;

/// The recordings below a folder, sorted: bundles and problems of SlopCodeBench as their folders, logs without their
/// companions, and nothing of a live run's workspace. Links to files are followed, links to folders are not.
pub fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let mut runs = vec![];
    below(folder, 0, Walk::of(folder, None), &mut |run| {
        runs.push(run);
        true
    });
    runs.sort();
    runs
}

/// Whether runs may stand below a path: a folder, or a file that holds others.
pub fn holds_runs(path: &Path) -> bool {
    disk::is_dir(path)
        || inside::holds(path)
        || inside::below(path).is_some_and(|place| place.is_folder())
}

/// Whether a path is a folder with more than one recording below. Looks no further than the second.
pub fn holds_several(path: &Path) -> bool {
    let mut count = 0;
    if holds_runs(path) {
        below(path, 0, Walk::of(path, None), &mut |_| {
            count += 1;
            count < 2
        });
    }
    count > 1
}

/// The recordings that a path stands for: those below a folder, else the path itself, whatever it is. False if `found`
/// ended it.
pub fn walk(path: &Path, found: &mut Found<'_>) -> bool {
    walk_knowing(path, None, found)
}

/// As [`walk`], by what is known of the beginnings of files; what is new is known then, and not saved.
pub fn walk_knowing(path: &Path, heads: Option<&KnownHeads>, found: &mut Found<'_>) -> bool {
    match holds_runs(path) {
        true => below(path, 0, Walk::of(path, heads), found),
        false => found(path.to_owned()),
    }
}

/// Files that are looked into together for [`newest`]: a screen of rows.
const A_SCREEN: usize = 64;

/// The newest of the logs below these folders that are recordings of their own whatever else is there, the newest first, at
/// most so many, told a screen of them at a time: something to show before thousands of files are looked into.
pub fn newest(
    sources: &[PathBuf],
    most: usize,
    heads: Option<&KnownHeads>,
    tell: &mut dyn FnMut(Vec<PathBuf>),
) {
    let mut logs = vec![];
    sources.iter().for_each(|source| logs_below(source, 0, &mut logs));
    logs.sort_unstable_by(|a, b| b.cmp(a));
    logs.dedup();
    logs.truncate(most * 2);
    let is_run =
        |path: &Path| matches!(look_into(path, heads), Some(Entry::Log(_, BelongsTo::Itself)));
    let mut told = 0;
    for some in logs.chunks(A_SCREEN) {
        let runs = some.par_iter().map(|(_, path)| is_run(path).then(|| path.clone()));
        let runs: Vec<Option<PathBuf>> = runs.collect();
        let runs: Vec<PathBuf> = runs.into_iter().flatten().take(most - told).collect();
        told += runs.len();
        tell(runs);
        if told == most {
            return;
        }
    }
}

/// Whether a file is a recording of its own whatever else is there.
pub(super) fn is_of_its_own(path: &Path) -> bool {
    matches!(look_into(path, None), Some(Entry::Log(_, BelongsTo::Itself)))
}

/// What may be logs by their names, with their times.
fn logs_below(folder: &Path, depth: usize, logs: &mut Vec<(SystemTime, PathBuf)>) {
    each_log_below(folder, depth, &mut |_| {}, logs);
}

/// As [`logs_below`]; each folder that is looked into is told too.
pub(super) fn each_log_below(
    folder: &Path,
    depth: usize,
    enter: &mut dyn FnMut(&Path),
    logs: &mut Vec<(SystemTime, PathBuf)>,
) {
    let is_one = is_bundle(folder) || inside::is_repository(folder);
    if is_one || is_work_folder(folder) || slopcodebench::is_problem(folder) {
        return;
    }
    enter(folder);
    let (mut folders, mut stems) = (vec![], HashSet::new());
    for path in disk::listed(folder) {
        match disk::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => folders.push(path),
            Ok(meta) if meta.is_file() && could_be_log(&path) => {
                stems.insert(stem_of(&path));
                logs.extend(meta.modified.map(|written| (written, path)));
            }
            Ok(_) | Err(_) => {}
        }
    }
    for folder in folders.iter().filter(|path| depth < MOST_DEEP && !is_part(path, &stems)) {
        each_log_below(folder, depth + 1, enter, logs);
    }
}

/// Whether a folder is part of what lies beside it: one named after a log holds that log's companions, and where a log has a
/// folder that is named after it for itself, `subagents` in that one does. Kimi's agents have a folder each, the main one too.
fn is_part(folder: &Path, stems: &HashSet<String>) -> bool {
    let (name, around) = (name_of(folder), folder.parent().map(name_of));
    let is_own = || around.is_some_and(|own| stems.contains(own));
    let has_main = || is_plain_file(&folder.with_file_name("main").join("wire.jsonl"));
    stems.contains(name)
        || name == "workspace.git"
        || name == "subagents" && is_own()
        || around == Some("agents") && name != "main" && has_main()
}

/// What holds for all folders of a walk.
#[derive(Clone, Copy)]
struct Walk<'a> {
    /// The folder that was named.
    root: &'a Path,
    heads: Option<&'a KnownHeads>,
    /// Databases into which the sessions of a tree of files were migrated.
    migrated: Option<&'a [Arc<dyn Members>]>,
}

impl<'a> Walk<'a> {
    const fn of(root: &'a Path, heads: Option<&'a KnownHeads>) -> Self {
        Self { root, heads, migrated: None }
    }

    /// Whether a log is of a session that stands in a database beside the tree.
    fn is_migrated(&self, log: &Path) -> bool {
        let id = name_of(log).strip_suffix(".json");
        let databases = self.migrated.unwrap_or_default();
        id.is_some_and(|id| databases.iter().any(|base| base.has_session(id)))
    }

    /// Whether a path is a link to what the walk finds without it.
    fn finds_twice(&self, path: &Path) -> bool {
        let is_link = disk::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        is_link
            && match (disk::canonical(path), disk::canonical(self.root)) {
                (Ok(file), Ok(root)) => {
                    let is_found = could_be_log(&file) || inside::is_named_as_holder(&file);
                    file.starts_with(root) && is_found
                }
                _ => true, // it leads nowhere
            }
    }
}

fn below(folder: &Path, depth: usize, walk: Walk<'_>, found: &mut Found<'_>) -> bool {
    if is_work_folder(folder) {
        return true;
    }
    if is_bundle(folder) || slopcodebench::is_problem(folder) {
        return found(folder.to_owned());
    }
    if inside::is_repository(folder) {
        let sessions = inside::at(folder).map(|place| place.entries()).unwrap_or_default();
        return sessions.into_iter().all(|name| found(folder.join(name)));
    }
    let mut entries = entries_of(folder);
    entries.retain(|path| !walk.finds_twice(path));
    if inside::at(folder).is_some_and(|place| place.members.are_runs()) {
        return entries.into_iter().all(found);
    }
    let Looked { mut logs, holders, agents } = looked_into(&entries, walk);
    logs.retain(|log| !walk.is_migrated(log));
    for log in &logs {
        if !found(log.clone()) {
            return false;
        }
    }
    if depth >= MOST_DEEP {
        return true;
    }
    let stems: HashSet<String> = logs.iter().map(|log| stem_of(log)).collect();
    let is_entered = |path: &PathBuf| is_folder(path) || holders.contains(path);
    let is_left_out = |path: &PathBuf| is_part(path, &stems) || agents.contains(path);
    let folders = entries.iter().filter(|path| !is_left_out(path) && is_entered(path));
    for folder in folders {
        let migrated = match name_of(folder) {
            // Where opencode had its sessions before it had a database, in which they are now.
            "storage" => Some(databases(&holders)),
            _ => None,
        };
        let walk = Walk { migrated: migrated.as_deref().or(walk.migrated), ..walk };
        if !below(folder, depth + 1, walk, found) {
            return false;
        }
    }
    true
}

/// The databases of sessions among files.
fn databases(holders: &HashSet<PathBuf>) -> Vec<Arc<dyn Members>> {
    let names_one = |path: &&PathBuf| name_of(path).ends_with(".db");
    let databases = holders.iter().filter(names_one).filter_map(|path| inside::at(path));
    databases.map(|place| place.members).collect()
}

/// The folders beside logs that hold what their sub-agents did, those of sub-agents' sub-agents too.
fn agent_folders(
    logs: &[(&PathBuf, &'static dyn Format)],
    entries: &[PathBuf],
) -> HashSet<PathBuf> {
    let mut found = HashSet::new();
    let mut open: Vec<(PathBuf, &'static dyn Format)> = logs
        .iter()
        .filter(|(_, format)| format.has_agent_folders())
        .map(|(path, format)| ((*path).clone(), *format))
        .collect();
    if open.is_empty() || !entries.iter().any(|path| is_folder(path)) {
        return found;
    }
    let Some(around) = open[0].0.parent().map(Path::to_owned) else { return found };
    while let Some((log, format)) = open.pop() {
        for name in parts_in(&log, format).unwrap_or_default() {
            let folder = around.join(&name);
            let is_beside = !name.contains(['/', '\\']) && entries.contains(&folder);
            if is_beside && is_folder(&folder) && found.insert(folder.clone()) {
                let logs = entries_of(&folder).into_iter().filter(|path| could_be_log(path));
                open.extend(logs.map(|path| (path, format)));
            }
        }
    }
    found
}

/// What the entries of a folder are.
struct Looked {
    /// The logs that are not companions of others.
    logs: Vec<PathBuf>,
    /// Files that hold runs, or files.
    holders: HashSet<PathBuf>,
    /// Folders that hold companions.
    agents: HashSet<PathBuf>,
}

/// What one entry is.
enum Entry {
    Log(&'static dyn Format, BelongsTo),
    Holder,
}

impl Entry {
    fn known(&self) -> Option<KnownHead> {
        let Self::Log(format, belongs_to) = self else { return None };
        let (format, belongs_to) = (format.name().to_owned(), belongs_to.clone());
        Some(KnownHead { format, belongs_to, names: None })
    }
}

/// Each is looked into once, and once more where there are companions by name.
fn looked_into(entries: &[PathBuf], walk: Walk<'_>) -> Looked {
    let heads = walk.heads;
    fetch_beginnings(entries, heads);
    let known: Vec<(&PathBuf, Entry)> =
        entries.par_iter().filter_map(|path| Some((path, look_into(path, heads)?))).collect();
    let (mut paths, mut told, mut holders) = (vec![], vec![], HashSet::new());
    for (path, entry) in known {
        match entry {
            Entry::Log(format, belongs_to) => {
                paths.push(path);
                told.push((format, belongs_to));
            }
            Entry::Holder => {
                holders.insert(path.clone());
            }
        }
    }
    let names = |at: usize| {
        let ask = || names(paths[at], told[at].0).unwrap_or_default();
        match heads {
            Some(heads) => {
                heads.names(paths[at], || ask().into_iter().collect()).into_iter().collect()
            }
            None => ask(),
        }
    };
    let logs = companions::mains(&told, names).into_iter().map(|at| paths[at].clone()).collect();
    let formats: Vec<_> = paths.iter().zip(&told).map(|(path, told)| (*path, told.0)).collect();
    let agents = agent_folders(&formats, entries);
    Looked { logs, holders, agents }
}

/// The beginnings of what may be logs, several at a time, where they are on remote storage and are not known.
fn fetch_beginnings(entries: &[PathBuf], heads: Option<&KnownHeads>) {
    let is_unknown = |path: &&PathBuf| {
        let is_known = |meta| heads.is_some_and(|heads| heads.get(path, &meta).is_some());
        could_be_log(path) && !disk::symlink_metadata(path).is_ok_and(is_known)
    };
    let addresses = entries.iter().filter(|path| is_address(path));
    let wanted: Vec<PathBuf> = addresses.filter(is_unknown).cloned().collect();
    remote::fetch_soon(&wanted, Much::Start);
}

fn look_into(path: &Path, heads: Option<&KnownHeads>) -> Option<Entry> {
    if inside::is_named_as_holder(path) {
        return inside::holds(path).then_some(Entry::Holder);
    }
    if !could_be_log(path) {
        return None;
    }
    let Ok(meta) = disk::symlink_metadata(path) else {
        return if is_plain_file(path) { read_into(path) } else { None };
    };
    // Of a link to a log what it leads to is known.
    let meta = match meta.is_symlink() && is_log_file(path) {
        true => disk::metadata(path).ok()?,
        false => meta,
    };
    if !meta.is_file() {
        return None;
    }
    let known = heads.and_then(|heads| heads.get(path, &meta));
    let entry = match &known {
        Some(head) => head.as_ref().and_then(|head| {
            Some(Entry::Log(formats::by_name(&head.format)?, head.belongs_to.clone()))
        }),
        None => read_into(path),
    };
    if !matches!(entry, Some(Entry::Holder)) {
        inside::remember_plain_log(path, &meta);
        if let Some(heads) = heads.filter(|_| known.is_none()) {
            heads.put(path, &meta, entry.as_ref().and_then(Entry::known));
        }
    }
    entry
}

/// What the beginning of a file says that may be a log.
fn read_into(path: &Path) -> Option<Entry> {
    let (bytes, is_whole) = reading::read_head(path).ok()?;
    let head = Head { name: name_of(path), bytes: &bytes, is_whole };
    if inside::has_named_columns(&bytes) {
        return inside::holds(path).then_some(Entry::Holder);
    }
    let format = formats::claim(&head)?;
    if format.rows(&head) != Rows::None && inside::holds(path) {
        return Some(Entry::Holder);
    }
    Some(Entry::Log(format, format.belongs_to(&head)))
}

fn parts_in(path: &Path, format: &dyn Format) -> Option<Vec<String>> {
    let (bytes, is_whole) = reading::read_head(path).ok()?;
    Some(format.parts_in(&Head { name: name_of(path), bytes: &bytes, is_whole }))
}

fn names(path: &Path, format: &dyn Format) -> Option<HashSet<String>> {
    let (bytes, is_whole) = reading::read_head(path).ok()?;
    Some(format.names(&Head { name: name_of(path), bytes: &bytes, is_whole }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(bundles: usize) -> tempfile::TempDir {
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
        assert!(!holds_several(folder_of(0).path()));
        assert!(!holds_several(folder_of(1).path()));
        assert!(holds_several(folder_of(2).path()));
        assert!(!holds_several(Path::new("no/such/folder")));
    }

    #[test]
    fn a_walk_ends_when_nobody_wants_more() {
        let folder = folder_of(5);
        let mut found = vec![];

        let is_whole = walk(folder.path(), &mut |run| {
            found.push(run);
            found.len() < 3
        });

        assert!(!is_whole);
        let names: Vec<&str> = found.iter().map(|path| name_of(path)).collect();
        assert_eq!(names, ["run-0", "run-1", "run-2"]);
    }

    #[test]
    fn what_a_killed_live_run_leaves_beside_its_bundle_is_no_run() {
        let folder = folder_of(1);
        let log = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        let leave = |name: &str| {
            let home = folder.path().join("deep").join(name).join("home");
            std::fs::create_dir_all(&home).unwrap();
            std::fs::write(home.join("s.jsonl"), log).unwrap();
        };
        leave("run-0.work");
        leave("elsewhere");
        assert_eq!(runs_below(folder.path()).len(), 2, "a folder that is nobody's holds a run");

        std::fs::write(folder.path().join("deep/elsewhere").join(WORK_MARK), "id").unwrap();

        assert_eq!(runs_below(folder.path()), [folder.path().join("deep/run-0")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_logs_are_logs_and_links_to_folders_are_not_followed() {
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
    }

    #[test]
    fn a_path_that_is_no_folder_stands_for_itself() {
        let mut found = vec![];
        walk(Path::new("no/such/file"), &mut |run| {
            found.push(run);
            true
        });
        assert_eq!(found, [PathBuf::from("no/such/file")]);
    }
}
