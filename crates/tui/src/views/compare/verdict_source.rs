//! The source of the verdicts of a comparison, and the intervals of the SLUMP numbers that follow from them.

use crate::session::pending::Loading;
use trajview_run::{
    find_by_name::JudgeSelection,
    pooled_judgements::PoolRequest,
    rubric::{Judgement, PoolMethod, PooledSources},
};
use trajview_study::{
    BootstrapPlan,
    compare::{self, EstimatedNumber, IntervalParts, Subtraction, run_letter},
};

use super::{ComparisonView, table};

/// The source of the verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum VerdictSource {
    /// A judge that all runs have, as the command chooses it.
    #[default]
    Chosen,
    Judge(String),
    /// The last judgement of each judge of a state.
    Pooled(PoolMethod),
}

impl VerdictSource {
    fn as_named(&self) -> Option<JudgeSelection> {
        match self {
            Self::Chosen => None,
            Self::Judge(name) => Some(JudgeSelection::Judge(name.clone())),
            Self::Pooled(pool) => Some(JudgeSelection::Judge(pooling_of(*pool).name())),
        }
    }
}

const fn pooling_of(pool: PoolMethod) -> PoolRequest {
    PoolRequest { pool, judge: None }
}

/// Returns the name of a judgement: its judge, or `mean of 3: gpt, opus, human`.
pub(crate) fn judgement_name(judgement: &Judgement) -> String {
    judgement
        .pooled
        .as_ref()
        .map_or_else(|| judgement.judge.name.clone(), PooledSources::summary_text)
}

/// Intervals of the two runs that are compared, and what they were computed of.
#[derive(Debug, Default)]
pub struct ComparisonIntervals {
    computed_for: Option<(IntervalParts, Subtraction)>,
    /// MCF, DIR and IF50; empty before the runs are read.
    pub estimates: Vec<EstimatedNumber>,
}

/// Chooses the next judge of these runs; after the last the first.
pub(super) fn next_judge(comparison: &mut ComparisonView) {
    let [a, _] = comparison.pair;
    let here = comparison.all_parties().get(a).and_then(|party| party.judgement());
    let here = here.filter(|it| it.pooled.is_none()).map(|it| it.judge.name.clone());
    let names = judge_names(comparison);
    let at = names.iter().position(|name| Some(name) == here.as_ref());
    let next = names.get(at.map_or(0, |at| (at + 1) % names.len())).cloned();
    comparison.notice = Some(match (next, names.len()) {
        (None, _) => "no judgements of these runs yet".into(),
        (Some(name), 1) if Some(&name) == here.as_ref() => {
            format!("{name} is the only judge of these runs")
        }
        (Some(name), _) => set_verdict_source(comparison, VerdictSource::Judge(name)),
    });
}

/// Switches to the next pooling of the judgements of each state: mean, median, strict majority; then to a single judge
/// again.
pub(super) fn next_pool(comparison: &mut ComparisonView) {
    let next = match comparison.verdict_source {
        VerdictSource::Chosen | VerdictSource::Judge(_) => PoolMethod::ALL.first().copied(),
        VerdictSource::Pooled(pool) => {
            PoolMethod::ALL.into_iter().skip_while(|it| *it != pool).nth(1)
        }
    };
    let next = next.map_or(VerdictSource::Chosen, VerdictSource::Pooled);
    comparison.notice = Some(set_verdict_source(comparison, next));
}

/// Judges with a score, in the order of the runs.
fn judge_names(comparison: &ComparisonView) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    let all = comparison.all_parties().iter().flat_map(|party| &party.rubric.judgements);
    let has_score = |it: &&Judgement| it.verdicts.iter().any(|it| it.score.is_some());
    for judgement in all.filter(|it| it.pooled.is_none()).filter(has_score) {
        if !names.contains(&judgement.judge.name) {
            names.push(judgement.judge.name.clone());
        }
    }
    names
}

/// Changes the source of the verdicts. Returns a sentence with the source, or with the reason why there is none.
fn set_verdict_source(comparison: &mut ComparisonView, speaks: VerdictSource) -> String {
    let Loading::Ready(parties) = &mut comparison.parties else {
        return "the runs are still being read".into();
    };
    parties.iter_mut().for_each(|party| party.rubric.remove_pooled());
    let mut pooled = vec![];
    if let VerdictSource::Pooled(pool) = speaks {
        pooled.extend(parties.iter_mut().map(|party| party.rubric.add_pooled(&pooling_of(pool))));
    }
    let has_pooled = pooled.is_empty() || pooled.iter().any(Result::is_ok);
    comparison.verdict_source = if has_pooled { speaks } else { VerdictSource::Chosen };
    compare::choose_judge(parties, comparison.verdict_source.as_named().as_ref());
    comparison.table.rows = table::party_rows(parties);
    comparison.code.forget_places();
    comparison.forget_corrections();
    comparison.sort_again();
    comparison.list_losses();
    match pooled.into_iter().find_map(Result::err).filter(|_| !has_pooled) {
        Some(why) => why,
        None => source_text(comparison),
    }
}

/// Returns `a by mean of 2: gpt, opus; b by mean of 2: gpt, opus`, once where both are the same.
fn source_text(comparison: &ComparisonView) -> String {
    let of = |run: usize| comparison.all_parties().get(run)?.judgement().map(judgement_name);
    let [a, b] = comparison.pair;
    let judge_name = |name: Option<String>| name.unwrap_or_else(|| "nobody".into());
    match (of(a), of(b)) {
        (one, other) if one == other => format!("both runs by {}", judge_name(one)),
        (one, other) => {
            format!(
                "{} by {}, {} by {}",
                run_letter(a),
                judge_name(one),
                run_letter(b),
                judge_name(other)
            )
        }
    }
}

/// Draws the intervals again where what they are of is another.
pub(super) fn settle_intervals(comparison: &mut ComparisonView) {
    if comparison.not_compared().is_some() {
        comparison.intervals = ComparisonIntervals::default();
        return;
    }
    let by = comparison.subtraction();
    let Some(parts) = comparison.compared_parties().map(IntervalParts::for_pair) else { return };
    if comparison.intervals.computed_for.as_ref() != Some(&(parts.clone(), by)) {
        comparison.intervals.estimates =
            parts.number_intervals(by, &BootstrapPlan::default()).to_vec();
        comparison.intervals.computed_for = Some((parts, by));
    }
}
