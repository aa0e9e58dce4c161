//! What the shell does with the curves.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, ask::Loading, context::Context, effect::Effect, points::Axis, request::Numbers,
        views::View,
    },
    views::view::RunView,
    widgets::{layout::Layout, mouse::Mouse, scroll::Scroll, theme::Theme},
};
use trajview_run::files::Moment;

use super::{Curves, Part, areas::Areas, draw, wanted};

impl RunView for Curves {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        if session.view != View::Curves {
            return;
        }
        self.settle_steps(session);
        let span = self.moved_span(session);
        if self.listed != span {
            self.listed = span;
            self.rows = Scroll::default();
        }
        let len = self.moved_rows(session).len();
        let height = Areas::of(layout, self.part).list_height();
        self.rows.follow(len, height);
    }

    /// What is to be measured or compared next, while somebody looks at it.
    fn ask(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
        layout: &Layout,
    ) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        let is_seen = session.view == View::Curves || layout.now.is_some();
        if !is_known {
            return vec![];
        }
        let mut effects = vec![];
        if is_seen {
            let wanted = self.wanted(session);
            let Session { run, scores, .. } = session;
            effects.extend(scores.ask(numbers, run, wanted));
            effects.extend(scores.worked.ask_memory(numbers, run));
        }
        let is_on = session.view == View::Curves;
        let span = if is_on { self.moved_span(session) } else { session.scores.marked };
        effects.extend(span.and_then(|span| session.scores.ask_moved(numbers, &session.run, span)));
        effects
    }

    fn context(&self, _: &Session) -> Context {
        match self.part {
            Part::Chart => Context::Chart,
            Part::Moved => Context::Moved,
        }
    }

    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        self.click(session, mouse, layout);
        false
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}

impl Curves {
    /// What is to be measured next: of steps where these are the points on screen, else of turns.
    fn wanted(&self, session: &Session) -> Vec<Moment> {
        let Session { run, turn, scores, .. } = session;
        if session.view == View::Curves && self.axis(session) == Axis::Steps {
            let points = self.points(session);
            let here = self.point_index(session, &points).unwrap_or_default();
            return wanted::steps(&points, here, scores);
        }
        Moment::after_each(&wanted::moments(run, *turn, scores))
    }
}
