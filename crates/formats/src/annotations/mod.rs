//! Scores as other tools exchange them: validation cases of Inspect Scout, scores of Langfuse, annotations of Phoenix and
//! tasks of Label Studio. A score of a person is a label here, one of a judge a verdict.
//!
//! To add a tool, write a module with a `read` and a `write`, and add it to [`Tool`] and to the three functions below.
//! Whatever the text, [`read`] returns, with every mistake in it and its place.

mod cells;
mod label_studio;
mod langfuse;
mod phoenix;
mod scout;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use trajview_run::values::worded;

pub use label_studio::config as label_studio_config;

worded! {
    /// Whose form a file has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Tool {
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
    /// Where it is written: `line 3`, `task 5, annotation 1`. Empty in what is to be written.
    pub place: String,
    /// Id of the run: a transcript, trace or span of the other tool.
    pub run: String,
    /// Id of what is scored, as a component.
    pub item: String,
    /// What a person reads of the item; written for Label Studio alone.
    pub title: String,
    /// Who gave it; None where the file does not say.
    pub by: Option<String>,
    pub source: Source,
    pub answer: Answer,
    /// A person's note, a judge's rationale.
    pub note: Option<String>,
    pub state: State,
    /// RFC 3339, as written.
    pub at: Option<String>,
}

worded! {
    /// Whether a person or a judge gave a score.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub enum Source {
        #[default]
        Human = "human",
        Judge = "judge",
    }
}

/// What was said of an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Answer {
    /// A number on the scale, and the word for it where there is one.
    Score(f64, Option<String>),
    /// A word alone, as the name of a level.
    Word(String),
    /// Yes or no, on a scale of two.
    Is(bool),
    /// The rater could not tell.
    #[default]
    CannotTell,
}

/// Which state of the run was scored, and how; each None where it is not said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Hex digits.
    pub commit: Option<String>,
    /// Turns done; counts from 1.
    pub turn: Option<usize>,
    /// File of the judgement that a label checks.
    pub judgement: Option<String>,
    /// Whether a label was given before the verdict was seen.
    pub blind: Option<bool>,
    /// Why a label and a verdict differ.
    pub reason: Option<String>,
    /// Of a judge that is a model.
    pub model: Option<String>,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// What was understood, in the order of the file.
    pub annotations: Vec<Annotation>,
    /// Every mistake, as a sentence with its place.
    pub wrong: Vec<String>,
}

/// The tool whose form a text has; None where it has none of them.
pub fn tool_of(text: &str) -> Option<Tool> {
    let is = |tool: &Tool| match tool {
        Tool::LabelStudio => label_studio::is(text),
        Tool::Scout => scout::is(text),
        Tool::Langfuse => langfuse::is(text),
        Tool::Phoenix => phoenix::is(text),
    };
    [Tool::LabelStudio, Tool::Scout, Tool::Langfuse, Tool::Phoenix].into_iter().find(is)
}

/// Everything in a text of that form.
pub fn read(tool: Tool, text: &str) -> Read {
    match tool {
        Tool::Scout => scout::read(text),
        Tool::Langfuse => langfuse::read(text),
        Tool::Phoenix => phoenix::read(text),
        Tool::LabelStudio => label_studio::read(text),
    }
}

/// A file of that form with these in it.
///
/// # Errors
/// A sentence where the form cannot hold them: a validation set of Scout has one score of an item of a run.
pub fn write(tool: Tool, annotations: &[Annotation]) -> Result<String, String> {
    match tool {
        Tool::Scout => scout::write(annotations),
        Tool::Langfuse => Ok(langfuse::write(annotations)),
        Tool::Phoenix => Ok(phoenix::write(annotations)),
        Tool::LabelStudio => Ok(label_studio::write(annotations)),
    }
}

/// What is written of an answer that is none.
const CANNOT_TELL: &str = trajview_run::rubric::CANNOT_TELL;

impl Answer {
    /// Of a JSON value; None where it is no answer: a list, an object or an empty text.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(|score| Self::Score(score, None)),
            Value::Bool(is) => Some(Self::Is(*is)),
            Value::String(word) => Self::of_word(word),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A number, `true` or `false`, or a word; `3 Equivalent` is a number with its word.
    fn of_word(word: &str) -> Option<Self> {
        let word = word.trim();
        let (first, rest) = word.split_once([' ', ':']).unwrap_or((word, ""));
        let number = first.parse().ok().filter(|number: &f64| number.is_finite());
        let rest = rest.trim();
        Some(match (number, word.to_ascii_lowercase().as_str()) {
            (_, "") => return None,
            (Some(number), _) => Self::Score(number, (!rest.is_empty()).then(|| rest.to_owned())),
            (None, CANNOT_TELL) => Self::CannotTell,
            (None, "true") => Self::Is(true),
            (None, "false") => Self::Is(false),
            (None, _) => Self::Word(word.to_owned()),
        })
    }

    fn score(&self) -> Option<f64> {
        match self {
            Self::Score(score, _) => Some(*score),
            Self::Is(is) => Some(f64::from(u8::from(*is))),
            Self::Word(_) | Self::CannotTell => None,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Score(_, word) => word.as_deref(),
            Self::Word(word) => Some(word),
            Self::Is(_) => None,
            Self::CannotTell => Some(CANNOT_TELL),
        }
    }

    /// `3 Equivalent`, as a person chooses it.
    fn choice(&self) -> String {
        match (self.score(), self.word()) {
            (Some(score), Some(word)) => format!("{score} {word}"),
            (Some(score), None) => score.to_string(),
            (None, word) => word.unwrap_or_default().to_owned(),
        }
    }
}

impl State {
    const FIELDS: [&'static str; 6] = ["commit", "turn", "judgement", "blind", "reason", "model"];

    /// As other tools keep what is not theirs: a JSON object, without what is not known.
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

    /// From such an object; what has another type is as good as absent.
    fn of(metadata: &Map<String, Value>) -> Self {
        let text = |name| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
        let turn = metadata.get("turn").and_then(Value::as_u64);
        Self {
            commit: text("commit"),
            turn: turn.and_then(|turn| usize::try_from(turn).ok()).filter(|turn| *turn > 0),
            judgement: text("judgement"),
            blind: metadata.get("blind").and_then(Value::as_bool),
            reason: text("reason"),
            model: text("model"),
        }
    }
}
