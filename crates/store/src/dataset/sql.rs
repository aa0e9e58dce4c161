//! The same tables for questions in SQL, in a database that SQLite keeps in memory and, where it grows, in a file without a
//! name. Nothing of it outlives the question. Tables that were exported already are read where they lie.

use std::{collections::BTreeMap, io};

use rusqlite::{
    Connection, ToSql, limits::Limit, params_from_iter, types::ToSqlOutput, types::Value,
    types::ValueRef,
};

use super::{
    cell::{Cell, Row},
    columns::{Kind, Table, columns},
    exported::Exported,
    spool::Spool,
};

/// A table of answers: names of columns, and rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

/// The tables of a spool, to be asked.
pub struct Database(Connection);

/// Bytes of memory that SQLite may take for a query; what it sorts or groups beyond that is on the disk.
const MOST_MEMORY: i64 = 192 << 20;

/// Bytes of one value, whatever a query makes of the texts of runs.
const LONGEST: i32 = 48 << 20;

/// Bytes of an answer, which is held until its columns are laid out.
const MOST_OF_AN_ANSWER: usize = 96 << 20;

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// A sentence.
    #[error("{0}")]
    Wrong(String),
    #[error("the query was interrupted")]
    Interrupted,
}

/// Ends the query of a [`Database`] from another thread.
pub struct Interrupt(rusqlite::InterruptHandle);

impl Interrupt {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

/// A database that is nowhere, within the bounds of memory.
fn bounded() -> io::Result<Connection> {
    let connection = Connection::open("").map_err(io::Error::other)?;
    connection.pragma_update(None, "hard_heap_limit", MOST_MEMORY).map_err(io::Error::other)?;
    connection.pragma_update(None, "temp_store", "file").map_err(io::Error::other)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map_err(io::Error::other)?;
    Ok(connection)
}

impl Database {
    /// Takes the rows of some tables; the others are there without rows.
    ///
    /// # Errors
    ///
    /// Where the rows cannot be read or the database cannot be written.
    pub fn of(spool: &mut Spool, tables: &[Table]) -> io::Result<Self> {
        let mut connection = bounded()?;
        for table in Table::ALL {
            connection.execute(&created(table), ()).map_err(io::Error::other)?;
        }
        for table in tables {
            fill(&mut connection, *table, |add| spool.write(*table, add))?;
        }
        connection.pragma_update(None, "query_only", true).map_err(io::Error::other)?;
        Ok(Self(connection))
    }

    /// The tables of exports. The largest that the query names is read where it lies, and what it is joined with is copied:
    /// only a copy has an index.
    ///
    /// # Errors
    ///
    /// Where a part cannot be read or the database cannot be written.
    pub fn over(exported: &Exported, query: &str) -> io::Result<Self> {
        let mut connection = bounded()?;
        let (mentions, named) = (Mentions::of(query), named_in(query));
        let lying = register_lying(exported, &mentions, &named, &connection)?;
        for table in Table::ALL.into_iter().filter(|table| !lying.contains(table)) {
            connection.execute(&created(table), ()).map_err(io::Error::other)?;
            if named.contains(&table) {
                let rows = exported.rows(table, &[]).map_err(io::Error::other)?;
                let mut rows = rows.map(|row| row.map_err(io::Error::other));
                fill(&mut connection, table, |add| rows.try_for_each(|row| add(&row?)))?;
            }
        }
        connection.pragma_update(None, "query_only", true).map_err(io::Error::other)?;
        Ok(Self(connection))
    }

    /// What a query gives.
    ///
    /// # Errors
    ///
    /// A sentence of SQLite's, where the query is wrong, and where it is no query; where it takes more than it may, and where
    /// somebody interrupts it.
    pub fn ask(&self, query: &str) -> Result<Answer, AskError> {
        let mut statement = self.0.prepare(query).map_err(sentence)?;
        if !statement.readonly() || statement.column_count() == 0 {
            let why = "expected one query, as select; nothing can be changed here";
            return Err(AskError::Wrong(why.into()));
        }
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query(()).map_err(sentence)?;
        let (mut rows, mut bytes) = (vec![], 0_usize);
        while let Some(row) = found.next().map_err(sentence)? {
            let cells = (0..names.len()).map(|at| row.get_ref(at).map(cell));
            let cells = cells.collect::<Result<Vec<_>, _>>().map_err(sentence)?;
            let sizes =
                cells.iter().map(|cell| size_of::<Cell>() + cell.text().map_or(0, str::len));
            bytes += size_of::<Vec<Cell>>() + sizes.sum::<usize>();
            if bytes > MOST_OF_AN_ANSWER {
                return Err(AskError::Wrong(format!(
                    "the answer has more than {} MiB; ask for fewer rows or columns, or export the tables",
                    MOST_OF_AN_ANSWER >> 20
                )));
            }
            rows.push(cells);
        }
        drop(found);
        Ok(Answer { columns: names, rows })
    }

    /// By which another thread ends a query.
    pub fn interrupt(&self) -> Interrupt {
        Interrupt(self.0.get_interrupt_handle())
    }
}

/// The tables of those that are named which are read where they lie: the largest from which rows are taken, unless they are taken
/// twice or by a query within the query, as then they might be read for each row of another; and those whose name only stands
/// there. None where the export is not in a form for it.
#[cfg(feature = "parquet")]
fn register_lying(
    exported: &Exported,
    mentions: &Mentions,
    named: &[Table],
    connection: &Connection,
) -> io::Result<Vec<Table>> {
    use super::{form::Form, in_place::InPlace};
    let mut largest: Option<(Table, InPlace)> = None;
    let mut lying = vec![];
    for table in named {
        let Some((Form::Parquet, files)) = exported.files(*table) else { continue };
        let found = InPlace::open(*table, &files).map_err(io::Error::other)?;
        if !mentions.counts.contains_key(table) {
            lying.push((*table, found));
        } else if largest.as_ref().is_none_or(|(_, other)| other.count() < found.count()) {
            largest = Some((*table, found));
        }
    }
    let is_taken_once = |table: &Table| {
        mentions.counts.get(table) == Some(&1) && (mentions.all() == 1 || !mentions.has_inner_query)
    };
    lying.extend(largest.filter(|(table, _)| is_taken_once(table)));
    let register = |(table, found): (Table, InPlace)| {
        found.register(connection).map(|()| table).map_err(io::Error::other)
    };
    lying.into_iter().map(register).collect()
}

#[cfg(not(feature = "parquet"))]
fn register_lying(
    _: &Exported,
    _: &Mentions,
    _: &[Table],
    _: &Connection,
) -> io::Result<Vec<Table>> {
    Ok(vec![])
}

/// Copies the rows of a table into the database.
fn fill(
    connection: &mut Connection,
    table: Table,
    rows: impl FnOnce(&mut dyn FnMut(&Row) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let transaction = connection.transaction().map_err(io::Error::other)?;
    let holes = vec!["?"; columns(table).len()].join(", ");
    let insert = format!("insert into {} values ({holes})", table.word());
    let mut statement = transaction.prepare(&insert).map_err(io::Error::other)?;
    rows(&mut |row| statement.execute(params_from_iter(row)).map(drop).map_err(io::Error::other))?;
    drop(statement);
    transaction.commit().map_err(io::Error::other)
}

/// What SQLite says, in a sentence.
fn sentence(why: rusqlite::Error) -> AskError {
    use rusqlite::ErrorCode;
    AskError::Wrong(match why.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => return AskError::Interrupted,
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

/// From which tables a query takes rows, as far as its words tell.
#[derive(Debug, Default, PartialEq)]
struct Mentions {
    /// How often the name of each table stands behind `from` or `join`, or in the list behind `from`.
    counts: BTreeMap<Table, usize>,
    /// A query stands where a value does: it may be asked for each row of another.
    has_inner_query: bool,
}

impl Mentions {
    fn of(query: &str) -> Self {
        const ENDS: [&str; 8] =
            ["where", "group", "order", "limit", "having", "union", "except", "intersect"];
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = Self::default();
        let (mut in_list, mut is_next) = (false, false);
        // Whether a bracket was the last that stood there, and where it stands no table does.
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
                    found.has_inner_query |= last == "(" && is_in_bracket;
                    (in_list, is_next) = (false, false);
                }
                word if ENDS.contains(&word) => (in_list, is_next) = (false, false),
                word => {
                    if let Some(table) = Table::by_word(word).filter(|_| is_next) {
                        *found.counts.entry(table).or_default() += 1;
                    }
                    is_next = false;
                }
            }
            last = word;
        }
        found
    }

    /// How often rows of all tables are taken.
    fn all(&self) -> usize {
        self.counts.values().sum()
    }
}

/// The tables that a query may read: those whose names stand in it.
pub fn named_in(query: &str) -> Vec<Table> {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .map(str::to_ascii_lowercase)
        .collect();
    Table::ALL.into_iter().filter(|table| words.iter().any(|it| it == table.word())).collect()
}

fn created(table: Table) -> String {
    let columns = columns(table).iter().map(|column| declared(column.name, column.kind));
    format!("create table {} ({})", table.word(), columns.collect::<Vec<_>>().join(", "))
}

/// A column as a table is made with it.
pub(super) fn declared(name: &str, kind: Kind) -> String {
    let kind = match kind {
        Kind::Text | Kind::Json => "text",
        Kind::Whole => "integer",
        Kind::Real => "real",
        Kind::Truth => "boolean",
    };
    format!("\"{name}\" {kind}")
}

/// A cell as SQLite keeps it.
pub(super) fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Text(words) => Value::Text(words.clone()),
        Cell::Whole(number) => Value::Integer(*number),
        Cell::Real(number) => Value::Real(*number),
        Cell::Truth(is_so) => Value::Integer(i64::from(*is_so)),
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Missing => ToSqlOutput::Owned(Value::Null),
            Self::Text(words) => ToSqlOutput::Borrowed(ValueRef::Text(words.as_bytes())),
            Self::Whole(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Truth(is_so) => ToSqlOutput::Owned(Value::Integer(i64::from(*is_so))),
        })
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Missing,
        ValueRef::Integer(number) => Cell::Whole(number),
        ValueRef::Real(number) if number.is_finite() => Cell::Real(number),
        ValueRef::Real(_) => Cell::Missing,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Cell::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::spool::RunRows, *};

    fn database() -> Database {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path()).unwrap();
        for (path, task, tokens) in [("b", "t", json!(3)), ("a", "t", json!(null))] {
            let mut rows = RunRows::new(Some(task), path);
            let row = json!({ "source_uri": path, "task_id": task, "total_tokens": tokens,
                "outcome": { "success": true }, "totals": { "cost_usd": 0.1 } });
            rows.push(Table::Runs, &row);
            spool.add(rows).unwrap();
        }
        Database::of(&mut spool, &[Table::Runs]).unwrap()
    }

    #[test]
    fn a_query_sees_the_values_of_the_tables_and_null_is_null() {
        let answer = database()
            .ask("select source_uri, total_tokens, success, cost_usd from runs order by source_uri")
            .unwrap();

        assert_eq!(answer.columns, ["source_uri", "total_tokens", "success", "cost_usd"]);
        let row = |path: &str, tokens| {
            vec![Cell::Text(path.into()), tokens, Cell::Whole(1), Cell::Real(0.1)]
        };
        assert_eq!(answer.rows, [row("a", Cell::Missing), row("b", Cell::Whole(3))]);
    }

    #[test]
    fn tables_that_are_not_named_are_there_without_rows() {
        let answer = database().ask("select count(*) from texts").unwrap();

        assert_eq!(answer.rows, [[Cell::Whole(0)]]);
        assert_eq!(named_in("SELECT * FROM Runs join turns t"), [Table::Runs, Table::Turns]);
        assert_eq!(named_in("select my_runs"), []);
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
            let found = Mentions::of(query);
            let count = |table| found.counts.get(&table).copied().unwrap_or_default();
            let counts = [count(Table::Runs), count(Table::Turns)];
            assert_eq!((counts, found.has_inner_query), (expected, has_inner_query), "{query}");
        }
    }

    #[test]
    fn nothing_can_be_changed() {
        let database = database();
        for query in
            ["delete from runs", "drop table runs", "attach 'x.db' as x", "create table x (a)", ""]
        {
            assert!(database.ask(query).is_err(), "{query}");
        }
        assert!(
            database.ask("select nothing from runs").unwrap_err().to_string().contains("nothing")
        );
    }

    #[test]
    fn the_memory_of_a_query_and_of_its_answer_is_bounded_whatever_it_asks_for() {
        let database = database();
        let many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)";
        for query in [
            "select zeroblob(999999999)",
            "select length(randomblob(999999999))",
            "select printf('%.*c', 999999999, 'x')",
            "select replace(replace(hex(zeroblob(9999)), '0', hex(zeroblob(9999))), '0', '0123456789')",
            &format!("{many} select group_concat(hex(zeroblob(99999))) from n"),
            &format!("{many} select i, hex(zeroblob(999999)) from n"),
        ] {
            let why = database.ask(query).unwrap_err().to_string();
            assert!(why.contains(" MiB"), "{query}: {why}");
        }
        let sorted = format!(
            "{many} select count(*) from (select hex(randomblob(99999)) h from n order by h)"
        );
        assert_eq!(database.ask(&sorted).unwrap().rows, [[Cell::Whole(400)]]);
    }

    #[test]
    fn a_query_without_an_end_is_interrupted() {
        let database = database();
        let interrupt = database.interrupt();
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
            let outcome = database.ask(endless);
            drop(begin);
            outcome
        });

        assert_eq!(outcome, Err(AskError::Interrupted));
    }
}
