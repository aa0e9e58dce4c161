//! One group of judgements against another of the same state.

use super::{
    ComponentStability, PairShares, RepeatSetup, component_ids, component_scores, lowest_mode,
    mean_estimate,
};
use crate::{
    bootstrap::{BootstrapPlan, Estimate},
    maths::mean,
    undefined::{NumberOrReason, Undefined},
};
use trajview_run::{rubric::Judgement, worded_enum::worded};

worded! {
    name;
    /// The difference between two compared setups.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SetupDifference {
        /// Nothing differs but the draw.
        Repeat = "repeat",
        /// The judge and model are the same, the prompt differs.
        Prompt = "prompt",
        /// The judge, model and prompt are the same; the budget, temperature or rubric differs.
        Settings = "settings",
        /// Another judge, or another model.
        Judge = "judge",
    }
}

impl SetupDifference {
    /// Returns `prompt against prompt`, `judge against judge` and so on.
    pub const fn display_text(self) -> &'static str {
        match self {
            Self::Repeat => "repeat against repeat",
            Self::Prompt => "prompt against prompt",
            Self::Settings => "settings against settings",
            Self::Judge => "judge against judge",
        }
    }
}

/// Returns the difference between two setups.
pub fn setup_difference(a: &RepeatSetup, b: &RepeatSetup) -> SetupDifference {
    let who = |it: &RepeatSetup| (it.name.clone(), it.kind.clone(), it.model.clone());
    match () {
        () if a == b => SetupDifference::Repeat,
        () if who(a) != who(b) => SetupDifference::Judge,
        () if a.prompt_sha256 != b.prompt_sha256 => SetupDifference::Prompt,
        () => SetupDifference::Settings,
    }
}

/// Two groups side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupContrast {
    /// The components by id, including those that only one of the two scored.
    pub components: Vec<ComponentContrast>,
    /// Components that both gave a score.
    pub compared: usize,
    /// The agreement of each score of one group with each of the other: the mean over the compared components, with
    /// its interval.
    pub between: PairShares<Estimate>,
    /// Mean of the second less mean of the first, over the components that are compared, with its interval.
    pub gap: Estimate,
}

/// The scores of two groups for one component.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentContrast {
    pub component: String,
    pub first: ComponentStability,
    pub second: ComponentStability,
    /// Mean of the second less mean of the first.
    pub gap: NumberOrReason,
    pub between: PairShares<NumberOrReason>,
}

impl ComponentContrast {
    fn new(component: &str, first: Vec<Option<u8>>, second: Vec<Option<u8>>) -> Self {
        let [first, second] =
            [first, second].map(|scores| ComponentStability::from_scores(component, scores));
        let (a, b) = (first.known_scores(), second.known_scores());
        let mean_of = |given: &[u8]| match given {
            [] => Err(Undefined::NoPairs),
            given => Ok(mean(&given.iter().map(|it| f64::from(*it)).collect::<Vec<_>>())),
        };
        let gap = mean_of(&b).and_then(|b| Ok(b - mean_of(&a)?));
        let between = PairShares::between_scores(&a, &b);
        Self { component: component.to_owned(), first, second, gap, between }
    }

    /// Returns whether the most frequent levels differ; None where one of the two has no score.
    pub fn modes_differ(&self) -> Option<bool> {
        let (a, b) =
            (lowest_mode(&self.first.known_scores())?, lowest_mode(&self.second.known_scores())?);
        Some(a != b)
    }
}

impl GroupContrast {
    pub fn between_groups(
        first: &[&Judgement],
        second: &[&Judgement],
        plan: &BootstrapPlan,
    ) -> Self {
        let both: Vec<&Judgement> = first.iter().chain(second).copied().collect();
        let ids = component_ids(&both);
        let row = |id: &String| {
            ComponentContrast::new(id, component_scores(first, id), component_scores(second, id))
        };
        let components: Vec<ComponentContrast> = ids.iter().map(row).collect();
        let gaps: Vec<f64> = components.iter().filter_map(|it| it.gap.ok()).collect();
        let known: Vec<PairShares<f64>> =
            components.iter().filter_map(|it| it.between.all_defined()).collect();
        Self {
            compared: known.len(),
            between: PairShares::from_each(|share| mean_estimate(&known, share, plan)),
            gap: mean_estimate(&gaps, |gap| *gap, plan),
            components,
        }
    }
}
