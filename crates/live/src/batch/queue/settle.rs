//! What becomes of a run whose child has ended.

use std::{fs, process::ExitStatus, time::Instant};

use trajview_run::batch::BatchState;
use trajview_store::write::WriteError;

use super::{
    super::{
        super::refused::is_too_often,
        after::{Results, Step, broken_off},
        child::{ending, put_away},
        look::Halted,
        plan::Rule,
        record::RecordedEvent,
    },
    Batch, Ends, REST, Slot,
};

impl Batch {
    /// What becomes of a run whose child has ended.
    pub(super) fn settle(
        &mut self,
        slot: Slot,
        status: ExitStatus,
        now: Instant,
    ) -> Result<(), WriteError> {
        let number = slot.run;
        let last_words = slot.child.last_words();
        match slot.step {
            Some(step) => self.settle_step(number, step, status, last_words, slot.ends)?,
            None => self.settle_run(number, status, last_words, (slot.ends, now))?,
        }
        let run = &self.runs[number];
        let event = RecordedEvent::RunEnded {
            run: run.entry.name.clone(),
            state: run.state.word().to_owned(),
            why: run.why.clone(),
            turns: run.look.turns,
        };
        self.record.write(event)?;
        if slot.ends != Some(Ends::Lost) {
            self.claims.give_back(&run.entry.name);
        }
        Ok(())
    }

    fn settle_run(
        &mut self,
        number: usize,
        status: ExitStatus,
        last_words: Option<String>,
        (ends, now): (Option<Ends>, Instant),
    ) -> Result<(), WriteError> {
        let scores = self.beside.join("scores");
        let run = &mut self.runs[number];
        if run.look.is_finished {
            let state = if run.is_whole(&self.read, &scores) {
                BatchState::Done
            } else {
                BatchState::Waiting
            };
            run.enter(state, None);
            return Ok(());
        }
        match (ends, run.look.stopped.clone()) {
            (Some(Ends::Person), _) => {
                run.enter(BatchState::Stopped, Some("a person stopped it".into()));
            }
            (Some(Ends::Quit), _) => run.enter(BatchState::Waiting, None),
            (Some(Ends::Lost), _) => run.enter(BatchState::Elsewhere, None),
            (Some(Ends::Budget(_)), _) => {
                let why = self.course.halted.clone();
                run.enter(BatchState::Budget, why);
            }
            (None, Some(Halted::Budget(why))) => run.enter(BatchState::Budget, Some(why)),
            (None, Some(Halted::Failed(why))) => return self.settle_failed(number, why, now),
            (None, Some(Halted::Told)) => {
                run.enter(BatchState::Stopped, Some("it was told to stop".into()));
            }
            (None, stopped) => {
                let why = match stopped {
                    Some(Halted::Unwritten(why)) => why,
                    _ => last_words.unwrap_or_else(|| ending(status)),
                };
                run.broke_off += 1;
                let tries = self.read.plan.failures.retries + run.added;
                // Wrong arguments do not become right.
                if status.code() == Some(2) || run.broke_off > tries {
                    run.enter(BatchState::Failed, Some(why));
                } else {
                    run.rests_until = Some(now + REST);
                    run.enter(BatchState::Resting, Some(why));
                }
            }
        }
        Ok(())
    }

    /// A turn failed: it is made again, or what the plan says for one that failed too often.
    fn settle_failed(
        &mut self,
        number: usize,
        why: String,
        now: Instant,
    ) -> Result<(), WriteError> {
        let failures = &self.read.plan.failures;
        let run = &mut self.runs[number];
        let is_refused = is_too_often(&why);
        let pause = is_refused.then(|| self.rates.refused(&run.entry.combination, now));
        if run.look.tries <= failures.retries + run.added {
            run.rests_until = Some(now + pause.unwrap_or(REST));
            run.enter(BatchState::Resting, Some(why));
            return Ok(());
        }
        if failures.rule == Rule::Stop {
            self.course.halted.get_or_insert(format!("{}: {why}", run.entry.name));
            run.enter(BatchState::Failed, Some(why));
            return Ok(());
        }
        match put_away(&run.entry.bundle, &self.beside.join("left-out")) {
            Ok(_) => {
                run.enter(BatchState::Failed, Some(format!("{why}; it is left out")));
                self.record.write(RecordedEvent::LeftOut { run: run.entry.name.clone() })
            }
            Err(moved) => {
                run.enter(BatchState::Failed, Some(format!("{why}; {moved}")));
                Ok(())
            }
        }
    }

    /// A run was scored or judged, or could not be.
    fn settle_step(
        &mut self,
        number: usize,
        step: Step,
        status: ExitStatus,
        last_words: Option<String>,
        ends: Option<Ends>,
    ) -> Result<(), WriteError> {
        let scores = self.beside.join("scores");
        let run = &mut self.runs[number];
        let place = step.place(&scores, &run.entry.name);
        let part = place.with_extension("part");
        let broken_off = broken_off(step, &part);
        if let Some(cost_usd) = broken_off {
            let run = run.entry.name.clone();
            self.record.write(RecordedEvent::Judged { run, cost_usd })?;
        }
        // One that got no verdict ends with 1, and has said what it has.
        let is_done =
            matches!(status.code(), Some(0 | 1)) && ends.is_none() && broken_off.is_none();
        if is_done && fs::metadata(&part).is_ok_and(|meta| meta.len() > 0) {
            fs::rename(&part, &place).map_err(WriteError::at(&place))?;
            run.results = Results::read(&scores, &run.entry.name);
            let name = run.entry.name.clone();
            let cost_usd = run.results.cost_usd;
            let event = match step {
                Step::Score => RecordedEvent::Scored { run: name },
                Step::Judge => RecordedEvent::Judged { run: name, cost_usd },
            };
            self.record.write(event)?;
            let run = &mut self.runs[number];
            run.broke_off = 0;
            let state = if run.is_whole(&self.read, &scores) {
                BatchState::Done
            } else {
                BatchState::Waiting
            };
            run.enter(state, None);
            return Ok(());
        }
        if ends.is_some() {
            let is_by_person = ends == Some(Ends::Person);
            let why = format!("{}: a person stopped that", step.words());
            match is_by_person {
                true => run.enter(BatchState::Stopped, Some(why)),
                false => run.enter(BatchState::Waiting, None),
            }
            return Ok(());
        }
        run.broke_off += 1;
        let why = format!("{}: {}", step.words(), last_words.unwrap_or_else(|| ending(status)));
        if run.broke_off > self.read.plan.failures.retries + run.added {
            run.enter(BatchState::Failed, Some(why));
        } else {
            run.rests_until = Some(Instant::now() + REST);
            run.enter(BatchState::Resting, Some(why));
        }
        Ok(())
    }
}
