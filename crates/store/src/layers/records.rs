//! What layers of project state said and knew over a run: their records in the bundle, held against the files of the run.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{Archive, decisions::touches};
use trajview_layers::{
    check,
    record::{Entry, Record},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, Timeline, Tree},
};

use super::history::{self, LayerHistory, LayerTurn};

/// Bytes of all states of one layer that are read; each content once.
const MOST_BYTES: usize = 64 << 20;

impl Archive {
    /// The layers of the run, by the names of their folders; empty where none is recorded.
    pub fn layers(&self, run: &Run) -> Vec<Record> {
        let Some(bundle) = self.bundle() else { return vec![] };
        let histories = history::read(bundle);
        if histories.is_empty() {
            return vec![];
        }
        let mut records: Vec<Record> = histories.iter().map(record).collect();
        if let Ok(timeline) = self.timeline(run) {
            let touched = touched(self, run, &timeline);
            for entry in records.iter_mut().flat_map(|record| &mut record.turns) {
                entry.touched = touched.get(entry.turn - 1).cloned().flatten();
            }
            // Without the contents nothing can be said to contradict them.
            let _ = self.with_blobs(run, |blobs| hold_against(&mut records, &timeline, blobs));
        }
        records
    }
}

/// A record without what the run says of it.
fn record(history: &LayerHistory) -> Record {
    let mut texts = Texts { history, known: HashMap::new(), bytes: 0 };
    let turns = history.turns.iter().filter(|turn| turn.turn > 0);
    let turns = turns.map(|turn| texts.entry(turn)).collect();
    let warnings = match texts.bytes > MOST_BYTES {
        true => vec![format!("more than {} MiB of state; the rest is left out", MOST_BYTES >> 20)],
        false => vec![],
    };
    Record { layer: history.name.clone(), turns, warnings }
}

/// The texts of a layer's states, each read once.
struct Texts<'h> {
    history: &'h LayerHistory,
    known: HashMap<BlobId, Arc<str>>,
    bytes: usize,
}

impl Texts<'_> {
    fn entry(&mut self, turn: &LayerTurn) -> Entry {
        let state = turn.state.iter();
        let state = state.filter_map(|(path, id)| Some((path.clone(), self.text(*id)?))).collect();
        let (said, given) = (turn.said.clone(), turn.given.clone());
        Entry { turn: turn.turn, said, given, state, ..Entry::default() }
    }

    fn text(&mut self, id: BlobId) -> Option<Arc<str>> {
        if let Some(known) = self.known.get(&id) {
            return Some(known.clone());
        }
        if self.bytes > MOST_BYTES {
            return None;
        }
        let text: Arc<str> = self.history.text(id)?.into();
        self.bytes += text.len();
        self.known.insert(id, text.clone());
        Some(text)
    }
}

/// The files that each turn read or changed; None where nothing tells what a turn did.
fn touched(archive: &Archive, run: &Run, timeline: &Timeline) -> Vec<Option<BTreeSet<String>>> {
    let mut all: Vec<Option<BTreeSet<String>>> = timeline
        .turns
        .iter()
        .map(|turn| {
            let changed = turn.changes.iter().map(|it| it.path.as_str().to_owned());
            (!turn.is_untold).then(|| changed.collect())
        })
        .collect();
    for touch in touches(archive, run) {
        if let Some(Some(files)) = all.get_mut(touch.step.turn) {
            files.extend(touch.paths.into_iter().filter(|path| RepoPath::new(path).is_some()));
        }
    }
    all
}

/// Finds what was said and was not so, at the files before each turn.
fn hold_against(records: &mut [Record], timeline: &Timeline, blobs: &(dyn Blobs + Sync)) {
    let mut tree: Tree = timeline.base.clone();
    for (at, turn) in timeline.turns.iter().enumerate() {
        let text = |path: &str| {
            let file = tree.files.get(&RepoPath::new(path)?)?;
            let bytes = blobs.blob(file.blob()?).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        for record in &mut *records {
            let place = record.turns.binary_search_by_key(&(at + 1), |entry| entry.turn);
            let Some(entry) = place.ok().and_then(|place| record.turns.get_mut(place)) else {
                continue;
            };
            let Some(said) = &entry.said else { continue };
            let sentences = said.brief.sentences.iter().enumerate();
            entry.contradicted = sentences
                .filter_map(|(at, it)| Some((at, check::contradiction(it, &text)?)))
                .collect();
        }
        turn.changes.iter().for_each(|change| tree.apply(change));
    }
}
