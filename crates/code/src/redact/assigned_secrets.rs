//! Finds values assigned to a name that means a password, a secret, a token or a key, in any language: the name, `=`,
//! `:`, `=>` or `:=`, and a value. Code with a variable, a type or a call in that place stays; a value in quotes or
//! with a digit in it counts as the secret itself.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    pattern_prefilter::PossiblePatterns,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

const PASSWORD: &str = "passwords?|passwd|passphrase|passcode|pwd";
const SECRET: &str = "secrets?|token|api[_-]?keys?|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|client[_-]?secret|credentials?";

static PATTERNS: LazyLock<[Regex; 3]> =
    LazyLock::new(|| assigned_patterns().map(|it| compile_pattern(&it)));

/// Returns a name with a sign behind it, `--password VALUE`, and names of the environment such as `DEPLOY_KEY=value`.
pub(crate) fn assigned_patterns() -> [String; 3] {
    let sign = r#"[0-9_]*\\*["'`]?\]?\s{0,8}(?P<sign>=>|:=|===?|!==?|=|:)\s{0,8}"#;
    let name = format!("(?i)(?P<name>{PASSWORD}|{SECRET}){sign}");
    let flag = format!(r#"(?i)--?(?P<name>(?:[a-z]+-)*(?:{PASSWORD}|{SECRET}))(?:\s+|=)"#);
    let variable = r#"\b(?P<name>[A-Z][A-Z0-9_]*(?:_(?:KEY|PAT|PSK|DSN)|PASS))\\*["']?\s?[=:]\s?"#;
    [name, flag, variable.to_owned()]
}

static NAME_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!("(?i)(?P<name>{PASSWORD}|{SECRET})[0-9_]*$");
    Regex::new(&pattern).expect("the names are a pattern")
});

/// Returns whether the value of a field of this name is a secret as a whole.
pub(crate) fn is_secret_of(key: &str, value: &str) -> bool {
    if !NAME_ALONE.is_match(key) {
        return false; // nearly all; captures cost more
    }
    let name = NAME_ALONE.captures(key).and_then(|it| it.name("name"));
    name.is_some_and(|name| is_quoted_secret(name.as_str(), value))
}

/// Returns the kind of secret under this name.
pub fn kind_of(name: &str) -> SecretKind {
    static ONLY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!("(?i)(?:{PASSWORD}|pass)[0-9_]*$")).expect("the names are a pattern")
    });
    if ONLY.is_match(name) { SecretKind::Password } else { SecretKind::Secret }
}

pub(crate) fn find_assigned(text: &str, suspects: &PossiblePatterns) -> Vec<SecretMatch> {
    let mut all = vec![];
    let called_for = PATTERNS.iter().enumerate().filter(|(at, _)| suspects.has_assigned(*at));
    for (_, pattern) in called_for {
        for captures in pattern.captures_iter(text) {
            let (Some(whole), Some(name)) = (captures.get(0), captures.name("name")) else {
                continue;
            };
            let (name, sign) = (name.as_str(), captures.name("sign").map_or(" ", |it| it.as_str()));
            let is_spaced = whole.as_str().ends_with(char::is_whitespace);
            let assigned = Assignment { name, sign, is_spaced };
            let is_closed = |quote: char| ends_outer_quote(text, &whole.range(), quote);
            if let Some(range) = assigned.secret_range(text, whole.end(), is_closed) {
                all.push(SecretMatch { range, kind: kind_of(name) });
            }
        }
    }
    all
}

/// Returns whether the quote after `"password="` ends a string that began before the name, and begins no value.
fn ends_outer_quote(text: &str, name_range: &Range<usize>, quote: char) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let before = text[..name_range.start].trim_end_matches(is_of_name);
    before.ends_with(quote) && !text[name_range.clone()].contains(quote)
}

struct Assignment<'t> {
    name: &'t str,
    sign: &'t str,
    is_spaced: bool,
}

impl Assignment<'_> {
    /// Returns the range of the value, if it is a secret.
    fn secret_range(
        &self,
        text: &str,
        start: usize,
        is_closed: impl Fn(char) -> bool,
    ) -> Option<Range<usize>> {
        let rest = &text[start..];
        // Python's b"…", an escape of JSON within a text.
        let before = rest.len() - rest.trim_start_matches(['b', 'r', 'f', 'u', '\\', '@']).len();
        let quote = rest[before..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        if let Some(quote) = quote.filter(|_| before <= 8) {
            if before == 0 && is_closed(quote) {
                return None;
            }
            let begin = start + before + 1;
            let is_escaped = rest[..before].ends_with('\\');
            let value = up_to_quote(&text[begin..], quote, is_escaped);
            let is_secret = is_quoted_secret(self.name, value);
            return is_secret.then(|| begin..begin + value.len());
        }
        let is_end = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\''
                        | '`'
                        | ','
                        | ';'
                        | '&'
                        | '|'
                        | '<'
                        | '>'
                        | '('
                        | ')'
                        | '{'
                        | '}'
                        | '['
                        | ']'
                        | '\\'
                )
        };
        let end = rest.find(is_end).unwrap_or(rest.len());
        let value = &rest[..end];
        let next = rest[end..].chars().next();
        let is_call = matches!(next, Some('(' | '[' | '{' | '<'));
        (!is_call && self.is_bare_secret(value)).then(|| start..start + value.len())
    }

    /// Returns whether a value without quotes is a secret; it may be code.
    fn is_bare_secret(&self, value: &str) -> bool {
        let is_password = kind_of(self.name) == SecretKind::Password;
        if value.len() < if is_password { 4 } else { 6 } || is_placeholder(self.name, value) {
            return false;
        }
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit {
            return is_password
                || !value
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'_' | b'%' | b'k' | b'M'));
        }
        // `password = read`, `password: String`, `password=form.value` are code.
        let is_code = value.contains('.')
            || value.contains("::")
            || value.ends_with([':', '?', '!'])
            || (self.is_spaced && self.sign != ":")
            || value.starts_with(|c: char| c.is_uppercase()) && self.is_spaced;
        is_password && !is_code && value.len() >= 6
    }
}

/// Returns a value up to the quote that ends it, or the end of its line. Within a text in quotes its own quotes are escaped.
fn up_to_quote(text: &str, quote: char, is_escaped: bool) -> &str {
    let mut escapes = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' | '\r' => return &text[..at],
            '\\' => escapes += 1,
            _ if letter == quote && (escapes % 2 == 1) == is_escaped => {
                return &text[..at - usize::from(is_escaped)];
            }
            _ => escapes = 0,
        }
    }
    text
}

/// Returns whether a value in quotes is a secret; short words of a lexer are none.
pub(crate) fn is_quoted_secret(name: &str, value: &str) -> bool {
    let is_password = kind_of(name) == SecretKind::Password;
    if value.len() < 4 || is_placeholder(name, value) {
        return false;
    }
    let has = |condition: fn(&u8) -> bool| value.as_bytes().iter().any(condition);
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let has_space = value.contains(char::is_whitespace);
    is_password
        || (value.len() >= 6 && has(u8::is_ascii_digit))
        || (value.len() >= 12 && is_mixed && !has_space)
        || (value.len() >= 20 && !has_space)
}

/// Returns whether the value is a placeholder for a secret: a variable, a type, stars, the name itself.
pub(crate) fn is_placeholder(name: &str, value: &str) -> bool {
    const WORDS: [&str; 36] = [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "string",
        "str",
        "bytes",
        "optional",
        "option",
        "self",
        "this",
        "int",
        "number",
        "bool",
        "boolean",
        "object",
        "char",
        "text",
        "required",
        "missing",
        "invalid",
        "unset",
        "empty",
        "default",
        "redacted",
        "hidden",
        "changeme",
        "example",
        "varchar",
        "secretstr",
        "input",
        "process.env",
        "os.environ",
        "any",
    ];
    let lower = value.trim().to_lowercase();
    let has_digit = lower.bytes().any(|byte| byte.is_ascii_digit());
    let (name, plain) = (name.to_lowercase(), lower.trim_end_matches(['.', ':', ',']));
    WORDS.contains(&plain)
        || is_variable(value.trim())
        || lower.chars().all(|c| matches!(c, '.' | '*' | 'x' | '-' | '_' | '…' | '•' | '='))
        || (!has_digit && lower.contains(name.trim_end_matches('s')))
}

/// Returns whether a value stands for another: `$TOKEN`, `${token}`, `$(pass show it)`, `%s`, `%(password)s`,
/// `{password}`, `<your password>`, `[...]`.
fn is_variable(value: &str) -> bool {
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^(?:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\$[({].*|%[sdr]|%\(.*|\{.*\}?|<[^>]*>|\[.*|\(.*|\\.*)$";
        Regex::new(pattern).expect("a variable is a pattern")
    });
    VARIABLE.is_match(value)
}
