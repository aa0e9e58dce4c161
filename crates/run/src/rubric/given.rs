//! Scores on other scales than the rubric's own: one for each criterion of a codebook, and what they make together.

use crate::values::worded;

use super::unit::{Scale, written};

worded! {
    /// How the scores of several criteria on one scale become one, where the codebook says so.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Overall {
        Mean = "mean",
        Lowest = "lowest",
    }
}

impl Overall {
    /// None of no scores.
    pub fn of(self, scores: &[f64]) -> Option<f64> {
        match self {
            Self::Mean => {
                (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
            }
            Self::Lowest => scores.iter().copied().reduce(f64::min),
        }
    }
}

/// What a judge was asked to score by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredBy {
    /// As the codebook names the criterion; None where it is the only one and has no name.
    pub criterion: Option<String>,
    pub scale: Scale,
}

/// A judge's score by one criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// As [`ScoredBy::criterion`].
    pub criterion: Option<String>,
    pub scale: Scale,
    /// On the scale.
    pub score: f64,
    /// The name of the level; empty where it has none.
    pub name: String,
}

impl Given {
    /// `clear 4 plain`; without a criterion `4 plain`.
    pub fn words(&self) -> String {
        let criterion = self.criterion.as_deref().unwrap_or_default();
        format!("{criterion} {} {}", written(self.score), self.name).trim().to_owned()
    }
}

/// `right 1 yes, clear 4 plain`
pub fn all_words(given: &[Given]) -> String {
    given.iter().map(Given::words).collect::<Vec<_>>().join(", ")
}

/// Why what was scored on other scales has no score on 0..4: `not on 0..4: right 1 yes (0..1), clear 4 (1..5)`.
pub fn why_unscored(given: &[Given]) -> String {
    let each = given.iter().map(|it| format!("{} ({})", it.words(), it.scale));
    format!("not on 0..4: {}", each.collect::<Vec<_>>().join(", "))
}

/// What the criteria make together; None where no rule says it, or a criterion has no score.
pub fn overall(by: &[ScoredBy], rule: Option<Overall>, given: &[Given]) -> Option<f64> {
    let scores: Vec<f64> = given.iter().map(|it| it.score).collect();
    rule?.of(&scores).filter(|_| given.len() == by.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(criterion: &str, score: f64, name: &str) -> Given {
        let scale = Scale::Levels { low: 1, high: 5 };
        Given { criterion: Some(criterion.into()), scale, score, name: name.into() }
    }

    #[test]
    fn criteria_make_one_score_by_a_rule_alone_and_where_each_has_one() {
        let by = |id: &str| ScoredBy {
            criterion: Some(id.into()),
            scale: Scale::Levels { low: 1, high: 5 },
        };
        let by = [by("right"), by("clear")];
        let all = [given("right", 2.0, "weak"), given("clear", 5.0, "")];

        assert_eq!(overall(&by, None, &all), None);
        assert_eq!(overall(&by, Some(Overall::Mean), &all), Some(3.5));
        assert_eq!(overall(&by, Some(Overall::Lowest), &all), Some(2.0));
        assert_eq!(overall(&by, Some(Overall::Lowest), &all[..1]), None);
        assert_eq!(all_words(&all), "right 2 weak, clear 5");
        assert_eq!(why_unscored(&all), "not on 0..4: right 2 weak (1..5), clear 5 (1..5)");
    }
}
