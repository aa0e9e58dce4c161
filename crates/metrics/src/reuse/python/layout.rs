//! Packages and modules as the folders give them, and where an import starts to look.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::stdlib;
use crate::reuse::{facts::Words, role::Role, source::Source};

/// What an import can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A file that is no `__init__.py`, by its number.
    File(usize),
    /// A folder, by its number in the layout.
    Folder(usize),
}

/// A folder with Python files in it or below.
#[derive(Debug, Default)]
struct Folder {
    path: String,
    parent: Option<usize>,
    /// Its `__init__.py`.
    init: Option<usize>,
    files: HashMap<String, usize>,
    folders: HashMap<String, usize>,
    /// Whether one of its files is run as a program, so that imports start here.
    is_run: bool,
}

/// Every Python file of a snapshot by its place.
#[derive(Debug)]
pub struct Layout {
    folders: Vec<Folder>,
    /// The folder of each file; None of what is not Python.
    folder_of: Vec<Option<usize>>,
    /// Folders outside packages that hold packages, in the order of their paths.
    homes: Vec<usize>,
    /// Those of them among tests.
    test_homes: BTreeSet<usize>,
}

/// The folder of the snapshot itself.
const TOP: usize = 0;

/// Folders that projects keep their packages in.
const HOMES: [&str; 3] = ["src", "lib", "python"];

impl Layout {
    pub fn of(sources: &[Source<'_>]) -> Self {
        let mut layout = Self {
            folders: vec![Folder::default()],
            folder_of: vec![None; sources.len()],
            homes: vec![],
            test_homes: BTreeSet::new(),
        };
        for (file, source) in sources.iter().enumerate() {
            if matches!(source.facts.words, Words::Python(_)) {
                layout.add(file, source);
            }
        }
        layout.find_homes(sources);
        layout
    }

    fn add(&mut self, file: usize, source: &Source<'_>) {
        let (path, name) = source.path.rsplit_once('/').unwrap_or(("", source.path));
        let Some((stem, "py" | "pyw")) = name.rsplit_once('.') else { return };
        let mut folder = TOP;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            folder = self.below(folder, part);
        }
        let here = &mut self.folders[folder];
        if stem == "__init__" {
            here.init = Some(file);
        } else {
            here.files.insert(stem.to_owned(), file);
            here.is_run |= source.facts.is_run && stem != "__main__";
        }
        self.folder_of[file] = Some(folder);
    }

    fn below(&mut self, folder: usize, name: &str) -> usize {
        if let Some(&known) = self.folders[folder].folders.get(name) {
            return known;
        }
        let number = self.folders.len();
        let above = &self.folders[folder].path;
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        self.folders.push(Folder { path, parent: Some(folder), ..Folder::default() });
        self.folders[folder].folders.insert(name.to_owned(), number);
        number
    }

    fn find_homes(&mut self, sources: &[Source<'_>]) {
        let mut homes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut test_homes = BTreeSet::new();
        for folder in &self.folders {
            let (Some(init), Some(parent)) = (folder.init, folder.parent) else { continue };
            if self.folders[parent].init.is_none() {
                homes.insert(&self.folders[parent].path, parent);
                if sources[init].role.is_some_and(|(role, _)| role == Role::Test) {
                    test_homes.insert(parent);
                }
            }
        }
        let homes: Vec<usize> = homes.into_values().collect();
        (self.homes, self.test_homes) = (homes, test_homes);
    }

    /// The file that holds a node's names; None of a folder without `__init__.py`.
    pub fn file_of(&self, node: Node) -> Option<usize> {
        match node {
            Node::File(file) => Some(file),
            Node::Folder(folder) => self.folders[folder].init,
        }
    }

    /// A module or package below a package: a package, then a file, then a folder that only holds some.
    pub fn child(&self, of: Node, name: &str) -> Option<Node> {
        let Node::Folder(folder) = of else { return None };
        let here = &self.folders[folder];
        let folder = here.folders.get(name).copied();
        let package = folder.filter(|&folder| self.folders[folder].init.is_some());
        let file = here.files.get(name).map(|&file| Node::File(file));
        package.map(Node::Folder).or(file).or(folder.map(Node::Folder))
    }

    fn walk(&self, from: Node, parts: &[Box<str>]) -> Option<Node> {
        parts.iter().try_fold(from, |node, part| self.child(node, part))
    }

    /// The module of `from ..a.b import c` in a file; None above the top.
    pub fn relative(&self, file: usize, level: usize, parts: &[Box<str>]) -> Option<Node> {
        let mut folder = self.folder_of.get(file).copied().flatten()?;
        for _ in 1..level {
            folder = self.folders[folder].parent?;
        }
        self.walk(Node::Folder(folder), parts)
    }

    /// The module of `import a.b` in a file; None where it is none of the project's.
    pub fn absolute(&self, file: usize, parts: &[Box<str>]) -> Option<Node> {
        let first = parts.first()?;
        let found = |folder: usize| {
            let node = self.walk(Node::Folder(folder), parts)?;
            (node != Node::File(file)).then_some(node)
        };
        let sure = self.sure_starts(file);
        sure.into_iter().find_map(found).or_else(|| {
            let starts = if stdlib::has(first) { vec![] } else { self.other_starts(file) };
            starts.into_iter().find_map(found)
        })
    }

    /// Where packages surely start: beside the file's own package, at the top, and in the usual folders.
    fn sure_starts(&self, file: usize) -> Vec<usize> {
        let own = self.folder_of.get(file).copied().flatten().map(|folder| self.home_of(folder));
        let usual = HOMES.iter().filter_map(|name| self.folders[TOP].folders.get(*name).copied());
        let usual = usual.filter(|&folder| self.folders[folder].init.is_none());
        own.into_iter().chain([TOP]).chain(usual).collect()
    }

    /// Where they may start: in a folder above the file, beside any package, and beside a file that is run.
    fn other_starts(&self, file: usize) -> Vec<usize> {
        let folder = self.folder_of.get(file).copied().flatten().unwrap_or(TOP);
        let above = std::iter::successors(Some(folder), |&folder| self.folders[folder].parent);
        let plain = above.filter(|&folder| self.folders[folder].init.is_none());
        let is_test = self.folders[folder].path.split('/').any(|part| part == "tests");
        let homes = self.homes.iter().copied();
        let homes = homes.filter(|home| is_test || !self.test_homes.contains(home));
        let own = Some(folder).filter(|&folder| self.folders[folder].is_run);
        plain.chain(homes).chain(own).collect()
    }

    /// The first folder above a folder that is no package.
    fn home_of(&self, mut folder: usize) -> usize {
        while self.folders[folder].init.is_some() {
            let Some(parent) = self.folders[folder].parent else { break };
            folder = parent;
        }
        folder
    }

    /// The file of a node and the `__init__.py` of every package it lies in: what importing it runs.
    pub fn run_by_importing(&self, node: Node) -> Vec<usize> {
        let mut folder = match node {
            Node::File(file) => self.folder_of.get(file).copied().flatten(),
            Node::Folder(folder) => Some(folder),
        };
        let mut files: Vec<usize> = self.file_of(node).into_iter().collect();
        while let Some(here) = folder {
            let Some(init) = self.folders[here].init else { break };
            files.push(init);
            folder = self.folders[here].parent;
        }
        files
    }
}
