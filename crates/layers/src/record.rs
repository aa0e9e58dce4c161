//! The record of a layer over a run, as a bundle keeps it: an entry for each turn.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    brief_measures::ForecastScore,
    stack::{DeliveredBrief, LayerBrief},
};

/// A layer over a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerRecord {
    /// The name with its parts: `projectguard:structural`.
    pub layer: String,
    /// The entries by turn; the layer has no record of a turn without an entry.
    pub turns: Vec<LayerTurnEntry>,
    /// The problems of reading, in sentences.
    pub warnings: Vec<String>,
}

/// The brief of a layer before a turn, and its state after the turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerTurnEntry {
    /// The turn, counted from 1.
    pub turn: usize,
    /// The brief before the turn; None where there was none.
    pub layer_brief: Option<LayerBrief>,
    /// The files of its state; a text that did not change is shared with the turn before.
    pub state: BTreeMap<String, Arc<str>>,
    /// The briefs that the layer delivered during the turn.
    pub deliveries: Vec<DeliveredBrief>,
    /// The files that the turn read or changed, as the project calls them; None where nothing tells.
    pub touched: Option<BTreeSet<String>>,
    /// The sentences of the brief that contradict the files they cite, by their place, with the reason.
    pub contradicted: Vec<(usize, String)>,
}

impl LayerTurnEntry {
    /// Returns the score of the forecast; None where there was no brief, or nothing tells which files were touched.
    pub fn forecast_score(&self) -> Option<ForecastScore> {
        let layer_brief = self.layer_brief.as_ref()?;
        let touched = self.touched.as_ref()?;
        Some(ForecastScore::from_paths(&layer_brief.brief.forecast, touched))
    }
}

impl LayerRecord {
    pub fn entry_for_turn(&self, turn: usize) -> Option<&LayerTurnEntry> {
        let at = self.turns.binary_search_by_key(&turn, |entry| entry.turn).ok()?;
        self.turns.get(at)
    }

    /// Returns the texts of a file of the state over time: the turn that wrote each and the text, in order; an empty
    /// text where the file was removed.
    pub fn file_history(&self, path: &str) -> Vec<(usize, Arc<str>)> {
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

    /// Returns the state that the layer had when it spoke before a turn: that after the turn before. None before its
    /// first.
    pub fn entry_before(&self, turn: usize) -> Option<&LayerTurnEntry> {
        let end = self.turns.partition_point(|entry| entry.turn < turn);
        self.turns[..end].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Brief;

    fn entry_with(turn: usize, files: &[(&str, &str)]) -> LayerTurnEntry {
        let state = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).into())).collect();
        LayerTurnEntry { turn, state, ..LayerTurnEntry::default() }
    }

    #[test]
    fn the_history_of_a_file_has_the_turns_that_changed_it() {
        let turns = vec![
            entry_with(1, &[]),
            entry_with(2, &[("a", "one")]),
            entry_with(3, &[("a", "one")]),
            entry_with(5, &[("a", "two")]),
            entry_with(6, &[]),
        ];
        let record = LayerRecord { turns, ..LayerRecord::default() };

        let said: Vec<_> = record
            .file_history("a")
            .into_iter()
            .map(|(turn, text)| (turn, text.to_string()))
            .collect();

        assert_eq!(said, [(2, "one".into()), (5, "two".into()), (6, String::new())]);
        assert_eq!(record.entry_before(5).map(|it| it.turn), Some(3));
        assert_eq!((record.entry_before(1), record.entry_for_turn(4)), (None, None));
    }

    #[test]
    fn a_forecast_is_measured_by_what_was_touched_and_null_where_nothing_was() {
        let forecast = |named: &[&str], touched: &[&str]| {
            let brief = Brief {
                forecast: named.iter().map(|it| (*it).into()).collect(),
                ..Brief::default()
            };
            let said = Some(LayerBrief { brief, ..LayerBrief::default() });
            let touched = Some(touched.iter().map(|it| (*it).into()).collect());
            LayerTurnEntry { layer_brief: said, touched, ..LayerTurnEntry::default() }
                .forecast_score()
                .unwrap()
        };

        let one = forecast(&["a", "b", "a"], &["b", "c", "d"]);

        assert_eq!((one.precision(), one.recall()), (Some(0.5), Some(1.0 / 3.0)));
        assert_eq!(forecast(&[], &["a"]).precision(), None);
        assert_eq!(forecast(&["a"], &[]).recall(), None);
        assert_eq!(LayerTurnEntry::default().forecast_score(), None);
        let both = ForecastScore::sum_of([one, forecast(&["a"], &["a"])]);
        assert_eq!((both.hits, both.forecast, both.touched), (2, 3, 4));
    }
}
