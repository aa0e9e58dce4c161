//! When each step began, how long it took and waited, its tokens and what they cost: columns at the right of the steps.

use std::{cell::RefCell, collections::HashMap};

use ratatui::text::{Line, Span};

use crate::{
    session::Session,
    views::replay::{Replay, steps::Column},
    widgets::{
        line::{head, own},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::cost::{RunCost, Sum};
use trajview_run::{
    Run, StepId,
    pace::{self, Pace},
};

/// The columns that there is room for; none where they are not wanted.
pub(super) struct Paces<'a> {
    columns: Vec<Column>,
    /// None while it is worked out.
    cost: Option<Result<&'a RunCost, &'a str>>,
    /// Of the agents that have been seen, by their index; worked out once a frame.
    known: RefCell<HashMap<Option<usize>, Vec<Pace>>>,
}

impl<'a> Paces<'a> {
    /// Beside steps that have `width` cells.
    pub fn of(view: &Replay, session: &'a Session, width: usize) -> Self {
        let cost = session.scores.worked.cost.known();
        let has_cost = !matches!(cost, Some(Ok(cost)) if cost.charges.is_empty());
        let columns = view.steps.began.map(|began| Column::fitting(began, width, has_cost));
        Self { columns: columns.unwrap_or_default(), cost, known: RefCell::default() }
    }

    /// What the model call costs whose tokens a step holds; None where it holds none.
    fn cost_of(&self, id: StepId) -> Option<String> {
        match self.cost {
            None => Some("…".into()),
            Some(cost) => Sum::of([cost.ok()?.of_step(id)?]).said(),
        }
    }

    /// The heads, where they stand above their columns in a panel's upper border.
    pub fn heads(&self, theme: Theme) -> Line<'static> {
        let heads = self.columns.iter().map(|it| format!(" {:>1$}", it.head(), it.cells()));
        let words: String = heads.collect();
        let words = if words.is_empty() { words } else { format!("{words} ") };
        Line::from(own(words, theme.of(Meaning::Muted)))
    }

    /// What the columns say of a step.
    pub fn of_step(&self, run: &Run, id: StepId, theme: Theme) -> Vec<Span<'static>> {
        if self.columns.is_empty() {
            return vec![];
        }
        let mut known = self.known.borrow_mut();
        let paces =
            known.entry(id.subagent).or_insert_with(|| pace::of_agent(run, id.turn, id.subagent));
        let Some(pace) = paces.get(id.step) else { return vec![] };
        let said = |column: &Column| {
            let words = column.said(pace, id.step, || self.cost_of(id));
            let cells = column.cells();
            own(format!(" {:>cells$}", head(&words, cells)), theme.of(Meaning::Muted))
        };
        self.columns.iter().map(said).collect()
    }
}
