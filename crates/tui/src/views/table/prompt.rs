//! Typing what narrows the table down. The table follows what is typed as soon as it can be read.

use super::{Collection, filter::Filter};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    pub text: String,
    /// Why what is typed cannot be read.
    pub complaint: Option<String>,
    /// What was there before.
    before: Filter,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Start,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    /// As it was before.
    Cancel,
}

impl Collection {
    pub(crate) fn update_prompt(&mut self, message: Message) {
        if message == Message::Start {
            let text = self.shape.filter.text.clone();
            self.prompt = Some(Prompt { text, complaint: None, before: self.shape.filter.clone() });
        }
        let Some(mut prompt) = self.prompt.take() else { return };
        match message {
            Message::Start => {}
            Message::Type(words) => prompt.text.push_str(&words),
            Message::Erase => drop(prompt.text.pop()),
            Message::EraseAll => prompt.text.clear(),
            Message::Accept if prompt.complaint.is_none() => return,
            Message::Accept => {}
            Message::Cancel => {
                self.shape.filter = prompt.before;
                return;
            }
        }
        match Filter::parse(&prompt.text) {
            Ok(filter) => {
                self.shape.filter = filter;
                prompt.complaint = None;
            }
            Err(why) => prompt.complaint = Some(why),
        }
        self.prompt = Some(prompt);
    }
}
