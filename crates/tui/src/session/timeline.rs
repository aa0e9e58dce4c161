//! The facts of a run over its turns, as the strip of turns below the views has them: checkpoints, numbers, components and
//! events. A run with one turn has its steps in the place of turns.
//!
//! Everything here is computed once from what a session or a comparison has ([`super::timeline_state`]); a frame only looks
//! for the highest value and the main event of each column. A value that was not measured is no value.

use std::ops::Range;

use trajview_metrics::{
    Number,
    numbers::NumberStyle,
    test_losses::{TestLoss, test_losses},
};
use trajview_run::{
    Run, StepId, StepKind, format_number,
    worded_enum::{NamedValue, worded},
};

use super::{
    curve_values::PointValue, timeline_components::ComponentLane, turn_counts::TurnEditCounts,
};

/// The facts of a run over its turns, or over the steps of its only turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct TimelineFacts {
    /// The number of turns, or of steps.
    pub points: usize,
    /// The steps that are the points; empty where these are turns.
    pub steps: Vec<StepId>,
    pub checkpoints: Vec<TimelineCheckpoint>,
    /// The checkpoints of the run, also those without turns.
    pub checkpoint_count: usize,
    pub numbers: Vec<NumberLane>,
    /// None where nothing lists or judges components.
    pub components: Option<ComponentLane>,
    /// One a point.
    pub events: Vec<TurnEvents>,
    /// The tests that are lost, by turn.
    pub lost_tests: Vec<LostTest>,
}

/// A test that a turn lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostTest {
    /// Counts from 1.
    pub turn: usize,
    pub name: String,
}

/// A checkpoint that has turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimelineCheckpoint {
    /// Index into [`Run::checkpoints`].
    pub index: usize,
    /// Points, which count from 0.
    pub turns: Range<usize>,
    /// `4 forward process`
    pub name: String,
}

/// A number after each point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberLane {
    pub number: Number,
    /// One a point.
    pub values: Vec<PointValue>,
    /// The reason why the number has no value anywhere.
    pub missing: Option<String>,
}

/// What happened in a turn or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TurnEvents {
    /// Steps that failed.
    pub failures: usize,
    pub compactions: usize,
    /// Components and recorded tests that were lost.
    pub losses: usize,
    /// Judgements of the code after the turn.
    pub judgements: usize,
    /// Signals that open.
    pub signals: usize,
}

/// What the timeline shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineConfig {
    pub mode: TimelineMode,
    /// The numbers that have a lane, from top to bottom.
    pub lanes: Vec<Number>,
}

impl Default for TimelineConfig {
    fn default() -> Self {
        Self { mode: TimelineMode::default(), lanes: vec![Number::Erosion, Number::Verbosity] }
    }
}

/// What the user wants of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub enum TimelineMessage {
    /// The next of full, slim and hidden.
    NextMode,
    /// Lanes for the numbers with these ids; none for the usual ones.
    SetLanes(Vec<String>),
}

impl TimelineConfig {
    /// Chooses the numbers by their ids; without ids the usual ones.
    ///
    /// # Errors
    /// Returns a sentence that names the first unknown id.
    pub(crate) fn set_lanes(&mut self, ids: &[String]) -> Result<(), String> {
        let number = |id: &String| {
            let why = || format!("no number is called {id}; `trajview list metrics` lists them");
            Number::find_by_id(id).ok_or_else(why)
        };
        let lanes: Vec<Number> = ids.iter().map(number).collect::<Result<_, _>>()?;
        self.lanes = if lanes.is_empty() { Self::default().lanes } else { lanes };
        Ok(())
    }
}

worded! {
    /// How much of the timeline is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum TimelineMode {
        /// As much as the height of the screen has room for.
        #[default]
        Auto = "auto",
        /// Every lane.
        Full = "full",
        /// Two numbers, and the events with the starts of checkpoints.
        Slim = "slim",
        Hidden = "hidden",
    }
}

impl NamedValue for TimelineMode {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        Self::word(self)
    }
}

/// What a timeline shares the screen with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimelineRoom {
    /// A view of a run.
    View,
    /// A view that needs its rows for code and text.
    CrowdedView,
    /// The timeline of another run.
    Comparison,
}

/// The rows of a screen from which on there is a slim timeline, and from which on a full one may be chosen.
const SLIM_FROM_ROWS: u16 = 20;

impl TimelineRoom {
    /// Returns the rows of a screen from which on the timeline starts full.
    const fn full_from_rows(self) -> u16 {
        match self {
            Self::View => 36,
            Self::CrowdedView | Self::Comparison => 48,
        }
    }

    const fn has_room_for_full(self, rows: u16) -> bool {
        match self {
            Self::View | Self::CrowdedView => rows >= SLIM_FROM_ROWS,
            Self::Comparison => rows >= self.full_from_rows(),
        }
    }
}

impl TimelineMode {
    /// Returns the mode on a screen of so many rows: never [`Self::Auto`].
    pub(crate) const fn on_screen(self, rows: u16, room: TimelineRoom) -> Self {
        match self {
            Self::Hidden => Self::Hidden,
            Self::Auto if rows >= room.full_from_rows() => Self::Full,
            Self::Auto if rows < SLIM_FROM_ROWS => Self::Hidden,
            Self::Full if room.has_room_for_full(rows) => Self::Full,
            Self::Auto | Self::Full | Self::Slim => Self::Slim,
        }
    }

    /// Returns the mode after this one on such a screen: full, slim, hidden.
    pub(crate) fn next_on_screen(self, rows: u16, room: TimelineRoom) -> Self {
        let next = match self.on_screen(rows, room) {
            Self::Auto | Self::Hidden => Self::Full,
            Self::Full => Self::Slim,
            Self::Slim => Self::Hidden,
        };
        next.on_screen(rows, room)
    }
}

/// The numbers of a slim timeline; it has one for each of two runs.
const SLIM_NUMBERS: usize = 2;

/// A row of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneKind {
    Checkpoints,
    /// The index of the number.
    Number(usize),
    Components,
    Events,
    /// The signals alone, in the view that is about them.
    Signals,
}

/// The lanes that a run can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneChoice {
    pub has_checkpoints: bool,
    pub numbers: usize,
    pub has_components: bool,
    /// True where signals have a lane of their own.
    pub has_signals: bool,
    /// Two timelines share the screen.
    pub is_compared: bool,
}

impl LaneChoice {
    /// Returns the lanes in this mode, from top to bottom; none where the timeline is hidden.
    pub(crate) fn lanes(self, mode: TimelineMode) -> Vec<LaneKind> {
        let numbers = |most: usize| (0..self.numbers.min(most)).map(LaneKind::Number);
        let signals = self.has_signals.then_some(LaneKind::Signals);
        match mode {
            TimelineMode::Hidden => vec![],
            TimelineMode::Slim if self.is_compared && self.numbers > 0 => numbers(1).collect(),
            TimelineMode::Slim => {
                numbers(SLIM_NUMBERS).chain([LaneKind::Events]).chain(signals).collect()
            }
            TimelineMode::Auto | TimelineMode::Full => {
                let checkpoints = self.has_checkpoints.then_some(LaneKind::Checkpoints);
                let components = self.has_components.then_some(LaneKind::Components);
                checkpoints
                    .into_iter()
                    .chain(numbers(usize::MAX))
                    .chain(components)
                    .chain([LaneKind::Events])
                    .chain(signals)
                    .collect()
            }
        }
    }
}

impl TimelineFacts {
    /// Returns whether the points are the steps of the only turn.
    pub(crate) fn is_by_step(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the number of the checkpoint of a point and of all checkpoints; both count from 1.
    pub(crate) fn checkpoint_number(&self, point: usize) -> Option<(usize, usize)> {
        let here = self.checkpoints.iter().find(|it| it.turns.contains(&point))?;
        Some((here.index + 1, self.checkpoint_count))
    }

    /// Returns the most telling event of some points, with the number of events of that kind.
    pub(crate) fn main_event(&self, turns: &Range<usize>) -> Option<(EventKind, usize)> {
        let turns = self.events.get(turns.clone()).unwrap_or_default();
        EventKind::ALL.into_iter().find_map(|kind| {
            let count = kind.count_in(turns);
            (count > 0).then_some((kind, count))
        })
    }
}

/// The kinds of events, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    Loss,
    Judgement,
    Compaction,
    Failure,
    Signal,
}

impl EventKind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Loss, Self::Judgement, Self::Compaction, Self::Failure, Self::Signal];

    pub(crate) fn count_in(self, events: &[TurnEvents]) -> usize {
        events.iter().map(|it| it.count_of(self)).sum()
    }
}

impl TurnEvents {
    pub(crate) const fn count_of(self, kind: EventKind) -> usize {
        match kind {
            EventKind::Loss => self.losses,
            EventKind::Judgement => self.judgements,
            EventKind::Compaction => self.compactions,
            EventKind::Failure => self.failures,
            EventKind::Signal => self.signals,
        }
    }
}

impl NumberLane {
    /// Returns the value after a turn as people read it: `…` where it is still to be measured, `–` where there is none.
    pub(crate) fn text_after_turn(&self, turn: usize) -> String {
        match self.values.get(turn) {
            Some(PointValue::Value(value)) => self.number.format_value(*value, NumberStyle::Short),
            Some(PointValue::NotYet) if self.missing.is_none() => "…".into(),
            Some(PointValue::NotYet | PointValue::NotRecorded) | None => {
                format_number::MISSING_SIGN.into()
            }
        }
    }

    /// Returns the highest value of some turns; None where none of them has one.
    pub(crate) fn highest_of(&self, turns: &Range<usize>) -> Option<f64> {
        let values = self.values.get(turns.clone()).unwrap_or_default().iter();
        values.filter_map(|value| value.as_number()).reduce(f64::max)
    }

    /// Returns the turn of the only value; None where there are several, or none.
    pub(crate) fn only_turn(&self) -> Option<usize> {
        let mut measured =
            (self.values.iter().enumerate()).filter(|(_, it)| it.as_number().is_some());
        let (turn, _) = measured.next()?;
        measured.next().is_none().then_some(turn)
    }
}

/// Counts the events of each turn of a run: failures and compactions of its steps, signals (turns from 0), judgements (by
/// turns done; None where the judged state is not a turn of the run), and losses of components and tests.
pub(crate) fn turn_events(
    run: &Run,
    counts: impl Iterator<Item = TurnEditCounts>,
    signal_turns: &[usize],
    judged: impl Iterator<Item = Option<usize>>,
    components: Option<&ComponentLane>,
    lost_tests: &[LostTest],
) -> Vec<TurnEvents> {
    let mut events: Vec<TurnEvents> = counts
        .map(|it| TurnEvents {
            failures: it.errors,
            compactions: it.compactions,
            ..TurnEvents::default()
        })
        .collect();
    events.resize(run.turns.len(), TurnEvents::default());
    let mut count = |turn: Option<usize>, of: fn(&mut TurnEvents) -> &mut usize| {
        if let Some(events) = turn.and_then(|turn| events.get_mut(turn)) {
            *of(events) += 1;
        }
    };
    for turn in signal_turns {
        count(Some(*turn), |it| &mut it.signals);
    }
    for done in judged {
        count(done.and_then(|done| done.checked_sub(1)), |it| &mut it.judgements);
    }
    for loss in lost_tests {
        count(loss.turn.checked_sub(1), |it| &mut it.losses);
    }
    for track in components.iter().flat_map(|lane| &lane.tracks) {
        count(track.lost_at.and_then(|turn| turn.checked_sub(1)), |it| &mut it.losses);
    }
    events
}

/// Counts the events of each step of a run with one turn; judgements and losses, which are of the turn, are at its last step.
pub(crate) fn step_events(
    run: &Run,
    steps: &[StepId],
    signals: &[StepId],
    of_turn: TurnEvents,
) -> Vec<TurnEvents> {
    let events = |id: &StepId| {
        let step = run.step(*id);
        TurnEvents {
            failures: usize::from(step.is_some_and(|it| it.has_failed())),
            compactions: usize::from(step.is_some_and(|it| it.kind == StepKind::Compaction)),
            signals: signals.iter().filter(|signal| *signal == id).count(),
            ..TurnEvents::default()
        }
    };
    let mut events: Vec<TurnEvents> = steps.iter().map(events).collect();
    if let Some(last) = events.last_mut() {
        (last.judgements, last.losses) = (of_turn.judgements, of_turn.losses);
    }
    events
}

/// Returns the tests that a run lost, by turn.
pub(crate) fn lost_tests(run: &Run) -> Vec<LostTest> {
    let test = |loss: TestLoss<'_>| LostTest {
        turn: loss.failed.turns_done,
        name: loss.test.name.to_string(),
    };
    test_losses(run).into_iter().map(test).collect()
}

/// Returns the checkpoints that have turns.
pub(crate) fn timeline_checkpoints(run: &Run) -> Vec<TimelineCheckpoint> {
    let name = |index: usize| {
        let checkpoint = &run.checkpoints[index];
        let label = checkpoint.label.as_ref().filter(|label| !label.is_empty());
        format!("{} {}", index + 1, label.unwrap_or(&checkpoint.id))
    };
    let turns = |index: usize| {
        let end = (run.checkpoints[index].last_turn + 1).min(run.turns.len());
        run.first_turn_of(index).min(end)..end
    };
    (0..run.checkpoints.len())
        .map(|index| TimelineCheckpoint { index, turns: turns(index), name: name(index) })
        .filter(|checkpoint| !checkpoint.turns.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_fits_the_height_and_the_key_goes_round() {
        let modes = |rows: u16, room: TimelineRoom| {
            let mut mode = TimelineMode::Auto;
            let mut words = vec![mode.on_screen(rows, room).word()];
            for _ in 0..3 {
                mode = mode.next_on_screen(rows, room);
                words.push(mode.word());
            }
            words
        };
        use TimelineRoom::{Comparison, CrowdedView, View};

        assert_eq!(modes(40, View), ["full", "slim", "hidden", "full"]);
        assert_eq!(modes(24, View), ["slim", "hidden", "full", "slim"]);
        assert_eq!(modes(15, View), ["hidden", "slim", "hidden", "slim"]);
        assert_eq!(modes(40, CrowdedView), ["slim", "hidden", "full", "slim"]);
        assert_eq!(modes(40, Comparison), ["slim", "hidden", "slim", "hidden"]);
        assert_eq!(modes(50, Comparison), ["full", "slim", "hidden", "full"]);
    }

    #[test]
    fn a_bucket_has_its_highest_value_and_what_was_not_measured_has_none() {
        let values = vec![
            PointValue::Value(0.1),
            PointValue::Value(0.7),
            PointValue::Value(0.2),
            PointValue::NotRecorded,
            PointValue::NotYet,
        ];
        let lane = NumberLane { number: Number::Erosion, values, missing: None };

        assert_eq!(lane.highest_of(&(0..3)), Some(0.7));
        assert_eq!(lane.highest_of(&(3..5)), None);
        assert_eq!([1, 3, 4, 9].map(|turn| lane.text_after_turn(turn)), ["0.700", "—", "…", "—"]);
        assert_eq!(lane.only_turn(), None);
    }

    #[test]
    fn lanes_without_facts_take_no_rows() {
        let plain = LaneChoice {
            has_checkpoints: false,
            numbers: 2,
            has_components: false,
            has_signals: false,
            is_compared: false,
        };
        let [erosion, verbosity] = [0, 1].map(LaneKind::Number);

        assert_eq!(plain.lanes(TimelineMode::Full), [erosion, verbosity, LaneKind::Events]);
        let chosen = LaneChoice { numbers: 3, ..plain };
        assert_eq!(chosen.lanes(TimelineMode::Slim), [erosion, verbosity, LaneKind::Events]);
        let compared = LaneChoice { is_compared: true, ..chosen };
        assert_eq!(compared.lanes(TimelineMode::Slim), [erosion]);
        assert_eq!(plain.lanes(TimelineMode::Hidden), []);
        let with_signals = LaneChoice { has_signals: true, ..plain };
        for mode in [TimelineMode::Full, TimelineMode::Slim] {
            assert_eq!(with_signals.lanes(mode).last(), Some(&LaneKind::Signals));
        }
    }
}
