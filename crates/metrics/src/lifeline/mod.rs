//! Lifelines: the history of a component's code, turn by turn.
//!
//! A component is followed by its *symbols*: the names in the parentheses of its own name ([`in_parentheses`]) and the
//! definitions around the evidence lines of its verdict. Each symbol is a definition that is followed through renames
//! and moves ([`SymbolLife`]); a turn can define it, change it, bring or take uses of it, remove it or bring it back
//! ([`SymbolChange`]). Only uses outside its own definition and outside tests count. A component is *lost* in the turn after
//! which none of its symbols that were there is in use or newly defined any more ([`Lifeline::lost_at`]).
//!
//! Named symbols decide. Symbols around evidence decide only where no named one was ever defined, since the evidence
//! for an absence points at the code that is there instead. Callers pass the bytes: [`contents_to_read`] lists the
//! contents to be read ([`read_facts()`], the costly part, to be cached by content), [`follow_components`] does the
//! rest.

mod chains;
mod definition_history;
mod definition_moves;
mod definition_users;
mod facts_reader;
mod facts_snapshot;
mod file_facts;
mod followed_components;
mod imports;
mod kind_meanings;
mod likeness;
mod losses;
mod mentions;
mod parenthesised_names;
mod piecewise_facts;
mod symbol_events;
mod symbol_life;
mod tokens;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use rayon::prelude::*;

use trajview_code::tree::Grammar;
use trajview_run::{
    RepoPath,
    files::{BlobId, FileChange, FileContent, FileMode, Timeline, TreeFile},
};

pub use chains::DefinitionPlace;
pub use definition_history::{
    DefinitionLines, DefinitionQuery, DefinitionTurn, definition_history,
};
pub use definition_moves::{DefinitionFate, FileTouch, definition_moves};
pub use definition_users::{DefinitionUsers, FreshFile};
pub use facts_reader::{VersionReader, facts_of_parsed, facts_of_tree, read_facts};
pub use facts_snapshot::{UsedBy, is_test, module_of};
pub use file_facts::{
    CodeDefinition, DefinitionKind, DefinitionPart, FACTS_VERSION, FileFacts, ImportedName,
    NameAccess, NameUse,
};
pub use followed_components::{components_to_follow, judged_after, turns_done_at};
pub use losses::{
    ComponentLoss, DatedVerdict, LostSymbol, RecordedLoss, component_loss, component_losses,
    recorded_losses,
};
pub use parenthesised_names::in_parentheses;
pub use symbol_events::{EventSpot, SymbolChange, SymbolEvent, SymbolState, TurnSide};
pub use symbol_life::{LifeCell, LifeCells, SymbolLife, SymbolMove, SymbolSource};

use chains::{Chains, TouchedPaths, TurnStep};
use facts_snapshot::{CodeFile, FactsSnapshot};
use mentions::WordMentions;
use symbol_life::LifeBuilder;

/// The facts of contents, keyed by the content and the grammar that they depend on.
pub type FactsByContent = HashMap<(BlobId, Grammar), Arc<FileFacts>>;

/// A component to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowedComponent {
    /// The id of the component.
    pub component: String,
    /// The turn that commits to the component; counts from 1.
    pub committed: Option<usize>,
    /// The names of its symbols.
    pub symbol_names: Vec<String>,
    /// Lines whose definitions represent the component.
    pub evidence: Vec<LinesAtTurn>,
}

/// Lines of a file after a number of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesAtTurn {
    pub turns_done: usize,
    pub path: RepoPath,
    /// First and last, counting from 1.
    pub lines: (usize, usize),
}

/// The history of a component's symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifeline {
    pub component: String,
    /// Counts from 1.
    pub committed: Option<usize>,
    /// Named ones first.
    pub symbols: Vec<SymbolLife>,
    /// The turn from which on none of the deciding symbols is alive; None while one is, or where none ever was.
    pub lost_at: Option<usize>,
}

/// The most symbols of one name that are followed: methods that every class has say nothing about a component.
const MAX_PER_NAME: usize = 4;

/// The most lives that are built without a second thread.
const FEW_LIVES: usize = 64;

/// The most symbols of one component that come from evidence.
const MAX_FROM_EVIDENCE: usize = 6;

impl Lifeline {
    /// Returns the symbols whose loss is the loss of the component: the named ones that were ever defined, else those
    /// of the evidence.
    pub fn deciding_symbols(&self) -> impl Iterator<Item = &SymbolLife> {
        let source = self.deciding_source();
        self.symbols.iter().filter(move |it| it.source == source && it.first.is_some())
    }

    fn deciding_source(&self) -> SymbolSource {
        let is_named = |it: &SymbolLife| it.source == SymbolSource::Name && it.first.is_some();
        if self.symbols.iter().any(is_named) { SymbolSource::Name } else { SymbolSource::Evidence }
    }

    /// Returns the events of a turn (counts from 1) of the deciding symbols, the most serious first.
    pub fn events_at(&self, turn: usize) -> Vec<(&SymbolLife, &SymbolEvent)> {
        let at = turn.wrapping_sub(1);
        let mut all = vec![];
        for (life, cell) in
            self.deciding_symbols().filter_map(|life| Some((life, life.cells.get(at)?)))
        {
            all.extend(cell.events.iter().map(|event| (life, event)));
        }
        all.sort_by(|a, b| b.1.change.cmp(&a.1.change));
        all
    }

    /// Returns the worst state among the deciding symbols after a turn (counts from 1). Before anything is defined it
    /// is [`SymbolState::Before`].
    pub fn state_after(&self, turn: usize) -> SymbolState {
        let states = self
            .deciding_symbols()
            .filter_map(|life| Some(life.cells.get(turn.wrapping_sub(1))?.state));
        states.max().unwrap_or(SymbolState::Before)
    }

    fn lost_turn(&self) -> Option<usize> {
        let all: Option<Vec<usize>> = self.deciding_symbols().map(SymbolLife::lost_turn).collect();
        all?.into_iter().max()
    }
}

/// The files of code that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeScope {
    /// Files without tests.
    WithoutTests,
    All,
}

/// Returns the contents to be read for the files of a run, each once, with the path of one file that has it.
pub fn contents_to_read(timeline: &Timeline, code: CodeScope) -> Vec<(BlobId, Grammar, RepoPath)> {
    let base = timeline.base.files.iter().map(|(path, file)| (path, Some(*file)));
    let turns = timeline.turns.iter().flat_map(|turn| &turn.changes);
    let all = base.chain(turns.map(|change| (&change.path, change.file_after())));
    let mut seen = BTreeSet::new();
    all.filter_map(|(path, file)| {
        let (blob, grammar) = code.facts_key(path, file?)?;
        seen.insert((blob, grammar)).then(|| (blob, grammar, path.clone()))
    })
    .collect()
}

/// Returns the key of a file in [`FactsByContent`]; None for a file without code that counts.
pub fn facts_key(path: &RepoPath, file: TreeFile) -> Option<(BlobId, Grammar)> {
    CodeScope::WithoutTests.facts_key(path, file)
}

impl CodeScope {
    fn facts_key(self, path: &RepoPath, file: TreeFile) -> Option<(BlobId, Grammar)> {
        let is_plain = matches!(file.mode, FileMode::Regular | FileMode::Executable);
        let counts = self == Self::All || !is_test(path);
        let grammar =
            Grammar::for_path(path.as_str()).filter(|it| it.is_compiled_in() && counts)?;
        Some((file.blob_id().filter(|_| is_plain)?, grammar))
    }
}

/// Returns the lifelines of components, in the given order. Contents that `known` lacks count as files without code.
pub fn follow_components(
    timeline: &Timeline,
    known: &FactsByContent,
    components: &[FollowedComponent],
) -> Vec<Lifeline> {
    let moments = TimelineMoments::new(timeline, known, CodeScope::WithoutTests);
    let chains = moments.build_chains();
    let mut living: Vec<Vec<LifeBuilder>> =
        components.iter().map(|component| moments.followed_symbols(&chains, component)).collect();
    moments.play_moments(&chains, living.iter_mut().flatten());
    let lifelines = components.iter().zip(living).map(|(followed, living)| {
        let mut symbols: Vec<SymbolLife> =
            living.into_iter().map(|it| it.into_life(timeline.turns.len())).collect();
        symbols.extend(never_defined(followed, &symbols, timeline.turns.len()));
        let (component, committed) = (followed.component.clone(), followed.committed);
        let mut lifeline = Lifeline { component, committed, symbols, lost_at: None };
        lifeline.lost_at = lifeline.lost_turn();
        lifeline
    });
    lifelines.collect()
}

/// Returns the life of every function and class outside tests that was once in use and that nothing uses at the end,
/// in no order.
pub fn lost_symbols(timeline: &Timeline, known: &FactsByContent) -> Vec<SymbolLife> {
    let moments = TimelineMoments::new(timeline, known, CodeScope::WithoutTests);
    let chains = moments.build_chains();
    let name = |chain: usize| {
        let place = chains.all[chain].places.iter().find_map(|(_, place)| place.as_ref());
        place.map(|place| place.name.clone()).unwrap_or_default()
    };
    // Symbols in use at the end need no look at the earlier moments.
    let last = moments.last_snapshot();
    let mut mentions = WordMentions::default();
    mentions.take_moment(std::iter::empty(), last.files.iter());
    let is_idle = |chain: &usize| {
        let place = chains.place_after_turn(*chain, timeline.turns.len());
        place.is_none_or(|it| {
            last.uses_of(&it.path, &it.name, &mentions).is_empty()
                && !last.is_registered(&it.path, &it.name, &mentions)
        })
    };
    let idle_chains: Vec<usize> =
        (0..chains.all.len()).filter(|chain| chains.all[*chain].was_code).collect();
    let idle_chains = idle_chains.into_par_iter().filter(is_idle);
    let mut living: Vec<LifeBuilder> =
        idle_chains.map(|chain| LifeBuilder::new(chain, name(chain), SymbolSource::Name)).collect();
    moments.play_moments(&chains, living.iter_mut());
    let lives = living.into_iter().map(|it| it.into_life(timeline.turns.len()));
    lives.filter(|life| life.lost_turn().is_some() && life.last_used.is_some()).collect()
}

/// Returns the named symbols that were never defined.
fn never_defined(
    component: &FollowedComponent,
    found: &[SymbolLife],
    turns: usize,
) -> Vec<SymbolLife> {
    let is_missing = |name: &&String| {
        !found.iter().any(|life| life.source == SymbolSource::Name && *life.name == ***name)
    };
    let life = |name: &String| {
        let (name, cells) =
            (name.as_str().into(), LifeCells::without_changes(SymbolState::Before, turns));
        SymbolLife { name, cells, ..SymbolLife::default() }
    };
    component.symbol_names.iter().filter(is_missing).map(life).collect()
}

/// The changes of each turn to the files; the first entry has the files before any turn.
struct TimelineMoments {
    all: Vec<CodeMoment>,
}

/// The changes of a turn to the files of code.
#[derive(Default)]
struct CodeMoment {
    /// The files that the turn touched, as they were before it.
    before: FactsSnapshot,
    /// The touched files after the turn, in order; None for a file that is gone.
    after: Vec<(RepoPath, Option<CodeFile>)>,
    touched: TouchedPaths,
}

impl CodeMoment {
    /// Turns a snapshot of the files before the turn into one of the files after it.
    fn apply_to(&self, snapshot: &mut FactsSnapshot) {
        for (path, file) in &self.after {
            match file {
                Some(file) => snapshot.insert(path, file.clone()),
                None => drop(snapshot.remove(path)),
            }
        }
    }
}

impl TimelineMoments {
    fn new(timeline: &Timeline, known: &FactsByContent, code: CodeScope) -> Self {
        let facts = |path: &RepoPath, file: TreeFile| {
            let content = code.facts_key(path, file)?;
            Some(known.get(&content).cloned().unwrap_or_default())
        };
        let file = |(path, file): (&RepoPath, &TreeFile)| {
            Some((path.clone(), Some(CodeFile::new(path, facts(path, *file)?))))
        };
        let after: Vec<_> = timeline.base.files.iter().filter_map(file).collect();
        let touched = after.iter().map(|(path, _)| (None, Some(path.clone()))).collect();
        let base = CodeMoment { before: FactsSnapshot::default(), after, touched };
        let mut snapshot = FactsSnapshot::default();
        base.apply_to(&mut snapshot);
        let mut all = vec![base];
        for turn in &timeline.turns {
            let mut moment = CodeMoment::default();
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

    fn build_chains(&self) -> Chains {
        let mut chains = Chains::default();
        let mut snapshot = FactsSnapshot::default();
        for (turn, moment) in self.all.iter().enumerate() {
            moment.apply_to(&mut snapshot);
            let (before, after) = (&moment.before, &snapshot);
            chains.apply_turn(&TurnStep { turn, before, after, touched: &moment.touched });
        }
        chains
    }

    /// Returns the files after the last turn.
    fn last_snapshot(&self) -> FactsSnapshot {
        let mut snapshot = FactsSnapshot::with_index();
        self.all.iter().for_each(|moment| moment.apply_to(&mut snapshot));
        snapshot
    }

    /// Returns a file after `done` turns.
    fn file_after(&self, path: &RepoPath, done: usize) -> Option<&CodeFile> {
        let until = self.all.get(..=done)?;
        let mut changes = until.iter().rev().flat_map(|moment| moment.after.iter().rev());
        changes.find(|(touched, _)| touched == path)?.1.as_ref()
    }

    /// Takes each of the lives through all moments.
    fn play_moments<'l>(&self, chains: &Chains, living: impl Iterator<Item = &'l mut LifeBuilder>) {
        let mut living: Vec<&mut LifeBuilder> = living.collect();
        let mut visits = MomentVisits::new(chains, &living, self.all.len());
        let mut mentions = WordMentions::default();
        let mut snapshot = FactsSnapshot::with_index();
        for (done, moment) in self.all.iter().enumerate() {
            moment.apply_to(&mut snapshot);
            let came = moment.after.iter().filter_map(|(path, file)| Some((path, file.as_ref()?)));
            mentions.take_moment(moment.before.files.iter(), came);
            let taken = visits.lives_at(done, &living, &mentions);
            let go_on = |one: &mut LifeBuilder| one.take_moment(chains, done, &snapshot, &mentions);
            if taken.len() < FEW_LIVES {
                taken.iter().for_each(|at| go_on(living[*at]));
            } else {
                let is_taken = |at: &usize| taken.binary_search(at).is_ok();
                let all = living.par_iter_mut().enumerate().with_min_len(FEW_LIVES);
                all.filter(|(at, _)| is_taken(at)).for_each(|(_, one)| go_on(one));
            }
            visits.note_names(&taken, &living);
        }
    }

    /// Returns the lives to build for a component: its named symbols, and those around its evidence.
    fn followed_symbols(&self, chains: &Chains, component: &FollowedComponent) -> Vec<LifeBuilder> {
        let mut symbols: Vec<(usize, Box<str>, SymbolSource)> = vec![];
        for name in &component.symbol_names {
            for chain in chains_named(chains, name) {
                symbols.push((chain, name.as_str().into(), SymbolSource::Name));
            }
        }
        for around in &component.evidence {
            for place in self.places_around(around) {
                let chain = chains.chain_at(&place, around.turns_done);
                let is_new = |chain: &usize| !symbols.iter().any(|(known, ..)| known == chain);
                let count = symbols.iter().filter(|it| it.2 == SymbolSource::Evidence).count();
                if let Some(chain) = chain.filter(|it| is_new(it) && count < MAX_FROM_EVIDENCE) {
                    symbols.push((chain, place.name, SymbolSource::Evidence));
                }
            }
        }
        symbols
            .into_iter()
            .map(|(chain, name, source)| LifeBuilder::new(chain, name, source))
            .collect()
    }

    /// Returns the innermost definition around all of the lines; where there is none, the definitions that begin in
    /// the lines.
    fn places_around(&self, around: &LinesAtTurn) -> Vec<DefinitionPlace> {
        let Some(file) = self.file_after(&around.path, around.turns_done) else { return vec![] };
        let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let (first, last) = (line(around.lines.0), line(around.lines.1));
        let all = &file.facts.definitions;
        let holding = all.iter().filter(|it| it.contains_line(first) && it.contains_line(last));
        let innermost =
            holding.min_by_key(|it| it.line_count()).map(|it| self.visible_definition(file, it));
        let place = |it: &CodeDefinition| DefinitionPlace {
            path: around.path.clone(),
            name: it.name.clone(),
        };
        match innermost {
            Some(definition) => vec![place(definition)],
            None => {
                let begins = |it: &&CodeDefinition| {
                    it.owner.is_none() && (first..=last).contains(&it.first_line())
                };
                all.iter().filter(begins).map(place).collect()
            }
        }
    }

    /// Returns the class in place of a method that the language calls by itself (`__init__`, `constructor`); else the
    /// definition itself.
    fn visible_definition<'f>(
        &self,
        file: &'f CodeFile,
        definition: &'f CodeDefinition,
    ) -> &'f CodeDefinition {
        let name = definition.simple_name();
        let is_called_by_itself =
            (name.starts_with("__") && name.ends_with("__")) || name == "constructor";
        let owner = definition.owner.and_then(|at| file.facts.definitions.get(at as usize));
        owner.filter(|_| is_called_by_itself).unwrap_or(definition)
    }
}

/// An index of the lives that each moment may affect.
struct MomentVisits {
    /// By moment: the lives whose chains may have another place after it.
    lives_moving_at: Vec<Vec<usize>>,
    /// Lives by name, including those that only had the name before.
    lives_by_name: HashMap<Box<str>, BTreeSet<usize>>,
}

impl MomentVisits {
    fn new(chains: &Chains, living: &[&mut LifeBuilder], moments: usize) -> Self {
        let mut moving = vec![vec![]; moments];
        for (at, one) in living.iter().enumerate() {
            for turn in chains.moving_turns(one.chain()) {
                if let Some(moved) = moving.get_mut(turn) {
                    moved.push(at);
                }
            }
        }
        Self { lives_moving_at: moving, lives_by_name: HashMap::new() }
    }

    /// Returns the lives that a moment may affect, ascending.
    fn lives_at(
        &self,
        done: usize,
        living: &[&mut LifeBuilder],
        mentions: &WordMentions<'_>,
    ) -> Vec<usize> {
        // At the moment before the first turn every life begins.
        let Some(words) = mentions.touched_words().filter(|_| done > 0) else {
            return (0..living.len()).collect();
        };
        let named = words.filter_map(|word| self.lives_by_name.get(word)).flatten();
        let mut all: Vec<usize> = named.chain(&self.lives_moving_at[done]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn note_names(&mut self, taken: &[usize], living: &[&mut LifeBuilder]) {
        for at in taken {
            let Some(name) = living[*at].name_now() else { continue };
            if !self.lives_by_name.get(name).is_some_and(|lives| lives.contains(at)) {
                self.lives_by_name.entry(name.into()).or_default().insert(*at);
            }
        }
    }
}

/// Applies one change of a turn to the snapshot, and records it in the moment.
fn change_files(
    snapshot: &mut FactsSnapshot,
    change: &FileChange,
    facts: &dyn Fn(&RepoPath, TreeFile) -> Option<Arc<FileFacts>>,
    moment: &mut CodeMoment,
) {
    let old = change.from.as_ref().unwrap_or(&change.path);
    let before = snapshot.remove(old);
    let is_unknown = change.kind != trajview_run::EditKind::Delete
        && change.file_after().is_none_or(|file| file.content == FileContent::NotRecorded);
    let after = match change.file_after() {
        // Content that is not recorded leaves the former facts in place.
        _ if is_unknown => before.as_ref().map(|file| file.facts.clone()),
        Some(file) => facts(&change.path, file),
        None => None,
    };
    let (had, has) = (before.is_some(), after.is_some());
    if had && (!has || *old != change.path) {
        moment.after.push((old.clone(), None));
    }
    if let Some(facts) = after {
        let file = CodeFile::new(&change.path, facts);
        snapshot.insert(&change.path, file.clone());
        moment.after.push((change.path.clone(), Some(file)));
    }
    if had || has {
        moment.touched.push((had.then(|| old.clone()), has.then(|| change.path.clone())));
    }
}

/// Returns the chains that ever had a name, in the order in which they appeared: those at the top of a file if there
/// are any, else all.
fn chains_named(chains: &Chains, name: &str) -> Vec<usize> {
    let has_name = |place: &DefinitionPlace| {
        place.simple_name() == name
            || &*place.name == name
            || place.name.ends_with(&format!(".{name}"))
    };
    let is_top = |place: &DefinitionPlace| !place.name.contains('.');
    let having = |is: &dyn Fn(&DefinitionPlace) -> bool| {
        let has = |chain: &&usize| {
            let mut places =
                chains.all[**chain].places.iter().filter_map(|(_, place)| place.as_ref());
            places.any(is)
        };
        let all: Vec<usize> = (0..chains.all.len()).collect();
        all.iter().filter(has).copied().take(MAX_PER_NAME).collect::<Vec<_>>()
    };
    let tops = having(&|place| has_name(place) && is_top(place));
    if tops.is_empty() { having(&has_name) } else { tops }
}

#[cfg(test)]
mod tests;
