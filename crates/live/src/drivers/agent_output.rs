//! What the lines that an agent prints have told so far, in words that are the same for every agent.

use serde_json::Value;

use trajview_run::Tokens;

/// Understands the lines of one process.
pub trait Reader: Send {
    fn line(&mut self, line: &str, from: Stream, heard: &mut AgentOutput);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Output,
    Complaints,
}

/// A reader of a program that prints an object a line and complains elsewhere.
pub struct JsonLines(pub fn(&Value, &mut AgentOutput));

impl Reader for JsonLines {
    fn line(&mut self, line: &str, from: Stream, heard: &mut AgentOutput) {
        if from == Stream::Complaints {
            heard.trouble(line);
        } else if let Some(value) = object(line) {
            (self.0)(&value, heard);
        }
    }
}

/// A reader of a program whose screen is no list of lines.
pub struct NoLines;

impl Reader for NoLines {
    fn line(&mut self, _line: &str, _from: Stream, _heard: &mut AgentOutput) {}
}

/// What one process said. Somebody else's words: bounded, and safe to show only as recorded text is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentOutput {
    pub session: Option<String>,
    pub version: Option<String>,
    pub model: Option<String>,
    pub tokens: Amount<Tokens>,
    /// US dollars.
    pub cost: Amount<f64>,
    /// What it wanted to do and was not allowed to.
    pub denied: Vec<String>,
    /// What it reported as a failure of the whole turn.
    pub failed: Option<String>,
    /// What went wrong on the way; it went on.
    pub troubles: Vec<String>,
    /// What it did and said, a line each, taken away by whoever tells it.
    pub said: Vec<String>,
}

/// An amount, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Amount<T> {
    #[default]
    Unknown,
    /// Of this process alone.
    Turn(T),
    /// Of its whole session so far.
    Session(T),
}

/// More of a kind are counted, not kept.
const MOST: usize = 50;

/// Lines of a command's output that are shown: of its beginning and of its end.
const FIRST_LINES: usize = 8;
const LAST_LINES: usize = 4;

/// Lines that wait to be told.
const MOST_SAID: usize = 500;

/// A longer saying is cut (characters).
const LONGEST: usize = 400;

impl AgentOutput {
    pub fn say(&mut self, words: &str) {
        push(&mut self.said, words);
    }

    /// What a command printed, below the command: its beginning and its end where it is long.
    pub fn show_output(&mut self, output: &str) {
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        let between = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
        let (first, last) = match between {
            0 | 1 => (lines.as_slice(), &[][..]),
            _ => (&lines[..FIRST_LINES], &lines[lines.len() - LAST_LINES..]),
        };
        let indented = |line: &&str| {
            let cut: String = line.trim_end().chars().take(LONGEST).collect();
            format!("  {cut}")
        };
        self.said.extend(first.iter().map(indented));
        if !last.is_empty() {
            self.said.push(format!("  … {between} more lines"));
        }
        self.said.extend(last.iter().map(indented));
        self.said.truncate(MOST_SAID);
    }

    pub fn deny(&mut self, words: &str) {
        push(&mut self.denied, words);
    }

    pub fn trouble(&mut self, words: &str) {
        push(&mut self.troubles, words);
    }

    pub fn fail(&mut self, words: &str) {
        self.failed = Some(short(words));
    }
}

fn push(list: &mut Vec<String>, words: &str) {
    let words = short(words);
    if list.len() < MOST && !words.is_empty() && list.last() != Some(&words) {
        list.push(words);
    }
}

/// The first line that says something.
pub fn short(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}

/// A JSON object on a line of its own.
pub fn object(line: &str) -> Option<Value> {
    let line = line.trim();
    let value = line.starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
    value.filter(Value::is_object)
}

/// A text within a value, by its JSON pointer.
pub fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// A count within a value, by its JSON pointer.
pub fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_both_ends_are_shown_below_the_command() {
        let mut heard = AgentOutput::default();
        heard.say("$ seq 20");
        let lines: Vec<String> = (1..=20).map(|at| at.to_string()).collect();
        heard.show_output(&lines.join("\n"));
        heard.show_output("short\n\nand whole\n");

        let shown = heard.said.join("|");

        assert_eq!(
            shown,
            "$ seq 20|  1|  2|  3|  4|  5|  6|  7|  8|  … 8 more lines|  17|  18|  19|  20|  short|  and whole"
        );
    }

    #[test]
    fn what_is_said_is_short_and_bounded() {
        let mut heard = AgentOutput::default();
        for at in 0..100 {
            heard.trouble(&format!("\n  {at} {}\nmore", "x".repeat(500)));
        }
        assert_eq!(heard.troubles.len(), MOST);
        assert_eq!(heard.troubles[0].chars().count(), LONGEST + 1);
        assert_eq!(object(" {\"a\": [1]}").and_then(|it| count(&it, "/a/0")), Some(1));
        assert_eq!(object("[1]"), None);
    }
}
