//! Many runs from one plan: a queue of child processes, each a `trajview live`, that goes on after any crash.
//!
//! A [`plan`] names scripts, agents, models, conditions, layers and repeats; [`entries`] makes a run of each combination, with
//! an id and a folder that depend on nothing but what the run is. How far a run is, its bundle says ([`look`]): no other
//! list of what is done exists, so that nothing can be lost between the two. [`claims`] keep two processes, on one machine or
//! on several with a common folder, from making the same run. [`queue`] begins runs in [`child`] processes as [`rates`] and
//! limits allow, and has [`after`] score and judge those that are over.
//!
//! ```text
//! RUNS/              a bundle each: what `trajview corpus` pairs
//! RUNS.batch/
//!   claims/          who makes which run
//!   journal/         what each process did, appended to
//!   logs/            what the children say
//!   scores/          of runs that are over
//!   left-out/        bundles of runs that failed as often as they may
//! ```
//!
//! A child gets its orders on its standard input and stops when that ends: one whose batch was killed does not go on alone.

pub mod after;
pub mod child;
pub mod claims;
pub mod entries;
pub mod look;
pub mod plan;
pub mod queue;
pub mod rates;
mod record;

use std::path::{Path, PathBuf};

pub use entries::Entry;
pub use plan::ReadPlan;
pub use queue::{Batch, BatchCommand, BatchEvent, Options, Summary};

/// The folder of what a batch keeps beside the folder of its runs.
pub fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".batch");
    out.with_file_name(name)
}
