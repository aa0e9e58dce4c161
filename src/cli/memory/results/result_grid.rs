//! A table of results: rows by systems, the means that are stated of it, and whether they add up.

use serde_json::Value;

use crate::cli::output::{OutputTable, cell_or_dash};

/// The most rows and systems of a grid; no benchmark has as many.
const MOST_ROWS: usize = 5_000;
const MOST_SYSTEMS: usize = 100;

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundedNumber {
    pub value: f64,
    /// Digits behind the point, as far as they show how it was rounded.
    pub decimals: u32,
}

/// Digits behind the point that are more than any rounding.
const MOST_DECIMALS: u32 = 6;

/// A mean that a file states of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedMean {
    pub system: usize,
    pub figure: RoundedNumber,
    /// The number of rows it is over, where that is stated.
    pub over: Option<usize>,
    /// The name in the file.
    pub called: String,
}

/// A difference between two systems that a file states.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedGain {
    pub row: String,
    pub figure: RoundedNumber,
    pub value: RoundedNumber,
    pub baseline: RoundedNumber,
}

/// A table of results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultGrid {
    pub name: String,
    /// The kind of the rows: a paper, a dimension.
    pub row: String,
    pub systems: Vec<String>,
    /// A name, and a value for each system.
    pub rows: Vec<(String, Vec<Option<RoundedNumber>>)>,
    /// The least and the highest value there is.
    pub range: Option<(f64, f64)>,
    /// True if the rows are of one kind, so that their mean has a meaning.
    pub has_means: bool,
    /// True if it has all its columns, as a table of a report has, so that no other table is joined to it.
    pub is_whole: bool,
    pub stated: Vec<StatedMean>,
    pub gains: Vec<StatedGain>,
}

impl RoundedNumber {
    /// Parses a JSON value; None for what is no number.
    pub fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Self::from_text(&number.to_string()),
            Value::String(words) => Self::from_text(words),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Parses text such as `**66.05%**`, `+30.21`, `-4.47`.
    pub fn from_text(words: &str) -> Option<Self> {
        let words = words.trim_matches(|it: char| it == '*' || it.is_whitespace());
        let words = words.trim_end_matches("pp").trim_end_matches(['%', ' ']);
        let words = words.trim_start_matches(['+', '~']).replace('−', "-");
        let value: f64 = words.parse().ok().filter(|it: &f64| it.is_finite())?;
        let decimals = words.split_once('.').map_or(0, |(_, digits)| digits.len() as u32);
        Some(Self { value, decimals: decimals.min(MOST_DECIMALS) })
    }

    /// Returns whether both may be one number, rounded.
    fn is_same(self, other: Self) -> bool {
        (self.value - other.value).abs() <= self.half_unit() + other.half_unit()
    }

    /// Returns the most by which rounding moves it.
    fn half_unit(self) -> f64 {
        0.51 * 10f64.powi(-(self.decimals as i32))
    }
}

/// Returns the mean. None without values.
pub fn mean_of(figures: &[RoundedNumber]) -> Option<f64> {
    let sum: f64 = figures.iter().map(|it| it.value).sum();
    (!figures.is_empty()).then(|| sum / figures.len() as f64)
}

/// Returns half of the coarsest rounding of the parts.
fn coarsest_half_unit(figures: &[RoundedNumber]) -> f64 {
    figures.iter().map(|it| it.half_unit()).fold(0.0, f64::max)
}

fn two_decimals(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

impl ResultGrid {
    pub fn new(name: &str, row: &str) -> Self {
        Self { name: name.into(), row: row.into(), has_means: true, ..Self::default() }
    }

    /// Puts a value where it belongs; what is too much is left out. The error is what is there already.
    pub(crate) fn put_value(
        &mut self,
        row: &str,
        system: &str,
        figure: RoundedNumber,
    ) -> Result<(), RoundedNumber> {
        let has_row = self.rows.iter().any(|(name, _)| name == row);
        let has_system = self.systems.iter().any(|it| it == system);
        let is_full = (!has_row && self.rows.len() >= MOST_ROWS)
            || (!has_system && self.systems.len() >= MOST_SYSTEMS);
        if is_full {
            return Ok(());
        }
        let column = self.column_of_system(system);
        let at = self.rows.iter().position(|(name, _)| name == row).unwrap_or_else(|| {
            self.rows.push((row.into(), vec![None; self.systems.len()]));
            self.rows.len() - 1
        });
        match self.rows[at].1[column].replace(figure) {
            Some(before) => Err(before),
            None => Ok(()),
        }
    }

    /// Returns the index of the column of a system, which is added where there is none.
    pub(crate) fn column_of_system(&mut self, name: &str) -> usize {
        if let Some(at) = self.systems.iter().position(|it| it == name) {
            return at;
        }
        self.systems.push(name.into());
        self.rows.iter_mut().for_each(|(_, values)| values.push(None));
        self.systems.len() - 1
    }

    /// Returns whether the columns of another table may be joined: it has the same rows on the same scale.
    pub(crate) fn can_join(&self, other: &Self) -> bool {
        let is_one =
            (&self.name, &self.row, self.has_means) == (&other.name, &other.row, other.has_means);
        is_one && !self.is_whole && !other.is_whole && self.value_range() == other.value_range()
    }

    /// Returns the least and the highest possible value; where no range is stated, shares of one are recognised by
    /// their values.
    fn value_range(&self) -> Option<(f64, f64)> {
        let values = || self.cells().map(|(_, _, it)| it.value);
        let are_shares =
            values().all(|it| (0.0..=1.0).contains(&it)) && values().any(|it| it > 0.0 && it < 1.0);
        self.range.or(are_shares.then_some((0.0, 1.0)))
    }

    /// Names the scale, which distinguishes the table from another one of its name.
    pub fn scale_text(&self) -> Option<String> {
        self.value_range().map(|(least, most)| format!("{least} to {most}"))
    }

    /// Takes the columns of another table that [can be joined](Self::can_join). A system that has other values in it has a column of its
    /// own, called after the file.
    pub(crate) fn join_columns(&mut self, other: Self, file: &str) {
        let mut columns = vec![];
        for (at, system) in other.systems.iter().enumerate() {
            let differs = other.rows.iter().any(|(row, values)| {
                values[at].is_some_and(|it| {
                    self.value_at(row, system).is_some_and(|own| !own.is_same(it))
                })
            });
            let name = if differs { format!("{system} ({file})") } else { system.clone() };
            columns.push(self.column_of_system(&name));
        }
        for (row, values) in other.rows {
            for (column, figure) in columns.iter().zip(values) {
                if let Some(figure) = figure {
                    let system = self.systems[*column].clone();
                    let _ = self.put_value(&row, &system, figure); // what is there already is the same
                }
            }
        }
        let stated = other.stated.into_iter();
        self.stated.extend(stated.map(|it| StatedMean { system: columns[it.system], ..it }));
        self.gains.extend(other.gains);
    }

    fn value_at(&self, row: &str, system: &str) -> Option<RoundedNumber> {
        let column = self.systems.iter().position(|it| it == system)?;
        self.rows.iter().find(|(name, _)| name == row)?.1[column]
    }

    /// Returns the values of a system.
    pub(crate) fn values_of(&self, system: usize) -> Vec<RoundedNumber> {
        self.rows.iter().filter_map(|(_, values)| values[system]).collect()
    }

    /// Returns the values of a system in the rows that every system has.
    pub(crate) fn shared_values_of(&self, system: usize) -> Vec<RoundedNumber> {
        let full_rows = self.rows.iter().filter(|(_, values)| values.iter().all(Option::is_some));
        full_rows.filter_map(|(_, values)| values[system]).collect()
    }

    /// Returns row, system and value of each cell.
    pub fn cells(&self) -> impl Iterator<Item = (&str, &str, RoundedNumber)> {
        self.rows.iter().flat_map(|(row, values)| {
            let cells = self.systems.iter().zip(values);
            cells.filter_map(move |(system, figure)| {
                Some((row.as_str(), system.as_str(), (*figure)?))
            })
        })
    }

    /// Lists inconsistencies as sentences.
    pub(crate) fn inconsistencies(&self) -> Vec<String> {
        let mut trouble = self.out_of_range();
        trouble.extend(self.stated.iter().filter_map(|stated| self.misstated_mean(stated)));
        trouble.extend(self.gains.iter().filter_map(StatedGain::inconsistency));
        trouble.extend(self.uneven_rows_note());
        let name = &self.name;
        trouble.into_iter().map(|what| format!("{name}: {what}")).collect()
    }

    fn out_of_range(&self) -> Vec<String> {
        let Some((least, most)) = self.range else { return vec![] };
        let outside = self.cells().filter(|(_, _, it)| !(least..=most).contains(&it.value));
        outside
            .map(|(row, system, it)| {
                let value = two_decimals(it.value);
                format!("{system}, {row}: {value} lies outside of {least} to {most}")
            })
            .collect()
    }

    fn misstated_mean(&self, stated: &StatedMean) -> Option<String> {
        let (values, shared) =
            (self.values_of(stated.system), self.shared_values_of(stated.system));
        let (system, called) = (&self.systems[stated.system], &stated.called);
        let is_count = |count: usize| stated.over.is_none_or(|over| over == count);
        let sets: Vec<&Vec<RoundedNumber>> = [&values, &shared]
            .into_iter()
            .filter(|it| is_count(it.len()) && !it.is_empty())
            .collect();
        if let (Some(over), true) = (stated.over, sets.is_empty()) {
            return Some(format!(
                "{called} of {system} states {over} rows; there are {}",
                values.len()
            ));
        }
        let is_it = |set: &&Vec<RoundedNumber>| {
            let limit = stated.figure.half_unit() + coarsest_half_unit(set);
            mean_of(set).is_some_and(|mean| (mean - stated.figure.value).abs() <= limit)
        };
        if sets.is_empty() || sets.iter().any(is_it) {
            return None;
        }
        let ours = mean_of(sets[0]).unwrap_or_default();
        let (stated, n) = (two_decimals(stated.figure.value), sets[0].len());
        Some(format!(
            "{called} of {system} is stated as {stated}; the mean of its {n} rows is {}",
            two_decimals(ours)
        ))
    }

    /// Returns a note about systems with means over different rows; None where there are none.
    fn uneven_rows_note(&self) -> Option<String> {
        let counts: Vec<usize> =
            (0..self.systems.len()).map(|at| self.values_of(at).len()).collect();
        let n = self.shared_values_of(0).len();
        if !self.has_means || counts.iter().all(|it| *it == counts[0]) || n == 0 {
            return None;
        }
        let each = self.systems.iter().zip(&counts).map(|(name, n)| format!("{name} {n}"));
        let means = (0..self.systems.len()).filter_map(|at| mean_of(&self.shared_values_of(at)));
        let means: Vec<String> = means.map(two_decimals).collect();
        Some(format!(
            "the systems have different rows ({}), so their means are not comparable; over the {n} that all \
             have they are {}",
            each.collect::<Vec<_>>().join(", "),
            means.join(", ")
        ))
    }

    /// Makes the table, with a row of means and a column of how far the first system is above the best of the others.
    pub fn to_table(&self) -> OutputTable {
        let heads = self.systems.iter().map(|it| format!(">{it}"));
        let above = (self.systems.len() > 1).then(|| ">above the best other".to_owned());
        let mut table = OutputTable::with_heads(
            std::iter::once(self.row.clone()).chain(heads).chain(above).collect(),
        );
        for (name, values) in &self.rows {
            let values: Vec<Option<f64>> = values.iter().map(|it| it.map(|it| it.value)).collect();
            table.add_row(row_cells(name, &values));
        }
        let systems = 0..self.systems.len();
        if self.has_means && self.rows.len() > 1 {
            let means: Vec<_> = systems.clone().map(|at| mean_of(&self.values_of(at))).collect();
            table.add_row(row_cells("mean", &means));
            let shared: Vec<_> =
                systems.clone().map(|at| mean_of(&self.shared_values_of(at))).collect();
            if shared != means && shared.iter().all(Option::is_some) {
                let n = self.shared_values_of(0).len();
                table.add_row(row_cells(&format!("mean of the {n} that all have"), &shared));
            }
        }
        if !self.stated.is_empty() {
            let stated = |at: usize| self.stated.iter().find(|it| it.system == at);
            let stated: Vec<_> = systems.map(|at| Some(stated(at)?.figure.value)).collect();
            table.add_row(row_cells("as stated", &stated));
        }
        table
    }
}

fn row_cells(name: &str, values: &[Option<f64>]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(values.iter().map(|it| cell_or_dash(it.map(two_decimals))));
    if let Some((first, others)) = values.split_first().filter(|(_, others)| !others.is_empty()) {
        let best = others.iter().flatten().copied().reduce(f64::max);
        cells.push(cell_or_dash(first.zip(best).map(|(first, best)| two_decimals(first - best))));
    }
    cells
}

impl StatedGain {
    fn inconsistency(&self) -> Option<String> {
        let ours = self.value.value - self.baseline.value;
        let limit = self.figure.half_unit() + self.value.half_unit() + self.baseline.half_unit();
        let is_it = (ours - self.figure.value).abs() <= limit;
        (!is_it).then(|| {
            let [stated, of, over, ours] =
                [self.figure.value, self.value.value, self.baseline.value, ours].map(two_decimals);
            format!("{}: states a difference of {stated}; {of} minus {over} is {ours}", self.row)
        })
    }
}
