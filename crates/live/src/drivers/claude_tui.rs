//! Claude Code in a terminal: one process in its own screen, its first request among its words and the others typed.
//!
//! The beginning and end of a turn are read from the log of its session. Its screen asks a new user for a theme, for trust
//! in the folder and whether a key may be used; such a dialog would swallow the request, so the settings answer these
//! questions beforehand. Token use is in the log alone, so limits of tokens cannot be enforced.

use serde_json::{Value, json};

use super::{
    super::{
        run_folders::{KEY_END_CHARS, RunFolders},
        setup::RunSetup,
    },
    agent_output::{content_text, parse_object, string_at, text_at},
    claude,
    driver::{AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogPatterns, RequestInput},
};

pub(super) fn driver() -> Driver {
    let summary = "Claude Code in a terminal, one process, later requests typed";
    // A turn that a person interrupts has no duration; one whose model cannot be reached may have none either.
    let patterns = LogPatterns {
        ends: r#""subtype":"turn_duration"|"text":"\[Request interrupted by user|"isApiErrorMessage":true"#,
        begins: r#""promptSource":"(typed|queued|suggestion)"|"turnOrigin":"human""#,
        goes_on: None,
        titles: None,
        prompt_in_line,
    };
    Driver { settings_files, ..claude::driver().in_own_screen(summary, request_command, patterns) }
}

/// Adds the answers to the questions of its screen.
fn settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile> {
    let key = run_folders.environment.get(claude::KEY_VARIABLE);
    let approved: Vec<String> = key.iter().map(|key| key_suffix(key)).collect();
    let workspace = run_folders.workspace().to_string_lossy().into_owned();
    let answers = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": {"approved": approved, "rejected": []},
        "projects": {
            workspace: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true},
        },
    });
    let mut files = claude::settings_files(setup, run_folders);
    files.push((claude::config_folder(run_folders).join(".claude.json"), format!("{answers:#}\n")));
    files
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let first = ["--session-id", ask.fresh];
    let mut call = claude::command_with_tools(driver, ask, &first, RequestInput::Terminal);
    if !ask.prompt.is_empty() {
        call.args.extend(["--".to_owned(), ask.prompt.to_owned()]);
    }
    call
}

fn key_suffix(key: &str) -> String {
    let skipped = key.chars().count().saturating_sub(KEY_END_CHARS);
    key.chars().skip(skipped).collect()
}

/// Returns a person's prompt in a line of the log: one that begins a turn, or one that was taken into the turn under way.
fn prompt_in_line(line: &str) -> Option<String> {
    let value = parse_object(line)?;
    match text_at(&value, "/type")? {
        "user" if text_at(&value, "/promptSource").is_some_and(|it| it != "system") => {
            content_text(value.pointer("/message/content")?)
        }
        "queue-operation" if is_absorbed_prompt(&value) => string_at(&value, "/content"),
        _ => None,
    }
}

fn is_absorbed_prompt(value: &Value) -> bool {
    text_at(value, "/operation") == Some("remove")
        && text_at(value, "/reason").is_some_and(|reason| reason.starts_with("absorbed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_sent_stands_in_the_log_as_a_turn_or_within_one() {
        let typed =
            r#"{"type":"user","message":{"role":"user","content":"do it"},"promptSource":"typed"}"#;
        let listed = r#"{"type":"user","message":{"content":[{"type":"text","text":"do"},{"type":"image"},{"type":"text","text":"it"}]},"promptSource":"typed"}"#;
        let taken = r#"{"type":"queue-operation","operation":"remove","content":"and this","reason":"absorbed_mid_turn"}"#;
        assert_eq!(prompt_in_line(typed).as_deref(), Some("do it"));
        assert_eq!(prompt_in_line(listed).as_deref(), Some("do\nit"));
        assert_eq!(prompt_in_line(taken).as_deref(), Some("and this"));
        for other in [
            r#"{"type":"queue-operation","operation":"enqueue","content":"and this"}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result"}]}}"#,
            r#"{"type":"user","message":{"content":"<task-notification>"},"promptSource":"system"}"#,
        ] {
            assert_eq!(prompt_in_line(other), None, "{other}");
        }
    }

    #[test]
    fn a_key_is_approved_by_its_end() {
        assert_eq!(key_suffix("not-a-key"), "not-a-key");
        assert_eq!(key_suffix("0123456789abcdefghijKLMNO"), "56789abcdefghijKLMNO");
    }
}
