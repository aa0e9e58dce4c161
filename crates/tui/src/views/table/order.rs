//! Which rows are listed, in which order, under which groups.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use crate::session::columns::{Column, Kind};

use super::{row::Row, values::Known};

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Group(Group),
    /// Index into the rows.
    Run(usize),
}

/// The runs that have the same words in one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub key: Key,
    /// Those of them that are listed, folded or not.
    pub rows: Vec<usize>,
    pub is_folded: bool,
}

/// What the runs of a group have in common. Those without come last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Words(String),
    NotRecorded,
    Coming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub column: Column,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
}

impl Direction {
    pub const fn other(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

impl fmt::Display for Sort {
    /// `erosion`, or `-erosion` with the largest first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.direction {
            Direction::Up => "",
            Direction::Down => "-",
        };
        write!(f, "{sign}{}", self.column.about().word)
    }
}

impl FromStr for Sort {
    /// A sentence.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (direction, word) = match text.strip_prefix('-') {
            Some(word) => (Direction::Down, word),
            None => (Direction::Up, text),
        };
        let column = Column::by_word(word);
        let column = column.ok_or_else(|| format!("no column {word:?}: {}", Column::words()))?;
        Ok(Self { column, direction })
    }
}

/// How the table is wanted.
pub struct LineOptions<'a> {
    /// Whether each of the rows is listed, in their order.
    pub taken: &'a [bool],
    pub sort: Option<Sort>,
    pub group: Option<Column>,
    pub folded: &'a BTreeSet<Key>,
}

pub fn lines(rows: &[Row], wish: &LineOptions<'_>) -> Vec<Line> {
    let listed = wish.taken.iter().zip(0..rows.len()).filter(|(is_taken, _)| **is_taken);
    let mut taken: Vec<usize> = listed.map(|(_, at)| at).collect();
    if let Some(sort) = wish.sort {
        sort_by(&mut taken, rows, sort);
    }
    let Some(column) = wish.group else { return taken.into_iter().map(Line::Run).collect() };
    let mut lines = vec![];
    for (key, members) in groups(&taken, rows, column) {
        let is_folded = wish.folded.contains(&key);
        lines.push(Line::Group(Group { key, rows: members.clone(), is_folded }));
        if !is_folded {
            lines.extend(members.into_iter().map(Line::Run));
        }
    }
    lines
}

/// In the order of their keys, projects in the order of their first run; within a group the order stays.
fn groups(taken: &[usize], rows: &[Row], column: Column) -> Vec<(Key, Vec<usize>)> {
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for &at in taken {
        let key = match rows[at].words(column) {
            Known::Known(words) => Key::Words(words.to_owned()),
            Known::Missing => Key::NotRecorded,
            Known::Coming => Key::Coming,
        };
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    if matches!(column, Column::Session(_)) {
        let place: BTreeMap<usize, usize> = taken.iter().copied().zip(0..).collect();
        let first = |members: &[usize]| members.first().and_then(|at| place.get(at)).copied();
        groups.sort_by_key(|(key, members)| (!matches!(key, Key::Words(_)), first(members)));
    }
    groups
}

/// What is not known stands last, whichever way; equals stay in their order.
fn sort_by(taken: &mut [usize], rows: &[Row], sort: Sort) {
    match sort.column.kind() {
        Kind::Number => {
            let number = |row: &Row| row.number(sort.column).known();
            sort_by_key(taken, rows, sort.direction, number, f64::total_cmp);
        }
        Kind::Words => {
            let words = |row: &Row| row.words(sort.column).known().map(str::to_lowercase);
            sort_by_key(taken, rows, sort.direction, words, Ord::cmp);
        }
    }
}

/// By a key that is worked out once for each row.
fn sort_by_key<T>(
    taken: &mut [usize],
    rows: &[Row],
    direction: Direction,
    key: impl Fn(&Row) -> Option<T>,
    order: impl Fn(&T, &T) -> Ordering,
) {
    let turned = |a: &T, b: &T| match direction {
        Direction::Up => order(a, b),
        Direction::Down => order(b, a),
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
    use crate::views::table::{filter::Filter, row::Reading};
    use trajview_metrics::Number;
    use trajview_run::{Card, card::CardIdentity};

    fn rows() -> Vec<Row> {
        let run = |name: &str, condition: Option<&str>, tokens: Option<u64>| {
            let mut row = Row::of(name.into(), name.into());
            let condition = condition.map(str::to_owned);
            row.reading = Reading::Whole(Box::new(Card {
                identity: CardIdentity { condition, ..CardIdentity::default() },
                tokens,
                ..Card::default()
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
        let line = |line: Line| match line {
            Line::Run(at) => rows[at].name.clone(),
            Line::Group(group) => format!("{:?}({})", group.key, group.rows.len()),
        };
        lines(&rows, wish).into_iter().map(line).collect::<Vec<_>>().join(" ")
    }

    const ALL: [bool; 4] = [true; 4];

    fn wish<'a>(taken: &'a [bool], folded: &'a BTreeSet<Key>) -> LineOptions<'a> {
        LineOptions { taken, sort: None, group: None, folded }
    }

    #[test]
    fn what_is_not_recorded_is_last_both_ways() {
        let folded = BTreeSet::new();
        let sorted = |column, direction| {
            listed(&LineOptions { sort: Some(Sort { column, direction }), ..wish(&ALL, &folded) })
        };
        assert_eq!(sorted(Column::Number(Number::Tokens), Direction::Up), "a d c b");
        assert_eq!(sorted(Column::Number(Number::Tokens), Direction::Down), "c d a b");
        assert_eq!(sorted(Column::Condition, Direction::Up), "c a d b");
    }

    #[test]
    fn groups_hold_their_runs_and_fold() {
        let folded = BTreeSet::from([Key::Words("single-shot".into())]);
        let grouped = LineOptions { group: Some(Column::Condition), ..wish(&ALL, &folded) };
        let words = r#"Words("emergent")(1) c Words("single-shot")(2) NotRecorded(1) b"#;
        assert_eq!(listed(&grouped), words);
    }

    #[test]
    fn a_filter_leaves_rows_out() {
        let (filter, folded) = (Filter::parse("tokens>5").unwrap(), BTreeSet::new());
        let taken: Vec<bool> = rows().iter().map(|row| filter.takes(row)).collect();
        assert_eq!(listed(&wish(&taken, &folded)), "c d");
    }
}
