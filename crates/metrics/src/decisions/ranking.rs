//! Finds the decisions that a text is about (BM25 as in Continuity's retriever), and the decisions of a file.

use globset::Glob;

use super::{Decision, DecisionStore};
use crate::bm25::{Bm25Corpus, Bm25Document};

/// The weight of a decision that is superseded, outdated or deprecated.
const PAST_WEIGHT: f64 = 0.4;

/// A file with more decisions than this has them ranked by specificity and recency together.
pub const MANY_DECISIONS: usize = 50;

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RRF_K: f64 = 60.0;

/// The token budget for the decisions of a file that has many; four characters count as a token.
pub const TOKEN_BUDGET: usize = 500;

const STOP_WORDS: [&str; 32] = [
    "a", "an", "the", "and", "or", "but", "is", "are", "was", "were", "be", "been", "being", "to",
    "of", "in", "on", "at", "for", "with", "by", "as", "we", "our", "why", "what", "how", "did",
    "do", "does", "use", "using",
];

/// Returns the words of a text that count, in order.
fn counted_words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // Only ASCII is put in lower case: what lies outside of it parts words.
    text.split(move |c| !is_part(c))
        .map(str::to_ascii_lowercase)
        .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
}

/// A decision that matches a text or a file.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionMatch<'s> {
    pub decision: &'s Decision,
    /// Above 0; the higher the nearer.
    pub score: f64,
}

/// A store with its words indexed for the search.
#[derive(Debug)]
pub struct DecisionIndex<'s> {
    store: &'s DecisionStore,
    /// One per decision, in the order of the store.
    documents: Vec<Bm25Document>,
    corpus: Bm25Corpus,
}

impl<'s> DecisionIndex<'s> {
    pub fn new(store: &'s DecisionStore) -> Self {
        let mut corpus = Bm25Corpus::default();
        let mut documents = vec![];
        for decision in &store.decisions {
            let text =
                format!("{} {} {}", decision.question, decision.answer, decision.tags.join(" "));
            let document = Bm25Document::from_words(counted_words(&text));
            corpus.add_document(&document);
            documents.push(document);
        }
        Self { store, documents, corpus }
    }

    /// Returns the decisions that a text is about, the nearest first; equals keep the order of the store.
    pub fn find_decisions(&self, text: &str) -> Vec<DecisionMatch<'s>> {
        let query: Vec<String> = counted_words(text).collect();
        let match_of = |(decision, document): (&'s Decision, _)| {
            let past = if decision.is_past() { PAST_WEIGHT } else { 1.0 };
            DecisionMatch { decision, score: self.corpus.score_document(&query, document) * past }
        };
        let mut matches: Vec<DecisionMatch<'s>> = self
            .store
            .decisions
            .iter()
            .zip(&self.documents)
            .map(match_of)
            .filter(|matches| matches.score > 0.0)
            .collect();
        matches.sort_by(|a, b| b.score.total_cmp(&a.score));
        matches
    }

    /// Returns the decisions of a file: those whose `files` or links match its path, the most specific first. More
    /// than [`MANY_DECISIONS`] are ranked by specificity and recency together, and cut to the token budget.
    pub fn decisions_for_path(&self, path: &str, budget: usize) -> Vec<DecisionMatch<'s>> {
        let mut matches: Vec<DecisionMatch<'s>> = vec![];
        for decision in &self.store.decisions {
            let own_patterns = decision.files.iter().map(String::as_str);
            let linked = self.store.links.iter().filter(|(_, ids)| ids.contains(&decision.id));
            let patterns = own_patterns.chain(linked.map(|(path, _)| path.as_str()));
            let most = patterns.filter_map(|pattern| pattern_specificity(pattern, path)).max();
            if let Some(specificity) = most {
                matches.push(DecisionMatch { decision, score: specificity as f64 });
            }
        }
        matches.sort_by(|a, b| b.score.total_cmp(&a.score));
        if matches.len() > MANY_DECISIONS { fuse_ranks(matches, budget) } else { matches }
    }
}

/// Returns the number of characters of a pattern that are no wildcards, plus one; None where the pattern matches
/// neither the path nor its end.
fn pattern_specificity(pattern: &str, path: &str) -> Option<usize> {
    let pattern = pattern.trim_start_matches("./");
    let matches = pattern == path
        || path.ends_with(&format!("/{pattern}"))
        || Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(path));
    matches.then(|| pattern.chars().filter(|c| !matches!(c, '*' | '?')).count() + 1)
}

/// Ranks decisions by reciprocal rank fusion of their given order (specificity) and recency, and cuts the list to the
/// token budget.
pub fn fuse_ranks(by_specificity: Vec<DecisionMatch<'_>>, budget: usize) -> Vec<DecisionMatch<'_>> {
    let mut by_time: Vec<&Decision> =
        by_specificity.iter().map(|matches| matches.decision).collect();
    by_time.sort_by(|a, b| b.timestamp.cmp(&a.timestamp));
    let rank = |decision: &Decision| by_time.iter().position(|it| it.id == decision.id);
    let mut matches: Vec<DecisionMatch<'_>> = by_specificity
        .into_iter()
        .enumerate()
        .map(|(at, matches)| {
            let recency = rank(matches.decision).unwrap_or(MANY_DECISIONS) as f64;
            let score = 1.0 / (RRF_K + at as f64 + 1.0) + 1.0 / (RRF_K + recency + 1.0);
            DecisionMatch { score, ..matches }
        })
        .collect();
    matches.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut left = budget;
    matches.retain(|matches| {
        let tokens = (matches.decision.question.len() + matches.decision.answer.len()).div_ceil(4);
        let fits = tokens <= left;
        left = left.saturating_sub(if fits { tokens } else { 0 });
        fits
    });
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_of_decisions(decisions: &[(&str, &str, &[&str])]) -> DecisionStore {
        let decision = |(id, answer, files): &(&str, &str, &[&str])| Decision {
            id: (*id).into(),
            answer: (*answer).into(),
            files: files.iter().map(|&file| file.into()).collect(),
            ..Decision::default()
        };
        DecisionStore {
            decisions: decisions.iter().map(decision).collect(),
            ..DecisionStore::default()
        }
    }

    fn decision_ids(matches: Vec<DecisionMatch<'_>>) -> Vec<String> {
        matches.into_iter().map(|it| it.decision.id.clone()).collect()
    }

    #[test]
    fn what_is_superseded_counts_less_and_ties_keep_the_order() {
        let mut store =
            store_of_decisions(&[("a", "kafka", &[]), ("b", "kafka", &[]), ("c", "avro", &[])]);
        assert_eq!(decision_ids(DecisionIndex::new(&store).find_decisions("Kafka?")), ["a", "b"]);
        store.decisions[0].status = Some("superseded".into());
        assert_eq!(decision_ids(DecisionIndex::new(&store).find_decisions("Kafka?")), ["b", "a"]);
        assert_eq!(decision_ids(DecisionIndex::new(&store).find_decisions("the of")), [""; 0]);
        assert_eq!(
            decision_ids(DecisionIndex::new(&DecisionStore::default()).find_decisions("kafka")),
            [""; 0]
        );
    }

    #[test]
    fn the_most_specific_pattern_of_a_file_is_first() {
        let store = store_of_decisions(&[
            ("all", "", &["**/*.py"]),
            ("one", "", &["src/a.py"]),
            ("no", "", &["b.py"]),
        ]);
        assert_eq!(
            decision_ids(DecisionIndex::new(&store).decisions_for_path("src/a.py", TOKEN_BUDGET)),
            ["one", "all"]
        );
    }

    #[test]
    fn very_many_decisions_of_a_file_are_kept_within_the_budget() {
        let mut store = DecisionStore::default();
        for at in 0..60 {
            store.decisions.push(Decision {
                id: at.to_string(),
                answer: "x".repeat(100),
                files: vec!["a.py".into()],
                timestamp: Some(format!("2026-01-{at:02}")),
                ..Decision::default()
            });
        }
        let matches = DecisionIndex::new(&store).decisions_for_path("a.py", TOKEN_BUDGET);
        assert_eq!(matches.len(), 20);
        assert!(matches.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}
