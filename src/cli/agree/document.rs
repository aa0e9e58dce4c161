//! The JSON of `agree`: field names are fixed by the contract, adding some is fine. An undefined value is null, and
//! `not_defined` gives the reason.

use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use crate::cli::output::{Json, record};
use trajview_run::{Warning, rubric::LabelUnit};
use trajview_study::{
    Agreement, BootstrapPlan, Coefficient, Estimate, Interval, RatingScale, Ratings, Undefined,
    agreement::{AC2_WEIGHTS, LevelBoundary, interval_doubt::SQUARING},
    raters::{
        JoinedScores, LabelSource, Rater, RaterPanel, RaterScore, ScorePart, ScoredPair,
        join_scores, run_numbers,
    },
};
use trajview_tui::shell::copy::shell_argument;

use super::{
    fitness::JudgeFitness,
    grouping::AgreeGrouping,
    number_text::{PlainNumber, doubted_intervals_text, plain_number},
    panel,
    panel::PanelRow,
    reference::{ReferenceAgreement, ReferenceOptions, ReferenceTerms},
    repeats::JudgeRepeats,
};

#[derive(Serialize)]
pub struct AgreeDocument {
    schema: &'static str,
    #[serde(flatten)]
    pub of: ComparedPart,
    #[serde(serialize_with = "plain_numbers")]
    pub levels: Vec<f64>,
    #[serde(flatten)]
    pub drawn: AgreeResamplingFacts,
    /// Names of the runs. Empty if nothing names one.
    pub runs: Vec<String>,
    pub raters: Vec<RaterRow>,
    /// The role of each rater, where the calibration table was requested; the pairs are its rows then, in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    pub pairs: Vec<RaterPairRow>,
    /// All raters together, with scores missing here and there; empty with fewer than two.
    pub panel: Vec<PanelRow>,
    /// Every rater against one. Null if there is no reference.
    pub reference: Option<ReferenceAgreement>,
    #[serde(flatten)]
    pub fitness: JudgeFitness,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<JudgeRepeats>,
    /// Scores that no other rater has a counterpart to.
    pub alone: Vec<UnmatchedScoreRow>,
    /// The inputs that could not be used.
    pub problems: Vec<Warning>,
    /// The same document for each other kind of thing, criterion and scale.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<AgreeDocument>,
}

/// The part of the scores that the agreement is computed for.
#[derive(Serialize)]
pub struct ComparedPart {
    pub unit: &'static str,
    /// Null if there is one criterion, and of what was raised.
    pub criterion: Option<String>,
    pub scale: String,
    /// The alpha that fits the levels: `nominal`, `ordinal` or `interval`; the `alpha` of two raters is that one.
    pub alpha_level: &'static str,
    /// The part in words; None for components on 0..4.
    #[serde(skip)]
    pub words: Option<String>,
}

/// The settings by which intervals are drawn.
#[derive(Serialize)]
pub struct AgreeResamplingFacts {
    pub seed: u64,
    pub resamples: usize,
    /// The probability that an interval covers the value: 0.95.
    confidence: f64,
    ac2_weights: &'static str,
}

impl ComparedPart {
    fn new(part: &ScorePart, scale: &RatingScale) -> Self {
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
pub struct UnmatchedScoreRow {
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
    /// True if the labels were given before the verdict was seen. Null if that is not recorded, and for
    /// judgements.
    pub blind: Option<bool>,
    /// The number of scores.
    pub scores: usize,
    #[serde(skip)]
    pub labels: Option<LabelSource>,
}

#[derive(Serialize)]
pub struct RaterPairRow {
    pub a: String,
    pub b: String,
    /// Things that only one of the two scored.
    pub only_a: usize,
    pub only_b: usize,
    #[serde(flatten)]
    pub measures: AgreementMeasures,
    /// The number of runs that the pairs come from.
    pub runs: usize,
    /// Intervals that are drawn over runs, each run as one cluster; null below two runs and where no intervals were
    /// requested.
    #[serde(rename = "ci95_by_run")]
    pub by_runs: Option<BTreeMap<&'static str, Option<Interval>>>,
    pub disagreements: Vec<Disagreement>,
    pub by_run: Vec<AgreementPartRow>,
    pub by_component: Vec<AgreementPartRow>,
    pub by_rubric: Vec<AgreementPartRow>,
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
    /// The command that opens it on screen. None if the run is in no folder that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}

/// The pairs of one run, component or rubric; with intervals only where `--by` names the grouping.
#[derive(Serialize)]
pub struct AgreementPartRow {
    pub name: String,
    #[serde(flatten)]
    pub measures: AgreementMeasures,
}

/// Everything that is computed of some pairs.
pub struct AgreementMeasures {
    pub agreement: Agreement,
    /// True if intervals were requested.
    has_intervals: bool,
}

/// The settings by which pairs are measured.
pub struct AgreementSettings<'a> {
    pub part: &'a ScorePart,
    pub scale: RatingScale,
    pub plan: BootstrapPlan,
    /// The grouping whose parts get intervals.
    pub grouping: Option<AgreeGrouping>,
    /// The folder of each run that is one.
    pub folders: &'a BTreeMap<String, PathBuf>,
    /// The index of the reference rater, and how others are compared with it.
    pub reference: Option<(usize, ReferenceTerms)>,
}

impl AgreeDocument {
    pub fn new(panel: &RaterPanel, measuring: &AgreementSettings<'_>) -> Self {
        let AgreementSettings { scale, plan, .. } = measuring;
        let pairs = panel.pairs_of_raters();
        let raters = |&(a, b): &(usize, usize)| Some((panel.raters.get(a)?, panel.raters.get(b)?));
        let joined: Vec<_> =
            pairs.iter().filter_map(raters).map(|(a, b)| (a, b, join_scores(a, b))).collect();
        let strangers = joined.iter().filter(|(_, _, joined)| joined.pairs.is_empty());
        let strangers = strangers.map(|(a, b, _)| Warning {
            place: format!("{} and {}", a.name, b.name),
            what: "no common items".into(),
        });
        let problems = panel.problems.iter().cloned().chain(strangers);
        let rows = joined.par_iter().filter(|(_, _, joined)| !joined.pairs.is_empty());
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores);
        let runs: BTreeSet<&str> = scores.map(|score| score.item.run.as_str()).collect();
        Self {
            schema: "trajview.agree/1",
            of: ComparedPart::new(measuring.part, scale),
            levels: scale.levels().to_vec(),
            drawn: AgreeResamplingFacts {
                seed: plan.seed,
                resamples: plan.resamples,
                confidence: plan.confidence,
                ac2_weights: AC2_WEIGHTS,
            },
            more: vec![],
            runs: runs.into_iter().map(str::to_owned).collect(),
            raters: panel.raters.iter().map(rater_row).collect(),
            calibration: None,
            fitness: JudgeFitness::default(),
            repeats: None,
            panel: panel::panel_rows(panel, scale, plan),
            reference: measuring.reference.and_then(|(at, terms)| {
                ReferenceAgreement::for_panel(
                    panel,
                    at,
                    &ReferenceOptions { scale, terms, plan, grouping: measuring.grouping },
                )
            }),
            pairs: rows
                .map(|(a, b, joined)| pair_row([&a.name, &b.name], joined, measuring))
                .collect(),
            alone: panel
                .scores_without_counterpart()
                .into_iter()
                .filter_map(|(rater, score)| unmatched_score_row(panel, rater, score))
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
        blind: rater.labels.as_ref().and_then(|labels| labels.blindness.is_blind()),
        labels: rater.labels.clone(),
        scores: rater.scores.len(),
    }
}

fn unmatched_score_row(
    panel: &RaterPanel,
    rater: usize,
    score: &RaterScore,
) -> Option<UnmatchedScoreRow> {
    let rater = panel.raters.get(rater)?.name.clone();
    let item = score.item.clone();
    Some(UnmatchedScoreRow {
        rater,
        component: item.component,
        criterion: item.criterion,
        run: item.run,
        commit: item.commit,
        place: score.place.clone(),
    })
}

fn pair_row(
    [a, b]: [&str; 2],
    joined: &JoinedScores,
    measuring: &AgreementSettings<'_>,
) -> RaterPairRow {
    let all_pairs: Vec<&ScoredPair> = joined.pairs.iter().collect();
    let differ = joined.pairs.iter().filter(|pair| pair.a != pair.b);
    let part = |by: AgreeGrouping| part_rows(&joined.pairs, by, measuring);
    let clusters = run_numbers(all_pairs.iter().copied());
    let runs = clusters.iter().collect::<BTreeSet<_>>().len();
    RaterPairRow {
        a: a.into(),
        b: b.into(),
        only_a: joined.only_a,
        only_b: joined.only_b,
        measures: measures_of_pairs(&all_pairs, &measuring.scale, &measuring.plan),
        by_runs: (runs > 1 && measuring.plan.resamples > 0).then(|| {
            let found = ratings_of_pairs(&all_pairs, &measuring.scale)
                .intervals_by_cluster(&clusters, &measuring.plan);
            found.into_iter().map(|(it, interval)| (it.name(), interval.ok())).collect()
        }),
        runs,
        disagreements: differ.map(|pair| disagreement_row(pair, measuring.folders)).collect(),
        by_run: part(AgreeGrouping::Run),
        by_component: part(AgreeGrouping::Component),
        by_rubric: part(AgreeGrouping::Rubric),
    }
}

fn disagreement_row(pair: &ScoredPair, folders: &BTreeMap<String, PathBuf>) -> Disagreement {
    let item = pair.item.clone();
    let folder = folders.get(&item.run).filter(|_| item.unit == LabelUnit::Component);
    let open = folder.map(|folder| {
        let [folder, component] = [folder.display().to_string(), item.component.clone()];
        format!(
            "trajview {} --view scores --component {}",
            shell_argument(&folder),
            shell_argument(&component)
        )
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

fn part_rows(
    pairs: &[ScoredPair],
    by: AgreeGrouping,
    measuring: &AgreementSettings<'_>,
) -> Vec<AgreementPartRow> {
    let mut part_rows: BTreeMap<&str, Vec<&ScoredPair>> = BTreeMap::new();
    pairs.iter().for_each(|pair| part_rows.entry(by.part_name(pair)).or_default().push(pair));
    let without = BootstrapPlan { resamples: 0, ..BootstrapPlan::default() };
    let plan = if measuring.grouping == Some(by) { &measuring.plan } else { &without };
    let row = |(name, pairs): (&str, Vec<&ScoredPair>)| AgreementPartRow {
        name: name.to_owned(),
        measures: measures_of_pairs(&pairs, &measuring.scale, plan),
    };
    part_rows.into_par_iter().map(row).collect()
}

fn ratings_of_pairs(pairs: &[&ScoredPair], scale: &RatingScale) -> Ratings {
    let scores: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    Ratings::new(scale.clone(), &scores)
}

fn measures_of_pairs(
    pairs: &[&ScoredPair],
    scale: &RatingScale,
    plan: &BootstrapPlan,
) -> AgreementMeasures {
    let agreement = ratings_of_pairs(pairs, scale).agreement(plan);
    AgreementMeasures { agreement, has_intervals: plan.resamples > 0 }
}

impl AgreementMeasures {
    /// Returns a sentence about the intervals that cannot be trusted, with the reason. None if all can.
    pub(crate) fn interval_warning(&self) -> Option<String> {
        let doubt = self.agreement.table.interval_doubt()?;
        let has_interval = |it: &Coefficient| self.agreement.estimate_for(*it).interval.is_ok();
        let names: Vec<&str> =
            SQUARING.into_iter().filter(has_interval).map(Coefficient::name).collect();
        (!names.is_empty()).then(|| doubted_intervals_text(&names, doubt))
    }

    fn estimates(&self) -> impl Iterator<Item = (Coefficient, Estimate)> {
        self.agreement.estimates.iter().copied()
    }
}

impl Serialize for AgreementMeasures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Agreement { n, table, .. } = &self.agreement;
        let (a, b) = table.base_rates();
        let value = |(coefficient, estimate): (Coefficient, Estimate)| {
            let value = estimate.value.ok();
            let json = match coefficient.boundary_in(table) {
                None => Json::new(&value),
                Some(LevelBoundary { count, total }) => {
                    record! { count: count, of: total, share: value }
                }
            };
            (coefficient.name().into(), json)
        };
        let reasons = |why: fn(Estimate) -> Option<Undefined>| -> BTreeMap<_, _> {
            self.estimates()
                .filter_map(|(it, estimate)| Some((it.name(), why(estimate)?)))
                .collect()
        };
        let intervals = self.estimates().map(|(it, estimate)| (it.name(), estimate.interval.ok()));
        let record = record! {
            n: n,
            ..Json::Record(self.estimates().map(value).collect()),
            confusion: table.count_rows(),
            base_rate: record! { a: a, b: b },
            not_defined: reasons(|it| it.value.err()),
            ..self.has_intervals.then(|| {
                record! {
                    ci95: intervals.collect::<BTreeMap<_, _>>(),
                    ci95_not_defined: reasons(|it| it.interval.err()),
                    warning: self.interval_warning(),
                }
            }),
        };
        record.serialize(to)
    }
}

fn plain_numbers<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(numbers.iter().map(|number| PlainNumber(*number)))
}
