//! The second phase: the records of one thread, folded into turns and steps.
//!
//! Codex reports most things two or three times: to the model (`response_item`), to its screen (`event_msg`) and,
//! since 0.150, as an item. Which of them a log has, and in which order, depends on the version. So a step is
//! made by whichever record comes first, and the others are recognised as its twins: by call id, else by what
//! their text, within the same turn and a window of steps.

use std::{
    collections::{HashMap, HashSet},
    num::NonZero,
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    record::{
        FinishedCall, RecordFamily, RolloutCall, RolloutChange, RolloutLine, RolloutMessage,
        RolloutOutput, RolloutRecord, RolloutRequestSource, ThreadMeta, UsageRecord,
    },
    record_text::CONTEXT_PART,
    usage::TokenCounter,
};
use trajview_code::small_map::ShortWords;
use trajview_run::{
    Edit, EditPath, RecordPlace, Role, Step, StepKind, Time, Tokens, ToolCall, ToolResult, Turn,
    first_line_label, shrink_list,
};

/// One rollout file, folded.
#[derive(Debug, Default)]
pub struct FoldedThread {
    pub meta: ThreadMeta,
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
    pub spawned: Option<SpawnedAgent>,
}

/// The agent that a step started, as far as the log names it.
#[derive(Debug, Clone, Default)]
pub struct SpawnedAgent {
    pub thread: Option<Box<str>>,
    pub path: Option<Box<str>>,
}

/// The requests that were sent to the screen; where there are any, a request that went only to the model is no turn.
#[derive(Debug, Clone, Default)]
pub struct ShownRequests {
    pub is_any_shown: bool,
    prints: HashSet<NonZero<u64>>,
    /// The requests that are believed to be among them while the log is read; None where all of it was.
    believed: Option<Vec<Vec<NonZero<u64>>>>,
}

impl ShownRequests {
    pub fn from_lines(lines: &[&RolloutLine]) -> Self {
        let mut requests = Self::default();
        lines.iter().for_each(|line| requests.note_line(line));
        requests
    }

    /// Assumes for a log that is still read that every request to the model is sent to the screen too, before or after.
    /// This is true in all logs of later versions.
    fn assume_shown() -> Self {
        Self { is_any_shown: true, believed: Some(vec![]), ..Self::default() }
    }

    /// Returns whether the assumption is true, given all requests that were sent to the screen.
    fn assumption_holds(&self, all: &Self) -> bool {
        let is_shown = |prints: &Vec<NonZero<u64>>| all.contains_any(prints);
        self.believed.iter().flatten().all(|prints| all.is_any_shown && is_shown(prints))
    }

    fn contains_any(&self, prints: &[NonZero<u64>]) -> bool {
        prints.iter().any(|print| self.prints.contains(print))
    }

    /// Returns whether a request was sent to the screen. Before that can be known it assumes so, and records the
    /// request, so that the assumption can be checked.
    fn contains_or_assumes(&mut self, prints: &[NonZero<u64>]) -> bool {
        match &mut self.believed {
            Some(believed) => {
                believed.push(prints.to_vec());
                true
            }
            None => self.contains_any(prints),
        }
    }

    /// Records a request that was sent to the screen; ignores other lines.
    pub fn note_line(&mut self, line: &RolloutLine) {
        if let RolloutRecord::Request { message, source: RolloutRequestSource::Event } =
            &line.record
        {
            self.is_any_shown = true;
            self.prints.extend(&message.prints);
        }
    }
}

/// Folds the lines of one thread; those that it copied from another only say from where on it counts. `root` is where its
/// files live.
pub fn fold_thread(
    (lines, copied): (&[&RolloutLine], &[&RolloutLine]),
    shown: ShownRequests,
    meta: ThreadMeta,
    root: Option<&str>,
) -> FoldedThread {
    let mut fold = ThreadFold::begin(shown, meta, root, lines.len());
    for line in copied {
        // What it counted, it counts on from.
        if let RolloutRecord::Usage(usage) = &line.record {
            fold.counter.new_tokens(usage);
        }
    }
    for line in lines {
        fold.take_line(RolloutLine::clone(line));
    }
    fold.finish_thread().0
}

/// A fold that is done while the log is read: who reads it waits for those who take its lines apart most of the time.
pub struct EarlyFold(ThreadFold);

impl EarlyFold {
    /// Creates an early fold where the first line has all that [`fold_thread`] needs before: the meta record of a main
    /// thread.
    pub fn begin(first: &RolloutLine, lines: usize) -> Option<Self> {
        let RolloutRecord::Meta(meta) = &first.record else { return None };
        let is_whole = !meta.is_subagent && meta.forked_from.is_none();
        let root = meta.cwd.as_deref().filter(|_| is_whole)?;
        Some(Self(ThreadFold::begin(
            ShownRequests::assume_shown(),
            ThreadMeta::clone(meta),
            Some(root),
            lines,
        )))
    }

    /// Takes the next line, the first one too.
    pub fn take_line(&mut self, line: RolloutLine) {
        self.0.take_line(line);
    }

    /// Returns whether the assumption about the requests was true; otherwise the thread has to be folded again.
    pub fn assumption_held(&self, shown: &ShownRequests) -> bool {
        self.0.shown.assumption_holds(shown)
    }

    /// Returns the thread, and the values that take a while to be freed.
    pub fn finish_thread(self) -> (FoldedThread, Box<dyn Send>) {
        self.0.finish_thread()
    }
}

/// Fewer turns are finished by one thread.
pub const MANY_TURNS: usize = 1000;

/// The number of steps in which a twin is searched; twins follow each other closely.
const TWIN_WINDOW: usize = 64;

#[derive(Default)]
struct ThreadFold {
    meta: ThreadMeta,
    root: Option<Box<str>>,
    name: Option<Box<str>>,
    models: UsedModels,
    cwd: Option<Box<str>>,
    shown: ShownRequests,

    turns: Vec<TurnDraft>,
    /// Of all turns, one after the other.
    drafts: Vec<StepDraft>,
    /// Of all turns, one after the other.
    usages: Vec<Tokens>,
    calls: HashMap<Box<str>, usize, ShortWords>,
    /// Codex has begun to work, and we do not know yet on whose request.
    opening: Option<TurnOpening>,
    span: RecordedSpan,

    counter: TokenCounter,
    /// The first step of the response whose tokens are still to come.
    response: Option<usize>,
    /// Tokens that came before the first step of their response.
    owed: Option<Tokens>,
}

/// The models that received requests.
#[derive(Default)]
struct UsedModels {
    /// In order of first use.
    all: Vec<Box<str>>,
    /// The current model.
    now: Option<Arc<str>>,
}

/// The first and the last moment that is recorded.
#[derive(Default)]
struct RecordedSpan {
    first_at: Option<Time>,
    last_at: Option<Time>,
}

/// The place and the time of a record.
#[derive(Clone, Copy)]
struct RecordStamp {
    place: RecordPlace,
    at: Option<Time>,
}

struct TurnDraft {
    title: Box<str>,
    request: Option<RecordPlace>,
    prints: Vec<NonZero<u64>>,
    families: FamilySet,
    is_wrapped: bool,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    first_draft: usize,
    first_usage: usize,
}

struct TurnOpening {
    at: Option<Time>,
    ended_before: Option<Time>,
    first_draft: usize,
    first_usage: usize,
}

/// The record families that have reported something.
#[derive(Debug, Clone, Copy, Default)]
struct FamilySet(u8);

impl FamilySet {
    const fn contains(self, family: RecordFamily) -> bool {
        self.0 & (1 << family as u8) != 0
    }

    const fn add(&mut self, family: RecordFamily) {
        self.0 |= 1 << family as u8;
    }
}

#[derive(Default)]
struct StepDraft {
    step: Step,
    /// The fingerprint of each part, and the families that have reported it.
    prints: Vec<(NonZero<u64>, FamilySet)>,
    families: FamilySet,
    /// Is true where another step contains the same text.
    is_merged: bool,
    /// Apart: most steps are no calls, and drafts are moved.
    call: Option<Box<CallDraft>>,
    spawned: Option<SpawnedAgent>,
}

#[derive(Default)]
struct CallDraft {
    name: Box<str>,
    id: Box<str>,
    planned: Vec<RolloutChange>,
    folder: Option<Box<str>>,
    script: Option<Vec<Box<str>>>,
    print: Option<NonZero<u64>>,
    /// Made by the record of its end; the call itself may follow.
    is_headless: bool,
    /// The changes in the patch records; Some as soon as there is one, empty where the patch failed.
    changed: Option<Vec<(RecordPlace, Vec<RolloutChange>)>>,
    observation: Option<CallObservation>,
    exit_code: Option<i32>,
    is_error: bool,
    is_success: bool,
    is_done: bool,
}

#[derive(Clone, Copy)]
struct CallObservation {
    place: RecordPlace,
    bytes: u64,
    /// Nothing was cut from it.
    is_whole: bool,
}

impl ThreadFold {
    fn begin(shown: ShownRequests, meta: ThreadMeta, root: Option<&str>, lines: usize) -> Self {
        Self {
            shown,
            meta,
            root: root.map(Into::into),
            // A draft is large, and moving them all as their list doubles takes longer than making them.
            drafts: Vec::with_capacity(lines),
            calls: HashMap::with_capacity_and_hasher(lines / 4, ShortWords::default()),
            ..Self::default()
        }
    }

    fn take_line(&mut self, line: RolloutLine) {
        let RolloutLine { place, at, model, record, .. } = line;
        let stamp = RecordStamp { place, at };
        if let Some(model) = &model {
            self.use_model(model);
        }
        match record {
            RolloutRecord::Meta(_) | RolloutRecord::Bookkeeping | RolloutRecord::Broken(_) => {
                return;
            }
            RolloutRecord::Context { model, cwd, turn: _ } => {
                if let Some(model) = &model {
                    self.use_model(model);
                }
                self.cwd = cwd.or(self.cwd.take());
                self.response = None;
                return;
            }
            RolloutRecord::ThreadName(name) => {
                self.name = Some(name);
                return;
            }
            RolloutRecord::TaskStarted { .. } => self.task_started(stamp),
            RolloutRecord::TaskEnded { error } => self.task_ended(stamp, error),
            RolloutRecord::Request { message, source } => self.add_request(stamp, message, source),
            RolloutRecord::Mail { label } => self.add_mail(stamp, label),
            RolloutRecord::Message { kind, message } => self.add_message(stamp, kind, message),
            RolloutRecord::Note { label, is_error, role } => {
                self.add_note(stamp, label, role, is_error)
            }
            RolloutRecord::Call(call) => self.add_call(stamp, *call),
            RolloutRecord::Output(output) => self.add_output(stamp, *output),
            RolloutRecord::Done(done) => self.finish_call(stamp, *done),
            RolloutRecord::Agent { call, thread, path, is_start } => {
                self.add_agent(stamp, &call, SpawnedAgent { thread, path }, is_start);
            }
            RolloutRecord::Usage(usage) => self.add_usage(&usage),
            RolloutRecord::Compacted { label, family } => self.add_compaction(stamp, label, family),
            RolloutRecord::Unknown { label } => {
                self.push_draft(StepDraft::new(stamp, StepKind::Unknown, Role::System, label));
            }
        }
        self.span.first_at = self.span.first_at.or(at);
        self.span.last_at = at.or(self.span.last_at);
    }

    fn use_model(&mut self, model: &str) {
        if self.models.now.as_deref() != Some(model) {
            self.models.now = Some(model.into());
        }
        if !self.models.all.iter().any(|known| **known == *model) {
            self.models.all.push(model.into());
        }
    }

    // --- turns

    fn task_started(&mut self, stamp: RecordStamp) {
        self.close_opening();
        self.response = None;
        self.opening = Some(TurnOpening {
            at: stamp.at,
            ended_before: self.span.last_at,
            first_draft: self.drafts.len(),
            first_usage: self.usages.len(),
        });
    }

    /// Closes an opening: steps after an opening that no request followed belong to the turn before.
    fn close_opening(&mut self) {
        let Some(opening) = self.opening.take() else { return };
        let has_steps = self.drafts.len() > opening.first_draft;
        if self.turns.is_empty() && has_steps {
            self.begin_turn(Some(opening), None, "".into(), None);
        }
    }

    fn task_ended(&mut self, stamp: RecordStamp, error: Option<Box<str>>) {
        if let Some(error) = error
            && !self
                .drafts
                .last()
                .is_some_and(|last| last.step.is_error && last.step.label == error)
        {
            self.add_note(stamp, error, Role::System, true);
        }
        self.close_opening();
    }

    fn begin_turn(
        &mut self,
        opening: Option<TurnOpening>,
        at: Option<Time>,
        title: Box<str>,
        request: Option<RecordPlace>,
    ) {
        let opening = opening.unwrap_or(TurnOpening {
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
            families: FamilySet::default(),
            is_wrapped: false,
            started_at: opening.at.or(at),
            ended_at: None,
            first_draft: opening.first_draft,
            first_usage: opening.first_usage,
        });
        self.counter.begin_turn();
        self.response = None;
        self.owed = None;
    }

    fn add_request(
        &mut self,
        stamp: RecordStamp,
        message: RolloutMessage,
        source: RolloutRequestSource,
    ) {
        match source {
            RolloutRequestSource::Injected => return,
            RolloutRequestSource::Conversation if self.shown.is_any_shown => {
                if !self.shown.contains_or_assumes(&message.prints) {
                    self.push_draft(StepDraft::new(
                        stamp,
                        StepKind::Message,
                        Role::User,
                        message.label,
                    ));
                }
                return;
            }
            RolloutRequestSource::Conversation | RolloutRequestSource::Event => {}
        }
        if self.is_repeated_request(&message) {
            return;
        }
        let opening = self.opening.take();
        self.begin_turn(opening, stamp.at, message.label, Some(stamp.place));
        if let Some(turn) = self.turns.last_mut() {
            turn.prints = message.prints;
            turn.families.add(message.family);
            turn.is_wrapped = message.is_wrapped;
        }
    }

    fn is_repeated_request(&mut self, message: &RolloutMessage) -> bool {
        let drafts = self.drafts.len();
        match self.turns.last_mut() {
            Some(turn)
                if self.opening.is_none()
                    && !message.prints.is_empty()
                    && turn.prints == message.prints
                    && !turn.families.contains(message.family)
                    && drafts == turn.first_draft =>
            {
                turn.families.add(message.family);
                true
            }
            _ => false,
        }
    }

    /// Adds mail. The task of a sub-agent comes by mail; elsewhere mail is a message within a turn.
    fn add_mail(&mut self, stamp: RecordStamp, label: Box<str>) {
        if self.meta.is_subagent
            && let Some(opening) = self.opening.take()
        {
            return self.begin_turn(Some(opening), stamp.at, label, Some(stamp.place));
        }
        self.push_draft(StepDraft::new(stamp, StepKind::Message, Role::System, label));
    }

    /// Returns the first step that belongs to the current turn.
    fn first_of_turn(&self) -> usize {
        let turn = self.turns.last().map_or(0, |turn| turn.first_draft);
        self.opening.as_ref().map_or(turn, |opening| opening.first_draft)
    }

    fn twin_window(&self) -> std::ops::Range<usize> {
        let len = self.drafts.len();
        self.first_of_turn().max(len.saturating_sub(TWIN_WINDOW))..len
    }

    // --- steps

    fn push_draft(&mut self, draft: StepDraft) -> usize {
        if self.turns.is_empty() && self.opening.is_none() {
            self.begin_turn(None, draft.step.started_at, "".into(), None);
        }
        self.drafts.push(draft);
        self.drafts.len() - 1
    }

    /// Adds a step that the model made, and returns its index. Tokens are owed to it, or will be.
    fn push_model_draft(&mut self, draft: StepDraft) -> usize {
        let index = self.push_draft(draft);
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

    fn add_note(&mut self, stamp: RecordStamp, label: Box<str>, role: Role, is_error: bool) {
        let mut draft = StepDraft::new(stamp, StepKind::Message, role, label);
        draft.step.is_error = is_error;
        self.push_draft(draft);
    }

    fn add_message(&mut self, stamp: RecordStamp, kind: StepKind, message: RolloutMessage) {
        if self.is_repeated_message(stamp, kind, &message) {
            return;
        }
        let mut draft = StepDraft::new(stamp, kind, Role::Assistant, message.label);
        let mut families = FamilySet::default();
        families.add(message.family);
        draft.prints = message.prints.iter().map(|print| (*print, families)).collect();
        self.push_model_draft(draft);
    }

    /// Returns whether another record family has reported every part of a message, and then notes that this one has
    /// too.
    fn is_repeated_message(
        &mut self,
        stamp: RecordStamp,
        kind: StepKind,
        message: &RolloutMessage,
    ) -> bool {
        let mut twins = vec![];
        for print in &message.prints {
            let twin = self.twin_window().find_map(|index| {
                let draft = &self.drafts[index];
                let is_unreported = |(known, families): &(NonZero<u64>, FamilySet)| {
                    known == print && !families.contains(message.family)
                };
                let part = draft.prints.iter().position(is_unreported)?;
                (draft.step.kind == kind && !draft.is_merged).then_some((index, part))
            });
            match twin {
                Some(twin) if !twins.contains(&twin) => twins.push(twin),
                _ => return false,
            }
        }
        for &(index, part) in &twins {
            self.drafts[index].prints[part].1.add(message.family);
        }
        self.merge_thinking(stamp, &twins, &message.label);
        !twins.is_empty()
    }

    /// Merges thinking that was reported part by part and then as a whole into one step.
    fn merge_thinking(&mut self, stamp: RecordStamp, twins: &[(usize, usize)], label: &str) {
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

    fn add_compaction(&mut self, stamp: RecordStamp, label: Box<str>, family: RecordFamily) {
        let last = self.twin_window().rev().find(|&index| !self.drafts[index].step.is_error);
        let twin = last.map(|index| &mut self.drafts[index]).filter(|draft| {
            draft.step.kind == StepKind::Compaction && !draft.families.contains(family)
        });
        if let Some(twin) = twin {
            twin.families.add(family);
            // Only `compacted` holds the summary.
            if family == RecordFamily::Compacted || twin.step.label.is_empty() {
                twin.step.place = stamp.place;
                twin.step.label = label;
            }
            return;
        }
        let mut draft = StepDraft::new(stamp, StepKind::Compaction, Role::System, label);
        draft.families.add(family);
        self.push_model_draft(draft);
    }

    // --- calls

    fn add_call(&mut self, stamp: RecordStamp, call: RolloutCall) {
        if let Some(index) = self.draft_made_by_end(&call) {
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
        if self.is_repeated_call(&call) {
            return;
        }
        let kind = if call.is_spawn { StepKind::SubAgent } else { StepKind::Tool };
        let mut draft = StepDraft::new(stamp, kind, Role::Assistant, call.label);
        draft.spawned = call.is_spawn.then(SpawnedAgent::default);
        let own = CallObservation { place: stamp.place, bytes: 0, is_whole: false };
        draft.call = Some(Box::new(CallDraft {
            name: call.name,
            id: call.id.clone(),
            planned: call.planned,
            folder: self.base_folder(call.folder),
            script: call.script,
            print: call.print,
            observation: call.has_result.then_some(own),
            is_error: call.is_error,
            ..CallDraft::default()
        }));
        let index = self.push_model_draft(draft);
        if !call.id.is_empty() {
            self.calls.insert(call.id, index);
        }
    }

    fn is_repeated_call(&self, call: &RolloutCall) -> bool {
        let known =
            self.calls.get(&call.id).filter(|index: &&usize| self.twin_window().contains(*index));
        known.is_some_and(|index| self.drafts[*index].step.label == call.label)
    }

    fn draft_made_by_end(&self, call: &RolloutCall) -> Option<usize> {
        let is_headless = |index: &usize| {
            self.drafts[*index].call.as_deref().is_some_and(|known| known.is_headless)
        };
        let by_id = self.calls.get(&call.id).copied().filter(is_headless);
        by_id.or_else(|| {
            let mut window = self.twin_window();
            let same = |index: &usize| {
                let known = self.drafts[*index].call.as_deref();
                call.print.is_some() && known.is_some_and(|known| known.print == call.print)
            };
            window.find(|index| is_headless(index) && same(index))
        })
    }

    /// Returns the folder that relative paths of a call start from, where it is not the root.
    fn base_folder(&self, of_call: Option<Box<str>>) -> Option<Box<str>> {
        let cwd = self.cwd.as_deref().filter(|cwd| Some(*cwd) != self.root.as_deref());
        match (of_call, cwd) {
            (Some(folder), Some(cwd)) => Some(path_in_folder(&folder, Some(cwd))),
            (Some(folder), None) => Some(folder),
            (None, cwd) => cwd.map(Into::into),
        }
    }

    fn add_output(&mut self, stamp: RecordStamp, output: RolloutOutput) {
        let index = match self.calls.get(&output.call) {
            Some(index) => *index,
            None => match self.unanswered_without_id(&output) {
                Some(index) => index,
                None => self.push_orphan(stamp),
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
            let seen = CallObservation { place: stamp.place, bytes: output.bytes, is_whole: false };
            call.observation = Some(seen);
        }
    }

    fn unanswered_without_id(&self, output: &RolloutOutput) -> Option<usize> {
        let is_open = |index: &usize| {
            let call = self.drafts[*index].call.as_deref();
            call.is_some_and(|call| call.id.is_empty() && call.observation.is_none())
        };
        self.twin_window().rev().find(is_open).filter(|_| output.call.is_empty())
    }

    /// Adds a step for an observation whose call is not in the log, and returns its index.
    fn push_orphan(&mut self, stamp: RecordStamp) -> usize {
        let mut draft = StepDraft::new(stamp, StepKind::Tool, Role::Assistant, "".into());
        draft.call = Some(Box::new(CallDraft { name: "unknown".into(), ..CallDraft::default() }));
        self.push_draft(draft)
    }

    fn finish_call(&mut self, stamp: RecordStamp, done: FinishedCall) {
        let (index, is_script) = match self.draft_of_finished_call(&done) {
            Some(found) => found,
            None => (self.push_headless(stamp, &done), false),
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
            call.observation = Some(CallObservation {
                place: stamp.place,
                bytes: done.bytes,
                is_whole: done.is_whole,
            });
        }
    }

    /// Returns the step a finished call belongs to, and whether that is the script which made the call.
    fn draft_of_finished_call(&self, done: &FinishedCall) -> Option<(usize, bool)> {
        if let Some(index) = self.calls.get(&done.call) {
            return Some((*index, false));
        }
        let call = |index: usize| self.drafts[index].call.as_deref();
        let is_twin = |index: &usize| {
            let print = call(*index).filter(|call| !call.is_done).and_then(|call| call.print);
            print.is_some() && print == done.print
        };
        if let Some(index) = self.twin_window().find(is_twin) {
            return Some((index, false));
        }
        let scripts: Vec<(usize, &CallDraft)> = self
            .twin_window()
            .filter_map(|index| Some((index, call(index).filter(|call| call.script.is_some())?)))
            .collect();
        let open = || scripts.iter().filter(|(_, call)| call.observation.is_none());
        let found = open().find(|(_, call)| call.script_mentions(done));
        let found = found.or_else(|| open().next()).or(scripts.last());
        found.map(|(index, _)| (*index, true))
    }

    fn push_headless(&mut self, stamp: RecordStamp, done: &FinishedCall) -> usize {
        let mut draft = StepDraft::new(stamp, StepKind::Tool, Role::Assistant, done.label.clone());
        draft.call = Some(Box::new(CallDraft {
            name: done.name.clone(),
            id: done.call.clone(),
            print: done.print,
            is_headless: true,
            ..CallDraft::default()
        }));
        let index = self.push_model_draft(draft);
        if !done.call.is_empty() {
            self.calls.insert(done.call.clone(), index);
        }
        index
    }

    fn add_agent(&mut self, stamp: RecordStamp, call: &str, spawned: SpawnedAgent, is_start: bool) {
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
            let mut draft =
                StepDraft::new(stamp, StepKind::SubAgent, Role::Assistant, first_line_label(name));
            draft.spawned = Some(spawned);
            self.push_draft(draft);
        }
    }

    // --- tokens

    fn add_usage(&mut self, usage: &UsageRecord) {
        if let UsageRecord::Count(Some(counted)) = usage {
            self.meta.window = counted.window.or(self.meta.window);
        }
        let Some(tokens) = self.counter.new_tokens(usage) else {
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

    fn finish_thread(mut self) -> (FoldedThread, Box<dyn Send>) {
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
        let finish =
            |(turn, usages, drafts): (&TurnDraft, &[Tokens], &mut [StepDraft])| ThreadTurn {
                turn: Turn {
                    title: turn.title.clone(),
                    request: turn.request,
                    added: turn
                        .request
                        .filter(|_| turn.is_wrapped)
                        .map(|it| it.with_part(CONTEXT_PART))
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
                    .map(|draft| draft.take_step(root))
                    .collect(),
            };
        let turns = match own.len() {
            ..MANY_TURNS => own.into_iter().map(finish).collect(),
            _ => own.into_par_iter().map(finish).collect(),
        };
        let thread = FoldedThread {
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

impl StepDraft {
    fn new(stamp: RecordStamp, kind: StepKind, role: Role, label: Box<str>) -> Self {
        let step =
            Step { kind, role, label, started_at: stamp.at, place: stamp.place, ..Step::default() };
        Self { step, ..Self::default() }
    }

    /// Takes the step out of the draft, with its call and the edits of that.
    fn take_step(&mut self, root: Option<&str>) -> ThreadStep {
        let mut step = std::mem::take(&mut self.step);
        if let Some(call) = self.call.take() {
            step.edits = shrink_list(call.recorded_edits(step.place, root));
            step.tool = Some(Box::new(call.into_tool_call()));
        }
        ThreadStep { step, spawned: self.spawned.take() }
    }
}

impl CallDraft {
    /// Returns whether the text of a script names the finished call.
    fn script_mentions(&self, done: &FinishedCall) -> bool {
        let runs =
            |command: &str| !done.label.is_empty() && first_line_label(command) == done.label;
        let patches = |change: &RolloutChange| {
            self.planned.iter().any(|planned| change.path.ends_with(&*planned.path))
        };
        match &done.changes {
            Some(changes) => changes.iter().any(patches),
            None => self.script.iter().flatten().any(|command| runs(command)),
        }
    }

    /// Returns the changed files: those of the patch records, else those that the call planned, where it is known to have
    /// worked.
    fn recorded_edits(&self, call: RecordPlace, root: Option<&str>) -> Vec<Edit> {
        if let Some(changed) = &self.changed {
            let numbered =
                changed.iter().flat_map(|(place, changes)| numbered_changes(*place, changes));
            return numbered
                .map(|(place, change)| edit_of_change(change, place, None, root))
                .collect();
        }
        let has_worked = self.is_success && !self.is_error && self.exit_code.unwrap_or(0) == 0;
        if !has_worked {
            return vec![];
        }
        let folder = self.folder.as_deref();
        numbered_changes(call, &self.planned)
            .map(|(place, change)| edit_of_change(change, place, folder, root))
            .collect()
    }

    fn into_tool_call(self) -> ToolCall {
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

/// Returns each change with the place of its body; the part is its position in the record.
fn numbered_changes(
    record: RecordPlace,
    changes: &[RolloutChange],
) -> impl Iterator<Item = (RecordPlace, &RolloutChange)> {
    (0u32..).zip(changes).map(move |(part, change)| (record.with_part(part), change))
}

fn edit_of_change(
    change: &RolloutChange,
    place: RecordPlace,
    folder: Option<&str>,
    root: Option<&str>,
) -> Edit {
    let sort = |path: &str| EditPath::from_recorded(&path_in_folder(path, folder), root);
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

fn path_in_folder(path: &str, folder: Option<&str>) -> Box<str> {
    match folder {
        Some(folder) if !path.starts_with(['/', '\\']) && path.as_bytes().get(1) != Some(&b':') => {
            format!("{}/{path}", folder.trim_end_matches('/')).into()
        }
        _ => path.into(),
    }
}
