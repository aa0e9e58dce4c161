//! A table of results: rows by systems, the means that are stated of it, and whether they add up.

use serde_json::Value;

use crate::cli::output::{Table, dash};

/// Rows and systems that are kept; no benchmark has as many.
const MOST_ROWS: usize = 5_000;
const MOST_SYSTEMS: usize = 100;

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub value: f64,
    /// Digits behind the point, as far as they say how it was rounded.
    pub decimals: u32,
}

/// Digits behind the point that are more than any rounding.
const MOST_DECIMALS: u32 = 6;

/// A mean that a file states of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    pub system: usize,
    pub figure: Figure,
    /// Over how many rows, where that is stated.
    pub over: Option<usize>,
    /// What the file calls it.
    pub called: String,
}

/// A difference between two systems that a file states.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    pub row: String,
    pub figure: Figure,
    pub of: Figure,
    pub over: Figure,
}

/// A table of results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    pub name: String,
    /// What a row is: a paper, a dimension.
    pub row: String,
    pub systems: Vec<String>,
    /// A name, and a value for each system.
    pub rows: Vec<(String, Vec<Option<Figure>>)>,
    /// The least and the highest value there is.
    pub range: Option<(f64, f64)>,
    /// Whether the rows are of one kind, so that their mean says something.
    pub has_means: bool,
    /// Whether it has all its columns, so that no other table is set beside it: a table of a report.
    pub is_whole: bool,
    pub stated: Vec<Stated>,
    pub gains: Vec<Gain>,
}

impl Figure {
    /// Of JSON; None for what is no number.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Self::read(&number.to_string()),
            Value::String(words) => Self::read(words),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Of words such as `**66.05%**`, `+30.21`, `-4.47`.
    pub fn read(words: &str) -> Option<Self> {
        let words = words.trim_matches(|it: char| it == '*' || it.is_whitespace());
        let words = words.trim_end_matches("pp").trim_end_matches(['%', ' ']);
        let words = words.trim_start_matches(['+', '~']).replace('−', "-");
        let value: f64 = words.parse().ok().filter(|it: &f64| it.is_finite())?;
        let decimals = words.split_once('.').map_or(0, |(_, digits)| digits.len() as u32);
        Some(Self { value, decimals: decimals.min(MOST_DECIMALS) })
    }

    /// Whether both may be one number, rounded.
    fn is_same(self, other: Self) -> bool {
        (self.value - other.value).abs() <= self.half() + other.half()
    }

    /// The most by which rounding moves it.
    fn half(self) -> f64 {
        0.51 * 10f64.powi(-(self.decimals as i32))
    }
}

/// None of nothing.
pub fn mean(figures: &[Figure]) -> Option<f64> {
    let sum: f64 = figures.iter().map(|it| it.value).sum();
    (!figures.is_empty()).then(|| sum / figures.len() as f64)
}

/// Half of the coarsest rounding of the parts.
fn rounding(figures: &[Figure]) -> f64 {
    figures.iter().map(|it| it.half()).fold(0.0, f64::max)
}

fn written(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

impl Grid {
    pub fn new(name: &str, row: &str) -> Self {
        Self { name: name.into(), row: row.into(), has_means: true, ..Self::default() }
    }

    /// Puts a value where it belongs; what is too much is left out. The error is what is there already.
    pub fn put(&mut self, row: &str, system: &str, figure: Figure) -> Result<(), Figure> {
        let has_row = self.rows.iter().any(|(name, _)| name == row);
        let has_system = self.systems.iter().any(|it| it == system);
        let is_full = (!has_row && self.rows.len() >= MOST_ROWS)
            || (!has_system && self.systems.len() >= MOST_SYSTEMS);
        if is_full {
            return Ok(());
        }
        let column = self.system(system);
        let at = self.rows.iter().position(|(name, _)| name == row).unwrap_or_else(|| {
            self.rows.push((row.into(), vec![None; self.systems.len()]));
            self.rows.len() - 1
        });
        match self.rows[at].1[column].replace(figure) {
            Some(before) => Err(before),
            None => Ok(()),
        }
    }

    /// The column of a system, made where there is none.
    pub fn system(&mut self, name: &str) -> usize {
        if let Some(at) = self.systems.iter().position(|it| it == name) {
            return at;
        }
        self.systems.push(name.into());
        self.rows.iter_mut().for_each(|(_, values)| values.push(None));
        self.systems.len() - 1
    }

    /// Whether the columns of another table may be set beside its own: the same rows on the same scale.
    pub fn fits(&self, other: &Self) -> bool {
        let is_one =
            (&self.name, &self.row, self.has_means) == (&other.name, &other.row, other.has_means);
        is_one && !self.is_whole && !other.is_whole && self.scale() == other.scale()
    }

    /// The least and the highest value there is, where it is not stated from the values: shares of one are told from all
    /// others.
    fn scale(&self) -> Option<(f64, f64)> {
        let values = || self.cells().map(|(_, _, it)| it.value);
        let are_shares =
            values().all(|it| (0.0..=1.0).contains(&it)) && values().any(|it| it > 0.0 && it < 1.0);
        self.range.or(are_shares.then_some((0.0, 1.0)))
    }

    /// What tells it from another table of its name: its scale.
    pub fn scaled(&self) -> Option<String> {
        self.scale().map(|(least, most)| format!("{least} to {most}"))
    }

    /// Takes the columns of another table that [fits](Self::fits). A system that has other values in it has a column of its
    /// own, called after the file.
    pub fn join(&mut self, other: Self, file: &str) {
        let mut columns = vec![];
        for (at, system) in other.systems.iter().enumerate() {
            let differs = other.rows.iter().any(|(row, values)| {
                values[at]
                    .is_some_and(|it| self.value(row, system).is_some_and(|own| !own.is_same(it)))
            });
            let name = if differs { format!("{system} ({file})") } else { system.clone() };
            columns.push(self.system(&name));
        }
        for (row, values) in other.rows {
            for (column, figure) in columns.iter().zip(values) {
                if let Some(figure) = figure {
                    let system = self.systems[*column].clone();
                    let _ = self.put(&row, &system, figure); // what is there already is the same
                }
            }
        }
        let stated = other.stated.into_iter();
        self.stated.extend(stated.map(|it| Stated { system: columns[it.system], ..it }));
        self.gains.extend(other.gains);
    }

    fn value(&self, row: &str, system: &str) -> Option<Figure> {
        let column = self.systems.iter().position(|it| it == system)?;
        self.rows.iter().find(|(name, _)| name == row)?.1[column]
    }

    /// The values of a system.
    pub fn own(&self, system: usize) -> Vec<Figure> {
        self.rows.iter().filter_map(|(_, values)| values[system]).collect()
    }

    /// Its values in the rows that every system has.
    pub fn shared(&self, system: usize) -> Vec<Figure> {
        let whole = self.rows.iter().filter(|(_, values)| values.iter().all(Option::is_some));
        whole.filter_map(|(_, values)| values[system]).collect()
    }

    /// Row, system and value.
    pub fn cells(&self) -> impl Iterator<Item = (&str, &str, Figure)> {
        self.rows.iter().flat_map(|(row, values)| {
            let cells = self.systems.iter().zip(values);
            cells.filter_map(move |(system, figure)| {
                Some((row.as_str(), system.as_str(), (*figure)?))
            })
        })
    }

    /// What does not add up, in sentences.
    pub fn trouble(&self) -> Vec<String> {
        let mut trouble = self.out_of_range();
        trouble.extend(self.stated.iter().filter_map(|stated| self.misstated(stated)));
        trouble.extend(self.gains.iter().filter_map(Gain::trouble));
        trouble.extend(self.uneven());
        let name = &self.name;
        trouble.into_iter().map(|what| format!("{name}: {what}")).collect()
    }

    fn out_of_range(&self) -> Vec<String> {
        let Some((least, most)) = self.range else { return vec![] };
        let outside = self.cells().filter(|(_, _, it)| !(least..=most).contains(&it.value));
        outside
            .map(|(row, system, it)| {
                let value = written(it.value);
                format!("{system}, {row}: {value} lies outside of {least} to {most}")
            })
            .collect()
    }

    fn misstated(&self, stated: &Stated) -> Option<String> {
        let (own, shared) = (self.own(stated.system), self.shared(stated.system));
        let (system, called) = (&self.systems[stated.system], &stated.called);
        let is_count = |count: usize| stated.over.is_none_or(|over| over == count);
        let sets: Vec<&Vec<Figure>> =
            [&own, &shared].into_iter().filter(|it| is_count(it.len()) && !it.is_empty()).collect();
        if let (Some(over), true) = (stated.over, sets.is_empty()) {
            return Some(format!(
                "{called} of {system} is said to be over {over} rows; there are {}",
                own.len()
            ));
        }
        let is_it = |set: &&Vec<Figure>| {
            let limit = stated.figure.half() + rounding(set);
            mean(set).is_some_and(|mean| (mean - stated.figure.value).abs() <= limit)
        };
        if sets.is_empty() || sets.iter().any(is_it) {
            return None;
        }
        let ours = mean(sets[0]).unwrap_or_default();
        let (stated, n) = (written(stated.figure.value), sets[0].len());
        Some(format!(
            "{called} of {system} is stated as {stated}; the mean of its {n} rows is {}",
            written(ours)
        ))
    }

    /// Systems with means over different rows.
    fn uneven(&self) -> Option<String> {
        let counts: Vec<usize> = (0..self.systems.len()).map(|at| self.own(at).len()).collect();
        let n = self.shared(0).len();
        if !self.has_means || counts.iter().all(|it| *it == counts[0]) || n == 0 {
            return None;
        }
        let each = self.systems.iter().zip(&counts).map(|(name, n)| format!("{name} {n}"));
        let means = (0..self.systems.len()).filter_map(|at| mean(&self.shared(at)));
        let means: Vec<String> = means.map(written).collect();
        Some(format!(
            "the systems have different rows ({}), so their means may not be set beside each other; over the {n} that all \
             have they are {}",
            each.collect::<Vec<_>>().join(", "),
            means.join(", ")
        ))
    }

    /// With a row of means and how far the first system is above the best of the others.
    pub fn table(&self) -> Table {
        let heads = self.systems.iter().map(|it| format!(">{it}"));
        let above = (self.systems.len() > 1).then(|| ">above the best other".to_owned());
        let mut table =
            Table::headed(std::iter::once(self.row.clone()).chain(heads).chain(above).collect());
        for (name, values) in &self.rows {
            let values: Vec<Option<f64>> = values.iter().map(|it| it.map(|it| it.value)).collect();
            table.row(cells(name, &values));
        }
        let systems = 0..self.systems.len();
        if self.has_means && self.rows.len() > 1 {
            let means: Vec<_> = systems.clone().map(|at| mean(&self.own(at))).collect();
            table.row(cells("mean", &means));
            let shared: Vec<_> = systems.clone().map(|at| mean(&self.shared(at))).collect();
            if shared != means && shared.iter().all(Option::is_some) {
                let n = self.shared(0).len();
                table.row(cells(&format!("mean of the {n} that all have"), &shared));
            }
        }
        if !self.stated.is_empty() {
            let stated = |at: usize| self.stated.iter().find(|it| it.system == at);
            let stated: Vec<_> = systems.map(|at| Some(stated(at)?.figure.value)).collect();
            table.row(cells("as stated", &stated));
        }
        table
    }
}

fn cells(name: &str, values: &[Option<f64>]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(values.iter().map(|it| dash(it.map(written))));
    if let Some((first, others)) = values.split_first().filter(|(_, others)| !others.is_empty()) {
        let best = others.iter().flatten().copied().reduce(f64::max);
        cells.push(dash(first.zip(best).map(|(first, best)| written(first - best))));
    }
    cells
}

impl Gain {
    fn trouble(&self) -> Option<String> {
        let ours = self.of.value - self.over.value;
        let limit = self.figure.half() + self.of.half() + self.over.half();
        let is_it = (ours - self.figure.value).abs() <= limit;
        (!is_it).then(|| {
            let [stated, of, over, ours] =
                [self.figure.value, self.of.value, self.over.value, ours].map(written);
            format!("{}: a difference of {stated} is stated; {of} less {over} is {ours}", self.row)
        })
    }
}
