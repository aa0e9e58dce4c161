//! Which layer, and which of its parts: `projectguard`, `projectguard:structural`, `command:./mine --fast`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A layer as the user requests it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LayerSpec {
    pub name: String,
    /// The parts that work, without all of the others; empty where all of them do. Of `command` the command line.
    pub parts: Vec<String>,
}

/// The layer that is a program of the person's.
pub const COMMAND: &str = "command";

impl LayerSpec {
    /// Returns the name of its folder in a bundle: letters, digits, dots and hyphens alone, up to 80.
    pub fn folder_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let name: String = self.to_string().chars().map(plain).collect();
        name.trim_matches(['-', '.']).chars().take(80).collect()
    }

    pub(crate) fn names_part(&self, part: &str) -> bool {
        self.parts.iter().any(|it| it == part)
    }

    /// Returns whether a part works: it is named, or none is.
    pub(crate) fn enables_part(&self, part: &str) -> bool {
        self.parts.is_empty() || self.names_part(part)
    }
}

impl FromStr for LayerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = match text.trim().split_once(':') {
            Some((name, rest)) => (name, Some(rest.trim())),
            None => (text.trim(), None),
        };
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        let parts: Vec<String> = match rest {
            Some("") => return Err(format!("expected a part after {name}:")),
            Some(line) if name == COMMAND => vec![line.to_owned()],
            Some(parts) => parts.split(',').map(|part| part.trim().to_owned()).collect(),
            None => vec![],
        };
        let is_known = name == COMMAND || parts.iter().all(|part| is_word(part));
        if !is_word(name) || !is_known || (name == COMMAND && parts.is_empty()) {
            let what = "expected a layer as NAME, NAME:PART,... or command:PROGRAM";
            return Err(format!("{what}, found {text}"));
        }
        Ok(Self { name: name.to_owned(), parts })
    }
}

impl TryFrom<String> for LayerSpec {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<LayerSpec> for String {
    fn from(spec: LayerSpec) -> Self {
        spec.to_string()
    }
}

impl fmt::Display for LayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.parts.is_empty() {
            write!(f, ":{}", self.parts.join(","))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_named_with_its_parts() {
        let spec = |text: &str| text.parse::<LayerSpec>();

        let whole = spec("projectguard").unwrap();
        let part = spec("projectguard:structural, restart").unwrap();
        let own = spec("command:./mine --fast, really").unwrap();

        assert!(whole.enables_part("structural") && !whole.names_part("structural"));
        assert!(part.enables_part("restart") && !part.enables_part("semantic"));
        assert_eq!(part.to_string(), "projectguard:structural,restart");
        assert_eq!(part.folder_name(), "projectguard-structural-restart");
        assert_eq!(own.parts, ["./mine --fast, really"]);
        assert_eq!(own.folder_name(), "command-.-mine---fast--really");
        for bad in ["", "a b", "a:", "command", "a:b/c", ":x"] {
            assert!(spec(bad).is_err(), "{bad}");
        }
    }
}
