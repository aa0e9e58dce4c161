//! The components that the run lost: in which turn, by which lines, and the judge's scores before and after.
//!
//! The losses come from the lifelines, which the session asks for. [`Session::go_to_next_loss`] leads to the next loss
//! from any view.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::{
    session::{
        Session,
        pending::Loading,
        replay_opening::{DiffBase, OpeningTarget, ReplayOpening},
    },
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_metrics::lifeline::{DatedVerdict, RecordedLoss, recorded_losses};

/// The state of the table of losses.
#[derive(Debug, Default)]
pub struct LossesView {
    pub rows: ListPane,
}

#[derive(Debug, Clone, PartialEq)]
pub enum LossesMessage {
    /// Shows the table, or the page before it again.
    Show,
    Move(Motion),
    /// Opens the lines of the chosen loss in the replay.
    Open,
    /// Goes back to the components.
    Close,
}

/// The areas of one frame, borders included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LossesAreas {
    pub table: Rect,
    /// The request and the judge's words on the chosen loss, if there are enough rows.
    pub detail: Option<Rect>,
}

/// Rows of the names of the columns.
const HEAD_ROWS: u16 = 1;

/// Rows below which the table has all of them.
const LOW_BODY_ROWS: u16 = 14;

/// Most rows of the table, so that the text below gets the room that few losses leave.
const MOST_TABLE_ROWS: usize = 16;

impl LossesAreas {
    /// Computes the areas for this number of losses.
    pub(crate) fn for_layout(layout: &ScreenLayout, losses: usize) -> Self {
        let body = layout.body;
        if layout.is_too_small || body.height < LOW_BODY_ROWS {
            let table = if layout.is_too_small { Rect::default() } else { body };
            return Self { table, detail: None };
        }
        let wanted = losses.clamp(3, MOST_TABLE_ROWS) as u16 + HEAD_ROWS + 2;
        let table = Constraint::Length(wanted.min(body.height / 2));
        let [table, detail] = Split::vertical([table, Constraint::Fill(1)]).areas(body);
        Self { table, detail: Some(detail) }
    }
}

impl LossesView {
    pub(super) fn update_losses(&mut self, session: &mut Session, message: LossesMessage) {
        match message {
            LossesMessage::Move(motion) => self.rows.move_cursor(motion),
            LossesMessage::Open => match session.run_losses().get(self.rows.cursor()) {
                Some(loss) => {
                    let (opening, notice) = loss_opening(session, loss);
                    session.set_opening(opening);
                    session.notice = Some(format!("{notice}; backspace goes back to the losses"));
                }
                None => session.notice = Some("no loss to open".into()),
            },
            LossesMessage::Show | LossesMessage::Close => {} // the pages are the view's
        }
    }

    pub(super) fn settle_losses(&mut self, session: &Session, layout: &ScreenLayout) {
        let len = session.run_losses().len();
        let table = LossesAreas::for_layout(layout, len).table;
        self.rows.settle(PaneRoom::framed(Some(table)).with_fixed_rows(HEAD_ROWS, 0), len);
    }

    pub(super) fn point_at_losses(&mut self, session: &mut Session, mouse: Mouse) {
        if let Some(motion) = mouse.wheel_motion(1).filter(|_| self.rows.has_mouse(mouse)) {
            return self.rows.scroll_by(motion);
        }
        let Some(row) = self.rows.row_at(mouse).filter(|_| mouse.is_click()) else { return };
        self.rows.choose(row);
        if mouse.kind == MouseKind::DoubleClick {
            self.update_losses(session, LossesMessage::Open);
        }
    }

    /// Returns the id of the chosen component.
    pub(crate) fn lost_component(&self, session: &Session) -> Option<String> {
        session.run_losses().get(self.rows.cursor()).map(|it| it.loss.component.to_owned())
    }

    /// Returns the chosen loss as text, with tabs between its cells.
    pub(crate) fn loss_as_text(&self, session: &Session) -> Option<String> {
        let losses = session.run_losses();
        let it = losses.get(self.rows.cursor())?;
        let place = it.loss.symbols.first().map(|symbol| symbol.place_text()).unwrap_or_default();
        let score =
            |dated: Option<DatedVerdict<'_>>| dated.map(|it| it.score_text()).unwrap_or_default();
        let cells = [
            it.loss.component.to_owned(),
            it.name.unwrap_or_default().to_owned(),
            it.loss.turn.to_string(),
            place,
            score(it.before),
            score(it.after),
            it.request.unwrap_or_default().to_owned(),
        ];
        Some(cells.join("\t"))
    }
}

/// Returns the place of a loss in the replay, and a sentence about it.
fn loss_opening(session: &Session, lost: &RecordedLoss<'_>) -> (ReplayOpening, String) {
    let loss = &lost.loss;
    let turn = loss.turn.saturating_sub(1);
    let opening = match loss.event_spot() {
        Some(spot) => session.opening_of_event(turn, spot),
        None => {
            ReplayOpening { turn, target: OpeningTarget::Turn, base: Some(DiffBase::PreviousTurn) }
        }
    };
    let symbols = loss.symbols.iter().filter(|symbol| symbol.turn == loss.turn);
    let changes = symbols.map(|it| format!("{} {}", it.life.last_name(), it.change_text()));
    let changes = changes.collect::<Vec<_>>().join(", ");
    (opening, format!("{} lost at turn {}: {changes}", loss.component, loss.turn))
}

impl Session {
    /// Returns the components that the run lost, by turn, with the verdicts of the judge that is shown. Empty until the
    /// lifelines are there.
    pub(crate) fn run_losses(&self) -> Vec<RecordedLoss<'_>> {
        let lifelines = self.rubric.lifelines.known_lifelines();
        let (Some(Ok(lifelines)), Some(rubric)) = (lifelines, self.rubric.known_rubric()) else {
            return vec![];
        };
        let judge = self.rubric.shown_judgement().map(|it| &it.judge);
        recorded_losses(&self.run, rubric, judge, lifelines)
    }

    /// Goes to the lines that lost the next component after the playhead's turn; after the last to the first. Several
    /// losses of one turn are one step each. While the lifelines are not there yet, it goes once they are.
    pub(crate) fn go_to_next_loss(&mut self) {
        self.rubric.lifelines.goes_to_next_loss = true;
        self.notice = Some("following the components…".into());
        self.settle_next_loss();
    }

    /// Goes to the loss that was asked for, once the lifelines are there.
    pub(crate) fn settle_next_loss(&mut self) {
        if !self.rubric.lifelines.goes_to_next_loss {
            return;
        }
        let failed = match (&self.timeline, self.rubric.loading_rubric()) {
            (Loading::Failed(why), _) | (_, Loading::Failed(why)) => Some(why.clone()),
            _ => None,
        };
        let (is_known, why_none) = match self.rubric.lifelines.known_lifelines() {
            Some(Ok(_)) => (true, "this run lost no component".to_owned()),
            Some(Err(why)) => (true, why.clone()),
            None if self.rubric.known_rubric().is_some() && !self.rubric.has_content() => {
                (true, "this run has no components, so none is lost".to_owned())
            }
            None => (failed.is_some(), failed.unwrap_or_default()),
        };
        if !is_known {
            return;
        }
        self.rubric.lifelines.goes_to_next_loss = false;
        let here = self.rubric.lifelines.last_loss.take();
        let losses = self.run_losses();
        let after_last = here.and_then(|(turn, id)| {
            let at = losses.iter().position(|it| it.loss.component == id)?;
            (turn == self.turn).then_some(at + 1)
        });
        let later = || losses.iter().position(|it| it.loss.turn > self.turn + 1);
        let at = after_last.or_else(later).filter(|at| *at < losses.len()).unwrap_or_default();
        if losses.is_empty() {
            self.notice = Some(why_none);
            return;
        }
        self.go_to_loss(at);
    }

    /// Goes to the lines of one of [`Self::run_losses`].
    pub(crate) fn go_to_loss(&mut self, at: usize) {
        let losses = self.run_losses();
        let Some(loss) = losses.get(at) else { return };
        let (opening, notice) = loss_opening(self, loss);
        let notice = format!("{notice} (loss {} of {})", at + 1, losses.len());
        let gone_to = (opening.turn, loss.loss.component.to_owned());
        self.rubric.lifelines.last_loss = Some(gone_to);
        self.notice = Some(notice);
        self.set_opening(opening);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_table_and_the_text_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for losses in [0, 4, 400] {
                let areas = LossesAreas::for_layout(&layout, losses);
                assert_apart(layout.body, [Some(areas.table), areas.detail].into_iter().flatten());
                assert!(layout.is_too_small || areas.table.height > HEAD_ROWS + 2);
            }
        }
    }
}
