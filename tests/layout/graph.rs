//! The graph of imports of modules, as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::source::File;

/// A line for each module: those it imports, in the order of the layers.
pub fn of_modules(files: &[File], order: &[&str]) -> String {
    let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let known = imported.entry(file.layer()).or_default();
        let others = file.imports.iter().map(|&other| files[other].layer());
        known.extend(others.filter(|other| *other != file.layer()));
    }
    let mut text = String::new();
    for layer in order {
        let Some(others) = imported.get(layer) else { continue };
        let others: Vec<_> =
            order.iter().filter(|other| others.contains(*other)).copied().collect();
        let line = format!("{layer:<8} -> {}", others.join(" "));
        let _ = writeln!(text, "{}", line.trim_end_matches(" ").trim_end_matches(" ->").trim_end());
    }
    text
}
