//! The lifelines of the components: the sign of each turn, and moving along the turns.

use crate::session::context::KeyContext;
use crate::{session::Session, views::scores::components::ComponentsView};
use trajview_metrics::lifeline::{Lifeline, SymbolChange, SymbolEvent, SymbolLife, SymbolState};

use super::components::ComponentsPart;

/// One turn of a lifeline, as one sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifelineSign {
    /// The component is not there and was not promised.
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
    /// Nothing happened. Shows the current state.
    Stands(SymbolState),
}

impl LifelineSign {
    /// Returns the priority of the sign if one cell has to represent several turns.
    const fn sign_rank(self) -> u8 {
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

    const fn for_event(what: &SymbolChange) -> Self {
        match what {
            SymbolChange::UsesGained(_) | SymbolChange::FirstUsed => Self::Gained,
            SymbolChange::Changed => Self::Changed,
            SymbolChange::Appeared => Self::Appeared,
            SymbolChange::Moved { .. }
            | SymbolChange::Renamed { .. }
            | SymbolChange::TakenIn { .. } => Self::Renamed,
            SymbolChange::UsedAgain | SymbolChange::Back => Self::Back,
            SymbolChange::UsesLost(_) => Self::Dropped,
            SymbolChange::Guarded => Self::Guarded,
            SymbolChange::LastUseLost => Self::Unused,
            SymbolChange::Vanished => Self::Vanished,
        }
    }

    fn for_state(state: SymbolState) -> Self {
        if state == SymbolState::Before { Self::Nothing } else { Self::Stands(state) }
    }
}

/// Returns the signs of a whole component, one for each turn.
pub(crate) fn turn_signs(lifeline: &Lifeline, turns: usize) -> Vec<LifelineSign> {
    let sign = |turn: usize| match lifeline.events_at(turn).first() {
        Some((_, event)) => LifelineSign::for_event(&event.change),
        None if lifeline.committed == Some(turn) => LifelineSign::Committed,
        None => LifelineSign::for_state(lifeline.state_after(turn)),
    };
    (1..=turns).map(sign).collect()
}

/// Returns the state of a whole component after each turn.
pub(crate) fn standing_signs(lifeline: &Lifeline, turns: usize) -> Vec<LifelineSign> {
    (1..=turns).map(|turn| LifelineSign::for_state(lifeline.state_after(turn))).collect()
}

/// Returns the state of one symbol after each turn.
pub(crate) fn symbol_standing_signs(life: &SymbolLife) -> Vec<LifelineSign> {
    life.cells.iter().map(|cell| LifelineSign::for_state(cell.state)).collect()
}

/// Returns the signs of one symbol, one a turn.
pub(crate) fn symbol_signs(life: &SymbolLife) -> Vec<LifelineSign> {
    let cells = life.cells.iter();
    cells
        .map(|cell| match cell.events.first() {
            Some(event) => LifelineSign::for_event(&event.change),
            None => LifelineSign::for_state(cell.state),
        })
        .collect()
}

/// Returns one sign for each cell: the most important sign of the cell's turns.
pub(crate) fn squeeze_signs(signs: &[LifelineSign], cells: usize) -> Vec<LifelineSign> {
    if signs.len() <= cells || cells == 0 {
        return signs[..signs.len().min(cells)].to_vec();
    }
    let bounds = |cell: usize| cell * signs.len() / cells..(cell + 1) * signs.len() / cells;
    let most = |cell: usize| {
        let all = &signs[bounds(cell)];
        all.iter().copied().max_by_key(|sign| sign.sign_rank()).unwrap_or(LifelineSign::Nothing)
    };
    (0..cells).map(most).collect()
}

/// The placement of turns in a row of cells. If all turns fit, each has the same number of cells. Otherwise each has
/// one cell and only a part of the turns is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnAxis {
    /// The first turn that is shown; counts from 0.
    first: usize,
    turns: usize,
    /// Cells a turn.
    cells: usize,
    width: usize,
}

impl TurnAxis {
    /// Most cells of one turn.
    const WIDEST: usize = 4;

    /// Computes an axis that shows `turn`.
    pub(crate) fn around_turn(turn: usize, turns: usize, width: usize) -> Self {
        let cells = (width / turns.max(1)).clamp(1, Self::WIDEST);
        Self {
            first: crate::widgets::scroll::centred_top(turn, turns, width / cells),
            turns,
            cells,
            width,
        }
    }

    /// Returns the turns that are shown, each with its first cell.
    pub(crate) fn shown_turns(self) -> impl Iterator<Item = (usize, usize)> {
        (self.first..self.turns)
            .map(move |turn| (turn, (turn - self.first) * self.cells))
            .take_while(move |(_, cell)| *cell < self.width)
    }

    /// Returns the first cell of a turn. None if it is not shown.
    pub(crate) fn turn_cell(self, turn: usize) -> Option<usize> {
        self.shown_turns().find(|(other, _)| *other == turn).map(|(_, cell)| cell)
    }

    /// Returns the turn in a cell.
    pub(crate) fn turn_at(self, cell: usize) -> Option<usize> {
        let turn = self.first + cell / self.cells;
        (cell < self.width && turn < self.turns).then_some(turn)
    }

    /// Returns the signs in the cells of the shown turns: first the event of the turn, then the state after it.
    pub(crate) fn spread_signs(
        self,
        signs: &[LifelineSign],
        standing: &[LifelineSign],
    ) -> Vec<LifelineSign> {
        let turn = |(turn, _): (usize, usize)| {
            let event = signs.get(turn).copied().unwrap_or(LifelineSign::Nothing);
            let after = standing.get(turn).copied().unwrap_or(LifelineSign::Nothing);
            [event].into_iter().chain(std::iter::repeat_n(after, self.cells - 1))
        };
        self.shown_turns().flat_map(turn).take(self.width).collect()
    }
}

impl ComponentsView {
    /// Returns the lifeline of the chosen component.
    pub(crate) fn chosen_lifeline<'s>(&self, session: &'s Session) -> Option<&'s Lifeline> {
        session.rubric.lifeline_of(&self.component_row(session)?.id)
    }

    /// Turns (counted from 0) that did something to the chosen component.
    fn eventful_turns(&self, session: &Session) -> Vec<usize> {
        let Some(lifeline) = self.chosen_lifeline(session) else { return vec![] };
        let is_one = |turn: &usize| {
            lifeline.committed == Some(turn + 1) || !lifeline.events_at(turn + 1).is_empty()
        };
        (0..session.run.turns.len()).filter(is_one).collect()
    }

    pub(super) fn go_to_event(&mut self, session: &mut Session, by: isize) {
        let turns = self.eventful_turns(session);
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
        let Some(row) = self.component_row(session) else { return "no component selected".into() };
        match self.chosen_lifeline(session) {
            None => session.rubric.why_no_lifeline(),
            Some(_) if is_later => format!("no event of {} after this turn", row.id),
            Some(_) => format!("no event of {} before this turn", row.id),
        }
    }

    pub(super) fn go_to_loss(&mut self, session: &mut Session) {
        let Some(row) = self.component_row(session) else {
            session.notice = Some("no component selected".into());
            return;
        };
        let Some(lifeline) = self.chosen_lifeline(session) else {
            session.notice = Some(session.rubric.why_no_lifeline());
            return;
        };
        session.notice = Some(match lifeline.lost_at {
            Some(turn) => {
                let open = session.keys.key_text(KeyContext::Lifeline, "open");
                let words = format!("{} is lost in turn {turn}; {open} shows the lines", row.id);
                session.select_turn(turn - 1);
                self.part = ComponentsPart::Lifeline;
                words
            }
            None => {
                format!(
                    "{} is not lost: {}",
                    row.id,
                    standing_text(lifeline, session.run.turns.len())
                )
            }
        });
    }

    /// Returns the events of the chosen component in the playhead's turn, the worst first.
    pub(crate) fn playhead_events<'s>(
        &self,
        session: &'s Session,
    ) -> Vec<(&'s SymbolLife, &'s SymbolEvent)> {
        self.chosen_lifeline(session).map(|it| it.events_at(session.turn + 1)).unwrap_or_default()
    }
}

/// Returns the state of a component's symbols after a turn: `snr_weight in use`.
pub(crate) fn standing_text(lifeline: &Lifeline, turn: usize) -> String {
    let state_words: Vec<String> = lifeline
        .deciding_symbols()
        .filter_map(|life| {
            let cell = life.cells.get(turn.checked_sub(1)?)?;
            Some(format!("{} {}", life.name, cell.state.words()))
        })
        .collect();
    if !state_words.is_empty() {
        return state_words.join(", ");
    }
    let symbol_names: Vec<&str> = lifeline.symbols.iter().map(|life| &*life.name).collect();
    match symbol_names.as_slice() {
        [] => "no symbol to follow: neither its name nor a verdict has one".into(),
        names => format!("no code defines {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_turns_share_a_cell_the_loss_is_seen() {
        let stands = LifelineSign::Stands(SymbolState::Used);
        let signs = [
            LifelineSign::Nothing,
            LifelineSign::Committed,
            stands,
            LifelineSign::Changed,
            stands,
            LifelineSign::Vanished,
        ];

        assert_eq!(
            squeeze_signs(&signs, 3),
            [LifelineSign::Committed, LifelineSign::Changed, LifelineSign::Vanished]
        );
        assert_eq!(squeeze_signs(&signs, 9), signs);
        assert_eq!(squeeze_signs(&signs, 0), []);
    }

    #[test]
    fn a_turn_is_found_in_every_cell_it_has() {
        let axis = TurnAxis::around_turn(0, 5, 12);
        assert_eq!(axis.shown_turns().map(|(_, cell)| cell).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!([0, 1, 9, 10].map(|cell| axis.turn_at(cell)), [Some(0), Some(0), Some(4), None]);
        let (event, stands) = (LifelineSign::Appeared, LifelineSign::Stands(SymbolState::Used));
        let spread = axis.spread_signs(&[event; 5], &[stands; 5]);
        assert_eq!((spread.len(), spread[0], spread[1]), (10, event, stands));
        assert_eq!(TurnAxis::around_turn(99, 100, 10).turn_at(9), Some(99));
    }
}
