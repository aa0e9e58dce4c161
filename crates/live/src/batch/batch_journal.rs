//! The journal of a batch: one file for each process, only ever appended to. The progress of a run is read from its bundle
//! and not from here; the journal has what no bundle knows: the total time, and the costs of judges.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use trajview_run::Time;
use trajview_store::write::WriteError;

use super::{super::journal, claims::ClaimOwner};

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct BatchJournalLine {
    at: String,
    #[serde(flatten)]
    event: BatchJournalEvent,
}

/// An event of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum BatchJournalEvent {
    Began {
        schema: String,
        owner: ClaimOwner,
        plan: String,
        plan_sha256: String,
        runs: usize,
        jobs: usize,
    },
    RunBegan {
        run: String,
        goes_on: bool,
        process: u32,
    },
    RunEnded {
        run: String,
        state: String,
        why: Option<String>,
        turns: usize,
    },
    /// Its bundle was moved to those that are left out.
    LeftOut {
        run: String,
    },
    /// Its bundle was moved back among the runs.
    TakenBack {
        run: String,
    },
    Scored {
        run: String,
    },
    Judged {
        run: String,
        cost_usd: Option<f64>,
    },
    /// A heartbeat: shows how long the process worked, whatever ends it.
    Works,
    Ended {
        complete: bool,
    },
}

pub const SCHEMA: &str = "trajview.batch-journal/1";

#[derive(Debug)]
pub struct BatchJournal {
    folder: PathBuf,
    path: PathBuf,
    file: File,
}

impl BatchJournal {
    /// Creates the journal of this process in the folder.
    pub fn create(folder: &Path, owner: &ClaimOwner) -> Result<Self, WriteError> {
        fs::create_dir_all(folder).map_err(WriteError::at_path(folder))?;
        let time = journal::timestamp_now().replace([':', '.'], "-");
        let host: String =
            owner.host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{time}-{host}-{}.jsonl", owner.process));
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(WriteError::at_path(&path))?;
        Ok(Self { folder: folder.to_owned(), path, file })
    }

    /// Appends a line and flushes it to the disk.
    pub fn append(&mut self, event: BatchJournalEvent) -> Result<(), WriteError> {
        let line = BatchJournalLine { at: journal::timestamp_now(), event };
        let written = serde_json::to_vec(&line).map_err(std::io::Error::from).and_then(|mut it| {
            it.push(b'\n');
            self.file.write_all(&it)?;
            self.file.sync_data()
        });
        written.map_err(WriteError::at_path(&self.path))
    }

    /// Reads the journals of all processes.
    pub(crate) fn read_history(&self) -> BatchHistory {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let texts = files.filter_map(|entry| fs::read(entry.path()).ok());
        BatchHistory::from_files(texts.map(|text| parse_lines(&text)))
    }
}

fn parse_lines(text: &[u8]) -> Vec<BatchJournalLine> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The work of all processes of a batch together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchHistory {
    /// Seconds during which at least one process worked.
    pub wall_seconds: f64,
    /// The cost of judges in US dollars; None when no judge reports it.
    pub judged_usd: Option<f64>,
    /// The number of processes.
    pub processes: usize,
}

impl BatchHistory {
    fn from_files(files: impl Iterator<Item = Vec<BatchJournalLine>>) -> Self {
        let mut past = Self::default();
        let mut spans: Vec<(i64, i64)> = vec![];
        for lines in files {
            let time = |line: &BatchJournalLine| Time::parse(&line.at).map(|time| time.0);
            let (first, last) = (lines.first().and_then(time), lines.last().and_then(time));
            spans.extend(first.zip(last));
            past.processes += usize::from(!lines.is_empty());
            for line in &lines {
                if let BatchJournalEvent::Judged { cost_usd: Some(cost), .. } = line.event {
                    past.judged_usd = Some(past.judged_usd.unwrap_or(0.0) + cost);
                }
            }
        }
        spans.sort_unstable();
        let (mut until, mut milliseconds) = (i64::MIN, 0);
        for (from, to) in spans {
            milliseconds += to.saturating_sub(from.max(until)).max(0);
            until = until.max(to);
        }
        past.wall_seconds = milliseconds as f64 / 1e3;
        past
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_at(at: &str, event: BatchJournalEvent) -> BatchJournalLine {
        BatchJournalLine { at: format!("2026-01-01T00:00:{at}.000Z"), event }
    }

    #[test]
    fn time_in_which_two_worked_counts_once_and_time_in_which_nobody_did_not_at_all() {
        let works = || BatchJournalEvent::Works;
        let judged = |cost_usd| BatchJournalEvent::Judged { run: "r".into(), cost_usd };
        let files = [
            vec![line_at("00", works()), line_at("10", judged(Some(0.5)))],
            vec![line_at("05", works()), line_at("12", judged(None))],
            vec![line_at("40", works()), line_at("41", judged(Some(0.25)))],
        ];

        let past = BatchHistory::from_files(files.into_iter());

        assert_eq!((past.wall_seconds, past.judged_usd, past.processes), (13.0, Some(0.75), 3));
        assert_eq!(BatchHistory::from_files(std::iter::empty()), BatchHistory::default());
    }

    #[test]
    fn a_torn_line_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = BatchJournal::create(folder.path(), &ClaimOwner::this_process()).unwrap();
        record.append(BatchJournalEvent::Works).unwrap();
        record.file.write_all(b"{\"at\":\"20").unwrap();

        assert_eq!(record.read_history().processes, 1);
    }
}
