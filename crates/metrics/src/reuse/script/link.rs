//! Which file each name is from.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{DEFAULT, Exported, Facts, Use, WHOLE, What, paths::Paths};
use crate::reuse::{
    facts::Words,
    source::{Links, Source},
    steps::Steps,
};

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Meaning {
    /// (file, definition)
    Symbol(usize, usize),
    Module(usize),
}

/// Adds what the JavaScript and TypeScript files among the sources import and use.
pub fn link(sources: &[Source<'_>], links: &mut Links) {
    let mut linker = Linker::of(sources);
    for file in 0..sources.len() {
        let Some(facts) = linker.facts[file] else { continue };
        let own = facts.exports.iter().filter_map(|(_, exported)| match exported {
            Exported::Definition(at) => Some((file, *at)),
            Exported::Import(_) => None,
        });
        links.public.extend(own);
        let named = facts.imports.iter().map(|import| &import.from);
        for from in named.chain(&facts.run).chain(&facts.stars) {
            let to = linker.find(file, from).filter(|&to| to != file);
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

struct Linker<'a> {
    sources: &'a [Source<'a>],
    facts: Vec<Option<&'a Facts>>,
    paths: Paths<'a>,
    exports: Vec<HashMap<&'a str, Vec<Exported>>>,
    /// Answers to questions that were not asked on the way to another.
    known: HashMap<(usize, Box<str>), Vec<Meaning>>,
    steps: Steps,
}

/// Names of files that were looked up on the way to here.
type Way = HashSet<(usize, Box<str>)>;

impl<'a> Linker<'a> {
    fn of(sources: &'a [Source<'a>]) -> Self {
        let facts: Vec<Option<&Facts>> = sources
            .iter()
            .map(|source| match &source.facts.words {
                Words::Script(facts) => Some(facts),
                _ => None,
            })
            .collect();
        let exports = facts.iter().map(|facts| {
            let mut by_name: HashMap<&str, Vec<Exported>> = HashMap::new();
            for (name, exported) in facts.iter().flat_map(|facts| &facts.exports) {
                by_name.entry(name).or_default().push(*exported);
            }
            by_name
        });
        let files = facts.iter().enumerate().filter(|(_, facts)| facts.is_some());
        Self {
            exports: exports.collect(),
            paths: Paths::of(files.map(|(at, _)| (sources[at].path, at))),
            facts,
            sources,
            known: HashMap::new(),
            steps: Steps::default(),
        }
    }

    fn find(&self, file: usize, from: &str) -> Option<usize> {
        self.paths.find(self.sources[file].path, from)
    }

    /// The symbols an imported name and its properties go through.
    fn symbols_of(&mut self, file: usize, one: &Use) -> BTreeSet<(usize, usize)> {
        let mut open = self.imported(file, one.import, &mut Way::new());
        let mut symbols = BTreeSet::new();
        for property in &one.properties {
            let mut next = vec![];
            for meaning in open {
                match meaning {
                    Meaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                    Meaning::Module(other) => {
                        next.extend(self.look_up(other, property, &mut Way::new()));
                    }
                }
            }
            open = next;
        }
        for meaning in open {
            match meaning {
                Meaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                Meaning::Module(other) => symbols.extend(self.whole(other)),
            }
        }
        symbols
    }

    /// What `module.exports` is, where it is one function or class.
    fn whole(&mut self, file: usize) -> Vec<(usize, usize)> {
        let found = self.look_up(file, WHOLE, &mut Way::new());
        let symbol = |meaning| match meaning {
            Meaning::Symbol(file, at) => Some((file, at)),
            Meaning::Module(_) => None,
        };
        found.into_iter().filter_map(symbol).collect()
    }

    fn imported(&mut self, file: usize, number: usize, way: &mut Way) -> Vec<Meaning> {
        let import = self.facts[file].and_then(|facts| facts.imports.get(number));
        let Some(import) = import else { return vec![] };
        match (self.find(file, &import.from), &import.what) {
            (None, _) => vec![],
            (Some(other), What::Module) => vec![Meaning::Module(other)],
            (Some(other), What::Name(name)) => self.look_up(other, name, way),
        }
    }

    /// An exported name of a file.
    fn look_up(&mut self, file: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        let key = (file, Box::from(name));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let is_asked_first = way.is_empty();
        if !way.insert(key.clone()) || !self.steps.goes_on() {
            return vec![];
        }
        self.steps.depth += 1;
        let mut found = self.exported(file, name, way);
        self.steps.depth -= 1;
        found.sort_unstable();
        found.dedup();
        if is_asked_first {
            self.known.insert(key, found.clone());
        }
        found
    }

    fn exported(&mut self, file: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let mut found = vec![];
        for exported in self.exports[file].get(name).cloned().unwrap_or_default() {
            match exported {
                Exported::Definition(at) => found.push(Meaning::Symbol(file, at)),
                Exported::Import(number) => found.extend(self.imported(file, number, way)),
            }
        }
        if found.is_empty() && name != DEFAULT && name != WHOLE {
            found = self.brought_by_stars(file, facts, name, way);
        }
        if found.is_empty() && !facts.is_esm && name != WHOLE {
            // A property of what is exported as a whole, or that whole as the default.
            found = self.look_up(file, WHOLE, way);
            if found.is_empty() && name == DEFAULT {
                found.push(Meaning::Module(file));
            }
        }
        found
    }

    fn brought_by_stars(
        &mut self,
        file: usize,
        facts: &Facts,
        name: &str,
        way: &mut Way,
    ) -> Vec<Meaning> {
        let mut found = vec![];
        for from in &facts.stars {
            if !self.steps.goes_on() {
                break;
            }
            if let Some(other) = self.find(file, from) {
                found.extend(self.look_up(other, name, way));
            }
        }
        found
    }
}
