//! The agent's own logs: found by its driver's patterns, copied below `session/`, and cut back when a turn is done again.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use trajview_formats as formats;
use trajview_formats::{FileHead, HEAD_BYTES};
use trajview_store::write::{WriteError, replace_through};

use super::{drivers::LogFiles, secrets::Secrets};

/// One log, as it was when a turn was over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow {
    /// Its name below `session/`.
    pub name: String,
    /// Its path in the agent's folders.
    pub source: PathBuf,
    pub bytes: u64,
    pub lines: u32,
}

/// The result of copying logs.
#[derive(Debug, Default)]
pub struct CopiedLogs {
    pub rows: Vec<LogRow>,
    /// Names of logs in which a secret was covered.
    pub covered: Vec<String>,
    /// Sentences about logs that could not be copied.
    pub problems: Vec<String>,
}

/// The deepest folders that are searched.
const MAX_DEPTH: usize = 8;

/// The largest number of logs; an agent with more files has no logs of the kind we know.
const MAX_FILES: usize = 2_000;

/// Copies every log whole. Each copy appears under its name in one step.
pub fn copy_logs(
    places: &[LogFiles],
    bundle: &Path,
    secrets: &Secrets,
) -> Result<CopiedLogs, WriteError> {
    let mut copied = CopiedLogs::default();
    for (name, source) in find_logs(places) {
        let mut bytes = match read_from(&source, 0) {
            Ok(bytes) => bytes,
            Err(why) => {
                copied.problems.push(format!("session/{name} could not be copied: {why}"));
                continue;
            }
        };
        if secrets.cover(&mut bytes) {
            copied.covered.push(name.clone());
        }
        let path = bundle.join("session").join(&name);
        let same = fs::metadata(&path).is_ok_and(|meta| meta.len() == bytes.len() as u64)
            && fs::read(&path).is_ok_and(|there| there == bytes);
        if !same {
            make_parent(&path)?;
            // Not beside its name: every file in `session/` is read when the bundle is opened.
            replace_through(bundle, &path, &bytes)?;
        }
        let (count, lines) = (bytes.len() as u64, line_count(&bytes));
        copied.rows.push(LogRow { name, source, bytes: count, lines });
    }
    Ok(copied)
}

/// Returns whether no log has grown in the turn.
pub(crate) fn has_nothing_new(now: &[LogRow], before: &[LogRow]) -> bool {
    now.iter().all(|row| before.iter().any(|old| old.name == row.name && old.bytes == row.bytes))
}

/// Saves the output of a turn of an agent without a log, if there was any, with secrets covered.
pub(crate) fn keep_output(
    prompt_file: &Path,
    turn: usize,
    bundle: &Path,
) -> Result<Option<LogRow>, WriteError> {
    let source = prompt_file.with_extension("out");
    let Some(content) = read_from(&source, 0).ok().filter(|content| !content.is_empty()) else {
        return Ok(None);
    };
    let name = format!("{OUTPUT_PREFIX}{turn:03}.txt");
    let path = bundle.join("session").join(&name);
    make_parent(&path)?;
    replace_through(bundle, &path, &content)?;
    let (bytes, lines) = (content.len() as u64, line_count(&content));
    Ok(Some(LogRow { name, source, bytes, lines }))
}

/// Reads the output of a turn of an agent without a log, as far as it is shown; None when nothing was saved.
pub fn turn_output(bundle: &Path, turn: usize) -> Option<Vec<u8>> {
    let path = bundle.join("session").join(format!("{OUTPUT_PREFIX}{turn:03}.txt"));
    let mut bytes = vec![];
    open_regular(&path).ok()?.take(MAX_SHOWN_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Bytes of the output of a turn that are shown.
const MAX_SHOWN_BYTES: u64 = 1 << 20;

/// The beginning of the name of a turn's output.
const OUTPUT_PREFIX: &str = "output-turn-";

/// Copies the new lines of line-based logs, up to the last whole line; returns whether there were any.
pub(crate) fn copy_new_lines(places: &[LogFiles], bundle: &Path, secrets: &Secrets) -> bool {
    let mut grew = false;
    for (name, source) in find_logs(places).into_iter().filter(|(name, _)| name.ends_with(".jsonl"))
    {
        let path = bundle.join("session").join(name);
        grew |= make_parent(&path).is_ok()
            && append_new_lines(&source, &path, secrets).unwrap_or(false);
    }
    grew
}

fn append_new_lines(source: &Path, path: &Path, secrets: &Secrets) -> io::Result<bool> {
    let there = fs::metadata(path).map_or(0, |meta| meta.len());
    let mut bytes = read_from(source, there)?;
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Ok(false) };
    bytes.truncate(end + 1);
    secrets.cover(&mut bytes);
    let mut to = OpenOptions::new().append(true).create(true).open(path)?;
    to.write_all(&bytes)?;
    Ok(true)
}

/// The largest part of a log that is copied (bytes).
const MAX_LOG_BYTES: u64 = 2 << 30;

/// Finds every log: its name below `session/` and its path, sorted by name.
fn find_logs(places: &[LogFiles]) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = vec![];
    for place in places {
        let glob = GlobBuilder::new(&place.pattern).literal_separator(true).build();
        let Ok(glob) = glob else { continue }; // a driver's pattern was looked at before anything began
        let mut paths = vec![];
        collect_paths(&place.folder, Path::new(""), &glob.compile_matcher(), 0, &mut paths);
        for inner in paths {
            let own = inner.file_name().map(PathBuf::from).unwrap_or_default();
            let name = if place.is_flat { own } else { inner.clone() };
            let mut name = name.to_string_lossy().replace('\\', "/");
            if found.iter().any(|(other, _)| *other == name) {
                name = inner.to_string_lossy().replace(['/', '\\'], "-");
            }
            found.push((name, place.folder.join(&inner)));
        }
    }
    found.sort();
    found
}

fn collect_paths(
    root: &Path,
    inner: &Path,
    glob: &GlobMatcher,
    depth: usize,
    found: &mut Vec<PathBuf>,
) {
    for entry in fs::read_dir(root.join(inner)).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = inner.join(entry.file_name());
        if kind.is_dir() && depth < MAX_DEPTH {
            collect_paths(root, &path, glob, depth + 1, found);
        } else if kind.is_file() && glob.is_match(&path) && found.len() < MAX_FILES {
            found.push(path);
        }
    }
}

/// Opens a file for reading. Fails where it is a link, also one that is put there meanwhile, or not a regular file; does
/// not wait for the writer of a pipe.
fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits() as i32);
    }
    let is_link = !cfg!(unix) && fs::symlink_metadata(path)?.is_symlink();
    let file = options.read(true).open(path)?;
    match file.metadata()?.is_file() && !is_link {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

fn make_parent(path: &Path) -> Result<(), WriteError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(WriteError::at_path(parent))
}

fn line_count(bytes: &[u8]) -> u32 {
    let has_tail = bytes.last().is_some_and(|last| *last != b'\n');
    let count = memchr::memchr_iter(b'\n', bytes).count() + usize::from(has_tail);
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Watches line-based logs for the turns of an agent in a terminal, from turn to turn.
#[derive(Debug)]
pub struct LogWatch {
    places: Vec<LogFiles>,
    matcher: LogMatcher,
    /// The length of each log that was read (bytes).
    read_lengths: BTreeMap<PathBuf, u64>,
    /// The log in which the turn ended.
    over: Option<PathBuf>,
    /// Prompts in the turn: its own, and those that a person sent during it.
    prompts: Vec<String>,
    next: Option<BegunTurn>,
}

/// The patterns of [`super::drivers::TurnEndSign::Log`], and the function that finds a prompt in a line.
#[derive(Debug)]
pub struct LogMatcher {
    pub ends: Regex,
    pub begins: Regex,
    pub goes_on: Option<Regex>,
    pub prompt_of: fn(&str) -> Option<String>,
}

/// The longest time that a turn's prompt may take to appear after its beginning.
const PROMPT_WITHIN: Duration = Duration::from_secs(1);

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A turn that the agent began by itself, with a queued prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunTurn {
    /// The log that has it.
    pub source: PathBuf,
    /// The offset of its first line (bytes).
    pub bytes: u64,
    /// Its prompt; None when the log does not have it yet.
    pub prompt: Option<String>,
}

/// The state of the turn under way in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnLogState {
    UnderWay,
    Over,
    /// The turn is over, and the agent has begun another one by itself.
    OverAndOn,
}

impl LogWatch {
    /// Starts at the present end of the logs.
    pub fn new(places: Vec<LogFiles>, words: LogMatcher) -> Self {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |meta| meta.len());
        let seen =
            find_logs(&places).into_iter().map(|(_, path)| (path.clone(), size(&path))).collect();
        Self { places, matcher: words, read_lengths: seen, over: None, prompts: vec![], next: None }
    }

    /// Starts the next turn: lines from now on belong to it, those of a turn that the agent has begun by itself included.
    pub(crate) fn start_turn(&mut self) {
        (self.over, self.next) = (None, None);
        self.prompts.clear();
    }

    /// Reads the new lines of all logs.
    pub fn read_new_lines(&mut self) -> TurnLogState {
        for (_, path) in find_logs(&self.places) {
            self.read_lines(path);
        }
        match (&self.over, &self.next) {
            (None, _) => TurnLogState::UnderWay,
            (Some(_), None) => TurnLogState::Over,
            (Some(_), Some(_)) => TurnLogState::OverAndOn,
        }
    }

    /// Waits for the prompt of a turn, which is written a moment after the line that begins the turn.
    pub(crate) fn wait_for_prompt(&mut self) {
        let end = Instant::now() + PROMPT_WITHIN;
        while self.next.as_ref().is_some_and(|it| it.prompt.is_none()) && Instant::now() < end {
            thread::sleep(POLL_INTERVAL);
            self.read_new_lines();
        }
    }

    /// Returns the turn that the agent has begun since the last one was over, with a prompt that a person sent.
    pub(crate) fn begun_turn(&mut self) -> Option<BegunTurn> {
        find_logs(&self.places).into_iter().find_map(|(_, path)| self.first_beginning(path))
    }

    /// Finds the first line that begins a turn; lines before it belong to no turn.
    fn first_beginning(&mut self, path: PathBuf) -> Option<BegunTurn> {
        let mut at = self.read_lengths.get(&path).copied().unwrap_or(0);
        let bytes = read_from(&path, at).unwrap_or_default();
        let mut lines =
            bytes.split_inclusive(|byte| *byte == b'\n').filter(|it| it.ends_with(b"\n"));
        let prompt_of = |line: &[u8]| (self.matcher.prompt_of)(&String::from_utf8_lossy(line));
        let mut begun = None;
        while let Some(line) = lines.next() {
            if self.matcher.begins.is_match(line) {
                let prompt = prompt_of(line).or_else(|| lines.find_map(prompt_of));
                begun = Some(BegunTurn { source: path.clone(), bytes: at, prompt });
                break;
            }
            at += line.len() as u64;
        }
        self.read_lengths.insert(path, at);
        begun
    }

    /// Returns the prompts that the agent took into the turn, and the turn that it began by itself.
    pub(crate) fn prompts_and_next(&self) -> (&[String], Option<&BegunTurn>) {
        (self.prompts.get(1..).unwrap_or_default(), self.next.as_ref())
    }

    /// Reads the new whole lines of a log. A line that begins another turn is the last one, and is read again next time.
    fn read_lines(&mut self, path: PathBuf) {
        let mut at = self.read_lengths.get(&path).copied().unwrap_or(0);
        let bytes = read_from(&path, at).unwrap_or_default();
        let mut lines =
            bytes.split_inclusive(|byte| *byte == b'\n').filter(|it| it.ends_with(b"\n"));
        let prompt_of = |line: &[u8]| (self.matcher.prompt_of)(&String::from_utf8_lossy(line));
        while let Some(line) = lines.next() {
            if self.over.as_ref() == Some(&path) && self.matcher.begins.is_match(line) {
                let prompt = prompt_of(line).or_else(|| lines.find_map(prompt_of));
                self.next = Some(BegunTurn { source: path.clone(), bytes: at, prompt });
                break;
            }
            if self.matcher.goes_on.as_ref().is_some_and(|goes_on| goes_on.is_match(line)) {
                self.over = None;
            } else if self.matcher.ends.is_match(line) {
                self.over = Some(path.clone());
            } else if self.over.is_none() {
                let prompt = prompt_of(line).filter(|prompt| self.prompts.last() != Some(prompt));
                self.prompts.extend(prompt); // some versions write it twice
            }
            at += line.len() as u64;
        }
        self.read_lengths.insert(path, at);
    }
}

/// Cuts the log of a turn after which the agent went on by itself: it ends where the next turn begins.
pub(crate) fn cut_before(
    rows: &mut [LogRow],
    next: &BegunTurn,
    bundle: &Path,
) -> Result<(), WriteError> {
    for row in rows.iter_mut().filter(|row| row.source == next.source && row.bytes > next.bytes) {
        let path = bundle.join("session").join(&row.name);
        let mut bytes = read_from(&path, 0).map_err(WriteError::at_path(&path))?;
        bytes.truncate(usize::try_from(next.bytes).unwrap_or(usize::MAX));
        (row.bytes, row.lines) = (next.bytes, line_count(&bytes));
    }
    Ok(())
}

fn read_from(path: &Path, start: u64) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![];
    file.take(MAX_LOG_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Saves the logs that are documents as the bundle has them before a turn: an attempt that does not count overwrites them,
/// and a document cannot be cut back. Those of the turn before stay too.
pub(crate) fn keep_documents(
    rows: &[LogRow],
    bundle: &Path,
    documents: &KeptDocuments,
) -> Result<(), WriteError> {
    let folder = documents.turn_folder();
    for row in rows.iter().filter(|row| is_document(&row.name)) {
        let copy = bundle.join("session").join(&row.name);
        let is_it = fs::metadata(&copy).is_ok_and(|meta| meta.len() == row.bytes);
        if is_it && documents.read_document(row).is_none() {
            fs::create_dir_all(&folder).map_err(WriteError::at_path(&folder))?;
            let to = folder.join(kept_name(row));
            fs::copy(&copy, &to).map_err(WriteError::at_path(&to))?;
        }
    }
    let _ = fs::remove_dir_all(documents.folder_two_before()); // it may well not be there
    Ok(())
}

/// The saved documents of the state before a turn.
#[derive(Debug, Clone)]
pub struct KeptDocuments {
    root: PathBuf,
    turn: usize,
}

impl KeptDocuments {
    /// Prepares for a turn; `requests` is a folder in which the agent does not work.
    pub(crate) fn before_turn(turn: usize, requests: &Path) -> Self {
        Self { root: requests.join("documents"), turn }
    }

    fn turn_folder(&self) -> PathBuf {
        self.root.join(self.turn.to_string())
    }

    fn folder_two_before(&self) -> PathBuf {
        self.root.join(self.turn.saturating_sub(2).to_string())
    }

    /// Reads a document as it was; None when it was not saved.
    fn read_document(&self, row: &LogRow) -> Option<Vec<u8>> {
        let content = fs::read(self.turn_folder().join(kept_name(row))).ok()?;
        (content.len() as u64 == row.bytes).then_some(content)
    }
}

fn kept_name(row: &LogRow) -> String {
    row.name.replace('/', "%")
}

/// Restores the agent's logs: longer ones are cut, documents are put back, new ones are removed. The bundle's copies
/// follow.
pub(crate) fn restore_logs(
    places: &[LogFiles],
    before: &[LogRow],
    bundle: &Path,
    documents: &KeptDocuments,
) -> Result<(), WriteError> {
    for (name, source) in find_logs(places) {
        let row = before.iter().find(|row| row.name == name);
        let failed = WriteError::at_path(&source);
        match row {
            None => fs::remove_file(&source).map_err(failed)?,
            Some(row) if is_document(&name) => {
                restore_document(&source, row, bundle, documents).map_err(failed)?;
            }
            Some(row) => truncate_file(&source, row.bytes).map_err(failed)?,
        }
    }
    restore_copies(before, bundle, documents)
}

/// Returns whether a log is rewritten as a whole each time, so that a part of it cannot be read.
fn is_document(name: &str) -> bool {
    name.ends_with(".json")
}

/// Restores the content of a document, if that was saved or is in the bundle.
fn restore_document(
    source: &Path,
    row: &LogRow,
    bundle: &Path,
    kept: &KeptDocuments,
) -> io::Result<()> {
    let content = match kept.read_document(row) {
        Some(content) => content,
        None => fs::read(bundle.join("session").join(&row.name))?,
    };
    let is_it = content.len() as u64 == row.bytes;
    if is_it && fs::read(source)? != content {
        fs::write(source, content)?;
    }
    Ok(())
}

/// Restores the bundle's copies.
pub(crate) fn restore_copies(
    before: &[LogRow],
    bundle: &Path,
    documents: &KeptDocuments,
) -> Result<(), WriteError> {
    let folder = bundle.join("session");
    let mut names = vec![];
    let Ok(every) = GlobBuilder::new("**").build() else { return Ok(()) };
    collect_paths(&folder, Path::new(""), &every.compile_matcher(), 0, &mut names);
    for name in names {
        let shown = name.to_string_lossy().replace('\\', "/");
        let path = folder.join(&name);
        let failed = WriteError::at_path(&path);
        match before.iter().find(|row| row.name == shown) {
            Some(row) if is_document(&shown) => {
                let is_it = fs::metadata(&path).is_ok_and(|meta| meta.len() == row.bytes);
                if let Some(content) = documents.read_document(row).filter(|_| !is_it) {
                    replace_through(bundle, &path, &content)?;
                }
            }
            Some(row) => truncate_file(&path, row.bytes).map_err(failed)?,
            None if shown.ends_with(".cast") => {} // what the terminal showed did happen
            None => fs::remove_file(&path).map_err(failed)?,
        }
    }
    Ok(())
}

fn truncate_file(path: &Path, bytes: u64) -> io::Result<()> {
    if fs::symlink_metadata(path)?.len() > bytes {
        OpenOptions::new().write(true).open(path)?.set_len(bytes)?;
    }
    Ok(())
}

/// Returns the log of a turn: one that a format reads, has grown and is no part of another one; first that of the session,
/// then the one of the turn before: Gemini begins another file in each minute, and does not write into it.
pub fn main_log<'a>(
    now: &'a [LogRow],
    before: &[LogRow],
    (session, last): (Option<&str>, Option<&str>),
    bundle: &Path,
) -> Option<&'a LogRow> {
    let has_grown = |row: &&LogRow| {
        let old = before.iter().find(|old| old.name == row.name);
        old.is_none_or(|old| row.lines > old.lines)
    };
    let read: Vec<(&LogRow, LogHead)> = now
        .iter()
        .filter(has_grown)
        .filter_map(|row| Some((row, LogHead::read_head(bundle, &row.name)?)))
        .collect();
    let is_part = |row: &LogRow, opening: &LogHead| {
        let others = read.iter().filter(|(other, _)| other.name != row.name);
        let mut heads = others.map(|(_, other)| other);
        heads.any(|other| other.is_main_of(opening))
    };
    let mains: Vec<&LogRow> =
        read.iter().filter(|(row, it)| !is_part(row, it)).map(|(row, _)| *row).collect();
    let of_session = |row: &&&LogRow| session.is_some_and(|id| row.name.contains(id));
    let of_last = |row: &&&LogRow| last == Some(row.name.as_str());
    let found = mains.iter().find(of_session).or_else(|| mains.iter().find(of_last));
    found.or(mains.last()).copied()
}

/// Returns the bundle's logs that no format reads, though their names look like logs; `check` warns of them.
pub(crate) fn unreadable_logs(rows: &[LogRow], bundle: &Path) -> Vec<String> {
    let is_log = |name: &str| {
        [".jsonl", ".json"].iter().any(|ending| name.ends_with(ending))
            || name.starts_with(OUTPUT_PREFIX)
    };
    let unread = rows
        .iter()
        .filter(|row| is_log(&row.name) && LogHead::read_head(bundle, &row.name).is_none());
    unread.map(|row| format!("session/{}", row.name)).collect()
}

/// The first bytes of a log, and the format that reads it.
struct LogHead {
    name: String,
    bytes: Vec<u8>,
    is_whole: bool,
    format: &'static dyn formats::Format,
}

impl LogHead {
    fn read_head(bundle: &Path, name: &str) -> Option<Self> {
        let file = File::open(bundle.join("session").join(name)).ok()?;
        let is_whole = file.metadata().ok()?.len() <= HEAD_BYTES as u64;
        let mut bytes = vec![];
        file.take(HEAD_BYTES as u64).read_to_end(&mut bytes).ok()?;
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        let head = FileHead { name: &name, bytes: &bytes, is_whole };
        let format =
            formats::format_for_head(&head).filter(|format| format.capabilities().is_log())?;
        Some(Self { name, bytes, is_whole, format })
    }

    fn file_head(&self) -> FileHead<'_> {
        FileHead { name: &self.name, bytes: &self.bytes, is_whole: self.is_whole }
    }

    fn is_main_of(&self, other: &Self) -> bool {
        self.format.name() == other.format.name()
            && self.format.is_companion(&self.file_head(), &other.file_head())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_place() -> (tempfile::TempDir, tempfile::TempDir, Vec<LogFiles>) {
        let (home, bundle) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path().join("a/b")).unwrap();
        let folder = home.path().to_owned();
        let logs = vec![LogFiles { folder, pattern: "**/*.jsonl".into(), is_flat: true }];
        (home, bundle, logs)
    }

    #[test]
    fn logs_are_copied_byte_for_byte_but_for_secrets() {
        let (home, bundle, places) = sample_place();
        fs::write(home.path().join("a/b/one.jsonl"), "{}\n{\"k\": \"key-0123456789\"}").unwrap();
        fs::write(home.path().join("a/two.jsonl"), b"{}\r\n\xff\n").unwrap();
        let secrets = Secrets::new(["key-0123456789".to_owned()]);

        let copied = copy_logs(&places, bundle.path(), &secrets).unwrap();

        let rows = copied.rows.iter().map(|it| (it.name.as_str(), it.bytes, it.lines));
        let rows = rows.collect::<Vec<_>>();
        assert_eq!(rows, [("one.jsonl", 26, 2), ("two.jsonl", 6, 2)]);
        assert_eq!(copied.covered, ["one.jsonl"]);
        let one = fs::read_to_string(bundle.path().join("session/one.jsonl")).unwrap();
        assert_eq!(one, "{}\n{\"k\": \"**************\"}");
    }

    #[test]
    fn a_log_that_is_a_document_is_put_back_as_a_whole() {
        let (home, bundle, mut places) = sample_place();
        places[0].pattern = "**/*.json".into();
        let source = home.path().join("a/run.json");
        fs::write(&source, "{\"turns\": 1}").unwrap();
        let before = copy_logs(&places, bundle.path(), &Secrets::default()).unwrap().rows;
        fs::write(&source, "{\"turns\": 2, \"more\": true}").unwrap();

        restore_logs(&places, &before, bundle.path(), &KeptDocuments::before_turn(2, home.path()))
            .unwrap();

        assert_eq!(fs::read_to_string(&source).unwrap(), "{\"turns\": 1}");
    }

    /// The bundle once kept the failed attempt, and counted it with the one that was made after it.
    #[test]
    fn a_document_that_an_attempt_has_written_over_is_put_back_here_and_in_the_bundle() {
        let (home, bundle, mut places) = sample_place();
        places[0].pattern = "**/*.traj.json".into();
        let source = home.path().join("a/run.traj.json");
        let copied = || fs::read_to_string(bundle.path().join("session/run.traj.json")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let requests = elsewhere.path().join("requests");
        for turn in 1..5 {
            fs::write(&source, "1".repeat(turn)).unwrap();
            let before = copy_logs(&places, bundle.path(), &Secrets::default()).unwrap().rows;
            let kept = KeptDocuments::before_turn(turn + 1, &requests);
            keep_documents(&before, bundle.path(), &kept).unwrap();
            fs::write(&source, "a longer one that failed").unwrap();
            copy_logs(&places, bundle.path(), &Secrets::default()).unwrap();

            restore_logs(&places, &before, bundle.path(), &kept).unwrap();

            assert_eq!(
                (fs::read_to_string(&source).unwrap(), copied()),
                ("1".repeat(turn), "1".repeat(turn))
            );
        }
        let folders = fs::read_dir(requests.join("documents")).unwrap().count();
        assert_eq!(folders, 2, "those of turns long past are gone");
    }

    #[test]
    fn a_log_grows_by_whole_lines_and_is_cut_back() {
        let (home, bundle, places) = sample_place();
        let source = home.path().join("a/one.jsonl");
        fs::write(&source, "1\n2").unwrap();
        let secrets = Secrets::default();
        assert!(copy_new_lines(&places, bundle.path(), &secrets));
        assert!(!copy_new_lines(&places, bundle.path(), &secrets));
        let before = copy_logs(&places, bundle.path(), &secrets).unwrap().rows;
        fs::write(&source, "1\n2\n3\n").unwrap();
        fs::write(home.path().join("new.jsonl"), "x").unwrap();
        copy_logs(&places, bundle.path(), &secrets).unwrap();

        restore_logs(&places, &before, bundle.path(), &KeptDocuments::before_turn(2, home.path()))
            .unwrap();

        assert_eq!(fs::read(&source).unwrap(), b"1\n2");
        assert_eq!(copy_logs(&places, bundle.path(), &secrets).unwrap().rows, before);
        assert_eq!(fs::read_dir(bundle.path().join("session")).unwrap().count(), 1);
    }

    /// Lines are words: `begin`, `over`, and `ask` before a prompt.
    fn log_watch(places: Vec<LogFiles>) -> LogWatch {
        let words = LogMatcher {
            ends: Regex::new("^over\n$").unwrap(),
            goes_on: None,
            begins: Regex::new("^begin\n$").unwrap(),
            prompt_of: |line| line.trim_end().strip_prefix("ask ").map(str::to_owned),
        };
        LogWatch::new(places, words)
    }

    #[test]
    fn a_line_that_ends_a_turn_is_found_once_it_is_whole() {
        let (home, _bundle, places) = sample_place();
        let source = home.path().join("a/one.jsonl");
        fs::write(&source, "over\n").unwrap();
        let mut watch = log_watch(places);
        assert_eq!(watch.read_new_lines(), TurnLogState::UnderWay);
        fs::write(&source, "over\nmore\nov").unwrap();
        assert_eq!(watch.read_new_lines(), TurnLogState::UnderWay);
        fs::write(&source, "over\nmore\nover\n").unwrap();
        assert_eq!(
            (watch.read_new_lines(), watch.read_new_lines()),
            (TurnLogState::Over, TurnLogState::Over)
        );
        watch.start_turn();
        assert_eq!(watch.read_new_lines(), TurnLogState::UnderWay);
    }

    #[test]
    fn a_prompt_that_the_agent_kept_begins_a_turn_and_one_that_it_took_in_does_not() {
        let (home, bundle, places) = sample_place();
        let source = home.path().join("a/one.jsonl");
        let mut watch = log_watch(places.clone());
        let first = "begin\nask one\nask more\nover\nusage\n";
        fs::write(&source, format!("{first}begin\n")).unwrap();
        assert_eq!(watch.read_new_lines(), TurnLogState::OverAndOn);
        fs::write(&source, format!("{first}begin\nask two\nover\n")).unwrap();

        assert_eq!(watch.read_new_lines(), TurnLogState::OverAndOn);

        let (within, next) = watch.prompts_and_next();
        let (bytes, prompt) = (first.len() as u64, Some("two".to_owned()));
        let next = next.unwrap().clone();
        assert_eq!(within, ["more"]);
        assert_eq!(next, BegunTurn { source, bytes, prompt });
        let mut rows = copy_logs(&places, bundle.path(), &Secrets::default()).unwrap().rows;
        cut_before(&mut rows, &next, bundle.path()).unwrap();
        assert_eq!((rows[0].bytes, rows[0].lines), (bytes, 5));
        watch.start_turn();
        assert_eq!(
            (watch.read_new_lines(), watch.prompts_and_next()),
            (TurnLogState::Over, (&[][..], None))
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_log_is_not_followed() {
        let (home, bundle, places) = sample_place();
        std::os::unix::fs::symlink("/etc/passwd", home.path().join("x.jsonl")).unwrap();
        let copied = copy_logs(&places, bundle.path(), &Secrets::default()).unwrap();
        assert_eq!(copied.rows, []);
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_opened_and_a_pipe_without_a_writer_does_not_block() {
        let (home, _bundle, _places) = sample_place();
        let at = |name: &str| home.path().join(name);
        fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(status.success());
        assert_eq!(read_from(&at("file"), 1).unwrap(), b"ext");
        for name in ["link", "dangling", "pipe", "nothing"] {
            assert!(open_regular(&at(name)).is_err(), "{name}");
        }
        assert!(open_regular(home.path()).is_err());
    }
}
