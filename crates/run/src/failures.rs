//! What failed in a run, and the line of a failure that tells most.

use super::{Run, Step, StepId, StepText, commands, values::worded};

worded! {
    words;
    /// In what way a step failed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Failed {
        Test = "failing test",
        /// A command that ended with another exit code than 0.
        Command = "failing command",
        /// A person, or a rule, did not let the agent do it.
        Refused = "refused",
        /// A call that the recording says failed, without an exit code.
        Call = "failed call",
        /// An error of the agent's program or of the service of the model.
        Error = "error",
    }
}

impl Failed {
    /// How a step failed; None where it did not, or the recording does not say so. Without its text a call that was refused is
    /// a failed call.
    pub fn of(step: &Step, text: Option<&StepText>) -> Option<Self> {
        if !step.failed() {
            return None;
        }
        let Some(tool) = &step.tool else { return Some(Self::Error) };
        let code = tool.result.as_ref().and_then(|result| result.exit_code);
        let said = text.and_then(|text| text.result.as_deref());
        Some(match code {
            _ if commands::runs_tests(&step.label) => Self::Test,
            _ if said.is_some_and(is_refusal) => Self::Refused,
            Some(_) => Self::Command,
            None => Self::Call,
        })
    }
}

/// Every step that failed, in playing order, with its number in its turn.
pub fn steps_that_failed(run: &Run) -> Vec<(StepId, usize)> {
    let mut steps = run.numbered_steps();
    steps.retain(|(id, _)| run.step(*id).is_some_and(Step::failed));
    steps
}

/// How programs of agents say that a call was not let through.
const REFUSED: [&str; 8] = [
    "doesn't want to proceed",
    "rejected by user",
    "rejected by the user",
    "user rejected",
    "denied by user",
    "permission to use",
    "requires approval",
    "user cancelled",
];

fn is_refusal(said: &str) -> bool {
    let head: String = said.chars().take(400).collect::<String>().to_lowercase();
    REFUSED.iter().any(|words| head.contains(words))
}

/// The line of a failure that says most of what went wrong: the error that pytest or Python ends with, else the first line that
/// speaks of an error, else the first that says anything.
pub fn telling_line(text: &StepText) -> Option<&str> {
    let lines = || lines_of(text);
    let of_pytest = lines().find_map(of_pytest);
    of_pytest
        .or_else(|| lines().filter(is_raised).last())
        .or_else(|| lines().find(speaks))
        .or_else(|| lines().next())
}

/// All lines of a failure that speak of an error, in order, at most [`MOST_ERROR_LINES`]; where none does, the one that tells most.
pub fn error_lines(text: &StepText) -> Vec<&str> {
    let speaking = lines_of(text).filter_map(|line| {
        of_pytest(line).or_else(|| Some(line).filter(|line| is_raised(line) || speaks(line)))
    });
    let speaking: Vec<&str> = speaking.take(MOST_ERROR_LINES).collect();
    if speaking.is_empty() { telling_line(text).into_iter().collect() } else { speaking }
}

/// Lines that speak of an error, of one failure.
pub const MOST_ERROR_LINES: usize = 200;

fn lines_of(text: &StepText) -> impl Iterator<Item = &str> {
    let said = text.result.as_deref().filter(|said| !said.trim().is_empty());
    let said = said.unwrap_or(&text.text);
    said.lines().take(MOST_LINES).map(str::trim).filter(|line| !line.is_empty())
}

/// What pytest says of an error.
fn of_pytest(line: &str) -> Option<&str> {
    line.strip_prefix("E  ").map(str::trim)
}

fn is_raised(line: &&str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    is_name && (name.ends_with("Error") || name.ends_with("Exception"))
}

fn speaks(line: &&str) -> bool {
    let line = line.to_lowercase();
    ERRORS.iter().any(|word| line.contains(word))
}

const ERRORS: [&str; 12] = [
    "error",
    "panicked",
    "failed",
    "failure",
    "fatal",
    "not found",
    "no such",
    "denied",
    "cannot",
    "can't",
    "rejected",
    "timed out",
];

/// Lines of an observation that are looked at.
const MOST_LINES: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCall, ToolResult};

    fn step(label: &str, exit_code: Option<i32>, is_error: bool) -> Step {
        let result = Some(ToolResult { exit_code, is_error, ..ToolResult::default() });
        let tool = Some(Box::new(ToolCall { result, ..ToolCall::default() }));
        Step { label: label.into(), tool, ..Step::default() }
    }

    fn said(result: &str) -> StepText {
        StepText { result: Some(result.into()), ..StepText::default() }
    }

    #[test]
    fn an_exit_code_an_error_and_a_refusal_are_told_apart() {
        let refusal = said("The user doesn't want to proceed with this tool use.");
        let of = |step: &Step| Failed::of(step, None);

        assert_eq!(of(&step("pytest -q", Some(1), false)), Some(Failed::Test));
        assert_eq!(of(&step("ls nowhere", Some(2), false)), Some(Failed::Command));
        assert_eq!(of(&step("a.py", None, true)), Some(Failed::Call));
        assert_eq!(of(&step("ls", Some(0), false)), None);
        let refused = Failed::of(&step("rm x", None, true), Some(&refusal));
        assert_eq!(refused, Some(Failed::Refused));
        assert_eq!(of(&Step { is_error: true, ..Step::default() }), Some(Failed::Error));
    }

    #[test]
    fn the_telling_line_is_the_one_that_names_the_error() {
        let line = |text| telling_line(&said(text)).map(str::to_owned);

        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n";
        assert_eq!(line(python).as_deref(), Some("KeyError: 'x'"));
        let pytest =
            "collected 2 items\n\n>       assert f() == 2\nE       assert 3 == 2\nFAILED a.py";
        assert_eq!(line(pytest).as_deref(), Some("assert 3 == 2"));
        let shell = "checking\nls: cannot access 'x': No such file or directory\n";
        assert_eq!(
            line(shell).as_deref(),
            Some("ls: cannot access 'x': No such file or directory")
        );
        assert_eq!(line("\n  odd  \n").as_deref(), Some("odd"));
        assert_eq!(line(""), None);
    }
}
