//! Packages and modules by their folders, and the folders in which an import is searched.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::stdlib;
use crate::reuse::{facts::LinkerFacts, link_source::LinkSource, role::FileRole};

/// The target of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PythonTarget {
    /// A file other than `__init__.py`, by its number.
    File(usize),
    /// A folder, by its number in the layout.
    Folder(usize),
}

/// A folder with Python files in it or below.
#[derive(Debug, Default)]
struct PackageFolder {
    path: String,
    parent: Option<usize>,
    /// The number of its `__init__.py`.
    init: Option<usize>,
    files: HashMap<String, usize>,
    folders: HashMap<String, usize>,
    /// True where one of its files is run as a program, so that imports are searched here.
    is_run: bool,
}

/// All Python files of a snapshot by their folders.
#[derive(Debug)]
pub struct PackageLayout {
    folders: Vec<PackageFolder>,
    /// The folder of each file; None for files that are not Python.
    folder_of: Vec<Option<usize>>,
    /// Folders outside packages that contain packages, sorted by path.
    homes: Vec<usize>,
    /// Those of them that are inside tests.
    test_homes: BTreeSet<usize>,
}

/// The folder of the snapshot itself.
const TOP_FOLDER: usize = 0;

/// Usual folders for packages.
const PACKAGE_HOMES: [&str; 3] = ["src", "lib", "python"];

impl PackageLayout {
    /// Sorts the Python files among the sources into their folders.
    pub fn new(sources: &[LinkSource<'_>]) -> Self {
        let mut layout = Self {
            folders: vec![PackageFolder::default()],
            folder_of: vec![None; sources.len()],
            homes: vec![],
            test_homes: BTreeSet::new(),
        };
        for (file, source) in sources.iter().enumerate() {
            if matches!(source.facts.words, LinkerFacts::Python(_)) {
                layout.add_file(file, source);
            }
        }
        layout.find_homes(sources);
        layout
    }

    fn add_file(&mut self, file: usize, source: &LinkSource<'_>) {
        let (path, name) = source.path.rsplit_once('/').unwrap_or(("", source.path));
        let Some((stem, "py" | "pyw")) = name.rsplit_once('.') else { return };
        let mut folder = TOP_FOLDER;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            folder = self.subfolder(folder, part);
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

    /// Returns the number of a folder in a folder, which is added where it is new.
    fn subfolder(&mut self, folder: usize, name: &str) -> usize {
        if let Some(&known) = self.folders[folder].folders.get(name) {
            return known;
        }
        let number = self.folders.len();
        let above = &self.folders[folder].path;
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        self.folders.push(PackageFolder { path, parent: Some(folder), ..PackageFolder::default() });
        self.folders[folder].folders.insert(name.to_owned(), number);
        number
    }

    /// Finds the folders outside packages that contain packages.
    fn find_homes(&mut self, sources: &[LinkSource<'_>]) {
        let mut homes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut test_homes = BTreeSet::new();
        for folder in &self.folders {
            let (Some(init), Some(parent)) = (folder.init, folder.parent) else { continue };
            if self.folders[parent].init.is_none() {
                homes.insert(&self.folders[parent].path, parent);
                if sources[init].role.is_some_and(|(role, _)| role == FileRole::Test) {
                    test_homes.insert(parent);
                }
            }
        }
        let homes: Vec<usize> = homes.into_values().collect();
        (self.homes, self.test_homes) = (homes, test_homes);
    }

    /// Returns the file with a target's names; None for a folder without `__init__.py`.
    pub fn file_of(&self, node: PythonTarget) -> Option<usize> {
        match node {
            PythonTarget::File(file) => Some(file),
            PythonTarget::Folder(folder) => self.folders[folder].init,
        }
    }

    /// Returns a module or package inside a package: a package first, then a file, then a folder that only contains
    /// modules.
    pub(crate) fn child_of(&self, of: PythonTarget, name: &str) -> Option<PythonTarget> {
        let PythonTarget::Folder(folder) = of else { return None };
        let here = &self.folders[folder];
        let folder = here.folders.get(name).copied();
        let package = folder.filter(|&folder| self.folders[folder].init.is_some());
        let file = here.files.get(name).map(|&file| PythonTarget::File(file));
        package.map(PythonTarget::Folder).or(file).or(folder.map(PythonTarget::Folder))
    }

    fn walk_path(&self, from: PythonTarget, parts: &[Box<str>]) -> Option<PythonTarget> {
        parts.iter().try_fold(from, |node, part| self.child_of(node, part))
    }

    /// Returns the module of `from ..a.b import c` in a file; None above the top folder.
    pub(crate) fn relative_module(
        &self,
        file: usize,
        level: usize,
        parts: &[Box<str>],
    ) -> Option<PythonTarget> {
        let mut folder = self.folder_of.get(file).copied().flatten()?;
        for _ in 1..level {
            folder = self.folders[folder].parent?;
        }
        self.walk_path(PythonTarget::Folder(folder), parts)
    }

    /// Returns the module of `import a.b` in a file; None where the project has no such module.
    pub(crate) fn absolute_module(&self, file: usize, parts: &[Box<str>]) -> Option<PythonTarget> {
        let first = parts.first()?;
        let module_below = |folder: usize| {
            let node = self.walk_path(PythonTarget::Folder(folder), parts)?;
            (node != PythonTarget::File(file)).then_some(node)
        };
        let sure = self.sure_starts(file);
        sure.into_iter().find_map(module_below).or_else(|| {
            let starts = if stdlib::has_module(first) { vec![] } else { self.other_starts(file) };
            starts.into_iter().find_map(module_below)
        })
    }

    /// Returns the folders that certainly contain top-level packages: next to the file's own package, at the top, and
    /// the usual folders.
    fn sure_starts(&self, file: usize) -> Vec<usize> {
        let own_home =
            self.folder_of.get(file).copied().flatten().map(|folder| self.home_of(folder));
        let usual = PACKAGE_HOMES
            .iter()
            .filter_map(|name| self.folders[TOP_FOLDER].folders.get(*name).copied());
        let usual = usual.filter(|&folder| self.folders[folder].init.is_none());
        own_home.into_iter().chain([TOP_FOLDER]).chain(usual).collect()
    }

    /// Returns the folders that may contain top-level packages: folders above the file, next to any package, and next
    /// to a file that is run.
    fn other_starts(&self, file: usize) -> Vec<usize> {
        let folder = self.folder_of.get(file).copied().flatten().unwrap_or(TOP_FOLDER);
        let above = std::iter::successors(Some(folder), |&folder| self.folders[folder].parent);
        let plain = above.filter(|&folder| self.folders[folder].init.is_none());
        let is_test = self.folders[folder].path.split('/').any(|part| part == "tests");
        let homes = self.homes.iter().copied();
        let homes = homes.filter(|home| is_test || !self.test_homes.contains(home));
        let run_folder = Some(folder).filter(|&folder| self.folders[folder].is_run);
        plain.chain(homes).chain(run_folder).collect()
    }

    /// Returns the first folder above a folder that is no package.
    fn home_of(&self, mut folder: usize) -> usize {
        while self.folders[folder].init.is_some() {
            let Some(parent) = self.folders[folder].parent else { break };
            folder = parent;
        }
        folder
    }

    /// Returns the files that importing a target runs: its own file and the `__init__.py` of every package around it.
    pub(crate) fn run_by_importing(&self, node: PythonTarget) -> Vec<usize> {
        let mut folder = match node {
            PythonTarget::File(file) => self.folder_of.get(file).copied().flatten(),
            PythonTarget::Folder(folder) => Some(folder),
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
