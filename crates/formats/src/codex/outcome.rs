//! Observations: their text, exit code and whether they tell of a failure, in every spelling Codex has had.
//!
//! A shell's output was JSON within a string (`{"output", "metadata": {"exit_code"}}`, to 0.7x and for
//! `apply_patch` to 0.13x), then text under `Exit code: N`, then under `Process exited with code N`; code mode
//! writes `Script completed` or `Script failed`. Others are a list of content parts, or `{content, success}`.

use crate::json_object::{self as json, JsonObject};
use crate::tape::{JsonTape, TapeValue};
use trajview_run::pictures;

/// An observation read in full.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodexOutcome {
    pub text: String,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    /// Is true where the observation reports success; a patch counts only then.
    pub is_success: bool,
}

impl CodexOutcome {
    /// Reads the `output` of a `…_call_output` record.
    pub fn from_output(output: TapeValue<'_>) -> Self {
        if let Some(object) = JsonObject::from_value(output) {
            return Self::from_object(&object);
        }
        if output.is_list() {
            return Self::from_text(parts_text(&json::list_elements(output)));
        }
        let text = json::string_text(output).unwrap_or_default();
        let tape = if text.starts_with('{') { JsonTape::parse(&text) } else { None };
        if let Some(object) =
            JsonObject::from_tape(&tape).filter(|object| object.has_field("metadata"))
        {
            return Self::from_object(&object);
        }
        drop(tape);
        Self::from_text(text.into_owned())
    }

    fn from_object(object: &JsonObject<'_>) -> Self {
        let parts =
            ["content", "content_items", "contentItems"].iter().map(|key| object.elements_of(key));
        let parts = parts.into_iter().find(|parts| !parts.is_empty());
        let text = object.first_text(&["output", "content", "text", "result", "error"]);
        let text = text.map_or_else(|| parts_text(&parts.unwrap_or_default()), Into::into);
        let metadata = object.object("metadata");
        let exit_code = metadata.and_then(|data| data.integer("exit_code"));
        let success = object.flag("success");
        let mut outcome = Self::from_text(text);
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

    fn from_text(text: String) -> Self {
        let (exit_code, is_error) = (exit_code(&text), is_failure(&text));
        let is_success = exit_code == Some(0) || is_success(&text, &text);
        Self { text, exit_code, is_error, is_success: is_success && !is_error }
    }
}

/// An observation measured, and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeasuredOutcome {
    /// Size of its text in bytes of UTF-8.
    pub bytes: u64,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub is_success: bool,
    /// The text, where it may be an object.
    pub object_text: Option<String>,
}

/// The number of bytes in which an exit code and the words around it are found.
const HEAD_BYTES: usize = 1024;

impl MeasuredOutcome {
    /// Reads an output as [`CodexOutcome::from_output`] does; decodes only the start of a long text.
    pub fn from_output(output: TapeValue<'_>) -> Self {
        let start = output.string_contents().map_or("", |inside| inside.text);
        let may_be_object = start.trim_start().starts_with(['{', '\\']);
        let head = json::text_head(output, HEAD_BYTES)
            .filter(|_| !may_be_object && start.len() > HEAD_BYTES);
        let (Some(head), Some(bytes)) = (head, json::text_byte_count(output)) else {
            return CodexOutcome::from_output(output).into();
        };
        let ends_within = head.lines().count() > 9 || head.lines().any(|line| line == "Output:");
        if has_head(&head) && !ends_within {
            return CodexOutcome::from_output(output).into();
        }
        let (exit_code, is_error) = (exit_code(&head), is_failure(&head));
        let is_success = exit_code == Some(0) || is_success(&head, start);
        Self { bytes, exit_code, is_error, is_success: is_success && !is_error, object_text: None }
    }
}

impl From<CodexOutcome> for MeasuredOutcome {
    fn from(outcome: CodexOutcome) -> Self {
        let CodexOutcome { text, exit_code, is_error, is_success } = outcome;
        let bytes = text.len() as u64;
        let object_text = text.trim_start().starts_with('{').then_some(text);
        Self { bytes, exit_code, is_error, is_success, object_text }
    }
}

fn is_failure(text: &str) -> bool {
    FAILURE_STARTS.iter().any(|failure| text.starts_with(failure))
}

/// Returns whether a text reports success. `whole` may still have its escapes.
fn is_success(text: &str, whole: &str) -> bool {
    const UPDATED: &[u8] = b"Success. Updated the following files:";
    SUCCESS_STARTS.iter().any(|success| text.starts_with(success))
        || memchr::memmem::find(whole.as_bytes(), UPDATED).is_some()
}

/// Returns whether a text begins with the lines that Codex puts before a command's output.
fn has_head(text: &str) -> bool {
    const HEADS: [&str; 4] = ["Exit code:", "Chunk ID:", "Wall time", "Process exited"];
    HEADS.iter().any(|head| text.starts_with(head))
}

/// Beginnings of an observation without an exit code where the tool failed.
const FAILURE_STARTS: [&str; 16] = [
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

const SUCCESS_STARTS: [&str; 2] = ["Script completed", "Success."];

/// Returns the exit code in the head that Codex puts before a command's output.
fn exit_code(text: &str) -> Option<i32> {
    if !has_head(text) {
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

/// Returns the texts of a list of content parts, one after the other; what is no text is named.
pub fn parts_text(parts: &[TapeValue<'_>]) -> String {
    let mut all = String::new();
    for part in parts {
        match JsonObject::from_value(*part) {
            Some(part) => all.push_str(&part_text(&part)),
            None => all.push_str(&json::string_text(*part).unwrap_or_default()),
        }
    }
    all
}

fn part_text(part: &JsonObject<'_>) -> String {
    if let Some(text) = part.text("text") {
        return text.into_owned();
    }
    let kind = part.text("type").unwrap_or_default();
    if let Some(sealed) = part.text("encrypted_content") {
        // Sealed for the provider; text that a local stand-in wrote is readable.
        let is_readable = sealed.contains(' ');
        return if is_readable {
            sealed.into_owned()
        } else {
            format!("({} bytes, encrypted)", sealed.len())
        };
    }
    let url = part.text("image_url").unwrap_or_default();
    if let Some((media_type, data)) = pictures::data_url_image(&url) {
        return format!("[image: {}]\n", pictures::describe_image(media_type, data));
    }
    if kind.to_lowercase().contains("image") { "(image)".to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_outcome(output: &serde_json::Value) -> CodexOutcome {
        let text = output.to_string();
        let tape = JsonTape::parse(&text).unwrap();
        let whole = CodexOutcome::from_output(tape.root());
        let seen = MeasuredOutcome::from_output(tape.root());
        assert_eq!(seen.bytes, whole.text.len() as u64);
        assert_eq!(
            (seen.exit_code, seen.is_error, seen.is_success),
            (whole.exit_code, whole.is_error, whole.is_success)
        );
        whole
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
            assert_eq!(read_outcome(&spelling).exit_code, Some(3), "{spelling}");
            assert!(read_outcome(&spelling).text.ends_with("5 2\n"), "{spelling}");
        }
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_its_exit_code() {
        let output = serde_json::json!("Exit code: 0\nOutput:\nProcess exited with code 9\n");

        assert_eq!(read_outcome(&output).exit_code, Some(0));
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_its_failure() {
        let text = r#"{"output":"failed to find x\n","metadata":{"exit_code":0}}"#;

        assert!(!read_outcome(&serde_json::json!(text)).is_error);
    }

    #[test]
    fn a_refused_patch_is_an_error_without_an_exit_code() {
        let found =
            read_outcome(&serde_json::json!("apply_patch verification failed: no such lines"));

        assert!(found.is_error && !found.is_success);
    }
}
