//! Reads the output of `codex exec --json`: the events of one or more runs of the program, one per line.
//!
//! The stream has neither requests nor times, and of a changed file only its path. Items are reported up to three
//! times (`item.started`, `item.updated`, `item.completed`) under ids that start over with every process; each
//! process is a turn, and several streams in a row are several turns. Usage is a running total over the thread.

use std::{borrow::Cow, collections::HashMap};

use super::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, SourceBytes,
    codex::{self, call, outcome},
    json_object::{self as json, JsonObject},
    jsonl,
    tape::{self, JsonTape},
    unknown_records::UnknownRecords,
};
use trajview_code::utf8::lossy_text;
use trajview_run::{
    Agent, Edit, EditKind, EditPath, RecordPlace, Role, Run, SourceId, Step, StepKind, StepText,
    Tokens, ToolCall, ToolResult, Turn, Warning,
    files::{RecordedChange, RecordedEdit},
    first_line_label,
};

/// Lines that are read of what one command printed.
const MAX_LINES: u32 = 200_000;

pub struct CodexExec;

impl Format for CodexExec {
    fn name(&self) -> &'static str {
        "codex-exec"
    }

    fn short_description(&self) -> &'static str {
        "output of codex exec --json; edits without their text"
    }

    fn sample_path(&self) -> &'static str {
        "codex-exec-json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Names).with_tokens()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        // Warnings of the program may come before the stream.
        let mut lines = jsonl::lines_of_file(SourceId(0), head.bytes).take(20);
        lines.any(|(_, line)| is_ours(line))
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        _: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let Some(source) = sources.first() else {
            return Err(NotUnderstood("it is empty".into()));
        };
        let mut fold = ExecFold::default();
        let mut lines = jsonl::lines_of_file(SourceId(0), source.bytes).peekable();
        while let Some((place, line)) = lines.next() {
            if place.line > MAX_LINES {
                let what = jsonl::too_long_message(MAX_LINES);
                fold.run.warnings.push(Warning { place: source.name.into(), what });
                break;
            }
            let text = lossy_text(line);
            match JsonObject::from_tape(&JsonTape::parse(&text)) {
                Some(event) => fold.take_event(place, &event),
                None => {
                    let what =
                        jsonl::json_error_text(&tape::serde_error(&text), lines.peek().is_none());
                    fold.run.warnings.push(jsonl::warning_at(source.name, place, what));
                }
            }
        }
        fold.finish_run(source.name)
    }

    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        let record = lossy_text(record);
        record_text(&record).unwrap_or_else(|| plain_text(record.into_owned()))
    }

    fn result_text(&self, record: &[u8], _result: &ToolResult) -> String {
        let record = lossy_text(record);
        let tape = JsonTape::parse(&record);
        let item = JsonObject::from_tape(&tape).and_then(|event| event.object("item"));
        item.map(|item| observation_text(&item)).unwrap_or_default()
    }

    fn recorded_edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        Some(RecordedEdit { before: None, change: RecordedChange::NotRecorded })
    }
}

fn is_ours(line: &[u8]) -> bool {
    let text = lossy_text(line);
    let tape = JsonTape::parse(&text);
    let Some(event) = JsonObject::from_tape(&tape) else { return false };
    match event.text("type").as_deref() {
        Some("thread.started") => event.has_field("thread_id"),
        Some("session.created") => event.has_field("session_id"),
        Some("item.started" | "item.updated" | "item.completed") => {
            event.object("item").is_some_and(|item| !item_kind(&item).is_empty())
        }
        _ => false,
    }
}

fn plain_text(text: String) -> StepText {
    StepText { text, ..StepText::default() }
}

fn item_kind<'a>(item: &JsonObject<'a>) -> Cow<'a, str> {
    item.first_text(&["type", "item_type"]).unwrap_or_default()
}

/// Returns the text of an item that has one.
fn item_text<'a>(item: &JsonObject<'a>) -> Option<Cow<'a, str>> {
    item.first_text(&["text", "message", "summary"])
}

fn record_text(record: &str) -> Option<StepText> {
    let tape = JsonTape::parse(record);
    let event = JsonObject::from_tape(&tape)?;
    let Some(item) = event.object("item") else {
        let error = event.object("error").unwrap_or(event);
        return Some(plain_text(error.text("message")?.into_owned()));
    };
    let arguments = match item_kind(&item).as_ref() {
        "command_execution" => call::command_text(item.get("command")?),
        "file_change" => {
            let changes: Vec<_> =
                item_changes(&item).iter().map(|(kind, path)| format!("{kind} {path}")).collect();
            changes.join("\n")
        }
        "todo_list" => todo_text(&item),
        "web_search" => item.text("query")?.into_owned(),
        "mcp_tool_call" => item.get("arguments").map(json::readable_value).unwrap_or_default(),
        "collab_tool_call" => item.text("prompt").unwrap_or_default().into_owned(),
        _ => return Some(plain_text(item_text(&item)?.into_owned())),
    };
    Some(StepText { arguments: Some(arguments), ..StepText::default() })
}

/// Returns kind and path of each change, such as `add` and `a.py`.
fn item_changes<'a>(item: &JsonObject<'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let changes = item.elements_of("changes").into_iter().filter_map(JsonObject::from_value);
    changes
        .filter_map(|change| Some((change.text("kind").unwrap_or_default(), change.text("path")?)))
        .collect()
}

fn todo_text(item: &JsonObject<'_>) -> String {
    let items = item.elements_of("items").into_iter().filter_map(JsonObject::from_value);
    let lines: Vec<_> = items
        .map(|todo| {
            let mark = if todo.flag("completed") == Some(true) { "x" } else { " " };
            format!("[{mark}] {}", todo.text("text").unwrap_or_default())
        })
        .collect();
    lines.join("\n")
}

fn observation_text(item: &JsonObject<'_>) -> String {
    if let Some(output) = item.text("aggregated_output") {
        return output.into_owned();
    }
    if let Some(result) = item.object("result") {
        return outcome::parts_text(&result.elements_of("content"));
    }
    let error = item.object("error").and_then(|error| Some(error.text("message")?.into_owned()));
    error.or_else(|| item.get("agents_states").map(json::readable_value)).unwrap_or_default()
}

#[derive(Default)]
struct ExecFold {
    run: Run,
    /// Steps of the running process by item id.
    items: HashMap<Box<str>, usize>,
    /// The usage so far: the stream reports a total of the thread.
    total: Tokens,
    /// A process has begun whose turn has not.
    is_between: bool,
    has_understood: bool,
    /// Is true where an event came before the event that starts its turn.
    is_early: bool,
    unknowns: UnknownRecords,
}

impl ExecFold {
    fn take_event(&mut self, place: RecordPlace, event: &JsonObject<'_>) {
        let kind = event.text("type").unwrap_or_default();
        self.has_understood |= kind.contains('.');
        self.unknowns.count_record(None);
        match kind.as_ref() {
            "thread.started" | "session.created" => {
                let id = event.first_text(&["thread_id", "session_id"]).unwrap_or_default();
                if self.run.id.is_empty() {
                    self.run.id = id.into_owned();
                } else if self.run.id != id {
                    self.total = Tokens::default();
                }
                self.is_between = true;
            }
            "turn.started" if self.is_early => self.is_early = false,
            "turn.started" => self.begin_turn(),
            "turn.completed" => self.add_usage(event),
            "turn.failed" => {
                let error = event.object("error").unwrap_or_default();
                self.add_error(place, &error);
                self.is_between = true;
            }
            "error" => self.add_error(place, event),
            "item.started" | "item.updated" | "item.completed" => match event.object("item") {
                Some(item) => self.take_item(place, &item),
                None => self.add_unknown(place, &kind),
            },
            kind => self.add_unknown(place, kind),
        }
    }

    fn begin_turn(&mut self) {
        self.is_between = false;
        self.is_early = false;
        self.items.clear();
        self.run.turns.push(Turn::default());
    }

    /// Returns the steps of the turn that is going on; begins one where there is none.
    fn current_steps(&mut self) -> &mut Vec<Step> {
        if self.run.turns.is_empty() || self.is_between {
            self.begin_turn();
            self.is_early = true;
        }
        let last = self.run.turns.len() - 1;
        &mut self.run.turns[last].steps
    }

    fn add_unknown(&mut self, place: RecordPlace, kind: &str) {
        let label =
            first_line_label(if kind.is_empty() { "a record without a type" } else { kind });
        self.unknowns.count_unknown(&label);
        self.current_steps().push(Step { label, place, role: Role::System, ..Step::default() });
    }

    fn add_error(&mut self, place: RecordPlace, error: &JsonObject<'_>) {
        let label = first_line_label(&error.text("message").unwrap_or(Cow::Borrowed("an error")));
        let step = Step {
            kind: StepKind::Message,
            role: Role::System,
            label,
            place,
            is_error: true,
            ..Step::default()
        };
        // A failed turn repeats the error that ended it.
        let steps = self.current_steps();
        if !steps.last().is_some_and(|last| last.is_error && last.label == step.label) {
            steps.push(step);
        }
    }

    /// Takes an item. A later event of an item replaces the earlier; its place in the turn stays.
    fn take_item(&mut self, place: RecordPlace, item: &JsonObject<'_>) {
        let step = item_step(place, item);
        if step.kind == StepKind::Unknown {
            self.unknowns.count_unknown(&step.label);
        }
        let id = item.non_empty_text("id").unwrap_or_default();
        let steps = self.current_steps();
        let end = steps.len();
        let known = self.items.get(&id).copied().filter(|_| !id.is_empty());
        match known.and_then(|index| self.current_steps().get_mut(index)) {
            Some(known) => *known = step,
            None => {
                self.current_steps().push(step);
                self.items.insert(id, end);
            }
        }
    }

    fn add_usage(&mut self, event: &JsonObject<'_>) {
        let usage = event.object("usage").unwrap_or_default();
        let total = Tokens {
            input: usage.number("input_tokens"),
            cached_input: usage.number("cached_input_tokens"),
            output: usage.number("output_tokens"),
            reasoning: usage.number("reasoning_output_tokens"),
            cache_write: usage.number("cache_write_input_tokens"),
            cache_write_1h: None,
        };
        self.current_steps();
        self.is_early = false;
        let before = std::mem::replace(&mut self.total, total);
        if let Some(turn) = self.run.turns.last_mut() {
            turn.tokens = turn.tokens + tokens_since(total, before);
        }
        self.is_between = true;
    }

    fn finish_run(mut self, file: &str) -> Result<Run, NotUnderstood> {
        if !self.has_understood {
            return Err(NotUnderstood("no line of it is an event of codex exec".into()));
        }
        let run = &mut self.run;
        if run.id.is_empty() {
            run.id = file.to_owned();
        }
        let first = run.turns.iter().flat_map(|turn| &turn.steps);
        let first_message =
            first.into_iter().find(|step| step.kind == StepKind::Message && !step.is_error);
        run.title = first_message.map_or_else(|| run.id.clone(), |step| step.label.to_string());
        run.origin.format = CodexExec.name();
        run.agent = Agent { name: codex::AGENT.into(), ..Agent::default() };
        run.origin.root = common_root(run);
        run.warnings.extend(self.unknowns.mostly_unknown_warning(file, run.origin.format));
        sort_paths(run);
        Ok(self.run)
    }
}

/// Returns the growth of a total. A total that has gone down has started over and counts as a whole.
fn tokens_since(total: Tokens, before: Tokens) -> Tokens {
    let shrunk = |total: Option<u64>, before: Option<u64>| total < before && total.is_some();
    if shrunk(total.input, before.input) || shrunk(total.output, before.output) {
        return total;
    }
    total.difference_from(before)
}

fn item_step(place: RecordPlace, item: &JsonObject<'_>) -> Step {
    let kind = item_kind(item);
    let text = item_text(item).unwrap_or_default();
    let step = Step { place, label: first_line_label(&text), ..Step::default() };
    match kind.as_ref() {
        "agent_message" | "assistant_message" | "plan" => Step { kind: StepKind::Message, ..step },
        "reasoning" => Step { kind: StepKind::Thinking, ..step },
        "error" => Step { kind: StepKind::Message, role: Role::System, is_error: true, ..step },
        "context_compaction" => Step { kind: StepKind::Compaction, role: Role::System, ..step },
        "command_execution" => {
            let command = item.get("command").map(call::command_text).unwrap_or_default();
            tool_step(step, item, "exec_command", &command)
        }
        "file_change" => {
            let changes = item_changes(item);
            let main_label = call::first_and_count(changes.iter().map(|(_, path)| path.as_ref()));
            let mut step = tool_step(step, item, "apply_patch", &main_label);
            if item.text("status").as_deref() == Some("completed") {
                step.edits = changes
                    .iter()
                    .zip(0..)
                    .map(|(c, part)| edit_of_change(c, place.with_part(part)))
                    .collect();
            }
            step
        }
        "todo_list" => {
            let items: Vec<_> =
                item.elements_of("items").into_iter().filter_map(JsonObject::from_value).collect();
            let open = items.iter().find(|todo| todo.flag("completed") != Some(true));
            let text = open.or(items.last()).and_then(|todo| todo.text("text"));
            tool_step(step, item, "update_plan", &text.unwrap_or_default())
        }
        "web_search" => {
            tool_step(step, item, "web_search", &item.text("query").unwrap_or_default())
        }
        "mcp_tool_call" => {
            let part = |key| item.text(key).unwrap_or_default();
            let arguments = item.get("arguments").map(|raw| call::main_argument(raw.get()));
            let name = format!("{}.{}", part("server"), part("tool"));
            tool_step(step, item, &name, &arguments.unwrap_or_default())
        }
        "collab_tool_call" => {
            let name = item.text("tool").unwrap_or(Cow::Borrowed("collab"));
            let is_spawn = matches!(name.as_ref(), "spawn_agent" | "spawnAgent");
            let step = tool_step(step, item, &name, &item.text("prompt").unwrap_or_default());
            if is_spawn { Step { kind: StepKind::SubAgent, ..step } } else { step }
        }
        kind => Step { label: first_line_label(kind), role: Role::System, ..step },
    }
}

fn tool_step(step: Step, item: &JsonObject<'_>, name: &str, main_label: &str) -> Step {
    let status = item.text("status");
    let exit_code = item.integer("exit_code");
    let is_open = status.as_deref() == Some("in_progress");
    let is_failed = matches!(status.as_deref(), Some("failed" | "declined"));
    let result = (!is_open).then(|| ToolResult {
        place: step.place,
        // A command that exits with a code did run; the code says how.
        is_error: is_failed && exit_code.is_none_or(|code| code == 0),
        is_ok: false,
        exit_code,
        bytes: observation_text(item).len() as u64,
    });
    let call_id = item.non_empty_text("id").unwrap_or_default();
    Step {
        kind: StepKind::Tool,
        label: first_line_label(main_label),
        tool: Some(Box::new(ToolCall { name: name.into(), call_id, result })),
        ..step
    }
}

fn edit_of_change((kind, path): &(Cow<'_, str>, Cow<'_, str>), place: RecordPlace) -> Edit {
    let kind = match kind.as_ref() {
        "add" => EditKind::Create,
        "delete" => EditKind::Delete,
        _ => EditKind::Modify,
    };
    let path = EditPath::Outside(path.as_ref().into());
    Edit { path, kind, from: None, added: None, removed: None, place }
}

/// Returns the folder that all edited files are below: the stream does not say where the agent worked. None without
/// edits, and where their paths are relative.
fn common_root(run: &Run) -> Option<String> {
    let edits = run.turns.iter().flat_map(|turn| &turn.steps).flat_map(|step| &step.edits);
    let folders =
        edits.map(|edit| edit.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder));
    let common = folders.map(str::to_owned).reduce(|common, folder| {
        let same = common.split('/').zip(folder.split('/')).take_while(|(a, b)| a == b);
        same.map(|(part, _)| part).collect::<Vec<_>>().join("/")
    });
    common.filter(|root| root.starts_with('/') || root.as_bytes().get(1) == Some(&b':'))
}

/// Sorts every edit's path by the run's root.
fn sort_paths(run: &mut Run) {
    let root = run.origin.root.clone();
    let steps = run.turns.iter_mut().flat_map(|turn| &mut turn.steps);
    for edit in steps.flat_map(|step| &mut step.edits) {
        edit.path = EditPath::from_recorded(edit.path.as_str(), root.as_deref());
    }
}

#[cfg(test)]
mod tests;
