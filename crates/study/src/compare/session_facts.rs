//! Facts of each run from its recording: the comparison that remains where nothing was judged.

use std::collections::BTreeSet;

use serde::Serialize;

use super::ComparedRun;
use trajview_run::{
    RunCard, Time,
    format_number::{dollars_text, duration_text, with_thousands},
    run_card::main_and_subagent_steps,
};

/// The work done in a run. None means not recorded, which is not 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionFacts {
    pub project: Option<String>,
    /// The first recorded moment, in milliseconds since 1970-01-01 UTC.
    pub started_at: Option<Time>,
    /// Turns that count; None, as steps, for a rubric tree alone.
    pub requests: Option<usize>,
    /// The steps of the turns that count; this and the two counts below include sub-agents.
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
    /// The cost that the recording states, in US dollars.
    pub cost_usd: Option<f64>,
    /// The time from the first recorded moment to the last.
    pub seconds: Option<f64>,
}

impl SessionFacts {
    pub fn for_run(party: &ComparedRun) -> Self {
        let run = &party.run;
        let card = RunCard::for_run(run);
        let paths =
            main_and_subagent_steps(run).flat_map(|step| &step.edits).map(|edit| &edit.path);
        let paths: BTreeSet<String> = paths.map(ToString::to_string).collect();
        let of_turns = run.turns.first().and_then(|turn| turn.started_at);
        Self {
            project: card.work.project_name().map(ToOwned::to_owned),
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

    /// Returns each fact with its name; None where it is not recorded. Tokens are among the numbers and not here.
    pub fn named_facts(&self) -> [(&'static str, Option<String>); 10] {
        let counted = |number: Option<usize>| number.map(|number| with_thousands(number as u64));
        let lines = |(added, removed): (u64, u64)| format!("+{added} −{removed}");
        [
            ("project", self.project.clone()),
            ("began", self.started_at.map(Time::minute_text)),
            ("requests", counted(self.requests)),
            ("steps", counted(self.steps)),
            ("edits", counted(self.edits)),
            ("files edited", counted(self.edited_files)),
            ("lines", self.changed_lines.map(lines)),
            ("failed calls", counted(self.failures)),
            ("cost", self.cost_usd.map(dollars_text)),
            ("time", self.seconds.map(duration_text)),
        ]
    }
}

/// Returns whether no run was judged or can be: no run has a checklist or a verdict, whole or in part.
pub fn lack_judgements(parties: &[ComparedRun]) -> bool {
    let is_plain = |party: &ComparedRun| {
        party.rubric.checklist.is_none() && party.rubric.judgements.is_empty()
    };
    !parties.is_empty() && parties.iter().all(is_plain)
}
