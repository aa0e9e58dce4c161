//! The files of one moment, and the search for the users of a definition among them.
//!
//! Only code outside tests counts. A name is a use where it can mean the definition: in its own file, in a file that
//! imports it from there (by name, with all of the module, or re-exported), or as a member of such a module. A member
//! of an object of unknown type (`model.self_condition`) counts as a use of every method of that name, except where
//! the object is a module from elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    file_facts::{CodeDefinition, DefinitionKind, FileFacts, ImportedName, NameAccess, NameUse},
    mentions::WordMentions,
};
use trajview_run::RepoPath;

/// The facts of all files that count at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct FactsSnapshot {
    pub files: BTreeMap<RepoPath, CodeFile>,
    /// None where the files are few, or searched only once; all files are searched then.
    index: Option<Box<ModuleIndex>>,
}

/// An index of files by the names of their modules.
#[derive(Debug, Clone, Default)]
struct ModuleIndex {
    /// The number of files with this part in their module's name.
    parts: HashMap<Box<str>, usize>,
    /// Files, keyed by the last part of their module's name.
    last: HashMap<Box<str>, BTreeSet<RepoPath>>,
}

/// A file of code, with its facts.
#[derive(Debug, Clone)]
pub(super) struct CodeFile {
    pub facts: Arc<FileFacts>,
    /// The parts of the module's name: `ppdiff/losses.py` has `ppdiff` and `losses`; see [`module_of`].
    module: Arc<[Box<str>]>,
}

/// Uses in one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedBy {
    pub path: RepoPath,
    /// The dotted name of the definition around the uses; empty at the top of the file.
    pub within: Box<str>,
    /// The line of the first use; counts from 1.
    pub line: u32,
    pub count: u32,
    /// True where all uses are inside a condition.
    pub is_conditional: bool,
}

impl CodeFile {
    pub fn new(path: &RepoPath, facts: Arc<FileFacts>) -> Self {
        Self { facts, module: module_of(path).into() }
    }
}

/// Returns whether a path is that of a test file; nothing in it counts as a use.
pub fn is_test(path: &RepoPath) -> bool {
    let folders = ["tests", "test", "__tests__", "testing", "spec"];
    let in_tests = path.as_str().split('/').rev().skip(1).any(|part| folders.contains(&part));
    let name = path.name();
    let stem = name.split('.').next().unwrap_or(name);
    let is_named = stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "conftest" | "tests");
    in_tests || is_named || name.contains(".test.") || name.contains(".spec.")
}

/// Returns the parts of a file's path by which its code can be imported: `ppdiff/losses.py` is ppdiff, losses; names
/// that stand for their folder (`__init__`, `index`, `mod`, `lib`) are left out.
pub fn module_of(path: &RepoPath) -> Vec<Box<str>> {
    let mut parts: Vec<Box<str>> = path.as_str().split('/').map(Into::into).collect();
    if let Some(last) = parts.last_mut() {
        let stem = last.split('.').next().unwrap_or_default();
        *last = stem.into();
    }
    if parts.last().is_some_and(|last| ["__init__", "index", "mod", "lib"].contains(&&**last)) {
        parts.pop();
    }
    parts
}

impl FactsSnapshot {
    /// Returns an empty snapshot with an index; its files are added and removed through [`Self::insert`] and
    /// [`Self::remove`].
    pub(crate) fn with_index() -> Self {
        Self { files: BTreeMap::new(), index: Some(Box::default()) }
    }

    /// Adds a file, in place of one with the same path.
    pub fn insert(&mut self, path: &RepoPath, file: CodeFile) {
        self.remove(path);
        if let Some(index) = &mut self.index {
            for part in file.module.iter() {
                *index.parts.entry(part.clone()).or_default() += 1;
            }
            if let Some(last) = file.module.last() {
                index.last.entry(last.clone()).or_default().insert(path.clone());
            }
        }
        self.files.insert(path.clone(), file);
    }

    pub fn remove(&mut self, path: &RepoPath) -> Option<CodeFile> {
        let file = self.files.remove(path)?;
        if let Some(index) = &mut self.index {
            for part in file.module.iter() {
                if let Some(count) = index.parts.get_mut(part) {
                    *count = count.saturating_sub(1);
                }
            }
            if let Some(files) = file.module.last().and_then(|last| index.last.get_mut(last)) {
                files.remove(path);
            }
        }
        Some(file)
    }

    /// Returns whether some file has this part in its module's name.
    fn has_module(&self, part: &str) -> bool {
        match &self.index {
            Some(index) => index.parts.get(part).is_some_and(|count| *count > 0),
            None => self.files.values().any(|file| file.module.iter().any(|it| **it == *part)),
        }
    }

    /// Returns whether a file whose module's name ends with these parts satisfies `is`.
    fn any_module(&self, module: &[Box<str>], is: impl Fn(&CodeFile) -> bool) -> bool {
        let is = |file: &CodeFile| ends_with(&file.module, module) && is(file);
        match (&self.index, module.last()) {
            (Some(index), Some(last)) => {
                let files = index.last.get(last).into_iter().flatten();
                files.filter_map(|path| self.files.get(path)).any(is)
            }
            _ => self.files.values().any(is),
        }
    }

    /// Returns whether the file at `user` uses a definition of another file.
    pub(crate) fn has_use_in(&self, path: &RepoPath, name: &str, user: &RepoPath) -> bool {
        let (Some(home), Some(file)) = (self.files.get(path), self.files.get(user)) else {
            return false;
        };
        let Some(at) = home.facts.index_of(name) else { return false };
        let definition = &home.facts.definitions[at as usize];
        let mut all = vec![];
        WantedDefinition { snapshot: self, path, home, at, definition }
            .add_uses_in_file(user, file, &mut all);
        !all.is_empty()
    }

    pub fn find_definition(&self, path: &RepoPath, name: &str) -> Option<&CodeDefinition> {
        self.files.get(path)?.facts.find_definition(name)
    }

    /// Returns whether a definition is in use although no code names it.
    pub(crate) fn is_registered(
        &self,
        path: &RepoPath,
        name: &str,
        mentions: &WordMentions<'_>,
    ) -> bool {
        let Some(home) = self.files.get(path) else { return false };
        let Some(at) = home.facts.index_of(name) else { return false };
        let definition = &home.facts.definitions[at as usize];
        let wanted = WantedDefinition { snapshot: self, path, home, at, definition };
        let names_it =
            |file: &CodeFile| file.facts.paths.iter().any(|path| wanted.is_named_by(path));
        let mut files =
            files_mentioning(mentions, definition).filter_map(|path| self.files.get(path));
        definition.is_registered || (wanted.is_top() && files.any(names_it))
    }

    /// Returns the uses of a definition by path, without those in itself and in tests.
    pub fn uses_of(&self, path: &RepoPath, name: &str, mentions: &WordMentions<'_>) -> Vec<UsedBy> {
        let Some(home) = self.files.get(path) else { return vec![] };
        let Some(at) = home.facts.index_of(name) else { return vec![] };
        let wanted = WantedDefinition {
            snapshot: self,
            path,
            home,
            at,
            definition: &home.facts.definitions[at as usize],
        };
        let mut all = vec![];
        for path in files_mentioning(mentions, wanted.definition) {
            if let Some(file) = self.files.get(path) {
                wanted.add_uses_in_file(path, file, &mut all);
            }
        }
        all
    }
}

/// Returns the files that can use a definition: those that mention its name, if only to import it under another name.
fn files_mentioning<'m>(
    mentions: &WordMentions<'m>,
    definition: &CodeDefinition,
) -> impl Iterator<Item = &'m RepoPath> {
    mentions.files_mentioning(definition.simple_name()).iter().copied()
}

/// The definition whose uses are searched.
struct WantedDefinition<'a> {
    snapshot: &'a FactsSnapshot,
    path: &'a RepoPath,
    home: &'a CodeFile,
    at: u32,
    definition: &'a CodeDefinition,
}

impl WantedDefinition<'_> {
    /// Adds the uses of the definition in a file.
    fn add_uses_in_file(&self, path: &RepoPath, file: &CodeFile, all: &mut Vec<UsedBy>) {
        let is_home = path == self.path;
        let name = self.definition.simple_name();
        let mut names = vec![name];
        if !is_home && self.is_top() {
            let brought = file.facts.imports.iter().filter(|import| self.is_brought_by(import));
            names.extend(
                brought.filter(|it| &*it.alias != name && &*it.alias != "*").map(|it| &*it.alias),
            );
        }
        for name in names {
            for one in file.facts.uses_of(name) {
                let counts = match &one.via {
                    NameAccess::Itself => self.is_meant(file, is_home, name, one),
                    NameAccess::Member(object) => self.is_member(file, is_home, object, one),
                };
                if counts && !(is_home && file.facts.is_within(one.within, self.at)) {
                    all.push(to_used_by(path, file, one));
                }
            }
        }
    }

    fn is_named_by(&self, path: &str) -> bool {
        let mut parts: Vec<Box<str>> = path.split('.').map(Into::into).collect();
        let is_name = parts.pop().is_some_and(|name| &*name == self.definition.simple_name());
        is_name && self.is_in_module(&parts)
    }

    fn is_top(&self) -> bool {
        self.definition.owner.is_none()
    }

    /// Returns whether a plain name means the definition.
    fn is_meant(&self, file: &CodeFile, is_home: bool, name: &str, one: &NameUse) -> bool {
        if file.facts.is_shadowed(name, one.within) {
            return false;
        }
        match (self.definition.owner, is_home) {
            (None, true) => true,
            (Some(owner), true) => file.facts.is_within(one.within, owner),
            (Some(_), false) => false,
            (None, false) => {
                let is_star = |import: &&ImportedName| {
                    &*import.alias == "*" && self.is_in_module(&import.module)
                };
                let is_named =
                    |import: &&ImportedName| &*import.alias == name && self.is_brought_by(import);
                let imports = &file.facts.imports;
                imports.iter().any(|it| is_star(&it) || is_named(&it))
            }
        }
    }

    /// Returns whether `object.name` means the definition.
    fn is_member(&self, file: &CodeFile, is_home: bool, object: &str, one: &NameUse) -> bool {
        let root = object.split('.').next().unwrap_or(object);
        let imported = file
            .facts
            .imports
            .iter()
            .find(|import| &*import.alias == object || &*import.alias == root);
        if self.is_top() {
            let last = object.rsplit('.').next().unwrap_or(object);
            let by_alias = imported.is_some_and(|import| self.is_the_module(import));
            // A path that is written out: `losses::snr_weight`, `ppdiff.losses.snr_weight`.
            let by_name = self.home.module.last().is_some_and(|module| **module == *last)
                && imported.is_none_or(|it| it.name.is_none() || self.is_ours(it));
            return by_alias || (by_name && !file.facts.is_shadowed(root, one.within));
        }
        let owner =
            self.definition.owner.and_then(|at| self.home.facts.definitions.get(at as usize));
        let is_own = matches!(root, "self" | "cls" | "this" | "Self") && object == root;
        if is_own && !is_home {
            return !self.has_its_own(file, one);
        }
        if is_own {
            return owner.is_some_and(|_| !self.has_another(file, one));
        }
        imported.is_none_or(|import| self.is_ours(import))
    }

    /// Returns whether the class around a use has its own member of that name.
    fn has_its_own(&self, file: &CodeFile, one: &NameUse) -> bool {
        let class = class_around(&file.facts, one.within);
        class.is_some_and(|class| {
            file.facts
                .index_of(&format!("{}.{}", class.name, self.definition.simple_name()))
                .is_some()
        })
    }

    /// Returns whether the class around a use, in the file of the definition, has another member of that name.
    fn has_another(&self, file: &CodeFile, one: &NameUse) -> bool {
        let Some(class) = class_around(&file.facts, one.within) else { return false };
        let name = format!("{}.{}", class.name, self.definition.simple_name());
        file.facts.index_of(&name).is_some_and(|at| at != self.at)
    }

    /// Returns whether an import brings the definition.
    fn is_brought_by(&self, import: &ImportedName) -> bool {
        import.name.as_deref() == Some(self.definition.simple_name())
            && self.is_in_module(&import.module)
    }

    /// Returns whether a module has the definition: it is the definition's file, a package above it, or a file that
    /// re-exports it.
    fn is_in_module(&self, module: &[Box<str>]) -> bool {
        if ends_with(&self.home.module, module) {
            return true;
        }
        let folders = self.home.module.split_last().map_or(&[][..], |(_, folders)| folders);
        if (1..=folders.len()).any(|count| ends_with(&folders[..count], module)) {
            return true;
        }
        let name = self.definition.simple_name();
        let passes_on = |file: &CodeFile| {
            let mut imports = file.facts.imports.iter();
            imports.any(|it| it.alias.as_ref() == name && ends_with(&self.home.module, &it.module))
        };
        self.snapshot.any_module(module, passes_on)
    }

    /// Returns whether an import brings the definition's module.
    fn is_the_module(&self, import: &ImportedName) -> bool {
        match &import.name {
            None => ends_with(&self.home.module, &import.module),
            Some(name) => {
                let whole: Vec<Box<str>> =
                    import.module.iter().cloned().chain([name.clone()]).collect();
                ends_with(&self.home.module, &whole)
            }
        }
    }

    /// Returns whether an import refers to the files of this snapshot.
    fn is_ours(&self, import: &ImportedName) -> bool {
        let first = import.module.first().or(import.name.as_ref());
        let Some(first) = first else { return true };
        self.snapshot.has_module(first)
    }
}

/// Returns whether `path` ends with `module`, which is empty for an import such as `from . import x`.
fn ends_with(path: &[Box<str>], module: &[Box<str>]) -> bool {
    path.ends_with(module)
}

fn class_around(facts: &FileFacts, at: Option<u32>) -> Option<&CodeDefinition> {
    let above = |&at: &u32| facts.definitions.get(at as usize)?.owner;
    std::iter::successors(at, above)
        .filter_map(|at| facts.definitions.get(at as usize))
        .find(|definition| definition.kind == DefinitionKind::Class)
}

fn to_used_by(path: &RepoPath, file: &CodeFile, one: &NameUse) -> UsedBy {
    let within = one.within.and_then(|at| file.facts.definitions.get(at as usize));
    UsedBy {
        path: path.clone(),
        within: within.map(|it| it.name.clone()).unwrap_or_default(),
        line: one.line,
        count: one.count,
        is_conditional: one.is_conditional,
    }
}
