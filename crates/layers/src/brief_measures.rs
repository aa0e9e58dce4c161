//! What a layer's words were worth, measured against a recorded run: the forecast against what the turn then touched, and
//! whether a brief named what the turn lost.

use std::collections::HashSet;

use super::{Brief, LayerProject};
use trajview_metrics::lifeline::DefinitionKind;
use trajview_run::worded_enum::worded;

/// Characters that a token is taken to have; no tokenizer is assumed.
const CHARS_PER_TOKEN: usize = 4;

worded! {
    /// The part of a symbol that a brief names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum NamedPart {
        No = "no",
        /// The file that defines it.
        File = "file",
        Symbol = "symbol",
    }
}

/// The score of a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ForecastScore {
    /// Files that were forecast and touched.
    pub hits: usize,
    pub forecast: usize,
    pub touched: usize,
}

impl ForecastScore {
    /// Scores a forecast; each path counts once.
    pub fn from_paths<'p>(
        forecast: impl IntoIterator<Item = &'p String>,
        touched: impl IntoIterator<Item = &'p String>,
    ) -> Self {
        let forecast: HashSet<&String> = forecast.into_iter().collect();
        let touched: HashSet<&String> = touched.into_iter().collect();
        let hits = forecast.intersection(&touched).count();
        Self { hits, forecast: forecast.len(), touched: touched.len() }
    }

    /// Returns the share of the forecast files that were touched: 0 to 1; None where none was forecast.
    pub fn precision(self) -> Option<f64> {
        (self.forecast > 0).then(|| self.hits as f64 / self.forecast as f64)
    }

    /// Returns the share of the touched files that were forecast: 0 to 1; None where none was touched.
    pub fn recall(self) -> Option<f64> {
        (self.touched > 0).then(|| self.hits as f64 / self.touched as f64)
    }

    /// Adds up several forecasts.
    pub fn sum_of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), |a, b| Self {
            hits: a.hits + b.hits,
            forecast: a.forecast + b.forecast,
            touched: a.touched + b.touched,
        })
    }
}

/// Estimates the tokens of a text: a quarter of its characters, rounded up.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARS_PER_TOKEN)
}

/// Returns the part of a symbol in a file that a brief names.
pub fn named_part(brief: &Brief, symbol: &str, path: &str) -> NamedPart {
    let text = brief.text();
    let simple = symbol.rsplit('.').next().unwrap_or(symbol);
    if has_word(&text, simple) {
        return NamedPart::Symbol;
    }
    if has_word(&text, path) { NamedPart::File } else { NamedPart::No }
}

/// Returns the share of a project's classes and functions whose names are in a brief, 0 to 1; None where there are
/// none.
pub fn share_named(brief: &Brief, project: &LayerProject) -> Option<f64> {
    let text = brief.text();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: HashSet<&str> = text.split(|c| !is_part(c)).collect();
    let definitions = project.code_files().flat_map(|(_, facts)| &facts.definitions);
    let all = definitions.filter(|it| it.kind != DefinitionKind::Value).map(|it| it.simple_name());
    let (count, named) = all.fold((0usize, 0usize), |(count, named), name| {
        (count + 1, named + usize::from(words.contains(name)))
    });
    (count > 0).then(|| named as f64 / count as f64)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BriefSentence;

    #[test]
    fn a_forecast_is_measured_only_where_there_is_something_to_measure() {
        let files = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let of = |forecast: &[&str], touched: &[&str]| {
            let it = ForecastScore::from_paths(&files(forecast), &files(touched));
            (it.precision(), it.recall())
        };

        assert_eq!(of(&["a", "b", "b"], &["a", "c", "d", "e"]), (Some(0.5), Some(0.25)));
        assert_eq!(of(&[], &["a"]), (None, Some(0.0)));
        assert_eq!(of(&["a"], &[]), (Some(0.0), None));
    }

    #[test]
    fn a_symbol_is_named_by_its_whole_name() {
        let text = "- p/losses.py: total_loss(x), A.self_condition";
        let brief = Brief { sentences: vec![BriefSentence::heading(text)], ..Brief::default() };

        assert_eq!(named_part(&brief, "total_loss", "p/losses.py"), NamedPart::Symbol);
        assert_eq!(named_part(&brief, "B.self_condition", "p/b.py"), NamedPart::Symbol);
        assert_eq!(named_part(&brief, "loss", "p/losses.py"), NamedPart::File);
        assert_eq!(named_part(&brief, "loss", "losses.p"), NamedPart::No);
        assert_eq!(estimated_tokens("12345"), 2);
    }
}
