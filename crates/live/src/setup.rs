//! The setup of a run: agent, options and limits. Plain values, written into the journal so that an interrupted run is
//! resumed with the same ones. Keys are never among them, only the names of their variables.

use std::{path::PathBuf, time::Duration};
use trajview_layers::LayerSpec;

use serde::{Deserialize, Serialize};

use trajview_run::{condition::Condition, worded_enum::worded};

use super::{drivers::command::ProgramOptions, isolation::IsolationOptions};

worded! {
    /// The permissions of an agent.
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

/// The handling of a failed turn, once its repeats are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The run stops; resuming it does the turn again.
    #[default]
    Stop,
    /// The turn counts, and the next request follows.
    Keep,
}

/// Timeouts of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TurnTimeouts {
    /// A whole turn (seconds).
    pub turn: f64,
    /// Since the last output of the agent (seconds).
    pub idle: f64,
    /// After each step of stopping it, before the next one (seconds).
    pub patience: f64,
}

impl Default for TurnTimeouts {
    fn default() -> Self {
        Self { turn: 3_600.0, idle: 900.0, patience: 5.0 }
    }
}

/// Converts seconds to a duration; the longest one when they are no valid number.
pub(crate) fn to_duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The limits before the next request. None is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RunBudget {
    /// Input and output together, cached input counted as input.
    pub tokens: Option<u64>,
    /// US dollars.
    pub usd: Option<f64>,
    /// Minutes of the agent's working time.
    pub minutes: Option<f64>,
    /// The number of turns.
    pub turns: Option<usize>,
}

/// The agent's model and its server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelProvider {
    pub model: Option<String>,
    /// The address of the model server, without `/v1`; None for the agent's own.
    pub base_url: Option<String>,
    /// The variable with the key; None for the driver's own.
    pub key_env: Option<String>,
}

/// The options for recording files of the workspace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordingOptions {
    /// True if files named in the workspace's `.gitignore` are recorded.
    pub records_ignored: bool,
    /// Longer files are not recorded (bytes).
    pub most_bytes: u64,
}

/// Timeouts, limits, and the handling of failed turns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LiveRunLimits {
    pub timeouts: TurnTimeouts,
    pub budget: RunBudget,
    pub on_failure: OnFailure,
    /// The number of repeats of a failed turn.
    pub retries: usize,
}

/// The agent's folders, and the files that are hidden from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FolderOptions {
    /// The folder of the workspace and of the agent's home.
    pub work: PathBuf,
    /// True if that folder stays when the run is over.
    pub keeps_work: bool,
    /// Files outside the bundle that are hidden from the agent: its script and the files that belong to it.
    #[serde(default)]
    pub hidden: Vec<PathBuf>,
    /// True if the agent may reach the bundle: for agents that need to become other users or to mount.
    #[serde(default)]
    pub leaves_bundle_open: bool,
    /// The files of the workspace when the run begins.
    #[serde(default, skip_serializing_if = "StartOptions::is_nothing")]
    pub start: StartOptions,
    /// The sandbox and network of the agent.
    #[serde(default, skip_serializing_if = "IsolationOptions::is_usual")]
    pub isolation: IsolationOptions,
    /// True if the agent gets a copy of the person's login.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copies_login: bool,
}

/// The state before the first request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StartOptions {
    /// A repository, with or without a revision after `@`, or a folder: its files are the workspace.
    pub from: Option<String>,
    /// True if the repository's history is copied too.
    pub with_history: bool,
    /// Commands that prepare the workspace, in order.
    pub setup: Vec<String>,
}

impl StartOptions {
    /// Returns whether the run begins with an empty workspace.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The layers between the script and the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerOptions {
    /// A file whose text goes before each request: the layer `notes`.
    pub notes: Option<PathBuf>,
    /// The other layers, in the order in which they are asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerSpec>,
    /// The model that helps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helper: Option<HelperOptions>,
    /// The folder in which a layer that is a command runs: where the run was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// A judge of the settings as helper model, and its limits. None is no limit.
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
    /// Returns all layers in the order in which they are asked: notes first, unless they have a place of their own.
    pub(crate) fn all_specs(&self) -> Vec<LayerSpec> {
        let has_place = self.layers.iter().any(|spec| spec.name == NOTES);
        let notes = self.notes.as_ref().filter(|_| !has_place);
        let notes = notes.map(|_| LayerSpec { name: NOTES.into(), parts: vec![] });
        notes.into_iter().chain(self.layers.iter().cloned()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunSetup {
    /// The driver's name.
    pub agent: String,
    /// The program in the place of the driver's own.
    pub program: Option<PathBuf>,
    #[serde(flatten)]
    pub provider: ModelProvider,
    /// Arguments for the agent, passed on unchanged.
    pub args: Vec<String>,
    pub permissions: Permissions,
    /// Variables of our environment that the agent gets too.
    pub pass: Vec<String>,
    /// The options of a program without a driver of its own.
    pub command: Option<ProgramOptions>,
    pub condition: Condition,
    #[serde(flatten)]
    pub recording: RecordingOptions,
    #[serde(flatten)]
    pub layers: LayerOptions,
    /// A command that tests the code at each checkpoint.
    pub tests: Option<String>,
    #[serde(flatten)]
    pub limits: LiveRunLimits,
    #[serde(flatten)]
    pub folders: FolderOptions,
    /// True if the agent has a terminal though it does not need one.
    #[serde(default)]
    pub in_terminal: bool,
    /// Columns and rows of the agent's terminal.
    pub size: (u16, u16),
}

impl RunSetup {
    /// Returns the default setup for this driver, working in this folder.
    pub fn new(agent: &str, work: PathBuf) -> Self {
        let recording = RecordingOptions { records_ignored: false, most_bytes: 16 << 20 };
        let folders = FolderOptions { work, ..FolderOptions::default() };
        let (agent, size) = (agent.to_owned(), (120, 40));
        Self { agent, recording, folders, size, ..Self::default() }
    }

    /// Returns the condition with the layers of project state that treat it, by which runs are paired:
    /// `emergent+projectguard`. The notes of a person are no treatment.
    pub(crate) fn condition_with_layers(&self) -> String {
        let layers = self.layers.all_specs().into_iter().filter(|spec| spec.name != NOTES);
        let word = self.condition.word().to_owned();
        layers.fold(word, |named, spec| format!("{named}+{spec}"))
    }

    /// Returns the address of the model server without a slash or `/v1` at its end.
    pub(crate) fn server_url(&self) -> Option<&str> {
        let url = self.provider.base_url.as_deref()?.trim_end_matches('/');
        Some(url.strip_suffix("/v1").unwrap_or(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_part_of_the_condition_and_notes_are_not() {
        let mut setup = RunSetup::new("codex", "w".into());
        setup.layers.notes = Some("notes.md".into());
        assert_eq!(setup.condition_with_layers(), "emergent");

        setup.layers.layers = ["memory:blind", "projectguard"].map(|it| it.parse().unwrap()).into();

        assert_eq!(setup.condition_with_layers(), "emergent+memory:blind+projectguard");
    }

    #[test]
    fn what_a_run_is_to_be_is_written_with_its_fields_in_one_order() {
        let text = r#"{"agent":"codex","program":null,"model":"m","base_url":null,"key_env":"K","args":["-a"],"#.to_owned()
            + r#""permissions":"full","pass":[],"command":null,"condition":"emergent","records_ignored":true,"#
            + r#""most_bytes":16777216,"notes":null,"tests":null,"timeouts":{"turn":1.5,"idle":2.0,"patience":5.0},"#
            + r#""budget":{"tokens":7,"usd":null,"minutes":null,"turns":null},"on_failure":"keep","retries":2,"#
            + r#""work":"w","keeps_work":true,"hidden":["h"],"leaves_bundle_open":true,"in_terminal":true,"#
            + r#""size":[120,40]}"#;

        let setup: RunSetup = serde_json::from_str(&text).unwrap();

        assert_eq!((setup.limits.retries, setup.provider.model.as_deref()), (2, Some("m")));
        assert_eq!(serde_json::to_string(&setup).unwrap(), text);
    }
}
