//! Runs as rows of training sets: conversations in the form of OpenAI's fine-tuning and of TRL, and which runs of a task make
//! a pair of a better and a worse one.

use serde::Serialize;
use serde_json::{Map, Value, json};

use trajview_run::{Outcome, RecordPlace, Role, Run, Step, StepId, StepKind, SubAgent};

use super::{Archive, arguments_text};

/// A run as the messages between the user, the model and its tools.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    pub messages: Vec<Value>,
    /// The number of messages at the end of each counted turn in which the model did something.
    pub turn_ends: Vec<usize>,
    /// The definitions of the tools, where the recording has them.
    pub tools: Option<Value>,
    pub gaps: ConversationGaps,
}

/// The parts of a run that its conversation does not have, or has in another form than the model saw them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ConversationGaps {
    /// Cuts of the context: after one, the model saw a summary instead of what was before.
    pub compactions: usize,
    /// Calls whose result is not recorded.
    pub calls_without_result: usize,
    /// Sub-agents, whose own conversations are left out.
    pub subagents: usize,
    /// Records of unknown kinds, which are left out.
    pub unknown_records: usize,
    /// Turns that were cut, failed or skipped, which are left out.
    pub turns_not_counted: usize,
}

/// Returns the conversation of a run. Steps of the model that nothing interrupts are one message. The arguments of calls are
/// texts, as OpenAI's API has them.
pub fn to_conversation(run: &Run, archive: &Archive) -> Conversation {
    let mut writer = ConversationWriter { run, archive, made: Conversation::default(), open: None };
    writer.made.gaps.turns_not_counted = run.turns.len() - run.counted_turns().count();
    writer.made.gaps.subagents = run.subagents.iter().filter(|agent| is_started(agent)).count();
    writer.made.tools = archive.tool_definitions(run);
    for turn in (0..run.turns.len()).filter(|turn| run.turns[*turn].is_counted()) {
        writer.add_turn(turn);
    }
    writer.made
}

const fn is_started(agent: &SubAgent) -> bool {
    !agent.was_left
}

struct ConversationWriter<'r> {
    run: &'r Run,
    archive: &'r Archive,
    made: Conversation,
    open: Option<OpenMessage>,
}

/// A message of the model to which the next steps may belong.
#[derive(Default)]
struct OpenMessage {
    thoughts: Vec<String>,
    words: Vec<String>,
    calls: Vec<Value>,
    results: Vec<Value>,
    /// The record of the last call.
    record: Option<RecordPlace>,
}

impl ConversationWriter<'_> {
    fn add_turn(&mut self, turn: usize) {
        let recorded = &self.run.turns[turn];
        if recorded.request.is_some() {
            let mut words = vec![self.archive.request_text(self.run, turn)];
            words.extend(self.archive.added_texts(self.run, turn));
            self.made.messages.push(json!({ "role": "user", "content": words.join("\n\n") }));
        }
        let before = self.made.messages.len();
        for step in 0..recorded.steps.len() {
            self.add_step(StepId { turn, subagent: None, step });
        }
        self.close_message();
        let answers = &self.made.messages[before..];
        if answers.iter().any(|message| message["role"] == "assistant") {
            self.made.turn_ends.push(self.made.messages.len());
        }
    }

    fn add_step(&mut self, id: StepId) {
        let Some(step) = self.run.step(id) else { return };
        match (step.kind, step.role) {
            (StepKind::Thinking, _) | (StepKind::Message, Role::Assistant) => {
                let text = self.archive.step_text(self.run, id).text;
                let open = self.open_message(step);
                let words = match step.kind {
                    StepKind::Thinking => &mut open.thoughts,
                    _ => &mut open.words,
                };
                words.extend(Some(text).filter(|text| !text.is_empty()));
            }
            (StepKind::Tool | StepKind::SubAgent, _) => self.add_call(id, step),
            (StepKind::Unknown, _) => self.made.gaps.unknown_records += 1,
            // An error of the model's service is not a part of what the model saw.
            (StepKind::Message, Role::System) if step.is_error => {}
            (StepKind::Message | StepKind::Compaction, role) => {
                self.made.gaps.compactions += usize::from(step.kind == StepKind::Compaction);
                self.close_message();
                let role = if role == Role::User { "user" } else { "system" };
                let text = self.archive.step_text(self.run, id).text;
                self.made.messages.push(json!({ "role": role, "content": text }));
            }
        }
    }

    fn add_call(&mut self, id: StepId, step: &Step) {
        let Some(tool) = &step.tool else { return }; // a branch that was left
        let text = self.archive.step_text(self.run, id);
        let call_id = match &*tool.call_id {
            "" => format!("call-{}-{}", id.turn + 1, id.step + 1),
            call_id => call_id.to_owned(),
        };
        let open = self.open_message(step);
        open.words.extend(Some(text.text).filter(|text| !text.is_empty()));
        let arguments = arguments_text(text.arguments.unwrap_or_default());
        open.calls.push(json!({
            "id": call_id,
            "type": "function",
            "function": { "name": tool.name, "arguments": arguments },
        }));
        open.record = Some(step.place.with_part(0));
        match tool.result {
            Some(_) => {
                let content = text.result.unwrap_or_default();
                open.results.push(
                    json!({ "role": "tool", "tool_call_id": call_id, "name": tool.name, "content": content }),
                );
            }
            None => self.made.gaps.calls_without_result += 1,
        }
    }

    /// Returns the message that a step of the model belongs to, and opens a new one where none is open: calls end it,
    /// but for those in the same record.
    fn open_message(&mut self, step: &Step) -> &mut OpenMessage {
        let record = step.place.with_part(0);
        if self.open.as_ref().is_some_and(|open| open.record.is_some_and(|last| last != record)) {
            self.close_message();
        }
        self.open.get_or_insert_default()
    }

    fn close_message(&mut self) {
        let Some(open) = self.open.take() else { return };
        let mut message = Map::new();
        message.insert("role".into(), "assistant".into());
        message.insert("content".into(), open.words.join("\n\n").into());
        if !open.thoughts.is_empty() {
            message.insert("reasoning_content".into(), open.thoughts.join("\n\n").into());
        }
        if !open.calls.is_empty() {
            message.insert("tool_calls".into(), open.calls.into());
        }
        self.made.messages.push(message.into());
        self.made.messages.extend(open.results);
    }
}

/// Returns the number of messages at the start of two conversations that are equal and can be the prompt of a preference: it
/// does not end with a message of the model, and both go on with one. None where there is no such start.
pub fn shared_prompt(better: &[Value], worse: &[Value]) -> Option<usize> {
    let is_answer = |message: Option<&Value>| message.is_some_and(|it| it["role"] == "assistant");
    let equal = better.iter().zip(worse).take_while(|(a, b)| a == b).count();
    (1..=equal).rev().find(|end| {
        !is_answer(better.get(end - 1)) && is_answer(better.get(*end)) && is_answer(worse.get(*end))
    })
}

/// Returns pairs of a better and a worse run of one task, by their positions: the best with the worst, then the next ones,
/// as long as their outcomes differ. A run is in one pair at most. Runs without a verdict are in none.
pub fn preference_pairs(outcomes: &[Outcome]) -> Vec<(usize, usize)> {
    let rank = |run: usize| match outcomes[run] {
        Outcome::Passed => Some(2),
        Outcome::Partial => Some(1),
        Outcome::Failed => Some(0),
        Outcome::Error | Outcome::Timeout | Outcome::Limit | Outcome::Unscored => None,
    };
    let mut worst: Vec<(i32, usize)> =
        (0..outcomes.len()).filter_map(|run| Some((rank(run)?, run))).collect();
    let mut best = worst.clone();
    best.sort_by_key(|(rank, run)| (-rank, *run));
    worst.sort();
    let pairs = best.into_iter().zip(worst);
    pairs.take_while(|(a, b)| a.0 > b.0).map(|(a, b)| (a.1, b.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_run_is_paired_with_the_worst_and_each_run_once() {
        use Outcome::{Error, Failed, Partial, Passed};
        assert_eq!(preference_pairs(&[Failed, Passed, Error, Passed]), [(1, 0)]);
        assert_eq!(preference_pairs(&[Passed, Passed, Partial, Failed]), [(0, 3), (1, 2)]);
        assert_eq!(preference_pairs(&[Passed, Passed]), []);
        assert_eq!(preference_pairs(&[]), []);
    }

    #[test]
    fn a_shared_prompt_ends_before_the_first_answer_that_differs() {
        let message = |role: &str, content: &str| json!({ "role": role, "content": content });
        let asked = message("user", "do");
        let better = [asked.clone(), message("assistant", "a"), message("user", "on")];
        let worse = [asked.clone(), message("assistant", "b")];
        assert_eq!(shared_prompt(&better, &worse), Some(1));
        // Equal to the end of one: the prompt is the last place where both go on.
        assert_eq!(shared_prompt(&better, &better[..2]), Some(1));
        assert_eq!(shared_prompt(&better, &[message("user", "other"), asked.clone()]), None);
        assert_eq!(shared_prompt(&better, &[asked]), None);
    }
}
