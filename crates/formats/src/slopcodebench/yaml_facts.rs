//! The few facts we want of SlopCodeBench's YAML files, by their path: `agent.type`, `summary.checkpoints.checkpoint_1`.
//!
//! Not a YAML reader: nested mappings of scalars as PyYAML writes them. Lists, anchors and flow collections are
//! skipped; a scalar over several lines is joined by blanks. What is not understood is absent, never an error.

use std::collections::BTreeMap;

/// Scalars by their path.
#[derive(Debug, Default)]
pub struct YamlFacts(BTreeMap<String, String>);

/// Deeper than any of these files.
const MAX_DEPTH: usize = 12;

impl YamlFacts {
    pub fn from_yaml(text: &str) -> Self {
        let mut reader = YamlReader::default();
        text.lines().for_each(|line| reader.read_line(line));
        reader.end_scalar();
        Self(reader.facts)
    }

    /// Returns a fact; None where it is absent, empty or null.
    pub fn get(&self, path: &str) -> Option<&str> {
        let found = self.0.get(path).map(String::as_str);
        found.filter(|value| !value.is_empty() && !matches!(*value, "null" | "~"))
    }

    /// Returns the keys right below a path.
    pub fn keys_below(&self, path: &str) -> Vec<&str> {
        let mut keys: Vec<&str> = vec![];
        for rest in self.0.keys().filter_map(|key| key.strip_prefix(path)?.strip_prefix('.')) {
            let key = rest.split('.').next().unwrap_or(rest);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }
}

#[derive(Default)]
struct YamlReader {
    facts: BTreeMap<String, String>,
    /// Open mappings: their indent and their key.
    open: Vec<(usize, String)>,
    /// A scalar that may go on: the indent of its key, its path, its text.
    scalar: Option<(usize, String, String)>,
}

impl YamlReader {
    fn read_line(&mut self, line: &str) {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some((key_indent, _, value)) = &mut self.scalar
            && (text.is_empty() || indent > *key_indent)
        {
            if !value.is_empty() && !text.is_empty() {
                value.push(' ');
            }
            value.push_str(text.trim_end());
            return;
        }
        if text.is_empty() || text.starts_with(['#', '-']) {
            return;
        }
        self.end_scalar();
        let Some((key, value)) = text.split_once(':') else { return };
        if !value.is_empty() && !value.starts_with(' ') {
            return;
        }
        self.open.retain(|(outer, _)| *outer < indent);
        let key = key.trim().trim_matches(['\'', '"']).to_owned();
        let value = value.trim();
        let path = self.open.iter().map(|(_, key)| key.as_str()).chain([key.as_str()]);
        let path = path.collect::<Vec<_>>().join(".");
        match value {
            "" if self.open.len() < MAX_DEPTH => self.open.push((indent, key)),
            "" => {}
            "|" | "|-" | ">" | ">-" => self.scalar = Some((indent, path, String::new())),
            value => self.scalar = Some((indent, path, value.to_owned())),
        }
    }

    fn end_scalar(&mut self) {
        if let Some((_, path, value)) = self.scalar.take() {
            self.facts.entry(path).or_insert_with(|| unquote_scalar(&value));
        }
    }
}

fn unquote_scalar(value: &str) -> String {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(text) = inner('\'') {
        return text.replace("''", "'").trim().to_owned();
    }
    match inner('"') {
        // PyYAML's double quotes are JSON's but for the line ends it folds.
        Some(_) => serde_json::from_str(&value.replace("\\ ", " ").replace("\" \\", ""))
            .unwrap_or_else(|_| value.trim_matches('"').to_owned()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_by_their_path() {
        let facts = YamlFacts::from_yaml(
            "agent:\n  cost_limits:\n    step_limit: 100\n  type: claude_code\n  version: 2.0.51\nproblems:\n- one\n- a: b\n\
             template: 'first\n\n  second: it''s\n\n  '\nnothing: null\nmodel:\n  name: \"glm\"\n",
        );

        assert_eq!(facts.get("agent.type"), Some("claude_code"));
        assert_eq!(facts.get("agent.cost_limits.step_limit"), Some("100"));
        assert_eq!(facts.get("template"), Some("first second: it's"));
        assert_eq!(facts.get("nothing"), None);
        assert_eq!(facts.get("model.name"), Some("glm"));
        assert_eq!(facts.keys_below("agent"), ["cost_limits", "type", "version"]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_it_is_read(text in "([ ]{0,4}[-a:'\"|#]{0,5}\n){0,12}") {
            let _ = YamlFacts::from_yaml(&text);
        }
    }
}
