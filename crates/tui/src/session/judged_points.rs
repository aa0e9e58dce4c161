//! Judged values of a run as curves: verdicts at the judged turns, exposure at every turn.

use trajview_metrics::{
    Number,
    exposure::ExposureAtTurn,
    faithfulness::Faithfulness,
    numbers::{NumberInput, facts::VerdictSummary},
};
use trajview_run::rubric::Judgement;

use super::{Session, curve_points::RunPoint};

/// Returns whether there is a verdict or an audit of exposure for a curve.
pub(crate) fn has_judged_curves(session: &Session) -> bool {
    let rubric = session.rubric.known_rubric();
    rubric.is_some_and(|rubric| rubric.exposure.is_some() || rubric.result_judgement().is_some())
}

/// Returns the judge or file behind a curve; None where nothing names one.
pub(crate) fn judge_of_number(session: &Session, number: Number) -> Option<String> {
    match number.row().input {
        NumberInput::Judgement(_) => {
            let judge = session.rubric.judge_of_curves()?;
            Some(format!("{} ({})", judge.name, judge.kind)).filter(|_| !judge.name.is_empty())
        }
        NumberInput::Exposure(_) => Some("exposure.json".into()),
        NumberInput::Code(_)
        | NumberInput::Reuse(_)
        | NumberInput::Tests(_)
        | NumberInput::Counted(_)
        | NumberInput::Spent(_)
        | NumberInput::Process(_)
        | NumberInput::RubricTree(_)
        | NumberInput::Raters
        | NumberInput::Runs => None,
    }
}

/// Returns the judgement of the state at a point that covers the checklist: of the judge whose verdicts the scores
/// show, since judges differ.
fn judgement_at<'a>(session: &'a Session, point: &RunPoint) -> Option<&'a Judgement> {
    let judged = &session.rubric;
    let (judge, rubric) = (judged.judge_of_curves()?, judged.known_rubric()?);
    let done = point.ended_turns()?;
    let is_of_turn = |it: &&Judgement| it.turn == Some(done) && it.judge == *judge;
    let of_turn = rubric.judgements.iter().rev().filter(is_of_turn);
    let covering: Vec<&Judgement> = of_turn.filter(|it| rubric.is_covered_by(it)).collect();
    // A judge may have judged a state again: what is looked at speaks before what is newer.
    let shown = judged.shown_judgement().map(|it| &it.file);
    covering.iter().find(|it| Some(&it.file) == shown).or(covering.first()).copied()
}

/// Returns the verdicts; None where the state at the point was not judged. DIR is not computed for every turn.
pub(crate) fn verdicts_at(session: &Session, point: &RunPoint) -> Option<VerdictSummary> {
    let checklist = session.rubric.known_rubric()?.checklist.as_ref();
    let scores = Faithfulness::from_judgement(judgement_at(session, point)?, checklist);
    Some(VerdictSummary::from_scores(&scores, None))
}

/// Returns the exposure up to the end of the point's last turn; None without an audit.
pub(crate) fn exposure_at(session: &Session, point: &RunPoint) -> Option<ExposureAtTurn> {
    let rubric = session.rubric.known_rubric()?;
    ExposureAtTurn::new(rubric.exposure.as_ref()?, rubric.checklist.as_ref(), point.ended_turns()?)
}
