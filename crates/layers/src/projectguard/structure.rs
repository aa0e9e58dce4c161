//! The structural state: what each code file defines and who uses it, from the code and never from the agent's words.
//!
//! One text a file, `structure/<path>.md`. After a turn only the files that it changed are read again, and only the texts that
//! say something else then are written again: those files', and those of files whose definitions got or lost a user.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{Change, Project, State, project::ChangeKind};
use trajview_metrics::lifeline::{Fresh, Users};
use trajview_run::RepoPath;

use super::{
    skeleton::{Skeleton, Symbol},
    words,
};

/// The folder of its texts in the state of the layer.
const FOLDER: &str = "structure/";

/// The code of a project, kept by what turns change.
#[derive(Debug, Default)]
pub struct Structure {
    files: BTreeMap<RepoPath, Known>,
    users: Users,
    /// The files that have a word in their path, their names or what they say of themselves.
    by_word: HashMap<String, BTreeSet<RepoPath>>,
    /// The turn that last changed a file.
    changed: BTreeMap<RepoPath, usize>,
    texts: State,
    is_read: bool,
}

/// A file of the structure.
#[derive(Debug, Default)]
pub struct Known {
    pub skeleton: Skeleton,
    /// Of its path, and of what it says of itself.
    pub words: BTreeSet<String>,
    /// Of each symbol of the skeleton: of its name, and of what stands as its documentation.
    pub symbols: Vec<SymbolWords>,
}

#[derive(Debug, Default)]
pub struct SymbolWords {
    pub name: BTreeSet<String>,
    pub about: BTreeSet<String>,
}

impl Structure {
    /// Reads all of a project, where nothing was read yet.
    pub fn begin(&mut self, project: &Project) {
        if !self.is_read {
            self.is_read = true;
            let all: BTreeSet<RepoPath> = project.code().map(|(path, _)| path.clone()).collect();
            self.texts.retain(|file, _| {
                file.strip_prefix(FOLDER)
                    .and_then(|file| RepoPath::new(file.strip_suffix(".md")?))
                    .is_some_and(|path| all.contains(&path))
            });
            self.look_at(project, all);
        }
    }

    /// Takes in what a turn changed.
    pub fn go_on(&mut self, turn: usize, project: &Project, changes: &[Change]) {
        let mut paths = BTreeSet::new();
        for change in changes {
            paths.insert(change.path.clone());
            if let ChangeKind::Renamed { from } = &change.kind {
                paths.insert(from.clone());
            }
        }
        for path in &paths {
            match project.facts(path) {
                Some(_) => self.changed.insert(path.clone(), turn),
                None => self.changed.remove(path),
            };
        }
        match self.is_read {
            true => self.look_at(project, paths),
            false => self.begin(project),
        }
    }

    fn look_at(&mut self, project: &Project, paths: BTreeSet<RepoPath>) {
        let fresh: Vec<Fresh> =
            paths.into_iter().map(|path| (path.clone(), project.facts(&path).cloned())).collect();
        for (path, facts) in &fresh {
            self.forget(path);
            if let Some(facts) = facts {
                let text = project.text(path).unwrap_or_default();
                self.know(path, Known::of(path, Skeleton::of(facts, &text)));
            }
        }
        for path in self.users.go_on(&fresh) {
            if let Some(text) = self.rendered(&path) {
                self.texts.insert(file_of(&path), text);
            }
        }
    }

    fn forget(&mut self, path: &RepoPath) {
        self.texts.remove(&file_of(path));
        for word in self.files.remove(path).iter().flat_map(Known::all_words) {
            if let Some(files) = self.by_word.get_mut(word) {
                files.remove(path);
            }
        }
    }

    fn know(&mut self, path: &RepoPath, known: Known) {
        for word in known.all_words() {
            self.by_word.entry(word.clone()).or_default().insert(path.clone());
        }
        self.files.insert(path.clone(), known);
    }

    pub fn file(&self, path: &RepoPath) -> Option<&Known> {
        self.files.get(path)
    }

    /// By path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&RepoPath, &Known)> {
        self.files.iter()
    }

    /// The files that have a word, by path.
    pub fn with_word(&self, word: &str) -> impl Iterator<Item = &RepoPath> {
        self.by_word.get(word).into_iter().flatten()
    }

    /// How telling a word is: the fewer files have it, the more; near 0 for one that all of many have.
    pub fn weight(&self, word: &str) -> f64 {
        let having = self.by_word.get(word).map_or(0, BTreeSet::len);
        words::weight(having, self.files.len())
    }

    /// The turn that last changed a file; None where none is known to have.
    pub fn changed(&self, path: &RepoPath) -> Option<usize> {
        self.changed.get(path).copied()
    }

    pub const fn users(&self) -> &Users {
        &self.users
    }

    pub const fn texts(&self) -> &State {
        &self.texts
    }

    /// Takes over what an earlier state says of when files were changed; the rest is read from the project.
    pub fn restore(&mut self, state: &State) {
        *self = Self::default();
        for (file, text) in state.iter().filter(|(file, _)| file.starts_with(FOLDER)) {
            let name = file.strip_prefix(FOLDER).and_then(|file| file.strip_suffix(".md"));
            let turn = text.lines().find_map(|line| line.strip_prefix(CHANGED)?.parse().ok());
            if let (Some(path), Some(turn)) = (name.and_then(RepoPath::new), turn) {
                self.changed.insert(path, turn);
            }
            self.texts.insert(file.clone(), text.clone());
        }
    }

    /// A file as its text in the state has it.
    fn rendered(&self, path: &RepoPath) -> Option<String> {
        let known = self.files.get(path)?;
        let mut lines = vec![format!("# {path}")];
        if !known.skeleton.about.is_empty() {
            lines.push(known.skeleton.about.clone());
        }
        if let Some(turn) = self.changed(path) {
            lines.push(format!("{CHANGED}{turn}"));
        }
        lines.push("\n## Defines".into());
        for symbol in &known.skeleton.symbols {
            lines.push(self.line(path, symbol));
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

    fn line(&self, path: &RepoPath, symbol: &Symbol) -> String {
        let (start, end) = symbol.lines;
        let about = Some(symbol.about.as_str()).filter(|about| !about.is_empty());
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        let owner = symbol.name.rsplit_once('.').map(|(owner, _)| format!("{owner}."));
        let (indent, owner) = match owner {
            Some(owner) => ("  ", owner),
            None => ("", String::new()),
        };
        let users: Vec<&str> = self.users.of(path, &symbol.name).map(RepoPath::as_str).collect();
        let users = match users.as_slice() {
            [] => String::new(),
            some => format!("; used by {}", some.join(", ")),
        };
        let (word, signature) = (symbol.word(), &symbol.signature);
        format!("{indent}- {word} {owner}{signature} (lines {start}-{end}){about}{users}")
    }
}

/// Before the turn that last changed a file.
const CHANGED: &str = "changed in turn ";

/// The text of a file in the state.
pub fn file_of(path: &RepoPath) -> String {
    format!("{FOLDER}{path}.md")
}

impl Known {
    fn of(path: &RepoPath, skeleton: Skeleton) -> Self {
        let of = |it: &Symbol| SymbolWords {
            // What the language calls by itself says nothing: `__call__`.
            name: words::of(if it.simple().starts_with("__") { "" } else { &it.name }),
            about: words::of(&it.about),
        };
        let symbols = skeleton.symbols.iter().map(of).collect();
        let stem = path.as_str().rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
        let words = words::of(&format!("{stem} {}", skeleton.about));
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
    use crate::project::Texts;
    use trajview_code::tree::Grammar;
    use trajview_metrics::lifeline;

    struct Fixed(BTreeMap<String, String>);

    impl Texts for Fixed {
        fn text(&self, path: &RepoPath) -> Option<String> {
            self.0.get(path.as_str()).cloned()
        }
    }

    pub fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    /// A project of these Python files.
    pub fn project(files: &[(&str, &str)]) -> Project {
        let mut project = Project::default();
        for (name, text) in files {
            let is_code = name.ends_with(".py") && !lifeline::is_test(&path(name));
            let facts =
                is_code.then(|| Arc::new(lifeline::facts(Grammar::Python, text.as_bytes())));
            project.set(path(name), facts);
        }
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        project.read_from(Arc::new(Fixed(texts.collect())));
        project
    }

    pub fn change(name: &str) -> Change {
        Change { path: path(name), kind: ChangeKind::Changed }
    }

    #[test]
    fn a_file_is_told_with_its_signatures_and_its_users_and_only_what_changed_is_told_again() {
        let mut structure = Structure::default();
        let a = "\"\"\"Weights.\"\"\"\ndef snr_weight(t):\n    \"\"\"Time weight.\"\"\"\n    return t\n";
        let b = "from a import snr_weight\n\nclass B:\n    def go(self):\n        return snr_weight(1)\n";
        structure.begin(&project(&[("a.py", a), ("b.py", b), ("c.py", "x = 1\n")]));

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

        let after = project(&[("a.py", a), ("b.py", "y = 2\n"), ("c.py", "x = 1\n")]);
        structure.go_on(7, &after, &[change("b.py")]);

        let texts = structure.texts();
        let changed: Vec<&String> = texts.keys().filter(|it| texts[*it] != before[*it]).collect();
        assert_eq!(changed, ["structure/a.py.md", "structure/b.py.md"]);
        assert!(!texts["structure/a.py.md"].contains("used by"));
        assert!(texts["structure/b.py.md"].contains("changed in turn 7"));
    }

    #[test]
    fn what_is_restored_and_what_went_on_say_the_same() {
        let files = [("a.py", "def f(): pass\n"), ("b.py", "from a import f\nf()\n")];
        let mut went_on = Structure::default();
        went_on.begin(&project(&files[..1]));
        went_on.go_on(1, &project(&files), &[change("b.py")]);

        let mut restored = Structure::default();
        restored.restore(went_on.texts());
        restored.begin(&project(&files));

        assert_eq!(restored.texts(), went_on.texts());
    }
}
