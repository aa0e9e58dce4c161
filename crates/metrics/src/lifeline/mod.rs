//! Lifelines: what became of a component's code, turn by turn.
//!
//! A component is followed by its *symbols*: the names its own name gives in parentheses ([`in_parentheses`]) and the
//! definitions around the evidence lines of its verdict. Each symbol is a definition that is followed through renames
//! and moves ([`SymbolLife`]); a turn can define it, change it, bring or take uses of it, remove it or bring it back
//! ([`What`]). Only uses outside its own definition and outside tests count. A component is *lost* in the turn after
//! which none of its symbols that were there is in use or newly defined any more ([`Lifeline::lost_at`]).
//!
//! Named symbols decide; those around evidence only where no named one was ever defined, since the evidence for an
//! absence is what stands in its place. Whoever calls brings the bytes: [`wanted`] says which contents are to be read
//! ([`facts()`], the costly part, to be kept by content), [`follow`] does the rest.

mod alike;
mod asked;
mod chains;
mod event;
mod facts;
mod imports;
mod life;
mod mentions;
mod moves;
mod names;
mod past;
mod pieces;
mod read;
mod snapshot;
mod tokens;
mod users;
mod words;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use rayon::prelude::*;

use trajview_code::tree::Grammar;
use trajview_run::{
    RepoPath,
    files::{BlobId, Change, Content, FileMode, Timeline, TreeFile},
};

pub use asked::{asked, judged_after, moment};
pub use chains::Place;
pub use event::{Event, Side, Spot, State, What};
pub use facts::{Definition, FACTS_VERSION, FileFacts, Import, Kind, Part, Use, Via};
pub use life::{Cell, Cells, Move, Source, SymbolLife};
pub use moves::{Touch, Went, moves};
pub use names::in_parentheses;
pub use past::{By, Passage, Stretch, past};
pub use read::{Versions, facts, facts_of};
pub use snapshot::{UsedBy, is_test, module_of};
pub use users::{Fresh, Users};

use chains::{Chains, Step, Touched};
use life::Living;
use mentions::Mentions;
use snapshot::{File, Snapshot};

/// The facts of contents, by what they depend on.
pub type Known = HashMap<(BlobId, Grammar), Arc<FileFacts>>;

/// A component to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// Its id.
    pub component: String,
    /// The turn that commits to it; counts from 1.
    pub committed: Option<usize>,
    /// Symbols by name.
    pub named: Vec<String>,
    /// Lines whose definitions stand for it.
    pub evidence: Vec<Excerpt>,
}

/// Lines of a file after so many turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub done: usize,
    pub path: RepoPath,
    /// First and last, counting from 1.
    pub lines: (usize, usize),
}

/// What became of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifeline {
    pub component: String,
    /// Counts from 1.
    pub committed: Option<usize>,
    /// Named ones first.
    pub symbols: Vec<SymbolLife>,
    /// The turn from which on none of the symbols that decide is alive; None while one is, or where none ever was.
    pub lost_at: Option<usize>,
}

/// Symbols of one name, at most: methods that every class has say nothing.
const MOST_OF_A_NAME: usize = 4;

/// Lives that are not worth another thread.
const FEW_LIVES: usize = 64;

/// Symbols of one component from evidence, at most.
const MOST_AROUND: usize = 6;

impl Lifeline {
    /// The symbols whose loss is the component's: the named ones that were ever defined, else those of the evidence.
    pub fn deciding(&self) -> impl Iterator<Item = &SymbolLife> {
        let source = self.deciding_source();
        self.symbols.iter().filter(move |it| it.source == source && it.first.is_some())
    }

    fn deciding_source(&self) -> Source {
        let is_named = |it: &SymbolLife| it.source == Source::Name && it.first.is_some();
        if self.symbols.iter().any(is_named) { Source::Name } else { Source::Evidence }
    }

    /// What a turn (counts from 1) did to the symbols that decide, the worst first.
    pub fn events(&self, turn: usize) -> Vec<(&SymbolLife, &Event)> {
        let at = turn.wrapping_sub(1);
        let mut all = vec![];
        for (life, cell) in self.deciding().filter_map(|life| Some((life, life.cells.get(at)?))) {
            all.extend(cell.events.iter().map(|event| (life, event)));
        }
        all.sort_by(|a, b| b.1.what.cmp(&a.1.what));
        all
    }

    /// How the worst of the symbols that decide stands after a turn (counts from 1). Before anything is defined:
    /// [`State::Before`].
    pub fn state(&self, turn: usize) -> State {
        let states =
            self.deciding().filter_map(|life| Some(life.cells.get(turn.wrapping_sub(1))?.state));
        states.max().unwrap_or(State::Before)
    }

    fn lost(&self) -> Option<usize> {
        let all: Option<Vec<usize>> = self.deciding().map(SymbolLife::lost).collect();
        all?.into_iter().max()
    }
}

/// Which files of code count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Those that hold no tests.
    WithoutTests,
    All,
}

/// The contents to be read for the files of a run, each once, with the path of one file that has it.
pub fn wanted(timeline: &Timeline, code: Code) -> Vec<(BlobId, Grammar, RepoPath)> {
    let base = timeline.base.files.iter().map(|(path, file)| (path, Some(*file)));
    let turns = timeline.turns.iter().flat_map(|turn| &turn.changes);
    let all = base.chain(turns.map(|change| (&change.path, change.after())));
    let mut seen = BTreeSet::new();
    all.filter_map(|(path, file)| {
        let (blob, grammar) = code.content(path, file?)?;
        seen.insert((blob, grammar)).then(|| (blob, grammar, path.clone()))
    })
    .collect()
}

/// Where the facts of a file are found among the [`Known`]; None for what holds no code that counts.
pub fn content(path: &RepoPath, file: TreeFile) -> Option<(BlobId, Grammar)> {
    Code::WithoutTests.content(path, file)
}

impl Code {
    fn content(self, path: &RepoPath, file: TreeFile) -> Option<(BlobId, Grammar)> {
        let is_plain = matches!(file.mode, FileMode::Regular | FileMode::Executable);
        let counts = self == Self::All || !is_test(path);
        let grammar = Grammar::of(path.as_str()).filter(|it| it.is_compiled_in() && counts)?;
        Some((file.blob().filter(|_| is_plain)?, grammar))
    }
}

/// The lifelines of components, in the order asked. Contents that `known` lacks count as files without code.
pub fn follow(timeline: &Timeline, known: &Known, asked: &[Asked]) -> Vec<Lifeline> {
    let moments = Moments::of(timeline, known, Code::WithoutTests);
    let chains = moments.chains();
    let mut living: Vec<Vec<Living>> =
        asked.iter().map(|asked| moments.symbols(&chains, asked)).collect();
    moments.play(&chains, living.iter_mut().flatten());
    let told = asked.iter().zip(living).map(|(asked, living)| {
        let mut symbols: Vec<SymbolLife> =
            living.into_iter().map(|it| it.finish(timeline.turns.len())).collect();
        symbols.extend(never_defined(asked, &symbols, timeline.turns.len()));
        let (component, committed) = (asked.component.clone(), asked.committed);
        let mut lifeline = Lifeline { component, committed, symbols, lost_at: None };
        lifeline.lost_at = lifeline.lost();
        lifeline
    });
    told.collect()
}

/// The life of every function and class outside tests that was in use once and that nothing uses at the end, in no order.
pub fn lost(timeline: &Timeline, known: &Known) -> Vec<SymbolLife> {
    let moments = Moments::of(timeline, known, Code::WithoutTests);
    let chains = moments.chains();
    let name = |chain: usize| {
        let place = chains.all[chain].places.iter().find_map(|(_, place)| place.as_ref());
        place.map(|place| place.name.clone()).unwrap_or_default()
    };
    // What is in use at the end needs no look at what was before.
    let last = moments.last();
    let mut mentions = Mentions::default();
    mentions.go_on(std::iter::empty(), last.files.iter());
    let is_idle = |chain: &usize| {
        let place = chains.place(*chain, timeline.turns.len());
        place.is_none_or(|it| {
            last.uses_of(&it.path, &it.name, &mentions).is_empty()
                && !last.is_registered(&it.path, &it.name, &mentions)
        })
    };
    let found: Vec<usize> =
        (0..chains.all.len()).filter(|chain| chains.all[*chain].was_code).collect();
    let found = found.into_par_iter().filter(is_idle);
    let mut living: Vec<Living> =
        found.map(|chain| Living::new(chain, name(chain), Source::Name)).collect();
    moments.play(&chains, living.iter_mut());
    let lives = living.into_iter().map(|it| it.finish(timeline.turns.len()));
    lives.filter(|life| life.lost().is_some() && life.last_used.is_some()).collect()
}

/// The named symbols that no definition has.
fn never_defined(asked: &Asked, found: &[SymbolLife], turns: usize) -> Vec<SymbolLife> {
    let is_missing = |name: &&String| {
        !found.iter().any(|life| life.source == Source::Name && *life.name == ***name)
    };
    let life = |name: &String| {
        let (name, cells) = (name.as_str().into(), Cells::still(State::Before, turns));
        SymbolLife { name, cells, ..SymbolLife::default() }
    };
    asked.named.iter().filter(is_missing).map(life).collect()
}

/// What each turn left of the files; the first is what was there before any.
struct Moments {
    all: Vec<Moment>,
}

/// What a turn did to the files of code.
#[derive(Default)]
struct Moment {
    /// The files that the turn touched, as they were before it.
    before: Snapshot,
    /// Where they are after it, in order; None of a file that is gone.
    after: Vec<(RepoPath, Option<File>)>,
    touched: Touched,
}

impl Moment {
    /// From the files before the turn to those after it.
    fn apply(&self, snapshot: &mut Snapshot) {
        for (path, file) in &self.after {
            match file {
                Some(file) => snapshot.insert(path, file.clone()),
                None => drop(snapshot.remove(path)),
            }
        }
    }
}

impl Moments {
    fn of(timeline: &Timeline, known: &Known, code: Code) -> Self {
        let facts = |path: &RepoPath, file: TreeFile| {
            let content = code.content(path, file)?;
            Some(known.get(&content).cloned().unwrap_or_default())
        };
        let file = |(path, file): (&RepoPath, &TreeFile)| {
            Some((path.clone(), Some(File::new(path, facts(path, *file)?))))
        };
        let after: Vec<_> = timeline.base.files.iter().filter_map(file).collect();
        let touched = after.iter().map(|(path, _)| (None, Some(path.clone()))).collect();
        let base = Moment { before: Snapshot::default(), after, touched };
        let mut snapshot = Snapshot::default();
        base.apply(&mut snapshot);
        let mut all = vec![base];
        for turn in &timeline.turns {
            let mut moment = Moment::default();
            let touched = turn.changes.iter().flat_map(|it| it.from.iter().chain([&it.path]));
            for path in touched {
                if let Some(file) = snapshot.files.get(path) {
                    moment.before.insert(path, file.clone());
                }
            }
            for change in &turn.changes {
                change_files(&mut snapshot, change, &facts, &mut moment);
            }
            all.push(moment);
        }
        Self { all }
    }

    fn chains(&self) -> Chains {
        let mut chains = Chains::default();
        let mut snapshot = Snapshot::default();
        for (turn, moment) in self.all.iter().enumerate() {
            moment.apply(&mut snapshot);
            let (before, after) = (&moment.before, &snapshot);
            chains.go_on(&Step { turn, before, after, touched: &moment.touched });
        }
        chains
    }

    /// The files after the last turn.
    fn last(&self) -> Snapshot {
        let mut snapshot = Snapshot::indexed();
        self.all.iter().for_each(|moment| moment.apply(&mut snapshot));
        snapshot
    }

    /// A file after so many turns.
    fn file(&self, path: &RepoPath, done: usize) -> Option<&File> {
        let until = self.all.get(..=done)?;
        let mut changes = until.iter().rev().flat_map(|moment| moment.after.iter().rev());
        changes.find(|(touched, _)| touched == path)?.1.as_ref()
    }

    /// Takes each of these through all moments.
    fn play<'l>(&self, chains: &Chains, living: impl Iterator<Item = &'l mut Living>) {
        let mut living: Vec<&mut Living> = living.collect();
        let mut visits = Visits::of(chains, &living, self.all.len());
        let mut mentions = Mentions::default();
        let mut snapshot = Snapshot::indexed();
        for (done, moment) in self.all.iter().enumerate() {
            moment.apply(&mut snapshot);
            let came = moment.after.iter().filter_map(|(path, file)| Some((path, file.as_ref()?)));
            mentions.go_on(moment.before.files.iter(), came);
            let taken = visits.take(done, &living, &mentions);
            let go_on = |one: &mut Living| one.go_on(chains, done, &snapshot, &mentions);
            if taken.len() < FEW_LIVES {
                taken.iter().for_each(|at| go_on(living[*at]));
            } else {
                let is_taken = |at: &usize| taken.binary_search(at).is_ok();
                let all = living.par_iter_mut().enumerate().with_min_len(FEW_LIVES);
                all.filter(|(at, _)| is_taken(at)).for_each(|(_, one)| go_on(one));
            }
            visits.note(&taken, &living);
        }
    }

    fn symbols(&self, chains: &Chains, asked: &Asked) -> Vec<Living> {
        let mut found: Vec<(usize, Box<str>, Source)> = vec![];
        for name in &asked.named {
            for chain in chains_named(chains, name) {
                found.push((chain, name.as_str().into(), Source::Name));
            }
        }
        for around in &asked.evidence {
            for place in self.places_around(around) {
                let chain = chains.standing(&place, around.done);
                let is_new = |chain: &usize| !found.iter().any(|(known, ..)| known == chain);
                let count = found.iter().filter(|it| it.2 == Source::Evidence).count();
                if let Some(chain) = chain.filter(|it| is_new(it) && count < MOST_AROUND) {
                    found.push((chain, place.name, Source::Evidence));
                }
            }
        }
        found.into_iter().map(|(chain, name, source)| Living::new(chain, name, source)).collect()
    }

    /// The innermost definition around all of the lines; where there is none, those that begin among them.
    fn places_around(&self, around: &Excerpt) -> Vec<Place> {
        let Some(file) = self.file(&around.path, around.done) else { return vec![] };
        let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let (first, last) = (line(around.lines.0), line(around.lines.1));
        let all = &file.facts.definitions;
        let holding = all.iter().filter(|it| it.holds(first) && it.holds(last));
        let innermost = holding.min_by_key(|it| it.length()).map(|it| self.visible(file, it));
        let place = |it: &Definition| Place { path: around.path.clone(), name: it.name.clone() };
        match innermost {
            Some(definition) => vec![place(definition)],
            None => {
                let begins =
                    |it: &&Definition| it.owner.is_none() && (first..=last).contains(&it.line());
                all.iter().filter(begins).map(place).collect()
            }
        }
    }

    /// What the language calls by itself (`__init__`, `constructor`) is seen through its class.
    fn visible<'f>(&self, file: &'f File, definition: &'f Definition) -> &'f Definition {
        let name = definition.simple();
        let is_called_by_itself =
            (name.starts_with("__") && name.ends_with("__")) || name == "constructor";
        let owner = definition.owner.and_then(|at| file.facts.definitions.get(at as usize));
        owner.filter(|_| is_called_by_itself).unwrap_or(definition)
    }
}

/// Which lives a moment may do something to.
struct Visits {
    /// By moment: lives whose chains may stand elsewhere after it.
    moving: Vec<Vec<usize>>,
    /// Lives by their names now, those that had the name before too.
    named: HashMap<Box<str>, BTreeSet<usize>>,
}

impl Visits {
    fn of(chains: &Chains, living: &[&mut Living], moments: usize) -> Self {
        let mut moving = vec![vec![]; moments];
        for (at, one) in living.iter().enumerate() {
            for turn in chains.turns(one.chain()) {
                if let Some(moved) = moving.get_mut(turn) {
                    moved.push(at);
                }
            }
        }
        Self { moving, named: HashMap::new() }
    }

    /// The lives to be taken through a moment, ascending.
    fn take(&self, done: usize, living: &[&mut Living], mentions: &Mentions<'_>) -> Vec<usize> {
        // Before the first turn everything begins.
        let Some(words) = mentions.touched().filter(|_| done > 0) else {
            return (0..living.len()).collect();
        };
        let named = words.filter_map(|word| self.named.get(word)).flatten();
        let mut all: Vec<usize> = named.chain(&self.moving[done]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn note(&mut self, taken: &[usize], living: &[&mut Living]) {
        for at in taken {
            let Some(name) = living[*at].name_now() else { continue };
            if !self.named.get(name).is_some_and(|lives| lives.contains(at)) {
                self.named.entry(name.into()).or_default().insert(*at);
            }
        }
    }
}

/// Takes one change of a turn in, and notes it.
fn change_files(
    snapshot: &mut Snapshot,
    change: &Change,
    facts: &dyn Fn(&RepoPath, TreeFile) -> Option<Arc<FileFacts>>,
    moment: &mut Moment,
) {
    let old = change.from.as_ref().unwrap_or(&change.path);
    let before = snapshot.remove(old);
    let is_unknown = change.kind != trajview_run::EditKind::Delete
        && change.after().is_none_or(|file| file.content == Content::NotRecorded);
    let after = match change.after() {
        // What is not recorded says nothing against what was there.
        _ if is_unknown => before.as_ref().map(|file| file.facts.clone()),
        Some(file) => facts(&change.path, file),
        None => None,
    };
    let (had, has) = (before.is_some(), after.is_some());
    if had && (!has || *old != change.path) {
        moment.after.push((old.clone(), None));
    }
    if let Some(facts) = after {
        let file = File::new(&change.path, facts);
        snapshot.insert(&change.path, file.clone());
        moment.after.push((change.path.clone(), Some(file)));
    }
    if had || has {
        moment.touched.push((had.then(|| old.clone()), has.then(|| change.path.clone())));
    }
}

/// Definitions that ever had a name: those at the top of a file if there are any; in the order they came.
fn chains_named(chains: &Chains, name: &str) -> Vec<usize> {
    let has_name = |place: &Place| {
        place.simple() == name || &*place.name == name || place.name.ends_with(&format!(".{name}"))
    };
    let is_top = |place: &Place| !place.name.contains('.');
    let having = |is: &dyn Fn(&Place) -> bool| {
        let has = |chain: &&usize| {
            let mut places =
                chains.all[**chain].places.iter().filter_map(|(_, place)| place.as_ref());
            places.any(is)
        };
        let all: Vec<usize> = (0..chains.all.len()).collect();
        all.iter().filter(has).copied().take(MOST_OF_A_NAME).collect::<Vec<_>>()
    };
    let tops = having(&|place| has_name(place) && is_top(place));
    if tops.is_empty() { having(&has_name) } else { tops }
}

#[cfg(test)]
mod tests;
