//! Cuts a file into places: functions and classes where there is a grammar, windows of lines elsewhere and between them.

use std::collections::BTreeMap;

use crate::{
    lifeline::{self, Kind},
    quality::Span,
};
use trajview_code::tree::Grammar;
use trajview_run::RepoPath;

use super::terms::{self, Token};

/// A class of no more lines is one place; of a longer one each method is.
const CLASS_LINES: u32 = 60;

/// The most lines of a place that has no name.
const WINDOW_LINES: usize = 40;

/// What a place of this kind counts for beside code: a test and a text speak of what they do not do.
const TEST: f64 = 0.3;
const PROSE: f64 = 0.5;

/// How often a term counts where it stands: in the name of the definition, in the path of the file, in the text.
const IN_NAME: f64 = 4.0;
const IN_PATH: f64 = 1.0;
const IN_TEXT: f64 = 1.0;

/// A place with its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// First and last line, counting from 1.
    pub lines: (usize, usize),
    /// Dotted from the outermost class or function; None between definitions.
    pub name: Option<String>,
    /// How often each term stands there, by key, weighted by where.
    pub terms: BTreeMap<Box<str>, f64>,
    /// Words of its text.
    pub length: f64,
    /// Lines that are not blank, counting from 1.
    pub lines_with_text: Vec<usize>,
}

/// A file as a judge could have opened it.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePieces {
    pub path: String,
    pub lines: usize,
    /// What its places count for.
    pub weight: f64,
    pub pieces: Vec<Piece>,
}

impl FilePieces {
    /// Whatever the text.
    pub fn of(path: &str, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let grammar = Grammar::of(path).filter(|grammar| grammar.is_compiled_in());
        let named = grammar.map_or_else(Vec::new, |grammar| definitions(grammar, text, &lines));
        let is_test = RepoPath::new(path).is_some_and(|path| lifeline::is_test(&path));
        let weight = match (is_test, grammar) {
            (true, _) => TEST,
            (false, None) => PROSE,
            (false, Some(_)) => 1.0,
        };
        let spans = with_windows(named, &lines, grammar.is_some());
        let piece = |(span, name): (Span, Option<String>)| Piece::of(path, &lines, span, name);
        let pieces = spans.into_iter().map(piece).filter(|piece| piece.length > 0.0).collect();
        Self { path: path.to_owned(), lines: lines.len(), weight, pieces }
    }
}

/// Functions, methods and classes that do not lie in each other, by line.
fn definitions(grammar: Grammar, text: &str, lines: &[&str]) -> Vec<(Span, String)> {
    let facts = lifeline::facts(grammar, text.as_bytes());
    let mut found: Vec<(Span, String)> = vec![];
    for definition in &facts.definitions {
        for part in &definition.parts {
            let length = part.span.end.saturating_sub(part.span.start) + 1;
            let is_place = match definition.kind {
                Kind::Function => true,
                Kind::Class => length <= CLASS_LINES,
                Kind::Value => false,
            };
            if is_place {
                found.push((with_comments_above(part.span, lines), definition.name.to_string()));
            }
        }
    }
    // What begins first and ends last holds the others.
    found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    found.retain(|(span, _)| {
        let is_outer = span.start > end;
        end = end.max(span.end);
        is_outer
    });
    found
}

/// Comments right above a definition are of it.
fn with_comments_above(span: Span, lines: &[&str]) -> Span {
    let is_comment = |line: u32| {
        let text = lines.get(line as usize - 1).map_or("", |line| line.trim_start());
        ["#", "//", "/*", "*"].iter().any(|sign| text.starts_with(sign))
            && !text.starts_with("#include")
    };
    let mut start = span.start.max(1);
    while start > 1 && is_comment(start - 1) {
        start -= 1;
    }
    Span { start, end: span.end }
}

/// The definitions, and the lines between them in windows. Lines that import say nothing of what a file does.
fn with_windows(
    named: Vec<(Span, String)>,
    lines: &[&str],
    is_code: bool,
) -> Vec<(Span, Option<String>)> {
    let mut is_taken = vec![false; lines.len()];
    for (span, _) in &named {
        let taken = is_taken.get_mut(span.start as usize - 1..(span.end as usize).min(lines.len()));
        taken.into_iter().flatten().for_each(|line| *line = true);
    }
    if is_code {
        leave_out_imports(lines, &mut is_taken);
    }
    let mut all: Vec<(Span, Option<String>)> =
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
                all.push((Span { start: first as u32 + 1, end: last as u32 }, None));
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

/// A lone line that says what the file is for.
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

impl Piece {
    fn of(path: &str, lines: &[&str], span: Span, name: Option<String>) -> Self {
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
            piece.length += piece.add(line, IN_TEXT);
        }
        if let Some(name) = piece.name.clone() {
            piece.add(&name, IN_NAME);
        }
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        piece.add(stem, IN_PATH);
        piece
    }

    /// Says how many words it was.
    fn add(&mut self, text: &str, weight: f64) -> f64 {
        let mut count = 0.0;
        terms::tokens(text, |token| {
            let mut term = |key: Option<String>| {
                if let Some(key) = key {
                    *self.terms.entry(key.into()).or_default() += weight;
                    count += 1.0;
                }
            };
            match token {
                Token::Number(written) => term(terms::number(written)),
                Token::Name(name) => {
                    terms::words(name).into_iter().for_each(|word| term(terms::key(word)));
                    *self.terms.entry(terms::symbol(name).into()).or_default() += weight;
                }
            }
        });
        count
    }
}
