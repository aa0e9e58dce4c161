//! Several raters and several runs: how far raters agree, and what two conditions do to the same tasks.
//!
//! Pure arithmetic over numbers that others bring: [`agreement`] over pairs of ordinal scores, [`paired`] over two
//! measurements of the same things, [`correlation`] between two numbers. [`pairing`] says which runs stand against
//! which, [`raters`] which scores, [`stability`] how far a judge agrees with itself, [`queue`] in which order a human
//! checks a judge; [`design`] what a study over many runs says, [`division`] who labels what of it, [`studied`] how it
//! stands; [`sheet`] reads scores from plain tables; [`compare`] sets two runs side by side, and
//! [`corpus`] does it all for many runs, [`graded`] joins two graded trees node by node, [`components`] compares two
//! conditions component by component with tasks as clusters. [`fairness`] says in what runs differ beside their condition.
//! [`trend`] says where a number goes from checkpoint to checkpoint, [`recovery`] how much of a loss a treatment gives
//! back, [`solved`] what a solved checkpoint costs. [`clusters`] puts runs together that are alike by their sets of lines
//! ([`minhash`]), and [`sampling`] draws runs by stratum. All of it agrees with SciPy, scikit-learn and
//! statsmodels; `tests/vectors/` has the numbers
//! and the scripts that made them.
//!
//! What cannot be computed is an [`Undefined`] that says why, never a NaN and never 0. Intervals are bootstrapped
//! ([`bootstrap`]) with a seed, so the same input gives the same interval everywhere.
//!
//! # Of this crate
//!
//! - **Knows** several runs and raters: agreement, pairs, paired tests, corpora, clusters.
//! - **Must not know** where runs are stored, who shows them.
//! - **Used by** `store`, `tui` and the program.
//!
//! Always true:
//!
//! - The same input and seed give the same interval on every machine.
//! - What cannot be computed says why: [`Undefined`].

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod adjudication;
pub mod agreement;
pub mod bootstrap;
pub mod clusters;
pub mod compare;
pub mod components;
pub mod corpus;
pub mod correlation;
pub mod design;
pub mod division;
pub mod fairness;
pub mod graded;
pub mod harness;
pub mod items;
mod maths;
pub mod minhash;
pub mod mixed;
pub mod paired;
pub mod pairing;
pub mod process;
pub mod queue;
pub mod raters;
pub mod recovery;
pub mod sampling;
pub mod sheet;
pub mod solved;
pub mod stability;
pub mod studied;
pub mod trend;
mod undefined;

pub use agreement::{Agreement, Coefficient, Ratings, Scale};
pub use bootstrap::{Estimate, Interval, Plan};
pub use undefined::{Undefined, Value, reasons};
