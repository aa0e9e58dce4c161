//! The records of layers over a run, compared with the files of the run.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use trajview_layers::{
    contradictions,
    record::{LayerRecord, LayerTurnEntry},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, SourceTree, Timeline},
};
use trajview_store::{
    Archive,
    layers::layer_history::{self, LayerHistory, LayerTurn},
};

use crate::decisions::file_touches;

/// The most bytes of all states of one layer that are read; each content once.
const MOST_BYTES: usize = 64 << 20;

/// Returns the layers of the run, by the names of their folders; empty where none is recorded.
pub fn layer_records(archive: &Archive, run: &Run) -> Vec<LayerRecord> {
    let Some(bundle) = archive.bundle() else { return vec![] };
    let histories = layer_history::read_layers(bundle);
    if histories.is_empty() {
        return vec![];
    }
    let mut records: Vec<LayerRecord> = histories.iter().map(record_of_history).collect();
    if let Ok(timeline) = archive.timeline(run) {
        let touched = touched_files(archive, run, &timeline);
        for entry in records.iter_mut().flat_map(|record| &mut record.turns) {
            entry.touched = touched.get(entry.turn - 1).cloned().flatten();
        }
        // Without the contents nothing can contradict the briefs.
        let _ = archive.with_blobs(run, |blobs| check_claims(&mut records, &timeline, blobs));
    }
    records
}

/// Returns the record without what the run itself shows.
fn record_of_history(history: &LayerHistory) -> LayerRecord {
    let mut texts = StateTexts { history, contents: HashMap::new(), bytes: 0 };
    let turns = history.turns.iter().filter(|turn| turn.turn > 0);
    let turns = turns.map(|turn| texts.record_entry(turn)).collect();
    let warnings = match texts.bytes > MOST_BYTES {
        true => vec![format!("more than {} MiB of state; the rest is left out", MOST_BYTES >> 20)],
        false => vec![],
    };
    LayerRecord { layer: history.name.clone(), turns, warnings }
}

/// The texts of a layer's states, each read once.
struct StateTexts<'h> {
    history: &'h LayerHistory,
    contents: HashMap<BlobId, Arc<str>>,
    bytes: usize,
}

impl StateTexts<'_> {
    fn record_entry(&mut self, turn: &LayerTurn) -> LayerTurnEntry {
        let state = turn.state.iter();
        let state =
            state.filter_map(|(path, id)| Some((path.clone(), self.content_text(*id)?))).collect();
        let (layer_brief, deliveries) = (turn.layer_brief.clone(), turn.deliveries.clone());
        LayerTurnEntry {
            turn: turn.turn,
            layer_brief,
            deliveries,
            state,
            ..LayerTurnEntry::default()
        }
    }

    /// Returns the text of a file's content, and keeps it; None where it is not recorded, or too much is kept already.
    fn content_text(&mut self, id: BlobId) -> Option<Arc<str>> {
        if let Some(cached) = self.contents.get(&id) {
            return Some(cached.clone());
        }
        if self.bytes > MOST_BYTES {
            return None;
        }
        let text: Arc<str> = self.history.blob_text(id)?.into();
        self.bytes += text.len();
        self.contents.insert(id, text.clone());
        Some(text)
    }
}

/// Returns the files that each turn read or changed; None where the work of a turn is not recorded.
fn touched_files(
    archive: &Archive,
    run: &Run,
    timeline: &Timeline,
) -> Vec<Option<BTreeSet<String>>> {
    let mut all: Vec<Option<BTreeSet<String>>> = timeline
        .turns
        .iter()
        .map(|turn| {
            let changed = turn.changes.iter().map(|it| it.path.as_str().to_owned());
            (!turn.is_unknown).then(|| changed.collect())
        })
        .collect();
    for touch in file_touches(archive, run) {
        if let Some(Some(files)) = all.get_mut(touch.step.turn) {
            files.extend(touch.paths.into_iter().filter(|path| RepoPath::new(path).is_some()));
        }
    }
    all
}

/// Finds the statements of briefs that were wrong, in the files before each turn.
fn check_claims(records: &mut [LayerRecord], timeline: &Timeline, blobs: &(dyn Blobs + Sync)) {
    let mut tree: SourceTree = timeline.base.clone();
    for (at, turn) in timeline.turns.iter().enumerate() {
        let text = |path: &str| {
            let file = tree.files.get(&RepoPath::new(path)?)?;
            let bytes = blobs.read_blob(file.blob_id()?).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        for record in &mut *records {
            let place = record.turns.binary_search_by_key(&(at + 1), |entry| entry.turn);
            let Some(entry) = place.ok().and_then(|place| record.turns.get_mut(place)) else {
                continue;
            };
            let Some(layer_brief) = &entry.layer_brief else { continue };
            let sentences = layer_brief.brief.sentences.iter().enumerate();
            entry.contradicted = sentences
                .filter_map(|(at, it)| Some((at, contradictions::find_contradiction(it, &text)?)))
                .collect();
        }
        tree.apply_changes(&turn.changes);
    }
}
