use super::*;

fn run(agent: &str, task: &str, condition: &str, values: &[(Number, f64)]) -> MeasuredRun {
    let known = |word: &str| Some(word.to_owned());
    MeasuredRun {
        key: PairingKey {
            agent: known(agent),
            task: known(task),
            task_set: None,
            condition: known(condition),
        },
        values: values.to_vec(),
    }
}

fn compared(runs: &[MeasuredRun]) -> CorpusComparison {
    compare_corpus(
        runs,
        &ConditionPair::default(),
        &BootstrapPlan { resamples: 0, ..BootstrapPlan::default() },
    )
}

#[test]
fn a_lower_erosion_is_a_win_and_a_higher_mcf_is() {
    let runs = [
        run("x", "t1", "single-shot", &[(Number::Mcf, 3.0), (Number::Erosion, 0.1)]),
        run("x", "t1", "emergent", &[(Number::Mcf, 2.5), (Number::Erosion, 0.4)]),
        run("x", "t2", "single-shot", &[(Number::Mcf, 3.0)]),
        run("x", "t2", "emergent", &[(Number::Mcf, 3.5), (Number::Erosion, 0.4)]),
    ];

    let found: Vec<_> = compared(&runs)
        .paired
        .iter()
        .map(|it| (it.number, it.paired.n, it.tasks_won(), it.tasks_lost()))
        .collect();

    assert_eq!(found, [(Number::Mcf, 2, 1, 1), (Number::Erosion, 1, 1, 0)]);
}

#[test]
fn repeats_are_averaged_over_those_that_have_the_number() {
    let runs = [
        run("x", "t1", "single-shot", &[(Number::Mcf, 3.0)]),
        run("x", "t1", "single-shot", &[(Number::Mcf, 2.0)]),
        run("x", "t1", "single-shot", &[]),
        run("x", "t1", "emergent", &[(Number::Mcf, 1.0)]),
    ];

    let corpus = compared(&runs);

    assert_eq!(corpus.per_task[0].values, [(Number::Mcf, (2.5, 1.0))]);
    assert_eq!(
        (corpus.per_task[0].pair.a.len(), corpus.paired[0].paired.mean_gap.value),
        (3, Ok(1.5))
    );
}

#[test]
fn agents_are_compared_each_by_itself_and_all_pooled() {
    let pair = |agent, gap: f64| {
        ["single-shot", "emergent"].map(|condition| {
            let more = if condition == "emergent" { 0.0 } else { gap };
            run(agent, "t", condition, &[(Number::If50, 0.5 + more)])
        })
    };

    let corpus = compared(&[pair("b", 0.25), pair("a", -0.25)].concat());

    let found: Vec<_> = corpus
        .paired
        .iter()
        .map(|it| (it.agent.as_deref(), it.paired.n, it.paired.mean_gap.value))
        .collect();
    assert_eq!(found, [(Some("a"), 1, Ok(-0.25)), (Some("b"), 1, Ok(0.25)), (None, 2, Ok(0.0))]);
}

#[test]
fn runs_without_one_of_two_measures_do_not_count_for_their_correlation() {
    let runs = [
        run("x", "t1", "c", &[(Number::Tests, 0.2), (Number::If50, 0.1)]),
        run("x", "t2", "c", &[(Number::Tests, 0.9)]),
        run("x", "t3", "c", &[(Number::Tests, 0.4), (Number::If50, 0.3)]),
        run("x", "t4", "c", &[(Number::Tests, 0.6), (Number::If50, 0.2)]),
    ];

    let found = correlate_numbers(&runs, Number::Tests, Number::If50);

    assert_eq!((found.n, found.spearman.unwrap().r), (3, 0.5));
}
