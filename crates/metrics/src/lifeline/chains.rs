//! Follows every definition from turn to turn: through renamed files, moves to other files, new names and splits, and
//! into a function that absorbs its body.
//!
//! The steps, each for the definitions that the earlier steps did not match: the same name in the same (or the
//! renamed) file; the same name elsewhere; a new definition with similar code ([`super::likeness`]); the definition that
//! absorbed most of it; and, for definitions that disappeared in an earlier turn, a new one with the same name.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    facts_snapshot::FactsSnapshot,
    file_facts::DefinitionKind,
    likeness::{self, DefinitionCandidate},
};
use trajview_run::RepoPath;

/// The place of a definition: a file and a dotted name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionPlace {
    pub path: RepoPath,
    /// The dotted name of the definition.
    pub name: Box<str>,
}

impl DefinitionPlace {
    /// Returns the last part of the dotted name.
    pub fn simple_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// One definition over all turns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chain {
    /// The turns (counting from 0, ascending) in which its place changes, with the place from then on; None where it
    /// does not exist.
    pub places: Vec<(usize, Option<DefinitionPlace>)>,
    /// The turn from which on it is a part of another chain that absorbed it, and the number of that chain.
    pub absorbed_by: Option<(usize, usize)>,
    /// True where it was a function or a class at one of its places.
    pub was_code: bool,
}

impl Chain {
    fn add_place(&mut self, turn: usize, place: Option<DefinitionPlace>) {
        self.places.push((turn, place));
    }

    fn move_to(&mut self, step: &TurnStep<'_>, place: &DefinitionPlace) {
        let definition = step.after.find_definition(&place.path, &place.name);
        self.was_code |= definition.is_some_and(|it| it.kind != DefinitionKind::Value);
        self.add_place(step.turn, Some(place.clone()));
    }

    fn last_place(&self) -> Option<&DefinitionPlace> {
        self.places.iter().rev().find_map(|(_, place)| place.as_ref())
    }
}

/// The chains of all definitions of a run.
#[derive(Debug, Default)]
pub(super) struct Chains {
    pub all: Vec<Chain>,
    /// The chains that exist now, keyed by place.
    present: BTreeMap<DefinitionPlace, usize>,
    /// The chains that do not exist now, keyed by their last simple name.
    absent: BTreeMap<Box<str>, Vec<usize>>,
}

/// The files that a turn touched, as paths before and after; one of them is None for a created or deleted file.
pub(super) type TouchedPaths = Vec<(Option<RepoPath>, Option<RepoPath>)>;

/// The files before and after a turn.
pub(super) struct TurnStep<'a> {
    pub turn: usize,
    /// At least the files that the turn touched.
    pub before: &'a FactsSnapshot,
    pub after: &'a FactsSnapshot,
    pub touched: &'a TouchedPaths,
}

impl Chains {
    /// Returns the place of a chain after a turn, followed into the chain that absorbed it; None where it does not
    /// exist.
    pub(crate) fn place_after_turn(&self, chain: usize, turn: usize) -> Option<&DefinitionPlace> {
        let at = self.all.get(chain)?;
        if let Some((since, other)) = at.absorbed_by
            && since <= turn
        {
            return self.place_after_turn(other, turn);
        }
        at.places.iter().rfind(|(since, _)| *since <= turn)?.1.as_ref()
    }

    /// Returns the turns in which a chain may change its place, in no order; some occur twice.
    pub(crate) fn moving_turns(&self, chain: usize) -> Vec<usize> {
        let Some(at) = self.all.get(chain) else { return vec![] };
        let mut turns: Vec<usize> = at.places.iter().map(|(since, _)| *since).collect();
        if let Some((since, other)) = at.absorbed_by {
            turns.push(since);
            turns.extend(self.moving_turns(other).into_iter().filter(|turn| *turn > since));
        }
        turns
    }

    /// Returns the chain that is at a place after a turn.
    pub(crate) fn chain_at(&self, place: &DefinitionPlace, turn: usize) -> Option<usize> {
        let is_there = |chain: &usize| {
            self.all[*chain].absorbed_by.is_none_or(|(since, _)| since > turn)
                && self.place_after_turn(*chain, turn) == Some(place)
        };
        (0..self.all.len()).find(is_there)
    }

    /// Follows all definitions through a turn.
    pub fn apply_turn(&mut self, step: &TurnStep<'_>) {
        let mut gone = self.take_gone(step);
        let mut come = new_places(step);
        self.follow_same_place(step, &mut gone, &mut come);
        self.follow_same_name(step, &mut gone, &mut come);
        self.follow_alike(step, &mut gone, &mut come);
        self.follow_taken_in(step, &mut gone, &mut come);
        for (place, chain) in gone {
            self.absent.entry(place.simple_name().into()).or_default().push(chain);
            self.all[chain].add_place(step.turn, None);
        }
        for place in come {
            self.begin_chain(step, place);
        }
    }

    /// Takes out the chains of the touched files as they were before the turn.
    fn take_gone(&mut self, step: &TurnStep<'_>) -> BTreeMap<DefinitionPlace, usize> {
        let mut gone = BTreeMap::new();
        for path in step.touched.iter().filter_map(|(old, _)| old.as_ref()) {
            for place in places_in(step.before, path) {
                if let Some(chain) = self.present.remove(&place) {
                    gone.insert(place, chain);
                }
            }
        }
        gone
    }

    /// Matches definitions of the same name in the same file, or in the file under its new name.
    fn follow_same_place(
        &mut self,
        step: &TurnStep<'_>,
        gone: &mut BTreeMap<DefinitionPlace, usize>,
        come: &mut BTreeSet<DefinitionPlace>,
    ) {
        for (old, new) in step.touched {
            let (Some(old), Some(new)) = (old, new) else { continue };
            let same = come.iter().filter(|place| place.path == *new).cloned().collect::<Vec<_>>();
            for place in same {
                let before = DefinitionPlace { path: old.clone(), name: place.name.clone() };
                if let Some(chain) = gone.remove(&before) {
                    come.remove(&place);
                    self.keep_chain(step, chain, before, place);
                }
            }
        }
    }

    /// Matches definitions of the same name in other files. Members need their class with them, or a similar body.
    fn follow_same_name(
        &mut self,
        step: &TurnStep<'_>,
        gone: &mut BTreeMap<DefinitionPlace, usize>,
        come: &mut BTreeSet<DefinitionPlace>,
    ) {
        for before in gone.keys().cloned().collect::<Vec<_>>() {
            let same_name = come.iter().find(|place| place.name == before.name).cloned();
            let Some(place) = same_name else { continue };
            if let Some(chain) = gone.remove(&before) {
                come.remove(&place);
                self.keep_chain(step, chain, before, place);
            }
        }
    }

    /// Matches definitions with similar code.
    fn follow_alike(
        &mut self,
        step: &TurnStep<'_>,
        gone: &mut BTreeMap<DefinitionPlace, usize>,
        come: &mut BTreeSet<DefinitionPlace>,
    ) {
        let old = candidates_at(step.before, gone.keys());
        let new = candidates_at(step.after, come.iter());
        for (before, place) in likeness::alike_pairs(&old, &new) {
            if let Some(chain) = gone.remove(&before)
                && come.remove(&place)
            {
                self.keep_chain(step, chain, before, place);
            }
        }
    }

    /// Continues a definition that was split as its largest part, and an absorbed definition as the one that absorbed
    /// it; takes them out of `gone` and `come`.
    fn follow_taken_in(
        &mut self,
        step: &TurnStep<'_>,
        gone: &mut BTreeMap<DefinitionPlace, usize>,
        come: &mut BTreeSet<DefinitionPlace>,
    ) {
        if gone.is_empty() {
            return;
        }
        let old = candidates_at(step.before, gone.keys());
        let new = candidates_at(step.after, come.iter());
        for before in &old {
            if let Some(place) = likeness::largest_part(before, &new)
                && come.contains(&place)
                && let Some(chain) = gone.remove(&before.place)
            {
                come.remove(&place);
                self.keep_chain(step, chain, before.place.clone(), place);
            }
        }
        let changed = self.changed_places(step);
        let more: Vec<(DefinitionCandidate, Option<DefinitionCandidate>)> = changed
            .iter()
            .filter_map(|place| {
                let was = self.place_before(step, place);
                let was = was.and_then(|was| candidates_at(step.before, [was].iter()).pop());
                Some((candidates_at(step.after, [place].into_iter()).pop()?, was))
            })
            .chain(candidates_at(step.after, come.iter()).into_iter().map(|it| (it, None)))
            .collect();
        for before in &old {
            if !gone.contains_key(&before.place) {
                continue;
            }
            let Some(taker) = likeness::find_taker(before, &more) else { continue };
            if come.remove(&taker) {
                self.begin_chain(step, taker.clone());
            }
            if let (Some(chain), Some(other)) =
                (gone.get(&before.place).copied(), self.present.get(&taker).copied())
                && chain != other
            {
                gone.remove(&before.place);
                self.all[chain].absorbed_by = Some((step.turn, other));
            }
        }
    }

    /// Returns the definitions of the touched files that existed before, under any name.
    fn changed_places(&self, step: &TurnStep<'_>) -> Vec<DefinitionPlace> {
        let files = step.touched.iter().filter_map(|(_, new)| new.as_ref());
        let places = files.flat_map(|path| places_in(step.after, path));
        places.filter(|place| self.present.contains_key(place)).collect()
    }

    /// Returns the place that the definition at `place` had before this turn.
    fn place_before(
        &self,
        step: &TurnStep<'_>,
        place: &DefinitionPlace,
    ) -> Option<DefinitionPlace> {
        let chain = &self.all[*self.present.get(place)?];
        let before = chain.places.iter().rfind(|(since, _)| *since < step.turn)?;
        before.1.clone()
    }

    fn keep_chain(
        &mut self,
        step: &TurnStep<'_>,
        chain: usize,
        before: DefinitionPlace,
        place: DefinitionPlace,
    ) {
        if before != place {
            self.all[chain].move_to(step, &place);
        }
        self.present.insert(place, chain);
    }

    /// Begins a chain for a new definition, or continues the chain of one that is back under a former name.
    fn begin_chain(&mut self, step: &TurnStep<'_>, place: DefinitionPlace) {
        let absent = self.absent.get_mut(place.simple_name());
        let back = absent.and_then(|chains| {
            let is_back = |chain: &usize| {
                self.all[*chain].last_place().is_some_and(|last| {
                    let is_member = last.name.contains('.') || place.name.contains('.');
                    if is_member { last.name == place.name } else { true }
                })
            };
            let at = chains.iter().rposition(is_back)?;
            Some(chains.remove(at))
        });
        let chain = back.unwrap_or_else(|| {
            self.all.push(Chain::default());
            self.all.len() - 1
        });
        self.all[chain].move_to(step, &place);
        self.present.insert(place, chain);
    }
}

fn places_in(snapshot: &FactsSnapshot, path: &RepoPath) -> Vec<DefinitionPlace> {
    let Some(file) = snapshot.files.get(path) else { return vec![] };
    let place = |name: &str| DefinitionPlace { path: path.clone(), name: name.into() };
    file.facts.definitions.iter().map(|definition| place(&definition.name)).collect()
}

fn new_places(step: &TurnStep<'_>) -> BTreeSet<DefinitionPlace> {
    let files = step.touched.iter().filter_map(|(_, new)| new.as_ref());
    files.flat_map(|path| places_in(step.after, path)).collect()
}

fn candidates_at<'p>(
    snapshot: &FactsSnapshot,
    places: impl Iterator<Item = &'p DefinitionPlace>,
) -> Vec<DefinitionCandidate> {
    let candidate = |place: &DefinitionPlace| {
        let file = snapshot.files.get(&place.path)?;
        Some(DefinitionCandidate::new(
            place.clone(),
            &file.facts,
            file.facts.find_definition(&place.name)?,
        ))
    };
    places.filter_map(candidate).collect()
}
