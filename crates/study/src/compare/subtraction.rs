//! Which of two runs is taken from which.

/// Two positions: what stands at `taken` is subtracted from what stands at `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtraction {
    pub from: usize,
    pub taken: usize,
    /// Whether this is SLUMP's loss, single-shot minus emergent; then a positive score difference is a loss.
    pub is_slump: bool,
}

/// As bundles write them.
pub(super) const EMERGENT: &str = "emergent";
pub(super) const SINGLE_SHOT: &str = "single-shot";

impl Subtraction {
    /// Between the runs at two positions, by their conditions: single-shot minus emergent in either order. Where the
    /// conditions do not tell, the first minus the second.
    pub fn of(positions: (usize, usize), conditions: (Option<&str>, Option<&str>)) -> Self {
        let (first, second) = positions;
        let plain = Self { from: first, taken: second, is_slump: false };
        match conditions {
            (Some(SINGLE_SHOT), Some(EMERGENT)) => Self { is_slump: true, ..plain },
            (Some(EMERGENT), Some(SINGLE_SHOT)) => {
                Self { from: second, taken: first, is_slump: true }
            }
            _ => plain,
        }
    }

    /// `single-shot − emergent (b − a)`
    pub fn words(self) -> String {
        let letters = format!("{} − {}", super::letter(self.from), super::letter(self.taken));
        match self.is_slump {
            true => format!("{SINGLE_SHOT} − {EMERGENT} ({letters})"),
            false => letters,
        }
    }
}
