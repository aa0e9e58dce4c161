//! Writes computed numbers with their intervals, in tables and in JSON.

use std::{collections::BTreeMap, io};

use serde::{Serializer, ser::SerializeMap};

use crate::cli::output::{Out, OutputTable};
use trajview_study::{
    Estimate, Interval, NumberOrReason, Undefined,
    agreement::{cluster_bootstrap::ClusteredEstimate, interval_doubt::IntervalDoubt},
};

/// Prints a table below a blank line and its title.
pub(crate) fn print_section(title: &str, table: &OutputTable, out: &mut Out) -> io::Result<()> {
    out.print_line("")?;
    if !title.is_empty() {
        out.print_sentence(title)?;
        out.print_line("")?;
    }
    table.write_table(false, out)
}

/// Returns `[0.63, 0.88]`.
pub fn interval_text(interval: Option<Interval>) -> String {
    interval.map_or_else(|| "-".into(), |Interval { low, high }| format!("[{low:.2}, {high:.2}]"))
}

/// Returns `0.77`.
pub fn number_text(value: NumberOrReason) -> String {
    value.map_or_else(|_| "-".into(), |value| format!("{value:.2}"))
}

/// Returns `0.77 [0.63, 0.88]`.
pub fn with_interval(estimate: Estimate) -> String {
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(Interval { low, high })) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        (Ok(value), Err(_)) => format!("{value:.2}"),
        (Err(_), _) => "-".into(),
    }
}

/// Serializes both intervals of each coefficient, and the reason for a missing one.
pub(crate) fn serialize_intervals<S: Serializer, C: Copy>(
    map: &mut S::SerializeMap,
    estimates: &[(C, ClusteredEstimate)],
    name: impl Fn(C) -> &'static str,
) -> Result<(), S::Error> {
    let each = |interval_of: fn(&ClusteredEstimate) -> Result<Interval, Undefined>| -> Vec<_> {
        estimates.iter().map(|(it, twice)| (name(*it), interval_of(twice))).collect()
    };
    let kinds = [
        ("ci95", "ci95_not_defined", each(|it| it.by_item.interval)),
        ("ci95_by_run", "ci95_by_run_not_defined", each(|it| it.by_run)),
    ];
    for (intervals_key, reasons_key, all) in kinds {
        let intervals: BTreeMap<_, _> = all.iter().map(|(it, found)| (*it, found.ok())).collect();
        let why: BTreeMap<_, _> =
            all.iter().filter_map(|(it, found)| Some((*it, found.err()?))).collect();
        map.serialize_entry(intervals_key, &intervals)?;
        map.serialize_entry(reasons_key, &why)?;
    }
    Ok(())
}

/// Returns `intervals of kappa_quadratic, ac2 may be too narrow: ...`.
pub(crate) fn doubted_intervals_text(names: &[&str], doubt: IntervalDoubt) -> String {
    format!("intervals of {} {doubt}", names.join(", "))
}

/// Serializes a whole number without decimals, as scores are written.
pub fn plain_number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
    if is_whole { to.serialize_i64(*number as i64) } else { to.serialize_f64(*number) }
}
