//! Sums up the memory over a run: events and their cost turn by turn, and the number of stale cards.

use super::{CardState, CitedPlaceState, MemoryCost, MemoryEvent, MemoryEventKind};

/// The events of a memory in a run, and the states of its cards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryTimeline {
    /// Events, in the order of their turns.
    pub events: Vec<MemoryEvent>,
    /// The states of each card, in the order of the events that gave one.
    pub cards: Vec<GivenCard>,
    /// One entry per turn, in order.
    pub turns: Vec<MemoryTurn>,
}

/// A card that the agent was given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenCard {
    /// Index of the event that gave it.
    pub event: usize,
    /// Each cited place as it was when the agent was given the card.
    pub when_given: Vec<CitedPlaceState>,
    /// Each cited place at the requested moment.
    pub at_moment: Vec<CitedPlaceState>,
    /// The number of turns done at the state that each place cites (that of its version, else the one that the agent
    /// saw); None where the version is no state of the run.
    pub cited: Vec<Option<usize>>,
}

/// Cards whose state is known, and how many of them are stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StaleCount {
    pub known: usize,
    pub stale: usize,
}

/// The events and cards of one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryTurn {
    pub counts: EventCounts,
    /// The cost of the turn's events without cards; None where one of them has none recorded.
    pub cost: MemoryCost,
    /// The cards given in the turn, with their states at that moment.
    pub when_given: StaleCount,
    /// All cards given so far, with their states after the turn.
    pub after: StaleCount,
}

/// The number of events of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct EventCounts {
    pub routing: usize,
    pub verification: usize,
    pub expansion: usize,
    pub cards: usize,
}

impl StaleCount {
    /// Returns the stale share of the cards, 0 to 1, lower is better; None where no state is known.
    pub fn stale_rate(self) -> Option<f64> {
        (self.known > 0).then(|| self.stale as f64 / self.known as f64)
    }

    /// Counts one more card, where its state is known.
    pub fn count_card(&mut self, state: CardState) {
        if let Some(is_stale) = state.is_stale() {
            self.known += 1;
            self.stale += usize::from(is_stale);
        }
    }
}

impl EventCounts {
    pub fn from_events<'e>(events: impl IntoIterator<Item = &'e MemoryEvent>) -> Self {
        let mut counts = Self::default();
        for event in events {
            match event.what {
                MemoryEventKind::Routing { .. } => counts.routing += 1,
                MemoryEventKind::Verification { .. } => counts.verification += 1,
                MemoryEventKind::Expansion { .. } => counts.expansion += 1,
                MemoryEventKind::Card(_) => counts.cards += 1,
            }
        }
        counts
    }
}

impl MemoryCost {
    /// Returns the sums over events without cards, which cost nothing by themselves; None where there are no events,
    /// and where one of them has no value.
    pub fn from_events<'e>(events: impl IntoIterator<Item = &'e MemoryEvent>) -> Self {
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

impl MemoryTimeline {
    /// Builds the timeline from events in the order of their turns, and the states of the cards; `after` has the count
    /// of all cards given so far, after each turn.
    pub fn new(events: Vec<MemoryEvent>, cards: Vec<GivenCard>, after: &[StaleCount]) -> Self {
        let turn = |(turn, after): (usize, &StaleCount)| {
            let before = |turn: usize| events.partition_point(|it| it.turn < turn);
            let events_of_turn = &events[before(turn)..before(turn + 1)];
            let mut when_given = StaleCount::default();
            let cards_of_turn = cards.iter().filter(|card| events[card.event].turn == turn);
            cards_of_turn
                .for_each(|card| when_given.count_card(CardState::of_card(&card.when_given)));
            MemoryTurn {
                counts: EventCounts::from_events(events_of_turn),
                cost: MemoryCost::from_events(events_of_turn),
                when_given,
                after: *after,
            }
        };
        let turns = after.iter().enumerate().map(turn).collect();
        Self { events, cards, turns }
    }

    /// Returns the count of the cards given in the first `done` turns, by their states when given.
    pub fn when_given_by(&self, done: usize) -> StaleCount {
        let mut count = StaleCount::default();
        for turn in self.turns.iter().take(done) {
            count.known += turn.when_given.known;
            count.stale += turn.when_given.stale;
        }
        count
    }

    /// Returns the count of all cards, by their states when given.
    pub fn when_given(&self) -> StaleCount {
        self.count_cards(|card| &card.when_given)
    }

    /// Returns the count of all cards, by their states at the requested moment.
    pub fn at_moment(&self) -> StaleCount {
        self.count_cards(|card| &card.at_moment)
    }

    fn count_cards(&self, places: impl Fn(&GivenCard) -> &Vec<CitedPlaceState>) -> StaleCount {
        let mut count = StaleCount::default();
        self.cards.iter().for_each(|card| count.count_card(CardState::of_card(places(card))));
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::EvidenceCard;

    fn memory_event(turn: usize, tokens: Option<u64>, what: MemoryEventKind) -> MemoryEvent {
        let cost = MemoryCost { tokens, ..MemoryCost::default() };
        MemoryEvent { turn, step: None, at: None, cost, what }
    }

    #[test]
    fn turns_sum_up_their_events_and_a_sum_that_lacks_a_part_is_none() {
        let expansion = || MemoryEventKind::Expansion { chunks: vec![] };
        let events = vec![
            memory_event(0, Some(3), expansion()),
            memory_event(0, Some(4), expansion()),
            memory_event(1, None, MemoryEventKind::Card(EvidenceCard::default())),
            memory_event(1, None, expansion()),
        ];
        let places_in_state = |state| vec![CitedPlaceState { state, ..CitedPlaceState::default() }];
        let card = GivenCard {
            event: 2,
            when_given: places_in_state(CardState::Stale),
            at_moment: places_in_state(CardState::Current),
            cited: vec![None],
        };
        let after =
            [StaleCount::default(), StaleCount { known: 1, stale: 0 }, StaleCount::default()];

        let course = MemoryTimeline::new(events, vec![card], &after);

        let tokens: Vec<_> = course.turns.iter().map(|turn| turn.cost.tokens).collect();
        assert_eq!(tokens, [Some(7), None, None]);
        let rates: Vec<_> = course.turns.iter().map(|turn| turn.when_given.stale_rate()).collect();
        assert_eq!(rates, [None, Some(1.0), None]);
        assert_eq!(course.turns[1].after.stale_rate(), Some(0.0));
        let so_far = [1, 2, 3].map(|done| course.when_given_by(done).stale_rate());
        assert_eq!(so_far, [None, Some(1.0), Some(1.0)]);
        assert_eq!(
            course.turns[1].counts,
            EventCounts { cards: 1, expansion: 1, ..EventCounts::default() }
        );
        assert_eq!(
            (course.when_given().stale_rate(), course.at_moment().stale_rate()),
            (Some(1.0), Some(0.0))
        );
    }
}
