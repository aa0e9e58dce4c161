//! What a format is: the trait that all of them have, what they are given, and what they may say.

use std::collections::HashSet;

use trajview_run::{Edit, Run, SourceId, Step, StepText, ToolResult, files::RecordedEdit};

use super::{companions::BelongsTo, jsonl::Input, spelling::Spelling};

/// A way of writing runs down. Nothing here may panic, whatever the bytes.
pub trait Format: Sync {
    /// Short, lower case, stable: the word in JSON and in `trajview formats`.
    fn name(&self) -> &'static str;

    /// One line for people: which tool writes it, and where.
    fn about(&self) -> &'static str;

    /// A recording of this format, below `sample-runs/`.
    fn sample(&self) -> &'static str;

    /// What a recording of this format can tell.
    fn offers(&self) -> Offers;

    /// Whether a file that starts like this is ours. Looks at content, never at the name alone.
    fn claims(&self, head: &Head<'_>) -> bool;

    /// Of which recordings a file is a part (a sub-agent's log) that stands near: in the same folder, or below a folder
    /// named after the recording.
    fn belongs_to(&self, _other: &Head<'_>) -> BelongsTo {
        BelongsTo::Itself
    }

    /// The names by which its parts call a recording that we claimed.
    fn names(&self, _main: &Head<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// Folders, relative to that of a file, whose files are parts of the same recording (`../parts/7`), and single files
    /// (`../state.json`). Asked of the main file, and of each file that was found by it.
    fn parts_in(&self, _main: &Head<'_>) -> Vec<String> {
        vec![]
    }

    /// Whether the folders that [`Format::parts_in`] names beside a recording hold the logs of its sub-agents, which are no
    /// recordings of their own.
    fn has_agent_folders(&self) -> bool {
        false
    }

    /// Repositories that have the commits a recording names, or the recording itself, relative to its folder: `.git`; a `*`
    /// stands for any one folder.
    fn repositories(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file that starts like this holds many runs, and how.
    fn rows(&self, _head: &Head<'_>) -> Rows {
        Rows::None
    }

    /// What makes the text that is read in the place of a file that has another form; None where a file that starts like
    /// this is read as it is, and need not be read whole for it.
    fn preparation(&self, _head: &Head<'_>) -> Option<Preparation> {
        None
    }

    /// Whether `other` is a part of the same run as `main`. Of many files side by side ask [`super::companions`].
    fn is_companion(&self, main: &Head<'_>, other: &Head<'_>) -> bool {
        self.belongs_to(other).has(&self.names(main))
    }

    /// Reads the main file (`sources[0]`) and its companions into an index. [`trajview_run::Place::source`] is the
    /// position in `sources`; [`trajview_run::RunOrigin::sources`] is filled in by the caller.
    fn index(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        self.index_with(sources, &OneHand)
    }

    /// As [`Format::index`], with help. However many hands there are, the run is the same.
    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood>;

    /// A reader of recordings that are still being written; None where the format is read as a whole only.
    fn growing(&self) -> Option<Box<dyn Growing>> {
        None
    }

    /// A reader of recordings that are too large to be held; None where the format has to see all of one at once.
    fn streaming(&self) -> Option<Box<dyn Growing>> {
        None
    }

    /// The words of a step, from the record at [`Step::place`]; `result` stays None.
    fn words(&self, _record: &[u8], _step: &Step) -> StepText {
        StepText::default()
    }

    /// The whole text of a turn's request, from the record at [`trajview_run::Turn::request`].
    fn request(&self, _record: &[u8]) -> String {
        String::new()
    }

    /// What the agent's program put before the model with a request, from a record at [`trajview_run::Turn::added`]; `part` is
    /// that of the place.
    fn added(&self, record: &[u8], _part: u32) -> String {
        self.request(record)
    }

    /// An observation's text, from the record at [`ToolResult::place`].
    fn result(&self, _record: &[u8], _result: &ToolResult) -> String {
        String::new()
    }

    /// The whole text of a failed test, from the record at [`trajview_run::recorded::TestCase::failure`].
    fn failure(&self, _record: &[u8]) -> String {
        String::new()
    }

    /// What the bytes of its files tell of the words of its steps, requests and observations.
    fn spelling(&self) -> Spelling {
        Spelling::Free
    }

    /// The body of an edit, from the record at [`Edit::place`].
    fn edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        None
    }
}

/// What a format can tell, for those who choose one and for those who work with its recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    pub shape: Shape,
    pub edits: EditsTold,
    pub tokens: bool,
    pub cost: bool,
    pub times: bool,
    pub subagents: bool,
}

/// Makes of a whole file the text that is read in its place; None where it is fine as it is.
pub type Preparation = fn(&[u8]) -> Option<Vec<u8>>;

/// How a file of a format holds many runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// It is one run.
    None,
    /// A run a line.
    Lines,
    /// A run an element of the list under that key of the document; of the document that is a list, where the key is empty.
    List(&'static str),
}

impl Offers {
    /// Whether it is what an agent writes, and not a folder or a document about what one did.
    pub fn is_log(self) -> bool {
        matches!(self.shape, Shape::Lines | Shape::Document) && self.edits != EditsTold::Nowhere
    }

    /// A format that tells of edits so much, and nothing else yet.
    pub const fn new(shape: Shape, edits: EditsTold) -> Self {
        Self { shape, edits, tokens: false, cost: false, times: false, subagents: false }
    }

    pub const fn tokens(self) -> Self {
        Self { tokens: true, ..self }
    }

    pub const fn cost(self) -> Self {
        Self { cost: true, ..self }
    }

    pub const fn times(self) -> Self {
        Self { times: true, ..self }
    }

    pub const fn subagents(self) -> Self {
        Self { subagents: true, ..self }
    }
}

/// How a recording lies on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A log of lines, read on as it grows.
    Lines,
    /// One document.
    Document,
    /// A folder that a harness wrote, with snapshots of the files at its checkpoints.
    Snapshots,
    /// trajview's own folder, with a commit a turn.
    Bundle,
}

impl Shape {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Document => "document",
            Self::Snapshots => "snapshots",
            Self::Bundle => "bundle",
        }
    }
}

impl EditsTold {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Names => "names",
            Self::AtTheEnd => "at the end",
            Self::Commits => "commits",
            Self::Nowhere => "none",
        }
    }
}

/// What is recorded of a change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditsTold {
    /// The text before and after, or a patch.
    Text,
    /// The file's name.
    Names,
    /// One diff at the end of the run.
    AtTheEnd,
    /// Nothing: the files are in commits that the recording names.
    Commits,
    /// It is no log of what an agent did.
    Nowhere,
}

/// Whoever carries out work that falls into pieces. A format knows no threads: it says what can be done at once.
pub trait Executor: Sync {
    /// How many pieces are worked on at a time.
    fn count(&self) -> usize;

    /// Bytes worth a piece: so few that what is made of some of them is little, so many that handing them out is cheap.
    fn piece_bytes(&self) -> usize {
        1 << 17
    }

    /// Does the `work` of each of that many pieces once, in any order and at any time, and calls `then` for each in
    /// order, on the caller's own thread, when its work is done. The work is not far ahead of `then`.
    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize));
}

/// One thing after the other.
pub struct OneHand;

impl Executor for OneHand {
    fn count(&self) -> usize {
        1
    }

    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize)) {
        for piece in 0..pieces {
            work(piece);
            then(piece);
        }
    }
}

/// Two hands for tests: pieces as small as wanted, the last of them done first.
pub struct Backwards {
    pub piece_bytes: usize,
}

impl Executor for Backwards {
    fn count(&self) -> usize {
        2
    }

    fn piece_bytes(&self) -> usize {
        self.piece_bytes
    }

    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize)) {
        (0..pieces).rev().for_each(work);
        (0..pieces).for_each(then);
    }
}

/// A recording read while it is written: what is read once is not read again.
pub trait Growing: Send {
    /// Says, before anything is taken, that each log is taken once and whole, and that the run is asked for with
    /// [`Growing::finish`].
    fn is_all(&mut self) {}

    /// Takes whole lines of a log, following those taken of the same source before.
    fn take(&mut self, id: SourceId, name: &str, lines: Input<'_>, executor: &dyn Executor);

    /// Whether all logs have to be taken once more, each from its beginning, as what was believed of them while they were read is
    /// not so. Asked once, after [`Growing::is_all`] and when all of them were taken.
    fn is_read_again(&mut self) -> bool {
        false
    }

    /// As [`Growing::run`], of a recording that is not read on. What takes a while to be freed is given to `left`.
    fn finish(
        self: Box<Self>,
        sources: &[Source<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.run(sources)
    }

    /// The run as far as it is written. `sources` are those of [`Format::index`]; of logs only the names are looked at.
    fn run(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood>;
}

/// The start of a file, enough to tell what it is.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// File name without folders.
    pub name: &'a str,
    /// The first [`HEAD_BYTES`] of the (uncompressed) file, or all of it.
    pub bytes: &'a [u8],
    /// Whether `bytes` is the whole file.
    pub is_whole: bool,
}

impl<'a> Head<'a> {
    /// The text from its first word on, without a mark of the byte order.
    pub fn text(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes).trim_ascii_start()
    }
}

/// How much of a file a [`Head`] holds at most.
pub const HEAD_BYTES: usize = 64 * 1024;

/// One file of a recording, uncompressed.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Path relative to the folder of the opened file, as warnings name it.
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// Why a recording could not be read at all; a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotUnderstood(pub String);
