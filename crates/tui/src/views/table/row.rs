//! One run of a collection: how far it is read and measured.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::session::{
    columns::ColumnSet,
    table_protocol::{KnownCard, RunFileScores},
};
use trajview_run::{RunCard, path::shared_folder};

/// One recording, named by where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    pub path: PathBuf,
    /// The name in the table: the path below the opened path.
    pub name: String,
    pub reading: RunReading,
    /// True if the recording was written to after it was read.
    pub is_stale: bool,
    pub computed: ComputedScores,
    /// The values of another profile or other rules, until they are dismissed.
    pub earlier_scores: Option<RunFileScores>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunReading {
    Unread,
    /// The card from the beginning of the recording, if the beginning gave one.
    Beginning(Option<Box<RunCard>>),
    Whole(Box<RunCard>),
    /// A sentence.
    Failed(String),
}

impl From<KnownCard> for RunReading {
    fn from(said: KnownCard) -> Self {
        match said {
            KnownCard::Beginning(card) => Self::Beginning(card),
            KnownCard::Whole(card) => Self::Whole(card),
            KnownCard::Failed(why) => Self::Failed(why),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ComputedScores {
    Unmeasured,
    Ready(RunFileScores),
    /// A sentence.
    Failed(String),
}

impl RunRow {
    pub fn unread_row(path: PathBuf, name: String) -> Self {
        let (reading, computed) = (RunReading::Unread, ComputedScores::Unmeasured);
        Self { path, name, reading, is_stale: false, computed, earlier_scores: None }
    }

    /// Updates the activity of the agent for this time (milliseconds since 1970-01-01 UTC). Returns true if it changed.
    pub(crate) fn update_activity(&mut self, now: i64) -> bool {
        let (RunReading::Beginning(Some(card)) | RunReading::Whole(card)) = &mut self.reading
        else {
            return false;
        };
        let Some(written) = card.work.written_at else { return false };
        let before = card.work.activity.clone();
        card.work = std::mem::take(&mut card.work).with_activity_at(written, now);
        card.work.activity != before
    }

    /// Returns the card as far as it was read.
    pub fn known_card(&self) -> Option<&RunCard> {
        match &self.reading {
            RunReading::Beginning(card) => card.as_deref(),
            RunReading::Whole(card) => Some(card),
            RunReading::Unread | RunReading::Failed(_) => None,
        }
    }

    /// Returns the card if the recording was read to its end.
    pub(crate) fn whole_card(&self) -> Option<&RunCard> {
        match &self.reading {
            RunReading::Whole(card) => Some(card),
            _ => None,
        }
    }

    /// Measures the run again, with another profile or other rules. Known values stay as the earlier values.
    pub(crate) fn measure_again(&mut self) {
        match std::mem::replace(&mut self.computed, ComputedScores::Unmeasured) {
            ComputedScores::Ready(scores) => self.earlier_scores = Some(scores),
            ComputedScores::Unmeasured | ComputedScores::Failed(_) => {}
        }
    }

    pub(crate) fn computed_scores(&self) -> Option<&RunFileScores> {
        match &self.computed {
            ComputedScores::Ready(scores) => Some(scores),
            ComputedScores::Unmeasured | ComputedScores::Failed(_) => None,
        }
    }

    /// Returns the reason why the recording could not be read.
    pub(crate) fn reading_failure(&self) -> Option<&str> {
        match &self.reading {
            RunReading::Failed(why) => Some(why),
            _ => None,
        }
    }

    pub const fn is_read(&self) -> bool {
        matches!(self.reading, RunReading::Whole(_) | RunReading::Failed(_))
    }

    /// Returns true if the run was measured or is not to be measured.
    pub const fn is_done(&self) -> bool {
        matches!(self.reading, RunReading::Failed(_))
            || !matches!(self.computed, ComputedScores::Unmeasured)
    }
}

/// Returns the set of columns that the runs call for: scores if a run has a task or was tested, scored or judged.
pub(crate) fn called_column_set(rows: &[RunRow]) -> ColumnSet {
    let mut known = rows.iter().filter_map(RunRow::known_card).peekable();
    let is_scored = |card: &RunCard| {
        card.checkpoints > 0
            || card.tests.is_some()
            || card.mcf.is_some()
            || !card.recorded.is_empty()
            || card.trial.outcome.is_some()
            || card.trial.reward.is_some()
            || card.identity.task.is_some()
            || card.identity.condition.is_some()
    };
    match known.peek().is_some() && !known.any(is_scored) {
        true => ColumnSet::Sessions,
        false => ColumnSet::Scores,
    }
}

/// Returns the name of a path in a table of the runs found in `sources`.
pub fn run_name(path: &Path, sources: &[PathBuf]) -> String {
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

/// Names a log that is alone in its folder by the folder, since names of logs are numbers and letters, or the same in each
/// trial. A folder `agent` of a trial is named by the trial. Returns the indexes of the renamed rows.
pub(crate) fn name_after_folders(rows: &mut [RunRow], sources: &[PathBuf]) -> Vec<usize> {
    let mut count: HashMap<PathBuf, usize> = HashMap::new();
    let folder = |row: &RunRow| row.path.parent().map(Path::to_owned).unwrap_or_default();
    for row in rows.iter() {
        *count.entry(folder(row)).or_default() += 1;
    }
    let mut renamed = vec![];
    for (row, at) in rows.iter_mut().zip(0..) {
        let is_log =
            row.path.extension().is_some_and(|end| LOG_ENDINGS.iter().any(|known| end == *known));
        let alone = folder(row);
        let is_single = count.get(&alone) == Some(&1);
        let trial = alone.parent().filter(|_| alone.ends_with(TRIAL_AGENT_FOLDER));
        let folder = trial.map_or_else(|| alone.clone(), Path::to_owned);
        let is_all = sources.len() == 1 && (sources[0] == folder || sources[0] == alone);
        if is_log && is_single && !is_all {
            row.name = run_name(&folder, sources);
            renamed.push(at);
        }
    }
    renamed
}

/// The endings of logs that are named by their folder.
const LOG_ENDINGS: [&str; 4] = ["jsonl", "zst", "json", "txt"];

/// The folder of a trial in which harnesses keep the log of the agent.
const TRIAL_AGENT_FOLDER: &str = "agent";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_alone_in_its_folder_is_called_by_the_folder() {
        let sources = [PathBuf::from("runs")];
        let paths = [
            "runs/a/s1.jsonl",
            "runs/b/s2.jsonl",
            "runs/b/s3.jsonl",
            "runs/s4.jsonl",
            "runs/task__x1/agent/trajectory.json",
            "runs/task__x2/agent/claude-code.txt",
        ];
        let row = |path: &str| RunRow::unread_row(path.into(), run_name(Path::new(path), &sources));
        let mut rows: Vec<RunRow> = paths.map(row).into();

        assert_eq!(name_after_folders(&mut rows, &sources), [0, 4, 5]);

        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a", "b/s2", "b/s3", "s4", "task__x1", "task__x2"]);
    }

    #[test]
    fn a_run_is_called_by_its_path_below_what_was_opened() {
        let names = |path: &str, sources: &[&str]| {
            let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
            run_name(Path::new(path), &sources)
        };
        assert_eq!(names("runs/a/b", &["runs"]), "a/b");
        assert_eq!(names("runs/s.jsonl.zst", &["runs"]), "s");
        assert_eq!(names("runs/a", &["runs/a"]), "a");
        assert_eq!(names("/x/one/a", &["/x/one/a", "/x/two/b"]), "one/a");
        assert_eq!(names("a", &["a", "b"]), "a");
    }
}
