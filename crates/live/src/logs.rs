//! The agent's own logs: found where its driver says, copied below `session/`, and cut back when a turn is done again.

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
use trajview_formats::{HEAD_BYTES, Head};
use trajview_store::write::{WriteError, replace_through};

use super::{drivers::Logs, secrets::Secrets};

/// One log, as it was when a turn was over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow {
    /// Below `session/`.
    pub name: String,
    /// Where the agent keeps it.
    pub source: PathBuf,
    pub bytes: u64,
    pub lines: u32,
}

/// What copying found.
#[derive(Debug, Default)]
pub struct Copied {
    pub rows: Vec<LogRow>,
    /// Names of those in which a secret was covered.
    pub covered: Vec<String>,
    /// Sentences about those that could not be copied.
    pub problems: Vec<String>,
}

/// Deeper folders are not looked into.
const MOST_DEEP: usize = 8;

/// An agent with more files than this has no logs of the kind we know.
const MOST_FILES: usize = 2_000;

/// Copies every log whole. Each takes its name in one step.
pub fn copy(places: &[Logs], bundle: &Path, secrets: &Secrets) -> Result<Copied, WriteError> {
    let mut copied = Copied::default();
    for (name, source) in find(places) {
        let mut bytes = match read(&source) {
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
            // Not beside its name: what lies in `session/` is read by whoever opens the bundle.
            replace_through(bundle, &path, &bytes)?;
        }
        let (count, lines) = (bytes.len() as u64, lines_of(&bytes));
        copied.rows.push(LogRow { name, source, bytes: count, lines });
    }
    Ok(copied)
}

/// Whether no log says anything of the turn.
pub fn is_silent(now: &[LogRow], before: &[LogRow]) -> bool {
    now.iter().all(|row| before.iter().any(|old| old.name == row.name && old.bytes == row.bytes))
}

/// Keeps what an agent without a log printed in a turn, where it printed anything. It lies beside the request, covered.
pub fn keep_output(
    prompt_file: &Path,
    turn: usize,
    bundle: &Path,
) -> Result<Option<LogRow>, WriteError> {
    let source = prompt_file.with_extension("out");
    let Some(content) = read(&source).ok().filter(|content| !content.is_empty()) else {
        return Ok(None);
    };
    let name = format!("{OUTPUT}{turn:03}.txt");
    let path = bundle.join("session").join(&name);
    make_parent(&path)?;
    replace_through(bundle, &path, &content)?;
    let (bytes, lines) = (content.len() as u64, lines_of(&content));
    Ok(Some(LogRow { name, source, bytes, lines }))
}

/// What an agent without a log printed in a turn, as far as it is shown; None where nothing was kept.
pub fn output_of(bundle: &Path, turn: usize) -> Option<Vec<u8>> {
    let path = bundle.join("session").join(format!("{OUTPUT}{turn:03}.txt"));
    let mut bytes = vec![];
    open_plain(&path).ok()?.take(MOST_SHOWN).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Bytes of the output of a turn that are shown.
const MOST_SHOWN: u64 = 1 << 20;

/// How the name of a turn's output begins.
const OUTPUT: &str = "output-turn-";

/// Copies what logs of lines have gained, up to the last whole line; whether there was anything.
pub fn grow(places: &[Logs], bundle: &Path, secrets: &Secrets) -> bool {
    let mut grew = false;
    for (name, source) in find(places).into_iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let path = bundle.join("session").join(name);
        grew |= make_parent(&path).is_ok() && append(&source, &path, secrets).unwrap_or(false);
    }
    grew
}

fn append(source: &Path, path: &Path, secrets: &Secrets) -> io::Result<bool> {
    let there = fs::metadata(path).map_or(0, |meta| meta.len());
    let mut from = open_plain(source)?;
    if from.metadata()?.len() <= there {
        return Ok(false);
    }
    from.seek(SeekFrom::Start(there))?;
    let mut bytes = vec![];
    from.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Ok(false) };
    bytes.truncate(end + 1);
    secrets.cover(&mut bytes);
    let mut to = OpenOptions::new().append(true).create(true).open(path)?;
    to.write_all(&bytes)?;
    Ok(true)
}

/// A longer log is copied as far as this.
const MOST_BYTES: u64 = 2 << 30;

/// Name below `session/` and place of every log there is, sorted by name.
fn find(places: &[Logs]) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = vec![];
    for place in places {
        let glob = GlobBuilder::new(&place.pattern).literal_separator(true).build();
        let Ok(glob) = glob else { continue }; // a driver's pattern was looked at before anything began
        let mut paths = vec![];
        collect(&place.folder, Path::new(""), &glob.compile_matcher(), 0, &mut paths);
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

fn collect(root: &Path, inner: &Path, glob: &GlobMatcher, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(inner)).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = inner.join(entry.file_name());
        if kind.is_dir() && depth < MOST_DEEP {
            collect(root, &path, glob, depth + 1, found);
        } else if kind.is_file() && glob.is_match(&path) && found.len() < MOST_FILES {
            found.push(path);
        }
    }
}

/// A link in the place of a log is not followed.
fn open_plain(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = vec![];
    open_plain(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(|why| why.to_string())?;
    Ok(bytes)
}

fn make_parent(path: &Path) -> Result<(), WriteError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(WriteError::at(parent))
}

fn lines_of(bytes: &[u8]) -> u32 {
    let has_tail = bytes.last().is_some_and(|last| *last != b'\n');
    let count = memchr::memchr_iter(b'\n', bytes).count() + usize::from(has_tail);
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What logs of lines say of the turns of an agent in a terminal, from turn to turn.
#[derive(Debug)]
pub struct Watch {
    places: Vec<Logs>,
    words: LogWords,
    /// How far each was looked at (bytes).
    seen: BTreeMap<PathBuf, u64>,
    /// The log in which the turn ended.
    over: Option<PathBuf>,
    /// Prompts in the turn: its own, and what a person sent while it was under way.
    prompts: Vec<String>,
    next: Option<Begun>,
}

/// The patterns of [`super::drivers::End::Log`], and what finds a prompt in a line.
#[derive(Debug)]
pub struct LogWords {
    pub ends: Regex,
    pub begins: Regex,
    pub goes_on: Option<Regex>,
    pub prompt_of: fn(&str) -> Option<String>,
}

/// How long after its beginning a turn's prompt is waited for.
const PROMPT_WITHIN: Duration = Duration::from_secs(1);

const BEAT: Duration = Duration::from_millis(20);

/// A turn that the agent began by itself, with a prompt that it had kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The log it stands in.
    pub source: PathBuf,
    /// Where its first line starts.
    pub bytes: u64,
    /// None where the log does not say it yet.
    pub prompt: Option<String>,
}

/// How far the turn under way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    UnderWay,
    Over,
    /// And the agent has begun another one by itself.
    OverAndOn,
}

impl Watch {
    /// What is there already does not count.
    pub fn new(places: Vec<Logs>, words: LogWords) -> Self {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |meta| meta.len());
        let seen = find(&places).into_iter().map(|(_, path)| (path.clone(), size(&path))).collect();
        Self { places, words, seen, over: None, prompts: vec![], next: None }
    }

    /// What comes from now on is the next turn, what the agent has begun by itself included.
    pub fn begin(&mut self) {
        (self.over, self.next) = (None, None);
        self.prompts.clear();
    }

    /// Reads what came since it was last asked.
    pub fn look(&mut self) -> Says {
        for (_, path) in find(&self.places) {
            self.read(path);
        }
        match (&self.over, &self.next) {
            (None, _) => Says::UnderWay,
            (Some(_), None) => Says::Over,
            (Some(_), Some(_)) => Says::OverAndOn,
        }
    }

    /// The prompt of a turn is written a moment after the line that begins it.
    pub fn wait_for_prompt(&mut self) {
        let end = Instant::now() + PROMPT_WITHIN;
        while self.next.as_ref().is_some_and(|it| it.prompt.is_none()) && Instant::now() < end {
            thread::sleep(BEAT);
            self.look();
        }
    }

    /// The turn that the agent has begun since the last one was over, with a prompt that a person sent.
    pub fn begun(&mut self) -> Option<Begun> {
        find(&self.places).into_iter().find_map(|(_, path)| self.first_beginning(path))
    }

    /// What comes before it does not belong to any turn.
    fn first_beginning(&mut self, path: PathBuf) -> Option<Begun> {
        let mut at = self.seen.get(&path).copied().unwrap_or(0);
        let bytes = read_from(&path, at).unwrap_or_default();
        let mut lines =
            bytes.split_inclusive(|byte| *byte == b'\n').filter(|it| it.ends_with(b"\n"));
        let prompt_of = |line: &[u8]| (self.words.prompt_of)(&String::from_utf8_lossy(line));
        let mut begun = None;
        while let Some(line) = lines.next() {
            if self.words.begins.is_match(line) {
                let prompt = prompt_of(line).or_else(|| lines.find_map(prompt_of));
                begun = Some(Begun { source: path.clone(), bytes: at, prompt });
                break;
            }
            at += line.len() as u64;
        }
        self.seen.insert(path, at);
        begun
    }

    /// What a person sent and the agent took into the turn, and the turn that the agent began by itself.
    pub fn found(&self) -> (&[String], Option<&Begun>) {
        (self.prompts.get(1..).unwrap_or_default(), self.next.as_ref())
    }

    /// Whole lines only. A line that begins another turn is the last that is looked at, again and again.
    fn read(&mut self, path: PathBuf) {
        let mut at = self.seen.get(&path).copied().unwrap_or(0);
        let bytes = read_from(&path, at).unwrap_or_default();
        let mut lines =
            bytes.split_inclusive(|byte| *byte == b'\n').filter(|it| it.ends_with(b"\n"));
        let prompt_of = |line: &[u8]| (self.words.prompt_of)(&String::from_utf8_lossy(line));
        while let Some(line) = lines.next() {
            if self.over.as_ref() == Some(&path) && self.words.begins.is_match(line) {
                let prompt = prompt_of(line).or_else(|| lines.find_map(prompt_of));
                self.next = Some(Begun { source: path.clone(), bytes: at, prompt });
                break;
            }
            if self.words.goes_on.as_ref().is_some_and(|goes_on| goes_on.is_match(line)) {
                self.over = None;
            } else if self.words.ends.is_match(line) {
                self.over = Some(path.clone());
            } else if self.over.is_none() {
                let prompt = prompt_of(line).filter(|prompt| self.prompts.last() != Some(prompt));
                self.prompts.extend(prompt); // some versions write it twice
            }
            at += line.len() as u64;
        }
        self.seen.insert(path, at);
    }
}

/// A log of a turn that the agent went on from by itself: it ends where the next turn begins.
pub fn end_before(rows: &mut [LogRow], next: &Begun, bundle: &Path) -> Result<(), WriteError> {
    for row in rows.iter_mut().filter(|row| row.source == next.source && row.bytes > next.bytes) {
        let path = bundle.join("session").join(&row.name);
        let mut bytes = read(&path).map_err(WriteError::at(&path))?;
        bytes.truncate(usize::try_from(next.bytes).unwrap_or(usize::MAX));
        (row.bytes, row.lines) = (next.bytes, lines_of(&bytes));
    }
    Ok(())
}

fn read_from(path: &Path, start: u64) -> io::Result<Vec<u8>> {
    let mut file = open_plain(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![];
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Keeps the logs that are documents as the bundle has them before a turn: an attempt that does not count writes over them, and nothing
/// of a document can be cut off. Those of the turn before stay too.
pub fn keep_documents(rows: &[LogRow], bundle: &Path, kept: &Kept) -> Result<(), WriteError> {
    let folder = kept.folder();
    for row in rows.iter().filter(|row| is_document(&row.name)) {
        let copy = bundle.join("session").join(&row.name);
        let is_it = fs::metadata(&copy).is_ok_and(|meta| meta.len() == row.bytes);
        if is_it && kept.of(row).is_none() {
            fs::create_dir_all(&folder).map_err(WriteError::at(&folder))?;
            let to = folder.join(kept_name(row));
            fs::copy(&copy, &to).map_err(WriteError::at(&to))?;
        }
    }
    let _ = fs::remove_dir_all(kept.two_before()); // it may well not be there
    Ok(())
}

/// Where documents are kept as they were before a turn.
#[derive(Debug, Clone)]
pub struct Kept {
    root: PathBuf,
    turn: usize,
}

impl Kept {
    /// `requests` is a folder that the agent does not work in.
    pub fn before(turn: usize, requests: &Path) -> Self {
        Self { root: requests.join("documents"), turn }
    }

    fn folder(&self) -> PathBuf {
        self.root.join(self.turn.to_string())
    }

    fn two_before(&self) -> PathBuf {
        self.root.join(self.turn.saturating_sub(2).to_string())
    }

    /// A document as it was; None where it was not kept.
    fn of(&self, row: &LogRow) -> Option<Vec<u8>> {
        let content = fs::read(self.folder().join(kept_name(row))).ok()?;
        (content.len() as u64 == row.bytes).then_some(content)
    }
}

fn kept_name(row: &LogRow) -> String {
    row.name.replace('/', "%")
}

/// Makes the agent's logs what they were: longer ones are cut, documents put back, new ones go. What the bundle has of them goes
/// along.
pub fn cut_back(
    places: &[Logs],
    before: &[LogRow],
    bundle: &Path,
    kept: &Kept,
) -> Result<(), WriteError> {
    for (name, source) in find(places) {
        let row = before.iter().find(|row| row.name == name);
        let failed = WriteError::at(&source);
        match row {
            None => fs::remove_file(&source).map_err(failed)?,
            Some(row) if is_document(&name) => {
                put_back(&source, row, bundle, kept).map_err(failed)?;
            }
            Some(row) => cut(&source, row.bytes).map_err(failed)?,
        }
    }
    cut_copies(before, bundle, kept)
}

/// Whether a log is written anew as a whole each time, so that a part of it is nothing.
fn is_document(name: &str) -> bool {
    name.ends_with(".json")
}

/// Gives a log that is a document the content that it had, where that was kept or is what the bundle has.
fn put_back(source: &Path, row: &LogRow, bundle: &Path, kept: &Kept) -> io::Result<()> {
    let content = match kept.of(row) {
        Some(content) => content,
        None => fs::read(bundle.join("session").join(&row.name))?,
    };
    let is_it = content.len() as u64 == row.bytes;
    if is_it && fs::read(source)? != content {
        fs::write(source, content)?;
    }
    Ok(())
}

/// Makes the bundle's copies what they were.
pub fn cut_copies(before: &[LogRow], bundle: &Path, kept: &Kept) -> Result<(), WriteError> {
    let folder = bundle.join("session");
    let mut names = vec![];
    let Ok(every) = GlobBuilder::new("**").build() else { return Ok(()) };
    collect(&folder, Path::new(""), &every.compile_matcher(), 0, &mut names);
    for name in names {
        let shown = name.to_string_lossy().replace('\\', "/");
        let path = folder.join(&name);
        let failed = WriteError::at(&path);
        match before.iter().find(|row| row.name == shown) {
            Some(row) if is_document(&shown) => {
                let is_it = fs::metadata(&path).is_ok_and(|meta| meta.len() == row.bytes);
                if let Some(content) = kept.of(row).filter(|_| !is_it) {
                    replace_through(bundle, &path, &content)?;
                }
            }
            Some(row) => cut(&path, row.bytes).map_err(failed)?,
            None if shown.ends_with(".cast") => {} // what the terminal showed did happen
            None => fs::remove_file(&path).map_err(failed)?,
        }
    }
    Ok(())
}

fn cut(path: &Path, bytes: u64) -> io::Result<()> {
    if fs::symlink_metadata(path)?.len() > bytes {
        OpenOptions::new().write(true).open(path)?.set_len(bytes)?;
    }
    Ok(())
}

/// Which log a turn stands in: one that a format reads, has grown and is no part of another one; that of the session
/// before any other, and then the one of the turn before: Gemini begins another file in each minute, and does not write into it.
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
    let read: Vec<(&LogRow, Opening)> = now
        .iter()
        .filter(has_grown)
        .filter_map(|row| Some((row, Opening::of(bundle, &row.name)?)))
        .collect();
    let is_part = |row: &LogRow, opening: &Opening| {
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

/// Those of the bundle's logs that no format reads, though their names say that they are logs; `check` warns of them.
pub fn unread(rows: &[LogRow], bundle: &Path) -> Vec<String> {
    let is_log = |name: &str| {
        [".jsonl", ".json"].iter().any(|ending| name.ends_with(ending)) || name.starts_with(OUTPUT)
    };
    let unread =
        rows.iter().filter(|row| is_log(&row.name) && Opening::of(bundle, &row.name).is_none());
    unread.map(|row| format!("session/{}", row.name)).collect()
}

/// How a log starts, and the format that claims it.
struct Opening {
    name: String,
    bytes: Vec<u8>,
    is_whole: bool,
    format: &'static dyn formats::Format,
}

impl Opening {
    fn of(bundle: &Path, name: &str) -> Option<Self> {
        let file = File::open(bundle.join("session").join(name)).ok()?;
        let is_whole = file.metadata().ok()?.len() <= HEAD_BYTES as u64;
        let mut bytes = vec![];
        file.take(HEAD_BYTES as u64).read_to_end(&mut bytes).ok()?;
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        let head = Head { name: &name, bytes: &bytes, is_whole };
        let format = formats::claim(&head).filter(|format| format.offers().is_log())?;
        Some(Self { name, bytes, is_whole, format })
    }

    fn head(&self) -> Head<'_> {
        Head { name: &self.name, bytes: &self.bytes, is_whole: self.is_whole }
    }

    fn is_main_of(&self, other: &Self) -> bool {
        self.format.name() == other.format.name()
            && self.format.is_companion(&self.head(), &other.head())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, tempfile::TempDir, Vec<Logs>) {
        let (home, bundle) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path().join("a/b")).unwrap();
        let folder = home.path().to_owned();
        let logs = vec![Logs { folder, pattern: "**/*.jsonl".into(), is_flat: true }];
        (home, bundle, logs)
    }

    #[test]
    fn logs_are_copied_byte_for_byte_but_for_secrets() {
        let (home, bundle, places) = place();
        fs::write(home.path().join("a/b/one.jsonl"), "{}\n{\"k\": \"key-0123456789\"}").unwrap();
        fs::write(home.path().join("a/two.jsonl"), b"{}\r\n\xff\n").unwrap();
        let secrets = Secrets::new(["key-0123456789".to_owned()]);

        let copied = copy(&places, bundle.path(), &secrets).unwrap();

        let rows = copied.rows.iter().map(|it| (it.name.as_str(), it.bytes, it.lines));
        let rows = rows.collect::<Vec<_>>();
        assert_eq!(rows, [("one.jsonl", 26, 2), ("two.jsonl", 6, 2)]);
        assert_eq!(copied.covered, ["one.jsonl"]);
        let one = fs::read_to_string(bundle.path().join("session/one.jsonl")).unwrap();
        assert_eq!(one, "{}\n{\"k\": \"**************\"}");
    }

    #[test]
    fn a_log_that_is_a_document_is_put_back_as_a_whole() {
        let (home, bundle, mut places) = place();
        places[0].pattern = "**/*.json".into();
        let source = home.path().join("a/run.json");
        fs::write(&source, "{\"turns\": 1}").unwrap();
        let before = copy(&places, bundle.path(), &Secrets::default()).unwrap().rows;
        fs::write(&source, "{\"turns\": 2, \"more\": true}").unwrap();

        cut_back(&places, &before, bundle.path(), &Kept::before(2, home.path())).unwrap();

        assert_eq!(fs::read_to_string(&source).unwrap(), "{\"turns\": 1}");
    }

    /// The bundle once kept the attempt that had failed, and counted it with the one that was made after it.
    #[test]
    fn a_document_that_an_attempt_has_written_over_is_put_back_here_and_in_the_bundle() {
        let (home, bundle, mut places) = place();
        places[0].pattern = "**/*.traj.json".into();
        let source = home.path().join("a/run.traj.json");
        let copied = || fs::read_to_string(bundle.path().join("session/run.traj.json")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let requests = elsewhere.path().join("requests");
        for turn in 1..5 {
            fs::write(&source, "1".repeat(turn)).unwrap();
            let before = copy(&places, bundle.path(), &Secrets::default()).unwrap().rows;
            let kept = Kept::before(turn + 1, &requests);
            keep_documents(&before, bundle.path(), &kept).unwrap();
            fs::write(&source, "a longer one that failed").unwrap();
            copy(&places, bundle.path(), &Secrets::default()).unwrap();

            cut_back(&places, &before, bundle.path(), &kept).unwrap();

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
        let (home, bundle, places) = place();
        let source = home.path().join("a/one.jsonl");
        fs::write(&source, "1\n2").unwrap();
        let secrets = Secrets::default();
        assert!(grow(&places, bundle.path(), &secrets));
        assert!(!grow(&places, bundle.path(), &secrets));
        let before = copy(&places, bundle.path(), &secrets).unwrap().rows;
        fs::write(&source, "1\n2\n3\n").unwrap();
        fs::write(home.path().join("new.jsonl"), "x").unwrap();
        copy(&places, bundle.path(), &secrets).unwrap();

        cut_back(&places, &before, bundle.path(), &Kept::before(2, home.path())).unwrap();

        assert_eq!(fs::read(&source).unwrap(), b"1\n2");
        assert_eq!(copy(&places, bundle.path(), &secrets).unwrap().rows, before);
        assert_eq!(fs::read_dir(bundle.path().join("session")).unwrap().count(), 1);
    }

    /// Lines are words: `begin`, `over`, and `ask` before a prompt.
    fn watch(places: Vec<Logs>) -> Watch {
        let words = LogWords {
            ends: Regex::new("^over\n$").unwrap(),
            goes_on: None,
            begins: Regex::new("^begin\n$").unwrap(),
            prompt_of: |line| line.trim_end().strip_prefix("ask ").map(str::to_owned),
        };
        Watch::new(places, words)
    }

    #[test]
    fn a_line_that_ends_a_turn_is_found_once_it_is_whole() {
        let (home, _bundle, places) = place();
        let source = home.path().join("a/one.jsonl");
        fs::write(&source, "over\n").unwrap();
        let mut watch = watch(places);
        assert_eq!(watch.look(), Says::UnderWay);
        fs::write(&source, "over\nmore\nov").unwrap();
        assert_eq!(watch.look(), Says::UnderWay);
        fs::write(&source, "over\nmore\nover\n").unwrap();
        assert_eq!((watch.look(), watch.look()), (Says::Over, Says::Over));
        watch.begin();
        assert_eq!(watch.look(), Says::UnderWay);
    }

    #[test]
    fn a_prompt_that_the_agent_kept_begins_a_turn_and_one_that_it_took_in_does_not() {
        let (home, bundle, places) = place();
        let source = home.path().join("a/one.jsonl");
        let mut watch = watch(places.clone());
        let first = "begin\nask one\nask more\nover\nusage\n";
        fs::write(&source, format!("{first}begin\n")).unwrap();
        assert_eq!(watch.look(), Says::OverAndOn);
        fs::write(&source, format!("{first}begin\nask two\nover\n")).unwrap();

        assert_eq!(watch.look(), Says::OverAndOn);

        let (within, next) = watch.found();
        let (bytes, prompt) = (first.len() as u64, Some("two".to_owned()));
        let next = next.unwrap().clone();
        assert_eq!(within, ["more"]);
        assert_eq!(next, Begun { source, bytes, prompt });
        let mut rows = copy(&places, bundle.path(), &Secrets::default()).unwrap().rows;
        end_before(&mut rows, &next, bundle.path()).unwrap();
        assert_eq!((rows[0].bytes, rows[0].lines), (bytes, 5));
        watch.begin();
        assert_eq!((watch.look(), watch.found()), (Says::Over, (&[][..], None)));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_log_is_not_followed() {
        let (home, bundle, places) = place();
        std::os::unix::fs::symlink("/etc/passwd", home.path().join("x.jsonl")).unwrap();
        let copied = copy(&places, bundle.path(), &Secrets::default()).unwrap();
        assert_eq!(copied.rows, []);
    }
}
