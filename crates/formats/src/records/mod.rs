//! Formats whose records can be read one by one: each says by itself what happened ([`Record`]), and all of them become
//! runs in one way ([`fold`]).
//!
//! A log of these is either lines, each a JSON value, or one JSON document; [`Records::records`] takes such a value apart
//! where it holds several records. To read a new format of this kind, say how its first bytes are known and what one
//! record of it says.

pub mod arguments;
pub mod event;
mod fold;
pub mod order;
mod stream;

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use super::{
    Executor, Format, Growing, HEAD_BYTES, Head, NotUnderstood, Offers, Preparation, Rows, Shape,
    Source, chat,
    codex::call,
    companions::BelongsTo,
    jsonl::{self, Budget, Input, Kept},
    nested::place_within,
    not_finite,
    object::Object,
    tape::{self, Tape, Value},
};
use crate::claude::{json::indented, text::readable};
use trajview_run::{
    Edit, Place, Run, SourceId, Step, StepText, ToolResult, Warning, files::RecordedEdit,
};

pub use event::{Answer, Call, Event, Facts, FileEdit, Record};

/// [`Place::part`] holds the number of an event in its record, and above this many bits that of an edit in its event.
const EDIT_SHIFT: u32 = 20;

/// What there is to know of a format whose records are read one by one; whoever has this is a [`Format`].
pub trait Records: Copy + Send + Sync + 'static {
    /// As [`Format::name`].
    fn name(&self) -> &'static str;

    /// As [`Format::about`].
    fn about(&self) -> &'static str;

    /// As [`Format::sample`].
    fn sample(&self) -> &'static str;

    /// As [`Format::offers`].
    fn offers(&self) -> Offers;

    /// As [`Format::claims`].
    fn claims(&self, head: &Head<'_>) -> bool;

    /// What a line, or the whole document, says of the run beside its records. Tokens and cost are those of the whole run.
    fn header<'t>(&self, _document: Value<'t>) -> Record<'t> {
        Record::default()
    }

    /// The records in a line, or in the whole document, in playing order.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        vec![value]
    }

    /// The key of the list in which a document has its records, before what [`Records::records`] takes from around it. One that
    /// is too large to be held is read an element at a time; None where that cannot be.
    fn list(&self) -> Option<&'static str> {
        None
    }

    /// What one record says.
    fn record<'t>(&self, record: Value<'t>) -> Record<'t>;

    /// Leaves out the records that do not make up the run, or puts them in order.
    fn order(&self, _entries: &mut Vec<Entry>) {}

    /// The sub-agent whose log a file is, by its name as a companion.
    fn agent_of(&self, _source: &str) -> Option<String> {
        None
    }

    /// To which record the records of a companion belong that do not say it, by the companion's name.
    fn parent_of(&self, _source: &str) -> Option<String> {
        None
    }

    /// As [`Format::rows`].
    fn rows(&self, _head: &Head<'_>) -> Rows {
        Rows::None
    }

    /// As [`Format::preparation`].
    fn preparation(&self, _head: &Head<'_>) -> Option<Preparation> {
        None
    }

    /// As [`Format::repositories`].
    fn repositories(&self) -> &'static [&'static str] {
        &[]
    }

    /// As [`Format::belongs_to`].
    fn belongs_to(&self, _other: &Head<'_>) -> BelongsTo {
        BelongsTo::Itself
    }

    /// As [`Format::names`].
    fn names(&self, _main: &Head<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// As [`Format::parts_in`].
    fn parts_in(&self, _main: &Head<'_>) -> Vec<String> {
        vec![]
    }

    /// As [`Format::has_agent_folders`].
    fn has_agent_folders(&self) -> bool {
        false
    }
}

/// A record and where it stands; of its texts the labels.
#[derive(Debug, Clone)]
pub struct Entry {
    pub place: Place,
    pub record: Record<'static>,
}

impl<T: Records> Format for T {
    fn name(&self) -> &'static str {
        Records::name(self)
    }

    fn about(&self) -> &'static str {
        Records::about(self)
    }

    fn sample(&self) -> &'static str {
        Records::sample(self)
    }

    fn offers(&self) -> Offers {
        Records::offers(self)
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        Records::claims(self, head)
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        Records::belongs_to(self, other)
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        Records::names(self, main)
    }

    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        Records::parts_in(self, main)
    }

    fn has_agent_folders(&self) -> bool {
        Records::has_agent_folders(self)
    }

    fn repositories(&self) -> &'static [&'static str] {
        Records::repositories(self)
    }

    fn rows(&self, head: &Head<'_>) -> Rows {
        Records::rows(self, head)
    }

    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        Records::preparation(self, head)
    }

    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood> {
        let mut log = Log::of(*self);
        for (id, source) in (0..).map(SourceId).zip(sources) {
            match is_lines(source.bytes) {
                true => log.take(id, source.name, Input::whole(source.bytes), executor),
                false => log.document(id, source.name, source.bytes),
            }
        }
        log.completed(sources)
    }

    fn growing(&self) -> Option<Box<dyn Growing>> {
        let is_lines = Records::offers(self).shape == Shape::Lines;
        is_lines.then(|| Box::new(Log::of(*self)) as Box<dyn Growing>)
    }

    fn streaming(&self) -> Option<Box<dyn Growing>> {
        let list = Records::list(self)?;
        Some(Box::new(Log { list: Some(list), ..Log::of(*self) }))
    }

    fn words(&self, record: &[u8], step: &Step) -> StepText {
        let whole = || StepText { text: whole_of(record), ..StepText::default() };
        event_at(self, record, step.place, |event| match event {
            Some(Event::Called(call)) => {
                StepText { arguments: Some(arguments_of(&call)), ..StepText::default() }
            }
            Some(
                Event::Request(text)
                | Event::Said(_, text)
                | Event::Thought(text)
                | Event::Failed(text)
                | Event::Compacted(text)
                | Event::FinalDiff(text),
            ) => StepText { text: text.into_owned(), ..StepText::default() },
            Some(Event::Answered(answer)) => {
                StepText { text: answer.text.into_owned(), ..StepText::default() }
            }
            Some(
                Event::Unknown(_)
                | Event::Left { .. }
                | Event::Nothing
                | Event::Start(_)
                | Event::Commit(_),
            )
            | None => whole(),
        })
    }

    fn request(&self, record: &[u8]) -> String {
        with_record(self, record, |record| {
            let (mut asked, mut said) = (vec![], vec![]);
            for event in record.events {
                match event {
                    Event::Request(text) => asked.push(text),
                    // Words of which only other records tell that they are the user's.
                    Event::Said(_, text) => said.push(text),
                    _ => {}
                }
            }
            if asked.is_empty() { said.join("\n") } else { asked.join("\n") }
        })
        .unwrap_or_default()
    }

    fn result(&self, record: &[u8], result: &ToolResult) -> String {
        event_at(self, record, result.place, |event| match event {
            Some(Event::Called(Call { answer: Some(answer), .. }) | Event::Answered(answer)) => {
                answer.text.into_owned()
            }
            Some(Event::Request(text)) => text.into_owned(),
            _ => String::new(),
        })
    }

    fn edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        let number = (edit.place.part >> EDIT_SHIFT) as usize;
        event_at(self, record, edit.place, |event| {
            let edits = match event? {
                Event::Called(Call { answer: Some(answer), .. }) if !answer.edits.is_empty() => {
                    answer.edits
                }
                Event::Called(call) => call.edits,
                Event::Answered(answer) => answer.edits,
                Event::FinalDiff(diff) => FileEdit::of_diff(&diff),
                _ => return None,
            };
            let edit = edits.into_iter().nth(number)?;
            Some(RecordedEdit { before: edit.before, change: edit.change })
        })
    }
}

/// The whole record, readable.
fn whole_of(record: &[u8]) -> String {
    let text = readable(record);
    match Tape::read(text.trim()) {
        Some(tape) => indented(tape.root()),
        None => text.to_string(),
    }
}

fn with_record<R: Records, T>(
    format: &R,
    record: &[u8],
    then: impl FnOnce(Record<'_>) -> T,
) -> Option<T> {
    let text = readable(record);
    let tape = Tape::read(text.trim())?;
    Some(then(format.record(tape.root())))
}

fn event_at<R: Records, T>(
    format: &R,
    record: &[u8],
    place: Place,
    then: impl FnOnce(Option<Event<'_>>) -> T,
) -> T {
    let part = (place.part & ((1 << EDIT_SHIFT) - 1)) as usize;
    let text = readable(record);
    let tape = Tape::read(text.trim());
    let events = tape.as_ref().map(|tape| format.record(tape.root()).events);
    then(events.and_then(|events| events.into_iter().nth(part)))
}

/// As a person reads them: the command alone, a patch, else JSON with line breaks.
fn arguments_of(call: &Call<'_>) -> String {
    let text = &call.arguments;
    let tape = Tape::read(text);
    let fields = tape.as_ref().map(Tape::root).filter(|root| root.is_object());
    let Some(root) = fields else {
        return if text.is_empty() { call.main.to_string() } else { text.to_string() };
    };
    let mut texts = root.fields().filter(|(_, value)| value.is_string());
    let is_only = |(key, _): &(tape::Inside<'_>, Value<'_>)| {
        matches!(key.text, "command" | "cmd" | "input" | "patch" | "CommandLine" | "code")
    };
    match texts.find(is_only) {
        Some(_) if root.fields().count() <= 3 => call::main_argument(text),
        _ => indented(root),
    }
}

/// Records that are read of a document: the longest run that anybody published has some thousand.
const MOST_RECORDS: usize = 150_000;

/// The bytes of a document that are read.
const MOST_BYTES: usize = 1 << 30;

/// The records of one source, as they were read.
#[derive(Debug, Clone)]
struct Part {
    entries: Vec<Entry>,
    header: Record<'static>,
}

/// A document that comes in pieces.
#[derive(Clone)]
struct Document {
    id: SourceId,
    name: String,
    bytes: Vec<u8>,
}

/// A recording while it is read.
#[derive(Clone)]
struct Log<R> {
    format: R,
    parts: Vec<(SourceId, Part)>,
    documents: Vec<Document>,
    warnings: Vec<Warning>,
    budget: Budget,
    /// The key under which documents have the records that are read one by one.
    list: Option<&'static str>,
}

/// What was made of a line.
struct Made {
    place: Place,
    part: Option<Part>,
    warnings: Vec<String>,
}

impl Kept for Made {
    fn kept_bytes(&self) -> usize {
        let entries = self.part.iter().flat_map(|part| &part.entries);
        let entries = entries.map(|entry| bytes_of(&entry.record));
        64 + self.warnings.len() * 256 + entries.sum::<usize>()
    }
}

/// Bytes that the index takes of a record, about.
fn bytes_of(record: &Record<'_>) -> usize {
    128 + record.events.len() * 320
}

impl<R: Records> Growing for Log<R> {
    fn take(&mut self, id: SourceId, name: &str, input: Input<'_>, executor: &dyn Executor) {
        match input {
            Input::Held(piece) => {
                let open = self.documents.iter_mut().find(|document| document.id == id);
                match open {
                    Some(document) => return document.bytes.extend_from_slice(piece.bytes),
                    None if piece.start == 0 && !is_lines(piece.bytes) => {
                        let (name, bytes) = (name.to_owned(), piece.bytes.to_vec());
                        return self.documents.push(Document { id, name, bytes });
                    }
                    None => {}
                }
            }
            Input::Log(log) => {
                let mut head = vec![0; HEAD_BYTES];
                let len = log.read(0, &mut head);
                if let Some(list) = self.list.filter(|_| !is_lines(&head[..len])) {
                    return self.stream((id, name), log, list, executor);
                }
                if !is_lines(&head[..len]) && len > 0 {
                    let mut whole =
                        vec![0; usize::try_from(log.size()).unwrap_or(0).min(MOST_BYTES)];
                    let len = log.read(0, &mut whole);
                    return self.document(id, name, &whole[..len]);
                }
            }
        }
        let format = self.format;
        let read = move |place: Place, bytes: &[u8], is_last: bool| {
            Some(line_of(&format, place, bytes, is_last))
        };
        let mut all = Part { entries: vec![], header: Record::default() };
        let mut warnings = vec![];
        let extent = jsonl::each_line(
            id,
            input,
            executor,
            &mut self.budget,
            &read,
            &mut |before, made: Made| {
                let place = made.place.down(before);
                let told = made.warnings.into_iter();
                warnings.extend(told.map(|what| jsonl::warning(name, place, what)));
                let Some(part) = made.part else { return };
                let entries = part.entries.into_iter();
                all.entries.extend(
                    entries.map(|entry| Entry { place: entry.place.down(before), ..entry }),
                );
                merge(&mut all.header, part.header);
            },
        );
        if let jsonl::Extent::CutAfter(line) = extent {
            warnings.push(Warning { place: name.to_owned(), what: jsonl::too_long(line) });
        }
        self.warnings.extend(warnings);
        match self.parts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, part)) => {
                part.entries.extend(all.entries);
                merge(&mut part.header, all.header);
            }
            None => self.parts.push((id, all)),
        }
    }

    fn run(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        self.clone().completed(sources)
    }

    fn finish(
        self: Box<Self>,
        sources: &[Source<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.completed(sources)
    }
}

impl<R: Records> Log<R> {
    fn of(format: R) -> Self {
        Self {
            format,
            parts: vec![],
            documents: vec![],
            warnings: vec![],
            budget: Budget::default(),
            list: None,
        }
    }

    /// As [`Log::document`], of which a few elements at a time are held.
    fn stream(
        &mut self,
        (id, name): (SourceId, &str),
        log: &dyn jsonl::Log,
        list: &str,
        executor: &dyn Executor,
    ) {
        let mut places: Vec<Place> = vec![];
        let around = stream::read(log, id, list, stream::A_PIECE, &mut |place, _| {
            let goes_on = places.len() < MOST_RECORDS;
            places.extend(goes_on.then_some(place));
            goes_on
        });
        let (format, budget) = (self.format, &mut self.budget);
        budget.grant(log.size());
        let pieces = stream::pieces(&places, executor.piece_bytes());
        let done: Vec<Mutex<Vec<Option<Entry>>>> =
            pieces.iter().map(|_| Mutex::default()).collect();
        let read = |piece: usize| {
            let entries = stream::each(log, &places[pieces[piece].clone()], |place, bytes| {
                let text = readable(bytes);
                let record = kept(format.record(Tape::read(text.trim())?.root()));
                Some(Entry { place, record })
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
                        is_full = is_full || !budget.spend(bytes_of(&entry.record));
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
        let text = readable(text);
        let header = match Tape::read(text.trim()) {
            Some(tape) => {
                let rest = format.records(tape.root()).into_iter().map(|value| Entry {
                    place: around.place_of(value.get()),
                    record: kept(format.record(value)),
                });
                entries.extend(rest);
                kept(format.header(tape.root()))
            }
            None => {
                warn(jsonl::broken(&tape::why_not(&text), true));
                Record::default()
            }
        };
        self.parts.push((id, Part { entries, header }));
    }

    fn document(&mut self, id: SourceId, name: &str, bytes: &[u8]) {
        let text = readable(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        let Some(tape) = Tape::read(text.trim()) else {
            let what = jsonl::broken(&tape::why_not(&text), true);
            self.warnings.push(Warning { place: name.to_owned(), what });
            return;
        };
        let told = not_finite_in(&tape).map(|what| Warning { place: name.to_owned(), what });
        self.warnings.extend(told);
        let is_exact = matches!(text, std::borrow::Cow::Borrowed(_));
        let mut last = Place { source: id, line: 1, ..Place::default() };
        let mut place = |record: Value<'_>| {
            if !is_exact {
                return Place { len: bytes.len() as u64, ..last };
            }
            last = place_after(bytes, record.get(), last);
            last
        };
        let mut values = self.format.records(tape.root());
        if values.len() > MOST_RECORDS {
            let what = format!("has {} records; the first {MOST_RECORDS} are read", values.len());
            self.warnings.push(Warning { place: name.to_owned(), what });
            values.truncate(MOST_RECORDS);
        }
        let entries = values
            .into_iter()
            .map(|value| Entry { place: place(value), record: kept(self.format.record(value)) })
            .collect();
        let header = kept(self.format.header(tape.root()));
        self.parts.push((id, Part { entries, header }));
    }

    fn completed(mut self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        for document in std::mem::take(&mut self.documents) {
            self.document(document.id, &document.name, &document.bytes);
        }
        self.parts.sort_by_key(|(id, _)| *id);
        let name = sources.first().map_or("", |source| source.name);
        let mut fold = fold::Fold::default();
        let mut header = Record::default();
        for (id, part) in &mut self.parts {
            let source = sources.get(id.0 as usize).map_or("", |source| source.name);
            if let Some(agent) = self.format.agent_of(source).filter(|_| id.0 > 0) {
                for entry in &mut part.entries {
                    entry.record.agent.get_or_insert(agent.clone().into());
                    entry.record.facts =
                        Facts { model: entry.record.facts.model.take(), ..Facts::default() };
                }
            }
            if let Some(parent) = self.format.parent_of(source).filter(|_| id.0 > 0) {
                let silent = |entry: &&mut Entry| entry.record.parent.as_deref() == Some("");
                for entry in part.entries.iter_mut().filter(silent) {
                    entry.record.parent = Some(parent.clone().into());
                }
            }
            merge(&mut header, std::mem::take(&mut part.header));
        }
        let mut entries: Vec<Entry> =
            self.parts.into_iter().flat_map(|(_, part)| part.entries).collect();
        self.format.order(&mut entries);
        let told = Entry {
            place: Place::default(),
            record: Record {
                facts: header.facts.clone(),
                time: header.time,
                ended_at: header.ended_at,
                ..Record::default()
            },
        };
        fold.about(&told.record);
        // What sub-agents did is told after the main agent's steps, which say who started them.
        let (main, others): (Vec<_>, Vec<_>) = entries
            .iter()
            .partition(|entry| entry.record.agent.is_none() || entry.place.source.0 == 0);
        main.into_iter().chain(others).for_each(|entry| fold.take(entry));
        let mut run = fold.finish(Records::name(&self.format), name, &header);
        run.warnings.extend(self.warnings);
        Ok(run)
    }
}

/// What is said of a text with values that are no numbers: those that it has, and those that were made null when it was
/// put into its form ([`NOT_FINITE`]).
fn not_finite_in(tape: &Tape<'_>) -> Option<String> {
    let before = Object::of(tape.root()).and_then(|it| it.number(NOT_FINITE)).unwrap_or(0);
    let count = tape.not_finite() + usize::try_from(before).unwrap_or(usize::MAX);
    (count > 0).then(|| not_finite::warning(count))
}

/// The field in which a preparation says how many values it made null since they are no numbers.
pub const NOT_FINITE: &str = "trajview:not_finite";

/// Whether each line is a value of its own: a document begins with a bracket alone, or is a list.
fn is_lines(bytes: &[u8]) -> bool {
    let first = jsonl::lines(SourceId(0), bytes).next();
    first.is_none_or(|(_, line)| {
        let line = line.trim_ascii();
        line.starts_with(b"{") && line.ends_with(b"}")
            || !line.starts_with(b"[") && !line.starts_with(b"{")
    })
}

fn line_of<R: Records>(format: &R, place: Place, bytes: &[u8], is_last: bool) -> Made {
    let text = readable(bytes);
    let mut warnings = vec![];
    let is_exact = matches!(text, std::borrow::Cow::Borrowed(_));
    if !is_exact {
        warnings.push("not UTF-8; what could not be read is shown as \u{fffd}".to_owned());
    }
    let tape = Tape::read(text.trim()).filter(|tape| tape.root().is_object());
    let Some(tape) = tape else {
        let why = tape::why_not(&text);
        let what = if why.line() == 0 { why.to_string() } else { jsonl::broken(&why, is_last) };
        warnings.push(what);
        return Made { place, part: None, warnings };
    };
    warnings.extend(not_finite_in(&tape));
    let whole = tape.root().get();
    let at = |value: Value<'_>| {
        if !is_exact || std::ptr::eq(value.get(), whole) {
            return place;
        }
        let within = place_within(bytes, value.get(), place.source);
        Place { start: place.start + within.start, line: place.line, ..within }
    };
    let values = format.records(tape.root()).into_iter();
    let entries = values
        .map(|value| Entry { place: at(value), record: kept(format.record(value)) })
        .collect();
    let header = kept(format.header(tape.root()));
    Made { place, part: Some(Part { entries, header }), warnings }
}

/// The place of a part of `whole` that stands after `last`.
fn place_after(whole: &[u8], part: &str, last: Place) -> Place {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len());
    let before = last.start as usize;
    let line = if start >= before {
        last.line + memchr::memchr_iter(b'\n', &whole[before..start]).count() as u32
    } else {
        1 + memchr::memchr_iter(b'\n', &whole[..start]).count() as u32
    };
    Place { line, start: start as u64, len: part.len() as u64, ..last }
}

fn kept(record: Record<'_>) -> Record<'static> {
    let own = |text: Option<std::borrow::Cow<'_, str>>| text.map(|text| text.into_owned().into());
    let asked = record.events.iter().find_map(|event| match event {
        Event::Request(text) => Some((text.len() as u64, chat::exit_code(text))),
        _ => None,
    });
    Record {
        asked,
        time: record.time,
        ended_at: record.ended_at,
        stated: record.stated,
        facts: record.facts.kept(),
        tokens: record.tokens,
        cost_usd: record.cost_usd,
        totals: record.totals,
        response: own(record.response),
        id: own(record.id),
        parent: own(record.parent),
        agent: own(record.agent),
        restated: record.restated,
        skipped: own(record.skipped),
        events: record.events.into_iter().map(Event::kept).collect(),
    }
}

/// What a later header adds to an earlier one.
fn merge(to: &mut Record<'static>, from: Record<'static>) {
    let (old, new) = (&mut to.facts, from.facts);
    let pairs = [
        (&mut old.id, new.id),
        (&mut old.title, new.title),
        (&mut old.task, new.task),
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
}
