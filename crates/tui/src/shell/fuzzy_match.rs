//! Finds names and sentences by what is typed.
//!
//! A name that is typed in full comes first, then names with such a word, names that begin so, names with a word that begins
//! so, and last names with the letters in their order, the best fit first. In that last case each typed word must occur as
//! letters in their order. Letters that begin a word or follow one another count for more, gaps for less; of all ways to match
//! the letters the best one counts.

/// How well a name fits, and the indices of its matched characters, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameMatch {
    pub rank: i32,
    /// How well the letters fit, among names in which only letters were found; 0 for others.
    pub score: i32,
    pub places: Vec<usize>,
}

/// The ranks of names, the higher the better.
pub(crate) const WHOLE: i32 = 12;
pub(crate) const WHOLE_WORD: i32 = 10;
pub(crate) const BEGINNING: i32 = 8;
const WORD_BEGINNING: i32 = 6;
const IN_SENTENCE: i32 = 4;
const LETTERS: i32 = 2;

/// Matches a name of words between hyphens, dots, slashes or blanks; None if it does not have the letters. An empty text
/// matches every name alike; a single letter only the beginnings of words.
pub(crate) fn match_name(typed: &str, name: &str) -> Option<NameMatch> {
    if typed.is_empty() {
        return Some(NameMatch::of_rank(0, vec![]));
    }
    let (wanted, lower): (Vec<char>, Vec<char>) =
        (typed.chars().flat_map(to_lower).collect(), name.chars().flat_map(to_lower).collect());
    let is_start = |at: usize| at == 0 || !lower[at - 1].is_alphanumeric();
    let is_end = |at: usize| at == lower.len() || !lower[at].is_alphanumeric();
    let starts = (0..lower.len()).filter(|at| is_start(*at) && lower[*at..].starts_with(&wanted));
    let starts: Vec<usize> = starts.collect();
    let whole_word = starts.iter().copied().find(|at| is_end(at + wanted.len()));
    let place = whole_word.or(starts.first().copied());
    let places = |at: usize| (at..at + wanted.len()).collect();
    match (place, whole_word) {
        (Some(0), _) if wanted.len() == lower.len() => Some(NameMatch::of_rank(WHOLE, places(0))),
        (Some(at), Some(_)) => Some(NameMatch::of_rank(WHOLE_WORD, places(at))),
        (Some(0), None) => Some(NameMatch::of_rank(BEGINNING, places(0))),
        (Some(at), None) => Some(NameMatch::of_rank(WORD_BEGINNING, places(at))),
        (None, _) if wanted.len() == 1 => None,
        (None, _) => match_sentence(typed, name).map(|found| NameMatch {
            score: found.score,
            ..NameMatch::of_rank(LETTERS, found.places)
        }),
    }
}

impl NameMatch {
    pub(crate) const fn of_rank(rank: i32, places: Vec<usize>) -> Self {
        Self { rank, score: 0, places }
    }
}

/// Matches a sentence in which each typed word begins a word; None while nothing or a single letter is typed.
pub(crate) fn match_beginnings(typed: &str, sentence: &str) -> Option<NameMatch> {
    let sentence = sentence.to_lowercase();
    let words: Vec<&str> = sentence.split(|c: char| !c.is_alphanumeric()).collect();
    let typed = typed.to_lowercase();
    let mut wanted = typed.split_whitespace();
    let fits = typed.trim().chars().count() > 1
        && wanted.all(|wanted| words.iter().any(|word| word.starts_with(wanted)));
    fits.then(|| NameMatch::of_rank(IN_SENTENCE, vec![]))
}

/// Returns up to three words that are nearly what was typed, the nearest first.
pub(crate) fn nearest_words<'a>(typed: &str, words: &[&'a str]) -> Vec<&'a str> {
    let typed: Vec<char> = typed.to_lowercase().chars().collect();
    // Every short word is nearly a single letter.
    let limit = if typed.len() == 1 { 0 } else { (typed.len() / 3).max(1) };
    let distance = |letters: &[char]| strsim::generic_damerau_levenshtein(&typed, letters);
    let distances = words.iter().map(|word| {
        let letters: Vec<char> = word.to_lowercase().chars().collect();
        // The rest of a longer word is cheap: people type beginnings.
        let whole = distance(&letters);
        let beginning = distance(&letters[..letters.len().min(typed.len())]);
        (whole.min(beginning + usize::from(typed.len() > 2)), whole, *word)
    });
    let mut near: Vec<_> = distances.filter(|(distance, ..)| *distance <= limit).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(.., word)| word).collect()
}

/// The score of a sentence, and the indices of the matched characters, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FuzzyMatch {
    score: i32,
    places: Vec<usize>,
}

const LETTER: i32 = 4;
const WORD_START: i32 = 8;
const NEIGHBOUR: i32 = 6;
/// The cost of each character skipped between two letters, up to [`MOST_GAP`] of them.
const GAP: i32 = 1;
const MOST_GAP: usize = 12;

/// Matches a sentence; None when some word is not in it.
fn match_sentence(wanted: &str, sentence: &str) -> Option<FuzzyMatch> {
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
    fn a_whole_name_comes_before_beginnings_and_those_before_letters() {
        let rank = |name: &str| match_name("next", name).map(|found| found.rank);
        assert_eq!(rank("next"), Some(WHOLE));
        assert_eq!(rank("switch-next"), Some(WHOLE_WORD));
        assert_eq!(rank("nextcloud"), Some(BEGINNING));
        assert_eq!(rank("a-nextcloud"), Some(WORD_BEGINNING));
        assert_eq!(rank("no-extra-test"), Some(LETTERS));
        assert_eq!(rank("curves"), None);
        assert_eq!(match_name("e", "next"), None);
    }

    #[test]
    fn a_misspelt_word_is_near_to_the_right_one() {
        let words = ["replay", "rescore", "scores", "themes"];
        assert_eq!(nearest_words("repaly", &words), ["replay"]);
        assert_eq!(nearest_words("scroes", &words), ["scores"]);
        assert_eq!(nearest_words("quokka", &words), [""; 0]);
        assert_eq!(nearest_words("w", &["up", "end", "wide"]), ["wide"]);
    }

    #[test]
    fn the_best_place_of_a_letter_is_the_one_that_is_marked() {
        assert_eq!(match_sentence("turn", "to the turn").unwrap().places, [7, 8, 9, 10]);
    }
}
