//! Claude Code in a terminal: one process in its own screen, its first request among its words and the others typed.
//!
//! Beginning and end of a turn stand in its session's log. Its screen asks a newcomer for a theme, for trust in the folder
//! and whether a key may be used; a dialog would swallow the request, so these were answered before. What it uses is in the log alone, so
//! limits of tokens cannot hold.

use serde_json::{Value, json};

use super::{
    super::{
        setup::Setup,
        stage::{END_OF_KEY, Stage},
    },
    agent_output::{object, text},
    claude::{Claude, home},
    driver::{Ask, Call, Driver, Input, LogPatterns, Written},
    own_screen::Screen,
};

#[derive(Debug)]
pub struct ClaudeTui;

impl Screen for ClaudeTui {
    fn agent(&self) -> &dyn Driver {
        &Claude
    }

    fn about(&self) -> &str {
        "Claude Code in a terminal, one process, later requests typed"
    }

    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<Written> {
        let key = Claude.key_variable().and_then(|name| stage.environment.get(name));
        let approved: Vec<String> = key.iter().map(|key| end_of_key(key)).collect();
        let workspace = stage.workspace().to_string_lossy().into_owned();
        let answers = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": approved, "rejected": []},
            "projects": {
                workspace: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true},
            },
        });
        let mut files = Claude.files(setup, stage);
        files.push((home(stage).join(".claude.json"), format!("{answers:#}\n")));
        files
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let prompt = ["--", ask.prompt];
        let prompt = if ask.prompt.is_empty() { &[] } else { &prompt[..] };
        let mut call = Claude::call_with(ask, &["--session-id", ask.fresh], Input::Terminal);
        call.args.extend(prompt.iter().map(|word| (*word).to_owned()));
        call
    }

    /// A turn that a person interrupts has no duration; one whose model cannot be reached may have none either.
    fn end(&self) -> LogPatterns {
        LogPatterns {
            ends: r#""subtype":"turn_duration"|"text":"\[Request interrupted by user|"isApiErrorMessage":true"#,
            begins: r#""promptSource":"(typed|queued|suggestion)"|"turnOrigin":"human""#,
            goes_on: None,
            titles: None,
        }
    }

    fn prompt_of(&self) -> fn(&str) -> Option<String> {
        prompt_of
    }
}

fn end_of_key(key: &str) -> String {
    let skipped = key.chars().count().saturating_sub(END_OF_KEY);
    key.chars().skip(skipped).collect()
}

/// What a person sent: as the prompt of a turn, or while one was under way and taken into it.
fn prompt_of(line: &str) -> Option<String> {
    let value = object(line)?;
    match text(&value, "/type")? {
        "user" if text(&value, "/promptSource").is_some_and(|it| it != "system") => {
            let content = value.pointer("/message/content")?;
            let parts = content.as_array().into_iter().flatten();
            let parts: Vec<&str> = parts.filter_map(|part| text(part, "/text")).collect();
            content
                .as_str()
                .map(str::to_owned)
                .or_else(|| (!parts.is_empty()).then(|| parts.join("\n")))
        }
        "queue-operation" if is_taken_in(&value) => text(&value, "/content").map(str::to_owned),
        _ => None,
    }
}

fn is_taken_in(value: &Value) -> bool {
    text(value, "/operation") == Some("remove")
        && text(value, "/reason").is_some_and(|reason| reason.starts_with("absorbed"))
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
        assert_eq!(prompt_of(typed).as_deref(), Some("do it"));
        assert_eq!(prompt_of(listed).as_deref(), Some("do\nit"));
        assert_eq!(prompt_of(taken).as_deref(), Some("and this"));
        for other in [
            r#"{"type":"queue-operation","operation":"enqueue","content":"and this"}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result"}]}}"#,
            r#"{"type":"user","message":{"content":"<task-notification>"},"promptSource":"system"}"#,
        ] {
            assert_eq!(prompt_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_key_is_approved_by_its_end() {
        assert_eq!(end_of_key("not-a-key"), "not-a-key");
        assert_eq!(end_of_key("0123456789abcdefghijKLMNO"), "56789abcdefghijKLMNO");
    }
}
