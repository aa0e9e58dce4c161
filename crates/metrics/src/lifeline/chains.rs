//! Which definition of one turn is which of the next: a definition is followed through renamed files, moves to other
//! files, new names, splits, and into a function that takes its body in.
//!
//! In this order, each only for what the ones before leave open: the same name in the same (or the renamed) file; the
//! same name elsewhere; a new definition that is alike ([`super::alike`]); the one that took most of it; and, for what
//! was gone, one that has its name again.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    alike::{self, Candidate},
    facts::Kind,
    snapshot::Snapshot,
};
use trajview_run::RepoPath;

/// Where a definition stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub path: RepoPath,
    /// Its dotted name.
    pub name: Box<str>,
}

impl Place {
    pub fn simple(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// One definition over time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chain {
    /// Turns (counting from 0) from which on it stands somewhere else, or nowhere, ascending.
    pub places: Vec<(usize, Option<Place>)>,
    /// From a turn on it is another: what that one took in.
    pub became: Option<(usize, usize)>,
    /// Whether it was a function or a class where it came to stand, once at least.
    pub was_code: bool,
}

impl Chain {
    fn put(&mut self, turn: usize, place: Option<Place>) {
        self.places.push((turn, place));
    }

    fn come(&mut self, step: &Step<'_>, place: &Place) {
        let found = step.after.definition(&place.path, &place.name);
        self.was_code |= found.is_some_and(|it| it.kind != Kind::Value);
        self.put(step.turn, Some(place.clone()));
    }

    fn last(&self) -> Option<&Place> {
        self.places.iter().rev().find_map(|(_, place)| place.as_ref())
    }
}

/// All definitions of a run.
#[derive(Debug, Default)]
pub(super) struct Chains {
    pub all: Vec<Chain>,
    /// Those that are there now.
    here: BTreeMap<Place, usize>,
    /// Those that are not, by their last simple names.
    gone: BTreeMap<Box<str>, Vec<usize>>,
}

/// The files that one turn touched: their paths before and after; one of them None for a created or deleted file.
pub(super) type Touched = Vec<(Option<RepoPath>, Option<RepoPath>)>;

/// Both sides of a turn.
pub(super) struct Step<'a> {
    pub turn: usize,
    /// The files that it touched, at least.
    pub before: &'a Snapshot,
    pub after: &'a Snapshot,
    pub touched: &'a Touched,
}

impl Chains {
    /// Where a chain stands after a turn, through what it became.
    pub fn place(&self, chain: usize, turn: usize) -> Option<&Place> {
        let at = self.all.get(chain)?;
        if let Some((since, other)) = at.became
            && since <= turn
        {
            return self.place(other, turn);
        }
        at.places.iter().rfind(|(since, _)| *since <= turn)?.1.as_ref()
    }

    /// The turns after which a chain may stand elsewhere than before, in no order; some twice.
    pub fn turns(&self, chain: usize) -> Vec<usize> {
        let Some(at) = self.all.get(chain) else { return vec![] };
        let mut turns: Vec<usize> = at.places.iter().map(|(since, _)| *since).collect();
        if let Some((since, other)) = at.became {
            turns.push(since);
            turns.extend(self.turns(other).into_iter().filter(|turn| *turn > since));
        }
        turns
    }

    /// The chain that stands at a place after a turn.
    pub fn standing(&self, place: &Place, turn: usize) -> Option<usize> {
        let is_there = |chain: &usize| {
            self.all[*chain].became.is_none_or(|(since, _)| since > turn)
                && self.place(*chain, turn) == Some(place)
        };
        (0..self.all.len()).find(is_there)
    }

    pub fn go_on(&mut self, step: &Step<'_>) {
        let mut gone = self.gone_from(step);
        let mut come = come_to(step);
        self.keep_same(step, &mut gone, &mut come);
        self.keep_named(step, &mut gone, &mut come);
        self.keep_alike(step, &mut gone, &mut come);
        self.keep_taken_in(step, &mut gone, &mut come);
        for (place, chain) in gone {
            self.gone.entry(place.simple().into()).or_default().push(chain);
            self.all[chain].put(step.turn, None);
        }
        for place in come {
            self.begin(step, place);
        }
    }

    /// Takes out what stood in the files before.
    fn gone_from(&mut self, step: &Step<'_>) -> BTreeMap<Place, usize> {
        let mut gone = BTreeMap::new();
        for path in step.touched.iter().filter_map(|(old, _)| old.as_ref()) {
            for place in places_in(step.before, path) {
                if let Some(chain) = self.here.remove(&place) {
                    gone.insert(place, chain);
                }
            }
        }
        gone
    }

    fn keep_same(
        &mut self,
        step: &Step<'_>,
        gone: &mut BTreeMap<Place, usize>,
        come: &mut BTreeSet<Place>,
    ) {
        for (old, new) in step.touched {
            let (Some(old), Some(new)) = (old, new) else { continue };
            let same = come.iter().filter(|place| place.path == *new).cloned().collect::<Vec<_>>();
            for place in same {
                let before = Place { path: old.clone(), name: place.name.clone() };
                if let Some(chain) = gone.remove(&before) {
                    come.remove(&place);
                    self.stay(step, chain, before, place);
                }
            }
        }
    }

    /// The same name elsewhere. Members need their class with them, or a body that is alike.
    fn keep_named(
        &mut self,
        step: &Step<'_>,
        gone: &mut BTreeMap<Place, usize>,
        come: &mut BTreeSet<Place>,
    ) {
        for before in gone.keys().cloned().collect::<Vec<_>>() {
            let found = come.iter().find(|place| place.name == before.name).cloned();
            let Some(place) = found else { continue };
            if let Some(chain) = gone.remove(&before) {
                come.remove(&place);
                self.stay(step, chain, before, place);
            }
        }
    }

    fn keep_alike(
        &mut self,
        step: &Step<'_>,
        gone: &mut BTreeMap<Place, usize>,
        come: &mut BTreeSet<Place>,
    ) {
        let old = candidates(step.before, gone.keys());
        let new = candidates(step.after, come.iter());
        for (before, place) in alike::pairs(&old, &new) {
            if let Some(chain) = gone.remove(&before)
                && come.remove(&place)
            {
                self.stay(step, chain, before, place);
            }
        }
    }

    /// What was split follows its largest part; what was taken in becomes what took it.
    fn keep_taken_in(
        &mut self,
        step: &Step<'_>,
        gone: &mut BTreeMap<Place, usize>,
        come: &mut BTreeSet<Place>,
    ) {
        if gone.is_empty() {
            return;
        }
        let old = candidates(step.before, gone.keys());
        let new = candidates(step.after, come.iter());
        for before in &old {
            if let Some(place) = alike::largest_part(before, &new)
                && come.contains(&place)
                && let Some(chain) = gone.remove(&before.place)
            {
                come.remove(&place);
                self.stay(step, chain, before.place.clone(), place);
            }
        }
        let changed = self.changed(step);
        let more: Vec<(Candidate, Option<Candidate>)> = changed
            .iter()
            .filter_map(|place| {
                let was = self.was(step, place);
                let was = was.and_then(|was| candidates(step.before, [was].iter()).pop());
                Some((candidates(step.after, [place].into_iter()).pop()?, was))
            })
            .chain(candidates(step.after, come.iter()).into_iter().map(|it| (it, None)))
            .collect();
        for before in &old {
            if !gone.contains_key(&before.place) {
                continue;
            }
            let Some(taker) = alike::taker(before, &more) else { continue };
            if come.remove(&taker) {
                self.begin(step, taker.clone());
            }
            if let (Some(chain), Some(other)) =
                (gone.get(&before.place).copied(), self.here.get(&taker).copied())
                && chain != other
            {
                gone.remove(&before.place);
                self.all[chain].became = Some((step.turn, other));
            }
        }
    }

    /// Definitions of the touched files that were there before, under whatever name.
    fn changed(&self, step: &Step<'_>) -> Vec<Place> {
        let files = step.touched.iter().filter_map(|(_, new)| new.as_ref());
        let places = files.flat_map(|path| places_in(step.after, path));
        places.filter(|place| self.here.contains_key(place)).collect()
    }

    /// Where the definition that is at a place now was before this turn.
    fn was(&self, step: &Step<'_>, place: &Place) -> Option<Place> {
        let chain = &self.all[*self.here.get(place)?];
        let before = chain.places.iter().rfind(|(since, _)| *since < step.turn)?;
        before.1.clone()
    }

    fn stay(&mut self, step: &Step<'_>, chain: usize, before: Place, place: Place) {
        if before != place {
            self.all[chain].come(step, &place);
        }
        self.here.insert(place, chain);
    }

    /// A new definition, or one that is back under a name it had.
    fn begin(&mut self, step: &Step<'_>, place: Place) {
        let known = self.gone.get_mut(place.simple());
        let back = known.and_then(|chains| {
            let is_back = |chain: &usize| {
                self.all[*chain].last().is_some_and(|last| {
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
        self.all[chain].come(step, &place);
        self.here.insert(place, chain);
    }
}

fn places_in(snapshot: &Snapshot, path: &RepoPath) -> Vec<Place> {
    let Some(file) = snapshot.files.get(path) else { return vec![] };
    let place = |name: &str| Place { path: path.clone(), name: name.into() };
    file.facts.definitions.iter().map(|definition| place(&definition.name)).collect()
}

fn come_to(step: &Step<'_>) -> BTreeSet<Place> {
    let files = step.touched.iter().filter_map(|(_, new)| new.as_ref());
    files.flat_map(|path| places_in(step.after, path)).collect()
}

fn candidates<'p>(snapshot: &Snapshot, places: impl Iterator<Item = &'p Place>) -> Vec<Candidate> {
    let candidate = |place: &Place| {
        let file = snapshot.files.get(&place.path)?;
        Some(Candidate::of(place.clone(), &file.facts, file.facts.definition(&place.name)?))
    };
    places.filter_map(candidate).collect()
}
