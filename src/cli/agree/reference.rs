//! Raters against a reference: accuracy, precision, recall and F1, by class and as a whole.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::cli::{Failure, output::Table};
use trajview_run::named;
use trajview_study::{
    Plan, Ratings, Scale, Value,
    agreement::{
        classes::{
            Against, Binary, Class, Classified, Positive, Scores, ZeroDivision, binary, classified,
        },
        drawn::Twice,
    },
    raters::{Kind, Panel, Rater, ScoredPair, join, runs_of},
};

use super::{
    parts::By,
    written::{ends, intervals, number, plain_number, with_interval},
};

/// Every other rater against one.
#[derive(Serialize)]
pub struct Reference {
    pub name: String,
    pub kind: &'static str,
    /// What a class without a precision or recall counts as in averages.
    pub zero_division: &'static str,
    /// What counts as positive, as `>=3`; null where it was not asked for.
    pub positive: Option<String>,
    pub raters: Vec<AgainstRow>,
    /// What to know before believing it: that gold is of disagreements alone. Null where there is nothing.
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
    pub measures: Measured,
    /// By run, component or rubric, where it was asked for.
    pub parts: Vec<PartRow>,
}

#[derive(Serialize)]
pub struct PartRow {
    pub name: String,
    #[serde(flatten)]
    pub measures: Measured,
}

/// What is computed of pairs of a reference's scores and a rater's.
pub struct Measured {
    pub classified: Classified,
    pub binary: Option<Binary>,
    pub estimates: Vec<(Against, Twice)>,
    has_intervals: bool,
}

/// How raters are held against the reference.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub zero: ZeroDivision,
    pub positive: Option<Positive>,
}

impl Default for Terms {
    fn default() -> Self {
        Self { zero: ZeroDivision::Undefined, positive: None }
    }
}

/// What pairs are measured with.
pub struct With<'a> {
    pub scale: &'a Scale,
    pub terms: Terms,
    pub plan: &'a Plan,
    pub by: Option<By>,
}

/// Who is the reference: the one that is named, else what adjudication settled; None where there is neither.
///
/// # Errors
///
/// A sentence that lists the raters, where nobody is called so.
pub fn chosen(panel: &Panel, wanted: Option<&str>) -> Result<Option<usize>, Failure> {
    let Some(word) = wanted else {
        return Ok(panel.raters.iter().position(|rater| rater.kind == Kind::Gold));
    };
    let names: Vec<&str> = panel.raters.iter().map(|rater| rater.name.as_str()).collect();
    named::by_name(word, &names).map(Some).map_err(|miss| {
        let what = match miss {
            named::Miss::None => format!("--against: there is no rater {:?}", word.trim()),
            named::Miss::Several(_) => format!("--against: several begin with {:?}", word.trim()),
        };
        Failure::wrong(format!("{what}; the raters: {}", names.join(", ")))
    })
}

impl Reference {
    /// Of the raters of a panel that have something in common with this one of them; a person is not held against
    /// themselves.
    pub fn of(panel: &Panel, at: usize, with: &With<'_>) -> Option<Self> {
        let reference = panel.raters.get(at)?;
        let who = |rater: &Rater| rater.labels.as_ref().map(|labels| labels.annotator.clone());
        let is_other = |rater: &&Rater| {
            *rater != reference && (who(rater).is_none() || who(rater) != who(reference))
        };
        let others: Vec<&Rater> = panel.raters.iter().filter(is_other).collect();
        let rows = others.par_iter().map(|rater| row(reference, rater, with));
        Some(Self {
            name: reference.name.clone(),
            kind: reference.kind.name(),
            zero_division: with.terms.zero.word(),
            positive: with.terms.positive.map(|positive| positive.to_string()),
            raters: rows.filter(|row| row.measures.classified.n > 0).collect(),
            warning: (reference.kind == Kind::Gold)
                .then(|| panel.disputed_alone())
                .flatten()
                .map(|it| it.to_string()),
        })
    }
}

fn row(reference: &Rater, rater: &Rater, with: &With<'_>) -> AgainstRow {
    let joined = join(reference, rater);
    let all: Vec<&ScoredPair> = joined.pairs.iter().collect();
    let mut parts: BTreeMap<&str, Vec<&ScoredPair>> = BTreeMap::new();
    if let Some(by) = with.by {
        all.iter().for_each(|pair| parts.entry(by.part_of(pair)).or_default().push(pair));
    }
    let part = |(name, pairs): (&str, Vec<&ScoredPair>)| PartRow {
        name: name.to_owned(),
        measures: Measured::of(&pairs, with),
    };
    AgainstRow {
        rater: rater.name.clone(),
        only_reference: joined.only_a,
        only_rater: joined.only_b,
        measures: Measured::of(&all, with),
        parts: parts.into_iter().map(part).collect(),
    }
}

impl Measured {
    /// Of pairs whose first is the reference's.
    fn of(pairs: &[&ScoredPair], with: &With<'_>) -> Self {
        let scores: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        Self::of_scores(&scores, &runs_of(pairs.iter().copied()), with)
    }

    /// Of (reference, rater), and the run of each.
    pub fn of_scores(scores: &[(f64, f64)], runs: &[usize], with: &With<'_>) -> Self {
        let ratings = Ratings::new(with.scale.clone(), scores);
        let table = ratings.table();
        Self {
            classified: classified(&table, with.terms.zero),
            binary: with.terms.positive.map(|positive| binary(&table, positive)),
            estimates: ratings.against(runs, with.terms.zero, with.plan),
            has_intervals: with.plan.resamples > 0,
        }
    }

    pub fn estimate(&self, it: Against) -> Option<&Twice> {
        self.estimates.iter().find(|(other, _)| *other == it).map(|(_, twice)| twice)
    }
}

#[derive(Serialize)]
struct ScoresRow {
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

#[derive(Serialize)]
struct ClassRow {
    #[serde(serialize_with = "plain_number")]
    class: f64,
    #[serde(flatten)]
    scores: ScoresRow,
    support: u64,
    predicted: u64,
}

#[derive(Serialize)]
struct BinaryRow {
    #[serde(flatten)]
    scores: ScoresRow,
    accuracy: Option<f64>,
    specificity: Option<f64>,
    true_positive: u64,
    false_positive: u64,
    false_negative: u64,
    true_negative: u64,
}

fn scores_row(scores: &Scores) -> ScoresRow {
    let Scores { precision, recall, f1 } = scores;
    ScoresRow { precision: precision.ok(), recall: recall.ok(), f1: f1.ok() }
}

fn class_row(class: &Class) -> ClassRow {
    let (support, predicted) = (class.support, class.predicted);
    ClassRow { class: class.level, scores: scores_row(&class.scores), support, predicted }
}

fn binary_row(it: &Binary) -> BinaryRow {
    BinaryRow {
        scores: scores_row(&it.scores),
        accuracy: it.accuracy.ok(),
        specificity: it.specificity.ok(),
        true_positive: it.true_positive,
        false_positive: it.false_positive,
        false_negative: it.false_negative,
        true_negative: it.true_negative,
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Classified { n, accuracy, classes, macro_average, weighted } = &self.classified;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("n", n)?;
        map.serialize_entry("accuracy", &accuracy.ok())?;
        map.serialize_entry("classes", &classes.iter().map(class_row).collect::<Vec<_>>())?;
        map.serialize_entry("macro", &scores_row(macro_average))?;
        map.serialize_entry("weighted", &scores_row(weighted))?;
        if let Some(binary) = &self.binary {
            map.serialize_entry("binary", &binary_row(binary))?;
        }
        if self.has_intervals {
            intervals::<S, _>(&mut map, &self.estimates, |it| it.name())?;
        }
        map.end()
    }
}

/// What the measures are called above a column.
const HEADS: [(Against, &str); 5] = [
    (Against::Accuracy, "accuracy"),
    (Against::MacroPrecision, "macro precision"),
    (Against::MacroRecall, "macro recall"),
    (Against::MacroF1, "macro F1"),
    (Against::WeightedF1, "weighted F1"),
];

/// Rows of things that were measured, each with its names.
type Named<'a> = (Vec<String>, &'a Measured);

/// A row each, with the intervals over things.
pub fn whole_table<'a>(names: &[&str], rows: impl Iterator<Item = Named<'a>>) -> Table {
    told(names, rows, |it| with_interval(it.by_item))
}

/// A row each with the intervals over runs; None where there are none.
pub fn by_run_table<'a>(names: &[&str], rows: impl Iterator<Item = Named<'a>>) -> Option<Table> {
    let has_some = |it: &Measured| it.estimates.iter().any(|(_, twice)| twice.by_run.is_ok());
    let rows: Vec<Named<'a>> = rows.filter(|(_, it)| has_some(it)).collect();
    let is_any = !rows.is_empty();
    is_any.then(|| told(names, rows.into_iter(), |it| ends(it.by_run.ok())))
}

fn told<'a>(
    names: &[&str],
    rows: impl Iterator<Item = Named<'a>>,
    cell: impl Fn(&Twice) -> String,
) -> Table {
    let heads = names.iter().copied().chain([">n"]).chain(HEADS.map(|(_, head)| head));
    let mut table = Table::headed(heads.map(String::from).collect()).keyed(names.len());
    for (names, it) in rows {
        let cells = HEADS.map(|(head, _)| it.estimate(head).map(&cell).unwrap_or_default());
        table.row(names.into_iter().chain([it.classified.n.to_string()]).chain(cells).collect());
    }
    table
}

/// A row a class.
pub fn class_table<'a>(names: &[&str], rows: impl Iterator<Item = Named<'a>>) -> Table {
    let heads = [">class", ">precision", ">recall", ">F1", ">support", ">given"];
    let heads = names.iter().copied().chain(heads);
    let mut table = Table::headed(heads.map(String::from).collect()).keyed(names.len() + 1);
    for (names, it) in rows {
        for class in &it.classified.classes {
            let scores = [class.scores.precision, class.scores.recall, class.scores.f1];
            let first = names.iter().cloned().chain([class.level.to_string()]);
            let last = [class.support.to_string(), class.predicted.to_string()];
            table.row(first.chain(scores.map(number)).chain(last).collect());
        }
    }
    table
}

/// Positive or not: a row each; None where it was not asked for.
pub fn binary_table<'a>(names: &[&str], rows: impl Iterator<Item = Named<'a>>) -> Option<Table> {
    let heads =
        [">accuracy", ">precision", ">recall", ">F1", ">specificity", ">TP", ">FP", ">FN", ">TN"];
    let heads = names.iter().copied().chain(heads);
    let mut table = Table::headed(heads.map(String::from).collect()).keyed(names.len());
    let mut is_any = false;
    for (names, it) in rows.filter_map(|(names, it)| Some((names, it.binary.as_ref()?))) {
        let Scores { precision, recall, f1 } = it.scores;
        let values: [Value; 5] = [it.accuracy, precision, recall, f1, it.specificity];
        let counts = [it.true_positive, it.false_positive, it.false_negative, it.true_negative];
        let cells = values.map(number).into_iter().chain(counts.map(|count| count.to_string()));
        table.row(names.into_iter().chain(cells).collect());
        is_any = true;
    }
    is_any.then_some(table)
}
