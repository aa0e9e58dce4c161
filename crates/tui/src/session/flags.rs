//! Who flagged what, and when: a source is one judge over time, or what was recorded; a state is one of its judgings.

use crate::session::Session;
use trajview_metrics::lifeline::turns_done_at;
use trajview_run::{
    Checkpoint, Run,
    flags::{Flag, FlagCounts, Flagging, per_thousand},
};

/// One judge over time; its states are in the order of turns, then of creation.
#[derive(Debug, Clone, PartialEq)]
pub struct FlagSource<'r> {
    pub by: FlaggedBy<'r>,
    /// At least one.
    pub states: Vec<FlaggedState<'r>>,
}

/// The origin of flags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlaggedBy<'r> {
    /// The benchmark, at the end of each checkpoint.
    Recorded,
    /// Judgings by the same judge, in the same words.
    Judge(&'r Flagging),
}

/// The flags of one state of the code.
#[derive(Debug, Clone, PartialEq)]
pub struct FlaggedState<'r> {
    /// A checkpoint's id, or `turn 7`.
    pub name: String,
    /// Turns done; None where the run has no such moment.
    pub turn: Option<usize>,
    pub flags: &'r [Flag],
    pub lines_of_code: Option<u64>,
    /// Groups without an answer.
    pub unanswered: Vec<&'r str>,
    /// The time of the judging (RFC 3339, as written).
    pub at: Option<&'r str>,
}

impl FlaggedBy<'_> {
    /// Returns `recorded by the benchmark`, or `judge gpt (m-1), repeat 2`.
    pub fn display_text(self) -> String {
        match self {
            FlaggedBy::Recorded => "recorded by the benchmark".into(),
            FlaggedBy::Judge(flagging) => {
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
        matches!(self, FlaggedBy::Judge(one) if key(one) == key(other))
    }
}

impl FlaggedState<'_> {
    pub(crate) fn flag_counts(&self) -> FlagCounts {
        FlagCounts::from_flags(self.flags)
    }

    /// Returns the number of flags for 1000 lines of code; None where nobody counted the lines.
    pub fn per_thousand(&self) -> Option<f64> {
        per_thousand(self.flags.len(), self.lines_of_code?)
    }
}

/// Returns the sources of the open run; empty without flags.
pub(crate) fn flag_sources(session: &Session) -> Vec<FlagSource<'_>> {
    sources_of_run(
        &session.run,
        session.rubric.known_rubric().map_or(&[], |rubric| &rubric.flaggings),
    )
}

/// Returns the sources of a run: the recorded one, then the judges in the order of their first judging.
fn sources_of_run<'r>(run: &'r Run, flaggings: &'r [Flagging]) -> Vec<FlagSource<'r>> {
    let mut sources: Vec<FlagSource<'r>> = vec![];
    let recorded: Vec<FlaggedState<'r>> =
        run.checkpoints.iter().filter_map(recorded_state).collect();
    if !recorded.is_empty() {
        sources.push(FlagSource { by: FlaggedBy::Recorded, states: recorded });
    }
    for flagging in flaggings {
        let state = judged_state(run, flagging);
        match sources.iter_mut().find(|it| it.by.is_same(flagging)) {
            Some(source) => source.states.push(state),
            None => {
                sources.push(FlagSource { by: FlaggedBy::Judge(flagging), states: vec![state] })
            }
        }
    }
    for source in &mut sources {
        source.states.sort_by_key(|state| state.turn.unwrap_or(usize::MAX));
    }
    sources
}

fn recorded_state(checkpoint: &Checkpoint) -> Option<FlaggedState<'_>> {
    let record = checkpoint.recorded.as_ref()?;
    let lines = |name: &str| {
        let value = record.values.iter().find(|it| it.metric == Some(name) || *it.name == *name);
        value?.value.as_number().map(|lines| lines as u64)
    };
    Some(FlaggedState {
        name: checkpoint.id.clone(),
        turn: Some(checkpoint.recorded_turn() + 1),
        flags: record.flags.as_deref()?,
        lines_of_code: lines("loc").or_else(|| lines("sloc")),
        unanswered: vec![],
        at: None,
    })
}

fn judged_state<'r>(run: &Run, flagging: &'r Flagging) -> FlaggedState<'r> {
    let turn = turns_done_at(run, flagging.turn, flagging.commit.as_deref());
    let ends = run.checkpoints.iter().find(|it| Some(it.last_turn + 1) == turn);
    let name = match (ends, turn) {
        (Some(checkpoint), _) => checkpoint.id.clone(),
        (None, Some(turn)) => format!("turn {turn}"),
        (None, None) => "no turn".into(),
    };
    let unanswered = flagging.groups.iter().filter(|group| group.error.is_some());
    FlaggedState {
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
    use trajview_run::rubric::{Judge, RepeatNumber};

    fn flagging_by(name: &str, repeat: usize, turn: usize) -> Flagging {
        let judge = Judge { name: name.into(), ..Judge::default() };
        let repeat = RepeatNumber { number: repeat, total: 2 };
        Flagging { judge, repeat: Some(repeat), turn: Some(turn), ..Flagging::default() }
    }

    #[test]
    fn judgings_by_one_judge_are_one_source_in_the_order_of_turns() {
        let run = Run { turns: vec![Default::default(); 9], ..Run::default() };
        let all = [
            flagging_by("a", 1, 7),
            flagging_by("b", 1, 3),
            flagging_by("a", 1, 2),
            flagging_by("a", 2, 2),
        ];

        let sources = sources_of_run(&run, &all);

        let told: Vec<(String, Vec<&str>)> = sources
            .iter()
            .map(|it| (it.by.display_text(), it.states.iter().map(|state| &*state.name).collect()))
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
