//! Tables of a foreign SQLite database. They are read once, as they are, and no file is made beside them.
//!
//! Sessions are read one by one. Where a table has no index for that, as in a copy of the rows alone, SQLite would scan
//! all of it for each session: then it is scanned once here, and the places of the rows are kept.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Value, json};

use trajview_formats::session_tables::{TableColumn, TableError, TableRow, TableRows};

use crate::disk;

/// A file that changes has another one.
type DatabaseStamp = [Option<(u64, Option<SystemTime>)>; 2];

/// A database file.
pub struct DatabaseFile {
    file: PathBuf,
    now: Mutex<Option<Arc<DatabaseState>>>,
}

/// The state of the current version of the file.
struct DatabaseState {
    stamp: DatabaseStamp,
    /// The file that is read.
    place: ReadPlace,
    places: Mutex<HashMap<TableColumn, Option<Arc<RowIds>>>>,
    /// The rows of queries for pairs, by the query.
    pairs: Mutex<HashMap<&'static str, ValuesByFirst>>,
}

/// The second values of pairs, by the first.
type ValuesByFirst = HashMap<String, Vec<String>>;

/// The file from which a database is read.
enum ReadPlace {
    /// The original, read beside its writer.
    Shared(PathBuf),
    /// The original or a copy, which does not change.
    Alone(PathBuf),
}

/// The numbers of the rows, by the value of the column.
type RowIds = HashMap<String, Vec<i64>>;

/// A database that is open.
pub struct OpenDatabase {
    connection: Connection,
    state: Arc<DatabaseState>,
}

impl DatabaseFile {
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), now: Mutex::default() }
    }

    /// Opens the database. It is neither repaired nor written; a database that another program writes is read as it is.
    pub fn connect(&self) -> rusqlite::Result<Connection> {
        Ok(self.open_database()?.connection)
    }

    pub(crate) fn open_database(&self) -> rusqlite::Result<OpenDatabase> {
        let state =
            self.current_state().map_err(|_| rusqlite::Error::InvalidPath(self.file.clone()))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match &state.place {
            ReadPlace::Shared(file) => {
                let base = Connection::open_with_flags(file, flags)?;
                base.busy_timeout(std::time::Duration::from_millis(500))?;
                base
            }
            ReadPlace::Alone(file) => {
                let path = file.to_string_lossy();
                let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
                let uri = format!("file:{path}?immutable=1");
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
            }
        };
        Ok(OpenDatabase { connection, state })
    }

    fn current_state(&self) -> io::Result<Arc<DatabaseState>> {
        let file = disk::local_file(&self.file)?;
        let log = sibling_path(&file, "-wal");
        let stamp = [stamp_of(&file), stamp_of(&log)];
        // Held while a copy is made: who asks for the same one would only make a second.
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = now.as_ref().filter(|state| state.stamp == stamp) {
            return Ok(Arc::clone(state));
        }
        let was_shared =
            now.as_ref().is_some_and(|state| matches!(state.place, ReadPlace::Shared(_)));
        let has_more = fs::metadata(&log).is_ok_and(|meta| meta.len() > 0);
        let place = match () {
            () if !has_more => ReadPlace::Alone(file.into_owned()),
            // The lock is not queried again: a query would release the locks of this process.
            () if was_shared && sibling_path(&file, "-shm").exists() => {
                ReadPlace::Shared(file.into_owned())
            }
            () if is_in_use(&sibling_path(&file, "-shm")) => ReadPlace::Shared(file.into_owned()),
            () => ReadPlace::Alone(copy_with_log(&file, &log)?),
        };
        let (places, pairs) = (Mutex::default(), Mutex::default());
        let state = Arc::new(DatabaseState { stamp, place, places, pairs });
        *now = Some(Arc::clone(&state));
        Ok(state)
    }
}

/// Returns the path of a file with `end` at the end of its name, such as `-wal`.
fn sibling_path(file: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(file);
    path.push(end);
    path.into()
}

fn stamp_of(file: &Path) -> Option<(u64, Option<SystemTime>)> {
    let meta = fs::metadata(file).ok()?;
    Some((meta.len(), meta.modified().ok()))
}

/// Returns whether another process has the database open, by the lock that each of them holds on the index of its log.
#[cfg(unix)]
fn is_in_use(index: &Path) -> bool {
    use rustix::process::{Flock, FlockOffsetType, FlockType, fcntl_getlk};
    /// The byte of that file that SQLite locks for as long as it is open.
    const IN_USE: u64 = 128;
    let Ok(index) = fs::File::open(index) else { return false };
    let wanted = Flock {
        start: IN_USE,
        length: 1,
        pid: None,
        typ: FlockType::WriteLock,
        offset_type: FlockOffsetType::Set,
    };
    // Where the lock cannot be queried, no file may be made beside it either.
    fcntl_getlk(&index, &wanted).is_ok_and(|held| held.is_some())
}

#[cfg(not(unix))]
fn is_in_use(index: &Path) -> bool {
    index.exists()
}

/// The copies of databases that have more in their logs than in their files, until the program ends.
static COPIES: Mutex<Vec<tempfile::TempDir>> = Mutex::new(vec![]);

/// Removes the copies that were made.
pub fn remove_copies() {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Makes a copy with all that the log has. SQLite would make a file beside the database to read both.
fn copy_with_log(file: &Path, log: &Path) -> io::Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("trajview-").tempdir()?;
    let copy = folder.path().join("copy");
    fs::copy(file, &copy)?;
    fs::copy(log, sibling_path(&copy, "-wal"))?;
    let base = Connection::open(&copy).map_err(io::Error::other)?;
    base.query_row("pragma wal_checkpoint(truncate)", (), |_| Ok(())).map_err(io::Error::other)?;
    base.close().map_err(|(_, why)| io::Error::other(why))?;
    COPIES.lock().unwrap_or_else(PoisonError::into_inner).push(folder);
    Ok(copy)
}

impl TableRows for OpenDatabase {
    fn has_table(&self, table: &str) -> Result<bool, TableError> {
        let query = "select 1 from sqlite_master where type = 'table' and name = ?1";
        let found = self.connection.prepare_cached(query).and_then(|mut it| it.exists([table]));
        found.map_err(|why| why.to_string())
    }

    fn rows_where(
        &self,
        (table, column): TableColumn,
        value: &str,
        order: &str,
    ) -> Result<Vec<TableRow>, TableError> {
        let rows = match self.row_ids((table, column)) {
            None => {
                let query = format!("select * from {table} where {column} = ?1 order by {order}");
                self.query_objects(&query, value)
            }
            Some(places) => {
                let Some(numbers) = places.get(value) else { return Ok(vec![]) };
                let query = format!(
                    "select * from {table} where rowid in (select value from json_each(?1)) order by {order}"
                );
                self.query_objects(&query, &json!(numbers).to_string())
            }
        };
        rows.map_err(|why| why.to_string())
    }

    fn values_by_first(&self, query: &'static str, first: &str) -> Result<Vec<String>, TableError> {
        let mut known = self.state.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = match known.get(query) {
            Some(pairs) => pairs,
            None => {
                let pairs = self.query_pairs(query).map_err(|why| why.to_string())?;
                known.entry(query).or_insert(pairs)
            }
        };
        Ok(pairs.get(first).cloned().unwrap_or_default())
    }
}

impl OpenDatabase {
    fn query_objects(&self, query: &str, value: &str) -> rusqlite::Result<Vec<TableRow>> {
        let mut query = self.connection.prepare_cached(query)?;
        let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
        let found = query.query_map([value], |row| {
            let mut all = TableRow::new();
            for (at, name) in columns.iter().enumerate() {
                all.insert(name.clone(), json_of(row.get_ref(at)?));
            }
            Ok(all)
        })?;
        found.collect()
    }

    fn query_pairs(&self, query: &str) -> rusqlite::Result<ValuesByFirst> {
        let mut query = self.connection.prepare(query)?;
        let (mut rows, mut pairs) = (query.query(())?, ValuesByFirst::new());
        while let Some(row) = rows.next()? {
            let (first, second) =
                (sql_value_text(row.get_ref(0)?), sql_value_text(row.get_ref(1)?));
            pairs.entry(first).or_default().push(second);
        }
        Ok(pairs)
    }

    /// Returns the places of the rows of a table, by a column; None where SQLite finds them as quickly.
    fn row_ids(&self, key: TableColumn) -> Option<Arc<RowIds>> {
        let mut known = self.state.places.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(key).or_insert_with(|| match self.has_index(key) {
            Ok(false) => self.list_row_ids(key).ok().map(Arc::new),
            Ok(true) | Err(_) => None,
        });
        found.clone()
    }

    fn has_index(&self, (table, column): (&str, &str)) -> rusqlite::Result<bool> {
        let mut query = self.connection.prepare(
            "select 1 from pragma_index_list(?1) l, pragma_index_info(l.name) i \
             where i.seqno = 0 and i.name = ?2 and not l.partial",
        )?;
        query.exists([table, column])
    }

    fn list_row_ids(&self, (table, column): (&str, &str)) -> rusqlite::Result<RowIds> {
        let mut query = self.connection.prepare(&format!("select {column}, rowid from {table}"))?;
        let (mut rows, mut places) = (query.query(())?, RowIds::new());
        while let Some(row) = rows.next()? {
            if !matches!(row.get_ref(0)?, ValueRef::Null) {
                places.entry(sql_value_text(row.get_ref(0)?)).or_default().push(row.get(1)?);
            }
        }
        Ok(places)
    }
}

/// Returns a value of a cell as text: a number as written in JSON, `null`, of a blob its length in bytes.
pub(crate) fn sql_value_text(value: ValueRef<'_>) -> String {
    match json_of(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn json_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => format!("[{} bytes]", bytes.len()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_database(folder: &Path, index: &str) -> PathBuf {
        let file = folder.join("a.db");
        let base = Connection::open(&file).unwrap();
        base.execute_batch(&format!(
            "pragma journal_mode = wal; create table part (id text, session_id text, time_created integer); {index} \
             insert into part values ('b', 's', 2), ('a', 's', 1), ('c', 't', 1), ('d', null, 0);"
        ))
        .unwrap();
        // Its writer is killed: the log stays.
        let log = fs::read(sibling_path(&file, "-wal")).unwrap();
        let whole = fs::read(&file).unwrap();
        drop(base);
        fs::write(&file, whole).unwrap();
        fs::write(sibling_path(&file, "-wal"), log).unwrap();
        file
    }

    fn file_names(folder: &Path) -> Vec<String> {
        disk::list_folder(folder).iter().map(|path| disk::name_of(path).to_owned()).collect()
    }

    #[test]
    fn rows_are_found_with_an_index_and_without_and_nothing_is_made_beside_the_file() {
        for index in ["", "create index it on part (session_id);"] {
            let folder = tempfile::tempdir().unwrap();
            let file = test_database(folder.path(), index);
            assert_eq!(file_names(folder.path()), ["a.db", "a.db-wal"]);

            let base = DatabaseFile::new(&file).open_database().unwrap();
            let key = ("part", "session_id");
            let ids = |value: &str| -> Vec<Value> {
                let rows = base.rows_where(key, value, "time_created").unwrap();
                rows.iter().map(|row| row["id"].clone()).collect()
            };

            assert_eq!(ids("s"), ["a", "b"]);
            assert_eq!((ids("t"), ids("")), (vec!["c".into()], vec![]));
            assert_eq!(base.row_ids(key).is_some(), index.is_empty());
            assert_eq!(file_names(folder.path()), ["a.db", "a.db-wal"]);
        }
    }

    #[test]
    fn what_is_written_later_is_read_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let writer = Connection::open(&file).unwrap();
        writer.execute_batch("create table part (id text, session_id text)").unwrap();
        let source = DatabaseFile::new(&file);
        let count = || {
            source
                .open_database()
                .unwrap()
                .rows_where(("part", "session_id"), "s", "id")
                .unwrap()
                .len()
        };
        assert_eq!(count(), 0);

        for id in ["a", "b"] {
            writer.execute("insert into part values (?1, 's')", [id.repeat(9999)]).unwrap();
        }

        assert_eq!(count(), 2);
    }
}
