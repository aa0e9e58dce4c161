//! A condition in SQL over the table on screen sees what `trajview sql` sees.
#![cfg(feature = "sql")]

use std::path::Path;

use serde_json::Value as Json;
use trajview::{
    analysis,
    session::sql_filter::FilterValue,
    views::table::{
        expression::{COLUMN_NAMES, row_values},
        row::{RunReading, RunRow},
    },
};

use crate::common::{cli_json, project_path};

/// Those of the table `runs`; the others are the columns of the table on screen.
const OF_RUNS: usize = 41;

#[test]
fn every_value_of_a_run_is_that_of_the_table_runs() {
    let folder = project_path("sample-runs");
    let names = COLUMN_NAMES[..OF_RUNS].join(", ");
    let query = format!("select {names} from runs where read_error is null");
    let rows = cli_json(&["sql", &query, &folder.display().to_string(), "--json"]);
    let rows = rows["rows"].as_array().unwrap();
    assert!(rows.len() > 30, "{} runs", rows.len());

    let mut others = vec![];
    for expected in rows {
        let path = Path::new(expected["source_uri"].as_str().unwrap());
        let card = analysis::cards::card_of_recording(path).unwrap();
        let row = RunRow {
            reading: RunReading::Whole(Box::new(card)),
            ..RunRow::unread_row(path.into(), String::new())
        };
        for (name, value) in COLUMN_NAMES.iter().zip(row_values(&row)).take(OF_RUNS) {
            let found = match value {
                FilterValue::Missing => Json::Null,
                FilterValue::Text(words) => words.into(),
                FilterValue::Whole(number) => number.into(),
                FilterValue::Real(number) => number.into(),
                FilterValue::Truth(is_so) => is_so.into(),
            };
            let is_same = match (&found, &expected[name]) {
                (Json::Number(found), Json::Number(expected)) => {
                    let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
                    (found - expected).abs() <= 1e-12 * expected.abs() // it is printed with fewer digits
                }
                // SQLite has 1 and 0 for true and false.
                (Json::Bool(found), expected) => *expected == i64::from(*found),
                (found, expected) => found == expected,
            };
            if !is_same {
                others.push(format!(
                    "{}: {name} is {found}, not {}",
                    path.display(),
                    expected[name]
                ));
            }
        }
    }
    assert_eq!(others, [""; 0]);
}
