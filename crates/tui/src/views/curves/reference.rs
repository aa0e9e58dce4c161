//! What the curves are compared with.

/// What the curves are compared with, where a user says so: lowest and highest value, 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reference {
    pub erosion: Option<[f64; 2]>,
    pub verbosity: Option<[f64; 2]>,
    /// Where the numbers come from.
    pub source: Option<String>,
}
