//! Flags out of a judge's words: criterion, lines, confidence, explanation. Lenient in form, strict in what it means.
//!
//! An answer without a list of flags is malformed. An entry of the list that is no flag, or that names no lines of the
//! snapshot, is left out with why: the others count.

use serde_json::{Value, json};

use trajview_run::{flags::Flag, rubric::Evidence};

use super::{
    answer::{self, cut, objects_in},
    criteria::{Criterion, Group},
    snapshot::Snapshot,
};

/// What a judge answered for one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The entries of its list.
    entries: Vec<Value>,
    /// How many more there were than are read.
    too_many: usize,
}

/// Flags that can be used, and what else was named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flagged {
    /// Each has a criterion of the group, lines of the snapshot, and a confidence from 1 to 5.
    pub flags: Vec<Flag>,
    /// As written, with why it does not count.
    pub left_out: Vec<(String, String)>,
}

/// Bounds on what is kept: entries of one group, characters.
const MOST_FLAGS: usize = 200;
const MOST_EXPLANATION: usize = 2_000;
const MOST_WRITTEN: usize = 500;

/// The confidence goes from 1 to this.
const SURE: u64 = 5;

/// The schema of an answer.
pub fn schema() -> Value {
    let line = json!({"type": "integer", "minimum": 1});
    let fields = ["criterion", "path", "start", "end", "confidence", "explanation"];
    json!({
        "type": "object",
        "properties": {
            "flags": {
                "type": "array",
                "description": "one entry a place; empty where there is nothing to flag",
                "items": {
                    "type": "object",
                    "properties": {
                        "criterion": {"type": "string", "description": "its id"},
                        "path": {"type": "string"},
                        "start": line,
                        "end": line,
                        "confidence": {"type": "integer", "minimum": 1, "maximum": SURE},
                        "explanation": {"type": "string", "description": "one to three sentences"},
                    },
                    "required": fields,
                    "additionalProperties": false,
                },
            },
        },
        "required": ["flags"],
        "additionalProperties": false,
    })
}

/// Whether an object is an answer, or means to be one.
pub fn is_answer(object: &Value) -> bool {
    object.get("flags").is_some()
}

/// Reads an answer out of a text: the last object in it that has flags. The error says what was wrong.
pub fn read(text: &str) -> Result<Answer, String> {
    if text.trim().is_empty() {
        return Err("the answer is empty".into());
    }
    let objects = objects_in(text);
    match objects.iter().rev().find(|object| is_answer(object)) {
        Some(object) => read_object(object),
        None if objects.is_empty() => Err("the answer has no JSON object".into()),
        None => Err("the answer has no \"flags\"".into()),
    }
}

/// As [`read`], of an object.
pub fn read_object(object: &Value) -> Result<Answer, String> {
    match object.get("flags") {
        Some(Value::Array(entries)) => Ok(Answer {
            entries: entries.iter().take(MOST_FLAGS).cloned().collect(),
            too_many: entries.len().saturating_sub(MOST_FLAGS),
        }),
        Some(_) => Err("\"flags\" is not a list".into()),
        None => Err("the answer has no \"flags\"".into()),
    }
}

/// The flags among the entries of an answer.
pub fn checked(answer: &Answer, group: &Group, snapshot: &Snapshot) -> Flagged {
    let mut flagged = Flagged::default();
    for entry in &answer.entries {
        let found = flag(entry, group, snapshot).and_then(|flag| {
            match flagged.flags.iter().any(|other| is_same_place(other, &flag)) {
                true => Err("another flag of this criterion stands there".into()),
                false => Ok(flag),
            }
        });
        match found {
            Ok(flag) => flagged.flags.push(flag),
            Err(why) => flagged.left_out.push((cut(&entry.to_string(), MOST_WRITTEN), why)),
        }
    }
    if answer.too_many > 0 {
        let what = format!("{} more entries", answer.too_many);
        flagged.left_out.push((what, format!("more than {MOST_FLAGS} are not read")));
    }
    flagged
}

/// Whether two flags are about the same: one criterion, and lines in common.
pub fn is_same_place(one: &Flag, other: &Flag) -> bool {
    let is_apart = one.end < other.start || other.end < one.start;
    one.criterion == other.criterion && one.path == other.path && !is_apart
}

fn flag(entry: &Value, group: &Group, snapshot: &Snapshot) -> Result<Flag, String> {
    let criterion = criterion(entry, group)?;
    let place = answer::evidence(entry).ok_or("names no file")?;
    let confidence = confidence(entry)?;
    let (path, (start, end)) = lines(&place, snapshot)?;
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::trim);
    let explanation = text("explanation").or(text("reason")).filter(|text| !text.is_empty());
    Ok(Flag {
        criterion: criterion.id.as_str().into(),
        category: Some(criterion.category.as_str().into()),
        kind: Some(criterion.kind.word().into()),
        path: path.into(),
        start: Some(start as u64),
        end: Some(end as u64),
        confidence: Some(confidence as f64),
        explanation: explanation.map(|text| cut(text, MOST_EXPLANATION).into()),
        ..Flag::default()
    })
}

fn criterion<'g>(entry: &Value, group: &'g Group) -> Result<&'g Criterion, String> {
    let named = ["criterion", "criteria"].iter().find_map(|name| entry.get(name)?.as_str());
    let named = named.ok_or("names no criterion")?;
    let unknown = || format!("{} is no criterion of this group", cut(named, 60));
    group.criterion(named).ok_or_else(unknown)
}

/// A whole number from 1 to [`SURE`], also in quotes.
fn confidence(entry: &Value) -> Result<u64, String> {
    let said = entry.get("confidence").unwrap_or(&Value::Null);
    let float = said.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0).map(|it| it as u64);
    let number = float.or_else(|| said.as_str()?.trim().parse().ok());
    let wrong =
        || format!("the confidence {} is not one of 1 to {SURE}", cut(&said.to_string(), 60));
    number.filter(|number| (1..=SURE).contains(number)).ok_or_else(wrong)
}

/// Lines that the file has, all of them.
fn lines(place: &Evidence, snapshot: &Snapshot) -> Result<(String, (usize, usize)), String> {
    let (_, wanted) = place.lines.ok_or("names no lines")?;
    let found = answer::check(place, snapshot)?;
    match found.lines {
        Some((_, last)) if last < wanted => Err(format!("the file has {last} lines only")),
        Some(lines) => Ok((found.path, lines)),
        None => Err("names no lines".into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{criteria::Criteria, snapshot::tests::snapshot_of};

    fn group() -> Group {
        Criteria::built_in().groups.remove(4)
    }

    fn snapshot() -> Snapshot {
        snapshot_of(&[("src/a.py", "1\n2\n3\n4\n"), ("b.py", "1\n")])
    }

    fn found(entries: &Value) -> Flagged {
        let answer = read_object(&json!({"flags": entries})).unwrap();
        checked(&answer, &group(), &snapshot())
    }

    fn said(flag: &Flag) -> String {
        let (start, end) = (flag.start.unwrap(), flag.end.unwrap());
        format!("{} {}:{start}-{end} {}", flag.criterion, flag.path, flag.confidence.unwrap())
    }

    #[test]
    fn flags_are_read_in_whatever_way_they_are_written() {
        let flagged = found(&json!([
            {"criterion": "copied-logic", "path": "./src/a.py", "start": 2, "end": 3, "confidence": 4, "explanation": " twice "},
            {"criterion": "Old and new side by side", "file": "src/a.py", "line": "4", "confidence": "5"},
            {"criteria": "scattered-constant", "path": "b.py", "start": 1, "end": 1, "confidence": 2.0},
        ]));

        let read: Vec<String> = flagged.flags.iter().map(said).collect();
        assert_eq!(
            read,
            [
                "copied-logic src/a.py:2-3 4",
                "rival-versions src/a.py:4-4 5",
                "scattered-constant b.py:1-1 2"
            ]
        );
        assert_eq!(flagged.flags[0].explanation.as_deref(), Some("twice"));
        assert_eq!(flagged.flags[0].kind.as_deref(), Some("erosion"));
        assert_eq!(flagged.flags[0].category.as_deref(), Some("duplication"));
        assert_eq!(flagged.left_out, []);
    }

    #[test]
    fn what_is_no_flag_is_left_out_with_why() {
        let with = |more: Value| {
            let mut entry = json!({"criterion": "copied-logic", "path": "src/a.py", "start": 1, "end": 2, "confidence": 3});
            more.as_object().unwrap().iter().for_each(|(k, v)| entry[k] = v.clone());
            entry
        };
        let flagged = found(&json!([
            with(json!({})),
            with(json!({"start": 2, "end": 4})),
            with(json!({"criterion": "dead-code"})),
            with(json!({"criterion": null})),
            with(json!({"start": 3, "end": 5})),
            with(json!({"start": 9, "end": 12})),
            with(json!({"start": null, "end": null})),
            with(json!({"path": "../a.py"})),
            with(json!({"path": "c.py"})),
            with(json!({"confidence": 6})),
            with(json!({"confidence": null})),
            7,
        ]));

        assert_eq!(
            flagged.flags.iter().map(said).collect::<Vec<_>>(),
            ["copied-logic src/a.py:1-2 3"]
        );
        let why: Vec<&str> = flagged.left_out.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(
            why,
            [
                "another flag of this criterion stands there",
                "dead-code is no criterion of this group",
                "names no criterion",
                "the file has 4 lines only",
                "the file has 4 lines only",
                "names no lines",
                "the path leaves the snapshot; name one relative to its root",
                "c.py: no such file or folder in the snapshot",
                "the confidence 6 is not one of 1 to 5",
                "the confidence null is not one of 1 to 5",
                "names no criterion",
            ]
        );
    }

    #[test]
    fn an_answer_without_a_list_is_malformed() {
        let wrong = |text: &str| read(text).unwrap_err();

        assert_eq!(wrong(" "), "the answer is empty");
        assert_eq!(wrong("Nothing."), "the answer has no JSON object");
        assert_eq!(wrong("{\"level\": 3}"), "the answer has no \"flags\"");
        assert_eq!(wrong("{\"flags\": \"none\"}"), "\"flags\" is not a list");
        assert_eq!(read("Well: {\"flags\": []}. Done.").unwrap(), Answer::default());
        let many = json!({"flags": vec![0; MOST_FLAGS + 2]});
        let flagged = checked(&read_object(&many).unwrap(), &group(), &snapshot());
        assert_eq!(flagged.left_out.len(), MOST_FLAGS + 1);
        assert_eq!(flagged.left_out[MOST_FLAGS].0, "2 more entries");
    }

    proptest! {
        #[test]
        fn whatever_the_words_every_flag_names_lines_that_are_there(
            text in "(\\{|\\}|\"|flags|criterion|copied-logic|path|b.py|start|end|:|[0-9]|,|\\[|\\]|.){0,80}",
            start in any::<i64>(), end in any::<i64>(), confidence in -2i64..9,
        ) {
            let (group, snapshot) = (group(), snapshot());
            let numbers = json!({"flags": [{"criterion": "copied-logic", "path": "src/a.py", "start": start, "end": end,
                "confidence": confidence, "explanation": text}]});
            for answer in [read(&text), read(&numbers.to_string()), read(&format!("{text}{numbers}"))] {
                for flag in answer.map(|answer| checked(&answer, &group, &snapshot).flags).unwrap_or_default() {
                    let (start, end) = (flag.start.unwrap(), flag.end.unwrap());
                    prop_assert!(1 <= start && start <= end && end <= 4);
                    prop_assert!((1.0..=5.0).contains(&flag.confidence.unwrap()));
                }
            }
        }

        #[test]
        fn a_flag_inside_the_file_is_kept(start in 1usize..=4, more in 0usize..4, confidence in 1u64..=5) {
            let end = start + more;
            let flagged = found(&json!([{"criterion": "copied-logic", "path": "src/a.py", "start": start, "end": end,
                "confidence": confidence}]));
            prop_assert_eq!(flagged.flags.len(), usize::from(end <= 4));
            prop_assert_eq!(flagged.left_out.len(), usize::from(end > 4));
        }
    }
}
