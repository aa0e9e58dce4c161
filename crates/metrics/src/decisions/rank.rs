//! Which decisions a text is about: BM25 as Continuity's retriever has it, and the decisions of files.

use globset::Glob;

use super::{Decision, Store};
use crate::bm25::{Corpus, Document};

/// What a decision counts that is superseded, outdated or deprecated.
const PAST: f64 = 0.4;

/// Above so many decisions of one file they are ranked by two orders together.
pub const MANY: usize = 50;

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RRF_K: f64 = 60.0;

/// Tokens that the decisions of a file may take where they are many; four characters are a token.
pub const BUDGET: usize = 500;

const STOP_WORDS: [&str; 32] = [
    "a", "an", "the", "and", "or", "but", "is", "are", "was", "were", "be", "been", "being", "to",
    "of", "in", "on", "at", "for", "with", "by", "as", "we", "our", "why", "what", "how", "did",
    "do", "does", "use", "using",
];

/// The words of a text that count, in order.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // Only ASCII is put in lower case: what lies outside of it parts words.
    text.split(move |c| !is_part(c))
        .map(str::to_ascii_lowercase)
        .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
}

/// A decision that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Match<'s> {
    pub decision: &'s Decision,
    /// Above 0; the higher the nearer.
    pub score: f64,
}

/// A store whose words are counted.
#[derive(Debug)]
pub struct Index<'s> {
    store: &'s Store,
    /// Of each decision, in order.
    documents: Vec<Document>,
    corpus: Corpus,
}

impl<'s> Index<'s> {
    pub fn of(store: &'s Store) -> Self {
        let mut corpus = Corpus::default();
        let mut documents = vec![];
        for decision in &store.decisions {
            let text =
                format!("{} {} {}", decision.question, decision.answer, decision.tags.join(" "));
            let document = Document::of(words(&text));
            corpus.add(&document);
            documents.push(document);
        }
        Self { store, documents, corpus }
    }

    /// The decisions that a text is about, the nearest first; of equals the one that the store has first.
    pub fn find(&self, text: &str) -> Vec<Match<'s>> {
        let asked: Vec<String> = words(text).collect();
        let of = |(decision, document): (&'s Decision, _)| {
            let past = if decision.is_past() { PAST } else { 1.0 };
            Match { decision, score: self.corpus.score(&asked, document) * past }
        };
        let mut found: Vec<Match<'s>> = self
            .store
            .decisions
            .iter()
            .zip(&self.documents)
            .map(of)
            .filter(|found| found.score > 0.0)
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found
    }

    /// The decisions of a file: those whose `files` or links match its path, the most specific first. Above fifty they are
    /// ranked by specificity and recency together, as many as the budget of tokens holds.
    pub fn of_path(&self, path: &str, budget: usize) -> Vec<Match<'s>> {
        let mut found: Vec<Match<'s>> = vec![];
        for decision in &self.store.decisions {
            let own = decision.files.iter().map(String::as_str);
            let linked = self.store.links.iter().filter(|(_, ids)| ids.contains(&decision.id));
            let patterns = own.chain(linked.map(|(path, _)| path.as_str()));
            let most = patterns.filter_map(|pattern| specificity(pattern, path)).max();
            if let Some(specificity) = most {
                found.push(Match { decision, score: specificity as f64 });
            }
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        if found.len() > MANY { fused(found, budget) } else { found }
    }
}

/// How much of a pattern is no wildcard, where it matches the path or the path's end.
fn specificity(pattern: &str, path: &str) -> Option<usize> {
    let pattern = pattern.trim_start_matches("./");
    let matches = pattern == path
        || path.ends_with(&format!("/{pattern}"))
        || Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(path));
    matches.then(|| pattern.chars().filter(|c| !matches!(c, '*' | '?')).count() + 1)
}

/// Reciprocal rank fusion of the order that they come in (specificity) and recency, as many as the budget of tokens holds.
pub fn fused(by_specificity: Vec<Match<'_>>, budget: usize) -> Vec<Match<'_>> {
    let mut by_time: Vec<&Decision> = by_specificity.iter().map(|found| found.decision).collect();
    by_time.sort_by(|a, b| b.timestamp.cmp(&a.timestamp));
    let rank = |decision: &Decision| by_time.iter().position(|it| it.id == decision.id);
    let mut found: Vec<Match<'_>> = by_specificity
        .into_iter()
        .enumerate()
        .map(|(at, found)| {
            let recency = rank(found.decision).unwrap_or(MANY) as f64;
            let score = 1.0 / (RRF_K + at as f64 + 1.0) + 1.0 / (RRF_K + recency + 1.0);
            Match { score, ..found }
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut left = budget;
    found.retain(|found| {
        let tokens = (found.decision.question.len() + found.decision.answer.len()).div_ceil(4);
        let fits = tokens <= left;
        left = left.saturating_sub(if fits { tokens } else { 0 });
        fits
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(decisions: &[(&str, &str, &[&str])]) -> Store {
        let decision = |(id, answer, files): &(&str, &str, &[&str])| Decision {
            id: (*id).into(),
            answer: (*answer).into(),
            files: files.iter().map(|&file| file.into()).collect(),
            ..Decision::default()
        };
        Store { decisions: decisions.iter().map(decision).collect(), ..Store::default() }
    }

    fn ids(found: Vec<Match<'_>>) -> Vec<String> {
        found.into_iter().map(|it| it.decision.id.clone()).collect()
    }

    #[test]
    fn what_is_superseded_counts_less_and_ties_keep_the_order() {
        let mut store = store(&[("a", "kafka", &[]), ("b", "kafka", &[]), ("c", "avro", &[])]);
        assert_eq!(ids(Index::of(&store).find("Kafka?")), ["a", "b"]);
        store.decisions[0].status = Some("superseded".into());
        assert_eq!(ids(Index::of(&store).find("Kafka?")), ["b", "a"]);
        assert_eq!(ids(Index::of(&store).find("the of")), [""; 0]);
        assert_eq!(ids(Index::of(&Store::default()).find("kafka")), [""; 0]);
    }

    #[test]
    fn the_most_specific_pattern_of_a_file_is_first() {
        let store =
            store(&[("all", "", &["**/*.py"]), ("one", "", &["src/a.py"]), ("no", "", &["b.py"])]);
        assert_eq!(ids(Index::of(&store).of_path("src/a.py", BUDGET)), ["one", "all"]);
    }

    #[test]
    fn very_many_decisions_of_a_file_are_kept_within_the_budget() {
        let mut store = Store::default();
        for at in 0..60 {
            store.decisions.push(Decision {
                id: at.to_string(),
                answer: "x".repeat(100),
                files: vec!["a.py".into()],
                timestamp: Some(format!("2026-01-{at:02}")),
                ..Decision::default()
            });
        }
        let found = Index::of(&store).of_path("a.py", BUDGET);
        assert_eq!(found.len(), 20);
        assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}
