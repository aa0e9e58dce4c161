//! Several layers over one request: each is asked in order, and the last one's words stand first.

use serde::{Deserialize, Serialize};

use super::{Brief, Layer, helper::Spent};

/// What a layer said before a request, and what that cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// The layer's name with its parts.
    pub layer: String,
    #[serde(flatten)]
    pub brief: Brief,
    pub spent: Spent,
}

/// What a layer gave while a turn was under way, without being asked by us.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// RFC 3339.
    pub at: String,
    pub delivery: Delivery,
    /// The query of a search; of a call the name of the tool.
    pub asked: String,
    /// The files of the call.
    pub paths: Vec<String>,
    #[serde(flatten)]
    pub brief: Brief,
    /// Why nothing was given; a sentence.
    pub failed: Option<String>,
}

/// How words reach the agent beside its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// As the answer of a tool that it called.
    #[default]
    Search,
    /// With a call that touches files.
    Call,
}

/// A request with the words of layers before it.
pub fn dressed<'b>(request: &str, briefs: impl IntoIterator<Item = &'b Brief>) -> String {
    let before = |text: String, brief: &Brief| match brief.text().trim_end() {
        "" => text,
        added => format!("{added}\n\n{text}"),
    };
    briefs.into_iter().fold(request.to_owned(), before)
}

/// What all of these together answer where the agent asks by itself; None where no layer offers a search.
pub fn search(layers: &mut [Box<dyn Layer>], query: &str) -> Option<String> {
    let mut answers = layers.iter_mut().filter_map(|layer| {
        let name = layer.name().to_owned();
        Some(match layer.search(query)? {
            Ok(brief) => brief.text(),
            Err(why) => format!("layer {name} found nothing: {why}"),
        })
    });
    let first = answers.next()?;
    Some(answers.fold(first, |all, next| format!("{all}\n\n{next}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sentence;

    #[test]
    fn the_words_of_the_last_layer_stand_first() {
        let brief =
            |text: &str| Brief { sentences: vec![Sentence::heading(text)], ..Brief::default() };

        let text = dressed("do it", [&brief("inner"), &Brief::default(), &brief("outer")]);

        assert_eq!(text, "outer\n\ninner\n\ndo it");
    }
}
