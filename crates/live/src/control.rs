//! What the person who watches a run wants of it, while it goes on.

use std::io::BufRead;

use crossbeam_channel::{Receiver, Sender};

use trajview_judge::stop::Stop;

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

/// The order for [`LiveCommand::GoOn`].
pub const ORDER_GO: &str = "go";

/// The order for [`LiveCommand::Pause`].
pub const ORDER_PAUSE: &str = "pause";

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

    /// Takes orders until there are no more, a word a line: [`ORDER_GO`], [`ORDER_PAUSE`]. Their end stops the run: whoever
    /// gave them is gone. What is no order is passed over.
    pub fn obey(&self, orders: impl BufRead) {
        for order in orders.lines().map_while(Result::ok) {
            match order.trim() {
                ORDER_GO => self.wish(LiveCommand::GoOn),
                ORDER_PAUSE => self.wish(LiveCommand::Pause),
                _ => true,
            };
        }
        self.wish(LiveCommand::Stop);
    }

    pub(super) fn wishes(&self) -> &Receiver<LiveCommand> {
        &self.wishes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_become_wishes_and_their_end_stops_the_run() {
        let control = Control::default();

        control.obey(&b"pause\nwhat\n go \n"[..]);

        let wishes: Vec<LiveCommand> = control.wishes().try_iter().collect();
        assert_eq!(wishes, [LiveCommand::Pause, LiveCommand::GoOn, LiveCommand::Stop]);
        assert!(control.stop.is_set());
    }
}
