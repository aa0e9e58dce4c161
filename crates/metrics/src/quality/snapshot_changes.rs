//! Finds the differences between two snapshots.
//!
//! Callables are matched by path and name (and order, where a name occurs again), rules by path, clones by their text.
//! A callable that moved to another file is one that disappeared and one that appeared. A file that could not be
//! measured on one side is left out.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    file_measure::SourceSpan,
    snapshot::{CallableAt, CodePlace, QualityDetail},
};

/// A difference between two snapshots, with its size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QualityChange {
    /// The current place; the former place of a thing that is gone.
    pub place: CodePlace,
    /// False for a thing that is only in the earlier snapshot.
    pub is_there: bool,
    pub what: QualityChangeKind,
}

/// The kind of a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum QualityChangeKind {
    /// A callable appeared, disappeared, or changed its complexity or length. `before` and `after` are None where it
    /// did not exist.
    Callable { name: String, before: Option<CallableWeight>, after: Option<CallableWeight> },
    /// A rule matches at more or fewer places of a file: the change in matches, and in lines.
    Rule { rule: String, hits: i64, lines: i64 },
    /// Pieces of a clone group appeared or disappeared: the change in pieces, and in lines.
    Clones { pieces: i64, lines: i64 },
}

/// The complexity and the length of a callable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CallableWeight {
    pub cc: u32,
    pub sloc: u32,
    pub mass: f64,
}

impl QualityChange {
    /// Returns the growth of a callable's mass; None for a rule or clone.
    pub fn mass_change(&self) -> Option<f64> {
        let QualityChangeKind::Callable { before, after, .. } = &self.what else { return None };
        let mass = |weight: &Option<CallableWeight>| weight.map_or(0.0, |weight| weight.mass);
        Some(mass(after) - mass(before))
    }

    /// Returns the growth of a rule or clone in lines; None for a callable.
    pub(crate) fn line_change(&self) -> Option<i64> {
        match self.what {
            QualityChangeKind::Callable { .. } => None,
            QualityChangeKind::Rule { lines, .. } | QualityChangeKind::Clones { lines, .. } => {
                Some(lines)
            }
        }
    }

    /// Returns whether a callable now has more than 10 paths and had not before.
    pub fn became_high_cc(&self) -> bool {
        let QualityChangeKind::Callable { before, after, .. } = &self.what else { return false };
        let is_high = |weight: &Option<CallableWeight>| {
            weight.is_some_and(|weight| weight.cc > super::HIGH_CC)
        };
        is_high(after) && !is_high(before)
    }
}

/// Returns the paths of files that could not be measured on both sides; [`quality_changes`] leaves them out.
pub fn not_compared<'a>(before: &'a QualityDetail, after: &'a QualityDetail) -> BTreeSet<&'a str> {
    before.left_out.iter().chain(&after.left_out).map(String::as_str).collect()
}

/// Returns the differences, the largest first: callables by mass, then rules and clones by lines.
pub fn quality_changes(before: &QualityDetail, after: &QualityDetail) -> Vec<QualityChange> {
    let unknown = not_compared(before, after);
    if !unknown.is_empty() {
        return known_changes(&without_files(before, &unknown), &without_files(after, &unknown));
    }
    known_changes(before, after)
}

/// Returns the detail without these files, and without clone groups that have a piece in one of them.
fn without_files(detail: &QualityDetail, unknown: &BTreeSet<&str>) -> QualityDetail {
    let is_known = |path: &str| !unknown.contains(path);
    let mut detail = detail.clone();
    detail.callables.retain(|at| is_known(&at.path));
    detail.hits.retain(|at| is_known(&at.path));
    detail.clones.retain(|group| group.places.iter().all(|place| is_known(&place.path)));
    detail
}

fn known_changes(before: &QualityDetail, after: &QualityDetail) -> Vec<QualityChange> {
    let mut callables = callable_changes(before, after);
    callables.sort_by(|a, b| {
        let size = |change: &QualityChange| change.mass_change().unwrap_or_default().abs();
        size(b).total_cmp(&size(a)).then_with(|| a.place.cmp(&b.place))
    });
    let mut others = rule_changes(before, after);
    others.extend(clone_changes(before, after));
    others.sort_by_key(|change| {
        (-change.line_change().unwrap_or_default().abs(), change.place.clone())
    });
    callables.extend(others);
    callables
}

/// A thing with the same key on both sides, or on one side only.
struct BeforeAfter<T> {
    before: Option<T>,
    after: Option<T>,
}

fn pair_by_key<K: Ord, T>(
    before: impl IntoIterator<Item = (K, T)>,
    after: impl IntoIterator<Item = (K, T)>,
) -> BTreeMap<K, BeforeAfter<T>> {
    let before = before
        .into_iter()
        .map(|(key, value)| (key, BeforeAfter { before: Some(value), after: None }));
    let mut pairs: BTreeMap<K, BeforeAfter<T>> = before.collect();
    for (key, value) in after {
        pairs.entry(key).or_insert(BeforeAfter { before: None, after: None }).after = Some(value);
    }
    pairs
}

fn callable_changes(before: &QualityDetail, after: &QualityDetail) -> Vec<QualityChange> {
    let pairs = pair_by_key(number_by_name(&before.callables), number_by_name(&after.callables));
    let change = |pair: BeforeAfter<&CallableAt>| {
        let now = pair.after.or(pair.before)?;
        let weigh = |at: &CallableAt| CallableWeight { cc: at.cc, sloc: at.sloc, mass: at.mass };
        let (old, new) = (pair.before.map(weigh), pair.after.map(weigh));
        let what = QualityChangeKind::Callable { name: now.name.clone(), before: old, after: new };
        let place = CodePlace { path: now.path.clone(), span: now.span };
        (old != new).then_some(QualityChange { place, is_there: new.is_some(), what })
    };
    pairs.into_values().filter_map(change).collect()
}

/// Returns each callable, keyed by its path, its name and the number of callables of that name before it.
fn number_by_name(callables: &[CallableAt]) -> BTreeMap<(&str, &str, usize), &CallableAt> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for at in callables {
        let count = seen.entry((&at.path, &at.name)).or_default();
        all.insert((at.path.as_str(), at.name.as_str(), *count), at);
        *count += 1;
    }
    all
}

/// The number of places, the number of their lines, and the first place.
#[derive(Debug, Clone, Default)]
struct PlaceCounts {
    count: i64,
    lines: i64,
    first: Option<CodePlace>,
}

impl PlaceCounts {
    fn add_place(&mut self, path: &str, span: SourceSpan) {
        self.count += 1;
        self.lines += i64::from(span.end - span.start) + 1;
        self.first.get_or_insert_with(|| CodePlace { path: path.to_owned(), span });
    }
}

fn rule_changes(before: &QualityDetail, after: &QualityDetail) -> Vec<QualityChange> {
    let places = |detail: &QualityDetail| {
        let mut places: BTreeMap<(String, String), PlaceCounts> = BTreeMap::new();
        for hit in &detail.hits {
            places
                .entry((hit.path.clone(), hit.rule.clone()))
                .or_default()
                .add_place(&hit.path, hit.span);
        }
        places
    };
    let pairs = pair_by_key(places(before), places(after));
    let change = |((_, rule), pair)| {
        change_between(pair, |hits, lines| QualityChangeKind::Rule { rule, hits, lines })
    };
    pairs.into_iter().filter_map(change).collect()
}

fn clone_changes(before: &QualityDetail, after: &QualityDetail) -> Vec<QualityChange> {
    let places = |detail: &QualityDetail| {
        let mut places: BTreeMap<u128, PlaceCounts> = BTreeMap::new();
        for group in &detail.clones {
            let of_group = places.entry(group.hash).or_default();
            group.places.iter().for_each(|place| of_group.add_place(&place.path, place.span));
        }
        places
    };
    let pairs = pair_by_key(places(before), places(after));
    let change =
        |pair| change_between(pair, |pieces, lines| QualityChangeKind::Clones { pieces, lines });
    pairs.into_values().filter_map(change).collect()
}

/// Returns the change between two sides; None where the numbers of places and of lines are the same.
fn change_between(
    pair: BeforeAfter<PlaceCounts>,
    what: impl FnOnce(i64, i64) -> QualityChangeKind,
) -> Option<QualityChange> {
    let is_there = pair.after.is_some();
    let (old, new) = (pair.before.unwrap_or_default(), pair.after.unwrap_or_default());
    let (count, lines) = (new.count - old.count, new.lines - old.lines);
    let place = new.first.or(old.first)?;
    (count != 0 || lines != 0).then(|| QualityChange { place, is_there, what: what(count, lines) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::snapshot::{CloneGroup, HitAt};

    fn line_span(start: u32, end: u32) -> SourceSpan {
        SourceSpan { start, end }
    }

    fn callable_at(name: &str, start: u32, cc: u32) -> CallableAt {
        CallableAt {
            path: "a.py".into(),
            name: name.into(),
            span: line_span(start, start + 3),
            cc,
            sloc: 4,
            mass: f64::from(cc) * 2.0,
        }
    }

    fn detail_of(callables: Vec<CallableAt>) -> QualityDetail {
        QualityDetail { callables, ..QualityDetail::default() }
    }

    #[test]
    fn a_callable_that_only_moved_is_no_change() {
        let (before, after) =
            (detail_of(vec![callable_at("f", 1, 2)]), detail_of(vec![callable_at("f", 9, 2)]));

        assert_eq!(quality_changes(&before, &after), []);
    }

    #[test]
    fn callables_come_by_mass_the_largest_first() {
        let before = detail_of(vec![callable_at("f", 1, 2), callable_at("g", 5, 20)]);
        let after = detail_of(vec![callable_at("f", 1, 3), callable_at("h", 5, 12)]);

        let changes = quality_changes(&before, &after);

        let masses: Vec<_> = changes.iter().map(QualityChange::mass_change).collect();
        assert_eq!(masses, [Some(-40.0), Some(24.0), Some(2.0)]);
        assert_eq!(
            changes.iter().map(|change| change.is_there).collect::<Vec<_>>(),
            [false, true, true]
        );
        assert_eq!(
            changes.iter().map(QualityChange::became_high_cc).collect::<Vec<_>>(),
            [false, true, false]
        );
    }

    #[test]
    fn of_two_callables_with_one_name_the_first_is_still_the_first() {
        let before = detail_of(vec![callable_at("f", 1, 2), callable_at("f", 5, 3)]);
        let after = detail_of(vec![callable_at("f", 1, 2), callable_at("f", 5, 4)]);

        assert_eq!(quality_changes(&before, &after).len(), 1);
    }

    #[test]
    fn what_lies_in_a_file_that_could_not_be_measured_is_neither_gone_nor_new() {
        let place = |path: &str| CodePlace { path: path.into(), span: line_span(10, 14) };
        let group = CloneGroup { hash: 7, places: vec![place("a.py"), place("b.py")] };
        let hit = HitAt { rule: "r".into(), path: "a.py".into(), span: line_span(1, 2) };
        let whole = QualityDetail {
            hits: vec![hit],
            clones: vec![group],
            ..detail_of(vec![callable_at("f", 1, 12)])
        };
        let broken = QualityDetail { left_out: vec!["a.py".into()], ..QualityDetail::default() };

        assert_eq!(quality_changes(&whole, &broken), []);
        assert_eq!(quality_changes(&broken, &whole), []);
        assert_eq!(quality_changes(&whole, &QualityDetail::default()).len(), 3);
    }

    #[test]
    fn rules_and_clones_come_by_lines_after_the_callables() {
        let hit = |start, end| HitAt {
            rule: "r".into(),
            path: "a.py".into(),
            span: line_span(start, end),
        };
        let place = |start| CodePlace { path: "a.py".into(), span: line_span(start, start + 4) };
        let before = QualityDetail { hits: vec![hit(1, 2)], ..QualityDetail::default() };
        let after = QualityDetail {
            hits: vec![hit(1, 2), hit(4, 4)],
            clones: vec![CloneGroup { hash: 7, places: vec![place(10), place(20)] }],
            ..QualityDetail::default()
        };

        let changes = quality_changes(&before, &after);

        assert_eq!(changes[0].what, QualityChangeKind::Clones { pieces: 2, lines: 10 });
        assert_eq!(changes[0].place, place(10));
        assert_eq!(
            changes[1].what,
            QualityChangeKind::Rule { rule: "r".into(), hits: 1, lines: 1 }
        );
    }
}
