//! Many runs at once: the numbers of each run, the effect of two conditions on each task, and correlations between
//! numbers.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use trajview_metrics::{BetterDirection, Number, numbers::CORPUS};

use super::{
    bootstrap::{BootstrapPlan, Estimate},
    correlation::{Correlations, correlate_pairs},
    paired::{HolmAdjusted, PairedComparison, TestedMetric, holm_adjust, test_metrics},
    pairing::{
        AgentGroup, ConditionPair, PairNumbers, PairingKey, UnpairedReason, agent_groups,
        pair_rows, pair_runs,
    },
    stability::mean_estimate,
};

/// A run with its numbers; those it has not are not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeasuredRun {
    pub key: PairingKey,
    /// Finite.
    pub values: Vec<(Number, f64)>,
}

impl MeasuredRun {
    pub fn number_value(&self, number: Number) -> Option<f64> {
        self.values.iter().find(|(other, _)| *other == number).map(|(_, value)| *value)
    }
}

/// The comparison over many runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CorpusComparison {
    /// The tests by agent, pooled agents last, then in the order of [`CORPUS`]; numbers that no pair has are left
    /// out.
    pub paired: Vec<PairedNumber>,
    /// The pairs by agent, then task.
    pub per_task: Vec<PairNumbers<Number>>,
    /// Runs in no pair, by number, with why.
    pub alone: Vec<(usize, UnpairedReason)>,
}

/// A number of one agent under both conditions, over tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedNumber {
    /// The agent; None for the pooled row that follows the rows of several agents.
    pub agent: Option<String>,
    pub number: Number,
    /// Mean of each side over the same tasks, drawn as the gaps are.
    pub a: Estimate,
    pub b: Estimate,
    pub paired: PairedComparison,
    /// The adjusted p-value among the numbers of the same agent; None without a p-value, and where neither direction
    /// is better.
    pub holm: Option<HolmAdjusted>,
}

impl PairedNumber {
    /// Returns the number of tasks in which the first condition is better, or has the higher number where neither
    /// direction is better.
    pub fn tasks_won(&self) -> usize {
        if self.number.better() == BetterDirection::Lower {
            self.paired.lower
        } else {
            self.paired.higher
        }
    }

    /// Tasks in which the second one is.
    pub fn tasks_lost(&self) -> usize {
        if self.number.better() == BetterDirection::Lower {
            self.paired.higher
        } else {
            self.paired.lower
        }
    }
}

/// The tests of a table of which each p-value is adjusted for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TestFamily {
    /// The numbers of one agent; the pooled row is an agent of its own.
    #[default]
    Agent,
    /// The agents that one number is tested for, with the pooled one.
    Metric,
    /// All tests of the table.
    All,
}

impl TestFamily {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Metric => "metric",
            Self::All => "all",
        }
    }

    /// Returns the method with the number of tests, such as `Holm over 6 metrics`.
    pub fn method_text(self, tests: usize) -> String {
        match self {
            Self::Agent => HolmAdjusted::method_text(tests),
            Self::Metric | Self::All => {
                format!("Holm over {tests} {}", if tests == 1 { "test" } else { "tests" })
            }
        }
    }
}

/// Adjusts the p-values that [`compare_corpus`] has adjusted for the numbers of an agent for those of another family.
pub fn adjust_family(rows: &mut [PairedNumber], family: TestFamily) {
    let key = |row: &PairedNumber| match family {
        TestFamily::Agent => (row.agent.clone(), None),
        TestFamily::Metric => (None, Some(row.number.id())),
        TestFamily::All => (None, None),
    };
    let mut families: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.holm.is_some()) {
        families.entry(key(row)).or_default().push(at);
    }
    for places in families.values() {
        let raw_p = |at: &usize| rows[*at].paired.wilcoxon.ok().map(|test| test.p);
        let raw: Vec<f64> = places.iter().filter_map(raw_p).collect();
        for (at, adjusted) in places.iter().zip(holm_adjust(&raw)) {
            rows[*at].holm = Some(adjusted);
        }
    }
}

/// Compares two conditions over all tasks, agent by agent.
pub fn compare_corpus(
    runs: &[MeasuredRun],
    conditions: &ConditionPair,
    plan: &BootstrapPlan,
) -> CorpusComparison {
    let keys: Vec<PairingKey> = runs.iter().map(|run| run.key.clone()).collect();
    let pairing = pair_runs(&keys, conditions);
    let value = |at: usize, number| runs.get(at)?.number_value(number);
    let per_task = pair_rows(&pairing, CORPUS, value);
    let groups = agent_groups(&per_task, CORPUS);
    let paired = groups.iter().flat_map(|group| compare_group(group, plan)).collect();
    CorpusComparison { paired, per_task, alone: pairing.unpaired }
}

fn compare_group(group: &AgentGroup<Number>, plan: &BootstrapPlan) -> Vec<PairedNumber> {
    let side = |metric: Number, side_value: fn(&(f64, f64)) -> f64| {
        let sides = group.sides.iter().find(|(number, _)| *number == metric);
        mean_estimate(
            sides.map(|(_, pairs)| pairs.as_slice()).unwrap_or_default(),
            side_value,
            plan,
        )
    };
    let row = |TestedMetric { metric, paired, holm }: TestedMetric<Number>| PairedNumber {
        agent: group.agent.clone(),
        number: metric,
        a: side(metric, |pair| pair.0),
        b: side(metric, |pair| pair.1),
        paired,
        holm,
    };
    test_metrics(&group.sides, Number::better, plan).into_iter().map(row).collect()
}

/// Correlates two numbers over the runs that have both.
pub fn correlate_numbers<'a>(
    runs: impl IntoIterator<Item = &'a MeasuredRun>,
    x: Number,
    y: Number,
) -> Correlations {
    let both = |run: &MeasuredRun| run.number_value(x).zip(run.number_value(y));
    correlate_pairs(&runs.into_iter().filter_map(both).collect::<Vec<_>>())
}
