//! Regular expressions of rules, matched against the texts of nodes. A rule matches the same few short texts again and
//! again, and most expressions are just a name, so that compiling them would take longer than all the matching.

use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::{Regex, bytes};
use regex_syntax::hir::{Class, Hir, HirKind, Look, literal::Extractor};

/// A regular expression that is compiled when it is first used, since most files use few.
#[derive(Debug)]
pub struct RuleRegex {
    text: String,
    ready: OnceLock<CompiledRegex>,
}

/// A compiled regular expression.
#[derive(Debug)]
enum CompiledRegex {
    Texts(LiteralTexts),
    Whole(FullRegex),
}

/// The form of most expressions: one of a few texts, anywhere or at an end.
#[derive(Debug)]
struct LiteralTexts {
    texts: Vec<Finder<'static>>,
    is_at_start: bool,
    is_at_end: bool,
}

/// An expression that needs the regex library.
#[derive(Debug)]
struct FullRegex {
    /// Pieces of text that every match has, in this order; searching them is cheaper than running the expression.
    pieces: Vec<Finder<'static>>,
    /// None where it cannot be compiled.
    regex: OnceLock<Option<Regex>>,
    /// The expression for ASCII text; None where its result could differ there. Its classes have a few ranges instead
    /// of those of all scripts, so that it compiles in a tenth of the time.
    ascii_regex: OnceLock<Option<bytes::Regex>>,
}

impl RuleRegex {
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ready: OnceLock::new() }
    }

    /// Returns whether it is valid and certainly stays below the library's limit of 10 MB when compiled.
    pub fn is_sound(&self) -> bool {
        const MOST_STATES: usize = 60_000;
        let hir = regex_syntax::parse(&self.text);
        self.ready.get_or_init(|| CompiledRegex::from_hir(hir.as_ref().ok()));
        hir.is_ok_and(|hir| state_count(&hir) <= MOST_STATES)
    }

    /// Returns whether the expression matches in a text. `is_ascii` means that the text is certainly ASCII; else it is
    /// checked.
    pub fn is_in(&self, text: &str, is_ascii: bool) -> bool {
        let ready = || CompiledRegex::from_hir(regex_syntax::parse(&self.text).ok().as_ref());
        match self.ready.get_or_init(ready) {
            CompiledRegex::Texts(texts) => texts.are_in(text.as_bytes()),
            CompiledRegex::Whole(whole) => whole.is_in(&self.text, text, is_ascii),
        }
    }
}

impl CompiledRegex {
    /// Chooses the form of an expression; None stands for one that is not valid.
    fn from_hir(hir: Option<&Hir>) -> Self {
        if let Some(texts) = hir.and_then(LiteralTexts::from_hir) {
            return Self::Texts(texts);
        }
        let mut pieces = vec![];
        hir.into_iter().for_each(|hir| add_pieces(hir, &mut pieces));
        Self::Whole(FullRegex { pieces, regex: OnceLock::new(), ascii_regex: OnceLock::new() })
    }
}

impl LiteralTexts {
    /// Returns the texts; None where the expression is not just a few texts.
    fn from_hir(hir: &Hir) -> Option<Self> {
        hir.properties().maximum_len()?;
        let (mut is_at_start, mut is_at_end, mut rest) = (false, false, hir.clone());
        if let HirKind::Concat(parts) = hir.kind() {
            let looks = |part: Option<&Hir>, look| {
                part.is_some_and(|part| *part.kind() == HirKind::Look(look))
            };
            is_at_start = looks(parts.first(), Look::Start);
            is_at_end = looks(parts.last(), Look::End);
            let inner = usize::from(is_at_start)..parts.len() - usize::from(is_at_end);
            rest = Hir::concat(parts[inner].to_vec());
        }
        if !rest.properties().look_set().is_empty() {
            return None;
        }
        let all = Extractor::new().extract(&rest);
        let texts = all.literals().filter(|_| all.is_exact())?;
        let texts = texts.iter().map(|text| Finder::new(text.as_bytes()).into_owned()).collect();
        Some(Self { texts, is_at_start, is_at_end })
    }

    fn are_in(&self, text: &[u8]) -> bool {
        self.texts.iter().any(|one| match (self.is_at_start, self.is_at_end) {
            (true, true) => text == one.needle(),
            (true, false) => text.starts_with(one.needle()),
            (false, true) => text.ends_with(one.needle()),
            (false, false) => one.find(text).is_some(),
        })
    }
}

impl FullRegex {
    fn is_in(&self, expression: &str, text: &str, is_ascii: bool) -> bool {
        let mut rest = text.as_bytes();
        for piece in &self.pieces {
            let Some(at) = piece.find(rest) else { return false };
            rest = &rest[at + piece.needle().len()..];
        }
        if (is_ascii || text.is_ascii())
            && let Some(regex) = self.ascii_regex.get_or_init(|| ascii_regex(expression))
        {
            return regex.is_match(text.as_bytes());
        }
        let regex = self.regex.get_or_init(|| Regex::new(expression).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// Compiles the expression for ASCII text only. None unless it certainly gives the same result on ASCII text: not for
/// one that ignores case, because `k` then also means the Kelvin sign, and not for one that names characters by number
/// or by property.
fn ascii_regex(text: &str) -> Option<bytes::Regex> {
    let is_plain = |(at, c): (usize, char)| match c {
        '(' => text[at + 1..].strip_prefix('?').is_none_or(|flags| flags.starts_with(':')),
        '\\' => text[at + 1..].starts_with(|c: char| {
            c.is_ascii_punctuation()
                || matches!(c, 's' | 'S' | 'w' | 'W' | 'd' | 'D' | 'b' | 'n' | 't')
        }),
        c => c.is_ascii(),
    };
    let is_same = text.char_indices().all(is_plain);
    is_same.then(|| bytes::RegexBuilder::new(text).unicode(false).build().ok()).flatten()
}

/// Adds the pieces of text that every match of a regular expression has, in order and without overlap.
fn add_pieces(hir: &Hir, pieces: &mut Vec<Finder<'static>>) {
    const MOST: usize = 24;
    const MOST_TIMES: u32 = 4;
    if pieces.len() >= MOST {
        return; // those that come after are not looked for
    }
    match hir.kind() {
        HirKind::Literal(literal) => pieces.push(Finder::new(&literal.0).into_owned()),
        HirKind::Capture(capture) => add_pieces(&capture.sub, pieces),
        HirKind::Repetition(repeated) => {
            for _ in 0..repeated.min.min(MOST_TIMES) {
                add_pieces(&repeated.sub, pieces);
            }
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| add_pieces(part, pieces)),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Alternation(_) => {}
    }
}

/// Returns an upper bound for the states of the compiled expression, of less than 100 bytes each.
fn state_count(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| states_of_range(range.start(), range.end())).sum()
        }
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 1,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.saturating_add(1)).max(1);
            state_count(&repeated.sub).saturating_add(2).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => state_count(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(state_count).fold(1, usize::saturating_add)
        }
    }
}

/// Returns an upper bound for the states of a range of characters, which is compiled into sequences of byte ranges:
/// one where only the last byte differs, else at most two for each byte but the last, and one.
fn states_of_range(start: char, end: char) -> usize {
    let bytes = end.len_utf8();
    if start.len_utf8() < bytes {
        // The range has encodings of several lengths.
        return (1..=bytes).map(|bytes| bytes * (2 * bytes - 1)).sum();
    }
    let has_one = u32::from(start) >> 6 == u32::from(end) >> 6;
    if has_one { bytes } else { bytes * (2 * bytes - 1) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces that expressions of rules are made of.
    const PIECES: [&str; 27] = [
        r"\s",
        r"\S",
        r"\w",
        r"\W",
        r"\d",
        r"\D",
        r"\b",
        r"\.",
        r"\[",
        r"\n",
        ".",
        "^",
        "$",
        "[^}]",
        "[a-k]",
        "(?:if|K)",
        "(a|_)",
        "x",
        "k",
        "+",
        "*?",
        "{2}",
        "|",
        r"\\",
        "(?:x.*?k){2,}",
        "[xk]{3}",
        "(?:xx|k)",
    ];

    proptest! {
        #[test]
        fn whatever_is_asked_an_expression_says_what_the_library_says(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..8),
            text in "[ -~\\t\\n\x0b\x0c\r\x1c-\x1f\x7f]{0,24}|[a-kxK_ \n.]{0,24}|[xk\u{212a}\u{e9}]{0,12}",
        ) {
            let expression = pieces.concat();
            if let Ok(usual) = Regex::new(&expression) {
                let ours = RuleRegex::new(&expression);
                let rest = [ours.is_in(&text, text.is_ascii()), ours.is_in(&text, false)];
                prop_assert_eq!(rest, [usual.is_match(&text); 2], "{:?} in {:?}", expression, text);
            }
        }
    }

    #[test]
    fn an_expression_that_is_a_few_texts_says_what_it_said() {
        let of_texts = [
            "^list$",
            "is None",
            r"\.get$",
            "^validate_",
            "^(items|keys|values)$",
            "error|Error|ERROR",
            r"^isinstance\(",
            "^('object'|\"object\")$",
            "^$",
            "a{2}",
            "[ab]c",
            "(?:é|e)$",
        ];
        let of_more =
            ["^a|b$", "a+", r"\bx", "^(a|b", "x.", r"\w$", "(?m)^a", "a*", "(?i)abcdefgh"];
        let texts = [
            "",
            "list",
            "lists",
            "a.get",
            "a.gets",
            "x is None",
            "validate_x",
            "keys",
            "keysx",
            "Error",
            "isinstance(a",
            "isinstance",
            "'object'",
            "aa",
            "baac",
            "xbc",
            "é",
            "le",
        ];
        let literal_texts =
            |text: &str| regex_syntax::parse(text).ok().as_ref().and_then(LiteralTexts::from_hir);

        for expression in of_texts {
            let (ours, usual) =
                (literal_texts(expression).unwrap(), Regex::new(expression).unwrap());
            for text in texts {
                assert_eq!(
                    ours.are_in(text.as_bytes()),
                    usual.is_match(text),
                    "{expression} in {text}"
                );
            }
        }
        let few: Vec<&str> =
            of_more.into_iter().filter(|text| literal_texts(text).is_some()).collect();
        assert_eq!(few, [""; 0]);
    }

    #[test]
    fn what_rules_usually_ask_has_an_expression_for_ascii() {
        let usual = [
            r"^return\s+None\s*$",
            r"(except\s+Exception[\s:][\s\S]*){2,}",
            r"\.(items|keys)$",
            "(?:a|b)",
        ];

        assert_eq!(
            usual.into_iter().filter(|text| ascii_regex(text).is_none()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn what_might_say_otherwise_of_ascii_is_left_as_it_is() {
        let left =
            ["(?i)k", r"\u{212a}", r"\x6b", r"\p{Lu}", r"\PM", "\u{e9}", "a(?x) b", "(?<n>a)"];

        assert_eq!(
            left.into_iter().filter(|text| ascii_regex(text).is_some()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn an_expression_is_asked_of_text_of_any_script() {
        let expression = RuleRegex::new(r"^\w+$");

        assert!(expression.is_in("caf\u{e9}", false) && expression.is_in("cafe", true));
        assert!(!expression.is_in("caf\u{2019}", false) && !expression.is_in("a b", true));
    }
}
