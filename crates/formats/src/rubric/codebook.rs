//! The `codebook` of a rubric file or of a study: what each level means, with examples.
//!
//! `{"scale": "0..4", "rule": "…", "levels": [{"score": 0, "name": "Absent", "means": "…", "examples": ["…"]}]}`, or
//! several of them as `criteria`, each with an `id`, and with `"overall": "mean"` or `"lowest"` where they make one score
//! together. A table of TOML has the same fields. Where the scale is the unit's
//! own, levels that are left out keep their built-in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use trajview_run::rubric::{Codebook, CodebookLevel as Level, Criterion, Overall, Scale, Unit};

use super::fields::Fields;

/// A criterion has so many levels at most.
const MOST_LEVELS: usize = 101;

/// Reads a codebook, as far as it is understood, and tells all that is wrong with it: sentences that begin with the field.
/// None where it says nothing of any level.
pub fn read(
    table: &Map<String, Value>,
    unit: Unit,
    origin: &str,
) -> (Option<Codebook>, Vec<String>) {
    let mut wrong = vec![];
    let several = table.get("criteria").and_then(Value::as_array);
    let mut criteria = vec![];
    match several {
        None => criteria.extend(criterion(table, unit, "", &mut wrong)),
        Some(several) => {
            let mut ids = BTreeSet::new();
            for (number, entry) in (1..).zip(several) {
                let place = format!("criteria, entry {number}: ");
                let Some(entry) = entry.as_object() else {
                    wrong.push(format!("{place}is no table"));
                    continue;
                };
                let id = Fields::of(entry).id("id");
                match id {
                    None => wrong.push(format!("{place}has no id")),
                    Some(id) if !ids.insert(id.clone()) => {
                        wrong.push(format!("{place}{id} is there already; the first one counts"));
                    }
                    Some(id) => criteria.extend(
                        criterion(entry, unit, &place, &mut wrong)
                            .map(|it| Criterion { id: Some(id), ..it }),
                    ),
                }
            }
        }
    }
    strange(
        table,
        &["scale", "rule", "levels", "criteria", "overall", "name", "id"],
        "",
        &mut wrong,
    );
    let overall = overall(table, &criteria, &mut wrong);
    let book = Codebook { criteria, overall, origin: origin.to_owned() };
    (Some(book).filter(|book| !book.criteria.is_empty()), wrong)
}

/// What several criteria make together, where they are on one scale.
fn overall(
    table: &Map<String, Value>,
    criteria: &[Criterion],
    wrong: &mut Vec<String>,
) -> Option<Overall> {
    let word = Fields::of(table).words("overall")?;
    let Some(rule) = Overall::by_word(&word) else {
        let known = Overall::ALL.map(Overall::word).join(" or ");
        wrong.push(format!("overall: {word:?} is no rule; write {known}"));
        return None;
    };
    let is_one = criteria.windows(2).all(|two| two[0].scale == two[1].scale);
    if criteria.len() < 2 || !is_one {
        wrong.push("overall: is for several criteria on one scale".into());
        return None;
    }
    Some(rule)
}

fn criterion(
    table: &Map<String, Value>,
    unit: Unit,
    place: &str,
    wrong: &mut Vec<String>,
) -> Option<Criterion> {
    let fields = Fields::of(table);
    let scale = match fields.words("scale").map(|words| Scale::read(&words)) {
        None => unit.scale(),
        Some(Ok(scale)) => scale,
        Some(Err(why)) => {
            wrong.push(format!("{place}scale: {why}"));
            return None;
        }
    };
    let mut levels: Vec<Level> = vec![];
    let listed = table.get("levels").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if table.contains_key("levels") && !table.get("levels").is_some_and(Value::is_array) {
        wrong.push(format!("{place}levels: is no list"));
    }
    if listed.len() > MOST_LEVELS {
        wrong.push(format!("{place}levels: has more than {MOST_LEVELS}; the rest is left out"));
    }
    for (at, entry) in listed.iter().enumerate().take(MOST_LEVELS) {
        let place = format!("{place}levels, entry {}: ", at + 1);
        match entry.as_object().map(|entry| level(entry, scale, at, &place, wrong)) {
            None => wrong.push(format!("{place}is no table")),
            Some(None) => {}
            Some(Some(level)) if levels.iter().any(|it| it.score == level.score) => {
                wrong.push(format!("{place}the score is there already; the first one counts"));
            }
            Some(Some(level)) => levels.push(level),
        }
    }
    let rule = fields.text("rule");
    if levels.is_empty() && rule.is_empty() && fields.words("scale").is_none() {
        return None;
    }
    let built_in = Codebook::built_in(unit).criterion(None).filter(|it| it.scale == scale);
    for known in built_in.map_or(&[][..], |it| &it.levels) {
        match levels.iter_mut().find(|level| level.score == known.score) {
            None => levels.push(known.clone()),
            Some(level) if level.name.is_empty() => level.name.clone_from(&known.name),
            Some(_) => {}
        }
    }
    levels.sort_by(|a, b| a.score.total_cmp(&b.score));
    Some(Criterion { id: None, name: fields.text("name"), scale, levels, rule })
}

/// One level; one without a score has that of its place in the list.
fn level(
    entry: &Map<String, Value>,
    scale: Scale,
    at: usize,
    place: &str,
    wrong: &mut Vec<String>,
) -> Option<Level> {
    let fields = Fields::of(entry);
    strange(entry, &["score", "name", "means", "examples"], place, wrong);
    let score = match fields.score_on("score", scale) {
        Ok(Some(score)) => score,
        Ok(None) => {
            let score = f64::from(scale.ends().0) + at as f64;
            if !scale.holds(score) {
                wrong.push(format!("{place}stands beyond the scale {scale}"));
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
        _ => fields.strings("examples"),
    };
    Some(Level { score, name: fields.text("name"), means: fields.text("means"), examples })
}

fn strange(table: &Map<String, Value>, known: &[&str], place: &str, wrong: &mut Vec<String>) {
    let unknown = table.keys().filter(|name| !known.contains(&name.as_str()));
    wrong.extend(
        unknown.map(|name| format!("{place}{name}: no such field; known: {}", known.join(", "))),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(text: &str) -> (Option<Codebook>, Vec<String>) {
        let value: Value = serde_json::from_str(text).unwrap();
        read(value.as_object().unwrap(), Unit::Component, "components.json")
    }

    #[test]
    fn levels_that_are_left_out_keep_their_words() {
        let (book, wrong) = told(
            r#"{"levels": [{"score": 1, "means": "Not what is asked.", "examples": ["a", "b"]}], "rule": "Take the lower."}"#,
        );

        let criterion = &book.unwrap().criteria[0];
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(criterion.levels.len(), 5);
        assert_eq!(criterion.said(1.0), "1 Wrong");
        assert_eq!(criterion.levels[1].examples, ["a", "b"]);
        assert!(criterion.levels[4].means.starts_with("the description as it is written"));
        assert_eq!(criterion.rule, "Take the lower.");
    }

    #[test]
    fn several_criteria_have_scales_of_their_own() {
        let (book, wrong) = told(
            r#"{"criteria": [
                {"id": "right", "scale": "0..1", "levels": [{"name": "no"}, {"name": "yes"}]},
                {"id": "clear", "name": "Clarity", "scale": "1..5", "levels": [{"name": "muddled"}]},
                {"id": "share", "scale": "[0,1]"}]}"#,
        );

        let book = book.unwrap();
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(book.criterion(Some("right")).unwrap().said(1.0), "1 yes");
        let clear = book.criterion(Some("clear")).unwrap();
        assert_eq!((clear.said(1.0), clear.said(2.0)), ("1 muddled".into(), "2".into()));
        assert_eq!(book.criterion(Some("share")).unwrap().scale, Scale::Share);
        assert_eq!(book.criterion(Some("other")), None);
    }

    #[test]
    fn criteria_make_one_score_together_where_they_are_on_one_scale() {
        let two = |second: &str, rule: &str| {
            told(&format!(
                r#"{{"overall": "{rule}", "criteria": [{{"id": "a", "scale": "1..5"}}, {{"id": "b", "scale": "{second}"}}]}}"#
            ))
        };

        assert_eq!(two("1..5", "lowest").0.unwrap().overall, Some(Overall::Lowest));
        assert_eq!(two("0..1", "mean").0.unwrap().overall, None);
        assert_eq!(two("0..1", "mean").1, ["overall: is for several criteria on one scale"]);
        assert_eq!(two("1..5", "sum").1, ["overall: \"sum\" is no rule; write mean or lowest"]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let (book, wrong) = told(
            r#"{"scale": "0..4", "levles": 1, "levels": [{"score": 7}, 3, {"score": 0, "meaning": "x"}, {"score": 0}]}"#,
        );

        assert_eq!(book.unwrap().criteria[0].levels.len(), 5);
        assert_eq!(
            wrong,
            [
                "levels, entry 1: the score 7 is not on the scale 0..4",
                "levels, entry 2: is no table",
                "levels, entry 3: meaning: no such field; known: score, name, means, examples",
                "levels, entry 4: the score is there already; the first one counts",
                "levles: no such field; known: scale, rule, levels, criteria, overall, name, id",
            ]
        );
        assert_eq!(told(r#"{"scale": "x"}"#).0, None);
        assert_eq!(told("{}"), (None, vec![]));
        assert_eq!(
            told(r#"{"criteria": [{"scale": "0..1"}]}"#).1,
            ["criteria, entry 1: has no id"]
        );
    }

    proptest! {
        #[test]
        fn whatever_the_values_it_is_read_or_told(text in r#"\{("(scale|levels|criteria|rule|score)": ?(\[|\{|"0..4"|1|,|\}|\])*){0,4}\}"#) {
            if let Ok(Value::Object(table)) = serde_json::from_str::<Value>(&text) {
                let _ = read(&table, Unit::Component, "x");
            }
        }
    }
}
