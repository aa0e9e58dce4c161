//! What the audit asks for: a reason, a note, who labels.

use crate::{session::Session, views::audit::Audit, widgets::layout::Layout};

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
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

impl Asks {
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

    fn text(&mut self) -> Option<&mut String> {
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

impl Audit {
    pub(super) fn update_words(
        &mut self,
        session: &mut Session,
        message: Message,
        layout: &Layout,
    ) {
        let Some(asks) = &mut self.asks else { return };
        let Some(text) = asks.text() else { return };
        match message {
            Message::Type(words) => text.push_str(&words),
            Message::Erase => {
                text.pop();
            }
            Message::EraseAll => text.clear(),
            Message::Cancel => self.asks = None,
            Message::Accept => self.accept_words(session, layout),
        }
    }

    fn accept_words(&mut self, session: &mut Session, layout: &Layout) {
        match self.asks.take() {
            Some(Asks::Note(text)) => self.give_note(session, &text),
            Some(Asks::Name(name)) => self.accept_name(session, name, layout),
            other => self.asks = other,
        }
    }

    fn accept_name(&mut self, session: &mut Session, name: Name, layout: &Layout) {
        let typed = name.text.trim().to_owned();
        let taken = match typed.is_empty() {
            true => Err("a name is needed: labels are kept apart by it".to_owned()),
            false => session.labels.be(&typed),
        };
        match taken {
            Err(why) => {
                self.asks = Some(Asks::Name(Name { complaint: Some(why), ..name }));
            }
            Ok(()) => {
                self.wanted = name.then;
                self.give_wanted(session, layout);
            }
        }
    }
}
