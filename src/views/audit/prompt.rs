//! What the audit asks for: a reason, a note, who labels.

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// Why the label at hand differs from the verdict.
    Reason,
    /// Words for the label at hand.
    Note(String),
    Name(Name),
}

/// Who labels, as far as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Name {
    pub text: String,
    /// The score that was to be given when nobody had said who gives it.
    pub then: Option<u8>,
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
    pub fn name(then: Option<u8>) -> Self {
        Self::Name(Name { then, ..Name::default() })
    }

    /// What is typed, after which words, and what is wrong with it.
    pub fn typing(&self) -> Option<(&'static str, &str, Option<&str>)> {
        match self {
            Self::Reason => None,
            Self::Note(text) => Some(("note ", text, None)),
            Self::Name(name) => Some(("who labels? ", &name.text, name.complaint.as_deref())),
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
        }
    }
}
