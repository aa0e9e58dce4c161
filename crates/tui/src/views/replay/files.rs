//! The selected file of the turn (or of the step).

use crate::widgets::scroll::Motion;
use trajview_run::{RepoPath, files::FileChange};

#[derive(Debug, Default)]
pub struct FileList {
    /// The file that was selected last; it stays selected through turns that do not change it.
    wanted: Option<RepoPath>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FileListMessage {
    Next(usize),
    Previous(usize),
    /// Opens the selection.
    Open,
    /// Switches between the files that changed and all files.
    SwitchTree,
}

impl FileList {
    /// Returns the index into `changes` of the selected file where it is among them, else 0.
    pub fn selected_index(&self, changes: &[FileChange]) -> usize {
        let is_wanted = |change: &FileChange| {
            self.wanted
                .as_ref()
                .is_some_and(|path| *path == change.path || change.from.as_ref() == Some(path))
        };
        changes.iter().position(is_wanted).unwrap_or_default()
    }

    pub(crate) fn select_path(&mut self, path: RepoPath) {
        self.wanted = Some(path);
    }

    pub fn update(&mut self, message: FileListMessage, changes: &[FileChange]) {
        let motion = match message {
            FileListMessage::Next(count) => Motion::Down(count),
            FileListMessage::Previous(count) => Motion::Up(count),
            FileListMessage::Open | FileListMessage::SwitchTree => return, // these need the run
        };
        self.move_cursor(motion, changes, 1);
    }

    pub(crate) fn move_cursor(&mut self, motion: Motion, changes: &[FileChange], height: usize) {
        let index = motion.target_row(self.selected_index(changes), changes.len(), height);
        if let Some(change) = changes.get(index) {
            self.wanted = Some(change.path.clone());
        }
    }
}
