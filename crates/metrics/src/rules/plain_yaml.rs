//! The YAML that rules are written in, as far as it is plain: nested mappings and lists, by indentation or in braces and
//! brackets on one line, words, whole numbers, strings in quotes on one line, and text after `|`.
//!
//! Half the time of loading rules went into reading YAML. Whatever is not certain to mean the same to the YAML library is
//! left to it; a test holds what is read here against what that reads.

use serde_json::{Map, Value};

/// Longer documents, and those nested deeper, are left to the library.
const MOST_BYTES: usize = 1 << 16;
const MOST_DEPTH: usize = 48;

/// The mapping that a document is; None where that is for the library to say.
pub fn read(text: &str) -> Option<Map<String, Value>> {
    let is_known = |c: char| c == '\n' || !(c.is_control() || NO_LINES.contains(&c));
    if text.len() > MOST_BYTES || !text.chars().all(is_known) {
        return None;
    }
    let mut reader = Reader { lines: text.lines().collect(), at: 0 };
    let first = reader.next_line()?;
    let Value::Object(said) = reader.mapping(first.indent, 0)? else { return None };
    reader.next_line().is_none().then_some(said)
}

/// What ends a line, or stands for nothing, to some.
const NO_LINES: [char; 3] = ['\u{2028}', '\u{2029}', '\u{feff}'];

struct Reader<'t> {
    lines: Vec<&'t str>,
    /// The line that is read next.
    at: usize,
}

/// A line that says something.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// Blanks before its first word.
    indent: usize,
    words: &'t str,
}

impl<'t> Reader<'t> {
    /// The next line that is neither blank nor a comment, which stays the next.
    fn next_line(&mut self) -> Option<Line<'t>> {
        loop {
            let line = *self.lines.get(self.at)?;
            let words = line.trim_start_matches(' ');
            if !words.is_empty() && !words.starts_with('#') {
                return Some(Line { indent: line.len() - words.len(), words });
            }
            self.at += 1;
        }
    }

    /// A mapping whose keys stand in one column.
    fn mapping(&mut self, column: usize, depth: usize) -> Option<Value> {
        let mut said = Map::new();
        while let Some(line) = self.next_line().filter(|line| line.indent >= column) {
            if line.indent > column || is_item(line.words) {
                return None;
            }
            self.at += 1;
            self.entry(line.words, column, depth, &mut said)?;
            if self.next_line().is_some_and(|next| next.indent == column && is_item(next.words)) {
                break; // of the list that this lies in, or nothing that is known
            }
        }
        Some(Value::Object(said))
    }

    /// `key: value`, the line of which is read already.
    fn entry(
        &mut self,
        words: &str,
        column: usize,
        depth: usize,
        said: &mut Map<String, Value>,
    ) -> Option<()> {
        let (key, value) = words.split_once(':')?;
        if !is_key(key) || !(value.is_empty() || value.starts_with(' ')) || said.contains_key(key) {
            return None;
        }
        let value = match value.trim_matches(' ') {
            "" => self.below(column, depth, true)?,
            value => self.scalar(value, column)?,
        };
        said.insert(key.to_owned(), value);
        Some(())
    }

    /// What stands in the lines below a key or a dash; the items of a key's list may stand in its own column.
    fn below(&mut self, column: usize, depth: usize, is_of_key: bool) -> Option<Value> {
        let line = self.next_line().filter(|_| depth < MOST_DEPTH)?;
        if is_item(line.words) && (line.indent > column || (is_of_key && line.indent == column)) {
            return self.list(line.indent, depth + 1);
        }
        (line.indent > column).then_some(())?;
        self.mapping(line.indent, depth + 1)
    }

    fn list(&mut self, column: usize, depth: usize) -> Option<Value> {
        let mut items = vec![];
        while let Some(line) = self.next_line().filter(|line| line.indent >= column) {
            if !is_item(line.words) {
                // A key after the list that stands in its own column.
                (line.indent == column).then_some(())?;
                break;
            }
            (line.indent == column).then_some(())?;
            items.push(self.item(line, depth)?);
        }
        Some(Value::Array(items))
    }

    fn item(&mut self, line: Line<'t>, depth: usize) -> Option<Value> {
        self.at += 1;
        let words = line.words[1..].trim_start_matches(' ');
        if words.is_empty() {
            return self.below(line.indent, depth, false);
        }
        if is_item(words) || depth >= MOST_DEPTH {
            return None;
        }
        if !is_entry(words) {
            return self.scalar(words.trim_end_matches(' '), line.indent);
        }
        // A mapping that begins after the dash.
        let column = line.indent + line.words.len() - words.len();
        let mut said = Map::new();
        self.entry(words, column, depth + 1, &mut said)?;
        if self.next_line().is_some_and(|next| next.indent == column) {
            let Value::Object(rest) = self.mapping(column, depth + 1)? else { return None };
            for (key, value) in rest {
                said.insert(key, value).is_none().then_some(())?;
            }
        }
        Some(Value::Object(said))
    }

    /// A value that begins in a line; what it lies in stands in a column.
    fn scalar(&mut self, words: &str, column: usize) -> Option<Value> {
        if words == "|" || words == "|-" {
            return self.text(column, words == "|").map(Value::String);
        }
        // A value of several lines.
        if self.lines.get(self.at).is_some_and(|next| indent(next) > column) {
            return None;
        }
        if words.starts_with(['{', '[']) {
            let mut flow = Flow { rest: words };
            return flow.value(0).filter(|_| flow.rest.is_empty());
        }
        if let Some(quoted) = words.strip_prefix('"') {
            return double_quoted(quoted.strip_suffix('"')?).map(Value::String);
        }
        if let Some(quoted) = words.strip_prefix('\'') {
            return single_quoted(quoted.strip_suffix('\'')?).map(Value::String);
        }
        plain(words)
    }

    /// The lines after `|`.
    fn text(&mut self, column: usize, ends_line: bool) -> Option<String> {
        let first = *self.lines.get(self.at)?;
        let inner = indent(first);
        if inner <= column || first.trim_matches(' ').is_empty() {
            return None;
        }
        let mut text = String::new();
        while let Some(line) = self.lines.get(self.at) {
            if line.is_empty() {
                text.push('\n');
            } else if line.trim_matches(' ').is_empty() {
                return None;
            } else if indent(line) >= inner {
                text.push_str(&line[inner..]);
                text.push('\n');
            } else {
                (indent(line) <= column).then_some(())?;
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

/// What stands in braces and brackets on one line.
struct Flow<'t> {
    rest: &'t str,
}

impl<'t> Flow<'t> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth >= MOST_DEPTH {
            return None;
        }
        if self.takes("{") {
            return self.mapping(depth);
        }
        if self.takes("[") {
            return self.list(depth);
        }
        if self.takes("\"") {
            let end = self.end_of_double_quoted()?;
            return double_quoted(self.taken(end)?).map(Value::String);
        }
        if self.takes("'") {
            let end = self.end_of_single_quoted()?;
            return single_quoted(self.taken(end)?).map(Value::String);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        let end = self.rest.find(|c| !is_word(c))?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        plain(word)
    }

    fn mapping(&mut self, depth: usize) -> Option<Value> {
        let mut said = Map::new();
        loop {
            self.pass_blanks();
            let (key, rest) = self.rest.split_once(": ")?;
            if !is_key(key) || said.contains_key(key) {
                return None;
            }
            self.rest = rest;
            self.pass_blanks();
            said.insert(key.to_owned(), self.value(depth + 1)?);
            if self.ends("}")? {
                return Some(Value::Object(said));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = vec![];
        loop {
            self.pass_blanks();
            items.push(self.value(depth + 1)?);
            if self.ends("]")? {
                return Some(Value::Array(items));
            }
        }
    }

    /// Whether what is closed by that ends here, or goes on after a comma; None where neither is the case.
    fn ends(&mut self, closing: &str) -> Option<bool> {
        self.pass_blanks();
        if self.takes(closing) {
            return Some(true);
        }
        self.takes(", ").then_some(false)
    }

    fn takes(&mut self, words: &str) -> bool {
        let rest = self.rest.strip_prefix(words);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn pass_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    /// What stands before a quote, which is passed over.
    fn taken(&mut self, end: usize) -> Option<&'t str> {
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

    /// A quote that is written twice is no end.
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

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(words: &str) -> bool {
    words == "-" || words.starts_with("- ")
}

/// Whether a value is a mapping that begins in the line of a dash.
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

/// A word, several words, or a whole number.
fn plain(words: &str) -> Option<Value> {
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

/// Whether it is none of the words that some YAML takes for something else.
fn is_string(words: &str) -> bool {
    const OTHERS: [&str; 12] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    !OTHERS.iter().any(|other| words.eq_ignore_ascii_case(other))
}
