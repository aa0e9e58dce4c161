//! The files a judge may see: one tree, read from the recording and never from the disk it lies on.

use std::{fmt, sync::Arc};

use trajview_run::{
    RepoPath, Run,
    files::{Blob, FileMode, FilesFrom, Tree, TreeFile},
};
use trajview_store::Archive;

type Contents = dyn Fn(TreeFile) -> Result<Blob, String> + Send + Sync;

/// The files as they stood at one moment.
#[derive(Clone)]
pub struct Snapshot {
    tree: Arc<Tree>,
    contents: Arc<Contents>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot of {} files", self.tree.files.len())
    }
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Text(String),
    /// Why there is no text; a sentence without the path.
    Not(String),
}

/// A larger file is not read for a judge.
const MOST_BYTES: usize = 2 << 20;

impl Snapshot {
    /// A tree and how to have its contents; an error of `contents` is a sentence.
    pub fn new(
        tree: Tree,
        contents: impl Fn(TreeFile) -> Result<Blob, String> + Send + Sync + 'static,
    ) -> Self {
        Self { tree: Arc::new(tree), contents: Arc::new(contents) }
    }

    /// The files after so many turns. An error, a sentence, where the recording does not hold what they were: nothing
    /// could be told apart from an empty repository then.
    pub fn of(run: &Arc<Run>, archive: &Arc<Archive>, turns_done: usize) -> Result<Self, String> {
        let timeline = archive.timeline(run)?;
        let tree = timeline.tree_after(turns_done);
        let is_known = tree.files.values().any(|file| file.blob().is_some());
        let is_truly_empty = tree.files.is_empty() && timeline.from == FilesFrom::Commits;
        if !is_known && !is_truly_empty {
            return Err(format!(
                "the recording holds no content of any file as of turn {turns_done}, so there is nothing to look at"
            ));
        }
        let (run, archive) = (Arc::clone(run), Arc::clone(archive));
        Ok(Self::new(tree, move |file| archive.content(&run, file)))
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The text of a file; a link is not followed.
    pub fn text(&self, path: &RepoPath) -> Found {
        let Some(&file) = self.tree.files.get(path) else {
            return Found::Not("no such file in the snapshot".into());
        };
        match file.mode {
            FileMode::Link => return Found::Not("it is a link; not followed".into()),
            FileMode::Submodule => return Found::Not("it is another repository".into()),
            FileMode::Regular | FileMode::Executable => {}
        }
        match (self.contents)(file) {
            Err(why) => Found::Not(why),
            Ok(bytes) if bytes.len() > MOST_BYTES => {
                Found::Not(format!("it has {} bytes; too large to be read", bytes.len()))
            }
            Ok(bytes) if memchr::memchr(0, &bytes).is_some() => Found::Not("it is not text".into()),
            Ok(bytes) => Found::Text(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::HashMap;

    use super::*;
    use trajview_run::files::BlobId;

    /// A snapshot of these files; a text that starts with `-> ` is a link.
    pub fn snapshot_of(files: &[(&str, &str)]) -> Snapshot {
        let mut tree = Tree::default();
        let mut contents = HashMap::new();
        for (path, text) in files {
            let blob = BlobId::of(text.as_bytes());
            let mode = if text.starts_with("-> ") { FileMode::Link } else { FileMode::Regular };
            contents.insert(blob, Blob::from(text.as_bytes()));
            let path = RepoPath::new(path).unwrap();
            tree.files.insert(path, TreeFile { mode, ..TreeFile::known(blob) });
        }
        Snapshot::new(tree, move |file| {
            let blob = file.blob().and_then(|blob| contents.get(&blob).cloned());
            blob.ok_or_else(|| "not recorded".to_owned())
        })
    }

    #[test]
    fn a_recording_without_contents_is_not_taken_for_an_empty_repository() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("session");
        std::fs::create_dir(&session).unwrap();
        let line = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":{"role":"user","content":"go"},"type":"user","uuid":"u"}"#;
        std::fs::write(session.join("s.jsonl"), line).unwrap();
        std::fs::write(
            folder.path().join("run.json"),
            r#"{"schema": "trajview.run/1", "id": "r"}"#,
        )
        .unwrap();
        let opened = trajview_store::open(folder.path()).unwrap();

        let why = Snapshot::of(&opened.run, &opened.archive, 1).unwrap_err();

        assert!(
            why.starts_with("the recording holds no content of any file as of turn 1"),
            "{why}"
        );
    }

    #[test]
    fn what_is_no_text_says_why() {
        let snapshot = snapshot_of(&[("a", "one"), ("link", "-> /etc/passwd"), ("b", "x\0y")]);
        let said = |path: &str| snapshot.text(&RepoPath::new(path).unwrap());

        assert_eq!(said("a"), Found::Text("one".into()));
        assert_eq!(said("link"), Found::Not("it is a link; not followed".into()));
        assert_eq!(said("b"), Found::Not("it is not text".into()));
        assert_eq!(said("c"), Found::Not("no such file in the snapshot".into()));
    }
}
