//! An index of the files that mention each word. It is updated from moment to moment, since a turn changes few files
//! and a run has many names.

use std::collections::{HashMap, HashSet};

use super::{facts_snapshot::CodeFile, file_facts::FileFacts};
use trajview_run::RepoPath;

/// The files that mention each word, and the words that the last turn touched.
#[derive(Debug, Default)]
pub(super) struct WordMentions<'m> {
    /// Ascending by path.
    files: HashMap<&'m str, Vec<&'m RepoPath>>,
    /// The words of the files that the last turn touched, before or after it.
    touched: HashSet<&'m str>,
    /// True where one of those files imports all names of a module, so that it can mention any word.
    touched_any: bool,
}

impl<'m> WordMentions<'m> {
    /// Updates the index for the next moment: `before` are the touched files as they were before the turn, `after` as
    /// they are after it.
    pub(crate) fn take_moment(
        &mut self,
        before: impl Iterator<Item = (&'m RepoPath, &'m CodeFile)>,
        after: impl Iterator<Item = (&'m RepoPath, &'m CodeFile)>,
    ) {
        self.touched.clear();
        self.touched_any = false;
        for (path, file) in before {
            self.touch_words(&file.facts);
            for word in file.facts.mentioned_names() {
                if let Some(files) = self.files.get_mut(word)
                    && let Ok(at) = files.binary_search(&path)
                {
                    files.remove(at);
                }
            }
        }
        for (path, file) in after {
            self.touch_words(&file.facts);
            for word in file.facts.mentioned_names() {
                let files = self.files.entry(word).or_default();
                if let Err(at) = files.binary_search(&path) {
                    files.insert(at, path);
                }
            }
        }
    }

    fn touch_words(&mut self, facts: &'m FileFacts) {
        self.touched_any |= facts.imports.iter().any(|it| it.name.as_deref() == Some("*"));
        self.touched.extend(facts.mentioned_names());
    }

    /// Returns the words of the files that the last turn touched; None where these files may mention any word.
    pub(crate) fn touched_words(&self) -> Option<impl Iterator<Item = &'m str>> {
        (!self.touched_any).then(|| self.touched.iter().copied())
    }

    /// Returns the files that mention a word, by path.
    pub(crate) fn files_mentioning(&self, word: &str) -> &[&'m RepoPath] {
        self.files.get(word).map_or(&[], Vec::as_slice)
    }
}
