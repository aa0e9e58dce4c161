//! Scores as other tools exchange them: validation cases of Inspect Scout, scores of Langfuse, annotations of Phoenix and
//! tasks of Label Studio. A score of a person is a label here, one of a judge a verdict.
//!
//! To add a tool, write a module with a `read` and a `write`, and add it to [`AnnotationTool`] and to the three functions below.
//! Whatever the text, [`read_annotations`] returns, with every mistake in it and its place.

mod cells;
mod label_studio;
mod langfuse;
mod phoenix;
mod scout;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use trajview_run::worded_enum::worded;

pub use label_studio::labelling_config as label_studio_config;

worded! {
    /// The tool whose file format is read or written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AnnotationTool {
        /// A validation set: JSON, JSON lines, YAML or CSV, a case a transcript.
        Scout = "scout",
        /// A table of scores as its screen exports them: CSV, a row a score.
        Langfuse = "langfuse",
        /// A table of span annotations as its client takes and gives them: CSV, a row a score.
        Phoenix = "phoenix",
        /// Tasks with annotations and predictions: JSON, a task an item of a run.
        LabelStudio = "label-studio",
    }
}

/// One score of one item of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotation {
    /// The place in the file: `line 3`, `task 5, annotation 1`. Empty for an annotation that is to be written.
    pub place: String,
    /// Id of the run: a transcript, trace or span of the other tool.
    pub run: String,
    /// Id of what is scored, as a component.
    pub item: String,
    /// The text of the item for a person; written for Label Studio alone.
    pub title: String,
    /// The rater; None where the file does not name one.
    pub by: Option<String>,
    pub source: AnnotationSource,
    pub answer: AnnotationAnswer,
    /// A person's note, a judge's rationale.
    pub note: Option<String>,
    pub state: AnnotatedState,
    /// RFC 3339, as written.
    pub at: Option<String>,
}

worded! {
    /// The kind of rater: a person or a judge.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub enum AnnotationSource {
        #[default]
        Human = "human",
        Judge = "judge",
    }
}

/// The answer of a rater for one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum AnnotationAnswer {
    /// A number on the scale, and the word for it where there is one.
    Score(f64, Option<String>),
    /// A word alone, as the name of a level.
    Word(String),
    /// Yes or no, on a scale of two.
    Flag(bool),
    /// The rater could not tell.
    #[default]
    CannotTell,
}

/// The state of the run that was scored, and the circumstances; a value is None where the file does not have it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnnotatedState {
    /// Hex digits.
    pub commit: Option<String>,
    /// Turns done; counts from 1.
    pub turn: Option<usize>,
    /// File of the judgement that a label checks.
    pub judgement: Option<String>,
    /// Is true where the rater gave the label before seeing the verdict.
    pub blind: Option<bool>,
    /// The reason why a label and a verdict differ.
    pub reason: Option<String>,
    /// The model, where the judge is one.
    pub model: Option<String>,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnnotationFile {
    /// The annotations that were understood, in the order of the file.
    pub annotations: Vec<Annotation>,
    /// Every mistake, as a sentence with its place.
    pub wrong: Vec<String>,
}

/// Returns the tool whose form a text has; None where it has none of them.
pub fn detect_tool(text: &str) -> Option<AnnotationTool> {
    let is = |tool: &AnnotationTool| match tool {
        AnnotationTool::LabelStudio => label_studio::is_export(text),
        AnnotationTool::Scout => scout::is_validation_set(text),
        AnnotationTool::Langfuse => langfuse::is_export(text),
        AnnotationTool::Phoenix => phoenix::is_export(text),
    };
    [
        AnnotationTool::LabelStudio,
        AnnotationTool::Scout,
        AnnotationTool::Langfuse,
        AnnotationTool::Phoenix,
    ]
    .into_iter()
    .find(is)
}

/// Returns everything in a text of that form.
pub fn read_annotations(tool: AnnotationTool, text: &str) -> AnnotationFile {
    match tool {
        AnnotationTool::Scout => scout::read_validation_set(text),
        AnnotationTool::Langfuse => langfuse::read_scores(text),
        AnnotationTool::Phoenix => phoenix::read_scores(text),
        AnnotationTool::LabelStudio => label_studio::read_tasks(text),
    }
}

/// Returns a file of that form with these in it.
///
/// # Errors A sentence where the form cannot hold them: a validation set of Scout has one score of an item of a run.
pub fn write_annotations(
    tool: AnnotationTool,
    annotations: &[Annotation],
) -> Result<String, String> {
    match tool {
        AnnotationTool::Scout => scout::write_validation_set(annotations),
        AnnotationTool::Langfuse => Ok(langfuse::write_scores(annotations)),
        AnnotationTool::Phoenix => Ok(phoenix::write_scores(annotations)),
        AnnotationTool::LabelStudio => Ok(label_studio::write_tasks(annotations)),
    }
}

/// The word for an answer of a rater who could not decide.
const CANNOT_TELL: &str = trajview_run::rubric::CANNOT_TELL;

impl AnnotationAnswer {
    /// Reads an answer from a JSON value; None where it is none: a list, an object or an empty text.
    fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(|score| Self::Score(score, None)),
            Value::Bool(is) => Some(Self::Flag(*is)),
            Value::String(word) => Self::from_word(word),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Returns a number, `true` or `false`, or a word; `3 Equivalent` is a number with its word.
    fn from_word(word: &str) -> Option<Self> {
        let word = word.trim();
        let (first, rest) = word.split_once([' ', ':']).unwrap_or((word, ""));
        let number = first.parse().ok().filter(|number: &f64| number.is_finite());
        let rest = rest.trim();
        Some(match (number, word.to_ascii_lowercase().as_str()) {
            (_, "") => return None,
            (Some(number), _) => Self::Score(number, (!rest.is_empty()).then(|| rest.to_owned())),
            (None, CANNOT_TELL) => Self::CannotTell,
            (None, "true") => Self::Flag(true),
            (None, "false") => Self::Flag(false),
            (None, _) => Self::Word(word.to_owned()),
        })
    }

    fn score(&self) -> Option<f64> {
        match self {
            Self::Score(score, _) => Some(*score),
            Self::Flag(is) => Some(f64::from(u8::from(*is))),
            Self::Word(_) | Self::CannotTell => None,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Score(_, word) => word.as_deref(),
            Self::Word(word) => Some(word),
            Self::Flag(_) => None,
            Self::CannotTell => Some(CANNOT_TELL),
        }
    }

    /// Returns the choice of a person: `3 Equivalent`.
    fn choice_text(&self) -> String {
        match (self.score(), self.word()) {
            (Some(score), Some(word)) => format!("{score} {word}"),
            (Some(score), None) => score.to_string(),
            (None, word) => word.unwrap_or_default().to_owned(),
        }
    }
}

impl AnnotatedState {
    const FIELDS: [&'static str; 6] = ["commit", "turn", "judgement", "blind", "reason", "model"];

    /// Returns the state as metadata for another tool: a JSON object, without values that are None.
    fn metadata(&self) -> Map<String, Value> {
        let texts = [&self.commit, &self.judgement, &self.reason, &self.model];
        let [commit, judgement, reason, model] = texts.map(|text| text.as_deref().map(Value::from));
        let values = [
            commit,
            self.turn.map(Value::from),
            judgement,
            self.blind.map(Value::from),
            reason,
            model,
        ];
        let named = Self::FIELDS.into_iter().zip(values);
        named.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Reads the state from such metadata; a value of another type counts as absent.
    fn from_metadata(metadata: &Map<String, Value>) -> Self {
        let text = |name| metadata.text(name).map(str::to_owned);
        let turn = metadata.number("turn");
        Self {
            commit: text("commit"),
            turn: turn.and_then(|turn| usize::try_from(turn).ok()).filter(|turn| *turn > 0),
            judgement: text("judgement"),
            blind: metadata.flag("blind"),
            reason: text("reason"),
            model: text("model"),
        }
    }
}
