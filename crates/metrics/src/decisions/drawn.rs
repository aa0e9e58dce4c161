//! Decisions drawn from what a run's own requests say: sentences that lay something down. They are drawn conservatively, with
//! the words that say so, to be edited by a person; none is made up.

use super::Decision;

/// Words by which a sentence lays something down.
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

/// Words of a sentence that takes something back.
const TAKES_BACK: [&str; 5] = ["instead of", "no, not", "no longer", "on reflection", "rename"];

/// Sentences shorter than that say too little, and longer ones too much.
const WORDS: std::ops::RangeInclusive<usize> = 4..=60;

/// The decisions of requests, one request a turn, in order. The id says the turn and the sentence: `t12.2`.
pub fn of(requests: &[String]) -> Vec<Decision> {
    let mut found = vec![];
    for (turn, request) in (1..).zip(requests) {
        add(&mut found, turn, request);
    }
    found
}

/// Adds the decisions of one more request to those found before; the turn counts from 1.
pub fn add(found: &mut Vec<Decision>, turn: usize, request: &str) {
    for (number, sentence) in (1..).zip(sentences(request)) {
        let lower = sentence.to_lowercase();
        let is_question = sentence.ends_with('?');
        let count = sentence.split_whitespace().count();
        let has = |words: &str| contains(&lower, words);
        if is_question || !WORDS.contains(&count) || !LAYS_DOWN.iter().any(|it| has(it)) {
            continue;
        }
        let id = format!("t{turn}.{number}");
        let takes_back = TAKES_BACK.iter().any(|it| has(it));
        let earlier = takes_back.then(|| alike(found, &sentence)).flatten();
        let supersedes = earlier.map(|at| found[at].id.clone());
        if let Some(at) = earlier {
            found[at].status = Some("superseded".into());
            found[at].superseded_by.push(id.clone());
        }
        found.push(Decision {
            question: format!("What does the request of turn {turn} lay down?"),
            files: super::key::paths(&sentence).into_iter().map(str::to_owned).collect(),
            status: Some("active".into()),
            tags: vec![format!("turn-{turn}")],
            supersedes: supersedes.into_iter().collect(),
            answer: sentence,
            id,
            ..Decision::default()
        });
    }
}

fn contains(lower: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    lower.match_indices(words).any(|(at, _)| {
        let before = lower[..at].chars().next_back().is_some_and(is_part);
        let after = lower[at + words.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

/// Sentences end at `. `, `! `, `? ` and at line breaks; what stands in a fence of code is none.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![];
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
            found.push(rest[..=end].trim().to_owned());
            rest = rest[end + 1..].trim_start();
        }
        found.push(rest.to_owned());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// The last decision with which a sentence shares two telling words or more.
fn alike(found: &[Decision], sentence: &str) -> Option<usize> {
    let words = crate::process::plan::telling_words(sentence);
    let shares = |decision: &Decision| {
        let own = crate::process::plan::telling_words(&decision.answer);
        own.intersection(&words).count() >= 2
    };
    found.iter().rposition(shares)
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
        let found = of(&requests);
        let told: Vec<_> = found.iter().map(|it| (it.id.as_str(), it.answer.as_str())).collect();
        assert_eq!(told, [("t1.2", "The target must stay fixed in sampler.py.")]);
        assert_eq!(found[0].files, ["sampler.py"]);
    }

    #[test]
    fn what_takes_something_back_supersedes_it() {
        let requests = [
            "The sequence noise must be masks with an absorbing state.".to_owned(),
            "No, not masks. I want uniform sequence noise instead of an absorbing state."
                .to_owned(),
        ];
        let found = of(&requests);
        assert_eq!(found[0].status.as_deref(), Some("superseded"));
        assert_eq!(found[1].supersedes, ["t1.1"]);
    }
}
