//! A run in forms that other programs read, with a report of what the form could not carry: the Agent Trajectory
//! Interchange Format, messages in the form of OpenAI's API, OTLP JSON, and rows of training sets.

mod atif;
mod messages;
mod otlp;
mod training;

use serde_json::{Value, json};

use trajview_run::{Run, StepKind};

use super::archive::Archive;

pub use atif::to_atif;
pub use messages::{message_count, to_messages};
pub use otlp::{set_span_ids, to_otlp};
pub use training::{
    Conversation, ConversationGaps, preference_pairs, shared_prompt, to_conversation,
};

/// A document, and sentences about what it does not hold of the run.
#[derive(Debug, Clone)]
pub struct ExportedDocument {
    pub document: Value,
    pub left_out: Vec<String>,
}

struct ExportWriter<'r> {
    run: &'r Run,
    archive: &'r Archive,
    left_out: Vec<String>,
    /// A different id for each sub-agent, where the form needs that.
    subagent_ids: Vec<String>,
}

impl<'r> ExportWriter<'r> {
    const fn new(run: &'r Run, archive: &'r Archive) -> Self {
        Self { run, archive, left_out: vec![], subagent_ids: vec![] }
    }

    /// Reports what neither form has a field for.
    fn report_left_out(&mut self) {
        let run = self.run;
        let mut say = |is_there: bool, what: String| {
            if is_there {
                self.left_out.push(what);
            }
        };
        say(
            !run.checkpoints.is_empty(),
            format!("{} checkpoints with what was recorded of them", run.checkpoints.len()),
        );
        let commits = run.turns.iter().filter(|turn| turn.commit.is_some()).count();
        say(commits > 0, format!("the commits of {commits} turns"));
        say(run.rubric_tree.is_some(), "the rubric tree".to_owned());
        let added = run.turns.iter().filter(|turn| !turn.added.is_empty()).count();
        say(added > 0, format!("what the agent's program added to {added} requests"));
        let layers = run.turns.iter().filter(|turn| turn.layer.is_some()).count();
        say(layers > 0, format!("what a layer added to {layers} turns"));
        let states = run.turns.iter().filter(|turn| turn.record.is_some()).count();
        say(states > 0, format!("the recorded outcomes of {states} turns"));
        let unknown = run
            .turns
            .iter()
            .flat_map(|turn| &turn.steps)
            .filter(|step| step.kind == StepKind::Unknown)
            .count();
        say(
            unknown > 0,
            format!("the kinds of {unknown} records that are not known; they are carried as words"),
        );
    }
}

/// Returns the arguments of a call as an object. A text alone is the command of a call.
fn arguments_object(arguments: &str) -> Value {
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        _ => json!({ "command": arguments }),
    }
}

/// Returns the arguments of a call as the text of an object, as they are recorded where they are one.
fn arguments_text(arguments: String) -> String {
    match serde_json::from_str::<Value>(&arguments) {
        Ok(Value::Object(_)) => arguments,
        _ => json!({ "command": arguments }).to_string(),
    }
}
