//! Messages that do not depend on the open run.

use std::path::PathBuf;

use crate::widgets::{display_options::ThemeName, mouse::Mouse};
use trajview_run::RepoPath;

use super::palette;

#[derive(Debug, Clone, PartialEq)]
pub enum ShellMessage {
    Palette(palette::PaletteMessage),
    Mouse(Mouse),
    Await(PendingKey),
    /// Go to the start of the list that has the keyboard, or to an item of it; counts from 1.
    GoToStart(Option<usize>),
    GoToEnd,
    /// The awaited key is no longer wanted.
    Forget,
    SetMark(char),
    GoToMark(char),
    /// Go to the place before the last jump, and from there back again.
    LastJump,
    Back(usize),
    Forward(usize),
    Copy(CopyTarget),
    Edit,
    /// The editor has closed a file of the user's own.
    Edited,
    NextTheme,
    /// Show corrected means instead of judged ones, or judged ones again.
    SwitchMeans,
    SetTheme(ThemeName),
    SwitchMouse,
    /// Show the diff of the turn, of this file or of the selected one.
    ShowDiff(Option<RepoPath>),
    /// Select a component in every view that has it.
    ChooseComponent(String),
    /// Open another run, or a folder of runs.
    OpenPath(PathBuf),
    /// Show a notice of the runtime.
    Say(String),
}

/// A key that waits for a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingKey {
    /// A view or an end of a list, with the count that was typed before.
    GoTo(Option<usize>),
    Copy,
    Mark,
    GoToMark,
}

/// The kinds of texts to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTarget {
    /// The line at the cursor of the focused panel.
    Line,
    Hunk,
    /// The patch of the shown file.
    Patch,
    /// The verdict on the selected component.
    Verdict,
    /// The corrected mean as a sentence for a paper.
    Sentence,
    /// The command that opens this place.
    Link,
}
