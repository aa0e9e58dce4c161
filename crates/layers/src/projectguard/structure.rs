//! The structural state: what each code file defines and who uses it, from the code and never from the agent's words.
//!
//! One text a file, `structure/<path>.md`. After a turn only the files that it changed are read again, and only the texts that
//! say something else then are written again: those files', and those of files whose definitions got or lost a user.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{LayerProject, LayerState, ProjectChange, project::ChangeKind};
use trajview_metrics::lifeline::{DefinitionUsers, FreshFile};
use trajview_run::RepoPath;

use super::{
    skeleton::{Skeleton, SkeletonSymbol},
    words,
};

/// The folder of its texts in the state of the layer.
const FOLDER: &str = "structure/";

/// The code of a project, kept by what turns change.
#[derive(Debug, Default)]
pub struct CodeStructure {
    files: BTreeMap<RepoPath, KnownFile>,
    users: DefinitionUsers,
    /// The files that have a word in their path, their names or what they say of themselves.
    by_word: HashMap<String, BTreeSet<RepoPath>>,
    /// The turn that last changed a file.
    changed: BTreeMap<RepoPath, usize>,
    texts: LayerState,
    is_read: bool,
}

/// A file of the structure.
#[derive(Debug, Default)]
pub struct KnownFile {
    pub skeleton: Skeleton,
    /// The words of the path and of the file's documentation.
    pub words: BTreeSet<String>,
    /// The words of each symbol of the skeleton: of its name, and of its documentation.
    pub symbols: Vec<SymbolWords>,
}

#[derive(Debug, Default)]
pub struct SymbolWords {
    pub name: BTreeSet<String>,
    pub about: BTreeSet<String>,
}

impl CodeStructure {
    /// Reads all of a project, where nothing was read yet.
    pub(crate) fn read_project(&mut self, project: &LayerProject) {
        if !self.is_read {
            self.is_read = true;
            let all: BTreeSet<RepoPath> =
                project.code_files().map(|(path, _)| path.clone()).collect();
            self.texts.retain(|file, _| {
                file.strip_prefix(FOLDER)
                    .and_then(|file| RepoPath::new(file.strip_suffix(".md")?))
                    .is_some_and(|path| all.contains(&path))
            });
            self.reread_files(project, all);
        }
    }

    /// Takes in what a turn changed.
    pub fn follow_turn(&mut self, turn: usize, project: &LayerProject, changes: &[ProjectChange]) {
        let mut paths = BTreeSet::new();
        for change in changes {
            paths.insert(change.path.clone());
            if let ChangeKind::Renamed { from } = &change.kind {
                paths.insert(from.clone());
            }
        }
        for path in &paths {
            match project.file_facts(path) {
                Some(_) => self.changed.insert(path.clone(), turn),
                None => self.changed.remove(path),
            };
        }
        match self.is_read {
            true => self.reread_files(project, paths),
            false => self.read_project(project),
        }
    }

    fn reread_files(&mut self, project: &LayerProject, paths: BTreeSet<RepoPath>) {
        let fresh: Vec<FreshFile> = paths
            .into_iter()
            .map(|path| (path.clone(), project.file_facts(&path).cloned()))
            .collect();
        for (path, facts) in &fresh {
            self.forget_file(path);
            if let Some(facts) = facts {
                let text = project.file_text(path).unwrap_or_default();
                self.store_file(path, KnownFile::new(path, Skeleton::for_file(facts, &text)));
            }
        }
        for path in self.users.update_files(&fresh) {
            if let Some(text) = self.render_file(&path) {
                self.texts.insert(state_file(&path), text);
            }
        }
    }

    fn forget_file(&mut self, path: &RepoPath) {
        self.texts.remove(&state_file(path));
        for word in self.files.remove(path).iter().flat_map(KnownFile::all_words) {
            if let Some(files) = self.by_word.get_mut(word) {
                files.remove(path);
            }
        }
    }

    fn store_file(&mut self, path: &RepoPath, known: KnownFile) {
        for word in known.all_words() {
            self.by_word.entry(word.clone()).or_default().insert(path.clone());
        }
        self.files.insert(path.clone(), known);
    }

    pub fn known_file(&self, path: &RepoPath) -> Option<&KnownFile> {
        self.files.get(path)
    }

    /// Returns the files by path.
    pub(crate) fn known_files(&self) -> impl ExactSizeIterator<Item = (&RepoPath, &KnownFile)> {
        self.files.iter()
    }

    /// Returns the files that have a word, by path.
    pub(crate) fn with_word(&self, word: &str) -> impl Iterator<Item = &RepoPath> {
        self.by_word.get(word).into_iter().flatten()
    }

    /// Returns the weight of a word: the fewer files have it, the higher; near 0 for one that all of many have.
    pub(crate) fn word_weight(&self, word: &str) -> f64 {
        let having = self.by_word.get(word).map_or(0, BTreeSet::len);
        words::rarity_weight(having, self.files.len())
    }

    /// Returns the turn that last changed a file; None where none is known to have.
    pub(crate) fn last_changed(&self, path: &RepoPath) -> Option<usize> {
        self.changed.get(path).copied()
    }

    pub const fn users(&self) -> &DefinitionUsers {
        &self.users
    }

    pub const fn texts(&self) -> &LayerState {
        &self.texts
    }

    /// Restores from an earlier state when files were changed; the rest is read from the project.
    pub fn restore(&mut self, state: &LayerState) {
        *self = Self::default();
        for (file, text) in state.iter().filter(|(file, _)| file.starts_with(FOLDER)) {
            let name = file.strip_prefix(FOLDER).and_then(|file| file.strip_suffix(".md"));
            let turn =
                text.lines().find_map(|line| line.strip_prefix(CHANGED_PREFIX)?.parse().ok());
            if let (Some(path), Some(turn)) = (name.and_then(RepoPath::new), turn) {
                self.changed.insert(path, turn);
            }
            self.texts.insert(file.clone(), text.clone());
        }
    }

    /// Returns the text of a file in the state; None for one that is not known.
    fn render_file(&self, path: &RepoPath) -> Option<String> {
        let known = self.files.get(path)?;
        let mut lines = vec![format!("# {path}")];
        if !known.skeleton.about.is_empty() {
            lines.push(known.skeleton.about.clone());
        }
        if let Some(turn) = self.last_changed(path) {
            lines.push(format!("{CHANGED_PREFIX}{turn}"));
        }
        lines.push("\n## Defines".into());
        for symbol in &known.skeleton.symbols {
            lines.push(self.symbol_line(path, symbol));
        }
        let uses: Vec<String> = self
            .users
            .used_by(path)
            .map(|place| format!("- {} of {}", place.name, place.path))
            .collect();
        if !uses.is_empty() {
            lines.push("\n## Uses of other files".into());
            lines.extend(uses);
        }
        Some(lines.join("\n") + "\n")
    }

    fn symbol_line(&self, path: &RepoPath, symbol: &SkeletonSymbol) -> String {
        let (start, end) = symbol.lines;
        let about = Some(symbol.about.as_str()).filter(|about| !about.is_empty());
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        let owner = symbol.name.rsplit_once('.').map(|(owner, _)| format!("{owner}."));
        let (indent, owner) = match owner {
            Some(owner) => ("  ", owner),
            None => ("", String::new()),
        };
        let users: Vec<&str> =
            self.users.users_of(path, &symbol.name).map(RepoPath::as_str).collect();
        let users = match users.as_slice() {
            [] => String::new(),
            some => format!("; used by {}", some.join(", ")),
        };
        let (word, signature) = (symbol.kind_word(), &symbol.signature);
        format!("{indent}- {word} {owner}{signature} (lines {start}-{end}){about}{users}")
    }
}

/// The text before the turn that last changed a file.
const CHANGED_PREFIX: &str = "changed in turn ";

/// Returns the path of a file's text in the state.
pub fn state_file(path: &RepoPath) -> String {
    format!("{FOLDER}{path}.md")
}

impl KnownFile {
    fn new(path: &RepoPath, skeleton: Skeleton) -> Self {
        let symbol_words = |it: &SkeletonSymbol| SymbolWords {
            // The name of a method that the language calls implicitly carries no meaning: `__call__`.
            name: words::distinct_words(if it.simple_name().starts_with("__") {
                ""
            } else {
                &it.name
            }),
            about: words::distinct_words(&it.about),
        };
        let symbols = skeleton.symbols.iter().map(symbol_words).collect();
        let stem = path.as_str().rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
        let words = words::distinct_words(&format!("{stem} {}", skeleton.about));
        Self { skeleton, words, symbols }
    }

    fn all_words(&self) -> impl Iterator<Item = &String> {
        let of_symbols = self.symbols.iter().flat_map(|it| it.name.iter().chain(&it.about));
        self.words.iter().chain(of_symbols)
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::project::ProjectTexts;
    use trajview_code::tree::Grammar;
    use trajview_metrics::lifeline;

    struct FixedTexts(BTreeMap<String, String>);

    impl ProjectTexts for FixedTexts {
        fn read_text(&self, path: &RepoPath) -> Option<String> {
            self.0.get(path.as_str()).cloned()
        }
    }

    pub fn repo_path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    /// A project of these Python files.
    pub(crate) fn python_project(files: &[(&str, &str)]) -> LayerProject {
        let mut project = LayerProject::default();
        for (name, text) in files {
            let is_code = name.ends_with(".py") && !lifeline::is_test(&repo_path(name));
            let facts =
                is_code.then(|| Arc::new(lifeline::read_facts(Grammar::Python, text.as_bytes())));
            project.set_file(repo_path(name), facts);
        }
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        project.read_from(Arc::new(FixedTexts(texts.collect())));
        project
    }

    pub fn changed_file(name: &str) -> ProjectChange {
        ProjectChange { path: repo_path(name), kind: ChangeKind::Changed }
    }

    #[test]
    fn a_file_is_told_with_its_signatures_and_its_users_and_only_what_changed_is_told_again() {
        let mut structure = CodeStructure::default();
        let a = "\"\"\"Weights.\"\"\"\ndef snr_weight(t):\n    \"\"\"Time weight.\"\"\"\n    return t\n";
        let b = "from a import snr_weight\n\nclass B:\n    def go(self):\n        return snr_weight(1)\n";
        structure.read_project(&python_project(&[("a.py", a), ("b.py", b), ("c.py", "x = 1\n")]));

        assert_eq!(
            structure.texts()["structure/a.py.md"],
            "# a.py\nWeights.\n\n## Defines\n\
             - function snr_weight(t) (lines 2-4): Time weight.; used by b.py\n"
        );
        assert_eq!(
            structure.texts()["structure/b.py.md"],
            "# b.py\n\n## Defines\n- class B (lines 3-5)\n  - function B.go(self) (lines 4-5)\n\n\
             ## Uses of other files\n- snr_weight of a.py\n"
        );
        let before = structure.texts().clone();

        let after = python_project(&[("a.py", a), ("b.py", "y = 2\n"), ("c.py", "x = 1\n")]);
        structure.follow_turn(7, &after, &[changed_file("b.py")]);

        let texts = structure.texts();
        let changed: Vec<&String> = texts.keys().filter(|it| texts[*it] != before[*it]).collect();
        assert_eq!(changed, ["structure/a.py.md", "structure/b.py.md"]);
        assert!(!texts["structure/a.py.md"].contains("used by"));
        assert!(texts["structure/b.py.md"].contains("changed in turn 7"));
    }

    #[test]
    fn what_is_restored_and_what_went_on_say_the_same() {
        let files = [("a.py", "def f(): pass\n"), ("b.py", "from a import f\nf()\n")];
        let mut went_on = CodeStructure::default();
        went_on.read_project(&python_project(&files[..1]));
        went_on.follow_turn(1, &python_project(&files), &[changed_file("b.py")]);

        let mut restored = CodeStructure::default();
        restored.restore(went_on.texts());
        restored.read_project(&python_project(&files));

        assert_eq!(restored.texts(), went_on.texts());
    }
}
