//! What `codex exec --json` prints: the events of one or more runs of the program, one a line.
//!
//! The stream holds neither requests nor times, and of a changed file only its path. Items are told up to three
//! times (`item.started`, `item.updated`, `item.completed`) under ids that start over with every process; each
//! process is a turn, and several streams in a row are several turns. Usage is a running total over the thread.

use std::{borrow::Cow, collections::HashMap};

use super::{
    EditsTold, Executor, Format, Head, NotUnderstood, Offers, Shape, Source,
    codex::{self, call, outcome},
    jsonl,
    object::{self as json, Object},
    tape::{self, Tape},
    unknown::Unknowns,
};
use trajview_code::utf8::readable;
use trajview_run::{
    Agent, Edit, EditKind, EditPath, Place, Role, Run, SourceId, Step, StepKind, StepText, Tokens,
    ToolCall, ToolResult, Turn, Warning,
    files::{RecordedChange, RecordedEdit},
    label,
};

/// Lines that are read of what one command printed.
const MOST_LINES: u32 = 200_000;

pub struct CodexExec;

impl Format for CodexExec {
    fn name(&self) -> &'static str {
        "codex-exec"
    }

    fn about(&self) -> &'static str {
        "output of codex exec --json; edits without their text"
    }

    fn sample(&self) -> &'static str {
        "codex-exec-json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Names).tokens()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        // Warnings of the program may stand before the stream.
        let mut lines = jsonl::lines(SourceId(0), head.bytes).take(20);
        lines.any(|(_, line)| is_ours(line))
    }

    fn index_with(&self, sources: &[Source<'_>], _: &dyn Executor) -> Result<Run, NotUnderstood> {
        let Some(source) = sources.first() else {
            return Err(NotUnderstood("it is empty".into()));
        };
        let mut fold = Fold::default();
        let mut lines = jsonl::lines(SourceId(0), source.bytes).peekable();
        while let Some((place, line)) = lines.next() {
            if place.line > MOST_LINES {
                let what = jsonl::too_long(MOST_LINES);
                fold.run.warnings.push(Warning { place: source.name.into(), what });
                break;
            }
            let text = readable(line);
            match Object::on(&Tape::read(&text)) {
                Some(event) => fold.event(place, &event),
                None => {
                    let what = jsonl::broken(&tape::why_not(&text), lines.peek().is_none());
                    fold.run.warnings.push(jsonl::warning(source.name, place, what));
                }
            }
        }
        fold.finish(source.name)
    }

    fn words(&self, record: &[u8], _step: &Step) -> StepText {
        let record = readable(record);
        words(&record).unwrap_or_else(|| said(record.into_owned()))
    }

    fn result(&self, record: &[u8], _result: &ToolResult) -> String {
        let record = readable(record);
        let tape = Tape::read(&record);
        let item = Object::on(&tape).and_then(|event| event.object("item"));
        item.map(|item| observation(&item)).unwrap_or_default()
    }

    fn edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        Some(RecordedEdit { before: None, change: RecordedChange::NotRecorded })
    }
}

fn is_ours(line: &[u8]) -> bool {
    let text = readable(line);
    let tape = Tape::read(&text);
    let Some(event) = Object::on(&tape) else { return false };
    match event.text("type").as_deref() {
        Some("thread.started") => event.has("thread_id"),
        Some("session.created") => event.has("session_id"),
        Some("item.started" | "item.updated" | "item.completed") => {
            event.object("item").is_some_and(|item| !kind_of(&item).is_empty())
        }
        _ => false,
    }
}

fn said(text: String) -> StepText {
    StepText { text, ..StepText::default() }
}

fn kind_of<'a>(item: &Object<'a>) -> Cow<'a, str> {
    item.text_of(&["type", "item_type"]).unwrap_or_default()
}

/// The text of an item that says something.
fn text_of<'a>(item: &Object<'a>) -> Option<Cow<'a, str>> {
    item.text_of(&["text", "message", "summary"])
}

fn words(record: &str) -> Option<StepText> {
    let tape = Tape::read(record);
    let event = Object::on(&tape)?;
    let Some(item) = event.object("item") else {
        let error = event.object("error").unwrap_or(event);
        return Some(said(error.text("message")?.into_owned()));
    };
    let arguments = match kind_of(&item).as_ref() {
        "command_execution" => call::command_of(item.get("command")?),
        "file_change" => {
            let changes: Vec<_> =
                changes(&item).iter().map(|(kind, path)| format!("{kind} {path}")).collect();
            changes.join("\n")
        }
        "todo_list" => todo_text(&item),
        "web_search" => item.text("query")?.into_owned(),
        "mcp_tool_call" => item.get("arguments").map(json::pretty).unwrap_or_default(),
        "collab_tool_call" => item.text("prompt").unwrap_or_default().into_owned(),
        _ => return Some(said(text_of(&item)?.into_owned())),
    };
    Some(StepText { arguments: Some(arguments), ..StepText::default() })
}

/// `add a.py`, as the record's words for it.
fn changes<'a>(item: &Object<'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let changes = item.array("changes").into_iter().filter_map(Object::of);
    changes
        .filter_map(|change| Some((change.text("kind").unwrap_or_default(), change.text("path")?)))
        .collect()
}

fn todo_text(item: &Object<'_>) -> String {
    let items = item.array("items").into_iter().filter_map(Object::of);
    let lines: Vec<_> = items
        .map(|todo| {
            let mark = if todo.flag("completed") == Some(true) { "x" } else { " " };
            format!("[{mark}] {}", todo.text("text").unwrap_or_default())
        })
        .collect();
    lines.join("\n")
}

fn observation(item: &Object<'_>) -> String {
    if let Some(output) = item.text("aggregated_output") {
        return output.into_owned();
    }
    if let Some(result) = item.object("result") {
        return outcome::texts(&result.array("content"));
    }
    let error = item.object("error").and_then(|error| Some(error.text("message")?.into_owned()));
    error.or_else(|| item.get("agents_states").map(json::pretty)).unwrap_or_default()
}

#[derive(Default)]
struct Fold {
    run: Run,
    /// Steps of the running process by item id.
    items: HashMap<Box<str>, usize>,
    /// Usage is told as a total of the thread.
    total: Tokens,
    /// A process has begun whose turn has not.
    is_between: bool,
    has_understood: bool,
    /// Something was told before the turn it belongs to was said to start.
    is_early: bool,
    unknowns: Unknowns,
}

impl Fold {
    fn event(&mut self, place: Place, event: &Object<'_>) {
        let kind = event.text("type").unwrap_or_default();
        self.has_understood |= kind.contains('.');
        self.unknowns.take(None);
        match kind.as_ref() {
            "thread.started" | "session.created" => {
                let id = event.text_of(&["thread_id", "session_id"]).unwrap_or_default();
                if self.run.id.is_empty() {
                    self.run.id = id.into_owned();
                } else if self.run.id != id {
                    self.total = Tokens::default();
                }
                self.is_between = true;
            }
            "turn.started" if self.is_early => self.is_early = false,
            "turn.started" => self.begin_turn(),
            "turn.completed" => self.usage(event),
            "turn.failed" => {
                let error = event.object("error").unwrap_or_default();
                self.error(place, &error);
                self.is_between = true;
            }
            "error" => self.error(place, event),
            "item.started" | "item.updated" | "item.completed" => match event.object("item") {
                Some(item) => self.item(place, &item),
                None => self.unknown(place, &kind),
            },
            kind => self.unknown(place, kind),
        }
    }

    fn begin_turn(&mut self) {
        self.is_between = false;
        self.is_early = false;
        self.items.clear();
        self.run.turns.push(Turn::default());
    }

    fn steps(&mut self) -> &mut Vec<Step> {
        if self.run.turns.is_empty() || self.is_between {
            self.begin_turn();
            self.is_early = true;
        }
        let last = self.run.turns.len() - 1;
        &mut self.run.turns[last].steps
    }

    fn unknown(&mut self, place: Place, kind: &str) {
        let label = label(if kind.is_empty() { "a record without a type" } else { kind });
        self.unknowns.mark(&label);
        self.steps().push(Step { label, place, role: Role::System, ..Step::default() });
    }

    fn error(&mut self, place: Place, error: &Object<'_>) {
        let label = label(&error.text("message").unwrap_or(Cow::Borrowed("an error")));
        let step = Step {
            kind: StepKind::Message,
            role: Role::System,
            label,
            place,
            is_error: true,
            ..Step::default()
        };
        // A failed turn repeats the error that ended it.
        let steps = self.steps();
        if !steps.last().is_some_and(|last| last.is_error && last.label == step.label) {
            steps.push(step);
        }
    }

    /// A later event of an item replaces the earlier; its place in the turn stays.
    fn item(&mut self, place: Place, item: &Object<'_>) {
        let step = step(place, item);
        if step.kind == StepKind::Unknown {
            self.unknowns.mark(&step.label);
        }
        let id = item.boxed("id").unwrap_or_default();
        let steps = self.steps();
        let end = steps.len();
        let known = self.items.get(&id).copied().filter(|_| !id.is_empty());
        match known.and_then(|index| self.steps().get_mut(index)) {
            Some(known) => *known = step,
            None => {
                self.steps().push(step);
                self.items.insert(id, end);
            }
        }
    }

    fn usage(&mut self, event: &Object<'_>) {
        let usage = event.object("usage").unwrap_or_default();
        let total = Tokens {
            input: usage.number("input_tokens"),
            cached_input: usage.number("cached_input_tokens"),
            output: usage.number("output_tokens"),
            reasoning: usage.number("reasoning_output_tokens"),
            cache_write: usage.number("cache_write_input_tokens"),
            cache_write_1h: None,
        };
        self.steps();
        self.is_early = false;
        let before = std::mem::replace(&mut self.total, total);
        if let Some(turn) = self.run.turns.last_mut() {
            turn.tokens = turn.tokens + since(total, before);
        }
        self.is_between = true;
    }

    fn finish(mut self, file: &str) -> Result<Run, NotUnderstood> {
        if !self.has_understood {
            return Err(NotUnderstood("no line of it is an event of codex exec".into()));
        }
        let run = &mut self.run;
        if run.id.is_empty() {
            run.id = file.to_owned();
        }
        let first = run.turns.iter().flat_map(|turn| &turn.steps);
        let told = first.into_iter().find(|step| step.kind == StepKind::Message && !step.is_error);
        run.title = told.map_or_else(|| run.id.clone(), |step| step.label.to_string());
        run.origin.format = CodexExec.name();
        run.agent = Agent { name: codex::AGENT.into(), ..Agent::default() };
        run.origin.root = common_root(run);
        run.warnings.extend(self.unknowns.warning(file, run.origin.format));
        sort_paths(run);
        Ok(self.run)
    }
}

/// What a total has grown by; a total that has gone down has started over.
fn since(total: Tokens, before: Tokens) -> Tokens {
    let shrunk = |total: Option<u64>, before: Option<u64>| total < before && total.is_some();
    if shrunk(total.input, before.input) || shrunk(total.output, before.output) {
        return total;
    }
    total.since(before)
}

fn step(place: Place, item: &Object<'_>) -> Step {
    let kind = kind_of(item);
    let text = text_of(item).unwrap_or_default();
    let step = Step { place, label: label(&text), ..Step::default() };
    match kind.as_ref() {
        "agent_message" | "assistant_message" | "plan" => Step { kind: StepKind::Message, ..step },
        "reasoning" => Step { kind: StepKind::Thinking, ..step },
        "error" => Step { kind: StepKind::Message, role: Role::System, is_error: true, ..step },
        "context_compaction" => Step { kind: StepKind::Compaction, role: Role::System, ..step },
        "command_execution" => {
            let command = item.get("command").map(call::command_of).unwrap_or_default();
            tool(step, item, "exec_command", &command)
        }
        "file_change" => {
            let changes = changes(item);
            let told = call::listed(changes.iter().map(|(_, path)| path.as_ref()));
            let mut step = tool(step, item, "apply_patch", &told);
            if item.text("status").as_deref() == Some("completed") {
                step.edits =
                    changes.iter().zip(0..).map(|(c, part)| edit(c, place.part(part))).collect();
            }
            step
        }
        "todo_list" => {
            let items: Vec<_> = item.array("items").into_iter().filter_map(Object::of).collect();
            let open = items.iter().find(|todo| todo.flag("completed") != Some(true));
            let text = open.or(items.last()).and_then(|todo| todo.text("text"));
            tool(step, item, "update_plan", &text.unwrap_or_default())
        }
        "web_search" => tool(step, item, "web_search", &item.text("query").unwrap_or_default()),
        "mcp_tool_call" => {
            let part = |key| item.text(key).unwrap_or_default();
            let arguments = item.get("arguments").map(|raw| call::main_argument(raw.get()));
            let name = format!("{}.{}", part("server"), part("tool"));
            tool(step, item, &name, &arguments.unwrap_or_default())
        }
        "collab_tool_call" => {
            let name = item.text("tool").unwrap_or(Cow::Borrowed("collab"));
            let is_spawn = matches!(name.as_ref(), "spawn_agent" | "spawnAgent");
            let step = tool(step, item, &name, &item.text("prompt").unwrap_or_default());
            if is_spawn { Step { kind: StepKind::SubAgent, ..step } } else { step }
        }
        kind => Step { label: label(kind), role: Role::System, ..step },
    }
}

fn tool(step: Step, item: &Object<'_>, name: &str, told: &str) -> Step {
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
        bytes: observation(item).len() as u64,
    });
    let call_id = item.boxed("id").unwrap_or_default();
    Step {
        kind: StepKind::Tool,
        label: label(told),
        tool: Some(Box::new(ToolCall { name: name.into(), call_id, result })),
        ..step
    }
}

fn edit((kind, path): &(Cow<'_, str>, Cow<'_, str>), place: Place) -> Edit {
    let kind = match kind.as_ref() {
        "add" => EditKind::Create,
        "delete" => EditKind::Delete,
        _ => EditKind::Modify,
    };
    let path = EditPath::Outside(path.as_ref().into());
    Edit { path, kind, from: None, added: None, removed: None, place }
}

/// The folder that all edited files are below: the stream does not say where the agent worked. None without
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
        edit.path = EditPath::sort(edit.path.as_str(), root.as_deref());
    }
}

#[cfg(test)]
mod tests;
