//! Which file each path leads to.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Binds, Facts, Import, tree::Modules};
use crate::reuse::{
    facts::{Kind, Words},
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

/// Adds what the Rust files among the sources import and use.
pub fn link(sources: &[Source<'_>], links: &mut Links) {
    let facts: Vec<Option<&Facts>> = sources
        .iter()
        .map(|source| match &source.facts.words {
            Words::Rust(facts) => Some(facts),
            _ => None,
        })
        .collect();
    let modules = Modules::of(sources, &facts, links);
    let own = facts.iter().enumerate().filter(|(_, facts)| facts.is_some_and(|it| it.is_test));
    links.tests.extend(own.map(|(file, _)| file));
    links.tests = &links.tests | &modules.below(&links.tests);
    let mut linker = Linker::of(sources, &facts, modules);
    for (file, facts) in facts.iter().enumerate() {
        let Some(facts) = facts else { continue };
        let public = facts.items.iter().enumerate().filter(|(_, item)| item.is_public);
        links.public.extend(public.map(|(at, _)| (file, at)));
        linker.add_imports(file, facts, links);
        linker.add_uses(file, facts, links);
    }
    links.gave_up |= linker.steps.gave_up;
}

struct Linker<'a> {
    sources: &'a [Source<'a>],
    modules: Modules,
    items: HashMap<(usize, &'a str), (usize, usize)>,
    /// What `use` brings to each module.
    named: HashMap<(usize, &'a str), Vec<&'a [Box<str>]>>,
    globs: HashMap<usize, Vec<&'a [Box<str>]>>,
    known: HashMap<(usize, Box<str>), Vec<Meaning>>,
    steps: Steps,
}

/// Names of modules that were looked up on the way to here.
type Way = HashSet<(usize, Box<str>)>;

impl<'a> Linker<'a> {
    fn of(sources: &'a [Source<'a>], facts: &[Option<&'a Facts>], modules: Modules) -> Self {
        let mut all = Self {
            sources,
            modules,
            items: HashMap::new(),
            named: HashMap::new(),
            globs: HashMap::new(),
            known: HashMap::new(),
            steps: Steps::default(),
        };
        for (file, facts) in facts.iter().enumerate() {
            for (at, item) in facts.iter().flat_map(|facts| facts.items.iter().enumerate()) {
                if let Some(module) = all.modules.of_file(file, item.module) {
                    all.items.insert((module, &item.name), (file, at));
                }
            }
            for import in facts.iter().flat_map(|facts| &facts.imports) {
                let Some(module) = all.modules.of_file(file, import.module) else { continue };
                match &import.binds {
                    Binds::Name(name) => {
                        all.named.entry((module, name)).or_default().push(&import.path);
                    }
                    Binds::Everything => all.globs.entry(module).or_default().push(&import.path),
                }
            }
        }
        all
    }

    fn add_imports(&mut self, file: usize, facts: &Facts, links: &mut Links) {
        for Import { module, path, .. } in &facts.imports {
            let Some(module) = self.modules.of_file(file, *module) else { continue };
            links.imports.extend(self.library_of(module, path).map(|library| (file, library)));
            for meaning in self.follow(module, path, &mut Way::new()) {
                let other = self.file_of(meaning);
                if other != file {
                    links.imports.insert((file, other));
                    links.uses.extend(self.if_trait(meaning).map(|symbol| (symbol, file)));
                }
            }
        }
    }

    fn add_uses(&mut self, file: usize, facts: &Facts, links: &mut Links) {
        for (module, path) in &facts.uses {
            let Some(module) = self.modules.of_file(file, *module) else { continue };
            links.imports.extend(self.library_of(module, path).map(|library| (file, library)));
            for meaning in self.follow(module, path, &mut Way::new()) {
                let other = self.file_of(meaning);
                if other == file {
                    continue;
                }
                links.imports.insert((file, other));
                if let Meaning::Symbol(other, at) = meaning {
                    links.uses.insert(((other, at), file));
                }
            }
        }
    }

    fn file_of(&self, meaning: Meaning) -> usize {
        match meaning {
            Meaning::Symbol(file, _) => file,
            Meaning::Module(module) => self.modules.file_of(module),
        }
    }

    /// The `lib.rs` that a path begins at, where it begins with the name of a package.
    fn library_of(&mut self, module: usize, path: &[Box<str>]) -> Option<usize> {
        let first = path.first()?;
        let library = self.modules.library(first)?;
        let is_package = self.look_up(module, first, &mut Way::new()).is_empty();
        let file = self.modules.file_of(library);
        (is_package && file != self.modules.file_of(module)).then_some(file)
    }

    /// A trait is used by bringing it in.
    fn if_trait(&self, meaning: Meaning) -> Option<(usize, usize)> {
        let Meaning::Symbol(file, at) = meaning else { return None };
        let definition = self.sources[file].facts.definitions.get(at)?;
        (definition.kind == Kind::Trait).then_some((file, at))
    }

    /// What a path of a module leads to.
    fn follow(&mut self, module: usize, path: &[Box<str>], way: &mut Way) -> Vec<Meaning> {
        let Some((first, rest)) = path.split_first() else { return vec![] };
        let mut open = match &**first {
            "crate" => vec![Meaning::Module(self.modules.root(module))],
            "self" => vec![Meaning::Module(module)],
            "super" => self.modules.parent(module).map(Meaning::Module).into_iter().collect(),
            name => self.look_up(module, name, way),
        };
        if open.is_empty() {
            open.extend(self.modules.library(first).map(Meaning::Module));
        }
        for name in rest {
            let mut next: Vec<Meaning> = vec![];
            for meaning in open {
                match (meaning, &**name) {
                    // A variant, or what belongs to a type.
                    (Meaning::Symbol(..), _) => next.push(meaning),
                    (Meaning::Module(module), "super") => {
                        next.extend(self.modules.parent(module).map(Meaning::Module));
                    }
                    (Meaning::Module(module), "self") => next.push(Meaning::Module(module)),
                    (Meaning::Module(module), name) => next.extend(self.look_up(module, name, way)),
                }
            }
            open = next;
        }
        open
    }

    fn look_up(&mut self, module: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        let key = (module, Box::from(name));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let child = self.modules.child(module, name).map(Meaning::Module);
        let item = self.items.get(&(module, name)).map(|&(file, at)| Meaning::Symbol(file, at));
        let mut found: Vec<Meaning> = child.into_iter().chain(item).collect();
        let is_asked_first = way.is_empty();
        if !way.insert(key.clone()) || !self.steps.goes_on() {
            return found;
        }
        self.steps.depth += 1;
        for path in self.named.get(&(module, name)).cloned().unwrap_or_default() {
            found.extend(self.follow(module, path, way));
        }
        if found.is_empty() {
            found = self.brought_by_globs(module, name, way);
        }
        self.steps.depth -= 1;
        found.sort_unstable();
        found.dedup();
        if is_asked_first {
            self.known.insert(key, found.clone());
        }
        found
    }

    fn brought_by_globs(&mut self, module: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        let mut found = BTreeSet::new();
        for path in self.globs.get(&module).cloned().unwrap_or_default() {
            if !self.steps.goes_on() {
                break;
            }
            for meaning in self.follow(module, path, way) {
                if let Meaning::Module(other) = meaning {
                    found.extend(self.look_up(other, name, way));
                }
            }
        }
        found.into_iter().collect()
    }
}
