//! What is compared with each other: things of one kind, by one criterion, on one scale.

use std::fmt;

use trajview_run::rubric::{self, LabelUnit};

use crate::agreement::{MeasurementLevel, RatingScale, ScaleError};

use super::{Rater, RaterPanel, RaterScore};

/// Things whose scores can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorePart {
    pub unit: LabelUnit,
    /// The criterion; None where there is only one, and for raised things, where the criterion is part of the thing.
    pub criterion: Option<String>,
    pub scale: rubric::ScoreScale,
}

impl ScorePart {
    /// Returns whether these are scores of components, by no criterion, on 0..4.
    pub fn is_plain(&self) -> bool {
        self.unit == LabelUnit::Component && self.criterion.is_none() && self.is_on_own_scale()
    }

    fn is_on_own_scale(&self) -> bool {
        self.scale == self.unit.default_scale()
    }

    /// Returns the scale that agreement is measured on: where any number may be given, its levels are those that were.
    pub fn agreement_levels(&self, panel: &RaterPanel) -> Result<RatingScale, ScaleError> {
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores);
        scale_levels(self.scale, scores.map(|score| score.score))
    }

    fn contains_score(&self, score: &RaterScore) -> bool {
        self.unit == score.item.unit
            && self.scale == score.effective_scale()
            && self.criterion.as_deref() == score.part_criterion()
    }
}

/// Returns a scale that agreement is measured on: where any number may be given, its levels are those of the scores.
pub fn scale_levels(
    scale: rubric::ScoreScale,
    scores: impl IntoIterator<Item = f64>,
) -> Result<RatingScale, ScaleError> {
    match scale {
        rubric::ScoreScale::Levels { low, high } => {
            RatingScale::whole_numbers(low.into(), high.into())
        }
        rubric::ScoreScale::Share => {
            Ok(RatingScale::from_scores(scores)?.with_measurement(MeasurementLevel::Interval))
        }
    }
}

/// `components by clear, 1..5`
impl fmt::Display for ScorePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unit.plural_word())?;
        if let Some(criterion) = &self.criterion {
            write!(f, " by {criterion}")?;
        }
        write!(f, ", {}", self.scale)
    }
}

impl RaterScore {
    /// Returns the scale that the score is on, which is that of its unit where it names none.
    pub(crate) fn effective_scale(&self) -> rubric::ScoreScale {
        self.scale.unwrap_or(self.item.unit.default_scale())
    }

    /// Returns the criterion that separates parts.
    fn part_criterion(&self) -> Option<&str> {
        self.item.criterion.as_deref().filter(|_| !self.item.unit.is_raised())
    }

    fn score_part(&self) -> ScorePart {
        ScorePart {
            unit: self.item.unit,
            criterion: self.part_criterion().map(str::to_owned),
            scale: self.effective_scale(),
        }
    }
}

impl RaterPanel {
    /// Returns the parts that have scores, by unit, then criterion, then scale.
    pub fn score_parts(&self) -> Vec<ScorePart> {
        let mut parts: Vec<ScorePart> = vec![];
        for score in self.raters.iter().flat_map(|rater| &rater.scores) {
            if !parts.iter().any(|part| part.contains_score(score)) {
                parts.push(score.score_part());
            }
        }
        parts.sort_by_key(|it| (it.unit, it.criterion.clone(), it.scale.to_string()));
        parts
    }

    /// Returns the raters with what they scored of a part; those who scored nothing of it are left out, and so are
    /// problems.
    pub fn for_part(&self, part: &ScorePart) -> Self {
        self.with_scores(|score| part.contains_score(score))
    }

    /// Returns the raters with those scores that pass the test; those without any are left out, and so are problems.
    pub fn with_scores(&self, is_wanted: impl Fn(&RaterScore) -> bool) -> Self {
        let wanted_part = |rater: &Rater| Rater {
            scores: rater.scores.iter().filter(|score| is_wanted(score)).cloned().collect(),
            ..rater.clone()
        };
        let raters = self.raters.iter().map(wanted_part).filter(|rater| !rater.scores.is_empty());
        Self { raters: raters.collect(), problems: vec![] }
    }
}
