//! What stands in the cells: values to sort and filter by, and how they are written.

use crate::{
    metrics::faithfulness,
    run::{Card, card::CardTests, recorded::Passed},
};

use super::{
    columns::{Column, Kind},
    row::{Computed, Reading, Row, Scores},
};

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

impl Scores {
    /// The number of a computed column.
    fn in_column(&self, column: Column) -> Option<f64> {
        match column {
            Column::Erosion => self.erosion,
            Column::Verbosity => self.verbosity,
            Column::Dir => self.dir,
            _ => {
                let mut known = self.curve.iter().flatten();
                let first = known.next()?;
                Some(known.next_back()? - first)
            }
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
            Column::Task => card.task.as_deref(),
            Column::Agent => card.agent.as_deref(),
            Column::Model => card.model.as_deref(),
            Column::Condition => card.condition.as_deref(),
            Column::Title => Some(card.title.as_str()),
            _ => None,
        };
        match words {
            // What the beginning does not say the rest may.
            None if self.whole().is_none() => Known::Coming,
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
        if matches!(column, Column::Erosion | Column::Verbosity | Column::Dir | Column::Curve) {
            return self.computed(column);
        }
        let Some(card) = self.whole() else { return self.without_card() };
        let share = |pick: fn(&CardTests) -> Option<Passed>| {
            card.tests.as_ref().and_then(pick).and_then(Passed::share)
        };
        match column {
            Column::Turns => Known::Known(card.turns as f64),
            Column::Checkpoints if card.checkpoints == 0 => Known::Missing,
            Column::Checkpoints => Known::Known(card.checkpoints as f64),
            Column::Strict => said(share(strict)),
            Column::Iso => said(share(iso)),
            Column::Core => said(share(core)),
            Column::RecordedErosion => said(card.recorded_erosion),
            Column::RecordedVerbosity => said(card.recorded_verbosity),
            Column::Mcf => said(card.mcf.as_ref().map(|judged| judged.score)),
            Column::If50 => self.if50(card),
            Column::Lines => said(card.lines.map(|(added, removed)| (added + removed) as f64)),
            Column::Tokens => said(card.tokens.map(|tokens| tokens as f64)),
            Column::Cost => said(card.cost_usd),
            Column::Time => said(card.seconds),
            Column::Warnings => Known::Known(card.warnings as f64),
            _ => Known::Missing,
        }
    }

    fn computed(&self, column: Column) -> Known<f64> {
        let scores = match (&self.computed, &self.reading) {
            (Computed::Ready(scores), _) => scores,
            (Computed::Failed(_), _) | (_, Reading::Failed(_)) => return Known::Missing,
            (Computed::Unmeasured, _) => return Known::Coming,
        };
        said(scores.in_column(column))
    }

    /// Of one state alone: the end, if it is what was judged.
    fn if50(&self, card: &Card) -> Known<f64> {
        match (&card.mcf, self.computed(Column::Dir)) {
            (Some(judged), dir) if judged.done == card.end => match dir {
                Known::Known(dir) => Known::Known(faithfulness::if50(judged.score, dir)),
                other => other,
            },
            _ => Known::Missing,
        }
    }

    /// What stands in the cell; the curve is drawn, not written.
    pub fn shown(&self, column: Column) -> Known<String> {
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
        let tests = |pick: fn(&CardTests) -> Option<Passed>| match card.tests.as_ref()? {
            CardTests::CouldNotRun => Some("not run".to_owned()),
            counted => pick(counted).map(|it| format!("{}/{}", it.passed, it.total)),
        };
        match column {
            Column::Strict => tests(strict),
            Column::Iso => tests(iso),
            Column::Core => tests(core),
            Column::Lines => card
                .lines
                .map(|(added, removed)| format!("+{} −{}", amount(added), amount(removed))),
            Column::Turns if !card.not_counted.is_empty() => Some(format!(
                "{} +{} {}",
                card.turns,
                card.not_counted.len(),
                not_counted(&card.not_counted)
            )),
            Column::Warnings if card.warnings == 0 => Some(String::new()),
            Column::RecordedVerbosity => {
                let number = card.recorded_verbosity.filter(|_| card.verbosity_doubt.is_some())?;
                Some(format!("{}?", written(column, number)))
            }
            Column::Erosion | Column::Verbosity => {
                let is_partial = self.scores().is_some_and(|scores| scores.is_partial);
                let number = self.number(column).known()?;
                let sign = if is_partial { "≈" } else { "" };
                let before = self.before.as_ref().and_then(|before| before.in_column(column));
                let before = before.map(|it| format!(" ({})", written(column, it)));
                Some(format!("{sign}{}{}", written(column, number), before.unwrap_or_default()))
            }
            _ => None,
        }
    }
}

/// What became of the turns that do not count, in one word.
fn not_counted(states: &[&'static str]) -> &'static str {
    match states {
        [first, rest @ ..] if rest.iter().all(|it| it == first) => first,
        _ => "not counted",
    }
}

fn strict(tests: &CardTests) -> Option<Passed> {
    match tests {
        CardTests::Counted { strict, .. } => Some(*strict),
        CardTests::CouldNotRun => None,
    }
}

fn iso(tests: &CardTests) -> Option<Passed> {
    match tests {
        CardTests::Counted { iso, .. } => Some(*iso),
        CardTests::CouldNotRun => None,
    }
}

fn core(tests: &CardTests) -> Option<Passed> {
    match tests {
        CardTests::Counted { core, .. } => *core,
        CardTests::CouldNotRun => None,
    }
}

/// A number of a column, as its cells and the means of a group have it.
pub fn written(column: Column, number: f64) -> String {
    match column {
        Column::Turns | Column::Checkpoints | Column::Warnings => {
            let digits = usize::from(number.fract() != 0.0);
            format!("{number:.digits$}")
        }
        Column::Strict | Column::Iso | Column::Core => format!("{:.0}%", number * 100.0),
        Column::Tokens | Column::Lines => amount(number.round() as u64),
        Column::Cost => format!("${number:.2}"),
        Column::Time => duration(number),
        Column::Mcf => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

/// `812`, `2.1k`, `34M`
fn amount(count: u64) -> String {
    const POWERS: &[&str] = &["", "k", "M", "G", "T"];
    let (mut rest, mut power) = (count as f64, 0);
    while rest >= 999.5 && power + 1 < POWERS.len() {
        rest /= 1000.0;
        power += 1;
    }
    let digits = usize::from(power > 0 && rest < 9.95);
    format!("{rest:.digits$}{}", POWERS[power])
}

/// `42s`, `14m08s`, `1h05m`
fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole % 3600 / 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(card: Card) -> Row {
        let mut row = Row::of("a".into(), "a".into());
        row.reading = Reading::Whole(Box::new(card));
        row
    }

    #[test]
    fn what_comes_what_is_missing_and_what_is_0_differ() {
        let unread = Row::of("a".into(), "a".into());
        assert_eq!(unread.number(Column::Turns), Known::Coming);
        let read = row(Card::default());
        assert_eq!(read.number(Column::Turns), Known::Known(0.0));
        assert_eq!(read.number(Column::Cost), Known::Missing);
        assert_eq!(read.number(Column::Erosion), Known::Coming);
        assert_eq!(read.words(Column::Task), Known::Missing);
        let mut failed = Row::of("a".into(), "a".into());
        failed.reading = Reading::Failed("no such file".into());
        assert_eq!(failed.number(Column::Erosion), Known::Missing);
    }

    #[test]
    fn cells_are_short() {
        let core = Some(Passed { passed: 1, total: 2 });
        let strict = Passed { passed: 3, total: 6 };
        let tests = Some(CardTests::Counted { strict, iso: Passed::default(), core });
        let card =
            Card { tests, lines: Some((12_345, 7)), seconds: Some(3900.0), ..Card::default() };
        let mut row = row(card);
        row.computed = Computed::Ready(Scores {
            erosion: Some(0.41249),
            is_partial: true,
            curve: vec![Some(0.5), None, Some(0.25)],
            ..Scores::default()
        });

        let columns = [Column::Strict, Column::Core, Column::Lines, Column::Time, Column::Erosion];
        let shown = columns.map(|column| row.shown(column).known().unwrap_or_default());
        assert_eq!(shown, ["3/6", "1/2", "+12k −7", "1h05m", "≈0.412"]);
        assert_eq!(row.number(Column::Strict), Known::Known(0.5));
        assert_eq!(row.number(Column::Curve), Known::Known(-0.25));
        assert_eq!(row.shown(Column::Iso), Known::Known("0/0".into()));
        assert_eq!(row.number(Column::Iso), Known::Missing);
    }
}
