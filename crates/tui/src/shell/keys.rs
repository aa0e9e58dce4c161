//! The keymap with the user's own keys.
//!
//! A command is named by the id of its row, such as `next-turn`. An id may belong to several rows, each in its own place;
//! all of them get the key. Names of version 0.1.0 are read with a warning.

use std::collections::BTreeMap;

use crate::{
    session::context::KeyContext,
    shell::{
        config::Chord,
        keymap::{KeyBinding, all_bindings, rows_of_old_name},
    },
    widgets::key::Key,
};

/// The user's changes to the keymap; none by default.
#[derive(Debug, Default)]
pub struct UserKeys {
    /// The index of the binding in [`all_bindings`], and the keys that replace the table's.
    changed: BTreeMap<usize, Vec<Key>>,
}

impl UserKeys {
    /// Returns the keys, and sentences about settings that could not be used.
    pub fn from_config(wanted: &BTreeMap<String, Vec<Chord>>) -> (Self, Vec<String>) {
        let (mut keys, mut problems) = (Self::default(), vec![]);
        for (command, chords) in wanted {
            let rows = all_bindings().enumerate().filter(|(_, row)| row.id == command);
            let mut rows: Vec<usize> = rows.map(|(index, _)| index).collect();
            if rows.is_empty() {
                let Some((old_rows, id)) = rows_of_old_name(command) else {
                    problems.push(format!(
                        "keys.{command}: unknown command; `trajview keys` lists all"
                    ));
                    continue;
                };
                problems.push(format!("keys.{command}: this name is now {id}"));
                rows = old_rows;
            }
            match single_keys(chords) {
                Ok(single) => rows.into_iter().for_each(|row| {
                    keys.changed.insert(row, single.clone());
                }),
                Err(written) => problems
                    .push(format!("keys.{command}: {written} is more than one key; expected one")),
            }
        }
        (keys, problems)
    }

    /// Returns the binding of a key in a place: in each layer the user's keys come before those of the table.
    pub fn find_binding(&self, context: KeyContext, key: Key) -> Option<&'static KeyBinding> {
        context.active_contexts().iter().find_map(|layer| {
            let here = || all_bindings().enumerate().filter(|(_, row)| row.context == *layer);
            let own = here()
                .find(|(index, _)| self.changed.get(index).is_some_and(|keys| keys.contains(&key)));
            let table = || {
                here().find(|(index, row)| {
                    !self.changed.contains_key(index) && row.keys.contains(&key)
                })
            };
            own.or_else(table).map(|(_, row)| row)
        })
    }

    /// Returns the keys of a row, the first of them for the footer; never empty.
    pub(crate) fn keys_of_row(&self, row: &KeyBinding) -> &[Key] {
        let index = all_bindings().position(|other| std::ptr::eq(other, row));
        index.and_then(|index| self.changed.get(&index)).map_or(row.keys, Vec::as_slice)
    }

    /// Returns the keys of a row as `h ←`.
    pub(crate) fn keys_text(&self, row: &KeyBinding) -> String {
        self.keys_of_row(row).iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the keys; the error is the text of a chord of several keys.
fn single_keys(chords: &[Chord]) -> Result<Vec<Key>, &str> {
    let key = |chord: &'_ Chord| match chord.keys.as_slice() {
        [key] => Some(*key),
        _ => None,
    };
    chords.iter().map(|chord| key(chord).ok_or(chord.written.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::key::parse_keys;

    fn wanted_keys(command: &str, keys: &[&str]) -> BTreeMap<String, Vec<Chord>> {
        let chord = |written: &&str| Chord {
            written: (*written).into(),
            keys: parse_keys(written).unwrap_or_default(),
        };
        [(command.to_owned(), keys.iter().map(chord).collect())].into()
    }

    fn help_text(keys: &UserKeys, key: char) -> Option<&'static str> {
        keys.find_binding(KeyContext::Turns, Key::from_char(key)).map(|row| row.help)
    }

    #[test]
    fn a_key_of_the_users_replaces_those_of_the_table() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("next-turn", &["w"]));

        assert_eq!(problems, [""; 0]);
        assert_eq!(
            help_text(&keys, 'w'),
            Some("next turn; 5l moves five forward; in a run of one request the next edit")
        );
        assert_eq!(help_text(&keys, 'l'), None);
        assert_eq!(
            help_text(&UserKeys::default(), 'l'),
            Some("next turn; 5l moves five forward; in a run of one request the next edit")
        );
    }

    #[test]
    fn a_key_that_is_taken_changes_hands() {
        let (keys, _) = UserKeys::from_config(&wanted_keys("next-turn", &["q"]));
        assert_eq!(
            help_text(&keys, 'q'),
            Some("next turn; 5l moves five forward; in a run of one request the next edit")
        );
    }

    #[test]
    fn what_cannot_be_bound_is_a_sentence() {
        let (_, problems) = UserKeys::from_config(&wanted_keys("warp", &["w"]));
        assert_eq!(problems, ["keys.warp: unknown command; `trajview keys` lists all"]);
        let (_, problems) = UserKeys::from_config(&wanted_keys("quit", &["ZZ"]));
        assert_eq!(problems, ["keys.quit: ZZ is more than one key, and a command has one"]);
    }

    #[test]
    fn a_name_of_before_is_read_with_a_warning_and_changes_only_the_rows_it_had() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("up-in-the-tree", &["w"]));
        assert_eq!(problems, ["keys.up-in-the-tree: this name is now up"]);
        let id = |context| keys.find_binding(context, Key::from_char('w')).map(|row| row.id);
        assert_eq!(id(KeyContext::Rubric), Some("up"));
        assert_ne!(id(KeyContext::Turns), Some("up"));
    }

    #[test]
    fn each_name_of_before_leads_to_rows() {
        for (old, ..) in crate::shell::keymap::old_names::OLD_NAMES {
            let rows = rows_of_old_name(old).map(|(rows, _)| rows).unwrap_or_default();
            assert!(!rows.is_empty(), "{old}");
        }
    }

    #[test]
    fn in_one_place_no_two_commands_share_a_name() {
        for context in KeyContext::ALL {
            let here = all_bindings().filter(|row| row.context == context);
            let mut names: Vec<&str> = here.map(|row| row.id).collect();
            names.sort_unstable();
            for pair in names.windows(2) {
                assert_ne!(pair[0], pair[1], "{context:?}");
            }
        }
    }
}
