//! The seven pillars of process discipline and the RigorScore, in two profiles: the paper's formulas and the released
//! scorer's. Every value is a share, 0 to 1, higher is better; the scorer's points of a hundred are divided by a hundred.

use serde::Serialize;

use super::{observed::Observed, paper, shipped};
use trajview_run::{StepId, values::worded};

worded! {
    /// Whose formulas.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
    pub enum Profile {
        /// The formulas of the paper; what a recording cannot give is not recorded.
        #[default]
        Paper = "rigor-paper",
        /// The released scorer, with its values where nothing was measured.
        Shipped = "rigor-shipped",
    }
}

worded! {
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

    /// Its share of the RigorScore (RigorBench, equation of the composite; the scorer uses the same).
    pub const fn weight(self) -> f64 {
        match self {
            Self::Planning | Self::Verification => 0.15,
            Self::Recovery | Self::Assertions => 0.20,
            Self::Abstention | Self::Transitions | Self::Exploration => 0.10,
        }
    }

    /// Where the paper and the released scorer disagree, in one line.
    pub const fn disagreement(self) -> &'static str {
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

/// What one pillar is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub pillar: Pillar,
    /// 0 to 1; None where the recording cannot tell.
    pub value: Option<f64>,
    /// Whether the value is what stands for "nothing was measured".
    pub is_default: bool,
    pub parts: Vec<Part>,
    pub counted: Vec<Counted>,
}

/// A term of a pillar's formula.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// As the paper calls it: `PAC`.
    pub id: &'static str,
    pub what: &'static str,
    /// Its share of the pillar.
    pub weight: f64,
    /// 0 to 1; None where it is not recorded.
    pub value: Option<f64>,
    /// How it was got, or why it is not recorded.
    pub why: String,
    /// Whether it is what a judge said.
    pub is_judged: bool,
}

/// Events that were counted, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    pub what: &'static str,
    pub count: usize,
    /// In playing order; fewer than `count` where something without a step is counted.
    pub steps: Vec<StepId>,
}

/// The process of a run in one profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Discipline {
    pub profile: Profile,
    /// In the order of [`Pillar::ALL`].
    pub pillars: Vec<Scored>,
}

impl Discipline {
    pub fn of(observed: &Observed, profile: Profile) -> Self {
        let pillars = Pillar::ALL.iter().map(|pillar| match profile {
            Profile::Paper => paper::score(observed, *pillar),
            Profile::Shipped => shipped::score(observed, *pillar),
        });
        Self { profile, pillars: pillars.collect() }
    }

    pub fn value(&self, pillar: Pillar) -> Option<f64> {
        self.pillars.iter().find(|scored| scored.pillar == pillar)?.value
    }

    /// The weighted mean of the pillars that have a value, 0 to 1; None where none has one.
    pub fn rigor_score(&self) -> Option<f64> {
        self.composite(&Weights::default())
    }

    /// As [`Self::rigor_score`], with other weights.
    pub fn composite(&self, weights: &Weights) -> Option<f64> {
        let known = self.pillars.iter().filter_map(|it| Some((weights.of(it.pillar), it.value?)));
        let (sum, weight) = known
            .fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
        // Of the whole the weights sum to one but for rounding: the sum is the score, as the scorer has it.
        let is_whole = self.pillars.iter().all(|it| it.value.is_some());
        match weight > 0.0 {
            true if is_whole && *weights == Weights::default() => Some(sum),
            true => Some(sum / weight),
            false => None,
        }
    }

    /// The sum of the weights that the composite could use, 0 to 1.
    pub fn weight_used(&self) -> f64 {
        let known = self.pillars.iter().filter(|it| it.value.is_some());
        known.map(|it| it.pillar.weight()).sum()
    }

    /// What the recording cannot give: whole pillars by their id, parts as `pf.DQ`.
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

impl Scored {
    /// The weighted mean of the parts that have a value.
    pub(super) fn of_parts(pillar: Pillar, parts: Vec<Part>, counted: Vec<Counted>) -> Self {
        let known = parts.iter().filter_map(|part| Some((part.weight, part.value?)));
        let (sum, weight) = known
            .fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
        let value = (weight > 0.0).then(|| sum / weight);
        Self { pillar, value, is_default: false, parts, counted }
    }
}

/// How much each pillar counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights([f64; Pillar::ALL.len()]);

impl Default for Weights {
    fn default() -> Self {
        let mut weights = [0.0; Pillar::ALL.len()];
        for (weight, pillar) in weights.iter_mut().zip(Pillar::ALL) {
            *weight = pillar.weight();
        }
        Self(weights)
    }
}

impl Weights {
    pub fn of(&self, pillar: Pillar) -> f64 {
        self.0[pillar as usize]
    }

    /// A weight moved by a share of its own, -0.5 to 0.5.
    #[must_use]
    pub fn moved(mut self, pillar: Pillar, by: f64) -> Self {
        self.0[pillar as usize] = pillar.weight() * (1.0 + by.clamp(-MOST_MOVED, MOST_MOVED));
        self
    }

    /// By how much of its own a weight is moved.
    pub fn move_of(&self, pillar: Pillar) -> f64 {
        self.of(pillar) / pillar.weight() - 1.0
    }
}

/// By how much of its own a weight can be moved, as in the paper's sensitivity analysis.
pub const MOST_MOVED: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    fn discipline(values: [Option<f64>; 7]) -> Discipline {
        let scored = |(pillar, value): (&Pillar, Option<f64>)| Scored {
            pillar: *pillar,
            value,
            is_default: false,
            parts: vec![],
            counted: vec![],
        };
        let pillars = Pillar::ALL.iter().zip(values).map(scored).collect();
        Discipline { profile: Profile::Paper, pillars }
    }

    #[test]
    fn the_composite_names_the_weights_it_used() {
        let part = discipline([Some(1.0), None, Some(0.5), None, None, None, None]);

        assert_eq!(part.rigor_score(), Some((0.15 + 0.1) / 0.35));
        assert!((part.weight_used() - 0.35).abs() < 1e-12);
        assert_eq!(part.not_recorded(), ["vc", "aq", "ati", "tad", "ee"]);
        assert_eq!(discipline([None; 7]).rigor_score(), None);
    }

    #[test]
    fn weights_move_by_half_at_most() {
        let weights = Weights::default().moved(Pillar::Recovery, 2.0);

        assert!((weights.of(Pillar::Recovery) - 0.3).abs() < 1e-12);
        assert!((weights.move_of(Pillar::Recovery) - 0.5).abs() < 1e-12);
        let both = discipline([Some(0.0), None, Some(1.0), None, None, None, None]);
        assert!((both.composite(&weights).unwrap() - 0.3 / 0.45).abs() < 1e-12);
    }

    #[test]
    fn the_weights_are_one_in_all() {
        let sum: f64 = Pillar::ALL.iter().map(|pillar| pillar.weight()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}
