//! The version-blind variant: every version of a chunk is kept as it was when it was taken in, and none is known to be newer
//! or gone. What a store of pieces of text without versions does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    catalogue::Catalogue,
    chunk::{Head, Id, Kind, stems},
    intake::Index,
    opened::{Opened, Reader},
};

/// A version of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Copied {
    /// Of the chunk, as it is called now.
    key: String,
    artifact: String,
    synopsis: String,
    span: Option<(u32, u32)>,
    snippet: String,
    version: usize,
}

/// All versions, in the order in which they were taken in.
#[derive(Debug, Default)]
pub struct Copies {
    all: Vec<(Id, Copied)>,
    by_id: BTreeMap<Id, Vec<usize>>,
    bytes: usize,
}

/// Bytes of copies; a store that is full takes no more.
const MOST_BYTES: usize = 8 << 20;

impl Copies {
    /// Takes in the chunks of artifacts as they are, where no version of them has these lines.
    pub fn take_in<'a>(
        &mut self,
        catalogue: &Catalogue,
        artifacts: impl IntoIterator<Item = &'a str>,
        reader: &mut Reader<'_>,
    ) {
        let ids = artifacts.into_iter().flat_map(|it| catalogue.of_artifact(it));
        for (id, head) in ids.filter_map(|id| Some((id, catalogue.head(id)?))) {
            if let Ok(opened) = reader.open(head) {
                self.add(id, head, opened);
            }
        }
    }

    fn add(&mut self, id: Id, head: &Head, opened: Opened) {
        let mut known =
            self.by_id.get(&id).into_iter().flatten().filter_map(|at| self.all.get(*at));
        if known.any(|(_, copy)| copy.snippet == opened.snippet) {
            return;
        }
        self.push(
            id,
            Copied {
                key: String::new(),
                artifact: opened.artifact,
                synopsis: head.synopsis.clone(),
                span: opened.span,
                snippet: opened.snippet,
                version: opened.version,
            },
        );
    }

    fn push(&mut self, id: Id, copy: Copied) {
        let bytes = copy.synopsis.len() + copy.snippet.len() + 64;
        if self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        self.by_id.entry(id).or_default().push(self.all.len());
        self.all.push((id, copy));
    }

    /// The versions of a chunk with the words that each is compared by. Requests and decisions have one, which is not kept.
    pub fn of<'c>(
        &'c self,
        id: Id,
        index: &'c Index,
    ) -> impl Iterator<Item = (Option<usize>, Vec<String>)> + 'c {
        let kept = self.by_id.get(&id).into_iter().flatten();
        let kept = kept.filter_map(|at| Some((*at, &self.all.get(*at)?.1)));
        let kept = kept.map(|(at, copy)| {
            let mut words = stems(&copy.synopsis);
            words.extend(stems(&copy.artifact));
            (Some(at), words)
        });
        let is_one = |head: &&Head| matches!(head.kind, Kind::Request | Kind::Decision);
        let one = index.catalogue.head(id).filter(is_one).map(|head| (None, head.words()));
        kept.chain(one)
    }

    /// The words of its head and its lines, of a version.
    pub fn synopsis(&self, at: usize) -> Option<(&str, Option<(u32, u32)>)> {
        self.all.get(at).map(|(_, copy)| (copy.synopsis.as_str(), copy.span))
    }

    /// A version as it was taken in.
    pub fn open(&self, at: usize) -> Option<Opened> {
        let (_, copy) = self.all.get(at)?;
        Some(Opened {
            artifact: copy.artifact.clone(),
            span: copy.span,
            snippet: copy.snippet.clone(),
            version: copy.version,
        })
    }

    /// A line a version.
    pub fn text(&self, catalogue: &Catalogue) -> String {
        let line = |(id, copy): &(Id, Copied)| {
            let copy = Copied { key: catalogue.key(*id), ..copy.clone() };
            // Strings and numbers alone: nothing in it can fail to be written.
            serde_json::to_string(&copy).map(|line| line + "\n").unwrap_or_default()
        };
        self.all.iter().map(line).collect()
    }

    /// What [`Self::text`] gave; a line that cannot be read, or is of no chunk, is left out.
    pub fn restore(text: &str, catalogue: &Catalogue) -> Self {
        let mut copies = Self::default();
        for line in text.lines() {
            let Ok(copy) = serde_json::from_str::<Copied>(line) else { continue };
            if let Some(id) = catalogue.by_key(&copy.key) {
                copies.push(id, Copied { key: String::new(), ..copy });
            }
        }
        copies
    }
}
