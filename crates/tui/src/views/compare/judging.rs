//! Whose verdicts the comparison goes by, and how sure the numbers of SLUMP are that come of it.

use crate::session::ask::Loading;
use trajview_run::{
    named::Named,
    pooled::Pooling,
    rubric::{Judgement, Pool, Pooled},
};
use trajview_study::{
    Plan,
    compare::{self, Estimated, Parts, Subtraction, letter},
};

use super::{Comparison, table};

/// Whose verdicts speak.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Speaks {
    /// A judge that all runs have, as the command chooses it.
    #[default]
    Chosen,
    Judge(String),
    /// The last judgement of each judge of a state.
    Pooled(Pool),
}

impl Speaks {
    fn named(&self) -> Option<Named> {
        match self {
            Self::Chosen => None,
            Self::Judge(name) => Some(Named::Judge(name.clone())),
            Self::Pooled(pool) => Some(Named::Judge(pooling(*pool).name())),
        }
    }
}

const fn pooling(pool: Pool) -> Pooling {
    Pooling { pool, judge: None }
}

/// What a judgement is called where it speaks: its judge, or `mean of 3: gpt, opus, human`.
pub fn called(judgement: &Judgement) -> String {
    judgement.pooled.as_ref().map_or_else(|| judgement.judge.name.clone(), Pooled::words)
}

/// Intervals of the two runs that are compared, and what they were computed of.
#[derive(Debug, Default)]
pub struct Intervals {
    of: Option<(Parts, Subtraction)>,
    /// MCF, DIR and IF50; empty before the runs are read.
    pub found: Vec<Estimated>,
}

/// The next judge of these runs, or who speaks first.
pub(super) fn next_judge(comparison: &mut Comparison) {
    let [a, _] = comparison.pair;
    let here = comparison.all().get(a).and_then(|party| party.judgement());
    let here = here.filter(|it| it.pooled.is_none()).map(|it| it.judge.name.clone());
    let names = judges(comparison);
    let at = names.iter().position(|name| Some(name) == here.as_ref());
    let next = names.get(at.map_or(0, |at| (at + 1) % names.len())).cloned();
    comparison.notice = Some(match (next, names.len()) {
        (None, _) => "nothing has judged these runs yet".into(),
        (Some(name), 1) if Some(&name) == here.as_ref() => {
            format!("{name} is the one judge of these runs")
        }
        (Some(name), _) => go_by(comparison, Speaks::Judge(name)),
    });
}

/// The mean, the median, a strict majority of the judgements of each state; then each alone again.
pub(super) fn next_pool(comparison: &mut Comparison) {
    let next = match comparison.speaks {
        Speaks::Chosen | Speaks::Judge(_) => Pool::ALL.first().copied(),
        Speaks::Pooled(pool) => Pool::ALL.into_iter().skip_while(|it| *it != pool).nth(1),
    };
    let next = next.map_or(Speaks::Chosen, Speaks::Pooled);
    comparison.notice = Some(go_by(comparison, next));
}

/// Judges with a score, in the order of the runs.
fn judges(comparison: &Comparison) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    let all = comparison.all().iter().flat_map(|party| &party.rubric.judgements);
    let has_score = |it: &&Judgement| it.verdicts.iter().any(|it| it.score.is_some());
    for judgement in all.filter(|it| it.pooled.is_none()).filter(has_score) {
        if !names.contains(&judgement.judge.name) {
            names.push(judgement.judge.name.clone());
        }
    }
    names
}

/// Lets somebody else speak. Says who, or why nobody does.
fn go_by(comparison: &mut Comparison, speaks: Speaks) -> String {
    let Loading::Ready(parties) = &mut comparison.parties else {
        return "the runs are still being read".into();
    };
    parties.iter_mut().for_each(|party| party.rubric.unpool());
    let mut pooled = vec![];
    if let Speaks::Pooled(pool) = speaks {
        pooled.extend(parties.iter_mut().map(|party| party.rubric.pool(&pooling(pool))));
    }
    let has_pooled = pooled.is_empty() || pooled.iter().any(Result::is_ok);
    comparison.speaks = if has_pooled { speaks } else { Speaks::Chosen };
    compare::choose_judge(parties, comparison.speaks.named().as_ref());
    comparison.table.rows = table::rows_of(parties);
    comparison.code.forget_places();
    comparison.sort_again();
    match pooled.into_iter().find_map(Result::err).filter(|_| !has_pooled) {
        Some(why) => why,
        None => who_speaks(comparison),
    }
}

/// `a by mean of 2: gpt, opus; b by mean of 2: gpt, opus`, once where it is the same.
fn who_speaks(comparison: &Comparison) -> String {
    let of = |run: usize| comparison.all().get(run)?.judgement().map(called);
    let [a, b] = comparison.pair;
    let told = |name: Option<String>| name.unwrap_or_else(|| "nobody".into());
    match (of(a), of(b)) {
        (one, other) if one == other => format!("both runs by {}", told(one)),
        (one, other) => {
            format!("{} by {}, {} by {}", letter(a), told(one), letter(b), told(other))
        }
    }
}

/// Draws the intervals again where what they are of is another.
pub(super) fn settle_intervals(comparison: &mut Comparison) {
    let by = comparison.subtraction();
    let Some(parts) = comparison.sides().map(Parts::of) else { return };
    if comparison.intervals.of.as_ref() != Some(&(parts.clone(), by)) {
        comparison.intervals.found = parts.intervals(by, &Plan::default()).to_vec();
        comparison.intervals.of = Some((parts, by));
    }
}
