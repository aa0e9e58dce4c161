//! When each step began, how long it took and waited, its tokens and what they cost: columns at the right of the steps.

use std::{cell::RefCell, collections::HashMap};

use ratatui::text::{Line, Span};

use crate::{
    session::Session,
    views::replay::{ReplayView, steps::StepColumn},
    widgets::{
        line::{fitting_prefix, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::cost::{CostSum, RunCost};
use trajview_run::{
    Run, StepId,
    step_pace::{self, StepPace},
};

/// The columns that fit; none where they are hidden.
pub(super) struct StepCells<'a> {
    columns: Vec<StepColumn>,
    /// None while it is being computed.
    cost: Option<Result<&'a RunCost, &'a str>>,
    /// The times of the visible agents, by agent index; computed once a frame.
    cached_paces: RefCell<HashMap<Option<usize>, Vec<StepPace>>>,
}

impl<'a> StepCells<'a> {
    /// Computes the columns for steps that have `width` cells.
    pub fn new(view: &ReplayView, session: &'a Session, width: usize) -> Self {
        let cost = session.scores.process.cost.cost_result();
        let has_cost = !matches!(cost, Some(Ok(cost)) if cost.charges.is_empty());
        let columns =
            view.steps.began.map(|began| StepColumn::fitting_columns(began, width, has_cost));
        Self { columns: columns.unwrap_or_default(), cost, cached_paces: RefCell::default() }
    }

    /// Returns the cost of the model call whose tokens are recorded at a step; None at other steps.
    fn step_cost(&self, id: StepId) -> Option<String> {
        match self.cost {
            None => Some("…".into()),
            Some(cost) => CostSum::from_charges([cost.ok()?.charge_of_step(id)?]).usd_text(),
        }
    }

    /// Returns the headings, placed above their columns in a panel's upper border.
    pub fn head_line(&self, theme: Theme) -> Line<'static> {
        let heads =
            self.columns.iter().map(|it| format!(" {:>1$}", it.column_head(), it.column_width()));
        let words: String = heads.collect();
        let words = if words.is_empty() { words } else { format!("{words} ") };
        Line::from(trusted_span(words, theme.style_for(Meaning::Muted)))
    }

    /// Returns the values of a step in the columns, a blank before each; empty where nothing is known of the step.
    pub(crate) fn cell_spans(&self, run: &Run, id: StepId, theme: Theme) -> Vec<Span<'static>> {
        if self.columns.is_empty() {
            return vec![];
        }
        let mut known = self.cached_paces.borrow_mut();
        let paces = known
            .entry(id.subagent)
            .or_insert_with(|| step_pace::agent_paces(run, id.turn, id.subagent));
        let Some(pace) = paces.get(id.step) else { return vec![] };
        let cell_span = |column: &StepColumn| {
            let words = column.cell_text(pace, id.step, || self.step_cost(id));
            let cells = column.column_width();
            trusted_span(
                format!(" {:>cells$}", fitting_prefix(&words, cells)),
                theme.style_for(Meaning::Muted),
            )
        };
        self.columns.iter().map(cell_span).collect()
    }
}
