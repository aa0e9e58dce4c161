//! Words of requests and of names, made alike: `training`, `train_step` and `Train` share a word.

use std::collections::BTreeSet;

/// Words that say nothing about a project's parts.
const COMMON: &str = "a about argument call class few fewer function instead less method object plain add after again all also an and any are as at be because been before both but by can change code \
    could do does done each every file first for from get give go has have here how i if in into is it its just keep last let like \
    list look make many may more most much must my need never new no not now number of old on one only or other our out over own \
    please put python return run same see set should show so some such take test tests than that the their them then there these \
    they thing this those to too true two up us use used using value want was way we well what when where which while who why \
    will with without work would write yes you your";

/// Returns the words of a text, each once: split at what is no letter or digit, at underscores and at capitals, in
/// lower case, without common words and the ends that inflect (`losses`, `training`).
pub(crate) fn distinct_words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        for part in word_parts(word) {
            let part = part.to_lowercase();
            let is_word = part.chars().count() > 2 && !part.chars().all(|c| c.is_ascii_digit());
            if is_word && !COMMON.split_whitespace().any(|common| common == part) {
                found.insert(word_stem(&part).to_owned());
            }
        }
    }
    found
}

/// Returns the weight of a word that `having` of `all` have: above 0, near it for one that all of many have.
pub(crate) fn rarity_weight(having: usize, all: usize) -> f64 {
    ((2.0 + all as f64) / (1.0 + having.min(all) as f64)).ln()
}

/// Returns the names that a text contains literally: words with an underscore, a dot before letters, or a capital
/// inside.
pub(crate) fn names_in_text(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/');
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_matches(['.', '/']));
    let is_name = |word: &&str| {
        let is_camel =
            word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        word.len() > 2 && (word.contains(['_', '.', '/']) || is_camel)
    };
    words.filter(is_name).flat_map(|word| [word, word.rsplit('.').next().unwrap_or(word)]).collect()
}

/// Splits `train_stepOne` into train, step, One.
fn word_parts(word: &str) -> Vec<&str> {
    let mut found = vec![];
    for piece in word.split('_') {
        let (mut start, mut was_lower) = (0, false);
        for (at, c) in piece.char_indices() {
            if c.is_uppercase() && was_lower {
                found.push(&piece[start..at]);
                start = at;
            }
            was_lower = c.is_lowercase() || c.is_ascii_digit();
        }
        found.push(&piece[start..]);
    }
    found
}

/// Returns a word without the endings of plurals and verbs; at least three letters stay.
fn word_stem(word: &str) -> &str {
    const ENDS: [&str; 9] = ["ings", "ing", "ers", "er", "ies", "ed", "es", "s", "e"];
    let short = ENDS.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() > 2));
    let short = short.filter(|_| word.is_ascii() && !word.ends_with("ss")).unwrap_or(word);
    // `running`: run
    let bytes = short.as_bytes();
    let is_doubled = short.len() > 3
        && short.len() < word.len()
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !matches!(bytes[bytes.len() - 1], b's' | b'l');
    if is_doubled { &short[..short.len() - 1] } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_names_share_words() {
        let words = |text: &str| distinct_words(text).into_iter().collect::<Vec<_>>().join(" ");

        assert_eq!(words("Training is too slow"), "slow train");
        assert_eq!(words("train_step TrainLoop"), "loop step train");
        assert_eq!(words("the losses' total_loss"), "loss total");
        assert_eq!(words("Denoiser denoised running schedules"), "denois run schedul");
        assert_eq!(words(""), "");
    }

    #[test]
    fn names_stand_as_they_are() {
        let found: Vec<&str> =
            names_in_text("Drop `snr_weight` of ppdiff/losses.py, not Weights or CosineSchedule.")
                .into_iter()
                .collect();
        assert_eq!(found, ["CosineSchedule", "ppdiff/losses.py", "py", "snr_weight"]);
    }
}
