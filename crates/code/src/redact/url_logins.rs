//! Finds passwords in addresses whose password contains separators of an address: `postgres://ann:p/a@ss@host/db`. A
//! password may contain `/`, `@`, `?` and `#` though it should not; it ends at an `@` before something that looks like
//! a host.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    assigned_secrets,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s/@:"'<>`]*):"#;
    compile_pattern(pattern)
});

/// Addresses without a scheme: `name:password@tcp(host)`, `jdbc:oracle:thin:name/password@host`.
static OTHERS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r#"\b[\w.-]+:(?P<s>[^\s"'`]+)@(?:tcp|unix|udp)\("#,
        r#"(?i)\bjdbc:oracle:\w+:[\w.-]+/(?P<s>[^\s"'`]+)@"#,
    ]
    .map(compile_pattern)
});

pub(crate) fn find_logins(text: &str) -> Vec<SecretMatch> {
    let mut all: Vec<Range<usize>> = vec![];
    if memchr::memmem::find(text.as_bytes(), b"://").is_some() {
        all.extend(BEGINNING.captures_iter(text).filter_map(|it| {
            let user = it.name("user")?;
            let end = password_end(text, it.get(0)?.end())?;
            Some(user.start()..end)
        }));
    }
    if memchr::memchr(b'@', text.as_bytes()).is_some() {
        for pattern in OTHERS.iter() {
            all.extend(pattern.captures_iter(text).filter_map(|it| Some(it.name("s")?.range())));
        }
    }
    all.retain(|range| !assigned_secrets::is_placeholder("password", &text[range.clone()]));
    all.into_iter().map(|range| SecretMatch { range, kind: SecretKind::UrlLogin }).collect()
}

/// Returns the end of the password that begins here; None where there is none.
fn password_end(text: &str, start: usize) -> Option<usize> {
    const LONGEST: usize = 512;
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    let rest = &text[start..];
    let rest = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    // `host:8080/path/@scope` has a port and no password.
    let first = rest.find(|c: char| !c.is_ascii_digit()).map_or("", |at| &rest[at..]);
    if first.is_empty() || first.starts_with(['/', '?', '#', ')', ',', '.', ';', ']']) {
        return None;
    }
    let mut end = None;
    for (at, _) in rest.match_indices('@').take_while(|(at, _)| *at <= LONGEST) {
        let after = &rest[at + 1..];
        let is_of_host = |c: char| {
            c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '{' | '}' | '[' | ']' | '%')
        };
        let length = after.find(|c: char| !is_of_host(c)).unwrap_or(after.len());
        let (host, behind) = after.split_at(length);
        if host.is_empty()
            || !(behind.is_empty()
                || behind.starts_with(['/', '?', '#', ',', ':', ')', ';', '|', '\\', ']', '}']))
        {
            continue;
        }
        if at == 0 {
            continue; // no password
        }
        end = Some(start + at);
        let is_sure = host.contains('.') || host == "localhost" || behind.starts_with(':');
        if is_sure {
            break;
        }
    }
    end
}
