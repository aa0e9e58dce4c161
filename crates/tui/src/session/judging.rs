//! What a judging asks of a worker, and what comes back. Plain values: no key, no header is ever among them.

use std::sync::Arc;

use trajview_run::{
    flags::Counts,
    rubric::{self, Codebook, Levels, Look},
};

/// Somebody who can be asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judge {
    pub name: String,
    /// `chat`, `responses`, `messages` or `command`.
    pub kind: String,
    /// Empty where it needs none, or none is chosen yet.
    pub model: String,
    /// Looks for one component, unless somebody says otherwise.
    pub budget: u32,
    pub origin: Origin,
    /// An address, or a program.
    pub place: String,
    /// US dollars for a million tokens sent and for a million tokens of replies; None where it is not priced.
    pub price: Option<[f64; 2]>,
    pub models: Models,
}

/// Why a judge is offered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    #[default]
    Settings,
    /// This variable of the environment holds a key.
    Key(String),
    /// It answers on this machine.
    Server,
    /// It is installed.
    Program,
}

/// Which models a judge has.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Models {
    /// It lists none.
    #[default]
    NoList,
    NotAsked,
    Known(Vec<Model>),
    /// A sentence.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub id: String,
    /// As [`Judge::price`].
    pub price: Option<[f64; 2]>,
}

impl Judge {
    /// Of this model.
    pub fn price_of(&self, model: &str) -> Option<[f64; 2]> {
        let Models::Known(listed) = &self.models else { return self.price };
        let listed = listed.iter().find(|it| it.id == model).and_then(|it| it.price);
        match self.origin {
            Origin::Settings => self.price,
            Origin::Key(_) | Origin::Server | Origin::Program => listed.or(self.price),
        }
    }

    pub fn listed(&self) -> &[Model] {
        match &self.models {
            Models::Known(listed) => listed,
            Models::NoList | Models::NotAsked | Models::Failed(_) => &[],
        }
    }
}

/// What a judge is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// A level for each component.
    #[default]
    Levels,
    /// Places, for each group of criteria.
    Flags,
    /// Whether each decision that applied is kept.
    Decisions,
    /// A level for each part of the process pillars that no recording gives.
    Process,
}

impl Scale {
    pub const ALL: [Self; 4] = [Self::Levels, Self::Flags, Self::Decisions, Self::Process];

    /// What one conversation is about.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Levels => "component",
            Self::Flags => "group",
            Self::Decisions => "decision",
            Self::Process => "part",
        }
    }

    /// The levels that it gives; None where it flags places.
    pub const fn levels(self) -> Option<&'static Levels> {
        match self {
            Self::Levels => Some(&rubric::COMPONENTS),
            Self::Flags => None,
            Self::Decisions => Some(&rubric::DECISIONS),
            Self::Process => Some(&rubric::PROCESS),
        }
    }

    /// What is said where nothing was given.
    pub const fn nothing(self) -> &'static str {
        match self {
            Self::Levels | Self::Decisions | Self::Process => "no verdict",
            Self::Flags => "no answer",
        }
    }
}

/// A component of the checklist, a group of criteria, a decision, or a part of a pillar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    pub id: String,
    /// Of a group, the names of its criteria; of a decision, its question.
    pub name: String,
}

/// What is to be judged, by whom, by what.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingRequest {
    /// Name of a judge.
    pub judge: String,
    /// Empty where a program chooses.
    pub model: String,
    pub scale: Scale,
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
    /// What a study says that components are scored by; None for what the run's own files say.
    pub codebook: Option<Arc<Codebook>>,
    /// The judges that are asked at the same time; empty for one judge.
    pub panel: Vec<Panelist>,
    /// What all of them may cost together, in US dollars as it was typed; None for no bound but their own.
    pub most: Option<String>,
}

/// Another judge of a panel, with what is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panelist {
    pub judge: String,
    /// Empty where a program chooses.
    pub model: String,
    /// Looks for one component or group.
    pub budget: u32,
}

impl JudgingRequest {
    /// What each judge is asked, in order: the same as if it were asked alone.
    pub fn each(&self) -> Vec<Self> {
        let alone = Self { panel: vec![], most: None, ..self.clone() };
        let other = |it: &Panelist| Self {
            judge: it.judge.clone(),
            model: it.model.clone(),
            budget: it.budget,
            ..alone.clone()
        };
        std::iter::once(alone.clone()).chain(self.panel.iter().map(other)).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Anew,
    /// Where the last one of the same wish stopped.
    Resume,
}

/// The most a judging can take. A usual one takes far less.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Where requests go: an address, or a command line.
    pub place: String,
    /// The variable whose key is sent there.
    pub key: Option<String>,
    /// Verdicts or answers of all moments, each file once.
    pub answers: usize,
    /// Everything that can be asked about: the groups of the criteria, the decisions that applied, the parts of pillars; empty
    /// where components are judged.
    pub items: Vec<Item>,
    /// Moments that have nothing to judge, in turns done.
    pub left_out: Vec<usize>,
    /// First hex digits of the SHA-256 of the criteria, where flags are asked for.
    pub criteria: Option<String>,
    /// At most, retries after faults aside.
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

/// What a judge gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// 0..4, or a level of the rubric that is asked by.
    Level(u8),
    /// The judge can neither affirm nor deny.
    CannotTell,
    /// By a codebook, in words: `right 1 yes, clear 4`.
    Scores(String),
    /// Of one group, as they are in the file.
    Flags(Counts),
}

/// One thing that happened while a judge was asked. What it calls a component may be a group.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A file is open; so many of its components are judged already.
    File(File),
    Began {
        component: String,
    },
    /// Words of the judge between its looks, and what they took.
    Replied {
        component: String,
        words: String,
        tokens: Option<u64>,
        /// US dollars for everything so far; None without prices.
        spent: Option<f64>,
    },
    Looked {
        component: String,
        look: Look,
        is_refused: bool,
    },
    Waits {
        component: String,
        why: String,
        seconds: f64,
    },
    /// It is saved.
    Ended {
        component: String,
        /// Without anything given the error says why.
        given: Option<Given>,
        error: Option<String>,
        done: usize,
    },
    /// Time passes.
    Beat,
    /// Of one judge of a panel, by name.
    Of(String, Box<News>),
}

/// A judgement file that is being filled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct File {
    /// Its name in the run's folder of judgements.
    pub name: String,
    /// Turns done.
    pub turn: usize,
    /// Counts from 1.
    pub repeat: usize,
    pub done: usize,
    pub total: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Finished,
    Stopped,
    Failed,
}

/// How a judging ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub how: How,
    /// A sentence.
    pub words: String,
    /// Names of the files there are now, and what each holds.
    pub files: Vec<(String, String)>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
}

impl Outcome {
    /// Of a judging that could not begin, or broke off. Takes a sentence.
    pub const fn failure(words: String) -> Self {
        Self { how: How::Failed, words, files: vec![], spent: None }
    }
}
