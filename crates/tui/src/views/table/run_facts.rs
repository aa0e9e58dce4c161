//! Everything known of the run at the cursor, in a box: on a small screen the table cannot show it all.

use crate::{
    session::columns::{ColumnSource, RunTableColumn},
    widgets::fact_rows::FactRow as BoxRow,
};
use trajview_metrics::Number;

use super::{
    RunTableView,
    row::{ComputedScores, RunRow},
    values::KnownValue,
};

/// Returns the values of all columns, and the facts that have no column.
pub fn run_facts(table: &RunTableView) -> Vec<BoxRow> {
    let Some(row) = table.selected_run() else {
        return vec![BoxRow::new("", "the cursor is not on a run")];
    };
    let mut rows = vec![BoxRow::new("recording", row.path.to_string_lossy())];
    rows.extend(row.reading_failure().map(|why| BoxRow::new("cannot be read", why)));
    for source in
        [ColumnSource::Run, ColumnSource::Computed, ColumnSource::Harness, ColumnSource::Judged]
    {
        if source != ColumnSource::Run {
            rows.push(BoxRow::new("", ""));
            rows.push(BoxRow::heading(match source {
                ColumnSource::Harness => "recorded by the harness",
                ColumnSource::Computed => "computed here",
                ColumnSource::Judged => "judged",
                ColumnSource::Run => "",
            }));
        }
        let columns =
            table.set_columns().into_iter().filter(|column| column.column_info().source == source);
        rows.extend(
            columns.map(|column| BoxRow::new(column_name(column), column_text(row, column))),
        );
        let verbosity =
            row.known_card().and_then(|card| card.recorded_value(Number::Verbosity.id()));
        let doubt = verbosity.and_then(|verbosity| verbosity.doubt);
        if let (ColumnSource::Harness, Some(why)) = (source, doubt) {
            rows.push(BoxRow::new("verbosity?", why));
        }
        let measures = table.set_columns().into_iter().any(RunTableColumn::is_measured);
        if let (ColumnSource::Computed, Some(ruler), true) = (source, &table.ruler, measures) {
            let words = format!("{}, {} rules {}", ruler.display_text(), ruler.rules, ruler.source);
            rows.push(BoxRow::new("measured by", words));
        }
    }
    if let Some(judged) = row.known_card().and_then(|card| card.mcf.as_ref()) {
        let words = format!("{}, the state after turn {}", judged.judge, judged.done);
        rows.push(BoxRow::new("judged by", words));
        let corrected = judged.corrected.as_ref().ok();
        rows.extend(corrected.map(|mean| BoxRow::new("corrected", mean.full_text())));
    }
    let more = row.known_card().map(|card| {
        let of = |left: &str, right: &Option<String>| {
            right.as_ref().map(|right| BoxRow::new(left, right.as_str()))
        };
        [of("written by", &card.identity.harness), of("recorded", &card.identity.provenance)]
            .into_iter()
            .flatten()
    });
    rows.extend(more.into_iter().flatten());
    rows
}

fn column_name(column: RunTableColumn) -> &'static str {
    match column {
        // Their titles are short of a word.
        RunTableColumn::Number(number @ (Number::Checkpoints | Number::Warnings)) => number.label(),
        RunTableColumn::Curve => "rise of erosion",
        RunTableColumn::Run
        | RunTableColumn::Card(_)
        | RunTableColumn::Number(_)
        | RunTableColumn::Recorded(_) => column.column_info().title,
    }
}

fn column_text(row: &RunRow, column: RunTableColumn) -> String {
    let is_computed = column.is_measured();
    match (row.shown_text(column), &row.computed) {
        (KnownValue::Known(words), _)
            if column == RunTableColumn::Number(Number::Warnings) && words.is_empty() =>
        {
            "0".into()
        }
        (KnownValue::Known(words), _) => words,
        (KnownValue::Coming, _) => "still being read".into(),
        (KnownValue::Missing, ComputedScores::Failed(why)) if is_computed => why.clone(),
        (KnownValue::Missing, ComputedScores::Ready(scores)) if is_computed => {
            let why = scores
                .unmeasured
                .as_ref()
                .filter(|_| column != RunTableColumn::Number(Number::Dir));
            why.cloned().unwrap_or_else(|| "no data to compute it from".into())
        }
        (KnownValue::Missing, _) if column == RunTableColumn::Number(Number::CostComputed) => {
            "no price known, or no tokens recorded".into()
        }
        (KnownValue::Missing, _) if is_computed => "no data to compute it from".into(),
        (KnownValue::Missing, _) => "not recorded".into(),
    }
}

/// Returns the warnings of the recording at the cursor, as far as they were stored.
pub fn run_warnings(table: &RunTableView) -> Vec<BoxRow> {
    let Some(row) = table.selected_run() else {
        return vec![BoxRow::new("", "the cursor is not on a run")];
    };
    if let Some(why) = row.reading_failure() {
        return vec![BoxRow::new("", why)];
    }
    let Some(card) = row.whole_card() else { return vec![BoxRow::new("", "still being read")] };
    if card.trouble.warnings == 0 {
        return vec![BoxRow::heading("none")];
    }
    let warnings = card.trouble.first_warnings.iter();
    let mut rows: Vec<BoxRow> = warnings.map(|it| BoxRow::new(&it.place, &it.what)).collect();
    if card.trouble.warnings > rows.len() {
        let more =
            format!("and {} more, listed with e in the run", card.trouble.warnings - rows.len());
        rows.push(BoxRow::new("", more));
    }
    rows
}
