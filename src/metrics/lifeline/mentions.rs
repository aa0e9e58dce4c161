//! Which files of a moment mention a word, kept from moment to moment: a turn changes a few files, and a run has many names.

use std::collections::{HashMap, HashSet};

use super::{chains::Touched, facts::FileFacts, snapshot::Snapshot};
use crate::run::RepoPath;

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
    /// Takes the next moment.
    pub fn go_on(&mut self, before: Option<&'m Snapshot>, after: &'m Snapshot, touched: &Touched) {
        self.touched.clear();
        self.touched_any = false;
        for (old, _) in touched {
            let file = old.as_ref().zip(before);
            let Some((path, facts)) = file.and_then(|(path, before)| found(before, path)) else {
                continue;
            };
            self.touch(facts);
            for word in facts.words() {
                if let Some(files) = self.files.get_mut(word)
                    && let Ok(at) = files.binary_search(&path)
                {
                    files.remove(at);
                }
            }
        }
        for (_, new) in touched {
            let Some((path, facts)) = new.as_ref().and_then(|path| found(after, path)) else {
                continue;
            };
            self.touch(facts);
            for word in facts.words() {
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

    /// Whether the last turn touched a file that mentions a word.
    pub fn is_touched(&self, word: &str) -> bool {
        self.touched_any || self.touched.contains(word)
    }

    /// The files that mention a word, by path.
    pub fn files(&self, word: &str) -> &[&'m RepoPath] {
        self.files.get(word).map_or(&[], Vec::as_slice)
    }
}

fn found<'m>(snapshot: &'m Snapshot, path: &RepoPath) -> Option<(&'m RepoPath, &'m FileFacts)> {
    snapshot.files.get_key_value(path).map(|(path, file)| (path, &*file.facts))
}
