//! Whether a stated confidence is what it says: the reliability diagram and the expected calibration error (ECE; Naeini and
//! others, AAAI 2015; Guo and others, ICML 2017).
//!
//! Bins are those of scikit-learn's `calibration_curve`, of equal width or of equal mass; a confidence at the border of two
//! bins is of the lower one.

use trajview_run::worded_enum::worded;

/// Bins of a diagram.
const BINS: usize = 10;

worded! {
    words;
    /// How the borders of the bins are chosen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum BinBorders {
        /// Each bin covers one tenth of the confidences from 0 to 1.
        EqualWidth = "equal width",
        /// Each bin covers as many answers; answers of one confidence stay together.
        EqualMass = "equal mass",
    }
}

/// An answer with a stated confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidentAnswer {
    /// 0 to 1.
    pub confidence: f64,
    /// True where the answer is the level of the reference.
    pub is_right: bool,
}

/// The diagram of a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliabilityDiagram {
    /// Bins that have an answer, from low to high.
    pub bins: Vec<ReliabilityBin>,
    /// The mean distance of confidence and share of right answers, each bin weighing as many answers as it has. 0 to 1, lower
    /// is better; None without answers.
    pub calibration_error: Option<f64>,
}

/// Answers of about one confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliabilityBin {
    /// The borders of the bin.
    pub low: f64,
    pub high: f64,
    pub answers: usize,
    pub mean_confidence: f64,
    /// The share of the answers that are right.
    pub right: f64,
}

/// Draws the diagram over [`BINS`] bins. Answers whose confidence is not between 0 and 1 must be left out before.
pub fn reliability_diagram(answers: &[ConfidentAnswer], borders: BinBorders) -> ReliabilityDiagram {
    let borders = bin_borders(answers, borders);
    let inner = &borders[1..borders.len() - 1];
    let bin_of = |it: &ConfidentAnswer| inner.iter().filter(|at| **at < it.confidence).count();
    let bin = |number: usize| {
        let inside: Vec<&ConfidentAnswer> =
            answers.iter().filter(|it| bin_of(it) == number).collect();
        let count = inside.len() as f64;
        (!inside.is_empty()).then(|| ReliabilityBin {
            low: borders[number],
            high: borders[number + 1],
            answers: inside.len(),
            mean_confidence: inside.iter().map(|it| it.confidence).sum::<f64>() / count,
            right: inside.iter().filter(|it| it.is_right).count() as f64 / count,
        })
    };
    let bins: Vec<ReliabilityBin> = (0..BINS).filter_map(bin).collect();
    let gap = |it: &ReliabilityBin| it.answers as f64 * (it.right - it.mean_confidence).abs();
    let calibration_error =
        (!answers.is_empty()).then(|| bins.iter().map(gap).sum::<f64>() / answers.len() as f64);
    ReliabilityDiagram { bins, calibration_error }
}

/// Returns the borders of the bins, one more than there are bins.
fn bin_borders(answers: &[ConfidentAnswer], borders: BinBorders) -> Vec<f64> {
    let shares = (0..=BINS).map(|at| at as f64 / BINS as f64);
    let mut sorted: Vec<f64> = answers.iter().map(|it| it.confidence).collect();
    sorted.sort_by(f64::total_cmp);
    match (borders, sorted.len()) {
        (BinBorders::EqualWidth, _) | (BinBorders::EqualMass, 0) => shares.collect(),
        (BinBorders::EqualMass, count) => shares
            .map(|share| {
                let place = share * (count - 1) as f64;
                let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
                low + (high - low) * place.fract()
            })
            .collect(),
    }
}
