//! Resolves each name to the file that defines it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    DEFAULT_EXPORT, ScriptExport, ScriptFacts, ScriptImportName, ScriptUse, WHOLE_EXPORT,
    paths::ProjectPaths,
};
use crate::reuse::{
    facts::LinkerFacts,
    link_source::{LinkSource, ReuseLinks},
    step_budget::StepBudget,
};

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ScriptMeaning {
    /// A definition, as (file, definition).
    Symbol(usize, usize),
    Module(usize),
}

/// Adds the imports and uses of the JavaScript and TypeScript files among the sources.
pub(crate) fn link_script(sources: &[LinkSource<'_>], links: &mut ReuseLinks) {
    let mut linker = ScriptLinker::new(sources);
    for file in 0..sources.len() {
        let Some(facts) = linker.facts[file] else { continue };
        let own_definitions = facts.exports.iter().filter_map(|(_, exported)| match exported {
            ScriptExport::Definition(at) => Some((file, *at)),
            ScriptExport::Import(_) => None,
        });
        links.public.extend(own_definitions);
        let named = facts.imports.iter().map(|import| &import.from);
        for from in named.chain(&facts.run).chain(&facts.stars) {
            let to = linker.find_file(file, from).filter(|&to| to != file);
            links.imports.extend(to.map(|to| (file, to)));
        }
        for one in &facts.uses {
            let symbols = linker.symbols_of(file, one).into_iter();
            let others = symbols.filter(|(other, _)| *other != file);
            links.uses.extend(others.map(|symbol| (symbol, file)));
        }
    }
    links.gave_up |= linker.steps.gave_up;
}

struct ScriptLinker<'a> {
    sources: &'a [LinkSource<'a>],
    facts: Vec<Option<&'a ScriptFacts>>,
    paths: ProjectPaths<'a>,
    exports: Vec<HashMap<&'a str, Vec<ScriptExport>>>,
    /// Cached results of lookups that were not a part of another lookup.
    cached_meanings: HashMap<(usize, Box<str>), Vec<ScriptMeaning>>,
    steps: StepBudget,
}

/// The names of files that the current lookup has visited.
type ScriptVisited = HashSet<(usize, Box<str>)>;

impl<'a> ScriptLinker<'a> {
    fn new(sources: &'a [LinkSource<'a>]) -> Self {
        let facts: Vec<Option<&ScriptFacts>> = sources
            .iter()
            .map(|source| match &source.facts.words {
                LinkerFacts::Script(facts) => Some(facts),
                _ => None,
            })
            .collect();
        let exports = facts.iter().map(|facts| {
            let mut by_name: HashMap<&str, Vec<ScriptExport>> = HashMap::new();
            for (name, exported) in facts.iter().flat_map(|facts| &facts.exports) {
                by_name.entry(name).or_default().push(*exported);
            }
            by_name
        });
        let files = facts.iter().enumerate().filter(|(_, facts)| facts.is_some());
        Self {
            exports: exports.collect(),
            paths: ProjectPaths::new(files.map(|(at, _)| (sources[at].path, at))),
            facts,
            sources,
            cached_meanings: HashMap::new(),
            steps: StepBudget::default(),
        }
    }

    fn find_file(&self, file: usize, from: &str) -> Option<usize> {
        self.paths.find_import(self.sources[file].path, from)
    }

    /// Returns the symbols along an imported name and its properties.
    fn symbols_of(&mut self, file: usize, one: &ScriptUse) -> BTreeSet<(usize, usize)> {
        let mut open = self.meanings_of_import(file, one.import, &mut ScriptVisited::new());
        let mut symbols = BTreeSet::new();
        for property in &one.properties {
            let mut next = vec![];
            for meaning in open {
                match meaning {
                    ScriptMeaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                    ScriptMeaning::Module(other) => {
                        next.extend(self.look_up(other, property, &mut ScriptVisited::new()));
                    }
                }
            }
            open = next;
        }
        for meaning in open {
            match meaning {
                ScriptMeaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                ScriptMeaning::Module(other) => symbols.extend(self.whole_export(other)),
            }
        }
        symbols
    }

    /// Returns the definitions behind `module.exports`, where it is one function or class.
    fn whole_export(&mut self, file: usize) -> Vec<(usize, usize)> {
        let meanings = self.look_up(file, WHOLE_EXPORT, &mut ScriptVisited::new());
        let symbol = |meaning| match meaning {
            ScriptMeaning::Symbol(file, at) => Some((file, at)),
            ScriptMeaning::Module(_) => None,
        };
        meanings.into_iter().filter_map(symbol).collect()
    }

    fn meanings_of_import(
        &mut self,
        file: usize,
        number: usize,
        visited: &mut ScriptVisited,
    ) -> Vec<ScriptMeaning> {
        let import = self.facts[file].and_then(|facts| facts.imports.get(number));
        let Some(import) = import else { return vec![] };
        match (self.find_file(file, &import.from), &import.what) {
            (None, _) => vec![],
            (Some(other), ScriptImportName::Module) => vec![ScriptMeaning::Module(other)],
            (Some(other), ScriptImportName::Name(name)) => self.look_up(other, name, visited),
        }
    }

    /// Looks up an exported name of a file.
    fn look_up(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut ScriptVisited,
    ) -> Vec<ScriptMeaning> {
        let key = (file, Box::from(name));
        if let Some(known) = self.cached_meanings.get(&key) {
            return known.clone();
        }
        let is_asked_first = visited.is_empty();
        if !visited.insert(key.clone()) || !self.steps.take_step() {
            return vec![];
        }
        self.steps.depth += 1;
        let mut meanings = self.meanings_of_export(file, name, visited);
        self.steps.depth -= 1;
        meanings.sort_unstable();
        meanings.dedup();
        if is_asked_first {
            self.cached_meanings.insert(key, meanings.clone());
        }
        meanings
    }

    /// Returns the meanings of an exported name, re-exports included.
    fn meanings_of_export(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut ScriptVisited,
    ) -> Vec<ScriptMeaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let mut meanings = vec![];
        for exported in self.exports[file].get(name).cloned().unwrap_or_default() {
            match exported {
                ScriptExport::Definition(at) => meanings.push(ScriptMeaning::Symbol(file, at)),
                ScriptExport::Import(number) => {
                    meanings.extend(self.meanings_of_import(file, number, visited))
                }
            }
        }
        if meanings.is_empty() && name != DEFAULT_EXPORT && name != WHOLE_EXPORT {
            meanings = self.brought_by_stars(file, facts, name, visited);
        }
        if meanings.is_empty() && !facts.is_esm && name != WHOLE_EXPORT {
            // A property of what is exported as a whole, or that whole as the default.
            meanings = self.look_up(file, WHOLE_EXPORT, visited);
            if meanings.is_empty() && name == DEFAULT_EXPORT {
                meanings.push(ScriptMeaning::Module(file));
            }
        }
        meanings
    }

    /// Looks up a name in the modules that a file re-exports as a whole.
    fn brought_by_stars(
        &mut self,
        file: usize,
        facts: &ScriptFacts,
        name: &str,
        visited: &mut ScriptVisited,
    ) -> Vec<ScriptMeaning> {
        let mut meanings = vec![];
        for from in &facts.stars {
            if !self.steps.take_step() {
                break;
            }
            if let Some(other) = self.find_file(file, from) {
                meanings.extend(self.look_up(other, name, visited));
            }
        }
        meanings
    }
}
