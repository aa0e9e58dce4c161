//! Writes computed numbers with their intervals, in tables and in JSON.

use std::{collections::BTreeMap, io};

use serde::{Serialize, Serializer};

use crate::cli::output::{Json, Out, OutputTable, record};
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

/// Returns numbers by name, those that are not defined null and with why.
pub(crate) fn measures_record(estimates: impl Iterator<Item = (&'static str, Estimate)>) -> Json {
    let estimates: Vec<_> = estimates.collect();
    let by_name = |value: &dyn Fn(&Estimate) -> Json| -> BTreeMap<&str, Json> {
        estimates.iter().map(|(name, it)| (*name, value(it))).collect()
    };
    let reasons = |why: &dyn Fn(&Estimate) -> Option<Undefined>| -> BTreeMap<&str, Undefined> {
        estimates.iter().filter_map(|(name, it)| Some((*name, why(it)?))).collect()
    };
    record! {
        ..by_name(&|it| Json::new(&it.value.ok())),
        ci95: by_name(&|it| Json::new(&it.interval.ok())),
        not_defined: reasons(&|it| it.value.err()),
        ci95_not_defined: reasons(&|it| it.value.ok().and(it.interval.err())),
    }
}

/// Returns the intervals over items and over runs of each coefficient, and the reason for a missing one.
pub(crate) fn intervals_record<C: Copy>(
    estimates: &[(C, ClusteredEstimate)],
    name: impl Fn(C) -> &'static str,
) -> Json {
    type IntervalOrReason = Result<Interval, Undefined>;
    let of_kind = |interval: fn(&ClusteredEstimate) -> IntervalOrReason| {
        let all = || estimates.iter().map(|(it, twice)| (name(*it), interval(twice)));
        let intervals: BTreeMap<_, _> = all().map(|(it, found)| (it, found.ok())).collect();
        let why: BTreeMap<_, _> =
            all().filter_map(|(it, found)| Some((it, found.err()?))).collect();
        (intervals, why)
    };
    let (ci95, ci95_why) = of_kind(|it| it.by_item.interval);
    let (by_run, by_run_why) = of_kind(|it| it.by_run);
    record! {
        ci95: ci95,
        ci95_not_defined: ci95_why,
        ci95_by_run: by_run,
        ci95_by_run_not_defined: by_run_why,
    }
}

/// Returns `intervals of kappa_quadratic, ac2 may be too narrow: ...`.
pub(crate) fn doubted_intervals_text(names: &[&str], doubt: IntervalDoubt) -> String {
    format!("intervals of {} {doubt}", names.join(", "))
}

/// A number that JSON writes without decimals where it is whole, as scores are written.
pub struct PlainNumber(pub f64);

impl Serialize for PlainNumber {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_whole = self.0.fract() == 0.0 && self.0.abs() < 1e15;
        if is_whole { to.serialize_i64(self.0 as i64) } else { to.serialize_f64(self.0) }
    }
}

pub fn plain_number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    PlainNumber(*number).serialize(to)
}
