//! One symbol over the turns: its state after each, and what each did to it.

use super::{
    chains::{Chains, Place},
    event::{Event, Side, Spot, State, What},
    mentions::Mentions,
    snapshot::{Snapshot, UsedBy},
};

/// A symbol and its life. Turns count from 1; 0 is before the first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SymbolLife {
    /// As the component names it, or as it was called at the judged commit.
    pub name: Box<str>,
    pub source: Source,
    /// Where it is, or was last; None where it was never defined.
    pub place: Option<Place>,
    /// The turn that defined it.
    pub first: Option<usize>,
    /// The last turn after which it was in use.
    pub last_used: Option<usize>,
    /// The turn after which nobody uses it any more, where it is still defined at the end.
    pub unused_since: Option<usize>,
    /// The turn that removed it for good.
    pub vanished: Option<usize>,
    pub moves: Vec<Move>,
    pub cells: Cells,
    /// Who used it at the end, or when it was last used.
    pub used_by: Vec<UsedBy>,
}

/// Why a symbol stands for a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Source {
    /// The component's name gives it.
    #[default]
    Name,
    /// The evidence of a verdict lies in it.
    Evidence,
}

/// From one place to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub turn: usize,
    pub from: Place,
    pub to: Place,
}

/// What a turn did to a symbol and how it left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'l> {
    pub state: State,
    /// The worst first.
    pub events: &'l [Event],
}

/// A cell a turn, in order. Most turns do nothing to a symbol: those that do are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    turns: usize,
    /// Before the first turn.
    first: State,
    /// The turns (counting from 1, ascending) after which it may stand in another way, and what they did.
    changes: Vec<(usize, State, Vec<Event>)>,
}

impl Default for Cells {
    fn default() -> Self {
        Self::still(State::Before, 0)
    }
}

impl Cells {
    /// Of what no turn does anything to.
    pub const fn still(state: State, turns: usize) -> Self {
        Self { turns, first: state, changes: vec![] }
    }

    pub const fn len(&self) -> usize {
        self.turns
    }

    pub const fn is_empty(&self) -> bool {
        self.turns == 0
    }

    /// The cell of a turn, which counts from 0.
    pub fn get(&self, at: usize) -> Option<Cell<'_>> {
        let turn = (at < self.turns).then_some(at + 1)?;
        let known = self.changes.partition_point(|(since, ..)| *since <= turn);
        Some(match known.checked_sub(1).map(|known| &self.changes[known]) {
            Some((since, state, events)) if *since == turn => Cell { state: *state, events },
            Some((_, state, _)) => Cell { state: *state, events: &[] },
            None => Cell { state: self.first, events: &[] },
        })
    }

    pub fn last(&self) -> Option<Cell<'_>> {
        self.get(self.turns.checked_sub(1)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.turns).filter_map(|at| self.get(at))
    }

    /// The last turn (counts from 1) that did this, by what it did.
    fn last_event(&self, is: impl Fn(&Event) -> bool) -> Option<usize> {
        let did = self.changes.iter().rfind(|(_, _, events)| events.iter().any(&is));
        did.map(|(turn, ..)| *turn)
    }

    /// The turn (counts from 1) from which on its state is one of these to the end; None where the last is not.
    fn since(&self, is: impl Fn(State) -> bool) -> Option<usize> {
        if !self.last().is_some_and(|cell| is(cell.state)) {
            return None;
        }
        let kept = self.changes.iter().rposition(|(_, state, _)| !is(*state));
        let next = kept.map_or(0, |kept| kept + 1);
        // Before the first change it stands as at first.
        let is_all = kept.is_none() && is(self.first);
        if is_all { Some(1) } else { self.changes.get(next).map(|(turn, ..)| *turn) }
    }
}

impl SymbolLife {
    /// The turn from which on it is lost: unused and never used again, or gone.
    pub fn lost(&self) -> Option<usize> {
        self.cells.since(|state| matches!(state, State::Unused | State::Gone))
    }
}

/// A symbol at one moment.
#[derive(Debug, Clone, Default)]
struct Moment {
    place: Option<Place>,
    hash: u64,
    line: u32,
    uses: Vec<UsedBy>,
    is_registered: bool,
}

/// Builds a life turn by turn.
#[derive(Debug)]
pub(super) struct Living {
    chain: usize,
    now: Moment,
    was_defined: bool,
    was_used: bool,
    life: SymbolLife,
}

impl Living {
    pub fn new(chain: usize, name: Box<str>, source: Source) -> Self {
        let life = SymbolLife { name, source, ..SymbolLife::default() };
        let now = Moment::default();
        Self { chain, now, was_defined: false, was_used: false, life }
    }

    /// The chain that it follows.
    pub const fn chain(&self) -> usize {
        self.chain
    }

    /// Its name now, without what it lies in; None where it is not defined.
    pub fn name_now(&self) -> Option<&str> {
        self.now.place.as_ref().map(Place::simple)
    }

    /// Takes a moment that may have done something to it: one where its chain may stand elsewhere, or that touched its name.
    /// `done` turns are done; those since the last that it took left it as it was.
    pub fn go_on(
        &mut self,
        chains: &Chains,
        done: usize,
        snapshot: &Snapshot,
        mentions: &Mentions<'_>,
    ) {
        self.stay_until(done.saturating_sub(1));
        let place = chains.place(self.chain, done).cloned();
        let was = std::mem::replace(&mut self.now, Moment::of(snapshot, place, mentions));
        let is_taken_in = chains.all[self.chain].became.is_some_and(|(turn, _)| turn == done);
        let mut events = self.events(&was, is_taken_in);
        self.note(done, &was);
        let state = self.state();
        if done == 0 {
            self.life.cells.first = state;
            return;
        }
        events.sort_by(|a, b| b.what.cmp(&a.what));
        self.life.cells.changes.push((done, state, events));
    }

    /// Nothing was done to it up to that many turns.
    fn stay_until(&mut self, done: usize) {
        if self.state() == State::Used {
            self.life.last_used = self.life.last_used.max(Some(done));
        }
    }

    fn state(&self) -> State {
        match (&self.now.place, self.now.uses.is_empty()) {
            (None, _) if self.was_defined => State::Gone,
            (None, _) => State::Before,
            (Some(_), false) => State::Used,
            (Some(_), true) if self.now.is_registered => State::Registered,
            (Some(_), true) if self.was_used => State::Unused,
            (Some(_), true) => State::Idle,
        }
    }

    /// What lies between two moments.
    fn events(&self, was: &Moment, is_taken_in: bool) -> Vec<Event> {
        let here = || self.now.spot(Side::New);
        let mut events = vec![];
        let mut add = |what, spot| events.push(Event { what, spot });
        match (&was.place, &self.now.place) {
            (None, None) => return vec![],
            (Some(_), None) => {
                add(What::Vanished, was.spot(Side::Old));
                return events;
            }
            (None, Some(_)) if self.was_defined => add(What::Back, here()),
            (None, Some(_)) => add(What::Appeared, here()),
            (Some(from), Some(to)) => {
                let (from, to) = (from.clone(), to.clone());
                if is_taken_in {
                    add(What::TakenIn { from, to }, here());
                } else if from.simple() != to.simple() {
                    add(What::Renamed { from, to }, here());
                } else if from != to {
                    add(What::Moved { from, to }, here());
                }
                if was.hash != self.now.hash && !is_taken_in {
                    add(What::Changed, here());
                }
            }
        }
        self.uses(was, &mut events);
        events
    }

    fn uses(&self, was: &Moment, events: &mut Vec<Event>) {
        let (before, after) = (was.count(), self.now.count());
        let lost = || first_missing(&was.uses, &self.now.uses, Side::Old);
        let gained = || first_missing(&self.now.uses, &was.uses, Side::New);
        let mut add = |what, spot| events.push(Event { what, spot });
        match (before, after) {
            (0, 0) => {}
            (0, _) if self.was_used => add(What::UsedAgain, gained()),
            (0, _) => add(What::FirstUsed, gained()),
            (_, 0) => add(What::LastUseLost, lost()),
            _ if before < after => add(What::UsesGained(after - before), gained()),
            _ if after < before => add(What::UsesLost(before - after), lost()),
            _ => {}
        }
        let is_free = |moment: &Moment| moment.uses.iter().any(|it| !it.is_conditional);
        if after > 0 && is_free(was) && !is_free(&self.now) {
            add(What::Guarded, self.now.uses.first().map(|it| it.spot(Side::New)));
        }
    }

    /// Keeps what the whole life is told by.
    fn note(&mut self, done: usize, was: &Moment) {
        if let Some(place) = &self.now.place {
            if !self.was_defined {
                self.life.first = Some(done);
            }
            if let Some(from) = was.place.as_ref().filter(|from| *from != place) {
                self.life.moves.push(Move { turn: done, from: from.clone(), to: place.clone() });
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

    /// Its life over that many turns.
    pub fn finish(mut self, turns: usize) -> SymbolLife {
        self.stay_until(turns);
        self.life.cells.turns = turns;
        match self.life.cells.last().map(|cell| cell.state) {
            Some(State::Unused) => self.life.unused_since = self.life.lost(),
            Some(State::Gone) => {
                self.life.vanished = self.life.cells.last_event(|it| it.what == What::Vanished);
            }
            _ => {}
        }
        self.life
    }
}

impl Moment {
    fn of(snapshot: &Snapshot, place: Option<Place>, mentions: &Mentions<'_>) -> Self {
        let found = place.as_ref().and_then(|it| snapshot.definition(&it.path, &it.name));
        let (hash, line) = found.map_or((0, 1), |it| (it.hash, it.line()));
        let uses = place.as_ref().map(|it| snapshot.uses_of(&it.path, &it.name, mentions));
        let is_registered =
            place.as_ref().is_some_and(|it| snapshot.is_registered(&it.path, &it.name, mentions));
        Self { place, hash, line, uses: uses.unwrap_or_default(), is_registered }
    }

    fn count(&self) -> u32 {
        self.uses.iter().map(|it| it.count).sum()
    }

    fn spot(&self, side: Side) -> Option<Spot> {
        self.place.as_ref().map(|place| Spot { path: place.path.clone(), line: self.line, side })
    }
}

impl UsedBy {
    fn spot(&self, side: Side) -> Spot {
        Spot { path: self.path.clone(), line: self.line, side }
    }
}

/// The first place of `some` that `others` lack, or where they have fewer.
fn first_missing(some: &[UsedBy], others: &[UsedBy], side: Side) -> Option<Spot> {
    let count = |all: &[UsedBy], one: &UsedBy| {
        let same = all.iter().filter(|it| it.path == one.path && it.within == one.within);
        same.map(|it| it.count).sum::<u32>()
    };
    let is_missing = |one: &&UsedBy| count(others, one) < count(some, one);
    some.iter().find(is_missing).or(some.first()).map(|it| it.spot(side))
}
