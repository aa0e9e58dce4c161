//! What is begun from a form: what is wanted, what it would do, why it is refused. Plain values.

use std::path::PathBuf;

use crate::session::{self, export_job::ExportJob};
use trajview_metrics::quality::QualityProfile;
use trajview_run::{Run, condition::Condition};

/// The effects of starting a job: names and values, from the top, in sentences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobPlan {
    pub rows: Vec<(String, String)>,
    /// The defaults of fields without text: ids and values.
    pub proposed: Vec<(&'static str, String)>,
}

impl JobPlan {
    pub fn add_row(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.rows.push((name.into(), value.into()));
    }
}

/// The reason why a job is not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRefusal {
    /// The field it is about; None where it is about the whole.
    pub field: Option<&'static str>,
    /// A sentence.
    pub why: String,
}

impl JobRefusal {
    pub fn for_field(field: &'static str, why: impl Into<String>) -> Self {
        Self { field: Some(field), why: why.into() }
    }
}

/// The request that a form results in, as plain values.
#[derive(Debug, Clone, PartialEq)]
pub enum FormRequest {
    Score(MeasureSettings),
    Test(TestJob),
    Check(CheckJob),
    Live(Box<session::jobs::LiveRunSpec>),
    Export(ExportJob),
}

/// A test command, and its checkpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct TestJob {
    /// Position of the checkpoint among those of the run; None for every one.
    pub checkpoint: Option<usize>,
    pub command: String,
    /// A file below the folder of the code that the command writes in JUnit's XML.
    pub report: Option<String>,
    /// The command is ended after so many.
    pub seconds: f64,
}

impl TestJob {
    /// Returns the checkpoints that are tested, each with its id and the number of turns done.
    pub fn tested_moments(&self, run: &Run) -> Vec<(String, usize)> {
        let all = run.checkpoints.iter().enumerate();
        let wanted = all.filter(|(at, _)| self.checkpoint.is_none_or(|wanted| wanted == *at));
        wanted.map(|(_, it)| (it.id.clone(), it.last_turn + 1)).collect()
    }
}

/// The commands that run on the files of every turn with changes.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckJob {
    pub build: Option<String>,
    pub test: Option<String>,
    pub moments: CheckMoments,
    /// A command is ended after so many.
    pub seconds: f64,
}

/// The moments of a run whose files are built and tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckMoments {
    Turns,
    /// The turns, and the moments after each edit.
    Edits,
}

impl CheckJob {
    /// Returns the commands that there are, the build first.
    pub fn commands(&self) -> Vec<&str> {
        [&self.build, &self.test].into_iter().flatten().map(String::as_str).collect()
    }
}

/// The number of passed tests and of all, or a sentence with the reason why nothing was tested.
pub type CheckpointOutcome = Result<(u64, u64), String>;

/// A run that begins.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveRunStart {
    pub start: Box<LiveRunSpec>,
    pub origin: Option<FormOrigin>,
    /// The saved values of the form: fields and their values.
    pub form_values: Vec<(String, String)>,
}

/// A live run as the form describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveRunSpec {
    /// The run that is shown beside it, and that its task is taken from.
    pub from: Option<PathBuf>,
    pub what: TaskSource,
    pub condition: Condition,
    pub agent: String,
    /// The program that replaces the agent's usual one.
    pub program: Option<PathBuf>,
    pub model: Option<String>,
    pub server: Option<String>,
    /// The name of the variable that has the key; never the key.
    pub key: Option<String>,
    pub surroundings: AgentEnvironment,
    /// A file whose words go before each request.
    pub notes: Option<PathBuf>,
    /// Layers of project state, with blanks between.
    pub layers: Option<String>,
    pub files: WorkspaceSource,
    pub limits: LiveLimits,
    /// The bundle that is made; None for the one that is proposed.
    pub folder: Option<PathBuf>,
    /// The agent's work folder, with a random name.
    pub work: PathBuf,
}

/// The rights and the environment of the agent, in the words of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentEnvironment {
    pub has_full_rights: bool,
    /// The sandbox; empty for none.
    pub sandbox: String,
    /// The image of the container.
    pub image: Option<String>,
    /// The network access; empty for all of it.
    pub network: String,
    /// True where the agent gets a copy of the user's login.
    pub copies_login: bool,
}

/// The source of the agent's workspace, and commands beside the agent's work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceSource {
    /// A repository, with a revision after `@` or without, or a folder, which is copied; None for an empty workspace.
    pub from: Option<String>,
    /// A command that prepares the workspace.
    pub setup: Option<String>,
    /// A command that tests the code at each checkpoint.
    pub tests: Option<String>,
}

/// The limits at which a live run stops; None is no limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveLimits {
    pub tokens: Option<f64>,
    pub usd: Option<f64>,
    pub minutes: Option<f64>,
    pub turns: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskSource {
    /// The requests of the run that the form was opened for; under the other condition, the same task.
    Task,
    Script(PathBuf),
    Specification(PathBuf),
    Prompt(String),
}

/// The run that a form is opened for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormOrigin {
    pub path: PathBuf,
    pub name: String,
    /// The task that several runs share.
    pub task: String,
    pub condition: Condition,
    /// The agent that made the run, as it was recorded.
    pub agent: String,
}

/// The facts for the form, collected by a worker.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormFacts {
    /// The agents: those on this machine first, and of them the one that made the run.
    pub agents: Vec<FormChoice>,
    /// The last values of the form for this task: fields and their values.
    pub remembered: Vec<(String, String)>,
    /// A folder for the agent.
    pub work: PathBuf,
}

/// The formulas and rules that measure the code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeasureSettings {
    pub profile: QualityProfile,
    /// A file or folder of rules; None for those that are built in.
    pub rules: Option<PathBuf>,
    /// True where runs that are opened later are measured so too, which is saved in the settings.
    pub is_default: bool,
}

/// An option of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormChoice {
    /// The id in the code.
    pub id: String,
    pub label: String,
    /// A remark beside the chosen option, such as a version.
    pub remark: String,
    /// The reason why the option cannot be taken, and a remedy; None where it can.
    pub lacks: Option<String>,
}

impl FormChoice {
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), ..Self::default() }
    }

    #[must_use]
    pub fn with_remark(self, remark: impl Into<String>) -> Self {
        Self { remark: remark.into(), ..self }
    }

    #[must_use]
    pub fn with_lack(self, why: impl Into<String>) -> Self {
        Self { lacks: Some(why.into()), ..self }
    }
}
