//! How near each chunk of the graph is to those that a query names: personalised PageRank,
//! `g = (1 - alpha) (I - alpha P^T)^-1 s`, by power steps.

/// The share of a step that goes along the edges; the rest goes back to the seeds.
pub(crate) const ALPHA: f64 = 0.85;

/// Steps in the layer; what they leave undone is below `ALPHA` to the 20th, 0.04.
pub const STEPS: usize = 20;

/// A row of P: where it leads and with which share, which sum to 1; empty where it leads nowhere.
pub type ShareRow = Vec<(usize, f64)>;

/// The end of the steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepLimit {
    pub steps: usize,
    /// The steps end earlier where a step moves less than this in all.
    pub moved: f64,
}

/// Returns a row of P from edges (where to, type, weight): the weights are shares within their type, and each type that
/// the row has counts the same. Weights that are not above 0 are left out.
pub(crate) fn share_row<T: PartialEq + Copy>(edges: &[(usize, T, f64)]) -> ShareRow {
    let mut types: Vec<(T, f64)> = vec![];
    let counted = || edges.iter().copied().filter(|(.., weight)| *weight > 0.0);
    for (_, kind, weight) in counted() {
        match types.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += weight,
            None => types.push((kind, weight)),
        }
    }
    let mut row = ShareRow::new();
    for (to, kind, weight) in counted() {
        let sum = types.iter().find(|(known, _)| *known == kind).map_or(weight, |(_, sum)| *sum);
        let share = weight / sum / types.len() as f64;
        match row.iter_mut().find(|(known, _)| *known == to) {
            Some((_, all)) => *all += share,
            None => row.push((to, share)),
        }
    }
    row
}

/// Returns the rank of each node; the ranks sum to 1. The rank that a node without edges would pass on goes back to
/// the seeds, as in networkx' `pagerank`. The steps begin at the seeds; where none is above 0, all nodes are equal
/// seeds. A row that leads to a missing node loses its share.
pub(crate) fn personalised_pagerank(
    rows: &[ShareRow],
    seeds: &[f64],
    alpha: f64,
    until: StepLimit,
) -> Vec<f64> {
    let count = rows.len();
    let sum: f64 = seeds.iter().take(count).sum();
    let seed = |at: usize| match sum > 0.0 {
        true => seeds.get(at).copied().unwrap_or_default() / sum,
        false => 1.0 / count as f64,
    };
    let seeds: Vec<f64> = (0..count).map(seed).collect();
    let mut ranks = seeds.clone();
    for _ in 0..until.steps {
        let dangling: f64 =
            rows.iter().zip(&ranks).filter(|(row, _)| row.is_empty()).map(|(_, rank)| rank).sum();
        let back = alpha * dangling + (1.0 - alpha);
        let mut next: Vec<f64> = seeds.iter().map(|seed| back * seed).collect();
        for (row, rank) in rows.iter().zip(&ranks).filter(|(_, rank)| **rank > 0.0) {
            for (to, share) in row {
                if let Some(it) = next.get_mut(*to) {
                    *it += alpha * rank * share;
                }
            }
        }
        let moved: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        ranks = next;
        if moved < until.moved {
            break;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct PagerankVectors {
        alpha: f64,
        graphs: Vec<PagerankGraph>,
    }

    #[derive(Deserialize)]
    struct PagerankGraph {
        nodes: usize,
        /// The source, the target, the type and the weight of each edge.
        edges: Vec<(usize, usize, u8, f64)>,
        seeds: Vec<f64>,
        pagerank: Vec<f64>,
    }

    fn graph_rows(made: &PagerankGraph) -> Vec<ShareRow> {
        let of = |node: usize| {
            let own = made.edges.iter().filter(|(from, ..)| *from == node);
            share_row(&own.map(|(_, to, kind, weight)| (*to, *kind, *weight)).collect::<Vec<_>>())
        };
        (0..made.nodes).map(of).collect()
    }

    #[test]
    fn ranks_are_those_of_networkx_on_twenty_graphs() {
        let text = include_str!("../../../../tests/vectors/pagerank.json");
        let vectors: PagerankVectors = serde_json::from_str(text).unwrap();
        assert_eq!(vectors.graphs.len(), 20);
        for (number, made) in vectors.graphs.iter().enumerate() {
            let until = StepLimit { steps: 1_000, moved: 1e-15 };
            let found = personalised_pagerank(&graph_rows(made), &made.seeds, vectors.alpha, until);
            assert_eq!(found.len(), made.pagerank.len());
            for (ours, theirs) in found.iter().zip(&made.pagerank) {
                assert!((ours - theirs).abs() < 1e-9, "graph {number}: {ours} is not {theirs}");
            }
        }
    }

    #[test]
    fn each_type_of_a_row_counts_the_same() {
        let row = share_row(&[(1, 'a', 3.0), (2, 'a', 1.0), (1, 'b', 7.0), (3, 'b', 0.0)]);
        assert_eq!(row, [(1, 0.875), (2, 0.125)]);
    }

    proptest! {
        #[test]
        fn whatever_the_graph_ranks_sum_to_one(
            edges in proptest::collection::vec((0_usize..9, 0_usize..9, 0_u8..3, 0.01_f64..9.0), 0..30),
            seeds in proptest::collection::vec(0.0_f64..1.0, 0..12),
        ) {
            let made = PagerankGraph { nodes: 9, edges, seeds, pagerank: vec![] };
            let until = StepLimit { steps: STEPS, moved: 0.0 };
            let ranks = personalised_pagerank(&graph_rows(&made), &made.seeds, ALPHA, until);
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
