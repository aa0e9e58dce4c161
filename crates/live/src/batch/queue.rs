//! The queue of a batch: starts runs (`start`), handles runs that end (`finish`), and stops when all are done.

mod finish;
mod start;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use trajview_judge::stop_flag::StopFlag;
use trajview_run::batch::{BatchRow, BatchState, BatchUsage};
use trajview_store::{dataset::Shard, sha256, write::WriteError};

use super::{
    super::{
        control::ORDER_PAUSE,
        journal::{self, StopReason},
        orphans,
    },
    batch_folder,
    batch_journal::{BatchHistory, BatchJournal, BatchJournalEvent, SCHEMA},
    batch_plan::LoadedPlan,
    child::BatchChild,
    claims::RunClaims,
    follow_up::{self, FollowUp, FollowUpResults},
    journal_summary::{JournalSummary, journal_length},
    planned_runs::PlannedRun,
    rate_limits::AskingRates,
};

/// Options of a batch.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// The program that is started for each run: trajview itself.
    pub program: PathBuf,
    /// The number of runs at the same time.
    pub jobs: usize,
    pub shard: Shard,
    /// True if runs that failed too often are tried again.
    pub again: bool,
    /// True if it waits for commands when everything is done.
    pub stays: bool,
    /// The settings file for the runs.
    pub config: Option<String>,
}

/// A person's command to a batch; runs by their index among the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchCommand {
    /// No run is begun.
    Pause,
    GoOn,
    /// Stops the run until it is retried.
    Stop(usize),
    /// Resumes the run, whatever it stopped for.
    Retry(usize),
    /// Stops everything.
    Quit,
}

/// An event of the batch.
#[derive(Debug)]
pub enum BatchEvent<'a> {
    /// The rows have changed.
    Rows(&'a [BatchRow]),
    Began {
        row: &'a BatchRow,
        goes_on: bool,
    },
    /// One more turn of the run counts.
    TurnDone(&'a BatchRow),
    /// The state of the run has changed, or the reason for it.
    StateChanged(&'a BatchRow),
    Notice(String),
}

/// The result of a batch.
#[derive(Debug)]
pub struct BatchSummary {
    pub rows: Vec<BatchRow>,
    /// Usage of all runs of the plan, those of other shards included.
    pub used: BatchUsage,
    pub past: BatchHistory,
    /// The reason why no further run is begun; None when nothing prevents it.
    pub halted: Option<String>,
    /// True if it was stopped before all was done.
    pub is_stopped: bool,
}

impl BatchSummary {
    /// Returns whether every run of this shard is complete.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.progress.state == BatchState::Done)
    }
}

/// A run of the plan and its state in the queue.
#[derive(Debug)]
struct QueuedRun {
    entry: PlannedRun,
    /// True if it belongs to this shard.
    is_mine: bool,
    look: JournalSummary,
    /// The length of its journal when it was read last (bytes).
    journal_length: Option<u64>,
    state: BatchState,
    why: Option<String>,
    /// The run rests until this moment.
    rests_until: Option<Instant>,
    /// The number of times that it could not be started, or broke off.
    broke_off: usize,
    /// Attempts that a person has added.
    added: usize,
    results: FollowUpResults,
}

/// A running child process and its run.
#[derive(Debug)]
struct ChildSlot {
    run: usize,
    child: BatchChild,
    /// The follow-up step; None when the child makes the run.
    step: Option<FollowUp>,
    /// The last turn that may begin, when turns are begun one by one.
    may_begin: Option<usize>,
    ends: Option<EndReason>,
}

/// The reason why a child is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndReason {
    /// The whole batch stops.
    Quit,
    Person,
    /// A limit of all runs is reached: the child ends after the turn under way. The moment since no turn is under way.
    Budget(Option<Instant>),
    /// Another process has taken the run.
    Lost,
}

/// The state of the queue: whether new runs are begun.
#[derive(Debug, Default)]
struct QueueState {
    is_paused: bool,
    is_quitting: bool,
    /// The reason why no run is begun; a sentence.
    halted: Option<String>,
}

/// Many runs of one plan.
#[derive(Debug)]
pub struct BatchQueue {
    read: LoadedPlan,
    options: BatchOptions,
    runs: Vec<QueuedRun>,
    slots: Vec<ChildSlot>,
    claims: RunClaims,
    record: BatchJournal,
    rates: AskingRates,
    state_of_queue: QueueState,
    /// The rows of the last event.
    rows: Vec<BatchRow>,
    /// The time when the runs that are not made here are scanned next.
    next_scan: Instant,
    next_heartbeat: Instant,
    /// The folder of the batch's own files.
    batch_folder: PathBuf,
}

/// The interval at which children are polled.
const CHILD_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The interval at which the folders are scanned for the work of other processes.
const FOLDER_POLL_INTERVAL: Duration = Duration::from_millis(800);

/// The interval at which the journal gets a heartbeat line.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// The pause between a break-off and the next attempt.
const RESTART_PAUSE: Duration = Duration::from_secs(2);

/// The longest time that an agent may be between two turns before its run is ended: the next turn may just be beginning.
const TURN_GRACE: Duration = Duration::from_millis(300);

impl BatchQueue {
    /// Creates the folders and reads the state of all runs. `entries` are all runs of the plan, whatever the shard.
    pub fn open(
        read: LoadedPlan,
        entries: Vec<PlannedRun>,
        options: BatchOptions,
    ) -> Result<Self, WriteError> {
        let beside = batch_folder(&read.out);
        for folder in [&read.out, &beside, &beside.join("logs"), &beside.join("scores")] {
            fs::create_dir_all(folder).map_err(WriteError::at_path(folder))?;
        }
        let claims = RunClaims::open(&beside.join("claims"))?;
        let mut record = BatchJournal::create(&beside.join("journal"), claims.owner())?;
        let plan = fs::read(&read.path).unwrap_or_default();
        record.append(BatchJournalEvent::Began {
            schema: SCHEMA.into(),
            owner: claims.owner().clone(),
            plan: read.path.display().to_string(),
            plan_sha256: sha256(&plan),
            runs: entries.len(),
            jobs: options.jobs,
        })?;
        let run = |entry: PlannedRun| QueuedRun {
            is_mine: options.shard.contains_id(&entry.id),
            look: JournalSummary::default(),
            journal_length: None,
            state: BatchState::Waiting,
            why: None,
            rests_until: None,
            broke_off: 0,
            added: usize::from(options.again),
            results: FollowUpResults::read_results(&beside.join("scores"), &entry.name),
            entry,
        };
        let runs: Vec<QueuedRun> = entries.into_iter().map(run).collect();
        let now = Instant::now();
        let mut batch = Self {
            rates: AskingRates::for_plan(&read.plan),
            slots: vec![],
            state_of_queue: QueueState::default(),
            rows: vec![],
            next_scan: now,
            next_heartbeat: now,
            read,
            options,
            runs,
            claims,
            record,
            batch_folder: beside,
        };
        batch.scan_bundles();
        Ok(batch)
    }

    /// Runs the plan and returns when it is over; `emit` is called on the caller's thread.
    pub fn run(
        &mut self,
        stop: &StopFlag,
        commands: &Receiver<BatchCommand>,
        emit: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<BatchSummary, WriteError> {
        self.rows = self.own_rows();
        loop {
            let now = Instant::now();
            if stop.is_set() {
                self.stop_all();
            }
            self.poll_children(now, emit)?;
            if now >= self.next_scan {
                self.scan_other_runs();
                self.next_scan = now + FOLDER_POLL_INTERVAL;
            }
            self.enforce_budget(now);
            self.begin_turns(now);
            self.begin_runs(now, emit)?;
            self.renew_claims(emit);
            if now >= self.next_heartbeat {
                self.record.append(BatchJournalEvent::Works)?;
                self.next_heartbeat = now + HEARTBEAT_INTERVAL;
            }
            self.report_changed_rows(emit);
            if self.is_over() {
                break;
            }
            match commands.recv_timeout(CHILD_POLL_INTERVAL) {
                Ok(command) => self.run_command(command, emit)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(CHILD_POLL_INTERVAL),
            }
        }
        let summary = self.summarize();
        self.record.append(BatchJournalEvent::Ended { complete: summary.is_complete() })?;
        Ok(summary)
    }

    /// Returns the results so far.
    pub(crate) fn summarize(&self) -> BatchSummary {
        let rows = self.own_rows();
        let is_left = rows.iter().any(|row| !row.progress.state.is_settled());
        BatchSummary {
            used: self.used_total(),
            past: self.record.read_history(),
            halted: self.state_of_queue.halted.clone(),
            is_stopped: self.state_of_queue.is_quitting && is_left,
            rows,
        }
    }

    /// Returns the rows of this shard as they are now.
    pub fn own_rows(&self) -> Vec<BatchRow> {
        self.runs.iter().filter(|run| run.is_mine).map(QueuedRun::batch_row).collect()
    }

    fn used_total(&self) -> BatchUsage {
        self.runs.iter().fold(BatchUsage::default(), |sum, run| sum.plus_usage(run.look.used))
    }

    fn is_over(&self) -> bool {
        if !self.slots.is_empty() {
            return false;
        }
        let is_settled = |run: &QueuedRun| !run.is_mine || run.state.is_settled();
        self.state_of_queue.is_quitting || (!self.options.stays && self.runs.iter().all(is_settled))
    }

    /// Sets the state of each run from the bundles and results on the disk.
    fn scan_bundles(&mut self) {
        let scores = self.batch_folder.join("scores");
        for run in &mut self.runs {
            run.refresh_journal();
            let left_out = left_out_folder(&self.batch_folder, &run.entry);
            if run.journal_length.is_none() && left_out.is_dir() {
                run.look = JournalSummary::read_bundle(&left_out).unwrap_or_default();
                if !self.options.again {
                    let why = match &run.look.stopped {
                        Some(it) if it.reason == StopReason::TurnFailed => it.why.clone(),
                        _ => "it failed before".into(),
                    };
                    run.set_state(BatchState::Failed, Some(format!("{why}; it is left out")));
                }
                continue;
            }
            let is_under_way = journal::is_under_way(&run.entry.bundle);
            if run.is_complete(&self.read, &scores) {
                run.set_state(BatchState::Done, None);
            } else if !run.look.id.is_empty()
                && !is_under_way
                && self.claims.other_owner(&run.entry.name).is_none()
            {
                // Processes that a killed run left behind are ended before anything is started.
                orphans::kill_orphans(&run.look.id);
            }
        }
    }

    /// Updates the runs that other processes make.
    fn scan_other_runs(&mut self) {
        let scores = self.batch_folder.join("scores");
        for at in 0..self.runs.len() {
            let is_ours = self.slots.iter().any(|slot| slot.run == at);
            if is_ours || self.runs[at].state == BatchState::Done {
                continue;
            }
            let run = &mut self.runs[at];
            run.refresh_journal();
            if run.state != BatchState::Elsewhere {
                continue;
            }
            if run.is_complete(&self.read, &scores) {
                run.results = FollowUpResults::read_results(&scores, &run.entry.name);
                run.set_state(BatchState::Done, None);
            } else if let Some(why) = &self.state_of_queue.halted
                && !run.look.is_finished
                && self.claims.other_owner(&run.entry.name).is_none()
                && !journal::is_under_way(&run.entry.bundle)
            {
                run.set_state(BatchState::Budget, Some(why.clone()));
            }
        }
    }

    /// Reads the journals of running children, and handles those that have ended.
    fn poll_children(
        &mut self,
        now: Instant,
        emit: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let mut at = 0;
        while at < self.slots.len() {
            let (number, is_live) = (self.slots[at].run, self.slots[at].step.is_none());
            let ended = self.slots[at].child.exit_status();
            let before = self.runs[number].look.turns;
            if is_live
                && self.runs[number].refresh_journal()
                && self.runs[number].look.turns > before
            {
                let run = &self.runs[number];
                self.rates.reset_refusals(&run.entry.combination);
                emit(BatchEvent::TurnDone(&run.batch_row()));
            }
            match ended {
                None => at += 1,
                Some(status) => {
                    let slot = self.slots.remove(at);
                    self.settle_child(slot, status, now)?;
                }
            }
        }
        Ok(())
    }

    /// Enforces the limits of all runs: once one is reached, no run is begun, and those under way end after their turn.
    fn enforce_budget(&mut self, now: Instant) {
        if let Some(why) = self.exceeded_budget() {
            self.state_of_queue.halted.get_or_insert(why);
        }
        if self.state_of_queue.halted.is_none() {
            return;
        }
        for slot in self.slots.iter_mut().filter(|slot| slot.step.is_none()) {
            let is_open = self.runs[slot.run].look.is_open;
            match slot.ends {
                None => {
                    slot.child.send_order(ORDER_PAUSE);
                    slot.ends = Some(EndReason::Budget(None));
                }
                Some(EndReason::Budget(_)) if is_open => slot.ends = Some(EndReason::Budget(None)),
                Some(EndReason::Budget(None)) => slot.ends = Some(EndReason::Budget(Some(now))),
                Some(EndReason::Budget(Some(since))) if now.duration_since(since) >= TURN_GRACE => {
                    slot.child.stop();
                }
                Some(_) => {}
            }
        }
        let why = self.state_of_queue.halted.clone();
        let at_work: Vec<usize> = self.slots.iter().map(|slot| slot.run).collect();
        for (at, run) in self.runs.iter_mut().enumerate() {
            let waits = matches!(run.state, BatchState::Waiting | BatchState::Resting);
            if waits && !run.look.is_finished && !at_work.contains(&at) {
                run.set_state(BatchState::Budget, why.clone());
            }
        }
    }

    fn exceeded_budget(&self) -> Option<String> {
        let (limits, used) = (&self.read.plan.limits, self.used_total());
        let tokens = used.tokens.recorded_sum().unwrap_or(0);
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

    /// Renews the claims of our runs; a child whose run was taken meanwhile stops.
    fn renew_claims(&mut self, emit: &mut dyn FnMut(BatchEvent<'_>)) {
        for name in self.claims.renew_claims() {
            let of_run = |slot: &&mut ChildSlot| self.runs[slot.run].entry.name == name;
            if let Some(slot) = self.slots.iter_mut().find(of_run) {
                end_child(slot, EndReason::Lost);
                let what = "another machine took over, because this one did not respond";
                emit(BatchEvent::Notice(format!("{name}: {what}")));
            }
        }
    }

    fn stop_all(&mut self) {
        self.state_of_queue.is_quitting = true;
        self.slots.iter_mut().for_each(|slot| end_child(slot, EndReason::Quit));
    }

    fn run_command(
        &mut self,
        command: BatchCommand,
        emit: &mut dyn FnMut(BatchEvent<'_>),
    ) -> Result<(), WriteError> {
        let mine = |at: usize| {
            let mine = self.runs.iter().enumerate().filter(|(_, run)| run.is_mine);
            mine.map(|(number, _)| number).nth(at)
        };
        match command {
            BatchCommand::Pause => self.state_of_queue.is_paused = true,
            BatchCommand::GoOn => self.state_of_queue.is_paused = false,
            BatchCommand::Quit => self.stop_all(),
            BatchCommand::Stop(at) => {
                let Some(number) = mine(at) else { return Ok(()) };
                let slot = self.slots.iter_mut().find(|slot| slot.run == number);
                let state = self.runs[number].state;
                match slot {
                    Some(slot) => end_child(slot, EndReason::Person),
                    None if !state.is_settled() && state != BatchState::Elsewhere => {
                        self.runs[number]
                            .set_state(BatchState::Stopped, Some("a person stopped it".into()));
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
                    run.set_state(BatchState::Waiting, None);
                    if let Some(why) = self.state_of_queue.halted.take() {
                        emit(BatchEvent::Notice(format!("continues after a halt: {why}")));
                    }
                }
            }
        }
        Ok(())
    }

    fn report_changed_rows(&mut self, emit: &mut dyn FnMut(BatchEvent<'_>)) {
        let rows = self.own_rows();
        if rows == self.rows {
            return;
        }
        for (at, row) in rows.iter().enumerate() {
            let before = self.rows.get(at).map(|row| (row.progress.state, &row.progress.why));
            let now = (row.progress.state, &row.progress.why);
            if before != Some(now) && row.progress.state != BatchState::Running {
                emit(BatchEvent::StateChanged(row));
            }
        }
        emit(BatchEvent::Rows(&rows));
        self.rows = rows;
    }
}

fn end_child(slot: &mut ChildSlot, why: EndReason) {
    if matches!(slot.ends, None | Some(EndReason::Budget(_))) {
        slot.ends = Some(why);
        match slot.step {
            None => slot.child.stop(),
            Some(_) => slot.child.interrupt(),
        }
    }
}

/// Returns the path of a bundle that was moved out of the folder of runs.
fn left_out_folder(beside: &Path, entry: &PlannedRun) -> PathBuf {
    beside.join("left-out").join(&entry.name)
}

impl QueuedRun {
    fn set_state(&mut self, state: BatchState, why: Option<String>) {
        (self.state, self.why) = (state, why);
    }

    /// Sets the state of a run whose requests are all done.
    fn settle_finished(&mut self, read: &LoadedPlan, scores: &Path) {
        let state = match self.is_complete(read, scores) {
            true => BatchState::Done,
            false => BatchState::Waiting,
        };
        self.set_state(state, None);
    }

    /// Lets a run rest before its next attempt.
    fn rest(&mut self, until: Instant, why: String) {
        self.rests_until = Some(until);
        self.set_state(BatchState::Resting, Some(why));
    }

    /// Handles a break-off: the run rests, or has failed when it broke off too often.
    fn settle_break_off(&mut self, why: String, retries: usize, now: Instant) {
        self.broke_off += 1;
        match self.broke_off > retries + self.added {
            true => self.set_state(BatchState::Failed, Some(why)),
            false => self.rest(now + RESTART_PAUSE, why),
        }
    }

    /// Reads its journal again if that has grown; returns whether it had.
    fn refresh_journal(&mut self) -> bool {
        let length = journal_length(&self.entry.bundle);
        if length == self.journal_length || length.is_none() {
            return false;
        }
        let Some(look) = JournalSummary::read_bundle(&self.entry.bundle) else { return false };
        (self.look, self.journal_length) = (look, length);
        true
    }

    /// Returns whether the run is finished and all follow-up steps are done.
    fn is_complete(&self, read: &LoadedPlan, scores: &Path) -> bool {
        let PlannedRun { name, has_components, .. } = &self.entry;
        self.look.is_finished
            && follow_up::next_follow_up(&read.plan.after, scores, name, *has_components).is_none()
    }

    fn batch_row(&self) -> BatchRow {
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
