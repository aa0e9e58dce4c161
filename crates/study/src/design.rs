//! How an audit over many runs is made: what a study file (`study.toml`) says.
//!
//! [`read()`] reads it, [`written()`] writes one, [`super::queue`] draws the sample that it wants, [`super::division`] says
//! who labels what. Paths are as they are written: relative to the file.

mod read;
#[cfg(test)]
mod tests;
mod written;

use trajview_run::{
    rubric::{Acts, Codebook, Unit},
    values::worded,
};

pub use read::{MOST_BYTES, Mistake, read};
pub use written::written;

/// A study. Every part may be missing but the runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Design {
    /// None where it has no name; it is called as its file then.
    pub name: Option<String>,
    /// Paths of bundles and of folders of bundles, and patterns of such paths (`runs/*`).
    pub runs: Vec<String>,
    /// What is labelled.
    pub unit: Unit,
    /// A file of components in the place of each bundle's own `components.json`.
    pub rubric: Option<String>,
    /// Names of the judges whose verdicts are audited; empty for the judgement that speaks for each run.
    pub judges: Vec<String>,
    /// Who labels; empty where anybody may.
    pub raters: Vec<String>,
    /// Who settles what raters differ on.
    pub adjudicator: Option<String>,
    pub adjudicates: Adjudicates,
    pub sample: Sample,
    pub division: Division,
    pub acts: Acts,
    /// What each level means; None for the words of the runs' own files, or the built-in ones.
    pub codebook: Option<Codebook>,
    /// Where labels are kept, a folder a run, in the place of the bundles: where those are only read.
    pub labels_folder: Option<String>,
}

/// Which of the things that could be labelled are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// None for all.
    pub size: Option<usize>,
    pub seed: u64,
    /// What the draw is stratified by; nothing of it for a plain draw.
    pub strata: Vec<Stratum>,
    pub allocation: Allocation,
}

impl Default for Sample {
    /// Everything, in an order drawn by score.
    fn default() -> Self {
        let strata = vec![Stratum::Score];
        Self { size: None, seed: 1, strata, allocation: Allocation::default() }
    }
}

worded! {
    /// What things of one stratum have in common.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Stratum {
        /// The score that the audited judge gave.
        Score = "score",
        Component = "component",
        /// The condition of the run.
        Condition = "condition",
        Run = "run",
    }
}

worded! {
    /// How a sample is shared out among strata. Each of them has one thing at least, as far as the size allows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Allocation {
        /// As many of each, as far as there are any.
        #[default]
        Equal = "equal",
        /// As many as its share of everything.
        Proportional = "proportional",
    }
}

/// Who labels what.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Division {
    /// Every rater labels everything.
    #[default]
    Same,
    /// Each thing goes to one rater, but for those that all of them label.
    Divided(Overlap),
}

/// How much all raters label where the rest is divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Overlap {
    Count(usize),
    /// Between 0 and 1, of the sample.
    Share(f64),
}

worded! {
    /// What is put before the adjudicator.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Adjudicates {
        /// What two raters scored differently.
        #[default]
        Differing = "differing",
        /// All that has a label.
        All = "all",
    }
}

/// The name of the outcome of adjudication among raters; nobody is called so.
pub const GOLD: &str = "gold";

impl Design {
    /// Whether this person labels in it.
    pub fn has_rater(&self, name: &str) -> bool {
        self.raters.is_empty() || self.raters.iter().any(|it| it == name)
    }

    /// Whether it names this person as a rater.
    pub fn is_rater(&self, name: &str) -> bool {
        self.raters.iter().any(|it| it == name)
    }

    /// Whether this person may see the labels of others: whoever settles differences, and nobody who labels.
    pub fn may_see_all(&self, name: &str) -> bool {
        self.adjudicator.as_deref() == Some(name) || !self.raters.is_empty() && !self.is_rater(name)
    }
}

impl Overlap {
    /// How many of so many things all raters label.
    pub fn of(self, count: usize) -> usize {
        match self {
            Self::Count(wanted) => wanted.min(count),
            Self::Share(share) => ((share * count as f64).round() as usize).min(count),
        }
    }
}

impl Division {
    /// How many of so many things more than one rater labels by design.
    pub fn shared(self, count: usize) -> usize {
        match self {
            Self::Same => count,
            Self::Divided(overlap) => overlap.of(count),
        }
    }
}
