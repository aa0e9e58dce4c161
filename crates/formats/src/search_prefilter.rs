//! Decides from the bytes of a log whether a search word may be in the text of its steps, without reading records.
//!
//! A text comes from one record, so letters in a row in the text are in a row in the record, with four exceptions: a
//! letter may be written as an escape (`\u0041`); terminal escapes between letters are left out, or put one letter
//! over another; two strings may be joined directly; and the format itself may add a word. Each exception can be seen
//! in the bytes too, and where one of them is possible, no conclusion is drawn.

use memchr::{memchr, memchr_iter, memchr3_iter};

/// The way in which the text of a step appears in the bytes of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLayout {
    /// No promise: a text may be put together from anywhere.
    Free,
    /// A record is a line, and each text consists of the strings of one record, with nothing but punctuation or one of the
    /// format's own words between them.
    PlainStrings,
    /// As `PlainStrings`, but strings may contain JSON again, and may follow each other with nothing between.
    NestedJson,
}

/// A word with fewer letters occurs everywhere.
const MIN_LETTERS: usize = 4;

/// Further letters of a word are ignored.
const MAX_LETTERS: usize = 32;

/// The letters of a search word, in a row, in either case.
#[derive(Debug)]
pub struct SearchNeedle {
    /// Lower case, from [`MIN_LETTERS`] to [`MAX_LETTERS`] of them.
    letters: Vec<u8>,
    regex: regex::bytes::Regex,
    /// The positions of each byte among the letters, as bits.
    positions: Box<[u64; 256]>,
}

/// The parts of a needle that were found in the lines of a run so far.
#[derive(Debug, Clone, Default)]
pub struct NeedleSightings {
    pub is_whole: bool,
    /// Counts of its first letters with which a string ends, as bits.
    ends: u64,
    /// Counts of its first letters after which a string begins with the rest, as bits.
    begins: u64,
    /// Whole strings of letters of its middle: from the position, the counts up to which they go, as bits.
    middles: Vec<u64>,
}

impl SearchNeedle {
    /// Returns the longest run of letters of a word in lower case; None where it is short, or a format may say it by
    /// itself.
    pub fn from_word(word: &str) -> Option<Self> {
        let runs = word.split(|c: char| !c.is_ascii_alphabetic());
        let letters = runs.max_by_key(|run| run.len()).filter(|run| run.len() >= MIN_LETTERS)?;
        let letters = letters[..letters.len().min(MAX_LETTERS)].to_ascii_lowercase();
        if FORMAT_LETTERS.split_ascii_whitespace().any(|own| own.contains(&letters)) {
            return None;
        }
        let mut builder = regex::bytes::RegexBuilder::new(&letters);
        let regex = builder.case_insensitive(true).unicode(false).build().ok()?;
        let mut positions = Box::new([0; 256]);
        for (at, letter) in letters.bytes().enumerate() {
            positions[usize::from(letter)] |= 1 << at;
            positions[usize::from(letter.to_ascii_uppercase())] |= 1 << at;
        }
        Some(Self { letters: letters.into_bytes(), regex, positions })
    }

    /// Returns the number of letters.
    pub const fn letter_count(&self) -> usize {
        self.letters.len()
    }

    /// Searches whole lines for the needle or its parts.
    pub fn look_at_lines(&self, lines: &[u8], spelling: TextLayout, seen: &mut NeedleSightings) {
        seen.is_whole = seen.is_whole || self.regex.is_match(lines);
        if seen.is_whole || spelling == TextLayout::PlainStrings {
            return;
        }
        seen.middles.resize(MAX_LETTERS + 1, 0);
        for quote in memchr_iter(b'"', lines) {
            self.look_before(&lines[..quote], seen);
            self.look_after(&lines[quote + 1..], seen);
        }
    }

    /// Notes the beginning of the needle before a quote.
    fn look_before(&self, before: &[u8], seen: &mut NeedleSightings) {
        let before = without_backslashes(before);
        let Some(last) = before.last() else { return };
        for at in set_bits(self.positions[usize::from(*last)]) {
            let first = &self.letters[..=at];
            let is_there = before.len() >= first.len()
                && before[before.len() - first.len()..].eq_ignore_ascii_case(first);
            if is_there {
                seen.ends |= 1 << first.len();
            }
        }
    }

    /// Notes the rest of the needle after a quote.
    fn look_after(&self, after: &[u8], seen: &mut NeedleSightings) {
        let Some(first) = after.first() else { return };
        for at in set_bits(self.positions[usize::from(*first)]) {
            let rest = &self.letters[at..];
            let same =
                rest.iter().zip(after).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
            if same == rest.len() {
                seen.begins |= 1 << at;
            }
            let then = after[same..].iter().find(|byte| **byte != b'\\');
            if then == Some(&b'"') {
                seen.middles[at] |= 1 << (at + same);
            }
        }
    }
}

impl NeedleSightings {
    /// Returns whether the needle may be in a text of the lines.
    pub fn may_be_there(&self) -> bool {
        let mut reached = self.ends;
        for (at, middles) in self.middles.iter().enumerate() {
            if reached & (1 << at) != 0 {
                reached |= middles;
            }
        }
        self.is_whole || reached & self.begins != 0
    }
}

fn set_bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (at < 64).then_some(at as usize)
    })
}

fn without_backslashes(bytes: &[u8]) -> &[u8] {
    let count = bytes.iter().rev().take_while(|byte| **byte == b'\\').count();
    &bytes[..bytes.len() - count]
}

/// Returns whether letters that are not in a row in these lines may be shown in a row, or letters may be shown as others.
pub fn is_unclear(lines: &[u8], spelling: TextLayout) -> bool {
    let is_order = |at: usize| lines[at] != b'\r' || lines.get(at + 1) != Some(&b'\n');
    spelling == TextLayout::Free
        || memchr3_iter(0x1b, 0x08, b'\r', lines).any(is_order)
        || has_unclear_escape(lines, spelling == TextLayout::NestedJson)
}

fn has_unclear_escape(lines: &[u8], is_nested: bool) -> bool {
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &lines[at..]) {
        let start = at + found;
        let count = lines[start..].iter().take_while(|byte| **byte == b'\\').count();
        at = start + count;
        // A pair of backslashes is one that escapes nothing, unless the string is read as JSON again.
        if count % 2 == 0 && !is_nested {
            continue;
        }
        let is_unclear = match lines.get(at) {
            Some(b'b') => true,
            Some(b'r') => !begins_with_escape(&lines[at + 1..], count, b"n"),
            Some(b'u') => match ascii_from_hex(&lines[at + 1..]) {
                Some(0x1b) => match after_style_escapes(&lines[start..], count) {
                    Some(after) => {
                        at = lines.len() - after.len();
                        joins_letters(&lines[..start], after, count, is_nested)
                    }
                    None => true,
                },
                Some(code) => code < 0x20 || b"\"\\".contains(&code) || code.is_ascii_alphabetic(),
                None => false,
            },
            _ => false,
        };
        if is_unclear {
            return true;
        }
    }
    false
}

/// Returns whether the bytes begin with exactly so many backslashes and then this escape.
fn begins_with_escape(bytes: &[u8], count: usize, escape: &[u8]) -> bool {
    bytes.len() > count
        && bytes[..count].iter().all(|byte| *byte == b'\\')
        && bytes[count..].len() >= escape.len()
        && bytes[count..][..escape.len()].eq_ignore_ascii_case(escape)
}

/// Returns the character of ASCII with these four digits; None for others.
fn ascii_from_hex(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
    u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)
}

/// Returns the bytes after escapes for colours and for erasing to the end of the line, each after so many backslashes; None
/// where another terminal escape is among them.
fn after_style_escapes(mut bytes: &[u8], count: usize) -> Option<&[u8]> {
    while begins_with_escape(bytes, count, b"u001b") {
        let order = bytes[count + b"u001b".len()..].strip_prefix(b"[")?;
        let end = order.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
        if order[end] != b'm' && &order[..=end] != b"K" && &order[..=end] != b"0K" {
            return None;
        }
        bytes = &order[end + 1..];
    }
    Some(bytes)
}

/// Returns whether letters before and after the omitted bytes are in a row without them.
fn joins_letters(before: &[u8], after: &[u8], count: usize, is_nested: bool) -> bool {
    // The end of a string may be followed by another.
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || is_nested && *byte == b'"';
    let Some((last, rest)) = before.split_last() else { return false };
    let escaped_by = rest.len() - without_backslashes(rest).len();
    let is_escape = match is_nested {
        true => escaped_by == count,
        false => escaped_by % 2 == 1,
    };
    let is_line_end = is_escape && b"ntrf".contains(last);
    let is_end = || is_nested && after.iter().find(|byte| **byte != b'\\') == Some(&b'"');
    is_letter(last) && !is_line_end && (after.first().is_some_and(is_letter) || is_end())
}

/// Letters in a row that the formats of `PlainStrings` and `NestedJson` may add to a text by themselves: those of every
/// string of their code, so that none is missing.
const FORMAT_LETTERS: &str = "\
    aborted about action activity added additional agent agentid agentmessage agents agenttype aggregated aititle \
    apos applied apply approval apps args arguments array assessment assistant attachment attempt audio available \
    back background base bash basheditdiff begin being below body branch break bytes cache cached call callid \
    cancelled caveat changed changedfiles changes characters chars chunk claude close code codex collab \
    collabagenttoolcall collaboration colon command commandexecution commandmode communication compact compacted \
    compaction compactmetadata complete completed configured content contentitems contents context contextcompaction \
    continued conversation cost count created creation custom customtitle data declined delete deleted delta denials \
    denied deprecation description details developer diagnostics diff directory document done dynamic \
    dynamictoolcall edit edited edits elicitation encrypted entered enteredreviewmode entry environment ephemeral \
    error errors event every exec execution exit exited exitedreviewmode expected explanation extension facing \
    failed feedback file filechange filename filepath files findings first fish following forked formatted found \
    from full function generated generation ghost gitbranch goal guardian heading hint history hook hookerrors \
    hookname hookprompt hunks image imagegeneration imageview info inherited input instructions inter interaction \
    interrupted invocation isapierrormessage iscompactsummary iserror ismeta issidechain issynthetic item items kind \
    last leafuuid level line lines local maxretries mcptoolcall media mediatype memory message messages meta \
    metadata mime mimetype mode model modelusage more most move multiedit name newstart newstring nickname notebook \
    notice notification object objective occurrence oldstart oldstring ordinal origin original originalfile \
    originalfilecontents originator other output outputtokens overall parameters parent parentuuid patch path \
    pattern payload permission permissions persisted persistedoutputpath persistedoutputsize personality pixels \
    place plan plugins post posttokens powershell pretokens preventedcontinuation previous process program progress \
    prompt promptsource pwsh queries query question questions queued quot read realtime reason reasoning receiver \
    record recorded recording redacted rejected reminder replace replaceall replacement request requestid reroute \
    response result results resume retained retries retry retryattempt review reviewoutput revised risk role rolled \
    saved score script search section security server session sessionid settings shell shutdown sign since single \
    size skill skills slash snapshot snippet source spawn spawnagent spec start started startup state states status \
    statuses stderr stdout step stream string structuredpatch subagent subagentactivity subject subtype success \
    summary switch system taken target task teammate text thinking this thread time timed timestamp title todolist \
    todos token tokens tool tools tooluseid tooluseresult total trigger true turn turnorigin turns type undo undone \
    unified unsupported update updated usage user usermessage usermodified uuid value verification version view \
    waiting wall warning webp websearch were what window with without words workdir working world write written";

#[cfg(test)]
mod tests {
    use super::*;

    /// The code that makes texts of records of these formats.
    const SOURCES: [&str; 11] = [
        include_str!("claude/text.rs"),
        include_str!("claude/json.rs"),
        include_str!("claude/record.rs"),
        include_str!("codex/call.rs"),
        include_str!("codex/outcome.rs"),
        include_str!("codex_rollout/classify.rs"),
        include_str!("codex_rollout/envelope.rs"),
        include_str!("codex_rollout/record_text.rs"),
        include_str!("json_object.rs"),
        include_str!("../../run/src/pictures.rs"),
        include_str!("../../store/src/archive.rs"),
    ];

    /// Collects the strings of some code.
    fn collect_strings(tokens: proc_macro2::TokenStream, strings: &mut Vec<String>) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(group) => {
                    self::collect_strings(group.stream(), strings)
                }
                proc_macro2::TokenTree::Literal(literal) => {
                    strings.extend(Some(literal.to_string()).filter(|it| it.contains('"')));
                }
                _ => {}
            }
        }
    }

    fn strings_of_formats() -> Vec<String> {
        let mut found = vec![];
        for source in SOURCES {
            let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
            let code: String = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .flat_map(|line| [line, "\n"])
                .collect();
            collect_strings(code.parse().unwrap(), &mut found);
        }
        found
    }

    #[test]
    fn every_word_that_a_format_says_by_itself_is_known() {
        let mut words: Vec<String> = strings_of_formats()
            .iter()
            .map(|string| string.replace("\\n", " ").replace("\\t", " ").to_ascii_lowercase())
            .flat_map(|string| {
                let runs = string.split(|c: char| !c.is_ascii_alphabetic());
                runs.filter(|run| run.len() >= MIN_LETTERS).map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        words.sort_unstable();
        words.dedup();

        let words = words.join(" ");
        let written = FORMAT_LETTERS.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(written, words, "FORMAT_LETTERS has to be these words");
    }

    #[test]
    fn no_format_puts_letters_of_its_own_beside_those_of_a_record() {
        for string in strings_of_formats().iter().filter(|string| string.contains('{')) {
            let bytes = string.replace("{{", " ").replace("}}", " ").replace("\\n", " ");
            let bytes = bytes.as_bytes();
            let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
            let joined = memchr_iter(b'{', bytes).any(|at| at > 0 && is_letter(at - 1))
                || memchr_iter(b'}', bytes).any(|at| is_letter(at + 1));
            // What follows begins with a blank or a colon there.
            assert!(!joined || string.contains("API error{status}"), "{string}");
        }
    }

    fn may_be_there(word: &str, lines: &str, spelling: TextLayout) -> bool {
        let needle = SearchNeedle::from_word(word).unwrap();
        let mut seen = NeedleSightings::default();
        needle.look_at_lines(lines.as_bytes(), spelling, &mut seen);
        is_unclear(lines.as_bytes(), spelling) || seen.may_be_there()
    }

    #[test]
    fn letters_are_found_as_they_stand_and_where_strings_meet() {
        use TextLayout::{NestedJson, PlainStrings};
        assert!(may_be_there("zebra", r#"{"text":"A ZEBRA."}"#, PlainStrings));
        assert!(!may_be_there("zebra", r#"{"text":"a zebr\na, zeb","b":"ra"}"#, PlainStrings));
        assert!(may_be_there("zebra", r#"{"text":"a zebr\na, zeb","b":"ra"}"#, NestedJson));
        assert!(may_be_there("zebra", r#"["\"ze\"","\"br\"","ab","\"al\""]"#, NestedJson));
        assert!(!may_be_there("zebra", r#"["\"ze\"","\"bx\"","ab","\"al\""]"#, NestedJson));
        assert!(!may_be_there("zebra", r#"["bra","ze "]"#, NestedJson));
    }

    #[test]
    fn what_orders_and_escapes_make_of_letters_is_unclear() {
        use TextLayout::{NestedJson, PlainStrings};
        for (bytes, plain, nested) in [
            (r"a\u001b[1mb", true, true),
            (r"a \u001b[1mb", false, false),
            (r"a\n\u001b[1;32m\u001b[Kb", false, false),
            (r"a\\n\\u001B[1mb", false, false),
            (r"a\\u001b[1mb", false, true),
            (r"a \u001b[2Ab", true, true),
            (r#""\u001b[1mb"#, false, true),
            (r"a\r\nb", false, false),
            (r"a\\r\\nb", false, false),
            (r"a\rb", true, true),
            (r"a\\bb", false, true),
            (r"\u007a", true, true),
            (r"\u003c\u0031\u00e9\u6600", false, false),
            (r"\u000a", true, true),
            ("a\rb", true, true),
            ("a\r\n", false, false),
        ] {
            assert_eq!(is_unclear(bytes.as_bytes(), PlainStrings), plain, "{bytes:?}");
            assert_eq!(is_unclear(bytes.as_bytes(), NestedJson), nested, "{bytes:?}");
            assert!(is_unclear(bytes.as_bytes(), TextLayout::Free));
        }
    }

    #[test]
    fn a_needle_is_letters_that_no_format_says() {
        assert_eq!(SearchNeedle::from_word("utf8harbour12").unwrap().letters, b"harbour");
        assert!(
            SearchNeedle::from_word("abc12").is_none()
                && SearchNeedle::from_word("base64").is_none()
        );
        assert!(SearchNeedle::from_word("größe").is_none());
        assert_eq!(SearchNeedle::from_word(&"zq".repeat(40)).unwrap().letter_count(), MAX_LETTERS);
    }
}
