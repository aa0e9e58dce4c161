//! The files of a project at a moment, as far as layers need them: every path, and of code what it defines and uses.

use std::{collections::BTreeMap, sync::Arc};

use trajview_metrics::lifeline::FileFacts;
use trajview_run::RepoPath;

/// The files at a moment. Whoever calls keeps it current: [`Self::set_file`] for what a turn changed, and nothing else.
#[derive(Clone, Default)]
pub struct LayerProject {
    /// The commit that has these files; None where there is none.
    pub commit: Option<String>,
    files: BTreeMap<RepoPath, Option<Arc<FileFacts>>>,
    texts: Option<Arc<dyn ProjectTexts>>,
}

/// Reads the text of a file at the project's moment.
pub trait ProjectTexts: Send + Sync {
    /// Returns the text of a file; None where there is no such file, it is not text, or it is too long to be read.
    fn read_text(&self, path: &RepoPath) -> Option<String>;
}

/// The change of a file in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectChange {
    pub path: RepoPath,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Changed,
    Deleted,
    Renamed {
        /// The former path.
        from: RepoPath,
    },
}

impl LayerProject {
    /// Sets a file. `facts` is None for what is no code that can be read; tests have no facts either, see
    /// [`trajview_metrics::lifeline`].
    pub fn set_file(&mut self, path: RepoPath, facts: Option<Arc<FileFacts>>) {
        self.files.insert(path, facts);
    }

    pub fn remove_file(&mut self, path: &RepoPath) {
        self.files.remove(path);
    }

    /// Sets the source of texts for this moment.
    pub fn read_from(&mut self, texts: Arc<dyn ProjectTexts>) {
        self.texts = Some(texts);
    }

    /// Returns all paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.keys()
    }

    pub(crate) fn has_file(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the files with code outside tests, by path.
    pub fn code_files(&self) -> impl Iterator<Item = (&RepoPath, &Arc<FileFacts>)> {
        self.files.iter().filter_map(|(path, facts)| Some((path, facts.as_ref()?)))
    }

    pub fn file_facts(&self, path: &RepoPath) -> Option<&Arc<FileFacts>> {
        self.files.get(path)?.as_ref()
    }

    /// Returns the text of a file; None where there is no such file, it is not text, or it is too long to be read.
    pub fn file_text(&self, path: &RepoPath) -> Option<String> {
        self.texts.as_ref().filter(|_| self.has_file(path))?.read_text(path)
    }
}
