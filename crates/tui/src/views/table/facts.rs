//! Everything known of the run at the cursor, in a box: on a small screen the table cannot show it all.

use crate::{
    session::columns::{Column, Source},
    widgets::facts::Row as BoxRow,
};
use trajview_metrics::Number;

use super::{
    Collection,
    row::{Computed, Row},
    values::Known,
};

/// What each column says, and what no column has room for.
pub fn of(table: &Collection) -> Vec<BoxRow> {
    let Some(row) = table.selected() else {
        return vec![BoxRow::of("", "the cursor is not on a run")];
    };
    let mut rows = vec![BoxRow::of("recording", row.path.to_string_lossy())];
    rows.extend(row.failure().map(|why| BoxRow::of("cannot be read", why)));
    for source in [Source::Run, Source::Computed, Source::Harness, Source::Judged] {
        if source != Source::Run {
            rows.push(BoxRow::of("", ""));
            rows.push(BoxRow::heading(match source {
                Source::Harness => "recorded by the harness",
                Source::Computed => "computed here",
                Source::Judged => "judged",
                Source::Run => "",
            }));
        }
        let columns = table.columns().into_iter().filter(|column| column.about().source == source);
        rows.extend(columns.map(|column| BoxRow::of(name(column), value(row, column))));
        let verbosity = row.card().and_then(|card| card.recorded(Number::Verbosity.id()));
        let doubt = verbosity.and_then(|verbosity| verbosity.doubt);
        if let (Source::Harness, Some(why)) = (source, doubt) {
            rows.push(BoxRow::of("verbosity?", why));
        }
        let measures = table.columns().into_iter().any(Column::is_measured);
        if let (Source::Computed, Some(ruler), true) = (source, &table.ruler, measures) {
            let words = format!("{}, {} rules {}", ruler.said(), ruler.rules, ruler.source);
            rows.push(BoxRow::of("measured by", words));
        }
    }
    if let Some(judged) = row.card().and_then(|card| card.mcf.as_ref()) {
        let words = format!("{}, the state after turn {}", judged.judge, judged.done);
        rows.push(BoxRow::of("judged by", words));
    }
    let more = row.card().map(|card| {
        let of = |left: &str, right: &Option<String>| {
            right.as_ref().map(|right| BoxRow::of(left, right.as_str()))
        };
        [of("written by", &card.identity.harness), of("recorded", &card.identity.provenance)]
            .into_iter()
            .flatten()
    });
    rows.extend(more.into_iter().flatten());
    rows
}

fn name(column: Column) -> &'static str {
    match column {
        // Their titles are short of a word.
        Column::Number(number @ (Number::Checkpoints | Number::Warnings)) => number.label(),
        Column::Curve => "rise of erosion",
        Column::Run
        | Column::Task
        | Column::Agent
        | Column::Condition
        | Column::Model
        | Column::Judge
        | Column::Title
        | Column::Session(_)
        | Column::Number(_)
        | Column::Recorded(_) => column.about().title,
    }
}

fn value(row: &Row, column: Column) -> String {
    let is_computed = column.is_measured();
    match (row.shown(column), &row.computed) {
        (Known::Known(words), _)
            if column == Column::Number(Number::Warnings) && words.is_empty() =>
        {
            "0".into()
        }
        (Known::Known(words), _) => words,
        (Known::Coming, _) => "still being read".into(),
        (Known::Missing, Computed::Failed(why)) if is_computed => why.clone(),
        (Known::Missing, Computed::Ready(scores)) if is_computed => {
            let why = scores.unmeasured.as_ref().filter(|_| column != Column::Number(Number::Dir));
            why.cloned().unwrap_or_else(|| "nothing to work it out from".into())
        }
        (Known::Missing, _) if column == Column::Number(Number::CostComputed) => {
            "not priced, or no tokens are recorded".into()
        }
        (Known::Missing, _) if is_computed => "nothing to work it out from".into(),
        (Known::Missing, _) => "not recorded".into(),
    }
}

/// What could not be used in the recording at the cursor, as far as it is kept.
pub fn warnings(table: &Collection) -> Vec<BoxRow> {
    let Some(row) = table.selected() else {
        return vec![BoxRow::of("", "the cursor is not on a run")];
    };
    if let Some(why) = row.failure() {
        return vec![BoxRow::of("", why)];
    }
    let Some(card) = row.whole() else { return vec![BoxRow::of("", "still being read")] };
    if card.trouble.warnings == 0 {
        return vec![BoxRow::heading("none: everything in the recording was understood")];
    }
    let kept = card.trouble.first_warnings.iter();
    let mut rows: Vec<BoxRow> = kept.map(|it| BoxRow::of(&it.place, &it.what)).collect();
    if card.trouble.warnings > rows.len() {
        let more =
            format!("and {} more, listed with e in the run", card.trouble.warnings - rows.len());
        rows.push(BoxRow::of("", more));
    }
    rows
}
