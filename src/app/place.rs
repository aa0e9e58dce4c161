//! Where in a run to start: `--at`, `--file`, a link somebody copied.

use std::str::FromStr;

use crate::run::Run;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// Counts from 1, as the screen does.
    Turn(usize),
    /// The last turn of the checkpoint of this name: `--at` means the end of what it names.
    Checkpoint(String),
    Start,
    Final,
}

impl At {
    /// The turn to select, counts from 0; a number too high means the last. None where no checkpoint has that name.
    pub fn turn_of(&self, run: &Run) -> Option<usize> {
        let last = run.turns.len().saturating_sub(1);
        match self {
            Self::Turn(number) => Some(number.saturating_sub(1).min(last)),
            Self::Checkpoint(id) => {
                let checkpoint = run.checkpoints.iter().find(|checkpoint| checkpoint.id == *id)?;
                Some(checkpoint.last_turn.min(last))
            }
            Self::Start => Some(0),
            Self::Final => Some(last),
        }
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Self::Start),
            "final" => Ok(Self::Final),
            word => match word.parse() {
                Ok(0) => Err("turns count from 1".into()),
                Ok(turn) => Ok(Self::Turn(turn)),
                Err(_) => Ok(Self::Checkpoint(word.into())),
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
        assert_eq!("cp2".parse(), Ok(At::Checkpoint("cp2".into())));
        assert_eq!("0".parse::<At>(), Err("turns count from 1".into()));
    }

    #[test]
    fn a_moment_that_does_not_exist_is_the_nearest_that_does_or_none() {
        let run = Run { turns: vec![Default::default(); 4], ..Run::default() };
        assert_eq!(At::Turn(99).turn_of(&run), Some(3));
        assert_eq!(At::Checkpoint("cp2".into()).turn_of(&run), None);
        assert_eq!(At::Final.turn_of(&Run::default()), Some(0));
    }
}
