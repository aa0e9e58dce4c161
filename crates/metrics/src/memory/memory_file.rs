//! Reads `memory.jsonl` of a bundle: one event of the memory per line.
//!
//! ```json
//! {"kind": "routing", "turn": 3, "step": null, "at": null, "query": "losses", "entities": ["Loss"], "chunks": ["c1"], "tokens": 40}
//! {"kind": "verification", "turn": 3, "card": "k1", "artifact": "a.py", "passed": true, "why": null}
//! {"kind": "expansion", "turn": 3, "chunks": ["c1"], "tokens": 200, "seconds": 0.1, "cost_usd": 0.001}
//! {"kind": "card", "turn": 3, "card": {"id": "k1", "claim_boundary": "...", "logic_sketch": "...", "assumptions": [],
//!  "anchored_spans": [{"artifact": "a.py", "span": [1, 2], "snippet": "...", "version": 2}]}}
//! ```
//!
//! The reader is lenient: unknown keys are ignored, and a line that cannot be used becomes a warning with its place.

use serde_json::{Map, Value};

use super::{
    CitedSpan, CitedVersion, EvidenceCard, MemoryCost, MemoryEvent, MemoryEventKind, StepNumber,
};
use trajview_formats::JsonFields;
use trajview_formats::{jsonl, not_finite};
use trajview_run::{SourceId, Time, Warning};

/// The most lines that are read: a hundred events for each of a thousand turns.
const MAX_LINES: u32 = 100_000;

/// The most bytes of a line.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The most warnings that are kept.
const MAX_WARNINGS: usize = 100;

/// The most cited places of one card that are kept; two to five are usual.
const MAX_SPANS: usize = 32;

/// The fewest digits of a commit; a shorter number is a turn.
const MIN_COMMIT_DIGITS: usize = 7;

/// The events of a file in the order of their turns, and warnings about the lines that could not be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryFile {
    pub events: Vec<MemoryEvent>,
    pub warnings: Vec<Warning>,
}

/// Reads the events of a run with `turns` turns; `name` is the file's name in warnings.
pub fn read_memory_events(bytes: &[u8], name: &str, turns: usize) -> MemoryFile {
    let mut recorded = MemoryFile::default();
    let mut lines = jsonl::lines_of_file(SourceId(0), bytes).peekable();
    while let Some((place, line)) = lines.next() {
        if place.line > MAX_LINES || line.len() > MAX_LINE_BYTES {
            let what = "is too long; the rest of the file is left out";
            recorded.warnings.push(jsonl::warning_at(name, place, what));
            break;
        }
        let read = not_finite::read_json::<Map<String, Value>>(line)
            .map_err(|why| jsonl::json_error_text(&why, lines.peek().is_none()))
            .and_then(|(line, no_numbers)| {
                if no_numbers > 0 {
                    let what = not_finite::warning_text(no_numbers);
                    recorded.warnings.push(jsonl::warning_at(name, place, what));
                }
                parse_event(&line, turns)
            });
        match read {
            Ok(event) => recorded.events.push(event),
            Err(what) if recorded.warnings.len() < MAX_WARNINGS => {
                recorded.warnings.push(jsonl::warning_at(name, place, what));
            }
            Err(_) => {}
        }
    }
    recorded.events.sort_by_key(|event| (event.turn, event.step.map(|step| step.number)));
    recorded
}

/// Parses an event. The error says what is wrong with the line.
fn parse_event(line: &Map<String, Value>, turns: usize) -> Result<MemoryEvent, String> {
    let kind = line.text("kind").ok_or("has no kind")?;
    let turn = usize_value(line.get("turn")).ok_or("names no turn")?;
    if turn == 0 || turn > turns {
        return Err(format!("names turn {turn}; the run has the turns 1 to {turns}"));
    }
    let what = match kind {
        "routing" => MemoryEventKind::Routing {
            query: text_value(line, "query"),
            entities: line.texts_of("entities"),
            chunks: line.texts_of("chunks"),
        },
        "verification" => MemoryEventKind::Verification {
            card: text_value(line, "card"),
            artifact: text_value(line, "artifact"),
            passed: line.flag("passed"),
            why: text_value(line, "why"),
        },
        "expansion" => MemoryEventKind::Expansion { chunks: line.texts_of("chunks") },
        "card" => MemoryEventKind::Card(parse_card(line.get("card"))?),
        other => {
            let expected = "expected routing, verification, expansion or card";
            return Err(format!("has kind {other:?}; {expected}"));
        }
    };
    Ok(MemoryEvent {
        turn: turn - 1,
        step: text_value(line, "step")
            .and_then(|step| parse_step_number(&step))
            .filter(|it| it.turn + 1 == turn),
        at: text_value(line, "at").and_then(|at| Time::parse(&at)),
        cost: MemoryCost {
            tokens: line.number("tokens"),
            seconds: non_negative_number(line, "seconds"),
            cost_usd: non_negative_number(line, "cost_usd"),
        },
        what,
    })
}

fn parse_card(value: Option<&Value>) -> Result<EvidenceCard, String> {
    let card = value.and_then(Value::as_object).ok_or("has no card")?;
    Ok(EvidenceCard {
        id: text_value(card, "id").ok_or("has a card without an id")?,
        claim_boundary: text_value(card, "claim_boundary").unwrap_or_default(),
        logic_sketch: text_value(card, "logic_sketch").unwrap_or_default(),
        assumptions: card.texts_of("assumptions"),
        spans: card
            .elements_of("anchored_spans")
            .iter()
            .filter_map(parse_span)
            .take(MAX_SPANS)
            .collect(),
    })
}

/// Parses a cited place; None where it names no file.
fn parse_span(value: &Value) -> Option<CitedSpan> {
    let span = value.as_object()?;
    let lines = span.list("span");
    let lines =
        lines.and_then(|lines| Some((usize_value(lines.first())?, usize_value(lines.get(1))?)));
    Some(CitedSpan {
        artifact: text_value(span, "artifact")?,
        lines: lines.filter(|(first, last)| (1..=*last).contains(first)),
        snippet: text_value(span, "snippet").unwrap_or_default(),
        version: span.get("version").and_then(parse_version),
    })
}

fn parse_version(value: &Value) -> Option<CitedVersion> {
    if let Some(done) = usize_value(Some(value)) {
        return Some(CitedVersion::Turn(done));
    }
    let words = value.as_str().filter(|words| !words.is_empty())?;
    let turn = words.parse().ok().filter(|_| words.len() < MIN_COMMIT_DIGITS);
    Some(turn.map_or_else(|| CitedVersion::Commit(words.to_owned()), CitedVersion::Turn))
}

/// Parses a step such as `12.3`, where both count from 1; in the result the turn counts from 0 and the number from 1.
fn parse_step_number(words: &str) -> Option<StepNumber> {
    let (turn, number) = words.split_once('.')?;
    let (turn, number): (usize, usize) = (turn.parse().ok()?, number.parse().ok()?);
    Some(StepNumber { turn: turn.checked_sub(1)?, number }).filter(|_| number > 0)
}

fn usize_value(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}

fn non_negative_number(line: &Map<String, Value>, key: &str) -> Option<f64> {
    line.float(key).filter(|amount| *amount >= 0.0)
}

/// Returns the text of a key; None where it is absent or empty.
fn text_value(line: &Map<String, Value>, key: &str) -> Option<String> {
    let text = line.text(key)?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_kind_of_event_is_read_and_what_is_not_known_is_left_out() {
        let text = r#"
{"kind":"card","turn":2,"step":"2.3","card":{"id":"k","claim_boundary":"c","assumptions":["a"],"anchored_spans":[
"#
        .trim_end()
        .to_owned()
            + r#"{"artifact":"a.py","span":[1,2],"snippet":"x","version":1},{"artifact":"a.py","span":[2,1],"version":"0123456789"}]}}
{"kind":"routing","turn":1,"query":"q","entities":["E"],"chunks":["c1",7],"tokens":40,"seconds":-1,"more":{}}
"#;

        let recorded = read_memory_events(text.as_bytes(), "memory.jsonl", 2);

        assert_eq!(recorded.warnings, vec![]);
        let [routing, card] = recorded.events.as_slice() else { panic!("{recorded:?}") };
        let chunks = vec!["c1".to_owned()];
        let what = MemoryEventKind::Routing {
            query: Some("q".into()),
            entities: vec!["E".into()],
            chunks,
        };
        assert_eq!(routing.what, what);
        let cost = MemoryCost { tokens: Some(40), seconds: None, cost_usd: None };
        assert_eq!((routing.turn, routing.cost), (0, cost));
        assert_eq!(card.step, Some(StepNumber { turn: 1, number: 3 }));
        let spans = &card.card().unwrap().spans;
        let span = CitedSpan {
            artifact: "a.py".into(),
            lines: Some((1, 2)),
            snippet: "x".into(),
            version: Some(CitedVersion::Turn(1)),
        };
        assert_eq!(spans[0], span);
        let commit = Some(CitedVersion::Commit("0123456789".into()));
        assert_eq!((spans[1].lines, &spans[1].version), (None, &commit));
    }

    #[test]
    fn a_line_that_cannot_be_used_is_a_warning_with_its_place() {
        let text = "{\"kind\":\"dream\",\"turn\":1}\n\nnot json\n{\"kind\":\"expansion\",\"turn\":9}\n{\"kind\":\"card\",\"turn\":1}\n";

        let recorded = read_memory_events(text.as_bytes(), "memory.jsonl", 2);

        let places: Vec<&str> = recorded.warnings.iter().map(|it| it.place.as_str()).collect();
        assert_eq!(
            places,
            ["memory.jsonl:1", "memory.jsonl:3", "memory.jsonl:4", "memory.jsonl:5"]
        );
        assert_eq!(recorded.warnings[2].what, "names turn 9; the run has the turns 1 to 2");
        assert_eq!(recorded.events, vec![]);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_the_reader_returns(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            read_memory_events(&bytes, "memory.jsonl", 3);
        }

        #[test]
        fn whatever_stands_in_a_card_the_reader_returns(
            span in "[\\[\\]0-9,\"a-z{}:. -]{0,40}",
            turn in any::<i64>(),
        ) {
            let line = format!(
                "{{\"kind\":\"card\",\"turn\":{turn},\"card\":{{\"id\":\"k\",\"anchored_spans\":[{{\"artifact\":\"a\",\"span\":{span}}}]}}}}"
            );
            read_memory_events(line.as_bytes(), "memory.jsonl", 3);
        }
    }
}
