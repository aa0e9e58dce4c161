//! Classifies the actions of a step: RigorBench's types of actions, and a few more that its parser does not
//! distinguish.
//!
//! A step is classified by its tool's name, by the files it edits and, for a shell, by its command line
//! ([`trajview_run::command_purpose`]). A tool of RigorBench's own results is named after the type of its action. To support
//! another tool, add its name to a row of `TOOLS`: letters and digits only, in lower case, the last part of a dotted
//! name.

use super::paths;
use trajview_run::{
    Edit, Role, Step, StepKind,
    command_purpose::{self, CommandPurpose},
    worded_enum::worded,
};

worded! {
    /// One action of a step; a step may have several.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StepAction {
        PlanCreated = "plan_created",
        /// An existing plan is ticked off or changed.
        PlanUpdated = "plan_updated",
        FileRead = "file_read",
        /// Files are listed or searched.
        Searched = "searched",
        FileModified = "file_modified",
        TestWritten = "test_written",
        TestExecuted = "test_executed",
        Built = "built",
        CommandExecuted = "command_executed",
        Committed = "atomic_commit",
        /// Files are restored to a former state.
        Reverted = "reverted",
        CheckpointValidated = "checkpoint_validated",
        ErrorEncountered = "error_encountered",
        RecoveryAttempted = "recovery_attempted",
        AbstentionDeclared = "abstention_declared",
        QuestionAsked = "question_asked",
    }
}

impl StepAction {
    /// Returns whether the action changes files.
    pub const fn edits_files(self) -> bool {
        matches!(self, Self::FileModified | Self::TestWritten | Self::PlanCreated | Self::Reverted)
    }
}

/// The actions of a step, and the files that it reads, as the step names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepActions {
    pub actions: Vec<StepAction>,
    pub reads: Vec<String>,
    /// True where the recording names the actions itself, so that none may be added.
    pub is_recorded: bool,
}

#[derive(Clone, Copy)]
enum ToolKind {
    Recorded(StepAction),
    Plan,
    Question,
    Read,
    Search,
    Shell,
    Other,
}

#[rustfmt::skip] // a table
const TOOLS: &[(ToolKind, &[&str])] = &[
    (ToolKind::Plan, &["todowrite", "updateplan", "writetodos", "settodolist", "exitplanmode", "updatetodolist", "todoupdate", "taskcreate", "taskupdate", "managetodolist", "todowritetool", "planupdate", "tasktracker"]),
    (ToolKind::Question, &["askuserquestion", "askfollowupquestion", "requestuserinput", "askquestion", "askuser", "askhuman", "notifyuser"]),
    (ToolKind::Read, &["read", "readfile", "readfiles", "viewfile", "view", "openfile", "fileread", "readmanyfiles", "notebookread", "readtextfile", "viewfileoutline", "readnotebook"]),
    (ToolKind::Search, &["grep", "glob", "ls", "list", "listdir", "listdirectory", "listfiles", "search", "searchfiles", "grepsearch", "codebasesearch", "findfiles", "filesearch", "globfilesearch", "findbyname", "searchfilecontent", "semanticsearch", "toolsearch"]),
    (ToolKind::Shell, &["bash", "shell", "execcommand", "exec", "runcommand", "runterminalcmd", "runinterminal", "localshell", "terminal", "executecommand", "executebash", "runshellcommand", "shellcommand", "run", "command", "execute", "bashtool", "runcommands"]),
];

impl ToolKind {
    fn from_name(name: &str) -> Self {
        if let Some(action) = recorded_action(name) {
            return Self::Recorded(action);
        }
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        let last = last.rsplit("__").next().unwrap_or(last);
        let plain = last.chars().filter(char::is_ascii_alphanumeric);
        let plain = plain.collect::<String>().to_ascii_lowercase();
        let row = TOOLS.iter().find(|(_, names)| names.contains(&plain.as_str()));
        row.map_or(Self::Other, |(tool, _)| *tool)
    }
}

/// Returns the action whose type is the tool's name, as in recordings that consist of such types.
fn recorded_action(name: &str) -> Option<StepAction> {
    let found = StepAction::ALL.iter().copied().find(|action| action.word() == name)?;
    let is_ours = matches!(
        found,
        StepAction::PlanUpdated
            | StepAction::Searched
            | StepAction::Built
            | StepAction::Reverted
            | StepAction::QuestionAsked
    );
    (!is_ours).then_some(found)
}

/// Returns the actions of a step. `line` is the command line of a shell, the message, or the arguments of the call.
pub fn actions_of_step(step: &Step, line: &str) -> StepActions {
    let mut step_actions = StepActions::default();
    let tool = step.tool.as_deref().map(|tool| match ToolKind::from_name(&tool.name) {
        ToolKind::Other if is_command_line(&tool.name, line) => ToolKind::Shell,
        tool => tool,
    });
    match tool {
        Some(ToolKind::Recorded(action)) => {
            let reads = (action == StepAction::FileRead).then(|| step.label.to_string());
            return StepActions {
                actions: vec![action],
                reads: reads.into_iter().collect(),
                is_recorded: true,
            };
        }
        Some(ToolKind::Plan) => step_actions.actions.push(StepAction::PlanCreated),
        Some(ToolKind::Question) => step_actions.actions.push(StepAction::QuestionAsked),
        Some(ToolKind::Read) => {
            step_actions.actions.push(StepAction::FileRead);
            step_actions.reads.push(step.label.trim_start_matches("view ").to_owned());
        }
        Some(ToolKind::Search) => step_actions.actions.push(StepAction::Searched),
        Some(ToolKind::Shell) => add_command_actions(&mut step_actions, line),
        Some(ToolKind::Other) | None => {}
    }
    for edit in &step.edits {
        step_actions.actions.push(action_of_edit(edit));
    }
    // An editor with commands, whether its name stands before them or not.
    let viewed = step.label.split_once("view ").filter(|(before, _)| {
        step.edits.is_empty() && (before.is_empty() || before.trim_end().ends_with("editor"))
    });
    if let (Some((_, path)), true) = (viewed, step.tool.is_some()) {
        step_actions.actions = vec![StepAction::FileRead];
        step_actions.reads =
            path.split_whitespace().next().map(str::to_owned).into_iter().collect();
    }
    let is_said = step.kind == StepKind::Message && step.role == Role::Assistant;
    if is_said && is_abstention(line) {
        step_actions.actions.push(StepAction::AbstentionDeclared);
    }
    if step.has_failed() {
        step_actions.actions.push(StepAction::ErrorEncountered);
    }
    step_actions.actions.sort_unstable();
    step_actions.actions.dedup();
    step_actions
}

/// Returns whether a step runs a command in a shell; its label begins with the command.
pub fn runs_command(step: &Step) -> bool {
    step.tool.as_deref().is_some_and(|tool| match ToolKind::from_name(&tool.name) {
        ToolKind::Shell => true,
        ToolKind::Other => is_command_line(&tool.name, &step.label),
        _ => false,
    })
}

/// Returns whether a call is a command line that begins with the call's name, as SWE-agent records them.
fn is_command_line(name: &str, line: &str) -> bool {
    let rest = line.trim_start().strip_prefix(name);
    !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Adds the actions of a command line.
fn add_command_actions(step_actions: &mut StepActions, line: &str) {
    for does in command_purpose::command_purposes(line) {
        step_actions.actions.push(match does {
            CommandPurpose::RunsTests => StepAction::TestExecuted,
            CommandPurpose::Builds => StepAction::Built,
            CommandPurpose::Commits => StepAction::Committed,
            CommandPurpose::Reverts => StepAction::Reverted,
            CommandPurpose::Searches => StepAction::Searched,
            CommandPurpose::Other => StepAction::CommandExecuted,
            // `... | tail -5` prints what comes, not a file.
            CommandPurpose::Reads(paths) if paths.is_empty() => continue,
            CommandPurpose::Reads(paths) => {
                step_actions.reads.extend(paths);
                StepAction::FileRead
            }
        });
    }
}

/// Returns the action of an edit, by the file's name.
fn action_of_edit(edit: &Edit) -> StepAction {
    let path = edit.path.as_str();
    let name = paths::file_name(path).to_ascii_lowercase();
    let (stem, suffix) = name.split_once('.').unwrap_or((&name, ""));
    let is_text = matches!(suffix, "" | "md" | "txt" | "rst" | "markdown" | "org" | "adoc");
    if is_text && ["plan", "design", "todo", "roadmap"].iter().any(|word| stem.contains(word)) {
        return StepAction::PlanCreated;
    }
    if paths::is_test_path(path) { StepAction::TestWritten } else { StepAction::FileModified }
}

/// Phrases with which an agent declares that a task cannot be done, or not without more information.
const ABSTAINS: [&str; 13] = [
    "cannot complete",
    "can't complete",
    "unable to complete",
    "cannot be done",
    "can't be done",
    "is impossible",
    "is not possible",
    "isn't possible",
    "i won't",
    "i will not",
    "need clarification",
    "could you clarify",
    "please clarify",
];

fn is_abstention(words: &str) -> bool {
    let words = words.to_lowercase().replace('\u{2019}', "'");
    ABSTAINS.iter().any(|it| words.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{EditKind, EditPath, RecordPlace, ToolCall, ToolResult};

    fn tool_call(name: &str, label: &str, edits: &[&str], exit_code: i32) -> Step {
        let result = Some(ToolResult { exit_code: Some(exit_code), ..ToolResult::default() });
        let edit = |path: &&str| Edit {
            path: EditPath::from_recorded(path, Some("/w")),
            kind: EditKind::Modify,
            from: None,
            added: None,
            removed: None,
            place: RecordPlace::default(),
        };
        Step {
            kind: StepKind::Tool,
            label: label.into(),
            tool: Some(Box::new(ToolCall { name: name.into(), result, ..ToolCall::default() })),
            edits: edits.iter().map(edit).collect(),
            ..Step::default()
        }
    }

    fn action_words(step: &Step, line: &str) -> Vec<&'static str> {
        actions_of_step(step, line).actions.into_iter().map(StepAction::word).collect()
    }

    #[test]
    fn tools_of_many_agents_are_known_by_their_names() {
        assert_eq!(action_words(&tool_call("TodoWrite", "", &[], 0), ""), ["plan_created"]);
        assert_eq!(
            action_words(&tool_call("functions.update_plan", "", &[], 0), ""),
            ["plan_created"]
        );
        assert_eq!(
            action_words(&tool_call("mcp__fs__read_file", "a.py", &[], 0), ""),
            ["file_read"]
        );
        assert_eq!(action_words(&tool_call("AskUserQuestion", "", &[], 0), ""), ["question_asked"]);
        assert_eq!(
            action_words(&tool_call("str_replace_editor", "view a.py", &[], 0), ""),
            ["file_read"]
        );
        assert_eq!(action_words(&tool_call("sing", "", &[], 0), ""), [""; 0]);
    }

    #[test]
    fn a_shell_does_what_its_programs_do() {
        let line = "cat a.py && python3 -m unittest";
        let step_actions = actions_of_step(&tool_call("exec_command", line, &[], 1), line);
        let wanted = [StepAction::FileRead, StepAction::TestExecuted, StepAction::ErrorEncountered];
        assert_eq!(
            (step_actions.actions.as_slice(), step_actions.reads),
            (&wanted[..], vec!["a.py".into()])
        );
    }

    #[test]
    fn a_call_that_is_a_command_line_is_what_its_programs_do() {
        let line = "cd /w && python -m pytest";
        assert_eq!(
            action_words(&tool_call("cd", line, &[], 0), line),
            ["test_executed", "command_executed"]
        );
        let line = "str_replace_editor view /w/a.py";
        let step_actions = actions_of_step(&tool_call("str_replace_editor", line, &[], 0), line);
        assert_eq!(
            (step_actions.actions, step_actions.reads),
            (vec![StepAction::FileRead], vec!["/w/a.py".into()])
        );
    }

    #[test]
    fn edits_are_told_by_the_name_of_the_file() {
        let step = tool_call("apply_patch", "", &["/w/src/a.py", "/w/tests/b.py", "/w/PLAN.md"], 0);
        assert_eq!(action_words(&step, ""), ["plan_created", "file_modified", "test_written"]);
        // A module that is called planner is code.
        assert_eq!(
            action_words(&tool_call("write", "", &["/w/planner.py"], 0), ""),
            ["file_modified"]
        );
    }

    #[test]
    fn an_action_that_is_recorded_counts_as_itself_alone() {
        let step = tool_call("error_encountered", "", &[], 1);
        assert_eq!(action_words(&step, "cannot complete"), ["error_encountered"]);
        assert_eq!(
            action_words(&tool_call("file_modified", "", &["/w/test_a.py"], 0), ""),
            ["file_modified"]
        );
    }
}
