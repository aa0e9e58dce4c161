//! Finding a sentence by some of its letters.
//!
//! Each word of what is typed must occur as letters in their order. Letters that begin a word or follow one another
//! count for more, gaps for less; of all ways to find the letters the best is taken.

/// How well a sentence fits, and the characters of it that were found, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Match {
    pub score: i32,
    pub places: Vec<usize>,
}

const LETTER: i32 = 4;
const WORD_START: i32 = 8;
const NEIGHBOUR: i32 = 6;
/// For each character that is skipped between two letters, up to [`MOST_GAP`] of them.
const GAP: i32 = 1;
const MOST_GAP: usize = 12;

/// None where some word is not in the sentence.
pub fn find(wanted: &str, sentence: &str) -> Option<Match> {
    let sentence: Vec<char> = sentence.chars().flat_map(lower).collect();
    let mut all = Match::default();
    let mut words: Vec<&str> = wanted.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    for word in words {
        let word: Vec<char> = word.chars().take(sentence.len() + 1).flat_map(lower).collect();
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

/// One character for one, so that places stay.
fn lower(c: char) -> Option<char> {
    c.to_lowercase().next()
}

fn find_word(word: &[char], sentence: &[char]) -> Option<Match> {
    // For each place, the best way to have found the letters so far with the last of them there.
    let mut best: Vec<Option<Match>> = vec![None; sentence.len()];
    for (index, letter) in word.iter().enumerate() {
        let before = std::mem::replace(&mut best, vec![None; sentence.len()]);
        let places = sentence.iter().enumerate().filter(|(_, c)| *c == letter);
        for (place, _) in places {
            let so_far = if index == 0 { Some(Match::default()) } else { leading(&before, place) };
            best[place] = so_far.map(|mut found| {
                let starts = place == 0 || !sentence[place - 1].is_alphanumeric();
                found.score += LETTER + if starts { WORD_START } else { 0 };
                found.places.push(place);
                found
            });
        }
    }
    best.into_iter().flatten().reduce(better)
}

/// The best way to have found the letters before one at `place`, with what the way from there costs or brings.
fn leading(before: &[Option<Match>], place: usize) -> Option<Match> {
    let ways = before[..place].iter().enumerate().filter_map(|(at, found)| {
        let mut found = found.clone()?;
        found.score += match place - at - 1 {
            0 => NEIGHBOUR,
            gap => -GAP * gap.min(MOST_GAP) as i32,
        };
        Some(found)
    });
    ways.reduce(better)
}

/// The first of two that are as good.
fn better(one: Match, other: Match) -> Match {
    if other.score > one.score { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(wanted: &str, sentences: &[&'a str]) -> &'a str {
        let score = |sentence: &&str| find(wanted, sentence).map(|found| found.score);
        sentences.iter().copied().max_by_key(score).unwrap()
    }

    #[test]
    fn letters_count_in_their_order_only() {
        assert!(find("nxt", "next turn").is_some());
        assert_eq!(find("txn", "next turn"), None);
    }

    #[test]
    fn words_may_come_in_any_order() {
        assert!(find("turn next", "next turn").is_some());
        assert_eq!(find("turn quokka", "next turn"), None);
    }

    #[test]
    fn beginnings_of_words_win() {
        assert_eq!(best("nt", &["the count of hints", "next turn", "intent"]), "next turn");
        assert_eq!(best("fold", &["find only old", "fold every step"]), "fold every step");
    }

    #[test]
    fn the_best_place_of_a_letter_is_the_one_that_is_marked() {
        assert_eq!(find("turn", "to the turn").unwrap().places, [7, 8, 9, 10]);
    }
}
