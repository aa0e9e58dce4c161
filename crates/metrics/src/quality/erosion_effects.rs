//! Divides the difference of erosion between two snapshots among their callables.
//!
//! Erosion is the high mass over the mass. With `e` the mean of both erosions and `m` the mean of both masses, its
//! difference is the sum over callables of `(change of high mass - e * change of mass) / m`, without a rest.

use std::collections::BTreeMap;

use super::{
    HIGH_CC,
    scored_snapshot::ScoredSnapshot,
    snapshot_changes::{CallableWeight, QualityChange, QualityChangeKind, quality_changes},
};

/// A callable that changed, with its part of the difference of erosion.
#[derive(Debug, Clone, PartialEq)]
pub struct ErosionEffect {
    pub change: QualityChange,
    pub effect: f64,
}

impl CallableWeight {
    /// Returns the mass that counts as high; 0 for a callable with few paths.
    pub fn high_mass(&self) -> f64 {
        if self.cc > HIGH_CC { self.mass } else { 0.0 }
    }
}

/// Returns the effects of all callables that differ, the largest first. A callable that moved to another file unchanged is
/// none of them.
pub fn erosion_effects(before: &ScoredSnapshot, after: &ScoredSnapshot) -> Vec<ErosionEffect> {
    let (old, new) = (&before.snapshot, &after.snapshot);
    let mean_erosion = f64::midpoint(old.erosion, new.erosion);
    let mean_mass = f64::midpoint(old.totals.mass, new.totals.mass);
    let part = |change: QualityChange| {
        let QualityChangeKind::Callable { before, after, .. } = &change.what else { return None };
        let difference = |of: fn(&CallableWeight) -> f64| {
            after.as_ref().map_or(0.0, of) - before.as_ref().map_or(0.0, of)
        };
        let grown = difference(CallableWeight::high_mass) - mean_erosion * difference(|it| it.mass);
        Some(ErosionEffect { effect: grown / mean_mass, change })
    };
    let changes = quality_changes(&before.detail, &after.detail);
    let mut effects: Vec<_> = without_moved(changes).into_iter().filter_map(part).collect();
    effects.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs())); // stable: equal ones by mass
    effects
}

/// Returns the changes without pairs of a callable that is gone and a new one of the same name and weight.
fn without_moved(mut changes: Vec<QualityChange>) -> Vec<QualityChange> {
    let mut sides: BTreeMap<(String, u32, u32), [usize; 2]> = BTreeMap::new();
    for (key, is_there) in changes.iter().filter_map(one_sided) {
        sides.entry(key).or_default()[usize::from(is_there)] += 1;
    }
    let mut moved: BTreeMap<_, [usize; 2]> =
        sides.into_iter().map(|(key, [gone, new])| (key, [gone.min(new); 2])).collect();
    changes.retain(|change| {
        let Some((key, is_there)) = one_sided(change) else { return true };
        let left = &mut moved.entry(key).or_default()[usize::from(is_there)];
        let is_moved = *left > 0;
        *left -= usize::from(is_moved);
        !is_moved
    });
    changes
}

/// Returns the name and weight of a callable that is on one side only, and whether it is there now.
fn one_sided(change: &QualityChange) -> Option<((String, u32, u32), bool)> {
    let QualityChangeKind::Callable { name, before, after } = &change.what else { return None };
    let (weight, is_there) = match (before, after) {
        (Some(weight), None) => (weight, false),
        (None, Some(weight)) => (weight, true),
        _ => return None,
    };
    Some(((name.clone(), weight.cc, weight.sloc), is_there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::{CallableAt, QualityDetail, QualitySnapshot, QualityTotals, SourceSpan};

    /// Makes a snapshot of callables: file, name, paths, lines.
    fn scored_of(callables: &[(&str, &str, u32, u32)]) -> ScoredSnapshot {
        let callables: Vec<CallableAt> = callables
            .iter()
            .map(|(path, name, cc, sloc)| CallableAt {
                path: (*path).into(),
                name: (*name).into(),
                span: SourceSpan { start: 1, end: *sloc },
                cc: *cc,
                sloc: *sloc,
                mass: f64::from(*cc) * f64::from(*sloc).sqrt(),
            })
            .collect();
        let mass: f64 = callables.iter().map(|it| it.mass).sum();
        let high_mass: f64 = callables.iter().filter(|it| it.cc > 10).map(|it| it.mass).sum();
        ScoredSnapshot {
            snapshot: QualitySnapshot {
                files: 1,
                totals: QualityTotals { mass, high_mass, ..QualityTotals::default() },
                erosion: if mass > 0.0 { high_mass / mass } else { 0.0 },
                ..QualitySnapshot::default()
            },
            detail: QualityDetail { callables, ..QualityDetail::default() },
            not_recorded: vec![],
            are_files_unknown: false,
        }
    }

    #[test]
    fn the_effects_add_up_to_the_difference() {
        let before = scored_of(&[("a", "f", 9, 16), ("a", "g", 12, 25), ("b", "h", 3, 4)]);
        let after = scored_of(&[("a", "f", 14, 36), ("b", "h", 5, 9), ("c", "i", 2, 100)]);

        for (before, after) in [(&before, &after), (&after, &before), (&scored_of(&[]), &after)] {
            let effects = erosion_effects(before, after);
            let sum: f64 = effects.iter().map(|it| it.effect).sum();
            let difference = after.snapshot.erosion - before.snapshot.erosion;
            assert!((sum - difference).abs() < 1e-12, "{sum} {difference}");
            assert!(effects.is_sorted_by(|a, b| a.effect.abs() >= b.effect.abs()));
        }
        assert_eq!(erosion_effects(&scored_of(&[]), &scored_of(&[])), []);
    }

    #[test]
    fn a_callable_that_moved_unchanged_has_no_effect() {
        let before = scored_of(&[("a", "f", 14, 36), ("b", "f", 14, 36), ("b", "g", 2, 4)]);
        let after = scored_of(&[("c", "f", 14, 36), ("d", "g", 3, 4)]);

        let effects = erosion_effects(&before, &after);

        assert_eq!(effects.len(), 3, "{effects:?}");
        let sum: f64 = effects.iter().map(|it| it.effect).sum();
        assert!((sum - (after.snapshot.erosion - before.snapshot.erosion)).abs() < 1e-12);
    }
}
