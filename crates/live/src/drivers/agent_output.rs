//! The facts that an agent's output has given so far, in the same form for every agent.

use std::ops::Add;

use regex::Regex;
use serde_json::Value;

use trajview_run::Tokens;

use super::command::ProgramOptions;

/// The form of the output lines of a program.
#[derive(Debug, Clone)]
pub enum OutputFormat {
    /// Nothing is read: a screen is no list of lines.
    Unread,
    /// One JSON object a line, and errors on standard error.
    JsonLines(fn(&Value, &mut AgentOutput)),
    Lines(fn(&str, OutputStream, &mut AgentOutput)),
    /// The output of a configured program, and the pattern for denied actions.
    Configured(Box<ProgramOptions>, Option<Regex>),
}

impl OutputFormat {
    pub fn read_line(&self, line: &str, from: OutputStream, parsed: &mut AgentOutput) {
        match self {
            Self::Unread => {}
            Self::JsonLines(_) if from == OutputStream::Errors => parsed.add_trouble(line),
            Self::JsonLines(read_object) => {
                if let Some(value) = parse_object(line) {
                    read_object(&value, parsed);
                }
            }
            Self::Lines(read_line) => read_line(line, from, parsed),
            Self::Configured(options, denied) => {
                options.read_line(denied.as_ref(), line, from, parsed);
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    Output,
    Errors,
}

/// The output of one process, read. The texts come from outside: bounded in length, and shown only as recorded text is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentOutput {
    pub session: Option<String>,
    pub version: Option<String>,
    pub model: Option<String>,
    pub tokens: ReportedAmount<Tokens>,
    /// US dollars.
    pub cost: ReportedAmount<f64>,
    /// Actions that it was not allowed to take.
    pub denied: Vec<String>,
    /// The failure of the whole turn, as the agent reported it.
    pub failed: Option<String>,
    /// Errors that it went on from.
    pub troubles: Vec<String>,
    /// Its messages and actions, a line each; drained by the caller that emits them.
    pub messages: Vec<String>,
}

/// An amount and its scope.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ReportedAmount<T> {
    #[default]
    Unknown,
    /// The amount of this process alone.
    Turn(T),
    /// The amount of the whole session so far.
    Session(T),
}

impl<T: Copy + Default + Add<Output = T>> ReportedAmount<T> {
    /// Adds an amount of this process.
    pub(super) fn add_to_turn(&mut self, amount: T) {
        let before = if let Self::Turn(before) = *self { before } else { T::default() };
        *self = Self::Turn(before + amount);
    }
}

/// At most this many items of a kind are kept.
const MAX_ITEMS: usize = 50;

/// Lines of a command's output that are kept: of its beginning and of its end.
const FIRST_LINES: usize = 8;
const LAST_LINES: usize = 4;

/// Messages that wait for the caller.
const MAX_MESSAGES: usize = 500;

/// Longer texts are cut (characters).
const MAX_MESSAGE_CHARS: usize = 400;

impl AgentOutput {
    pub fn add_message(&mut self, words: &str) {
        push_bounded(&mut self.messages, words);
    }

    /// Adds the output of a command below it: its beginning and its end when it is long.
    pub(crate) fn add_command_output(&mut self, output: &str) {
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        let between = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
        let (first, last) = match between {
            0 | 1 => (lines.as_slice(), &[][..]),
            _ => (&lines[..FIRST_LINES], &lines[lines.len() - LAST_LINES..]),
        };
        let indented = |line: &&str| {
            let cut: String = line.trim_end().chars().take(MAX_MESSAGE_CHARS).collect();
            format!("  {cut}")
        };
        self.messages.extend(first.iter().map(indented));
        if !last.is_empty() {
            self.messages.push(format!("  … {between} more lines"));
        }
        self.messages.extend(last.iter().map(indented));
        self.messages.truncate(MAX_MESSAGES);
    }

    pub(crate) fn add_denial(&mut self, words: &str) {
        push_bounded(&mut self.denied, words);
    }

    pub(crate) fn add_trouble(&mut self, words: &str) {
        push_bounded(&mut self.troubles, words);
    }

    pub(crate) fn set_failure(&mut self, words: &str) {
        self.failed = Some(short_line(words));
    }
}

fn push_bounded(list: &mut Vec<String>, words: &str) {
    let words = short_line(words);
    if list.len() < MAX_ITEMS && !words.is_empty() && list.last() != Some(&words) {
        list.push(words);
    }
}

/// Returns the first line that is not empty, cut to a maximum length.
pub fn short_line(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut cut: String = line.chars().take(MAX_MESSAGE_CHARS).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}

/// Parses a line as a JSON object; None when it is none.
pub(crate) fn parse_object(line: &str) -> Option<Value> {
    let line = line.trim();
    let value = line.starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
    value.filter(Value::is_object)
}

/// Returns a string within a value, by its JSON pointer.
pub fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// Returns a copy of a string within a value, by its JSON pointer.
pub(crate) fn string_at(value: &Value, pointer: &str) -> Option<String> {
    text_at(value, pointer).map(str::to_owned)
}

/// Returns the text of a message: a string, or the lines of its text parts. None without any.
pub(crate) fn content_text(content: &Value) -> Option<String> {
    let parts = content.as_array().into_iter().flatten();
    let parts: Vec<&str> = parts.filter_map(|part| text_at(part, "/text")).collect();
    let joined = (!parts.is_empty()).then(|| parts.join("\n"));
    content.as_str().map(str::to_owned).or(joined)
}

/// Returns a count within a value, by its JSON pointer.
pub(crate) fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Reads lines of standard output.
    pub(in super::super) fn parse_lines(format: &OutputFormat, lines: &[&str]) -> AgentOutput {
        let mut parsed = AgentOutput::default();
        lines.iter().for_each(|line| format.read_line(line, OutputStream::Output, &mut parsed));
        parsed
    }

    #[test]
    fn of_a_long_output_both_ends_are_shown_below_the_command() {
        let mut parsed = AgentOutput::default();
        parsed.add_message("$ seq 20");
        let lines: Vec<String> = (1..=20).map(|at| at.to_string()).collect();
        parsed.add_command_output(&lines.join("\n"));
        parsed.add_command_output("short\n\nand whole\n");

        let shown = parsed.messages.join("|");

        assert_eq!(
            shown,
            "$ seq 20|  1|  2|  3|  4|  5|  6|  7|  8|  … 8 more lines|  17|  18|  19|  20|  short|  and whole"
        );
    }

    #[test]
    fn what_is_said_is_short_and_bounded() {
        let mut parsed = AgentOutput::default();
        for at in 0..100 {
            parsed.add_trouble(&format!("\n  {at} {}\nmore", "x".repeat(500)));
        }
        assert_eq!(parsed.troubles.len(), MAX_ITEMS);
        assert_eq!(parsed.troubles[0].chars().count(), MAX_MESSAGE_CHARS + 1);
        assert_eq!(parse_object(" {\"a\": [1]}").and_then(|it| count_at(&it, "/a/0")), Some(1));
        assert_eq!(parse_object("[1]"), None);
    }
}
