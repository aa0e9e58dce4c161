//! What a file defines, in lines: classes and functions with their signatures, from the file's own first lines of each.

use trajview_metrics::lifeline::{CodeDefinition, DefinitionKind, FileFacts};

/// The skeleton of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skeleton {
    /// The first documentation of the file; empty where there is none.
    pub about: String,
    pub symbols: Vec<SkeletonSymbol>,
}

/// A class, function or value at the top of a file, or a member of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkeletonSymbol {
    /// Dotted: `Denoiser.self_condition`.
    pub name: String,
    pub kind: DefinitionKind,
    /// The signature from the name on, on one line: `snr_weight(schedule, t)`.
    pub signature: String,
    /// The first line of its documentation; empty where there is none.
    pub about: String,
    /// First and last line; count from 1.
    pub lines: (u32, u32),
    /// Other symbols of the file that it uses, by index.
    pub uses: Vec<usize>,
}

/// Characters of a signature, and of a line of documentation.
const MAX_CHARS: usize = 140;

/// Symbols of one file.
const MAX_SYMBOLS: usize = 200;

/// Lines over which a signature may go.
const MAX_SIGNATURE_LINES: usize = 12;

impl SkeletonSymbol {
    /// Returns the last part of its name.
    pub fn simple_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    pub fn is_top(&self) -> bool {
        !self.name.contains('.')
    }

    pub const fn kind_word(&self) -> &'static str {
        match self.kind {
            DefinitionKind::Class => "class",
            DefinitionKind::Function => "function",
            DefinitionKind::Value => "value",
        }
    }
}

impl Skeleton {
    pub fn for_file(facts: &FileFacts, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let is_inside = |it: &CodeDefinition| {
            // A function in a function is nobody else's.
            let above = it.name.rsplit_once('.').map(|(above, _)| above);
            let owner = above.and_then(|above| facts.find_definition(above));
            owner.is_some_and(|owner| owner.kind != DefinitionKind::Class)
        };
        let shown = facts.definitions.iter().filter(|it| !is_inside(it));
        let mut symbols: Vec<SkeletonSymbol> =
            shown.take(MAX_SYMBOLS).map(|it| make_symbol(it, &lines)).collect();
        let names: Vec<String> = symbols.iter().map(|it| it.name.clone()).collect();
        for symbol in &mut symbols {
            let is_used = |at: &usize| facts.uses_in_same_file(&symbol.name, &names[*at]);
            symbol.uses = (0..names.len()).filter(is_used).collect();
        }
        Self { about: first_doc_line(&lines, 0), symbols }
    }

    /// Returns the definitions at the top that others can use.
    pub(crate) fn top_symbols(&self) -> impl Iterator<Item = &SkeletonSymbol> {
        self.symbols.iter().filter(|symbol| symbol.is_top())
    }
}

fn make_symbol(definition: &CodeDefinition, lines: &[&str]) -> SkeletonSymbol {
    let span = definition.parts.first().map(|part| part.span);
    let (start, end) = span.map_or((1, 1), |span| (span.start, span.end));
    let name = definition.simple_name();
    let at = start.saturating_sub(1) as usize;
    let inside = lines.get(at..(end as usize).min(lines.len())).unwrap_or_default();
    // A decorator is above the line with the name.
    let head = inside.iter().position(|line| name_in(line, name).is_some()).unwrap_or(0);
    let (signature, length) = read_signature(&inside[head.min(inside.len())..], name);
    let below = first_doc_line(lines, at + head + length);
    let about = if below.is_empty() { comment_above(lines, at) } else { below };
    SkeletonSymbol {
        name: definition.name.to_string(),
        kind: definition.kind,
        signature: if signature.is_empty() { name.to_owned() } else { signature },
        about: if definition.kind == DefinitionKind::Value { String::new() } else { about },
        lines: (start, end),
        uses: vec![],
    }
}

/// Returns the position of a name as a whole word in a line.
fn name_in(line: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = line.match_indices(name).map(|(at, _)| at);
    found
        .find(|&at| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
}

/// Returns the text from the name until its brackets are closed, and the number of its lines.
fn read_signature(lines: &[&str], name: &str) -> (String, usize) {
    let mut text = String::new();
    let mut depth = 0i32;
    for (number, line) in lines.iter().take(MAX_SIGNATURE_LINES).enumerate() {
        let line = match number {
            0 => name_in(line, name).map_or(*line, |at| &line[at..]),
            _ => line,
        };
        for word in line.split_whitespace() {
            if !text.is_empty() && !text.ends_with('(') {
                text.push(' ');
            }
            text.push_str(word);
        }
        let count = |open: char, close: char| {
            let count = |c: char| i32::try_from(line.matches(c).count()).unwrap_or(0);
            count(open) - count(close)
        };
        depth += count('(', ')') + count('[', ']');
        if depth <= 0 || text.len() > MAX_CHARS {
            let text = text.split(" {").next().unwrap_or_default();
            // The text after it on the same line is the body.
            let text = text.find("): ").map_or(text, |at| &text[..=at]);
            return (shorten_text(text.trim_end_matches([':', '{', ' '])), number + 1);
        }
    }
    (shorten_text(&text), lines.len().min(MAX_SIGNATURE_LINES))
}

/// Returns the first line of the text that documents what begins at a line: a string, or a comment.
fn first_doc_line(lines: &[&str], at: usize) -> String {
    let Some(line) = lines.get(at).map(|line| line.trim()) else { return String::new() };
    let quoted = ["\"\"\"", "'''"].iter().find_map(|quote| {
        let rest =
            line.strip_prefix(quote).or_else(|| line.strip_prefix('r')?.strip_prefix(quote))?;
        let rest = rest.split(quote).next().unwrap_or_default().trim();
        Some(if rest.is_empty() { lines.get(at + 1).map_or("", |line| line.trim()) } else { rest })
    });
    let text = quoted.or_else(|| comment_text(line).filter(|_| at == 0)).unwrap_or_default();
    shorten_text(text)
}

/// Returns the first line of the comment right above a line; empty where there is none.
fn comment_above(lines: &[&str], at: usize) -> String {
    let above = lines.get(..at).unwrap_or_default().iter().rev().take(MAX_SIGNATURE_LINES);
    let first = above.map_while(|line| comment_text(line.trim())).last();
    shorten_text(first.unwrap_or_default())
}

fn comment_text(line: &str) -> Option<&str> {
    let starts = ["//!", "///", "//", "/**", "*/", "*", "#"];
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    (!line.starts_with("#!") && !line.starts_with("#[")).then(|| rest.trim())
}

fn shorten_text(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}...", text[..at].trim_end()),
        None => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_code::tree::Grammar;
    use trajview_metrics::lifeline;

    fn parse_skeleton(grammar: Grammar, text: &str) -> Skeleton {
        Skeleton::for_file(&lifeline::read_facts(grammar, text.as_bytes()), text)
    }

    #[test]
    fn signatures_and_the_first_line_of_what_is_said_are_taken_from_the_file() {
        let text = "\"\"\"Losses.\n\nMore.\n\"\"\"\nLIMIT = 5\n\n@cache\ndef snr_weight(schedule,\n               t=1):\n    \
            \"\"\"min(SNR, 5).\"\"\"\n    def inner(): pass\n    return t\n\nclass A(B):\n    def f(self): pass\n";

        let found = parse_skeleton(Grammar::Python, text);

        let told: Vec<_> = found
            .symbols
            .iter()
            .map(|it| format!("{} {} | {}", it.kind_word(), it.signature, it.about))
            .collect();
        assert_eq!(found.about, "Losses.");
        assert_eq!(
            told,
            [
                "value LIMIT = 5 | ",
                "function snr_weight(schedule, t=1) | min(SNR, 5).",
                "class A(B) | ",
                "function f(self) | ",
            ]
        );
        assert_eq!(found.symbols[3].name, "A.f");
        let used = parse_skeleton(Grammar::Python, "def a(): b()\ndef b(): pass\n");
        assert_eq!((&*used.symbols[0].uses, &*used.symbols[1].uses), (&[1][..], &[][..]));
    }

    #[test]
    fn comments_above_say_what_rust_is_about() {
        let text =
            "//! Frames.\n\n/// One frame.\n/// And more.\npub fn frame(a: u8) -> u8 {\n    a\n}\n";

        let found = parse_skeleton(Grammar::Rust, text);

        assert_eq!(found.about, "Frames.");
        let one = &found.symbols[0];
        assert_eq!(
            (one.signature.as_str(), one.about.as_str()),
            ("frame(a: u8) -> u8", "One frame.")
        );
    }
}
