//! Source text: differences between two versions, patches as agents write them, colours, syntax trees, what is secret.
//!
//! Knows nothing of runs. Add a language's colours in [`highlight`], a patch dialect in [`patch`].
//!
//! # Of this crate
//!
//! - **Knows** text of source files and of patches: lines, colours, syntax trees, languages, secrets in it.
//! - **Must not know** what a run is, where text comes from, who shows it: no disk, no clock, no threads of its own.
//! - **Used by** every other crate.
//!
//! Always true:
//!
//! - The same text gives the same answer, in any order and on any thread.
//! - No text is too long or too deep: what nests without end gets a stack of its own or is refused.
//! - A grammar is there if its feature is on; without it the language is not measured, and nothing fails.

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
