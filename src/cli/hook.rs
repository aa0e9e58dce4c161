//! `trajview hook`: what the layers of a run say about a call that touches files, for an agent's hook.
//!
//! The call comes as JSON on standard input, as Claude Code tells its hooks; what is added to the agent's context goes
//! to standard output. Where nothing is to be said, or nobody can be asked, nothing is printed: a hook never stops a call.

use std::{io::Read, path::PathBuf};

use serde_json::{Value, json};

use trajview_live::layers::channel::{self, Asked};
use trajview_metrics::decisions::key;
use trajview_run::EditPath;

use super::{Exit, Outcome, output::Out};

/// Tell an agent what layers know of the files that a call touches (called by hooks of `trajview live`, not by people)
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// Where the run answers
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
}

/// A longer call is not asked about (bytes).
const MOST_BYTES: u64 = 4 << 20;

/// What stands before a path in a patch of Codex.
const IN_PATCHES: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Names of the arguments that are paths.
const PATHS: [&str; 4] = ["file_path", "path", "notebook_path", "filePath"];

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let mut text = vec![];
    std::io::stdin().take(MOST_BYTES).read_to_end(&mut text)?;
    let Some((event, asked)) = serde_json::from_slice(&text).ok().as_ref().and_then(call_of) else {
        return Ok(Exit::Fine);
    };
    let answer = channel::ask(&args.socket, &asked).unwrap_or_default();
    if !answer.text.is_empty() {
        let output = json!({"hookEventName": event, "additionalContext": answer.text});
        out.line(&json!({"hookSpecificOutput": output}).to_string())?;
    }
    Ok(Exit::Fine)
}

/// The event and the call; None where no file is touched.
fn call_of(told: &Value) -> Option<(String, Asked)> {
    let event = told.get("hook_event_name")?.as_str()?.to_owned();
    let tool = told.get("tool_name")?.as_str()?.to_owned();
    let arguments = told.get("tool_input")?;
    let root = told.get("cwd").and_then(Value::as_str);
    let named = PATHS.iter().filter_map(|name| arguments.get(name)?.as_str());
    let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    let in_patch = command.lines().filter_map(|line| {
        IN_PATCHES.iter().find_map(|head| line.strip_prefix(head)).map(str::trim)
    });
    let in_command = in_patch.chain(key::paths(command));
    let mut paths: Vec<String> = vec![];
    for path in named.chain(in_command) {
        let path = EditPath::sort(path, root);
        let Some(path) = path.inside().map(ToString::to_string) else { continue };
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    (!paths.is_empty())
        .then(|| (event, Asked::Call { tool, paths, arguments: arguments.to_string() }))
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
        let paths = |told: &Value| match call_of(told) {
            Some((_, Asked::Call { paths, .. })) => paths,
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
        assert_eq!(call_of(&nothing), None);
        assert_eq!(call_of(&json!([])), None);
    }
}
