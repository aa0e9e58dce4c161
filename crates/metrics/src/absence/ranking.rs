//! Scores places by their likeness to a component (BM25 over their terms), and gives the reasons in words.
//!
//! Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equations 3.3
//! and 3.15) with k1 = [`K1`] and b = [`B`]; a term counts more in the name of a definition than in its text, as in
//! BM25F. The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)) over the N places of the snapshot, n of
//! which have the term: never negative.

use std::collections::{BTreeMap, HashMap};

use crate::lifeline::in_parentheses;
use trajview_run::rubric::Component;

use super::{
    MatchReason,
    code_pieces::{CodePiece, FilePieces},
    terms::{self, TextToken},
};

const K1: f64 = 1.2;
const B: f64 = 0.5;

/// The weight of a component's term by the part of the component in which it occurs. Of several weights the largest
/// counts.
const SYMBOL: f64 = 3.0;
const NAME: f64 = 1.5;
const INTENT: f64 = 0.7;
const FORMULA: f64 = 1.0;
const INPUTS: f64 = 0.4;

/// The most words of one kind that a reason lists.
const MAX_TERMS_SHOWN: usize = 5;

/// The places of a snapshot in which each term occurs (an inverted index).
#[derive(Debug, Default)]
pub struct Postings {
    /// Places are numbered through all files.
    by_term: HashMap<Box<str>, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
    mean_length: f64,
}

/// The part of a component in which a term occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TermSource {
    Word,
    Formula,
    Symbol,
}

#[derive(Debug)]
struct QueryTerm {
    key: String,
    written: String,
    weight: f64,
    from: TermSource,
}

/// The score of one place for a component.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryFit {
    pub score: f64,
    /// The contribution of each term: the number of the term, and its score.
    shares: Vec<(usize, f64)>,
}

/// The terms of a component.
#[derive(Debug)]
pub struct ComponentQuery {
    terms: Vec<QueryTerm>,
}

impl Postings {
    /// Indexes the terms of all places.
    pub fn from_files(files: &[FilePieces]) -> Self {
        let mut postings = Self::default();
        for (at, piece) in (0..).zip(files.iter().flat_map(|file| &file.pieces)) {
            for (term, count) in &piece.terms {
                match postings.by_term.get_mut(term) {
                    Some(places) => places.push((at, *count)),
                    None => drop(postings.by_term.insert(term.clone(), vec![(at, *count)])),
                }
            }
            postings.lengths.push(piece.length);
        }
        let count = postings.lengths.len().max(1) as f64;
        postings.mean_length = (postings.lengths.iter().sum::<f64>() / count).max(1.0);
        postings
    }

    /// Returns the score of each place that has a term of the component, keyed by the number of the place.
    pub(crate) fn score_places(&self, query: &ComponentQuery) -> BTreeMap<u32, QueryFit> {
        let mut fits: BTreeMap<u32, QueryFit> = BTreeMap::new();
        for (number, term) in query.terms.iter().enumerate() {
            let Some(places) = self.by_term.get(term.key.as_str()) else { continue };
            let (all, having) = (self.lengths.len() as f64, places.len() as f64);
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for &(place, count) in places {
                let length = self.lengths.get(place as usize).copied().unwrap_or_default();
                let long = 1.0 - B + B * length / self.mean_length;
                let share = term.weight * rarity * count * (K1 + 1.0) / (count + K1 * long);
                let fit =
                    fits.entry(place).or_insert_with(|| QueryFit { score: 0.0, shares: vec![] });
                fit.score += share;
                fit.shares.push((number, share));
            }
        }
        fits
    }
}

impl ComponentQuery {
    /// Collects the terms of a component: symbols, words and formula.
    pub fn for_component(component: &Component) -> Self {
        let mut by_key: BTreeMap<String, QueryTerm> = BTreeMap::new();
        let mut add_term = |key: String, written: &str, weight: f64, from: TermSource| {
            let new = QueryTerm { key: key.clone(), written: written.to_owned(), weight, from };
            let existing = by_key.entry(key).or_insert(QueryTerm { weight: 0.0, ..new });
            if weight > existing.weight {
                *existing = QueryTerm {
                    key: existing.key.clone(),
                    written: written.to_owned(),
                    weight,
                    from,
                };
            }
        };
        for symbol in in_parentheses(&component.name) {
            add_term(terms::symbol_key(&symbol), &symbol, SYMBOL, TermSource::Symbol);
        }
        let texts = [
            (&component.name, NAME),
            (&component.intent, INTENT),
            (&component.inputs, INPUTS),
            (&component.outputs, INPUTS),
        ];
        for (text, weight) in texts {
            terms::for_each_token(text, |token| {
                let TextToken::Name(name) = token else { return };
                for word in terms::identifier_words(name) {
                    terms::word_key(word)
                        .into_iter()
                        .for_each(|key| add_term(key, word, weight, TermSource::Word));
                }
            });
        }
        for (key, written) in terms::formula_terms(&component.formula) {
            add_term(key, &written, FORMULA, TermSource::Formula);
        }
        Self { terms: by_key.into_values().collect() }
    }

    /// Returns the reasons why a place fits, the largest contribution first.
    pub(crate) fn match_reasons(&self, fit: &QueryFit, piece: &CodePiece) -> Vec<MatchReason> {
        let mut shares = fit.shares.clone();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let written_terms = |from: TermSource| {
            let of_kind = shares.iter().filter_map(|(number, _)| self.terms.get(*number));
            let written = of_kind.filter(|term| term.from == from);
            written.map(|term| term.written.clone()).take(MAX_TERMS_SHOWN).collect::<Vec<_>>()
        };
        let defines = |symbol: &String| {
            let defined_key = piece.name.as_deref().map(terms::symbol_key);
            defined_key.is_some_and(|defined_key| defined_key == terms::symbol_key(symbol))
        };
        let (defined, used): (Vec<_>, Vec<_>) =
            written_terms(TermSource::Symbol).into_iter().partition(defines);
        let mut why: Vec<MatchReason> = defined.into_iter().map(MatchReason::Symbol).collect();
        why.extend((!used.is_empty()).then_some(MatchReason::Uses(used)));
        let (formula, words) =
            (written_terms(TermSource::Formula), written_terms(TermSource::Word));
        why.extend((!words.is_empty()).then_some(MatchReason::Words(words)));
        why.extend((!formula.is_empty()).then_some(MatchReason::Formula(formula)));
        why
    }
}
