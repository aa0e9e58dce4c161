//! The brief that a layer gives before a request: sentences, each with its sources.

use serde::{Deserialize, Serialize};

/// The text of a layer for the agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Brief {
    /// The sentences in order, headings among them. Empty for a layer that only begins a new session.
    pub sentences: Vec<BriefSentence>,
    /// The files that it expects the request to touch, as the project calls them; the most likely first.
    pub forecast: Vec<String>,
    /// The reason why the agent begins a new session with this request; None where the session goes on.
    pub restarts: Option<String>,
    /// The composition of the brief and its reason, in one sentence, for the record.
    pub why: String,
}

/// A line of a brief.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BriefSentence {
    pub text: String,
    /// The sources of the sentence; empty for a heading.
    pub from: Vec<SentenceOrigin>,
}

/// The source of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SentenceOrigin {
    /// A file of the layer's state.
    Record(String),
    /// The request of a turn; counts from 1.
    Request(usize),
    /// A step of a turn; both count from 1.
    Step { turn: usize, step: usize },
    /// Lines of a file of the project, as it was before the request; counts from 1, both ends included.
    Lines { path: String, start: u32, end: u32 },
    /// A decision, by its id.
    Decision(String),
}

impl BriefSentence {
    pub fn heading(text: impl Into<String>) -> Self {
        Self { text: text.into(), from: vec![] }
    }

    pub fn new(text: impl Into<String>, from: impl IntoIterator<Item = SentenceOrigin>) -> Self {
        Self { text: text.into(), from: from.into_iter().collect() }
    }
}

impl Brief {
    /// Returns the text for the agent: a sentence a line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.sentences.iter().map(|it| it.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns whether the brief has no effect.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty() && self.restarts.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_is_written_and_read_with_where_each_sentence_is_from() {
        let from = [
            SentenceOrigin::Record("records/design-1.md".into()),
            SentenceOrigin::Request(3),
            SentenceOrigin::Step { turn: 3, step: 2 },
            SentenceOrigin::Lines { path: "a.py".into(), start: 1, end: 9 },
            SentenceOrigin::Decision("db".into()),
        ];
        let brief = Brief {
            sentences: vec![
                BriefSentence::heading("Earlier:"),
                BriefSentence::new("a.py has f.", from),
            ],
            forecast: vec!["a.py".into()],
            ..Brief::default()
        };

        let text = serde_json::to_string(&brief).unwrap();

        assert!(text.contains(
            r#"[{"record":"records/design-1.md"},{"request":3},{"step":{"turn":3,"step":2}},"#
        ));
        assert_eq!(serde_json::from_str::<Brief>(&text).unwrap(), brief);
        assert_eq!(brief.text(), "Earlier:\na.py has f.");
        assert!(Brief::default().is_empty() && !brief.is_empty());
    }
}
