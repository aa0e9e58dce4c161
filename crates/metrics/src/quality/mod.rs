//! Code quality of a snapshot: how much of its complexity sits in few functions (erosion) and how much of its text
//! could go (verbosity), as SlopCodeBench defines them.
//!
//! One file is measured alone ([`measure()`], the costly part, to be kept by content), a snapshot is added up from its
//! files ([`combine`], cheap), and two snapshots tell what moved between them ([`changes()`]). The formulas and which
//! files count are the [`Profile`]'s. Nothing here reads a disk or starts a thread: the caller brings the bytes and
//! may measure as many files at once as it likes.

mod changes;
mod file;
mod hash;
mod kinds;
pub mod languages;
mod measure;
mod normal;
mod profile;
mod python;
mod ruler;
mod scored;
mod snapshot;
mod sum;
mod text;
mod wrappers;

pub use changes::{Change, Weight, What, changes, not_compared};
pub(crate) use file::span;
pub use file::{Callable, CloneCandidate, FileMeasure, Hit, LineSet, Skip, Span};
pub use kinds::{Names, flags_in};
pub use languages::{ROWS, Row};
pub use measure::{Parsed, measure, measure_and};
pub use profile::Profile;
pub use ruler::Ruler;
pub use scored::{Scored, Unmeasured};
pub use snapshot::{
    CallableAt, CloneGroup, Detail, File, HitAt, Place, Skipped, Snapshot, Totals, combine,
    combine_with_detail,
};
pub use wrappers::{Alias, Called, Effects, Forwards, Links, Symbol, Target};

/// A callable with more paths than this is one of high complexity.
pub const HIGH_CC: u32 = 10;

/// A shorter piece is never a clone.
pub const MIN_CLONE_LINES: u32 = 3;

/// A file with nodes deeper than this is skipped: no reference gets through it, and patterns that look upwards would
/// take time by the square of the depth.
pub const MAX_DEPTH: usize = 5_000;

/// A longer file is skipped. No hand and no model writes one; generated data does.
pub const MAX_BYTES: usize = 5 << 18;

#[cfg(test)]
mod tests;
