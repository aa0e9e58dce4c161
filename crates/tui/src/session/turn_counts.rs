//! A turn in numbers, for the list of turns; worked out once when a run is opened.

use std::collections::HashMap;

use trajview_code::patch::LineCounts;
use trajview_run::{RepoPath, Run, Step, StepId, StepKind};

/// Everything a turn did, sub-agents included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnEditCounts {
    /// Lines that the recorded edits of each file wrote and removed.
    pub files: HashMap<RepoPath, LineTotals>,
    pub errors: usize,
    pub compactions: usize,
    pub subagents: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineTotals {
    pub added: usize,
    pub removed: usize,
}

impl TurnEditCounts {
    pub(crate) fn for_steps(run: &Run, steps: &[StepId]) -> Self {
        let mut digest = Self::default();
        for step in steps.iter().filter_map(|id| run.step(*id)) {
            digest.count_step(step);
        }
        digest
    }

    fn count_step(&mut self, step: &Step) {
        self.errors += usize::from(step.has_failed());
        self.compactions += usize::from(step.kind == StepKind::Compaction);
        self.subagents += usize::from(step.subagent.is_some());
        for edit in &step.edits {
            let (Some(added), Some(removed)) = (edit.added, edit.removed) else { continue };
            let lines = LineTotals { added: added as usize, removed: removed as usize };
            if let Some(path) = edit.path.repo_path() {
                self.files.entry(path.clone()).or_default().add_lines(lines);
            }
        }
    }
}

impl From<LineCounts> for LineTotals {
    fn from(counts: LineCounts) -> Self {
        Self { added: counts.added, removed: counts.removed }
    }
}

impl LineTotals {
    pub(crate) const fn add_lines(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
    }
}

/// One list a turn, one entry a change.
pub type ChangeLineCounts = Vec<Vec<Option<LineCounts>>>;
