//! Tests of both dialects, with logs small enough to read, with recorded ones, and with broken ones.
//!
//! Recorded logs are not part of the repository: their tests run where `TRAJVIEW_REAL_DATA` names their folder.

mod broken;
mod real;
mod sessions;
mod streams;

use std::fmt::Write as _;

use crate::{FileHead, Format, SourceBytes};
use trajview_run::{Run, Step, StepText, Tokens, Turn};

/// Indexes one log.
pub fn index_log(format: &dyn Format, log: &str) -> Run {
    index_all(format, &[("run.jsonl", log.as_bytes())])
}

/// Indexes a log and its companions.
pub fn index_all(format: &dyn Format, files: &[(&str, &[u8])]) -> Run {
    let sources: Vec<SourceBytes<'_>> =
        files.iter().map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    format.index_run(&sources).unwrap()
}

pub fn head_of_file<'a>(name: &'a str, bytes: &'a [u8]) -> FileHead<'a> {
    let end = bytes.len().min(crate::HEAD_BYTES);
    FileHead { name, bytes: &bytes[..end], is_whole: end == bytes.len() }
}

/// Returns a step's words, with its result.
pub fn text_with_result(format: &dyn Format, log: &str, step: &Step) -> StepText {
    let mut words = format.step_text(step.place.bytes_in(log.as_bytes()), step);
    words.result = step
        .tool_result()
        .map(|result| format.result_text(result.place.bytes_in(log.as_bytes()), result));
    words
}

/// Returns a run on a page: what a person would check first.
pub fn run_summary(run: &Run) -> String {
    let mut page = String::new();
    let model = run.model.as_deref().unwrap_or("-");
    let version = run.agent.version.as_deref().unwrap_or("-");
    let root = run.origin.root.as_deref().unwrap_or("-");
    let _ = writeln!(page, "{} {version} {model} in {root}: {}", run.agent.name, run.title);
    for (number, turn) in (1..).zip(&run.turns) {
        page.push_str(&turn_headline(number, turn));
        page.push_str(&steps_text(&turn.steps, 1));
    }
    for (number, agent) in run.subagents.iter().enumerate() {
        let tokens = tokens_text(agent.tokens);
        let _ = writeln!(page, "agent {number} ({}): {}{tokens}", agent.name, agent.title);
        page.push_str(&steps_text(&agent.steps, 1));
    }
    for warning in &run.warnings {
        let _ = writeln!(page, "warning {}: {}", warning.place, warning.what);
    }
    page
}

fn turn_headline(number: usize, turn: &Turn) -> String {
    let title = if turn.request.is_some() { &turn.title } else { "(no request)" };
    let cost = turn.cost_usd.map(|cost| format!(" ${cost:.4}")).unwrap_or_default();
    format!("turn {number}: {title}{}{cost}\n", tokens_text(turn.tokens))
}

fn tokens_text(tokens: Tokens) -> String {
    if !tokens.is_recorded() {
        return String::new();
    }
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    format!(
        " [in {} ({} cached), out {}]",
        count(tokens.input),
        count(tokens.cached_input),
        count(tokens.output)
    )
}

fn steps_text(steps: &[Step], depth: usize) -> String {
    let mut page = String::new();
    for step in steps {
        let indent = "  ".repeat(depth);
        let tool = step.tool.as_ref().map(|tool| format!(" {}", tool.name)).unwrap_or_default();
        let error = if step.is_error { " ERROR" } else { "" };
        let agent = step.subagent.map(|agent| format!(" -> agent {agent}")).unwrap_or_default();
        let result = step.tool_result().map_or(String::new(), |result| {
            let exit = result.outcome_text().map(|words| format!(", {words}")).unwrap_or_default();
            let is_told = result.exit_code.is_some() && result.is_error;
            let failed = if is_told { ", failed" } else { "" };
            format!(" = {} bytes{exit}{failed}", result.bytes)
        });
        let (kind, role) = (step.kind.word(), step.role.word());
        let tokens = tokens_text(step.tokens);
        let _ = writeln!(
            page,
            "{indent}{role} {kind}{error}{tool}: {}{result}{agent}{tokens}",
            step.label
        );
        for edit in &step.edits {
            let count =
                |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
            let from = edit.from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
            let _ = writeln!(
                page,
                "{indent}  {} {}{from} +{} -{}",
                edit.kind.word(),
                edit.path,
                count(edit.added),
                count(edit.removed)
            );
        }
    }
    page
}
