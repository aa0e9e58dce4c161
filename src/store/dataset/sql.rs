//! The same tables for questions in SQL, in a database that SQLite keeps in memory and, where it grows, in a file without a
//! name. Nothing of it outlives the question. Tables that were exported already are read where they lie.

use std::io;

use rusqlite::{
    Connection, ToSql, params_from_iter, types::ToSqlOutput, types::Value, types::ValueRef,
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

impl Database {
    /// Takes the rows of some tables; the others are there without rows.
    ///
    /// # Errors
    ///
    /// Where the rows cannot be read or the database cannot be written.
    pub fn of(spool: &mut Spool, tables: &[Table]) -> io::Result<Self> {
        let mut connection = Connection::open("").map_err(io::Error::other)?;
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
        let mut connection = Connection::open("").map_err(io::Error::other)?;
        let mentions: Vec<(Table, usize)> =
            Table::ALL.into_iter().map(|table| (table, mentions(query, table))).collect();
        let lying = lying(exported, &mentions)?;
        let kept = lying.as_ref().map(|(table, _)| *table);
        if let Some((_, make)) = lying {
            make(&connection).map_err(io::Error::other)?;
        }
        for (table, count) in mentions {
            if Some(table) == kept {
                continue;
            }
            connection.execute(&created(table), ()).map_err(io::Error::other)?;
            if count > 0 {
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
    /// A sentence of SQLite's, where the query is wrong, and where it is no query.
    pub fn ask(&self, query: &str) -> Result<Answer, String> {
        let said = |why: rusqlite::Error| why.to_string();
        let mut statement = self.0.prepare(query).map_err(said)?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err("expected one query, as select; nothing can be changed here".into());
        }
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query(()).map_err(said)?;
        let mut rows = vec![];
        while let Some(row) = found.next().map_err(said)? {
            let cells = (0..names.len()).map(|at| row.get_ref(at).map(cell));
            rows.push(cells.collect::<Result<Vec<_>, _>>().map_err(said)?);
        }
        drop(found);
        Ok(Answer { columns: names, rows })
    }
}

/// Makes a table that is read where it lies.
type Make = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()>>;

/// The table that is read where it lies: the largest that is mentioned, unless it is mentioned twice and may be joined with
/// itself. None where the export is not in a form for it.
#[cfg(feature = "parquet")]
fn lying(exported: &Exported, mentions: &[(Table, usize)]) -> io::Result<Option<(Table, Make)>> {
    use super::{form::Form, in_place::InPlace};
    let mut largest: Option<(usize, Table, InPlace)> = None;
    for (table, count) in mentions.iter().filter(|(_, count)| *count > 0) {
        let Some((Form::Parquet, files)) = exported.files(*table) else { continue };
        let found = InPlace::open(*table, &files).map_err(io::Error::other)?;
        if largest.as_ref().is_none_or(|(_, _, other)| other.count() < found.count()) {
            largest = Some((*count, *table, found));
        }
    }
    let once = largest.filter(|(count, ..)| *count == 1);
    Ok(once.map(|(_, table, found)| {
        let make: Make = Box::new(move |connection| found.register(connection));
        (table, make)
    }))
}

#[cfg(not(feature = "parquet"))]
fn lying(_: &Exported, _: &[(Table, usize)]) -> io::Result<Option<(Table, Make)>> {
    Ok(None)
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

/// How often a query takes rows from a table: how often its name stands behind `from` or `join`, or in the list behind `from`.
fn mentions(query: &str, table: Table) -> usize {
    const ENDS: [&str; 9] =
        ["where", "group", "order", "limit", "having", "union", "except", "intersect", "select"];
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut count, mut in_list, mut is_next) = (0, false, false);
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let length = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let word = rest[..length].to_ascii_lowercase();
        rest = &rest[length..];
        match word.as_str() {
            "from" => (in_list, is_next) = (true, true),
            "join" => is_next = true,
            "," => is_next = in_list,
            "(" | "\"" | "`" | "[" => {}
            word if word.trim().is_empty() => {}
            word if ENDS.contains(&word) => (in_list, is_next) = (false, false),
            word => {
                count += usize::from(is_next && word == table.word());
                is_next = false;
            }
        }
    }
    count
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
        for (query, expected) in [
            ("select turns from runs", [1, 0]),
            ("select agent, turns from runs, turns", [1, 1]),
            ("select count(*) from Turns t join turns u on t.turn = u.turn", [0, 2]),
            ("select (select count(*) from runs) from \"turns\" where turns.turn > 1", [1, 1]),
            ("select 1", [0, 0]),
        ] {
            let found = [Table::Runs, Table::Turns].map(|table| mentions(query, table));
            assert_eq!(found, expected, "{query}");
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
        assert!(database.ask("select nothing from runs").unwrap_err().contains("nothing"));
    }
}
