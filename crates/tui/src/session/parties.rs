//! What the comparison asks of a worker, and what comes back.

use trajview_metrics::{numbers::facts::Reused, quality::Snapshot};

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// In turns done.
    pub done: usize,
    /// None where no file could be measured.
    pub code: Option<Snapshot>,
    /// None where nothing could be read.
    pub reuse: Option<Reused>,
}
