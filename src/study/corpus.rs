//! Many runs at once: what each has, what two conditions do to each task, and what goes together.

#[cfg(test)]
mod tests;

use crate::metrics::Better;

use super::{
    bootstrap::Plan,
    correlation::{Correlations, correlations},
    paired::{Paired, paired},
    pairing::{Alone, Conditions, Key, pairing},
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
    /// By agent, then in the order of [`Measure::ALL`]; measures that no pair has are left out.
    pub paired: Vec<PairedMeasure>,
    /// By agent, then task.
    pub per_task: Vec<TaskRow>,
    /// Runs in no pair, by number, with why.
    pub alone: Vec<(usize, Alone)>,
}

/// One measure of one agent under both conditions, over tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedMeasure {
    pub agent: String,
    pub measure: Measure,
    pub paired: Paired,
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

/// One task of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRow {
    pub agent: String,
    pub task: String,
    /// Runs by number.
    pub a: Vec<usize>,
    pub b: Vec<usize>,
    /// Measures that both sides have; of several runs under one condition the mean of those that have it.
    pub values: Vec<(Measure, (f64, f64))>,
}

/// Compares two conditions over all tasks, agent by agent.
pub fn corpus(runs: &[Measured], conditions: &Conditions, plan: &Plan) -> Corpus {
    let keys: Vec<Key> = runs.iter().map(|run| run.key.clone()).collect();
    let pairing = pairing(&keys, conditions);
    let mean_of = |side: &[usize], measure: Measure| {
        let known = side.iter().filter_map(|&at| runs.get(at)?.value(measure));
        let (sum, count) = known.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    let values = |a: &[usize], b: &[usize]| {
        let of = |measure| Some((measure, mean_of(a, measure).zip(mean_of(b, measure))?));
        Measure::ALL.into_iter().filter_map(of).collect()
    };
    let row = |pair: super::pairing::Pair| TaskRow {
        values: values(&pair.a, &pair.b),
        agent: pair.agent,
        task: pair.task,
        a: pair.a,
        b: pair.b,
    };
    let per_task: Vec<TaskRow> = pairing.pairs.into_iter().map(row).collect();
    Corpus { paired: paired_measures(&per_task, plan), per_task, alone: pairing.alone }
}

fn paired_measures(per_task: &[TaskRow], plan: &Plan) -> Vec<PairedMeasure> {
    let of_agent = |rows: &[TaskRow]| {
        let agent = rows.first().map(|row| row.agent.clone()).unwrap_or_default();
        let pairs = |measure: Measure| -> Vec<(f64, f64)> {
            let value =
                |row: &TaskRow| row.values.iter().find(|(it, _)| *it == measure).map(|it| it.1);
            rows.iter().filter_map(value).collect()
        };
        let measured = Measure::ALL.map(|measure| (measure, pairs(measure)));
        let known = measured.into_iter().filter(|(_, pairs)| !pairs.is_empty());
        let row = |(measure, pairs): (Measure, Vec<(f64, f64)>)| PairedMeasure {
            agent: agent.clone(),
            measure,
            paired: paired(&pairs, plan),
        };
        known.map(row).collect::<Vec<_>>()
    };
    per_task.chunk_by(|one, next| one.agent == next.agent).flat_map(of_agent).collect()
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
