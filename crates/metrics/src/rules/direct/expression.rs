//! Regular expressions of rules, asked of the texts of nodes. A rule asks the same few short texts again and again, and
//! most say no more than a name, so that making them ready would take longer than all that is asked.

use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::{Regex, bytes};
use regex_syntax::hir::{Class, Hir, HirKind, Look, literal::Extractor};

/// A regular expression that can be made ready. It is made ready when it is first asked: most files ask few.
#[derive(Debug)]
pub struct Expression {
    text: String,
    ready: OnceLock<Ready>,
}

/// A regular expression that was made ready.
#[derive(Debug)]
enum Ready {
    Texts(Texts),
    Whole(Whole),
}

/// What most expressions come to: one of a few texts, anywhere or at an end.
#[derive(Debug)]
struct Texts {
    texts: Vec<Finder<'static>>,
    is_at_start: bool,
    is_at_end: bool,
}

/// An expression that says more.
#[derive(Debug)]
struct Whole {
    /// What is in whatever it matches, in this order: cheaper to look for than the whole.
    pieces: Vec<Finder<'static>>,
    /// None where it cannot be made ready.
    regex: OnceLock<Option<Regex>>,
    /// For text that is ASCII alone; None where it might say otherwise there. Its classes are a few ranges instead of those
    /// of all scripts, so that it is ready in a tenth of the time.
    of_ascii: OnceLock<Option<bytes::Regex>>,
}

impl Expression {
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ready: OnceLock::new() }
    }

    /// Whether it is well written and surely stays below the library's limit, 10 MB once it is ready.
    pub fn is_sound(&self) -> bool {
        const MOST_STATES: usize = 60_000;
        let hir = regex_syntax::parse(&self.text);
        self.ready.get_or_init(|| Ready::of(hir.as_ref().ok()));
        hir.is_ok_and(|hir| states(&hir) <= MOST_STATES)
    }

    /// `is_ascii` says that the text surely is; without that it is looked at.
    pub fn is_in(&self, text: &str, is_ascii: bool) -> bool {
        let ready = || Ready::of(regex_syntax::parse(&self.text).ok().as_ref());
        match self.ready.get_or_init(ready) {
            Ready::Texts(texts) => texts.are_in(text.as_bytes()),
            Ready::Whole(whole) => whole.is_in(&self.text, text, is_ascii),
        }
    }
}

impl Ready {
    /// None is one that is not well written.
    fn of(hir: Option<&Hir>) -> Self {
        if let Some(texts) = hir.and_then(Texts::of) {
            return Self::Texts(texts);
        }
        let mut pieces = vec![];
        hir.into_iter().for_each(|hir| add_pieces(hir, &mut pieces));
        Self::Whole(Whole { pieces, regex: OnceLock::new(), of_ascii: OnceLock::new() })
    }
}

impl Texts {
    /// None where the expression says more than that, or of too many texts.
    fn of(hir: &Hir) -> Option<Self> {
        hir.properties().maximum_len()?;
        let (mut is_at_start, mut is_at_end, mut said) = (false, false, hir.clone());
        if let HirKind::Concat(parts) = hir.kind() {
            let looks = |part: Option<&Hir>, look| {
                part.is_some_and(|part| *part.kind() == HirKind::Look(look))
            };
            is_at_start = looks(parts.first(), Look::Start);
            is_at_end = looks(parts.last(), Look::End);
            let inner = usize::from(is_at_start)..parts.len() - usize::from(is_at_end);
            said = Hir::concat(parts[inner].to_vec());
        }
        if !said.properties().look_set().is_empty() {
            return None;
        }
        let all = Extractor::new().extract(&said);
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

impl Whole {
    fn is_in(&self, expression: &str, text: &str, is_ascii: bool) -> bool {
        let mut rest = text.as_bytes();
        for piece in &self.pieces {
            let Some(at) = piece.find(rest) else { return false };
            rest = &rest[at + piece.needle().len()..];
        }
        if (is_ascii || text.is_ascii())
            && let Some(regex) = self.of_ascii.get_or_init(|| of_ascii(expression))
        {
            return regex.is_match(text.as_bytes());
        }
        let regex = self.regex.get_or_init(|| Regex::new(expression).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// The same expression without what it says of other characters than those of ASCII. None unless it surely says the same
/// of a text that has no others: none that ignores case, as `k` is the Kelvin sign then, and none that names characters by
/// number or by property.
fn of_ascii(text: &str) -> Option<bytes::Regex> {
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

/// The pieces of text that are in whatever a regular expression matches, in order and none in another.
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

/// At least as many states as a regular expression takes once it is ready, of less than 100 bytes each.
fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| states_of_range(range.start(), range.end())).sum()
        }
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 1,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.saturating_add(1)).max(1);
            states(&repeated.sub).saturating_add(2).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(states).fold(1, usize::saturating_add)
        }
    }
}

/// A range of characters is sequences of ranges of bytes: one where only the last byte differs, else at most two for each
/// byte but the last, and one.
fn states_of_range(start: char, end: char) -> usize {
    let bytes = end.len_utf8();
    if start.len_utf8() < bytes {
        // In several lengths.
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
                let ours = Expression::new(&expression);
                let said = [ours.is_in(&text, text.is_ascii()), ours.is_in(&text, false)];
                prop_assert_eq!(said, [usual.is_match(&text); 2], "{:?} in {:?}", expression, text);
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
        let of = |text: &str| regex_syntax::parse(text).ok().as_ref().and_then(Texts::of);

        for expression in of_texts {
            let (ours, usual) = (of(expression).unwrap(), Regex::new(expression).unwrap());
            for text in texts {
                assert_eq!(
                    ours.are_in(text.as_bytes()),
                    usual.is_match(text),
                    "{expression} in {text}"
                );
            }
        }
        let few: Vec<&str> = of_more.into_iter().filter(|text| of(text).is_some()).collect();
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
            usual.into_iter().filter(|text| of_ascii(text).is_none()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn what_might_say_otherwise_of_ascii_is_left_as_it_is() {
        let left =
            ["(?i)k", r"\u{212a}", r"\x6b", r"\p{Lu}", r"\PM", "\u{e9}", "a(?x) b", "(?<n>a)"];

        assert_eq!(
            left.into_iter().filter(|text| of_ascii(text).is_some()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn an_expression_is_asked_of_text_of_any_script() {
        let expression = Expression::new(r"^\w+$");

        assert!(expression.is_in("caf\u{e9}", false) && expression.is_in("cafe", true));
        assert!(!expression.is_in("caf\u{2019}", false) && !expression.is_in("a b", true));
    }
}
