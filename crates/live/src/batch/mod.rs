//! Many runs from one plan: a queue of child processes, each a `trajview live`, that goes on after any crash.
//!
//! A [`batch_plan`] names scripts, agents, models, conditions, layers and repeats; [`planned_runs`] makes a run of each
//! combination, with an id and a folder that depend only on the content of the run. The progress of a run is read from its
//! bundle ([`journal_summary`]): no other list of finished runs exists, so that the two cannot disagree. [`claims`] keep
//! two processes, on one machine or on several with a common folder, from making the same run. [`queue`] starts runs in
//! [`child`] processes as [`rate_limits`] and limits allow, and scores and judges finished runs ([`follow_up`]).
//!
//! ```text
//! RUNS/              a bundle each: what `trajview corpus` pairs
//! RUNS.batch/
//!   claims/          which process makes which run
//!   journal/         the events of each process, appended to
//!   logs/            standard error of the children
//!   scores/          results of finished runs
//!   left-out/        bundles of runs that failed too often
//! ```
//!
//! A child reads its orders on standard input and stops when that is closed: the child of a killed batch does not go on
//! alone.

mod batch_journal;
pub mod batch_plan;
pub mod child;
pub mod claims;
pub mod follow_up;
pub mod journal_summary;
pub mod planned_runs;
pub mod queue;
pub mod rate_limits;

use std::path::{Path, PathBuf};

pub use batch_plan::LoadedPlan;
pub use planned_runs::PlannedRun;
pub use queue::{BatchCommand, BatchEvent, BatchOptions, BatchQueue, BatchSummary};

/// Returns the folder of the batch's own files, beside the folder of its runs.
pub fn batch_folder(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".batch");
    out.with_file_name(name)
}
