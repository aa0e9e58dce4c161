//! Scores by a codebook: what is asked for, and what is read out of a judge's answer, each score on the scale of its criterion.

use serde_json::{Map, Value, json};

use trajview_run::rubric::{Codebook, Criterion, Given, Scale, written};

use super::answer::{self, Answer, cut};

/// What the scores stand under where there are several.
const SCORES: &str = "scores";

/// What the score stands under where one criterion without a name is all there is.
const SCORE: &str = "score";

/// The one criterion of a codebook, where it has no name.
fn only(book: &Codebook) -> Option<&Criterion> {
    match book.criteria.as_slice() {
        [only] if only.id.is_none() => Some(only),
        _ => None,
    }
}

fn id(criterion: &Criterion) -> &str {
    criterion.id.as_deref().unwrap_or_default()
}

/// The schema of a verdict.
pub fn schema(book: &Codebook) -> Value {
    if let Some(only) = only(book) {
        return answer::schema_with(SCORE, number(only));
    }
    let each: Map<String, Value> =
        book.criteria.iter().map(|it| (id(it).to_owned(), number(it))).collect();
    let ids: Vec<&str> = book.criteria.iter().map(id).collect();
    let scores = json!({
        "type": "object", "properties": each, "required": ids, "additionalProperties": false,
    });
    answer::schema_with(SCORES, scores)
}

fn number(criterion: &Criterion) -> Value {
    let (low, high) = criterion.scale.ends();
    let kind = match criterion.scale {
        Scale::Levels { .. } => "integer",
        Scale::Share => "number",
    };
    let named = criterion.levels.iter().filter(|level| !level.name.is_empty());
    let named: Vec<String> = named.map(|level| criterion.said(level.score)).collect();
    let name = Some(criterion.name.as_str()).filter(|name| !name.is_empty());
    let about: Vec<String> = name.map(str::to_owned).into_iter().chain(named).collect();
    json!({"type": kind, "minimum": low, "maximum": high, "description": about.join(", ")})
}

/// Reads the scores out of a text: of the last object in it that has some. The error says what was wrong.
pub fn read(text: &str, book: &Codebook) -> Result<Answer, String> {
    let key = if only(book).is_some() { SCORE } else { SCORES };
    let lacks = format!("the answer has no \"{key}\"");
    let object = answer::last_with(text, &|it| scores_of(it, book).is_some(), lacks)?;
    read_object(&object, book)
}

/// As [`read`], of an object.
pub fn read_object(object: &Value, book: &Codebook) -> Result<Answer, String> {
    let key = if only(book).is_some() { SCORE } else { SCORES };
    let scores = scores_of(object, book).ok_or_else(|| format!("the answer has no \"{key}\""))?;
    let given = match only(book) {
        Some(only) => vec![given(only, scores).map_err(|why| format!("the score {why}"))?],
        None => {
            let one = |criterion: &Criterion| {
                let id = id(criterion);
                let score = scores.get(id).ok_or_else(|| format!("{id} has no score"))?;
                given(criterion, score).map_err(|why| format!("{id}: the score {why}"))
            };
            book.criteria.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(Answer { given, ..answer::reasons(object)? })
}

fn scores_of<'a>(object: &'a Value, book: &Codebook) -> Option<&'a Value> {
    match only(book) {
        Some(_) => [SCORE, "level"].iter().find_map(|key| object.get(key)),
        None => object.get(SCORES).filter(|scores| scores.is_object()),
    }
}

/// A number on the scale, also in quotes, or the name of a level.
fn given(criterion: &Criterion, value: &Value) -> Result<Given, String> {
    let text = value.as_str().map(str::trim);
    let named = |text: &str| {
        let is_it = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(text);
        criterion.levels.iter().find(|level| is_it(&level.name)).map(|level| level.score)
    };
    let number = value.as_f64().or_else(|| named(text?)).or_else(|| text?.parse().ok());
    let Some(score) = number.filter(|score| criterion.scale.holds(*score)) else {
        let (found, expected) = (cut(&value.to_string(), 60), criterion.numbers());
        return Err(format!("{found} is not {expected}"));
    };
    let name = criterion.level_name(score).to_owned();
    Ok(Given { criterion: criterion.id.clone(), scale: criterion.scale, score, name })
}

/// What is said to an answer that is none.
pub fn again(book: &Codebook, why: &str) -> String {
    let each: Vec<String> = match only(book) {
        Some(only) => vec![only.numbers()],
        None => book.criteria.iter().map(|it| format!("{} ({})", id(it), it.numbers())).collect(),
    };
    let key = if only(book).is_some() { SCORE } else { SCORES };
    format!(
        "That was no verdict: {why}. Give it now: {}, a rationale and the lines it rests on, as one JSON object with \
         \"{key}\", \"rationale\" and \"evidence\".",
        each.join(", ")
    )
}

/// `right 1 yes, clear 4`, as a judgement file names what was given.
pub fn label(given: &[Given]) -> String {
    match given {
        [only] if only.criterion.is_none() && only.name.is_empty() => written(only.score),
        all => trajview_run::rubric::given::all_words(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::CodebookLevel as Level;

    fn criterion(id: Option<&str>, scale: &str, names: &[&str]) -> Criterion {
        let scale = Scale::read(scale).unwrap();
        let level = |(at, name): (usize, &&str)| Level {
            score: f64::from(scale.ends().0) + at as f64,
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

    fn book(criteria: Vec<Criterion>) -> Codebook {
        Codebook { criteria, ..Codebook::default() }
    }

    fn several() -> Codebook {
        book(vec![
            criterion(Some("right"), "0..1", &["no", "yes"]),
            criterion(Some("clear"), "1..5", &[]),
            criterion(Some("part"), "[0,1]", &[]),
        ])
    }

    #[test]
    fn each_criterion_has_a_score_on_its_own_scale() {
        let text = r#"So: {"scores": {"right": "yes", "clear": "4", "part": 0.25}, "rationale": "x", "evidence": ["a.py:2-3"]}"#;

        let answer = read(text, &several()).unwrap();

        assert_eq!(label(&answer.given), "right 1 yes, clear 4, part 0.25");
        assert_eq!((answer.level, answer.evidence.len()), (None, 1));
        let example = several().example();
        assert_eq!(
            label(&read(&example, &several()).unwrap().given),
            "right 0 no, clear 3, part 0.5"
        );
    }

    #[test]
    fn what_is_missing_or_off_its_scale_is_told_by_criterion() {
        let wrong = |scores: &str| {
            let text = format!(r#"{{"scores": {scores}, "rationale": "x"}}"#);
            read(&text, &several()).unwrap_err()
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
        assert!(again(&several(), "x").contains("clear (a whole number from 1 to 5)"));
    }

    #[test]
    fn one_criterion_without_a_name_is_one_score() {
        let likert = book(vec![criterion(None, "1..5", &["poor"])]);
        let share = book(vec![criterion(None, "[0,1]", &[])]);
        let score = |text: &str, book: &Codebook| read(text, book).map(|it| label(&it.given));

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
        assert_eq!(schema(&likert)["properties"]["score"]["maximum"], 5);
        assert_eq!(schema(&share)["properties"]["score"]["type"], "number");
        assert_eq!(schema(&several())["properties"]["scores"]["required"][2], "part");
    }
}
