//! Any program, described by its command line: `[drivers.NAME]` in the settings file, or `--agent command -- PROGRAM ARGS`.

mod options;

use std::path::Path;

use regex::Regex;

use trajview_run::Tokens;

use super::{
    super::setup::RunSetup,
    agent_output::{AgentOutput, OutputFormat, OutputStream, count_at, parse_object, text_at},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        TurnEndSign,
    },
};

pub use options::{ProgramOptions, PromptDelivery, RewindOption, SessionOption};

/// Checks the options of a program and returns its driver, for a setup with these options. The error is a sentence.
pub fn configured_driver(name: &str, options: &ProgramOptions) -> Result<Driver, String> {
    let Some(program) = options.start.first().filter(|program| !program.is_empty()) else {
        return Err(format!("agent {name} has no command; give one after --, or as start"));
    };
    let is_typed = options.prompt == PromptDelivery::Pty;
    if is_typed && options.end_marker.is_empty() {
        return Err(format!("agent {name} is typed to, so it needs an end_marker"));
    }
    let regex = |pattern: &str| match pattern {
        "" => Ok(None),
        pattern => {
            Regex::new(pattern).map(Some).map_err(|why| format!("agent {name}: {pattern:?}: {why}"))
        }
    };
    let denied = regex(&options.denied)?;
    let marker = regex(&options.end_marker)?;
    Ok(Driver {
        summary: "a program given by its command line",
        program: program.clone(),
        version_arguments: options.version.clone(),
        key_variable: options.key_env.clone(),
        run_variables: |setup, _| options_of(setup).env.clone(),
        output: OutputFormat::Configured(Box::new(options.clone()), denied),
        log_files: |setup, run_folders| {
            let patterns = options_of(setup).logs.iter();
            patterns.map(|pattern| LogFiles::flat(run_folders.home(), pattern)).collect()
        },
        session_naming: match options.session {
            _ if is_typed => SessionNaming::Process,
            SessionOption::Chosen => SessionNaming::Chosen,
            SessionOption::Told => SessionNaming::Printed,
            SessionOption::None => SessionNaming::None,
        },
        rewind_method: match options.rewind {
            _ if is_typed => RewindMethod::Restart,
            RewindOption::Logs => RewindMethod::Logs,
            RewindOption::Restart => RewindMethod::Restart,
            RewindOption::GoOn => RewindMethod::GoOn,
        },
        turn_end_sign: marker.map_or(TurnEndSign::Exit, |it| TurnEndSign::Marker(it.to_string())),
        success_codes: options.success.clone(),
        own_files: options.exclude.clone(),
        ..Driver::new(name, request_command)
    })
}

fn options_of(setup: &RunSetup) -> &ProgramOptions {
    setup.command.as_ref().expect("the driver was made from the options in the setup")
}

fn request_command(_driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let options = options_of(ask.setup);
    let is_next = ask.session.is_some() && !options.next.is_empty();
    let words = if is_next { &options.next } else { &options.start };
    let mut filled = words.iter().map(|word| fill_placeholders(word, ask));
    let first = filled.next().unwrap_or_default();
    let given = ask.setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
    AgentCommand {
        program: given.unwrap_or(first),
        args: filled.chain(ask.setup.args.iter().cloned()).collect(),
        input: match options.prompt {
            PromptDelivery::Stdin => RequestInput::Prompt,
            PromptDelivery::Arg | PromptDelivery::File => RequestInput::Nothing,
            PromptDelivery::Pty => RequestInput::Typed,
        },
    }
}

fn fill_placeholders(word: &str, ask: &AgentRequest<'_>) -> String {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let session = ask.session.unwrap_or(ask.fresh);
    let values = [
        ("{prompt_file}", path(ask.prompt_file)),
        ("{session}", session.to_owned()),
        ("{uuid}", session.to_owned()),
        ("{cwd}", path(&ask.run_folders.workspace())),
        ("{turn}", ask.turn.to_string()),
        ("{run_dir}", path(&ask.run_folders.agent_folder())),
        ("{model}", ask.setup.provider.model.clone().unwrap_or_default()),
        ("{base_url}", ask.setup.server_url().unwrap_or_default().to_owned()),
        // Last: a request may have braces of its own.
        ("{prompt}", ask.prompt.to_owned()),
    ];
    values.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value))
}

impl ProgramOptions {
    /// Reads a line of the program's output: values by the configured JSON pointers, and denied actions.
    pub(super) fn read_line(
        &self,
        denied: Option<&Regex>,
        line: &str,
        from: OutputStream,
        parsed: &mut AgentOutput,
    ) {
        if denied.is_some_and(|denied| denied.is_match(line)) {
            parsed.add_denial(line);
        }
        match from {
            OutputStream::Output => parsed.add_message(line),
            OutputStream::Errors => parsed.add_trouble(line),
        }
        let Some(value) = parse_object(line) else { return };
        if self.session == SessionOption::Told
            && let Some(session) = text_at(&value, &self.session_pointer)
        {
            parsed.session = Some(session.to_owned());
        }
        let input = count_at(&value, &self.input_pointer);
        let output = count_at(&value, &self.output_pointer);
        if input.or(output).is_some() {
            parsed.tokens.add_to_turn(Tokens { input, output, ..Tokens::default() });
        }
        if let Some(cost) = value.pointer(&self.cost_pointer).and_then(|it| it.as_f64()) {
            parsed.cost.add_to_turn(cost);
        }
    }
}
