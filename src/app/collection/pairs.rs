//! Two conditions, or two agents, held against each other: the same task run both ways, and whether what lies between
//! them could be chance. The arithmetic is `study`'s and is done on a worker.

use crate::{
    app::{
        Effect,
        ask::{Desk, Numbers, Request},
    },
    study::{
        paired::Paired,
        pairing::{Conditions, Key, Pairing, pairing},
    },
};

use super::{Collection, columns::Column, row::Row, values::Known};

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
    desk: Desk<Sides>,
    tested: Option<Tested>,
}

/// Numbers of both sides, one entry a pair, for each column that has some.
pub type Sides = Vec<(Column, Vec<(f64, f64)>)>;

/// What was asked, and what came of it; nothing where the worker failed.
#[derive(Debug)]
struct Tested {
    sides: Sides,
    results: Vec<(Column, Paired)>,
}

/// What stands against what.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    pub conditions: Conditions,
    /// Pairs of cells: one task both ways.
    pub pairs: usize,
    /// Runs that the filter takes and that are in no pair.
    pub alone: usize,
    pub sides: Sides,
}

impl Pairs {
    fn of(factor: Factor) -> Self {
        Self { factor, at: 0, desk: Desk::default(), tested: None }
    }

    /// The results, if they are of these sides.
    pub fn results(&self, sides: &Sides) -> Option<&[(Column, Paired)]> {
        let tested = self.tested.as_ref().filter(|tested| tested.sides == *sides)?;
        Some(&tested.results)
    }
}

impl Collection {
    /// Off, by condition, by agent.
    pub(super) fn switch_pairs(&mut self) {
        self.pairs = match self.pairs.as_ref().map(|pairs| pairs.factor) {
            None => Some(Pairs::of(Factor::Condition)),
            Some(Factor::Condition) => Some(Pairs::of(Factor::Agent)),
            Some(Factor::Agent) => None,
        };
    }

    pub(super) fn next_pair(&mut self) {
        match &mut self.pairs {
            Some(pairs) => pairs.at += 1,
            None => self.switch_pairs(),
        }
    }

    /// The rows that the filter lets through.
    fn taken_rows(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| self.filter.takes(row)).collect()
    }

    /// Works out what stands against what in the panel; the error is a sentence. None while the panel is closed.
    pub(super) fn match_up(&self) -> Option<Result<Matched, String>> {
        let pairs = self.pairs.as_ref()?;
        let rows = self.taken_rows();
        let values = values(&rows, pairs.factor.column());
        let all = combinations(&values);
        let Some((a, b)) = all.get(pairs.at % all.len().max(1)).cloned() else {
            let what = pairs.factor.column().about().word;
            return Some(Err(format!("these runs have no two of one {what} to compare")));
        };
        Some(Ok(matched(&rows, pairs.factor, Conditions { a, b })))
    }

    /// Asks for what is not tested yet.
    pub(super) fn ask_for_tests(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let matched = self.arranged.matched.as_ref()?.as_ref().ok()?;
        let pairs = self.pairs.as_mut()?;
        let is_known = pairs.results(&matched.sides).is_some();
        if is_known || !pairs.desk.is_free() {
            return None;
        }
        let sides = matched.sides.clone();
        let request = pairs.desk.ask(numbers, sides.clone());
        Some(Effect::TestPairs(request, sides))
    }

    /// Takes results, if they are of what was asked for last.
    pub(super) fn hear_tests(&mut self, request: Request, results: Vec<(Column, Paired)>) {
        let Some(pairs) = &mut self.pairs else { return };
        if let Some(sides) = pairs.desk.answered(request) {
            pairs.tested = Some(Tested { sides, results });
        }
    }
}

/// The different words of a column, in order.
fn values(rows: &[&Row], column: Column) -> Vec<String> {
    let known = rows.iter().filter_map(|row| row.words(column).known());
    let mut values: Vec<String> = known.map(str::to_owned).collect();
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

fn matched(rows: &[&Row], factor: Factor, conditions: Conditions) -> Matched {
    let words = |row: &Row, column| row.words(column).known().map(str::to_owned);
    let key = |row: &&Row| Key {
        agent: words(row, factor.other().column()),
        task: words(row, Column::Task),
        condition: words(row, factor.column()),
    };
    let keys: Vec<Key> = rows.iter().map(key).collect();
    let found = pairing(&keys, &conditions);
    let sides = Column::TESTED.iter().map(|(column, _)| (*column, numbers(rows, &found, *column)));
    Matched {
        conditions,
        pairs: found.pairs.len(),
        alone: found.alone.len(),
        sides: sides.filter(|(_, pairs)| !pairs.is_empty()).collect(),
    }
}

/// Both sides of each pair that has a number on both; repeats are averaged.
fn numbers(rows: &[&Row], found: &Pairing, column: Column) -> Vec<(f64, f64)> {
    let mean = |side: &[usize]| {
        let known = side.iter().filter_map(|at| match rows.get(*at)?.number(column) {
            Known::Known(number) => Some(number),
            Known::Coming | Known::Missing => None,
        });
        let known: Vec<f64> = known.collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    found.pairs.iter().filter_map(|pair| Some((mean(&pair.a)?, mean(&pair.b)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::collection::row::Reading, run::Card};

    fn run(task: &str, condition: &str, turns: usize) -> Row {
        let mut row = Row::of(task.into(), task.into());
        let words = |words: &str| Some(words.to_owned());
        row.reading = Reading::Whole(Box::new(Card {
            task: words(task),
            agent: words("codex"),
            condition: words(condition),
            turns,
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
        assert_eq!((matched.pairs, matched.alone), (1, 1));
        assert_eq!(matched.sides, [(Column::Turns, vec![(2.0, 10.0)])]);
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
