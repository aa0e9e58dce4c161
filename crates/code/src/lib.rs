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

pub mod ansi_text;
pub mod base64;
pub mod diff;
pub mod diff_stat;
pub mod flat_tree;
pub mod git_patch;
pub mod highlight;
pub mod languages;
pub mod packing;
pub mod patch;
pub mod plants;
pub mod redact;
pub mod small_map;
pub mod tree;
pub mod type_defaults;
pub mod utf8;

/// Returns whether a list, with spaces between its words, has a word.
pub fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}
