//! Codex: `codex exec --json`, one process a turn, the thread resumed by its id.
//!
//! The options stand before `resume`: the only order that every version from 0.50 to 0.169 takes. Its usage is that of the
//! whole thread. It exits with 0 where a patch was rejected, and says so in its complaints alone.

use std::path::PathBuf;

use serde_json::Value;

use trajview_layers::Offers;
use trajview_run::Tokens;

use super::{
    super::{
        isolation::Sandbox,
        setup::{Permissions, Setup},
        stage::Stage,
    },
    agent_output::{AgentOutput, Amount, Reader, Stream, count, object, text},
    codex_tui::CodexTui,
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind, hooks, program_of, toml_text},
    own_screen::InOwnScreen,
};

#[derive(Debug)]
pub struct Codex;

const KEY: &str = "OPENAI_API_KEY";

/// The name under which its settings know our server.
const PROVIDER: &str = "trajview";

fn home(stage: &Stage) -> PathBuf {
    stage.home().join(".codex")
}

/// Nobody is there to say that the hooks, which are ours, may be trusted.
pub fn trust_of(stage: &Stage) -> Option<&'static str> {
    let has_hooks = stage.deliveries.as_ref().is_some_and(|it| it.offers.calls);
    has_hooks.then_some("--dangerously-bypass-hook-trust")
}

/// Its own sandbox as it is told. That cannot stand inside another everywhere: with one around all of it, that one alone holds.
pub fn sandbox_of(setup: &Setup) -> &'static str {
    match setup.permissions {
        Permissions::Workspace if !Codex.leaves_sandbox(setup) => "workspace-write",
        Permissions::Workspace | Permissions::Full => "danger-full-access",
    }
}

fn key_of(setup: &Setup) -> &str {
    setup.provider.key_env.as_deref().unwrap_or(KEY)
}

impl Driver for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    fn about(&self) -> &str {
        "Codex: `codex exec --json`, a process a turn, its thread resumed"
    }

    fn program(&self) -> &str {
        "codex"
    }

    fn install(&self) -> &'static str {
        "npm install -g @openai/codex"
    }

    fn key_variable(&self) -> Option<&str> {
        Some(KEY)
    }

    fn environment(&self, _setup: &Setup, stage: &Stage) -> Vec<(String, String)> {
        vec![("CODEX_HOME".into(), home(stage).to_string_lossy().into_owned())]
    }

    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        let mut lines = vec!["check_for_update_on_startup = false".to_owned()];
        lines.extend(
            setup.provider.model.as_ref().map(|model| format!("model = {}", toml_text(model))),
        );
        // In a home of its own it knows no login: its maker's server is reached with a key like any other.
        let server = setup.server().unwrap_or("https://api.openai.com");
        let is_ours = setup.server().is_some() || !setup.folders.copies_login;
        let provider = [
            format!("model_provider = {}", toml_text(PROVIDER)),
            String::new(),
            format!("[model_providers.{PROVIDER}]"),
            format!("name = {}", toml_text(PROVIDER)),
            format!("base_url = {}", toml_text(&format!("{server}/v1"))),
            "wire_api = \"responses\"".into(),
            format!("env_key = {}", toml_text(key_of(setup))),
        ];
        lines.extend(provider.into_iter().filter(|_| is_ours));
        // Nothing but the model is called: at its end it would wait for a server of figures.
        lines.extend(["", "[analytics]", "enabled = false", ""].map(str::to_owned));
        lines.extend(
            ["[features]", "plugins = false", "remote_plugin = false", "apps = false", ""]
                .map(str::to_owned),
        );
        if let Some(deliveries) = stage.deliveries.as_ref().filter(|it| it.offers.search) {
            let args = deliveries.words("mcp").map(|word| toml_text(&word)).join(", ");
            lines.extend([
                format!("[mcp_servers.{PROVIDER}]"),
                format!("command = {}", toml_text(&deliveries.program.to_string_lossy())),
                format!("args = [{args}]"),
                String::new(),
            ]);
        }
        let mut files = vec![(home(stage).join("config.toml"), lines.join("\n"))];
        if let Some(deliveries) = stage.deliveries.as_ref().filter(|it| it.offers.calls) {
            files.push((home(stage).join("hooks.json"), hooks(deliveries, None)));
        }
        files
    }

    fn logins(&self, stage: &Stage) -> Vec<(&'static str, PathBuf)> {
        vec![(".codex/auth.json", home(stage).join("auth.json"))]
    }

    fn takes(&self) -> Offers {
        Offers { search: true, calls: true }
    }

    fn leaves_sandbox(&self, setup: &Setup) -> bool {
        let has_other = setup.folders.isolation.sandbox != Sandbox::None;
        has_other && setup.permissions == Permissions::Workspace
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args: Vec<String> =
            ["exec", "--json", "--skip-git-repo-check", "-s", sandbox_of(ask.setup)]
                .map(str::to_owned)
                .to_vec();
        args.extend(trust_of(ask.stage).map(str::to_owned));
        args.extend(ask.setup.args.iter().cloned());
        if let Some(thread) = ask.session {
            args.extend(["resume".to_owned(), thread.to_owned()]);
        }
        args.push("-".into());
        Call { program: program_of(self, ask.setup), args, input: Input::Prompt }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Exec)
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let pattern = "**/rollout-*.jsonl".to_owned();
        vec![Logs { folder: home(stage).join("sessions"), pattern, is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(InOwnScreen(CodexTui)))
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        let key = key_of(setup);
        let lacks = setup.provider.base_url.is_none()
            && !setup.folders.copies_login
            && std::env::var_os(key).is_none();
        lacks.then(|| {
            format!("needs a key in the variable {key}, or the server of a model with --base-url")
        })
    }

    fn naming(&self) -> Naming {
        Naming::Told
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }
}

/// What `--json` prints.
struct Exec;

impl Reader for Exec {
    fn line(&mut self, line: &str, from: Stream, heard: &mut AgentOutput) {
        if from == Stream::Complaints {
            let is_denial = line.contains("rejected") || line.contains("denied");
            if is_denial {
                heard.deny(line);
            } else {
                heard.trouble(line);
            }
            return;
        }
        let Some(value) = object(line) else { return };
        match text(&value, "/type").unwrap_or_default() {
            "thread.started" => {
                heard.session = text(&value, "/thread_id").map(str::to_owned);
            }
            "turn.completed" => {
                heard.failed = None; // what was cut was tried again
                heard.tokens = Amount::Session(usage(&value));
            }
            "turn.failed" => {
                heard.fail(text(&value, "/error/message").unwrap_or("the turn failed"));
            }
            "error" => heard.trouble(text(&value, "/message").unwrap_or(line)),
            "item.completed" => item(&value, heard),
            _ => {}
        }
    }
}

fn usage(value: &Value) -> Tokens {
    Tokens {
        input: count(value, "/usage/input_tokens"),
        cached_input: count(value, "/usage/cached_input_tokens"),
        output: count(value, "/usage/output_tokens"),
        reasoning: count(value, "/usage/reasoning_output_tokens"),
        cache_write: count(value, "/usage/cache_write_input_tokens"),
        cache_write_1h: None,
    }
}

fn item(value: &Value, heard: &mut AgentOutput) {
    let words = |pointer| text(value, pointer).unwrap_or_default();
    match words("/item/type") {
        "agent_message" => heard.say(words("/item/text")),
        "command_execution" => {
            let command = words("/item/command");
            if words("/item/status") == "declined" {
                heard.deny(command);
            }
            heard.say(&format!("$ {command}"));
            heard.show_output(words("/item/aggregated_output"));
        }
        "file_change" => {
            let changes = value.pointer("/item/changes").and_then(Value::as_array);
            for change in changes.into_iter().flatten() {
                let (kind, path) = (text(change, "/kind"), text(change, "/path"));
                let path = path.unwrap_or_default();
                if words("/item/status") == "failed" {
                    heard.deny(&format!("a change of {path} was not made"));
                }
                heard.say(&format!("{} {path}", kind.unwrap_or("change")));
            }
        }
        "error" => heard.trouble(words("/item/message")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(lines: &[&str]) -> AgentOutput {
        let mut heard = AgentOutput::default();
        lines.iter().for_each(|line| Exec.line(line, Stream::Output, &mut heard));
        heard
    }

    #[test]
    fn its_own_sandbox_is_off_where_another_stands_around_it() {
        let mut setup = Setup::new("codex", "work".into());
        assert_eq!((sandbox_of(&setup), Codex.leaves_sandbox(&setup)), ("workspace-write", false));

        setup.folders.isolation.sandbox = Sandbox::Bwrap;
        assert_eq!(
            (sandbox_of(&setup), Codex.leaves_sandbox(&setup)),
            ("danger-full-access", true)
        );

        // With full permissions it is off whatever stands around it.
        setup.permissions = Permissions::Full;
        assert_eq!(
            (sandbox_of(&setup), Codex.leaves_sandbox(&setup)),
            ("danger-full-access", false)
        );
    }

    #[test]
    fn the_thread_its_usage_and_what_it_did_are_heard() {
        let heard = heard(&[
            r#"{"type":"thread.started","thread_id":"t-1"}"#,
            r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","status":"completed"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_1","type":"file_change","changes":[{"path":"a.py","kind":"add"}],"status":"completed"}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}"#,
        ]);
        assert_eq!(heard.session.as_deref(), Some("t-1"));
        let tokens =
            Tokens { input: Some(9), cached_input: Some(4), output: Some(2), ..Tokens::default() };
        assert_eq!(heard.tokens, Amount::Session(tokens));
        assert_eq!(heard.said, ["$ ls", "add a.py"]);
        assert_eq!((heard.failed, heard.denied), (None, vec![]));
    }

    #[test]
    fn a_failed_turn_and_what_was_rejected_are_heard() {
        let mut heard = heard(&[
            r#"{"type":"error","message":"Reconnecting... 1/2"}"#,
            r#"{"type":"turn.failed","error":{"message":"unexpected status 401"}}"#,
        ]);
        assert_eq!(heard.failed.as_deref(), Some("unexpected status 401"));
        assert_eq!(heard.troubles, ["Reconnecting... 1/2"]);
        Exec.line(
            "patch rejected: writing is blocked by read-only sandbox",
            Stream::Complaints,
            &mut heard,
        );
        assert_eq!(heard.denied.len(), 1);
    }
}
