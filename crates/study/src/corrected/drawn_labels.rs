//! Which labels were drawn with known probability, and the items that they represent.
//!
//! The order of a queue is random within each stratum, so the first labels of a stratum are a random part of it, however
//! many there are and whatever the order of the strata: they represent the candidates of their stratum. Over strata a
//! queue is random only where it is a shuffled list of all candidates; one that draws some of them takes the strata in
//! turn, and rare ones are in it more often than among the candidates. Labels count as far as they follow that order.
//! Labels of disagreements only, of adjudicated items only, or of items that a person chose do not; a mean over them says
//! nothing about the others.

use std::collections::BTreeSet;

use super::{
    estimator::{CorrectionRefusal, FEWEST_LABELS, MeasuredItem},
    measure::Measure,
};

/// The least share of the items up to the last counted label that must have one. The rest was skipped, or cannot be
/// labelled blindly because its verdict was on screen.
const LEAST_LABELLED: f64 = 0.9;

/// An item of a queue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueuedItem {
    /// The number of its stratum; neighbours have neighbouring numbers.
    pub stratum: usize,
    /// The number of its run or task.
    pub cluster: usize,
    /// The level of the judge.
    pub judged: f64,
    /// The levels of blind labels, one of each rater at most.
    pub labels: Vec<RaterLevel>,
    /// It can still be labelled: it is in a queue and has no answer there.
    pub is_open: bool,
    /// No mean counts the verdict of the judge.
    pub is_left_out: bool,
}

/// The orders in which raters were to label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelQueues {
    /// One queue a rater, each with numbers of items in its order.
    pub orders: Vec<Vec<usize>>,
    /// Every queue is a shuffled list of all items.
    pub is_permutation: bool,
    pub seed: u64,
}

/// A level that a rater gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaterLevel {
    /// The number of the rater's queue.
    pub queue: usize,
    pub level: f64,
}

/// Items whose labels were drawn with known probability.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnLabels {
    /// All items; labels that do not count are removed.
    pub items: Vec<QueuedItem>,
    /// Whether strata matter: some were labelled more than others.
    pub is_stratified: bool,
    /// Items whose labels do not count, because earlier items of the queue have none.
    pub left_out: usize,
}

/// Selects the labels that follow the order of the queues.
///
/// # Errors
///
/// When fewer than [`FEWEST_LABELS`] items have such labels, or when strata matter and one of them has none.
pub fn drawn_labels(
    items: Vec<QueuedItem>,
    queues: &LabelQueues,
) -> Result<DrawnLabels, CorrectionRefusal> {
    let count = |items: &[QueuedItem]| items.iter().filter(|it| it.has_counted_label()).count();
    let labelled = count(&items);
    if labelled == 0 {
        return Err(CorrectionRefusal::NoBlindLabels);
    }
    let by_stratum = with_labels_in_order(&items, &queues.orders, |item| item.stratum);
    let strata_of = |is_wanted: fn(&QueuedItem) -> bool| -> BTreeSet<usize> {
        by_stratum.iter().filter(|it| is_wanted(it)).map(|it| it.stratum).collect()
    };
    let is_complete = strata_of(QueuedItem::has_counted_label) == strata_of(|it| !it.is_left_out);
    let whole = queues.is_permutation.then(|| with_labels_in_order(&items, &queues.orders, |_| 0));
    let is_preferred = |whole: &Vec<QueuedItem>| {
        count(whole) >= count(&by_stratum) || !is_complete && count(whole) >= FEWEST_LABELS
    };
    let whole = whole.filter(is_preferred);
    let is_stratified = whole.is_none();
    let items = whole.unwrap_or(by_stratum);
    let in_order = count(&items);
    match in_order >= FEWEST_LABELS {
        true if is_stratified && !is_complete => Err(CorrectionRefusal::EmptyStratum),
        true => Ok(DrawnLabels { items, is_stratified, left_out: labelled - in_order }),
        false if labelled >= FEWEST_LABELS => {
            Err(CorrectionRefusal::ChosenByHand { labels: labelled, in_order, seed: queues.seed })
        }
        false => Err(CorrectionRefusal::TooFewLabels(in_order)),
    }
}

/// Removes labels that are not at the beginning of their rater's queue, in each group of items.
fn with_labels_in_order(
    items: &[QueuedItem],
    queues: &[Vec<usize>],
    group: fn(&QueuedItem) -> usize,
) -> Vec<QueuedItem> {
    let mut counted = items.to_vec();
    counted.iter_mut().for_each(|it| it.labels.clear());
    let groups = items.iter().map(group).max().map_or(0, |last| last + 1);
    for (number, queue) in queues.iter().enumerate() {
        let mut by_group: Vec<Vec<usize>> = vec![vec![]; groups];
        for at in queue.iter().filter(|at| items.get(**at).is_some_and(|it| !it.is_left_out)) {
            by_group[group(&items[*at])].push(*at);
        }
        for order in by_group {
            let label = |at: usize| items[at].labels.iter().find(|it| it.queue == number);
            let in_order = labels_in_order(order.iter().map(|at| label(*at).is_some()));
            for at in &order[..in_order] {
                counted[*at].labels.extend(label(*at));
            }
        }
    }
    counted
}

/// Returns the length of the longest beginning that ends with a label and has few items without one.
fn labels_in_order(are_labelled: impl Iterator<Item = bool>) -> usize {
    let (mut labels, mut longest) = (0.0, 0);
    for (at, is_labelled) in (1_usize..).zip(are_labelled) {
        if is_labelled {
            labels += 1.0;
            if labels >= LEAST_LABELLED * at as f64 {
                longest = at;
            }
        }
    }
    longest
}

impl QueuedItem {
    fn has_counted_label(&self) -> bool {
        !self.is_left_out && !self.labels.is_empty()
    }

    /// Returns the value of the labels, of several their mean; None without one.
    pub(crate) fn label_value(&self, measure: Measure) -> Option<f64> {
        let sum: f64 = self.labels.iter().map(|it| measure.value_of(it.level)).sum();
        (!self.labels.is_empty()).then(|| sum / self.labels.len() as f64)
    }
}

impl DrawnLabels {
    /// Returns the number of raters whose labels count.
    pub(crate) fn rater_count(&self) -> usize {
        let queues = self.items.iter().flat_map(|it| it.labels.iter().map(|label| label.queue));
        queues.collect::<BTreeSet<usize>>().len()
    }

    /// Returns the items that count with the value of each level.
    pub fn measured_by(&self, measure: Measure) -> Vec<MeasuredItem> {
        let measured = |item: &QueuedItem| MeasuredItem {
            stratum: if self.is_stratified { item.stratum } else { 0 },
            cluster: item.cluster,
            judged: measure.value_of(item.judged),
            label: item.label_value(measure),
        };
        self.items.iter().filter(|it| !it.is_left_out).map(measured).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue_of(levels: &[(usize, Option<f64>)]) -> (Vec<QueuedItem>, LabelQueues) {
        let item = |(stratum, level): &(usize, Option<f64>)| QueuedItem {
            stratum: *stratum,
            labels: level.iter().map(|level| RaterLevel { queue: 0, level: *level }).collect(),
            ..QueuedItem::default()
        };
        let orders = vec![(0..levels.len()).collect()];
        (levels.iter().map(item).collect(), LabelQueues { orders, is_permutation: true, seed: 1 })
    }

    #[test]
    fn the_first_labels_of_a_queue_are_drawn() {
        let mut levels = vec![(0, Some(3.0)); 10];
        levels.extend([(1, None); 10]);
        let (items, queues) = queue_of(&levels);

        let drawn = drawn_labels(items, &queues).unwrap();

        assert_eq!((drawn.is_stratified, drawn.left_out), (false, 0));
    }

    #[test]
    fn more_labels_of_one_stratum_are_drawn_as_long_as_they_are_its_first() {
        let levels: Vec<_> = (0..40)
            .map(|at| (at % 2, (at < 10 || at % 2 == 1 && at < 30).then_some(2.0)))
            .collect();
        let (items, queues) = queue_of(&levels);

        let drawn = drawn_labels(items, &queues).unwrap();

        assert_eq!((drawn.is_stratified, drawn.left_out), (true, 0));
    }

    #[test]
    fn a_queue_that_draws_some_of_each_stratum_counts_by_stratum() {
        let levels: Vec<_> = (0..40).map(|at| (at % 2, (at < 10).then_some(2.0))).collect();
        let (items, queues) = queue_of(&levels);
        let queues = LabelQueues { is_permutation: false, ..queues };
        let mut without_rare = items.clone();
        without_rare.iter_mut().filter(|it| it.stratum == 1).for_each(|it| it.labels.clear());

        let drawn = drawn_labels(items, &queues).unwrap();
        let incomplete = drawn_labels(without_rare, &queues).unwrap_err();

        assert_eq!((drawn.is_stratified, drawn.left_out), (true, 0));
        assert_eq!(incomplete, CorrectionRefusal::EmptyStratum);
    }

    #[test]
    fn one_more_label_does_not_take_the_mean_away() {
        let mut levels: Vec<_> = (0..20).map(|at| (0, (at < 6).then_some(3.0))).collect();
        levels.extend((0..20).map(|at| (1, (at == 0).then_some(1.0))));
        levels.extend([(2, None); 20]);
        let (items, queues) = queue_of(&levels);

        let drawn = drawn_labels(items, &queues).unwrap();

        assert_eq!((drawn.is_stratified, drawn.left_out), (false, 1));
    }

    #[test]
    fn what_is_left_out_of_means_is_skipped() {
        let levels: Vec<_> =
            (0..20).map(|at| (0, (at % 2 == 1 && at < 16).then_some(2.0))).collect();
        let (mut items, queues) = queue_of(&levels);
        items.iter_mut().step_by(2).for_each(|it| it.is_left_out = true);

        let drawn = drawn_labels(items, &queues).unwrap();

        assert_eq!((drawn.left_out, drawn.measured_by(Measure::Level).len()), (0, 10));
    }

    #[test]
    fn labels_that_a_person_chose_are_refused() {
        let levels: Vec<_> = (0..40).map(|at| (0, (at % 4 == 3).then_some(2.0))).collect();
        let (items, queues) = queue_of(&levels);

        let why = drawn_labels(items, &queues).unwrap_err();

        assert_eq!(why, CorrectionRefusal::ChosenByHand { labels: 10, in_order: 0, seed: 1 });
    }

    #[test]
    fn a_label_far_ahead_in_the_queue_is_left_out() {
        let mut levels = vec![(0, Some(3.0)); 10];
        levels.extend([(0, None); 10]);
        levels.push((0, Some(1.0)));
        let (items, queues) = queue_of(&levels);

        let drawn = drawn_labels(items, &queues).unwrap();

        assert_eq!((drawn.items[20].labels.len(), drawn.left_out), (0, 1));
    }

    #[test]
    fn two_labels_of_an_item_have_their_mean() {
        let label = |queue, level| RaterLevel { queue, level };
        let labels = vec![label(0, 2.0), label(1, 4.0)];
        let item = QueuedItem { judged: 3.0, labels, ..QueuedItem::default() };
        let drawn = DrawnLabels { items: vec![item], ..DrawnLabels::default() };

        let values = [Measure::Level, Measure::ShareAt(4.0), Measure::PassShare]
            .map(|measure| drawn.measured_by(measure)[0].label);

        assert_eq!(values, [Some(3.0), Some(0.5), Some(0.5)]);
    }
}
