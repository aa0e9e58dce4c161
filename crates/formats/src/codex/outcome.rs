//! Observations: their text, exit code and whether they tell of a failure, in every spelling Codex has had.
//!
//! A shell's output was JSON within a string (`{"output", "metadata": {"exit_code"}}`, to 0.7x and for
//! `apply_patch` to 0.13x), then text under `Exit code: N`, then under `Process exited with code N`; code mode
//! writes `Script completed` or `Script failed`. Others are a list of content parts, or `{content, success}`.

use crate::object::{self as json, Object};
use crate::tape::{Tape, Value};
use trajview_run::pictures;

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
    pub fn of(output: Value<'_>) -> Self {
        if let Some(object) = Object::of(output) {
            return Self::of_object(&object);
        }
        if output.is_list() {
            return Self::of_text(texts(&json::array(output)));
        }
        let text = json::text(output).unwrap_or_default();
        let tape = if text.starts_with('{') { Tape::read(&text) } else { None };
        if let Some(object) = Object::on(&tape).filter(|object| object.has("metadata")) {
            return Self::of_object(&object);
        }
        drop(tape);
        Self::of_text(text.into_owned())
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
        let (exit_code, is_error) = (exit_code(&text), is_failure(&text));
        let is_success = exit_code == Some(0) || is_success(&text, &text);
        Self { text, exit_code, is_error, is_success: is_success && !is_error }
    }
}

/// An observation measured, and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// Size of its text in bytes of UTF-8.
    pub bytes: u64,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub is_success: bool,
    /// The text, where it may be an object.
    pub answer: Option<String>,
}

/// As much as an exit code and the words around it take.
const HEAD: usize = 1024;

impl Seen {
    /// As [`Outcome::of`]; of a long text only the start is decoded.
    pub fn of(output: Value<'_>) -> Self {
        let start = output.inside().map_or("", |inside| inside.text);
        let may_be_object = start.trim_start().starts_with(['{', '\\']);
        let head = json::head_of(output, HEAD).filter(|_| !may_be_object && start.len() > HEAD);
        let (Some(head), Some(bytes)) = (head, json::size(output)) else {
            return Outcome::of(output).into();
        };
        let ends_within = head.lines().count() > 9 || head.lines().any(|line| line == "Output:");
        if has_head(&head) && !ends_within {
            return Outcome::of(output).into();
        }
        let (exit_code, is_error) = (exit_code(&head), is_failure(&head));
        let is_success = exit_code == Some(0) || is_success(&head, start);
        Self { bytes, exit_code, is_error, is_success: is_success && !is_error, answer: None }
    }
}

impl From<Outcome> for Seen {
    fn from(outcome: Outcome) -> Self {
        let Outcome { text, exit_code, is_error, is_success } = outcome;
        let bytes = text.len() as u64;
        let answer = text.trim_start().starts_with('{').then_some(text);
        Self { bytes, exit_code, is_error, is_success, answer }
    }
}

fn is_failure(text: &str) -> bool {
    FAILURES.iter().any(|failure| text.starts_with(failure))
}

/// `whole` may still have its escapes.
fn is_success(text: &str, whole: &str) -> bool {
    const UPDATED: &[u8] = b"Success. Updated the following files:";
    SUCCESSES.iter().any(|success| text.starts_with(success))
        || memchr::memmem::find(whole.as_bytes(), UPDATED).is_some()
}

/// Whether a text begins with what Codex puts before a command's output.
fn has_head(text: &str) -> bool {
    const HEADS: [&str; 4] = ["Exit code:", "Chunk ID:", "Wall time", "Process exited"];
    HEADS.iter().any(|head| text.starts_with(head))
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

/// The texts of a list of content parts, one after the other; what is no text is named.
pub fn texts(parts: &[Value<'_>]) -> String {
    let mut all = String::new();
    for part in parts {
        match Object::of(*part) {
            Some(part) => all.push_str(&part_text(&part)),
            None => all.push_str(&json::text(*part).unwrap_or_default()),
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
    let url = part.text("image_url").unwrap_or_default();
    if let Some((media_type, data)) = pictures::of_url(&url) {
        return format!("[image: {}]\n", pictures::said(media_type, data));
    }
    if kind.to_lowercase().contains("image") { "(image)".to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(output: &serde_json::Value) -> Outcome {
        let text = output.to_string();
        let tape = Tape::read(&text).unwrap();
        let whole = Outcome::of(tape.root());
        let seen = Seen::of(tape.root());
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
