//! The run moving by itself.

use std::time::Duration;

use super::breakpoints::{Breakpoints, Stop};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaybackState {
    pub is_playing: bool,
    pub unit: PlaybackUnit,
    pub stops: Breakpoints,
    /// Index into [`SPEEDS`].
    speed: usize,
}

/// The distance of one playback move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaybackUnit {
    Step,
    #[default]
    Turn,
    Checkpoint,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PlaybackMessage {
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

const NORMAL_SPEED: usize = 2;

impl Default for PlaybackState {
    fn default() -> Self {
        Self {
            is_playing: false,
            unit: PlaybackUnit::default(),
            stops: Breakpoints::default(),
            speed: NORMAL_SPEED,
        }
    }
}

impl PlaybackState {
    pub const fn update(&mut self, message: &PlaybackMessage) {
        match message {
            PlaybackMessage::PlayOrPause => self.is_playing = !self.is_playing,
            PlaybackMessage::Faster if self.speed + 1 < SPEEDS.len() => self.speed += 1,
            PlaybackMessage::Slower if self.speed > 0 => self.speed -= 1,
            PlaybackMessage::Faster | PlaybackMessage::Slower => {}
            PlaybackMessage::NextUnit => self.unit = self.unit.next(),
            PlaybackMessage::Toggle(stop) => self.stops.toggle(*stop),
        }
    }

    /// Chooses the speed nearest to this multiple of the normal one.
    pub(crate) fn set_speed(&mut self, times: f64) {
        let is_enough = |speed: &(&str, f64)| speed.1 >= times;
        self.speed = SPEEDS.iter().position(is_enough).unwrap_or(SPEEDS.len() - 1);
    }

    pub(crate) fn speed_text(&self) -> &'static str {
        SPEEDS[self.speed].0
    }

    /// Returns every speed, slowest first, and whether it is the current one.
    pub(crate) fn speed_choices(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let chosen = self.speed;
        SPEEDS.iter().enumerate().map(move |(index, (words, _))| (*words, index == chosen))
    }

    /// Returns the speed as a multiple of the normal one.
    pub(crate) fn speed_factor(&self) -> f64 {
        SPEEDS[self.speed].1
    }

    /// Returns the time until the next move; None while paused.
    pub(crate) fn time_until_next_move(&self) -> Option<Duration> {
        self.is_playing.then(|| self.unit.duration_at_normal_speed().div_f64(SPEEDS[self.speed].1))
    }
}

impl PlaybackUnit {
    pub(crate) const fn unit_name(self) -> &'static str {
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

    /// Returns the time to look at one, at normal speed.
    const fn duration_at_normal_speed(self) -> Duration {
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
        let mut playback = PlaybackState { is_playing: true, ..PlaybackState::default() };
        for _ in 0..20 {
            playback.update(&PlaybackMessage::Faster);
        }
        assert_eq!(playback.time_until_next_move(), Some(Duration::from_millis(125)));
        for _ in 0..20 {
            playback.update(&PlaybackMessage::Slower);
        }
        assert_eq!(playback.time_until_next_move(), Some(Duration::from_secs(8)));
    }
}
