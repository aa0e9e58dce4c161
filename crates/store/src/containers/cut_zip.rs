//! A zip archive whose end is missing, and with it the list of its members.
//!
//! Each member has a head of its own before its content. Those that are whole are found by their heads, one after the
//! other from the start of the file; the rest of the file is not guessed at.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use crate::{disk, file_bytes};

use super::members::MOST_MEMBERS;

/// The signature of a member's head, and its size without the name.
const HEAD: [u8; 4] = *b"PK\x03\x04";
const HEAD_BYTES: usize = 30;

/// The flag of a member whose sizes follow its content, which was written before they were known.
const SIZES_BEHIND: u16 = 1 << 3;

/// A member that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZipMember {
    pub name: String,
    method: u16,
    start: u64,
    len: u64,
}

/// The whole members of a cut-off archive.
#[derive(Debug)]
pub struct CutZip {
    file: PathBuf,
    pub members: Vec<ZipMember>,
}

impl CutZip {
    /// Returns None where the file does not begin with a member that is whole.
    pub fn open(file: &Path) -> Option<Self> {
        let mut reader = disk::PathReader::open(file).ok()?.into_buffered();
        let size = reader.seek(SeekFrom::End(0)).ok()?;
        reader.seek(SeekFrom::Start(0)).ok()?;
        let mut members: Vec<ZipMember> = vec![];
        let mut at = 0;
        while members.len() < MOST_MEMBERS {
            let Ok(Some(member)) = head_at(&mut reader, at, size) else { break };
            at = member.start + member.len;
            members.push(member);
        }
        (!members.is_empty()).then(|| Self { file: file.to_owned(), members })
    }

    /// Returns the content of a member by its name, with a sentence where that is not all.
    pub(crate) fn read_member(
        &self,
        name: &str,
        most: u64,
    ) -> io::Result<(Vec<u8>, Option<String>)> {
        let member = self.members.iter().find(|member| member.name == name);
        let member = member.ok_or(io::ErrorKind::NotFound)?;
        let mut reader = disk::PathReader::open(&self.file)?.into_buffered();
        reader.seek(SeekFrom::Start(member.start))?;
        let content = reader.take(member.len);
        let (bytes, problem) = match member.method {
            0 => file_bytes::read_within(content, most),
            8 => file_bytes::read_within(flate2::read::DeflateDecoder::new(content), most),
            93 => file_bytes::read_within(zstd::Decoder::new(content)?, most),
            method => {
                let what = format!("is compressed by method {method}, which is not read");
                return Err(io::Error::new(io::ErrorKind::Unsupported, what));
            }
        };
        let cut = format!(
            "the archive is truncated: its list of members is missing, {} members before the cut are complete",
            self.members.len()
        );
        Ok((bytes, Some(problem.map_or(cut.clone(), |problem| format!("{problem}; {cut}")))))
    }
}

/// Returns the member whose head begins there; None where none does, or where it is not whole.
fn head_at(reader: &mut (impl Read + Seek), at: u64, size: u64) -> io::Result<Option<ZipMember>> {
    reader.seek(SeekFrom::Start(at))?;
    let mut head = [0; HEAD_BYTES];
    reader.read_exact(&mut head)?;
    if head[..4] != HEAD {
        return Ok(None);
    }
    let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (flags, method, mut len) = (short(6), short(8), u64::from(long(18)));
    let mut name = vec![0; usize::from(short(26))];
    reader.read_exact(&mut name)?;
    let mut extra = vec![0; usize::from(short(28))];
    reader.read_exact(&mut extra)?;
    let start = at + (HEAD_BYTES + name.len() + extra.len()) as u64;
    if len == u64::from(u32::MAX) {
        len = zip64_size(&extra).unwrap_or(u64::MAX);
    }
    if flags & SIZES_BEHIND != 0 && len == 0 {
        match length_by_descriptor(reader, start, size)? {
            Some(found) => len = found,
            None => return Ok(None),
        }
    }
    let is_whole = start.checked_add(len).is_some_and(|end| end <= size);
    let name = String::from_utf8_lossy(&name).into_owned();
    Ok(is_whole.then_some(ZipMember { name, method, start, len }))
}

/// Returns the compressed size in the extra field of a member larger than 4 GB.
fn zip64_size(mut extra: &[u8]) -> Option<u64> {
    while let [a, b, c, d, rest @ ..] = extra {
        let (id, len) = (u16::from_le_bytes([*a, *b]), usize::from(u16::from_le_bytes([*c, *d])));
        if id == 1 {
            let sizes = rest.get(8..16)?;
            return Some(u64::from_le_bytes(sizes.try_into().ok()?));
        }
        extra = rest.get(len..)?;
    }
    None
}

/// Returns the size of a content that is followed by its sizes: up to the first descriptor that has the right one.
fn length_by_descriptor(
    reader: &mut (impl Read + Seek),
    start: u64,
    size: u64,
) -> io::Result<Option<u64>> {
    /// The most bytes of a content that are searched.
    const MOST: u64 = 1 << 30;
    reader.seek(SeekFrom::Start(start))?;
    let mut rest = vec![];
    reader.take(MOST.min(size.saturating_sub(start))).read_to_end(&mut rest)?;
    for at in memchr::memmem::find_iter(&rest, b"PK\x07\x08") {
        let Some(len) = rest.get(at + 8..at + 12) else { break };
        if u64::from(u32::from_le_bytes([len[0], len[1], len[2], len[3]])) == at as u64 {
            return Ok(Some(at as u64));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn test_archive(names: &[&str]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(vec![]));
        for name in names {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(format!("the words of {name}").as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn of_an_archive_that_is_cut_off_the_members_before_the_cut_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.zip");
        let whole = test_archive(&["a.txt", "b.txt", "c.txt"]);
        let cut = memchr::memmem::find(&whole, b"c.txt").unwrap() + 8;
        std::fs::write(&path, &whole[..cut]).unwrap();

        let zip = CutZip::open(&path).unwrap();

        let names: Vec<&str> = zip.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["a.txt", "b.txt"]);
        let (content, problem) = zip.read_member("b.txt", 1 << 20).unwrap();
        assert_eq!(String::from_utf8(content).unwrap(), "the words of b.txt");
        assert!(problem.unwrap().contains("truncated"));
    }

    #[test]
    fn wherever_an_archive_is_cut_it_is_opened_without_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let whole = test_archive(&["a.txt", "b.txt"]);
        for len in 0..whole.len() {
            let path = folder.path().join("cut.zip");
            std::fs::write(&path, &whole[..len]).unwrap();
            for member in CutZip::open(&path).map(|zip| zip.members).unwrap_or_default() {
                assert!(member.start + member.len <= len as u64);
            }
        }
    }
}
