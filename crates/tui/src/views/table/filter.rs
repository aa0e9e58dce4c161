//! What narrows the table down: words, and conditions on columns.
//!
//! `codex`: one of a run's words has these letters. `agent:codex`: that column has them. `erosion>0.5`, `turns<=9`,
//! `tokens>2M`, `time>5m`: a number compared; a run that has none does not fit. `task:-`: nothing is recorded there.
//! `!` before a condition turns it round, `"two words"` are one.

use crate::session::columns::{Column, Kind};

use super::{row::Row, values::Known};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    pub text: String,
    /// All of them hold.
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    is_turned_round: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// In any column of words; lower case.
    Anywhere(String),
    In(Column, String),
    NotRecorded(Column),
    Compare(Column, Operator, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
}

/// Longer ones before their beginnings.
const OPERATORS: [(&str, Operator); 5] = [
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::More),
    ("=", Operator::Equal),
];

impl Filter {
    /// The error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let conditions =
            parts(text).iter().map(|part| condition(part)).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), conditions })
    }

    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub fn takes(&self, row: &Row) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.test.holds(row) != condition.is_turned_round)
    }
}

/// Split at blanks outside quotes; the quotes are gone.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted) = (vec![], String::new(), false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => parts.push(std::mem::take(&mut part)),
            c => part.push(c),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn condition(part: &str) -> Result<Condition, String> {
    let (is_turned_round, rest) = match part.strip_prefix('!') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, part),
    };
    Ok(Condition { is_turned_round, test: test(rest)? })
}

fn test(part: &str) -> Result<Test, String> {
    let compared = OPERATORS.iter().filter_map(|(sign, operator)| {
        part.split_once(sign).map(|(word, value)| (word, *operator, value))
    });
    // `a>=1` splits at `=` too, with a longer word before it.
    let compared = compared.min_by_key(|(word, ..)| word.len());
    let colon = part.split_once(':');
    match (compared, colon) {
        (Some((word, operator, value)), colon)
            if colon.is_none_or(|(before, _)| before.len() > word.len()) =>
        {
            compare(column(word)?, operator, value)
        }
        (_, Some((word, "-"))) => Ok(Test::NotRecorded(column(word)?)),
        (_, Some((word, value))) => Ok(Test::In(column(word)?, value.to_lowercase())),
        _ => Ok(Test::Anywhere(part.to_lowercase())),
    }
}

fn column(word: &str) -> Result<Column, String> {
    Column::by_word(word).ok_or_else(|| format!("no column {word:?}: {}", Column::words()))
}

fn compare(column: Column, operator: Operator, value: &str) -> Result<Test, String> {
    if column.kind() == Kind::Words {
        return match operator {
            Operator::Equal => Ok(Test::In(column, value.to_lowercase())),
            _ => Err(format!("{} has words: {0}:{value}", column.about().word)),
        };
    }
    let number = number(value);
    number
        .map(|number| Test::Compare(column, operator, number))
        .ok_or_else(|| format!("{:?} is not a number, such as 0.5, 20%, 3k or 5m", value))
}

/// `0.5`, `20%`, `3k`, `2M`, `5m` (minutes), `2h`, `$1`
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start_matches('$');
    let scaled =
        [("%", 0.01), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let found = scaled.iter().find_map(|(sign, scale)| Some((text.strip_suffix(sign)?, *scale)));
    let (digits, scale) = found.unwrap_or((text, 1.0));
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some(number * scale)
}

impl Test {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::Anywhere(words) => {
                let mut columns = Column::all().filter(|column| column.kind() == Kind::Words);
                columns.any(|column| has(row, column, words))
                    || row.failure().is_some_and(|why| why.to_lowercase().contains(words))
            }
            Self::In(column, words) => has(row, *column, words),
            Self::NotRecorded(column) => match column.kind() {
                Kind::Words => row.words(*column) == Known::Missing,
                Kind::Number => row.number(*column) == Known::Missing,
            },
            Self::Compare(column, operator, value) => {
                row.number(*column).known().is_some_and(|number| operator.holds(number, *value))
            }
        }
    }
}

fn has(row: &Row, column: Column, words: &str) -> bool {
    row.shown(column).known().is_some_and(|shown| shown.to_lowercase().contains(words))
}

impl Operator {
    /// Equal is equal to what three digits show.
    fn holds(self, number: f64, value: f64) -> bool {
        match self {
            Self::Less => number < value,
            Self::AtMost => number <= value,
            Self::More => number > value,
            Self::AtLeast => number >= value,
            Self::Equal => (number - value).abs() < 0.0005,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::table::row::Reading;
    use trajview_run::{
        Card,
        card::{CardIdentity, CardTotals},
    };

    fn row() -> Row {
        let mut row = Row::of("runs/a".into(), "a-run".into());
        row.reading = Reading::Whole(Box::new(Card {
            turns: 9,
            tokens: Some(2_500_000),
            totals: CardTotals { seconds: Some(400.0), ..CardTotals::default() },
            identity: CardIdentity {
                title: "A joint loss".into(),
                agent: Some("Codex 0.169".into()),
                ..CardIdentity::default()
            },
            ..Card::default()
        }));
        row
    }

    fn takes(text: &str) -> bool {
        Filter::parse(text).unwrap().takes(&row())
    }

    #[test]
    fn words_and_conditions_hold_together() {
        for text in [
            "",
            "codex",
            "JOINT a-run",
            "agent:codex",
            "agent=codex",
            "\"joint loss\"",
            "turns=9",
            "turns>=9 tokens>2M",
            "time>5m !time>2h",
            "task:-",
            "!claude",
        ] {
            assert!(takes(text), "{text}");
        }
        for text in
            ["claude", "codex claude", "model:codex", "turns<9", "cost>0", "!codex", "agent:-"]
        {
            assert!(!takes(text), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence() {
        let why = |text| Filter::parse(text).unwrap_err();
        assert!(why("warp:9").starts_with("no column \"warp\": run, task, agent"));
        assert_eq!(why("turns>many"), "\"many\" is not a number, such as 0.5, 20%, 3k or 5m");
        assert_eq!(why("agent>codex"), "agent has words: agent:codex");
    }
}
