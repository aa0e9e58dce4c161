//! The structural edges that lead away from the chunks of one file, from what its code imports and uses, and from the
//! names in tests and documents.
//!
//! A name is resolved as far as one file and its imports tell: in its own file, through an import by name, through the
//! module that an import brings, and as a member: of the class around for `self`, else of the few classes that have it, those
//! in this file and the imported ones first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    catalogue::ChunkCatalogue,
    chunk::{ChunkHead, ChunkId, key_for},
    graph::LinkKind,
};
use trajview_metrics::lifeline::{DefinitionKind, FileFacts, ImportedName, NameAccess, module_of};
use trajview_run::RepoPath;

/// The files by the last part of the name that code imports them by.
pub type ModuleFiles = HashMap<Box<str>, BTreeSet<RepoPath>>;

/// Edges by where they begin: where to, type, weight.
pub type FoundEdges = BTreeMap<ChunkId, Vec<(ChunkId, LinkKind, f64)>>;

/// The largest number of definitions at which a name is not ambiguous.
const MOST_MEANT: usize = 3;

/// The inputs for linking a file.
pub struct LinkResolver<'a> {
    pub catalogue: &'a ChunkCatalogue,
    pub modules: &'a ModuleFiles,
}

/// A file of code.
struct LinkedCodeFile<'a> {
    path: &'a RepoPath,
    facts: &'a FileFacts,
    /// The files that it imports from.
    imported: BTreeSet<RepoPath>,
}

impl LinkResolver<'_> {
    /// Returns the edges of a file of code; every chunk of it is present, if only with no edges.
    pub(crate) fn edges_of_code(&self, path: &RepoPath, facts: &FileFacts) -> FoundEdges {
        let ids: Vec<ChunkId> = self.catalogue.of_artifact(path.as_str()).collect();
        let mut found: FoundEdges = ids.into_iter().map(|id| (id, vec![])).collect();
        let Some(file) = self.current_chunk(path.as_str()) else { return found };
        let imported = self.link_imports(file, facts, &mut found);
        let code = LinkedCodeFile { path, facts, imported };
        self.link_definitions(file, &code, &mut found);
        for (name, uses) in facts.all_uses() {
            for one in uses {
                let from = self.enclosing_chunk(file, &code, one.within);
                for to in self.possible_definitions(&code, name, &one.via, one.within) {
                    add_edge(&mut found, from, to, LinkKind::Calls, f64::from(one.count));
                }
            }
        }
        found
    }

    /// Returns the edges of a file or section that has only words: to each definition at the top of a file that is
    /// named once.
    pub(crate) fn edges_of_words(
        &self,
        from: ChunkId,
        words: &BTreeSet<Box<str>>,
        link: LinkKind,
    ) -> FoundEdges {
        let mut found = FoundEdges::from([(from, vec![])]);
        for word in words {
            let tops = self.catalogue.definitions_named(word).filter(|id| self.is_top(*id));
            for to in few_or_none(tops) {
                add_edge(&mut found, from, to, link, 1.0);
            }
        }
        found
    }

    /// Returns the chunk with a key; None where there is none any more.
    fn current_chunk(&self, key: &str) -> Option<ChunkId> {
        self.catalogue.by_key(key).filter(|id| self.head(*id).is_some_and(|it| it.gone.is_none()))
    }

    fn head(&self, id: ChunkId) -> Option<&ChunkHead> {
        self.catalogue.head(id)
    }

    fn is_top(&self, id: ChunkId) -> bool {
        self.head(id).is_some_and(|head| !head.name.contains('.'))
    }

    /// Adds the edges from a file to the files that it imports, and returns these.
    fn link_imports(
        &self,
        file: ChunkId,
        facts: &FileFacts,
        found: &mut FoundEdges,
    ) -> BTreeSet<RepoPath> {
        let mut all = BTreeSet::new();
        for import in facts.imports() {
            for path in self.imported_files(import) {
                if let Some(to) = self.current_chunk(path.as_str()) {
                    add_edge(found, file, to, LinkKind::Imports, 1.0);
                }
                all.insert(path.clone());
            }
        }
        all
    }

    /// Returns the files that an import brings, or brings something from.
    fn imported_files<'s>(&'s self, import: &ImportedName) -> Vec<&'s RepoPath> {
        let full_path: Vec<Box<str>> = import.module.iter().chain(&import.name).cloned().collect();
        let named = self.files_of_module(&full_path);
        if named.is_empty() { self.files_of_module(&import.module) } else { named }
    }

    fn files_of_module<'s>(&'s self, module: &[Box<str>]) -> Vec<&'s RepoPath> {
        let known = module.last().and_then(|last| self.modules.get(last)).into_iter().flatten();
        let found: Vec<&RepoPath> =
            known.filter(|path| module_of(path).ends_with(module)).collect();
        if found.len() > MOST_MEANT { vec![] } else { found }
    }

    fn link_definitions(&self, file: ChunkId, code: &LinkedCodeFile<'_>, found: &mut FoundEdges) {
        for definition in &code.facts.definitions {
            let Some(id) = self.own_definition(code.path, &definition.name) else { continue };
            let owner = definition.owner().and_then(|at| code.facts.definitions.get(at));
            let owner =
                owner.map_or(Some(file), |owner| self.own_definition(code.path, &owner.name));
            if let Some(owner) = owner {
                add_edge(found, owner, id, LinkKind::Implements, 1.0);
            }
        }
    }

    fn own_definition(&self, path: &RepoPath, name: &str) -> Option<ChunkId> {
        self.current_chunk(&key_for(path.as_str(), name))
    }

    /// Returns the innermost chunk around a use.
    fn enclosing_chunk(
        &self,
        file: ChunkId,
        code: &LinkedCodeFile<'_>,
        within: Option<u32>,
    ) -> ChunkId {
        let all = &code.facts.definitions;
        let around =
            std::iter::successors(within.map(|at| at as usize), |at| all.get(*at)?.owner());
        let mut ids = around.filter_map(|at| self.own_definition(code.path, &all.get(at)?.name));
        ids.next().unwrap_or(file)
    }

    /// Returns the definitions that a name can mean where it is used.
    fn possible_definitions(
        &self,
        code: &LinkedCodeFile<'_>,
        name: &str,
        via: &NameAccess,
        within: Option<u32>,
    ) -> Vec<ChunkId> {
        match via {
            NameAccess::Itself if code.facts.is_shadowed(name, within) => vec![],
            NameAccess::Itself => match self.own_definition(code.path, name) {
                Some(own) => vec![own],
                None => self.imported_definitions(code, name),
            },
            NameAccess::Member(object) => self.member_definitions(code, name, object, within),
        }
    }

    /// Returns the definitions that an import brings under a name.
    fn imported_definitions(&self, code: &LinkedCodeFile<'_>, alias: &str) -> Vec<ChunkId> {
        let targets = |import: &ImportedName| {
            let name = match import.name.as_deref() {
                Some("*") => alias,
                Some(name) if &*import.alias == alias => name,
                Some(_) | None => return vec![],
            };
            let is_from = |id: &ChunkId| {
                let path = self.head(*id).and_then(ChunkHead::file_path);
                self.is_top(*id)
                    && path.is_some_and(|path| is_from(&module_of(&path), &import.module))
            };
            few_or_none(self.catalogue.definitions_named(name).filter(is_from))
        };
        code.facts.imports().iter().flat_map(targets).collect()
    }

    /// Returns the definitions that the name in `object.name` can mean.
    fn member_definitions(
        &self,
        code: &LinkedCodeFile<'_>,
        name: &str,
        object: &str,
        within: Option<u32>,
    ) -> Vec<ChunkId> {
        if matches!(object, "self" | "cls" | "this" | "Self") {
            let all = &code.facts.definitions;
            let around =
                std::iter::successors(within.map(|at| at as usize), |at| all.get(*at)?.owner());
            let mut classes =
                around.filter_map(|at| all.get(at)).filter(|it| it.kind == DefinitionKind::Class);
            let definition = classes
                .find_map(|it| self.own_definition(code.path, &format!("{}.{name}", it.name)));
            return definition.into_iter().collect();
        }
        let last = object.rsplit(['.', ':']).next().unwrap_or(object);
        let imports = code.facts.imports().iter();
        let modules = imports.filter(|it| *it.alias == *object || *it.alias == *last);
        let modules: BTreeSet<&RepoPath> = modules.flat_map(|it| self.imported_files(it)).collect();
        let top: Vec<ChunkId> =
            modules.iter().filter_map(|path| self.own_definition(path, name)).collect();
        if !top.is_empty() {
            return top;
        }
        // `math.sqrt`: of a module that is not here.
        let root = object.split(['.', ':']).next().unwrap_or(object);
        let is_foreign = |it: &ImportedName| {
            (*it.alias == *object || *it.alias == *root) && self.imported_files(it).is_empty()
        };
        if code.facts.imports().iter().any(is_foreign) {
            return vec![];
        }
        let members = || self.catalogue.definitions_named(name).filter(|id| !self.is_top(*id));
        let is_near = |id: &ChunkId| {
            let path = self.head(*id).and_then(ChunkHead::file_path);
            path.is_some_and(|path| path == *code.path || code.imported.contains(&path))
        };
        let near = few_or_none(members().filter(is_near));
        if near.is_empty() { few_or_none(members()) } else { near }
    }
}

/// Returns whether an import names a module of a file: the file itself, or a package above it.
fn is_from(module: &[Box<str>], named: &[Box<str>]) -> bool {
    let mut above = (1..=module.len()).rev().map(|count| &module[..count]);
    above.any(|part| part.ends_with(named))
}

fn few_or_none(ids: impl Iterator<Item = ChunkId>) -> Vec<ChunkId> {
    let ids: Vec<ChunkId> = ids.take(MOST_MEANT + 1).collect();
    if ids.len() > MOST_MEANT { vec![] } else { ids }
}

fn add_edge(found: &mut FoundEdges, from: ChunkId, to: ChunkId, link: LinkKind, weight: f64) {
    if from == to {
        return;
    }
    let edges = found.entry(from).or_default();
    match edges.iter_mut().find(|(known, kind, _)| (*known, *kind) == (to, link)) {
        Some((.., sum)) => *sum += weight,
        None => edges.push((to, link, weight)),
    }
}
