//! Resolves each path to the file that defines its target.

use std::collections::{BTreeSet, HashMap};

use super::{RustFacts, RustImport, UseBinding, module_tree::ModuleTree};
use crate::reuse::{
    facts::{LinkerFacts, SymbolKind},
    link_source::{LinkSource, ReuseLinks, facts_by_file},
    name_lookup::{NameLookups, NameMeaning, NameResolver, VisitedNames},
};

type RustMeaning = NameMeaning<usize>;

/// Adds the imports and uses of the Rust files among the sources.
pub(crate) fn link_rust(sources: &[LinkSource<'_>], links: &mut ReuseLinks) {
    let facts = facts_by_file(sources, |words| match words {
        LinkerFacts::Rust(facts) => Some(facts),
        _ => None,
    });
    let modules = ModuleTree::new(sources, &facts, links);
    let test_files =
        facts.iter().enumerate().filter(|(_, facts)| facts.is_some_and(|it| it.is_test));
    links.tests.extend(test_files.map(|(file, _)| file));
    links.tests = &links.tests | &modules.files_below(&links.tests);
    let mut linker = RustLinker::new(sources, &facts, modules);
    for (file, facts) in facts.iter().enumerate() {
        let Some(facts) = facts else { continue };
        let public = facts.items.iter().enumerate().filter(|(_, item)| item.is_public);
        links.public.extend(public.map(|(at, _)| (file, at)));
        linker.add_imports(file, facts, links);
        linker.add_uses(file, facts, links);
    }
    links.gave_up |= linker.lookups.steps.gave_up;
}

struct RustLinker<'a> {
    sources: &'a [LinkSource<'a>],
    modules: ModuleTree,
    items: HashMap<(usize, &'a str), (usize, usize)>,
    /// The names that `use` brings to each module.
    imported_paths: HashMap<(usize, &'a str), Vec<&'a [Box<str>]>>,
    globs: HashMap<usize, Vec<&'a [Box<str>]>>,
    lookups: NameLookups<usize>,
}

impl<'a> RustLinker<'a> {
    fn new(
        sources: &'a [LinkSource<'a>],
        facts: &[Option<&'a RustFacts>],
        modules: ModuleTree,
    ) -> Self {
        let mut all = Self {
            sources,
            modules,
            items: HashMap::new(),
            imported_paths: HashMap::new(),
            globs: HashMap::new(),
            lookups: NameLookups::default(),
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
                    UseBinding::Name(name) => {
                        all.imported_paths.entry((module, name)).or_default().push(&import.path);
                    }
                    UseBinding::Everything => {
                        all.globs.entry(module).or_default().push(&import.path)
                    }
                }
            }
        }
        all
    }

    fn add_imports(&mut self, file: usize, facts: &RustFacts, links: &mut ReuseLinks) {
        for RustImport { module, path, .. } in &facts.imports {
            let Some(module) = self.modules.of_file(file, *module) else { continue };
            links.imports.extend(self.library_of(module, path).map(|library| (file, library)));
            for meaning in self.follow_path(module, path, &mut VisitedNames::new()) {
                let other = self.file_of(meaning);
                if other != file {
                    links.imports.insert((file, other));
                    links.uses.extend(self.if_trait(meaning).map(|symbol| (symbol, file)));
                }
            }
        }
    }

    /// Adds the definitions and modules to which the paths of a file lead.
    fn add_uses(&mut self, file: usize, facts: &RustFacts, links: &mut ReuseLinks) {
        for (module, path) in &facts.uses {
            let Some(module) = self.modules.of_file(file, *module) else { continue };
            links.imports.extend(self.library_of(module, path).map(|library| (file, library)));
            for meaning in self.follow_path(module, path, &mut VisitedNames::new()) {
                let other = self.file_of(meaning);
                if other == file {
                    continue;
                }
                links.imports.insert((file, other));
                if let RustMeaning::Symbol(other, at) = meaning {
                    links.uses.insert(((other, at), file));
                }
            }
        }
    }

    fn file_of(&self, meaning: RustMeaning) -> usize {
        match meaning {
            RustMeaning::Symbol(file, _) => file,
            RustMeaning::Module(module) => self.modules.file_of(module),
        }
    }

    /// Returns the `lib.rs` at which a path begins, where it begins with the name of a package.
    fn library_of(&mut self, module: usize, path: &[Box<str>]) -> Option<usize> {
        let first = path.first()?;
        let library = self.modules.find_library(first)?;
        let is_package = self.look_up(module, first, &mut VisitedNames::new()).is_empty();
        let file = self.modules.file_of(library);
        (is_package && file != self.modules.file_of(module)).then_some(file)
    }

    /// Returns the definition of a trait, which is used by importing it; None for other meanings.
    fn if_trait(&self, meaning: RustMeaning) -> Option<(usize, usize)> {
        let RustMeaning::Symbol(file, at) = meaning else { return None };
        let definition = self.sources[file].facts.definitions.get(at)?;
        (definition.kind == SymbolKind::Trait).then_some((file, at))
    }

    /// Returns the targets of a path in a module.
    fn follow_path(
        &mut self,
        module: usize,
        path: &[Box<str>],
        visited: &mut VisitedNames,
    ) -> Vec<RustMeaning> {
        let Some((first, rest)) = path.split_first() else { return vec![] };
        let mut open = match &**first {
            "crate" => vec![RustMeaning::Module(self.modules.crate_root(module))],
            "self" => vec![RustMeaning::Module(module)],
            "super" => {
                self.modules.parent_of(module).map(RustMeaning::Module).into_iter().collect()
            }
            name => self.look_up(module, name, visited),
        };
        if open.is_empty() {
            open.extend(self.modules.find_library(first).map(RustMeaning::Module));
        }
        for name in rest {
            let mut next: Vec<RustMeaning> = vec![];
            for meaning in open {
                match (meaning, &**name) {
                    // A variant, or what belongs to a type.
                    (RustMeaning::Symbol(..), _) => next.push(meaning),
                    (RustMeaning::Module(module), "super") => {
                        next.extend(self.modules.parent_of(module).map(RustMeaning::Module));
                    }
                    (RustMeaning::Module(module), "self") => next.push(RustMeaning::Module(module)),
                    (RustMeaning::Module(module), name) => {
                        next.extend(self.look_up(module, name, visited))
                    }
                }
            }
            open = next;
        }
        open
    }

    /// Looks up a name in the targets of a module's glob imports.
    fn brought_by_globs(
        &mut self,
        module: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<RustMeaning> {
        let mut meanings = BTreeSet::new();
        for path in self.globs.get(&module).cloned().unwrap_or_default() {
            if !self.lookups.steps.take_step() {
                break;
            }
            for meaning in self.follow_path(module, path, visited) {
                if let RustMeaning::Module(other) = meaning {
                    meanings.extend(self.look_up(other, name, visited));
                }
            }
        }
        meanings.into_iter().collect()
    }
}

impl NameResolver for RustLinker<'_> {
    type Module = usize;

    fn lookups(&mut self) -> &mut NameLookups<usize> {
        &mut self.lookups
    }

    /// Looks up a name of a module: its items, child modules and imports.
    fn look_up(
        &mut self,
        module: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<RustMeaning> {
        self.look_up_in_scope(module, name, visited)
    }

    fn own_meanings(&self, module: usize, name: &str) -> Vec<RustMeaning> {
        let child = self.modules.child_module(module, name).map(RustMeaning::Module);
        let item = self.items.get(&(module, name)).map(|&(file, at)| RustMeaning::Symbol(file, at));
        child.into_iter().chain(item).collect()
    }

    fn resolve(
        &mut self,
        module: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<RustMeaning> {
        let mut meanings = self.own_meanings(module, name);
        for path in self.imported_paths.get(&(module, name)).cloned().unwrap_or_default() {
            meanings.extend(self.follow_path(module, path, visited));
        }
        if meanings.is_empty() {
            meanings = self.brought_by_globs(module, name, visited);
        }
        meanings
    }
}
