//! Which file of the turn (or of the step) is looked at.

use crate::widgets::scroll::Motion;
use trajview_run::{RepoPath, files::Change};

#[derive(Debug, Default)]
pub struct Files {
    /// The file asked for last; it stays wanted through turns that do not change it.
    wanted: Option<RepoPath>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Next(usize),
    Previous(usize),
    /// What the selection stands for.
    Open,
    /// Between the files that changed and all files.
    SwitchTree,
}

impl Files {
    /// Index into `changes`: the wanted file where it is among them, else the first.
    pub fn selected(&self, changes: &[Change]) -> usize {
        let is_wanted = |change: &Change| {
            self.wanted
                .as_ref()
                .is_some_and(|path| *path == change.path || change.from.as_ref() == Some(path))
        };
        changes.iter().position(is_wanted).unwrap_or_default()
    }

    pub fn want(&mut self, path: RepoPath) {
        self.wanted = Some(path);
    }

    pub fn update(&mut self, message: Message, changes: &[Change]) {
        let motion = match message {
            Message::Next(count) => Motion::Down(count),
            Message::Previous(count) => Motion::Up(count),
            Message::Open | Message::SwitchTree => return, // these need the run
        };
        self.go(motion, changes, 1);
    }

    pub fn go(&mut self, motion: Motion, changes: &[Change], height: usize) {
        let index = motion.from(self.selected(changes), changes.len(), height);
        if let Some(change) = changes.get(index) {
            self.wanted = Some(change.path.clone());
        }
    }
}
