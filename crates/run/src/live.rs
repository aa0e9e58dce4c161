//! The vocabulary of a run under way: commands of the person who watches it, and reasons why a run waits.
//!
//! `live` obeys and produces these values, the screen sends and draws them.

/// A command of the person who watches a run, carried out as soon as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Sends no further request until [`LiveCommand::GoOn`]; the turn under way goes on.
    Pause,
    /// Ends any wait: sends the request that waits.
    GoOn,
    /// Leaves out the next request.
    Skip,
    /// Replaces the text of the next request.
    Edit(String),
    /// Does the turn under way, or else the last one, again, from the files before it.
    Retry,
    /// Ends the run; the turn under way does not count.
    Stop,
    /// Bytes for the agent's terminal.
    Keys(Vec<u8>),
    /// Columns and rows of the agent's terminal.
    Resize(u16, u16),
}

/// The reason why a request waits for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// Every request waits.
    StepByStep,
    /// The person paused the run.
    Paused,
    /// A chat waits for the request that a person types into the agent's screen.
    Prompt,
    /// The turn was tried and failed, as this sentence says; going on tries it again.
    Failed(String),
}
