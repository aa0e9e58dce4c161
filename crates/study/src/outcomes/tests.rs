//! Against statsmodels, SciPy and the published formulas, as `tests/vectors/outcomes.py` computed them, and the rules on which
//! trials count.

use serde_json::Value as Json;

use super::*;
use crate::bootstrap::{Interval, Resamples};

fn read_vectors(name: &str) -> Vec<Json> {
    let all: Json =
        serde_json::from_str(include_str!("../../../../tests/vectors/outcomes.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

fn whole(case: &Json, name: &str) -> usize {
    usize::try_from(case[name].as_u64().unwrap()).unwrap()
}

fn assert_near(found: Option<f64>, expected: &Json, what: &str) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            let near = 1e-9 * expected.abs().max(1e-300);
            assert!((found - expected).abs() <= near, "{what}: {found} is not {expected}");
        }
        (found, expected) => assert_eq!(found, expected, "{what}"),
    }
}

fn assert_estimate(found: &Estimate, expected: &Json, what: &str) {
    assert_near(found.value.ok(), &expected["value"], what);
    let ends = found.interval.ok();
    assert_near(ends.map(|it| it.low), &expected["ci95"][0], &format!("{what}, low"));
    assert_near(ends.map(|it| it.high), &expected["ci95"][1], &format!("{what}, high"));
}

fn trial(task: &str, outcome: Option<Outcome>) -> TrialRecord {
    TrialRecord { task: Some(task.into()), outcome, ..TrialRecord::default() }
}

fn plan(errors: ErrorRule, ks: &[usize]) -> OutcomePlan {
    let bootstrap = BootstrapPlan { resamples: 99, ..BootstrapPlan::default() };
    OutcomePlan { errors, ks: ks.to_vec(), bootstrap }
}

fn evaluate(trials: &[TrialRecord], plan: &OutcomePlan) -> GroupOutcomes {
    group_outcomes(&vec![], &trials.iter().collect::<Vec<_>>(), plan)
}

#[test]
fn wilsons_interval_is_that_of_statsmodels() {
    let cases = read_vectors("wilson");

    assert_eq!(cases.len(), 60);
    for case in cases {
        let confidence = case["confidence"].as_f64().unwrap();
        let found = wilson_interval(whole(&case, "passed"), whole(&case, "n"), confidence).unwrap();
        assert!((found.low - case["low"].as_f64().unwrap()).abs() < 1e-12, "{case}: {found:?}");
        assert!((found.high - case["high"].as_f64().unwrap()).abs() < 1e-12, "{case}: {found:?}");
    }
    assert_eq!(wilson_interval(0, 0, 0.95), Err(Undefined::NoScoredTrials));
}

#[test]
fn mcnemars_exact_test_is_that_of_statsmodels_and_scipy_on_thirty_tables() {
    let cases = read_vectors("mcnemar");

    assert_eq!(cases.len(), 30);
    for case in cases {
        let cells = [
            ("both", (true, true)),
            ("only_a", (true, false)),
            ("only_b", (false, true)),
            ("neither", (false, false)),
        ];
        let outcomes: Vec<(bool, bool)> =
            cells.iter().flat_map(|(name, pair)| vec![*pair; whole(&case, name)]).collect();
        let test = mcnemar_test(&outcomes).unwrap();
        assert_near(Some(test.p), &case["p"], &case.to_string());
        let discordant = whole(&case, "only_a") + whole(&case, "only_b");
        assert_eq!((test.both, test.discordant()), (whole(&case, "both"), discordant));
    }
    assert_eq!(mcnemar_test(&[]), Err(Undefined::NoPairs));
}

#[test]
fn pass_at_k_and_pass_hat_k_are_those_of_the_papers() {
    let cases = read_vectors("at_k");

    assert_eq!(cases.len(), 40);
    for case in cases {
        let [n, c, k] = ["n", "c", "k"].map(|name| whole(&case, name));
        assert_near(pass_at_k(n, c, k), &case["any"], &case.to_string());
        assert_near(pass_hat_k(n, c, k), &case["all"], &case.to_string());
    }
    assert_eq!((pass_at_k(2, 1, 3), pass_hat_k(2, 1, 3)), (None, None));
    assert_eq!((pass_at_k(2, 1, 0), pass_hat_k(2, 1, 0)), (None, None));
}

#[test]
fn the_intervals_over_tasks_are_scipys_from_the_same_draws() {
    for case in read_vectors("groups") {
        let trials: Vec<TrialRecord> = case["trials"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| TrialRecord {
                attempt: row[1].as_u64().map(|attempt| attempt as u32),
                reward: row[3].as_f64(),
                spent: TrialSpending { tokens: row[4].as_f64(), ..TrialSpending::default() },
                ..trial(row[0].as_str().unwrap(), Outcome::by_word(row[2].as_str().unwrap()))
            })
            .collect();
        let at_k = case["at_k"].as_array().unwrap();
        let bootstrap = BootstrapPlan {
            seed: case["seed"].as_u64().unwrap(),
            resamples: whole(&case, "resamples"),
            confidence: 0.95,
        };
        let ks = at_k.iter().map(|row| whole(row, "k")).collect();

        let found = evaluate(&trials, &OutcomePlan { errors: ErrorRule::Failures, ks, bootstrap });

        let name = case["name"].as_str().unwrap();
        for (found, expected) in found.at_k.iter().zip(at_k) {
            let what = format!("{name}, k {}", found.k);
            assert_eq!(found.tasks, whole(expected, "tasks"), "{what}");
            assert_estimate(&found.any, &expected["any"], &format!("{what}, any"));
            assert_estimate(&found.all, &expected["all"], &format!("{what}, all"));
        }
        assert_eq!(found.repeats.flaky.map(|count| count as u64), case["flaky"].as_u64(), "{name}");
        assert_estimate(&found.spent[2].per_pass, &case["tokens_per_pass"], name);
        assert_near(found.rewards.spread.ok(), &case["reward_spread"], name);
    }
}

#[test]
fn each_rule_counts_other_trials_and_none_counts_what_nobody_scored() {
    let outcomes = Outcome::ALL.map(Some).into_iter().chain([None, Some(Outcome::Passed)]);
    let trials: Vec<TrialRecord> =
        (0..).zip(outcomes).map(|(at, it)| trial(&format!("t{at}"), it)).collect();

    let found = evaluate(&trials, &plan(ErrorRule::Failures, &[1]));

    let counted = found.rates.map(|rate| (rate.passed, rate.counted));
    assert_eq!(counted, [(2, 7), (2, 4), (2, 6)]);
    assert_eq!(found.rates[1].rate, Ok(0.5));
    assert_eq!((found.counts.with_outcome(Outcome::Unscored), found.counts.not_recorded), (1, 1));
    assert_eq!((found.counts.all_trials(), found.tasks), (9, 9));
    assert_eq!((found.at_k[0].tasks, found.at_k[0].tasks_left_out), (7, 2));
}

#[test]
fn trials_that_nobody_scored_have_no_pass_rate_and_not_the_rate_0() {
    let trials = [trial("a", Some(Outcome::Unscored)), trial("b", None)];

    let found = evaluate(&trials, &plan(ErrorRule::Failures, &[1]));

    assert_eq!(found.rates.map(|it| it.rate), [Err(Undefined::NoScoredTrials); 3]);
    assert_eq!(found.at_k[0].any.value, Err(Undefined::TooFewRepeats));
    assert_eq!(found.repeats.flaky, None);
    assert_eq!(found.spent[0].per_pass.value, Err(Undefined::NoSpending));
    assert_eq!(found.rewards.mean.value, Err(Undefined::NoReward));
}

#[test]
fn a_pass_costs_all_that_was_spent_and_the_mean_of_the_passed_is_beside_it() {
    let spent = |task: &str, outcome, usd: Option<f64>| TrialRecord {
        spent: TrialSpending { recorded_usd: usd, ..TrialSpending::default() },
        ..trial(task, Some(outcome))
    };
    let trials = [
        spent("a", Outcome::Passed, Some(1.0)),
        spent("a", Outcome::Error, Some(2.0)),
        spent("b", Outcome::Passed, Some(3.0)),
        spent("c", Outcome::Failed, Some(4.0)),
        spent("d", Outcome::Unscored, Some(100.0)),
        spent("e", Outcome::Passed, None),
    ];

    let [usd, tokens, ..] = evaluate(&trials, &plan(ErrorRule::LeftOut, &[1])).spent;

    assert_eq!((usd.trials, usd.passed, usd.without_value), (4, 2, 1));
    assert_eq!((usd.per_pass.value, usd.mean_of_passed.value), (Ok(5.0), Ok(2.0)));
    assert_eq!((tokens.trials, tokens.per_pass.value), (0, Err(Undefined::NoSpending)));
}

#[test]
fn rewards_of_several_names_have_no_mean() {
    let named = |name: &str| TrialRecord {
        reward: Some(0.5),
        reward_name: Some(name.into()),
        ..trial("a", Some(Outcome::Partial))
    };

    let rewards =
        |names: [&str; 2]| evaluate(&names.map(named), &plan(ErrorRule::Failures, &[1])).rewards;

    assert_eq!(rewards(["f1", "accuracy"]).mean.value, Err(Undefined::SeveralRewards));
    let same = rewards(["f1", "f1"]);
    assert_eq!((same.mean.value, same.spread, same.name), (Ok(0.5), Ok(0.0), Some("f1".into())));
}

#[test]
fn two_groups_are_paired_by_task_and_the_first_of_the_repeats_is_tested() {
    let with_attempt = |task: &str, attempt, outcome| TrialRecord {
        attempt: Some(attempt),
        reward: Some(if outcome == Outcome::Passed { 1.0 } else { 0.0 }),
        ..trial(task, Some(outcome))
    };
    let a = [
        with_attempt("t1", 2, Outcome::Failed),
        with_attempt("t1", 1, Outcome::Passed),
        with_attempt("t2", 1, Outcome::Passed),
        with_attempt("t3", 1, Outcome::Passed),
        with_attempt("t4", 1, Outcome::Error),
    ];
    let b = [
        with_attempt("t1", 1, Outcome::Failed),
        with_attempt("t2", 1, Outcome::Passed),
        with_attempt("t4", 1, Outcome::Passed),
        with_attempt("t5", 1, Outcome::Passed),
    ];
    let [a, b] = [a.iter().collect::<Vec<_>>(), b.iter().collect()];
    let key = vec![];

    let pair = |rule| paired_outcomes((&key, &a), (&key, &b), rule, &plan(rule, &[]).bootstrap);

    let found = pair(ErrorRule::Failures);
    let test = found.mcnemar.unwrap();
    assert_eq!((found.tasks, found.repeated_tasks), (3, 1));
    assert_eq!((test.both, test.only_a, test.only_b, test.neither, test.p), (1, 1, 1, 0, 1.0));
    assert_eq!(found.pass_share.mean_gap.value, Ok((0.5 + 0.0 - 1.0) / 3.0));
    assert_eq!(found.reward.unwrap().n, 3);
    assert_eq!(pair(ErrorRule::LeftOut).tasks, 2);
}

#[test]
fn the_default_ks_are_those_that_half_of_the_tasks_allow() {
    assert_eq!(default_ks(vec![]), [1]);
    assert_eq!(default_ks(vec![1, 1, 0, 9]), [1]);
    assert_eq!(default_ks(vec![5, 5, 4]), [1, 2, 4, 5]);
    assert_eq!(default_ks(vec![2, 8, 8]), [1, 2, 4, 8]);
}

/// The coverage of the interval of pass^k: tasks are drawn from a population in which the chance to pass is Beta(a, 1), whose
/// true pass^k is a / (a + k).
#[test]
#[ignore = "a simulation of about a minute; prints what docs/scoring.md says"]
fn the_interval_of_pass_hat_k_covers_the_truth_about_as_often_as_it_says() {
    const ROUNDS: u64 = 1_000;
    let mut chance = Resamples::new(20_261_128, 1).into_numbers();
    let mut unit = move || (chance.next().unwrap() >> 11) as f64 / (1_u64 << 53) as f64;
    for (tasks, trials, k, shape) in [
        (10, 4, 2, 1.0),
        (30, 4, 2, 1.0),
        (30, 5, 5, 1.0),
        (30, 8, 4, 3.0),
        (100, 4, 2, 1.0),
        (100, 5, 5, 3.0),
    ] {
        let (mut covered, mut without) = (0_u64, 0_u64);
        for round in 0..ROUNDS {
            let mut tally = || {
                let luck = unit().powf(1.0 / shape);
                let passed = (0..trials).filter(|_| unit() < luck).count();
                TaskTally { counted: trials, passed }
            };
            let tallies: Vec<TaskTally> = (0..tasks).map(|_| tally()).collect();
            let plan = BootstrapPlan { seed: round, resamples: 999, confidence: 0.95 };
            let truth = shape / (shape + k as f64);
            match PassAtK::over_tasks(&tallies, k, &plan).all.interval {
                Ok(Interval { low, high }) => {
                    covered += u64::from(low <= truth && truth <= high);
                }
                Err(_) => without += 1,
            }
        }
        let share = covered as f64 / (ROUNDS - without) as f64;
        println!(
            "{tasks} tasks, {trials} trials, k {k}, Beta({shape}, 1): {share:.3}, {without} without"
        );
        assert!(share > if tasks < 30 { 0.85 } else { 0.9 } && share < 0.98, "{share}");
    }
}
