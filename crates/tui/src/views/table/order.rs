//! Selects the listed rows, their order and their groups.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use crate::session::columns::{ColumnKind, RunTableColumn};

use super::{row::RunRow, values::KnownValue};

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableLine {
    Group(RunGroup),
    /// Index into the rows.
    Run(usize),
}

/// The runs that have the same words in one column.
#[derive(Debug, Clone, PartialEq)]
pub struct RunGroup {
    pub key: GroupKey,
    /// The listed runs of the group, folded or not.
    pub rows: Vec<usize>,
    pub is_folded: bool,
}

/// The common value of the runs of a group. Runs without a value come last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKey {
    Words(String),
    NotRecorded,
    Coming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnSort {
    pub column: RunTableColumn,
    pub direction: SortDirection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortDirection {
    Up,
    Down,
}

impl SortDirection {
    pub(crate) const fn other_direction(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

impl fmt::Display for ColumnSort {
    /// Writes `erosion`, or `-erosion` with the largest first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.direction {
            SortDirection::Up => "",
            SortDirection::Down => "-",
        };
        write!(f, "{sign}{}", self.column.column_info().word)
    }
}

impl FromStr for ColumnSort {
    /// A sentence.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (direction, word) = match text.strip_prefix('-') {
            Some(word) => (SortDirection::Down, word),
            None => (SortDirection::Up, text),
        };
        let column = RunTableColumn::by_word(word);
        let column =
            column.ok_or_else(|| format!("no column {word:?}: {}", RunTableColumn::all_words()))?;
        Ok(Self { column, direction })
    }
}

/// The options for building the lines.
pub struct LineOptions<'a> {
    /// For each row whether it is listed.
    pub is_taken: &'a [bool],
    pub sort: Option<ColumnSort>,
    pub group: Option<RunTableColumn>,
    pub folded: &'a BTreeSet<GroupKey>,
}

pub(crate) fn ordered_lines(rows: &[RunRow], wish: &LineOptions<'_>) -> Vec<TableLine> {
    let listed = wish.is_taken.iter().zip(0..rows.len()).filter(|(is_taken, _)| **is_taken);
    let mut taken: Vec<usize> = listed.map(|(_, at)| at).collect();
    if let Some(sort) = wish.sort {
        sort_by(&mut taken, rows, sort);
    }
    let Some(column) = wish.group else { return taken.into_iter().map(TableLine::Run).collect() };
    let mut lines = vec![];
    for (key, members) in grouped_rows(&taken, rows, column) {
        let is_folded = wish.folded.contains(&key);
        lines.push(TableLine::Group(RunGroup { key, rows: members.clone(), is_folded }));
        if !is_folded {
            lines.extend(members.into_iter().map(TableLine::Run));
        }
    }
    lines
}

/// Returns the groups in the order of their keys, projects in the order of their first run. Within a group the order is
/// unchanged.
fn grouped_rows(
    taken: &[usize],
    rows: &[RunRow],
    column: RunTableColumn,
) -> Vec<(GroupKey, Vec<usize>)> {
    let mut groups: BTreeMap<GroupKey, Vec<usize>> = BTreeMap::new();
    for &at in taken {
        let key = match rows[at].column_words(column) {
            KnownValue::Known(words) => GroupKey::Words(words.into_owned()),
            KnownValue::Missing => GroupKey::NotRecorded,
            KnownValue::Coming => GroupKey::Coming,
        };
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    if column.is_of_sessions() {
        let place: BTreeMap<usize, usize> = taken.iter().copied().zip(0..).collect();
        let first = |members: &[usize]| members.first().and_then(|at| place.get(at)).copied();
        groups.sort_by_key(|(key, members)| (!matches!(key, GroupKey::Words(_)), first(members)));
    }
    groups
}

/// Sorts rows by a column. Rows without a known value come last in both directions, and equal rows keep their order.
fn sort_by(taken: &mut [usize], rows: &[RunRow], sort: ColumnSort) {
    match sort.column.column_kind() {
        ColumnKind::Number => {
            let number = |row: &RunRow| row.column_number(sort.column).known_value();
            sort_by_key(taken, rows, sort.direction, number, f64::total_cmp);
        }
        ColumnKind::Words => {
            let words = |row: &RunRow| {
                row.column_words(sort.column).known_value().map(|words| words.to_lowercase())
            };
            sort_by_key(taken, rows, sort.direction, words, Ord::cmp);
        }
    }
}

/// Sorts rows by a key that is computed once for each row.
fn sort_by_key<T>(
    taken: &mut [usize],
    rows: &[RunRow],
    direction: SortDirection,
    key: impl Fn(&RunRow) -> Option<T>,
    order: impl Fn(&T, &T) -> Ordering,
) {
    let turned = |a: &T, b: &T| match direction {
        SortDirection::Up => order(a, b),
        SortDirection::Down => order(b, a),
    };
    let mut keyed: Vec<(Option<T>, usize)> =
        taken.iter().map(|at| (key(&rows[*at]), *at)).collect();
    keyed.sort_by(|a, b| last_if_none(a.0.as_ref(), b.0.as_ref(), |a, b| turned(a, b)));
    for (place, (_, at)) in taken.iter_mut().zip(keyed) {
        *place = at;
    }
}

fn last_if_none<T>(a: Option<T>, b: Option<T>, order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => order(&a, &b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::columns::CardColumn;
    use crate::views::table::{filter::RunRowFilter, row::RunReading};
    use trajview_metrics::Number;
    use trajview_run::{RunCard, run_card::CardIdentity};

    fn rows() -> Vec<RunRow> {
        let run = |name: &str, condition: Option<&str>, tokens: Option<u64>| {
            let mut row = RunRow::unread_row(name.into(), name.into());
            let condition = condition.map(str::to_owned);
            row.reading = RunReading::Whole(Box::new(RunCard {
                identity: CardIdentity { condition, ..CardIdentity::default() },
                tokens,
                ..RunCard::default()
            }));
            row
        };
        vec![
            run("a", Some("single-shot"), Some(5)),
            run("b", None, None),
            run("c", Some("emergent"), Some(9)),
            run("d", Some("single-shot"), Some(7)),
        ]
    }

    fn listed(wish: &LineOptions<'_>) -> String {
        let rows = rows();
        let line = |line: TableLine| match line {
            TableLine::Run(at) => rows[at].name.clone(),
            TableLine::Group(group) => format!("{:?}({})", group.key, group.rows.len()),
        };
        ordered_lines(&rows, wish).into_iter().map(line).collect::<Vec<_>>().join(" ")
    }

    const ALL: [bool; 4] = [true; 4];

    fn wish<'a>(taken: &'a [bool], folded: &'a BTreeSet<GroupKey>) -> LineOptions<'a> {
        LineOptions { is_taken: taken, sort: None, group: None, folded }
    }

    #[test]
    fn what_is_not_recorded_is_last_both_ways() {
        let folded = BTreeSet::new();
        let sorted = |column, direction| {
            listed(&LineOptions {
                sort: Some(ColumnSort { column, direction }),
                ..wish(&ALL, &folded)
            })
        };
        assert_eq!(sorted(RunTableColumn::Number(Number::Tokens), SortDirection::Up), "a d c b");
        assert_eq!(sorted(RunTableColumn::Number(Number::Tokens), SortDirection::Down), "c d a b");
        assert_eq!(
            sorted(RunTableColumn::Card(CardColumn::Condition), SortDirection::Up),
            "c a d b"
        );
    }

    #[test]
    fn groups_hold_their_runs_and_fold() {
        let folded = BTreeSet::from([GroupKey::Words("single-shot".into())]);
        let grouped = LineOptions {
            group: Some(RunTableColumn::Card(CardColumn::Condition)),
            ..wish(&ALL, &folded)
        };
        let words = r#"Words("emergent")(1) c Words("single-shot")(2) NotRecorded(1) b"#;
        assert_eq!(listed(&grouped), words);
    }

    #[test]
    fn a_filter_leaves_rows_out() {
        let (filter, folded) = (RunRowFilter::parse_filter("tokens>5").unwrap(), BTreeSet::new());
        let taken: Vec<bool> = rows().iter().map(|row| filter.takes_row(row)).collect();
        assert_eq!(listed(&wish(&taken, &folded)), "c d");
    }
}
