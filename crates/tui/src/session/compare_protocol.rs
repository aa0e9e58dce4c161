//! What the comparison asks of a worker, and what comes back.

use trajview_metrics::{numbers::facts::ReuseCounts, quality::QualitySnapshot};

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRunMoment {
    /// The turns done.
    pub done: usize,
    /// The code; None where no file could be measured.
    pub code: Option<QualitySnapshot>,
    /// The reuse between modules; None where no code could be read.
    pub reuse: Option<ReuseCounts>,
}
