//! Where in a run to start: `--at`, `--file`, a link somebody copied.

use std::str::FromStr;

/// A place to open at; everything left out keeps its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub turn: Option<At>,
    /// Step of the turn, counts from 1 as the screen does.
    pub step: Option<usize>,
    /// Path of a file of the turn.
    pub file: Option<String>,
    /// Line of the file after the turn; counts from 1.
    pub line: Option<usize>,
}

/// A moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Counts from 1, as the screen does.
    Turn(usize),
    Start,
    Final,
}

impl At {
    /// The turn to select, counts from 0; one that does not exist becomes the nearest that does.
    pub fn turn_of(self, turns: usize) -> usize {
        let last = turns.saturating_sub(1);
        match self {
            Self::Turn(number) => number.saturating_sub(1).min(last),
            Self::Start => 0,
            Self::Final => last,
        }
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Self::Start),
            "final" => Ok(Self::Final),
            number => match number.parse() {
                Ok(turn) if turn > 0 => Ok(Self::Turn(turn)),
                _ => Err(format!(
                    "expected a turn number from 1, `start` or `final`, found `{text}`"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_number_start_or_final() {
        assert_eq!("3".parse(), Ok(At::Turn(3)));
        assert_eq!("final".parse(), Ok(At::Final));
        assert!("0".parse::<At>().unwrap_err().starts_with("expected a turn number from 1"));
        assert_eq!(At::Turn(99).turn_of(4), 3);
        assert_eq!(At::Final.turn_of(0), 0);
    }
}
