//! The filter of the list of steps.

use trajview_run::{Role, Step, StepKind};

/// A choice of steps. What it leaves out is still searched, and shown where a search leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepFilter {
    #[default]
    All,
    Messages,
    Thinking,
    Tools,
    Edits,
    Errors,
    SubAgents,
}

impl StepFilter {
    pub const ALL: [Self; 7] = [
        Self::All,
        Self::Messages,
        Self::Thinking,
        Self::Tools,
        Self::Edits,
        Self::Errors,
        Self::SubAgents,
    ];

    /// Returns the word on screen.
    pub(crate) const fn filter_name(self) -> &'static str {
        match self {
            Self::All => "all steps",
            Self::Messages => "messages",
            Self::Thinking => "thinking",
            Self::Tools => "tools",
            Self::Edits => "edits",
            Self::Errors => "errors",
            Self::SubAgents => "sub-agents",
        }
    }

    /// Returns the key that chooses it in the list of kinds.
    pub(crate) const fn key_letter(self) -> char {
        match self {
            Self::All => 'a',
            Self::Messages => 'm',
            Self::Thinking => 't',
            Self::Tools => 'o',
            Self::Edits => 'e',
            Self::Errors => 'x',
            Self::SubAgents => 's',
        }
    }

    pub(crate) fn matches_step(self, step: &Step) -> bool {
        match self {
            Self::All => true,
            Self::Messages => step.kind == StepKind::Message && step.role != Role::System,
            Self::Thinking => step.kind == StepKind::Thinking,
            Self::Tools => step.tool.is_some(),
            Self::Edits => !step.edits.is_empty(),
            Self::Errors => step.has_failed(),
            Self::SubAgents => step.kind == StepKind::SubAgent || step.subagent.is_some(),
        }
    }
}
