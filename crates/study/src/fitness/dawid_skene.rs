//! The consensus of a panel by the model of Dawid and Skene (Applied Statistics 28, 1979): every item has one true level,
//! and every rater gives each level with a probability that depends on the true level alone.
//!
//! Expectation maximisation, as crowd-kit has it. It starts at the shares of the levels that an item was given, the
//! majority, and not at random numbers: the same scores give the same result, and levels cannot change their names.

/// Probabilities below this count as this, so that one unseen answer does not rule a level out for ever.
const LEAST: f64 = 1e-10;

/// Fewer expected items of a level than this are none.
const FEWEST_EXPECTED: f64 = 1e-3;

/// The gain of a round, in log-likelihood a score, below which the estimate has converged.
const TOLERANCE: f64 = 1e-13;

/// Rounds at most.
const MOST_ROUNDS: usize = 2_000;

/// The consensus of a panel, and how each rater scores against it.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelConsensus {
    /// The probability of each level, for each item, in their order; empty for an item that nobody scored.
    pub posteriors: Vec<Vec<f64>>,
    /// The share of each level among the items.
    pub shares: Vec<f64>,
    pub raters: Vec<RaterConfusion>,
    /// Rounds of expectation maximisation.
    pub rounds: usize,
    /// False where the estimate still changed in the last round.
    pub is_converged: bool,
}

/// How one rater scores items of each level of the consensus.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterConfusion {
    /// Scores.
    pub scores: usize,
    /// The expected number of scores: a row for each level of the consensus, a column for each level of the rater.
    pub counts: Vec<Vec<f64>>,
}

impl RaterConfusion {
    /// Returns the probabilities of the rater's levels for items of this level; None where the consensus has no such item
    /// among those that the rater scored.
    pub fn given_level(&self, level: usize) -> Option<Vec<f64>> {
        let row = self.counts.get(level)?;
        let all: f64 = row.iter().sum();
        (all > FEWEST_EXPECTED).then(|| row.iter().map(|count| count / all).collect())
    }

    /// Returns the expected share of scores that are the consensus; None without a score.
    pub fn accuracy(&self) -> Option<f64> {
        let right: f64 =
            self.counts.iter().enumerate().filter_map(|(level, row)| row.get(level)).sum();
        (self.scores > 0).then(|| right / self.scores as f64)
    }
}

/// Returns the level with the highest probability and that probability; the lower one of two. None for an item that nobody
/// scored.
pub fn likeliest_level(posterior: &[f64]) -> Option<(usize, f64)> {
    let levels = posterior.iter().copied().enumerate();
    levels.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Estimates the consensus. Each item has a position on the scale for each rater, None where one gave none.
pub fn panel_consensus(
    items: &[Vec<Option<usize>>],
    raters: usize,
    levels: usize,
) -> PanelConsensus {
    let mut posteriors: Vec<Vec<f64>> =
        items.iter().map(|item| given_shares(item, levels)).collect();
    let scores = items.iter().flatten().flatten().count().max(1) as f64;
    let (mut rounds, mut is_converged, mut before) = (0, false, f64::NEG_INFINITY);
    while rounds < MOST_ROUNDS && !is_converged {
        rounds += 1;
        let shares = level_shares(&posteriors, levels);
        let confusions = rater_confusions(items, &posteriors, raters, levels);
        let odds: Vec<Vec<Vec<f64>>> = confusions.iter().map(log_probabilities).collect();
        let mut likelihood = 0.0;
        for (item, posterior) in items.iter().zip(&mut posteriors) {
            if !posterior.is_empty() {
                likelihood += update_posterior(item, posterior, &shares, &odds);
            }
        }
        is_converged = (likelihood - before) / scores < TOLERANCE;
        before = likelihood;
    }
    PanelConsensus {
        shares: level_shares(&posteriors, levels),
        raters: rater_confusions(items, &posteriors, raters, levels),
        posteriors,
        rounds,
        is_converged,
    }
}

/// Returns the share of each level among the scores of an item; empty without a score.
fn given_shares(item: &[Option<usize>], levels: usize) -> Vec<f64> {
    let given: Vec<usize> = item.iter().flatten().copied().filter(|at| *at < levels).collect();
    if given.is_empty() {
        return vec![];
    }
    let mut shares = vec![0.0; levels];
    given.iter().for_each(|at| shares[*at] += 1.0 / given.len() as f64);
    shares
}

fn level_shares(posteriors: &[Vec<f64>], levels: usize) -> Vec<f64> {
    let scored = || posteriors.iter().filter(|it| !it.is_empty());
    let count = scored().count().max(1) as f64;
    (0..levels).map(|level| scored().map(|it| it[level]).sum::<f64>() / count).collect()
}

fn rater_confusions(
    items: &[Vec<Option<usize>>],
    posteriors: &[Vec<f64>],
    raters: usize,
    levels: usize,
) -> Vec<RaterConfusion> {
    let nothing = RaterConfusion { scores: 0, counts: vec![vec![0.0; levels]; levels] };
    let mut confusions = vec![nothing; raters];
    for (item, posterior) in items.iter().zip(posteriors).filter(|(_, it)| !it.is_empty()) {
        for (confusion, given) in confusions.iter_mut().zip(item) {
            let Some(given) = given.filter(|at| *at < levels) else { continue };
            confusion.scores += 1;
            for (row, share) in confusion.counts.iter_mut().zip(posterior) {
                row[given] += share;
            }
        }
    }
    confusions
}

/// Returns the logarithms of the probabilities of a rater's levels, a row for each level of the consensus. Levels that the
/// rater never gave are left out of the sums, so that they have no probability of their own.
fn log_probabilities(confusion: &RaterConfusion) -> Vec<Vec<f64>> {
    let is_given = |given: usize| confusion.counts.iter().map(|row| row[given]).sum::<f64>() > 0.0;
    let columns: Vec<bool> = (0..confusion.counts.len()).map(is_given).collect();
    let row_logs = |row: &Vec<f64>| {
        let counts = row.iter().zip(&columns).map(|(count, is_given)| match is_given {
            true => count.max(LEAST),
            false => 0.0,
        });
        let counts: Vec<f64> = counts.collect();
        let all: f64 = counts.iter().sum();
        counts.iter().map(|count| (count / all).ln()).collect()
    };
    confusion.counts.iter().map(row_logs).collect()
}

/// Computes the posterior of an item anew, and returns the logarithm of its likelihood.
fn update_posterior(
    item: &[Option<usize>],
    posterior: &mut [f64],
    shares: &[f64],
    odds: &[Vec<Vec<f64>>],
) -> f64 {
    for (level, (chance, share)) in posterior.iter_mut().zip(shares).enumerate() {
        let given = item.iter().zip(odds).filter_map(|(given, odds)| odds[level].get((*given)?));
        *chance = share.max(LEAST).ln() + given.sum::<f64>();
    }
    let highest = posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    posterior.iter_mut().for_each(|chance| *chance = (*chance - highest).exp());
    let whole: f64 = posterior.iter().sum();
    posterior.iter_mut().for_each(|chance| *chance /= whole);
    highest + whole.ln()
}
