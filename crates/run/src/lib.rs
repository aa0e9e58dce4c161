//! The record of an agent's work: [`Run`] > [`Checkpoint`] > [`Turn`] > [`Step`].
//!
//! SWE-agent calls this a *trajectory*, Claude Code a *session*; here it is a run. A run is an index:
//! it says what happened, when, and *where the bytes are* ([`RecordPlace`]); the words of a step, the output
//! of a tool and the body of an edit are read from the recording when they are shown
//! (`formats::Format`). A run never changes once read, so it is shared, not copied.
//!
//! [`files`] has the files after each turn.
//!
//! Everything that came out of a recording is untrusted text: draw it only through `ui::text::safe`.
//!
//! # Of this crate
//!
//! - **Knows** runs, turns, steps, files over time, rubrics, labels, flags, and the words for them that every other crate uses.
//! - **Must not know** how a tool writes a run down, where a recording is stored, who shows it.
//! - **Used by** `formats`, `metrics`, `study`, `layers`, `store`, `analysis`, `judge`, `live`, `tui` and the program.
//!
//! Always true:
//!
//! - A [`Run`] never changes once it is read; a recording that grows gives a new one.
//! - A run keeps where bytes are, not the bytes.
//! - What a recording does not say is `None`, never zero.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod activity;
pub mod address;
pub mod agent_timeline;
pub mod batch;
pub mod checkpoint_record;
pub mod closest_word;
pub mod command_purpose;
pub mod condition;
pub mod coverage;
pub mod failures;
pub mod files;
pub mod filter_condition;
pub mod find_by_name;
pub mod flags;
pub mod format_number;
pub mod judging;
mod label;
pub mod live;
pub mod lookup;
pub mod model_vendor;
pub mod normalised_line;
pub mod path;
pub mod pictures;
mod place;
pub mod pooled_judgements;
pub mod rubric;
pub mod rubric_tree;
pub mod run_card;
pub mod run_file;
pub mod search;
pub mod step_pace;
pub mod terminal_recording;
mod time;
mod tokens;
pub mod trial;
pub mod turn_record;
pub mod worded_enum;

pub use checkpoint_record::CheckpointRecord;
pub use label::{LABEL_CHARS, first_line_label, label_from_start};
pub use path::{EditPath, RepoPath};
pub use place::{RecordPlace, SourceId};
pub use run_card::RunCard;
pub use time::Time;
pub use tokens::Tokens;
pub use trial::{Outcome, TrialResult};
pub use turn_record::{RunRecord, TurnRecord, TurnState};

use serde::Serialize;

/// One recording, from the first request to the last step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The id in the recording (session id, thread id, bundle id); never empty: the file name if it has no id.
    pub id: String,
    /// One line for a title bar.
    pub title: String,
    pub origin: RunOrigin,
    pub agent: Agent,
    /// Model as the recording names it; several joined by `, ` in order of first use.
    pub model: Option<String>,
    /// `emergent` or `single-shot`, where a bundle says so.
    pub condition: Option<String>,
    pub task: Option<Task>,
    /// The harness' record of the run as a whole; [`Checkpoint::recorded`] has that of a checkpoint.
    pub recorded: Vec<checkpoint_record::RecordedMeasure>,
    /// The harness' result of the run; None where no harness recorded one.
    pub trial: Option<Box<TrialResult>>,
    /// The totals that the recording states for the whole run, beside the sums of its turns.
    pub stated: StatedTotals,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    pub turns: Vec<Turn>,
    /// The checkpoints in order of their last turn.
    pub checkpoints: Vec<Checkpoint>,
    /// Agents started by the agent; a [`StepKind::SubAgent`] step points into it.
    pub subagents: Vec<SubAgent>,
    /// The tree of weighted requirements the run is graded by, with the grades where there are some.
    pub rubric_tree: Option<std::sync::Arc<rubric_tree::RubricTree>>,
    pub warnings: Vec<Warning>,
}

/// Tokens and cost of a whole run as its recording states them; None where it states none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StatedTotals {
    pub tokens: Tokens,
    /// US dollars.
    pub cost_usd: Option<f64>,
}

impl StatedTotals {
    /// Returns the stated totals that are more than the sums of the run's turns; the others add nothing.
    pub fn beyond_turn_sums(self, run: &Run) -> Self {
        let sum = run.tokens_of_turns();
        let cost = run.turns.iter().filter_map(|turn| turn.cost_usd).sum::<f64>();
        Self {
            tokens: if sum.max_each(self.tokens) == sum { Tokens::default() } else { self.tokens },
            cost_usd: self.cost_usd.filter(|stated| stated - cost > 1e-9 * stated.abs()),
        }
    }
}

/// The source of a run: its writer, its format, its folder and files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunOrigin {
    /// Name of the `formats::Format` that claimed it.
    pub format: &'static str,
    /// The benchmark harness that wrote the run down, with its generation: `SlopCodeBench G2 (v1.0)`.
    pub harness: Option<String>,
    /// The origin of the run, in the recorder's words.
    pub provenance: Option<String>,
    /// The recorder's statements about a live run.
    pub record: RunRecord,
    /// Folder the agent worked in, as recorded; recorded paths below it are repository paths.
    pub root: Option<String>,
    /// The branch of version control that the folder was on at first, as recorded.
    pub branch: Option<String>,
    /// The commit that the run starts from, where it is recorded; else the one before the first of a turn.
    pub start_commit: Option<String>,
    /// The files this run was read from; [`RecordPlace::source`] points into it.
    pub sources: Vec<SourceRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// `codex`, `claude-code`, ...
    pub name: String,
    pub version: Option<String>,
    /// Tokens that fit into its context, as last recorded; None where no recording tells.
    pub context_window: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Task {
    pub id: String,
    pub title: Option<String>,
    pub venue: Option<String>,
}

/// One file of the recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceRecord {
    /// Path as a warning names it: relative to the opened path's folder, `/` between parts.
    pub name: String,
    /// The format that reads the records of this file; differs from [`RunOrigin::format`] inside a bundle.
    pub format: &'static str,
}

/// A specification stage: the turns up to and including `last_turn`, after the previous checkpoint's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checkpoint {
    pub id: String,
    pub label: Option<String>,
    /// Index into [`Run::turns`] (counts from 0).
    pub last_turn: usize,
    /// The harness' record of the checkpoint: tests, measurements, flags. Where there was a second pass, of the state
    /// before that.
    pub recorded: Option<Box<CheckpointRecord>>,
    /// The harness' record of the state that a second pass left (SlopCodeBench's `after_skill`); the second pass is the
    /// checkpoint's last turn. None where there was none.
    pub after_skill: Option<Box<CheckpointRecord>>,
}

impl Checkpoint {
    /// Returns the index of the turn at whose end [`Checkpoint::recorded`] was measured.
    pub fn recorded_turn(&self) -> usize {
        self.last_turn - usize::from(self.after_skill.is_some()).min(self.last_turn)
    }

    /// Returns the records in order: the name of the state, the turns done then, and the record.
    pub fn recorded_states(&self) -> impl Iterator<Item = (String, usize, &CheckpointRecord)> {
        let recorded = self.recorded.as_deref();
        let after = self.after_skill.as_deref();
        let recorded = recorded.map(|it| (self.id.clone(), self.recorded_turn() + 1, it));
        let after = after.map(|it| (format!("{}/after_skill", self.id), self.last_turn + 1, it));
        recorded.into_iter().chain(after)
    }

    /// Returns the last of [`Checkpoint::recorded_states`] that is not empty.
    pub fn last_record(&self) -> Option<&CheckpointRecord> {
        let is_filled = |record: &&CheckpointRecord| **record != CheckpointRecord::default();
        self.after_skill.as_deref().filter(is_filled).or(self.recorded.as_deref())
    }
}

/// One user request and all that answers it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// The request's first line, at most [`LABEL_CHARS`] characters; empty where the recording starts without one.
    pub title: Box<str>,
    /// The place of the whole request; read with `formats::Format::step_text`.
    pub request: Option<RecordPlace>,
    /// Records that the agent's program gave the model with the request, in order: the text of a slash command, a
    /// caveat about a local command. Read with `formats::Format::request_text`.
    pub added: Vec<RecordPlace>,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// Index into [`Run::checkpoints`].
    pub checkpoint: Option<usize>,
    /// The main agent's steps; those of sub-agents are in [`Run::subagents`].
    pub steps: Vec<Step>,
    /// Tokens of the turn, sub-agents included, counted once.
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// Commit of the files after this turn (40 hex digits), where there is a repository.
    pub commit: Option<Box<str>>,
    /// Text that a project-state layer added before the request, as recorded.
    pub layer: Option<Box<str>>,
    /// The recorder's statements about a turn of a live run.
    pub record: Option<Box<TurnRecord>>,
}

/// One agent action and its observation, or one message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    pub kind: StepKind,
    pub role: Role,
    /// One line, at most [`LABEL_CHARS`] characters: the first line of a message, the main argument of a tool call.
    pub label: Box<str>,
    pub started_at: Option<Time>,
    /// The time of the observation.
    pub ended_at: Option<Time>,
    /// The record with the message or the call.
    pub place: RecordPlace,
    pub tool: Option<Box<ToolCall>>,
    /// Files this step changed, as the recording tells it.
    pub edits: Vec<Edit>,
    /// Tokens of the model response that produced the step, on its first step only, so that a sum counts them once.
    pub tokens: Tokens,
    /// The model of that response as the recording names it; None where it does not say it of each response.
    pub model: Option<std::sync::Arc<str>>,
    /// Index into [`Run::subagents`].
    pub subagent: Option<usize>,
    /// An error by itself: an API error, an aborted turn. A failed tool says so in [`ToolResult`].
    pub is_error: bool,
}

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum StepKind {
        Message = "message",
        Thinking = "thinking",
        Tool = "tool",
        /// The context was summarised and cut here.
        Compaction = "compaction",
        /// A sub-agent was started (or, where the recording does not say by whom, worked here).
        SubAgent = "subagent",
        /// A record we do not know; its bytes are shown as they are.
        #[default]
        Unknown = "unknown",
    }
}

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Role {
        User = "user",
        #[default]
        Assistant = "assistant",
        System = "system",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCall {
    /// The agent's name for the tool: `apply_patch`, `Bash`, ...
    pub name: Box<str>,
    pub call_id: Box<str>,
    /// The observation; None where the recording ends before it.
    pub result: Option<ToolResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// The record with the observation.
    pub place: RecordPlace,
    pub is_error: bool,
    /// True if the recording states explicitly that the call succeeded (`is_error: false`), with or without an exit
    /// code.
    pub is_ok: bool,
    /// The exit code of a command; None where it is not recorded.
    pub exit_code: Option<i32>,
    /// Size of the observation's text in bytes of UTF-8.
    pub bytes: u64,
}

/// A recorded change of one file; its body is read with `formats::Format::recorded_edit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub path: EditPath,
    pub kind: EditKind,
    /// The old path of a rename.
    pub from: Option<EditPath>,
    /// Lines added; None where the record does not contain the change itself.
    pub added: Option<u32>,
    pub removed: Option<u32>,
    /// The record with the body; [`RecordPlace::part`] distinguishes several edits of one record.
    pub place: RecordPlace,
}

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EditKind {
        Create = "create",
        Modify = "modify",
        Delete = "delete",
        Rename = "rename",
    }
}

/// An agent that the agent started.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SubAgent {
    /// The recorded id (agent id, thread id).
    pub id: String,
    /// Type, nickname or path: what the screen calls it.
    pub name: String,
    /// The task it was given, first line, at most [`LABEL_CHARS`] characters.
    pub title: Box<str>,
    pub parent: Option<ParentStep>,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    pub steps: Vec<Step>,
    pub tokens: Tokens,
    /// True if this is no agent but a part of the conversation that the person went back behind: its edits are not part
    /// of the run's result.
    pub was_left: bool,
}

/// The step that started a sub-agent; both count from 0. `subagent` is set where that step is itself a sub-agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentStep {
    pub turn: usize,
    pub subagent: Option<usize>,
    pub step: usize,
}

/// A problem of the recording, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// `file:line`, or a file name alone.
    #[serde(rename = "where")]
    pub place: String,
    /// A sentence without a full stop, lower case.
    pub what: String,
}

/// Returns a list in as much memory as it takes: one that grew has up to four times as much, and an index has hundreds of thousands of
/// them.
pub fn shrink_list<T>(list: Vec<T>) -> Vec<T> {
    if list.len() == list.capacity() {
        return list;
    }
    let mut fitted = Vec::with_capacity(list.len());
    fitted.extend(list);
    fitted
}

impl Run {
    /// Returns the step a [`StepId`] names, if it exists.
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.agent_steps(id.turn, id.subagent)?.get(id.step)
    }

    /// Returns the steps of a turn's main agent, or of one sub-agent.
    pub fn agent_steps(&self, turn: usize, subagent: Option<usize>) -> Option<&[Step]> {
        match subagent {
            Some(index) => self.subagents.get(index).map(|agent| agent.steps.as_slice()),
            None => self.turns.get(turn).map(|turn| turn.steps.as_slice()),
        }
    }

    /// Returns every step of a turn in playing order: a sub-agent's steps follow the step that started it.
    pub fn steps_of_turn(&self, turn: usize) -> Vec<StepId> {
        let mut ids = vec![];
        self.collect_steps(turn, None, &mut vec![], &mut ids);
        ids
    }

    /// Returns the numbers of a turn's steps, which count from 1 in playing order, sub-agents' steps included: step
    /// 12.7 is the seventh step played in turn 12, of whichever agent. Every surface takes its numbers from here.
    pub fn step_numbers(&self, turn: usize) -> std::collections::HashMap<StepId, usize> {
        self.steps_of_turn(turn).into_iter().zip(1..).collect()
    }

    /// Returns every step of the run in playing order, with its number in its turn.
    pub fn numbered_steps(&self) -> Vec<(StepId, usize)> {
        (0..self.turns.len())
            .flat_map(|turn| self.steps_of_turn(turn).into_iter().zip(1..))
            .collect()
    }

    fn collect_steps(
        &self,
        turn: usize,
        agent: Option<usize>,
        open: &mut Vec<usize>,
        ids: &mut Vec<StepId>,
    ) {
        for (step, step_record) in
            self.agent_steps(turn, agent).unwrap_or_default().iter().enumerate()
        {
            ids.push(StepId { turn, subagent: agent, step });
            // A recording may name an agent as its own ancestor; each is entered once.
            if let Some(child) = step_record.subagent.filter(|child| !open.contains(child)) {
                open.push(child);
                self.collect_steps(turn, Some(child), open, ids);
            }
        }
    }

    /// Returns whether a sub-agent belongs to a part of the conversation that was abandoned.
    pub fn was_left(&self, subagent: usize) -> bool {
        let mut at = Some(subagent);
        // No way up is longer than there are agents.
        for _ in 0..self.subagents.len() {
            let Some(agent) = at.and_then(|at| self.subagents.get(at)) else { return false };
            if agent.was_left {
                return true;
            }
            at = agent.parent.and_then(|parent| parent.subagent);
        }
        false
    }

    /// Returns the key that runs of one task have in common: the harness' id of it, else the id in the recording, or its
    /// title where it has none.
    pub fn task_key(&self) -> Option<String> {
        let trial = self.trial.as_ref().and_then(|trial| trial.task.as_deref());
        let task = self.task.as_ref();
        let words =
            [trial, task.map(|task| &*task.id), task.and_then(|task| task.title.as_deref())];
        words.into_iter().flatten().find(|words| !words.trim().is_empty()).map(str::to_owned)
    }

    /// Returns the key that runs of one agent have in common: its name without the version.
    pub fn agent_key(&self) -> Option<String> {
        Some(self.agent.name.clone()).filter(|name| !name.trim().is_empty())
    }

    /// Returns index of the checkpoint's first turn (counts from 0).
    pub fn first_turn_of(&self, checkpoint: usize) -> usize {
        match checkpoint.checked_sub(1).and_then(|before| self.checkpoints.get(before)) {
            Some(before) => before.last_turn + 1,
            None => 0,
        }
    }

    /// Returns the harness' record of the state after so many turns.
    pub fn record_at(&self, done: usize) -> Option<&CheckpointRecord> {
        let all = self.checkpoints.iter().rev().flat_map(Checkpoint::recorded_states);
        all.into_iter().find(|(_, at, _)| *at == done).map(|(_, _, record)| record)
    }

    /// Returns the turns that belong to what the run did: not those that were cut, failed or skipped.
    pub fn counted_turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(|turn| turn.is_counted())
    }

    /// Returns the end of the run in turns done: after the last turn that counts.
    pub fn end_in_turns(&self) -> usize {
        self.turns.iter().rposition(Turn::is_counted).map_or(0, |last| last + 1)
    }

    /// Returns the commit of the files after so many turns, in hex digits; None where the recording names none, and before the first.
    pub fn commit_after(&self, done: usize) -> Option<&str> {
        self.turns.get(done.checked_sub(1)?)?.commit.as_deref()
    }

    /// Returns the end of each turn that counts, in turns done.
    pub fn counted_moments(&self) -> impl Iterator<Item = usize> {
        self.turns.iter().zip(1..).filter(|(turn, _)| turn.is_counted()).map(|(_, done)| done)
    }

    /// Returns whether the recording is a graded rubric tree and nothing else: it has no turns, which is not 0 turns.
    pub fn is_rubric_tree_alone(&self) -> bool {
        self.turns.is_empty() && self.rubric_tree.is_some()
    }

    /// Returns whether there is a result and no log: of a trial that left none, or a graded rubric tree. Then it has no turns,
    /// which is not 0 turns.
    pub fn has_no_log(&self) -> bool {
        self.turns.is_empty() && (self.rubric_tree.is_some() || self.trial.is_some())
    }

    /// Returns for each kind of token the total that the recording states, otherwise the sum over the turns that count.
    /// A stated total that is smaller than the sum covers a part of the run, and is not used. None where neither is
    /// recorded.
    pub fn tokens(&self) -> Tokens {
        self.tokens_of_turns().max_each(self.stated_totals().tokens)
    }

    /// Returns sum over the turns that count; a kind of token that no turn records stays None.
    pub fn tokens_of_turns(&self) -> Tokens {
        self.counted_turns().fold(Tokens::default(), |sum, turn| sum + turn.tokens)
    }

    /// Returns US dollars: the total that the recording states, otherwise the sum over the turns that count, as in
    /// [`Run::tokens`]. None where neither is recorded.
    pub fn cost_usd(&self) -> Option<f64> {
        let turns = self.counted_turns().filter_map(|turn| turn.cost_usd);
        let sum = turns.reduce(|sum, cost| sum + cost);
        match (sum, self.stated_totals().cost_usd) {
            (Some(sum), Some(stated)) => Some(sum.max(stated)),
            (sum, stated) => sum.or(stated),
        }
    }

    /// Returns the stated totals. They cover all turns: where some turns do not count, nothing is known of the others.
    fn stated_totals(&self) -> StatedTotals {
        if self.turns.iter().all(Turn::is_counted) { self.stated } else { StatedTotals::default() }
    }

    /// Returns seconds from the start to the end, where the recording has the times of two moments.
    pub fn duration_s(&self) -> Option<f64> {
        let of_turns = self.turns.iter().flat_map(|turn| [turn.started_at, turn.ended_at]);
        let all = of_turns.chain([self.started_at, self.ended_at]).flatten();
        let (first, last) = (all.clone().min()?, all.max()?);
        (first < last).then(|| last.seconds_since(first)).flatten()
    }

    /// Returns one sentence for each turn that does not count or was kept though it failed.
    pub fn state_sentences(&self) -> Vec<String> {
        let sentence = |(turn, number): (&Turn, usize)| {
            turn.state_sentence().map(|it| format!("turn {number}: {it}"))
        };
        self.turns.iter().zip(1..).filter_map(sentence).collect()
    }
}

impl Turn {
    /// Returns the recorder's state of the turn; None where it states none.
    pub fn state(&self) -> Option<TurnState> {
        self.record.as_ref().and_then(|record| record.state)
    }

    /// Returns whether the turn belongs to the run's work; it does where no state is recorded.
    pub fn is_counted(&self) -> bool {
        self.state().is_none_or(TurnState::is_counted)
    }

    /// Returns `cut, does not count: it was told to stop`; None for a turn that is done or has no recorded state.
    pub fn state_sentence(&self) -> Option<String> {
        let state = self.state().filter(|state| *state != TurnState::Done)?;
        let counts = if state.is_counted() { "" } else { ", does not count" };
        let why = self.record.as_ref().and_then(|record| record.why.as_deref());
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        Some(format!("{}{counts}{why}", state.display_text()))
    }
}

impl Step {
    /// Returns whether the step shows a failure: an error record, a failed tool, a non-zero exit.
    pub fn has_failed(&self) -> bool {
        self.is_error || self.tool_result().is_some_and(ToolResult::has_failed)
    }

    pub fn tool_result(&self) -> Option<&ToolResult> {
        self.tool.as_ref().and_then(|tool| tool.result.as_ref())
    }

    /// Returns lines that its edits added and removed; None where that is not recorded of one of them.
    pub fn lines_changed(&self) -> Option<u64> {
        let lines = |edit: &Edit| Some(u64::from(edit.added?) + u64::from(edit.removed?));
        self.edits.iter().map(lines).sum()
    }
}

impl ToolResult {
    /// Returns `exit 1`, `failed` or `ok`: as much as the recording says and no more; None where it says nothing.
    pub fn outcome_text(&self) -> Option<String> {
        match self.exit_code {
            Some(code) => Some(format!("exit {code}")),
            None if self.is_error => Some("failed".into()),
            None => self.is_ok.then(|| "ok".into()),
        }
    }

    pub fn has_failed(&self) -> bool {
        self.is_error || self.exit_code.is_some_and(|code| code != 0)
    }
}

/// Names one step of a run; all count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct StepId {
    pub turn: usize,
    pub subagent: Option<usize>,
    pub step: usize,
}

/// The text of a step, read from its records when it is shown. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepText {
    /// The message, the thinking, the summary; for a tool call the message beside it, often empty.
    pub text: String,
    /// The call's arguments as a person would read them: the command, the patch, else indented JSON.
    pub arguments: Option<String>,
    /// The observation.
    pub result: Option<String>,
}
