//! Reference values for the curves.

/// Reference values that the user configured for the curves: lowest and highest value, 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReferenceBands {
    pub erosion: Option<[f64; 2]>,
    pub verbosity: Option<[f64; 2]>,
    /// The source of the numbers.
    pub source: Option<String>,
}
