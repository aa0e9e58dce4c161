//! Codex: `codex exec --json`, one process a turn, the thread resumed by its id.
//!
//! The options stand before `resume`: the only order that every version from 0.50 to 0.169 takes. Its usage is that of the
//! whole thread. It exits with 0 where a patch was rejected, and reports it only on standard error.

use std::path::PathBuf;

use serde_json::Value;

use trajview_layers::DeliveryOffers;
use trajview_run::Tokens;

use super::{
    super::{
        isolation::Sandbox,
        run_folders::RunFolders,
        setup::{Permissions, RunSetup},
    },
    agent_output::{
        AgentOutput, OutputReader, OutputStream, ReportedAmount, count_at, parse_object, text_at,
    },
    codex_tui::CodexTui,
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        called_program, hook_settings, toml_text,
    },
    screen_driver::ScreenDriver,
};

#[derive(Debug)]
pub struct CodexDriver;

const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The name of our model server in its settings.
const PROVIDER_NAME: &str = "trajview";

fn codex_home(run_folders: &RunFolders) -> PathBuf {
    run_folders.home().join(".codex")
}

/// Returns the option that trusts our hooks: nobody is there to confirm them.
pub(crate) fn hook_trust_option(run_folders: &RunFolders) -> Option<&'static str> {
    let has_hooks = run_folders.layer_access.as_ref().is_some_and(|it| it.offers.calls);
    has_hooks.then_some("--dangerously-bypass-hook-trust")
}

/// Returns the mode of Codex's own sandbox. That sandbox cannot run inside another one everywhere: with a sandbox around
/// the agent, Codex's own is off.
pub(crate) fn sandbox_mode(setup: &RunSetup) -> &'static str {
    match setup.permissions {
        Permissions::Workspace if !CodexDriver.leaves_sandbox(setup) => "workspace-write",
        Permissions::Workspace | Permissions::Full => "danger-full-access",
    }
}

fn key_variable_name(setup: &RunSetup) -> &str {
    setup.provider.key_env.as_deref().unwrap_or(KEY_VARIABLE)
}

impl Driver for CodexDriver {
    fn name(&self) -> &str {
        "codex"
    }

    fn summary_line(&self) -> &str {
        "Codex: `codex exec --json`, a process a turn, its thread resumed"
    }

    fn program_name(&self) -> &str {
        "codex"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @openai/codex"
    }

    fn key_variable(&self) -> Option<&str> {
        Some(KEY_VARIABLE)
    }

    fn environment_variables(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(String, String)> {
        vec![("CODEX_HOME".into(), codex_home(run_folders).to_string_lossy().into_owned())]
    }

    fn settings_files(&self, setup: &RunSetup, run_folders: &RunFolders) -> Vec<(PathBuf, String)> {
        let mut lines = vec!["check_for_update_on_startup = false".to_owned()];
        lines.extend(
            setup.provider.model.as_ref().map(|model| format!("model = {}", toml_text(model))),
        );
        // In a home of its own it knows no login: its maker's server is reached with a key like any other.
        let server = setup.server_url().unwrap_or("https://api.openai.com");
        let is_ours = setup.server_url().is_some() || !setup.folders.copies_login;
        let provider = [
            format!("model_provider = {}", toml_text(PROVIDER_NAME)),
            String::new(),
            format!("[model_providers.{PROVIDER_NAME}]"),
            format!("name = {}", toml_text(PROVIDER_NAME)),
            format!("base_url = {}", toml_text(&format!("{server}/v1"))),
            "wire_api = \"responses\"".into(),
            format!("env_key = {}", toml_text(key_variable_name(setup))),
        ];
        lines.extend(provider.into_iter().filter(|_| is_ours));
        // Nothing but the model is called: at its end it would wait for a server of figures.
        lines.extend(["", "[analytics]", "enabled = false", ""].map(str::to_owned));
        lines.extend(
            ["[features]", "plugins = false", "remote_plugin = false", "apps = false", ""]
                .map(str::to_owned),
        );
        if let Some(deliveries) = run_folders.layer_access.as_ref().filter(|it| it.offers.search) {
            let args = deliveries.command_arguments("mcp").map(|word| toml_text(&word)).join(", ");
            lines.extend([
                format!("[mcp_servers.{PROVIDER_NAME}]"),
                format!("command = {}", toml_text(&deliveries.program.to_string_lossy())),
                format!("args = [{args}]"),
                String::new(),
            ]);
        }
        let mut files = vec![(codex_home(run_folders).join("config.toml"), lines.join("\n"))];
        if let Some(deliveries) = run_folders.layer_access.as_ref().filter(|it| it.offers.calls) {
            files.push((
                codex_home(run_folders).join("hooks.json"),
                hook_settings(deliveries, None),
            ));
        }
        files
    }

    fn login_files(&self, run_folders: &RunFolders) -> Vec<(&'static str, PathBuf)> {
        vec![(".codex/auth.json", codex_home(run_folders).join("auth.json"))]
    }

    fn supported_offers(&self) -> DeliveryOffers {
        DeliveryOffers { search: true, calls: true }
    }

    fn leaves_sandbox(&self, setup: &RunSetup) -> bool {
        let has_other = setup.folders.isolation.sandbox != Sandbox::None;
        has_other && setup.permissions == Permissions::Workspace
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let mut args: Vec<String> =
            ["exec", "--json", "--skip-git-repo-check", "-s", sandbox_mode(ask.setup)]
                .map(str::to_owned)
                .to_vec();
        args.extend(hook_trust_option(ask.run_folders).map(str::to_owned));
        args.extend(ask.setup.args.iter().cloned());
        if let Some(thread) = ask.session {
            args.extend(["resume".to_owned(), thread.to_owned()]);
        }
        args.push("-".into());
        AgentCommand { program: called_program(self, ask.setup), args, input: RequestInput::Prompt }
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(CodexExecOutput)
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let pattern = "**/rollout-*.jsonl".to_owned();
        vec![LogFiles { folder: codex_home(run_folders).join("sessions"), pattern, is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(ScreenDriver(CodexTui)))
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        let key = key_variable_name(setup);
        let lacks = setup.provider.base_url.is_none()
            && !setup.folders.copies_login
            && std::env::var_os(key).is_none();
        lacks.then(|| {
            format!("needs a key in the variable {key}, or the server of a model with --base-url")
        })
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Printed
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }
}

/// A reader of the output of `codex exec --json`.
struct CodexExecOutput;

impl OutputReader for CodexExecOutput {
    fn read_line(&mut self, line: &str, from: OutputStream, parsed: &mut AgentOutput) {
        if from == OutputStream::Errors {
            let is_denial = line.contains("rejected") || line.contains("denied");
            if is_denial {
                parsed.add_denial(line);
            } else {
                parsed.add_trouble(line);
            }
            return;
        }
        let Some(value) = parse_object(line) else { return };
        match text_at(&value, "/type").unwrap_or_default() {
            "thread.started" => {
                parsed.session = text_at(&value, "/thread_id").map(str::to_owned);
            }
            "turn.completed" => {
                parsed.failed = None; // what was cut was tried again
                parsed.tokens = ReportedAmount::Session(usage_tokens(&value));
            }
            "turn.failed" => {
                parsed.set_failure(text_at(&value, "/error/message").unwrap_or("the turn failed"));
            }
            "error" => parsed.add_trouble(text_at(&value, "/message").unwrap_or(line)),
            "item.completed" => read_item(&value, parsed),
            _ => {}
        }
    }
}

fn usage_tokens(value: &Value) -> Tokens {
    Tokens {
        input: count_at(value, "/usage/input_tokens"),
        cached_input: count_at(value, "/usage/cached_input_tokens"),
        output: count_at(value, "/usage/output_tokens"),
        reasoning: count_at(value, "/usage/reasoning_output_tokens"),
        cache_write: count_at(value, "/usage/cache_write_input_tokens"),
        cache_write_1h: None,
    }
}

fn read_item(value: &Value, parsed: &mut AgentOutput) {
    let words = |pointer| text_at(value, pointer).unwrap_or_default();
    match words("/item/type") {
        "agent_message" => parsed.add_message(words("/item/text")),
        "command_execution" => {
            let command = words("/item/command");
            if words("/item/status") == "declined" {
                parsed.add_denial(command);
            }
            parsed.add_message(&format!("$ {command}"));
            parsed.add_command_output(words("/item/aggregated_output"));
        }
        "file_change" => {
            let changes = value.pointer("/item/changes").and_then(Value::as_array);
            for change in changes.into_iter().flatten() {
                let (kind, path) = (text_at(change, "/kind"), text_at(change, "/path"));
                let path = path.unwrap_or_default();
                if words("/item/status") == "failed" {
                    parsed.add_denial(&format!("a change of {path} was not made"));
                }
                parsed.add_message(&format!("{} {path}", kind.unwrap_or("change")));
            }
        }
        "error" => parsed.add_trouble(words("/item/message")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_lines(lines: &[&str]) -> AgentOutput {
        let mut parsed = AgentOutput::default();
        lines
            .iter()
            .for_each(|line| CodexExecOutput.read_line(line, OutputStream::Output, &mut parsed));
        parsed
    }

    #[test]
    fn its_own_sandbox_is_off_where_another_stands_around_it() {
        let mut setup = RunSetup::new("codex", "work".into());
        assert_eq!(
            (sandbox_mode(&setup), CodexDriver.leaves_sandbox(&setup)),
            ("workspace-write", false)
        );

        setup.folders.isolation.sandbox = Sandbox::Bwrap;
        assert_eq!(
            (sandbox_mode(&setup), CodexDriver.leaves_sandbox(&setup)),
            ("danger-full-access", true)
        );

        // With full permissions it is off whatever sandbox is around the agent.
        setup.permissions = Permissions::Full;
        assert_eq!(
            (sandbox_mode(&setup), CodexDriver.leaves_sandbox(&setup)),
            ("danger-full-access", false)
        );
    }

    #[test]
    fn the_thread_its_usage_and_what_it_did_are_heard() {
        let parsed = parse_lines(&[
            r#"{"type":"thread.started","thread_id":"t-1"}"#,
            r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","status":"completed"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_1","type":"file_change","changes":[{"path":"a.py","kind":"add"}],"status":"completed"}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}"#,
        ]);
        assert_eq!(parsed.session.as_deref(), Some("t-1"));
        let tokens =
            Tokens { input: Some(9), cached_input: Some(4), output: Some(2), ..Tokens::default() };
        assert_eq!(parsed.tokens, ReportedAmount::Session(tokens));
        assert_eq!(parsed.messages, ["$ ls", "add a.py"]);
        assert_eq!((parsed.failed, parsed.denied), (None, vec![]));
    }

    #[test]
    fn a_failed_turn_and_what_was_rejected_are_heard() {
        let mut parsed = parse_lines(&[
            r#"{"type":"error","message":"Reconnecting... 1/2"}"#,
            r#"{"type":"turn.failed","error":{"message":"unexpected status 401"}}"#,
        ]);
        assert_eq!(parsed.failed.as_deref(), Some("unexpected status 401"));
        assert_eq!(parsed.troubles, ["Reconnecting... 1/2"]);
        CodexExecOutput.read_line(
            "patch rejected: writing is blocked by read-only sandbox",
            OutputStream::Errors,
            &mut parsed,
        );
        assert_eq!(parsed.denied.len(), 1);
    }
}
