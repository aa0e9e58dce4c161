//! A key, and keeping it from everything that is written or shown.
//!
//! The key is read from the environment just before a judging, is sent in one header, and is removed from every reply:
//! servers repeat keys in their errors, whole or with stars in the middle.

use std::fmt;

use serde_json::Value;

use super::{
    component::ToolCallRecord,
    conversation::{CallArguments, JudgeReply, ReplyCall},
    fault::JudgeFault,
};

/// A key, or none. It cannot be printed.
#[derive(Clone, Default)]
pub struct JudgeKey(Option<String>);

/// The replacement of the key.
const HIDDEN: &str = "[key]";

/// Shortest key that is a secret: hiding a shorter one, such as `none` for a server of one's own, would garble common words.
const SHORTEST: usize = 8;

impl fmt::Debug for JudgeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a key" } else { "no key" })
    }
}

impl JudgeKey {
    pub fn new(key: Option<String>) -> Self {
        let key = key.map(|key| key.trim().to_owned());
        Self(key.filter(|key| !key.is_empty()))
    }

    /// Returns the key in the variable of that name, as `variable` has it; none where no name is given. The error is a sentence.
    pub fn in_variable_of(
        name: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let Some(name) = name else { return Ok(Self(None)) };
        let key = Self::new(variable(name));
        let is_sendable = |key: &str| key.bytes().all(|byte| (b' '..0x7f).contains(&byte));
        match &key.0 {
            None => Err(format!("the variable {name} with its key is not set")),
            Some(key) if !is_sendable(key) => {
                Err(format!("the variable {name} has characters that no key has"))
            }
            Some(_) => Ok(key),
        }
    }

    /// Returns the key for the header it is sent in, and for nothing else.
    pub fn value(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the text with `[key]` for the key, and for whatever has its first 8 characters, to the end of that word. A key of
    /// fewer than 8 characters is not hidden.
    pub fn hide_key(&self, text: &str) -> String {
        let Some(key) = self.0.as_deref().filter(|key| key.len() >= SHORTEST) else {
            return text.to_owned();
        };
        let text = text.replace(key, HIDDEN);
        let start = &key[..SHORTEST];
        let mut whole = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(start) {
            whole.push_str(&rest[..at]);
            whole.push_str(HIDDEN);
            let is_end = |c: char| c.is_whitespace() || "\"'`<>,;()[]{}".contains(c);
            let after = &rest[at + start.len()..];
            rest = after.find(is_end).map_or("", |end| &after[end..]);
        }
        whole + rest
    }

    /// Hides the key in every text in a value, names included, as [`Self::hide_key`].
    pub(crate) fn hide_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide_key(text)),
            Value::Array(values) => values.iter().map(|value| self.hide_in(value)).collect(),
            Value::Object(map) => {
                map.iter().map(|(name, value)| (self.hide_key(name), self.hide_in(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// Hides the key in everything in a reply, as [`Self::hide_key`].
    pub(crate) fn hide_in_reply(&self, reply: JudgeReply) -> JudgeReply {
        let call = |call: ReplyCall| ReplyCall {
            id: self.hide_key(&call.id),
            name: self.hide_key(&call.name),
            arguments: self.hide_in_arguments(call.arguments),
        };
        JudgeReply {
            text: self.hide_key(&reply.text),
            calls: reply.calls.into_iter().map(call).collect(),
            ..reply
        }
    }

    /// Hides the key in arguments. Those without the key keep their text.
    fn hide_in_arguments(&self, arguments: CallArguments) -> CallArguments {
        let hidden = CallArguments::from(self.hide_in(arguments.value()));
        if hidden == arguments { arguments } else { hidden }
    }

    /// Hides the key in the record of a tool call, as [`Self::hide_key`]: the recording itself may contain the key.
    pub(crate) fn hide_in_tool_call(&self, call: ToolCallRecord) -> ToolCallRecord {
        ToolCallRecord {
            tool: self.hide_key(&call.tool),
            arguments: self.hide_in(&call.arguments),
            excerpt: self.hide_key(&call.excerpt),
            ..call
        }
    }

    /// Hides the key in the message of a fault, as [`Self::hide_key`].
    pub(crate) fn hide_in_fault(&self, fault: JudgeFault) -> JudgeFault {
        let hide = |text: String| self.hide_key(&text);
        match fault {
            JudgeFault::RateLimited { after, message } => {
                JudgeFault::RateLimited { after, message: hide(message) }
            }
            JudgeFault::Failed { status, message } => {
                JudgeFault::Failed { status, message: hide(message) }
            }
            JudgeFault::Refused { status, message } => {
                JudgeFault::Refused { status, message: hide(message) }
            }
            JudgeFault::Unreachable(message) => JudgeFault::Unreachable(hide(message)),
            JudgeFault::BrokenOff(message) => JudgeFault::BrokenOff(hide(message)),
            JudgeFault::TimedOut(message) => JudgeFault::TimedOut(hide(message)),
            JudgeFault::Malformed(message) => JudgeFault::Malformed(hide(message)),
            JudgeFault::Program(message) => JudgeFault::Program(hide(message)),
            JudgeFault::TooExpensive(message) => JudgeFault::TooExpensive(hide(message)),
            JudgeFault::Stopped => JudgeFault::Stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn sample_secret() -> JudgeKey {
        JudgeKey::new(Some("sk-test-0123456789abcdef".into()))
    }

    #[test]
    fn a_key_is_hidden_whole_and_in_part() {
        for (text, hidden) in [
            ("Bearer sk-test-0123456789abcdef!", "Bearer [key]!"),
            ("wrong key: sk-test-01****cdef. Try again", "wrong key: [key] Try again"),
            ("{\"key\":\"sk-test-0123456789abcdef\"}", "{\"key\":\"[key]\"}"),
            ("sk-other", "sk-other"),
        ] {
            assert_eq!(sample_secret().hide_key(text), hidden);
        }
        assert_eq!(format!("{:?}", sample_secret()), "a key");
        assert_eq!(JudgeKey::new(Some("none".into())).hide_key("none of these"), "none of these");
    }

    #[test]
    fn a_key_is_hidden_in_every_part_of_a_value() {
        let value = json!({"sk-test-0123456789abcdef": ["sk-test-0123456789abcdef", 3]});
        assert_eq!(sample_secret().hide_in(&value), json!({"[key]": ["[key]", 3]}));
    }

    #[test]
    fn arguments_keep_their_text_unless_they_have_the_key_escaped_or_not() {
        let hidden = |text: &str| {
            let call = ReplyCall { arguments: CallArguments::parse(text), ..ReplyCall::default() };
            let reply = JudgeReply { calls: vec![call], ..JudgeReply::default() };
            sample_secret().hide_in_reply(reply).calls[0].arguments.json_text().to_owned()
        };

        assert_eq!(hidden(r#"{"z": 1, "a": 2}"#), r#"{"z": 1, "a": 2}"#);
        let escaped = r#"{"z": "\u0073k-test-0123456789abcdef"}"#;
        assert_eq!(hidden(escaped), r#"{"z":"[key]"}"#);
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let why = JudgeKey::in_variable_of(Some("TRAJVIEW_NO_SUCH_KEY"), &|_| None).unwrap_err();
        assert_eq!(why, "the variable TRAJVIEW_NO_SUCH_KEY with its key is not set");
    }

    proptest! {
        #[test]
        fn whatever_stands_around_it_the_key_does_not_get_through(before in ".{0,12}", after in ".{0,12}") {
            let hidden = sample_secret().hide_key(&format!("{before}sk-test-0123456789abcdef{after}"));
            prop_assert!(!hidden.contains("0123456789abcdef"));
        }
    }
}
