//! A verdict out of a judge's words: level, rationale, lines. Lenient in form, strict in what it means.

use serde_json::{Value, json, value::RawValue};

use trajview_run::rubric::{
    CANNOT_TELL, CriterionScore, Evidence, EvidenceQuote, QuoteCheck, QuotedEvidence, RubricLevels,
};

use super::{
    answer_schema::{CONFIDENCE, reasoned_schema, to_raw_schema},
    quotes::check_quote,
    snapshot::CodeSnapshot,
    tools::path::{self, SnapshotPlace},
};

/// A judge's answer about one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerdictAnswer {
    /// One of the levels; None where the judge says that it [cannot tell](CANNOT_TELL) and the rubric lets it, and where
    /// it scores by a codebook.
    pub level: Option<u8>,
    /// The scores by a codebook, in its order.
    pub scores: Vec<CriterionScore>,
    /// The rationale; never blank.
    pub rationale: String,
    /// The evidence as the judge wrote it; not checked yet.
    pub evidence: Vec<QuotedPlace>,
    /// Entries that name no place at all, as they were written.
    pub unreadable: Vec<String>,
    /// The confidence, 0 to 1; None where the judge states none, or no such number.
    pub confidence: Option<f64>,
}

/// A place that a judge named, with what it copied from there. Neither is checked yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuotedPlace {
    pub place: Evidence,
    /// None where it copied nothing.
    pub quote: Option<String>,
}

/// Evidence after it was compared with the snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckedEvidence {
    /// Places that the snapshot has.
    pub valid: Vec<Evidence>,
    /// The others, each as text and with the reason why it does not count.
    pub left_out: Vec<(String, String)>,
}

/// Bounds on what is kept: characters, entries.
const MOST_RATIONALE: usize = 6_000;
const MOST_EVIDENCE: usize = 60;
const MOST_PATH: usize = 500;
const MOST_QUOTE: usize = 2_000;

/// Places in a text where an object is looked for.
const MOST_TRIES: usize = 200;

/// Returns the key of the level in an answer.
pub(crate) const fn level_key(levels: &RubricLevels) -> &'static str {
    if levels.in_words { "verdict" } else { "level" }
}

/// Returns the schema of a verdict.
pub(crate) fn verdict_schema(levels: &RubricLevels, asks_confidence: bool) -> Box<RawValue> {
    let level = match levels.in_words {
        true => json!({"type": "string", "enum": level_words(levels)}),
        false => {
            json!({"type": "integer", "minimum": 0, "maximum": levels.highest_score(), "description": numbered_levels(levels)})
        }
    };
    reasoned_schema(level_key(levels), to_raw_schema(&level), asks_confidence)
}

/// Returns `0 Absent, 1 Wrong, ...`.
fn numbered_levels(levels: &RubricLevels) -> String {
    let named = levels.names.iter().enumerate().map(|(level, name)| format!("{level} {name}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Returns the possible answers of a judge that answers in words: `kept`, `broken`, `cannot tell`.
pub(crate) fn level_words(levels: &RubricLevels) -> Vec<&'static str> {
    levels.names.iter().rev().copied().chain([CANNOT_TELL]).collect()
}

/// Reads a verdict out of a text: the last object in it that has a level. The error says what was wrong.
pub fn parse_verdict(text: &str, levels: &RubricLevels) -> Result<VerdictAnswer, String> {
    parse_verdict_object(
        &last_object_with(text, &|it| level_field(it, levels).is_some(), missing_level(levels))?,
        levels,
    )
}

/// Returns the last object in a text that is an answer; where there are others only, the error is `lacks`.
pub(super) fn last_object_with(
    text: &str,
    is_answer: &dyn Fn(&Value) -> bool,
    lacks: String,
) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("the answer is empty".into());
    }
    let objects = objects_in(text);
    let is_empty = objects.is_empty();
    objects.into_iter().rfind(is_answer).ok_or_else(|| match is_empty {
        true => "the answer has no JSON object".into(),
        false => lacks,
    })
}

fn missing_level(levels: &RubricLevels) -> String {
    format!("the answer has no \"{}\"", level_key(levels))
}

/// Reads a verdict from an object, as [`parse_verdict`].
pub(crate) fn parse_verdict_object(
    object: &Value,
    levels: &RubricLevels,
) -> Result<VerdictAnswer, String> {
    let level = level_field(object, levels).ok_or_else(|| missing_level(levels))?;
    let level = parse_level(level, levels)?;
    Ok(VerdictAnswer { level, ..parse_reasons(object)? })
}

/// Reads rationale and evidence of an answer, without what it gives.
pub(super) fn parse_reasons(object: &Value) -> Result<VerdictAnswer, String> {
    let rationale = object.get("rationale").and_then(Value::as_str).map_or("", str::trim);
    if rationale.is_empty() {
        return Err("the answer has no \"rationale\"".into());
    }
    let mut answer = VerdictAnswer {
        rationale: cut_text(rationale, MOST_RATIONALE),
        confidence: object.get(CONFIDENCE).and_then(parse_confidence),
        ..VerdictAnswer::default()
    };
    let entries = match object.get("evidence") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err("\"evidence\" is not a list".into()),
    };
    for (number, entry) in entries.iter().enumerate() {
        match parse_evidence(entry).filter(|_| number < MOST_EVIDENCE) {
            Some(place) => {
                let quote = entry.get("quote").and_then(Value::as_str);
                let quote = quote.filter(|it| !it.trim().is_empty()).map(str::to_owned);
                answer.evidence.push(QuotedPlace { place, quote });
            }
            None if number < MOST_EVIDENCE => {
                answer.unreadable.push(cut_text(&entry.to_string(), MOST_PATH));
            }
            None => {
                let rest = entries.len() - MOST_EVIDENCE;
                answer.unreadable.push(format!("{rest} more entries"));
                break;
            }
        }
    }
    Ok(answer)
}

/// Reads a number from 0 to 1, also in quotes.
fn parse_confidence(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (0.0..=1.0).contains(&number).then_some(number)
}

fn level_field<'a>(object: &'a Value, levels: &RubricLevels) -> Option<&'a Value> {
    [level_key(levels), "level", "score"].iter().find_map(|key| object.get(key))
}

/// Reads the name of a level, or a whole number, also in quotes, where the rubric has numbers.
fn parse_level(level: &Value, levels: &RubricLevels) -> Result<Option<u8>, String> {
    let float = level.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
    let text = level.as_str().map(str::trim);
    let is = |name: &str| text.is_some_and(|text| text.eq_ignore_ascii_case(name));
    if levels.in_words && is(CANNOT_TELL) {
        return Ok(None);
    }
    let named = levels.names.iter().position(|name| is(name)).map(|level| level as u64);
    let whole = || float.map(|number| number as u64).or_else(|| text?.parse().ok());
    let found = named.or_else(|| whole().filter(|_| !levels.in_words));
    match found
        .and_then(|level| u8::try_from(level).ok())
        .filter(|level| *level <= levels.highest_score())
    {
        Some(level) => Ok(Some(level)),
        None => Err(format!(
            "the {} {} is not one of {}",
            level_key(levels),
            cut_text(&level.to_string(), 60),
            match levels.in_words {
                true => level_words(levels).join(", "),
                false => format!("0 to {}", levels.highest_score()),
            }
        )),
    }
}

/// Parses `{"path", "start", "end"}`, `{"path", "line"}` or `"path:3-9"`; None where no file is named.
pub(super) fn parse_evidence(entry: &Value) -> Option<Evidence> {
    let line = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
        usize::try_from(number).ok().filter(|line| *line > 0)
    };
    let field = |names: [&str; 2]| names.iter().find_map(|name| entry.get(name)).and_then(line);
    if let Some(text) = entry.as_str() {
        return Some(parse_evidence_text(text.trim())).filter(|evidence| !evidence.path.is_empty());
    }
    let path = ["path", "file"].iter().find_map(|name| entry.get(name)?.as_str())?.trim();
    let start = field(["start", "line"]);
    let end = field(["end", "line"]).or(start);
    let lines = start.or(end).zip(end).map(|(start, end)| (start.min(end), start.max(end)));
    (!path.is_empty()).then(|| Evidence { path: cut_text(path, MOST_PATH), lines, quote: None })
}

fn parse_evidence_text(text: &str) -> Evidence {
    let lines = || {
        let (path, lines) = text.rsplit_once(':')?;
        let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
        let line = |text: &str| text.trim().parse().ok().filter(|line: &usize| *line > 0);
        let (start, end) = (line(start)?, line(end)?);
        Some((path, (start.min(end), start.max(end))))
    };
    match lines() {
        Some((path, lines)) => {
            Evidence { path: cut_text(path.trim(), MOST_PATH), lines: Some(lines), quote: None }
        }
        None => Evidence { path: cut_text(text, MOST_PATH), lines: None, quote: None },
    }
}

/// Returns the JSON objects in a text, one after the other, whatever text is around them.
pub(crate) fn objects_in(text: &str) -> Vec<Value> {
    objects_with_text(text).into_iter().map(|(object, _)| object).collect()
}

/// Returns the JSON objects in a text, as [`objects_in`], each with its own text.
pub(crate) fn objects_with_text(text: &str) -> Vec<(Value, &str)> {
    let (mut objects, mut at, mut tries) = (vec![], 0, 0);
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        tries += 1;
        if tries > MOST_TRIES {
            break;
        }
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                at = start + values.byte_offset().max(1);
                objects.push((value, &text[start..at]));
            }
            _ => at = start + 1,
        }
    }
    objects
}

/// Compares evidence with the snapshot: a place that it does not have is left out, unless the file has the quote elsewhere.
///
/// A last line beyond the end of the file is taken for its end.
pub(crate) fn check_evidence(evidence: &[QuotedPlace], snapshot: &CodeSnapshot) -> CheckedEvidence {
    let mut checked = CheckedEvidence::default();
    for QuotedPlace { place, quote } in evidence {
        let quote = quote.as_deref();
        match check_place(place, snapshot) {
            Ok(valid) => checked.valid.push(with_checked_quote(valid, quote, snapshot)),
            Err(why) => {
                // The lines may be wrong, and the file and the quote right.
                let whole_file = Evidence { lines: None, ..place.clone() };
                let moved = check_place(&whole_file, snapshot).ok().and_then(|file| {
                    let text = text_of(&file, snapshot)?;
                    match check_quote(quote?, &text, Some((usize::MAX, usize::MAX)))? {
                        check @ QuoteCheck::Moved(..) => {
                            let quote = Some(stored_quote(quote?, check));
                            Some(Evidence { lines: place.lines, quote, ..file })
                        }
                        QuoteCheck::Found | QuoteCheck::Missing => None,
                    }
                });
                match moved {
                    Some(moved) => checked.valid.push(moved),
                    None => checked.left_out.push((evidence_text(place), why)),
                }
            }
        }
    }
    checked
}

/// Adds the quote of a place, compared with the file.
fn with_checked_quote(place: Evidence, quote: Option<&str>, snapshot: &CodeSnapshot) -> Evidence {
    let checked = || {
        let quote = quote?;
        let check = check_quote(quote, &text_of(&place, snapshot)?, place.lines)?;
        Some(stored_quote(quote, check))
    };
    Evidence { quote: checked(), ..place }
}

fn stored_quote(quote: &str, check: QuoteCheck) -> EvidenceQuote {
    EvidenceQuote { text: cut_text(quote, MOST_QUOTE), check }
}

fn text_of(place: &Evidence, snapshot: &CodeSnapshot) -> Option<String> {
    match path::resolve_path(Some(&place.path), snapshot).ok()? {
        SnapshotPlace::File(path) => snapshot.text_of(&path).ok(),
        SnapshotPlace::Folder(_) | SnapshotPlace::Root => None,
    }
}

/// Returns `src/a.py:3-9`; the path alone where no lines are named.
pub(crate) fn evidence_text(evidence: &Evidence) -> String {
    match evidence.lines {
        Some((start, end)) => format!("{}:{start}-{end}", evidence.path),
        None => evidence.path.clone(),
    }
}

impl CheckedEvidence {
    /// Counts the places whose quote the code has, among all that the judge named.
    pub(crate) fn quoted_evidence(&self) -> QuotedEvidence {
        let has_code = |it: &&Evidence| {
            it.quote.as_ref().is_some_and(|quote| quote.check != QuoteCheck::Missing)
        };
        QuotedEvidence {
            found: self.valid.iter().filter(has_code).count(),
            total: self.valid.len() + self.left_out.len(),
        }
    }
}

/// Returns evidence as the snapshot has it; the error is a sentence.
pub(super) fn check_place(entry: &Evidence, snapshot: &CodeSnapshot) -> Result<Evidence, String> {
    let path = match path::resolve_path(Some(&entry.path), snapshot)? {
        SnapshotPlace::File(path) => path,
        SnapshotPlace::Folder(_) | SnapshotPlace::Root => {
            return Err("it is a folder, not lines of a file".into());
        }
    };
    let count = snapshot.text_of(&path)?.lines().count();
    let lines = match entry.lines {
        Some((start, _)) if start > count => {
            return Err(format!("the file has {count} lines only"));
        }
        Some((start, end)) => Some((start, end.min(count))),
        None => None,
    };
    Ok(Evidence { path: path.to_string(), lines, quote: None })
}

/// Returns a text, cut after so many characters with ` (cut)` behind them.
pub fn cut_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} (cut)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::snapshot::tests::snapshot_of;
    use trajview_run::rubric::{COMPONENT_LEVELS, DECISION_LEVELS, FULL_SCORE};

    fn read_components(text: &str) -> Result<VerdictAnswer, String> {
        super::parse_verdict(text, &COMPONENT_LEVELS)
    }

    fn evidence_lines(path: &str, start: usize, end: usize) -> Evidence {
        Evidence { path: path.into(), lines: Some((start, end)), quote: None }
    }

    fn unquoted_place(place: Evidence) -> QuotedPlace {
        QuotedPlace { place, quote: None }
    }

    fn plain_answer() -> VerdictAnswer {
        VerdictAnswer {
            level: Some(3),
            scores: vec![],
            rationale: "It is there.".into(),
            evidence: vec![unquoted_place(evidence_lines("a.py", 2, 9))],
            unreadable: vec![],
            confidence: None,
        }
    }

    const PLAIN: &str = r#"{"level": 3, "rationale": "It is there.",
        "evidence": [{"path": "a.py", "start": 2, "end": 9}]}"#;

    #[test]
    fn a_verdict_is_read_alone_fenced_or_after_other_words() {
        for text in [
            PLAIN.to_owned(),
            format!("```json\n{PLAIN}\n```"),
            format!(
                "I looked at {{x}} and {{\"level\": 1, \"rationale\": \"no\"}} first.\n{PLAIN}\nDone."
            ),
        ] {
            assert_eq!(read_components(&text), Ok(plain_answer()), "{text}");
        }
    }

    #[test]
    fn other_ways_to_write_the_same_are_understood() {
        for text in [
            r#"{"score": "3", "rationale": " It is there. ", "evidence": ["a.py:2-9"]}"#,
            r#"{"level": 3.0, "rationale": "It is there.", "evidence": [{"file": "a.py", "start": "9", "end": 2}]}"#,
            r#"{"level": "equivalent", "rationale": "It is there.", "evidence": ["a.py : 2 - 9"]}"#,
        ] {
            assert_eq!(read_components(text), Ok(plain_answer()), "{text}");
        }
    }

    #[test]
    fn what_is_malformed_is_told() {
        let wrong = |text: &str| read_components(text).unwrap_err();

        assert_eq!(wrong("  "), "the answer is empty");
        assert_eq!(wrong("It is faithful."), "the answer has no JSON object");
        assert_eq!(wrong("{\"verdict\": 3}"), "the answer has no \"level\"");
        assert_eq!(
            wrong("{\"level\": 7, \"rationale\": \"x\"}"),
            "the level 7 is not one of 0 to 4"
        );
        assert_eq!(wrong("{\"level\": -1}"), "the level -1 is not one of 0 to 4");
        assert_eq!(wrong("{\"level\": 2.5}"), "the level 2.5 is not one of 0 to 4");
        assert_eq!(wrong("{\"level\": null}"), "the level null is not one of 0 to 4");
        assert_eq!(wrong("{\"level\": 2}"), "the answer has no \"rationale\"");
        assert_eq!(
            wrong("{\"level\": 2, \"rationale\": \"x\", \"evidence\": 3}"),
            "\"evidence\" is not a list"
        );
    }

    #[test]
    fn a_decision_is_kept_or_broken_or_the_judge_cannot_tell() {
        let parse = |verdict: &str| {
            let text = format!("{{\"verdict\": {verdict}, \"rationale\": \"x\"}}");
            super::parse_verdict(&text, &DECISION_LEVELS).map(|answer| answer.level)
        };

        assert_eq!(parse("\"KEPT\""), Ok(Some(1)));
        assert_eq!(parse("\" broken \""), Ok(Some(0)));
        assert_eq!(parse("\"cannot tell\""), Ok(None));
        for wrong in ["\"mostly kept\"", "1", "null"] {
            let why = parse(wrong).unwrap_err();
            assert!(why.ends_with("is not one of kept, broken, cannot tell"), "{why}");
        }
        assert_eq!(
            super::parse_verdict("{\"tool\": \"read\"}", &DECISION_LEVELS).unwrap_err(),
            "the answer has no \"verdict\""
        );
        assert!(read_components("{\"level\": \"cannot tell\", \"rationale\": \"x\"}").is_err());
    }

    #[test]
    fn evidence_outside_the_snapshot_is_left_out_with_why() {
        let snapshot = snapshot_of(&[("src/a.py", "1\n2\n3\n"), ("link", "-> x")]);
        let evidence = [
            evidence_lines("./src/a.py", 2, 9),
            evidence_lines("src/a.py", 4, 5),
            evidence_lines("b.py", 1, 1),
            evidence_lines("../a.py", 1, 1),
            evidence_lines("link", 1, 1),
            Evidence { path: "src/a.py".into(), lines: None, quote: None },
        ]
        .map(unquoted_place);

        let CheckedEvidence { valid, left_out } = check_evidence(&evidence, &snapshot);

        assert_eq!(
            valid,
            [
                evidence_lines("src/a.py", 2, 3),
                Evidence { path: "src/a.py".into(), lines: None, quote: None }
            ]
        );
        let why: Vec<&str> = left_out.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(
            why,
            [
                "the file has 3 lines only",
                "b.py: no such file or folder in the snapshot",
                "the path leaves the snapshot; name one relative to its root",
                "link is a link; links are not followed",
            ]
        );
    }

    #[test]
    fn an_entry_that_names_no_file_is_kept_as_words() {
        let answer =
            read_components(r#"{"level": 0, "rationale": "x", "evidence": [3, {"start": 1}, ""]}"#)
                .unwrap();
        assert_eq!(answer.evidence, []);
        assert_eq!(answer.unreadable, ["3", "{\"start\":1}", "\"\""]);
    }

    proptest! {
        #[test]
        fn whatever_the_words_reading_them_returns(text in "(\\{|\\}|\"|level|:|[0-9]|,|\\[|.){0,60}") {
            if let Ok(answer) = read_components(&text) {
                prop_assert!(answer.level.is_some_and(|level| level <= FULL_SCORE));
                prop_assert!(!answer.rationale.is_empty());
            }
        }
    }
}
