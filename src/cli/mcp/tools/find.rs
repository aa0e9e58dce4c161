//! The tool `find`: words in the requests, messages, calls and results of all runs.

use std::path::Path;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{failure_sentence, notes_value, run_command};
use crate::cli::mcp::{
    answer::{Answer, redact_row},
    recordings::{Recordings, place_text, run_name},
};

pub(super) const DESCRIPTION: &str = "Searches requests, messages, tool calls and results of all runs, or of one. All terms must \
    match in the same request or step: words (find_us* is a prefix), \"phrases\", /patterns/, and the filters file:NAME, \
    edited:NAME, tool:NAME, error:, error:WORD, agent:NAME, project:NAME, since:7d, outcome:failed, task:NAME, reward>=0.5; `!` \
    before a filter of the outcome negates it. Rows are matching lines with their place, the newest run first.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct FindCall {
    /// The terms, such as `retry "connection reset" tool:Bash`.
    words: String,
    /// Only this run, as the tool runs names it.
    run: Option<String>,
    /// The most lines of each run; default 20.
    max_per_run: Option<usize>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

const MOST_PER_RUN: usize = 20;

pub(super) fn answer_call(recordings: &Recordings, call: &FindCall) -> Result<String, String> {
    let cursor = call.cursor.as_deref();
    let named = format!("find {:?} {:?} {:?}", call.words, call.run, call.max_per_run);
    let answer = recordings.answer_for_page(&named, cursor, || hits_answer(recordings, call))?;
    answer.page_text(cursor, &|row| redact_hit(recordings, row))
}

fn hits_answer(recordings: &Recordings, call: &FindCall) -> Result<Answer, String> {
    let searched = match &call.run {
        Some(name) => [recordings.find_run(Some(name))?].into(),
        None => recordings.find_runs(),
    };
    let most = format!("--max-count={}", call.max_per_run.unwrap_or(MOST_PER_RUN));
    let names: Vec<String> = searched.iter().map(|path| path.display().to_string()).collect();
    let mut words = vec!["find", "--json", &most, "--", &call.words];
    words.extend(names.iter().map(String::as_str));
    let printed = run_command(&words)?;
    let rows = printed.documents.into_iter().map(|hit| hit_row(&hit)).collect();
    let facts = json!({ "words": call.words, "searched": searched.len(), "notes": notes_value(&printed.notes) });
    Ok(Answer::from_rows(facts, "hits", rows))
}

fn hit_row(hit: &Value) -> Value {
    let number = |field: &str| hit[field].as_u64().and_then(|number| usize::try_from(number).ok());
    let path = hit["path"].as_str().unwrap_or_default();
    json!({
        "path": path,
        "place": place_text(Path::new(path), number("turn"), number("step")),
        "field": hit["field"],
        "line": hit["line"],
        "text": hit["text"],
        "title": hit["title"],
    })
}

/// Redacts a row by what is secret in its run, whose path it loses.
fn redact_hit(recordings: &Recordings, mut row: Value) -> Result<Value, String> {
    let path = row["path"].take();
    let path = Path::new(path.as_str().unwrap_or_default());
    let redactor = recordings.redactor_of(path).map_err(failure_sentence)?;
    let mut row = redact_row(&redactor, row);
    if let Value::Object(fields) = &mut row {
        fields.remove("path");
        fields.insert("run".into(), run_name(path).into());
    }
    Ok(row)
}
