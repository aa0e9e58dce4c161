//! BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009): scores how near a text is to a query,
//! over a corpus whose texts can be added and removed. The caller decides which words count.

use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A text whose words are counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bm25Document {
    counts: HashMap<String, f64>,
    length: f64,
}

/// Statistics over all texts: their number, their total length, and the number of texts that have each word.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bm25Corpus {
    documents: usize,
    length: f64,
    spread: HashMap<String, usize>,
}

impl Bm25Document {
    /// Counts the words of a text.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Self {
        let mut document = Self::default();
        for word in words {
            *document.counts.entry(word).or_default() += 1.0;
            document.length += 1.0;
        }
        document
    }
}

impl Bm25Corpus {
    /// Adds a text to the statistics.
    pub fn add_document(&mut self, document: &Bm25Document) {
        self.documents += 1;
        self.length += document.length;
        for word in document.counts.keys() {
            match self.spread.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(self.spread.insert(word.clone(), 1)),
            }
        }
    }

    /// Removes a text that [`Self::add_document`] added.
    pub fn remove_document(&mut self, document: &Bm25Document) {
        self.documents = self.documents.saturating_sub(1);
        self.length -= document.length;
        for word in document.counts.keys() {
            if let Some(count) = self.spread.get_mut(word) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Returns how near a text is to the query words; 0 where it has none of them. A query word that occurs twice
    /// counts twice.
    pub fn score_document(&self, query: &[String], document: &Bm25Document) -> f64 {
        let n = self.documents as f64;
        let term = |word: &String| {
            let Some(times) = document.counts.get(word) else { return 0.0 };
            let df = self.spread.get(word).copied().unwrap_or_default() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            let norm = K1 * (1.0 - B + B * document.length / (self.length / n));
            idf * times * (K1 + 1.0) / (times + norm)
        };
        query.iter().map(term).sum()
    }
}
