//! Ranks, where equals share the mean of their places.

/// The ranks of some numbers.
pub struct MeanRanks {
    /// The rank of each number, from 1; a multiple of one half.
    pub ranks: Vec<f64>,
    /// The size of each group of two or more equal numbers.
    pub ties: Vec<usize>,
}

/// Ranks numbers that are not NaN, lowest first; equal ones share their mean rank.
pub fn rank_numbers(numbers: &[f64]) -> MeanRanks {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = MeanRanks { ranks: vec![0.0; numbers.len()], ties: vec![] };
    let mut before = 0;
    // `==` and not the order's own equality: 0 and -0 are one number.
    for group in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let rank = before as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|&at| ranks.ranks[at] = rank);
        if group.len() > 1 {
            ranks.ties.push(group.len());
        }
        before += group.len();
    }
    ranks
}
