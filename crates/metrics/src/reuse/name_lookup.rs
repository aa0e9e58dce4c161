//! Looking up names across files: what the linkers of all languages share.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::step_budget::StepBudget;

/// The meaning of a name; `M` is what a language has for a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NameMeaning<M> {
    /// A definition, as (file, definition).
    Symbol(usize, usize),
    Module(M),
}

impl<M> NameMeaning<M> {
    pub fn symbol(self) -> Option<(usize, usize)> {
        match self {
            Self::Symbol(file, at) => Some((file, at)),
            Self::Module(_) => None,
        }
    }

    pub fn module(self) -> Option<M> {
        match self {
            Self::Module(module) => Some(module),
            Self::Symbol(..) => None,
        }
    }
}

/// The names that the current lookup has visited, each with its scope: a file, in Rust a module.
pub(super) type VisitedNames = HashSet<(usize, Box<str>)>;

/// The results of lookups and the limits for them.
#[derive(Debug)]
pub(super) struct NameLookups<M> {
    /// Results of lookups that were not a part of another lookup.
    cached: HashMap<(usize, Box<str>), Vec<NameMeaning<M>>>,
    pub steps: StepBudget,
}

impl<M> Default for NameLookups<M> {
    fn default() -> Self {
        Self { cached: HashMap::new(), steps: StepBudget::default() }
    }
}

/// The rules of a language for names.
pub(super) trait NameResolver {
    type Module: Copy + Ord;

    fn lookups(&mut self) -> &mut NameLookups<Self::Module>;

    /// Returns the meanings of a name that come from no import.
    fn own_meanings(&self, _scope: usize, _name: &str) -> Vec<NameMeaning<Self::Module>> {
        vec![]
    }

    /// Returns all meanings of a name of a scope, those from imports included.
    fn resolve(
        &mut self,
        scope: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<NameMeaning<Self::Module>>;

    /// Looks up a name of a module.
    fn look_up(
        &mut self,
        module: Self::Module,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<NameMeaning<Self::Module>>;

    /// Looks up a name of a scope. A lookup that comes back to its start adds no meaning.
    fn look_up_in_scope(
        &mut self,
        scope: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<NameMeaning<Self::Module>> {
        let key = (scope, Box::from(name));
        if let Some(known) = self.lookups().cached.get(&key) {
            return known.clone();
        }
        let is_asked_first = visited.is_empty();
        if !visited.insert(key.clone()) || !self.lookups().steps.take_step() {
            return self.own_meanings(scope, name);
        }
        self.lookups().steps.depth += 1;
        let mut meanings = self.resolve(scope, name, visited);
        self.lookups().steps.depth -= 1;
        meanings.sort_unstable();
        meanings.dedup();
        if is_asked_first {
            self.lookups().cached.insert(key, meanings.clone());
        }
        meanings
    }

    /// Follows a dotted name: returns the symbols along it and at its end, and the modules at its end.
    fn follow_names(
        &mut self,
        mut open: Vec<NameMeaning<Self::Module>>,
        names: &[Box<str>],
    ) -> (BTreeSet<(usize, usize)>, Vec<Self::Module>) {
        let mut symbols = BTreeSet::new();
        for name in names {
            let mut next = vec![];
            for meaning in open {
                match meaning {
                    NameMeaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                    NameMeaning::Module(module) => {
                        next.extend(self.look_up(module, name, &mut VisitedNames::new()));
                    }
                }
            }
            open = next;
        }
        symbols.extend(open.iter().filter_map(|meaning| meaning.symbol()));
        (symbols, open.into_iter().filter_map(NameMeaning::module).collect())
    }
}
