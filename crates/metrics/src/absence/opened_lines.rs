//! Finds the lines of a snapshot that a judge has seen, as far as its trace shows.
//!
//! A `read` opens the lines that it names, or those that its answer says it returned; a `search` only the lines of its
//! hits that the trace still shows; `list` and `symbols` open nothing. A tool we do not know that names a file counts
//! as if it had shown all of it. Lines cited as evidence have been seen.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use trajview_run::rubric::{Evidence, JudgeToolCall};

use super::code_pieces::{CodePiece, FilePieces};

/// The share of a place's non-blank lines that the judge must have seen, so that the place counts as opened.
const MIN_SEEN_SHARE: f64 = 0.5;

/// The lines of a snapshot's files that a judge has seen.
#[derive(Debug, Default)]
pub struct OpenedLines {
    /// Keyed by path: one flag per line (line 1 at index 0), true where the line was read.
    read: BTreeMap<String, Vec<bool>>,
    /// Lines that evidence cites, first and last, by path.
    cited: BTreeMap<String, Vec<(usize, usize)>>,
    /// Tools that we do not know, keyed by the path that they name.
    unknown: BTreeMap<String, String>,
}

/// The reason why a place counts as opened.
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
    /// Returns whether the place only counts as opened because we cannot tell what the judge was shown.
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

impl OpenedLines {
    /// Collects the lines that the calls of a judge show and its evidence cites.
    pub(crate) fn from_trace(
        looks: &[JudgeToolCall],
        evidence: &[Evidence],
        files: &[&FilePieces],
    ) -> Self {
        let mut opened = Self::default();
        let snapshot = SnapshotFiles { files };
        looks.iter().for_each(|look| opened.add_call(look, &snapshot));
        for cited in evidence {
            let Some(file) = snapshot.find_file(&cited.path) else { continue };
            let lines = cited.lines.unwrap_or((1, file.lines));
            opened.cited.entry(file.path.clone()).or_default().push(lines);
        }
        opened
    }

    /// Returns why a place counts as opened; None for a place that was not opened.
    pub fn opened_by(&self, path: &str, piece: &CodePiece) -> Option<OpenedBy> {
        let touches = |lines: &(usize, usize)| lines.0 <= piece.lines.1 && piece.lines.0 <= lines.1;
        if self.cited.get(path).is_some_and(|cited| cited.iter().any(touches)) {
            return Some(OpenedBy::Evidence);
        }
        let read = self.read.get(path);
        let is_read = |line: &&usize| read.is_some_and(|read| read.get(**line - 1) == Some(&true));
        let seen = piece.lines_with_text.iter().filter(is_read).count();
        if seen > 0 && seen as f64 >= MIN_SEEN_SHARE * piece.lines_with_text.len() as f64 {
            return Some(OpenedBy::Read);
        }
        self.unknown.get(path).map(|tool| OpenedBy::UnknownTool(tool.clone()))
    }

    /// Records the lines that a call of the judge shows.
    fn add_call(&mut self, look: &JudgeToolCall, snapshot: &SnapshotFiles<'_>) {
        let excerpt = look.excerpt.as_deref().unwrap_or_default();
        if excerpt.starts_with("refused") {
            return;
        }
        match TraceTool::from_name(&look.tool) {
            TraceTool::Reads => {
                for (path, lines) in files_in_arguments(&look.arguments, snapshot) {
                    self.mark_read(path, lines_in_read_header(excerpt).or(lines));
                }
            }
            TraceTool::Searches => {
                for line in excerpt.lines() {
                    let Some((path, number)) = parse_search_hit(line, snapshot) else { continue };
                    self.mark_read(path, Some((number, number)));
                }
            }
            TraceTool::Lists => {}
            TraceTool::Unknown => {
                for (path, _) in files_in_arguments(&look.arguments, snapshot) {
                    self.unknown.entry(path.path.clone()).or_insert_with(|| look.tool.clone());
                }
            }
        }
    }

    fn mark_read(&mut self, file: &FilePieces, lines: Option<(usize, usize)>) {
        let (first, last) = lines.unwrap_or((1, file.lines));
        let read = self.read.entry(file.path.clone()).or_insert_with(|| vec![false; file.lines]);
        let last = last.min(file.lines);
        read.get_mut(first.max(1) - 1..last).into_iter().flatten().for_each(|line| *line = true);
    }
}

enum TraceTool {
    Reads,
    Searches,
    Lists,
    Unknown,
}

impl TraceTool {
    /// Classifies a tool by the words of its name: `read_file`, `mcp__fs__grep`, `Glob`.
    fn from_name(name: &str) -> Self {
        let small = name.to_lowercase();
        let last = small.rsplit("__").next().unwrap_or(&small);
        let words: Vec<&str> = last.split(|c: char| !c.is_alphanumeric()).collect();
        let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
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

struct SnapshotFiles<'a> {
    files: &'a [&'a FilePieces],
}

impl<'a> SnapshotFiles<'a> {
    /// Returns the file that a path means: the same path, with or without `./` before it, or a path below the folder
    /// in which the judge saw the snapshot.
    fn find_file(&self, path: &str) -> Option<&'a FilePieces> {
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

type OptionalLines = Option<(usize, usize)>;

/// Returns the files that the arguments of a call name, each with its lines; None means all lines of the file.
fn files_in_arguments<'a>(
    arguments: &str,
    snapshot: &SnapshotFiles<'a>,
) -> Vec<(&'a FilePieces, OptionalLines)> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => {
            let texts = map.values().flat_map(|value| match value {
                Value::Array(all) => all.iter().collect(),
                one => vec![one],
            });
            let words: Vec<&str> = texts.filter_map(Value::as_str).collect();
            let lines = lines_in_arguments(&map);
            let all = words.iter().flat_map(|words| files_in_text(words, snapshot));
            all.map(|(file, own)| (file, own.or(lines))).collect()
        }
        Ok(Value::String(words)) => files_in_text(&words, snapshot),
        _ => files_in_text(arguments, snapshot),
    }
}

/// Reads the forms `ppdiff/embed.py`, `ppdiff/embed.py:4-20`, `sed -n '4,20p' ppdiff/embed.py`
fn files_in_text<'a>(
    words: &str,
    snapshot: &SnapshotFiles<'a>,
) -> Vec<(&'a FilePieces, OptionalLines)> {
    if let Some(file) = snapshot.find_file(words) {
        return vec![(file, None)];
    }
    let mut files = vec![];
    let mut lines = None;
    for word in words.split(|c: char| c.is_whitespace() || "'\"`(),;<>|&".contains(c)) {
        let (path, after) = match word.rsplit_once(':') {
            Some((path, after)) => (path, parse_line_range(after)),
            None => (word, None),
        };
        match snapshot.find_file(path) {
            Some(file) => files.push((file, after)),
            None => lines = lines.or_else(|| parse_line_range(word)),
        }
    }
    // `4,20p` is split at its comma.
    let sed =
        words.split(['\'', '"', ' ']).find_map(|word| parse_line_range(word.strip_suffix('p')?));
    files.into_iter().map(|(file, own)| (file, own.or(sed).or(lines))).collect()
}

/// Reads a range of lines, written `4-20`, `4,20`, `L4-L20` or `4`.
fn parse_line_range(words: &str) -> OptionalLines {
    let number = |word: &str| word.trim_start_matches('L').parse::<usize>().ok();
    match words.split_once(['-', ',']) {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None if words.starts_with('L') || !words.contains(char::is_alphabetic) => {
            number(words).map(|line| (line, line))
        }
        None => None,
    }
}

/// Returns the lines that the arguments ask for, under the argument names that several tools use.
fn lines_in_arguments(map: &Map<String, Value>) -> OptionalLines {
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
            Some(Value::String(words)) => return parse_line_range(words.trim()),
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

/// Reads the lines that our own `read` tool says it returned: `ppdiff/embed.py, lines 1-20 of 45`.
fn lines_in_read_header(excerpt: &str) -> OptionalLines {
    let head = excerpt.lines().next()?;
    let (_, after) = head.rsplit_once(", lines ")?;
    parse_line_range(after.split_once(" of ")?.0)
}

/// Reads a search hit, written `path:line: text`.
fn parse_search_hit<'a>(
    line: &str,
    snapshot: &SnapshotFiles<'a>,
) -> Option<(&'a FilePieces, usize)> {
    let (path, rest) = line.split_once(':')?;
    let (number, _) = rest.split_once(':')?;
    Some((snapshot.find_file(path)?, number.trim().parse().ok()?))
}
