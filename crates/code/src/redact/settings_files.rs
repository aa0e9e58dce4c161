//! Secrets of files that are read by lines: settings (`name = value`), YAML with values over several lines, secrets of Kubernetes, `.netrc`,
//! tables with a column of passwords. What is before a line in a listing (`12→`, `+` of a patch) is no part of it.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    assigned_secrets,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

/// A line without what a listing puts before it.
#[derive(Debug, Clone, Copy)]
struct ListedLine<'t> {
    start: usize,
    text: &'t str,
    /// The line with its number, which may be the first cell of a table.
    whole: &'t str,
}

impl ListedLine<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '-']).len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns the place of a part of the line in the whole text.
    fn range_of(&self, part: &str) -> Range<usize> {
        let at = part.as_ptr() as usize - self.whole.as_ptr() as usize; // it is a part of the line
        let start = self.start_of_whole() + at;
        start..start + part.len()
    }

    fn start_of_whole(&self) -> usize {
        self.start + self.text.len() - self.whole.len()
    }
}

/// The words without which a text has no such secret.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)pass|pwd|psk|secret|token|credential|key|stringdata|_auth|passwort|\bpw\b";
    compile_pattern(pattern)
});

pub fn may_have(text: &str) -> bool {
    MARK.is_match(text)
}

pub(crate) fn find_in_lines(text: &str) -> Vec<SecretMatch> {
    let lines = listed_lines(text);
    let marked = marked_lines(text, &lines);
    let mut all = vec![];
    find_in_settings(&lines, &marked, &mut all);
    find_in_blocks(&lines, &marked, &mut all);
    find_in_kubernetes(text, &lines, &mut all);
    find_in_tables(&lines, &marked, &mut all);
    all.extend(find_in_netrc(text));
    all
}

/// Returns the lines that have a mark, by number.
fn marked_lines(text: &str, lines: &[ListedLine<'_>]) -> Vec<usize> {
    let mut all = vec![];
    for mark in MARK.find_iter(text) {
        let is_before = |line: &ListedLine<'_>| line.start_of_whole() <= mark.start();
        // Most have several marks, or the next line has one.
        let from = all.last().copied().unwrap_or(0);
        let at = from + lines[from..].partition_point(is_before) - 1;
        if all.last() != Some(&at) {
            all.push(at);
        }
    }
    all
}

fn listed_lines(text: &str) -> Vec<ListedLine<'_>> {
    let mut next = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let start = next;
            next += whole.len();
            let text = whole.trim_end_matches(['\n', '\r']);
            let rest = without_number(text);
            let is_patch = rest.starts_with('+') && !rest.starts_with("++")
                || rest.starts_with('-')
                    && rest
                        .as_bytes()
                        .get(1)
                        .is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'"');
            let rest = if is_patch { &rest[1..] } else { rest };
            ListedLine { start: start + (text.len() - rest.len()), text: rest, whole: text }
        })
        .collect()
}

/// Returns the line without its number, as `cat -n`, editors and `grep -n` write it.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == rest.len() {
        return line;
    }
    let signs = ["→", "\t", "|", ":"];
    let found = signs.iter().find_map(|sign| after.strip_prefix(sign));
    found.filter(|it| !it.starts_with("//")).unwrap_or(line)
}

/// Names of settings with a secret.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?ix)
        (?:^|[_.\-/:\ ]|[a-z])
        (?P<pass>pass(?:word|wd|phrase|code)?s?|pwd|pw|psk|requirepass|masterauth|passwort|kennwort)[0-9_]*$
        | (?:^|[_.\-/:\ ]|[a-z])(?P<key>secret|token|credentials?|_auth|api[_\-\ ]?key|access[_\-\ ]?key(?:[_\-\ ]?id)?|private[_\-\ ]?key
            |secret[_\-\ ]?key|account[_\-\ ]?key|auth[_\-\ ]?key|auth[_\-\ ]?token|encryption[_\-\ ]?key|master[_\-\ ]?key
            |signing[_\-\ ]?key|client[_\-\ ]?secret|client-key-data|sas[_\-\ ]?url|webhook[_\-\ ]?url)[0-9_]*$";
    compile_pattern(pattern)
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretName {
    Password,
    Secret,
}

impl SecretName {
    /// Returns the kind of secret under a name; None for another name.
    fn from_name(name: &str) -> Option<Self> {
        let name = name.trim_matches(['"', '\'', '`', '*', ' ']);
        if name.len() > 80 || !may_have(name) {
            return None;
        }
        let captures = NAME.captures(name)?;
        let is_whole =
            !name.eq_ignore_ascii_case("bypass") && !name.to_ascii_lowercase().ends_with("compass");
        let is_password = captures.name("pass").is_some();
        is_whole.then_some(if is_password { Self::Password } else { Self::Secret })
    }

    fn secret_kind(self) -> SecretKind {
        match self {
            Self::Password => SecretKind::Password,
            Self::Secret => SecretKind::Secret,
        }
    }

    /// Returns whether a value that is nothing else is a secret.
    fn is_secret(self, value: &str) -> bool {
        match self {
            Self::Password => {
                value.len() >= 3 && !assigned_secrets::is_placeholder("password", value)
            }
            Self::Secret => assigned_secrets::is_quoted_secret("token", value),
        }
    }
}

/// Splits `name = value` or `name: value` into the name, the sign and the value.
fn key_and_value<'t>(line: &'t str, signs: &[char]) -> Option<(&'t str, char, &'t str)> {
    let line = line.trim_start();
    let line = line
        .strip_prefix("export ")
        .or(line.strip_prefix("set "))
        .or(line.strip_prefix("ENV "))
        .unwrap_or(line);
    let line = line.trim_start_matches("- ").trim_start();
    let at = line.find(|c| signs.contains(&c))?;
    let (name, rest) = line.split_at(at);
    let sign = rest.chars().next()?;
    let name = name.trim_end();
    let is_name = !name.is_empty()
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.-/:\"' ".contains(&it));
    is_name.then(|| (name, sign, rest[sign.len_utf8()..].trim()))
}

/// Finds secrets in lines of a section, such as `[remote]`, and in lines with a name in capitals as in a shell or a `.env`: the value is the rest of the line.
fn find_in_settings(lines: &[ListedLine<'_>], marked: &[usize], all: &mut Vec<SecretMatch>) {
    for at in marked {
        let line = &lines[*at];
        let parsed = key_and_value(line.text, &['=']);
        let Some((name, _, value)) = parsed.filter(|(_, _, value)| !value.is_empty()) else {
            continue;
        };
        let Some(called) = SecretName::from_name(name) else { continue };
        let is_section = || is_in_section(lines, *at);
        let is_capitals =
            name.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
                && !line.text.contains(" = ");
        let (value, is_quoted) = without_quotes(value);
        let is_simple = !value.contains([' ', '(', '{', '<'])
            && !value.ends_with([';', ','])
            && !value.contains("::");
        let is_drawn = value.bytes().any(|it| it.is_ascii_digit())
            || value.len() >= 16 && has_both_cases(value);
        // In a section nothing is code.
        let is_plain = value.len() >= 6 && SecretName::Password.is_secret(value) && is_section();
        let has_variable = value.contains("$(") || value.contains("${");
        let is_secret = (called.is_secret(value) || is_plain)
            && !has_variable
            && match (is_section(), is_capitals) {
                (true, _) if called == SecretName::Password => is_quoted || !value.contains('('),
                (true, _) => is_quoted || !value.contains(['(', '{', ' ']),
                (_, true) => is_quoted || !value.contains(' '),
                _ => {
                    called == SecretName::Password && is_simple && is_drawn && !value.contains('.')
                }
            };
        if is_secret {
            all.push(SecretMatch { range: line.range_of(value), kind: called.secret_kind() });
        }
    }
}

/// Returns whether a head such as `[remote]` is above the line with nothing but settings between them.
fn is_in_section(lines: &[ListedLine<'_>], at: usize) -> bool {
    const MOST: usize = 100;
    let is_head = |text: &str| {
        text.starts_with('[')
            && text.ends_with(']')
            && text.len() > 2
            && !text.contains([',', '"', '('])
    };
    let above = lines[..at].iter().rev().take(MOST).map(|it| it.text.trim());
    let mut others = above.skip_while(|text| {
        let is_setting = || key_and_value(text, &['=']).is_some();
        !is_head(text) && (text.is_empty() || text.starts_with(['#', ';']) || is_setting())
    });
    others.next().is_some_and(is_head)
}

fn has_both_cases(value: &str) -> bool {
    value.bytes().any(|it| it.is_ascii_uppercase())
        && value.bytes().any(|it| it.is_ascii_lowercase())
}

/// Returns the value without the quotes around it, and whether it has some; without the comment after it.
fn without_quotes(value: &str) -> (&str, bool) {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            return (rest.find(quote).map_or(rest, |end| &rest[..end]), true);
        }
    }
    (value.find(" #").map_or(value, |end| value[..end].trim_end()), false)
}

/// Finds the values of `password: >-` and `password = """`, which are in the lines after it.
fn find_in_blocks(lines: &[ListedLine<'_>], marked: &[usize], all: &mut Vec<SecretMatch>) {
    for at in marked.iter().copied() {
        let line = &lines[at];
        let Some((name, sign, value)) = key_and_value(line.text, &['=', ':']) else { continue };
        let is_block = sign == ':' && is_block_mark(value);
        let quotes = ["\"\"\"", "'''"].into_iter().find(|it| value.starts_with(it));
        // YAML may also begin a plain value on the next line, deeper.
        let is_empty = sign == ':' && value.is_empty();
        if !(is_block || quotes.is_some() || is_empty) {
            continue;
        }
        let Some(called) = SecretName::from_name(name) else { continue };
        let range = match quotes {
            Some(quotes) => up_to_quotes(lines, at, value, quotes),
            None => {
                deeper_lines(lines, at).filter(|range| is_block || !is_mapping(lines, at, range))
            }
        };
        let Some(range) = range else { continue };
        let inner: String = lines[at..]
            .iter()
            .filter(|it| it.start + it.text.len() > range.start && it.start < range.end)
            .map(|it| {
                &it.text[range.start.saturating_sub(it.start).min(it.text.len())
                    ..(range.end - it.start).min(it.text.len())]
            })
            .collect::<Vec<_>>()
            .join(" ");
        let value_text = inner.trim();
        // A block of several words under a token's name is prose.
        let is_secret = match called {
            SecretName::Password => {
                called.is_secret(value_text)
                    && (is_block || quotes.is_some() || !value_text.contains(' '))
            }
            SecretName::Secret => {
                called.is_secret(&value_text.replace(' ', ""))
                    && value_text.split(' ').all(|word| word.len() >= 8 || called.is_secret(word))
            }
        };
        if is_secret {
            all.push(SecretMatch { range, kind: called.secret_kind() });
        }
    }
}

/// Returns whether a value is `|`, `>-` or `|2+`, also with a comment behind it.
fn is_block_mark(value: &str) -> bool {
    let mark = value.split(" #").next().unwrap_or_default().trim();
    mark.starts_with(['|', '>'])
        && mark.len() <= 3
        && mark[1..].bytes().all(|it| it.is_ascii_digit() || b"+-".contains(&it))
}

/// Returns the lines after one that are deeper, from their first letter to their last.
fn deeper_lines(lines: &[ListedLine<'_>], at: usize) -> Option<Range<usize>> {
    const MOST: usize = 200;
    let outer = lines[at].indent();
    let inner =
        lines[at + 1..].iter().take(MOST).take_while(|it| it.is_blank() || it.indent() > outer);
    let inner: Vec<&ListedLine<'_>> = inner.filter(|it| !it.is_blank()).collect();
    let (first, last) = (inner.first()?, inner.last()?);
    Some(first.range_of(first.text.trim()).start..last.range_of(last.text.trim()).end)
}

/// Returns whether the lines below a name are names again, and no value.
fn is_mapping(lines: &[ListedLine<'_>], at: usize, range: &Range<usize>) -> bool {
    lines[at + 1..].iter().take_while(|it| it.start < range.end).any(|it| {
        let text = it.text.trim();
        text.starts_with("- ")
            || text.contains(": ")
            || text.ends_with([':', '{', '(', ',', ';'])
            || text.starts_with(['}', ')', '/', '#'])
    })
}

/// Returns the value between three quotes and the next three.
fn up_to_quotes(
    lines: &[ListedLine<'_>],
    at: usize,
    value: &str,
    quotes: &str,
) -> Option<Range<usize>> {
    let start = lines[at].range_of(value).start + quotes.len();
    if let Some(end) = value[quotes.len()..].find(quotes) {
        return Some(start..start + end);
    }
    const MOST: usize = 50;
    let last =
        lines[at + 1..].iter().take(MOST).find_map(|it| Some(it.start + it.text.find(quotes)?))?;
    let first = lines[at + 1..]
        .iter()
        .find(|it| !it.is_blank())
        .map(|it| it.range_of(it.text.trim()).start)?;
    let begin = if value.len() > quotes.len() { start } else { first };
    (begin < last).then_some(begin..last)
}

/// Finds every value below `data:` and `stringData:` of a secret, whatever its name.
fn find_in_kubernetes(text: &str, lines: &[ListedLine<'_>], all: &mut Vec<SecretMatch>) {
    let has = |word: &[u8]| memchr::memmem::find(text.as_bytes(), word).is_some();
    let is_secret = has(b"stringData") || has(b"kind") && has(b"Secret");
    if !is_secret {
        return;
    }
    let document = |at: usize| {
        let is_border = |it: &ListedLine<'_>| it.text.trim() == "---";
        let first = lines[..at].iter().rposition(is_border).map_or(0, |it| it + 1);
        let last = lines[at..].iter().position(is_border).map_or(lines.len(), |it| at + it);
        &lines[first..last]
    };
    let is_kind = |it: &ListedLine<'_>| {
        let text = it.text.trim().trim_start_matches("- ").trim_end_matches(',');
        matches!(
            text,
            "kind: Secret"
                | "kind: \"Secret\""
                | "\"kind\": \"Secret\""
                | "\"kind\":\"Secret\""
                | "kind: 'Secret'"
        )
    };
    all.extend(find_in_compact_json(text));
    for (at, line) in lines.iter().enumerate() {
        let head = line.text.trim().trim_start_matches("- ");
        let is_map = |name: &str| {
            head == format!("{name}:")
                || head == format!("\"{name}\": {{")
                || head == format!("\"{name}\":{{")
        };
        let is_secret =
            is_map("stringData") || (is_map("data") && document(at).iter().any(is_kind));
        if !is_secret {
            continue;
        }
        let outer = line.indent();
        let mut inner = None;
        for (below, it) in lines.iter().enumerate().skip(at + 1) {
            if it.is_blank() || it.text.trim().starts_with('#') {
                continue;
            }
            if it.indent() <= outer {
                break;
            }
            if it.indent() != *inner.get_or_insert(it.indent()) {
                continue; // of a value over several lines
            }
            let Some((_, _, value)) = key_and_value(it.text, &[':']) else { continue };
            let range = match is_block_mark(value) || value.is_empty() {
                true => deeper_lines(lines, below),
                false => Some(it.range_of(without_quotes(value.trim_end_matches(',')).0)),
            };
            let range = range.filter(|range| !range.is_empty());
            all.extend(range.map(|range| SecretMatch { range, kind: SecretKind::Secret }));
        }
    }
}

/// Returns the values of a secret as JSON in one line.
fn find_in_compact_json(text: &str) -> Vec<SecretMatch> {
    static DATA: LazyLock<Regex> =
        LazyLock::new(|| compile_pattern(r#""(?:data|stringData)"\s*:\s*\{(?P<s>[^{}]+)\}"#));
    static VALUE: LazyLock<Regex> =
        LazyLock::new(|| compile_pattern(r#""[^"]+"\s*:\s*"(?P<s>(?:[^"\\]|\\.)+)""#));
    let is_secret = ["\"kind\":\"Secret\"", "\"kind\": \"Secret\"", "\"stringData\""]
        .iter()
        .any(|it| text.contains(it));
    if !is_secret {
        return vec![];
    }
    let data = DATA.captures_iter(text).filter_map(|it| it.name("s"));
    let values = data.flat_map(|data| {
        let found = VALUE.captures_iter(data.as_str()).filter_map(|it| it.name("s"));
        found.map(|it| data.start() + it.start()..data.start() + it.end()).collect::<Vec<_>>()
    });
    values.map(|range| SecretMatch { range, kind: SecretKind::Secret }).collect()
}

/// Finds the values in columns of a table in CSV, with tabs, semicolons or bars, of which the head says that they are
/// secret.
fn find_in_tables(lines: &[ListedLine<'_>], marked: &[usize], all: &mut Vec<SecretMatch>) {
    let mut done = 0;
    for at in marked.iter().copied() {
        if at >= done {
            let table = [',', '\t', ';', '|']
                .into_iter()
                .find_map(|sign| find_in_table(lines, at, sign, all));
            done = table.unwrap_or(done);
        }
    }
}

/// Takes what is secret of a table that begins with this line, and gives the line after it; None where none begins here.
fn find_in_table(
    lines: &[ListedLine<'_>],
    at: usize,
    sign: char,
    all: &mut Vec<SecretMatch>,
) -> Option<usize> {
    const LONGEST_HEAD: usize = 2000;
    let head = lines[at].text;
    if head.len() > LONGEST_HEAD || !head.contains(sign) {
        return None;
    }
    let names = split_cells(head, sign);
    let is_name = |name: &&str| {
        let name = name.trim_matches('"');
        !name.is_empty()
            && name.len() <= 40
            && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-. /()#".contains(&it))
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '#'))
    };
    let named = names.iter().filter(|name| !name.is_empty());
    if named.clone().count() < 2 || !named.clone().all(is_name) {
        return None;
    }
    if matches!(sign, ',' | ';') && head.ends_with(sign) {
        return None;
    }
    // `login, password, token` may be a list of names: then only what no name is counts.
    let is_list = matches!(sign, ',' | ';') && (head.contains(", ") || head.contains("; "));
    // A column that is called `pass` has what passed.
    let is_count = |name: &str| name.trim_matches('"').to_ascii_lowercase().ends_with("pass");
    let called = names.iter().map(|name| SecretName::from_name(name).filter(|_| !is_count(name)));
    let called: Vec<Option<SecretName>> = called.collect();
    if called.iter().all(Option::is_none) {
        return None;
    }
    let mut below = at + 1;
    while let Some(line) = lines.get(below) {
        let is_rule = !line.is_blank() && line.text.bytes().all(|it| b"-|+: =".contains(&it));
        let row = [line.text, line.whole].map(|it| split_cells(it, sign));
        let row = row.into_iter().find(|it| it.len() == names.len()).unwrap_or_default();
        if is_rule {
            below += 1;
            continue;
        }
        if line.is_blank() || row.len() != names.len() {
            break;
        }
        for (cell, called) in row.iter().zip(&called) {
            let value = cell.trim_matches('"');
            if let Some(called) =
                called.filter(|it| it.is_secret(value) && is_of_a_table(*it, value, is_list))
            {
                all.push(SecretMatch { range: line.range_of(value), kind: called.secret_kind() });
            }
        }
        below += 1;
    }
    (below > at + 1).then_some(below)
}

/// Returns whether a value in a column that is called so may be secret: numbers alone are counts in a column of tokens.
fn is_of_a_table(called: SecretName, value: &str, is_list: bool) -> bool {
    if is_list && !value.bytes().any(|it| it.is_ascii_digit()) {
        return false;
    }
    let is_number = value.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    called == SecretName::Password && value.len() >= 4 || !is_number
}

/// Splits a line at the sign into cells, without blanks around them; a sign within quotes does not split.
fn split_cells(line: &str, sign: char) -> Vec<&str> {
    let (mut all, mut start, mut is_quoted) = (vec![], 0, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if letter == sign && !is_quoted => {
                all.push(line[start..at].trim_matches(' '));
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    all.push(line[start..].trim_matches(' '));
    all
}

/// Finds the passwords in `machine host login name password secret`, in whatever lines and order.
fn find_in_netrc(text: &str) -> Vec<SecretMatch> {
    static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r#"(?x)
            (?:\bmachine\s+\S+|\bdefault)\s+(?:account\s+\S+\s+)?(?:login|user)\s+\S+\s+(?:account\s+\S+\s+)?(?:password|passwd)\s+(?P<a>"[^"\n]+"|\S+)
            | (?:\bmachine\s+\S+|\bdefault)\s+(?:password|passwd)\s+(?P<b>"[^"\n]+"|\S+)\s+(?:account\s+\S+\s+)?login\s+\S
            | (?m:^)[\ \t]*machine\s+\S+\s+password\s+(?P<c>"[^"\n]+"|\S+)[\ \t]*(?m:$)"#;
        compile_pattern(pattern)
    });
    if memchr::memmem::find(text.as_bytes(), b"passw").is_none() {
        return vec![];
    }
    let value = |captures: regex::Captures<'_>| {
        let value = captures.name("a").or(captures.name("b")).or(captures.name("c"))?;
        let quoted = usize::from(value.as_str().starts_with('"'));
        let range = value.start() + quoted..value.end() - quoted;
        (range.len() >= 3 && !assigned_secrets::is_placeholder("password", &text[range.clone()]))
            .then_some(range)
    };
    let found = ENTRY.captures_iter(text).filter_map(value);
    found.map(|range| SecretMatch { range, kind: SecretKind::Password }).collect()
}
