//! The run: request after request, each turn recorded when it is over.
//!
//! Nothing that was recorded is lost, whatever happens: a turn counts from the moment its line is in the journal, and a
//! turn that does not count is done again from the files and logs before it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crossbeam_channel::select;

use trajview_store::write::WriteError;

use super::{
    control::{Control, LiveCommand},
    event::{Event, Total, Why},
    journal::{self, Entry},
    layers::LayerFiles,
    queued::Queued,
    recorder::Recorder,
    refused::is_too_often,
    script::Script,
    setup::{OnFailure, Setup},
    turn::{Verdict, reachable},
};

/// A run that is wanted, as plain values.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub setup: Setup,
    pub script: Script,
    /// The bundle that is made.
    pub bundle: PathBuf,
    /// `components.json`, where a checklist goes along.
    pub components: Option<Vec<u8>>,
    pub layers: LayerFiles,
    /// Whether a person watches: then a failed turn waits for a wish, and whoever draws the terminal answers its questions.
    pub has_person: bool,
    /// Whether every request waits for [`LiveCommand::GoOn`].
    pub step_by_step: bool,
    /// In a batch, which leaves a model alone that refuses a turn because it is asked too often: how often the first turn was
    /// refused before. None where the run repeats such a turn at once.
    pub tried: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Anew,
    /// Goes on with the run in the bundle.
    Resume,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub total: Total,
    /// Requests in all.
    pub requests: usize,
    /// None where every request was asked.
    pub halted: Option<Halt>,
}

/// Why not every request was asked. What was done before is recorded, and the run can be gone on with.
#[derive(Debug)]
pub enum Halt {
    /// We were told to.
    Stopped,
    /// A limit was reached; a sentence.
    Budget(String),
    /// The turn failed; a sentence.
    Failed {
        turn: usize,
        why: String,
    },
    /// The files that it begins with could not be made ready; a sentence.
    NotReady(String),
    Write(WriteError),
}

/// Why a run could not begin; nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// What was asked for makes no sense; a sentence.
    #[error("{0}")]
    Wrong(String),
    /// What is there cannot be gone on with; a sentence.
    #[error("{0}")]
    Unusable(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<WriteError> for Halt {
    fn from(why: WriteError) -> Self {
        Self::Write(why)
    }
}

impl Job {
    /// The run in a bundle, as it is to go on.
    pub fn of_bundle(bundle: &Path) -> Result<Self, CannotStart> {
        let shown = bundle.display();
        let Some(before) = journal::read(bundle) else {
            let why = match journal::is_unbegun(bundle) {
                true => format!("the run in {shown} never began; leave out --resume to begin it"),
                false => format!(
                    "{shown} holds no live run to go on with; leave out --resume to begin one"
                ),
            };
            return Err(CannotStart::Wrong(why));
        };
        let path = bundle.join("script.json");
        let script = std::fs::read(&path)
            .map_err(|why| why.to_string())
            .and_then(|bytes| Script::read(&bytes))
            .map_err(|why| CannotStart::Unusable(format!("{} {why}", path.display())))?;
        Ok(Self {
            setup: before.setup,
            script,
            bundle: bundle.to_owned(),
            components: None,
            layers: LayerFiles::default(),
            has_person: false,
            step_by_step: false,
            tried: None,
        })
    }
}

/// Carries out a run. Waits until it is over; `tell` is called on the caller's thread, and an agent waits while it takes its
/// time.
pub fn run(
    job: &Job,
    start: Start,
    control: &Control,
    tell: &mut dyn FnMut(&Event),
) -> Result<Ended, CannotStart> {
    let mut recorder = Recorder::open(job, start, control, tell)?;
    let halted = recorder.hold().err();
    let halted = match recorder.close(halted.as_ref()) {
        Err(why) if halted.is_none() => Some(Halt::Write(why)),
        _ => halted,
    };
    let total = recorder.progress.total();
    Ok(Ended { total, requests: recorder.script.requests.len(), halted })
}

/// How often we look whether a run that waits is to be stopped.
const BEAT: Duration = Duration::from_millis(100);

/// What comes next.
enum Next {
    Send,
    /// The script or the place in it changed.
    LookAgain,
    /// The last turn is done again.
    Redo(Redo),
    /// A person sent this to the agent.
    Typed(String),
}

/// The last turn, which is to be done again when the run goes on. Until then it stays as it is.
#[derive(Debug, Default)]
struct Redo {
    turn: usize,
    /// Other words for its request.
    text: Option<String>,
}

/// What a person wants before a request.
struct Wanted {
    /// Whether the request waits for a wish.
    waits: bool,
    redo: Option<Redo>,
    /// Whether what waits was told.
    told: bool,
}

impl Recorder<'_> {
    fn hold(&mut self) -> Result<(), Halt> {
        self.begin_files()?;
        if let Some(open) = &self.progress.open {
            let (turn, why) = (open.turn, "it was under way when the run was interrupted");
            self.again(turn, why)?;
        } else {
            self.test_what_was_left()?;
        }
        loop {
            let turn = self.progress.done.len() + 1;
            if let Some(queued) = self.steering.queued.pop_front() {
                self.enter_typed(turn, &queued)?;
                self.carry_out(turn)?;
                continue;
            }
            if self.script.request(turn).is_none() && !self.script.chat {
                return Ok(());
            }
            if self.script.request(turn).is_none() {
                self.within_budget()?;
                let Some(prompt) = self.wait_for_prompt(turn)? else { return Ok(()) };
                self.enter_typed(turn, &prompt)?;
                self.carry_out(turn)?;
                continue;
            }
            match self.before_request(turn, None)? {
                Next::LookAgain => {}
                Next::Send => {
                    self.within_budget()?;
                    self.carry_out(turn)?;
                }
                Next::Redo(redo) => {
                    self.within_budget()?;
                    let turn = redo.turn;
                    self.redo(redo)?;
                    self.carry_out(turn)?;
                }
                Next::Typed(text) => {
                    self.enter_typed(turn, &Queued { text, is_sent: true })?;
                    self.carry_out(turn)?;
                }
            }
        }
    }

    fn redo(&mut self, redo: Redo) -> Result<(), Halt> {
        self.again(redo.turn, "a person wants it done again")?;
        match redo.text {
            Some(text) => self.edit(redo.turn, &text),
            None => Ok(()),
        }
    }

    fn edit(&mut self, turn: usize, text: &str) -> Result<(), Halt> {
        if self.script.edit(turn, text) {
            self.write_script()?;
            self.record(&Entry::Edited { turn })?;
            self.told(&Event::Edited { turn });
        }
        Ok(())
    }

    /// What a person sent becomes a turn of its own, before those of the script.
    fn enter_typed(&mut self, turn: usize, typed: &Queued) -> Result<(), Halt> {
        let request = self.stage.secrets.hide(&typed.text);
        self.script.insert_typed(turn, &request);
        self.write_script()?;
        self.record(&Entry::Typed { turn, request: request.clone() })?;
        self.told(&Event::Typed { turn, request });
        self.steering.is_sent = typed.is_sent;
        Ok(())
    }

    fn within_budget(&mut self) -> Result<(), Halt> {
        let (budget, total) = (self.setup.limits.budget, self.progress.total());
        if let Some(sentence) = budget.blind(&total) {
            self.warn(sentence)?;
        }
        budget.refuses(&total).map_or(Ok(()), |why| Err(Halt::Budget(why)))
    }

    /// One turn, as often as it takes.
    fn carry_out(&mut self, turn: usize) -> Result<(), Halt> {
        let leaves_alone = self.steering.tried.is_some();
        let mut tries = self.steering.tried.as_mut().map_or(0, std::mem::take);
        loop {
            let is_last = tries >= self.setup.limits.retries;
            let keeps = is_last && self.setup.limits.on_failure == OnFailure::Keep;
            let verdict = match reachable(&self.setup, &self.control.stop) {
                Ok(()) => self.attempt(turn, keeps)?,
                Err(why) => Verdict::Failed(why),
            };
            match verdict {
                Verdict::Done => return self.after_turn(turn),
                Verdict::Stopped => return Err(Halt::Stopped),
                Verdict::Again => self.again(turn, "a person wants it done again")?,
                Verdict::Failed(why) if leaves_alone && is_too_often(&why) => {
                    return Err(Halt::Failed { turn, why });
                }
                Verdict::Failed(why) if !is_last => {
                    tries += 1;
                    self.again(turn, &why)?;
                }
                Verdict::Failed(why) if self.steering.has_person => {
                    let next = self.before_request(turn, Some(why))?;
                    self.again(turn, "it failed")?;
                    if let Next::LookAgain = next {
                        return Ok(());
                    }
                }
                Verdict::Failed(why) => return Err(Halt::Failed { turn, why }),
            }
        }
    }

    /// Carries out the wishes there are, and waits where that is wanted.
    fn before_request(&mut self, turn: usize, failed: Option<String>) -> Result<Next, Halt> {
        let waits = failed.is_some() || self.steering.is_paused || self.steering.is_step_by_step;
        let mut wanted = Wanted { waits, redo: None, told: false };
        let mut wishes = std::mem::take(&mut self.steering.later);
        loop {
            if self.control.stop.is_set() {
                return Err(Halt::Stopped);
            }
            wishes.extend(self.control.wishes().try_iter());
            if wishes.is_empty() && wanted.waits {
                if !std::mem::replace(&mut wanted.told, true) {
                    let turn = wanted.redo.as_ref().map_or(turn, |redo| redo.turn);
                    self.tell_waiting(turn, failed.as_ref());
                }
                wishes.extend(self.rest());
            } else if wishes.is_empty() {
                return Ok(wanted.redo.map_or(Next::Send, Next::Redo));
            }
            let mut rest = std::mem::take(&mut wishes).into_iter();
            while let Some(wish) = rest.next() {
                match self.grant(turn, wish, &mut wanted)? {
                    Next::Send | Next::Redo(_) => wanted.told = wanted.told && wanted.waits,
                    next @ (Next::LookAgain | Next::Typed(_)) => {
                        self.steering.later.extend(rest);
                        return Ok(next);
                    }
                }
            }
        }
    }

    fn tell_waiting(&mut self, turn: usize, failed: Option<&String>) {
        let request = self.script.request(turn).map(|it| it.text.clone()).unwrap_or_default();
        let why = match failed {
            Some(why) => Why::Failed(why.clone()),
            None if self.steering.is_paused => Why::Paused,
            None => Why::StepByStep,
        };
        self.told(&Event::Waits { turn, request, why });
    }

    /// A wish, if one comes soon. What an agent's terminal shows meanwhile, where a person types into it, is passed on.
    fn rest(&mut self) -> Option<LiveCommand> {
        let wishes = self.control.wishes().clone();
        let terminal = self.agent.process.as_ref().filter(|process| process.has_terminal());
        let Some(pieces) = terminal.map(|process| process.pieces.clone()) else {
            return wishes.recv_timeout(BEAT).ok();
        };
        let shown = select! {
            recv(wishes) -> wish => return wish.ok(),
            recv(pieces) -> piece => match piece {
                Ok(piece) => self.agent.cast.output(&piece.bytes),
                Err(_) => return wishes.recv_timeout(BEAT).ok(), // the agent has ended
            },
            default(BEAT) => self.agent.cast.rest(),
        };
        if !shown.is_empty() {
            self.told(&Event::Terminal(shown));
        }
        None
    }

    /// Carries out a wish between two turns.
    fn grant(&mut self, turn: usize, wish: LiveCommand, wanted: &mut Wanted) -> Result<Next, Halt> {
        match wish {
            LiveCommand::Pause => (self.steering.is_paused, wanted.waits) = (true, true),
            LiveCommand::GoOn => (self.steering.is_paused, wanted.waits) = (false, false),
            LiveCommand::Skip if wanted.redo.take().is_some() => {
                wanted.told = false;
                self.told(&Event::Redo { turn: None });
            }
            LiveCommand::Skip => return self.skip(turn),
            LiveCommand::Edit(text) => match &mut wanted.redo {
                Some(redo) => redo.text = Some(text),
                None => self.edit(turn, &text)?,
            },
            LiveCommand::Retry if turn > 1 && self.progress.open.is_none() => {
                wanted.redo = Some(Redo { turn: turn - 1, text: None });
                wanted.told = false;
                self.told(&Event::Redo { turn: Some(turn - 1) });
            }
            LiveCommand::Retry => wanted.waits = false,
            LiveCommand::Stop => return Err(Halt::Stopped),
            LiveCommand::Resize(columns, rows) => self.resize((columns, rows)),
            LiveCommand::Keys(bytes) => {
                let is_heard = self.agent.process.as_ref().is_some_and(|it| it.has_terminal());
                self.type_in(&bytes);
                let sent = self.steering.typing.take(&bytes).filter(|_| is_heard);
                return Ok(sent.map_or(Next::Send, Next::Typed));
            }
        }
        Ok(Next::Send)
    }

    fn skip(&mut self, turn: usize) -> Result<Next, Halt> {
        let request = self.script.request(turn).map(|it| it.text.clone());
        if let Some(request) = request
            && self.script.skip(turn)
        {
            self.write_script()?;
            self.record(&Entry::Skipped { request: request.clone() })?;
            self.write_manifest()?;
            self.told(&Event::Skipped { request });
        }
        Ok(Next::LookAgain)
    }
}
