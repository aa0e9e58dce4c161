//! A cache of computed values by key, in one SQLite file of the platform's cache folder.
//!
//! Several programs may read and write it at once, and one that is killed leaves it intact: every batch is one
//! transaction. It records nothing: deleting it costs time and nothing else, and a file that cannot be used is replaced
//! or not used.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

/// A cache of values by key in a file, shared between threads.
#[derive(Debug)]
pub struct DiskCache {
    connection: Mutex<Connection>,
    waiting: Mutex<WaitingValues>,
    writes: std::sync::atomic::AtomicUsize,
}

/// The most values that wait to be written, and the longest time that they wait while others follow.
const MOST_WAITING: usize = 4_096;
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The longest time to wait while another program writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of the file; a larger one loses its older half.
const MOST_BYTES: u64 = 512 << 20;

/// The values that wait to be written together: each transaction costs several syncs of the disk.
#[derive(Debug)]
struct WaitingValues {
    values: HashMap<Vec<u8>, Vec<u8>>,
    /// The time when values were written last.
    since: Instant,
}

/// The version of the table's layout; a file of another layout is emptied.
const LAYOUT_VERSION: i64 = 1;

/// Returns what tells this build of the program from another one: the version, and the size and time of the program's file. It
/// is part of the keys of what is kept of whole recordings, since most of the program's code has an effect on that.
pub fn build_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        let file = std::env::current_exe().and_then(fs::metadata).ok();
        let size = file.as_ref().map(fs::Metadata::len);
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let written = file.and_then(|it| since(it.modified().ok()?)).map(|it| it.as_nanos());
        format!("{} {size:?} {written:?}", env!("CARGO_PKG_VERSION"))
    })
}

impl DiskCache {
    /// Returns the file that is used unless another is named: below `$XDG_CACHE_HOME` or `~/.cache`, on Windows below
    /// the local application data. None where there is no home folder.
    pub fn default_path() -> Option<PathBuf> {
        Some(super::user_folders::cache_folder()?.join("trajview").join("measures.sqlite"))
    }

    /// Opens the file, or makes it. One that is no such file, or is damaged, is replaced. The error is a sentence.
    pub fn open(path: &Path) -> Result<Self, String> {
        let unusable = |why: String| format!("the cache {} cannot be used: {why}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|why| unusable(super::failure_reason::error_reason(&why)))?;
        }
        match Self::open_database(path) {
            Err(why) if is_damage(&why) => {
                fs::remove_file(path)
                    .map_err(|why| unusable(super::failure_reason::error_reason(&why)))?;
                Self::open_database(path).map_err(|why| unusable(why.to_string()))
            }
            opened => opened.map_err(|why| unusable(why.to_string())),
        }
    }

    /// Returns a cache of this process alone.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Result<Self, String> {
        let connection = Connection::open_in_memory().map_err(|why| why.to_string())?;
        create_tables(&connection).map_err(|why| why.to_string())?;
        Ok(Self::with_connection(connection))
    }

    fn with_connection(connection: Connection) -> Self {
        Self {
            connection: Mutex::new(connection),
            waiting: Mutex::new(WaitingValues { values: HashMap::new(), since: Instant::now() }),
            writes: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    /// Returns the number of transactions that wrote values so far.
    pub fn write_count(&self) -> usize {
        self.writes.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn open_database(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // No write-ahead log: home folders of clusters are shared, and there it is not safe.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        create_tables(&connection)?;
        let cache = Self::with_connection(connection);
        if fs::metadata(path).is_ok_and(|meta| meta.len() > MOST_BYTES) {
            cache.delete_older_half()?;
        }
        Ok(cache)
    }

    /// Returns the values of those keys that have one, by the position of the key. What cannot be read is not there.
    pub fn get(&self, keys: &[Vec<u8>]) -> HashMap<usize, Vec<u8>> {
        let mut values = HashMap::new();
        {
            let waiting = self.lock_waiting();
            let value = |(at, key): (usize, &Vec<u8>)| Some((at, waiting.values.get(key)?.clone()));
            values.extend(keys.iter().enumerate().filter_map(value));
        }
        let connection = self.lock_connection();
        // One transaction: the file is locked once.
        let Ok(reading) = connection.unchecked_transaction() else { return values };
        if let Ok(mut query) = reading.prepare_cached("SELECT value FROM measures WHERE key = ?1") {
            let all = keys.iter().enumerate();
            let missing: Vec<_> = all.filter(|(at, _)| !values.contains_key(at)).collect();
            for (at, key) in missing {
                let value = query.query_row([key], |row| row.get(0)).optional();
                values.extend(value.ok().flatten().map(|value: Vec<u8>| (at, value)));
            }
        }
        values
    }

    /// Keeps values; one that is there already stays. All of them or none. The error is a sentence.
    pub fn put(
        &self,
        values: impl IntoIterator<Item = (impl AsRef<[u8]>, Vec<u8>)>,
    ) -> Result<(), String> {
        self.write_values(values).map_err(|why| format!("the cache could not be written: {why}"))
    }

    /// Works as [`DiskCache::put`], but later, together with other values: at the latest when the last user of this
    /// cache drops it.
    pub fn put_soon(&self, values: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) {
        let mut waiting = self.lock_waiting();
        waiting.values.extend(values);
        if waiting.values.len() < MOST_WAITING && waiting.since.elapsed() < LONGEST_WAIT {
            return;
        }
        waiting.since = Instant::now();
        let values = std::mem::take(&mut waiting.values);
        drop(waiting);
        self.put_waiting(values);
    }

    /// Writes the values. A failure costs time and nothing else.
    fn put_waiting(&self, values: HashMap<Vec<u8>, Vec<u8>>) {
        if !values.is_empty() {
            drop(self.put(values));
        }
    }

    fn lock_waiting(&self) -> MutexGuard<'_, WaitingValues> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_values(
        &self,
        values: impl IntoIterator<Item = (impl AsRef<[u8]>, Vec<u8>)>,
    ) -> rusqlite::Result<()> {
        self.writes.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut values: Vec<(_, Vec<u8>)> = values.into_iter().collect();
        // Neighbours in the index are written together.
        values.sort_unstable_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
        let mut connection = self.lock_connection();
        let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let insert = "INSERT OR IGNORE INTO measures (key, value) VALUES (?1, ?2)";
            let mut insert = writing.prepare_cached(insert)?;
            for (key, value) in values {
                insert.execute((key.as_ref(), value))?;
            }
        }
        writing.commit()
    }

    fn delete_older_half(&self) -> rusqlite::Result<()> {
        let connection = self.lock_connection();
        let older = "DELETE FROM measures WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM measures)";
        connection.execute(older, [])?;
        connection.execute_batch("VACUUM")
    }

    fn lock_connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DiskCache {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.lock_waiting().values);
        self.put_waiting(values);
    }
}

fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    let layout = || connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if layout()? == LAYOUT_VERSION {
        return Ok(());
    }
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another program may have been first.
    if layout()? != LAYOUT_VERSION {
        connection.execute_batch(&format!(
            "DROP TABLE IF EXISTS measures;
             CREATE TABLE measures (rowid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL);
             PRAGMA user_version = {LAYOUT_VERSION};"
        ))?;
    }
    transaction.commit()
}

fn is_damage(why: &rusqlite::Error) -> bool {
    matches!(why.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn test_key(number: u32) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    fn put_numbers(cache: &DiskCache, numbers: std::ops::Range<u32>) {
        let keys: Vec<_> = numbers.map(test_key).collect();
        cache.put(keys.iter().map(|key| (key.as_slice(), key.repeat(100)))).unwrap();
    }

    #[test]
    fn what_was_kept_is_there_for_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/measures.sqlite");
        put_numbers(&DiskCache::open(&path).unwrap(), 0..3);

        let found = DiskCache::open(&path).unwrap().get(&[test_key(7), test_key(2), test_key(0)]);

        assert_eq!(found.len(), 2);
        assert_eq!((&found[&1], &found[&2]), (&test_key(2).repeat(100), &test_key(0).repeat(100)));
    }

    #[test]
    fn what_waits_to_be_kept_is_there_already_and_is_kept_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        let cache = DiskCache::open(&path).unwrap();

        cache.put_soon([(test_key(1), b"one".to_vec()), (test_key(2), b"two".to_vec())]);

        assert_eq!(cache.get(&[test_key(1)])[&0], b"one");
        drop(cache);
        assert_eq!(DiskCache::open(&path).unwrap().get(&[test_key(1), test_key(2)]).len(), 2);
    }

    #[test]
    fn many_values_are_written_in_few_goes() {
        let cache = DiskCache::in_memory().unwrap();

        (0..2 * MOST_WAITING as u32).for_each(|at| cache.put_soon([(test_key(at), vec![7])]));

        assert!((2..20).contains(&cache.write_count()));
        assert_eq!(cache.get(&[test_key(0), test_key(MOST_WAITING as u32)]).len(), 2);
    }

    #[test]
    fn several_programs_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        thread::scope(|scope| {
            for program in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let cache = DiskCache::open(path).unwrap();
                    // Half of what each keeps is kept by its neighbour too.
                    (0..20).for_each(|batch| {
                        put_numbers(
                            &cache,
                            program * 100 + batch * 10..program * 100 + batch * 10 + 20,
                        )
                    });
                });
            }
        });

        let keys: Vec<_> = (0..900).map(test_key).collect();
        assert_eq!(DiskCache::open(&path).unwrap().get(&keys).len(), 900);
    }

    #[test]
    fn a_file_that_is_no_cache_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        fs::write(&path, b"these are not the bytes of a database, however many there are of them")
            .unwrap();

        let cache = DiskCache::open(&path).unwrap();
        put_numbers(&cache, 0..1);

        assert_eq!(cache.get(&[test_key(0)]).len(), 1);
    }

    #[test]
    fn a_writer_that_is_killed_leaves_what_was_kept_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        put_numbers(&DiskCache::open(&path).unwrap(), 0..3);
        // What a kill in the middle of a batch leaves behind: a transaction that was never committed.
        let half = Connection::open(&path).unwrap();
        half.execute_batch("BEGIN IMMEDIATE; DELETE FROM measures;").unwrap();
        let copy = folder.path().join("copy.sqlite");
        for name in ["", "-journal"] {
            let from = folder.path().join(format!("measures.sqlite{name}"));
            if from.exists() {
                fs::copy(from, folder.path().join(format!("copy.sqlite{name}"))).unwrap();
            }
        }

        assert_eq!(
            DiskCache::open(&copy).unwrap().get(&[test_key(0), test_key(1), test_key(2)]).len(),
            3
        );
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();

        let why = DiskCache::open(&file.join("measures.sqlite")).unwrap_err();
        assert!(why.starts_with("the cache ") && why.contains("cannot be used"), "{why}");
    }

    #[test]
    fn the_older_half_is_forgotten() {
        let cache = DiskCache::in_memory().unwrap();
        put_numbers(&cache, 0..100);

        cache.delete_older_half().unwrap();

        let keys: Vec<_> = (0..100).map(test_key).collect();
        let left = cache.get(&keys);
        assert_eq!((left.len(), left.contains_key(&99), left.contains_key(&0)), (50, true, false));
    }
}
