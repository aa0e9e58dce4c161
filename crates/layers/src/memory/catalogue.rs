//! The capital chunk: the catalogue of heads, which chunks mention an entity, which entities a word can mean.
//!
//! Every chunk is an entity of its own. What it was called before still leads to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::chunk::{ChunkHead, ChunkId, ChunkKind, text_stems};
use trajview_metrics::{
    absence::terms,
    bm25::{Bm25Corpus, Bm25Document},
};

/// Heads, and what leads to them.
#[derive(Debug, Default)]
pub struct ChunkCatalogue {
    heads: Vec<ChunkHead>,
    by_key: HashMap<String, ChunkId>,
    by_artifact: BTreeMap<String, BTreeSet<ChunkId>>,
    /// Whole names as [`terms::symbol_key`] has them, and paths and file names in lower case, old ones too.
    names: HashMap<String, BTreeSet<ChunkId>>,
    /// Stems of the pieces of names.
    pieces: HashMap<String, BTreeSet<ChunkId>>,
    /// Definitions that are there, by their last names as code writes them.
    defined: HashMap<String, BTreeSet<ChunkId>>,
    /// The entities that each chunk mentions beside itself; the field below is the inverse.
    mentions: Vec<BTreeSet<ChunkId>>,
    mentioned_by: Vec<BTreeSet<ChunkId>>,
    corpus: Bm25Corpus,
    /// Chunks that were left out because there are too many.
    pub left_out: usize,
}

/// Chunks of a project; what comes later is left out.
const MOST_CHUNKS: usize = 300_000;

/// A word that can mean more entities than this means none.
const MOST_MEANT: usize = 8;

impl ChunkCatalogue {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn head(&self, id: ChunkId) -> Option<&ChunkHead> {
        self.heads.get(id)
    }

    /// Returns every head with its id.
    pub fn heads(&self) -> impl Iterator<Item = (ChunkId, &ChunkHead)> {
        self.heads.iter().enumerate()
    }

    pub fn key_of(&self, id: ChunkId) -> String {
        self.head(id).map(ChunkHead::chunk_key).unwrap_or_default()
    }

    pub fn by_key(&self, key: &str) -> Option<ChunkId> {
        self.by_key.get(key).copied()
    }

    /// Returns the chunks of an artifact, gone ones too.
    pub(crate) fn of_artifact(&self, artifact: &str) -> impl Iterator<Item = ChunkId> {
        self.by_artifact.get(artifact).into_iter().flatten().copied()
    }

    /// Returns the artifacts by name, each with its chunks.
    pub(crate) fn artifacts(&self) -> impl Iterator<Item = (&str, &BTreeSet<ChunkId>)> {
        self.by_artifact.iter().map(|(name, ids)| (name.as_str(), ids))
    }

    /// Returns the definitions that are there, by the last part of their names.
    pub(crate) fn definitions_named(&self, name: &str) -> impl Iterator<Item = ChunkId> {
        self.defined.get(name).into_iter().flatten().copied()
    }

    /// Takes in a head in place of the one of the same key. None where there are too many.
    pub(crate) fn put_head(&mut self, head: ChunkHead) -> Option<ChunkId> {
        if let Some(id) = self.by_key(&head.chunk_key()) {
            self.replace_head(id, head);
            return Some(id);
        }
        if self.heads.len() >= MOST_CHUNKS {
            self.left_out += 1;
            return None;
        }
        let id = self.heads.len();
        self.heads.push(head);
        self.mentions.push(BTreeSet::new());
        self.mentioned_by.push(BTreeSet::new());
        self.register_names(id);
        Some(id)
    }

    /// Makes the head of an entity another, which may have another name.
    pub(crate) fn replace_head(&mut self, id: ChunkId, head: ChunkHead) {
        let Some(old) = self.heads.get(id) else { return };
        if *old == head {
            return;
        }
        let (key, artifact) = (old.chunk_key(), old.artifact.clone());
        self.corpus.remove_document(&Bm25Document::from_words(old.word_stems()));
        if let Some(ids) = self.defined.get_mut(old.simple_name()) {
            ids.remove(&id);
        }
        if key != head.chunk_key() {
            self.by_key.remove(&key);
        }
        if artifact != head.artifact
            && let Some(ids) = self.by_artifact.get_mut(&artifact)
        {
            ids.remove(&id);
        }
        self.heads[id] = head;
        self.register_names(id);
    }

    fn register_names(&mut self, id: ChunkId) {
        let head = &self.heads[id];
        self.by_key.insert(head.chunk_key(), id);
        self.by_artifact.entry(head.artifact.clone()).or_default().insert(id);
        self.corpus.add_document(&Bm25Document::from_words(head.word_stems()));
        if head.is_symbol() && head.gone.is_none() {
            self.defined.entry(head.simple_name().to_owned()).or_default().insert(id);
        }
        let simple = head.simple_name().to_owned();
        let mut names = vec![terms::symbol_key(&simple)];
        if head.kind == ChunkKind::File {
            let path = head.artifact.to_lowercase();
            names.extend(path.rsplit('/').next().map(str::to_owned));
            names.push(path);
        }
        let before =
            head.formerly.iter().map(|key| key.rsplit(['#', '.', '/']).next().unwrap_or(key));
        names.extend(before.map(terms::symbol_key));
        let is_named =
            (head.is_symbol() && !head.is_called_implicitly()) || head.kind == ChunkKind::File;
        if is_named {
            let pieces = text_stems(&simple);
            for name in names {
                self.names.entry(name).or_default().insert(id);
            }
            for piece in pieces {
                self.pieces.entry(piece).or_default().insert(id);
            }
        }
    }

    /// Sets which entities a chunk mentions beside itself.
    pub(crate) fn set_mentions(
        &mut self,
        id: ChunkId,
        entities: impl IntoIterator<Item = ChunkId>,
    ) {
        let new: BTreeSet<ChunkId> =
            entities.into_iter().filter(|it| *it != id && *it < self.len()).collect();
        let Some(known) = self.mentions.get_mut(id) else { return };
        let old = std::mem::replace(known, new.clone());
        for entity in old.difference(&new) {
            self.mentioned_by[*entity].remove(&id);
        }
        for entity in new.difference(&old) {
            self.mentioned_by[*entity].insert(id);
        }
    }

    /// Returns the entities of a chunk: itself and what it mentions.
    pub(crate) fn chunk_entities(&self, id: ChunkId) -> impl Iterator<Item = ChunkId> {
        std::iter::once(id).chain(self.mentions.get(id).into_iter().flatten().copied())
    }

    /// Returns the chunks that have an entity: its own and those that mention it.
    pub(crate) fn chunks_with_entity(&self, entity: ChunkId) -> impl Iterator<Item = ChunkId> {
        let others = self.mentioned_by.get(entity).into_iter().flatten().copied();
        std::iter::once(entity).chain(others)
    }

    /// Returns the entities that a text names: by path or file name, by whole names whatever their joints and capitals,
    /// and by words that are a piece of few names, or the only piece of few.
    pub(crate) fn entities_mentioned(&self, text: &str) -> BTreeSet<ChunkId> {
        let mut found = BTreeSet::new();
        let mut few = |ids: &mut dyn Iterator<Item = ChunkId>| {
            let ids: Vec<ChunkId> = ids.take(MOST_MEANT + 1).collect();
            if ids.len() <= MOST_MEANT {
                found.extend(ids);
            }
        };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
        for word in text.split(|c| !is_part(c)).map(|it| it.trim_matches('.')) {
            if word.contains(['.', '/']) {
                few(&mut self.names.get(&word.to_lowercase()).into_iter().flatten().copied());
            }
        }
        terms::for_each_token(text, |token| {
            let terms::TextToken::Name(name) = token else { return };
            if name.contains('_') || terms::word_key(name).is_some() {
                few(&mut self.names.get(&terms::symbol_key(name)).into_iter().flatten().copied());
            }
            for stem in text_stems(name) {
                let Some(ids) = self.pieces.get(&stem) else { continue };
                let is_all = |id: &ChunkId| {
                    self.heads[*id].gone.is_none()
                        && text_stems(self.heads[*id].simple_name()).len() == 1
                };
                match ids.len() <= MOST_MEANT {
                    true => few(&mut ids.iter().copied()),
                    false => few(&mut ids.iter().copied().filter(is_all)),
                }
            }
        });
        found
    }

    /// Returns the similarity of a chunk's head to the stems of a text; 0 where it has none of them.
    pub(crate) fn head_similarity(&self, query_stems: &[String], id: ChunkId) -> f64 {
        self.head(id).map_or(0.0, |head| self.words_similarity(query_stems, head.word_stems()))
    }

    /// Returns the similarity for words that are not a head's.
    pub(crate) fn words_similarity(&self, query_stems: &[String], words: Vec<String>) -> f64 {
        self.corpus.score_document(query_stems, &Bm25Document::from_words(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_with(kind: ChunkKind, artifact: &str, name: &str) -> ChunkHead {
        ChunkHead { kind, artifact: artifact.into(), name: name.into(), ..ChunkHead::default() }
    }

    fn mentioned_keys(catalogue: &ChunkCatalogue, text: &str) -> Vec<String> {
        catalogue.entities_mentioned(text).into_iter().map(|id| catalogue.key_of(id)).collect()
    }

    #[test]
    fn a_text_names_paths_names_and_pieces_of_few_names() {
        let mut catalogue = ChunkCatalogue::default();
        catalogue.put_head(head_with(ChunkKind::File, "src/train.py", ""));
        catalogue.put_head(head_with(ChunkKind::Function, "src/train.py", "total_loss"));
        catalogue.put_head(head_with(ChunkKind::Class, "src/net.py", "SelfAttention"));
        catalogue.put_head(head_with(ChunkKind::Request, "turn 1", ""));

        assert_eq!(mentioned_keys(&catalogue, "Training is slow"), ["src/train.py"]);
        assert_eq!(mentioned_keys(&catalogue, "see train.py and `src/net.py`."), ["src/train.py"]);
        assert_eq!(mentioned_keys(&catalogue, "the losses"), ["src/train.py#total_loss"]);
        assert_eq!(mentioned_keys(&catalogue, "self_attention"), ["src/net.py#SelfAttention"]);
        assert_eq!(mentioned_keys(&catalogue, "nothing of it in turn 1"), [""; 0]);
    }

    #[test]
    fn a_renamed_entity_keeps_its_place_and_its_old_name() {
        let mut catalogue = ChunkCatalogue::default();
        let id = catalogue.put_head(head_with(ChunkKind::Class, "data.py", "Complex")).unwrap();
        let formerly = vec!["data.py#Complex".to_owned()];
        catalogue.replace_head(
            id,
            ChunkHead { formerly, ..head_with(ChunkKind::Class, "structures.py", "Assembly") },
        );

        assert_eq!(mentioned_keys(&catalogue, "Complex"), ["structures.py#Assembly"]);
        assert_eq!(catalogue.by_key("data.py#Complex"), None);
        assert_eq!(catalogue.definitions_named("Complex").count(), 0);
        assert_eq!(catalogue.definitions_named("Assembly").collect::<Vec<_>>(), [id]);
        assert_eq!(catalogue.of_artifact("data.py").count(), 0);
    }

    #[test]
    fn chunks_are_found_by_the_entities_that_they_mention() {
        let mut catalogue = ChunkCatalogue::default();
        let class = catalogue.put_head(head_with(ChunkKind::Class, "a.py", "C")).unwrap();
        let asked = catalogue.put_head(head_with(ChunkKind::Request, "turn 1", "")).unwrap();
        catalogue.set_mentions(asked, [class, asked, 99]);

        assert_eq!(catalogue.chunks_with_entity(class).collect::<Vec<_>>(), [class, asked]);
        assert_eq!(catalogue.chunk_entities(asked).collect::<Vec<_>>(), [asked, class]);
        catalogue.set_mentions(asked, []);
        assert_eq!(catalogue.chunks_with_entity(class).collect::<Vec<_>>(), [class]);
    }
}
