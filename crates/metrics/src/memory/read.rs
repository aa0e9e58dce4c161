//! `memory.jsonl` of a bundle: an event of the memory a line.
//!
//! ```json
//! {"kind": "routing", "turn": 3, "step": null, "at": null, "query": "losses", "entities": ["Loss"], "chunks": ["c1"], "tokens": 40}
//! {"kind": "verification", "turn": 3, "card": "k1", "artifact": "a.py", "passed": true, "why": null}
//! {"kind": "expansion", "turn": 3, "chunks": ["c1"], "tokens": 200, "seconds": 0.1, "cost_usd": 0.001}
//! {"kind": "card", "turn": 3, "card": {"id": "k1", "claim_boundary": "...", "logic_sketch": "...", "assumptions": [],
//!  "anchored_spans": [{"artifact": "a.py", "span": [1, 2], "snippet": "...", "version": 2}]}}
//! ```
//!
//! Read leniently: keys that are not known are left out, a line that cannot be used is a warning with its place.

use serde_json::{Map, Value};

use super::{Card, Cost, Event, Span, StepAt, Version, What};
use trajview_formats::{jsonl, not_finite};
use trajview_run::{SourceId, Time, Warning};

/// Lines that are read: a hundred events for each of a thousand turns.
const MOST_LINES: u32 = 100_000;

/// Bytes a line may have.
const MOST_BYTES: usize = 1 << 20;

/// Warnings that are kept.
const MOST_WARNINGS: usize = 100;

/// Cited places of one card that are kept; two to five are usual.
const MOST_SPANS: usize = 32;

/// A commit has at least so many digits; a shorter number is a turn.
const SHORTEST_COMMIT: usize = 7;

/// The events of a file in the order of their turns, and what could not be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    pub events: Vec<Event>,
    pub warnings: Vec<Warning>,
}

/// Reads the events of a run of so many turns; `name` is the file's in warnings.
pub fn read(bytes: &[u8], name: &str, turns: usize) -> Recorded {
    let mut recorded = Recorded::default();
    let mut lines = jsonl::lines(SourceId(0), bytes).peekable();
    while let Some((place, line)) = lines.next() {
        if place.line > MOST_LINES || line.len() > MOST_BYTES {
            let what = "is too long; the rest of the file is left out";
            recorded.warnings.push(jsonl::warning(name, place, what));
            break;
        }
        let read = not_finite::read::<Map<String, Value>>(line)
            .map_err(|why| jsonl::broken(&why, lines.peek().is_none()))
            .and_then(|(line, no_numbers)| {
                if no_numbers > 0 {
                    let what = not_finite::warning(no_numbers);
                    recorded.warnings.push(jsonl::warning(name, place, what));
                }
                event(&line, turns)
            });
        match read {
            Ok(event) => recorded.events.push(event),
            Err(what) if recorded.warnings.len() < MOST_WARNINGS => {
                recorded.warnings.push(jsonl::warning(name, place, what));
            }
            Err(_) => {}
        }
    }
    recorded.events.sort_by_key(|event| (event.turn, event.step.map(|step| step.number)));
    recorded
}

/// The error is what is wrong with the line.
fn event(line: &Map<String, Value>, turns: usize) -> Result<Event, String> {
    let kind = line.get("kind").and_then(Value::as_str).ok_or("has no kind")?;
    let turn = whole(line.get("turn")).ok_or("names no turn")?;
    if turn == 0 || turn > turns {
        return Err(format!("names turn {turn}; the run has the turns 1 to {turns}"));
    }
    let what = match kind {
        "routing" => What::Routing {
            query: text(line, "query"),
            entities: texts(line, "entities"),
            chunks: texts(line, "chunks"),
        },
        "verification" => What::Verification {
            card: text(line, "card"),
            artifact: text(line, "artifact"),
            passed: line.get("passed").and_then(Value::as_bool),
            why: text(line, "why"),
        },
        "expansion" => What::Expansion { chunks: texts(line, "chunks") },
        "card" => What::Card(card(line.get("card"))?),
        other => {
            let expected = "expected routing, verification, expansion or card";
            return Err(format!("has kind {other:?}; {expected}"));
        }
    };
    Ok(Event {
        turn: turn - 1,
        step: text(line, "step").and_then(|step| step_at(&step)).filter(|it| it.turn + 1 == turn),
        at: text(line, "at").and_then(|at| Time::parse(&at)),
        cost: Cost {
            tokens: line.get("tokens").and_then(Value::as_u64),
            seconds: amount(line, "seconds"),
            cost_usd: amount(line, "cost_usd"),
        },
        what,
    })
}

fn card(value: Option<&Value>) -> Result<Card, String> {
    let card = value.and_then(Value::as_object).ok_or("has no card")?;
    let spans = card.get("anchored_spans").and_then(Value::as_array);
    Ok(Card {
        id: text(card, "id").ok_or("has a card without an id")?,
        claim_boundary: text(card, "claim_boundary").unwrap_or_default(),
        logic_sketch: text(card, "logic_sketch").unwrap_or_default(),
        assumptions: texts(card, "assumptions"),
        spans: spans.into_iter().flatten().filter_map(span).take(MOST_SPANS).collect(),
    })
}

/// None for what names no file.
fn span(value: &Value) -> Option<Span> {
    let span = value.as_object()?;
    let lines = span.get("span").and_then(Value::as_array);
    let lines = lines.and_then(|lines| Some((whole(lines.first())?, whole(lines.get(1))?)));
    Some(Span {
        artifact: text(span, "artifact")?,
        lines: lines.filter(|(first, last)| (1..=*last).contains(first)),
        snippet: text(span, "snippet").unwrap_or_default(),
        version: span.get("version").and_then(version),
    })
}

fn version(value: &Value) -> Option<Version> {
    if let Some(done) = whole(Some(value)) {
        return Some(Version::Turn(done));
    }
    let words = value.as_str().filter(|words| !words.is_empty())?;
    let turn = words.parse().ok().filter(|_| words.len() < SHORTEST_COMMIT);
    Some(turn.map_or_else(|| Version::Commit(words.to_owned()), Version::Turn))
}

/// `12.3`.
fn step_at(words: &str) -> Option<StepAt> {
    let (turn, number) = words.split_once('.')?;
    let (turn, number): (usize, usize) = (turn.parse().ok()?, number.parse().ok()?);
    Some(StepAt { turn: turn.checked_sub(1)?, number }).filter(|_| number > 0)
}

fn whole(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}

fn amount(line: &Map<String, Value>, key: &str) -> Option<f64> {
    line.get(key)?.as_f64().filter(|amount| *amount >= 0.0)
}

/// None where it is not there or empty.
fn text(line: &Map<String, Value>, key: &str) -> Option<String> {
    let text = line.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn texts(line: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = line.get(key).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
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

        let recorded = read(text.as_bytes(), "memory.jsonl", 2);

        assert_eq!(recorded.warnings, vec![]);
        let [routing, card] = recorded.events.as_slice() else { panic!("{recorded:?}") };
        let chunks = vec!["c1".to_owned()];
        let what = What::Routing { query: Some("q".into()), entities: vec!["E".into()], chunks };
        assert_eq!(routing.what, what);
        let cost = Cost { tokens: Some(40), seconds: None, cost_usd: None };
        assert_eq!((routing.turn, routing.cost), (0, cost));
        assert_eq!(card.step, Some(StepAt { turn: 1, number: 3 }));
        let spans = &card.card().unwrap().spans;
        let span = Span {
            artifact: "a.py".into(),
            lines: Some((1, 2)),
            snippet: "x".into(),
            version: Some(Version::Turn(1)),
        };
        assert_eq!(spans[0], span);
        let commit = Some(Version::Commit("0123456789".into()));
        assert_eq!((spans[1].lines, &spans[1].version), (None, &commit));
    }

    #[test]
    fn a_line_that_cannot_be_used_is_a_warning_with_its_place() {
        let text = "{\"kind\":\"dream\",\"turn\":1}\n\nnot json\n{\"kind\":\"expansion\",\"turn\":9}\n{\"kind\":\"card\",\"turn\":1}\n";

        let recorded = read(text.as_bytes(), "memory.jsonl", 2);

        let said: Vec<&str> = recorded.warnings.iter().map(|it| it.place.as_str()).collect();
        assert_eq!(said, ["memory.jsonl:1", "memory.jsonl:3", "memory.jsonl:4", "memory.jsonl:5"]);
        assert_eq!(recorded.warnings[2].what, "names turn 9; the run has the turns 1 to 2");
        assert_eq!(recorded.events, vec![]);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_the_reader_returns(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            read(&bytes, "memory.jsonl", 3);
        }

        #[test]
        fn whatever_stands_in_a_card_the_reader_returns(
            span in "[\\[\\]0-9,\"a-z{}:. -]{0,40}",
            turn in any::<i64>(),
        ) {
            let line = format!(
                "{{\"kind\":\"card\",\"turn\":{turn},\"card\":{{\"id\":\"k\",\"anchored_spans\":[{{\"artifact\":\"a\",\"span\":{span}}}]}}}}"
            );
            read(line.as_bytes(), "memory.jsonl", 3);
        }
    }
}
