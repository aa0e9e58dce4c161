//! Which of two runs is taken from which.

/// Two positions: the value at `subtracted` is subtracted from the value at `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtraction {
    pub from: usize,
    pub subtracted: usize,
    /// True for SLUMP's loss, single-shot minus emergent, where a positive score difference is a loss.
    pub is_slump: bool,
}

/// The conditions as bundles write them.
pub(super) const EMERGENT: &str = "emergent";
pub(super) const SINGLE_SHOT: &str = "single-shot";

impl Subtraction {
    /// Chooses the direction between the runs at two positions by their conditions: single-shot minus emergent in
    /// either order. Where the conditions do not decide, it is the first minus the second.
    pub fn by_conditions(
        positions: (usize, usize),
        conditions: (Option<&str>, Option<&str>),
    ) -> Self {
        let (first, second) = positions;
        let plain = Self { from: first, subtracted: second, is_slump: false };
        match conditions {
            (Some(SINGLE_SHOT), Some(EMERGENT)) => Self { is_slump: true, ..plain },
            (Some(EMERGENT), Some(SINGLE_SHOT)) => {
                Self { from: second, subtracted: first, is_slump: true }
            }
            _ => plain,
        }
    }

    /// Returns `single-shot − emergent (b − a)`, or `b − a` where the conditions do not tell.
    pub fn display_text(self) -> String {
        let letters =
            format!("{} − {}", super::run_letter(self.from), super::run_letter(self.subtracted));
        match self.is_slump {
            true => format!("{SINGLE_SHOT} − {EMERGENT} ({letters})"),
            false => letters,
        }
    }
}
