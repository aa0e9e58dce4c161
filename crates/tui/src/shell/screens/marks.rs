//! Places to come back to: marks by letter, the jumps that were made, and the views that were left.
//!
//! A mark restores the looks of its place too: the base of the diff, its arrangement, the zoom. A jump leaves all that as
//! it is, but the way back from a mark does not. A change of the view is a jump like others: the view before is shown
//! again at the place that it had.

use std::collections::HashMap;

use crate::{
    session::{context::KeyContext, views::View},
    shell::screens::{ScreenKind, Screens},
    views::replay::bookmark::{Bookmark, DiffOutlook},
    widgets::layout::Zoom,
};

#[derive(Debug, Default)]
pub struct JumpMarks {
    named: HashMap<char, MarkedPlace>,
    behind: Vec<MarkedPlace>,
    ahead: Vec<MarkedPlace>,
    /// True if the change under way is a move along the jumps and not a new jump.
    is_travelling: bool,
    /// True if the change under way opens another run.
    has_new_run: bool,
}

/// A place to come back to.
#[derive(Debug, Clone)]
pub struct MarkedPlace {
    view: View,
    /// The place in the run; None in a view that is not of the run.
    spot: Option<Bookmark>,
    /// Id of the component that the view had selected.
    component: Option<String>,
    /// The looks; None leaves them as they are.
    look: Option<SavedLook>,
}

/// The looks of a place.
#[derive(Debug, Clone, Copy)]
struct SavedLook {
    outlook: DiffOutlook,
    zoom: Zoom,
}

/// The largest number of remembered jumps.
pub(crate) const MAX_JUMPS: usize = 100;

/// The direction of a move along the jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JumpDirection {
    Back,
    Forward,
    /// To where the last jump began; a second time back again.
    Last,
}

impl JumpMarks {
    /// Remembers the place where a jump began.
    fn push_jump(&mut self, stop: MarkedPlace) {
        if self.behind.len() == MAX_JUMPS {
            self.behind.remove(0);
        }
        self.behind.push(stop);
        self.ahead.clear();
    }

    /// Removes the next place in a direction and remembers the present one.
    fn take_next(&mut self, direction: JumpDirection, now: MarkedPlace) -> Option<MarkedPlace> {
        let (from, to) = match direction {
            JumpDirection::Back => (&mut self.behind, &mut self.ahead),
            JumpDirection::Forward => (&mut self.ahead, &mut self.behind),
            JumpDirection::Last => {
                let stop = self.behind.pop()?;
                self.behind.push(now.with_looks_of(&stop));
                return Some(stop);
            }
        };
        let stop = from.pop()?;
        to.push(now.with_looks_of(&stop));
        Some(stop)
    }

    /// Forgets every place in a run that is no longer open.
    pub(super) fn forget_run(&mut self) {
        self.has_new_run = true;
        self.named.clear();
        self.ahead.clear();
        self.behind.retain(|place| !place.view.is_of_run());
        self.behind.dedup_by_key(|place| place.view);
    }
}

impl MarkedPlace {
    /// Keeps the looks only if the other place has some.
    fn with_looks_of(self, other: &Self) -> Self {
        Self { look: self.look.filter(|_| other.look.is_some()), ..self }
    }

    /// Returns whether the move from here to `now` is a jump.
    fn is_left_by_jump(&self, now: &Self) -> bool {
        self.view != now.view
            || (self.spot.as_ref().zip(now.spot.as_ref()))
                .is_some_and(|(before, now)| before.is_a_jump_from(now))
    }
}

impl Screens {
    pub(crate) fn set_mark(&mut self, letter: char) {
        let Some(stop) = self.current_place() else { return };
        let turn = self.open_run().map_or(0, |open| open.session.turn) + 1;
        self.marks.named.insert(letter, stop);
        self.show_notice(format!("bookmark {letter} at turn {turn}; '{letter} returns"));
    }

    pub(crate) fn go_to_mark(&mut self, letter: char) {
        let Some(now) = self.current_place() else { return };
        let Some(stop) = self.marks.named.get(&letter).cloned() else {
            return self.show_notice(self.no_mark(letter));
        };
        self.marks.push_jump(now);
        self.marks.is_travelling = true;
        self.go_to_place(&stop);
    }

    /// Returns the present place and its looks; None while there is nothing to come back to.
    pub(crate) fn current_place(&self) -> Option<MarkedPlace> {
        let view = self.current_view()?;
        if !view.is_of_run() {
            return Some(MarkedPlace { view, spot: None, component: None, look: None });
        }
        let open = self.shown_run()?;
        let look =
            SavedLook { outlook: DiffOutlook::for_replay(&open.replay), zoom: self.frame.zoom };
        Some(MarkedPlace {
            view,
            spot: Some(Bookmark::for_place(&open.replay, &open.session)),
            component: open.component_of(view),
            look: Some(look),
        })
    }

    /// Returns whether a place can be shown: what it is a place in is still open.
    fn has_place(&self, place: &MarkedPlace) -> bool {
        match place.view {
            View::Compare => self.compared.is_some(),
            View::Collection => self.collection.is_some(),
            View::Live => self.live.is_some(),
            _of_the_run => place.spot.is_some() && self.open_run().is_some(),
        }
    }

    fn go_to_place(&mut self, stop: &MarkedPlace) {
        if let Some(look) = stop.look {
            self.frame.zoom = look.zoom;
            self.on_open_run(|open| look.outlook.restore(&mut open.replay));
        }
        let Some(spot) = &stop.spot else {
            return match stop.view {
                View::Compare => self.pause_for(ScreenKind::Compare),
                View::Collection => self.pause_for(ScreenKind::Table),
                _ => self.show_live(),
            };
        };
        self.show_screen(ScreenKind::Run);
        self.on_open_run(|open| open.restore_place(spot, stop.component.as_deref()));
    }

    fn no_mark(&self, letter: char) -> String {
        let mut known: Vec<String> = self.marks.named.keys().map(char::to_string).collect();
        known.sort_unstable();
        match known.is_empty() {
            true => format!("no bookmark {letter}; M{letter} sets it here"),
            false => format!("no bookmark {letter}; bookmarks: {}", known.join(" ")),
        }
    }

    /// Goes along the jumps by one.
    pub(crate) fn travel_jumps(&mut self, direction: JumpDirection) {
        if !self.travel_while(direction, |_| false) {
            self.show_notice("no earlier jump".into());
        }
    }

    /// Goes back to the view before, at the place that it had; the first view of a run leads to where the run was opened
    /// from.
    pub(crate) fn go_to_previous_view(&mut self) {
        let Some(now) = self.current_view() else { return };
        if self.travel_while(JumpDirection::Back, |view| view == now) {
            return;
        }
        match now.is_of_run() && (self.collection.is_some() || self.compared.is_some()) {
            true => self.leave_run(),
            false => {
                let goto = self.defaults.keys.key_text(KeyContext::Anywhere, "goto");
                self.show_notice(format!("no view before this one; {goto} goes to another"));
            }
        }
    }

    /// Goes to the next place that is open, past those in a view that is to be skipped. Returns false if there is none.
    fn travel_while(&mut self, direction: JumpDirection, skips: impl Fn(View) -> bool) -> bool {
        let Some(now) = self.current_place().or_else(|| self.empty_place()) else { return false };
        let places = match direction {
            JumpDirection::Forward => &self.marks.ahead,
            JumpDirection::Back | JumpDirection::Last => &self.marks.behind,
        };
        let is_next = |place: &MarkedPlace| self.has_place(place) && !skips(place.view);
        let Some(skipped) = places.iter().rev().position(is_next) else { return false };
        let left = places.len() - skipped;
        match direction {
            JumpDirection::Forward => self.marks.ahead.truncate(left),
            JumpDirection::Back | JumpDirection::Last => self.marks.behind.truncate(left),
        }
        let Some(stop) = self.marks.take_next(direction, now) else { return false };
        self.marks.is_travelling = true;
        self.go_to_place(&stop);
        true
    }

    /// Returns the place of a view that has nothing to show.
    fn empty_place(&self) -> Option<MarkedPlace> {
        let view = self.current_view()?;
        Some(MarkedPlace { view, spot: None, component: None, look: None })
    }

    /// Remembers `before` if the change since then was a jump.
    pub(crate) fn remember_jump(&mut self, before: Option<MarkedPlace>) {
        let has_new_run = std::mem::take(&mut self.marks.has_new_run);
        if std::mem::take(&mut self.marks.is_travelling) {
            return;
        }
        let now = self.current_place().or_else(|| self.empty_place());
        let (Some(before), Some(now)) = (before, now) else { return };
        let is_gone = has_new_run && before.view.is_of_run();
        if !is_gone && before.is_left_by_jump(&now) {
            self.marks.push_jump(MarkedPlace { look: None, ..before });
        }
    }
}
