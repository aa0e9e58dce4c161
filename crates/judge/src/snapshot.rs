//! The files a judge may see: one tree, read from the recording and never from the disk it lies on.

use std::{fmt, sync::Arc};

use trajview_run::{
    RepoPath, Run,
    files::{Blob, FileMode, FilesSource, SourceTree, TreeFile},
};
use trajview_store::Archive;

type ReadContents = dyn Fn(TreeFile) -> Result<Blob, String> + Send + Sync;

/// The files at one moment.
#[derive(Clone)]
pub struct CodeSnapshot {
    tree: Arc<SourceTree>,
    contents: Arc<ReadContents>,
}

impl fmt::Debug for CodeSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot of {} files", self.tree.files.len())
    }
}

/// Largest file that is read for a judge (bytes).
const MOST_BYTES: usize = 2 << 20;

impl CodeSnapshot {
    /// Makes a tree and how to have its contents; an error of `contents` is a sentence.
    pub fn new(
        tree: SourceTree,
        contents: impl Fn(TreeFile) -> Result<Blob, String> + Send + Sync + 'static,
    ) -> Self {
        Self { tree: Arc::new(tree), contents: Arc::new(contents) }
    }

    /// Returns the files after so many turns. The error, a sentence, means that the recording does not contain them:
    /// the snapshot would look like an empty repository.
    pub fn after_turns(
        run: &Arc<Run>,
        archive: &Arc<Archive>,
        turns_done: usize,
    ) -> Result<Self, String> {
        let timeline = archive.timeline(run)?;
        let tree = timeline.tree_after(turns_done);
        let is_known = tree.files.values().any(|file| file.blob_id().is_some());
        let is_truly_empty = tree.files.is_empty() && timeline.from == FilesSource::Commits;
        if !is_known && !is_truly_empty {
            return Err(format!(
                "no file content is recorded at turn {turns_done}, so nothing to judge"
            ));
        }
        let (run, archive) = (Arc::clone(run), Arc::clone(archive));
        Ok(Self::new(tree, move |file| archive.file_content(&run, file)))
    }

    pub fn tree(&self) -> &SourceTree {
        &self.tree
    }

    /// Returns the content of a file of the tree; the error is a sentence.
    pub(crate) fn content_of(&self, file: TreeFile) -> Result<Blob, String> {
        (self.contents)(file)
    }

    /// Returns the text of a file; a link is not followed. The error is a sentence without the path.
    pub fn text_of(&self, path: &RepoPath) -> Result<String, String> {
        let file = *self.tree.files.get(path).ok_or("no such file in the snapshot")?;
        match file.mode {
            FileMode::Link => return Err("it is a link; not followed".into()),
            FileMode::Submodule => return Err("it is another repository".into()),
            FileMode::Regular | FileMode::Executable => {}
        }
        let bytes = self.content_of(file)?;
        if bytes.len() > MOST_BYTES {
            return Err(format!("it has {} bytes; too large to be read", bytes.len()));
        }
        match memchr::memchr(0, &bytes) {
            Some(_) => Err("it is not text".into()),
            None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::HashMap;

    use super::*;
    use trajview_run::files::BlobId;

    /// Returns a snapshot of these files; a text that starts with `-> ` is a link.
    pub(crate) fn snapshot_of(files: &[(&str, &str)]) -> CodeSnapshot {
        let mut tree = SourceTree::default();
        let mut contents = HashMap::new();
        for (path, text) in files {
            let blob = BlobId::for_bytes(text.as_bytes());
            let mode = if text.starts_with("-> ") { FileMode::Link } else { FileMode::Regular };
            contents.insert(blob, Blob::from(text.as_bytes()));
            let path = RepoPath::new(path).unwrap();
            tree.files.insert(path, TreeFile { mode, ..TreeFile::with_blob(blob) });
        }
        CodeSnapshot::new(tree, move |file| {
            let blob = file.blob_id().and_then(|blob| contents.get(&blob).cloned());
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

        let why = CodeSnapshot::after_turns(&opened.run, &opened.archive, 1).unwrap_err();

        assert!(why.starts_with("no file content is recorded at turn 1"), "{why}");
    }

    #[test]
    fn what_is_no_text_says_why() {
        let snapshot = snapshot_of(&[("a", "one"), ("link", "-> /etc/passwd"), ("b", "x\0y")]);
        let text_at = |path: &str| snapshot.text_of(&RepoPath::new(path).unwrap());

        assert_eq!(text_at("a"), Ok("one".into()));
        assert_eq!(text_at("link"), Err("it is a link; not followed".into()));
        assert_eq!(text_at("b"), Err("it is not text".into()));
        assert_eq!(text_at("c"), Err("no such file in the snapshot".into()));
    }
}
