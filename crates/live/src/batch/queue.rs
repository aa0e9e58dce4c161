//! The queue: which run is begun next (`begin`), what becomes of one that ends (`settle`), and when all of it is over.

mod begin;
mod settle;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use trajview_judge::stop::Stop;
use trajview_run::batch::{BatchRow, BatchState, Used};
use trajview_store::{dataset::Shard, sha256, write::WriteError};

use super::{
    super::{control::ORDER_PAUSE, journal, process},
    after::{self, Results, Step},
    beside,
    child::Child,
    claims::Claims,
    entries::Entry,
    look::{Halted, Look, length},
    plan::ReadPlan,
    rates::Rates,
    record::{Past, Record, RecordedEvent, SCHEMA},
};

/// How the runs are made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program that makes a run: this one.
    pub program: PathBuf,
    /// Runs at once.
    pub jobs: usize,
    pub shard: Shard,
    /// Whether runs that failed as often as they may are tried again.
    pub again: bool,
    /// Whether it waits for commands when nothing is left to be done.
    pub stays: bool,
    /// The settings file that the runs are told of.
    pub config: Option<String>,
}

/// What a person wants of a batch; runs by their place among the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchCommand {
    /// No run is begun.
    Pause,
    GoOn,
    /// The run is stopped, and stays so.
    Stop(usize),
    /// The run is gone on with, whatever it stopped for.
    Retry(usize),
    /// Everything is stopped.
    Quit,
}

/// What happens.
#[derive(Debug)]
pub enum BatchEvent<'a> {
    /// Something about the runs is another than before.
    Rows(&'a [BatchRow]),
    Began {
        row: &'a BatchRow,
        goes_on: bool,
    },
    /// Another turn of it counts.
    Turned(&'a BatchRow),
    /// Its state is another, or its reason.
    Entered(&'a BatchRow),
    Said(String),
}

/// What came of a batch.
#[derive(Debug)]
pub struct Summary {
    pub rows: Vec<BatchRow>,
    /// What all runs of the plan used, those of other shards included.
    pub used: Used,
    pub past: Past,
    /// Why no further run is begun; None where nothing keeps them from it.
    pub halted: Option<String>,
    /// Whether it was told to stop before all was done.
    pub is_stopped: bool,
}

impl Summary {
    /// Whether every run of this shard is whole.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.progress.state == BatchState::Done)
    }
}

/// A run of the plan, and what is known of it.
#[derive(Debug)]
struct Run {
    entry: Entry,
    /// Whether this shard makes it.
    is_mine: bool,
    look: Look,
    /// How long its journal was when we looked.
    seen: Option<u64>,
    state: BatchState,
    why: Option<String>,
    /// Nothing is done with it before.
    rests_until: Option<Instant>,
    /// How often it could not be begun, or broke off.
    broke_off: usize,
    /// Tries that a person has added.
    added: usize,
    results: Results,
}

/// A child at work.
#[derive(Debug)]
struct Slot {
    run: usize,
    child: Child,
    /// None: it makes the run.
    step: Option<Step>,
    /// Turns are begun one by one: the last one that may be.
    may_begin: Option<usize>,
    ends: Option<Ends>,
}

/// Why a child is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// All of it is stopped.
    Quit,
    Person,
    /// After the turn under way; since when none is.
    Budget(Option<Instant>),
    /// Another process has taken the run.
    Lost,
}

/// Whether runs are begun.
#[derive(Debug, Default)]
struct Course {
    is_paused: bool,
    is_quitting: bool,
    /// Why none is; a sentence.
    halted: Option<String>,
}

/// Many runs of one plan.
#[derive(Debug)]
pub struct Batch {
    read: ReadPlan,
    options: Options,
    runs: Vec<Run>,
    slots: Vec<Slot>,
    claims: Claims,
    record: Record,
    rates: Rates,
    course: Course,
    /// As they were told.
    rows: Vec<BatchRow>,
    /// When runs that are nobody's here are looked at again.
    looks_at: Instant,
    works_at: Instant,
    /// The folder of everything beside the runs.
    beside: PathBuf,
}

/// How often children are looked after.
const BEAT: Duration = Duration::from_millis(50);

/// How often we look for what other processes did.
const LOOKS: Duration = Duration::from_millis(800);

/// How often the journal says that we work.
const WORKS: Duration = Duration::from_secs(10);

/// Between a break-off and the next attempt.
const REST: Duration = Duration::from_secs(2);

/// Between two turns an agent is left alone for a moment before its run is ended: the next turn may just be beginning.
const SETTLES: Duration = Duration::from_millis(300);

impl Batch {
    /// Makes the folders and looks at what is there. `entries` are all runs of the plan, whatever the shard.
    pub fn open(read: ReadPlan, entries: Vec<Entry>, options: Options) -> Result<Self, WriteError> {
        let beside = beside(&read.out);
        for folder in [&read.out, &beside, &beside.join("logs"), &beside.join("scores")] {
            fs::create_dir_all(folder).map_err(WriteError::at(folder))?;
        }
        let claims = Claims::of(&beside.join("claims"))?;
        let mut record = Record::create(&beside.join("journal"), claims.here())?;
        let plan = fs::read(&read.path).unwrap_or_default();
        record.write(RecordedEvent::Began {
            schema: SCHEMA.into(),
            owner: claims.here().clone(),
            plan: read.path.display().to_string(),
            plan_sha256: sha256(&plan),
            runs: entries.len(),
            jobs: options.jobs,
        })?;
        let run = |entry: Entry| Run {
            is_mine: options.shard.takes(&entry.id),
            look: Look::default(),
            seen: None,
            state: BatchState::Waiting,
            why: None,
            rests_until: None,
            broke_off: 0,
            added: usize::from(options.again),
            results: Results::read(&beside.join("scores"), &entry.name),
            entry,
        };
        let runs: Vec<Run> = entries.into_iter().map(run).collect();
        let now = Instant::now();
        let mut batch = Self {
            rates: Rates::of(&read.plan),
            slots: vec![],
            course: Course::default(),
            rows: vec![],
            looks_at: now,
            works_at: now,
            read,
            options,
            runs,
            claims,
            record,
            beside,
        };
        batch.find_out();
        Ok(batch)
    }

    /// Carries out the plan. Waits until it is over; `tell` is called on the caller's thread.
    pub fn run(
        &mut self,
        stop: &Stop,
        commands: &Receiver<BatchCommand>,
        tell: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<Summary, WriteError> {
        self.rows = self.shown();
        loop {
            let now = Instant::now();
            if stop.is_set() {
                self.quit();
            }
            self.look_after_children(now, tell)?;
            if now >= self.looks_at {
                self.look_elsewhere();
                self.looks_at = now + LOOKS;
            }
            self.watch_the_budget(now);
            self.begin_turns(now);
            self.begin_runs(now, tell)?;
            self.renew(tell);
            if now >= self.works_at {
                self.record.write(RecordedEvent::Works)?;
                self.works_at = now + WORKS;
            }
            self.tell_changes(tell);
            if self.is_over() {
                break;
            }
            match commands.recv_timeout(BEAT) {
                Ok(command) => self.obey(command, tell)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(BEAT),
            }
        }
        let summary = self.summary();
        self.record.write(RecordedEvent::Ended { complete: summary.is_complete() })?;
        Ok(summary)
    }

    /// What came of it so far.
    pub fn summary(&self) -> Summary {
        let rows = self.shown();
        let is_left = rows.iter().any(|row| !row.progress.state.is_settled());
        Summary {
            used: self.used(),
            past: self.record.past(),
            halted: self.course.halted.clone(),
            is_stopped: self.course.is_quitting && is_left,
            rows,
        }
    }

    /// The rows as they are now.
    pub fn shown(&self) -> Vec<BatchRow> {
        self.runs.iter().filter(|run| run.is_mine).map(Run::row).collect()
    }

    fn used(&self) -> Used {
        self.runs.iter().fold(Used::default(), |sum, run| sum.and(run.look.used))
    }

    fn is_over(&self) -> bool {
        if !self.slots.is_empty() {
            return false;
        }
        let is_settled = |run: &Run| !run.is_mine || run.state.is_settled();
        self.course.is_quitting || (!self.options.stays && self.runs.iter().all(is_settled))
    }

    /// The state of each run by what lies there when we begin.
    fn find_out(&mut self) {
        let scores = self.beside.join("scores");
        for run in &mut self.runs {
            run.refresh();
            let left_out = left_out(&self.beside, &run.entry);
            if run.seen.is_none() && left_out.is_dir() {
                run.look = Look::at(&left_out).unwrap_or_default();
                if !self.options.again {
                    let why = match &run.look.stopped {
                        Some(Halted::Failed(why)) => why.clone(),
                        _ => "it failed before".into(),
                    };
                    run.enter(BatchState::Failed, Some(format!("{why}; it is left out")));
                }
                continue;
            }
            let is_under_way = journal::is_under_way(&run.entry.bundle);
            if run.is_whole(&self.read, &scores) {
                run.enter(BatchState::Done, None);
            } else if !run.look.id.is_empty()
                && !is_under_way
                && self.claims.other(&run.entry.name).is_none()
            {
                // What a run that was killed left running is ended before anything else is begun.
                process::sweep(&run.look.id);
            }
        }
    }

    /// Looks at what other processes make.
    fn look_elsewhere(&mut self) {
        let scores = self.beside.join("scores");
        for at in 0..self.runs.len() {
            let is_ours = self.slots.iter().any(|slot| slot.run == at);
            if is_ours || self.runs[at].state == BatchState::Done {
                continue;
            }
            let run = &mut self.runs[at];
            run.refresh();
            if run.state != BatchState::Elsewhere {
                continue;
            }
            if run.is_whole(&self.read, &scores) {
                run.results = Results::read(&scores, &run.entry.name);
                run.enter(BatchState::Done, None);
            } else if let Some(why) = &self.course.halted
                && !run.look.is_finished
                && self.claims.other(&run.entry.name).is_none()
                && !journal::is_under_way(&run.entry.bundle)
            {
                run.enter(BatchState::Budget, Some(why.clone()));
            }
        }
    }

    /// Reads what running children recorded, and takes leave of those that ended.
    fn look_after_children(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let mut at = 0;
        while at < self.slots.len() {
            let (number, is_live) = (self.slots[at].run, self.slots[at].step.is_none());
            let ended = self.slots[at].child.ended();
            let before = self.runs[number].look.turns;
            if is_live && self.runs[number].refresh() && self.runs[number].look.turns > before {
                let run = &self.runs[number];
                self.rates.answered(&run.entry.combination);
                tell(BatchEvent::Turned(&run.row()));
            }
            match ended {
                None => at += 1,
                Some(status) => {
                    let slot = self.slots.remove(at);
                    self.settle(slot, status, now)?;
                }
            }
        }
        Ok(())
    }

    /// Once a limit of all runs is reached, no run is begun, and those under way end after their turn.
    fn watch_the_budget(&mut self, now: Instant) {
        if let Some(why) = self.over_budget() {
            self.course.halted.get_or_insert(why);
        }
        if self.course.halted.is_none() {
            return;
        }
        for slot in self.slots.iter_mut().filter(|slot| slot.step.is_none()) {
            let is_open = self.runs[slot.run].look.is_open;
            match slot.ends {
                None => {
                    slot.child.order(ORDER_PAUSE);
                    slot.ends = Some(Ends::Budget(None));
                }
                Some(Ends::Budget(_)) if is_open => slot.ends = Some(Ends::Budget(None)),
                Some(Ends::Budget(None)) => slot.ends = Some(Ends::Budget(Some(now))),
                Some(Ends::Budget(Some(since))) if now.duration_since(since) >= SETTLES => {
                    slot.child.stop();
                }
                Some(_) => {}
            }
        }
        let why = self.course.halted.clone();
        let at_work: Vec<usize> = self.slots.iter().map(|slot| slot.run).collect();
        for (at, run) in self.runs.iter_mut().enumerate() {
            let waits = matches!(run.state, BatchState::Waiting | BatchState::Resting);
            if waits && !run.look.is_finished && !at_work.contains(&at) {
                run.enter(BatchState::Budget, why.clone());
            }
        }
    }

    fn over_budget(&self) -> Option<String> {
        let (limits, used) = (&self.read.plan.limits, self.used());
        let tokens = used.tokens.total().unwrap_or(0);
        if let Some(most) = limits.tokens.filter(|most| tokens >= *most) {
            return Some(format!("all runs used {tokens} tokens; the limit is {most}"));
        }
        if let (Some(most), Some(cost)) = (limits.usd, used.cost_usd)
            && cost >= most
        {
            return Some(format!("all runs cost {cost:.2} USD; the limit is {most:.2}"));
        }
        let minutes = used.seconds / 60.0;
        let most = limits.minutes.filter(|most| minutes >= *most)?;
        Some(format!("all runs took {minutes:.1} minutes; the limit is {most:.1}"))
    }

    /// Says that our runs are ours; a child whose run was taken meanwhile stops.
    fn renew(&mut self, tell: &mut dyn FnMut(BatchEvent<'_>)) {
        for name in self.claims.renew() {
            let of_run = |slot: &&mut Slot| self.runs[slot.run].entry.name == name;
            if let Some(slot) = self.slots.iter_mut().find(of_run) {
                end(slot, Ends::Lost);
                let what =
                    "another machine has taken it, because this one did not answer for too long";
                tell(BatchEvent::Said(format!("{name}: {what}")));
            }
        }
    }

    fn quit(&mut self) {
        self.course.is_quitting = true;
        self.slots.iter_mut().for_each(|slot| end(slot, Ends::Quit));
    }

    fn obey(
        &mut self,
        command: BatchCommand,
        tell: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let mine = |at: usize| {
            let mine = self.runs.iter().enumerate().filter(|(_, run)| run.is_mine);
            mine.map(|(number, _)| number).nth(at)
        };
        match command {
            BatchCommand::Pause => self.course.is_paused = true,
            BatchCommand::GoOn => self.course.is_paused = false,
            BatchCommand::Quit => self.quit(),
            BatchCommand::Stop(at) => {
                let Some(number) = mine(at) else { return Ok(()) };
                let slot = self.slots.iter_mut().find(|slot| slot.run == number);
                let state = self.runs[number].state;
                match slot {
                    Some(slot) => end(slot, Ends::Person),
                    None if !state.is_settled() && state != BatchState::Elsewhere => {
                        self.runs[number]
                            .enter(BatchState::Stopped, Some("a person stopped it".into()));
                    }
                    None => {}
                }
            }
            BatchCommand::Retry(at) => {
                let Some(number) = mine(at) else { return Ok(()) };
                let run = &mut self.runs[number];
                if run.state.waits_for_a_person() || run.state == BatchState::Resting {
                    run.added += 1;
                    run.broke_off = 0;
                    run.rests_until = None;
                    run.enter(BatchState::Waiting, None);
                    if let Some(why) = self.course.halted.take() {
                        tell(BatchEvent::Said(format!("goes on, though: {why}")));
                    }
                }
            }
        }
        Ok(())
    }

    fn tell_changes(&mut self, tell: &mut dyn FnMut(BatchEvent<'_>)) {
        let rows = self.shown();
        if rows == self.rows {
            return;
        }
        for (at, row) in rows.iter().enumerate() {
            let before = self.rows.get(at).map(|row| (row.progress.state, &row.progress.why));
            let now = (row.progress.state, &row.progress.why);
            if before != Some(now) && row.progress.state != BatchState::Running {
                tell(BatchEvent::Entered(row));
            }
        }
        tell(BatchEvent::Rows(&rows));
        self.rows = rows;
    }
}

fn end(slot: &mut Slot, why: Ends) {
    if matches!(slot.ends, None | Some(Ends::Budget(_))) {
        slot.ends = Some(why);
        match slot.step {
            None => slot.child.stop(),
            Some(_) => slot.child.interrupt(),
        }
    }
}

/// Where its bundle lies when it is left out.
fn left_out(beside: &Path, entry: &Entry) -> PathBuf {
    beside.join("left-out").join(&entry.name)
}

impl Run {
    fn enter(&mut self, state: BatchState, why: Option<String>) {
        (self.state, self.why) = (state, why);
    }

    /// Reads its journal where that is longer than before; whether it was.
    fn refresh(&mut self) -> bool {
        let length = length(&self.entry.bundle);
        if length == self.seen || length.is_none() {
            return false;
        }
        let Some(look) = Look::at(&self.entry.bundle) else { return false };
        (self.look, self.seen) = (look, length);
        true
    }

    /// Whether nothing is left to be done with it.
    fn is_whole(&self, read: &ReadPlan, scores: &Path) -> bool {
        let Entry { name, has_components, .. } = &self.entry;
        self.look.is_finished
            && after::next(&read.plan.after, scores, name, *has_components).is_none()
    }

    fn row(&self) -> BatchRow {
        let Self { entry, look, .. } = self;
        BatchRow {
            id: entry.id.clone(),
            folder: entry.bundle.display().to_string(),
            combination: entry.combination.clone(),
            progress: trajview_run::batch::BatchProgress {
                state: self.state,
                why: self.why.clone(),
                turns: look.turns,
                requests: entry.requests,
                failures: look.failures,
                kept: look.kept,
                used: look.used,
            },
            tests: look.tests,
            scores: self.results.scores.clone(),
        }
    }
}
