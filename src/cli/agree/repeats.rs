//! `agree --repeats`: how steady each judge is over its repeats, and one prompt or judge against another of the same
//! state of the code.

mod tables;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use trajview_run::rubric::{FULL, Judgement};
use trajview_study::{
    Estimate, Plan, Value,
    stability::{
        Contrast, Contrasted, Group, Shares, Stability, State, Steadiness, against, groups,
    },
};

use super::gather::NamedRun;

pub use tables::{csv, print};

/// Added to the document where it was asked for.
#[derive(Serialize)]
pub struct Repeats {
    pub repeats: Vec<GroupRow>,
    pub contrasts: Vec<ContrastRow>,
}

/// Judgements of one run that are repeats of each other.
#[derive(Serialize)]
pub struct GroupRow {
    pub run: String,
    #[serde(flatten)]
    pub who: Who,
    pub commit: Option<String>,
    /// Counts from 1.
    pub turn: Option<usize>,
    pub rubric: Option<String>,
    /// In the order of the scores below.
    pub files: Vec<String>,
    /// Components that at least two gave a score.
    pub compared: usize,
    #[serde(flatten)]
    pub measures: Measures,
    /// Share of each level among all scores; empty without scores.
    pub base_rate: Vec<f64>,
    /// Mean component fidelity of each.
    pub mcf: Vec<Option<f64>>,
    pub mcf_mean: Option<f64>,
    pub mcf_sd: Option<f64>,
    pub mcf_range: Option<(f64, f64)>,
    pub components: Vec<ComponentRow>,
}

/// One side of a contrast.
#[derive(Serialize, Clone)]
pub struct Who {
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
pub struct Measures {
    #[serde(flatten)]
    pub values: BTreeMap<&'static str, Option<f64>>,
    pub ci95: BTreeMap<&'static str, Option<[f64; 2]>>,
    pub not_defined: BTreeMap<&'static str, &'static str>,
    pub ci95_not_defined: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
pub struct ComponentRow {
    pub component: String,
    pub scores: Vec<Option<u8>>,
    pub mode: Option<u8>,
    pub range: Option<(u8, u8)>,
    pub sd: Option<f64>,
    pub at_mode: Option<f64>,
    #[serde(flatten)]
    pub shares: BTreeMap<&'static str, Option<f64>>,
    /// Why what is null is not defined.
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
    pub first: Who,
    pub second: Who,
    /// Components that both gave a score.
    pub compared: usize,
    /// Exact agreement within each, for what of the difference is only the draw; null without repeats.
    pub exact_within_first: Option<f64>,
    pub exact_within_second: Option<f64>,
    #[serde(flatten)]
    pub measures: Measures,
    pub components: Vec<ContrastedRow>,
}

#[derive(Serialize)]
pub struct ContrastedRow {
    pub component: String,
    pub first: Vec<Option<u8>>,
    pub second: Vec<Option<u8>>,
    /// Whether the levels given most often differ.
    pub differs: Option<bool>,
    /// Mean of the second less mean of the first.
    pub gap: Option<f64>,
    pub exact: Option<f64>,
}

impl Repeats {
    /// Of runs that each have a name of their own.
    pub fn of<'a>(runs: impl Iterator<Item = NamedRun<'a>>, plan: &Plan) -> Self {
        let mut by_run: BTreeMap<&str, Vec<&Judgement>> = BTreeMap::new();
        for run in runs {
            by_run.entry(run.name).or_default().extend(&run.rubric.judgements);
        }
        let (mut repeats, mut contrasts) = (vec![], vec![]);
        for (run, judgements) in by_run {
            let groups = groups(judgements);
            let repeated: Vec<&Group<'_>> =
                groups.iter().filter(|group| group.judgements.len() > 1).collect();
            repeats.par_extend(repeated.par_iter().map(|group| group_row(run, group, plan)));
            let pairs: Vec<(&Group<'_>, &Group<'_>)> = pairs(&groups).collect();
            let rows = pairs.par_iter().map(|(a, b)| contrast_row(run, a, b, plan));
            contrasts.par_extend(rows.filter(|row| row.compared > 0));
        }
        Self { repeats, contrasts }
    }

    pub fn is_empty(&self) -> bool {
        self.repeats.is_empty() && self.contrasts.is_empty()
    }
}

/// Every two of one state.
fn pairs<'g, 'a>(groups: &'g [Group<'a>]) -> impl Iterator<Item = (&'g Group<'a>, &'g Group<'a>)> {
    let numbered = groups.iter().enumerate();
    numbered
        .flat_map(|(at, a)| groups[at + 1..].iter().map(move |b| (a, b)))
        .filter(|(a, b)| a.state == b.state)
}

fn who(group: &Group<'_>) -> Who {
    let setup = group.setup.clone();
    Who {
        judge: setup.name,
        kind: setup.kind,
        model: setup.model,
        prompt_sha256: setup.prompt_sha256,
        budget: setup.budget,
        temperature: setup.temperature,
        count: group.judgements.len(),
    }
}

fn commit(group: &Group<'_>) -> Option<String> {
    match &group.state {
        State::Commit(commit) => Some(commit.clone()),
        State::Turn(_) => None,
    }
}

fn group_row(run: &str, group: &Group<'_>, plan: &Plan) -> GroupRow {
    let stability = Stability::of(&group.judgements, plan);
    let alpha = [("alpha", stability.alpha)];
    GroupRow {
        run: run.to_owned(),
        who: who(group),
        commit: commit(group),
        turn: group.turn,
        rubric: group.setup.rubric.clone(),
        files: group.judgements.iter().map(|it| it.file.clone()).collect(),
        compared: stability.compared,
        measures: Measures::of(stability.shares.named().into_iter().chain(alpha)),
        base_rate: base_rate(&stability),
        mcf: stability.mcf.iter().map(|it| it.ok()).collect(),
        mcf_mean: stability.mcf_mean.ok(),
        mcf_sd: stability.mcf_sd.ok(),
        mcf_range: stability.mcf_range,
        components: stability.components.iter().map(component_row).collect(),
    }
}

fn base_rate(stability: &Stability) -> Vec<f64> {
    let all: Vec<u8> = stability.components.iter().flat_map(Steadiness::given).collect();
    if all.is_empty() {
        return vec![];
    }
    let share = |level: u8| all.iter().filter(|it| **it == level).count() as f64;
    (0..=FULL).map(|level| share(level) / all.len() as f64).collect()
}

fn known(shares: &Shares<Value>) -> BTreeMap<&'static str, Option<f64>> {
    shares.named().into_iter().map(|(name, share)| (name, share.ok())).collect()
}

fn component_row(it: &Steadiness) -> ComponentRow {
    ComponentRow {
        component: it.component.clone(),
        scores: it.scores.clone(),
        mode: it.mode,
        range: it.range,
        sd: it.sd.ok(),
        at_mode: it.at_mode.ok(),
        shares: known(&it.shares),
        not_defined: it.shares.exact.err().map(|why| why.why()),
    }
}

fn contrast_row(run: &str, a: &Group<'_>, b: &Group<'_>, plan: &Plan) -> ContrastRow {
    let contrast = Contrast::of(&a.judgements, &b.judgements, plan);
    let without = Plan { resamples: 0, ..*plan };
    let within =
        |group: &Group<'_>| Stability::of(&group.judgements, &without).shares.exact.value.ok();
    let kind = against(&a.setup, &b.setup);
    ContrastRow {
        run: run.to_owned(),
        against: kind.name(),
        words: kind.words(),
        commit: commit(a),
        turn: a.turn,
        first: who(a),
        second: who(b),
        compared: contrast.compared,
        exact_within_first: within(a),
        exact_within_second: within(b),
        measures: Measures::of(contrast.between.named().into_iter().chain([("gap", contrast.gap)])),
        components: contrast.components.iter().map(contrasted_row).collect(),
    }
}

fn contrasted_row(it: &Contrasted) -> ContrastedRow {
    ContrastedRow {
        component: it.component.clone(),
        first: it.first.scores.clone(),
        second: it.second.scores.clone(),
        differs: it.differs(),
        gap: it.gap.ok(),
        exact: it.between.exact.ok(),
    }
}

impl Measures {
    fn of(estimates: impl Iterator<Item = (&'static str, Estimate)>) -> Self {
        let estimates: Vec<_> = estimates.collect();
        let ends = |it: &Estimate| it.interval.ok().map(|it| [it.low, it.high]);
        let of =
            |name: &&'static str, why: Option<trajview_study::Undefined>| Some((*name, why?.why()));
        Self {
            values: estimates.iter().map(|(name, it)| (*name, it.value.ok())).collect(),
            ci95: estimates.iter().map(|(name, it)| (*name, ends(it))).collect(),
            not_defined: estimates
                .iter()
                .filter_map(|(name, it)| of(name, it.value.err()))
                .collect(),
            ci95_not_defined: estimates
                .iter()
                .filter(|(_, it)| it.value.is_ok())
                .filter_map(|(name, it)| of(name, it.interval.err()))
                .collect(),
        }
    }

    /// (value, interval); for a name that is not there neither.
    pub fn get(&self, name: &str) -> (Option<f64>, Option<[f64; 2]>) {
        let flat = |it: Option<&Option<[f64; 2]>>| it.copied().flatten();
        (self.values.get(name).copied().flatten(), flat(self.ci95.get(name)))
    }
}
