//! Which of the records of a log make up the run, where not each of them does.

use std::collections::{HashMap, HashSet};

use super::{Entry, Event, Facts, Record};
use crate::run::Role;

/// A record that is written again replaces what was written of it before; it stays where it was first.
pub fn last_of_each_id(entries: &mut Vec<Entry>) {
    let mut at: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        let known = entry.record.id.as_deref().and_then(|id| at.get(id).copied());
        match known {
            Some(_) if entry.record.restated => {}
            Some(known) => kept[known] = entry,
            None => {
                if let Some(id) = entry.record.id.as_deref() {
                    at.insert(id.to_owned(), kept.len());
                }
                kept.push(entry);
            }
        }
    }
    *entries = kept;
}

/// Of a tree the branch that ends with the last record, and what stands in no tree; the branches that were left can be
/// entered where they begin.
pub fn live_branch(entries: &mut Vec<Entry>) {
    // A log whose records name no parent is a line.
    if entries.iter().all(|entry| entry.record.parent.is_none()) {
        return;
    }
    let ids = entries.iter().map(|entry| entry.record.id.as_deref());
    let by_id: HashMap<&str, usize> =
        (0..).zip(ids).filter_map(|(at, id)| Some((id?, at))).collect();
    // A parent that does not stand before in the log is the record before, whatever that is.
    let mut before = None;
    let parents: Vec<Option<usize>> = (0..)
        .zip(entries.iter())
        .map(|(now, entry)| {
            let last = before;
            before = entry.record.id.is_some().then_some(now).or(before);
            let Some(parent) = entry.record.parent.as_deref() else {
                // Only a request can begin the conversation anew; anything else goes on with it.
                return last.filter(|_| !is_request(entry));
            };
            by_id.get(parent).copied().filter(|at| *at < now).or(last)
        })
        .collect();
    // Notes of the program, wherever they hang, say nothing of where the conversation goes on.
    let tip = entries.iter().rposition(|it| it.record.id.is_some() && is_conversation(it));
    let mut live = HashSet::new();
    let mut at = tip.or(before);
    while let Some(now) = at.filter(|at| live.insert(*at)) {
        at = parents[now];
    }
    // Of each record the branch that it is on: the first record of those that left the live one.
    let mut branch: Vec<Option<usize>> = vec![];
    let mut branches: Vec<Branch> = vec![];
    let mut kept: Vec<Entry> = vec![];
    let mut kept_at: Vec<usize> = vec![];
    for (now, entry) in entries.drain(..).enumerate() {
        kept_at.push(kept.len());
        if entry.record.id.is_none() || live.contains(&now) {
            branch.push(None);
            kept.push(entry);
            continue;
        }
        let left = parents[now].and_then(|parent| branch[parent]);
        if left.is_none() && !is_conversation(&entry) {
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

fn is_request(entry: &Entry) -> bool {
    entry.record.events.iter().any(|event| matches!(event, Event::Request(_)))
}

/// Whether a record is something that a person, the agent or a tool said.
fn is_conversation(entry: &Entry) -> bool {
    let says = |event: &Event<'_>| {
        !matches!(
            event,
            Event::Nothing
                | Event::Said(Role::System, _)
                | Event::Unknown(_)
                | Event::Start(_)
                | Event::Commit(_)
        )
    };
    entry.record.events.iter().any(says)
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
    let says =
        |entry: &Entry| entry.record.events.iter().any(|event| !matches!(event, Event::Nothing));
    branches.retain(|branch| branch.entries.iter().any(says));
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
    let main = match words.next() {
        Some(first) => format!("left again: {first}"),
        None => "left again".to_owned(),
    };
    Event::Branch { id: id.to_owned().into(), label: main.into() }
}
