//! Scores on other scales than the rubric's own: one for each criterion of a codebook, and what they make together.

use crate::worded_enum::worded;

use super::unit::{ScoreScale, score_text};

worded! {
    /// The rule by which the scores of several criteria on one scale become one, where the codebook has one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OverallRule {
        Mean = "mean",
        Lowest = "lowest",
    }
}

impl OverallRule {
    /// Returns one score for all; None for no scores.
    pub fn overall_score(self, scores: &[f64]) -> Option<f64> {
        match self {
            Self::Mean => {
                (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
            }
            Self::Lowest => scores.iter().copied().reduce(f64::min),
        }
    }
}

/// A criterion that a judge scored by, with its scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredBy {
    /// The criterion's name in the codebook; None where it is the only one and has no name.
    pub criterion: Option<String>,
    pub scale: ScoreScale,
}

/// A judge's score by one criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct CriterionScore {
    /// The criterion, as [`ScoredBy::criterion`].
    pub criterion: Option<String>,
    pub scale: ScoreScale,
    /// The score on the scale.
    pub score: f64,
    /// The name of the level; empty where it has none.
    pub name: String,
}

impl CriterionScore {
    /// Returns `clear 4 plain`; without a criterion `4 plain`.
    pub fn display_text(&self) -> String {
        let criterion = self.criterion.as_deref().unwrap_or_default();
        format!("{criterion} {} {}", score_text(self.score), self.name).trim().to_owned()
    }
}

/// Returns `right 1 yes, clear 4 plain`.
pub fn scores_text(scores: &[CriterionScore]) -> String {
    scores.iter().map(CriterionScore::display_text).collect::<Vec<_>>().join(", ")
}

/// Returns the reason for a missing score on 0..4 where other scales were used: `not on 0..4: right 1 yes (0..1), clear 4 (1..5)`.
pub fn why_unscored(scores: &[CriterionScore]) -> String {
    let each = scores.iter().map(|it| format!("{} ({})", it.display_text(), it.scale));
    format!("not on 0..4: {}", each.collect::<Vec<_>>().join(", "))
}

/// Returns one score for all criteria; None without a rule, and where a criterion has no score.
pub fn overall_by_rule(
    by: &[ScoredBy],
    rule: Option<OverallRule>,
    scores: &[CriterionScore],
) -> Option<f64> {
    let scores: Vec<f64> = scores.iter().map(|it| it.score).collect();
    rule?.overall_score(&scores).filter(|_| scores.len() == by.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criterion_score(criterion: &str, score: f64, name: &str) -> CriterionScore {
        let scale = ScoreScale::Levels { low: 1, high: 5 };
        CriterionScore { criterion: Some(criterion.into()), scale, score, name: name.into() }
    }

    #[test]
    fn criteria_make_one_score_by_a_rule_alone_and_where_each_has_one() {
        let by = |id: &str| ScoredBy {
            criterion: Some(id.into()),
            scale: ScoreScale::Levels { low: 1, high: 5 },
        };
        let by = [by("right"), by("clear")];
        let all = [criterion_score("right", 2.0, "weak"), criterion_score("clear", 5.0, "")];

        assert_eq!(overall_by_rule(&by, None, &all), None);
        assert_eq!(overall_by_rule(&by, Some(OverallRule::Mean), &all), Some(3.5));
        assert_eq!(overall_by_rule(&by, Some(OverallRule::Lowest), &all), Some(2.0));
        assert_eq!(overall_by_rule(&by, Some(OverallRule::Lowest), &all[..1]), None);
        assert_eq!(scores_text(&all), "right 2 weak, clear 5");
        assert_eq!(why_unscored(&all), "not on 0..4: right 2 weak (1..5), clear 5 (1..5)");
    }
}
