//! The capital chunk: the catalogue of heads, which chunks mention an entity, which entities a word can mean.
//!
//! Every chunk is an entity of its own. What it was called before still leads to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::chunk::{Head, Id, Kind, stems};
use trajview_metrics::{
    absence::terms,
    bm25::{Corpus, Document},
};

/// Heads, and what leads to them.
#[derive(Debug, Default)]
pub struct Catalogue {
    heads: Vec<Head>,
    by_key: HashMap<String, Id>,
    by_artifact: BTreeMap<String, BTreeSet<Id>>,
    /// Whole names as [`terms::symbol`] has them, and paths and file names in lower case, old ones too.
    names: HashMap<String, BTreeSet<Id>>,
    /// Stems of the pieces of names.
    pieces: HashMap<String, BTreeSet<Id>>,
    /// Definitions that are there, by their last names as code writes them.
    defined: HashMap<String, BTreeSet<Id>>,
    /// The entities that each chunk mentions beside itself, and the other way round.
    mentions: Vec<BTreeSet<Id>>,
    mentioned_by: Vec<BTreeSet<Id>>,
    corpus: Corpus,
    /// Chunks that were left out because there are too many.
    pub left_out: usize,
}

/// Chunks of a project; what comes later is left out.
const MOST_CHUNKS: usize = 300_000;

/// A word that can mean more entities than this means none.
const MOST_MEANT: usize = 8;

impl Catalogue {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn head(&self, id: Id) -> Option<&Head> {
        self.heads.get(id)
    }

    /// Every head with its place.
    pub fn heads(&self) -> impl Iterator<Item = (Id, &Head)> {
        self.heads.iter().enumerate()
    }

    pub fn key(&self, id: Id) -> String {
        self.head(id).map(Head::key).unwrap_or_default()
    }

    pub fn by_key(&self, key: &str) -> Option<Id> {
        self.by_key.get(key).copied()
    }

    /// The chunks of an artifact, gone ones too.
    pub fn of_artifact(&self, artifact: &str) -> impl Iterator<Item = Id> {
        self.by_artifact.get(artifact).into_iter().flatten().copied()
    }

    /// The artifacts by name.
    pub fn artifacts(&self) -> impl Iterator<Item = (&str, &BTreeSet<Id>)> {
        self.by_artifact.iter().map(|(name, ids)| (name.as_str(), ids))
    }

    /// Definitions that are there, by the last part of their names.
    pub fn defined(&self, name: &str) -> impl Iterator<Item = Id> {
        self.defined.get(name).into_iter().flatten().copied()
    }

    /// Takes in a head in place of the one of the same key. None where there are too many.
    pub fn put(&mut self, head: Head) -> Option<Id> {
        if let Some(id) = self.by_key(&head.key()) {
            self.replace(id, head);
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
        self.register(id);
        Some(id)
    }

    /// Makes the head of an entity another, which may have another name.
    pub fn replace(&mut self, id: Id, head: Head) {
        let Some(old) = self.heads.get(id) else { return };
        if *old == head {
            return;
        }
        let (key, artifact) = (old.key(), old.artifact.clone());
        self.corpus.remove(&Document::of(old.words()));
        if let Some(ids) = self.defined.get_mut(old.simple()) {
            ids.remove(&id);
        }
        if key != head.key() {
            self.by_key.remove(&key);
        }
        if artifact != head.artifact
            && let Some(ids) = self.by_artifact.get_mut(&artifact)
        {
            ids.remove(&id);
        }
        self.heads[id] = head;
        self.register(id);
    }

    fn register(&mut self, id: Id) {
        let head = &self.heads[id];
        self.by_key.insert(head.key(), id);
        self.by_artifact.entry(head.artifact.clone()).or_default().insert(id);
        self.corpus.add(&Document::of(head.words()));
        if head.is_symbol() && head.gone.is_none() {
            self.defined.entry(head.simple().to_owned()).or_default().insert(id);
        }
        let simple = head.simple().to_owned();
        let mut names = vec![terms::symbol(&simple)];
        if head.kind == Kind::File {
            let path = head.artifact.to_lowercase();
            names.extend(path.rsplit('/').next().map(str::to_owned));
            names.push(path);
        }
        let before =
            head.formerly.iter().map(|key| key.rsplit(['#', '.', '/']).next().unwrap_or(key));
        names.extend(before.map(terms::symbol));
        let is_named = (head.is_symbol() && !head.is_called_by_itself()) || head.kind == Kind::File;
        if is_named {
            let pieces = stems(&simple);
            for name in names {
                self.names.entry(name).or_default().insert(id);
            }
            for piece in pieces {
                self.pieces.entry(piece).or_default().insert(id);
            }
        }
    }

    /// Says which entities a chunk mentions beside itself.
    pub fn set_mentions(&mut self, id: Id, entities: impl IntoIterator<Item = Id>) {
        let new: BTreeSet<Id> =
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

    /// The entities of a chunk: itself and what it mentions.
    pub fn entities(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::once(id).chain(self.mentions.get(id).into_iter().flatten().copied())
    }

    /// The chunks that have an entity: its own and those that mention it.
    pub fn index(&self, entity: Id) -> impl Iterator<Item = Id> {
        let others = self.mentioned_by.get(entity).into_iter().flatten().copied();
        std::iter::once(entity).chain(others)
    }

    /// The entities that a text names: by path or file name, by whole names whatever their joints and capitals, and by
    /// words that are a piece of few names, or the only piece of few.
    pub fn mentioned(&self, text: &str) -> BTreeSet<Id> {
        let mut found = BTreeSet::new();
        let mut few = |ids: &mut dyn Iterator<Item = Id>| {
            let ids: Vec<Id> = ids.take(MOST_MEANT + 1).collect();
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
        terms::tokens(text, |token| {
            let terms::Token::Name(name) = token else { return };
            if name.contains('_') || terms::key(name).is_some() {
                few(&mut self.names.get(&terms::symbol(name)).into_iter().flatten().copied());
            }
            for stem in stems(name) {
                let Some(ids) = self.pieces.get(&stem) else { continue };
                let is_all = |id: &Id| {
                    self.heads[*id].gone.is_none() && stems(self.heads[*id].simple()).len() == 1
                };
                match ids.len() <= MOST_MEANT {
                    true => few(&mut ids.iter().copied()),
                    false => few(&mut ids.iter().copied().filter(is_all)),
                }
            }
        });
        found
    }

    /// How near the head of a chunk is to the stems of a text; 0 where it has none of them.
    pub fn similarity(&self, asked: &[String], id: Id) -> f64 {
        self.head(id).map_or(0.0, |head| self.score(asked, head.words()))
    }

    /// The same of words that are no head's.
    pub fn score(&self, asked: &[String], words: Vec<String>) -> f64 {
        self.corpus.score(asked, &Document::of(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(kind: Kind, artifact: &str, name: &str) -> Head {
        Head { kind, artifact: artifact.into(), name: name.into(), ..Head::default() }
    }

    fn keys(catalogue: &Catalogue, text: &str) -> Vec<String> {
        catalogue.mentioned(text).into_iter().map(|id| catalogue.key(id)).collect()
    }

    #[test]
    fn a_text_names_paths_names_and_pieces_of_few_names() {
        let mut catalogue = Catalogue::default();
        catalogue.put(head(Kind::File, "src/train.py", ""));
        catalogue.put(head(Kind::Function, "src/train.py", "total_loss"));
        catalogue.put(head(Kind::Class, "src/net.py", "SelfAttention"));
        catalogue.put(head(Kind::Request, "turn 1", ""));

        assert_eq!(keys(&catalogue, "Training is slow"), ["src/train.py"]);
        assert_eq!(keys(&catalogue, "see train.py and `src/net.py`."), ["src/train.py"]);
        assert_eq!(keys(&catalogue, "the losses"), ["src/train.py#total_loss"]);
        assert_eq!(keys(&catalogue, "self_attention"), ["src/net.py#SelfAttention"]);
        assert_eq!(keys(&catalogue, "nothing of it in turn 1"), [""; 0]);
    }

    #[test]
    fn a_renamed_entity_keeps_its_place_and_its_old_name() {
        let mut catalogue = Catalogue::default();
        let id = catalogue.put(head(Kind::Class, "data.py", "Complex")).unwrap();
        let formerly = vec!["data.py#Complex".to_owned()];
        catalogue.replace(id, Head { formerly, ..head(Kind::Class, "structures.py", "Assembly") });

        assert_eq!(keys(&catalogue, "Complex"), ["structures.py#Assembly"]);
        assert_eq!(catalogue.by_key("data.py#Complex"), None);
        assert_eq!(catalogue.defined("Complex").count(), 0);
        assert_eq!(catalogue.defined("Assembly").collect::<Vec<_>>(), [id]);
        assert_eq!(catalogue.of_artifact("data.py").count(), 0);
    }

    #[test]
    fn chunks_are_found_by_the_entities_that_they_mention() {
        let mut catalogue = Catalogue::default();
        let class = catalogue.put(head(Kind::Class, "a.py", "C")).unwrap();
        let asked = catalogue.put(head(Kind::Request, "turn 1", "")).unwrap();
        catalogue.set_mentions(asked, [class, asked, 99]);

        assert_eq!(catalogue.index(class).collect::<Vec<_>>(), [class, asked]);
        assert_eq!(catalogue.entities(asked).collect::<Vec<_>>(), [asked, class]);
        catalogue.set_mentions(asked, []);
        assert_eq!(catalogue.index(class).collect::<Vec<_>>(), [class]);
    }
}
