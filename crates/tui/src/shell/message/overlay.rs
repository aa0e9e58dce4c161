//! What happens to a box over the views.

use crate::widgets::scroll::Motion;

/// Which box it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Help,
    Info,
    Warnings,
    /// The marks of the line at the cursor of the diff.
    Why,
    /// An image of the recording.
    Images,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Open(Kind),
    Close,
    Move(Motion),
    Find(Find),
    /// Opens the image that is shown outside of the terminal.
    OpenImage,
}

/// A change of what is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Find {
    Begin,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    /// Shows every row again.
    Cancel,
}
