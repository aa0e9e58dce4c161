//! The syntax of a query: words, `"phrases"`, `/patterns/` and filters such as `tool:Bash`, with blanks between.

use jiff::{SignedDuration, civil};

use super::{
    super::{Time, filter_condition::TrialCondition, trial::TrialColumn},
    Lookup, LookupFilter, LookupTerm,
    words::Phrase,
};

/// One thing of the line, as it is written.
#[derive(Debug, Clone, PartialEq)]
enum LookupPart<'t> {
    /// A word with its closing star, if it has one.
    Word(&'t str),
    Quoted(&'t str),
    Pattern(String),
    /// A filter's name and what is after the colon.
    Filter(FilterName, &'t str),
    Trial(TrialCondition),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilterName {
    File,
    Edited,
    Tool,
    Error,
    Agent,
    Project,
    Since,
}

const FILTER_NAMES: [(&str, FilterName); 7] = [
    ("file", FilterName::File),
    ("edited", FilterName::Edited),
    ("tool", FilterName::Tool),
    ("error", FilterName::Error),
    ("agent", FilterName::Agent),
    ("project", FilterName::Project),
    ("since", FilterName::Since),
];

/// The columns of a trial that are filters here; `error:` is that of a step.
const TRIAL_COLUMNS: [TrialColumn; 5] = [
    TrialColumn::Task,
    TrialColumn::Attempt,
    TrialColumn::Outcome,
    TrialColumn::Reward,
    TrialColumn::RewardName,
];

pub(super) fn parse_lookup(words: &str, now: Time) -> Result<Lookup, String> {
    let (mut terms, mut filters) = (vec![], vec![]);
    for part in split_parts(words)? {
        match part {
            LookupPart::Word(word) => terms.push(LookupTerm::Phrase(parse_phrase(word)?)),
            LookupPart::Quoted(words) => terms.push(LookupTerm::Phrase(Phrase::new(words, false)?)),
            LookupPart::Pattern(pattern) => terms.push(LookupTerm::from_pattern(&pattern)?),
            LookupPart::Filter(FilterName::Error, value) => {
                filters.push(LookupFilter::Failed);
                if !value.is_empty() {
                    terms.push(LookupTerm::Phrase(parse_phrase(value)?));
                }
            }
            LookupPart::Filter(name, value) => filters.push(parse_filter(name, value, now)?),
            LookupPart::Trial(condition) => filters.push(LookupFilter::Trial(condition)),
        }
    }
    if terms.is_empty() && filters.is_empty() {
        return Err("empty query; use words, \"a phrase\", /a pattern/, tool:Bash, error:, file:NAME, outcome:failed, since:7d"
            .into());
    }
    Ok(Lookup { terms, filters })
}

fn parse_phrase(word: &str) -> Result<Phrase, String> {
    match word.strip_suffix('*').filter(|start| !start.is_empty()) {
        Some(start) => Phrase::new(start, true),
        None => Phrase::new(word, false),
    }
}

fn parse_filter(name: FilterName, value: &str, now: Time) -> Result<LookupFilter, String> {
    if value.trim().is_empty() {
        let (word, _) =
            FILTER_NAMES.into_iter().find(|(_, it)| *it == name).unwrap_or(FILTER_NAMES[0]);
        let example = if name == FilterName::Since { "7d" } else { "NAME" };
        return Err(format!("{word}: needs a value, such as {word}:{example}"));
    }
    Ok(match name {
        FilterName::File => LookupFilter::File(parse_phrase(value)?),
        FilterName::Edited => LookupFilter::Edited(parse_phrase(value)?),
        FilterName::Tool => LookupFilter::Tool(parse_phrase(value)?),
        FilterName::Agent => LookupFilter::Agent(parse_phrase(value)?),
        FilterName::Project => LookupFilter::Project(parse_phrase(value)?),
        FilterName::Since => LookupFilter::Since(parse_since(value, now)?),
        FilterName::Error => LookupFilter::Failed,
    })
}

/// Parses `7d`, `12h`, `2026-01-31` or `2026-01-31T10:00`, in UTC. The error is a sentence.
fn parse_since(value: &str, now: Time) -> Result<Time, String> {
    let wrong = || {
        format!(
            "since:{value} is not a time; use since:7d, since:12h, since:2026-01-31, since:2026-01-31T10:00"
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

fn split_parts(words: &str) -> Result<Vec<LookupPart<'_>>, String> {
    let mut parts = vec![];
    let mut rest = words.trim_start();
    while !rest.is_empty() {
        let (part, after) = next_part(rest)?;
        parts.push(part);
        rest = after.trim_start();
    }
    Ok(parts)
}

/// Returns the first part of what is not blank, and what follows it.
fn next_part(rest: &str) -> Result<(LookupPart<'_>, &str), String> {
    if let Some(after) = rest.strip_prefix('"') {
        let (words, after) = split_quoted(after)?;
        return Ok((LookupPart::Quoted(words), after));
    }
    if let Some((pattern, after)) = rest.strip_prefix('/').and_then(split_pattern) {
        return Ok((LookupPart::Pattern(pattern), after));
    }
    for (word, name) in FILTER_NAMES {
        let Some(value) = rest.strip_prefix(word).and_then(|rest| rest.strip_prefix(':')) else {
            continue;
        };
        // `error::Result` is a word of code.
        if value.starts_with(':') {
            continue;
        }
        let (value, after) = match value.strip_prefix('"') {
            Some(value) => split_quoted(value)?,
            None => split_word(value),
        };
        return Ok((LookupPart::Filter(name, value), after));
    }
    let (word, after) = split_word(rest);
    if let Some((name, value)) = rest.split_once(":\"").filter(|(name, _)| word.starts_with(name)) {
        let condition =
            |value: &str| TrialCondition::parse(&format!("{name}:{value}"), &TRIAL_COLUMNS);
        if condition("x")?.is_some() {
            let (value, after) = split_quoted(value)?;
            return Ok((
                condition(value)?.map_or(LookupPart::Word(word), LookupPart::Trial),
                after,
            ));
        }
    }
    Ok(match TrialCondition::parse(word, &TRIAL_COLUMNS)? {
        Some(condition) => (LookupPart::Trial(condition), after),
        None => (LookupPart::Word(word), after),
    })
}

fn split_quoted(after: &str) -> Result<(&str, &str), String> {
    after.split_once('"').ok_or_else(|| format!("the phrase \"{after} has no closing quote"))
}

fn split_word(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()))
}

/// Reads a pattern up to a slash that ends a word; None where there is none: then it is a path. `\/` is a slash.
fn split_pattern(after: &str) -> Option<(String, &str)> {
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
            LookupPart::Word("retry"),
            LookupPart::Quoted("connection reset"),
            LookupPart::Pattern(r"E\d{4} /x".into()),
            LookupPart::Filter(FilterName::Tool, "Bash"),
            LookupPart::Filter(FilterName::File, "a b.py"),
            LookupPart::Filter(FilterName::Error, ""),
            LookupPart::Word("std::fs"),
            LookupPart::Word("http://x"),
        ];

        assert_eq!(split_parts(line).unwrap(), expected);
        assert_eq!(
            split_parts("/usr/lib error::Result").unwrap(),
            [LookupPart::Word("/usr/lib"), LookupPart::Word("error::Result")]
        );
    }

    #[test]
    fn a_time_is_a_date_or_so_long_ago() {
        let now = Time::parse("2026-03-10T12:00:00Z").unwrap();
        let since_text = |value| parse_since(value, now).map(|time| time.to_string());

        assert_eq!(since_text("2d").unwrap(), "2026-03-08T12:00:00.000Z");
        assert_eq!(since_text("2026-03-01").unwrap(), "2026-03-01T00:00:00.000Z");
        assert_eq!(since_text("2026-03-01T10:00").unwrap(), "2026-03-01T10:00:00.000Z");
        assert!(
            since_text("yesterday")
                .unwrap_err()
                .starts_with("since:yesterday is not a time; use since:7d")
        );
        assert!(since_text("99999999999h").is_err());
    }

    #[test]
    fn conditions_on_the_result_of_the_harness_are_filters() {
        let parts = |line: &'static str| split_parts(line).unwrap();
        let trial = |part: &str| {
            LookupPart::Trial(TrialCondition::parse(part, &TRIAL_COLUMNS).unwrap().unwrap())
        };

        assert_eq!(
            parts("!outcome:passed reward>=0.5 task:\"sum column\" retry"),
            [
                trial("!outcome:passed"),
                trial("reward>=0.5"),
                trial("task:sum column"),
                LookupPart::Word("retry"),
            ]
        );
        assert_eq!(parts("task::spawn"), [LookupPart::Word("task::spawn")]);
        assert!(
            parse_lookup("outcome:", Time(0)).unwrap_err().starts_with("outcome: needs a value")
        );
        assert!(parse_lookup("task:\"open", Time(0)).unwrap_err().contains("no closing quote"));
    }

    #[test]
    fn what_cannot_be_looked_for_is_a_sentence() {
        let why = |line: &str| parse_lookup(line, Time(0)).unwrap_err();

        assert_eq!(why("\"open"), "the phrase \"open has no closing quote");
        assert_eq!(why("tool: x"), "tool: needs a value, such as tool:NAME");
        assert_eq!(why("/(/"), "unclosed group");
        assert!(why("  ").starts_with("empty query"));
        assert_eq!(why("\"\""), "empty quotes");
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
