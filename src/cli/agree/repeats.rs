//! `agree --repeats`: how steady each judge is over its repeats, and one prompt or judge against another of the same
//! state of the code.

mod tables;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use trajview_run::rubric::{FULL_SCORE, Judgement};
use trajview_study::{
    BootstrapPlan, Estimate, NumberOrReason,
    stability::{
        ComponentContrast, ComponentStability, GroupContrast, JudgedCodeState, PairShares,
        RepeatGroup, Stability, repeat_groups, setup_difference,
    },
};

use super::inputs::NamedRun;

pub use tables::{print_repeats, write_csv};

/// The part of the document that `--repeats` adds.
#[derive(Serialize)]
pub struct JudgeRepeats {
    pub repeats: Vec<RepeatGroupRow>,
    pub contrasts: Vec<ContrastRow>,
}

/// Judgements of one run that are repeats of each other.
#[derive(Serialize)]
pub struct RepeatGroupRow {
    pub run: String,
    #[serde(flatten)]
    pub who: JudgeSetupRow,
    pub commit: Option<String>,
    /// Counts from 1.
    pub turn: Option<usize>,
    pub rubric: Option<String>,
    /// Files of the judgements, in the order of the scores below.
    pub files: Vec<String>,
    /// Components that at least two gave a score.
    pub compared: usize,
    #[serde(flatten)]
    pub measures: RepeatMeasures,
    /// Share of each level among all scores; empty without scores.
    pub base_rate: Vec<f64>,
    /// Mean component fidelity of each.
    pub mcf: Vec<Option<f64>>,
    pub mcf_mean: Option<f64>,
    pub mcf_sd: Option<f64>,
    pub mcf_range: Option<(f64, f64)>,
    pub components: Vec<RepeatComponentRow>,
}

/// One side of a contrast.
#[derive(Serialize, Clone)]
pub struct JudgeSetupRow {
    pub judge: String,
    pub kind: String,
    pub model: Option<String>,
    pub prompt_sha256: Option<String>,
    pub budget: Option<u32>,
    pub temperature: Option<f64>,
    /// Judgements.
    pub count: usize,
}

/// Numbers by name, those that are not defined null and with why.
#[derive(Serialize)]
pub struct RepeatMeasures {
    #[serde(flatten)]
    pub values: BTreeMap<&'static str, Option<f64>>,
    pub ci95: BTreeMap<&'static str, Option<[f64; 2]>>,
    pub not_defined: BTreeMap<&'static str, &'static str>,
    pub ci95_not_defined: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
pub struct RepeatComponentRow {
    pub component: String,
    pub scores: Vec<Option<u8>>,
    pub mode: Option<u8>,
    pub range: Option<(u8, u8)>,
    pub sd: Option<f64>,
    pub at_mode: Option<f64>,
    #[serde(flatten)]
    pub shares: BTreeMap<&'static str, Option<f64>>,
    /// The reason why the null values are not defined.
    pub not_defined: Option<&'static str>,
}

#[derive(Serialize)]
pub struct ContrastRow {
    pub run: String,
    /// `prompt`, `judge` or `settings`.
    pub against: &'static str,
    /// The same for people.
    #[serde(skip)]
    pub words: &'static str,
    pub commit: Option<String>,
    pub turn: Option<usize>,
    pub first: JudgeSetupRow,
    pub second: JudgeSetupRow,
    /// Components that both gave a score.
    pub compared: usize,
    /// Exact agreement within each, for what of the difference is only the draw; null without repeats.
    pub exact_within_first: Option<f64>,
    pub exact_within_second: Option<f64>,
    #[serde(flatten)]
    pub measures: RepeatMeasures,
    pub components: Vec<ContrastComponentRow>,
}

#[derive(Serialize)]
pub struct ContrastComponentRow {
    pub component: String,
    pub first: Vec<Option<u8>>,
    pub second: Vec<Option<u8>>,
    /// True if the most frequent levels differ.
    pub differs: Option<bool>,
    /// Mean of the second less mean of the first.
    pub gap: Option<f64>,
    pub exact: Option<f64>,
}

impl JudgeRepeats {
    /// Compares the judgements of runs with distinct names.
    pub(crate) fn for_runs<'a>(
        runs: impl Iterator<Item = NamedRun<'a>>,
        plan: &BootstrapPlan,
    ) -> Self {
        let mut by_run: BTreeMap<&str, Vec<&Judgement>> = BTreeMap::new();
        for run in runs {
            by_run.entry(run.name).or_default().extend(&run.rubric.judgements);
        }
        let (mut repeats, mut contrasts) = (vec![], vec![]);
        for (run, judgements) in by_run {
            let groups = repeat_groups(judgements);
            let repeated: Vec<&RepeatGroup<'_>> =
                groups.iter().filter(|group| group.judgements.len() > 1).collect();
            repeats.par_extend(repeated.par_iter().map(|group| group_row(run, group, plan)));
            let pairs: Vec<(&RepeatGroup<'_>, &RepeatGroup<'_>)> =
                pairs_of_same_state(&groups).collect();
            let rows = pairs.par_iter().map(|(a, b)| contrast_row(run, a, b, plan));
            contrasts.par_extend(rows.filter(|row| row.compared > 0));
        }
        Self { repeats, contrasts }
    }

    pub fn is_empty(&self) -> bool {
        self.repeats.is_empty() && self.contrasts.is_empty()
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

fn judge_setup_row(group: &RepeatGroup<'_>) -> JudgeSetupRow {
    let setup = group.setup.clone();
    JudgeSetupRow {
        judge: setup.name,
        kind: setup.kind,
        model: setup.model,
        prompt_sha256: setup.prompt_sha256,
        budget: setup.budget,
        temperature: setup.temperature,
        count: group.judgements.len(),
    }
}

fn group_commit(group: &RepeatGroup<'_>) -> Option<String> {
    match &group.state {
        JudgedCodeState::Commit(commit) => Some(commit.clone()),
        JudgedCodeState::Turn(_) => None,
    }
}

fn group_row(run: &str, group: &RepeatGroup<'_>, plan: &BootstrapPlan) -> RepeatGroupRow {
    let stability = Stability::for_repeats(&group.judgements, plan);
    let alpha = [("alpha", stability.alpha)];
    RepeatGroupRow {
        run: run.to_owned(),
        who: judge_setup_row(group),
        commit: group_commit(group),
        turn: group.turn,
        rubric: group.setup.rubric.clone(),
        files: group.judgements.iter().map(|it| it.file.clone()).collect(),
        compared: stability.compared,
        measures: RepeatMeasures::from_estimates(
            stability.shares.named_values().into_iter().chain(alpha),
        ),
        base_rate: base_rate(&stability),
        mcf: stability.mcf.iter().map(|it| it.ok()).collect(),
        mcf_mean: stability.mcf_mean.ok(),
        mcf_sd: stability.mcf_sd.ok(),
        mcf_range: stability.mcf_range,
        components: stability.components.iter().map(component_row).collect(),
    }
}

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

fn component_row(it: &ComponentStability) -> RepeatComponentRow {
    RepeatComponentRow {
        component: it.component.clone(),
        scores: it.scores.clone(),
        mode: it.mode,
        range: it.range,
        sd: it.sd.ok(),
        at_mode: it.at_mode.ok(),
        shares: share_values(&it.shares),
        not_defined: it.shares.exact.err().map(|why| why.why()),
    }
}

fn contrast_row(
    run: &str,
    a: &RepeatGroup<'_>,
    b: &RepeatGroup<'_>,
    plan: &BootstrapPlan,
) -> ContrastRow {
    let contrast = GroupContrast::between_groups(&a.judgements, &b.judgements, plan);
    let without = BootstrapPlan { resamples: 0, ..*plan };
    let within = |group: &RepeatGroup<'_>| {
        Stability::for_repeats(&group.judgements, &without).shares.exact.value.ok()
    };
    let kind = setup_difference(&a.setup, &b.setup);
    ContrastRow {
        run: run.to_owned(),
        against: kind.name(),
        words: kind.display_text(),
        commit: group_commit(a),
        turn: a.turn,
        first: judge_setup_row(a),
        second: judge_setup_row(b),
        compared: contrast.compared,
        exact_within_first: within(a),
        exact_within_second: within(b),
        measures: RepeatMeasures::from_estimates(
            contrast.between.named_values().into_iter().chain([("gap", contrast.gap)]),
        ),
        components: contrast.components.iter().map(contrast_component_row).collect(),
    }
}

fn contrast_component_row(it: &ComponentContrast) -> ContrastComponentRow {
    ContrastComponentRow {
        component: it.component.clone(),
        first: it.first.scores.clone(),
        second: it.second.scores.clone(),
        differs: it.modes_differ(),
        gap: it.gap.ok(),
        exact: it.between.exact.ok(),
    }
}

impl RepeatMeasures {
    fn from_estimates(estimates: impl Iterator<Item = (&'static str, Estimate)>) -> Self {
        let estimates: Vec<_> = estimates.collect();
        let ends = |it: &Estimate| it.interval.ok().map(|it| [it.low, it.high]);
        let with_reason =
            |name: &&'static str, why: Option<trajview_study::Undefined>| Some((*name, why?.why()));
        Self {
            values: estimates.iter().map(|(name, it)| (*name, it.value.ok())).collect(),
            ci95: estimates.iter().map(|(name, it)| (*name, ends(it))).collect(),
            not_defined: estimates
                .iter()
                .filter_map(|(name, it)| with_reason(name, it.value.err()))
                .collect(),
            ci95_not_defined: estimates
                .iter()
                .filter(|(_, it)| it.value.is_ok())
                .filter_map(|(name, it)| with_reason(name, it.interval.err()))
                .collect(),
        }
    }

    /// Returns value and interval. Both are None for an unknown name.
    pub fn get(&self, name: &str) -> (Option<f64>, Option<[f64; 2]>) {
        let flat = |it: Option<&Option<[f64; 2]>>| it.copied().flatten();
        (self.values.get(name).copied().flatten(), flat(self.ci95.get(name)))
    }
}
