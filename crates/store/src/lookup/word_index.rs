//! The index of the words of each part of each run: one SQLite file of the platform's cache folder, with a full-text
//! index that keeps no text.
//!
//! It only narrows down where a hit may be; the text itself is read from the recording. Every batch is one transaction:
//! a program that is killed leaves what was written before. Deleting the file costs time and nothing else. Words of
//! parts that are gone stay in the full-text index, where nothing refers to them, until there are more of them than of
//! others; then the index is made anew.

use std::{
    collections::HashMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};
use serde::{Deserialize, Serialize};

use trajview_run::{
    Run, Time,
    lookup::{IndexNeeds, LookupMoment, words::IndexWord},
};

use super::{
    super::{cache::DiskCache, siblings::Siblings},
    files_stamp::FilesStamp,
    gathered_words::{EDITED_MARK, FAILED_MARK, TOOL_MARK},
};

/// The index, open.
#[derive(Debug)]
pub struct WordIndex {
    connection: Connection,
}

/// A run that is in the index, whole.
#[derive(Debug)]
pub struct IndexedRun {
    pub id: i64,
    pub path: PathBuf,
    pub facts: IndexedFacts,
    /// The stamp as JSON.
    stamp: String,
}

impl IndexedRun {
    /// Returns whether the run is as it was when it was indexed.
    pub fn is_current(&self, siblings: &Siblings) -> bool {
        let stamp: Result<FilesStamp, _> = serde_json::from_str(&self.stamp);
        stamp.is_ok_and(|stamp| stamp.is_current(&self.path, siblings))
    }
}

/// The facts of a run that are needed before it is opened.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IndexedFacts {
    pub agent: Option<String>,
    pub format: String,
    pub project: Option<String>,
    /// The last time in the run (milliseconds since 1970); None where it has no times.
    pub last: Option<i64>,
    /// The time when the newest of its files was written (seconds since 1970), by which runs are ordered.
    pub written: u64,
}

/// A part of a run: the positions of its requests and steps, and its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedPart {
    pub moments: Range<usize>,
    pub fingerprint: i64,
}

/// The version of the index. It changes with the layout of the tables, and with the definition of a word.
const LAYOUT_VERSION: i64 = 1;

/// The longest time to wait while another program writes: for a writer, and for a reader, which can work without the
/// index.
const WRITER_TIMEOUT: Duration = Duration::from_secs(10);
const READER_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of bytes of words that are gathered in memory before they are written.
const GATHERED_BYTES: i64 = 48 << 20;

/// The KiB of pages of the file that are held in memory: about as many as a transaction writes, so that little
/// of it is written early and readers wait only while it is committed.
const CACHE_KIB: i64 = 48 << 10;

/// The number of removed parts up to which the index is kept even where fewer parts are left.
const MOST_GONE: i64 = 2_000;

impl IndexedFacts {
    pub fn for_run(run: &Run, moments: &[LookupMoment], written: u64) -> Self {
        let ends = run.turns.iter().filter_map(|turn| turn.ended_at);
        let last = moments.iter().filter_map(|moment| moment.start_time(run)).chain(ends).max();
        Self {
            agent: run.agent_key(),
            format: run.origin.format.into(),
            project: run.origin.root.clone(),
            last: last.map(|time| time.0),
            written,
        }
    }

    pub fn last_time(&self) -> Option<Time> {
        self.last.map(Time)
    }
}

/// Returns the file that is used unless another is named, beside the cache of measures. None where there is no home
/// folder.
pub fn default_path() -> Option<PathBuf> {
    Some(DiskCache::default_path()?.with_file_name("words.sqlite"))
}

/// Returns the file by which one program at a time writes the index.
pub(crate) fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

/// Deletes the index; whether there was one. The error is a sentence, also where another program is writing: its
/// journal would be taken for that of the next index.
pub fn delete_index(path: &Path) -> Result<bool, String> {
    let lock = fs::OpenOptions::new().write(true).open(lock_of(path)).ok();
    if lock.as_ref().is_some_and(|lock| lock.try_lock().is_err()) {
        return Err(format!(
            "the index {} is being brought up to date by another program; delete it when that is done",
            path.display()
        ));
    }
    let was_there = remove_files(path)?;
    let _ = fs::remove_file(lock_of(path)); // an empty file that does no harm
    Ok(was_there)
}

/// Works as [`delete_index`], for a caller that has the lock.
fn remove_files(path: &Path) -> Result<bool, String> {
    let is_there = path.exists();
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for file in [path.to_owned(), PathBuf::from(journal)] {
        match fs::remove_file(&file) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                let why = super::super::file_bytes::error_reason(&why);
                return Err(format!("the index {} cannot be deleted: {why}", path.display()));
            }
            _ => {}
        }
    }
    Ok(is_there)
}

impl WordIndex {
    /// Opens the index where there is one of this version; nothing is created.
    pub(crate) fn open_existing(path: &Path) -> Option<Self> {
        if !path.exists() {
            return None;
        }
        let connection = Connection::open(path).ok()?;
        connection.busy_timeout(READER_TIMEOUT).ok()?;
        let is_ours = has_layout(&connection).unwrap_or(false);
        is_ours.then_some(Self { connection })
    }

    /// Opens the index to write in it, or makes it. One of another version, or damaged, is made anew. The error is a
    /// sentence.
    pub(crate) fn open_to_write(path: &Path) -> Result<Self, String> {
        let unusable = |why: String| format!("the index {} cannot be used: {why}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|why| unusable(super::super::file_bytes::error_reason(&why)))?;
        }
        match Self::open_prepared(path) {
            Err(why) if is_damage(&why) => {
                remove_files(path)?;
                Self::open_prepared(path).map_err(|why| unusable(why.to_string()))
            }
            opened => opened.map_err(|why| unusable(why.to_string())),
        }
    }

    fn open_prepared(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(WRITER_TIMEOUT)?;
        // No write-ahead log: home folders of clusters are shared, and there it is not safe.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        let mut index = Self { connection };
        if !has_layout(&index.connection)? || index.has_more_gone_than_there()? {
            index.create_tables()?;
        }
        index.connection.execute(
            "INSERT INTO words(words, rank) VALUES ('hashsize', ?1), ('automerge', 8), ('crisismerge', 32)",
            [GATHERED_BYTES],
        )?;
        Ok(index)
    }

    fn create_tables(&mut self) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(
            "DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS parts; DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS made;
             CREATE TABLE made (by TEXT NOT NULL);
             CREATE TABLE runs (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, facts TEXT NOT NULL, stamp TEXT);
             CREATE TABLE parts (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, first INTEGER NOT NULL,
                                 last INTEGER NOT NULL, print INTEGER NOT NULL);
             CREATE INDEX parts_of_run ON parts (run, id);
             CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');",
        )?;
        transaction.execute("INSERT INTO made (by) VALUES (?1)", [program_version()])?;
        transaction.pragma_update(None, "user_version", LAYOUT_VERSION)?;
        transaction.commit()
    }

    fn has_more_gone_than_there(&self) -> rusqlite::Result<bool> {
        let count = |query: &str| {
            let count = self.connection.query_row(query, [], |row| row.get::<_, Option<i64>>(0));
            count.optional().map(|count| count.flatten().unwrap_or(0))
        };
        let made = count("SELECT seq FROM sqlite_sequence WHERE name = 'parts'")?;
        let there = count("SELECT count(*) FROM parts")?;
        Ok(made - there > MOST_GONE.max(there))
    }

    /// Returns the runs that are in it whole. What cannot be read is not there.
    pub(crate) fn indexed_runs(&self) -> rusqlite::Result<Vec<IndexedRun>> {
        let mut query = self
            .connection
            .prepare("SELECT id, path, facts, stamp FROM runs WHERE stamp IS NOT NULL")?;
        let rows = query.query_map([], |row| {
            let (path, facts, stamp): (String, String, String) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((row.get::<_, i64>(0)?, PathBuf::from(path), facts, stamp))
        })?;
        let mut runs = vec![];
        for row in rows {
            let (id, path, facts, stamp) = row?;
            let facts = serde_json::from_str(&facts).ok();
            runs.extend(facts.map(|facts| IndexedRun { id, path, facts, stamp }));
        }
        Ok(runs)
    }

    /// Returns the parts that may match, by run, in their order; None where the index cannot narrow down the search.
    pub(crate) fn candidate_parts(
        &self,
        needed: &IndexNeeds,
    ) -> rusqlite::Result<Option<HashMap<i64, Vec<Range<usize>>>>> {
        let Some(words) = match_expression(needed) else { return Ok(None) };
        let mut query = self.connection.prepare(
            "SELECT parts.run, parts.first, parts.last FROM words CROSS JOIN parts ON parts.id = words.rowid
             WHERE words MATCH ?1",
        )?;
        let mut rows = query.query([words])?;
        let mut found: HashMap<i64, Vec<Range<usize>>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let part = row.get::<_, i64>(1)?.max(0) as usize..row.get::<_, i64>(2)?.max(0) as usize;
            found.entry(row.get(0)?).or_default().push(part);
        }
        found.values_mut().for_each(|parts| parts.sort_by_key(|part| part.start));
        Ok(Some(found))
    }

    /// Returns what the index has of the run at a path, complete or not: its parts in their order, and its stamp.
    pub(crate) fn parts_and_stamp(
        &self,
        path: &str,
    ) -> rusqlite::Result<(Vec<IndexedPart>, Option<FilesStamp>)> {
        let row = self.connection.query_row(
            "SELECT id, stamp FROM runs WHERE path = ?1",
            [path],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?)),
        );
        let Some((id, stamp)) = row.optional()? else { return Ok((vec![], None)) };
        let mut query = self
            .connection
            .prepare_cached("SELECT first, last, print FROM parts WHERE run = ?1 ORDER BY id")?;
        let parts = query.query_map([id], |row| {
            let moments =
                row.get::<_, i64>(0)?.max(0) as usize..row.get::<_, i64>(1)?.max(0) as usize;
            Ok(IndexedPart { moments, fingerprint: row.get(2)? })
        })?;
        let parts = parts.collect::<rusqlite::Result<_>>()?;
        Ok((parts, stamp.and_then(|stamp| serde_json::from_str(&stamp).ok())))
    }

    pub(crate) fn begin_transaction(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    pub(crate) fn commit_transaction(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
    }

    /// Begins to write a run, whose first `kept_parts` parts stay. Returns its number.
    pub fn begin_run(
        &self,
        path: &str,
        facts: &IndexedFacts,
        kept_parts: usize,
    ) -> rusqlite::Result<i64> {
        let facts = serde_json::to_string(facts).unwrap_or_default(); // words and numbers alone: it cannot fail
        let id = self.connection.query_row(
            "INSERT INTO runs (path, facts, stamp) VALUES (?1, ?2, NULL)
             ON CONFLICT (path) DO UPDATE SET facts = excluded.facts, stamp = NULL RETURNING id",
            [path, &facts],
            |row| row.get(0),
        )?;
        self.connection.execute(
            "DELETE FROM parts WHERE run = ?1 AND id NOT IN
             (SELECT id FROM parts WHERE run = ?1 ORDER BY id LIMIT ?2)",
            (id, kept_parts as i64),
        )?;
        Ok(id)
    }

    /// Adds a part with its words.
    pub(crate) fn add_part(
        &self,
        run: i64,
        part: &IndexedPart,
        words: &str,
    ) -> rusqlite::Result<()> {
        let (first, last) = (part.moments.start as i64, part.moments.end as i64);
        self.connection
            .prepare_cached("INSERT INTO parts (run, first, last, print) VALUES (?1, ?2, ?3, ?4)")?
            .execute((run, first, last, part.fingerprint))?;
        let id = self.connection.last_insert_rowid();
        self.connection
            .prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
            .execute((id, words))?;
        Ok(())
    }

    /// Marks a run as complete.
    pub fn end_run(&self, run: i64, stamp: &FilesStamp) -> rusqlite::Result<()> {
        let stamp = serde_json::to_string(stamp).ok(); // paths that are no text: never whole, always searched
        self.connection.execute("UPDATE runs SET stamp = ?2 WHERE id = ?1", (run, stamp))?;
        Ok(())
    }

    /// Removes a run.
    pub(crate) fn remove_run(&self, run: i64) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM parts WHERE run = ?1", [run])?;
        self.connection.execute("DELETE FROM runs WHERE id = ?1", [run])?;
        Ok(())
    }
}

/// Returns the version of the program: another one may read other words in a recording.
fn program_version() -> String {
    format!("trajview {}", env!("CARGO_PKG_VERSION"))
}

fn has_layout(connection: &Connection) -> rusqlite::Result<bool> {
    let layout: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if layout != LAYOUT_VERSION {
        return Ok(false);
    }
    let by: String = connection.query_row("SELECT by FROM made", [], |row| row.get(0))?;
    Ok(by == program_version())
}

fn is_damage(why: &rusqlite::Error) -> bool {
    matches!(why.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Returns the FTS5 expression that a part must match; None where nothing is needed.
fn match_expression(needed: &IndexNeeds) -> Option<String> {
    let term = |before: &str, word: &IndexWord| {
        let star = if word.is_prefix { " *" } else { "" };
        format!("\"{before}{}\"{star}", word.text) // a word has no quotes in it
    };
    let words = needed.words.iter().map(|word| term("", word));
    let edited = needed.edited.iter().map(|word| term(EDITED_MARK, word));
    let tools = needed.tools.iter().map(|word| term(TOOL_MARK, word));
    let failed = needed.failed.then(|| format!("\"{FAILED_MARK}\""));
    let all: Vec<String> = words.chain(edited).chain(tools).chain(failed).collect();
    (!all.is_empty()).then(|| all.join(" AND "))
}
