//! `agree --repeats`: how steady each judge is over its repeats, and one prompt or judge against another of the same
//! state of the code.

mod tables;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use trajview_run::rubric::{FULL_SCORE, Judgement, Rubric};
use trajview_study::{
    BootstrapPlan, NumberOrReason,
    stability::{
        self, ComponentContrast, ComponentStability, GroupContrast, JudgedCodeState, PairShares,
        RepeatGroup, RepeatSetup, Retest, RetestAgreement, Stability, repeat_groups,
        setup_difference,
    },
};

use super::{inputs::NamedRun, number_text::measures_record};
use crate::cli::output::{Json, record};

pub use tables::{print_repeats, write_csv};

/// The part of the document that `--repeats` adds.
#[derive(Serialize)]
pub struct JudgeRepeats {
    pub repeats: Vec<Json>,
    pub contrasts: Vec<Json>,
    /// Plain repeats beside rewordings; left out where nothing was reworded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retests: Vec<Json>,
}

impl JudgeRepeats {
    /// Compares the judgements of runs with distinct names.
    pub(crate) fn for_runs<'a>(
        runs: impl Iterator<Item = NamedRun<'a>>,
        plan: &BootstrapPlan,
    ) -> Self {
        let mut by_run: BTreeMap<&str, [Vec<&Judgement>; 2]> = BTreeMap::new();
        for run in runs {
            let Rubric { judgements, judge_tests, .. } = run.rubric;
            let (tests, plain): (Vec<&Judgement>, Vec<&Judgement>) =
                judgements.iter().chain(judge_tests).partition(|it| it.test.is_some());
            let [of_run, tests_of_run] = by_run.entry(run.name).or_default();
            of_run.extend(plain);
            tests_of_run.extend(tests);
        }
        let (mut repeats, mut contrasts, mut retests) = (vec![], vec![], vec![]);
        for (run, [judgements, tests]) in by_run {
            let found = stability::retests(judgements.iter().copied(), tests);
            retests.par_extend(found.par_iter().map(|it| retest_row(run, it, plan)));
            let groups = repeat_groups(judgements);
            let repeated: Vec<&RepeatGroup<'_>> =
                groups.iter().filter(|group| group.judgements.len() > 1).collect();
            repeats.par_extend(repeated.par_iter().map(|group| group_row(run, group, plan)));
            let pairs: Vec<(&RepeatGroup<'_>, &RepeatGroup<'_>)> =
                pairs_of_same_state(&groups).collect();
            let rows = pairs.par_iter().map(|(a, b)| contrast_row(run, a, b, plan));
            contrasts.par_extend(rows.filter(|row| row.number("compared") > Some(0.0)));
        }
        Self { repeats, contrasts, retests }
    }

    pub fn is_empty(&self) -> bool {
        self.repeats.is_empty() && self.contrasts.is_empty() && self.retests.is_empty()
    }
}

/// Returns every two of one state.
fn pairs_of_same_state<'g, 'a>(
    groups: &'g [RepeatGroup<'a>],
) -> impl Iterator<Item = (&'g RepeatGroup<'a>, &'g RepeatGroup<'a>)> {
    let numbered = groups.iter().enumerate();
    numbered
        .flat_map(|(at, a)| groups[at + 1..].iter().map(move |b| (a, b)))
        .filter(|(a, b)| a.state == b.state)
}

/// Returns the JSON of a judge's setup; `count` counts judgements.
fn judge_setup_row(group: &RepeatGroup<'_>) -> Json {
    record! { ..setup_record(&group.setup), count: group.judgements.len() }
}

fn setup_record(setup: &RepeatSetup) -> Json {
    record! {
        judge: setup.name,
        kind: setup.kind,
        model: setup.model,
        prompt_sha256: setup.prompt_sha256,
        budget: setup.budget,
        temperature: setup.temperature,
    }
}

/// Returns the JSON of a retest: `plain` are repeats of the prompt itself, `reworded` one judgement for each wording,
/// its own among them; both are null for fewer than two, and both are over the components with at least two levels on
/// each side. `shift` is the mean level of the rewordings less that of the prompt itself, over `shift_compared`
/// components.
fn retest_row(run: &str, retest: &Retest<'_>, plan: &BootstrapPlan) -> Json {
    let agreement = |it: RetestAgreement| {
        let RetestAgreement { judgements, compared, exact, within_1, alpha, icc } = it;
        let measures =
            [("exact", exact), ("within_1", within_1), ("alpha", alpha), ("icc_2_1", icc)];
        record! {
            count: judgements,
            compared: compared,
            ..measures_record(measures.into_iter()),
        }
    };
    let shift = retest.mean_shift(plan);
    let prompts = retest.reworded.iter().map(|it| Json::new(&it.judge.prompt_sha256));
    record! {
        run: run,
        ..setup_record(&retest.setup),
        commit: state_commit(&retest.state),
        turn: retest.turn,
        rewordings: prompts.collect::<Vec<_>>(),
        plain: retest.plain_agreement(plan).map(agreement),
        reworded: retest.reworded_agreement(plan).map(agreement),
        shift_compared: shift.compared,
        ..measures_record([("shift", shift.gap)].into_iter()),
    }
}

fn group_commit<'a>(group: &'a RepeatGroup<'_>) -> Option<&'a str> {
    state_commit(&group.state)
}

fn state_commit(state: &JudgedCodeState) -> Option<&str> {
    match state {
        JudgedCodeState::Commit(commit) => Some(commit),
        JudgedCodeState::Turn(_) => None,
    }
}

/// Returns the JSON of judgements of one run that are repeats of each other. `compared` counts the components that at
/// least two gave a score; the scores of a component and the `mcf` are in the order of the files.
fn group_row(run: &str, group: &RepeatGroup<'_>, plan: &BootstrapPlan) -> Json {
    let stability = Stability::for_repeats(&group.judgements, plan);
    let alpha = [("alpha", stability.alpha)];
    record! {
        run: run,
        ..judge_setup_row(group),
        commit: group_commit(group),
        turn: group.turn,
        rubric: group.setup.rubric,
        files: Json::list(&group.judgements, |it| Json::new(&it.file)),
        compared: stability.compared,
        ..measures_record(stability.shares.named_values().into_iter().chain(alpha)),
        base_rate: base_rate(&stability),
        mcf: Json::list(&stability.mcf, |it| Json::new(&it.ok())),
        mcf_mean: stability.mcf_mean.ok(),
        mcf_sd: stability.mcf_sd.ok(),
        mcf_range: stability.mcf_range,
        components: Json::list(&stability.components, component_row),
    }
}

/// Returns the share of each level among all scores; empty without scores.
fn base_rate(stability: &Stability) -> Vec<f64> {
    let all: Vec<u8> =
        stability.components.iter().flat_map(ComponentStability::known_scores).collect();
    if all.is_empty() {
        return vec![];
    }
    let share = |level: u8| all.iter().filter(|it| **it == level).count() as f64;
    (0..=FULL_SCORE).map(|level| share(level) / all.len() as f64).collect()
}

fn share_values(shares: &PairShares<NumberOrReason>) -> BTreeMap<&'static str, Option<f64>> {
    shares.named_values().into_iter().map(|(name, share)| (name, share.ok())).collect()
}

fn component_row(it: &ComponentStability) -> Json {
    record! {
        component: it.component,
        scores: it.scores,
        mode: it.mode,
        range: it.range,
        sd: it.sd.ok(),
        at_mode: it.at_mode.ok(),
        ..share_values(&it.shares),
        not_defined: it.shares.exact.err().map(|why| why.why()),
    }
}

/// Returns the JSON of a contrast: `exact_within_first` is the exact agreement within one side, for what of the
/// difference is only the draw; null without repeats. `compared` counts the components that both gave a score.
fn contrast_row(run: &str, a: &RepeatGroup<'_>, b: &RepeatGroup<'_>, plan: &BootstrapPlan) -> Json {
    let contrast = GroupContrast::between_groups(&a.judgements, &b.judgements, plan);
    let without = BootstrapPlan { resamples: 0, ..*plan };
    let within = |group: &RepeatGroup<'_>| {
        Stability::for_repeats(&group.judgements, &without).shares.exact.value.ok()
    };
    let measures = contrast.between.named_values().into_iter().chain([("gap", contrast.gap)]);
    record! {
        run: run,
        against: setup_difference(&a.setup, &b.setup).name(),
        commit: group_commit(a),
        turn: a.turn,
        first: judge_setup_row(a),
        second: judge_setup_row(b),
        compared: contrast.compared,
        exact_within_first: within(a),
        exact_within_second: within(b),
        ..measures_record(measures),
        components: Json::list(&contrast.components, contrast_component_row),
    }
}

/// Returns the JSON of a component: `differs` is true if the most frequent levels differ; `gap` is the mean of the
/// second less that of the first.
fn contrast_component_row(it: &ComponentContrast) -> Json {
    record! {
        component: it.component,
        first: it.first.scores,
        second: it.second.scores,
        differs: it.modes_differ(),
        gap: it.gap.ok(),
        exact: it.between.exact.ok(),
    }
}
