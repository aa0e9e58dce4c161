//! Scores of a run at moments, and all else that is computed of an opened recording: process, decisions, lifelines,
//! memory, layers, and studies of several runs.
//!
//! The formulas are those of [`trajview_metrics`]; here they get the files and texts that they need, each read and
//! measured once in however many turns it occurs. What costs much is kept in the cache of the recording or of the scorer.
//!
//! # Of this crate
//!
//! - **Knows** which files, texts and moments of a recording a number needs, and what of it is kept between starts.
//! - **Must not know** the screen, models and agents at work; formulas are in `metrics`, bytes and git in `store`.
//! - **Used by** `judge`, `live` and the program: commands, screen, report and export call the same functions.
//!
//! Always true:
//!
//! - A content is measured once by each reader, whatever the number of turns and threads that want it.
//! - What the cache has and what is computed anew are equal; a cache that cannot be used costs time alone.
//! - What the recording does not have is None, never 0.

pub mod absence_check;
pub mod cards;
pub mod decisions;
mod fact_cache;
mod file_history;
pub mod layers;
pub mod lifelines;
pub mod memory;
mod process;
pub mod process_inputs;
pub mod reuse;
mod scorer;
pub mod scores;
pub mod study;
mod transcripts;

pub use file_history::file_history;
pub use process::{numbers_of_report, observe_run, process_numbers, process_report};
pub use reuse::ReuseReader;
pub use scorer::{ProgressCheck, Scorer};
pub use transcripts::{compare_transcripts, transcripts_with_base};
