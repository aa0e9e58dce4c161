//! Resolves each name to the file that defines it.
//!
//! A name of a module is its own definition, or is bound by an import, or comes from a star import, or is a module
//! inside the package. A resolution that comes back to its start gives nothing.

use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use super::{
    AllItem, PythonFacts, PythonImport, PythonUse, UseRoot,
    package_layout::{PackageLayout, PythonTarget},
};
use crate::reuse::{
    facts::LinkerFacts,
    link_source::{LinkSource, ReuseLinks, facts_by_file},
    name_lookup::{NameLookups, NameMeaning, NameResolver, VisitedNames},
};

type PythonMeaning = NameMeaning<PythonTarget>;

/// Adds the imports and uses of the Python files among the sources.
pub(crate) fn link_python(sources: &[LinkSource<'_>], links: &mut ReuseLinks) {
    let mut linker = PythonLinker::new(sources);
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
            LinkerFacts::Python(facts) => {
                (facts.paths.iter().map(|path| &**path).collect(), "string")
            }
            LinkerFacts::EntryPoints(paths) => {
                (paths.iter().map(|path| &**path).collect(), "entry point")
            }
            LinkerFacts::Script(_)
            | LinkerFacts::Rust(_)
            | LinkerFacts::Manifest(_)
            | LinkerFacts::None => continue,
        };
        for path in paths {
            for symbol in linker.named_by(file, path) {
                let description = || format!("{by} in {}", source.path);
                links.registered.entry(symbol).or_insert_with(description);
            }
        }
    }
    links.gave_up |= linker.lookups.steps.gave_up;
}

struct PythonLinker<'a> {
    facts: Vec<Option<&'a PythonFacts>>,
    sources: &'a [LinkSource<'a>],
    layout: PackageLayout,
    /// The definitions of each file, keyed by name.
    definitions: Vec<HashMap<&'a str, usize>>,
    /// The imports that bind a name at module level in each file, keyed by name.
    names: Vec<HashMap<&'a str, &'a [usize]>>,
    /// The `__all__` of each file; empty while it is being built.
    lists: HashMap<usize, Option<AllNames>>,
    /// The module of each import.
    modules: HashMap<(usize, usize), Option<PythonTarget>>,
    lookups: NameLookups<PythonTarget>,
}

type AllNames = Rc<BTreeSet<Box<str>>>;

impl<'a> PythonLinker<'a> {
    fn new(sources: &'a [LinkSource<'a>]) -> Self {
        let facts = facts_by_file(sources, |words| match words {
            LinkerFacts::Python(facts) => Some(facts),
            _ => None,
        });
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
            layout: PackageLayout::new(sources),
            lists: HashMap::new(),
            modules: HashMap::new(),
            lookups: NameLookups::default(),
        }
    }

    fn add_public(&mut self, file: usize, links: &mut ReuseLinks) {
        let list = self.all_names(file);
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

    /// Returns the symbols that a dotted path names.
    fn named_by(&mut self, file: usize, path: &str) -> Vec<(usize, usize)> {
        let mut parts: Vec<Box<str>> = path.split('.').map(Into::into).collect();
        let Some(name) = parts.pop() else { return vec![] };
        let Some(module) = self.layout.absolute_module(file, &parts) else { return vec![] };
        let meanings = self.look_up(module, &name, &mut VisitedNames::new());
        meanings.into_iter().filter_map(PythonMeaning::symbol).collect()
    }

    /// Returns all files that an import runs.
    fn files_of(&mut self, file: usize, number: usize, import: &PythonImport) -> BTreeSet<usize> {
        let Some(module) = self.module_of_import(file, number) else { return BTreeSet::new() };
        let mut files: BTreeSet<usize> = self.layout.run_by_importing(module).into_iter().collect();
        if let Some(name) = &import.name {
            for meaning in self.look_up(module, name, &mut VisitedNames::new()) {
                if let PythonMeaning::Module(node) = meaning {
                    files.extend(self.layout.run_by_importing(node));
                }
            }
        }
        files
    }

    /// Returns the module from which an import takes names.
    fn module_of_import(&mut self, file: usize, number: usize) -> Option<PythonTarget> {
        if let Some(&known) = self.modules.get(&(file, number)) {
            return known;
        }
        let import = self.facts[file]?.imports.get(number)?;
        let module = match import.level {
            0 => self.layout.absolute_module(file, &import.module),
            level => self.layout.relative_module(file, level, &import.module),
        };
        self.modules.insert((file, number), module);
        module
    }

    /// Returns the symbols along a dotted name.
    fn symbols_of(&mut self, file: usize, one: &PythonUse) -> BTreeSet<(usize, usize)> {
        let open = self.meanings_of_root(file, &one.root, &mut VisitedNames::new());
        self.follow_names(open, &one.attributes).0
    }

    fn meanings_of_root(
        &mut self,
        file: usize,
        root: &UseRoot,
        visited: &mut VisitedNames,
    ) -> Vec<PythonMeaning> {
        match root {
            UseRoot::Free(name) => self.brought_by_stars(file, name, visited),
            UseRoot::Import(number) => self.meanings_of_import(file, *number, visited),
        }
    }

    /// Returns what an import brings: the module, or the meanings of the name in it.
    fn meanings_of_import(
        &mut self,
        file: usize,
        number: usize,
        visited: &mut VisitedNames,
    ) -> Vec<PythonMeaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let Some(import) = facts.imports.get(number) else { return vec![] };
        let Some(module) = self.module_of_import(file, number) else { return vec![] };
        match &import.name {
            None => vec![PythonMeaning::Module(module)],
            Some(name) => self.look_up(module, name, visited),
        }
    }

    /// Looks up a name in the modules of a file's star imports.
    fn brought_by_stars(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<PythonMeaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let mut meanings = vec![];
        for &star in &facts.stars {
            if !self.lookups.steps.take_step() {
                break;
            }
            let module = self.module_of_import(file, star);
            if let Some(module) = module.filter(|&module| self.star_brings(module, name)) {
                meanings.extend(self.look_up(module, name, visited));
            }
        }
        meanings
    }

    /// Returns whether `from module import *` brings a name: one in `__all__`, or without it one that does not begin
    /// with `_`.
    fn star_brings(&mut self, module: PythonTarget, name: &str) -> bool {
        let list = self.layout.file_of(module).and_then(|file| self.all_names(file));
        list.map_or_else(|| !name.starts_with('_'), |list| list.contains(name))
    }

    /// Returns the `__all__` of a file; None where it has none.
    fn all_names(&mut self, file: usize) -> Option<AllNames> {
        if let Some(known) = self.lists.get(&file) {
            return known.clone();
        }
        let items = self.facts[file]?.all.as_ref()?;
        self.lists.insert(file, Some(Rc::default()));
        let mut list = BTreeSet::new();
        self.lookups.steps.depth += 1;
        for item in items {
            match item {
                AllItem::Name(name) => drop(list.insert(name.clone())),
                AllItem::Without(name) => drop(list.remove(name)),
                AllItem::Of(one) if self.lookups.steps.take_step() => {
                    list.extend(self.list_of_other(file, one).iter().cloned());
                }
                AllItem::Of(_) => {}
            }
        }
        self.lookups.steps.depth -= 1;
        let list = Some(Rc::new(list));
        self.lists.insert(file, list.clone());
        list
    }

    /// Returns the list of `a.b.__all__`, or of a name that `from a.b import __all__` bound.
    fn list_of_other(&mut self, file: usize, one: &PythonUse) -> AllNames {
        let UseRoot::Import(number) = one.root else { return Rc::default() };
        let node = match one.attributes.split_last() {
            None => self.list_imported(file, number),
            Some((last, path)) if &**last == "__all__" => self.module_at(file, number, path),
            Some(_) => None,
        };
        let other = node.and_then(|node| self.layout.file_of(node)).filter(|&other| other != file);
        other.and_then(|other| self.all_names(other)).unwrap_or_default()
    }

    fn list_imported(&mut self, file: usize, number: usize) -> Option<PythonTarget> {
        let import = self.facts[file]?.imports.get(number)?;
        let is_list = import.name.as_deref() == Some("__all__");
        is_list.then(|| self.module_of_import(file, number)).flatten()
    }

    fn module_at(&mut self, file: usize, number: usize, path: &[Box<str>]) -> Option<PythonTarget> {
        let module =
            |meanings: Vec<PythonMeaning>| meanings.into_iter().find_map(PythonMeaning::module);
        let mut node = module(self.meanings_of_import(file, number, &mut VisitedNames::new()))?;
        for name in path {
            node = module(self.look_up(node, name, &mut VisitedNames::new()))?;
        }
        Some(node)
    }
}

impl NameResolver for PythonLinker<'_> {
    type Module = PythonTarget;

    fn lookups(&mut self) -> &mut NameLookups<PythonTarget> {
        &mut self.lookups
    }

    /// Looks up a name of a module or package: the definition in its file, the bindings of its imports, or a child.
    fn look_up(
        &mut self,
        node: PythonTarget,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<PythonMeaning> {
        let names = match self.layout.file_of(node) {
            Some(file) => match self.definitions[file].get(name) {
                Some(&at) => vec![PythonMeaning::Symbol(file, at)],
                None => self.look_up_in_scope(file, name, visited),
            },
            None => vec![],
        };
        if !names.is_empty() {
            return names;
        }
        self.layout.child_of(node, name).map(PythonMeaning::Module).into_iter().collect()
    }

    fn resolve(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<PythonMeaning> {
        match self.names[file].get(name) {
            Some(&imports) => imports
                .iter()
                .flat_map(|&number| self.meanings_of_import(file, number, visited))
                .collect(),
            None => self.brought_by_stars(file, name, visited),
        }
    }
}
