//! Passwords in sentences and in SQL: `the password is hunter2`, `ALTER USER bob WITH PASSWORD 'hunter2'`, `IDENTIFIED BY 'hunter2'`.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    assigned_secrets,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

/// Patterns whose group `s` is the secret where it looks like one.
static PATTERNS: LazyLock<Vec<(ProseStrictness, Regex)>> = LazyLock::new(|| {
    use ProseStrictness::{Any, Telling, Word};
    let name = r"(?:pass[ -]?words?|passwd|passphrases?|pass[ -]?codes?|pwd|passwort|kennwort|secret key|api[ -]?key|access token|auth token)";
    let whose = r#"(?:\s+(?:for|of|to|on|at|in)\s+(?:the\s+|my\s+|our\s+|his\s+|her\s+)?[\w.@'"`/-]+(?:\s+(?:user|account|server|database|db|box|host|panel|vault))?)?"#;
    let verb = r"\s+(?:(?:is|was|will be|should be|are|to|as|set to|changed to|reset to|equals|remains|ist|lautet)(?:\s+(?:now|still|simply|just|currently|always|set to|changed to))?)\s*:?\s*";
    let is = r"\s+(?:(?:is|was|will be|ist|lautet|set to|changed to|reset to)(?:\s+(?:now|still|simply|just|currently|set to|changed to))?)\s*:?\s*";
    let patterns = [
        (Word, format!(r#"(?i)\b(?:the|my|our|your|his|her|their|its|root|admin|user|login|database|db|wifi|wi-fi|new|old|temporary|default|master|current)\s+(?:\w+\s+)?{name}{whose}{is}(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#)),
        (Word, format!(r#"(?i)\b{name}\s+(?:for|of)\s+(?:the\s+|my\s+)?[\w.@'"`/-]+{is}(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#)),
        (Telling, format!(r#"(?i)\b{name}{whose}{verb}(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#)),
        (Telling, r#"(?i)\b(?:with|use|using|and|try|by|user\s+\S+|login\s+\S+)\s+(?:the\s+)?(?:password|passwd|passphrase|passcode|pwd)\s+(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#.to_owned()),
        (Any, r#"(?i)\b(?:with|use|using|and|try)\s+(?:the\s+)?(?:password|passphrase|passcode)\s+["'`“‘«](?P<s>[^\s"'`”’»]+)["'`”’»]"#.to_owned()),
        (Any, r#"(?i)\b(?:with\s+|encrypted\s+|login\s+|set\s+|role\s+\S+\s+|user\s+\S+\s+)+(?:encrypted\s+)?password\s*(?:for\s+\S+\s*)?=?\s*(?:password\s*)?\(?\s*(?:'\\'')?\\*['"](?P<s>[^'"\r\n\\]+)"#.to_owned()),
        (Any, r#"(?i)\bidentified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+|values\s+)?\\*['"](?P<s>[^\s'";,)\\]+)"#.to_owned()),
        (Any, r#"\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS)\s+(?P<s>[^\s'";,)\\]+)"#.to_owned()),
        (Any, r#"(?i)\b(?:create|alter)\s+user\s+\S+\s+identified\s+by\s+(?P<s>[^\s'";,)\\]+)"#.to_owned()),
        (Any, r#"(?i)\bConvertTo-SecureString\s+(?:-String\s+)?["'](?P<s>[^"'\r\n]{3,})["']"#.to_owned()),
        (Any, r#"(?i)\b(?:set|with)_?password\s*\(\s*["'](?P<s>[^"'\r\n]{3,})["']"#.to_owned()),
        (Telling, r#"(?i)\b(?:credentials?|logins?|creds)(?:\s+(?:are|is|for\s+\S+\s+(?:are|is)))?\s*:?\s+["'`]?[\w.@-]+\s?[:/]\s?(?P<s>[^\s"'`/:]+)"#.to_owned()),
        (Telling, r#"(?i)[,;(/]\s*(?:and\s+)?(?:password|passwd|pass|pw|pwd)\s+(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#.to_owned()),
        (Telling, r#"(?i)\b(?:the|my|our|your|root|admin)\s+(?:pw|pass)\s+(?:is|was)\s*:?\s*(?P<q>["'`“‘«*]*)(?P<s>[^\s"'`”’»]+)"#.to_owned()),
        (Any, r#"(?i)\b(?:requirepass|masterauth|config\s+set\s+requirepass)\s+["']?(?P<s>[^\s"'<>]+)"#.to_owned()),
        (Any, r#"(?:密码|口令|暗証番号|パスワード|비밀번호|(?i:пароль|contraseña|mot de passe|senha))\s*(?:[:：=＝]|是|为|は|\bes\b|\best\b)\s*["'`“‘「]*(?P<s>[!#-&(-_a-~]{4,})"#.to_owned()),
    ];
    patterns.map(|(strictness, it)| (strictness, compile_pattern(&it))).into()
});

/// The condition on a value to count as a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProseStrictness {
    /// Every value that is no placeholder.
    Any,
    /// A value in quotes, or with characters that words of prose do not have.
    Telling,
    /// As [`Self::Telling`], or one word at the end of a sentence that describes no password.
    Word,
}

/// The words without which a text has no such secret.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = "(?i)pass|pwd|pw |cred|login|securestring|kennwort|secret key|api[ -]?key|access token|auth token|identified|requirepass|masterauth|密码|口令|パスワード|暗証|비밀번호|пароль|contraseña|senha";
    compile_pattern(pattern)
});

pub(crate) fn find_in_prose(text: &str) -> Vec<SecretMatch> {
    if !MARK.is_match(text) {
        return vec![];
    }
    let mut all = vec![];
    for (strictness, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text) {
            let Some(value) = captures.name("s") else { continue };
            let is_quoted =
                captures.name("q").is_some_and(|it| !it.as_str().trim_matches('*').is_empty());
            let trimmed = value.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '*']);
            let is_end = is_end_of_sentence(text, value.start() + trimmed.len());
            let is_secret = match strictness {
                ProseStrictness::Any => trimmed.len() >= 3,
                ProseStrictness::Telling => is_telling(trimmed, is_quoted),
                ProseStrictness::Word => {
                    is_telling(trimmed, is_quoted) || (is_end && is_one_word(trimmed))
                }
            };
            if is_secret && !assigned_secrets::is_placeholder("password", trimmed) {
                let range = value.start()..value.start() + trimmed.len();
                all.push(SecretMatch { range, kind: SecretKind::Password });
            }
        }
    }
    all
}

fn is_end_of_sentence(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(['*', ')']);
    rest.is_empty() || rest.starts_with(['.', ',', ';', '!', '?', '\n', '\r'])
}

/// Returns whether the value differs from prose, whose words have neither digits nor signs.
fn is_telling(value: &str, is_quoted: bool) -> bool {
    let bytes = value.as_bytes();
    let has = |condition: fn(&u8) -> bool| bytes.iter().any(condition);
    let is_code = value.ends_with("()")
        || value.contains("::")
        || value.contains('(')
        || value.starts_with(['/', '~', '-', '#', '&', '<', '[']);
    if value.len() < 4 || is_code {
        return false;
    }
    let is_number_of_something = bytes.iter().all(|byte| byte.is_ascii_digit()) && value.len() < 6;
    let is_mixed = bytes[1..].iter().any(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let has_sign = has(|byte| b"!@#$%^&*+=?~".contains(byte)) && !value.contains("--");
    let has_digit = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    is_quoted && !is_number_of_something
        || has_digit
        || has_sign
        || (is_mixed && value.len() >= 8 && !value.contains(['.', '-', '_']))
        || (!is_number_of_something && bytes.iter().all(u8::is_ascii_digit))
}

/// Returns whether a value may be a password of one word: `swordfish`, and not `required`, `empty`, `stored`.
fn is_one_word(value: &str) -> bool {
    const ENDINGS: [&str; 24] = [
        "ed", "en", "ing", "ly", "ble", "ive", "al", "ent", "ant", "ous", "ful", "less", "ary",
        "ory", "ect", "ic", "er", "ion", "ment", "ity", "ness", "text", "sent", "ate",
    ];
    const WORDS: [&str; 60] = [
        "wrong",
        "empty",
        "short",
        "long",
        "weak",
        "strong",
        "blank",
        "same",
        "there",
        "here",
        "known",
        "unknown",
        "null",
        "none",
        "safe",
        "secure",
        "secret",
        "plain",
        "hash",
        "hashes",
        "match",
        "right",
        "okay",
        "fine",
        "lost",
        "gone",
        "read",
        "kept",
        "held",
        "sent",
        "leaked",
        "needed",
        "enough",
        "optional",
        "mandatory",
        "private",
        "public",
        "unique",
        "random",
        "simple",
        "valid",
        "invalid",
        "correct",
        "incorrect",
        "first",
        "next",
        "last",
        "work",
        "users",
        "bytes",
        "this",
        "that",
        "them",
        "case-sensitive",
        "unset",
        "below",
        "above",
        "stale",
        "absent",
        "encrypt",
    ];
    let is_capital = value.starts_with(|c: char| c.is_ascii_uppercase());
    let lower = value.to_ascii_lowercase();
    let parts = || lower.split('-');
    let is_word = value.len() >= 5
        && parts()
            .all(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_lowercase()))
        && value[1..].bytes().all(|byte| !byte.is_ascii_uppercase());
    let describes =
        WORDS.contains(&lower.as_str()) || ENDINGS.iter().any(|ending| lower.ends_with(ending));
    // A name, a word that describes nothing, or several words.
    is_word
        && (is_capital && !WORDS.contains(&lower.as_str()) || !describes && parts().count() != 2)
}
