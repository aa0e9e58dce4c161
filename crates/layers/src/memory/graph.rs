//! How chunks hang together: structural edges from the code and the documents as they are, historical ones from the turns.
//! An edge is read from both its ends.

use serde::{Deserialize, Serialize};

use super::{
    chunk::ChunkId,
    pagerank::{self, ShareRow},
};

/// The type of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A file, another file.
    Imports,
    /// Code, a definition; the weight is how often.
    Calls,
    /// A file of tests, what it names.
    Tests,
    /// A file or class, what it defines.
    Implements,
    /// A section of a document, what it names.
    Cites,
    /// An entity that a request names, to the request.
    DiscussedIn,
    /// A chunk that a turn introduced, to the request of the turn.
    IntroducedBy,
    /// A chunk that a turn removed, to the request of the turn and to its replacement.
    DeprecatedBy,
}

/// An edge as one of its ends has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphEdge {
    pub other: ChunkId,
    pub link: LinkKind,
    /// True where the edge leads here from the other end.
    pub is_reverse: bool,
    /// The weight, above 0.
    pub weight: f64,
    /// The turn that made it, or made it what it is; 0 for before the first.
    pub turn: usize,
}

/// The edges of all chunks.
#[derive(Debug, Clone, Default)]
pub struct ChunkGraph {
    edges: Vec<Vec<GraphEdge>>,
}

/// Neighbours that a node has, at most: the heaviest, then the newest.
pub(crate) const MOST_NEIGHBOURS: usize = 32;

impl LinkKind {
    pub(crate) const fn is_structural(self) -> bool {
        match self {
            Self::Imports | Self::Calls | Self::Tests | Self::Implements | Self::Cites => true,
            Self::DiscussedIn | Self::IntroducedBy | Self::DeprecatedBy => false,
        }
    }
}

impl ChunkGraph {
    /// Adds an edge at both its ends; one that is there already gets the weight, and the turn where the weight is another.
    pub(crate) fn add_edge(
        &mut self,
        from: ChunkId,
        to: ChunkId,
        link: LinkKind,
        weight: f64,
        turn: usize,
    ) {
        if from == to || weight <= 0.0 || !weight.is_finite() {
            return;
        }
        let most = from.max(to) + 1;
        if self.edges.len() < most {
            self.edges.resize_with(most, Vec::new);
        }
        for (here, other, is_back) in [(from, to, false), (to, from, true)] {
            let is_it =
                |it: &&mut GraphEdge| (it.other, it.link, it.is_reverse) == (other, link, is_back);
            match self.edges[here].iter_mut().find(is_it) {
                Some(known) if known.weight.total_cmp(&weight).is_eq() => {}
                Some(known) => (known.weight, known.turn) = (weight, turn),
                None => self.edges[here].push(GraphEdge {
                    other,
                    link,
                    is_reverse: is_back,
                    weight,
                    turn,
                }),
            }
        }
    }

    /// Makes the structural edges that lead away from a chunk these, each (to, link, weight).
    pub(crate) fn set_structural(
        &mut self,
        from: ChunkId,
        edges: &[(ChunkId, LinkKind, f64)],
        turn: usize,
    ) {
        let is_old = |edge: &&GraphEdge| {
            let is_kept = edges.iter().any(|(to, link, _)| (*to, *link) == (edge.other, edge.link));
            edge.link.is_structural() && !edge.is_reverse && !is_kept
        };
        let old: Vec<GraphEdge> = self.edges_of(from).iter().filter(is_old).copied().collect();
        for edge in old {
            self.edges[from]
                .retain(|it| (it.other, it.link, it.is_reverse) != (edge.other, edge.link, false));
            self.edges[edge.other]
                .retain(|it| (it.other, it.link, it.is_reverse) != (from, edge.link, true));
        }
        for (to, link, weight) in edges {
            self.add_edge(from, *to, *link, *weight, turn);
        }
    }

    fn edges_of(&self, id: ChunkId) -> &[GraphEdge] {
        self.edges.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns at most [`MOST_NEIGHBOURS`] edges, the heaviest first, of these the newest; `order` decides among
    /// equals.
    pub fn neighbours_of(&self, id: ChunkId, order: impl Fn(ChunkId) -> String) -> Vec<GraphEdge> {
        let mut edges = self.edges_of(id).to_vec();
        let by_weight = |a: &GraphEdge, b: &GraphEdge| {
            b.weight
                .total_cmp(&a.weight)
                .then(b.turn.cmp(&a.turn))
                .then((a.link, a.is_reverse).cmp(&(b.link, b.is_reverse)))
        };
        edges.sort_by(|a, b| by_weight(a, b).then_with(|| order(a.other).cmp(&order(b.other))));
        edges.truncate(MOST_NEIGHBOURS);
        edges
    }

    /// Returns the matrix of shares over so many chunks; both directions of a link are types of their own.
    pub(crate) fn share_rows(
        &self,
        count: usize,
        order: impl Fn(ChunkId) -> String,
    ) -> Vec<ShareRow> {
        let row = |id: ChunkId| {
            let few = self.edges_of(id).len() <= MOST_NEIGHBOURS;
            // Only a cut asks for an order.
            let edges =
                if few { self.edges_of(id).to_vec() } else { self.neighbours_of(id, &order) };
            let typed: Vec<(usize, (LinkKind, bool), f64)> =
                edges.iter().map(|it| (it.other, (it.link, it.is_reverse), it.weight)).collect();
            pagerank::share_row(&typed)
        };
        (0..count).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_its_heaviest_and_newest_neighbours() {
        let mut graph = ChunkGraph::default();
        for other in 1..=40 {
            graph.add_edge(0, other, LinkKind::Calls, f64::from(u8::from(other == 7)) + 1.0, other);
        }

        let near = graph.neighbours_of(0, |id| id.to_string());

        assert_eq!(near.len(), MOST_NEIGHBOURS);
        assert_eq!((near[0].other, near[1].other, near[31].other), (7, 40, 10));
        assert_eq!(graph.share_rows(41, |id| id.to_string())[0].len(), MOST_NEIGHBOURS);
        assert!(graph.neighbours_of(3, |id| id.to_string())[0].is_reverse);
    }

    #[test]
    fn structural_edges_follow_the_code_and_historical_ones_stay() {
        let mut graph = ChunkGraph::default();
        graph.add_edge(0, 1, LinkKind::DiscussedIn, 1.0, 1);
        graph.set_structural(0, &[(2, LinkKind::Calls, 2.0), (3, LinkKind::Imports, 1.0)], 1);
        graph.set_structural(0, &[(2, LinkKind::Calls, 3.0)], 2);

        let neighbours = |id: ChunkId| {
            let near = graph.neighbours_of(id, |id| id.to_string());
            near.iter().map(|it| (it.other, it.link, it.is_reverse, it.turn)).collect::<Vec<_>>()
        };

        assert_eq!(
            neighbours(0),
            [(2, LinkKind::Calls, false, 2), (1, LinkKind::DiscussedIn, false, 1)]
        );
        assert_eq!(neighbours(2), [(0, LinkKind::Calls, true, 2)]);
        assert_eq!(neighbours(3), []);
    }
}
