//! Measuring one file.

use std::borrow::Cow;
use trajview_code::flat::Flat;

use tree_sitter::{Node, Tree};

use super::{
    MAX_BYTES, MAX_DEPTH,
    file::{FileMeasure, Hit, Skip, Span},
    languages::{self, Row},
    profile::Profile,
    python,
    ruler::Ruler,
    text,
};
use crate::rules::Match;
use trajview_code::{
    tree::{self, Grammar},
    type_defaults,
};

/// Everything about one file that does not depend on other files. Of `path` only the name's end matters, so two files
/// with the same bytes and the same [`Profile::grammar`] have the same measure.
///
/// Never fails: a file that does not count says why in `skipped`.
pub fn measure(path: &str, bytes: &[u8], ruler: &Ruler) -> FileMeasure {
    measure_and(path, bytes, ruler, |_| {})
}

/// A file without errors, as it was read to be measured.
#[derive(Clone, Copy)]
pub struct Parsed<'a> {
    pub grammar: Grammar,
    pub text: &'a str,
    pub flat: &'a Flat<'a>,
}

/// The same, and `seen` is given what was read, so that what else there is to know of the file needs no second tree. It
/// is not called for a file that is read otherwise than it is written, or has an error.
pub fn measure_and(
    path: &str,
    bytes: &[u8],
    ruler: &Ruler,
    seen: impl FnOnce(Parsed<'_>),
) -> FileMeasure {
    let Some(grammar) = ruler.profile().grammar(path) else {
        return skipped(None, Skip::NoGrammar);
    };
    match try_measure(grammar, bytes, ruler, seen) {
        Ok(measure) => FileMeasure { grammar: Some(grammar), ..measure },
        Err(why) => skipped(Some(grammar), why),
    }
}

fn skipped(grammar: Option<Grammar>, why: Skip) -> FileMeasure {
    FileMeasure { grammar, skipped: Some(why), ..FileMeasure::default() }
}

fn try_measure(
    grammar: Grammar,
    bytes: &[u8],
    ruler: &Ruler,
    seen: impl FnOnce(Parsed<'_>),
) -> Result<FileMeasure, Skip> {
    if bytes.len() > MAX_BYTES {
        return Err(Skip::TooBig);
    }
    let written = read(bytes, ruler.profile())?;
    let text = text::universal(&written);
    let is_as_written = matches!((&written, &text), (Cow::Borrowed(_), Cow::Borrowed(_)));
    let older = newer_than_the_grammar(grammar, &text, ruler.profile());
    let texts = Texts { written: &written, text: older.as_deref().unwrap_or(&text), is_as_written };
    tree::with_tree(grammar, texts.text.as_bytes(), |root| {
        let root = root.ok_or(Skip::NoGrammar)?;
        measure_tree(grammar, texts, root, ruler, seen)
    })
}

/// The text as the grammar knows it, place by place the same, where it has what the grammar does not know but Python 3.13
/// does. The references skip such a file.
fn newer_than_the_grammar(grammar: Grammar, text: &str, profile: Profile) -> Option<String> {
    let is_ours = grammar == Grammar::Python && profile == Profile::Trajview;
    is_ours.then(|| type_defaults::as_bounds(text)).flatten()
}

/// A file as it is written, and the text that the tree is of.
#[derive(Clone, Copy)]
struct Texts<'a> {
    written: &'a Cow<'a, str>,
    text: &'a str,
    /// Whether every place of the tree is one of the file.
    is_as_written: bool,
}

fn measure_tree(
    grammar: Grammar,
    Texts { written, text, is_as_written }: Texts<'_>,
    root: Node<'_>,
    ruler: &Ruler,
    seen: impl FnOnce(Parsed<'_>),
) -> Result<FileMeasure, Skip> {
    if root.has_error() && !bears_errors(grammar, ruler.profile()) {
        return Err(Skip::SyntaxError);
    }
    let flat = Flat::of(root);
    if flat.depth > MAX_DEPTH {
        return Err(Skip::TooDeep);
    }
    if is_as_written && !root.has_error() {
        seen(Parsed { grammar, text, flat: &flat });
    }
    if grammar == Grammar::Python && python::is_refused(text, &flat, ruler.profile()) {
        return Err(Skip::SyntaxError);
    }
    let measure = match grammar {
        Grammar::Python => python::measure(text, &flat, ruler.profile()),
        _ => languages::measure(text, &flat, grammar, ruler.profile()),
    };
    if ruler.profile().is_scb_check() && matches!(written, Cow::Owned(_)) {
        return Ok(measure); // what runs the rules there cannot read a file that is not UTF-8
    }
    match rules_see(written, grammar, ruler.profile()) {
        Some(tree) => {
            let flat = Flat::of(tree.root_node());
            Ok(with_rules(measure, ruler, grammar, written, &flat))
        }
        None => Ok(with_rules(measure, ruler, grammar, text, &flat)),
    }
}

/// What runs the rules in the references reads the file as it is written, where a `\r` alone ends no line: the tree it
/// sees, where that is another one.
fn rules_see(written: &str, grammar: Grammar, profile: Profile) -> Option<Tree> {
    let has_lone = text::has_lone_carriage_return(written) && profile != Profile::Trajview;
    has_lone.then(|| tree::parse(grammar, written.as_bytes())).flatten()
}

/// The references skip a file in which the grammar finds an error, whatever its language.
fn bears_errors(grammar: Grammar, profile: Profile) -> bool {
    profile == Profile::Trajview && Row::of(grammar).is_some_and(|row| row.bears_errors)
}

fn with_rules(
    measure: FileMeasure,
    ruler: &Ruler,
    grammar: Grammar,
    text: &str,
    flat: &Flat<'_>,
) -> FileMeasure {
    let found = ruler.rules().scan(grammar, text, flat, ruler.profile().comments());
    let suppressed = u32::try_from(found.all.len() - found.kept.len()).unwrap_or(u32::MAX);
    let counted = if ruler.profile().heeds_suppressions() { found.kept } else { found.all };
    let hit = |hit: Match<'_>| Hit {
        rule: hit.rule.to_owned(),
        span: Span { start: hit.start, end: hit.end },
    };
    FileMeasure { hits: counted.into_iter().map(hit).collect(), suppressed, ..measure }
}

/// The paper's code skips what is not UTF-8, `scb-check` reads it with replacement characters.
fn read(bytes: &[u8], profile: Profile) -> Result<Cow<'_, str>, Skip> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) if profile.is_scb_check() => Ok(String::from_utf8_lossy(bytes)),
        Err(_) => Err(Skip::NotUtf8),
    }
}
