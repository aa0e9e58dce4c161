//! Tests of reading a rollout.

use std::fmt::Write;

use super::CodexRollout;
use crate::{
    FileHead, Format, IncrementalReader, SequentialExecutor, SourceBytes, jsonl::LogInput,
};
use trajview_run::{EditKind, Run, SourceId, Step, Tokens};

mod real;
mod small;

pub(super) fn index_log(log: &str) -> Run {
    let sources = [SourceBytes { name: "rollout.jsonl", bytes: log.as_bytes() }];
    let run = CodexRollout.index_run(&sources).unwrap();
    assert_eq!(read_once(&sources).0.as_ref(), Some(&run));
    run
}

/// Returns the run as it is read where each log is taken once, and whether that had to be done again.
pub(super) fn read_once(sources: &[SourceBytes<'_>]) -> (Option<Run>, bool) {
    let mut growing = CodexRollout.incremental_reader().unwrap();
    growing.expect_whole_logs();
    let take = |growing: &mut dyn IncrementalReader| {
        for (id, source) in (0..).map(SourceId).zip(sources) {
            growing.take_lines(
                id,
                source.name,
                LogInput::whole_file(source.bytes),
                &SequentialExecutor,
            );
        }
    };
    take(&mut *growing);
    let is_read_again = growing.needs_second_read();
    if is_read_again {
        take(&mut *growing);
    }
    (growing.finish_run(sources, &mut |_| {}).ok(), is_read_again)
}

pub(super) fn head_of_log<'a>(name: &'a str, log: &'a str) -> FileHead<'a> {
    let bytes = &log.as_bytes()[..log.len().min(crate::HEAD_BYTES)];
    FileHead { name, bytes, is_whole: bytes.len() == log.len() }
}

fn tokens_text(tokens: Tokens) -> String {
    let mut text = String::new();
    let parts = [
        ("in", tokens.input),
        ("cached", tokens.cached_input),
        ("out", tokens.output),
        ("reasoning", tokens.reasoning),
    ];
    for (name, count) in parts {
        if let Some(count) = count {
            let _ = write!(text, " {name} {count}");
        }
    }
    if text.is_empty() { text } else { format!("  [{}]", text.trim()) }
}

fn write_step(out: &mut String, indent: &str, step: &Step) {
    let _ = write!(out, "{indent}{}", step.kind.word());
    if let Some(tool) = &step.tool {
        let _ = write!(out, " {}", tool.name);
    }
    if step.role != trajview_run::Role::Assistant {
        let _ = write!(out, " ({})", step.role.word());
    }
    let _ = write!(out, ": {}", step.label);
    if let Some(result) = step.tool_result() {
        let exit = result.exit_code.map(|code| format!(" exit {code}")).unwrap_or_default();
        let error = if result.is_error { " error" } else { "" };
        let _ = write!(out, " -> line {}, {} bytes{exit}{error}", result.place.line, result.bytes);
    }
    if step.is_error {
        out.push_str(" (error)");
    }
    if let Some(agent) = step.subagent {
        let _ = write!(out, " => agent {agent}");
    }
    let _ = writeln!(out, "{}", tokens_text(step.tokens));
    for edit in &step.edits {
        let kind = match edit.kind {
            EditKind::Create => "A",
            EditKind::Modify => "M",
            EditKind::Delete => "D",
            EditKind::Rename => "R",
        };
        let from = edit.from.as_ref().map(|from| format!("{from} -> ")).unwrap_or_default();
        let count = |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
        let _ = writeln!(
            out,
            "{indent}  {kind} {from}{} +{} -{} @{}.{}",
            edit.path,
            count(edit.added),
            count(edit.removed),
            edit.place.line,
            edit.place.part
        );
    }
}

/// Returns a run as a page of text.
pub(super) fn run_text(run: &Run) -> String {
    let mut out = String::new();
    let version = run.agent.version.as_deref().unwrap_or("?");
    let _ = writeln!(
        out,
        "{} | {} {version} | {}",
        run.title,
        run.agent.name,
        run.model.as_deref().unwrap_or("?")
    );
    for (index, turn) in run.turns.iter().enumerate() {
        let line = turn.request.map(|place| format!(" @{}", place.line)).unwrap_or_default();
        let _ =
            writeln!(out, "turn {}: {}{line}{}", index + 1, turn.title, tokens_text(turn.tokens));
        for found in &turn.steps {
            write_step(&mut out, "  ", found);
        }
    }
    for (index, agent) in run.subagents.iter().enumerate() {
        let _ = writeln!(
            out,
            "agent {index} {}: {}{}",
            agent.name,
            agent.title,
            tokens_text(agent.tokens)
        );
        for found in &agent.steps {
            write_step(&mut out, "  ", found);
        }
    }
    for warning in &run.warnings {
        let _ = writeln!(out, "warning {}: {}", warning.place, warning.what);
    }
    out
}
