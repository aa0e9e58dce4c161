//! The memory as text files: a record an artifact, with a line a chunk, so that a turn changes the records that it had to do
//! with. What cannot be read is left out; what the files of the project tell is read from them again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    chunk::{ChunkHead, ChunkId, ChunkKind},
    graph::LinkKind,
    index_update::MemoryIndex,
};
use trajview_run::RepoPath;

/// Text files by path, as a layer's state is.
type StateFiles = BTreeMap<String, String>;

/// A line of a record.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct RecordLine {
    #[serde(flatten)]
    head: ChunkHead,
    /// The entities that it mentions beside itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<String>,
    /// The edges that lead away from the chunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edges: Vec<OutgoingEdge>,
}

/// An edge that leads away.
#[derive(Debug, Serialize, Deserialize)]
struct OutgoingEdge {
    link: LinkKind,
    to: String,
    weight: f64,
    turn: usize,
}

/// Bytes of all records; those that turns touched last are written first, the others are read from the project again.
const MOST_BYTES: usize = 16 << 20;

/// Returns the path of the record of an artifact in the state.
pub(crate) fn record_path(head: &ChunkHead) -> String {
    let (folder, name) = match head.kind {
        ChunkKind::Request => ("requests", head.artifact.trim_start_matches("turn ")),
        ChunkKind::Decision => ("decisions", head.artifact.trim_start_matches("decision ")),
        ChunkKind::File
        | ChunkKind::Class
        | ChunkKind::Function
        | ChunkKind::Value
        | ChunkKind::Section => ("files", head.artifact.as_str()),
    };
    format!("{folder}/{}.jsonl", escape_name(name))
}

/// Returns a name of letters, digits, `_`, `-`, `/` and dots that do not begin a part; all else becomes `%` with two
/// digits a byte.
fn escape_name(name: &str) -> String {
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

/// Returns the files of the records.
pub(crate) fn write_records(index: &MemoryIndex) -> StateFiles {
    let catalogue = &index.catalogue;
    let touched = |ids: &mut dyn Iterator<Item = &ChunkId>| {
        ids.filter_map(|id| catalogue.head(*id)).map(|head| head.touched).max().unwrap_or_default()
    };
    let mut artifacts: Vec<_> = catalogue.artifacts().filter(|(_, ids)| !ids.is_empty()).collect();
    artifacts.sort_by_key(|(name, ids)| (std::cmp::Reverse(touched(&mut ids.iter())), *name));
    let (mut state, mut left) = (StateFiles::new(), MOST_BYTES);
    for (_, ids) in artifacts {
        let mut lines: Vec<(u32, String, String)> = vec![];
        for (id, head) in ids.iter().filter_map(|id| Some((*id, catalogue.head(*id)?))) {
            let first = head.lines.map_or(0, |lines| lines.0);
            lines.push((first, head.name.clone(), record_line(index, id, head)));
        }
        // The file first, then by place.
        lines.sort_by(|a, b| (!a.1.is_empty(), a.0, &a.1).cmp(&(!b.1.is_empty(), b.0, &b.1)));
        let text: String = lines.into_iter().map(|(.., line)| line).collect();
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        if let Some(head) = ids.first().and_then(|id| catalogue.head(*id)) {
            state.insert(record_path(head), text);
        }
    }
    state
}

fn record_line(index: &MemoryIndex, id: ChunkId, head: &ChunkHead) -> String {
    let catalogue = &index.catalogue;
    let near = index.graph.neighbours_of(id, |id| catalogue.key_of(id));
    let lead = |it: &super::graph::GraphEdge| OutgoingEdge {
        link: it.link,
        to: catalogue.key_of(it.other),
        weight: it.weight,
        turn: it.turn,
    };
    let mut mentions: Vec<String> =
        catalogue.chunk_entities(id).skip(1).map(|id| catalogue.key_of(id)).collect();
    mentions.sort();
    let edges = near.iter().filter(|it| !it.is_reverse).map(lead).collect();
    let line = RecordLine { head: head.clone(), mentions, edges };
    // Strings and finite numbers alone: nothing in it can fail to be written.
    serde_json::to_string(&line).map(|line| line + "\n").unwrap_or_default()
}

/// Fills an empty index from records.
pub(crate) fn read_records(state: &StateFiles, index: &mut MemoryIndex) {
    let is_record = |path: &str| {
        path.ends_with(".jsonl")
            && ["files/", "requests/", "decisions/"].iter().any(|it| path.starts_with(it))
    };
    let mut lines: Vec<(ChunkId, RecordLine)> = vec![];
    for (path, text) in state.iter().filter(|(path, _)| is_record(path)) {
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<RecordLine>(line) else { continue };
            if is_sound(&line.head)
                && record_path(&line.head) == *path
                && let Some(id) = index.catalogue.put_head(line.head.clone())
            {
                lines.push((id, line));
            }
        }
    }
    for (id, line) in lines {
        let mentions: Vec<ChunkId> =
            line.mentions.iter().filter_map(|key| index.catalogue.by_key(key)).collect();
        index.catalogue.set_mentions(id, mentions);
        for lead in line.edges {
            if let Some(to) = index.catalogue.by_key(&lead.to) {
                index.graph.add_edge(id, to, lead.link, lead.weight, lead.turn);
            }
        }
    }
}

/// Returns whether a head is one that this memory writes.
fn is_sound(head: &ChunkHead) -> bool {
    match head.kind {
        ChunkKind::Request => {
            head.request_turn().is_some_and(|turn| turn > 0) && head.name.is_empty()
        }
        ChunkKind::Decision => head.artifact.starts_with("decision ") && head.name.is_empty(),
        ChunkKind::File
        | ChunkKind::Class
        | ChunkKind::Function
        | ChunkKind::Value
        | ChunkKind::Section => {
            let is_path =
                RepoPath::new(&head.artifact).is_some_and(|it| it.as_str() == head.artifact);
            is_path && (head.kind == ChunkKind::File) == head.name.is_empty()
        }
    }
}
