//! The rows of the chooser, and the action that follows a choice.

use std::sync::Arc;

use crate::{
    session::Session,
    views::replay::{
        ReplayView, activity, agent_lanes,
        breakpoints::Stop,
        chooser::{ChooserAreas, ChooserKind, ChooserMessage, ReplayChooser},
        file_history_actions,
        steps::StepFilter,
    },
    widgets::layout::ScreenLayout,
};
use trajview_run::{
    StepId, StepText, failures,
    search::{HitPlace, StepField},
    worded_enum::NamedValue,
};

impl ReplayView {
    pub(crate) fn update_chooser(&mut self, session: &mut Session, message: ChooserMessage) {
        match message {
            ChooserMessage::Open(kind) => self.open_chooser(session, kind),
            ChooserMessage::Close => {
                let kind = self.chooser.take().map(|chooser| chooser.kind);
                if kind == Some(ChooserKind::History) {
                    file_history_actions::close_history(self, session);
                }
            }
            ChooserMessage::History(message) => {
                file_history_actions::update_history(self, session, &message);
            }
            ChooserMessage::SwitchScope => agent_lanes::switch_agents_scope(self, session),
            ChooserMessage::Accept => self.accept_choice(session),
            ChooserMessage::Type(words) => {
                self.on_chooser(|it| it.edit_filter(|filter| filter.push_str(&words)))
            }
            ChooserMessage::Erase => self.on_chooser(|it| {
                it.edit_filter(|filter| {
                    filter.pop();
                });
            }),
            ChooserMessage::EraseAll => self.on_chooser(|it| it.edit_filter(String::clear)),
            ChooserMessage::Move(motion) => self.on_chooser(|it| it.list.move_cursor(motion)),
            ChooserMessage::Turn(motion) => self.on_chooser(|it| it.scroll_window(motion)),
        }
    }

    /// Returns the number of rows of the list.
    pub(crate) fn choice_count(&self) -> usize {
        let Some(chooser) = &self.chooser else { return 0 };
        match chooser.kind {
            ChooserKind::Hits => self.search.hits.len(),
            ChooserKind::Requests => chooser.matching_requests().len(),
            ChooserKind::Failures => chooser.failed.len(),
            ChooserKind::History => self.file_history.entries().len(),
            ChooserKind::Agents => chooser.lanes.1.len(),
            ChooserKind::Kinds => StepFilter::ALL.len(),
            ChooserKind::Stops => Stop::ALL.len(),
        }
    }

    /// Returns the areas of the list; None where none is open.
    pub fn chooser_areas(&self, layout: &ScreenLayout) -> Option<ChooserAreas> {
        let chooser = self.chooser.as_ref()?;
        Some(ChooserAreas::new(chooser.kind, self.choice_count(), layout))
    }

    fn on_chooser(&mut self, change: impl FnOnce(&mut ReplayChooser)) {
        if let Some(chooser) = &mut self.chooser {
            change(chooser);
        }
    }

    /// Returns the text that the list needs most: of a turn's request, or of a step.
    pub(crate) fn text_for_chooser(&self, session: &Session) -> Option<(usize, HitPlace)> {
        let chooser = self.chooser.as_ref()?;
        let lacks = |place: &(usize, HitPlace)| self.text_at(session, *place).is_none();
        match chooser.kind {
            ChooserKind::Hits => {
                let seen = chooser.list.visible_rows();
                let lacking = seen.filter(|number| chooser.hit_excerpt(*number).is_none());
                let hits = lacking.filter_map(|number| self.search.hits.get(number));
                hits.map(|hit| (hit.turn, hit.place)).find(lacks)
            }
            ChooserKind::Requests => {
                let turn = *chooser.matching_requests().get(chooser.list.cursor())?;
                Some((turn, HitPlace::Request)).filter(lacks)
            }
            ChooserKind::Failures => {
                let seen = chooser.failed.get(chooser.list.visible_rows()).unwrap_or_default();
                let text = |step: StepId| (step.turn, HitPlace::Step(step, StepField::Text));
                seen.iter().map(|(step, _)| text(*step)).find(lacks)
            }
            ChooserKind::History
            | ChooserKind::Agents
            | ChooserKind::Kinds
            | ChooserKind::Stops => None,
        }
    }

    /// Returns the text of a request or of a step; None until it is read.
    fn text_at<'s>(
        &'s self,
        session: &'s Session,
        (turn, place): (usize, HitPlace),
    ) -> Option<&'s Result<Arc<StepText>, String>> {
        match place {
            HitPlace::Request => session.requests.text_of(turn),
            HitPlace::Step(step, _) => self.steps.item_text(step),
        }
    }

    pub(crate) fn settle_chooser(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if let Some(chooser) = &mut self.chooser {
            chooser.list_requests(&session.run, &session.turn_counts);
        }
        let (len, areas) = (self.choice_count(), self.chooser_areas(layout));
        let Some((mut chooser, areas)) = self.chooser.take().zip(areas) else { return };
        chooser.list.settle(areas.list_room(), len);
        if chooser.kind == ChooserKind::Hits {
            for number in chooser.list.visible_rows() {
                let hit = &self.search.hits[number];
                if let Some(Ok(text)) = self.text_at(session, (hit.turn, hit.place)) {
                    chooser.store_excerpt(number, hit, text);
                }
            }
        }
        self.chooser = Some(chooser);
        file_history_actions::settle_history(self, layout);
    }

    fn open_chooser(&mut self, session: &mut Session, kind: ChooserKind) {
        let cursor = match kind {
            ChooserKind::Hits if self.search.regex().is_none() => {
                session.notice = Some("no search yet: press / and type".into());
                return;
            }
            ChooserKind::Hits => self.search.current.unwrap_or_default(),
            ChooserKind::Requests => session.turn,
            ChooserKind::Failures => return self.list_failures(session),
            ChooserKind::History => return file_history_actions::open_history(self, session),
            ChooserKind::Agents => return agent_lanes::open_agents(self, session),
            ChooserKind::Kinds => self.steps.step_filter() as usize,
            ChooserKind::Stops => 0,
        };
        self.chooser = Some(ReplayChooser::new(kind, cursor));
    }

    fn list_failures(&mut self, session: &mut Session) {
        let failed = failures::failed_steps(&session.run);
        if failed.is_empty() {
            session.notice = Some("no failures in this run".into());
            return;
        }
        let selected = self.steps.chosen_step();
        let here = failed.iter().position(|(step, _)| Some(*step) == selected);
        let here = here.unwrap_or_else(|| failed.partition_point(|(it, _)| it.turn < session.turn));
        let mut chooser = ReplayChooser::new(ChooserKind::Failures, here.min(failed.len() - 1));
        chooser.failed = failed;
        self.chooser = Some(chooser);
    }

    fn accept_choice(&mut self, session: &mut Session) {
        let Some(chooser) = self.chooser.take() else { return };
        let row = chooser.list.cursor();
        match chooser.kind {
            ChooserKind::Hits => {
                let outcome = self.search.go_to(row);
                self.apply_search_outcome(session, outcome);
            }
            ChooserKind::Requests => {
                if let Some(turn) = chooser.matching_requests().get(row) {
                    self.select_turn(session, *turn);
                }
            }
            ChooserKind::Failures => {
                if let Some((step, _)) = chooser.failed.get(row) {
                    activity::show_step(self, session, *step);
                }
            }
            ChooserKind::History => file_history_actions::go_to_entry(self, session, row),
            ChooserKind::Agents => {
                if let Some(first) = chooser.lanes.1.get(row).and_then(|lane| lane.first) {
                    activity::show_step(self, session, first);
                }
            }
            ChooserKind::Kinds => {
                self.filter_steps(StepFilter::ALL.get(row).copied().unwrap_or_default())
            }
            ChooserKind::Stops => {
                if let Some(stop) = Stop::ALL.get(row) {
                    self.playback.stops.toggle(*stop);
                }
                self.chooser = Some(chooser); // several may be wanted
            }
        }
    }

    pub(crate) fn filter_steps(&mut self, kinds: StepFilter) {
        self.chooser = None;
        self.steps.set_filter(kinds);
    }
}
