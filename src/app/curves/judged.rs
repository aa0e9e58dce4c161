//! What was said of a run beside its recording, as curves: verdicts at the turns that were judged, exposure at every
//! turn.

use crate::{
    app::replay::Replay,
    metrics::{exposure::AtTurn, faithfulness::Faithfulness},
    run::rubric::Judgement,
};

use super::{points::Point, series::Series};

impl Replay {
    /// Whether there is a verdict or an audit of exposure to draw a curve of.
    pub(super) fn has_judged_curves(&self) -> bool {
        let rubric = self.scores.components.rubric();
        rubric.is_some_and(|rubric| rubric.exposure.is_some() || rubric.chosen().is_some())
    }

    /// Who gave the scores a curve is made of; None where nothing says so.
    pub fn judged_by(&self, series: Series) -> Option<String> {
        match series {
            Series::Mcf => {
                let judge = self.scores.components.judge_of_curves()?;
                Some(format!("{} ({})", judge.name, judge.kind)).filter(|_| !judge.name.is_empty())
            }
            Series::Rcr | Series::Esr => Some("exposure.json".into()),
            _ => None,
        }
    }

    /// The judgement of the state at a point that covers the checklist: of the judge whose verdicts the scores show, since
    /// judges differ.
    fn judgement_at(&self, point: &Point) -> Option<&Judgement> {
        let parts = &self.scores.components;
        let (judge, rubric) = (parts.judge_of_curves()?, parts.rubric()?);
        let is_of_turn = |it: &&Judgement| it.turn == Some(point.done) && it.judge == *judge;
        rubric.judgements.iter().rev().filter(is_of_turn).find(|it| rubric.covers(it))
    }
}

/// 0 to 4; None where the state at the point was not judged.
pub fn mcf(replay: &Replay, point: &Point) -> Option<f64> {
    let checklist = replay.scores.components.rubric()?.checklist.as_ref();
    Faithfulness::of(replay.judgement_at(point)?, checklist).mcf()
}

/// What was given away up to the end of the point's last turn; None without an audit.
pub fn exposed(replay: &Replay, point: &Point) -> Option<AtTurn> {
    let rubric = replay.scores.components.rubric()?;
    AtTurn::of(rubric.exposure.as_ref()?, rubric.checklist.as_ref(), point.done)
}
