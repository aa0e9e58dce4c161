//! opencode: `opencode run --format json`, one process a turn, the session resumed by its id.
//!
//! It keeps its sessions in a database, so its log is what `opencode export` prints after each turn, and a turn is done again from what
//! `opencode import` takes back of it. The request goes on its standard input: among its words it would be quoted once more.

use std::path::PathBuf;

use serde_json::{Value, json};

use trajview_run::Tokens;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, JsonLines, OutputReader, ReportedAmount, count_at, text_at},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        called_program,
    },
    opencode_tui::OpenCodeTui,
    screen_driver::ScreenDriver,
};

#[derive(Debug)]
pub struct OpenCodeDriver;

const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The file with the keys of its providers, below a home.
const LOGIN_FILE: &str = ".local/share/opencode/auth.json";

/// The name of our model server in its settings.
const PROVIDER_NAME: &str = "trajview";

/// Returns the file that a session is exported to.
fn export_file(run_folders: &RunFolders, session: &str) -> PathBuf {
    let file = format!("exports/opencode-{}.json", session.replace(['/', '\\'], "_"));
    run_folders.agent_folder().join(file)
}

fn settings_file(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("opencode.json")
}

impl Driver for OpenCodeDriver {
    fn name(&self) -> &str {
        "opencode"
    }

    fn summary_line(&self) -> &str {
        "opencode: `opencode run --format json`, a process a turn, its session resumed"
    }

    fn program_name(&self) -> &str {
        "opencode"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g opencode-ai"
    }

    fn key_variable(&self) -> Option<&str> {
        Some(KEY_VARIABLE)
    }

    fn environment_variables(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(String, String)> {
        let file = settings_file(run_folders).to_string_lossy().into_owned();
        [
            ("OPENCODE_CONFIG", file.as_str()),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn settings_files(&self, setup: &RunSetup, run_folders: &RunFolders) -> Vec<(PathBuf, String)> {
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

    fn login_files(&self, run_folders: &RunFolders) -> Vec<(&'static str, PathBuf)> {
        vec![(LOGIN_FILE, run_folders.home().join(LOGIN_FILE))]
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let mut args = vec!["run", "--format", "json"];
        if let Some(session) = ask.session {
            args.extend(["--session", session]);
        }
        if let (None, Some(model)) = (ask.setup.server_url(), &ask.setup.provider.model) {
            args.extend(["--model", model]);
        }
        AgentCommand::for_driver(self, ask, args, RequestInput::Prompt)
    }

    fn export_command(&self, ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)> {
        let session = ask.session?;
        let args = vec!["export".to_owned(), session.to_owned()];
        let call = AgentCommand {
            program: called_program(self, ask.setup),
            args,
            input: RequestInput::Nothing,
        };
        Some((call, export_file(ask.run_folders, session)))
    }

    /// An existing session is deleted first: an import does not overwrite it.
    fn import_commands(&self, ask: &AgentRequest<'_>) -> Vec<AgentCommand> {
        let Some(session) = ask.session else { return vec![] };
        let file = export_file(ask.run_folders, session).to_string_lossy().into_owned();
        let words: [&[&str]; 2] = [&["session", "delete", session], &["import", &file]];
        let call = |words: &[&str]| AgentCommand {
            program: called_program(self, ask.setup),
            args: words.iter().map(|word| (*word).to_owned()).collect(),
            input: RequestInput::Nothing,
        };
        words.map(call).into()
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(JsonLines(read_event))
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let folder = run_folders.agent_folder().join("exports");
        vec![LogFiles { folder, pattern: "opencode-*.json".into(), is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(ScreenDriver(OpenCodeTui)))
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Printed
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Import
    }

    fn own_files(&self) -> Vec<&str> {
        vec![".opencode"]
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        let lacks = setup.provider.base_url.is_some() && setup.provider.model.is_none();
        lacks.then(|| "a server needs the name of a model: --model NAME".into())
    }
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
    let now = Tokens {
        input: fresh.map(|fresh| fresh + cached.unwrap_or(0)),
        cached_input: cached,
        output: count_at(value, "/part/tokens/output"),
        reasoning: count_at(value, "/part/tokens/reasoning"),
        ..Tokens::default()
    };
    let before =
        if let ReportedAmount::Turn(before) = parsed.tokens { before } else { Tokens::default() };
    parsed.tokens = ReportedAmount::Turn(before + now);
    if let Some(cost) = value.pointer("/part/cost").and_then(Value::as_f64) {
        let before = if let ReportedAmount::Turn(before) = parsed.cost { before } else { 0.0 };
        parsed.cost = ReportedAmount::Turn(before + cost);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::OutputStream, *};

    #[test]
    fn the_session_and_the_sum_of_its_steps_are_heard() {
        let mut parsed = AgentOutput::default();
        for line in [
            r#"{"type":"step_start","sessionID":"ses_1","part":{}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.5,"tokens":{"input":3,"output":2,"reasoning":0,"cache":{"read":4}}}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.25,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0}}}}"#,
        ] {
            JsonLines(super::read_event).read_line(line, OutputStream::Output, &mut parsed);
        }
        assert_eq!(parsed.session.as_deref(), Some("ses_1"));
        assert_eq!(parsed.cost, ReportedAmount::Turn(0.75));
        assert!(matches!(
            parsed.tokens,
            ReportedAmount::Turn(Tokens { input: Some(8), output: Some(3), .. })
        ));
    }
}
