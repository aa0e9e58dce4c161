//! Measures the process of a run: RigorBench's seven pillars in two profiles, cycles of failure and recovery, signals
//! of where a run went wrong, and recordings that cannot be genuine.
//!
//! All of it is computed from [`ObservedRun`], which the caller builds by reading each step once. [`action`]
//! classifies the actions of a step; [`recovery`] finds cycles; [`pillars`] has the values, [`paper_formulas`] and [`scorer_formulas`]
//! the formulas; [`signals`] finds moments that are worth a look, each with its reason; [`judged_parts`] has the opinions of
//! judges on parts that no recording contains; [`checked_states`] has the moments that build and pass their tests;
//! [`divergence`] finds the point at which two runs diverge; [`lints`] finds problems of the recording itself.

pub mod action;
pub mod assertions;
pub mod checked_states;
pub mod divergence;
pub mod judged_parts;
pub mod lints;
pub mod paper_formulas;
mod paths;
pub mod pillars;
pub mod plan;
pub mod recovery;
pub mod report;
pub mod scorer_formulas;
pub mod signals;
pub mod step_facts;

pub use action::StepAction;
pub use assertions::AssertionCounts;
pub use checked_states::CheckedState;
pub use judged_parts::{JudgeOpinion, JudgedPart};
pub use pillars::{DisciplineScores, Pillar, PillarWeights, RigorProfile};
pub use recovery::RecoveryCycle;
pub use report::{ProcessNumbers, ProcessReport};
pub use signals::{ProcessSignal, SignalKind};
pub use step_facts::{
    CodeFacts, CodeHistory, LostUse, NameUses, NamesOfStep, ObservedRun, StepFacts, UndoneEdit,
};
