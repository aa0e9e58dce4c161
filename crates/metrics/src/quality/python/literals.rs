//! Checks numbers and strings as CPython 3.12 does: the grammar accepts those of Python 2 and some that no Python
//! accepts.

use super::sloc::string_prefix;
use trajview_code::flat_tree::FlatTree;

/// Prefixes of strings, in lower case and in alphabetical order of their letters.
const PREFIXES: [&str; 6] = ["", "b", "br", "f", "fr", "r"];

/// Returns whether a number is valid: not `10L`, `0777` or `1_`.
pub fn is_number(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let radix = |digits: &str, is_digit: fn(char) -> bool| {
        is_grouped(digits.strip_prefix('_').unwrap_or(digits), is_digit)
    };
    match text.get(..2) {
        Some("0x") => radix(&text[2..], |c| c.is_ascii_hexdigit()),
        Some("0o") => radix(&text[2..], |c| ('0'..='7').contains(&c)),
        Some("0b") => radix(&text[2..], |c| matches!(c, '0' | '1')),
        _ => is_decimal(&text),
    }
}

/// Returns whether digits have at most single underscores between them.
fn is_grouped(digits: &str, is_digit: fn(char) -> bool) -> bool {
    digits.split('_').all(|group| !group.is_empty() && group.chars().all(is_digit))
}

/// Returns whether a decimal number is valid: integer, float or imaginary.
fn is_decimal(text: &str) -> bool {
    let is_digits = |digits: &str| is_grouped(digits, |c| c.is_ascii_digit());
    let (number, is_imaginary) = match text.strip_suffix('j') {
        Some(number) => (number, true),
        None => (text, false),
    };
    let (mantissa, exponent) = match number.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let is_exponent =
        |exponent: &str| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    if !exponent.is_none_or(is_exponent) {
        return false;
    }
    if let Some((whole, part)) = mantissa.split_once('.') {
        let has_digits = !whole.is_empty() || !part.is_empty();
        return has_digits && [whole, part].into_iter().all(|it| it.is_empty() || is_digits(it));
    }
    let is_float = is_imaginary || exponent.is_some();
    let is_octal = mantissa.starts_with('0') && mantissa.contains(|c| matches!(c, '1'..='9'));
    is_digits(mantissa) && (is_float || !is_octal)
}

/// Returns whether a string has a valid prefix and valid escapes.
pub fn is_string(text: &str, flat: &FlatTree<'_>, at: usize, is_3_12: bool) -> bool {
    let prefix = sorted_letters(&string_prefix(text, flat, at));
    let is_known = PREFIXES.contains(&prefix.as_str())
        || prefix == "u"
        || (!is_3_12 && matches!(prefix.as_str(), "t" | "rt"));
    let parts: Vec<&str> =
        flat.children(at).filter_map(|part| string_content(text, flat, part)).collect();
    let is_bytes = prefix.contains('b');
    let has_escapes = !prefix.contains('r');
    is_known
        && !(is_bytes && parts.iter().any(|part| !part.is_ascii()))
        && !(has_escapes && parts.iter().any(|part| !are_escapes(part, is_bytes)))
}

fn string_content<'a>(text: &'a str, flat: &FlatTree<'_>, part: usize) -> Option<&'a str> {
    let is_content = flat.kind_name(part) == "string_content";
    is_content.then(|| text.get(flat.node(part).byte_range())).flatten()
}

fn sorted_letters(prefix: &str) -> String {
    let mut letters: Vec<char> = prefix.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// Returns whether each `\x`, `\u`, `\U` and `\N` is followed by what it requires. Names after `\N` are not looked up.
fn are_escapes(text: &str, is_bytes: bool) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let mut after = rest[at + 1..].chars();
        let kind = after.next();
        rest = after.as_str();
        let digits = |count: usize| {
            let taken = rest.get(..count).filter(|it| it.chars().all(|c| c.is_ascii_hexdigit()));
            taken.and_then(|digits| u32::from_str_radix(digits, 16).ok())
        };
        let is_escape = match kind {
            Some('x') => digits(2).is_some(),
            Some('u') if !is_bytes => digits(4).is_some(),
            Some('U') if !is_bytes => digits(8).is_some_and(|code| code <= 0x10_ffff),
            Some('N') if !is_bytes => rest.starts_with('{') && rest.contains('}'),
            _ => true,
        };
        if !is_escape {
            return false;
        }
    }
    true
}

/// Returns whether a concatenation mixes bytes and text.
pub(crate) fn mixes_bytes(text: &str, flat: &FlatTree<'_>, concatenated: usize) -> bool {
    let strings =
        flat.named_children(concatenated).filter(|&part| flat.kind_name(part) == "string");
    let mut kinds = strings.map(|string| string_prefix(text, flat, string).contains('b'));
    let first = kinds.next();
    kinds.any(|is_bytes| Some(is_bytes) != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_python_2_are_none() {
        let numbers = [
            "0",
            "00",
            "0_0",
            "10",
            "1_000",
            "0xFf",
            "0x_f",
            "0o17",
            "0b1",
            "1.",
            ".5",
            "1e5",
            "1_0.0_1e-1_0",
            "07.5",
            "09e1",
            "077j",
            "1j",
            "0J",
        ];
        let none =
            ["10L", "0777", "0xFFL", "1_", "1__0", "0x", "0o8", "01", "1e", "0b2", "0xfl", "7l"];

        assert_eq!(
            numbers.into_iter().filter(|text| !is_number(text)).collect::<Vec<_>>(),
            [""; 0]
        );
        assert_eq!(none.into_iter().filter(|text| is_number(text)).collect::<Vec<_>>(), [""; 0]);
    }
}
