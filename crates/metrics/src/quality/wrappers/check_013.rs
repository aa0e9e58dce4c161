//! 0.1.3: every function of one `return`, and every module-level name for a function of the snapshot.

use std::collections::HashSet;

use super::{Found, Target};
use crate::quality::{file::Span, snapshot::File};

pub fn found(files: &[File<'_>], modules: &[String]) -> Vec<Found> {
    let functions: HashSet<String> = (files.iter().zip(modules))
        .flat_map(|(file, module)| functions(file).map(move |name| format!("{module}.{name}")))
        .collect();
    let in_file = |(file, module): (&File<'_>, &String)| {
        let links = &file.measure.links;
        let is_function = |target: &Target| match target {
            Target::Local(name) => functions.contains(&format!("{module}.{name}")),
            Target::Global(name) => functions.contains(name),
        };
        let aliases = links.aliases.iter().filter(|alias| is_function(&alias.target));
        let spans = links.single_returns.iter().copied().chain(aliases.map(|alias| alias.span));
        let mut wrappers: Vec<Span> = spans.collect();
        wrappers.sort_unstable();
        Found { wrappers, replaced: HashSet::new() }
    };
    files.iter().zip(modules).map(in_file).collect()
}

/// Names without the class or function they lie in, as that release has them.
fn functions<'a>(file: &File<'a>) -> impl Iterator<Item = &'a str> {
    let names = file.measure.callables.iter().map(|callable| callable.name.as_str());
    names.map(|name| name.rsplit('.').next().unwrap_or(name))
}
