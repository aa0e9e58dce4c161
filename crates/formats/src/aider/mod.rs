//! Aider's chat history, `.aider.chat.history.md`: requests after `####`, what the program said after `>`, the model's words
//! and its SEARCH/REPLACE blocks as they are. Read in the form of [`prepared`]: one JSON record for each of these.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Preparation, Shape, chat, cline,
    object::Object,
    records::{Answer, Call, Event, FileEdit, Record, Records},
    tape::Value,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

#[derive(Debug, Clone, Copy)]
pub struct Aider;

impl Records for Aider {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn about(&self) -> &'static str {
        "Aider chat history, .aider.chat.history.md"
    }

    fn sample(&self) -> &'static str {
        "logs/aider.chat.history.md"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().cost()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let start = head.text();
        start.starts_with(b"# aider chat started at ") || start.starts_with(MARK.as_bytes())
    }

    /// It commits what it changes, in the repository that its history lies in.
    fn repositories(&self) -> &'static [&'static str] {
        &[".git"]
    }

    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        let is_made = head.bytes.trim_ascii_start().starts_with(MARK.as_bytes());
        (!is_made).then_some(prepared as Preparation)
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let text = fields.text("text").unwrap_or_default();
        let mut made = Record::default();
        match &*fields.text("aider").unwrap_or_default() {
            "start" => {
                made.facts.agent = Some(Cow::Borrowed("aider"));
                made.time = fields.get("text").and_then(chat::time);
            }
            "request" => made.says(Event::Request(text)),
            "program" => program(&mut made, text),
            "model" => {
                for edit in edits(&text) {
                    let answer = Answer { text: "".into(), ..Answer::default() };
                    let call = Call {
                        name: "edit".into(),
                        main: edit.path.clone().into(),
                        arguments: edit.path.clone().into(),
                        edits: vec![edit],
                        answer: Some(answer),
                        ..Call::default()
                    };
                    made.says(Event::Called(call));
                }
                made.events.insert(0, Event::Said(Role::Assistant, text));
            }
            _ => made.says(Event::Unknown("record of no kind".into())),
        }
        made
    }
}

/// Begins the first record of the prepared form.
const MARK: &str = "{\"aider\":";

/// One record for each request, each answer and each run of the program's own lines, in order.
fn prepared(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let mut records: Vec<(&str, String)> = vec![];
    let mut is_in_fence = false;
    for line in text.lines() {
        let told = if is_in_fence {
            ("model", line)
        } else if let Some(at) = line.strip_prefix("# aider chat started at ") {
            ("start", at)
        } else if let Some(asked) =
            line.strip_prefix("#### ").or_else(|| (line == "####").then_some(""))
        {
            ("request", asked)
        } else if let Some(said) = line.strip_prefix("> ") {
            ("program", said)
        } else {
            ("model", line)
        };
        if told.0 == "model" && line.starts_with("```") {
            is_in_fence = !is_in_fence;
        }
        match records.last_mut() {
            Some((kind, text)) if *kind == told.0 && told.0 != "start" => {
                text.push('\n');
                text.push_str(told.1);
            }
            _ => records.push((told.0, told.1.to_owned())),
        }
    }
    let mut out = vec![];
    for (kind, text) in records.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
        let record = serde_json::json!({ "aider": kind, "text": text.trim_end() });
        out.extend(record.to_string().into_bytes());
        out.push(b'\n');
    }
    Some(out)
}

/// Lines such as `Aider v0.80.1`, `Model: ...`, `Tokens: 2.3k sent, 250 received. Cost: $0.01 message, $0.02 session.`
fn program<'t>(made: &mut Record<'t>, text: Cow<'t, str>) {
    for line in text.lines() {
        let line = line.trim();
        if let Some(version) = line.strip_prefix("Aider v") {
            made.facts.version = Some(Cow::Owned(version.to_owned()));
        } else if let Some(model) =
            line.strip_prefix("Model: ").or_else(|| line.strip_prefix("Main model: "))
        {
            made.facts.model =
                model.split(" with ").next().map(|model| Cow::Owned(model.to_owned()));
        } else if let Some(counts) = line.strip_prefix("Tokens: ") {
            let mut words = counts.split_whitespace();
            made.tokens.input = words.next().and_then(count);
            made.tokens.output = words.nth(1).and_then(count);
            let cost =
                counts.split_once("Cost: $").and_then(|(_, rest)| rest.split_whitespace().next());
            made.cost_usd = cost.and_then(|cost| cost.parse().ok());
        }
    }
    let commits = text.lines().filter_map(|line| {
        let id = line.trim().strip_prefix("Commit ")?.split(' ').next()?;
        (id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| Event::Commit(id.to_owned().into()))
    });
    let commits: Vec<Event<'t>> = commits.collect();
    if !text.trim().is_empty() {
        made.says(Event::Said(Role::System, text));
    }
    made.events.extend(commits);
}

/// `2.3k`
fn count(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', '.']);
    let (number, factor) = match word.strip_suffix('k') {
        Some(number) => (number, 1000.0),
        None => (word, 1.0),
    };
    let number: f64 = number.replace(',', "").parse().ok()?;
    (0.0..1e12).contains(&number).then(|| (number * factor).round() as u64)
}

/// The blocks of an answer, each below the name of its file.
fn edits(text: &str) -> Vec<FileEdit> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (at, line) in lines.iter().enumerate() {
        if !(line.starts_with("<<<<<<<") && line.trim_end().ends_with("SEARCH")) {
            continue;
        }
        let name = lines[..at]
            .iter()
            .rev()
            .take(3)
            .map(|line| line.trim().trim_matches(['`', '*', '#', ' ']));
        let Some(path) = name
            .into_iter()
            .find(|line| !line.is_empty() && line.contains(['.', '/']) && !line.contains(' '))
        else {
            continue;
        };
        let end = lines[at..]
            .iter()
            .position(|line| line.starts_with(">>>>>>>"))
            .map_or(lines.len(), |end| at + end + 1);
        let block = lines[at..end].join("\n") + "\n";
        let parts = cline::blocks(&block);
        match parts.is_empty() {
            // Nothing to be found: a new file.
            true => {
                let new = block
                    .split_once("=======\n")
                    .and_then(|(_, rest)| rest.split_once(">>>>>>>"))
                    .map(|(new, _)| new.to_owned());
                found.extend(
                    new.map(|new| {
                        FileEdit::new(path, EditKind::Create, RecordedChange::Write(new))
                    }),
                );
            }
            false => {
                found.push(FileEdit::new(path, EditKind::Modify, RecordedChange::Replace(parts)))
            }
        }
    }
    found
}
