//! THE list of numbers: every number that this program shows or writes is one row of `rows`.
//!
//! A row says what a number is called, its unit, its range, which way is better, how it is written, how it is got,
//! where its formula is from, what it opens into, and where it is shown. The curves, the columns of the table of
//! runs, the comparison, the corpus, CSV, `trajview metrics` and the documentation are made from the rows: a place
//! holds a [`Number`] and never a name. To add a number add a row; the compiler asks for everything a row needs.
//!
//! [`facts`] is what rows are worked out of, `written` how values are written. Where a formula differs by profile,
//! the definition says so and [`Profile`](super::quality::Profile) decides.

pub mod facts;
mod row;
mod rows;
#[cfg(test)]
mod tests;
mod written;

use std::sync::LazyLock;

use serde::{Serialize, Serializer};

use super::{quality::Snapshot, rubric_tree::Summary};
use facts::Facts;
use trajview_run::{recorded::Passed, rubric::FULL};

pub use row::{Better, Column, Evidence, Of, Row, Shown};
pub use rows::Number;
pub use written::{Form, Style};

/// The numbers with a curve, in the order in which curves are listed.
pub static CURVES: LazyLock<Vec<Number>> = LazyLock::new(|| ranked(|shown| shown.curve));

/// The numbers of a moment in a comparison: those with a curve first, in its order.
pub static MOMENT: LazyLock<Vec<Number>> =
    LazyLock::new(|| ranked(|shown| shown.compare.map(|_| shown.curve.unwrap_or(u8::MAX))));

/// The numbers that runs are compared by, in order.
pub static COMPARED: LazyLock<Vec<Number>> = LazyLock::new(|| ranked(|shown| shown.compare));

/// What SLUMP takes differences of, and shares of the gap.
pub const SLUMP: [Number; 3] = [Number::Mcf, Number::Dir, Number::If50];

/// The numbers of a corpus, in order.
pub static CORPUS: LazyLock<Vec<Number>> = LazyLock::new(|| ranked(|shown| shown.corpus));

/// The numbers that have a rank in a place, in the order of their ranks; equal ranks in the order of the rows.
pub fn ranked(rank: impl Fn(&Shown) -> Option<u8>) -> Vec<Number> {
    let shown = Number::ALL.iter().filter_map(|number| Some((rank(&number.row().shown)?, *number)));
    let mut shown: Vec<(u8, Number)> = shown.collect();
    shown.sort(); // the order of numbers is that of the rows
    shown.into_iter().map(|(_, number)| number).collect()
}

/// Those of some numbers that are shown: rare ones where there are any.
pub fn shown(numbers: &[Number], is_there: impl Fn(Number) -> bool) -> Vec<Number> {
    let numbers = numbers.iter().copied();
    numbers.filter(|number| !number.is_rare() || is_there(*number)).collect()
}

/// Some numbers with their values, in an order; as JSON an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub Vec<(Number, Option<f64>)>);

impl Values {
    pub fn of(numbers: &[Number], value: impl Fn(Number) -> Option<f64>) -> Self {
        Self(numbers.iter().map(|number| (*number, value(*number))).collect())
    }

    /// None where the number is not among them, and where it has no value.
    pub fn get(&self, number: Number) -> Option<f64> {
        self.0.iter().find(|(other, _)| *other == number)?.1
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = |(number, value): &(Number, Option<f64>)| {
            (number.id(), value.map(|value| Json { number: *number, value }))
        };
        serializer.collect_map(self.0.iter().map(json))
    }
}

/// A value as it stands in JSON: what is counted is whole.
struct Json {
    number: Number,
    value: f64,
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_whole = self.value.fract() == 0.0 && (0.0..WHOLE).contains(&self.value);
        match self.number.row().form {
            Form::Count | Form::Amount if is_whole => serializer.serialize_u64(self.value as u64),
            Form::Count
            | Form::Amount
            | Form::FineShare
            | Form::Share
            | Form::Percent
            | Form::Score
            | Form::Tenths
            | Form::Dollars
            | Form::Seconds
            | Form::Statistic => serializer.serialize_f64(self.value),
        }
    }
}

/// Below this every whole number is a float of its own.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// The number of that id; None where there is none.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|number| number.id() == id)
    }

    /// The name in JSON and CSV.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The name people read.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The name at the head of a narrow column.
    pub fn short(self) -> &'static str {
        self.row().short
    }

    pub fn better(self) -> Better {
        self.row().better
    }

    /// Whether it is shown only where a run has it: hardly a checklist has blockers.
    pub const fn is_rare(self) -> bool {
        matches!(self, Self::McfCapped)
    }

    /// Whether values lie between 0 and 1.
    pub fn is_share(self) -> bool {
        self.row().form.is_share()
    }

    /// The value at a moment; None where it is not recorded, not judged or not measured (yet).
    pub fn value(self, facts: &dyn Facts) -> Option<f64> {
        match self.row().of {
            Of::Code(of) => facts.code().map(of),
            Of::Reuse(of) => of(&facts.reuse()?),
            Of::Judgement(of) => of(&facts.verdicts()?),
            Of::Exposure(of) => facts.exposed().map(|exposed| of(&exposed)),
            Of::Tests(_) => self.passed(facts)?.share(),
            Of::Counted(of) => of(&facts.counted()),
            Of::Spent(of) => of(&facts.spent()),
            Of::Process(of) => of(&facts.process()?),
            Of::RubricTree(_) | Of::Raters | Of::Runs => None,
        }
    }

    /// The value of one state of the code; None for numbers that are of something else.
    pub fn of_code(self, snapshot: &Snapshot) -> Option<f64> {
        match self.row().of {
            Of::Code(of) => Some(of(snapshot)),
            Of::Reuse(_)
            | Of::Judgement(_)
            | Of::Exposure(_)
            | Of::Tests(_)
            | Of::Counted(_)
            | Of::Spent(_)
            | Of::Process(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => None,
        }
    }

    /// How many of how many, of a number of tests; None for other numbers.
    pub fn passed(self, facts: &dyn Facts) -> Option<Passed> {
        match self.row().of {
            Of::Tests(of) => of(&facts.tested()?),
            Of::Code(_)
            | Of::Reuse(_)
            | Of::Judgement(_)
            | Of::Exposure(_)
            | Of::Counted(_)
            | Of::Spent(_)
            | Of::Process(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => None,
        }
    }

    /// The value of a graded rubric; None for other numbers.
    pub fn of_tree(self, summary: &Summary) -> Option<f64> {
        match self.row().of {
            Of::RubricTree(of) => of(summary),
            Of::Code(_)
            | Of::Reuse(_)
            | Of::Judgement(_)
            | Of::Exposure(_)
            | Of::Tests(_)
            | Of::Counted(_)
            | Of::Spent(_)
            | Of::Process(_)
            | Of::Raters
            | Of::Runs => None,
        }
    }

    /// Whether it is worked out from the code, so that the code has to be measured first.
    pub fn is_measured(self) -> bool {
        matches!(self.row().of, Of::Code(_) | Of::Reuse(_))
    }

    /// Whether it is worked out of how the run was worked on.
    pub fn is_of_process(self) -> bool {
        matches!(self.row().of, Of::Process(_))
    }

    /// Whether another profile or other rules give another value.
    pub fn is_of_profile(self) -> bool {
        matches!(self.row().of, Of::Code(_))
    }

    /// The highest value there is, where an axis should reach it.
    pub fn most(self) -> Option<f64> {
        (self.row().form == Form::Score).then_some(f64::from(FULL))
    }

    /// Whether it is made of a judge's scores of components.
    pub fn is_of_judgement(self) -> bool {
        matches!(self.row().of, Of::Judgement(_))
    }

    /// The value as people read it.
    pub fn written(self, value: f64, style: Style) -> String {
        self.row().form.written(value, style)
    }

    /// A difference with its sign; `0` where nothing can be seen of it.
    pub fn difference_written(self, by: f64) -> String {
        self.change_written(by, Style::Full).unwrap_or_else(|| "0".into())
    }

    /// A difference with its sign; None where nothing can be seen of it.
    pub fn change_written(self, by: f64, style: Style) -> Option<String> {
        let words = self.written(by.abs(), style);
        let sign = if by < 0.0 { '−' } else { '+' };
        (words != self.written(0.0, style)).then(|| format!("{sign}{words}"))
    }
}
