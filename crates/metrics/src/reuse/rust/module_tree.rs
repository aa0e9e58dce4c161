//! The tree of the modules of all files, as `mod` declares them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{DeclaredModule, RustFacts};
use crate::reuse::{
    facts::LinkerFacts,
    link_source::{LinkSource, ReuseLinks},
};

/// All modules of all Rust files, each with a number.
#[derive(Debug, Default)]
pub struct ModuleTree {
    /// The number of each file's own module; the modules in it follow. None for files that are not Rust.
    first: Vec<Option<usize>>,
    file_of: Vec<usize>,
    parent: Vec<Option<usize>>,
    children: HashMap<(usize, Box<str>), usize>,
    /// The libraries of the project, keyed by their names in code.
    libraries: HashMap<Box<str>, usize>,
}

/// The deepest nesting of modules that is followed.
const MAX_MODULE_DEPTH: usize = 200;

impl ModuleTree {
    /// Builds the tree. A module that `mod` declares is imported, and is a test where the declaration says so.
    pub fn new(
        sources: &[LinkSource<'_>],
        facts: &[Option<&RustFacts>],
        links: &mut ReuseLinks,
    ) -> Self {
        let mut all = Self::default();
        for (file, facts) in facts.iter().enumerate() {
            all.first.push(facts.map(|_| all.file_of.len()));
            let Some(facts) = facts else { continue };
            let start = all.file_of.len();
            for (at, inline) in facts.modules.iter().enumerate() {
                all.file_of.push(file);
                all.parent.push((at > 0).then_some(start + inline.parent));
                if at > 0 {
                    all.children.insert((start + inline.parent, inline.name.clone()), start + at);
                }
            }
        }
        let files: BTreeMap<&str, usize> =
            sources.iter().enumerate().map(|(at, source)| (source.path, at)).collect();
        for (file, facts) in facts.iter().enumerate() {
            let Some(facts) = facts else { continue };
            for declared in &facts.declared {
                all.add_declared((sources, &files), (file, facts), declared, links);
            }
        }
        for (file, source) in sources.iter().enumerate() {
            if let Some((parent, declared)) = all.named_in_a_macro(source.path, &files, facts, file)
            {
                all.add_declared((sources, &files), parent, &declared, links);
            }
        }
        all.find_libraries(sources);
        all
    }

    /// Finds the parent of a file that no `mod` declares: the file above it, where that names it in the arguments of a
    /// macro.
    fn named_in_a_macro<'a>(
        &self,
        path: &str,
        files: &BTreeMap<&str, usize>,
        facts: &[Option<&'a RustFacts>],
        file: usize,
    ) -> Option<((usize, &'a RustFacts), DeclaredModule)> {
        let first = self.first[file]?;
        let place = path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs"))?;
        let (folder, name) = place.rsplit_once('/')?;
        let above = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"].map(|end| format!("{folder}{end}"));
        let parent = *above.iter().find_map(|path| files.get(path.as_str()))?;
        let facts = facts.get(parent).copied().flatten()?;
        let named: Box<str> = name.into();
        let mut from = facts.uses.range((0, vec![named.clone()])..);
        let is_named =
            from.next().is_some_and(|(at, path)| *at == 0 && path.first() == Some(&named));
        let declared = DeclaredModule { module: 0, name: name.into(), path: None, is_test: false };
        (self.parent[first].is_none() && is_named).then_some(((parent, facts), declared))
    }

    /// Connects a declared module with its file.
    fn add_declared(
        &mut self,
        (sources, files): (&[LinkSource<'_>], &BTreeMap<&str, usize>),
        (file, facts): (usize, &RustFacts),
        declared: &DeclaredModule,
        links: &mut ReuseLinks,
    ) {
        let Some(module) = self.first[file].map(|first| first + declared.module) else { return };
        let places =
            candidate_paths(sources[file].path, &names_to(facts, declared.module), declared);
        let Some(&other) = places.iter().find_map(|place| files.get(place.as_str())) else {
            return;
        };
        let Some(first) = self.first[other].filter(|_| other != file) else { return };
        if declared.is_test {
            links.tests.insert(other);
        } else {
            links.imports.insert((file, other));
        }
        self.children.insert((module, declared.name.clone()), first);
        if self.parent[first].is_none() && self.crate_root(module) != first {
            self.parent[first] = Some(module);
        }
    }

    /// Finds `src/lib.rs` of every package, by the name in its `Cargo.toml`, else by its folder.
    fn find_libraries(&mut self, sources: &[LinkSource<'_>]) {
        let manifests: BTreeMap<&str, &str> = sources
            .iter()
            .filter_map(|source| match &source.facts.words {
                LinkerFacts::Manifest(name) => {
                    Some((source.path.strip_suffix("Cargo.toml")?, &**name))
                }
                _ => None,
            })
            .collect();
        for (file, source) in sources.iter().enumerate() {
            let Some(folder) = source.path.strip_suffix("src/lib.rs") else { continue };
            let named = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let name = manifests.get(folder).map_or(named.replace('-', "_"), |&name| name.into());
            if let Some(first) = self.first[file] {
                self.libraries.insert(name.into(), first);
            }
        }
    }

    /// Returns the number of a module, by its file and its index in the file; None for files that are not Rust.
    pub fn of_file(&self, file: usize, module: usize) -> Option<usize> {
        self.first.get(file).copied().flatten().map(|first| first + module)
    }

    /// Returns the file of a module.
    pub fn file_of(&self, module: usize) -> usize {
        self.file_of[module]
    }

    /// Returns the parent of a module; None for the root of a crate.
    pub(crate) fn parent_of(&self, module: usize) -> Option<usize> {
        self.parent[module]
    }

    /// Returns the module of a name inside a module.
    pub(crate) fn child_module(&self, module: usize, name: &str) -> Option<usize> {
        self.children.get(&(module, name.into())).copied()
    }

    /// Returns the library of a name in code.
    pub(crate) fn find_library(&self, name: &str) -> Option<usize> {
        self.libraries.get(name).copied()
    }

    /// Returns the root of the module's crate.
    pub(crate) fn crate_root(&self, module: usize) -> usize {
        let above = std::iter::successors(Some(module), |&at| self.parent[at]);
        above.take(MAX_MODULE_DEPTH).last().unwrap_or(module)
    }

    /// Returns the files whose modules are below those of one of these files.
    pub fn files_below(&self, files: &BTreeSet<usize>) -> BTreeSet<usize> {
        let lies_below = |module: usize| {
            let above = std::iter::successors(Some(module), |&at| self.parent[at]);
            above.take(MAX_MODULE_DEPTH).any(|at| files.contains(&self.file_of[at]))
        };
        (0..self.file_of.len()).filter(|&at| lies_below(at)).map(|at| self.file_of[at]).collect()
    }
}

/// Returns the names that lead from a file to one of the modules in it.
fn names_to(facts: &RustFacts, mut module: usize) -> Vec<&str> {
    let mut names = vec![];
    while let Some(inline) = facts.modules.get(module).filter(|_| module > 0) {
        names.push(&*inline.name);
        module = inline.parent;
    }
    names.reverse();
    names
}

/// Returns the possible paths of a declared module's file.
fn candidate_paths(path: &str, inner: &[&str], declared: &DeclaredModule) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let below = |parts: &[&str]| {
        let parts = [folder].into_iter().chain(parts.iter().copied());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    };
    if let Some(path) = &declared.path {
        return normalised_path(&below(&[path])).into_iter().collect();
    }
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let inner_path = [&[stem], inner, &[&*declared.name]].concat();
    let beside = [inner, &[&*declared.name]].concat();
    let is_root = matches!(stem, "mod" | "lib" | "main");
    let starts = if is_root { [beside, inner_path] } else { [inner_path, beside] };
    let starts = starts.map(|parts| below(&parts));
    starts.iter().flat_map(|start| [format!("{start}.rs"), format!("{start}/mod.rs")]).collect()
}

/// Returns a path without `.` and `..`; None where it leaves the project.
fn normalised_path(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
