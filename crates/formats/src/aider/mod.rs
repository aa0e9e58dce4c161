//! Aider's chat history, `.aider.chat.history.md`: requests after `####`, the program's lines after `>`, the model's words
//! and its SEARCH/REPLACE blocks as they are. Read in the form of [`prepare_records`]: one JSON record for each of these.

use std::borrow::Cow;

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, chat, cline,
    json_object::JsonObject,
    records::{CallAnswer, FileEdit, LogRecord, RecordEvent, RecordFormat, RecordedCall},
    tape::TapeValue,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

pub struct Aider;

impl RecordFormat for Aider {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn short_description(&self) -> &'static str {
        "Aider chat history, .aider.chat.history.md"
    }

    fn sample_path(&self) -> &'static str {
        "logs/aider.chat.history.md"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let start = head.text();
        start.starts_with(b"# aider chat started at ")
            || start.starts_with(PREPARED_START.as_bytes())
    }

    /// Returns the repository that its history lies in: Aider commits its changes.
    fn repository_paths(&self) -> &'static [&'static str] {
        &[".git"]
    }

    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        let is_made = head.bytes.trim_ascii_start().starts_with(PREPARED_START.as_bytes());
        (!is_made).then_some(prepare_records as FilePreparation)
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let text = fields.text("text").unwrap_or_default();
        let mut made = LogRecord::default();
        match &*fields.text("aider").unwrap_or_default() {
            "start" => {
                made.facts.agent = Some(Cow::Borrowed("aider"));
                made.time = fields.get("text").and_then(chat::read_time);
            }
            "request" => made.push_event(RecordEvent::Request(text)),
            "program" => read_program_lines(&mut made, text),
            "model" => {
                for edit in search_replace_edits(&text) {
                    let answer = CallAnswer { text: "".into(), ..CallAnswer::default() };
                    let call = RecordedCall {
                        name: "edit".into(),
                        main: edit.path.clone().into(),
                        arguments: edit.path.clone().into(),
                        edits: vec![edit],
                        answer: Some(answer),
                        ..RecordedCall::default()
                    };
                    made.push_event(RecordEvent::Call(call));
                }
                made.events.insert(0, RecordEvent::Message(Role::Assistant, text));
            }
            _ => made.push_event(RecordEvent::Unknown("record of no kind".into())),
        }
        made
    }
}

/// The beginning of the first record of the prepared form.
const PREPARED_START: &str = "{\"aider\":";

/// Converts a history to records: one for each request, each answer and each run of the program's own lines, in order.
fn prepare_records(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let mut records: Vec<(&str, String)> = vec![];
    let mut is_in_fence = false;
    for line in text.lines() {
        let kind_and_text = if is_in_fence {
            ("model", line)
        } else if let Some(at) = line.strip_prefix("# aider chat started at ") {
            ("start", at)
        } else if let Some(request) =
            line.strip_prefix("#### ").or_else(|| (line == "####").then_some(""))
        {
            ("request", request)
        } else if let Some(program_text) = line.strip_prefix("> ") {
            ("program", program_text)
        } else {
            ("model", line)
        };
        if kind_and_text.0 == "model" && line.starts_with("```") {
            is_in_fence = !is_in_fence;
        }
        match records.last_mut() {
            Some((kind, text)) if *kind == kind_and_text.0 && kind_and_text.0 != "start" => {
                text.push('\n');
                text.push_str(kind_and_text.1);
            }
            _ => records.push((kind_and_text.0, kind_and_text.1.to_owned())),
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

/// Reads lines of the program such as `Aider v0.80.1`, `Model: ...`, `Tokens: 2.3k sent, 250 received. Cost: $0.01 message,
/// $0.02 session.`
fn read_program_lines<'t>(made: &mut LogRecord<'t>, text: Cow<'t, str>) {
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
            made.tokens.input = words.next().and_then(parse_count);
            made.tokens.output = words.nth(1).and_then(parse_count);
            let cost =
                counts.split_once("Cost: $").and_then(|(_, rest)| rest.split_whitespace().next());
            made.cost_usd = cost.and_then(|cost| cost.parse().ok());
        }
    }
    let commits = text.lines().filter_map(|line| {
        let id = line.trim().strip_prefix("Commit ")?.split(' ').next()?;
        (id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| RecordEvent::Commit(id.to_owned().into()))
    });
    let commits: Vec<RecordEvent<'t>> = commits.collect();
    if !text.trim().is_empty() {
        made.push_event(RecordEvent::Message(Role::System, text));
    }
    made.events.extend(commits);
}

/// Parses a count such as `2.3k`.
fn parse_count(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', '.']);
    let (number, factor) = match word.strip_suffix('k') {
        Some(number) => (number, 1000.0),
        None => (word, 1.0),
    };
    let number: f64 = number.replace(',', "").parse().ok()?;
    (0.0..1e12).contains(&number).then(|| (number * factor).round() as u64)
}

/// Returns the blocks of an answer, each below the name of its file.
fn search_replace_edits(text: &str) -> Vec<FileEdit> {
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
        let parts = cline::search_replace_blocks(&block);
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
