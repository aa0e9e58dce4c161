//! The output of an agent without a screen of its own, with a heading and an ending for each turn.

use trajview_run::{format_number::duration_text, live::EndedTurn};

/// The longest line that is shown (characters).
const MAX_LINE_CHARS: usize = 1_000;

/// The largest number of lines of a request that are shown above the agent's output.
const MAX_REQUEST_LINES: usize = 12;

/// Returns the recorded output of a turn below its heading, as it was shown while it ran.
pub fn printed_turn(turn: usize, attempt: usize, request: &str, output: &[u8]) -> Vec<u8> {
    let mut bytes = turn_heading(turn, attempt, request);
    for line in String::from_utf8_lossy(output).lines() {
        bytes.extend(output_line(line).into_bytes());
    }
    bytes
}

/// Returns the heading of a turn: its number and its request.
pub(crate) fn turn_heading(turn: usize, attempt: usize, request: &str) -> Vec<u8> {
    let attempt = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
    let mut text = format!("\r\n\x1b[1m── turn {turn}{attempt} ──\x1b[0m\r\n");
    let lines: Vec<&str> = request.lines().collect();
    for line in lines.iter().take(MAX_REQUEST_LINES) {
        text += &format!("\x1b[36m› {}\x1b[0m\r\n", output_line(line).trim_end());
    }
    let more = lines.len().saturating_sub(MAX_REQUEST_LINES);
    if more > 0 {
        text += &format!("\x1b[36m› … {more} more lines\x1b[0m\r\n");
    }
    text.into_bytes()
}

/// Returns the end of a turn: result, duration, number of changed files.
pub(crate) fn turn_ending(ended: &EndedTurn) -> Vec<u8> {
    let result = match &ended.why {
        None => "done".to_owned(),
        Some(why) => format!("failed: {}", output_line(why).trim_end()),
    };
    let seconds = duration_text(ended.seconds);
    let changed = ended.changed.len();
    let files = if changed == 1 { "1 file".to_owned() } else { format!("{changed} files") };
    let turn = ended.turn;
    format!("\x1b[2m── turn {turn} {result}, {seconds}, {files} changed ──\x1b[0m\r\n").into_bytes()
}

/// Returns a line without characters that would move the cursor.
pub(crate) fn output_line(line: &str) -> String {
    let text: String = line.chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect();
    format!("{text}\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cannot_move_the_cursor() {
        assert_eq!(output_line("a\u{1b}[2Jb\rc"), "a[2Jbc\r\n");
    }
}
