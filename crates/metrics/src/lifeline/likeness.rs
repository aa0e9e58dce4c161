//! Matches the definitions that disappeared in a turn with those that appeared, by the likeness of their code.

use super::{
    chains::DefinitionPlace,
    file_facts::{CodeDefinition, DefinitionKind, FileFacts},
    tokens::Shingles,
};

/// A definition with the shingles of its code.
#[derive(Debug, Clone)]
pub(super) struct DefinitionCandidate {
    pub place: DefinitionPlace,
    kind: DefinitionKind,
    hash: u64,
    shingles: Shingles,
}

/// The most pairs that are compared in one turn.
const MAX_PAIRS: usize = 60_000;

/// From this likeness on two definitions count as the same under another name; one half, as in git's detection of
/// renamed files.
const SAME_LIKENESS: f64 = 0.5;

/// A new definition with at least this share of its code from an old one is a part of the old one.
const PART_SHARE: f64 = 0.6;

/// A definition that newly has at least this share of an old one has absorbed it.
const TAKEN_SHARE: f64 = 0.7;

/// The fewest shingles (runs of words) for a meaningful likeness.
const MIN_SHINGLES: usize = 8;

impl DefinitionCandidate {
    pub fn new(place: DefinitionPlace, file: &FileFacts, definition: &CodeDefinition) -> Self {
        let shingles = Shingles::new(file, definition);
        Self { place, kind: definition.kind, hash: definition.hash, shingles }
    }

    fn likeness_to(&self, other: &Self) -> f64 {
        if self.kind == other.kind && self.hash == other.hash {
            return 1.0;
        }
        let is_short = self.shingles.len() < MIN_SHINGLES;
        let is_other = self.kind != other.kind;
        if is_short || is_other { 0.0 } else { self.shingles.likeness_to(&other.shingles) }
    }
}

/// Returns pairs of an old and a new place, each place at most once, the most alike first.
pub(super) fn alike_pairs(
    old: &[DefinitionCandidate],
    new: &[DefinitionCandidate],
) -> Vec<(DefinitionPlace, DefinitionPlace)> {
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return vec![];
    }
    let all =
        old.iter().flat_map(|old| new.iter().map(move |new| (old.likeness_to(new), old, new)));
    let mut all: Vec<_> = all.filter(|(likeness, ..)| *likeness >= SAME_LIKENESS).collect();
    let near = |old: &DefinitionCandidate, new: &DefinitionCandidate| {
        (old.place.simple_name() == new.place.simple_name(), old.place.path == new.place.path)
    };
    // Among equals the same name, then the same file; stable, so that then the order of the places decides.
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| near(b.1, b.2).cmp(&near(a.1, a.2))));
    let mut pairs: Vec<(DefinitionPlace, DefinitionPlace)> = vec![];
    for (_, old, new) in all {
        if !pairs.iter().any(|(before, after)| *before == old.place || *after == new.place) {
            pairs.push((old.place.clone(), new.place.clone()));
        }
    }
    pairs
}

/// Returns the largest of the new definitions that are pieces of an old one; None where the pieces together have less
/// than half of it.
pub(super) fn largest_part(
    old: &DefinitionCandidate,
    new: &[DefinitionCandidate],
) -> Option<DefinitionPlace> {
    if old.shingles.len() < MIN_SHINGLES || new.len() > MAX_PAIRS {
        return None;
    }
    let mut parts: Vec<(usize, &DefinitionCandidate)> = vec![];
    for piece in new.iter().filter(|it| it.shingles.len() >= MIN_SHINGLES && it.place != old.place)
    {
        let common = old.shingles.common_count(&piece.shingles);
        if common as f64 >= PART_SHARE * piece.shingles.len() as f64 {
            parts.push((common, piece));
        }
    }
    // A method's words are its class's too: only the outer counts.
    let is_inner = |piece: &DefinitionCandidate| {
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
    if (covered as f64) < SAME_LIKENESS * old.shingles.len() as f64 {
        return None;
    }
    let largest = outer.iter().rev().max_by_key(|(common, _)| *common)?;
    Some(largest.1.place.clone())
}

/// Returns the definition that absorbed an old one. `more` has each candidate as it is now, and as it was before the
/// turn.
pub(super) fn find_taker(
    old: &DefinitionCandidate,
    more: &[(DefinitionCandidate, Option<DefinitionCandidate>)],
) -> Option<DefinitionPlace> {
    if old.shingles.len() < MIN_SHINGLES || more.len() > MAX_PAIRS {
        return None;
    }
    let taken = |(now, was): &(DefinitionCandidate, Option<DefinitionCandidate>)| match was {
        Some(was) => old.shingles.common_count(&now.shingles.without_runs_of(&was.shingles)),
        None => old.shingles.common_count(&now.shingles),
    };
    let all =
        more.iter().filter(|(now, _)| now.kind != DefinitionKind::Value).map(|it| (taken(it), it));
    let enough =
        all.filter(|(common, _)| *common as f64 >= TAKEN_SHARE * old.shingles.len() as f64);
    // The innermost: the smallest of those that have it.
    let taker = enough.min_by_key(|(_, (now, _))| now.shingles.len())?;
    Some(taker.1.0.place.clone())
}
