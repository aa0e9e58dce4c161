//! The state of a card at a moment.

use trajview_run::worded_enum::worded;

use super::snippet_position::SnippetPosition;

worded! {
    /// The state of a card, or of one place that it cites.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum CardState {
        /// The content of the file is not known at that moment; it is not counted.
        #[default]
        Unknown = "unknown",
        /// The snippet is at the cited lines.
        Current = "current",
        /// The snippet is elsewhere in the file, or in the file under its new name.
        Moved = "moved",
        /// The snippet is not in the file, or the file is gone.
        Stale = "stale",
    }
}

/// The state of a cited place, and the position of its snippet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CitedPlaceState {
    pub state: CardState,
    /// Path and line, from 1; None where the snippet is not found.
    pub place: Option<(String, usize)>,
    /// True where the file itself is gone.
    pub is_gone: bool,
}

impl CardState {
    /// Returns the state of a card from the states of its cited places: stale where one is stale. Unknown states do
    /// not count.
    pub fn of_card<'f>(found: impl IntoIterator<Item = &'f CitedPlaceState>) -> Self {
        found.into_iter().map(|it| it.state).max().unwrap_or_default()
    }

    /// Returns whether the state is stale; None where it is unknown.
    pub const fn is_stale(self) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Current | Self::Moved => Some(false),
            Self::Stale => Some(true),
        }
    }
}

impl CitedPlaceState {
    /// Returns the state for a position in the cited file.
    pub fn in_file(path: &str, stands: Option<SnippetPosition>) -> Self {
        let at_line =
            |state, line| Self { state, place: Some((path.to_owned(), line)), is_gone: false };
        match stands {
            None => Self::default(),
            Some(SnippetPosition::Cited(line)) => at_line(CardState::Current, line),
            Some(SnippetPosition::Elsewhere(line)) => at_line(CardState::Moved, line),
            Some(SnippetPosition::Nowhere) => Self { state: CardState::Stale, ..Self::default() },
        }
    }

    /// Returns the state for a position in the cited file under its new name; it is never current.
    pub fn in_renamed(path: &str, stands: Option<SnippetPosition>) -> Self {
        let in_file = Self::in_file(path, stands);
        let state =
            if in_file.state == CardState::Current { CardState::Moved } else { in_file.state };
        Self { state, ..in_file }
    }

    /// Returns the state for a file that is gone: stale.
    pub fn gone_file() -> Self {
        Self { state: CardState::Stale, place: None, is_gone: true }
    }

    /// Returns the state in words: `current`, `moved to b.py:7`, `stale (the file is gone)`; `moved to line 7` where it is still in
    /// the cited file `path`.
    pub fn state_text(&self, path: &str) -> String {
        match (self.state, &self.place) {
            (CardState::Moved, Some((there, line))) if there == path => {
                format!("moved to line {line}")
            }
            (CardState::Moved, Some((there, line))) => format!("moved to {there}:{line}"),
            (CardState::Stale, _) if self.is_gone => "stale (the file is gone)".into(),
            (state, _) => state.word().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_stale_where_one_of_its_places_is_and_unknown_where_all_are() {
        let state_of = |states: &[CardState]| {
            let found = states
                .iter()
                .map(|state| CitedPlaceState { state: *state, ..CitedPlaceState::default() });
            CardState::of_card(&found.collect::<Vec<_>>())
        };

        assert_eq!(
            state_of(&[CardState::Current, CardState::Stale, CardState::Moved]),
            CardState::Stale
        );
        assert_eq!(state_of(&[CardState::Unknown, CardState::Current]), CardState::Current);
        assert_eq!(state_of(&[CardState::Unknown]), CardState::Unknown);
        assert_eq!(state_of(&[]), CardState::Unknown);
    }
}
