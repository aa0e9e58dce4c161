//! What a run is to be: which agent, how, and how far. Plain values, written into the journal so that an interrupted run
//! goes on as it began. No key is ever among them, only the name of the variable that holds it.

use std::{path::PathBuf, time::Duration};
use trajview_layers::Spec;
use trajview_run::values::worded;

use serde::{Deserialize, Serialize};

use super::{drivers::command::ProgramOptions, isolation::Isolation, script::Condition};

worded! {
    /// How much an agent may do without asking.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Permissions {
        /// Write in its workspace and run commands, as far as the agent's own sandbox allows.
        #[default]
        Workspace = "workspace",
        /// Anything; the agent's own checks are off.
        Full = "full",
    }
}

/// What is done about a turn that failed, once its repeats are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The run stops; resuming it does the turn again.
    #[default]
    Stop,
    /// What it left stands, and the next request follows.
    Keep,
}

/// How long is waited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timeouts {
    /// A whole turn (seconds).
    pub turn: f64,
    /// Since the agent was last heard (seconds).
    pub idle: f64,
    /// After asking it to end, before asking more firmly (seconds).
    pub patience: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { turn: 3_600.0, idle: 900.0, patience: 5.0 }
    }
}

/// Seconds as a duration; what is none is as long as there is.
pub fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Where a run stops before its next request. None is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Input and output together, cached input counted as input.
    pub tokens: Option<u64>,
    /// US dollars.
    pub usd: Option<f64>,
    /// Of the agent's working time.
    pub minutes: Option<f64>,
    /// Turns done.
    pub turns: Option<usize>,
}

/// Whose model the agent asks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provider {
    pub model: Option<String>,
    /// Where the model is, without `/v1`; None for the agent's own.
    pub base_url: Option<String>,
    /// The variable that holds the key; None for the driver's own.
    pub key_env: Option<String>,
}

/// What of the workspace is recorded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordingOptions {
    /// Whether files named in the workspace's `.gitignore` are recorded.
    pub records_ignored: bool,
    /// Longer files are not recorded (bytes).
    pub most_bytes: u64,
}

/// How long is waited, how far a run goes, and what is done about a turn that failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Limits {
    pub timeouts: Timeouts,
    pub budget: Budget,
    pub on_failure: OnFailure,
    /// How often a failed turn is repeated.
    pub retries: usize,
}

/// Where the agent works, and what it is not to see.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Folders {
    /// The folder of the workspace and of the agent's home.
    pub work: PathBuf,
    /// Whether that folder stays when the run is over.
    pub keeps_work: bool,
    /// Files outside the bundle that the agent is not to see: the script it was made of, and what goes with it.
    #[serde(default)]
    pub hidden: Vec<PathBuf>,
    /// Whether the agent may reach the bundle: for agents that need to become other users or to mount.
    #[serde(default)]
    pub leaves_bundle_open: bool,
    /// The files that lie there when the run begins.
    #[serde(default, skip_serializing_if = "StartOptions::is_nothing")]
    pub start: StartOptions,
    /// What stands around the agent.
    #[serde(default, skip_serializing_if = "Isolation::is_usual")]
    pub isolation: Isolation,
    /// Whether the agent gets a copy of the person's login.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copies_login: bool,
}

/// What a run begins with, before its first request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StartOptions {
    /// A repository, with a revision after `@` or without, or a folder: its files are the workspace.
    pub from: Option<String>,
    /// Whether the history of the repository comes along.
    pub with_history: bool,
    /// Commands that prepare the workspace, in order.
    pub setup: Vec<String>,
}

impl StartOptions {
    /// Whether the run begins with an empty workspace.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What stands between the script and the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerOptions {
    /// A file whose words go before each request: the layer `notes`.
    pub notes: Option<PathBuf>,
    /// The others, in the order in which they are asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Spec>,
    /// The model that helps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helper: Option<HelperOptions>,
    /// Where a layer that is a command runs: where the run was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// A judge of the settings as helper model, and how far it goes. None is no limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HelperOptions {
    pub name: String,
    pub calls: Option<usize>,
    /// US dollars.
    pub usd: Option<f64>,
}

/// The layer of [`LayerOptions::notes`].
pub const NOTES: &str = "notes";

impl LayerOptions {
    /// All layers in the order in which they are asked: notes first, unless they were given a place.
    pub fn specs(&self) -> Vec<Spec> {
        let has_place = self.layers.iter().any(|spec| spec.name == NOTES);
        let notes = self.notes.as_ref().filter(|_| !has_place);
        let notes = notes.map(|_| Spec { name: NOTES.into(), parts: vec![] });
        notes.into_iter().chain(self.layers.iter().cloned()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Setup {
    /// The driver's name.
    pub agent: String,
    /// In the place of the driver's own.
    pub program: Option<PathBuf>,
    #[serde(flatten)]
    pub provider: Provider,
    /// Handed to the agent as they are.
    pub args: Vec<String>,
    pub permissions: Permissions,
    /// Variables of ours that the agent gets too.
    pub pass: Vec<String>,
    /// How a program without a driver of its own is called.
    pub command: Option<ProgramOptions>,
    pub condition: Condition,
    #[serde(flatten)]
    pub recording: RecordingOptions,
    #[serde(flatten)]
    pub layers: LayerOptions,
    /// A command that tests the code at each checkpoint.
    pub tests: Option<String>,
    #[serde(flatten)]
    pub limits: Limits,
    #[serde(flatten)]
    pub folders: Folders,
    /// Whether the agent has a terminal though it could do without.
    #[serde(default)]
    pub in_terminal: bool,
    /// Columns and rows of the agent's terminal.
    pub size: (u16, u16),
}

impl Setup {
    /// A run of this driver with everything as usual, working in this folder.
    pub fn new(agent: &str, work: PathBuf) -> Self {
        let recording = RecordingOptions { records_ignored: false, most_bytes: 16 << 20 };
        let folders = Folders { work, ..Folders::default() };
        let (agent, size) = (agent.to_owned(), (120, 40));
        Self { agent, recording, folders, size, ..Self::default() }
    }

    /// The condition with the layers of project state that treat it, by which runs are paired: `emergent+projectguard`. The
    /// notes of a person are no treatment.
    pub fn named_condition(&self) -> String {
        let layers = self.layers.specs().into_iter().filter(|spec| spec.name != NOTES);
        let word = self.condition.word().to_owned();
        layers.fold(word, |named, spec| format!("{named}+{spec}"))
    }

    /// The address without a slash or `/v1` at its end.
    pub fn server(&self) -> Option<&str> {
        let url = self.provider.base_url.as_deref()?.trim_end_matches('/');
        Some(url.strip_suffix("/v1").unwrap_or(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_part_of_the_condition_and_notes_are_not() {
        let mut setup = Setup::new("codex", "w".into());
        setup.layers.notes = Some("notes.md".into());
        assert_eq!(setup.named_condition(), "emergent");

        setup.layers.layers = ["memory:blind", "projectguard"].map(|it| it.parse().unwrap()).into();

        assert_eq!(setup.named_condition(), "emergent+memory:blind+projectguard");
    }

    #[test]
    fn what_a_run_is_to_be_is_written_with_its_fields_in_one_order() {
        let text = r#"{"agent":"codex","program":null,"model":"m","base_url":null,"key_env":"K","args":["-a"],"#.to_owned()
            + r#""permissions":"full","pass":[],"command":null,"condition":"emergent","records_ignored":true,"#
            + r#""most_bytes":16777216,"notes":null,"tests":null,"timeouts":{"turn":1.5,"idle":2.0,"patience":5.0},"#
            + r#""budget":{"tokens":7,"usd":null,"minutes":null,"turns":null},"on_failure":"keep","retries":2,"#
            + r#""work":"w","keeps_work":true,"hidden":["h"],"leaves_bundle_open":true,"in_terminal":true,"#
            + r#""size":[120,40]}"#;

        let setup: Setup = serde_json::from_str(&text).unwrap();

        assert_eq!((setup.limits.retries, setup.provider.model.as_deref()), (2, Some("m")));
        assert_eq!(serde_json::to_string(&setup).unwrap(), text);
    }
}
