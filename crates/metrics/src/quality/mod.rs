//! Code quality of a snapshot: the share of its complexity in few functions (erosion) and the share of its text that
//! could be removed (verbosity), as SlopCodeBench defines them.
//!
//! One file is measured alone ([`measure_file()`], the costly part, to be cached by content), a snapshot is the sum
//! over its files ([`combine_files`], cheap), and two snapshots are compared by [`quality_changes()`]. The formulas
//! and which files count are the [`QualityProfile`]'s. Nothing here reads a disk or starts a thread: callers pass the
//! bytes and may measure many files in parallel.

mod erosion_effects;
mod file_measure;
mod hash;
mod kinds;
pub mod languages;
mod measure;
mod normalisation;
mod profile;
mod python;
mod python_lines;
mod ruler;
mod scored_snapshot;
mod snapshot;
mod snapshot_changes;
mod snapshot_sum;
mod wrappers;

pub use erosion_effects::{ErosionEffect, erosion_effects};
pub(crate) use file_measure::node_span;
pub use file_measure::{
    CloneCandidate, FileCallable, FileMeasure, LineSet, QualityHit, SkipReason, SourceSpan,
};
pub use kinds::{KindNames, flags_in};
pub use languages::{MeasuredLanguage, ROWS};
pub use measure::{ParsedFile, measure_and, measure_file};
pub use profile::QualityProfile;
pub use ruler::Ruler;
pub use scored_snapshot::{ScoredSnapshot, UnmeasuredReason};
pub use snapshot::{
    CallableAt, CloneGroup, CodePlace, HitAt, QualityDetail, QualitySnapshot, QualityTotals,
    SkippedFile, SnapshotFile, combine_files, combine_with_detail,
};
pub use snapshot_changes::{
    CallableWeight, QualityChange, QualityChangeKind, not_compared, quality_changes,
};
pub use wrappers::{
    AliasTarget, CallEffects, CalledName, ForwardedValue, NameAlias, WrapperLinks, WrapperSymbol,
};

/// A callable with more paths than this has high complexity.
pub const HIGH_CC: u32 = 10;

/// A shorter piece is never a clone.
pub(crate) const MIN_CLONE_LINES: u32 = 3;

/// A file with nodes deeper than this is skipped: no reference can measure it, and patterns that look upwards would
/// take time quadratic in the depth.
pub const MAX_DEPTH: usize = 5_000;

/// A longer file is skipped. Such files are generated data; nobody writes them by hand, and no model does.
pub const MAX_BYTES: usize = 5 << 18;

#[cfg(test)]
mod tests;
