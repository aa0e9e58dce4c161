//! A live run: the agent's terminal to the left, its requests below it, and to the right the replay of the growing
//! recording.
//!
//! [`LiveEvent`]s come from the program that runs the agent, which is steered by [`LiveCommand`]s;
//! nothing here starts anything. While the terminal has the keyboard, every key but one is sent to the agent, and the
//! footer names that key.

pub mod areas;
pub mod draw;
pub mod live_facts;
pub mod player;
pub mod printed;
pub mod terminal;

use ratatui::layout::Size;
use std::{path::PathBuf, time::Duration};
use trajview_run::{
    Run,
    live::{
        EndedTurn, LayerEffect, LiveCommand, LiveEvent, LivePlan, RunTotal, ScriptedRequest,
        WaitReason,
    },
};

use crate::{
    session::{context::KeyContext, effect::Effect, jobs::FormOrigin, key_texts::KeyTexts},
    widgets::{
        key_event::KeyEvent,
        mouse::Mouse,
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};

use super::live::{
    player::{PlayerMessage, TerminalPlayer},
    terminal::{TerminalScreen, search::FindDirection},
};

use areas::LiveAreas;

/// The state of the live run.
#[derive(Debug)]
pub struct LiveView {
    /// True once the user looked at the finished run.
    pub is_seen: bool,
    pub plan: LivePlan,
    /// True if the keys go to a terminal of the agent's.
    pub is_interactive: bool,
    /// The state of each request, in the order of the plan.
    pub turns: Vec<LiveTurn>,
    pub terminal: TerminalScreen,
    /// The recorded terminal that is shown instead, once no agent is at work.
    pub player: Option<Box<TerminalPlayer>>,
    pub focus: LiveFocus,
    pub rows: ListPane,
    pub spent: RunTotal,
    pub tests: Vec<CheckpointTests>,
    /// The changed files of the turn under way.
    pub changed: Vec<LiveFileChange>,
    pub phase: LivePhase,
    /// The newest last.
    pub warnings: Vec<String>,
    /// The turn that is repeated when the run resumes.
    pub redo: Option<TurnRedo>,
    pub input: LiveInput,
    pub notice: Option<String>,
    /// The keys that notices and hints name.
    pub(crate) keys: KeyTexts,
    pub from: StartedFrom,
}

/// The run that a live run was started from, and where it is recorded.
#[derive(Debug)]
pub struct StartedFrom {
    /// The run that it was started from, which is shown beside it.
    pub origin: Option<FormOrigin>,
    /// The folder of the recording, where the run was started from the screen.
    pub bundle: Option<PathBuf>,
    /// The turn of the other run that was last shown for a turn of this one, by its position.
    pub(crate) last_shown_turn: Option<usize>,
    /// The recording that was asked for the live run that made it.
    pub(crate) looked_in: Option<PathBuf>,
}

/// Words that are typed and looked for.
#[derive(Debug)]
pub struct LiveInput {
    /// The line that is being typed.
    pub prompt: Option<LivePrompt>,
    /// The words that were looked for last.
    pub find_words: String,
    /// The question that is open, in a box.
    pub(crate) question: Option<LiveQuestion>,
}

/// A question before an action that ends a turn or costs money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiveQuestion {
    Stop,
    Resume,
}

/// A file that the turn under way has changed so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFileChange {
    pub path: String,
    /// Added and removed lines; None for what has none.
    pub lines: Option<(usize, usize)>,
    /// The change as a unified patch, cut where it is long.
    pub patch: String,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveTurn {
    pub request: ScriptedRequest,
    pub state: LiveTurnState,
    pub layers: Vec<LayerEffect>,
    /// More than 1 where it was done again.
    pub attempt: usize,
    pub seconds: Option<f64>,
    /// True where the text differs from the script.
    pub is_edited: bool,
}

impl LiveTurn {
    fn for_request(asked: ScriptedRequest) -> Self {
        let state = LiveTurnState::Waits;
        Self { request: asked, state, layers: vec![], attempt: 1, seconds: None, is_edited: false }
    }
}

/// The last turn, which is repeated when the run resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRedo {
    /// Its position.
    pub at: usize,
    /// Other words for its request.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveTurnState {
    Waits,
    UnderWay,
    /// It is over; the sentence says why it failed.
    Ended(Option<String>),
    /// Never sent.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointTests {
    pub checkpoint: String,
    pub passed: u64,
    pub total: u64,
}

/// The part that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveFocus {
    #[default]
    Requests,
    /// The agent has it.
    Terminal,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LivePhase {
    /// No run is being made.
    Nothing,
    #[default]
    Starting,
    Running,
    Waiting(WaitReason),
    /// The run was told to stop and has not ended yet.
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
pub struct LivePrompt {
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
pub enum LiveMessage {
    LiveEvent(LiveEvent),
    /// Nothing came for a moment: a frame that was begun is shown as it is.
    Silent,
    /// The files of the turn under way differ from those before it.
    Changed(Vec<LiveFileChange>),
    /// Another program makes the run; what is shown is what it has recorded.
    Elsewhere,
    /// Nothing more will come; a sentence.
    Over {
        words: String,
        is_whole: bool,
    },
    /// Moves in the requests.
    Move(Motion),
    /// Scrolls the terminal's history.
    Scroll(Motion),
    /// The keyboard to the agent's terminal.
    Enter,
    /// And back.
    Leave,
    PauseOrGoOn,
    Skip,
    Retry,
    /// Asks whether to stop the agent.
    AskToStop,
    /// Asks whether to resume a run that was stopped or broke off.
    AskToResume,
    /// The answer yes to the open question.
    Confirm,
    /// The answer no.
    Decline,
    Edit,
    Find,
    FindAgain(FindDirection),
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
    Show,
    /// The replay, the curves or the scores of the run beside the terminal.
    Beside,
    /// Shows beside the terminal the recording so far, or again the run that it was started from.
    OtherRun,
    /// Set it beside the run that it was started from.
    Compare,
    /// Moves in the recorded terminal.
    Player(PlayerMessage),
}

/// A frame that the agent does not end is shown after this.
pub(crate) const MAX_FRAME_TIME: Duration = Duration::from_millis(150);

/// Warnings that are kept.
const MAX_WARNINGS: usize = 200;

impl LiveView {
    /// Creates the state before the first event.
    pub fn new(terminal: Size) -> Self {
        Self {
            is_seen: false,
            plan: LivePlan::default(),
            is_interactive: false,
            turns: vec![],
            terminal: TerminalScreen::new(terminal),
            player: None,
            focus: LiveFocus::default(),
            rows: ListPane::default(),
            spent: RunTotal::default(),
            tests: vec![],
            changed: vec![],
            phase: LivePhase::default(),
            warnings: vec![],
            redo: None,
            notice: None,
            keys: KeyTexts::default(),
            from: StartedFrom {
                origin: None,
                bundle: None,
                last_shown_turn: None,
                looked_in: None,
            },
            input: LiveInput { prompt: None, find_words: String::new(), question: None },
        }
    }

    /// Creates the state without a live run.
    pub(crate) fn without_run(terminal: Size) -> Self {
        Self { phase: LivePhase::Nothing, ..Self::new(terminal) }
    }

    pub(crate) const fn has_no_run(&self) -> bool {
        matches!(self.phase, LivePhase::Nothing)
    }

    /// Returns the context of the key bindings.
    pub(crate) fn keyboard_context(&self) -> KeyContext {
        match (&self.input.prompt, self.focus) {
            (Some(_), _) => KeyContext::LivePrompt,
            (None, LiveFocus::Requests) if self.player.is_some() => KeyContext::RecordedTerminal,
            (None, _) if self.has_no_run() => KeyContext::Anywhere,
            (None, LiveFocus::Terminal) => KeyContext::Agent,
            (None, LiveFocus::Requests) => KeyContext::Live,
        }
    }

    /// Returns the screen that is shown: of the agent, or of a recording.
    fn shown_terminal_mut(&mut self) -> &mut TerminalScreen {
        self.player.as_mut().map_or(&mut self.terminal, |player| &mut player.screen)
    }

    /// Returns whether the run accepts no more commands.
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, LivePhase::Over { .. } | LivePhase::Elsewhere | LivePhase::Nothing)
    }

    /// Returns whether the run was stopped or broke off, and can be resumed from its bundle.
    pub(crate) fn may_resume(&self) -> bool {
        matches!(self.phase, LivePhase::Over { is_whole: false, .. }) && !self.plan.out.is_empty()
    }

    /// Lists the requests that a new run of the open one would send.
    pub(crate) fn list_requests(&mut self, run: &Run) {
        let ends = |turn: usize| run.checkpoints.iter().find(|it| it.last_turn == turn);
        let request = |(at, turn): (usize, &trajview_run::Turn)| ScriptedRequest {
            turn: at + 1,
            text: turn.title.to_string(),
            checkpoint: ends(at).map(|it| it.id.clone()),
            ..ScriptedRequest::default()
        };
        let requests = run.turns.iter().enumerate().map(request);
        self.turns = requests.map(LiveTurn::for_request).collect();
    }

    /// Returns the turn under way, by its position.
    pub(crate) fn turn_under_way(&self) -> Option<usize> {
        self.turns.iter().position(|turn| turn.state == LiveTurnState::UnderWay)
    }

    /// Returns the request that is sent next, by its position.
    pub(crate) fn next_request(&self) -> Option<usize> {
        let waits = || self.turns.iter().position(|turn| turn.state == LiveTurnState::Waits);
        self.redo.as_ref().map(|redo| redo.at).or_else(waits)
    }

    /// Returns the number of turns that are over.
    pub(crate) fn finished_count(&self) -> usize {
        self.turns
            .iter()
            .filter(|turn| matches!(turn.state, LiveTurnState::Ended(_) | LiveTurnState::Skipped))
            .count()
    }

    /// Applies a message; returns the effects for the program that runs the agent.
    pub fn update(&mut self, message: LiveMessage) -> Vec<Effect> {
        match message {
            LiveMessage::LiveEvent(event) => return self.on_event(event),
            LiveMessage::Silent => return type_command(self.terminal.end_held_frame().replies),
            LiveMessage::Changed(changed) => self.changed = changed,
            LiveMessage::Elsewhere => self.phase = LivePhase::Elsewhere,
            LiveMessage::Over { words, is_whole } => self.end_run(words, is_whole),
            LiveMessage::Move(motion) => self.rows.move_cursor(motion),
            LiveMessage::Scroll(motion) => self.shown_terminal_mut().scroll_history(motion),
            LiveMessage::Enter => return self.enter_terminal(),
            LiveMessage::Leave => return self.leave_terminal(),
            LiveMessage::PauseOrGoOn => return self.pause_or_go_on(),
            LiveMessage::Skip => return self.skip_next_request(),
            LiveMessage::Retry => return self.retry_turn(),
            LiveMessage::AskToStop => return self.ask_to_stop(),
            LiveMessage::AskToResume => self.ask_to_resume(),
            LiveMessage::Confirm => return self.confirm_question(),
            LiveMessage::Decline => self.input.question = None,
            LiveMessage::Edit => self.edit_next_request(),
            LiveMessage::Find => self.open_prompt(PromptKind::Find, String::new()),
            LiveMessage::FindAgain(direction) => self.find_in_terminal(direction),
            LiveMessage::Type(words) => self.edit_prompt(|text| text.push_str(&words)),
            LiveMessage::Erase => self.edit_prompt(|text| {
                text.pop();
            }),
            LiveMessage::EraseAll => self.edit_prompt(String::clear),
            LiveMessage::Accept => return self.accept_prompt(),
            LiveMessage::Cancel => self.input.prompt = None,
            LiveMessage::Show | LiveMessage::Player(_) => {} // need the rest of the program
            LiveMessage::Beside | LiveMessage::OtherRun => self.notice = Some(NOT_YET.into()),
            LiveMessage::Compare => self.notice = Some(NOTHING_TO_COMPARE.into()),
        }
        vec![]
    }

    /// Sends a key to the agent.
    pub(crate) fn press_agent_key(&mut self, event: impl Into<KeyEvent>) -> Vec<Effect> {
        type_command(self.terminal.press_key(event))
    }

    /// Sends pasted text to the part that has the keyboard.
    pub(crate) fn paste_text(&mut self, text: &str) -> Vec<Effect> {
        match self.focus {
            LiveFocus::Terminal => type_command(self.terminal.paste_text(text)),
            LiveFocus::Requests => vec![],
        }
    }

    /// Handles the mouse over the terminal, in cells of the screen.
    pub(crate) fn handle_mouse(&mut self, mouse: Mouse, areas: &LiveAreas) -> Vec<Effect> {
        let inside = areas.terminal_inside();
        let is_there = inside.contains((mouse.column, mouse.row).into());
        if !is_there {
            return vec![];
        }
        type_command(self.terminal.handle_mouse(
            mouse.kind,
            mouse.column - inside.x,
            mouse.row - inside.y,
        ))
    }

    /// Brings the terminal to the size it has room for.
    pub fn resize_terminal(&mut self, areas: &LiveAreas) -> Vec<Effect> {
        self.rows.settle(PaneRoom::framed(Some(areas.requests)), self.turns.len());
        let inside = areas.terminal_inside();
        let before = self.terminal.size();
        self.terminal.resize(Size { width: inside.width, height: inside.height });
        let now = self.terminal.size();
        if now == before {
            vec![]
        } else {
            vec![Effect::Live(LiveCommand::Resize(now.width, now.height))]
        }
    }

    fn on_event(&mut self, event: LiveEvent) -> Vec<Effect> {
        match event {
            LiveEvent::Opened(plan) => self.set_plan(*plan),
            LiveEvent::Terminal(bytes) => return self.write_output(&bytes),
            LiveEvent::AgentLine(line) => {
                return self.write_output(printed::output_line(&line).as_bytes());
            }
            LiveEvent::Started { has_terminal, .. } => {
                self.is_interactive = has_terminal;
                self.terminal.begin_program();
                if has_terminal && self.plan.is_chat {
                    return self.enter_terminal();
                }
            }
            LiveEvent::Skipped { .. } => self.mark_skipped(),
            LiveEvent::Typed { turn, request } => self.insert_typed_request(turn, request),
            LiveEvent::Redo { turn } => self.set_redo(turn),
            LiveEvent::TurnBegan { turn, request, attempt, layers } => {
                self.begin_turn(turn, attempt, layers);
                if !self.plan.has_screen {
                    return self.write_output(&printed::turn_heading(turn, attempt, &request));
                }
            }
            LiveEvent::ReadingFiles { files } => {
                self.notice = Some(format!("{RECORDING_PREFIX}{files} so far"));
            }
            LiveEvent::TurnEnded(ended) => return self.end_turn(*ended),
            LiveEvent::Tested { checkpoint, passed, total, .. } => {
                self.tests.retain(|tested| tested.checkpoint != checkpoint);
                self.tests.push(CheckpointTests { checkpoint, passed, total });
            }
            LiveEvent::Waits { why, .. } => {
                if let WaitReason::Failed(why) = &why {
                    self.add_warning(why.clone());
                }
                self.phase = LivePhase::Waiting(why);
                if self.redo.is_none() {
                    self.notice = None;
                }
            }
            LiveEvent::Denied(what) => self.add_warning(format!("not allowed: {what}")),
            LiveEvent::Queued(text) => self.add_warning(format!("next request: {text}")),
            LiveEvent::TurnRepeated { turn, why } => {
                self.add_warning(format!("turn {turn} is repeated: {why}"));
            }
            LiveEvent::Preparing(words) | LiveEvent::Warned(words) => self.add_warning(words),
            LiveEvent::LogGrew | LiveEvent::Used { .. } | LiveEvent::Edited { .. } => {}
        }
        vec![]
    }

    /// Shows output of the agent; returns what its terminal answers.
    fn write_output(&mut self, bytes: &[u8]) -> Vec<Effect> {
        type_command(self.terminal.feed(bytes).replies)
    }

    fn begin_turn(&mut self, turn: usize, attempt: usize, layers: Vec<LayerEffect>) {
        self.phase = LivePhase::Running;
        self.changed.clear();
        let text = self.redo.take().and_then(|redo| redo.text);
        if let Some((at, known)) = self.turn_mut(turn) {
            known.layers = layers;
            known.attempt = attempt;
            known.state = LiveTurnState::UnderWay;
            if let Some(text) = text {
                known.is_edited |= known.request.text != text;
                known.request.text = text;
            }
            self.rows.choose(at);
        }
    }

    fn end_turn(&mut self, ended: EndedTurn) -> Vec<Effect> {
        self.changed.clear();
        self.notice.take_if(|notice| notice.starts_with(RECORDING_PREFIX));
        self.spent = ended.total;
        let ending = (!self.plan.has_screen).then(|| printed::turn_ending(&ended));
        if let Some((_, known)) = self.turn_mut(ended.turn) {
            known.seconds = Some(ended.seconds);
            known.state = LiveTurnState::Ended(ended.why);
        }
        ending.map(|ending| self.write_output(&ending)).unwrap_or_default()
    }

    fn end_run(&mut self, words: String, is_whole: bool) {
        let origin = self.from.origin.as_ref().filter(|_| self.finished_count() > 0);
        if let Some(origin) = origin {
            let key = self.keys.key_text(KeyContext::LiveTerminal, "compare");
            self.notice = Some(format!("{words}; {key} compares it with {}", origin.name));
        }
        self.phase = LivePhase::Over { words, is_whole };
        self.input.question = None;
        self.is_seen = false;
        self.focus = LiveFocus::Requests;
        for turn in &mut self.turns {
            if turn.state == LiveTurnState::UnderWay {
                turn.state = LiveTurnState::Waits;
            }
        }
    }

    fn set_plan(&mut self, plan: LivePlan) {
        let turn = |(at, asked): (usize, &ScriptedRequest)| LiveTurn {
            state: if at < plan.done { LiveTurnState::Ended(None) } else { LiveTurnState::Waits },
            ..LiveTurn::for_request(asked.clone())
        };
        self.turns = plan.requests.iter().enumerate().map(turn).collect();
        self.rows.choose(plan.done);
        self.is_interactive = false;
        self.plan = plan;
    }

    fn mark_skipped(&mut self) {
        let Some(at) = self.next_request() else { return };
        self.turns[at].state = LiveTurnState::Skipped;
        self.turns[at].request.turn = 0;
        for turn in &mut self.turns[at + 1..] {
            turn.request.turn = turn.request.turn.saturating_sub(1);
        }
    }

    fn insert_typed_request(&mut self, turn: usize, text: String) {
        let at =
            self.turns.iter().position(|it| it.request.turn == turn).unwrap_or(self.turns.len());
        for later in &mut self.turns[at..] {
            if later.request.turn > 0 {
                later.request.turn += 1;
            }
        }
        let request = ScriptedRequest { turn, text, typed: true, ..ScriptedRequest::default() };
        self.turns.insert(at, LiveTurn::for_request(request));
    }

    fn set_redo(&mut self, turn: Option<usize>) {
        let known = turn.and_then(|turn| self.turn_mut(turn).map(|(at, _)| at));
        self.notice = Some(match turn {
            Some(turn) => {
                format!(
                    "turn {turn} is repeated when the run resumes ({}); {} cancels",
                    self.key_text("pause"),
                    self.key_text("skip-request")
                )
            }
            None => "the last turn stays in the recording".into(),
        });
        self.redo = known.map(|at| TurnRedo { at, text: None });
    }

    fn turn_mut(&mut self, number: usize) -> Option<(usize, &mut LiveTurn)> {
        self.turns.iter_mut().enumerate().find(|(_, turn)| turn.request.turn == number)
    }

    fn add_warning(&mut self, words: String) {
        self.notice = Some(words.clone());
        self.warnings.push(words);
        let more = self.warnings.len().saturating_sub(MAX_WARNINGS);
        self.warnings.drain(..more);
    }

    fn enter_terminal(&mut self) -> Vec<Effect> {
        if self.is_over() || !self.is_interactive {
            let why = match (self.has_no_run(), self.is_over()) {
                (true, _) => self.no_agent_text(),
                (_, true) => "the agent has ended".into(),
                _ => NO_KEYS.into(),
            };
            self.notice = Some(why);
            return vec![];
        }
        self.focus = LiveFocus::Terminal;
        type_command(self.terminal.focus_bytes(true).to_vec())
    }

    fn leave_terminal(&mut self) -> Vec<Effect> {
        self.focus = LiveFocus::Requests;
        type_command(self.terminal.focus_bytes(false).to_vec())
    }

    fn pause_or_go_on(&mut self) -> Vec<Effect> {
        match self.phase {
            LivePhase::Running | LivePhase::Starting => {
                self.notice = Some("pauses after the current turn".into());
                vec![Effect::Live(LiveCommand::Pause)]
            }
            LivePhase::Waiting(_) => vec![Effect::Live(LiveCommand::GoOn)],
            LivePhase::Stopping
            | LivePhase::Elsewhere
            | LivePhase::Over { .. }
            | LivePhase::Nothing => self.say_too_late(),
        }
    }

    /// Leaves out the next request that is not sent, or gives up doing the last turn again; otherwise says why it cannot.
    fn skip_next_request(&mut self) -> Vec<Effect> {
        if self.redo.is_some() && !self.is_over() {
            return vec![Effect::Live(LiveCommand::Skip)];
        }
        match (self.is_over(), self.next_request()) {
            (false, Some(at)) => {
                let turn = self.turns[at].request.turn;
                self.notice = Some(format!("request {turn} will not be sent"));
                vec![Effect::Live(LiveCommand::Skip)]
            }
            (false, None) => {
                self.notice = Some("every request has been sent".into());
                vec![]
            }
            (true, _) => self.say_too_late(),
        }
    }

    fn retry_turn(&mut self) -> Vec<Effect> {
        match self.phase {
            LivePhase::Waiting(_) if self.finished_count() > 0 => {
                vec![Effect::Live(LiveCommand::Retry)]
            }
            LivePhase::Waiting(_) => {
                self.notice = Some("no turn has ended yet".into());
                vec![]
            }
            LivePhase::Stopping
            | LivePhase::Elsewhere
            | LivePhase::Over { .. }
            | LivePhase::Nothing => self.say_too_late(),
            LivePhase::Starting | LivePhase::Running => {
                self.notice = Some("only a paused run can repeat a turn: press space first".into());
                vec![]
            }
        }
    }

    fn ask_to_stop(&mut self) -> Vec<Effect> {
        if self.is_over() {
            return self.say_too_late();
        }
        self.input.question = Some(LiveQuestion::Stop);
        vec![]
    }

    fn ask_to_resume(&mut self) {
        let why_not = match &self.phase {
            _ if self.may_resume() => None,
            LivePhase::Over { is_whole: false, .. } => Some("this run has no recording".into()),
            LivePhase::Over { .. } => Some("the run is finished".into()),
            LivePhase::Nothing => Some(self.no_agent_text()),
            LivePhase::Elsewhere => Some(MADE_ELSEWHERE.into()),
            _ => Some("the run is active".into()),
        };
        self.input.question = Some(LiveQuestion::Resume).filter(|_| why_not.is_none());
        self.notice = why_not;
    }

    fn confirm_question(&mut self) -> Vec<Effect> {
        match self.input.question.take() {
            Some(LiveQuestion::Stop) => {
                self.phase = LivePhase::Stopping;
                vec![Effect::Live(LiveCommand::Stop)]
            }
            Some(LiveQuestion::Resume) => {
                self.phase = LivePhase::Starting;
                if self.player.take().is_some() {
                    self.terminal = TerminalScreen::new(self.terminal.size());
                }
                vec![Effect::ResumeLive(PathBuf::from(&self.plan.out))]
            }
            None => vec![],
        }
    }

    fn no_agent_text(&self) -> String {
        format!("no live run: {} starts one", self.key_text("start-live-run"))
    }

    /// Returns the key of a command of the live run.
    pub(crate) fn key_text(&self, id: &str) -> String {
        self.keys.key_text(KeyContext::Live, id)
    }

    /// Gives a notice that the run takes no requests any more; returns no effects.
    fn say_too_late(&mut self) -> Vec<Effect> {
        let words = match self.phase {
            LivePhase::Nothing => self.no_agent_text(),
            LivePhase::Elsewhere => MADE_ELSEWHERE.into(),
            LivePhase::Over { is_whole: true, .. } => "the run is finished".into(),
            _ => format!("the run has stopped; {} resumes it", self.key_text("resume")),
        };
        self.notice = Some(words);
        vec![]
    }

    fn edit_next_request(&mut self) {
        match self.next_request() {
            Some(at) if !self.is_over() => {
                self.rows.choose(at);
                self.open_prompt(PromptKind::Request, self.turns[at].request.text.clone());
            }
            _ => self.notice = Some("no request left to edit".into()),
        }
    }

    fn open_prompt(&mut self, kind: PromptKind, text: String) {
        self.input.prompt = Some(LivePrompt { kind, text });
    }

    fn edit_prompt(&mut self, change: impl FnOnce(&mut String)) {
        if let Some(prompt) = &mut self.input.prompt {
            change(&mut prompt.text);
        }
    }

    fn accept_prompt(&mut self) -> Vec<Effect> {
        let Some(prompt) = self.input.prompt.take() else { return vec![] };
        match prompt.kind {
            PromptKind::Find => {
                if !prompt.text.is_empty() {
                    self.input.find_words = prompt.text;
                }
                self.find_in_terminal(FindDirection::Backward);
                vec![]
            }
            PromptKind::Request if prompt.text.trim().is_empty() => {
                let key = self.key_text("skip-request");
                self.notice = Some(format!("an empty request is not sent; {key} skips it"));
                vec![]
            }
            PromptKind::Request => {
                if let Some(redo) = &mut self.redo {
                    redo.text = Some(prompt.text.clone());
                } else if let Some(at) = self.next_request() {
                    let turn = &mut self.turns[at];
                    turn.is_edited |= turn.request.text != prompt.text;
                    turn.request.text.clone_from(&prompt.text);
                }
                vec![Effect::Live(LiveCommand::Edit(prompt.text))]
            }
        }
    }

    fn find_in_terminal(&mut self, direction: FindDirection) {
        let words = std::mem::take(&mut self.input.find_words);
        if let Err(why) = self.shown_terminal_mut().find_words(&words, direction) {
            self.notice = Some(why);
        }
        self.input.find_words = words;
    }
}

const RECORDING_PREFIX: &str = "recording the files: ";

const MADE_ELSEWHERE: &str = "another process runs this: only that process can steer it";

const NOT_YET: &str = "nothing is recorded yet";

const NOTHING_TO_COMPARE: &str =
    "this run was not started from another: `trajview A B` compares two";

const NO_KEYS: &str = "this agent runs without a terminal and gets no keys";

fn type_command(bytes: Vec<u8>) -> Vec<Effect> {
    if bytes.is_empty() { vec![] } else { vec![Effect::Live(LiveCommand::Keys(bytes))] }
}

#[cfg(test)]
mod tests;
