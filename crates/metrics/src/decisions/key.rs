//! What a text is about to touch: the key by which decisions are retrieved for it (Continuity's retriever; its vectors:
//! `tests/commands/decisions.rs`).

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

/// The paths that a text names, in order.
pub fn paths(text: &str) -> Vec<&str> {
    PATTERNS[1].captures_iter(text).filter_map(|it| Some(it.get(1)?.as_str())).collect()
}

/// The key of a text: all that the patterns find, each once whatever its case, joined by blanks; the whole text where they
/// find nothing.
pub fn of(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut found: Vec<&str> = vec![];
    for pattern in PATTERNS.iter() {
        for part in pattern.captures_iter(text).filter_map(|it| Some(it.get(1)?.as_str())) {
            if seen.insert(part.to_lowercase()) {
                found.push(part);
            }
        }
    }
    if found.is_empty() { text.to_owned() } else { found.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_quotes_paths_and_names_in_this_order() {
        assert_eq!(
            of("Change Kafka in src/a.ts to \"use Avro\""),
            "use Avro src/a.ts Change Kafka Avro"
        );
        assert_eq!(of("nothing here"), "nothing here");
        assert_eq!(of("Kafka KAFKA kafka"), "Kafka");
    }
}
