//! Layers of project state between the person and the agent, as pure rules.
//!
//! A layer gives a brief before each request ([`Layer::before_request`]), learns of each finished turn
//! ([`Layer::after_turn`]), may add text where a tool call is about to touch files ([`Layer::on_call`]), and answers
//! queries of the agent ([`Layer::search`]). Its output is a [`Brief`]: sentences, each with its sources. Its memory
//! is a [`LayerState`]: text files, of which the caller keeps a version for each turn. No layer touches a disk, a
//! clock or a model: files come with the [`LayerProject`], models through a [`HelperModel`], so that a live run
//! (`live::layers`) and a recorded one (`analysis::layers`) use the same layers in the same way.
//!
//! To add one write `crates/layers/src/<name>/`, make it in [`make_layer`], and describe it in `docs/layers.md`.
//!
//! # Of this crate
//!
//! - **Knows** the briefs of layers before a request, and the sources of each sentence.
//! - **Must not know** disks, clocks, models, agents: files come with a project, models through a helper.
//! - **Used by** `live`, for layers at work; `store`, for their records; `analysis`, for layers over a recording; `judge`
//!   and `tui` for their states.
//!
//! Always true:
//!
//! - A live run and a recorded one use the same layers in the same order.
//! - A state is text files, so that a version of it can be kept for each turn.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod brief;
pub mod brief_measures;
pub mod continuity;
pub mod contradictions;
pub mod helper;
mod layer;
pub mod memory;
pub mod project;
pub mod projectguard;
pub mod record;
pub mod spec;
pub mod stack;

pub use brief::{Brief, BriefSentence, SentenceOrigin};
pub use helper::{HelperAnswer, HelperCost, HelperModel, HelperPrompt, NoHelper};
pub use layer::{
    ContextUse, DeliveryOffers, FileCall, Layer, LayerOffer, LayerSetup, LayerState, RequestMoment,
    StepAuthor, StepSeen, TurnDone,
};
pub use project::{LayerProject, ProjectChange};
pub use spec::LayerSpec;

/// The layers that are made by name, with the parts that can be switched and what they do.
pub const LAYERS: &[LayerOffer] = &[projectguard::OFFERED, continuity::OFFERED, memory::OFFERED];

/// Creates a layer by its name and parts. The error is a sentence.
pub fn make_layer(spec: &LayerSpec, options: &LayerSetup) -> Result<Box<dyn Layer>, String> {
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
