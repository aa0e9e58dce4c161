//! Reads the progress of a run from the files in its bundle.

use std::{fs, path::Path};

use trajview_run::{TurnState, batch::BatchUsage, live::RunTotal};

use super::super::journal::{
    self, FinishedTurn, JournalEntry, LiveProgress, StopReason, StoppedRun,
};

/// The progress of a run, read from the journal of its bundle.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JournalSummary {
    /// The id of the run, which its processes carry.
    pub id: String,
    /// The number of turns that count.
    pub turns: usize,
    /// True if a turn is under way, or was when the process that wrote the journal ended.
    pub is_open: bool,
    /// Used in all, turns that do not count included.
    pub used: BatchUsage,
    pub is_finished: bool,
    /// The reason why it stopped; None when something else happened after that.
    pub stopped: Option<StoppedRun>,
    /// The number of times that the next turn failed in a row.
    pub tries: usize,
    /// The number of failed turns.
    pub failures: usize,
    /// The number of turns that failed and count nevertheless.
    pub kept: usize,
    /// Passed tests and all tests of the last checkpoint that was tested.
    pub tests: Option<(u64, u64)>,
}

/// Returns the length of a bundle's journal in bytes; None without a journal.
pub(crate) fn journal_length(bundle: &Path) -> Option<u64> {
    fs::metadata(bundle.join("live.jsonl")).ok().map(|meta| meta.len())
}

impl JournalSummary {
    /// Reads the summary of a bundle; None when no run was begun in the folder.
    pub(crate) fn read_bundle(bundle: &Path) -> Option<Self> {
        let text = fs::read(bundle.join("live.jsonl")).ok()?;
        let id = journal::read_journal(bundle)?.id;
        Some(Self { id, ..Self::from_entries(journal::journal_entries(&text)) })
    }

    fn from_entries(entries: impl Iterator<Item = JournalEntry>) -> Self {
        let mut look = Self::default();
        let mut progress = LiveProgress::default();
        let mut attempts = LiveProgress::default();
        for entry in entries {
            match &entry {
                JournalEntry::TurnEnded(ended) => {
                    look.kept += usize::from(ended.row.state == TurnState::Kept);
                    look.tries = if ended.row.state.is_counted() { 0 } else { look.tries };
                    attempts.done.push(FinishedTurn { logs: vec![], ..(**ended).clone() });
                }
                JournalEntry::Tested { passed, total, .. } => look.tests = Some((*passed, *total)),
                _ => {}
            }
            progress.apply_entry(&entry);
            let stopped = progress.stopped.as_ref().map(|it| it.reason);
            if matches!(entry, JournalEntry::Stopped { .. })
                && stopped == Some(StopReason::TurnFailed)
            {
                look.tries += 1;
                look.failures += 1;
            }
        }
        let RunTotal { tokens, cost_usd, seconds, .. } = attempts.used_in_total();
        Self {
            turns: progress.done.len(),
            is_open: progress.open.as_ref().is_some_and(|row| row.state == TurnState::Begun),
            used: BatchUsage { tokens, cost_usd, seconds },
            is_finished: progress.is_finished,
            stopped: progress.stopped,
            failures: look.failures + look.kept,
            ..look
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{AgentReport, LiveTurnRow};
    use trajview_run::Tokens;

    fn turn_ended(turn: usize, state: TurnState) -> JournalEntry {
        let tokens = Tokens { input: Some(10), ..Tokens::default() };
        let reported = AgentReport { tokens, ..AgentReport::default() };
        let row = LiveTurnRow { turn, state, reported, ..LiveTurnRow::default() };
        JournalEntry::TurnEnded(Box::new(FinishedTurn {
            row,
            seconds: 2.0,
            ..FinishedTurn::default()
        }))
    }

    fn turn_began(turn: usize) -> JournalEntry {
        let request_sha256 = String::new();
        JournalEntry::TurnBegan { turn, attempt: 1, request_sha256, before: None }
    }

    fn run_stopped(why: &str) -> JournalEntry {
        JournalEntry::Stopped { why: why.into(), reason: None }
    }

    #[test]
    fn turns_that_do_not_count_are_paid_for_and_tries_are_those_of_one_turn() {
        let failed = "turn 2 failed: the agent failed (exit code 1): no model";
        let all = [
            turn_began(1),
            turn_ended(1, TurnState::Cut),
            run_stopped("turn 1 failed: x"),
            turn_began(1),
            turn_ended(1, TurnState::Done),
            turn_began(2),
            turn_ended(2, TurnState::Cut),
            run_stopped(failed),
            turn_began(2),
            turn_ended(2, TurnState::Cut),
            run_stopped(failed),
        ];

        let look = JournalSummary::from_entries(all.into_iter());

        assert_eq!((look.turns, look.tries, look.failures), (1, 2, 3));
        assert_eq!((look.used.tokens.input, look.used.seconds), (Some(40), 8.0));
        assert_eq!(look.used.cost_usd, None);
        let stopped = StoppedRun { reason: StopReason::TurnFailed, why: failed.into() };
        assert_eq!(look.stopped, Some(stopped));
    }

    #[test]
    fn a_turn_is_open_until_it_ends() {
        assert!(JournalSummary::from_entries([turn_began(1)].into_iter()).is_open);
        assert!(
            !JournalSummary::from_entries(
                [turn_began(1), turn_ended(1, TurnState::Done)].into_iter()
            )
            .is_open
        );
        assert!(
            !JournalSummary::from_entries(
                [turn_began(1), turn_ended(1, TurnState::Cut)].into_iter()
            )
            .is_open
        );
    }

    #[test]
    fn the_sentence_says_why_a_run_of_an_earlier_version_stopped() {
        let reason_of = |entry: JournalEntry| {
            JournalSummary::from_entries([entry].into_iter()).stopped.unwrap().reason
        };
        let reasons = [
            ("it was told to stop", StopReason::Requested),
            ("it was asked to stop", StopReason::Requested),
            ("20 tokens are used; the limit is 10", StopReason::Budget),
            ("cannot write x: no space left on device", StopReason::Unwritten),
            ("turn 1 failed: the model server does not answer", StopReason::TurnFailed),
        ];
        for (why, reason) in reasons {
            assert_eq!(reason_of(run_stopped(why)), reason, "{why}");
        }
        let coded = r#"{"what":"stopped","why":"it was told to stop","reason":"not-ready"}"#;
        assert_eq!(reason_of(serde_json::from_str(coded).unwrap()), StopReason::NotReady);
    }
}
