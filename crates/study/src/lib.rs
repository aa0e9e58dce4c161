//! Several raters and several runs: agreement between raters, and the effect of two conditions on the same tasks.
//!
//! Pure arithmetic over numbers from the caller:
//!
//! - Raters: [`agreement`] over pairs of ordinal scores, [`raters`] collects the scores and pairs them, [`score_table`]
//!   reads scores from plain tables, [`stability`] measures a judge against itself, [`drift`] against an earlier judgement, [`graded_trees`] compares two graded
//!   trees node by node.
//!   [`fitness`] asks whether a judge can be used: consensus of a panel, alternative annotator test, calibration, abstention.
//!   [`crash_test`] whether its levels move where a planted edit must not matter, and where it must.
//! - Audits: [`audit_items`] are the things to label, [`queue`] orders them for a human, [`design`] describes a study over
//!   many runs, [`division`] divides its labels among raters, [`loaded_study`] has its progress, [`adjudication`] its cases.
//! - Runs: [`compare`] sets two runs side by side, [`corpus`] many; [`pairing`] decides which runs are compared, [`paired`]
//!   tests two measurements of the same things, [`correlation`] two numbers; [`components`] compares two conditions
//!   component by component with tasks as clusters, with [`mixed_model`]; [`fairness`] lists other differences between
//!   runs; [`trend`] follows a number from checkpoint to checkpoint, [`curves`] averages one over runs, [`survival`] has the share
//!   of components that are not lost yet, [`recovery`] measures how much of a loss a treatment
//!   recovers, [`solved_cost`] the cost of a solved checkpoint, [`outcomes`] what harnesses measured: pass rates, repeats,
//!   cost of a pass, groups paired by task; [`process_tables`] process over harnesses.
//! - Samples: [`clusters`] groups runs by their sets of lines ([`minhash`]), and [`sampling`] draws runs by stratum.
//!
//! All of it agrees with SciPy, scikit-learn and statsmodels; `tests/vectors/` has the numbers and the scripts that made
//! them. A value that cannot be computed is an [`Undefined`] with the reason, never a NaN and never 0. Intervals are
//! bootstrapped ([`bootstrap`]) with a seed, so the same input gives the same interval everywhere.
//!
//! # Of this crate
//!
//! - **Knows** several runs and raters: agreement, pairs, paired tests, corpora, clusters.
//! - **Must not know** where runs are stored, who shows them.
//! - **Used by** `analysis`, `judge`, `tui` and the program.
//!
//! Always true:
//!
//! - The same input and seed give the same interval on every machine.
//! - A value that cannot be computed has a reason: [`Undefined`].

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod adjudication;
pub mod agreement;
pub mod audit_items;
pub mod bootstrap;
pub mod clusters;
pub mod compare;
pub mod components;
pub mod corpus;
pub mod corrected;
pub mod correlation;
pub mod crash_test;
pub mod curves;
pub mod design;
pub mod division;
pub mod drift;
pub mod fairness;
pub mod fitness;
pub mod graded_trees;
pub mod harness_names;
mod krippendorff;
pub mod loaded_study;
mod maths;
pub mod minhash;
pub mod mixed_model;
pub mod outcomes;
pub mod paired;
pub mod pairing;
pub mod process_tables;
pub mod queue;
pub mod raters;
pub mod recovery;
pub mod sampling;
pub mod score_table;
pub mod solved_cost;
pub mod stability;
pub mod survival;
pub mod trend;
mod undefined;

pub use agreement::{Agreement, Coefficient, RatingScale, Ratings};
pub use bootstrap::{BootstrapPlan, Estimate, Interval};
pub use undefined::{NumberOrReason, Undefined, undefined_reasons};
