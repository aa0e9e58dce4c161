//! Cuts a file into places: functions and classes where there is a grammar, windows of lines elsewhere and between them.

use std::collections::BTreeMap;

use crate::{
    lifeline::{self, DefinitionKind},
    quality::SourceSpan,
};
use trajview_code::tree::Grammar;
use trajview_run::RepoPath;

use super::terms::{self, TextToken};

/// A class of at most this many lines is one place; in a longer class each method is a place.
const CLASS_LINES: u32 = 60;

/// The most lines of a place that has no name.
const WINDOW_LINES: usize = 40;

/// The weight of a place of this kind, where code has 1: tests and prose mention things that they do not implement.
const TEST_WEIGHT: f64 = 0.3;
const PROSE_WEIGHT: f64 = 0.5;

/// The weight of a term by its position: in the name of the definition, in the path of the file, in the text.
const NAME_WEIGHT: f64 = 4.0;
const PATH_WEIGHT: f64 = 1.0;
const TEXT_WEIGHT: f64 = 1.0;

/// A place with its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct CodePiece {
    /// First and last line, counting from 1.
    pub lines: (usize, usize),
    /// Dotted from the outermost class or function; None between definitions.
    pub name: Option<String>,
    /// The number of occurrences of each term, keyed by the term's key and weighted by position.
    pub terms: BTreeMap<Box<str>, f64>,
    /// The number of words in the text.
    pub length: f64,
    /// Lines that are not blank, counting from 1.
    pub lines_with_text: Vec<usize>,
}

/// A file as a judge could have opened it.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePieces {
    pub path: String,
    pub lines: usize,
    /// The weight of the file's places.
    pub weight: f64,
    pub pieces: Vec<CodePiece>,
}

impl FilePieces {
    /// Cuts a text into places; never fails.
    pub fn new(path: &str, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let grammar = Grammar::for_path(path).filter(|grammar| grammar.is_compiled_in());
        let named = grammar.map_or_else(Vec::new, |grammar| named_spans(grammar, text, &lines));
        let is_test = RepoPath::new(path).is_some_and(|path| lifeline::is_test(&path));
        let weight = match (is_test, grammar) {
            (true, _) => TEST_WEIGHT,
            (false, None) => PROSE_WEIGHT,
            (false, Some(_)) => 1.0,
        };
        let spans = with_windows(named, &lines, grammar.is_some());
        let piece = |(span, name): (SourceSpan, Option<String>)| {
            CodePiece::from_span(path, &lines, span, name)
        };
        let pieces = spans.into_iter().map(piece).filter(|piece| piece.length > 0.0).collect();
        Self { path: path.to_owned(), lines: lines.len(), weight, pieces }
    }
}

/// Returns the functions, methods and classes that are not nested in each other, by line.
fn named_spans(grammar: Grammar, text: &str, lines: &[&str]) -> Vec<(SourceSpan, String)> {
    let facts = lifeline::read_facts(grammar, text.as_bytes());
    let mut spans: Vec<(SourceSpan, String)> = vec![];
    for definition in &facts.definitions {
        for part in &definition.parts {
            let length = part.span.end.saturating_sub(part.span.start) + 1;
            let is_place = match definition.kind {
                DefinitionKind::Function => true,
                DefinitionKind::Class => length <= CLASS_LINES,
                DefinitionKind::Value => false,
            };
            if is_place {
                spans.push((with_comments_above(part.span, lines), definition.name.to_string()));
            }
        }
    }
    // A definition that begins first and ends last contains the others.
    spans.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    spans.retain(|(span, _)| {
        let is_outer = span.start > end;
        end = end.max(span.end);
        is_outer
    });
    spans
}

/// Extends a span by the comments directly above it.
fn with_comments_above(span: SourceSpan, lines: &[&str]) -> SourceSpan {
    let is_comment = |line: u32| {
        let text = lines.get(line as usize - 1).map_or("", |line| line.trim_start());
        ["#", "//", "/*", "*"].iter().any(|sign| text.starts_with(sign))
            && !text.starts_with("#include")
    };
    let mut start = span.start.max(1);
    while start > 1 && is_comment(start - 1) {
        start -= 1;
    }
    SourceSpan { start, end: span.end }
}

/// Returns the definitions, and the lines between them cut into windows. Import lines are left out, because they do
/// not show what a file does.
fn with_windows(
    named: Vec<(SourceSpan, String)>,
    lines: &[&str],
    is_code: bool,
) -> Vec<(SourceSpan, Option<String>)> {
    let mut is_taken = vec![false; lines.len()];
    for (span, _) in &named {
        let taken = is_taken.get_mut(span.start as usize - 1..(span.end as usize).min(lines.len()));
        taken.into_iter().flatten().for_each(|line| *line = true);
    }
    if is_code {
        leave_out_imports(lines, &mut is_taken);
    }
    let mut all: Vec<(SourceSpan, Option<String>)> =
        named.into_iter().map(|(span, name)| (span, Some(name))).collect();
    let mut start = None;
    for at in 0..=lines.len() {
        let is_free = is_taken.get(at).is_some_and(|is_taken| !is_taken);
        let is_text = is_free && !lines[at].trim().is_empty();
        let is_full = start.is_some_and(|start| at - start >= WINDOW_LINES);
        if let Some(first) = start.filter(|_| !is_free || is_full) {
            let blank = lines[first..at].iter().rev().take_while(|it| it.trim().is_empty()).count();
            let last = at - blank;
            if !(is_code && is_remark(&lines[first..last])) {
                all.push((SourceSpan { start: first as u32 + 1, end: last as u32 }, None));
            }
            start = None;
        }
        if is_text && start.is_none() {
            start = Some(at);
        }
    }
    all.sort_by_key(|(span, _)| span.start);
    all
}

/// Returns whether the lines are a single comment line or docstring line.
fn is_remark(lines: &[&str]) -> bool {
    let signs = ["#", "//", "/*", "\"\"\"", "'''"];
    let is_remark = |line: &&str| signs.iter().any(|sign| line.trim_start().starts_with(sign));
    matches!(lines, [line] if is_remark(line))
}

fn leave_out_imports(lines: &[&str], is_taken: &mut [bool]) {
    let mut is_open = false;
    for (line, is_taken) in lines.iter().zip(is_taken) {
        let text = line.trim_start();
        let begins = ["import ", "from ", "use ", "pub use ", "#include", "package ", "using "];
        let is_import = begins.iter().any(|begin| text.starts_with(begin));
        if is_import || is_open {
            *is_taken = true;
            let opens = text.contains(['(', '{']) || is_open;
            is_open = opens && !text.contains([')', '}']);
        }
    }
}

impl CodePiece {
    /// Cuts a piece out of a file, and counts its terms.
    fn from_span(path: &str, lines: &[&str], span: SourceSpan, name: Option<String>) -> Self {
        let (first, last) = (span.start as usize, (span.end as usize).min(lines.len()));
        let text = lines.get(first - 1..last).unwrap_or_default();
        let mut piece = Self {
            lines: (first, last.max(first)),
            name,
            terms: BTreeMap::new(),
            length: 0.0,
            lines_with_text: vec![],
        };
        for (number, line) in (first..).zip(text) {
            if !line.trim().is_empty() {
                piece.lines_with_text.push(number);
            }
            piece.length += piece.add_terms(line, TEXT_WEIGHT);
        }
        if let Some(name) = piece.name.clone() {
            piece.add_terms(&name, NAME_WEIGHT);
        }
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        piece.add_terms(stem, PATH_WEIGHT);
        piece
    }

    /// Adds the terms of a text and returns the number of words.
    fn add_terms(&mut self, text: &str, weight: f64) -> f64 {
        let mut count = 0.0;
        terms::for_each_token(text, |token| {
            let mut term = |key: Option<String>| {
                if let Some(key) = key {
                    *self.terms.entry(key.into()).or_default() += weight;
                    count += 1.0;
                }
            };
            match token {
                TextToken::Number(written) => term(terms::number_key(written)),
                TextToken::Name(name) => {
                    terms::identifier_words(name)
                        .into_iter()
                        .for_each(|word| term(terms::word_key(word)));
                    *self.terms.entry(terms::symbol_key(name).into()).or_default() += weight;
                }
            }
        });
        count
    }
}
