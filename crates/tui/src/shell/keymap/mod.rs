//! Keys are data: one row a binding. Dispatch, the footer, the `?` overlay and `trajview list keys` all read this list.
//!
//! To bind a key add a row to the table of its view, below `tables`. A row with a `hint` shows in the footer of its place; neighbours with the same hint
//! share it (`←→ turn`).

mod binding;
pub(crate) mod old_names;
mod tables;

use crate::{session::context::KeyContext, widgets::key::Key};

pub use binding::{CommandListing, KeyBinding, KeyCount};

/// Returns the binding of a key in a place; None when it has none.
pub fn find_binding(context: KeyContext, key: Key) -> Option<&'static KeyBinding> {
    bindings_of(context).find(|binding| binding.keys.contains(&key))
}

/// Returns the footer of a place: first what leads elsewhere, then the keys of the place, most useful first, last how to
/// quit. A hint is the key that `key` gives for a row, and a word; a row without a key is left out.
pub(crate) fn footer_hints_with(
    context: KeyContext,
    key: impl Fn(&'static KeyBinding) -> Option<Key>,
) -> Vec<(String, &'static str)> {
    let mut hints: Vec<(String, &'static str)> = vec![];
    let hinted = bindings_of(context).filter(|row| !row.hint.is_empty());
    let (mut general, own): (Vec<_>, Vec<_>) =
        hinted.partition(|row| row.context == KeyContext::Anywhere);
    let quit = general.pop();
    for row in general.into_iter().chain(own).chain(quit) {
        let Some(key) = key(row).map(|key| key.to_string()) else { continue };
        match hints.last_mut() {
            Some((keys, hint)) if *hint == row.hint => keys.push_str(&key),
            _ => hints.push((key, row.hint)),
        }
    }
    hints
}

/// Returns the bindings of a place, the innermost layer first.
pub fn bindings_of(context: KeyContext) -> impl Iterator<Item = &'static KeyBinding> {
    let layers = context.active_contexts().iter();
    layers.flat_map(|layer| all_bindings().filter(move |binding| binding.context == *layer))
}

/// Returns the indices of the rows that had a name in the settings of version 0.1.0, and the id that replaces it.
pub(crate) fn rows_of_old_name(name: &str) -> Option<(Vec<usize>, &'static str)> {
    let (_, id, contexts) = old_names::OLD_NAMES.iter().find(|(old, ..)| *old == name)?;
    let rows = all_bindings().enumerate();
    let rows = rows.filter(|(_, row)| row.id == *id && contexts.contains(&row.context));
    Some((rows.map(|(index, _)| index).collect(), id))
}

/// Returns every binding.
pub fn all_bindings() -> impl Iterator<Item = &'static KeyBinding> + Clone {
    tables::TABLES.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::session::views::View;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for context in KeyContext::ALL {
            let mut seen: HashMap<Key, &str> = HashMap::new();
            let here =
                all_bindings().filter(|row| context.active_contexts().contains(&row.context));
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
        for row in all_bindings() {
            assert!(!row.keys.is_empty() && !row.help.is_empty(), "{}", row.help);
            assert!(!row.help.ends_with('.'), "{}", row.help);
        }
    }

    #[test]
    fn digits_are_counts_and_keys_only_where_a_level_is_given() {
        let is_digit = |key: &&Key| key.typed_char().is_some_and(|c| c.is_ascii_digit());
        for context in KeyContext::ALL {
            let here = context.active_contexts().iter();
            let rows = here.flat_map(|layer| all_bindings().filter(|row| row.context == *layer));
            let digits: String =
                rows.flat_map(|row| row.keys).filter(is_digit).map(Key::to_string).collect();
            let expected = if context.has_digits() || context == KeyContext::AuditReading {
                "0123456789"
            } else {
                ""
            };
            assert_eq!(digits, expected, "{context:?}");
        }
    }

    /// The letters that mean one thing in every view, and the ids that have this meaning.
    const MEANINGS: &[(char, &[&str])] = &[
        ('n', &["next-match", "next-item", "next-event", "next-difference", "next-run"]),
        (
            'N',
            &[
                "previous-match",
                "previous-item",
                "previous-event",
                "previous-difference",
                "previous-run",
            ],
        ),
        ('s', &["sort"]),
        ('m', &["maximize"]),
        ('x', &["next-failure", "next-failed-leaf", "lost-turn", "largest-rise", "losses"]),
        ('o', &["open", "fold", "both-verdicts", "specified-turn", "open-image"]),
        ('f', &["next-file", "next-judgement", "next-judge", "other-verdict"]),
        ('u', &["undo"]),
        ('b', &["diff-base", "set-judgement-b", "compare-base"]),
        ('d', &["side-by-side", "transcripts"]),
        ('p', &["pairs", "next-pair"]),
        ('y', &["copy"]),
        ('X', &["stop-measuring", "stop-agent", "stop-judging", "stop-job"]),
        ('?', &["help", "close"]),
        ('q', &["quit", "close"]),
    ];

    #[test]
    fn each_letter_after_g_is_in_the_name_of_one_view() {
        let letter = |view: View| {
            let id = format!("goto-{}", view.word());
            let row = all_bindings().find(|row| row.id == id);
            row.and_then(|row| row.keys[0].typed_char()).unwrap()
        };
        let letters: BTreeSet<char> = View::ALL.into_iter().map(letter).collect();

        assert_eq!(letters.len(), View::ALL.len());
        for view in View::ALL {
            assert!(view.tab_name().to_lowercase().contains(letter(view)), "{view:?}");
        }
    }

    #[test]
    fn a_letter_means_one_thing_in_every_view() {
        use KeyContext::{AuditReason, Copy, GoTo, Kinds, LiveQuestion, Past, Stops};
        // In these a letter is the answer to what the screen asks.
        let asks = [AuditReason, Copy, GoTo, Kinds, LiveQuestion, Past, Stops];
        for (letter, ids) in MEANINGS {
            let key = Key::from_char(*letter);
            let rows = all_bindings().filter(|row| row.keys.contains(&key));
            for row in rows.filter(|row| !asks.contains(&row.context)) {
                assert!(ids.contains(&row.id), "{letter} is {} {:?}", row.id, row.context);
            }
        }
    }

    #[test]
    fn neighbours_with_the_same_hint_share_it() {
        assert!(
            footer_hints_with(KeyContext::Turns, |row| row.keys.first().copied())
                .contains(&("←→".into(), "turn"))
        );
    }

    /// Returns the text of each source file of this crate.
    #[expect(clippy::disallowed_methods, reason = "the test reads the code, not a recording")]
    fn sources(folder: &std::path::Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| match path.is_dir() {
                true => sources(&path),
                false => vec![std::fs::read_to_string(&path).unwrap()],
            })
            .collect()
    }

    #[test]
    fn every_key_that_a_text_names_is_a_row_of_the_table() {
        let texts =
            sources(&std::path::Path::new(trajview_testing::project()).join("crates/tui/src"));
        // A call may be broken into several lines.
        let texts: Vec<String> =
            texts.iter().map(|text| text.split_whitespace().collect::<String>()).collect();
        let calls = texts.iter().flat_map(|text| text.split("key_text(KeyContext::").skip(1));
        let mut count = 0;
        for call in calls {
            let (place, rest) = call.split_once(",\"").unwrap_or_default();
            let Some(place) = KeyContext::ALL.into_iter().find(|it| format!("{it:?}") == place)
            else {
                continue; // a closure over the id
            };
            let id = rest.split('"').next().unwrap_or_default();
            assert!(bindings_of(place).any(|row| row.id == id), "{id} in {place:?}");
            count += 1;
        }
        assert!(count > 60, "only {count} are looked at");
    }
}
