//! THE list of tables and columns. Writers, readers, the metadata of the files and `trajview export --columns` are made of it.
//!
//! Columns that mean what Inspect Scout's columns of transcripts mean have their names; Scout's other columns
//! (`source_id`, `task_repeat`, `agent_args`, `model_options`, `error`, `limit`, `messages`, `events`) are not written: a
//! [`Run`](trajview_run::Run) does not have them apart.

use std::sync::LazyLock;

use serde_json::{Value, json};

use trajview_metrics::numbers::{Form, Number, Of};
use trajview_run::values::worded;

/// The version of all tables together. A column may be added without a new one.
pub const SCHEMA: &str = "trajview.tables/1";

worded! {
    /// What one row is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Table {
        Runs = "runs",
        Turns = "turns",
        Steps = "steps",
        Edits = "edits",
        Points = "points",
        Flags = "flags",
        Verdicts = "verdicts",
        Labels = "labels",
        Signals = "signals",
        /// Requests, words, arguments and results, each a row.
        Texts = "texts",
    }
}

impl Table {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// What one row of it is, in a sentence for the documentation.
    pub const fn about(self) -> &'static str {
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
                "A row a moment of the code that is scored, as `score --csv` has it; `--each` says which moments."
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
                "A row a text: what was asked, said, called and answered. No other table has them."
            }
        }
    }
}

worded! {
    /// What values a column has. Every column may be null.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        Text = "string",
        /// Text that is JSON: lists, and values of any type.
        Json = "json",
        Whole = "int64",
        Real = "double",
        Truth = "boolean",
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// Where its value stands in the JSON that a row is made of: a JSON pointer.
    pub from: &'static str,
    /// What one of it is; empty for words.
    pub unit: &'static str,
    pub meaning: &'static str,
}

/// A column as it stands in the list: name, type, place, unit, meaning.
type Declared = (&'static str, Kind, &'static str, &'static str, &'static str);

use Kind::{Json, Real, Text, Truth, Whole};

/// The columns of every table, by which tables are joined: rows of one run have the first two in common.
#[rustfmt::skip]
const RUN: [Declared; 3] = [
    ("transcript_id", Text, "/transcript_id", "", "the run's id, as every command prints it; of a recording that cannot be read its path"),
    ("source_uri", Text, "/source_uri", "", "the path of the recording, as it was named; runs may share an id and never a path"),
    ("task_id", Text, "/task_id", "", "the task's id"),
];

#[rustfmt::skip]
const RUNS: &[Declared] = &[
    ("transcript_id", Text, "/transcript_id", "", "the run's id, as every command prints it; of a recording that cannot be read its path"),
    ("source_type", Text, "/run/format", "", "the format of the recording"),
    ("source_uri", Text, "/source_uri", "", "the path of the recording, as it was named"),
    ("date", Text, "/run/started_at", "RFC 3339", "when the run began"),
    ("task_set", Text, "/run/task/venue", "", "the benchmark or venue that the task is from"),
    ("task_id", Text, "/task_id", "", "the task's id"),
    ("agent", Text, "/run/agent", "", "the agent, without its version"),
    ("model", Text, "/run/model", "", "the model as the recording names it; several are joined by `, `"),
    ("score", Json, "/outcome/score", "share", "the score of the graded rubric tree; else the share of the last checkpoint's tests that pass, as recorded"),
    ("success", Truth, "/outcome/success", "", "whether all recorded tests of the last checkpoint pass; null for a rubric tree, which has no threshold"),
    ("message_count", Whole, "/message_count", "messages", "how many messages `export --messages` writes"),
    ("total_time", Real, "/totals/duration_s", "seconds", "from the beginning to the end of the run"),
    ("total_tokens", Whole, "/total_tokens", "tokens", "input and output together; null without both"),
    ("title", Text, "/run/title", "", "the title of the run"),
    ("task_title", Text, "/run/task/title", "", "the title of the task"),
    ("condition", Text, "/run/condition", "", "`emergent`, `single-shot` or what the bundle says"),
    ("harness", Text, "/run/harness", "", "the benchmark harness that wrote the run down"),
    ("provenance", Text, "/run/provenance", "", "how the run came to be, in the recorder's words"),
    ("agent_version", Text, "/run/agent_version", "", "the version of the agent"),
    ("state", Text, "/run/state", "", "`running`, `finished`, or `stopped` and why, as a live run says it"),
    ("ended_at", Text, "/run/ended_at", "RFC 3339", "when the run ended"),
    ("files_from", Text, "/run/files_from", "", "what tells the files of a moment: commits, recorded edits, snapshots"),
    ("checkpoints", Whole, "/checkpoints", "checkpoints", "checkpoints of the run"),
    ("turns", Whole, "/totals/turns", "turns", "turns that count"),
    ("turns_not_counted", Whole, "/totals/turns_not_counted", "turns", "turns that were cut, failed or skipped"),
    ("steps", Whole, "/totals/steps", "steps", "steps of the turns that count, sub-agents' included"),
    ("tool_calls", Whole, "/totals/tool_calls", "calls", "tool calls of the turns that count"),
    ("errors", Whole, "/totals/errors", "steps", "steps that failed, of the turns that count"),
    ("input_tokens", Whole, "/totals/tokens/input", "tokens", "what the model read, cached input included"),
    ("cached_input_tokens", Whole, "/totals/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Whole, "/totals/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Whole, "/totals/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Whole, "/totals/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Whole, "/totals/tokens/cache_write_1h", "tokens", "the part of that which is kept for one hour"),
    ("cost_usd", Real, "/totals/cost_usd", "US dollars", "as recorded"),
    ("cost_computed_usd", Real, "/totals/cost_computed_usd", "US dollars", "at list prices, from tokens; null where a token has no price"),
    ("not_priced_tokens", Whole, "/totals/not_priced_tokens", "tokens", "tokens that have no price"),
    ("lines_added", Whole, "/totals/added", "lines", "over the turns that count"),
    ("lines_removed", Whole, "/totals/removed", "lines", "over the turns that count"),
    ("tests_passed", Whole, "/outcome/passed", "tests", "recorded tests that pass at the last checkpoint that has some"),
    ("tests_total", Whole, "/outcome/total", "tests", "recorded tests of that checkpoint"),
    ("mcf", Real, "/faithfulness/mcf", "score 0..4", "mean component fidelity, of the judgement that counts"),
    ("mcf_capped", Real, "/faithfulness/mcf_capped", "score 0..4", "the same with blockers taken into account"),
    ("judged", Whole, "/faithfulness/judged", "components", "components that have a score"),
    ("components", Whole, "/faithfulness/components", "components", "components of the checklist"),
    ("judge", Text, "/faithfulness/judge", "", "who judged"),
    ("judgement", Text, "/faithfulness/judgement", "", "the file of the judgement"),
    ("judged_turn", Whole, "/faithfulness/turn", "turns", "turns done in the state that was judged"),
    ("rubric_score", Real, "/rubric_tree/score", "share", "the score of the graded rubric tree"),
    ("rubric_leaves", Whole, "/rubric_tree/leaves", "leaves", "leaves of the rubric tree"),
    ("rigor_score", Real, "/process/rigor_score", "share", "RigorScore in the profile rigor-paper"),
    ("rigor_weight_used", Real, "/process/weight_used", "share", "the weights that the RigorScore could use"),
    ("pillar_pf", Real, "/process/pillars/pf", "share", "pillar PF of the process"),
    ("pillar_vc", Real, "/process/pillars/vc", "share", "pillar VC of the process"),
    ("pillar_re", Real, "/process/pillars/re", "share", "pillar RE of the process"),
    ("pillar_aq", Real, "/process/pillars/aq", "share", "pillar AQ of the process"),
    ("pillar_ati", Real, "/process/pillars/ati", "share", "pillar ATI of the process"),
    ("pillar_tad", Real, "/process/pillars/tad", "share", "pillar TAD of the process"),
    ("pillar_ee", Real, "/process/pillars/ee", "share", "pillar EE of the process"),
    ("signals", Whole, "/process/signals", "signals", "signals of the run"),
    ("warnings", Whole, "/warnings_count", "warnings", "what could not be used of the recording, as `show` has it"),
    ("read_error", Text, "/read_error", "", "why the recording, or a part of it, could not be read; null where it could"),
];

#[rustfmt::skip]
const TURNS: &[Declared] = &[
    ("turn", Whole, "/turn", "", "counts from 1"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint that the turn is of"),
    ("started_at", Text, "/started_at", "RFC 3339", "when it began"),
    ("ended_at", Text, "/ended_at", "RFC 3339", "when it ended"),
    ("counts", Truth, "/counts", "", "whether it is part of the totals: not where it was cut, failed or skipped"),
    ("steps", Whole, "/steps", "steps", "the main agent's steps"),
    ("subagent_steps", Whole, "/subagent_steps", "steps", "sub-agents' steps"),
    ("tool_calls", Whole, "/tool_calls", "calls", "tool calls, sub-agents' included"),
    ("errors", Whole, "/errors", "steps", "steps that failed, sub-agents' included"),
    ("files", Whole, "/files", "files", "files that were changed; null where the format does not say"),
    ("lines_added", Whole, "/lines_added", "lines", "in the workspace, as `show` prints it"),
    ("lines_removed", Whole, "/lines_removed", "lines", "in the workspace, as `show` prints it"),
    ("input_tokens", Whole, "/tokens/input", "tokens", "what the model read, cached input included"),
    ("cached_input_tokens", Whole, "/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Whole, "/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Whole, "/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Whole, "/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Whole, "/tokens/cache_write_1h", "tokens", "the part of that which is kept for one hour"),
    ("cost_usd", Real, "/cost_usd", "US dollars", "as recorded"),
    ("cost_computed_usd", Real, "/cost_computed_usd", "US dollars", "at list prices, from tokens; null where a token has no price"),
    ("not_priced_tokens", Whole, "/not_priced_tokens", "tokens", "tokens that have no price"),
    ("context_tokens", Whole, "/context_tokens", "tokens", "what the main agent's last model call of the turn read"),
    ("compactions", Whole, "/compactions", "steps", "times that the context was compacted"),
    ("subagents", Whole, "/subagents", "agents", "sub-agents at work in the turn"),
    ("commit", Text, "/commit", "", "the commit of the files after the turn"),
    ("layer", Text, "/layer", "", "the layer of a live run, as recorded"),
    ("state", Text, "/state", "", "what became of the turn, where its recorder says so"),
    ("why", Text, "/why", "", "why it does not count, or counts though it failed"),
    ("exit", Text, "/exit", "", "how the agent's process ended"),
    ("attempt", Whole, "/attempt", "", "counts from 1"),
    ("denied", Json, "/denied", "", "what the agent was not allowed to do"),
    ("troubles", Json, "/troubles", "", "errors that the agent reported"),
    ("outside", Json, "/outside", "", "what it wrote outside its workspace"),
    ("not_recorded", Json, "/not_recorded", "", "files that are not in the commit, and why"),
];

#[rustfmt::skip]
const STEPS: &[Declared] = &[
    ("turn", Whole, "/turn", "", "counts from 1"),
    ("step", Whole, "/step", "", "its number in the turn, sub-agents' steps included; counts from 1"),
    ("agent_id", Text, "/agent_id", "", "the sub-agent whose step it is; null for the main agent"),
    ("agent_name", Text, "/agent_name", "", "the name of that sub-agent"),
    ("kind", Text, "/kind", "", "message, thinking, tool, ..."),
    ("role", Text, "/role", "", "who speaks"),
    ("label", Text, "/label", "", "the step in one line"),
    ("tool", Text, "/tool/name", "", "the tool that is called"),
    ("call_id", Text, "/tool/call_id", "", "the id of the call, as recorded"),
    ("started_at", Text, "/started_at", "RFC 3339", "when it began"),
    ("ended_at", Text, "/ended_at", "RFC 3339", "when it ended"),
    ("since_turn_s", Real, "/since_turn_s", "seconds", "since the turn's request"),
    ("took_s", Real, "/took_s", "seconds", "from the call to its result"),
    ("waited_s", Real, "/waited_s", "seconds", "before the step, in which nothing of its agent was at work"),
    ("model_call", Whole, "/model_call", "", "the number of the step that holds the tokens of the model call which made this one"),
    ("context_tokens", Whole, "/context_tokens", "tokens", "what that call read"),
    ("input_tokens", Whole, "/tokens/input", "tokens", "what the model read; once for each model call"),
    ("cached_input_tokens", Whole, "/tokens/cached_input", "tokens", "the part of the input that came from the prompt cache"),
    ("output_tokens", Whole, "/tokens/output", "tokens", "what the model wrote, reasoning included"),
    ("reasoning_tokens", Whole, "/tokens/reasoning", "tokens", "the part of the output that is reasoning"),
    ("cache_write_tokens", Whole, "/tokens/cache_write", "tokens", "the part of the input that was written to the prompt cache"),
    ("cache_write_1h_tokens", Whole, "/tokens/cache_write_1h", "tokens", "the part of that which is kept for one hour"),
    ("cost_computed_usd", Real, "/cost_computed_usd", "US dollars", "at list prices, from these tokens"),
    ("not_priced_tokens", Whole, "/not_priced_tokens", "tokens", "tokens that have no price"),
    ("is_error", Truth, "/is_error", "", "whether the step failed"),
    ("outcome", Text, "/result/outcome", "", "`exit 1`, `failed` or `ok`: as much as the recording says"),
    ("exit_code", Whole, "/result/exit_code", "", "of the command that was run"),
    ("result_is_error", Truth, "/result/is_error", "", "whether the result is an error; null without a result"),
    ("result_bytes", Whole, "/result/bytes", "bytes", "size of the result as recorded"),
    ("file", Text, "/where/file", "", "the file that the step was read from"),
    ("line", Whole, "/where/line", "", "the line in that file; counts from 1"),
];

#[rustfmt::skip]
const EDITS: &[Declared] = &[
    ("scope", Text, "/scope", "", "`turn`: the file before and after the turn; `step`: a recorded edit"),
    ("turn", Whole, "/turn", "", "counts from 1"),
    ("step", Whole, "/step", "", "the number of the step in its turn; null where the scope is the turn"),
    ("path", Text, "/path", "", "the file, in the repository"),
    ("kind", Text, "/kind", "", "added, modified, deleted, renamed, ..."),
    ("from_path", Text, "/from", "", "the path before it was renamed"),
    ("lines_added", Whole, "/added", "lines", "null where the recording cannot tell"),
    ("lines_removed", Whole, "/removed", "lines", "null where the recording cannot tell"),
    ("origin", Text, "/origin", "", "recorded, partly, outside (changed outside recorded edits), or outside-workspace"),
];

/// Before the numbers.
#[rustfmt::skip]
const POINTS: &[Declared] = &[
    ("label", Text, "/label", "", "the moment in words"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint that it is of"),
    ("turn", Whole, "/turn", "turns", "turns done, or the turn that the step is of"),
    ("step", Whole, "/step", "", "the number of the step in its turn; null at the end of a turn"),
    ("commit", Text, "/commit", "", "the commit of the files"),
    ("phase", Text, "/phase", "", "early, mid or late, by checkpoints"),
    ("bin", Real, "/bin", "share", "where the checkpoint stands among all"),
    ("churn", Whole, "/churn", "lines", "added and removed since the point before, or by the step"),
    ("profile", Text, "/profile", "", "whose formulas"),
    ("rules", Text, "/rules", "", "which rules"),
    ("skipped", Whole, "/skipped", "files", "files that have no numbers; `score --json` says why"),
    ("unmeasured", Text, "/unmeasured", "", "why every number of the code is null"),
    ("not_comparable", Json, "/not_comparable", "", "numbers that may not be set beside those of the profile's reference"),
    ("judge", Text, "/judge", "", "who judged this state"),
    ("recorded", Json, "/recorded", "", "what the recording says of the same moment, by number"),
];

#[rustfmt::skip]
const FLAGS: &[Declared] = &[
    ("source", Text, "/source", "", "`judge`: a judgement beside the run; `recorded`: a benchmark's harness"),
    ("judgement", Text, "/judgement", "", "the file of the judgement"),
    ("judge", Text, "/judge", "", "who judged"),
    ("judge_kind", Text, "/judge_kind", "", "http, command, human or imported"),
    ("judge_model", Text, "/judge_model", "", "the model of the judge"),
    ("checkpoint", Text, "/checkpoint", "", "the checkpoint, where a harness recorded the flag"),
    ("turn", Whole, "/judged_turn", "turns", "turns done in the state that was judged, as the judgement says"),
    ("commit", Text, "/commit", "", "the commit that was judged"),
    ("created_at", Text, "/created_at", "RFC 3339", "when it was judged"),
    ("repeat", Whole, "/repeat", "", "which of several judgings of one state; counts from 1"),
    ("criterion", Text, "/criterion", "", "which item of the rubric"),
    ("category", Text, "/category", "", "as the rubric has it"),
    ("kind", Text, "/kind", "", "verbosity or erosion"),
    ("path", Text, "/path", "", "the file"),
    ("start_line", Whole, "/start", "", "counts from 1"),
    ("end_line", Whole, "/end", "", "included"),
    ("confidence", Real, "/confidence", "1..5", "how sure the judge is"),
    ("explanation", Text, "/explanation", "", "why"),
    ("carried_from", Text, "/carried_from", "", "the checkpoint whose judging found it first; null where this one's did"),
];

#[rustfmt::skip]
const VERDICTS: &[Declared] = &[
    ("judgement", Text, "/judgement", "", "the file of the judgement"),
    ("judge", Text, "/judge", "", "who judged"),
    ("judge_kind", Text, "/judge_kind", "", "http, command, human or imported"),
    ("judge_model", Text, "/judge_model", "", "the model of the judge"),
    ("prompt_sha256", Text, "/prompt_sha256", "", "of the words that the judge was told"),
    ("rubric", Text, "/rubric", "", "as the judgement names it"),
    ("unit", Text, "/unit", "", "component, decision or process"),
    ("turn", Whole, "/judged_turn", "turns", "turns done in the state that was judged, as the judgement says"),
    ("commit", Text, "/commit", "", "the commit that was judged"),
    ("created_at", Text, "/created_at", "RFC 3339", "when it was judged"),
    ("repeat", Whole, "/repeat", "", "which of several judgings of one state; counts from 1"),
    ("repeats", Whole, "/repeats", "", "how many were wanted"),
    ("item", Text, "/item", "", "the id of the component, decision or part"),
    ("criterion", Text, "/criterion", "", "of a codebook with several"),
    ("scale", Text, "/scale", "", "`1..5`, `[0,1]`; null for the rubric's own"),
    ("score", Real, "/score", "", "on the scale; null where there is none"),
    ("label", Text, "/label", "", "the name of the level"),
    ("rationale", Text, "/rationale", "", "why, in the judge's words"),
    ("evidence", Json, "/evidence", "", "files with lines"),
    ("looks", Whole, "/looks", "calls", "calls of the judge's tools"),
    ("tokens", Whole, "/tokens", "tokens", "that the verdict took"),
    ("seconds", Real, "/seconds", "seconds", "that the verdict took"),
    ("error", Text, "/error", "", "why there is no score"),
    ("reason", Text, "/reason", "", "why there is no score where that is no failure"),
];

#[rustfmt::skip]
const LABELS: &[Declared] = &[
    ("file", Text, "/file", "", "the rater's file"),
    ("number", Whole, "/number", "", "in that file; counts from 1"),
    ("annotator", Text, "/annotator", "", "the rater"),
    ("unit", Text, "/unit", "", "component, leaf, flag, signal, decision or process"),
    ("item", Text, "/item", "", "the id of what is labelled"),
    ("criterion", Text, "/criterion", "", "where an item is labelled by several"),
    ("scale", Text, "/scale", "", "the scale of the score"),
    ("score", Real, "/score", "", "on the scale; null where the rater cannot tell and where it was taken back"),
    ("cannot_tell", Truth, "/cannot_tell", "", "whether the rater looked and cannot give a score"),
    ("confidence", Text, "/confidence", "", "low, medium or high"),
    ("blind", Truth, "/blind", "", "whether it was given before the verdict of its judgement was seen"),
    ("seen", Json, "/seen", "", "judgements whose verdict was on screen before"),
    ("reason", Text, "/reason", "", "agree, false-absence, ..."),
    ("note", Text, "/note", "", "the rater's words"),
    ("judgement", Text, "/judgement", "", "the judgement that is checked"),
    ("turn", Whole, "/judged_turn", "turns", "turns done in the state that was looked at"),
    ("commit", Text, "/commit", "", "the commit that was looked at"),
    ("at", Text, "/at", "RFC 3339", "when it was given"),
];

#[rustfmt::skip]
const SIGNALS: &[Declared] = &[
    ("kind", Text, "/kind", "", "what it is a sign of"),
    ("turn", Whole, "/turn", "", "the turn in which it begins; counts from 1"),
    ("step", Whole, "/step_number", "", "the step at which it begins; counts from 1"),
    ("until_turn", Whole, "/until_turn", "", "the turn in which it ends"),
    ("until_step", Whole, "/until_step", "", "the step at which it ends"),
    ("why", Text, "/why", "", "what was seen"),
    ("path", Text, "/path", "", "the file that it is about"),
];

#[rustfmt::skip]
const TEXTS: &[Declared] = &[
    ("turn", Whole, "/turn", "", "counts from 1"),
    ("step", Whole, "/step", "", "the number of the step in its turn; null for what belongs to the turn"),
    ("part", Text, "/part", "", "request, request_added, text, arguments or result"),
    ("number", Whole, "/number", "", "of several request_added; counts from 1"),
    ("text", Text, "/text", "", "the whole text"),
];

/// The columns of a table, in order.
pub fn columns(table: Table) -> &'static [Column] {
    static ALL: LazyLock<[Vec<Column>; Table::COUNT]> = LazyLock::new(|| Table::ALL.map(made));
    &ALL[table as usize]
}

fn made(table: Table) -> Vec<Column> {
    let own = match table {
        Table::Runs => return RUNS.iter().map(column).collect(),
        Table::Turns => TURNS,
        Table::Steps => STEPS,
        Table::Edits => EDITS,
        Table::Points => POINTS,
        Table::Flags => FLAGS,
        Table::Verdicts => VERDICTS,
        Table::Labels => LABELS,
        Table::Signals => SIGNALS,
        Table::Texts => TEXTS,
    };
    let mut columns: Vec<Column> = RUN.iter().chain(own).map(column).collect();
    if table == Table::Points {
        columns.extend(point_numbers().map(number_column));
    }
    columns
}

const fn column(&(name, kind, from, unit, meaning): &Declared) -> Column {
    Column { name, kind, from, unit, meaning }
}

/// The numbers of a point, in the order of the list of numbers.
pub fn point_numbers() -> impl Iterator<Item = Number> {
    let is_of_point = |number: &Number| match number.row().of {
        Of::Code(_) | Of::Reuse(_) | Of::Judgement(_) | Of::Exposure(_) => true,
        Of::Tests(_)
        | Of::Counted(_)
        | Of::Spent(_)
        | Of::Process(_)
        | Of::RubricTree(_)
        | Of::Raters
        | Of::Runs => false,
    };
    Number::ALL.into_iter().filter(is_of_point)
}

fn number_column(number: Number) -> Column {
    let row = number.row();
    // Columns live as long as the program: they are made once.
    let from = Box::leak(format!("/numbers/{}", row.id).into_boxed_str());
    let kind = if row.form == Form::Count { Whole } else { Real };
    Column { name: row.id, kind, from, unit: row.unit, meaning: row.definition }
}

/// The columns of a table as the metadata of a file has them.
pub fn described(table: Table) -> Value {
    let columns = columns(table).iter().map(|column| {
        json!({
            "name": column.name,
            "type": column.kind.word(),
            "unit": Some(column.unit).filter(|unit| !unit.is_empty()),
            "meaning": column.meaning,
        })
    });
    json!({ "table": table.word(), "about": table.about(), "columns": columns.collect::<Vec<_>>() })
}
