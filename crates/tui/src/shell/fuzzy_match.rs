//! Finds a sentence by some of its letters.
//!
//! Each typed word must occur as letters in their order. Letters that begin a word or follow one another count for more,
//! gaps for less; of all ways to match the letters the best one counts.

/// The score of a sentence, and the indices of the matched characters, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FuzzyMatch {
    pub score: i32,
    pub places: Vec<usize>,
}

const LETTER: i32 = 4;
const WORD_START: i32 = 8;
const NEIGHBOUR: i32 = 6;
/// The cost of each character skipped between two letters, up to [`MOST_GAP`] of them.
const GAP: i32 = 1;
const MOST_GAP: usize = 12;

/// Matches a sentence; None when some word is not in it.
pub(crate) fn match_sentence(wanted: &str, sentence: &str) -> Option<FuzzyMatch> {
    let sentence: Vec<char> = sentence.chars().flat_map(to_lower).collect();
    let mut all = FuzzyMatch::default();
    let mut words: Vec<&str> = wanted.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    for word in words {
        let word: Vec<char> = word.chars().take(sentence.len() + 1).flat_map(to_lower).collect();
        if word.len() > sentence.len() {
            return None;
        }
        let found = find_word(&word, &sentence)?;
        all.score += found.score;
        all.places.extend(found.places);
    }
    all.places.sort_unstable();
    all.places.dedup();
    Some(all)
}

/// Converts to lower case, one character for one, so that indices stay.
fn to_lower(c: char) -> Option<char> {
    c.to_lowercase().next()
}

fn find_word(word: &[char], sentence: &[char]) -> Option<FuzzyMatch> {
    // For each place, the best way to have found the letters so far with the last of them there.
    let mut best: Vec<Option<FuzzyMatch>> = vec![None; sentence.len()];
    for (index, letter) in word.iter().enumerate() {
        let before = std::mem::replace(&mut best, vec![None; sentence.len()]);
        let places = sentence.iter().enumerate().filter(|(_, c)| *c == letter);
        for (place, _) in places {
            let so_far =
                if index == 0 { Some(FuzzyMatch::default()) } else { best_before(&before, place) };
            best[place] = so_far.map(|mut found| {
                let starts = place == 0 || !sentence[place - 1].is_alphanumeric();
                found.score += LETTER + if starts { WORD_START } else { 0 };
                found.places.push(place);
                found
            });
        }
    }
    best.into_iter().flatten().reduce(better_match)
}

/// Returns the best match of the letters before the one at `place`, with the score of the gap between.
fn best_before(before: &[Option<FuzzyMatch>], place: usize) -> Option<FuzzyMatch> {
    let ways = before[..place].iter().enumerate().filter_map(|(at, found)| {
        let mut found = found.clone()?;
        found.score += match place - at - 1 {
            0 => NEIGHBOUR,
            gap => -GAP * gap.min(MOST_GAP) as i32,
        };
        Some(found)
    });
    ways.reduce(better_match)
}

/// Returns the better match; the first one when they are equal.
fn better_match(one: FuzzyMatch, other: FuzzyMatch) -> FuzzyMatch {
    if other.score > one.score { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(wanted: &str, sentences: &[&'a str]) -> &'a str {
        let score = |sentence: &&str| match_sentence(wanted, sentence).map(|found| found.score);
        sentences.iter().copied().max_by_key(score).unwrap()
    }

    #[test]
    fn letters_count_in_their_order_only() {
        assert!(match_sentence("nxt", "next turn").is_some());
        assert_eq!(match_sentence("txn", "next turn"), None);
    }

    #[test]
    fn words_may_come_in_any_order() {
        assert!(match_sentence("turn next", "next turn").is_some());
        assert_eq!(match_sentence("turn quokka", "next turn"), None);
    }

    #[test]
    fn beginnings_of_words_win() {
        assert_eq!(best("nt", &["the count of hints", "next turn", "intent"]), "next turn");
        assert_eq!(best("fold", &["find only old", "fold every step"]), "fold every step");
    }

    #[test]
    fn the_best_place_of_a_letter_is_the_one_that_is_marked() {
        assert_eq!(match_sentence("turn", "to the turn").unwrap().places, [7, 8, 9, 10]);
    }
}
