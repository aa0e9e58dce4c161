//! The parts of a conversation that depend on the rubric: the call that ends it, its schema, an example, the built-in prompt.
//!
//! [`JudgingScale`] names the rubrics. To add one, add it there and here, and say in [`super::item`] what one conversation of it is about.

use serde_json::value::RawValue;

use trajview_run::{
    judging::JudgingScale,
    rubric::codebook::{CODEBOOK_PROMPT, COMPONENTS_PROMPT, DECISIONS_PROMPT},
};

use super::{answer, answer_schema::CONFIDENCE, flags};

/// Returns the name of the call by which a judge answers and ends the conversation.
pub(crate) const fn answer_call(scale: JudgingScale) -> &'static str {
    match scale {
        JudgingScale::Levels
        | JudgingScale::Decisions
        | JudgingScale::Process
        | JudgingScale::Codebook => "verdict",
        JudgingScale::Flags => "flags",
    }
}

/// Returns the description of that call that a judge reads.
pub(crate) const fn call_description(scale: JudgingScale) -> &'static str {
    match scale {
        JudgingScale::Levels
        | JudgingScale::Decisions
        | JudgingScale::Process
        | JudgingScale::Codebook => "Gives your verdict and ends the examination.",
        JudgingScale::Flags => "Gives your flags and ends the examination.",
    }
}

/// Returns the JSON schema of the arguments of that call. For a codebook use [`super::codebook_scores::scores_schema`].
pub(crate) fn answer_schema(scale: JudgingScale, asks_confidence: bool) -> Box<RawValue> {
    scale
        .rubric_levels()
        .map_or_else(flags::flags_schema, |levels| answer::verdict_schema(levels, asks_confidence))
}

/// Returns an example of an answer with a confidence at its end.
pub(crate) fn example_with_confidence(example: &str) -> String {
    match example.strip_suffix('}') {
        Some(fields) => format!("{fields}, \"{CONFIDENCE}\": 0.7}}"),
        None => example.to_owned(),
    }
}

/// Returns the sentence after a request for an answer, where the judge is to state a confidence.
pub(crate) fn confidence_request(asks_confidence: bool) -> String {
    match asks_confidence {
        true => format!(" After it comes \"{CONFIDENCE}\", a number from 0 to 1."),
        false => String::new(),
    }
}

/// Returns the example answer for a judge without calls; a codebook has its own ([`trajview_run::rubric::Codebook::example_answer`]).
pub const fn example_answer(scale: JudgingScale) -> &'static str {
    match scale {
        JudgingScale::Levels | JudgingScale::Process | JudgingScale::Codebook => {
            r#"{"evidence": [{"path": "src/model.py", "start": 10, "end": 42, "quote": "weights = softmax(scores)"}], "rationale": "two to five sentences", "level": 2}"#
        }
        JudgingScale::Decisions => {
            r#"{"evidence": [{"path": "src/model.py", "start": 10, "end": 42, "quote": "weights = softmax(scores)"}], "rationale": "two to five sentences", "verdict": "kept"}"#
        }
        JudgingScale::Flags => {
            r#"{"flags": [{"criterion": "its id", "path": "src/model.py", "start": 10, "end": 42, "explanation": "one to three sentences", "confidence": 4}]}"#
        }
    }
}

/// Returns the request after an answer that cannot be read. For a codebook use [`super::codebook_scores::retry_request`].
pub(crate) fn retry_request(scale: JudgingScale, why: &str) -> String {
    let Some(levels) = scale.rubric_levels() else {
        return format!(
            "Those were no flags: {why}. Give them now, as one JSON object with \"flags\", a list; each with \
             \"criterion\", \"path\", \"start\", \"end\", \"explanation\" and \"confidence\"."
        );
    };
    let (key, level) = match levels.in_words {
        true => ("verdict", format!("one of {}", answer::level_words(levels).join(", "))),
        false => ("level", format!("a level from 0 to {}", levels.highest_score())),
    };
    format!(
        "That was no verdict: {why}. Give it now: the lines it rests on, each with a quote, a rationale, then {level}, \
         as one JSON object with \"evidence\", \"rationale\" and \"{key}\", in this order."
    )
}

/// Returns the text of the built-in prompt.
pub const fn built_in_prompt(scale: JudgingScale) -> &'static str {
    match scale {
        JudgingScale::Levels => COMPONENTS_PROMPT,
        JudgingScale::Flags => trajview_assets::FLAGS_PROMPT,
        JudgingScale::Decisions => DECISIONS_PROMPT,
        JudgingScale::Process => trajview_assets::PROCESS_PROMPT,
        JudgingScale::Codebook => CODEBOOK_PROMPT,
    }
}
