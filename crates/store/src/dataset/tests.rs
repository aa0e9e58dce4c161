//! Tests that the forms agree for any rows, and that shards merge to the same as one export.

use std::path::Path;

use proptest::prelude::*;

use super::{
    cell::{DataCell, DataRow},
    column_choice::ColumnChoice,
    columns::{DataKind, DataTable, table_columns},
    data_folder::{DataFolder, ExistingPart, PartName},
    shard::Shard,
    table_format::{self, PartWriter, TableFormat},
};

fn available_formats() -> Vec<TableFormat> {
    let is_there = |form: &TableFormat| cfg!(feature = "parquet") || *form != TableFormat::Parquet;
    TableFormat::ALL.into_iter().filter(is_there).collect()
}

fn any_cell(kind: DataKind) -> BoxedStrategy<DataCell> {
    let any = match kind {
        DataKind::Text | DataKind::Json => {
            prop_oneof!["[a=+',\"\r\n\t ;-]{0,6}", "\\PC{0,6}", any::<String>()]
                .prop_map(DataCell::Text)
                .boxed()
        }
        DataKind::Integer => any::<i64>().prop_map(DataCell::Integer).boxed(),
        DataKind::Real => {
            let finite = any::<f64>().prop_filter("finite", |number| number.is_finite());
            finite.prop_map(DataCell::Real).boxed()
        }
        DataKind::Bool => any::<bool>().prop_map(DataCell::Bool).boxed(),
    };
    prop_oneof![1 => Just(DataCell::Missing), 3 => any].boxed()
}

fn table_with_rows() -> impl Strategy<Value = (DataTable, Vec<DataRow>)> {
    proptest::sample::select(DataTable::ALL.to_vec()).prop_flat_map(|table| {
        let row: Vec<_> = table_columns(table).iter().map(|column| any_cell(column.kind)).collect();
        (Just(table), proptest::collection::vec(row, 0..5))
    })
}

fn write_part(
    folder: &Path,
    form: TableFormat,
    columns: &ColumnChoice,
    rows: &[DataRow],
) -> std::path::PathBuf {
    let folder = DataFolder::open(folder).unwrap();
    let file = folder.new_part(columns.table().word(), form.word(), Shard::ALL_RUNS).unwrap();
    let mut writer = PartWriter::new(form, columns.clone(), file).unwrap();
    rows.iter().for_each(|row| writer.write_row(row).unwrap());
    let part = writer.finish().unwrap();
    folder.publish_parts(vec![part], ExistingPart::Refuse).unwrap().remove(0).path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_a_row_every_form_says_the_same((table, rows) in table_with_rows()) {
        for form in available_formats() {
            let folder = tempfile::tempdir().unwrap();
            let path = write_part(folder.path(), form, &ColumnChoice::all(table), &rows);

            let read = table_format::read_rows(form, table, &path).unwrap();
            let read: Vec<DataRow> = read.map(Result::unwrap).collect();

            prop_assert_eq!(&read, &rows, "{:?}", form);
        }
    }

    #[test]
    fn whatever_the_chosen_columns_every_form_has_them_and_no_other(
        (table, rows) in table_with_rows(),
        chosen in proptest::collection::vec(any::<proptest::sample::Index>(), 1..6),
    ) {
        let all = table_columns(table);
        let names = chosen.iter().map(|at| at.get(all).name);
        let columns = ColumnChoice::from_names(table, names).unwrap();
        let expected: Vec<DataRow> =
            rows.iter().map(|row| columns.whole_row(columns.chosen_cells(row).cloned())).collect();
        for form in available_formats() {
            let folder = tempfile::tempdir().unwrap();
            let path = write_part(folder.path(), form, &columns, &rows);

            let (found, read) = table_format::read_with_columns(form, table, &path).unwrap();
            let read: Vec<DataRow> = read.map(Result::unwrap).collect();

            prop_assert_eq!(&read, &expected, "{:?}", form);
            prop_assert!(found.is_none_or(|found| found == columns), "{:?}", form);
        }
    }

    #[test]
    fn whatever_the_bytes_of_a_part_reading_it_ends(bytes in any::<Vec<u8>>(), at in 0..10_usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        std::fs::write(&path, bytes).unwrap();
        for form in available_formats() {
            if let Ok(rows) = table_format::read_rows(form, DataTable::ALL[at], &path) {
                rows.take(100).for_each(drop);
            }
        }
    }
}

#[test]
fn the_columns_of_a_table_have_different_names_and_say_what_they_are() {
    for table in DataTable::ALL {
        let mut names: Vec<&str> = table_columns(table).iter().map(|column| column.name).collect();
        assert!(table_columns(table).iter().all(|it| !it.meaning.is_empty()), "{table:?}");
        assert!(names.contains(&"source_uri") && names.contains(&"task_id"), "{table:?}");
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{table:?}");
    }
}

#[test]
fn the_name_of_a_part_has_its_shard_and_its_content() {
    let name = "runs-2of4-0123456789abcdef.parquet";

    let part = PartName::parse(name).unwrap();

    assert_eq!((part.content.as_str(), part.shard), ("runs", Shard { number: 2, count: 4 }));
    assert_eq!(part.name(), name);
    for other in ["runs.parquet", "runs-5of4-0123456789abcdef.csv", "a-1of1-xyz.csv", ""] {
        assert_eq!(PartName::parse(other), None, "{other}");
    }
}

#[test]
fn a_part_of_other_content_does_not_come_to_lie_beside_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let row = |words: &str| {
        let mut row = vec![DataCell::Missing; table_columns(DataTable::Texts).len()];
        row[0] = DataCell::Text(words.into());
        row
    };
    let first = write_part(
        folder.path(),
        TableFormat::Csv,
        &ColumnChoice::all(DataTable::Texts),
        &[row("a")],
    );
    let data = DataFolder::open(folder.path()).unwrap();
    let second = || {
        let file = data.new_part("texts", "csv", Shard::ALL_RUNS).unwrap();
        let mut writer =
            PartWriter::new(TableFormat::Csv, ColumnChoice::all(DataTable::Texts), file).unwrap();
        writer.write_row(&row("b")).unwrap();
        vec![writer.finish().unwrap()]
    };

    let refused = data.publish_parts(second(), ExistingPart::Refuse).unwrap_err().to_string();
    assert!(refused.contains("--overwrite"), "{refused}");
    assert!(first.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let published = data.publish_parts(second(), ExistingPart::Replace).unwrap();
    assert!(published[0].is_new && !first.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
