//! The lifelines of the components: the sign of each turn, and moving along the turns.

use crate::{
    session::{Session, context::KeyContext},
    views::scores::components::ComponentsView,
    widgets::timeline::TurnColumns,
};
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

/// Returns the columns of the turns in a strip of lifelines, the same as on the timeline, of which a part of a long run may be shown.
pub(crate) fn lifeline_columns(session: &Session, width: usize) -> TurnColumns {
    let timeline = &session.run_timeline;
    let turns = match timeline.facts().is_by_step() {
        true => 0..session.run.turns.len(),
        false => timeline.shown_turns(),
    };
    TurnColumns::evenly(turns, width)
}

/// Returns the sign of each column: what happened in its turn, and in further columns of the same turn the state after it. Of turns
/// that share a column the most important sign is shown.
pub(crate) fn column_signs(
    columns: &TurnColumns,
    signs: &[LifelineSign],
    standing: &[LifelineSign],
) -> Vec<LifelineSign> {
    let sign = |column: usize| {
        let turns = columns.turns_of(column);
        let is_first = columns.columns_of(turns.start).start == column;
        let of_turns =
            if is_first { signs } else { standing }.iter().take(turns.end).skip(turns.start);
        of_turns.copied().max_by_key(|it| it.sign_rank()).unwrap_or(LifelineSign::Nothing)
    };
    (0..columns.width()).map(sign).collect()
}

impl ComponentsView {
    /// Returns the lifeline of the chosen component.
    pub(crate) fn chosen_lifeline<'s>(&self, session: &'s Session) -> Option<&'s Lifeline> {
        session.rubric.lifeline_of(&self.component_row(session)?.id)
    }

    /// Returns the turns, counted from 0, that did something to the chosen component.
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
    fn where_turns_share_a_column_the_loss_is_seen() {
        let stands = LifelineSign::Stands(SymbolState::Used);
        let signs = [
            LifelineSign::Nothing,
            LifelineSign::Committed,
            stands,
            LifelineSign::Changed,
            stands,
            LifelineSign::Vanished,
        ];
        let in_columns =
            |width: usize| column_signs(&TurnColumns::evenly(0..6, width), &signs, &[stands; 6]);

        let squeezed = [LifelineSign::Committed, LifelineSign::Changed, LifelineSign::Vanished];
        assert_eq!(in_columns(3), squeezed);
        assert_eq!(in_columns(6), signs);
        assert_eq!(in_columns(0), []);
        let spread = in_columns(12);
        assert_eq!((spread[2], spread[3]), (LifelineSign::Committed, stands));
    }
}
