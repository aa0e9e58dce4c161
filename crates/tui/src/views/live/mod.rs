//! A run that is being made: the agent's terminal to the left, its requests below it, and to the right the replay of what
//! is recorded so far, growing.
//!
//! The one who runs the agent is told of by [`crate::session::live`] and asked by [`Command`]s; nothing here starts anything. While the
//! keyboard is in the terminal every key is the agent's but one, and the footer says which.

pub mod areas;
pub mod draw;
pub mod facts;
pub mod terminal;

use ratatui::layout::Size;
use std::{path::PathBuf, time::Duration};

use crate::{
    session::{
        context::Context,
        jobs::Origin,
        live::{Asked, Changed, Command, How, Layer, LiveEvent, Pause, Plan, Spent},
    },
    widgets::{
        key_event::KeyEvent,
        mouse::Mouse,
        scroll::{Motion, Scroll},
    },
};

use super::live::terminal::{Terminal, find::Way};

use areas::Areas;

/// What is known of the run that is being made.
#[derive(Debug)]
pub struct Live {
    /// Whether it was looked at since it is over.
    pub is_seen: bool,
    pub plan: Plan,
    /// What became of each request, in the order of the plan.
    pub turns: Vec<Turn>,
    pub terminal: Terminal,
    pub focus: Focus,
    pub rows: Scroll,
    pub spent: Spent,
    pub tests: Vec<Tested>,
    /// Of the turn under way.
    pub changed: Vec<Changed>,
    pub phase: Phase,
    /// The newest last.
    pub warnings: Vec<String>,
    /// The turn that is done again when the run goes on.
    pub redo: Option<Redo>,
    pub input: Input,
    pub notice: Option<String>,
    pub from: StartedFrom,
}

/// The run that a live run was started from, and where it is recorded.
#[derive(Debug)]
pub struct StartedFrom {
    /// The run that it was started from, which is shown beside it.
    pub origin: Option<Origin>,
    /// Where it is recorded, where it was started from the screen.
    pub bundle: Option<PathBuf>,
    /// The turn of the other run that was last shown for a turn of this one, by its position.
    pub(crate) led_to: Option<usize>,
}

/// Words that are typed and looked for.
#[derive(Debug)]
pub struct Input {
    /// What is being typed.
    pub prompt: Option<Prompt>,
    /// The words that were looked for last.
    pub words: String,
    /// What a second press of the same key does, if it comes next.
    asked: Option<Step>,
    /// The key before this one asked for it.
    confirmed: Option<Step>,
}

/// What is done only when it is asked for twice: it ends a turn or costs money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Stop,
    Resume,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub asked: Asked,
    pub state: State,
    pub layers: Vec<Layer>,
    /// More than 1 where it was done again.
    pub attempt: usize,
    pub seconds: Option<f64>,
    /// Whether its words are others than the script's.
    pub is_edited: bool,
}

impl Turn {
    fn waiting(asked: Asked) -> Self {
        let state = State::Waits;
        Self { asked, state, layers: vec![], attempt: 1, seconds: None, is_edited: false }
    }
}

/// The last turn, which is done again when the run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redo {
    /// Its position.
    pub at: usize,
    /// Other words for its request.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Waits,
    UnderWay,
    Ended(How),
    /// Never sent.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    pub checkpoint: String,
    pub passed: u64,
    pub total: u64,
}

/// Where the keyboard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    #[default]
    Requests,
    /// The agent has it.
    Terminal,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// No run is being made.
    Nothing,
    #[default]
    Starting,
    Running,
    Waiting(Pause),
    /// We were told to stop, and it has not ended yet.
    Stopping,
    /// Another program makes it.
    Elsewhere,
    Over {
        words: String,
        is_whole: bool,
    },
}

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub kind: PromptKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Other words for the next request.
    Request,
    /// Words to look for in the terminal.
    Find,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    LiveEvent(LiveEvent),
    /// Among the requests.
    Move(Motion),
    /// In the terminal's history.
    Scroll(Motion),
    /// The keyboard to the agent's terminal.
    Enter,
    /// And back.
    Leave,
    PauseOrGoOn,
    Skip,
    Retry,
    Stop,
    /// Goes on with a run that broke off.
    Resume,
    Edit,
    Find,
    Again(Way),
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
    Show,
    /// The replay, the curves or the scores of the run beside the terminal.
    Beside,
    /// Beside the terminal what is recorded so far, or again the run that it was started from.
    OtherRun,
    /// Set it beside the run that it was started from.
    Compare,
}

/// A frame that the agent does not end is shown after this.
pub const LONGEST_FRAME: Duration = Duration::from_millis(150);

/// Warnings that are kept.
const MOST_WARNINGS: usize = 200;

impl Live {
    /// Before anything was told.
    pub fn new(terminal: Size) -> Self {
        Self {
            is_seen: false,
            plan: Plan::default(),
            turns: vec![],
            terminal: Terminal::new(terminal),
            focus: Focus::default(),
            rows: Scroll::default(),
            spent: Spent::default(),
            tests: vec![],
            changed: vec![],
            phase: Phase::default(),
            warnings: vec![],
            redo: None,
            notice: None,
            from: StartedFrom { origin: None, bundle: None, led_to: None },
            input: Input { prompt: None, words: String::new(), asked: None, confirmed: None },
        }
    }

    /// Where no run is being made.
    pub fn nothing(terminal: Size) -> Self {
        Self { phase: Phase::Nothing, ..Self::new(terminal) }
    }

    pub const fn is_nothing(&self) -> bool {
        matches!(self.phase, Phase::Nothing)
    }

    /// Which keys hold.
    pub fn context(&self) -> Context {
        match (&self.input.prompt, self.focus) {
            (Some(_), _) => Context::LivePrompt,
            (None, _) if self.is_nothing() => Context::Anywhere,
            (None, Focus::Terminal) => Context::Agent,
            (None, Focus::Requests) => Context::Live,
        }
    }

    /// Whether nothing can be asked of it here any more.
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over { .. } | Phase::Elsewhere | Phase::Nothing)
    }

    /// The turn under way, by its position.
    pub fn under_way(&self) -> Option<usize> {
        self.turns.iter().position(|turn| turn.state == State::UnderWay)
    }

    /// The request that is sent next, by its position.
    pub fn next(&self) -> Option<usize> {
        let waits = || self.turns.iter().position(|turn| turn.state == State::Waits);
        self.redo.as_ref().map(|redo| redo.at).or_else(waits)
    }

    /// Turns that are over.
    pub fn done(&self) -> usize {
        self.turns
            .iter()
            .filter(|turn| matches!(turn.state, State::Ended(_) | State::Skipped))
            .count()
    }

    /// Changes the state; what is returned is to be asked of the one who runs the agent.
    pub fn update(&mut self, message: Message, areas: &Areas) -> Vec<Command> {
        match message {
            Message::LiveEvent(told) => return self.hear(told),
            Message::Move(motion) => {
                let height = usize::from(areas.list().height);
                self.rows.cursor = motion.from(self.rows.cursor, self.turns.len(), height);
            }
            Message::Scroll(motion) => self.terminal.scroll(motion),
            Message::Enter => return self.enter(),
            Message::Leave => return self.leave(),
            Message::PauseOrGoOn => return self.pause_or_go_on(),
            Message::Skip => return self.skip(),
            Message::Retry => return self.retry(),
            Message::Stop => return self.stop(),
            Message::Resume => return self.resume(),
            Message::Edit => self.edit(),
            Message::Find => self.ask(PromptKind::Find, String::new()),
            Message::Again(way) => self.find(way),
            Message::Type(words) => self.typing(|text| text.push_str(&words)),
            Message::Erase => self.typing(|text| {
                text.pop();
            }),
            Message::EraseAll => self.typing(String::clear),
            Message::Accept => return self.accept(),
            Message::Cancel => self.input.prompt = None,
            Message::Show => {} // needs the rest of the program, see `around`
            Message::Beside | Message::OtherRun => self.notice = Some(NOT_YET.into()),
            Message::Compare => self.notice = Some(NOTHING_TO_COMPARE.into()),
        }
        vec![]
    }

    /// A key for the agent.
    pub fn press(&mut self, event: impl Into<KeyEvent>) -> Vec<Command> {
        typed(self.terminal.press(event))
    }

    /// Pasted text goes where the keyboard is.
    pub fn paste(&mut self, text: &str) -> Vec<Command> {
        match self.focus {
            Focus::Terminal => typed(self.terminal.paste(text)),
            Focus::Requests => vec![],
        }
    }

    /// The mouse over the terminal, in cells of the screen.
    pub fn point(&mut self, mouse: Mouse, areas: &Areas) -> Vec<Command> {
        let inside = areas.inside();
        let is_there = inside.contains((mouse.column, mouse.row).into());
        if !is_there {
            return vec![];
        }
        typed(self.terminal.point(mouse.kind, mouse.column - inside.x, mouse.row - inside.y))
    }

    /// Brings the terminal to the size it has room for.
    pub fn settle(&mut self, areas: &Areas) -> Vec<Command> {
        self.rows.follow(self.turns.len(), usize::from(areas.list().height));
        let inside = areas.inside();
        let before = self.terminal.size();
        self.terminal.resize(Size { width: inside.width, height: inside.height });
        let now = self.terminal.size();
        if now == before { vec![] } else { vec![Command::Resize(now)] }
    }

    fn hear(&mut self, told: LiveEvent) -> Vec<Command> {
        match told {
            LiveEvent::Planned(plan) => self.plan(plan),
            LiveEvent::Wrote(bytes) => return typed(self.terminal.feed(&bytes).replies),
            LiveEvent::Silent => return typed(self.terminal.end_wait().replies),
            LiveEvent::Started { has_terminal } => {
                self.plan.is_interactive = has_terminal;
                self.terminal.begin_program();
                if has_terminal && self.plan.is_chat {
                    return self.enter();
                }
            }
            LiveEvent::Skipped => self.skipped(),
            LiveEvent::Typed { turn, text } => self.enter_typed(turn, text),
            LiveEvent::Redo(turn) => self.wants_redo(turn),
            LiveEvent::Began { turn, attempt, layers } => {
                self.phase = Phase::Running;
                self.changed.clear();
                let text = self.redo.take().and_then(|redo| redo.text);
                if let Some((at, known)) = self.turn_mut(turn) {
                    known.layers = layers;
                    known.attempt = attempt;
                    known.state = State::UnderWay;
                    if let Some(text) = text {
                        known.is_edited |= known.asked.text != text;
                        known.asked.text = text;
                    }
                    self.rows.cursor = at;
                }
            }
            LiveEvent::Changed(changed) => self.changed = changed,
            LiveEvent::Recording(files) => {
                self.notice = Some(format!("{RECORDING}{files} so far"));
            }
            LiveEvent::Spent(spent) => self.spent = spent,
            LiveEvent::Ended { turn, how, seconds } => {
                self.changed.clear();
                self.notice.take_if(|notice| notice.starts_with(RECORDING));
                if let Some((_, known)) = self.turn_mut(turn) {
                    known.seconds = Some(seconds);
                    known.state = State::Ended(how);
                }
            }
            LiveEvent::Tested { checkpoint, passed, total } => {
                self.tests.retain(|tested| tested.checkpoint != checkpoint);
                self.tests.push(Tested { checkpoint, passed, total });
            }
            LiveEvent::Waits(pause) => {
                self.phase = Phase::Waiting(pause);
                if self.redo.is_none() {
                    self.notice = None;
                }
            }
            LiveEvent::Resumed => self.phase = Phase::Running,
            LiveEvent::Elsewhere => self.phase = Phase::Elsewhere,
            LiveEvent::Warned(words) => self.warn(words),
            LiveEvent::Over { words, is_whole } => {
                let origin = self.from.origin.as_ref().filter(|_| self.done() > 0);
                if let Some(origin) = origin {
                    self.notice = Some(format!("{words}; c compares it with {}", origin.name));
                }
                self.phase = Phase::Over { words, is_whole };
                self.is_seen = false;
                self.focus = Focus::Requests;
                for turn in &mut self.turns {
                    if turn.state == State::UnderWay {
                        turn.state = State::Waits;
                    }
                }
            }
        }
        vec![]
    }

    fn plan(&mut self, plan: Plan) {
        let turn = |(at, asked): (usize, &Asked)| Turn {
            state: if at < plan.done { State::Ended(How::Done) } else { State::Waits },
            ..Turn::waiting(asked.clone())
        };
        self.turns = plan.requests.iter().enumerate().map(turn).collect();
        self.rows.cursor = plan.done;
        self.plan = plan;
    }

    fn skipped(&mut self) {
        let Some(at) = self.next() else { return };
        self.turns[at].state = State::Skipped;
        self.turns[at].asked.turn = 0;
        for turn in &mut self.turns[at + 1..] {
            turn.asked.turn = turn.asked.turn.saturating_sub(1);
        }
    }

    fn enter_typed(&mut self, turn: usize, text: String) {
        let at = self.turns.iter().position(|it| it.asked.turn == turn).unwrap_or(self.turns.len());
        for later in &mut self.turns[at..] {
            if later.asked.turn > 0 {
                later.asked.turn += 1;
            }
        }
        let asked = Asked { turn, text, checkpoint: None, is_typed: true };
        self.turns.insert(at, Turn::waiting(asked));
    }

    fn wants_redo(&mut self, turn: Option<usize>) {
        let known = turn.and_then(|turn| self.turn_mut(turn).map(|(at, _)| at));
        self.notice = Some(match turn {
            Some(turn) => {
                format!("turn {turn} is done again when the run goes on: p; s leaves it as it is")
            }
            None => "the last turn stays as it is".into(),
        });
        self.redo = known.map(|at| Redo { at, text: None });
    }

    fn turn_mut(&mut self, number: usize) -> Option<(usize, &mut Turn)> {
        self.turns.iter_mut().enumerate().find(|(_, turn)| turn.asked.turn == number)
    }

    fn warn(&mut self, words: String) {
        self.notice = Some(words.clone());
        self.warnings.push(words);
        let more = self.warnings.len().saturating_sub(MOST_WARNINGS);
        self.warnings.drain(..more);
    }

    fn enter(&mut self) -> Vec<Command> {
        if self.is_over() || !self.plan.is_interactive {
            let why = match (self.is_nothing(), self.is_over()) {
                (true, _) => NOTHING,
                (_, true) => "the agent has ended",
                _ => NO_KEYS,
            };
            self.notice = Some(why.into());
            return vec![];
        }
        self.focus = Focus::Terminal;
        typed(self.terminal.focus(true).to_vec())
    }

    fn leave(&mut self) -> Vec<Command> {
        self.focus = Focus::Requests;
        typed(self.terminal.focus(false).to_vec())
    }

    fn pause_or_go_on(&mut self) -> Vec<Command> {
        match self.phase {
            Phase::Running | Phase::Starting => {
                self.notice = Some("pauses when the turn under way is over".into());
                vec![Command::Pause]
            }
            Phase::Waiting(_) => vec![Command::GoOn],
            Phase::Stopping | Phase::Elsewhere | Phase::Over { .. } | Phase::Nothing => {
                self.too_late()
            }
        }
    }

    fn skip(&mut self) -> Vec<Command> {
        if self.redo.is_some() && !self.is_over() {
            return vec![Command::Skip];
        }
        match (self.is_over(), self.next()) {
            (false, Some(at)) => {
                let turn = self.turns[at].asked.turn;
                self.notice = Some(format!("request {turn} will not be sent"));
                vec![Command::Skip]
            }
            (false, None) => {
                self.notice = Some("every request has been sent".into());
                vec![]
            }
            (true, _) => self.too_late(),
        }
    }

    fn retry(&mut self) -> Vec<Command> {
        match self.phase {
            Phase::Waiting(_) if self.done() > 0 => vec![Command::Retry],
            Phase::Waiting(_) => {
                self.notice = Some("no turn has ended yet".into());
                vec![]
            }
            Phase::Stopping | Phase::Elsewhere | Phase::Over { .. } | Phase::Nothing => {
                self.too_late()
            }
            Phase::Starting | Phase::Running => {
                self.notice = Some("a turn is tried again while the run waits: p first".into());
                vec![]
            }
        }
    }

    fn stop(&mut self) -> Vec<Command> {
        if self.is_over() {
            return self.too_late();
        }
        if !self.is_confirmed(Step::Stop) {
            self.notice = Some(STOPS.into());
            return vec![];
        }
        self.phase = Phase::Stopping;
        vec![Command::Stop]
    }

    /// Goes on with the run where it broke off, from its bundle.
    fn resume(&mut self) -> Vec<Command> {
        let why_not = match &self.phase {
            Phase::Over { is_whole: false, .. } if !self.plan.out.is_empty() => None,
            Phase::Over { is_whole: false, .. } => Some("nothing of this run was recorded"),
            Phase::Over { .. } => Some("the run is finished: there is nothing to go on with"),
            Phase::Nothing => Some(NOTHING),
            Phase::Elsewhere => Some("another program makes this run: only that one can steer it"),
            _ => Some("the run goes on"),
        };
        if let Some(why_not) = why_not {
            self.notice = Some(why_not.into());
            return vec![];
        }
        if !self.is_confirmed(Step::Resume) {
            self.notice = Some(RESUMES.into());
            return vec![];
        }
        self.phase = Phase::Starting;
        vec![Command::Resume(PathBuf::from(&self.plan.out))]
    }

    /// Whether a step was asked for by the key before this one; if not, the next key may confirm it.
    fn is_confirmed(&mut self, step: Step) -> bool {
        let is_confirmed = self.input.confirmed.take() == Some(step);
        self.input.asked = Some(step).filter(|_| !is_confirmed);
        is_confirmed
    }

    /// A key was pressed: what was said before is gone, and only this key can confirm what the one before asked for.
    pub(crate) fn press_key(&mut self) {
        self.notice = None;
        self.input.confirmed = self.input.asked.take();
    }

    fn too_late(&mut self) -> Vec<Command> {
        let words = match self.phase {
            Phase::Nothing => NOTHING,
            Phase::Elsewhere => "another program makes this run: only that one can steer it",
            Phase::Over { is_whole: true, .. } => "the run is over",
            _ => "the run is over; R goes on with it",
        };
        self.notice = Some(words.into());
        vec![]
    }

    fn edit(&mut self) {
        match self.next() {
            Some(at) if !self.is_over() => {
                self.rows.cursor = at;
                self.ask(PromptKind::Request, self.turns[at].asked.text.clone());
            }
            _ => self.notice = Some("there is no request left to edit".into()),
        }
    }

    fn ask(&mut self, kind: PromptKind, text: String) {
        self.input.prompt = Some(Prompt { kind, text });
    }

    fn typing(&mut self, change: impl FnOnce(&mut String)) {
        if let Some(prompt) = &mut self.input.prompt {
            change(&mut prompt.text);
        }
    }

    fn accept(&mut self) -> Vec<Command> {
        let Some(prompt) = self.input.prompt.take() else { return vec![] };
        match prompt.kind {
            PromptKind::Find => {
                if !prompt.text.is_empty() {
                    self.input.words = prompt.text;
                }
                self.find(Way::Back);
                vec![]
            }
            PromptKind::Request if prompt.text.trim().is_empty() => {
                self.notice = Some("a request without words is not sent; s skips it".into());
                vec![]
            }
            PromptKind::Request => {
                if let Some(redo) = &mut self.redo {
                    redo.text = Some(prompt.text.clone());
                } else if let Some(at) = self.next() {
                    let turn = &mut self.turns[at];
                    turn.is_edited |= turn.asked.text != prompt.text;
                    turn.asked.text.clone_from(&prompt.text);
                }
                vec![Command::Edit(prompt.text)]
            }
        }
    }

    fn find(&mut self, way: Way) {
        let words = std::mem::take(&mut self.input.words);
        if let Err(why) = self.terminal.find(&words, way) {
            self.notice = Some(why);
        }
        self.input.words = words;
    }
}

const RECORDING: &str = "recording the files: ";

const STOPS: &str =
    "x again stops the agent in its turn; what is recorded stays, and R goes on with it";

const RESUMES: &str =
    "R again goes on with this run: the agent is called again, with the limits it had";

const NOT_YET: &str = "nothing is recorded yet";

const NOTHING: &str = "no agent is running here: A starts one";

const NOTHING_TO_COMPARE: &str =
    "this run was not started from another: `trajview A B` compares two";

const NO_KEYS: &str = "this agent runs without a terminal and hears no keys";

fn typed(bytes: Vec<u8>) -> Vec<Command> {
    if bytes.is_empty() { vec![] } else { vec![Command::Type(bytes)] }
}

#[cfg(test)]
mod tests;
