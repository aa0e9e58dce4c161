//! Starts the next runs of a batch.

use std::{fs, time::Instant};

use trajview_run::batch::BatchState;
use trajview_store::write::WriteError;

use super::{
    super::{
        super::{control::ORDER_GO, journal},
        batch_journal::BatchJournalEvent,
        batch_plan::FailureRule,
        child::{BatchChild, ChildFiles, move_aside},
        follow_up::{self, FollowUp, FollowUpResults},
        journal_summary::JournalSummary,
        planned_runs::PlannedRun,
    },
    BatchEvent, BatchQueue, ChildSlot, FOLDER_POLL_INTERVAL, left_out_folder,
};

impl BatchQueue {
    /// Lets runs begin their next turn when the rate of their agent allows it.
    pub(super) fn begin_turns(&mut self, now: Instant) {
        for slot in self.slots.iter_mut().filter(|slot| slot.ends.is_none()) {
            let run = &self.runs[slot.run];
            let next = run.look.turns + 1;
            let Some(may_begin) = slot.may_begin else { continue };
            let waits = !run.look.is_open && may_begin < next && next <= run.entry.requests;
            if waits && self.rates.time_to_wait(&run.entry.combination, now).is_none() {
                self.rates.record_turn_begun(&run.entry.combination, now);
                slot.child.send_order(ORDER_GO);
                slot.may_begin = Some(next);
            }
        }
    }

    /// Starts runs while fewer than the allowed number are running.
    pub(super) fn begin_runs(
        &mut self,
        now: Instant,
        emit: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        if self.state_of_queue.is_quitting || self.state_of_queue.is_paused {
            return Ok(());
        }
        for number in 0..self.runs.len() {
            if self.slots.len() >= self.options.jobs {
                break;
            }
            if self.may_be_begun(number, now) && self.is_taken(number, now)? {
                self.begin_run(number, emit)?;
            }
        }
        Ok(())
    }

    fn may_be_begun(&self, number: usize, now: Instant) -> bool {
        let run = &self.runs[number];
        let is_due = run.rests_until.is_none_or(|until| now >= until);
        let waits = match run.state {
            BatchState::Waiting => true,
            BatchState::Resting => is_due,
            // Its claim is looked at as often as its folder.
            BatchState::Elsewhere => is_due,
            _ => false,
        };
        let is_at_work = self.slots.iter().any(|slot| slot.run == number);
        if !run.is_mine || !waits || !is_due || is_at_work {
            return false;
        }
        if run.look.is_finished {
            let is_judging = self.slots.iter().any(|slot| slot.step == Some(FollowUp::Judge));
            let judge = self.read.plan.after.judge.as_ref();
            // The cost of a judge is known when it is done: with a limit one judge runs at a time.
            return !(is_judging && judge.is_some_and(|judge| judge.usd.is_some()));
        }
        self.state_of_queue.halted.is_none()
            && self.rates.time_to_wait(&run.entry.combination, now).is_none()
    }

    /// Claims the run; returns whether it is ours now and still to be made.
    fn is_taken(&mut self, number: usize, now: Instant) -> Result<bool, WriteError> {
        let scores = self.batch_folder.join("scores");
        let name = self.runs[number].entry.name.clone();
        let owner = self.claims.claim(&name)?;
        let run = &mut self.runs[number];
        run.rests_until = Some(now + FOLDER_POLL_INTERVAL);
        if let Some(owner) = owner {
            let why = format!("process {} on {} makes it", owner.process, owner.host);
            run.set_state(BatchState::Elsewhere, Some(why));
            return Ok(false);
        }
        // Another process may have changed everything before.
        run.journal_length = None;
        run.refresh_journal();
        if journal::is_under_way(&run.entry.bundle) {
            let why = "a process whose batch was killed still ends its turn";
            run.set_state(BatchState::Elsewhere, Some(why.into()));
        } else if run.is_complete(&self.read, &scores) {
            run.results = FollowUpResults::read_results(&scores, &name);
            run.set_state(BatchState::Done, None);
        } else if run.added == 0 && left_out_folder(&self.batch_folder, &run.entry).is_dir() {
            run.set_state(BatchState::Failed, Some("another process left it out".into()));
        } else {
            return Ok(true);
        }
        self.claims.release(&name);
        Ok(false)
    }

    fn begin_run(
        &mut self,
        number: usize,
        emit: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let name = self.runs[number].entry.name.clone();
        let started = match self.runs[number].look.is_finished {
            true => self.start_step(number),
            false => self.start_run(number),
        };
        match started {
            Err(why) => {
                self.runs[number].set_state(BatchState::Failed, Some(why));
                self.claims.release(&name);
            }
            Ok(None) => self.claims.release(&name),
            Ok(Some(slot)) => {
                let run = &mut self.runs[number];
                let goes_on = run.journal_length.is_some();
                let process = slot.child.id();
                match slot.step {
                    Some(step) => {
                        run.set_state(BatchState::Judging, Some(step.status_text().into()))
                    }
                    None => {
                        run.set_state(BatchState::Running, None);
                        emit(BatchEvent::Began { row: &run.batch_row(), goes_on });
                    }
                }
                self.slots.push(slot);
                self.record.append(BatchJournalEvent::RunBegan { run: name, goes_on, process })?;
            }
        }
        Ok(())
    }

    /// Starts the child that makes the run, or resumes it. The error is a sentence.
    fn start_run(&mut self, number: usize) -> Result<Option<ChildSlot>, String> {
        let run = &mut self.runs[number];
        let PlannedRun { bundle, name, combination, .. } = &run.entry.clone();
        let left_out = left_out_folder(&self.batch_folder, &run.entry);
        if fs::symlink_metadata(bundle).is_err() && left_out.is_dir() {
            fs::rename(&left_out, bundle)
                .map_err(|why| format!("cannot move {}: {why}", left_out.display()))?;
            let taken_back = BatchJournalEvent::TakenBack { run: name.clone() };
            self.record.append(taken_back).map_err(|why| why.to_string())?;
            run.journal_length = None;
            run.refresh_journal();
        }
        let goes_on = JournalSummary::read_bundle(bundle).is_some();
        if !goes_on && fs::symlink_metadata(bundle).is_ok() {
            // It was killed before anything was recorded.
            move_aside(bundle, &self.batch_folder.join("never-begun"))?;
        }
        let mut words = run.entry.command_arguments(goes_on);
        let is_apart = self.rates.is_limited(combination);
        let mut steered =
            vec!["--steered".to_owned(), if is_apart { "turn" } else { "run" }.into()];
        if self.read.plan.failures.rule == FailureRule::Keep {
            // Other failures are repeated within the run, and those that were refused once their model was left alone.
            steered.extend(["--tried".to_owned(), run.look.tries.to_string()]);
        }
        let place = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(place..place, steered);
        let log = self.batch_folder.join("logs").join(format!("{name}.log"));
        let files = ChildFiles { log: &log, output: None };
        let child = BatchChild::start(&self.options.program, &words, &self.read.folder, &files)?;
        let may_begin = is_apart.then_some(0);
        Ok(Some(ChildSlot { run: number, child, step: None, may_begin, ends: None }))
    }

    /// Starts the child that scores or judges the run; None when no step is left.
    fn start_step(&mut self, number: usize) -> Result<Option<ChildSlot>, String> {
        let scores = self.batch_folder.join("scores");
        let (after, run) = (&self.read.plan.after, &mut self.runs[number]);
        let PlannedRun { bundle, name, has_components, .. } = &run.entry;
        let Some(step) = follow_up::next_follow_up(after, &scores, name, *has_components) else {
            run.set_state(BatchState::Done, None);
            return Ok(None);
        };
        let most = after.judge.as_ref().and_then(|judge| judge.usd);
        let left = most.map(|most| most - self.record.read_history().judged_usd.unwrap_or(0.0));
        if step == FollowUp::Judge && left.is_some_and(|left| left <= 0.0) {
            let why = format!("judges cost {:.2} USD, which is the limit", most.unwrap_or(0.0));
            run.set_state(BatchState::Budget, Some(why));
            return Ok(None);
        }
        let words =
            follow_up::command_arguments(step, after, bundle, left, self.options.config.as_deref());
        let log = self.batch_folder.join("logs").join(format!("{name}.log"));
        let part = step.result_file(&scores, name).with_extension("part");
        let files = ChildFiles { log: &log, output: Some(&part) };
        let child = BatchChild::start(&self.options.program, &words, &self.read.folder, &files)?;
        Ok(Some(ChildSlot { run: number, child, step: Some(step), may_begin: None, ends: None }))
    }
}
