//! Builds the key by which decisions are retrieved for a text: the names and paths that the text mentions
//! (Continuity's retriever; its vectors: `tests/commands/decisions.rs`).

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

/// Quoted strings; paths with a suffix that is known; capitalised words of three letters or more. In this order.
static PATTERNS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r#"["'`]([^"'`\n]+)["'`]"#,
        r"([a-zA-Z][a-zA-Z0-9_./-]*\.(?:tsx|ts|jsx|json|js|py|sql|yaml|yml|md|sh|rb|go|rs|java))\b",
        r"\b([A-Z][A-Za-z0-9-]{2,})\b",
    ]
    .map(|pattern| Regex::new(pattern).expect("the pattern is written here and tested"))
});

/// Returns the paths that a text names, in order.
pub fn paths_in_text(text: &str) -> Vec<&str> {
    PATTERNS[1].captures_iter(text).filter_map(|it| Some(it.get(1)?.as_str())).collect()
}

/// Returns the key of a text: all matches of the patterns, each once (ignoring case), joined by blanks; the whole text
/// where there is no match.
pub fn key_of_text(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut parts: Vec<&str> = vec![];
    for pattern in PATTERNS.iter() {
        for part in pattern.captures_iter(text).filter_map(|it| Some(it.get(1)?.as_str())) {
            if seen.insert(part.to_lowercase()) {
                parts.push(part);
            }
        }
    }
    if parts.is_empty() { text.to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_quotes_paths_and_names_in_this_order() {
        assert_eq!(
            key_of_text("Change Kafka in src/a.ts to \"use Avro\""),
            "use Avro src/a.ts Change Kafka Avro"
        );
        assert_eq!(key_of_text("nothing here"), "nothing here");
        assert_eq!(key_of_text("Kafka KAFKA kafka"), "Kafka");
    }
}
