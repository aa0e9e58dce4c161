//! What the person who watches a run wants of it, while it goes on.

use crossbeam_channel::{Receiver, Sender};

use crate::judge::stop::Stop;

/// A wish, carried out as soon as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// No further request until [`LiveCommand::GoOn`]; the turn under way goes on.
    Pause,
    /// Ends whatever wait there is: sends the request that waits.
    GoOn,
    /// The next request is never sent.
    Skip,
    /// The next request has these words instead.
    Edit(String),
    /// The turn under way, or else the last one, is done again from where the files stood before it.
    Retry,
    /// Ends the run; the turn under way does not count.
    Stop,
    /// Bytes for the agent's terminal.
    Keys(Vec<u8>),
    /// Columns and rows of the agent's terminal.
    Resize(u16, u16),
}

/// A handle on a run; clones are handles on the same one.
#[derive(Debug, Clone)]
pub struct Control {
    sender: Sender<LiveCommand>,
    wishes: Receiver<LiveCommand>,
    /// Also set by signals.
    pub stop: Stop,
}

/// Wishes that wait: keys that nobody takes for as long as a person can type.
const MOST: usize = 100_000;

impl Default for Control {
    fn default() -> Self {
        Self::new(Stop::default())
    }
}

impl Control {
    pub fn new(stop: Stop) -> Self {
        let (sender, wishes) = crossbeam_channel::unbounded();
        Self { sender, wishes, stop }
    }

    /// Never waits. False where too much waits already: the agent does not read its keys.
    pub fn wish(&self, wish: LiveCommand) -> bool {
        if wish == LiveCommand::Stop {
            self.stop.set();
        }
        self.sender.len() < MOST && self.sender.send(wish).is_ok()
    }

    pub(super) fn wishes(&self) -> &Receiver<LiveCommand> {
        &self.wishes
    }
}
