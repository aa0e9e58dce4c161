//! Raters against a reference: accuracy, precision, recall and F1, by class and over all classes.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::cli::{
    CommandFailure,
    output::{Json, OutputTable, record},
};
use trajview_run::find_by_name;
use trajview_study::{
    BootstrapPlan, NumberOrReason, RatingScale, Ratings,
    agreement::{
        classes::{
            BinaryResult, ClassResult, ClassScores, Classification, PositiveRule, ReferenceMeasure,
            ZeroDivision, binary_classification, classify_against_reference,
        },
        cluster_bootstrap::ClusteredEstimate,
    },
    raters::{Rater, RaterKind, RaterPanel, ScoredPair, join_scores, run_numbers},
};

use super::{
    grouping::AgreeGrouping,
    number_text::{PlainNumber, interval_text, intervals_record, number_text, with_interval},
};

/// Every other rater against one.
#[derive(Serialize)]
pub struct ReferenceAgreement {
    pub name: String,
    pub kind: &'static str,
    /// The value that averages use for a class without a precision or recall.
    pub zero_division: &'static str,
    /// The condition of a positive score, as `>=3`. Null if none was given.
    pub positive: Option<String>,
    pub raters: Vec<AgainstRow>,
    /// A warning that gold labels exist for disagreements only. Null if that is not so.
    pub warning: Option<String>,
}

/// One rater against the reference.
#[derive(Serialize)]
pub struct AgainstRow {
    pub rater: String,
    /// Things that one of the two alone scored.
    pub only_reference: usize,
    pub only_rater: usize,
    #[serde(flatten)]
    pub measures: ReferenceMeasures,
    /// The measures by run, component or rubric, where `--by` requests them.
    pub parts: Vec<ReferencePartRow>,
}

#[derive(Serialize)]
pub struct ReferencePartRow {
    pub name: String,
    #[serde(flatten)]
    pub measures: ReferenceMeasures,
}

/// The measures computed from pairs of a reference's score and a rater's.
pub struct ReferenceMeasures {
    pub classified: Classification,
    pub binary: Option<BinaryResult>,
    pub estimates: Vec<(ReferenceMeasure, ClusteredEstimate)>,
    has_intervals: bool,
}

/// The terms on which raters are compared with the reference.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceTerms {
    pub zero: ZeroDivision,
    pub positive: Option<PositiveRule>,
}

impl Default for ReferenceTerms {
    fn default() -> Self {
        Self { zero: ZeroDivision::Undefined, positive: None }
    }
}

/// The options by which pairs are measured.
pub struct ReferenceOptions<'a> {
    pub scale: &'a RatingScale,
    pub terms: ReferenceTerms,
    pub plan: &'a BootstrapPlan,
    pub grouping: Option<AgreeGrouping>,
}

/// Finds the reference: the named rater, else the gold labels of adjudication. None if there is neither.
///
/// # Errors
///
/// A sentence that lists the raters, where no rater has the name.
pub(crate) fn find_reference(
    panel: &RaterPanel,
    name: Option<&str>,
) -> Result<Option<usize>, CommandFailure> {
    let Some(word) = name else {
        return Ok(panel.raters.iter().position(|rater| rater.kind == RaterKind::Gold));
    };
    let names: Vec<&str> = panel.raters.iter().map(|rater| rater.name.as_str()).collect();
    find_by_name::position_by_name(word, &names).map(Some).map_err(|miss| {
        let what = match miss {
            find_by_name::NameMiss::None => {
                format!("--against: no rater {:?}", word.trim())
            }
            find_by_name::NameMiss::Several(_) => {
                format!("--against: several begin with {:?}", word.trim())
            }
        };
        CommandFailure::wrong_arguments(format!("{what}; the raters: {}", names.join(", ")))
    })
}

impl ReferenceAgreement {
    /// Compares the raters of a panel that have something in common with the rater `at`; a person is not compared with
    /// themselves.
    pub(crate) fn for_panel(
        panel: &RaterPanel,
        at: usize,
        with: &ReferenceOptions<'_>,
    ) -> Option<Self> {
        let reference = panel.raters.get(at)?;
        let who = |rater: &Rater| rater.labels.as_ref().map(|labels| labels.annotator.clone());
        let is_other = |rater: &&Rater| {
            *rater != reference && (who(rater).is_none() || who(rater) != who(reference))
        };
        let others: Vec<&Rater> = panel.raters.iter().filter(is_other).collect();
        let rows = others.par_iter().map(|rater| against_row(reference, rater, with));
        Some(Self {
            name: reference.name.clone(),
            kind: reference.kind.name(),
            zero_division: with.terms.zero.word(),
            positive: with.terms.positive.map(|positive| positive.to_string()),
            raters: rows.filter(|row| row.measures.classified.n > 0).collect(),
            warning: (reference.kind == RaterKind::Gold)
                .then(|| panel.gold_coverage())
                .flatten()
                .map(|it| it.to_string()),
        })
    }
}

fn against_row(reference: &Rater, rater: &Rater, with: &ReferenceOptions<'_>) -> AgainstRow {
    let joined = join_scores(reference, rater);
    let all: Vec<&ScoredPair> = joined.pairs.iter().collect();
    let mut parts: BTreeMap<&str, Vec<&ScoredPair>> = BTreeMap::new();
    if let Some(by) = with.grouping {
        all.iter().for_each(|pair| parts.entry(by.part_name(pair)).or_default().push(pair));
    }
    let part = |(name, pairs): (&str, Vec<&ScoredPair>)| ReferencePartRow {
        name: name.to_owned(),
        measures: ReferenceMeasures::from_pairs(&pairs, with),
    };
    AgainstRow {
        rater: rater.name.clone(),
        only_reference: joined.only_a,
        only_rater: joined.only_b,
        measures: ReferenceMeasures::from_pairs(&all, with),
        parts: parts.into_iter().map(part).collect(),
    }
}

impl ReferenceMeasures {
    /// Measures pairs whose first score is the reference's.
    fn from_pairs(pairs: &[&ScoredPair], with: &ReferenceOptions<'_>) -> Self {
        let scores: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        Self::from_scores(&scores, &run_numbers(pairs.iter().copied()), with)
    }

    /// Measures pairs of (reference, rater), with the index of the run of each.
    pub fn from_scores(scores: &[(f64, f64)], runs: &[usize], with: &ReferenceOptions<'_>) -> Self {
        let ratings = Ratings::new(with.scale.clone(), scores);
        let table = ratings.confusion_table();
        Self {
            classified: classify_against_reference(&table, with.terms.zero),
            binary: with.terms.positive.map(|positive| binary_classification(&table, positive)),
            estimates: ratings.compare_to_reference(runs, with.terms.zero, with.plan),
            has_intervals: with.plan.resamples > 0,
        }
    }

    pub fn estimate_for(&self, it: ReferenceMeasure) -> Option<&ClusteredEstimate> {
        self.estimates.iter().find(|(other, _)| *other == it).map(|(_, twice)| twice)
    }
}

fn scores_record(ClassScores { precision, recall, f1 }: &ClassScores) -> Json {
    record! { precision: precision.ok(), recall: recall.ok(), f1: f1.ok() }
}

fn class_record(class: &ClassResult) -> Json {
    record! {
        class: PlainNumber(class.level),
        ..scores_record(&class.scores),
        support: class.support,
        predicted: class.predicted,
    }
}

fn binary_record(it: &BinaryResult) -> Json {
    record! {
        ..scores_record(&it.scores),
        accuracy: it.accuracy.ok(),
        specificity: it.specificity.ok(),
        true_positive: it.true_positive,
        false_positive: it.false_positive,
        false_negative: it.false_negative,
        true_negative: it.true_negative,
    }
}

impl Serialize for ReferenceMeasures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Classification { n, accuracy, classes, macro_average, weighted } = &self.classified;
        let intervals = intervals_record(&self.estimates, |it| it.name());
        let record = record! {
            n: n,
            accuracy: accuracy.ok(),
            classes: Json::list(classes, class_record),
            macro: scores_record(macro_average),
            weighted: scores_record(weighted),
            ..self.binary.as_ref().map(|binary| record! { binary: binary_record(binary) }),
            ..self.has_intervals.then_some(intervals),
        };
        record.serialize(to)
    }
}

/// The measures in the order of the columns, each with its head.
const HEADS: [(ReferenceMeasure, &str); 5] = [
    (ReferenceMeasure::Accuracy, "accuracy"),
    (ReferenceMeasure::MacroPrecision, "macro precision"),
    (ReferenceMeasure::MacroRecall, "macro recall"),
    (ReferenceMeasure::MacroF1, "macro F1"),
    (ReferenceMeasure::WeightedF1, "weighted F1"),
];

/// Rows of things that were measured, each with its names.
type NamedMeasures<'a> = (Vec<String>, &'a ReferenceMeasures);

/// Returns a row each, with the intervals over things.
pub fn whole_table<'a>(
    names: &[&str],
    rows: impl Iterator<Item = NamedMeasures<'a>>,
) -> OutputTable {
    measures_table(names, rows, |it| with_interval(it.by_item))
}

/// Returns a row each with the intervals over runs. None if there are none.
pub(crate) fn by_run_table<'a>(
    names: &[&str],
    rows: impl Iterator<Item = NamedMeasures<'a>>,
) -> Option<OutputTable> {
    let has_some =
        |it: &ReferenceMeasures| it.estimates.iter().any(|(_, twice)| twice.by_run.is_ok());
    let rows: Vec<NamedMeasures<'a>> = rows.filter(|(_, it)| has_some(it)).collect();
    let is_any = !rows.is_empty();
    is_any.then(|| measures_table(names, rows.into_iter(), |it| interval_text(it.by_run.ok())))
}

fn measures_table<'a>(
    names: &[&str],
    rows: impl Iterator<Item = NamedMeasures<'a>>,
    cell: impl Fn(&ClusteredEstimate) -> String,
) -> OutputTable {
    let heads = names.iter().copied().chain([">n"]).chain(HEADS.map(|(_, head)| head));
    let mut table =
        OutputTable::with_heads(heads.map(String::from).collect()).with_keys(names.len());
    for (names, it) in rows {
        let cells = HEADS.map(|(head, _)| it.estimate_for(head).map(&cell).unwrap_or_default());
        table
            .add_row(names.into_iter().chain([it.classified.n.to_string()]).chain(cells).collect());
    }
    table
}

/// Returns a row a class.
pub(crate) fn class_table<'a>(
    names: &[&str],
    rows: impl Iterator<Item = NamedMeasures<'a>>,
) -> OutputTable {
    let heads = [">class", ">precision", ">recall", ">F1", ">support", ">given"];
    let heads = names.iter().copied().chain(heads);
    let mut table =
        OutputTable::with_heads(heads.map(String::from).collect()).with_keys(names.len() + 1);
    for (names, it) in rows {
        for class in &it.classified.classes {
            let scores = [class.scores.precision, class.scores.recall, class.scores.f1];
            let first = names.iter().cloned().chain([class.level.to_string()]);
            let last = [class.support.to_string(), class.predicted.to_string()];
            table.add_row(first.chain(scores.map(number_text)).chain(last).collect());
        }
    }
    table
}

/// Makes a row for each rater of the counts of positive and not positive. None if no condition was given.
pub(crate) fn binary_table<'a>(
    names: &[&str],
    rows: impl Iterator<Item = NamedMeasures<'a>>,
) -> Option<OutputTable> {
    let heads =
        [">accuracy", ">precision", ">recall", ">F1", ">specificity", ">TP", ">FP", ">FN", ">TN"];
    let heads = names.iter().copied().chain(heads);
    let mut table =
        OutputTable::with_heads(heads.map(String::from).collect()).with_keys(names.len());
    let mut is_any = false;
    for (names, it) in rows.filter_map(|(names, it)| Some((names, it.binary.as_ref()?))) {
        let ClassScores { precision, recall, f1 } = it.scores;
        let values: [NumberOrReason; 5] = [it.accuracy, precision, recall, f1, it.specificity];
        let counts = [it.true_positive, it.false_positive, it.false_negative, it.true_negative];
        let cells =
            values.map(number_text).into_iter().chain(counts.map(|count| count.to_string()));
        table.add_row(names.into_iter().chain(cells).collect());
        is_any = true;
    }
    is_any.then_some(table)
}
