//! A recorded terminal: what a player of its output needs, without the output itself.
//!
//! The output is read in pieces ([`TerminalPiece`]), so that a recording of any size costs no more than the piece that is
//! shown. [`TerminalRecording`] says where the pieces begin, and at which time of the recording each step of the run
//! ended, where that was measured.

use crate::{Run, SourceId, StepId};

/// A recording of a terminal; times are seconds since its beginning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TerminalRecording {
    /// Columns and rows at the beginning; None where they are not recorded.
    pub size: Option<(u16, u16)>,
    /// The time of the last event.
    pub seconds: f64,
    /// The longest pause that the recording asks players to keep.
    pub idle_limit: Option<f64>,
    /// The pieces, in order; none where there is no event.
    pub pieces: Vec<PieceStart>,
    pub alignment: TerminalAlignment,
    /// The ends of steps of the main agent, in their order; no time is before the one above it.
    pub step_ends: Vec<(StepId, f64)>,
    /// The end of each turn, where it was measured.
    pub turn_ends: Vec<Option<f64>>,
    /// What could not be read, in sentences.
    pub problems: Vec<String>,
}

/// Where a piece begins.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PieceStart {
    /// The first byte in the file.
    pub start: u64,
    /// The time of the last event before it.
    pub seconds: f64,
}

/// How the times of a recording were measured against the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TerminalAlignment {
    /// The steps were read from the recording itself.
    OwnSteps,
    /// The recorder marked the beginning of each turn.
    TurnMarkers,
    /// The recording and the steps have times of one clock.
    Times,
    /// The records of the steps were printed in the terminal.
    PrintedRecords,
    /// The terminal showed `found` of the `total` commands of the steps, in their order.
    Commands { found: usize, total: usize },
    /// Nothing says when a step ended.
    #[default]
    Unknown,
}

/// The events of a part of a recording, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TerminalPiece {
    pub events: Vec<TerminalEvent>,
}

/// One change of a recorded terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminalEvent {
    pub seconds: f64,
    pub change: TerminalChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalChange {
    Output(String),
    /// Columns and rows.
    Resize(u16, u16),
}

/// Times closer together than this count as equal (seconds).
const SAME_TIME: f64 = 1e-6;

impl TerminalRecording {
    /// Returns whether it was measured when steps or turns ended.
    pub fn is_aligned(&self) -> bool {
        self.alignment != TerminalAlignment::Unknown
    }

    /// Returns the time at which a step ended; without a step, or where that was not measured, at which the turn ended. None
    /// where neither was measured.
    pub fn end_of(&self, turn: usize, step: Option<StepId>) -> Option<f64> {
        let at =
            step.and_then(|step| self.step_ends.binary_search_by_key(&step, |(id, _)| *id).ok());
        at.map(|at| self.step_ends[at].1).or_else(|| self.turn_ends.get(turn).copied().flatten())
    }

    /// Returns the turn, and the step where it was measured, that were under way at a time. After the end of the last
    /// one that is the last one. None where nothing was measured.
    pub fn place_at(&self, seconds: f64) -> Option<(usize, Option<StepId>)> {
        let ends =
            || self.turn_ends.iter().enumerate().filter_map(|(turn, end)| Some((turn, (*end)?)));
        let (turn, _) = ends()
            .filter(|(_, end)| *end + SAME_TIME >= seconds)
            .min_by(|(_, one), (_, other)| one.total_cmp(other))
            .or_else(|| ends().next_back())?;
        let first = self.step_ends.partition_point(|(id, _)| id.turn < turn);
        let steps = &self.step_ends[first..];
        let steps = &steps[..steps.partition_point(|(id, _)| id.turn == turn)];
        let at = steps.partition_point(|(_, end)| end + SAME_TIME < seconds);
        Some((turn, steps.get(at).or(steps.last()).map(|(id, _)| *id)))
    }

    /// Returns the end of the next step, or of the turn, after a time; None after the last.
    pub fn next_end(&self, seconds: f64) -> Option<f64> {
        self.ends().filter(|end| *end > seconds + SAME_TIME).min_by(f64::total_cmp)
    }

    /// Returns the end of the step, or of the turn, before a time; None before the first.
    pub fn previous_end(&self, seconds: f64) -> Option<f64> {
        self.ends().filter(|end| end + SAME_TIME < seconds).max_by(f64::total_cmp)
    }

    fn ends(&self) -> impl Iterator<Item = f64> {
        let steps = self.step_ends.iter().map(|(_, end)| *end);
        steps.chain(self.turn_ends.iter().copied().flatten())
    }
}

impl Run {
    /// Returns the recorded terminals among the files of the run, with their names: that of the agent first, that of the
    /// tests last.
    pub fn terminal_recordings(&self) -> Vec<(SourceId, &str)> {
        let named = (0..).map(SourceId).zip(self.origin.sources.iter().map(|it| it.name.as_str()));
        let mut casts: Vec<_> = named.filter(|(_, name)| name.ends_with(".cast")).collect();
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        casts.sort_by_key(|(_, name)| (base(name) == "tests.cast", base(name) != "agent.cast"));
        casts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(turn: usize, step: usize) -> StepId {
        StepId { turn, subagent: None, step }
    }

    fn two_turns() -> TerminalRecording {
        TerminalRecording {
            seconds: 9.0,
            alignment: TerminalAlignment::Times,
            step_ends: vec![(step(0, 0), 1.0), (step(0, 1), 3.0), (step(1, 0), 6.0)],
            turn_ends: vec![Some(4.0), Some(6.0), None],
            ..TerminalRecording::default()
        }
    }

    #[test]
    fn a_time_belongs_to_the_step_that_ends_next() {
        let recording = two_turns();
        let at = |seconds| recording.place_at(seconds).unwrap();

        assert_eq!([at(0.0), at(1.0)], [(0, Some(step(0, 0))); 2]);
        assert_eq!([at(1.5), at(3.5), at(4.0)], [(0, Some(step(0, 1))); 3]);
        assert_eq!([at(4.1), at(8.0)], [(1, Some(step(1, 0))); 2]);
        assert_eq!(TerminalRecording::default().place_at(1.0), None);
    }

    #[test]
    fn ends_are_gone_through_in_both_directions() {
        let recording = two_turns();

        assert_eq!([recording.next_end(1.0), recording.next_end(3.0)], [Some(3.0), Some(4.0)]);
        assert_eq!((recording.next_end(6.0), recording.previous_end(1.0)), (None, None));
        assert_eq!(recording.previous_end(4.0), Some(3.0));
        assert_eq!(recording.end_of(0, None), Some(4.0));
        assert_eq!(recording.end_of(1, Some(step(1, 0))), Some(6.0));
        assert_eq!(
            (recording.end_of(2, None), recording.end_of(0, Some(step(0, 7)))),
            (None, Some(4.0)),
            "a step without a time ends with its turn"
        );
    }
}
