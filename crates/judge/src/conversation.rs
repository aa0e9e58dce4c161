//! A conversation with a judge about one component, in no particular protocol.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use trajview_run::{judging::JudgingScale, rubric::Codebook};

use super::{codebook_scores, scale};

/// The data of one request to a judge.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// Said once, above everything.
    pub system: String,
    /// The entries in order, from the question on.
    pub entries: Vec<ConversationEntry>,
    /// True if the judge may still call tools; it may always give the verdict.
    pub may_call_tools: bool,
    /// The scale of the answer.
    pub scale: JudgingScale,
    /// The codebook that it scores by, where there is one.
    pub codebook: Option<Arc<Codebook>>,
    /// True if the answer ends with a confidence.
    pub asks_confidence: bool,
    /// True if it answers in text alone: then no tool is offered, and the scale has no effect.
    pub wants_text: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ConversationEntry {
    /// Our text.
    Sent(String),
    /// The reply of the judge.
    Replied(JudgeReply),
    /// The results of its calls, in the order of the calls.
    Results(Vec<CallOutcome>),
}

/// One reply of a judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgeReply {
    pub text: String,
    pub calls: Vec<ReplyCall>,
    pub usage: ReplyUsage,
    /// True if it ended at the bound on its length.
    pub is_cut: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplyCall {
    /// The server's id of the call; empty where the protocol has none.
    pub id: String,
    pub name: String,
    pub arguments: CallArguments,
}

/// The arguments of a call, with the text that the judge wrote: it is sent back as it was, so that its keys keep their order.
#[derive(Debug, Clone)]
pub struct CallArguments {
    value: Value,
    json_text: String,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcome {
    /// The id of the call.
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

/// Tokens of one reply; None where the server does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReplyUsage {
    /// Tokens of the request, cached parts included.
    #[serde(rename = "input_tokens")]
    pub input: Option<u64>,
    #[serde(rename = "output_tokens")]
    pub output: Option<u64>,
}

impl ReplyUsage {
    /// Returns input and output together; None where neither is known.
    pub fn total_tokens(self) -> Option<u64> {
        match (self.input, self.output) {
            (None, None) => None,
            (input, output) => Some(input.unwrap_or(0).saturating_add(output.unwrap_or(0))),
        }
    }
}

impl Conversation {
    /// Returns the schema of the arguments of the call that ends the conversation.
    pub(crate) fn answer_schema(&self) -> Box<RawValue> {
        self.codebook.as_ref().map_or_else(
            || scale::answer_schema(self.scale, self.asks_confidence),
            |book| codebook_scores::scores_schema(book, self.asks_confidence),
        )
    }

    /// Returns the answer of a judge that can call nothing.
    pub fn example_answer(&self) -> String {
        let scale_example = || scale::example_answer(self.scale).to_owned();
        let example = self.codebook.as_ref().map_or_else(scale_example, |it| it.example_answer());
        match self.asks_confidence {
            true => scale::example_with_confidence(&example),
            false => example,
        }
    }

    /// Returns about the number of bytes of a request with it, in whatever protocol.
    pub(crate) fn size_in_bytes(&self) -> usize {
        /// The size of the tools and their schemas, and of the text around each entry.
        const TOOLS: usize = 4_000;
        const AROUND: usize = 200;
        let call = |call: &ReplyCall| call.name.len() + call.arguments.json_text().len() + AROUND;
        let entry = |entry: &ConversationEntry| match entry {
            ConversationEntry::Sent(text) => text.len() + AROUND,
            ConversationEntry::Replied(it) => {
                it.text.len() + it.calls.iter().map(call).sum::<usize>() + AROUND
            }
            ConversationEntry::Results(results) => {
                results.iter().map(|it| it.text.len() + AROUND).sum()
            }
        };
        TOOLS + self.system.len() + self.entries.iter().map(entry).sum::<usize>()
    }
}

impl CallArguments {
    /// Reads the arguments from their text: an empty object where there is none, a JSON string where it is no JSON.
    pub(crate) fn parse(text: &str) -> Self {
        match text.trim() {
            "" => Self::from(Value::Object(serde_json::Map::new())),
            text => match serde_json::from_str(text) {
                Ok(value) => Self { value, json_text: text.to_owned() },
                Err(_) => Self::from(Value::String(text.to_owned())),
            },
        }
    }

    /// Returns an object; a string where the text is no JSON.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the JSON text, with the keys in the order in which the judge wrote them.
    pub(crate) fn json_text(&self) -> &str {
        &self.json_text
    }
}

impl From<Value> for CallArguments {
    /// Makes arguments that no judge wrote; their keys have no order of their own.
    fn from(value: Value) -> Self {
        Self { json_text: value.to_string(), value }
    }
}

impl Default for CallArguments {
    fn default() -> Self {
        Self::parse("")
    }
}

impl PartialEq for CallArguments {
    /// Arguments are equal where they mean the same, whatever the order of their keys.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
