//! The columns of a table that a file has: all, or those that an export names.

use serde_json::{Value, json};
use trajview_run::closest_word::closest_word;

use super::{
    cell::{DataCell, DataRow},
    columns::{DataColumn, DataTable, column_json, table_columns},
};

/// Columns of one table, in the order in which a file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnChoice {
    table: DataTable,
    /// Places in [`table_columns()`], each at most once.
    places: Vec<usize>,
}

impl ColumnChoice {
    /// Returns every column of a table.
    pub fn all(table: DataTable) -> Self {
        Self { table, places: (0..table_columns(table).len()).collect() }
    }

    /// Returns the columns of these names, in their order; a name that is there twice counts once.
    ///
    /// # Errors
    ///
    /// The first name that is not a column of the table.
    pub fn from_names<'n>(
        table: DataTable,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, &'n str> {
        let mut places = vec![];
        for name in names {
            let place = table_columns(table).iter().position(|column| column.name == name);
            let place = place.ok_or(name)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(Self { table, places })
    }

    pub const fn table(&self) -> DataTable {
        self.table
    }

    pub fn columns(&self) -> impl Iterator<Item = &'static DataColumn> + '_ {
        self.places.iter().map(|place| &table_columns(self.table)[*place])
    }

    /// Returns whether no column is chosen.
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the place of a column in the file.
    pub(crate) fn place_in_file(&self, name: &str) -> Option<usize> {
        self.columns().position(|column| column.name == name)
    }

    /// Returns those cells of a row that are in the file, in its order; a row that is too short lacks values.
    pub(crate) fn chosen_cells<'r>(
        &'r self,
        row: &'r DataRow,
    ) -> impl Iterator<Item = &'r DataCell> {
        self.places.iter().map(|place| row.get(*place).unwrap_or(&DataCell::Missing))
    }

    /// Makes a row of all columns of the table of the cells that a file has; the others are missing.
    pub(crate) fn whole_row(&self, cells: impl IntoIterator<Item = DataCell>) -> DataRow {
        let mut row = vec![DataCell::Missing; table_columns(self.table).len()];
        for (place, cell) in self.places.iter().zip(cells) {
            row[*place] = cell;
        }
        row
    }

    /// Returns the columns as the metadata of a file has them.
    pub fn to_json(&self) -> Value {
        let columns: Vec<Value> = self.columns().map(column_json).collect();
        json!({ "table": self.table.word(), "about": self.table.description(), "columns": columns })
    }
}

/// Returns the tables with the columns of an export. A word is the name of a column, of every table that has it, or
/// `table.column`; without words each table has all its columns. Tables that are not named are left out where they have
/// none of the words but the columns that all tables have.
///
/// # Errors
///
/// A sentence about the first word that is not a column, with the column that it is probably meant to be.
pub fn choose_columns(
    named_tables: &[DataTable],
    words: &[&str],
) -> Result<Vec<ColumnChoice>, String> {
    let is_allowed = |table: &DataTable| named_tables.is_empty() || named_tables.contains(table);
    let tables: Vec<DataTable> = DataTable::ALL.into_iter().filter(is_allowed).collect();
    if words.is_empty() {
        return Ok(tables.into_iter().map(ColumnChoice::all).collect());
    }
    let mut choices: Vec<(DataTable, Vec<&str>)> =
        tables.iter().map(|table| (*table, vec![])).collect();
    for word in words {
        let (of, name) = match word.split_once('.') {
            Some((table, name)) => (Some(table_named(table, &tables)?), name),
            None => (None, *word),
        };
        let is_of = |table: DataTable| of.is_none_or(|of| of == table) && has_column(table, name);
        if !tables.iter().any(|table| is_of(*table)) {
            return Err(unknown_column(name, of.as_slice(), &tables));
        }
        choices.iter_mut().filter(|it| is_of(it.0)).for_each(|it| it.1.push(name));
    }
    let is_common = |name: &&str| DataTable::ALL.iter().all(|table| has_column(*table, name));
    let has_own = |names: &[&str]| names.iter().any(|name| !is_common(name));
    let has_any_own = choices.iter().any(|(_, names)| has_own(names));
    let is_written = |(_, names): &(DataTable, Vec<&str>)| match named_tables.is_empty() {
        true => !names.is_empty() && (has_own(names) || !has_any_own),
        false => !names.is_empty(),
    };
    if let Some((table, _)) = choices.iter().find(|(_, names)| names.is_empty())
        && !named_tables.is_empty()
    {
        return Err(format!(
            "the table {} has none of the columns {}",
            table.word(),
            words.join(",")
        ));
    }
    let written = choices.into_iter().filter(is_written);
    written
        .map(|(table, names)| {
            ColumnChoice::from_names(table, names)
                .map_err(|name| unknown_column(name, &[table], &tables))
        })
        .collect()
}

fn has_column(table: DataTable, name: &str) -> bool {
    table_columns(table).iter().any(|column| column.name == name)
}

/// Returns the table before the dot of `table.column`.
fn table_named(word: &str, tables: &[DataTable]) -> Result<DataTable, String> {
    let words = tables.iter().map(|table| table.word());
    match DataTable::by_word(word).filter(|table| tables.contains(table)) {
        Some(table) => Ok(table),
        None if DataTable::by_word(word).is_some() => {
            Err(format!("the table {word} is not exported: add it to --tables"))
        }
        None => Err(format!("no table {word}{}", did_you_mean(word, words))),
    }
}

fn unknown_column(name: &str, of: &[DataTable], tables: &[DataTable]) -> String {
    let searched = if of.is_empty() { tables } else { of };
    let names: Vec<&str> = searched.iter().map(|table| table.word()).collect();
    let place = match names.as_slice() {
        [one] => format!(" in the table {one}"),
        _ if tables.len() == DataTable::COUNT => String::new(),
        _ => format!(" in the tables {}", names.join(", ")),
    };
    let elsewhere = DataTable::ALL.into_iter().filter(|table| has_column(*table, name));
    let elsewhere: Vec<&str> = elsewhere.map(DataTable::word).collect();
    let hint = match elsewhere.is_empty() {
        true => did_you_mean(
            name,
            searched.iter().flat_map(|table| table_columns(*table)).map(|column| column.name),
        ),
        false => format!("; it is in {}", elsewhere.join(", ")),
    };
    format!("no column {name}{place}{hint}; `trajview export --columns` lists the columns")
}

fn did_you_mean<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    closest_word(word, candidates).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_columns_are_in_the_named_order_and_once() {
        let choice =
            ColumnChoice::from_names(DataTable::Turns, ["turn", "task_id", "turn"]).unwrap();
        let names: Vec<&str> = choice.columns().map(|column| column.name).collect();
        assert_eq!(names, ["turn", "task_id"]);

        let row = choice.whole_row([DataCell::Integer(7), DataCell::Text("t".into())]);

        assert_eq!(row.len(), table_columns(DataTable::Turns).len());
        let cells: Vec<_> = choice.chosen_cells(&row).cloned().collect();
        assert_eq!(cells, [DataCell::Integer(7), DataCell::Text("t".into())]);
    }

    fn chosen(tables: &[DataTable], words: &[&str]) -> Result<Vec<(&'static str, String)>, String> {
        let choices = choose_columns(tables, words)?;
        let names = |it: &ColumnChoice| {
            let names: Vec<&str> = it.columns().map(|column| column.name).collect();
            (it.table().word(), names.join(" "))
        };
        Ok(choices.iter().map(names).collect())
    }

    #[test]
    fn a_name_is_of_each_table_that_has_it_and_a_name_with_a_table_of_that_one() {
        let table = |name: &'static str, columns: &str| (name, columns.to_owned());
        assert_eq!(
            chosen(&[], &["task_id", "erosion"]),
            Ok(vec![table("points", "task_id erosion")])
        );
        assert_eq!(
            chosen(&[], &["runs.agent", "signals.turn"]),
            Ok(vec![table("runs", "agent"), table("signals", "turn")])
        );
        assert_eq!(
            chosen(&[DataTable::Turns, DataTable::Steps], &["turn", "steps.tool"]),
            Ok(vec![table("turns", "turn"), table("steps", "turn tool")])
        );
        assert_eq!(chosen(&[], &["task_id"]).unwrap().len(), DataTable::COUNT);
        assert_eq!(
            choose_columns(&[DataTable::Runs], &[]),
            Ok(vec![ColumnChoice::all(DataTable::Runs)])
        );
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_a_similar_one() {
        let lists = "`trajview export --columns` lists the columns";
        for (tables, word, expected) in [
            (&[][..], "erosoin", format!("no column erosoin; did you mean erosion?; {lists}")),
            (
                &[],
                "runs.agnet",
                format!("no column agnet in the table runs; did you mean agent?; {lists}"),
            ),
            (&[], "run.agent", "no table run; did you mean runs?".to_owned()),
            (
                &[DataTable::Runs],
                "turns.turn",
                "the table turns is not exported: add it to --tables".into(),
            ),
            (
                &[DataTable::Runs],
                "tool",
                format!("no column tool in the table runs; it is in steps; {lists}"),
            ),
        ] {
            assert_eq!(chosen(tables, &[word]), Err(expected), "{word}");
        }
        let both = [DataTable::Runs, DataTable::Turns];
        assert_eq!(
            chosen(&both, &["agent"]),
            Err("the table turns has none of the columns agent".into())
        );
    }

    #[test]
    fn a_name_that_is_not_a_column_is_returned() {
        let unknown = ColumnChoice::from_names(DataTable::Runs, ["agent", "turm"]);
        assert_eq!(unknown, Err("turm"));
    }
}
