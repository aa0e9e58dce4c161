//! What the shell does with the view.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, ask::Loading, context::Context, effect::Effect, request::Numbers, views::View,
    },
    views::view::RunView,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
        theme::Theme,
    },
};
use trajview_metrics::process::Pillar;
use trajview_run::Run;

use super::{List, Message, Part, Process, areas::Areas, draw};

/// Steps up to which the signals of a run are looked for before somebody asks.
const QUICK: usize = 4_000;

fn is_quickly_read(run: &Run) -> bool {
    run.turns.iter().map(|turn| turn.steps.len()).sum::<usize>() <= QUICK
}

impl RunView for Process {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        if session.view != View::Process {
            return;
        }
        let areas = Areas::of(layout, self.part);
        self.counted.follow(self.counted_rows(session).len(), areas.counted_height());
        self.below.follow(self.below_rows(session).len(), areas.below_height());
    }

    /// The report while the view is on, and of a run that is quickly read wherever its playhead is; decisions and memory
    /// while their list is shown.
    fn ask(&mut self, session: &mut Session, numbers: &mut Numbers, _: &Layout) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        let is_on = session.view == View::Process;
        let is_back = is_on && !self.was_on;
        self.was_on = is_on;
        let mut effects: Vec<Effect> = session.ask_rubric(numbers, is_back).into_iter().collect();
        let Session { run, scores, .. } = session;
        if !is_known || !(is_on || scores.worked.is_wanted || is_quickly_read(run)) {
            return effects;
        }
        effects.extend(scores.worked.ask(numbers, run));
        match self.list {
            List::Decisions if is_on => effects.extend(scores.worked.ask_decisions(numbers, run)),
            List::Memory if is_on => effects.extend(scores.worked.ask_memory(numbers, run)),
            List::Signals
            | List::Plan
            | List::States
            | List::Decisions
            | List::Memory
            | List::Recording => {}
        }
        if std::mem::take(&mut self.is_drawing) {
            effects.extend(scores.worked.draw(numbers, run));
        }
        effects
    }

    fn context(&self, _: &Session) -> Context {
        match self.part {
            Part::Pillars => Context::Pillars,
            Part::Counted | Part::Below => Context::Told,
        }
    }

    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        let areas = Areas::of(layout, self.part);
        let parts = [
            (Part::Pillars, areas.pillars),
            (Part::Counted, areas.counted),
            (Part::Below, areas.below),
        ];
        let hit = parts.iter().find_map(|(part, area)| Some((*part, mouse.row_inside((*area)?)?)));
        let Some((part, row)) = hit else { return false };
        match mouse.kind {
            Kind::WheelUp | Kind::WheelDown => {
                self.part = part;
                let motion = match mouse.kind {
                    Kind::WheelUp => Motion::Up(1),
                    _ => Motion::Down(1),
                };
                self.update(session, Message::Move(motion), layout);
                false
            }
            Kind::Click | Kind::DoubleClick => {
                self.part = part;
                let wanted = match part {
                    Part::Pillars => row.min(Pillar::ALL.len() - 1),
                    Part::Counted => self.counted.top + row,
                    // The strip stands above the rows.
                    Part::Below => (self.below.top + row).saturating_sub(1),
                };
                self.update(session, Message::Move(Motion::To(wanted + 1)), layout);
                mouse.kind == Kind::DoubleClick
            }
            _ => false,
        }
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
