//! The [`Format`] trait with its input and its results.

use std::collections::HashSet;

use trajview_run::{Edit, Run, SourceId, Step, StepText, ToolResult, files::RecordedEdit};

use super::{companion_files::BelongsTo, jsonl::LogInput, search_prefilter::TextLayout};

/// A format of recorded runs. No method may panic, whatever the bytes.
pub trait Format: Sync {
    /// Returns the name: short, lower case, stable; the word in JSON and in `trajview list formats`.
    fn name(&self) -> &'static str;

    /// Returns one line for people: which tool writes the format, and where.
    fn short_description(&self) -> &'static str;

    /// Returns the path of a recording of this format, below `sample-runs/`.
    fn sample_path(&self) -> &'static str;

    /// Returns the kinds of data that a recording of this format contains.
    fn capabilities(&self) -> FormatCapabilities;

    /// Returns whether a file with this head has this format. Decides by content, never by the name alone.
    fn claims_file(&self, head: &FileHead<'_>) -> bool;

    /// Returns the recordings that a file (a sub-agent's log) is a part of. They are near: in the same folder, or the file
    /// is below a folder named after the recording.
    fn belongs_to(&self, _other: &FileHead<'_>) -> BelongsTo {
        BelongsTo::Itself
    }

    /// Returns the names by which its parts call a recording that we claimed.
    fn names_in_parts(&self, _main: &FileHead<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// Returns folders, relative to that of a file, whose files are parts of the same recording (`../parts/7`), and single
    /// files (`../state.json`). The caller asks for the main file, and for each file that was found this way.
    fn part_paths(&self, _main: &FileHead<'_>) -> Vec<String> {
        vec![]
    }

    /// Returns whether the folders that [`Format::part_paths`] names beside a recording contain the logs of its sub-agents,
    /// which are no recordings of their own.
    fn has_agent_folders(&self) -> bool {
        false
    }

    /// Returns the repositories with the commits that a recording names, or with the recording itself, relative to its
    /// folder: `.git`. A `*` matches any one folder.
    fn repository_paths(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns how a file with this head contains runs: one, one per line, or one per element of a list.
    fn runs_in_file(&self, _head: &FileHead<'_>) -> RunsInFile {
        RunsInFile::One
    }

    /// Returns the rank of a recording, by the name of its file, among the records of a trial, whose folder is the trial's: the
    /// least one counts, and where a log of the agent is below it, that is the recording. None where it is no such record.
    fn trial_record_rank(&self, _name: &str) -> Option<u8> {
        None
    }

    /// Returns whether the record of a trial may be far from the log of the agent: it is no recording of its own where a log
    /// of the same trial is found.
    fn is_apart_from_logs(&self) -> bool {
        false
    }

    /// Returns the function that converts a file of another form into the text that is read; None where the file is read as
    /// it is, and need not be read whole for it.
    fn preparation_for(&self, _head: &FileHead<'_>) -> Option<FilePreparation> {
        None
    }

    /// Returns whether `other` is a part of the same run as `main`. For many files side by side use
    /// [`super::companion_files`].
    fn is_companion(&self, main: &FileHead<'_>, other: &FileHead<'_>) -> bool {
        self.belongs_to(other).is_part_of(&self.names_in_parts(main))
    }

    /// Reads the main file (`sources[0]`) and its companions into an index. [`trajview_run::RecordPlace::source`] is the
    /// position in `sources`; [`trajview_run::RunOrigin::sources`] is filled in by the caller.
    fn index_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        self.index_run_with(sources, &SequentialExecutor)
    }

    /// Reads a recording as [`Format::index_run`] does, with an executor for the parts of the work. The run is the same
    /// with any number of workers. A format without [`Format::incremental_reader`] implements it.
    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let reader = self.incremental_reader();
        let mut reader = reader.ok_or_else(|| NotUnderstood("it is no log of lines".into()))?;
        for (id, source) in (0..).map(SourceId).zip(sources) {
            reader.take_lines(id, source.name, LogInput::whole_file(source.bytes), executor);
        }
        reader.finish_run(sources, &mut drop)
    }

    /// Returns a reader of recordings that are still being written; None where the format is read as a whole only.
    fn incremental_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        None
    }

    /// Returns a reader of recordings that are too large for memory; None where the format needs a whole recording at once.
    fn streaming_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        None
    }

    /// Returns the text of a step, from the record at [`Step::place`]; `result` stays None.
    fn step_text(&self, _record: &[u8], _step: &Step) -> StepText {
        StepText::default()
    }

    /// Returns the whole text of a turn's request, from the record at [`trajview_run::Turn::request`].
    fn request_text(&self, _record: &[u8]) -> String {
        String::new()
    }

    /// Returns the text that the agent's program put before the model with a request, from a record at
    /// [`trajview_run::Turn::added`]; `part` is that of the place.
    fn added_text(&self, record: &[u8], _part: u32) -> String {
        self.request_text(record)
    }

    /// Returns an observation's text, from the record at [`ToolResult::place`].
    fn result_text(&self, _record: &[u8], _result: &ToolResult) -> String {
        String::new()
    }

    /// Works as [`Format::step_text`] with [`Format::result_text`], of a step whose result is in the same record.
    fn text_with_result(&self, record: &[u8], step: &Step, result: &ToolResult) -> StepText {
        let observed = self.result_text(record, result);
        StepText { result: Some(observed), ..self.step_text(record, step) }
    }

    /// Returns the whole text of a failed test, from the record at
    /// [`trajview_run::checkpoint_record::TestCase::failure`].
    fn failure_text(&self, _record: &[u8]) -> String {
        String::new()
    }

    /// Returns how the text of steps, requests and observations appears in the bytes of the files.
    fn text_layout(&self) -> TextLayout {
        TextLayout::Free
    }

    /// Returns the body of an edit, from the record at [`Edit::place`].
    fn recorded_edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        None
    }

    /// Returns the definitions of tools in a whole file, a list in the form of OpenAI's API; None where it has none.
    fn tool_definitions(&self, _text: &str) -> Option<serde_json::Value> {
        None
    }

    /// Returns where a whole file breaks the published rules of the format; empty where there are none to check. The reader
    /// is more lenient.
    fn form_faults(&self, _text: &str) -> Vec<FormFault> {
        vec![]
    }
}

/// A place of a file that breaks the published rules of its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFault {
    /// The byte at which the value begins.
    pub offset: usize,
    /// A sentence with the version of the rules and the field.
    pub what: String,
}

/// The kinds of data that recordings of a format contain, for those who choose a format and for those who work with its
/// recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatCapabilities {
    pub shape: RecordingShape,
    pub edits: RecordedEdits,
    pub tokens: bool,
    pub cost: bool,
    pub times: bool,
    pub subagents: bool,
}

/// Makes of a whole file the text that is read in its place; None where it is fine as it is.
pub type FilePreparation = fn(&[u8]) -> Option<Vec<u8>>;

/// The number of runs in a file, and where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsInFile {
    /// The file is one run.
    One,
    /// A run a line.
    OnePerLine,
    /// A run an element of the list under that key of the document; of the document that is a list, where the key is empty.
    OnePerElement(&'static str),
    /// A run a field of the object under that key of the document, which every run needs whole; see
    /// [`crate::with_run_field`].
    OnePerField(&'static str),
    /// A run a name in the lists of a report; see [`crate::harness::report_elements`].
    OnePerListedName,
}

impl FormatCapabilities {
    /// Returns whether the format is a log that an agent writes, not a folder or a document about an agent's work.
    pub fn is_log(self) -> bool {
        matches!(self.shape, RecordingShape::Lines | RecordingShape::Document)
            && self.edits != RecordedEdits::NotALog
    }

    /// Creates the capabilities of a format with this shape and these edits, and no other data yet.
    pub const fn new(shape: RecordingShape, edits: RecordedEdits) -> Self {
        Self { shape, edits, tokens: false, cost: false, times: false, subagents: false }
    }

    pub const fn with_tokens(self) -> Self {
        Self { tokens: true, ..self }
    }

    pub const fn with_cost(self) -> Self {
        Self { cost: true, ..self }
    }

    pub const fn with_times(self) -> Self {
        Self { times: true, ..self }
    }

    pub const fn with_subagents(self) -> Self {
        Self { subagents: true, ..self }
    }
}

/// The form of a recording on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordingShape {
    /// A log of lines, read on as it grows.
    Lines,
    /// One document.
    Document,
    /// A folder that a harness wrote, with snapshots of the files at its checkpoints.
    Snapshots,
    /// trajview's own folder, with a commit a turn.
    Bundle,
}

impl RecordingShape {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Document => "document",
            Self::Snapshots => "snapshots",
            Self::Bundle => "bundle",
        }
    }
}

impl RecordedEdits {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Names => "names",
            Self::AtTheEnd => "at the end",
            Self::Commits => "commits",
            Self::NotALog => "none",
        }
    }
}

/// The data that a format records of a change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEdits {
    /// The text before and after, or a patch.
    Text,
    /// The file's name.
    Names,
    /// One diff at the end of the run.
    AtTheEnd,
    /// Nothing: the files are in commits that the recording names.
    Commits,
    /// Nothing: the format is no log of an agent's work.
    NotALog,
}

/// Runs work that consists of independent pieces. A format knows no threads: it only declares the pieces.
pub trait PieceExecutor: Sync {
    /// Returns the number of pieces that run at a time.
    fn worker_count(&self) -> usize;

    /// Returns the size of a piece in bytes: so small that few results wait at a time, so large that scheduling is
    /// cheap.
    fn piece_bytes(&self) -> usize {
        1 << 17
    }

    /// Does the `work` of each of that many pieces once, in any order and at any time, and calls `then` for each in
    /// order, on the caller's own thread, when its work is done. The work is not far ahead of `then`.
    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize));
}

/// Runs one piece after the other on the caller's thread.
pub struct SequentialExecutor;

impl PieceExecutor for SequentialExecutor {
    fn worker_count(&self) -> usize {
        1
    }

    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize)) {
        for piece in 0..pieces {
            work(piece);
            then(piece);
        }
    }
}

/// An executor for tests with two workers and pieces of the given size. The last piece is done first.
pub struct ReversedExecutor {
    pub piece_bytes: usize,
}

impl PieceExecutor for ReversedExecutor {
    fn worker_count(&self) -> usize {
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

/// A reader of a recording that is still being written: nothing is read twice.
pub trait IncrementalReader: Send {
    /// Announces, before the first lines, that each log comes once and whole, and that the caller then asks for the run
    /// with [`IncrementalReader::finish_run`].
    fn expect_whole_logs(&mut self) {}

    /// Takes whole lines of a log, following those taken of the same source before.
    fn take_lines(
        &mut self,
        id: SourceId,
        name: &str,
        lines: LogInput<'_>,
        executor: &dyn PieceExecutor,
    );

    /// Returns whether all logs have to be read again from their beginning, since an assumption that was made while they
    /// were read is false. The caller asks once, after [`IncrementalReader::expect_whole_logs`] and after all logs.
    fn needs_second_read(&mut self) -> bool {
        false
    }

    /// Returns the run as [`IncrementalReader::current_run`] does, of a recording that is complete. Values that take a
    /// while to be freed are given to `left`.
    fn finish_run(
        self: Box<Self>,
        sources: &[SourceBytes<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.current_run(sources)
    }

    /// Returns the run as far as it is written. `sources` are those of [`Format::index_run`]; of logs only the names
    /// are looked at.
    fn current_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood>;
}

/// The start of a file, enough to recognise its format.
#[derive(Debug, Clone, Copy)]
pub struct FileHead<'a> {
    /// File name without folders.
    pub name: &'a str,
    /// The first [`HEAD_BYTES`] of the (uncompressed) file, or all of it.
    pub bytes: &'a [u8],
    /// Is true where `bytes` is the whole file.
    pub is_whole: bool,
}

impl<'a> FileHead<'a> {
    /// Returns the bytes from the first character that is no white space, without a byte-order mark.
    pub fn text(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes).trim_ascii_start()
    }
}

/// Returns the last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The largest number of bytes in a [`FileHead`].
pub const HEAD_BYTES: usize = 64 * 1024;

/// One file of a recording, uncompressed.
#[derive(Debug, Clone, Copy)]
pub struct SourceBytes<'a> {
    /// Path relative to the folder of the opened file, as warnings name it.
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// The reason why a recording could not be read at all; a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotUnderstood(pub String);
