//! Clusters of similar sets: pairs that agree in a band of their signatures are compared exactly, and sets at least
//! as similar as the threshold are in one cluster, directly or through others (single linkage).
//!
//! Equal sets are compared once, whatever their number. The medoid of a cluster is the set that is most similar to
//! its others on average; in a cluster of more than [`MOST_COMPARED`] different sets it is the medoid among that many
//! of them. Everything follows from the sets, their order and the seed.

use std::collections::HashMap;

use super::minhash::{
    HashFamily, JaccardEstimate, MinhashSignature, SignatureBands, jaccard_similarity,
};

/// Different sets of a cluster that are compared with one another to find its medoid.
pub const MOST_COMPARED: usize = 256;

/// The settings of a clustering.
#[derive(Debug, Clone, Copy)]
pub struct ClusterOptions {
    /// The least similarity of two sets in one cluster, above 0 and at most 1.
    pub threshold: f64,
    /// Numbers of a signature.
    pub functions: usize,
    pub seed: u64,
}

/// The result of a clustering.
#[derive(Debug, PartialEq)]
pub struct SetClusters {
    /// The clusters of at least two sets, the largest first.
    pub clusters: Vec<SetCluster>,
    /// Sets that are like no other.
    pub alone: usize,
    /// The number of sets without members, which are compared with nothing.
    pub empty: usize,
    pub bands: SignatureBands,
    /// Pairs of different sets that were compared exactly.
    pub compared: usize,
}

/// Sets that are alike.
#[derive(Debug, PartialEq)]
pub struct SetCluster {
    /// The place of the medoid among all sets.
    pub medoid: usize,
    /// The medoid first, then as alike as they are to it.
    pub members: Vec<ClusterMember>,
    /// The members of the medoid, each with how many sets of the cluster have it, most first.
    pub shared: Vec<(u64, usize)>,
}

/// A set of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterMember {
    /// Its place among all sets.
    pub set: usize,
    /// The exact similarity to the medoid.
    pub similarity: f64,
    /// The similarity to the medoid that the signatures estimate.
    pub estimate: JaccardEstimate,
}

/// A set of which there may be several, with its places.
struct ClusterNode<'s> {
    set: &'s [u64],
    places: Vec<usize>,
    signature: MinhashSignature,
}

/// Puts the sets together; their numbers are in ascending order.
pub fn cluster_sets(sets: &[Vec<u64>], options: &ClusterOptions) -> SetClusters {
    let family = HashFamily::new(options.seed, options.functions);
    let nodes = distinct_sets(sets, &family);
    let bands = SignatureBands::for_threshold(options.functions, options.threshold);
    let mut joined = DisjointSets::new(nodes.len());
    let compared = join_similar(&nodes, bands, options.threshold, &mut joined);
    let mut groups: HashMap<usize, Vec<&ClusterNode<'_>>> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        groups.entry(joined.find_root(at)).or_default().push(node);
    }
    let sizes = groups.values().map(|nodes| nodes.iter().map(|it| it.places.len()).sum::<usize>());
    let alone = sizes.filter(|size| *size == 1).count();
    let several = groups.values().filter(|nodes| nodes.len() > 1 || nodes[0].places.len() > 1);
    let mut clusters: Vec<SetCluster> = several.map(|nodes| build_cluster(nodes)).collect();
    clusters.sort_by_key(|it| (std::cmp::Reverse(it.members.len()), it.medoid));
    let empty = sets.iter().filter(|set| set.is_empty()).count();
    SetClusters { clusters, alone, empty, bands, compared }
}

fn distinct_sets<'s>(sets: &'s [Vec<u64>], family: &HashFamily) -> Vec<ClusterNode<'s>> {
    let mut known: HashMap<&[u64], usize> = HashMap::new();
    let mut nodes: Vec<ClusterNode<'s>> = vec![];
    for (place, set) in sets.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
        let at = *known.entry(set.as_slice()).or_insert(nodes.len());
        match nodes.get_mut(at) {
            Some(node) => node.places.push(place),
            None => nodes.push(ClusterNode {
                set,
                places: vec![place],
                signature: family.signature_of(set),
            }),
        }
    }
    nodes
}

/// Joins what is alike enough, and gives how many pairs were compared. What is joined already need not be.
fn join_similar(
    nodes: &[ClusterNode<'_>],
    bands: SignatureBands,
    threshold: f64,
    joined: &mut DisjointSets,
) -> usize {
    let mut compared = 0;
    let buckets: Vec<Vec<u64>> =
        nodes.iter().map(|node| bands.band_hashes(&node.signature).collect()).collect();
    for band in 0..bands.bands {
        let mut held: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, buckets) in buckets.iter().enumerate() {
            held.entry(buckets[band]).or_default().push(at);
        }
        let mut held: Vec<Vec<usize>> = held.into_values().filter(|it| it.len() > 1).collect();
        held.sort_unstable(); // how many are compared depends on the order
        for bucket in held {
            for (number, one) in bucket.iter().enumerate() {
                for other in &bucket[..number] {
                    if joined.find_root(*one) == joined.find_root(*other) {
                        continue;
                    }
                    compared += 1;
                    let similarity = jaccard_similarity(nodes[*one].set, nodes[*other].set);
                    if similarity.is_some_and(|it| it >= threshold) {
                        joined.join_sets(*one, *other);
                    }
                }
            }
        }
    }
    compared
}

fn build_cluster(nodes: &[&ClusterNode<'_>]) -> SetCluster {
    let mut compared: Vec<&ClusterNode<'_>> = nodes.to_vec();
    if compared.len() > MOST_COMPARED {
        compared.sort_by_key(|node| node.signature.least_members().first().copied());
        compared.truncate(MOST_COMPARED);
        compared.sort_by_key(|node| node.places[0]);
    }
    let similarity =
        |a: &ClusterNode<'_>, b: &ClusterNode<'_>| jaccard_similarity(a.set, b.set).unwrap_or(0.0);
    let sum = |node: &ClusterNode<'_>| {
        compared.iter().map(|it| similarity(node, it) * it.places.len() as f64).sum::<f64>()
    };
    let mut medoid = (compared[0], f64::NEG_INFINITY);
    for node in &compared {
        let sum = sum(node);
        if sum > medoid.1 {
            medoid = (node, sum);
        }
    }
    let medoid = medoid.0;
    let member = |node: &&ClusterNode<'_>| {
        let similarity = similarity(medoid, node);
        let estimate = medoid.signature.jaccard_estimate(&node.signature);
        let member = move |set: &usize| ClusterMember { set: *set, similarity, estimate };
        node.places.iter().map(member).collect::<Vec<_>>()
    };
    let mut members: Vec<ClusterMember> = nodes.iter().flat_map(member).collect();
    let place = medoid.places[0];
    members.sort_by(|a, b| {
        let by_similarity = b.similarity.total_cmp(&a.similarity);
        (a.set != place).cmp(&(b.set != place)).then(by_similarity).then(a.set.cmp(&b.set))
    });
    let sets = |number: &u64| {
        let having = nodes.iter().filter(|it| it.set.binary_search(number).is_ok());
        having.map(|node| node.places.len()).sum::<usize>()
    };
    let mut shared: Vec<(u64, usize)> =
        medoid.set.iter().map(|number| (*number, sets(number))).collect();
    shared.sort_by_key(|(number, sets)| (std::cmp::Reverse(*sets), *number));
    SetCluster { medoid: place, members, shared }
}

/// Disjoint sets as a forest, in which each place points to one above it.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find_root(&mut self, at: usize) -> usize {
        let mut root = at;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn join_sets(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find_root(a), self.find_root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    const OPTIONS: ClusterOptions = ClusterOptions { threshold: 0.5, functions: 128, seed: 7 };

    fn number_set(numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
        numbers.into_iter().collect()
    }

    #[test]
    fn what_is_alike_is_together_and_what_is_not_is_alone() {
        let sets = [
            number_set(0..10),
            number_set(100..110),
            number_set(0..9),
            number_set([]),
            number_set(0..10),
            number_set(200..205),
            number_set(1..11),
        ];

        let found = cluster_sets(&sets, &OPTIONS);

        assert_eq!((found.clusters.len(), found.alone, found.empty), (1, 2, 1));
        let cluster = &found.clusters[0];
        let members: Vec<usize> = cluster.members.iter().map(|it| it.set).collect();
        assert_eq!((cluster.medoid, members), (0, vec![0, 4, 2, 6]));
        assert_eq!(cluster.members[2].similarity, 0.9);
        assert_eq!(cluster.shared.last().unwrap().1, 3);
        assert_eq!(cluster.shared[0].1, 4);
    }

    #[test]
    fn equal_sets_are_compared_with_others_once() {
        let sets: Vec<Vec<u64>> = (0..3000).map(|at| number_set(0..10 + at % 2)).collect();

        let found = cluster_sets(&sets, &OPTIONS);

        assert_eq!((found.clusters.len(), found.clusters[0].members.len()), (1, 3000));
        assert_eq!(found.compared, 1);
    }

    proptest! {
        #[test]
        fn whatever_the_sets_each_is_in_one_place_and_members_of_a_cluster_hang_together(
            sets in vec(proptest::collection::btree_set(0u64..30, 0..12), 0..40), seed in any::<u64>(),
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|it| it.into_iter().collect()).collect();
            let found = cluster_sets(&sets, &ClusterOptions { seed, ..OPTIONS });

            let mut seen: Vec<usize> =
                found.clusters.iter().flat_map(|it| it.members.iter().map(|it| it.set)).collect();
            let count = seen.len();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), count);
            prop_assert_eq!(count + found.alone + found.empty, sets.len());
            for cluster in &found.clusters {
                for member in &cluster.members {
                    let is_near = cluster.members.iter().any(|other| {
                        other.set != member.set
                            && jaccard_similarity(&sets[other.set], &sets[member.set]).unwrap() >= 0.5
                    });
                    prop_assert!(is_near);
                }
            }
            prop_assert_eq!(&found, &cluster_sets(&sets, &ClusterOptions { seed, ..OPTIONS }));
        }
    }
}
