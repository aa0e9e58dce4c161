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
    /// One a turn, in order.
    pub cells: Vec<Cell>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub state: State,
    /// The worst first.
    pub events: Vec<Event>,
}

impl SymbolLife {
    /// The turn from which on it is lost: unused and never used again, or gone.
    pub fn lost(&self) -> Option<usize> {
        let last = self.cells.last()?;
        let is_lost = |cell: &&Cell| matches!(cell.state, State::Unused | State::Gone);
        if !is_lost(&last) {
            return None;
        }
        let kept = self.cells.iter().rposition(|cell| !is_lost(&cell));
        Some(kept.map_or(0, |kept| kept + 1) + 1)
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

    /// Takes the next moment: `done` turns are done, and `mentions` knows what the last of them touched.
    pub fn go_on(
        &mut self,
        chains: &Chains,
        done: usize,
        snapshot: &Snapshot,
        mentions: &Mentions<'_>,
    ) {
        let is_touched = |place: &Place| mentions.is_touched(place.simple());
        let stays = || {
            !chains.moves(self.chain, done)
                || chains.place(self.chain, done) == self.now.place.as_ref()
        };
        let is_same = done > 0 && stays() && !self.now.place.as_ref().is_some_and(is_touched);
        if is_same {
            let state = self.state();
            self.life.cells.push(Cell { state, events: vec![] });
            if state == State::Used {
                self.life.last_used = Some(done);
            }
            return;
        }
        let place = chains.place(self.chain, done).cloned();
        let was = std::mem::replace(&mut self.now, Moment::of(snapshot, place, mentions));
        let is_taken_in = chains.all[self.chain].became.is_some_and(|(turn, _)| turn == done);
        let mut events = self.events(&was, is_taken_in);
        self.note(done, &was);
        if done == 0 {
            return;
        }
        events.sort_by(|a, b| b.what.cmp(&a.what));
        self.life.cells.push(Cell { state: self.state(), events });
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

    pub fn finish(mut self) -> SymbolLife {
        let vanished = |cell: &Cell| cell.events.iter().any(|it| it.what == What::Vanished);
        match self.life.cells.last().map(|cell| cell.state) {
            Some(State::Unused) => self.life.unused_since = self.life.lost(),
            Some(State::Gone) => {
                self.life.vanished = self.life.cells.iter().rposition(vanished).map(|at| at + 1);
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
