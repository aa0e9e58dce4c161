//! Formulas that score code and runs, one file or folder for each measure.
//!
//! The crate is pure: callers pass bytes and times, and choose the threads. [`quality`] scores snapshots of code;
//! [`rules`] are the patterns it looks for; [`reuse`] is what modules use of each other. [`faithfulness`] and
//! [`exposure`] sum up a checklist's verdicts, [`rubric_tree`] those of a tree; [`lifeline`] follows what became of a
//! component's code, [`test_losses`] which tests failed after they had passed; [`absence`] finds places that look like one. [`process`] measures the working process of a run,
//! [`decisions`] which decisions applied to its steps, [`memory`] what a memory gave the agent and which of its cards
//! were stale; [`bm25`] scores how near a text is to a query. [`cost`] prices the tokens of a run by a dated table.
//! [`numbers`] is the list of all numbers: a new one is a row of it and the code that computes it.
//!
//! # Of this crate
//!
//! - **Knows** formulas over code and runs, the rules, the prices, and the list of all numbers.
//! - **Must not know** where a run is stored and who shows it; it is given bytes, time and threads.
//! - **Used by** `study`, `layers`, `store`, `analysis`, `judge`, `live`, `tui` and the program.
//!
//! Always true:
//!
//! - What cannot be computed is `None` or says why; it is never zero.
//! - A number is declared once, in `numbers`; screen, tables and exports follow from its row.
//! - Numbers of a published measure are equal to those of its own program; the tests compare them.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod absence;
pub mod blockers;
pub mod bm25;
pub mod cost;
pub mod decisions;
pub mod exposure;
pub mod faithfulness;
pub mod lifeline;
pub mod memory;
pub mod numbers;
pub mod phase;
pub mod process;
pub mod quality;
mod registered;
pub mod reuse;
pub mod rubric_tree;
pub mod rules;
pub mod test_losses;

pub use numbers::{BetterDirection, Number};
