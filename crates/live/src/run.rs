//! The run: request after request, each turn recorded when it is over.
//!
//! Nothing that was recorded is lost, whatever happens: a turn counts once its line is in the journal, and a turn that does
//! not count is done again from the files and logs before it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crossbeam_channel::select;

use trajview_run::live::{LiveCommand, LiveEvent, RunTotal, WaitReason};
use trajview_store::write::WriteError;

use super::{
    control::RunControl,
    journal::{self, JournalEntry},
    layers::LayerFiles,
    queued_prompts::QueuedPrompt,
    rate_limit::is_rate_limited,
    recorder::Recorder,
    script::RequestScript,
    setup::{OnFailure, RunSetup},
    turn::{AttemptVerdict, check_server_reachable},
};

/// A run to make, as plain values.
#[derive(Debug, Clone, PartialEq)]
pub struct RunJob {
    pub setup: RunSetup,
    pub script: RequestScript,
    /// The bundle that is created.
    pub bundle: PathBuf,
    /// The content of `components.json`, if the run has a checklist.
    pub components: Option<Vec<u8>>,
    pub layers: LayerFiles,
    /// True if a person watches: then a failed turn waits for a command, and the caller that draws the terminal answers its
    /// questions.
    pub has_person: bool,
    /// True if every request waits for [`LiveCommand::GoOn`].
    pub step_by_step: bool,
    /// In a batch, which pauses a model after a rate limit: how often the first turn was refused before. None when the run
    /// repeats such a turn at once.
    pub earlier_refusals: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    Anew,
    /// Resumes the run in the bundle.
    Resume,
}

/// The end of a run.
#[derive(Debug)]
pub struct LiveRunEnd {
    pub total: RunTotal,
    /// The number of requests.
    pub requests: usize,
    /// The reason why it stopped; None when every request was sent.
    pub halted: Option<RunHalt>,
}

/// The reason why not every request was sent. The turns before are recorded, and the run can be resumed.
#[derive(Debug)]
pub enum RunHalt {
    /// A person or the batch stopped the run.
    Stopped,
    /// A limit was reached; a sentence.
    Budget(String),
    /// The turn failed; a sentence.
    Failed {
        turn: usize,
        why: String,
    },
    /// The start files could not be prepared; a sentence.
    NotReady(String),
    Write(WriteError),
}

/// The reason why a run could not begin; nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// The options make no sense; a sentence.
    #[error("{0}")]
    Wrong(String),
    /// The bundle cannot be resumed; a sentence.
    #[error("{0}")]
    Unusable(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<WriteError> for RunHalt {
    fn from(why: WriteError) -> Self {
        Self::Write(why)
    }
}

impl RunJob {
    /// Reads the run in a bundle, to resume it.
    pub fn from_bundle(bundle: &Path) -> Result<Self, CannotStart> {
        let shown = bundle.display();
        let Some(before) = journal::read_journal(bundle) else {
            let why = match journal::is_unbegun(bundle) {
                true => format!("the run in {shown} never started; start it without --resume"),
                false => format!("{shown} has no live run to resume; start one without --resume"),
            };
            return Err(CannotStart::Wrong(why));
        };
        let path = bundle.join("script.json");
        let script = std::fs::read(&path)
            .map_err(|why| why.to_string())
            .and_then(|bytes| RequestScript::parse_script(&bytes))
            .map_err(|why| CannotStart::Unusable(format!("{} {why}", path.display())))?;
        Ok(Self {
            setup: before.setup,
            script,
            bundle: bundle.to_owned(),
            components: None,
            layers: LayerFiles::default(),
            has_person: false,
            step_by_step: false,
            earlier_refusals: None,
        })
    }
}

/// Makes a run and returns when it is over; `emit` is called on the caller's thread, and an agent waits meanwhile.
pub fn run_job(
    job: &RunJob,
    start: StartMode,
    control: &RunControl,
    emit: &mut dyn FnMut(&LiveEvent),
) -> Result<LiveRunEnd, CannotStart> {
    let mut recorder = Recorder::open(job, start, control, emit)?;
    let halted = recorder.run_turns().err();
    let halted = match recorder.close_run(halted.as_ref()) {
        Err(why) if halted.is_none() => Some(RunHalt::Write(why)),
        _ => halted,
    };
    let total = recorder.progress.used_in_total();
    Ok(LiveRunEnd { total, requests: recorder.script.requests.len(), halted })
}

/// The interval at which a waiting run checks the stop flag.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The next action of a run.
enum NextAction {
    Send,
    /// The script or the position in it changed.
    LookAgain,
    /// The last turn is done again.
    Redo(PendingRedo),
    /// A person sent this prompt to the agent.
    Typed(String),
}

/// The last turn, which is done again when the run goes on. Until then it stays as it is.
#[derive(Debug, Default)]
struct PendingRedo {
    turn: usize,
    /// The new text of its request.
    text: Option<String>,
}

/// The state of the wait before a request.
struct WaitState {
    /// True if the request waits for a command.
    waits: bool,
    redo: Option<PendingRedo>,
    /// True if the event about the wait was sent.
    is_announced: bool,
}

impl Recorder<'_> {
    fn run_turns(&mut self) -> Result<(), RunHalt> {
        self.record_start_files()?;
        if let Some(open) = &self.progress.open {
            let (turn, why) = (open.turn, "it was under way when the run was interrupted");
            self.prepare_retry(turn, why)?;
        } else {
            self.test_interrupted_checkpoint()?;
        }
        loop {
            let turn = self.progress.done.len() + 1;
            if let Some(queued) = self.steering.queued.pop_front() {
                self.insert_typed_request(turn, &queued)?;
                self.run_turn(turn)?;
                continue;
            }
            if self.script.request_of_turn(turn).is_none() && !self.script.chat {
                return Ok(());
            }
            if self.script.request_of_turn(turn).is_none() {
                self.check_budget()?;
                let Some(prompt) = self.wait_for_prompt(turn)? else { return Ok(()) };
                self.insert_typed_request(turn, &prompt)?;
                self.run_turn(turn)?;
                continue;
            }
            match self.wait_before_request(turn, None)? {
                NextAction::LookAgain => {}
                NextAction::Send => {
                    self.check_budget()?;
                    self.run_turn(turn)?;
                }
                NextAction::Redo(redo) => {
                    self.check_budget()?;
                    let turn = redo.turn;
                    self.redo_turn(redo)?;
                    self.run_turn(turn)?;
                }
                NextAction::Typed(text) => {
                    self.insert_typed_request(turn, &QueuedPrompt { text, is_sent: true })?;
                    self.run_turn(turn)?;
                }
            }
        }
    }

    fn redo_turn(&mut self, redo: PendingRedo) -> Result<(), RunHalt> {
        self.prepare_retry(redo.turn, "repeated at the user's request")?;
        match redo.text {
            Some(text) => self.edit_request(redo.turn, &text),
            None => Ok(()),
        }
    }

    fn edit_request(&mut self, turn: usize, text: &str) -> Result<(), RunHalt> {
        if self.script.edit_request(turn, text) {
            self.write_script()?;
            self.record_entry(&JournalEntry::Edited { turn })?;
            self.emit_event(&LiveEvent::Edited { turn });
        }
        Ok(())
    }

    /// Inserts a person's prompt as a turn of its own, before those of the script.
    fn insert_typed_request(&mut self, turn: usize, typed: &QueuedPrompt) -> Result<(), RunHalt> {
        let request = self.run_folders.secrets.hide(&typed.text);
        self.script.insert_typed_request(turn, &request);
        self.write_script()?;
        self.record_entry(&JournalEntry::Typed { turn, request: request.clone() })?;
        self.emit_event(&LiveEvent::Typed { turn, request });
        self.steering.is_sent = typed.is_sent;
        Ok(())
    }

    /// Halts where the budget is used up; warns where it cannot be known.
    fn check_budget(&mut self) -> Result<(), RunHalt> {
        let (budget, total) = (self.setup.limits.budget, self.progress.used_in_total());
        if let Some(sentence) = budget.unknown_usage(&total) {
            self.record_warning(sentence)?;
        }
        budget.refusal_reason(&total).map_or(Ok(()), |why| Err(RunHalt::Budget(why)))
    }

    /// Makes one turn, with its repeats.
    fn run_turn(&mut self, turn: usize) -> Result<(), RunHalt> {
        let leaves_alone = self.steering.earlier_refusals.is_some();
        let mut tries = self.steering.earlier_refusals.as_mut().map_or(0, std::mem::take);
        loop {
            let is_last = tries >= self.setup.limits.retries;
            let keeps = is_last && self.setup.limits.on_failure == OnFailure::Keep;
            let verdict = match check_server_reachable(&self.setup, &self.control.stop) {
                Ok(()) => self.attempt_turn(turn, keeps)?,
                Err(why) => AttemptVerdict::Failed(why),
            };
            match verdict {
                AttemptVerdict::Done => return self.test_after_turn(turn),
                AttemptVerdict::Stopped => return Err(RunHalt::Stopped),
                AttemptVerdict::Repeat => {
                    self.prepare_retry(turn, "repeated at the user's request")?
                }
                AttemptVerdict::Failed(why) if leaves_alone && is_rate_limited(&why) => {
                    return Err(RunHalt::Failed { turn, why });
                }
                AttemptVerdict::Failed(why) if !is_last => {
                    tries += 1;
                    self.prepare_retry(turn, &why)?;
                }
                AttemptVerdict::Failed(why) if self.steering.has_person => {
                    let next = self.wait_before_request(turn, Some(why))?;
                    self.prepare_retry(turn, "it failed")?;
                    if let NextAction::LookAgain = next {
                        return Ok(());
                    }
                }
                AttemptVerdict::Failed(why) => return Err(RunHalt::Failed { turn, why }),
            }
        }
    }

    /// Runs the waiting commands, and waits if a person wants that.
    fn wait_before_request(
        &mut self,
        turn: usize,
        failed: Option<String>,
    ) -> Result<NextAction, RunHalt> {
        let waits = failed.is_some() || self.steering.is_paused || self.steering.is_step_by_step;
        let mut wanted = WaitState { waits, redo: None, is_announced: false };
        let mut commands = std::mem::take(&mut self.steering.later_commands);
        loop {
            if self.control.stop.is_set() {
                return Err(RunHalt::Stopped);
            }
            commands.extend(self.control.commands().try_iter());
            if commands.is_empty() && wanted.waits {
                if !std::mem::replace(&mut wanted.is_announced, true) {
                    let turn = wanted.redo.as_ref().map_or(turn, |redo| redo.turn);
                    self.emit_waiting(turn, failed.as_ref());
                }
                commands.extend(self.next_command());
            } else if commands.is_empty() {
                return Ok(wanted.redo.map_or(NextAction::Send, NextAction::Redo));
            }
            let mut rest = std::mem::take(&mut commands).into_iter();
            while let Some(command) = rest.next() {
                match self.apply_command(turn, command, &mut wanted)? {
                    NextAction::Send | NextAction::Redo(_) => {
                        wanted.is_announced = wanted.is_announced && wanted.waits
                    }
                    next @ (NextAction::LookAgain | NextAction::Typed(_)) => {
                        self.steering.later_commands.extend(rest);
                        return Ok(next);
                    }
                }
            }
        }
    }

    fn emit_waiting(&mut self, turn: usize, failed: Option<&String>) {
        let request =
            self.script.request_of_turn(turn).map(|it| it.text.clone()).unwrap_or_default();
        let why = match failed {
            Some(why) => WaitReason::Failed(why.clone()),
            None if self.steering.is_paused => WaitReason::Paused,
            None => WaitReason::StepByStep,
        };
        self.emit_event(&LiveEvent::Waits { turn, request, why });
    }

    /// Returns a command if one comes soon. The output of an agent's terminal is passed on meanwhile.
    fn next_command(&mut self) -> Option<LiveCommand> {
        let commands = self.control.commands().clone();
        let terminal = self.agent.process.as_ref().filter(|process| process.has_terminal());
        let Some(pieces) = terminal.map(|process| process.pieces.clone()) else {
            return commands.recv_timeout(STOP_POLL_INTERVAL).ok();
        };
        let shown = select! {
            recv(commands) -> command => return command.ok(),
            recv(pieces) -> piece => match piece {
                Ok(piece) => self.agent.terminal_recording.record_output(&piece.bytes),
                Err(_) => return commands.recv_timeout(STOP_POLL_INTERVAL).ok(), // the agent has ended
            },
            default(STOP_POLL_INTERVAL) => self.agent.terminal_recording.flush_held(),
        };
        if !shown.is_empty() {
            self.emit_event(&LiveEvent::Terminal(shown));
        }
        None
    }

    /// Runs a command between two turns.
    fn apply_command(
        &mut self,
        turn: usize,
        command: LiveCommand,
        wanted: &mut WaitState,
    ) -> Result<NextAction, RunHalt> {
        match command {
            LiveCommand::Pause => (self.steering.is_paused, wanted.waits) = (true, true),
            LiveCommand::GoOn => (self.steering.is_paused, wanted.waits) = (false, false),
            LiveCommand::Skip if wanted.redo.take().is_some() => {
                wanted.is_announced = false;
                self.emit_event(&LiveEvent::Redo { turn: None });
            }
            LiveCommand::Skip => return self.skip_request(turn),
            LiveCommand::Edit(text) => match &mut wanted.redo {
                Some(redo) => redo.text = Some(text),
                None => self.edit_request(turn, &text)?,
            },
            LiveCommand::Retry if turn > 1 && self.progress.open.is_none() => {
                wanted.redo = Some(PendingRedo { turn: turn - 1, text: None });
                wanted.is_announced = false;
                self.emit_event(&LiveEvent::Redo { turn: Some(turn - 1) });
            }
            LiveCommand::Retry => wanted.waits = false,
            LiveCommand::Stop => return Err(RunHalt::Stopped),
            LiveCommand::Resize(columns, rows) => self.resize_terminal((columns, rows)),
            LiveCommand::Keys(bytes) => {
                let is_heard = self.agent.process.as_ref().is_some_and(|it| it.has_terminal());
                self.type_keys(&bytes);
                let sent = self.steering.input_line.take_keys(&bytes).filter(|_| is_heard);
                return Ok(sent.map_or(NextAction::Send, NextAction::Typed));
            }
        }
        Ok(NextAction::Send)
    }

    fn skip_request(&mut self, turn: usize) -> Result<NextAction, RunHalt> {
        let request = self.script.request_of_turn(turn).map(|it| it.text.clone());
        if let Some(request) = request
            && self.script.remove_request(turn)
        {
            self.write_script()?;
            self.record_entry(&JournalEntry::Skipped { request: request.clone() })?;
            self.write_manifest()?;
            self.emit_event(&LiveEvent::Skipped { request });
        }
        Ok(NextAction::LookAgain)
    }
}
