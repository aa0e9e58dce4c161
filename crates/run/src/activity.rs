//! How much an agent did, in which project, and whether it is still at it: what tells one session from another.

use serde::{Deserialize, Serialize};

use super::{Role, Run, Step, StepKind, Time, card::steps};

/// What a session worked on. None is "not recorded", which is not 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Work {
    /// The folder the agent worked in.
    pub folder: Option<String>,
    /// The branch of version control at first.
    pub branch: Option<String>,
    /// Steps of all turns, sub-agents' included.
    pub steps: usize,
    /// Recorded changes of files, sub-agents' included; None where there is no step.
    pub edits: Option<usize>,
    /// The last recorded moment, in milliseconds since 1970-01-01 UTC.
    pub ended_at: Option<i64>,
    /// When the recording was last written, in milliseconds since 1970-01-01 UTC; set by who reads files.
    pub written_at: Option<i64>,
    /// How the recording ends.
    pub last: Last,
    /// Whether the agent is at work; set by who knows the clock.
    pub activity: Option<Activity>,
}

/// How a recording ends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Last {
    /// No step, or one that tells nothing of what follows.
    #[default]
    Other,
    /// A call without a result, by its tool's name: it may still go on, however long it writes nothing.
    OpenCall(String),
    /// The agent's words to the person.
    Answer,
}

/// Whether an agent is at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// The recording grows, or a call may still go on; the tool's name where one does.
    Working(Option<String>),
    /// The agent has answered, and the person has not.
    Waiting,
    Stopped,
}

/// A recording that was written less than so many milliseconds ago is still being written, unless it ends with an answer.
const FRESH: i64 = 2 * 60 * 1000;

/// A call without a result may go on for so many milliseconds.
const LONGEST_CALL: i64 = 60 * 60 * 1000;

/// An answer waits for the person for so many milliseconds; then the session is taken as left.
const LONGEST_WAIT: i64 = 12 * 60 * 60 * 1000;

impl Work {
    pub fn of(run: &Run) -> Self {
        let all = steps(run).count();
        let of_turns = run.turns.iter().flat_map(|turn| [turn.started_at, turn.ended_at]);
        let last = of_turns.chain([run.started_at, run.ended_at]).flatten().max();
        let is_said = |words: &String| !words.trim().is_empty();
        Self {
            folder: run.origin.root.clone().filter(is_said),
            branch: run.origin.branch.clone().filter(is_said),
            steps: all,
            edits: (all > 0).then(|| steps(run).map(|step| step.edits.len()).sum()),
            ended_at: last.map(|Time(millis)| millis),
            written_at: None,
            last: Last::of(run),
            activity: None,
        }
    }

    /// As it stands at `now`, for a recording that was written at `written`; both in milliseconds since 1970-01-01 UTC.
    pub fn at(self, written: i64, now: i64) -> Self {
        let idle = now.saturating_sub(written);
        let activity = match &self.last {
            Last::OpenCall(tool) if idle < LONGEST_CALL => Activity::Working(Some(tool.clone())),
            Last::Answer if idle < LONGEST_WAIT => Activity::Waiting,
            Last::Other if idle < FRESH => Activity::Working(None),
            Last::OpenCall(_) | Last::Answer | Last::Other => Activity::Stopped,
        };
        Self { written_at: Some(written), activity: Some(activity), ..self }
    }

    /// The last recorded moment, or when the file was written; in milliseconds since 1970-01-01 UTC.
    pub fn when(&self) -> Option<i64> {
        self.ended_at.or(self.written_at)
    }

    /// The last part of the folder's path.
    pub fn project(&self) -> Option<&str> {
        self.folder.as_deref().map(folder_name)
    }
}

/// The last part of a folder's path, of whichever system; of a root all of it.
pub fn folder_name(folder: &str) -> &str {
    folder.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(folder)
}

impl Last {
    fn of(run: &Run) -> Self {
        let Some(step) = run.turns.last().and_then(|turn| turn.steps.last()) else {
            return Self::Other;
        };
        let is_open = |step: &Step| step.tool.as_ref().is_some_and(|tool| tool.result.is_none());
        match (&step.tool, step.kind, step.role) {
            (Some(tool), ..) if is_open(step) => Self::OpenCall(tool.name.to_string()),
            (None, StepKind::Message, Role::Assistant) => Self::Answer,
            _ => Self::Other,
        }
    }
}

impl Activity {
    /// `working`, `in Bash`, `waiting`, `stopped`
    pub fn words(&self) -> String {
        match self {
            Self::Working(None) => "working".into(),
            Self::Working(Some(tool)) => format!("in {tool}"),
            Self::Waiting => "waiting".into(),
            Self::Stopped => "stopped".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCall, Turn};

    fn ending(step: Step) -> Work {
        let turn = Turn { steps: vec![step], ..Turn::default() };
        Work::of(&Run { turns: vec![turn], ..Run::default() })
    }

    fn after(work: &Work, minutes: i64) -> String {
        let activity = work.clone().at(0, minutes * 60_000).activity;
        activity.map(|it| it.words()).unwrap_or_default()
    }

    #[test]
    fn an_open_call_is_work_although_nothing_is_written() {
        let call = ToolCall { name: "Bash".into(), ..ToolCall::default() };
        let open =
            ending(Step { kind: StepKind::Tool, tool: Some(Box::new(call)), ..Step::default() });

        assert_eq!(
            [1, 30, 90].map(|minutes| after(&open, minutes)),
            ["in Bash", "in Bash", "stopped"]
        );
    }

    #[test]
    fn an_answer_waits_for_the_person_and_other_ends_are_left_soon() {
        let answer = ending(Step { kind: StepKind::Message, ..Step::default() });
        let thinking = ending(Step { kind: StepKind::Thinking, ..Step::default() });

        assert_eq!(
            [0, 90, 24 * 60].map(|minutes| after(&answer, minutes)),
            ["waiting", "waiting", "stopped"]
        );
        assert_eq!([1, 30].map(|minutes| after(&thinking, minutes)), ["working", "stopped"]);
    }

    #[test]
    fn a_project_is_the_last_part_of_its_folder() {
        let of = |folder: &str| Work { folder: Some(folder.into()), ..Work::default() };

        assert_eq!(of("/home/a/shop/").project(), Some("shop"));
        assert_eq!(of("C:\\code\\shop").project(), Some("shop"));
        assert_eq!(of("/").project(), Some("/"));
        assert_eq!(Work::default().project(), None);
    }
}
