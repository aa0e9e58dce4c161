//! The commands of a person to a run under way.

use std::io::BufRead;

use crossbeam_channel::{Receiver, Sender};

use trajview_judge::stop_flag::StopFlag;
use trajview_run::live::LiveCommand;

/// A handle on a run; clones are handles on the same one.
#[derive(Debug, Clone)]
pub struct RunControl {
    sender: Sender<LiveCommand>,
    commands: Receiver<LiveCommand>,
    /// Also set by signals.
    pub stop: StopFlag,
}

/// The line on standard input that stands for [`LiveCommand::GoOn`].
pub(crate) const ORDER_GO: &str = "go";

/// The line on standard input that stands for [`LiveCommand::Pause`].
pub(crate) const ORDER_PAUSE: &str = "pause";

/// The largest number of waiting commands: keys that are not read, for as long as a person can type.
const MAX_WAITING: usize = 100_000;

impl Default for RunControl {
    fn default() -> Self {
        Self::new(StopFlag::default())
    }
}

impl RunControl {
    pub fn new(stop: StopFlag) -> Self {
        let (sender, commands) = crossbeam_channel::unbounded();
        Self { sender, commands, stop }
    }

    /// Sends a command without waiting. False when too many wait already: the agent does not read its keys.
    pub fn send_command(&self, command: LiveCommand) -> bool {
        if command == LiveCommand::Stop {
            self.stop.set();
        }
        self.sender.len() < MAX_WAITING && self.sender.send(command).is_ok()
    }

    /// Reads orders until their end, one a line: [`ORDER_GO`], [`ORDER_PAUSE`]. Their end stops the run: the process that
    /// sent them is gone. Other lines are ignored.
    pub fn read_orders(&self, orders: impl BufRead) {
        for order in orders.lines().map_while(Result::ok) {
            match order.trim() {
                ORDER_GO => self.send_command(LiveCommand::GoOn),
                ORDER_PAUSE => self.send_command(LiveCommand::Pause),
                _ => true,
            };
        }
        self.send_command(LiveCommand::Stop);
    }

    pub(super) fn commands(&self) -> &Receiver<LiveCommand> {
        &self.commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_become_wishes_and_their_end_stops_the_run() {
        let control = RunControl::default();

        control.read_orders(&b"pause\nwhat\n go \n"[..]);

        let commands: Vec<LiveCommand> = control.commands().try_iter().collect();
        assert_eq!(commands, [LiveCommand::Pause, LiveCommand::GoOn, LiveCommand::Stop]);
        assert!(control.stop.is_set());
    }
}
