//! Continue's sessions, of its extension and of its command line: `~/.continue/sessions/<id>.json`. An item of the history is a
//! message; what its calls came to stands with them (`toolCallStates`), in older sessions in messages of their own.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Call, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Continue;

impl Records for Continue {
    fn name(&self) -> &'static str {
        "continue"
    }

    fn about(&self) -> &'static str {
        "Continue session, ~/.continue/sessions/*.json; without times"
    }

    fn sample(&self) -> &'static str {
        "logs/continue.json"
    }

    fn offers(&self) -> Offers {
        // What a session cost stands once for all of it.
        Offers::new(Shape::Document, EditsTold::Text).tokens()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_item = |item: &Object<'_>| {
            item.object("message").is_some_and(|message| message.has("role"))
                && !item.has("executionId")
        };
        let is_session = |fields: &Object<'_>| {
            let history = fields.get("history").filter(|history| history.is_list());
            let first = history.map(|history| history.elements().next().and_then(Object::of));
            fields.has("sessionId")
                && fields.has("workspaceDirectory")
                && first.is_some_and(|first| first.is_none_or(|first| is_item(&first)))
        };
        peek::any(head, &["\"history\"", "\"sessionId\""], is_session)
            || peek::any(head, &["\"history\"", "\"message\"", "\"contextItems\""], |fields| {
                let first = fields.array("history").into_iter().next().and_then(Object::of);
                first.is_some_and(|first| is_item(&first) && first.has("contextItems"))
            })
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("continue"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.text("title");
        let folder = fields.text("workspaceDirectory").filter(|folder| !folder.is_empty());
        record.facts.root = folder.map(|folder| match folder.strip_prefix("file://") {
            Some(path) => Cow::Owned(path.to_owned()),
            None => folder,
        });
        if let Some(usage) = fields.object("usage") {
            record.tokens = tokens(&usage);
            record.cost_usd = usage.amount("totalCost");
        }
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        Object::of(value).map(|fields| fields.array("history")).unwrap_or_default()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let Some(message) = fields.object("message") else {
            return Record::unknown("item without a message");
        };
        let mut made = said(&fields, &message);
        let log = fields.array("promptLogs").into_iter().filter_map(Object::of).next_back();
        made.facts.model = log.and_then(|log| log.text("modelTitle"));
        if let Some(usage) = message.object("usage") {
            made.tokens = tokens(&usage);
            made.facts.model = usage.text("model").or(made.facts.model);
            made.cost_usd = usage.amount("cost");
        }
        made.says_words(Event::Compacted, fields.text("conversationSummary").unwrap_or_default());
        made
    }
}

fn said<'t>(fields: &Object<'t>, message: &Object<'t>) -> Record<'t> {
    let role = message.text("role").unwrap_or_default();
    let content = message.get("content");
    let mut made = match &*role {
        "thinking" => {
            let mut made = Record::default();
            made.says_words(Event::Thought, arguments::words_of(message, "content"));
            return made;
        }
        "tool" => {
            let answer = chat::answer(message);
            return Record::of(Event::Answered(answer));
        }
        "user" | "assistant" | "system" => chat::content(&role, content),
        _ => return Record::of(Event::unknown(role, "message without a role")),
    };
    // What was put before the model with the request: files, a selection.
    for item in fields.array("contextItems").into_iter().filter_map(Object::of) {
        let text = item.text("content").unwrap_or_default();
        let name = item.text("name").unwrap_or_default();
        if !text.trim().is_empty() {
            made.says(Event::Said(Role::System, format!("{name}\n{text}").into()));
        }
    }
    let reasoning = fields.object("reasoning").and_then(|it| it.text("text"));
    let reasoning = reasoning.filter(|text| !text.trim().is_empty());
    if let Some(reasoning) = reasoning {
        made.events.insert(0, Event::Thought(reasoning));
    }
    let states: Vec<Object<'t>> =
        fields.array("toolCallStates").into_iter().filter_map(Object::of).collect();
    let state_of =
        |id: &str| states.iter().find(|state| state.text("toolCallId").as_deref() == Some(id));
    let calls = message.array("toolCalls");
    for call in calls.iter().copied().filter_map(Object::of) {
        let called = chat::called(&call);
        let answer = state_of(&called.id).and_then(answer_of);
        made.says(Event::Called(Call { answer, ..called }));
    }
    if calls.is_empty() {
        for state in &states {
            let called = chat::called(&state.object("toolCall").unwrap_or_default());
            made.says(Event::Called(Call { answer: answer_of(state), ..called }));
        }
    }
    made
}

/// What a call came to; None of one that had not ended.
fn answer_of<'t>(state: &Object<'t>) -> Option<Answer<'t>> {
    let status = state.text("status").unwrap_or_default();
    if !matches!(&*status, "done" | "errored" | "canceled") {
        return None;
    }
    let output = state.array("output").into_iter().filter_map(Object::of);
    let text: Vec<Cow<'t, str>> = output.filter_map(|item| item.text("content")).collect();
    let text: Cow<'t, str> = match <[_; 1]>::try_from(text) {
        Ok([text]) => text,
        Err(text) => text.join("\n").into(),
    };
    Some(Answer {
        is_error: &*status != "done",
        is_ok: &*status == "done",
        exit_code: chat::exit_code(&text),
        text,
        ..Answer::default()
    })
}

fn tokens(usage: &Object<'_>) -> trajview_run::Tokens {
    let details = usage.object("promptTokensDetails").unwrap_or_default();
    let made = chat::usage(usage);
    let thinking = usage.object("completionTokensDetails");
    trajview_run::Tokens {
        cached_input: made.cached_input.or_else(|| details.number("cachedTokens")),
        cache_write: made.cache_write.or_else(|| details.number("cacheWriteTokens")),
        reasoning: made.reasoning.or_else(|| thinking?.number("reasoningTokens")),
        ..made
    }
}
