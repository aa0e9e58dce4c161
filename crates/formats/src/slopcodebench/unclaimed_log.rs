//! The log of an agent that no format reads: each of its lines is shown as it is, with a warning.

use crate::format::file_name;
use trajview_run::{RecordPlace, Role, Run, SourceId, Step, Turn, first_line_label};

use super::super::{SourceBytes, jsonl};

/// The names that the harness gives to the logs of agents.
const LOG_NAMES: [&str; 5] =
    ["stdout.jsonl", "messages.jsonl", "events.jsonl", "trajectory.jsonl", "trajectory.json"];

/// Returns the lines of one log; None where the file is none.
pub fn read_unclaimed(source: SourceBytes<'_>, id: SourceId) -> Option<Run> {
    let name = file_name(source.name);
    if !LOG_NAMES.contains(&name) || source.bytes.trim_ascii().is_empty() {
        return None;
    }
    let step = |(place, line): (RecordPlace, &[u8])| Step {
        place,
        label: first_line_label(&String::from_utf8_lossy(line)),
        role: Role::System,
        ..Step::default()
    };
    let steps = jsonl::lines_of_file(id, source.bytes).map(step).collect();
    let mut run = Run { turns: vec![Turn { steps, ..Turn::default() }], ..Run::default() };
    run.origin.format = "slopcodebench";
    let place = RecordPlace { line: 1, ..RecordPlace::default() };
    let what = "not a log of a known agent; its lines are shown as they are";
    run.warnings.push(jsonl::warning_at(source.name, place, what));
    Some(run)
}
