//! The numbers of pairs, agent by agent and of all agents together.

use super::{RunPair, RunPairing};

/// A pair with the metrics that both sides have; of several runs under one condition the mean of those that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct PairNumbers<M> {
    pub pair: RunPair,
    pub values: Vec<(M, (f64, f64))>,
}

/// Pairs that are tested together.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentGroup<M> {
    /// The agent; None for the pairs of all agents pooled, each counting once.
    pub agent: Option<String>,
    /// The number of pairs, whether they have numbers or not.
    pub pairs: usize,
    /// Both sides of every pair that has the metric, in the order of the pairs; metrics that no pair has are left out.
    pub sides: Vec<(M, Vec<(f64, f64)>)>,
}

/// Returns each pair with its numbers; `value` gives the number of a run by its place in the list.
pub fn pair_rows<M: Copy>(
    pairing: &RunPairing,
    metrics: &[M],
    value: impl Fn(usize, M) -> Option<f64>,
) -> Vec<PairNumbers<M>> {
    let mean_of = |side: &[usize], metric: M| {
        let known: Vec<f64> = side.iter().filter_map(|&at| value(at, metric)).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let row = |pair: &RunPair| {
        let both =
            |metric: M| Some((metric, mean_of(&pair.a, metric).zip(mean_of(&pair.b, metric))?));
        PairNumbers {
            pair: pair.clone(),
            values: metrics.iter().copied().filter_map(both).collect(),
        }
    };
    pairing.pairs.iter().map(row).collect()
}

/// Returns a group for each agent, in the order of the rows, and one of all where there are several.
pub fn agent_groups<M: Copy + PartialEq>(
    rows: &[PairNumbers<M>],
    metrics: &[M],
) -> Vec<AgentGroup<M>> {
    let by_agent = rows.chunk_by(|one, next| one.pair.agent == next.pair.agent);
    let of_agent = |rows: &[PairNumbers<M>]| {
        let agent = rows.first().map(|row| row.pair.agent.clone());
        AgentGroup { agent, ..pool_rows(rows, metrics) }
    };
    let mut groups: Vec<AgentGroup<M>> = by_agent.map(of_agent).collect();
    if groups.len() > 1 {
        groups.push(pool_rows(rows, metrics));
    }
    groups
}

fn pool_rows<M: Copy + PartialEq>(rows: &[PairNumbers<M>], metrics: &[M]) -> AgentGroup<M> {
    let value = |row: &PairNumbers<M>, metric: M| {
        row.values.iter().find(|(other, _)| *other == metric).map(|(_, sides)| *sides)
    };
    let sides = |metric: &M| -> (M, Vec<(f64, f64)>) {
        (*metric, rows.iter().filter_map(|row| value(row, *metric)).collect())
    };
    let known = metrics.iter().map(sides).filter(|(_, pairs)| !pairs.is_empty());
    AgentGroup { agent: None, pairs: rows.len(), sides: known.collect() }
}
