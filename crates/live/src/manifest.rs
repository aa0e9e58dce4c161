//! `run.json` of a run under way, and the rows that it shares with the journal.

use serde::{Deserialize, Serialize};

use trajview_layers::{Brief, BriefSentence, HelperCost, stack::LayerBrief};
use trajview_run::{
    Time, Tokens, TurnState,
    live::{EndedTurn, LayerEffect, RunTotal},
};

use super::{isolation::IsolationOptions, setup::LiveRunLimits};

/// The work of a layer on a request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerRow {
    pub name: String,
    /// The text that it put before the request; empty for none.
    pub added: String,
    /// True if the agent began a new session for it.
    pub restarted: bool,
    /// A sentence.
    pub why: String,
    /// The reason why the agent began a new session for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The sentences of the text, each with its source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<BriefSentence>,
    /// The files that it expected the request to touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forecast: Vec<String>,
    /// The usage for finding the text; not part of the agent's usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<HelperCost>,
    /// The usage for processing the finished turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<HelperCost>,
    /// The number of times that it answered while the turn was under way.
    #[serde(skip_serializing_if = "is_zero")]
    pub given: usize,
}

impl LayerRow {
    /// Returns the row of a layer that added a brief to the request.
    pub(crate) fn from_brief(brief_answer: &LayerBrief) -> Self {
        let LayerBrief { layer, brief, spent } = brief_answer;
        Self {
            name: layer.clone(),
            added: brief.text(),
            restarted: brief.restarts.is_some(),
            why: brief.why.clone(),
            reason: brief.restarts.clone(),
            sentences: brief.sentences.clone(),
            forecast: brief.forecast.clone(),
            spent: Some(*spent),
            ..Self::default()
        }
    }

    pub(crate) fn effect(&self) -> LayerEffect {
        LayerEffect { name: self.name.clone(), why: self.why.clone() }
    }

    /// Returns the brief that the layer added to the request; None where it only processed the turn.
    pub(crate) fn to_brief(&self) -> Option<LayerBrief> {
        let spent = self.spent?;
        let brief = Brief {
            sentences: self.sentences.clone(),
            forecast: self.forecast.clone(),
            restarts: self.reason.clone(),
            why: self.why.clone(),
        };
        Some(LayerBrief { layer: self.name.clone(), brief, spent })
    }
}

/// One turn, in `run.json` and in the journal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveTurnRow {
    /// Counts from 1.
    pub turn: usize,
    pub commit: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    #[serde(flatten)]
    pub log: LogPlace,
    /// Null, one object, or a list of them.
    pub layer: Option<LayerRows>,
    pub state: TurnState,
    /// Counts from 1.
    pub attempt: usize,
    /// The end of the process: `exit code 0`; null while it runs.
    pub exit: Option<String>,
    /// The reason why it does not count, or counts though it failed; a sentence.
    pub why: Option<String>,
    #[serde(flatten)]
    pub reported: AgentReport,
    #[serde(flatten)]
    pub files: FileRemarks,
    /// Processes that the agent had left running when the turn was over, and that were ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_running: usize,
    #[serde(flatten)]
    pub typed: TypedByPerson,
    /// True if the agent began a new session for this turn, and knows nothing of those before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_memory: bool,
}

impl LiveTurnRow {
    /// Returns the event of the turn's end; `total` is the usage of all turns by then.
    pub fn ended(&self, total: RunTotal) -> EndedTurn {
        let helper = self.layer.as_ref().map(LayerRows::total_spent).unwrap_or_default();
        let time = |text: &Option<String>| text.as_deref().and_then(Time::parse);
        let times = time(&self.started_at).zip(time(&self.ended_at));
        EndedTurn {
            turn: self.turn,
            state: self.state,
            why: self.why.clone(),
            seconds: times.map_or(0.0, |(from, to)| (to.0 - from.0).max(0) as f64 / 1000.0),
            tokens: self.reported.tokens,
            left_running: self.left_running,
            helper_calls: helper.calls,
            helper_cost_usd: helper.cost_usd,
            changed: vec![],
            total,
        }
    }
}

/// The place of a turn in the logs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LogPlace {
    /// The log: a name below `session/`.
    pub session: Option<String>,
    pub first_line: Option<u32>,
    pub last_line: Option<u32>,
}

/// The agent's own report of a turn; a log that can be read has more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentReport {
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// Actions that the agent was not allowed to take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// Errors that it reported and went on from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
}

/// Remarks on the files that a turn left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileRemarks {
    /// Files that it wrote outside its workspace, as far as noticed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Files that are not in the commit, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_recorded: Vec<String>,
    /// Files in the commit in which a key was covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<String>,
}

/// Input that a person typed into the agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TypedByPerson {
    /// True if the request was typed: it is not in the script.
    #[serde(rename = "typed", skip_serializing_if = "std::ops::Not::not")]
    pub request: bool,
    /// Input typed during the turn that the agent took into it: answers, and prompts that steered it.
    #[serde(rename = "typed_within", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LayerRows {
    One(Box<LayerRow>),
    Several(Vec<LayerRow>),
}

impl LayerRows {
    pub fn from_rows(mut rows: Vec<LayerRow>) -> Option<Self> {
        match rows.len() {
            0 => None,
            1 => rows.pop().map(|row| Self::One(Box::new(row))),
            _ => Some(Self::Several(rows)),
        }
    }

    /// Returns the usage of all layers, before the turn and after it.
    pub fn total_spent(&self) -> HelperCost {
        let all = self.rows().iter().flat_map(|row| [row.spent, row.after]);
        all.flatten().fold(HelperCost::default(), HelperCost::combined_with)
    }

    pub fn rows(&self) -> &[LayerRow] {
        match self {
            Self::One(row) => std::slice::from_ref(row),
            Self::Several(rows) => rows,
        }
    }
}

/// The values of `run.json` that only the recorder of a live run writes, after the turns.
#[derive(Debug, Serialize)]
pub struct RecorderValues<'a> {
    /// Files below `session/` that no format reads; they are kept as they are.
    pub kept: &'a [String],
    pub surroundings: RunSurroundings<'a>,
    /// Sentences about the run as a whole.
    pub remarks: &'a [String],
}

/// The environment of the agent.
#[derive(Debug, Serialize)]
pub struct RunSurroundings<'a> {
    pub recorder: &'static str,
    pub os: &'static str,
    pub architecture: &'static str,
    /// Names alone.
    pub variables: Vec<&'a str>,
    pub permissions: &'static str,
    pub arguments: &'a [String],
    pub records_ignored: bool,
    /// Patterns of what is never recorded.
    pub not_recorded: &'a [String],
    pub most_bytes: u64,
    pub tests: Option<&'a str>,
    #[serde(flatten)]
    pub conduct: RecordedConduct<'a>,
}

/// Properties that two runs should share when only their condition is compared.
#[derive(Debug, Serialize)]
pub struct RecordedConduct<'a> {
    pub limits: &'a LiveRunLimits,
    /// True if the agent could read and change the bundle.
    pub bundle_in_reach: bool,
    /// True if the agent had a terminal though it could do without.
    pub in_terminal: bool,
    pub isolation: &'a IsolationOptions,
    /// The hash of the texts of all requests, in order, sent or still to be sent; without the text of layers.
    pub prompts_sha256: String,
    /// The number of times that the run was resumed.
    pub interruptions: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_a_live_run_is_read_and_written_with_its_fields_in_one_order() {
        let text = r#"{"turn":2,"commit":"c","started_at":"a","ended_at":"b","session":"s.jsonl","first_line":3,"#.to_owned()
            + r#""last_line":9,"layer":null,"state":"done","attempt":1,"exit":"exit code 0","why":null,"tokens":TOKENS,"#
            + r#""cost_usd":0.25,"denied":["d"],"troubles":["t"],"outside":["o"],"not_recorded":["n"],"covered":["k"],"#
            + r#""left_running":1,"typed":true,"typed_within":["w"],"without_memory":true}"#;
        let tokens =
            serde_json::to_string(&Tokens { input: Some(5), ..Tokens::default() }).unwrap();
        let text = text.replace("TOKENS", &tokens);

        let row: LiveTurnRow = serde_json::from_str(&text).unwrap();

        assert_eq!((row.reported.cost_usd, row.typed.request), (Some(0.25), true));
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
        assert_eq!(serde_json::from_str::<LiveTurnRow>("{}").unwrap(), LiveTurnRow::default());
    }
}
