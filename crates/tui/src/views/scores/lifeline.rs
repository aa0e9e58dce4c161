//! The lifelines of the components: what stands for each of their turns, and the ways over them.

use crate::{session::Session, views::scores::components::Components};
use trajview_metrics::lifeline::{Event, Lifeline, State, SymbolLife, What};

use super::components::Part;

/// One turn of a lifeline, as one sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Nothing there, and nothing promised.
    Nothing,
    Committed,
    Appeared,
    Changed,
    Gained,
    Dropped,
    Renamed,
    Guarded,
    Back,
    Unused,
    Vanished,
    /// Nothing happened; how it stands.
    Stands(State),
}

impl Sign {
    /// How much it asks to be seen, where one sign stands for several turns.
    const fn rank(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Stands(_) => 1,
            Self::Gained => 2,
            Self::Changed => 3,
            Self::Dropped => 4,
            Self::Renamed => 5,
            Self::Guarded => 6,
            Self::Committed => 7,
            Self::Back => 8,
            Self::Appeared => 9,
            Self::Unused => 10,
            Self::Vanished => 11,
        }
    }

    const fn of(what: &What) -> Self {
        match what {
            What::UsesGained(_) | What::FirstUsed => Self::Gained,
            What::Changed => Self::Changed,
            What::Appeared => Self::Appeared,
            What::Moved { .. } | What::Renamed { .. } | What::TakenIn { .. } => Self::Renamed,
            What::UsedAgain | What::Back => Self::Back,
            What::UsesLost(_) => Self::Dropped,
            What::Guarded => Self::Guarded,
            What::LastUseLost => Self::Unused,
            What::Vanished => Self::Vanished,
        }
    }

    fn standing(state: State) -> Self {
        if state == State::Before { Self::Nothing } else { Self::Stands(state) }
    }
}

/// The signs of a whole component, one a turn.
pub fn signs(lifeline: &Lifeline, turns: usize) -> Vec<Sign> {
    let sign = |turn: usize| match lifeline.events(turn).first() {
        Some((_, event)) => Sign::of(&event.what),
        None if lifeline.committed == Some(turn) => Sign::Committed,
        None => Sign::standing(lifeline.state(turn)),
    };
    (1..=turns).map(sign).collect()
}

/// How a whole component stands after each turn.
pub fn standing_signs(lifeline: &Lifeline, turns: usize) -> Vec<Sign> {
    (1..=turns).map(|turn| Sign::standing(lifeline.state(turn))).collect()
}

/// How one symbol stands after each turn.
pub fn standing_signs_of(life: &SymbolLife) -> Vec<Sign> {
    life.cells.iter().map(|cell| Sign::standing(cell.state)).collect()
}

/// The signs of one symbol, one a turn.
pub fn signs_of(life: &SymbolLife) -> Vec<Sign> {
    let cells = life.cells.iter();
    cells
        .map(|cell| match cell.events.first() {
            Some(event) => Sign::of(&event.what),
            None => Sign::standing(cell.state),
        })
        .collect()
}

/// As many signs as there are cells, each the most telling of its turns.
pub fn squeezed(signs: &[Sign], cells: usize) -> Vec<Sign> {
    if signs.len() <= cells || cells == 0 {
        return signs[..signs.len().min(cells)].to_vec();
    }
    let bounds = |cell: usize| cell * signs.len() / cells..(cell + 1) * signs.len() / cells;
    let most = |cell: usize| {
        let all = &signs[bounds(cell)];
        all.iter().copied().max_by_key(|sign| sign.rank()).unwrap_or(Sign::Nothing)
    };
    (0..cells).map(most).collect()
}

/// Where turns stand in a row of cells: each in as many as there are for all, or in one, and then a part of the turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The first turn that is shown; counts from 0.
    first: usize,
    turns: usize,
    /// Cells a turn.
    cells: usize,
    width: usize,
}

impl Axis {
    /// A wider turn says no more.
    const WIDEST: usize = 4;

    /// So that `turn` is among those that are shown.
    pub fn of(turn: usize, turns: usize, width: usize) -> Self {
        let cells = (width / turns.max(1)).clamp(1, Self::WIDEST);
        Self {
            first: crate::widgets::scroll::centred(turn, turns, width / cells),
            turns,
            cells,
            width,
        }
    }

    /// The turns that are shown, each with its first cell.
    pub fn shown(self) -> impl Iterator<Item = (usize, usize)> {
        (self.first..self.turns)
            .map(move |turn| (turn, (turn - self.first) * self.cells))
            .take_while(move |(_, cell)| *cell < self.width)
    }

    /// The first cell of a turn; None where it is not shown.
    pub fn cell_of(self, turn: usize) -> Option<usize> {
        self.shown().find(|(other, _)| *other == turn).map(|(_, cell)| cell)
    }

    /// The turn in a cell.
    pub fn turn_at(self, cell: usize) -> Option<usize> {
        let turn = self.first + cell / self.cells;
        (cell < self.width && turn < self.turns).then_some(turn)
    }

    /// The signs in the cells of the turns that are shown: what happened, then how it stands.
    pub fn spread(self, signs: &[Sign], standing: &[Sign]) -> Vec<Sign> {
        let turn = |(turn, _): (usize, usize)| {
            let event = signs.get(turn).copied().unwrap_or(Sign::Nothing);
            let after = standing.get(turn).copied().unwrap_or(Sign::Nothing);
            [event].into_iter().chain(std::iter::repeat_n(after, self.cells - 1))
        };
        self.shown().flat_map(turn).take(self.width).collect()
    }
}

impl Components {
    /// Of the component that is chosen.
    pub fn lifeline<'s>(&self, session: &'s Session) -> Option<&'s Lifeline> {
        session.rubric.lifeline_of(&self.component_row(session)?.id)
    }

    /// Turns (counted from 0) that did something to the chosen component.
    fn eventful(&self, session: &Session) -> Vec<usize> {
        let Some(lifeline) = self.lifeline(session) else { return vec![] };
        let is_one = |turn: &usize| {
            lifeline.committed == Some(turn + 1) || !lifeline.events(turn + 1).is_empty()
        };
        (0..session.run.turns.len()).filter(is_one).collect()
    }

    pub(super) fn go_to_event(&mut self, session: &mut Session, by: isize) {
        let turns = self.eventful(session);
        let count = by.unsigned_abs().max(1);
        let wanted = if by > 0 {
            turns.iter().filter(|turn| **turn > session.turn).nth(count - 1)
        } else {
            turns.iter().rev().filter(|turn| **turn < session.turn).nth(count - 1)
        };
        match wanted {
            Some(turn) => session.select_turn(*turn),
            None => session.notice = Some(self.why_no_event(session, by > 0)),
        }
    }

    fn why_no_event(&self, session: &Session, is_later: bool) -> String {
        let Some(row) = self.component_row(session) else { return "no component is chosen".into() };
        match self.lifeline(session) {
            None => session.rubric.why_no_lifeline(),
            Some(_) if is_later => format!("nothing happens to {} after this turn", row.id),
            Some(_) => format!("nothing happens to {} before this turn", row.id),
        }
    }

    pub(super) fn go_to_loss(&mut self, session: &mut Session) {
        let Some(row) = self.component_row(session) else {
            session.notice = Some("no component is chosen".into());
            return;
        };
        let Some(lifeline) = self.lifeline(session) else {
            session.notice = Some(session.rubric.why_no_lifeline());
            return;
        };
        session.notice = Some(match lifeline.lost_at {
            Some(turn) => {
                let words = format!("{} is lost in turn {turn}; enter shows the lines", row.id);
                session.select_turn(turn - 1);
                self.part = Part::Lifeline;
                words
            }
            None => {
                format!("{} is not lost: {}", row.id, standing(lifeline, session.run.turns.len()))
            }
        });
    }

    /// What the playhead's turn did to the chosen component, the worst first.
    pub fn events_here<'s>(&self, session: &'s Session) -> Vec<(&'s SymbolLife, &'s Event)> {
        self.lifeline(session).map(|it| it.events(session.turn + 1)).unwrap_or_default()
    }
}

/// How the symbols of a component stand after a turn: `snr_weight in use`.
pub fn standing(lifeline: &Lifeline, turn: usize) -> String {
    let said: Vec<String> = lifeline
        .deciding()
        .filter_map(|life| {
            let cell = life.cells.get(turn.checked_sub(1)?)?;
            Some(format!("{} {}", life.name, cell.state.words()))
        })
        .collect();
    if !said.is_empty() {
        return said.join(", ");
    }
    let named: Vec<&str> = lifeline.symbols.iter().map(|life| &*life.name).collect();
    match named.as_slice() {
        [] => "neither its name nor a verdict names a symbol to follow".into(),
        names => format!("no code defines {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_turns_share_a_cell_the_loss_is_seen() {
        let stands = Sign::Stands(State::Used);
        let signs = [Sign::Nothing, Sign::Committed, stands, Sign::Changed, stands, Sign::Vanished];

        assert_eq!(squeezed(&signs, 3), [Sign::Committed, Sign::Changed, Sign::Vanished]);
        assert_eq!(squeezed(&signs, 9), signs);
        assert_eq!(squeezed(&signs, 0), []);
    }

    #[test]
    fn a_turn_is_found_in_every_cell_it_has() {
        let axis = Axis::of(0, 5, 12);
        assert_eq!(axis.shown().map(|(_, cell)| cell).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!([0, 1, 9, 10].map(|cell| axis.turn_at(cell)), [Some(0), Some(0), Some(4), None]);
        let (event, stands) = (Sign::Appeared, Sign::Stands(State::Used));
        let spread = axis.spread(&[event; 5], &[stands; 5]);
        assert_eq!((spread.len(), spread[0], spread[1]), (10, event, stands));
        assert_eq!(Axis::of(99, 100, 10).turn_at(9), Some(99));
    }
}
