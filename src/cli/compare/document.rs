//! The JSON of `compare`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    component_comparison::{self, ComponentsRow},
    harness_records::{self, HarnessTests},
    score::{RulerFacts, RulesFacts, rules_facts},
};
use trajview_metrics::{
    Number,
    numbers::{self, COMPARED, MOMENT, NumberValues, SLUMP},
    phase::TaskPhase,
    quality::Ruler,
};
use trajview_run::{Run, rubric::PooledSources};
use trajview_study::{
    Estimate, Interval, Undefined,
    compare::{
        self, ComparedComponent, ComparedMoment, ComparedRun, ComponentCell, EstimatedNumber,
        FilePresence, FileRow, IntervalParts, NumberOutcome, RunRecovery, ScoreTransitions,
        Subtraction, run_letter,
    },
    undefined_reasons,
};

use super::{CompareArgs, CompareEach, OpenedRun, run_subtraction};

/// The compared runs, with everything that their tables need.
pub struct CompareDocument<'a> {
    pub opened_runs: &'a [OpenedRun],
    pub parties: &'a [ComparedRun],
    /// File rows of the first two runs.
    pub files: &'a [FileRow],
    pub args: &'a CompareArgs,
}

#[derive(Serialize)]
pub struct CompareJson<'a> {
    schema: &'static str,
    #[serde(flatten)]
    ruler: MeasuredBy<'a>,
    a: ComparedRunFacts<'a>,
    b: ComparedRunFacts<'a>,
    /// Every run in the order it was named, `a` and `b` among them.
    runs: Vec<ComparedRunFacts<'a>>,
    warnings: Vec<String>,
    slump: SlumpDifferences,
    /// Gap recovery of each run whose condition is neither; empty unless one run is emergent and one single-shot.
    gap_recovery: Vec<GapRecoveryRow<'a>>,
    numbers: Vec<NumberRow>,
    #[serde(flatten)]
    components: PairedComponents,
    points: Vec<PhasePairRow>,
    checkpoints: Vec<CheckpointPairRow>,
    /// Null unless every turn was requested.
    turns: Option<TurnPoints>,
    tests: TestsOfPair,
    files: Vec<ComparedFileRow<'a>>,
}

/// The ruler that measured the code, and its rules.
#[derive(Serialize)]
struct MeasuredBy<'a> {
    #[serde(flatten)]
    ruler: RulerFacts,
    rules: RulesFacts<'a>,
}

/// The components that both runs are judged on.
#[derive(Serialize)]
struct PairedComponents {
    /// The largest loss first.
    components: Vec<ComparedComponentRow>,
    /// Rows by the score of `a`, columns by that of `b`.
    transitions: [[usize; 5]; 5],
    /// Components that both are judged on.
    n: usize,
    /// Means over those components with intervals; empty without any.
    means: Vec<ComponentsRow>,
}

#[derive(Serialize)]
struct ComparedAgentFacts<'a> {
    agent: &'a str,
    agent_version: Option<&'a str>,
    model: Option<&'a str>,
}

#[derive(Serialize)]
struct ComparedRunFacts<'a> {
    letter: String,
    id: &'a str,
    path: String,
    format: &'static str,
    title: &'a str,
    condition: Option<&'a str>,
    task: Option<&'a str>,
    #[serde(flatten)]
    agent: ComparedAgentFacts<'a>,
    turns: Option<usize>,
    checkpoints: usize,
    /// The last commit. Null if no turn has one.
    commit: Option<&'a str>,
    /// The judgement that counts. Null if there is none.
    judgement: Option<JudgementFacts<'a>>,
    /// Every judge who has judged the run.
    judges: Vec<&'a str>,
    components: Option<usize>,
    /// Facts on the session, as recorded.
    session: compare::SessionFacts,
}

#[derive(Serialize)]
struct JudgementFacts<'a> {
    judge: &'a str,
    kind: &'a str,
    model: Option<&'a str>,
    file: &'a str,
    commit: Option<&'a str>,
    /// The state that was judged, in turns done.
    turn: usize,
    judged: usize,
    created_at: Option<&'a str>,
    /// `mean of 3: gpt, opus, human`. Null if it is one judgement.
    pooled: Option<String>,
}

#[derive(Serialize)]
struct SlumpDifferences {
    #[serde(flatten)]
    differences: NumberValues,
    /// True if the conditions tell which run is the emergent one; otherwise the values are a minus b.
    by_condition: bool,
    /// `single-shot − emergent (b − a)`
    difference: String,
    /// The same numbers with intervals.
    intervals: IntervalsRow,
}

/// One of SLUMP's numbers. Null if it cannot be had.
#[derive(Serialize)]
pub struct NumberEstimateRow {
    pub name: &'static str,
    pub a: EstimateRow,
    pub b: EstimateRow,
    pub difference: EstimateRow,
}

#[derive(Serialize)]
pub struct EstimateRow {
    pub value: Option<f64>,
    pub ci95: Option<Interval>,
    /// By field, the reason why it is null.
    not_defined: BTreeMap<&'static str, Undefined>,
}

impl EstimateRow {
    fn new(it: &Estimate) -> Self {
        Self {
            value: it.value.ok(),
            ci95: it.interval.ok(),
            not_defined: undefined_reasons([
                ("value", it.value.err()),
                ("ci95", it.interval.err()),
            ]),
        }
    }
}

/// The settings of intervals, and the numbers with their intervals.
#[derive(Serialize)]
struct IntervalsRow {
    drawn: &'static str,
    seed: u64,
    resamples: usize,
    numbers: Vec<NumberEstimateRow>,
}

#[derive(Serialize)]
struct GapRecoveryRow<'a> {
    letter: String,
    run: &'a str,
    condition: Option<&'a str>,
    /// Shares of the gap. Null if a number is missing or there is no gap to close.
    #[serde(flatten)]
    shares: NumberValues,
}

#[derive(Serialize)]
struct NumberRow {
    name: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    delta: Option<f64>,
    /// The letter of the run that does better. Null if neither does.
    better: Option<String>,
    /// One a run.
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct ComparedComponentRow {
    id: String,
    name: String,
    a: Option<u8>,
    b: Option<u8>,
    /// The difference; positive is a loss where the conditions tell which run is the emergent one.
    delta: Option<i8>,
    /// The letter of the one run that has it.
    only_in: Option<String>,
    /// One a run.
    scores: Vec<Option<u8>>,
    /// The reason why there is no score, one a run. Null if there is one.
    missing: Vec<Option<String>>,
}

#[derive(Serialize)]
struct PhasePairRow {
    phase: TaskPhase,
    a: Option<PointRow>,
    b: Option<PointRow>,
}

#[derive(Serialize)]
struct CheckpointPairRow {
    /// label, id, order or end. Null if one side is missing.
    paired_by: Option<&'static str>,
    a: Option<PointRow>,
    b: Option<PointRow>,
}

#[derive(Serialize)]
struct TurnPoints {
    a: Vec<PointRow>,
    b: Vec<PointRow>,
}

#[derive(Serialize)]
pub struct PointRow {
    /// The checkpoint that ends here, by its id and label.
    checkpoint: Option<String>,
    label: Option<String>,
    /// The moment, in turns done; 0–1 of the run's turns in `fraction`.
    turn: usize,
    fraction: f64,
    commit: Option<String>,
    phase: Option<TaskPhase>,
    bin: Option<f64>,
    #[serde(flatten)]
    numbers: NumberValues,
}

#[derive(Serialize)]
struct TestsOfPair {
    a: Option<HarnessTests>,
    b: Option<HarnessTests>,
}

#[derive(Serialize)]
struct ComparedFileRow<'a> {
    path: &'a str,
    /// The name in `a`, where it is another.
    from: Option<&'a str>,
    /// `a` or `b`; null for a file of both.
    only_in: Option<&'static str>,
    both: bool,
    same: bool,
    /// Lines of `b` that `a` lacks; null for what has no lines to count.
    added: Option<usize>,
    removed: Option<usize>,
}

impl<'a> CompareDocument<'a> {
    pub(crate) fn first_two(&self) -> [&'a ComparedRun; 2] {
        [&self.parties[0], &self.parties[1]] // the command takes two runs at least
    }

    /// Returns the numbers that are listed.
    pub fn listed_numbers(&self) -> Vec<Number> {
        numbers::visible_numbers(COMPARED, |it| {
            self.parties.iter().any(|party| party.final_value(it).is_some())
        })
    }

    pub fn component_rows(&self) -> Vec<ComparedComponent> {
        let judged = |party: &'a ComparedRun| (party.rubric.checklist.as_ref(), party.judgement());
        compare::component_rows(&self.parties.iter().map(judged).collect::<Vec<_>>())
    }

    /// Computes means over the components that the first two runs are both judged on.
    pub(crate) fn component_means(&self, rows: &[ComparedComponent]) -> Vec<ComponentsRow> {
        let score = |row: &ComparedComponent, run| row.score_in(run).map(f64::from);
        let both: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| score(row, 0).zip(score(row, 1))).collect();
        let is_turned = run_subtraction(self.parties).from == 1;
        component_comparison::rows_of_two_runs(&both, is_turned, &self.args.resampling.to_plan())
    }

    /// SLUMP's numbers of the first two runs.
    pub(crate) fn number_estimates(&self) -> Vec<NumberEstimateRow> {
        let plan = self.args.resampling.to_plan();
        let found = IntervalParts::for_pair(self.first_two())
            .number_intervals(run_subtraction(self.parties), &plan);
        let row = |it: &EstimatedNumber| NumberEstimateRow {
            name: it.number.id(),
            a: EstimateRow::new(&it.a),
            b: EstimateRow::new(&it.b),
            difference: EstimateRow::new(&it.difference),
        };
        found.iter().map(row).collect()
    }

    pub fn to_json(&'a self, ruler: &'a Ruler) -> CompareJson<'a> {
        let [a, b] = self.first_two();
        let (rows, by) = (self.component_rows(), run_subtraction(self.parties));
        let facts = |at: usize| run_facts(at, &self.opened_runs[at], &self.parties[at]);
        let transitions = ScoreTransitions::between_runs(&rows, (0, 1));
        let delta = |number| NumberOutcome::at_end(number, [a, b], by).delta;
        let checkpoint = |pair: compare::CheckpointPair| CheckpointPairRow {
            paired_by: pair.by.map(compare::PairedBy::word),
            a: pair.a.map(|moment| point_row(a, &moment)),
            b: pair.b.map(|moment| point_row(b, &moment)),
        };
        let phase = |pair: compare::PhasePair| PhasePairRow {
            phase: pair.phase,
            a: pair.a.map(|moment| point_row(a, &moment)),
            b: pair.b.map(|moment| point_row(b, &moment)),
        };
        let turns = |party: &ComparedRun| {
            compare::turn_moments(&party.run)
                .iter()
                .map(|moment| point_row(party, moment))
                .collect()
        };
        CompareJson {
            schema: "trajview.compare/1",
            a: facts(0),
            b: facts(1),
            runs: (0..self.parties.len()).map(facts).collect(),
            warnings: compare::comparison_warnings(self.parties),
            slump: SlumpDifferences {
                differences: NumberValues::new(&SLUMP, delta),
                by_condition: by.is_slump,
                difference: by.display_text(),
                intervals: IntervalsRow {
                    drawn: compare::INTERVAL_METHOD,
                    seed: self.args.resampling.to_plan().seed,
                    resamples: self.args.resampling.to_plan().resamples,
                    numbers: self.number_estimates(),
                },
            },
            gap_recovery: compare::run_recoveries(self.parties)
                .into_iter()
                .map(|it| self.recovery_row(it))
                .collect(),
            numbers: self
                .listed_numbers()
                .into_iter()
                .map(|number| self.number_row(number, by))
                .collect(),
            points: compare::pair_by_phase(&a.run, &b.run).into_iter().map(phase).collect(),
            checkpoints: compare::pair_by_checkpoint(&a.run, &b.run)
                .into_iter()
                .map(checkpoint)
                .collect(),
            turns: (self.args.each == CompareEach::Turn)
                .then(|| TurnPoints { a: turns(a), b: turns(b) }),
            tests: TestsOfPair {
                a: harness_records::recorded_tests(&a.run),
                b: harness_records::recorded_tests(&b.run),
            },
            files: self.files.iter().map(file_row).collect(),
            ruler: MeasuredBy { ruler: RulerFacts::new(ruler), rules: rules_facts(ruler) },
            components: PairedComponents {
                components: compared_component_rows(&rows, by),
                transitions: transitions.counts,
                n: transitions.n,
                means: self.component_means(&rows),
            },
        }
    }

    fn recovery_row(&self, RunRecovery { treated, shares }: RunRecovery) -> GapRecoveryRow<'_> {
        let run = &self.parties[treated].run;
        let (letter, condition) = (run_letter(treated), run.condition.as_deref());
        GapRecoveryRow { letter, run: &run.id, condition, shares }
    }

    fn number_row(&self, number: Number, by: Subtraction) -> NumberRow {
        let outcome = NumberOutcome::at_end(number, self.first_two(), by);
        NumberRow {
            name: number.id(),
            a: outcome.a,
            b: outcome.b,
            delta: outcome.delta,
            better: outcome.better.map(run_letter),
            values: self.parties.iter().map(|party| party.final_value(number)).collect(),
        }
    }
}

fn compared_component_rows(
    rows: &[ComparedComponent],
    by: Subtraction,
) -> Vec<ComparedComponentRow> {
    let row = |at: usize| {
        let row = &rows[at];
        ComparedComponentRow {
            id: row.id.clone(),
            name: row.name.clone(),
            a: row.score_in(0),
            b: row.score_in(1),
            delta: row.score_delta(by),
            only_in: row.only_in().map(run_letter),
            scores: (0..row.cells.len()).map(|run| row.score_in(run)).collect(),
            missing: row.cells.iter().map(missing_reason).collect(),
        }
    };
    compare::by_loss(rows, by).into_iter().map(row).collect()
}

/// Returns the reason why there is no score. None if there is one.
fn missing_reason(cell: &ComponentCell) -> Option<String> {
    match cell {
        ComponentCell::Score(_) => None,
        ComponentCell::NotListed => Some("not in its checklist".into()),
        ComponentCell::NotJudged(None) => Some("not judged".into()),
        ComponentCell::NotJudged(Some(why)) => Some(format!("not judged: {why}")),
    }
}

fn run_facts<'a>(at: usize, opened: &'a OpenedRun, party: &'a ComparedRun) -> ComparedRunFacts<'a> {
    let run = &party.run;
    let mut judges: Vec<&str> =
        party.rubric.judgements.iter().map(|it| it.judge.name.as_str()).collect();
    judges.sort_unstable();
    judges.dedup();
    ComparedRunFacts {
        letter: run_letter(at),
        id: &run.id,
        path: opened.path.display().to_string(),
        format: run.origin.format,
        title: &run.title,
        condition: run.condition.as_deref(),
        task: run.task.as_ref().map(|task| task.id.as_str()),
        agent: ComparedAgentFacts {
            agent: &run.agent.name,
            agent_version: run.agent.version.as_deref(),
            model: run.model.as_deref(),
        },
        turns: (!run.is_rubric_tree_alone()).then(|| run.counted_turns().count()),
        checkpoints: run.checkpoints.len(),
        commit: run.turns[..run.end_in_turns()]
            .iter()
            .rev()
            .find_map(|turn| turn.commit.as_deref()),
        judgement: party.judgement().map(|judgement| JudgementFacts {
            judge: &judgement.judge.name,
            kind: &judgement.judge.kind,
            model: judgement.judge.model.as_deref(),
            file: &judgement.file,
            commit: judgement.commit.as_deref(),
            turn: compare::turns_done_at_judgement(run, judgement),
            judged: party.rubric.coverage(judgement).scored,
            created_at: judgement.created_at.as_deref(),
            pooled: judgement.pooled.as_ref().map(PooledSources::summary_text),
        }),
        judges,
        components: party.rubric.checklist.as_ref().map(|list| list.components.len()),
        session: compare::SessionFacts::for_run(party),
    }
}

fn point_row(party: &ComparedRun, moment: &ComparedMoment) -> PointRow {
    let run: &Run = &party.run;
    let checkpoint = moment.checkpoint.and_then(|index| run.checkpoints.get(index));
    let turn = moment.done.checked_sub(1).and_then(|turn| run.turns.get(turn));
    PointRow {
        checkpoint: checkpoint.map(|it| it.id.clone()),
        label: checkpoint.and_then(|it| it.label.clone()),
        turn: moment.done,
        fraction: moment.fraction,
        commit: turn.and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        phase: moment.phase,
        bin: moment.bin,
        numbers: NumberValues::new(&MOMENT, |number| party.value_at(number, moment.done)),
    }
}

fn file_row(row: &FileRow) -> ComparedFileRow<'_> {
    let only_in = match row.presence {
        FilePresence::OnlyA => Some("a"),
        FilePresence::OnlyB => Some("b"),
        FilePresence::Differs | FilePresence::Same | FilePresence::NotRecorded => None,
    };
    ComparedFileRow {
        path: &row.path,
        from: row.from.as_deref(),
        only_in,
        both: only_in.is_none(),
        same: row.presence == FilePresence::Same,
        added: row.lines.map(|lines| lines.added),
        removed: row.lines.map(|lines| lines.removed),
    }
}
