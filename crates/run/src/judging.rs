//! The words that judging has in common: who can judge, what is requested, what happens meanwhile, how it ends.
//!
//! `judge` produces these values, commands print them and the screen draws them. They are plain: no key and no header is
//! ever among them.

use std::{path::PathBuf, sync::Arc};

use super::{
    flags::{self, FlagCounts},
    rubric::{self, Codebook, JudgeToolCall, LabelUnit, RubricLevels},
    worded_enum::worded,
};

/// A judge that can be chosen, as a list of judges shows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgeEntry {
    pub name: String,
    /// `chat`, `responses`, `messages` or `command`.
    pub kind: String,
    /// Empty where it needs none, or none is chosen yet.
    pub model: String,
    /// Tool calls for one component, unless the user chooses another number.
    pub budget: u32,
    pub origin: JudgeOrigin,
    /// An address, or a program.
    pub place: String,
    /// US dollars for a million tokens sent and for a million tokens of replies; None where it is not priced.
    pub price: Option<[f64; 2]>,
    pub models: ModelList,
}

/// The reason why a judge is in the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum JudgeOrigin {
    /// The settings file names it.
    #[default]
    Settings,
    /// This variable of the environment has a key.
    Key(String),
    /// A server on this machine answered.
    Server,
    /// A program is installed at this path.
    Program(PathBuf),
}

/// The models of a judge, as far as they were requested.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelList {
    /// The judge has no list.
    #[default]
    NoList,
    NotRequested,
    Listed(Vec<ListedModel>),
    /// The request failed; a sentence.
    Failed(String),
}

/// A model that a server offers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListedModel {
    pub id: String,
    /// The price, as [`JudgeEntry::price`]; None where the server states none.
    pub price: Option<[f64; 2]>,
}

impl JudgeEntry {
    /// Returns the price of this model.
    pub fn price_of(&self, model: &str) -> Option<[f64; 2]> {
        let ModelList::Listed(listed) = &self.models else { return self.price };
        let listed = listed.iter().find(|it| it.id == model).and_then(|it| it.price);
        match self.origin {
            JudgeOrigin::Settings => self.price,
            JudgeOrigin::Key(_) | JudgeOrigin::Server | JudgeOrigin::Program(_) => {
                listed.or(self.price)
            }
        }
    }

    pub fn listed_models(&self) -> &[ListedModel] {
        match &self.models {
            ModelList::Listed(listed) => listed,
            ModelList::NoList | ModelList::NotRequested | ModelList::Failed(_) => &[],
        }
    }
}

worded! {
    /// The rubric that a judge answers by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum JudgingScale {
        /// The fidelity of a component, from 0 to 4.
        #[default]
        Levels = "slump-5",
        /// The places that meet a criterion.
        Flags = "flags",
        /// A decision, which the code keeps or breaks.
        Decisions = "decisions",
        /// The quality of a part of a pillar of process, from 0 to 3.
        Process = "process",
        /// The result of a component on the scales of a codebook, which are others than the rubric's own.
        Codebook = "codebook",
    }
}

impl JudgingScale {
    /// The scales that a user can name. [`Self::Codebook`] is taken where a codebook is written for components.
    pub const NAMED: [Self; 4] = [Self::Levels, Self::Flags, Self::Decisions, Self::Process];

    /// Returns the name of the rubric in a judgement file.
    pub fn rubric_name(self) -> &'static str {
        match self {
            Self::Flags => flags::RUBRIC,
            Self::Codebook => self.word(),
            Self::Levels | Self::Decisions | Self::Process => {
                self.rubric_levels().map_or("", |levels| levels.rubric)
            }
        }
    }

    /// Returns the levels that a judge chooses from; None where it flags places, and where a codebook has the levels.
    pub const fn rubric_levels(self) -> Option<&'static RubricLevels> {
        match self {
            Self::Levels => Some(&rubric::COMPONENT_LEVELS),
            Self::Flags | Self::Codebook => None,
            Self::Decisions => Some(&rubric::DECISION_LEVELS),
            Self::Process => Some(&rubric::PROCESS_LEVELS),
        }
    }

    /// Returns the kind of thing that an answer is about.
    pub const fn label_unit(self) -> LabelUnit {
        match self {
            Self::Levels | Self::Codebook => LabelUnit::Component,
            Self::Flags => LabelUnit::Flag,
            Self::Decisions => LabelUnit::Decision,
            Self::Process => LabelUnit::Process,
        }
    }

    /// Returns the subject of one conversation: `component` or `group`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Levels | Self::Codebook => "component",
            Self::Flags => "group",
            Self::Decisions => "decision",
            Self::Process => "part",
        }
    }

    /// Returns the words for a conversation that ended without an answer.
    pub const fn no_answer(self) -> &'static str {
        match self {
            Self::Levels | Self::Decisions | Self::Process | Self::Codebook => "no verdict",
            Self::Flags => "no answer",
        }
    }
}

/// A component of the checklist, a group of criteria, a decision, or a part of a pillar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemName {
    pub id: String,
    /// The names of the criteria of a group; the question of a decision.
    pub name: String,
}

/// A request for judgements: the items, the judge and the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingRequest {
    /// Name of a judge.
    pub judge: String,
    /// Empty where a program chooses.
    pub model: String,
    pub scale: JudgingScale,
    /// Path of criteria for flags; None for the built-in ones.
    pub criteria: Option<String>,
    /// Ids of components, groups, decisions or parts; None for all that the state has.
    pub components: Option<Vec<String>>,
    /// Turns done, in order, each once; one judging each.
    pub moments: Vec<usize>,
    /// Looks for one component or group.
    pub budget: u32,
    /// Files to make of each moment; at least 1.
    pub repeats: usize,
    /// Path of a prompt; None for the built-in one.
    pub prompt: Option<String>,
    /// The codebook of a study for components; None for the one of the run's own files.
    pub codebook: Option<Arc<Codebook>>,
    /// The judges that work at the same time; empty for one judge.
    pub panel: Vec<PanelJudge>,
    /// The bound on the cost of all of them, in US dollars as it was typed; None for no bound but their own.
    pub most: Option<String>,
}

/// Another judge of a panel, with what is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelJudge {
    pub judge: String,
    /// Empty where a program chooses.
    pub model: String,
    /// Looks for one component or group.
    pub budget: u32,
}

impl JudgingRequest {
    /// Returns one request for each judge, in order: the same as if it were alone.
    pub fn per_judge(&self) -> Vec<Self> {
        let alone = Self { panel: vec![], most: None, ..self.clone() };
        let other = |it: &PanelJudge| Self {
            judge: it.judge.clone(),
            model: it.model.clone(),
            budget: it.budget,
            ..alone.clone()
        };
        std::iter::once(alone.clone()).chain(self.panel.iter().map(other)).collect()
    }
}

/// The start of a judging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgingStart {
    Anew,
    /// Continues where the last judging of the same request stopped.
    Resume,
}

/// The most a judging can take. A usual one takes far less.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgingPlan {
    /// The target of the requests: an address, or a command line.
    pub place: String,
    /// The variable whose key is sent there.
    pub key: Option<String>,
    /// Verdicts or answers of all moments, each file once.
    pub answers: usize,
    /// All items that can be judged: the groups of the criteria, the decisions that applied, the parts of pillars;
    /// empty where components are judged.
    pub items: Vec<ItemName>,
    /// Moments that have nothing to judge, in turns done.
    pub left_out: Vec<usize>,
    /// First hex digits of the SHA-256 of the criteria, for flags.
    pub criteria: Option<String>,
    /// Largest number of requests, without retries after faults.
    pub requests: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, the bound taken into account; None without prices.
    pub cost: Option<f64>,
    /// US dollars that are never crossed; None without a bound.
    pub bound: Option<f64>,
    /// First hex digits of the SHA-256 of the prompt.
    pub prompt: String,
    /// A sentence about what is missing to begin, such as a key.
    pub lacks: Option<String>,
}

/// The answer of a judge about one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeAnswer {
    /// A level of the rubric, with its name.
    Level { level: u8, name: String },
    /// The judge can neither affirm nor deny.
    CannotTell,
    /// Scores by a codebook, as text: `right 1 yes, clear 4`.
    Scores(String),
    /// The flags of one group, counted as they are in the file, those that were carried on among them.
    Flags(FlagCounts),
}

/// An event while a judge works. `component` is the id of whatever one conversation is about.
#[derive(Debug, Clone, PartialEq)]
pub enum JudgeEvent {
    /// A file is open.
    Opened(OpenFile),
    /// A conversation begins.
    Began { component: String },
    /// The judge replied, between its looks.
    Replied {
        component: String,
        text: String,
        /// Tokens of this request; None where the server does not state them.
        tokens: Option<u64>,
        /// US dollars for everything so far; None without prices.
        spent: Option<f64>,
    },
    /// The judge used a tool.
    CalledTool { component: String, call: JudgeToolCall, is_refused: bool },
    /// A fault that may pass; the request is sent again after so many seconds.
    Waits { component: String, why: String, seconds: f64 },
    /// A conversation is over and saved. Without an answer the error says why.
    Ended {
        component: String,
        answer: Option<JudgeAnswer>,
        error: Option<String>,
        done: usize,
        total: usize,
    },
}

/// A judgement file that is being filled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenFile {
    pub path: PathBuf,
    /// Turns done.
    pub turn: usize,
    /// Number of this file among the repeats; counts from 1.
    pub repeat: usize,
    /// Number of repeats.
    pub repeats: usize,
    /// Items that are judged already.
    pub done: usize,
    pub total: usize,
}

impl OpenFile {
    /// Returns the name of the file in the run's folder of judgements.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// The state in which a judging ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgingEnd {
    Finished,
    Stopped,
    Failed,
}

/// The end of a judging and its files.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingOutcome {
    pub end: JudgingEnd,
    /// A sentence.
    pub text: String,
    /// Names of the files there are now, each with a summary of its content.
    pub files: Vec<(String, String)>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
}

impl JudgingOutcome {
    /// Returns the outcome of a judging that could not begin, or broke off. Takes a sentence.
    pub const fn failure(text: String) -> Self {
        Self { end: JudgingEnd::Failed, text, files: vec![], spent: None }
    }
}
