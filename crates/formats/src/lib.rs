//! How the tools out there write runs down: one folder each.
//!
//! A [`Format`] claims a recording by its first bytes, says what recordings of it can tell ([`Offers`]), indexes one into a
//! [`Run`](trajview_run::Run) without keeping its text, and reads single records again when they are shown. Nothing outside asks for
//! its name. Most formats are a list of records that each say what they say by themselves: those implement `records::Records`,
//! and the rest is done there. To teach the program a new one, write `crates/formats/src/<name>/mod.rs`, put a small sample below `sample-runs/`
//! and add a word to each of the two lists below: `trajview formats`, the README table and the golden tests follow.
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
mod columns;
pub mod companions;
mod continue_dev;
mod contract;
mod copilot;
mod copilot_chat;
pub mod csv;
mod cursor;
mod droid;
mod dsh;
mod gemini;
mod gemini_stream;
mod git_ai;
pub mod goose;
mod grok;
mod iflow;
mod inspect;
mod json;
pub mod jsonl;
mod kimi;
mod kiro;
mod messages;
mod mini_swe_agent;
mod nested;
pub mod not_finite;
mod object;
mod opencode;
mod openhands;
mod openhands_v1;
mod otel;
mod paperbench;
mod peek;
mod pi;
mod qwen;
mod records;
mod refused;
pub mod rigorbench;
pub mod rubric;
mod slopcodebench;
mod specstory;
pub mod spelling;
mod swe_agent;
mod tape;
mod unknown;
mod wrapped;

pub use columns::Columns;
pub use contract::{
    EditsTold, Executor, Format, Growing, HEAD_BYTES, Head, NotUnderstood, Offers, OneHand,
    Preparation, Rows, Shape, Source,
};

pub use contract::Backwards;

/// Every format we read, in the order in which they may claim a file.
pub const FORMATS: &[&dyn Format] = &[
    &bundle::Bundle,
    // Before those whose envelopes they share.
    &qwen::Qwen,
    &grok::Grok,
    &iflow::Iflow,
    &claude_session::ClaudeSession,
    &claude_stream::ClaudeStream,
    &codex_rollout::CodexRollout,
    &codex_exec::CodexExec,
    &gemini::Gemini,
    &gemini_stream::GeminiStream,
    &opencode::OpenCode,
    &copilot::Copilot,
    &copilot_chat::CopilotChat,
    &cursor::Cursor,
    &dsh::Dsh,
    &pi::Pi,
    &amp::Amp,
    &droid::Droid,
    &kimi::Kimi,
    &antigravity::Antigravity,
    &cline::Cline,
    &goose::Goose,
    &continue_dev::Continue,
    &kiro::Kiro,
    &claude_web::ClaudeWeb,
    &aider::Aider,
    &specstory::SpecStory,
    &git_ai::GitAi,
    &atif::Atif,
    &swe_agent::SweAgent,
    &mini_swe_agent::MiniSweAgent,
    &openhands::OpenHands,
    &openhands_v1::OpenHandsV1,
    &inspect::Inspect,
    &rigorbench::RigorBench,
    &otel::Otel,
    &slopcodebench::SlopCodeBench,
    &paperbench::PaperBench,
    // Whatever no tool can be told by.
    &messages::Messages,
];

pub use refused::what_it_is;

/// A rubric tree by itself, for one that lies beside a recording.
pub use paperbench::{PaperBench, read as read_rubric_tree};

/// How SlopCodeBench names its files: a run of it is told by them.
pub use slopcodebench::layout as slopcodebench_layout;

/// The format that claims a file which starts like this.
pub fn claim(head: &Head<'_>) -> Option<&'static dyn Format> {
    if is_binary(head.bytes) {
        return None;
    }
    FORMATS.iter().copied().find(|format| format.claims(head))
}

/// Whether the first line that is not blank holds a NUL. An archive has lines of the logs in it, which would be taken
/// for its own. Later lines may hold NULs: a crash leaves some at the end of a log.
fn is_binary(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let end = memchr::memchr(b'\n', start).unwrap_or(start.len());
    memchr::memchr(0, &start[..end]).is_some()
}

/// What a file is that starts like this, where it holds other files or rows and no format reads it.
pub fn container(bytes: &[u8]) -> Option<&'static str> {
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

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Whether a recording without an edit is one of a run that, as far as its format records edits, made none. Where there is one
/// diff at the end at most, or no log of what the agent did, it may have made some.
pub fn tells_edits(run: &trajview_run::Run) -> bool {
    let format = run.origin.sources.first().and_then(|source| by_name(source.format));
    let is_told = |edits| !matches!(edits, EditsTold::AtTheEnd | EditsTold::Nowhere);
    let has_log = run.turns.iter().any(|turn| !turn.steps.is_empty());
    has_log && format.is_none_or(|it| is_told(it.offers().edits))
}

/// How recordings of the format of that name lie on the disk.
pub fn shape_of(name: &str) -> Option<Shape> {
    by_name(name).map(|format| format.offers().shape)
}

/// The one format whose recordings lie in that shape, where files alone do not tell it.
pub fn of_shape(shape: Shape) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.offers().shape == shape)
}
