//! What a word is, to those who look for one and to those who keep an index of them.
//!
//! A word is letters and digits of any script in a row, without regard to case: `find_user` is the words `find` and
//! `user`, `src/store/open.rs` is four of them, `HttpClient` is one. What is looked for (`find_user`) is found where it
//! stands whole: a letter or digit right before or after it makes it a part of something longer. So a text that has it
//! has each of its words, which is all that an index needs to know.

use std::ops::Range;

use regex::Regex;

/// Words longer than this many bytes are told apart by their beginnings alone, in an index.
const MOST_BYTES: usize = 64;

/// Something that is looked for as it is written, but for case and how many blanks stand in a row.
#[derive(Debug, Clone)]
pub struct Phrase {
    /// As it was written, without quotes and star.
    text: String,
    /// What follows it may be a letter too: `find_us*`.
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
pub struct Word {
    /// In the form in which [`each_word`] gives it.
    pub text: String,
    /// Words that begin so are meant too.
    pub is_prefix: bool,
}

impl Phrase {
    /// The error is a sentence: it is empty, or too long.
    pub fn of(text: &str, is_prefix: bool) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("there is nothing to look for between the quotes".into());
        }
        let regex = regex::RegexBuilder::new(&pattern(text.trim())).size_limit(1 << 22).build();
        let regex = regex.map_err(|_| "these words are too long to be looked for".to_owned())?;
        Ok(Self { text: text.trim().into(), is_prefix, regex })
    }

    /// As it was written, without quotes and star.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text, 0).is_some()
    }

    /// Every place where it stands, in bytes.
    pub fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let mut at = from;
        loop {
            let found = self.regex.find_at(text, at)?.range();
            if self.stands_alone(text, &found) {
                return Some(found);
            }
            at = found.start + text[found.start..].chars().next().map_or(1, char::len_utf8);
        }
    }

    fn stands_alone(&self, text: &str, found: &Range<usize>) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inner = &text[found.clone()];
        let goes_on_before =
            is_word(inner.chars().next()) && is_word(text[..found.start].chars().next_back());
        let goes_on_after =
            is_word(inner.chars().next_back()) && is_word(text[found.end..].chars().next());
        !goes_on_before && (self.is_prefix || !goes_on_after)
    }

    /// The words that a text with it has; none where it is signs alone.
    pub fn words(&self) -> Vec<Word> {
        let mut words = vec![];
        each_word(&self.text, &mut |word| {
            words.push(Word { text: word.into(), is_prefix: false });
        });
        let ends_in_a_word = self.text.chars().next_back().is_some_and(char::is_alphanumeric);
        if let Some(last) = words.last_mut() {
            last.is_prefix = self.is_prefix && ends_in_a_word;
        }
        words
    }
}

/// Each letter in both cases, blanks as any number of blanks in one line.
fn pattern(text: &str) -> String {
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
        let (lower, upper) = (folded(c), raised(folded(c)));
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

/// The one letter that stands for both cases of a letter.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

/// The capital letter that [`folded`] makes this one of.
fn raised(lower: char) -> Option<char> {
    let mut upper = lower.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if upper != lower && folded(upper) == lower => Some(upper),
        _ => None,
    }
}

/// What a byte of ASCII is in a word: its lower case; 0 for what stands between words and for other scripts.
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
    let mut folded = String::with_capacity(MOST_BYTES);
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
        if is_ascii && is_folded && at - start <= MOST_BYTES {
            give(&text[start..at]);
            continue;
        }
        if let Some(rest) = (!is_ascii).then(|| &text[at..]) {
            at = match end_of_word(text, at) {
                // What is no letter may stand where a word could begin.
                end if end == start => end + rest.chars().next().map_or(1, char::len_utf8),
                end => end,
            };
        }
        folded.clear();
        for letter in text[start..at].chars().filter(|c| c.is_alphanumeric()).map(self::folded) {
            if folded.len() + letter.len_utf8() > MOST_BYTES {
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

    fn words(text: &str) -> Vec<String> {
        let mut words = vec![];
        each_word(text, &mut |word| words.push(word.to_owned()));
        words
    }

    /// The places, in bytes, as the first and the one after the last.
    fn places(phrase: &str, text: &str) -> Vec<(usize, usize)> {
        let (phrase, is_prefix) =
            phrase.strip_suffix('*').map_or((phrase, false), |phrase| (phrase, true));
        let phrase = Phrase::of(phrase, is_prefix).unwrap();
        phrase.places(text).map(|place| (place.start, place.end)).collect()
    }

    #[test]
    fn a_word_is_letters_and_digits_in_a_row() {
        assert_eq!(words("def find_user(HttpClient):"), ["def", "find", "user", "httpclient"]);
        assert_eq!(words("src/store/open.rs:12"), ["src", "store", "open", "rs", "12"]);
        assert_eq!(words("ÜBER größe 你好"), ["über", "größe", "你好"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn a_long_word_is_kept_by_its_beginning() {
        let long = "a".repeat(100);
        assert_eq!(words(&format!("{long} b")), ["a".repeat(64), "b".into()]);
    }

    #[test]
    fn a_phrase_is_found_where_it_stands_whole_whatever_its_case() {
        assert_eq!(places("find", "find_user refind Find"), [(0, 4), (17, 21)]);
        assert_eq!(places("find_user", "find_users FIND_USER"), [(11, 20)]);
        assert_eq!(places("find_us*", "find_users"), [(0, 7)]);
        assert_eq!(places("a-a", "xa-a-a"), [(3, 6)]);
        assert_eq!(places("cannot borrow", "cannot   borrow cannot\nborrow"), [(0, 15)]);
        assert_eq!(places("->", "a->b"), [(1, 3)]);
        assert_eq!(places("größe", "GRÖßE"), [(0, 7)]);
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
            let held = words(&text);
            for phrase in [phrase, looked_for] {
                let phrase = Phrase::of(&phrase, is_prefix).unwrap();
                if phrase.is_in(&text) {
                    for word in phrase.words() {
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
