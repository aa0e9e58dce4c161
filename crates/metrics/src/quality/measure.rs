//! Measuring one file.

use std::borrow::Cow;
use trajview_code::flat_tree::FlatTree;

use tree_sitter::{Node, Tree};

use super::{
    MAX_BYTES, MAX_DEPTH,
    file_measure::{FileMeasure, QualityHit, SkipReason, SourceSpan},
    languages::{self, MeasuredLanguage},
    profile::QualityProfile,
    python, python_lines,
    ruler::Ruler,
};
use crate::rules::RuleMatch;
use trajview_code::{
    tree::{self, Grammar},
    type_defaults,
};

/// Measures everything about one file that does not depend on other files. Only the suffix of `path` matters, so two
/// files with the same bytes and the same [`QualityProfile::grammar_of_file`] have the same measure.
///
/// Never fails: a file that does not count has its reason in `skipped`.
pub fn measure_file(path: &str, bytes: &[u8], ruler: &Ruler) -> FileMeasure {
    measure_and(path, bytes, ruler, |_| {})
}

/// A file without errors, as parsed for the measures.
#[derive(Clone, Copy)]
pub struct ParsedFile<'a> {
    pub grammar: Grammar,
    pub text: &'a str,
    pub flat: &'a FlatTree<'a>,
}

/// Does the same, and passes the parsed file to `seen`, so that other readers need no second tree. `seen` is not
/// called for a file that has an error, or whose text was changed for the parser.
pub fn measure_and(
    path: &str,
    bytes: &[u8],
    ruler: &Ruler,
    seen: impl FnOnce(ParsedFile<'_>),
) -> FileMeasure {
    let Some(grammar) = ruler.profile().grammar_of_file(path) else {
        return skipped_measure(None, SkipReason::NoGrammar);
    };
    match try_measure(grammar, bytes, ruler, seen) {
        Ok(measure) => FileMeasure { grammar: Some(grammar), ..measure },
        Err(why) => skipped_measure(Some(grammar), why),
    }
}

fn skipped_measure(grammar: Option<Grammar>, why: SkipReason) -> FileMeasure {
    FileMeasure { grammar, skipped: Some(why), ..FileMeasure::default() }
}

/// Decodes, parses and measures a file.
fn try_measure(
    grammar: Grammar,
    bytes: &[u8],
    ruler: &Ruler,
    seen: impl FnOnce(ParsedFile<'_>),
) -> Result<FileMeasure, SkipReason> {
    if bytes.len() > MAX_BYTES {
        return Err(SkipReason::TooBig);
    }
    let written = decode_text(bytes, ruler.profile())?;
    let text = python_lines::universal_newlines(&written);
    let is_as_written = matches!((&written, &text), (Cow::Borrowed(_), Cow::Borrowed(_)));
    let older = newer_than_the_grammar(grammar, &text, ruler.profile());
    let texts =
        FileTexts { written: &written, text: older.as_deref().unwrap_or(&text), is_as_written };
    tree::with_tree(grammar, texts.text.as_bytes(), |root| {
        let root = root.ok_or(SkipReason::NoGrammar)?;
        measure_tree(grammar, texts, root, ruler, seen)
    })
}

/// Returns the text with syntax of Python 3.13 that the grammar does not know replaced by equally long syntax that it
/// knows; None where there is none. The references skip such a file.
fn newer_than_the_grammar(grammar: Grammar, text: &str, profile: QualityProfile) -> Option<String> {
    let is_ours = grammar == Grammar::Python && profile == QualityProfile::Trajview;
    is_ours.then(|| type_defaults::as_bounds(text)).flatten()
}

/// A file as written, and the text of the tree.
#[derive(Clone, Copy)]
struct FileTexts<'a> {
    written: &'a Cow<'a, str>,
    text: &'a str,
    /// True where positions in the tree are positions in the file.
    is_as_written: bool,
}

fn measure_tree(
    grammar: Grammar,
    FileTexts { written, text, is_as_written }: FileTexts<'_>,
    root: Node<'_>,
    ruler: &Ruler,
    seen: impl FnOnce(ParsedFile<'_>),
) -> Result<FileMeasure, SkipReason> {
    if root.has_error() && !bears_errors(grammar, ruler.profile()) {
        return Err(SkipReason::SyntaxError);
    }
    let flat = FlatTree::from_node(root);
    if flat.depth > MAX_DEPTH {
        return Err(SkipReason::TooDeep);
    }
    if is_as_written && !root.has_error() {
        seen(ParsedFile { grammar, text, flat: &flat });
    }
    if grammar == Grammar::Python && python::is_refused(text, &flat, ruler.profile()) {
        return Err(SkipReason::SyntaxError);
    }
    let measure = match grammar {
        Grammar::Python => python::measure_python(text, &flat, ruler.profile()),
        _ => languages::measure_language(text, &flat, grammar, ruler.profile()),
    };
    if ruler.profile().is_scb_check() && matches!(written, Cow::Owned(_)) {
        return Ok(measure); // what runs the rules there cannot read a file that is not UTF-8
    }
    match tree_for_rules(written, grammar, ruler.profile()) {
        Some(tree) => {
            let flat = FlatTree::from_node(tree.root_node());
            Ok(with_rules(measure, ruler, grammar, written, &flat))
        }
        None => Ok(with_rules(measure, ruler, grammar, text, &flat)),
    }
}

/// Returns the tree for the rules where it differs from the tree for the measures: the rule engine of the references
/// reads the file as written, where a lone `\r` ends no line.
fn tree_for_rules(written: &str, grammar: Grammar, profile: QualityProfile) -> Option<Tree> {
    let has_lone =
        python_lines::has_lone_carriage_return(written) && profile != QualityProfile::Trajview;
    has_lone.then(|| tree::parse_tree(grammar, written.as_bytes())).flatten()
}

/// Returns whether a file with a syntax error is measured. The references skip such a file in every language.
fn bears_errors(grammar: Grammar, profile: QualityProfile) -> bool {
    profile == QualityProfile::Trajview
        && MeasuredLanguage::for_grammar(grammar).is_some_and(|row| row.bears_errors)
}

/// Adds the matches of the rules to the measures.
fn with_rules(
    measure: FileMeasure,
    ruler: &Ruler,
    grammar: Grammar,
    text: &str,
    flat: &FlatTree<'_>,
) -> FileMeasure {
    let matches = ruler.rules().scan_file(grammar, text, flat, ruler.profile().comment_handling());
    let suppressed =
        u32::try_from(matches.all.len() - matches.unsuppressed.len()).unwrap_or(u32::MAX);
    let counted =
        if ruler.profile().heeds_suppressions() { matches.unsuppressed } else { matches.all };
    let hit = |hit: RuleMatch<'_>| QualityHit {
        rule: hit.rule.to_owned(),
        span: SourceSpan { start: hit.start, end: hit.end },
    };
    FileMeasure { hits: counted.into_iter().map(hit).collect(), suppressed, ..measure }
}

/// Decodes a file. The paper's code skips files that are not UTF-8, `scb-check` reads them with replacement
/// characters.
fn decode_text(bytes: &[u8], profile: QualityProfile) -> Result<Cow<'_, str>, SkipReason> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) if profile.is_scb_check() => Ok(String::from_utf8_lossy(bytes)),
        Err(_) => Err(SkipReason::NotUtf8),
    }
}
