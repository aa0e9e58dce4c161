//! The version-blind variant: every version of a chunk is kept as it was when it was taken in, and none is known to be newer
//! or gone. What a store of pieces of text without versions does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    artifact_reader::{ArtifactReader, OpenedChunk},
    catalogue::ChunkCatalogue,
    chunk::{ChunkHead, ChunkId, ChunkKind, text_stems},
    index_update::MemoryIndex,
};

/// A version of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct CopiedChunk {
    /// The current key of the chunk.
    key: String,
    artifact: String,
    synopsis: String,
    span: Option<(u32, u32)>,
    snippet: String,
    version: usize,
}

/// The versions in the order of copying.
#[derive(Debug, Default)]
pub struct VersionCopies {
    all: Vec<(ChunkId, CopiedChunk)>,
    by_id: BTreeMap<ChunkId, Vec<usize>>,
    bytes: usize,
}

/// Bytes of copies; a store that is full takes no more.
const MOST_BYTES: usize = 8 << 20;

impl VersionCopies {
    /// Takes in the chunks of artifacts as they are, where no version of them has these lines.
    pub(crate) fn copy_artifacts<'a>(
        &mut self,
        catalogue: &ChunkCatalogue,
        artifacts: impl IntoIterator<Item = &'a str>,
        reader: &mut ArtifactReader<'_>,
    ) {
        let ids = artifacts.into_iter().flat_map(|it| catalogue.of_artifact(it));
        for (id, head) in ids.filter_map(|id| Some((id, catalogue.head(id)?))) {
            if let Ok(opened) = reader.open_chunk(head) {
                self.add_copy(id, head, opened);
            }
        }
    }

    fn add_copy(&mut self, id: ChunkId, head: &ChunkHead, opened: OpenedChunk) {
        let mut known =
            self.by_id.get(&id).into_iter().flatten().filter_map(|at| self.all.get(*at));
        if known.any(|(_, copy)| copy.snippet == opened.snippet) {
            return;
        }
        self.push(
            id,
            CopiedChunk {
                key: String::new(),
                artifact: opened.artifact,
                synopsis: head.synopsis.clone(),
                span: opened.span,
                snippet: opened.snippet,
                version: opened.version,
            },
        );
    }

    fn push(&mut self, id: ChunkId, copy: CopiedChunk) {
        let bytes = copy.synopsis.len() + copy.snippet.len() + 64;
        if self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        self.by_id.entry(id).or_default().push(self.all.len());
        self.all.push((id, copy));
    }

    /// Returns the versions of a chunk with the words that each is compared by. Requests and decisions have one, which
    /// is not kept.
    pub(crate) fn versions_of<'c>(
        &'c self,
        id: ChunkId,
        index: &'c MemoryIndex,
    ) -> impl Iterator<Item = (Option<usize>, Vec<String>)> + 'c {
        let kept = self.by_id.get(&id).into_iter().flatten();
        let kept = kept.filter_map(|at| Some((*at, &self.all.get(*at)?.1)));
        let kept = kept.map(|(at, copy)| {
            let mut words = text_stems(&copy.synopsis);
            words.extend(text_stems(&copy.artifact));
            (Some(at), words)
        });
        let is_one =
            |head: &&ChunkHead| matches!(head.kind, ChunkKind::Request | ChunkKind::Decision);
        let one = index.catalogue.head(id).filter(is_one).map(|head| (None, head.word_stems()));
        kept.chain(one)
    }

    /// Returns the words of the head of a version, and its lines; None where there is no such version.
    pub(crate) fn version_synopsis(&self, at: usize) -> Option<(&str, Option<(u32, u32)>)> {
        self.all.get(at).map(|(_, copy)| (copy.synopsis.as_str(), copy.span))
    }

    /// Returns a version as it was taken in; None where there is no such version.
    pub(crate) fn open_version(&self, at: usize) -> Option<OpenedChunk> {
        let (_, copy) = self.all.get(at)?;
        Some(OpenedChunk {
            artifact: copy.artifact.clone(),
            span: copy.span,
            snippet: copy.snippet.clone(),
            version: copy.version,
        })
    }

    /// Returns the versions as JSON, one line each.
    pub(crate) fn jsonl_text(&self, catalogue: &ChunkCatalogue) -> String {
        let line = |(id, copy): &(ChunkId, CopiedChunk)| {
            let copy = CopiedChunk { key: catalogue.key_of(*id), ..copy.clone() };
            // Strings and numbers alone: nothing in it can fail to be written.
            serde_json::to_string(&copy).map(|line| line + "\n").unwrap_or_default()
        };
        self.all.iter().map(line).collect()
    }

    /// Parses the text of [`Self::jsonl_text`]; a line that cannot be read, or belongs to no chunk, is left out.
    pub(crate) fn from_jsonl(text: &str, catalogue: &ChunkCatalogue) -> Self {
        let mut copies = Self::default();
        for line in text.lines() {
            let Ok(copy) = serde_json::from_str::<CopiedChunk>(line) else { continue };
            if let Some(id) = catalogue.by_key(&copy.key) {
                copies.push(id, CopiedChunk { key: String::new(), ..copy });
            }
        }
        copies
    }
}
