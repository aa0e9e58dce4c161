//! The design of an audit over many runs, as a study file (`study.toml`) describes it.
//!
//! [`parse_study_file()`] reads it, [`study_file_text()`] writes one, [`super::queue`] draws its sample,
//! [`super::division`] divides the labelling among raters. Paths stay as written: relative to the file.

mod study_file_reader;
mod study_file_writer;
#[cfg(test)]
mod tests;

use trajview_run::{
    rubric::{Codebook, LabelMode, LabelUnit},
    worded_enum::worded,
};

pub use study_file_reader::{MAX_FILE_BYTES, StudyFileMistake, parse_study_file};
pub use study_file_writer::study_file_text;

/// A study. Every part may be missing but the runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyDesign {
    /// The name; None for a study that is called like its file.
    pub name: Option<String>,
    /// Paths of bundles and of folders of bundles, and patterns of such paths (`runs/*`).
    pub runs: Vec<String>,
    /// The unit that is labelled.
    pub unit: LabelUnit,
    /// A file of components in the place of each bundle's own `components.json`.
    pub rubric: Option<String>,
    /// Names of the judges whose verdicts are audited; empty for the judgement that speaks for each run.
    pub judges: Vec<String>,
    /// The judge, or the judgement, whose scores are the runs' results; None for the one of each run.
    pub judge: Option<String>,
    /// The names of the raters; empty where anybody may label.
    pub raters: Vec<String>,
    /// The name of the person who settles disagreements.
    pub adjudicator: Option<String>,
    pub adjudicates: AdjudicationScope,
    pub sample: SampleDesign,
    pub division: LabelDivision,
    pub acts: LabelMode,
    /// The meaning of each level; None for the words of the runs' own files, or the built-in ones.
    pub codebook: Option<Codebook>,
    /// The folder for labels, with a folder for each run, where bundles are read-only.
    pub labels_folder: Option<String>,
}

/// The selection of the things to label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleDesign {
    /// The number of things; None for all.
    pub size: Option<usize>,
    pub seed: u64,
    /// The criteria of stratification; empty for a plain draw.
    pub strata: Vec<StratumKind>,
    pub allocation: SampleAllocation,
}

impl Default for SampleDesign {
    /// Returns the sample of everything, in an order drawn by score.
    fn default() -> Self {
        let strata = vec![StratumKind::Score];
        Self { size: None, seed: 1, strata, allocation: SampleAllocation::default() }
    }
}

worded! {
    /// The property that things of one stratum share.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StratumKind {
        /// The score that the audited judge gave.
        Score = "score",
        Component = "component",
        /// The condition of the run.
        Condition = "condition",
        Run = "run",
    }
}

worded! {
    /// The allocation of a sample to strata. Each of them has one thing at least, as far as the size allows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SampleAllocation {
        /// The same number from each stratum, as far as it has enough.
        #[default]
        Equal = "equal",
        /// A number in proportion to the size of the stratum.
        Proportional = "proportional",
    }
}

/// The division of labelling among raters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LabelDivision {
    /// Every rater labels everything.
    #[default]
    Same,
    /// One rater labels each thing, except those that all raters label.
    Divided(RaterOverlap),
}

/// The amount that all raters label where the rest is divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RaterOverlap {
    Count(usize),
    /// A share of the sample, between 0 and 1.
    Share(f64),
}

worded! {
    /// The choice of the things that the adjudicator settles.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum AdjudicationScope {
        /// Things that two raters scored differently.
        #[default]
        Differing = "differing",
        /// Everything that has a label.
        All = "all",
    }
}

/// The name of the outcome of adjudication among raters; nobody is called so.
pub const GOLD: &str = "gold";

impl StudyDesign {
    /// Returns whether this person labels in the study.
    pub fn has_rater(&self, name: &str) -> bool {
        self.raters.is_empty() || self.raters.iter().any(|it| it == name)
    }

    /// Returns whether the study names this person as a rater.
    pub fn is_rater(&self, name: &str) -> bool {
        self.raters.iter().any(|it| it == name)
    }

    /// Returns whether this person may see the labels of others: the adjudicator may, a rater may not.
    pub fn may_see_all(&self, name: &str) -> bool {
        self.adjudicator.as_deref() == Some(name) || !self.raters.is_empty() && !self.is_rater(name)
    }
}

impl RaterOverlap {
    /// Returns how many of `count` things all raters label.
    pub fn shared_count(self, count: usize) -> usize {
        match self {
            Self::Count(wanted) => wanted.min(count),
            Self::Share(share) => ((share * count as f64).round() as usize).min(count),
        }
    }
}

impl LabelDivision {
    /// Returns how many of `count` things more than one rater labels by design.
    pub fn shared_count(self, count: usize) -> usize {
        match self {
            Self::Same => count,
            Self::Divided(overlap) => overlap.shared_count(count),
        }
    }
}
