//! What one record of a log says, in the order in which it says it.

use std::borrow::Cow;

use crate::codex::call::main_argument;
use trajview_code::patch::{
    self, DiffChange, DiffFile, FileChange, FilePatch, LineCounts, PatchHunk,
};
use trajview_run::{EditKind, Role, Time, Tokens, files::RecordedChange, label};

/// One record: a message, an event, a step of a trajectory.
#[derive(Debug, Default, Clone)]
pub struct Record<'t> {
    pub time: Option<Time>,
    /// When what it records was done, where that is recorded beside when it began.
    pub ended_at: Option<Time>,
    /// What it says of the run.
    pub facts: Facts<'t>,
    /// Of the model's response that the record is, or a part of.
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// Tokens and cost of the whole run up to here, where the log tells sums.
    pub totals: Option<(Tokens, Option<f64>)>,
    /// Tokens and cost of the part of the run that ends here, where the log states them for one process after another.
    pub stated: Option<(Tokens, Option<f64>)>,
    /// The response's id, where several records are of one response: its tokens are those of the last of them.
    pub response: Option<Cow<'t, str>>,
    /// By which other records name this one; see [`super::order`].
    pub id: Option<Cow<'t, str>>,
    pub parent: Option<Cow<'t, str>>,
    /// The sub-agent whose record it is, by its own id or by that of the call that started it; None for the main agent's.
    pub agent: Option<Cow<'t, str>>,
    /// Whether it may have been told before, by its id: counts only where it was not.
    pub restated: bool,
    /// What in it is not understood and not shown, by its kind: it is counted in a warning.
    pub skipped: Option<Cow<'t, str>>,
    /// Of the request in it: its size in bytes, and the exit code that it names where it is a command's result.
    pub asked: Option<(u64, Option<i32>)>,
    pub events: Vec<Event<'t>>,
}

/// What a record says of the run as a whole; the first that says something counts, models are gathered.
#[derive(Debug, Default, Clone)]
pub struct Facts<'t> {
    pub id: Option<Cow<'t, str>>,
    pub title: Option<Cow<'t, str>>,
    pub task: Option<Cow<'t, str>>,
    pub agent: Option<Cow<'t, str>>,
    pub version: Option<Cow<'t, str>>,
    pub model: Option<Cow<'t, str>>,
    /// The folder the agent worked in.
    pub root: Option<Cow<'t, str>>,
}

#[derive(Debug, Clone)]
pub enum Event<'t> {
    /// What a person, or a harness in their place, asked for: begins a turn.
    Request(Cow<'t, str>),
    Said(Role, Cow<'t, str>),
    Thought(Cow<'t, str>),
    /// An error by itself: of the model's API, of the agent's program.
    Failed(Cow<'t, str>),
    /// The context was summarised and cut.
    Compacted(Cow<'t, str>),
    Called(Call<'t>),
    Answered(Answer<'t>),
    /// A branch that the run left begins here: no call, and nothing that the model did.
    Left {
        /// By which its records name it as their agent.
        branch: Cow<'t, str>,
        /// What it is about.
        about: Cow<'t, str>,
    },
    /// As [`Event::Commit`], before anything was done.
    Start(Cow<'t, str>),
    /// The workspace was committed as it was then, to a repository beside the log; the commit's id, or its first digits.
    Commit(Cow<'t, str>),
    /// What the whole run changed, as a diff that was recorded at its end.
    FinalDiff(Cow<'t, str>),
    /// What was told before; it keeps its number.
    Nothing,
    /// A record, or a part of one, of a kind that is not known; its kind.
    Unknown(Cow<'t, str>),
}

#[derive(Debug, Default, Clone)]
pub struct Call<'t> {
    pub name: Cow<'t, str>,
    /// Empty where calls and results are paired by their order.
    pub id: Cow<'t, str>,
    /// JSON, or the call's text.
    pub arguments: Cow<'t, str>,
    /// The command, the path: what the call is about. Found in the arguments where it is empty.
    pub main: Cow<'t, str>,
    /// The result, where the record of the call holds it.
    pub answer: Option<Answer<'t>>,
    /// Files that the call was to change; they count unless it failed.
    pub edits: Vec<FileEdit>,
    /// Whether it starts a sub-agent.
    pub starts_agent: bool,
    /// What it asks a sub-agent for, where no id leads to that one: it is the one whose first request this is.
    pub asks_agent: Cow<'t, str>,
    /// Whether what the user says next is its result, as where commands stand in the words.
    pub answered_by_user: bool,
}

#[derive(Debug, Default, Clone)]
pub struct Answer<'t> {
    /// Id of the call; empty for the earliest that waits.
    pub call: Cow<'t, str>,
    pub text: Cow<'t, str>,
    /// Size of the text in bytes; counted where it is None.
    pub bytes: Option<u64>,
    pub is_error: bool,
    /// Whether it is said that the call went well.
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
        let (path, lines) = (path.into(), lines_of(None, &change));
        Self { path, from: None, kind, before: None, change, lines }
    }

    /// A file whose whole text is recorded before and after; a Create where there was none.
    pub fn whole(path: impl Into<String>, before: Option<String>, after: String) -> Self {
        let kind = if before.is_some() { EditKind::Modify } else { EditKind::Create };
        let change = RecordedChange::Write(after);
        let lines = lines_of(before.as_deref(), &change);
        Self { path: path.into(), from: None, kind, before, change, lines }
    }

    /// The files of a text in the dialect of `apply_patch`, wherever it stands in `text`.
    pub fn of_patch(text: &str) -> Vec<Self> {
        patch::in_call(text).into_iter().map(Self::of_file).collect()
    }

    fn of_file(file: FilePatch) -> Self {
        let change = match file.change {
            FileChange::Add(text) => {
                return Self::new(file.path, EditKind::Create, RecordedChange::Write(text));
            }
            FileChange::Delete => {
                return Self::new(file.path, EditKind::Delete, RecordedChange::Delete);
            }
            FileChange::Update(hunks) => RecordedChange::Patch(hunks),
        };
        match file.move_to {
            None => Self::new(file.path, EditKind::Modify, change),
            Some(to) => Self { from: Some(file.path), ..Self::new(to, EditKind::Rename, change) },
        }
    }

    /// The files of a diff as `git diff` prints it.
    pub fn of_diff(diff: &str) -> Vec<Self> {
        patch::files_of_diff(diff).into_iter().map(Self::of_file_of_diff).collect()
    }

    fn of_file_of_diff(file: DiffFile) -> Self {
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

fn lines_of(before: Option<&str>, change: &RecordedChange) -> (Option<u32>, Option<u32>) {
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

impl<'t> Event<'t> {
    /// Something of that kind, which is not known; `nameless` says it where no kind is told.
    pub fn unknown(kind: impl Into<Cow<'t, str>>, nameless: &'static str) -> Self {
        let kind = kind.into();
        Self::Unknown(if kind.is_empty() { nameless.into() } else { kind })
    }

    /// What the index keeps of it: of texts their labels, of edits their size.
    pub fn kept(self) -> Event<'static> {
        let short = |text: Cow<'_, str>| Cow::Owned(label(&text).into_string());
        match self {
            Self::Request(text) => Event::Request(short(text)),
            Self::Said(role, text) => Event::Said(role, short(text)),
            Self::Thought(text) => Event::Thought(short(text)),
            Self::Failed(text) => Event::Failed(short(text)),
            Self::Compacted(text) => Event::Compacted(short(text)),
            Self::FinalDiff(text) => Event::FinalDiff(text.into_owned().into()),
            Self::Nothing => Event::Nothing,
            Self::Start(id) => Event::Start(id.into_owned().into()),
            Self::Commit(id) => Event::Commit(id.into_owned().into()),
            Self::Unknown(kind) => Event::Unknown(short(kind)),
            Self::Called(call) => Event::Called(call.kept()),
            Self::Left { branch, about } => {
                Event::Left { branch: branch.into_owned().into(), about: short(about) }
            }
            Self::Answered(answer) => Event::Answered(answer.kept()),
        }
    }
}

impl Call<'_> {
    fn kept(self) -> Call<'static> {
        let main = match &*self.main {
            "" => label(&main_argument(&self.arguments)),
            main => label(main),
        };
        Call {
            name: self.name.into_owned().into(),
            id: self.id.into_owned().into(),
            arguments: Cow::Borrowed(""),
            main: main.into_string().into(),
            answer: self.answer.map(Answer::kept),
            edits: kept_edits(self.edits),
            starts_agent: self.starts_agent,
            asks_agent: label(&self.asks_agent).into_string().into(),
            answered_by_user: self.answered_by_user,
        }
    }
}

impl Answer<'_> {
    fn kept(self) -> Answer<'static> {
        Answer {
            bytes: Some(self.bytes.unwrap_or(self.text.len() as u64)),
            call: self.call.into_owned().into(),
            text: label(&self.text).into_string().into(),
            edits: kept_edits(self.edits),
            agent: self.agent.map(|id| id.into_owned().into()),
            is_error: self.is_error,
            is_ok: self.is_ok,
            exit_code: self.exit_code,
            ended_at: self.ended_at,
        }
    }
}

fn kept_edits(mut edits: Vec<FileEdit>) -> Vec<FileEdit> {
    for edit in &mut edits {
        edit.before = None;
        if !matches!(edit.change, RecordedChange::NotRecorded) {
            edit.change = RecordedChange::Delete;
        }
    }
    edits
}

impl Facts<'_> {
    pub fn kept(self) -> Facts<'static> {
        let own = |text: Option<Cow<'_, str>>| {
            text.filter(|text| !text.trim().is_empty()).map(|text| text.into_owned().into())
        };
        Facts {
            id: own(self.id),
            title: own(self.title),
            task: own(self.task),
            agent: own(self.agent),
            version: own(self.version),
            model: own(self.model),
            root: own(self.root),
        }
    }
}

impl<'t> Record<'t> {
    /// When the last thing in it was done.
    pub fn last_end(&self) -> Option<Time> {
        let of_event = |event: &Event<'t>| match event {
            Event::Called(call) => call.answer.as_ref()?.ended_at,
            Event::Answered(answer) => answer.ended_at,
            _ => None,
        };
        self.events.iter().filter_map(of_event).chain(self.ended_at).max()
    }

    /// A record that says one thing.
    pub fn of(event: Event<'t>) -> Self {
        Self { events: vec![event], ..Self::default() }
    }

    /// One of a kind that is not known.
    pub fn unknown(kind: impl Into<Cow<'t, str>>) -> Self {
        Self::of(Event::Unknown(kind.into()))
    }

    pub fn says(&mut self, event: Event<'t>) {
        self.events.push(event);
    }

    /// As [`Record::says`], of words that are there.
    pub fn says_words(&mut self, event: fn(Cow<'t, str>) -> Event<'t>, text: Cow<'t, str>) {
        if !text.trim().is_empty() {
            self.events.push(event(text));
        }
    }
}
