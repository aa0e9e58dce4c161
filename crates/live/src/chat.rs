//! A free chat: no script, every prompt is typed by a person into the agent's own screen, and each is a turn of its own.
//!
//! A turn begins when the agent's log says that it has begun, so that commands of its screen (`/help`) are none. Of an
//! agent without such a log it begins with the line that is sent. The chat is over when the agent is, or when the person
//! ends it between two turns.

use std::time::{Duration, Instant};

use crossbeam_channel::select;
use regex::bytes::Regex;

use super::{
    control::LiveCommand,
    drivers::Ask,
    event::{Event, Why},
    logs::Watch,
    queued::Queued,
    recorder::{Recorder, fresh_id},
    run::Halt,
    turn::Ends,
};

const BEAT: Duration = Duration::from_millis(50);

/// How often the agent's log is asked whether a turn has begun.
const LOOK: Duration = Duration::from_millis(200);

/// How long after its beginning a turn's prompt is waited for in the log.
const PROMPT_WITHIN: Duration = Duration::from_secs(2);

/// What of a terminal's output is looked through for its marker (bytes).
const TAIL: usize = 8 << 10;

/// An agent that runs and was asked nothing.
struct Opened {
    /// What its log says, where it has one.
    watch: Option<Watch>,
    /// What a terminal that was just opened shows when it takes a line, where there is no log.
    marker: Option<Regex>,
}

/// What was heard between two turns.
enum Heard {
    Nothing,
    /// The agent has ended, or the person has had enough.
    End,
    /// A line was sent.
    Line(String),
}

impl Recorder<'_> {
    /// Waits until a person has sent the agent a prompt, with which it works already. None where the chat is over.
    pub fn wait_for_prompt(&mut self, turn: usize) -> Result<Option<Queued>, Halt> {
        let Opened { mut watch, marker } = self.open_chat(turn)?;
        let has_log = watch.is_some();
        if let Some(marker) = marker {
            match self.wait_for_marker(&marker) {
                Heard::Nothing => {}
                Heard::End => return Ok(None),
                Heard::Line(text) => return Ok(Some(Queued { text, is_sent: true })),
            }
        }
        self.told(&Event::Waits { turn, request: String::new(), why: Why::Prompt });
        self.steering.later.clear();
        let (mut looked, mut last_line) = (Instant::now(), None);
        loop {
            match self.hear_between(&mut vec![]) {
                Heard::End => return Ok(None),
                Heard::Line(text) if !has_log => {
                    return Ok(Some(Queued { text, is_sent: true }));
                }
                Heard::Line(text) => last_line = Some(text),
                Heard::Nothing => {}
            }
            if !has_log || looked.elapsed() < LOOK {
                continue;
            }
            looked = Instant::now();
            let Some(mut begun) = watch.as_mut().and_then(Watch::begun) else { continue };
            let end = Instant::now() + PROMPT_WITHIN;
            while begun.prompt.is_none() && Instant::now() < end {
                self.hear_between(&mut vec![]);
                begun = watch.as_mut().and_then(Watch::begun).unwrap_or(begun);
            }
            self.agent.watch = watch;
            let text = begun.prompt.or(last_line);
            let text = text.unwrap_or_else(|| super::turn::UNKNOWN.to_owned());
            return Ok(Some(Queued { text, is_sent: true }));
        }
    }

    /// Waits until the terminal shows for the first time that it takes a line; gives the line that was sent before.
    fn wait_for_marker(&mut self, marker: &Regex) -> Heard {
        let (mut shown, mut early) = (vec![], Heard::Nothing);
        while !marker.is_match(&shown) {
            match self.hear_between(&mut shown) {
                Heard::End => return Heard::End,
                Heard::Line(text) => early = Heard::Line(text),
                Heard::Nothing => {}
            }
            let excess = shown.len().saturating_sub(TAIL);
            shown.drain(..excess);
        }
        early
    }

    /// Has the agent run with its screen and nothing asked.
    fn open_chat(&mut self, turn: usize) -> Result<Opened, Halt> {
        let goes_on = self.agent.process.as_mut().is_some_and(|it| it.ending().is_none());
        let failed = |why: String| Halt::Failed { turn, why };
        let Ends { watch, marker, .. } = self.ends(goes_on).map_err(failed)?;
        if goes_on {
            return Ok(Opened { watch, marker: None });
        }
        if turn > 1 {
            self.warn(&format!(
                "turn {turn}: the agent was started anew and remembers nothing of the turns before"
            ))?;
        }
        let (session, fresh) = (None, fresh_id());
        let prompt_file = self.stage.requests().join(format!("turn-{turn:03}.txt"));
        let ask = Ask {
            setup: &self.setup,
            stage: &self.stage,
            session,
            fresh: &fresh,
            prompt: "",
            prompt_file: &prompt_file,
            turn,
        };
        let call = self.agent.driver.call(&ask);
        let process = self.start(&call)?.map_err(failed)?;
        self.agent.process = Some(process);
        Ok(Opened { watch, marker })
    }

    /// Passes on what the terminal shows and what the person types, for a moment; what it shows is added.
    fn hear_between(&mut self, shown_so_far: &mut Vec<u8>) -> Heard {
        if self.control.stop.is_set() {
            return Heard::End;
        }
        let wishes = self.control.wishes().clone();
        let Some(process) = &mut self.agent.process else { return Heard::End };
        if process.ending().is_some() && process.pieces.is_empty() {
            return Heard::End;
        }
        let pieces = process.pieces.clone();
        let mut wish = None;
        let shown = select! {
            recv(wishes) -> it => {
                wish = it.ok();
                vec![]
            },
            recv(pieces) -> piece => match piece {
                Ok(piece) => {
                    shown_so_far.extend_from_slice(&piece.bytes);
                    self.agent.cast.output(&piece.bytes)
                }
                Err(_) => return self.after_the_last_word(),
            },
            default(BEAT) => self.agent.cast.rest(),
        };
        if !shown.is_empty() {
            self.told(&Event::Terminal(shown));
        }
        wish.map_or(Heard::Nothing, |wish| self.grant_between(wish))
    }

    /// Its terminal is closed: it ends, if it has not.
    fn after_the_last_word(&mut self) -> Heard {
        let has_ended = self.agent.process.as_mut().is_none_or(|it| it.ending().is_some());
        if has_ended {
            return Heard::End;
        }
        std::thread::sleep(BEAT);
        Heard::Nothing
    }

    fn grant_between(&mut self, wish: LiveCommand) -> Heard {
        match wish {
            LiveCommand::Stop => return Heard::End,
            LiveCommand::Resize(columns, rows) => self.resize((columns, rows)),
            LiveCommand::Keys(bytes) => {
                self.type_in(&bytes);
                return self.steering.typing.take(&bytes).map_or(Heard::Nothing, Heard::Line);
            }
            LiveCommand::Retry | LiveCommand::Skip | LiveCommand::Edit(_) => {
                let why = "a chat has no next request: type what you want into the agent's screen";
                self.told(&Event::Warned(why.into()));
            }
            LiveCommand::Pause | LiveCommand::GoOn => {}
        }
        Heard::Nothing
    }
}
