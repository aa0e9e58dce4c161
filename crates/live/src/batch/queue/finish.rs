//! Handles runs whose child process has ended.

use std::{fs, process::ExitStatus, time::Instant};

use trajview_run::batch::BatchState;
use trajview_store::write::WriteError;

use super::{
    super::{
        super::{
            journal::{StopReason, StoppedRun},
            rate_limit::is_rate_limited,
        },
        batch_journal::BatchJournalEvent,
        batch_plan::FailureRule,
        child::{exit_text, move_aside},
        follow_up::{FollowUp, FollowUpResults, unfinished_judge_cost},
    },
    BatchQueue, ChildSlot, EndReason, RESTART_PAUSE,
};

impl BatchQueue {
    /// Handles a child that has ended: updates its run, frees its slot.
    pub(super) fn settle_child(
        &mut self,
        slot: ChildSlot,
        status: ExitStatus,
        now: Instant,
    ) -> Result<(), WriteError> {
        let number = slot.run;
        let last_words = slot.child.last_log_line();
        match slot.step {
            Some(step) => self.settle_step(number, step, status, last_words, slot.ends)?,
            None => self.settle_run(number, status, last_words, (slot.ends, now))?,
        }
        let run = &self.runs[number];
        let event = BatchJournalEvent::RunEnded {
            run: run.entry.name.clone(),
            state: run.state.word().to_owned(),
            why: run.why.clone(),
            turns: run.look.turns,
        };
        self.record.append(event)?;
        if slot.ends != Some(EndReason::Lost) {
            self.claims.release(&run.entry.name);
        }
        Ok(())
    }

    fn settle_run(
        &mut self,
        number: usize,
        status: ExitStatus,
        last_words: Option<String>,
        (ends, now): (Option<EndReason>, Instant),
    ) -> Result<(), WriteError> {
        let scores = self.batch_folder.join("scores");
        let run = &mut self.runs[number];
        if run.look.is_finished {
            run.settle_finished(&self.read, &scores);
            return Ok(());
        }
        match (ends, run.look.stopped.clone()) {
            (Some(EndReason::Person), _) => {
                run.set_state(BatchState::Stopped, Some("a person stopped it".into()));
            }
            (Some(EndReason::Quit), _) => run.set_state(BatchState::Waiting, None),
            (Some(EndReason::Lost), _) => run.set_state(BatchState::Elsewhere, None),
            (Some(EndReason::Budget(_)), _) => {
                let why = self.state_of_queue.halted.clone();
                run.set_state(BatchState::Budget, why);
            }
            (None, Some(StoppedRun { reason: StopReason::Budget, why })) => {
                run.set_state(BatchState::Budget, Some(why));
            }
            (None, Some(StoppedRun { reason: StopReason::NotReady, why })) => {
                run.set_state(BatchState::Failed, Some(why));
            }
            (None, Some(StoppedRun { reason: StopReason::TurnFailed, why })) => {
                return self.settle_failed(number, why, now);
            }
            (None, Some(StoppedRun { reason: StopReason::Requested, why })) => {
                run.set_state(BatchState::Stopped, Some(why));
            }
            (None, stopped) => {
                let last_words = || last_words.unwrap_or_else(|| exit_text(status));
                let why = stopped.map_or_else(last_words, |it| it.why);
                match status.code() {
                    // Wrong arguments do not become right.
                    Some(2) => run.set_state(BatchState::Failed, Some(why)),
                    _ => run.settle_break_off(why, self.read.plan.failures.retries, now),
                }
            }
        }
        Ok(())
    }

    /// Handles a failed turn: repeats it, or applies the plan's rule when it failed too often.
    fn settle_failed(
        &mut self,
        number: usize,
        why: String,
        now: Instant,
    ) -> Result<(), WriteError> {
        let failures = &self.read.plan.failures;
        let run = &mut self.runs[number];
        let is_refused = is_rate_limited(&why);
        let pause = is_refused.then(|| self.rates.record_refusal(&run.entry.combination, now));
        if run.look.tries <= failures.retries + run.added {
            run.rest(now + pause.unwrap_or(RESTART_PAUSE), why);
            return Ok(());
        }
        if failures.rule == FailureRule::Stop {
            self.state_of_queue.halted.get_or_insert(format!("{}: {why}", run.entry.name));
            run.set_state(BatchState::Failed, Some(why));
            return Ok(());
        }
        match move_aside(&run.entry.bundle, &self.batch_folder.join("left-out")) {
            Ok(_) => {
                run.set_state(BatchState::Failed, Some(format!("{why}; it is left out")));
                self.record.append(BatchJournalEvent::LeftOut { run: run.entry.name.clone() })
            }
            Err(moved) => {
                run.set_state(BatchState::Failed, Some(format!("{why}; {moved}")));
                Ok(())
            }
        }
    }

    /// Handles the end of a scoring or judging process.
    fn settle_step(
        &mut self,
        number: usize,
        step: FollowUp,
        status: ExitStatus,
        last_words: Option<String>,
        ends: Option<EndReason>,
    ) -> Result<(), WriteError> {
        let scores = self.batch_folder.join("scores");
        let run = &mut self.runs[number];
        let place = step.result_file(&scores, &run.entry.name);
        let part = place.with_extension("part");
        let broken_off = unfinished_judge_cost(step, &part);
        if let Some(cost_usd) = broken_off {
            let run = run.entry.name.clone();
            self.record.append(BatchJournalEvent::Judged { run, cost_usd })?;
        }
        // A judge without a verdict exits with 1, after its output.
        let is_done =
            matches!(status.code(), Some(0 | 1)) && ends.is_none() && broken_off.is_none();
        if is_done && fs::metadata(&part).is_ok_and(|meta| meta.len() > 0) {
            fs::rename(&part, &place).map_err(WriteError::at_path(&place))?;
            run.results = FollowUpResults::read_results(&scores, &run.entry.name);
            let name = run.entry.name.clone();
            let cost_usd = run.results.cost_usd;
            let event = match step {
                FollowUp::Score => BatchJournalEvent::Scored { run: name },
                FollowUp::Judge => BatchJournalEvent::Judged { run: name, cost_usd },
            };
            self.record.append(event)?;
            let run = &mut self.runs[number];
            run.broke_off = 0;
            run.settle_finished(&self.read, &scores);
            return Ok(());
        }
        if ends.is_some() {
            match ends {
                Some(EndReason::Person) => {
                    let why = format!("{}: a person stopped that", step.status_text());
                    run.set_state(BatchState::Stopped, Some(why));
                }
                _ => run.set_state(BatchState::Waiting, None),
            }
            return Ok(());
        }
        let why =
            format!("{}: {}", step.status_text(), last_words.unwrap_or_else(|| exit_text(status)));
        run.settle_break_off(why, self.read.plan.failures.retries, Instant::now());
        Ok(())
    }
}
