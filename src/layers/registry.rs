//! The layers that are made by name.

use super::{Layer, Spec, continuity, memory, projectguard};
use crate::metrics::decisions;

/// What layers are made with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The decisions of the project, for layers that deliver them.
    pub decisions: decisions::Store,
}

/// The layers that are made by name, with the parts that can be switched and what they do.
pub const LAYERS: &[Offered] = &[projectguard::OFFERED, continuity::OFFERED, memory::OFFERED];

/// A layer that can be asked for.
#[derive(Debug, Clone, Copy)]
pub struct Offered {
    pub name: &'static str,
    /// The parts that may stand behind its name; without one all of it works.
    pub parts: &'static [&'static str],
    pub what: &'static str,
    pub(super) make: fn(&Spec, &Options) -> Box<dyn Layer>,
}

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
