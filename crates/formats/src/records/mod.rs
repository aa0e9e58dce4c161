//! Formats whose records can be read one by one: each is understood by itself ([`LogRecord`]), and all of them become
//! runs in one way ([`fold`]).
//!
//! A log of these is either lines, each a JSON value, or one JSON document; [`RecordFormat::records_in`] takes such a
//! value apart where it holds several records. To read a new format of this kind, implement how its first bytes are
//! recognised and how one record of it is read.

pub mod arguments;
pub mod event;
mod fold;
mod list_stream;
pub mod record_order;

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use super::{
    FileHead, FilePreparation, FormFault, Format, FormatCapabilities, HEAD_BYTES,
    IncrementalReader, NotUnderstood, PieceExecutor, RecordingShape, RunsInFile, SourceBytes, chat,
    codex::call,
    companion_files::BelongsTo,
    json_object::JsonObject,
    jsonl::{self, IndexBudget, IndexSize, LogInput},
    nested_logs::place_within,
    not_finite,
    tape::{self, JsonTape, TapeValue},
};
use crate::claude::{json::indented_json, text::lossy_text};
use trajview_run::{
    Edit, RecordPlace, Run, SourceId, Step, StepText, ToolResult, Warning, files::RecordedEdit,
};

pub use event::{CallAnswer, FileEdit, HeaderFacts, LogRecord, RecordEvent, RecordedCall};

/// The number of low bits of a place's part with the number of an event in its record. The bits above are the number of an
/// edit in its event.
const EDIT_SHIFT: u32 = 20;

/// A format whose records are read one by one; [`RecordLog`] makes a [`Format`] of it.
pub trait RecordFormat: Sync {
    /// See [`Format::name`].
    fn name(&self) -> &'static str;

    /// See [`Format::short_description`].
    fn short_description(&self) -> &'static str;

    /// See [`Format::sample_path`].
    fn sample_path(&self) -> &'static str;

    /// See [`Format::capabilities`].
    fn capabilities(&self) -> FormatCapabilities;

    /// See [`Format::claims_file`].
    fn claims_file(&self, head: &FileHead<'_>) -> bool;

    /// Reads the facts about the run that a line, or the whole document, has beside its records. Tokens and cost are those
    /// of the whole run.
    fn read_header<'t>(&self, _document: TapeValue<'t>) -> LogRecord<'t> {
        LogRecord::default()
    }

    /// Returns the records in a line, or in the whole document, in playing order.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        vec![value]
    }

    /// Returns the key of the list in which a document has its records, before what [`RecordFormat::records_in`] takes
    /// from around it. One that is too large to be held is read an element at a time; None where that cannot be.
    fn record_list_key(&self) -> Option<&'static str> {
        None
    }

    /// Reads one record.
    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t>;

    /// Leaves out the records that do not make up the run, or puts them in order.
    fn order_entries(&self, _entries: &mut Vec<RecordEntry>) {}

    /// Returns the sub-agent whose log a file is, by its name as a companion.
    fn agent_of_source(&self, _source: &str) -> Option<String> {
        None
    }

    /// Returns the id of the record that the records of a companion belong to where they do not name it, by the companion's
    /// name.
    fn parent_of_source(&self, _source: &str) -> Option<String> {
        None
    }

    /// Returns the harness that writes logs of this format, where an agent does not.
    fn harness(&self) -> Option<&'static str> {
        None
    }

    /// Returns the task that a log is named after, where its content does not name it.
    fn task_of_source(&self, _source: &str) -> Option<String> {
        None
    }

    /// See [`Format::tool_definitions`].
    fn tool_definitions(&self, _text: &str) -> Option<serde_json::Value> {
        None
    }

    /// See [`Format::form_faults`].
    fn form_faults(&self, _text: &str) -> Vec<FormFault> {
        vec![]
    }

    /// See [`Format::runs_in_file`].
    fn runs_in_file(&self, _head: &FileHead<'_>) -> RunsInFile {
        RunsInFile::One
    }

    /// See [`Format::preparation_for`].
    fn preparation_for(&self, _head: &FileHead<'_>) -> Option<FilePreparation> {
        None
    }

    /// See [`Format::repository_paths`].
    fn repository_paths(&self) -> &'static [&'static str] {
        &[]
    }

    /// See [`Format::belongs_to`].
    fn belongs_to(&self, _other: &FileHead<'_>) -> BelongsTo {
        BelongsTo::Itself
    }

    /// See [`Format::names_in_parts`].
    fn names_in_parts(&self, _main: &FileHead<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// See [`Format::part_paths`].
    fn part_paths(&self, _main: &FileHead<'_>) -> Vec<String> {
        vec![]
    }

    /// See [`Format::has_agent_folders`].
    fn has_agent_folders(&self) -> bool {
        false
    }
}

/// A record and its place; texts are reduced to labels.
#[derive(Debug, Clone)]
pub struct RecordEntry {
    pub place: RecordPlace,
    pub record: LogRecord<'static>,
}

/// The [`Format`] that reads the recordings of a [`RecordFormat`].
pub struct RecordLog(pub &'static dyn RecordFormat);

impl Format for RecordLog {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn short_description(&self) -> &'static str {
        self.0.short_description()
    }

    fn sample_path(&self) -> &'static str {
        self.0.sample_path()
    }

    fn capabilities(&self) -> FormatCapabilities {
        self.0.capabilities()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        self.0.claims_file(head)
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        self.0.belongs_to(other)
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        self.0.names_in_parts(main)
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        self.0.part_paths(main)
    }

    fn has_agent_folders(&self) -> bool {
        self.0.has_agent_folders()
    }

    fn repository_paths(&self) -> &'static [&'static str] {
        self.0.repository_paths()
    }

    fn tool_definitions(&self, text: &str) -> Option<serde_json::Value> {
        self.0.tool_definitions(text)
    }

    fn form_faults(&self, text: &str) -> Vec<FormFault> {
        self.0.form_faults(text)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        self.0.runs_in_file(head)
    }

    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        self.0.preparation_for(head)
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let mut log = LogReader::new(self.0);
        for (id, source) in (0..).map(SourceId).zip(sources) {
            match is_lines(source.bytes) {
                true => {
                    log.take_lines(id, source.name, LogInput::whole_file(source.bytes), executor)
                }
                false => log.read_document(id, source.name, source.bytes),
            }
        }
        log.into_run(sources)
    }

    fn incremental_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        let is_lines = self.0.capabilities().shape == RecordingShape::Lines;
        is_lines.then(|| Box::new(LogReader::new(self.0)) as Box<dyn IncrementalReader>)
    }

    fn streaming_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        let list = self.0.record_list_key()?;
        Some(Box::new(LogReader { list: Some(list), ..LogReader::new(self.0) }))
    }

    fn step_text(&self, record: &[u8], step: &Step) -> StepText {
        let whole = || StepText { text: readable_record(record), ..StepText::default() };
        with_event(self.0, record, step.place, |event| match event {
            Some(RecordEvent::Call(call)) => {
                StepText { arguments: Some(arguments_text(&call)), ..StepText::default() }
            }
            Some(
                RecordEvent::Request(text)
                | RecordEvent::Message(_, text)
                | RecordEvent::Thought(text)
                | RecordEvent::Failed(text)
                | RecordEvent::Compacted(text)
                | RecordEvent::FinalDiff(text),
            ) => StepText { text: text.into_owned(), ..StepText::default() },
            Some(RecordEvent::Answer(answer)) => {
                StepText { text: answer.text.into_owned(), ..StepText::default() }
            }
            Some(
                RecordEvent::Unknown(_)
                | RecordEvent::Abandoned { .. }
                | RecordEvent::Nothing
                | RecordEvent::Start(_)
                | RecordEvent::Commit(_),
            )
            | None => whole(),
        })
    }

    fn request_text(&self, record: &[u8]) -> String {
        let text = lossy_text(record);
        let Some(tape) = JsonTape::parse(text.trim()) else { return String::new() };
        let (mut requests, mut messages) = (vec![], vec![]);
        for event in self.0.read_record(tape.root()).events {
            match event {
                RecordEvent::Request(text) => requests.push(text),
                // Messages that only other records mark as the user's.
                RecordEvent::Message(_, text) => messages.push(text),
                _ => {}
            }
        }
        if requests.is_empty() { messages.join("\n") } else { requests.join("\n") }
    }

    fn result_text(&self, record: &[u8], result: &ToolResult) -> String {
        with_event(self.0, record, result.place, |event| match event {
            Some(
                RecordEvent::Call(RecordedCall { answer: Some(answer), .. })
                | RecordEvent::Answer(answer),
            ) => answer.text.into_owned(),
            Some(RecordEvent::Request(text)) => text.into_owned(),
            _ => String::new(),
        })
    }

    fn text_with_result(&self, record: &[u8], step: &Step, result: &ToolResult) -> StepText {
        let both = |event: Option<RecordEvent<'_>>| match event? {
            RecordEvent::Call(mut call) => {
                let answer = call.answer.take()?;
                Some((arguments_text(&call), answer.text.into_owned()))
            }
            _ => None,
        };
        let is_one = result.place == step.place;
        let texts = if is_one { with_event(self.0, record, step.place, both) } else { None };
        match texts {
            Some((arguments, observed)) => StepText {
                arguments: Some(arguments),
                result: Some(observed),
                ..StepText::default()
            },
            None => {
                let observed = self.result_text(record, result);
                StepText { result: Some(observed), ..self.step_text(record, step) }
            }
        }
    }

    fn recorded_edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        let number = (edit.place.part >> EDIT_SHIFT) as usize;
        with_event(self.0, record, edit.place, |event| {
            let edits = match event? {
                RecordEvent::Call(RecordedCall { answer: Some(answer), .. })
                    if !answer.edits.is_empty() =>
                {
                    answer.edits
                }
                RecordEvent::Call(call) => call.edits,
                RecordEvent::Answer(answer) => answer.edits,
                RecordEvent::FinalDiff(diff) => FileEdit::from_diff(&diff),
                _ => return None,
            };
            let edit = edits.into_iter().nth(number)?;
            Some(RecordedEdit { before: edit.before, change: edit.change })
        })
    }
}

/// Returns the whole record, readable.
fn readable_record(record: &[u8]) -> String {
    let text = lossy_text(record);
    match JsonTape::parse(text.trim()) {
        Some(tape) => indented_json(tape.root()),
        None => text.to_string(),
    }
}

fn with_event<T>(
    format: &dyn RecordFormat,
    record: &[u8],
    place: RecordPlace,
    then: impl FnOnce(Option<RecordEvent<'_>>) -> T,
) -> T {
    let part = (place.part & ((1 << EDIT_SHIFT) - 1)) as usize;
    let text = lossy_text(record);
    let tape = JsonTape::parse(text.trim());
    let events = tape.as_ref().map(|tape| format.read_record(tape.root()).events);
    then(events.and_then(|events| events.into_iter().nth(part)))
}

/// Returns the arguments for a reader: the command alone, a patch, else JSON with line breaks.
fn arguments_text(call: &RecordedCall<'_>) -> String {
    let text = &call.arguments;
    let tape = JsonTape::parse(text);
    let fields = tape.as_ref().map(JsonTape::root).filter(|root| root.is_object());
    let Some(root) = fields else {
        return if text.is_empty() { call.main.to_string() } else { text.to_string() };
    };
    let mut texts = root.fields().filter(|(_, value)| value.is_string());
    let is_only = |(key, _): &(tape::StringContents<'_>, TapeValue<'_>)| {
        matches!(key.text, "command" | "cmd" | "input" | "patch" | "CommandLine" | "code")
    };
    match texts.find(is_only) {
        Some(_) if root.fields().count() <= 3 => call::main_argument(text),
        _ => indented_json(root),
    }
}

/// Records that are read of a document: the longest run that anybody published has some thousand.
const MAX_RECORDS: usize = 150_000;

/// The bytes of a document that are read.
const MAX_BYTES: usize = 1 << 30;

/// The records of one source, as they were read.
#[derive(Debug, Clone)]
struct SourceRecords {
    entries: Vec<RecordEntry>,
    header: LogRecord<'static>,
}

/// A document that comes in pieces.
#[derive(Clone)]
struct PendingDocument {
    id: SourceId,
    name: String,
    bytes: Vec<u8>,
}

/// A recording while it is read.
#[derive(Clone)]
struct LogReader {
    format: &'static dyn RecordFormat,
    parts: Vec<(SourceId, SourceRecords)>,
    documents: Vec<PendingDocument>,
    warnings: Vec<Warning>,
    budget: IndexBudget,
    /// The key under which documents have the records that are read one by one.
    list: Option<&'static str>,
}

/// The records of a line.
struct LineRecords {
    place: RecordPlace,
    part: Option<SourceRecords>,
    warnings: Vec<String>,
}

impl IndexSize for LineRecords {
    fn index_bytes(&self) -> usize {
        let entries = self.part.iter().flat_map(|part| &part.entries);
        let entries = entries.map(|entry| record_index_bytes(&entry.record));
        64 + self.warnings.len() * 256 + entries.sum::<usize>()
    }
}

/// Returns bytes that the index takes of a record, about.
fn record_index_bytes(record: &LogRecord<'_>) -> usize {
    128 + record.events.len() * 320
}

impl IncrementalReader for LogReader {
    fn take_lines(
        &mut self,
        id: SourceId,
        name: &str,
        input: LogInput<'_>,
        executor: &dyn PieceExecutor,
    ) {
        match input {
            LogInput::InMemory(piece) => {
                let open = self.documents.iter_mut().find(|document| document.id == id);
                match open {
                    Some(document) => return document.bytes.extend_from_slice(piece.bytes),
                    None if piece.start == 0 && !is_lines(piece.bytes) => {
                        let (name, bytes) = (name.to_owned(), piece.bytes.to_vec());
                        return self.documents.push(PendingDocument { id, name, bytes });
                    }
                    None => {}
                }
            }
            LogInput::Stored(log) => {
                let mut head = vec![0; HEAD_BYTES];
                let len = log.read_at(0, &mut head);
                if let Some(list) = self.list.filter(|_| !is_lines(&head[..len])) {
                    return self.read_streamed((id, name), log, list, executor);
                }
                if !is_lines(&head[..len]) && len > 0 {
                    let mut whole =
                        vec![0; usize::try_from(log.size()).unwrap_or(0).min(MAX_BYTES)];
                    let len = log.read_at(0, &mut whole);
                    return self.read_document(id, name, &whole[..len]);
                }
            }
        }
        let format = self.format;
        let read = move |place: RecordPlace, bytes: &[u8], is_last: bool| {
            Some(read_line(format, place, bytes, is_last))
        };
        let mut all = SourceRecords { entries: vec![], header: LogRecord::default() };
        let mut warnings = vec![];
        let extent = jsonl::each_line(
            id,
            input,
            executor,
            &mut self.budget,
            &read,
            &mut |before, made: LineRecords| {
                let place = made.place.moved_down(before);
                let warnings_of_line = made.warnings.into_iter();
                warnings.extend(warnings_of_line.map(|what| jsonl::warning_at(name, place, what)));
                let Some(part) = made.part else { return };
                let entries = part.entries.into_iter();
                all.entries.extend(
                    entries.map(|entry| RecordEntry {
                        place: entry.place.moved_down(before),
                        ..entry
                    }),
                );
                merge_header(&mut all.header, part.header);
            },
        );
        if let jsonl::ReadExtent::CutAfter(line) = extent {
            warnings.push(Warning { place: name.to_owned(), what: jsonl::too_long_message(line) });
        }
        self.warnings.extend(warnings);
        match self.parts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, part)) => {
                part.entries.extend(all.entries);
                merge_header(&mut part.header, all.header);
            }
            None => self.parts.push((id, all)),
        }
    }

    fn current_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        self.clone().into_run(sources)
    }

    fn finish_run(
        self: Box<Self>,
        sources: &[SourceBytes<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.into_run(sources)
    }
}

impl LogReader {
    fn new(format: &'static dyn RecordFormat) -> Self {
        Self {
            format,
            parts: vec![],
            documents: vec![],
            warnings: vec![],
            budget: IndexBudget::default(),
            list: None,
        }
    }

    /// Reads a document as [`LogReader::read_document`] does, with a few elements at a time in memory.
    fn read_streamed(
        &mut self,
        (id, name): (SourceId, &str),
        log: &dyn jsonl::RandomAccessLog,
        list: &str,
        executor: &dyn PieceExecutor,
    ) {
        let mut places: Vec<RecordPlace> = vec![];
        let around = list_stream::read_list_elements(
            log,
            id,
            list,
            list_stream::PIECE_BYTES,
            &mut |place, _| {
                let goes_on = places.len() < MAX_RECORDS;
                places.extend(goes_on.then_some(place));
                goes_on
            },
        );
        let (format, budget) = (self.format, &mut self.budget);
        budget.grant_for_log(log.size());
        let pieces = list_stream::element_ranges(&places, executor.piece_bytes());
        let done: Vec<Mutex<Vec<Option<RecordEntry>>>> =
            pieces.iter().map(|_| Mutex::default()).collect();
        let read = |piece: usize| {
            let entries =
                list_stream::map_elements(log, &places[pieces[piece].clone()], |place, bytes| {
                    let text = lossy_text(bytes);
                    let record =
                        index_record(format.read_record(JsonTape::parse(text.trim())?.root()));
                    Some(RecordEntry { place, record })
                });
            *done[piece].lock().unwrap_or_else(PoisonError::into_inner) = entries;
        };
        let (mut entries, mut broken, mut is_full) = (vec![], 0, false);
        executor.in_order(pieces.len(), &read, &mut |piece| {
            let read = &mut *done[piece].lock().unwrap_or_else(PoisonError::into_inner);
            for entry in std::mem::take(read) {
                match entry {
                    None => broken += 1,
                    Some(entry) => {
                        is_full = is_full || !budget.try_spend(record_index_bytes(&entry.record));
                        entries.extend((!is_full).then_some(entry));
                    }
                }
            }
        });
        let mut warn = |what: String| self.warnings.push(Warning { place: name.to_owned(), what });
        if broken > 0 {
            warn(format!("{broken} of its records are not JSON"));
        }
        if !around.is_whole || is_full {
            warn(format!("the first {} records are read", entries.len()));
        }
        let text = around.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&around.text);
        let text = lossy_text(text);
        let header = match JsonTape::parse(text.trim()) {
            Some(tape) => {
                let rest = format.records_in(tape.root()).into_iter().map(|value| RecordEntry {
                    place: around.place_of(value.get()),
                    record: index_record(format.read_record(value)),
                });
                entries.extend(rest);
                index_record(format.read_header(tape.root()))
            }
            None => {
                warn(jsonl::json_error_text(&tape::serde_error(&text), true));
                LogRecord::default()
            }
        };
        self.parts.push((id, SourceRecords { entries, header }));
    }

    fn read_document(&mut self, id: SourceId, name: &str, bytes: &[u8]) {
        let text = lossy_text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        let Some(tape) = JsonTape::parse(text.trim()) else {
            let what = jsonl::json_error_text(&tape::serde_error(&text), true);
            self.warnings.push(Warning { place: name.to_owned(), what });
            return;
        };
        let warning = not_finite_text(&tape).map(|what| Warning { place: name.to_owned(), what });
        self.warnings.extend(warning);
        let is_exact = matches!(text, std::borrow::Cow::Borrowed(_));
        let mut last = RecordPlace { source: id, line: 1, ..RecordPlace::default() };
        let mut place = |record: TapeValue<'_>| {
            if !is_exact {
                return RecordPlace { len: bytes.len() as u64, ..last };
            }
            last = place_after(bytes, record.get(), last);
            last
        };
        let mut values = self.format.records_in(tape.root());
        if values.len() > MAX_RECORDS {
            let what = format!("has {} records; the first {MAX_RECORDS} are read", values.len());
            self.warnings.push(Warning { place: name.to_owned(), what });
            values.truncate(MAX_RECORDS);
        }
        let entries = values
            .into_iter()
            .map(|value| RecordEntry {
                place: place(value),
                record: index_record(self.format.read_record(value)),
            })
            .collect();
        let header = index_record(self.format.read_header(tape.root()));
        self.parts.push((id, SourceRecords { entries, header }));
    }

    fn into_run(mut self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        for document in std::mem::take(&mut self.documents) {
            self.read_document(document.id, &document.name, &document.bytes);
        }
        self.parts.sort_by_key(|(id, _)| *id);
        let name = sources.first().map_or("", |source| source.name);
        let mut fold = fold::RecordFold::default();
        let mut header = LogRecord::default();
        for (id, part) in &mut self.parts {
            let source = sources.get(id.0 as usize).map_or("", |source| source.name);
            if let Some(agent) = self.format.agent_of_source(source).filter(|_| id.0 > 0) {
                for entry in &mut part.entries {
                    entry.record.agent.get_or_insert(agent.clone().into());
                    entry.record.facts = HeaderFacts {
                        model: entry.record.facts.model.take(),
                        ..HeaderFacts::default()
                    };
                }
            }
            if let Some(parent) = self.format.parent_of_source(source).filter(|_| id.0 > 0) {
                let silent = |entry: &&mut RecordEntry| entry.record.parent.as_deref() == Some("");
                for entry in part.entries.iter_mut().filter(silent) {
                    entry.record.parent = Some(parent.clone().into());
                }
            }
            merge_header(&mut header, std::mem::take(&mut part.header));
        }
        let mut entries: Vec<RecordEntry> =
            self.parts.into_iter().flat_map(|(_, part)| part.entries).collect();
        self.format.order_entries(&mut entries);
        if header.facts.task.is_none() {
            header.facts.task = self.format.task_of_source(name).map(Into::into);
        }
        let header_entry = RecordEntry {
            place: RecordPlace::default(),
            record: LogRecord {
                facts: header.facts.clone(),
                time: header.time,
                ended_at: header.ended_at,
                ..LogRecord::default()
            },
        };
        fold.apply_header(&header_entry.record);
        // The records of sub-agents follow the main agent's steps, which name the calls that started them.
        let (main, others): (Vec<_>, Vec<_>) = entries
            .iter()
            .partition(|entry| entry.record.agent.is_none() || entry.place.source.0 == 0);
        main.into_iter().chain(others).for_each(|entry| fold.take_entry(entry));
        let mut run = fold.finish_run(self.format.name(), name, &header);
        run.origin.harness = self.format.harness().map(str::to_owned);
        run.warnings.extend(self.warnings);
        Ok(run)
    }
}

/// Returns a warning about values that are no numbers: those in the text, and those that a preparation made null
/// ([`NOT_FINITE`]).
fn not_finite_text(tape: &JsonTape<'_>) -> Option<String> {
    let before =
        JsonObject::from_value(tape.root()).and_then(|it| it.number(NOT_FINITE)).unwrap_or(0);
    let count = tape.not_finite() + usize::try_from(before).unwrap_or(usize::MAX);
    (count > 0).then(|| not_finite::warning_text(count))
}

/// The field with the number of values that a preparation made null since they are no numbers.
pub const NOT_FINITE: &str = "trajview:not_finite";

/// Returns whether each line is a value of its own: a document begins with a line of one bracket, or is a list.
fn is_lines(bytes: &[u8]) -> bool {
    let first = jsonl::lines_of_file(SourceId(0), bytes).next();
    first.is_none_or(|(_, line)| {
        let line = line.trim_ascii();
        line.starts_with(b"{") && line.ends_with(b"}")
            || !line.starts_with(b"[") && !line.starts_with(b"{")
    })
}

fn read_line(
    format: &dyn RecordFormat,
    place: RecordPlace,
    bytes: &[u8],
    is_last: bool,
) -> LineRecords {
    let text = lossy_text(bytes);
    let mut warnings = vec![];
    let is_exact = matches!(text, std::borrow::Cow::Borrowed(_));
    if !is_exact {
        warnings.push("not UTF-8; what could not be read is shown as \u{fffd}".to_owned());
    }
    let tape = JsonTape::parse(text.trim()).filter(|tape| tape.root().is_object());
    let Some(tape) = tape else {
        let why = tape::serde_error(&text);
        let what =
            if why.line() == 0 { why.to_string() } else { jsonl::json_error_text(&why, is_last) };
        warnings.push(what);
        return LineRecords { place, part: None, warnings };
    };
    warnings.extend(not_finite_text(&tape));
    let whole = tape.root().get();
    let at = |value: TapeValue<'_>| {
        if !is_exact || std::ptr::eq(value.get(), whole) {
            return place;
        }
        let within = place_within(bytes, value.get(), place.source);
        RecordPlace { start: place.start + within.start, line: place.line, ..within }
    };
    let values = format.records_in(tape.root()).into_iter();
    let entries = values
        .map(|value| RecordEntry {
            place: at(value),
            record: index_record(format.read_record(value)),
        })
        .collect();
    let header = index_record(format.read_header(tape.root()));
    LineRecords { place, part: Some(SourceRecords { entries, header }), warnings }
}

/// Returns the place of a part of `whole` that comes after `last`.
fn place_after(whole: &[u8], part: &str, last: RecordPlace) -> RecordPlace {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len());
    let before = last.start as usize;
    let line = if start >= before {
        last.line + memchr::memchr_iter(b'\n', &whole[before..start]).count() as u32
    } else {
        1 + memchr::memchr_iter(b'\n', &whole[..start]).count() as u32
    };
    RecordPlace { line, start: start as u64, len: part.len() as u64, ..last }
}

fn index_record(record: LogRecord<'_>) -> LogRecord<'static> {
    let own = |text: Option<std::borrow::Cow<'_, str>>| text.map(|text| text.into_owned().into());
    let asked = record.events.iter().find_map(|event| match event {
        RecordEvent::Request(text) => Some((text.len() as u64, chat::exit_code_in(text))),
        _ => None,
    });
    LogRecord {
        asked,
        time: record.time,
        ended_at: record.ended_at,
        stated: record.stated,
        facts: record.facts.into_owned_facts(),
        tokens: record.tokens,
        cost_usd: record.cost_usd,
        totals: record.totals,
        trial: record.trial,
        recorded: record.recorded,
        response: own(record.response),
        id: own(record.id),
        parent: own(record.parent),
        agent: own(record.agent),
        may_repeat: record.may_repeat,
        skipped: own(record.skipped),
        events: record.events.into_iter().map(RecordEvent::into_labels).collect(),
    }
}

/// Adds the facts of a later header to an earlier one.
fn merge_header(to: &mut LogRecord<'static>, from: LogRecord<'static>) {
    let (old, new) = (&mut to.facts, from.facts);
    let pairs = [
        (&mut old.id, new.id),
        (&mut old.title, new.title),
        (&mut old.task, new.task),
        (&mut old.task_set, new.task_set),
        (&mut old.agent, new.agent),
        (&mut old.version, new.version),
        (&mut old.model, new.model),
        (&mut old.root, new.root),
    ];
    for (old, new) in pairs {
        if old.is_none() {
            *old = new;
        }
    }
    to.time = to.time.or(from.time);
    to.ended_at = to.ended_at.max(from.ended_at);
    to.tokens = if from.tokens.is_recorded() { from.tokens } else { to.tokens };
    to.cost_usd = from.cost_usd.or(to.cost_usd);
    match (&mut to.trial, from.trial) {
        (Some(trial), Some(more)) => trial.other_rewards.extend(more.named_rewards()),
        (trial @ None, more) => *trial = more,
        (Some(_), None) => {}
    }
    to.recorded.extend(from.recorded);
}
