//! A turn in numbers, for the list of turns; worked out once when a run is opened.

use std::collections::HashMap;

use trajview_code::patch::LineCounts;
use trajview_run::{RepoPath, Run, Step, StepId, StepKind};

/// Everything a turn did, sub-agents included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Digest {
    /// Lines that the recorded edits of each file wrote and removed.
    pub files: HashMap<RepoPath, Lines>,
    pub errors: usize,
    pub compactions: usize,
    pub subagents: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines {
    pub added: usize,
    pub removed: usize,
}

impl Digest {
    pub fn of(run: &Run, steps: &[StepId]) -> Self {
        let mut digest = Self::default();
        for step in steps.iter().filter_map(|id| run.step(*id)) {
            digest.count(step);
        }
        digest
    }

    fn count(&mut self, step: &Step) {
        self.errors += usize::from(step.failed());
        self.compactions += usize::from(step.kind == StepKind::Compaction);
        self.subagents += usize::from(step.subagent.is_some());
        for edit in &step.edits {
            let (Some(added), Some(removed)) = (edit.added, edit.removed) else { continue };
            let lines = Lines { added: added as usize, removed: removed as usize };
            if let Some(path) = edit.path.inside() {
                self.files.entry(path.clone()).or_default().add(lines);
            }
        }
    }
}

impl From<LineCounts> for Lines {
    fn from(counts: LineCounts) -> Self {
        Self { added: counts.added, removed: counts.removed }
    }
}

impl Lines {
    pub const fn add(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
    }
}

/// One list a turn, one entry a change.
pub type Counts = Vec<Vec<Option<LineCounts>>>;
