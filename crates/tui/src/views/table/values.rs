//! The contents of the cells: values for sorting and filtering, and their text.

use std::borrow::Cow;

use crate::session::{
    columns::{CardColumn, CardValue, ColumnKind, ReadCard, RunTableColumn},
    table_protocol::RunFileScores,
};
use trajview_metrics::{
    Number,
    exposure::ExposureAtTurn,
    numbers::{
        NumberInput, NumberStyle,
        facts::{MomentFacts, ReuseCounts, TestScores, TurnCounts, TurnUsage, VerdictSummary},
    },
    process::ProcessNumbers,
    quality::QualitySnapshot,
};
use trajview_run::{
    Outcome, RunCard,
    address::is_address,
    format_number,
    run_card::{CardTests, RecordedValue},
};

use super::row::{ComputedScores, RunReading, RunRow};

/// Something that may be there, may come, or will not.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownValue<T> {
    Known(T),
    /// The value is still being read or computed.
    Coming,
    /// The value was not recorded.
    Missing,
}

impl<T> KnownValue<T> {
    pub(crate) fn known_value(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Coming | Self::Missing => None,
        }
    }
}

fn known_or_missing<T>(value: Option<T>) -> KnownValue<T> {
    value.map_or(KnownValue::Missing, KnownValue::Known)
}

impl RunRow {
    /// Returns the words of a column of words.
    pub(crate) fn column_words(&self, column: RunTableColumn) -> KnownValue<Cow<'_, str>> {
        let words = match (column, self.read_card()) {
            (RunTableColumn::Run, _) => return KnownValue::Known(Cow::from(&self.name)),
            (_, None) => return self.without_card(),
            (RunTableColumn::Card(column), Some(read)) => match column.value() {
                CardValue::Words(words) => words(read),
                CardValue::Number { .. } => None,
            },
            _ => None,
        };
        match words {
            // A value that the beginning lacks may be in the rest, if the rest is read.
            None if self.whole_card().is_none() && !self.is_left() => KnownValue::Coming,
            words => known_or_missing(words),
        }
    }

    fn read_card(&self) -> Option<ReadCard<'_>> {
        let is_whole = self.whole_card().is_some();
        self.known_card().map(|card| ReadCard { card, is_whole })
    }

    /// Returns the recorded outcome of the trial.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.known_card()?.trial.outcome
    }

    fn without_card<T>(&self) -> KnownValue<T> {
        match self.reading {
            RunReading::Failed(_) => KnownValue::Missing,
            _ => KnownValue::Coming,
        }
    }

    /// Returns the number of a column of numbers.
    pub(crate) fn column_number(&self, column: RunTableColumn) -> KnownValue<f64> {
        let value = match column {
            RunTableColumn::Number(number) => number.value_at(self),
            RunTableColumn::Recorded(number) => {
                self.recorded_value(number).map(|recorded| recorded.value)
            }
            RunTableColumn::Curve => self.computed_scores().and_then(RunFileScores::curve_rise),
            RunTableColumn::Card(column) => match column.value() {
                CardValue::Number { value, .. } => self.read_card().and_then(value),
                CardValue::Words(_) => None,
            },
            RunTableColumn::Run => None,
        };
        match value {
            Some(value) => KnownValue::Known(value),
            None if self.is_coming(column) => KnownValue::Coming,
            None => KnownValue::Missing,
        }
    }

    /// Returns true if an unknown number may still arrive.
    fn is_coming(&self, column: RunTableColumn) -> bool {
        if self.is_left() {
            return false;
        }
        let has_failed = matches!(self.reading, RunReading::Failed(_));
        let is_read = has_failed || self.whole_card().is_some();
        let is_measured = has_failed || !matches!(self.computed, ComputedScores::Unmeasured);
        let RunTableColumn::Number(number) = column else {
            return if column == RunTableColumn::Curve { !is_measured } else { !is_read };
        };
        match number.row().input {
            NumberInput::Code(_) | NumberInput::Reuse(_) | NumberInput::Process(_) => !is_measured,
            // IF50 needs DIR of the state that was judged, which is measured if it is the end.
            NumberInput::Judgement(_) => !is_read || (self.is_judged_at_end() && !is_measured),
            NumberInput::Exposure(_)
            | NumberInput::Tests(_)
            | NumberInput::Counted(_)
            | NumberInput::Spent(_)
            | NumberInput::RubricTree(_)
            | NumberInput::Raters
            | NumberInput::Runs => !is_read,
        }
    }

    /// Returns true if only the beginning is read before the run is opened, since it is on remote storage.
    fn is_left(&self) -> bool {
        matches!(self.reading, RunReading::Beginning(_)) && is_address(&self.path)
    }

    fn is_judged_at_end(&self) -> bool {
        self.whole_card()
            .is_some_and(|card| card.mcf.as_ref().is_some_and(|it| it.done == card.end))
    }

    /// Returns the value that a harness recorded for a number.
    fn recorded_value(&self, number: Number) -> Option<&RecordedValue> {
        self.whole_card()?.recorded_value(number.id())
    }

    /// Returns the text of the cell. The curve is drawn and has no text.
    pub(crate) fn shown_text(&self, column: RunTableColumn) -> KnownValue<String> {
        if column.column_kind() == ColumnKind::Words {
            return match self.column_words(column) {
                KnownValue::Known(words) => KnownValue::Known(words.into_owned()),
                KnownValue::Coming => KnownValue::Coming,
                KnownValue::Missing => KnownValue::Missing,
            };
        }
        if let Some(words) = self.special_text(column) {
            return KnownValue::Known(words);
        }
        match self.column_number(column) {
            KnownValue::Known(number) => KnownValue::Known(column_value_text(column, number)),
            KnownValue::Coming => KnownValue::Coming,
            KnownValue::Missing => KnownValue::Missing,
        }
    }

    /// Returns the text of a cell that is more than its number; None for other cells.
    fn special_text(&self, column: RunTableColumn) -> Option<String> {
        let card = self.whole_card()?;
        match column {
            RunTableColumn::Number(Number::Churn) => card.lines.map(|(added, removed)| {
                format!(
                    "+{} −{}",
                    format_number::short_count(added),
                    format_number::short_count(removed)
                )
            }),
            RunTableColumn::Number(Number::Turns) if !card.not_counted.is_empty() => Some(format!(
                "{} +{} {}",
                card.turns,
                card.not_counted.len(),
                not_counted(&card.not_counted)
            )),
            RunTableColumn::Number(Number::Warnings) if card.trouble.warnings == 0 => {
                Some(String::new())
            }
            RunTableColumn::Number(number) if number.is_of_profile() => self.with_before(number),
            RunTableColumn::Number(number) => self.tests_text(card, number),
            RunTableColumn::Recorded(number) => {
                let recorded = self.recorded_value(number).filter(|it| it.doubt.is_some())?;
                Some(format!("{}?", column_value_text(column, recorded.value)))
            }
            RunTableColumn::Card(CardColumn::Corrected) => {
                Some(card.mcf.as_ref()?.corrected.as_ref().ok()?.short_text())
            }
            RunTableColumn::Run | RunTableColumn::Card(_) | RunTableColumn::Curve => None,
        }
    }

    /// Returns the number of passed and of all tests. None for other numbers.
    fn tests_text(&self, card: &RunCard, number: Number) -> Option<String> {
        let is_of_tests = matches!(number.row().input, NumberInput::Tests(_));
        match card.tests.as_ref().filter(|_| is_of_tests)? {
            CardTests::CouldNotRun => Some("not run".to_owned()),
            CardTests::Counted { .. } => {
                number.tests_passed(self).map(|it| format!("{}/{}", it.passed, it.total))
            }
        }
    }

    /// Returns the value with the earlier one, as `≈0.412 (0.398)`. The sign marks a value that was measured on some of
    /// the files only.
    fn with_before(&self, number: Number) -> Option<String> {
        let is_partial = self.computed_scores().is_some_and(|scores| scores.is_partial);
        let value = number.value_at(self)?;
        let sign = if is_partial { "≈" } else { "" };
        let before = self
            .earlier_scores
            .as_ref()
            .and_then(|before| number.value_of_code(before.end.as_deref()?));
        let short = |value| number.format_value(value, NumberStyle::Short);
        let before = before.map(|it| format!(" ({})", short(it))).unwrap_or_default();
        Some(format!("{sign}{}{before}", short(value)))
    }
}

impl MomentFacts for RunRow {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.computed_scores()?.end.as_deref()
    }

    fn reuse_counts(&self) -> Option<ReuseCounts> {
        Some(ReuseCounts { dir: self.computed_scores()?.dir, ..ReuseCounts::default() })
    }

    /// Returns the summary of the verdicts. The directory is that of the last moment.
    fn verdict_summary(&self) -> Option<VerdictSummary> {
        let judged = self.whole_card()?.mcf.as_ref()?;
        let scores = self.computed_scores().filter(|_| self.is_judged_at_end());
        let dir = scores.and_then(|scores| scores.dir);
        Some(VerdictSummary { mcf: Some(judged.score), dir, ..VerdictSummary::default() })
    }

    /// Returns None, since the exposure is not read for a table.
    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        None
    }

    fn test_results(&self) -> Option<TestScores> {
        match self.whole_card()?.tests? {
            CardTests::Counted { strict, iso, core } => Some(TestScores { strict, iso, core }),
            CardTests::CouldNotRun => None,
        }
    }

    fn turn_counts(&self) -> TurnCounts {
        let Some(card) = self.whole_card() else { return TurnCounts::default() };
        TurnCounts {
            turns: (!card.totals.has_no_log).then_some(card.turns as f64),
            checkpoints: Some(card.checkpoints as f64).filter(|count| *count > 0.0),
            churn: card.lines.map(|(added, removed)| (added + removed) as f64),
            warnings: Some(card.trouble.warnings as f64),
        }
    }

    fn turn_usage(&self) -> TurnUsage {
        let Some(card) = self.whole_card() else { return TurnUsage::default() };
        let tokens = card.tokens.map(|tokens| tokens as f64);
        TurnUsage {
            tokens,
            cost_usd: card.cost.recorded_usd,
            computed_usd: card.cost.computed_usd,
            seconds: card.totals.seconds,
            context: None,
        }
    }

    fn process_numbers(&self) -> Option<ProcessNumbers> {
        self.computed_scores()?.process.as_deref().copied()
    }
}

/// Returns one word for the turns that are not counted.
fn not_counted(states: &[&'static str]) -> &'static str {
    match states {
        [first, rest @ ..] if rest.iter().all(|it| it == first) => first,
        _ => "not counted",
    }
}

/// Returns a number of a column, as its cells and the means of a group have it.
pub(crate) fn column_value_text(column: RunTableColumn, value: f64) -> String {
    match column {
        RunTableColumn::Number(number) | RunTableColumn::Recorded(number) => {
            number.format_value(value, NumberStyle::Short)
        }
        RunTableColumn::Card(column) => match column.value() {
            CardValue::Number { format, .. } => format(value),
            CardValue::Words(_) => String::new(),
        },
        RunTableColumn::Run | RunTableColumn::Curve => format_number::three_decimals(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{checkpoint_record::PassCount, run_card::CardTotals};

    fn row(card: RunCard) -> RunRow {
        let mut row = RunRow::unread_row("a".into(), "a".into());
        row.reading = RunReading::Whole(Box::new(card));
        row
    }

    #[test]
    fn what_comes_what_is_missing_and_what_is_0_differ() {
        let unread = RunRow::unread_row("a".into(), "a".into());
        assert_eq!(unread.column_number(RunTableColumn::Number(Number::Turns)), KnownValue::Coming);
        let read = row(RunCard::default());
        assert_eq!(
            read.column_number(RunTableColumn::Number(Number::Turns)),
            KnownValue::Known(0.0)
        );
        assert_eq!(read.column_number(RunTableColumn::Number(Number::Cost)), KnownValue::Missing);
        assert_eq!(read.column_number(RunTableColumn::Number(Number::Erosion)), KnownValue::Coming);
        assert_eq!(read.column_words(RunTableColumn::default()), KnownValue::Missing);
        let mut failed = RunRow::unread_row("a".into(), "a".into());
        failed.reading = RunReading::Failed("no such file".into());
        assert_eq!(
            failed.column_number(RunTableColumn::Number(Number::Erosion)),
            KnownValue::Missing
        );
    }

    #[test]
    fn cells_are_short() {
        let core = Some(PassCount { passed: 1, total: 2 });
        let strict = PassCount { passed: 3, total: 6 };
        let tests = Some(CardTests::Counted { strict, iso: Some(PassCount::default()), core });
        let totals = CardTotals { seconds: Some(3900.0), ..CardTotals::default() };
        let card = RunCard { tests, lines: Some((12_345, 7)), totals, ..RunCard::default() };
        let mut row = row(card);
        row.computed = ComputedScores::Ready(RunFileScores {
            end: Some(Box::new(QualitySnapshot { erosion: 0.41249, ..QualitySnapshot::default() })),
            is_partial: true,
            curve: vec![Some(0.5), None, Some(0.25)],
            ..RunFileScores::default()
        });

        let numbers =
            [Number::Tests, Number::TestsCore, Number::Churn, Number::Duration, Number::Erosion];
        let shown = numbers
            .map(|it| row.shown_text(RunTableColumn::Number(it)).known_value().unwrap_or_default());
        assert_eq!(shown, ["3/6", "1/2", "+12k −7", "1h 05m", "≈0.412"]);
        assert_eq!(
            row.column_number(RunTableColumn::Number(Number::Tests)),
            KnownValue::Known(0.5)
        );
        assert_eq!(row.column_number(RunTableColumn::Curve), KnownValue::Known(-0.25));
        assert_eq!(
            row.shown_text(RunTableColumn::Number(Number::TestsIso)),
            KnownValue::Known("0/0".into())
        );
        assert_eq!(
            row.column_number(RunTableColumn::Number(Number::TestsIso)),
            KnownValue::Missing
        );
    }
}
