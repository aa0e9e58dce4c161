//! A free chat: there is no script, a person types every prompt into the agent's own screen, and each is a turn of its own.
//!
//! A turn begins when the agent's log has its first line, so that commands of the screen (`/help`) are no turns. Without
//! such a log it begins with the line that is sent. The chat is over when the agent ends, or when the person ends it
//! between two turns.

use std::time::{Duration, Instant};

use crossbeam_channel::select;
use regex::bytes::Regex;

use super::{
    drivers::AgentRequest,
    logs::LogWatch,
    queued_prompts::QueuedPrompt,
    recorder::{Recorder, fresh_id},
    run::RunHalt,
    turn::TurnEndWatch,
};
use trajview_run::live::{LiveCommand, LiveEvent, WaitReason};

const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The interval at which the agent's log is checked for the beginning of a turn.
const LOG_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The longest time that a turn's prompt may take to appear in the log after its beginning.
const PROMPT_WITHIN: Duration = Duration::from_secs(2);

/// The largest part of a terminal's last output that is searched for its marker (bytes).
const TAIL_BYTES: usize = 8 << 10;

/// An agent that runs and has no request yet.
struct OpenedChat {
    /// The watcher of its log, if it has one.
    watch: Option<LogWatch>,
    /// The pattern of a terminal that is ready for a line, for an agent without a log.
    marker: Option<Regex>,
}

/// Input between two turns.
enum ChatInput {
    Nothing,
    /// The agent has ended, or the person ends the chat.
    End,
    /// A line was sent.
    Line(String),
}

impl Recorder<'_> {
    /// Waits until a person has sent the agent a prompt, on which it works already. None when the chat is over.
    pub(crate) fn wait_for_prompt(&mut self, turn: usize) -> Result<Option<QueuedPrompt>, RunHalt> {
        let OpenedChat { mut watch, marker } = self.open_chat(turn)?;
        let has_log = watch.is_some();
        if let Some(marker) = marker {
            match self.wait_for_marker(&marker) {
                ChatInput::Nothing => {}
                ChatInput::End => return Ok(None),
                ChatInput::Line(text) => return Ok(Some(QueuedPrompt { text, is_sent: true })),
            }
        }
        self.emit_event(&LiveEvent::Waits {
            turn,
            request: String::new(),
            why: WaitReason::Prompt,
        });
        self.steering.later_commands.clear();
        let (mut looked, mut last_line) = (Instant::now(), None);
        loop {
            match self.wait_for_input(&mut vec![]) {
                ChatInput::End => return Ok(None),
                ChatInput::Line(text) if !has_log => {
                    return Ok(Some(QueuedPrompt { text, is_sent: true }));
                }
                ChatInput::Line(text) => last_line = Some(text),
                ChatInput::Nothing => {}
            }
            if !has_log || looked.elapsed() < LOG_POLL_INTERVAL {
                continue;
            }
            looked = Instant::now();
            let Some(mut begun) = watch.as_mut().and_then(LogWatch::begun_turn) else { continue };
            let end = Instant::now() + PROMPT_WITHIN;
            while begun.prompt.is_none() && Instant::now() < end {
                self.wait_for_input(&mut vec![]);
                begun = watch.as_mut().and_then(LogWatch::begun_turn).unwrap_or(begun);
            }
            self.agent.watch = watch;
            let text = begun.prompt.or(last_line);
            let text = text.unwrap_or_else(|| super::turn::UNKNOWN_PROMPT.to_owned());
            return Ok(Some(QueuedPrompt { text, is_sent: true }));
        }
    }

    /// Waits until the terminal is ready for a line; returns a line that was sent before.
    fn wait_for_marker(&mut self, marker: &Regex) -> ChatInput {
        let (mut shown, mut early) = (vec![], ChatInput::Nothing);
        while !marker.is_match(&shown) {
            match self.wait_for_input(&mut shown) {
                ChatInput::End => return ChatInput::End,
                ChatInput::Line(text) => early = ChatInput::Line(text),
                ChatInput::Nothing => {}
            }
            let excess = shown.len().saturating_sub(TAIL_BYTES);
            shown.drain(..excess);
        }
        early
    }

    /// Starts the agent in its screen without a request.
    fn open_chat(&mut self, turn: usize) -> Result<OpenedChat, RunHalt> {
        let goes_on = self.agent.process.as_mut().is_some_and(|it| it.poll_ending().is_none());
        let failed = |why: String| RunHalt::Failed { turn, why };
        let TurnEndWatch { watch, marker, .. } = self.turn_end_watch(goes_on).map_err(failed)?;
        if goes_on {
            return Ok(OpenedChat { watch, marker: None });
        }
        if turn > 1 {
            self.record_warning(&format!(
                "turn {turn}: the agent was restarted without memory of the previous turns"
            ))?;
        }
        let (session, fresh) = (None, fresh_id());
        let prompt_file = self.run_folders.prompt_file(turn);
        let ask = AgentRequest {
            setup: &self.setup,
            run_folders: &self.run_folders,
            session,
            fresh: &fresh,
            prompt: "",
            prompt_file: &prompt_file,
            turn,
        };
        let call = self.agent.driver.request_command(&ask);
        let process = self.start_process(&call)?.map_err(failed)?;
        self.agent.process = Some(process);
        Ok(OpenedChat { watch, marker })
    }

    /// Passes on the terminal's output and the person's keys for a moment; the output is appended.
    fn wait_for_input(&mut self, shown_so_far: &mut Vec<u8>) -> ChatInput {
        if self.control.stop.is_set() {
            return ChatInput::End;
        }
        let commands = self.control.commands().clone();
        let Some(process) = &mut self.agent.process else { return ChatInput::End };
        if process.poll_ending().is_some() && process.pieces.is_empty() {
            return ChatInput::End;
        }
        let pieces = process.pieces.clone();
        let mut command = None;
        let shown = select! {
            recv(commands) -> it => {
                command = it.ok();
                vec![]
            },
            recv(pieces) -> piece => match piece {
                Ok(piece) => {
                    shown_so_far.extend_from_slice(&piece.bytes);
                    self.agent.terminal_recording.record_output(&piece.bytes)
                }
                Err(_) => return self.after_output_closed(),
            },
            default(POLL_INTERVAL) => self.agent.terminal_recording.flush_held(),
        };
        if !shown.is_empty() {
            self.emit_event(&LiveEvent::Terminal(shown));
        }
        command.map_or(ChatInput::Nothing, |command| self.run_command_between_turns(command))
    }

    /// Waits a moment for the end of a process whose terminal is closed, and returns the end where it came.
    fn after_output_closed(&mut self) -> ChatInput {
        let has_ended = self.agent.process.as_mut().is_none_or(|it| it.poll_ending().is_some());
        if has_ended {
            return ChatInput::End;
        }
        std::thread::sleep(POLL_INTERVAL);
        ChatInput::Nothing
    }

    /// Does what a command says between two turns of a chat; returns a line that its keys complete, or the end. Warns of commands
    /// for a next request, and ignores pauses.
    fn run_command_between_turns(&mut self, command: LiveCommand) -> ChatInput {
        match command {
            LiveCommand::Stop => return ChatInput::End,
            LiveCommand::Resize(columns, rows) => self.resize_terminal((columns, rows)),
            LiveCommand::Keys(bytes) => {
                self.type_keys(&bytes);
                return self
                    .steering
                    .input_line
                    .take_keys(&bytes)
                    .map_or(ChatInput::Nothing, ChatInput::Line);
            }
            LiveCommand::Retry | LiveCommand::Skip | LiveCommand::Edit(_) => {
                let why = "a chat has no next request: type what you want into the agent's screen";
                self.emit_event(&LiveEvent::Warned(why.into()));
            }
            LiveCommand::Pause | LiveCommand::GoOn => {}
        }
        ChatInput::Nothing
    }
}
