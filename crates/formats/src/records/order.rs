//! Which of the records of a log make up the run, where not each of them does.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use crate::object::Object;

use super::{Entry, Event, Facts, Record};

/// A record that the same agent writes again replaces what was written of it before; it stays where it was first.
pub fn last_of_each_id(entries: &mut Vec<Entry>) {
    let mut at: HashMap<(Option<String>, String), usize> = HashMap::new();
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        let agent = entry.record.agent.as_deref().map(str::to_owned);
        let key = entry.record.id.as_deref().map(|id| (agent, id.to_owned()));
        let known = key.as_ref().and_then(|key| at.get(key).copied());
        match known {
            Some(_) if entry.record.restated => {}
            Some(known) => kept[known] = entry,
            None => {
                at.extend(key.map(|key| (key, kept.len())));
                kept.push(entry);
            }
        }
    }
    *entries = kept;
}

/// The parent of a record that begins the tree once more, as one does that was written with the parent null: all that is
/// before it was left. A record without any parent goes on with the one before it.
pub const ROOT: &str = "";

/// The parent that a field names: [`ROOT`] where it is there and null.
pub fn parent_in<'t>(fields: &Object<'t>, key: &str) -> Option<Cow<'t, str>> {
    fields.text(key).or_else(|| fields.has(key).then_some(Cow::Borrowed(ROOT)))
}

/// Of a tree the branch that ends with the last record, and what stands in no tree; the branches that were left can be
/// entered where they begin.
pub fn live_branch(entries: &mut Vec<Entry>) {
    // A log whose records name no parent is a line.
    if entries.iter().all(|entry| entry.record.parent.is_none()) {
        return;
    }
    let parents = parents(entries);
    let mut live = HashSet::new();
    let mut at = end_of_branch(entries, &parents);
    while let Some(now) = at.filter(|at| live.insert(*at)) {
        at = parents[now];
    }
    // A record after the end of the branch that says nothing belongs to no branch.
    let end = live.iter().max().copied().unwrap_or_default();
    // Of each record the branch that it is on: the first record of those that left the live one.
    let mut branch: Vec<Option<usize>> = vec![];
    let mut branches: Vec<Branch> = vec![];
    let mut kept: Vec<Entry> = vec![];
    let mut kept_at: Vec<usize> = vec![];
    for (now, entry) in entries.drain(..).enumerate() {
        kept_at.push(kept.len());
        if entry.record.id.is_none() || live.contains(&now) || now > end {
            branch.push(None);
            kept.push(entry);
            continue;
        }
        let left = parents[now].and_then(|parent| branch[parent]);
        // A notice of the program begins no branch: it stands where it was written.
        if left.is_none() && !says_something(&entry) {
            branch.push(None);
            kept.push(entry);
            continue;
        }
        let of = left.unwrap_or_else(|| {
            let after = parents[now].map_or(0, |parent| kept_at[parent] + 1);
            branches.push(Branch { after, entries: vec![] });
            branches.len() - 1
        });
        branch.push(Some(of));
        branches[of].entries.push(entry);
    }
    *entries = with_branches(kept, branches);
}

/// Of each record the one that it follows. A parent that does not stand before it in the log is the record before, whatever
/// that is.
fn parents(entries: &[Entry]) -> Vec<Option<usize>> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut before = None;
    let mut parents = vec![];
    for (now, Entry { record, .. }) in entries.iter().enumerate() {
        let parent = match record.parent.as_deref() {
            Some(ROOT) => None,
            Some(parent) => by_id.get(parent).copied().or(before),
            None => before,
        };
        parents.push(parent);
        if let Some(id) = record.id.as_deref() {
            by_id.insert(id, now);
            before = Some(now);
        }
    }
    parents
}

/// The record with which the run ends: the last one. One that says nothing and follows nothing that was said, as the notice
/// that a program ends writes it without a parent, ends no branch.
fn end_of_branch(entries: &[Entry], parents: &[Option<usize>]) -> Option<usize> {
    let mut follows_words: Vec<bool> = vec![];
    for (entry, parent) in entries.iter().zip(parents) {
        let follows = parent.is_some_and(|parent| follows_words[parent]);
        follows_words.push(says_something(entry) || follows);
    }
    let has_id = |at: &usize| entries[*at].record.id.is_some();
    let last = (0..entries.len()).rev().filter(has_id).find(|at| follows_words[*at]);
    last.or_else(|| (0..entries.len()).rev().find(has_id))
}

fn says_something(entry: &Entry) -> bool {
    entry.record.events.iter().any(|event| !matches!(event, Event::Nothing))
}

/// Records that the run left again.
pub struct Branch {
    /// How many of the records that were kept stand before it.
    pub after: usize,
    pub entries: Vec<Entry>,
}

/// The records of a run, and those of branches that were left: each of these can be entered at a step that stands where it
/// begins.
pub fn with_branches(kept: Vec<Entry>, mut branches: Vec<Branch>) -> Vec<Entry> {
    branches.retain(|branch| branch.entries.iter().any(says_something));
    if branches.is_empty() {
        return kept;
    }
    branches.sort_by_key(|branch| branch.after);
    let mut all = Vec::with_capacity(kept.len());
    let mut left = vec![];
    let mut branches = (1..).zip(branches).peekable();
    let ends = kept.len();
    let mut kept = kept.into_iter();
    for at in 0..=ends {
        while let Some((number, branch)) = branches.next_if(|(_, branch)| branch.after <= at) {
            let id = format!("branch {number}");
            all.extend(branch.entries.first().map(|first| Entry {
                place: first.place,
                record: Record { time: first.record.time, ..Record::of(start(&id, &branch)) },
            }));
            left.extend(branch.entries.into_iter().map(|mut entry| {
                entry.record.agent = Some(id.clone().into());
                entry.record.facts = Facts::default();
                entry
            }));
        }
        all.extend(kept.next());
    }
    all.extend(left);
    all
}

/// The step at which a branch is entered.
fn start(id: &str, branch: &Branch) -> Event<'static> {
    let said = branch.entries.iter().flat_map(|entry| &entry.record.events);
    let mut words = said.filter_map(|event| match event {
        Event::Request(text) | Event::Said(_, text) => Some(text),
        _ => None,
    });
    let about = match words.next() {
        Some(first) => format!("left again: {first}"),
        None => "left again".to_owned(),
    };
    Event::Left { branch: id.to_owned().into(), about: about.into() }
}
