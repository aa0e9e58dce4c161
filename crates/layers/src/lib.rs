//! Layers of project state: what stands between the person and the agent, as pure rules.
//!
//! A layer is asked before each request ([`Layer::before`]), learns of each turn that is done ([`Layer::after`]), may speak
//! where a tool call is about to touch files ([`Layer::on_call`]), and answers what the agent asks for
//! ([`Layer::search`]). What it says is a [`Brief`]: sentences, each with where it is from. What it knows is a [`State`]: text
//! files, of which the caller keeps a version a turn. No layer touches a disk, a clock or a model: files come with the
//! [`Project`], models through a [`Helper`], so that a live run (`live::layers`) and a recorded one (`store::layers`) ask the
//! same layers in the same way.
//!
//! To add one write `crates/layers/src/<name>/`, make it in [`of`], and say what it does in `docs/layers.md`.
//!
//! # Of this crate
//!
//! - **Knows** what a layer says before a request, and what each sentence of it is from.
//! - **Must not know** disks, clocks, models, agents: files come with a project, models through a helper.
//! - **Used by** `live`, which asks layers at work; `store`, which asks them over a recording; `judge` and `tui` for their states.
//!
//! Always true:
//!
//! - A live run and a recorded one ask the same layers in the same order.
//! - A state is text files, so that a version of it can be kept a turn.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod brief;
pub mod check;
pub mod continuity;
pub mod helper;
mod layer;
pub mod measure;
pub mod memory;
pub mod project;
pub mod projectguard;
pub mod record;
pub mod spec;
pub mod stack;

pub use brief::{Brief, Origin, Sentence};
pub use helper::{Answer, Helper, NoHelper, Prompt, Spent};
pub use layer::{
    Call, Context, Layer, Moment, Offered, Offers, Options, State, StepSeen, TurnDone, Who,
};
pub use project::{Change, Project};
pub use spec::Spec;

/// The layers that are made by name, with the parts that can be switched and what they do.
pub const LAYERS: &[Offered] = &[projectguard::OFFERED, continuity::OFFERED, memory::OFFERED];

/// A layer by its name and parts. The error is a sentence.
pub fn of(spec: &Spec, options: &Options) -> Result<Box<dyn Layer>, String> {
    let known = || LAYERS.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
    let offered = LAYERS
        .iter()
        .find(|it| it.name == spec.name)
        .ok_or_else(|| format!("no layer {}; there are: {}", spec.name, known()))?;
    if let Some(part) = spec.parts.iter().find(|part| !offered.parts.contains(&part.as_str())) {
        let parts = offered.parts.join(", ");
        return Err(format!("layer {} has no part {part}; it has: {parts}", spec.name));
    }
    Ok((offered.make)(spec, options))
}
