//! The one list of tables and columns. Writers, readers, the metadata of the files and `trajview export --columns` are
//! made of it.
//!
//! Columns that mean what Inspect Scout's columns of transcripts mean have their names; Scout's other columns
//! (`source_id`, `task_repeat`, `agent_args`, `model_options`, `limit`, `messages`, `events`) are not written: a
//! [`Run`](trajview_run::Run) does not have them apart.

use std::sync::LazyLock;

use serde_json::{Value, json};

use trajview_metrics::numbers::{Number, NumberForm, NumberInput};
use trajview_run::{trial::TrialColumn, worded_enum::worded};

/// The version of all tables together. A column may be added without a new one.
pub const SCHEMA_VERSION: &str = "trajview.tables/1";

worded! {
    /// The content of one row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DataTable {
        Runs = "runs",
        Turns = "turns",
        Steps = "steps",
        Edits = "edits",
        Points = "points",
        Flags = "flags",
        Verdicts = "verdicts",
        Labels = "labels",
        Signals = "signals",
        /// A row for each text: requests, answers, arguments and results.
        Texts = "texts",
    }
}

impl DataTable {
    /// The number of tables.
    pub const COUNT: usize = Self::ALL.len();

    /// Describes one row of the table, in a sentence for the documentation.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Runs => {
                "A row a run, also for a recording that cannot be read. Numbers are those of `show --json` and, where a meaning names them, \
                 of `show --process`."
            }
            Self::Turns => "A row a turn, as `show --json` has it.",
            Self::Steps => {
                "A row a step, sub-agents' steps included, as `show --turn N --json` has it."
            }
            Self::Edits => {
                "A row a file that a turn changed (`scope` is `turn`) and a row a recorded edit of a step (`step`); the two are two views \
                 of the same work and are not to be added up."
            }
            Self::Points => {
                "One row per scored state of the code, as in `score --csv`; `--each` chooses the states."
            }
            Self::Flags => {
                "A row a place in the code that a judge or a benchmark's harness objected to."
            }
            Self::Verdicts => {
                "A row a score of a verdict, in every judgement: of components, decisions and parts of the process; one row without a \
                 score where a verdict has none."
            }
            Self::Labels => {
                "A row a label of a person, in the order of the file; the last of an item in a state counts."
            }
            Self::Signals => "A row a signal, as `show --process --json` has it.",
            Self::Texts => {
                "One row per text: requests, messages, calls and results. No other table has texts."
            }
        }
    }
}

worded! {
    /// The type of the values of a column. Every column may be null.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DataKind {
        Text = "string",
        /// A text that is JSON: a list, or a value of any type.
        Json = "json",
        Integer = "int64",
        Real = "double",
        Bool = "boolean",
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct DataColumn {
    pub name: &'static str,
    pub kind: DataKind,
    /// The place of its value in the JSON of a row: a JSON pointer.
    pub from: &'static str,
    /// The unit of a value; empty for texts.
    pub unit: &'static str,
    pub meaning: &'static str,
}

/// A column as the list has it: name, type, place, unit, meaning.
type ColumnTuple = (&'static str, DataKind, &'static str, &'static str, &'static str);

use DataKind::{Bool, Integer, Json, Real, Text};

/// The columns of every table, by which tables are joined: rows of one run have the first two in common.
#[rustfmt::skip]
const RUN: [ColumnTuple; 3] = [
    ("transcript_id", Text, "/transcript_id", "", "the run's id, as every command prints it; of a recording that cannot be read its path"),
    ("source_uri", Text, "/source_uri", "", "the path of the recording, as it was named; runs may share an id and never a path"),
    ("task_id", Text, "/task_id", "", "the task's id"),
];

#[rustfmt::skip]
const RUNS: &[ColumnTuple] = &[
    ("transcript_id", Text, "/transcript_id", "", "the run's id, as every command prints it; of a recording that cannot be read its path"),
    ("source_type", Text, "/run/format", "", "the format of the recording"),
    ("source_uri", Text, "/source_uri", "", "the path of the recording, as it was named"),
    ("date", Text, "/run/started_at", "RFC 3339", "when the run began"),
    ("task_set", Text, "/run/task/venue", "", "the benchmark or venue that the task is from"),
    ("task_id", Text, "/task_id", "", "the task's id"),
    ("agent", Text, "/run/agent", "", "the agent, without its version"),
    ("model", Text, "/run/model", "", "the model as the recording names it; several are joined by `, `"),
    ("score", Json, "/outcome/score", "share", "the reward of the trial; without a harness' result the score of the graded rubric tree, else the share of the last checkpoint's tests that pass, as recorded"),
    ("success", Bool, "/outcome/success", "", "whether the outcome is passed; null for a trial without a verdict. Without an outcome, whether all recorded tests of the last checkpoint pass; null for a rubric tree, which has no threshold"),
    ("message_count", Integer, "/message_count", "messages", "how many messages `export --messages` writes"),
    ("total_time", Real, "/totals/duration_s", "seconds", "from the beginning to the end of the run"),
    ("total_tokens", Integer, "/total_tokens", "tokens", "input and output together; null without both"),
    (TrialColumn::Task.word(), Text, "/task_id", "", "the same as `task_id`, by the name that other commands use"),
    (TrialColumn::Attempt.word(), Integer, "/trial/attempt", "", TrialColumn::Attempt.meaning()),
    (TrialColumn::Outcome.word(), Text, "/trial/outcome", "", TrialColumn::Outcome.meaning()),
    (TrialColumn::Reward.word(), Real, "/trial/reward", "", TrialColumn::Reward.meaning()),
    (TrialColumn::RewardName.word(), Text, "/trial/reward_name", "", TrialColumn::RewardName.meaning()),
    (TrialColumn::Error.word(), Text, "/trial/error", "", TrialColumn::Error.meaning()),
    ("title", Text, "/run/title", "", "the title of the run"),
    ("task_title", Text, "/run/task/title", "", "the title of the task"),
    ("condition", Text, "/run/condition", "", "`emergent`, `single-shot` or another value in the bundle"),
    ("harness", Text, "/run/harness", "", "the benchmark harness that wrote the run down"),
    ("provenance", Text, "/run/provenance", "", "how the run came to be, in the recorder's words"),
    ("agent_version", Text, "/run/agent_version", "", "the version of the agent"),
    ("state", Text, "/run/state", "", "`running`, `finished`, or `stopped` with the reason, of a live run"),
    ("ended_at", Text, "/run/ended_at", "RFC 3339", "when the run ended"),
    ("files_from", Text, "/run/files_from", "", "the source of the files at a moment: commits, recorded edits, snapshots"),
    ("checkpoints", Integer, "/checkpoints", "checkpoints", "checkpoints of the run"),
    ("turns", Integer, "/totals/turns", "turns", "turns that count"),
    ("turns_not_counted", Integer, "/totals/turns_not_counted", "turns", "turns that were cut, failed or skipped"),
    ("steps", Integer, "/totals/steps", "steps", "steps of the turns that count, sub-agents' included"),
    ("tool_calls", Integer, "/totals/tool_calls", "calls", "tool calls of the turns that count"),
    ("errors", Integer, "/totals/errors", "steps", "steps that failed, of the turns that count"),
    ("input_tokens", Integer, "/totals/tokens/input", "tokens", "what the model read, cached input included"),
    ("cached_input_tokens", Integer, "/totals/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Integer, "/totals/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Integer, "/totals/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Integer, "/totals/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Integer, "/totals/tokens/cache_write_1h", "tokens", "the part of it that is cached for one hour"),
    ("cost_usd", Real, "/totals/cost_usd", "US dollars", "as recorded"),
    ("cost_computed_usd", Real, "/totals/cost_computed_usd", "US dollars", "at list prices, from tokens; null where a token has no price"),
    ("not_priced_tokens", Integer, "/totals/not_priced_tokens", "tokens", "tokens that have no price"),
    ("lines_added", Integer, "/totals/added", "lines", "over the turns that count"),
    ("lines_removed", Integer, "/totals/removed", "lines", "over the turns that count"),
    ("tests_passed", Integer, "/outcome/passed", "tests", "recorded tests that pass at the last checkpoint that has some"),
    ("tests_total", Integer, "/outcome/total", "tests", "recorded tests of that checkpoint"),
    ("mcf", Real, "/faithfulness/mcf", "score 0..4", "mean component fidelity, of the judgement that counts"),
    ("mcf_capped", Real, "/faithfulness/mcf_capped", "score 0..4", "the same with blockers taken into account"),
    ("corrected_mcf", Real, "/faithfulness/corrected_mcf", "score 0..4", "the mean corrected by blind labels of people; null where they do not allow it"),
    ("corrected_low", Real, "/faithfulness/corrected_low", "score 0..4", "lower end of its 95 % interval"),
    ("corrected_high", Real, "/faithfulness/corrected_high", "score 0..4", "upper end of that"),
    ("corrected_labels", Integer, "/faithfulness/corrected_labels", "labels", "labels that it uses"),
    ("judged", Integer, "/faithfulness/judged", "components", "components that have a score"),
    ("unlooked", Integer, "/faithfulness/unlooked", "components", "components whose level the judge gave without a look at the code; in no mean"),
    ("unsupported", Integer, "/faithfulness/unsupported", "components", "components with a level above 0 without a quote that the code has"),
    ("components", Integer, "/faithfulness/components", "components", "components of the checklist"),
    ("judge", Text, "/faithfulness/judge", "", "who judged"),
    ("judgement", Text, "/faithfulness/judgement", "", "the file of the judgement"),
    ("judged_turn", Integer, "/faithfulness/turn", "turns", "turns done in the state that was judged"),
    ("rubric_score", Real, "/rubric_tree/score", "share", "the score of the graded rubric tree"),
    ("rubric_leaves", Integer, "/rubric_tree/leaves", "leaves", "leaves of the rubric tree"),
    ("rigor_score", Real, "/process/rigor_score", "share", "RigorScore in the profile rigor-paper"),
    ("rigor_weight_used", Real, "/process/weight_used", "share", "the weights that the RigorScore could use"),
    ("pillar_pf", Real, "/process/pillars/pf", "share", "pillar PF of the process"),
    ("pillar_vc", Real, "/process/pillars/vc", "share", "pillar VC of the process"),
    ("pillar_re", Real, "/process/pillars/re", "share", "pillar RE of the process"),
    ("pillar_aq", Real, "/process/pillars/aq", "share", "pillar AQ of the process"),
    ("pillar_ati", Real, "/process/pillars/ati", "share", "pillar ATI of the process"),
    ("pillar_tad", Real, "/process/pillars/tad", "share", "pillar TAD of the process"),
    ("pillar_ee", Real, "/process/pillars/ee", "share", "pillar EE of the process"),
    ("signals", Integer, "/process/signals", "signals", "signals of the run"),
    ("warnings", Integer, "/warnings_count", "warnings", "what could not be used of the recording, as `show` has it"),
    ("read_error", Text, "/read_error", "", "why the recording, or a part of it, could not be read; null where it could"),
];

#[rustfmt::skip]
const TURNS: &[ColumnTuple] = &[
    ("turn", Integer, "/turn", "", "counts from 1"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint that the turn is of"),
    ("started_at", Text, "/started_at", "RFC 3339", "when it began"),
    ("ended_at", Text, "/ended_at", "RFC 3339", "when it ended"),
    ("counts", Bool, "/counts", "", "whether it is part of the totals: not where it was cut, failed or skipped"),
    ("steps", Integer, "/steps", "steps", "the main agent's steps"),
    ("subagent_steps", Integer, "/subagent_steps", "steps", "sub-agents' steps"),
    ("tool_calls", Integer, "/tool_calls", "calls", "tool calls, sub-agents' included"),
    ("errors", Integer, "/errors", "steps", "steps that failed, sub-agents' included"),
    ("files", Integer, "/files", "files", "files that were changed; null where the format does not say"),
    ("lines_added", Integer, "/lines_added", "lines", "in the workspace, as `show` prints it"),
    ("lines_removed", Integer, "/lines_removed", "lines", "in the workspace, as `show` prints it"),
    ("input_tokens", Integer, "/tokens/input", "tokens", "what the model read, cached input included"),
    ("cached_input_tokens", Integer, "/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Integer, "/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Integer, "/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Integer, "/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Integer, "/tokens/cache_write_1h", "tokens", "the part of it that is cached for one hour"),
    ("cost_usd", Real, "/cost_usd", "US dollars", "as recorded"),
    ("cost_computed_usd", Real, "/cost_computed_usd", "US dollars", "at list prices, from tokens; null where a token has no price"),
    ("not_priced_tokens", Integer, "/not_priced_tokens", "tokens", "tokens that have no price"),
    ("context_tokens", Integer, "/context_tokens", "tokens", "what the main agent's last model call of the turn read"),
    ("compactions", Integer, "/compactions", "steps", "times that the context was compacted"),
    ("subagents", Integer, "/subagents", "agents", "sub-agents at work in the turn"),
    ("commit", Text, "/commit", "", "the commit of the files after the turn"),
    ("layer", Text, "/layer", "", "the layer of a live run, as recorded"),
    ("state", Text, "/state", "", "the outcome of the turn, if recorded"),
    ("why", Text, "/why", "", "why it does not count, or counts though it failed"),
    ("exit", Text, "/exit", "", "how the agent's process ended"),
    ("attempt", Integer, "/attempt", "", "counts from 1"),
    ("denied", Json, "/denied", "", "what the agent was not allowed to do"),
    ("troubles", Json, "/troubles", "", "errors that the agent reported"),
    ("outside", Json, "/outside", "", "what it wrote outside its workspace"),
    ("not_recorded", Json, "/not_recorded", "", "files that are not in the commit, and why"),
];

#[rustfmt::skip]
const STEPS: &[ColumnTuple] = &[
    ("turn", Integer, "/turn", "", "counts from 1"),
    ("step", Integer, "/step", "", "its number in the turn, sub-agents' steps included; counts from 1"),
    ("agent_id", Text, "/agent_id", "", "the sub-agent whose step it is; null for the main agent"),
    ("agent_name", Text, "/agent_name", "", "the name of that sub-agent"),
    ("kind", Text, "/kind", "", "message, thinking, tool, ..."),
    ("role", Text, "/role", "", "the author"),
    ("label", Text, "/label", "", "the step in one line"),
    ("tool", Text, "/tool/name", "", "the tool that is called"),
    ("call_id", Text, "/tool/call_id", "", "the id of the call, as recorded"),
    ("started_at", Text, "/started_at", "RFC 3339", "when it began"),
    ("ended_at", Text, "/ended_at", "RFC 3339", "when it ended"),
    ("since_turn_s", Real, "/since_turn_s", "seconds", "since the turn's request"),
    ("took_s", Real, "/took_s", "seconds", "from the call to its result"),
    ("waited_s", Real, "/waited_s", "seconds", "before the step, in which nothing of its agent was at work"),
    ("model_call", Integer, "/model_call", "", "the number of the step that holds the tokens of the model call which made this one"),
    ("context_tokens", Integer, "/context_tokens", "tokens", "what that call read"),
    ("input_tokens", Integer, "/tokens/input", "tokens", "what the model read; once for each model call"),
    ("cached_input_tokens", Integer, "/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Integer, "/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Integer, "/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Integer, "/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Integer, "/tokens/cache_write_1h", "tokens", "the part of it that is cached for one hour"),
    ("cost_computed_usd", Real, "/cost_computed_usd", "US dollars", "at list prices, from these tokens"),
    ("not_priced_tokens", Integer, "/not_priced_tokens", "tokens", "tokens that have no price"),
    ("is_error", Bool, "/is_error", "", "whether the step failed"),
    ("outcome", Text, "/result/outcome", "", "`exit 1`, `failed` or `ok`, as far as recorded"),
    ("exit_code", Integer, "/result/exit_code", "", "of the command that was run"),
    ("result_is_error", Bool, "/result/is_error", "", "whether the result is an error; null without a result"),
    ("result_bytes", Integer, "/result/bytes", "bytes", "size of the result as recorded"),
    ("file", Text, "/where/file", "", "the file that the step was read from"),
    ("line", Integer, "/where/line", "", "the line in that file; counts from 1"),
];

#[rustfmt::skip]
const EDITS: &[ColumnTuple] = &[
    ("scope", Text, "/scope", "", "`turn`: the file before and after the turn; `step`: a recorded edit"),
    ("turn", Integer, "/turn", "", "counts from 1"),
    ("step", Integer, "/step", "", "the number of the step in its turn; null where the scope is the turn"),
    ("path", Text, "/path", "", "the file, in the repository"),
    ("kind", Text, "/kind", "", "added, modified, deleted, renamed, ..."),
    ("from_path", Text, "/from", "", "the path before it was renamed"),
    ("lines_added", Integer, "/added", "lines", "null where the recording cannot tell"),
    ("lines_removed", Integer, "/removed", "lines", "null where the recording cannot tell"),
    ("origin", Text, "/origin", "", "recorded, partly, outside (changed outside recorded edits), or outside-workspace"),
];

/// The columns of a point before its numbers.
#[rustfmt::skip]
const POINTS: &[ColumnTuple] = &[
    ("label", Text, "/label", "", "the moment in words"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint that it is of"),
    ("turn", Integer, "/turn", "turns", "turns done, or the turn that the step is of"),
    ("step", Integer, "/step", "", "the number of the step in its turn; null at the end of a turn"),
    ("commit", Text, "/commit", "", "the commit of the files"),
    ("phase", Text, "/phase", "", "early, mid or late, by checkpoints"),
    ("bin", Real, "/bin", "share", "the position of the checkpoint among all"),
    ("churn", Integer, "/churn", "lines", "added and removed since the point before, or by the step"),
    ("profile", Text, "/profile", "", "whose formulas"),
    ("rules", Text, "/rules", "", "which rules"),
    ("skipped", Integer, "/skipped", "files", "files without numbers; `score --json` has the reasons"),
    ("unmeasured", Text, "/unmeasured", "", "why every number of the code is null"),
    ("not_comparable", Json, "/not_comparable", "", "numbers that may not be set beside those of the profile's reference"),
    ("judge", Text, "/judge", "", "who judged this state"),
    ("recorded", Json, "/recorded", "", "recorded values of the same moment, by number"),
];

#[rustfmt::skip]
const FLAGS: &[ColumnTuple] = &[
    ("source", Text, "/source", "", "`judge`: a judgement beside the run; `recorded`: a benchmark's harness"),
    ("judgement", Text, "/judgement", "", "the file of the judgement"),
    ("judge", Text, "/judge", "", "who judged"),
    ("judge_kind", Text, "/judge_kind", "", "http, command, human or imported"),
    ("judge_model", Text, "/judge_model", "", "the model of the judge"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint, where a harness recorded the flag"),
    ("turn", Integer, "/judged_turn", "turns", "completed turns in the judged state, from the judgement"),
    ("commit", Text, "/commit", "", "the commit that was judged"),
    ("created_at", Text, "/created_at", "RFC 3339", "when it was judged"),
    ("repeat", Integer, "/repeat", "", "which of several judgings of one state; counts from 1"),
    ("criterion", Text, "/criterion", "", "which item of the rubric"),
    ("category", Text, "/category", "", "as the rubric has it"),
    ("kind", Text, "/kind", "", "verbosity or erosion"),
    ("path", Text, "/path", "", "the file"),
    ("start_line", Integer, "/start", "", "counts from 1"),
    ("end_line", Integer, "/end", "", "included"),
    ("confidence", Real, "/confidence", "1..5", "how sure the judge is"),
    ("explanation", Text, "/explanation", "", "why"),
    ("carried_from", Text, "/carried_from", "", "the checkpoint whose judging found it first; null where this one's did"),
];

#[rustfmt::skip]
const VERDICTS: &[ColumnTuple] = &[
    ("judgement", Text, "/judgement", "", "the file of the judgement"),
    ("judge", Text, "/judge", "", "who judged"),
    ("judge_kind", Text, "/judge_kind", "", "http, command, human or imported"),
    ("judge_model", Text, "/judge_model", "", "the model of the judge"),
    ("prompt_sha256", Text, "/prompt_sha256", "", "of the judge's prompt"),
    ("rubric", Text, "/rubric", "", "as the judgement names it"),
    ("unit", Text, "/unit", "", "component, decision or process"),
    ("turn", Integer, "/judged_turn", "turns", "completed turns in the judged state, from the judgement"),
    ("commit", Text, "/commit", "", "the commit that was judged"),
    ("created_at", Text, "/created_at", "RFC 3339", "when it was judged"),
    ("repeat", Integer, "/repeat", "", "which of several judgings of one state; counts from 1"),
    ("repeats", Integer, "/repeats", "", "how many were wanted"),
    ("item", Text, "/item", "", "the id of the component, decision or part"),
    ("criterion", Text, "/criterion", "", "of a codebook with several"),
    ("scale", Text, "/scale", "", "`1..5`, `[0,1]`; null for the rubric's own"),
    ("score", Real, "/score", "", "on the scale; null where there is none"),
    ("label", Text, "/label", "", "the name of the level"),
    ("rationale", Text, "/rationale", "", "why, in the judge's words"),
    ("evidence", Json, "/evidence", "", "files with lines"),
    ("looks", Integer, "/looks", "calls", "calls of the judge's tools"),
    ("tokens", Integer, "/tokens", "tokens", "that the verdict took"),
    ("seconds", Real, "/seconds", "seconds", "that the verdict took"),
    ("error", Text, "/error", "", "why there is no score"),
    ("reason", Text, "/reason", "", "the reason for a missing score that is not a failure"),
];

#[rustfmt::skip]
const LABELS: &[ColumnTuple] = &[
    ("file", Text, "/file", "", "the rater's file"),
    ("number", Integer, "/number", "", "in that file; counts from 1"),
    ("annotator", Text, "/annotator", "", "the rater"),
    ("unit", Text, "/unit", "", "component, leaf, flag, signal, decision or process"),
    ("item", Text, "/item", "", "the id of what is labelled"),
    ("criterion", Text, "/criterion", "", "where an item is labelled by several"),
    ("scale", Text, "/scale", "", "the scale of the score"),
    ("score", Real, "/score", "", "on the scale; null where the rater cannot tell and where it was taken back"),
    ("cannot_tell", Bool, "/cannot_tell", "", "whether the rater answered `cannot tell`"),
    ("confidence", Text, "/confidence", "", "low, medium or high"),
    ("blind", Bool, "/blind", "", "whether it was given before the verdict of its judgement was seen"),
    ("seen", Json, "/seen", "", "judgements whose verdict was on screen before"),
    ("reason", Text, "/reason", "", "agree, false-absence, ..."),
    ("note", Text, "/note", "", "the rater's words"),
    ("judgement", Text, "/judgement", "", "the judgement that is checked"),
    ("turn", Integer, "/judged_turn", "turns", "turns done in the state that was looked at"),
    ("commit", Text, "/commit", "", "the commit that was looked at"),
    ("at", Text, "/at", "RFC 3339", "when it was given"),
];

#[rustfmt::skip]
const SIGNALS: &[ColumnTuple] = &[
    ("kind", Text, "/kind", "", "what it is a sign of"),
    ("turn", Integer, "/turn", "", "the turn in which it begins; counts from 1"),
    ("step", Integer, "/step_number", "", "the step at which it begins; counts from 1"),
    ("until_turn", Integer, "/until_turn", "", "the turn in which it ends"),
    ("until_step", Integer, "/until_step", "", "the step at which it ends"),
    ("why", Text, "/why", "", "what was seen"),
    ("path", Text, "/path", "", "the file that it is about"),
];

#[rustfmt::skip]
const TEXTS: &[ColumnTuple] = &[
    ("turn", Integer, "/turn", "", "counts from 1"),
    ("step", Integer, "/step", "", "the number of the step in its turn; null for what belongs to the turn"),
    ("part", Text, "/part", "", "request, request_added, text, arguments or result"),
    ("number", Integer, "/number", "", "of several request_added; counts from 1"),
    ("text", Text, "/text", "", "the whole text"),
];

/// Returns the columns of a table, in order.
pub fn table_columns(table: DataTable) -> &'static [DataColumn] {
    static ALL: LazyLock<[Vec<DataColumn>; DataTable::COUNT]> =
        LazyLock::new(|| DataTable::ALL.map(build_columns));
    &ALL[table as usize]
}

fn build_columns(table: DataTable) -> Vec<DataColumn> {
    let own = match table {
        DataTable::Runs => RUNS,
        DataTable::Turns => TURNS,
        DataTable::Steps => STEPS,
        DataTable::Edits => EDITS,
        DataTable::Points => POINTS,
        DataTable::Flags => FLAGS,
        DataTable::Verdicts => VERDICTS,
        DataTable::Labels => LABELS,
        DataTable::Signals => SIGNALS,
        DataTable::Texts => TEXTS,
    };
    let common = if table == DataTable::Runs { &[][..] } else { &RUN };
    let columns = common.iter().chain(own).map(column_from_tuple);
    columns.chain(table_numbers(table).into_iter().map(number_column)).collect()
}

const fn column_from_tuple(&(name, kind, from, unit, meaning): &ColumnTuple) -> DataColumn {
    DataColumn { name, kind, from, unit, meaning }
}

/// Returns the numbers that are columns of a table, in the order of the list of numbers: those of a point, and of a run
/// those of its process that have no column of the list above.
pub fn table_numbers(table: DataTable) -> Vec<Number> {
    let is_listed = |number: Number| {
        let pillar = format!("pillar_{}", number.id());
        RUNS.iter().any(|(name, ..)| *name == number.id() || *name == pillar)
    };
    let is_column = |number: &Number| match number.row().input {
        NumberInput::Code(_)
        | NumberInput::Reuse(_)
        | NumberInput::Judgement(_)
        | NumberInput::Exposure(_) => table == DataTable::Points,
        NumberInput::Process(_) => table == DataTable::Runs && !is_listed(*number),
        NumberInput::Tests(_)
        | NumberInput::Counted(_)
        | NumberInput::Spent(_)
        | NumberInput::RubricTree(_)
        | NumberInput::Raters
        | NumberInput::Runs => false,
    };
    Number::ALL.into_iter().filter(is_column).collect()
}

fn number_column(number: Number) -> DataColumn {
    let row = number.row();
    // Columns live as long as the program: they are made once.
    let from = Box::leak(format!("/numbers/{}", row.id).into_boxed_str());
    let kind = if row.form == NumberForm::Count { Integer } else { Real };
    DataColumn { name: row.id, kind, from, unit: row.unit, meaning: row.definition }
}

/// Returns a column as the metadata of a file has it.
pub(crate) fn column_json(column: &DataColumn) -> Value {
    json!({
        "name": column.name,
        "type": column.kind.word(),
        "unit": Some(column.unit).filter(|unit| !unit.is_empty()),
        "meaning": column.meaning,
    })
}
