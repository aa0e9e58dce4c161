//! opencode: `opencode run --format json`, one process a turn, the session resumed by its id.
//!
//! It keeps its sessions in a database, so its log is what `opencode export` prints after each turn, and a turn is done again from what
//! `opencode import` takes back of it. The request goes on its standard input: among its words it would be quoted once more.

use std::path::PathBuf;

use serde_json::{Value, json};

use trajview_run::Tokens;

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, Amount, JsonLines, Reader, count, text},
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind, program_of},
    opencode_tui::OpenCodeTui,
    own_screen::InOwnScreen,
};

#[derive(Debug)]
pub struct OpenCode;

const KEY: &str = "OPENAI_API_KEY";

/// The keys of its providers, below a home.
const LOGIN: &str = ".local/share/opencode/auth.json";

/// The name under which its settings know our server.
const PROVIDER: &str = "trajview";

/// What it writes down of a session.
fn export_file(stage: &Stage, session: &str) -> PathBuf {
    let file = format!("exports/opencode-{}.json", session.replace(['/', '\\'], "_"));
    stage.agent().join(file)
}

fn settings_file(stage: &Stage) -> PathBuf {
    stage.agent().join("opencode.json")
}

impl Driver for OpenCode {
    fn name(&self) -> &str {
        "opencode"
    }

    fn about(&self) -> &str {
        "opencode: `opencode run --format json`, a process a turn, its session resumed"
    }

    fn program(&self) -> &str {
        "opencode"
    }

    fn install(&self) -> &'static str {
        "npm install -g opencode-ai"
    }

    fn key_variable(&self) -> Option<&str> {
        Some(KEY)
    }

    fn environment(&self, _setup: &Setup, stage: &Stage) -> Vec<(String, String)> {
        let file = settings_file(stage).to_string_lossy().into_owned();
        [
            ("OPENCODE_CONFIG", file.as_str()),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        let mut settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "permission": {"edit": "allow", "bash": "allow"},
        });
        if let (Some(server), Some(model)) = (setup.server(), &setup.provider.model) {
            let key = setup.provider.key_env.as_deref().unwrap_or(KEY);
            settings["model"] = format!("{PROVIDER}/{model}").into();
            settings["provider"] = json!({PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{server}/v1"), "apiKey": format!("{{env:{key}}}")},
                "models": {model.as_str(): {}},
            }});
        }
        vec![(settings_file(stage), format!("{settings:#}\n"))]
    }

    fn logins(&self, stage: &Stage) -> Vec<(&'static str, PathBuf)> {
        vec![(LOGIN, stage.home().join(LOGIN))]
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec!["run", "--format", "json"];
        if let Some(session) = ask.session {
            args.extend(["--session", session]);
        }
        if let (None, Some(model)) = (ask.setup.server(), &ask.setup.provider.model) {
            args.extend(["--model", model]);
        }
        Call::of(self, ask, args, Input::Prompt)
    }

    fn export(&self, ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        let session = ask.session?;
        let args = vec!["export".to_owned(), session.to_owned()];
        let call = Call { program: program_of(self, ask.setup), args, input: Input::Nothing };
        Some((call, export_file(ask.stage, session)))
    }

    /// A session that is there already is not imported over.
    fn import(&self, ask: &Ask<'_>) -> Vec<Call> {
        let Some(session) = ask.session else { return vec![] };
        let file = export_file(ask.stage, session).to_string_lossy().into_owned();
        let words: [&[&str]; 2] = [&["session", "delete", session], &["import", &file]];
        let call = |words: &[&str]| Call {
            program: program_of(self, ask.setup),
            args: words.iter().map(|word| (*word).to_owned()).collect(),
            input: Input::Nothing,
        };
        words.map(call).into()
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonLines(line))
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let folder = stage.agent().join("exports");
        vec![Logs { folder, pattern: "opencode-*.json".into(), is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(InOwnScreen(OpenCodeTui)))
    }

    fn naming(&self) -> Naming {
        Naming::Told
    }

    fn rewind(&self) -> Rewind {
        Rewind::Import
    }

    fn own_files(&self) -> Vec<&str> {
        vec![".opencode"]
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        let lacks = setup.provider.base_url.is_some() && setup.provider.model.is_none();
        lacks.then(|| "a server needs the name of a model: --model NAME".into())
    }
}

/// Reads one line.
fn line(value: &Value, heard: &mut AgentOutput) {
    if let Some(session) = text(value, "/sessionID") {
        heard.session = Some(session.to_owned());
    }
    let words = |pointer| text(value, pointer).unwrap_or_default();
    match words("/type") {
        "text" => heard.say(words("/part/text")),
        "tool_use" => {
            let of = ["/part/state/input/command", "/part/state/input/filePath"];
            let of = of.iter().find_map(|pointer| text(value, pointer)).unwrap_or_default();
            heard.say(format!("{} {of}", words("/part/tool")).trim_end());
            if words("/part/tool") == "bash" {
                heard.show_output(words("/part/state/output"));
            }
        }
        "step_finish" => step(value, heard),
        "error" => {
            let said = text(value, "/error/data/message").or(text(value, "/error/message"));
            heard.fail(said.or(text(value, "/error/name")).unwrap_or("the turn failed"));
        }
        _ => {}
    }
}

/// Every step says what it used alone.
fn step(value: &Value, heard: &mut AgentOutput) {
    let cached = count(value, "/part/tokens/cache/read");
    let fresh = count(value, "/part/tokens/input");
    let now = Tokens {
        input: fresh.map(|fresh| fresh + cached.unwrap_or(0)),
        cached_input: cached,
        output: count(value, "/part/tokens/output"),
        reasoning: count(value, "/part/tokens/reasoning"),
        ..Tokens::default()
    };
    let before = if let Amount::Turn(before) = heard.tokens { before } else { Tokens::default() };
    heard.tokens = Amount::Turn(before + now);
    if let Some(cost) = value.pointer("/part/cost").and_then(Value::as_f64) {
        let before = if let Amount::Turn(before) = heard.cost { before } else { 0.0 };
        heard.cost = Amount::Turn(before + cost);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::Stream, *};

    #[test]
    fn the_session_and_the_sum_of_its_steps_are_heard() {
        let mut heard = AgentOutput::default();
        for line in [
            r#"{"type":"step_start","sessionID":"ses_1","part":{}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.5,"tokens":{"input":3,"output":2,"reasoning":0,"cache":{"read":4}}}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"cost":0.25,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0}}}}"#,
        ] {
            JsonLines(super::line).line(line, Stream::Output, &mut heard);
        }
        assert_eq!(heard.session.as_deref(), Some("ses_1"));
        assert_eq!(heard.cost, Amount::Turn(0.75));
        assert!(matches!(
            heard.tokens,
            Amount::Turn(Tokens { input: Some(8), output: Some(3), .. })
        ));
    }
}
