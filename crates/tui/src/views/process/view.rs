//! Implements the interface to the shell.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, context::KeyContext, effect::Effect, pending::Loading, request::RequestIds,
        views::View,
    },
    views::view::RunView,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        pane::{PaneRoom, part_under},
        theme::Theme,
    },
};
use trajview_metrics::process::Pillar;
use trajview_run::Run;

use super::{
    ProcessMessage, ProcessPart, ProcessView,
    areas::{ProcessAreas, SCORE_ROWS},
    draw,
};

/// Most steps of a run whose signals are computed before the view is opened.
const QUICKLY_READ_STEPS: usize = 4_000;

fn is_quickly_read(run: &Run) -> bool {
    run.turns.iter().map(|turn| turn.steps.len()).sum::<usize>() <= QUICKLY_READ_STEPS
}

impl RunView for ProcessView {
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if session.view != View::Process {
            return;
        }
        let rows = self.list_rows(session);
        let areas = ProcessAreas::for_layout(layout, self.part, rows);
        let room = PaneRoom::framed(areas.pillars).with_fixed_rows(0, SCORE_ROWS);
        self.pillars.settle(room, Pillar::ALL.len());
        self.counted.settle(PaneRoom::framed(areas.counted), rows.counted);
        self.below.settle(PaneRoom::framed(areas.below), rows.below);
    }

    /// Asks for the report while the view is on, and of a run that is quickly read wherever its playhead is; decisions
    /// and memory while their list is shown.
    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        _: &ScreenLayout,
    ) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        let is_on = session.view == View::Process;
        let is_back = is_on && !self.was_on;
        self.was_on = is_on;
        let mut effects: Vec<Effect> = session.ask_rubric(numbers, is_back).into_iter().collect();
        let Session { run, scores, .. } = session;
        if !is_known || !(is_on || scores.process.is_wanted || is_quickly_read(run)) {
            return effects;
        }
        effects.extend(scores.process.ask_process(numbers, run));
        if is_on {
            // All lists are looked for: those that have rows are shown beside the chosen one.
            effects.extend(scores.process.ask_decisions(numbers, run));
            effects.extend(scores.process.ask_memory(numbers, run));
        }
        if std::mem::take(&mut self.is_drawing) {
            effects.extend(scores.process.draw_decisions(numbers, run));
        }
        effects
    }

    fn keyboard_context(&self, _: &Session) -> KeyContext {
        match self.part {
            ProcessPart::Pillars => KeyContext::Pillars,
            ProcessPart::Counted | ProcessPart::Below => KeyContext::ProcessLists,
        }
    }

    fn close_part(&mut self, _: &mut Session) -> bool {
        std::mem::replace(&mut self.part, ProcessPart::Pillars) != ProcessPart::Pillars
    }

    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let parts = [
            (ProcessPart::Pillars, &self.pillars),
            (ProcessPart::Counted, &self.counted),
            (ProcessPart::Below, &self.below),
        ];
        let Some((part, motion)) = part_under(parts, mouse) else {
            let list = self.other_list_at(session, mouse, layout).filter(|_| mouse.is_click());
            if let Some(list) = list {
                self.show_list(list);
            }
            return false;
        };
        self.part = part;
        let Some(motion) = motion else { return false };
        self.update_view(session, ProcessMessage::Move(motion), layout);
        mouse.kind == MouseKind::DoubleClick
    }

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    ) {
        draw::draw_process(self, session, theme, layout, buffer);
    }
}
