//! Syntax colours, by meaning: which bytes of a line are a keyword, a string, a comment.
//!
//! The parser is syntect with two-face's syntaxes; `MEANINGS` maps its scopes to our classes. Colours are the theme's
//! business. A parser has to start at the top of a file, so [`Highlighter`] keeps its state every so many lines and a
//! window far down a long file costs little the second time. A language is added in [`languages`].

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, OnceLock},
};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::languages;

/// Texts bigger than this have no colours. In bytes.
const BIG_TEXT: usize = 2 << 20;

/// Lines longer than this have no colours, and the parser does not see them. In bytes.
const LONG_LINE: usize = 2000;

/// Lines between two saved states of the parser.
const STRIDE: usize = 200;

/// The meaning of a piece of text. Plain text has no class, and no [`SyntaxSpan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SyntaxClass {
    Keyword,
    String,
    /// `\n` in a string.
    Escape,
    Number,
    /// `true`, `None`, a constant's name.
    Constant,
    Comment,
    /// A function, where it is defined and where it is called.
    Function,
    Type,
    /// A parameter, `self`, a shell variable.
    Variable,
    Operator,
    Punctuation,
    /// An element's name, and the key of a table.
    Tag,
    /// An element's attribute, a decorator.
    Attribute,
    Heading,
    Emphasis,
    Strong,
    Link,
    /// Code in prose.
    Raw,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
    Invalid,
}

/// Bytes of one line that share a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxSpan {
    /// The bytes within the line, on character boundaries.
    pub range: Range<usize>,
    pub class: SyntaxClass,
}

/// The classes of scopes; the longest prefix wins. None ends the search: the scope around an interpolation or an
/// embedded language does not colour its inside. A scope without a row takes the class of the one around it.
const MEANINGS: &[(&str, Option<SyntaxClass>)] = &[
    ("comment", Some(SyntaxClass::Comment)),
    ("constant", Some(SyntaxClass::Constant)),
    ("constant.character.escape", Some(SyntaxClass::Escape)),
    ("constant.numeric", Some(SyntaxClass::Number)),
    ("constant.other.placeholder", Some(SyntaxClass::Escape)),
    ("entity.name.class", Some(SyntaxClass::Type)),
    ("entity.name.constant", Some(SyntaxClass::Constant)),
    ("entity.name.enum", Some(SyntaxClass::Type)),
    ("entity.name.function", Some(SyntaxClass::Function)),
    ("entity.name.impl", Some(SyntaxClass::Type)),
    ("entity.name.interface", Some(SyntaxClass::Type)),
    ("entity.name.label", Some(SyntaxClass::Constant)),
    ("entity.name.macro", Some(SyntaxClass::Function)),
    ("entity.name.module", Some(SyntaxClass::Type)),
    ("entity.name.namespace", Some(SyntaxClass::Type)),
    ("entity.name.section", Some(SyntaxClass::Heading)),
    ("entity.name.struct", Some(SyntaxClass::Type)),
    ("entity.name.table", Some(SyntaxClass::Heading)),
    ("entity.name.tag", Some(SyntaxClass::Tag)),
    ("entity.name.trait", Some(SyntaxClass::Type)),
    ("entity.name.type", Some(SyntaxClass::Type)),
    ("entity.name.union", Some(SyntaxClass::Type)),
    ("entity.other.attribute-name", Some(SyntaxClass::Attribute)),
    ("entity.other.inherited-class", Some(SyntaxClass::Type)),
    ("invalid", Some(SyntaxClass::Invalid)),
    ("invalid.deprecated", None),
    ("keyword", Some(SyntaxClass::Keyword)),
    ("keyword.operator", Some(SyntaxClass::Operator)),
    ("keyword.operator.logical.python", Some(SyntaxClass::Keyword)),
    ("keyword.operator.word", Some(SyntaxClass::Keyword)),
    ("markup.bold", Some(SyntaxClass::Strong)),
    ("markup.deleted", Some(SyntaxClass::Removed)),
    ("markup.heading", Some(SyntaxClass::Heading)),
    ("markup.inserted", Some(SyntaxClass::Added)),
    ("markup.italic", Some(SyntaxClass::Emphasis)),
    ("markup.raw", Some(SyntaxClass::Raw)),
    ("markup.underline.link", Some(SyntaxClass::Link)),
    ("meta.annotation.rust", Some(SyntaxClass::Attribute)),
    ("meta.diff.header", Some(SyntaxClass::Heading)),
    ("meta.diff.range", Some(SyntaxClass::Heading)),
    ("meta.embedded", None),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    ("punctuation", Some(SyntaxClass::Punctuation)),
    ("punctuation.definition.annotation", Some(SyntaxClass::Attribute)),
    ("punctuation.definition.bold", Some(SyntaxClass::Strong)),
    ("punctuation.definition.comment", Some(SyntaxClass::Comment)),
    ("punctuation.definition.heading", Some(SyntaxClass::Heading)),
    ("punctuation.definition.italic", Some(SyntaxClass::Emphasis)),
    ("punctuation.definition.raw", Some(SyntaxClass::Raw)),
    ("punctuation.definition.string", Some(SyntaxClass::String)),
    ("punctuation.definition.tag", Some(SyntaxClass::Punctuation)),
    ("punctuation.definition.variable", Some(SyntaxClass::Variable)),
    ("source", None),
    ("storage", Some(SyntaxClass::Keyword)),
    ("storage.type.string", Some(SyntaxClass::String)),
    ("string", Some(SyntaxClass::String)),
    ("support.class", Some(SyntaxClass::Type)),
    ("support.constant", Some(SyntaxClass::Constant)),
    ("support.function", Some(SyntaxClass::Function)),
    ("support.macro", Some(SyntaxClass::Function)),
    ("support.type", Some(SyntaxClass::Type)),
    ("support.type.property-name", Some(SyntaxClass::Tag)),
    ("text", None),
    ("variable.annotation", Some(SyntaxClass::Attribute)),
    ("variable.function", Some(SyntaxClass::Function)),
    ("variable.language", Some(SyntaxClass::Variable)),
    ("variable.other.constant", Some(SyntaxClass::Constant)),
    ("variable.other.readwrite.shell", Some(SyntaxClass::Variable)),
    ("variable.parameter", Some(SyntaxClass::Variable)),
];

/// Returns the colours of a whole text: one entry a line, in order, its spans in order and apart. Plain text lies between
/// them. None where the language is not known or the text is too big.
pub fn highlight_text(path: &str, text: &str) -> Option<Vec<Vec<SyntaxSpan>>> {
    let mut highlighter = Highlighter::new(path, text.into())?;
    Some(highlighter.line_spans(0..usize::MAX))
}

/// The colours of a text, window by window.
pub struct Highlighter {
    text: Arc<str>,
    /// Each line without its line end.
    lines: Vec<Range<usize>>,
    /// The parser before line `n * STRIDE`, as far as it has come.
    saved: Vec<LineParser>,
    meanings: HashMap<Scope, ScopeMeaning>,
}

#[derive(Clone)]
struct LineParser {
    state: ParseState,
    scopes: ScopeStack,
}

/// The class that one scope gives to the text in it.
#[derive(Clone, Copy)]
enum ScopeMeaning {
    /// The scope around it decides.
    Outer,
    Class(Option<SyntaxClass>),
}

impl Highlighter {
    /// Makes a highlighter. None where the language is not known or the text is too big.
    pub fn new(path: &str, text: Arc<str>) -> Option<Self> {
        if text.len() > BIG_TEXT {
            return None;
        }
        let lines = line_ranges(&text);
        let first_line = lines.first().map_or("", |line| &text[line.clone()]);
        let parser = LineParser {
            state: ParseState::new(find_syntax(path, first_line)?),
            scopes: ScopeStack::new(),
        };
        Some(Self { text, lines, saved: vec![parser], meanings: HashMap::new() })
    }

    /// Returns the number of lines; a last line may lack its line end.
    #[cfg(test)]
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the spans of some lines, counted from 0, as far as there are any; ranges are within each line. Keeps the
    /// states of the parser on the way for later calls.
    pub fn line_spans(&mut self, range: Range<usize>) -> Vec<Vec<SyntaxSpan>> {
        let end = range.end.min(self.lines.len());
        let start = (range.start / STRIDE).min(self.saved.len() - 1);
        let mut parser = self.saved[start].clone();
        let mut spans = vec![];
        for line in start * STRIDE..end {
            if line == self.saved.len() * STRIDE {
                self.saved.push(parser.clone());
            }
            let line_spans = self.parse_line(&mut parser, line);
            if line >= range.start {
                spans.push(line_spans);
            }
        }
        spans
    }

    fn parse_line(&mut self, parser: &mut LineParser, line: usize) -> Vec<SyntaxSpan> {
        let text = &self.text[self.lines[line].clone()];
        if text.len() > LONG_LINE {
            return vec![];
        }
        parser.parse_text(text, &mut self.meanings)
    }
}

impl LineParser {
    fn parse_text(
        &mut self,
        text: &str,
        meanings: &mut HashMap<Scope, ScopeMeaning>,
    ) -> Vec<SyntaxSpan> {
        // The syntaxes want to see one "\n", whatever the file has.
        let Ok(ops) = self.state.parse_line(&format!("{text}\n"), syntax_set()) else {
            return vec![];
        };
        let mut spans = vec![];
        let mut at = 0;
        for (place, op) in &ops {
            push_span(&mut spans, at..(*place).min(text.len()), class_of(&self.scopes, meanings));
            at = *place;
            if self.scopes.apply(op).is_err() {
                self.scopes = ScopeStack::new();
            }
        }
        push_span(&mut spans, at.min(text.len())..text.len(), class_of(&self.scopes, meanings));
        spans
    }
}

fn push_span(spans: &mut Vec<SyntaxSpan>, range: Range<usize>, class: Option<SyntaxClass>) {
    let Some(class) = class.filter(|_| !range.is_empty()) else {
        return;
    };
    match spans.last_mut() {
        Some(last) if last.class == class && last.range.end == range.start => {
            last.range.end = range.end
        }
        _ => spans.push(SyntaxSpan { range, class }),
    }
}

/// Returns the class of the innermost scope that has one.
fn class_of(
    scopes: &ScopeStack,
    meanings: &mut HashMap<Scope, ScopeMeaning>,
) -> Option<SyntaxClass> {
    for &scope in scopes.as_slice().iter().rev() {
        match *meanings.entry(scope).or_insert_with(|| meaning_of(scope)) {
            ScopeMeaning::Class(class) => return class,
            ScopeMeaning::Outer => {}
        }
    }
    None
}

fn meaning_of(scope: Scope) -> ScopeMeaning {
    let rows = scope_meanings().iter().filter(|(prefix, _)| prefix.is_prefix_of(scope));
    let longest = rows.max_by_key(|(prefix, _)| prefix.len());
    longest.map_or(ScopeMeaning::Outer, |(_, class)| ScopeMeaning::Class(*class))
}

/// Returns [`MEANINGS`] with parsed scopes.
fn scope_meanings() -> &'static [(Scope, Option<SyntaxClass>)] {
    static READ: OnceLock<Vec<(Scope, Option<SyntaxClass>)>> = OnceLock::new();
    let read = |(prefix, class): &(&str, Option<SyntaxClass>)| {
        Scope::new(prefix).map(|scope| (scope, *class))
    };
    READ.get_or_init(|| MEANINGS.iter().flat_map(read).collect())
}

/// Returns every syntax two-face has, loaded at first use.
fn syntax_set() -> &'static SyntaxSet {
    static LOADED: OnceLock<SyntaxSet> = OnceLock::new();
    LOADED.get_or_init(two_face::syntax::extra_newlines)
}

/// Finds the syntax by our own table, then by the set's, for the languages that have no row.
fn find_syntax(path: &str, first_line: &str) -> Option<&'static SyntaxReference> {
    let all = syntax_set();
    let found = match languages::language_of_file(path, first_line) {
        Some(language) => all.find_syntax_by_name(language.name),
        None => all
            .find_syntax_by_extension(languages::file_name(path))
            .or_else(|| all.find_syntax_by_extension(languages::file_extension(path)?)),
    };
    found.filter(|syntax| syntax.name != all.find_syntax_plain_text().name)
}

fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let without_end = |line: &str| {
        let end = start + line.trim_end_matches('\n').trim_end_matches('\r').len();
        let range = start..end;
        start += line.len();
        range
    };
    text.split_inclusive('\n').map(without_end).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns each span's words and meaning, line by line.
    fn meanings_in<'t>(path: &str, text: &'t str) -> Vec<(&'t str, SyntaxClass)> {
        let spans = highlight_text(path, text).unwrap();
        text.lines()
            .zip(spans)
            .flat_map(|(line, spans)| spans.into_iter().map(|span| (&line[span.range], span.class)))
            .filter(|(_, class)| *class != SyntaxClass::Punctuation)
            .collect()
    }

    #[test]
    fn every_language_has_a_syntax() {
        let without: Vec<_> = languages::LANGUAGES
            .iter()
            .map(|language| language.name)
            .filter(|name| syntax_set().find_syntax_by_name(name).is_none())
            .collect();

        assert_eq!(without, [""; 0]);
    }

    #[test]
    fn every_meaning_is_a_scope_and_stands_once() {
        assert_eq!(scope_meanings().len(), MEANINGS.len());
        assert!(MEANINGS.is_sorted_by_key(|(prefix, _)| prefix));
        assert!(MEANINGS.windows(2).all(|two| two[0].0 != two[1].0));
    }

    #[test]
    fn python() {
        let text = "@cached\ndef f(a):\n    return f\"x{a}\" + g(1) if not a else None  # why\n";

        assert_eq!(
            meanings_in("a.py", text),
            [
                ("@cached", SyntaxClass::Attribute),
                ("def", SyntaxClass::Keyword),
                ("f", SyntaxClass::Function),
                ("a", SyntaxClass::Variable),
                ("return", SyntaxClass::Keyword),
                ("f\"x", SyntaxClass::String),
                ("\"", SyntaxClass::String),
                ("+", SyntaxClass::Operator),
                ("g", SyntaxClass::Function),
                ("1", SyntaxClass::Number),
                ("if", SyntaxClass::Keyword),
                ("not", SyntaxClass::Keyword),
                ("else", SyntaxClass::Keyword),
                ("None", SyntaxClass::Constant),
                ("# why", SyntaxClass::Comment),
            ]
        );
    }

    #[test]
    fn rust() {
        let text = "fn f(x: u8) -> Self {\n    println!(\"a\\n\"); // why\n}\n";

        assert_eq!(
            meanings_in("a.rs", text),
            [
                ("fn", SyntaxClass::Keyword),
                ("f", SyntaxClass::Function),
                ("x", SyntaxClass::Variable),
                ("u8", SyntaxClass::Keyword),
                ("Self", SyntaxClass::Keyword),
                ("println!", SyntaxClass::Function),
                ("\"a", SyntaxClass::String),
                ("\\n", SyntaxClass::Escape),
                ("\"", SyntaxClass::String),
                ("// why", SyntaxClass::Comment),
            ]
        );
    }

    #[test]
    fn typescript() {
        let text = "const f = async (x: number) => { await g(`a${x}`) } // why\n";

        let found = meanings_in("a.ts", text);

        for expected in [
            ("const", SyntaxClass::Keyword),
            ("number", SyntaxClass::Type),
            ("g", SyntaxClass::Function),
            ("`a", SyntaxClass::String),
            ("// why", SyntaxClass::Comment),
        ] {
            assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
        }
    }

    #[test]
    fn markdown_and_the_code_in_it() {
        let text = "# Head\n*a* **b** `c`\n\n```python\ndef f(): pass\n```\n";

        assert_eq!(
            meanings_in("a.md", text),
            [
                ("# Head", SyntaxClass::Heading),
                ("*a*", SyntaxClass::Emphasis),
                ("**b**", SyntaxClass::Strong),
                ("`c`", SyntaxClass::Raw),
                ("```", SyntaxClass::Raw),
                ("python", SyntaxClass::Constant),
                ("def", SyntaxClass::Keyword),
                ("f", SyntaxClass::Function),
                ("pass", SyntaxClass::Keyword),
                ("```", SyntaxClass::Raw),
            ]
        );
    }

    #[test]
    fn toml() {
        let text = "[a]\nkey = \"v\" # why\nn = 1\n";

        assert_eq!(
            meanings_in("Cargo.lock", text),
            [
                ("a", SyntaxClass::Heading),
                ("key", SyntaxClass::Tag),
                ("\"v\"", SyntaxClass::String),
                ("# why", SyntaxClass::Comment),
                ("n", SyntaxClass::Tag),
                ("1", SyntaxClass::Number),
            ]
        );
    }

    #[test]
    fn a_script_is_known_by_its_first_line() {
        let text = "#!/usr/bin/env python3\npass\n";

        assert!(meanings_in("bin/run", text).contains(&("pass", SyntaxClass::Keyword)));
    }

    #[test]
    fn a_language_without_a_row_has_the_colours_of_the_set() {
        assert!(meanings_in("a.fish", "# why\n").contains(&("# why", SyntaxClass::Comment)));
    }

    #[test]
    fn an_unknown_language_has_no_colours() {
        assert_eq!(highlight_text("LICENSE", "if\n"), None);
        assert_eq!(highlight_text("notes.txt", "if\n"), None);
        assert_eq!(highlight_text("data.qqq", "if\n"), None);
    }

    #[test]
    fn a_line_end_of_two_bytes_is_not_part_of_the_line() {
        assert_eq!(highlight_text("a.py", "# a\r\npass"), highlight_text("a.py", "# a\npass\n"));
    }

    #[test]
    fn a_very_long_line_is_plain_and_the_next_is_not() {
        let text = format!("x = '{}'\npass\n", "a".repeat(LONG_LINE));

        assert_eq!(meanings_in("a.py", &text), [("pass", SyntaxClass::Keyword)]);
    }

    #[test]
    fn a_very_big_text_has_no_colours() {
        assert_eq!(highlight_text("a.py", &"pass\n".repeat(BIG_TEXT / 5 + 1)), None);
    }

    #[test]
    fn a_window_far_down_has_the_colours_of_the_whole() {
        let text: String = (0..700).map(|n| format!("x = {n}\n'''\n\"{n}\"\n'''\n")).collect();
        let whole = highlight_text("a.py", &text).unwrap();
        let mut highlighter = Highlighter::new("a.py", text.as_str().into()).unwrap();

        let window = highlighter.line_spans(2222..2260);
        let again = highlighter.line_spans(2222..2260);
        let above = highlighter.line_spans(3..405);

        assert_eq!(window, whole[2222..2260]);
        assert_eq!(again, window);
        assert_eq!(above, whole[3..405]);
        assert_eq!(highlighter.line_spans(2790..9999).len(), 10);
        assert_eq!(highlighter.line_spans(9000..9999), [[]; 0]);
        assert_eq!(highlighter.line_count(), 2800);
    }

    /// Pieces that open and close things in one language or another.
    fn any_source() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "\n", "\r\n", " ", "\t", "\"", "'", "`", "\"\"\"", "#", "//", "/*", "*/", "<!--", "{",
            "}", "${", "(", ")", "[", "]", "<", ">", "\\", "```py", "def f", "fn f", "class A",
            "=", "é", "漢", "\u{0}", "\u{202e}", "1", "---", ":", "@",
        ]);
        let piece = prop_oneof![4 => piece.prop_map(str::to_owned), 1 => any::<String>()];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_the_source_spans_are_ordered_and_on_character_boundaries(
            source in any_source(),
            extension in prop::sample::select(vec!["py", "rs", "ts", "tsx", "md", "toml", "html", "sh", "yaml", "json"]),
        ) {
            let spans = highlight_text(&format!("a.{extension}"), &source).unwrap();

            let lines: Vec<&str> = source.split_inclusive('\n').collect();
            prop_assert_eq!(spans.len(), lines.len());
            for (line, spans) in lines.iter().zip(spans) {
                prop_assert!(spans.iter().all(|span| line.get(span.range.clone()).is_some_and(|part| !part.is_empty())));
                prop_assert!(spans.windows(2).all(|two| two[0].range.end <= two[1].range.start));
            }
        }
    }
}
