//! `run.json` of a run under way, and the rows that it shares with the journal.

use serde::{Deserialize, Serialize};

use super::base::Base;
use trajview_layers::{Brief, Sentence, Spent, stack::Said};
use trajview_run::Tokens;
use trajview_store::import::{Agent, CheckpointRow, Task};

use super::{isolation::Isolation, setup::Limits};

/// What a layer did to a request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerRow {
    pub name: String,
    /// The words it put before the request; empty for none.
    pub added: String,
    /// Whether the agent began a new session for it.
    pub restarted: bool,
    /// A sentence.
    pub why: String,
    /// Why the agent began a new session for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of the words, each with where it is from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<Sentence>,
    /// The files that it expected the request to touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forecast: Vec<String>,
    /// What it took to find the words: no part of what the agent used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// What it took to take in the turn when it was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Spent>,
    /// How often it gave something while the turn was under way.
    #[serde(skip_serializing_if = "is_zero")]
    pub given: usize,
}

impl LayerRow {
    pub fn of(said: &Said) -> Self {
        let Said { layer, brief, spent } = said;
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

    /// What it said; None where it only took in the turn.
    pub fn said(&self) -> Option<Said> {
        let spent = self.spent?;
        let brief = Brief {
            sentences: self.sentences.clone(),
            forecast: self.forecast.clone(),
            restarts: self.reason.clone(),
            why: self.why.clone(),
        };
        Some(Said { layer: self.name.clone(), brief, spent })
    }
}

/// How far a turn came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its request was sent, and nothing more is recorded.
    #[default]
    Begun,
    /// It counts.
    Done,
    /// It failed and stands all the same, because that is what was asked for.
    Kept,
    /// It failed, was stopped or took too long; it is done again when the run goes on.
    Cut,
}

impl State {
    pub const fn counts(self) -> bool {
        matches!(self, Self::Done | Self::Kept)
    }
}

/// One turn, in `run.json` and in the journal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnRow {
    /// Counts from 1.
    pub turn: usize,
    pub commit: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    #[serde(flatten)]
    pub log: LogPlace,
    /// Null, one object, or a list of them.
    pub layer: Option<Layers>,
    pub state: State,
    /// Counts from 1.
    pub attempt: usize,
    /// How the process ended: `exit code 0`; null where it still runs.
    pub exit: Option<String>,
    /// Why it does not count, or counts though it failed; a sentence.
    pub why: Option<String>,
    #[serde(flatten)]
    pub reported: Reported,
    #[serde(flatten)]
    pub files: FileRemarks,
    /// Processes that the agent had left running when the turn was over, and that were ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_running: usize,
    #[serde(flatten)]
    pub typed: Typed,
    /// Whether the agent began anew for this turn, and knows nothing of those before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_memory: bool,
}

/// Where a turn stands in the logs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LogPlace {
    /// The log: a name below `session/`.
    pub session: Option<String>,
    pub first_line: Option<u32>,
    pub last_line: Option<u32>,
}

/// What the agent itself reported of a turn; a log that is read says more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reported {
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// What the agent was not allowed to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// What it reported on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
}

/// What is to be known of the files that a turn left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileRemarks {
    /// What it wrote outside its workspace, where that was noticed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// What of its files is not in the commit, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_recorded: Vec<String>,
    /// Files in the commit in which a key was covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<String>,
}

/// What a person typed into the agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Typed {
    /// Whether the request was typed: it is not in the script.
    #[serde(rename = "typed", skip_serializing_if = "std::ops::Not::not")]
    pub request: bool,
    /// What was typed while the turn was under way, and the agent took into it: answers, and words that steered it.
    #[serde(rename = "typed_within", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Layers {
    One(Box<LayerRow>),
    Several(Vec<LayerRow>),
}

impl Layers {
    pub fn of(mut rows: Vec<LayerRow>) -> Option<Self> {
        match rows.len() {
            0 => None,
            1 => rows.pop().map(|row| Self::One(Box::new(row))),
            _ => Some(Self::Several(rows)),
        }
    }

    /// What they took all together, before the turn and after it.
    pub fn spent(&self) -> Spent {
        let all = self.rows().iter().flat_map(|row| [row.spent, row.after]);
        all.flatten().fold(Spent::default(), Spent::and)
    }

    pub fn rows(&self) -> &[LayerRow] {
        match self {
            Self::One(row) => std::slice::from_ref(row),
            Self::Several(rows) => rows,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    pub schema: &'static str,
    pub id: &'a str,
    pub title: String,
    pub task: Option<Task<'a>>,
    #[serde(flatten)]
    pub configuration: Configuration<'a>,
    pub provenance: String,
    #[serde(flatten)]
    pub course: Course<'a>,
    /// The files that it began with; absent where the workspace was empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<&'a Base>,
    pub languages: [&'static str; 0],
    pub checkpoints: Vec<CheckpointRow<'a>>,
    pub turns: Vec<TurnRow>,
    /// Files below `session/` that no format reads; they are kept as they are.
    pub kept: &'a [String],
    pub surroundings: Surroundings<'a>,
    /// Sentences about the run as a whole.
    pub remarks: &'a [String],
}

/// When the run began and ended, and how.
#[derive(Debug, Serialize)]
pub struct Course<'a> {
    pub started_at: &'a str,
    /// Null while it runs.
    pub ended_at: Option<&'a str>,
    /// `running`, `finished`, or `stopped` and why.
    pub state: String,
}

/// Which agent works, how it is asked, and with which model.
#[derive(Debug, Serialize)]
pub struct Configuration<'a> {
    /// With the layers that treat it: `emergent+projectguard`.
    pub condition: String,
    pub platform: &'a str,
    pub agent: Agent<'a>,
    pub model: Option<&'a str>,
}

/// What there was around the agent.
#[derive(Debug, Serialize)]
pub struct Surroundings<'a> {
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
    pub conduct: Conduct<'a>,
}

/// What two runs are to have in common where only their condition is compared.
#[derive(Debug, Serialize)]
pub struct Conduct<'a> {
    pub limits: &'a Limits,
    /// Whether the agent could read and change the bundle.
    pub bundle_in_reach: bool,
    /// Whether the agent had a terminal though it could do without.
    pub in_terminal: bool,
    pub isolation: &'a Isolation,
    /// Of the words of all requests, in order, as they were asked or are to be asked; without what layers add.
    pub prompts_sha256: String,
    /// How often the run was gone on with.
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

        let row: TurnRow = serde_json::from_str(&text).unwrap();

        assert_eq!((row.reported.cost_usd, row.typed.request), (Some(0.25), true));
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
        assert_eq!(serde_json::from_str::<TurnRow>("{}").unwrap(), TurnRow::default());
    }
}
