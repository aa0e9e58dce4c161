//! Codex in a terminal (`--terminal`): one process, its first request among its words and the others typed.
//!
//! The end of a turn stands in its log. What it uses is in the log alone, so limits of tokens cannot hold.

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{object, text},
    codex::{Codex, sandbox_of, trust_of},
    driver::{Ask, Call, Driver, Input, LogPatterns, Written, program_of, toml_text},
    own_screen::Screen,
};

#[derive(Debug)]
pub struct CodexTui;

/// It offers a newer model once, and the answer would swallow the request: these offers were answered before. Seen in 0.169.
const OFFERS: [(&str, &str); 1] = [("gpt-5.5", "gpt-6-sol")];

impl Screen for CodexTui {
    fn agent(&self) -> &dyn Driver {
        &Codex
    }

    fn about(&self) -> &str {
        "Codex in a terminal, one process, later requests typed"
    }

    /// It would ask whether the folder is trusted, and the answer would swallow the request.
    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<Written> {
        let workspace = toml_text(&stage.workspace().to_string_lossy());
        let trust = format!("\n[projects.{workspace}]\ntrust_level = \"trusted\"\n");
        let offers: String = OFFERS
            .iter()
            .map(|(old, new)| format!("{} = {}\n", toml_text(old), toml_text(new)))
            .collect();
        let more = format!("{trust}\n[notice.model_migrations]\n{offers}");
        let files = Codex.files(setup, stage).into_iter();
        files.map(|(path, content)| (path, content + &more)).collect()
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        // Else it would leave a process behind, and ask before each command.
        let mut args: Vec<String> =
            ["--disable", "daemon_auto_start", "-s", sandbox_of(ask.setup), "-a", "never"]
                .map(str::to_owned)
                .to_vec();
        args.extend(trust_of(ask.stage).map(str::to_owned));
        args.extend(ask.setup.args.iter().cloned());
        if !ask.prompt.is_empty() {
            args.extend(["--".to_owned(), ask.prompt.to_owned()]);
        }
        Call { program: program_of(&Codex, ask.setup), args, input: Input::Terminal }
    }

    fn end(&self) -> LogPatterns {
        LogPatterns {
            ends: r#""type":"(task_complete|turn_aborted)""#,
            begins: r#""type":"task_started""#,
            goes_on: None,
            titles: None,
        }
    }

    fn prompt_of(&self) -> fn(&str) -> Option<String> {
        prompt_of
    }
}

/// An event of older versions, an item of newer ones. What is sent with return while a turn is under way is part of that
/// turn, what is sent with tab begins one of its own.
fn prompt_of(line: &str) -> Option<String> {
    let value = object(line)?;
    match text(&value, "/payload/type")? {
        "user_message" => text(&value, "/payload/message").map(str::to_owned),
        "item_completed" if text(&value, "/payload/item/type") == Some("UserMessage") => {
            let parts = value.pointer("/payload/item/content")?.as_array()?;
            let texts: Vec<&str> = parts.iter().filter_map(|part| text(part, "/text")).collect();
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
            assert_eq!(prompt_of(line).as_deref(), Some("do it"), "{line}");
        }
        let others = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage"}}}"#;
        assert_eq!(prompt_of(others), None);
    }
}
