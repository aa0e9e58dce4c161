//! The false-absence check: it finds places in a snapshot that look like a component, and says which of them the judge
//! opened.
//!
//! A judge that looks at few files says "absent" of whatever it did not see. [`SnapshotIndex::candidate_places`] ranks
//! the functions, classes and windows of lines of a snapshot by how much they look like the component: by its symbols,
//! by the words of its name, intent, inputs and outputs, by the terms of its formula (`terms.rs`), each weighted by
//! how rare it is in the snapshot (`ranking.rs`). [`OpenedBy`] says which of them the judge's trace or its evidence
//! covers. Nothing here decides whether a place is the component; a person has to look at it.

mod code_pieces;
mod opened_lines;
mod ranking;
pub mod terms;
#[cfg(test)]
mod tests;

use std::fmt;

use trajview_run::rubric::{Component, Evidence, JudgeToolCall};

pub use code_pieces::FilePieces;
pub use opened_lines::OpenedBy;

use opened_lines::OpenedLines;
use ranking::{ComponentQuery, Postings};

/// A place in a snapshot that looks like a component.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidatePlace {
    pub path: String,
    /// First and last line, counting from 1.
    pub start: usize,
    pub end: usize,
    /// The definition, dotted from the outermost class or function; None for lines between definitions.
    pub name: Option<String>,
    /// Likeness to the component: above 0, comparable among the places of one component only.
    pub score: f64,
    /// At least one reason.
    pub reasons: Vec<MatchReason>,
    /// True where the judge saw at least half of the lines that are not blank, or cites one of them.
    pub is_opened: bool,
    /// The reason why the place counts as opened; None where it was not opened.
    pub opened_by: Option<OpenedBy>,
}

/// A reason why a place looks like a component, as a few words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchReason {
    /// The place defines a symbol that the component names.
    Symbol(String),
    /// The place uses symbols that the component names.
    Uses(Vec<String>),
    /// Words of the component's name, intent, inputs or outputs, the most distinctive first.
    Words(Vec<String>),
    /// Terms of its formula.
    Formula(Vec<String>),
}

impl fmt::Display for MatchReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(name) => write!(f, "defines {name}"),
            Self::Uses(names) => write!(f, "uses {}", names.join(", ")),
            Self::Words(words) => write!(f, "mentions {}", words.join(", ").to_lowercase()),
            Self::Formula(terms) => write!(f, "formula: {}", terms.join(", ")),
        }
    }
}

/// The most places that are returned of each kind (opened and not opened).
pub const MAX_PLACES: usize = 12;

/// Places whose score is below this part of the best score are dropped.
const MIN_SCORE_SHARE: f64 = 0.15;

/// A snapshot whose terms are indexed, so that places can be looked up for each component.
#[derive(Debug, Default)]
pub struct SnapshotIndex {
    files: Vec<FilePieces>,
    postings: Postings,
}

impl SnapshotIndex {
    /// Indexes the places of files.
    pub fn new(files: Vec<FilePieces>) -> Self {
        let postings = Postings::from_files(&files);
        Self { files, postings }
    }

    /// Returns the places that look like a component, best first, at most [`MAX_PLACES`] of those that were opened and as
    /// many of those that were not; ties by path and line.
    pub fn candidate_places(
        &self,
        component: &Component,
        looks: &[JudgeToolCall],
        evidence: &[Evidence],
    ) -> Vec<CandidatePlace> {
        let query = ComponentQuery::for_component(component);
        let fits = self.postings.score_places(&query);
        let files: Vec<&FilePieces> = self.files.iter().collect();
        let opened = OpenedLines::from_trace(looks, evidence, &files);
        let all = self.files.iter().flat_map(|file| file.pieces.iter().map(move |it| (file, it)));
        let mut places: Vec<CandidatePlace> = vec![];
        for (number, (file, piece)) in (0..).zip(all) {
            let Some(fit) = fits.get(&number) else { continue };
            let opened_by = opened.opened_by(&file.path, piece);
            places.push(CandidatePlace {
                path: file.path.clone(),
                start: piece.lines.0,
                end: piece.lines.1,
                name: piece.name.clone(),
                score: fit.score * file.weight,
                reasons: query.match_reasons(fit, piece),
                is_opened: opened_by.is_some(),
                opened_by,
            });
        }
        best_places(places)
    }
}

fn best_places(mut found: Vec<CandidatePlace>) -> Vec<CandidatePlace> {
    // Ties stay in the order of files and lines.
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let least = found.first().map_or(0.0, |best| best.score * MIN_SCORE_SHARE);
    let mut left = [MAX_PLACES, MAX_PLACES];
    found.retain(|place| {
        let left = &mut left[usize::from(place.is_opened)];
        let is_kept = place.score >= least && *left > 0;
        *left -= usize::from(is_kept);
        is_kept
    });
    found
}

/// Returns the places of these files, as (path, text), that look like a component: best first. `looks` and `evidence`
/// belong to the judge's verdict; both are empty where there is no verdict.
#[cfg(test)]
pub(crate) fn places_in_files(
    component: &Component,
    files: &[(&str, &str)],
    looks: &[JudgeToolCall],
    evidence: &[Evidence],
) -> Vec<CandidatePlace> {
    let files = files.iter().map(|(path, text)| FilePieces::new(path, text));
    SnapshotIndex::new(files.collect()).candidate_places(component, looks, evidence)
}
