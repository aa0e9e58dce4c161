//! The strata of an estimate: labelled and unlabelled items with their weights.

use std::collections::{BTreeMap, BTreeSet};

use super::estimator::{LabelScope, MeasuredItem};

/// A labelled item.
#[derive(Debug, Clone, Copy)]
pub struct LabelledValue {
    pub cluster: usize,
    pub label: f64,
    pub judged: f64,
    /// The number of items that it represents, each with the weight of its run.
    pub weight: f64,
}

/// An unlabelled item.
#[derive(Debug, Clone, Copy)]
pub struct JudgedValue {
    pub cluster: usize,
    pub judged: f64,
    /// As [`LabelledValue::weight`], among the unlabelled items.
    pub weight: f64,
}

/// Items that are estimated together: one stratum, or several of which one has a single label.
#[derive(Debug, Clone, Default)]
pub struct Stratum {
    /// The share of the whole that the stratum is.
    pub share: f64,
    /// The mean of the judge over all items.
    pub judged: f64,
    pub labelled: Vec<LabelledValue>,
    pub unlabelled: Vec<JudgedValue>,
    /// Unlabelled items of each merged stratum represent it; else the judge cannot be used.
    pub is_represented: bool,
}

/// Divides items into strata of at least two labels each, as far as there are so many.
///
/// A stratum with a single label has no spread, so it is merged with its neighbour; then each label has the weight of the
/// items that it represents. None where a stratum has items and no label.
pub(crate) fn divide_into_strata(
    items: &[MeasuredItem],
    scope: LabelScope,
) -> Option<Vec<Stratum>> {
    let mut by_number: BTreeMap<usize, Vec<&MeasuredItem>> = BTreeMap::new();
    for item in items {
        by_number.entry(item.stratum).or_default().push(item);
    }
    let label_count =
        |items: &[&MeasuredItem]| items.iter().filter(|it| it.label.is_some()).count();
    let mut groups: Vec<Vec<Vec<&MeasuredItem>>> = vec![];
    let mut has_spread = true;
    for stratum in by_number.into_values() {
        let labels = label_count(&stratum);
        if labels == 0 {
            return None;
        }
        let is_enough = labels > 1 || stratum.len() == 1 && scope == LabelScope::TheseItems;
        match groups.last_mut().filter(|_| !is_enough || !has_spread) {
            Some(group) => {
                group.push(stratum);
                has_spread = true;
            }
            None => {
                groups.push(vec![stratum]);
                has_spread = is_enough;
            }
        }
    }
    let weights = run_weights(items, scope);
    let whole: f64 = items.iter().map(|it| weights[&it.cluster]).sum();
    Some(groups.iter().map(|group| weighted_stratum(group, &weights, whole)).collect())
}

/// Returns the weight of an item of each run: over runs every run counts alike, whatever its number of items.
fn run_weights(items: &[MeasuredItem], scope: LabelScope) -> BTreeMap<usize, f64> {
    let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
    items.iter().for_each(|it| *sizes.entry(it.cluster).or_default() += 1.0);
    let weight = |size: f64| match scope {
        LabelScope::TheseItems => 1.0,
        LabelScope::RunsLikeThese => 1.0 / size,
    };
    sizes.into_iter().map(|(cluster, size)| (cluster, weight(size))).collect()
}

fn weighted_stratum(
    group: &[Vec<&MeasuredItem>],
    weights: &BTreeMap<usize, f64>,
    whole: f64,
) -> Stratum {
    let mut merged = Stratum { is_represented: true, ..Stratum::default() };
    let all = group.iter().flatten();
    merged.judged = weighted_mean(all.map(|it| (it.judged, weights[&it.cluster])));
    for items in group {
        let count = items.len() as f64;
        let labels = items.iter().filter(|it| it.label.is_some()).count() as f64;
        merged.is_represented &= labels < count;
        for item in items {
            let MeasuredItem { cluster, judged, .. } = **item;
            let own = weights[&cluster];
            merged.share += own;
            match item.label {
                Some(label) => {
                    let weight = own * count / labels;
                    merged.labelled.push(LabelledValue { cluster, label, judged, weight });
                }
                None => {
                    let weight = own * count / (count - labels);
                    merged.unlabelled.push(JudgedValue { cluster, judged, weight });
                }
            }
        }
    }
    merged.share /= whole;
    merged
}

impl Stratum {
    /// Returns whether every run is labelled whole or not at all, with more than one item in some.
    fn has_whole_clusters(&self) -> bool {
        let labelled: BTreeSet<usize> = self.labelled.iter().map(|it| it.cluster).collect();
        let unlabelled: BTreeSet<usize> = self.unlabelled.iter().map(|it| it.cluster).collect();
        let count = self.labelled.len() + self.unlabelled.len();
        labelled.is_disjoint(&unlabelled) && labelled.len() + unlabelled.len() < count
    }

    /// Returns the stratum with the mean of each run as its item where runs are labelled whole, else as it is.
    pub(crate) fn with_cluster_means(&self) -> Self {
        if !self.has_whole_clusters() {
            return self.clone();
        }
        let mut labelled: BTreeMap<usize, Vec<&LabelledValue>> = BTreeMap::new();
        self.labelled.iter().for_each(|it| labelled.entry(it.cluster).or_default().push(it));
        let mut unlabelled: BTreeMap<usize, Vec<&JudgedValue>> = BTreeMap::new();
        self.unlabelled.iter().for_each(|it| unlabelled.entry(it.cluster).or_default().push(it));
        let labelled = labelled.into_iter().map(|(cluster, all)| LabelledValue {
            cluster,
            label: mean_of(all.iter().map(|it| it.label)),
            judged: mean_of(all.iter().map(|it| it.judged)),
            weight: all.iter().map(|it| it.weight).sum(),
        });
        let unlabelled = unlabelled.into_iter().map(|(cluster, all)| JudgedValue {
            cluster,
            judged: mean_of(all.iter().map(|it| it.judged)),
            weight: all.iter().map(|it| it.weight).sum(),
        });
        Self { labelled: labelled.collect(), unlabelled: unlabelled.collect(), ..self.clone() }
    }
}

/// Returns the mean of the values; there is one at least.
fn mean_of(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Returns the mean of values with weights.
pub(crate) fn weighted_mean(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, weights) =
        values.fold((0.0, 0.0), |(sum, all), (value, weight)| (sum + value * weight, all + weight));
    sum / weights
}
