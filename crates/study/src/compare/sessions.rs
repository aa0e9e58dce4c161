//! What each of some runs did, as its recording says: what there is to compare where nothing was judged.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Party;
use trajview_run::{
    Card, Time,
    card::steps,
    figures::{count, dollars, duration},
};

/// What was done in a run. None is "not recorded", which is not 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Session {
    pub project: Option<String>,
    /// The first recorded moment, in milliseconds since 1970-01-01 UTC.
    pub started_at: Option<Time>,
    /// Turns that count; None, as steps, for a rubric tree alone.
    pub requests: Option<usize>,
    /// Of the turns that count; sub-agents' included, as in the two that follow.
    pub steps: Option<usize>,
    /// Recorded changes of files.
    pub edits: Option<usize>,
    /// Files that these changes name, each once.
    pub edited_files: Option<usize>,
    /// Calls that failed.
    pub failures: Option<usize>,
    /// Lines added and removed in the workspace; as far as recorded edits tell where the files were not read.
    pub changed_lines: Option<(u64, u64)>,
    /// Read and written, cached input included.
    pub tokens: Option<u64>,
    /// As the recording says it.
    pub cost_usd: Option<f64>,
    /// From the first recorded moment to the last.
    pub seconds: Option<f64>,
}

impl Session {
    pub fn of(party: &Party) -> Self {
        let run = &party.run;
        let card = Card::of(run);
        let paths = steps(run).flat_map(|step| &step.edits).map(|edit| &edit.path);
        let paths: BTreeSet<String> = paths.map(ToString::to_string).collect();
        let of_turns = run.turns.first().and_then(|turn| turn.started_at);
        Self {
            project: card.work.project().map(ToOwned::to_owned),
            started_at: run.started_at.or(of_turns),
            requests: card.totals.steps.map(|_| card.turns),
            steps: card.totals.steps,
            edits: card.work.edits,
            edited_files: card.work.edits.map(|_| paths.len()),
            failures: card.trouble.failures,
            changed_lines: party.lines.or(card.lines),
            tokens: card.tokens,
            cost_usd: card.cost.recorded_usd,
            seconds: card.totals.seconds,
        }
    }

    /// Each fact with its name; None where it is not recorded. Tokens stand among the numbers.
    pub fn facts(&self) -> [(&'static str, Option<String>); 10] {
        let counted = |number: Option<usize>| number.map(|number| count(number as u64));
        let lines = |(added, removed): (u64, u64)| format!("+{added} −{removed}");
        [
            ("project", self.project.clone()),
            ("began", self.started_at.map(Time::minute)),
            ("requests", counted(self.requests)),
            ("steps", counted(self.steps)),
            ("edits", counted(self.edits)),
            ("files edited", counted(self.edited_files)),
            ("lines", self.changed_lines.map(lines)),
            ("failed calls", counted(self.failures)),
            ("cost", self.cost_usd.map(dollars)),
            ("time", self.seconds.map(duration)),
        ]
    }
}

/// Whether nothing was judged, nor is to be: there is no checklist and no verdict, whole or in part, of any of the runs.
pub fn are_plain(parties: &[Party]) -> bool {
    let is_plain =
        |party: &Party| party.rubric.checklist.is_none() && party.rubric.judgements.is_empty();
    !parties.is_empty() && parties.iter().all(is_plain)
}
