//! The phase of a checkpoint in its task, by which tasks of different lengths can be compared (SlopCodeBench).

use serde::Serialize;
use trajview_run::worded_enum::worded;

worded! {
    /// The paper's names: the first checkpoint is the start, the last the final one, those between fall into three
    /// groups of equal size, of which the earlier ones take the remainder.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TaskPhase {
        Start = "start",
        Early = "early",
        Mid = "mid",
        Late = "late",
        Final = "final",
    }
}

impl TaskPhase {
    /// Returns the phase of the checkpoint at `index` (counts from 0) among `count`; None where there is no such
    /// checkpoint. A task of one checkpoint has a final one and no start.
    pub fn for_checkpoint(index: usize, count: usize) -> Option<Self> {
        if index >= count {
            return None;
        }
        let last = count - 1;
        if index == last {
            return Some(Self::Final);
        }
        if index == 0 {
            return Some(Self::Start);
        }
        let (inner, mut before) = (last - 1, 0);
        for (group, phase) in [Self::Early, Self::Mid, Self::Late].into_iter().enumerate() {
            before += inner / 3 + usize::from(group < inner % 3);
            if index <= before {
                return Some(phase);
            }
        }
        None
    }
}

/// Returns the bin of SlopCodeBench's code: `ceil(5 * progress) / 5` with progress = number / count; 0.2 to 1.
pub fn progress_bin(index: usize, count: usize) -> Option<f64> {
    (index < count).then(|| (5 * (index + 1)).div_ceil(count) as f64 / 5.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase_words(count: usize) -> Vec<&'static str> {
        (0..count)
            .filter_map(|index| TaskPhase::for_checkpoint(index, count))
            .map(TaskPhase::word)
            .collect()
    }

    #[test]
    fn earlier_groups_take_what_is_left_over() {
        assert_eq!(phase_words(1), ["final"]);
        assert_eq!(phase_words(2), ["start", "final"]);
        assert_eq!(phase_words(4), ["start", "early", "mid", "final"]);
        assert_eq!(phase_words(5), ["start", "early", "mid", "late", "final"]);
        assert_eq!(
            phase_words(9),
            ["start", "early", "early", "early", "mid", "mid", "late", "late", "final"]
        );
        assert_eq!(TaskPhase::for_checkpoint(3, 3), None);
    }

    #[test]
    fn bins_are_fifths_of_the_way() {
        let bins: Vec<_> = (0..4).filter_map(|index| progress_bin(index, 4)).collect();
        assert_eq!(bins, [0.4, 0.6, 0.8, 1.0]);
        let five: Vec<_> = (0..5).filter_map(|index| progress_bin(index, 5)).collect();
        assert_eq!(five, [0.2, 0.4, 0.6, 0.8, 1.0]);
    }
}
