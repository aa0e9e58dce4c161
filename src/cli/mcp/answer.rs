//! The answer of a tool: a record with facts and a page of rows, redacted, and no longer than an agent wants to read.
//!
//! What is too long is cut, and how much is missing stands at its end. The next page begins at the cursor `next`. Names of runs
//! and places are not redacted: they have to open.

use serde_json::{Map, Value, json};

use trajview_code::redact::Redactor;

/// The most characters of an answer.
pub(super) const MOST_CHARS: usize = 10_000;

/// What the facts and the punctuation around the rows may take.
const CHARS_OF_FACTS: usize = 3_000;

/// The most characters of one row.
const CHARS_OF_ROW: usize = 5_000;

/// The most characters of a text, and then of items of a list, that are tried until a row is short enough.
const TEXT_LENGTHS: [usize; 7] = [4_200, 2_000, 1_000, 500, 250, 120, 60];
const LIST_LENGTHS: [usize; 4] = [12, 6, 3, 1];

/// The fields that name a run or a place.
const PLACE_FIELDS: [&str; 2] = ["place", "run"];

/// An answer before it is divided into pages.
pub(super) struct Answer {
    /// Facts that every page repeats.
    pub facts: Value,
    /// The name of the list of rows.
    pub list: &'static str,
    pub rows: Vec<Value>,
    /// The number of the first of these rows among all.
    pub first: usize,
    /// The number of all rows.
    pub total: usize,
}

impl Answer {
    /// Makes an answer that has all rows at hand.
    pub(super) const fn from_rows(facts: Value, list: &'static str, rows: Vec<Value>) -> Self {
        let total = rows.len();
        Self { facts, list, rows, first: 0, total }
    }

    /// Returns the page at a cursor as JSON in one line. `redact` takes out what is secret in a row; the facts are redacted
    /// already. The error is a sentence.
    pub(super) fn page_text(
        &self,
        cursor: Option<&str>,
        redact: &dyn Fn(Value) -> Result<Value, String>,
    ) -> Result<String, String> {
        let start = parse_cursor(cursor, self.total)?;
        let mut facts = match shorten_row(&self.facts, CHARS_OF_FACTS) {
            Value::Object(facts) => facts,
            _ => Map::new(),
        };
        let mut left = MOST_CHARS - LONGEST_ENDING.min(MOST_CHARS);
        left = left.saturating_sub(char_count(&Value::Object(facts.clone())));
        let mut page = vec![];
        for row in self.rows.iter().skip(start.saturating_sub(self.first)) {
            let row = shorten_row(&redact(row.clone())?, CHARS_OF_ROW);
            let size = char_count(&row) + 1;
            if size > left && !page.is_empty() {
                break;
            }
            left = left.saturating_sub(size);
            page.push(row);
        }
        let end = start + page.len();
        facts.insert("total".into(), json!(self.total));
        facts.insert(self.list.into(), Value::Array(page));
        facts.insert("next".into(), json!((end < self.total).then(|| end.to_string())));
        Ok(Value::Object(facts).to_string())
    }
}

/// Characters that the names of the list, the total and the cursor take.
const LONGEST_ENDING: usize = 80;

/// Returns the number of the first row of a page. The error is a sentence.
pub(super) fn parse_cursor(cursor: Option<&str>, total: usize) -> Result<usize, String> {
    let Some(word) = cursor else { return Ok(0) };
    let expected = "expected the `next` of an earlier answer; leave it out for the first page";
    match word.parse::<usize>() {
        Ok(0) => Ok(0),
        Ok(start) if start < total => Ok(start),
        Ok(_) => Err(format!("cursor {word:?}: the list has {total} rows; {expected}")),
        Err(_) => Err(format!("cursor {word:?}: {expected}")),
    }
}

fn char_count(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Returns a row without its secrets; its places stay.
pub(super) fn redact_row(redactor: &Redactor, mut row: Value) -> Value {
    let mut places = vec![];
    for_each_place(&mut row, &mut |place| places.push(place.take()));
    let mut row = redactor.redact_json("", row);
    let mut places = places.into_iter();
    for_each_place(&mut row, &mut |place| *place = places.next().unwrap_or_default());
    row
}

fn for_each_place(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_place = PLACE_FIELDS.contains(&key.as_str());
                match value {
                    Value::String(_) | Value::Null if is_place => change(value),
                    _ => for_each_place(value, change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_place(item, change)),
        _ => {}
    }
}

/// Cuts the texts of a row, and where that is not enough its lists, until it has so many characters.
fn shorten_row(row: &Value, most: usize) -> Value {
    let lengths = TEXT_LENGTHS.iter().map(|length| (*length, usize::MAX));
    let last = TEXT_LENGTHS[TEXT_LENGTHS.len() - 1];
    let fewer_items = LIST_LENGTHS.iter().map(|items| (last, *items));
    let mut shorter = Value::Null;
    for (chars, items) in lengths.chain(fewer_items) {
        shorter = cut_value(row, chars, items);
        if char_count(&shorter) <= most {
            break;
        }
    }
    shorter
}

/// Returns a value with texts of so many characters and lists of so many items at most.
fn cut_value(value: &Value, chars: usize, items: usize) -> Value {
    match value {
        Value::String(text) => cut_text(text, chars).into(),
        Value::Array(list) => {
            let more = list.len().saturating_sub(items);
            let kept = list.iter().take(items).map(|item| cut_value(item, chars, items));
            let note = (more > 0).then(|| format!("… {more} more").into());
            kept.chain(note).collect()
        }
        Value::Object(fields) => {
            let cut = |(key, value): (&String, &Value)| {
                let is_place = PLACE_FIELDS.contains(&key.as_str()) && value.is_string();
                (key.clone(), if is_place { value.clone() } else { cut_value(value, chars, items) })
            };
            fields.iter().map(cut).collect()
        }
        other => other.clone(),
    }
}

fn cut_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            format!("{}… [{} more characters]", &text[..end], text[end..].chars().count())
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(count: usize, cursor: Option<&str>) -> Result<Value, String> {
        let rows = (0..count).map(|at| json!({"at": at, "text": "x".repeat(900)})).collect();
        let answer = Answer::from_rows(json!({"run": "a"}), "rows", rows);
        let text = answer.page_text(cursor, &Ok)?;
        assert!(text.chars().count() <= MOST_CHARS);
        Ok(serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn the_pages_together_have_every_row_once() {
        let (mut seen, mut cursor) = (vec![], None);
        loop {
            let page = page_of(25, cursor.as_deref()).unwrap();
            let rows = page["rows"].as_array().unwrap();
            seen.extend(rows.iter().map(|row| row["at"].as_u64().unwrap()));
            assert_eq!(page["total"], 25);
            cursor = page["next"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, (0..25).collect::<Vec<u64>>());
    }

    #[test]
    fn a_cursor_that_no_answer_has_given_is_an_error() {
        assert!(page_of(3, Some("many")).unwrap_err().contains("leave it out"));
        assert!(page_of(3, Some("7")).unwrap_err().contains("3 rows"));
        assert!(page_of(3, Some("-1")).is_err());
        assert_eq!(page_of(0, None).unwrap()["next"], Value::Null);
    }

    #[test]
    fn a_row_is_cut_to_its_size_and_says_how_much_is_missing() {
        let row = json!({"place": "a:1", "texts": vec!["y".repeat(9_000); 40]});
        let row = shorten_row(&row, CHARS_OF_ROW);
        assert!(char_count(&row) <= CHARS_OF_ROW);
        assert_eq!(row["place"], "a:1");
        assert!(row["texts"][0].as_str().unwrap().ends_with(" more characters]"));

        assert_eq!(cut_text("zzzzz", 2), "zz… [3 more characters]");
        assert_eq!(cut_text("zzzzz", 5), "zzzzz");
    }

    #[test]
    fn places_are_kept_and_the_rest_is_redacted() {
        let redactor = Redactor::new(&Default::default());
        let row = json!({"place": "/home/joe/a:1", "text": "see /home/joe/a", "in": [{"run": "/home/joe/a"}]});
        let row = redact_row(&redactor, row);
        assert_eq!(row["place"], "/home/joe/a:1");
        assert_eq!(row["in"][0]["run"], "/home/joe/a");
        assert!(!row["text"].as_str().unwrap().contains("joe"));
    }
}
