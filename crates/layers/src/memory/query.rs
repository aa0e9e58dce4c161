//! From a request to the chunks it is about: mentions, seeds, diffusion over the graph, and a pool by the product of what
//! speaks for a chunk.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    chunk::{ChunkHead, ChunkId, ChunkKind, text_stems},
    index_update::MemoryIndex,
    pagerank::{self, ALPHA, STEPS, StepLimit},
    version_copies::VersionCopies,
};

/// A query to the memory.
#[derive(Debug, Clone, Copy)]
pub struct MemoryQuery<'a> {
    pub text: &'a str,
    /// The turn that it begins; counts from 1.
    pub turn: usize,
    /// True where the graph is used: without it the seeds are the ranks.
    pub has_graph: bool,
    /// True where earlier requests are given.
    pub has_history: bool,
}

/// The result of routing a query.
#[derive(Debug, Default)]
pub struct RoutedQuery {
    /// The entities that it names.
    pub entities: BTreeSet<ChunkId>,
    /// The best first.
    pub pool: Vec<PoolChunk>,
}

/// A chunk of the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoolChunk {
    pub id: ChunkId,
    /// The index of the kept version; None for the newest, which is read when it is opened.
    pub copy: Option<usize>,
    /// The score, above 0, comparable within one pool.
    pub score: f64,
}

/// Heads in the pool.
pub const POOL: usize = 256;

/// The weight of a chunk's recency in the seeds; a mention weighs 1 (the paper's eta).
const ETA: f64 = 0.05;

/// Turns after which the recency of a chunk is half.
const HALF_LIFE: f64 = 8.0;

/// Chunks whose heads are compared with the query: those with the highest ranks.
const MOST_COMPARED: usize = 4_096;

/// A factor is at least this much of its most, so that one that is 0 does not decide alone.
const LEAST_SIMILARITY: f64 = 0.1;
const LEAST_OVERLAP: f64 = 0.1;
const LEAST_RECENCY: f64 = 0.5;

/// Returns the recency of a chunk, 0 to 1: 1 in the turn after the one that touched it, 0 where none did.
fn touch_recency(head: &ChunkHead, turn: usize) -> f64 {
    let age = turn.saturating_sub(head.touched + 1) as f64;
    if head.touched == 0 { 0.0 } else { 0.5_f64.powf(age / HALF_LIFE) }
}

/// Returns the weight of each chunk as a seed: 1 for one that has an entity of the query, and eta times its recency for
/// each. With copies no chunk is newer than another.
fn seed_weights(
    index: &MemoryIndex,
    entities: &BTreeSet<ChunkId>,
    query: &MemoryQuery<'_>,
    is_blind: bool,
) -> Vec<f64> {
    let catalogue = &index.catalogue;
    let seed_of = |(_, head): (ChunkId, &ChunkHead)| {
        if is_blind { 0.0 } else { ETA * touch_recency(head, query.turn) }
    };
    let mut seeds: Vec<f64> = catalogue.heads().map(seed_of).collect();
    let named: BTreeSet<ChunkId> =
        entities.iter().flat_map(|entity| catalogue.chunks_with_entity(*entity)).collect();
    for id in named {
        if let Some(seed) = seeds.get_mut(id) {
            *seed += 1.0;
        }
    }
    seeds
}

/// Finds the chunks that a query is about. With `copies` every version is a chunk and none is known to be newer.
pub(crate) fn route_query(
    index: &MemoryIndex,
    query: &MemoryQuery<'_>,
    copies: Option<&VersionCopies>,
) -> RoutedQuery {
    let catalogue = &index.catalogue;
    let entities = catalogue.entities_mentioned(query.text);
    let seeds = seed_weights(index, &entities, query, copies.is_some());
    if seeds.iter().all(|seed| *seed <= 0.0) {
        return RoutedQuery { entities, pool: vec![] };
    }
    let ranks = match query.has_graph {
        true => {
            let rows = index.graph.share_rows(catalogue.len(), |id| catalogue.key_of(id));
            pagerank::personalised_pagerank(
                &rows,
                &seeds,
                ALPHA,
                StepLimit { steps: STEPS, moved: 0.0 },
            )
        }
        false => seeds,
    };
    let is_taken = |id: ChunkId| {
        let kind = catalogue.head(id).map(|head| head.kind);
        ranks[id] > 0.0 && (query.has_history || kind != Some(ChunkKind::Request))
    };
    let mut near: Vec<ChunkId> = (0..ranks.len()).filter(|id| is_taken(*id)).collect();
    near.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]).then_with(|| a.cmp(b)));
    near.truncate(MOST_COMPARED);
    let query_stems = text_stems(query.text);
    let similar: Vec<(ChunkId, Option<usize>, f64)> = match copies {
        None => near
            .iter()
            .map(|id| (*id, None, catalogue.head_similarity(&query_stems, *id)))
            .collect(),
        Some(copies) => near
            .iter()
            .flat_map(|id| {
                copies.versions_of(*id, index).map(move |(copy, words)| (*id, copy, words))
            })
            .map(|(id, copy, words)| (id, copy, catalogue.words_similarity(&query_stems, words)))
            .collect(),
    };
    let most = similar.iter().map(|(.., it)| *it).fold(f64::MIN_POSITIVE, f64::max);
    let most_rank = near.first().map_or(1.0, |id| ranks[*id]);
    let overlaps: BTreeMap<ChunkId, f64> =
        near.iter().map(|id| (*id, entity_overlap(index, *id, &entities))).collect();
    let score = |(id, copy, similarity): (ChunkId, Option<usize>, f64)| {
        let recency = match (copies, catalogue.head(id)) {
            (None, Some(head)) => touch_recency(head, query.turn),
            (Some(_), _) | (_, None) => 1.0,
        };
        let score = at_least(LEAST_SIMILARITY, similarity / most)
            * at_least(LEAST_OVERLAP, overlaps.get(&id).copied().unwrap_or_default())
            * at_least(LEAST_RECENCY, recency)
            * (ranks[id] / most_rank);
        PoolChunk { id, copy, score }
    };
    let mut pool: Vec<PoolChunk> = similar.into_iter().map(score).collect();
    // Of equals the one whose name is first, then the version that was taken in first.
    pool.sort_by(|a, b| {
        let order = b.score.total_cmp(&a.score);
        order.then_with(|| (catalogue.key_of(a.id), a.copy).cmp(&(catalogue.key_of(b.id), b.copy)))
    });
    pool.truncate(POOL);
    RoutedQuery { entities, pool }
}

/// Returns the share of the query's entities that a chunk has, 0 to 1.
fn entity_overlap(index: &MemoryIndex, id: ChunkId, entities: &BTreeSet<ChunkId>) -> f64 {
    let common = index.catalogue.chunk_entities(id).filter(|it| entities.contains(it)).count();
    common as f64 / entities.len().max(1) as f64
}

fn at_least(least: f64, share: f64) -> f64 {
    least + (1.0 - least) * share
}
