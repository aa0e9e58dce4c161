//! The document of a gate: both states, each limit with its verdict, and what moved its number.

use std::path::Path;

use trajview_analysis::Scorer;
use trajview_metrics::{
    Number,
    numbers::NumberValues,
    quality::{
        CallableWeight, ErosionEffect, HIGH_CC, QualityChange, QualityChangeKind, erosion_effects,
        quality_changes,
    },
};

use super::{
    super::document::{RulerFacts, code_numbers, rules_facts},
    limits::{GateLimit, GateVerdict},
    states::MeasuredState,
};
use crate::cli::output::{Json, record};

const SCHEMA: &str = "trajview.score-gate/1";

/// The rows that are shown of what moved a number.
const MOST_MOVERS: usize = 3;

/// A gate with its results.
pub(super) struct GateDocument {
    pub json: Json,
    /// The limits with their rows in `json.limits`, in the same order.
    pub limits: Vec<(GateLimit, GateVerdict)>,
}

impl GateDocument {
    pub(super) fn new(
        (path, kind): (&Path, &str),
        limits: &[GateLimit],
        (before, after): (&MeasuredState, &MeasuredState),
        scorer: &Scorer,
    ) -> Self {
        let doubts = Doubts::new(before, after);
        let changes = StateChanges {
            effects: erosion_effects(&before.scored, &after.scored),
            others: quality_changes(&before.scored.detail, &after.scored.detail),
        };
        let mut rows = vec![];
        let mut results = vec![];
        for limit in limits {
            let why = doubts.reason(*limit);
            let value = |state: &MeasuredState| {
                limit.number.value_of_code(state.scored.measured_snapshot()?)
            };
            let (old, new) = (value(before), value(after));
            let verdict = match why {
                Some(_) => GateVerdict::Undecided,
                None => limit.verdict(old, new),
            };
            let (rise, highest) = limit.amount_json();
            rows.push(record! {
                metric: limit.number.id(),
                before: old.map(|value| limit.json_value(value)),
                after: new.map(|value| limit.json_value(value)),
                difference: old.zip(new).map(|(old, new)| limit.json_value(new - old)),
                most_rise: rise,
                highest: highest,
                verdict: verdict.word(),
                why: why,
                moved_by: changes.movers_of(limit.number),
            });
            results.push((*limit, verdict));
        }
        let verdict = worst_verdict(&results);
        let failed = (verdict != GateVerdict::Passed).then(|| verdict.word());
        let json = record! {
            schema: SCHEMA,
            ..RulerFacts::new(scorer.ruler()),
            rules: rules_facts(scorer.ruler()),
            target: record! { kind: kind, path: path.display().to_string() },
            before: state_record(before),
            after: state_record(after),
            limits: rows,
            verdict: verdict.word(),
            failed_because: failed,
        };
        Self { json, limits: results }
    }

    pub(super) fn has_passed(&self) -> bool {
        self.verdict() == GateVerdict::Passed
    }

    pub(super) fn verdict(&self) -> GateVerdict {
        worst_verdict(&self.limits)
    }
}

fn worst_verdict(results: &[(GateLimit, GateVerdict)]) -> GateVerdict {
    let has = |verdict| results.iter().any(|(_, it)| *it == verdict);
    let failed = [GateVerdict::Exceeded, GateVerdict::Undecided].into_iter().find(|it| has(*it));
    failed.unwrap_or(GateVerdict::Passed)
}

fn state_record(state: &MeasuredState) -> Json {
    record! {
        name: state.name,
        commit: state.commit,
        turn: state.turn,
        changed: state.changed,
        unmeasured: state.scored.unmeasured_reason().map(|why| why.to_string()),
        skipped: Json::list(state.left_out(), |(path, why)| record! { path: path, why: why }),
        ..NumberValues::new(&code_numbers(), |number| {
            number.value_of_code(state.scored.measured_snapshot()?)
        }),
    }
}

/// The reasons why numbers of the two states cannot be compared.
struct Doubts {
    /// The reason why there is no number after, or why it lacks a file.
    after: Option<String>,
    /// The reason why there is no number to compare with.
    before: Option<String>,
}

impl Doubts {
    fn new(before: &MeasuredState, after: &MeasuredState) -> Self {
        let unmeasured = |state: &MeasuredState| {
            let why = state.scored.unmeasured_reason()?;
            Some(format!("{} has no number: {why}", state.name))
        };
        // A file that is measured on neither side is in no number, and moves none.
        let lost = |of: &MeasuredState, other: &MeasuredState| {
            let is_lost = |path: &str| other.left_out().all(|(it, _)| it != path);
            let lost: Vec<_> = of.left_out().filter(|(path, _)| is_lost(path)).collect();
            let (path, why) = *lost.first()?;
            let more = match lost.len() {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            Some(format!("{} lacks {path} ({why}){more}", of.name))
        };
        let lost_before = || {
            let is_there = before.left_out().any(|(path, _)| after.has_file(path));
            is_there.then(|| lost(before, after)).flatten()
        };
        Self {
            after: unmeasured(after).or_else(|| lost(after, before)),
            before: unmeasured(before).or_else(lost_before),
        }
    }

    /// Returns why a limit cannot be decided.
    fn reason(&self, limit: GateLimit) -> Option<&str> {
        self.after.as_deref().or_else(|| self.before.as_deref().filter(|_| limit.is_rise()))
    }
}

/// The differences of the two states.
struct StateChanges {
    effects: Vec<ErosionEffect>,
    others: Vec<QualityChange>,
}

impl StateChanges {
    /// Returns what moved a number most: callables, or rules and clones.
    fn movers_of(&self, number: Number) -> Json {
        let is_clone = |it: &&QualityChange| matches!(it.what, QualityChangeKind::Clones { .. });
        let is_callable =
            |it: &&QualityChange| matches!(it.what, QualityChangeKind::Callable { .. });
        match number {
            Number::Verbosity => {
                let places = self.others.iter().filter(|it| !is_callable(it));
                Json::list(places.take(MOST_MOVERS), place_record)
            }
            Number::CloneLines => {
                Json::list(self.others.iter().filter(is_clone).take(MOST_MOVERS), place_record)
            }
            _ => {
                let mut effects: Vec<&ErosionEffect> = self.effects.iter().collect();
                let paths = |it: &&ErosionEffect| std::cmp::Reverse(most_paths(&it.change));
                match number {
                    Number::MaxCc => effects.sort_by_key(paths),
                    Number::HighCc => {
                        effects.retain(|it| crosses_threshold(&it.change));
                        effects.sort_by_key(paths);
                    }
                    _ => {}
                }
                Json::list(effects.into_iter().take(MOST_MOVERS), effect_record)
            }
        }
    }
}

const fn weights(change: &QualityChange) -> (Option<&CallableWeight>, Option<&CallableWeight>) {
    match &change.what {
        QualityChangeKind::Callable { before, after, .. } => (before.as_ref(), after.as_ref()),
        QualityChangeKind::Rule { .. } | QualityChangeKind::Clones { .. } => (None, None),
    }
}

/// Returns the paths of a callable on the side that has more.
fn most_paths(change: &QualityChange) -> u32 {
    let (before, after) = weights(change);
    before.into_iter().chain(after).map(|weight| weight.cc).max().unwrap_or(0)
}

/// Returns whether a callable came above 10 paths or below.
fn crosses_threshold(change: &QualityChange) -> bool {
    let (before, after) = weights(change);
    let is_high = |weight: Option<&CallableWeight>| weight.is_some_and(|it| it.cc > HIGH_CC);
    is_high(before) != is_high(after)
}

fn effect_record(effect: &ErosionEffect) -> Json {
    let (before, after) = weights(&effect.change);
    let weight = |weight: Option<&CallableWeight>| {
        weight.map(|it| {
            record! { cc: it.cc, sloc: it.sloc, mass: it.mass, high_mass: it.high_mass() }
        })
    };
    record! {
        ..place_record(&effect.change),
        before: weight(before),
        after: weight(after),
        erosion_effect: effect.effect,
    }
}

/// Makes the row of a change, with the former place of a thing that is gone.
fn place_record(change: &QualityChange) -> Json {
    let (kind, name, places, lines) = match &change.what {
        QualityChangeKind::Callable { name, .. } => ("callable", Some(name), None, None),
        QualityChangeKind::Rule { rule, hits, lines } => {
            ("rule", Some(rule), Some(*hits), Some(*lines))
        }
        QualityChangeKind::Clones { pieces, lines } => {
            ("clones", None, Some(*pieces), Some(*lines))
        }
    };
    record! {
        kind: kind,
        name: name,
        path: change.place.path,
        line: change.place.span.start,
        is_there: change.is_there,
        places_difference: places,
        lines_difference: lines,
    }
}
