//! Two conditions, or two agents, held against each other: the same task run both ways, and whether what lies between
//! them could be chance. The arithmetic is `study`'s and is done on a worker.

use crate::session::{
    ask::Pending,
    columns::{Column, TESTED},
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
    runs::Sides,
};
use trajview_study::{
    paired::Tested,
    pairing::{Conditions, Identity, Key, groups, keys, pairing, rows},
};

use super::{Collection, row::Row};

/// What the two sides of a pair differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    Condition,
    Agent,
}

impl Factor {
    pub const fn column(self) -> Column {
        match self {
            Self::Condition => Column::Condition,
            Self::Agent => Column::Agent,
        }
    }

    /// A key by which runs are paired across this factor: where agents are compared, they are the two conditions.
    fn turned(self, key: Key) -> Key {
        match self {
            Self::Condition => key,
            Self::Agent => Key { agent: key.condition, condition: key.agent, ..key },
        }
    }

    /// What both sides have in common beside the task.
    pub const fn other(self) -> Self {
        match self {
            Self::Condition => Self::Agent,
            Self::Agent => Self::Condition,
        }
    }
}

/// The panel below the table.
#[derive(Debug)]
pub struct Pairs {
    pub factor: Factor,
    /// Which two of the values, counted through all pairs of them.
    at: usize,
    /// Which of [`Matched::groups`], counted from the pooled one.
    group: usize,
    asked: Pending<Sides>,
    tested: Option<Results>,
}

/// What was asked, and what came of it; nothing where the worker failed.
#[derive(Debug)]
struct Results {
    sides: Sides,
    results: Vec<Tested<Column>>,
}

/// What stands against what.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    pub conditions: Conditions,
    /// Whose pairs these are: one agent's, or one condition's where agents are compared; None for all pooled.
    pub group: Option<String>,
    /// How many groups there are: each by itself and, of several, all pooled.
    pub groups: usize,
    /// Pairs of cells: one task both ways.
    pub pairs: usize,
    /// Runs that the filter takes and that are in no pair.
    pub alone: usize,
    pub sides: Sides,
}

impl Pairs {
    fn of(factor: Factor) -> Self {
        Self { factor, at: 0, group: 0, asked: Pending::default(), tested: None }
    }

    /// The results, if they are of these sides.
    pub fn results(&self, sides: &Sides) -> Option<&[Tested<Column>]> {
        let tested = self.tested.as_ref().filter(|tested| tested.sides == *sides)?;
        Some(&tested.results)
    }
}

impl Collection {
    /// Off, by condition, by agent.
    pub(crate) fn switch_pairs(&mut self) {
        self.pairs = match self.pairs.as_ref().map(|pairs| pairs.factor) {
            None => Some(Pairs::of(Factor::Condition)),
            Some(Factor::Condition) => Some(Pairs::of(Factor::Agent)),
            Some(Factor::Agent) => None,
        };
    }

    /// The next group of the same two, after the last one the next two.
    pub(crate) fn next_pair(&mut self) {
        let groups = match self.matched() {
            Some(Ok(matched)) => matched.groups,
            _ => 0,
        };
        match &mut self.pairs {
            Some(pairs) if pairs.group + 1 < groups => pairs.group += 1,
            Some(pairs) => (pairs.at, pairs.group) = (pairs.at + 1, 0),
            None => self.switch_pairs(),
        }
    }

    /// The rows that the filter lets through, with what they are paired by.
    fn taken_rows(&self, factor: Factor) -> (Vec<&Row>, Vec<Key>) {
        let known = |row: &Row| row.card().map(Identity::of_card).unwrap_or_default();
        let keys = keys(&self.rows.iter().map(known).collect::<Vec<_>>());
        let keys = keys.into_iter().map(|key| factor.turned(key));
        self.rows.iter().zip(keys).filter(|(row, _)| self.shape.filter.takes(row)).unzip()
    }

    /// Works out what stands against what in the panel; the error is a sentence. None while the panel is closed.
    pub(crate) fn match_up(&self) -> Option<Result<Matched, String>> {
        let pairs = self.pairs.as_ref()?;
        let (rows, keys) = self.taken_rows(pairs.factor);
        let values = values(&keys);
        let all = combinations(&values);
        let Some((a, b)) = all.get(pairs.at % all.len().max(1)).cloned() else {
            let what = pairs.factor.column().about().word;
            return Some(Err(format!("these runs have no two of one {what} to compare")));
        };
        Some(Ok(matched(&rows, &keys, Conditions { a, b }, pairs.group)))
    }

    /// Asks for what is not tested yet.
    pub(crate) fn ask_for_tests(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let matched = self.worked_out.arranged.matched.as_ref()?.as_ref().ok()?;
        let pairs = self.pairs.as_mut()?;
        let is_known = pairs.results(&matched.sides).is_some();
        if is_known || !pairs.asked.is_free() {
            return None;
        }
        let sides = matched.sides.clone();
        Some(pairs.asked.ask(numbers, sides.clone(), Question::PairTests { sides }))
    }

    /// Takes results, if they are of what was asked for last.
    pub(crate) fn take_tests(
        &mut self,
        request: Request,
        results: Result<Vec<Tested<Column>>, Sentence>,
    ) {
        let Some(pairs) = &mut self.pairs else { return };
        let Some(sides) = pairs.asked.answered(request) else { return };
        self.notice = results.as_ref().err().cloned().or(self.notice.take());
        pairs.tested = Some(Results { sides, results: results.unwrap_or_default() });
    }
}

/// What there is to compare, in order.
fn values(keys: &[Key]) -> Vec<String> {
    let mut values: Vec<String> = keys.iter().filter_map(|key| key.condition.clone()).collect();
    values.retain(|value| !value.is_empty());
    values.sort_unstable();
    values.dedup();
    values
}

/// Every two of the values; SLUMP's conditions before the others, and in its order.
fn combinations(values: &[String]) -> Vec<(String, String)> {
    let slump = Conditions::default();
    let later = |at: usize| values[at + 1..].iter().map(move |b| (at, b));
    let mut all: Vec<(String, String)> = (0..values.len())
        .flat_map(later)
        .map(|(at, b)| match (&values[at], b) {
            (a, b) if *a == slump.b && *b == slump.a => (b.clone(), a.clone()),
            (a, b) => (a.clone(), b.clone()),
        })
        .collect();
    all.sort_by_key(|(a, b)| !(*a == slump.a && *b == slump.b)); // stable
    all
}

/// The group is counted from the last one, which is that of all pooled where there are several.
fn matched(table: &[&Row], keys: &[Key], conditions: Conditions, group: usize) -> Matched {
    let found = pairing(keys, &conditions);
    let number = |at: usize, column| table.get(at)?.number(column).known();
    let groups = groups(&rows(&found, &TESTED, number), &TESTED);
    let count = groups.len();
    let at = (count + group).saturating_sub(1) % count.max(1);
    let chosen = groups.into_iter().nth(at);
    let (group, pairs, sides) =
        chosen.map_or((None, 0, vec![]), |group| (group.agent, group.pairs, group.sides));
    Matched { conditions, group, groups: count, pairs, alone: found.alone.len(), sides }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::table::row::Reading;
    use trajview_metrics::Number;
    use trajview_run::{Card, card::CardIdentity};

    fn run(task: &str, condition: &str, turns: usize) -> Row {
        let mut row = Row::of(task.into(), task.into());
        let words = |words: &str| Some(words.to_owned());
        row.reading = Reading::Whole(Box::new(Card {
            turns,
            identity: CardIdentity {
                task: words(task),
                agent: words("codex"),
                condition: words(condition),
                ..CardIdentity::default()
            },
            ..Card::default()
        }));
        row
    }

    fn table(rows: Vec<Row>) -> Collection {
        Collection { rows, pairs: Some(Pairs::of(Factor::Condition)), ..Collection::default() }
    }

    #[test]
    fn the_same_task_under_two_conditions_is_a_pair_and_repeats_are_averaged() {
        let table = table(vec![
            run("a", "emergent", 10),
            run("a", "single-shot", 1),
            run("a", "single-shot", 3),
            run("b", "emergent", 7),
        ]);

        let matched = table.match_up().unwrap().unwrap();

        assert_eq!(matched.conditions, Conditions::default());
        assert_eq!((matched.pairs, matched.alone, matched.groups), (1, 1, 1));
        assert_eq!(matched.sides, [(Column::Number(Number::Turns), vec![(2.0, 10.0)])]);
    }

    #[test]
    fn the_pairs_of_the_table_are_those_of_the_commands_by_agent_and_pooled() {
        // The table used to pair by title and by agent with its version, and to pool all agents unsaid.
        let run = |agent: &str, version: &str, condition: &str, turns| {
            let mut row = run("Forward", condition, turns);
            let Reading::Whole(card) = &mut row.reading else { unreachable!() };
            card.identity.task_key = Some("p12".into());
            (card.identity.agent, card.identity.agent_key) =
                (Some(format!("{agent} {version}")), Some(agent.into()));
            row
        };
        let mut table = table(vec![
            run("codex", "0.168.0", "single-shot", 1),
            run("codex", "0.169.0", "emergent", 4),
            run("claude-code", "2.1", "single-shot", 2),
            run("claude-code", "2.1", "emergent", 9),
        ]);

        let mut seen = vec![];
        for _ in 0..3 {
            let matched = table.match_up().unwrap().unwrap();
            seen.push((matched.group.clone(), matched.sides[0].1.clone()));
            table.worked_out.arranged.matched = Some(Ok(matched));
            table.next_pair();
        }

        let (claude, codex) = ((2.0, 9.0), (1.0, 4.0));
        assert_eq!(
            seen,
            [
                (None, vec![claude, codex]),
                (Some("claude-code".into()), vec![claude]),
                (Some("codex".into()), vec![codex]),
            ]
        );
        assert_eq!(table.pairs.map(|pairs| (pairs.at, pairs.group)), Some((1, 0)));
    }

    #[test]
    fn one_condition_alone_is_a_sentence() {
        let why = table(vec![run("a", "emergent", 1)]).match_up().unwrap().unwrap_err();
        assert_eq!(why, "these runs have no two of one condition to compare");
    }

    #[test]
    fn every_two_values_are_gone_through() {
        let values = ["a", "emergent", "single-shot"].map(str::to_owned);
        let all = combinations(&values);
        let words: Vec<String> = all.iter().map(|(a, b)| format!("{a} {b}")).collect();
        assert_eq!(words, ["single-shot emergent", "a emergent", "a single-shot"]);
    }
}
