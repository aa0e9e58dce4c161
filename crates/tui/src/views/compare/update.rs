//! Applies messages and clicks to the comparison.

use ratatui::layout::Rect;

use crate::{
    session::{compare_protocol::MeasuredRunMoment, context::KeyContext, pending::Loading},
    widgets::{
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::Motion,
    },
};
use trajview_study::compare::{self, ComparedRun};

use super::{
    CompareMessage, ComparePart, ComparisonView,
    areas::{CompareAreas, head_rows},
    draw,
    final_trees::CompareFiles,
    table,
    transcripts::CompareTranscripts,
    verdict_source,
};

impl ComparisonView {
    pub fn update(&mut self, message: CompareMessage, areas: &CompareAreas) {
        match message {
            CompareMessage::Move(motion) => self.move_in_part(self.part, motion),
            CompareMessage::Turn(part, motion) => self.scroll_part(part, motion),
            CompareMessage::Next => self.focus_part(self.part.part_after(1)),
            CompareMessage::Previous => {
                self.focus_part(self.part.part_after(ComparePart::ALL.len() - 1))
            }
            CompareMessage::To(part) => self.focus_part(part),
            CompareMessage::Beside => self.show_next_beside(areas),
            CompareMessage::NextLoss(count) => self.go_to_next_loss(count),
            CompareMessage::SwitchSide => self.side = 1 - self.side,
            CompareMessage::Side(side) => self.side = side.min(1),
            CompareMessage::NextPair => self.next_pair(),
            CompareMessage::NextBase => self.next_base(),
            CompareMessage::Difference(motion) => self.step_to_difference(motion),
            CompareMessage::Sort if self.part == ComparePart::Files => self.files.use_next_sort(),
            CompareMessage::Sort => self.sort_components(),
            CompareMessage::Axis => self.chart.next_axis(),
            CompareMessage::Point(motion) => self.go_by_point(motion),
            CompareMessage::Number(motion) => self.choose_number(motion),
            CompareMessage::Step(motion) => self.step_in_part(motion),
            CompareMessage::Sideways(motion) => self.go_sideways(motion),
            CompareMessage::StopOrGoOn => self.stop_or_go_on(),
            CompareMessage::Judge => verdict_source::next_judge(self),
            CompareMessage::Pool => verdict_source::next_pool(self),
            CompareMessage::Show | CompareMessage::Enter => {} // need the rest of the program, see `shell::screens::compare`
        }
    }

    fn focus_part(&mut self, part: ComparePart) {
        if part == ComparePart::Transcripts && self.part != part {
            self.part_before = self.part;
        }
        self.part = part;
        // The transcripts take all the room.
        let is_beside = !matches!(
            part,
            ComparePart::Numbers | ComparePart::Components | ComparePart::Transcripts
        );
        if is_beside {
            self.beside = part;
        }
    }

    /// Shows the losses of both runs; where they have the keyboard already, goes to a later one, after the last to the
    /// first. The run that lost the chosen one becomes the one that enter opens.
    fn go_to_next_loss(&mut self, count: usize) {
        if self.part == ComparePart::Losses && !self.losses.rows.is_empty() {
            let next = (self.losses.pane.cursor() + count) % self.losses.rows.len();
            self.losses.pane.choose(next);
        }
        self.focus_part(ComparePart::Losses);
        self.turn_to_run_with_loss();
    }

    fn turn_to_run_with_loss(&mut self) {
        let lost = self.losses.selected_row().and_then(|row| row.first_loss());
        if let (Some((side, _)), None) = (lost, self.losses.selected_loss(self.side)) {
            self.side = side;
        }
    }

    fn show_next_beside(&mut self, areas: &CompareAreas) {
        if self.part == ComparePart::Transcripts {
            self.part = self.part_before;
            return;
        }
        let has_curves = areas.part_area(ComparePart::Curves).is_some()
            && areas.part_area(ComparePart::Code).is_some();
        let next = match self.beside {
            // A wide screen shows the curves already.
            ComparePart::Code if has_curves => ComparePart::Files,
            ComparePart::Code => ComparePart::Curves,
            ComparePart::Curves => ComparePart::Files,
            ComparePart::Files => ComparePart::Losses,
            _ => ComparePart::Code,
        };
        let is_there = self.part == self.beside;
        self.beside = next;
        if is_there {
            self.part = next;
        }
    }

    fn move_in_part(&mut self, part: ComparePart, motion: Motion) {
        match part {
            ComparePart::Numbers | ComparePart::Curves => self.choose_number(motion),
            ComparePart::Components => self.table.pane.move_cursor(motion),
            ComparePart::Code => self.code.views[self.side].lines.move_cursor(motion),
            ComparePart::Files => self.files.shown_pane().move_cursor(motion),
            ComparePart::Losses => self.losses.pane.move_cursor(motion),
            ComparePart::Transcripts => self.transcripts.pane.move_cursor(motion),
        }
    }

    /// Scrolls a part as a wheel does: the cursor moves only as far as it must.
    fn scroll_part(&mut self, part: ComparePart, motion: Motion) {
        match part {
            ComparePart::Components => self.table.pane.scroll_by(motion),
            ComparePart::Files => self.files.shown_pane().scroll_by(motion),
            ComparePart::Losses => self.losses.pane.scroll_by(motion),
            ComparePart::Transcripts => self.transcripts.pane.scroll_by(motion),
            part => self.move_in_part(part, motion),
        }
    }

    fn step_in_part(&mut self, motion: Motion) {
        match self.part {
            ComparePart::Files => self.files.step_to_hunk(motion),
            _ => self.next_evidence(motion),
        }
    }

    fn go_sideways(&mut self, motion: Motion) {
        match self.part {
            ComparePart::Numbers | ComparePart::Components if self.paths.len() > 2 => {
                self.scroll_columns(motion);
            }
            ComparePart::Files => self.files.go_sideways(motion),
            // No code is beside them.
            ComparePart::Losses | ComparePart::Transcripts => {}
            _ => self.code.go_sideways(motion),
        }
    }

    /// Closes the file, else goes to the components; returns false if these have the keyboard.
    pub(crate) fn close_part(&mut self) -> bool {
        match (self.part, self.files.is_open()) {
            (ComparePart::Files, true) => self.files.close_file(),
            (ComparePart::Components, _) => return false,
            _ => self.part = ComparePart::Components,
        }
        true
    }

    /// Goes to the next pair, in the order ab, ac, bc, ad …
    fn next_pair(&mut self) {
        let count = self.paths.len();
        if count < 3 {
            self.notice = Some("only two runs; `trajview A B C` compares more".into());
            return;
        }
        let [a, b] = self.pair;
        self.pair = match (a + 1 < b, b + 1 < count) {
            (true, _) => [a + 1, b],
            (false, true) => [0, b + 1],
            (false, false) => [0, 1],
        };
        self.files = CompareFiles::default();
        self.transcripts = CompareTranscripts::default();
        self.code.forget_places();
        self.sort_again();
        self.losses.failed.clear();
        self.list_losses();
    }

    fn stop_or_go_on(&mut self) {
        self.measures.is_stopped = !self.measures.is_stopped;
        if self.measures.is_stopped {
            self.measures.pending_run.stop_waiting();
            self.measures.progress = None;
        }
    }

    /// Updates every part for the current selection.
    pub(crate) fn settle_parts(&mut self, areas: &CompareAreas) {
        self.table.pane.settle(areas.part_room(ComparePart::Components), self.table.order.len());
        self.settle_code(areas.code_rooms());
        self.files.settle_rows(areas.part_room(ComparePart::Files));
        self.losses.pane.settle(areas.part_room(ComparePart::Losses), self.losses.rows.len());
        self.transcripts.settle_rows(areas.part_room(ComparePart::Transcripts));
        self.column_room = draw::column_room(self, areas);
        self.settle_chart();
        verdict_source::settle_intervals(self);
        self.settle_corrections();
    }

    pub(super) fn put_measures(&mut self, run: usize, measured: Vec<MeasuredRunMoment>) {
        if let Loading::Ready(parties) = &mut self.parties
            && let Some(party) = parties.get_mut(run)
        {
            party.reuse.extend(measured.iter().map(|it| (it.done, it.reuse)));
            party.measured.extend(measured.into_iter().map(|it| (it.done, it.code)));
        }
    }

    /// Measures everything again, with another profile or other rules; the known measures become the earlier ones.
    pub(crate) fn measure_again(&mut self) {
        self.measures.pending_run.stop_waiting();
        (self.measures.failed, self.measures.progress) = (None, None);
        let Loading::Ready(parties) = &mut self.parties else { return };
        if let Some(ruler) = self.measures.ruler.take() {
            self.measures.before = Some((ruler, parties.clone()));
        }
        parties.iter_mut().for_each(|party| party.measured.clear());
    }

    /// Sets the loaded runs and builds the table.
    pub(super) fn set_parties(&mut self, parties: Vec<ComparedRun>) {
        self.table.rows = table::party_rows(&parties);
        self.table.tests = compare::test_rows(&parties);
        self.table.differing_tests = self.table.tests.iter().filter(|it| !it.is_equal()).count();
        self.table.partial_tests =
            self.table.tests.iter().filter(|it| !it.is_in_all_runs()).count();
        self.parties = Loading::Ready(parties);
        self.forget_corrections();
        if self.has_no_components() {
            self.beside = ComparePart::Files;
        }
        self.sort_again();
        self.list_losses();
        let warnings = self.warnings();
        if let Some(first) = warnings.first() {
            let more = match warnings.len() {
                1 => String::new(),
                _ => {
                    format!("; {} lists more", self.keys.key_text(KeyContext::Compare, "warnings"))
                }
            };
            self.notice = Some(format!("{first}{more}"));
        }
        let Some(id) = self.first_component.take() else { return };
        let (rows, order) = (&self.table.rows, &self.table.order);
        match order.iter().position(|at| rows.get(*at).is_some_and(|row| row.id == id)) {
            Some(at) => self.table.pane.choose(at),
            None if self.is_component_requested && self.notice.is_none() => {
                self.notice = Some(format!("no component {id} in these checklists"));
            }
            None => {}
        }
    }

    /// Returns the message for a click or the wheel; a click selects at once.
    pub(crate) fn message_for_mouse(
        &mut self,
        mouse: Mouse,
        areas: &CompareAreas,
    ) -> Option<CompareMessage> {
        if let Some(part) = tab_at(areas, mouse) {
            return (mouse.kind == MouseKind::Click).then_some(CompareMessage::To(part));
        }
        let part = areas.part_at(mouse.column, mouse.row)?;
        match mouse.kind {
            MouseKind::WheelUp => {
                Some(CompareMessage::Turn(part, Motion::Up(ROWS_PER_WHEEL_NOTCH)))
            }
            MouseKind::WheelDown => {
                Some(CompareMessage::Turn(part, Motion::Down(ROWS_PER_WHEEL_NOTCH)))
            }
            MouseKind::WheelLeft => {
                Some(CompareMessage::Sideways(Motion::Up(ROWS_PER_WHEEL_NOTCH)))
            }
            MouseKind::WheelRight => {
                Some(CompareMessage::Sideways(Motion::Down(ROWS_PER_WHEEL_NOTCH)))
            }
            MouseKind::DoubleClick => Some(CompareMessage::Enter),
            MouseKind::Click => {
                self.select_at_mouse(part, mouse, areas);
                None
            }
            MouseKind::Move | MouseKind::Release | MouseKind::Drag => None,
        }
    }

    /// Selects the row under the pointer.
    fn select_at_mouse(&mut self, part: ComparePart, mouse: Mouse, areas: &CompareAreas) {
        self.focus_part(part);
        let Some(area) = areas.part_area(part) else { return };
        let Some(row) = row_below(area, head_rows(part), mouse) else { return };
        match part {
            ComparePart::Components => self.table.pane.choose_row_at(mouse),
            ComparePart::Files => self.files.shown_pane().choose_row_at(mouse),
            ComparePart::Losses => self.losses.pane.choose_row_at(mouse),
            ComparePart::Transcripts => {
                self.side = usize::from(mouse.column >= area.x + area.width / 2);
                self.transcripts.pane.choose_row_at(mouse);
            }
            ComparePart::Code => {
                let middle = areas.code_sides().map_or(0, |[_, b]| b.x);
                self.side = usize::from(mouse.column >= middle);
                self.code.views[self.side].lines.choose_row_at(mouse);
            }
            ComparePart::Numbers => {
                let height = areas.part_room(part).height();
                let (top, results) = self.numbers_top(height);
                // The rows above the numbers are results of the harness.
                if let Some(number) = (top + row).checked_sub(results) {
                    self.choose_number(Motion::To(number + 1));
                }
            }
            ComparePart::Curves => {
                let plot = super::chart::plot_area(area);
                let places = self.chart_places();
                let width = f64::from(plot.width.saturating_sub(1).max(1));
                let at = f64::from(mouse.column.saturating_sub(plot.x)) / width;
                let nearest = (0..places.len()).min_by(|one, other| {
                    let away = |index: usize| (places[index].at - at).abs();
                    away(*one).total_cmp(&away(*other))
                });
                if let Some(point) = nearest {
                    self.chart.go_to_point(point);
                }
            }
        }
    }
}

/// Returns the text of a tab.
pub(crate) fn tab_text(part: ComparePart) -> String {
    format!(" {} ", part.part_name())
}

fn tab_at(areas: &CompareAreas, mouse: Mouse) -> Option<ComparePart> {
    let at = mouse.tab_at(areas.tabs?, ComparePart::ALL.map(|part| tab_text(part).len()))?;
    Some(ComparePart::ALL[at])
}

/// Returns the row inside the border of an area below its heads; None elsewhere.
fn row_below(area: Rect, heads: u16, mouse: Mouse) -> Option<usize> {
    let first = area.y + 1 + heads;
    let is_inside = (first..area.bottom().saturating_sub(1)).contains(&mouse.row)
        && mouse.column > area.x
        && mouse.column + 1 < area.right();
    is_inside.then(|| usize::from(mouse.row - first))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ratatui::layout::Size;

    use super::*;
    use crate::widgets::layout::{PanelNeeds, ReplayPanel, ScreenLayout, Zoom};
    use trajview_run::{
        Run, Turn,
        rubric::Rubric,
        trial::{Outcome, TrialResult},
    };

    /// Runs of two turns that passed, without checklist.
    fn view_of(count: usize) -> ComparisonView {
        let trial = TrialResult { outcome: Some(Outcome::Passed), ..TrialResult::default() };
        let run =
            Run { turns: vec![Turn::default(); 2], trial: Some(Box::new(trial)), ..Run::default() };
        let party = ComparedRun::new(Arc::new(run), Rubric::default());
        let mut view = ComparisonView::new(vec!["run".into(); count]);
        view.set_parties(vec![party; count]);
        view
    }

    fn areas_of(part: ComparePart) -> CompareAreas {
        let size = Size { width: 120, height: 40 };
        let layout = ScreenLayout::new(size, ReplayPanel::Turns, Zoom::Off, &PanelNeeds::default());
        CompareAreas::new(&layout, part, ComparePart::Code, false)
    }

    fn click(view: &mut ComparisonView, areas: &CompareAreas, column: u16, row: u16) {
        view.message_for_mouse(Mouse { kind: MouseKind::Click, column, row }, areas);
    }

    #[test]
    fn a_component_is_chosen_in_runs_without_a_checklist() {
        let plain = view_of(2).parties.ready().unwrap().clone();
        let mut view =
            ComparisonView::new(vec!["run".into(); 2]).with_component(Some("C01".into()), true);

        view.set_parties(plain);

        assert!(view.notice.is_some_and(|words| words.contains("checklist")));
        assert_eq!(view.table.order, [0, 1]);
    }

    #[test]
    fn a_click_below_the_results_chooses_the_number_under_it() {
        let (mut view, areas) = (view_of(3), areas_of(ComparePart::Numbers));
        let numbers = view.compared_numbers();
        let (top, results) = view.numbers_top(areas.part_room(ComparePart::Numbers).height());
        assert!(results > 0 && top == 0 && numbers.len() > 1);
        let area = areas.part_area(ComparePart::Numbers).unwrap();
        let first = area.y + 2;

        click(&mut view, &areas, area.x + 2, first + results as u16 + 1);
        assert_eq!(view.chart.number, numbers[1]);
        click(&mut view, &areas, area.x + 2, first);
        assert_eq!(view.chart.number, numbers[1]);
    }

    #[test]
    fn in_transcripts_a_click_sets_the_side_and_v_returns_to_the_part_before() {
        let (mut view, areas) = (view_of(2), areas_of(ComparePart::Transcripts));
        view.update(CompareMessage::To(ComparePart::Transcripts), &areas);
        let area = areas.part_area(ComparePart::Transcripts).unwrap();

        click(&mut view, &areas, area.right() - 3, area.y + 4);
        assert_eq!(view.side, 1);
        click(&mut view, &areas, area.x + 3, area.y + 4);
        assert_eq!(view.side, 0);
        view.update(CompareMessage::Sideways(Motion::Down(8)), &areas);
        assert_eq!(view.code.column, 0);
        let beside = view.beside;
        view.update(CompareMessage::Beside, &areas);
        assert_eq!((view.part, view.beside), (ComparePart::Components, beside));
    }

    #[test]
    fn every_run_is_measured_and_has_a_fixed_order_of_requests() {
        let mut view = view_of(3);
        let of_two = view_of(2).measured_counts().1;

        assert!(of_two > 0 && view.measured_counts() == (0, of_two / 2 * 3));
        let sort = view.table.sort;
        view.update(CompareMessage::Sort, &areas_of(ComparePart::Components));
        assert_eq!(view.table.sort, sort);
    }
}
