//! The content of one record of a log, in its order.

use std::borrow::Cow;

use crate::codex::call::main_argument;
use trajview_code::patch::{
    self, DiffChange, DiffFile, FilePatch, LineCounts, PatchHunk, PatchedFile,
};
use trajview_run::{
    EditKind, Role, Time, Tokens, TrialResult, checkpoint_record::RecordedMeasure,
    files::RecordedChange, first_line_label,
};

/// One record: a message, an event, a step of a trajectory.
#[derive(Debug, Default, Clone)]
pub struct LogRecord<'t> {
    pub time: Option<Time>,
    /// The end of the recorded action, where it is recorded beside its beginning.
    pub ended_at: Option<Time>,
    /// The facts about the run.
    pub facts: HeaderFacts<'t>,
    /// The tokens of the model's response that the record is, or is a part of.
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// The harness' result of the run; its task and source may be left to [`super::fold::RecordFold::finish_run`].
    pub trial: Option<Box<TrialResult>>,
    /// The harness' values about the run as a whole.
    pub recorded: Vec<RecordedMeasure>,
    /// Tokens and cost of the whole run up to here, where the log has sums.
    pub totals: Option<(Tokens, Option<f64>)>,
    /// Tokens and cost of the part of the run that ends here, where the log states them for one process after another.
    pub stated: Option<(Tokens, Option<f64>)>,
    /// The response's id, where several records are of one response: its tokens are those of the last of them.
    pub response: Option<Cow<'t, str>>,
    /// The id by which other records refer to this one; see [`super::record_order`].
    pub id: Option<Cow<'t, str>>,
    pub parent: Option<Cow<'t, str>>,
    /// The sub-agent whose record it is, by its own id or by that of the call that started it; None for the main agent's.
    pub agent: Option<Cow<'t, str>>,
    /// Is true where an earlier record with the same id may have the same content: then it counts only once.
    pub may_repeat: bool,
    /// The kind of a part that is not understood and not shown; it is counted in a warning.
    pub skipped: Option<Cow<'t, str>>,
    /// The size of the request in bytes, and the exit code in it where it is a command's result.
    pub asked: Option<(u64, Option<i32>)>,
    pub events: Vec<RecordEvent<'t>>,
}

/// Facts about the run as a whole. The first record with a fact counts; models are collected.
#[derive(Debug, Default, Clone)]
pub struct HeaderFacts<'t> {
    pub id: Option<Cow<'t, str>>,
    pub title: Option<Cow<'t, str>>,
    pub task: Option<Cow<'t, str>>,
    /// The benchmark that the task is from.
    pub task_set: Option<Cow<'t, str>>,
    pub agent: Option<Cow<'t, str>>,
    pub version: Option<Cow<'t, str>>,
    pub model: Option<Cow<'t, str>>,
    /// The folder the agent worked in.
    pub root: Option<Cow<'t, str>>,
}

#[derive(Debug, Clone)]
pub enum RecordEvent<'t> {
    /// A request of a person, or of a harness in their place: begins a turn.
    Request(Cow<'t, str>),
    Message(Role, Cow<'t, str>),
    Thought(Cow<'t, str>),
    /// An error by itself: of the model's API, of the agent's program.
    Failed(Cow<'t, str>),
    /// The context was summarised and cut.
    Compacted(Cow<'t, str>),
    Call(RecordedCall<'t>),
    Answer(CallAnswer<'t>),
    /// A branch that the run left begins here: no call, and nothing that the model did.
    Abandoned {
        /// The id by which its records name the branch as their agent.
        branch: Cow<'t, str>,
        /// A label for the branch.
        about: Cow<'t, str>,
    },
    /// A commit as in [`RecordEvent::Commit`], before the agent did anything.
    Start(Cow<'t, str>),
    /// The workspace was committed as it was then, to a repository beside the log; the commit's id, or its first digits.
    Commit(Cow<'t, str>),
    /// The changes of the whole run, as a diff that was recorded at its end.
    FinalDiff(Cow<'t, str>),
    /// A repeated event; it keeps its number.
    Nothing,
    /// A record, or a part of one, of a kind that is not known; its kind.
    Unknown(Cow<'t, str>),
}

#[derive(Debug, Default, Clone)]
pub struct RecordedCall<'t> {
    pub name: Cow<'t, str>,
    /// Empty where calls and results are paired by their order.
    pub id: Cow<'t, str>,
    /// JSON, or the call's text.
    pub arguments: Cow<'t, str>,
    /// The command, the path: what the call is about. Found in the arguments where it is empty.
    pub main: Cow<'t, str>,
    /// The result, where the record of the call contains it.
    pub answer: Option<CallAnswer<'t>>,
    /// Files that the call was to change; they count unless it failed.
    pub edits: Vec<FileEdit>,
    /// Is true where the call starts a sub-agent.
    pub starts_agent: bool,
    /// The request to a sub-agent, where no id leads to it: the agent is the one with this first request.
    pub asks_agent: Cow<'t, str>,
    /// Is true where the next message of the user is the result, as where commands are part of the text.
    pub answered_by_user: bool,
}

#[derive(Debug, Default, Clone)]
pub struct CallAnswer<'t> {
    /// Id of the call; empty for the earliest that waits.
    pub call: Cow<'t, str>,
    pub text: Cow<'t, str>,
    /// Size of the text in bytes; counted where it is None.
    pub bytes: Option<u64>,
    pub is_error: bool,
    /// Is true where the log reports success.
    pub is_ok: bool,
    pub exit_code: Option<i32>,
    pub ended_at: Option<Time>,
    /// Files that the call has changed; in the place of those that it was to change, where there are any.
    pub edits: Vec<FileEdit>,
    /// Id of the sub-agent that answered.
    pub agent: Option<Cow<'t, str>>,
}

/// A change of one file, as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    pub path: String,
    pub from: Option<String>,
    pub kind: EditKind,
    /// The whole file before, where it is recorded.
    pub before: Option<String>,
    pub change: RecordedChange,
    /// Lines added and removed; None where the record does not tell.
    pub lines: (Option<u32>, Option<u32>),
}

impl FileEdit {
    pub fn new(path: impl Into<String>, kind: EditKind, change: RecordedChange) -> Self {
        let (path, lines) = (path.into(), changed_line_counts(None, &change));
        Self { path, from: None, kind, before: None, change, lines }
    }

    /// Returns a file whose whole text is recorded before and after; a Create where there was none.
    pub fn from_whole_texts(
        path: impl Into<String>,
        before: Option<String>,
        after: String,
    ) -> Self {
        let kind = if before.is_some() { EditKind::Modify } else { EditKind::Create };
        let change = RecordedChange::Write(after);
        let lines = changed_line_counts(before.as_deref(), &change);
        Self { path: path.into(), from: None, kind, before, change, lines }
    }

    /// Returns the files of a patch in the dialect of `apply_patch`, wherever it is in `text`.
    pub fn from_patch(text: &str) -> Vec<Self> {
        patch::patches_in_call(text).into_iter().map(Self::from_file_patch).collect()
    }

    fn from_file_patch(file: FilePatch) -> Self {
        let change = match file.change {
            PatchedFile::Add(text) => {
                return Self::new(file.path, EditKind::Create, RecordedChange::Write(text));
            }
            PatchedFile::Delete => {
                return Self::new(file.path, EditKind::Delete, RecordedChange::Delete);
            }
            PatchedFile::Update(hunks) => RecordedChange::Patch(hunks),
        };
        match file.move_to {
            None => Self::new(file.path, EditKind::Modify, change),
            Some(to) => Self { from: Some(file.path), ..Self::new(to, EditKind::Rename, change) },
        }
    }

    /// Returns the files of a diff as `git diff` prints it.
    pub fn from_diff(diff: &str) -> Vec<Self> {
        patch::files_of_diff(diff).into_iter().map(Self::from_diff_file).collect()
    }

    fn from_diff_file(file: DiffFile) -> Self {
        let counts = file.hunks.as_deref().map(patch::line_counts);
        let count = |of: fn(LineCounts) -> usize| u32::try_from(of(counts?)).ok();
        let (kind, from) = match file.change {
            DiffChange::Create | DiffChange::Copy { .. } => (EditKind::Create, None),
            DiffChange::Modify => (EditKind::Modify, None),
            DiffChange::Delete => (EditKind::Delete, None),
            DiffChange::Rename { ref from } => (EditKind::Rename, Some(from.clone())),
        };
        // A file that comes or goes has all its lines in the diff.
        let whole = |hunks: &[PatchHunk]| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.map(|line| [&*line.text, if line.newline { "\n" } else { "" }].concat()).collect()
        };
        let (before, change) = match (file.hunks, file.change) {
            (None, _) => (None, RecordedChange::Binary),
            (Some(hunks), DiffChange::Create) => (None, RecordedChange::Write(whole(&hunks))),
            (Some(hunks), DiffChange::Delete) => (Some(whole(&hunks)), RecordedChange::Delete),
            (Some(hunks), _) => (None, RecordedChange::Patch(hunks)),
        };
        let lines = (count(|it| it.added), count(|it| it.removed));
        Self { path: file.path, from, kind, before, change, lines }
    }
}

fn changed_line_counts(
    before: Option<&str>,
    change: &RecordedChange,
) -> (Option<u32>, Option<u32>) {
    let count = |text: &str| u32::try_from(text.lines().count()).ok();
    let sum = |texts: &mut dyn Iterator<Item = &str>| {
        u32::try_from(texts.map(|text| text.lines().count()).sum::<usize>()).ok()
    };
    match change {
        RecordedChange::Write(text) => match before {
            None => (count(text), None),
            Some(before) => {
                let counts = trajview_code::diff::diff_text(before, text, 0);
                (u32::try_from(counts.added).ok(), u32::try_from(counts.removed).ok())
            }
        },
        RecordedChange::Replace(parts) => (
            sum(&mut parts.iter().map(|part| &*part.new)),
            sum(&mut parts.iter().map(|part| &*part.old)),
        ),
        RecordedChange::Patch(hunks) => {
            let counts = patch::line_counts(hunks);
            (u32::try_from(counts.added).ok(), u32::try_from(counts.removed).ok())
        }
        RecordedChange::Delete | RecordedChange::NotRecorded | RecordedChange::Binary => {
            (None, None)
        }
    }
}

impl<'t> RecordEvent<'t> {
    /// Creates an event of an unknown kind; `nameless` replaces an empty kind.
    pub fn unknown_kind(kind: impl Into<Cow<'t, str>>, nameless: &'static str) -> Self {
        let kind = kind.into();
        Self::Unknown(if kind.is_empty() { nameless.into() } else { kind })
    }

    /// Reduces the event to the data of the index: labels for texts, sizes for edits.
    pub fn into_labels(self) -> RecordEvent<'static> {
        let short = |text: Cow<'_, str>| Cow::Owned(first_line_label(&text).into_string());
        match self {
            Self::Request(text) => RecordEvent::Request(short(text)),
            Self::Message(role, text) => RecordEvent::Message(role, short(text)),
            Self::Thought(text) => RecordEvent::Thought(short(text)),
            Self::Failed(text) => RecordEvent::Failed(short(text)),
            Self::Compacted(text) => RecordEvent::Compacted(short(text)),
            Self::FinalDiff(text) => RecordEvent::FinalDiff(text.into_owned().into()),
            Self::Nothing => RecordEvent::Nothing,
            Self::Start(id) => RecordEvent::Start(id.into_owned().into()),
            Self::Commit(id) => RecordEvent::Commit(id.into_owned().into()),
            Self::Unknown(kind) => RecordEvent::Unknown(short(kind)),
            Self::Call(call) => RecordEvent::Call(call.into_labels()),
            Self::Abandoned { branch, about } => {
                RecordEvent::Abandoned { branch: branch.into_owned().into(), about: short(about) }
            }
            Self::Answer(answer) => RecordEvent::Answer(answer.into_labels()),
        }
    }
}

impl RecordedCall<'_> {
    fn into_labels(self) -> RecordedCall<'static> {
        let main = match &*self.main {
            "" => first_line_label(&main_argument(&self.arguments)),
            main => first_line_label(main),
        };
        RecordedCall {
            name: self.name.into_owned().into(),
            id: self.id.into_owned().into(),
            arguments: Cow::Borrowed(""),
            main: main.into_string().into(),
            answer: self.answer.map(CallAnswer::into_labels),
            edits: edits_without_text(self.edits),
            starts_agent: self.starts_agent,
            asks_agent: first_line_label(&self.asks_agent).into_string().into(),
            answered_by_user: self.answered_by_user,
        }
    }
}

impl CallAnswer<'_> {
    fn into_labels(self) -> CallAnswer<'static> {
        CallAnswer {
            bytes: Some(self.bytes.unwrap_or(self.text.len() as u64)),
            call: self.call.into_owned().into(),
            text: first_line_label(&self.text).into_string().into(),
            edits: edits_without_text(self.edits),
            agent: self.agent.map(|id| id.into_owned().into()),
            is_error: self.is_error,
            is_ok: self.is_ok,
            exit_code: self.exit_code,
            ended_at: self.ended_at,
        }
    }
}

fn edits_without_text(mut edits: Vec<FileEdit>) -> Vec<FileEdit> {
    for edit in &mut edits {
        edit.before = None;
        if !matches!(edit.change, RecordedChange::NotRecorded) {
            edit.change = RecordedChange::Delete;
        }
    }
    edits
}

impl HeaderFacts<'_> {
    /// Returns the facts with texts of their own; a blank one becomes None.
    pub fn into_owned_facts(self) -> HeaderFacts<'static> {
        let own = |text: Option<Cow<'_, str>>| {
            text.filter(|text| !text.trim().is_empty()).map(|text| text.into_owned().into())
        };
        HeaderFacts {
            id: own(self.id),
            title: own(self.title),
            task: own(self.task),
            task_set: own(self.task_set),
            agent: own(self.agent),
            version: own(self.version),
            model: own(self.model),
            root: own(self.root),
        }
    }
}

impl<'t> LogRecord<'t> {
    /// Returns the end of the last action in the record.
    pub fn last_end(&self) -> Option<Time> {
        let of_event = |event: &RecordEvent<'t>| match event {
            RecordEvent::Call(call) => call.answer.as_ref()?.ended_at,
            RecordEvent::Answer(answer) => answer.ended_at,
            _ => None,
        };
        self.events.iter().filter_map(of_event).chain(self.ended_at).max()
    }

    /// Creates a record with one event.
    pub fn from_event(event: RecordEvent<'t>) -> Self {
        Self { events: vec![event], ..Self::default() }
    }

    /// Creates a record of a kind that is not known.
    pub fn unknown_kind(kind: impl Into<Cow<'t, str>>) -> Self {
        Self::from_event(RecordEvent::Unknown(kind.into()))
    }

    pub fn push_event(&mut self, event: RecordEvent<'t>) {
        self.events.push(event);
    }

    /// Adds an event with a text, unless the text is blank.
    pub fn push_text(&mut self, event: fn(Cow<'t, str>) -> RecordEvent<'t>, text: Cow<'t, str>) {
        if !text.trim().is_empty() {
            self.events.push(event(text));
        }
    }
}
