//! The division of a sample among raters, and the order of each: the same things for every rater, or a part for each.
//!
//! The same study gives the same division everywhere. Each rater has an order of their own, so that fatigue and
//! learning do not affect the same things; the order does not depend on which things all of them label.

use super::{
    design::{LabelDivision, StudyDesign},
    queue::{shuffle, text_hash},
};

/// Tells the order of a rater's things from the draw of the sample.
const ORDER_SEED: u64 = 0x7261_7465_7200_0000;

/// Returns the things of a sample of `count` that this rater labels, by number from 0, in the rater's own order. The
/// numbers follow the order in which the sample was drawn. Empty for somebody who labels nothing in this study.
pub fn queue_of(design: &StudyDesign, count: usize, rater: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> =
        (0..count).filter(|number| is_labelled_by(design, count, rater, *number)).collect();
    shuffle(&mut numbers, design.sample.seed ^ ORDER_SEED ^ text_hash(rater));
    numbers
}

/// Returns whether this rater labels the thing of this number in a sample of `count`.
pub(crate) fn is_labelled_by(
    design: &StudyDesign,
    count: usize,
    rater: &str,
    number: usize,
) -> bool {
    if number >= count || !design.has_rater(rater) {
        return false;
    }
    match design.division {
        LabelDivision::Same => true,
        LabelDivision::Divided(overlap) => {
            let (shared, all) = (overlap.shared_count(count), design.raters.len().max(1));
            let place = design.raters.iter().position(|it| it == rater);
            number < shared || place.is_some_and(|place| (number - shared) % all == place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::RaterOverlap;
    use std::collections::BTreeSet;

    fn divided_design(division: LabelDivision) -> StudyDesign {
        let raters = ["ana", "ben", "cho"].map(String::from).to_vec();
        StudyDesign { raters, division, ..StudyDesign::default() }
    }

    fn number_set(queue: &[usize]) -> BTreeSet<usize> {
        queue.iter().copied().collect()
    }

    #[test]
    fn the_same_queue_is_everything_for_everybody_in_an_order_of_their_own() {
        let design = divided_design(LabelDivision::Same);
        let [ana, again, ben] = ["ana", "ana", "ben"].map(|name| queue_of(&design, 50, name));

        assert_eq!(ana, again);
        assert_ne!(ana, ben);
        assert_eq!((number_set(&ana), ana.len()), ((0..50).collect(), 50));
        assert_eq!(number_set(&ben), number_set(&ana));
        assert!(queue_of(&design, 50, "zoe").is_empty());
    }

    #[test]
    fn a_divided_queue_shares_the_overlap_and_nothing_else() {
        for (overlap, shared) in [(RaterOverlap::Count(6), 6), (RaterOverlap::Share(0.2), 10)] {
            let design = divided_design(LabelDivision::Divided(overlap));
            let queues = ["ana", "ben", "cho"].map(|name| queue_of(&design, 50, name));
            let [ana, ben, cho] = queues.each_ref().map(|it| number_set(it));

            let all = &(&ana | &ben) | &cho;
            assert_eq!(all, (0..50).collect());
            for (one, two) in [(&ana, &ben), (&ben, &cho), (&ana, &cho)] {
                assert_eq!(one & two, (0..shared).collect());
            }
            let sizes = queues.map(|it| it.len());
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn where_nobody_is_named_anybody_labels_everything() {
        assert_eq!(queue_of(&StudyDesign::default(), 4, "zoe").len(), 4);
    }
}
