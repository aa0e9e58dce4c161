//! The steps of a terminal recording.
//!
//! What was typed into the terminal, up to enter, is a call with the output that follows as its result: so a playback of
//! the steps plays the terminal. A recording without input is divided at its pauses.

use trajview_run::{
    RecordPlace, SourceId, Step, StepKind, StepText, Time, ToolCall, ToolResult, first_line_label,
};

use crate::{
    SourceBytes,
    asciicast::{CastEvent, CastEventKind, CastReader, read_header},
    jsonl::lines_of_file,
};

/// The most steps of one recording; the rest is in the last.
const MOST_STEPS: usize = 10_000;

/// The most bytes of output of one step; the beginning of a longer one is left out.
const MOST_OUTPUT: usize = 4 << 20;

/// A pause that divides a recording without input (seconds).
const LONG_PAUSE: f64 = 2.0;

/// Returns the steps of a recording, in order; none where the file is none.
pub(super) fn cast_steps(source: &SourceBytes<'_>, id: SourceId) -> Vec<Step> {
    let mut lines = lines_of_file(id, source.bytes);
    let Some(Ok(header)) = lines.next().map(|(_, line)| read_header(line)) else { return vec![] };
    let time_at = |seconds: f64| Some(Time(header.began?.0 + (seconds * 1000.0) as i64));
    let has_input = memchr::memmem::find(source.bytes, b"\"i\",").is_some();
    let mut steps: Vec<Step> = vec![];
    let (mut reader, mut was_entered) = (CastReader::at_time(&header, 0.0), false);
    for (place, line) in lines {
        let before = reader.seconds;
        let Some(event) = text_event(&mut reader, line) else { continue };
        let (is_input, now) = (event.kind == CastEventKind::Input, event.seconds);
        let is_next = if has_input { is_input && was_entered } else { now - before >= LONG_PAUSE };
        if steps.is_empty() || is_next && steps.len() < MOST_STEPS {
            was_entered = false;
            let started_at = time_at(now);
            steps.push(Step { kind: StepKind::Tool, place, started_at, ..Step::default() });
        }
        was_entered |= is_input && event.text.contains(['\r', '\n']);
        let step = steps.last_mut().expect("one was added");
        step.place.len = (place.start + place.len).saturating_sub(step.place.start);
        step.ended_at = time_at(now);
    }
    for step in &mut steps {
        let (input, output) = texts_of(step.place.bytes_in(source.bytes));
        let first_output =
            || output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let label = if input.trim().is_empty() { first_output() } else { &input };
        step.label = first_line_label(label);
        let place = RecordPlace { part: 1, ..step.place };
        let result = ToolResult { place, bytes: output.len() as u64, ..ToolResult::default() };
        step.tool = Some(Box::new(ToolCall {
            name: "terminal".into(),
            result: Some(result),
            ..ToolCall::default()
        }));
    }
    steps
}

/// Reads a line, and returns its output or input; None for another event, and for a line that is none.
fn text_event(reader: &mut CastReader, line: &[u8]) -> Option<CastEvent> {
    let event = reader.read_line(line).ok().flatten()?;
    matches!(event.kind, CastEventKind::Input | CastEventKind::Output).then_some(event)
}

/// Returns the text of a step of a recording.
pub(super) fn cast_text(record: &[u8]) -> StepText {
    let (input, _) = texts_of(record);
    StepText { arguments: Some(input), ..StepText::default() }
}

/// Returns the output of a step of a recording.
pub(super) fn cast_output(record: &[u8]) -> String {
    texts_of(record).1
}

/// Returns what was typed and what was printed, as text.
fn texts_of(record: &[u8]) -> (String, String) {
    let (mut input, mut output) = (String::new(), String::new());
    let mut reader = CastReader::default();
    for (_, line) in lines_of_file(SourceId(0), record) {
        let Some(event) = text_event(&mut reader, line) else { continue };
        let text = if event.kind == CastEventKind::Input { &mut input } else { &mut output };
        text.push_str(&event.text);
    }
    let mut start = output.len().saturating_sub(MOST_OUTPUT);
    while !output.is_char_boundary(start) {
        start += 1;
    }
    (printed_text(&input).trim_end().to_owned(), printed_text(&output[start..]))
}

/// Returns what stands on a terminal's lines after a text was printed: a line that was printed again counts once, colours
/// are left, other control sequences are not.
fn printed_text(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    let mut line_start = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => {
                printed.push('\n');
                line_start = printed.len();
            }
            '\r' => match letters.peek() {
                Some('\n' | '\r') => {}
                Some(_) => printed.truncate(line_start),
                None => printed.push('\n'),
            },
            '\u{8}' if printed.len() > line_start => {
                printed.pop();
            }
            '\u{1b}' => printed.push_str(&control_sequence(&mut letters)),
            '\t' => printed.push('\t'),
            _ if letter.is_control() => {}
            _ => printed.push(letter),
        }
    }
    printed
}

/// Takes the rest of a control sequence, and returns it where it sets a colour.
fn control_sequence(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    match letters.next() {
        Some('[') => {
            let mut sequence = String::from("\u{1b}[");
            for letter in letters.by_ref() {
                sequence.push(letter);
                if ('@'..='~').contains(&letter) {
                    break;
                }
            }
            let is_colour = sequence.ends_with('m') && !sequence.contains(['?', '>', '<']);
            if is_colour { sequence } else { String::new() }
        }
        // A title or a link ends with a bell or with `ESC \`.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(letter) = letters.next() {
                if letter == '\u{7}' || letter == '\u{1b}' && letters.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
            String::new()
        }
        Some('(' | ')' | '#' | '%') => {
            letters.next();
            String::new()
        }
        Some(_) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_of(text: &str) -> Vec<(String, String, Option<f64>)> {
        let source = SourceBytes { name: "agent.cast", bytes: text.as_bytes() };
        let step = |step: Step| {
            let output = cast_output(step.place.bytes_in(text.as_bytes()));
            let seconds = step.started_at.map(|it| it.0 as f64 / 1000.0);
            (step.label.to_string(), output, seconds)
        };
        cast_steps(&source, SourceId(0)).into_iter().map(step).collect()
    }

    #[test]
    fn a_command_is_a_step_with_the_output_that_follows() {
        let text = concat!(
            "{\"version\": 2, \"width\": 80, \"height\": 24, \"timestamp\": 100}\n",
            "[0.5, \"o\", \"\\u001b[?2004h$ \"]\n",
            "[1.0, \"i\", \"l\"]\n[1.1, \"i\", \"s\\r\"]\n",
            "[1.2, \"o\", \"\\u001b[32ma.py\\u001b[0m\\r\\n\"]\n",
            "no event\n",
            "[3.0, \"i\", \"make\\r\"]\n",
            "[4.0, \"o\", \"10 %\\r20 %\\rdone\\r\\n\"]\n",
        );

        let expected = [
            ("ls".into(), "$ \u{1b}[32ma.py\u{1b}[0m\n".into(), Some(100.5)),
            ("make".into(), "done\n".into(), Some(103.0)),
        ];
        assert_eq!(steps_of(text), expected);
    }

    #[test]
    fn a_recording_without_input_is_divided_at_its_pauses_by_the_times_of_its_version() {
        let text = "{\"version\": 3, \"timestamp\": 0}\n[1, \"o\", \"a\"]\n[1, \"o\", \"b\"]\n[5, \"o\", \"c\"]\n";

        let expected = [("ab".into(), "ab".into(), Some(1.0)), ("c".into(), "c".into(), Some(7.0))];
        assert_eq!(steps_of(text), expected);
        for other in ["", "{\"version\": 1}\n[1, \"o\", \"a\"]", "[1, \"o\", \"a\"]"] {
            assert_eq!(steps_of(other), []);
        }
    }
}
