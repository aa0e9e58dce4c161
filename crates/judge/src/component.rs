//! The conversation about one component, decision or part, or one group of criteria: at most so many looks, one more chance for a malformed answer, then an end.
//!
//! Nothing here knows how a judge is reached: [`Ask`] does, and may be anything. Whatever it answers, it is asked no
//! more often than [`most_requests`] says.

use serde::{Serialize, Serializer};
use serde_json::Value;

use trajview_run::rubric::{CANNOT_TELL, Evidence, Given};
use trajview_store::sha256;

use super::{
    answer::{self, cut},
    conversation::{Call, Conversation, Entry, Outcome, Reply, Usage},
    fault::Fault,
    flags, given,
    item::{Decided, Item, Said},
    prompt::Prompt,
    scale::Scale,
    snapshot::Snapshot,
    tools,
};

/// Who answers.
pub trait Ask {
    /// One reply to everything said so far.
    fn ask(&mut self, conversation: &Conversation) -> Result<Asked, Fault>;

    /// A look was taken; for whoever watches.
    fn looked(&mut self, _look: &Look) {}
}

/// A reply, and what it took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    pub reply: Reply,
    pub seconds: f64,
    /// How often it was asked for, retries included; from 1.
    pub attempts: u32,
}

/// What a judge is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub item: &'a Item,
    pub prompt: &'a Prompt,
    pub snapshot: &'a Snapshot,
    /// Looks it may take.
    pub budget: u32,
}

/// How one component or group was judged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// None where [`Self::error`] or [`Self::fault`] says why.
    pub decided: Option<Decided>,
    /// The judge was heard out, and gave no verdict that can be used.
    pub error: Option<String>,
    /// It could not be heard out; asked again, it may well decide.
    pub fault: Option<Fault>,
    pub looks: Vec<Look>,
    pub requests: Vec<Request>,
    /// See [`Item::words_sha256`].
    pub about_sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// None where the judge answered that it cannot tell, and where it scored by a codebook.
    pub level: Option<u8>,
    /// The scores by a codebook, in its order.
    pub given: Vec<Given>,
    /// The name of the level, or that the judge cannot tell; by a codebook what it gave.
    pub label: String,
    pub rationale: String,
    /// Lines the snapshot has.
    pub evidence: Vec<Evidence>,
    /// What else was named, as written, with why it does not count.
    pub left_out: Vec<(String, String)>,
}

/// One look, for the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Look {
    pub tool: String,
    /// As the judge gave them, shortened where they are long.
    pub arguments: Value,
    /// Of what it was told.
    pub bytes: usize,
    pub sha256: String,
    pub excerpt: String,
    #[serde(rename = "refused")]
    pub is_refused: bool,
    /// Which request led to it; counts from 1.
    pub request: usize,
}

/// One request, for the record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Request {
    #[serde(flatten)]
    pub usage: Usage,
    /// Written to milliseconds.
    #[serde(serialize_with = "to_milliseconds")]
    pub seconds: f64,
    pub attempts: u32,
}

/// To milliseconds.
pub fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

fn to_milliseconds<S: Serializer>(seconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(rounded(*seconds))
}

/// Requests for one component at most, retries of the network aside: every look in a request of its own, the verdict,
/// and one more chance.
pub const fn most_requests(budget: u32) -> u32 {
    budget.saturating_add(2)
}

/// What of a tool's answer, of arguments and of a name goes into the record (characters).
const EXCERPT: usize = 600;
const MOST_ARGUMENTS: usize = 2_000;
const MOST_NAME: usize = 80;

/// Asks about one component.
pub fn judge(question: &Question<'_>, ask: &mut dyn Ask) -> Judged {
    let mut exchange = Exchange::of(question);
    loop {
        let reply = match ask.ask(&exchange.conversation) {
            Ok(asked) => exchange.record(asked),
            Err(fault) => return Judged { fault: Some(fault), ..exchange.judged },
        };
        let step = exchange.read(&reply);
        let results = match step {
            Step::Answer(said) => return exchange.decided(said),
            Step::Looks => exchange.look(&reply.calls, ask),
            Step::Wrong(why) if exchange.has_second_chance => exchange.correct(&reply.calls, &why),
            Step::Wrong(why) => {
                let call = question.item.scale().call();
                exchange.judged.error = Some(format!("no {call} after two attempts: {why}"));
                return exchange.judged;
            }
        };
        exchange.conversation.entries.push(Entry::Replied(reply));
        exchange.conversation.entries.extend(results);
    }
}

struct Exchange<'a> {
    question: &'a Question<'a>,
    conversation: Conversation,
    looks_left: u32,
    has_second_chance: bool,
    judged: Judged,
}

enum Step<'m> {
    Answer(Said<'m>),
    Looks,
    /// Why the reply is neither.
    Wrong(String),
}

impl<'a> Exchange<'a> {
    fn of(question: &'a Question<'a>) -> Self {
        let Question { item, prompt, budget, .. } = *question;
        let conversation = Conversation {
            system: prompt.system(budget),
            entries: vec![Entry::Said(prompt.question(item, budget))],
            may_look: budget > 0,
            scale: item.scale(),
            codebook: item.codebook().cloned(),
            wants_text: false,
        };
        Self {
            question,
            conversation,
            looks_left: budget,
            has_second_chance: true,
            judged: Judged { about_sha256: item.words_sha256(), ..Judged::default() },
        }
    }

    fn record(&mut self, asked: Asked) -> Reply {
        let Asked { reply, seconds, attempts } = asked;
        self.judged.requests.push(Request { usage: reply.usage, seconds, attempts });
        reply
    }

    fn read(&self, reply: &Reply) -> Step<'a> {
        let item = self.question.item;
        if let Some(call) = reply.calls.iter().find(|call| call.name == item.scale().call()) {
            return match item.read_object(&call.arguments) {
                Ok(said) => Step::Answer(said),
                Err(why) => Step::Wrong(why),
            };
        }
        if !reply.calls.is_empty() {
            return match self.looks_left {
                0 => Step::Wrong("it asked for another look with none left".into()),
                _ => Step::Looks,
            };
        }
        match item.read(&reply.text) {
            Ok(said) => Step::Answer(said),
            Err(_) if reply.is_cut => {
                Step::Wrong("the answer was cut at its longest length".into())
            }
            Err(why) => Step::Wrong(why),
        }
    }

    fn look(&mut self, calls: &[Call], ask: &mut dyn Ask) -> Vec<Entry> {
        let ending = self.question.item.scale().call();
        let mut results = vec![];
        for call in calls {
            let answer = match self.looks_left {
                0 => tools::Answer::refused(&format!("no calls are left; give your {ending}")),
                _ => tools::answer(&call.name, &call.arguments, self.question.snapshot),
            };
            self.looks_left = self.looks_left.saturating_sub(1);
            let look = Look {
                tool: cut(&call.name, MOST_NAME),
                arguments: shortened(&call.arguments),
                bytes: answer.text.len(),
                sha256: sha256(answer.text.as_bytes()),
                excerpt: cut(&answer.text, EXCERPT),
                is_refused: answer.is_refused,
                request: self.judged.requests.len(),
            };
            ask.looked(&look);
            self.judged.looks.push(look);
            let Call { id, .. } = call.clone();
            results.push(Outcome { id, text: answer.text, is_error: answer.is_refused });
        }
        self.conversation.may_look = self.looks_left > 0;
        let left = match self.looks_left {
            0 => format!("No calls are left. Give your {ending} now."),
            1 => "1 call is left.".to_owned(),
            left => format!("{left} calls are left."),
        };
        if let Some(last) = results.last_mut() {
            last.text = format!("{}\n\n({left})", last.text);
        }
        vec![Entry::Results(results)]
    }

    /// The one more chance.
    fn correct(&mut self, calls: &[Call], why: &str) -> Vec<Entry> {
        self.has_second_chance = false;
        let words = self.question.item.again(why);
        if calls.is_empty() {
            return vec![Entry::Said(words)];
        }
        let outcome =
            |call: &Call| Outcome { id: call.id.clone(), text: words.clone(), is_error: true };
        vec![Entry::Results(calls.iter().map(outcome).collect())]
    }

    fn decided(mut self, said: Said<'_>) -> Judged {
        let snapshot = self.question.snapshot;
        self.judged.decided = Some(match said {
            Said::Level(answer) => {
                Decided::Level(verdict(answer, self.question.item.scale(), snapshot))
            }
            Said::Flags(answer, group) => Decided::Flags(flags::checked(&answer, group, snapshot)),
        });
        self.judged
    }
}

fn verdict(answer: answer::Answer, scale: Scale, snapshot: &Snapshot) -> Verdict {
    let (evidence, left_out) = answer::checked(&answer.evidence, snapshot);
    let outside = left_out.into_iter().map(|(entry, why)| (written(&entry), why));
    let unreadable = answer.unreadable.into_iter().map(|words| (words, "names no file".to_owned()));
    let name = |level: u8| scale.levels().and_then(|levels| levels.name(level));
    let label = match answer.given.is_empty() {
        true => {
            let name = answer.level.map_or(CANNOT_TELL, |level| name(level).unwrap_or_default());
            name.to_owned()
        }
        false => given::label(&answer.given),
    };
    Verdict {
        level: answer.level,
        label,
        given: answer.given,
        rationale: answer.rationale,
        evidence,
        left_out: outside.chain(unreadable).collect(),
    }
}

impl Judged {
    /// What a judge said of a component.
    pub fn verdict(&self) -> Option<&Verdict> {
        match &self.decided {
            Some(Decided::Level(verdict)) => Some(verdict),
            Some(Decided::Flags(_)) | None => None,
        }
    }

    /// What a judge flagged of a group.
    pub fn flagged(&self) -> Option<&flags::Flagged> {
        match &self.decided {
            Some(Decided::Flags(flagged)) => Some(flagged),
            Some(Decided::Level(_)) | None => None,
        }
    }
}

/// `src/a.py:3-9`
fn written(evidence: &Evidence) -> String {
    match evidence.lines {
        Some((start, end)) => format!("{}:{start}-{end}", evidence.path),
        None => evidence.path.clone(),
    }
}

fn shortened(arguments: &Value) -> Value {
    let text = arguments.to_string();
    if text.len() <= MOST_ARGUMENTS {
        return arguments.clone();
    }
    Value::String(cut(&text, MOST_ARGUMENTS))
}

#[cfg(test)]
mod tests;
