//! The parts of a conversation that depend on the rubric: the call that ends it, its schema, an example, the built-in prompt.
//!
//! [`JudgingScale`] names the rubrics. To add one, add it there and here, and say in [`super::item`] what one conversation of it is about.

use serde_json::Value;

use trajview_run::{
    judging::JudgingScale,
    rubric::codebook::{CODEBOOK_PROMPT, COMPONENTS_PROMPT, DECISIONS_PROMPT},
};

use super::{answer, flags};

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
pub(crate) fn answer_schema(scale: JudgingScale) -> Value {
    scale.rubric_levels().map_or_else(flags::flags_schema, answer::verdict_schema)
}

/// Returns the example answer for a judge without calls; a codebook has its own ([`trajview_run::rubric::Codebook::example_answer`]).
pub const fn example_answer(scale: JudgingScale) -> &'static str {
    match scale {
        JudgingScale::Levels | JudgingScale::Process | JudgingScale::Codebook => {
            r#"{"level": 2, "rationale": "two to five sentences", "evidence": [{"path": "src/model.py", "start": 10, "end": 42}]}"#
        }
        JudgingScale::Decisions => {
            r#"{"verdict": "kept", "rationale": "two to five sentences", "evidence": [{"path": "src/model.py", "start": 10, "end": 42}]}"#
        }
        JudgingScale::Flags => {
            r#"{"flags": [{"criterion": "its id", "path": "src/model.py", "start": 10, "end": 42, "confidence": 4, "explanation": "one to three sentences"}]}"#
        }
    }
}

/// Returns the request after an answer that cannot be read. For a codebook use [`super::codebook_scores::retry_request`].
pub(crate) fn retry_request(scale: JudgingScale, why: &str) -> String {
    let Some(levels) = scale.rubric_levels() else {
        return format!(
            "Those were no flags: {why}. Give them now, as one JSON object with \"flags\", a list; each with \
             \"criterion\", \"path\", \"start\", \"end\", \"confidence\" and \"explanation\"."
        );
    };
    let (key, level) = match levels.in_words {
        true => ("verdict", format!("one of {}", answer::level_words(levels).join(", "))),
        false => ("level", format!("a level from 0 to {}", levels.highest_score())),
    };
    format!(
        "That was no verdict: {why}. Give it now: {level}, a rationale and the lines it rests on, \
         as one JSON object with \"{key}\", \"rationale\" and \"evidence\"."
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
