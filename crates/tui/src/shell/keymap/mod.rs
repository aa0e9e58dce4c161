//! Keys are data: one row a binding. Dispatch, the footer, the `?` overlay and `trajview keys` all read this list.
//!
//! To bind a key add a row to the table of its view, below `tables`. A row with a `hint` shows in the footer of its place; neighbours with the same hint
//! share it (`←→ turn`).

mod binding;
mod tables;

use crate::{session::context::Context, widgets::key::Key};

pub use binding::{Binding, Count, Listing};

/// What a key means in a place; None where it means nothing.
pub fn find(context: Context, key: Key) -> Option<&'static Binding> {
    bindings_of(context).find(|binding| binding.keys.contains(&key))
}

/// What the footer of a place says, most useful first: keys and a word.
pub fn hints(context: Context) -> Vec<(String, &'static str)> {
    hints_with(context, |row| row.keys[0])
}

/// As [`hints`], with the keys that `key` gives for a row.
pub fn hints_with(
    context: Context,
    key: impl Fn(&'static Binding) -> Key,
) -> Vec<(String, &'static str)> {
    let mut hints: Vec<(String, &'static str)> = vec![];
    for row in bindings_of(context).filter(|row| !row.hint.is_empty()) {
        let key = key(row).to_string();
        match hints.last_mut() {
            Some((keys, hint)) if *hint == row.hint => keys.push_str(&key),
            _ => hints.push((key, row.hint)),
        }
    }
    hints
}

/// The bindings that hold in a place, the innermost layer first.
pub fn bindings_of(context: Context) -> impl Iterator<Item = &'static Binding> {
    let layers = context.layers().iter();
    layers.flat_map(|layer| bindings().filter(move |binding| binding.context == *layer))
}

/// Every binding, one after the other.
pub fn bindings() -> impl Iterator<Item = &'static Binding> + Clone {
    tables::TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for context in Context::ALL {
            let mut seen: HashMap<Key, &str> = HashMap::new();
            let here = bindings().filter(|row| context.layers().contains(&row.context));
            for row in here {
                for key in row.keys {
                    let other = seen.insert(*key, row.help);
                    assert_eq!(other, None, "{key} in {context:?} also means: {}", row.help);
                }
            }
        }
    }

    #[test]
    fn every_row_has_a_key_and_help() {
        for row in bindings() {
            assert!(!row.keys.is_empty() && !row.help.is_empty(), "{}", row.keys_shown());
            assert!(!row.help.ends_with('.'), "{}", row.help);
        }
    }

    #[test]
    fn digits_are_counts_and_keys_only_where_a_level_is_given() {
        let is_digit = |key: &&Key| key.typed().is_some_and(|c| c.is_ascii_digit());
        for context in Context::ALL {
            let here = context.layers().iter();
            let rows = here.flat_map(|layer| bindings().filter(|row| row.context == *layer));
            let digits: String =
                rows.flat_map(|row| row.keys).filter(is_digit).map(Key::to_string).collect();
            let expected = if context.has_digits() || context == Context::AuditReading {
                "0123456789"
            } else {
                ""
            };
            assert_eq!(digits, expected, "{context:?}");
        }
    }

    #[test]
    fn neighbours_with_the_same_hint_share_it() {
        assert!(hints(Context::Turns).contains(&("←→".into(), "turn")));
    }
}
