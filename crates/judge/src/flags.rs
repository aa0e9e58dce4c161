//! Flags out of a judge's words: criterion, lines, confidence, explanation. Lenient in form, strict in what it means.
//!
//! An answer without a list of flags is malformed. An entry of the list that is no flag, or that names no lines of the
//! snapshot, is left out with why: the others count.

use serde_json::{Value, json, value::RawValue};

use trajview_run::{flags::Flag, rubric::Evidence};

use super::{
    answer::{self, cut_text},
    answer_schema::{list_schema, object_schema, place_fields, to_raw_schema},
    criteria::{CriteriaGroup, FlagCriterion},
    snapshot::CodeSnapshot,
};

/// A judge's answer for one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlagsAnswer {
    /// The entries of its list.
    entries: Vec<Value>,
    /// Number of further entries, which are not read.
    too_many: usize,
}

/// Flags that can be used, and what else was named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckedFlags {
    /// Each has a criterion of the group, lines of the snapshot, and a confidence from 1 to 5.
    pub flags: Vec<Flag>,
    /// Other entries as written, each with the reason why it does not count.
    pub left_out: Vec<(String, String)>,
}

/// Bounds on what is kept: entries of one group, characters.
const MOST_FLAGS: usize = 200;
const MOST_EXPLANATION: usize = 2_000;
const MOST_WRITTEN: usize = 500;

/// Highest confidence; the lowest is 1.
const SURE: u64 = 5;

/// Returns the schema of an answer.
pub(crate) fn flags_schema() -> Box<RawValue> {
    let criterion = json!({"type": "string", "description": "its id"});
    let explanation = json!({"type": "string", "description": "one to three sentences"});
    let confidence = json!({"type": "integer", "minimum": 1, "maximum": SURE});
    let mut fields = vec![("criterion", to_raw_schema(&criterion))];
    fields.extend(place_fields());
    fields.push(("explanation", to_raw_schema(&explanation)));
    fields.push(("confidence", to_raw_schema(&confidence)));
    let about = "one entry a place; empty where there is nothing to flag";
    object_schema(vec![("flags", list_schema(about, object_schema(fields)))])
}

/// Returns whether an object is an answer, or means to be one.
pub fn is_answer(object: &Value) -> bool {
    object.get("flags").is_some()
}

/// Reads an answer out of a text: the last object in it that has flags. The error says what was wrong.
pub(crate) fn parse_flags(text: &str) -> Result<FlagsAnswer, String> {
    let lacks = "the answer has no \"flags\"".to_owned();
    parse_flags_object(&answer::last_object_with(text, &is_answer, lacks)?)
}

/// Reads flags from an object, as [`parse_flags`].
pub(crate) fn parse_flags_object(object: &Value) -> Result<FlagsAnswer, String> {
    match object.get("flags") {
        Some(Value::Array(entries)) => Ok(FlagsAnswer {
            entries: entries.iter().take(MOST_FLAGS).cloned().collect(),
            too_many: entries.len().saturating_sub(MOST_FLAGS),
        }),
        Some(_) => Err("\"flags\" is not a list".into()),
        None => Err("the answer has no \"flags\"".into()),
    }
}

/// Returns the flags among the entries of an answer.
pub(crate) fn check_flags(
    answer: &FlagsAnswer,
    group: &CriteriaGroup,
    snapshot: &CodeSnapshot,
) -> CheckedFlags {
    let mut flagged = CheckedFlags::default();
    for entry in &answer.entries {
        let checked = parse_flag(entry, group, snapshot).and_then(|flag| {
            match flagged.flags.iter().any(|other| is_same_place(other, &flag)) {
                true => Err("duplicate flag of this criterion at these lines".into()),
                false => Ok(flag),
            }
        });
        match checked {
            Ok(flag) => flagged.flags.push(flag),
            Err(why) => flagged.left_out.push((cut_text(&entry.to_string(), MOST_WRITTEN), why)),
        }
    }
    if answer.too_many > 0 {
        let what = format!("{} more entries", answer.too_many);
        flagged.left_out.push((what, format!("more than {MOST_FLAGS} are not read")));
    }
    flagged
}

/// Returns whether two flags are about the same: one criterion, and lines in common.
pub(crate) fn is_same_place(one: &Flag, other: &Flag) -> bool {
    let is_apart = one.end < other.start || other.end < one.start;
    one.criterion == other.criterion && one.path == other.path && !is_apart
}

fn parse_flag(
    entry: &Value,
    group: &CriteriaGroup,
    snapshot: &CodeSnapshot,
) -> Result<Flag, String> {
    let criterion = parse_criterion(entry, group)?;
    let place = answer::parse_evidence(entry).ok_or("names no file")?;
    let confidence = parse_confidence(entry)?;
    let (path, (start, end)) = check_lines(&place, snapshot)?;
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
        explanation: explanation.map(|text| cut_text(text, MOST_EXPLANATION).into()),
        ..Flag::default()
    })
}

fn parse_criterion<'g>(
    entry: &Value,
    group: &'g CriteriaGroup,
) -> Result<&'g FlagCriterion, String> {
    let named = ["criterion", "criteria"].iter().find_map(|name| entry.get(name)?.as_str());
    let named = named.ok_or("names no criterion")?;
    let unknown = || format!("{} is not a criterion of this group", cut_text(named, 60));
    group.find_criterion(named).ok_or_else(unknown)
}

/// Reads a whole number from 1 to [`SURE`], also in quotes.
fn parse_confidence(entry: &Value) -> Result<u64, String> {
    let confidence = entry.get("confidence").unwrap_or(&Value::Null);
    let float =
        confidence.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0).map(|it| it as u64);
    let number = float.or_else(|| confidence.as_str()?.trim().parse().ok());
    let wrong = || {
        format!(
            "the confidence {} is not one of 1 to {SURE}",
            cut_text(&confidence.to_string(), 60)
        )
    };
    number.filter(|number| (1..=SURE).contains(number)).ok_or_else(wrong)
}

/// Returns lines that the file has, all of them.
fn check_lines(
    place: &Evidence,
    snapshot: &CodeSnapshot,
) -> Result<(String, (usize, usize)), String> {
    let (_, last_line) = place.lines.ok_or("names no lines")?;
    let checked = answer::check_place(place, snapshot)?;
    match checked.lines {
        Some((_, last)) if last < last_line => Err(format!("the file has {last} lines only")),
        Some(lines) => Ok((checked.path, lines)),
        None => Err("names no lines".into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{criteria::Criteria, snapshot::tests::snapshot_of};

    fn sample_group() -> CriteriaGroup {
        Criteria::built_in().groups.remove(4)
    }

    fn sample_snapshot() -> CodeSnapshot {
        snapshot_of(&[("src/a.py", "1\n2\n3\n4\n"), ("b.py", "1\n")])
    }

    fn check_entries(entries: &Value) -> CheckedFlags {
        let answer = parse_flags_object(&json!({"flags": entries})).unwrap();
        check_flags(&answer, &sample_group(), &sample_snapshot())
    }

    fn flag_text(flag: &Flag) -> String {
        let (start, end) = (flag.start.unwrap(), flag.end.unwrap());
        format!("{} {}:{start}-{end} {}", flag.criterion, flag.path, flag.confidence.unwrap())
    }

    #[test]
    fn flags_are_read_in_whatever_way_they_are_written() {
        let flagged = check_entries(&json!([
            {"criterion": "copied-logic", "path": "./src/a.py", "start": 2, "end": 3, "confidence": 4, "explanation": " twice "},
            {"criterion": "Old and new side by side", "file": "src/a.py", "line": "4", "confidence": "5"},
            {"criteria": "scattered-constant", "path": "b.py", "start": 1, "end": 1, "confidence": 2.0},
        ]));

        let read: Vec<String> = flagged.flags.iter().map(flag_text).collect();
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
        let flagged = check_entries(&json!([
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
            flagged.flags.iter().map(flag_text).collect::<Vec<_>>(),
            ["copied-logic src/a.py:1-2 3"]
        );
        let why: Vec<&str> = flagged.left_out.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(
            why,
            [
                "duplicate flag of this criterion at these lines",
                "dead-code is not a criterion of this group",
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
        let wrong = |text: &str| parse_flags(text).unwrap_err();

        assert_eq!(wrong(" "), "the answer is empty");
        assert_eq!(wrong("Nothing."), "the answer has no JSON object");
        assert_eq!(wrong("{\"level\": 3}"), "the answer has no \"flags\"");
        assert_eq!(wrong("{\"flags\": \"none\"}"), "\"flags\" is not a list");
        assert_eq!(parse_flags("Well: {\"flags\": []}. Done.").unwrap(), FlagsAnswer::default());
        let many = json!({"flags": vec![0; MOST_FLAGS + 2]});
        let flagged =
            check_flags(&parse_flags_object(&many).unwrap(), &sample_group(), &sample_snapshot());
        assert_eq!(flagged.left_out.len(), MOST_FLAGS + 1);
        assert_eq!(flagged.left_out[MOST_FLAGS].0, "2 more entries");
    }

    proptest! {
        #[test]
        fn whatever_the_words_every_flag_names_lines_that_are_there(
            text in "(\\{|\\}|\"|flags|criterion|copied-logic|path|b.py|start|end|:|[0-9]|,|\\[|\\]|.){0,80}",
            start in any::<i64>(), end in any::<i64>(), confidence in -2i64..9,
        ) {
            let (group, snapshot) = (sample_group(), sample_snapshot());
            let numbers = json!({"flags": [{"criterion": "copied-logic", "path": "src/a.py", "start": start, "end": end,
                "confidence": confidence, "explanation": text}]});
            for answer in [parse_flags(&text), parse_flags(&numbers.to_string()), parse_flags(&format!("{text}{numbers}"))] {
                for flag in answer.map(|answer| check_flags(&answer, &group, &snapshot).flags).unwrap_or_default() {
                    let (start, end) = (flag.start.unwrap(), flag.end.unwrap());
                    prop_assert!(1 <= start && start <= end && end <= 4);
                    prop_assert!((1.0..=5.0).contains(&flag.confidence.unwrap()));
                }
            }
        }

        #[test]
        fn a_flag_inside_the_file_is_kept(start in 1usize..=4, more in 0usize..4, confidence in 1u64..=5) {
            let end = start + more;
            let flagged = check_entries(&json!([{"criterion": "copied-logic", "path": "src/a.py", "start": start, "end": end,
                "confidence": confidence}]));
            prop_assert_eq!(flagged.flags.len(), usize::from(end <= 4));
            prop_assert_eq!(flagged.left_out.len(), usize::from(end > 4));
        }
    }
}
