//! mini-swe-agent: `mini` in a terminal, one process for all turns; following requests are typed.
//!
//! It has no session to resume: its memory is its process. Its trajectory is one JSON document that is rewritten after
//! each step; every process writes one of its own.

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{NoLines, OutputReader},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        TurnEndSign, called_program, pasted_bytes,
    },
};

#[derive(Debug)]
pub struct MiniDriver;

impl Driver for MiniDriver {
    fn name(&self) -> &str {
        "mini"
    }

    fn summary_line(&self) -> &str {
        "mini-swe-agent: `mini --yolo` in a terminal, one process, later requests typed"
    }

    fn program_name(&self) -> &str {
        "mini"
    }

    fn install_command(&self) -> &'static str {
        "pip install mini-swe-agent"
    }

    /// Empty: `mini` has no option for that; its banner in the terminal shows the version.
    fn version_arguments(&self) -> Vec<String> {
        vec![]
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = [
            ("MSWEA_CONFIGURED", "true"),
            ("MSWEA_SILENT_STARTUP", "1"),
            ("MSWEA_COST_TRACKING", "ignore_errors"),
            // Its own ten attempts hide for minutes that nothing works.
            ("MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT", "2"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
            ("TERM", "xterm"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        let settings = run_folders.agent_folder().join("mini").to_string_lossy().into_owned();
        all.push(("MSWEA_GLOBAL_CONFIG_DIR".into(), settings));
        all.extend(
            setup.server_url().map(|url| ("OPENAI_API_BASE".to_owned(), format!("{url}/v1"))),
        );
        all
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let file =
            ask.run_folders.agent_folder().join(format!("mini/turn-{:03}.traj.json", ask.turn));
        let mut args = vec![];
        if let Some(model) = &ask.setup.provider.model {
            let is_named = model.contains('/');
            let model = if is_named { model.clone() } else { format!("openai/{model}") };
            args.extend(["-m".to_owned(), model]);
        }
        args.extend(["-t".to_owned(), ask.prompt.to_owned()]);
        args.extend(["--yolo", "-l", "0", "-o"].map(str::to_owned));
        args.push(file.to_string_lossy().into_owned());
        args.extend(ask.setup.args.iter().cloned());
        AgentCommand {
            program: called_program(self, ask.setup),
            args,
            input: RequestInput::Terminal,
        }
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(NoLines)
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let folder = run_folders.agent_folder().join("mini");
        vec![LogFiles { folder, pattern: "*.traj.json".into(), is_flat: true }]
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Process
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Restart
    }

    fn turn_end_sign(&self) -> TurnEndSign {
        // It asks for the next task, and its line editor takes over.
        TurnEndSign::Marker(r"(?s)Type new task.*\x1b\[\?2004h".into())
    }

    /// Its line editor takes a pasted text with its lines, and sends it when return is pressed.
    fn typed_bytes(&self, prompt: &str) -> Vec<u8> {
        [pasted_bytes(prompt), b"\r".to_vec()].concat()
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}
