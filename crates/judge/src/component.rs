//! The conversation about one component, decision or part, or one group of criteria: at most so many looks, one more chance for a malformed answer, then an end.
//!
//! This module does not know how a judge is reached: an [`AskJudge`] does, and may be anything. Whatever it answers, it
//! gets no more requests than [`most_requests`].

use serde::{Serialize, Serializer};
use serde_json::Value;

use trajview_run::{
    judging::JudgingScale,
    rubric::{self, CANNOT_TELL, CriterionScore, Evidence, QuotedEvidence},
};
use trajview_store::sha256;

use super::{
    answer::{self, cut_text},
    codebook_scores,
    conversation::{
        CallOutcome, Conversation, ConversationEntry, JudgeReply, ReplyCall, ReplyUsage,
    },
    fault::JudgeFault,
    flags,
    item::{ItemAnswer, ItemDecision, JudgeItem},
    prompt::JudgePrompt,
    scale,
    snapshot::CodeSnapshot,
    tools,
};

/// A judge that answers.
pub trait AskJudge {
    /// Sends the conversation so far to the judge, and returns its reply.
    fn ask_judge(&mut self, conversation: &Conversation) -> Result<TimedReply, JudgeFault>;

    /// Reports a tool call to an observer.
    fn on_tool_call(&mut self, _call: &ToolCallRecord) {}
}

/// A reply with its duration and its number of attempts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TimedReply {
    pub reply: JudgeReply,
    pub seconds: f64,
    /// Number of attempts, retries included; from 1.
    pub attempts: u32,
}

/// A question for a judge.
#[derive(Debug, Clone, Copy)]
pub struct JudgeQuestion<'a> {
    pub item: &'a JudgeItem,
    pub prompt: &'a JudgePrompt,
    pub snapshot: &'a CodeSnapshot,
    /// Looks it may take.
    pub budget: u32,
}

/// The judging of one component or group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgedItem {
    /// The decision. None where [`Self::error`] or [`Self::fault`] gives the reason.
    pub decided: Option<ItemDecision>,
    /// The reason why a complete conversation gave no usable verdict.
    pub error: Option<String>,
    /// The fault that broke the conversation off; another try may well give a decision.
    pub fault: Option<JudgeFault>,
    pub tool_calls: Vec<ToolCallRecord>,
    pub requests: Vec<RequestRecord>,
    /// See [`JudgeItem::words_sha256`].
    pub about_sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CheckedVerdict {
    /// The level; None where the judge answered that it cannot tell, and where it scored by a codebook.
    pub level: Option<u8>,
    /// The scores by a codebook, in its order.
    pub scores: Vec<CriterionScore>,
    /// The name of the level, or that the judge cannot tell; by a codebook what it gave.
    pub label: String,
    pub rationale: String,
    /// Lines the snapshot has.
    pub evidence: Vec<Evidence>,
    pub quoted_evidence: QuotedEvidence,
    /// Other evidence as written, each with the reason why it does not count.
    pub left_out: Vec<(String, String)>,
    /// The confidence, 0 to 1; None where none was requested or stated.
    pub confidence: Option<f64>,
}

/// One look, for the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCallRecord {
    pub tool: String,
    /// The arguments as the judge gave them, shortened where they are long.
    pub arguments: Value,
    /// Size of the answer.
    pub bytes: usize,
    pub sha256: String,
    pub excerpt: String,
    #[serde(rename = "refused")]
    pub is_refused: bool,
    /// The request with the call; counts from 1.
    pub request: usize,
}

impl From<ToolCallRecord> for rubric::JudgeToolCall {
    fn from(record: ToolCallRecord) -> Self {
        Self {
            tool: record.tool,
            arguments: match record.arguments {
                Value::String(text) => text,
                other => other.to_string(),
            },
            bytes: Some(record.bytes as u64),
            sha256: Some(record.sha256),
            excerpt: Some(record.excerpt),
        }
    }
}

/// One request, for the record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RequestRecord {
    #[serde(flatten)]
    pub usage: ReplyUsage,
    /// Written to milliseconds.
    #[serde(serialize_with = "to_milliseconds")]
    pub seconds: f64,
    pub attempts: u32,
}

/// Rounds to milliseconds.
pub(crate) fn round_to_milliseconds(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

fn to_milliseconds<S: Serializer>(seconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(round_to_milliseconds(*seconds))
}

/// Requests for one component at most, retries of the network aside: every look in a request of its own, the verdict,
/// one more chance, and one level before the first look where that is requested again.
pub(crate) const fn most_requests(scale: JudgingScale, budget: u32) -> u32 {
    let reminders = if rests_on_code(scale) { 1 } else { 0 };
    budget.saturating_add(2 + reminders)
}

/// Returns whether an answer needs a look at the code: parts of the process come with their material, and flags are no level.
const fn rests_on_code(scale: JudgingScale) -> bool {
    match scale {
        JudgingScale::Levels | JudgingScale::Codebook | JudgingScale::Decisions => true,
        JudgingScale::Process | JudgingScale::Flags => false,
    }
}

/// The request after a level that was given before the first look.
const LOOK_FIRST: &str = "You gave this without a look at the repository. Look at the code with the tools first, then answer \
    again, in the same form.";

/// Longest part of a tool's answer, of arguments and of a name in the record (characters).
const EXCERPT: usize = 600;
const MOST_ARGUMENTS: usize = 2_000;
const MOST_NAME: usize = 80;

/// Asks about one component.
pub(crate) fn judge_item(question: &JudgeQuestion<'_>, ask: &mut dyn AskJudge) -> JudgedItem {
    let mut exchange = JudgeExchange::for_question(question);
    loop {
        let reply = match ask.ask_judge(&exchange.conversation) {
            Ok(timed_reply) => exchange.record_request(timed_reply),
            Err(fault) => return JudgedItem { fault: Some(fault), ..exchange.judged },
        };
        let step = exchange.classify_reply(&reply);
        let results = match step {
            ReplyKind::Answer(_) if exchange.must_look_first() => {
                exchange.ask_to_look(&reply.calls, ask)
            }
            ReplyKind::Answer(answer) => return exchange.finish_with(answer),
            ReplyKind::ToolCalls => exchange.answer_calls(&reply.calls, ask),
            ReplyKind::Wrong(why) if exchange.has_second_chance => {
                exchange.ask_again(&reply.calls, &why)
            }
            ReplyKind::Wrong(why) => {
                let call = scale::answer_call(question.item.scale());
                exchange.judged.error = Some(format!("no {call} after two attempts: {why}"));
                return exchange.judged;
            }
        };
        exchange.conversation.entries.push(ConversationEntry::Replied(reply));
        exchange.conversation.entries.extend(results);
    }
}

struct JudgeExchange<'a> {
    question: &'a JudgeQuestion<'a>,
    conversation: Conversation,
    calls_left: u32,
    has_second_chance: bool,
    /// True if the judge gave a level before its first look and was asked again.
    is_reminded: bool,
    judged: JudgedItem,
}

enum ReplyKind<'m> {
    Answer(ItemAnswer<'m>),
    ToolCalls,
    /// The reason why the reply is neither.
    Wrong(String),
}

impl<'a> JudgeExchange<'a> {
    fn for_question(question: &'a JudgeQuestion<'a>) -> Self {
        let JudgeQuestion { item, prompt, budget, .. } = *question;
        let conversation = Conversation {
            system: prompt.system_text(budget),
            entries: vec![ConversationEntry::Sent(prompt.question_text(item, budget))],
            may_call_tools: budget > 0,
            scale: item.scale(),
            codebook: item.codebook().cloned(),
            asks_confidence: prompt.asks_confidence,
            wants_text: false,
        };
        Self {
            question,
            conversation,
            calls_left: budget,
            has_second_chance: true,
            is_reminded: false,
            judged: JudgedItem { about_sha256: item.words_sha256(), ..JudgedItem::default() },
        }
    }

    fn record_request(&mut self, timed_reply: TimedReply) -> JudgeReply {
        let TimedReply { reply, seconds, attempts } = timed_reply;
        self.judged.requests.push(RequestRecord { usage: reply.usage, seconds, attempts });
        reply
    }

    fn classify_reply(&self, reply: &JudgeReply) -> ReplyKind<'a> {
        let item = self.question.item;
        if let Some(call) =
            reply.calls.iter().find(|call| call.name == scale::answer_call(item.scale()))
        {
            return match item.parse_answer_object(call.arguments.value()) {
                Ok(answer) => ReplyKind::Answer(answer),
                Err(why) => ReplyKind::Wrong(why),
            };
        }
        if !reply.calls.is_empty() {
            return match self.calls_left {
                0 => ReplyKind::Wrong("it made a tool call over the limit".into()),
                _ => ReplyKind::ToolCalls,
            };
        }
        match item.parse_answer(&reply.text) {
            Ok(answer) => ReplyKind::Answer(answer),
            Err(_) if reply.is_cut => {
                ReplyKind::Wrong("the answer was cut at its longest length".into())
            }
            Err(why) => ReplyKind::Wrong(why),
        }
    }

    /// Carries out calls of tools, as many as are left, and returns their results; refuses the others.
    fn answer_calls(
        &mut self,
        calls: &[ReplyCall],
        ask: &mut dyn AskJudge,
    ) -> Vec<ConversationEntry> {
        let ending = scale::answer_call(self.question.item.scale());
        let mut results = vec![];
        for call in calls {
            let answer = match self.calls_left {
                0 => tools::ToolAnswer::refused(&format!("no calls are left; give your {ending}")),
                _ => tools::answer_call(&call.name, call.arguments.value(), self.question.snapshot),
            };
            self.calls_left = self.calls_left.saturating_sub(1);
            let record = ToolCallRecord {
                tool: cut_text(&call.name, MOST_NAME),
                arguments: shorten_arguments(call.arguments.value()),
                bytes: answer.text.len(),
                sha256: sha256(answer.text.as_bytes()),
                excerpt: cut_text(&answer.text, EXCERPT),
                is_refused: answer.is_refused,
                request: self.judged.requests.len(),
            };
            ask.on_tool_call(&record);
            self.judged.tool_calls.push(record);
            let ReplyCall { id, .. } = call.clone();
            results.push(CallOutcome { id, text: answer.text, is_error: answer.is_refused });
        }
        self.conversation.may_call_tools = self.calls_left > 0;
        let left = match self.calls_left {
            0 => format!("No calls are left. Give your {ending} now."),
            1 => "1 call is left.".to_owned(),
            left => format!("{left} calls are left."),
        };
        if let Some(last) = results.last_mut() {
            last.text = format!("{}\n\n({left})", last.text);
        }
        vec![ConversationEntry::Results(results)]
    }

    /// Requests the answer a second and last time.
    fn ask_again(&mut self, calls: &[ReplyCall], why: &str) -> Vec<ConversationEntry> {
        self.has_second_chance = false;
        let confidence_text = scale::confidence_request(self.question.prompt.asks_confidence);
        let retry_text = self.question.item.retry_request(why) + &confidence_text;
        self.send_text(calls, &retry_text)
    }

    /// Returns whether the judge answers without a look, may still look, and was not asked to do so yet.
    fn must_look_first(&self) -> bool {
        rests_on_code(self.question.item.scale())
            && !self.is_reminded
            && self.calls_left > 0
            && self.judged.look_count() == 0
    }

    /// Answers the calls beside an early level, and asks for the level again.
    fn ask_to_look(
        &mut self,
        calls: &[ReplyCall],
        ask: &mut dyn AskJudge,
    ) -> Vec<ConversationEntry> {
        self.is_reminded = true;
        let ending = scale::answer_call(self.question.item.scale());
        let (answers, looks): (Vec<ReplyCall>, Vec<ReplyCall>) =
            calls.iter().cloned().partition(|call| call.name == ending);
        let mut results = match looks.is_empty() {
            true => vec![],
            false => self.answer_calls(&looks, ask),
        };
        let reminders = self.send_text(&answers, LOOK_FIRST);
        match (results.first_mut(), reminders.as_slice()) {
            // The results of one reply are one entry.
            (Some(ConversationEntry::Results(all)), [ConversationEntry::Results(more)]) => {
                all.extend(more.iter().cloned());
                results
            }
            _ => reminders,
        }
    }

    /// Sends a text: as the result of each call where there are calls, which need one.
    fn send_text(&self, calls: &[ReplyCall], text: &str) -> Vec<ConversationEntry> {
        if calls.is_empty() {
            return vec![ConversationEntry::Sent(text.to_owned())];
        }
        let outcome = |call: &ReplyCall| CallOutcome {
            id: call.id.clone(),
            text: text.to_owned(),
            is_error: true,
        };
        vec![ConversationEntry::Results(calls.iter().map(outcome).collect())]
    }

    fn finish_with(mut self, answer: ItemAnswer<'_>) -> JudgedItem {
        let snapshot = self.question.snapshot;
        self.judged.decided = Some(match answer {
            ItemAnswer::Level(answer) => {
                let asks_confidence = self.question.prompt.asks_confidence;
                let confidence = answer.confidence.filter(|_| asks_confidence);
                let answer = answer::VerdictAnswer { confidence, ..answer };
                ItemDecision::Level(checked_verdict(answer, self.question.item.scale(), snapshot))
            }
            ItemAnswer::Flags(answer, group) => {
                ItemDecision::Flags(flags::check_flags(&answer, group, snapshot))
            }
        });
        self.judged
    }
}

fn checked_verdict(
    answer: answer::VerdictAnswer,
    scale: JudgingScale,
    snapshot: &CodeSnapshot,
) -> CheckedVerdict {
    let checked = answer::check_evidence(&answer.evidence, snapshot);
    let QuotedEvidence { found, total } = checked.quoted_evidence();
    let total = total + answer.unreadable.len();
    let unreadable = answer.unreadable.into_iter().map(|words| (words, "names no file".to_owned()));
    let name = |level: u8| scale.rubric_levels().and_then(|levels| levels.name(level));
    let label = match answer.scores.is_empty() {
        true => {
            let name = answer.level.map_or(CANNOT_TELL, |level| name(level).unwrap_or_default());
            name.to_owned()
        }
        false => codebook_scores::scores_label(&answer.scores),
    };
    CheckedVerdict {
        level: answer.level,
        label,
        scores: answer.scores,
        rationale: answer.rationale,
        evidence: checked.valid,
        quoted_evidence: QuotedEvidence { found, total },
        left_out: checked.left_out.into_iter().chain(unreadable).collect(),
        confidence: answer.confidence,
    }
}

impl JudgedItem {
    /// Returns the number of tool calls that showed the judge something of the code.
    pub(crate) fn look_count(&self) -> usize {
        self.tool_calls.iter().filter(|call| !call.is_refused).count()
    }

    /// Returns the verdict on a component.
    pub fn verdict(&self) -> Option<&CheckedVerdict> {
        match &self.decided {
            Some(ItemDecision::Level(verdict)) => Some(verdict),
            Some(ItemDecision::Flags(_)) | None => None,
        }
    }

    /// Returns the flags of a group.
    pub(crate) fn checked_flags(&self) -> Option<&flags::CheckedFlags> {
        match &self.decided {
            Some(ItemDecision::Flags(flagged)) => Some(flagged),
            Some(ItemDecision::Level(_)) | None => None,
        }
    }
}

fn shorten_arguments(arguments: &Value) -> Value {
    let text = arguments.to_string();
    if text.len() <= MOST_ARGUMENTS {
        return arguments.clone();
    }
    Value::String(cut_text(&text, MOST_ARGUMENTS))
}

#[cfg(test)]
mod tests;
