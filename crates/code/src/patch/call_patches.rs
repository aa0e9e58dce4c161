//! Finding an `apply_patch` text in the call that carries it.
//!
//! Seen in the wild: the bare text; `{"input": …}` and `{"patch": …}`; `["apply_patch", "*** Begin…"]`;
//! `["bash", "-lc", "cd x && apply_patch <<'EOF' …"]`; the same as one string, quoted once more; and in
//! code mode `tools.apply_patch("…")` with any of JavaScript's three kinds of string.

use serde_json::Value;

use super::{FilePatch, parse_codex, shell_script};

const BEGIN: &str = "*** Begin Patch";

/// Returns the files of the patches that a tool call carries: `text` is the call's input or arguments, as recorded.
/// Empty where it only mentions a patch.
pub fn patches_in_call(text: &str) -> Vec<FilePatch> {
    if !text.contains(BEGIN) {
        return vec![];
    }
    let trimmed = text.trim_start();
    if trimmed.starts_with(BEGIN) {
        return parse_codex(trimmed);
    }
    if trimmed.starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str::<Value>(trimmed)
    {
        return patches_in_value(&value);
    }
    if text.contains("tools.") { patches_in_javascript(text) } else { patches_in_shell(text) }
}

fn patches_in_value(value: &Value) -> Vec<FilePatch> {
    match value {
        Value::String(text) => patches_in_call(text),
        Value::Array(argv) => {
            let argv: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
            patches_in_argv(&argv)
        }
        Value::Object(fields) => {
            let keys = ["input", "patch", "command", "cmd", "script", "code", "arguments"];
            let found = keys.iter().filter_map(|key| fields.get(*key)).map(patches_in_value);
            found.into_iter().find(|files| !files.is_empty()).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => vec![],
    }
}

fn patches_in_argv(argv: &[&str]) -> Vec<FilePatch> {
    match argv {
        [tool, patch] if is_apply_patch(tool) => parse_codex(patch),
        // What is not a patch tool's is an argument of another command.
        [.., patch] if argv.len() > 1 && patch.trim_start().starts_with(BEGIN) => vec![],
        [.., script] => patches_in_call(script),
        [] => vec![],
    }
}

fn is_apply_patch(word: &str) -> bool {
    matches!(word.rsplit('/').next(), Some("apply_patch" | "applypatch"))
}

/// Returns a here-document handed to `apply_patch`, or its quoted argument.
fn patches_in_shell(script: &str) -> Vec<FilePatch> {
    let Some(begin) = script.find(BEGIN) else { return vec![] };
    let head = &script[..begin];
    if !shell_script::ends_in_argument_of(head, is_apply_patch) {
        return vec![];
    }
    let body = &script[begin..];
    let files =
        if is_expanded(head) { parse_codex(&unescape_shell(body)) } else { parse_codex(body) };
    match folder_of(head) {
        Some(folder) => files.into_iter().map(|file| file.in_folder(folder)).collect(),
        None => files,
    }
}

/// Returns whether the shell expands the text after `head`: an unquoted here-document, or a script within `"…"`.
fn is_expanded(head: &str) -> bool {
    let document_mark =
        head.rfind("<<").map(|at| head[at + 2..].trim_start_matches('-').trim_start());
    let is_open_here = document_mark.is_some_and(|word| !word.starts_with(['\'', '"', '\\']));
    let is_in_quotes = head.find("-lc \"").or_else(|| head.find("-c \"")).is_some();
    let is_quoted_argument = document_mark.is_none() && head.ends_with('"');
    is_open_here || is_in_quotes || is_quoted_argument
}

/// Removes the backslashes that the shell removes between double quotes.
fn unescape_shell(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next @ ('\\' | '"' | '$' | '`'))) => {
                plain.push(next);
                chars.next();
            }
            (c, _) => plain.push(c),
        }
    }
    plain
}

/// Returns the folder of a leading `cd folder &&`.
fn folder_of(head: &str) -> Option<&str> {
    let at = head.rfind("cd ")?;
    let is_word = head[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    let (folder, _) = head[at + 3..].split_once("&&").or_else(|| head[at + 3..].split_once(';'))?;
    let folder = folder.trim().trim_matches(['"', '\'']);
    (is_word && !folder.is_empty() && folder != ".").then_some(folder)
}

impl FilePatch {
    fn in_folder(self, folder: &str) -> Self {
        let join = |path: String| match path.starts_with('/') {
            true => path,
            false => format!("{}/{path}", folder.trim_end_matches('/')),
        };
        Self { path: join(self.path), move_to: self.move_to.map(join), change: self.change }
    }
}

/// Returns the patches among the string literals of a script; one written as several literals (joined, or added up) is
/// put together again. A text that is only printed, or is in a comment, is no patch.
fn patches_in_javascript(script: &str) -> Vec<FilePatch> {
    let script = JavaScriptText::parse(script);
    if !script.calls_function("apply_patch") {
        return vec![];
    }
    let mut files = vec![];
    let mut open: Option<String> = None;
    for literal in script.literals.into_iter().filter(|it| !it.is_printed).map(|it| it.text) {
        match &mut open {
            None if literal.trim_start().starts_with(BEGIN) => open = Some(literal),
            None => continue,
            Some(patch) => {
                if !patch.ends_with('\n') {
                    patch.push('\n');
                }
                patch.push_str(&literal);
            }
        }
        if let Some(patch) = open.take_if(|patch| patch.contains("*** End Patch")) {
            files.extend(parse_codex(&patch));
        }
    }
    files.extend(open.iter().flat_map(|patch| parse_codex(patch)));
    files
}

/// A JavaScript text, split into code and string literals.
struct JavaScriptText {
    /// The code without comments and regular expressions, and with empty string literals.
    code: String,
    /// The string literals in order, escapes resolved.
    literals: Vec<StringLiteral>,
}

struct StringLiteral {
    text: String,
    /// True if it is the argument of a function that only shows it.
    is_printed: bool,
}

/// Functions that only show their argument.
const PRINTERS: [&str; 8] = ["text", "notify", "log", "info", "warn", "error", "debug", "print"];

impl JavaScriptText {
    fn parse(script: &str) -> Self {
        let mut read = Self { code: String::new(), literals: vec![] };
        let mut rest = script;
        while let Some(at) = rest.find(['"', '\'', '`', '/']) {
            read.code.push_str(&rest[..at]);
            let found = &rest[at..];
            rest = match found.chars().next() {
                Some('/') => read.take_slash(found),
                quote => read.take_literal(found, quote.unwrap_or('"')),
            };
        }
        read.code.push_str(rest);
        read
    }

    /// Takes a literal; what follows it.
    fn take_literal<'s>(&mut self, text: &'s str, quote: char) -> &'s str {
        let is_raw = self.code.ends_with("String.raw");
        let called = self.code.trim_end().strip_suffix('(').map(str::trim_end).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = called.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let (literal, after) = literal_until(&text[1..], quote, is_raw);
        self.literals.push(StringLiteral { text: literal, is_printed: PRINTERS.contains(&name) });
        self.code.extend([quote, quote]);
        after
    }

    /// Leaves out a comment or a regular expression, or takes a division; what follows it.
    fn take_slash<'s>(&mut self, text: &'s str) -> &'s str {
        if text.starts_with("//") {
            return text.find('\n').map_or("", |end| &text[end..]);
        }
        if let Some(inside) = text.strip_prefix("/*") {
            return inside.split_once("*/").map_or("", |(_, after)| after);
        }
        let before = self.code.trim_end();
        let may_begin = before.is_empty()
            || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';'])
            || before.ends_with("return");
        match regular_expression(text).filter(|_| may_begin) {
            Some(after) => after,
            None => {
                self.code.push('/');
                &text[1..]
            }
        }
    }

    fn calls_function(&self, function: &str) -> bool {
        self.code.contains(function) || self.literals.iter().any(|literal| literal.text == function)
    }
}

/// Returns the text after the regular expression that `text` starts with; None where its line ends before it does.
fn regular_expression(text: &str) -> Option<&str> {
    let mut is_class = false;
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return None,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

/// Returns a JavaScript text without its comments; string literals as they are.
pub fn without_comments(script: &str) -> String {
    let mut plain = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(at) = rest.find(['"', '\'', '`', '/']) {
        plain.push_str(&rest[..at]);
        let found = &rest[at..];
        let end = match found.as_bytes() {
            [b'/', b'/', ..] => {
                rest = found.find('\n').map_or("", |end| &found[end..]);
                continue;
            }
            [b'/', b'*', ..] => {
                rest = found[2..].split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            [b'/', ..] => 1,
            _ => {
                let quote = found.chars().next().unwrap_or('"');
                found.len() - literal_until(&found[1..], quote, false).1.len()
            }
        };
        plain.push_str(&found[..end]);
        rest = &found[end..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the JavaScript string literal that `text` starts with, escapes resolved.
pub fn string_literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    Some(literal_until(&text[1..], quote, false).0)
}

fn literal_until(text: &str, quote: char, is_raw: bool) -> (String, &str) {
    let mut literal = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return (literal, &text[at + c.len_utf8()..]),
            '\\' if is_raw => {
                literal.push('\\');
                literal.extend(chars.next().map(|(_, c)| c));
            }
            '\\' => literal.extend(read_escape(&mut chars)),
            c => literal.push(c),
        }
    }
    (literal, "")
}

/// Reads the character after a backslash; None for a line continuation.
fn read_escape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let (_, c) = chars.next()?;
    Some(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0' => '\0',
        'x' => read_hex_char(chars, 2)?,
        'u' => read_unicode(chars)?,
        '\n' => return None,
        other => other,
    })
}

fn read_unicode(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    if chars.as_str().starts_with('{') {
        let rest = chars.as_str();
        let digits = rest[1..].split('}').next()?;
        let code = u32::from_str_radix(digits, 16).ok();
        for _ in 0..digits.chars().count() + 2 {
            chars.next();
        }
        return code.and_then(char::from_u32);
    }
    let high = read_hex_number(chars, 4)?;
    if (0xd800..0xdc00).contains(&high) && chars.as_str().starts_with("\\u") {
        chars.next();
        chars.next();
        let low = read_hex_number(chars, 4)?;
        let pair = 0x10000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
        return char::from_u32(pair);
    }
    char::from_u32(high)
}

fn read_hex_char(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    read_hex_number(chars, digits).and_then(char::from_u32)
}

fn read_hex_number(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<u32> {
    let text: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
    u32::from_str_radix(&text, 16).ok()
}
