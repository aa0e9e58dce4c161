//! BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009): how near a text is to what is asked, over
//! texts that can come and go. Which words count is the caller's to say.

use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A text whose words are counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    counts: HashMap<String, f64>,
    length: f64,
}

/// What the texts have together: how many there are, how long, and in how many a word is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    documents: usize,
    length: f64,
    spread: HashMap<String, usize>,
}

impl Document {
    pub fn of(words: impl IntoIterator<Item = String>) -> Self {
        let mut document = Self::default();
        for word in words {
            *document.counts.entry(word).or_default() += 1.0;
            document.length += 1.0;
        }
        document
    }
}

impl Corpus {
    pub fn add(&mut self, document: &Document) {
        self.documents += 1;
        self.length += document.length;
        for word in document.counts.keys() {
            match self.spread.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(self.spread.insert(word.clone(), 1)),
            }
        }
    }

    /// Takes out what [`Self::add`] took in.
    pub fn remove(&mut self, document: &Document) {
        self.documents = self.documents.saturating_sub(1);
        self.length -= document.length;
        for word in document.counts.keys() {
            if let Some(count) = self.spread.get_mut(word) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// How near a text is to the words; 0 where it has none of them. A word that is asked twice counts twice.
    pub fn score(&self, asked: &[String], document: &Document) -> f64 {
        let n = self.documents as f64;
        let term = |word: &String| {
            let Some(times) = document.counts.get(word) else { return 0.0 };
            let df = self.spread.get(word).copied().unwrap_or_default() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            let norm = K1 * (1.0 - B + B * document.length / (self.length / n));
            idf * times * (K1 + 1.0) / (times + norm)
        };
        asked.iter().map(term).sum()
    }
}
