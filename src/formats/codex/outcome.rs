//! Observations: their text, exit code and whether they tell of a failure, in every spelling Codex has had.
//!
//! A shell's output was JSON within a string (`{"output", "metadata": {"exit_code"}}`, to 0.7x and for
//! `apply_patch` to 0.13x), then text under `Exit code: N`, then under `Process exited with code N`; code mode
//! writes `Script completed` or `Script failed`. Others are a list of content parts, or `{content, success}`.

use serde_json::value::RawValue;

use super::json::{self, Object};

/// An observation read in full.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    pub text: String,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    /// The observation says that it worked; a patch is believed only then.
    pub is_success: bool,
}

impl Outcome {
    /// From the `output` of a `…_call_output` record.
    pub fn of(output: &RawValue) -> Self {
        if let Some(object) = Object::of(output) {
            return Self::of_object(&object);
        }
        if output.get().starts_with('[') {
            return Self::of_text(texts(&json::array(output)));
        }
        let text = json::text(output).unwrap_or_default();
        match text.starts_with('{').then(|| Object::parse(&text)).flatten() {
            Some(object) if object.has("metadata") => Self::of_object(&object),
            _ => Self::of_text(text.into_owned()),
        }
    }

    fn of_object(object: &Object<'_>) -> Self {
        let parts =
            ["content", "content_items", "contentItems"].iter().map(|key| object.array(key));
        let parts = parts.into_iter().find(|parts| !parts.is_empty());
        let text = object.text_of(&["output", "content", "text", "result", "error"]);
        let text = text.map_or_else(|| texts(&parts.unwrap_or_default()), Into::into);
        let metadata = object.object("metadata");
        let exit_code = metadata.and_then(|data| data.integer("exit_code"));
        let success = object.flag("success");
        let mut outcome = Self::of_text(text);
        // Where a field says how it went, the words of the output do not.
        if exit_code.is_some() || success.is_some() {
            outcome.is_error = success == Some(false);
            outcome.is_success = success == Some(true);
        }
        outcome.exit_code = exit_code.or_else(|| object.integer("exit_code")).or(outcome.exit_code);
        outcome.is_error |= object.flag("isError").or(object.flag("is_error")) == Some(true);
        outcome.is_success |= outcome.exit_code == Some(0) && !outcome.is_error;
        outcome
    }

    fn of_text(text: String) -> Self {
        let exit_code = exit_code(&text);
        let is_error = FAILURES.iter().any(|failure| text.starts_with(failure));
        let is_success = exit_code == Some(0)
            || SUCCESSES.iter().any(|success| text.starts_with(success))
            || text.contains("Success. Updated the following files:");
        Self { text, exit_code, is_error, is_success: is_success && !is_error }
    }
}

/// How an observation without an exit code starts when the tool did not do what it was asked.
const FAILURES: [&str; 16] = [
    "Script failed",
    "aborted",
    "apply_patch verification failed",
    "apply_patch failed",
    "command timed out",
    "exec command failed",
    "exec command rejected",
    "exec_command failed",
    "execution error",
    "failed to ",
    "patch rejected",
    "rejected by user",
    "tool call error",
    "unsupported call",
    "unsupported custom tool call",
    "user cancelled",
];

const SUCCESSES: [&str; 2] = ["Script completed", "Success."];

/// The exit code in the head that Codex puts before a command's output.
fn exit_code(text: &str) -> Option<i32> {
    const HEADS: [&str; 4] = ["Exit code:", "Chunk ID:", "Wall time", "Process exited"];
    if !HEADS.iter().any(|head| text.starts_with(head)) {
        return None;
    }
    let head = text.lines().take(8).take_while(|line| *line != "Output:");
    let mut codes = head.filter_map(|line| {
        let code =
            line.strip_prefix("Exit code:").or(line.strip_prefix("Process exited with code"))?;
        code.trim().parse().ok()
    });
    codes.next()
}

/// The texts of a list of content parts, one after the other; what is no text is named.
pub fn texts(parts: &[&RawValue]) -> String {
    let mut all = String::new();
    for part in parts {
        match Object::of(part) {
            Some(part) => all.push_str(&part_text(&part)),
            None => all.push_str(&json::text(part).unwrap_or_default()),
        }
    }
    all
}

fn part_text(part: &Object<'_>) -> String {
    if let Some(text) = part.text("text") {
        return text.into_owned();
    }
    let kind = part.text("type").unwrap_or_default();
    if let Some(sealed) = part.text("encrypted_content") {
        // Sealed for the provider; what a local stand-in wrote there is readable.
        let is_readable = sealed.contains(' ');
        return if is_readable {
            sealed.into_owned()
        } else {
            format!("({} bytes, encrypted)", sealed.len())
        };
    }
    if kind.to_lowercase().contains("image") { "(image)".to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(output: &serde_json::Value) -> Outcome {
        Outcome::of(&serde_json::value::to_raw_value(output).unwrap())
    }

    #[test]
    fn every_spelling_of_an_exit_code_is_read() {
        let old = r#"{"output":"5 2\n","metadata":{"exit_code":3,"duration_seconds":0.0}}"#;
        let spellings = [
            serde_json::json!(old),
            serde_json::json!("Exit code: 3\nWall time: 0 seconds\nOutput:\n5 2\n"),
            serde_json::json!(
                "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n5 2\n"
            ),
            serde_json::json!({ "content": "Exit code: 3\nOutput:\n5 2\n", "success": false }),
            serde_json::json!([{ "type": "input_text", "text": "Exit code: 3\nOutput:\n5 2\n" }]),
        ];
        for spelling in spellings {
            assert_eq!(outcome(&spelling).exit_code, Some(3), "{spelling}");
            assert!(outcome(&spelling).text.ends_with("5 2\n"), "{spelling}");
        }
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_its_exit_code() {
        let output = serde_json::json!("Exit code: 0\nOutput:\nProcess exited with code 9\n");

        assert_eq!(outcome(&output).exit_code, Some(0));
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_its_failure() {
        let text = r#"{"output":"failed to find x\n","metadata":{"exit_code":0}}"#;

        assert!(!outcome(&serde_json::json!(text)).is_error);
    }

    #[test]
    fn a_refused_patch_is_an_error_without_an_exit_code() {
        let found = outcome(&serde_json::json!("apply_patch verification failed: no such lines"));

        assert!(found.is_error && !found.is_success);
    }
}
