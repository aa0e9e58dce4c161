//! The components and tests that runs lost, beside each other.

use std::collections::BTreeSet;

use trajview_metrics::{
    lifeline::{EventSpot, Lifeline, RecordedLoss, recorded_losses},
    test_losses::{LossKind, TestLoss, passed_tests, test_losses},
};

use super::ComparedRun;

/// A component or a test that at least one of the runs lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLoss {
    pub kind: LossKind,
    /// The id of the component, or the name of the test.
    pub id: String,
    /// The name in the first checklist that has the component, empty where none does; the checkpoint that the test was written
    /// for.
    pub name: String,
    /// One for each run.
    pub fates: Vec<ComponentFate>,
}

/// What became of a component or a test in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComponentFate {
    /// The run has no lifelines, or none of the component's symbols was ever defined; the test is not recorded as passed.
    NotFollowed,
    /// It is there at the end of the run; the test never failed after it had passed.
    Kept,
    Lost(LossInRun),
}

/// The loss of a component or a test in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossInRun {
    /// Counts from 1.
    pub turn: usize,
    /// The first line of the turn's request; empty where none is recorded.
    pub request: String,
    /// The line that shows the loss in the turn's diff.
    pub spot: Option<EventSpot>,
    /// `4 at 39`: the judge's score before the loss; None where it has none. Of a test `passed at round-1`.
    pub before: Option<String>,
    /// The judge's score after the loss. Of a test `failed at round-3`.
    pub after: Option<String>,
}

impl ComparedRun {
    /// Returns the losses of the run, by turn, with the scores of the judge that counts.
    fn recorded_losses(&self) -> Vec<RecordedLoss<'_>> {
        let judge = self.judgement().map(|judgement| &judgement.judge);
        recorded_losses(&self.run, &self.rubric, judge, self.known_lifelines())
    }

    fn known_lifelines(&self) -> &[Lifeline] {
        self.lifelines.as_ref().map_or(&[], |it| it.as_slice())
    }

    fn fate_of_test(&self, facts: &TestFacts<'_>, key: (&str, &str)) -> ComponentFate {
        if let Some(lost) = facts.losses.iter().find(|it| test_key(it) == key) {
            return ComponentFate::Lost(LossInRun {
                turn: lost.failed.turns_done,
                request: lost.request(&self.run).unwrap_or_default().to_owned(),
                spot: None,
                before: Some(format!("passed at {}", lost.passed.name)),
                after: Some(format!("failed at {}", lost.failed.name)),
            });
        }
        match facts.passed.contains(&key) {
            true => ComponentFate::Kept,
            false => ComponentFate::NotFollowed,
        }
    }

    fn fate_of(&self, losses: &[RecordedLoss<'_>], id: &str) -> ComponentFate {
        if let Some(lost) = losses.iter().find(|it| it.loss.component == id) {
            return ComponentFate::Lost(LossInRun {
                turn: lost.loss.turn,
                request: lost.request.unwrap_or_default().to_owned(),
                spot: lost.loss.event_spot().cloned(),
                before: lost.before.map(|it| it.score_text()),
                after: lost.after.map(|it| it.score_text()),
            });
        }
        let lifeline = self.known_lifelines().iter().find(|it| it.component == id);
        match lifeline.is_some_and(|it| it.deciding_symbols().next().is_some()) {
            true => ComponentFate::Kept,
            false => ComponentFate::NotFollowed,
        }
    }
}

/// The tests of one run, as the harness recorded them.
struct TestFacts<'r> {
    losses: Vec<TestLoss<'r>>,
    passed: BTreeSet<(&'r str, &'r str)>,
}

fn test_key<'r>(loss: &TestLoss<'r>) -> (&'r str, &'r str) {
    (&loss.test.checkpoint, &loss.test.name)
}

impl ComponentFate {
    pub const fn as_loss(&self) -> Option<&LossInRun> {
        match self {
            Self::Lost(loss) => Some(loss),
            Self::NotFollowed | Self::Kept => None,
        }
    }

    /// Returns `turn 46`, `kept` or `-`.
    pub fn fate_text(&self) -> String {
        match self {
            Self::Lost(loss) => format!("turn {}", loss.turn),
            Self::Kept => "kept".into(),
            Self::NotFollowed => "-".into(),
        }
    }
}

impl ComparedLoss {
    /// Returns the first loss among these runs, with the position of its run.
    pub fn first_loss(&self) -> Option<(usize, &LossInRun)> {
        let lost = self.fates.iter().enumerate();
        lost.filter_map(|(at, fate)| Some((at, fate.as_loss()?))).next()
    }

    /// Returns the position of the one run that lost it while every other kept it.
    pub fn lost_only_in(&self) -> Option<usize> {
        let (at, _) = self.first_loss()?;
        let mut others = self.fates.iter().enumerate().filter(|(other, _)| *other != at);
        others.all(|(_, fate)| *fate == ComponentFate::Kept).then_some(at)
    }

    /// Returns `only in a`, `in a, b`; `letter` names the run at a position of the compared ones.
    pub fn lost_in_text(&self, letter: impl Fn(usize) -> String) -> String {
        if let Some(at) = self.lost_only_in() {
            return format!("only in {}", letter(at));
        }
        let lost = self.fates.iter().enumerate().filter(|(_, fate)| fate.as_loss().is_some());
        let letters: Vec<String> = lost.map(|(at, _)| letter(at)).collect();
        format!("in {}", letters.join(", "))
    }
}

/// Returns every component that one of the runs lost: those of the first run by turn, then those that only later runs
/// lost. Then the lost tests in the same order.
pub fn compared_losses(runs: &[&ComparedRun]) -> Vec<ComparedLoss> {
    let losses: Vec<Vec<RecordedLoss<'_>>> = runs.iter().map(|run| run.recorded_losses()).collect();
    let mut ids: Vec<&str> = vec![];
    for lost in losses.iter().flatten() {
        if !ids.contains(&lost.loss.component) {
            ids.push(lost.loss.component);
        }
    }
    let name = |id: &str| {
        let listed = runs.iter().filter_map(|run| run.rubric.checklist.as_ref());
        let found = listed.flat_map(|it| &it.components).find(|it| it.id == id);
        found.map(|it| it.name.clone()).unwrap_or_default()
    };
    let row = |id: &str| ComparedLoss {
        kind: LossKind::Component,
        id: id.to_owned(),
        name: name(id),
        fates: runs.iter().zip(&losses).map(|(run, losses)| run.fate_of(losses, id)).collect(),
    };
    ids.into_iter().map(row).chain(compared_tests(runs)).collect()
}

fn compared_tests(runs: &[&ComparedRun]) -> Vec<ComparedLoss> {
    let facts: Vec<TestFacts<'_>> = (runs.iter())
        .map(|run| TestFacts { losses: test_losses(&run.run), passed: passed_tests(&run.run) })
        .collect();
    let mut listed = BTreeSet::new();
    let keys = facts.iter().flat_map(|it| &it.losses).map(test_key);
    let keys: Vec<(&str, &str)> = keys.filter(|key| listed.insert(*key)).collect();
    let row = |key: (&str, &str)| ComparedLoss {
        kind: LossKind::Test,
        id: key.1.to_owned(),
        name: key.0.to_owned(),
        fates: runs.iter().zip(&facts).map(|(run, facts)| run.fate_of_test(facts, key)).collect(),
    };
    keys.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{super::run_letter, *};
    use trajview_metrics::lifeline::SymbolLife;
    use trajview_run::{
        Checkpoint, CheckpointRecord, Run, Turn,
        checkpoint_record::{RecordedTests, TestCase, TestOutcome},
    };

    fn run_with(lifelines: &[(&str, Option<usize>)]) -> ComparedRun {
        let life = SymbolLife { first: Some(1), ..SymbolLife::default() };
        let lifeline = |(id, lost_at): &(&str, Option<usize>)| Lifeline {
            component: (*id).into(),
            committed: None,
            symbols: vec![life.clone()],
            lost_at: *lost_at,
        };
        let turn =
            |number: usize| Turn { title: format!("request {number}").into(), ..Turn::default() };
        let run = Run { turns: (1..=9).map(turn).collect(), ..Run::default() };
        let lifelines = lifelines.iter().map(lifeline).collect();
        ComparedRun {
            lifelines: Some(Arc::new(lifelines)),
            ..ComparedRun::new(run.into(), Default::default())
        }
    }

    #[test]
    fn a_component_that_one_run_alone_lost_names_the_run_the_turn_and_the_request() {
        let a = run_with(&[("C1", Some(7)), ("C2", Some(4)), ("C3", None), ("C4", Some(8))]);
        let b = run_with(&[("C1", None), ("C2", Some(2)), ("C3", Some(5))]);

        let rows = compared_losses(&[&a, &b]);
        let texts: Vec<_> = rows
            .iter()
            .map(|row| {
                let (at, loss) = row.first_loss().unwrap();
                let fates: Vec<String> = row.fates.iter().map(ComponentFate::fate_text).collect();
                (&*row.id, row.lost_in_text(run_letter), fates.join(" | "), at, &*loss.request)
            })
            .collect();

        let expected = [
            ("C2", "in a, b", "turn 4 | turn 2", 0, "request 4"),
            ("C1", "only in a", "turn 7 | kept", 0, "request 7"),
            ("C4", "in a", "turn 8 | -", 0, "request 8"),
            ("C3", "only in b", "kept | turn 5", 1, "request 5"),
        ];
        let expected = expected
            .map(|(id, lost, fates, at, request)| (id, lost.into(), fates.into(), at, request));
        assert_eq!(texts, expected);
    }

    /// Returns a run whose checkpoints are one turn each and have one test, which passed or failed.
    fn run_with_test(passed: &[bool]) -> ComparedRun {
        let case = |passed: bool| TestCase {
            name: "adds".into(),
            checkpoint: "c1".into(),
            group: None,
            outcome: if passed { TestOutcome::Passed } else { TestOutcome::Failed },
            seconds: None,
            reason: None,
            failure: None,
        };
        let checkpoint = |(at, passed): (usize, &bool)| {
            let tests = RecordedTests { cases: vec![case(*passed)], ..RecordedTests::default() };
            let record = CheckpointRecord { tests: Some(tests), ..CheckpointRecord::default() };
            Checkpoint {
                id: format!("c{}", at + 1),
                last_turn: at,
                recorded: Some(record.into()),
                ..Checkpoint::default()
            }
        };
        let run = Run {
            turns: vec![Turn::default(); passed.len()],
            checkpoints: passed.iter().enumerate().map(checkpoint).collect(),
            ..Run::default()
        };
        ComparedRun::new(run.into(), Default::default())
    }

    #[test]
    fn a_test_that_failed_after_it_had_passed_is_a_row_with_its_checkpoints() {
        let runs = [&[true, true, false][..], &[true, true, true], &[false, false, false]];
        let runs = runs.map(run_with_test);

        let rows = compared_losses(&runs.iter().collect::<Vec<_>>());

        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.kind, &*row.id, &*row.name), (LossKind::Test, "adds", "c1"));
        let (_, loss) = row.first_loss().unwrap();
        let states = [&loss.before, &loss.after].map(|it| it.as_deref().unwrap());
        assert_eq!((loss.turn, states), (3, ["passed at c2", "failed at c3"]));
        assert_eq!(row.fates[1..], [ComponentFate::Kept, ComponentFate::NotFollowed]);
    }
}
