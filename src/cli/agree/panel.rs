//! All raters together, with scores missing here and there: alpha, Fleiss' kappa, Gwet's AC.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::cli::output::Table;
use trajview_study::{
    Plan, Scale, Undefined,
    agreement::{
        drawn::Twice,
        many::{Agreed, Among, Cases, agreed},
        trust::SQUARING_AMONG,
    },
    raters::{Kind, Panel, Units},
};

use super::written::{doubted, ends, intervals, with_interval};

/// Several raters over all things that they scored.
#[derive(Serialize)]
pub struct PanelRow {
    /// `all raters`, `humans` or `judges`.
    pub of: &'static str,
    /// Names; the labels of one person are one rater here.
    pub raters: Vec<String>,
    /// Of the things that at least two scored.
    pub available: AgreedRow,
    /// Of the things that all scored.
    pub complete: AgreedRow,
}

pub struct AgreedRow {
    pub agreed: Agreed,
    has_intervals: bool,
}

/// What the measures are called above a column.
const HEADS: [(Among, &str); 7] = [
    (Among::Exact, "exact"),
    (Among::AlphaNominal, "alpha (nominal)"),
    (Among::Alpha, "alpha (ordinal)"),
    (Among::AlphaInterval, "alpha (interval)"),
    (Among::Fleiss, "Fleiss' kappa"),
    (Among::Ac1, "AC1"),
    (Among::Ac2, "AC2"),
];

/// All raters; beside them the people and the judges, where there are several of either and others too.
pub fn rows(panel: &Panel, scale: &Scale, plan: &Plan) -> Vec<PanelRow> {
    let units = Units::of(panel, scale);
    let all: Vec<usize> = (0..units.raters.len()).collect();
    let groups = [
        ("all raters", all.clone()),
        ("humans", units.of_kind(Kind::Human)),
        ("judges", units.of_kind(Kind::Judge)),
    ];
    let is_told = |(at, (_, raters)): &(usize, (&str, Vec<usize>))| {
        raters.len() > 1 && (*at == 0 || raters.len() < all.len())
    };
    let groups: Vec<_> = groups.into_iter().enumerate().filter(is_told).collect();
    let row = |(_, (of, raters)): &(usize, (&'static str, Vec<usize>))| {
        let of_cases = |cases: Cases| AgreedRow {
            agreed: agreed(&units.units, raters, scale, cases, plan),
            has_intervals: plan.resamples > 0,
        };
        PanelRow {
            of,
            raters: raters.iter().map(|at| units.raters[*at].name.clone()).collect(),
            available: of_cases(Cases::Available),
            complete: of_cases(Cases::Complete),
        }
    };
    groups.par_iter().map(row).collect()
}

impl PanelRow {
    pub fn cases(&self) -> [(Cases, &AgreedRow); 2] {
        [(Cases::Available, &self.available), (Cases::Complete, &self.complete)]
    }
}

impl PanelRow {
    /// One row where both ways count the same things.
    fn told_apart(&self) -> Vec<(&'static str, &AgreedRow)> {
        match self.available.agreed.n == self.complete.agreed.n {
            true => vec![("both", &self.available)],
            false => self.cases().map(|(cases, row)| (cases.words(), row)).into(),
        }
    }
}

/// A row for each group and way to count.
pub fn table(rows: &[PanelRow]) -> Table {
    told(rows, |_| true, |it| with_interval(it.by_item))
}

/// The intervals over runs; None where there are none.
pub fn by_run(rows: &[PanelRow]) -> Option<Table> {
    let has_some = |row: &AgreedRow| row.agreed.estimates.iter().any(|(_, it)| it.by_run.is_ok());
    let is_any = rows.iter().flat_map(PanelRow::cases).any(|(_, row)| has_some(row));
    is_any.then(|| told(rows, has_some, |it| ends(it.by_run.ok())))
}

fn told(
    rows: &[PanelRow],
    is_told: impl Fn(&AgreedRow) -> bool,
    cell: impl Fn(&Twice) -> String,
) -> Table {
    let heads = ["raters", "cases", ">n", ">runs"].into_iter().chain(HEADS.map(|(_, head)| head));
    let mut table = Table::headed(heads.map(String::from).collect()).keyed(3);
    for row in rows {
        for (cases, found) in row.told_apart().into_iter().filter(|(_, found)| is_told(found)) {
            let Agreed { n, runs, estimates, .. } = &found.agreed;
            let first = [row.of.to_owned(), cases.into(), n.to_string(), runs.to_string()];
            table.row(first.into_iter().chain(estimates.iter().map(|(_, it)| cell(it))).collect());
        }
    }
    table
}

impl AgreedRow {
    /// Which intervals cannot be trusted, and why; None where all can.
    fn warning(&self) -> Option<String> {
        let doubt = self.agreed.doubt?;
        let is_doubted = |(it, twice): &&(Among, Twice)| {
            SQUARING_AMONG.contains(it) && twice.by_item.interval.is_ok()
        };
        let names: Vec<&str> =
            self.agreed.estimates.iter().filter(is_doubted).map(|(it, _)| it.name()).collect();
        (!names.is_empty()).then(|| doubted(&names, doubt))
    }
}

/// `all raters, complete: intervals of alpha, ac2 may be too narrow: ...`, where several raters have a table of their own.
pub fn warnings(rows: &[PanelRow]) -> Vec<String> {
    let of = |row: &PanelRow| -> Vec<String> {
        let said = |(cases, found): (&str, &AgreedRow)| {
            let cases = if cases == "both" { String::new() } else { format!(", {cases} cases") };
            Some(format!("{}{cases}: {}", row.of, found.warning()?))
        };
        row.told_apart().into_iter().filter_map(said).collect()
    };
    let is_told = rows.iter().any(|row| row.raters.len() > 2);
    rows.iter().filter(|_| is_told).flat_map(of).collect()
}

/// `all raters, complete: alpha not defined: no pairs`, a sentence a reason.
pub fn undefined(rows: &[PanelRow]) -> Vec<String> {
    let of = |row: &PanelRow| -> Vec<String> {
        let of_cases = |(cases, found): (&str, &AgreedRow)| -> Vec<String> {
            let mut reasons: BTreeMap<Undefined, Vec<&str>> = BTreeMap::new();
            for (it, estimate) in &found.agreed.estimates {
                if let Err(why) = estimate.by_item.value {
                    reasons.entry(why).or_default().push(it.name());
                }
            }
            let said = |(why, names): (Undefined, Vec<&str>)| {
                let cases =
                    if cases == "both" { String::new() } else { format!(", {cases} cases") };
                format!("{}{cases}: {} not defined: {why}", row.of, names.join(", "))
            };
            reasons.into_iter().map(said).collect()
        };
        row.told_apart().into_iter().flat_map(of_cases).collect()
    };
    rows.iter().flat_map(of).collect()
}

impl Serialize for AgreedRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Agreed { n, scores, runs, estimates, .. } = &self.agreed;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("n", n)?;
        map.serialize_entry("scores", scores)?;
        map.serialize_entry("runs", runs)?;
        for (it, twice) in estimates {
            map.serialize_entry(it.name(), &twice.by_item.value.ok())?;
        }
        let why = |(it, twice): &(Among, Twice)| Some((it.name(), twice.by_item.value.err()?));
        let not_defined: BTreeMap<&str, Undefined> = estimates.iter().filter_map(why).collect();
        map.serialize_entry("not_defined", &not_defined)?;
        if self.has_intervals {
            intervals::<S, _>(&mut map, estimates, |it| it.name())?;
            map.serialize_entry("warning", &self.warning())?;
        }
        map.end()
    }
}
