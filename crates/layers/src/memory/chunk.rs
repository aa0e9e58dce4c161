//! The pieces of the memory: the head of a chunk has its kind and its place; its content is read when it is opened,
//! and is not stored.

use serde::{Deserialize, Serialize};

use trajview_metrics::{absence::terms, lifeline::CodeDefinition};
use trajview_run::RepoPath;

/// The place of a head in the catalogue. It stays with the entity through new versions and new names.
pub type ChunkId = usize;

/// The kind of thing that a chunk is a piece of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkKind {
    /// A file of the project, whole.
    #[default]
    File,
    Class,
    Function,
    /// A constant or variable at the top of a file.
    Value,
    /// The text below a heading of a document.
    Section,
    /// The request of a turn.
    Request,
    Decision,
}

/// The properties of a chunk that are known without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChunkHead {
    pub kind: ChunkKind,
    /// The path of a file, `turn 3` of a request, `decision db`.
    pub artifact: String,
    /// The dotted name of a definition or the heading of a section; empty where the artifact is all of it.
    pub name: String,
    /// The former names, as [`Self::chunk_key`] gives them; the oldest first.
    pub formerly: Vec<String>,
    /// A description in one line.
    pub synopsis: String,
    /// First and last in the newest version, counting from 1, of a file those that say what it is; None for what has no
    /// lines.
    pub lines: Option<(u32, u32)>,
    /// The hash of the content, which changes with the content and not with its place.
    pub hash: u64,
    /// The content is that after so many turns.
    pub version: usize,
    /// The turn that introduced the chunk; 0 for chunks from before the first.
    pub introduced: usize,
    /// The turn that took it away; None while it is there.
    pub gone: Option<usize>,
    /// The last turn that changed the chunk, read its file or requested it; 0 for none.
    pub touched: usize,
}

/// Characters of a synopsis.
const MOST_SYNOPSIS: usize = 200;

impl ChunkKind {
    /// Returns the word that a person uses for the kind.
    pub const fn kind_word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Class => "class",
            Self::Function => "function",
            Self::Value => "value",
            Self::Section => "section",
            Self::Request => "request",
            Self::Decision => "decision",
        }
    }
}

impl ChunkHead {
    /// Returns the key that no other chunk has: `ppdiff/losses.py#total_loss`.
    pub(crate) fn chunk_key(&self) -> String {
        key_for(&self.artifact, &self.name)
    }

    /// Returns the name that a person uses.
    pub fn display_name(&self) -> &str {
        if self.name.is_empty() { &self.artifact } else { &self.name }
    }

    /// Returns the last part of its name; of a file its name without folders and ending.
    pub fn simple_name(&self) -> &str {
        match self.kind {
            ChunkKind::File => {
                let name = self.artifact.rsplit('/').next().unwrap_or(&self.artifact);
                name.split('.').next().unwrap_or(name)
            }
            _ => self.name.rsplit('.').next().unwrap_or(&self.name),
        }
    }

    /// Returns whether the language calls the function implicitly (`__init__`), so that no word refers to it.
    pub(crate) fn is_called_implicitly(&self) -> bool {
        let name = self.simple_name();
        self.is_symbol() && name.starts_with("__") && name.ends_with("__")
    }

    /// Returns whether the chunk is a definition in code.
    pub(crate) const fn is_symbol(&self) -> bool {
        matches!(self.kind, ChunkKind::Class | ChunkKind::Function | ChunkKind::Value)
    }

    /// Returns the path of its artifact; None for requests and decisions.
    pub fn file_path(&self) -> Option<RepoPath> {
        let is_in_project = !matches!(self.kind, ChunkKind::Request | ChunkKind::Decision);
        is_in_project.then(|| RepoPath::new(&self.artifact)).flatten()
    }

    /// Returns the turn of a request, counted from 1; None for other chunks.
    pub(crate) fn request_turn(&self) -> Option<usize> {
        let turn = self.artifact.strip_prefix("turn ")?;
        turn.parse().ok().filter(|_| self.kind == ChunkKind::Request)
    }

    /// Returns the stems that a chunk is compared by: those of its names and its synopsis.
    pub(crate) fn word_stems(&self) -> Vec<String> {
        let mut all = text_stems(&self.synopsis);
        all.extend(text_stems(&self.name));
        all.extend(text_stems(&self.artifact));
        all
    }
}

pub fn key_for(artifact: &str, name: &str) -> String {
    if name.is_empty() { artifact.to_owned() } else { format!("{artifact}#{name}") }
}

/// Returns the stems of the words of a text that say something, identifiers in pieces, in order.
pub(crate) fn text_stems(text: &str) -> Vec<String> {
    let mut all = vec![];
    terms::for_each_token(text, |token| {
        if let terms::TextToken::Name(name) = token {
            all.extend(terms::identifier_words(name).into_iter().filter_map(terms::word_key));
        }
    });
    all
}

/// Returns the text as one line of at most `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Estimates the tokens of a text: a quarter of its characters, rounded up.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Returns the FNV-1a hash of a text, of 64 bits.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the words of a definition's head: its first line and what is written about it, else its name.
pub(crate) fn synopsis_of(definition: &CodeDefinition, lines: Option<&[&str]>) -> String {
    let written = lines.and_then(|lines| {
        let start = (definition.first_line() as usize).checked_sub(1)?;
        let definition_lines =
            lines.get(start..(definition.last_line() as usize).min(lines.len()))?;
        let at =
            definition_lines.iter().position(|line| line.contains(definition.simple_name()))?;
        let about = definition_lines
            .get(at..)
            .and_then(docstring_line)
            .or_else(|| comment_line(&lines[..start]));
        let signature = definition_lines[at].trim().trim_end_matches(['{', ':']).trim_end();
        Some(match about {
            Some(about) => format!("{signature} - {about}"),
            None => signature.to_owned(),
        })
    });
    one_line(&written.unwrap_or_else(|| definition.name.to_string()), MOST_SYNOPSIS)
}

/// Returns the first line of the docstring of a definition of Python, whose lines are given from its head on; None where its body
/// begins with something else.
fn docstring_line<'l>(definition: &[&'l str]) -> Option<&'l str> {
    let mut lines = definition.iter().map(|line| line.trim());
    lines.by_ref().take(MOST_HEAD_LINES).find(|line| line.ends_with(':'))?;
    let mut body = lines.filter(|line| !line.is_empty());
    let opening = body.next()?.trim_start_matches(['r', 'b', 'u']);
    let opened = opening.strip_prefix("\"\"\"").or_else(|| opening.strip_prefix("'''"))?;
    let without_quotes = |line: &'l str| line.trim_end_matches(['"', '\'']).trim();
    let text = [opened].into_iter().chain(body.next()).map(without_quotes);
    text.into_iter().find(|line| !line.is_empty())
}

/// The most lines of the head of a definition that are searched for its end.
const MOST_HEAD_LINES: usize = 8;

/// Returns the first line of the comment right above; None where there is none.
fn comment_line<'l>(above: &[&'l str]) -> Option<&'l str> {
    let is_comment = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("//") || line.starts_with('#') || line.starts_with('*')
    };
    let first = above.iter().rev().take(20).take_while(is_comment).last()?;
    let line = first.trim().trim_start_matches(['/', '#', '*', '!']).trim();
    (line.chars().filter(|c| c.is_alphabetic()).count() > 2).then_some(line)
}

/// Returns the synopsis of a file: its first line of prose, with its number, counting from 1. None where none of the
/// first lines is a comment, a quoted text or a line of a document.
pub(crate) fn synopsis_of_file(path: &str, lines: &[&str]) -> Option<(u32, String)> {
    let line_words = |line: &str| {
        let line = line.trim();
        let marks = ["\"\"\"", "'''", "//", "#", "/*", "*", "<!--", "--", ";"];
        let mark = marks.iter().find(|mark| line.starts_with(**mark));
        let words = line
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '(' | ')' | '?'));
        let is_said = (mark.is_some() && !line.starts_with("#!")) || is_document(path);
        (is_said && words.split_whitespace().count() > 1).then(|| words.to_owned())
    };
    let (at, line) =
        (1..).zip(lines).take(5).find_map(|(at, line)| Some((at, line_words(line)?)))?;
    Some((at, one_line(&format!("{path} - {line}"), MOST_SYNOPSIS)))
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSection<'l> {
    pub heading: &'l str,
    pub lines: (u32, u32),
}

/// Sections of one document, at most.
const MOST_SECTIONS: usize = 100;

/// Returns whether a path is that of a document.
pub fn is_document(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["md", "markdown", "rst", "txt", "adoc"].contains(&ending.as_str())
}

/// Returns the sections of a text by its `#` headings, fenced code left alone. Of two with one heading the first
/// counts.
pub(crate) fn document_sections<'l>(lines: &[&'l str]) -> Vec<DocumentSection<'l>> {
    let mut found: Vec<DocumentSection<'l>> = vec![];
    let mut is_fenced = false;
    for (number, line) in (1_u32..).zip(lines) {
        is_fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#').trim();
        let is_heading = line.starts_with('#') && !is_fenced && !heading.is_empty();
        if is_heading
            && !found.iter().any(|it| it.heading == heading)
            && found.len() < MOST_SECTIONS
        {
            found.push(DocumentSection { heading, lines: (number, number) });
        } else if let Some(last) = found.last_mut() {
            last.lines.1 = number;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_code::tree::Grammar;
    use trajview_metrics::lifeline;

    #[test]
    fn a_head_says_what_stands_first_in_its_content() {
        let text = "# Keeps the mean.\nclass EMA:\n    pass\n\ndef f(x,\n      y):\n    \"\"\"Adds.\n    More.\"\"\"\n    return x\n";
        let lines: Vec<&str> = text.lines().collect();
        let facts = lifeline::read_facts(Grammar::Python, text.as_bytes());
        let said = |at: usize| synopsis_of(&facts.definitions[at], Some(&lines));

        assert_eq!(said(0), "class EMA - Keeps the mean.");
        assert_eq!(said(1), "def f(x, - Adds.");
        assert_eq!(synopsis_of(&facts.definitions[0], None), "EMA");
        assert_eq!(synopsis_of_file("a.py", &lines), Some((1, "a.py - Keeps the mean.".into())));
        assert_eq!(synopsis_of_file("a.py", &lines[1..]), None);
    }

    #[test]
    fn a_document_has_a_section_a_heading() {
        let lines = ["# One", "a", "```", "# no", "```", "## Two", "b", "# One", "c"];
        let found = document_sections(&lines);
        let told: Vec<_> = found.iter().map(|it| (it.heading, it.lines)).collect();
        assert_eq!(told, [("One", (1, 5)), ("Two", (6, 9))]);
        assert_eq!(document_sections(&["text"]), []);
    }

    #[test]
    fn a_docstring_is_the_first_statement_of_a_body() {
        let first_line =
            |text: &str| docstring_line(&text.lines().collect::<Vec<_>>()).map(str::to_owned);
        let expected = Some("Returns x.".to_owned());

        assert_eq!(first_line("def f(x):\n    r\"\"\"Returns x.\"\"\"\n    return x"), expected);
        assert_eq!(first_line("def f(\n    x,\n):\n\n    '''\n    Returns x.\n    '''"), expected);
        assert_eq!(first_line("class A:\n    def f(self):\n        '''Returns 1.'''"), None);
        assert_eq!(first_line("fn f() {\n    1\n}"), None);
    }
}
