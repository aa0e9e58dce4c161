//! Extracts decisions from the requests of a run: sentences that lay down a rule. The extraction is conservative (only
//! sentences with certain words), and a person edits the result; nothing is made up.

use super::Decision;

/// Words of a sentence that lays down a rule.
const LAYS_DOWN: [&str; 16] = [
    "must",
    "never",
    "always",
    "instead of",
    "do not",
    "don't",
    "no longer",
    "i want",
    "only",
    "should",
    "from now on",
    "call it",
    "rename",
    "the same",
    "use the",
    "is the",
];

/// Words of a sentence that replaces an earlier decision.
const TAKES_BACK: [&str; 5] = ["instead of", "no, not", "no longer", "on reflection", "rename"];

/// The length of a sentence in words; shorter sentences say too little, longer ones too much.
const SENTENCE_WORDS: std::ops::RangeInclusive<usize> = 4..=60;

/// Returns the decisions of requests (one request per turn, in order). The id names the turn and the sentence:
/// `t12.2`.
pub fn decisions_in_requests(requests: &[String]) -> Vec<Decision> {
    let mut decisions = vec![];
    for (turn, request) in (1..).zip(requests) {
        add_decisions_of_request(&mut decisions, turn, request);
    }
    decisions
}

/// Adds the decisions of one more request to those of the earlier requests; the turn counts from 1.
pub fn add_decisions_of_request(decisions: &mut Vec<Decision>, turn: usize, request: &str) {
    for (number, sentence) in (1..).zip(split_sentences(request)) {
        let lower = sentence.to_lowercase();
        let is_question = sentence.ends_with('?');
        let count = sentence.split_whitespace().count();
        let has = |words: &str| contains_words(&lower, words);
        if is_question || !SENTENCE_WORDS.contains(&count) || !LAYS_DOWN.iter().any(|it| has(it)) {
            continue;
        }
        let id = format!("t{turn}.{number}");
        let takes_back = TAKES_BACK.iter().any(|it| has(it));
        let earlier = takes_back.then(|| last_similar_decision(decisions, &sentence)).flatten();
        let supersedes = earlier.map(|at| decisions[at].id.clone());
        if let Some(at) = earlier {
            decisions[at].status = Some("superseded".into());
            decisions[at].superseded_by.push(id.clone());
        }
        decisions.push(Decision {
            question: format!("What does the request of turn {turn} lay down?"),
            files: super::retrieval_key::paths_in_text(&sentence)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            status: Some("active".into()),
            tags: vec![format!("turn-{turn}")],
            supersedes: supersedes.into_iter().collect(),
            answer: sentence,
            id,
            ..Decision::default()
        });
    }
}

fn contains_words(lower: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    lower.match_indices(words).any(|(at, _)| {
        let before = lower[..at].chars().next_back().is_some_and(is_part);
        let after = lower[at + words.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

/// Splits a text into sentences, at `. `, `! `, `? ` and at line breaks; text in a code fence is left out.
fn split_sentences(text: &str) -> Vec<String> {
    let mut decisions = vec![];
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        let mut rest = line.trim();
        while let Some(end) = [". ", "! ", "? "].iter().filter_map(|it| rest.find(it)).min() {
            decisions.push(rest[..=end].trim().to_owned());
            rest = rest[end + 1..].trim_start();
        }
        decisions.push(rest.to_owned());
    }
    decisions.retain(|sentence| !sentence.is_empty());
    decisions
}

/// Returns the last decision that shares two or more distinctive words with a sentence.
fn last_similar_decision(decisions: &[Decision], sentence: &str) -> Option<usize> {
    let words = crate::process::plan::distinctive_words(sentence);
    let shares = |decision: &Decision| {
        let other_words = crate::process::plan::distinctive_words(&decision.answer);
        other_words.intersection(&words).count() >= 2
    };
    decisions.iter().rposition(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sentences_that_lay_something_down_are_drawn() {
        let requests = [
            "Write the sampler. The target must stay fixed in sampler.py. Is that clear?\n```\nalways x = 1\n```".to_owned(),
            "Thanks!".to_owned(),
        ];
        let decisions = decisions_in_requests(&requests);
        let extracted: Vec<_> =
            decisions.iter().map(|it| (it.id.as_str(), it.answer.as_str())).collect();
        assert_eq!(extracted, [("t1.2", "The target must stay fixed in sampler.py.")]);
        assert_eq!(decisions[0].files, ["sampler.py"]);
    }

    #[test]
    fn what_takes_something_back_supersedes_it() {
        let requests = [
            "The sequence noise must be masks with an absorbing state.".to_owned(),
            "No, not masks. I want uniform sequence noise instead of an absorbing state."
                .to_owned(),
        ];
        let decisions = decisions_in_requests(&requests);
        assert_eq!(decisions[0].status.as_deref(), Some("superseded"));
        assert_eq!(decisions[1].supersedes, ["t1.1"]);
    }
}
