//! The help text: the keys, place by place, those of the present place first.

use crate::{
    session::context::KeyContext,
    shell::keymap::{all_bindings, bindings_of},
    widgets::fact_rows::FactRow,
};

use super::keys::UserKeys;

/// Returns every key under the heading of its place, and the meanings of the signs.
pub(crate) fn help_rows(place: KeyContext, keys: &UserKeys) -> Vec<FactRow> {
    let mut rows = often_used(place, keys);
    for context in context_order(place) {
        rows.push(FactRow::heading(context.title()));
        let bindings = all_bindings().filter(|binding| binding.context == context);
        rows.extend(bindings.map(|binding| FactRow::new(keys.keys_text(binding), binding.help)));
        rows.push(FactRow::new("", ""));
    }
    rows.push(FactRow::heading("signs"));
    rows.extend(SIGN_MEANINGS.iter().map(|(sign, meaning)| FactRow::new(*sign, *meaning)));
    rows
}

/// Returns the first keys of the place's footer, with their full help.
fn often_used(place: KeyContext, keys: &UserKeys) -> Vec<FactRow> {
    let hinted = bindings_of(place).filter(|binding| !binding.hint.is_empty()).take(MAX_OFTEN);
    let mut rows = vec![FactRow::heading("often used here")];
    rows.extend(hinted.map(|binding| FactRow::new(keys.keys_text(binding), binding.help)));
    rows.push(FactRow::new("", ""));
    rows
}

/// The largest number of keys that are listed as often used.
const MAX_OFTEN: usize = 8;

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

/// The meanings of the marks in lists.
const SIGN_MEANINGS: &[(&str, &str)] = &[
    ("A M D R", "the file was created, changed, deleted, renamed"),
    (
        "+34 −8",
        "lines added and removed: by a turn, between before and after it; by a step, as its edit is recorded",
    ),
    ("✗2", "two failures: an error, a failed tool, an exit code other than 0"),
    ("⟲", "the agent's context was summarised and cut"),
    ("⑂2", "two sub-agents were started"),
    ("◇", "changed outside recorded edits: by a shell command, a person, a hook"),
    ("◈", "partly changed outside recorded edits"),
    ("⋯ 23 lines", "number of folded unchanged lines"),
    (
        "▲ CC 14",
        "beside a line: the start of a callable with 14 paths; or, at the top of a hunk, its continuation",
    ),
    ("§ ≡", "beside a line: a match of a rule, a clone; W says why"),
    ("26.3", "beside a line of a file: written by turn 26, step 3; · older than the run"),
];

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
            first(KeyContext::Table, 7),
            [
                KeyContext::Table,
                KeyContext::Filter,
                KeyContext::Where,
                KeyContext::Start,
                KeyContext::FoundInRuns,
                KeyContext::FindWords,
                KeyContext::Anywhere
            ]
        );
        assert_eq!(first(KeyContext::Form, 2), [KeyContext::Form, KeyContext::Replay]);
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
