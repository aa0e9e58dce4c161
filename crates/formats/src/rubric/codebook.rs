//! The `codebook` of a rubric file or of a study: what each level means, with examples.
//!
//! `{"scale": "0..4", "rule": "…", "levels": [{"score": 0, "name": "Absent", "means": "…", "examples": ["…"]}]}`, or
//! several of them as `criteria`, each with an `id`, and with `"overall": "mean"` or `"lowest"` where they make one score
//! together. A table of TOML has the same fields. Where the scale is the unit's
//! own, levels that are left out keep their built-in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use trajview_run::rubric::{
    Codebook, CodebookLevel as ScaleLevel, Criterion, LabelUnit, OverallRule, ScoreScale,
};

use super::fields::RubricFields;

/// A criterion has so many levels at most.
const MAX_LEVELS: usize = 101;

/// Reads a codebook, as far as it is understood; the second value is every mistake, a sentence that begins with the field.
/// None where it describes no level.
pub fn read_codebook(
    table: &Map<String, Value>,
    unit: LabelUnit,
    origin: &str,
) -> (Option<Codebook>, Vec<String>) {
    let mut wrong = vec![];
    let mut criteria = vec![];
    match table.list("criteria") {
        None => criteria.extend(read_criterion(table, unit, "", &mut wrong)),
        Some(several) => {
            let mut ids = BTreeSet::new();
            for (number, entry) in (1..).zip(several) {
                let place = format!("criteria, entry {number}: ");
                let Some(entry) = entry.as_object() else {
                    wrong.push(format!("{place}is not a table"));
                    continue;
                };
                let id = RubricFields::new(entry).trimmed_id("id");
                match id {
                    None => wrong.push(format!("{place}has no id")),
                    Some(id) if !ids.insert(id.clone()) => {
                        wrong.push(format!("{place}{id} is there already; the first one counts"));
                    }
                    Some(id) => criteria.extend(
                        read_criterion(entry, unit, &place, &mut wrong)
                            .map(|it| Criterion { id: Some(id), ..it }),
                    ),
                }
            }
        }
    }
    unknown_fields(
        table,
        &["scale", "rule", "levels", "criteria", "overall", "name", "id"],
        "",
        &mut wrong,
    );
    let overall = read_overall(table, &criteria, &mut wrong);
    let book = Codebook { criteria, overall, origin: origin.to_owned() };
    (Some(book).filter(|book| !book.criteria.is_empty()), wrong)
}

/// Reads the rule that combines several criteria, where they are on one scale.
fn read_overall(
    table: &Map<String, Value>,
    criteria: &[Criterion],
    wrong: &mut Vec<String>,
) -> Option<OverallRule> {
    let word = RubricFields::new(table).as_written("overall")?;
    let Some(rule) = OverallRule::by_word(&word) else {
        let known = OverallRule::ALL.map(OverallRule::word).join(" or ");
        wrong.push(format!("overall: {word:?} is not a rule; use {known}"));
        return None;
    };
    let is_one = criteria.windows(2).all(|two| two[0].scale == two[1].scale);
    if criteria.len() < 2 || !is_one {
        wrong.push("overall: is for several criteria on one scale".into());
        return None;
    }
    Some(rule)
}

fn read_criterion(
    table: &Map<String, Value>,
    unit: LabelUnit,
    place: &str,
    wrong: &mut Vec<String>,
) -> Option<Criterion> {
    let fields = RubricFields::new(table);
    let scale = match fields.as_written("scale").map(|words| ScoreScale::parse(&words)) {
        None => unit.default_scale(),
        Some(Ok(scale)) => scale,
        Some(Err(why)) => {
            wrong.push(format!("{place}scale: {why}"));
            return None;
        }
    };
    let mut levels: Vec<ScaleLevel> = vec![];
    let listed = table.elements_of("levels");
    if table.contains_key("levels") && !table.get("levels").is_some_and(Value::is_array) {
        wrong.push(format!("{place}levels: is not a list"));
    }
    if listed.len() > MAX_LEVELS {
        wrong.push(format!("{place}levels: has more than {MAX_LEVELS}; the rest is left out"));
    }
    for (at, entry) in listed.iter().enumerate().take(MAX_LEVELS) {
        let place = format!("{place}levels, entry {}: ", at + 1);
        match entry.as_object().map(|entry| read_level(entry, scale, at, &place, wrong)) {
            None => wrong.push(format!("{place}is not a table")),
            Some(None) => {}
            Some(Some(level)) if levels.iter().any(|it| it.score == level.score) => {
                wrong.push(format!("{place}the score is there already; the first one counts"));
            }
            Some(Some(level)) => levels.push(level),
        }
    }
    let rule = fields.text_or_empty("rule");
    if levels.is_empty() && rule.is_empty() && fields.as_written("scale").is_none() {
        return None;
    }
    let built_in = Codebook::built_in(unit).criterion_by_id(None).filter(|it| it.scale == scale);
    for known in built_in.map_or(&[][..], |it| &it.levels) {
        match levels.iter_mut().find(|level| level.score == known.score) {
            None => levels.push(known.clone()),
            Some(level) if level.name.is_empty() => level.name.clone_from(&known.name),
            Some(_) => {}
        }
    }
    levels.sort_by(|a, b| a.score.total_cmp(&b.score));
    Some(Criterion { id: None, name: fields.text_or_empty("name"), scale, levels, rule })
}

/// Reads one level; one without a score has that of its place in the list. Adds what is wrong with it to `wrong`.
fn read_level(
    entry: &Map<String, Value>,
    scale: ScoreScale,
    at: usize,
    place: &str,
    wrong: &mut Vec<String>,
) -> Option<ScaleLevel> {
    let fields = RubricFields::new(entry);
    unknown_fields(entry, &["score", "name", "means", "examples"], place, wrong);
    let score = match fields.score_on("score", scale) {
        Ok(Some(score)) => score,
        Ok(None) => {
            let score = f64::from(scale.lowest_and_highest().0) + at as f64;
            if !scale.contains_score(score) {
                wrong.push(format!("{place}is outside the scale {scale}"));
                return None;
            }
            score
        }
        Err(why) => {
            wrong.push(format!("{place}{why}"));
            return None;
        }
    };
    let examples = match entry.get("examples") {
        Some(Value::String(one)) => vec![one.clone()],
        _ => fields.strings_of("examples"),
    };
    Some(ScaleLevel {
        score,
        name: fields.text_or_empty("name"),
        means: fields.text_or_empty("means"),
        examples,
    })
}

fn unknown_fields(
    table: &Map<String, Value>,
    known: &[&str],
    place: &str,
    wrong: &mut Vec<String>,
) {
    let unknown = table.keys().filter(|name| !known.contains(&name.as_str()));
    wrong.extend(
        unknown.map(|name| format!("{place}{name}: no such field; known: {}", known.join(", "))),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_text(text: &str) -> (Option<Codebook>, Vec<String>) {
        let value: Value = serde_json::from_str(text).unwrap();
        read_codebook(value.as_object().unwrap(), LabelUnit::Component, "components.json")
    }

    #[test]
    fn levels_that_are_left_out_keep_their_words() {
        let (book, wrong) = read_text(
            r#"{"levels": [{"score": 1, "means": "Not what is asked.", "examples": ["a", "b"]}], "rule": "Take the lower."}"#,
        );

        let criterion = &book.unwrap().criteria[0];
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(criterion.levels.len(), 5);
        assert_eq!(criterion.level_text(1.0), "1 Wrong");
        assert_eq!(criterion.levels[1].examples, ["a", "b"]);
        assert!(criterion.levels[4].means.starts_with("the description as it is written"));
        assert_eq!(criterion.rule, "Take the lower.");
    }

    #[test]
    fn several_criteria_have_scales_of_their_own() {
        let (book, wrong) = read_text(
            r#"{"criteria": [
                {"id": "right", "scale": "0..1", "levels": [{"name": "no"}, {"name": "yes"}]},
                {"id": "clear", "name": "Clarity", "scale": "1..5", "levels": [{"name": "muddled"}]},
                {"id": "share", "scale": "[0,1]"}]}"#,
        );

        let book = book.unwrap();
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(book.criterion_by_id(Some("right")).unwrap().level_text(1.0), "1 yes");
        let clear = book.criterion_by_id(Some("clear")).unwrap();
        assert_eq!(
            (clear.level_text(1.0), clear.level_text(2.0)),
            ("1 muddled".into(), "2".into())
        );
        assert_eq!(book.criterion_by_id(Some("share")).unwrap().scale, ScoreScale::Share);
        assert_eq!(book.criterion_by_id(Some("other")), None);
    }

    #[test]
    fn criteria_make_one_score_together_where_they_are_on_one_scale() {
        let two = |second: &str, rule: &str| {
            read_text(&format!(
                r#"{{"overall": "{rule}", "criteria": [{{"id": "a", "scale": "1..5"}}, {{"id": "b", "scale": "{second}"}}]}}"#
            ))
        };

        assert_eq!(two("1..5", "lowest").0.unwrap().overall, Some(OverallRule::Lowest));
        assert_eq!(two("0..1", "mean").0.unwrap().overall, None);
        assert_eq!(two("0..1", "mean").1, ["overall: is for several criteria on one scale"]);
        assert_eq!(two("1..5", "sum").1, ["overall: \"sum\" is not a rule; use mean or lowest"]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let (book, wrong) = read_text(
            r#"{"scale": "0..4", "levles": 1, "levels": [{"score": 7}, 3, {"score": 0, "meaning": "x"}, {"score": 0}]}"#,
        );

        assert_eq!(book.unwrap().criteria[0].levels.len(), 5);
        assert_eq!(
            wrong,
            [
                "levels, entry 1: the score 7 is not on the scale 0..4",
                "levels, entry 2: is not a table",
                "levels, entry 3: meaning: no such field; known: score, name, means, examples",
                "levels, entry 4: the score is there already; the first one counts",
                "levles: no such field; known: scale, rule, levels, criteria, overall, name, id",
            ]
        );
        assert_eq!(read_text(r#"{"scale": "x"}"#).0, None);
        assert_eq!(read_text("{}"), (None, vec![]));
        assert_eq!(
            read_text(r#"{"criteria": [{"scale": "0..1"}]}"#).1,
            ["criteria, entry 1: has no id"]
        );
    }

    proptest! {
        #[test]
        fn whatever_the_values_it_is_read_or_told(text in r#"\{("(scale|levels|criteria|rule|score)": ?(\[|\{|"0..4"|1|,|\}|\])*){0,4}\}"#) {
            if let Ok(Value::Object(table)) = serde_json::from_str::<Value>(&text) {
                let _ = read_codebook(&table, LabelUnit::Component, "x");
            }
        }
    }
}
