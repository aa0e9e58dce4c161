//! Source text: differences between two versions, patches as agents write them, colours, syntax trees, what is secret.
//!
//! Knows nothing of runs. Add a language's colours in [`highlight`], a patch dialect in [`patch`].

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod base64;
pub mod counts;
pub mod diff;
pub mod flat;
pub mod highlight;
pub mod languages;
pub mod packing;
pub mod patch;
pub mod printed;
pub mod redact;
pub mod short;
pub mod tree;
pub mod type_defaults;
pub mod unified;
pub mod utf8;

/// Whether it is one of the words of a list, which has spaces between them.
pub fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}
