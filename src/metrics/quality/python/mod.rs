//! Python, as SlopCodeBench measures it.

mod callables;
mod sloc;

use super::{file::FileMeasure, flat::Flat, profile::Profile, text::Lines};

/// Everything but rules.
pub fn measure(text: &str, flat: &Flat<'_>, profile: Profile) -> FileMeasure {
    let lines = Lines::of(text);
    let sloc = sloc::lines(text, flat, &lines, profile);
    let callables = callables::all(text, flat, &sloc, profile);
    let loc = sloc::loc(flat, &lines);
    let lines = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    FileMeasure { lines, loc, sloc, callables, ..FileMeasure::default() }
}
