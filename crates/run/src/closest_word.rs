//! *Did you mean*: the word of a list that a mistyped one is probably meant to be.

/// Returns the candidate of which few letters differ from the word.
pub fn closest_word<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (word.chars().count() / 3).clamp(1, 3);
    let distance = |candidate: &&str| strsim::damerau_levenshtein(word, candidate);
    candidates.filter(|it| distance(it) <= most).min_by_key(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_few_other_letters_is_near_and_one_with_many_is_not() {
        let near = |word| closest_word(word, ["turn", "task_id", "tokens"].into_iter());
        assert_eq!(near("taskid"), Some("task_id"));
        assert_eq!(near("tunr"), Some("turn"));
        assert_eq!(near("erosion"), None);
    }
}
