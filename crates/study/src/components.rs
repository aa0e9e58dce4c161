//! Two conditions at the level of components: each component of a task under both, tasks as clusters.
//!
//! Components of one task are not independent: the interval over components takes them as if they were, the one over
//! tasks draws tasks whole, and the mixed model ([`super::mixed`]) gives each task an intercept of its own. They stand
//! side by side; with few tasks none of them says much.

use trajview_metrics::Better;
use trajview_run::{rubric::SEVERE, values::worded};

use super::{
    agreement::drawn::{Part, Sum, Twice, twice},
    bootstrap::Plan,
    mixed::{Mixed, mixed},
    paired::{Holm, holm},
    undefined::{Undefined, Value},
};

worded! {
    name;
    /// A number of a component.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Measure {
        /// Its score, 0..=4; the mean is MCF.
        Score = "score",
        /// 1 where it is equivalent or better, a score of 3 or 4; else 0.
        Equivalent = "equivalent",
        /// 1 where it is a severe failure, a score of 0 or 1; else 0.
        Severe = "severe",
    }
}

impl Measure {
    pub const fn better(self) -> Better {
        match self {
            Self::Score | Self::Equivalent => Better::Higher,
            Self::Severe => Better::Lower,
        }
    }

    /// Of a score; of several runs the mean of each counts.
    pub fn of(self, score: f64) -> f64 {
        match self {
            Self::Score => score,
            Self::Equivalent => f64::from(u8::from(score >= 3.0)),
            Self::Severe => f64::from(u8::from(score <= f64::from(SEVERE))),
        }
    }
}

/// A component under both conditions: the scores of the runs that have one, at least one each.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// Any number, the same for the components of one task.
    pub task: usize,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

/// What two conditions do to the components of some tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    pub measure: Measure,
    /// Components with a score under both.
    pub n: usize,
    pub tasks: usize,
    /// Mean over components under each condition, and of first less second.
    pub a: Twice,
    pub b: Twice,
    pub difference: Twice,
    /// Of the differences, with a random intercept a task.
    pub mixed: Result<Mixed, Undefined>,
    /// The p-value of the model among those of all measures; None without one.
    pub holm: Option<Holm>,
}

/// Every measure, in the order of [`Measure::ALL`].
pub fn compared(components: &[Component], plan: &Plan) -> Vec<Compared> {
    let mut all: Vec<Compared> =
        Measure::ALL.into_iter().map(|measure| of_measure(measure, components, plan)).collect();
    let tested = all.iter_mut().filter(|it| it.mixed.is_ok()).collect::<Vec<_>>();
    let raw: Vec<f64> = tested.iter().filter_map(|it| Some(it.mixed.ok()?.p)).collect();
    tested.into_iter().zip(holm(&raw)).for_each(|(it, adjusted)| it.holm = Some(adjusted));
    all
}

fn of_measure(measure: Measure, components: &[Component], plan: &Plan) -> Compared {
    let mean = |scores: &[f64]| {
        scores.iter().map(|score| measure.of(*score)).sum::<f64>() / scores.len() as f64
    };
    let is_paired = |it: &&Component| !it.a.is_empty() && !it.b.is_empty();
    let pairs: Vec<(usize, f64, f64)> =
        components.iter().filter(is_paired).map(|it| (it.task, mean(&it.a), mean(&it.b))).collect();
    let mut tasks: Vec<usize> = pairs.iter().map(|(task, _, _)| *task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let of_task = |task: &usize| -> Vec<f64> {
        pairs.iter().filter(|(of, _, _)| of == task).map(|(_, a, b)| a - b).collect()
    };
    let parts: Vec<Part<Sides>> = pairs
        .iter()
        .map(|&(cluster, a, b)| Part { sum: Sides { n: 1.0, a, b }, cluster })
        .collect();
    let found = twice(&parts, &Of::ALL, Of::value, Of::value, plan);
    let of = |it: Of| {
        let mut found = found.iter().filter(|(other, _)| *other == it);
        found.next().map_or_else(Twice::none, |(_, twice)| *twice)
    };
    Compared {
        measure,
        n: pairs.len(),
        tasks: tasks.len(),
        a: of(Of::A),
        b: of(Of::B),
        difference: of(Of::Difference),
        mixed: mixed(&tasks.iter().map(of_task).collect::<Vec<_>>(), plan.confidence),
        holm: None,
    }
}

/// Sums over components.
#[derive(Debug, Clone, Copy)]
struct Sides {
    n: f64,
    a: f64,
    b: f64,
}

impl Sum for Sides {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.a += other.a;
        self.b += other.b;
    }
}

worded! {
    /// A mean of `Sides`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Of {
        A = "a",
        B = "b",
        Difference = "difference",
    }
}

impl Of {
    fn value(self, sides: &Sides) -> Value {
        Ok(match self {
            Self::A => sides.a / sides.n,
            Self::B => sides.b / sides.n,
            Self::Difference => (sides.a - sides.b) / sides.n,
        })
    }
}
