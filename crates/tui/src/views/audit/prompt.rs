//! The prompts of the audit: a reason, a note, the rater's name, a number, a missed place.

use super::AuditAnswer;

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditPrompt {
    /// The reason for the difference of the current label from the verdict.
    Reason,
    /// The text of a note on the current label.
    Note(String),
    Name(RaterPrompt),
    /// A number for the label.
    Score(TypedScore),
    /// Lines and criterion of a place that should have been flagged.
    Missed(MissedPrompt),
}

/// A typed number and the error in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedScore {
    pub text: String,
    pub complaint: Option<String>,
}

/// A place of a file that should have been flagged, as far as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MissedPrompt {
    pub path: String,
    /// `12-19 copied-logic`
    pub text: String,
    /// The error in the typed text.
    pub why: Option<String>,
}

/// The name of the rater, as far as it is typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RaterPrompt {
    pub text: String,
    /// The answer that waits for the name of the rater.
    pub pending_answer: Option<AuditAnswer>,
    /// The error in the typed text.
    pub complaint: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AuditPromptMessage {
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
}

impl AuditPrompt {
    pub(crate) fn for_rater(then: Option<AuditAnswer>) -> Self {
        Self::Name(RaterPrompt { pending_answer: then, ..RaterPrompt::default() })
    }

    /// Returns the label of the prompt, the typed text and its error.
    pub fn prompt_line(&self) -> Option<(&'static str, &str, Option<&str>)> {
        match self {
            Self::Reason => None,
            Self::Note(text) => Some(("note ", text, None)),
            Self::Name(name) => Some(("who labels? ", &name.text, name.complaint.as_deref())),
            Self::Score(typed) => {
                Some(("score, 0 to 1: ", &typed.text, typed.complaint.as_deref()))
            }
            Self::Missed(typed) => {
                Some(("missed, lines and criterion: ", &typed.text, typed.why.as_deref()))
            }
        }
    }

    pub(super) fn editable_text(&mut self) -> Option<&mut String> {
        match self {
            Self::Reason => None,
            Self::Note(text) => Some(text),
            Self::Name(name) => {
                name.complaint = None;
                Some(&mut name.text)
            }
            Self::Score(typed) => {
                typed.complaint = None;
                Some(&mut typed.text)
            }
            Self::Missed(typed) => {
                typed.why = None;
                Some(&mut typed.text)
            }
        }
    }
}
