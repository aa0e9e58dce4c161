//! The JSON of `process`, and the part of it that `score` has. Absent values are null, never 0.

use std::collections::BTreeMap;

use serde::Serialize;

use trajview_metrics::process::{
    Discipline, Pillar, Profile, Report, Signal, State, Weights,
    lints::Lint,
    pillars::{Part, Scored},
    report::Names,
    states::Check,
};
use trajview_run::{StepId, figures};

use super::Worked;
use crate::cli::output::share;

/// What is said of one run.
#[derive(Serialize)]
pub struct Process {
    schema: &'static str,
    run: String,
    path: String,
    format: &'static str,
    task: Option<String>,
    agent: Option<String>,
    /// The folder that the agent left, where the code of a RigorBench result was read from there.
    pub working_copy: Option<String>,
    /// Both profiles, the paper's first.
    pub profiles: Vec<ProfileRow>,
    pub signals: Vec<SignalRow>,
    pub recoveries: Vec<RecoveryRow>,
    /// Whether the files of each moment build and pass, where commands were run on request.
    pub states: Vec<StateRow>,
    /// The longest plan, and the step at which each of its items was done; null where that cannot be told.
    pub plan: Vec<PlanRow>,
    pub lints: Vec<Lint>,
}

#[derive(Serialize)]
pub struct ProfileRow {
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
    /// Whether the value stands for "nothing was measured".
    pub is_default: bool,
    pub parts: Vec<Part>,
    pub counted: Vec<CountedRow>,
    /// Where the two profiles disagree.
    pub disagreement: &'static str,
}

#[derive(Serialize)]
pub struct CountedRow {
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
pub struct RecoveryRow {
    pub failed: String,
    pub attempts: usize,
    /// Attempts that did something else than those before.
    pub strategies: usize,
    /// Null where it was not recovered before the turn ended.
    pub recovered: Option<String>,
    /// Of the attempts that failed; null where tokens are not recorded.
    pub tokens_wasted: Option<u64>,
}

/// The files after a turn, or after a step within one.
#[derive(Serialize)]
pub struct StateRow {
    /// Counts from 1.
    pub turn: usize,
    /// `12.7`; null at the end of the turn.
    pub step: Option<String>,
    pub commit: Option<String>,
    /// Null where it was not run.
    pub build: Option<CheckRow>,
    pub test: Option<CheckRow>,
}

/// What a command said of some files.
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
    fn of(check: &Check) -> Self {
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
pub struct PlanRow {
    pub item: String,
    pub done: Option<String>,
}

/// What `score` says of a run's process.
#[derive(Serialize)]
pub struct ScoreRow {
    profile: &'static str,
    pillars: BTreeMap<&'static str, Option<f64>>,
    rigor_score: Option<f64>,
    weight_used: f64,
    counted: BTreeMap<&'static str, usize>,
    not_recorded: Vec<String>,
    signals: usize,
}

/// `rigor-paper: RigorScore 0.672, over 90 % of the weights`
pub fn said(profile: &str, rigor_score: Option<f64>, weight_used: f64) -> String {
    let (score, weight) = (share(rigor_score), figures::percent(weight_used));
    format!("{profile}: RigorScore {score}, over {weight} of the weights")
}

impl ScoreRow {
    pub fn said(&self) -> String {
        said(self.profile, self.rigor_score, self.weight_used)
    }

    /// By the paper's formulas.
    pub fn of(report: &Report) -> Self {
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
    /// In playing order.
    pub fn all(report: &Report) -> Vec<Self> {
        let row = |signal: &Signal| Self {
            kind: signal.kind.words(),
            step: report.names.called(signal.step),
            until: report.names.called(signal.until),
            why: signal.why.clone(),
            path: signal.path.clone(),
        };
        report.signals.iter().map(row).collect()
    }
}

impl Process {
    pub fn of(worked: &Worked, weights: Option<&Weights>) -> Self {
        let Worked { path, run, report, .. } = worked;
        let called = |step: StepId| report.names.called(step);
        let recoveries = report.cycles.iter().map(|cycle| RecoveryRow {
            failed: called(cycle.failed),
            attempts: cycle.attempts,
            strategies: cycle.strategies,
            recovered: cycle.recovered.map(called),
            tokens_wasted: cycle.tokens_wasted,
        });
        let state = |state: &State| StateRow {
            turn: state.turn + 1,
            step: state.step.map(called),
            commit: state.commit.clone(),
            build: state.build.as_ref().map(CheckRow::of),
            test: state.test.as_ref().map(CheckRow::of),
        };
        let planned = |(item, done): &(String, Option<StepId>)| PlanRow {
            item: item.clone(),
            done: done.map(called),
        };
        let profile =
            |profile: &Profile| profile_row(report.in_profile(*profile), weights, &report.names);
        Self {
            schema: "trajview.process/1",
            run: run.id.clone(),
            path: path.clone(),
            format: run.origin.format,
            task: run.task_key(),
            agent: run.agent_key(),
            working_copy: worked.working_copy.clone(),
            profiles: Profile::ALL.iter().map(profile).collect(),
            signals: SignalRow::all(report),
            recoveries: recoveries.collect(),
            states: report.states.iter().map(state).collect(),
            plan: report.plan.iter().map(planned).collect(),
            lints: report.lints.clone(),
        }
    }
}

fn profile_row(discipline: &Discipline, weights: Option<&Weights>, names: &Names) -> ProfileRow {
    let weights = weights.cloned().unwrap_or_default();
    ProfileRow {
        profile: discipline.profile.word(),
        rigor_score: discipline.composite(&weights),
        weight_used: discipline.weight_used(),
        pillars: discipline.pillars.iter().map(|it| pillar_row(it, &weights, names)).collect(),
        not_recorded: discipline.not_recorded(),
    }
}

fn pillar_row(scored: &Scored, weights: &Weights, names: &Names) -> PillarRow {
    PillarRow {
        id: scored.pillar.word(),
        name: scored.pillar.name(),
        weight: weights.of(scored.pillar),
        value: scored.value,
        is_default: scored.is_default,
        parts: scored.parts.clone(),
        counted: scored
            .counted
            .iter()
            .map(|counted| CountedRow {
                what: counted.what,
                count: counted.count,
                steps: counted.steps.iter().map(|step| names.called(*step)).collect(),
            })
            .collect(),
        disagreement: scored.pillar.disagreement(),
    }
}

/// The columns of the CSV.
pub const CSV: &str = "run path task agent profile rigor_score weight_used pf=pillars.pf vc=pillars.vc re=pillars.re aq=pillars.aq ati=pillars.ati tad=pillars.tad ee=pillars.ee signals lints";

/// A run as a row.
#[derive(Serialize)]
pub struct CsvRow {
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
    /// What stands for the run's outcome, where it is recorded.
    pub outcome: Option<f64>,
    /// `tests`, or the file that has it.
    pub outcome_from: Option<String>,
    /// The folder that the agent left, where the code of a RigorBench result was read from there.
    pub working_copy: Option<String>,
}

impl CsvRow {
    pub fn of(worked: &Worked, profile: Profile, weights: Option<&Weights>) -> Self {
        let discipline = worked.report.in_profile(profile);
        Self {
            run: worked.run.id.clone(),
            path: worked.path.clone(),
            task: worked.run.task_key(),
            agent: worked.run.agent_key(),
            profile: profile.word(),
            rigor_score: discipline.composite(&weights.cloned().unwrap_or_default()),
            weight_used: discipline.weight_used(),
            pillars: Pillar::ALL.iter().map(|it| (it.word(), discipline.value(*it))).collect(),
            signals: worked.report.signals.len(),
            lints: worked.report.lints.len(),
            harness: worked.run.agent_key(),
            outcome: None,
            outcome_from: None,
            working_copy: worked.working_copy.clone(),
        }
    }
}
