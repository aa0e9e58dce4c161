//! Places to come back to: marks by letter, and the way that jumps have taken.
//!
//! A mark brings back how its place was looked at, too: what the diff was measured from, how it stood, how much room it
//! had. A jump leaves all that as it is, but the way back from a mark does not.

use std::collections::HashMap;

use crate::{
    shell::screens::Screens,
    views::replay::spot::{Outlook, Spot},
    widgets::layout::Zoom,
};

#[derive(Debug, Default)]
pub struct Marks {
    named: HashMap<char, Stop>,
    behind: Vec<Stop>,
    ahead: Vec<Stop>,
    /// The change under way is a travel along the jumps and not one of them.
    is_travelling: bool,
}

/// A place to come back to.
#[derive(Debug, Clone)]
pub struct Stop {
    spot: Spot,
    /// None leaves the looks as they are.
    look: Option<Look>,
}

/// How a place was looked at.
#[derive(Debug, Clone, Copy)]
struct Look {
    outlook: Outlook,
    zoom: Zoom,
}

/// Jumps that are remembered.
pub const MOST: usize = 100;

impl Marks {
    /// Remembers where a jump began.
    fn left(&mut self, stop: Stop) {
        if self.behind.len() == MOST {
            self.behind.remove(0);
        }
        self.behind.push(stop);
        self.ahead.clear();
    }

    pub fn back(&mut self, now: Stop) -> Option<Stop> {
        let stop = self.behind.pop()?;
        self.ahead.push(now.like(&stop));
        Some(stop)
    }

    pub fn forward(&mut self, now: Stop) -> Option<Stop> {
        let stop = self.ahead.pop()?;
        self.behind.push(now.like(&stop));
        Some(stop)
    }

    /// To where the last jump began; once more is back again.
    pub fn swap(&mut self, now: Stop) -> Option<Stop> {
        let stop = self.behind.pop()?;
        self.behind.push(now.like(&stop));
        Some(stop)
    }
}

impl Stop {
    /// With looks only if the way there changes them.
    fn like(self, other: &Self) -> Self {
        Self { look: self.look.filter(|_| other.look.is_some()), ..self }
    }
}

impl Screens {
    pub(crate) fn set_mark(&mut self, letter: char) {
        let Some(stop) = self.stop() else { return };
        let turn = stop.spot.turn + 1;
        self.marks.named.insert(letter, stop);
        self.say(format!("turn {turn} is marked {letter}; '{letter} comes back"));
    }

    pub(crate) fn go_to_mark(&mut self, letter: char) {
        let Some(now) = self.stop() else { return };
        let Some(stop) = self.marks.named.get(&letter).cloned() else {
            return self.say(self.no_mark(letter));
        };
        self.marks.left(now);
        self.marks.is_travelling = true;
        self.go_to_stop(&stop);
    }

    /// Where we are and how we look at it.
    fn stop(&self) -> Option<Stop> {
        let open = self.open_run()?;
        let look = Look { outlook: Outlook::of(&open.replay), zoom: self.frame.zoom };
        Some(Stop { spot: Spot::of(&open.replay, &open.session), look: Some(look) })
    }

    fn go_to_stop(&mut self, stop: &Stop) {
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
            true => format!("nothing is marked {letter}; M{letter} marks this place"),
            false => format!("nothing is marked {letter}; there are marks {}", known.join(" ")),
        }
    }

    pub(crate) fn travel(&mut self, way: fn(&mut Marks, Stop) -> Option<Stop>) {
        let Some(now) = self.stop() else { return };
        self.marks.is_travelling = true;
        match way(&mut self.marks, now) {
            Some(stop) => self.go_to_stop(&stop),
            None => self.say("no further jump is remembered".into()),
        }
    }

    /// Remembers `before` if what happened since was a jump.
    pub fn remember(&mut self, before: Option<Spot>) {
        let has_travelled = std::mem::take(&mut self.marks.is_travelling);
        let now = self.open_run().map(|it| Spot::of(&it.replay, &it.session));
        let (Some(before), Some(now)) = (before, now) else { return };
        if !has_travelled && before.is_a_jump_from(&now) {
            self.marks.left(Stop { spot: before, look: None });
        }
    }
}
