//! `live.jsonl` of a bundle: what happened, in the order in which it happened. Only ever appended to, and every line is on
//! the disk before the run goes on; an interrupted run goes on from it.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use trajview_run::{Time, Tokens};
use trajview_store::write::WriteError;

use super::{
    base::{Base, SetupRow},
    event::Total,
    logs::LogRow,
    manifest::{LayerRow, Layers, LogPlace, TurnRow},
    seal::Mark,
    setup::Setup,
};

pub const SCHEMA: &str = "trajview.journal/1";

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    at: String,
    #[serde(flatten)]
    entry: Entry,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Entry {
    Began {
        schema: String,
        id: String,
        setup: Box<Setup>,
        version: Option<String>,
    },
    Resumed {
        version: Option<String>,
    },
    /// The files that the run begins with are recorded.
    FilesTaken(Box<Base>),
    /// A command has prepared them.
    SetUp(Box<SetupRow>),
    /// The files stood at the commit `before`.
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
    TurnEnded(Box<Done>),
    /// Every layer has taken in a turn that is over, and its state after it is recorded.
    LayersTookIn {
        turn: usize,
        /// All layers that said or did something, as they stand in the turn's row from now on.
        rows: Vec<LayerRow>,
    },
    Skipped {
        request: String,
    },
    Edited {
        turn: usize,
    },
    /// A person typed a request that is not in the script; those after it are a turn later.
    Typed {
        turn: usize,
        request: String,
    },
    /// Files and logs go back to what they were before the turn; `attempt` is the one that does not count.
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
    /// The files of the bundle as they are now: those that are others than before, and those that are gone. Written when
    /// nothing more is about to be written.
    Sealed {
        files: BTreeMap<String, Mark>,
        gone: Vec<String>,
    },
    /// The files were compared with the last seal; from here on we write again.
    Compared {
        turn: usize,
    },
    Stopped {
        why: String,
    },
    Finished,
}

#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// What an earlier part of a run left.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    pub id: String,
    pub setup: Setup,
    pub version: Option<String>,
    pub started_at: String,
    pub progress: Progress,
}

/// How far a run is: made of the journal's lines, one after the other, while they are written or when they are read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// What the run began with; None for an empty workspace.
    pub base: Option<Base>,
    /// Turns that count, in order.
    pub done: Vec<Done>,
    /// The last turn begun that does not count.
    pub open: Option<TurnRow>,
    pub remarks: Vec<String>,
    pub is_finished: bool,
    /// Whether the code was tested after the last turn that counts.
    pub is_tested: bool,
    /// Why it stopped, where that is the last thing that happened.
    pub stopped: Option<String>,
    /// The files of the bundle as they were sealed, where we have written nothing since; for whoever goes on with the run.
    pub sealed: Option<BTreeMap<String, Mark>>,
    /// The same, whatever was written since.
    marks: BTreeMap<String, Mark>,
    /// How often the run was gone on with.
    pub interruptions: usize,
}

/// A turn that is over, and how things stood then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Done {
    pub row: TurnRow,
    /// The agent's session, and what that had used by then.
    pub session_id: Option<String>,
    pub session_tokens: Tokens,
    pub session_cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
    pub logs: Vec<LogRow>,
}

impl Journal {
    /// A new journal, or the one of a run that was killed before it began. The lock tells another trajview that the run is
    /// under way: of two that begin at once, one gets it.
    pub fn create(bundle: &Path) -> Result<Self, WriteError> {
        let path = bundle.join("live.jsonl");
        let failed = WriteError::at(&path);
        let options = OpenOptions::new().read(true).write(true).clone();
        let file = match options.clone().create_new(true).open(&path) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => options.open(&path),
            file => file,
        };
        let mut journal = Self { path: path.clone(), file: file.map_err(failed)? }.locked()?;
        let mut text = vec![];
        journal.file.read_to_end(&mut text).map_err(failed)?;
        if before(&text).is_some() {
            let why = "exists already; name another folder, or go on with the run with --resume";
            return Err(WriteError::Taken { path: bundle.to_owned(), why: why.into() });
        }
        journal.cut(0).map_err(failed)?;
        Ok(journal)
    }

    /// The journal of a run to go on with, and what it says. None where there is none, or it does not say how it began.
    pub fn open(bundle: &Path) -> Result<Option<(Self, Before)>, WriteError> {
        let path = bundle.join("live.jsonl");
        let failed = WriteError::at(&path);
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        if !is_file {
            return Ok(None);
        }
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(failed)?;
        let mut journal = Self { path: path.clone(), file }.locked()?;
        let mut text = vec![];
        journal.file.read_to_end(&mut text).map_err(failed)?;
        // A line that was being written when the run was killed is no line.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        text.truncate(whole);
        journal.cut(whole as u64).map_err(failed)?;
        Ok(before(&text).map(|before| (journal, before)))
    }

    fn locked(self) -> Result<Self, WriteError> {
        match self.file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                let why = "the run is under way in another trajview";
                Err(WriteError::Taken { path: self.path, why: why.into() })
            }
            // A file system without locks is no reason not to record.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(self),
        }
    }

    /// Makes it so long, and writes on from there.
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::End(0)).map(|_| ())
    }

    /// Writes a line and brings it to the disk. A line that could not be written whole, as on a full disk, is taken away
    /// again, or the next one would be a part of it.
    pub fn write(&mut self, entry: &Entry) -> Result<(), WriteError> {
        let line = Line { at: now(), entry: entry.clone() };
        self.write_line(&line).map_err(WriteError::at(&self.path))
    }

    fn write_line(&mut self, line: &Line) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let length = self.file.stream_position()?;
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        if written.is_err() {
            let _ = self.cut(length); // the failure to write is what is to be told
        }
        written
    }
}

/// Whether another trajview makes the run in a bundle; not known, and so false, where there are no locks.
pub fn is_under_way(bundle: &Path) -> bool {
    let Ok(file) = File::open(bundle.join("live.jsonl")) else { return false };
    matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

/// What a run makes before its journal says how it began; files that are not whole yet are called after them.
const BEFORE_IT_BEGINS: [&str; 7] = [
    "live.jsonl",
    "session",
    "components.json",
    "decisions.json",
    "code-links.json",
    "script.json",
    "workspace.git",
];

/// Whether a run was about to begin in a folder and was killed before it did: there is a journal that does not say how, and
/// nothing that a run does not make before.
pub fn is_unbegun(bundle: &Path) -> bool {
    let path = bundle.join("live.jsonl");
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    let entries = std::fs::read_dir(bundle).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    is_file
        && std::fs::read(&path).is_ok_and(|text| before(&text).is_none())
        && names.all(|name| BEFORE_IT_BEGINS.iter().any(|ours| name.starts_with(ours)))
}

/// Reads what a journal says, without touching it.
pub fn read(bundle: &Path) -> Option<Before> {
    let path = bundle.join("live.jsonl");
    std::fs::read(path).ok().and_then(|text| before(&text))
}

/// What a journal says, line by line; what is no line of it is left out.
pub fn entries(text: &[u8]) -> impl Iterator<Item = Entry> + '_ {
    lines(text).map(|line| line.entry)
}

fn lines(text: &[u8]) -> impl Iterator<Item = Line> + '_ {
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

fn before(text: &[u8]) -> Option<Before> {
    let mut lines = lines(text);
    let first = lines.next()?;
    let Entry::Began { id, setup, version, .. } = first.entry else { return None };
    let mut before =
        Before { id, setup: *setup, version, started_at: first.at, progress: Progress::default() };
    for line in lines {
        before.progress.take(&line.entry);
    }
    Some(before)
}

impl Progress {
    pub fn take(&mut self, entry: &Entry) {
        if !matches!(entry, Entry::Process { .. } | Entry::Resumed { .. }) {
            self.sealed = None;
        }
        match entry {
            Entry::FilesTaken(base) => self.base = Some((**base).clone()),
            Entry::SetUp(row) => self.base.iter_mut().for_each(|it| it.enter((**row).clone())),
            Entry::TurnBegan { turn, attempt, .. } => {
                self.open_turn(*turn, *attempt);
                (self.is_finished, self.stopped) = (false, None);
            }
            Entry::Again { turn, attempt, .. } => self.open_turn(*turn, *attempt),
            Entry::TurnEnded(ended) if ended.row.state.counts() => {
                self.done.truncate(ended.row.turn.saturating_sub(1));
                (self.open, self.is_tested) = (None, false);
                self.done.push((**ended).clone());
            }
            Entry::LayersTookIn { turn, rows } => {
                let done = turn.checked_sub(1).and_then(|at| self.done.get_mut(at));
                if let Some(done) = done {
                    done.row.layer = Layers::of(rows.clone());
                }
            }
            Entry::TurnEnded(ended) => self.open = Some(ended.row.clone()),
            Entry::Warned { sentence } => self.remarks.push(sentence.clone()),
            Entry::Sealed { files, gone } => {
                self.marks.retain(|name, _| !gone.contains(name));
                self.marks.extend(files.clone());
                self.sealed = Some(self.marks.clone());
            }
            Entry::Stopped { why } => self.stopped = Some(why.clone()),
            Entry::Tested { .. } => self.is_tested = true,
            Entry::Finished => self.is_finished = true,
            Entry::Resumed { .. } => {
                self.stopped = None;
                self.interruptions += 1;
            }
            Entry::Began { .. }
            | Entry::Process { .. }
            | Entry::Skipped { .. }
            | Entry::Edited { .. }
            | Entry::Typed { .. }
            | Entry::Compared { .. } => {}
        }
    }

    /// A turn that does not count yet; it stands after all that does.
    fn open_turn(&mut self, turn: usize, attempt: usize) {
        self.done.truncate(turn.saturating_sub(1));
        let last_line = self.done.last().and_then(|done| done.row.log.last_line).unwrap_or(0);
        let first_line = Some(last_line.saturating_add(1));
        let log = LogPlace { first_line, ..LogPlace::default() };
        self.open = Some(TurnRow { turn, attempt, log, ..TurnRow::default() });
    }

    /// The commit after the last turn that counts; before the first, that of the files which the run began with.
    pub fn commit(&self) -> Option<&str> {
        let last = self.done.last().and_then(|done| done.row.commit.as_deref());
        last.or_else(|| self.base.as_ref().map(Base::last_commit))
    }

    /// The logs as they were when the last turn that counts was over.
    pub fn logs(&self) -> &[LogRow] {
        self.done.last().map_or(&[], |done| &done.logs)
    }

    pub fn rows(&self) -> Vec<TurnRow> {
        self.done.iter().map(|done| done.row.clone()).collect()
    }

    pub fn total(&self) -> Total {
        let tokens = self.done.iter().map(|done| done.row.reported.tokens);
        let cost = self.done.iter().filter_map(|done| done.row.reported.cost_usd);
        Total {
            turns: self.done.len(),
            tokens: tokens.fold(Tokens::default(), |sum, it| sum + it),
            cost_usd: cost.reduce(|sum, it| sum + it),
            seconds: self.done.iter().map(|done| done.seconds).sum(),
        }
    }
}

/// RFC 3339 with milliseconds.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The same moment as a value.
pub fn time(text: &str) -> Time {
    Time::parse(text).unwrap_or(Time(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::State;

    fn ended(turn: usize, state: State) -> Entry {
        let row = TurnRow { turn, state, commit: Some(format!("c{turn}")), ..TurnRow::default() };
        let session_id = Some("s".into());
        Entry::TurnEnded(Box::new(Done { row, session_id, seconds: 1.0, ..Done::default() }))
    }

    fn began(turn: usize, attempt: usize) -> Entry {
        Entry::TurnBegan { turn, attempt, request_sha256: String::new(), before: None }
    }

    fn first() -> Entry {
        let setup = Box::new(Setup::new("command", "work".into()));
        Entry::Began { schema: SCHEMA.into(), id: "id".into(), setup, version: None }
    }

    #[test]
    fn what_was_written_before_a_crash_is_read_and_a_torn_line_is_not() {
        let bundle = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(bundle.path()).unwrap();
        for entry in [first(), began(1, 1), ended(1, State::Done), began(2, 1)] {
            journal.write(&entry).unwrap();
        }
        drop(journal);
        let path = bundle.path().join("live.jsonl");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"{\"at\": \"20"].concat()).unwrap();

        let (mut journal, before) = Journal::open(bundle.path()).unwrap().unwrap();

        assert_eq!(before.progress.done.len(), 1);
        assert_eq!(before.progress.commit(), Some("c1"));
        assert_eq!(before.progress.open.as_ref().map(|row| row.turn), Some(2));
        journal.write(&ended(2, State::Cut)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 5);
        assert!(text.starts_with(std::str::from_utf8(&whole).unwrap()));
    }

    #[test]
    fn a_turn_done_again_takes_the_place_of_the_one_before() {
        let mut progress = Progress::default();
        for entry in [began(1, 1), ended(1, State::Done), began(2, 1), ended(2, State::Done)] {
            progress.take(&entry);
        }
        for entry in [began(1, 2), ended(1, State::Cut), began(1, 3), ended(1, State::Done)] {
            progress.take(&entry);
        }
        assert_eq!(progress.rows().iter().map(|row| row.turn).collect::<Vec<_>>(), [1]);
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
        journal.write(&first()).unwrap();
        drop(journal);
        assert!(!is_unbegun(bundle.path()));
        let third = Journal::create(bundle.path()).unwrap_err().to_string();
        assert!(third.contains("exists already; name another folder"), "{third}");
        assert_eq!(read(bundle.path()).unwrap().id, "id");
    }

    #[test]
    fn two_do_not_record_the_same_run() {
        let bundle = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(bundle.path()).unwrap();
        journal.write(&first()).unwrap();

        let why = Journal::open(bundle.path()).unwrap_err().to_string();

        assert!(why.ends_with("the run is under way in another trajview"), "{why}");
    }
}
