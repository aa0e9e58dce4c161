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
        AgentOutput, OutputFormat, OutputStream, ReportedAmount, count_at, parse_object, string_at,
        text_at,
    },
    codex_tui,
    driver::{
        AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogFiles, RequestInput,
        SessionNaming, hook_settings, toml_text,
    },
};

const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The name of our model server in its settings.
const PROVIDER_NAME: &str = "trajview";

pub(super) fn driver() -> Driver {
    Driver {
        summary: "Codex: `codex exec --json`, a process a turn, its thread resumed",
        install_command: "npm install -g @openai/codex",
        key_variable: Some(KEY_VARIABLE.into()),
        run_variables: |_, run_folders| {
            vec![("CODEX_HOME".into(), codex_home(run_folders).to_string_lossy().into_owned())]
        },
        settings_files,
        login_files: |run_folders| {
            vec![(".codex/auth.json", codex_home(run_folders).join("auth.json"))]
        },
        output: OutputFormat::Lines(read_line),
        log_files: |_, run_folders| {
            vec![LogFiles::flat(codex_home(run_folders).join("sessions"), "**/rollout-*.jsonl")]
        },
        session_naming: SessionNaming::Printed,
        in_terminal: Some(codex_tui::driver),
        supported_offers: DeliveryOffers { search: true, calls: true },
        leaves_sandbox,
        setup_problem,
        ..Driver::new("codex", request_command)
    }
}

fn codex_home(run_folders: &RunFolders) -> PathBuf {
    run_folders.home().join(".codex")
}

/// Returns the option that trusts our hooks: nobody is there to confirm them.
pub(super) fn hook_trust_option(run_folders: &RunFolders) -> Option<&'static str> {
    let has_hooks = run_folders.layer_access.as_ref().is_some_and(|it| it.offers.calls);
    has_hooks.then_some("--dangerously-bypass-hook-trust")
}

fn leaves_sandbox(setup: &RunSetup) -> bool {
    let has_other = setup.folders.isolation.sandbox != Sandbox::None;
    has_other && setup.permissions == Permissions::Workspace
}

/// Returns the mode of Codex's own sandbox. That sandbox cannot run inside another one everywhere: with a sandbox around
/// the agent, Codex's own is off.
pub(super) fn sandbox_mode(setup: &RunSetup) -> &'static str {
    match setup.permissions {
        Permissions::Workspace if !leaves_sandbox(setup) => "workspace-write",
        Permissions::Workspace | Permissions::Full => "danger-full-access",
    }
}

fn key_variable_name(setup: &RunSetup) -> &str {
    setup.provider.key_env.as_deref().unwrap_or(KEY_VARIABLE)
}

pub(super) fn settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile> {
    let mut lines = vec!["check_for_update_on_startup = false".to_owned()];
    lines
        .extend(setup.provider.model.as_ref().map(|model| format!("model = {}", toml_text(model))));
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
        let path = codex_home(run_folders).join("hooks.json");
        files.push((path, hook_settings(deliveries, None)));
    }
    files
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["exec", "--json", "--skip-git-repo-check", "-s", sandbox_mode(ask.setup)];
    args.extend(hook_trust_option(ask.run_folders));
    args.extend(ask.setup.args.iter().map(String::as_str));
    args.extend(ask.session.into_iter().flat_map(|thread| ["resume", thread]));
    args.push("-");
    driver.command(ask.setup, args, RequestInput::Prompt)
}

fn setup_problem(setup: &RunSetup) -> Option<String> {
    let key = key_variable_name(setup);
    let lacks = setup.provider.base_url.is_none()
        && !setup.folders.copies_login
        && std::env::var_os(key).is_none();
    lacks.then(|| {
        format!("needs a key in the variable {key}, or the server of a model with --base-url")
    })
}

/// Reads one line of the output of `codex exec --json`.
fn read_line(line: &str, from: OutputStream, parsed: &mut AgentOutput) {
    if from == OutputStream::Errors {
        match line.contains("rejected") || line.contains("denied") {
            true => parsed.add_denial(line),
            false => parsed.add_trouble(line),
        }
        return;
    }
    let Some(value) = parse_object(line) else { return };
    match text_at(&value, "/type").unwrap_or_default() {
        "thread.started" => parsed.session = string_at(&value, "/thread_id"),
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
    use super::{super::agent_output::tests::parse_lines, *};

    const FORMAT: OutputFormat = OutputFormat::Lines(read_line);

    #[test]
    fn its_own_sandbox_is_off_where_another_stands_around_it() {
        let mut setup = RunSetup::new("codex", "work".into());
        assert_eq!((sandbox_mode(&setup), leaves_sandbox(&setup)), ("workspace-write", false));

        setup.folders.isolation.sandbox = Sandbox::Bwrap;
        assert_eq!((sandbox_mode(&setup), leaves_sandbox(&setup)), ("danger-full-access", true));

        // With full permissions it is off whatever sandbox is around the agent.
        setup.permissions = Permissions::Full;
        assert_eq!((sandbox_mode(&setup), leaves_sandbox(&setup)), ("danger-full-access", false));
    }

    #[test]
    fn the_thread_its_usage_and_what_it_did_are_heard() {
        let parsed = parse_lines(
            &FORMAT,
            &[
                r#"{"type":"thread.started","thread_id":"t-1"}"#,
                r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","status":"completed"}}"#,
                r#"{"type":"item.completed","item":{"id":"item_1","type":"file_change","changes":[{"path":"a.py","kind":"add"}],"status":"completed"}}"#,
                r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}"#,
            ],
        );
        assert_eq!(parsed.session.as_deref(), Some("t-1"));
        let tokens =
            Tokens { input: Some(9), cached_input: Some(4), output: Some(2), ..Tokens::default() };
        assert_eq!(parsed.tokens, ReportedAmount::Session(tokens));
        assert_eq!(parsed.messages, ["$ ls", "add a.py"]);
        assert_eq!((parsed.failed, parsed.denied), (None, vec![]));
    }

    #[test]
    fn a_failed_turn_and_what_was_rejected_are_heard() {
        let mut parsed = parse_lines(
            &FORMAT,
            &[
                r#"{"type":"error","message":"Reconnecting... 1/2"}"#,
                r#"{"type":"turn.failed","error":{"message":"unexpected status 401"}}"#,
            ],
        );
        assert_eq!(parsed.failed.as_deref(), Some("unexpected status 401"));
        assert_eq!(parsed.troubles, ["Reconnecting... 1/2"]);
        read_line(
            "patch rejected: writing is blocked by read-only sandbox",
            OutputStream::Errors,
            &mut parsed,
        );
        assert_eq!(parsed.denied.len(), 1);
    }
}
