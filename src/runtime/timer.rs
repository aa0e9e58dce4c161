//! The alarm for the next time at which the state changes by itself.

use std::time::{Duration, Instant};

/// An alarm that other events cannot postpone; only a change of the delay resets it.
#[derive(Debug, Default)]
pub struct Timer {
    alarm: Option<Alarm>,
    /// The alarm that has just gone off: the next one with its delay is counted from it, so that what happens between two
    /// of them does not slow down a playback.
    fired: Option<Alarm>,
}

#[derive(Debug)]
struct Alarm {
    due: Instant,
    delay: Duration,
}

impl Timer {
    /// Updates the alarm to the delay of the state: sets it once, clears it when where there is none.
    pub(crate) fn arm_for(&mut self, delay: Option<Duration>, now: Instant) {
        let is_set = |alarm: &Alarm| Some(alarm.delay) == delay;
        let kept = self.alarm.take().filter(is_set);
        let start = self.fired.take().filter(is_set).map_or(now, |fired| fired.due);
        let alarm = |delay| Alarm { due: (start + delay).max(now), delay };
        self.alarm = kept.or_else(|| delay.map(alarm));
    }

    /// Returns how long the loop may sleep at `now`.
    pub(crate) fn time_left(&self, now: Instant) -> Duration {
        self.alarm.as_ref().map_or(Duration::MAX, |alarm| alarm.due.saturating_duration_since(now))
    }

    /// Returns whether the alarm has gone off, and clears it then: it must be set again.
    pub(crate) fn take_fired(&mut self, now: Instant) -> bool {
        self.fired = self.alarm.take_if(|alarm| alarm.due <= now);
        self.fired.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(500);
    const MOST_OF_A_STEP: Duration = Duration::from_millis(400);

    #[test]
    fn a_chatty_agent_cannot_hold_up_playback() {
        let start = Instant::now();
        let mut timer = Timer::default();
        timer.arm_for(Some(STEP), start);
        timer.arm_for(Some(STEP), start + MOST_OF_A_STEP); // some other event came by

        assert!(timer.take_fired(start + STEP));
    }

    #[test]
    fn what_happens_between_two_alarms_does_not_delay_the_second() {
        let start = Instant::now();
        let mut timer = Timer::default();
        timer.arm_for(Some(STEP), start);
        assert!(timer.take_fired(start + STEP));

        timer.arm_for(Some(STEP), start + STEP + MOST_OF_A_STEP);
        assert!(timer.take_fired(start + STEP * 2));
        timer.arm_for(None, start + STEP * 2);
        timer.arm_for(Some(STEP), start + STEP * 9);
        assert!(!timer.take_fired(start + STEP * 9), "a pause is between them");
    }

    #[test]
    fn another_speed_holds_at_once() {
        let start = Instant::now();
        let mut timer = Timer::default();
        timer.arm_for(Some(STEP * 10), start);
        timer.arm_for(Some(STEP), start);

        assert_eq!(timer.time_left(start), STEP);
    }

    #[test]
    fn a_paused_run_waits_for_ever() {
        let now = Instant::now();
        let mut timer = Timer::default();
        timer.arm_for(Some(STEP), now);
        timer.arm_for(None, now);

        assert_eq!(timer.time_left(now), Duration::MAX);
    }
}
