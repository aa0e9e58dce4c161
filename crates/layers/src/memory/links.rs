//! The structural edges that lead away from the chunks of one file, from what its code imports and uses, and from the
//! names in tests and documents.
//!
//! A name is resolved as far as one file and its imports tell: in its own file, through an import by name, through the
//! module that an import brings, and as a member: of the class around for `self`, else of the few classes that have it, those
//! in this file and the imported ones first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    catalogue::Catalogue,
    chunk::{Head, Id, key},
    graph::Link,
};
use trajview_metrics::lifeline::{FileFacts, Import, Kind, Via, module_of};
use trajview_run::RepoPath;

/// The files by the last part of the name that code imports them by.
pub type Modules = HashMap<Box<str>, BTreeSet<RepoPath>>;

/// Edges by where they begin: where to, type, weight.
pub type Found = BTreeMap<Id, Vec<(Id, Link, f64)>>;

/// A name that more definitions have says nothing of which is meant.
const MOST_MEANT: usize = 3;

/// What a file is linked with.
pub struct Links<'a> {
    pub catalogue: &'a Catalogue,
    pub modules: &'a Modules,
}

/// A file of code.
struct Code<'a> {
    path: &'a RepoPath,
    facts: &'a FileFacts,
    /// The files that it imports from.
    imported: BTreeSet<RepoPath>,
}

impl Links<'_> {
    /// Of a file of code; every chunk of it is there, if only with no edges.
    pub fn of_code(&self, path: &RepoPath, facts: &FileFacts) -> Found {
        let ids: Vec<Id> = self.catalogue.of_artifact(path.as_str()).collect();
        let mut found: Found = ids.into_iter().map(|id| (id, vec![])).collect();
        let Some(file) = self.here(path.as_str()) else { return found };
        let imported = self.imports(file, facts, &mut found);
        let code = Code { path, facts, imported };
        self.implements(file, &code, &mut found);
        for (name, uses) in facts.uses() {
            for one in uses {
                let from = self.around(file, &code, one.within);
                for to in self.meant(&code, name, &one.via, one.within) {
                    add(&mut found, from, to, Link::Calls, f64::from(one.count));
                }
            }
        }
        found
    }

    /// Of a file or section with words alone: each definition at the top of a file that is named once.
    pub fn of_words(&self, from: Id, words: &BTreeSet<Box<str>>, link: Link) -> Found {
        let mut found = Found::from([(from, vec![])]);
        for word in words {
            let tops = self.catalogue.defined(word).filter(|id| self.is_top(*id));
            for to in few(tops) {
                add(&mut found, from, to, link, 1.0);
            }
        }
        found
    }

    /// A chunk that is there.
    fn here(&self, key: &str) -> Option<Id> {
        self.catalogue.by_key(key).filter(|id| self.head(*id).is_some_and(|it| it.gone.is_none()))
    }

    fn head(&self, id: Id) -> Option<&Head> {
        self.catalogue.head(id)
    }

    fn is_top(&self, id: Id) -> bool {
        self.head(id).is_some_and(|head| !head.name.contains('.'))
    }

    /// Edges from file to file; the files.
    fn imports(&self, file: Id, facts: &FileFacts, found: &mut Found) -> BTreeSet<RepoPath> {
        let mut all = BTreeSet::new();
        for import in facts.imports() {
            for path in self.files_of(import) {
                if let Some(to) = self.here(path.as_str()) {
                    add(found, file, to, Link::Imports, 1.0);
                }
                all.insert(path.clone());
            }
        }
        all
    }

    /// The files that an import brings, or brings something from.
    fn files_of<'s>(&'s self, import: &Import) -> Vec<&'s RepoPath> {
        let whole: Vec<Box<str>> = import.module.iter().chain(&import.name).cloned().collect();
        let named = self.modules_named(&whole);
        if named.is_empty() { self.modules_named(&import.module) } else { named }
    }

    fn modules_named<'s>(&'s self, module: &[Box<str>]) -> Vec<&'s RepoPath> {
        let known = module.last().and_then(|last| self.modules.get(last)).into_iter().flatten();
        let found: Vec<&RepoPath> =
            known.filter(|path| module_of(path).ends_with(module)).collect();
        if found.len() > MOST_MEANT { vec![] } else { found }
    }

    fn implements(&self, file: Id, code: &Code<'_>, found: &mut Found) {
        for definition in &code.facts.definitions {
            let Some(id) = self.own(code.path, &definition.name) else { continue };
            let owner = definition.owner().and_then(|at| code.facts.definitions.get(at));
            let owner = owner.map_or(Some(file), |owner| self.own(code.path, &owner.name));
            if let Some(owner) = owner {
                add(found, owner, id, Link::Implements, 1.0);
            }
        }
    }

    fn own(&self, path: &RepoPath, name: &str) -> Option<Id> {
        self.here(&key(path.as_str(), name))
    }

    /// The innermost chunk around a use.
    fn around(&self, file: Id, code: &Code<'_>, within: Option<u32>) -> Id {
        let all = &code.facts.definitions;
        let around =
            std::iter::successors(within.map(|at| at as usize), |at| all.get(*at)?.owner());
        let mut ids = around.filter_map(|at| self.own(code.path, &all.get(at)?.name));
        ids.next().unwrap_or(file)
    }

    /// The definitions that a name can mean where it is used.
    fn meant(&self, code: &Code<'_>, name: &str, via: &Via, within: Option<u32>) -> Vec<Id> {
        match via {
            Via::Itself if code.facts.is_shadowed(name, within) => vec![],
            Via::Itself => match self.own(code.path, name) {
                Some(own) => vec![own],
                None => self.brought(code, name),
            },
            Via::Member(object) => self.member(code, name, object, within),
        }
    }

    /// What an import brings under a name.
    fn brought(&self, code: &Code<'_>, alias: &str) -> Vec<Id> {
        let of = |import: &Import| {
            let name = match import.name.as_deref() {
                Some("*") => alias,
                Some(name) if &*import.alias == alias => name,
                Some(_) | None => return vec![],
            };
            let is_from = |id: &Id| {
                let path = self.head(*id).and_then(Head::path);
                self.is_top(*id)
                    && path.is_some_and(|path| is_from(&module_of(&path), &import.module))
            };
            few(self.catalogue.defined(name).filter(is_from))
        };
        code.facts.imports().iter().flat_map(of).collect()
    }

    /// `object.name`
    fn member(&self, code: &Code<'_>, name: &str, object: &str, within: Option<u32>) -> Vec<Id> {
        if matches!(object, "self" | "cls" | "this" | "Self") {
            let all = &code.facts.definitions;
            let around =
                std::iter::successors(within.map(|at| at as usize), |at| all.get(*at)?.owner());
            let mut classes =
                around.filter_map(|at| all.get(at)).filter(|it| it.kind == Kind::Class);
            let own = classes.find_map(|it| self.own(code.path, &format!("{}.{name}", it.name)));
            return own.into_iter().collect();
        }
        let last = object.rsplit(['.', ':']).next().unwrap_or(object);
        let imports = code.facts.imports().iter();
        let modules = imports.filter(|it| *it.alias == *object || *it.alias == *last);
        let modules: BTreeSet<&RepoPath> = modules.flat_map(|it| self.files_of(it)).collect();
        let top: Vec<Id> = modules.iter().filter_map(|path| self.own(path, name)).collect();
        if !top.is_empty() {
            return top;
        }
        // `math.sqrt`: of a module that is not here.
        let root = object.split(['.', ':']).next().unwrap_or(object);
        let is_foreign = |it: &Import| {
            (*it.alias == *object || *it.alias == *root) && self.files_of(it).is_empty()
        };
        if code.facts.imports().iter().any(is_foreign) {
            return vec![];
        }
        let members = || self.catalogue.defined(name).filter(|id| !self.is_top(*id));
        let is_near = |id: &Id| {
            let path = self.head(*id).and_then(Head::path);
            path.is_some_and(|path| path == *code.path || code.imported.contains(&path))
        };
        let near = few(members().filter(is_near));
        if near.is_empty() { few(members()) } else { near }
    }
}

/// Whether a module of a file is what an import names: the file, or a package above it.
fn is_from(module: &[Box<str>], named: &[Box<str>]) -> bool {
    let mut above = (1..=module.len()).rev().map(|count| &module[..count]);
    above.any(|part| part.ends_with(named))
}

fn few(ids: impl Iterator<Item = Id>) -> Vec<Id> {
    let ids: Vec<Id> = ids.take(MOST_MEANT + 1).collect();
    if ids.len() > MOST_MEANT { vec![] } else { ids }
}

fn add(found: &mut Found, from: Id, to: Id, link: Link, weight: f64) {
    if from == to {
        return;
    }
    let edges = found.entry(from).or_default();
    match edges.iter_mut().find(|(known, kind, _)| (*known, *kind) == (to, link)) {
        Some((.., sum)) => *sum += weight,
        None => edges.push((to, link, weight)),
    }
}
