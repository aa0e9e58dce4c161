//! How a run was worked on: RigorBench's seven pillars in two profiles, cycles of failure and recovery, signals of where a run
//! went wrong, and recordings that cannot be what they say.
//!
//! All of it is worked out of [`Observed`], which the caller makes by reading each step once. [`action`] says what a step does;
//! [`recovery`] finds cycles; [`pillars`] has the values, [`paper`] and [`shipped`] the formulas; [`signals`] tells of moments
//! that are worth a look, each with its reason; [`judged`] has what a judge said of parts that no recording gives; [`states`] of
//! which moments build and pass their tests; [`divergence`] where two runs part; [`lints`] tells what is wrong with the recording itself.

pub mod action;
pub mod assertions;
pub mod divergence;
pub mod judged;
pub mod lints;
pub mod observed;
pub mod paper;
mod paths;
pub mod pillars;
pub mod plan;
pub mod recovery;
pub mod report;
pub mod shipped;
pub mod signals;
pub mod states;

pub use action::Action;
pub use assertions::Assertions;
pub use judged::{JudgedPart, Opinion};
pub use observed::{
    CodeFacts, History, LostUse, NameUses, NamesOfStep, Observed, StepFacts, Undone,
};
pub use pillars::{Discipline, Pillar, Profile, Weights};
pub use recovery::Cycle;
pub use report::{Processed, Report};
pub use signals::{Kind, Signal};
pub use states::State;
