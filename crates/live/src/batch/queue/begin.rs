//! Which runs are begun next, and how.

use std::{fs, time::Instant};

use trajview_run::batch::BatchState;
use trajview_store::write::WriteError;

use super::{
    super::{
        super::{control::ORDER_GO, journal},
        after::{self, Results, Step},
        child::{Child, Files, put_away},
        entries::Entry,
        look::Look,
        plan::Rule,
        record::RecordedEvent,
    },
    Batch, BatchEvent, LOOKS, Slot, left_out,
};

impl Batch {
    /// Has runs whose agents may be asked begin their next turn.
    pub(super) fn begin_turns(&mut self, now: Instant) {
        for slot in self.slots.iter_mut().filter(|slot| slot.ends.is_none()) {
            let run = &self.runs[slot.run];
            let next = run.look.turns + 1;
            let Some(may_begin) = slot.may_begin else { continue };
            let waits = !run.look.is_open && may_begin < next && next <= run.entry.requests;
            if waits && self.rates.wait(&run.entry.combination, now).is_none() {
                self.rates.begin(&run.entry.combination, now);
                slot.child.order(ORDER_GO);
                slot.may_begin = Some(next);
            }
        }
    }

    /// Begins what may be begun while there is room.
    pub(super) fn begin_runs(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        if self.course.is_quitting || self.course.is_paused {
            return Ok(());
        }
        for number in 0..self.runs.len() {
            if self.slots.len() >= self.options.jobs {
                break;
            }
            if self.may_be_begun(number, now) && self.is_taken(number, now)? {
                self.begin(number, tell)?;
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
            let is_judging = self.slots.iter().any(|slot| slot.step == Some(Step::Judge));
            let judge = self.read.plan.after.judge.as_ref();
            // What a judge costs is known when it is done: with a limit one is asked at a time.
            return !(is_judging && judge.is_some_and(|judge| judge.usd.is_some()));
        }
        self.course.halted.is_none() && self.rates.wait(&run.entry.combination, now).is_none()
    }

    /// Whether the run is ours now, and still to be made.
    fn is_taken(&mut self, number: usize, now: Instant) -> Result<bool, WriteError> {
        let scores = self.beside.join("scores");
        let name = self.runs[number].entry.name.clone();
        let owner = self.claims.take(&name)?;
        let run = &mut self.runs[number];
        run.rests_until = Some(now + LOOKS);
        if let Some(owner) = owner {
            let why = format!("process {} on {} makes it", owner.process, owner.host);
            run.enter(BatchState::Elsewhere, Some(why));
            return Ok(false);
        }
        // Whoever made it before may have changed everything.
        run.seen = None;
        run.refresh();
        if journal::is_under_way(&run.entry.bundle) {
            let why = "a process whose batch was killed still ends its turn";
            run.enter(BatchState::Elsewhere, Some(why.into()));
        } else if run.is_whole(&self.read, &scores) {
            run.results = Results::read(&scores, &name);
            run.enter(BatchState::Done, None);
        } else if run.added == 0 && left_out(&self.beside, &run.entry).is_dir() {
            run.enter(BatchState::Failed, Some("another process left it out".into()));
        } else {
            return Ok(true);
        }
        self.claims.give_back(&name);
        Ok(false)
    }

    fn begin(
        &mut self,
        number: usize,
        tell: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let name = self.runs[number].entry.name.clone();
        let started = match self.runs[number].look.is_finished {
            true => self.start_step(number),
            false => self.start_run(number),
        };
        match started {
            Err(why) => {
                self.runs[number].enter(BatchState::Failed, Some(why));
                self.claims.give_back(&name);
            }
            Ok(None) => self.claims.give_back(&name),
            Ok(Some(slot)) => {
                let run = &mut self.runs[number];
                let goes_on = run.seen.is_some();
                let process = slot.child.id();
                match slot.step {
                    Some(step) => run.enter(BatchState::Judging, Some(step.words().into())),
                    None => {
                        run.enter(BatchState::Running, None);
                        tell(BatchEvent::Began { row: &run.row(), goes_on });
                    }
                }
                self.slots.push(slot);
                self.record.write(RecordedEvent::RunBegan { run: name, goes_on, process })?;
            }
        }
        Ok(())
    }

    /// The child that makes the run, or goes on with it. The error is a sentence.
    fn start_run(&mut self, number: usize) -> Result<Option<Slot>, String> {
        let run = &mut self.runs[number];
        let Entry { bundle, name, combination, .. } = &run.entry.clone();
        let left_out = left_out(&self.beside, &run.entry);
        if fs::symlink_metadata(bundle).is_err() && left_out.is_dir() {
            fs::rename(&left_out, bundle)
                .map_err(|why| format!("cannot move {}: {why}", left_out.display()))?;
            let taken_back = RecordedEvent::TakenBack { run: name.clone() };
            self.record.write(taken_back).map_err(|why| why.to_string())?;
            run.seen = None;
            run.refresh();
        }
        let goes_on = Look::at(bundle).is_some();
        if !goes_on && fs::symlink_metadata(bundle).is_ok() {
            // It was killed before anything was recorded.
            put_away(bundle, &self.beside.join("never-begun"))?;
        }
        let mut words = run.entry.words(goes_on);
        let is_apart = self.rates.holds(combination);
        let mut steered =
            vec!["--steered".to_owned(), if is_apart { "turn" } else { "run" }.into()];
        if self.read.plan.failures.rule == Rule::Keep {
            // Other failures are repeated within the run, and those that were refused once their model was left alone.
            steered.extend(["--tried".to_owned(), run.look.tries.to_string()]);
        }
        let place = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(place..place, steered);
        let log = self.beside.join("logs").join(format!("{name}.log"));
        let files = Files { log: &log, output: None };
        let child = Child::start(&self.options.program, &words, &self.read.folder, &files)?;
        let may_begin = is_apart.then_some(0);
        Ok(Some(Slot { run: number, child, step: None, may_begin, ends: None }))
    }

    /// The child that scores or judges the run; None where nothing is left to be done.
    fn start_step(&mut self, number: usize) -> Result<Option<Slot>, String> {
        let scores = self.beside.join("scores");
        let (after, run) = (&self.read.plan.after, &mut self.runs[number]);
        let Entry { bundle, name, has_components, .. } = &run.entry;
        let Some(step) = after::next(after, &scores, name, *has_components) else {
            run.enter(BatchState::Done, None);
            return Ok(None);
        };
        let most = after.judge.as_ref().and_then(|judge| judge.usd);
        let left = most.map(|most| most - self.record.past().judged_usd.unwrap_or(0.0));
        if step == Step::Judge && left.is_some_and(|left| left <= 0.0) {
            let why = format!("judges cost {:.2} USD, which is the limit", most.unwrap_or(0.0));
            run.enter(BatchState::Budget, Some(why));
            return Ok(None);
        }
        let words = after::words(step, after, bundle, left, self.options.config.as_deref());
        let log = self.beside.join("logs").join(format!("{name}.log"));
        let part = step.place(&scores, name).with_extension("part");
        let files = Files { log: &log, output: Some(&part) };
        let child = Child::start(&self.options.program, &words, &self.read.folder, &files)?;
        Ok(Some(Slot { run: number, child, step: Some(step), may_begin: None, ends: None }))
    }
}
