//! mini-swe-agent: `mini` in a terminal, one process for all turns; following requests are typed.
//!
//! It has no session to resume: its memory is its process. Its trajectory is one JSON document that is rewritten after
//! each step; every process writes one of its own.

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{NoLines, Reader},
    driver::{Ask, Call, Driver, End, Input, Logs, Naming, Rewind, pasted, program_of},
};

#[derive(Debug)]
pub struct Mini;

impl Driver for Mini {
    fn name(&self) -> &str {
        "mini"
    }

    fn about(&self) -> &str {
        "mini-swe-agent: `mini --yolo` in a terminal, one process, later requests typed"
    }

    fn program(&self) -> &str {
        "mini"
    }

    fn install(&self) -> &'static str {
        "pip install mini-swe-agent"
    }

    /// It has no word for it; its banner says it, on the terminal.
    fn version_words(&self) -> Vec<String> {
        vec![]
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment(&self, setup: &Setup, stage: &Stage) -> Vec<(String, String)> {
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
        let settings = stage.agent().join("mini").to_string_lossy().into_owned();
        all.push(("MSWEA_GLOBAL_CONFIG_DIR".into(), settings));
        all.extend(setup.server().map(|url| ("OPENAI_API_BASE".to_owned(), format!("{url}/v1"))));
        all
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let file = ask.stage.agent().join(format!("mini/turn-{:03}.traj.json", ask.turn));
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
        Call { program: program_of(self, ask.setup), args, input: Input::Terminal }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(NoLines)
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let folder = stage.agent().join("mini");
        vec![Logs { folder, pattern: "*.traj.json".into(), is_flat: true }]
    }

    fn naming(&self) -> Naming {
        Naming::Process
    }

    fn rewind(&self) -> Rewind {
        Rewind::Restart
    }

    fn end(&self) -> End {
        // It asks for the next task, and its line editor takes over.
        End::Marker(r"(?s)Type new task.*\x1b\[\?2004h".into())
    }

    /// Its line editor takes a pasted text with its lines, and sends it when return is pressed.
    fn typed(&self, prompt: &str) -> Vec<u8> {
        [pasted(prompt), b"\r".to_vec()].concat()
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}
