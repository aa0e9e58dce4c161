//! `trajview live`: runs an agent through a script and records it as a bundle.

mod report;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::runtime;
use trajview_layers::{LayerSpec, spec::COMMAND};
use trajview_live as live;
use trajview_live::{
    CannotStart, LiveRunEnd, RunControl, RunHalt, RunJob, StartMode, drivers,
    isolation::{IsolationOptions, Network, Sandbox},
    layers::LayerFiles,
    plan,
    prepare::{self, UnusableInput, absolute_path, program_path, read_bytes},
    run_folders,
    script::RequestScript,
    setup::{HelperOptions, OnFailure, Permissions, RunBudget, RunSetup, StartOptions},
};
use trajview_run::condition::Condition;
use trajview_store::{decisions, start_files};

use super::{
    CommandFailure, CommandResult, Exit, config,
    judge::signals,
    output::{Out, print_note},
    run_args,
};

/// Run an agent through a script and record it as a run bundle
///
/// The agent works in a new folder and gets one request after the other. After each, trajview records a commit of the
/// files, the agent's log, times and tokens. Runs in the terminal UI unless --headless is given. A run that was
/// stopped, failed or was killed continues with --resume. The exit code is 1 if not every request was sent.
///
/// `trajview live --agent claude -- 'fix the failing test'` in a git repository sends this one request to the agent in
/// a copy of it, and prints the patch file and how to apply it. `trajview live --agent codex` alone is a chat in the agent's own screen, each prompt a turn.
#[derive(Debug, clap::Args)]
pub struct LiveArgs {
    /// A known agent, one of the settings file ([drivers.NAME]), or `command` with a program after --
    #[arg(long, value_name = "NAME", required_unless_present = "resume")]
    agent: Option<String>,
    /// The requests: script.json of a bundle, or one like it
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The prompt of a run with one request; without a script, words after -- are the prompt too. The agent works in a
    /// copy of the current git repository, unless --from names other files
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["resume", "script", "specification"])]
    prompt: Option<String>,
    /// The condition; default: from the script
    #[arg(long, value_name = "emergent|single-shot", value_parser = run_args::word_parser(Condition::ALL.map(Condition::word), Condition::by_word), hide_possible_values = true)]
    condition: Option<Condition>,
    /// The text of the request of a single-shot run
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    specification: Option<PathBuf>,
    /// The bundle, a new folder. Default for a prompt or a chat: beside the repository
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run without the terminal UI; one line per turn on standard error
    #[arg(long)]
    headless: bool,
    /// Wait for a key before each request
    #[arg(long, conflicts_with = "headless")]
    step: bool,
    /// Resume the run in --out
    #[arg(long, conflicts_with_all = ["agent", "script", "condition"])]
    resume: bool,
    /// Print the exact commands; start nothing
    #[arg(long)]
    print_plan: bool,
    /// Drive the agent in its own terminal screen, if it also works without one
    #[arg(long)]
    terminal: bool,
    /// The program, if it is not in PATH
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// The model; default: the agent's default
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Address of the model server; default: the agent's default
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable with the key; default: the agent's usual one
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// An additional variable for the agent
    #[arg(long = "pass", value_name = "VARIABLE")]
    pass: Vec<String>,
    #[command(flatten)]
    isolation: IsolationArgs,
    /// Permissions of the agent
    #[arg(long, value_name = "workspace|full", value_parser = run_args::word_parser(Permissions::ALL.map(Permissions::word), Permissions::by_word), hide_possible_values = true, default_value = "workspace")]
    permissions: Permissions,
    /// Folder of the agent's workspace and home; default: a new temporary folder with a random name
    #[arg(long, alias = "work", value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// Do not hide the bundle from the agent: for agents that need sudo or mounts
    #[arg(long, alias = "open-bundle")]
    no_hide: bool,
    /// An additional file or folder to hide from the agent
    #[arg(long, value_name = "PATH", conflicts_with = "resume")]
    hide: Vec<PathBuf>,
    /// Read commands from standard input: `go`, `pause`; its end stops the run. Used by `trajview batch`
    #[arg(long, value_name = "turn|run", hide = true, requires = "headless", value_parser = ["turn", "run"])]
    steered: Option<String>,
    /// Number of refusals of the next turn so far. Used by `trajview batch`
    #[arg(long, hide = true, value_name = "N", requires = "steered")]
    tried: Option<usize>,
    /// Keep the work folder
    #[arg(long)]
    keep_work: bool,
    #[command(flatten)]
    start: StartArgs,
    /// components.json, copied into the bundle
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    components: Option<PathBuf>,
    /// A command that tests a copy of the code after each checkpoint
    #[arg(long, value_name = "COMMAND")]
    test: Option<String>,
    /// A file whose text precedes each request; it is read again each time
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
    /// A layer of project state: continuity, memory, projectguard, with :PART,... for some parts, or command:PROGRAM;
    /// several stack in this order
    #[arg(long = "layer", value_name = "SPEC", conflicts_with = "resume", value_parser = parse_layer)]
    layers: Vec<LayerSpec>,
    /// The decisions for the layer continuity: a JSON file in Continuity's shape; default: extracted from the requests
    #[arg(long, alias = "layer-store", value_name = "FILE", conflicts_with = "resume")]
    decisions: Option<PathBuf>,
    /// The model that helps the layers: a judge of the settings file ([judges.NAME])
    #[arg(long, value_name = "NAME")]
    helper: Option<String>,
    /// Maximum number of calls of the helper model
    #[arg(long, value_name = "CALLS")]
    helper_budget: Option<usize>,
    /// Cost limit of the helper model in US dollars; needs the prices in the settings
    #[arg(long, value_name = "USD", value_parser = parse_positive)]
    helper_usd: Option<f64>,
    /// Whether files named in .gitignore are recorded
    #[arg(long, value_name = "record|skip", value_parser = ["record", "skip"], default_value = "skip")]
    ignored: String,
    /// Stop before the next request at N tokens, input and output
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Stop before the next request once the agent reports this cost in US dollars
    #[arg(long, value_name = "USD", value_parser = parse_positive)]
    budget_usd: Option<f64>,
    /// Stop before the next request after N minutes of the agent's work
    #[arg(long, value_name = "MINUTES", value_parser = parse_positive)]
    budget_minutes: Option<f64>,
    /// Stop after N turns
    #[arg(long, value_name = "N")]
    budget_turns: Option<usize>,
    /// Time limit of a turn in seconds [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    timeout_turn: Option<f64>,
    /// Time limit without output in seconds [default: 900]
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    timeout_idle: Option<f64>,
    /// Seconds between SIGTERM and SIGKILL [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    patience: Option<f64>,
    /// Number of retries of a failed turn
    #[arg(long, value_name = "N")]
    retries: Option<usize>,
    /// What to do after the last retry
    #[arg(long, value_name = "stop|keep", value_parser = ["stop", "keep"])]
    on_failure: Option<String>,
    /// The settings file, instead of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.live/1)
    #[arg(long)]
    json: bool,
    /// The prompt, if there is no script and the first word does not begin with -. Else arguments for the agent; with
    /// `--agent command` the program, with {prompt}, {prompt_file}, {session} or the request on its standard input
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// What the agent finds in its workspace when it begins.
#[derive(Debug, clap::Args)]
struct StartArgs {
    /// Starting files, copied: the working tree of a repository, one of its revisions, or a folder
    #[arg(long, value_name = "REPO[@REV]|FOLDER", conflicts_with = "resume")]
    from: Option<String>,
    /// Include the history of that repository
    #[arg(long, requires = "from")]
    with_history: bool,
    /// A command that prepares the workspace before the first request; several run in this order
    #[arg(long = "setup", value_name = "COMMAND", conflicts_with = "resume")]
    setup: Vec<String>,
}

/// What stands around the agent.
#[derive(Debug, clap::Args)]
struct IsolationArgs {
    /// Sandbox for the agent: bubblewrap, where only its own folder is writable, or a container of --image
    #[arg(long, value_name = "none|bwrap|docker|podman", value_parser = run_args::word_parser(Sandbox::ALL.map(Sandbox::word), Sandbox::by_word), hide_possible_values = true, conflicts_with = "resume")]
    sandbox: Option<Sandbox>,
    /// Network access in the sandbox: all, only the model server of this machine, or none
    #[arg(long, value_name = "on|loopback|off", value_parser = run_args::word_parser(Network::ALL.map(Network::word), Network::by_word), hide_possible_values = true, conflicts_with = "resume")]
    network: Option<Network>,
    /// The image of the container, in which the agent is installed; it is never downloaded
    #[arg(long, value_name = "IMAGE", conflicts_with = "resume")]
    image: Option<String>,
    /// Give the agent a read-only copy of your login; it is never recorded and deleted after the run
    #[arg(long, conflicts_with = "resume")]
    login: bool,
}

impl IsolationArgs {
    fn to_isolation(&self) -> IsolationOptions {
        IsolationOptions {
            sandbox: self.sandbox.unwrap_or_default(),
            network: self.network.unwrap_or_default(),
            image: self.image.clone(),
        }
    }
}

impl StartArgs {
    fn to_start_options(&self) -> StartOptions {
        StartOptions {
            from: self.from.clone(),
            with_history: self.with_history,
            setup: self.setup.clone(),
        }
    }
}

fn parse_layer(word: &str) -> Result<LayerSpec, String> {
    word.parse()
}

fn parse_positive(word: &str) -> Result<f64, String> {
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".into())
}

pub fn run(args: &LiveArgs, out: &mut Out) -> CommandResult {
    let asks = RequestSource::from_args(args)?;
    let job = if args.resume { resumed_job(args)? } else { job_from_args(args, &asks)? };
    if args.print_plan {
        report::print_plan(&plan::plan_run(&job)?, args.json, out)?;
        return Ok(Exit::Fine);
    }
    let start = if args.resume { StartMode::Resume } else { StartMode::Anew };
    if !args.headless {
        return run_on_screen(args, job, start, &asks, out);
    }
    if job.script.chat {
        return Err(CommandFailure::wrong_arguments(
            "a chat needs the agent's own screen, so it cannot be --headless; give a script or a prompt",
        ));
    }
    live::adopt_orphans();
    let (stop, signal) = signals::listen_for_signals();
    let mut teller = report::LiveReporter::default();
    let control = RunControl::new(stop);
    let job = job_with_commands(args, job, &control);
    let ended = live::run_job(&job, start, &control, &mut |event| teller.print_event(event))?;
    report::print_result(&job, &ended, args.json, out)?;
    live_outcome(&job, &ended, signal.last())
}

/// Returns the run as it takes orders, which are listened for from now on; as it is where it takes none.
fn job_with_commands(args: &LiveArgs, job: RunJob, control: &RunControl) -> RunJob {
    let Some(by) = &args.steered else { return job };
    let control = control.clone();
    std::thread::spawn(move || control.read_orders(std::io::stdin().lock()));
    RunJob { step_by_step: by == "turn", earlier_refusals: args.tried, ..job }
}

/// Shows the run while it is made; what came of it is printed when the screen is gone.
fn run_on_screen(
    args: &LiveArgs,
    job: RunJob,
    start: StartMode,
    asks: &RequestSource,
    out: &mut Out,
) -> CommandResult {
    let settings = config::load_settings(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| print_note(problem));
    let options = super::view::options_from_settings(settings, args.config.as_deref());
    let job = RunJob { step_by_step: args.step, ..job };
    let then = match asks {
        RequestSource::Prompt(_) => runtime::BesideAgent::RecordingThenReplay,
        RequestSource::Script | RequestSource::Chat => runtime::BesideAgent::Recording,
    };
    let (ending, outcome) =
        runtime::run_live(job.clone(), start, RunControl::default(), (options, then)).map_err(
            |why| match why {
                runtime::ScreenFailure::NoTerminal => CommandFailure::wrong_arguments(
                    "a live run needs a terminal; use --headless without one",
                ),
                why => why.into(),
            },
        )?;
    let Some(ended) = outcome else {
        return Err(CommandFailure::cannot_read(
            "internal error in trajview; please report it; --resume continues",
        ));
    };
    let ended = ended?;
    report::print_result(&job, &ended, args.json, out)?;
    let signal = match ending {
        runtime::ScreenEnd::Signal(signal) => Some(signal),
        runtime::ScreenEnd::Quit => None,
    };
    live_outcome(&job, &ended, signal)
}

impl From<UnusableInput> for CommandFailure {
    fn from(why: UnusableInput) -> Self {
        let exit = match &why {
            UnusableInput::Unread(_) => Exit::CannotRead,
            UnusableInput::Misread(_) => Exit::CannotUnderstand,
            UnusableInput::Wrong(_) => Exit::WrongArguments,
        };
        Self::new(exit, why.sentence())
    }
}

impl From<CannotStart> for CommandFailure {
    fn from(why: CannotStart) -> Self {
        match why {
            CannotStart::Wrong(why) => Self::wrong_arguments(why),
            CannotStart::Unusable(why) => Self::cannot_understand(why),
            CannotStart::Write(why) => why.into(),
        }
    }
}

/// Converts the result to an exit code and a sentence.
fn live_outcome(job: &RunJob, ended: &LiveRunEnd, signal: Option<u8>) -> CommandResult {
    let done = run_args::turns_text(ended.total.turns);
    let kept_text = format!("{done} of {} saved in {}", ended.requests, job.bundle.display());
    match &ended.halted {
        None => Ok(Exit::Fine),
        Some(RunHalt::Stopped) => Err(CommandFailure::stopped_by(
            signal,
            format!("stopped; {kept_text}; --resume continues"),
        )),
        Some(RunHalt::Budget(why)) => Err(CommandFailure::new(
            Exit::Failed,
            format!("stopped: {why}; {kept_text}; --resume with a higher limit continues"),
        )),
        Some(RunHalt::Failed { turn, why }) => Err(CommandFailure::new(
            Exit::Failed,
            format!("turn {turn}: {why}; {kept_text}; --resume repeats it"),
        )),
        Some(RunHalt::NotReady(why)) => Err(CommandFailure::new(
            Exit::Failed,
            format!(
                "{why}; no request was sent; retry with --resume --out {}",
                job.bundle.display()
            ),
        )),
        Some(RunHalt::Write(why)) => {
            Err(CommandFailure::cannot_read(format!("{why}; {kept_text}; --resume continues")))
        }
    }
}

/// Returns the run in a bundle, with the limits that were given anew.
fn resumed_job(args: &LiveArgs) -> Result<RunJob, CommandFailure> {
    let bundle = args.out.clone().ok_or_else(|| {
        CommandFailure::wrong_arguments("--resume needs --out, the bundle to resume")
    })?;
    let mut job = RunJob::from_bundle(&bundle)?;
    set_limits(args, &mut job.setup);
    let setup = &mut job.setup;
    setup.program = args.program.as_deref().map(program_path).or(setup.program.take());
    setup.provider.base_url = args.base_url.clone().or(setup.provider.base_url.take());
    setup.provider.key_env = args.key_env.clone().or(setup.provider.key_env.take());
    setup.folders.keeps_work |= args.keep_work;
    setup.folders.leaves_bundle_open |= args.no_hide;
    set_helper(args, &mut job)?;
    Ok(job)
}

/// Sets the helper model of the layers; a resumed run keeps its own unless another is named.
fn set_helper(args: &LiveArgs, job: &mut RunJob) -> Result<(), CommandFailure> {
    let layers = &mut job.setup.layers;
    if let Some(name) = &args.helper {
        layers.helper = Some(HelperOptions { name: name.clone(), calls: None, usd: None });
    }
    let Some(helper) = &mut layers.helper else {
        return match args.helper_budget.is_some() || args.helper_usd.is_some() {
            true => Err(CommandFailure::wrong_arguments(
                "a budget of a helper model needs --helper NAME",
            )),
            false => Ok(()),
        };
    };
    helper.calls = args.helper_budget.or(helper.calls);
    helper.usd = args.helper_usd.or(helper.usd);
    let judges = config::load_settings(args.config.as_deref())?.judges;
    let found = judges.into_iter().find(|judge| judge.name == helper.name);
    job.layers.helper = found.map(Arc::new);
    Ok(())
}

/// Reads the decisions as files of the bundle: the file itself, and the links beside it.
fn decision_files(path: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, CommandFailure> {
    let store = decisions::read_store(path).map_err(CommandFailure::cannot_understand)?;
    store.warnings.iter().for_each(|what| print_note(what));
    let mut files = vec![("decisions.json", read_bytes(path)?)];
    let links = path.with_file_name("code-links.json");
    if links.is_file() {
        files.push(("code-links.json", read_bytes(&links)?));
    }
    Ok(files)
}

fn set_limits(args: &LiveArgs, setup: &mut RunSetup) {
    let RunBudget { tokens, usd, minutes, turns } = setup.limits.budget;
    setup.limits.budget = RunBudget {
        tokens: args.budget_tokens.or(tokens),
        usd: args.budget_usd.or(usd),
        minutes: args.budget_minutes.or(minutes),
        turns: args.budget_turns.or(turns),
    };
    setup.limits.timeouts.turn = args.timeout_turn.unwrap_or(setup.limits.timeouts.turn);
    setup.limits.timeouts.idle = args.timeout_idle.unwrap_or(setup.limits.timeouts.idle);
    setup.limits.timeouts.patience = args.patience.unwrap_or(setup.limits.timeouts.patience);
    setup.limits.retries = args.retries.unwrap_or(setup.limits.retries);
    if let Some(word) = &args.on_failure {
        setup.limits.on_failure = if word == "keep" { OnFailure::Keep } else { OnFailure::Stop };
    }
}

/// The source of the requests.
#[derive(Debug, PartialEq, Eq)]
enum RequestSource {
    /// A script, a specification, or a run to go on with.
    Script,
    /// One request, as it was given on the command line.
    Prompt(String),
    /// A person types them into the agent's screen.
    Chat,
}

impl RequestSource {
    fn from_args(args: &LiveArgs) -> Result<Self, CommandFailure> {
        let is_given = args.resume || args.script.is_some() || args.specification.is_some();
        if is_given || args.print_plan && args.prompt.is_none() && !args.has_prompt_words() {
            return Ok(Self::Script);
        }
        let words = || args.has_prompt_words().then(|| args.args.join(" "));
        let prompt = args.prompt.clone().or_else(words);
        if prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
            return Err(CommandFailure::wrong_arguments("the prompt is empty"));
        }
        Ok(prompt.map_or(Self::Chat, Self::Prompt))
    }

    /// Returns whether the words after `--` are the prompt, and so not arguments of the agent.
    fn takes_trailing_words(&self, args: &LiveArgs) -> bool {
        matches!(self, Self::Prompt(_)) && args.prompt.is_none()
    }

    fn read_script(&self, args: &LiveArgs) -> Result<(RequestScript, Condition), CommandFailure> {
        match self {
            Self::Script => Ok(prepare::script_and_condition(
                args.script.as_deref(),
                args.specification.as_deref(),
                args.condition,
            )?),
            Self::Prompt(_) | Self::Chat if args.condition.is_some() => Err(
                CommandFailure::wrong_arguments("--condition needs a script or a specification"),
            ),
            Self::Prompt(text) => {
                let requests = [(text.clone(), None)];
                let script = RequestScript::from_requests(requests)
                    .for_condition(Condition::SingleShot, None);
                Ok((script.map_err(CommandFailure::wrong_arguments)?, Condition::SingleShot))
            }
            Self::Chat => Ok((RequestScript::for_chat(), Condition::Emergent)),
        }
    }

    /// Returns the last word of the name of its folder.
    const fn folder_suffix(&self) -> &'static str {
        match self {
            Self::Script => "",
            Self::Prompt(_) => Condition::SingleShot.word(),
            Self::Chat => "chat",
        }
    }
}

impl LiveArgs {
    /// Returns whether the words after `--` are words of a prompt.
    fn has_prompt_words(&self) -> bool {
        let is_command = self.agent.as_deref() == Some("command");
        !is_command && self.args.first().is_some_and(|word| !word.starts_with('-'))
    }

    /// Returns the bundle to make: the named folder, or one beside the repository that the agent begins with.
    fn bundle_folder(
        &self,
        asks: &RequestSource,
        from: Option<&str>,
    ) -> Result<PathBuf, CommandFailure> {
        match (&self.out, asks) {
            (Some(out), _) => Ok(out.clone()),
            (None, _) if self.print_plan => Ok("OUT".into()),
            (None, RequestSource::Script) => Err(CommandFailure::wrong_arguments(
                "--out DIR is missing: the new folder for the bundle",
            )),
            (None, RequestSource::Prompt(_) | RequestSource::Chat) => {
                let agent = self.agent.as_deref().unwrap_or_default();
                let from = from.map(|from| absolute_path(Path::new(from))).filter(|it| it.is_dir());
                let name = from.as_deref().and_then(Path::file_name);
                let name = name.map_or("live".into(), |name| name.to_string_lossy());
                let folder = from.as_deref().and_then(Path::parent).map(Path::to_owned);
                let folder = folder.unwrap_or_else(|| absolute_path(Path::new(".")));
                let name = format!("{name}-{agent}-{}", asks.folder_suffix());
                Ok(prepare::free_folder(&folder, &name))
            }
        }
    }
}

fn job_from_args(args: &LiveArgs, asks: &RequestSource) -> Result<RunJob, CommandFailure> {
    let (script, condition) = asks.read_script(args)?;
    let mut start = args.start.to_start_options();
    if *asks != RequestSource::Script && start.from.is_none() {
        let here = std::env::current_dir().ok();
        let around = here.and_then(|here| start_files::enclosing_repository(&here));
        start.from = around.map(|around| around.to_string_lossy().trim_end_matches('/').into());
        if start.from.is_none() {
            print_note(
                "not a git repository: the agent starts in an empty folder (--from PATH adds files)",
            );
        }
    }
    let bundle = args.bundle_folder(asks, start.from.as_deref())?;
    let work = args.work_dir.clone().unwrap_or_else(run_folders::temporary_folder);
    let mut setup = RunSetup::new(args.agent.as_deref().unwrap_or_default(), absolute_path(&work));
    setup.condition = condition;
    setup.program = args.program.as_deref().map(program_path);
    setup.provider.model = args.model.clone();
    setup.provider.base_url = args.base_url.clone();
    setup.provider.key_env = args.key_env.clone();
    setup.pass = args.pass.clone();
    setup.permissions = args.permissions;
    setup.layers.notes = args.notes.as_deref().map(absolute_path);
    setup.layers.layers.clone_from(&args.layers);
    if args.layers.iter().any(|spec| spec.name == COMMAND) {
        setup.layers.folder = std::env::current_dir().ok();
    }
    setup.tests = args.test.clone();
    setup.recording.records_ignored = args.ignored == "record";
    setup.folders.keeps_work = args.keep_work;
    setup.folders.leaves_bundle_open = args.no_hide;
    setup.folders.start = start;
    setup.folders.isolation = args.isolation.to_isolation();
    setup.folders.copies_login = args.isolation.login;
    let given_files = [&args.script, &args.specification, &args.components, &args.decisions];
    let hidden = given_files.into_iter().flatten().chain(&args.hide);
    setup.folders.hidden = hidden.map(|path| absolute_path(path)).collect();
    setup.in_terminal = args.terminal || *asks == RequestSource::Chat;
    setup.args = if asks.takes_trailing_words(args) { vec![] } else { args.args.clone() };
    set_limits(args, &mut setup);
    set_driver(args, &mut setup)?;
    let components = args.components.as_deref().map(read_bytes).transpose()?;
    let store = args.decisions.as_deref().map(decision_files).transpose()?.unwrap_or_default();
    let layers = LayerFiles { store, helper: None };
    let (has_person, step_by_step, tried) = (false, false, None);
    let mut job = RunJob {
        setup,
        script,
        bundle,
        components,
        layers,
        has_person,
        step_by_step,
        earlier_refusals: tried,
    };
    set_helper(args, &mut job)?;
    Ok(job)
}

/// Sets the driver of a program without one of its own, from the settings or from the words after `--`.
fn set_driver(args: &LiveArgs, setup: &mut RunSetup) -> Result<(), CommandFailure> {
    if setup.agent == "command" {
        if args.args.is_empty() {
            return Err(CommandFailure::wrong_arguments(
                "--agent command needs a program after --, such as -- ./agent.sh {prompt_file}",
            ));
        }
        setup.args.clear();
        let mut start = args.args.clone();
        if let Some(first) = start.first_mut() {
            *first = program_path(Path::new(first)).to_string_lossy().into_owned();
        }
        setup.command = Some(prepare::options_for_command(&start));
        return Ok(());
    }
    if drivers::driver_names().contains(&setup.agent.as_str()) {
        return Ok(());
    }
    let loaded = config::load_settings(args.config.as_deref())?;
    for problem in loaded.problems.iter().filter(|problem| problem.contains("drivers")) {
        print_note(problem);
    }
    Ok(prepare::set_driver(setup, &loaded.drivers)?)
}
