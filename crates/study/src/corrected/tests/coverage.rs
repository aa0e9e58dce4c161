//! How often the interval contains the mean that people would give: the table in docs/judging.md.

use super::*;
use crate::{
    bootstrap::Resamples,
    queue::{QueuePlan, draw_queue},
};
use trajview_run::rubric::{Judgement, Verdict};

const DRAWS: u64 = 2_000;

/// The number of judged items, of which some are labelled.
const ITEMS: usize = 400;

/// A judge: how often it says what people say, and what it does otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MadeJudge {
    /// Right in half of the cases, else any level.
    Weak,
    /// Right in nine of ten cases, else a level beside.
    Strong,
    /// Adds a level in half of the cases.
    Biased,
}

impl MadeJudge {
    fn level_for(self, label: usize, numbers: &mut Resamples) -> usize {
        let chance = numbers.draw_below(100);
        match self {
            Self::Weak if chance < 50 => label,
            Self::Weak => numbers.draw_below(5),
            Self::Strong if chance < 90 => label,
            Self::Strong if chance < 95 => (label + 1).min(4),
            Self::Strong => label.saturating_sub(1),
            Self::Biased if chance < 50 => label,
            Self::Biased => (label + 1).min(4),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Coverage {
    pub judge_alone: f64,
    pub corrected: f64,
    /// The width beside that of labels alone.
    pub width: f64,
    pub worth: f64,
}

/// The shares of draws in which intervals contain the truth; `pairs` are (judged, label) of every item.
pub(crate) fn coverage_of(
    pairs: &[(f64, f64)],
    labels: usize,
    range: ValueRange,
    draws: u64,
) -> Coverage {
    let options = CorrectionOptions { scope: LabelScope::TheseItems, range, confidence: 0.95 };
    let truth = pairs.iter().map(|it| it.1).sum::<f64>() / pairs.len() as f64;
    let judged = pairs.iter().map(|it| it.0).sum::<f64>() / pairs.len() as f64;
    let spread = pairs.iter().map(|it| (it.0 - judged).powi(2)).sum::<f64>() / pairs.len() as f64;
    let side = 1.96 * (spread / pairs.len() as f64).sqrt();
    let mut sum = Coverage {
        judge_alone: f64::from(u8::from((judged - truth).abs() <= side)) * draws as f64,
        ..Coverage::default()
    };
    for draw in 0..draws {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        crate::queue::shuffle(&mut order, 7_919 * draw + labels as u64);
        let item = |(place, at): (usize, &usize)| MeasuredItem {
            stratum: 0,
            cluster: *at,
            judged: pairs[*at].0,
            label: (place < labels).then_some(pairs[*at].1),
        };
        let items: Vec<MeasuredItem> = order.iter().enumerate().map(item).collect();
        let without_judge: Vec<MeasuredItem> =
            items.iter().map(|it| MeasuredItem { judged: 0.0, ..*it }).collect();
        let mean = corrected_mean(&items, options).unwrap();
        let alone = corrected_mean(&without_judge, options).unwrap();
        let width = |mean: &crate::corrected::estimator::CorrectedMean| {
            mean.interval.high - mean.interval.low
        };
        sum.corrected +=
            f64::from(u8::from(mean.interval.low <= truth && truth <= mean.interval.high));
        sum.width += width(&mean) / width(&alone);
        sum.worth += mean.worth;
    }
    let draws = draws as f64;
    Coverage {
        judge_alone: sum.judge_alone / draws,
        corrected: sum.corrected / draws,
        width: sum.width / draws,
        worth: sum.worth / draws,
    }
}

/// The levels of an artificial set: more high ones than low ones.
fn made_pairs(judge: MadeJudge, count: usize) -> Vec<(f64, f64)> {
    let mut numbers = Resamples::new(11, 10);
    let levels = [0, 1, 2, 2, 3, 3, 3, 4, 4, 4];
    let mut pair = || {
        let label = levels[numbers.draw()];
        (judge.level_for(label, &mut numbers) as f64, label as f64)
    };
    (0..count).map(|_| pair()).collect()
}

#[test]
#[ignore = "2,000 draws of nine sets; prints the table of docs/judging.md"]
fn intervals_contain_the_truth_as_often_as_they_promise() {
    println!("| judge | labels | contained | width beside labels alone | worth |");
    for judge in [MadeJudge::Weak, MadeJudge::Strong, MadeJudge::Biased] {
        let pairs = made_pairs(judge, ITEMS);
        for labels in [20, 40, 80] {
            let Coverage { corrected, width, worth, judge_alone } =
                coverage_of(&pairs, labels, LEVELS, DRAWS);
            println!(
                "| {judge:?} | {labels} | {:.1} % | {width:.2} | {worth:.0} | judge alone {judge_alone}",
                100.0 * corrected
            );
            assert!((0.92..=0.97).contains(&corrected), "{judge:?} {labels}: {corrected}");
        }
    }
}

/// Returns the share of queues whose interval contains the truth: each is drawn with a seed of its own, as `audit` draws
/// it, and its first `labels` items are labelled.
fn queue_coverage(pairs: &[(f64, f64)], labels: usize, size: Option<usize>, draws: u64) -> f64 {
    let verdict = |(at, (judged, _)): (usize, &(f64, f64))| Verdict {
        component: at.to_string(),
        score: Some(*judged as u8),
        ..Verdict::default()
    };
    let verdicts = pairs.iter().enumerate().map(verdict).collect();
    let judgement = Judgement { verdicts, ..Judgement::default() };
    let truth = pairs.iter().map(|it| it.1).sum::<f64>() / pairs.len() as f64;
    let (mut contained, mut all) = (0.0, 0.0);
    for seed in 1..=draws {
        let drawn = draw_queue(&[&judgement], QueuePlan { seed, size });
        let order: Vec<usize> = drawn.iter().map(|it| it.component.parse().unwrap()).collect();
        let item = |(judged, _): &(f64, f64)| QueuedItem {
            stratum: *judged as usize,
            judged: *judged,
            ..QueuedItem::default()
        };
        let mut items: Vec<QueuedItem> = pairs.iter().map(item).collect();
        for at in order.iter().take(labels) {
            items[*at].labels = vec![RaterLevel { queue: 0, level: pairs[*at].1 }];
        }
        let is_permutation = order.len() == items.len();
        let queues = LabelQueues { orders: vec![order], is_permutation, seed };
        let drawn = drawn_labels(items, &queues);
        let mean = drawn.and_then(|it| {
            corrected_mean(&it.measured_by(Measure::Level), options_of(LabelScope::TheseItems))
        });
        let Ok(mean) = mean else { continue };
        all += 1.0;
        contained += f64::from(u8::from(mean.interval.low <= truth && truth <= mean.interval.high));
    }
    assert!(all >= 0.5 * draws as f64, "{all} of {draws} have a mean");
    contained / all
}

#[test]
#[ignore = "400 queues of each of 36 kinds"]
fn queues_as_they_are_drawn_contain_the_truth() {
    for judge in [MadeJudge::Weak, MadeJudge::Strong, MadeJudge::Biased] {
        for items in [24, 1_000] {
            let pairs = made_pairs(judge, items);
            for labels in [8, 12, 20] {
                for size in [None, Some(labels)] {
                    let share = queue_coverage(&pairs, labels, size, 400);
                    println!(
                        "{judge:?} {labels} of {items}, size {size:?}: {:.1} %",
                        100.0 * share
                    );
                    assert!(share >= 0.88, "{judge:?} {labels} of {items}, {size:?}: {share}");
                }
            }
        }
    }
}

/// The corrected mean of a made run of 24 components, half of them labelled; a level more with this chance in a hundred.
fn corrected_run(base: usize, raised: usize, numbers: &mut Resamples) -> TaskValue {
    let item = |at: usize, numbers: &mut Resamples| {
        let label =
            base + numbers.draw_below(3) - 1 + usize::from(numbers.draw_below(100) < raised);
        let judged = MadeJudge::Biased.level_for(label, numbers) as f64;
        let label = (at < 12).then_some(label as f64);
        MeasuredItem { stratum: 0, cluster: 0, judged, label }
    };
    let items: Vec<MeasuredItem> = (0..24).map(|at| item(at, numbers)).collect();
    let mean = corrected_mean(&items, options_of(LabelScope::TheseItems)).unwrap();
    TaskValue { value: mean.value, standard_error: mean.standard_error }
}

#[test]
fn the_interval_of_a_difference_over_tasks_contains_the_truth_as_often_as_it_says() {
    let mut numbers = Resamples::new(7, 1);
    let draws = 600;
    let contains = (0..draws).filter(|_| {
        // The first condition raises a label in half of the cases, by task more often or less.
        let differences: Vec<TaskValue> = (0..10)
            .map(|_| {
                let base = 1 + numbers.draw_below(2);
                let raised = [20, 80][numbers.draw_below(2)];
                let first = corrected_run(base, raised, &mut numbers);
                first.minus(corrected_run(base, 0, &mut numbers))
            })
            .collect();
        let mean = mean_over_tasks(&differences, (-4.0, 4.0)).unwrap();
        mean.interval.low <= 0.5 && 0.5 <= mean.interval.high
    });
    let share = contains.count() as f64 / f64::from(draws);

    assert!((0.92..=0.98).contains(&share), "{share}");
}
