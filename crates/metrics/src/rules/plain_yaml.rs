//! Reads the plain subset of YAML in which most rules are written: nested mappings and lists, by indentation or in
//! braces and brackets on one line, words, whole numbers, strings in quotes on one line, and text after `|`.
//!
//! Half the time of loading rules went into reading YAML. Documents that might mean something else to the YAML library
//! are left to it; a test compares the results.

use serde_json::{Map, Value};

/// Longer documents, and those nested deeper, are left to the library.
const MAX_BYTES: usize = 1 << 16;
const MAX_DEPTH: usize = 48;

/// Returns the mapping of a document; None where the library has to read it.
pub(crate) fn parse_plain_yaml(text: &str) -> Option<Map<String, Value>> {
    let is_known = |c: char| c == '\n' || !(c.is_control() || NO_LINES.contains(&c));
    if text.len() > MAX_BYTES || !text.chars().all(is_known) {
        return None;
    }
    let mut reader = PlainYamlReader { lines: text.lines().collect(), at: 0 };
    let first = reader.next_line()?;
    let Value::Object(mapping) = reader.read_mapping(first.indent, 0)? else { return None };
    reader.next_line().is_none().then_some(mapping)
}

/// Characters that end a line, or are ignored, in some YAML readers.
const NO_LINES: [char; 3] = ['\u{2028}', '\u{2029}', '\u{feff}'];

struct PlainYamlReader<'t> {
    lines: Vec<&'t str>,
    /// The index of the next line.
    at: usize,
}

/// A line with content.
#[derive(Clone, Copy)]
struct YamlLine<'t> {
    /// The number of blanks before its first word.
    indent: usize,
    words: &'t str,
}

impl<'t> PlainYamlReader<'t> {
    /// Returns the next line that is neither blank nor a comment, without consuming it.
    fn next_line(&mut self) -> Option<YamlLine<'t>> {
        loop {
            let line = *self.lines.get(self.at)?;
            let words = line.trim_start_matches(' ');
            if !words.is_empty() && !words.starts_with('#') {
                return Some(YamlLine { indent: line.len() - words.len(), words });
            }
            self.at += 1;
        }
    }

    /// Reads a mapping whose keys are in one column.
    fn read_mapping(&mut self, column: usize, depth: usize) -> Option<Value> {
        let mut mapping = Map::new();
        while let Some(line) = self.next_line().filter(|line| line.indent >= column) {
            if line.indent > column || is_item(line.words) {
                return None;
            }
            self.at += 1;
            self.read_entry(line.words, column, depth, &mut mapping)?;
            if self.next_line().is_some_and(|next| next.indent == column && is_item(next.words)) {
                break; // of the list that this lies in, or nothing that is known
            }
        }
        Some(Value::Object(mapping))
    }

    /// Reads `key: value` from a line that is already consumed.
    fn read_entry(
        &mut self,
        words: &str,
        column: usize,
        depth: usize,
        mapping: &mut Map<String, Value>,
    ) -> Option<()> {
        let (key, value) = words.split_once(':')?;
        if !is_key(key)
            || !(value.is_empty() || value.starts_with(' '))
            || mapping.contains_key(key)
        {
            return None;
        }
        let value = match value.trim_matches(' ') {
            "" => self.read_below(column, depth, true)?,
            value => self.read_scalar(value, column)?,
        };
        mapping.insert(key.to_owned(), value);
        Some(())
    }

    /// Reads the lines below a key or a dash; the items of a key's list may be in the column of the key.
    fn read_below(&mut self, column: usize, depth: usize, is_of_key: bool) -> Option<Value> {
        let line = self.next_line().filter(|_| depth < MAX_DEPTH)?;
        if is_item(line.words) && (line.indent > column || (is_of_key && line.indent == column)) {
            return self.read_list(line.indent, depth + 1);
        }
        (line.indent > column).then_some(())?;
        self.read_mapping(line.indent, depth + 1)
    }

    fn read_list(&mut self, column: usize, depth: usize) -> Option<Value> {
        let mut items = vec![];
        while let Some(line) = self.next_line().filter(|line| line.indent >= column) {
            if !is_item(line.words) {
                // A key after a list in the key's column.
                (line.indent == column).then_some(())?;
                break;
            }
            (line.indent == column).then_some(())?;
            items.push(self.read_item(line, depth)?);
        }
        Some(Value::Array(items))
    }

    fn read_item(&mut self, line: YamlLine<'t>, depth: usize) -> Option<Value> {
        self.at += 1;
        let words = line.words[1..].trim_start_matches(' ');
        if words.is_empty() {
            return self.read_below(line.indent, depth, false);
        }
        if is_item(words) || depth >= MAX_DEPTH {
            return None;
        }
        if !is_entry(words) {
            return self.read_scalar(words.trim_end_matches(' '), line.indent);
        }
        // A mapping that begins after the dash.
        let column = line.indent + line.words.len() - words.len();
        let mut mapping = Map::new();
        self.read_entry(words, column, depth + 1, &mut mapping)?;
        if self.next_line().is_some_and(|next| next.indent == column) {
            let Value::Object(rest) = self.read_mapping(column, depth + 1)? else { return None };
            for (key, value) in rest {
                mapping.insert(key, value).is_none().then_some(())?;
            }
        }
        Some(Value::Object(mapping))
    }

    /// Reads a value that begins in a line; `column` is the column of the mapping or list around it.
    fn read_scalar(&mut self, words: &str, column: usize) -> Option<Value> {
        if words == "|" || words == "|-" {
            return self.read_block_text(column, words == "|").map(Value::String);
        }
        // A value of several lines.
        if self.lines.get(self.at).is_some_and(|next| indent_of(next) > column) {
            return None;
        }
        if words.starts_with(['{', '[']) {
            let mut flow = FlowReader { rest: words };
            return flow.read_value(0).filter(|_| flow.rest.is_empty());
        }
        if let Some(quoted) = words.strip_prefix('"') {
            return double_quoted(quoted.strip_suffix('"')?).map(Value::String);
        }
        if let Some(quoted) = words.strip_prefix('\'') {
            return single_quoted(quoted.strip_suffix('\'')?).map(Value::String);
        }
        plain_scalar(words)
    }

    /// `.|Reads the lines after `|`.|`.
    fn read_block_text(&mut self, column: usize, ends_line: bool) -> Option<String> {
        let first = *self.lines.get(self.at)?;
        let inner = indent_of(first);
        if inner <= column || first.trim_matches(' ').is_empty() {
            return None;
        }
        let mut text = String::new();
        while let Some(line) = self.lines.get(self.at) {
            if line.is_empty() {
                text.push('\n');
            } else if line.trim_matches(' ').is_empty() {
                return None;
            } else if indent_of(line) >= inner {
                text.push_str(&line[inner..]);
                text.push('\n');
            } else {
                (indent_of(line) <= column).then_some(())?;
                break;
            }
            self.at += 1;
        }
        text.truncate(text.trim_end_matches('\n').len());
        if ends_line {
            text.push('\n');
        }
        Some(text)
    }
}

/// A reader for values in braces and brackets on one line.
struct FlowReader<'t> {
    rest: &'t str,
}

impl<'t> FlowReader<'t> {
    fn read_value(&mut self, depth: usize) -> Option<Value> {
        if depth >= MAX_DEPTH {
            return None;
        }
        if self.take_prefix("{") {
            return self.read_mapping(depth);
        }
        if self.take_prefix("[") {
            return self.read_list(depth);
        }
        if self.take_prefix("\"") {
            let end = self.end_of_double_quoted()?;
            return double_quoted(self.take_until(end)?).map(Value::String);
        }
        if self.take_prefix("'") {
            let end = self.end_of_single_quoted()?;
            return single_quoted(self.take_until(end)?).map(Value::String);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        let end = self.rest.find(|c| !is_word(c))?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        plain_scalar(word)
    }

    fn read_mapping(&mut self, depth: usize) -> Option<Value> {
        let mut mapping = Map::new();
        loop {
            self.pass_blanks();
            let (key, rest) = self.rest.split_once(": ")?;
            if !is_key(key) || mapping.contains_key(key) {
                return None;
            }
            self.rest = rest;
            self.pass_blanks();
            mapping.insert(key.to_owned(), self.read_value(depth + 1)?);
            if self.ends_or_continues("}")? {
                return Some(Value::Object(mapping));
            }
        }
    }

    fn read_list(&mut self, depth: usize) -> Option<Value> {
        let mut items = vec![];
        loop {
            self.pass_blanks();
            items.push(self.read_value(depth + 1)?);
            if self.ends_or_continues("]")? {
                return Some(Value::Array(items));
            }
        }
    }

    /// Returns true at the closing bracket, false at a comma, after which the value continues; None where there is
    /// neither.
    fn ends_or_continues(&mut self, closing: &str) -> Option<bool> {
        self.pass_blanks();
        if self.take_prefix(closing) {
            return Some(true);
        }
        self.take_prefix(", ").then_some(false)
    }

    fn take_prefix(&mut self, words: &str) -> bool {
        let rest = self.rest.strip_prefix(words);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn pass_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    /// Takes the text before a quote, and skips the quote.
    fn take_until(&mut self, end: usize) -> Option<&'t str> {
        let inner = self.rest.get(..end)?;
        self.rest = self.rest.get(end + 1..)?;
        Some(inner)
    }

    fn end_of_double_quoted(&self) -> Option<usize> {
        let mut is_escaped = false;
        self.rest.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        })
    }

    /// Returns the end of a single-quoted string; a doubled quote does not end it.
    fn end_of_single_quoted(&self) -> Option<usize> {
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        loop {
            at += bytes.get(at..)?.iter().position(|byte| *byte == b'\'')?;
            if bytes.get(at + 1) != Some(&b'\'') {
                return Some(at);
            }
            at += 2;
        }
    }
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && is_string(key)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(words: &str) -> bool {
    words == "-" || words.starts_with("- ")
}

/// Returns whether a value is a mapping that begins in the line of a dash.
fn is_entry(words: &str) -> bool {
    let key = words.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
    key.is_some_and(|end| {
        let after = words[end..].strip_prefix(':');
        after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
    })
}

fn double_quoted(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                c @ ('\\' | '"') => c,
                _ => return None,
            },
            c => c,
        });
    }
    Some(text)
}

fn single_quoted(inner: &str) -> Option<String> {
    let text = inner.replace("''", "\0");
    (!text.contains('\'')).then(|| text.replace('\0', "'"))
}

/// Reads a word, several words, or a whole number.
fn plain_scalar(words: &str) -> Option<Value> {
    if words.starts_with(|c: char| c.is_ascii_digit()) {
        let is_number = words.len() < 10
            && words.bytes().all(|byte| byte.is_ascii_digit())
            && (words.len() == 1 || !words.starts_with('0'));
        return is_number.then(|| words.parse::<u64>().ok().map(Value::from)).flatten();
    }
    let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '^' | '(');
    let is_plain = words.starts_with(begins)
        && !words.contains(": ")
        && !words.ends_with(':')
        && !words.contains(" #")
        && is_string(words);
    is_plain.then(|| Value::String(words.to_owned()))
}

/// Returns whether the text is a string in all versions of YAML, unlike `yes` or `null`.
fn is_string(words: &str) -> bool {
    const OTHERS: [&str; 12] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    !OTHERS.iter().any(|other| words.eq_ignore_ascii_case(other))
}
