//! What happens whatever is open.

use crate::widgets::mouse::Mouse;
use trajview_run::RepoPath;

use super::palette;

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Palette(palette::Message),
    Mouse(Mouse),
    Await(Pending),
    /// The key that was waited for is not wanted any more.
    Forget,
    SetMark(char),
    GoToMark(char),
    /// To the place before the last jump, and from there back again.
    LastJump,
    Back(usize),
    Forward(usize),
    Copy(What),
    Edit,
    /// The editor has closed a file of the user's own.
    Edited,
    NextTheme,
    SwitchMouse,
    ShowFile(RepoPath),
    /// The world has something to say.
    Say(String),
}

/// A key that waits for the one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    Copy,
    Mark,
    GoToMark,
}

/// What is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Of the panel that has the keyboard.
    Line,
    Hunk,
    /// Of the file that is shown.
    Patch,
    /// On the component that is looked at.
    Verdict,
    /// The command that opens this place.
    Link,
}
