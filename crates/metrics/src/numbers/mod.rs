//! THE list of numbers: every number that this program shows or writes is one row of `rows`.
//!
//! A row has the name of a number, its unit, its range, the better direction, its format, its computation, the source
//! of its formula and its evidence. `places` has one list a place: the numbers that it shows, in its order. The curves,
//! the comparison, the corpus, CSV, `trajview list metrics` and the documentation are made from rows and lists: each place has
//! a [`Number`] and never a name. To add a number add a row, and its name to the lists of the places that show it.
//!
//! [`facts`] has the inputs of the rows, `number_format` the formats of values. Where a formula differs by profile, the
//! definition says so and [`QualityProfile`](super::quality::QualityProfile) decides.

pub mod facts;
mod number_definition;
mod number_format;
mod places;
mod rows;
#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

use super::quality::QualitySnapshot;
use facts::MomentFacts;
use trajview_run::{checkpoint_record::PassCount, rubric::FULL_SCORE};

pub use number_definition::{
    BetterDirection, NumberColumn, NumberDefinition, NumberEvidence, NumberInput,
};
pub use number_format::{NumberForm, NumberStyle};
pub use places::{
    COMPARED, CORPUS, CURVES, MOMENT, PHASE_TABLE, RECORDED_TABLE, SCORE_CSV, SCORE_TABLE, SLUMP,
    TASK_TABLE, TRENDS,
};
pub use rows::Number;

/// Returns the numbers to show: all that are not rare, and the rare ones that the run has (`is_there`).
pub fn visible_numbers(numbers: &[Number], is_there: impl Fn(Number) -> bool) -> Vec<Number> {
    let numbers = numbers.iter().copied();
    numbers.filter(|number| !number.is_rare() || is_there(*number)).collect()
}

/// Numbers with their values, in order; an object in JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NumberValues(pub Vec<(Number, Option<f64>)>);

impl NumberValues {
    pub fn new(numbers: &[Number], value: impl Fn(Number) -> Option<f64>) -> Self {
        Self(numbers.iter().map(|number| (*number, value(*number))).collect())
    }

    /// Returns the value of a number; None where the number is not among them, and where it has no value.
    pub fn get(&self, number: Number) -> Option<f64> {
        self.0.iter().find(|(other, _)| *other == number)?.1
    }
}

impl Serialize for NumberValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = |(number, value): &(Number, Option<f64>)| {
            (number.id(), value.map(|value| NumberJson { number: *number, value }))
        };
        serializer.collect_map(self.0.iter().map(json))
    }
}

/// A value as written in JSON: counts are whole numbers.
struct NumberJson {
    number: Number,
    value: f64,
}

impl Serialize for NumberJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_whole = self.value.fract() == 0.0 && (0.0..WHOLE).contains(&self.value);
        match self.number.row().form {
            NumberForm::Count | NumberForm::Amount if is_whole => {
                serializer.serialize_u64(self.value as u64)
            }
            NumberForm::Count
            | NumberForm::Amount
            | NumberForm::FineShare
            | NumberForm::Share
            | NumberForm::Percent
            | NumberForm::Score
            | NumberForm::Tenths
            | NumberForm::Dollars
            | NumberForm::Seconds
            | NumberForm::Statistic => serializer.serialize_f64(self.value),
        }
    }
}

/// Below this every whole number can be represented exactly as a float.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// Returns the number of that id; None where there is none.
    pub fn find_by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|number| number.id() == id)
    }

    /// Returns the name in JSON and CSV.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns the name that people read.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Returns the name at the head of a narrow column.
    pub fn short(self) -> &'static str {
        self.row().short
    }

    pub fn better(self) -> BetterDirection {
        self.row().better
    }

    /// Returns whether the number is shown only where a run has it: few checklists have blockers.
    pub const fn is_rare(self) -> bool {
        matches!(self, Self::McfCapped)
    }

    /// Returns the number whose curve is drawn on the same axis.
    pub const fn drawn_with(self) -> Option<Self> {
        match self {
            Self::Erosion => Some(Self::Verbosity),
            Self::Verbosity => Some(Self::Erosion),
            Self::Rcr => Some(Self::Esr),
            Self::Esr => Some(Self::Rcr),
            _ => None,
        }
    }

    /// Returns whether values are between 0 and 1.
    pub fn is_share(self) -> bool {
        self.row().form.is_share()
    }

    /// Returns the value at a moment; None where it is not recorded, not judged or not measured (yet).
    pub fn value_at(self, facts: &dyn MomentFacts) -> Option<f64> {
        match self.row().input {
            NumberInput::Code(formula) => facts.code_snapshot().map(formula),
            NumberInput::Reuse(formula) => formula(&facts.reuse_counts()?),
            NumberInput::Judgement(formula) => formula(&facts.verdict_summary()?),
            NumberInput::Exposure(formula) => {
                facts.exposure_shares().map(|exposed| formula(&exposed))
            }
            NumberInput::Tests(_) => self.tests_passed(facts)?.passed_share(),
            NumberInput::Counted(formula) => formula(&facts.turn_counts()),
            NumberInput::Spent(formula) => formula(&facts.turn_usage()),
            NumberInput::Process(formula) => formula(&facts.process_numbers()?),
            NumberInput::RubricTree(_) | NumberInput::Raters | NumberInput::Runs => None,
        }
    }

    /// Returns the value for one state of the code; None for numbers with another input.
    pub fn value_of_code(self, snapshot: &QualitySnapshot) -> Option<f64> {
        let NumberInput::Code(formula) = self.row().input else { return None };
        Some(formula(snapshot))
    }

    /// Returns the passed and all tests, for a number about tests; None for other numbers.
    pub fn tests_passed(self, facts: &dyn MomentFacts) -> Option<PassCount> {
        let NumberInput::Tests(formula) = self.row().input else { return None };
        formula(&facts.test_results()?)
    }

    /// Returns whether the number is computed from the code, so that the code has to be measured first.
    pub fn is_measured(self) -> bool {
        matches!(self.row().input, NumberInput::Code(_) | NumberInput::Reuse(_))
    }

    /// Returns whether the number is about the process of the run.
    pub fn is_of_process(self) -> bool {
        matches!(self.row().input, NumberInput::Process(_))
    }

    /// Returns whether the value depends on the profile and the rules.
    pub fn is_of_profile(self) -> bool {
        matches!(self.row().input, NumberInput::Code(_))
    }

    /// Returns the highest possible value, where an axis should reach it.
    pub fn axis_maximum(self) -> Option<f64> {
        (self.row().form == NumberForm::Score).then_some(f64::from(FULL_SCORE))
    }

    /// Returns whether the number is computed from a judge's scores of components.
    pub fn is_of_judgement(self) -> bool {
        matches!(self.row().input, NumberInput::Judgement(_))
    }

    /// Returns the value as people read it.
    pub fn format_value(self, value: f64, style: NumberStyle) -> String {
        self.row().form.format_value(value, style)
    }

    /// Returns a difference with its sign; `0` where it rounds to nothing.
    pub fn format_difference(self, by: f64) -> String {
        self.format_change(by, NumberStyle::Full).unwrap_or_else(|| "0".into())
    }

    /// Returns a difference with its sign; None where it rounds to nothing.
    pub fn format_change(self, by: f64, style: NumberStyle) -> Option<String> {
        let words = self.format_value(by.abs(), style);
        let sign = if by < 0.0 { '−' } else { '+' };
        (words != self.format_value(0.0, style)).then(|| format!("{sign}{words}"))
    }
}
