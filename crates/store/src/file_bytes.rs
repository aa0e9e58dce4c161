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

use trajview_formats::{HEAD_BYTES, jsonl::RandomAccessLog};
use trajview_run::RecordPlace;

use super::{disk, remote::is_address};

pub use super::failure_reason::error_reason;

/// The content of a file. Big files stay on the disk and only the parts that are needed are read, so that cost grows
/// with what is read, not with what is stored. They are not mapped: cutting a mapped file short ends the process that
/// reads it.
#[derive(Debug)]
pub enum FileBytes {
    InMemory(Vec<u8>),
    /// A file that is left on the disk, but for its head.
    OnDisk(FileOnDisk),
}

#[derive(Debug, Clone)]
pub struct FileOnDisk {
    pub file: Arc<fs::File>,
    /// The first [`HEAD_BYTES`].
    pub head: Arc<[u8]>,
    pub len: u64,
}

impl FileOnDisk {
    /// Reads one record into `room`; empty where the file has since become shorter.
    pub fn read_record<'r>(&self, place: RecordPlace, room: &'r mut Vec<u8>) -> &'r [u8] {
        // A length that no file has is not a reason to ask for so much memory.
        if place.start.saturating_add(place.len) > self.len {
            return &[];
        }
        let len = place.len as usize;
        if room.len() < len {
            room.resize(len, 0);
        }
        let record = &mut room[..len];
        match read_at(&self.file, record, place.start) {
            Ok(()) => record,
            Err(_) => &[],
        }
    }
}

/// The identity of a file, which differs for another file that was put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity(u64, u64);

impl FileIdentity {
    pub(crate) fn of_file(file: &fs::File) -> io::Result<Self> {
        Ok(Self::from_metadata(&file.metadata()?))
    }

    #[cfg(unix)]
    pub(crate) fn from_metadata(meta: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(meta.dev(), meta.ino())
    }

    #[cfg(not(unix))]
    pub(crate) fn from_metadata(meta: &fs::Metadata) -> Self {
        let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
        let created = meta.created().ok().and_then(since);
        Self(0, created.map_or(0, |since| since.as_nanos() as u64))
    }
}

/// The files that are left on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// Files are read into memory, but for big ones.
    InMemory,
    /// All files are left on the disk, for a recording that is still being written.
    OnDisk,
}

/// A log on the disk while it is indexed.
pub struct LogOnDisk<'a> {
    disk: &'a FileOnDisk,
    is_short: AtomicBool,
}

impl<'a> LogOnDisk<'a> {
    pub const fn new(disk: &'a FileOnDisk) -> Self {
        Self { disk, is_short: AtomicBool::new(false) }
    }

    /// Returns a sentence, where the file was not as long as it was when it was found.
    pub fn problem(&self) -> Option<String> {
        let what = "became shorter while it was read; the missing part is omitted";
        self.is_short.load(Ordering::Relaxed).then(|| what.to_owned())
    }
}

impl RandomAccessLog for LogOnDisk<'_> {
    fn size(&self) -> u64 {
        self.disk.len
    }

    fn read_at(&self, start: u64, into: &mut [u8]) -> usize {
        let there = self.disk.len.saturating_sub(start).min(into.len() as u64) as usize;
        let read = read_some(&self.disk.file, &mut into[..there], start);
        if read < there {
            self.is_short.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl FileBytes {
    /// Returns the size of the whole file in bytes.
    pub fn file_size(&self) -> u64 {
        match self {
            Self::InMemory(bytes) => bytes.len() as u64,
            Self::OnDisk(disk) => disk.len,
        }
    }

    /// Returns the whole content, with a sentence where it is not complete or too large to be held in memory.
    pub fn read_all(&self) -> (Cow<'_, [u8]>, Option<String>) {
        self.read_all_within(&mut { IN_MEMORY_LIMIT })
    }

    /// Works as [`FileBytes::read_all`], where no more than so many bytes may be read; subtracts the read bytes from
    /// `left`.
    pub(crate) fn read_all_within(&self, left: &mut u64) -> (Cow<'_, [u8]>, Option<String>) {
        match self {
            Self::InMemory(bytes) => (Cow::Borrowed(bytes), None),
            Self::OnDisk(disk) => {
                let log = LogOnDisk::new(disk);
                let mut bytes = vec![0; disk.len.min(*left) as usize];
                let read = log.read_at(0, &mut bytes);
                bytes.truncate(read);
                let too_much = (disk.len > *left).then(|| match *left {
                    IN_MEMORY_LIMIT => {
                        format!("is bigger than {} MiB; the rest is left out", IN_MEMORY_LIMIT >> 20)
                    }
                    left => format!(
                        "the recording has more than {} MiB in files that are read completely; everything after byte {left} is omitted",
                        IN_MEMORY_LIMIT >> 20
                    ),
                });
                *left -= bytes.len() as u64;
                (Cow::Owned(bytes), log.problem().or(too_much))
            }
        }
    }

    /// Returns one record; empty where the file has since become shorter.
    pub(crate) fn record_bytes(&self, place: RecordPlace) -> Cow<'_, [u8]> {
        match self {
            Self::InMemory(bytes) => Cow::Borrowed(place.bytes_in(bytes)),
            Self::OnDisk(disk) => {
                let mut record = vec![];
                let len = disk.read_record(place, &mut record).len();
                record.truncate(len);
                Cow::Owned(record)
            }
        }
    }

    /// Returns one record. A record on the disk is read into `room`, which can be used for many records one after the
    /// other.
    pub(crate) fn record_bytes_in<'r>(
        &'r self,
        place: RecordPlace,
        room: &'r mut Vec<u8>,
    ) -> &'r [u8] {
        match self {
            Self::InMemory(bytes) => place.bytes_in(bytes),
            Self::OnDisk(disk) => disk.read_record(place, room),
        }
    }
}

/// Fills all of `into` with the bytes of the file from `start` on.
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

/// Fills as much of `into` as the file has bytes from `start` on; returns how many that are.
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
impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::InMemory(bytes) => bytes,
            Self::OnDisk(disk) => &disk.head,
        }
    }
}

/// The size in bytes from which a file is left on the disk.
const ON_DISK_FROM: u64 = 1 << 20;

/// The most a compressed recording may unpack to; sessions of days have 20 MiB.
const UNPACKED_LIMIT: u64 = 128 << 20;

/// The most bytes of small files of one recording in memory; further ones are left on the disk as well.
const SMALL_LIMIT: u64 = 64 << 20;

/// The bytes of the files of one recording that may still be held in memory.
#[derive(Debug, Clone, Copy)]
pub struct ReadAllowance {
    unpacked: u64,
    small: u64,
}

impl ReadAllowance {
    /// Returns the bytes that `read` gives, within what may still be unpacked.
    pub(crate) fn take_unpacked(
        &mut self,
        read: impl FnOnce(u64) -> io::Result<(Vec<u8>, Option<String>)>,
    ) -> io::Result<(Vec<u8>, Option<String>)> {
        let (bytes, problem) = read(self.unpacked)?;
        self.unpacked = self.unpacked.saturating_sub(bytes.len() as u64);
        Ok((bytes, problem))
    }
}

impl Default for ReadAllowance {
    fn default() -> Self {
        Self { unpacked: UNPACKED_LIMIT, small: SMALL_LIMIT }
    }
}

/// The most that is held of the files that cannot be read line by line.
pub(crate) const IN_MEMORY_LIMIT: u64 = 128 << 20;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// Returns a file's content, unpacked where it is zstd, with a sentence where it could not be unpacked to its end.
/// Errors where there is no regular file, or where it may not be read; a pipe is never waited for.
pub fn read_file(
    path: &Path,
    access: FileAccess,
    allowance: &mut ReadAllowance,
) -> io::Result<(FileBytes, Option<String>)> {
    let file = open_regular(path)?;
    let len = file.metadata()?.len();
    let is_small = access == FileAccess::InMemory && len < ON_DISK_FROM.min(allowance.small);
    let most = if is_small { ON_DISK_FROM } else { HEAD_BYTES as u64 };
    let mut head = Vec::with_capacity(len.min(most) as usize);
    (&file).take(most).read_to_end(&mut head)?;
    if is_packed(&head) {
        // Piece by piece: the packed file may be larger than what may be unpacked of it.
        let (bytes, problem) =
            unpack_within(unpacking_reader(open_regular(path)?, &head), allowance.unpacked);
        allowance.unpacked -= bytes.file_size();
        return Ok((bytes, problem));
    }
    if is_small {
        allowance.small = allowance.small.saturating_sub(len);
        return Ok((FileBytes::InMemory(head), None));
    }
    let len = len.max(head.len() as u64);
    Ok((FileBytes::OnDisk(FileOnDisk { file: Arc::new(file), head: head.into(), len }), None))
}

/// Reads everything up to `most` bytes, with a sentence where that is not all or damaged.
pub(crate) fn read_within(from: impl Read, most: u64) -> (Vec<u8>, Option<String>) {
    let mut bytes = vec![];
    let outcome = from.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let too_much = bytes.len() as u64 > most;
    bytes.truncate(most as usize);
    let problem = match outcome {
        Err(why) => Some(format!("is damaged after {} bytes ({why})", bytes.len())),
        Ok(_) if too_much => limit_length(u64::MAX, most).1,
        Ok(_) => None,
    };
    (bytes, problem)
}

/// Limits a length to `most` bytes; with a sentence where that is not all.
pub(crate) fn limit_length(len: u64, most: u64) -> (u64, Option<String>) {
    let what = || format!("unpacks to more than {} MiB; the rest is left out", most >> 20);
    (len.min(most), (len > most).then(what))
}

/// Returns whether what starts like this is compressed as a whole.
pub fn is_packed(start: &[u8]) -> bool {
    start.starts_with(&ZSTD_MAGIC) || start.starts_with(&GZIP_MAGIC)
}

/// Returns the first [`HEAD_BYTES`] of a file on the disk, not unpacked, and whether that is all of it.
pub fn read_start(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    require_regular(path)?;
    let (head, len) = disk::read_start(path)?;
    let is_whole = len <= head.len() as u64;
    Ok((head, is_whole))
}

/// Returns a reader of the unpacked content of a compressed file.
fn unpacking_reader(file: impl Read + 'static, start: &[u8]) -> io::Result<Box<dyn Read>> {
    Ok(if start.starts_with(&GZIP_MAGIC) {
        Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(file)))
    } else {
        Box::new(zstd::stream::read::Decoder::new(file)?)
    })
}

/// Returns the first [`HEAD_BYTES`] of a file, unpacked, and whether that is all of it.
pub fn read_head(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let (head, is_whole) = read_start(path)?;
    if !is_packed(&head) {
        return Ok((head, is_whole));
    }
    let mut unpacked = Vec::with_capacity(HEAD_BYTES);
    // A damaged file still has a beginning. What is packed in the first bytes is more than enough of it.
    let packed: Box<dyn Read> = match is_address(path) {
        true => Box::new(io::Cursor::new(head.clone())),
        false => Box::new(open_regular(path)?),
    };
    let outcome =
        unpacking_reader(packed, &head)?.take(HEAD_BYTES as u64).read_to_end(&mut unpacked);
    Ok((unpacked, matches!(outcome, Ok(read) if read < HEAD_BYTES)))
}

fn open_regular(path: &Path) -> io::Result<fs::File> {
    require_regular(path)?;
    disk::open_file(path)
}

fn require_regular(path: &Path) -> io::Result<()> {
    let meta = disk::metadata(path)?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(())
}

fn unpack_within(
    packed: io::Result<Box<dyn Read + '_>>,
    limit: u64,
) -> (FileBytes, Option<String>) {
    let mut bytes = vec![];
    let outcome = packed.and_then(|it| it.take(limit).read_to_end(&mut bytes));
    let problem = match outcome {
        Err(why) => {
            Some(format!("the compressed file is damaged after {} bytes ({why})", bytes.len()))
        }
        Ok(_) if bytes.len() as u64 >= limit => {
            Some(format!("unpacks to more than {} MiB; the rest is left out", limit >> 20))
        }
        Ok(_) => None,
    };
    (FileBytes::InMemory(bytes), problem)
}

/// Returns the total size of some files in bytes.
pub(crate) fn total_size<'a>(files: impl IntoIterator<Item = &'a FileBytes>) -> u64 {
    files.into_iter().map(FileBytes::file_size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_file_reads_as_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.zst");
        fs::write(&path, zstd::encode_all(&b"{}\n{}\n"[..], 3).unwrap()).unwrap();

        assert_eq!(
            &*read_file(&path, FileAccess::InMemory, &mut ReadAllowance::default()).unwrap().0,
            b"{}\n{}\n"
        );
        assert_eq!(read_head(&path).unwrap(), (b"{}\n{}\n".to_vec(), true));
    }

    fn zstd_of(packed: &[u8]) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(zstd::stream::read::Decoder::new(packed)?))
    }

    #[test]
    fn a_damaged_packed_file_keeps_what_could_be_read() {
        let packed = zstd::encode_all(&b"{\"a\": 1}\n".repeat(100_000)[..], 3).unwrap();
        let (bytes, problem) = unpack_within(zstd_of(&packed[..packed.len() - 5]), UNPACKED_LIMIT);

        assert!(bytes.starts_with(b"{\"a\": 1}\n"));
        assert!(problem.unwrap().starts_with("the compressed file is damaged after "));
    }

    #[test]
    fn a_bomb_goes_off_within_the_limit() {
        let packed = zstd::encode_all(&vec![b'x'; 1 << 20][..], 3).unwrap();
        let (bytes, problem) = unpack_within(zstd_of(&packed), 1 << 10);

        assert_eq!(bytes.len(), 1 << 10);
        assert_eq!(problem.unwrap(), "unpacks to more than 0 MiB; the rest is left out");
    }

    #[test]
    fn files_of_one_recording_share_what_may_be_unpacked_and_held_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (packed, small) = (folder.path().join("a.jsonl.zst"), folder.path().join("b.jsonl"));
        fs::write(&packed, zstd::encode_all(&[b'x'; 800][..], 3).unwrap()).unwrap();
        fs::write(&small, [b'y'; 800]).unwrap();
        let mut allowance = ReadAllowance { unpacked: 1000, small: 1000 };
        let mut sizes = |path: &Path| {
            let (bytes, problem) = read_file(path, FileAccess::InMemory, &mut allowance).unwrap();
            (matches!(bytes, FileBytes::InMemory(_)), bytes.file_size(), problem.is_some())
        };

        assert_eq!([sizes(&packed), sizes(&packed)], [(true, 800, false), (true, 200, true)]);
        assert_eq!([sizes(&small), sizes(&small)], [(true, 800, false), (false, 800, false)]);
    }

    #[test]
    fn files_that_are_read_whole_share_a_limit_and_say_what_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
        let (bytes, _) =
            read_file(&path, FileAccess::InMemory, &mut ReadAllowance::default()).unwrap();
        let mut left = 4 << 20;

        let first = bytes.read_all_within(&mut left);
        let (second, problem) = bytes.read_all_within(&mut left);

        assert_eq!((first.0.len(), first.1), (3 << 20, None));
        assert_eq!((second.len(), left), (1 << 20, 0));
        assert!(problem.unwrap().ends_with("everything after byte 1048576 is omitted"));
    }

    #[test]
    fn a_record_of_a_file_that_was_cut_short_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let place = |start| RecordPlace { start, len: 3, ..RecordPlace::default() };
        for access in [FileAccess::InMemory, FileAccess::OnDisk] {
            fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
            let (bytes, _) = read_file(&path, access, &mut ReadAllowance::default()).unwrap();
            assert_eq!(&*bytes.record_bytes(place(2 << 20)), b"xxx");

            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();

            assert_eq!(&*bytes.record_bytes(place(2 << 20)), b"");
            assert_eq!(&*bytes.record_bytes(place(9)), b"xxx");
            assert_eq!(&*bytes.record_bytes(place(u64::MAX)), b"");
        }
    }

    #[test]
    fn a_folder_is_not_a_file() {
        let folder = Path::new(trajview_testing::project());
        let why =
            read_file(folder, FileAccess::InMemory, &mut ReadAllowance::default()).unwrap_err();
        assert_eq!(error_reason(&why), "it is a folder");
    }
}
