//! Many runs at once: what each has, what two conditions do to each task, and what goes together.

#[cfg(test)]
mod tests;

use crate::metrics::Better;

use super::{
    bootstrap::Plan,
    correlation::{Correlations, correlations},
    paired::{Holm, Paired, Tested, tested},
    pairing::{Alone, Conditions, Group, Key, PairRow, groups, pairing, rows},
};

/// One number that a run may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Mean component fidelity, 0 to 4.
    Mcf,
    /// Dependency integration, 0 to 1.
    Dir,
    /// Half of each, 0 to 1.
    If50,
    /// 0 to 1.
    Erosion,
    /// 0 to 1.
    Verbosity,
    /// Process discipline, 0 to 1.
    RigorScore,
    /// Share of the tests after the last checkpoint that pass, 0 to 1.
    Tests,
    /// Input and output together, counted once.
    Tokens,
    /// US dollars.
    CostUsd,
    Turns,
}

impl Measure {
    pub const ALL: [Self; 10] = [
        Self::Mcf,
        Self::Dir,
        Self::If50,
        Self::Erosion,
        Self::Verbosity,
        Self::RigorScore,
        Self::Tests,
        Self::Tokens,
        Self::CostUsd,
        Self::Turns,
    ];

    /// As it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcf => "mcf",
            Self::Dir => "dir",
            Self::If50 => "if50",
            Self::Erosion => "erosion",
            Self::Verbosity => "verbosity",
            Self::RigorScore => "rigor_score",
            Self::Tests => "tests",
            Self::Tokens => "tokens",
            Self::CostUsd => "cost_usd",
            Self::Turns => "turns",
        }
    }

    /// Which way is a win.
    pub const fn better(self) -> Better {
        match self {
            Self::Mcf | Self::Dir | Self::If50 | Self::RigorScore | Self::Tests => Better::Higher,
            Self::Erosion | Self::Verbosity | Self::Tokens | Self::CostUsd => Better::Lower,
            Self::Turns => Better::Neither,
        }
    }
}

/// A run with its numbers; those it has not are not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    pub key: Key,
    /// Finite.
    pub values: Vec<(Measure, f64)>,
}

impl Measured {
    pub fn value(&self, measure: Measure) -> Option<f64> {
        self.values.iter().find(|(other, _)| *other == measure).map(|(_, value)| *value)
    }
}

/// What many runs say together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    /// By agent, those of all agents pooled last, then in the order of [`Measure::ALL`]; measures that no pair has are
    /// left out.
    pub paired: Vec<PairedMeasure>,
    /// By agent, then task.
    pub per_task: Vec<PairRow<Measure>>,
    /// Runs in no pair, by number, with why.
    pub alone: Vec<(usize, Alone)>,
}

/// One measure of one agent under both conditions, over tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedMeasure {
    /// None where the agents are pooled, as they are beside their own rows where there are several.
    pub agent: Option<String>,
    pub measure: Measure,
    pub paired: Paired,
    /// Among the measures of the same agent; None without a p-value, and where no side can be the better.
    pub holm: Option<Holm>,
}

impl PairedMeasure {
    /// Tasks in which the first condition is better; higher, where a measure has no better.
    pub fn wins(&self) -> usize {
        if self.measure.better() == Better::Lower { self.paired.lower } else { self.paired.higher }
    }

    /// Tasks in which the second one is.
    pub fn losses(&self) -> usize {
        if self.measure.better() == Better::Lower { self.paired.higher } else { self.paired.lower }
    }
}

/// Compares two conditions over all tasks, agent by agent.
pub fn corpus(runs: &[Measured], conditions: &Conditions, plan: &Plan) -> Corpus {
    let keys: Vec<Key> = runs.iter().map(|run| run.key.clone()).collect();
    let pairing = pairing(&keys, conditions);
    let value = |at: usize, measure| runs.get(at)?.value(measure);
    let per_task = rows(&pairing, &Measure::ALL, value);
    let groups = groups(&per_task, &Measure::ALL);
    let paired = groups.iter().flat_map(|group| of_group(group, plan)).collect();
    Corpus { paired, per_task, alone: pairing.alone }
}

fn of_group(group: &Group<Measure>, plan: &Plan) -> Vec<PairedMeasure> {
    let row = |Tested { metric, paired, holm }: Tested<Measure>| PairedMeasure {
        agent: group.agent.clone(),
        measure: metric,
        paired,
        holm,
    };
    tested(&group.sides, Measure::better, plan).into_iter().map(row).collect()
}

/// Whether two measures go together, over the runs that have both.
pub fn together<'a>(
    runs: impl IntoIterator<Item = &'a Measured>,
    x: Measure,
    y: Measure,
) -> Correlations {
    let both = |run: &Measured| run.value(x).zip(run.value(y));
    correlations(&runs.into_iter().filter_map(both).collect::<Vec<_>>())
}
