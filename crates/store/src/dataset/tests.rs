//! Whatever the rows, the forms agree, and shards come to the same as one.

use std::path::Path;

use proptest::prelude::*;

use super::{
    cell::{Cell, Row},
    columns::{Kind, Table, columns},
    folder::{DataFolder, Existing, Part},
    form::{self, Form, PartWriter},
    shard::Shard,
};

fn forms() -> Vec<Form> {
    let is_there = |form: &Form| cfg!(feature = "parquet") || *form != Form::Parquet;
    Form::ALL.into_iter().filter(is_there).collect()
}

fn cell(kind: Kind) -> BoxedStrategy<Cell> {
    let any = match kind {
        Kind::Text | Kind::Json => {
            prop_oneof!["[a=+',\"\r\n\t ;-]{0,6}", "\\PC{0,6}", any::<String>()]
                .prop_map(Cell::Text)
                .boxed()
        }
        Kind::Whole => any::<i64>().prop_map(Cell::Whole).boxed(),
        Kind::Real => {
            let finite = any::<f64>().prop_filter("finite", |number| number.is_finite());
            finite.prop_map(Cell::Real).boxed()
        }
        Kind::Truth => any::<bool>().prop_map(Cell::Truth).boxed(),
    };
    prop_oneof![1 => Just(Cell::Missing), 3 => any].boxed()
}

fn table_with_rows() -> impl Strategy<Value = (Table, Vec<Row>)> {
    proptest::sample::select(Table::ALL.to_vec()).prop_flat_map(|table| {
        let row: Vec<_> = columns(table).iter().map(|column| cell(column.kind)).collect();
        (Just(table), proptest::collection::vec(row, 0..5))
    })
}

fn written(folder: &Path, form: Form, table: Table, rows: &[Row]) -> std::path::PathBuf {
    let folder = DataFolder::open(folder).unwrap();
    let file = folder.part(table.word(), form.word(), Shard::WHOLE).unwrap();
    let mut writer = PartWriter::new(form, table, file).unwrap();
    rows.iter().for_each(|row| writer.row(row).unwrap());
    let part = writer.finish().unwrap();
    folder.publish(vec![part], Existing::Refuse).unwrap().remove(0).path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_a_row_every_form_says_the_same((table, rows) in table_with_rows()) {
        for form in forms() {
            let folder = tempfile::tempdir().unwrap();
            let path = written(folder.path(), form, table, &rows);

            let read = form::rows(form, table, &path).unwrap();
            let read: Vec<Row> = read.map(Result::unwrap).collect();

            prop_assert_eq!(&read, &rows, "{:?}", form);
        }
    }

    #[test]
    fn whatever_the_bytes_of_a_part_reading_it_ends(bytes in any::<Vec<u8>>(), at in 0..10_usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        std::fs::write(&path, bytes).unwrap();
        for form in forms() {
            if let Ok(rows) = form::rows(form, Table::ALL[at], &path) {
                rows.take(100).for_each(drop);
            }
        }
    }
}

#[test]
fn the_columns_of_a_table_have_different_names_and_say_what_they_are() {
    for table in Table::ALL {
        let mut names: Vec<&str> = columns(table).iter().map(|column| column.name).collect();
        assert!(columns(table).iter().all(|it| !it.meaning.is_empty()), "{table:?}");
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

    let part = Part::parse(name).unwrap();

    assert_eq!((part.of.as_str(), part.shard), ("runs", Shard { number: 2, of: 4 }));
    assert_eq!(part.name(), name);
    for other in ["runs.parquet", "runs-5of4-0123456789abcdef.csv", "a-1of1-xyz.csv", ""] {
        assert_eq!(Part::parse(other), None, "{other}");
    }
}

#[test]
fn a_part_of_other_content_does_not_come_to_lie_beside_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let row = |words: &str| {
        let mut row = vec![Cell::Missing; columns(Table::Texts).len()];
        row[0] = Cell::Text(words.into());
        row
    };
    let first = written(folder.path(), Form::Csv, Table::Texts, &[row("a")]);
    let data = DataFolder::open(folder.path()).unwrap();
    let second = || {
        let file = data.part("texts", "csv", Shard::WHOLE).unwrap();
        let mut writer = PartWriter::new(Form::Csv, Table::Texts, file).unwrap();
        writer.row(&row("b")).unwrap();
        vec![writer.finish().unwrap()]
    };

    let refused = data.publish(second(), Existing::Refuse).unwrap_err().to_string();
    assert!(refused.contains("--replace"), "{refused}");
    assert!(first.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let published = data.publish(second(), Existing::Replace).unwrap();
    assert!(published[0].is_new && !first.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
