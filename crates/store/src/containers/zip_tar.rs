//! Zip and tar archives. Names that climb out of the archive, links and whatever is no regular file are left out.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use trajview_run::RepoPath;

use super::{
    cut_zip::CutZip,
    members::{MOST_MEMBERS, MemberNames, Members},
};
use crate::{disk, file_bytes};
use trajview_formats::inspect_archive::{self, SamplePieces};

/// A zip archive, an Inspect log among them; ZIP64, deflate and zstd.
pub struct ZipContainer {
    /// The archive, whose list of members is read once; reading a member opens the file again.
    archive: zip::ZipArchive<ReopenedFile>,
    names: MemberNames,
    /// The name in the archive of each member; of an Inspect sample in pieces, its folder.
    places: Vec<String>,
    /// The names of all members of an Inspect log, sorted, by which the pieces of a sample are found.
    sorted: Vec<String>,
    /// The facts about all samples in the header of an Inspect log.
    log_facts: Option<String>,
    is_eval: bool,
}

/// The members of an Inspect log with its header, the better one first, and the bytes of one that are read.
const LOG_HEADERS: [&str; 2] = ["header.json", "_journal/start.json"];
const MOST_HEADER: u64 = 64 << 20;

/// A file that each clone opens for itself, when it is first read.
#[derive(Debug)]
struct ReopenedFile {
    file: PathBuf,
    reader: Option<BufReader<disk::PathReader>>,
}

impl ReopenedFile {
    fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), reader: None }
    }

    fn open_reader(&mut self) -> io::Result<&mut BufReader<disk::PathReader>> {
        if self.reader.is_none() {
            self.reader = Some(disk::PathReader::open(&self.file)?.into_buffered());
        }
        self.reader.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Clone for ReopenedFile {
    fn clone(&self) -> Self {
        Self::new(&self.file)
    }
}

impl Read for ReopenedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.open_reader()?.read(into)
    }
}

impl Seek for ReopenedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.open_reader()?.seek(to)
    }
}

impl ZipContainer {
    /// Opens a zip archive, and reads the header of an Inspect log; None where the file is no zip archive.
    pub fn open(file: &Path) -> Option<Self> {
        let archive = zip::ZipArchive::new(ReopenedFile::new(file)).ok()?;
        let all: Vec<String> = archive
            .file_names()
            .take(MOST_MEMBERS)
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .collect();
        let is_eval = inspect_archive::is_inspect_log(&all);
        let (names, places) = named_members(&all, is_eval);
        let mut sorted = if is_eval { all } else { vec![] };
        sorted.sort_unstable();
        // A clone has not opened the file: it is not held open for as long as it is known.
        let archive = archive.clone();
        let names = MemberNames::from_paths(names);
        let mut container = Self { archive, names, places, sorted, log_facts: None, is_eval };
        if is_eval {
            container.log_facts = LOG_HEADERS.into_iter().find_map(|name| {
                let (header, _) = container.read_entry(name, MOST_HEADER).ok()?;
                inspect_archive::log_facts(&header, name)
            });
        }
        Some(container)
    }

    /// Returns the members whose names begin so.
    fn pieces_below(&self, folder: &str) -> &[String] {
        let start = self.sorted.partition_point(|name| name.as_str() < folder);
        let below = &self.sorted[start..];
        &below[..below.iter().take_while(|name| name.starts_with(folder)).count()]
    }

    fn read_entry(&self, place: &str, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let mut archive = self.archive.clone();
        let entry = archive.by_name(place)?;
        Ok(file_bytes::read_within(entry, most))
    }

    /// Returns a sample that is written in pieces: its own fields, and the messages of all pieces in order.
    fn read_pieces(&self, folder: &str, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let mut archive = self.archive.clone();
        let mut names = self.pieces_below(folder).to_vec();
        names.sort_by_key(|name| natural_key(name));
        let mut read = |name: &str, most: u64| -> io::Result<_> {
            Ok(file_bytes::read_within(archive.by_name(name)?, most))
        };
        joined_pieces(folder, &names, most, &mut read)
    }
}

/// A zip archive that is cut off; see [`CutZip`].
pub struct CutZipContainer {
    zip: CutZip,
    names: MemberNames,
    places: Vec<String>,
    is_eval: bool,
}

impl CutZipContainer {
    pub fn open(file: &Path) -> Option<Self> {
        let zip = CutZip::open(file)?;
        let all: Vec<String> = zip.members.iter().map(|member| member.name.clone()).collect();
        let is_eval = inspect_archive::is_inspect_log(&all)
            || file.extension().is_some_and(|end| end == "eval");
        let (names, places) = named_members(&all, is_eval);
        Some(Self { zip, names: MemberNames::from_paths(names), places, is_eval })
    }
}

impl Members for CutZipContainer {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        self.is_eval
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let place = &self.places[at];
        if !place.ends_with('/') {
            return self.zip.read_member(place, most);
        }
        let all = self.zip.members.iter().map(|member| &member.name);
        let mut names: Vec<String> = all.filter(|name| name.starts_with(place)).cloned().collect();
        names.sort_by_key(|name| natural_key(name));
        joined_pieces(place, &names, most, &mut |name, most| self.zip.read_member(name, most))
    }
}

/// Returns the names of an archive's entries, in natural order, and the source of each: a member, or the folder of a
/// sample in pieces.
fn named_members(all: &[String], is_eval: bool) -> (Vec<String>, Vec<String>) {
    let mut members: Vec<(String, String)> = match is_eval {
        true => inspect_archive::samples(all),
        false => all
            .iter()
            .filter(|name| !name.ends_with('/'))
            .filter_map(|name| Some((RepoPath::new(name)?.as_str().to_owned(), name.clone())))
            .collect(),
    };
    members.sort_by_cached_key(|member| natural_key(&member.0));
    members.dedup_by(|a, b| a.0 == b.0);
    members.into_iter().unzip()
}

/// Reads at most so many bytes of a member by its name, with a sentence where that is not all.
type ReadMember<'r> = dyn FnMut(&str, u64) -> io::Result<(Vec<u8>, Option<String>)> + 'r;

/// Returns a sample that is written in pieces.
fn joined_pieces(
    folder: &str,
    names: &[String],
    most: u64,
    read: &mut ReadMember<'_>,
) -> io::Result<(Vec<u8>, Option<String>)> {
    let (mut left, mut cut) = (most, None);
    let mut sample = SamplePieces::default();
    for name in names {
        let (content, problem) = read(name, left)?;
        left -= content.len() as u64;
        let broken = sample.add_piece(&name[folder.len()..], &content).err();
        cut = cut.or(problem).or(broken);
    }
    Ok((serde_json::to_vec(&sample.into_sample())?, cut))
}

/// Returns a sort key by which numbers in a name count by their value.
fn natural_key(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = vec![];
    for piece in name.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let digits = piece.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        parts.push((digits.parse().unwrap_or(0), piece[digits.len()..].to_owned()));
    }
    parts
}

impl Members for ZipContainer {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        self.is_eval
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let place = &self.places[at];
        let (sample, cut) = match place.ends_with('/') {
            true => self.read_pieces(place, most)?,
            false => self.read_entry(place, most)?,
        };
        match &self.log_facts {
            Some(facts) => Ok((inspect_archive::with_log_facts(&sample, facts), cut)),
            None => Ok((sample, cut)),
        }
    }
}

/// A tar archive; one that is compressed is held unpacked.
pub struct TarContainer {
    names: MemberNames,
    /// The place of each member's content: start and length.
    places: Vec<(u64, u64)>,
    content: TarContent,
    /// A sentence, where the archive has no end or could not be unpacked to it.
    cut: Option<String>,
}

enum TarContent {
    OnDisk(PathBuf),
    Held(Vec<u8>),
}

impl TarContainer {
    pub fn open(file: &Path) -> Option<Self> {
        let (start, _) = file_bytes::read_start(file).ok()?;
        let is_plain = start.get(257..262) == Some(b"ustar");
        let (content, problem) = match is_plain {
            true => (TarContent::OnDisk(file.to_owned()), None),
            false => {
                let (unpacked, problem) = file_bytes::read_file(
                    file,
                    file_bytes::FileAccess::InMemory,
                    &mut file_bytes::ReadAllowance::default(),
                )
                .ok()?;
                let (whole, too_much) = unpacked.read_all();
                (TarContent::Held(whole.into_owned()), problem.or(too_much))
            }
        };
        let mut listed = match &content {
            TarContent::OnDisk(file) => {
                let reader = disk::PathReader::open(file).ok()?;
                list_tar(BufReader::new(reader), disk::metadata(file).ok()?.len())
            }
            TarContent::Held(bytes) => list_tar(io::Cursor::new(&bytes[..]), bytes.len() as u64),
        };
        listed.members.sort();
        listed.members.dedup_by(|a, b| a.0 == b.0);
        let cut = cut_problem(&listed, problem);
        let (names, places) = listed.members.into_iter().unzip();
        Some(Self { names: MemberNames::from_paths(names), places, content, cut })
    }
}

/// The content of a tar archive.
struct TarListing {
    /// The regular files with their places.
    members: Vec<(String, (u64, u64))>,
    size: u64,
    /// True if the blocks of zeros that end an archive follow the last member.
    has_end: bool,
}

/// Returns the problem of every member of an archive that is cut off.
fn cut_problem(listed: &TarListing, problem: Option<String>) -> Option<String> {
    let complete = listed.members.iter().filter(|(_, (start, len))| start + len <= listed.size);
    let complete = match complete.count() {
        1 => "1 member before that is complete".to_owned(),
        count => format!("{count} members before that are complete"),
    };
    let cut = || format!("the archive is cut off after {} bytes", listed.size);
    let why = problem.or_else(|| (!listed.has_end).then(cut))?;
    Some(format!("{why}; {complete}"))
}

/// Returns the members of an archive of so many bytes; a damaged one ends where it is damaged.
fn list_tar(from: impl Read + Seek, size: u64) -> TarListing {
    let mut archive = tar::Archive::new(from);
    let mut listed = TarListing { members: vec![], size, has_end: false };
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
    listed.has_end = count == MOST_MEMBERS || has_end_block(archive.into_inner(), end);
    listed
}

/// Returns whether a block of zeros follows the content that ends at `end`.
fn has_end_block(mut from: impl Read + Seek, end: u64) -> bool {
    const BLOCK: u64 = 512;
    let mut block = [1; BLOCK as usize];
    let at = end.checked_next_multiple_of(BLOCK);
    let read =
        at.map(|at| from.seek(SeekFrom::Start(at)).and_then(|_| from.read_exact(&mut block)));
    matches!(read, Some(Ok(()))) && block.iter().all(|byte| *byte == 0)
}

impl Members for TarContainer {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        false
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        let (content, problem) = match &self.content {
            TarContent::OnDisk(file) => {
                let mut file = disk::open_file(file)?;
                file.seek(SeekFrom::Start(start))?;
                file_bytes::read_within(file.take(len), most)
            }
            TarContent::Held(bytes) => {
                let end = start.saturating_add(len) as usize;
                let there = bytes.get(start as usize..end.min(bytes.len())).unwrap_or_default();
                file_bytes::read_within(there, most)
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
