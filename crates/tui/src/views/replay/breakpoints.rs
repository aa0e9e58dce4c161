//! The conditions at which playback stops: an error, a failing test, a compaction.
//!
//! A failing test is a command that failed and runs tests ([`trajview_run::failures`]).

use trajview_run::{
    Step, StepKind,
    failures::FailureKind,
    worded_enum::{NamedValue, named},
};

named! {
    /// A condition at which playback stops by itself.
    Stop {
        Error = "error",
        Test = "failing-test",
        Compaction = "compaction",
    }
}

impl Stop {
    pub(crate) const fn stop_text(self) -> &'static str {
        match self {
            Self::Error => "an error",
            Self::Test => "a failing test",
            Self::Compaction => "a compaction",
        }
    }

    /// Returns the key that toggles it in the menu.
    pub(crate) const fn key_letter(self) -> char {
        match self {
            Self::Error => 'e',
            Self::Test => 't',
            Self::Compaction => 'c',
        }
    }

    fn is_met_by(self, step: &Step) -> bool {
        match self {
            Self::Error => step.has_failed(),
            Self::Test => FailureKind::for_step(step, None) == Some(FailureKind::Test),
            Self::Compaction => step.kind == StepKind::Compaction,
        }
    }
}

/// The chosen conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Breakpoints([bool; 3]);

impl Breakpoints {
    pub(crate) fn from_reasons(reasons: impl IntoIterator<Item = Stop>) -> Self {
        let mut stops = Self::default();
        reasons.into_iter().for_each(|stop| stops.0[stop as usize] = true);
        stops
    }

    pub const fn has_reason(self, stop: Stop) -> bool {
        self.0[stop as usize]
    }

    pub(crate) const fn toggle(&mut self, stop: Stop) {
        self.0[stop as usize] = !self.0[stop as usize];
    }

    /// Returns `an error or a compaction`; None where playback stops at nothing.
    pub(crate) fn reasons_text(self) -> Option<String> {
        let wanted = Stop::ALL.iter().copied().filter(|stop| self.has_reason(*stop));
        let words: Vec<_> = wanted.map(Stop::stop_text).collect();
        (!words.is_empty()).then(|| words.join(" or "))
    }

    /// Returns the condition that a step meets, the narrowest first.
    pub(crate) fn reason_to_stop(self, step: &Step) -> Option<Stop> {
        let narrowest_first = [Stop::Test, Stop::Error, Stop::Compaction];
        narrowest_first.into_iter().find(|stop| self.has_reason(*stop) && stop.is_met_by(step))
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
        let mut stops = Breakpoints::default();
        assert_eq!(stops.reason_to_stop(&step), None);

        stops.toggle(Stop::Error);
        assert_eq!(stops.reason_to_stop(&step), Some(Stop::Error));
        stops.toggle(Stop::Test);
        assert_eq!(stops.reason_to_stop(&step), Some(Stop::Test));
        assert_eq!(stops.reasons_text().as_deref(), Some("an error or a failing test"));
    }
}
