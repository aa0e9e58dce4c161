//! Which of the records of a log make up the run, where not each of them does.

use std::collections::{HashMap, HashSet};

use super::Entry;

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

/// Of a tree the branch that ends with the last record; what stands in no tree stays. Says how many of the records, which
/// the tool calls so, were left out.
pub fn live_branch(entries: &mut Vec<Entry>, called: &str) -> Option<String> {
    let ids = entries.iter().map(|entry| entry.record.id.as_deref());
    let by_id: HashMap<&str, usize> =
        (0..).zip(ids).filter_map(|(at, id)| Some((id?, at))).collect();
    let mut branch = HashSet::new();
    let mut at = entries.iter().rposition(|entry| entry.record.id.is_some());
    while let Some(now) = at.filter(|at| branch.insert(*at)) {
        let parent = entries[now].record.parent.as_deref();
        at = parent.and_then(|parent| {
            // A parent that does not stand before in the log is the record before, whatever that is.
            let before = || entries[..now].iter().rposition(|entry| entry.record.id.is_some());
            by_id.get(parent).copied().filter(|at| *at < now).or_else(before)
        });
    }
    let before = entries.len();
    // A log whose records name no parent is a line.
    if entries.iter().any(|entry| entry.record.parent.is_some()) {
        let mut at = 0..;
        entries.retain(|entry| {
            let at = at.next().unwrap_or_default();
            entry.record.id.is_none() || branch.contains(&at)
        });
    }
    let left_out = before - entries.len();
    (left_out > 0).then(|| {
        format!("{left_out} {called} are of branches that were left; the last branch is shown")
    })
}
