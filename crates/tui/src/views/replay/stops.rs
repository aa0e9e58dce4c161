//! What playback stops at when asked: an error, a failing test, a compaction.
//!
//! A failing test is a command that failed and runs tests ([`trajview_run::failures`]).

use trajview_run::{
    Step, StepKind,
    failures::Failed,
    values::{Named, named},
};

named! {
    /// What playback stops at by itself.
    Stop {
        Error = "error",
        Test = "failing-test",
        Compaction = "compaction",
    }
}

impl Stop {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Error => "an error",
            Self::Test => "a failing test",
            Self::Compaction => "a compaction",
        }
    }

    /// The key that toggles it in the menu.
    pub const fn letter(self) -> char {
        match self {
            Self::Error => 'e',
            Self::Test => 't',
            Self::Compaction => 'c',
        }
    }

    fn is_met_by(self, step: &Step) -> bool {
        match self {
            Self::Error => step.failed(),
            Self::Test => Failed::of(step, None) == Some(Failed::Test),
            Self::Compaction => step.kind == StepKind::Compaction,
        }
    }
}

/// Which of them are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stops([bool; 3]);

impl Stops {
    pub fn of(wanted: impl IntoIterator<Item = Stop>) -> Self {
        let mut stops = Self::default();
        wanted.into_iter().for_each(|stop| stops.0[stop as usize] = true);
        stops
    }

    pub const fn has(self, stop: Stop) -> bool {
        self.0[stop as usize]
    }

    pub const fn toggle(&mut self, stop: Stop) {
        self.0[stop as usize] = !self.0[stop as usize];
    }

    /// `an error or a compaction`; None where playback stops at nothing.
    pub fn words(self) -> Option<String> {
        let wanted = Stop::ALL.iter().copied().filter(|stop| self.has(*stop));
        let words: Vec<_> = wanted.map(Stop::words).collect();
        (!words.is_empty()).then(|| words.join(" or "))
    }

    /// Why to stop at a step, the narrowest reason first.
    pub fn reason(self, step: &Step) -> Option<Stop> {
        let narrowest_first = [Stop::Test, Stop::Error, Stop::Compaction];
        narrowest_first.into_iter().find(|stop| self.has(*stop) && stop.is_met_by(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{ToolCall, ToolResult};

    #[test]
    fn a_failing_test_is_named_before_an_error() {
        let result = Some(ToolResult { exit_code: Some(1), ..ToolResult::default() });
        let tool = Some(Box::new(ToolCall { result, ..ToolCall::default() }));
        let step = Step { label: "pytest -q".into(), tool, ..Step::default() };
        let mut stops = Stops::default();
        assert_eq!(stops.reason(&step), None);

        stops.toggle(Stop::Error);
        assert_eq!(stops.reason(&step), Some(Stop::Error));
        stops.toggle(Stop::Test);
        assert_eq!(stops.reason(&step), Some(Stop::Test));
        assert_eq!(stops.words().as_deref(), Some("an error or a failing test"));
    }
}
