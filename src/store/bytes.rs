//! The bytes of a recording's files, uncompressed.

use std::{
    borrow::Cow,
    fs, io,
    io::Read,
    ops::Deref,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    formats::{HEAD_BYTES, jsonl::Log},
    run::Place,
};

/// A file's content. Big files stay on the disk and are read where they are wanted: cost grows with what is read, not
/// with what is stored. They are not mapped: a mapped file that somebody cuts short ends the process that looks at it.
#[derive(Debug)]
pub enum Bytes {
    Held(Vec<u8>),
    /// Left on the disk, but for its head.
    OnDisk(OnDisk),
}

#[derive(Debug, Clone)]
pub struct OnDisk {
    pub file: Arc<fs::File>,
    /// The first [`HEAD_BYTES`].
    pub head: Arc<[u8]>,
    pub len: u64,
}

/// Which files are left on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Big ones.
    Held,
    /// All, for a recording that is still being written.
    OnDisk,
}

/// A log on the disk while it is indexed.
pub struct LogOnDisk<'a> {
    disk: &'a OnDisk,
    is_short: AtomicBool,
}

impl<'a> LogOnDisk<'a> {
    pub const fn of(disk: &'a OnDisk) -> Self {
        Self { disk, is_short: AtomicBool::new(false) }
    }

    /// A sentence, where the file was not as long as it was when it was found.
    pub fn problem(&self) -> Option<String> {
        let what = "became shorter while it was read; what is missing is left out";
        self.is_short.load(Ordering::Relaxed).then(|| what.to_owned())
    }
}

impl Log for LogOnDisk<'_> {
    fn size(&self) -> u64 {
        self.disk.len
    }

    fn read(&self, start: u64, into: &mut [u8]) -> usize {
        let there = self.disk.len.saturating_sub(start).min(into.len() as u64) as usize;
        let read = read_some(&self.disk.file, &mut into[..there], start);
        if read < there {
            self.is_short.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl Bytes {
    /// Of the whole file.
    pub fn size(&self) -> u64 {
        match self {
            Self::Held(bytes) => bytes.len() as u64,
            Self::OnDisk(disk) => disk.len,
        }
    }

    /// All of it, and a sentence where it is not all there or too much to be held.
    pub fn whole(&self) -> (Cow<'_, [u8]>, Option<String>) {
        match self {
            Self::Held(bytes) => (Cow::Borrowed(bytes), None),
            Self::OnDisk(disk) => {
                let log = LogOnDisk::of(disk);
                let mut bytes = vec![0; disk.len.min(HELD_LIMIT) as usize];
                let read = log.read(0, &mut bytes);
                bytes.truncate(read);
                let is_too_much = disk.len > HELD_LIMIT;
                let too_much =
                    || format!("is bigger than {} MiB; the rest is left out", HELD_LIMIT >> 20);
                (Cow::Owned(bytes), log.problem().or_else(|| is_too_much.then(too_much)))
            }
        }
    }

    /// One record; empty where the file has since become shorter.
    pub fn record(&self, place: Place) -> Cow<'_, [u8]> {
        let end = place.start.saturating_add(place.len);
        match self {
            Self::Held(bytes) => Cow::Borrowed(place.of(bytes)),
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

/// Fills as much of `into` as stands in the file from `start` on; tells how much that is.
fn read_some(file: &fs::File, into: &mut [u8], start: u64) -> usize {
    let mut done = 0;
    while done < into.len() {
        #[cfg(unix)]
        let read =
            std::os::unix::fs::FileExt::read_at(file, &mut into[done..], start + done as u64);
        #[cfg(windows)]
        let read =
            std::os::windows::fs::FileExt::seek_read(file, &mut into[done..], start + done as u64);
        match read {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    done
}

/// The whole content; of a file left on the disk, its head.
impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Held(bytes) => bytes,
            Self::OnDisk(disk) => &disk.head,
        }
    }
}

/// Smaller files are held.
const LEFT_FROM: u64 = 1 << 20;

/// The most a compressed recording may unpack to; sessions of days have 20 MiB.
const UNPACKED_LIMIT: u64 = 128 << 20;

/// The most that is held of a file that cannot be read line by line.
const HELD_LIMIT: u64 = 128 << 20;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A file's content, unpacked where it is zstd, with a sentence where it could not be unpacked to its end.
/// Errors where there is no regular file, or where it may not be read; a pipe is never waited for.
pub fn read(path: &Path, access: Access) -> io::Result<(Bytes, Option<String>)> {
    let file = open_regular(path)?;
    let len = file.metadata()?.len();
    if access == Access::OnDisk || len >= LEFT_FROM {
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
    let mut bytes = Vec::with_capacity(len as usize);
    (&file).take(LEFT_FROM).read_to_end(&mut bytes)?;
    if bytes.starts_with(&ZSTD_MAGIC) {
        Ok(unpack(&bytes, UNPACKED_LIMIT))
    } else {
        Ok((Bytes::Held(bytes), None))
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

        assert_eq!(&*read(&path, Access::Held).unwrap().0, b"{}\n{}\n");
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
        for access in [Access::Held, Access::OnDisk] {
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
        let why = read(Path::new(env!("CARGO_MANIFEST_DIR")), Access::Held).unwrap_err();
        assert_eq!(reason(&why), "it is a folder");
    }
}
