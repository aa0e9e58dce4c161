//! Places to come back to: marks by letter, and the way that jumps have taken.

use std::collections::HashMap;

use crate::app::{
    App,
    replay::{Replay, Spot},
};

#[derive(Debug, Default)]
pub struct Marks {
    named: HashMap<char, Spot>,
    behind: Vec<Spot>,
    ahead: Vec<Spot>,
    /// The change under way is a travel along the jumps and not one of them.
    is_travelling: bool,
}

/// Jumps that are remembered.
pub const MOST: usize = 100;

impl Marks {
    /// Remembers where a jump began.
    fn left(&mut self, spot: Spot) {
        if self.behind.len() == MOST {
            self.behind.remove(0);
        }
        self.behind.push(spot);
        self.ahead.clear();
    }

    pub fn back(&mut self, now: Spot) -> Option<Spot> {
        let spot = self.behind.pop()?;
        self.ahead.push(now);
        Some(spot)
    }

    pub fn forward(&mut self, now: Spot) -> Option<Spot> {
        let spot = self.ahead.pop()?;
        self.behind.push(now);
        Some(spot)
    }

    /// To where the last jump began; once more is back again.
    pub fn swap(&mut self, now: Spot) -> Option<Spot> {
        let spot = self.behind.pop()?;
        self.behind.push(now);
        Some(spot)
    }
}

impl App {
    pub(super) fn set_mark(&mut self, letter: char) {
        let Some(spot) = self.replay().map(Replay::spot) else { return };
        let turn = spot.turn + 1;
        self.shell.marks.named.insert(letter, spot);
        self.say(format!("turn {turn} is marked {letter}; '{letter} comes back"));
    }

    pub(super) fn go_to_mark(&mut self, letter: char) {
        let Some(now) = self.replay().map(Replay::spot) else { return };
        let Some(spot) = self.shell.marks.named.get(&letter).cloned() else {
            return self.say(self.no_mark(letter));
        };
        self.shell.marks.left(now);
        self.shell.marks.is_travelling = true;
        self.on_replay(|replay| replay.go_to_spot(&spot));
    }

    fn no_mark(&self, letter: char) -> String {
        let mut known: Vec<String> = self.shell.marks.named.keys().map(char::to_string).collect();
        known.sort_unstable();
        match known.is_empty() {
            true => format!("nothing is marked {letter}; M{letter} marks this place"),
            false => format!("nothing is marked {letter}; there are marks {}", known.join(" ")),
        }
    }

    pub(super) fn travel(&mut self, way: fn(&mut Marks, Spot) -> Option<Spot>) {
        let Some(now) = self.replay().map(Replay::spot) else { return };
        self.shell.marks.is_travelling = true;
        match way(&mut self.shell.marks, now) {
            Some(spot) => self.on_replay(|replay| replay.go_to_spot(&spot)),
            None => self.say("no further jump is remembered".into()),
        }
    }

    /// Remembers `before` if what happened since was a jump.
    pub(in crate::app) fn remember(&mut self, before: Option<Spot>) {
        let has_travelled = std::mem::take(&mut self.shell.marks.is_travelling);
        let now = self.replay().map(Replay::spot);
        let (Some(before), Some(now)) = (before, now) else { return };
        if !has_travelled && before.is_a_jump_from(&now) {
            self.shell.marks.left(before);
        }
    }
}
