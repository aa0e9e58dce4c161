//! The components, one row each: which order they stand in and which one is chosen.

use crate::widgets::scroll::{Motion, Scroll};
use trajview_study::compare::{Party, Row, Transitions, by_loss, letter, rows};

use super::Comparison;

#[derive(Debug, Default)]
pub struct Table {
    /// In the order of the checklists.
    pub rows: Vec<Row>,
    /// Indices of rows in the order in which they are listed; of turns, where nothing is judged.
    pub order: Vec<usize>,
    pub sort: Sort,
    pub scroll: Scroll,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The largest first.
    #[default]
    Loss,
    /// As the checklist has them.
    Listed,
    /// By the score of one side, the lowest first.
    Score(usize),
}

impl Sort {
    const fn next(self) -> Self {
        match self {
            Self::Loss => Self::Listed,
            Self::Listed => Self::Score(0),
            Self::Score(0) => Self::Score(1),
            Self::Score(_) => Self::Loss,
        }
    }

    /// `the largest loss first`
    pub fn words(self, pair: [usize; 2], is_slump: bool) -> String {
        match self {
            Self::Loss if is_slump => "largest loss first".into(),
            Self::Loss => "largest difference first".into(),
            Self::Listed => "as listed".into(),
            Self::Score(side) => {
                let run = pair.get(side).copied().unwrap_or_default();
                format!("lowest in {} first", letter(run))
            }
        }
    }
}

pub fn rows_of(parties: &[Party]) -> Vec<Row> {
    let judged = parties.iter().map(|party| (party.rubric.checklist.as_ref(), party.judgement()));
    rows(&judged.collect::<Vec<_>>())
}

impl Table {
    /// The chosen component.
    pub fn selected(&self) -> Option<&Row> {
        self.rows.get(*self.order.get(self.scroll.cursor)?)
    }

    /// Chooses a component; nothing changes where it is not listed.
    pub fn choose(&mut self, id: &str) {
        let is_it = |at: &usize| self.rows.get(*at).is_some_and(|row| row.id == id);
        self.scroll.cursor = self.order.iter().position(is_it).unwrap_or(self.scroll.cursor);
    }

    pub fn go(&mut self, motion: Motion, height: usize) {
        self.scroll.cursor = motion.from(self.scroll.cursor, self.order.len(), height);
    }

    pub fn turn(&mut self, motion: Motion, height: usize) {
        self.scroll.turn(motion, self.order.len(), height);
    }

    pub fn settle(&mut self, height: usize) {
        self.scroll.follow(self.order.len(), height);
    }
}

impl Comparison {
    /// How scores of the one run became those of the other.
    pub fn transitions(&self) -> Transitions {
        Transitions::of(&self.table.rows, (self.pair[0], self.pair[1]))
    }

    pub(crate) fn sort_components(&mut self) {
        self.table.sort = self.table.sort.next();
        self.sort_again();
    }

    /// The chosen component stays chosen, wherever it comes to stand.
    pub(crate) fn sort_again(&mut self) {
        if self.is_plain() {
            let turns = self.pair.iter().filter_map(|run| self.all().get(*run));
            let turns = turns.map(|party| party.run.turns.len()).max();
            self.table.order = (0..turns.unwrap_or_default()).collect();
            return;
        }
        let chosen = self.table.order.get(self.table.scroll.cursor).copied();
        let rows = &self.table.rows;
        let mut order = by_loss(rows, self.subtraction());
        match self.table.sort {
            Sort::Loss => {}
            Sort::Listed => order.sort_unstable(),
            Sort::Score(side) => {
                let run = self.pair[side.min(1)];
                order.sort_by_key(|at| rows[*at].score(run).map_or(u8::MAX, |score| score));
            }
        }
        let found = order.iter().position(|at| Some(*at) == chosen);
        self.table.scroll.cursor = found.unwrap_or_default();
        self.table.order = order;
    }
}
