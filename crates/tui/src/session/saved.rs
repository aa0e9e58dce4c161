//! Labels on their way: what is to be saved, what became of it, and what agreement is asked about.

use trajview_run::rubric::{Label, Labels, Scale, VerdictId};

/// Scores of a judge and of a rater for the same items, and the scale they are on.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    pub scale: Scale,
    pub scores: Vec<(f64, f64)>,
}

/// What goes into the file of a rater.
#[derive(Debug, Clone, PartialEq)]
pub enum ToSave {
    Label(Label),
    /// What is put down and not committed; one that says nothing takes it away.
    Proposal(Label),
    /// Verdicts that were on screen.
    Seen(Vec<VerdictId>),
}

/// What became of a label that was to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// All labels of the rater, as they are on disk now.
    pub labels: Labels,
    /// The label that another program gave as the same rater, which stands in the place of the one to be saved.
    pub stands: Option<Box<Label>>,
}
