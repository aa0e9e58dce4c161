//! Selects the two judgements to compare and computes their agreement.

use std::sync::Arc;

use crate::{session::Session, views::scores::judges::JudgesView};
use trajview_run::rubric::Rubric;
use trajview_study::{
    BootstrapPlan, Coefficient, Estimate, RatingScale, Ratings,
    agreement::interval_doubt::IntervalDoubt,
    stability::{SetupDifference, setup_difference},
};

use super::{JudgeSide, columns::JudgementColumn};

/// The coefficients that are computed for two judgements.
pub(crate) const PAIR_MEASURES: [Coefficient; 4] =
    [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic, Coefficient::Icc21];

/// Pairs that are drawn in all for the intervals; see [`bootstrap_plan`].
const MOST_PAIRS_DRAWN: usize = 400_000;

/// Resamples that an interval has at least.
const FEWEST_RESAMPLES: usize = 999;

/// Returns the plan of the command `agree`, with fewer resamples for very many pairs.
fn bootstrap_plan(pairs: usize) -> BootstrapPlan {
    let plan = BootstrapPlan::default();
    let affordable = (MOST_PAIRS_DRAWN / pairs.max(1)).max(FEWEST_RESAMPLES);
    BootstrapPlan { resamples: plan.resamples.min(affordable), ..plan }
}

/// The agreement of the two chosen judgements, cached until they or the judgements change.
#[derive(Debug, Clone)]
pub struct MeasuredPair {
    files: [String; 2],
    rubric: Arc<Rubric>,
    /// Components that both gave a score.
    pub pair_count: usize,
    /// One for each of [`PAIR_MEASURES`].
    pub estimates: Vec<(Coefficient, Estimate)>,
    /// The reason why the interval of kappa is not reliable.
    pub doubt: Option<IntervalDoubt>,
    /// Share of each level, of the first and of the second; empty without pairs.
    pub base_rates: [Vec<f64>; 2],
}

/// Returns a description of the comparison of two columns.
pub(crate) fn comparison_kind(a: &JudgementColumn, b: &JudgementColumn) -> &'static str {
    match setup_difference(&a.setup, &b.setup) {
        SetupDifference::Repeat if a.state != b.state => "turn against turn",
        kind => kind.display_text(),
    }
}

/// Returns all pairs of judgements of one state: pairs of different judges first, then of prompts, settings and
/// repeats. If there are none, returns two of one judge at different turns, and then any pairs.
pub(crate) fn comparable_pairs(columns: &[JudgementColumn]) -> Vec<[JudgementColumn; 2]> {
    let every: Vec<[JudgementColumn; 2]> = columns
        .iter()
        .enumerate()
        .flat_map(|(at, a)| columns[at + 1..].iter().map(move |b| [a.clone(), b.clone()]))
        .collect();
    let rank = |[a, b]: &[JudgementColumn; 2]| {
        let kind = match setup_difference(&a.setup, &b.setup) {
            SetupDifference::Judge => 0,
            SetupDifference::Prompt => 1,
            SetupDifference::Settings => 2,
            SetupDifference::Repeat => 3,
        };
        (a.state != b.state, kind)
    };
    let mut ranked = every;
    ranked.sort_by_key(rank);
    let has_same_state = ranked.first().is_some_and(|[a, b]| a.state == b.state);
    let is_worth = |[a, b]: &[JudgementColumn; 2]| {
        !has_same_state || a.state == b.state || comparison_kind(a, b) == "turn against turn"
    };
    ranked.retain(is_worth);
    ranked
}

impl JudgesView {
    /// Returns the agreement of the two chosen judgements. None if there are no two.
    pub(crate) fn pair_measured(&self) -> Option<&MeasuredPair> {
        self.measured.as_ref()
    }

    /// Computes the agreement again if something changed. The draws are the same as in the command `agree`, so that
    /// both give the same result.
    ///
    /// The computation runs directly and not in a worker: the number of drawn pairs is bounded by [`MOST_PAIRS_DRAWN`],
    /// so that it takes a few milliseconds. Checklists of more than 40 components therefore have fewer resamples.
    pub(super) fn measure_pair(&mut self, session: &mut Session) {
        let rubric = session.rubric.shared_rubric().cloned();
        let sides = JudgeSide::ALL.map(|side| self.side_column(session, side));
        let (Some(rubric), [Some(a), Some(b)]) = (rubric, sides) else {
            self.measured = None;
            return;
        };
        let files = [a.file.clone(), b.file.clone()];
        let is_known = |it: &MeasuredPair| it.files == files && Arc::ptr_eq(&it.rubric, &rubric);
        if self.measured.as_ref().is_some_and(is_known) {
            return;
        }
        let [Some(a), Some(b)] =
            [self.column_judgement(session, &a), self.column_judgement(session, &b)]
        else {
            return;
        };
        let scores: Vec<(f64, f64)> = a
            .verdicts
            .iter()
            .filter_map(|verdict| {
                let other = b.verdict_on(&verdict.component)?.score?;
                Some((f64::from(verdict.score?), f64::from(other)))
            })
            .collect();
        let ratings = Ratings::new(RatingScale::default(), &scores);
        let table = ratings.confusion_table();
        let (first, second) = table.base_rates();
        self.measured = Some(MeasuredPair {
            pair_count: ratings.len(),
            estimates: ratings
                .estimate_coefficients(&PAIR_MEASURES, &bootstrap_plan(ratings.len())),
            doubt: table.interval_doubt(),
            base_rates: [first, second],
            files,
            rubric,
        });
    }
}
