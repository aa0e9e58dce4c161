//! Test and retest of a judge: the same question again, and the same question in other words, of one state of the code.
//!
//! Plain repeats differ by the draw alone. Rewordings differ by the draw and by the words, so that what rewordings agree less than
//! plain repeats is due to the words.

use trajview_run::rubric::{JudgeTest, Judgement};

use super::{
    GroupContrast, JudgedCodeState, RepeatSetup, Stability, component_ids, component_scores,
    repeat_groups,
};
use crate::{
    agreement::{IccForm, RatingScale, VarianceSums, cluster_bootstrap::SampleSum},
    bootstrap::{BootstrapPlan, Estimate},
};

/// Judgements of one state by one judge, by one prompt and by its rewordings.
#[derive(Debug, Clone, PartialEq)]
pub struct Retest<'a> {
    /// What they have in common; the prompt is the one that was reworded.
    pub setup: RepeatSetup,
    pub state: JudgedCodeState,
    /// The turn of the first rewording; counts from 1.
    pub turn: Option<usize>,
    /// The judgements by the prompt itself, in order.
    pub plain: Vec<&'a Judgement>,
    /// One for each rewording, in the order of their first judgements: the last made of those that cover the most components.
    pub reworded: Vec<&'a Judgement>,
}

/// How far judgements agree with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct RetestAgreement {
    pub judgements: usize,
    /// Components that at least two of them gave a score, and at least two of the other side, where that has two.
    pub compared: usize,
    /// The mean over components of the share of pairs with one level, and of pairs that differ by at most one.
    pub exact: Estimate,
    pub within_1: Estimate,
    /// Krippendorff's alpha with the ordinal metric.
    pub alpha: Estimate,
    /// ICC(2,1), over those of the components that all of them scored, with McGraw and Wong's interval.
    pub icc: Estimate,
}

/// How far the levels of rewordings are from those of the prompt itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanShift {
    /// The mean level of the rewordings less that of the prompt.
    pub gap: Estimate,
    /// Components that both gave a level.
    pub compared: usize,
}

/// Returns the retests with rewordings, in the order of their first rewording. `tests` are judgements that test judges.
pub fn retests<'a>(
    judgements: impl IntoIterator<Item = &'a Judgement>,
    tests: impl IntoIterator<Item = &'a Judgement>,
) -> Vec<Retest<'a>> {
    let groups = repeat_groups(judgements);
    let mut found: Vec<Retest<'a>> = vec![];
    let is_rewording = |it: &&Judgement| {
        it.test == Some(JudgeTest::Rewording) && it.verdicts.iter().any(|it| it.score.is_some())
    };
    for judgement in tests.into_iter().filter(is_rewording) {
        let setup = RepeatSetup {
            prompt_sha256: judgement.judge.reworded_from.clone(),
            ..RepeatSetup::for_judgement(judgement)
        };
        let state = JudgedCodeState::for_judgement(judgement);
        let at = found.iter().position(|it| it.setup == setup && it.state == state);
        let at = at.unwrap_or_else(|| {
            let same = groups.iter().find(|it| it.setup == setup && it.state == state);
            let plain = same.map(|it| it.judgements.clone()).unwrap_or_default();
            found.push(Retest { setup, state, turn: judgement.turn, plain, reworded: vec![] });
            found.len() - 1
        });
        let reworded = &mut found[at].reworded;
        let prompt = |it: &Judgement| it.judge.prompt_sha256.clone();
        match reworded.iter_mut().find(|it| prompt(it) == prompt(judgement)) {
            // A later judgement of a few components does not replace a whole one.
            Some(earlier) if level_count(judgement) < level_count(earlier) => {}
            Some(earlier) => *earlier = judgement,
            None => reworded.push(judgement),
        }
    }
    found
}

/// Returns the number of components with a level that counts.
fn level_count(judgement: &Judgement) -> usize {
    judgement.verdicts.iter().filter(|it| it.counted_level().is_some()).count()
}

/// Returns the components that at least two of the judgements gave a level.
fn repeated_ids(judgements: &[&Judgement]) -> Vec<String> {
    let is_repeated =
        |id: &String| component_scores(judgements, id).into_iter().flatten().count() > 1;
    component_ids(judgements).into_iter().filter(is_repeated).collect()
}

impl<'a> Retest<'a> {
    /// Returns the wordings: the first judgement by the prompt itself, if there is one, and one by each rewording.
    fn wordings(&self) -> Vec<&'a Judgement> {
        self.plain.iter().take(1).chain(&self.reworded).copied().collect()
    }

    /// Returns the components that both sides are computed over: those with at least two levels on each. A side with fewer than
    /// two judgements is not compared, so that it takes no component from the other.
    fn common_ids(&self) -> Vec<String> {
        let sides = [self.plain.clone(), self.wordings()];
        let ids: Vec<Vec<String>> =
            sides.iter().filter(|side| side.len() > 1).map(|side| repeated_ids(side)).collect();
        let is_common = |id: &String| ids.iter().all(|of_side| of_side.contains(id));
        ids.first().cloned().unwrap_or_default().into_iter().filter(is_common).collect()
    }

    /// Returns the agreement of the plain repeats; None for fewer than two.
    pub fn plain_agreement(&self, plan: &BootstrapPlan) -> Option<RetestAgreement> {
        (self.plain.len() > 1)
            .then(|| RetestAgreement::between(&self.plain, &self.common_ids(), plan))
    }

    /// Returns the agreement of the wordings: the first judgement by the prompt itself among them. None for fewer than two.
    pub fn reworded_agreement(&self, plan: &BootstrapPlan) -> Option<RetestAgreement> {
        let wordings = self.wordings();
        (wordings.len() > 1).then(|| RetestAgreement::between(&wordings, &self.common_ids(), plan))
    }

    /// Returns the mean level of the rewordings less that of the prompt itself, over the components that both gave a level.
    pub fn mean_shift(&self, plan: &BootstrapPlan) -> MeanShift {
        let contrast = GroupContrast::between_groups(&self.plain, &self.reworded, plan);
        MeanShift { gap: contrast.gap, compared: contrast.compared }
    }
}

impl RetestAgreement {
    fn between(judgements: &[&Judgement], ids: &[String], plan: &BootstrapPlan) -> Self {
        let stability = Stability::over_components(judgements, ids, plan);
        let scale = RatingScale::default();
        let mut sums = VarianceSums::without_items(judgements.len());
        for id in ids {
            let levels: Option<Vec<u8>> = component_scores(judgements, id).into_iter().collect();
            let position = |level: u8| scale.position(f64::from(level));
            let positions: Option<Vec<usize>> =
                levels.and_then(|levels| levels.into_iter().map(position).collect());
            if let Some(positions) = positions {
                sums.add(&VarianceSums::for_item(&positions, &scale));
            }
        }
        Self {
            judgements: judgements.len(),
            compared: stability.compared,
            exact: stability.shares.exact,
            within_1: stability.shares.within_1,
            alpha: stability.alpha,
            icc: sums.estimate(IccForm::Agreement, plan.confidence),
        }
    }
}
