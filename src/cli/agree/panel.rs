//! All raters together, with scores missing here and there: alpha, Fleiss' kappa, ICC, Gwet's AC.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::cli::output::{Json, OutputTable, record};
use trajview_run::format_number::count_with_noun;
use trajview_study::{
    BootstrapPlan, RatingScale, Undefined,
    agreement::{
        cluster_bootstrap::ClusteredEstimate,
        interval_doubt::SQUARING_AMONG,
        several_raters::{
            CaseSelection, MultiRaterAgreement, MultiRaterMeasure, multi_rater_agreement,
        },
    },
    raters::{RatedUnits, RaterKind, RaterPanel},
};

use super::number_text::{doubted_intervals_text, interval_text, intervals_record, with_interval};

/// Several raters over all things that they scored.
#[derive(Serialize)]
pub struct PanelRow {
    /// `all raters`, `humans` or `judges`.
    pub of: &'static str,
    /// Names; the labels of one person are one rater here.
    pub raters: Vec<String>,
    /// The measures over the things that at least two raters scored.
    pub available: PanelAgreement,
    /// The measures over the things that all raters scored.
    pub complete: PanelAgreement,
}

pub struct PanelAgreement {
    pub agreed: MultiRaterAgreement,
    has_intervals: bool,
}

/// The measures in the order of the columns, each with its head.
const HEADS: [(MultiRaterMeasure, &str); 9] = [
    (MultiRaterMeasure::Exact, "exact"),
    (MultiRaterMeasure::AlphaNominal, "alpha (nominal)"),
    (MultiRaterMeasure::Alpha, "alpha (ordinal)"),
    (MultiRaterMeasure::AlphaInterval, "alpha (interval)"),
    (MultiRaterMeasure::Fleiss, "Fleiss' kappa"),
    (MultiRaterMeasure::Icc21, "ICC(2,1)"),
    (MultiRaterMeasure::Icc31, "ICC(3,1)"),
    (MultiRaterMeasure::Ac1, "AC1"),
    (MultiRaterMeasure::Ac2, "AC2"),
];

/// Makes a row for all raters; one for the people and one for the judges, where there are several of either and others
/// too.
pub(crate) fn panel_rows(
    panel: &RaterPanel,
    scale: &RatingScale,
    plan: &BootstrapPlan,
) -> Vec<PanelRow> {
    let units = RatedUnits::from_panel(panel, scale);
    let all: Vec<usize> = (0..units.raters.len()).collect();
    let groups = [
        ("all raters", all.clone()),
        ("humans", units.raters_of_kind(RaterKind::Human)),
        ("judges", units.raters_of_kind(RaterKind::Judge)),
    ];
    let is_told = |(at, (_, raters)): &(usize, (&str, Vec<usize>))| {
        raters.len() > 1 && (*at == 0 || raters.len() < all.len())
    };
    let groups: Vec<_> = groups.into_iter().enumerate().filter(is_told).collect();
    let row = |(_, (group, raters)): &(usize, (&'static str, Vec<usize>))| {
        let of_cases = |cases: CaseSelection| PanelAgreement {
            agreed: multi_rater_agreement(&units.units, raters, scale, cases, plan),
            has_intervals: plan.resamples > 0,
        };
        PanelRow {
            of: group,
            raters: raters.iter().map(|at| units.raters[*at].name.clone()).collect(),
            available: of_cases(CaseSelection::Available),
            complete: of_cases(CaseSelection::Complete),
        }
    };
    groups.par_iter().map(row).collect()
}

impl PanelRow {
    pub(crate) fn counted_cases(&self) -> [(CaseSelection, &PanelAgreement); 2] {
        [(CaseSelection::Available, &self.available), (CaseSelection::Complete, &self.complete)]
    }
}

impl PanelRow {
    /// Returns the cases. Returns one case if both ways count the same things.
    fn distinct_cases(&self) -> Vec<(&'static str, &PanelAgreement)> {
        match self.available.agreed.n == self.complete.agreed.n {
            true => vec![("both", &self.available)],
            false => self.counted_cases().map(|(cases, row)| (cases.words(), row)).into(),
        }
    }
}

/// Makes a row for each group of raters and set of cases.
pub(crate) fn agreement_table(rows: &[PanelRow]) -> OutputTable {
    panel_table(rows, |_| true, |it| with_interval(it.by_item))
}

/// Returns the intervals over runs. None if there are none.
pub(crate) fn table_by_run(rows: &[PanelRow]) -> Option<OutputTable> {
    let has_some =
        |row: &PanelAgreement| row.agreed.estimates.iter().any(|(_, it)| it.by_run.is_ok());
    let is_any = rows.iter().flat_map(PanelRow::counted_cases).any(|(_, row)| has_some(row));
    is_any.then(|| panel_table(rows, has_some, |it| interval_text(it.by_run.ok())))
}

fn panel_table(
    rows: &[PanelRow],
    is_told: impl Fn(&PanelAgreement) -> bool,
    cell: impl Fn(&ClusteredEstimate) -> String,
) -> OutputTable {
    let heads = ["raters", "cases", ">n", ">runs"].into_iter().chain(HEADS.map(|(_, head)| head));
    let mut table = OutputTable::with_heads(heads.map(String::from).collect()).with_keys(3);
    for row in rows {
        for (cases, found) in row.distinct_cases().into_iter().filter(|(_, found)| is_told(found)) {
            let MultiRaterAgreement { n, runs, estimates, .. } = &found.agreed;
            let first = [row.of.to_owned(), cases.into(), n.to_string(), runs.to_string()];
            table.add_row(
                first.into_iter().chain(estimates.iter().map(|(_, it)| cell(it))).collect(),
            );
        }
    }
    table
}

impl PanelAgreement {
    /// Returns the number of items that a measure is of.
    pub(crate) const fn items_of(&self, measure: MultiRaterMeasure) -> usize {
        if measure.needs_complete() { self.agreed.complete } else { self.agreed.n }
    }

    /// Returns a sentence about the intervals that cannot be trusted, with the reason. None if all can.
    fn interval_warning(&self) -> Option<String> {
        let doubt = self.agreed.doubt?;
        let is_doubted = |(it, twice): &&(MultiRaterMeasure, ClusteredEstimate)| {
            SQUARING_AMONG.contains(it) && twice.by_item.interval.is_ok()
        };
        let names: Vec<&str> =
            self.agreed.estimates.iter().filter(is_doubted).map(|(it, _)| it.name()).collect();
        (!names.is_empty()).then(|| doubted_intervals_text(&names, doubt))
    }
}

/// Returns `all raters, complete: intervals of alpha, ac2 may be too narrow: ...`, if several raters have a table of
/// their own.
pub(crate) fn interval_warnings(rows: &[PanelRow]) -> Vec<String> {
    let row_warnings = |row: &PanelRow| -> Vec<String> {
        let warning_text = |(cases, found): (&str, &PanelAgreement)| {
            let cases = if cases == "both" { String::new() } else { format!(", {cases} cases") };
            Some(format!("{}{cases}: {}", row.of, found.interval_warning()?))
        };
        row.distinct_cases().into_iter().filter_map(warning_text).collect()
    };
    let is_told = rows.iter().any(|row| row.raters.len() > 2);
    rows.iter().filter(|_| is_told).flat_map(row_warnings).collect()
}

/// Returns `all raters, available cases: ICC of the 3 items that every rater scored, without 1 item`.
pub(crate) fn incomplete_notes(rows: &[PanelRow]) -> Vec<String> {
    let note = |row: &PanelRow| {
        let MultiRaterAgreement { n, complete, .. } = row.available.agreed;
        let left_out = count_with_noun(n - complete, "item");
        (0 < complete && complete < n).then(|| {
            format!(
                "{}, available cases: ICC of the {} that every rater scored, without {left_out}",
                row.of,
                count_with_noun(complete, "item")
            )
        })
    };
    rows.iter().filter_map(note).collect()
}

/// Returns `all raters, complete: alpha not defined: no pairs`, a sentence a reason.
pub fn undefined_reasons(rows: &[PanelRow]) -> Vec<String> {
    let row_reasons = |row: &PanelRow| -> Vec<String> {
        let of_cases = |(cases, found): (&str, &PanelAgreement)| -> Vec<String> {
            let mut reasons: BTreeMap<Undefined, Vec<&str>> = BTreeMap::new();
            for (it, estimate) in &found.agreed.estimates {
                if let Err(why) = estimate.by_item.value {
                    reasons.entry(why).or_default().push(it.name());
                }
            }
            let reason_text = |(why, names): (Undefined, Vec<&str>)| {
                let cases =
                    if cases == "both" { String::new() } else { format!(", {cases} cases") };
                format!("{}{cases}: {} not defined: {why}", row.of, names.join(", "))
            };
            reasons.into_iter().map(reason_text).collect()
        };
        row.distinct_cases().into_iter().flat_map(of_cases).collect()
    };
    rows.iter().flat_map(row_reasons).collect()
}

impl Serialize for PanelAgreement {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let MultiRaterAgreement { n, complete, scores, runs, estimates, .. } = &self.agreed;
        let values = estimates
            .iter()
            .map(|(it, twice)| (it.name().into(), Json::new(&twice.by_item.value.ok())));
        let why = |(it, twice): &(MultiRaterMeasure, ClusteredEstimate)| {
            Some((it.name(), twice.by_item.value.err()?))
        };
        let record = record! {
            n: n,
            icc_items: complete,
            icc_left_out: n - complete,
            scores: scores,
            runs: runs,
            ..Json::Record(values.collect()),
            not_defined: estimates.iter().filter_map(why).collect::<BTreeMap<_, _>>(),
            ..self.has_intervals.then(|| {
                record! {
                    ..intervals_record(estimates, |it| it.name()),
                    warning: self.interval_warning(),
                }
            }),
        };
        record.serialize(to)
    }
}
