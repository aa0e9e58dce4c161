//! The memory over a run: events and what they took turn by turn, and how many of the cards were stale.

use super::{Cost, Event, Found, State, What};

/// What a memory did in a run, and what became of its cards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// In the order of their turns.
    pub events: Vec<Event>,
    /// A card's states, in the order of the events that gave one.
    pub cards: Vec<Given>,
    /// One a turn, in order.
    pub turns: Vec<AtTurn>,
}

/// A card that was given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// Which of the events gave it.
    pub event: usize,
    /// Each cited place as it was when the agent was given the card.
    pub when_given: Vec<Found>,
    /// Each cited place at the moment that was asked for.
    pub now: Vec<Found>,
    /// The turns that were done at the state that each place cites: that of its version, else the one that the agent saw;
    /// None where the version is no state of the run.
    pub cited: Vec<Option<usize>>,
}

/// Cards whose state is known, and how many of them are stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub known: usize,
    pub stale: usize,
}

/// One turn of the memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AtTurn {
    pub counts: Counts,
    /// The sums over the turn's events but cards; None where one of them does not say.
    pub cost: Cost,
    /// The cards given in the turn, as they were when given.
    pub when_given: Count,
    /// All cards given so far, after the turn.
    pub after: Count,
}

/// How many events of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    pub routing: usize,
    pub verification: usize,
    pub expansion: usize,
    pub cards: usize,
}

impl Count {
    /// The share that is stale, 0 to 1, lower is better; None where nothing is known.
    pub fn rate(self) -> Option<f64> {
        (self.known > 0).then(|| self.stale as f64 / self.known as f64)
    }

    /// Counts one card more, where its state is known.
    pub fn add(&mut self, state: State) {
        if let Some(is_stale) = state.is_stale() {
            self.known += 1;
            self.stale += usize::from(is_stale);
        }
    }
}

impl Counts {
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut counts = Self::default();
        for event in events {
            match event.what {
                What::Routing { .. } => counts.routing += 1,
                What::Verification { .. } => counts.verification += 1,
                What::Expansion { .. } => counts.expansion += 1,
                What::Card(_) => counts.cards += 1,
            }
        }
        counts
    }
}

impl Cost {
    /// The sums over events but cards, which take nothing by themselves; None where there is none, and where one of them
    /// does not say.
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let costs: Vec<Self> =
            events.into_iter().filter(|it| it.card().is_none()).map(|it| it.cost).collect();
        if costs.is_empty() {
            return Self::default();
        }
        Self {
            tokens: costs.iter().map(|it| it.tokens).sum(),
            seconds: costs.iter().map(|it| it.seconds).sum(),
            cost_usd: costs.iter().map(|it| it.cost_usd).sum(),
        }
    }
}

impl Course {
    /// Of events in the order of their turns, and the states of the cards; `after` has the count of all cards given so far,
    /// after each turn.
    pub fn of(events: Vec<Event>, cards: Vec<Given>, after: &[Count]) -> Self {
        let turn = |(turn, after): (usize, &Count)| {
            let before = |turn: usize| events.partition_point(|it| it.turn < turn);
            let own = &events[before(turn)..before(turn + 1)];
            let mut when_given = Count::default();
            let given = cards.iter().filter(|card| events[card.event].turn == turn);
            given.for_each(|card| when_given.add(State::of_card(&card.when_given)));
            AtTurn { counts: Counts::of(own), cost: Cost::of(own), when_given, after: *after }
        };
        let turns = after.iter().enumerate().map(turn).collect();
        Self { events, cards, turns }
    }

    /// The cards given in the first turns, so many of them, as they were when given.
    pub fn when_given_by(&self, done: usize) -> Count {
        let mut count = Count::default();
        for turn in self.turns.iter().take(done) {
            count.known += turn.when_given.known;
            count.stale += turn.when_given.stale;
        }
        count
    }

    /// All cards, as they were when given.
    pub fn when_given(&self) -> Count {
        self.count(|card| &card.when_given)
    }

    /// All cards, at the moment that was asked for.
    pub fn now(&self) -> Count {
        self.count(|card| &card.now)
    }

    fn count(&self, of: impl Fn(&Given) -> &Vec<Found>) -> Count {
        let mut count = Count::default();
        self.cards.iter().for_each(|card| count.add(State::of_card(of(card))));
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Card;

    fn event(turn: usize, tokens: Option<u64>, what: What) -> Event {
        let cost = Cost { tokens, ..Cost::default() };
        Event { turn, step: None, at: None, cost, what }
    }

    #[test]
    fn turns_sum_up_their_events_and_a_sum_that_lacks_a_part_is_none() {
        let expansion = || What::Expansion { chunks: vec![] };
        let events = vec![
            event(0, Some(3), expansion()),
            event(0, Some(4), expansion()),
            event(1, None, What::Card(Card::default())),
            event(1, None, expansion()),
        ];
        let found = |state| vec![Found { state, ..Found::default() }];
        let given = Given {
            event: 2,
            when_given: found(State::Stale),
            now: found(State::Current),
            cited: vec![None],
        };
        let after = [Count::default(), Count { known: 1, stale: 0 }, Count::default()];

        let course = Course::of(events, vec![given], &after);

        let tokens: Vec<_> = course.turns.iter().map(|turn| turn.cost.tokens).collect();
        assert_eq!(tokens, [Some(7), None, None]);
        let rates: Vec<_> = course.turns.iter().map(|turn| turn.when_given.rate()).collect();
        assert_eq!(rates, [None, Some(1.0), None]);
        assert_eq!(course.turns[1].after.rate(), Some(0.0));
        let so_far = [1, 2, 3].map(|done| course.when_given_by(done).rate());
        assert_eq!(so_far, [None, Some(1.0), Some(1.0)]);
        assert_eq!(course.turns[1].counts, Counts { cards: 1, expansion: 1, ..Counts::default() });
        assert_eq!((course.when_given().rate(), course.now().rate()), (Some(1.0), Some(0.0)));
    }
}
