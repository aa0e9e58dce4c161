//! Which of the definitions that came is which of those that went, by what they are made of.

use super::{
    chains::Place,
    facts::{Definition, FileFacts, Kind},
    tokens::Shingles,
};

/// A definition with what it is made of.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub place: Place,
    kind: Kind,
    hash: u64,
    shingles: Shingles,
}

/// Pairs compared in one turn, at most.
const MOST_PAIRS: usize = 60_000;

/// As alike as this is the same under another name; half, as git has it for files.
const SAME: f64 = 0.5;

/// A new definition of which so much comes from an old one is a part of it.
const PART: f64 = 0.6;

/// A definition that has so much of an old one, and did not have it before, took it in.
const TAKEN: f64 = 0.7;

/// Runs of words below which likeness says nothing.
const FEW: usize = 8;

impl Candidate {
    pub fn of(place: Place, file: &FileFacts, definition: &Definition) -> Self {
        let shingles = Shingles::of(file, definition);
        Self { place, kind: definition.kind, hash: definition.hash, shingles }
    }

    fn likeness(&self, other: &Self) -> f64 {
        if self.kind == other.kind && self.hash == other.hash {
            return 1.0;
        }
        let is_short = self.shingles.len() < FEW;
        let is_other = self.kind != other.kind;
        if is_short || is_other { 0.0 } else { self.shingles.likeness(&other.shingles) }
    }
}

/// Pairs of an old and a new place, each at most once, the most alike first.
pub(super) fn pairs(old: &[Candidate], new: &[Candidate]) -> Vec<(Place, Place)> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return vec![];
    }
    let all = old.iter().flat_map(|old| new.iter().map(move |new| (old.likeness(new), old, new)));
    let mut all: Vec<_> = all.filter(|(likeness, ..)| *likeness >= SAME).collect();
    let near = |old: &Candidate, new: &Candidate| {
        (old.place.simple() == new.place.simple(), old.place.path == new.place.path)
    };
    // Among equals the same name, then the same file; stable, so that then the order of the places decides.
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| near(b.1, b.2).cmp(&near(a.1, a.2))));
    let mut pairs: Vec<(Place, Place)> = vec![];
    for (_, old, new) in all {
        if !pairs.iter().any(|(before, after)| *before == old.place || *after == new.place) {
            pairs.push((old.place.clone(), new.place.clone()));
        }
    }
    pairs
}

/// Of the new definitions that are pieces of an old one, together at least half of it, the largest.
pub(super) fn largest_part(old: &Candidate, new: &[Candidate]) -> Option<Place> {
    if old.shingles.len() < FEW || new.len() > MOST_PAIRS {
        return None;
    }
    let mut parts: Vec<(usize, &Candidate)> = vec![];
    for piece in new.iter().filter(|it| it.shingles.len() >= FEW && it.place != old.place) {
        let common = old.shingles.common(&piece.shingles);
        if common as f64 >= PART * piece.shingles.len() as f64 {
            parts.push((common, piece));
        }
    }
    // A method's words are its class's too: only the outer counts.
    let is_inner = |piece: &Candidate| {
        parts.iter().any(|(_, other)| {
            other.place.path == piece.place.path
                && piece
                    .place
                    .name
                    .strip_prefix(&*other.place.name)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let outer: Vec<_> = parts.iter().filter(|(_, piece)| !is_inner(piece)).collect();
    let covered: usize = outer.iter().map(|(common, _)| common).sum();
    if (covered as f64) < SAME * old.shingles.len() as f64 {
        return None;
    }
    let largest = outer.iter().rev().max_by_key(|(common, _)| *common)?;
    Some(largest.1.place.clone())
}

/// The definition that took an old one in: each as it is now, and as it was.
pub(super) fn taker(old: &Candidate, more: &[(Candidate, Option<Candidate>)]) -> Option<Place> {
    if old.shingles.len() < FEW || more.len() > MOST_PAIRS {
        return None;
    }
    let taken = |(now, was): &(Candidate, Option<Candidate>)| match was {
        Some(was) => old.shingles.common(&now.shingles.without(&was.shingles)),
        None => old.shingles.common(&now.shingles),
    };
    let all = more.iter().filter(|(now, _)| now.kind != Kind::Value).map(|it| (taken(it), it));
    let enough = all.filter(|(common, _)| *common as f64 >= TAKEN * old.shingles.len() as f64);
    // The innermost: the smallest of those that have it.
    let found = enough.min_by_key(|(_, (now, _))| now.shingles.len())?;
    Some(found.1.0.place.clone())
}
