//! How chunks hang together: structural edges from the code and the documents as they are, historical ones from the turns.
//! An edge is read from both its ends.

use serde::{Deserialize, Serialize};

use super::{
    chunk::Id,
    rank::{self, Row},
};

/// The type of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
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
    /// What a request names, the request.
    DiscussedIn,
    /// What a turn brought, its request.
    IntroducedBy,
    /// What a turn took away, its request and what took it in.
    DeprecatedBy,
}

/// An edge as one of its ends has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    pub other: Id,
    pub link: Link,
    /// Whether it leads here from the other end.
    pub is_back: bool,
    /// Above 0.
    pub weight: f64,
    /// The turn that made it, or made it what it is; 0 for before the first.
    pub turn: usize,
}

/// The edges of all chunks.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
}

/// Neighbours that a node has, at most: the heaviest, then the newest.
pub const MOST_NEIGHBOURS: usize = 32;

impl Link {
    pub const fn is_structural(self) -> bool {
        match self {
            Self::Imports | Self::Calls | Self::Tests | Self::Implements | Self::Cites => true,
            Self::DiscussedIn | Self::IntroducedBy | Self::DeprecatedBy => false,
        }
    }
}

impl Graph {
    /// Adds an edge at both its ends; one that is there already gets the weight, and the turn where the weight is another.
    pub fn add(&mut self, from: Id, to: Id, link: Link, weight: f64, turn: usize) {
        if from == to || weight <= 0.0 || !weight.is_finite() {
            return;
        }
        let most = from.max(to) + 1;
        if self.edges.len() < most {
            self.edges.resize_with(most, Vec::new);
        }
        for (here, other, is_back) in [(from, to, false), (to, from, true)] {
            let is_it = |it: &&mut Edge| (it.other, it.link, it.is_back) == (other, link, is_back);
            match self.edges[here].iter_mut().find(is_it) {
                Some(known) if known.weight.total_cmp(&weight).is_eq() => {}
                Some(known) => (known.weight, known.turn) = (weight, turn),
                None => self.edges[here].push(Edge { other, link, is_back, weight, turn }),
            }
        }
    }

    /// Makes the structural edges that lead away from a chunk these, each (to, link, weight).
    pub fn set_structural(&mut self, from: Id, wanted: &[(Id, Link, f64)], turn: usize) {
        let is_old = |edge: &&Edge| {
            let is_kept =
                wanted.iter().any(|(to, link, _)| (*to, *link) == (edge.other, edge.link));
            edge.link.is_structural() && !edge.is_back && !is_kept
        };
        let old: Vec<Edge> = self.of(from).iter().filter(is_old).copied().collect();
        for edge in old {
            self.edges[from]
                .retain(|it| (it.other, it.link, it.is_back) != (edge.other, edge.link, false));
            self.edges[edge.other]
                .retain(|it| (it.other, it.link, it.is_back) != (from, edge.link, true));
        }
        for (to, link, weight) in wanted {
            self.add(from, *to, *link, *weight, turn);
        }
    }

    fn of(&self, id: Id) -> &[Edge] {
        self.edges.get(id).map_or(&[], Vec::as_slice)
    }

    /// At most [`MOST_NEIGHBOURS`], the heaviest first, of these the newest; `order` decides among equals.
    pub fn neighbours(&self, id: Id, order: impl Fn(Id) -> String) -> Vec<Edge> {
        let mut edges = self.of(id).to_vec();
        let by_weight = |a: &Edge, b: &Edge| {
            b.weight
                .total_cmp(&a.weight)
                .then(b.turn.cmp(&a.turn))
                .then((a.link, a.is_back).cmp(&(b.link, b.is_back)))
        };
        edges.sort_by(|a, b| by_weight(a, b).then_with(|| order(a.other).cmp(&order(b.other))));
        edges.truncate(MOST_NEIGHBOURS);
        edges
    }

    /// The matrix of shares over so many chunks; both directions of a link are types of their own.
    pub fn rows(&self, count: usize, order: impl Fn(Id) -> String) -> Vec<Row> {
        let row = |id: Id| {
            let few = self.of(id).len() <= MOST_NEIGHBOURS;
            // Only a cut asks for an order.
            let edges = if few { self.of(id).to_vec() } else { self.neighbours(id, &order) };
            let typed: Vec<(usize, (Link, bool), f64)> =
                edges.iter().map(|it| (it.other, (it.link, it.is_back), it.weight)).collect();
            rank::row(&typed)
        };
        (0..count).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_its_heaviest_and_newest_neighbours() {
        let mut graph = Graph::default();
        for other in 1..=40 {
            graph.add(0, other, Link::Calls, f64::from(u8::from(other == 7)) + 1.0, other);
        }

        let near = graph.neighbours(0, |id| id.to_string());

        assert_eq!(near.len(), MOST_NEIGHBOURS);
        assert_eq!((near[0].other, near[1].other, near[31].other), (7, 40, 10));
        assert_eq!(graph.rows(41, |id| id.to_string())[0].len(), MOST_NEIGHBOURS);
        assert!(graph.neighbours(3, |id| id.to_string())[0].is_back);
    }

    #[test]
    fn structural_edges_follow_the_code_and_historical_ones_stay() {
        let mut graph = Graph::default();
        graph.add(0, 1, Link::DiscussedIn, 1.0, 1);
        graph.set_structural(0, &[(2, Link::Calls, 2.0), (3, Link::Imports, 1.0)], 1);
        graph.set_structural(0, &[(2, Link::Calls, 3.0)], 2);

        let told = |id: Id| {
            let near = graph.neighbours(id, |id| id.to_string());
            near.iter().map(|it| (it.other, it.link, it.is_back, it.turn)).collect::<Vec<_>>()
        };

        assert_eq!(told(0), [(2, Link::Calls, false, 2), (1, Link::DiscussedIn, false, 1)]);
        assert_eq!(told(2), [(0, Link::Calls, true, 2)]);
        assert_eq!(told(3), []);
    }
}
