//! mini-swe-agent: `mini` in a terminal, one process for all turns; following requests are typed.
//!
//! It has no session to resume: its memory is its process. Its trajectory is one JSON document that is rewritten after
//! each step; every process writes one of its own.

use super::driver::{
    AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
    TurnEndSign, lacks_model, pasted_bytes,
};

pub(super) fn driver() -> Driver {
    Driver {
        summary: "mini-swe-agent: `mini --yolo` in a terminal, one process, later requests typed",
        install_command: "pip install mini-swe-agent",
        // `mini` has no option for that; its banner in the terminal shows the version.
        version_arguments: vec![],
        key_variable: Some("OPENAI_API_KEY".into()),
        variables: &[
            ("MSWEA_CONFIGURED", "true"),
            ("MSWEA_SILENT_STARTUP", "1"),
            ("MSWEA_COST_TRACKING", "ignore_errors"),
            // Its own ten attempts hide for minutes that nothing works.
            ("MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT", "2"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
            ("TERM", "xterm"),
        ],
        server_variable: Some(("OPENAI_API_BASE", "/v1")),
        run_variables: |_, run_folders| {
            let settings = run_folders.agent_folder().join("mini").to_string_lossy().into_owned();
            vec![("MSWEA_GLOBAL_CONFIG_DIR".into(), settings)]
        },
        log_files: |_, run_folders| {
            vec![LogFiles::flat(run_folders.agent_folder().join("mini"), "*.traj.json")]
        },
        session_naming: SessionNaming::Process,
        rewind_method: RewindMethod::Restart,
        // It asks for the next task, and its line editor takes over.
        turn_end_sign: TurnEndSign::Marker(r"(?s)Type new task.*\x1b\[\?2004h".into()),
        // Its line editor takes a pasted text with its lines, and sends it when return is pressed.
        typed_bytes: |prompt| [pasted_bytes(prompt), b"\r".to_vec()].concat(),
        setup_problem: lacks_model,
        ..Driver::new("mini", request_command)
    }
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let file = ask.run_folders.agent_folder().join(format!("mini/turn-{:03}.traj.json", ask.turn));
    let file = file.to_string_lossy();
    let model = ask.setup.provider.model.as_ref();
    let model = model.map(|name| match name.contains('/') {
        true => name.clone(),
        false => format!("openai/{name}"),
    });
    let mut args: Vec<&str> = model.iter().flat_map(|model| ["-m", model]).collect();
    args.extend(["-t", ask.prompt, "--yolo", "-l", "0", "-o", &file]);
    driver.command_with_setup_args(ask, args, RequestInput::Terminal)
}
