//! Readers of the logs of coding agents and other tools: one folder per tool.
//!
//! A [`Format`] claims a recording by its first bytes, lists the data in its recordings ([`FormatCapabilities`]), indexes
//! one into a [`Run`](trajview_run::Run) without keeping its text, and reads single records again when they are shown. No
//! other crate asks for a format by its name. Most formats are a list of records that can each be read alone: those
//! implement `records::RecordFormat`, and `records::RecordLog` does the rest. To add a format, write
//! `crates/formats/src/<name>/mod.rs`, put a small sample below `sample-runs/` and add a line to the list of modules and
//! to `FORMATS` below: `trajview list formats`, the README table and the golden tests follow. Where its tool keeps sessions is a row of
//! [`session_folders()`], and how it keeps them in a database an implementation of [`session_tables::SessionTables`].
//!
//! Field names drift: read leniently, keep what is unknown as an [`trajview_run::StepKind::Unknown`] step or a
//! warning with its place, never refuse a whole file for one line.
//!
//! # Of this crate
//!
//! - **Knows** how each tool writes its logs, rubrics and labels.
//! - **Must not know** disks, git, archives, screens: bytes come in, a run comes out.
//! - **Used by** `store`, which brings the bytes; `metrics` and `study` for records of their own; the program for its list.
//!
//! Always true:
//!
//! - A line that cannot be read is a warning with its place, and the rest is read.
//! - The same bytes give the same run on every machine.
//! - No reader asks for another by its name.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod aider;
mod amp;
pub mod annotations;
mod antigravity;
pub mod asciicast;
mod atif;
mod bundle;
mod chat;
mod claude;
mod claude_session;
mod claude_stream;
mod claude_web;
mod cline;
mod codex;
mod codex_exec;
mod codex_rollout;
mod column_names;
pub mod companion_files;
mod continue_dev;
mod copilot;
mod copilot_chat;
pub mod csv;
mod cursor;
mod droid;
mod dsh;
pub mod entire;
mod evocodebench;
mod exit_status;
mod format;
mod gemini;
mod gemini_stream;
mod git_ai;
mod goose;
mod grok;
pub mod harness;
mod head_json;
mod iflow;
mod inspect;
mod json_object;
pub mod jsonl;
mod kimi;
mod kiro;
mod log_names;
mod messages;
mod mini_swe_agent;
mod nested_logs;
pub mod not_finite;
mod opencode;
mod openhands;
mod openhands_v1;
mod otel;
mod paperbench;
mod pi;
mod qwen;
mod records;
pub mod rigorbench;
pub mod rubric;
mod runs_in_file;
pub mod search_prefilter;
mod session_folders;
pub mod session_tables;
mod slopcodebench;
mod specstory;
mod swe_agent;
mod tape;
mod unknown_records;
mod unsupported_files;
mod wrapped_text;

pub use column_names::ColumnNames;
pub use format::{
    FileHead, FilePreparation, FormFault, Format, FormatCapabilities, HEAD_BYTES,
    IncrementalReader, NotUnderstood, PieceExecutor, RecordedEdits, RecordingShape, RunsInFile,
    SequentialExecutor, SourceBytes,
};

pub use format::ReversedExecutor;

pub use json_object::JsonFields;
pub use log_names::{could_be_log, log_stem};
pub use runs_in_file::{element_name, field_names, list_elements, row_name, with_run_field};
pub use session_folders::session_folders;

use records::RecordLog;

/// Every format we read, in the order in which they may claim a file.
pub const FORMATS: &[&dyn Format] = &[
    &bundle::Bundle,
    // Before those whose envelopes they share.
    &RecordLog(&qwen::Qwen),
    &RecordLog(&grok::Grok),
    &RecordLog(&iflow::Iflow),
    &claude_session::ClaudeSession,
    &claude_stream::ClaudeStream,
    &codex_rollout::CodexRollout,
    &codex_exec::CodexExec,
    &RecordLog(&gemini::Gemini),
    &RecordLog(&gemini_stream::GeminiStream),
    &RecordLog(&opencode::OpenCode),
    &RecordLog(&copilot::Copilot),
    &RecordLog(&copilot_chat::CopilotChat),
    &RecordLog(&cursor::Cursor),
    &RecordLog(&dsh::Dsh),
    &RecordLog(&pi::Pi),
    &RecordLog(&amp::Amp),
    &RecordLog(&droid::Droid),
    &RecordLog(&kimi::Kimi),
    &RecordLog(&antigravity::Antigravity),
    &RecordLog(&cline::Cline),
    &RecordLog(&goose::Goose),
    &RecordLog(&continue_dev::Continue),
    &RecordLog(&kiro::Kiro),
    &RecordLog(&claude_web::ClaudeWeb),
    &RecordLog(&aider::Aider),
    &RecordLog(&specstory::SpecStory),
    &RecordLog(&git_ai::GitAi),
    &RecordLog(&atif::Atif),
    &RecordLog(&swe_agent::SweAgent),
    &RecordLog(&mini_swe_agent::MiniSweAgent),
    &RecordLog(&openhands::OpenHands),
    &RecordLog(&openhands_v1::OpenHandsV1),
    &RecordLog(&inspect::Inspect),
    &RecordLog(&rigorbench::RigorBench),
    &RecordLog(&otel::Otel),
    &harness::HarborTrial,
    &harness::TerminalBenchTrial,
    &harness::SweBenchTrial,
    &slopcodebench::SlopCodeBench,
    &evocodebench::EvoCodeBench,
    &paperbench::PaperBench,
    // Logs that no tool can be recognised by.
    &RecordLog(&messages::Messages),
];

pub use unsupported_files::unsupported_file_hint;

/// Reads a rubric tree by itself, for a file beside a recording.
pub use paperbench::{
    PaperBench, read_tree as read_rubric_tree, trial_of_tree as trial_of_rubric_tree,
};

/// The notes of git-ai in a repository.
pub use git_ai::notes as git_ai_notes;

/// The members of an archive that is a log of Inspect.
pub use inspect::archive as inspect_archive;

/// The file names of SlopCodeBench, by which a run of it is recognised.
pub use slopcodebench::layout as slopcodebench_layout;

/// Returns the format that claims a file with this head.
pub fn format_for_head(head: &FileHead<'_>) -> Option<&'static dyn Format> {
    if is_binary(head.bytes) {
        return None;
    }
    head_json::with_shared_parse(head, || {
        FORMATS.iter().copied().find(|format| format.claims_file(head))
    })
}

/// Returns whether the first line that is not blank contains a NUL. An archive has lines of the logs in it, which would
/// look like a log. Later lines may contain NULs: a crash leaves some at the end of a log.
fn is_binary(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let end = memchr::memchr(b'\n', start).unwrap_or(start.len());
    memchr::memchr(0, &start[..end]).is_some()
}

/// Describes a file with this head that contains other files or rows, such as an archive or a database, and that no format
/// reads.
pub fn container_kind(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(usize, &[u8], &str); 6] = [
        (257, b"ustar", "a tar archive"),
        (0, b"PK\x03\x04", "a zip archive"),
        (0, b"\x1f\x8b", "compressed with gzip"),
        (0, b"BZh", "compressed with bzip2"),
        (0, b"\xfd7zXZ", "compressed with xz"),
        (0, b"SQLite format 3", "an SQLite database"),
    ];
    let starts =
        |at: usize, magic: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic));
    MAGIC.iter().find(|(at, magic, _)| starts(*at, magic)).map(|(_, _, what)| *what)
}

/// Returns the format of that name.
pub fn format_by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Returns whether a recording without an edit is one of a run that made none, as far as its format records edits. A run
/// with no more than one diff at its end, or without a log of the agent's work, may have made some.
pub fn records_all_edits(run: &trajview_run::Run) -> bool {
    let format = run.origin.sources.first().and_then(|source| format_by_name(source.format));
    let is_told = |edits| !matches!(edits, RecordedEdits::AtTheEnd | RecordedEdits::NotALog);
    let has_log = run.turns.iter().any(|turn| !turn.steps.is_empty());
    has_log && format.is_none_or(|it| is_told(it.capabilities().edits))
}

/// Returns the form on the disk of recordings of the format with that name.
pub fn shape_by_name(name: &str) -> Option<RecordingShape> {
    format_by_name(name).map(|format| format.capabilities().shape)
}

/// Returns the one format whose recordings have that form, where files alone do not identify it.
pub fn format_with_shape(shape: RecordingShape) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.capabilities().shape == shape)
}
