//! What was worked out once and need not be again: values by key, in one SQLite file of the platform's cache folder.
//!
//! Several programs may read and write it at once, and one that is killed leaves it whole: every batch is one
//! transaction. It is no record of anything: whoever deletes it loses time and nothing else, and a file that cannot be
//! used is set aside or done without.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

/// Values by key. Shared between threads.
#[derive(Debug)]
pub struct Cache {
    connection: Mutex<Connection>,
    waiting: Mutex<Waiting>,
    #[cfg(test)]
    writes: std::sync::atomic::AtomicUsize,
}

/// So many values wait at most, and so long where others come after them.
const MOST_WAITING: usize = 512;
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// How long another program's writing is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file larger than this loses its older half.
const MOST_BYTES: u64 = 512 << 20;

/// Values that wait to be written together: each transaction costs several syncs of the disk.
#[derive(Debug)]
struct Waiting {
    values: HashMap<Vec<u8>, Vec<u8>>,
    /// When values were written last.
    since: Instant,
}

/// Changes with the layout of the table; a file of another layout is emptied.
const LAYOUT: i64 = 1;

impl Cache {
    /// The file that is used unless another is named: below `$XDG_CACHE_HOME` or `~/.cache`, on Windows below the
    /// local application data. None where there is no home folder.
    pub fn default_path() -> Option<PathBuf> {
        Some(super::user_folders::cache()?.join("trajview").join("measures.sqlite"))
    }

    /// Opens the file, or makes it. One that is no such file, or is damaged, is replaced. The error is a sentence.
    pub fn open(path: &Path) -> Result<Self, String> {
        let told = |why: String| format!("the cache {} cannot be used: {why}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|why| told(super::reason::reason(&why)))?;
        }
        match Self::prepared(path) {
            Err(why) if is_damage(&why) => {
                fs::remove_file(path).map_err(|why| told(super::reason::reason(&why)))?;
                Self::prepared(path).map_err(|why| told(why.to_string()))
            }
            opened => opened.map_err(|why| told(why.to_string())),
        }
    }

    /// A cache of this process alone.
    #[cfg(test)]
    pub fn in_memory() -> Result<Self, String> {
        let connection = Connection::open_in_memory().map_err(|why| why.to_string())?;
        lay_out(&connection).map_err(|why| why.to_string())?;
        Ok(Self::of(connection))
    }

    fn of(connection: Connection) -> Self {
        Self {
            connection: Mutex::new(connection),
            waiting: Mutex::new(Waiting { values: HashMap::new(), since: Instant::now() }),
            #[cfg(test)]
            writes: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    /// Transactions that wrote values so far.
    #[cfg(test)]
    pub(super) fn writes(&self) -> usize {
        self.writes.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn prepared(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // No write-ahead log: home folders of clusters are shared, and there it is not safe.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        lay_out(&connection)?;
        let cache = Self::of(connection);
        if fs::metadata(path).is_ok_and(|meta| meta.len() > MOST_BYTES) {
            cache.forget_half()?;
        }
        Ok(cache)
    }

    /// The values of those keys that have one, by the position of the key. What cannot be read is not there.
    pub fn get(&self, keys: &[Vec<u8>]) -> HashMap<usize, Vec<u8>> {
        let mut found = HashMap::new();
        {
            let waiting = self.waiting();
            let value = |(at, key): (usize, &Vec<u8>)| Some((at, waiting.values.get(key)?.clone()));
            found.extend(keys.iter().enumerate().filter_map(value));
        }
        let connection = self.held();
        // One transaction: the file is locked once.
        let Ok(reading) = connection.unchecked_transaction() else { return found };
        if let Ok(mut query) = reading.prepare_cached("SELECT value FROM measures WHERE key = ?1") {
            let all = keys.iter().enumerate();
            let asked: Vec<_> = all.filter(|(at, _)| !found.contains_key(at)).collect();
            for (at, key) in asked {
                let value = query.query_row([key], |row| row.get(0)).optional();
                found.extend(value.ok().flatten().map(|value: Vec<u8>| (at, value)));
            }
        }
        found
    }

    /// Keeps values; one that is there already stays. All of them or none. The error is a sentence.
    pub fn put<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a [u8], Vec<u8>)>,
    ) -> Result<(), String> {
        self.put_all(values).map_err(|why| format!("the cache could not be written: {why}"))
    }

    /// As [`Cache::put`], but later, with others: at the latest when the last that has this cache lets go of it.
    pub fn put_soon(&self, values: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) {
        let mut waiting = self.waiting();
        waiting.values.extend(values);
        if waiting.values.len() < MOST_WAITING && waiting.since.elapsed() < LONGEST_WAIT {
            return;
        }
        waiting.since = Instant::now();
        let values = std::mem::take(&mut waiting.values);
        drop(waiting);
        self.put_waiting(values);
    }

    /// Lost time and nothing else, where they cannot be kept.
    fn put_waiting(&self, values: HashMap<Vec<u8>, Vec<u8>>) {
        if !values.is_empty() {
            drop(self.put(values.iter().map(|(key, value)| (key.as_slice(), value.clone()))));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_all<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a [u8], Vec<u8>)>,
    ) -> rusqlite::Result<()> {
        #[cfg(test)]
        self.writes.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut connection = self.held();
        let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let insert = "INSERT OR IGNORE INTO measures (key, value) VALUES (?1, ?2)";
            let mut insert = writing.prepare_cached(insert)?;
            for (key, value) in values {
                insert.execute((key, value))?;
            }
        }
        writing.commit()
    }

    fn forget_half(&self) -> rusqlite::Result<()> {
        let connection = self.held();
        let older = "DELETE FROM measures WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM measures)";
        connection.execute(older, [])?;
        connection.execute_batch("VACUUM")
    }

    fn held(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.waiting().values);
        self.put_waiting(values);
    }
}

fn lay_out(connection: &Connection) -> rusqlite::Result<()> {
    let layout = || connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if layout()? == LAYOUT {
        return Ok(());
    }
    let laying = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another program may have been first.
    if layout()? != LAYOUT {
        connection.execute_batch(&format!(
            "DROP TABLE IF EXISTS measures;
             CREATE TABLE measures (rowid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL);
             PRAGMA user_version = {LAYOUT};"
        ))?;
    }
    laying.commit()
}

fn is_damage(why: &rusqlite::Error) -> bool {
    matches!(why.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn key(number: u32) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    fn keep(cache: &Cache, numbers: std::ops::Range<u32>) {
        let keys: Vec<_> = numbers.map(key).collect();
        cache.put(keys.iter().map(|key| (key.as_slice(), key.repeat(100)))).unwrap();
    }

    #[test]
    fn what_was_kept_is_there_for_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/measures.sqlite");
        keep(&Cache::open(&path).unwrap(), 0..3);

        let found = Cache::open(&path).unwrap().get(&[key(7), key(2), key(0)]);

        assert_eq!(found.len(), 2);
        assert_eq!((&found[&1], &found[&2]), (&key(2).repeat(100), &key(0).repeat(100)));
    }

    #[test]
    fn what_waits_to_be_kept_is_there_already_and_is_kept_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        let cache = Cache::open(&path).unwrap();

        cache.put_soon([(key(1), b"one".to_vec()), (key(2), b"two".to_vec())]);

        assert_eq!(cache.get(&[key(1)])[&0], b"one");
        drop(cache);
        assert_eq!(Cache::open(&path).unwrap().get(&[key(1), key(2)]).len(), 2);
    }

    #[test]
    fn many_values_are_written_in_few_goes() {
        let cache = Cache::in_memory().unwrap();

        (0..2 * MOST_WAITING as u32).for_each(|at| cache.put_soon([(key(at), vec![7])]));

        assert!((2..20).contains(&cache.writes()));
        assert_eq!(cache.get(&[key(0), key(MOST_WAITING as u32)]).len(), 2);
    }

    #[test]
    fn several_programs_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        thread::scope(|scope| {
            for program in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let cache = Cache::open(path).unwrap();
                    // Half of what each keeps is kept by its neighbour too.
                    (0..20).for_each(|batch| {
                        keep(&cache, program * 100 + batch * 10..program * 100 + batch * 10 + 20)
                    });
                });
            }
        });

        let keys: Vec<_> = (0..900).map(key).collect();
        assert_eq!(Cache::open(&path).unwrap().get(&keys).len(), 900);
    }

    #[test]
    fn a_file_that_is_no_cache_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        fs::write(&path, b"these are not the bytes of a database, however many there are of them")
            .unwrap();

        let cache = Cache::open(&path).unwrap();
        keep(&cache, 0..1);

        assert_eq!(cache.get(&[key(0)]).len(), 1);
    }

    #[test]
    fn a_writer_that_is_killed_leaves_what_was_kept_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.sqlite");
        keep(&Cache::open(&path).unwrap(), 0..3);
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

        assert_eq!(Cache::open(&copy).unwrap().get(&[key(0), key(1), key(2)]).len(), 3);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();

        let why = Cache::open(&file.join("measures.sqlite")).unwrap_err();
        assert!(why.starts_with("the cache ") && why.contains("cannot be used"), "{why}");
    }

    #[test]
    fn the_older_half_is_forgotten() {
        let cache = Cache::in_memory().unwrap();
        keep(&cache, 0..100);

        cache.forget_half().unwrap();

        let keys: Vec<_> = (0..100).map(key).collect();
        let left = cache.get(&keys);
        assert_eq!((left.len(), left.contains_key(&99), left.contains_key(&0)), (50, true, false));
    }
}
