//! `live.jsonl` of a bundle: the events of a run in order. Lines are only ever appended, and every line is on the disk
//! before the run goes on; an interrupted run is resumed from it.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, Serialize};

use trajview_run::{Time, Tokens, live::RunTotal};
use trajview_store::write::WriteError;

use super::{
    checksum::FileMark,
    logs::LogRow,
    manifest::{LayerRow, LayerRows, LiveTurnRow, LogPlace},
    run::RunHalt,
    setup::RunSetup,
    start_files::{SetupRow, StartFiles},
};

pub const SCHEMA: &str = "trajview.journal/1";

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct JournalLine {
    at: String,
    #[serde(flatten)]
    entry: JournalEntry,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum JournalEntry {
    Began {
        schema: String,
        id: String,
        setup: Box<RunSetup>,
        version: Option<String>,
    },
    Resumed {
        version: Option<String>,
    },
    /// The start files are recorded.
    FilesTaken(Box<StartFiles>),
    /// A command has prepared the start files.
    SetUp(Box<SetupRow>),
    /// A turn began; `before` is the commit of the files then.
    TurnBegan {
        turn: usize,
        attempt: usize,
        request_sha256: String,
        before: Option<String>,
    },
    Process {
        process: u32,
        command: String,
    },
    TurnEnded(Box<FinishedTurn>),
    /// Every layer has processed a finished turn, and its state after it is recorded.
    LayersTookIn {
        turn: usize,
        /// All layers that added text or did something: the turn's rows from now on.
        rows: Vec<LayerRow>,
    },
    Skipped {
        request: String,
    },
    Edited {
        turn: usize,
    },
    /// A person typed a request that is not in the script; the requests after it move by one turn.
    Typed {
        turn: usize,
        request: String,
    },
    /// A turn is done again: files and logs go back to before it; `attempt` is the one that does not count.
    Again {
        turn: usize,
        attempt: usize,
        why: String,
    },
    Tested {
        checkpoint: String,
        passed: u64,
        total: u64,
        seconds: f64,
    },
    Warned {
        sentence: String,
    },
    /// Checksums of the bundle's files: changed ones, and the names of deleted ones. Written when nothing more is about to
    /// be written.
    Sealed {
        files: BTreeMap<String, FileMark>,
        gone: Vec<String>,
    },
    /// The files were compared with the last checksums; from here on the run writes again.
    Compared {
        turn: usize,
    },
    Stopped {
        why: String,
        /// Missing in journals of earlier versions.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "read_known_reason"
        )]
        reason: Option<StopReason>,
    },
    Finished,
}

/// Reads a reason; one that only a later version knows is none, and the sentence states it.
fn read_known_reason<'de, D: Deserializer<'de>>(from: D) -> Result<Option<StopReason>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(StopReason::deserialize(value).ok())
}

/// A run that stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedRun {
    pub reason: StopReason,
    /// A sentence.
    pub why: String,
}

/// The kinds of reasons why a run stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// A person or the batch stopped it.
    Requested,
    /// One of its limits was reached.
    Budget,
    TurnFailed,
    /// Its start files could not be prepared.
    NotReady,
    /// Its files could not be written.
    Unwritten,
}

/// The sentence of a stop that a person or the batch requested.
pub(crate) const REQUESTED_STOP: &str = "it was asked to stop";

/// That sentence in journals of earlier versions, which have no other sign of it.
const EARLIER_REQUESTED_STOP: &str = "it was told to stop";

impl StopReason {
    /// Returns the reason that a sentence of an earlier version states.
    fn from_sentence(why: &str) -> Self {
        let turn = why.strip_prefix("turn ").and_then(|rest| rest.split_once(" failed: "));
        match why {
            REQUESTED_STOP | EARLIER_REQUESTED_STOP => Self::Requested,
            _ if turn.is_some_and(|(turn, _)| turn.parse::<usize>().is_ok()) => Self::TurnFailed,
            _ if why.starts_with("cannot write") => Self::Unwritten,
            _ => Self::Budget,
        }
    }
}

impl From<&RunHalt> for StopReason {
    fn from(halt: &RunHalt) -> Self {
        match halt {
            RunHalt::Stopped => Self::Requested,
            RunHalt::Budget(_) => Self::Budget,
            RunHalt::Failed { .. } => Self::TurnFailed,
            RunHalt::NotReady(_) => Self::NotReady,
            RunHalt::Write(_) => Self::Unwritten,
        }
    }
}

#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// A run as its journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct JournaledRun {
    pub id: String,
    pub setup: RunSetup,
    pub version: Option<String>,
    pub started_at: String,
    pub progress: LiveProgress,
}

/// The progress of a run, built from the journal's lines, one after the other, while they are written or when they are
/// read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LiveProgress {
    /// The start files; None for an empty workspace.
    pub base: Option<StartFiles>,
    /// Turns that count, in order.
    pub done: Vec<FinishedTurn>,
    /// The last turn that began and does not count.
    pub open: Option<LiveTurnRow>,
    pub remarks: Vec<String>,
    pub is_finished: bool,
    /// True if the code was tested after the last turn that counts.
    pub is_tested: bool,
    /// The reason why it stopped; None when something else happened after that.
    pub stopped: Option<StoppedRun>,
    /// The last checksums of the bundle, if nothing was written since; for a run that is resumed.
    pub sealed: Option<BTreeMap<String, FileMark>>,
    /// The last checksums, even if something was written since.
    marks: BTreeMap<String, FileMark>,
    /// The number of times that the run was resumed.
    pub interruptions: usize,
}

/// A finished turn and the state after it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FinishedTurn {
    pub row: LiveTurnRow,
    /// The agent's session; the fields after it are its usage by then.
    pub session_id: Option<String>,
    pub session_tokens: Tokens,
    pub session_cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
    pub logs: Vec<LogRow>,
}

impl Journal {
    /// Creates a journal, or opens the one of a run that was killed before it began. The lock shows other processes that
    /// the run is under way: of two that begin at once, one gets it.
    pub fn create(bundle: &Path) -> Result<Self, WriteError> {
        let path = bundle.join("live.jsonl");
        let failed = WriteError::at_path(&path);
        let options = OpenOptions::new().read(true).write(true).clone();
        let file = match options.clone().create_new(true).open(&path) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => options.open(&path),
            file => file,
        };
        let mut journal = Self { path: path.clone(), file: file.map_err(failed)? }.lock()?;
        let mut text = vec![];
        journal.file.read_to_end(&mut text).map_err(failed)?;
        if parse_journal(&text).is_some() {
            let why = "exists already; name another folder, or go on with the run with --resume";
            return Err(WriteError::Taken { path: bundle.to_owned(), why: why.into() });
        }
        journal.truncate_to(0).map_err(failed)?;
        Ok(journal)
    }

    /// Opens the journal of a run to resume, and parses it. None when there is none, or it does not say how the run began.
    pub fn open(bundle: &Path) -> Result<Option<(Self, JournaledRun)>, WriteError> {
        let path = bundle.join("live.jsonl");
        let failed = WriteError::at_path(&path);
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        if !is_file {
            return Ok(None);
        }
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(failed)?;
        let mut journal = Self { path: path.clone(), file }.lock()?;
        let mut text = vec![];
        journal.file.read_to_end(&mut text).map_err(failed)?;
        // A line that was being written when the run was killed is no line.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        text.truncate(whole);
        journal.truncate_to(whole as u64).map_err(failed)?;
        Ok(parse_journal(&text).map(|before| (journal, before)))
    }

    fn lock(self) -> Result<Self, WriteError> {
        match self.file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                let why = "the run is under way in another trajview";
                Err(WriteError::Taken { path: self.path, why: why.into() })
            }
            // A file system without locks is no reason not to record.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(self),
        }
    }

    /// Cuts the file to this length, and appends from there.
    fn truncate_to(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::End(0)).map(|_| ())
    }

    /// Appends a line and flushes it to the disk. A line that could not be written whole, as on a full disk, is removed
    /// again, or the next one would be a part of it.
    pub(crate) fn append_entry(&mut self, entry: &JournalEntry) -> Result<(), WriteError> {
        let line = JournalLine { at: timestamp_now(), entry: entry.clone() };
        self.write_line(&line).map_err(WriteError::at_path(&self.path))
    }

    fn write_line(&mut self, line: &JournalLine) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let length = self.file.stream_position()?;
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        if written.is_err() {
            let _ = self.truncate_to(length); // the error of the write is reported
        }
        written
    }
}

/// Returns whether another process makes the run in a bundle; false on file systems without locks.
pub fn is_under_way(bundle: &Path) -> bool {
    let Ok(file) = File::open(bundle.join("live.jsonl")) else { return false };
    matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

/// Names that a run creates before its journal says how it began; files that are not complete yet have these names as a
/// prefix.
const FILES_BEFORE_BEGIN: [&str; 7] = [
    "live.jsonl",
    "session",
    "components.json",
    "decisions.json",
    "code-links.json",
    "script.json",
    "workspace.git",
];

/// Returns whether a run was killed in a folder before it began: its journal does not say how it began, and all files are
/// of those that exist by then.
pub(crate) fn is_unbegun(bundle: &Path) -> bool {
    let path = bundle.join("live.jsonl");
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    let entries = std::fs::read_dir(bundle).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    is_file
        && std::fs::read(&path).is_ok_and(|text| parse_journal(&text).is_none())
        && names.all(|name| FILES_BEFORE_BEGIN.iter().any(|ours| name.starts_with(ours)))
}

/// Reads and parses the journal of a bundle, without changing it.
pub fn read_journal(bundle: &Path) -> Option<JournaledRun> {
    let path = bundle.join("live.jsonl");
    std::fs::read(path).ok().and_then(|text| parse_journal(&text))
}

/// Returns the entries of a journal, line by line; lines that do not parse are skipped.
pub(crate) fn journal_entries(text: &[u8]) -> impl Iterator<Item = JournalEntry> + '_ {
    journal_lines(text).map(|line| line.entry)
}

fn journal_lines(text: &[u8]) -> impl Iterator<Item = JournalLine> + '_ {
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

fn parse_journal(text: &[u8]) -> Option<JournaledRun> {
    let mut lines = journal_lines(text);
    let first = lines.next()?;
    let JournalEntry::Began { id, setup, version, .. } = first.entry else { return None };
    let mut before = JournaledRun {
        id,
        setup: *setup,
        version,
        started_at: first.at,
        progress: LiveProgress::default(),
    };
    for line in lines {
        before.progress.apply_entry(&line.entry);
    }
    Some(before)
}

impl LiveProgress {
    /// Updates the progress of the run by an entry of its journal.
    pub(crate) fn apply_entry(&mut self, entry: &JournalEntry) {
        if !matches!(entry, JournalEntry::Process { .. } | JournalEntry::Resumed { .. }) {
            self.sealed = None;
        }
        match entry {
            JournalEntry::FilesTaken(base) => self.base = Some((**base).clone()),
            JournalEntry::SetUp(row) => {
                self.base.iter_mut().for_each(|it| it.add_setup_row((**row).clone()))
            }
            JournalEntry::TurnBegan { turn, attempt, .. } => {
                self.open_turn(*turn, *attempt);
                (self.is_finished, self.stopped) = (false, None);
            }
            JournalEntry::Again { turn, attempt, .. } => self.open_turn(*turn, *attempt),
            JournalEntry::TurnEnded(ended) if ended.row.state.is_counted() => {
                self.done.truncate(ended.row.turn.saturating_sub(1));
                (self.open, self.is_tested) = (None, false);
                self.done.push((**ended).clone());
            }
            JournalEntry::LayersTookIn { turn, rows } => {
                let done = turn.checked_sub(1).and_then(|at| self.done.get_mut(at));
                if let Some(done) = done {
                    done.row.layer = LayerRows::from_rows(rows.clone());
                }
            }
            JournalEntry::TurnEnded(ended) => self.open = Some(ended.row.clone()),
            JournalEntry::Warned { sentence } => self.remarks.push(sentence.clone()),
            JournalEntry::Sealed { files, gone } => {
                self.marks.retain(|name, _| !gone.contains(name));
                self.marks.extend(files.clone());
                self.sealed = Some(self.marks.clone());
            }
            JournalEntry::Stopped { why, reason } => {
                let reason = reason.unwrap_or_else(|| StopReason::from_sentence(why));
                self.stopped = Some(StoppedRun { reason, why: why.clone() });
            }
            JournalEntry::Tested { .. } => self.is_tested = true,
            JournalEntry::Finished => self.is_finished = true,
            JournalEntry::Resumed { .. } => {
                self.stopped = None;
                self.interruptions += 1;
            }
            JournalEntry::Began { .. }
            | JournalEntry::Process { .. }
            | JournalEntry::Skipped { .. }
            | JournalEntry::Edited { .. }
            | JournalEntry::Typed { .. }
            | JournalEntry::Compared { .. } => {}
        }
    }

    /// Begins a turn that does not count yet, after all that do.
    fn open_turn(&mut self, turn: usize, attempt: usize) {
        self.done.truncate(turn.saturating_sub(1));
        let last_line = self.done.last().and_then(|done| done.row.log.last_line).unwrap_or(0);
        let first_line = Some(last_line.saturating_add(1));
        let log = LogPlace { first_line, ..LogPlace::default() };
        self.open = Some(LiveTurnRow { turn, attempt, log, ..LiveTurnRow::default() });
    }

    /// Returns the commit after the last turn that counts; before the first, that of the start files.
    pub(crate) fn last_commit(&self) -> Option<&str> {
        let last = self.done.last().and_then(|done| done.row.commit.as_deref());
        last.or_else(|| self.base.as_ref().map(StartFiles::last_commit))
    }

    /// Returns the logs as they were after the last turn that counts.
    pub(crate) fn last_logs(&self) -> &[LogRow] {
        self.done.last().map_or(&[], |done| &done.logs)
    }

    pub fn turn_rows(&self) -> Vec<LiveTurnRow> {
        self.done.iter().map(|done| done.row.clone()).collect()
    }

    pub fn used_in_total(&self) -> RunTotal {
        let tokens = self.done.iter().map(|done| done.row.reported.tokens);
        let cost = self.done.iter().filter_map(|done| done.row.reported.cost_usd);
        RunTotal {
            turns: self.done.len(),
            tokens: tokens.fold(Tokens::default(), |sum, it| sum + it),
            cost_usd: cost.reduce(|sum, it| sum + it),
            seconds: self.done.iter().map(|done| done.seconds).sum(),
        }
    }
}

/// Returns the present time in RFC 3339 with milliseconds.
pub fn timestamp_now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Parses a time of the journal; returns the epoch where that is not possible.
pub(crate) fn parse_timestamp(text: &str) -> Time {
    Time::parse(text).unwrap_or(Time(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::TurnState;

    fn turn_ended(turn: usize, state: TurnState) -> JournalEntry {
        let row =
            LiveTurnRow { turn, state, commit: Some(format!("c{turn}")), ..LiveTurnRow::default() };
        let session_id = Some("s".into());
        JournalEntry::TurnEnded(Box::new(FinishedTurn {
            row,
            session_id,
            seconds: 1.0,
            ..FinishedTurn::default()
        }))
    }

    fn turn_began(turn: usize, attempt: usize) -> JournalEntry {
        JournalEntry::TurnBegan { turn, attempt, request_sha256: String::new(), before: None }
    }

    fn run_began() -> JournalEntry {
        let setup = Box::new(RunSetup::new("command", "work".into()));
        JournalEntry::Began { schema: SCHEMA.into(), id: "id".into(), setup, version: None }
    }

    #[test]
    fn what_was_written_before_a_crash_is_read_and_a_torn_line_is_not() {
        let bundle = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(bundle.path()).unwrap();
        for entry in
            [run_began(), turn_began(1, 1), turn_ended(1, TurnState::Done), turn_began(2, 1)]
        {
            journal.append_entry(&entry).unwrap();
        }
        drop(journal);
        let path = bundle.path().join("live.jsonl");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"{\"at\": \"20"].concat()).unwrap();

        let (mut journal, before) = Journal::open(bundle.path()).unwrap().unwrap();

        assert_eq!(before.progress.done.len(), 1);
        assert_eq!(before.progress.last_commit(), Some("c1"));
        assert_eq!(before.progress.open.as_ref().map(|row| row.turn), Some(2));
        journal.append_entry(&turn_ended(2, TurnState::Cut)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 5);
        assert!(text.starts_with(std::str::from_utf8(&whole).unwrap()));
    }

    #[test]
    fn a_turn_done_again_takes_the_place_of_the_one_before() {
        let mut progress = LiveProgress::default();
        for entry in [
            turn_began(1, 1),
            turn_ended(1, TurnState::Done),
            turn_began(2, 1),
            turn_ended(2, TurnState::Done),
        ] {
            progress.apply_entry(&entry);
        }
        for entry in [
            turn_began(1, 2),
            turn_ended(1, TurnState::Cut),
            turn_began(1, 3),
            turn_ended(1, TurnState::Done),
        ] {
            progress.apply_entry(&entry);
        }
        assert_eq!(progress.turn_rows().iter().map(|row| row.turn).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_run_that_was_killed_before_it_began_is_begun_by_one_who_comes_later() {
        let bundle = tempfile::tempdir().unwrap();
        assert!(!is_unbegun(bundle.path()));
        std::fs::write(bundle.path().join("live.jsonl"), "{\"at\": \"20").unwrap();
        assert!(is_unbegun(bundle.path()));
        std::fs::write(bundle.path().join("mine"), "").unwrap();
        assert!(!is_unbegun(bundle.path()), "somebody's folder");
        std::fs::remove_file(bundle.path().join("mine")).unwrap();

        let mut journal = Journal::create(bundle.path()).unwrap();

        let second = Journal::create(bundle.path()).unwrap_err().to_string();
        assert!(second.ends_with("the run is under way in another trajview"), "{second}");
        journal.append_entry(&run_began()).unwrap();
        drop(journal);
        assert!(!is_unbegun(bundle.path()));
        let third = Journal::create(bundle.path()).unwrap_err().to_string();
        assert!(third.contains("exists already; name another folder"), "{third}");
        assert_eq!(read_journal(bundle.path()).unwrap().id, "id");
    }

    #[test]
    fn two_do_not_record_the_same_run() {
        let bundle = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(bundle.path()).unwrap();
        journal.append_entry(&run_began()).unwrap();

        let why = Journal::open(bundle.path()).unwrap_err().to_string();

        assert!(why.ends_with("the run is under way in another trajview"), "{why}");
    }
}
