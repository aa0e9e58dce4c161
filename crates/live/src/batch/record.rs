//! The journal of a batch: what each process did with the runs, a file a process, only ever appended to. How far a run is
//! stands in its bundle and not here; what is read from here is what no bundle knows: how long it all took, and what judges
//! cost.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use trajview_run::Time;
use trajview_store::write::WriteError;

use super::{super::journal, claims::Owner};

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    at: String,
    #[serde(flatten)]
    event: RecordedEvent,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum RecordedEvent {
    Began {
        schema: String,
        owner: Owner,
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
    /// Its bundle lies among those that are left out.
    LeftOut {
        run: String,
    },
    /// It is among the runs again.
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
    /// So that it can be seen how long the process worked, whatever ends it.
    Works,
    Ended {
        complete: bool,
    },
}

pub const SCHEMA: &str = "trajview.batch-journal/1";

#[derive(Debug)]
pub struct Record {
    folder: PathBuf,
    path: PathBuf,
    file: File,
}

impl Record {
    /// A journal of this process in the folder.
    pub fn create(folder: &Path, owner: &Owner) -> Result<Self, WriteError> {
        fs::create_dir_all(folder).map_err(WriteError::at(folder))?;
        let time = journal::now().replace([':', '.'], "-");
        let host: String =
            owner.host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{time}-{host}-{}.jsonl", owner.process));
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(WriteError::at(&path))?;
        Ok(Self { folder: folder.to_owned(), path, file })
    }

    /// Writes a line and brings it to the disk.
    pub fn write(&mut self, event: RecordedEvent) -> Result<(), WriteError> {
        let line = Line { at: journal::now(), event };
        let written = serde_json::to_vec(&line).map_err(std::io::Error::from).and_then(|mut it| {
            it.push(b'\n');
            self.file.write_all(&it)?;
            self.file.sync_data()
        });
        written.map_err(WriteError::at(&self.path))
    }

    /// What all processes wrote so far.
    pub fn past(&self) -> Past {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let texts = files.filter_map(|entry| fs::read(entry.path()).ok());
        Past::of(texts.map(|text| lines(&text)))
    }
}

fn lines(text: &[u8]) -> Vec<Line> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// What all processes of a batch did together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// While one process at least worked, in seconds.
    pub wall_seconds: f64,
    /// What judges cost in US dollars; None where none says.
    pub judged_usd: Option<f64>,
    /// How many processes there were.
    pub processes: usize,
}

impl Past {
    fn of(files: impl Iterator<Item = Vec<Line>>) -> Self {
        let mut past = Self::default();
        let mut spans: Vec<(i64, i64)> = vec![];
        for lines in files {
            let time = |line: &Line| Time::parse(&line.at).map(|time| time.0);
            let (first, last) = (lines.first().and_then(time), lines.last().and_then(time));
            spans.extend(first.zip(last));
            past.processes += usize::from(!lines.is_empty());
            for line in &lines {
                if let RecordedEvent::Judged { cost_usd: Some(cost), .. } = line.event {
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

    fn line(at: &str, event: RecordedEvent) -> Line {
        Line { at: format!("2026-01-01T00:00:{at}.000Z"), event }
    }

    #[test]
    fn time_in_which_two_worked_counts_once_and_time_in_which_nobody_did_not_at_all() {
        let works = || RecordedEvent::Works;
        let judged = |cost_usd| RecordedEvent::Judged { run: "r".into(), cost_usd };
        let files = [
            vec![line("00", works()), line("10", judged(Some(0.5)))],
            vec![line("05", works()), line("12", judged(None))],
            vec![line("40", works()), line("41", judged(Some(0.25)))],
        ];

        let past = Past::of(files.into_iter());

        assert_eq!((past.wall_seconds, past.judged_usd, past.processes), (13.0, Some(0.75), 3));
        assert_eq!(Past::of(std::iter::empty()), Past::default());
    }

    #[test]
    fn a_torn_line_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::create(folder.path(), &Owner::here()).unwrap();
        record.write(RecordedEvent::Works).unwrap();
        record.file.write_all(b"{\"at\":\"20").unwrap();

        assert_eq!(record.past().processes, 1);
    }
}
