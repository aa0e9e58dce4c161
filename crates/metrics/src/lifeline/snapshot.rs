//! The files of one moment, and who uses a definition among them.
//!
//! Only code that is no test counts. A name is a use where it can mean the definition: in its own file, in a file that
//! imports it from there (by name, with all of the module, or re-exported), or as a member of such a module. What is
//! reached as a member of an object of unknown type (`model.self_condition`) is taken for a use of every method of
//! that name, except where the object is a module from elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    facts::{Definition, FileFacts, Import, Kind, Use, Via},
    mentions::Mentions,
};
use trajview_run::RepoPath;

/// The facts of all files that count at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub files: BTreeMap<RepoPath, File>,
    /// None where the files are few, or asked once: they are gone through then.
    index: Option<Box<Index>>,
}

/// Which files have a module's name.
#[derive(Debug, Clone, Default)]
struct Index {
    /// How many files have this part in their module's name.
    parts: HashMap<Box<str>, usize>,
    /// By the last part of their module's name.
    last: HashMap<Box<str>, BTreeSet<RepoPath>>,
}

#[derive(Debug, Clone)]
pub(super) struct File {
    pub facts: Arc<FileFacts>,
    /// `ppdiff/losses.py`: ppdiff, losses; without the names that stand for their folder.
    module: Arc<[Box<str>]>,
}

/// Uses in one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedBy {
    pub path: RepoPath,
    /// The dotted name of the definition it stands in; empty at the top of the file.
    pub within: Box<str>,
    /// Of the first; counts from 1.
    pub line: u32,
    pub count: u32,
    /// Whether each of them stands behind a condition.
    pub is_conditional: bool,
}

impl File {
    pub fn new(path: &RepoPath, facts: Arc<FileFacts>) -> Self {
        Self { facts, module: module_of(path).into() }
    }
}

/// Whether a file of this path holds tests, and nothing that counts as a use.
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

/// The parts of a file's path as its code can be imported by: `ppdiff/losses.py` is ppdiff, losses; names that stand for
/// their folder (`__init__`, `index`, `mod`, `lib`) are left out.
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

impl Snapshot {
    /// One whose files come and go through [`Self::insert`] and [`Self::remove`].
    pub fn indexed() -> Self {
        Self { files: BTreeMap::new(), index: Some(Box::default()) }
    }

    pub fn insert(&mut self, path: &RepoPath, file: File) {
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

    pub fn remove(&mut self, path: &RepoPath) -> Option<File> {
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

    /// Whether a part of some file's module has this name.
    fn has_module(&self, part: &str) -> bool {
        match &self.index {
            Some(index) => index.parts.get(part).is_some_and(|count| *count > 0),
            None => self.files.values().any(|file| file.module.iter().any(|it| **it == *part)),
        }
    }

    /// Whether this is so of a file whose module's name ends with these parts.
    fn any_module(&self, module: &[Box<str>], is: impl Fn(&File) -> bool) -> bool {
        let is = |file: &File| ends_with(&file.module, module) && is(file);
        match (&self.index, module.last()) {
            (Some(index), Some(last)) => {
                let files = index.last.get(last).into_iter().flatten();
                files.filter_map(|path| self.files.get(path)).any(is)
            }
            _ => self.files.values().any(is),
        }
    }

    /// Whether a file, by its path, uses a definition of another.
    pub fn uses_in(&self, path: &RepoPath, name: &str, user: &RepoPath) -> bool {
        let (Some(home), Some(file)) = (self.files.get(path), self.files.get(user)) else {
            return false;
        };
        let Some(at) = home.facts.index_of(name) else { return false };
        let definition = &home.facts.definitions[at as usize];
        let mut all = vec![];
        Wanted { snapshot: self, path, home, at, definition }.in_file(user, file, &mut all);
        !all.is_empty()
    }

    pub fn definition(&self, path: &RepoPath, name: &str) -> Option<&Definition> {
        self.files.get(path)?.facts.definition(name)
    }

    /// Whether a definition is in use though no code names it.
    pub fn is_registered(&self, path: &RepoPath, name: &str, mentions: &Mentions<'_>) -> bool {
        let Some(home) = self.files.get(path) else { return false };
        let Some(at) = home.facts.index_of(name) else { return false };
        let definition = &home.facts.definitions[at as usize];
        let wanted = Wanted { snapshot: self, path, home, at, definition };
        let names_it = |file: &File| file.facts.paths.iter().any(|path| wanted.is_named_by(path));
        let mut files = mentioning(mentions, definition).filter_map(|path| self.files.get(path));
        definition.is_registered || (wanted.is_top() && files.any(names_it))
    }

    /// Who uses a definition, itself and tests left out, by path.
    pub fn uses_of(&self, path: &RepoPath, name: &str, mentions: &Mentions<'_>) -> Vec<UsedBy> {
        let Some(home) = self.files.get(path) else { return vec![] };
        let Some(at) = home.facts.index_of(name) else { return vec![] };
        let wanted = Wanted {
            snapshot: self,
            path,
            home,
            at,
            definition: &home.facts.definitions[at as usize],
        };
        let mut all = vec![];
        for path in mentioning(mentions, wanted.definition) {
            if let Some(file) = self.files.get(path) {
                wanted.in_file(path, file, &mut all);
            }
        }
        all
    }
}

/// The files that can use a definition: those that mention its name, if only to bring it under another.
fn mentioning<'m>(
    mentions: &Mentions<'m>,
    definition: &Definition,
) -> impl Iterator<Item = &'m RepoPath> {
    mentions.files(definition.simple()).iter().copied()
}

/// The definition whose uses are looked for.
struct Wanted<'a> {
    snapshot: &'a Snapshot,
    path: &'a RepoPath,
    home: &'a File,
    at: u32,
    definition: &'a Definition,
}

impl Wanted<'_> {
    fn in_file(&self, path: &RepoPath, file: &File, all: &mut Vec<UsedBy>) {
        let is_home = path == self.path;
        let name = self.definition.simple();
        let mut names = vec![name];
        if !is_home && self.is_top() {
            let brought = file.facts.imports.iter().filter(|import| self.brings(import));
            names.extend(
                brought.filter(|it| &*it.alias != name && &*it.alias != "*").map(|it| &*it.alias),
            );
        }
        for name in names {
            for one in file.facts.uses_of(name) {
                let counts = match &one.via {
                    Via::Itself => self.is_meant(file, is_home, name, one),
                    Via::Member(object) => self.is_member(file, is_home, object, one),
                };
                if counts && !(is_home && file.facts.is_within(one.within, self.at)) {
                    all.push(used_by(path, file, one));
                }
            }
        }
    }

    fn is_named_by(&self, path: &str) -> bool {
        let mut parts: Vec<Box<str>> = path.split('.').map(Into::into).collect();
        let is_name = parts.pop().is_some_and(|name| &*name == self.definition.simple());
        is_name && self.is_from(&parts)
    }

    fn is_top(&self) -> bool {
        self.definition.owner.is_none()
    }

    /// A plain name.
    fn is_meant(&self, file: &File, is_home: bool, name: &str, one: &Use) -> bool {
        if file.facts.is_shadowed(name, one.within) {
            return false;
        }
        match (self.definition.owner, is_home) {
            (None, true) => true,
            (Some(owner), true) => file.facts.is_within(one.within, owner),
            (Some(_), false) => false,
            (None, false) => {
                let is_star =
                    |import: &&Import| &*import.alias == "*" && self.is_from(&import.module);
                let is_named = |import: &&Import| &*import.alias == name && self.brings(import);
                let imports = &file.facts.imports;
                imports.iter().any(|it| is_star(&it) || is_named(&it))
            }
        }
    }

    /// `object.name`
    fn is_member(&self, file: &File, is_home: bool, object: &str, one: &Use) -> bool {
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

    /// Whether the class around a use has a member of that name itself.
    fn has_its_own(&self, file: &File, one: &Use) -> bool {
        let class = class_around(&file.facts, one.within);
        class.is_some_and(|class| {
            file.facts.index_of(&format!("{}.{}", class.name, self.definition.simple())).is_some()
        })
    }

    /// The same in the file of the definition: one that is not it.
    fn has_another(&self, file: &File, one: &Use) -> bool {
        let Some(class) = class_around(&file.facts, one.within) else { return false };
        let name = format!("{}.{}", class.name, self.definition.simple());
        file.facts.index_of(&name).is_some_and(|at| at != self.at)
    }

    /// Whether an import brings the definition.
    fn brings(&self, import: &Import) -> bool {
        import.name.as_deref() == Some(self.definition.simple()) && self.is_from(&import.module)
    }

    /// Whether a module has the definition: is its file, a package above it, or a file that passes it on.
    fn is_from(&self, module: &[Box<str>]) -> bool {
        if ends_with(&self.home.module, module) {
            return true;
        }
        let folders = self.home.module.split_last().map_or(&[][..], |(_, folders)| folders);
        if (1..=folders.len()).any(|count| ends_with(&folders[..count], module)) {
            return true;
        }
        let name = self.definition.simple();
        let passes_on = |file: &File| {
            let mut imports = file.facts.imports.iter();
            imports.any(|it| it.alias.as_ref() == name && ends_with(&self.home.module, &it.module))
        };
        self.snapshot.any_module(module, passes_on)
    }

    /// Whether an import brings the definition's module.
    fn is_the_module(&self, import: &Import) -> bool {
        match &import.name {
            None => ends_with(&self.home.module, &import.module),
            Some(name) => {
                let whole: Vec<Box<str>> =
                    import.module.iter().cloned().chain([name.clone()]).collect();
                ends_with(&self.home.module, &whole)
            }
        }
    }

    /// Whether what is imported comes from the files that are here.
    fn is_ours(&self, import: &Import) -> bool {
        let first = import.module.first().or(import.name.as_ref());
        let Some(first) = first else { return true };
        self.snapshot.has_module(first)
    }
}

/// `module` is the end of `path`, or empty where only the place was said (`from . import x`).
fn ends_with(path: &[Box<str>], module: &[Box<str>]) -> bool {
    path.ends_with(module)
}

fn class_around(facts: &FileFacts, at: Option<u32>) -> Option<&Definition> {
    let above = |&at: &u32| facts.definitions.get(at as usize)?.owner;
    std::iter::successors(at, above)
        .filter_map(|at| facts.definitions.get(at as usize))
        .find(|definition| definition.kind == Kind::Class)
}

fn used_by(path: &RepoPath, file: &File, one: &Use) -> UsedBy {
    let within = one.within.and_then(|at| file.facts.definitions.get(at as usize));
    UsedBy {
        path: path.clone(),
        within: within.map(|it| it.name.clone()).unwrap_or_default(),
        line: one.line,
        count: one.count,
        is_conditional: one.is_conditional,
    }
}
