//! Which file each name is from.
//!
//! A name of a module is its own definition, or what an import binds there, or what a star brings, or a module below
//! the package. Following one may come back to where it began; it then gives nothing.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use super::{
    AllItem, Facts, Import, Root, Use,
    layout::{Layout, Node},
};
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
    Module(Node),
}

/// Adds what the Python files among the sources import and use.
pub fn link(sources: &[Source<'_>], links: &mut Links) {
    let mut linker = Linker::of(sources);
    for file in 0..sources.len() {
        let Some(facts) = linker.facts[file] else { continue };
        linker.add_public(file, links);
        for (number, import) in facts.imports.iter().enumerate() {
            let imported = linker.files_of(file, number, import);
            links
                .imports
                .extend(imported.into_iter().filter(|&to| to != file).map(|to| (file, to)));
        }
        for one in &facts.uses {
            for (other, definition) in linker.symbols_of(file, one) {
                if other != file {
                    links.uses.insert(((other, definition), file));
                }
            }
        }
    }
    for (file, source) in sources.iter().enumerate() {
        let (paths, by): (Vec<&str>, _) = match &source.facts.words {
            Words::Python(facts) => (facts.paths.iter().map(|path| &**path).collect(), "string"),
            Words::EntryPoints(paths) => {
                (paths.iter().map(|path| &**path).collect(), "entry point")
            }
            Words::Script(_) | Words::Rust(_) | Words::Manifest(_) | Words::None => continue,
        };
        for path in paths {
            for symbol in linker.named_by(file, path) {
                let said = || format!("{by} in {}", source.path);
                links.registered.entry(symbol).or_insert_with(said);
            }
        }
    }
    links.gave_up |= linker.steps.gave_up;
}

struct Linker<'a> {
    facts: Vec<Option<&'a Facts>>,
    sources: &'a [Source<'a>],
    layout: Layout,
    /// What each file defines, by name.
    definitions: Vec<HashMap<&'a str, usize>>,
    /// What imports bind at module level in each file, by name.
    names: Vec<HashMap<&'a str, &'a [usize]>>,
    /// Answers to questions that were not asked on the way to another.
    known: HashMap<(usize, Box<str>), Vec<Meaning>>,
    /// `__all__` of each file; empty while it is being put together.
    lists: HashMap<usize, Option<List>>,
    /// The module of each import.
    modules: HashMap<(usize, usize), Option<Node>>,
    steps: Steps,
}

/// Names of files that were looked up on the way to here.
type Way = HashSet<(usize, Box<str>)>;

type List = Rc<BTreeSet<Box<str>>>;

impl<'a> Linker<'a> {
    fn of(sources: &'a [Source<'a>]) -> Self {
        let facts: Vec<Option<&Facts>> = sources
            .iter()
            .map(|source| match &source.facts.words {
                Words::Python(facts) => Some(facts),
                _ => None,
            })
            .collect();
        let definitions = sources.iter().map(|source| {
            let all = source.facts.definitions.iter().enumerate();
            all.map(|(at, definition)| (&*definition.name, at)).collect()
        });
        let names = facts.iter().map(|facts| {
            let all = facts.iter().flat_map(|facts| &facts.names);
            all.map(|(name, imports)| (&**name, imports.as_slice())).collect()
        });
        Self {
            definitions: definitions.collect(),
            names: names.collect(),
            facts,
            sources,
            layout: Layout::of(sources),
            known: HashMap::new(),
            lists: HashMap::new(),
            modules: HashMap::new(),
            steps: Steps::default(),
        }
    }

    fn add_public(&mut self, file: usize, links: &mut Links) {
        let list = self.list(file);
        for (at, definition) in self.sources[file].facts.definitions.iter().enumerate() {
            let is_public = match &list {
                Some(list) => list.contains(&definition.name),
                None => !definition.name.starts_with('_'),
            };
            if is_public {
                links.public.insert((file, at));
            }
        }
    }

    /// The symbols that a dotted path names.
    fn named_by(&mut self, file: usize, path: &str) -> Vec<(usize, usize)> {
        let mut parts: Vec<Box<str>> = path.split('.').map(Into::into).collect();
        let Some(name) = parts.pop() else { return vec![] };
        let Some(module) = self.layout.absolute(file, &parts) else { return vec![] };
        let meanings = self.look_up(module, &name, &mut Way::default());
        let symbol = |meaning| match meaning {
            Meaning::Symbol(file, at) => Some((file, at)),
            Meaning::Module(_) => None,
        };
        meanings.into_iter().filter_map(symbol).collect()
    }

    /// Every file that an import runs.
    fn files_of(&mut self, file: usize, number: usize, import: &Import) -> BTreeSet<usize> {
        let Some(module) = self.module(file, number) else { return BTreeSet::new() };
        let mut files: BTreeSet<usize> = self.layout.run_by_importing(module).into_iter().collect();
        if let Some(name) = &import.name {
            for meaning in self.look_up(module, name, &mut Way::default()) {
                if let Meaning::Module(node) = meaning {
                    files.extend(self.layout.run_by_importing(node));
                }
            }
        }
        files
    }

    /// What an import of a file takes names from.
    fn module(&mut self, file: usize, number: usize) -> Option<Node> {
        if let Some(&known) = self.modules.get(&(file, number)) {
            return known;
        }
        let import = self.facts[file]?.imports.get(number)?;
        let module = match import.level {
            0 => self.layout.absolute(file, &import.module),
            level => self.layout.relative(file, level, &import.module),
        };
        self.modules.insert((file, number), module);
        module
    }

    /// The symbols a dotted name goes through.
    fn symbols_of(&mut self, file: usize, one: &Use) -> BTreeSet<(usize, usize)> {
        let mut open = self.root(file, &one.root, &mut Way::default());
        let mut symbols = BTreeSet::new();
        for name in &one.attributes {
            let mut next = vec![];
            for meaning in open {
                match meaning {
                    Meaning::Symbol(file, at) => drop(symbols.insert((file, at))),
                    Meaning::Module(node) => {
                        next.extend(self.look_up(node, name, &mut Way::default()));
                    }
                }
            }
            open = next;
        }
        symbols.extend(open.into_iter().filter_map(|meaning| match meaning {
            Meaning::Symbol(file, at) => Some((file, at)),
            Meaning::Module(_) => None,
        }));
        symbols
    }

    fn root(&mut self, file: usize, root: &Root, way: &mut Way) -> Vec<Meaning> {
        match root {
            Root::Free(name) => self.brought_by_stars(file, name, way),
            Root::Import(number) => self.imported(file, *number, way),
        }
    }

    fn imported(&mut self, file: usize, number: usize, way: &mut Way) -> Vec<Meaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let Some(import) = facts.imports.get(number) else { return vec![] };
        let Some(module) = self.module(file, number) else { return vec![] };
        match &import.name {
            None => vec![Meaning::Module(module)],
            Some(name) => self.look_up(module, name, way),
        }
    }

    /// A name of a module or package.
    fn look_up(&mut self, node: Node, name: &str, way: &mut Way) -> Vec<Meaning> {
        let names = match self.layout.file_of(node) {
            Some(file) => self.name_in(file, name, way),
            None => vec![],
        };
        if !names.is_empty() {
            return names;
        }
        self.layout.child(node, name).map(Meaning::Module).into_iter().collect()
    }

    fn name_in(&mut self, file: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        if let Some(&at) = self.definitions[file].get(name) {
            return vec![Meaning::Symbol(file, at)];
        }
        let key = (file, Box::from(name));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let is_asked_first = way.is_empty();
        if !way.insert(key.clone()) || !self.steps.goes_on() {
            return vec![];
        }
        self.steps.depth += 1;
        let mut found = self.bound_in(file, name, way);
        self.steps.depth -= 1;
        found.sort_unstable();
        found.dedup();
        if is_asked_first {
            self.known.insert(key, found.clone());
        }
        found
    }

    fn bound_in(&mut self, file: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        match self.names[file].get(name) {
            Some(&imports) => {
                imports.iter().flat_map(|&number| self.imported(file, number, way)).collect()
            }
            None => self.brought_by_stars(file, name, way),
        }
    }

    fn brought_by_stars(&mut self, file: usize, name: &str, way: &mut Way) -> Vec<Meaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let mut found = vec![];
        for &star in &facts.stars {
            if !self.steps.goes_on() {
                break;
            }
            let module = self.module(file, star);
            if let Some(module) = module.filter(|&module| self.star_brings(module, name)) {
                found.extend(self.look_up(module, name, way));
            }
        }
        found
    }

    fn star_brings(&mut self, module: Node, name: &str) -> bool {
        let list = self.layout.file_of(module).and_then(|file| self.list(file));
        list.map_or_else(|| !name.starts_with('_'), |list| list.contains(name))
    }

    /// `__all__` of a file; None where it has none.
    fn list(&mut self, file: usize) -> Option<List> {
        if let Some(known) = self.lists.get(&file) {
            return known.clone();
        }
        let items = self.facts[file]?.all.as_ref()?;
        self.lists.insert(file, Some(Rc::default()));
        let mut list = BTreeSet::new();
        self.steps.depth += 1;
        for item in items {
            match item {
                AllItem::Name(name) => drop(list.insert(name.clone())),
                AllItem::Without(name) => drop(list.remove(name)),
                AllItem::Of(one) if self.steps.goes_on() => {
                    list.extend(self.list_of_other(file, one).iter().cloned());
                }
                AllItem::Of(_) => {}
            }
        }
        self.steps.depth -= 1;
        let list = Some(Rc::new(list));
        self.lists.insert(file, list.clone());
        list
    }

    /// `a.b.__all__`, or a name that `from a.b import __all__` bound.
    fn list_of_other(&mut self, file: usize, one: &Use) -> List {
        let Root::Import(number) = one.root else { return Rc::default() };
        let node = match one.attributes.split_last() {
            None => self.list_imported(file, number),
            Some((last, path)) if &**last == "__all__" => self.module_at(file, number, path),
            Some(_) => None,
        };
        let other = node.and_then(|node| self.layout.file_of(node)).filter(|&other| other != file);
        other.and_then(|other| self.list(other)).unwrap_or_default()
    }

    fn list_imported(&mut self, file: usize, number: usize) -> Option<Node> {
        let import = self.facts[file]?.imports.get(number)?;
        let is_list = import.name.as_deref() == Some("__all__");
        is_list.then(|| self.module(file, number)).flatten()
    }

    fn module_at(&mut self, file: usize, number: usize, path: &[Box<str>]) -> Option<Node> {
        let module = |meanings: Vec<Meaning>| {
            meanings.into_iter().find_map(|meaning| match meaning {
                Meaning::Module(node) => Some(node),
                Meaning::Symbol(..) => None,
            })
        };
        let mut node = module(self.imported(file, number, &mut Way::default()))?;
        for name in path {
            node = module(self.look_up(node, name, &mut Way::default()))?;
        }
        Some(node)
    }
}
