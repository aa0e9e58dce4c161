//! The study room against SciPy, scikit-learn, krippendorff and irrCAC: `tests/vectors/study.py` made the numbers.

use std::{collections::BTreeSet, fs};

use serde_json::Value as Json;
use trajview::run::rubric::{Judgement, Verdict};
use trajview::study::{
    BootstrapPlan, Coefficient, Estimate, Interval, NumberOrReason, RatingScale, Ratings,
    Undefined,
    correlation::{Correlation, correlate_pairs},
    paired::{PairedComparison, compare_pairs, compare_pairs_from},
    stability::{GroupContrast, PairShares, Stability},
};

use crate::common::{project_path, real_data};

const NEAR: f64 = 1e-9;

fn read_vectors(name: &str) -> Vec<Json> {
    let text = fs::read_to_string(project_path("tests/vectors").join(name)).unwrap();
    let document: Json = serde_json::from_str(&text).unwrap();
    document["cases"].as_array().unwrap().clone()
}

fn number_list(json: &Json) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn number_pairs(case: &Json) -> Vec<(f64, f64)> {
    number_list(&case["a"]).into_iter().zip(number_list(&case["b"])).collect()
}

fn bootstrap_plan(case: &Json) -> BootstrapPlan {
    let resamples = case["resamples"].as_u64().unwrap_or(0) as usize;
    BootstrapPlan {
        seed: case["seed"].as_u64().unwrap_or(0),
        resamples,
        ..BootstrapPlan::default()
    }
}

/// A number near the expected one, or none of both.
fn assert_near(found: NumberOrReason, expected: &Json, what: &str) {
    match (found, expected.as_f64()) {
        (Ok(found), Some(expected)) => {
            assert!(
                (found - expected).abs() <= NEAR * expected.abs().max(1.0),
                "{what}: {found} is not {expected}"
            );
        }
        (Err(_), None) => {}
        (found, _) => panic!("{what}: {found:?} is not {expected}"),
    }
}

fn assert_interval(found: Result<Interval, Undefined>, expected: &Json, what: &str) {
    assert_near(found.map(|interval| interval.low), &expected[0], &format!("{what}, low end"));
    assert_near(found.map(|interval| interval.high), &expected[1], &format!("{what}, high end"));
}

#[test]
fn agreement_is_what_scipy_and_scikit_learn_say() {
    for case in read_vectors("agreement.json") {
        let scale = RatingScale::from_scores(number_list(&case["levels"])).unwrap();
        let agreement = Ratings::new(scale, &number_pairs(&case)).agreement(&bootstrap_plan(&case));

        // `study_fitness` has the vectors of intraclass correlation.
        let is_here = |it: &Coefficient| !it.name().starts_with("icc_");
        for coefficient in Coefficient::ALL.into_iter().filter(is_here) {
            let what = format!("{}: {}", case["name"], coefficient.name());
            assert_near(
                agreement.value_for(coefficient),
                &case["values"][coefficient.name()],
                &what,
            );
        }
    }
}

#[test]
fn the_intervals_of_agreement_are_scipys_from_the_same_resamples() {
    let with_intervals =
        read_vectors("agreement.json").into_iter().filter(|case| case["intervals"].is_object());
    let mut seen = 0;
    for case in with_intervals {
        let scale = RatingScale::from_scores(number_list(&case["levels"])).unwrap();
        let agreement = Ratings::new(scale, &number_pairs(&case)).agreement(&bootstrap_plan(&case));

        for (name, expected) in case["intervals"].as_object().unwrap() {
            let coefficient =
                Coefficient::ALL.into_iter().find(|other| other.name() == name).unwrap();
            let what = format!("{}: {name}", case["name"]);
            assert_interval(agreement.estimate_for(coefficient).interval, expected, &what);
            seen += usize::from(expected.is_array());
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn paired_tests_are_what_scipy_says() {
    for case in read_vectors("paired.json") {
        let found = compare_pairs(&number_pairs(&case), &bootstrap_plan(&case));

        let what = |part: &str| format!("{}: {part}", case["name"]);
        let counts = [found.higher, found.ties, found.lower].map(Json::from);
        assert_eq!(
            counts,
            ["higher", "ties", "lower"].map(|count| case[count].clone()),
            "{}",
            what("counts")
        );
        assert_near(found.mean_gap.value, &case["mean_gap"], &what("mean"));
        assert_near(found.cohen_d.value, &case["cohen_d"], &what("d"));
        assert_interval(found.mean_gap.interval, &case["mean_gap_interval"], &what("mean"));
        assert_interval(found.cohen_d.interval, &case["cohen_d_interval"], &what("d"));
        assert_wilcoxon(&found, &case["wilcoxon"], &what("wilcoxon"));
    }
}

fn assert_wilcoxon(found: &PairedComparison, expected: &Json, what: &str) {
    assert_near(found.wilcoxon.map(|test| test.w), &expected["w"], what);
    assert_near(found.wilcoxon.map(|test| test.p), &expected["p"], what);
    assert_near(found.wilcoxon.map(|test| test.p_normal), &expected["p_normal"], what);
    let Ok(test) = found.wilcoxon else { return };
    assert_eq!(
        (test.method.name(), test.zeros as u64),
        (expected["method"].as_str().unwrap(), expected["zeros"].as_u64().unwrap()),
        "{what}"
    );
}

#[test]
fn correlations_are_what_scipy_says() {
    for case in read_vectors("correlation.json") {
        let found = correlate_pairs(&number_pairs(&case));

        let near = |found: Result<Correlation, Undefined>, expected: &Json, what: &str| {
            let what = format!("{}: {what}", case["name"]);
            assert_near(found.map(|found| found.r), &expected[0], &what);
            assert_near(found.and_then(|found| found.p), &expected[1], &what);
        };
        near(found.pearson, &case["pearson"], "pearson");
        near(found.spearman, &case["spearman"], "spearman");
    }
}

#[test]
fn a_p_value_far_out_keeps_its_digits() {
    let cases = read_vectors("correlation.json");
    let small = cases
        .iter()
        .filter(|case| case["pearson"][1].as_f64().is_some_and(|p| p > 0.0 && p < 1e-12));
    let mut seen = 0;
    for case in small {
        let p = correlate_pairs(&number_pairs(case)).pearson.unwrap().p.unwrap();
        let expected = case["pearson"][1].as_f64().unwrap();
        assert!((p / expected - 1.0).abs() < 1e-7, "{}: {p} is not {expected}", case["name"]);
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

/// Numbers that another program's scripts gave, checked against SciPy by others.
fn recorded_json() -> Json {
    let text = fs::read_to_string(real_data().join("vectors/statistics.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn agreement_is_what_was_recorded_elsewhere() {
    let recorded = recorded_json();
    for (name, case) in recorded["inter_judge_vectors"]["cases"].as_object().unwrap() {
        let scores = number_pairs(case);
        let observed = RatingScale::from_scores(scores.iter().flat_map(|(a, b)| [*a, *b])).unwrap();
        let found = Ratings::new(observed, &scores)
            .agreement(&BootstrapPlan { resamples: 0, ..BootstrapPlan::default() });

        let near = |coefficient, key: &str| {
            assert_near(found.value_for(coefficient), &case[key], &format!("{name}: {key}"))
        };
        near(Coefficient::Spearman, "scipy_spearman");
        near(Coefficient::Kappa, "sklearn_kappa_unweighted");
        near(Coefficient::KappaLinear, "sklearn_kappa_linear_observed_levels");
        near(Coefficient::Exact, "exact_agreement");
        near(Coefficient::Within1, "within_1");
        if !case["sklearn_kappa_linear_full_1_10"].is_string() || name == "single_level_identical" {
            let full =
                Ratings::new(RatingScale::whole_numbers(1, 10).unwrap(), &scores).confusion_table();
            let key = "sklearn_kappa_linear_full_1_10";
            assert_near(
                Coefficient::KappaLinear.value_of_sample(&full),
                &case[key],
                &format!("{name}: {key}"),
            );
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn paired_tests_are_what_was_recorded_elsewhere() {
    let recorded = recorded_json();
    for (name, case) in recorded["paired_stat_vectors"]["cases"].as_object().unwrap() {
        let gaps: Vec<(f64, f64)> =
            number_list(&case["diffs"]).into_iter().map(|gap| (gap, 0.0)).collect();
        let draws = python_draws(&recorded, gaps.len());

        let found = compare_pairs_from(&gaps, draws.into_iter(), 0.95);

        assert_near(found.cohen_d.value, &case["repo_cohen_d_paired"], &format!("{name}: d"));
        if case.get("scipy_W").is_some() {
            assert_near(found.wilcoxon.map(|test| test.w), &case["scipy_W"], &format!("{name}: w"));
            // SciPy's choice was the normal approximation wherever there are ties.
            let sizes: BTreeSet<u64> = gaps
                .iter()
                .filter(|(gap, _)| *gap != 0.0)
                .map(|(gap, _)| gap.abs().to_bits())
                .collect();
            let as_scipy = found.wilcoxon.map(|test| {
                if sizes.len() == test.n && test.zeros == 0 { test.p } else { test.p_normal }
            });
            assert_near(as_scipy, &case["scipy_p_exact_or_approx"], &format!("{name}: p"));
        }
        assert_neighbour(found.cohen_d.interval, &case["repo_bca_ci_d"], name);
    }
}

/// The script they are from ends at one of the resampled values; we and SciPy go between two.
fn assert_neighbour(found: Result<Interval, Undefined>, expected: &Json, what: &str) {
    let (Ok(found), Some(low), Some(high)) =
        (found, expected["lo"].as_f64(), expected["hi"].as_f64())
    else {
        assert!(found.is_err() && expected["lo"] == "nan", "{what}: {found:?} is not {expected}");
        return;
    };
    let most = 0.003 * (high - low);
    assert!(
        (found.low - low).abs() < most && (found.high - high).abs() < most,
        "{what}: {found:?} is not {expected}"
    );
}

/// The draws of that script.
fn python_draws(recorded: &Json, count: usize) -> Vec<Vec<usize>> {
    let seed = recorded["rng_check"]["python_random_seed"].as_u64().unwrap() as u32;
    let mut check = Python::with_seed(seed);
    let first: Vec<Json> = (0..24).map(|_| Json::from(check.below(12))).collect();
    assert_eq!(first, *recorded["rng_check"]["first_24_randrange_12"].as_array().unwrap());
    let mut python = Python::with_seed(seed);
    (0..10_000).map(|_| (0..count).map(|_| python.below(count as u32) as usize).collect()).collect()
}

/// CPython's `random.Random(seed)`: MT19937 (Matsumoto and Nishimura 1998), seeded by an array of one word.
struct Python {
    state: [u32; 624],
    at: usize,
}

impl Python {
    fn with_seed(seed: u32) -> Self {
        let mut state = [0u32; 624];
        state[0] = 19_650_218;
        let mix = |before: u32| before ^ (before >> 30);
        for at in 1..624 {
            state[at] = mix(state[at - 1]).wrapping_mul(1_812_433_253).wrapping_add(at as u32);
        }
        let mut at = 1;
        let wrap = |state: &mut [u32; 624], at: &mut usize| {
            *at += 1;
            if *at == 624 {
                state[0] = state[623];
                *at = 1;
            }
        };
        for _ in 0..624 {
            state[at] = (state[at] ^ mix(state[at - 1]).wrapping_mul(1_664_525)).wrapping_add(seed);
            wrap(&mut state, &mut at);
        }
        for _ in 0..623 {
            state[at] = (state[at] ^ mix(state[at - 1]).wrapping_mul(1_566_083_941))
                .wrapping_sub(at as u32);
            wrap(&mut state, &mut at);
        }
        state[0] = 0x8000_0000;
        Self { state, at: 624 }
    }

    fn word(&mut self) -> u32 {
        if self.at == 624 {
            for at in 0..624 {
                let joined =
                    (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % 624] & 0x7fff_ffff);
                let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[at] = self.state[(at + 397) % 624] ^ (joined >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// `randrange(count)`: as many bits as the count has, again while they are too many.
    fn below(&mut self, count: u32) -> u32 {
        let bits = u32::BITS - count.leading_zeros();
        loop {
            let drawn = self.word() >> (u32::BITS - bits);
            if drawn < count {
                return drawn;
            }
        }
    }
}

/// A judgement for each repeat; a row a component, null where it has no score.
fn repeated_judgements(rows: &Json) -> Vec<Judgement> {
    let rows: Vec<&Vec<Json>> =
        rows.as_array().unwrap().iter().map(|row| row.as_array().unwrap()).collect();
    let verdict = |at: usize, score: &Json| Verdict {
        component: format!("C{at:03}"),
        score: score.as_u64().map(|score| score as u8),
        ..Verdict::default()
    };
    let judgement = |repeat: usize| Judgement {
        verdicts: rows.iter().enumerate().map(|(at, row)| verdict(at, &row[repeat])).collect(),
        ..Judgement::default()
    };
    (0..rows[0].len()).map(judgement).collect()
}

fn assert_estimate(found: Estimate, expected: &Json, what: &str) {
    assert_near(found.value, &expected["value"], what);
    assert_interval(found.interval, &expected["ci95"], what);
}

fn assert_shares(found: PairShares<Estimate>, expected: &Json, what: &str) {
    for (name, estimate) in found.named_values() {
        assert_estimate(estimate, &expected[name], &format!("{what}: {name}"));
    }
}

#[test]
fn stability_over_repeats_is_what_krippendorff_and_scipy_say() {
    let cases = read_vectors("stability.json");
    assert_eq!(cases.len(), 7);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let [first, second] = ["first", "second"].map(|group| repeated_judgements(&case[group]));
        let [first, second] = [&first, &second].map(|it| it.iter().collect::<Vec<_>>());

        let stability = Stability::for_repeats(&first, &bootstrap_plan(&case));
        let contrast = GroupContrast::between_groups(&first, &second, &bootstrap_plan(&case));

        assert_shares(stability.shares, &case["shares"], &format!("{name}: within"));
        assert_estimate(stability.alpha, &case["alpha"], &format!("{name}: alpha"));
        for (found, expected) in stability.mcf.iter().zip(case["mcf"].as_array().unwrap()) {
            assert_near(*found, expected, &format!("{name}: mcf"));
        }
        assert_near(stability.mcf_sd, &case["mcf_sd"], &format!("{name}: sd of mcf"));
        for (found, expected) in stability.components.iter().zip(case["sd"].as_array().unwrap()) {
            assert_near(found.sd, expected, &format!("{name}: sd of {}", found.component));
        }
        assert_shares(contrast.between, &case["between"], &format!("{name}: between"));
        assert_estimate(contrast.gap, &case["gap"], &format!("{name}: gap"));
    }
}
