//! Codex in a terminal (`--terminal`): one process, its first request among its words and the others typed.
//!
//! The end of a turn is read from its log. Token use is in the log alone, so limits of tokens cannot be enforced.

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{parse_object, string_at, text_at},
    codex::{self, hook_trust_option, sandbox_mode},
    driver::{
        AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogPatterns, RequestInput, toml_text,
    },
};

/// Offers of a newer model that it makes once; the settings decline them beforehand, because the answer would swallow the
/// request. Seen in 0.169.
const MODEL_OFFERS: [(&str, &str); 1] = [("gpt-5.5", "gpt-6-sol")];

pub(super) fn driver() -> Driver {
    let summary = "Codex in a terminal, one process, later requests typed";
    let patterns = LogPatterns {
        ends: r#""type":"(task_complete|turn_aborted)""#,
        begins: r#""type":"task_started""#,
        goes_on: None,
        titles: None,
        prompt_in_line,
    };
    Driver { settings_files, ..codex::driver().in_own_screen(summary, request_command, patterns) }
}

/// Marks the workspace as trusted: the question would swallow the request.
fn settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile> {
    let workspace = toml_text(&run_folders.workspace().to_string_lossy());
    let trust = format!("\n[projects.{workspace}]\ntrust_level = \"trusted\"\n");
    let offers: String = MODEL_OFFERS
        .iter()
        .map(|(old, new)| format!("{} = {}\n", toml_text(old), toml_text(new)))
        .collect();
    let more = format!("{trust}\n[notice.model_migrations]\n{offers}");
    let files = codex::settings_files(setup, run_folders).into_iter();
    files.map(|(path, content)| (path, content + &more)).collect()
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    // Else it would leave a process behind, and ask before each command.
    let mut args =
        vec!["--disable", "daemon_auto_start", "-s", sandbox_mode(ask.setup), "-a", "never"];
    args.extend(hook_trust_option(ask.run_folders));
    args.extend(ask.setup.args.iter().map(String::as_str));
    if !ask.prompt.is_empty() {
        args.extend(["--", ask.prompt]);
    }
    driver.command(ask.setup, args, RequestInput::Terminal)
}

/// Returns a person's prompt in a line of the log: an event of older versions, an item of newer ones. A prompt sent with
/// return while a turn is under way is part of that turn; one sent with tab begins a turn of its own.
fn prompt_in_line(line: &str) -> Option<String> {
    let value = parse_object(line)?;
    match text_at(&value, "/payload/type")? {
        "user_message" => string_at(&value, "/payload/message"),
        "item_completed" if text_at(&value, "/payload/item/type") == Some("UserMessage") => {
            let parts = value.pointer("/payload/item/content")?.as_array()?;
            let texts: Vec<&str> = parts.iter().filter_map(|part| text_at(part, "/text")).collect();
            Some(texts.join("\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_stand_in_the_log_as_events_or_as_items() {
        for line in [
            r#"{"type":"event_msg","payload":{"type":"user_message","message":"do it"}}"#,
            r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"do it"}]}}}"#,
        ] {
            assert_eq!(prompt_in_line(line).as_deref(), Some("do it"), "{line}");
        }
        let others = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage"}}}"#;
        assert_eq!(prompt_in_line(others), None);
    }
}
