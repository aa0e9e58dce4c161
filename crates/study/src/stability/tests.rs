use proptest::prelude::*;

use super::*;
use trajview_run::rubric::{Judge, JudgeTest, RepeatNumber, Verdict};

fn judgement_with(name: &str, prompt: &str, commit: &str, scores: &[Option<u8>]) -> Judgement {
    let verdict = |(at, score): (usize, &Option<u8>)| Verdict {
        component: format!("C{:02}", at + 1),
        score: *score,
        ..Verdict::default()
    };
    Judgement {
        file: format!("judgements/{name}-{prompt}.json"),
        judge: Judge { name: name.into(), prompt_sha256: Some(prompt.into()), ..Judge::default() },
        commit: Some(commit.into()),
        verdicts: scores.iter().enumerate().map(verdict).collect(),
        ..Judgement::default()
    }
}

fn repeated_judgements(scores: &[&[Option<u8>]]) -> Vec<Judgement> {
    scores.iter().map(|scores| judgement_with("j", "p", "c", scores)).collect()
}

fn small_plan() -> BootstrapPlan {
    BootstrapPlan { resamples: 200, ..BootstrapPlan::default() }
}

#[test]
fn repeats_have_one_setup_and_one_state() {
    let mut second = judgement_with("j", "p", "c", &[Some(3)]);
    second.repeat = Some(RepeatNumber { number: 2, total: 2 });
    let mut first = judgement_with("j", "p", "C", &[Some(4)]);
    first.repeat = Some(RepeatNumber { number: 1, total: 2 });
    let mut warm = judgement_with("j", "p", "c", &[Some(4)]);
    warm.judge.temperature = Some(1.0);
    let other_prompt = judgement_with("j", "q", "c", &[Some(4)]);
    let other_commit = judgement_with("j", "p", "d", &[Some(4)]);
    let all = [second, first, warm, other_prompt, other_commit];

    let found = repeat_groups(&all);

    let sizes: Vec<_> = found.iter().map(|group| group.judgements.len()).collect();
    assert_eq!(sizes, [2, 1, 1, 1]);
    let order: Vec<_> = found[0].judgements.iter().map(|it| it.repeat.unwrap().number).collect();
    assert_eq!(order, [1, 2]);
    let setups: Vec<RepeatSetup> = found.into_iter().map(|group| group.setup).collect();
    assert_eq!(setup_difference(&setups[0], &setups[1]), SetupDifference::Settings);
    assert_eq!(setup_difference(&setups[0], &setups[2]), SetupDifference::Prompt);
    assert_eq!(setup_difference(&setups[0], &setups[3]), SetupDifference::Repeat);
    assert_eq!(setup_difference(&setups[0], &RepeatSetup::default()), SetupDifference::Judge);
}

#[test]
fn a_component_has_its_mode_its_range_and_its_flips() {
    let steady =
        ComponentStability::from_scores("C01", vec![Some(2), None, Some(3), Some(2), Some(1)]);

    assert_eq!((steady.mode, steady.range), (Some(2), Some((1, 3))));
    assert_eq!(steady.at_mode, Ok(0.5));
    // Of six pairs: 2-2 agrees; 2-3, 3-2 and 3-1 flip 2/3; three have a 1.
    assert_eq!(steady.shares.exact, Ok(1.0 / 6.0));
    assert_eq!(steady.shares.within_1, Ok(5.0 / 6.0));
    assert_eq!(steady.shares.flips_2_3, Ok(0.5));
    assert_eq!(steady.shares.flips_3_4, Ok(0.0));
    assert_eq!(steady.shares.severe_flips, Ok(0.5));
    assert_eq!(ComponentStability::from_scores("C01", vec![Some(4), Some(0)]).mode, Some(0));
}

#[test]
fn what_is_not_defined_says_why() {
    let one = ComponentStability::from_scores("C01", vec![Some(2), None]);
    assert_eq!(one.shares.exact, Err(Undefined::FewerThanTwoPairs));
    assert_eq!((one.sd, one.at_mode), (Err(Undefined::FewerThanTwoPairs), Ok(1.0)));
    let none = ComponentStability::from_scores("C01", vec![None, None]);
    assert_eq!((none.mode, none.at_mode), (None, Err(Undefined::NoPairs)));

    let same = repeated_judgements(&[&[Some(3), Some(3)], &[Some(3), Some(3)]]);
    let stability = Stability::for_repeats(&same.iter().collect::<Vec<_>>(), &small_plan());
    assert_eq!(stability.alpha.value, Err(Undefined::OneLevel));
    assert_eq!(stability.shares.exact.value, Ok(1.0));
    assert_eq!(stability.shares.exact.interval, Err(Undefined::NoSpread));
    assert_eq!((stability.mcf_mean, stability.mcf_sd), (Ok(3.0), Ok(0.0)));

    let single = repeated_judgements(&[&[Some(3), Some(2)]]);
    let stability = Stability::for_repeats(&single.iter().collect::<Vec<_>>(), &small_plan());
    assert_eq!((stability.compared, stability.alpha.value), (0, Err(Undefined::NoPairs)));
    assert_eq!(stability.mcf_sd, Err(Undefined::FewerThanTwoPairs));
}

#[test]
fn two_groups_are_set_side_by_side_component_by_component() {
    let first = repeated_judgements(&[&[Some(4), Some(1), None], &[Some(4), Some(2), None]]);
    let second = repeated_judgements(&[&[Some(4), Some(3), Some(2)]]);
    let [first, second] = [&first, &second].map(|it| it.iter().collect::<Vec<_>>());

    let contrast = GroupContrast::between_groups(&first, &second, &small_plan());

    assert_eq!((contrast.compared, contrast.components.len()), (2, 3));
    let differ: Vec<_> = contrast.components.iter().map(ComponentContrast::modes_differ).collect();
    assert_eq!(differ, [Some(false), Some(true), None]);
    assert_eq!(contrast.components[1].gap, Ok(1.5));
    assert_eq!(contrast.components[1].between.severe_flips, Ok(0.5));
    assert_eq!(contrast.gap.value, Ok(0.75));
    assert_eq!(contrast.between.exact.value, Ok(0.5));
}

fn rewording_with(prompt: &str, scores: &[Option<u8>]) -> Judgement {
    let judgement = judgement_with("j", prompt, "c", scores);
    let judge = Judge { reworded_from: Some("p".into()), ..judgement.judge.clone() };
    Judgement { judge, test: Some(JudgeTest::Rewording), ..judgement }
}

#[test]
fn a_retest_compares_both_sides_over_the_same_components() {
    // The plain repeats agree on the first two components alone; the rewordings lack the third.
    let plain = repeated_judgements(&[&[Some(4), Some(3), Some(0)], &[Some(4), Some(3), Some(4)]]);
    let whole = rewording_with("q", &[Some(4), Some(2)]);
    let partial = rewording_with("q", &[Some(0)]);
    let tests = [whole.clone(), partial];

    let found = retests(&plain, &tests);

    let [retest] = found.as_slice() else { panic!("{found:?}") };
    // The later judgement of one component does not replace the whole one.
    assert_eq!(retest.reworded, [&whole]);
    let plain_side = retest.plain_agreement(&small_plan()).unwrap();
    let reworded_side = retest.reworded_agreement(&small_plan()).unwrap();
    assert_eq!((plain_side.compared, reworded_side.compared), (2, 2));
    assert_eq!((plain_side.exact.value, reworded_side.exact.value), (Ok(1.0), Ok(0.5)));
    let shift = retest.mean_shift(&small_plan());
    assert_eq!((shift.compared, shift.gap.value), (2, Ok(-0.5)));
}

fn any_scores() -> impl Strategy<Value = Vec<Vec<Option<u8>>>> {
    let scores =
        (0usize..6).prop_flat_map(|count| prop::collection::vec(prop::option::of(0u8..=4), count));
    prop::collection::vec(scores, 0..5)
}

proptest! {
    #[test]
    fn whatever_the_scores_shares_lie_between_0_and_1_and_nothing_is_nan(scores in any_scores()) {
        let rows: Vec<&[Option<u8>]> = scores.iter().map(Vec::as_slice).collect();
        let judgements = repeated_judgements(&rows);
        let all: Vec<&Judgement> = judgements.iter().collect();
        let plan = BootstrapPlan { resamples: 20, ..BootstrapPlan::default() };

        let stability = Stability::for_repeats(&all, &plan);

        for (_, share) in stability.shares.named_values() {
            prop_assert!(share.value.is_ok() == (stability.compared > 0));
            if let Ok(value) = share.value {
                prop_assert!((0.0..=1.0).contains(&value));
            }
        }
        if let Ok(value) = stability.alpha.value {
            prop_assert!(value.is_finite() && value <= 1.0 + 1e-12);
        }
        for it in &stability.components {
            if let (Some(mode), Some((low, high))) = (it.mode, it.range) {
                prop_assert!(low <= mode && mode <= high);
                prop_assert_eq!(it.shares.exact == Ok(1.0) , low == high && it.known_scores().len() > 1);
            }
        }
    }

    #[test]
    fn whatever_the_order_of_the_repeats_the_group_is_as_steady(scores in any_scores()) {
        let rows: Vec<&[Option<u8>]> = scores.iter().map(Vec::as_slice).collect();
        let judgements = repeated_judgements(&rows);
        let forth: Vec<&Judgement> = judgements.iter().collect();
        let back: Vec<&Judgement> = judgements.iter().rev().collect();
        let plan = BootstrapPlan { resamples: 0, ..BootstrapPlan::default() };

        let [forth, back] = [forth, back].map(|all| Stability::for_repeats(&all, &plan));

        let values = |it: &Stability| it.shares.named_values().map(|(_, share)| share.value);
        prop_assert_eq!(values(&forth), values(&back));
        prop_assert_eq!(forth.alpha.value, back.alpha.value);
    }
}
