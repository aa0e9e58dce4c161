//! The failures of a run, and the line of a failure that explains most.

use super::{Run, Step, StepId, StepText, command_purpose, worded_enum::worded};

worded! {
    display_text;
    /// The kind of failure of a step.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FailureKind {
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

impl FailureKind {
    /// Returns the kind of failure of a step; None where it did not fail, or the recording does not state it. Without
    /// its text a refused call counts as a failed call.
    pub fn for_step(step: &Step, text: Option<&StepText>) -> Option<Self> {
        if !step.has_failed() {
            return None;
        }
        let Some(tool) = &step.tool else { return Some(Self::Error) };
        let code = tool.result.as_ref().and_then(|result| result.exit_code);
        let result_text = text.and_then(|text| text.result.as_deref());
        Some(match code {
            _ if command_purpose::runs_tests(&step.label) => Self::Test,
            _ if result_text.is_some_and(is_refusal) => Self::Refused,
            Some(_) => Self::Command,
            None => Self::Call,
        })
    }
}

/// Returns every step that failed, in playing order, with its number in its turn.
pub fn failed_steps(run: &Run) -> Vec<(StepId, usize)> {
    let mut steps = run.numbered_steps();
    steps.retain(|(id, _)| run.step(*id).is_some_and(Step::has_failed));
    steps
}

/// Phrases by which the programs of agents report that a call was refused.
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

fn is_refusal(output: &str) -> bool {
    let head: String = output.chars().take(400).collect::<String>().to_lowercase();
    REFUSED.iter().any(|words| head.contains(words))
}

/// Returns the line of a failure that says most of what went wrong: the error that pytest or Python ends with, else the first line that
/// speaks of an error, else the first that says anything.
pub fn main_error_line(text: &StepText) -> Option<&str> {
    let lines = || failure_lines(text);
    let of_pytest = lines().find_map(pytest_error);
    of_pytest
        .or_else(|| lines().filter(is_exception_line).last())
        .or_else(|| lines().find(mentions_error))
        .or_else(|| lines().next())
}

/// Returns all lines of a failure that speak of an error, in order, at most [`MOST_ERROR_LINES`]; where none does, the one that tells most.
pub fn error_lines(text: &StepText) -> Vec<&str> {
    let speaking = failure_lines(text).filter_map(|line| {
        pytest_error(line)
            .or_else(|| Some(line).filter(|line| is_exception_line(line) || mentions_error(line)))
    });
    let speaking: Vec<&str> = speaking.take(MOST_ERROR_LINES).collect();
    if speaking.is_empty() { main_error_line(text).into_iter().collect() } else { speaking }
}

/// Lines that speak of an error, of one failure.
pub(crate) const MOST_ERROR_LINES: usize = 200;

fn failure_lines(text: &StepText) -> impl Iterator<Item = &str> {
    let output = text.result.as_deref().filter(|output| !output.trim().is_empty());
    let output = output.unwrap_or(&text.text);
    output.lines().take(MOST_LINES).map(str::trim).filter(|line| !line.is_empty())
}

/// Returns the text after pytest's mark for an error.
fn pytest_error(line: &str) -> Option<&str> {
    line.strip_prefix("E  ").map(str::trim)
}

fn is_exception_line(line: &&str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    is_name && (name.ends_with("Error") || name.ends_with("Exception"))
}

fn mentions_error(line: &&str) -> bool {
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

    fn sample_step(label: &str, exit_code: Option<i32>, is_error: bool) -> Step {
        let result = Some(ToolResult { exit_code, is_error, ..ToolResult::default() });
        let tool = Some(Box::new(ToolCall { result, ..ToolCall::default() }));
        Step { label: label.into(), tool, ..Step::default() }
    }

    fn text_with_result(result: &str) -> StepText {
        StepText { result: Some(result.into()), ..StepText::default() }
    }

    #[test]
    fn an_exit_code_an_error_and_a_refusal_are_told_apart() {
        let refusal = text_with_result("The user doesn't want to proceed with this tool use.");
        let kind_of = |step: &Step| FailureKind::for_step(step, None);

        assert_eq!(kind_of(&sample_step("pytest -q", Some(1), false)), Some(FailureKind::Test));
        assert_eq!(kind_of(&sample_step("ls nowhere", Some(2), false)), Some(FailureKind::Command));
        assert_eq!(kind_of(&sample_step("a.py", None, true)), Some(FailureKind::Call));
        assert_eq!(kind_of(&sample_step("ls", Some(0), false)), None);
        let refused = FailureKind::for_step(&sample_step("rm x", None, true), Some(&refusal));
        assert_eq!(refused, Some(FailureKind::Refused));
        assert_eq!(kind_of(&Step { is_error: true, ..Step::default() }), Some(FailureKind::Error));
    }

    #[test]
    fn the_telling_line_is_the_one_that_names_the_error() {
        let line = |text| main_error_line(&text_with_result(text)).map(str::to_owned);

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
