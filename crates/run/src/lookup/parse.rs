//! How what is looked for is written: words, `"phrases"`, `/patterns/` and filters such as `tool:Bash`, with blanks between.

use jiff::{SignedDuration, civil};

use super::{super::Time, Filter, Lookup, Term, words::Phrase};

/// One thing of the line, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part<'t> {
    /// With its closing star, if it has one.
    Word(&'t str),
    Quoted(&'t str),
    Pattern(String),
    /// A filter's name and what is after the colon.
    Filter(Name, &'t str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    File,
    Edited,
    Tool,
    Error,
    Agent,
    Project,
    Since,
}

const NAMES: [(&str, Name); 7] = [
    ("file", Name::File),
    ("edited", Name::Edited),
    ("tool", Name::Tool),
    ("error", Name::Error),
    ("agent", Name::Agent),
    ("project", Name::Project),
    ("since", Name::Since),
];

pub(super) fn parse(words: &str, now: Time) -> Result<Lookup, String> {
    let (mut terms, mut filters) = (vec![], vec![]);
    for part in parts(words)? {
        match part {
            Part::Word(word) => terms.push(Term::Phrase(phrase(word)?)),
            Part::Quoted(words) => terms.push(Term::Phrase(Phrase::of(words, false)?)),
            Part::Pattern(pattern) => terms.push(Term::pattern(&pattern)?),
            Part::Filter(Name::Error, value) => {
                filters.push(Filter::Failed);
                if !value.is_empty() {
                    terms.push(Term::Phrase(phrase(value)?));
                }
            }
            Part::Filter(name, value) => filters.push(filter(name, value, now)?),
        }
    }
    if terms.is_empty() && filters.is_empty() {
        return Err("there is nothing to look for; words, \"a phrase\", /a pattern/, tool:Bash, error:, file:NAME, since:7d"
            .into());
    }
    Ok(Lookup { terms, filters })
}

fn phrase(word: &str) -> Result<Phrase, String> {
    match word.strip_suffix('*').filter(|start| !start.is_empty()) {
        Some(start) => Phrase::of(start, true),
        None => Phrase::of(word, false),
    }
}

fn filter(name: Name, value: &str, now: Time) -> Result<Filter, String> {
    if value.trim().is_empty() {
        let (word, _) = NAMES.into_iter().find(|(_, it)| *it == name).unwrap_or(NAMES[0]);
        let example = if name == Name::Since { "7d" } else { "NAME" };
        return Err(format!("{word}: has nothing after it; {word}:{example}"));
    }
    Ok(match name {
        Name::File => Filter::File(phrase(value)?),
        Name::Edited => Filter::Edited(phrase(value)?),
        Name::Tool => Filter::Tool(phrase(value)?),
        Name::Agent => Filter::Agent(phrase(value)?),
        Name::Project => Filter::Project(phrase(value)?),
        Name::Since => Filter::Since(since(value, now)?),
        Name::Error => Filter::Failed,
    })
}

/// `7d`, `12h`, `2026-01-31`, `2026-01-31T10:00`, in UTC.
fn since(value: &str, now: Time) -> Result<Time, String> {
    let wrong = || {
        format!(
            "since:{value} is no time; since:7d, since:12h, since:2026-01-31, since:2026-01-31T10:00"
        )
    };
    let hours = [("h", 1), ("d", 24), ("w", 24 * 7)].into_iter().find_map(|(unit, hours)| {
        let count: i64 = value.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(hours).filter(|hours| (0..=24 * 366 * 200).contains(hours))
    });
    if let Some(hours) = hours {
        let millis = SignedDuration::from_hours(hours).as_millis();
        return Ok(Time(now.0.saturating_sub(i64::try_from(millis).unwrap_or(i64::MAX))));
    }
    if let Some(time) = Time::parse(value) {
        return Ok(time);
    }
    let day: civil::Date = value.parse().map_err(|_| wrong())?;
    Time::parse(&format!("{day}T00:00:00Z")).ok_or_else(wrong)
}

fn parts(words: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = vec![];
    let mut rest = words.trim_start();
    while !rest.is_empty() {
        let (part, after) = part(rest)?;
        parts.push(part);
        rest = after.trim_start();
    }
    Ok(parts)
}

/// The first part of what is not blank, and what follows it.
fn part(rest: &str) -> Result<(Part<'_>, &str), String> {
    if let Some(after) = rest.strip_prefix('"') {
        let (words, after) = quoted(after)?;
        return Ok((Part::Quoted(words), after));
    }
    if let Some((pattern, after)) = rest.strip_prefix('/').and_then(pattern) {
        return Ok((Part::Pattern(pattern), after));
    }
    for (word, name) in NAMES {
        let Some(value) = rest.strip_prefix(word).and_then(|rest| rest.strip_prefix(':')) else {
            continue;
        };
        // `error::Result` is a word of code.
        if value.starts_with(':') {
            continue;
        }
        let (value, after) = match value.strip_prefix('"') {
            Some(value) => quoted(value)?,
            None => word_of(value),
        };
        return Ok((Part::Filter(name, value), after));
    }
    let (word, after) = word_of(rest);
    Ok((Part::Word(word), after))
}

fn quoted(after: &str) -> Result<(&str, &str), String> {
    after.split_once('"').ok_or_else(|| format!("the phrase \"{after} has no closing quote"))
}

fn word_of(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()))
}

/// Up to a slash that ends a word; None where there is none: then it is a path. `\/` is a slash.
fn pattern(after: &str) -> Option<(String, &str)> {
    let mut pattern = String::new();
    let mut chars = after.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (c, next) {
            ('\\', Some('/')) => {
                pattern.push('/');
                chars.next();
            }
            ('\\', Some(escaped)) => {
                pattern.extend([c, escaped]);
                chars.next();
            }
            ('/', next) if next.is_none_or(char::is_whitespace) => {
                return (!pattern.is_empty()).then(|| (pattern, &after[at + 1..]));
            }
            _ => pattern.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_phrases_patterns_and_filters() {
        let line = r#"retry  "connection reset" /E\d{4} \/x/ tool:Bash file:"a b.py" error: std::fs http://x"#;

        let expected = [
            Part::Word("retry"),
            Part::Quoted("connection reset"),
            Part::Pattern(r"E\d{4} /x".into()),
            Part::Filter(Name::Tool, "Bash"),
            Part::Filter(Name::File, "a b.py"),
            Part::Filter(Name::Error, ""),
            Part::Word("std::fs"),
            Part::Word("http://x"),
        ];

        assert_eq!(parts(line).unwrap(), expected);
        assert_eq!(
            parts("/usr/lib error::Result").unwrap(),
            [Part::Word("/usr/lib"), Part::Word("error::Result")]
        );
    }

    #[test]
    fn a_time_is_a_date_or_so_long_ago() {
        let now = Time::parse("2026-03-10T12:00:00Z").unwrap();
        let told = |value| since(value, now).map(|time| time.to_string());

        assert_eq!(told("2d").unwrap(), "2026-03-08T12:00:00.000Z");
        assert_eq!(told("2026-03-01").unwrap(), "2026-03-01T00:00:00.000Z");
        assert_eq!(told("2026-03-01T10:00").unwrap(), "2026-03-01T10:00:00.000Z");
        assert!(told("yesterday").unwrap_err().starts_with("since:yesterday is no time; since:7d"));
        assert!(told("99999999999h").is_err());
    }

    #[test]
    fn what_cannot_be_looked_for_is_a_sentence() {
        let why = |line: &str| parse(line, Time(0)).unwrap_err();

        assert_eq!(why("\"open"), "the phrase \"open has no closing quote");
        assert_eq!(why("tool: x"), "tool: has nothing after it; tool:NAME");
        assert_eq!(why("/(/"), "unclosed group");
        assert!(why("  ").starts_with("there is nothing to look for"));
        assert!(why("\"\"").starts_with("there is nothing to look for"));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_is_understood_or_a_sentence(line in ".{0,40}", signs in r#"[a /"*:\\\[(\u{e9}]{0,12}"#) {
            for line in [line, format!("tool:{signs}"), signs] {
                let _ = Lookup::parse(&line, Time(0));
            }
        }
    }
}
