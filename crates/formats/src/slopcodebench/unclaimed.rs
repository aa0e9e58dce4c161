//! The log of an agent that no format reads: each of its lines is shown as it is, and a warning says so.

use trajview_run::{Place, Role, Run, SourceId, Step, Turn, label};

use super::super::{Source, jsonl};

/// What the harness calls the logs of agents.
const NAMES: [&str; 5] =
    ["stdout.jsonl", "messages.jsonl", "events.jsonl", "trajectory.jsonl", "trajectory.json"];

/// The lines of one log; None where the file is none.
pub fn read(source: Source<'_>, id: SourceId) -> Option<Run> {
    let name = source.name.rsplit('/').next().unwrap_or(source.name);
    if !NAMES.contains(&name) || source.bytes.trim_ascii().is_empty() {
        return None;
    }
    let step = |(place, line): (Place, &[u8])| Step {
        place,
        label: label(&String::from_utf8_lossy(line)),
        role: Role::System,
        ..Step::default()
    };
    let steps = jsonl::lines(id, source.bytes).map(step).collect();
    let mut run = Run { turns: vec![Turn { steps, ..Turn::default() }], ..Run::default() };
    run.origin.format = "slopcodebench";
    let place = Place { line: 1, ..Place::default() };
    let what = "not a log of a known agent; its lines are shown as they are";
    run.warnings.push(jsonl::warning(source.name, place, what));
    Some(run)
}
