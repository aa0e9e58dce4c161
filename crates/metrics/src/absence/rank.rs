//! How much a place looks like a component: BM25 over its terms, and why in words.
//!
//! Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equations 3.3
//! and 3.15) with k1 = [`K1`] and b = [`B`]; a term counts more in the name of a definition than in its text, as in
//! BM25F. The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)) over the N places of the snapshot, n of
//! which have the term: never negative.

use std::collections::{BTreeMap, HashMap};

use crate::lifeline::in_parentheses;
use trajview_run::rubric::Component;

use super::{
    Why,
    pieces::{FilePieces, Piece},
    terms::{self, Token},
};

const K1: f64 = 1.2;
const B: f64 = 0.5;

/// What a term of a component counts for, by where it stands there. Of several the most counts.
const SYMBOL: f64 = 3.0;
const NAME: f64 = 1.5;
const INTENT: f64 = 0.7;
const FORMULA: f64 = 1.0;
const INPUTS: f64 = 0.4;

/// No more words of a kind are told.
const MOST_TOLD: usize = 5;

/// Where each term stands in a snapshot.
#[derive(Debug, Default)]
pub struct Postings {
    /// Places are counted through all files.
    by_term: HashMap<Box<str>, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
    mean_length: f64,
}

/// Where in a component a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    Word,
    Formula,
    Symbol,
}

#[derive(Debug)]
struct Asked {
    key: String,
    written: String,
    weight: f64,
    from: From,
}

/// How well a place fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub score: f64,
    /// What each term brings: the number of the term, and how much.
    shares: Vec<(usize, f64)>,
}

/// The terms of a component.
#[derive(Debug)]
pub struct Query {
    asked: Vec<Asked>,
}

impl Postings {
    pub fn of(files: &[FilePieces]) -> Self {
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

    /// How well each place fits that has a term of the component, by its number.
    pub fn fits(&self, query: &Query) -> BTreeMap<u32, Fit> {
        let mut fits: BTreeMap<u32, Fit> = BTreeMap::new();
        for (number, asked) in query.asked.iter().enumerate() {
            let Some(places) = self.by_term.get(asked.key.as_str()) else { continue };
            let (all, having) = (self.lengths.len() as f64, places.len() as f64);
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for &(place, count) in places {
                let length = self.lengths.get(place as usize).copied().unwrap_or_default();
                let long = 1.0 - B + B * length / self.mean_length;
                let share = asked.weight * rarity * count * (K1 + 1.0) / (count + K1 * long);
                let fit = fits.entry(place).or_insert_with(|| Fit { score: 0.0, shares: vec![] });
                fit.score += share;
                fit.shares.push((number, share));
            }
        }
        fits
    }
}

impl Query {
    pub fn of(component: &Component) -> Self {
        let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
        let mut ask = |key: String, written: &str, weight: f64, from: From| {
            let new = Asked { key: key.clone(), written: written.to_owned(), weight, from };
            let known = asked.entry(key).or_insert(Asked { weight: 0.0, ..new });
            if weight > known.weight {
                *known =
                    Asked { key: known.key.clone(), written: written.to_owned(), weight, from };
            }
        };
        for symbol in in_parentheses(&component.name) {
            ask(terms::symbol(&symbol), &symbol, SYMBOL, From::Symbol);
        }
        let texts = [
            (&component.name, NAME),
            (&component.intent, INTENT),
            (&component.inputs, INPUTS),
            (&component.outputs, INPUTS),
        ];
        for (text, weight) in texts {
            terms::tokens(text, |token| {
                let Token::Name(name) = token else { return };
                for word in terms::words(name) {
                    terms::key(word).into_iter().for_each(|key| ask(key, word, weight, From::Word));
                }
            });
        }
        for (key, written) in terms::formula(&component.formula) {
            ask(key, &written, FORMULA, From::Formula);
        }
        Self { asked: asked.into_values().collect() }
    }

    /// Why a place fits, what brings most first.
    pub fn why(&self, fit: &Fit, piece: &Piece) -> Vec<Why> {
        let mut shares = fit.shares.clone();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let told = |from: From| {
            let of_kind = shares.iter().filter_map(|(number, _)| self.asked.get(*number));
            let written = of_kind.filter(|asked| asked.from == from);
            written.map(|asked| asked.written.clone()).take(MOST_TOLD).collect::<Vec<_>>()
        };
        let defines = |symbol: &String| {
            let own = piece.name.as_deref().map(terms::symbol);
            own.is_some_and(|own| own == terms::symbol(symbol))
        };
        let (defined, used): (Vec<_>, Vec<_>) = told(From::Symbol).into_iter().partition(defines);
        let mut why: Vec<Why> = defined.into_iter().map(Why::Symbol).collect();
        why.extend((!used.is_empty()).then_some(Why::Uses(used)));
        let (formula, words) = (told(From::Formula), told(From::Word));
        why.extend((!words.is_empty()).then_some(Why::Words(words)));
        why.extend((!formula.is_empty()).then_some(Why::Formula(formula)));
        why
    }
}
