//! A line without what differs from run to run though it means the same: times, ids, places on a machine, numbers.
//!
//! Two runs that fail alike say the same but for these. [`RULES`] says in words what is replaced by what, as the documentation does; a
//! new rule is one more row of `WRITTEN`. Names keep their digits (`python3`, `E501`): they are different things.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

/// The replacements in their order, for people.
pub const RULES: [(&str, &str); 6] = [
    ("dates, times of day, durations", "<time>"),
    ("UUIDs, 0x…, hexadecimal words of 7 letters or more that have a letter and a digit", "<hex>"),
    (
        "paths below a folder for temporary files (the name of a file stays), names such as tmpab12cd",
        "<temp>",
    ),
    ("folders of an absolute path (its last part stays)", "<path>"),
    ("numbers that are not part of a name", "<n>"),
    ("blanks", "one blank; colours of a terminal go"),
];

/// Letters of a line that are compared.
pub(crate) const MOST_LETTERS: usize = 240;

/// The replacement of a match.
enum RuleOutput {
    Fixed(&'static str),
    /// The result of a function of the whole match.
    Computed(fn(&str) -> Cow<'_, str>),
    /// The first group stays, followed by the result of a function of the second.
    AfterPrefix(fn(&str) -> Cow<'_, str>),
}

struct NormaliseRule {
    pattern: Regex,
    becomes: RuleOutput,
}

static RULE_PATTERNS: LazyLock<Vec<NormaliseRule>> = LazyLock::new(|| {
    use RuleOutput::{AfterPrefix, Computed, Fixed};
    let before = r#"(^|[\s'"`(=\[{<,;:|])"#;
    let part = r"[\w.@+~%-]+";
    let rules = [
        (r"\x1b\[[0-9;?]*[A-Za-z]".to_owned(), Fixed("")),
        (
            r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
                .to_owned(),
            Fixed("<time>"),
        ),
        // Behind a blank or a bracket: in `a.py:12:34` it is a line and a column.
        (
            r"(^|[\s\[(])(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)\b".to_owned(),
            AfterPrefix(|_| "<time>".into()),
        ),
        (
            r"\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b".to_owned(),
            Fixed("<time>"),
        ),
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b".to_owned(), Fixed("<hex>")),
        (r"\b0[xX][0-9a-fA-F]+\b".to_owned(), Fixed("<hex>")),
        (
            format!(r"{before}((?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)(?:/{part})*/?)"),
            AfterPrefix(mask_temporary),
        ),
        (r"\btmp[A-Za-z0-9_]{6,12}\b".to_owned(), Fixed("<temp>")),
        (format!(r"{before}((?:~|[A-Za-z]:)?(?:[/\\]{part}){{2,}})"), AfterPrefix(last_part)),
        (r"\b[0-9a-f]{7,}\b".to_owned(), Computed(mask_hexadecimal)),
        (r"\b\d+(?:[.,]\d+)*\b".to_owned(), Fixed("<n>")),
        (r"\s+".to_owned(), Fixed(" ")),
    ];
    let rule = |(pattern, becomes): (String, RuleOutput)| NormaliseRule {
        pattern: Regex::new(&pattern).expect("a rule of ours is well formed"),
        becomes,
    };
    rules.into_iter().map(rule).collect()
});

/// Returns the line as it is compared with lines of other runs; empty where nothing of it is left.
pub fn normalised_line(line: &str) -> String {
    // What is made of more is longer than what is compared.
    let mut line: String = line.chars().take(4 * MOST_LETTERS).collect();
    for NormaliseRule { pattern, becomes } in RULE_PATTERNS.iter() {
        let replaced = match becomes {
            RuleOutput::Fixed(words) => pattern.replace_all(&line, *words),
            RuleOutput::Computed(made) => pattern
                .replace_all(&line, |captures: &Captures<'_>| made(&captures[0]).into_owned()),
            RuleOutput::AfterPrefix(made) => pattern
                .replace_all(&line, |captures: &Captures<'_>| {
                    format!("{}{}", &captures[1], made(&captures[2]))
                }),
        };
        if let Cow::Owned(replaced) = replaced {
            line = replaced;
        }
    }
    line.trim().chars().take(MOST_LETTERS).collect()
}

fn mask_hexadecimal(word: &str) -> Cow<'_, str> {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    let is_drawn = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    if is_drawn { "<hex>".into() } else { word.into() }
}

/// Replaces the folder of a temporary path, whose names are random; the name of a file stays.
fn mask_temporary(path: &str) -> Cow<'_, str> {
    match path.rsplit('/').next().filter(|name| name.contains('.')) {
        Some(name) => format!("<temp>/{name}").into(),
        None => "<temp>".into(),
    }
}

fn last_part(path: &str) -> Cow<'_, str> {
    format!("<path>/{}", path.rsplit(['/', '\\']).next().unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_taken_out_and_names_stay() {
        for (line, expected) in [
            ("E   assert 3 == 12.5", "E assert <n> == <n>"),
            ("2026-11-26T05:00:01.25Z ERROR at 12:31:07", "<time> ERROR at <time>"),
            (
                "FAILED tests/test_a.py::test_b[3] in 0.12s",
                "FAILED tests/test_a.py::test_b[<n>] in <time>",
            ),
            (
                "src/a.rs:12:34: error[E0308]: mismatched",
                "src/a.rs:<n>:<n>: error[E0308]: mismatched",
            ),
            (
                "No such file: '/tmp/pytest-of-root/pytest-0/x/in.txt'",
                "No such file: '<temp>/in.txt'",
            ),
            ("cannot open /tmp/tmpab12cd9z", "cannot open <temp>"),
            ("made tmpab12cd9z", "made <temp>"),
            (r#"File "/home/ana/work/calc/ops.py", line 7"#, r#"File "<path>/ops.py", line <n>"#),
            (r"C:\Users\ana\calc\ops.py: denied", "<path>/ops.py: denied"),
            (
                "object at 0x7f3a9c1e2b50 of 9fceb02d0ae598e95dc970b74767f19372d61af8",
                "object at <hex> of <hex>",
            ),
            ("550e8400-e29b-41d4-a716-446655440000 failed", "<hex> failed"),
            ("\u{1b}[31merror\u{1b}[0m:   python3 defaced utf8", "error: python3 defaced utf8"),
            ("   ", ""),
        ] {
            assert_eq!(normalised_line(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_line_it_is_no_longer_than_is_compared(line in any::<String>()) {
            let made = normalised_line(&line);

            prop_assert!(made.chars().count() <= MOST_LETTERS);
            prop_assert!(!made.contains(['\n', '\t']));
        }

        #[test]
        fn whatever_the_numbers_lines_that_differ_in_them_alone_are_the_same(a in any::<u32>(), b in any::<u32>()) {
            let line = |number| normalised_line(&format!("expected {number} rows, at line {number}"));
            prop_assert_eq!(line(a), line(b));
        }
    }
}
