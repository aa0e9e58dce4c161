//! The scores of the components as they were known after the selected turn.

use trajview_metrics::lifeline::judged_after;
use trajview_run::rubric::Judgement;

use super::Session;

/// A component's score as it was known after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentAtTurn {
    pub id: String,
    pub name: String,
    pub score: u8,
    /// The turn after which the code was judged; counts from 1.
    pub judged: usize,
    /// Minus the score in the judgement of an earlier turn.
    pub change: Option<i8>,
}

/// Components in the list beside a turn, at most.
pub(crate) const MAX_COMPONENTS: usize = 6;

impl Session {
    /// Returns the components that the last whole judgement up to the playhead leaves worse than an earlier one did,
    /// then those that score least; none where nothing up to there was judged. The judgements are of one judge, the one
    /// whose scores the curves have: judges differ.
    pub(crate) fn components_at_turn(&self) -> Vec<ComponentAtTurn> {
        let Some(rubric) = self.rubric.known_rubric() else { return vec![] };
        let Some(judge) = self.rubric.judge_of_curves() else { return vec![] };
        let moment = |judgement: &Judgement| judged_after(&self.run, judgement);
        let is_whole = |it: &&Judgement| it.judge == *judge && rubric.is_covered_by(it);
        let covering = || rubric.judgements.iter().filter(is_whole);
        let dated = covering().filter_map(|it| Some((it, moment(it)?)));
        let Some((chosen, judged)) =
            dated.filter(|(_, done)| *done <= self.turn + 1).max_by_key(|(_, done)| *done)
        else {
            return vec![];
        };
        let earlier =
            covering().filter(|it| moment(it) < moment(chosen)).max_by_key(|it| moment(it));
        let name = |id: &str| {
            let listed = rubric.checklist.iter().flat_map(|it| &it.components);
            let found = listed.into_iter().find(|it| it.id == id);
            found.map(|it| it.name.clone()).unwrap_or_default()
        };
        let mut all: Vec<ComponentAtTurn> = chosen
            .verdicts
            .iter()
            .filter(|verdict| !self.is_hidden_by_the_audit(&verdict.component))
            .filter_map(|verdict| {
                let (score, id) = (verdict.counted_level()?, verdict.component.clone());
                let before = earlier.and_then(|it| it.verdict_on(&id)?.score);
                let change = before.map(|before| score as i8 - before as i8);
                Some(ComponentAtTurn { name: name(&id), id, score, judged, change })
            })
            .collect();
        all.sort_by_key(|it| (it.change.unwrap_or_default().min(0), it.score));
        all.truncate(MAX_COMPONENTS);
        all
    }

    /// Notes that these scores are on screen, whichever judgement they are of: a label that follows is not blind.
    pub(crate) fn note_components_shown(&mut self) {
        let ids: Vec<String> = self.components_at_turn().into_iter().map(|it| it.id).collect();
        let judgements = self.rubric.known_rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let pairs = judgements
            .iter()
            .flat_map(|it| ids.iter().map(|id| (it.file.clone(), id.clone())))
            .collect::<Vec<_>>();
        self.audit.see_verdicts(pairs);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::session::request::RequestIds;
    use trajview_run::{
        Run, Turn,
        rubric::{Rubric, Verdict},
    };

    fn judgement_at(file: &str, turn: usize, scores: [u8; 2]) -> Judgement {
        let verdict = |(id, score): (&str, u8)| Verdict {
            component: id.into(),
            score: Some(score),
            ..Verdict::default()
        };
        let verdicts = ["C1", "C2"].into_iter().zip(scores).map(verdict).collect();
        Judgement { file: file.into(), turn: Some(turn), verdicts, ..Judgement::default() }
    }

    #[test]
    fn what_became_worse_comes_first_with_its_change() {
        let run = Run { turns: vec![Turn::default(); 3], ..Run::default() };
        let mut session = Session::new(run.into());
        let asked = session.ask_rubric(&mut RequestIds::default(), false).unwrap();
        let judgements = vec![judgement_at("a", 1, [1, 4]), judgement_at("b", 3, [1, 3])];
        let rubric = Rubric { judgements, ..Rubric::default() };
        session.rubric.take_answer(asked.request_id().unwrap(), Ok(Arc::new(rubric)));
        let told = |session: &Session| {
            let all = session.components_at_turn().into_iter();
            all.map(|it| (it.id, it.score, it.change)).collect::<Vec<_>>()
        };

        assert_eq!(told(&session), [("C1".into(), 1, None), ("C2".into(), 4, None)]);
        session.turn = 2;
        assert_eq!(told(&session), [("C2".into(), 3, Some(-1)), ("C1".into(), 1, Some(0))]);
        session.turn = 1;
        let judged: Vec<usize> = session.components_at_turn().iter().map(|it| it.judged).collect();
        assert_eq!(judged, [1, 1], "the scores at turn 2 are those of turn 1");
    }
}
