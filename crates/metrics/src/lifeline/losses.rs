//! The components that a run lost: in which turn, and by which change to which symbol.

use trajview_run::{
    Run,
    format_number::trimmed_decimals,
    rubric::{Judge, Judgement, Rubric, Verdict},
};

use super::{EventSpot, Lifeline, SymbolEvent, SymbolLife, judged_after};

/// A component that the run had and no longer has at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentLoss<'l> {
    pub component: &'l str,
    /// The turn after which no deciding symbol is alive; counts from 1.
    pub turn: usize,
    /// The deciding symbols, those that were lost last first.
    pub symbols: Vec<LostSymbol<'l>>,
}

/// A symbol of a lost component.
#[derive(Debug, Clone, PartialEq)]
pub struct LostSymbol<'l> {
    pub life: &'l SymbolLife,
    /// The turn from which on it is lost; counts from 1.
    pub turn: usize,
    /// The most serious change of that turn. None for a symbol that was lost without one.
    pub event: Option<&'l SymbolEvent>,
}

/// A verdict on a component, and the state of the run that was judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatedVerdict<'r> {
    pub judgement: &'r Judgement,
    pub verdict: &'r Verdict,
    /// Turns done in the state that was judged.
    pub turns_done: usize,
}

/// A loss with the text that the run and its judgements have about it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLoss<'l> {
    pub loss: ComponentLoss<'l>,
    /// The name in the checklist.
    pub name: Option<&'l str>,
    /// The id of the turn's checkpoint.
    pub checkpoint: Option<&'l str>,
    /// The first line of the turn's request.
    pub request: Option<&'l str>,
    /// The judge's verdict on the last state that was judged before the turn.
    pub before: Option<DatedVerdict<'l>>,
    /// The judge's verdict on the last state that was judged after the turn.
    pub after: Option<DatedVerdict<'l>>,
}

impl ComponentLoss<'_> {
    /// Returns the line that shows the loss in the turn's diff.
    pub fn event_spot(&self) -> Option<&EventSpot> {
        let in_turn = self.symbols.iter().filter(|symbol| symbol.turn == self.turn);
        in_turn.filter_map(LostSymbol::event_spot).next()
    }
}

impl LostSymbol<'_> {
    /// Returns the line that shows the change.
    pub fn event_spot(&self) -> Option<&EventSpot> {
        self.event?.spot.as_ref()
    }

    /// Returns what the turn did to it; without an event the state at the end of the run.
    pub fn change_text(&self) -> String {
        let state = || self.life.last_state().words().to_owned();
        self.event.map_or_else(state, |event| event.change.change_text())
    }

    /// Returns `src/a.py:10`, or the file alone. Empty where neither is known.
    pub fn place_text(&self) -> String {
        match (self.event_spot(), &self.life.place) {
            (Some(spot), _) => format!("{}:{}", spot.path, spot.line),
            (None, Some(place)) => place.path.to_string(),
            (None, None) => String::new(),
        }
    }
}

impl DatedVerdict<'_> {
    /// Returns `4 at 39`: the score, or the level without a number, and the judged turn.
    pub fn score_text(&self) -> String {
        let score = self.verdict.score_value().map(trimmed_decimals);
        let level = score.or_else(|| self.verdict.label.clone()).unwrap_or_default();
        format!("{level} at {}", self.turns_done)
    }
}

/// Returns the losses among these lifelines, by turn, with the verdicts of one judge; without a judge there are none.
pub fn recorded_losses<'l>(
    run: &'l Run,
    rubric: &'l Rubric,
    judge: Option<&Judge>,
    lifelines: &'l [Lifeline],
) -> Vec<RecordedLoss<'l>> {
    let of_loss = |loss: ComponentLoss<'l>| {
        let components = rubric.checklist.iter().flat_map(|it| &it.components);
        let component = components.into_iter().find(|it| it.id == loss.component);
        let turn = run.turns.get(loss.turn.wrapping_sub(1));
        let checkpoint = turn.and_then(|turn| run.checkpoints.get(turn.checkpoint?));
        let (before, after) = judge.map_or((None, None), |judge| {
            verdicts_around(run, rubric, judge, loss.component, loss.turn)
        });
        RecordedLoss {
            name: component.map(|it| it.name.as_str()),
            checkpoint: checkpoint.map(|it| it.id.as_str()),
            request: turn.map(|turn| &*turn.title).filter(|title| !title.is_empty()),
            before,
            after,
            loss,
        }
    };
    component_losses(lifelines).into_iter().map(of_loss).collect()
}

/// Returns the losses among these lifelines, by turn.
pub fn component_losses(lifelines: &[Lifeline]) -> Vec<ComponentLoss<'_>> {
    let mut losses: Vec<ComponentLoss<'_>> = lifelines.iter().filter_map(component_loss).collect();
    losses.sort_by_key(|loss| loss.turn);
    losses
}

/// Returns the loss of a component by its lifeline; None while its code is in use.
pub fn component_loss(lifeline: &Lifeline) -> Option<ComponentLoss<'_>> {
    let turn = lifeline.lost_at?;
    let mut symbols: Vec<LostSymbol<'_>> =
        lifeline.deciding_symbols().filter_map(lost_symbol).collect();
    symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.turn));
    Some(ComponentLoss { component: &lifeline.component, turn, symbols })
}

fn lost_symbol(life: &SymbolLife) -> Option<LostSymbol<'_>> {
    let turn = life.lost_turn()?;
    let cell = turn.checked_sub(1).and_then(|at| life.cells.get(at));
    let event = cell.and_then(|cell| cell.events.iter().max_by_key(|event| &event.change));
    Some(LostSymbol { life, turn, event })
}

/// Returns the verdicts of a judge on a component around a turn (counts from 1): of the last state that was judged before
/// the turn, and of the last one that was judged after it. Of several judgements of one state the newest file counts.
pub(crate) fn verdicts_around<'r>(
    run: &Run,
    rubric: &'r Rubric,
    judge: &Judge,
    component: &str,
    turn: usize,
) -> (Option<DatedVerdict<'r>>, Option<DatedVerdict<'r>>) {
    let dated = |judgement: &'r Judgement| {
        let verdict = judgement
            .verdict_on(component)
            .filter(|verdict| verdict.is_scored() && !verdict.is_left_out)?;
        Some(DatedVerdict { judgement, verdict, turns_done: judged_after(run, judgement)? })
    };
    let of_judge = rubric.judgements.iter().filter(|judgement| judgement.judge.name == judge.name);
    let (before, after): (Vec<_>, Vec<_>) =
        of_judge.filter_map(dated).partition(|dated| dated.turns_done < turn);
    let newest = |verdicts: Vec<DatedVerdict<'r>>| {
        verdicts.into_iter().max_by_key(|dated| (dated.turns_done, &dated.judgement.created_at))
    };
    (newest(before), newest(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::Turn;

    fn judgement(judge: &str, turn: usize, score: u8) -> Judgement {
        let judge = Judge { name: judge.into(), ..Judge::default() };
        let verdict = Verdict { component: "C1".into(), score: Some(score), ..Verdict::default() };
        Judgement { judge, turn: Some(turn), verdicts: vec![verdict], ..Judgement::default() }
    }

    #[test]
    fn verdicts_are_of_the_last_judged_states_before_and_after_the_loss() {
        let run = Run { turns: vec![Turn::default(); 9], ..Run::default() };
        let judgements = vec![
            judgement("a", 2, 1),
            judgement("a", 4, 4),
            judgement("b", 4, 2),
            judgement("a", 5, 3),
            judgement("a", 9, 0),
            judgement("a", 12, 4),
        ];
        let rubric = Rubric { judgements, ..Rubric::default() };
        let judge = Judge { name: "a".into(), ..Judge::default() };
        let scores = |component: &str, turn: usize| {
            let (before, after) = verdicts_around(&run, &rubric, &judge, component, turn);
            [before, after].map(|dated| dated.and_then(|it| it.verdict.score))
        };

        assert_eq!(scores("C1", 5), [Some(4), Some(0)]);
        assert_eq!(scores("C1", 2), [None, Some(0)], "a state after the loss is no state before");
        assert_eq!(scores("C2", 5), [None, None]);
    }
}
