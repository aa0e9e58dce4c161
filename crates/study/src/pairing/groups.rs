//! The numbers of pairs, agent by agent and of all agents together.

use super::{Pair, Pairing};

/// A pair with the metrics that both sides have; of several runs under one condition the mean of those that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow<M> {
    pub pair: Pair,
    pub values: Vec<(M, (f64, f64))>,
}

/// Pairs that are tested together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<M> {
    /// None for the pairs of all agents pooled, each counting once.
    pub agent: Option<String>,
    /// How many, with a number or without.
    pub pairs: usize,
    /// Both sides of every pair that has the metric, in the order of the pairs; metrics that no pair has are left out.
    pub sides: Vec<(M, Vec<(f64, f64)>)>,
}

/// Each pair with its numbers; `value` is that of a run by its place in the list.
pub fn rows<M: Copy>(
    pairing: &Pairing,
    metrics: &[M],
    value: impl Fn(usize, M) -> Option<f64>,
) -> Vec<PairRow<M>> {
    let mean_of = |side: &[usize], metric: M| {
        let known: Vec<f64> = side.iter().filter_map(|&at| value(at, metric)).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let row = |pair: &Pair| {
        let both =
            |metric: M| Some((metric, mean_of(&pair.a, metric).zip(mean_of(&pair.b, metric))?));
        PairRow { pair: pair.clone(), values: metrics.iter().copied().filter_map(both).collect() }
    };
    pairing.pairs.iter().map(row).collect()
}

/// A group for each agent, in the order of the rows, and one of all where there are several.
pub fn groups<M: Copy + PartialEq>(rows: &[PairRow<M>], metrics: &[M]) -> Vec<Group<M>> {
    let by_agent = rows.chunk_by(|one, next| one.pair.agent == next.pair.agent);
    let of_agent = |rows: &[PairRow<M>]| {
        let agent = rows.first().map(|row| row.pair.agent.clone());
        Group { agent, ..pooled(rows, metrics) }
    };
    let mut groups: Vec<Group<M>> = by_agent.map(of_agent).collect();
    if groups.len() > 1 {
        groups.push(pooled(rows, metrics));
    }
    groups
}

fn pooled<M: Copy + PartialEq>(rows: &[PairRow<M>], metrics: &[M]) -> Group<M> {
    let value = |row: &PairRow<M>, metric: M| {
        row.values.iter().find(|(other, _)| *other == metric).map(|(_, sides)| *sides)
    };
    let sides = |metric: &M| -> (M, Vec<(f64, f64)>) {
        (*metric, rows.iter().filter_map(|row| value(row, *metric)).collect())
    };
    let known = metrics.iter().map(sides).filter(|(_, pairs)| !pairs.is_empty());
    Group { agent: None, pairs: rows.len(), sides: known.collect() }
}
