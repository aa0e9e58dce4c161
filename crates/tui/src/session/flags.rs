//! Who flagged what, and when: a source is one judge over time, or what was recorded; a state is one of its judgings.

use crate::session::Session;
use trajview_metrics::lifeline::moment;
use trajview_run::{
    Checkpoint, Run,
    flags::{Counts, Flag, Flagging, per_thousand},
};

/// One judge over time; its states stand in the order of turns, then of making.
#[derive(Debug, Clone, PartialEq)]
pub struct Source<'r> {
    pub by: By<'r>,
    /// At least one.
    pub states: Vec<State<'r>>,
}

/// Who it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum By<'r> {
    /// The benchmark, at the end of each checkpoint.
    Recorded,
    /// Judgings by the same judge, in the same words.
    Judge(&'r Flagging),
}

/// What was flagged in one state of the code.
#[derive(Debug, Clone, PartialEq)]
pub struct State<'r> {
    /// A checkpoint's id, or `turn 7`.
    pub name: String,
    /// Turns done; None where the run has no such moment.
    pub turn: Option<usize>,
    pub flags: &'r [Flag],
    pub lines_of_code: Option<u64>,
    /// Groups without an answer.
    pub unanswered: Vec<&'r str>,
    /// When it was judged (RFC 3339, as written).
    pub at: Option<&'r str>,
}

impl By<'_> {
    /// `recorded by the benchmark`, `judge gpt (m-1), repeat 2`
    pub fn words(self) -> String {
        match self {
            By::Recorded => "recorded by the benchmark".into(),
            By::Judge(flagging) => {
                let judge = &flagging.judge;
                let model = judge.model.as_deref().filter(|model| *model != judge.name);
                let model = model.map(|model| format!(" ({model})")).unwrap_or_default();
                let repeat = flagging.repeat.filter(|it| it.number > 1);
                let repeat = repeat.map(|it| format!(", repeat {}", it.number)).unwrap_or_default();
                format!("judge {}{model}{repeat}", judge.name)
            }
        }
    }

    fn is_same(self, other: &Flagging) -> bool {
        let key = |it: &Flagging| {
            let judge = it.judge.clone();
            (
                judge.name,
                judge.model,
                judge.prompt_sha256,
                it.criteria_sha256.clone(),
                it.repeat.map_or(1, |it| it.number),
            )
        };
        matches!(self, By::Judge(one) if key(one) == key(other))
    }
}

impl State<'_> {
    pub fn counts(&self) -> Counts {
        Counts::of(self.flags)
    }

    /// Flags for 1000 lines of code; None where nobody counted those.
    pub fn per_thousand(&self) -> Option<f64> {
        per_thousand(self.flags.len(), self.lines_of_code?)
    }
}

/// All of the open run. Empty where nobody flagged anything.
pub fn of_session(session: &Session) -> Vec<Source<'_>> {
    sources(&session.run, session.rubric.known().map_or(&[], |rubric| &rubric.flaggings))
}

/// All of a run: what was recorded, then the judges in the order of their first judging.
fn sources<'r>(run: &'r Run, flaggings: &'r [Flagging]) -> Vec<Source<'r>> {
    let mut sources: Vec<Source<'r>> = vec![];
    let recorded: Vec<State<'r>> = run.checkpoints.iter().filter_map(recorded).collect();
    if !recorded.is_empty() {
        sources.push(Source { by: By::Recorded, states: recorded });
    }
    for flagging in flaggings {
        let state = judged(run, flagging);
        match sources.iter_mut().find(|it| it.by.is_same(flagging)) {
            Some(source) => source.states.push(state),
            None => sources.push(Source { by: By::Judge(flagging), states: vec![state] }),
        }
    }
    for source in &mut sources {
        source.states.sort_by_key(|state| state.turn.unwrap_or(usize::MAX));
    }
    sources
}

fn recorded(checkpoint: &Checkpoint) -> Option<State<'_>> {
    let record = checkpoint.recorded.as_ref()?;
    let lines = |name: &str| {
        let value = record.values.iter().find(|it| it.metric == Some(name) || *it.name == *name);
        value?.value.number().map(|lines| lines as u64)
    };
    Some(State {
        name: checkpoint.id.clone(),
        turn: Some(checkpoint.recorded_turn() + 1),
        flags: record.flags.as_deref()?,
        lines_of_code: lines("loc").or_else(|| lines("sloc")),
        unanswered: vec![],
        at: None,
    })
}

fn judged<'r>(run: &Run, flagging: &'r Flagging) -> State<'r> {
    let turn = moment(run, flagging.turn, flagging.commit.as_deref());
    let ends = run.checkpoints.iter().find(|it| Some(it.last_turn + 1) == turn);
    let name = match (ends, turn) {
        (Some(checkpoint), _) => checkpoint.id.clone(),
        (None, Some(turn)) => format!("turn {turn}"),
        (None, None) => "no turn".into(),
    };
    let unanswered = flagging.groups.iter().filter(|group| group.error.is_some());
    State {
        name,
        turn,
        flags: &flagging.flags,
        lines_of_code: flagging.lines_of_code,
        unanswered: unanswered.map(|group| group.id.as_str()).collect(),
        at: flagging.created_at.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Judge, Repeat};

    fn flagging(name: &str, repeat: usize, turn: usize) -> Flagging {
        let judge = Judge { name: name.into(), ..Judge::default() };
        let repeat = Repeat { number: repeat, of: 2 };
        Flagging { judge, repeat: Some(repeat), turn: Some(turn), ..Flagging::default() }
    }

    #[test]
    fn judgings_by_one_judge_are_one_source_in_the_order_of_turns() {
        let run = Run { turns: vec![Default::default(); 9], ..Run::default() };
        let all =
            [flagging("a", 1, 7), flagging("b", 1, 3), flagging("a", 1, 2), flagging("a", 2, 2)];

        let sources = sources(&run, &all);

        let told: Vec<(String, Vec<&str>)> = sources
            .iter()
            .map(|it| (it.by.words(), it.states.iter().map(|state| &*state.name).collect()))
            .collect();
        assert_eq!(
            told,
            [
                ("judge a".into(), vec!["turn 2", "turn 7"]),
                ("judge b".into(), vec!["turn 3"]),
                ("judge a, repeat 2".into(), vec!["turn 2"]),
            ]
        );
    }
}
