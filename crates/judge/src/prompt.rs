//! The prompt of a judge: the rubric, the rules of evidence, the component.
//!
//! A prompt is one text file. The text before the line `----- question -----` is sent once, the rest is the question;
//! without that line the built-in question is used. `{budget}` and the subject of the question, such as `{formula}` of
//! a component or `{criteria}` of a group, are filled in; anything else in braces stays. A prompt is identified by the
//! SHA-256 of its bytes.

use trajview_run::{
    judging::JudgingScale,
    rubric::{Codebook, LabelUnit, codebook::BUILT_IN},
};
use trajview_store::sha256;

use super::{item::JudgeItem, scale};

const QUESTION_MARK: &str = "----- question -----";

/// Longest file of a prompt (bytes).
pub const MOST_BYTES: usize = 256 << 10;

/// A prompt, with its blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgePrompt {
    system: String,
    question: String,
    /// Hex digits, over the file's bytes.
    pub sha256: String,
    /// The source: a path, or `built in`.
    pub origin: String,
    /// The hash of the prompt of which this is a rewording; None for any other prompt.
    pub reworded_from: Option<String>,
    /// True if it requests a confidence after the level.
    pub asks_confidence: bool,
}

/// The number of rewordings of the prompt for components.
pub const REWORDINGS: usize = trajview_assets::COMPONENTS_REWORDINGS.len();

impl JudgePrompt {
    /// Returns the rubric of five levels, `assets/judge/slump-5.md`.
    #[cfg(test)]
    pub fn built_in() -> Self {
        Self::built_in_for(JudgingScale::Levels)
    }

    /// Returns the prompt for a rubric where the user has none of their own.
    pub fn built_in_for(scale: JudgingScale) -> Self {
        Self::split_prompt(scale::built_in_prompt(scale), BUILT_IN, scale)
    }

    /// Returns the built-in words with the levels of a codebook in the place of their own, or those for the scales of a codebook;
    /// None where the words for a rubric have no place for them.
    pub fn with_codebook(scale: JudgingScale, codebook: &Codebook) -> Option<Self> {
        let text = codebook.judge_prompt(scale.label_unit())?;
        let origin = match text == scale::built_in_prompt(scale) {
            true => BUILT_IN.to_owned(),
            false => format!("{BUILT_IN}, with the codebook of {}", codebook.origin),
        };
        Some(Self::split_prompt(&text, &origin, scale))
    }

    /// Returns a rewording of the built-in prompt for components, with the levels of a codebook where there is one; `number`
    /// counts from 1. None where there is no such rewording, and where the codebook has other scales.
    pub(crate) fn rewording(number: usize, codebook: Option<&Codebook>) -> Option<Self> {
        let text = *trajview_assets::COMPONENTS_REWORDINGS.get(number.checked_sub(1)?)?;
        let text = match codebook {
            None => text.to_owned(),
            Some(book) => book.prompt_with_levels(text, LabelUnit::Component)?,
        };
        let origin = format!("{BUILT_IN}, rewording {number}");
        Some(Self::split_prompt(&text, &origin, JudgingScale::Levels))
    }

    /// Returns the prompt with the request for a confidence, which makes it another prompt. `example` is the example of an
    /// answer without one.
    pub(crate) fn with_confidence(self, example: &str) -> Self {
        let system = self.system.replace(example, &scale::example_with_confidence(example));
        let system = format!("{system}\n\n{}", trajview_assets::CONFIDENCE_PROMPT.trim());
        let text = format!("{system}\n\n{QUESTION_MARK}\n\n{}\n", self.question);
        Self {
            sha256: sha256(text.as_bytes()),
            origin: format!("{}, with confidence", self.origin),
            system,
            asks_confidence: true,
            ..self
        }
    }

    /// Returns whether the prompt is the built-in one.
    pub fn is_built_in(&self) -> bool {
        self.origin == BUILT_IN
    }

    /// Returns a prompt of the user's own for the rubric of five levels. The error is a sentence without the file's name.
    #[cfg(test)]
    pub(crate) fn for_levels(bytes: &[u8], origin: &str) -> Result<Self, String> {
        Self::for_rubric(JudgingScale::Levels, bytes, origin)
    }

    /// Reads a user's prompt for a rubric. The error is a sentence: too long, no text, or no part for the question.
    pub fn for_rubric(scale: JudgingScale, bytes: &[u8], origin: &str) -> Result<Self, String> {
        if bytes.len() > MOST_BYTES {
            return Err(format!("is longer than {} KB; not a prompt", MOST_BYTES >> 10));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8 text")?;
        if text.trim().is_empty() {
            return Err("is empty; expected the prompt of a judge".into());
        }
        Ok(Self::split_prompt(text, origin, scale))
    }

    fn split_prompt(text: &str, origin: &str, scale: JudgingScale) -> Self {
        let question_of = |text: &str| Some(prompt_parts(text)?.1.to_owned());
        let (system, question) = match prompt_parts(text) {
            Some((system, question)) if !question.is_empty() => (system, Some(question.to_owned())),
            Some((system, _)) => (system, question_of(scale::built_in_prompt(scale))),
            None => (text.trim(), question_of(scale::built_in_prompt(scale))),
        };
        Self {
            system: system.to_owned(),
            question: question.unwrap_or_default(),
            sha256: sha256(text.as_bytes()),
            origin: origin.to_owned(),
            reworded_from: None,
            asks_confidence: false,
        }
    }

    /// Returns the system text with the number of tool calls.
    pub fn system_text(&self, budget: u32) -> String {
        fill_blanks(&self.system, &|name| (name == "budget").then(|| budget.to_string()))
    }

    /// Returns the question about one component or group.
    pub(crate) fn question_text(&self, item: &JudgeItem, budget: u32) -> String {
        fill_blanks(&self.question, &|name| match name {
            "budget" => Some(budget.to_string()),
            name => item.fill_blank(name),
        })
    }
}

fn prompt_parts(text: &str) -> Option<(&str, &str)> {
    let at = text.lines().find(|line| line.trim() == QUESTION_MARK)?;
    let start = at.as_ptr() as usize - text.as_ptr() as usize;
    Some((text[..start].trim(), text[start + at.len()..].trim()))
}

/// Returns the text with `{name}` replaced where there is a value; what is filled in is not looked at again.
pub(crate) fn fill_blanks(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        whole.push_str(&rest[..at]);
        let name: &str = rest[at + 1..].split('}').next().unwrap_or_default();
        let is_closed = rest.as_bytes().get(at + 1 + name.len()) == Some(&b'}');
        match value(name).filter(|_| is_closed) {
            Some(value) => {
                whole.push_str(&value);
                rest = &rest[at + name.len() + 2..];
            }
            None => {
                whole.push('{');
                rest = &rest[at + 1..];
            }
        }
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::criteria::Criteria;
    use trajview_run::rubric::{Component, PromptMatch};

    fn sample_component() -> JudgeItem {
        JudgeItem::Component(Component {
            id: "C02".into(),
            name: "Masking".into(),
            intent: "Hide {budget} tokens.".into(),
            connects_to: vec!["C01".into(), "C05".into()],
            ..Component::default()
        })
    }

    #[test]
    fn the_built_in_prompt_has_no_blank_left() {
        let prompt = JudgePrompt::built_in();

        assert!(prompt.system_text(5).contains("You have 5 tool calls at most."));
        assert_eq!(
            prompt.question_text(&sample_component(), 5),
            "Component C02: Masking\n\nWhat it is for: Hide {budget} tokens.\n\nFormula: not given\n\n\
             Inputs: not given\n\nOutputs: not given\n\nConnected to: C01, C05\n\nJudge this component."
        );
        assert_eq!(prompt.sha256.len(), 64);
    }

    #[test]
    fn the_levels_of_a_codebook_take_the_place_of_the_built_in_ones() {
        let built_in = Codebook::built_in(LabelUnit::Component);
        let mut user_book = Codebook { origin: "components.json".into(), ..built_in.clone() };
        user_book.criteria[0].levels[0].means = "Nothing of it is there.".into();

        let same = JudgePrompt::with_codebook(JudgingScale::Levels, built_in).unwrap();
        let other = JudgePrompt::with_codebook(JudgingScale::Levels, &user_book).unwrap();

        assert_eq!(same, JudgePrompt::built_in());
        assert!(other.system_text(5).contains("- 0 Absent: Nothing of it is there."));
        assert!(other.system_text(5).contains("You have 5 tool calls at most."));
        assert_eq!(other.origin, "built in, with the codebook of components.json");
        let prompt_match = user_book.compare_with_prompt(Some(&other.sha256), LabelUnit::Component);
        assert_eq!(prompt_match, PromptMatch::Same);
        assert_eq!(
            user_book.compare_with_prompt(Some(&same.sha256), LabelUnit::Component),
            PromptMatch::Another
        );
    }

    #[test]
    fn a_rewording_has_the_levels_the_blanks_and_the_example_of_the_prompt_and_another_hash() {
        let levels_of = |text: &str| {
            let start = text.find("# Levels").unwrap();
            let end = text[start + 1..].find("\n# ").unwrap() + start + 1;
            text[start..end].trim().to_owned()
        };
        let blanks = |text: &str| {
            let names =
                ["budget", "id", "name", "intent", "formula", "inputs", "outputs", "connects_to"];
            names.map(|name| text.matches(&format!("{{{name}}}")).count())
        };
        let built_in = trajview_assets::COMPONENTS_PROMPT;
        let example = scale::example_answer(JudgingScale::Levels);
        let mut hashes = vec![JudgePrompt::built_in().sha256];
        for (number, text) in (1..).zip(trajview_assets::COMPONENTS_REWORDINGS) {
            assert_eq!(levels_of(text), levels_of(built_in), "{number}");
            assert_eq!(blanks(text), blanks(built_in), "{number}");
            assert!(text.contains(example), "{number}");
            hashes.push(JudgePrompt::rewording(number, None).unwrap().sha256);
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
        assert_eq!(JudgePrompt::rewording(0, None), None);
        assert_eq!(JudgePrompt::rewording(REWORDINGS + 1, None), None);
    }

    #[test]
    fn the_levels_of_a_codebook_stand_in_a_rewording_too() {
        let mut book = Codebook::built_in(LabelUnit::Component).clone();
        book.criteria[0].levels[0].means = "Nothing of it is there.".into();

        let reworded = JudgePrompt::rewording(2, Some(&book)).unwrap();

        assert!(reworded.system_text(5).contains("- 0 Absent: Nothing of it is there."));
        assert!(reworded.system_text(5).contains("The tools may be called 5 times at most."));
    }

    #[test]
    fn a_prompt_of_ones_own_takes_its_place() {
        let whole =
            JudgePrompt::for_levels(b"Be kind.\n----- question -----\nWhat of {id}? {odd}\n", "p")
                .unwrap();
        let half = JudgePrompt::for_levels(b"Be kind, {budget} times.", "p").unwrap();

        assert_eq!(
            (whole.system_text(1), whole.question_text(&sample_component(), 1)),
            ("Be kind.".into(), "What of C02? {odd}".into())
        );
        assert_eq!(half.system_text(3), "Be kind, 3 times.");
        assert!(half.question_text(&sample_component(), 1).starts_with("Component C02: Masking"));
        assert_ne!(whole.sha256, half.sha256);
        assert_eq!(sha256(b"abc")[..8], *"ba7816bf");
    }

    #[test]
    fn the_prompt_for_flags_asks_about_one_group() {
        let group = Criteria::built_in().groups.remove(1);
        let prompt = JudgePrompt::built_in_for(JudgingScale::Flags);
        let half = JudgePrompt::for_rubric(JudgingScale::Flags, b"Look well.", "p").unwrap();

        let question = prompt.question_text(&JudgeItem::Group(group.clone()), 5);

        assert!(prompt.system_text(5).contains("You have 5 tool calls at most."));
        assert!(
            question.starts_with("Criteria group needless:\n\n- forwarding-wrapper: "),
            "{question}"
        );
        assert_eq!(half.question_text(&JudgeItem::Group(group), 5), question);
    }

    #[test]
    fn what_cannot_be_a_prompt_is_told() {
        assert_eq!(JudgePrompt::for_levels(b"\xff\xfe", "p").unwrap_err(), "is not UTF-8 text");
        assert!(JudgePrompt::for_levels(b" \n", "p").unwrap_err().starts_with("is empty"));
        assert!(
            JudgePrompt::for_levels(&vec![b'a'; MOST_BYTES + 1], "p")
                .unwrap_err()
                .starts_with("is longer")
        );
    }

    proptest! {
        #[test]
        fn whatever_the_text_filling_without_values_leaves_it_as_it_is(text in "[{}a-z\u{e9} ]{0,40}") {
            prop_assert_eq!(fill_blanks(&text, &|_| None), text);
        }
    }
}
