//! The comparison of two conditions or two agents on the same tasks, with tests whether their difference may be chance.
//! `study` does the arithmetic on a worker.

use crate::session::{
    columns::{CardColumn, RunTableColumn, TESTED},
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
    table_protocol::PairedSides,
};
use trajview_study::{
    paired::TestedMetric,
    pairing::{
        ConditionPair, PairingKey, RunIdentity, agent_groups, pair_rows, pair_runs, pairing_keys,
    },
};

use super::{RunTableView, row::RunRow};

/// The factor by which the two sides of a pair differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairFactor {
    Condition,
    Agent,
}

impl PairFactor {
    pub(crate) const fn factor_column(self) -> RunTableColumn {
        match self {
            Self::Condition => RunTableColumn::Card(CardColumn::Condition),
            Self::Agent => RunTableColumn::Card(CardColumn::Agent),
        }
    }

    /// Returns a key by which runs are paired across this factor: where agents are compared, they are the two
    /// conditions.
    fn turn_key(self, key: PairingKey) -> PairingKey {
        match self {
            Self::Condition => key,
            Self::Agent => PairingKey { agent: key.condition, condition: key.agent, ..key },
        }
    }

    /// Returns the factor that both sides have in common in addition to the task.
    pub(crate) const fn other_factor(self) -> Self {
        match self {
            Self::Condition => Self::Agent,
            Self::Agent => Self::Condition,
        }
    }
}

/// The panel below the table.
#[derive(Debug)]
pub struct PairsPanel {
    pub factor: PairFactor,
    /// Index of the compared pair of values among all pairs of values.
    pair_index: usize,
    /// Index in [`MatchedPairs::groups`], counted from the pooled group.
    group_index: usize,
    asked_sides: Pending<PairedSides>,
    paired_results: Option<PairedResults>,
}

/// The compared sides with their results. The results are empty if the worker failed.
#[derive(Debug)]
struct PairedResults {
    sides: PairedSides,
    results: Vec<TestedMetric<RunTableColumn>>,
}

/// The matched pairs of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedPairs {
    pub conditions: ConditionPair,
    /// The agent of the pairs, or their condition if agents are compared. None for all pooled.
    pub group: Option<String>,
    /// Number of groups. Several groups include the pooled one.
    pub groups: usize,
    /// Pairs of cells: one task both ways.
    pub pairs: usize,
    /// Runs that the filter takes and that are in no pair.
    pub unpaired_runs: usize,
    pub sides: PairedSides,
}

impl PairsPanel {
    fn for_factor(factor: PairFactor) -> Self {
        Self {
            factor,
            pair_index: 0,
            group_index: 0,
            asked_sides: Pending::default(),
            paired_results: None,
        }
    }

    /// Returns the results if they belong to these sides.
    pub(crate) fn results_for(
        &self,
        sides: &PairedSides,
    ) -> Option<&[TestedMetric<RunTableColumn>]> {
        let tested = self.paired_results.as_ref().filter(|tested| tested.sides == *sides)?;
        Some(&tested.results)
    }
}

impl RunTableView {
    /// Switches the panel: off, by condition, by agent.
    pub(crate) fn switch_pairs(&mut self) {
        self.pairs = match self.pairs.as_ref().map(|pairs| pairs.factor) {
            None => Some(PairsPanel::for_factor(PairFactor::Condition)),
            Some(PairFactor::Condition) => Some(PairsPanel::for_factor(PairFactor::Agent)),
            Some(PairFactor::Agent) => None,
        };
    }

    /// Shows the next group of the same two values, and after the last group the next two values.
    pub(crate) fn next_pair(&mut self) {
        let groups = match self.matched_pairs() {
            Some(Ok(matched)) => matched.groups,
            _ => 0,
        };
        match &mut self.pairs {
            Some(pairs) if pairs.group_index + 1 < groups => pairs.group_index += 1,
            Some(pairs) => (pairs.pair_index, pairs.group_index) = (pairs.pair_index + 1, 0),
            None => self.switch_pairs(),
        }
    }

    /// Returns the rows that the filter takes, with the keys by which they are paired.
    fn taken_rows(&self, factor: PairFactor) -> (Vec<&RunRow>, Vec<PairingKey>) {
        let identity =
            |row: &RunRow| row.known_card().map(RunIdentity::for_card).unwrap_or_default();
        let keys = pairing_keys(&self.rows.iter().map(identity).collect::<Vec<_>>());
        let keys = keys.into_iter().map(|key| factor.turn_key(key));
        self.rows.iter().zip(keys).filter(|(row, _)| self.shape.filter.takes_row(row)).unzip()
    }

    /// Matches the runs for the panel. The error is a sentence. None while the panel is closed.
    pub(crate) fn match_up(&self) -> Option<Result<MatchedPairs, String>> {
        let pairs = self.pairs.as_ref()?;
        let (rows, keys) = self.taken_rows(pairs.factor);
        let values = condition_values(&keys);
        let all = value_combinations(&values);
        let Some((a, b)) = all.get(pairs.pair_index % all.len().max(1)).cloned() else {
            let what = pairs.factor.factor_column().column_info().word;
            return Some(Err(format!("these runs have fewer than two {what}s to compare")));
        };
        Some(Ok(match_runs(&rows, &keys, ConditionPair { a, b }, pairs.group_index)))
    }

    /// Asks for what is not tested yet.
    pub(crate) fn ask_for_tests(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let matched = self.worked_out.arranged.matched_pairs.as_ref()?.as_ref().ok()?;
        let pairs = self.pairs.as_mut()?;
        let is_known = pairs.results_for(&matched.sides).is_some();
        if is_known || !pairs.asked_sides.is_free() {
            return None;
        }
        let sides = matched.sides.clone();
        Some(pairs.asked_sides.ask_question(numbers, sides.clone(), Question::PairTests { sides }))
    }

    /// Stores results if they belong to the last request.
    pub(crate) fn take_tests(
        &mut self,
        request: RequestId,
        results: Result<Vec<TestedMetric<RunTableColumn>>, Sentence>,
    ) {
        let Some(pairs) = &mut self.pairs else { return };
        let Some(sides) = pairs.asked_sides.take_answered(request) else { return };
        self.notice = results.as_ref().err().cloned().or(self.notice.take());
        pairs.paired_results = Some(PairedResults { sides, results: results.unwrap_or_default() });
    }
}

/// Returns the values that can be compared, in order.
fn condition_values(keys: &[PairingKey]) -> Vec<String> {
    let mut values: Vec<String> = keys.iter().filter_map(|key| key.condition.clone()).collect();
    values.retain(|value| !value.is_empty());
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns every two of the values; SLUMP's conditions before the others, and in its order.
fn value_combinations(values: &[String]) -> Vec<(String, String)> {
    let slump = ConditionPair::default();
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

/// Matches the runs of two conditions. The group is counted from the last one, which pools all if there are several.
fn match_runs(
    table: &[&RunRow],
    keys: &[PairingKey],
    conditions: ConditionPair,
    group: usize,
) -> MatchedPairs {
    let found = pair_runs(keys, &conditions);
    let number = |at: usize, column| table.get(at)?.column_number(column).known_value();
    let groups = agent_groups(&pair_rows(&found, &TESTED, number), &TESTED);
    let count = groups.len();
    let at = (count + group).saturating_sub(1) % count.max(1);
    let chosen = groups.into_iter().nth(at);
    let (group, pairs, sides) =
        chosen.map_or((None, 0, vec![]), |group| (group.agent, group.pairs, group.sides));
    MatchedPairs {
        conditions,
        group,
        groups: count,
        pairs,
        unpaired_runs: found.unpaired.len(),
        sides,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::table::row::RunReading;
    use trajview_metrics::Number;
    use trajview_run::{RunCard, run_card::CardIdentity};

    fn run(task: &str, condition: &str, turns: usize) -> RunRow {
        let mut row = RunRow::unread_row(task.into(), task.into());
        let words = |words: &str| Some(words.to_owned());
        row.reading = RunReading::Whole(Box::new(RunCard {
            turns,
            identity: CardIdentity {
                task: words(task),
                agent: words("codex"),
                condition: words(condition),
                ..CardIdentity::default()
            },
            ..RunCard::default()
        }));
        row
    }

    fn table(rows: Vec<RunRow>) -> RunTableView {
        RunTableView {
            rows,
            pairs: Some(PairsPanel::for_factor(PairFactor::Condition)),
            ..RunTableView::default()
        }
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

        assert_eq!(matched.conditions, ConditionPair::default());
        assert_eq!((matched.pairs, matched.unpaired_runs, matched.groups), (1, 1, 1));
        assert_eq!(matched.sides, [(RunTableColumn::Number(Number::Turns), vec![(2.0, 10.0)])]);
    }

    #[test]
    fn the_pairs_of_the_table_are_those_of_the_commands_by_agent_and_pooled() {
        // The table used to pair by title and by agent with its version, and to pool all agents unsaid.
        let run = |agent: &str, version: &str, condition: &str, turns| {
            let mut row = run("Forward", condition, turns);
            let RunReading::Whole(card) = &mut row.reading else { unreachable!() };
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
            table.worked_out.arranged.matched_pairs = Some(Ok(matched));
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
        assert_eq!(table.pairs.map(|pairs| (pairs.pair_index, pairs.group_index)), Some((1, 0)));
    }

    #[test]
    fn one_condition_alone_is_a_sentence() {
        let why = table(vec![run("a", "emergent", 1)]).match_up().unwrap().unwrap_err();
        assert_eq!(why, "these runs have fewer than two conditions to compare");
    }

    #[test]
    fn every_two_values_are_gone_through() {
        let values = ["a", "emergent", "single-shot"].map(str::to_owned);
        let all = value_combinations(&values);
        let words: Vec<String> = all.iter().map(|(a, b)| format!("{a} {b}")).collect();
        assert_eq!(words, ["single-shot emergent", "a emergent", "a single-shot"]);
    }
}
