//! The second phase: the records of one thread, folded into turns and steps.
//!
//! Codex tells most things two or three times: to the model (`response_item`), to its screen (`event_msg`) and,
//! since 0.150, as an item. Which of them a log has, and in which order, depends on the version. So a step is
//! made by whichever record comes first, and the others are recognised as its twins: by call id, else by what
//! they say, within the same turn and a window of steps.

use std::{
    collections::{HashMap, HashSet},
    num::NonZero,
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    read::AROUND,
    record::{Call, Change, Done, Line, Meta, Output, Record, RequestSource, Said, Usage, Voice},
    usage::Counter,
};
use trajview_code::short::ShortWords;
use trajview_run::{
    Edit, EditPath, Place, Role, Step, StepKind, Time, Tokens, ToolCall, ToolResult, Turn, fitted,
    label,
};

/// One rollout file, folded.
#[derive(Debug, Default)]
pub struct Thread {
    pub meta: Meta,
    pub name: Option<Box<str>>,
    /// In order of first use.
    pub models: Vec<Box<str>>,
    pub turns: Vec<ThreadTurn>,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
}

/// A turn whose steps are not yet tied to sub-agents; `turn.steps` is empty.
#[derive(Debug, Default)]
pub struct ThreadTurn {
    pub turn: Turn,
    pub steps: Vec<ThreadStep>,
}

#[derive(Debug, Default)]
pub struct ThreadStep {
    pub step: Step,
    pub spawned: Option<Spawned>,
}

/// The agent that a step started, as far as the log names it.
#[derive(Debug, Clone, Default)]
pub struct Spawned {
    pub thread: Option<Box<str>>,
    pub path: Option<Box<str>>,
}

/// The requests that the screen was told of; where there are any, those told to the model alone are no turns.
#[derive(Debug, Clone, Default)]
pub struct ShownRequests {
    pub has_any: bool,
    prints: HashSet<NonZero<u64>>,
    /// The requests that are believed to be among them while the log is read; None where all of it was.
    believed: Option<Vec<Vec<NonZero<u64>>>>,
}

impl ShownRequests {
    pub fn of(lines: &[&Line]) -> Self {
        let mut told = Self::default();
        lines.iter().for_each(|line| told.take(line));
        told
    }

    /// Those of a log that is still read: whatever is told to the model is believed to be told to the screen too, before or
    /// after. So it is in all logs of later versions.
    fn believed() -> Self {
        Self { has_any: true, believed: Some(vec![]), ..Self::default() }
    }

    /// Whether what was believed is so, by all that the screen was told.
    fn are(&self, all: &Self) -> bool {
        let is_shown = |prints: &Vec<NonZero<u64>>| all.has(prints);
        self.believed.iter().flatten().all(|prints| all.has_any && is_shown(prints))
    }

    fn has(&self, prints: &[NonZero<u64>]) -> bool {
        prints.iter().any(|print| self.prints.contains(print))
    }

    /// As [`Self::has`], or believed to be so.
    fn has_or_believes(&mut self, prints: &[NonZero<u64>]) -> bool {
        match &mut self.believed {
            Some(believed) => {
                believed.push(prints.to_vec());
                true
            }
            None => self.has(prints),
        }
    }

    pub fn take(&mut self, line: &Line) {
        if let Record::Request { said, source: RequestSource::Told } = &line.record {
            self.has_any = true;
            self.prints.extend(&said.prints);
        }
    }
}

/// Folds the lines of one thread; those that it copied from another only say from where on it counts. `root` is where its
/// files live.
pub fn fold(
    (lines, copied): (&[&Line], &[&Line]),
    told: ShownRequests,
    meta: Meta,
    root: Option<&str>,
) -> Thread {
    let mut fold = Fold::begin(told, meta, root, lines.len());
    for line in copied {
        // What it counted, it counts on from.
        if let Record::Usage(usage) = &line.record {
            fold.counter.count(usage);
        }
    }
    for line in lines {
        fold.line(Line::clone(line));
    }
    fold.finish().0
}

/// A fold that is done while the log is read: who reads it waits for those who take its lines apart most of the time.
pub struct Ahead(Fold);

impl Ahead {
    /// Begins where the first line is all that [`fold`] wants to know before: a main thread's own words on itself.
    pub fn begin(first: &Line, lines: usize) -> Option<Self> {
        let Record::Meta(meta) = &first.record else { return None };
        let is_whole = !meta.is_subagent && meta.forked_from.is_none();
        let root = meta.cwd.as_deref().filter(|_| is_whole)?;
        Some(Self(Fold::begin(ShownRequests::believed(), Meta::clone(meta), Some(root), lines)))
    }

    /// Takes the next line, the first one too.
    pub fn line(&mut self, line: Line) {
        self.0.line(line);
    }

    /// Whether the requests were what they were believed to be; all is to be folded once more where they were not.
    pub fn was_right(&self, told: &ShownRequests) -> bool {
        self.0.told.are(told)
    }

    /// And what takes a while to be freed.
    pub fn finish(self) -> (Thread, Box<dyn Send>) {
        self.0.finish()
    }
}

/// Fewer turns are finished by one thread.
pub const MANY_TURNS: usize = 1000;

/// How many steps back a twin is looked for; they follow each other closely.
const TWIN_WINDOW: usize = 64;

#[derive(Default)]
struct Fold {
    meta: Meta,
    root: Option<Box<str>>,
    name: Option<Box<str>>,
    models: Models,
    cwd: Option<Box<str>>,
    told: ShownRequests,

    turns: Vec<TurnDraft>,
    /// Of all turns, one after the other.
    drafts: Vec<Draft>,
    /// Of all turns, one after the other.
    usages: Vec<Tokens>,
    calls: HashMap<Box<str>, usize, ShortWords>,
    /// Codex has begun to work, and we do not know yet on whose request.
    opening: Option<Opening>,
    span: Span,

    counter: Counter,
    /// The first step of the response whose tokens are still to come.
    response: Option<usize>,
    /// Tokens told before the first step of their response.
    owed: Option<Tokens>,
}

/// The models that were asked.
#[derive(Default)]
struct Models {
    /// In order of first use.
    all: Vec<Box<str>>,
    /// The one that is asked now.
    now: Option<Arc<str>>,
}

/// The first and the last moment that is recorded.
#[derive(Default)]
struct Span {
    first_at: Option<Time>,
    last_at: Option<Time>,
}

/// Where a record stands, and when it was made.
#[derive(Clone, Copy)]
struct Stamp {
    place: Place,
    at: Option<Time>,
}

struct TurnDraft {
    title: Box<str>,
    request: Option<Place>,
    prints: Vec<NonZero<u64>>,
    voices: Voices,
    is_wrapped: bool,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    first_draft: usize,
    first_usage: usize,
}

struct Opening {
    at: Option<Time>,
    ended_before: Option<Time>,
    first_draft: usize,
    first_usage: usize,
}

/// Who has told of something.
#[derive(Debug, Clone, Copy, Default)]
struct Voices(u8);

impl Voices {
    const fn has(self, voice: Voice) -> bool {
        self.0 & (1 << voice as u8) != 0
    }

    const fn add(&mut self, voice: Voice) {
        self.0 |= 1 << voice as u8;
    }
}

#[derive(Default)]
struct Draft {
    step: Step,
    /// Each part, and who has told it.
    prints: Vec<(NonZero<u64>, Voices)>,
    voices: Voices,
    /// Told by another step after all.
    is_merged: bool,
    /// Apart: most steps are no calls, and drafts are moved.
    call: Option<Box<CallDraft>>,
    spawned: Option<Spawned>,
}

#[derive(Default)]
struct CallDraft {
    name: Box<str>,
    id: Box<str>,
    planned: Vec<Change>,
    folder: Option<Box<str>>,
    script: Option<Vec<Box<str>>>,
    print: Option<NonZero<u64>>,
    /// Made by the record of its end; the call itself may follow.
    is_headless: bool,
    /// What the patch records say; Some as soon as there is one, empty where it failed.
    changed: Option<Vec<(Place, Vec<Change>)>>,
    observation: Option<Observation>,
    exit_code: Option<i32>,
    is_error: bool,
    is_success: bool,
    is_done: bool,
}

#[derive(Clone, Copy)]
struct Observation {
    place: Place,
    bytes: u64,
    /// Nothing was cut from it.
    is_whole: bool,
}

impl Fold {
    fn begin(told: ShownRequests, meta: Meta, root: Option<&str>, lines: usize) -> Self {
        Self {
            told,
            meta,
            root: root.map(Into::into),
            // A draft is large, and moving them all as their list doubles takes longer than making them.
            drafts: Vec::with_capacity(lines),
            calls: HashMap::with_capacity_and_hasher(lines / 4, ShortWords::default()),
            ..Self::default()
        }
    }

    fn line(&mut self, line: Line) {
        let Line { place, at, model, record, .. } = line;
        let stamp = Stamp { place, at };
        if let Some(model) = &model {
            self.model(model);
        }
        match record {
            Record::Meta(_) | Record::Bookkeeping | Record::Broken(_) => return,
            Record::Context { model, cwd, turn: _ } => {
                if let Some(model) = &model {
                    self.model(model);
                }
                self.cwd = cwd.or(self.cwd.take());
                self.response = None;
                return;
            }
            Record::ThreadName(name) => {
                self.name = Some(name);
                return;
            }
            Record::TaskStarted { .. } => self.task_started(stamp),
            Record::TaskEnded { error } => self.task_ended(stamp, error),
            Record::Request { said, source } => self.request(stamp, said, source),
            Record::Mail { label } => self.mail(stamp, label),
            Record::Said { kind, said } => self.said(stamp, kind, said),
            Record::Note { label, is_error, role } => self.note(stamp, label, role, is_error),
            Record::Call(call) => self.call(stamp, *call),
            Record::Output(output) => self.output(stamp, *output),
            Record::Done(done) => self.done(stamp, *done),
            Record::Agent { call, thread, path, is_start } => {
                self.agent(stamp, &call, Spawned { thread, path }, is_start);
            }
            Record::Usage(usage) => self.usage(&usage),
            Record::Compacted { label, voice } => self.compacted(stamp, label, voice),
            Record::Unknown { label } => {
                self.push(Draft::new(stamp, StepKind::Unknown, Role::System, label));
            }
        }
        self.span.first_at = self.span.first_at.or(at);
        self.span.last_at = at.or(self.span.last_at);
    }

    fn model(&mut self, model: &str) {
        if self.models.now.as_deref() != Some(model) {
            self.models.now = Some(model.into());
        }
        if !self.models.all.iter().any(|known| **known == *model) {
            self.models.all.push(model.into());
        }
    }

    // --- turns

    fn task_started(&mut self, stamp: Stamp) {
        self.close_opening();
        self.response = None;
        self.opening = Some(Opening {
            at: stamp.at,
            ended_before: self.span.last_at,
            first_draft: self.drafts.len(),
            first_usage: self.usages.len(),
        });
    }

    /// What came of an opening that no request followed belongs to the turn before.
    fn close_opening(&mut self) {
        let Some(opening) = self.opening.take() else { return };
        let has_steps = self.drafts.len() > opening.first_draft;
        if self.turns.is_empty() && has_steps {
            self.begin_turn(Some(opening), None, "".into(), None);
        }
    }

    fn task_ended(&mut self, stamp: Stamp, error: Option<Box<str>>) {
        if let Some(error) = error
            && !self
                .drafts
                .last()
                .is_some_and(|last| last.step.is_error && last.step.label == error)
        {
            self.note(stamp, error, Role::System, true);
        }
        self.close_opening();
    }

    fn begin_turn(
        &mut self,
        opening: Option<Opening>,
        at: Option<Time>,
        title: Box<str>,
        request: Option<Place>,
    ) {
        let opening = opening.unwrap_or(Opening {
            at,
            ended_before: self.span.last_at,
            first_draft: self.drafts.len(),
            first_usage: self.usages.len(),
        });
        if let Some(last) = self.turns.last_mut() {
            last.ended_at = opening.ended_before;
        }
        self.turns.push(TurnDraft {
            title,
            request,
            prints: vec![],
            voices: Voices::default(),
            is_wrapped: false,
            started_at: opening.at.or(at),
            ended_at: None,
            first_draft: opening.first_draft,
            first_usage: opening.first_usage,
        });
        self.counter.turn_begins();
        self.response = None;
        self.owed = None;
    }

    fn request(&mut self, stamp: Stamp, said: Said, source: RequestSource) {
        match source {
            RequestSource::Injected => return,
            RequestSource::Conversation if self.told.has_any => {
                if !self.told.has_or_believes(&said.prints) {
                    self.push(Draft::new(stamp, StepKind::Message, Role::User, said.label));
                }
                return;
            }
            RequestSource::Conversation | RequestSource::Told => {}
        }
        if self.is_request_told_again(&said) {
            return;
        }
        let opening = self.opening.take();
        self.begin_turn(opening, stamp.at, said.label, Some(stamp.place));
        if let Some(turn) = self.turns.last_mut() {
            turn.prints = said.prints;
            turn.voices.add(said.voice);
            turn.is_wrapped = said.is_wrapped;
        }
    }

    fn is_request_told_again(&mut self, said: &Said) -> bool {
        let drafts = self.drafts.len();
        match self.turns.last_mut() {
            Some(turn)
                if self.opening.is_none()
                    && !said.prints.is_empty()
                    && turn.prints == said.prints
                    && !turn.voices.has(said.voice)
                    && drafts == turn.first_draft =>
            {
                turn.voices.add(said.voice);
                true
            }
            _ => false,
        }
    }

    /// The task of a sub-agent comes by mail; elsewhere mail is something that happens within a turn.
    fn mail(&mut self, stamp: Stamp, label: Box<str>) {
        if self.meta.is_subagent
            && let Some(opening) = self.opening.take()
        {
            return self.begin_turn(Some(opening), stamp.at, label, Some(stamp.place));
        }
        self.push(Draft::new(stamp, StepKind::Message, Role::System, label));
    }

    /// The first step that belongs to the current turn.
    fn first_of_turn(&self) -> usize {
        let turn = self.turns.last().map_or(0, |turn| turn.first_draft);
        self.opening.as_ref().map_or(turn, |opening| opening.first_draft)
    }

    fn window(&self) -> std::ops::Range<usize> {
        let len = self.drafts.len();
        self.first_of_turn().max(len.saturating_sub(TWIN_WINDOW))..len
    }

    // --- steps

    fn push(&mut self, draft: Draft) -> usize {
        if self.turns.is_empty() && self.opening.is_none() {
            self.begin_turn(None, draft.step.started_at, "".into(), None);
        }
        self.drafts.push(draft);
        self.drafts.len() - 1
    }

    /// A step that the model made: tokens are owed to it, or will be.
    fn push_of_model(&mut self, draft: Draft) -> usize {
        let index = self.push(draft);
        match self.owed.take() {
            Some(tokens) => {
                let step = &mut self.drafts[index].step;
                step.tokens = tokens;
                step.model.clone_from(&self.models.now);
            }
            None => {
                self.response.get_or_insert(index);
            }
        }
        index
    }

    fn note(&mut self, stamp: Stamp, label: Box<str>, role: Role, is_error: bool) {
        let mut draft = Draft::new(stamp, StepKind::Message, role, label);
        draft.step.is_error = is_error;
        self.push(draft);
    }

    fn said(&mut self, stamp: Stamp, kind: StepKind, said: Said) {
        if self.is_told_again(stamp, kind, &said) {
            return;
        }
        let mut draft = Draft::new(stamp, kind, Role::Assistant, said.label);
        let mut voices = Voices::default();
        voices.add(said.voice);
        draft.prints = said.prints.iter().map(|print| (*print, voices)).collect();
        self.push_of_model(draft);
    }

    /// Whether every part of it was told by another voice.
    fn is_told_again(&mut self, stamp: Stamp, kind: StepKind, said: &Said) -> bool {
        let mut twins = vec![];
        for print in &said.prints {
            let twin = self.window().find_map(|index| {
                let draft = &self.drafts[index];
                let is_untold = |(known, voices): &(NonZero<u64>, Voices)| {
                    known == print && !voices.has(said.voice)
                };
                let part = draft.prints.iter().position(is_untold)?;
                (draft.step.kind == kind && !draft.is_merged).then_some((index, part))
            });
            match twin {
                Some(twin) if !twins.contains(&twin) => twins.push(twin),
                _ => return false,
            }
        }
        for &(index, part) in &twins {
            self.drafts[index].prints[part].1.add(said.voice);
        }
        self.merge(stamp, &twins, &said.label);
        !twins.is_empty()
    }

    /// Thinking told part by part and then as a whole is one step.
    fn merge(&mut self, stamp: Stamp, twins: &[(usize, usize)], label: &str) {
        let Some(&(first, _)) = twins.first() else { return };
        if twins.iter().all(|(index, _)| *index == first) {
            return;
        }
        for &(index, _) in twins {
            self.drafts[index].is_merged = index != first;
        }
        let step = &mut self.drafts[first].step;
        step.place = stamp.place;
        step.label = label.into();
    }

    fn compacted(&mut self, stamp: Stamp, label: Box<str>, voice: Voice) {
        let last = self.window().rev().find(|&index| !self.drafts[index].step.is_error);
        let twin = last
            .map(|index| &mut self.drafts[index])
            .filter(|draft| draft.step.kind == StepKind::Compaction && !draft.voices.has(voice));
        if let Some(twin) = twin {
            twin.voices.add(voice);
            // Only `compacted` holds the summary.
            if voice == Voice::Compacted || twin.step.label.is_empty() {
                twin.step.place = stamp.place;
                twin.step.label = label;
            }
            return;
        }
        let mut draft = Draft::new(stamp, StepKind::Compaction, Role::System, label);
        draft.voices.add(voice);
        self.push_of_model(draft);
    }

    // --- calls

    fn call(&mut self, stamp: Stamp, call: Call) {
        if let Some(index) = self.call_told_by_its_end(&call) {
            let draft = &mut self.drafts[index];
            draft.step.place = stamp.place;
            draft.step.label = call.label;
            if let Some(known) = &mut draft.call {
                known.is_headless = false;
                known.planned = call.planned;
                if call.script.is_some() || known.print.is_none() {
                    known.name = call.name;
                }
            }
            return;
        }
        if self.is_called_again(&call) {
            return;
        }
        let kind = if call.is_spawn { StepKind::SubAgent } else { StepKind::Tool };
        let mut draft = Draft::new(stamp, kind, Role::Assistant, call.label);
        draft.spawned = call.is_spawn.then(Spawned::default);
        let own = Observation { place: stamp.place, bytes: 0, is_whole: false };
        draft.call = Some(Box::new(CallDraft {
            name: call.name,
            id: call.id.clone(),
            planned: call.planned,
            folder: self.folder(call.folder),
            script: call.script,
            print: call.print,
            observation: call.has_result.then_some(own),
            is_error: call.is_error,
            ..CallDraft::default()
        }));
        let index = self.push_of_model(draft);
        if !call.id.is_empty() {
            self.calls.insert(call.id, index);
        }
    }

    fn is_called_again(&self, call: &Call) -> bool {
        let known =
            self.calls.get(&call.id).filter(|index: &&usize| self.window().contains(*index));
        known.is_some_and(|index| self.drafts[*index].step.label == call.label)
    }

    fn call_told_by_its_end(&self, call: &Call) -> Option<usize> {
        let is_headless = |index: &usize| {
            self.drafts[*index].call.as_deref().is_some_and(|known| known.is_headless)
        };
        let by_id = self.calls.get(&call.id).copied().filter(is_headless);
        by_id.or_else(|| {
            let mut window = self.window();
            let same = |index: &usize| {
                let known = self.drafts[*index].call.as_deref();
                call.print.is_some() && known.is_some_and(|known| known.print == call.print)
            };
            window.find(|index| is_headless(index) && same(index))
        })
    }

    /// The folder that relative paths of a call start from, where it is not the root.
    fn folder(&self, of_call: Option<Box<str>>) -> Option<Box<str>> {
        let cwd = self.cwd.as_deref().filter(|cwd| Some(*cwd) != self.root.as_deref());
        match (of_call, cwd) {
            (Some(folder), Some(cwd)) => Some(below(&folder, Some(cwd))),
            (Some(folder), None) => Some(folder),
            (None, cwd) => cwd.map(Into::into),
        }
    }

    fn output(&mut self, stamp: Stamp, output: Output) {
        let index = match self.calls.get(&output.call) {
            Some(index) => *index,
            None => match self.unanswered_without_id(&output) {
                Some(index) => index,
                None => self.orphan(stamp),
            },
        };
        let draft = &mut self.drafts[index];
        draft.step.ended_at = stamp.at.or(draft.step.ended_at);
        if let Some(spawned) = &mut draft.spawned {
            spawned.thread = spawned.thread.take().or(output.thread);
            spawned.path = spawned.path.take().or(output.path);
        }
        let Some(call) = &mut draft.call else { return };
        call.exit_code = call.exit_code.or(output.exit_code);
        call.is_error |= output.is_error;
        call.is_success |= output.is_success;
        if !call.observation.is_some_and(|known| known.is_whole && known.bytes > 0) {
            let seen = Observation { place: stamp.place, bytes: output.bytes, is_whole: false };
            call.observation = Some(seen);
        }
    }

    fn unanswered_without_id(&self, output: &Output) -> Option<usize> {
        let is_open = |index: &usize| {
            let call = self.drafts[*index].call.as_deref();
            call.is_some_and(|call| call.id.is_empty() && call.observation.is_none())
        };
        self.window().rev().find(is_open).filter(|_| output.call.is_empty())
    }

    /// A step for an observation whose call is not in the log.
    fn orphan(&mut self, stamp: Stamp) -> usize {
        let mut draft = Draft::new(stamp, StepKind::Tool, Role::Assistant, "".into());
        draft.call = Some(Box::new(CallDraft { name: "unknown".into(), ..CallDraft::default() }));
        self.push(draft)
    }

    fn done(&mut self, stamp: Stamp, done: Done) {
        let (index, is_script) = match self.draft_of(&done) {
            Some(found) => found,
            None => (self.headless(stamp, &done), false),
        };
        let draft = &mut self.drafts[index];
        draft.step.ended_at = stamp.at.or(draft.step.ended_at);
        let Some(call) = &mut draft.call else { return };
        call.is_done = true;
        if let Some(changes) = done.changes {
            let changed = call.changed.get_or_insert_default();
            if !done.is_error {
                changed.push((stamp.place, changes));
            }
        }
        let is_failure = |code: Option<i32>| code.is_some_and(|code| code != 0);
        if !is_failure(call.exit_code) || !is_script {
            call.exit_code = done.exit_code.or(call.exit_code);
        }
        call.is_error |= done.is_error;
        if !is_script && (done.bytes > 0 || call.observation.is_none()) {
            call.observation = Some(Observation {
                place: stamp.place,
                bytes: done.bytes,
                is_whole: done.is_whole,
            });
        }
    }

    /// The step a finished call belongs to, and whether that is the script which made the call.
    fn draft_of(&self, done: &Done) -> Option<(usize, bool)> {
        if let Some(index) = self.calls.get(&done.call) {
            return Some((*index, false));
        }
        let call = |index: usize| self.drafts[index].call.as_deref();
        let is_twin = |index: &usize| {
            let print = call(*index).filter(|call| !call.is_done).and_then(|call| call.print);
            print.is_some() && print == done.print
        };
        if let Some(index) = self.window().find(is_twin) {
            return Some((index, false));
        }
        let scripts: Vec<(usize, &CallDraft)> = self
            .window()
            .filter_map(|index| Some((index, call(index).filter(|call| call.script.is_some())?)))
            .collect();
        let open = || scripts.iter().filter(|(_, call)| call.observation.is_none());
        let found = open().find(|(_, call)| call.mentions(done));
        let found = found.or_else(|| open().next()).or(scripts.last());
        found.map(|(index, _)| (*index, true))
    }

    fn headless(&mut self, stamp: Stamp, done: &Done) -> usize {
        let mut draft = Draft::new(stamp, StepKind::Tool, Role::Assistant, done.label.clone());
        draft.call = Some(Box::new(CallDraft {
            name: done.name.clone(),
            id: done.call.clone(),
            print: done.print,
            is_headless: true,
            ..CallDraft::default()
        }));
        let index = self.push_of_model(draft);
        if !done.call.is_empty() {
            self.calls.insert(done.call.clone(), index);
        }
        index
    }

    fn agent(&mut self, stamp: Stamp, call: &str, spawned: Spawned, is_start: bool) {
        if let Some(draft) = self.calls.get(call).map(|index| &mut self.drafts[*index]) {
            draft.step.kind = StepKind::SubAgent;
            let known = draft.spawned.get_or_insert_default();
            known.thread = spawned.thread.or(known.thread.take());
            known.path = known.path.take().or(spawned.path);
            return;
        }
        let is_known = self
            .drafts
            .iter()
            .rev()
            .filter_map(|draft| draft.spawned.as_ref())
            .any(|known| known.thread.is_some() && known.thread == spawned.thread);
        if is_start && !is_known {
            let name = spawned.path.as_deref().or(spawned.thread.as_deref()).unwrap_or_default();
            let mut draft = Draft::new(stamp, StepKind::SubAgent, Role::Assistant, label(name));
            draft.spawned = Some(spawned);
            self.push(draft);
        }
    }

    // --- tokens

    fn usage(&mut self, usage: &Usage) {
        if let Usage::Count(Some(counted)) = usage {
            self.meta.window = counted.window.or(self.meta.window);
        }
        let Some(tokens) = self.counter.count(usage) else {
            self.response = None; // told again: the next request begins
            return;
        };
        self.usages.push(tokens);
        match self.response.take() {
            Some(first) => {
                let step = &mut self.drafts[first].step;
                step.tokens = step.tokens + tokens;
                step.model.clone_from(&self.models.now);
            }
            None => self.owed = Some(self.owed.take().unwrap_or_default() + tokens),
        }
    }

    // --- the end

    fn finish(mut self) -> (Thread, Box<dyn Send>) {
        self.close_opening();
        if self.turns.is_empty() && !self.usages.is_empty() {
            self.begin_turn(None, self.span.first_at, "".into(), None);
        }
        if let Some(first) = self.turns.first_mut() {
            first.first_usage = 0;
        }
        if let Some(last) = self.turns.last_mut() {
            last.ended_at = self.span.last_at;
        }
        let root = self.root.as_deref();
        let mut rest = self.drafts.as_mut_slice();
        let mut own = vec![];
        for (index, turn) in self.turns.iter().enumerate() {
            let next = self.turns.get(index + 1);
            let count =
                next.map_or(rest.len(), |next| next.first_draft.saturating_sub(turn.first_draft));
            let usages = turn.first_usage..next.map_or(self.usages.len(), |next| next.first_usage);
            let drafts = rest.split_off_mut(..count.min(rest.len())).unwrap_or_default();
            own.push((turn, &self.usages[usages], drafts));
        }
        let finish = |(turn, usages, drafts): (&TurnDraft, &[Tokens], &mut [Draft])| ThreadTurn {
            turn: Turn {
                title: turn.title.clone(),
                request: turn.request,
                added: turn
                    .request
                    .filter(|_| turn.is_wrapped)
                    .map(|it| it.part(AROUND))
                    .into_iter()
                    .collect(),
                started_at: turn.started_at,
                ended_at: turn.ended_at,
                tokens: usages.iter().fold(Tokens::default(), |a, b| a + *b),
                ..Turn::default()
            },
            steps: drafts
                .iter_mut()
                .filter(|draft| !draft.is_merged)
                .map(|draft| draft.finish(root))
                .collect(),
        };
        let turns = match own.len() {
            ..MANY_TURNS => own.into_iter().map(finish).collect(),
            _ => own.into_par_iter().map(finish).collect(),
        };
        let thread = Thread {
            started_at: self.meta.started_at.or(self.span.first_at),
            ended_at: self.span.last_at,
            meta: self.meta,
            name: self.name,
            models: self.models.all,
            turns,
        };
        (thread, Box::new((self.drafts, self.calls)))
    }
}

impl Draft {
    fn new(stamp: Stamp, kind: StepKind, role: Role, label: Box<str>) -> Self {
        let step =
            Step { kind, role, label, started_at: stamp.at, place: stamp.place, ..Step::default() };
        Self { step, ..Self::default() }
    }

    /// Its step, which is taken out of it.
    fn finish(&mut self, root: Option<&str>) -> ThreadStep {
        let mut step = std::mem::take(&mut self.step);
        if let Some(call) = self.call.take() {
            step.edits = fitted(call.edits(step.place, root));
            step.tool = Some(Box::new(call.finish()));
        }
        ThreadStep { step, spawned: self.spawned.take() }
    }
}

impl CallDraft {
    /// Whether a script's text names what was done.
    fn mentions(&self, done: &Done) -> bool {
        let runs = |command: &str| !done.label.is_empty() && label(command) == done.label;
        let patches = |change: &Change| {
            self.planned.iter().any(|planned| change.path.ends_with(&*planned.path))
        };
        match &done.changes {
            Some(changes) => changes.iter().any(patches),
            None => self.script.iter().flatten().any(|command| runs(command)),
        }
    }

    /// What changed: as the patch records tell; else as the call planned it, where it is known to have worked.
    fn edits(&self, call: Place, root: Option<&str>) -> Vec<Edit> {
        if let Some(changed) = &self.changed {
            let told = changed.iter().flat_map(|(place, changes)| numbered(*place, changes));
            return told.map(|(place, change)| edit(change, place, None, root)).collect();
        }
        let has_worked = self.is_success && !self.is_error && self.exit_code.unwrap_or(0) == 0;
        if !has_worked {
            return vec![];
        }
        let folder = self.folder.as_deref();
        numbered(call, &self.planned)
            .map(|(place, change)| edit(change, place, folder, root))
            .collect()
    }

    fn finish(self) -> ToolCall {
        let result = self.observation.map(|seen| ToolResult {
            place: seen.place,
            is_error: self.is_error,
            is_ok: false,
            exit_code: self.exit_code,
            bytes: seen.bytes,
        });
        ToolCall { name: self.name, call_id: self.id, result }
    }
}

/// Each change with the place of its body; the part is its position in the record.
fn numbered(record: Place, changes: &[Change]) -> impl Iterator<Item = (Place, &Change)> {
    (0u32..).zip(changes).map(move |(part, change)| (record.part(part), change))
}

fn edit(change: &Change, place: Place, folder: Option<&str>, root: Option<&str>) -> Edit {
    let sort = |path: &str| EditPath::sort(&below(path, folder), root);
    let lines = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Edit {
        path: sort(&change.path),
        kind: change.kind,
        from: change.from.as_deref().map(sort),
        added: change.counts.map(|counts| lines(counts.added)),
        removed: change.counts.map(|counts| lines(counts.removed)),
        place,
    }
}

fn below(path: &str, folder: Option<&str>) -> Box<str> {
    match folder {
        Some(folder) if !path.starts_with(['/', '\\']) && path.as_bytes().get(1) != Some(&b':') => {
            format!("{}/{path}", folder.trim_end_matches('/')).into()
        }
        _ => path.into(),
    }
}
