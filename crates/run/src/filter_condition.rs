//! Conditions on values of a run, as the filters of the table of runs and of a search write them: `outcome:failed`,
//! `reward>=0.5`, `task:-` (not recorded), `!outcome:passed`.

use super::trial::{TrialColumn, TrialValues};

/// A comparison of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOperator {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
}

/// Longer ones before their beginnings.
const COMPARE_OPERATORS: [(&str, CompareOperator); 5] = [
    ("<=", CompareOperator::AtMost),
    (">=", CompareOperator::AtLeast),
    ("<", CompareOperator::Less),
    (">", CompareOperator::More),
    ("=", CompareOperator::Equal),
];

impl CompareOperator {
    /// Splits `word>=value` at its operator; None where there is none.
    pub fn split(part: &str) -> Option<(&str, Self, &str)> {
        let compared = COMPARE_OPERATORS.iter().filter_map(|(sign, operator)| {
            part.split_once(sign).map(|(word, value)| (word, *operator, value))
        });
        // `a>=1` splits at `=` too, with a longer word before it.
        compared.min_by_key(|(word, ..)| word.len())
    }

    /// Compares two numbers. Numbers are equal if their first three digits are.
    pub fn holds_between(self, number: f64, value: f64) -> bool {
        match self {
            Self::Less => number < value,
            Self::AtMost => number <= value,
            Self::More => number > value,
            Self::AtLeast => number >= value,
            Self::Equal => (number - value).abs() < 0.0005,
        }
    }
}

/// Parses a number such as `0.5`, `20%`, `3k`, `2M`, `5m` (minutes), `2h`, `$1`. The error is a sentence.
pub fn parse_number(text: &str) -> Result<f64, String> {
    let digits = text.trim_start_matches('$');
    let scaled =
        [("%", 0.01), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let scaled = scaled.iter().find_map(|(sign, scale)| Some((digits.strip_suffix(sign)?, *scale)));
    let (digits, scale) = scaled.unwrap_or((digits, 1.0));
    let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
    number
        .map(|number| number * scale)
        .ok_or_else(|| format!("{text:?} is not a number, such as 0.5, 20%, 3k or 5m"))
}

/// A condition on a column of the trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialCondition {
    column: TrialColumn,
    is_negated: bool,
    test: TrialTest,
}

#[derive(Debug, Clone, PartialEq)]
enum TrialTest {
    /// The cell contains this text, in lower case.
    Contains(String),
    NotRecorded,
    Compare(CompareOperator, f64),
}

impl TrialCondition {
    /// Reads a condition on one of these columns; None for text that is none. The error is a sentence.
    pub fn parse(part: &str, columns: &[TrialColumn]) -> Result<Option<Self>, String> {
        let (is_negated, rest) = match part.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, part),
        };
        let begun =
            columns.iter().find_map(|column| Some((*column, rest.strip_prefix(column.word())?)));
        let Some((column, rest)) = begun else { return Ok(None) };
        let made = |test: TrialTest| Ok(Some(Self { column, is_negated, test }));
        if let Some(value) = rest.strip_prefix(':') {
            return match value {
                "" => Err(format!(
                    "{0}: needs a value, such as {0}:{1}",
                    column.word(),
                    column.example()
                )),
                "-" => made(TrialTest::NotRecorded),
                // `task::Result` is a word of code.
                value if value.starts_with(':') => Ok(None),
                value => made(TrialTest::Contains(value.to_lowercase())),
            };
        }
        match CompareOperator::split(rest) {
            Some(("", operator, value)) if column.is_number() => {
                made(TrialTest::Compare(operator, parse_number(value)?))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the condition holds for a run. A number that is not recorded passes no comparison.
    pub fn holds_for(&self, values: &TrialValues) -> bool {
        let cell = || values.cell_text(self.column);
        let holds = match &self.test {
            TrialTest::Contains(text) => cell().is_some_and(|it| it.to_lowercase().contains(text)),
            TrialTest::NotRecorded => cell().is_none(),
            TrialTest::Compare(operator, value) => values
                .cell_number(self.column)
                .is_some_and(|number| operator.holds_between(number, *value)),
        };
        holds != self.is_negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    #[test]
    fn a_condition_is_on_a_column_and_other_text_is_none() {
        let values = TrialValues {
            task: Some("Sum/one".into()),
            outcome: Some(Outcome::Partial),
            reward: Some(0.5),
            ..TrialValues::default()
        };
        let holds = |part: &str| {
            TrialCondition::parse(part, &TrialColumn::ALL).unwrap().map(|it| it.holds_for(&values))
        };

        for part in [
            "outcome:partial",
            "task:sum",
            "attempt:-",
            "!attempt:1",
            "reward>=0.5",
            "reward<1",
            "reward=50%",
            "!outcome:passed",
        ] {
            assert_eq!(holds(part), Some(true), "{part}");
        }
        for part in ["outcome:passed", "!outcome:partial", "reward>0.5", "attempt>0", "task:-"] {
            assert_eq!(holds(part), Some(false), "{part}");
        }
        for part in ["outcome", "task::spawn", "task>3", "rewarding:1", "!", "codex", "a:b"] {
            assert_eq!(holds(part), None, "{part}");
        }
        let why = |part: &str| TrialCondition::parse(part, &TrialColumn::ALL).unwrap_err();
        assert_eq!(why("outcome:"), "outcome: needs a value, such as outcome:failed");
        assert_eq!(why("reward>much"), "\"much\" is not a number, such as 0.5, 20%, 3k or 5m");
    }
}
