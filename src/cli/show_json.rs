//! The JSON of `show`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;

use trajview_formats as formats;
use trajview_metrics::{
    Number,
    cost::{CostSum, RunCost},
    faithfulness::Faithfulness,
    numbers::NumberStyle,
    rubric_tree::TreeSummary,
};
use trajview_run::{
    Edit, Run, Step, StepId, StepText, Time, Tokens, TrialResult, TurnRecord, Warning,
    files::{FileChange, Timeline},
    rubric::{Judgement, PooledSources, Rubric},
    step_pace::{self, StepPace},
};
use trajview_store::Archive;
use trajview_study::compare::turns_done_at_judgement;

use super::{
    corrected_fields::{corrected_fields, corrected_text},
    cost::{computed_cell, computed_text, cost_record},
    harness_records,
    output::{Json, record},
};

#[derive(Serialize)]
pub struct ShowDocument {
    pub schema: &'static str,
    pub run: Json,
    /// The harness' result of the run. Null where none is recorded.
    pub trial: Option<Box<TrialResult>>,
    pub turns: Vec<ShowTurnRow>,
    /// Totals over the turns that count.
    pub totals: Json,
    /// Tests that a harness recorded. Null if none ran tests.
    pub tests: Option<Json>,
    /// Summary of the tree that graded the run. Null if there is none. `score` prints more.
    pub rubric_tree: Option<TreeSummary>,
    /// Faithfulness by a judge's component scores. `score` prints more.
    pub faithfulness: Json,
    /// Facts that a harness recorded beside the logs. Null if there were none.
    pub recorded: Option<Json>,
    /// Process pillars and signals; present only on request.
    #[serde(flatten)]
    pub process: Option<Json>,
    pub warnings: Vec<Warning>,
}

/// Makes the record of the result of a judge's component scores: of the chosen judgement, if there is one.
pub(crate) fn faithfulness_record(run: &Run, rubric: &Rubric, chosen: Option<&Judgement>) -> Json {
    let scores = chosen.map(|it| Faithfulness::from_judgement(it, rubric.checklist.as_ref()));
    let scores = scores.as_ref();
    let mcf = scores.and_then(Faithfulness::mcf);
    let partial = rubric.partial_coverages();
    let why = match chosen {
        Some(_) => "the judge gave no component a score on 0..4".to_owned(),
        None if partial.is_empty() => "no judgements of this run".to_owned(),
        None => format!(
            "incomplete judgement, not used: {}; choose one with --judge",
            partial.join("; ")
        ),
    };
    record! {
        // Mean component fidelity, 0 to 4. Null if there is none.
        mcf: mcf,
        // The mean with blockers taken into account. Null if the checklist has none.
        mcf_capped: scores.and_then(|it| Some(it.capped.as_ref()?.mcf)),
        ..corrected_fields(rubric, chosen),
        // Components with a score, and all of the checklist; null without a judgement.
        judged: scores.map(|it| it.judged),
        components: scores.map(|it| it.components),
        // Levels given without a look at the code, which no mean includes, and levels above 0 without a quote that the code has.
        unlooked: scores.map(|it| it.unlooked.len()),
        unsupported: scores.map(|it| it.unsupported.len()),
        // The judge; null without a judgement.
        judge: chosen.map(|it| &it.judge.name),
        // Its file, and the state that was judged in turns done.
        judgement: chosen.map(|it| &it.file),
        turn: chosen.map(|it| turns_done_at_judgement(run, it)),
        // `mean of 3: gpt, opus, human`. Null if it is one judgement.
        pooled: chosen.and_then(|it| it.pooled.as_ref().map(PooledSources::summary_text)),
        // The reason why there is no mean. Null if there is one.
        not_defined: mcf.is_none().then_some(why),
    }
}

/// Returns `MCF 3.125 of 24 components, judged by authors-reading at turn 56`, with the corrected mean where labels allow
/// one.
pub(crate) fn fidelity_line(row: &Json) -> String {
    let Some(mcf) = row.number("mcf") else {
        return format!("MCF -: {}", row.cell("not_defined"));
    };
    let written = |number: Number, value: f64| number.format_value(value, NumberStyle::Full);
    let capped = row.number("mcf_capped").map(|it| written(Number::McfCapped, it));
    let capped = capped.map(|it| format!(" (with blockers {it})")).unwrap_or_default();
    let (judged, all) = (row.cell("judged"), row.cell("components"));
    let count_text = if judged == all { judged } else { format!("{judged} of {all}") };
    let doubts = ["unlooked", "unsupported"].map(|what| match row.count(what) {
        0 => String::new(),
        count => format!(", {count} {what}"),
    });
    let by = row.text("pooled").or(row.text("judge")).unwrap_or_default();
    let corrected = row.number("corrected_mcf").map(|it| written(Number::Mcf, it));
    let corrected = corrected.zip(corrected_text(row));
    let corrected = corrected.map(|(value, text)| format!("; corrected {value} {text}"));
    format!(
        "MCF {}{capped} of {count_text} components{}, judged by {by} at turn {}{}",
        written(Number::Mcf, mcf),
        doubts.concat(),
        row.cell("turn"),
        corrected.unwrap_or_default()
    )
}

#[derive(Serialize)]
pub struct ShowTurnDocument {
    pub schema: &'static str,
    pub run: Json,
    #[serde(flatten)]
    pub turn: ShowTurnRow,
    pub steps: Vec<ShowStepRow>,
    /// Signals that begin in the turn; present only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<Json>>,
    pub warnings: Vec<Warning>,
}

#[derive(Serialize)]
pub struct ShowTurnRow {
    /// Counts from 1.
    pub turn: usize,
    pub checkpoint: Option<String>,
    /// The whole request. Null if the recording has none.
    pub request: Option<String>,
    /// Text that the agent's program sent to the model together with the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub request_added: Vec<String>,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// The main agent's steps; sub-agents' are counted in `subagent_steps`.
    #[serde(rename = "steps")]
    pub step_count: usize,
    pub subagent_steps: usize,
    /// Sub-agents' included.
    pub tool_calls: usize,
    pub errors: usize,
    pub edits: Vec<EditRow>,
    pub tokens: Tokens,
    /// The recorded cost.
    pub cost_usd: Option<f64>,
    /// The cost at list prices, computed from tokens.
    #[serde(flatten)]
    pub computed: ComputedCost,
    /// Tokens that the main agent's last model call of the turn read. Null if none is recorded.
    pub context_tokens: Option<u64>,
    pub compactions: usize,
    pub subagents: usize,
    pub commit: Option<String>,
    pub layer: Option<String>,
    /// True if the turn counts in the totals: not where it was cut, failed or skipped.
    pub counts: bool,
    /// The record of the turn by the recorder of a live run.
    #[serde(flatten)]
    pub record: TurnRecord,
}

impl ShowTurnRow {
    /// Returns the number of files that the turn changed: `none` where it changed none.
    pub fn file_count(&self, none: Option<u64>) -> Option<u64> {
        Some(self.edits.len() as u64).filter(|count| *count > 0).or(none)
    }

    /// Sums lines of the turn's edits by [`EditRow::sum_lines`].
    pub fn line_count(
        &self,
        lines_of: fn(&EditRow) -> Option<u64>,
        none: Option<u64>,
    ) -> Option<u64> {
        EditRow::sum_lines(&self.edits, lines_of, none)
    }
}

/// The origin of an edit of a file that is not in the workspace.
const OUTSIDE_WORKSPACE: &str = "outside-workspace";

/// A file that the turn changed, with the lines between before and after it; among a step's edits with those of the recorded edit.
#[derive(Serialize)]
pub struct EditRow {
    pub path: String,
    pub kind: &'static str,
    pub from: Option<String>,
    /// Lines. Null if they are not recorded.
    pub added: Option<u64>,
    pub removed: Option<u64>,
    /// recorded, partly, outside (changed outside recorded edits), or outside-workspace
    pub origin: &'static str,
    /// True if the file has no lines because it is not text.
    #[serde(skip)]
    pub is_binary: bool,
}

impl EditRow {
    /// Sums lines over edits in the workspace: `none` where there are no edits, None if one of them has no count, or
    /// where all are of files elsewhere.
    pub(crate) fn sum_lines<'a>(
        edits: impl IntoIterator<Item = &'a Self>,
        lines_of: fn(&Self) -> Option<u64>,
        none: Option<u64>,
    ) -> Option<u64> {
        let mut edits = edits.into_iter().peekable();
        if edits.peek().is_none() {
            return none;
        }
        let mut inside = edits.filter(|edit| !edit.is_outside_workspace()).peekable();
        inside.peek()?;
        inside.filter(|edit| !edit.is_binary).map(lines_of).sum()
    }

    /// Returns whether the file is outside the workspace.
    pub(crate) fn is_outside_workspace(&self) -> bool {
        self.origin == OUTSIDE_WORKSPACE
    }

    /// Sums the known lines, which is a lower bound.
    pub(crate) fn sum_known_lines<'a>(
        edits: impl IntoIterator<Item = &'a Self>,
        lines_of: fn(&Self) -> Option<u64>,
    ) -> Option<u64> {
        let inside = edits.into_iter().filter(|edit| !edit.is_outside_workspace());
        inside.filter_map(lines_of).reduce(|a, b| a + b)
    }
}

/// The cost of tokens at list prices; never mixed with the recorded cost.
#[derive(Serialize, Default)]
pub struct ComputedCost {
    /// Null if a token has no price, and without tokens.
    pub cost_computed_usd: Option<f64>,
    /// Tokens that have no price.
    pub not_priced_tokens: u64,
    #[serde(skip)]
    pub said: String,
    /// `0.1300`, `≥ 0.0800`, `not priced`; None without tokens.
    #[serde(skip)]
    pub cell: Option<String>,
}

impl ComputedCost {
    fn new(sum: &CostSum) -> Self {
        let row = cost_record(sum, None);
        Self {
            cost_computed_usd: sum.usd(),
            not_priced_tokens: sum.not_priced_tokens(),
            said: computed_text(&row),
            cell: (sum.responses > 0).then(|| computed_cell(&row)),
        }
    }
}

#[derive(Serialize)]
pub struct ShowStepRow {
    /// Its number in the turn, sub-agents' steps included, from 1.
    pub step: usize,
    pub kind: &'static str,
    pub role: &'static str,
    pub label: String,
    pub text: String,
    pub tool: Option<ToolRow>,
    pub result: Option<ToolResultRow>,
    pub edits: Vec<EditRow>,
    pub is_error: bool,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// Seconds since the turn's request.
    pub since_turn_s: Option<f64>,
    /// Seconds from the call to its result.
    pub took_s: Option<f64>,
    /// Seconds before the step in which nothing of its agent was at work: mostly the model's.
    pub waited_s: Option<f64>,
    /// The number of the step that holds the tokens of the model call which made this one.
    pub model_call: Option<usize>,
    /// Everything that this call read.
    pub context_tokens: Option<u64>,
    pub tokens: Tokens,
    /// The cost of the tokens of the step, once for each model call.
    #[serde(flatten)]
    pub computed: ComputedCost,
    #[serde(rename = "where")]
    pub place: SourcePlace,
    pub subagent: Option<SubAgentRow>,
}

#[derive(Serialize)]
pub struct ToolRow {
    pub name: String,
    pub arguments: Option<String>,
    pub call_id: String,
}

#[derive(Serialize)]
pub struct ToolResultRow {
    pub text: String,
    /// `exit 1`, `failed` or `ok`, as far as it is recorded. Null if it is not.
    pub outcome: Option<String>,
    pub is_error: bool,
    pub exit_code: Option<i32>,
    pub bytes: u64,
}

#[derive(Serialize)]
pub struct SourcePlace {
    pub file: String,
    /// Counts from 1.
    pub line: u32,
}

#[derive(Serialize)]
pub struct SubAgentRow {
    pub id: String,
    pub name: String,
    pub tokens: Tokens,
    pub steps: Vec<ShowStepRow>,
}

/// Makes the JSON rows of a run from the run and its files.
pub struct ShowBuilder<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
    pub timeline: &'a Timeline,
    pub path: &'a std::path::Path,
    /// Cost at list prices.
    pub cost: &'a RunCost,
}

/// The state while the steps of a turn are listed.
struct StepListing {
    numbers: HashMap<StepId, usize>,
    /// Sub-agents that are in already.
    open: Vec<usize>,
}

impl ShowBuilder<'_> {
    pub(crate) fn show_document(&self, faithfulness: Json) -> ShowDocument {
        // Counting lines reads both versions of every changed file.
        let turns = (0..self.run.turns.len()).into_par_iter();
        let turns: Vec<ShowTurnRow> = turns.map(|turn| self.turn_row(turn)).collect();
        let totals = self.show_totals(&turns);
        ShowDocument {
            schema: "trajview.show/1",
            run: self.run_facts(),
            trial: self.run.trial.clone(),
            turns,
            totals,
            tests: harness_records::recorded_tests(self.run),
            rubric_tree: self.run.rubric_tree.as_ref().map(|tree| TreeSummary::for_tree(tree)),
            faithfulness,
            recorded: harness_records::recorded_facts(self.run, self.archive),
            process: None,
            warnings: self.all_warnings(),
        }
    }

    pub(crate) fn show_turn_document(&self, turn: usize) -> ShowTurnDocument {
        let steps = self.step_rows(turn);
        let (run, turn) = (self.run_facts(), self.turn_row(turn));
        let warnings = self.all_warnings();
        ShowTurnDocument {
            schema: "trajview.show-turn/1",
            run,
            turn,
            steps,
            signals: None,
            warnings,
        }
    }

    /// Returns the steps of a turn, a sub-agent's below the step that started it.
    pub(crate) fn step_rows(&self, turn: usize) -> Vec<ShowStepRow> {
        let mut listing = StepListing { numbers: self.run.step_numbers(turn), open: vec![] };
        self.agent_step_rows(turn, None, &mut listing)
    }

    fn run_facts(&self) -> Json {
        let run = self.run;
        record! {
            id: run.id,
            title: run.title,
            format: run.origin.format,
            path: self.path.display().to_string(),
            agent: Some(&run.agent.name).filter(|name| !name.is_empty()),
            agent_version: run.agent.version,
            model: run.model,
            condition: run.condition,
            task: run.task,
            // The benchmark harness that wrote the run down, with its generation.
            harness: run.origin.harness,
            provenance: run.origin.provenance,
            ..run.origin.record,
            started_at: run.started_at,
            ended_at: run.ended_at,
            // commits, recorded edits, or recorded edits and snapshots
            files_from: self.timeline.from.display_text(),
            checkpoints: Json::list(&run.checkpoints, |checkpoint| {
                // The turn is its last one, counts from 1.
                let turn = checkpoint.last_turn + 1;
                record! { id: checkpoint.id, label: checkpoint.label, turn: turn }
            }),
            sources: Json::list(&run.origin.sources, |source| Json::new(&source.name)),
        }
    }

    /// Returns the row of a turn, counted from 0, with its edits.
    pub(crate) fn turn_row(&self, index: usize) -> ShowTurnRow {
        ShowTurnRow { edits: self.edit_rows(index), ..self.turn_row_without_edits(index) }
    }

    /// Returns the row of a turn, counted from 0, with no file read: its edits are empty.
    pub(crate) fn turn_row_without_edits(&self, index: usize) -> ShowTurnRow {
        let (run, turn) = (self.run, &self.run.turns[index]);
        let ids = run.steps_of_turn(index);
        let steps = || ids.iter().filter_map(|id| run.step(*id));
        let checkpoint = turn.checkpoint.and_then(|checkpoint| run.checkpoints.get(checkpoint));
        let mut agents: Vec<usize> = ids.iter().filter_map(|id| id.subagent).collect();
        agents.extend(steps().filter_map(|step| step.subagent));
        agents.sort_unstable();
        agents.dedup();
        let kind = |wanted| steps().filter(|step| step.kind == wanted).count();
        ShowTurnRow {
            turn: index + 1,
            checkpoint: checkpoint.map(|checkpoint| checkpoint.id.clone()),
            request: turn.request.map(|_| self.archive.request_text(run, index)),
            request_added: self.archive.added_texts(run, index),
            edits: vec![],
            tokens: turn.tokens,
            cost_usd: turn.cost_usd,
            computed: ComputedCost::new(&self.cost.sum_of_turn(index)),
            context_tokens: step_pace::context_after(turn),
            compactions: kind(trajview_run::StepKind::Compaction),
            subagents: agents.len(),
            commit: turn.commit.as_deref().map(Into::into),
            layer: turn.layer.as_deref().map(Into::into),
            counts: turn.is_counted(),
            record: turn.record.as_deref().cloned().unwrap_or_default(),
            started_at: turn.started_at,
            ended_at: turn.ended_at,
            step_count: turn.steps.len(),
            subagent_steps: ids.iter().filter(|id| id.subagent.is_some()).count(),
            tool_calls: steps().filter(|step| step.tool.is_some()).count(),
            errors: steps().filter(|step| step.has_failed()).count(),
        }
    }

    fn edit_rows(&self, turn: usize) -> Vec<EditRow> {
        let changes = self.timeline.turns.get(turn).map_or(&[][..], |files| &files.changes);
        let changed = changes.iter().map(|change| self.change_row(change));
        changed.chain(self.edits_outside_workspace(turn).into_iter().map(edit_row)).collect()
    }

    /// Returns the edits outside the workspace that the turn's steps record.
    pub(crate) fn edits_outside_workspace(&self, turn: usize) -> Vec<&Edit> {
        let steps = self.run.steps_of_turn(turn).into_iter().filter_map(|id| self.run.step(id));
        let edits = steps.flat_map(|step| &step.edits);
        edits.filter(|edit| edit.path.repo_path().is_none()).collect()
    }

    /// Returns a file that a turn changed, with its lines counted.
    pub fn change_row(&self, change: &FileChange) -> EditRow {
        let lines = self.archive.line_counts_of(self.run, change);
        EditRow {
            path: change.path.to_string(),
            kind: change.kind.word(),
            from: change.from.as_ref().map(ToString::to_string),
            added: lines.map(|lines| lines.added as u64),
            removed: lines.map(|lines| lines.removed as u64),
            origin: change.origin.word(),
            is_binary: lines.is_none() && self.archive.is_binary(self.run, change),
        }
    }

    /// Makes the totals over the turns that count. The counts are null without a log.
    fn show_totals(&self, turns: &[ShowTurnRow]) -> Json {
        let run = self.run;
        let none = formats::records_all_edits(run).then_some(0);
        let counted: Vec<&ShowTurnRow> = turns.iter().filter(|turn| turn.counts).collect();
        let sum = |count: fn(&ShowTurnRow) -> usize| {
            let counts = counted.iter().map(|turn| count(turn));
            (!run.has_no_log()).then(|| counts.sum::<usize>())
        };
        let edits = || counted.iter().flat_map(|turn| &turn.edits);
        record! {
            turns: sum(|_| 1),
            // Turns that were cut, failed or skipped.
            turns_not_counted: sum(|_| 1).map(|count| turns.len() - count),
            steps: sum(|turn| turn.step_count + turn.subagent_steps),
            tool_calls: sum(|turn| turn.tool_calls),
            errors: sum(|turn| turn.errors),
            tokens: run.tokens(),
            // The recorded cost.
            cost_usd: run.cost_usd(),
            // The cost at list prices, computed from tokens.
            ..ComputedCost::new(&self.cost.total_sum()),
            added: EditRow::sum_lines(edits(), |edit| edit.added, none),
            removed: EditRow::sum_lines(edits(), |edit| edit.removed, none),
            duration_s: run.duration_s(),
        }
    }

    fn agent_step_rows(
        &self,
        turn: usize,
        agent: Option<usize>,
        listing: &mut StepListing,
    ) -> Vec<ShowStepRow> {
        let steps = self.run.agent_steps(turn, agent).unwrap_or_default();
        let paces = step_pace::agent_paces(self.run, turn, agent);
        let row = |((step, found), pace)| {
            let id = StepId { turn, subagent: agent, step };
            self.step_row(id, found, pace, listing)
        };
        steps.iter().enumerate().zip(&paces).map(row).collect()
    }

    fn step_row(
        &self,
        id: StepId,
        step: &Step,
        pace: &StepPace,
        listing: &mut StepListing,
    ) -> ShowStepRow {
        let StepText { text, arguments, result } = self.archive.step_text(self.run, id);
        let source = self.run.origin.sources.get(step.place.source.0 as usize);
        ShowStepRow {
            step: listing.numbers.get(&id).copied().unwrap_or_default(),
            kind: step.kind.word(),
            role: step.role.word(),
            label: step.label.to_string(),
            text,
            tool: step.tool.as_ref().map(|tool| ToolRow {
                name: tool.name.to_string(),
                arguments,
                call_id: tool.call_id.to_string(),
            }),
            result: step.tool_result().map(|found| ToolResultRow {
                text: result.unwrap_or_default(),
                outcome: found.outcome_text(),
                is_error: found.has_failed(),
                exit_code: found.exit_code,
                bytes: found.bytes,
            }),
            edits: step.edits.iter().map(edit_row).collect(),
            is_error: step.has_failed(),
            started_at: step.started_at,
            ended_at: step.ended_at,
            since_turn_s: pace.since_turn_s,
            took_s: pace.took_s,
            waited_s: pace.waited_s,
            model_call: pace
                .call
                .and_then(|step| listing.numbers.get(&StepId { step, ..id }).copied()),
            context_tokens: pace.context_tokens(),
            tokens: step.tokens,
            computed: ComputedCost::new(&CostSum::from_charges(self.cost.charge_of_step(id))),
            place: SourcePlace {
                file: source.map(|source| source.name.clone()).unwrap_or_default(),
                line: step.place.line,
            },
            subagent: self.subagent_row(id.turn, step, listing),
        }
    }

    /// Lists an agent only once that the recording names as its own ancestor.
    fn subagent_row(
        &self,
        turn: usize,
        step: &Step,
        listing: &mut StepListing,
    ) -> Option<SubAgentRow> {
        let index = step.subagent.filter(|index| !listing.open.contains(index))?;
        let agent = self.run.subagents.get(index)?;
        listing.open.push(index);
        let steps = self.agent_step_rows(turn, Some(index), listing);
        Some(SubAgentRow {
            id: agent.id.clone(),
            name: agent.name.clone(),
            tokens: agent.tokens,
            steps,
        })
    }

    fn all_warnings(&self) -> Vec<Warning> {
        self.run.warnings.iter().chain(&self.timeline.warnings).cloned().collect()
    }
}

/// Makes a row from the edit that a step records.
pub(crate) fn edit_row(edit: &Edit) -> EditRow {
    EditRow {
        path: edit.path.to_string(),
        kind: edit.kind.word(),
        from: edit.from.as_ref().map(ToString::to_string),
        added: edit.added.map(u64::from),
        removed: edit.removed.map(u64::from),
        origin: if edit.path.repo_path().is_some() { "recorded" } else { OUTSIDE_WORKSPACE },
        is_binary: false,
    }
}
