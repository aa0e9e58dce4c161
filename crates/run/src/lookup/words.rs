//! The definition of a word, for searches and for their index.
//!
//! A word is letters and digits of any script in a row, without regard to case: `find_user` is the words `find` and
//! `user`, `src/store/open.rs` is four of them, `HttpClient` is one. A phrase (`find_user`) matches where it is whole:
//! a letter or digit right before or after it makes it a part of something longer. So a text with the phrase has each
//! of its words, which is all that an index needs to know.

use std::ops::Range;

use regex::Regex;

/// Longest word of an index, in bytes; longer words are cut there.
const MAX_WORD_BYTES: usize = 64;

/// A phrase that is matched literally, but for case and the number of blanks.
#[derive(Debug, Clone)]
pub struct Phrase {
    /// The phrase as written, without quotes and star.
    text: String,
    /// True if a letter may follow it: `find_us*`.
    is_prefix: bool,
    regex: Regex,
}

impl PartialEq for Phrase {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.is_prefix) == (&other.text, other.is_prefix)
    }
}

/// A word that every text with the phrase has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexWord {
    /// The word in the form of [`each_word`].
    pub text: String,
    /// Words that begin so are meant too.
    pub is_prefix: bool,
}

impl Phrase {
    /// Makes a phrase. The error is a sentence: the phrase is empty, or too long.
    pub fn new(text: &str, is_prefix: bool) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("empty quotes".into());
        }
        let regex =
            regex::RegexBuilder::new(&phrase_pattern(text.trim())).size_limit(1 << 22).build();
        let regex = regex.map_err(|_| "these words are too long".to_owned())?;
        Ok(Self { text: text.trim().into(), is_prefix, regex })
    }

    /// Returns the phrase as written, without quotes and star.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a text has the phrase.
    pub fn is_in(&self, text: &str) -> bool {
        self.find_from(text, 0).is_some()
    }

    /// Returns every place of the phrase, in bytes.
    pub fn places_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let range = self.find_from(text, from)?;
            from = range.end;
            Some(range)
        })
    }

    fn find_from(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let mut at = from;
        loop {
            let range = self.regex.find_at(text, at)?.range();
            if self.stands_alone(text, &range) {
                return Some(range);
            }
            at = range.start + text[range.start..].chars().next().map_or(1, char::len_utf8);
        }
    }

    fn stands_alone(&self, text: &str, range: &Range<usize>) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inner = &text[range.clone()];
        let goes_on_before =
            is_word(inner.chars().next()) && is_word(text[..range.start].chars().next_back());
        let goes_on_after =
            is_word(inner.chars().next_back()) && is_word(text[range.end..].chars().next());
        !goes_on_before && (self.is_prefix || !goes_on_after)
    }

    /// Returns the words that a text with it has; none where it is signs alone.
    pub(crate) fn required_words(&self) -> Vec<IndexWord> {
        let mut words = vec![];
        each_word(&self.text, &mut |word| {
            words.push(IndexWord { text: word.into(), is_prefix: false });
        });
        let ends_in_a_word = self.text.chars().next_back().is_some_and(char::is_alphanumeric);
        if let Some(last) = words.last_mut() {
            last.is_prefix = self.is_prefix && ends_in_a_word;
        }
        words
    }
}

/// Returns each letter in both cases, blanks as any number of blanks in one line.
fn phrase_pattern(text: &str) -> String {
    let mut pattern = String::new();
    let mut is_blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            if !is_blank {
                pattern.push_str(r"[\s&&[^\n\r]]+");
            }
            is_blank = true;
            continue;
        }
        is_blank = false;
        let (lower, upper) = (fold_case(c), capital_of(fold_case(c)));
        let escaped = |c: char| regex::escape(c.encode_utf8(&mut [0; 4]));
        match upper {
            Some(upper) => {
                pattern.push_str(&format!("[{}{}]", escaped(lower), escaped(upper)));
            }
            None => pattern.push_str(&escaped(lower)),
        }
    }
    pattern
}

/// Returns the one letter that represents both cases of a letter.
fn fold_case(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

/// Returns the capital letter that [`fold_case`] makes this one of.
fn capital_of(lower: char) -> Option<char> {
    let mut upper = lower.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if upper != lower && fold_case(upper) == lower => Some(upper),
        _ => None,
    }
}

/// The table with each ASCII byte's lower case within a word; 0 for separators and for other scripts.
const IN_WORD: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Gives each word of a text, folded and cut as an index keeps it.
pub fn each_word(text: &str, give: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut folded = String::with_capacity(MAX_WORD_BYTES);
    while let Some(&byte) = bytes.get(at) {
        if byte < 128 && IN_WORD[usize::from(byte)] == 0 {
            at += 1;
            continue;
        }
        let start = at;
        let mut is_folded = true;
        while let Some(&byte) = bytes.get(at).filter(|byte| IN_WORD[usize::from(**byte)] != 0) {
            is_folded &= IN_WORD[usize::from(byte)] == byte;
            at += 1;
        }
        let is_ascii = bytes.get(at).is_none_or(u8::is_ascii);
        if is_ascii && is_folded && at - start <= MAX_WORD_BYTES {
            give(&text[start..at]);
            continue;
        }
        if let Some(rest) = (!is_ascii).then(|| &text[at..]) {
            at = match end_of_word(text, at) {
                // A character that is no letter may be where a word could begin.
                end if end == start => end + rest.chars().next().map_or(1, char::len_utf8),
                end => end,
            };
        }
        folded.clear();
        for letter in text[start..at].chars().filter(|c| c.is_alphanumeric()).map(self::fold_case) {
            if folded.len() + letter.len_utf8() > MAX_WORD_BYTES {
                break;
            }
            folded.push(letter);
        }
        if !folded.is_empty() {
            give(&folded);
        }
    }
}

fn end_of_word(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    from + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        let mut words = vec![];
        each_word(text, &mut |word| words.push(word.to_owned()));
        words
    }

    /// Returns the places, in bytes, as the first and the one after the last.
    fn phrase_places(phrase: &str, text: &str) -> Vec<(usize, usize)> {
        let (phrase, is_prefix) =
            phrase.strip_suffix('*').map_or((phrase, false), |phrase| (phrase, true));
        let phrase = Phrase::new(phrase, is_prefix).unwrap();
        phrase.places_in(text).map(|place| (place.start, place.end)).collect()
    }

    #[test]
    fn a_word_is_letters_and_digits_in_a_row() {
        assert_eq!(words_of("def find_user(HttpClient):"), ["def", "find", "user", "httpclient"]);
        assert_eq!(words_of("src/store/open.rs:12"), ["src", "store", "open", "rs", "12"]);
        assert_eq!(words_of("ÜBER größe 你好"), ["über", "größe", "你好"]);
        assert_eq!(words_of(""), Vec::<String>::new());
    }

    #[test]
    fn a_long_word_is_kept_by_its_beginning() {
        let long = "a".repeat(100);
        assert_eq!(words_of(&format!("{long} b")), ["a".repeat(64), "b".into()]);
    }

    #[test]
    fn a_phrase_is_found_where_it_stands_whole_whatever_its_case() {
        assert_eq!(phrase_places("find", "find_user refind Find"), [(0, 4), (17, 21)]);
        assert_eq!(phrase_places("find_user", "find_users FIND_USER"), [(11, 20)]);
        assert_eq!(phrase_places("find_us*", "find_users"), [(0, 7)]);
        assert_eq!(phrase_places("a-a", "xa-a-a"), [(3, 6)]);
        assert_eq!(phrase_places("cannot borrow", "cannot   borrow cannot\nborrow"), [(0, 15)]);
        assert_eq!(phrase_places("->", "a->b"), [(1, 3)]);
        assert_eq!(phrase_places("größe", "GRÖßE"), [(0, 7)]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_has_a_phrase_has_its_words(
            before in "[aAbſKkσςΣİß_ ./]{0,6}",
            phrase in "[aAbſKkσςΣİß_./][aAbſKkσςΣİß_ ./]{0,5}",
            after in "[aAbſKkσςΣİß_ ./]{0,6}",
            looked_for in "[aAbſKkσςΣİß_./][aAbſKkσςΣİß_ ./]{0,3}",
            is_prefix in proptest::bool::ANY,
        ) {
            let text = format!("{before}{phrase}{after}");
            let held = words_of(&text);
            for phrase in [phrase, looked_for] {
                let phrase = Phrase::new(&phrase, is_prefix).unwrap();
                if phrase.is_in(&text) {
                    for word in phrase.required_words() {
                        let has = |it: &String| match word.is_prefix {
                            true => it.starts_with(&word.text),
                            false => *it == word.text,
                        };
                        proptest::prop_assert!(held.iter().any(has), "{word:?} of {text:?}");
                    }
                }
            }
        }
    }
}
