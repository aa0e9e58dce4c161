//! Syntax colours, by meaning: which bytes of a line are a keyword, a string, a comment.
//!
//! The parser is syntect with two-face's syntaxes; what its scopes mean to us stands in `MEANINGS`. Colours are the
//! theme's business. A parser has to start at the top of a file, so [`Highlighter`] keeps its state every so many
//! lines and a window far down a long file costs little the second time. A language is added in
//! [`languages`].

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

/// What a piece of text means. Plain text has no class, and no [`Span`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Keyword,
    String,
    /// `\n` in a string.
    Escape,
    Number,
    /// `true`, `None`, a constant's name.
    Constant,
    Comment,
    /// Where it is defined and where it is called.
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
    /// In a diff.
    Added,
    /// In a diff.
    Removed,
    Invalid,
}

/// Bytes of one line that share a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Within the line, on character boundaries.
    pub range: Range<usize>,
    pub class: Class,
}

/// What scopes mean; the longest prefix wins. None ends the search: what lies outside an interpolation or an embedded
/// language has no say inside. A scope without a row leaves it to the one around it.
const MEANINGS: &[(&str, Option<Class>)] = &[
    ("comment", Some(Class::Comment)),
    ("constant", Some(Class::Constant)),
    ("constant.character.escape", Some(Class::Escape)),
    ("constant.numeric", Some(Class::Number)),
    ("constant.other.placeholder", Some(Class::Escape)),
    ("entity.name.class", Some(Class::Type)),
    ("entity.name.constant", Some(Class::Constant)),
    ("entity.name.enum", Some(Class::Type)),
    ("entity.name.function", Some(Class::Function)),
    ("entity.name.impl", Some(Class::Type)),
    ("entity.name.interface", Some(Class::Type)),
    ("entity.name.label", Some(Class::Constant)),
    ("entity.name.macro", Some(Class::Function)),
    ("entity.name.module", Some(Class::Type)),
    ("entity.name.namespace", Some(Class::Type)),
    ("entity.name.section", Some(Class::Heading)),
    ("entity.name.struct", Some(Class::Type)),
    ("entity.name.table", Some(Class::Heading)),
    ("entity.name.tag", Some(Class::Tag)),
    ("entity.name.trait", Some(Class::Type)),
    ("entity.name.type", Some(Class::Type)),
    ("entity.name.union", Some(Class::Type)),
    ("entity.other.attribute-name", Some(Class::Attribute)),
    ("entity.other.inherited-class", Some(Class::Type)),
    ("invalid", Some(Class::Invalid)),
    ("invalid.deprecated", None),
    ("keyword", Some(Class::Keyword)),
    ("keyword.operator", Some(Class::Operator)),
    ("keyword.operator.logical.python", Some(Class::Keyword)),
    ("keyword.operator.word", Some(Class::Keyword)),
    ("markup.bold", Some(Class::Strong)),
    ("markup.deleted", Some(Class::Removed)),
    ("markup.heading", Some(Class::Heading)),
    ("markup.inserted", Some(Class::Added)),
    ("markup.italic", Some(Class::Emphasis)),
    ("markup.raw", Some(Class::Raw)),
    ("markup.underline.link", Some(Class::Link)),
    ("meta.annotation.rust", Some(Class::Attribute)),
    ("meta.diff.header", Some(Class::Heading)),
    ("meta.diff.range", Some(Class::Heading)),
    ("meta.embedded", None),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    ("punctuation", Some(Class::Punctuation)),
    ("punctuation.definition.annotation", Some(Class::Attribute)),
    ("punctuation.definition.bold", Some(Class::Strong)),
    ("punctuation.definition.comment", Some(Class::Comment)),
    ("punctuation.definition.heading", Some(Class::Heading)),
    ("punctuation.definition.italic", Some(Class::Emphasis)),
    ("punctuation.definition.raw", Some(Class::Raw)),
    ("punctuation.definition.string", Some(Class::String)),
    ("punctuation.definition.tag", Some(Class::Punctuation)),
    ("punctuation.definition.variable", Some(Class::Variable)),
    ("source", None),
    ("storage", Some(Class::Keyword)),
    ("storage.type.string", Some(Class::String)),
    ("string", Some(Class::String)),
    ("support.class", Some(Class::Type)),
    ("support.constant", Some(Class::Constant)),
    ("support.function", Some(Class::Function)),
    ("support.macro", Some(Class::Function)),
    ("support.type", Some(Class::Type)),
    ("support.type.property-name", Some(Class::Tag)),
    ("text", None),
    ("variable.annotation", Some(Class::Attribute)),
    ("variable.function", Some(Class::Function)),
    ("variable.language", Some(Class::Variable)),
    ("variable.other.constant", Some(Class::Constant)),
    ("variable.other.readwrite.shell", Some(Class::Variable)),
    ("variable.parameter", Some(Class::Variable)),
];

/// The colours of a whole text: one entry a line, in order, its spans in order and apart. Plain text lies between
/// them. None where the language is not known or the text is too big.
pub fn highlight(path: &str, text: &str) -> Option<Vec<Vec<Span>>> {
    let mut highlighter = Highlighter::new(path, text.into())?;
    Some(highlighter.lines(0..usize::MAX))
}

/// The colours of a text, window by window.
pub struct Highlighter {
    text: Arc<str>,
    /// Each line without its line end.
    lines: Vec<Range<usize>>,
    /// The parser before line `n * STRIDE`, as far as it has come.
    saved: Vec<Parser>,
    meanings: HashMap<Scope, Meaning>,
}

#[derive(Clone)]
struct Parser {
    state: ParseState,
    scopes: ScopeStack,
}

/// What one scope says about the text in it.
#[derive(Clone, Copy)]
enum Meaning {
    /// The scope around it decides.
    Outer,
    Class(Option<Class>),
}

impl Highlighter {
    /// None where the language is not known or the text is too big.
    pub fn new(path: &str, text: Arc<str>) -> Option<Self> {
        if text.len() > BIG_TEXT {
            return None;
        }
        let lines = line_ranges(&text);
        let first_line = lines.first().map_or("", |line| &text[line.clone()]);
        let parser =
            Parser { state: ParseState::new(syntax(path, first_line)?), scopes: ScopeStack::new() };
        Some(Self { text, lines, saved: vec![parser], meanings: HashMap::new() })
    }

    /// How many lines the text has; a last line may lack its line end.
    #[cfg(test)]
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The spans of some lines, counted from 0, as far as there are any; ranges are within each line.
    pub fn lines(&mut self, wanted: Range<usize>) -> Vec<Vec<Span>> {
        let end = wanted.end.min(self.lines.len());
        let start = (wanted.start / STRIDE).min(self.saved.len() - 1);
        let mut parser = self.saved[start].clone();
        let mut spans = vec![];
        for line in start * STRIDE..end {
            if line == self.saved.len() * STRIDE {
                self.saved.push(parser.clone());
            }
            let found = self.parse(&mut parser, line);
            if line >= wanted.start {
                spans.push(found);
            }
        }
        spans
    }

    fn parse(&mut self, parser: &mut Parser, line: usize) -> Vec<Span> {
        let text = &self.text[self.lines[line].clone()];
        if text.len() > LONG_LINE {
            return vec![];
        }
        parser.line(text, &mut self.meanings)
    }
}

impl Parser {
    fn line(&mut self, text: &str, meanings: &mut HashMap<Scope, Meaning>) -> Vec<Span> {
        // The syntaxes want to see one "\n", whatever the file has.
        let Ok(ops) = self.state.parse_line(&format!("{text}\n"), syntaxes()) else {
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

fn push_span(spans: &mut Vec<Span>, range: Range<usize>, class: Option<Class>) {
    let Some(class) = class.filter(|_| !range.is_empty()) else {
        return;
    };
    match spans.last_mut() {
        Some(last) if last.class == class && last.range.end == range.start => {
            last.range.end = range.end
        }
        _ => spans.push(Span { range, class }),
    }
}

/// What the innermost scope that has a meaning says.
fn class_of(scopes: &ScopeStack, meanings: &mut HashMap<Scope, Meaning>) -> Option<Class> {
    for &scope in scopes.as_slice().iter().rev() {
        match *meanings.entry(scope).or_insert_with(|| meaning_of(scope)) {
            Meaning::Class(class) => return class,
            Meaning::Outer => {}
        }
    }
    None
}

fn meaning_of(scope: Scope) -> Meaning {
    let rows = meanings().iter().filter(|(prefix, _)| prefix.is_prefix_of(scope));
    let longest = rows.max_by_key(|(prefix, _)| prefix.len());
    longest.map_or(Meaning::Outer, |(_, class)| Meaning::Class(*class))
}

/// [`MEANINGS`], read.
fn meanings() -> &'static [(Scope, Option<Class>)] {
    static READ: OnceLock<Vec<(Scope, Option<Class>)>> = OnceLock::new();
    let read =
        |(prefix, class): &(&str, Option<Class>)| Scope::new(prefix).map(|scope| (scope, *class));
    READ.get_or_init(|| MEANINGS.iter().flat_map(read).collect())
}

/// Every syntax two-face has, loaded at first use.
fn syntaxes() -> &'static SyntaxSet {
    static LOADED: OnceLock<SyntaxSet> = OnceLock::new();
    LOADED.get_or_init(two_face::syntax::extra_newlines)
}

/// By our own table; then by the set's, for the languages that have no row.
fn syntax(path: &str, first_line: &str) -> Option<&'static SyntaxReference> {
    let all = syntaxes();
    let found = match languages::language(path, first_line) {
        Some(language) => all.find_syntax_by_name(language.name),
        None => all
            .find_syntax_by_extension(languages::file_name(path))
            .or_else(|| all.find_syntax_by_extension(languages::extension(path)?)),
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

    /// Each span's words and meaning, line by line.
    fn meanings_in<'t>(path: &str, text: &'t str) -> Vec<(&'t str, Class)> {
        let spans = highlight(path, text).unwrap();
        text.lines()
            .zip(spans)
            .flat_map(|(line, spans)| spans.into_iter().map(|span| (&line[span.range], span.class)))
            .filter(|(_, class)| *class != Class::Punctuation)
            .collect()
    }

    #[test]
    fn every_language_has_a_syntax() {
        let without: Vec<_> = languages::LANGUAGES
            .iter()
            .map(|language| language.name)
            .filter(|name| syntaxes().find_syntax_by_name(name).is_none())
            .collect();

        assert_eq!(without, [""; 0]);
    }

    #[test]
    fn every_meaning_is_a_scope_and_stands_once() {
        assert_eq!(meanings().len(), MEANINGS.len());
        assert!(MEANINGS.is_sorted_by_key(|(prefix, _)| prefix));
        assert!(MEANINGS.windows(2).all(|two| two[0].0 != two[1].0));
    }

    #[test]
    fn python() {
        let text = "@cached\ndef f(a):\n    return f\"x{a}\" + g(1) if not a else None  # why\n";

        assert_eq!(
            meanings_in("a.py", text),
            [
                ("@cached", Class::Attribute),
                ("def", Class::Keyword),
                ("f", Class::Function),
                ("a", Class::Variable),
                ("return", Class::Keyword),
                ("f\"x", Class::String),
                ("\"", Class::String),
                ("+", Class::Operator),
                ("g", Class::Function),
                ("1", Class::Number),
                ("if", Class::Keyword),
                ("not", Class::Keyword),
                ("else", Class::Keyword),
                ("None", Class::Constant),
                ("# why", Class::Comment),
            ]
        );
    }

    #[test]
    fn rust() {
        let text = "fn f(x: u8) -> Self {\n    println!(\"a\\n\"); // why\n}\n";

        assert_eq!(
            meanings_in("a.rs", text),
            [
                ("fn", Class::Keyword),
                ("f", Class::Function),
                ("x", Class::Variable),
                ("u8", Class::Keyword),
                ("Self", Class::Keyword),
                ("println!", Class::Function),
                ("\"a", Class::String),
                ("\\n", Class::Escape),
                ("\"", Class::String),
                ("// why", Class::Comment),
            ]
        );
    }

    #[test]
    fn typescript() {
        let text = "const f = async (x: number) => { await g(`a${x}`) } // why\n";

        let found = meanings_in("a.ts", text);

        for expected in [
            ("const", Class::Keyword),
            ("number", Class::Type),
            ("g", Class::Function),
            ("`a", Class::String),
            ("// why", Class::Comment),
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
                ("# Head", Class::Heading),
                ("*a*", Class::Emphasis),
                ("**b**", Class::Strong),
                ("`c`", Class::Raw),
                ("```", Class::Raw),
                ("python", Class::Constant),
                ("def", Class::Keyword),
                ("f", Class::Function),
                ("pass", Class::Keyword),
                ("```", Class::Raw),
            ]
        );
    }

    #[test]
    fn toml() {
        let text = "[a]\nkey = \"v\" # why\nn = 1\n";

        assert_eq!(
            meanings_in("Cargo.lock", text),
            [
                ("a", Class::Heading),
                ("key", Class::Tag),
                ("\"v\"", Class::String),
                ("# why", Class::Comment),
                ("n", Class::Tag),
                ("1", Class::Number),
            ]
        );
    }

    #[test]
    fn a_script_is_known_by_its_first_line() {
        let text = "#!/usr/bin/env python3\npass\n";

        assert!(meanings_in("bin/run", text).contains(&("pass", Class::Keyword)));
    }

    #[test]
    fn a_language_without_a_row_has_the_colours_of_the_set() {
        assert!(meanings_in("a.fish", "# why\n").contains(&("# why", Class::Comment)));
    }

    #[test]
    fn an_unknown_language_has_no_colours() {
        assert_eq!(highlight("LICENSE", "if\n"), None);
        assert_eq!(highlight("notes.txt", "if\n"), None);
        assert_eq!(highlight("data.qqq", "if\n"), None);
    }

    #[test]
    fn a_line_end_of_two_bytes_is_not_part_of_the_line() {
        assert_eq!(highlight("a.py", "# a\r\npass"), highlight("a.py", "# a\npass\n"));
    }

    #[test]
    fn a_very_long_line_is_plain_and_the_next_is_not() {
        let text = format!("x = '{}'\npass\n", "a".repeat(LONG_LINE));

        assert_eq!(meanings_in("a.py", &text), [("pass", Class::Keyword)]);
    }

    #[test]
    fn a_very_big_text_has_no_colours() {
        assert_eq!(highlight("a.py", &"pass\n".repeat(BIG_TEXT / 5 + 1)), None);
    }

    #[test]
    fn a_window_far_down_has_the_colours_of_the_whole() {
        let text: String = (0..700).map(|n| format!("x = {n}\n'''\n\"{n}\"\n'''\n")).collect();
        let whole = highlight("a.py", &text).unwrap();
        let mut highlighter = Highlighter::new("a.py", text.as_str().into()).unwrap();

        let window = highlighter.lines(2222..2260);
        let again = highlighter.lines(2222..2260);
        let above = highlighter.lines(3..405);

        assert_eq!(window, whole[2222..2260]);
        assert_eq!(again, window);
        assert_eq!(above, whole[3..405]);
        assert_eq!(highlighter.lines(2790..9999).len(), 10);
        assert_eq!(highlighter.lines(9000..9999), [[]; 0]);
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
            let spans = highlight(&format!("a.{extension}"), &source).unwrap();

            let lines: Vec<&str> = source.split_inclusive('\n').collect();
            prop_assert_eq!(spans.len(), lines.len());
            for (line, spans) in lines.iter().zip(spans) {
                prop_assert!(spans.iter().all(|span| line.get(span.range.clone()).is_some_and(|part| !part.is_empty())));
                prop_assert!(spans.windows(2).all(|two| two[0].range.end <= two[1].range.start));
            }
        }
    }
}
