//! The JSON of `process`, and the part of it that `score` has. Absent values are null, never 0.

use std::collections::BTreeMap;

use serde::Serialize;

use trajview_metrics::process::{
    CheckedState, DisciplineScores, Pillar, PillarWeights, ProcessReport, ProcessSignal,
    RigorProfile,
    checked_states::CheckRun,
    lints::RecordingLint,
    pillars::{PillarPart, PillarScore},
    report::ShownStepNumbers,
};
use trajview_run::{StepId, format_number};

use super::ProcessedRun;
use crate::cli::output::share_cell;

/// The process of one run (JSON).
#[derive(Serialize)]
pub struct ProcessDocument {
    schema: &'static str,
    run: String,
    path: String,
    format: &'static str,
    task: Option<String>,
    agent: Option<String>,
    /// The folder that the agent left, where the code of a RigorBench result was read from there.
    pub working_copy: Option<String>,
    /// Both profiles, the paper's first.
    pub profiles: Vec<ProcessProfileRow>,
    pub signals: Vec<SignalRow>,
    pub recoveries: Vec<FailureRecoveryRow>,
    /// Results of build and test for each moment, where commands were run on request.
    pub states: Vec<CheckedStateRow>,
    /// The longest plan, and the step at which each item was done. Null if that is not known.
    pub plan: Vec<PlanItemRow>,
    pub lints: Vec<RecordingLint>,
}

#[derive(Serialize)]
pub struct ProcessProfileRow {
    pub profile: &'static str,
    /// 0 to 1; the weighted mean of the pillars that have a value.
    pub rigor_score: Option<f64>,
    /// The sum of the weights it could use, 0 to 1.
    pub weight_used: f64,
    pub pillars: Vec<PillarRow>,
    pub not_recorded: Vec<String>,
}

#[derive(Serialize)]
pub struct PillarRow {
    pub id: &'static str,
    pub name: &'static str,
    pub weight: f64,
    /// 0 to 1.
    pub value: Option<f64>,
    /// True if the value means "nothing was measured".
    pub is_default: bool,
    pub parts: Vec<PillarPart>,
    pub counted: Vec<CountedStepsRow>,
    /// The point in which the two profiles disagree.
    pub disagreement: &'static str,
}

#[derive(Serialize)]
pub struct CountedStepsRow {
    pub what: &'static str,
    pub count: usize,
    /// `12.7`: the seventh step of turn 12.
    pub steps: Vec<String>,
}

#[derive(Serialize)]
pub struct SignalRow {
    pub kind: &'static str,
    pub step: String,
    pub until: String,
    pub why: String,
    pub path: Option<String>,
}

#[derive(Serialize)]
pub struct FailureRecoveryRow {
    pub failed: String,
    pub attempts: usize,
    /// Attempts that did something else than those before.
    pub strategies: usize,
    /// Null if it was not recovered before the turn ended.
    pub recovered: Option<String>,
    /// Tokens of the failed attempts. Null if tokens are not recorded.
    pub tokens_wasted: Option<u64>,
}

/// The files after a turn, or after a step within one.
#[derive(Serialize)]
pub struct CheckedStateRow {
    /// Counts from 1.
    pub turn: usize,
    /// `12.7`; null at the end of the turn.
    pub step: Option<String>,
    pub commit: Option<String>,
    /// Null if it was not run.
    pub build: Option<CheckRow>,
    pub test: Option<CheckRow>,
}

/// The result of a command on the files of one moment.
#[derive(Serialize)]
pub struct CheckRow {
    pub command: String,
    /// `ok`, `failed`, `timed out` or `could not be run`.
    pub outcome: &'static str,
    pub exit_code: Option<i32>,
    pub seconds: Option<f64>,
    pub at: Option<String>,
    /// The last lines.
    pub output: String,
}

impl CheckRow {
    fn new(check: &CheckRun) -> Self {
        Self {
            command: check.command.clone(),
            outcome: check.outcome.word(),
            exit_code: check.exit_code,
            seconds: check.seconds,
            at: check.at.clone(),
            output: check.output.clone(),
        }
    }
}

#[derive(Serialize)]
pub struct PlanItemRow {
    pub item: String,
    pub done: Option<String>,
}

/// The process of a run in the output of `score`.
#[derive(Serialize)]
pub struct ProcessScoreRow {
    profile: &'static str,
    pillars: BTreeMap<&'static str, Option<f64>>,
    rigor_score: Option<f64>,
    weight_used: f64,
    counted: BTreeMap<&'static str, usize>,
    not_recorded: Vec<String>,
    signals: usize,
}

/// Returns `rigor-paper: RigorScore 0.672, over 90 % of the weights`.
pub(crate) fn rigor_score_text(
    profile: &str,
    rigor_score: Option<f64>,
    weight_used: f64,
) -> String {
    let (score, weight) = (share_cell(rigor_score), format_number::whole_percent(weight_used));
    format!("{profile}: RigorScore {score}, from pillars worth {weight} of the weight")
}

impl ProcessScoreRow {
    pub fn score_text(&self) -> String {
        rigor_score_text(self.profile, self.rigor_score, self.weight_used)
    }

    /// Makes the row by the paper's formulas.
    pub fn new(report: &ProcessReport) -> Self {
        let discipline = &report.paper;
        let counted = discipline.pillars.iter().flat_map(|scored| &scored.counted);
        Self {
            profile: discipline.profile.word(),
            pillars: discipline.pillars.iter().map(|it| (it.pillar.word(), it.value)).collect(),
            rigor_score: discipline.rigor_score(),
            weight_used: discipline.weight_used(),
            counted: counted.map(|it| (it.what, it.count)).collect(),
            not_recorded: discipline.not_recorded(),
            signals: report.signals.len(),
        }
    }
}

impl SignalRow {
    /// Makes the rows of all signals, in playing order.
    pub(crate) fn rows_of_report(report: &ProcessReport) -> Vec<Self> {
        let row = |signal: &ProcessSignal| Self {
            kind: signal.kind.words(),
            step: report.names.step_label(signal.step),
            until: report.names.step_label(signal.until),
            why: signal.why.clone(),
            path: signal.path.clone(),
        };
        report.signals.iter().map(row).collect()
    }
}

impl ProcessDocument {
    pub fn new(worked: &ProcessedRun, weights: Option<&PillarWeights>) -> Self {
        let ProcessedRun { path, run, report, .. } = worked;
        let called = |step: StepId| report.names.step_label(step);
        let recoveries = report.cycles.iter().map(|cycle| FailureRecoveryRow {
            failed: called(cycle.failed),
            attempts: cycle.attempts,
            strategies: cycle.strategies,
            recovered: cycle.recovered.map(called),
            tokens_wasted: cycle.tokens_wasted,
        });
        let state = |state: &CheckedState| CheckedStateRow {
            turn: state.turn + 1,
            step: state.step.map(called),
            commit: state.commit.clone(),
            build: state.build.as_ref().map(CheckRow::new),
            test: state.test.as_ref().map(CheckRow::new),
        };
        let planned = |(item, done): &(String, Option<StepId>)| PlanItemRow {
            item: item.clone(),
            done: done.map(called),
        };
        let profile = |profile: &RigorProfile| {
            profile_row(report.in_profile(*profile), weights, &report.names)
        };
        Self {
            schema: "trajview.process/1",
            run: run.id.clone(),
            path: path.clone(),
            format: run.origin.format,
            task: run.task_key(),
            agent: run.agent_key(),
            working_copy: worked.working_copy.clone(),
            profiles: RigorProfile::ALL.iter().map(profile).collect(),
            signals: SignalRow::rows_of_report(report),
            recoveries: recoveries.collect(),
            states: report.states.iter().map(state).collect(),
            plan: report.plan.iter().map(planned).collect(),
            lints: report.lints.clone(),
        }
    }
}

fn profile_row(
    discipline: &DisciplineScores,
    weights: Option<&PillarWeights>,
    names: &ShownStepNumbers,
) -> ProcessProfileRow {
    let weights = weights.cloned().unwrap_or_default();
    ProcessProfileRow {
        profile: discipline.profile.word(),
        rigor_score: discipline.composite_score(&weights),
        weight_used: discipline.weight_used(),
        pillars: discipline.pillars.iter().map(|it| pillar_row(it, &weights, names)).collect(),
        not_recorded: discipline.not_recorded(),
    }
}

fn pillar_row(
    scored: &PillarScore,
    weights: &PillarWeights,
    names: &ShownStepNumbers,
) -> PillarRow {
    PillarRow {
        id: scored.pillar.word(),
        name: scored.pillar.name(),
        weight: weights.weight_of(scored.pillar),
        value: scored.value,
        is_default: scored.is_default,
        parts: scored.parts.clone(),
        counted: scored
            .counted
            .iter()
            .map(|counted| CountedStepsRow {
                what: counted.what,
                count: counted.count,
                steps: counted.steps.iter().map(|step| names.step_label(*step)).collect(),
            })
            .collect(),
        disagreement: scored.pillar.profile_difference(),
    }
}

/// The columns of the CSV.
pub(crate) const CSV_COLUMNS: &str = "run path task agent profile rigor_score weight_used pf=pillars.pf vc=pillars.vc re=pillars.re aq=pillars.aq ati=pillars.ati tad=pillars.tad ee=pillars.ee signals lints";

/// A run as a row.
#[derive(Serialize)]
pub struct ProcessCsvRow {
    pub run: String,
    pub path: String,
    pub task: Option<String>,
    pub agent: Option<String>,
    pub profile: &'static str,
    pub rigor_score: Option<f64>,
    pub weight_used: f64,
    pub pillars: BTreeMap<&'static str, Option<f64>>,
    pub signals: usize,
    pub lints: usize,
    /// One spelling of the agent's name for all runs of it.
    pub harness: Option<String>,
    /// The value of the run's outcome, where it is recorded.
    pub outcome: Option<f64>,
    /// `tests`, or the file that has it.
    pub outcome_from: Option<String>,
    /// The folder that the agent left, where the code of a RigorBench result was read from there.
    pub working_copy: Option<String>,
}

impl ProcessCsvRow {
    pub fn new(
        worked: &ProcessedRun,
        profile: RigorProfile,
        weights: Option<&PillarWeights>,
    ) -> Self {
        let discipline = worked.report.in_profile(profile);
        Self {
            run: worked.run.id.clone(),
            path: worked.path.clone(),
            task: worked.run.task_key(),
            agent: worked.run.agent_key(),
            profile: profile.word(),
            rigor_score: discipline.composite_score(&weights.cloned().unwrap_or_default()),
            weight_used: discipline.weight_used(),
            pillars: Pillar::ALL
                .iter()
                .map(|it| (it.word(), discipline.pillar_value(*it)))
                .collect(),
            signals: worked.report.signals.len(),
            lints: worked.report.lints.len(),
            harness: worked.run.agent_key(),
            outcome: None,
            outcome_from: None,
            working_copy: worked.working_copy.clone(),
        }
    }
}
