//! What reading a rollout promises.

use std::fmt::Write;

use super::CodexRollout;
use crate::{Format, Growing, Head, OneHand, Source, jsonl::Input};
use trajview_run::{EditKind, Run, SourceId, Step, Tokens};

mod real;
mod small;

pub(super) fn index(log: &str) -> Run {
    let sources = [Source { name: "rollout.jsonl", bytes: log.as_bytes() }];
    let run = CodexRollout.index(&sources).unwrap();
    assert_eq!(read_once(&sources).0.as_ref(), Some(&run));
    run
}

/// The run as it is read where each log is taken once, and whether that had to be done again.
pub(super) fn read_once(sources: &[Source<'_>]) -> (Option<Run>, bool) {
    let mut growing = CodexRollout.growing().unwrap();
    growing.is_all();
    let take = |growing: &mut dyn Growing| {
        for (id, source) in (0..).map(SourceId).zip(sources) {
            growing.take(id, source.name, Input::whole(source.bytes), &OneHand);
        }
    };
    take(&mut *growing);
    let is_read_again = growing.is_read_again();
    if is_read_again {
        take(&mut *growing);
    }
    (growing.finish(sources, &mut |_| {}).ok(), is_read_again)
}

pub(super) fn head<'a>(name: &'a str, log: &'a str) -> Head<'a> {
    let bytes = &log.as_bytes()[..log.len().min(crate::HEAD_BYTES)];
    Head { name, bytes, is_whole: bytes.len() == log.len() }
}

fn tokens(tokens: Tokens) -> String {
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

fn step(out: &mut String, indent: &str, step: &Step) {
    let _ = write!(out, "{indent}{}", step.kind.word());
    if let Some(tool) = &step.tool {
        let _ = write!(out, " {}", tool.name);
    }
    if step.role != trajview_run::Role::Assistant {
        let _ = write!(out, " ({})", step.role.word());
    }
    let _ = write!(out, ": {}", step.label);
    if let Some(result) = step.result() {
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
    let _ = writeln!(out, "{}", tokens(step.tokens));
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

/// A run as a page of text.
pub(super) fn told(run: &Run) -> String {
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
        let _ = writeln!(out, "turn {}: {}{line}{}", index + 1, turn.title, tokens(turn.tokens));
        for found in &turn.steps {
            step(&mut out, "  ", found);
        }
    }
    for (index, agent) in run.subagents.iter().enumerate() {
        let _ =
            writeln!(out, "agent {index} {}: {}{}", agent.name, agent.title, tokens(agent.tokens));
        for found in &agent.steps {
            step(&mut out, "  ", found);
        }
    }
    for warning in &run.warnings {
        let _ = writeln!(out, "warning {}: {}", warning.place, warning.what);
    }
    out
}
