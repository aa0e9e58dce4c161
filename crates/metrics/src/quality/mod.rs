//! Code quality of a snapshot: the share of its complexity in few functions (erosion) and the share of its text that
//! could be removed (verbosity), as SlopCodeBench defines them.
//!
//! One file is measured alone ([`measure_file()`], the costly part, to be cached by content), a snapshot is the sum
//! over its files ([`combine_files`], cheap), and two snapshots are compared by [`quality_changes()`]. The formulas
//! and which files count are the [`QualityProfile`]'s. Nothing here reads a disk or starts a thread: callers pass the
//! bytes and may measure many files in parallel.

mod snapshot_changes;
mod file_measure;
mod hash;
mod kinds;
pub mod languages;
mod measure;
mod normalisation;
mod profile;
mod python;
mod ruler;
mod scored_snapshot;
mod snapshot;
mod snapshot_sum;
mod python_lines;
mod wrappers;

pub use snapshot_changes::{QualityChange, CallableWeight, QualityChangeKind, quality_changes, not_compared};
pub(crate) use file_measure::node_span;
pub use file_measure::{FileCallable, CloneCandidate, FileMeasure, QualityHit, LineSet, SkipReason, SourceSpan};
pub use kinds::{KindNames, flags_in};
pub use languages::{ROWS, MeasuredLanguage};
pub use measure::{ParsedFile, measure_file, measure_and};
pub use profile::QualityProfile;
pub use ruler::Ruler;
pub use scored_snapshot::{ScoredSnapshot, UnmeasuredReason};
pub use snapshot::{
    CallableAt, CloneGroup, QualityDetail, SnapshotFile, HitAt, CodePlace, SkippedFile, QualitySnapshot, QualityTotals, combine_files,
    combine_with_detail,
};
pub use wrappers::{NameAlias, CalledName, CallEffects, ForwardedValue, WrapperLinks, WrapperSymbol, AliasTarget};

/// A callable with more paths than this has high complexity.
pub const HIGH_CC: u32 = 10;

/// A shorter piece is never a clone.
pub const MIN_CLONE_LINES: u32 = 3;

/// A file with nodes deeper than this is skipped: no reference can measure it, and patterns that look upwards would
/// take time quadratic in the depth.
pub const MAX_DEPTH: usize = 5_000;

/// A longer file is skipped. Such files are generated data; nobody writes them by hand, and no model does.
pub const MAX_BYTES: usize = 5 << 18;

#[cfg(test)]
mod tests;
