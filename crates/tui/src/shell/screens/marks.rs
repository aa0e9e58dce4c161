//! Places to come back to: marks by letter, and the jumps that were made.
//!
//! A mark restores the looks of its place too: the base of the diff, its arrangement, the zoom. A jump leaves all that as
//! it is, but the way back from a mark does not.

use std::collections::HashMap;

use crate::{
    shell::screens::Screens,
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
}

/// A place to come back to.
#[derive(Debug, Clone)]
pub struct MarkedPlace {
    spot: Bookmark,
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

impl JumpMarks {
    /// Remembers the place where a jump began.
    fn push_jump(&mut self, stop: MarkedPlace) {
        if self.behind.len() == MAX_JUMPS {
            self.behind.remove(0);
        }
        self.behind.push(stop);
        self.ahead.clear();
    }

    pub(crate) fn go_back(&mut self, now: MarkedPlace) -> Option<MarkedPlace> {
        let stop = self.behind.pop()?;
        self.ahead.push(now.with_looks_of(&stop));
        Some(stop)
    }

    pub(crate) fn go_forward(&mut self, now: MarkedPlace) -> Option<MarkedPlace> {
        let stop = self.ahead.pop()?;
        self.behind.push(now.with_looks_of(&stop));
        Some(stop)
    }

    /// Goes to the place where the last jump began; a second time goes back again.
    pub(crate) fn go_to_last(&mut self, now: MarkedPlace) -> Option<MarkedPlace> {
        let stop = self.behind.pop()?;
        self.behind.push(now.with_looks_of(&stop));
        Some(stop)
    }
}

impl MarkedPlace {
    /// Keeps the looks only if the other place has some.
    fn with_looks_of(self, other: &Self) -> Self {
        Self { look: self.look.filter(|_| other.look.is_some()), ..self }
    }
}

impl Screens {
    pub(crate) fn set_mark(&mut self, letter: char) {
        let Some(stop) = self.current_place() else { return };
        let turn = stop.spot.turn + 1;
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

    /// Returns the present place and its looks.
    fn current_place(&self) -> Option<MarkedPlace> {
        let open = self.open_run()?;
        let look =
            SavedLook { outlook: DiffOutlook::for_replay(&open.replay), zoom: self.frame.zoom };
        Some(MarkedPlace {
            spot: Bookmark::for_place(&open.replay, &open.session),
            look: Some(look),
        })
    }

    fn go_to_place(&mut self, stop: &MarkedPlace) {
        if let Some(look) = stop.look {
            self.frame.zoom = look.zoom;
            self.on_open_run(|open| look.outlook.restore(&mut open.replay));
        }
        self.on_open_run(|open| stop.spot.restore(&mut open.replay, &mut open.session));
    }

    fn no_mark(&self, letter: char) -> String {
        let mut known: Vec<String> = self.marks.named.keys().map(char::to_string).collect();
        known.sort_unstable();
        match known.is_empty() {
            true => format!("no bookmark {letter}; M{letter} sets it here"),
            false => format!("no bookmark {letter}; bookmarks: {}", known.join(" ")),
        }
    }

    pub(crate) fn travel_jumps(
        &mut self,
        next_place: fn(&mut JumpMarks, MarkedPlace) -> Option<MarkedPlace>,
    ) {
        let Some(now) = self.current_place() else { return };
        self.marks.is_travelling = true;
        match next_place(&mut self.marks, now) {
            Some(stop) => self.go_to_place(&stop),
            None => self.show_notice("no earlier jump".into()),
        }
    }

    /// Remembers `before` if the change since then was a jump.
    pub(crate) fn remember_jump(&mut self, before: Option<Bookmark>) {
        let has_travelled = std::mem::take(&mut self.marks.is_travelling);
        let now = self.open_run().map(|it| Bookmark::for_place(&it.replay, &it.session));
        let (Some(before), Some(now)) = (before, now) else { return };
        if !has_travelled && before.is_a_jump_from(&now) {
            self.marks.push_jump(MarkedPlace { spot: before, look: None });
        }
    }
}
