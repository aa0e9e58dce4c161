//! opencode: `opencode run --format json`, one process a turn, the session resumed by its id.
//!
//! It keeps its sessions in a database, so its log is what `opencode export` prints after each turn, and a turn is done again from what
//! `opencode import` takes back of it. The request goes on its standard input: among its words it would be quoted once more.

use std::path::PathBuf;

use serde_json::{Value, json};

use trajview_run::Tokens;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, OutputFormat, count_at, text_at},
    driver::{
        AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogFiles, RequestInput,
        RewindMethod, SessionNaming,
    },
    opencode_tui,
};

const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The file with the keys of its providers, below a home.
const LOGIN_FILE: &str = ".local/share/opencode/auth.json";

/// The name of our model server in its settings.
const PROVIDER_NAME: &str = "trajview";

pub(super) fn driver() -> Driver {
    Driver {
        summary: "opencode: `opencode run --format json`, a process a turn, its session resumed",
        install_command: "npm install -g opencode-ai",
        key_variable: Some(KEY_VARIABLE.into()),
        variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")],
        run_variables: |_, run_folders| {
            let file = settings_file(run_folders).to_string_lossy().into_owned();
            vec![("OPENCODE_CONFIG".into(), file)]
        },
        settings_files,
        login_files: |run_folders| vec![(LOGIN_FILE, run_folders.home().join(LOGIN_FILE))],
        export_command,
        import_commands,
        output: OutputFormat::JsonLines(read_event),
        log_files: |_, run_folders| {
            vec![LogFiles::flat(run_folders.agent_folder().join("exports"), "opencode-*.json")]
        },
        session_naming: SessionNaming::Printed,
        rewind_method: RewindMethod::Import,
        in_terminal: Some(opencode_tui::driver),
        own_files: vec![".opencode".into()],
        setup_problem: |setup| {
            let lacks = setup.provider.base_url.is_some() && setup.provider.model.is_none();
            lacks.then(|| "a server needs the name of a model: --model NAME".into())
        },
        ..Driver::new("opencode", request_command)
    }
}

/// Returns the file that a session is exported to.
fn export_file(run_folders: &RunFolders, session: &str) -> PathBuf {
    let file = format!("exports/opencode-{}.json", session.replace(['/', '\\'], "_"));
    run_folders.agent_folder().join(file)
}

fn settings_file(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("opencode.json")
}

fn settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile> {
    let mut settings = json!({
        "autoupdate": false,
        "share": "disabled",
        "permission": {"edit": "allow", "bash": "allow"},
    });
    if let (Some(server), Some(model)) = (setup.server_url(), &setup.provider.model) {
        let key = setup.provider.key_env.as_deref().unwrap_or(KEY_VARIABLE);
        settings["model"] = format!("{PROVIDER_NAME}/{model}").into();
        settings["provider"] = json!({PROVIDER_NAME: {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{server}/v1"), "apiKey": format!("{{env:{key}}}")},
            "models": {model.as_str(): {}},
        }});
    }
    vec![(settings_file(run_folders), format!("{settings:#}\n"))]
}

/// Returns the option that names the model, unless the settings name it with its server.
pub(super) fn model_option<'a>(ask: &'a AgentRequest<'_>) -> impl Iterator<Item = &'a str> {
    ask.model_option("--model").filter(|_| ask.setup.server_url().is_none())
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["run", "--format", "json"];
    args.extend(ask.session.into_iter().flat_map(|session| ["--session", session]));
    args.extend(model_option(ask));
    driver.command_with_setup_args(ask, args, RequestInput::Prompt)
}

pub(super) fn export_command(
    driver: &Driver,
    ask: &AgentRequest<'_>,
) -> Option<(AgentCommand, PathBuf)> {
    let session = ask.session?;
    let call = driver.command(ask.setup, ["export", session], RequestInput::Nothing);
    Some((call, export_file(ask.run_folders, session)))
}

/// Deletes an existing session first: an import does not overwrite it.
fn import_commands(driver: &Driver, ask: &AgentRequest<'_>) -> Vec<AgentCommand> {
    let Some(session) = ask.session else { return vec![] };
    let file = export_file(ask.run_folders, session).to_string_lossy().into_owned();
    let call =
        |words: &[&str]| driver.command(ask.setup, words.iter().copied(), RequestInput::Nothing);
    vec![call(&["session", "delete", session]), call(&["import", &file])]
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    if let Some(session) = text_at(value, "/sessionID") {
        parsed.session = Some(session.to_owned());
    }
    let words = |pointer| text_at(value, pointer).unwrap_or_default();
    match words("/type") {
        "text" => parsed.add_message(words("/part/text")),
        "tool_use" => {
            let of = ["/part/state/input/command", "/part/state/input/filePath"];
            let of = of.iter().find_map(|pointer| text_at(value, pointer)).unwrap_or_default();
            parsed.add_message(format!("{} {of}", words("/part/tool")).trim_end());
            if words("/part/tool") == "bash" {
                parsed.add_command_output(words("/part/state/output"));
            }
        }
        "step_finish" => read_step_usage(value, parsed),
        "error" => {
            let message =
                text_at(value, "/error/data/message").or(text_at(value, "/error/message"));
            parsed.set_failure(
                message.or(text_at(value, "/error/name")).unwrap_or("the turn failed"),
            );
        }
        _ => {}
    }
}

/// Adds the usage of one step, which every step reports for itself.
fn read_step_usage(value: &Value, parsed: &mut AgentOutput) {
    let cached = count_at(value, "/part/tokens/cache/read");
    let fresh = count_at(value, "/part/tokens/input");
    parsed.tokens.add_to_turn(Tokens {
        input: fresh.map(|fresh| fresh + cached.unwrap_or(0)),
        cached_input: cached,
        output: count_at(value, "/part/tokens/output"),
        reasoning: count_at(value, "/part/tokens/reasoning"),
        ..Tokens::default()
    });
    if let Some(cost) = value.pointer("/part/cost").and_then(Value::as_f64) {
        parsed.cost.add_to_turn(cost);
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::agent_output::{ReportedAmount, tests::parse_lines},
        *,
    };

    #[test]
    fn the_session_and_the_sum_of_its_steps_are_heard() {
        let lines = [
            r#"{"type":"step_start","sessionID":"ses_1","part":{}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.5,"tokens":{"input":3,"output":2,"reasoning":0,"cache":{"read":4}}}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.25,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0}}}}"#,
        ];
        let parsed = parse_lines(&OutputFormat::JsonLines(read_event), &lines);
        assert_eq!(parsed.session.as_deref(), Some("ses_1"));
        assert_eq!(parsed.cost, ReportedAmount::Turn(0.75));
        assert!(matches!(
            parsed.tokens,
            ReportedAmount::Turn(Tokens { input: Some(8), output: Some(3), .. })
        ));
    }
}
