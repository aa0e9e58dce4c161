//! Zip and tar archives. Names that climb out of the archive, links and whatever is no regular file are left out.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use trajview_run::RepoPath;

use super::{
    cut_zip::CutZip,
    members::{MOST_MEMBERS, Members, Names},
};
use crate::{bytes, disk};
use trajview_formats::not_finite;

/// A zip archive, an Inspect log among them; ZIP64, deflate and zstd.
pub struct Zip {
    /// Its list of members is read once; whoever reads one opens the file again.
    archive: zip::ZipArchive<Reopened>,
    names: Names,
    /// The name in the archive of each member; of an Inspect sample in pieces, its folder.
    places: Vec<String>,
    /// Of an Inspect log the names of all members, sorted, by which the pieces of a sample are found.
    sorted: Vec<String>,
    is_eval: bool,
}

/// A file that each clone opens for itself, when it is first read.
#[derive(Debug)]
struct Reopened {
    file: PathBuf,
    reader: Option<BufReader<disk::Reader>>,
}

impl Reopened {
    fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), reader: None }
    }

    fn reader(&mut self) -> io::Result<&mut BufReader<disk::Reader>> {
        if self.reader.is_none() {
            self.reader = Some(disk::Reader::of(&self.file)?.buffered());
        }
        self.reader.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Clone for Reopened {
    fn clone(&self) -> Self {
        Self::of(&self.file)
    }
}

impl Read for Reopened {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reader()?.read(into)
    }
}

impl Seek for Reopened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader()?.seek(to)
    }
}

impl Zip {
    pub fn open(file: &Path) -> Option<Self> {
        let archive = zip::ZipArchive::new(Reopened::of(file)).ok()?;
        let all: Vec<String> = archive
            .file_names()
            .take(MOST_MEMBERS)
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .collect();
        let is_eval = is_eval(&all);
        let (names, places) = listed_in(&all, is_eval);
        let mut sorted = if is_eval { all } else { vec![] };
        sorted.sort_unstable();
        // A clone has not opened the file: it is not held open for as long as it is known.
        let archive = archive.clone();
        Some(Self { archive, names: Names::of_paths(names), places, sorted, is_eval })
    }

    /// The members whose names begin so.
    fn pieces_below(&self, folder: &str) -> &[String] {
        let start = self.sorted.partition_point(|name| name.as_str() < folder);
        let below = &self.sorted[start..];
        &below[..below.iter().take_while(|name| name.starts_with(folder)).count()]
    }

    fn entry(&self, place: &str, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let mut archive = self.archive.clone();
        let entry = archive.by_name(place)?;
        Ok(bytes::read_within(entry, most))
    }

    /// A sample that is written in pieces: its own fields, and the messages of all pieces in order.
    fn pieces(&self, folder: &str, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let mut archive = self.archive.clone();
        let mut names = self.pieces_below(folder).to_vec();
        names.sort_by_key(|name| natural(name));
        let mut read = |name: &str, most: u64| -> io::Result<_> {
            Ok(bytes::read_within(archive.by_name(name)?, most))
        };
        joined_pieces(folder, &names, most, &mut read)
    }
}

/// A zip archive that is cut off; see [`CutZip`].
pub struct Cut {
    zip: CutZip,
    names: Names,
    places: Vec<String>,
    is_eval: bool,
}

impl Cut {
    pub fn open(file: &Path) -> Option<Self> {
        let zip = CutZip::open(file)?;
        let all: Vec<String> = zip.members.iter().map(|member| member.name.clone()).collect();
        let is_eval = is_eval(&all) || file.extension().is_some_and(|end| end == "eval");
        let (names, places) = listed_in(&all, is_eval);
        Some(Self { zip, names: Names::of_paths(names), places, is_eval })
    }
}

impl Members for Cut {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        self.is_eval
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let place = &self.places[at];
        if !place.ends_with('/') {
            return self.zip.read(place, most);
        }
        let all = self.zip.members.iter().map(|member| &member.name);
        let mut names: Vec<String> = all.filter(|name| name.starts_with(place)).cloned().collect();
        names.sort_by_key(|name| natural(name));
        joined_pieces(place, &names, most, &mut |name, most| self.zip.read(name, most))
    }
}

/// Whether an archive with these members is a log of Inspect.
fn is_eval(all: &[String]) -> bool {
    all.iter().any(|name| name == "header.json" || name.starts_with("_journal/"))
}

/// What an archive is said to hold, in natural order, and where each of it is: the name of a member, or of the folder of a
/// sample in pieces.
fn listed_in(all: &[String], is_eval: bool) -> (Vec<String>, Vec<String>) {
    let mut members: Vec<(String, String)> = match is_eval {
        true => samples(all),
        false => all
            .iter()
            .filter(|name| !name.ends_with('/'))
            .filter_map(|name| Some((RepoPath::new(name)?.as_str().to_owned(), name.clone())))
            .collect(),
    };
    members.sort_by_cached_key(|member| natural(&member.0));
    members.dedup_by(|a, b| a.0 == b.0);
    members.into_iter().unzip()
}

/// Reads a member by its name, at most so many bytes of it, and says why that is not all.
type ReadMember<'r> = dyn FnMut(&str, u64) -> io::Result<(Vec<u8>, Option<String>)> + 'r;

/// A sample that is written in pieces: its own fields, and the messages of all pieces in order.
fn joined_pieces(
    folder: &str,
    names: &[String],
    most: u64,
    read: &mut ReadMember<'_>,
) -> io::Result<(Vec<u8>, Option<String>)> {
    let (mut left, mut cut) = (most, None);
    let mut sample = serde_json::Map::new();
    let (mut messages, mut events, mut attachments) = (vec![], vec![], serde_json::Map::new());
    for name in names {
        let rest = name[folder.len()..].to_owned();
        let (content, problem) = read(name, left)?;
        left -= content.len() as u64;
        cut = cut.or(problem);
        let key = rest.rsplit('/').next().unwrap_or(&rest).trim_end_matches(".json").to_owned();
        let value: serde_json::Value = match not_finite::read(&content) {
            Ok((value, _)) => value,
            Err(_) if rest.starts_with("attachments/") => {
                String::from_utf8_lossy(&content).into_owned().into()
            }
            Err(why) => {
                cut = cut.or(Some(format!("{rest} in it is not JSON: {why}")));
                continue;
            }
        };
        match (rest.split('/').next().unwrap_or_default(), value) {
            ("sample.json" | "metadata.json", serde_json::Value::Object(fields)) => {
                sample.extend(fields)
            }
            ("messages", serde_json::Value::Array(list)) => messages.extend(list),
            ("events", serde_json::Value::Array(list))
                if key.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                events.extend(list)
            }
            ("attachments", serde_json::Value::Object(all)) => attachments.extend(all),
            ("attachments", value) => {
                attachments.insert(key, value);
            }
            _ => {}
        }
    }
    sample.insert("messages".into(), messages.into());
    sample.insert("events".into(), events.into());
    sample.insert("attachments".into(), attachments.into());
    Ok((serde_json::to_vec(&sample)?, cut))
}

/// The folder of a sample in pieces, by the name of one of its pieces: it ends with the epoch.
fn folder_of_pieces(rest: &str) -> Option<&str> {
    let ends_with_epoch = |folder: &str| {
        let epoch = folder.rsplit_once("_epoch_").map_or("", |(_, epoch)| epoch);
        !epoch.is_empty() && epoch.bytes().all(|byte| byte.is_ascii_digit())
    };
    let slashes = rest.match_indices('/').map(|(at, _)| at);
    slashes.map(|at| &rest[..at]).find(|folder| ends_with_epoch(folder))
}

/// The samples of an Inspect log: a file each, or a folder each.
fn samples(all: &[String]) -> Vec<(String, String)> {
    let below = all.iter().filter_map(|name| Some((name, name.strip_prefix("samples/")?)));
    let mut found: Vec<(String, String)> = below
        .filter_map(|(name, rest)| {
            if let Some(folder) = folder_of_pieces(rest) {
                return Some((folder.to_owned(), format!("samples/{folder}/")));
            }
            // The id of a sample may have slashes in it.
            let is_sample = rest.ends_with(".json") && RepoPath::new(rest).is_some();
            is_sample.then(|| (rest.to_owned(), name.clone()))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Numbers in a name by their value.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = vec![];
    for piece in name.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let digits = piece.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        parts.push((digits.parse().unwrap_or(0), piece[digits.len()..].to_owned()));
    }
    parts
}

impl Members for Zip {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        self.is_eval
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let place = &self.places[at];
        if place.ends_with('/') { self.pieces(place, most) } else { self.entry(place, most) }
    }
}

/// A tar archive; one that is compressed is held unpacked.
pub struct Tar {
    names: Names,
    /// Where each member's content stands.
    places: Vec<(u64, u64)>,
    content: Content,
    /// A sentence, where the archive has no end or could not be unpacked to it.
    cut: Option<String>,
}

enum Content {
    OnDisk(PathBuf),
    Held(Vec<u8>),
}

impl Tar {
    pub fn open(file: &Path) -> Option<Self> {
        let (start, _) = bytes::read_start(file).ok()?;
        let is_plain = start.get(257..262) == Some(b"ustar");
        let (content, problem) = match is_plain {
            true => (Content::OnDisk(file.to_owned()), None),
            false => {
                let (held, problem) =
                    bytes::read(file, bytes::Access::Held, &mut bytes::Allowance::default())
                        .ok()?;
                let (whole, too_much) = held.whole();
                (Content::Held(whole.into_owned()), problem.or(too_much))
            }
        };
        let mut listed = match &content {
            Content::OnDisk(file) => {
                let reader = disk::Reader::of(file).ok()?;
                listed(BufReader::new(reader), disk::metadata(file).ok()?.len())
            }
            Content::Held(bytes) => listed(io::Cursor::new(&bytes[..]), bytes.len() as u64),
        };
        listed.members.sort();
        listed.members.dedup_by(|a, b| a.0 == b.0);
        let cut = cut_of(&listed, problem);
        let (names, places) = listed.members.into_iter().unzip();
        Some(Self { names: Names::of_paths(names), places, content, cut })
    }
}

/// What stands in a tar archive.
struct Listed {
    /// Regular files with their places.
    members: Vec<(String, (u64, u64))>,
    size: u64,
    /// Whether the blocks of zeros that end an archive follow the last member.
    has_end: bool,
}

/// What is said of each member of an archive that is cut off.
fn cut_of(listed: &Listed, problem: Option<String>) -> Option<String> {
    let whole = listed.members.iter().filter(|(_, (start, len))| start + len <= listed.size);
    let whole = match whole.count() {
        1 => "1 member before that is whole".to_owned(),
        count => format!("{count} members before that are whole"),
    };
    let cut = || format!("the archive is cut off after {} bytes", listed.size);
    let why = problem.or_else(|| (!listed.has_end).then(cut))?;
    Some(format!("{why}; {whole}"))
}

/// The members of an archive of so many bytes; a damaged one ends where it is damaged.
fn listed(from: impl Read + Seek, size: u64) -> Listed {
    let mut archive = tar::Archive::new(from);
    let mut listed = Listed { members: vec![], size, has_end: false };
    let (mut end, mut count) = (0, 0);
    if let Ok(entries) = archive.entries() {
        for entry in entries.take(MOST_MEMBERS) {
            let Ok(entry) = entry else { break };
            count += 1;
            let (start, kind) = (entry.raw_file_position(), entry.header().entry_type());
            // A file with holes takes less room than it has bytes.
            let stored = if kind.is_gnu_sparse() { entry.header().entry_size().ok() } else { None };
            end = start.saturating_add(stored.unwrap_or(entry.size()));
            let name = entry.path().ok().and_then(|path| RepoPath::new(&path.to_string_lossy()));
            if let Some(name) = name.filter(|_| kind.is_file()) {
                listed.members.push((name.as_str().to_owned(), (start, entry.size())));
            }
        }
    }
    listed.has_end = count == MOST_MEMBERS || ends_at(archive.into_inner(), end);
    listed
}

/// Whether a block of zeros stands behind the content that ends there.
fn ends_at(mut from: impl Read + Seek, end: u64) -> bool {
    const BLOCK: u64 = 512;
    let mut block = [1; BLOCK as usize];
    let at = end.checked_next_multiple_of(BLOCK);
    let read =
        at.map(|at| from.seek(SeekFrom::Start(at)).and_then(|_| from.read_exact(&mut block)));
    matches!(read, Some(Ok(()))) && block.iter().all(|byte| *byte == 0)
}

impl Members for Tar {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        false
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        let (content, problem) = match &self.content {
            Content::OnDisk(file) => {
                let mut file = disk::open(file)?;
                file.seek(SeekFrom::Start(start))?;
                bytes::read_within(file.take(len), most)
            }
            Content::Held(bytes) => {
                let end = start.saturating_add(len) as usize;
                let there = bytes.get(start as usize..end.min(bytes.len())).unwrap_or_default();
                bytes::read_within(there, most)
            }
        };
        let read = content.len() as u64;
        let missing =
            (read < len.min(most)).then(|| format!("{read} of its {len} bytes are there"));
        let problems = [problem, missing, self.cut.clone()].into_iter().flatten();
        let problems: Vec<String> = problems.collect();
        Ok((content, (!problems.is_empty()).then(|| problems.join("; "))))
    }
}
