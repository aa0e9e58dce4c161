//! The messages about labels: the label to save, its result, and the scores for agreement.

use trajview_run::rubric::{Label, LabelFile, ScoreScale, VerdictId};

/// Scores of a judge and of a rater for the same items, and the scale they are on.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorePairs {
    pub scale: ScoreScale,
    pub scores: Vec<(f64, f64)>,
}

/// An entry for the file of a rater.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelSave {
    Label(Label),
    /// A proposal that is not committed; an empty one removes it.
    Proposal(Label),
    /// Verdicts that were on screen.
    Seen(Vec<VerdictId>),
}

/// The result of saving a label.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedLabels {
    /// All labels of the rater, as they are on disk now.
    pub labels: LabelFile,
    /// The label that another program saved first for the same rater, which replaces the one to be saved.
    pub winning_label: Option<Box<Label>>,
}
