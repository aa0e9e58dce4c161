//! What moved a point away from the one before it.
//!
//! Callables are told apart by path and name (and order, where a name comes again), rules by path, clones by their
//! text. A callable that moved to another file went in one place and came in the other. Of a file that could not be
//! measured on one side nothing is said: what is in it neither went nor came.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    file::Span,
    snapshot::{CallableAt, Detail, Place},
};

/// One thing that is different, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Where it lies now; where it lay, if it is gone.
    pub place: Place,
    /// False where it lies in the earlier snapshot only.
    pub is_there: bool,
    pub what: What,
}

/// What is different.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// A callable came, went or has other paths or length. `before` and `after` are None where there was none.
    Callable { name: String, before: Option<Weight>, after: Option<Weight> },
    /// A rule matches at more or fewer places of a file: by how many, and by how many lines.
    Rule { rule: String, hits: i64, lines: i64 },
    /// Pieces of a clone group came or went: by how many, and by how many lines.
    Clones { pieces: i64, lines: i64 },
}

/// How heavy a callable is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    pub cc: u32,
    pub sloc: u32,
    pub mass: f64,
}

impl Change {
    /// By how much the mass of a callable grew; None of a rule or clone.
    pub fn mass(&self) -> Option<f64> {
        let What::Callable { before, after, .. } = &self.what else { return None };
        let mass = |weight: &Option<Weight>| weight.map_or(0.0, |weight| weight.mass);
        Some(mass(after) - mass(before))
    }

    /// By how many lines a rule or clone grew; None of a callable.
    pub fn lines(&self) -> Option<i64> {
        match self.what {
            What::Callable { .. } => None,
            What::Rule { lines, .. } | What::Clones { lines, .. } => Some(lines),
        }
    }

    /// Whether a callable has come to have more than 10 paths.
    pub fn became_high_cc(&self) -> bool {
        let What::Callable { before, after, .. } = &self.what else { return false };
        let is_high =
            |weight: &Option<Weight>| weight.is_some_and(|weight| weight.cc > super::HIGH_CC);
        is_high(after) && !is_high(before)
    }
}

/// Paths of files that could be measured on one side or on none: [`changes`] is silent about them.
pub fn not_compared<'a>(before: &'a Detail, after: &'a Detail) -> BTreeSet<&'a str> {
    before.left_out.iter().chain(&after.left_out).map(String::as_str).collect()
}

/// What moved, largest first: callables by mass, then rules and clones by lines.
pub fn changes(before: &Detail, after: &Detail) -> Vec<Change> {
    let unknown = not_compared(before, after);
    if !unknown.is_empty() {
        return known_changes(&without(before, &unknown), &without(after, &unknown));
    }
    known_changes(before, after)
}

/// What lies in none of these files; of a clone group with a piece in one of them nothing is known either.
fn without(detail: &Detail, unknown: &BTreeSet<&str>) -> Detail {
    let is_known = |path: &str| !unknown.contains(path);
    let mut detail = detail.clone();
    detail.callables.retain(|at| is_known(&at.path));
    detail.hits.retain(|at| is_known(&at.path));
    detail.clones.retain(|group| group.places.iter().all(|place| is_known(&place.path)));
    detail
}

fn known_changes(before: &Detail, after: &Detail) -> Vec<Change> {
    let mut callables = callables(before, after);
    callables.sort_by(|a, b| {
        let size = |change: &Change| change.mass().unwrap_or_default().abs();
        size(b).total_cmp(&size(a)).then_with(|| a.place.cmp(&b.place))
    });
    let mut others = rules(before, after);
    others.extend(clones(before, after));
    others.sort_by_key(|change| (-change.lines().unwrap_or_default().abs(), change.place.clone()));
    callables.extend(others);
    callables
}

/// What is called the same on both sides, or on one only.
struct Pair<T> {
    before: Option<T>,
    after: Option<T>,
}

fn paired<K: Ord, T>(
    before: impl IntoIterator<Item = (K, T)>,
    after: impl IntoIterator<Item = (K, T)>,
) -> BTreeMap<K, Pair<T>> {
    let before =
        before.into_iter().map(|(key, value)| (key, Pair { before: Some(value), after: None }));
    let mut pairs: BTreeMap<K, Pair<T>> = before.collect();
    for (key, value) in after {
        pairs.entry(key).or_insert(Pair { before: None, after: None }).after = Some(value);
    }
    pairs
}

fn callables(before: &Detail, after: &Detail) -> Vec<Change> {
    let pairs = paired(numbered(&before.callables), numbered(&after.callables));
    let change = |pair: Pair<&CallableAt>| {
        let now = pair.after.or(pair.before)?;
        let weigh = |at: &CallableAt| Weight { cc: at.cc, sloc: at.sloc, mass: at.mass };
        let (old, new) = (pair.before.map(weigh), pair.after.map(weigh));
        let what = What::Callable { name: now.name.clone(), before: old, after: new };
        let place = Place { path: now.path.clone(), span: now.span };
        (old != new).then_some(Change { place, is_there: new.is_some(), what })
    };
    pairs.into_values().filter_map(change).collect()
}

/// Each with its path, its name and how many of that name came before it there.
fn numbered(callables: &[CallableAt]) -> BTreeMap<(&str, &str, usize), &CallableAt> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for at in callables {
        let count = seen.entry((&at.path, &at.name)).or_default();
        all.insert((at.path.as_str(), at.name.as_str(), *count), at);
        *count += 1;
    }
    all
}

/// How many places there are, how many lines they have and which is the first.
#[derive(Debug, Clone, Default)]
struct Places {
    count: i64,
    lines: i64,
    first: Option<Place>,
}

impl Places {
    fn add(&mut self, path: &str, span: Span) {
        self.count += 1;
        self.lines += i64::from(span.end - span.start) + 1;
        self.first.get_or_insert_with(|| Place { path: path.to_owned(), span });
    }
}

fn rules(before: &Detail, after: &Detail) -> Vec<Change> {
    let places = |detail: &Detail| {
        let mut places: BTreeMap<(String, String), Places> = BTreeMap::new();
        for hit in &detail.hits {
            places
                .entry((hit.path.clone(), hit.rule.clone()))
                .or_default()
                .add(&hit.path, hit.span);
        }
        places
    };
    let pairs = paired(places(before), places(after));
    let change =
        |((_, rule), pair)| differing(pair, |hits, lines| What::Rule { rule, hits, lines });
    pairs.into_iter().filter_map(change).collect()
}

fn clones(before: &Detail, after: &Detail) -> Vec<Change> {
    let places = |detail: &Detail| {
        let mut places: BTreeMap<u128, Places> = BTreeMap::new();
        for group in &detail.clones {
            let of_group = places.entry(group.hash).or_default();
            group.places.iter().for_each(|place| of_group.add(&place.path, place.span));
        }
        places
    };
    let pairs = paired(places(before), places(after));
    let change = |pair| differing(pair, |pieces, lines| What::Clones { pieces, lines });
    pairs.into_values().filter_map(change).collect()
}

/// None where there are as many, with as many lines.
fn differing(pair: Pair<Places>, what: impl FnOnce(i64, i64) -> What) -> Option<Change> {
    let is_there = pair.after.is_some();
    let (old, new) = (pair.before.unwrap_or_default(), pair.after.unwrap_or_default());
    let (count, lines) = (new.count - old.count, new.lines - old.lines);
    let place = new.first.or(old.first)?;
    (count != 0 || lines != 0).then(|| Change { place, is_there, what: what(count, lines) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::snapshot::{CloneGroup, HitAt};

    fn span(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    fn callable(name: &str, start: u32, cc: u32) -> CallableAt {
        CallableAt {
            path: "a.py".into(),
            name: name.into(),
            span: span(start, start + 3),
            cc,
            sloc: 4,
            mass: f64::from(cc) * 2.0,
        }
    }

    fn of(callables: Vec<CallableAt>) -> Detail {
        Detail { callables, ..Detail::default() }
    }

    #[test]
    fn a_callable_that_only_moved_is_no_change() {
        let (before, after) = (of(vec![callable("f", 1, 2)]), of(vec![callable("f", 9, 2)]));

        assert_eq!(changes(&before, &after), []);
    }

    #[test]
    fn callables_come_by_mass_the_largest_first() {
        let before = of(vec![callable("f", 1, 2), callable("g", 5, 20)]);
        let after = of(vec![callable("f", 1, 3), callable("h", 5, 12)]);

        let changes = changes(&before, &after);

        let masses: Vec<_> = changes.iter().map(Change::mass).collect();
        assert_eq!(masses, [Some(-40.0), Some(24.0), Some(2.0)]);
        assert_eq!(
            changes.iter().map(|change| change.is_there).collect::<Vec<_>>(),
            [false, true, true]
        );
        assert_eq!(
            changes.iter().map(Change::became_high_cc).collect::<Vec<_>>(),
            [false, true, false]
        );
    }

    #[test]
    fn of_two_callables_with_one_name_the_first_is_still_the_first() {
        let before = of(vec![callable("f", 1, 2), callable("f", 5, 3)]);
        let after = of(vec![callable("f", 1, 2), callable("f", 5, 4)]);

        assert_eq!(changes(&before, &after).len(), 1);
    }

    #[test]
    fn what_lies_in_a_file_that_could_not_be_measured_is_neither_gone_nor_new() {
        let place = |path: &str| Place { path: path.into(), span: span(10, 14) };
        let group = CloneGroup { hash: 7, places: vec![place("a.py"), place("b.py")] };
        let hit = HitAt { rule: "r".into(), path: "a.py".into(), span: span(1, 2) };
        let whole =
            Detail { hits: vec![hit], clones: vec![group], ..of(vec![callable("f", 1, 12)]) };
        let broken = Detail { left_out: vec!["a.py".into()], ..Detail::default() };

        assert_eq!(changes(&whole, &broken), []);
        assert_eq!(changes(&broken, &whole), []);
        assert_eq!(changes(&whole, &Detail::default()).len(), 3);
    }

    #[test]
    fn rules_and_clones_come_by_lines_after_the_callables() {
        let hit =
            |start, end| HitAt { rule: "r".into(), path: "a.py".into(), span: span(start, end) };
        let place = |start| Place { path: "a.py".into(), span: span(start, start + 4) };
        let before = Detail { hits: vec![hit(1, 2)], ..Detail::default() };
        let after = Detail {
            hits: vec![hit(1, 2), hit(4, 4)],
            clones: vec![CloneGroup { hash: 7, places: vec![place(10), place(20)] }],
            ..Detail::default()
        };

        let changes = changes(&before, &after);

        assert_eq!(changes[0].what, What::Clones { pieces: 2, lines: 10 });
        assert_eq!(changes[0].place, place(10));
        assert_eq!(changes[1].what, What::Rule { rule: "r".into(), hits: 1, lines: 1 });
    }
}
