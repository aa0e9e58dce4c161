//! `trajview hook`: the layers' information on a call that touches files, for an agent's hook.
//!
//! The call comes as JSON on standard input, in the form of Claude Code's hooks; text for the agent's context goes to
//! standard output. Nothing is printed where the layers have no text or do not answer: a hook never stops a call.

use std::{io::Read, path::PathBuf};

use serde_json::{Value, json};

use trajview_formats::JsonFields;
use trajview_live::layers::question_channel::{self, ChannelQuestion};
use trajview_metrics::decisions::retrieval_key;
use trajview_run::EditPath;

use super::{CommandResult, Exit, output::Out};

/// Give an agent the layers' text about the files of a call (used by hooks of `trajview live`, not by people)
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct HookArgs {
    /// Socket of the run
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
}

/// The most bytes of a call; a longer one is ignored.
const MOST_BYTES: u64 = 4 << 20;

/// The prefixes of a path in a patch of Codex.
const PATCH_PATH_PREFIXES: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Names of the arguments that are paths.
const PATH_ARGUMENTS: [&str; 4] = ["file_path", "path", "notebook_path", "filePath"];

pub fn run(args: &HookArgs, out: &mut Out) -> CommandResult {
    let mut text = vec![];
    std::io::stdin().take(MOST_BYTES).read_to_end(&mut text)?;
    let Some((event, request)) = serde_json::from_slice(&text).ok().as_ref().and_then(parse_call)
    else {
        return Ok(Exit::Fine);
    };
    let answer = question_channel::ask_run(&args.socket, &request).unwrap_or_default();
    if !answer.text.is_empty() {
        let output = json!({"hookEventName": event, "additionalContext": answer.text});
        out.print_line(&json!({"hookSpecificOutput": output}).to_string())?;
    }
    Ok(Exit::Fine)
}

/// Parses the event and the call. None if no file is touched.
fn parse_call(message: &Value) -> Option<(String, ChannelQuestion)> {
    let event = message.text("hook_event_name")?.to_owned();
    let tool = message.text("tool_name")?.to_owned();
    let arguments = message.get("tool_input")?;
    let root = message.text("cwd");
    let named = PATH_ARGUMENTS.iter().filter_map(|name| arguments.text(name));
    let command = arguments.text("command").unwrap_or_default();
    let in_patch = command.lines().filter_map(|line| {
        PATCH_PATH_PREFIXES.iter().find_map(|head| line.strip_prefix(head)).map(str::trim)
    });
    let in_command = in_patch.chain(retrieval_key::paths_in_text(command));
    let mut paths: Vec<String> = vec![];
    for path in named.chain(in_command) {
        let path = EditPath::from_recorded(path, root);
        let Some(path) = path.repo_path().map(ToString::to_string) else { continue };
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    (!paths.is_empty())
        .then(|| (event, ChannelQuestion::Call { tool, paths, arguments: arguments.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_asked_about_by_the_files_that_it_names() {
        let told = json!({
            "hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": "/",
            "tool_input": {"file_path": "/src/a.py", "old_string": "x"},
        });
        let command = json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": "/",
            "tool_input": {"command": "cat src/a.py src/b.rs; cat src/a.py"},
        });
        let paths = |told: &Value| match parse_call(told) {
            Some((_, ChannelQuestion::Call { paths, .. })) => paths,
            other => panic!("{other:?}"),
        };

        assert_eq!(paths(&told), ["src/a.py"]);
        assert_eq!(paths(&command), ["src/a.py", "src/b.rs"]);
        let patch = json!({
            "hook_event_name": "PostToolUse", "tool_name": "apply_patch", "cwd": "/",
            "tool_input": {"command": "*** Begin Patch\n*** Update File: Make file\n@@\n-a\n+b\n*** End Patch\n"},
        });
        assert_eq!(paths(&patch), ["Make file"]);
        let nothing = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert_eq!(parse_call(&nothing), None);
        assert_eq!(parse_call(&json!([])), None);
    }
}
