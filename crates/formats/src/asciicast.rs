//! Recordings of terminals as asciinema writes them (asciicast 1, 2 and 3).
//!
//! Versions 2 and 3 have a header and a line for each event; version 1 is one document, which [`event_lines`] turns into
//! the lines of version 2, so that everything else reads lines.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use trajview_run::Time;

use crate::json_object::JsonFields;

/// The facts of the first line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CastHeader {
    version: u64,
    /// Columns and rows; None where they are missing or no size of a terminal.
    pub size: Option<(u16, u16)>,
    /// The time of the beginning, to the second.
    pub began: Option<Time>,
    /// The longest pause that players are to keep (seconds).
    pub idle_limit: Option<f64>,
}

/// The largest columns and rows that are read; a larger size counts as missing.
const MOST_CELLS: (u64, u64) = (1_000, 500);

/// The latest time in a recording (seconds), a year: what is later is no time.
const LAST_TIME: f64 = 366.0 * 86_400.0;

/// An event, at seconds since the beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct CastEvent {
    pub seconds: f64,
    pub kind: CastEventKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastEventKind {
    Output,
    Input,
    Resize,
    Marker,
    /// The exit of the program, or a kind that is not known.
    Other,
}

impl CastEvent {
    /// Returns the columns and rows of an event that resizes the terminal.
    pub fn new_size(&self) -> Option<(u16, u16)> {
        if self.kind != CastEventKind::Resize {
            return None; // output may be long
        }
        let (columns, rows) = self.text.split_once('x')?;
        terminal_size(columns.parse().ok()?, rows.parse().ok()?)
    }
}

/// Reads the events of one recording in order: their times never go back.
#[derive(Debug, Clone, Copy, Default)]
pub struct CastReader {
    version: u64,
    /// The time of the last event (seconds).
    pub seconds: f64,
}

impl CastReader {
    pub const fn at_time(header: &CastHeader, seconds: f64) -> Self {
        Self { version: header.version, seconds }
    }

    /// Reads one line: None for an empty line or a comment.
    ///
    /// # Errors
    /// Where the line is no event.
    pub fn read_line(&mut self, line: &[u8]) -> Result<Option<CastEvent>, NotAnEvent> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(None);
        }
        let (time, kind, data): (f64, String, Value) =
            serde_json::from_slice(line).map_err(|_| NotAnEvent)?;
        let seconds = if self.version == 3 { self.seconds + time } else { time };
        if !(0.0..=LAST_TIME).contains(&seconds) {
            return Err(NotAnEvent);
        }
        self.seconds = self.seconds.max(seconds);
        let kind = match kind.as_str() {
            "o" => CastEventKind::Output,
            "i" => CastEventKind::Input,
            "r" => CastEventKind::Resize,
            "m" => CastEventKind::Marker,
            _ => CastEventKind::Other,
        };
        let text = match data {
            Value::String(text) => text,
            // The status of an exit may be a number.
            _ if kind == CastEventKind::Other => String::new(),
            _ => return Err(NotAnEvent),
        };
        Ok(Some(CastEvent { seconds: self.seconds, kind, text }))
    }
}

/// A line that is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnEvent;

fn terminal_size(columns: u64, rows: u64) -> Option<(u16, u16)> {
    let is_size = (1..=MOST_CELLS.0).contains(&columns) && (1..=MOST_CELLS.1).contains(&rows);
    is_size.then_some((columns as u16, rows as u16))
}

/// Reads the first line of a recording.
///
/// # Errors
/// A sentence where it is no header of a version that is read.
pub fn read_header(line: &[u8]) -> Result<CastHeader, String> {
    let header: Value =
        serde_json::from_slice(line).map_err(|why| format!("not a terminal recording: {why}"))?;
    let version = header.get("version").and_then(Value::as_u64);
    let terminal = header.get("term").unwrap_or(&header);
    let (columns, rows) = match version {
        Some(2) => (header.number("width"), header.number("height")),
        Some(3) => (terminal.number("cols"), terminal.number("rows")),
        Some(other) => return Err(format!("asciicast version {other} is not known (1, 2, 3 are)")),
        None => return Err("not a terminal recording: its first line names no version".into()),
    };
    let began = header.float("timestamp").filter(|seconds| seconds.abs() < 1e12);
    Ok(CastHeader {
        version: version.unwrap_or_default(),
        size: columns.zip(rows).and_then(|(columns, rows)| terminal_size(columns, rows)),
        began: began.map(|seconds| Time((seconds * 1000.0) as i64)),
        idle_limit: header.float("idle_time_limit").filter(|limit| *limit > 0.0),
    })
}

/// The document of version 1. The events stay text, so that they are in memory once.
#[derive(Deserialize)]
struct CastDocument<'a> {
    version: u64,
    #[serde(default)]
    width: Value,
    #[serde(default)]
    height: Value,
    #[serde(borrow)]
    stdout: Vec<&'a RawValue>,
}

/// The version of a first line; its other fields are skipped.
#[derive(Deserialize)]
struct CastVersion {
    #[serde(default)]
    version: Option<u64>,
}

/// Returns a recording of version 1 as lines of version 2; None for what is none, and where the lines are longer than
/// `most` bytes. What is no event stays as a line that is none, so that it is counted.
pub fn event_lines(document: &[u8], most: u64) -> Option<Vec<u8>> {
    let first = document.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if serde_json::from_slice::<CastVersion>(first).is_ok_and(|it| it.version != Some(1)) {
        return None;
    }
    let document: CastDocument = serde_json::from_slice(document).ok()?;
    if document.version != 1 {
        return None;
    }
    let header = json!({"version": 2, "width": document.width, "height": document.height});
    let mut lines = header.to_string().into_bytes();
    let mut now = 0.0;
    for event in document.stdout {
        let event = serde_json::from_str::<(f64, &RawValue)>(event.get()).ok();
        match event.filter(|(delay, text)| *delay >= 0.0 && text.get().starts_with('"')) {
            Some((delay, text)) => {
                now += delay;
                lines.extend(format!("\n[{now:?},\"o\",").as_bytes());
                lines.extend(text.get().as_bytes());
                lines.push(b']');
            }
            None => lines.extend(b"\nnull"),
        }
        if lines.len() as u64 >= most {
            return None;
        }
    }
    lines.push(b'\n');
    Some(lines)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the header, the events as time, kind and text, and the number of damaged lines.
    fn read_all(text: &[u8]) -> Option<(CastHeader, Vec<CastEvent>, usize)> {
        let converted = event_lines(text, u64::MAX);
        let mut lines = converted.as_deref().unwrap_or(text).split(|byte| *byte == b'\n');
        let header = read_header(lines.next()?).ok()?;
        let mut reader = CastReader::at_time(&header, 0.0);
        let (mut events, mut damaged) = (vec![], 0);
        for line in lines {
            match reader.read_line(line) {
                Ok(event) => events.extend(event),
                Err(NotAnEvent) => damaged += 1,
            }
        }
        Some((header, events, damaged))
    }

    fn event(seconds: f64, kind: CastEventKind, text: &str) -> CastEvent {
        CastEvent { seconds, kind, text: text.into() }
    }

    #[test]
    fn version_1_is_a_document_with_delays() {
        let text = "{\n \"version\": 1, \"width\": 80, \"height\": 24, \"stdout\": [\n  [0.5, \"a\"], [1.5, \"b\"], 7]}";

        let (header, events, damaged) = read_all(text.as_bytes()).unwrap();

        assert_eq!((header.size, header.began, damaged), (Some((80, 24)), None, 1));
        let expected =
            [event(0.5, CastEventKind::Output, "a"), event(2.0, CastEventKind::Output, "b")];
        assert_eq!(events, expected);
        assert_eq!(event_lines(text.as_bytes(), 50), None, "more lines than may be read");
    }

    #[test]
    fn version_2_has_times_since_the_beginning() {
        let text = "{\"version\": 2, \"width\": 9, \"height\": 3, \"timestamp\": 100, \"idle_time_limit\": 2}\n\
                    [1, \"o\", \"a\"]\nbroken\n[3, \"i\", \"b\"]\n[2, \"r\", \"20x5\"]\n[4, \"o\", 5]\n[-1, \"o\", \"\"]\n";

        let (header, events, damaged) = read_all(text.as_bytes()).unwrap();

        assert_eq!((header.began, header.idle_limit, damaged), (Some(Time(100_000)), Some(2.0), 3));
        let times: Vec<f64> = events.iter().map(|event| event.seconds).collect();
        assert_eq!(times, [1.0, 3.0, 3.0], "a time never goes back");
        assert_eq!(events[2].new_size(), Some((20, 5)));
    }

    #[test]
    fn version_3_has_times_since_the_event_before_comments_markers_and_an_exit() {
        let text = "{\"version\": 3, \"term\": {\"cols\": 70, \"rows\": 20}, \"timestamp\": 7}\n# a comment\n\
                    [1.5, \"o\", \"a\"]\n[0.5, \"m\", \"half\"]\n[1, \"x\", \"0\"]\n[1, \"x\", 0]\n";

        let (header, events, damaged) = read_all(text.as_bytes()).unwrap();

        assert_eq!((header.size, damaged), (Some((70, 20)), 0));
        let expected = [
            event(1.5, CastEventKind::Output, "a"),
            event(2.0, CastEventKind::Marker, "half"),
            event(3.0, CastEventKind::Other, "0"),
            event(4.0, CastEventKind::Other, ""),
        ];
        assert_eq!(events, expected);
    }

    #[test]
    fn what_is_no_header_is_a_sentence() {
        let reason = |text: &str| read_header(text.as_bytes()).unwrap_err();

        assert!(reason("{\"version\": 4}").contains("version 4"));
        assert!(reason("{}").contains("names no version"));
        assert!(reason("[1]").contains("names no version"));
        assert!(reason("").starts_with("not a terminal recording"));
        let size = |text: &str| read_header(text.as_bytes()).unwrap().size;
        assert_eq!(size("{\"version\": 2, \"width\": 99999999, \"height\": 3}"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_a_recording_is_read(
            version in 0..5_u8,
            lines in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..30),
                    (any::<f64>(), "[oirmxz]", ".{0,9}")
                        .prop_map(|event| json!(event).to_string().into_bytes()),
                ],
                0..9,
            ),
        ) {
            let mut text = format!("{{\"version\": {version}, \"stdout\": [[1, \"a\"]]}}\n").into_bytes();
            text.extend(lines.join(&b'\n'));
            if let Some((_, events, _)) = read_all(&text) {
                prop_assert!(events.is_sorted_by(|a, b| a.seconds <= b.seconds));
                prop_assert!(events.iter().all(|event| event.seconds.is_finite()));
            }
            event_lines(&lines.concat(), 99);
        }
    }
}
