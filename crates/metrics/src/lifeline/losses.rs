//! The components that a run lost: in which turn, and by which change to which symbol.

use trajview_run::{
    Run,
    rubric::{Judge, Judgement, Rubric, Verdict},
};

use super::{Lifeline, SymbolEvent, SymbolLife, judged_after};

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

/// Returns the losses among these lifelines, by turn.
pub fn component_losses(lifelines: &[Lifeline]) -> Vec<ComponentLoss<'_>> {
    let mut losses: Vec<ComponentLoss<'_>> = lifelines.iter().filter_map(component_loss).collect();
    losses.sort_by_key(|loss| loss.turn);
    losses
}

fn component_loss(lifeline: &Lifeline) -> Option<ComponentLoss<'_>> {
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
pub fn verdicts_around<'r>(
    run: &Run,
    rubric: &'r Rubric,
    judge: &Judge,
    component: &str,
    turn: usize,
) -> (Option<DatedVerdict<'r>>, Option<DatedVerdict<'r>>) {
    let dated = |judgement: &'r Judgement| {
        let verdict = judgement.verdict_on(component).filter(|verdict| verdict.is_scored())?;
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
