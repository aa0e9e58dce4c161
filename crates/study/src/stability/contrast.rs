//! One group of judgements against another of the same state.

use super::{Setup, Shares, Steadiness, components, mean_of, mode, scores_of};
use crate::{
    bootstrap::{Estimate, Plan},
    maths::mean,
    undefined::{Undefined, Value},
};
use trajview_run::{rubric::Judgement, values::worded};

worded! {
    name;
    /// What differs between two that are set side by side.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Against {
        /// Nothing but the draw.
        Repeat = "repeat",
        /// One judge and model, another prompt.
        Prompt = "prompt",
        /// One judge, model and prompt, another budget, temperature or rubric.
        Settings = "settings",
        /// Another judge, or another model.
        Judge = "judge",
    }
}

impl Against {
    /// `prompt against prompt`
    pub const fn words(self) -> &'static str {
        match self {
            Self::Repeat => "repeat against repeat",
            Self::Prompt => "prompt against prompt",
            Self::Settings => "settings against settings",
            Self::Judge => "judge against judge",
        }
    }
}

/// What differs between two that judge.
pub fn against(a: &Setup, b: &Setup) -> Against {
    let who = |it: &Setup| (it.name.clone(), it.kind.clone(), it.model.clone());
    match () {
        () if a == b => Against::Repeat,
        () if who(a) != who(b) => Against::Judge,
        () if a.prompt_sha256 != b.prompt_sha256 => Against::Prompt,
        () => Against::Settings,
    }
}

/// Two groups side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// By id; what only one of the two was given a score by is there too.
    pub components: Vec<Contrasted>,
    /// Components that both gave a score.
    pub compared: usize,
    /// Of each of one with each of the other: the mean over the components that are compared, with its interval.
    pub between: Shares<Estimate>,
    /// Mean of the second less mean of the first, over the components that are compared, with its interval.
    pub gap: Estimate,
}

/// What two groups said of one component.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrasted {
    pub component: String,
    pub first: Steadiness,
    pub second: Steadiness,
    /// Mean of the second less mean of the first.
    pub gap: Value,
    pub between: Shares<Value>,
}

impl Contrasted {
    fn of(component: &str, first: Vec<Option<u8>>, second: Vec<Option<u8>>) -> Self {
        let [first, second] = [first, second].map(|scores| Steadiness::of(component, scores));
        let (a, b) = (first.given(), second.given());
        let mean_of = |given: &[u8]| match given {
            [] => Err(Undefined::NoPairs),
            given => Ok(mean(&given.iter().map(|it| f64::from(*it)).collect::<Vec<_>>())),
        };
        let gap = mean_of(&b).and_then(|b| Ok(b - mean_of(&a)?));
        let between = Shares::between(&a, &b);
        Self { component: component.to_owned(), first, second, gap, between }
    }

    /// Whether the levels given most often differ; None where one of the two gave none.
    pub fn differs(&self) -> Option<bool> {
        let (a, b) = (mode(&self.first.given())?, mode(&self.second.given())?);
        Some(a != b)
    }
}

impl Contrast {
    pub fn of(first: &[&Judgement], second: &[&Judgement], plan: &Plan) -> Self {
        let both: Vec<&Judgement> = first.iter().chain(second).copied().collect();
        let ids = components(&both);
        let row = |id: &String| Contrasted::of(id, scores_of(first, id), scores_of(second, id));
        let components: Vec<Contrasted> = ids.iter().map(row).collect();
        let gaps: Vec<f64> = components.iter().filter_map(|it| it.gap.ok()).collect();
        let known: Vec<Shares<f64>> =
            components.iter().filter_map(|it| it.between.known()).collect();
        Self {
            compared: known.len(),
            between: Shares::each(|share| mean_of(&known, share, plan)),
            gap: mean_of(&gaps, |gap| *gap, plan),
            components,
        }
    }
}
