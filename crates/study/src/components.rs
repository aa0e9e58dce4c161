//! Two conditions at the level of components: each component of a task under both, tasks as clusters.
//!
//! Components of one task are not independent: the interval over components treats them as if they were, the one over
//! tasks draws whole tasks, and the mixed model ([`super::mixed_model`]) gives each task an intercept of its own. All three
//! are reported; with few tasks none of them is reliable.

use trajview_metrics::BetterDirection;
use trajview_run::{rubric::SEVERE, worded_enum::worded};

use super::{
    agreement::cluster_bootstrap::{
        ClusterPart, ClusteredEstimate, SampleSum, estimate_by_item_and_cluster,
    },
    bootstrap::BootstrapPlan,
    mixed_model::{MixedModelFit, fit_mixed_model},
    paired::{HolmAdjusted, holm_adjust},
    undefined::{NumberOrReason, Undefined},
};

worded! {
    name;
    /// A number of a component.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ComponentMeasure {
        /// Its score, 0..=4; the mean is MCF.
        Score = "score",
        /// 1 where it is equivalent or better, a score of 3 or 4; else 0.
        Equivalent = "equivalent",
        /// 1 where it is a severe failure, a score of 0 or 1; else 0.
        Severe = "severe",
    }
}

impl ComponentMeasure {
    pub const fn better_direction(self) -> BetterDirection {
        match self {
            Self::Score | Self::Equivalent => BetterDirection::Higher,
            Self::Severe => BetterDirection::Lower,
        }
    }

    /// Returns the measure of one score; several runs are averaged.
    pub(crate) fn value_of_score(self, score: f64) -> f64 {
        match self {
            Self::Score => score,
            Self::Equivalent => f64::from(u8::from(score >= 3.0)),
            Self::Severe => f64::from(u8::from(score <= f64::from(SEVERE))),
        }
    }
}

/// A component under both conditions: the scores of the runs that have one, at least one each.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedComponent {
    /// Any number, the same for the components of one task.
    pub task: usize,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

/// The effect of two conditions on the components of some tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMeasure {
    pub measure: ComponentMeasure,
    /// Components with a score under both.
    pub n: usize,
    pub tasks: usize,
    /// Mean over components under each condition, and of first less second.
    pub a: ClusteredEstimate,
    pub b: ClusteredEstimate,
    pub difference: ClusteredEstimate,
    /// The mixed model of the differences, with a random intercept for each task.
    pub mixed: Result<MixedModelFit, Undefined>,
    /// The p-value of the model among those of all measures; None without one.
    pub holm: Option<HolmAdjusted>,
}

/// Compares every measure, in the order of [`ComponentMeasure::ALL`].
pub fn compare_components(
    components: &[PairedComponent],
    plan: &BootstrapPlan,
) -> Vec<ComparedMeasure> {
    let mut all: Vec<ComparedMeasure> = ComponentMeasure::ALL
        .into_iter()
        .map(|measure| compare_measure(measure, components, plan))
        .collect();
    let tested = all.iter_mut().filter(|it| it.mixed.is_ok()).collect::<Vec<_>>();
    let raw: Vec<f64> = tested.iter().filter_map(|it| Some(it.mixed.ok()?.p)).collect();
    tested.into_iter().zip(holm_adjust(&raw)).for_each(|(it, adjusted)| it.holm = Some(adjusted));
    all
}

fn compare_measure(
    measure: ComponentMeasure,
    components: &[PairedComponent],
    plan: &BootstrapPlan,
) -> ComparedMeasure {
    let mean = |scores: &[f64]| {
        scores.iter().map(|score| measure.value_of_score(*score)).sum::<f64>() / scores.len() as f64
    };
    let is_paired = |it: &&PairedComponent| !it.a.is_empty() && !it.b.is_empty();
    let pairs: Vec<(usize, f64, f64)> =
        components.iter().filter(is_paired).map(|it| (it.task, mean(&it.a), mean(&it.b))).collect();
    let mut tasks: Vec<usize> = pairs.iter().map(|(task, _, _)| *task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let of_task = |task: &usize| -> Vec<f64> {
        pairs.iter().filter(|(of, _, _)| of == task).map(|(_, a, b)| a - b).collect()
    };
    let parts: Vec<ClusterPart<SideSums>> = pairs
        .iter()
        .map(|&(cluster, a, b)| ClusterPart { sum: SideSums { n: 1.0, a, b }, cluster })
        .collect();
    let found = estimate_by_item_and_cluster(
        &parts,
        &SideMean::ALL,
        SideMean::mean_from,
        SideMean::mean_from,
        plan,
    );
    let estimate_for = |it: SideMean| {
        let mut found = found.iter().filter(|(other, _)| *other == it);
        found.next().map_or_else(ClusteredEstimate::without_pairs, |(_, twice)| *twice)
    };
    ComparedMeasure {
        measure,
        n: pairs.len(),
        tasks: tasks.len(),
        a: estimate_for(SideMean::A),
        b: estimate_for(SideMean::B),
        difference: estimate_for(SideMean::Difference),
        mixed: fit_mixed_model(&tasks.iter().map(of_task).collect::<Vec<_>>(), plan.confidence),
        holm: None,
    }
}

/// Sums over components.
#[derive(Debug, Clone, Copy)]
struct SideSums {
    n: f64,
    a: f64,
    b: f64,
}

impl SampleSum for SideSums {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.a += other.a;
        self.b += other.b;
    }
}

worded! {
    /// A mean of `Sides`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SideMean {
        A = "a",
        B = "b",
        Difference = "difference",
    }
}

impl SideMean {
    fn mean_from(self, sides: &SideSums) -> NumberOrReason {
        Ok(match self {
            Self::A => sides.a / sides.n,
            Self::B => sides.b / sides.n,
            Self::Difference => (sides.a - sides.b) / sides.n,
        })
    }
}
