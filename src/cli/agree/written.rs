//! How what is computed is written: numbers with their intervals, in tables and in JSON.

use std::{collections::BTreeMap, io};

use serde::{Serializer, ser::SerializeMap};

use crate::cli::output::{Out, Table};
use trajview_study::{
    Estimate, Interval, Undefined, Value,
    agreement::{drawn::Twice, trust::Doubt},
};

/// A table below a blank line and its title.
pub fn section(title: &str, table: &Table, out: &mut Out) -> io::Result<()> {
    out.line("")?;
    if !title.is_empty() {
        out.sentence(title)?;
        out.line("")?;
    }
    table.write(false, out)
}

/// `[0.63, 0.88]`
pub fn ends(interval: Option<Interval>) -> String {
    interval.map_or_else(|| "-".into(), |Interval { low, high }| format!("[{low:.2}, {high:.2}]"))
}

/// `0.77`
pub fn number(value: Value) -> String {
    value.map_or_else(|_| "-".into(), |value| format!("{value:.2}"))
}

/// `0.77 [0.63, 0.88]`
pub fn with_interval(estimate: Estimate) -> String {
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(Interval { low, high })) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        (Ok(value), Err(_)) => format!("{value:.2}"),
        (Err(_), _) => "-".into(),
    }
}

/// Both intervals of each, and why there is none.
pub fn intervals<S: Serializer, C: Copy>(
    map: &mut S::SerializeMap,
    estimates: &[(C, Twice)],
    name: impl Fn(C) -> &'static str,
) -> Result<(), S::Error> {
    let each = |of: fn(&Twice) -> Result<Interval, Undefined>| -> Vec<_> {
        estimates.iter().map(|(it, twice)| (name(*it), of(twice))).collect()
    };
    let kinds = [
        ("ci95", "ci95_not_defined", each(|it| it.by_item.interval)),
        ("ci95_by_run", "ci95_by_run_not_defined", each(|it| it.by_run)),
    ];
    for (known, missing, all) in kinds {
        let intervals: BTreeMap<_, _> = all.iter().map(|(it, found)| (*it, found.ok())).collect();
        let why: BTreeMap<_, _> =
            all.iter().filter_map(|(it, found)| Some((*it, found.err()?))).collect();
        map.serialize_entry(known, &intervals)?;
        map.serialize_entry(missing, &why)?;
    }
    Ok(())
}

/// `intervals of kappa_quadratic, ac2 may be too narrow: ...`
pub fn doubted(names: &[&str], doubt: Doubt) -> String {
    format!("intervals of {} {doubt}", names.join(", "))
}

/// 3 and not 3.0, as scores are written.
pub fn plain_number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
    if is_whole { to.serialize_i64(*number as i64) } else { to.serialize_f64(*number) }
}
