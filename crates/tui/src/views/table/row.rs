//! One run of a collection: how far it is read and measured.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::session::{
    columns::Set,
    runs::{Said, Scores},
};
use trajview_run::{Card, path::shared_folder};

/// One recording, named by where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub path: PathBuf,
    /// What the table calls it: its path below what was opened.
    pub name: String,
    pub reading: Reading,
    /// It was written to after it was read.
    pub is_stale: bool,
    pub computed: Computed,
    /// What another profile or other rules measured, until somebody dismisses it.
    pub before: Option<Scores>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Unread,
    /// What its beginning tells, where it tells something.
    Beginning(Option<Box<Card>>),
    Whole(Box<Card>),
    /// A sentence.
    Failed(String),
}

impl From<Said> for Reading {
    fn from(said: Said) -> Self {
        match said {
            Said::Beginning(card) => Self::Beginning(card),
            Said::Whole(card) => Self::Whole(card),
            Said::Failed(why) => Self::Failed(why),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Computed {
    Unmeasured,
    Ready(Scores),
    /// A sentence.
    Failed(String),
}

impl Row {
    pub fn of(path: PathBuf, name: String) -> Self {
        let (reading, computed) = (Reading::Unread, Computed::Unmeasured);
        Self { path, name, reading, is_stale: false, computed, before: None }
    }

    /// Whether the agent stands otherwise at this moment (milliseconds since 1970-01-01 UTC) than was known.
    pub fn stand(&mut self, now: i64) -> bool {
        let (Reading::Beginning(Some(card)) | Reading::Whole(card)) = &mut self.reading else {
            return false;
        };
        let Some(written) = card.work.written_at else { return false };
        let before = card.work.activity.clone();
        card.work = std::mem::take(&mut card.work).at(written, now);
        card.work.activity != before
    }

    /// As much as is known of it.
    pub fn card(&self) -> Option<&Card> {
        match &self.reading {
            Reading::Beginning(card) => card.as_deref(),
            Reading::Whole(card) => Some(card),
            Reading::Unread | Reading::Failed(_) => None,
        }
    }

    /// Read to its end.
    pub fn whole(&self) -> Option<&Card> {
        match &self.reading {
            Reading::Whole(card) => Some(card),
            _ => None,
        }
    }

    /// Measures it anew, with another profile or other rules; what is known stays as what was before.
    pub fn measure_again(&mut self) {
        match std::mem::replace(&mut self.computed, Computed::Unmeasured) {
            Computed::Ready(scores) => self.before = Some(scores),
            Computed::Unmeasured | Computed::Failed(_) => {}
        }
    }

    pub fn scores(&self) -> Option<&Scores> {
        match &self.computed {
            Computed::Ready(scores) => Some(scores),
            Computed::Unmeasured | Computed::Failed(_) => None,
        }
    }

    /// Why it could not be read.
    pub fn failure(&self) -> Option<&str> {
        match &self.reading {
            Reading::Failed(why) => Some(why),
            _ => None,
        }
    }

    pub const fn is_read(&self) -> bool {
        matches!(self.reading, Reading::Whole(_) | Reading::Failed(_))
    }

    /// Measured, or not to be.
    pub const fn is_done(&self) -> bool {
        matches!(self.reading, Reading::Failed(_)) || !matches!(self.computed, Computed::Unmeasured)
    }
}

/// Which columns runs call for: those of scores where one of them is of a task, or was tested, scored or judged.
pub fn set_of(rows: &[Row]) -> Set {
    let mut known = rows.iter().filter_map(Row::card).peekable();
    let is_scored = |card: &Card| {
        card.checkpoints > 0
            || card.tests.is_some()
            || card.mcf.is_some()
            || !card.recorded.is_empty()
            || card.identity.task.is_some()
            || card.identity.condition.is_some()
    };
    match known.peek().is_some() && !known.any(is_scored) {
        true => Set::Sessions,
        false => Set::Scores,
    }
}

/// What a path is called in a table of what was found in `sources`.
pub fn name_of(path: &Path, sources: &[PathBuf]) -> String {
    let root = match sources {
        [one] => Some(one.as_path()),
        several => shared_folder(several),
    };
    let below = root.and_then(|root| path.strip_prefix(root).ok());
    let below = below.filter(|below| !below.as_os_str().is_empty());
    let below = below.or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
    let name = below.to_string_lossy().replace('\\', "/");
    name.trim_end_matches(".zstd").trim_end_matches(".zst").trim_end_matches(".jsonl").to_owned()
}

/// A log that is alone in its folder is called by the folder: names of logs are numbers and letters. Gives the rows that have
/// another name now.
pub fn name_after_folders(rows: &mut [Row], sources: &[PathBuf]) -> Vec<usize> {
    let mut count: HashMap<PathBuf, usize> = HashMap::new();
    let folder = |row: &Row| row.path.parent().map(Path::to_owned).unwrap_or_default();
    for row in rows.iter() {
        *count.entry(folder(row)).or_default() += 1;
    }
    let mut renamed = vec![];
    for (row, at) in rows.iter_mut().zip(0..) {
        let is_log = row.path.extension().is_some_and(|end| end == "jsonl" || end == "zst");
        let folder = folder(row);
        let is_all = sources == [folder.clone()];
        if is_log && count.get(&folder) == Some(&1) && !is_all {
            row.name = name_of(&folder, sources);
            renamed.push(at);
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_alone_in_its_folder_is_called_by_the_folder() {
        let sources = [PathBuf::from("runs")];
        let paths = ["runs/a/s1.jsonl", "runs/b/s2.jsonl", "runs/b/s3.jsonl", "runs/s4.jsonl"];
        let row = |path: &str| Row::of(path.into(), name_of(Path::new(path), &sources));
        let mut rows: Vec<Row> = paths.map(row).into();

        assert_eq!(name_after_folders(&mut rows, &sources), [0]);

        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a", "b/s2", "b/s3", "s4"]);
    }

    #[test]
    fn a_run_is_called_by_its_path_below_what_was_opened() {
        let named = |path: &str, sources: &[&str]| {
            let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
            name_of(Path::new(path), &sources)
        };
        assert_eq!(named("runs/a/b", &["runs"]), "a/b");
        assert_eq!(named("runs/s.jsonl.zst", &["runs"]), "s");
        assert_eq!(named("runs/a", &["runs/a"]), "a");
        assert_eq!(named("/x/one/a", &["/x/one/a", "/x/two/b"]), "one/a");
        assert_eq!(named("a", &["a", "b"]), "a");
    }
}
