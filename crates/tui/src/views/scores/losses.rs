//! The components that the run lost: in which turn, by which lines, and the judge's scores before and after; and the tests
//! that failed after they had passed.
//!
//! The lost components come from the lifelines, which the session asks for. [`Session::go_to_next_loss`] leads to the next loss
//! from any view.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use trajview_run::format_number;

use crate::{
    session::{
        Session,
        context::KeyContext,
        lifelines::{LastLoss, LossKey},
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
use trajview_metrics::{
    lifeline::{DatedVerdict, RecordedLoss, recorded_losses},
    test_losses::{LossKind, TestLoss, has_followed_tests, test_losses},
};

/// A component or a test that the run lost.
#[derive(Debug)]
pub(crate) enum RunLoss<'s> {
    Component(RecordedLoss<'s>),
    Test {
        loss: TestLoss<'s>,
        /// The first line of the turn's request.
        request: Option<&'s str>,
    },
}

impl RunLoss<'_> {
    pub(crate) const fn kind(&self) -> LossKind {
        match self {
            Self::Component(_) => LossKind::Component,
            Self::Test { .. } => LossKind::Test,
        }
    }

    /// Returns the turn that lost it; counts from 1.
    pub(crate) const fn turn(&self) -> usize {
        match self {
            Self::Component(it) => it.loss.turn,
            Self::Test { loss, .. } => loss.failed.turns_done,
        }
    }

    /// Returns the id of the component, or the name of the test.
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Component(it) => it.loss.component,
            Self::Test { loss, .. } => &loss.test.name,
        }
    }

    /// Returns the name of the component in the checklist; empty for a test.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Component(it) => it.name.unwrap_or_default(),
            Self::Test { .. } => "",
        }
    }

    pub(crate) const fn request(&self) -> Option<&str> {
        match self {
            Self::Component(it) => it.request,
            Self::Test { request, .. } => *request,
        }
    }

    /// Returns `4 at 39 → 1 at 56`; of a test `passed → failed`.
    pub(crate) fn change_of_scores(&self) -> String {
        let score = |dated: Option<DatedVerdict<'_>>| {
            dated.map_or_else(|| format_number::MISSING_SIGN.into(), |it| it.score_text())
        };
        match self {
            Self::Component(it) => format!("{} → {}", score(it.before), score(it.after)),
            Self::Test { .. } => "passed → failed".into(),
        }
    }

    /// Returns the line that shows the loss; of a test the two checkpoints.
    pub(crate) fn place_text(&self) -> String {
        match self {
            Self::Component(it) => {
                it.loss.symbols.first().map(|symbol| symbol.place_text()).unwrap_or_default()
            }
            Self::Test { loss, .. } => format!("{} → {}", loss.passed.name, loss.failed.name),
        }
    }

    fn key(&self) -> LossKey {
        let checkpoint = match self {
            Self::Component(_) => None,
            Self::Test { loss, .. } => Some(loss.test.checkpoint.clone()),
        };
        LossKey { kind: self.kind(), id: self.id().to_owned(), checkpoint, turn: self.turn() }
    }
}

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
                    let gone_to = LastLoss { key: loss.key(), step: None };
                    session.rubric.lifelines.last_loss = Some(gone_to);
                    session.set_opening(opening);
                    let back = session.keys.key_text(KeyContext::Replay, "back");
                    session.notice = Some(format!("{notice}; {back} goes back to the losses"));
                }
                None => session.notice = Some("no loss to open".into()),
            },
            LossesMessage::Show => {} // the pages are the view's
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

    /// Returns the turn of the chosen loss; counts from 0.
    pub(super) fn chosen_turn(&self, session: &Session) -> Option<usize> {
        session.run_losses().get(self.rows.cursor())?.turn().checked_sub(1)
    }

    /// Returns the id of the chosen component.
    pub(crate) fn lost_component(&self, session: &Session) -> Option<String> {
        match session.run_losses().get(self.rows.cursor())? {
            RunLoss::Component(it) => Some(it.loss.component.to_owned()),
            RunLoss::Test { .. } => None,
        }
    }

    /// Returns the chosen loss as text, with tabs between its cells.
    pub(crate) fn loss_as_text(&self, session: &Session) -> Option<String> {
        let losses = session.run_losses();
        let it = losses.get(self.rows.cursor())?;
        let score =
            |dated: Option<DatedVerdict<'_>>| dated.map(|it| it.score_text()).unwrap_or_default();
        let (place, before, after) = match it {
            RunLoss::Component(lost) => (it.place_text(), score(lost.before), score(lost.after)),
            RunLoss::Test { loss, .. } => (
                String::new(),
                format!("passed at {}", loss.passed.name),
                format!("failed at {}", loss.failed.name),
            ),
        };
        let cells = [
            it.kind().word().to_owned(),
            it.id().to_owned(),
            it.name().to_owned(),
            it.turn().to_string(),
            place,
            before,
            after,
            it.request().unwrap_or_default().to_owned(),
        ];
        Some(cells.join("\t"))
    }
}

/// Returns the place of a loss in the replay, and a sentence about it.
fn loss_opening(session: &Session, lost: &RunLoss<'_>) -> (ReplayOpening, String) {
    let turn = lost.turn().saturating_sub(1);
    let whole_turn =
        ReplayOpening { turn, target: OpeningTarget::Turn, base: Some(DiffBase::PreviousTurn) };
    let loss = match lost {
        RunLoss::Component(it) => &it.loss,
        RunLoss::Test { loss, .. } => {
            let (passed, failed) = (&loss.passed.name, &loss.failed.name);
            let states = format!("passed at {passed}, failed at {failed}");
            let words = format!("test {} lost at turn {}: {states}", loss.test.name, lost.turn());
            return (whole_turn, words);
        }
    };
    let opening = match loss.event_spot() {
        Some(spot) => session.opening_of_event(turn, spot),
        None => whole_turn,
    };
    let symbols = loss.symbols.iter().filter(|symbol| symbol.turn == loss.turn);
    let changes = symbols.map(|it| format!("{} {}", it.life.last_name(), it.change_text()));
    let changes = changes.collect::<Vec<_>>().join(", ");
    (opening, format!("{} lost at turn {}: {changes}", loss.component, loss.turn))
}

/// The sentence for a run whose losses nobody can find.
pub(crate) const NOTHING_TO_LOSE: &str =
    "no components in this run, and no tests with outcomes at two checkpoints";

impl Session {
    /// Returns the components and tests that the run lost, by turn; of one turn the components first.
    pub(crate) fn run_losses(&self) -> Vec<RunLoss<'_>> {
        let components = self.lost_components().into_iter().map(RunLoss::Component);
        let tests = test_losses(&self.run).into_iter().map(|loss| {
            let request = loss.request(&self.run);
            RunLoss::Test { loss, request }
        });
        let mut losses: Vec<RunLoss<'_>> = components.chain(tests).collect();
        losses.sort_by_key(RunLoss::turn);
        losses
    }

    /// Returns whether the run has something that it could lose: components, or tests with outcomes at several checkpoints.
    pub(crate) fn can_have_losses(&self) -> bool {
        self.rubric.has_content() || has_followed_tests(&self.run)
    }

    /// Returns the components that the run lost, by turn, with the verdicts of the judge that is shown. Empty until the
    /// lifelines are there.
    fn lost_components(&self) -> Vec<RecordedLoss<'_>> {
        let lifelines = self.rubric.lifelines.known_lifelines();
        let (Some(Ok(lifelines)), Some(rubric)) = (lifelines, self.rubric.known_rubric()) else {
            return vec![];
        };
        let judge = self.rubric.shown_judgement().map(|it| &it.judge);
        recorded_losses(&self.run, rubric, judge, lifelines)
    }

    /// Goes to the next loss, of a component to the lines that lost it, after the playhead's turn; after the last to the first. Several
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
            Some(Ok(_)) => (true, self.why_no_losses()),
            Some(Err(why)) => (true, why.clone()),
            None if self.rubric.known_rubric().is_some() && !self.rubric.has_content() => {
                (true, self.why_no_losses())
            }
            None => (failed.is_some(), failed.unwrap_or_default()),
        };
        if !is_known {
            return;
        }
        self.rubric.lifelines.goes_to_next_loss = false;
        let losses = self.run_losses();
        let after_last = self.current_loss_in(&losses).map(|at| at + 1);
        let later = || losses.iter().position(|it| it.turn() > self.turn + 1);
        let at = after_last.or_else(later).filter(|at| *at < losses.len()).unwrap_or_default();
        if losses.is_empty() {
            self.notice = Some(why_none);
            return;
        }
        self.go_to_loss(at);
    }

    /// Returns the sentence that nothing is lost.
    pub(crate) fn why_no_losses(&self) -> String {
        match (self.rubric.has_content(), has_followed_tests(&self.run)) {
            (true, true) => "this run lost no component and no test".into(),
            (true, false) => "this run lost no component".into(),
            (false, true) => "this run lost no test".into(),
            (false, false) => NOTHING_TO_LOSE.into(),
        }
    }

    /// Returns the loss that was last gone to, as an index of [`Self::run_losses`], while its turn is selected.
    pub(crate) fn current_loss(&self) -> Option<usize> {
        self.current_loss_in(&self.run_losses())
    }

    fn current_loss_in(&self, losses: &[RunLoss<'_>]) -> Option<usize> {
        let last = self.rubric.lifelines.last_loss.as_ref();
        let key = &last.filter(|last| last.key.turn == self.turn + 1)?.key;
        losses.iter().position(|it| it.key() == *key)
    }

    /// Goes to one of [`Self::run_losses`].
    pub(crate) fn go_to_loss(&mut self, at: usize) {
        let losses = self.run_losses();
        let Some(loss) = losses.get(at) else { return };
        let (opening, notice) = loss_opening(self, loss);
        let notice = format!("{notice} (loss {} of {})", at + 1, losses.len());
        let gone_to = LastLoss { key: loss.key(), step: None };
        self.rubric.lifelines.last_loss = Some(gone_to);
        self.notice = Some(notice);
        self.set_opening(opening);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};
    use trajview_metrics::test_losses::RecordedState;
    use trajview_run::checkpoint_record::{TestCase, TestOutcome};

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

    #[test]
    fn tests_of_one_name_from_two_checkpoints_are_two_losses() {
        let test_of = |checkpoint: &str| TestCase {
            name: "test_add".into(),
            checkpoint: checkpoint.into(),
            group: None,
            outcome: TestOutcome::Failed,
            seconds: None,
            reason: None,
            failure: None,
        };
        let tests = [test_of("c1"), test_of("c2")];
        let state = |turns_done| RecordedState { name: format!("c{turns_done}"), turns_done };
        let keys = tests.each_ref().map(|test| {
            let loss = TestLoss { test, passed: state(2), failed: state(3) };
            RunLoss::Test { loss, request: None }.key()
        });

        assert_ne!(keys[0], keys[1]);
        assert_eq!((keys[0].kind, keys[0].turn), (LossKind::Test, 3));
    }
}
