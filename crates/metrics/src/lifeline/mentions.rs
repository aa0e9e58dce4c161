//! Which files of a moment mention a word, kept from moment to moment: a turn changes a few files, and a run has many names.

use std::collections::{HashMap, HashSet};

use super::{facts::FileFacts, snapshot::File};
use trajview_run::RepoPath;

/// The files that mention each word, and the words that the last turn touched.
#[derive(Debug, Default)]
pub(super) struct Mentions<'m> {
    /// Ascending by path.
    files: HashMap<&'m str, Vec<&'m RepoPath>>,
    /// In the files that the last turn touched, before or after it.
    touched: HashSet<&'m str>,
    /// Whether one of those files imports all of a module: it can mean any word.
    touched_any: bool,
}

impl<'m> Mentions<'m> {
    /// Takes the next moment: the files that a turn touched as they were before, and those that it left.
    pub fn go_on(
        &mut self,
        before: impl Iterator<Item = (&'m RepoPath, &'m File)>,
        after: impl Iterator<Item = (&'m RepoPath, &'m File)>,
    ) {
        self.touched.clear();
        self.touched_any = false;
        for (path, file) in before {
            self.touch(&file.facts);
            for word in file.facts.words() {
                if let Some(files) = self.files.get_mut(word)
                    && let Ok(at) = files.binary_search(&path)
                {
                    files.remove(at);
                }
            }
        }
        for (path, file) in after {
            self.touch(&file.facts);
            for word in file.facts.words() {
                let files = self.files.entry(word).or_default();
                if let Err(at) = files.binary_search(&path) {
                    files.insert(at, path);
                }
            }
        }
    }

    fn touch(&mut self, facts: &'m FileFacts) {
        self.touched_any |= facts.imports.iter().any(|it| it.name.as_deref() == Some("*"));
        self.touched.extend(facts.words());
    }

    /// The words of the files that the last turn touched; None where they may mean any word.
    pub fn touched(&self) -> Option<impl Iterator<Item = &'m str>> {
        (!self.touched_any).then(|| self.touched.iter().copied())
    }

    /// The files that mention a word, by path.
    pub fn files(&self, word: &str) -> &[&'m RepoPath] {
        self.files.get(word).map_or(&[], Vec::as_slice)
    }
}
