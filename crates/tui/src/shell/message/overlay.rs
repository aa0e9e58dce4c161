//! Messages to a box over the views.

use crate::widgets::scroll::Motion;

/// The kinds of boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayKind {
    Help,
    Info,
    Warnings,
    /// The marks of the line at the cursor of the diff.
    Why,
    /// An image of the recording.
    Images,
    /// What a word means.
    Word,
}

#[derive(Debug, Clone, PartialEq)]
pub enum OverlayMessage {
    Open(OverlayKind),
    /// Shows what a word means.
    Explain(String),
    Close,
    Move(Motion),
    Find(OverlaySearchMessage),
    /// Opens the image that is shown outside of the terminal.
    OpenImage,
}

/// A change of the searched text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlaySearchMessage {
    Begin,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    /// Shows every row again.
    Cancel,
}
