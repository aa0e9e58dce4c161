//! Who labels what of a sample, and in which order: the same things for every rater, or divided among them.
//!
//! The same study gives the same division everywhere. Each rater has an order of their own, so that what is tiring or
//! learned on the way does not fall on the same things; the order says nothing of what all of them label.

use super::{
    design::{Design, Division},
    queue::{hash, shuffle},
};

/// Tells the order of a rater's things from the draw of the sample.
const ORDER: u64 = 0x7261_7465_7200_0000;

/// The things of a sample of `count` that this rater labels, by number from 0, in the order of this rater. The sample
/// stands in the order in which it was drawn. Empty for one who labels nothing in this study.
pub fn queue_of(design: &Design, count: usize, rater: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> =
        (0..count).filter(|number| labels(design, count, rater, *number)).collect();
    shuffle(&mut numbers, design.sample.seed ^ ORDER ^ hash(rater));
    numbers
}

/// Whether this rater labels the thing of this number of a sample of `count`.
pub fn labels(design: &Design, count: usize, rater: &str, number: usize) -> bool {
    if number >= count || !design.has_rater(rater) {
        return false;
    }
    match design.division {
        Division::Same => true,
        Division::Divided(overlap) => {
            let (shared, all) = (overlap.of(count), design.raters.len().max(1));
            let place = design.raters.iter().position(|it| it == rater);
            number < shared || place.is_some_and(|place| (number - shared) % all == place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Overlap;
    use std::collections::BTreeSet;

    fn design(division: Division) -> Design {
        let raters = ["ana", "ben", "cho"].map(String::from).to_vec();
        Design { raters, division, ..Design::default() }
    }

    fn set(queue: &[usize]) -> BTreeSet<usize> {
        queue.iter().copied().collect()
    }

    #[test]
    fn the_same_queue_is_everything_for_everybody_in_an_order_of_their_own() {
        let design = design(Division::Same);
        let [ana, again, ben] = ["ana", "ana", "ben"].map(|name| queue_of(&design, 50, name));

        assert_eq!(ana, again);
        assert_ne!(ana, ben);
        assert_eq!((set(&ana), ana.len()), ((0..50).collect(), 50));
        assert_eq!(set(&ben), set(&ana));
        assert!(queue_of(&design, 50, "zoe").is_empty());
    }

    #[test]
    fn a_divided_queue_shares_the_overlap_and_nothing_else() {
        for (overlap, shared) in [(Overlap::Count(6), 6), (Overlap::Share(0.2), 10)] {
            let design = design(Division::Divided(overlap));
            let queues = ["ana", "ben", "cho"].map(|name| queue_of(&design, 50, name));
            let [ana, ben, cho] = queues.each_ref().map(|it| set(it));

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
        assert_eq!(queue_of(&Design::default(), 4, "zoe").len(), 4);
    }
}
