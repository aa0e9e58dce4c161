//! Queries in SQL over the same tables, in a database that SQLite keeps in memory and, where it grows, in a file
//! without a name. Nothing of it remains after the query. Tables that were exported already are read in place.

use std::{collections::BTreeMap, io};

use rusqlite::{
    Connection, ToSql, limits::Limit, params_from_iter, types::ToSqlOutput, types::Value,
    types::ValueRef,
};

use super::{
    cell::{DataCell, DataRow},
    columns::{DataKind, DataTable, table_columns},
    exported_tables::ExportedTables,
    run_spool::RunSpool,
};

/// A table of answers: names of columns, and rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryAnswer {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<DataCell>>,
}

/// A database of the tables of a spool, which can be queried.
pub struct QueryDatabase(Connection);

/// The most bytes of memory that SQLite may take for a query; what it sorts or groups beyond that is on the disk.
const MOST_MEMORY: i64 = 192 << 20;

/// The number of bytes of one value, whatever a query makes of the texts of runs.
const LONGEST: i32 = 48 << 20;

/// The most bytes of an answer, which is held until its columns are laid out.
const MOST_OF_AN_ANSWER: usize = 96 << 20;

/// The reason why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A sentence.
    #[error("{0}")]
    Wrong(String),
    #[error("the query was interrupted")]
    Interrupted,
}

/// A handle that ends the query of a [`QueryDatabase`] from another thread.
pub struct QueryInterrupt(rusqlite::InterruptHandle);

impl QueryInterrupt {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

/// Opens an empty database that has no file, within the limits of memory.
fn open_bounded() -> io::Result<Connection> {
    let connection = Connection::open("").map_err(io::Error::other)?;
    connection.pragma_update(None, "hard_heap_limit", MOST_MEMORY).map_err(io::Error::other)?;
    connection.pragma_update(None, "temp_store", "file").map_err(io::Error::other)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map_err(io::Error::other)?;
    Ok(connection)
}

impl QueryDatabase {
    /// Makes a database with the rows of some tables; the other tables exist without rows.
    ///
    /// # Errors
    ///
    /// Where the rows cannot be read or the database cannot be written.
    pub fn from_spool(spool: &mut RunSpool, tables: &[DataTable]) -> io::Result<Self> {
        let mut connection = open_bounded()?;
        for table in DataTable::ALL {
            connection.execute(&create_statement(table), ()).map_err(io::Error::other)?;
        }
        for table in tables {
            copy_rows(&mut connection, *table, |add| spool.write_table(*table, add))?;
        }
        connection.pragma_update(None, "query_only", true).map_err(io::Error::other)?;
        Ok(Self(connection))
    }

    /// Returns the tables of exports. The largest that the query names is read where it lies, and what it is joined
    /// with is copied: only a copy has an index.
    ///
    /// # Errors
    ///
    /// Where a part cannot be read or the database cannot be written.
    pub fn over_exports(exported: &ExportedTables, query: &str) -> io::Result<Self> {
        let mut connection = open_bounded()?;
        let (mentions, named) = (TableMentions::in_query(query), tables_named_in(query));
        let tables_in_place = register_in_place(exported, &mentions, &named, &connection)?;
        for table in DataTable::ALL.into_iter().filter(|table| !tables_in_place.contains(table)) {
            connection.execute(&create_statement(table), ()).map_err(io::Error::other)?;
            if named.contains(&table) {
                let rows = exported.table_rows(table, &[]).map_err(io::Error::other)?;
                let mut rows = rows.map(|row| row.map_err(io::Error::other));
                copy_rows(&mut connection, table, |add| rows.try_for_each(|row| add(&row?)))?;
            }
        }
        connection.pragma_update(None, "query_only", true).map_err(io::Error::other)?;
        Ok(Self(connection))
    }

    /// Runs a query and returns its result.
    ///
    /// # Errors
    ///
    /// A sentence of SQLite, where the query is wrong, where it is no query, where it exceeds a limit, and where
    /// another thread interrupts it.
    pub fn run_query(&self, query: &str) -> Result<QueryAnswer, QueryError> {
        let mut statement = self.0.prepare(query).map_err(query_error)?;
        if !statement.readonly() || statement.column_count() == 0 {
            let why = "expected one query, as select; nothing can be changed here";
            return Err(QueryError::Wrong(why.into()));
        }
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut cursor = statement.query(()).map_err(query_error)?;
        let (mut rows, mut bytes) = (vec![], 0_usize);
        while let Some(row) = cursor.next().map_err(query_error)? {
            let cells = (0..names.len()).map(|at| row.get_ref(at).map(cell_from_sqlite));
            let cells = cells.collect::<Result<Vec<_>, _>>().map_err(query_error)?;
            let sizes =
                cells.iter().map(|cell| size_of::<DataCell>() + cell.as_text().map_or(0, str::len));
            bytes += size_of::<Vec<DataCell>>() + sizes.sum::<usize>();
            if bytes > MOST_OF_AN_ANSWER {
                return Err(QueryError::Wrong(format!(
                    "the answer has more than {} MiB; ask for fewer rows or columns, or export the tables",
                    MOST_OF_AN_ANSWER >> 20
                )));
            }
            rows.push(cells);
        }
        drop(cursor);
        Ok(QueryAnswer { columns: names, rows })
    }

    /// Returns a handle by which another thread ends a query.
    pub fn interrupt_handle(&self) -> QueryInterrupt {
        QueryInterrupt(self.0.get_interrupt_handle())
    }
}

/// Registers the tables that are read in place and returns them. These are the largest of the named tables from which
/// rows are taken, unless its rows are taken twice or by an inner query, which might read them for each row of another
/// table; and the tables that are named without taking rows. Empty where the form of the export does not allow it.
#[cfg(feature = "parquet")]
fn register_in_place(
    exported: &ExportedTables,
    mentions: &TableMentions,
    named: &[DataTable],
    connection: &Connection,
) -> io::Result<Vec<DataTable>> {
    use super::{sqlite_scan::TableFiles, table_format::TableFormat};
    let mut largest: Option<(DataTable, TableFiles)> = None;
    let mut in_place = vec![];
    for table in named {
        let Some((TableFormat::Parquet, files)) = exported.table_files(*table) else { continue };
        let table_files = TableFiles::open(*table, &files).map_err(io::Error::other)?;
        if !mentions.counts.contains_key(table) {
            in_place.push((*table, table_files));
        } else if largest
            .as_ref()
            .is_none_or(|(_, other)| other.row_count() < table_files.row_count())
        {
            largest = Some((*table, table_files));
        }
    }
    let is_taken_once = |table: &DataTable| {
        mentions.counts.get(table) == Some(&1)
            && (mentions.mention_count() == 1 || !mentions.has_inner_query)
    };
    in_place.extend(largest.filter(|(table, _)| is_taken_once(table)));
    let register = |(table, table_files): (DataTable, TableFiles)| {
        table_files.register_table(connection).map(|()| table).map_err(io::Error::other)
    };
    in_place.into_iter().map(register).collect()
}

#[cfg(not(feature = "parquet"))]
fn register_in_place(
    _: &ExportedTables,
    _: &TableMentions,
    _: &[DataTable],
    _: &Connection,
) -> io::Result<Vec<DataTable>> {
    Ok(vec![])
}

/// Copies the rows of a table into the database.
fn copy_rows(
    connection: &mut Connection,
    table: DataTable,
    rows: impl FnOnce(&mut dyn FnMut(&DataRow) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let transaction = connection.transaction().map_err(io::Error::other)?;
    let holes = vec!["?"; table_columns(table).len()].join(", ");
    let insert = format!("insert into {} values ({holes})", table.word());
    let mut statement = transaction.prepare(&insert).map_err(io::Error::other)?;
    rows(&mut |row| statement.execute(params_from_iter(row)).map(drop).map_err(io::Error::other))?;
    drop(statement);
    transaction.commit().map_err(io::Error::other)
}

/// Turns an error of SQLite into a sentence.
fn query_error(why: rusqlite::Error) -> QueryError {
    use rusqlite::ErrorCode;
    QueryError::Wrong(match why.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => return QueryError::Interrupted,
        Some(ErrorCode::OutOfMemory) => format!(
            "the query needs more than {} MiB of memory; ask for fewer or shorter values",
            MOST_MEMORY >> 20
        ),
        Some(ErrorCode::TooBig) => format!(
            "the query makes a value of more than {} MiB; ask for shorter ones, as substr(text, 1, 1000)",
            LONGEST >> 20
        ),
        Some(ErrorCode::DiskFull) => {
            "the query needs more room on the disk than there is, for what it sorts or groups"
                .into()
        }
        _ => why.to_string(),
    })
}

/// The tables that a query takes rows from, as far as its text shows.
#[derive(Debug, Default, PartialEq)]
struct TableMentions {
    /// The number of times that the name of each table follows `from` or `join`, or is in the list after `from`.
    counts: BTreeMap<DataTable, usize>,
    /// True if a query is in the place of a value: it may run for each row of another table.
    has_inner_query: bool,
}

impl TableMentions {
    fn in_query(query: &str) -> Self {
        const ENDS: [&str; 8] =
            ["where", "group", "order", "limit", "having", "union", "except", "intersect"];
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut mentions = Self::default();
        let (mut in_list, mut is_next) = (false, false);
        // True if a bracket was the last token, in a place where no table can be.
        let mut is_in_bracket = false;
        let mut last = String::new();
        let mut rest = query;
        while let Some(first) = rest.chars().next() {
            let length = match is_of_word(first) {
                true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let word = rest[..length].to_ascii_lowercase();
            rest = &rest[length..];
            if word.trim().is_empty() {
                continue;
            }
            match word.as_str() {
                "from" => (in_list, is_next) = (true, true),
                "join" => is_next = true,
                "," => is_next = in_list,
                "(" => is_in_bracket = !is_next && last != "as",
                "\"" | "`" | "[" => {}
                "select" => {
                    mentions.has_inner_query |= last == "(" && is_in_bracket;
                    (in_list, is_next) = (false, false);
                }
                word if ENDS.contains(&word) => (in_list, is_next) = (false, false),
                word => {
                    if let Some(table) = DataTable::by_word(word).filter(|_| is_next) {
                        *mentions.counts.entry(table).or_default() += 1;
                    }
                    is_next = false;
                }
            }
            last = word;
        }
        mentions
    }

    /// Returns how often rows are taken, of all tables together.
    fn mention_count(&self) -> usize {
        self.counts.values().sum()
    }
}

/// Returns the tables that a query may read: those whose names it contains.
pub fn tables_named_in(query: &str) -> Vec<DataTable> {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .map(str::to_ascii_lowercase)
        .collect();
    DataTable::ALL.into_iter().filter(|table| words.iter().any(|it| it == table.word())).collect()
}

fn create_statement(table: DataTable) -> String {
    let columns =
        table_columns(table).iter().map(|column| column_declaration(column.name, column.kind));
    format!("create table {} ({})", table.word(), columns.collect::<Vec<_>>().join(", "))
}

/// Returns a column as a table is made with it.
pub(super) fn column_declaration(name: &str, kind: DataKind) -> String {
    let kind = match kind {
        DataKind::Text | DataKind::Json => "text",
        DataKind::Integer => "integer",
        DataKind::Real => "real",
        DataKind::Bool => "boolean",
    };
    format!("\"{name}\" {kind}")
}

/// Returns a cell as SQLite keeps it.
pub(super) fn sqlite_value(cell: &DataCell) -> Value {
    match cell {
        DataCell::Missing => Value::Null,
        DataCell::Text(words) => Value::Text(words.clone()),
        DataCell::Integer(number) => Value::Integer(*number),
        DataCell::Real(number) => Value::Real(*number),
        DataCell::Bool(is_so) => Value::Integer(i64::from(*is_so)),
    }
}

impl ToSql for DataCell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Missing => ToSqlOutput::Owned(Value::Null),
            Self::Text(words) => ToSqlOutput::Borrowed(ValueRef::Text(words.as_bytes())),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Bool(is_so) => ToSqlOutput::Owned(Value::Integer(i64::from(*is_so))),
        })
    }
}

fn cell_from_sqlite(value: ValueRef<'_>) -> DataCell {
    match value {
        ValueRef::Null => DataCell::Missing,
        ValueRef::Integer(number) => DataCell::Integer(number),
        ValueRef::Real(number) if number.is_finite() => DataCell::Real(number),
        ValueRef::Real(_) => DataCell::Missing,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            DataCell::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::run_spool::RunRows, *};

    fn test_database() -> QueryDatabase {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = RunSpool::new(folder.path()).unwrap();
        for (path, task, tokens) in [("b", "t", json!(3)), ("a", "t", json!(null))] {
            let mut rows = RunRows::new(Some(task), path);
            let row = json!({ "source_uri": path, "task_id": task, "total_tokens": tokens,
                "outcome": { "success": true }, "totals": { "cost_usd": 0.1 } });
            rows.push(DataTable::Runs, &row);
            spool.add_run(rows).unwrap();
        }
        QueryDatabase::from_spool(&mut spool, &[DataTable::Runs]).unwrap()
    }

    #[test]
    fn a_query_sees_the_values_of_the_tables_and_null_is_null() {
        let answer = test_database()
            .run_query(
                "select source_uri, total_tokens, success, cost_usd from runs order by source_uri",
            )
            .unwrap();

        assert_eq!(answer.columns, ["source_uri", "total_tokens", "success", "cost_usd"]);
        let row = |path: &str, tokens| {
            vec![DataCell::Text(path.into()), tokens, DataCell::Integer(1), DataCell::Real(0.1)]
        };
        assert_eq!(answer.rows, [row("a", DataCell::Missing), row("b", DataCell::Integer(3))]);
    }

    #[test]
    fn tables_that_are_not_named_are_there_without_rows() {
        let answer = test_database().run_query("select count(*) from texts").unwrap();

        assert_eq!(answer.rows, [[DataCell::Integer(0)]]);
        assert_eq!(
            tables_named_in("SELECT * FROM Runs join turns t"),
            [DataTable::Runs, DataTable::Turns]
        );
        assert_eq!(tables_named_in("select my_runs"), []);
    }

    #[test]
    fn a_table_is_mentioned_where_rows_are_taken_from_it() {
        for (query, expected, has_inner_query) in [
            ("select turns from runs", [1, 0], false),
            ("select agent, turns from runs, turns", [1, 1], false),
            ("select count(*) from Turns t join turns u on t.turn = u.turn", [0, 2], false),
            ("select 1 from (select turn from turns), runs", [1, 1], false),
            ("with t as (select * from turns) select * from t join runs r", [1, 1], false),
            (
                "select (select count(*) from runs) from \"turns\" where turns.turn > 1",
                [1, 1],
                true,
            ),
            ("select 1 from runs where turns in (select turn from turns)", [1, 1], true),
            ("select max(turns), (1) from main.runs", [0, 0], false),
        ] {
            let mentions = TableMentions::in_query(query);
            let count = |table| mentions.counts.get(&table).copied().unwrap_or_default();
            let counts = [count(DataTable::Runs), count(DataTable::Turns)];
            assert_eq!((counts, mentions.has_inner_query), (expected, has_inner_query), "{query}");
        }
    }

    #[test]
    fn nothing_can_be_changed() {
        let database = test_database();
        for query in
            ["delete from runs", "drop table runs", "attach 'x.db' as x", "create table x (a)", ""]
        {
            assert!(database.run_query(query).is_err(), "{query}");
        }
        assert!(
            database
                .run_query("select nothing from runs")
                .unwrap_err()
                .to_string()
                .contains("nothing")
        );
    }

    #[test]
    fn the_memory_of_a_query_and_of_its_answer_is_bounded_whatever_it_asks_for() {
        let database = test_database();
        let many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)";
        for query in [
            "select zeroblob(999999999)",
            "select length(randomblob(999999999))",
            "select printf('%.*c', 999999999, 'x')",
            "select replace(replace(hex(zeroblob(9999)), '0', hex(zeroblob(9999))), '0', '0123456789')",
            &format!("{many} select group_concat(hex(zeroblob(99999))) from n"),
            &format!("{many} select i, hex(zeroblob(999999)) from n"),
        ] {
            let why = database.run_query(query).unwrap_err().to_string();
            assert!(why.contains(" MiB"), "{query}: {why}");
        }
        let sorted = format!(
            "{many} select count(*) from (select hex(randomblob(99999)) h from n order by h)"
        );
        assert_eq!(database.run_query(&sorted).unwrap().rows, [[DataCell::Integer(400)]]);
    }

    #[test]
    fn a_query_without_an_end_is_interrupted() {
        let database = test_database();
        let interrupt = database.interrupt_handle();
        let (begin, begun) = std::sync::mpsc::channel::<()>();

        let outcome = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Until one of them comes while the query runs.
                while begun.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                    interrupt.interrupt();
                    std::thread::yield_now();
                }
            });
            let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
            let outcome = database.run_query(endless);
            drop(begin);
            outcome
        });

        assert_eq!(outcome, Err(QueryError::Interrupted));
    }
}
