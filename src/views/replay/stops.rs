//! What playback stops at when asked: an error, a failing test, a compaction.
//!
//! A failing test is a command that failed and looks like a test runner; to know another one add a row to
//! `RUNNERS`.

use crate::run::{
    Step, StepKind,
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
            Self::Test => step.failed() && step.tool.is_some() && runs_tests(&step.label),
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

/// Words that stand beside each other in a command that runs tests.
const RUNNERS: &[&[&str]] = &[
    &["pytest"],
    &["py.test"],
    &["unittest"],
    &["tox"],
    &["nox"],
    &["nosetests"],
    &["cargo", "test"],
    &["cargo", "nextest"],
    &["npm", "test"],
    &["npm", "t"],
    &["npm", "run", "test"],
    &["yarn", "test"],
    &["pnpm", "test"],
    &["bun", "test"],
    &["deno", "test"],
    &["jest"],
    &["vitest"],
    &["mocha"],
    &["go", "test"],
    &["make", "test"],
    &["make", "check"],
    &["ctest"],
    &["mvn", "test"],
    &["gradle", "test"],
    &["gradlew", "test"],
    &["dotnet", "test"],
    &["swift", "test"],
    &["mix", "test"],
    &["rake", "test"],
    &["rspec"],
    &["phpunit"],
    &["bats"],
];

/// Programs that name a test runner without running it.
const TALKERS: &[&str] = &[
    "install", "add", "grep", "rg", "cat", "echo", "which", "type", "command", "sed", "ls", "git",
];

/// Whether a command line looks as if it ran tests.
pub fn runs_tests(command: &str) -> bool {
    let is_end = |c: char| matches!(c, ';' | '&' | '|' | '(' | ')' | '\n');
    command.split(is_end).any(|simple| {
        let is_blank = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
        let words = simple.split(is_blank).filter(|word| !word.is_empty());
        let words: Vec<_> =
            words.map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word)).collect();
        let found = RUNNERS
            .iter()
            .find_map(|runner| words.windows(runner.len()).position(|window| window == *runner));
        found.is_some_and(|at| !words[..at].iter().any(|word| TALKERS.contains(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{ToolCall, ToolResult};

    #[test]
    fn test_runners_are_known_by_their_words() {
        for command in [
            "python -m pytest -q",
            "bash -lc 'cd app && ./node_modules/.bin/jest'",
            "CI=1 npm run test",
            "cargo test --lib x 2>&1 | tail",
            "python3 -m unittest discover",
            "uv run pytest",
            "make -C build && make test",
        ] {
            assert!(runs_tests(command), "{command}");
        }
    }

    #[test]
    fn talking_about_tests_is_not_running_them() {
        for command in
            ["pip install pytest", "cat pytest.ini", "rg -n jest package.json", "cargo build", ""]
        {
            assert!(!runs_tests(command), "{command}");
        }
    }

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
