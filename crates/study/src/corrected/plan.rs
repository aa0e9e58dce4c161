//! How many more labels an interval of some width needs, and of which strata.
//!
//! The next label goes where it lowers the variance `Σ (N_h/N)² S_h² (1/n_h − 1/N_h)` most. That is the allocation of
//! Neyman (1934; Cochran, Sampling Techniques, 5.5) in whole labels, with the labels that exist as a lower bound. `S_h`
//! is the spread of labels in the stratum so far; it is pulled towards that of all labels, and that towards one level.

use std::collections::BTreeMap;

use super::{drawn_labels::QueuedItem, measure::Measure, student_quantile::interval_factor};

/// The number of labels that the assumed spread counts as.
const ASSUMED_LABELS: f64 = 2.0;

/// The assumed variance of labels: they differ by about one level.
const ASSUMED_VARIANCE: f64 = 1.0;

/// The fewest labels of a stratum: fewer have no spread.
const FEWEST_OF_STRATUM: usize = 2;

const CONFIDENCE: f64 = 0.95;

/// The labels that are still needed.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPlan {
    /// Half the width of the interval that is wanted.
    pub wanted: f64,
    /// Half the width that is expected after these labels.
    pub expected: f64,
    /// The number of more labels of each stratum, by its number; strata that need none are left out.
    pub more: BTreeMap<usize, usize>,
}

/// A stratum as far as it is labelled.
#[derive(Debug, Clone, Copy, Default)]
struct PlannedStratum {
    items: usize,
    labels: usize,
    sum: f64,
    squares: f64,
    variance: f64,
    more: usize,
}

/// Plans labels until the interval of these items' mean extends no more than `wanted` to either side.
///
/// Where even labels of everything would be needed, everything is planned, and nothing is uncertain then.
pub fn label_plan(items: &[QueuedItem], measure: Measure, wanted: f64) -> LabelPlan {
    let mut strata = planned_strata(items, measure);
    let items: usize = strata.values().map(|it| it.items).sum();
    for stratum in strata.values_mut() {
        let fewest = FEWEST_OF_STRATUM.min(stratum.items);
        stratum.more = fewest.saturating_sub(stratum.labels);
    }
    let mut expected = expected_side(&strata, items);
    while expected > wanted {
        let gain = |it: &PlannedStratum| variance_now(it, items, 0) - variance_now(it, items, 1);
        let open = strata.values_mut().filter(|it| it.labels + it.more < it.items);
        let Some(next) = open.max_by(|a, b| gain(a).total_cmp(&gain(b))) else { break };
        next.more += 1;
        expected = expected_side(&strata, items);
    }
    let more = strata.iter().filter(|(_, it)| it.more > 0).map(|(at, it)| (*at, it.more));
    LabelPlan { wanted, expected, more: more.collect() }
}

fn planned_strata(items: &[QueuedItem], measure: Measure) -> BTreeMap<usize, PlannedStratum> {
    let mut strata: BTreeMap<usize, PlannedStratum> = BTreeMap::new();
    for item in items {
        let stratum = strata.entry(item.stratum).or_default();
        stratum.items += 1;
        if let Some(label) = item.label_value(measure) {
            stratum.labels += 1;
            stratum.sum += label;
            stratum.squares += label * label;
        }
    }
    let squares_around_mean = |it: &PlannedStratum| {
        let count = (it.labels as f64).max(1.0);
        (it.squares - it.sum * it.sum / count).max(0.0)
    };
    // The spread within strata, of all of them together.
    let within: f64 = strata.values().map(squares_around_mean).sum();
    let freedom: f64 = strata.values().map(|it| it.labels.saturating_sub(1) as f64).sum();
    let common = (within + ASSUMED_LABELS * ASSUMED_VARIANCE) / (freedom + ASSUMED_LABELS);
    for stratum in strata.values_mut() {
        let freedom = stratum.labels.saturating_sub(1) as f64;
        stratum.variance =
            (squares_around_mean(stratum) + ASSUMED_LABELS * common) / (freedom + ASSUMED_LABELS);
    }
    strata
}

/// The part of the variance that a stratum adds with its planned labels and `extra` more.
fn variance_now(stratum: &PlannedStratum, items: usize, extra: usize) -> f64 {
    let share = stratum.items as f64 / items as f64;
    let labels = ((stratum.labels + stratum.more + extra) as f64).max(1.0);
    share * share * stratum.variance * (labels.recip() - (stratum.items as f64).recip()).max(0.0)
}

/// Half the width of the interval with the planned labels.
fn expected_side(strata: &BTreeMap<usize, PlannedStratum>, items: usize) -> f64 {
    let variance: f64 = strata.values().map(|it| variance_now(it, items, 0)).sum();
    let labels: usize = strata.values().map(|it| it.labels + it.more).sum();
    let freedom = labels.saturating_sub(strata.len()).max(1) as f64;
    variance.sqrt() * interval_factor(CONFIDENCE, labels, freedom)
}

impl LabelPlan {
    /// Returns the number of more labels.
    pub fn label_count(&self) -> usize {
        self.more.values().sum()
    }

    /// Returns a queue with the planned items at its head, in their order; `open` are its items without an answer, each
    /// with its stratum. The items of a stratum that are planned are its next ones, so their labels count as drawn.
    pub fn order_queue(&self, queue: &[usize], open: &BTreeMap<usize, usize>) -> Vec<usize> {
        let mut left = self.more.clone();
        let is_planned = |at: &usize| {
            let Some(more) = open.get(at).and_then(|stratum| left.get_mut(stratum)) else {
                return false;
            };
            let is_next = *more > 0;
            *more = more.saturating_sub(1);
            is_next
        };
        let (mut head, rest): (Vec<usize>, Vec<usize>) =
            queue.iter().copied().partition(is_planned);
        head.extend(rest);
        head
    }
}
