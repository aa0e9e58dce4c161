//! Two judgements held against each other: which two, and how far they agree.

use std::sync::Arc;

use crate::{session::Session, views::scores::judges::Judges};
use trajview_run::rubric::Rubric;
use trajview_study::{
    Coefficient, Estimate, Plan, Ratings, Scale,
    agreement::trust::Doubt,
    stability::{Against, against},
};

use super::{Side, columns::Column};

/// What is measured of two.
pub const MEASURES: [Coefficient; 3] =
    [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic];

/// Pairs that are drawn in all for the intervals; see [`plan`].
const MOST_DRAWN: usize = 400_000;

/// Resamples that an interval has at least.
const FEWEST: usize = 999;

/// That of `agree`, with fewer resamples for very many pairs.
fn plan(pairs: usize) -> Plan {
    let plan = Plan::default();
    let affordable = (MOST_DRAWN / pairs.max(1)).max(FEWEST);
    Plan { resamples: plan.resamples.min(affordable), ..plan }
}

/// How far the two that are chosen agree, kept until they or the judgements change.
#[derive(Debug, Clone)]
pub struct Measured {
    files: [String; 2],
    rubric: Arc<Rubric>,
    /// Components that both gave a score.
    pub n: usize,
    /// One for each of [`MEASURES`].
    pub estimates: Vec<(Coefficient, Estimate)>,
    /// Why the interval of kappa cannot be trusted.
    pub doubt: Option<Doubt>,
    /// Share of each level, of the first and of the second; empty without pairs.
    pub base_rates: [Vec<f64>; 2],
}

/// What the comparison of two columns is, in words.
pub fn kind(a: &Column, b: &Column) -> &'static str {
    match against(&a.setup, &b.setup) {
        Against::Repeat if a.state != b.state => "turn against turn",
        kind => kind.words(),
    }
}

/// Every two of one state: judge against judge first, then prompts, settings and repeats; where there are none, two of
/// one judge at different turns, and then any.
pub fn pairs(columns: &[Column]) -> Vec<[Column; 2]> {
    let every: Vec<[Column; 2]> = columns
        .iter()
        .enumerate()
        .flat_map(|(at, a)| columns[at + 1..].iter().map(move |b| [a.clone(), b.clone()]))
        .collect();
    let rank = |[a, b]: &[Column; 2]| {
        let kind = match against(&a.setup, &b.setup) {
            Against::Judge => 0,
            Against::Prompt => 1,
            Against::Settings => 2,
            Against::Repeat => 3,
        };
        (a.state != b.state, kind)
    };
    let mut ranked = every;
    ranked.sort_by_key(rank);
    let has_same_state = ranked.first().is_some_and(|[a, b]| a.state == b.state);
    let is_worth = |[a, b]: &[Column; 2]| {
        !has_same_state || a.state == b.state || kind(a, b) == "turn against turn"
    };
    ranked.retain(is_worth);
    ranked
}

impl Judges {
    /// How far the two that are chosen agree; None where there are no two.
    pub fn pair_measured(&self) -> Option<&Measured> {
        self.measured.as_ref()
    }

    /// Measures anew where something changed. The draws are those of `agree`, so that both say the same.
    ///
    /// This is done at once and not by a worker: the pairs that are drawn in all are bounded by [`MOST_DRAWN`], so that
    /// it takes a few milliseconds. Checklists of more than 40 components have fewer resamples for it.
    pub(super) fn measure_pair(&mut self, session: &mut Session) {
        let rubric = session.rubric.shared().cloned();
        let sides = Side::ALL.map(|side| self.side_column(session, side));
        let (Some(rubric), [Some(a), Some(b)]) = (rubric, sides) else {
            self.measured = None;
            return;
        };
        let files = [a.file.clone(), b.file.clone()];
        let is_known = |it: &Measured| it.files == files && Arc::ptr_eq(&it.rubric, &rubric);
        if self.measured.as_ref().is_some_and(is_known) {
            return;
        }
        let [Some(a), Some(b)] = [self.judgement_of(session, &a), self.judgement_of(session, &b)]
        else {
            return;
        };
        let scores: Vec<(f64, f64)> = a
            .verdicts
            .iter()
            .filter_map(|verdict| {
                let other = b.of(&verdict.component)?.score?;
                Some((f64::from(verdict.score?), f64::from(other)))
            })
            .collect();
        let ratings = Ratings::new(Scale::default(), &scores);
        let table = ratings.table();
        let (first, second) = table.base_rates();
        self.measured = Some(Measured {
            n: ratings.len(),
            estimates: ratings.estimates(&MEASURES, &plan(ratings.len())),
            doubt: table.doubt(),
            base_rates: [first, second],
            files,
            rubric,
        });
    }
}
