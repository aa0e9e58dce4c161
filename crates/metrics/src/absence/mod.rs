//! The false-absence check: places in a snapshot that look like a component, and whether the judge ever opened them.
//!
//! A judge with few looks says "absent" of what it did not find. `places` ranks the functions, classes and windows
//! of lines of a snapshot by how much they look like the component: by its symbols, by the words of its name, intent,
//! inputs and outputs, by the terms of its formula (`terms.rs`), each weighted by how rare it is in the snapshot
//! (`rank.rs`). `opened.rs` says which of them the judge's trace or its evidence covers. Nothing here decides whether a
//! place is the component: a person looks at it.

mod opened;
mod pieces;
mod rank;
pub mod terms;
#[cfg(test)]
mod tests;

use std::fmt;

use trajview_run::rubric::{Component, Evidence, Look};

pub use opened::OpenedBy;
pub use pieces::FilePieces;

use opened::Opened;
use rank::{Postings, Query};

/// Somewhere in a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub path: String,
    /// First and last line, counting from 1.
    pub start: usize,
    pub end: usize,
    /// The definition, dotted from the outermost class or function; None for lines between definitions.
    pub name: Option<String>,
    /// How much it looks like the component: above 0, comparable among the places of one component only.
    pub score: f64,
    /// At least one reason.
    pub why: Vec<Why>,
    /// Whether the judge saw at least half of its lines that are not blank, or cites one of them.
    pub is_opened: bool,
    /// How; None where it was not opened.
    pub opened_by: Option<OpenedBy>,
}

/// Why a place looks like a component; what it shows is a few words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It defines a symbol that the component names.
    Symbol(String),
    /// It uses such symbols.
    Uses(Vec<String>),
    /// Words of the component's name, intent, inputs or outputs, the most telling first.
    Words(Vec<String>),
    /// Terms of its formula.
    Formula(Vec<String>),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(name) => write!(f, "defines {name}"),
            Self::Uses(names) => write!(f, "uses {}", names.join(", ")),
            Self::Words(words) => write!(f, "says {}", words.join(", ").to_lowercase()),
            Self::Formula(terms) => write!(f, "of the formula: {}", terms.join(", ")),
        }
    }
}

/// No more places are given.
pub const MOST: usize = 12;

/// Places that fit less than this part of the best one are none.
const LEAST: f64 = 0.15;

/// A snapshot, ready to be asked.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<FilePieces>,
    postings: Postings,
}

impl Index {
    pub fn of(files: Vec<FilePieces>) -> Self {
        let postings = Postings::of(&files);
        Self { files, postings }
    }

    /// The places that look like a component, best first, at most [`MOST`] of those that were opened and as many of
    /// those that were not; ties by path and line.
    pub fn places(
        &self,
        component: &Component,
        looks: &[Look],
        evidence: &[Evidence],
    ) -> Vec<Place> {
        let query = Query::of(component);
        let fits = self.postings.fits(&query);
        let files: Vec<&FilePieces> = self.files.iter().collect();
        let opened = Opened::of(looks, evidence, &files);
        let all = self.files.iter().flat_map(|file| file.pieces.iter().map(move |it| (file, it)));
        let mut found: Vec<Place> = vec![];
        for (number, (file, piece)) in (0..).zip(all) {
            let Some(fit) = fits.get(&number) else { continue };
            let opened_by = opened.by(&file.path, piece);
            found.push(Place {
                path: file.path.clone(),
                start: piece.lines.0,
                end: piece.lines.1,
                name: piece.name.clone(),
                score: fit.score * file.weight,
                why: query.why(fit, piece),
                is_opened: opened_by.is_some(),
                opened_by,
            });
        }
        best(found)
    }
}

fn best(mut found: Vec<Place>) -> Vec<Place> {
    // Ties stay in the order of files and lines.
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let least = found.first().map_or(0.0, |best| best.score * LEAST);
    let mut left = [MOST, MOST];
    found.retain(|place| {
        let left = &mut left[usize::from(place.is_opened)];
        let is_kept = place.score >= least && *left > 0;
        *left -= usize::from(is_kept);
        is_kept
    });
    found
}

/// The places of these files, given as (path, text), that look like a component: best first. `looks` and `evidence` are
/// those of the judge's verdict; both empty where there is none.
#[cfg(test)]
pub fn places(
    component: &Component,
    files: &[(&str, &str)],
    looks: &[Look],
    evidence: &[Evidence],
) -> Vec<Place> {
    let files = files.iter().map(|(path, text)| FilePieces::of(path, text));
    Index::of(files.collect()).places(component, looks, evidence)
}
