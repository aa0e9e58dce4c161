//! The keymap with the user's own keys.
//!
//! A command is named by the id of its row, such as `next-turn`. An id may belong to several rows, each in its own place;
//! all of them get the key. Names of version 0.1.0 are read with a warning.

use std::collections::BTreeMap;

use crate::{
    session::{context::KeyContext, key_texts::KeyTexts},
    shell::{
        config::Chord,
        fuzzy_match,
        keymap::{KeyBinding, all_bindings, bindings_of, rows_of_old_name},
    },
    widgets::key::Key,
};

/// The user's changes to the keymap; none by default.
#[derive(Debug, Clone, Default)]
pub struct UserKeys {
    /// The index of the binding in [`all_bindings`], and the keys that replace the table's.
    changed: BTreeMap<usize, Vec<Key>>,
}

/// What is wrong with the keys of a command in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The id as the settings write it.
    pub command: String,
    /// A sentence.
    pub what: String,
}

impl UserKeys {
    /// Returns the keys, and what is wrong with the settings. Keys that something is wrong with stay as in the table; a name of
    /// version 0.1.0 counts.
    pub fn from_config(settings: &BTreeMap<String, Vec<Chord>>) -> (Self, Vec<KeyProblem>) {
        let (mut keys, mut problems) = (Self::default(), vec![]);
        let mut bound: Vec<(&str, Vec<usize>)> = vec![];
        for (command, chords) in settings {
            let mut add = |what| problems.push(KeyProblem { command: command.clone(), what });
            let rows = match rows_of_command(command) {
                Ok((rows, new_name)) => {
                    new_name.into_iter().for_each(|id| {
                        add(format!(
                            "this name is now {id}; the old one is read for one more version"
                        ));
                    });
                    rows
                }
                Err(why) => {
                    add(why);
                    continue;
                }
            };
            match single_keys(chords) {
                Err(written) => {
                    add(format!("{written} is more than one key, and a command has one"));
                    continue;
                }
                Ok(single) => {
                    if let Some((key, other)) = keys.bound_twice(&rows, &single, &bound) {
                        add(format!("{key} is also the key of {other} in one place"));
                        continue;
                    }
                    keys.changed.extend(rows.iter().map(|row| (*row, single.clone())));
                }
            }
            if let Some(place) = keys.place_without_quit_key(settings) {
                rows.iter().for_each(|row| drop(keys.changed.remove(row)));
                add(format!("q quits {place}; give quit another key too, such as quit = [\"Q\"]"));
                continue;
            }
            if let Some(place) = keys.place_without_quit() {
                rows.iter().for_each(|row| drop(keys.changed.remove(row)));
                add(format!("this takes the last key of quit {place}"));
                continue;
            }
            bound.push((command, rows));
        }
        (keys, problems)
    }

    /// Returns a key that another command of the settings has where one of these rows holds, and that command.
    fn bound_twice<'a>(
        &self,
        rows: &[usize],
        keys: &[Key],
        bound: &[(&'a str, Vec<usize>)],
    ) -> Option<(Key, &'a str)> {
        let table: Vec<&KeyBinding> = all_bindings().collect();
        let meet = |one: usize, other: usize| {
            KeyContext::ALL.iter().any(|place| {
                let active = place.active_contexts();
                active.contains(&table[one].context) && active.contains(&table[other].context)
            })
        };
        bound.iter().find_map(|(command, others)| {
            let shared = others.iter().find_map(|other| {
                let key = self.changed.get(other)?.iter().find(|key| keys.contains(key))?;
                rows.iter().any(|row| meet(*row, *other)).then_some(*key)
            });
            shared.map(|key| (key, *command))
        })
    }

    /// Returns the name of a place where `q` no longer quits, unless the settings name other keys for that.
    fn place_without_quit_key(
        &self,
        wanted: &BTreeMap<String, Vec<Chord>>,
    ) -> Option<&'static str> {
        let quit_key = Key::from_char('q');
        let default = Self::default();
        let quits = |keys: &Self, place: KeyContext| {
            keys.find_binding(place, quit_key).is_some_and(|row| row.id == QUIT)
        };
        let is_lost = |place: &KeyContext| quits(&default, *place) && !quits(self, *place);
        let lost = KeyContext::ALL.into_iter().find(is_lost);
        lost.filter(|_| !wanted.contains_key(QUIT)).map(KeyContext::title)
    }

    /// Returns the name of a place where no key quits any more, though one should.
    fn place_without_quit(&self) -> Option<&'static str> {
        let quits = |place: KeyContext, key: &Key| {
            self.find_binding(place, *key).is_some_and(|row| row.id == QUIT)
        };
        let lacks_quit = |place: &KeyContext| {
            let mut rows = bindings_of(*place).filter(|row| row.id == QUIT).peekable();
            rows.peek().is_some()
                && !rows.any(|row| self.keys_of_row(row).iter().any(|key| quits(*place, key)))
        };
        KeyContext::ALL.into_iter().find(lacks_quit).map(KeyContext::title)
    }

    /// Returns the binding of a key in a place: the user's keys come before those of the table, and in each case the closest
    /// layer comes first.
    pub fn find_binding(&self, context: KeyContext, key: Key) -> Option<&'static KeyBinding> {
        let layers = || context.active_contexts().iter();
        let rows = |layer: &KeyContext| {
            let layer = *layer;
            all_bindings().enumerate().filter(move |(_, row)| row.context == layer)
        };
        let own = layers()
            .flat_map(rows)
            .find(|(index, _)| self.changed.get(index).is_some_and(|keys| keys.contains(&key)));
        let table = || {
            layers()
                .flat_map(rows)
                .find(|(index, row)| !self.changed.contains_key(index) && row.keys.contains(&key))
        };
        own.or_else(table).map(|(_, row)| row)
    }

    /// Returns the keys of a row, the first of them for the footer; never empty.
    pub(crate) fn keys_of_row(&self, row: &KeyBinding) -> &[Key] {
        let index = all_bindings().position(|other| std::ptr::eq(other, row));
        index.and_then(|index| self.changed.get(&index)).map_or(row.keys, Vec::as_slice)
    }

    /// Returns the keys of a row that work in a place: those that another row has there are left out.
    pub(crate) fn keys_in_place(&self, place: KeyContext, row: &KeyBinding) -> Vec<Key> {
        let is_active = place.active_contexts().contains(&row.context);
        let place = if is_active { place } else { row.context };
        let is_its =
            |key: &&Key| self.find_binding(place, **key).is_some_and(|it| std::ptr::eq(it, row));
        self.keys_of_row(row).iter().filter(is_its).copied().collect()
    }

    /// Returns the keys of a row that work in a place, as `h ←`.
    pub(crate) fn keys_text_in(&self, place: KeyContext, row: &KeyBinding) -> String {
        let keys = self.keys_in_place(place, row);
        keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Returns the first key of a command that works in a place, as texts name it; the name on the command line where it has
    /// no key there.
    pub(crate) fn key_text(&self, place: KeyContext, id: &str) -> String {
        let row = bindings_of(place).find(|row| row.id == id);
        debug_assert!(row.is_some(), "{id} is no command in {place:?}");
        let key =
            row.and_then(|row| self.keys_in_place(place, row).first().map(|key| key.ascii_name()));
        key.unwrap_or_else(|| format!(":{id}"))
    }

    /// Returns the keys of a row as `h ←`.
    pub(crate) fn keys_text(&self, row: &KeyBinding) -> String {
        self.keys_of_row(row).iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

impl Default for KeyTexts {
    /// Returns the keys of the table.
    fn default() -> Self {
        Self::from(&UserKeys::default())
    }
}

impl From<&UserKeys> for KeyTexts {
    fn from(keys: &UserKeys) -> Self {
        let keys = keys.clone();
        Self::new(move |place, id| keys.key_text(place, id))
    }
}

/// The id of the command that must keep a key.
const QUIT: &str = "quit";

/// Returns the rows of a command of the settings, and its id if this is a name of version 0.1.0. The error is a sentence.
fn rows_of_command(command: &str) -> Result<(Vec<usize>, Option<&'static str>), String> {
    let rows = all_bindings().enumerate().filter(|(_, row)| row.id == command);
    let rows: Vec<usize> = rows.map(|(index, _)| index).collect();
    if !rows.is_empty() {
        return Ok((rows, None));
    }
    if let Some((rows, id)) = rows_of_old_name(command) {
        return Ok((rows, Some(id)));
    }
    let ids: Vec<&str> = all_bindings().map(|row| row.id).collect();
    let near = fuzzy_match::nearest_words(command, &ids);
    Err(match near.as_slice() {
        [] => "no command has this id; `trajview list keys` lists them".to_owned(),
        near => format!("no command has this id; nearest: {}", near.join(", ")),
    })
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

    fn id_of(keys: &UserKeys, key: char) -> Option<&'static str> {
        keys.find_binding(KeyContext::Turns, Key::from_char(key)).map(|row| row.id)
    }

    fn wanted_sentences(wanted: &BTreeMap<String, Vec<Chord>>) -> Vec<String> {
        let (_, problems) = UserKeys::from_config(wanted);
        problems.into_iter().map(|it| format!("{}: {}", it.command, it.what)).collect()
    }

    #[test]
    fn a_key_of_the_users_replaces_those_of_the_table() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("next-turn", &["w"]));

        assert_eq!(problems, []);
        assert_eq!(id_of(&keys, 'w'), Some("next-turn"));
        assert_ne!(id_of(&keys, 'l'), Some("next-turn"));
        assert_eq!(id_of(&UserKeys::default(), 'l'), Some("next-turn"));
    }

    #[test]
    fn a_key_of_the_users_works_in_every_place_of_its_command() {
        let (keys, _) = UserKeys::from_config(&wanted_keys("help", &["s"]));
        let in_table = keys.find_binding(KeyContext::Table, Key::from_char('s'));
        assert_eq!(in_table.map(|row| row.id), Some("help"));
    }

    #[test]
    fn what_cannot_be_bound_is_a_sentence() {
        assert_eq!(
            wanted_sentences(&wanted_keys("warp", &["w"])),
            ["warp: no command has this id; `trajview list keys` lists them"]
        );
        assert_eq!(
            wanted_sentences(&wanted_keys("nextturn", &["w"])),
            ["nextturn: no command has this id; nearest: next-turn, next-run"]
        );
        assert_eq!(
            wanted_sentences(&wanted_keys("quit", &["ZZ"])),
            ["quit: ZZ is more than one key, and a command has one"]
        );
    }

    #[test]
    fn a_key_that_two_commands_of_one_place_have_is_an_error() {
        let mut wanted = wanted_keys("next-turn", &["w"]);
        wanted.extend(wanted_keys("previous-turn", &["w"]));
        assert_eq!(
            wanted_sentences(&wanted),
            ["previous-turn: w is also the key of next-turn in one place"]
        );

        let mut wanted = wanted_keys("blame", &["w"]);
        wanted.extend(wanted_keys("column-set", &["w"]));
        assert_eq!(wanted_sentences(&wanted), [""; 0], "the diff and the table never meet");
    }

    #[test]
    fn the_last_key_of_quit_cannot_be_taken() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("next-turn", &["q"]));
        assert_eq!(id_of(&keys, 'q'), Some("quit"), "ctrl-c is left, and nobody knows it");
        assert!(problems[0].what.starts_with("q quits "), "{problems:?}");

        let mut wanted = wanted_keys("next-turn", &["q"]);
        wanted.extend(wanted_keys("quit", &["Q"]));
        let (keys, problems) = UserKeys::from_config(&wanted);
        assert_eq!((id_of(&keys, 'q'), id_of(&keys, 'Q')), (Some("next-turn"), Some("quit")));
        assert_eq!(problems, []);

        let (keys, problems) = UserKeys::from_config(&wanted_keys("next-turn", &["q", "ctrl-c"]));
        assert_eq!(id_of(&keys, 'q'), Some("quit"));
        assert!(problems[0].what.starts_with("q quits "), "{problems:?}");

        let mut wanted = wanted_keys("quit", &["Q"]);
        wanted.extend(wanted_keys("search", &["Q"]));
        assert_eq!(wanted_sentences(&wanted).len(), 1);
    }

    #[test]
    fn a_key_that_the_user_gave_to_another_row_is_no_longer_shown() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("next-turn", &["."]));
        assert_eq!(problems, []);
        let row = |id: &str| bindings_of(KeyContext::Turns).find(|row| row.id == id).unwrap();

        assert_eq!(keys.keys_text_in(KeyContext::Turns, row("next-turn")), ".");
        assert_eq!(keys.keys_text_in(KeyContext::Turns, row("next-step")), "");
        assert_eq!(keys.keys_text_in(KeyContext::Turns, row("next-file")), "f");
    }

    #[test]
    fn a_name_of_before_is_read_with_a_warning_and_changes_only_the_rows_it_had() {
        let (keys, problems) = UserKeys::from_config(&wanted_keys("up-in-the-tree", &["w"]));
        let words = "this name is now up; the old one is read for one more version";
        assert_eq!(problems[0].what, words);
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
