//! Where in a run to start: `--at`, `--file`, a link somebody copied.

use std::str::FromStr;

use super::views::View;
use trajview_run::{Run, StepId, files::RunMoment, rubric::LabelUnit};

/// A place to open at; everything left out keeps its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StartPlace {
    pub turn: Option<NamedMoment>,
    /// Path of a file of the turn.
    pub file: Option<String>,
    /// Line of the file after the turn; counts from 1.
    pub line: Option<usize>,
    /// Stay at the end of a recording that is still being written.
    pub follows: bool,
    /// The view that fills the screen.
    pub view: View,
    /// Id of a component of the checklist, in the scores and in the audit.
    pub component: Option<String>,
    /// The audited unit; None for components.
    pub unit: Option<LabelUnit>,
    /// The seed of the audit's queue.
    pub seed: Option<u64>,
}

/// A moment of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedMoment {
    /// Counts from 1, as the screen does.
    Turn(usize),
    /// The moment after a step of a turn, `12.7`: both count from 1, as in [`Run::step_numbers`].
    Step(usize, usize),
    /// The last turn of the checkpoint of this name: `--at` means the end of what it names.
    Checkpoint(String),
    Start,
    Final,
}

impl NamedMoment {
    /// Returns the moment that is named: a turn or a checkpoint means its end. The error is a sentence.
    pub fn to_moment(&self, run: &Run) -> Result<RunMoment, String> {
        match (self, self.as_checkpoint(run)) {
            (_, Some(checkpoint)) => checkpoint.turns_done(run).map(RunMoment::after_turns),
            (Self::Step(..), None) => {
                self.named_step(run).map(|step| RunMoment::after_step(run, step))
            }
            (at, None) => at.turns_done(run).map(RunMoment::after_turns),
        }
    }

    /// Returns the step that is named. The error is a sentence.
    pub fn named_step(&self, run: &Run) -> Result<StepId, String> {
        let Self::Step(turn, number) = self else {
            return Err("a step is named by its turn and its number in it, such as 12.7".into());
        };
        let steps = run.steps_of_turn(Self::Turn(*turn).turns_done(run)? - 1);
        let found = number.checked_sub(1).and_then(|at| steps.get(at)).copied();
        found.ok_or_else(|| match steps.len() {
            0 => format!("no step {turn}.{number}: turn {turn} has none"),
            count => format!("no step {turn}.{number}: the last of turn {turn} is {turn}.{count}"),
        })
    }

    /// Returns the turns done at this moment, which must not be between two steps: a turn or a checkpoint means its
    /// end. The error is a sentence.
    pub fn turns_done(&self, run: &Run) -> Result<usize, String> {
        let count = run.turns.len();
        match self {
            Self::Step(turn, number) => {
                let moment = self.to_moment(run)?;
                match moment.step {
                    None => Ok(moment.turns),
                    Some(_) => Err(format!(
                        "{turn}.{number} is inside turn {turn}; choose the end of a turn here"
                    )),
                }
            }
            Self::Start => Ok(0),
            Self::Final => Ok(run.end_in_turns()),
            Self::Turn(number) if (1..=count).contains(number) => Ok(*number),
            Self::Turn(number) => {
                let turns = if count == 1 { "1 turn".into() } else { format!("{count} turns") };
                Err(format!("no turn {number}: this run has {turns}"))
            }
            Self::Checkpoint(id) => {
                let found = run.checkpoints.iter().find(|checkpoint| checkpoint.id == *id);
                found.map(|checkpoint| checkpoint.last_turn + 1).ok_or_else(|| {
                    let ids: Vec<&str> = run.checkpoints.iter().map(|it| it.id.as_str()).collect();
                    let known = match ids.as_slice() {
                        [] => String::new(),
                        ids => format!(", a checkpoint ({})", ids.join(", ")),
                    };
                    format!("no moment {id:?} in this run; a turn from 1 to {count}{known}, start or final")
                })
            }
        }
    }

    /// Returns the turn to select, counted from 0. The error is a sentence.
    pub fn turn_index(&self, run: &Run) -> Result<usize, String> {
        let moment = self.to_moment(run)?;
        Ok(if moment.step.is_some() { moment.turns } else { moment.turns.saturating_sub(1) })
    }

    /// Returns the number of the step to select, counted from 1; None where no step that is there is named, such as by
    /// a checkpoint called `1.2`.
    pub fn step_number(&self, run: &Run) -> Option<usize> {
        match self {
            Self::Step(_, number) if self.as_checkpoint(run).is_none() => {
                self.named_step(run).is_ok().then_some(*number)
            }
            _ => None,
        }
    }

    /// Returns the checkpoint whose id has the form of a step.
    fn as_checkpoint(&self, run: &Run) -> Option<Self> {
        let Self::Step(turn, number) = self else { return None };
        let id = format!("{turn}.{number}");
        let is_one = run.checkpoints.iter().any(|checkpoint| checkpoint.id == id);
        is_one.then_some(Self::Checkpoint(id))
    }
}

impl FromStr for NamedMoment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Self::Start),
            "final" => Ok(Self::Final),
            word => match (word.parse(), parse_step(word)) {
                (Ok(0), _) | (_, Some((0, _))) => Err("turns count from 1".into()),
                (_, Some((_, 0))) => Err("steps count from 1".into()),
                (Ok(turn), _) => Ok(Self::Turn(turn)),
                (_, Some((turn, step))) => Ok(Self::Step(turn, step)),
                (Err(_), None) => Ok(Self::Checkpoint(word.into())),
            },
        }
    }
}

/// Parses `12.7` as turn 12 and step 7, both counted from 1.
fn parse_step(word: &str) -> Option<(usize, usize)> {
    let (turn, step) = word.split_once('.')?;
    Some((turn.parse().ok()?, step.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Checkpoint, Step, Turn};

    #[test]
    fn a_moment_is_a_number_start_or_final() {
        assert_eq!("3".parse(), Ok(NamedMoment::Turn(3)));
        assert_eq!("final".parse(), Ok(NamedMoment::Final));
        assert_eq!("cp2".parse(), Ok(NamedMoment::Checkpoint("cp2".into())));
        assert_eq!("0".parse::<NamedMoment>(), Err("turns count from 1".into()));
    }

    #[test]
    fn a_moment_that_does_not_exist_is_told_what_would_have_been_one() {
        let checkpoint =
            |id: &str| Checkpoint { id: id.into(), last_turn: 1, ..Checkpoint::default() };
        let checkpoints = vec![checkpoint("c1")];
        let run = Run { turns: vec![Turn::default(); 4], checkpoints, ..Run::default() };

        let why = NamedMoment::Turn(99).turn_index(&run).unwrap_err();
        assert_eq!(why, "no turn 99: this run has 4 turns");
        let why = NamedMoment::Checkpoint("c9".into()).turn_index(&run).unwrap_err();
        let known = "a turn from 1 to 4, a checkpoint (c1), start or final";
        assert_eq!(why, format!("no moment \"c9\" in this run; {known}"));
        assert_eq!(NamedMoment::Checkpoint("c1".into()).turns_done(&run), Ok(2));
        assert_eq!(NamedMoment::Final.turn_index(&Run::default()), Ok(0));
    }

    #[test]
    fn what_is_written_like_a_step_is_the_checkpoint_of_that_name_where_there_is_one() {
        let step = || Step::default();
        let turn = || Turn { steps: vec![step(), step(), step()], ..Turn::default() };
        let checkpoint = Checkpoint { id: "1.2".into(), last_turn: 2, ..Checkpoint::default() };
        let plain = Run { turns: vec![turn(), turn(), turn(), turn()], ..Run::default() };
        let named = Run { checkpoints: vec![checkpoint], ..plain.clone() };
        let at = |word: &str| word.parse::<NamedMoment>().unwrap();

        assert_eq!((at("1.2").turn_index(&plain), at("1.2").step_number(&plain)), (Ok(0), Some(2)));
        assert_eq!((at("1.2").turn_index(&named), at("1.2").step_number(&named)), (Ok(2), None));
        assert_eq!(at("1.2").turns_done(&named), Ok(3));
        // The last step ends its turn and is selected in it.
        assert_eq!((at("2.3").turn_index(&plain), at("2.3").step_number(&plain)), (Ok(1), Some(3)));
        assert!(at("2.4").turn_index(&plain).is_err());
    }
}
