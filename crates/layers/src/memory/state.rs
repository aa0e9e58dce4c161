//! The memory as text files: a record an artifact, with a line a chunk, so that a turn changes the records that it had to do
//! with. What cannot be read is left out; what the files of the project tell is read from them again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    chunk::{Head, Id, Kind},
    graph::Link,
    intake::Index,
};
use trajview_run::RepoPath;

/// Text files by path, as a layer's state is.
type Files = BTreeMap<String, String>;

/// A line of a record.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(flatten)]
    head: Head,
    /// The entities that it mentions beside itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<String>,
    /// Those that lead away from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edges: Vec<Lead>,
}

/// An edge that leads away.
#[derive(Debug, Serialize, Deserialize)]
struct Lead {
    link: Link,
    to: String,
    weight: f64,
    turn: usize,
}

/// Bytes of all records; those that turns touched last are written first, the others are read from the project again.
const MOST_BYTES: usize = 16 << 20;

/// The record of an artifact in the state.
pub fn record(head: &Head) -> String {
    let (folder, name) = match head.kind {
        Kind::Request => ("requests", head.artifact.trim_start_matches("turn ")),
        Kind::Decision => ("decisions", head.artifact.trim_start_matches("decision ")),
        Kind::File | Kind::Class | Kind::Function | Kind::Value | Kind::Section => {
            ("files", head.artifact.as_str())
        }
    };
    format!("{folder}/{}.jsonl", escaped(name))
}

/// Letters, digits, `_`, `-`, `/` and dots that do not begin a part; all else as `%` with two digits a byte.
fn escaped(name: &str) -> String {
    let mut found = String::new();
    let mut before = b'/';
    for byte in name.bytes() {
        let is_plain = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-')
            || (matches!(byte, b'.' | b'/') && before != b'/');
        match is_plain {
            true => found.push(char::from(byte)),
            false => found.push_str(&format!("%{byte:02X}")),
        }
        before = byte;
    }
    found
}

/// The records.
pub fn write(index: &Index) -> Files {
    let catalogue = &index.catalogue;
    let touched = |ids: &mut dyn Iterator<Item = &Id>| {
        ids.filter_map(|id| catalogue.head(*id)).map(|head| head.touched).max().unwrap_or_default()
    };
    let mut artifacts: Vec<_> = catalogue.artifacts().filter(|(_, ids)| !ids.is_empty()).collect();
    artifacts.sort_by_key(|(name, ids)| (std::cmp::Reverse(touched(&mut ids.iter())), *name));
    let (mut state, mut left) = (Files::new(), MOST_BYTES);
    for (_, ids) in artifacts {
        let mut lines: Vec<(u32, String, String)> = vec![];
        for (id, head) in ids.iter().filter_map(|id| Some((*id, catalogue.head(*id)?))) {
            let first = head.lines.map_or(0, |lines| lines.0);
            lines.push((first, head.name.clone(), line(index, id, head)));
        }
        // The file first, then by place.
        lines.sort_by(|a, b| (!a.1.is_empty(), a.0, &a.1).cmp(&(!b.1.is_empty(), b.0, &b.1)));
        let text: String = lines.into_iter().map(|(.., line)| line).collect();
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        if let Some(head) = ids.first().and_then(|id| catalogue.head(*id)) {
            state.insert(record(head), text);
        }
    }
    state
}

fn line(index: &Index, id: Id, head: &Head) -> String {
    let catalogue = &index.catalogue;
    let near = index.graph.neighbours(id, |id| catalogue.key(id));
    let lead = |it: &super::graph::Edge| Lead {
        link: it.link,
        to: catalogue.key(it.other),
        weight: it.weight,
        turn: it.turn,
    };
    let mut mentions: Vec<String> =
        catalogue.entities(id).skip(1).map(|id| catalogue.key(id)).collect();
    mentions.sort();
    let edges = near.iter().filter(|it| !it.is_back).map(lead).collect();
    let line = Line { head: head.clone(), mentions, edges };
    // Strings and finite numbers alone: nothing in it can fail to be written.
    serde_json::to_string(&line).map(|line| line + "\n").unwrap_or_default()
}

/// Fills an empty index from records.
pub fn read(state: &Files, index: &mut Index) {
    let is_record = |path: &str| {
        path.ends_with(".jsonl")
            && ["files/", "requests/", "decisions/"].iter().any(|it| path.starts_with(it))
    };
    let mut lines: Vec<(Id, Line)> = vec![];
    for (path, text) in state.iter().filter(|(path, _)| is_record(path)) {
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            if is_sound(&line.head)
                && record(&line.head) == *path
                && let Some(id) = index.catalogue.put(line.head.clone())
            {
                lines.push((id, line));
            }
        }
    }
    for (id, line) in lines {
        let mentions: Vec<Id> =
            line.mentions.iter().filter_map(|key| index.catalogue.by_key(key)).collect();
        index.catalogue.set_mentions(id, mentions);
        for lead in line.edges {
            if let Some(to) = index.catalogue.by_key(&lead.to) {
                index.graph.add(id, to, lead.link, lead.weight, lead.turn);
            }
        }
    }
}

/// Whether a head is one that this memory writes.
fn is_sound(head: &Head) -> bool {
    match head.kind {
        Kind::Request => head.request().is_some_and(|turn| turn > 0) && head.name.is_empty(),
        Kind::Decision => head.artifact.starts_with("decision ") && head.name.is_empty(),
        Kind::File | Kind::Class | Kind::Function | Kind::Value | Kind::Section => {
            let is_path =
                RepoPath::new(&head.artifact).is_some_and(|it| it.as_str() == head.artifact);
            is_path && (head.kind == Kind::File) == head.name.is_empty()
        }
    }
}
