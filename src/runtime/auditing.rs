//! What the audit asks of the world: the labels of a rater, read and saved, and what is worked out beside them.

use std::path::Path;

use trajview_run::{
    Time,
    rubric::{Gold, Label, Labels},
};
use trajview_store as store;
use trajview_store::{Archive, labels::LabelBook};
use trajview_tui::session::saved::{Saved, ToSave};

pub fn now() -> String {
    Time(jiff::Timestamp::now().as_millisecond()).to_string()
}

/// The labels of a rater in the bundle of a recording. The error is a sentence.
pub fn labels(archive: &Archive, annotator: &str) -> Result<Labels, String> {
    book(archive, annotator).map(|book| book.labels().clone())
}

/// Saves what a rater said or saw, a label only where the file says what the rater saw of the thing, and gives all that
/// is on disk then. The error is a sentence.
pub fn save(
    archive: &Archive,
    annotator: &str,
    what: ToSave,
    seen: Option<&Label>,
) -> Result<Saved, String> {
    let bundle = archive.bundle().and_then(store::rubric::bundle_of);
    save_in(&bundle.ok_or_else(|| NO_BUNDLE.to_owned())?, annotator, what, seen)
}

/// As [`save`], in this folder.
pub fn save_in(
    place: &Path,
    annotator: &str,
    what: ToSave,
    seen: Option<&Label>,
) -> Result<Saved, String> {
    let book = LabelBook::open(place, annotator);
    let mut book = book.map_err(|why| why.to_string())?;
    let stands = match what {
        ToSave::Label(label) => book.put_if_as_seen(label, seen),
        ToSave::Proposal(proposal) => book.propose(proposal).map(|()| None),
        ToSave::Seen(verdicts) => book.see(verdicts).map(|()| None),
    };
    let stands = stands.map_err(|why| why.to_string())?;
    Ok(Saved { labels: book.labels().clone(), stands: stands.map(Box::new) })
}

/// Adds an outcome of adjudication to those in a folder, and gives all that are there then. The error is a sentence.
pub fn save_gold(place: &Path, gold: Gold) -> Result<Vec<Gold>, String> {
    let gold = Gold { at: gold.at.or_else(|| Some(now())), ..gold };
    store::gold::add(place, &[gold]).map(|(all, _)| all).map_err(|why| why.to_string())
}

fn book(archive: &Archive, annotator: &str) -> Result<LabelBook, String> {
    let bundle = archive.bundle().and_then(store::rubric::bundle_of);
    let bundle = bundle.ok_or_else(|| NO_BUNDLE.to_owned())?;
    LabelBook::open(&bundle, annotator).map_err(|why| why.to_string())
}

/// Why a recording has no place for labels.
pub const NO_BUNDLE: &str =
    "this recording is no bundle (a folder with run.json), so there is no place for labels";
