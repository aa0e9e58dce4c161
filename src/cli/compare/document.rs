//! The JSON of `compare`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    components::{self, ComponentsRow},
    recorded::{self, TestsRow},
    score::{RulerRow, RulesFacts, rules_of},
};
use trajview_metrics::{
    Number,
    numbers::{self, COMPARED, MOMENT, SLUMP, Values},
    phase::Phase,
    quality::Ruler,
};
use trajview_run::{Run, rubric::Pooled};
use trajview_study::{
    Estimate, Interval, Undefined,
    compare::{
        self, Cell, Estimated, FileRow, Moment, Outcome, Parts, Party, Recovery, Row, Standing,
        Subtraction, Transitions, letter,
    },
    reasons,
};

use super::{Args, Each, Named, subtraction};

/// What is compared.
pub struct Document<'a> {
    pub named: &'a [Named],
    pub parties: &'a [Party],
    /// Of the first two runs.
    pub files: &'a [FileRow],
    pub args: &'a Args,
}

#[derive(Serialize)]
pub struct Shown<'a> {
    schema: &'static str,
    #[serde(flatten)]
    ruler: MeasuredBy<'a>,
    a: RunFacts<'a>,
    b: RunFacts<'a>,
    /// Every run in the order it was named, `a` and `b` among them.
    runs: Vec<RunFacts<'a>>,
    warnings: Vec<String>,
    slump: Slump,
    /// Of each run whose condition is neither; empty unless one run is emergent and one single-shot.
    gap_recovery: Vec<RecoveryRow<'a>>,
    numbers: Vec<NumberRow>,
    #[serde(flatten)]
    components: PairedComponents,
    points: Vec<PhaseRow>,
    checkpoints: Vec<CheckpointRow>,
    /// Null unless every turn was asked for.
    turns: Option<Turns>,
    tests: TestsOf,
    files: Vec<FileShown<'a>>,
}

/// What measured the code, and its rules.
#[derive(Serialize)]
struct MeasuredBy<'a> {
    #[serde(flatten)]
    ruler: RulerRow,
    rules: RulesFacts<'a>,
}

/// The components that both runs are judged on.
#[derive(Serialize)]
struct PairedComponents {
    /// The largest loss first.
    components: Vec<ComponentRow>,
    /// Rows by the score of `a`, columns by that of `b`.
    transitions: [[usize; 5]; 5],
    /// Components that both are judged on.
    n: usize,
    /// Means over those components with intervals; empty without any.
    means: Vec<ComponentsRow>,
}

#[derive(Serialize)]
struct AgentFacts<'a> {
    agent: &'a str,
    agent_version: Option<&'a str>,
    model: Option<&'a str>,
}

#[derive(Serialize)]
struct RunFacts<'a> {
    letter: String,
    id: &'a str,
    path: String,
    format: &'static str,
    title: &'a str,
    condition: Option<&'a str>,
    task: Option<&'a str>,
    #[serde(flatten)]
    agent: AgentFacts<'a>,
    turns: Option<usize>,
    checkpoints: usize,
    /// The last commit; null where no turn has one.
    commit: Option<&'a str>,
    /// The verdicts that speak; null where there are none.
    judgement: Option<JudgementFacts<'a>>,
    /// Every judge who has judged the run.
    judges: Vec<&'a str>,
    components: Option<usize>,
    /// What was done, as the recording says.
    session: compare::Session,
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
    /// `mean of 3: gpt, opus, human`; null where it is one judgement.
    pooled: Option<String>,
}

#[derive(Serialize)]
struct Slump {
    #[serde(flatten)]
    differences: Values,
    /// Whether the conditions say which run is the emergent one; else the values are a minus b.
    by_condition: bool,
    /// `single-shot − emergent (b − a)`
    difference: String,
    /// The same numbers with intervals.
    intervals: IntervalsRow,
}

/// One of SLUMP's numbers; null where it cannot be had.
#[derive(Serialize)]
pub struct EstimatedRow {
    pub name: &'static str,
    pub a: EstimateRow,
    pub b: EstimateRow,
    pub difference: EstimateRow,
}

#[derive(Serialize)]
pub struct EstimateRow {
    pub value: Option<f64>,
    pub ci95: Option<Interval>,
    /// By field, why it is null.
    not_defined: BTreeMap<&'static str, Undefined>,
}

impl EstimateRow {
    fn of(it: &Estimate) -> Self {
        Self {
            value: it.value.ok(),
            ci95: it.interval.ok(),
            not_defined: reasons([("value", it.value.err()), ("ci95", it.interval.err())]),
        }
    }
}

/// How intervals are drawn, and what comes of it.
#[derive(Serialize)]
struct IntervalsRow {
    drawn: &'static str,
    seed: u64,
    resamples: usize,
    numbers: Vec<EstimatedRow>,
}

#[derive(Serialize)]
struct RecoveryRow<'a> {
    letter: String,
    run: &'a str,
    condition: Option<&'a str>,
    /// Shares of the gap; null where a number is missing or there is no gap to close.
    #[serde(flatten)]
    shares: Values,
}

#[derive(Serialize)]
struct NumberRow {
    name: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    delta: Option<f64>,
    /// The letter of the run that does better; null where neither does.
    better: Option<String>,
    /// One a run.
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct ComponentRow {
    id: String,
    name: String,
    a: Option<u8>,
    b: Option<u8>,
    /// Positive is a loss where the conditions say which run is the emergent one.
    delta: Option<i8>,
    /// The letter of the one run that has it.
    only_in: Option<String>,
    /// One a run.
    scores: Vec<Option<u8>>,
    /// Why there is no score, one a run; null where there is one.
    missing: Vec<Option<String>>,
}

#[derive(Serialize)]
struct PhaseRow {
    phase: Phase,
    a: Option<PointRow>,
    b: Option<PointRow>,
}

#[derive(Serialize)]
struct CheckpointRow {
    /// label, id, order or end; null where one side is missing.
    paired_by: Option<&'static str>,
    a: Option<PointRow>,
    b: Option<PointRow>,
}

#[derive(Serialize)]
struct Turns {
    a: Vec<PointRow>,
    b: Vec<PointRow>,
}

#[derive(Serialize)]
pub struct PointRow {
    /// The checkpoint that ends here, by its id and label.
    checkpoint: Option<String>,
    label: Option<String>,
    /// In turns done; 0–1 of the run's turns in `fraction`.
    turn: usize,
    fraction: f64,
    commit: Option<String>,
    phase: Option<Phase>,
    bin: Option<f64>,
    #[serde(flatten)]
    numbers: Values,
}

#[derive(Serialize)]
struct TestsOf {
    a: Option<TestsRow>,
    b: Option<TestsRow>,
}

#[derive(Serialize)]
struct FileShown<'a> {
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

impl<'a> Document<'a> {
    pub fn pair(&self) -> [&'a Party; 2] {
        [&self.parties[0], &self.parties[1]] // the command takes two runs at least
    }

    /// The numbers that are listed.
    pub fn numbers(&self) -> Vec<Number> {
        numbers::shown(&COMPARED, |it| self.parties.iter().any(|party| party.value(it).is_some()))
    }

    pub fn rows(&self) -> Vec<Row> {
        let judged = |party: &'a Party| (party.rubric.checklist.as_ref(), party.judgement());
        compare::rows(&self.parties.iter().map(judged).collect::<Vec<_>>())
    }

    /// Of the components that the first two runs are both judged on.
    pub fn means(&self, rows: &[Row]) -> Vec<ComponentsRow> {
        let score = |row: &Row, run| row.score(run).map(f64::from);
        let both: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| score(row, 0).zip(score(row, 1))).collect();
        let is_turned = subtraction(self.parties).from == 1;
        components::of_two(&both, is_turned, &self.args.resampling.plan())
    }

    /// SLUMP's numbers of the first two runs.
    pub fn intervals(&self) -> Vec<EstimatedRow> {
        let plan = self.args.resampling.plan();
        let found = Parts::of(self.pair()).intervals(subtraction(self.parties), &plan);
        let row = |it: &Estimated| EstimatedRow {
            name: it.number.id(),
            a: EstimateRow::of(&it.a),
            b: EstimateRow::of(&it.b),
            difference: EstimateRow::of(&it.difference),
        };
        found.iter().map(row).collect()
    }

    pub fn shown(&'a self, ruler: &'a Ruler) -> Shown<'a> {
        let [a, b] = self.pair();
        let (rows, by) = (self.rows(), subtraction(self.parties));
        let facts = |at: usize| run_facts(at, &self.named[at], &self.parties[at]);
        let transitions = Transitions::of(&rows, (0, 1));
        let delta = |number| Outcome::of(number, [a, b], by).delta;
        let checkpoint = |pair: compare::CheckpointPair| CheckpointRow {
            paired_by: pair.by.map(compare::PairedBy::word),
            a: pair.a.map(|moment| point(a, &moment)),
            b: pair.b.map(|moment| point(b, &moment)),
        };
        let phase = |pair: compare::PhasePair| PhaseRow {
            phase: pair.phase,
            a: pair.a.map(|moment| point(a, &moment)),
            b: pair.b.map(|moment| point(b, &moment)),
        };
        let turns = |party: &Party| {
            compare::turns_of(&party.run).iter().map(|moment| point(party, moment)).collect()
        };
        Shown {
            schema: "trajview.compare/1",
            a: facts(0),
            b: facts(1),
            runs: (0..self.parties.len()).map(facts).collect(),
            warnings: compare::warnings(self.parties),
            slump: Slump {
                differences: Values::of(&SLUMP, delta),
                by_condition: by.is_slump,
                difference: by.words(),
                intervals: IntervalsRow {
                    drawn: compare::DRAWN,
                    seed: self.args.resampling.plan().seed,
                    resamples: self.args.resampling.plan().resamples,
                    numbers: self.intervals(),
                },
            },
            gap_recovery: compare::recoveries(self.parties)
                .into_iter()
                .map(|it| self.recovery(it))
                .collect(),
            numbers: self.numbers().into_iter().map(|number| self.number(number, by)).collect(),
            points: compare::by_phase(&a.run, &b.run).into_iter().map(phase).collect(),
            checkpoints: compare::by_checkpoint(&a.run, &b.run)
                .into_iter()
                .map(checkpoint)
                .collect(),
            turns: (self.args.each == Each::Turn).then(|| Turns { a: turns(a), b: turns(b) }),
            tests: TestsOf { a: recorded::tests(&a.run), b: recorded::tests(&b.run) },
            files: self.files.iter().map(file).collect(),
            ruler: MeasuredBy { ruler: RulerRow::of(ruler), rules: rules_of(ruler) },
            components: PairedComponents {
                components: components(&rows, by),
                transitions: transitions.counts,
                n: transitions.n,
                means: self.means(&rows),
            },
        }
    }

    fn recovery(&self, Recovery { treated, shares }: Recovery) -> RecoveryRow<'_> {
        let run = &self.parties[treated].run;
        let (letter, condition) = (letter(treated), run.condition.as_deref());
        RecoveryRow { letter, run: &run.id, condition, shares }
    }

    fn number(&self, number: Number, by: Subtraction) -> NumberRow {
        let outcome = Outcome::of(number, self.pair(), by);
        NumberRow {
            name: number.id(),
            a: outcome.a,
            b: outcome.b,
            delta: outcome.delta,
            better: outcome.better.map(letter),
            values: self.parties.iter().map(|party| party.value(number)).collect(),
        }
    }
}

fn components(rows: &[Row], by: Subtraction) -> Vec<ComponentRow> {
    let row = |at: usize| {
        let row = &rows[at];
        ComponentRow {
            id: row.id.clone(),
            name: row.name.clone(),
            a: row.score(0),
            b: row.score(1),
            delta: row.delta(by),
            only_in: row.only_in().map(letter),
            scores: (0..row.cells.len()).map(|run| row.score(run)).collect(),
            missing: row.cells.iter().map(missing).collect(),
        }
    };
    compare::by_loss(rows, by).into_iter().map(row).collect()
}

/// Why there is no score; None where there is one.
fn missing(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Score(_) => None,
        Cell::NotListed => Some("not in its checklist".into()),
        Cell::NotJudged(None) => Some("not judged".into()),
        Cell::NotJudged(Some(why)) => Some(format!("not judged: {why}")),
    }
}

fn run_facts<'a>(at: usize, named: &'a Named, party: &'a Party) -> RunFacts<'a> {
    let run = &party.run;
    let mut judges: Vec<&str> =
        party.rubric.judgements.iter().map(|it| it.judge.name.as_str()).collect();
    judges.sort_unstable();
    judges.dedup();
    RunFacts {
        letter: letter(at),
        id: &run.id,
        path: named.path.display().to_string(),
        format: run.origin.format,
        title: &run.title,
        condition: run.condition.as_deref(),
        task: run.task.as_ref().map(|task| task.id.as_str()),
        agent: AgentFacts {
            agent: &run.agent.name,
            agent_version: run.agent.version.as_deref(),
            model: run.model.as_deref(),
        },
        turns: (!run.is_rubric_tree_alone()).then(|| run.counted_turns().count()),
        checkpoints: run.checkpoints.len(),
        commit: run.turns[..run.end()].iter().rev().find_map(|turn| turn.commit.as_deref()),
        judgement: party.judgement().map(|judgement| JudgementFacts {
            judge: &judgement.judge.name,
            kind: &judgement.judge.kind,
            model: judgement.judge.model.as_deref(),
            file: &judgement.file,
            commit: judgement.commit.as_deref(),
            turn: compare::done_at(run, judgement),
            judged: party.rubric.coverage(judgement).scored,
            created_at: judgement.created_at.as_deref(),
            pooled: judgement.pooled.as_ref().map(Pooled::words),
        }),
        judges,
        components: party.rubric.checklist.as_ref().map(|list| list.components.len()),
        session: compare::Session::of(party),
    }
}

fn point(party: &Party, moment: &Moment) -> PointRow {
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
        numbers: Values::of(&MOMENT, |number| party.value_at(number, moment.done)),
    }
}

fn file(row: &FileRow) -> FileShown<'_> {
    let only_in = match row.standing {
        Standing::OnlyA => Some("a"),
        Standing::OnlyB => Some("b"),
        Standing::Differs | Standing::Same | Standing::NotRecorded => None,
    };
    FileShown {
        path: &row.path,
        from: row.from.as_deref(),
        only_in,
        both: only_in.is_none(),
        same: row.standing == Standing::Same,
        added: row.lines.map(|lines| lines.added),
        removed: row.lines.map(|lines| lines.removed),
    }
}
