//! From a request to the chunks it is about: mentions, seeds, diffusion over the graph, and a pool by the product of what
//! speaks for a chunk.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    chunk::{Head, Id, Kind, stems},
    copies::Copies,
    intake::Index,
    rank::{self, ALPHA, STEPS, Until},
};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    pub text: &'a str,
    /// The turn that it begins; counts from 1.
    pub turn: usize,
    /// Whether the graph is used: without it the seeds are the ranks.
    pub has_graph: bool,
    /// Whether what was asked before is given.
    pub has_history: bool,
}

/// What a query was led to.
#[derive(Debug, Default)]
pub struct Routed {
    /// The entities that it names.
    pub entities: BTreeSet<Id>,
    /// The best first.
    pub pool: Vec<Found>,
}

/// A chunk of the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    pub id: Id,
    /// Which of the kept versions; None for the newest, read when it is opened.
    pub copy: Option<usize>,
    /// Above 0, comparable within one pool.
    pub score: f64,
}

/// Heads in the pool.
pub const POOL: usize = 256;

/// What the recency of a chunk counts in the seeds beside a mention, which counts 1 (the paper's eta).
const ETA: f64 = 0.05;

/// Turns after which the recency of a chunk is half.
const HALF_LIFE: f64 = 8.0;

/// Chunks whose heads are compared with the query: those with the highest ranks.
const MOST_COMPARED: usize = 4_096;

/// A factor is at least this much of its most, so that one that is 0 does not decide alone.
const LEAST_SIMILARITY: f64 = 0.1;
const LEAST_OVERLAP: f64 = 0.1;
const LEAST_RECENCY: f64 = 0.5;

/// How much of a chunk's recency is left, 0 to 1: 1 in the turn after that which touched it, 0 where none did.
fn recency(head: &Head, turn: usize) -> f64 {
    let age = turn.saturating_sub(head.touched + 1) as f64;
    if head.touched == 0 { 0.0 } else { 0.5_f64.powf(age / HALF_LIFE) }
}

/// The seeds: 1 for each chunk that has an entity of the query, and eta times its recency for each. With copies no chunk is
/// newer than another.
fn seeds(index: &Index, entities: &BTreeSet<Id>, query: &Query<'_>, is_blind: bool) -> Vec<f64> {
    let catalogue = &index.catalogue;
    let of = |(_, head): (Id, &Head)| if is_blind { 0.0 } else { ETA * recency(head, query.turn) };
    let mut seeds: Vec<f64> = catalogue.heads().map(of).collect();
    let named: BTreeSet<Id> = entities.iter().flat_map(|entity| catalogue.index(*entity)).collect();
    for id in named {
        if let Some(seed) = seeds.get_mut(id) {
            *seed += 1.0;
        }
    }
    seeds
}

/// The chunks that a query is about. With `copies` every version is a chunk and none is known to be newer.
pub fn route(index: &Index, query: &Query<'_>, copies: Option<&Copies>) -> Routed {
    let catalogue = &index.catalogue;
    let entities = catalogue.mentioned(query.text);
    let seeds = seeds(index, &entities, query, copies.is_some());
    if seeds.iter().all(|seed| *seed <= 0.0) {
        return Routed { entities, pool: vec![] };
    }
    let ranks = match query.has_graph {
        true => {
            let rows = index.graph.rows(catalogue.len(), |id| catalogue.key(id));
            rank::pagerank(&rows, &seeds, ALPHA, Until { steps: STEPS, moved: 0.0 })
        }
        false => seeds,
    };
    let is_taken = |id: Id| {
        let kind = catalogue.head(id).map(|head| head.kind);
        ranks[id] > 0.0 && (query.has_history || kind != Some(Kind::Request))
    };
    let mut near: Vec<Id> = (0..ranks.len()).filter(|id| is_taken(*id)).collect();
    near.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]).then_with(|| a.cmp(b)));
    near.truncate(MOST_COMPARED);
    let asked = stems(query.text);
    let similar: Vec<(Id, Option<usize>, f64)> = match copies {
        None => near.iter().map(|id| (*id, None, catalogue.similarity(&asked, *id))).collect(),
        Some(copies) => near
            .iter()
            .flat_map(|id| copies.of(*id, index).map(move |(copy, words)| (*id, copy, words)))
            .map(|(id, copy, words)| (id, copy, catalogue.score(&asked, words)))
            .collect(),
    };
    let most = similar.iter().map(|(.., it)| *it).fold(f64::MIN_POSITIVE, f64::max);
    let most_rank = near.first().map_or(1.0, |id| ranks[*id]);
    let overlaps: BTreeMap<Id, f64> =
        near.iter().map(|id| (*id, overlap(index, *id, &entities))).collect();
    let score = |(id, copy, similarity): (Id, Option<usize>, f64)| {
        let recency = match (copies, catalogue.head(id)) {
            (None, Some(head)) => recency(head, query.turn),
            (Some(_), _) | (_, None) => 1.0,
        };
        let score = at_least(LEAST_SIMILARITY, similarity / most)
            * at_least(LEAST_OVERLAP, overlaps.get(&id).copied().unwrap_or_default())
            * at_least(LEAST_RECENCY, recency)
            * (ranks[id] / most_rank);
        Found { id, copy, score }
    };
    let mut pool: Vec<Found> = similar.into_iter().map(score).collect();
    // Of equals the one whose name is first, then the version that was taken in first.
    pool.sort_by(|a, b| {
        let order = b.score.total_cmp(&a.score);
        order.then_with(|| (catalogue.key(a.id), a.copy).cmp(&(catalogue.key(b.id), b.copy)))
    });
    pool.truncate(POOL);
    Routed { entities, pool }
}

/// The share of the query's entities that a chunk has.
fn overlap(index: &Index, id: Id, entities: &BTreeSet<Id>) -> f64 {
    let common = index.catalogue.entities(id).filter(|it| entities.contains(it)).count();
    common as f64 / entities.len().max(1) as f64
}

fn at_least(least: f64, share: f64) -> f64 {
    least + (1.0 - least) * share
}
