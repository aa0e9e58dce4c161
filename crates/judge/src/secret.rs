//! A key, and keeping it from everything that is written or shown.
//!
//! It is read from the environment when a judge is asked, is sent in one header, and is taken out of whatever comes
//! back: servers repeat keys in their errors, whole or with stars in the middle.

use std::fmt;

use serde_json::Value;

use super::{
    component::Look,
    conversation::{Call, Reply},
    fault::Fault,
};

/// A key, or none. It cannot be printed.
#[derive(Clone, Default)]
pub struct Secret(Option<String>);

/// What stands in its place.
const HIDDEN: &str = "[key]";

/// Shorter ones, such as `none` for a server of one's own, are no secret: hiding them would garble common words.
const SHORTEST: usize = 8;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a key" } else { "no key" })
    }
}

impl Secret {
    pub fn new(key: Option<String>) -> Self {
        let key = key.map(|key| key.trim().to_owned());
        Self(key.filter(|key| !key.is_empty()))
    }

    /// The key in the variable of that name, as `variable` has it; none where no name is given. The error is a sentence.
    pub fn in_variable_of(
        name: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let Some(name) = name else { return Ok(Self(None)) };
        let key = Self::new(variable(name));
        let is_sendable = |key: &str| key.bytes().all(|byte| (b' '..0x7f).contains(&byte));
        match &key.0 {
            None => Err(format!("the variable {name}, which should hold its key, is not set")),
            Some(key) if !is_sendable(key) => {
                Err(format!("the variable {name} holds characters no key has"))
            }
            Some(_) => Ok(key),
        }
    }

    /// For the header it is sent in, and for nothing else.
    pub fn value(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text without the key: words that begin like it are hidden to their end.
    pub fn hide(&self, text: &str) -> String {
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

    /// As [`Self::hide`], for every text in a value, names included.
    pub fn hide_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide(text)),
            Value::Array(values) => values.iter().map(|value| self.hide_in(value)).collect(),
            Value::Object(map) => {
                map.iter().map(|(name, value)| (self.hide(name), self.hide_in(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// As [`Self::hide`], for everything a reply says.
    pub fn hide_in_reply(&self, reply: Reply) -> Reply {
        let call = |call: Call| Call {
            id: self.hide(&call.id),
            name: self.hide(&call.name),
            arguments: self.hide_in(&call.arguments),
        };
        Reply {
            text: self.hide(&reply.text),
            calls: reply.calls.into_iter().map(call).collect(),
            ..reply
        }
    }

    /// As [`Self::hide`], for the record of a look: the recording itself may hold the key.
    pub fn hide_in_look(&self, look: Look) -> Look {
        Look {
            tool: self.hide(&look.tool),
            arguments: self.hide_in(&look.arguments),
            excerpt: self.hide(&look.excerpt),
            ..look
        }
    }

    /// As [`Self::hide`], for the words of a fault.
    pub fn hide_in_fault(&self, fault: Fault) -> Fault {
        let hide = |said: String| self.hide(&said);
        match fault {
            Fault::Limited { after, said } => Fault::Limited { after, said: hide(said) },
            Fault::Failed { status, said } => Fault::Failed { status, said: hide(said) },
            Fault::Refused { status, said } => Fault::Refused { status, said: hide(said) },
            Fault::Unreachable(said) => Fault::Unreachable(hide(said)),
            Fault::Cut(said) => Fault::Cut(hide(said)),
            Fault::Late(said) => Fault::Late(hide(said)),
            Fault::Garbage(said) => Fault::Garbage(hide(said)),
            Fault::Program(said) => Fault::Program(hide(said)),
            Fault::Dear(said) => Fault::Dear(hide(said)),
            Fault::Stopped => Fault::Stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn secret() -> Secret {
        Secret::new(Some("sk-test-0123456789abcdef".into()))
    }

    #[test]
    fn a_key_is_hidden_whole_and_in_part() {
        for (text, hidden) in [
            ("Bearer sk-test-0123456789abcdef!", "Bearer [key]!"),
            ("wrong key: sk-test-01****cdef. Try again", "wrong key: [key] Try again"),
            ("{\"key\":\"sk-test-0123456789abcdef\"}", "{\"key\":\"[key]\"}"),
            ("sk-other", "sk-other"),
        ] {
            assert_eq!(secret().hide(text), hidden);
        }
        assert_eq!(format!("{:?}", secret()), "a key");
        assert_eq!(Secret::new(Some("none".into())).hide("none of these"), "none of these");
    }

    #[test]
    fn a_key_is_hidden_in_every_part_of_a_value() {
        let value = json!({"sk-test-0123456789abcdef": ["sk-test-0123456789abcdef", 3]});
        assert_eq!(secret().hide_in(&value), json!({"[key]": ["[key]", 3]}));
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let why = Secret::in_variable_of(Some("TRAJVIEW_NO_SUCH_KEY"), &|_| None).unwrap_err();
        assert_eq!(why, "the variable TRAJVIEW_NO_SUCH_KEY, which should hold its key, is not set");
    }

    proptest! {
        #[test]
        fn whatever_stands_around_it_the_key_does_not_get_through(before in ".{0,12}", after in ".{0,12}") {
            let hidden = secret().hide(&format!("{before}sk-test-0123456789abcdef{after}"));
            prop_assert!(!hidden.contains("0123456789abcdef"));
        }
    }
}
