//! The JSON of `show`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;

use trajview_formats as formats;
use trajview_metrics::{
    Number,
    cost::{RunCost, Sum},
    faithfulness::Faithfulness,
    numbers::Style,
    rubric_tree::Summary,
};
use trajview_run::{
    Edit, Run, RunRecord, Step, StepId, StepText, Task, Time, Tokens, TurnRecord, Warning,
    files::{Change, Timeline},
    pace::{self, Pace},
    rubric::{Judgement, Pooled, Rubric},
};
use trajview_store::Archive;
use trajview_study::compare::done_at;

use super::{
    cost::CostRow,
    process::{ScoreRow, SignalRow},
    recorded::{self, RecordedRow, TestsRow},
};

#[derive(Serialize)]
pub struct Show {
    pub schema: &'static str,
    pub run: RunFacts,
    pub turns: Vec<TurnRow>,
    pub totals: Totals,
    /// As recorded by a harness; null where none ran tests.
    pub tests: Option<TestsRow>,
    /// Of the tree it was graded with; null where there is none. `score` says more.
    pub rubric_tree: Option<Summary>,
    /// What a judge's scores of the components come to. `score` says more.
    pub faithfulness: JudgedRow,
    /// What a harness recorded beside the logs; null where there was none.
    pub recorded: Option<RecordedRow>,
    /// How it was worked on; only where it is asked for.
    #[serde(flatten)]
    pub process: Option<ProcessFacts>,
    pub warnings: Vec<Warning>,
}

/// What a judge gave the components.
#[derive(Serialize)]
pub struct JudgedRow {
    /// Mean component fidelity, 0 to 4; null where there is none.
    pub mcf: Option<f64>,
    /// With blockers taken into account; null where the checklist has none.
    pub mcf_capped: Option<f64>,
    /// Components with a score, and all of the checklist; null without a judgement.
    pub judged: Option<usize>,
    pub components: Option<usize>,
    /// Who judged; null where nobody did.
    pub judge: Option<String>,
    /// Its file, and the state that was judged in turns done.
    pub judgement: Option<String>,
    pub turn: Option<usize>,
    /// `mean of 3: gpt, opus, human`; null where it is one judgement.
    pub pooled: Option<String>,
    /// Why there is no mean; null where there is one.
    pub not_defined: Option<String>,
}

impl JudgedRow {
    /// By the judgement that speaks, if any.
    pub fn of(run: &Run, rubric: &Rubric, chosen: Option<&Judgement>) -> Self {
        let scores = chosen.map(|it| Faithfulness::of(it, rubric.checklist.as_ref()));
        let mcf = scores.as_ref().and_then(Faithfulness::mcf);
        let partial = rubric.partial();
        let why = match chosen {
            Some(_) => "the judge gave no component a score on 0..4".to_owned(),
            None if partial.is_empty() => "nothing has judged this run".to_owned(),
            None => format!(
                "judged in part only, which is no result: {}; --judge names one",
                partial.join("; ")
            ),
        };
        Self {
            mcf,
            mcf_capped: scores.as_ref().and_then(|it| Some(it.capped.as_ref()?.mcf)),
            judged: scores.as_ref().map(|it| it.judged),
            components: scores.map(|it| it.components),
            judge: chosen.map(|it| it.judge.name.clone()),
            judgement: chosen.map(|it| it.file.clone()),
            turn: chosen.map(|it| done_at(run, it)),
            pooled: chosen.and_then(|it| it.pooled.as_ref().map(Pooled::words)),
            not_defined: mcf.is_none().then_some(why),
        }
    }

    /// `MCF 3.125 of 24 components, judged by authors-reading at turn 56`
    pub fn said(&self) -> String {
        let (Some(mcf), Some(judged)) = (self.mcf, self.judged) else {
            return format!("MCF -: {}", self.not_defined.as_deref().unwrap_or_default());
        };
        let written = |number: Number, value: f64| number.written(value, Style::Full);
        let of = match self.components.filter(|all| *all != judged) {
            Some(all) => format!("{judged} of {all}"),
            None => judged.to_string(),
        };
        let capped = self.mcf_capped.map(|it| written(Number::McfCapped, it));
        let capped = capped.map(|it| format!(" (with blockers {it})")).unwrap_or_default();
        let by = self.pooled.as_ref().or(self.judge.as_ref()).map_or("", String::as_str);
        let turn = self.turn.map(|turn| format!(" at turn {turn}")).unwrap_or_default();
        format!(
            "MCF {}{capped} of {of} components, judged by {by}{turn}",
            written(Number::Mcf, mcf)
        )
    }
}

#[derive(Serialize)]
pub struct ShowTurn {
    pub schema: &'static str,
    pub run: RunFacts,
    #[serde(flatten)]
    pub turn: TurnRow,
    pub steps: Vec<StepRow>,
    /// Those that open in the turn; only where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<SignalRow>>,
    pub warnings: Vec<Warning>,
}

/// How a run was worked on.
#[derive(Serialize)]
pub struct ProcessFacts {
    pub process: ScoreRow,
    pub signals: Vec<SignalRow>,
}

#[derive(Serialize)]
pub struct RunFacts {
    pub id: String,
    pub title: String,
    pub format: &'static str,
    pub path: String,
    #[serde(flatten)]
    pub agent: AgentFacts,
    pub condition: Option<String>,
    pub task: Option<Task>,
    /// The benchmark harness that wrote the run down, with its generation.
    pub harness: Option<String>,
    pub provenance: Option<String>,
    #[serde(flatten)]
    pub record: RunRecord,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// commits, recorded edits, or recorded edits and snapshots
    pub files_from: &'static str,
    pub checkpoints: Vec<CheckpointFacts>,
    pub sources: Vec<String>,
}

/// Who did it.
#[derive(Serialize)]
pub struct AgentFacts {
    pub agent: Option<String>,
    pub agent_version: Option<String>,
    pub model: Option<String>,
}

#[derive(Serialize)]
pub struct CheckpointFacts {
    pub id: String,
    pub label: Option<String>,
    /// Its last turn, counts from 1.
    pub turn: usize,
}

#[derive(Serialize)]
pub struct TurnRow {
    /// Counts from 1.
    pub turn: usize,
    pub checkpoint: Option<String>,
    /// The whole request; null where the recording has none.
    pub request: Option<String>,
    /// What the agent's program put before the model with the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub request_added: Vec<String>,
    #[serde(flatten)]
    pub times: Times,
    #[serde(flatten)]
    pub work: StepCounts,
    pub edits: Vec<EditRow>,
    pub tokens: Tokens,
    #[serde(flatten)]
    pub cost: TurnCost,
    #[serde(flatten)]
    pub context: ContextRow,
    pub subagents: usize,
    pub commit: Option<String>,
    pub layer: Option<String>,
    /// Whether it is part of the totals: not where it was cut, failed or skipped.
    pub counts: bool,
    /// What the recorder of a live run says of it.
    #[serde(flatten)]
    pub record: TurnRecord,
}

/// What the turn cost.
#[derive(Serialize)]
pub struct TurnCost {
    /// As recorded.
    pub cost_usd: Option<f64>,
    /// At list prices, from tokens.
    #[serde(flatten)]
    pub computed: ComputedRow,
}

/// What the agent had before it.
#[derive(Serialize)]
pub struct ContextRow {
    /// Tokens that the main agent's last model call of the turn read; null where none is recorded.
    pub context_tokens: Option<u64>,
    pub compactions: usize,
}

/// From when to when.
#[derive(Serialize)]
pub struct Times {
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
}

/// How many steps a turn has, and of which kinds.
#[derive(Serialize)]
pub struct StepCounts {
    /// The main agent's steps; sub-agents' are counted in `subagent_steps`.
    #[serde(rename = "steps")]
    pub step_count: usize,
    pub subagent_steps: usize,
    /// Sub-agents' included.
    pub tool_calls: usize,
    pub errors: usize,
}

impl TurnRow {
    /// How many files it changed: `none` where it changed none.
    pub fn files(&self, none: Option<u64>) -> Option<u64> {
        Some(self.edits.len() as u64).filter(|count| *count > 0).or(none)
    }

    /// As of [`EditRow::lines`].
    pub fn lines(&self, of: fn(&EditRow) -> Option<u64>, none: Option<u64>) -> Option<u64> {
        EditRow::lines(&self.edits, of, none)
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
    /// Lines; null where the recording cannot tell.
    pub added: Option<u64>,
    pub removed: Option<u64>,
    /// recorded, partly, outside (changed outside recorded edits), or outside-workspace
    pub origin: &'static str,
    /// Whether it has no lines because it is no text.
    #[serde(skip)]
    pub is_binary: bool,
}

impl EditRow {
    /// What edits add up to in the workspace: `none` where there are no edits, None where one of them does not tell, or where
    /// all are of files elsewhere.
    pub fn lines<'a>(
        edits: impl IntoIterator<Item = &'a Self>,
        of: fn(&Self) -> Option<u64>,
        none: Option<u64>,
    ) -> Option<u64> {
        let mut edits = edits.into_iter().peekable();
        if edits.peek().is_none() {
            return none;
        }
        let mut inside = edits.filter(|edit| !edit.is_elsewhere()).peekable();
        inside.peek()?;
        inside.filter(|edit| !edit.is_binary).map(of).sum()
    }

    /// Whether the file is outside the workspace.
    pub fn is_elsewhere(&self) -> bool {
        self.origin == OUTSIDE_WORKSPACE
    }

    /// What they add up to at least.
    pub fn lines_at_least<'a>(
        edits: impl IntoIterator<Item = &'a Self>,
        of: fn(&Self) -> Option<u64>,
    ) -> Option<u64> {
        let inside = edits.into_iter().filter(|edit| !edit.is_elsewhere());
        inside.filter_map(of).reduce(|a, b| a + b)
    }
}

/// Over the turns that count.
#[derive(Serialize)]
pub struct Totals {
    /// Null, as the next four, for a rubric tree alone.
    pub turns: Option<usize>,
    /// Turns that were cut, failed or skipped.
    pub turns_not_counted: Option<usize>,
    pub steps: Option<usize>,
    pub tool_calls: Option<usize>,
    pub errors: Option<usize>,
    pub tokens: Tokens,
    /// As recorded.
    pub cost_usd: Option<f64>,
    /// At list prices, from tokens.
    #[serde(flatten)]
    pub computed: ComputedRow,
    pub added: Option<u64>,
    pub removed: Option<u64>,
    pub duration_s: Option<f64>,
}

/// What tokens cost at list prices; never mixed with what is recorded.
#[derive(Serialize, Default)]
pub struct ComputedRow {
    /// Null where a token has no price, and without tokens.
    pub cost_computed_usd: Option<f64>,
    /// Tokens that have no price.
    pub not_priced_tokens: u64,
    #[serde(skip)]
    pub said: String,
    /// `0.1300`, `≥ 0.0800`, `not priced`; None without tokens.
    #[serde(skip)]
    pub cell: Option<String>,
    /// The models that have no price, and where it says how to give them one; None where each has one.
    #[serde(skip)]
    pub without_price: Option<String>,
}

impl ComputedRow {
    fn of(sum: &Sum) -> Self {
        let row = CostRow::of(sum, None);
        Self {
            cost_computed_usd: row.computed_usd,
            not_priced_tokens: row.not_priced_tokens,
            without_price: row.without_price(),
            said: row.said(),
            cell: (row.responses > 0).then(|| row.cell()),
        }
    }
}

#[derive(Serialize)]
pub struct StepRow {
    /// Its number in the turn, sub-agents' steps included, from 1.
    pub step: usize,
    pub kind: &'static str,
    pub role: &'static str,
    pub label: String,
    pub text: String,
    pub tool: Option<ToolRow>,
    pub result: Option<ResultRow>,
    pub edits: Vec<EditRow>,
    pub is_error: bool,
    #[serde(flatten)]
    pub times: Times,
    #[serde(flatten)]
    pub pace: PaceRow,
    pub tokens: Tokens,
    /// Of the tokens that the step holds, once for each model call.
    #[serde(flatten)]
    pub computed: ComputedRow,
    #[serde(rename = "where")]
    pub place: PlaceRow,
    pub subagent: Option<SubAgentRow>,
}

/// How a step stands in time; null where it is not recorded.
#[derive(Serialize)]
pub struct PaceRow {
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
}

#[derive(Serialize)]
pub struct ToolRow {
    pub name: String,
    pub arguments: Option<String>,
    pub call_id: String,
}

#[derive(Serialize)]
pub struct ResultRow {
    pub text: String,
    /// `exit 1`, `failed` or `ok`: as much as the recording says; null where it says nothing.
    pub outcome: Option<String>,
    pub is_error: bool,
    pub exit_code: Option<i32>,
    pub bytes: u64,
}

#[derive(Serialize)]
pub struct PlaceRow {
    pub file: String,
    /// Counts from 1.
    pub line: u32,
}

#[derive(Serialize)]
pub struct SubAgentRow {
    pub id: String,
    pub name: String,
    pub tokens: Tokens,
    pub steps: Vec<StepRow>,
}

/// A run with its files, ready to be told.
pub struct Teller<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
    pub timeline: &'a Timeline,
    pub path: &'a std::path::Path,
    /// At list prices.
    pub cost: &'a RunCost,
}

/// The steps of a turn on their way into rows.
struct Listing {
    numbers: HashMap<StepId, usize>,
    /// Sub-agents that are in already.
    open: Vec<usize>,
}

impl Teller<'_> {
    pub fn show(&self, faithfulness: JudgedRow) -> Show {
        // Counting lines reads both versions of every changed file.
        let turns = (0..self.run.turns.len()).into_par_iter();
        let turns: Vec<TurnRow> = turns.map(|turn| self.turn(turn)).collect();
        let totals = self.totals(&turns);
        Show {
            schema: "trajview.show/1",
            run: self.facts(),
            turns,
            totals,
            tests: recorded::tests(self.run),
            rubric_tree: self.run.rubric_tree.as_ref().map(|tree| Summary::of(tree)),
            faithfulness,
            recorded: recorded::recorded(self.run, self.archive),
            process: None,
            warnings: self.warnings(),
        }
    }

    pub fn show_turn(&self, turn: usize) -> ShowTurn {
        let steps = self.step_rows(turn);
        let (run, turn) = (self.facts(), self.turn(turn));
        let warnings = self.warnings();
        ShowTurn { schema: "trajview.show-turn/1", run, turn, steps, signals: None, warnings }
    }

    /// The steps of a turn, a sub-agent's below the step that started it.
    pub fn step_rows(&self, turn: usize) -> Vec<StepRow> {
        let mut listing = Listing { numbers: self.run.step_numbers(turn), open: vec![] };
        self.steps(turn, None, &mut listing)
    }

    fn facts(&self) -> RunFacts {
        let run = self.run;
        RunFacts {
            id: run.id.clone(),
            title: run.title.clone(),
            format: run.origin.format,
            path: self.path.display().to_string(),
            condition: run.condition.clone(),
            task: run.task.clone(),
            harness: run.origin.harness.clone(),
            provenance: run.origin.provenance.clone(),
            record: run.origin.record.clone(),
            started_at: run.started_at,
            ended_at: run.ended_at,
            files_from: self.timeline.from.words(),
            checkpoints: run
                .checkpoints
                .iter()
                .map(|checkpoint| CheckpointFacts {
                    id: checkpoint.id.clone(),
                    label: checkpoint.label.clone(),
                    turn: checkpoint.last_turn + 1,
                })
                .collect(),
            sources: run.origin.sources.iter().map(|source| source.name.clone()).collect(),
            agent: AgentFacts {
                agent: Some(run.agent.name.clone()).filter(|name| !name.is_empty()),
                agent_version: run.agent.version.clone(),
                model: run.model.clone(),
            },
        }
    }

    pub fn turn(&self, index: usize) -> TurnRow {
        TurnRow { edits: self.edits(index), ..self.turn_without_edits(index) }
    }

    /// The same, with no file read: its edits are empty.
    pub fn turn_without_edits(&self, index: usize) -> TurnRow {
        let (run, turn) = (self.run, &self.run.turns[index]);
        let ids = run.steps_of_turn(index);
        let steps = || ids.iter().filter_map(|id| run.step(*id));
        let checkpoint = turn.checkpoint.and_then(|checkpoint| run.checkpoints.get(checkpoint));
        let mut agents: Vec<usize> = ids.iter().filter_map(|id| id.subagent).collect();
        agents.extend(steps().filter_map(|step| step.subagent));
        agents.sort_unstable();
        agents.dedup();
        let kind = |wanted| steps().filter(|step| step.kind == wanted).count();
        TurnRow {
            turn: index + 1,
            checkpoint: checkpoint.map(|checkpoint| checkpoint.id.clone()),
            request: turn.request.map(|_| self.archive.request_alone(run, index)),
            request_added: self.archive.added(run, index),
            edits: vec![],
            tokens: turn.tokens,
            cost: TurnCost {
                cost_usd: turn.cost_usd,
                computed: ComputedRow::of(&self.cost.of_turn(index)),
            },
            context: ContextRow {
                context_tokens: pace::context_after(turn),
                compactions: kind(trajview_run::StepKind::Compaction),
            },
            subagents: agents.len(),
            commit: turn.commit.as_deref().map(Into::into),
            layer: turn.layer.as_deref().map(Into::into),
            counts: turn.counts(),
            record: turn.record.as_deref().cloned().unwrap_or_default(),
            times: Times { started_at: turn.started_at, ended_at: turn.ended_at },
            work: StepCounts {
                step_count: turn.steps.len(),
                subagent_steps: ids.iter().filter(|id| id.subagent.is_some()).count(),
                tool_calls: steps().filter(|step| step.tool.is_some()).count(),
                errors: steps().filter(|step| step.failed()).count(),
            },
        }
    }

    fn edits(&self, turn: usize) -> Vec<EditRow> {
        let changes = self.timeline.turns.get(turn).map_or(&[][..], |files| &files.changes);
        let changed = changes.iter().map(|change| self.change_row(change));
        changed.chain(self.edits_elsewhere(turn).into_iter().map(edit_row)).collect()
    }

    /// What the turn's steps edited outside the workspace, as they record it.
    pub fn edits_elsewhere(&self, turn: usize) -> Vec<&Edit> {
        let steps = self.run.steps_of_turn(turn).into_iter().filter_map(|id| self.run.step(id));
        let edits = steps.flat_map(|step| &step.edits);
        edits.filter(|edit| edit.path.inside().is_none()).collect()
    }

    /// A file that a turn changed, with its lines counted.
    pub fn change_row(&self, change: &Change) -> EditRow {
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

    fn totals(&self, turns: &[TurnRow]) -> Totals {
        let run = self.run;
        let known = !run.is_rubric_tree_alone();
        let all = turns.len();
        let turns: Vec<&TurnRow> = turns.iter().filter(|turn| turn.counts).collect();
        let none = formats::tells_edits(run).then_some(0);
        let edits = || turns.iter().flat_map(|turn| &turn.edits);
        let lines = |of| EditRow::lines(edits(), of, none);
        Totals {
            turns: known.then_some(turns.len()),
            turns_not_counted: known.then_some(all - turns.len()),
            steps: known
                .then(|| turns.iter().map(|it| it.work.step_count + it.work.subagent_steps).sum()),
            tool_calls: known.then(|| turns.iter().map(|turn| turn.work.tool_calls).sum()),
            errors: known.then(|| turns.iter().map(|turn| turn.work.errors).sum()),
            tokens: run.tokens(),
            cost_usd: run.cost_usd(),
            computed: ComputedRow::of(&self.cost.total()),
            added: lines(|edit| edit.added),
            removed: lines(|edit| edit.removed),
            duration_s: run.duration_s(),
        }
    }

    fn steps(&self, turn: usize, agent: Option<usize>, listing: &mut Listing) -> Vec<StepRow> {
        let steps = self.run.steps_of(turn, agent).unwrap_or_default();
        let paces = pace::of_agent(self.run, turn, agent);
        let row = |((step, found), pace)| {
            let id = StepId { turn, subagent: agent, step };
            self.step(id, found, pace, listing)
        };
        steps.iter().enumerate().zip(&paces).map(row).collect()
    }

    fn step(&self, id: StepId, step: &Step, pace: &Pace, listing: &mut Listing) -> StepRow {
        let StepText { text, arguments, result } = self.archive.step_text(self.run, id);
        let source = self.run.origin.sources.get(step.place.source.0 as usize);
        StepRow {
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
            result: step.result().map(|found| ResultRow {
                text: result.unwrap_or_default(),
                outcome: found.outcome(),
                is_error: found.failed(),
                exit_code: found.exit_code,
                bytes: found.bytes,
            }),
            edits: step.edits.iter().map(edit_row).collect(),
            is_error: step.failed(),
            times: Times { started_at: step.started_at, ended_at: step.ended_at },
            pace: PaceRow {
                since_turn_s: pace.since_turn_s,
                took_s: pace.took_s,
                waited_s: pace.waited_s,
                model_call: pace
                    .call
                    .and_then(|step| listing.numbers.get(&StepId { step, ..id }).copied()),
                context_tokens: pace.context(),
            },
            tokens: step.tokens,
            computed: ComputedRow::of(&Sum::of(self.cost.of_step(id))),
            place: PlaceRow {
                file: source.map(|source| source.name.clone()).unwrap_or_default(),
                line: step.place.line,
            },
            subagent: self.subagent(id.turn, step, listing),
        }
    }

    /// An agent that the recording names as its own ancestor is told once.
    fn subagent(&self, turn: usize, step: &Step, listing: &mut Listing) -> Option<SubAgentRow> {
        let index = step.subagent.filter(|index| !listing.open.contains(index))?;
        let agent = self.run.subagents.get(index)?;
        listing.open.push(index);
        let steps = self.steps(turn, Some(index), listing);
        Some(SubAgentRow {
            id: agent.id.clone(),
            name: agent.name.clone(),
            tokens: agent.tokens,
            steps,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        self.run.warnings.iter().chain(&self.timeline.warnings).cloned().collect()
    }
}

/// What a step's own record says of an edit.
pub fn edit_row(edit: &Edit) -> EditRow {
    EditRow {
        path: edit.path.to_string(),
        kind: edit.kind.word(),
        from: edit.from.as_ref().map(ToString::to_string),
        added: edit.added.map(u64::from),
        removed: edit.removed.map(u64::from),
        origin: if edit.path.inside().is_some() { "recorded" } else { OUTSIDE_WORKSPACE },
        is_binary: false,
    }
}
