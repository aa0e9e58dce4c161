//! Against other programs, and against the truth: how often intervals contain it.

mod coverage;
mod public_judges;

use serde::Deserialize;

use super::{
    difference::{TaskValue, corrected_difference, mean_over_tasks},
    drawn_labels::{DrawnLabels, LabelQueues, QueuedItem, RaterLevel, drawn_labels},
    estimator::{
        CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem, WeightedSum,
        corrected_mean, worth_text,
    },
    measure::{Measure, ValueRange},
    plan::label_plan,
};

const LEVELS: ValueRange = ValueRange { low: 0.0, high: 4.0, step: 1.0 };

fn options_of(scope: LabelScope) -> CorrectionOptions {
    CorrectionOptions { scope, range: LEVELS, confidence: 0.95 }
}

/// Stratum, run, level of the judge, label.
type ItemVector = (usize, usize, f64, Option<f64>);

#[derive(Deserialize)]
struct MeanVector {
    kind: String,
    items: Vec<ItemVector>,
    lambda: f64,
    value: f64,
    standard_error: f64,
    worth: Option<f64>,
}

#[test]
fn corrected_means_are_those_of_glide_and_ppi_python() {
    let vectors: Vec<MeanVector> =
        serde_json::from_str(include_str!("../../../../tests/vectors/corrected.json")).unwrap();
    assert_eq!(vectors.len(), 40);
    for (at, vector) in vectors.iter().enumerate() {
        let item = |(stratum, cluster, judged, label): &ItemVector| MeasuredItem {
            stratum: *stratum,
            cluster: *cluster,
            judged: *judged,
            label: *label,
        };
        let items: Vec<MeasuredItem> = vector.items.iter().map(item).collect();

        let mean = corrected_mean(&items, options_of(LabelScope::RunsLikeThese)).unwrap();

        let near = |ours: f64, theirs: f64| (ours - theirs).abs() < 1e-9;
        let case = format!("case {at}, {}: {mean:?}", vector.kind);
        assert!(near(mean.lambda, vector.lambda), "{case}: lambda {}", vector.lambda);
        assert!(near(mean.value, vector.value), "{case}: value {}", vector.value);
        // Theirs have no doubt about few labels.
        let sum = WeightedSum::of(&items, LabelScope::RunsLikeThese).unwrap();
        let (variance, alone) = sum.label_variances(LabelScope::RunsLikeThese);
        let theirs = vector.standard_error;
        assert!(near(variance.sqrt(), theirs), "{case}: standard error {theirs}");
        let doubt = sum.doubt_variance(options_of(LabelScope::RunsLikeThese));
        assert!(near(mean.standard_error, (variance + doubt).sqrt()), "{case}");
        let worth = mean.labels as f64 * alone / variance;
        assert!(vector.worth.is_none_or(|theirs| (worth - theirs).abs() < 1e-6), "{case}");
    }
}

/// Items whose judge adds a level to every second label.
fn generous_judge(count: usize, labelled: usize) -> Vec<MeasuredItem> {
    let item = |at: usize| {
        let label = (at % 4) as f64;
        MeasuredItem {
            stratum: 0,
            cluster: at / 4,
            judged: label + (at / 4 % 2) as f64,
            label: (at < labelled).then_some(label),
        }
    };
    (0..count).map(item).collect()
}

#[test]
fn a_generous_judge_is_corrected_downwards_and_spares_labels() {
    let mean =
        corrected_mean(&generous_judge(400, 40), options_of(LabelScope::TheseItems)).unwrap();

    assert_eq!(mean.judged, 2.0);
    assert!(mean.interval.low <= 1.5 && 1.5 <= mean.interval.high, "{mean:?}");
    assert!(mean.interval.high < mean.judged, "{mean:?}");
    assert!(mean.worth > 80.0 && mean.lambda > 0.0, "{mean:?}");
}

#[test]
fn where_everything_is_labelled_nothing_is_uncertain() {
    let mean = corrected_mean(&generous_judge(24, 24), options_of(LabelScope::TheseItems)).unwrap();

    assert_eq!((mean.value, mean.standard_error), (1.5, 0.0));
    assert_eq!((mean.interval.low, mean.interval.high, mean.worth), (1.5, 1.5, 24.0));
}

#[test]
fn a_judge_that_says_the_same_of_everything_leaves_the_labels_alone() {
    let mut items = generous_judge(200, 40);
    items.iter_mut().for_each(|it| it.judged = 4.0);

    let mean = corrected_mean(&items, options_of(LabelScope::TheseItems)).unwrap();

    assert_eq!((mean.lambda, mean.value), (0.0, 1.5));
    assert_eq!(worth_text(mean.lambda, mean.worth), "labels alone: the judge adds nothing");
}

#[test]
fn a_judge_that_agrees_with_every_label_still_has_a_width() {
    let mut items = generous_judge(400, 40);
    items.iter_mut().enumerate().for_each(|(at, it)| it.judged = (at % 4) as f64);

    let mean = corrected_mean(&items, options_of(LabelScope::TheseItems)).unwrap();

    assert!(mean.interval.high - mean.interval.low > 0.05, "{mean:?}");
}

#[test]
fn too_few_labels_and_empty_strata_are_refused() {
    let mean = |items: &[MeasuredItem]| {
        corrected_mean(items, options_of(LabelScope::TheseItems)).map(|mean| mean.labels)
    };
    let mut empty = generous_judge(40, 20);
    empty.iter_mut().skip(30).for_each(|it| it.stratum = 1);

    assert_eq!(mean(&generous_judge(40, 0)), Err(CorrectionRefusal::NoBlindLabels));
    assert_eq!(mean(&generous_judge(40, 4)), Err(CorrectionRefusal::TooFewLabels(4)));
    assert_eq!(mean(&empty), Err(CorrectionRefusal::EmptyStratum));
}

#[test]
fn a_stratum_with_one_label_joins_its_neighbour_with_the_weight_of_its_items() {
    let item = |stratum, label| MeasuredItem { stratum, cluster: 0, judged: 0.0, label };
    // 20 items with 10 labels of 1, and 20 items with one label of 4: the mean is between.
    let mut items = vec![];
    items.extend((0..20).map(|at| item(0, (at < 10).then_some(1.0))));
    items.extend((0..20).map(|at| item(1, (at < 1).then_some(4.0))));

    let mean = corrected_mean(&items, options_of(LabelScope::TheseItems)).unwrap();

    assert!((mean.value - 2.5).abs() < 1e-12, "{mean:?}");
}

#[test]
fn what_tasks_add_to_both_conditions_cancels() {
    let item = |at: usize, better: f64| {
        let task = (at / 8) as f64;
        let label = task % 3.0 + better;
        MeasuredItem {
            stratum: 0,
            cluster: at / 8,
            judged: label + (at % 2) as f64,
            label: (at.is_multiple_of(2) || at % 4 == 1).then_some(label),
        }
    };
    let condition = |better| (0..80).map(|at| item(at, better)).collect::<Vec<_>>();

    let options = options_of(LabelScope::RunsLikeThese);
    let one = corrected_mean(&condition(1.0), options).unwrap();
    let both = corrected_difference(&condition(1.0), &condition(0.0), options).unwrap();

    assert!((both.value - 1.0).abs() < 1e-9, "{both:?}");
    assert!(both.standard_error < one.standard_error / 5.0, "{both:?} {one:?}");
}

fn labelled_queue(levels: &[(u8, u8)], labelled: usize) -> DrawnLabels {
    let item = |(at, (judged, label)): (usize, &(u8, u8))| QueuedItem {
        stratum: usize::from(*judged),
        cluster: 0,
        judged: f64::from(*judged),
        labels: (at < labelled)
            .then_some(RaterLevel { queue: 0, level: f64::from(*label) })
            .into_iter()
            .collect(),
        is_open: at >= labelled,
        is_left_out: false,
    };
    let items: Vec<QueuedItem> = levels.iter().enumerate().map(item).collect();
    let queues = one_queue(items.len());
    drawn_labels(items, &queues).unwrap()
}

/// A queue of all items in their order.
fn one_queue(items: usize) -> LabelQueues {
    LabelQueues { orders: vec![(0..items).collect()], is_permutation: true, seed: 1 }
}

fn plan_for(items: &[QueuedItem], scope: LabelScope, wanted: f64) -> super::plan::LabelPlan {
    label_plan(items, (Measure::Level, options_of(scope)), wanted, None)
}

#[test]
fn a_plan_asks_for_labels_as_long_as_the_interval_of_today_is_wider_than_wanted() {
    let levels: Vec<(u8, u8)> = (0..40).map(|at| (at % 5, (at + at / 5) % 5)).collect();
    let items = labelled_queue(&levels, 20).items;
    let modelled = plan_for(&items, LabelScope::TheseItems, 4.0).expected;
    let with_interval = |half: f64| {
        let options = options_of(LabelScope::TheseItems);
        label_plan(&items, (Measure::Level, options), modelled * 1.1, Some(half))
    };

    assert_eq!(with_interval(modelled).label_count(), 0);
    assert!(with_interval(modelled * 1.2).label_count() > 0);
    assert!(with_interval(modelled * 1.2).expected <= modelled * 1.1);
}

#[test]
fn a_plan_counts_open_items_only_and_says_what_runs_leave_open() {
    let levels: Vec<(u8, u8)> = (0..40).map(|at| (at % 5, (at + at / 5) % 5)).collect();
    let mut items = labelled_queue(&levels, 10).items;
    items.iter_mut().skip(16).for_each(|it| it.is_open = false);

    let plan = plan_for(&items, LabelScope::TheseItems, 0.0);

    assert_eq!((plan.label_count(), plan.floor), (6, 0.0));

    // Three runs of which the judge says 0, 2 and 4.
    for (at, it) in items.iter_mut().enumerate() {
        (it.cluster, it.judged, it.is_open) = (at % 3, (at % 3 * 2) as f64, true);
    }
    let plan = plan_for(&items, LabelScope::RunsLikeThese, 0.5);
    assert!(plan.floor > 4.0 && plan.label_count() == 0, "{plan:?}");
}

#[test]
fn what_runs_leave_open_is_as_much_wider_as_the_interval_of_today() {
    let levels: Vec<(u8, u8)> = (0..40).map(|at| (at % 5, (at + at / 5) % 5)).collect();
    let mut items = labelled_queue(&levels, 10).items;
    for (at, it) in items.iter_mut().enumerate() {
        (it.cluster, it.judged) = (at % 4, (at % 4) as f64);
    }
    let modelled = plan_for(&items, LabelScope::RunsLikeThese, 4.0);
    let options = options_of(LabelScope::RunsLikeThese);
    let wanted = modelled.floor * 1.1;
    let today = modelled.expected * 1.3;

    let plan = label_plan(&items, (Measure::Level, options), wanted, Some(today));

    assert!(plan_for(&items, LabelScope::RunsLikeThese, wanted).label_count() > 0);
    assert!((plan.floor - modelled.floor * 1.3).abs() < 1e-9, "{plan:?} {modelled:?}");
    assert_eq!(plan.label_count(), 0);
    assert!(plan.summary_text("next").contains("cannot be reached"), "{plan:?}");
}

#[test]
fn three_runs_have_two_degrees_of_freedom_however_many_labels() {
    let mut items = generous_judge(120, 120);
    items.iter_mut().enumerate().for_each(|(at, it)| it.cluster = at % 3);
    let sum = WeightedSum::of(&items, LabelScope::RunsLikeThese).unwrap();
    let mean = corrected_mean(&items, options_of(LabelScope::RunsLikeThese)).unwrap();

    assert_eq!(sum.freedom, 2.0);
    let side = mean.interval.high - mean.value;
    assert!((side / mean.standard_error - 4.302652729911275).abs() < 1e-6, "{mean:?}");
}

#[test]
fn a_plan_asks_where_labels_differ_most_and_stops_at_the_width() {
    // The judge's 4 are all 4; its 2 are anything.
    let levels: Vec<(u8, u8)> =
        (0..200).map(|at| if at % 2 == 0 { (4, 4) } else { (2, (at / 2 % 5) as u8) }).collect();
    let drawn = labelled_queue(&levels, 40);

    let plan = plan_for(&drawn.items, LabelScope::TheseItems, 0.15);
    let wide = plan_for(&drawn.items, LabelScope::TheseItems, 2.0);
    let narrow = plan_for(&drawn.items, LabelScope::TheseItems, 0.0);

    assert!(plan.expected <= 0.15, "{plan:?}");
    assert!(plan.more[&2] > 10 * plan.more.get(&4).copied().unwrap_or(0), "{plan:?}");
    assert_eq!(wide.label_count(), 0);
    assert_eq!((narrow.label_count(), narrow.expected), (160, 0.0));
}

#[test]
fn the_queue_begins_with_what_is_planned_and_its_labels_count_as_drawn() {
    let levels: Vec<(u8, u8)> =
        (0..200).map(|at| if at % 2 == 0 { (4, 4) } else { (2, (at / 2 % 5) as u8) }).collect();
    let before = labelled_queue(&levels, 40);
    let plan = plan_for(&before.items, LabelScope::TheseItems, 0.15);
    let open = (40..200).map(|at| (at, before.items[at].stratum)).collect();
    let order: Vec<usize> = (0..200).collect();

    let ordered = plan.order_queue(&order, &open);

    let mut items = before.items.clone();
    for at in &ordered[..plan.label_count()] {
        let level = f64::from(levels[*at].1);
        items[*at].labels = vec![RaterLevel { queue: 0, level }];
    }
    let after = drawn_labels(items, &one_queue(200)).unwrap();
    assert_eq!((after.is_stratified, after.left_out), (true, 0));
    let measured = after.measured_by(Measure::Level);
    let mean = corrected_mean(&measured, options_of(LabelScope::TheseItems)).unwrap();
    assert_eq!(mean.labels, 40 + plan.label_count());
    assert!((mean.value - 3.0).abs() < 0.2, "{mean:?}");
    let side = mean.interval.high - mean.value;
    assert!((side / plan.expected - 1.0).abs() < 0.2, "{side} {plan:?}");
}
