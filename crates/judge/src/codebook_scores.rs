//! Scores by a codebook: the schema for a judge, and the scores in its answer, each on the scale of its criterion.

use serde_json::{Value, json, value::RawValue};

use trajview_run::rubric::{Codebook, Criterion, CriterionScore, ScoreScale, score_text};

use super::{
    answer::{self, VerdictAnswer, cut_text},
    answer_schema::{object_schema, reasoned_schema, to_raw_schema},
};

/// The key of the scores where there are several.
const SCORES: &str = "scores";

/// The key of the score of the only criterion, which has no name.
const SCORE: &str = "score";

/// Returns the one criterion of a codebook, where it has no name.
fn only_criterion(book: &Codebook) -> Option<&Criterion> {
    match book.criteria.as_slice() {
        [only] if only.id.is_none() => Some(only),
        _ => None,
    }
}

fn criterion_id(criterion: &Criterion) -> &str {
    criterion.id.as_deref().unwrap_or_default()
}

/// Returns the schema of a verdict.
pub(crate) fn scores_schema(book: &Codebook, asks_confidence: bool) -> Box<RawValue> {
    let raw_schema = |criterion| to_raw_schema(&score_schema(criterion));
    if let Some(only) = only_criterion(book) {
        return reasoned_schema(SCORE, raw_schema(only), asks_confidence);
    }
    let each = book.criteria.iter().map(|it| (criterion_id(it), raw_schema(it))).collect();
    reasoned_schema(SCORES, object_schema(each), asks_confidence)
}

fn score_schema(criterion: &Criterion) -> Value {
    let (low, high) = criterion.scale.lowest_and_highest();
    let kind = match criterion.scale {
        ScoreScale::Levels { .. } => "integer",
        ScoreScale::Share => "number",
    };
    let named = criterion.levels.iter().filter(|level| !level.name.is_empty());
    let named: Vec<String> = named.map(|level| criterion.level_text(level.score)).collect();
    let name = Some(criterion.name.as_str()).filter(|name| !name.is_empty());
    let about: Vec<String> = name.map(str::to_owned).into_iter().chain(named).collect();
    json!({"type": kind, "minimum": low, "maximum": high, "description": about.join(", ")})
}

/// Reads the scores out of a text: of the last object in it that has some. The error says what was wrong.
pub(crate) fn parse_scores(text: &str, book: &Codebook) -> Result<VerdictAnswer, String> {
    let key = if only_criterion(book).is_some() { SCORE } else { SCORES };
    let lacks = format!("the answer has no \"{key}\"");
    let object = answer::last_object_with(text, &|it| scores_field(it, book).is_some(), lacks)?;
    parse_scores_object(&object, book)
}

/// Reads scores from an object, as [`parse_scores`].
pub(crate) fn parse_scores_object(
    object: &Value,
    book: &Codebook,
) -> Result<VerdictAnswer, String> {
    let key = if only_criterion(book).is_some() { SCORE } else { SCORES };
    let scores =
        scores_field(object, book).ok_or_else(|| format!("the answer has no \"{key}\""))?;
    let given_scores = match only_criterion(book) {
        Some(only) => vec![parse_score(only, scores).map_err(|why| format!("the score {why}"))?],
        None => {
            let one = |criterion: &Criterion| {
                let id = criterion_id(criterion);
                let score = scores.get(id).ok_or_else(|| format!("{id} has no score"))?;
                parse_score(criterion, score).map_err(|why| format!("{id}: the score {why}"))
            };
            book.criteria.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(VerdictAnswer { scores: given_scores, ..answer::parse_reasons(object)? })
}

fn scores_field<'a>(object: &'a Value, book: &Codebook) -> Option<&'a Value> {
    match only_criterion(book) {
        Some(_) => [SCORE, "level"].iter().find_map(|key| object.get(key)),
        None => object.get(SCORES).filter(|scores| scores.is_object()),
    }
}

/// Reads a number on the scale, also in quotes, or the name of a level.
fn parse_score(criterion: &Criterion, value: &Value) -> Result<CriterionScore, String> {
    let text = value.as_str().map(str::trim);
    let named = |text: &str| {
        let is_it = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(text);
        criterion.levels.iter().find(|level| is_it(&level.name)).map(|level| level.score)
    };
    let number = value.as_f64().or_else(|| named(text?)).or_else(|| text?.parse().ok());
    let Some(score) = number.filter(|score| criterion.scale.contains_score(*score)) else {
        let (written_value, expected) = (cut_text(&value.to_string(), 60), criterion.scale_text());
        return Err(format!("{written_value} is not {expected}"));
    };
    let name = criterion.level_name(score).to_owned();
    Ok(CriterionScore { criterion: criterion.id.clone(), scale: criterion.scale, score, name })
}

/// Returns the request after an answer that cannot be read.
pub(crate) fn retry_request(book: &Codebook, why: &str) -> String {
    let each: Vec<String> = match only_criterion(book) {
        Some(only) => vec![only.scale_text()],
        None => book
            .criteria
            .iter()
            .map(|it| format!("{} ({})", criterion_id(it), it.scale_text()))
            .collect(),
    };
    let key = if only_criterion(book).is_some() { SCORE } else { SCORES };
    format!(
        "That was no verdict: {why}. Give it now: the lines it rests on, each with a quote, a rationale, then {}, as one \
         JSON object with \"evidence\", \"rationale\" and \"{key}\", in this order.",
        each.join(", ")
    )
}

/// Returns `right 1 yes, clear 4`, as a judgement file names the scores.
pub(crate) fn scores_label(scores: &[CriterionScore]) -> String {
    match scores {
        [only] if only.criterion.is_none() && only.name.is_empty() => score_text(only.score),
        all => trajview_run::rubric::criterion_scores::scores_text(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::CodebookLevel as ScaleLevel;

    fn sample_criterion(id: Option<&str>, scale: &str, names: &[&str]) -> Criterion {
        let scale = ScoreScale::parse(scale).unwrap();
        let level = |(at, name): (usize, &&str)| ScaleLevel {
            score: f64::from(scale.lowest_and_highest().0) + at as f64,
            name: (*name).to_owned(),
            means: String::new(),
            examples: vec![],
        };
        let levels = names.iter().enumerate().map(level).collect();
        Criterion {
            id: id.map(Into::into),
            name: String::new(),
            scale,
            levels,
            rule: String::new(),
        }
    }

    fn codebook_of(criteria: Vec<Criterion>) -> Codebook {
        Codebook { criteria, ..Codebook::default() }
    }

    fn three_criteria() -> Codebook {
        codebook_of(vec![
            sample_criterion(Some("right"), "0..1", &["no", "yes"]),
            sample_criterion(Some("clear"), "1..5", &[]),
            sample_criterion(Some("part"), "[0,1]", &[]),
        ])
    }

    #[test]
    fn each_criterion_has_a_score_on_its_own_scale() {
        let text = r#"So: {"scores": {"right": "yes", "clear": "4", "part": 0.25}, "rationale": "x", "evidence": ["a.py:2-3"]}"#;

        let answer = parse_scores(text, &three_criteria()).unwrap();

        assert_eq!(scores_label(&answer.scores), "right 1 yes, clear 4, part 0.25");
        assert_eq!((answer.level, answer.evidence.len()), (None, 1));
        let example = three_criteria().example_answer();
        assert_eq!(
            scores_label(&parse_scores(&example, &three_criteria()).unwrap().scores),
            "right 0 no, clear 3, part 0.5"
        );
    }

    #[test]
    fn what_is_missing_or_off_its_scale_is_told_by_criterion() {
        let wrong = |scores: &str| {
            let text = format!(r#"{{"scores": {scores}, "rationale": "x"}}"#);
            parse_scores(&text, &three_criteria()).unwrap_err()
        };

        assert_eq!(wrong(r#"{"right": 1, "clear": 4}"#), "part has no score");
        assert_eq!(
            wrong(r#"{"right": 1, "clear": 0, "part": 0}"#),
            "clear: the score 0 is not a whole number from 1 to 5"
        );
        assert_eq!(
            wrong(r#"{"right": 2, "clear": 4, "part": 0}"#),
            "right: the score 2 is not a whole number from 0 to 1"
        );
        assert!(
            wrong(r#"{"right": 1, "clear": 4, "part": 1.5}"#).contains("any number from 0 to 1")
        );
        assert_eq!(wrong("3"), "the answer has no \"scores\"");
        assert!(
            retry_request(&three_criteria(), "x").contains("clear (a whole number from 1 to 5)")
        );
    }

    #[test]
    fn one_criterion_without_a_name_is_one_score() {
        let likert = codebook_of(vec![sample_criterion(None, "1..5", &["poor"])]);
        let share = codebook_of(vec![sample_criterion(None, "[0,1]", &[])]);
        let score = |text: &str, book: &Codebook| {
            parse_scores(text, book).map(|it| scores_label(&it.scores))
        };

        assert_eq!(score(r#"{"score": 5, "rationale": "x"}"#, &likert), Ok("5".into()));
        assert_eq!(score(r#"{"level": "Poor", "rationale": "x"}"#, &likert), Ok("1 poor".into()));
        assert_eq!(score(r#"{"score": 0.7, "rationale": "x"}"#, &share), Ok("0.7".into()));
        assert_eq!(
            score(r#"{"score": 0, "rationale": "x"}"#, &likert).unwrap_err(),
            "the score 0 is not a whole number from 1 to 5"
        );
        assert_eq!(
            score(r#"{"score": 1}"#, &share).unwrap_err(),
            "the answer has no \"rationale\""
        );
        let schema =
            |book| serde_json::from_str::<Value>(scores_schema(book, false).get()).unwrap();
        assert_eq!(schema(&likert)["properties"]["score"]["maximum"], 5);
        assert_eq!(schema(&share)["properties"]["score"]["type"], "number");
        assert_eq!(schema(&three_criteria())["properties"]["scores"]["required"][2], "part");
    }
}
