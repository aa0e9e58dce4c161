//! The modules of all files, as `mod` puts them together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Declared, Facts};
use crate::reuse::{
    facts::Words,
    source::{Links, Source},
};

/// Every module of every Rust file, by a number.
#[derive(Debug, Default)]
pub struct Modules {
    /// The number of each file's own module; the modules in it follow. None of what is not Rust.
    first: Vec<Option<usize>>,
    file_of: Vec<usize>,
    parent: Vec<Option<usize>>,
    children: HashMap<(usize, Box<str>), usize>,
    /// The libraries of the project, by the names code has for them.
    libraries: HashMap<Box<str>, usize>,
}

/// Modules in modules are followed this far.
const MOST_DEEP: usize = 200;

impl Modules {
    /// What `mod` declares is imported, and a test where it says so.
    pub fn of(sources: &[Source<'_>], facts: &[Option<&Facts>], links: &mut Links) -> Self {
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
                all.declare((sources, &files), (file, facts), declared, links);
            }
        }
        for (file, source) in sources.iter().enumerate() {
            if let Some((parent, declared)) = all.named_in_a_macro(source.path, &files, facts, file)
            {
                all.declare((sources, &files), parent, &declared, links);
            }
        }
        all.find_libraries(sources);
        all
    }

    /// A file that no `mod` declares belongs to the one above it where that names it in the arguments of a macro.
    fn named_in_a_macro<'a>(
        &self,
        path: &str,
        files: &BTreeMap<&str, usize>,
        facts: &[Option<&'a Facts>],
        file: usize,
    ) -> Option<((usize, &'a Facts), Declared)> {
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
        let declared = Declared { module: 0, name: name.into(), path: None, is_test: false };
        (self.parent[first].is_none() && is_named).then_some(((parent, facts), declared))
    }

    fn declare(
        &mut self,
        (sources, files): (&[Source<'_>], &BTreeMap<&str, usize>),
        (file, facts): (usize, &Facts),
        declared: &Declared,
        links: &mut Links,
    ) {
        let Some(module) = self.first[file].map(|first| first + declared.module) else { return };
        let places = places(sources[file].path, &names_to(facts, declared.module), declared);
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
        if self.parent[first].is_none() && self.root(module) != first {
            self.parent[first] = Some(module);
        }
    }

    /// `src/lib.rs` of every package, by the name in its `Cargo.toml`, else by its folder.
    fn find_libraries(&mut self, sources: &[Source<'_>]) {
        let manifests: BTreeMap<&str, &str> = sources
            .iter()
            .filter_map(|source| match &source.facts.words {
                Words::Manifest(name) => Some((source.path.strip_suffix("Cargo.toml")?, &**name)),
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

    pub fn of_file(&self, file: usize, module: usize) -> Option<usize> {
        self.first.get(file).copied().flatten().map(|first| first + module)
    }

    pub fn file_of(&self, module: usize) -> usize {
        self.file_of[module]
    }

    pub fn parent(&self, module: usize) -> Option<usize> {
        self.parent[module]
    }

    pub fn child(&self, module: usize, name: &str) -> Option<usize> {
        self.children.get(&(module, name.into())).copied()
    }

    pub fn library(&self, name: &str) -> Option<usize> {
        self.libraries.get(name).copied()
    }

    /// The root of the crate.
    pub fn root(&self, module: usize) -> usize {
        let above = std::iter::successors(Some(module), |&at| self.parent[at]);
        above.take(MOST_DEEP).last().unwrap_or(module)
    }

    /// Files whose modules lie below those of one of these.
    pub fn below(&self, files: &BTreeSet<usize>) -> BTreeSet<usize> {
        let lies_below = |module: usize| {
            let above = std::iter::successors(Some(module), |&at| self.parent[at]);
            above.take(MOST_DEEP).any(|at| files.contains(&self.file_of[at]))
        };
        (0..self.file_of.len()).filter(|&at| lies_below(at)).map(|at| self.file_of[at]).collect()
    }
}

/// The names that lead from a file to one of the modules in it.
fn names_to(facts: &Facts, mut module: usize) -> Vec<&str> {
    let mut names = vec![];
    while let Some(inline) = facts.modules.get(module).filter(|_| module > 0) {
        names.push(&*inline.name);
        module = inline.parent;
    }
    names.reverse();
    names
}

/// Where the file of a declared module may be.
fn places(path: &str, inner: &[&str], declared: &Declared) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let below = |parts: &[&str]| {
        let parts = [folder].into_iter().chain(parts.iter().copied());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    };
    if let Some(path) = &declared.path {
        return normal(&below(&[path])).into_iter().collect();
    }
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let own = [&[stem], inner, &[&*declared.name]].concat();
    let beside = [inner, &[&*declared.name]].concat();
    let is_root = matches!(stem, "mod" | "lib" | "main");
    let starts = if is_root { [beside, own] } else { [own, beside] };
    let starts = starts.map(|parts| below(&parts));
    starts.iter().flat_map(|start| [format!("{start}.rs"), format!("{start}/mod.rs")]).collect()
}

/// None where it climbs out.
fn normal(path: &str) -> Option<String> {
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
