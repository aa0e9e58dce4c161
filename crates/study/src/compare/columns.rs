//! Runs as columns, each compared with one of them, the base: results of the harness, recorded tests, differences.

use std::{cmp::Reverse, collections::HashMap};

use trajview_metrics::BetterDirection;
use trajview_run::{
    checkpoint_record::{TestCase, TestOutcome},
    rubric::FULL_SCORE,
};

use super::{ComparedComponent, ComparedRun};

/// A result that the harness recorded, or a count of tests; one cell a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedResult {
    /// `outcome`, `attempt`, `reward`, the name of a reward, `tests passed (share)`, `error`.
    pub name: String,
    pub cells: Vec<ResultCell>,
    pub better: BetterDirection,
}

/// A result in one run.
#[derive(Debug, Clone, PartialEq)]
pub enum ResultCell {
    NotRecorded,
    Word(String),
    /// The number of a repeat. Repeats have no difference.
    Ordinal(u32),
    /// A reward.
    Number(f64),
    /// The passed tests, and all.
    Count(u64, u64),
}

impl ResultCell {
    /// Returns the reward, or the share of the count; None for the others and where nothing is recorded.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::NotRecorded | Self::Word(_) | Self::Ordinal(_) => None,
            Self::Number(value) => Some(*value).filter(|it| it.is_finite()),
            Self::Count(part, all) => (*all > 0).then(|| *part as f64 / *all as f64),
        }
    }

    /// Returns the text of the cell; None where nothing is recorded.
    pub fn display_text(&self) -> Option<String> {
        match self {
            Self::NotRecorded => None,
            Self::Word(word) => Some(word.clone()),
            Self::Ordinal(number) => Some(number.to_string()),
            Self::Number(value) => Some(trajview_run::trial::reward_text(*value)),
            Self::Count(part, all) => Some(format!("{part}/{all}")),
        }
    }
}

impl ComparedResult {
    /// Returns the difference of each run to the base.
    pub fn differences(&self, base: usize) -> Vec<Option<f64>> {
        let values: Vec<Option<f64>> = self.cells.iter().map(ResultCell::number).collect();
        base_differences(&values, base)
    }
}

/// A single test as the harness recorded it, by run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedTest {
    pub name: String,
    /// The checkpoint that the test was written for; empty where none is named.
    pub checkpoint: String,
    /// None where a run has no record of the test.
    pub outcomes: Vec<Option<TestOutcome>>,
}

impl ComparedTest {
    /// Returns whether all runs that have a record of the test have the same outcome.
    pub fn is_equal(&self) -> bool {
        let mut recorded = self.outcomes.iter().flatten();
        let first = recorded.next();
        recorded.all(|outcome| Some(outcome) == first)
    }

    /// Returns whether every run has a record of the test.
    pub fn is_in_all_runs(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }
}

/// Returns value − base for each run; None for the base itself, and where a value is missing.
pub fn base_differences(values: &[Option<f64>], base: usize) -> Vec<Option<f64>> {
    let of_base = values.get(base).copied().flatten();
    let difference = |(at, value): (usize, &Option<f64>)| {
        let by = (*value)? - of_base?;
        (at != base && by.is_finite()).then_some(by)
    };
    values.iter().enumerate().map(difference).collect()
}

/// Returns what the harness recorded of the runs; no row for what it recorded of none.
pub fn result_rows(parties: &[ComparedRun]) -> Vec<ComparedResult> {
    let cells = |cell: &dyn Fn(&ComparedRun) -> Option<ResultCell>| {
        parties.iter().map(|it| cell(it).unwrap_or(ResultCell::NotRecorded)).collect::<Vec<_>>()
    };
    let row = |name: &str, better, cells| ComparedResult { name: name.to_owned(), cells, better };
    let mut rows = vec![
        row(
            "outcome",
            BetterDirection::Neither,
            cells(&|it| Some(ResultCell::Word(it.run.trial.as_ref()?.outcome?.word().into()))),
        ),
        row(
            "attempt",
            BetterDirection::Neither,
            cells(&|it| Some(ResultCell::Ordinal(it.run.trial.as_ref()?.attempt?))),
        ),
    ];
    for name in reward_names(parties) {
        let of_run = cells(&|it| reward_of(it, &name).map(ResultCell::Number));
        rows.push(row(&name, BetterDirection::Higher, of_run));
    }
    rows.push(row(
        "tests passed (share)",
        BetterDirection::Higher,
        cells(&|it| {
            let tests = it.last_tests()?;
            Some(ResultCell::Count(tests.strict.passed, tests.strict.total))
        }),
    ));
    rows.push(row(
        "error",
        BetterDirection::Neither,
        cells(&|it| Some(ResultCell::Word(it.run.trial.as_ref()?.error.as_deref()?.into()))),
    ));
    rows.retain(|row| row.cells.iter().any(|cell| *cell != ResultCell::NotRecorded));
    rows
}

const UNNAMED_REWARD: &str = "reward";

/// Returns the rewards of all runs, by name, in the order in which the runs have them.
fn reward_names(parties: &[ComparedRun]) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for trial in parties.iter().filter_map(|it| it.run.trial.as_ref()) {
        let first = trial.reward.map(|_| trial.reward_name.as_deref().unwrap_or(UNNAMED_REWARD));
        let others = trial.other_rewards.iter().map(|(name, _)| &**name);
        for name in first.into_iter().chain(others) {
            if !names.iter().any(|it| it == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn reward_of(party: &ComparedRun, name: &str) -> Option<f64> {
    let trial = party.run.trial.as_ref()?;
    let is_first = trial.reward_name.as_deref().unwrap_or(UNNAMED_REWARD) == name;
    let other = || trial.other_rewards.iter().find(|(it, _)| &**it == name).map(|it| it.1);
    trial.reward.filter(|_| is_first).or_else(other)
}

/// Returns every single test that the last record of any run names: those with different outcomes first, then those that not
/// every run has a record of, each in the order of the runs. A test that both passed and failed, under several groups, has
/// failed.
pub fn test_rows(parties: &[ComparedRun]) -> Vec<ComparedTest> {
    let mut rows: Vec<ComparedTest> = vec![];
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for (run, party) in parties.iter().enumerate() {
        let tests = party.last_tests();
        for TestCase { name, checkpoint, outcome, .. } in tests.iter().flat_map(|it| &it.cases) {
            let at = *places.entry((name, checkpoint)).or_insert_with(|| {
                let outcomes = vec![None; parties.len()];
                let (name, checkpoint) = (name.to_string(), checkpoint.to_string());
                rows.push(ComparedTest { name, checkpoint, outcomes });
                rows.len() - 1
            });
            let known = &mut rows[at].outcomes[run];
            if known.is_none() || *outcome == TestOutcome::Failed {
                *known = Some(*outcome);
            }
        }
    }
    rows.sort_by_key(|row| (row.is_equal(), row.is_in_all_runs()));
    rows
}

/// Returns indices of rows: the component with the largest difference of any run to the base first; those without a
/// difference at the end.
pub fn by_base_difference(rows: &[ComparedComponent], base: usize) -> Vec<usize> {
    let largest = |at: &usize| {
        let differences = score_differences(&rows[*at], base);
        Reverse(differences.into_iter().flatten().map(i8::unsigned_abs).max())
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(largest);
    order
}

/// Returns score − score of the base for each run; None for the base itself, and where a run is not judged.
pub fn score_differences(row: &ComparedComponent, base: usize) -> Vec<Option<i8>> {
    let score = |run: usize| row.score_in(run).map(|score| score.min(FULL_SCORE) as i8);
    let difference = |run: usize| (run != base).then(|| Some(score(run)? - score(base)?)).flatten();
    (0..row.cells.len()).map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{
        Checkpoint, CheckpointRecord, Outcome, Run, TrialResult,
        checkpoint_record::{PassCount, RecordedTests},
    };

    fn party(trial: Option<TrialResult>, cases: &[(&str, TestOutcome)]) -> ComparedRun {
        let case = |(name, outcome): &(&str, TestOutcome)| TestCase {
            name: (*name).into(),
            checkpoint: "".into(),
            group: None,
            outcome: *outcome,
            seconds: None,
            reason: None,
            failure: None,
        };
        let passed = cases.iter().filter(|it| it.1 == TestOutcome::Passed).count() as u64;
        let strict = PassCount { passed, total: cases.len() as u64 };
        let cases = cases.iter().map(case).collect();
        let tests = RecordedTests { strict, cases, ..RecordedTests::default() };
        let recorded = CheckpointRecord { tests: Some(tests), ..CheckpointRecord::default() };
        let checkpoint = Checkpoint { recorded: Some(Box::new(recorded)), ..Checkpoint::default() };
        let checkpoints = if strict.total > 0 { vec![checkpoint] } else { vec![] };
        let run = Run { trial: trial.map(Box::new), checkpoints, ..Run::default() };
        ComparedRun::new(run.into(), Default::default())
    }

    #[test]
    fn results_that_no_run_has_are_no_rows_and_a_missing_one_is_not_zero() {
        use TestOutcome::{Failed, Passed};
        let trial = |outcome, reward, others: &[(&str, f64)]| TrialResult {
            outcome: Some(outcome),
            reward,
            other_rewards: others.iter().map(|(name, value)| ((*name).into(), *value)).collect(),
            ..TrialResult::default()
        };
        let parties = [
            party(Some(trial(Outcome::Passed, Some(1.0), &[("speed", 0.5)])), &[("t", Passed)]),
            party(Some(trial(Outcome::Error, None, &[])), &[]),
            party(
                Some(TrialResult { attempt: Some(2), ..trial(Outcome::Failed, Some(-0.25), &[]) }),
                &[("t", Failed), ("u", Passed), ("t", Passed)],
            ),
        ];

        let rows = result_rows(&parties);
        let texts: Vec<String> = rows
            .iter()
            .map(|row| {
                let cells = row.cells.iter().map(|it| it.display_text().unwrap_or("—".into()));
                format!("{}: {}", row.name, cells.collect::<Vec<_>>().join(" "))
            })
            .collect();

        let expected = [
            "outcome: passed error failed",
            "attempt: — — 2",
            "reward: 1 — −0.25",
            "speed: 0.5 — —",
            "tests passed (share): 1/1 — 2/3",
        ];
        assert_eq!(texts, expected);
        assert_eq!(rows[1].differences(0), [None, None, None]);
        assert_eq!(rows[2].differences(0), [None, None, Some(-1.25)]);
        assert_eq!(rows[2].differences(1), [None, None, None]);
        let tests = test_rows(&parties);
        assert_eq!(tests[0].outcomes, [Some(Passed), None, Some(Failed)]);
        assert_eq!(tests[1].outcomes, [None, None, Some(Passed)]);
        let kinds = tests.iter().map(|it| (it.is_equal(), it.is_in_all_runs()));
        assert_eq!(kinds.collect::<Vec<_>>(), [(false, false), (true, false)]);
    }
}
