//! The activity of an agent: how much it did, in which project, and whether it is still working. It tells one session
//! from another.

use serde::{Deserialize, Serialize};

use super::{Role, Run, Step, StepKind, Time, run_card::main_and_subagent_steps};

/// The work of a session. None is "not recorded", which is not 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionWork {
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
    /// The time at which the recording was last written, in milliseconds since 1970-01-01 UTC; set by who reads files.
    pub written_at: Option<i64>,
    /// The end of the recording.
    pub last: RecordingEnd,
    /// The state of the agent; set by the caller that knows the clock.
    pub activity: Option<AgentActivity>,
}

/// The end of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RecordingEnd {
    /// No step, or one that tells nothing of what follows.
    #[default]
    Other,
    /// A call without a result, by its tool's name: it may still go on, however long it writes nothing.
    OpenCall(String),
    /// The agent's words to the person.
    Answer,
}

/// The state of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentActivity {
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

impl SessionWork {
    pub fn for_run(run: &Run) -> Self {
        let all = main_and_subagent_steps(run).count();
        let of_turns = run.turns.iter().flat_map(|turn| [turn.started_at, turn.ended_at]);
        let last = of_turns.chain([run.started_at, run.ended_at]).flatten().max();
        let is_said = |words: &String| !words.trim().is_empty();
        Self {
            folder: run.origin.root.clone().filter(is_said),
            branch: run.origin.branch.clone().filter(is_said),
            steps: all,
            edits: (all > 0)
                .then(|| main_and_subagent_steps(run).map(|step| step.edits.len()).sum()),
            ended_at: last.map(|Time(millis)| millis),
            written_at: None,
            last: RecordingEnd::for_run(run),
            activity: None,
        }
    }

    /// Returns the work with the agent's state at `now`, for a recording that was written at `written`; both in
    /// milliseconds since 1970-01-01 UTC.
    pub fn with_activity_at(self, written: i64, now: i64) -> Self {
        let idle = now.saturating_sub(written);
        let activity = match &self.last {
            RecordingEnd::OpenCall(tool) if idle < LONGEST_CALL => {
                AgentActivity::Working(Some(tool.clone()))
            }
            RecordingEnd::Answer if idle < LONGEST_WAIT => AgentActivity::Waiting,
            RecordingEnd::Other if idle < FRESH => AgentActivity::Working(None),
            RecordingEnd::OpenCall(_) | RecordingEnd::Answer | RecordingEnd::Other => {
                AgentActivity::Stopped
            }
        };
        Self { written_at: Some(written), activity: Some(activity), ..self }
    }

    /// Returns the last recorded moment, or when the file was written; in milliseconds since 1970-01-01 UTC.
    pub fn last_active_at(&self) -> Option<i64> {
        self.ended_at.or(self.written_at)
    }

    /// Returns the last part of the folder's path.
    pub fn project_name(&self) -> Option<&str> {
        self.folder.as_deref().map(folder_name)
    }
}

/// Returns the last part of a folder's path, of whichever system; of a root all of it.
pub fn folder_name(folder: &str) -> &str {
    folder.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(folder)
}

impl RecordingEnd {
    fn for_run(run: &Run) -> Self {
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

impl AgentActivity {
    /// Returns `working`, `in Bash`, `waiting` or `stopped`.
    pub fn display_text(&self) -> String {
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

    fn work_ending_with(step: Step) -> SessionWork {
        let turn = Turn { steps: vec![step], ..Turn::default() };
        SessionWork::for_run(&Run { turns: vec![turn], ..Run::default() })
    }

    fn activity_after(work: &SessionWork, minutes: i64) -> String {
        let activity = work.clone().with_activity_at(0, minutes * 60_000).activity;
        activity.map(|it| it.display_text()).unwrap_or_default()
    }

    #[test]
    fn an_open_call_is_work_although_nothing_is_written() {
        let call = ToolCall { name: "Bash".into(), ..ToolCall::default() };
        let open = work_ending_with(Step {
            kind: StepKind::Tool,
            tool: Some(Box::new(call)),
            ..Step::default()
        });

        assert_eq!(
            [1, 30, 90].map(|minutes| activity_after(&open, minutes)),
            ["in Bash", "in Bash", "stopped"]
        );
    }

    #[test]
    fn an_answer_waits_for_the_person_and_other_ends_are_left_soon() {
        let answer = work_ending_with(Step { kind: StepKind::Message, ..Step::default() });
        let thinking = work_ending_with(Step { kind: StepKind::Thinking, ..Step::default() });

        assert_eq!(
            [0, 90, 24 * 60].map(|minutes| activity_after(&answer, minutes)),
            ["waiting", "waiting", "stopped"]
        );
        assert_eq!(
            [1, 30].map(|minutes| activity_after(&thinking, minutes)),
            ["working", "stopped"]
        );
    }

    #[test]
    fn a_project_is_the_last_part_of_its_folder() {
        let of =
            |folder: &str| SessionWork { folder: Some(folder.into()), ..SessionWork::default() };

        assert_eq!(of("/home/a/shop/").project_name(), Some("shop"));
        assert_eq!(of("C:\\code\\shop").project_name(), Some("shop"));
        assert_eq!(of("/").project_name(), Some("/"));
        assert_eq!(SessionWork::default().project_name(), None);
    }
}
