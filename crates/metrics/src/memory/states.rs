//! The state of a card at a moment.

use trajview_run::values::worded;

use super::stands::Stands;

worded! {
    /// Whether a card, or one place that it cites, still holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum State {
        /// The content of the file is not known at that moment; it is not counted.
        #[default]
        Unknown = "unknown",
        /// The snippet stands at the cited lines.
        Current = "current",
        /// The snippet stands elsewhere in the file, or in the file under its new name.
        Moved = "moved",
        /// The snippet stands nowhere in the file, or the file is gone.
        Stale = "stale",
    }
}

/// The state of a cited place, and where its snippet stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub state: State,
    /// Path and line, from 1; None where it stands nowhere.
    pub place: Option<(String, usize)>,
    /// Whether the file itself is gone.
    pub is_gone: bool,
}

impl State {
    /// The state of a card by those of its cited places: stale where one is. Those that are unknown do not count.
    pub fn of_card<'f>(found: impl IntoIterator<Item = &'f Found>) -> Self {
        found.into_iter().map(|it| it.state).max().unwrap_or_default()
    }

    /// Whether it is stale; None where it is unknown.
    pub const fn is_stale(self) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Current | Self::Moved => Some(false),
            Self::Stale => Some(true),
        }
    }
}

impl Found {
    /// In the file that is cited.
    pub fn in_file(path: &str, stands: Option<Stands>) -> Self {
        let found =
            |state, line| Self { state, place: Some((path.to_owned(), line)), is_gone: false };
        match stands {
            None => Self::default(),
            Some(Stands::Cited(line)) => found(State::Current, line),
            Some(Stands::Elsewhere(line)) => found(State::Moved, line),
            Some(Stands::Nowhere) => Self { state: State::Stale, ..Self::default() },
        }
    }

    /// In the file under another name: never current.
    pub fn in_renamed(path: &str, stands: Option<Stands>) -> Self {
        let found = Self::in_file(path, stands);
        let state = if found.state == State::Current { State::Moved } else { found.state };
        Self { state, ..found }
    }

    pub fn gone() -> Self {
        Self { state: State::Stale, place: None, is_gone: true }
    }

    /// `current`, `moved to b.py:7`, `stale (the file is gone)`; `path` is the cited one.
    pub fn words(&self, path: &str) -> String {
        match (self.state, &self.place) {
            (State::Moved, Some((there, line))) if there == path => format!("moved to line {line}"),
            (State::Moved, Some((there, line))) => format!("moved to {there}:{line}"),
            (State::Stale, _) if self.is_gone => "stale (the file is gone)".into(),
            (state, _) => state.word().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_stale_where_one_of_its_places_is_and_unknown_where_all_are() {
        let of = |states: &[State]| {
            let found = states.iter().map(|state| Found { state: *state, ..Found::default() });
            State::of_card(&found.collect::<Vec<_>>())
        };

        assert_eq!(of(&[State::Current, State::Stale, State::Moved]), State::Stale);
        assert_eq!(of(&[State::Unknown, State::Current]), State::Current);
        assert_eq!(of(&[State::Unknown]), State::Unknown);
        assert_eq!(of(&[]), State::Unknown);
    }
}
