//! How far a run is, by what lies in its folder.

use std::{fs, path::Path};

use trajview_run::batch::Used;

use super::super::{
    event::Total,
    journal::{self, Done, Entry, Progress},
    manifest::State,
};

/// What the journal of a bundle says of its run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// By which its processes are known.
    pub id: String,
    /// Turns that count.
    pub turns: usize,
    /// Whether a turn is under way, or was when nobody wrote any more.
    pub is_open: bool,
    /// Turns that do not count included.
    pub used: Used,
    pub is_finished: bool,
    /// Why it stopped, where that is the last thing that happened.
    pub stopped: Option<Halted>,
    /// How often the next turn failed, one time after the other.
    pub tries: usize,
    /// How often any turn failed.
    pub failures: usize,
    /// Turns that failed and stand all the same.
    pub kept: usize,
    /// Of the last checkpoint that was tested: passed, and all.
    pub tests: Option<(u64, u64)>,
}

/// Why a run is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halted {
    /// It was told to stop.
    Told,
    /// A turn failed; a sentence.
    Failed(String),
    /// Its files could not be written; a sentence.
    Unwritten(String),
    /// One of its limits was reached; a sentence.
    Budget(String),
}

impl Halted {
    fn of(why: &str) -> Self {
        match why {
            "it was told to stop" => Self::Told,
            why if is_failure(why) => Self::Failed(why.to_owned()),
            why if why.starts_with("cannot write") => Self::Unwritten(why.to_owned()),
            why => Self::Budget(why.to_owned()),
        }
    }
}

/// `turn 3 failed: the agent …`
fn is_failure(why: &str) -> bool {
    let rest = why.strip_prefix("turn ").and_then(|rest| rest.split_once(' '));
    rest.is_some_and(|(turn, rest)| turn.parse::<usize>().is_ok() && rest.starts_with("failed: "))
}

/// How long the journal of a bundle is; None where there is none.
pub fn length(bundle: &Path) -> Option<u64> {
    fs::metadata(bundle.join("live.jsonl")).ok().map(|meta| meta.len())
}

impl Look {
    /// None where no run was begun in the folder.
    pub fn at(bundle: &Path) -> Option<Self> {
        let text = fs::read(bundle.join("live.jsonl")).ok()?;
        let id = journal::read(bundle)?.id;
        Some(Self { id, ..Self::of(journal::entries(&text)) })
    }

    fn of(entries: impl Iterator<Item = Entry>) -> Self {
        let mut look = Self::default();
        let mut progress = Progress::default();
        let mut attempts = Progress::default();
        for entry in entries {
            match &entry {
                Entry::TurnEnded(ended) => {
                    look.kept += usize::from(ended.row.state == State::Kept);
                    look.tries = if ended.row.state.counts() { 0 } else { look.tries };
                    attempts.done.push(Done { logs: vec![], ..(**ended).clone() });
                }
                Entry::Stopped { why } if is_failure(why) => {
                    look.tries += 1;
                    look.failures += 1;
                }
                Entry::Tested { passed, total, .. } => look.tests = Some((*passed, *total)),
                _ => {}
            }
            progress.take(&entry);
        }
        let Total { tokens, cost_usd, seconds, .. } = attempts.total();
        Self {
            turns: progress.done.len(),
            is_open: progress.open.as_ref().is_some_and(|row| row.state == State::Begun),
            used: Used { tokens, cost_usd, seconds },
            is_finished: progress.is_finished,
            stopped: progress.stopped.as_deref().map(Halted::of),
            failures: look.failures + look.kept,
            ..look
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Reported, TurnRow};
    use trajview_run::Tokens;

    fn ended(turn: usize, state: State) -> Entry {
        let tokens = Tokens { input: Some(10), ..Tokens::default() };
        let reported = Reported { tokens, ..Reported::default() };
        let row = TurnRow { turn, state, reported, ..TurnRow::default() };
        Entry::TurnEnded(Box::new(Done { row, seconds: 2.0, ..Done::default() }))
    }

    fn began(turn: usize) -> Entry {
        let request_sha256 = String::new();
        Entry::TurnBegan { turn, attempt: 1, request_sha256, before: None }
    }

    fn stopped(why: &str) -> Entry {
        Entry::Stopped { why: why.into() }
    }

    #[test]
    fn turns_that_do_not_count_are_paid_for_and_tries_are_those_of_one_turn() {
        let failed = "turn 2 failed: the agent failed (exit code 1): no model";
        let all = [
            began(1),
            ended(1, State::Cut),
            stopped("turn 1 failed: x"),
            began(1),
            ended(1, State::Done),
            began(2),
            ended(2, State::Cut),
            stopped(failed),
            began(2),
            ended(2, State::Cut),
            stopped(failed),
        ];

        let look = Look::of(all.into_iter());

        assert_eq!((look.turns, look.tries, look.failures), (1, 2, 3));
        assert_eq!((look.used.tokens.input, look.used.seconds), (Some(40), 8.0));
        assert_eq!(look.used.cost_usd, None);
        assert_eq!(look.stopped, Some(Halted::Failed(failed.into())));
    }

    #[test]
    fn a_turn_is_open_until_it_ends() {
        assert!(Look::of([began(1)].into_iter()).is_open);
        assert!(!Look::of([began(1), ended(1, State::Done)].into_iter()).is_open);
        assert!(!Look::of([began(1), ended(1, State::Cut)].into_iter()).is_open);
    }

    #[test]
    fn it_is_known_why_a_run_stopped() {
        let of = |why: &str| Look::of([stopped(why)].into_iter()).stopped.unwrap();
        assert_eq!(of("it was told to stop"), Halted::Told);
        assert!(matches!(of("20 tokens are used; the limit is 10"), Halted::Budget(_)));
        assert!(matches!(of("cannot write x: no space left on device"), Halted::Unwritten(_)));
        assert!(matches!(of("turn 1 failed: the model server does not answer"), Halted::Failed(_)));
    }
}
