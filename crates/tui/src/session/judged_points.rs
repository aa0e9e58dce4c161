//! What was said of a run beside its recording, as curves: verdicts at the turns that were judged, exposure at every
//! turn.

use trajview_metrics::{
    Number,
    exposure::AtTurn,
    faithfulness::Faithfulness,
    numbers::{Of, facts::Verdicts},
};
use trajview_run::rubric::Judgement;

use super::{Session, points::Point};

/// Whether there is a verdict or an audit of exposure to draw a curve of.
pub fn has_judged_curves(session: &Session) -> bool {
    let rubric = session.rubric.known();
    rubric.is_some_and(|rubric| rubric.exposure.is_some() || rubric.chosen().is_some())
}

/// Who gave the scores a curve is made of; None where nothing says so.
pub fn judged_by(session: &Session, number: Number) -> Option<String> {
    match number.row().of {
        Of::Judgement(_) => {
            let judge = session.rubric.judge_of_curves()?;
            Some(format!("{} ({})", judge.name, judge.kind)).filter(|_| !judge.name.is_empty())
        }
        Of::Exposure(_) => Some("exposure.json".into()),
        Of::Code(_)
        | Of::Reuse(_)
        | Of::Tests(_)
        | Of::Counted(_)
        | Of::Spent(_)
        | Of::Process(_)
        | Of::RubricTree(_)
        | Of::Raters
        | Of::Runs => None,
    }
}

/// The judgement of the state at a point that covers the checklist: of the judge whose verdicts the scores show, since
/// judges differ.
fn judgement_at<'a>(session: &'a Session, point: &Point) -> Option<&'a Judgement> {
    let judged = &session.rubric;
    let (judge, rubric) = (judged.judge_of_curves()?, judged.known()?);
    let done = point.ended()?;
    let is_of_turn = |it: &&Judgement| it.turn == Some(done) && it.judge == *judge;
    let of_turn = rubric.judgements.iter().rev().filter(is_of_turn);
    let whole: Vec<&Judgement> = of_turn.filter(|it| rubric.covers(it)).collect();
    // A judge may have judged a state again: what is looked at speaks before what is newer.
    let shown = judged.judgement().map(|it| &it.file);
    whole.iter().find(|it| Some(&it.file) == shown).or(whole.first()).copied()
}

/// None where the state at the point was not judged. DIR is not worked out for every turn.
pub fn verdicts(session: &Session, point: &Point) -> Option<Verdicts> {
    let checklist = session.rubric.known()?.checklist.as_ref();
    let scores = Faithfulness::of(judgement_at(session, point)?, checklist);
    Some(Verdicts::of(&scores, None))
}

/// What was given away up to the end of the point's last turn; None without an audit.
pub fn exposed(session: &Session, point: &Point) -> Option<AtTurn> {
    let rubric = session.rubric.known()?;
    AtTurn::of(rubric.exposure.as_ref()?, rubric.checklist.as_ref(), point.ended()?)
}
