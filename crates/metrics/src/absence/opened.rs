//! Which lines of a snapshot a judge has seen, as far as its trace tells.
//!
//! A `read` opens the lines it names, or those its answer says it gave; a `search` only the lines of its hits that the
//! trace still shows; `list` and `symbols` open nothing. A tool we do not know that names a file counts as if it had
//! shown all of it. Lines cited as evidence have been seen.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use trajview_run::rubric::{Evidence, Look};

use super::pieces::{FilePieces, Piece};

/// Of the lines of a place that are not blank, the share that has to be seen.
const ENOUGH: f64 = 0.5;

/// What was seen of the files of a snapshot.
#[derive(Debug, Default)]
pub struct Opened {
    /// By path: for each line, counting from 1 at index 0, whether it was read.
    read: BTreeMap<String, Vec<bool>>,
    /// Lines that evidence cites, first and last, by path.
    cited: BTreeMap<String, Vec<(usize, usize)>>,
    /// Tools we do not know, by the path they name.
    unknown: BTreeMap<String, String>,
}

/// How a place counts as opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedBy {
    /// A call that shows lines.
    Read,
    /// The verdict cites lines of it.
    Evidence,
    /// A tool of this name, which we do not know, names its file.
    UnknownTool(String),
}

impl OpenedBy {
    /// Whether it is taken for opened without our knowing what the judge was shown.
    pub const fn is_guess(&self) -> bool {
        matches!(self, Self::UnknownTool(_))
    }
}

impl std::fmt::Display for OpenedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read => f.write_str("the judge read it"),
            Self::Evidence => f.write_str("the verdict cites it"),
            Self::UnknownTool(tool) => {
                write!(f, "{tool}, a tool we do not know, names the file")
            }
        }
    }
}

impl Opened {
    pub fn of(looks: &[Look], evidence: &[Evidence], files: &[&FilePieces]) -> Self {
        let mut opened = Self::default();
        let snapshot = Snapshot { files };
        looks.iter().for_each(|look| opened.look(look, &snapshot));
        for cited in evidence {
            let Some(file) = snapshot.file(&cited.path) else { continue };
            let lines = cited.lines.unwrap_or((1, file.lines));
            opened.cited.entry(file.path.clone()).or_default().push(lines);
        }
        opened
    }

    /// None for a place that was not opened.
    pub fn by(&self, path: &str, piece: &Piece) -> Option<OpenedBy> {
        let touches = |lines: &(usize, usize)| lines.0 <= piece.lines.1 && piece.lines.0 <= lines.1;
        if self.cited.get(path).is_some_and(|cited| cited.iter().any(touches)) {
            return Some(OpenedBy::Evidence);
        }
        let read = self.read.get(path);
        let is_read = |line: &&usize| read.is_some_and(|read| read.get(**line - 1) == Some(&true));
        let seen = piece.lines_with_text.iter().filter(is_read).count();
        if seen > 0 && seen as f64 >= ENOUGH * piece.lines_with_text.len() as f64 {
            return Some(OpenedBy::Read);
        }
        self.unknown.get(path).map(|tool| OpenedBy::UnknownTool(tool.clone()))
    }

    fn look(&mut self, look: &Look, snapshot: &Snapshot<'_>) {
        let excerpt = look.excerpt.as_deref().unwrap_or_default();
        if excerpt.starts_with("refused") {
            return;
        }
        match Tool::of(&look.tool) {
            Tool::Reads => {
                for (path, lines) in named(&look.arguments, snapshot) {
                    self.see(path, given(excerpt).or(lines));
                }
            }
            Tool::Searches => {
                for line in excerpt.lines() {
                    let Some((path, number)) = hit(line, snapshot) else { continue };
                    self.see(path, Some((number, number)));
                }
            }
            Tool::Lists => {}
            Tool::Unknown => {
                for (path, _) in named(&look.arguments, snapshot) {
                    self.unknown.entry(path.path.clone()).or_insert_with(|| look.tool.clone());
                }
            }
        }
    }

    fn see(&mut self, file: &FilePieces, lines: Option<(usize, usize)>) {
        let (first, last) = lines.unwrap_or((1, file.lines));
        let read = self.read.entry(file.path.clone()).or_insert_with(|| vec![false; file.lines]);
        let last = last.min(file.lines);
        read.get_mut(first.max(1) - 1..last).into_iter().flatten().for_each(|line| *line = true);
    }
}

enum Tool {
    Reads,
    Searches,
    Lists,
    Unknown,
}

impl Tool {
    /// By the words that judges' tools are made of: `read_file`, `mcp__fs__grep`, `Glob`.
    fn of(name: &str) -> Self {
        let small = name.to_lowercase();
        let last = small.rsplit("__").next().unwrap_or(&small);
        let words: Vec<&str> = last.split(|c: char| !c.is_alphanumeric()).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
        if has(&["search", "grep", "rg", "find", "ripgrep"]) {
            Self::Searches
        } else if has(&["list", "ls", "tree", "glob", "symbols", "outline", "dir"]) {
            Self::Lists
        } else if has(&["read", "view", "cat", "open", "get", "show"]) {
            Self::Reads
        } else {
            Self::Unknown
        }
    }
}

struct Snapshot<'a> {
    files: &'a [&'a FilePieces],
}

impl<'a> Snapshot<'a> {
    /// The file that a path means: itself, with `./` before it, or below the place where the judge saw the snapshot.
    fn file(&self, path: &str) -> Option<&'a FilePieces> {
        let path = path.trim().replace('\\', "/");
        let path = path.trim_start_matches("./");
        let is_it = |file: &&&FilePieces| file.path == path;
        if let Some(file) = self.files.iter().find(is_it) {
            return Some(file);
        }
        let ends = |file: &&&FilePieces| {
            path.strip_suffix(&file.path).is_some_and(|before| before.ends_with('/'))
        };
        self.files.iter().filter(ends).max_by_key(|file| file.path.len()).copied()
    }
}

type Lines = Option<(usize, usize)>;

/// The files that arguments name, with the lines; None for all of a file.
fn named<'a>(arguments: &str, snapshot: &Snapshot<'a>) -> Vec<(&'a FilePieces, Lines)> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => {
            let texts = map.values().flat_map(|value| match value {
                Value::Array(all) => all.iter().collect(),
                one => vec![one],
            });
            let words: Vec<&str> = texts.filter_map(Value::as_str).collect();
            let lines = lines_of(&map);
            let all = words.iter().flat_map(|words| in_words(words, snapshot));
            all.map(|(file, own)| (file, own.or(lines))).collect()
        }
        Ok(Value::String(words)) => in_words(&words, snapshot),
        _ => in_words(arguments, snapshot),
    }
}

/// `ppdiff/embed.py`, `ppdiff/embed.py:4-20`, `sed -n '4,20p' ppdiff/embed.py`
fn in_words<'a>(words: &str, snapshot: &Snapshot<'a>) -> Vec<(&'a FilePieces, Lines)> {
    if let Some(file) = snapshot.file(words) {
        return vec![(file, None)];
    }
    let mut found = vec![];
    let mut lines = None;
    for word in words.split(|c: char| c.is_whitespace() || "'\"`(),;<>|&".contains(c)) {
        let (path, after) = match word.rsplit_once(':') {
            Some((path, after)) => (path, range(after)),
            None => (word, None),
        };
        match snapshot.file(path) {
            Some(file) => found.push((file, after)),
            None => lines = lines.or_else(|| range(word)),
        }
    }
    // `4,20p` is split at its comma.
    let sed = words.split(['\'', '"', ' ']).find_map(|word| range(word.strip_suffix('p')?));
    found.into_iter().map(|(file, own)| (file, own.or(sed).or(lines))).collect()
}

/// `4-20`, `4,20`, `L4-L20` or `4`
fn range(words: &str) -> Lines {
    let number = |word: &str| word.trim_start_matches('L').parse::<usize>().ok();
    match words.split_once(['-', ',']) {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None if words.starts_with('L') || !words.contains(char::is_alphabetic) => {
            number(words).map(|line| (line, line))
        }
        None => None,
    }
}

/// The lines that arguments ask for, in the words of several tools.
fn lines_of(map: &Map<String, Value>) -> Lines {
    let number = |value: &Value| match value {
        Value::String(text) => text.trim().parse::<usize>().ok(),
        Value::Number(number) if number.as_i64().is_some_and(|it| it < 0) => Some(usize::MAX),
        other => other.as_u64().and_then(|it| usize::try_from(it).ok()),
    };
    let field = |names: &[&str]| names.iter().find_map(|name| number(map.get(*name)?));
    for name in ["lines", "range", "view_range", "line_range"] {
        match map.get(name) {
            Some(Value::Array(pair)) if pair.len() == 2 => {
                return number(&pair[0]).zip(number(&pair[1]));
            }
            Some(Value::String(words)) => return range(words.trim()),
            _ => {}
        }
    }
    let first = field(&["start", "start_line", "line_start", "from", "first", "offset", "line"]);
    let last = field(&["end", "end_line", "line_end", "to", "last"]);
    let count = field(&["limit", "count", "num_lines"]);
    match (first, last, count) {
        (None, None, None) => None,
        (first, Some(last), _) => Some((first.unwrap_or(1), last)),
        (first, None, Some(count)) => {
            let first = first.unwrap_or(1).max(1);
            Some((first, first.saturating_add(count).saturating_sub(1)))
        }
        (Some(first), None, None) => Some((first, usize::MAX)),
    }
}

/// What our own `read` says it gave: `ppdiff/embed.py, lines 1-20 of 45`.
fn given(excerpt: &str) -> Lines {
    let head = excerpt.lines().next()?;
    let (_, after) = head.rsplit_once(", lines ")?;
    range(after.split_once(" of ")?.0)
}

/// A hit as `path:line: text`.
fn hit<'a>(line: &str, snapshot: &Snapshot<'a>) -> Option<(&'a FilePieces, usize)> {
    let (path, rest) = line.split_once(':')?;
    let (number, _) = rest.split_once(':')?;
    Some((snapshot.file(path)?, number.trim().parse().ok()?))
}
