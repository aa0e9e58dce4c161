//! Rows that may change, and which of them fit an expression in SQL.

use std::io;

use rusqlite::{Connection, params_from_iter, types::Value};

use super::{
    cell::DataRow,
    columns::{DataKind, DataTable, table_columns},
    sql::{column_declaration, sqlite_value},
};

/// A table of rows in memory, each with a number.
#[derive(Debug)]
pub struct RowFilter {
    connection: Connection,
    columns: usize,
}

impl RowFilter {
    /// Makes a table with these columns and no rows.
    ///
    /// # Errors
    ///
    /// Where SQLite cannot make the table.
    pub fn with_columns(columns: &[(&str, DataKind)]) -> io::Result<Self> {
        let connection = Connection::open_in_memory().map_err(io::Error::other)?;
        let declared = columns.iter().map(|(name, kind)| column_declaration(name, *kind));
        let declared = declared.collect::<Vec<_>>().join(", ");
        let create = format!("create table runs (\"#\" integer primary key, {declared})");
        connection.execute_batch(&create).map_err(io::Error::other)?;
        Ok(Self { connection, columns: columns.len() })
    }

    /// Adds rows, or replaces those of the same numbers.
    ///
    /// # Errors
    ///
    /// Where SQLite cannot take them.
    pub fn put_rows(&mut self, rows: impl Iterator<Item = (usize, DataRow)>) -> io::Result<()> {
        let transaction = self.connection.transaction().map_err(io::Error::other)?;
        let holes = vec!["?"; self.columns + 1].join(", ");
        let insert = format!("insert or replace into runs values ({holes})");
        let mut statement = transaction.prepare(&insert).map_err(io::Error::other)?;
        for (number, row) in rows {
            let number = Value::Integer(number as i64);
            let cells = std::iter::once(number).chain(row.iter().map(sqlite_value));
            statement.execute(params_from_iter(cells)).map_err(io::Error::other)?;
        }
        drop(statement);
        transaction.commit().map_err(io::Error::other)
    }

    /// Returns the numbers of the rows for which the expression is true, in ascending order.
    ///
    /// # Errors
    ///
    /// A sentence, where it cannot be evaluated.
    pub fn matching_rows(&self, expression: &str) -> Result<Vec<usize>, String> {
        let mut words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| word.eq_ignore_ascii_case("select")) {
            return Err(
                "a filter is one condition, without select; `trajview sql` answers queries".into(),
            );
        }
        // Its brackets are its own, and a comment ends where the line does.
        let query = format!("select \"#\" from runs where (\n{expression}\n) order by 1");
        let mut statement = self.connection.prepare(&query).map_err(|why| error_text(&why))?;
        if !statement.readonly() || statement.column_count() != 1 {
            return Err("expected one condition, as turns > 9".into());
        }
        let rows = statement.query_map((), |row| row.get::<_, i64>(0));
        let numbers = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<i64>>>);
        let numbers = numbers.map_err(|why| error_text(&why))?;
        Ok(numbers.into_iter().filter_map(|number| usize::try_from(number).ok()).collect())
    }
}

/// Returns the text of an error of SQLite for the person who typed the filter.
fn error_text(why: &rusqlite::Error) -> String {
    let message = match why {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    let after = |begin: &str| message.strip_prefix(begin).map(str::trim);
    if let Some(name) = after("no such column:") {
        let is_of_runs = table_columns(DataTable::Runs).iter().any(|column| column.name == name);
        return match is_of_runs {
            true => format!(
                "{name} takes more of each recording than the table of runs reads; `trajview sql` has it"
            ),
            false => format!("no column {name}; tab completes names, quote texts as '…'"),
        };
    }
    if let Some(name) = after("no such function:") {
        return format!("no function {name}");
    }
    if let Some(word) = after("unrecognized token:").map(|it| it.trim_matches('"')) {
        let is_open = word.starts_with(['\'', '"']);
        return match is_open {
            true => "a text that begins with a quote has no end yet".into(),
            false => format!("cannot read {word}"),
        };
    }
    let near = after("near \"").and_then(|rest| rest.strip_suffix("\": syntax error"));
    match near {
        // The bracket that we set: more was expected before it.
        Some(")") => "the condition is not finished".into(),
        Some(word) => format!("did not expect {word} there"),
        None if message == "incomplete input" => "the condition is not finished".into(),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::cell::DataCell, *};

    fn test_filter() -> RowFilter {
        let columns =
            [("agent", DataKind::Text), ("mcf", DataKind::Real), ("turns", DataKind::Integer)];
        let mut chooser = RowFilter::with_columns(&columns).unwrap();
        let row = |agent: &str, mcf: DataCell, turns| {
            vec![DataCell::Text(agent.into()), mcf, DataCell::Integer(turns)]
        };
        let rows = [
            (0, row("codex", DataCell::Real(0.25), 3)),
            (1, row("codex", DataCell::Missing, 30)),
            (7, row("claude-code", DataCell::Real(0.75), 9)),
        ];
        chooser.put_rows(rows.into_iter()).unwrap();
        chooser
    }

    #[test]
    fn rows_that_fit_are_told_by_their_numbers_and_a_missing_value_fits_nothing() {
        let chooser = test_filter();
        let of = |expression: &str| chooser.matching_rows(expression).unwrap();

        assert_eq!(of("mcf < 0.5 and agent = 'codex'"), [0]);
        assert_eq!(of("mcf < 1 or mcf >= 1"), [0, 7]);
        assert_eq!(of("mcf is null"), [1]);
        assert_eq!(of("agent like 'c%' and turns = '9' -- as text"), [7]);
        assert_eq!(of("0"), [0; 0]);
    }

    #[test]
    fn a_row_that_changed_stands_in_the_place_of_the_old_one() {
        let mut chooser = test_filter();
        let row = vec![DataCell::Missing, DataCell::Real(0.1), DataCell::Missing];
        chooser.put_rows([(7, row)].into_iter()).unwrap();

        assert_eq!(chooser.matching_rows("mcf < 0.2").unwrap(), [7]);
    }

    #[test]
    fn what_is_wrong_with_an_expression_is_said_in_words() {
        let chooser = test_filter();
        for (expression, expected) in [
            ("mcf <", "the condition is not finished"),
            ("agent = 'cod", "a text that begins with a quote has no end yet"),
            ("agnet = 'codex'", "no column agnet; tab completes names, quote texts as '…'"),
            (
                "pillar_pf > 0.5",
                "pillar_pf takes more of each recording than the table of runs reads; `trajview sql` has it",
            ),
            ("mcf 3", "did not expect 3 there"),
            ("median(mcf) > 3", "no function median"),
            ("mcf ? 3", "did not expect ? there"),
            ("1) ; delete from runs; --", "the condition is not finished"),
            (
                "mcf in (select 1)",
                "a filter is one condition, without select; `trajview sql` answers queries",
            ),
        ] {
            assert_eq!(chooser.matching_rows(expression).unwrap_err(), expected, "{expression}");
        }
        assert_eq!(chooser.matching_rows("1").unwrap(), [0, 1, 7]);
    }
}
