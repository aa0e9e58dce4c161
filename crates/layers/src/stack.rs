//! Several layers over one request: each gives a brief in order, and the brief of the last one comes first.

use serde::{Deserialize, Serialize};

use super::{Brief, helper::HelperCost};

/// The brief of a layer before a request, and its cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerBrief {
    /// The layer's name with its parts.
    pub layer: String,
    #[serde(flatten)]
    pub brief: Brief,
    pub spent: HelperCost,
}

/// A brief that the agent received during a turn, through its own search or with a tool call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveredBrief {
    /// RFC 3339.
    pub at: String,
    pub delivery: Delivery,
    /// The query of a search; of a call the name of the tool.
    pub asked: String,
    /// The files of the call.
    pub paths: Vec<String>,
    #[serde(flatten)]
    pub brief: Brief,
    /// The reason why there is no brief; a sentence.
    pub failed: Option<String>,
}

/// The way in which a brief reaches the agent beside its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// As the answer of a tool that the agent called.
    #[default]
    Search,
    /// With a call that touches files.
    Call,
}

/// Returns a request with the words of layers before it.
pub fn prepend_briefs<'b>(request: &str, briefs: impl IntoIterator<Item = &'b Brief>) -> String {
    let before = |text: String, brief: &Brief| match brief.text().trim_end() {
        "" => text,
        added => format!("{added}\n\n{text}"),
    };
    briefs.into_iter().fold(request.to_owned(), before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BriefSentence;

    #[test]
    fn the_words_of_the_last_layer_stand_first() {
        let brief = |text: &str| Brief {
            sentences: vec![BriefSentence::heading(text)],
            ..Brief::default()
        };

        let text = prepend_briefs("do it", [&brief("inner"), &Brief::default(), &brief("outer")]);

        assert_eq!(text, "outer\n\ninner\n\ndo it");
    }
}
