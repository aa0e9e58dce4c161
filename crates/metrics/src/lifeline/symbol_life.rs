//! One symbol over the turns: its state after each turn, and the changes of each turn.

use super::{
    chains::{Chains, DefinitionPlace},
    facts_snapshot::{FactsSnapshot, UsedBy},
    mentions::WordMentions,
    symbol_events::{EventSpot, SymbolChange, SymbolEvent, SymbolState, TurnSide},
};

/// A symbol and its life. Turns count from 1; 0 is before the first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SymbolLife {
    /// The name that the component gives it, or its name at the judged commit.
    pub name: Box<str>,
    pub source: SymbolSource,
    /// The place where it is now, or was last; None where it was never defined.
    pub place: Option<DefinitionPlace>,
    /// The turn that defined it.
    pub first: Option<usize>,
    /// The last turn after which it was in use.
    pub last_used: Option<usize>,
    /// The turn after which nobody uses it any more, where it is still defined at the end.
    pub unused_since: Option<usize>,
    /// The turn that removed it for good.
    pub vanished: Option<usize>,
    pub moves: Vec<SymbolMove>,
    pub cells: LifeCells,
    /// Its users at the end, or when it was last used.
    pub used_by: Vec<UsedBy>,
}

/// Why a symbol stands for a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SymbolSource {
    /// The component's name gives it.
    #[default]
    Name,
    /// The evidence of a verdict lies in it.
    Evidence,
}

/// A move of a symbol from one place to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMove {
    pub turn: usize,
    pub from: DefinitionPlace,
    pub to: DefinitionPlace,
}

/// The changes of a turn to a symbol, and its state after the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifeCell<'l> {
    pub state: SymbolState,
    /// The most serious first.
    pub events: &'l [SymbolEvent],
}

/// One cell per turn, in order. Only the turns that change the symbol are stored, since most turns do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifeCells {
    turns: usize,
    /// The state before the first turn.
    first: SymbolState,
    /// The turns (counting from 1, ascending) after which its state may differ, with the state and the changes.
    changes: Vec<(usize, SymbolState, Vec<SymbolEvent>)>,
}

impl Default for LifeCells {
    fn default() -> Self {
        Self::without_changes(SymbolState::Before, 0)
    }
}

impl LifeCells {
    /// Returns the life of a symbol that no turn changes.
    pub(crate) const fn without_changes(state: SymbolState, turns: usize) -> Self {
        Self { turns, first: state, changes: vec![] }
    }

    pub const fn len(&self) -> usize {
        self.turns
    }

    pub const fn is_empty(&self) -> bool {
        self.turns == 0
    }

    /// Returns the cell of a turn, which counts from 0.
    pub fn get(&self, at: usize) -> Option<LifeCell<'_>> {
        let turn = (at < self.turns).then_some(at + 1)?;
        let changes_so_far = self.changes.partition_point(|(since, ..)| *since <= turn);
        Some(
            match changes_so_far.checked_sub(1).map(|changes_so_far| &self.changes[changes_so_far])
            {
                Some((since, state, events)) if *since == turn => {
                    LifeCell { state: *state, events }
                }
                Some((_, state, _)) => LifeCell { state: *state, events: &[] },
                None => LifeCell { state: self.first, events: &[] },
            },
        )
    }

    pub fn last_cell(&self) -> Option<LifeCell<'_>> {
        self.get(self.turns.checked_sub(1)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = LifeCell<'_>> {
        (0..self.turns).filter_map(|at| self.get(at))
    }

    /// Returns the last turn (counts from 1) with an event that satisfies `is`.
    fn last_event(&self, is: impl Fn(&SymbolEvent) -> bool) -> Option<usize> {
        let did = self.changes.iter().rfind(|(_, _, events)| events.iter().any(&is));
        did.map(|(turn, ..)| *turn)
    }

    /// Returns the turn (counts from 1) from which on the state satisfies `is` up to the end; None where the last
    /// state does not.
    fn state_since(&self, is: impl Fn(SymbolState) -> bool) -> Option<usize> {
        if !self.last_cell().is_some_and(|cell| is(cell.state)) {
            return None;
        }
        let last_other = self.changes.iter().rposition(|(_, state, _)| !is(*state));
        let next = last_other.map_or(0, |last_other| last_other + 1);
        // Before the first change the state is the first one.
        let is_all = last_other.is_none() && is(self.first);
        if is_all { Some(1) } else { self.changes.get(next).map(|(turn, ..)| *turn) }
    }
}

impl SymbolLife {
    /// Returns the turn from which on the symbol is lost: unused and never used again, or gone.
    pub fn lost_turn(&self) -> Option<usize> {
        self.cells.state_since(|state| matches!(state, SymbolState::Unused | SymbolState::Gone))
    }

    /// Returns its last name in the code, or the name that the component gives it where it was never defined.
    pub fn last_name(&self) -> &str {
        self.place.as_ref().map_or(&self.name, |place| &place.name)
    }

    /// Returns its state at the end of the run.
    pub fn last_state(&self) -> SymbolState {
        self.cells.last_cell().map_or(SymbolState::Before, |cell| cell.state)
    }
}

/// A symbol at one moment.
#[derive(Debug, Clone, Default)]
struct SymbolMoment {
    place: Option<DefinitionPlace>,
    hash: u64,
    line: u32,
    uses: Vec<UsedBy>,
    is_registered: bool,
}

/// Builds the life of a symbol turn by turn.
#[derive(Debug)]
pub(super) struct LifeBuilder {
    chain: usize,
    now: SymbolMoment,
    was_defined: bool,
    was_used: bool,
    life: SymbolLife,
}

impl LifeBuilder {
    pub fn new(chain: usize, name: Box<str>, source: SymbolSource) -> Self {
        let life = SymbolLife { name, source, ..SymbolLife::default() };
        let now = SymbolMoment::default();
        Self { chain, now, was_defined: false, was_used: false, life }
    }

    /// Returns the number of the chain that it follows.
    pub const fn chain(&self) -> usize {
        self.chain
    }

    /// Returns the simple name of the symbol now; None where it is not defined.
    pub(crate) fn name_now(&self) -> Option<&str> {
        self.now.place.as_ref().map(DefinitionPlace::simple_name)
    }

    /// Takes the files after `done` turns. Call it for each moment that may affect the symbol: where the place of its
    /// chain may change, or that touched its name. The turns between two calls did not change it.
    pub(crate) fn take_moment(
        &mut self,
        chains: &Chains,
        done: usize,
        snapshot: &FactsSnapshot,
        mentions: &WordMentions<'_>,
    ) {
        self.stay_until(done.saturating_sub(1));
        let place = chains.place_after_turn(self.chain, done).cloned();
        let was = std::mem::replace(&mut self.now, SymbolMoment::new(snapshot, place, mentions));
        let is_taken_in = chains.all[self.chain].absorbed_by.is_some_and(|(turn, _)| turn == done);
        let mut events = self.events_since(&was, is_taken_in);
        self.note_turn(done, &was);
        let state = self.current_state();
        if done == 0 {
            self.life.cells.first = state;
            return;
        }
        events.sort_by(|a, b| b.change.cmp(&a.change));
        self.life.cells.changes.push((done, state, events));
    }

    /// Notes that nothing changed up to `done` turns.
    fn stay_until(&mut self, done: usize) {
        if self.current_state() == SymbolState::Used {
            self.life.last_used = self.life.last_used.max(Some(done));
        }
    }

    fn current_state(&self) -> SymbolState {
        match (&self.now.place, self.now.uses.is_empty()) {
            (None, _) if self.was_defined => SymbolState::Gone,
            (None, _) => SymbolState::Before,
            (Some(_), false) => SymbolState::Used,
            (Some(_), true) if self.now.is_registered => SymbolState::Registered,
            (Some(_), true) if self.was_used => SymbolState::Unused,
            (Some(_), true) => SymbolState::Idle,
        }
    }

    /// Returns the events between two moments.
    fn events_since(&self, was: &SymbolMoment, is_taken_in: bool) -> Vec<SymbolEvent> {
        let here = || self.now.event_spot(TurnSide::New);
        let mut events = vec![];
        let mut add = |what, spot| events.push(SymbolEvent { change: what, spot });
        match (&was.place, &self.now.place) {
            (None, None) => return vec![],
            (Some(_), None) => {
                add(SymbolChange::Vanished, was.event_spot(TurnSide::Old));
                return events;
            }
            (None, Some(_)) if self.was_defined => add(SymbolChange::Back, here()),
            (None, Some(_)) => add(SymbolChange::Appeared, here()),
            (Some(from), Some(to)) => {
                let (from, to) = (from.clone(), to.clone());
                if is_taken_in {
                    add(SymbolChange::TakenIn { from, to }, here());
                } else if from.simple_name() != to.simple_name() {
                    add(SymbolChange::Renamed { from, to }, here());
                } else if from != to {
                    add(SymbolChange::Moved { from, to }, here());
                }
                if was.hash != self.now.hash && !is_taken_in {
                    add(SymbolChange::Changed, here());
                }
            }
        }
        self.add_use_events(was, &mut events);
        events
    }

    /// Adds the events about gained and lost uses.
    fn add_use_events(&self, was: &SymbolMoment, events: &mut Vec<SymbolEvent>) {
        let (before, after) = (was.use_count(), self.now.use_count());
        let lost = || first_missing(&was.uses, &self.now.uses, TurnSide::Old);
        let gained = || first_missing(&self.now.uses, &was.uses, TurnSide::New);
        let mut add = |what, spot| events.push(SymbolEvent { change: what, spot });
        match (before, after) {
            (0, 0) => {}
            (0, _) if self.was_used => add(SymbolChange::UsedAgain, gained()),
            (0, _) => add(SymbolChange::FirstUsed, gained()),
            (_, 0) => add(SymbolChange::LastUseLost, lost()),
            _ if before < after => add(SymbolChange::UsesGained(after - before), gained()),
            _ if after < before => add(SymbolChange::UsesLost(before - after), lost()),
            _ => {}
        }
        let is_free = |moment: &SymbolMoment| moment.uses.iter().any(|it| !it.is_conditional);
        if after > 0 && is_free(was) && !is_free(&self.now) {
            add(
                SymbolChange::Guarded,
                self.now.uses.first().map(|it| it.event_spot(TurnSide::New)),
            );
        }
    }

    /// Records the turn in the summary of the whole life: first definition, moves, last use.
    fn note_turn(&mut self, done: usize, was: &SymbolMoment) {
        if let Some(place) = &self.now.place {
            if !self.was_defined {
                self.life.first = Some(done);
            }
            if let Some(from) = was.place.as_ref().filter(|from| *from != place) {
                self.life.moves.push(SymbolMove {
                    turn: done,
                    from: from.clone(),
                    to: place.clone(),
                });
            }
            self.life.place = Some(place.clone());
            self.was_defined = true;
        }
        if !self.now.uses.is_empty() {
            self.was_used = true;
            self.life.last_used = Some(done);
            self.life.used_by.clone_from(&self.now.uses);
        }
    }

    /// Returns the life over `turns` turns.
    pub(crate) fn into_life(mut self, turns: usize) -> SymbolLife {
        self.stay_until(turns);
        self.life.cells.turns = turns;
        match self.life.cells.last_cell().map(|cell| cell.state) {
            Some(SymbolState::Unused) => self.life.unused_since = self.life.lost_turn(),
            Some(SymbolState::Gone) => {
                self.life.vanished =
                    self.life.cells.last_event(|it| it.change == SymbolChange::Vanished);
            }
            _ => {}
        }
        self.life
    }
}

impl SymbolMoment {
    fn new(
        snapshot: &FactsSnapshot,
        place: Option<DefinitionPlace>,
        mentions: &WordMentions<'_>,
    ) -> Self {
        let definition = place.as_ref().and_then(|it| snapshot.find_definition(&it.path, &it.name));
        let (hash, line) = definition.map_or((0, 1), |it| (it.hash, it.first_line()));
        let uses = place.as_ref().map(|it| snapshot.uses_of(&it.path, &it.name, mentions));
        let is_registered =
            place.as_ref().is_some_and(|it| snapshot.is_registered(&it.path, &it.name, mentions));
        Self { place, hash, line, uses: uses.unwrap_or_default(), is_registered }
    }

    fn use_count(&self) -> u32 {
        self.uses.iter().map(|it| it.count).sum()
    }

    fn event_spot(&self, side: TurnSide) -> Option<EventSpot> {
        self.place.as_ref().map(|place| EventSpot {
            path: place.path.clone(),
            line: self.line,
            side,
        })
    }
}

impl UsedBy {
    fn event_spot(&self, side: TurnSide) -> EventSpot {
        EventSpot { path: self.path.clone(), line: self.line, side }
    }
}

/// Returns the first place of `some` that `others` lack, or where they have fewer uses.
fn first_missing(some: &[UsedBy], others: &[UsedBy], side: TurnSide) -> Option<EventSpot> {
    let count = |all: &[UsedBy], one: &UsedBy| {
        let same = all.iter().filter(|it| it.path == one.path && it.within == one.within);
        same.map(|it| it.count).sum::<u32>()
    };
    let is_missing = |one: &&UsedBy| count(others, one) < count(some, one);
    some.iter().find(is_missing).or(some.first()).map(|it| it.event_spot(side))
}
