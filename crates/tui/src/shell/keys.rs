//! The keymap with the user's own keys in it.
//!
//! A command is named by the beginning of its help: `next turn; 5l goes on five` is `next-turn`. A name may stand for
//! several rows, each in its own place; all of them get the key.

use std::collections::BTreeMap;

use crate::{
    session::context::Context,
    shell::{
        config::Chord,
        keymap::{Binding, bindings},
    },
    widgets::key::Key,
};

/// What the user changed; by default nothing.
#[derive(Debug, Default)]
pub struct Keys {
    /// Index into [`bindings`], and the keys instead of the table's.
    changed: BTreeMap<usize, Vec<Key>>,
}

impl Keys {
    /// The keys, and sentences about what could not be taken.
    pub fn of(wanted: &BTreeMap<String, Vec<Chord>>) -> (Self, Vec<String>) {
        let (mut keys, mut problems) = (Self::default(), vec![]);
        for (command, chords) in wanted {
            let rows = bindings().enumerate().filter(|(_, row)| command_of(row) == *command);
            let rows: Vec<usize> = rows.map(|(index, _)| index).collect();
            if rows.is_empty() {
                problems.push(format!(
                    "keys.{command}: no command has this name; `trajview keys` lists them"
                ));
                continue;
            }
            match single(chords) {
                Ok(single) => rows.into_iter().for_each(|row| {
                    keys.changed.insert(row, single.clone());
                }),
                Err(written) => problems.push(format!(
                    "keys.{command}: {written} is more than one key, and a command has one"
                )),
            }
        }
        (keys, problems)
    }

    /// What a key means in a place: in each layer a key of the user's before those of the table.
    pub fn find(&self, context: Context, key: Key) -> Option<&'static Binding> {
        context.layers().iter().find_map(|layer| {
            let here = || bindings().enumerate().filter(|(_, row)| row.context == *layer);
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

    /// The keys of a row, the first of them for the footer; never empty.
    pub fn of_row(&self, row: &Binding) -> &[Key] {
        let index = bindings().position(|other| std::ptr::eq(other, row));
        index.and_then(|index| self.changed.get(&index)).map_or(row.keys, Vec::as_slice)
    }

    /// `h ←`
    pub fn shown(&self, row: &Binding) -> String {
        self.of_row(row).iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// The keys, or how a chord of several was written.
fn single(chords: &[Chord]) -> Result<Vec<Key>, &str> {
    let key = |chord: &'_ Chord| match chord.keys.as_slice() {
        [key] => Some(*key),
        _ => None,
    };
    chords.iter().map(|chord| key(chord).ok_or(chord.written.as_str())).collect()
}

/// The name of a row's command in the settings.
pub fn command_of(row: &Binding) -> String {
    let beginning = row.help.split([';', ':', ',', '.']).next().unwrap_or(row.help);
    let words = beginning.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::key::parse;

    fn wanted(command: &str, keys: &[&str]) -> BTreeMap<String, Vec<Chord>> {
        let chord = |written: &&str| Chord {
            written: (*written).into(),
            keys: parse(written).unwrap_or_default(),
        };
        [(command.to_owned(), keys.iter().map(chord).collect())].into()
    }

    fn help(keys: &Keys, key: char) -> Option<&'static str> {
        keys.find(Context::Turns, Key::char(key)).map(|row| row.help)
    }

    #[test]
    fn a_key_of_the_users_replaces_those_of_the_table() {
        let (keys, problems) = Keys::of(&wanted("next-turn", &["w"]));

        assert_eq!(problems, [""; 0]);
        assert_eq!(
            help(&keys, 'w'),
            Some("next turn; 5l goes on five; in a run of one request the next edit")
        );
        assert_eq!(help(&keys, 'l'), None);
        assert_eq!(
            help(&Keys::default(), 'l'),
            Some("next turn; 5l goes on five; in a run of one request the next edit")
        );
    }

    #[test]
    fn a_key_that_is_taken_changes_hands() {
        let (keys, _) = Keys::of(&wanted("next-turn", &["q"]));
        assert_eq!(
            help(&keys, 'q'),
            Some("next turn; 5l goes on five; in a run of one request the next edit")
        );
    }

    #[test]
    fn what_cannot_be_bound_is_a_sentence() {
        let (_, problems) = Keys::of(&wanted("warp", &["w"]));
        assert_eq!(problems, ["keys.warp: no command has this name; `trajview keys` lists them"]);
        let (_, problems) = Keys::of(&wanted("quit", &["ZZ"]));
        assert_eq!(problems, ["keys.quit: ZZ is more than one key, and a command has one"]);
    }

    #[test]
    fn in_one_place_no_two_commands_share_a_name() {
        for context in Context::ALL {
            let here = bindings().filter(|row| row.context == context);
            let mut names: Vec<String> = here.map(command_of).collect();
            names.sort_unstable();
            for pair in names.windows(2) {
                assert_ne!(pair[0], pair[1], "{context:?}");
            }
        }
    }
}
