//! 0.1.3: every function of one `return`, and every module-level name for a function of the snapshot.

use std::collections::HashSet;

use super::{AliasTarget, FileWrappers};
use crate::quality::{file_measure::SourceSpan, snapshot::SnapshotFile};

/// Returns the wrappers of each file; `modules` has the module name of each.
pub(crate) fn find_wrappers(files: &[SnapshotFile<'_>], modules: &[String]) -> Vec<FileWrappers> {
    let functions: HashSet<String> = (files.iter().zip(modules))
        .flat_map(|(file, module)| function_names(file).map(move |name| format!("{module}.{name}")))
        .collect();
    let in_file = |(file, module): (&SnapshotFile<'_>, &String)| {
        let links = &file.measure.links;
        let is_function = |target: &AliasTarget| match target {
            AliasTarget::Local(name) => functions.contains(&format!("{module}.{name}")),
            AliasTarget::Global(name) => functions.contains(name),
        };
        let aliases = links.aliases.iter().filter(|alias| is_function(&alias.target));
        let spans = links.single_returns.iter().copied().chain(aliases.map(|alias| alias.span));
        let mut wrappers: Vec<SourceSpan> = spans.collect();
        wrappers.sort_unstable();
        FileWrappers { wrappers, replaced: HashSet::new() }
    };
    files.iter().zip(modules).map(in_file).collect()
}

/// Returns the simple names of the functions, as in that release.
fn function_names<'a>(file: &SnapshotFile<'a>) -> impl Iterator<Item = &'a str> {
    let names = file.measure.callables.iter().map(|callable| callable.name.as_str());
    names.map(|name| name.rsplit('.').next().unwrap_or(name))
}
