//! The tool `losses`: the components and tests that a run lost.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{notes_value, page_of_run, picked_fields, run_command, with_field};
use crate::cli::mcp::{
    answer::Answer,
    recordings::{Recordings, place_text},
};

pub(super) const DESCRIPTION: &str = "Lists the components that a run lost and the tests that passed and later failed: the turn and its \
    request, the symbols and lines that went, and the verdicts before and after.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct LossesCall {
    /// The run, as the tool runs names it. May be left out where the server has one run.
    run: Option<String>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

pub(super) fn answer_call(recordings: &Recordings, call: &LossesCall) -> Result<String, String> {
    let path = recordings.find_run(call.run.as_deref())?;
    let name = path.display().to_string();
    let printed = run_command(&["losses", "--json", "--", &name])?;
    let notes = notes_value(&printed.notes);
    let mut document = printed.into_document();
    let mut facts =
        picked_fields(&document, &["turns", "judge", "followed", "components", "tests"]);
    with_field(&mut facts, "notes", notes);
    let mut rows = match document["losses"].take() {
        Value::Array(rows) => rows,
        _ => vec![],
    };
    for row in &mut rows {
        let turn = row["turn"].as_u64().and_then(|turn| usize::try_from(turn).ok());
        with_field(row, "place", place_text(&path, turn, None));
    }
    page_of_run(recordings, &path, Answer::from_rows(facts, "losses", rows), call.cursor.as_deref())
}
