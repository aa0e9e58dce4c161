//! The run moving by itself.

use std::time::Duration;

use super::stops::{Stop, Stops};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    pub is_playing: bool,
    pub unit: Unit,
    pub stops: Stops,
    /// Index into [`SPEEDS`].
    speed: usize,
}

/// What one beat moves by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    Step,
    #[default]
    Turn,
    Checkpoint,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    PlayOrPause,
    Faster,
    Slower,
    NextUnit,
    /// Stop at this, or no longer.
    Toggle(Stop),
}

/// A speed as the screen writes it, and how much of a beat passes.
const SPEEDS: &[(&str, f64)] =
    &[("¼×", 0.25), ("½×", 0.5), ("1×", 1.0), ("2×", 2.0), ("4×", 4.0), ("8×", 8.0), ("16×", 16.0)];

const NORMAL: usize = 2;

impl Default for Playback {
    fn default() -> Self {
        Self { is_playing: false, unit: Unit::default(), stops: Stops::default(), speed: NORMAL }
    }
}

impl Playback {
    pub const fn update(&mut self, message: &Message) {
        match message {
            Message::PlayOrPause => self.is_playing = !self.is_playing,
            Message::Faster if self.speed + 1 < SPEEDS.len() => self.speed += 1,
            Message::Slower if self.speed > 0 => self.speed -= 1,
            Message::Faster | Message::Slower => {}
            Message::NextUnit => self.unit = self.unit.next(),
            Message::Toggle(stop) => self.stops.toggle(*stop),
        }
    }

    /// The speed nearest to so many times the normal one.
    pub fn set_speed(&mut self, times: f64) {
        let is_enough = |speed: &(&str, f64)| speed.1 >= times;
        self.speed = SPEEDS.iter().position(is_enough).unwrap_or(SPEEDS.len() - 1);
    }

    pub fn speed(&self) -> &'static str {
        SPEEDS[self.speed].0
    }

    /// Every speed there is, slowest first, and whether it is the one.
    pub fn speeds(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let chosen = self.speed;
        SPEEDS.iter().enumerate().map(move |(index, (words, _))| (*words, index == chosen))
    }

    /// Time until the next move; None while paused.
    pub fn beat(&self) -> Option<Duration> {
        self.is_playing.then(|| self.unit.beat().div_f64(SPEEDS[self.speed].1))
    }
}

impl Unit {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Turn => "turn",
            Self::Checkpoint => "checkpoint",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Step => Self::Turn,
            Self::Turn => Self::Checkpoint,
            Self::Checkpoint => Self::Step,
        }
    }

    /// Time to look at one, at normal speed.
    const fn beat(self) -> Duration {
        match self {
            Self::Step => Duration::from_millis(1000),
            Self::Turn => Duration::from_millis(2000),
            Self::Checkpoint => Duration::from_millis(3000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_has_two_ends() {
        let mut playback = Playback { is_playing: true, ..Playback::default() };
        for _ in 0..20 {
            playback.update(&Message::Faster);
        }
        assert_eq!(playback.beat(), Some(Duration::from_millis(125)));
        for _ in 0..20 {
            playback.update(&Message::Slower);
        }
        assert_eq!(playback.beat(), Some(Duration::from_secs(8)));
    }
}
