//! Selects and orders the records of a log that make up the run, for logs with other records too.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use crate::json_object::JsonObject;

use super::{HeaderFacts, LogRecord, RecordEntry, RecordEvent};

/// Keeps the last record of each id: a record that the same agent writes again replaces the earlier one in its place.
pub fn last_of_each_id(entries: &mut Vec<RecordEntry>) {
    let mut at: HashMap<(Option<String>, String), usize> = HashMap::new();
    let mut kept: Vec<RecordEntry> = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        let agent = entry.record.agent.as_deref().map(str::to_owned);
        let key = entry.record.id.as_deref().map(|id| (agent, id.to_owned()));
        let known = key.as_ref().and_then(|key| at.get(key).copied());
        match known {
            Some(_) if entry.record.may_repeat => {}
            Some(known) => kept[known] = entry,
            None => {
                at.extend(key.map(|key| (key, kept.len())));
                kept.push(entry);
            }
        }
    }
    *entries = kept;
}

/// The parent of a record that begins the tree again, as a record with the parent null does: all records before it were
/// abandoned. A record without any parent follows the one before it.
pub const TREE_ROOT: &str = "";

/// Returns the parent that a field names: [`TREE_ROOT`] where it is there and null.
pub fn parent_in<'t>(fields: &JsonObject<'t>, key: &str) -> Option<Cow<'t, str>> {
    fields.text(key).or_else(|| fields.has_field(key).then_some(Cow::Borrowed(TREE_ROOT)))
}

/// Keeps of a tree the branch that ends with the last record, and records that are in no tree; the abandoned branches can
/// be entered where they begin.
pub fn live_branch(entries: &mut Vec<RecordEntry>) {
    // A log whose records name no parent is a line.
    if entries.iter().all(|entry| entry.record.parent.is_none()) {
        return;
    }
    let parents = resolve_parents(entries);
    let mut live = HashSet::new();
    let mut at = end_of_branch(entries, &parents);
    while let Some(now) = at.filter(|at| live.insert(*at)) {
        at = parents[now];
    }
    // A record after the end of the branch that says nothing belongs to no branch.
    let end = live.iter().max().copied().unwrap_or_default();
    // Of each record the branch that it is on: the first record of those that left the live one.
    let mut branch: Vec<Option<usize>> = vec![];
    let mut branches: Vec<AbandonedBranch> = vec![];
    let mut kept: Vec<RecordEntry> = vec![];
    let mut kept_at: Vec<usize> = vec![];
    for (now, entry) in entries.drain(..).enumerate() {
        kept_at.push(kept.len());
        if entry.record.id.is_none() || live.contains(&now) || now > end {
            branch.push(None);
            kept.push(entry);
            continue;
        }
        let left = parents[now].and_then(|parent| branch[parent]);
        // A notice of the program begins no branch: it keeps its place.
        if left.is_none() && !says_something(&entry) {
            branch.push(None);
            kept.push(entry);
            continue;
        }
        let of = left.unwrap_or_else(|| {
            let after = parents[now].map_or(0, |parent| kept_at[parent] + 1);
            branches.push(AbandonedBranch { after, entries: vec![] });
            branches.len() - 1
        });
        branch.push(Some(of));
        branches[of].entries.push(entry);
    }
    *entries = with_branches(kept, branches);
}

/// Returns the parent of each record. A parent that is not before it in the log is replaced by the record before.
fn resolve_parents(entries: &[RecordEntry]) -> Vec<Option<usize>> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut before = None;
    let mut parents = vec![];
    for (now, RecordEntry { record, .. }) in entries.iter().enumerate() {
        let parent = match record.parent.as_deref() {
            Some(TREE_ROOT) => None,
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

/// Returns the record that ends the run: the last one. A record without content that follows no message, such as a final
/// notice of the program without a parent, ends no branch.
fn end_of_branch(entries: &[RecordEntry], parents: &[Option<usize>]) -> Option<usize> {
    let mut follows_words: Vec<bool> = vec![];
    for (entry, parent) in entries.iter().zip(parents) {
        let follows = parent.is_some_and(|parent| follows_words[parent]);
        follows_words.push(says_something(entry) || follows);
    }
    let has_id = |at: &usize| entries[*at].record.id.is_some();
    let last = (0..entries.len()).rev().filter(has_id).find(|at| follows_words[*at]);
    last.or_else(|| (0..entries.len()).rev().find(has_id))
}

fn says_something(entry: &RecordEntry) -> bool {
    entry.record.events.iter().any(|event| !matches!(event, RecordEvent::Nothing))
}

/// Takes out the records with the id `mark`, each of which ends a branch of the run: the records from the position that
/// `branch_start` finds among those before it. Where it finds none nothing was abandoned.
pub fn end_branches_at(
    entries: &mut Vec<RecordEntry>,
    mark: &str,
    branch_start: impl Fn(&[RecordEntry], &RecordEntry) -> Option<usize>,
) {
    let mut kept: Vec<RecordEntry> = Vec::with_capacity(entries.len());
    let mut branches = vec![];
    for entry in entries.drain(..) {
        if entry.record.id.as_deref() != Some(mark) {
            kept.push(entry);
        } else if let Some(after) = branch_start(&kept, &entry) {
            branches.push(AbandonedBranch { after, entries: kept.split_off(after) });
        }
    }
    *entries = with_branches(kept, branches);
}

/// Records that the run abandoned.
pub struct AbandonedBranch {
    /// The number of kept records before it.
    pub after: usize,
    pub entries: Vec<RecordEntry>,
}

/// Returns the records of a run with its abandoned branches: each can be entered at a step where it begins.
pub fn with_branches(
    entries: Vec<RecordEntry>,
    mut branches: Vec<AbandonedBranch>,
) -> Vec<RecordEntry> {
    branches.retain(|branch| branch.entries.iter().any(says_something));
    if branches.is_empty() {
        return entries;
    }
    branches.sort_by_key(|branch| branch.after);
    let mut all = Vec::with_capacity(entries.len());
    let mut left = vec![];
    let mut branches = (1..).zip(branches).peekable();
    let ends = entries.len();
    let mut entries = entries.into_iter();
    for at in 0..=ends {
        while let Some((number, branch)) = branches.next_if(|(_, branch)| branch.after <= at) {
            let id = format!("branch {number}");
            all.extend(branch.entries.first().map(|first| RecordEntry {
                place: first.place,
                record: LogRecord {
                    time: first.record.time,
                    ..LogRecord::from_event(branch_start_event(&id, &branch))
                },
            }));
            left.extend(branch.entries.into_iter().map(|mut entry| {
                entry.record.agent = Some(id.clone().into());
                entry.record.facts = HeaderFacts::default();
                entry
            }));
        }
        all.extend(entries.next());
    }
    all.extend(left);
    all
}

/// Returns the step at which a branch is entered.
fn branch_start_event(id: &str, branch: &AbandonedBranch) -> RecordEvent<'static> {
    let all_events = branch.entries.iter().flat_map(|entry| &entry.record.events);
    let mut words = all_events.filter_map(|event| match event {
        RecordEvent::Request(text) | RecordEvent::Message(_, text) => Some(text),
        _ => None,
    });
    let about = match words.next() {
        Some(first) => format!("abandoned branch: {first}"),
        None => "abandoned branch".to_owned(),
    };
    RecordEvent::Abandoned { branch: id.to_owned().into(), about: about.into() }
}
