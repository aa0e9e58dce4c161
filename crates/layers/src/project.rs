//! The files of a project at a moment, as far as layers need them: every path, and of code what it defines and uses.

use std::{collections::BTreeMap, sync::Arc};

use trajview_metrics::lifeline::FileFacts;
use trajview_run::RepoPath;

/// The files at a moment. Whoever calls keeps it current: [`Self::set`] for what a turn changed, and nothing else.
#[derive(Clone, Default)]
pub struct Project {
    /// The commit that holds these files; None where there is none.
    pub commit: Option<String>,
    files: BTreeMap<RepoPath, Option<Arc<FileFacts>>>,
    texts: Option<Arc<dyn Texts>>,
}

/// Reads the text of a file at the project's moment.
pub trait Texts: Send + Sync {
    /// None where there is no such file, it is no text, or it is too long to be read.
    fn text(&self, path: &RepoPath) -> Option<String>;
}

/// What a turn did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: RepoPath,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Changed,
    Deleted,
    Renamed {
        /// Where it was before.
        from: RepoPath,
    },
}

impl Project {
    /// `facts` is None for what is no code that can be read; tests have no facts either, see [`trajview_metrics::lifeline`].
    pub fn set(&mut self, path: RepoPath, facts: Option<Arc<FileFacts>>) {
        self.files.insert(path, facts);
    }

    pub fn remove(&mut self, path: &RepoPath) {
        self.files.remove(path);
    }

    /// Where texts are read from at this moment.
    pub fn read_from(&mut self, texts: Arc<dyn Texts>) {
        self.texts = Some(texts);
    }

    /// By path.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.keys()
    }

    pub fn has(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// The files with code outside tests, by path.
    pub fn code(&self) -> impl Iterator<Item = (&RepoPath, &Arc<FileFacts>)> {
        self.files.iter().filter_map(|(path, facts)| Some((path, facts.as_ref()?)))
    }

    pub fn facts(&self, path: &RepoPath) -> Option<&Arc<FileFacts>> {
        self.files.get(path)?.as_ref()
    }

    /// None where there is no such file, it is no text, or it is too long to be read.
    pub fn text(&self, path: &RepoPath) -> Option<String> {
        self.texts.as_ref().filter(|_| self.has(path))?.text(path)
    }
}
