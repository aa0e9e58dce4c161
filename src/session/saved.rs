//! Labels on their way: what became of one that was to be saved, and what agreement is asked about.

use crate::run::rubric::{Label, Labels};

/// Scores of a judge and of a rater for the same components.
pub type Pairs = Vec<(f64, f64)>;

/// What became of a label that was to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// All labels of the rater, as they are on disk now.
    pub labels: Labels,
    /// The label that another program gave as the same rater, which stands in the place of the one to be saved.
    pub stands: Option<Label>,
}
