//! What is begun from a form: what is wanted, what it would do, why it is refused. Plain values.

use std::path::PathBuf;

use crate::session;
use trajview_metrics::quality::Profile;
use trajview_run::Run;

/// What beginning would do: names and values, from the top. Sentences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub rows: Vec<(String, String)>,
    /// What is taken for fields without words: ids and values.
    pub proposed: Vec<(&'static str, String)>,
}

impl Plan {
    pub fn row(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.rows.push((name.into(), value.into()));
    }
}

/// Why something is not begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The field it is about; None where it is about the whole.
    pub field: Option<&'static str>,
    /// A sentence.
    pub why: String,
}

impl Refusal {
    pub fn at(field: &'static str, why: impl Into<String>) -> Self {
        Self { field: Some(field), why: why.into() }
    }
}

/// What a form comes to: plain values, carried out as they are.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    Score(Measure),
    Test(Tests),
    Check(Checks),
    Live(Box<session::jobs::Start>),
}

/// What is run, and of which checkpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct Tests {
    /// Position of the checkpoint among those of the run; None for every one.
    pub checkpoint: Option<usize>,
    pub command: String,
    /// A file below the folder of the code that the command writes in JUnit's XML.
    pub report: Option<String>,
    /// The command is ended after so many.
    pub seconds: f64,
}

impl Tests {
    /// The checkpoints that are tested: position, and turns done.
    pub fn moments(&self, run: &Run) -> Vec<(String, usize)> {
        let all = run.checkpoints.iter().enumerate();
        let wanted = all.filter(|(at, _)| self.checkpoint.is_none_or(|wanted| wanted == *at));
        wanted.map(|(_, it)| (it.id.clone(), it.last_turn + 1)).collect()
    }
}

/// What is run on the files of every turn that changed some.
#[derive(Debug, Clone, PartialEq)]
pub struct Checks {
    pub build: Option<String>,
    pub test: Option<String>,
    pub moments: Moments,
    /// A command is ended after so many.
    pub seconds: f64,
}

/// The moments of a run whose files are built and tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moments {
    Turns,
    /// Those after each edit too.
    Edits,
}

impl Checks {
    /// The commands that there are, the build first.
    pub fn commands(&self) -> Vec<&str> {
        [&self.build, &self.test].into_iter().flatten().map(String::as_str).collect()
    }
}

/// So many passed of so many, or a sentence that says why nothing was tested.
pub type Outcome = Result<(u64, u64), String>;

/// A run that begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Beginning {
    pub start: Box<Start>,
    pub origin: Option<Origin>,
    /// What is remembered of the form: fields and their values.
    pub said: Vec<(String, String)>,
}

/// A run that is to be made, as the form says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The run that is shown beside it, and that its task is taken from.
    pub from: Option<PathBuf>,
    pub what: What,
    pub condition: Condition,
    pub agent: String,
    /// In the place of the agent's usual program.
    pub program: Option<PathBuf>,
    pub model: Option<String>,
    pub server: Option<String>,
    /// The name of the variable that holds the key; never the key.
    pub key: Option<String>,
    pub surroundings: Surroundings,
    /// A file whose words go before each request.
    pub notes: Option<PathBuf>,
    /// Layers of project state, with blanks between.
    pub layers: Option<String>,
    pub files: Files,
    pub limits: Limits,
    /// The bundle that is made; None for the one that is proposed.
    pub folder: Option<PathBuf>,
    /// Where the agent works; nobody can guess it.
    pub work: PathBuf,
}

/// What the agent may do, and what stands around it; the words are those of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    pub has_full_rights: bool,
    /// Empty for none.
    pub sandbox: String,
    /// Of the container.
    pub image: Option<String>,
    /// Empty for all of it.
    pub network: String,
    /// Whether the agent gets a copy of the person's login.
    pub copies_login: bool,
}

/// What the agent works on, and what is done with it beside its work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// A repository, with a revision after `@` or without, or a folder, which is copied; None for an empty workspace.
    pub from: Option<String>,
    /// A command that prepares the workspace.
    pub setup: Option<String>,
    /// A command that tests the code at each checkpoint.
    pub tests: Option<String>,
}

/// Where a live run stops by itself; None does not bound it.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    pub tokens: Option<f64>,
    pub usd: Option<f64>,
    pub minutes: Option<f64>,
    pub turns: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// What the run was asked that this one is started from; under the other condition, the same task.
    Task,
    Script(PathBuf),
    Specification(PathBuf),
    Prompt(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Condition {
    /// One request a turn.
    #[default]
    Emergent,
    /// Everything in one request.
    SingleShot,
}

impl Condition {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Emergent => "emergent",
            Self::SingleShot => "single-shot",
        }
    }

    pub const fn other(self) -> Self {
        match self {
            Self::Emergent => Self::SingleShot,
            Self::SingleShot => Self::Emergent,
        }
    }

    pub fn by_word(word: &str) -> Self {
        if word == Self::SingleShot.word() { Self::SingleShot } else { Self::Emergent }
    }
}

/// The run that a form is opened for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    pub path: PathBuf,
    pub name: String,
    /// What the runs of one task have in common.
    pub task: String,
    pub condition: Condition,
}

/// What a worker found out for the form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Those that are on this machine first.
    pub agents: Vec<Choice>,
    /// What the last form said about this task: fields and their values.
    pub remembered: Vec<(String, String)>,
    /// A folder for the agent.
    pub work: PathBuf,
}

/// Whose formulas and which rules measure the code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measure {
    pub profile: Profile,
    /// A file or folder of rules; None for those that are built in.
    pub rules: Option<PathBuf>,
    /// Whether runs that are opened later are measured so too: the settings say it from then on.
    pub is_default: bool,
}

/// One of the values of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// What the code knows it by.
    pub id: String,
    pub label: String,
    /// What stands behind it while it is chosen, such as a version.
    pub remark: String,
    /// Why it cannot be taken, and what would help; None where it can.
    pub lacks: Option<String>,
}

impl Choice {
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), ..Self::default() }
    }

    #[must_use]
    pub fn with_remark(self, remark: impl Into<String>) -> Self {
        Self { remark: remark.into(), ..self }
    }

    #[must_use]
    pub fn lacking(self, why: impl Into<String>) -> Self {
        Self { lacks: Some(why.into()), ..self }
    }
}
