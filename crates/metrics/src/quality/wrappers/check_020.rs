//! 0.2.0: functions that hand back a parameter, or call another function of the snapshot with all their parameters.

use std::collections::{HashMap, HashSet};

use super::{Called, Effects, Forwards, Found, Symbol};
use crate::quality::{file::Span, snapshot::File};

/// Every symbol of a snapshot by its qualified name.
struct Project<'a> {
    modules: &'a [String],
    /// In the order that tool reads them: file, symbol, qualified name.
    symbols: Vec<(usize, &'a Symbol, String)>,
    /// The last with a name, by its index in `symbols`.
    last: HashMap<String, usize>,
    effects: HashMap<String, &'a Effects>,
}

pub fn found(files: &[File<'_>], modules: &[String]) -> Vec<Found> {
    let project = Project::of(files, modules);
    let mut found = vec![Found::default(); files.len()];
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

impl<'a> Project<'a> {
    fn of(files: &[File<'a>], modules: &'a [String]) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&file| files[file].path.split('/').collect::<Vec<_>>());
        let mut symbols = vec![];
        for file in order {
            let below = |symbol: &Symbol| format!("{}.{}", modules[file], symbol.name);
            symbols.extend(
                files[file]
                    .measure
                    .links
                    .symbols
                    .iter()
                    .map(|symbol| (file, symbol, below(symbol))),
            );
        }
        tell_apart(files, &mut symbols);
        let last =
            symbols.iter().enumerate().map(|(at, (_, _, name))| (name.clone(), at)).collect();
        let functions = symbols.iter().filter(|(_, symbol, _)| symbol.callable.is_some());
        let effects = functions.map(|(_, symbol, name)| (name.clone(), &symbol.effects)).collect();
        Self { modules, symbols, last, effects }
    }

    fn is_wrapper(&self, file: usize, symbol: &Symbol, name: &str) -> bool {
        let forwards = match &symbol.forwards {
            Forwards::Nothing => false,
            Forwards::Parameter => true,
            Forwards::Call(called) => {
                self.defined(file, called).is_some_and(|target| target != name)
            }
        };
        // The effects are those of the last function with the name, which need not be this one.
        forwards && !self.effects.get(name).is_some_and(|effects| self.has_effect(file, effects))
    }

    fn has_effect(&self, file: usize, effects: &Effects) -> bool {
        effects.certain || effects.calls.iter().any(|called| self.defined(file, called).is_none())
    }

    /// The qualified name of what is called, if the snapshot defines it.
    fn defined(&self, file: usize, called: &Called) -> Option<&str> {
        let own = called.local.as_ref().map(|name| format!("{}.{name}", self.modules[file]));
        let mut names = std::iter::once(called.global.as_str()).chain(own.as_deref());
        let found = names.find_map(|name| self.last.get_key_value(name));
        found.map(|(name, _)| name.as_str())
    }
}

/// Outside Python, functions of one name all count: the place and the parameters become part of the name.
fn tell_apart(files: &[File<'_>], symbols: &mut [(usize, &Symbol, String)]) {
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
            let Span { start, end } = symbol.span;
            *name = format!("{name}@{stem}:{start}-{end}({parameters})");
        }
    }
}
