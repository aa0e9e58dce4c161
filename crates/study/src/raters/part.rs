//! What is compared with each other: things of one kind, by one criterion, on one scale.

use std::fmt;

use trajview_run::rubric::{self, Unit};

use crate::agreement::{Measurement, Scale, ScaleError};

use super::{Panel, Rater, Score};

/// Things whose scores can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub unit: Unit,
    /// None where there is one criterion, and of what was raised: there the criterion is part of the thing.
    pub criterion: Option<String>,
    pub scale: rubric::Scale,
}

impl Part {
    /// Components, by no criterion, on 0..4.
    pub fn is_plain(&self) -> bool {
        self.unit == Unit::Component && self.criterion.is_none() && self.is_on_own_scale()
    }

    fn is_on_own_scale(&self) -> bool {
        self.scale == self.unit.scale()
    }

    /// The levels that agreement is measured on: of a scale on which any number may be given those that were.
    pub fn levels(&self, panel: &Panel) -> Result<Scale, ScaleError> {
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores);
        levels_of(self.scale, scores.map(|score| score.score))
    }

    fn holds(&self, score: &Score) -> bool {
        self.unit == score.item.unit
            && self.scale == score.scale()
            && self.criterion.as_deref() == score.criterion()
    }
}

/// The levels of a scale that agreement is measured on; of one on which any number may be given those of the scores.
pub fn levels_of(
    scale: rubric::Scale,
    scores: impl IntoIterator<Item = f64>,
) -> Result<Scale, ScaleError> {
    match scale {
        rubric::Scale::Levels { low, high } => Scale::whole(low.into(), high.into()),
        rubric::Scale::Share => Ok(Scale::observed(scores)?.measured(Measurement::Interval)),
    }
}

/// `components by clear, 1..5`
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unit.plural())?;
        if let Some(criterion) = &self.criterion {
            write!(f, " by {criterion}")?;
        }
        write!(f, ", {}", self.scale)
    }
}

impl Score {
    /// The scale it is on.
    pub fn scale(&self) -> rubric::Scale {
        self.scale.unwrap_or(self.item.unit.scale())
    }

    /// The criterion that agreement is told apart by.
    fn criterion(&self) -> Option<&str> {
        self.item.criterion.as_deref().filter(|_| !self.item.unit.is_raised())
    }

    fn part(&self) -> Part {
        Part {
            unit: self.item.unit,
            criterion: self.criterion().map(str::to_owned),
            scale: self.scale(),
        }
    }
}

impl Panel {
    /// What scores there are of, by unit, then criterion, then scale.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = vec![];
        for score in self.raters.iter().flat_map(|rater| &rater.scores) {
            if !parts.iter().any(|part| part.holds(score)) {
                parts.push(score.part());
            }
        }
        parts.sort_by_key(|it| (it.unit, it.criterion.clone(), it.scale.to_string()));
        parts
    }

    /// The raters with what they scored of a part; those who scored nothing of it are left out, and so are problems.
    pub fn of_part(&self, part: &Part) -> Self {
        self.that(|score| part.holds(score))
    }

    /// The raters with these scores alone.
    pub fn that(&self, is_wanted: impl Fn(&Score) -> bool) -> Self {
        let of = |rater: &Rater| Rater {
            scores: rater.scores.iter().filter(|score| is_wanted(score)).cloned().collect(),
            ..rater.clone()
        };
        let raters = self.raters.iter().map(of).filter(|rater| !rater.scores.is_empty());
        Self { raters: raters.collect(), problems: vec![] }
    }
}
