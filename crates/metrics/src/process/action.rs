//! What a step does, in the words by which process is counted: RigorBench's types of actions, and a few more that its parser
//! does not tell apart.
//!
//! A step is told by its tool's name, by the files it edits and, for a shell, by its command line
//! ([`trajview_run::commands`]). A tool of RigorBench's own results is named after the type of its action. To know another tool
//! add its name to a row of `TOOLS`: letters and digits only, in lower case, the last part of a dotted name.

use super::paths;
use trajview_run::{
    Edit, Role, Step, StepKind,
    commands::{self, Does},
    values::worded,
};

worded! {
    /// One thing that a step does; a step may do several.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        PlanCreated = "plan_created",
        /// A plan that is there is ticked off or changed.
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
        /// Files are put back as they were.
        Reverted = "reverted",
        CheckpointValidated = "checkpoint_validated",
        ErrorEncountered = "error_encountered",
        RecoveryAttempted = "recovery_attempted",
        AbstentionDeclared = "abstention_declared",
        QuestionAsked = "question_asked",
    }
}

impl Action {
    /// Whether it changes files.
    pub const fn edits(self) -> bool {
        matches!(self, Self::FileModified | Self::TestWritten | Self::PlanCreated | Self::Reverted)
    }
}

/// What a step does, and the files that it reads, as the step names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    pub actions: Vec<Action>,
    pub reads: Vec<String>,
    /// Whether the recording names the actions itself, so that nothing may be added to them.
    pub is_recorded: bool,
}

#[derive(Clone, Copy)]
enum Tool {
    Recorded(Action),
    Plan,
    Question,
    Read,
    Search,
    Shell,
    Other,
}

#[rustfmt::skip] // a table
const TOOLS: &[(Tool, &[&str])] = &[
    (Tool::Plan, &["todowrite", "updateplan", "writetodos", "settodolist", "exitplanmode", "updatetodolist", "todoupdate", "taskcreate", "taskupdate", "managetodolist", "todowritetool", "planupdate", "tasktracker"]),
    (Tool::Question, &["askuserquestion", "askfollowupquestion", "requestuserinput", "askquestion", "askuser", "askhuman", "notifyuser"]),
    (Tool::Read, &["read", "readfile", "readfiles", "viewfile", "view", "openfile", "fileread", "readmanyfiles", "notebookread", "readtextfile", "viewfileoutline", "readnotebook"]),
    (Tool::Search, &["grep", "glob", "ls", "list", "listdir", "listdirectory", "listfiles", "search", "searchfiles", "grepsearch", "codebasesearch", "findfiles", "filesearch", "globfilesearch", "findbyname", "searchfilecontent", "semanticsearch", "toolsearch"]),
    (Tool::Shell, &["bash", "shell", "execcommand", "exec", "runcommand", "runterminalcmd", "runinterminal", "localshell", "terminal", "executecommand", "executebash", "runshellcommand", "shellcommand", "run", "command", "execute", "bashtool", "runcommands"]),
];

impl Tool {
    fn of(name: &str) -> Self {
        if let Some(action) = recorded(name) {
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

/// The action whose type a tool's name is, where the recording is made of such types.
fn recorded(name: &str) -> Option<Action> {
    let found = Action::ALL.iter().copied().find(|action| action.word() == name)?;
    let is_ours = matches!(
        found,
        Action::PlanUpdated
            | Action::Searched
            | Action::Built
            | Action::Reverted
            | Action::QuestionAsked
    );
    (!is_ours).then_some(found)
}

/// What a step does. `line` is the command line of a shell, the message, or the arguments of the call.
pub fn of(step: &Step, line: &str) -> Told {
    let mut told = Told::default();
    let tool = step.tool.as_deref().map(|tool| match Tool::of(&tool.name) {
        Tool::Other if is_command_line(&tool.name, line) => Tool::Shell,
        tool => tool,
    });
    match tool {
        Some(Tool::Recorded(action)) => {
            let reads = (action == Action::FileRead).then(|| step.label.to_string());
            return Told {
                actions: vec![action],
                reads: reads.into_iter().collect(),
                is_recorded: true,
            };
        }
        Some(Tool::Plan) => told.actions.push(Action::PlanCreated),
        Some(Tool::Question) => told.actions.push(Action::QuestionAsked),
        Some(Tool::Read) => {
            told.actions.push(Action::FileRead);
            told.reads.push(step.label.trim_start_matches("view ").to_owned());
        }
        Some(Tool::Search) => told.actions.push(Action::Searched),
        Some(Tool::Shell) => of_commands(&mut told, line),
        Some(Tool::Other) | None => {}
    }
    for edit in &step.edits {
        told.actions.push(of_edit(edit));
    }
    // An editor with commands, whether its name stands before them or not.
    let viewed = step.label.split_once("view ").filter(|(before, _)| {
        step.edits.is_empty() && (before.is_empty() || before.trim_end().ends_with("editor"))
    });
    if let (Some((_, path)), true) = (viewed, step.tool.is_some()) {
        told.actions = vec![Action::FileRead];
        told.reads = path.split_whitespace().next().map(str::to_owned).into_iter().collect();
    }
    let is_said = step.kind == StepKind::Message && step.role == Role::Assistant;
    if is_said && abstains(line) {
        told.actions.push(Action::AbstentionDeclared);
    }
    if step.failed() {
        told.actions.push(Action::ErrorEncountered);
    }
    told.actions.sort_unstable();
    told.actions.dedup();
    told
}

/// Whether a call is a command line that begins with what the call is named after, as SWE-agent records them.
fn is_command_line(name: &str, line: &str) -> bool {
    let rest = line.trim_start().strip_prefix(name);
    !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn of_commands(told: &mut Told, line: &str) {
    for does in commands::does(line) {
        told.actions.push(match does {
            Does::RunsTests => Action::TestExecuted,
            Does::Builds => Action::Built,
            Does::Commits => Action::Committed,
            Does::Reverts => Action::Reverted,
            Does::Searches => Action::Searched,
            Does::Other => Action::CommandExecuted,
            // `... | tail -5` prints what comes, not a file.
            Does::Reads(paths) if paths.is_empty() => continue,
            Does::Reads(paths) => {
                told.reads.extend(paths);
                Action::FileRead
            }
        });
    }
}

/// What an edit of a file counts as, by the file's name.
fn of_edit(edit: &Edit) -> Action {
    let path = edit.path.as_str();
    let name = paths::name(path).to_ascii_lowercase();
    let (stem, suffix) = name.split_once('.').unwrap_or((&name, ""));
    let is_text = matches!(suffix, "" | "md" | "txt" | "rst" | "markdown" | "org" | "adoc");
    if is_text && ["plan", "design", "todo", "roadmap"].iter().any(|word| stem.contains(word)) {
        return Action::PlanCreated;
    }
    if paths::is_test(path) { Action::TestWritten } else { Action::FileModified }
}

/// Words by which an agent says that what is asked cannot be done, or cannot be done without more being said.
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

fn abstains(words: &str) -> bool {
    let words = words.to_lowercase().replace('\u{2019}', "'");
    ABSTAINS.iter().any(|it| words.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{EditKind, EditPath, Place, ToolCall, ToolResult};

    fn call(name: &str, label: &str, edits: &[&str], exit_code: i32) -> Step {
        let result = Some(ToolResult { exit_code: Some(exit_code), ..ToolResult::default() });
        let edit = |path: &&str| Edit {
            path: EditPath::sort(path, Some("/w")),
            kind: EditKind::Modify,
            from: None,
            added: None,
            removed: None,
            place: Place::default(),
        };
        Step {
            kind: StepKind::Tool,
            label: label.into(),
            tool: Some(Box::new(ToolCall { name: name.into(), result, ..ToolCall::default() })),
            edits: edits.iter().map(edit).collect(),
            ..Step::default()
        }
    }

    fn words(step: &Step, line: &str) -> Vec<&'static str> {
        of(step, line).actions.into_iter().map(Action::word).collect()
    }

    #[test]
    fn tools_of_many_agents_are_known_by_their_names() {
        assert_eq!(words(&call("TodoWrite", "", &[], 0), ""), ["plan_created"]);
        assert_eq!(words(&call("functions.update_plan", "", &[], 0), ""), ["plan_created"]);
        assert_eq!(words(&call("mcp__fs__read_file", "a.py", &[], 0), ""), ["file_read"]);
        assert_eq!(words(&call("AskUserQuestion", "", &[], 0), ""), ["question_asked"]);
        assert_eq!(words(&call("str_replace_editor", "view a.py", &[], 0), ""), ["file_read"]);
        assert_eq!(words(&call("sing", "", &[], 0), ""), [""; 0]);
    }

    #[test]
    fn a_shell_does_what_its_programs_do() {
        let line = "cat a.py && python3 -m unittest";
        let told = of(&call("exec_command", line, &[], 1), line);
        let wanted = [Action::FileRead, Action::TestExecuted, Action::ErrorEncountered];
        assert_eq!((told.actions.as_slice(), told.reads), (&wanted[..], vec!["a.py".into()]));
    }

    #[test]
    fn a_call_that_is_a_command_line_is_what_its_programs_do() {
        let line = "cd /w && python -m pytest";
        assert_eq!(words(&call("cd", line, &[], 0), line), ["test_executed", "command_executed"]);
        let line = "str_replace_editor view /w/a.py";
        let told = of(&call("str_replace_editor", line, &[], 0), line);
        assert_eq!((told.actions, told.reads), (vec![Action::FileRead], vec!["/w/a.py".into()]));
    }

    #[test]
    fn edits_are_told_by_the_name_of_the_file() {
        let step = call("apply_patch", "", &["/w/src/a.py", "/w/tests/b.py", "/w/PLAN.md"], 0);
        assert_eq!(words(&step, ""), ["plan_created", "file_modified", "test_written"]);
        // A module that is called planner is code.
        assert_eq!(words(&call("write", "", &["/w/planner.py"], 0), ""), ["file_modified"]);
    }

    #[test]
    fn an_action_that_is_recorded_counts_as_itself_alone() {
        let step = call("error_encountered", "", &[], 1);
        assert_eq!(words(&step, "cannot complete"), ["error_encountered"]);
        assert_eq!(words(&call("file_modified", "", &["/w/test_a.py"], 0), ""), ["file_modified"]);
    }
}
