//! Files of harnesses, the large ones of which are cached: a report of a whole run lies beside thousands of logs, and is read
//! and parsed once for all of them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use trajview_formats::harness::RecordFile;

use super::{
    disk::{self, PathMeta},
    file_bytes::{self, FileAccess, FileIdentity, ReadAllowance},
    path_bytes,
};

/// The size in bytes from which a file is cached: a smaller one is that of a single trial, and costs little.
const CACHED_FROM: u64 = 16 << 10;

/// The most bytes of memory of all cached files together, as far as they can be estimated, and the most files. One file is
/// cached whatever its size.
const MOST_CACHED_BYTES: usize = 160 << 20;
const MOST_CACHED: usize = 64;

/// The time, the size and the identity of a file; it is read again once one of them changes.
type FileStamp = (SystemTime, u64, Option<FileIdentity>);

/// The path of a file, and the most bytes that are read of it.
type FilePart<'a> = (&'a Path, usize);

/// A file that was read, or is being read: another thread that needs the same one waits for it, and none waits for other
/// files.
struct CachedRecord {
    path: PathBuf,
    most: usize,
    stamp: FileStamp,
    /// None where the file could not be read.
    content: OnceLock<Option<RecordContent>>,
}

/// A file that was read, and the bytes of memory that it takes, which are estimated once: that reads all of it.
struct RecordContent {
    file: RecordFile,
    memory: usize,
}

impl CachedRecord {
    /// Returns the bytes of memory; 0 while the file is being read.
    fn memory(&self) -> usize {
        self.content.get().and_then(Option::as_ref).map_or(0, |it| it.memory)
    }
}

/// The files that were used last, the latest last.
struct RecordCache {
    records: Mutex<Vec<Arc<CachedRecord>>>,
    most_bytes: usize,
}

static RECORD_CACHE: RecordCache = RecordCache::new(MOST_CACHED_BYTES);

impl RecordCache {
    const fn new(most_bytes: usize) -> Self {
        Self { records: Mutex::new(vec![]), most_bytes }
    }

    /// Returns a file that has not changed since it was read, or else what `read` returns.
    fn get_or_read(
        &self,
        part: FilePart<'_>,
        stamp: FileStamp,
        read: impl FnOnce() -> Option<RecordFile>,
    ) -> Option<RecordFile> {
        let record = self.latest_record(part, stamp);
        let mut is_new = false;
        let content = record.content.get_or_init(|| {
            is_new = true;
            let file = read()?;
            Some(RecordContent { memory: file.memory_estimate(), file })
        });
        if is_new {
            self.limit_memory(&record);
        }
        content.as_ref().map(|it| it.file.clone())
    }

    /// Returns the place of a file in the cache, and makes it the latest.
    fn latest_record(&self, part: FilePart<'_>, stamp: FileStamp) -> Arc<CachedRecord> {
        let (path, most) = part;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let place = records.iter().position(|it| (it.path.as_path(), it.most) == part);
        let known = place.map(|at| records.remove(at));
        let record = known.filter(|it| it.stamp == stamp).unwrap_or_else(|| {
            Arc::new(CachedRecord { path: path.to_owned(), most, stamp, content: OnceLock::new() })
        });
        records.push(Arc::clone(&record));
        record
    }

    /// Drops a file that could not be read, and the files that were not used for the longest time where there are too many.
    fn limit_memory(&self, new: &Arc<CachedRecord>) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if new.content.get().is_some_and(Option::is_none) {
            records.retain(|it| !Arc::ptr_eq(it, new));
        }
        let bytes =
            |records: &[Arc<CachedRecord>]| -> usize { records.iter().map(|it| it.memory()).sum() };
        while records.len() > MOST_CACHED || records.len() > 1 && bytes(&records) > self.most_bytes
        {
            records.remove(0);
        }
    }
}

/// Returns a file by its name, no more than the first `most` bytes of it; None where it cannot be read.
pub(crate) fn read_record(path: &Path, name: &str, most: usize) -> Option<RecordFile> {
    let meta = disk::metadata(path).ok();
    let read = || Some(RecordFile::new(name, read_start_with(path, meta.as_ref(), most)?));
    let cached = meta.as_ref().filter(|meta| meta.len() >= CACHED_FROM && meta.is_settled());
    match cached.and_then(|meta| Some((meta.modified?, meta.len(), meta.identity))) {
        Some(stamp) => Some(RECORD_CACHE.get_or_read((path, most), stamp, read)?.with_name(name)),
        None => read(),
    }
}

/// Returns the beginning of a file; None where it cannot be read.
pub(crate) fn read_start(path: &Path, most: usize) -> Option<Vec<u8>> {
    read_start_with(path, disk::metadata(path).ok().as_ref(), most)
}

fn read_start_with(path: &Path, meta: Option<&PathMeta>, most: usize) -> Option<Vec<u8>> {
    // Most are small files of the disk.
    if meta.is_some_and(|meta| meta.is_file() && meta.len() < CACHED_FROM) {
        let mut bytes = disk::read_file(path).ok()?;
        if !file_bytes::is_packed(&bytes) {
            bytes.truncate(most);
            return Some(bytes);
        }
    }
    let (bytes, _) =
        path_bytes::read_path(path, FileAccess::OnDisk, &mut ReadAllowance::default()).ok()?;
    let (bytes, _) = bytes.read_all_within(&mut (most as u64));
    Some(bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use trajview_run::Outcome;

    use super::*;
    use crate::open;

    const STAMP: FileStamp = (SystemTime::UNIX_EPOCH, CACHED_FROM, None);

    fn part_of(name: &str) -> FilePart<'_> {
        (Path::new(name), 1 << 20)
    }

    fn set_modified(path: &Path, time: SystemTime) {
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// Returns the result of 10,000 bytes, all of them in one text.
    fn record_of(name: &str) -> Option<RecordFile> {
        Some(RecordFile::new(name, format!("\"{}\"", "x".repeat(9_998)).into_bytes()))
    }

    fn get_or_count(cache: &RecordCache, name: &str, reads: &mut Vec<String>) {
        let file = cache.get_or_read(part_of(name), STAMP, || {
            reads.push(name.to_owned());
            record_of(name)
        });
        assert_eq!(file.unwrap().name, name);
    }

    #[test]
    fn a_file_is_read_while_another_one_is() {
        let cache = &RecordCache::new(1 << 20);
        let other = || {
            let (sender, done) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    sender.send(cache.get_or_read(part_of("b"), STAMP, || record_of("b")))
                });
                let file = done.recv_timeout(Duration::from_secs(10)).unwrap();
                assert_eq!(file.unwrap().name, "b");
            });
            record_of("a")
        };

        let file = cache.get_or_read(part_of("a"), STAMP, other);

        assert_eq!(file.unwrap().name, "a");
    }

    #[test]
    fn files_stay_as_long_as_their_memory_is_within_the_limit() {
        let (cache, mut reads) = (RecordCache::new(50_000), vec![]);
        for name in ["a", "b", "a", "b", "a"] {
            get_or_count(&cache, name, &mut reads);
        }
        assert_eq!(reads, ["a", "b"]);

        get_or_count(&cache, "c", &mut reads);
        get_or_count(&cache, "a", &mut reads);
        get_or_count(&cache, "b", &mut reads);
        assert_eq!(reads, ["a", "b", "c", "b"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_tried_again() {
        let cache = RecordCache::new(1 << 20);

        assert!(cache.get_or_read(part_of("a"), STAMP, || None).is_none());
        assert!(cache.get_or_read(part_of("a"), STAMP, || record_of("a")).is_some());
    }

    #[test]
    fn more_bytes_of_a_file_are_read_anew_and_so_is_another_file_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a.json", "b.json"].map(|name| folder.path().join(name));
        for (path, byte) in [(&path, b'x'), (&other, b'y')] {
            fs::write(path, [byte; 2 * CACHED_FROM as usize]).unwrap();
            set_modified(path, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000));
        }
        let read = |most: usize| {
            let file = read_record(&path, "a.json", most).unwrap();
            (file.bytes().len(), file.bytes()[0])
        };
        assert_eq!([read(9_000), read(1 << 20)], [(9_000, b'x'), (32 << 10, b'x')]);

        fs::rename(&other, &path).unwrap();

        assert_eq!([read(9_000), read(1 << 20)], [(9_000, b'y'), (32 << 10, b'y')]);
    }

    fn log_of(id: &str) -> String {
        format!(
            "{{\"trajectory\": [{{\"action\": \"ls\", \"observation\": \"\", \"response\": \"r\", \"thought\": \"t\", \
             \"execution_time\": 0.1, \"state\": {{}}}}], \"info\": {{\"exit_status\": \"submitted\", \"submission\": \"{id}\"}}, \
             \"history\": [], \"environment\": \"swe_main\"}}"
        )
    }

    /// Where the second log is opened, the report on the disk says something else, and has the same size and time: what
    /// the first one read counts.
    #[test]
    fn a_report_beside_many_logs_is_read_once_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let ids = ["made__calc-1", "made__calc-2", "made__calc-3"];
        let logs = ids.map(|id| folder.path().join(format!("{id}/{id}.traj")));
        for (id, log) in ids.iter().zip(&logs) {
            fs::create_dir_all(log.parent().unwrap()).unwrap();
            fs::write(log, log_of(id)).unwrap();
        }
        let report = folder.path().join("results.json");
        let write = |resolved: &str, failed: &str| {
            let rest: Vec<String> = (0..2_000).map(|at| format!("\"other__x-{at}\"")).collect();
            let text = format!(
                "{{\"resolved_ids\": [{resolved}], \"unresolved_ids\": [{failed}], \"submitted_ids\": [{}]}}",
                rest.join(", ")
            );
            fs::write(&report, text).unwrap();
        };
        let quoted = ids.map(|id| format!("\"{id}\"")).join(", ");
        let outcome = |at: usize| open(&logs[at]).unwrap().run.trial.as_ref().unwrap().outcome;
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        write(&quoted, "");
        set_modified(&report, long_ago);
        assert_eq!(outcome(0), Some(Outcome::Passed));

        write("", &quoted);
        set_modified(&report, long_ago);
        assert_eq!(outcome(1), Some(Outcome::Passed));

        set_modified(&report, long_ago + Duration::from_secs(2));
        assert_eq!(outcome(2), Some(Outcome::Failed));

        // The next change may have the same time as one that is not in the past.
        let coming = SystemTime::now() + Duration::from_secs(3_600);
        for (resolved, failed, expected) in
            [(&*quoted, "", Outcome::Passed), ("", &*quoted, Outcome::Failed)]
        {
            write(resolved, failed);
            set_modified(&report, coming);
            assert_eq!(outcome(0), Some(expected));
        }
    }
}
