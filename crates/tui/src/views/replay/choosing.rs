//! Choosing from a list: what it lists and what the choice leads to.

use crate::{
    session::Session,
    views::replay::{
        Replay, acts,
        chooser::{Areas, Chooser, Kind, Message},
        history, lanes,
        steps::{Item, Kinds},
        stops::Stop,
    },
    widgets::layout::Layout,
};
use trajview_run::{failures, values::Named};

impl Replay {
    pub(crate) fn update_chooser(
        &mut self,
        session: &mut Session,
        message: Message,
        layout: &Layout,
    ) {
        match message {
            Message::Open(kind) => self.choose_from(session, kind),
            Message::Close => {
                let kind = self.chooser.take().map(|chooser| chooser.kind);
                if kind == Some(Kind::History) {
                    history::close(self, session);
                }
            }
            Message::Past(message) => {
                let height = history::lines_height(self, layout);
                history::update(self, session, &message, height);
            }
            Message::SwitchScope => lanes::switch(self, session),
            Message::Accept => self.accept(session),
            Message::Type(words) => self.edit_filter(|filter| filter.push_str(&words)),
            Message::Erase => self.edit_filter(|filter| {
                filter.pop();
            }),
            Message::EraseAll => self.edit_filter(String::clear),
            Message::Move(motion) => self.scroll_choices(layout, |it, len, height| {
                it.go(motion, len, height);
            }),
            Message::Turn(motion) => self.scroll_choices(layout, |it, len, height| {
                it.turn(motion, len, height);
            }),
            Message::PointAt(row) => self.scroll_choices(layout, |it, len, _| {
                it.point_at(row, len);
            }),
        }
    }

    /// How many rows the list has.
    pub fn choices(&self) -> usize {
        let Some(chooser) = &self.chooser else { return 0 };
        match chooser.kind {
            Kind::Hits => self.search.hits.len(),
            Kind::Requests => chooser.requests().len(),
            Kind::Failures => chooser.failed.len(),
            Kind::History => self.past.entries().len(),
            Kind::Agents => chooser.lanes.1.len(),
            Kind::Kinds => Kinds::ALL.len(),
            Kind::Stops => Stop::ALL.len(),
        }
    }

    /// Where the list stands, if one is open.
    pub fn chooser_areas(&self, layout: &Layout) -> Option<Areas> {
        let chooser = self.chooser.as_ref()?;
        Some(Areas::of(chooser.kind, self.choices(), layout))
    }

    /// Rows of the list that are seen at once.
    fn chooser_height(&self, layout: &Layout) -> usize {
        let height = self.chooser_areas(layout).map_or(0, |areas| areas.list.height);
        usize::from(height.max(1))
    }

    /// Changes the list, given how many rows it has and how many of them are seen.
    fn scroll_choices(&mut self, layout: &Layout, change: impl FnOnce(&mut Chooser, usize, usize)) {
        let (len, height) = (self.choices(), self.chooser_height(layout));
        if let Some(chooser) = &mut self.chooser {
            change(chooser, len, height);
        }
    }

    /// The text that the list lacks most.
    pub(crate) fn text_to_choose(&self, layout: &Layout) -> Option<Item> {
        let chooser = self.chooser.as_ref()?;
        let lacks = |item: &Item| self.steps.text(*item).is_none();
        match chooser.kind {
            Kind::Hits => {
                let seen = self.search.hits.iter().enumerate().skip(chooser.scroll.top);
                let seen = seen.take(self.chooser_height(layout));
                let lacking = seen.filter(|(number, _)| chooser.excerpt(*number).is_none());
                lacking.map(|(_, hit)| Item::of(hit).0).find(lacks)
            }
            Kind::Requests => {
                let turn = *chooser.requests().get(chooser.scroll.cursor)?;
                Some(Item::Request(turn)).filter(lacks)
            }
            Kind::Failures => {
                let seen = chooser.failed.iter().skip(chooser.scroll.top);
                let seen = seen.take(self.chooser_height(layout));
                seen.map(|(step, _)| Item::Step(*step)).find(lacks)
            }
            Kind::History | Kind::Agents | Kind::Kinds | Kind::Stops => None,
        }
    }

    pub(crate) fn settle_chooser(&mut self, session: &mut Session, layout: &Layout) {
        if let Some(chooser) = &mut self.chooser {
            chooser.list_requests(&session.run, &session.digests);
        }
        let (len, height) = (self.choices(), self.chooser_height(layout));
        let Some(mut chooser) = self.chooser.take() else { return };
        chooser.scroll.follow(len, height);
        if chooser.kind == Kind::Hits {
            let seen = self.search.hits.iter().enumerate().skip(chooser.scroll.top).take(height);
            for (number, hit) in seen {
                if let Some(Ok(text)) = self.steps.text(Item::of(hit).0) {
                    chooser.cut(number, hit, text);
                }
            }
        }
        self.chooser = Some(chooser);
        history::settle(self, layout);
    }

    fn choose_from(&mut self, session: &mut Session, kind: Kind) {
        let cursor = match kind {
            Kind::Hits if self.search.regex().is_none() => {
                session.notice = Some("nothing searched yet: press / and type".into());
                return;
            }
            Kind::Hits => self.search.current.unwrap_or_default(),
            Kind::Requests => session.turn,
            Kind::Failures => return self.list_failures(session),
            Kind::History => return history::open(self, session),
            Kind::Agents => return lanes::open(self, session),
            Kind::Kinds => self.steps.kinds() as usize,
            Kind::Stops => 0,
        };
        self.chooser = Some(Chooser::of(kind, cursor));
    }

    fn list_failures(&mut self, session: &mut Session) {
        let failed = failures::steps_that_failed(&session.run);
        if failed.is_empty() {
            session.notice = Some("nothing failed in this run".into());
            return;
        }
        let selected = self.steps.selected().and_then(Item::step);
        let here = failed.iter().position(|(step, _)| Some(*step) == selected);
        let here = here.unwrap_or_else(|| failed.partition_point(|(it, _)| it.turn < session.turn));
        let mut chooser = Chooser::of(Kind::Failures, here.min(failed.len() - 1));
        chooser.failed = failed;
        self.chooser = Some(chooser);
    }

    fn edit_filter(&mut self, change: impl FnOnce(&mut String)) {
        if let Some(chooser) = &mut self.chooser {
            chooser.edit(change);
        }
    }

    fn accept(&mut self, session: &mut Session) {
        let Some(chooser) = self.chooser.take() else { return };
        let row = chooser.scroll.cursor;
        match chooser.kind {
            Kind::Hits => {
                let outcome = self.search.go_to(row);
                self.follow(session, outcome);
            }
            Kind::Requests => {
                if let Some(turn) = chooser.requests().get(row) {
                    self.select_turn(session, *turn);
                }
            }
            Kind::Failures => {
                if let Some((step, _)) = chooser.failed.get(row) {
                    acts::show_step(self, session, *step);
                }
            }
            Kind::History => history::go_to(self, session, row),
            Kind::Agents => {
                if let Some(first) = chooser.lanes.1.get(row).and_then(|lane| lane.first) {
                    acts::show_step(self, session, first);
                }
            }
            Kind::Kinds => self.choose_kinds(Kinds::ALL.get(row).copied().unwrap_or_default()),
            Kind::Stops => {
                if let Some(stop) = Stop::ALL.get(row) {
                    self.playback.stops.toggle(*stop);
                }
                self.chooser = Some(chooser); // several may be wanted
            }
        }
    }

    pub(crate) fn choose_kinds(&mut self, kinds: Kinds) {
        self.chooser = None;
        self.steps.choose(kinds);
    }
}
