//! What a layer said and knew over a run, as a bundle keeps it: an entry a turn.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    measure::Forecast,
    stack::{Given, Said},
};

/// One layer over a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// With its parts: `projectguard:structural`.
    pub layer: String,
    /// By turn; a turn without an entry is one that the layer has no record of.
    pub turns: Vec<Entry>,
    /// What could not be read, in sentences.
    pub warnings: Vec<String>,
}

/// What a layer said before a turn, and what it knew after it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// Counts from 1.
    pub turn: usize,
    /// None where it said nothing.
    pub said: Option<Said>,
    /// The files of its state; a text that did not change is shared with the turn before.
    pub state: BTreeMap<String, Arc<str>>,
    /// What it gave while the turn was under way.
    pub given: Vec<Given>,
    /// The files that the turn read or changed, as the project calls them; None where nothing tells.
    pub touched: Option<BTreeSet<String>>,
    /// The sentences of what it said that contradict the files they cite, by their place, with why.
    pub contradicted: Vec<(usize, String)>,
}

impl Entry {
    /// What was forecast beside what was touched; None where nothing was said, or nothing tells what was touched.
    pub fn forecast(&self) -> Option<Forecast> {
        let said = self.said.as_ref()?;
        let touched = self.touched.as_ref()?;
        Some(Forecast::of(&said.brief.forecast, touched))
    }
}

impl Record {
    pub fn entry(&self, turn: usize) -> Option<&Entry> {
        let at = self.turns.binary_search_by_key(&turn, |entry| entry.turn).ok()?;
        self.turns.get(at)
    }

    /// What a file of the state said: the turn that wrote it and the text, the first first; an empty text where it was
    /// taken away.
    pub fn history(&self, path: &str) -> Vec<(usize, Arc<str>)> {
        let mut all: Vec<(usize, Arc<str>)> = vec![];
        for entry in &self.turns {
            let text = entry.state.get(path);
            let last = all.last().map(|(_, text)| &**text).unwrap_or_default();
            match text {
                Some(text) if **text != *last => all.push((entry.turn, text.clone())),
                None if !last.is_empty() => all.push((entry.turn, "".into())),
                _ => {}
            }
        }
        all
    }

    /// The state that the layer had when it spoke before a turn: that after the turn before.
    pub fn before(&self, turn: usize) -> Option<&Entry> {
        let end = self.turns.partition_point(|entry| entry.turn < turn);
        self.turns[..end].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Brief;

    fn entry(turn: usize, files: &[(&str, &str)]) -> Entry {
        let state = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).into())).collect();
        Entry { turn, state, ..Entry::default() }
    }

    #[test]
    fn the_history_of_a_file_has_the_turns_that_changed_it() {
        let turns = vec![
            entry(1, &[]),
            entry(2, &[("a", "one")]),
            entry(3, &[("a", "one")]),
            entry(5, &[("a", "two")]),
            entry(6, &[]),
        ];
        let record = Record { turns, ..Record::default() };

        let said: Vec<_> =
            record.history("a").into_iter().map(|(turn, text)| (turn, text.to_string())).collect();

        assert_eq!(said, [(2, "one".into()), (5, "two".into()), (6, String::new())]);
        assert_eq!(record.before(5).map(|it| it.turn), Some(3));
        assert_eq!((record.before(1), record.entry(4)), (None, None));
    }

    #[test]
    fn a_forecast_is_measured_by_what_was_touched_and_null_where_nothing_was() {
        let forecast = |named: &[&str], touched: &[&str]| {
            let brief = Brief {
                forecast: named.iter().map(|it| (*it).into()).collect(),
                ..Brief::default()
            };
            let said = Some(Said { brief, ..Said::default() });
            let touched = Some(touched.iter().map(|it| (*it).into()).collect());
            Entry { said, touched, ..Entry::default() }.forecast().unwrap()
        };

        let one = forecast(&["a", "b", "a"], &["b", "c", "d"]);

        assert_eq!((one.precision(), one.recall()), (Some(0.5), Some(1.0 / 3.0)));
        assert_eq!(forecast(&[], &["a"]).precision(), None);
        assert_eq!(forecast(&["a"], &[]).recall(), None);
        assert_eq!(Entry::default().forecast(), None);
        let both = Forecast::sum([one, forecast(&["a"], &["a"])]);
        assert_eq!((both.hits, both.forecast, both.touched), (2, 3, 4));
    }
}
