//! The tool `diff`: what a turn, a step or a stretch of the run changed, as patches or counts.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use trajview_store as store;

use super::{failure_sentence, notes_value, page_of_run, run_command};
use crate::cli::{
    mcp::{
        answer::{Answer, redact_row},
        recordings::{Recordings, place_text},
    },
    run_args,
};

pub(super) const DESCRIPTION: &str = "Shows what changed in the workspace of a run as patches, file by file: of one turn, of one \
    step (12.7), or between two moments (`from`, `to`; default: from start to final). With `stat` only counts of lines.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct DiffCall {
    /// The run, as the tool runs names it. May be left out where the server has one run.
    run: Option<String>,
    /// A turn; counts from 1.
    turn: Option<usize>,
    /// A step of a turn, such as 12.7.
    step: Option<String>,
    /// The moment before: a turn, a step of one, a checkpoint's id, start or final.
    from: Option<String>,
    /// The moment after.
    to: Option<String>,
    /// Only files whose path matches this glob; `**` crosses folders.
    path: Option<String>,
    /// Counts of lines instead of patches.
    stat: Option<bool>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

/// The characters of a part of a patch; a row has one part.
const CHARS_OF_PART: usize = 3_500;

pub(super) fn answer_call(recordings: &Recordings, call: &DiffCall) -> Result<String, String> {
    if call.turn.is_some() && call.step.is_some()
        || (call.turn.is_some() || call.step.is_some())
            && (call.from.is_some() || call.to.is_some())
    {
        return Err("turn, step and from/to exclude each other; use one of them".into());
    }
    let path = recordings.find_run(call.run.as_deref())?;
    let place = end_place(&path, call)?;
    let is_stat = call.stat == Some(true);
    let name = path.display().to_string();
    let mut words = vec!["diff".to_owned()];
    let turn = call.turn.map(|turn| turn.to_string());
    let options = [
        ("--turn", &turn),
        ("--step", &call.step),
        ("--from", &call.from),
        ("--to", &call.to),
        ("--path", &call.path),
    ];
    let given = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    words.extend(given.map(|(name, value)| format!("{name}={value}")));
    words.extend(is_stat.then(|| ["--stat".to_owned(), "--json".to_owned()]).into_iter().flatten());
    words.extend(["--".to_owned(), name]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let printed = run_command(&words)?;
    let redactor = recordings.redactor_of(&path).map_err(failure_sentence)?;
    let facts = json!({ "place": place, "notes": notes_value(&printed.notes) });
    let rows = match is_stat {
        true => rows_of_counts(printed.into_document(), &place),
        // Before a patch is divided: a part of a secret is not known for one.
        false => {
            let patches =
                printed.texts.into_iter().map(|patch| redact_row(&redactor, patch.into()));
            patches.flat_map(|patch| rows_of_patch(&patch, &place)).collect()
        }
    };
    page_of_run(recordings, &path, Answer::from_rows(facts, "files", rows), call.cursor.as_deref())
}

/// Returns the place at which the changes are done.
fn end_place(path: &std::path::Path, call: &DiffCall) -> Result<String, String> {
    let opened = store::open(path).map_err(|why| why.to_string())?;
    let turn = call.turn.map(|turn| turn.to_string());
    let word = turn.or_else(|| call.step.clone()).or_else(|| call.to.clone());
    let word = word.unwrap_or_else(|| "final".into());
    let moment = run_args::parse_moment(&opened.run, &word).map_err(failure_sentence)?;
    Ok(match moment.step {
        Some(step) => {
            place_text(path, Some(step.turn + 1), Some(run_args::step_number(&opened.run, step)))
        }
        None => place_text(path, Some(moment.turns), None),
    })
}

fn rows_of_counts(document: Value, place: &str) -> Vec<Value> {
    let files = document["files"].as_array().cloned().unwrap_or_default();
    let with_place = |mut file: Value| {
        super::with_field(&mut file, "place", place);
        file
    };
    files.into_iter().map(with_place).collect()
}

/// Divides the patch of one file at ends of lines.
fn rows_of_patch(patch: &Value, place: &str) -> Vec<Value> {
    let patch = patch.as_str().unwrap_or_default();
    let mut parts = vec![String::new()];
    for line in patch.split_inclusive('\n') {
        let part = parts.last_mut().expect("there is one from the beginning");
        if part.chars().count() + line.chars().count() > CHARS_OF_PART && !part.is_empty() {
            parts.push(line.to_owned());
        } else {
            part.push_str(line);
        }
    }
    let path = path_of_patch(patch);
    let of = parts.len();
    let row = |(text, part): (String, usize)| json!({ "place": place, "path": path, "part": part, "of_parts": of, "patch": text });
    parts.into_iter().zip(1..).filter(|(text, _)| !text.is_empty()).map(row).collect()
}

/// Returns the path after the change, or before it where the file is gone.
fn path_of_patch(patch: &str) -> Option<&str> {
    let named = |mark| patch.lines().find_map(|line| line.strip_prefix(mark));
    named("+++ b/").or_else(|| named("--- a/")).or_else(|| named("rename to ")).or_else(|| {
        let both = patch.lines().next()?.strip_prefix("diff --git a/")?;
        both.split_once(" b/").map(|(path, _)| path)
    })
}
