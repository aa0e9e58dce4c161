//! 0.2.0: functions that return a parameter, or call another function of the snapshot with all their parameters.

use std::collections::{HashMap, HashSet};

use super::{CallEffects, CalledName, FileWrappers, ForwardedValue, WrapperSymbol};
use crate::quality::{file_measure::SourceSpan, snapshot::SnapshotFile};

/// Every symbol of a snapshot by its qualified name.
struct WrapperProject<'a> {
    modules: &'a [String],
    /// File, symbol and qualified name, in the order in which that tool reads them.
    symbols: Vec<(usize, &'a WrapperSymbol, String)>,
    /// The index in `symbols` of the last symbol with each name.
    last: HashMap<String, usize>,
    effects: HashMap<String, &'a CallEffects>,
}

/// Returns the wrappers of each file; `modules` has the module name of each.
pub(crate) fn find_wrappers(files: &[SnapshotFile<'_>], modules: &[String]) -> Vec<FileWrappers> {
    let project = WrapperProject::new(files, modules);
    let mut found = vec![FileWrappers::default(); files.len()];
    for (at, (file, symbol, name)) in project.symbols.iter().enumerate() {
        let is_last = project.last.get(name) == Some(&at);
        found[*file]
            .replaced
            .extend(symbol.callable.filter(|_| !is_last).map(|callable| callable as usize));
        if project.is_wrapper(*file, symbol, name) {
            found[*file].wrappers.push(symbol.span);
        }
    }
    found.iter_mut().for_each(|found| found.wrappers.sort_unstable());
    found
}

impl<'a> WrapperProject<'a> {
    /// Collects the symbols of all files under their qualified names.
    fn new(files: &[SnapshotFile<'a>], modules: &'a [String]) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&file| files[file].path.split('/').collect::<Vec<_>>());
        let mut symbols = vec![];
        for file in order {
            let below = |symbol: &WrapperSymbol| format!("{}.{}", modules[file], symbol.name);
            symbols.extend(
                files[file]
                    .measure
                    .links
                    .symbols
                    .iter()
                    .map(|symbol| (file, symbol, below(symbol))),
            );
        }
        qualify_overloads(files, &mut symbols);
        let last =
            symbols.iter().enumerate().map(|(at, (_, _, name))| (name.clone(), at)).collect();
        let functions = symbols.iter().filter(|(_, symbol, _)| symbol.callable.is_some());
        let effects = functions.map(|(_, symbol, name)| (name.clone(), &symbol.effects)).collect();
        Self { modules, symbols, last, effects }
    }

    fn is_wrapper(&self, file: usize, symbol: &WrapperSymbol, name: &str) -> bool {
        let forwards = match &symbol.forwards {
            ForwardedValue::Nothing => false,
            ForwardedValue::Parameter => true,
            ForwardedValue::Call(called) => {
                self.defined_name(file, called).is_some_and(|target| target != name)
            }
        };
        // The effects are those of the last function with the name, which need not be this one.
        forwards && !self.effects.get(name).is_some_and(|effects| self.has_effect(file, effects))
    }

    fn has_effect(&self, file: usize, effects: &CallEffects) -> bool {
        effects.certain
            || effects.calls.iter().any(|called| self.defined_name(file, called).is_none())
    }

    /// Returns the qualified name of a called function, if the snapshot defines it.
    fn defined_name(&self, file: usize, called: &CalledName) -> Option<&str> {
        let local_name = called.local.as_ref().map(|name| format!("{}.{name}", self.modules[file]));
        let mut names = std::iter::once(called.global.as_str()).chain(local_name.as_deref());
        let entry = names.find_map(|name| self.last.get_key_value(name));
        entry.map(|(name, _)| name.as_str())
    }
}

/// Makes names unique outside Python, where all functions of one name count: the place and the parameters become part
/// of the name.
fn qualify_overloads(files: &[SnapshotFile<'_>], symbols: &mut [(usize, &WrapperSymbol, String)]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    symbols.iter().for_each(|(_, _, name)| *counts.entry(name.clone()).or_default() += 1);
    let many: HashSet<String> =
        counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect();
    for (file, symbol, name) in symbols {
        let Some(parameters) = symbol.parameters.as_ref().filter(|_| symbol.callable.is_some())
        else {
            continue;
        };
        if many.contains(name) {
            let path = files[*file].path;
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            let SourceSpan { start, end } = symbol.span;
            *name = format!("{name}@{stem}:{start}-{end}({parameters})");
        }
    }
}
