//! Typing what narrows the table down. The table follows what is typed as soon as it can be read.

use super::{RunTableView, filter::RunRowFilter};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilterPrompt {
    pub text: String,
    /// The reason why the typed filter is invalid.
    pub complaint: Option<String>,
    /// The filter before the prompt was opened.
    previous_filter: RunRowFilter,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FilterPromptMessage {
    Start,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    /// Closes the prompt and restores the previous filter.
    Cancel,
}

impl RunTableView {
    pub(crate) fn update_prompt(&mut self, message: FilterPromptMessage) {
        // On the start screen a letter begins a filter.
        let is_first_letter = matches!(message, FilterPromptMessage::Type(_))
            && self.prompt.is_none()
            && self.awaits_letter();
        if message == FilterPromptMessage::Start || is_first_letter {
            let text = if is_first_letter { String::new() } else { self.shape.filter.text.clone() };
            self.prompt = Some(FilterPrompt {
                text,
                complaint: None,
                previous_filter: self.shape.filter.clone(),
            });
        }
        let Some(mut prompt) = self.prompt.take() else { return };
        match message {
            FilterPromptMessage::Start => {}
            FilterPromptMessage::Type(words) => prompt.text.push_str(&words),
            FilterPromptMessage::Erase if !prompt.text.is_empty() => drop(prompt.text.pop()),
            FilterPromptMessage::EraseAll => prompt.text.clear(),
            FilterPromptMessage::Accept if prompt.complaint.is_none() => return,
            FilterPromptMessage::Accept => {}
            FilterPromptMessage::Erase | FilterPromptMessage::Cancel => {
                self.shape.filter = prompt.previous_filter;
                return;
            }
        }
        match RunRowFilter::parse_filter(&prompt.text) {
            Ok(filter) => {
                self.shape.filter = filter;
                prompt.complaint = None;
            }
            Err(why) => prompt.complaint = Some(why),
        }
        self.prompt = Some(prompt);
    }
}
