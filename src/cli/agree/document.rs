//! The JSON of `agree`: field names are fixed by the contract, adding some is fine. What is not defined is null, and
//! `not_defined` says why.

use rayon::prelude::*;
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use trajview_run::{Warning, rubric::Unit};
use trajview_study::{
    Agreement, Coefficient, Estimate, Interval, Plan, Ratings, Scale, Undefined,
    agreement::{AC2_WEIGHTS, Boundary, trust::SQUARING},
    raters::{Joined, LabelsOf, Panel, Part, Rater, Score, ScoredPair, join, runs_of},
};
use trajview_tui::shell::copy::argument;

use super::{
    panel,
    panel::PanelRow,
    parts::By,
    reference::{Reference, Terms, With},
    repeats::Repeats,
    written::{doubted, plain_number},
};

#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    #[serde(flatten)]
    pub of: PartOf,
    #[serde(serialize_with = "plain_numbers")]
    pub levels: Vec<f64>,
    #[serde(flatten)]
    pub drawn: Drawn,
    /// Names of the runs; empty where nothing names one.
    pub runs: Vec<String>,
    pub raters: Vec<RaterRow>,
    /// Who is who where the calibration table was asked for; the pairs are its rows then, in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    pub pairs: Vec<PairRow>,
    /// All raters together, with scores missing here and there; empty with fewer than two.
    pub panel: Vec<PanelRow>,
    /// Every rater against one; null where there is no reference.
    pub reference: Option<Reference>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// Scores that no other rater has a counterpart to.
    pub alone: Vec<AloneRow>,
    /// What could not be used.
    pub problems: Vec<Warning>,
    /// Of other kinds of things, by other criteria and on other scales: as this document, each by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Document>,
}

/// What it is the agreement of.
#[derive(Serialize)]
pub struct PartOf {
    pub unit: &'static str,
    /// Null where there is one criterion, and of what was raised.
    pub criterion: Option<String>,
    pub scale: String,
    /// Which alpha fits the levels: `nominal`, `ordinal` or `interval`; the `alpha` of two raters is that one.
    pub alpha_level: &'static str,
    /// In words, where it is another than components on 0..4.
    #[serde(skip)]
    pub words: Option<String>,
}

/// How intervals are drawn.
#[derive(Serialize)]
pub struct Drawn {
    pub seed: u64,
    pub resamples: usize,
    /// What an interval covers.
    confidence: f64,
    ac2_weights: &'static str,
}

impl PartOf {
    fn of(part: &Part, scale: &Scale) -> Self {
        Self {
            unit: part.unit.word(),
            criterion: part.criterion.clone(),
            scale: part.scale.to_string(),
            alpha_level: scale.measurement().word(),
            words: (!part.is_plain()).then(|| part.to_string()),
        }
    }
}

/// Names of raters.
#[derive(Serialize)]
pub struct Calibration {
    pub first: String,
    pub second: String,
    pub judge: String,
}

#[derive(Serialize)]
pub struct AloneRow {
    pub rater: String,
    pub component: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    pub run: String,
    pub commit: Option<String>,
    #[serde(rename = "where")]
    pub place: String,
}

#[derive(Serialize)]
pub struct RaterRow {
    pub name: String,
    pub model: Option<String>,
    pub kind: &'static str,
    /// Of labels, whether they were given before the verdict was seen; null where nothing says it.
    pub blind: Option<bool>,
    /// How many.
    pub scores: usize,
    #[serde(skip)]
    pub labels: Option<LabelsOf>,
}

#[derive(Serialize)]
pub struct PairRow {
    pub a: String,
    pub b: String,
    /// Things that only one of the two scored.
    pub only_a: usize,
    pub only_b: usize,
    #[serde(flatten)]
    pub measures: Measures,
    /// Of how many runs the pairs are.
    pub runs: usize,
    /// Intervals that are drawn over runs, each whole; null below two runs and where none were asked for.
    #[serde(rename = "ci95_by_run")]
    pub by_runs: Option<BTreeMap<&'static str, Option<Interval>>>,
    pub disagreements: Vec<Disagreement>,
    pub by_run: Vec<PartRow>,
    pub by_component: Vec<PartRow>,
    pub by_rubric: Vec<PartRow>,
}

#[derive(Serialize)]
pub struct Disagreement {
    pub component: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    pub run: String,
    pub commit: Option<String>,
    #[serde(serialize_with = "plain_number")]
    pub a: f64,
    #[serde(serialize_with = "plain_number")]
    pub b: f64,
    /// The command that opens it on screen; None where it is of no folder that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}

/// The pairs of one run, component or rubric; with intervals only where they were asked for by name.
#[derive(Serialize)]
pub struct PartRow {
    pub name: String,
    #[serde(flatten)]
    pub measures: Measures,
}

/// Everything that is computed of some pairs.
pub struct Measures {
    pub agreement: Agreement,
    /// Whether intervals were asked for.
    has_intervals: bool,
}

/// How pairs are measured.
pub struct Measuring<'a> {
    pub part: &'a Part,
    pub scale: Scale,
    pub plan: Plan,
    /// What the intervals of parts are wanted for.
    pub by: Option<By>,
    /// The folder of each run that is one.
    pub folders: &'a BTreeMap<String, PathBuf>,
    /// The number of the reference rater, and how others are held against it.
    pub reference: Option<(usize, Terms)>,
}

impl Document {
    pub fn of(panel: &Panel, measuring: &Measuring<'_>) -> Self {
        let Measuring { scale, plan, .. } = measuring;
        let pairs = panel.pairs_of_raters();
        let raters = |&(a, b): &(usize, usize)| Some((panel.raters.get(a)?, panel.raters.get(b)?));
        let joined: Vec<_> =
            pairs.iter().filter_map(raters).map(|(a, b)| (a, b, join(a, b))).collect();
        let strangers = joined.iter().filter(|(_, _, joined)| joined.pairs.is_empty());
        let strangers = strangers.map(|(a, b, _)| Warning {
            place: format!("{} and {}", a.name, b.name),
            what: "scored nothing in common".into(),
        });
        let problems = panel.problems.iter().cloned().chain(strangers);
        let rows = joined.par_iter().filter(|(_, _, joined)| !joined.pairs.is_empty());
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores);
        let runs: BTreeSet<&str> = scores.map(|score| score.item.run.as_str()).collect();
        Self {
            schema: "trajview.agree/1",
            of: PartOf::of(measuring.part, scale),
            levels: scale.levels().to_vec(),
            drawn: Drawn {
                seed: plan.seed,
                resamples: plan.resamples,
                confidence: plan.confidence,
                ac2_weights: AC2_WEIGHTS,
            },
            more: vec![],
            runs: runs.into_iter().map(str::to_owned).collect(),
            raters: panel.raters.iter().map(rater_row).collect(),
            calibration: None,
            repeats: None,
            panel: panel::rows(panel, scale, plan),
            reference: measuring.reference.and_then(|(at, terms)| {
                Reference::of(panel, at, &With { scale, terms, plan, by: measuring.by })
            }),
            pairs: rows
                .map(|(a, b, joined)| pair_row([&a.name, &b.name], joined, measuring))
                .collect(),
            alone: panel
                .lonely()
                .into_iter()
                .filter_map(|(rater, score)| alone_row(panel, rater, score))
                .collect(),
            problems: problems.collect(),
        }
    }
}

fn rater_row(rater: &Rater) -> RaterRow {
    RaterRow {
        name: rater.name.clone(),
        model: rater.model.clone(),
        kind: rater.kind.name(),
        blind: rater.labels.as_ref().and_then(|labels| labels.sight.is_blind()),
        labels: rater.labels.clone(),
        scores: rater.scores.len(),
    }
}

fn alone_row(panel: &Panel, rater: usize, score: &Score) -> Option<AloneRow> {
    let rater = panel.raters.get(rater)?.name.clone();
    let item = score.item.clone();
    Some(AloneRow {
        rater,
        component: item.component,
        criterion: item.criterion,
        run: item.run,
        commit: item.commit,
        place: score.place.clone(),
    })
}

fn pair_row([a, b]: [&str; 2], joined: &Joined, measuring: &Measuring<'_>) -> PairRow {
    let whole: Vec<&ScoredPair> = joined.pairs.iter().collect();
    let differ = joined.pairs.iter().filter(|pair| pair.a != pair.b);
    let part = |by: By| parts(&joined.pairs, by, measuring);
    let clusters = runs_of(whole.iter().copied());
    let runs = clusters.iter().collect::<BTreeSet<_>>().len();
    PairRow {
        a: a.into(),
        b: b.into(),
        only_a: joined.only_a,
        only_b: joined.only_b,
        measures: measures(&whole, &measuring.scale, &measuring.plan),
        by_runs: (runs > 1 && measuring.plan.resamples > 0).then(|| {
            let found = ratings(&whole, &measuring.scale).by_cluster(&clusters, &measuring.plan);
            found.into_iter().map(|(it, interval)| (it.name(), interval.ok())).collect()
        }),
        runs,
        disagreements: differ.map(|pair| disagreement(pair, measuring.folders)).collect(),
        by_run: part(By::Run),
        by_component: part(By::Component),
        by_rubric: part(By::Rubric),
    }
}

fn disagreement(pair: &ScoredPair, folders: &BTreeMap<String, PathBuf>) -> Disagreement {
    let item = pair.item.clone();
    let folder = folders.get(&item.run).filter(|_| item.unit == Unit::Component);
    let open = folder.map(|folder| {
        let [folder, component] = [folder.display().to_string(), item.component.clone()];
        format!("trajview {} --view scores --component {}", argument(&folder), argument(&component))
    });
    Disagreement {
        component: item.component,
        criterion: item.criterion,
        run: item.run,
        commit: item.commit,
        a: pair.a,
        b: pair.b,
        open,
    }
}

fn parts(pairs: &[ScoredPair], by: By, measuring: &Measuring<'_>) -> Vec<PartRow> {
    let mut parts: BTreeMap<&str, Vec<&ScoredPair>> = BTreeMap::new();
    pairs.iter().for_each(|pair| parts.entry(by.part_of(pair)).or_default().push(pair));
    let without = Plan { resamples: 0, ..Plan::default() };
    let plan = if measuring.by == Some(by) { &measuring.plan } else { &without };
    let row = |(name, pairs): (&str, Vec<&ScoredPair>)| PartRow {
        name: name.to_owned(),
        measures: measures(&pairs, &measuring.scale, plan),
    };
    parts.into_par_iter().map(row).collect()
}

fn ratings(pairs: &[&ScoredPair], scale: &Scale) -> Ratings {
    let scores: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    Ratings::new(scale.clone(), &scores)
}

fn measures(pairs: &[&ScoredPair], scale: &Scale, plan: &Plan) -> Measures {
    let agreement = ratings(pairs, scale).agreement(plan);
    Measures { agreement, has_intervals: plan.resamples > 0 }
}

impl Measures {
    /// Which intervals cannot be trusted, and why; None where all can.
    pub fn warning(&self) -> Option<String> {
        let doubt = self.agreement.table.doubt()?;
        let has_interval = |it: &Coefficient| self.agreement.estimate(*it).interval.is_ok();
        let names: Vec<&str> =
            SQUARING.into_iter().filter(has_interval).map(Coefficient::name).collect();
        (!names.is_empty()).then(|| doubted(&names, doubt))
    }

    fn estimates(&self) -> impl Iterator<Item = (Coefficient, Estimate)> {
        self.agreement.estimates.iter().copied()
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Agreement { n, table, .. } = &self.agreement;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("n", n)?;
        for (coefficient, estimate) in self.estimates() {
            let value = estimate.value.ok();
            match coefficient.boundary(table) {
                None => map.serialize_entry(coefficient.name(), &value)?,
                Some(Boundary { count, of }) => map.serialize_entry(
                    coefficient.name(),
                    &serde_json::json!({"count": count, "of": of, "share": value}),
                )?,
            }
        }
        map.serialize_entry("confusion", &table.rows())?;
        let (a, b) = table.base_rates();
        map.serialize_entry("base_rate", &serde_json::json!({"a": a, "b": b}))?;
        let why = |it: Result<f64, Undefined>| it.err().map(Undefined::why);
        let undefined =
            self.estimates().filter_map(|(it, estimate)| Some((it.name(), why(estimate.value)?)));
        map.serialize_entry("not_defined", &undefined.collect::<BTreeMap<_, _>>())?;
        if self.has_intervals {
            let ends = |it: Interval| [it.low, it.high];
            let intervals = self
                .estimates()
                .map(|(it, estimate)| (it.name(), estimate.interval.ok().map(ends)));
            map.serialize_entry("ci95", &intervals.collect::<BTreeMap<_, _>>())?;
            let undefined = self
                .estimates()
                .filter_map(|(it, estimate)| Some((it.name(), estimate.interval.err()?.why())));
            map.serialize_entry("ci95_not_defined", &undefined.collect::<BTreeMap<_, _>>())?;
            map.serialize_entry("warning", &self.warning())?;
        }
        map.end()
    }
}

fn plain_numbers<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    struct Plain(f64);
    impl Serialize for Plain {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            plain_number(&self.0, to)
        }
    }
    to.collect_seq(numbers.iter().map(|number| Plain(*number)))
}
