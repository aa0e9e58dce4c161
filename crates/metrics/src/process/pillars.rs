//! The seven pillars of process discipline and the RigorScore, in two profiles: the paper's formulas and the released
//! scorer's. Every value is a share, 0 to 1, higher is better; the scorer's points of a hundred are divided by a hundred.

use serde::Serialize;

use super::{paper_formulas, scorer_formulas, step_facts::ObservedRun};
use trajview_run::{StepId, worded_enum::worded};

worded! {
    /// The source of the formulas.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
    pub enum RigorProfile {
        /// The formulas of the paper; values that a recording cannot give count as not recorded.
        #[default]
        Paper = "rigor-paper",
        /// The released scorer, with its values where nothing was measured.
        Shipped = "rigor-shipped",
    }
}

worded! {
    /// A pillar of process discipline (RigorBench).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Pillar {
        Planning = "pf",
        Verification = "vc",
        Recovery = "re",
        Abstention = "aq",
        Transitions = "ati",
        Assertions = "tad",
        Exploration = "ee",
    }
}

impl Pillar {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planning => "planning fidelity",
            Self::Verification => "verification coverage",
            Self::Recovery => "recovery efficiency",
            Self::Abstention => "abstention quality",
            Self::Transitions => "atomic transitions",
            Self::Assertions => "assertion density",
            Self::Exploration => "exploration efficiency",
        }
    }

    /// Returns the pillar's share of the RigorScore (RigorBench, equation of the composite; the scorer uses the same).
    pub const fn weight(self) -> f64 {
        match self {
            Self::Planning | Self::Verification => 0.15,
            Self::Recovery | Self::Assertions => 0.20,
            Self::Abstention | Self::Transitions | Self::Exploration => 0.10,
        }
    }

    /// Returns the difference between the paper and the released scorer, in one line.
    pub const fn profile_difference(self) -> &'static str {
        match self {
            Self::Planning => {
                "paper: plan, its quality and whether it was followed; scorer: 0.9 with any plan, else 0.2"
            }
            Self::Verification => {
                "paper: functions with a test, coverage gained, requirements with a test; scorer: 0.25 a test file written"
            }
            Self::Recovery => {
                "paper: cycles, strategies, tokens wasted; scorer: recoveries by errors, 0.5 without errors"
            }
            Self::Abstention => {
                "paper: only on tasks that cannot be done; scorer: 1 where the agent abstained, 0.5 where it did not"
            }
            Self::Transitions => {
                "paper: builds, tests and commits between edits; scorer: 0.4, and 0.2 more a validated checkpoint"
            }
            Self::Assertions => {
                "paper: all test files; scorer: test_*.py at the top alone, 0.5 where it finds none"
            }
            Self::Exploration => "paper: files, each once; scorer: events, 0.5 without any",
        }
    }
}

/// The score of one pillar, with its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct PillarScore {
    pub pillar: Pillar,
    /// 0 to 1; None where the recording cannot tell.
    pub value: Option<f64>,
    /// True where the value is the scorer's default for "nothing was measured".
    pub is_default: bool,
    pub parts: Vec<PillarPart>,
    pub counted: Vec<CountedEvents>,
}

/// A term of a pillar's formula.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PillarPart {
    /// The paper's abbreviation: `PAC`.
    pub id: &'static str,
    pub what: &'static str,
    /// The part's share of the pillar.
    pub weight: f64,
    /// 0 to 1; None where it is not recorded.
    pub value: Option<f64>,
    /// How the value was computed, or why it is not recorded.
    pub why: String,
    /// True where the value is a judge's opinion.
    pub is_judged: bool,
}

/// Counted events, with their steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedEvents {
    pub what: &'static str,
    pub count: usize,
    /// In playing order; fewer than `count` where something without a step is counted.
    pub steps: Vec<StepId>,
}

/// The process of a run in one profile.
#[derive(Debug, Clone, PartialEq)]
pub struct DisciplineScores {
    pub profile: RigorProfile,
    /// The scores, in the order of [`Pillar::ALL`].
    pub pillars: Vec<PillarScore>,
}

impl DisciplineScores {
    pub fn new(observed: &ObservedRun, profile: RigorProfile) -> Self {
        let pillars = Pillar::ALL.iter().map(|pillar| match profile {
            RigorProfile::Paper => paper_formulas::score_pillar(observed, *pillar),
            RigorProfile::Shipped => scorer_formulas::score_pillar(observed, *pillar),
        });
        Self { profile, pillars: pillars.collect() }
    }

    /// Returns the score of a pillar; None where the recording cannot tell.
    pub fn pillar_value(&self, pillar: Pillar) -> Option<f64> {
        self.pillars.iter().find(|scored| scored.pillar == pillar)?.value
    }

    /// Returns the weighted mean of the pillars that have a value, 0 to 1; None where none has one.
    pub fn rigor_score(&self) -> Option<f64> {
        self.composite_score(&PillarWeights::default())
    }

    /// Does the same as [`Self::rigor_score`] with other weights.
    pub fn composite_score(&self, weights: &PillarWeights) -> Option<f64> {
        let weighted =
            self.pillars.iter().filter_map(|it| Some((weights.weight_of(it.pillar), it.value?)));
        let (sum, weight) = weighted
            .fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
        // If all pillars have a value, the weights sum to one but for rounding, so the sum is the score, as in the
        // scorer.
        let is_whole = self.pillars.iter().all(|it| it.value.is_some());
        match weight > 0.0 {
            true if is_whole && *weights == PillarWeights::default() => Some(sum),
            true => Some(sum / weight),
            false => None,
        }
    }

    /// Returns the sum of the weights that the composite could use, 0 to 1.
    pub fn weight_used(&self) -> f64 {
        let with_value = self.pillars.iter().filter(|it| it.value.is_some());
        with_value.map(|it| it.pillar.weight()).sum()
    }

    /// Returns the values that the recording cannot give: whole pillars by their id, parts as `pf.DQ`.
    pub fn not_recorded(&self) -> Vec<String> {
        let mut missing = vec![];
        for scored in &self.pillars {
            let id = scored.pillar.word();
            if scored.value.is_none() {
                missing.push(id.to_owned());
            }
            let parts = scored.parts.iter().filter(|part| part.value.is_none());
            missing.extend(parts.map(|part| format!("{id}.{}", part.id)));
        }
        missing
    }
}

impl PillarScore {
    /// Computes the score as the weighted mean of the parts that have a value.
    pub(super) fn of_parts(
        pillar: Pillar,
        parts: Vec<PillarPart>,
        counted: Vec<CountedEvents>,
    ) -> Self {
        let weighted = parts.iter().filter_map(|part| Some((part.weight, part.value?)));
        let (sum, weight) = weighted
            .fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
        let value = (weight > 0.0).then(|| sum / weight);
        Self { pillar, value, is_default: false, parts, counted }
    }
}

/// The weight of each pillar.
#[derive(Debug, Clone, PartialEq)]
pub struct PillarWeights([f64; Pillar::ALL.len()]);

impl Default for PillarWeights {
    fn default() -> Self {
        let mut weights = [0.0; Pillar::ALL.len()];
        for (weight, pillar) in weights.iter_mut().zip(Pillar::ALL) {
            *weight = pillar.weight();
        }
        Self(weights)
    }
}

impl PillarWeights {
    pub fn weight_of(&self, pillar: Pillar) -> f64 {
        self.0[pillar as usize]
    }

    /// Returns the weights with one of them changed by a share of its default, -0.5 to 0.5.
    #[must_use]
    pub fn with_moved(mut self, pillar: Pillar, by: f64) -> Self {
        self.0[pillar as usize] =
            pillar.weight() * (1.0 + by.clamp(-MAX_WEIGHT_CHANGE, MAX_WEIGHT_CHANGE));
        self
    }

    /// Returns the change of a weight as a share of its default.
    pub fn change_of(&self, pillar: Pillar) -> f64 {
        self.weight_of(pillar) / pillar.weight() - 1.0
    }
}

/// The largest change of a weight as a share of its default, as in the paper's sensitivity analysis.
pub const MAX_WEIGHT_CHANGE: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    fn discipline_of(values: [Option<f64>; 7]) -> DisciplineScores {
        let scored = |(pillar, value): (&Pillar, Option<f64>)| PillarScore {
            pillar: *pillar,
            value,
            is_default: false,
            parts: vec![],
            counted: vec![],
        };
        let pillars = Pillar::ALL.iter().zip(values).map(scored).collect();
        DisciplineScores { profile: RigorProfile::Paper, pillars }
    }

    #[test]
    fn the_composite_names_the_weights_it_used() {
        let part = discipline_of([Some(1.0), None, Some(0.5), None, None, None, None]);

        assert_eq!(part.rigor_score(), Some((0.15 + 0.1) / 0.35));
        assert!((part.weight_used() - 0.35).abs() < 1e-12);
        assert_eq!(part.not_recorded(), ["vc", "aq", "ati", "tad", "ee"]);
        assert_eq!(discipline_of([None; 7]).rigor_score(), None);
    }

    #[test]
    fn weights_move_by_half_at_most() {
        let weights = PillarWeights::default().with_moved(Pillar::Recovery, 2.0);

        assert!((weights.weight_of(Pillar::Recovery) - 0.3).abs() < 1e-12);
        assert!((weights.change_of(Pillar::Recovery) - 0.5).abs() < 1e-12);
        let both = discipline_of([Some(0.0), None, Some(1.0), None, None, None, None]);
        assert!((both.composite_score(&weights).unwrap() - 0.3 / 0.45).abs() < 1e-12);
    }

    #[test]
    fn the_weights_are_one_in_all() {
        let sum: f64 = Pillar::ALL.iter().map(|pillar| pillar.weight()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}
