//! Rows of text: a JSONL file with a run a line, and the samples of a log that is one JSON document.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use serde_json::value::RawValue;

use super::{
    columns,
    members::{MOST_MEMBERS, Members, Names},
};
use crate::{bytes, disk};
use trajview_formats::not_finite;

/// Of a row so much is looked through for its name (bytes).
const NAMED_WITHIN: usize = 16 << 10;

/// A run a line.
pub struct Lines {
    names: Names,
    places: Vec<(u64, u64)>,
    content: Content,
}

enum Content {
    OnDisk(File),
    Held(Vec<u8>),
}

impl Lines {
    pub fn open(file: &Path) -> Option<Self> {
        let (start, _) = bytes::read_start(file).ok()?;
        let content = if bytes::is_packed(&start) {
            let (held, _) =
                bytes::read(file, bytes::Access::Held, &mut bytes::Allowance::default()).ok()?;
            Content::Held(held.whole().0.into_owned())
        } else {
            Content::OnDisk(disk::open(file).ok()?)
        };
        let found = match &content {
            Content::OnDisk(_) => listed(BufReader::with_capacity(1 << 20, disk::open(file).ok()?)),
            Content::Held(bytes) => listed(&bytes[..]),
        };
        // One row is the run that the file is.
        if found.1.len() < 2 && !columns::are_named_in(&start) {
            return None;
        }
        let (names, places) = found;
        Some(Self { names, places, content })
    }
}

fn listed(mut from: impl BufRead) -> (Names, Vec<(u64, u64)>) {
    let ids = columns::ids();
    let (mut places, mut names, mut start) = (vec![], Names::default(), 0);
    let mut head: Vec<u8> = vec![];
    loop {
        head.clear();
        let mut len = 0u64;
        let mut is_blank = true;
        // Lines may be of megabytes: of each only the beginning is kept.
        let is_end = loop {
            let Ok(buffer) = from.fill_buf() else { break true };
            if buffer.is_empty() {
                break true;
            }
            let end = memchr::memchr(b'\n', buffer);
            let some = &buffer[..end.unwrap_or(buffer.len())];
            is_blank &= some.trim_ascii().is_empty();
            let room = NAMED_WITHIN.saturating_sub(head.len()).min(some.len());
            head.extend_from_slice(&some[..room]);
            len += some.len() as u64;
            let taken = some.len() + usize::from(end.is_some());
            from.consume(taken);
            if end.is_some() {
                break false;
            }
        };
        if !is_blank && len > 0 {
            names.add(id_in(&head, &ids).as_deref());
            places.push((start, len));
        }
        start += len + 1;
        if is_end || places.len() >= MOST_MEMBERS {
            return (names, places);
        }
    }
}

/// What the row calls itself: the value of the first of `ids` that stands in its beginning.
fn id_in(head: &[u8], ids: &[String]) -> Option<String> {
    ids.iter().find_map(|key| {
        let needle = format!("\"{key}\"");
        let at = memchr::memmem::find(head, needle.as_bytes())? + needle.len();
        let rest = head.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        match rest.first()? {
            b'"' => {
                let end = memchr::memchr(b'"', rest.get(1..)?)?;
                Some(String::from_utf8_lossy(&rest[1..=end]).into_owned())
            }
            b'0'..=b'9' => {
                let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
                Some(String::from_utf8_lossy(&rest[..end]).into_owned())
            }
            _ => None,
        }
    })
}

impl Members for Lines {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        let (wanted, cut) = bytes::within(len, most);
        let row = match &self.content {
            Content::OnDisk(file) => {
                let mut row = vec![0; wanted as usize];
                bytes::read_at(file, &mut row, start)?;
                row
            }
            Content::Held(bytes) => {
                bytes.get(start as usize..(start + wanted) as usize).unwrap_or_default().to_vec()
            }
        };
        Ok((columns::renamed(&row).unwrap_or(row), cut))
    }
}

/// The texts of the elements of the list under that key of a document, of the list that it is where the key is empty; None where
/// it is no JSON.
fn elements<'t>(document: &'t str, key: &str) -> Option<Vec<&'t str>> {
    if key.is_empty() {
        let list: Vec<&'t RawValue> = serde_json::from_str(document).ok()?;
        return Some(list.into_iter().map(RawValue::get).collect());
    }
    let fields: std::collections::HashMap<String, &'t RawValue> =
        serde_json::from_str(document).ok()?;
    let list: Vec<&'t RawValue> = serde_json::from_str(fields.get(key)?.get()).ok()?;
    Some(list.into_iter().map(RawValue::get).collect())
}

/// `<id>_epoch_<epoch>` of a sample of Inspect, the UUID of a conversation.
fn name_of_sample(sample: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(default)]
        id: serde_json::Value,
        epoch: Option<u64>,
        uuid: Option<serde_json::Value>,
    }
    let (Named { id, epoch, uuid }, _) = not_finite::read(sample.as_bytes()).ok()?;
    if id.is_null() {
        return uuid?.as_str().map(str::to_owned);
    }
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    Some(format!("{id}_epoch_{}", epoch.unwrap_or(1)))
}

/// The elements of a list in one document.
pub struct List {
    names: Names,
    places: Vec<(usize, usize)>,
    content: String,
}

impl List {
    pub fn open(file: &Path, key: &str) -> Option<Self> {
        let (held, _) =
            bytes::read(file, bytes::Access::Held, &mut bytes::Allowance::default()).ok()?;
        let content = String::from_utf8(held.whole().0.into_owned()).ok()?;
        let samples = elements(&content, key).or_else(|| not_finite::elements(&content, key))?;
        let (mut names, mut places) = (Names::default(), vec![]);
        for sample in samples.into_iter().take(MOST_MEMBERS) {
            names.add(name_of_sample(sample).as_deref());
            let start = sample.as_ptr() as usize - content.as_ptr() as usize;
            places.push((start, sample.len()));
        }
        (!places.is_empty()).then_some(Self { names, places, content })
    }
}

impl Members for List {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        Ok(bytes::read_within(&self.content.as_bytes()[start..start + len], most))
    }
}
