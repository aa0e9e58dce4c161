//! What the audit asks for: a reason, a note, who labels, a number, a place that was missed.

use super::Answer;

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Prompt {
    /// Why the label at hand differs from the verdict.
    Reason,
    /// Words for the label at hand.
    Note(String),
    Name(Name),
    /// A number for the label.
    Score(Typed),
    /// Lines and criterion of a place that should have been flagged.
    Missed(Missed),
}

/// What is typed, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typed {
    pub text: String,
    pub complaint: Option<String>,
}

/// A place of a file that should have been flagged, as far as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missed {
    pub path: String,
    /// `12-19 copied-logic`
    pub text: String,
    /// Why what was typed cannot be.
    pub why: Option<String>,
}

/// Who labels, as far as it is typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Name {
    pub text: String,
    /// What was to be said when nobody had said who says it.
    pub then: Option<Answer>,
    /// Why what was typed cannot be.
    pub complaint: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
}

impl Prompt {
    pub fn name(then: Option<Answer>) -> Self {
        Self::Name(Name { then, ..Name::default() })
    }

    /// What is typed, after which words, and what is wrong with it.
    pub fn typing(&self) -> Option<(&'static str, &str, Option<&str>)> {
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

    pub(super) fn text(&mut self) -> Option<&mut String> {
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
