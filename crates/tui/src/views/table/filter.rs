//! The filter of the table: words, and conditions on columns.
//!
//! `codex`: one of a run's words contains this text. `agent:codex`: that column contains it. `erosion>0.5`, `turns<=9`,
//! `tokens>2M`, `time>5m`: a comparison of a number; a run without the number does not match. `task:-`: nothing is
//! recorded in that column. `!` before a condition negates it, and quotes as in `"two words"` keep words together.

use trajview_run::filter_condition::{CompareOperator, parse_number};

use crate::session::columns::{ColumnKind, RunTableColumn};

use super::{row::RunRow, values::KnownValue};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRowFilter {
    pub text: String,
    /// All of them hold.
    conditions: Vec<FilterCondition>,
}

#[derive(Debug, Clone, PartialEq)]
struct FilterCondition {
    is_turned_round: bool,
    test: FilterTest,
}

#[derive(Debug, Clone, PartialEq)]
enum FilterTest {
    /// Text in any column of words, in lower case.
    Anywhere(String),
    In(RunTableColumn, String),
    NotRecorded(RunTableColumn),
    Compare(RunTableColumn, CompareOperator, f64),
}

impl RunRowFilter {
    /// Parses a filter. The error is a sentence.
    pub fn parse_filter(text: &str) -> Result<Self, String> {
        let conditions = split_at_blanks(text)
            .iter()
            .map(|part| parse_condition(part))
            .collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), conditions })
    }

    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub(crate) fn takes_row(&self, row: &RunRow) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.test.holds_for_row(row) != condition.is_turned_round)
    }
}

/// Splits text at blanks outside quotes and removes the quotes.
fn split_at_blanks(text: &str) -> Vec<String> {
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

fn parse_condition(part: &str) -> Result<FilterCondition, String> {
    let (is_turned_round, rest) = match part.strip_prefix('!') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, part),
    };
    Ok(FilterCondition { is_turned_round, test: parse_test(rest)? })
}

fn parse_test(part: &str) -> Result<FilterTest, String> {
    let colon = part.split_once(':');
    match (CompareOperator::split(part), colon) {
        (Some((word, operator, value)), colon)
            if colon.is_none_or(|(before, _)| before.len() > word.len()) =>
        {
            parse_comparison(parse_column(word)?, operator, value)
        }
        (_, Some((word, "-"))) => Ok(FilterTest::NotRecorded(parse_column(word)?)),
        (_, Some((word, value))) => Ok(FilterTest::In(parse_column(word)?, value.to_lowercase())),
        _ => Ok(FilterTest::Anywhere(part.to_lowercase())),
    }
}

fn parse_column(word: &str) -> Result<RunTableColumn, String> {
    RunTableColumn::by_word(word)
        .ok_or_else(|| format!("no column {word:?}: {}", RunTableColumn::all_words()))
}

fn parse_comparison(
    column: RunTableColumn,
    operator: CompareOperator,
    value: &str,
) -> Result<FilterTest, String> {
    if column.column_kind() == ColumnKind::Words {
        return match operator {
            CompareOperator::Equal => Ok(FilterTest::In(column, value.to_lowercase())),
            _ => Err(format!("{} has words: {0}:{value}", column.column_info().word)),
        };
    }
    Ok(FilterTest::Compare(column, operator, parse_number(value)?))
}

impl FilterTest {
    fn holds_for_row(&self, row: &RunRow) -> bool {
        match self {
            Self::Anywhere(words) => {
                let mut columns = RunTableColumn::all_columns()
                    .filter(|column| column.column_kind() == ColumnKind::Words);
                columns.any(|column| column_contains(row, column, words))
                    || row.reading_failure().is_some_and(|why| why.to_lowercase().contains(words))
            }
            Self::In(column, words) => column_contains(row, *column, words),
            Self::NotRecorded(column) => match column.column_kind() {
                ColumnKind::Words => row.column_words(*column) == KnownValue::Missing,
                ColumnKind::Number => row.column_number(*column) == KnownValue::Missing,
            },
            Self::Compare(column, operator, value) => row
                .column_number(*column)
                .known_value()
                .is_some_and(|number| operator.holds_between(number, *value)),
        }
    }
}

fn column_contains(row: &RunRow, column: RunTableColumn, words: &str) -> bool {
    row.shown_text(column).known_value().is_some_and(|shown| shown.to_lowercase().contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::table::row::RunReading;
    use trajview_run::{
        RunCard,
        run_card::{CardIdentity, CardTotals},
    };

    fn row() -> RunRow {
        let mut row = RunRow::unread_row("runs/a".into(), "a-run".into());
        row.reading = RunReading::Whole(Box::new(RunCard {
            turns: 9,
            tokens: Some(2_500_000),
            totals: CardTotals { seconds: Some(400.0), ..CardTotals::default() },
            identity: CardIdentity {
                title: "A joint loss".into(),
                agent: Some("Codex 0.169".into()),
                ..CardIdentity::default()
            },
            ..RunCard::default()
        }));
        row
    }

    fn takes(text: &str) -> bool {
        RunRowFilter::parse_filter(text).unwrap().takes_row(&row())
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
        let why = |text| RunRowFilter::parse_filter(text).unwrap_err();
        assert!(why("warp:9").starts_with("no column \"warp\": run, task, "));
        assert_eq!(why("turns>many"), "\"many\" is not a number, such as 0.5, 20%, 3k or 5m");
        assert_eq!(why("agent>codex"), "agent has words: agent:codex");
    }
}
