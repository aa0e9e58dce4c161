//! What stands in the cells: values to sort and filter by, and how they are written.

use crate::session::{
    columns::{Column, Kind, SessionColumn},
    runs::Scores,
};
use trajview_metrics::{
    Number,
    exposure::AtTurn,
    numbers::{
        Of, Style,
        facts::{Counted, Facts, Reused, Spent, Tested, Verdicts},
    },
    process::Processed,
    quality::Snapshot,
};
use trajview_run::{
    Card, Time,
    address::is_address,
    card::{CardTests, Recorded},
    figures,
};

use super::row::{Computed, Reading, Row};

/// Something that may be there, may come, or will not.
#[derive(Debug, Clone, PartialEq)]
pub enum Known<T> {
    Known(T),
    /// Still being read or worked out.
    Coming,
    /// Not recorded.
    Missing,
}

impl<T> Known<T> {
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Coming | Self::Missing => None,
        }
    }
}

fn said<T>(value: Option<T>) -> Known<T> {
    value.map_or(Known::Missing, Known::Known)
}

impl Row {
    /// The words of a column of words.
    pub fn words(&self, column: Column) -> Known<&str> {
        if column == Column::Run {
            return Known::Known(&self.name);
        }
        let Some(card) = self.card() else { return self.without_card() };
        let words = match column {
            Column::Task => card.identity.task.as_deref(),
            Column::Agent => card.identity.agent.as_deref(),
            Column::Model => card.identity.model.as_deref(),
            Column::Condition => card.identity.condition.as_deref(),
            Column::Title => Some(card.identity.title.as_str()),
            Column::Judge => card.mcf.as_ref().map(|judged| judged.judge.as_str()),
            Column::Session(SessionColumn::Project) => card.work.project(),
            Column::Session(SessionColumn::Branch) => card.work.branch.as_deref(),
            Column::Session(SessionColumn::Request) => card.identity.request.as_deref(),
            Column::Session(_)
            | Column::Run
            | Column::Curve
            | Column::Number(_)
            | Column::Recorded(_) => None,
        };
        match words {
            // What the beginning does not say the rest may, where it is read.
            None if self.whole().is_none() && !self.is_left() => Known::Coming,
            words => said(words),
        }
    }

    fn without_card<T>(&self) -> Known<T> {
        match self.reading {
            Reading::Failed(_) => Known::Missing,
            _ => Known::Coming,
        }
    }

    /// The number of a column of numbers.
    pub fn number(&self, column: Column) -> Known<f64> {
        let value = match column {
            Column::Number(number) => number.value(self),
            Column::Recorded(number) => self.recorded(number).map(|recorded| recorded.value),
            Column::Curve => self.scores().and_then(Scores::rise),
            Column::Session(column) => self.of_session(column),
            Column::Run
            | Column::Task
            | Column::Agent
            | Column::Condition
            | Column::Model
            | Column::Judge
            | Column::Title => None,
        };
        match value {
            Some(value) => Known::Known(value),
            None if self.is_coming(column) => Known::Coming,
            None => Known::Missing,
        }
    }

    /// When it was is known before the rest is read.
    fn of_session(&self, column: SessionColumn) -> Option<f64> {
        let whole = self.whole();
        match column {
            SessionColumn::When => match whole {
                Some(card) => card.work.when(),
                None => self.card()?.work.written_at,
            }
            .map(|millis| millis as f64),
            SessionColumn::Steps => Some(whole?.work.steps as f64),
            SessionColumn::Edits => whole?.work.edits.map(|edits| edits as f64),
            SessionColumn::Failures => whole?.trouble.failures.map(|count| count as f64),
            SessionColumn::State
            | SessionColumn::Project
            | SessionColumn::Request
            | SessionColumn::Branch => None,
        }
    }

    /// Whether a number that is not known may come.
    fn is_coming(&self, column: Column) -> bool {
        if self.is_left() {
            return false;
        }
        let has_failed = matches!(self.reading, Reading::Failed(_));
        let is_read = has_failed || self.whole().is_some();
        let is_measured = has_failed || !matches!(self.computed, Computed::Unmeasured);
        let Column::Number(number) = column else {
            return if column == Column::Curve { !is_measured } else { !is_read };
        };
        match number.row().of {
            Of::Code(_) | Of::Reuse(_) | Of::Process(_) => !is_measured,
            // IF50 needs DIR of the state that was judged, which is measured if it is the end.
            Of::Judgement(_) => !is_read || (self.is_judged_at_end() && !is_measured),
            Of::Exposure(_)
            | Of::Tests(_)
            | Of::Counted(_)
            | Of::Spent(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => !is_read,
        }
    }

    /// Whether no more than its beginning is read before it is opened: it is on remote storage.
    fn is_left(&self) -> bool {
        matches!(self.reading, Reading::Beginning(_)) && is_address(&self.path)
    }

    fn is_judged_at_end(&self) -> bool {
        self.whole().is_some_and(|card| card.mcf.as_ref().is_some_and(|it| it.done == card.end))
    }

    /// What a harness recorded of a number.
    fn recorded(&self, number: Number) -> Option<&Recorded> {
        self.whole()?.recorded(number.id())
    }

    /// What stands in the cell; the curve is drawn, not written.
    pub fn shown(&self, column: Column) -> Known<String> {
        if column == Column::Session(SessionColumn::State) {
            let activity = self.whole().and_then(|card| card.work.activity.as_ref());
            return match activity {
                Some(activity) => Known::Known(activity.words()),
                None if self.is_read() || self.is_left() => Known::Missing,
                None => Known::Coming,
            };
        }
        if column.kind() == Kind::Words {
            return match self.words(column) {
                Known::Known(words) => Known::Known(words.to_owned()),
                Known::Coming => Known::Coming,
                Known::Missing => Known::Missing,
            };
        }
        if let Some(words) = self.special(column) {
            return Known::Known(words);
        }
        match self.number(column) {
            Known::Known(number) => Known::Known(written(column, number)),
            Known::Coming => Known::Coming,
            Known::Missing => Known::Missing,
        }
    }

    /// Cells that are more than their number.
    fn special(&self, column: Column) -> Option<String> {
        let card = self.whole()?;
        match column {
            Column::Number(Number::Churn) => card.lines.map(|(added, removed)| {
                format!("+{} −{}", figures::short(added), figures::short(removed))
            }),
            Column::Number(Number::Turns) if !card.not_counted.is_empty() => Some(format!(
                "{} +{} {}",
                card.turns,
                card.not_counted.len(),
                not_counted(&card.not_counted)
            )),
            Column::Number(Number::Warnings) if card.trouble.warnings == 0 => Some(String::new()),
            Column::Number(number) if number.is_of_profile() => self.with_before(number),
            Column::Number(number) => self.tests(card, number),
            Column::Recorded(number) => {
                let recorded = self.recorded(number).filter(|it| it.doubt.is_some())?;
                Some(format!("{}?", written(column, recorded.value)))
            }
            Column::Run
            | Column::Task
            | Column::Agent
            | Column::Condition
            | Column::Model
            | Column::Curve
            | Column::Judge
            | Column::Session(_)
            | Column::Title => None,
        }
    }

    /// How many tests of how many; None for other numbers.
    fn tests(&self, card: &Card, number: Number) -> Option<String> {
        let is_of_tests = matches!(number.row().of, Of::Tests(_));
        match card.tests.as_ref().filter(|_| is_of_tests)? {
            CardTests::CouldNotRun => Some("not run".to_owned()),
            CardTests::Counted { .. } => {
                number.passed(self).map(|it| format!("{}/{}", it.passed, it.total))
            }
        }
    }

    /// `≈0.412 (0.398)`: what is measured of some of the files, and what was measured before.
    fn with_before(&self, number: Number) -> Option<String> {
        let is_partial = self.scores().is_some_and(|scores| scores.is_partial);
        let value = number.value(self)?;
        let sign = if is_partial { "≈" } else { "" };
        let before = self.before.as_ref().and_then(|before| number.of_code(before.end.as_deref()?));
        let short = |value| number.written(value, Style::Short);
        let before = before.map(|it| format!(" ({})", short(it))).unwrap_or_default();
        Some(format!("{sign}{}{before}", short(value)))
    }
}

impl Facts for Row {
    fn code(&self) -> Option<&Snapshot> {
        self.scores()?.end.as_deref()
    }

    fn reuse(&self) -> Option<Reused> {
        Some(Reused { dir: self.scores()?.dir, ..Reused::default() })
    }

    /// DIR is that of the end.
    fn verdicts(&self) -> Option<Verdicts> {
        let judged = self.whole()?.mcf.as_ref()?;
        let scores = self.scores().filter(|_| self.is_judged_at_end());
        let dir = scores.and_then(|scores| scores.dir);
        Some(Verdicts { mcf: Some(judged.score), dir, ..Verdicts::default() })
    }

    /// It is not read for a table.
    fn exposed(&self) -> Option<AtTurn> {
        None
    }

    fn tested(&self) -> Option<Tested> {
        match self.whole()?.tests? {
            CardTests::Counted { strict, iso, core } => Some(Tested { strict, iso, core }),
            CardTests::CouldNotRun => None,
        }
    }

    fn counted(&self) -> Counted {
        let Some(card) = self.whole() else { return Counted::default() };
        Counted {
            turns: (!card.totals.is_tree_alone).then_some(card.turns as f64),
            checkpoints: Some(card.checkpoints as f64).filter(|count| *count > 0.0),
            churn: card.lines.map(|(added, removed)| (added + removed) as f64),
            warnings: Some(card.trouble.warnings as f64),
        }
    }

    fn spent(&self) -> Spent {
        let Some(card) = self.whole() else { return Spent::default() };
        let tokens = card.tokens.map(|tokens| tokens as f64);
        Spent {
            tokens,
            cost_usd: card.cost.recorded_usd,
            computed_usd: card.cost.computed_usd,
            seconds: card.totals.seconds,
            context: None,
        }
    }

    fn process(&self) -> Option<Processed> {
        self.scores()?.process.as_deref().copied()
    }
}

/// What became of the turns that do not count, in one word.
fn not_counted(states: &[&'static str]) -> &'static str {
    match states {
        [first, rest @ ..] if rest.iter().all(|it| it == first) => first,
        _ => "not counted",
    }
}

/// A number of a column, as its cells and the means of a group have it.
pub fn written(column: Column, value: f64) -> String {
    match column {
        Column::Number(number) | Column::Recorded(number) => number.written(value, Style::Short),
        Column::Run
        | Column::Task
        | Column::Agent
        | Column::Condition
        | Column::Model
        | Column::Curve
        | Column::Judge
        | Column::Title => figures::share(value),
        Column::Session(SessionColumn::When) => Time(value as i64).minute(),
        Column::Session(_) => figures::short(value.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{card::CardTotals, recorded::Passed};

    fn row(card: Card) -> Row {
        let mut row = Row::of("a".into(), "a".into());
        row.reading = Reading::Whole(Box::new(card));
        row
    }

    #[test]
    fn what_comes_what_is_missing_and_what_is_0_differ() {
        let unread = Row::of("a".into(), "a".into());
        assert_eq!(unread.number(Column::Number(Number::Turns)), Known::Coming);
        let read = row(Card::default());
        assert_eq!(read.number(Column::Number(Number::Turns)), Known::Known(0.0));
        assert_eq!(read.number(Column::Number(Number::Cost)), Known::Missing);
        assert_eq!(read.number(Column::Number(Number::Erosion)), Known::Coming);
        assert_eq!(read.words(Column::Task), Known::Missing);
        let mut failed = Row::of("a".into(), "a".into());
        failed.reading = Reading::Failed("no such file".into());
        assert_eq!(failed.number(Column::Number(Number::Erosion)), Known::Missing);
    }

    #[test]
    fn cells_are_short() {
        let core = Some(Passed { passed: 1, total: 2 });
        let strict = Passed { passed: 3, total: 6 };
        let tests = Some(CardTests::Counted { strict, iso: Some(Passed::default()), core });
        let totals = CardTotals { seconds: Some(3900.0), ..CardTotals::default() };
        let card = Card { tests, lines: Some((12_345, 7)), totals, ..Card::default() };
        let mut row = row(card);
        row.computed = Computed::Ready(Scores {
            end: Some(Box::new(Snapshot { erosion: 0.41249, ..Snapshot::default() })),
            is_partial: true,
            curve: vec![Some(0.5), None, Some(0.25)],
            ..Scores::default()
        });

        let numbers =
            [Number::Tests, Number::TestsCore, Number::Churn, Number::Duration, Number::Erosion];
        let shown = numbers.map(|it| row.shown(Column::Number(it)).known().unwrap_or_default());
        assert_eq!(shown, ["3/6", "1/2", "+12k −7", "1h 05m", "≈0.412"]);
        assert_eq!(row.number(Column::Number(Number::Tests)), Known::Known(0.5));
        assert_eq!(row.number(Column::Curve), Known::Known(-0.25));
        assert_eq!(row.shown(Column::Number(Number::TestsIso)), Known::Known("0/0".into()));
        assert_eq!(row.number(Column::Number(Number::TestsIso)), Known::Missing);
    }
}
