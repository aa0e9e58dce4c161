//! The help text: the keys, place by place, those of the present place first.

use crate::{
    session::context::KeyContext,
    shell::{
        glossary::SIGNS,
        keymap::{KeyBinding, all_bindings, bindings_of},
    },
    widgets::fact_rows::FactRow,
};

use super::keys::UserKeys;

/// Returns the twelve keys that matter most in a place, then every other key under the heading of its place, and the
/// meanings of the signs.
pub(crate) fn help_rows(place: KeyContext, keys: &UserKeys) -> Vec<FactRow> {
    let first = first_keys(place);
    let mut rows = vec![FactRow::heading("first here")];
    rows.extend(first.iter().map(|group| group_row(place, group, keys)));
    rows.push(FactRow::new("", ":help WORD explains a number, a sign or a word"));
    rows.push(FactRow::new("", ""));
    let is_shown = |row: &KeyBinding| first.iter().flatten().any(|other| std::ptr::eq(*other, row));
    for context in context_order(place) {
        let mut others = all_bindings()
            .filter(|row| row.context == context && !is_shown(row))
            .map(|row| FactRow::new(keys.keys_text_in(place, row), row.help))
            .filter(|row| !row.left.is_empty())
            .peekable();
        if others.peek().is_some() {
            rows.push(FactRow::heading(context.title()));
            rows.extend(others);
            rows.push(FactRow::new("", ""));
        }
    }
    rows.push(FactRow::heading("signs"));
    rows.extend(SIGNS.iter().map(|(signs, meaning, _)| FactRow::new(signs[0], *meaning)));
    rows
}

/// The number of keys that the help of a place begins with.
const FIRST_KEYS: usize = 12;

/// The ids of the keys that each of these lists ends with, where they hold.
const LAST_OF_FIRST: [&str; 4] = ["goto", "command", "help", "quit"];

/// Returns the first keys of a place: those of its footer, then others of the place, then those that lead everywhere.
/// Neighbours with the same word in the footer are one.
fn first_keys(place: KeyContext) -> Vec<Vec<&'static KeyBinding>> {
    let is_last = |row: &&KeyBinding| LAST_OF_FIRST.contains(&row.id);
    let of_id = |id: &&str| bindings_of(place).find(|row| row.id == *id).map(|row| vec![row]);
    let last: Vec<_> = LAST_OF_FIRST.iter().filter_map(of_id).collect();
    let room = FIRST_KEYS - last.len();
    let mut groups: Vec<Vec<&KeyBinding>> = vec![];
    for row in bindings_of(place).filter(|row| !row.hint.is_empty() && !is_last(row)) {
        match groups.last_mut() {
            Some(group) if group[0].hint == row.hint => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    let others = bindings_of(place).filter(|row| row.hint.is_empty() && !is_last(row));
    groups.extend(others.map(|row| vec![row]));
    groups.truncate(room);
    groups.into_iter().chain(last).collect()
}

/// Returns one row for keys that belong together: `← →`, `previous turn; next turn`.
fn group_row(place: KeyContext, group: &[&'static KeyBinding], keys: &UserKeys) -> FactRow {
    let [only] = group else {
        let first_key = |row: &&KeyBinding| {
            keys.keys_in_place(place, row).first().map(ToString::to_string).unwrap_or_default()
        };
        let short = |row: &&'static KeyBinding| row.help.split(';').next().unwrap_or_default();
        let left: Vec<String> = group.iter().map(first_key).collect();
        let right: Vec<&str> = group.iter().map(short).collect();
        return FactRow::new(left.join(" "), right.join("; "));
    };
    FactRow::new(keys.keys_text_in(place, only), only.help)
}

/// The twelve keys to begin with, for the page of keys and `trajview list keys`.
pub const TWELVE_KEYS: [(&str, &str); 12] = [
    ("← →", "previous, next turn; in other views point, judgement or column"),
    ("↑ ↓", "up, down in the panel that has the keyboard"),
    ("tab", "next panel"),
    ("⏎", "open what the cursor is at"),
    ("esc", "back"),
    ("space", "play, pause"),
    ("/", "search"),
    ("n N", "next, previous match or item"),
    ("g", "go to a view: a box lists the letters that may follow"),
    (":", "command line: names of views, :46 for turn 46, :help WORD"),
    ("?", "the keys of this view"),
    ("q", "quit"),
];

/// Returns the places in order: `place`, the other parts of its view, those that hold in other views too, then all others.
fn context_order(place: KeyContext) -> Vec<KeyContext> {
    let is_general =
        |context: &KeyContext| matches!(context, KeyContext::InRun | KeyContext::Anywhere);
    let is_of_view =
        |context: &KeyContext| place.view().is_some() && context.view() == place.view();
    let layers = place.active_contexts().iter().copied();
    let mut order: Vec<KeyContext> = layers.clone().filter(|layer| !is_general(layer)).collect();
    let view = KeyContext::ALL.into_iter().filter(is_of_view);
    for context in view.chain(layers.filter(is_general)).chain(KeyContext::ALL) {
        if !order.contains(&context) {
            order.push(context);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_place_come_first_then_those_of_its_view_then_those_of_every_view() {
        let first = |place: KeyContext, count: usize| context_order(place)[..count].to_vec();

        assert_eq!(
            first(KeyContext::Moved, 5),
            [
                KeyContext::Moved,
                KeyContext::Curves,
                KeyContext::Chart,
                KeyContext::InRun,
                KeyContext::Anywhere
            ]
        );
        assert_eq!(
            first(KeyContext::Table, 8),
            [
                KeyContext::Table,
                KeyContext::Filter,
                KeyContext::Where,
                KeyContext::Start,
                KeyContext::StartFilter,
                KeyContext::FoundInRuns,
                KeyContext::FindWords,
                KeyContext::Anywhere
            ]
        );
        assert_eq!(first(KeyContext::Form, 2), [KeyContext::Form, KeyContext::Replay]);
    }

    #[test]
    fn the_help_begins_with_twelve_keys_of_the_place_and_leads_on() {
        for place in [KeyContext::Turns, KeyContext::Audit, KeyContext::Compare, KeyContext::Table]
        {
            let groups = first_keys(place);
            assert_eq!(groups.len(), FIRST_KEYS, "{place:?}");
            for id in ["command", "help", "quit"] {
                assert!(groups.iter().flatten().any(|row| row.id == id), "{place:?} {id}");
            }
        }
    }

    #[test]
    fn whatever_the_place_every_key_is_listed_once() {
        for place in KeyContext::ALL {
            let mut listed = context_order(place);
            assert_eq!(listed.len(), KeyContext::ALL.len(), "{place:?}");
            listed.sort_by_key(|context| KeyContext::ALL.iter().position(|other| other == context));
            assert_eq!(listed, KeyContext::ALL, "{place:?}");
        }
    }
}
