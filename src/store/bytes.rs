//! The bytes of a recording's files, uncompressed.

use std::{borrow::Cow, fs, io, io::Read, ops::Deref, path::Path, sync::Arc};

use crate::{formats::HEAD_BYTES, run::Place};

/// A file's content. Big files are mapped, not copied: cost grows with what is read, not with what is stored.
#[derive(Debug)]
pub enum Bytes {
    /// With the file itself, to see whether it is still as long.
    Mapped(memmap2::Mmap, fs::File),
    Held(Vec<u8>),
    /// Left on the disk, but for its head: a file that is still being written.
    OnDisk(OnDisk),
}

#[derive(Debug, Clone)]
pub struct OnDisk {
    pub file: Arc<fs::File>,
    /// The first [`HEAD_BYTES`].
    pub head: Arc<[u8]>,
    pub len: u64,
}

/// How the bytes of a big file are come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Mapped,
    /// For files that may be cut short under our hands.
    OnDisk,
}

impl Bytes {
    /// Of the whole file.
    pub fn size(&self) -> u64 {
        match self {
            Self::Mapped(map, _) => map.len() as u64,
            Self::Held(bytes) => bytes.len() as u64,
            Self::OnDisk(disk) => disk.len,
        }
    }

    /// One record; empty where the file has since become shorter.
    ///
    /// What remains: a mapped file that is cut short between this look at its length and the reading of the record
    /// ends the process. A file that is followed is never mapped.
    pub fn record(&self, place: Place) -> Cow<'_, [u8]> {
        let end = place.start.saturating_add(place.len);
        match self {
            Self::Held(bytes) => Cow::Borrowed(place.of(bytes)),
            Self::Mapped(map, file) => {
                let is_there = file.metadata().is_ok_and(|now| now.len() >= end);
                Cow::Borrowed(if is_there { place.of(map) } else { &[] })
            }
            Self::OnDisk(disk) => {
                // A length that no file has is not a reason to ask for so much memory.
                if end > disk.len {
                    return Cow::Borrowed(&[]);
                }
                let mut record = vec![0; place.len as usize];
                let read = read_at(&disk.file, &mut record, place.start);
                Cow::Owned(read.map_or_else(|_| vec![], |()| record))
            }
        }
    }
}

/// Fills all of `into` with what stands in the file from `start` on.
#[cfg(unix)]
pub fn read_at(file: &fs::File, into: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, start)
}

#[cfg(windows)]
pub fn read_at(file: &fs::File, mut into: &mut [u8], mut start: u64) -> io::Result<()> {
    while !into.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, into, start)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (into, start) = (&mut into[read..], start + read as u64);
    }
    Ok(())
}

/// The whole content; of a file left on the disk, its head.
impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map, _) => map,
            Self::Held(bytes) => bytes,
            Self::OnDisk(disk) => &disk.head,
        }
    }
}

/// Below this a copy is cheaper than a map.
const MAP_FROM: u64 = 1 << 20;

/// The most a compressed recording may unpack to.
const UNPACKED_LIMIT: u64 = 1 << 30;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A file's content, unpacked where it is zstd, with a sentence where it could not be unpacked to its end.
/// Errors where there is no regular file, or where it may not be read; a pipe is never waited for.
pub fn read(path: &Path, access: Access) -> io::Result<(Bytes, Option<String>)> {
    let file = open_regular(path)?;
    let len = file.metadata()?.len();
    if access == Access::OnDisk {
        let mut head = vec![];
        (&file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        if !head.starts_with(&ZSTD_MAGIC) {
            let len = len.max(head.len() as u64);
            let disk = OnDisk { file: Arc::new(file), head: head.into(), len };
            return Ok((Bytes::OnDisk(disk), None));
        }
        let (unpacked, problem) = unpack(&fs::read(path)?, UNPACKED_LIMIT);
        return Ok((unpacked, problem));
    }
    let bytes = if len < MAP_FROM {
        let mut bytes = Vec::with_capacity(len as usize);
        (&file).take(MAP_FROM).read_to_end(&mut bytes)?;
        Bytes::Held(bytes)
    } else {
        // SAFETY: the map is read-only and private. Logs are appended to or replaced by rename; a writer that cuts
        // the file short while we index it would end the process, which is the price every pager of this kind pays;
        // a file that is followed is read with `OnDisk`.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Bytes::Mapped(map, file)
    };
    if bytes.starts_with(&ZSTD_MAGIC) {
        Ok(unpack(&bytes, UNPACKED_LIMIT))
    } else {
        Ok((bytes, None))
    }
}

/// The first [`HEAD_BYTES`] of a file, unpacked, and whether that is all of it.
pub fn read_head(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let file = open_regular(path)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    (&file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    if !head.starts_with(&ZSTD_MAGIC) {
        let is_whole = file.metadata()?.len() <= head.len() as u64;
        return Ok((head, is_whole));
    }
    let whole = fs::File::open(path)?;
    let mut unpacked = Vec::with_capacity(HEAD_BYTES);
    // A damaged file still has a beginning.
    let outcome =
        zstd::stream::read::Decoder::new(whole)?.take(HEAD_BYTES as u64).read_to_end(&mut unpacked);
    Ok((unpacked, matches!(outcome, Ok(read) if read < HEAD_BYTES)))
}

fn open_regular(path: &Path) -> io::Result<fs::File> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    fs::File::open(path)
}

fn unpack(packed: &[u8], limit: u64) -> (Bytes, Option<String>) {
    let mut bytes = vec![];
    let outcome = zstd::stream::read::Decoder::new(packed)
        .and_then(|decoder| decoder.take(limit).read_to_end(&mut bytes));
    let problem = match outcome {
        Err(why) => {
            Some(format!("the compressed file is damaged after {} bytes ({why})", bytes.len()))
        }
        Ok(_) if bytes.len() as u64 >= limit => {
            Some(format!("unpacks to more than {} MiB; the rest is left out", limit >> 20))
        }
        Ok(_) => None,
    };
    (Bytes::Held(bytes), problem)
}

/// Why a file cannot be read, without the operating system's numbers.
pub fn reason(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => {
            let words = why.to_string();
            words.split(" (os error").next().unwrap_or(&words).to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_file_reads_as_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.zst");
        fs::write(&path, zstd::encode_all(&b"{}\n{}\n"[..], 3).unwrap()).unwrap();

        assert_eq!(&*read(&path, Access::Mapped).unwrap().0, b"{}\n{}\n");
        assert_eq!(read_head(&path).unwrap(), (b"{}\n{}\n".to_vec(), true));
    }

    #[test]
    fn a_damaged_packed_file_keeps_what_could_be_read() {
        let packed = zstd::encode_all(&b"{\"a\": 1}\n".repeat(100_000)[..], 3).unwrap();
        let (bytes, problem) = unpack(&packed[..packed.len() - 5], UNPACKED_LIMIT);

        assert!(bytes.starts_with(b"{\"a\": 1}\n"));
        assert!(problem.unwrap().starts_with("the compressed file is damaged after "));
    }

    #[test]
    fn a_bomb_goes_off_within_the_limit() {
        let packed = zstd::encode_all(&vec![b'x'; 1 << 20][..], 3).unwrap();
        let (bytes, problem) = unpack(&packed, 1 << 10);

        assert_eq!(bytes.len(), 1 << 10);
        assert_eq!(problem.unwrap(), "unpacks to more than 0 MiB; the rest is left out");
    }

    #[test]
    fn a_record_of_a_file_that_was_cut_short_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let place = |start| Place { start, len: 3, ..Place::default() };
        for access in [Access::Mapped, Access::OnDisk] {
            fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
            let (bytes, _) = read(&path, access).unwrap();
            assert_eq!(&*bytes.record(place(2 << 20)), b"xxx");

            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();

            assert_eq!(&*bytes.record(place(2 << 20)), b"");
            assert_eq!(&*bytes.record(place(9)), b"xxx");
            assert_eq!(&*bytes.record(place(u64::MAX)), b"");
        }
    }

    #[test]
    fn a_folder_is_not_a_file() {
        let why = read(Path::new(env!("CARGO_MANIFEST_DIR")), Access::Mapped).unwrap_err();
        assert_eq!(reason(&why), "it is a folder");
    }
}
