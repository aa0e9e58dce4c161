//! The turns of a run with their steps and diffs, from what `show` and `diff` read.

use std::path::Path;

use crate::cli::{
    output::cell_or_dash,
    show_json::{EditRow, ShowBuilder, ShowStepRow, ShowTurnRow, edit_row},
};
use trajview_code::{diff::TextDiff, redact};
use trajview_metrics::cost::RunCost;
use trajview_run::{
    Run, Turn,
    files::{FileChange, FileDiff, Timeline},
    format_number,
};
use trajview_store::Archive;

use super::{
    budget::{self, PageBudget},
    report_builder::command_line_text,
    report_data::{FilePart, LeftOutPart, StepPart, TurnPart},
};

/// A run with its files, ready to be put into a report.
pub struct TurnPartBuilder<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
    pub timeline: &'a Timeline,
    pub path: &'a Path,
    pub cost: &'a RunCost,
}

/// Lines around a change, as git has it.
const CONTEXT: usize = 3;

impl TurnPartBuilder<'_> {
    /// Makes as many turns as the budget allows, and a list of what is left out of the run.
    pub(crate) fn turn_parts(&self, budget: &mut PageBudget) -> (Vec<TurnPart>, Vec<LeftOutPart>) {
        let all = self.run.turns.len();
        let shown = all.min(budget::MOST_TURNS);
        let turns = (0..shown).map(|turn| self.turn_part(turn, budget)).collect();
        let left_out = (shown < all).then(|| {
            self.left_out_part("turns", (all - shown, all), &["show".to_owned(), self.path_text()])
        });
        (turns, left_out.into_iter().collect())
    }

    fn path_text(&self) -> String {
        self.path.display().to_string()
    }

    fn left_out_part(
        &self,
        what: &str,
        (count, all): (usize, usize),
        words: &[String],
    ) -> LeftOutPart {
        let (count, all) = (
            format_number::with_thousands(count as u64),
            format_number::with_thousands(all as u64),
        );
        LeftOutPart {
            what: format!("{count} of {all} {what} are left out"),
            command: command_line_text(words),
        }
    }

    fn row_builder(&self) -> ShowBuilder<'_> {
        let Self { run, archive, timeline, path, cost } = *self;
        ShowBuilder { run, archive, timeline, path, cost }
    }

    fn turn_part(&self, index: usize, budget: &mut PageBudget) -> TurnPart {
        let row = self.row_builder().turn_row_without_edits(index);
        let title: String = row
            .request
            .as_deref()
            .map(|it| trajview_run::first_line_label(it).into())
            .unwrap_or_default();
        let head = [&title, &title].into_iter().chain(&row.request).chain(&row.request_added);
        budget.spend_bytes_of_turn(head.map(String::as_str));
        let recorded_count = row.step_count + row.subagent_steps;
        let (steps, step_count) = self.step_parts(index, recorded_count, budget);
        let (files, file_count) = self.file_parts(index, budget);
        let number = (index + 1).to_string();
        let mut left_out = vec![];
        if steps.len() < step_count {
            let words = ["show", &self.path_text(), "--turn", &number].map(str::to_owned);
            left_out.push(self.left_out_part(
                "steps",
                (step_count - steps.len(), step_count),
                &words,
            ));
        }
        if files.len() < file_count {
            let words = ["diff", &self.path_text(), "--turn", &number].map(str::to_owned);
            left_out.push(self.left_out_part(
                "files",
                (file_count - files.len(), file_count),
                &words,
            ));
        }
        TurnPart {
            turn: row.turn,
            checkpoint: row.checkpoint.clone(),
            title,
            facts: turn_facts(&row),
            state: turn_states(&self.run.turns[index], &row),
            request: row.request,
            added: row.request_added,
            steps,
            files,
            file_count,
            left_out,
        }
    }

    /// Makes the steps that the budget allows, and returns the number of all; that is `recorded_count` where no step is read.
    fn step_parts(
        &self,
        turn: usize,
        recorded_count: usize,
        budget: &mut PageBudget,
    ) -> (Vec<StepPart>, usize) {
        let mut steps = vec![];
        if budget.is_used_up() {
            return (steps, recorded_count);
        }
        add_in_order(&self.row_builder().step_rows(turn), 0, &mut steps);
        let mut is_kept = |step: &StepPart| {
            let goes_on = !budget.is_used_up();
            if goes_on {
                let texts = [Some(&step.text), step.call.as_ref(), step.result.as_ref()];
                let texts = texts.into_iter().flatten().chain(&step.edits).chain([&step.label]);
                budget.spend_bytes_of_step(texts.map(String::as_str));
            }
            goes_on
        };
        let (kept_count, all) =
            (steps.iter().take_while(|step| is_kept(step)).count(), steps.len());
        steps.truncate(kept_count);
        (steps, all)
    }

    /// Returns the files that the turn changed, those of the workspace first; and how many there are.
    fn file_parts(&self, turn: usize, budget: &mut PageBudget) -> (Vec<FilePart>, usize) {
        let teller = self.row_builder();
        let changes = self.timeline.turns.get(turn).map_or(&[][..], |files| &files.changes);
        let elsewhere = teller.edits_outside_workspace(turn);
        let mut files: Vec<FilePart> = vec![];
        for number in 1..=changes.len() + elsewhere.len() {
            if !budget.shows_file(turn + 1, number, files.len()) {
                continue;
            }
            let file = match changes.get(number - 1) {
                Some(change) => self.file_part(change, &teller.change_row(change)),
                None => FilePart {
                    missing: Some("outside the workspace: its content is not followed".to_owned()),
                    ..file_part_of_row(&edit_row(elsewhere[number - 1 - changes.len()]))
                },
            };
            budget.spend_bytes_of_file(&file.path, file.patch.as_deref());
            files.push(FilePart { number, ..file });
        }
        (files, changes.len() + elsewhere.len())
    }

    fn file_part(&self, change: &FileChange, row: &EditRow) -> FilePart {
        let (patch, missing) = match &self.archive.file_diff(self.run, change, CONTEXT) {
            FileDiff::Text { diff, .. } | FileDiff::Hunks(diff) | FileDiff::Part(diff) => {
                text_patch(unified_text(diff))
            }
            FileDiff::Binary { .. } => (None, Some(redact::BINARY.to_owned())),
            FileDiff::TooBig { .. } => {
                (None, Some("too big to be compared line by line".to_owned()))
            }
            FileDiff::NotRecorded(why) => (None, Some(why.clone())),
        };
        FilePart { patch, missing, ..file_part_of_row(row) }
    }
}

fn file_part_of_row(row: &EditRow) -> FilePart {
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

/// Returns a patch, or why it is not shown: bytes that are no text were replaced before, and what they were cannot be
/// checked.
fn text_patch(patch: String) -> (Option<String>, Option<String>) {
    match patch.contains(char::REPLACEMENT_CHARACTER) {
        true => (None, Some(redact::NOT_TEXT.to_owned())),
        false => (Some(patch), None),
    }
}

/// Writes the unified diff without the head of a file.
fn unified_text(diff: &TextDiff) -> String {
    let mut text = String::new();
    diff.hunks.iter().for_each(|hunk| hunk.write(&mut text));
    text
}

/// Adds the steps in the order of their numbers, a sub-agent's below the one that started it.
fn add_in_order(steps: &[ShowStepRow], depth: usize, all: &mut Vec<StepPart>) {
    for step in steps {
        all.push(step_part(step, depth));
        if let Some(agent) = &step.subagent {
            add_in_order(&agent.steps, depth + 1, all);
        }
    }
}

fn step_part(step: &ShowStepRow, depth: usize) -> StepPart {
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

fn turn_facts(row: &ShowTurnRow) -> Vec<(String, String)> {
    let tokens = &row.tokens;
    let has_tokens = tokens.input.or(tokens.output).is_some();
    let facts = [
        ("started", row.started_at.map(|time| time.to_string())),
        ("commit", row.commit.clone()),
        ("layer", row.layer.clone()),
        ("steps", Some((row.step_count + row.subagent_steps).to_string())),
        ("tool calls", Some(row.tool_calls.to_string())),
        ("failed", Some(row.errors.to_string()).filter(|_| row.errors > 0)),
        (
            "tokens",
            has_tokens.then(|| {
                format!("in {} out {}", cell_or_dash(tokens.input), cell_or_dash(tokens.output))
            }),
        ),
        ("cost, recorded", row.cost_usd.map(|cost| format!("{cost:.4} USD"))),
        ("cost, computed", row.computed.cell.clone().map(|cost| format!("{cost} USD"))),
    ];
    let known_facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known_facts.collect()
}

fn turn_states(turn: &Turn, row: &ShowTurnRow) -> Vec<String> {
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

/// Lists the recorded origin of the run.
pub fn run_facts(run: &Run, timeline: &Timeline) -> Vec<(String, String)> {
    let agent = Some(&run.agent.name).filter(|name| !name.is_empty()).map(|name| {
        run.agent.version.as_ref().map_or(name.clone(), |version| format!("{name} {version}"))
    });
    let commits: Vec<&str> = run.turns.iter().filter_map(|turn| turn.commit.as_deref()).collect();
    let commits = match commits.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [first, .., last] => Some(format!("{first} to {last}")),
    };
    let title = run.task.as_ref().and_then(|task| task.title.as_ref());
    let task = run.task_key().map(|key| match title.filter(|title| **title != key) {
        Some(title) => format!("{key}: {title}"),
        None => key,
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
        ("files from", Some(timeline.from.display_text().to_owned())),
        ("read from", Some(sources.collect::<Vec<_>>().join(", "))),
    ];
    let known_facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let trial = run.trial.iter().flat_map(|trial| trial.named_facts());
    let trial = trial.map(|(name, text)| (name.to_owned(), text));
    let remarks = run.origin.record.remarks.iter();
    let known_facts = known_facts.chain(trial);
    known_facts.chain(remarks.map(|remark| ("remark".to_owned(), remark.clone()))).collect()
}
