//! Label files for the audit: reads and saves the labels of a rater, and the gold labels of a study.

use std::path::Path;

use trajview_run::{
    Time,
    rubric::{GoldLabel, Label, LabelFile},
};
use trajview_store as store;
use trajview_store::{Archive, labels::LabelBook};
use trajview_tui::session::label_protocol::{LabelSave, SavedLabels};

pub fn timestamp_now() -> String {
    Time(jiff::Timestamp::now().as_millisecond()).to_string()
}

/// Reads the labels of a rater of a recording. The error is a sentence.
pub fn read_labels(archive: &Archive, annotator: &str) -> Result<LabelFile, String> {
    open_label_book(archive, annotator).map(|book| book.labels().clone())
}

/// Saves a label or a note that a rater saw an item; a label only if the file says what the rater saw of the item. Returns
/// all labels on disk then. The error is a sentence.
pub(crate) fn save_to_bundle(
    archive: &Archive,
    annotator: &str,
    what: LabelSave,
    seen: Option<&Label>,
) -> Result<SavedLabels, String> {
    let place = archive.label_folder().ok_or_else(|| NO_BUNDLE.to_owned())?;
    save_in(place, annotator, what, seen)
}

/// Saves as [`save_to_bundle`] does, in this folder.
pub(crate) fn save_in(
    place: &Path,
    annotator: &str,
    what: LabelSave,
    seen: Option<&Label>,
) -> Result<SavedLabels, String> {
    let book = LabelBook::open(place, annotator);
    let mut book = book.map_err(|why| why.to_string())?;
    let stands = match what {
        LabelSave::Label(label) => book.put_unless_changed(label, seen),
        LabelSave::Proposal(proposal) => book.write_proposal(proposal).map(|()| None),
        LabelSave::Seen(verdicts) => book.write_seen(verdicts).map(|()| None),
    };
    let stands = stands.map_err(|why| why.to_string())?;
    Ok(SavedLabels { labels: book.labels().clone(), winning_label: stands.map(Box::new) })
}

/// Adds an adjudicated label to those in a folder, and returns all of them. The error is a sentence.
pub fn save_gold(place: &Path, gold: GoldLabel) -> Result<Vec<GoldLabel>, String> {
    let gold = GoldLabel { at: gold.at.or_else(|| Some(timestamp_now())), ..gold };
    store::gold::add_gold(place, &[gold]).map(|(all, _)| all).map_err(|why| why.to_string())
}

fn open_label_book(archive: &Archive, annotator: &str) -> Result<LabelBook, String> {
    let place = archive.label_folder().ok_or_else(|| NO_BUNDLE.to_owned())?;
    LabelBook::open(place, annotator).map_err(|why| why.to_string())
}

/// The sentence for a recording that has no place for labels.
pub const NO_BUNDLE: &str =
    "not a run bundle, so labels cannot be saved; make one: `trajview import RECORDING --out DIR`";
