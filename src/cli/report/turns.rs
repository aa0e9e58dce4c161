//! The turns of a run with their steps and diffs, from what `show` and `diff` read.

use std::path::Path;

use crate::{
    cli::{
        json::{EditRow, StepRow, Teller, TurnRow},
        output::dash,
    },
    code::{
        diff::{LineKind, TextDiff},
        redact,
    },
    metrics::cost::RunCost,
    run::{
        Run, Turn,
        files::{Change, FileDiff, Timeline},
    },
    store::Archive,
};

use super::material::{FilePart, StepPart, TurnPart};

/// A run with its files, ready to be put into a report.
pub struct Telling<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
    pub timeline: &'a Timeline,
    pub path: &'a Path,
    pub cost: &'a RunCost,
}

/// Lines around a change, as git has it.
const CONTEXT: usize = 3;

impl Telling<'_> {
    pub fn turns(&self) -> Vec<TurnPart> {
        (0..self.run.turns.len()).map(|turn| self.turn(turn)).collect()
    }

    fn turn(&self, index: usize) -> TurnPart {
        let (run, archive, timeline) = (self.run, self.archive, self.timeline);
        let teller = Teller { run, archive, timeline, path: self.path, cost: self.cost };
        let shown = teller.show_turn(index);
        let (row, found) = (&shown.turn, &run.turns[index]);
        let mut steps = vec![];
        put_in_order(&shown.steps, 0, &mut steps);
        TurnPart {
            turn: row.turn,
            checkpoint: row.checkpoint.clone(),
            title: row
                .request
                .as_deref()
                .map(|it| crate::run::label(it).into())
                .unwrap_or_default(),
            request: row.request.clone(),
            added: row.request_added.clone(),
            facts: facts_of(row),
            state: state_of(found, row),
            steps,
            files: self.files(index, &row.edits),
        }
    }

    /// The files that the turn changed in the workspace; `rows` has them first, in the same order.
    fn files(&self, turn: usize, rows: &[EditRow]) -> Vec<FilePart> {
        let changes = self.timeline.turns.get(turn).map_or(&[][..], |files| &files.changes);
        let changed = changes.iter().zip(rows).map(|(change, row)| self.file(change, row));
        let elsewhere = rows.iter().skip(changes.len()).map(|row| FilePart {
            missing: Some("outside the workspace: its content is not followed".to_owned()),
            ..named(row)
        });
        changed.chain(elsewhere).collect()
    }

    fn file(&self, change: &Change, row: &EditRow) -> FilePart {
        let (patch, missing) = match &self.archive.diff(self.run, change, CONTEXT) {
            FileDiff::Text { diff, .. } | FileDiff::Hunks(diff) => checked(patch(diff)),
            FileDiff::Binary { .. } => (None, Some(redact::BINARY.to_owned())),
            FileDiff::TooBig { .. } => {
                (None, Some("too big to be compared line by line".to_owned()))
            }
            FileDiff::NotRecorded(why) => (None, Some(why.clone())),
        };
        FilePart { patch, missing, ..named(row) }
    }
}

fn named(row: &EditRow) -> FilePart {
    FilePart {
        path: row.path.clone(),
        from: row.from.clone(),
        change: row.kind.to_owned(),
        added: row.added,
        removed: row.removed,
        origin: row.origin.to_owned(),
        ..FilePart::default()
    }
}

/// Bytes that are no text were replaced before: what they were cannot be checked.
fn checked(patch: String) -> (Option<String>, Option<String>) {
    match patch.contains(char::REPLACEMENT_CHARACTER) {
        true => (None, Some(redact::NOT_TEXT.to_owned())),
        false => (Some(patch), None),
    }
}

/// In unified form, without the head of a file.
fn patch(diff: &TextDiff) -> String {
    let mut text = String::new();
    for hunk in &diff.hunks {
        text.push_str(&format!(
            "@@ -{},{} +{},{} @@\n",
            hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len
        ));
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            text.push_str(&line.text);
            text.push('\n');
        }
    }
    text
}

/// The steps in the order of their numbers, a sub-agent's below the one that started it.
fn put_in_order(steps: &[StepRow], depth: usize, all: &mut Vec<StepPart>) {
    for step in steps {
        all.push(part(step, depth));
        if let Some(agent) = &step.subagent {
            put_in_order(&agent.steps, depth + 1, all);
        }
    }
}

fn part(step: &StepRow, depth: usize) -> StepPart {
    let edit = |edit: &EditRow| {
        let from = edit.from.as_ref().map(|from| format!("{from} → ")).unwrap_or_default();
        format!("{} {from}{}", edit.kind, edit.path)
    };
    StepPart {
        step: step.step,
        depth,
        what: step.tool.as_ref().map_or(step.kind, |tool| tool.name.as_str()).to_owned(),
        label: step.label.clone(),
        is_error: step.is_error,
        text: step.text.clone(),
        call: step.tool.as_ref().and_then(|tool| tool.arguments.clone()),
        outcome: step.result.as_ref().and_then(|result| result.outcome.clone()),
        result: step.result.as_ref().map(|result| result.text.clone()),
        edits: step.edits.iter().map(edit).collect(),
    }
}

fn facts_of(row: &TurnRow) -> Vec<(String, String)> {
    let tokens = &row.tokens;
    let has_tokens = tokens.input.or(tokens.output).is_some();
    let facts = [
        ("started", row.times.started_at.map(|time| time.to_string())),
        ("commit", row.commit.clone()),
        ("layer", row.layer.clone()),
        ("steps", Some((row.work.step_count + row.work.subagent_steps).to_string())),
        ("tool calls", Some(row.work.tool_calls.to_string())),
        ("failed", Some(row.work.errors.to_string()).filter(|_| row.work.errors > 0)),
        (
            "tokens",
            has_tokens.then(|| format!("in {} out {}", dash(tokens.input), dash(tokens.output))),
        ),
        ("cost, recorded", row.cost.cost_usd.map(|cost| format!("{cost:.4} USD"))),
        ("cost, computed", row.cost.computed.cell.clone().map(|cost| format!("{cost} USD"))),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}

fn state_of(turn: &Turn, row: &TurnRow) -> Vec<String> {
    let record = &row.record;
    let lists = [
        ("not allowed", &record.denied),
        ("reported", &record.troubles),
        ("written outside the workspace", &record.outside),
        ("not in the commit", &record.not_recorded),
    ];
    let listed =
        lists.iter().flat_map(|(what, list)| list.iter().map(move |it| format!("{what}: {it}")));
    turn.state_sentence().into_iter().chain(listed).collect()
}

/// Where the run comes from, as recorded.
pub fn facts(run: &Run, timeline: &Timeline) -> Vec<(String, String)> {
    let agent = Some(&run.agent.name).filter(|name| !name.is_empty()).map(|name| {
        run.agent.version.as_ref().map_or(name.clone(), |version| format!("{name} {version}"))
    });
    let commits: Vec<&str> = run.turns.iter().filter_map(|turn| turn.commit.as_deref()).collect();
    let commits = match commits.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [first, .., last] => Some(format!("{first} to {last}")),
    };
    let task = run.task.as_ref().map(|task| match &task.title {
        Some(title) => format!("{}: {title}", task.id),
        None => task.id.clone(),
    });
    let sources = run.origin.sources.iter().map(|source| source.name.as_str());
    let facts = [
        ("title", Some(run.title.clone()).filter(|title| !title.is_empty())),
        ("task", task),
        ("condition", run.condition.clone()),
        ("agent", agent),
        ("model", run.model.clone()),
        ("recorded as", Some(run.origin.format.to_owned())),
        ("harness", run.origin.harness.clone()),
        ("provenance", run.origin.provenance.clone()),
        ("folder", run.origin.root.clone()),
        ("branch", run.origin.branch.clone()),
        ("started", run.started_at.map(|time| time.to_string())),
        ("ended", run.ended_at.map(|time| time.to_string())),
        ("commits", commits),
        ("files from", Some(timeline.from.words().to_owned())),
        ("read from", Some(sources.collect::<Vec<_>>().join(", "))),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let remarks = run.origin.record.remarks.iter();
    known.chain(remarks.map(|remark| ("remark".to_owned(), remark.clone()))).collect()
}
