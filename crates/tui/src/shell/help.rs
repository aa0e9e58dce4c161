//! The keys, place by place: those that hold where the keyboard is come first.

use crate::{
    session::context::Context,
    shell::keymap::{bindings, bindings_of},
    widgets::facts::Row,
};

use super::keys::Keys;

/// Every key under the heading of its place, and what the signs mean.
pub fn rows(place: Context, keys: &Keys) -> Vec<Row> {
    let mut rows = often(place, keys);
    for context in order(place) {
        rows.push(Row::heading(context.title()));
        let bindings = bindings().filter(|binding| binding.context == context);
        rows.extend(bindings.map(|binding| Row::of(keys.shown(binding), binding.help)));
        rows.push(Row::of("", ""));
    }
    rows.push(Row::heading("signs"));
    rows.extend(SIGNS.iter().map(|(sign, meaning)| Row::of(*sign, *meaning)));
    rows
}

/// What the footer of the place says first, in the words of the keys themselves.
fn often(place: Context, keys: &Keys) -> Vec<Row> {
    let hinted = bindings_of(place).filter(|binding| !binding.hint.is_empty()).take(OFTEN);
    let mut rows = vec![Row::heading("often used here")];
    rows.extend(hinted.map(|binding| Row::of(keys.shown(binding), binding.help)));
    rows.push(Row::of("", ""));
    rows
}

/// Keys that are listed as often used, at most.
const OFTEN: usize = 8;

/// The keys of `place`, then those of the other parts of its view, then those that hold in other views too, then all
/// that do not hold there.
fn order(place: Context) -> Vec<Context> {
    let is_general = |context: &Context| matches!(context, Context::InRun | Context::Anywhere);
    let is_of_view = |context: &Context| place.view().is_some() && context.view() == place.view();
    let layers = place.layers().iter().copied();
    let mut order: Vec<Context> = layers.clone().filter(|layer| !is_general(layer)).collect();
    let view = Context::ALL.into_iter().filter(is_of_view);
    for context in view.chain(layers.filter(is_general)).chain(Context::ALL) {
        if !order.contains(&context) {
            order.push(context);
        }
    }
    order
}

/// What the marks in the lists mean.
const SIGNS: &[(&str, &str)] = &[
    ("A M D R", "the file was created, changed, deleted, renamed"),
    (
        "+34 −8",
        "lines added and removed: by a turn, between before and after it; by a step, as its edit is recorded",
    ),
    ("✗2", "two things went wrong: an error, a failed tool, an exit code other than 0"),
    ("⟲", "the agent's context was summarised and cut"),
    ("⑂2", "two sub-agents were started"),
    ("◇", "changed outside recorded edits: by a shell command, a person, a hook"),
    ("◈", "partly changed outside recorded edits"),
    ("⋯ 23 lines", "so many unchanged lines are folded"),
    (
        "▲ CC 14",
        "beside a line: a callable begins here that has 14 paths; or, at the top of a hunk, goes on here",
    ),
    ("§ ≡", "beside a line: a match of a rule, a clone; W says why"),
    ("26.3", "beside a line of a file: turn 26, step 3 wrote it; · it was there before the run"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_place_come_first_then_those_of_its_view_then_those_of_every_view() {
        let first = |place: Context, count: usize| order(place)[..count].to_vec();

        assert_eq!(
            first(Context::Moved, 5),
            [Context::Moved, Context::Curves, Context::Chart, Context::InRun, Context::Anywhere]
        );
        assert_eq!(
            first(Context::Table, 7),
            [
                Context::Table,
                Context::Filter,
                Context::Where,
                Context::Start,
                Context::Found,
                Context::FindWords,
                Context::Anywhere
            ]
        );
        assert_eq!(first(Context::Form, 2), [Context::Form, Context::Replay]);
    }

    #[test]
    fn whatever_the_place_every_key_is_listed_once() {
        for place in Context::ALL {
            let mut listed = order(place);
            assert_eq!(listed.len(), Context::ALL.len(), "{place:?}");
            listed.sort_by_key(|context| Context::ALL.iter().position(|other| other == context));
            assert_eq!(listed, Context::ALL, "{place:?}");
        }
    }
}
