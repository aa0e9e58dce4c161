//! The components, one row each, their order and the chosen one.

use crate::widgets::pane::ListPane;
use trajview_study::compare::{
    ComparedComponent, ComparedRun, ComparedTest, ScoreTransitions, by_base_difference, by_loss,
    component_rows, run_letter,
};
use trajview_study::fairness::task_difference;

use super::ComparisonView;

#[derive(Debug, Default)]
pub struct ComponentTable {
    /// The components in the order of the checklists.
    pub rows: Vec<ComparedComponent>,
    /// Recorded tests by run; listed where there are no components.
    pub tests: Vec<ComparedTest>,
    /// The recorded tests with different outcomes.
    pub(crate) differing_tests: usize,
    /// The recorded tests that some runs have no record of.
    pub(crate) partial_tests: usize,
    /// Indices of rows in the order in which they are listed; of tests or turns, where nothing is judged.
    pub order: Vec<usize>,
    pub sort: CompareTableSort,
    pub pane: ListPane,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareTableSort {
    /// The largest first.
    #[default]
    Loss,
    /// The order of the checklist.
    Listed,
    /// Sorts by the score of one side, the lowest first.
    Score(usize),
}

impl CompareTableSort {
    const fn next_sort(self) -> Self {
        match self {
            Self::Loss => Self::Listed,
            Self::Listed => Self::Score(0),
            Self::Score(0) => Self::Score(1),
            Self::Score(_) => Self::Loss,
        }
    }

    /// Returns `the largest loss first`.
    pub(crate) fn sort_words(self, pair: [usize; 2], is_slump: bool) -> String {
        match self {
            Self::Loss if is_slump => "largest loss first".into(),
            Self::Loss => "largest difference first".into(),
            Self::Listed => "as listed".into(),
            Self::Score(side) => {
                let run = pair.get(side).copied().unwrap_or_default();
                format!("lowest in {} first", run_letter(run))
            }
        }
    }
}

pub(crate) fn party_rows(parties: &[ComparedRun]) -> Vec<ComparedComponent> {
    let judged = parties.iter().map(|party| (party.rubric.checklist.as_ref(), party.judgement()));
    component_rows(&judged.collect::<Vec<_>>())
}

/// Returns the name of a test after the checkpoint that it was written for.
pub(crate) fn test_name(test: &ComparedTest) -> String {
    match test.checkpoint.is_empty() {
        true => test.name.clone(),
        false => format!("{} {}", test.checkpoint, test.name),
    }
}

impl ComponentTable {
    /// Returns the chosen component.
    pub(crate) fn selected_row(&self) -> Option<&ComparedComponent> {
        self.rows.get(*self.order.get(self.pane.cursor())?)
    }

    /// Returns the chosen test, where tests are listed.
    pub(crate) fn selected_test(&self) -> Option<&ComparedTest> {
        self.tests.get(*self.order.get(self.pane.cursor())?)
    }

    /// Chooses a component; nothing changes where it is not listed.
    pub(crate) fn choose_component(&mut self, id: &str) {
        let is_it = |at: &usize| self.rows.get(*at).is_some_and(|row| row.id == id);
        if let Some(row) = self.order.iter().position(is_it) {
            self.pane.choose(row);
        }
    }
}

impl ComparisonView {
    /// Counts the transitions from the scores of the one run to those of the other.
    pub fn score_transitions(&self) -> ScoreTransitions {
        match self.not_compared() {
            Some(_) => ScoreTransitions::default(),
            None => ScoreTransitions::between_runs(&self.table.rows, (self.pair[0], self.pair[1])),
        }
    }

    /// Returns the sentence that the two compared runs are not of one task; then no paired test is computed for them.
    pub(crate) fn not_compared(&self) -> Option<String> {
        let all = self.all_parties();
        let task = |run: &usize| Some((run_letter(*run), all.get(*run)?.run.task_key()));
        task_difference(self.pair.iter().filter_map(task))
    }

    /// Returns whether recorded tests take the place of components.
    pub(crate) fn lists_tests(&self) -> bool {
        self.has_no_components() && !self.table.tests.is_empty()
    }

    pub(crate) fn sort_components(&mut self) {
        if self.has_no_components() {
            let words = if self.lists_tests() {
                "tests with different outcomes come first; there is no other order"
            } else {
                "requests are in the order of their turns"
            };
            self.notice = Some(words.into());
            return;
        }
        self.table.sort = self.table.sort.next_sort();
        self.sort_again();
    }

    /// Sorts the rows; the chosen component stays chosen.
    pub(crate) fn sort_again(&mut self) {
        if self.lists_tests() {
            self.table.order = (0..self.table.tests.len()).collect();
            return;
        }
        if self.has_no_components() {
            let turns = self.pair.iter().filter_map(|run| self.all_parties().get(*run));
            let turns = turns.map(|party| party.run.turns.len()).max();
            self.table.order = (0..turns.unwrap_or_default()).collect();
            return;
        }
        let chosen = self.table.order.get(self.table.pane.cursor()).copied();
        let rows = &self.table.rows;
        let mut order = match self.paths.len() > 2 {
            true => by_base_difference(rows, self.base),
            false => by_loss(rows, self.subtraction()),
        };
        match self.table.sort {
            CompareTableSort::Loss => {}
            CompareTableSort::Listed => order.sort_unstable(),
            CompareTableSort::Score(side) => {
                let run = self.pair[side.min(1)];
                order.sort_by_key(|at| rows[*at].score_in(run).map_or(u8::MAX, |score| score));
            }
        }
        let found = order.iter().position(|at| Some(*at) == chosen);
        self.table.pane.choose(found.unwrap_or_default());
        self.table.order = order;
    }
}
