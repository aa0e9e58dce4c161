//! `trajview live`: runs an agent through a script and records it as a bundle.

mod report;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::runtime;
use trajview_layers::{Spec, spec::COMMAND};
use trajview_live as live;
use trajview_live::{
    CannotStart, Control, Ended, Halt, Job, Start, drivers,
    isolation::{Isolation, Network, Sandbox},
    layers::LayerFiles,
    plan,
    prepare::{self, Unusable, absolute, bytes_of, program},
    script::{Condition, Script},
    setup::{Budget, HelperOptions, OnFailure, Permissions, Setup, StartOptions},
    stage,
};
use trajview_store::{beginning, decisions};

use super::{
    Exit, Failure, Outcome, at, config,
    judge::signals,
    output::{Out, tell},
};

/// Run an agent through a script and record it as a run bundle
///
/// The agent works in a fresh folder, is asked request by request, and is recorded after each: a commit of its files, its
/// own log, times, tokens. It is shown and steered on screen unless --headless is said. A run that was stopped, failed or
/// was killed goes on with --resume. Ends with 1 where not every request was asked.
///
/// `trajview live --agent claude -- 'fix the failing test'` in a git repository asks this one request of a copy of it, and says
/// where the patch is and how to apply it. `trajview live --agent codex` alone is a chat in the agent's own screen, each prompt a turn.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A known agent, one of the settings file ([drivers.NAME]), or `command` with a program after --
    #[arg(long, value_name = "NAME", required_unless_present = "resume")]
    agent: Option<String>,
    /// The requests: script.json of a bundle, or one like it
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The one request, as words after -- that do not begin with - are too where no script is given. Of the git repository
    /// here a copy is made, unless --from names other files
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["resume", "script", "specification"])]
    prompt: Option<String>,
    /// How the script is asked; else as it says itself
    #[arg(long, value_name = "emergent|single-shot", value_parser = condition)]
    condition: Option<Condition>,
    /// A text that is the one request of a single-shot run
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    specification: Option<PathBuf>,
    /// The bundle to make; a new folder. For a prompt or a chat one is made beside the repository
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Without a screen; a line for each turn on standard error
    #[arg(long)]
    headless: bool,
    /// Wait for a key before each request
    #[arg(long, conflicts_with = "headless")]
    step: bool,
    /// Go on with the run in --out, where it stopped
    #[arg(long, conflicts_with_all = ["agent", "script", "condition"])]
    resume: bool,
    /// Print what would be called, word by word; call nothing
    #[arg(long)]
    print_plan: bool,
    /// Drive it in a terminal, as a person would, where it can also do without
    #[arg(long)]
    terminal: bool,
    /// The program, where it is not found by its usual name
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// The model that the agent is to use; else the one it would choose itself
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Where the model's server is; else the agent's own
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable that holds the key for it; else the agent's usual one
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// Another variable the agent gets
    #[arg(long = "pass", value_name = "VARIABLE")]
    pass: Vec<String>,
    #[command(flatten)]
    isolation: IsolationArgs,
    /// What the agent may do without asking
    #[arg(long, value_name = "workspace|full", value_parser = permissions, default_value = "workspace")]
    permissions: Permissions,
    /// Folder of its workspace and its home; else a new one among the temporary files, which nobody can guess
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Leave the bundle within the agent's reach: for agents that have to use sudo, or to mount
    #[arg(long)]
    open_bundle: bool,
    /// A file or folder that the agent is not to see, beside the bundle and the files that the run is made of
    #[arg(long, value_name = "PATH", conflicts_with = "resume")]
    hide: Vec<PathBuf>,
    /// Take orders on standard input: `go`, `pause`; its end stops the run. `trajview batch` says it
    #[arg(long, value_name = "turn|run", hide = true, requires = "headless", value_parser = ["turn", "run"])]
    steered: Option<String>,
    /// How often its batch saw the next turn refused; a turn that is refused ends the run, until it was so as often as may be
    #[arg(long, hide = true, value_name = "N", requires = "steered")]
    tried: Option<usize>,
    /// Leave that folder when the run is over
    #[arg(long)]
    keep_work: bool,
    #[command(flatten)]
    start: StartArgs,
    /// components.json, put into the bundle
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    components: Option<PathBuf>,
    /// A command that tests a copy of the code after each checkpoint
    #[arg(long, value_name = "COMMAND")]
    test: Option<String>,
    /// A file whose words go before each request, read afresh each time
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
    /// A layer of project state: continuity, memory, projectguard, with :PART,... for some of it alone, or command:PROGRAM;
    /// several stack in this order
    #[arg(long = "layer", value_name = "SPEC", conflicts_with = "resume", value_parser = layer)]
    layers: Vec<Spec>,
    /// The decisions for the layer continuity: a JSON file in Continuity's shape; without it they are drawn from the requests
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    layer_store: Option<PathBuf>,
    /// The model that helps the layers: a judge of the settings file ([judges.NAME])
    #[arg(long, value_name = "NAME")]
    helper: Option<String>,
    /// Calls of the helper model, at most
    #[arg(long, value_name = "CALLS")]
    helper_budget: Option<usize>,
    /// What the helper model may cost in US dollars; needs the prices in the settings
    #[arg(long, value_name = "USD", value_parser = positive)]
    helper_usd: Option<f64>,
    /// Whether files named in .gitignore are recorded
    #[arg(long, value_name = "record|skip", value_parser = ["record", "skip"], default_value = "skip")]
    ignored: String,
    /// Stop before the next request at so many tokens, input and output
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Stop before the next request once the agent reports this cost in US dollars
    #[arg(long, value_name = "USD", value_parser = positive)]
    budget_usd: Option<f64>,
    /// Stop before the next request once the agent has worked so many minutes
    #[arg(long, value_name = "MINUTES", value_parser = positive)]
    budget_minutes: Option<f64>,
    /// Stop after so many turns
    #[arg(long, value_name = "N")]
    budget_turns: Option<usize>,
    /// A turn that takes longer is cut (seconds; usual: 3600)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    timeout_turn: Option<f64>,
    /// A turn in which the agent writes nothing for so long is cut (seconds; usual: 900)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    timeout_idle: Option<f64>,
    /// Seconds between asking an agent to end and killing it (usual: 5)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    patience: Option<f64>,
    /// How often a failed turn is done again
    #[arg(long, value_name = "N")]
    retries: Option<usize>,
    /// What a turn that failed to the last does
    #[arg(long, value_name = "stop|keep", value_parser = ["stop", "keep"])]
    on_failure: Option<String>,
    /// The settings file, in the place of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.live/1)
    #[arg(long)]
    json: bool,
    /// The prompt, where there is no script and the first word does not begin with -. Else handed to the agent as they are; with
    /// `--agent command` the program, with {prompt}, {prompt_file}, {session} or the request on its standard input
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// What the agent finds in its workspace when it begins.
#[derive(Debug, clap::Args)]
struct StartArgs {
    /// Files to begin with: a repository as it lies there, one of its revisions, or a folder. They are copied
    #[arg(long, value_name = "REPO[@REV]|FOLDER", conflicts_with = "resume")]
    from: Option<String>,
    /// With the history of that repository
    #[arg(long, requires = "from")]
    with_history: bool,
    /// A command that prepares the workspace before the first request; several run in this order
    #[arg(long = "setup", value_name = "COMMAND", conflicts_with = "resume")]
    setup: Vec<String>,
}

/// What stands around the agent.
#[derive(Debug, clap::Args)]
struct IsolationArgs {
    /// A sandbox around the agent: bubblewrap, in which it can write in its own folder alone, or a container of --image
    #[arg(long, value_name = "none|bwrap|docker|podman", value_parser = sandbox, conflicts_with = "resume")]
    sandbox: Option<Sandbox>,
    /// What of the network an agent in a sandbox has: all, the model server of this machine alone, or nothing
    #[arg(long, value_name = "on|loopback|off", value_parser = network, conflicts_with = "resume")]
    network: Option<Network>,
    /// The image of the container, in which the agent is installed; it is never fetched
    #[arg(long, value_name = "IMAGE", conflicts_with = "resume")]
    image: Option<String>,
    /// Give the agent a copy of your login, to be read alone; it is never recorded and goes with the run
    #[arg(long, conflicts_with = "resume")]
    login: bool,
}

impl IsolationArgs {
    fn isolation(&self) -> Isolation {
        Isolation {
            sandbox: self.sandbox.unwrap_or_default(),
            network: self.network.unwrap_or_default(),
            image: self.image.clone(),
        }
    }
}

fn sandbox(word: &str) -> Result<Sandbox, String> {
    Sandbox::by_word(word).ok_or_else(|| "expected none, bwrap, docker or podman".into())
}

fn network(word: &str) -> Result<Network, String> {
    Network::by_word(word).ok_or_else(|| "expected on, loopback or off".into())
}

impl StartArgs {
    fn options(&self) -> StartOptions {
        StartOptions {
            from: self.from.clone(),
            with_history: self.with_history,
            setup: self.setup.clone(),
        }
    }
}

fn condition(word: &str) -> Result<Condition, String> {
    Condition::by_word(word).ok_or_else(|| "expected emergent or single-shot".into())
}

fn layer(word: &str) -> Result<Spec, String> {
    word.parse()
}

fn permissions(word: &str) -> Result<Permissions, String> {
    Permissions::by_word(word).ok_or_else(|| "expected workspace or full".into())
}

fn positive(word: &str) -> Result<f64, String> {
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".into())
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let asks = Asks::of(args)?;
    let job = if args.resume { resumed(args)? } else { wanted(args, &asks)? };
    if args.print_plan {
        report::plan(&plan::of(&job)?, args.json, out)?;
        return Ok(Exit::Fine);
    }
    let start = if args.resume { Start::Resume } else { Start::Anew };
    if !args.headless {
        return on_screen(args, job, start, &asks, out);
    }
    if job.script.chat {
        return Err(Failure::wrong(
            "a chat is typed into the agent's own screen, so it cannot be --headless; give a script or a prompt",
        ));
    }
    live::adopt_orphans();
    let (stop, signal) = signals::listen();
    let mut teller = report::Reporter::default();
    let control = Control::new(stop);
    let job = steered(args, job, &control);
    let ended = live::run(&job, start, &control, &mut |event| teller.event(event))?;
    report::ended(&job, &ended, args.json, out)?;
    end(&job, &ended, signal.last())
}

/// The run as it takes orders, which are listened for from now on; as it is where it takes none.
fn steered(args: &Args, job: Job, control: &Control) -> Job {
    let Some(by) = &args.steered else { return job };
    let control = control.clone();
    std::thread::spawn(move || control.obey(std::io::stdin().lock()));
    Job { step_by_step: by == "turn", tried: args.tried, ..job }
}

/// Shows the run while it is made; what came of it is printed when the screen is gone.
fn on_screen(args: &Args, job: Job, start: Start, asks: &Asks, out: &mut Out) -> Outcome {
    let settings = config::load(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| tell(problem));
    let options = super::view::of_settings(settings, args.config.as_deref());
    let job = Job { step_by_step: args.step, ..job };
    let then = match asks {
        Asks::Prompt(_) => runtime::Beside::RecordingThenReplay,
        Asks::Script | Asks::Chat => runtime::Beside::Recording,
    };
    let (ending, outcome) = runtime::live(job.clone(), start, Control::default(), (options, then))
        .map_err(|why| match why {
            runtime::Failure::NoTerminal => {
                Failure::wrong("a live run is shown in a terminal; --headless makes one without")
            }
            why => why.into(),
        })?;
    let Some(ended) = outcome else {
        return Err(Failure::unread("the run broke off, a mistake in trajview; --resume goes on"));
    };
    let ended = ended?;
    report::ended(&job, &ended, args.json, out)?;
    let signal = match ending {
        runtime::Ending::Signal(signal) => Some(signal),
        runtime::Ending::Quit => None,
    };
    end(&job, &ended, signal)
}

impl From<Unusable> for Failure {
    fn from(why: Unusable) -> Self {
        let exit = match &why {
            Unusable::Unread(_) => Exit::CannotRead,
            Unusable::Misread(_) => Exit::CannotUnderstand,
            Unusable::Wrong(_) => Exit::WrongArguments,
        };
        Self::new(exit, why.sentence())
    }
}

impl From<CannotStart> for Failure {
    fn from(why: CannotStart) -> Self {
        match why {
            CannotStart::Wrong(why) => Self::wrong(why),
            CannotStart::Unusable(why) => Self::not_understood(why),
            CannotStart::Write(why) => why.into(),
        }
    }
}

/// How it ended, as an exit code and a sentence.
fn end(job: &Job, ended: &Ended, signal: Option<u8>) -> Outcome {
    let done = at::turns(ended.total.turns);
    let kept = format!("{done} of {} stay in {}", ended.requests, job.bundle.display());
    match &ended.halted {
        None => Ok(Exit::Fine),
        Some(Halt::Stopped) => {
            Err(Failure::stopped(signal, format!("stopped; {kept}; --resume goes on")))
        }
        Some(Halt::Budget(why)) => Err(Failure::new(
            Exit::Failed,
            format!("stopped: {why}; {kept}; --resume with a higher limit goes on"),
        )),
        Some(Halt::Failed { turn, why }) => Err(Failure::new(
            Exit::Failed,
            format!("turn {turn}: {why}; {kept}; --resume does it again"),
        )),
        Some(Halt::NotReady(why)) => Err(Failure::new(
            Exit::Failed,
            format!(
                "{why}; nothing was asked; --resume --out {} tries it again",
                job.bundle.display()
            ),
        )),
        Some(Halt::Write(why)) => Err(Failure::unread(format!("{why}; {kept}; --resume goes on"))),
    }
}

/// The run in a bundle, with the limits that were given anew.
fn resumed(args: &Args) -> Result<Job, Failure> {
    let bundle = args
        .out
        .clone()
        .ok_or_else(|| Failure::wrong("--resume needs --out, the bundle to go on with"))?;
    let mut job = Job::of_bundle(&bundle)?;
    limit(args, &mut job.setup);
    let setup = &mut job.setup;
    setup.program = args.program.as_deref().map(program).or(setup.program.take());
    setup.provider.base_url = args.base_url.clone().or(setup.provider.base_url.take());
    setup.provider.key_env = args.key_env.clone().or(setup.provider.key_env.take());
    setup.folders.keeps_work |= args.keep_work;
    setup.folders.leaves_bundle_open |= args.open_bundle;
    help(args, &mut job)?;
    Ok(job)
}

/// The helper model of the layers; a run that goes on keeps its own unless another is named.
fn help(args: &Args, job: &mut Job) -> Result<(), Failure> {
    let layers = &mut job.setup.layers;
    if let Some(name) = &args.helper {
        layers.helper = Some(HelperOptions { name: name.clone(), calls: None, usd: None });
    }
    let Some(helper) = &mut layers.helper else {
        return match args.helper_budget.is_some() || args.helper_usd.is_some() {
            true => Err(Failure::wrong("a budget of a helper model needs --helper NAME")),
            false => Ok(()),
        };
    };
    helper.calls = args.helper_budget.or(helper.calls);
    helper.usd = args.helper_usd.or(helper.usd);
    let judges = config::load(args.config.as_deref())?.judges;
    let found = judges.into_iter().find(|judge| judge.name == helper.name);
    job.layers.helper = found.map(Arc::new);
    Ok(())
}

/// The store of decisions as files of the bundle: as it is, with the links beside it.
fn store_of(path: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, Failure> {
    let store = decisions::read(path).map_err(Failure::not_understood)?;
    store.warnings.iter().for_each(|what| tell(what));
    let mut files = vec![("decisions.json", bytes_of(path)?)];
    let links = path.with_file_name("code-links.json");
    if links.is_file() {
        files.push(("code-links.json", bytes_of(&links)?));
    }
    Ok(files)
}

fn limit(args: &Args, setup: &mut Setup) {
    let Budget { tokens, usd, minutes, turns } = setup.limits.budget;
    setup.limits.budget = Budget {
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

/// Where the requests are from.
#[derive(Debug, PartialEq, Eq)]
enum Asks {
    /// A script, a specification, or a run to go on with.
    Script,
    /// One request, as it was given on the command line.
    Prompt(String),
    /// A person types them into the agent's screen.
    Chat,
}

impl Asks {
    fn of(args: &Args) -> Result<Self, Failure> {
        let is_given = args.resume || args.script.is_some() || args.specification.is_some();
        if is_given || args.print_plan && args.prompt.is_none() && !args.has_words() {
            return Ok(Self::Script);
        }
        let words = || args.has_words().then(|| args.args.join(" "));
        let prompt = args.prompt.clone().or_else(words);
        if prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
            return Err(Failure::wrong("the prompt is empty"));
        }
        Ok(prompt.map_or(Self::Chat, Self::Prompt))
    }

    /// Whether the words after `--` are the prompt, and so none of the agent's.
    fn takes_words(&self, args: &Args) -> bool {
        matches!(self, Self::Prompt(_)) && args.prompt.is_none()
    }

    fn script(&self, args: &Args) -> Result<(Script, Condition), Failure> {
        match self {
            Self::Script => Ok(prepare::asked(
                args.script.as_deref(),
                args.specification.as_deref(),
                args.condition,
            )?),
            Self::Prompt(_) | Self::Chat if args.condition.is_some() => {
                Err(Failure::wrong("--condition is for a script or a specification"))
            }
            Self::Prompt(text) => {
                let requests = [(text.clone(), None)];
                let script = Script::of_requests(requests).under(Condition::SingleShot, None);
                Ok((script.map_err(Failure::wrong)?, Condition::SingleShot))
            }
            Self::Chat => Ok((Script::of_chat(), Condition::Emergent)),
        }
    }

    /// The last word of the name of its folder.
    const fn word(&self) -> &'static str {
        match self {
            Self::Script => "",
            Self::Prompt(_) => Condition::SingleShot.word(),
            Self::Chat => "chat",
        }
    }
}

impl Args {
    /// Whether the words after `--` are words of a prompt.
    fn has_words(&self) -> bool {
        let is_command = self.agent.as_deref() == Some("command");
        !is_command && self.args.first().is_some_and(|word| !word.starts_with('-'))
    }

    /// The bundle to make: as it is named, or beside the repository that the agent begins with.
    fn bundle(&self, asks: &Asks, from: Option<&str>) -> Result<PathBuf, Failure> {
        match (&self.out, asks) {
            (Some(out), _) => Ok(out.clone()),
            (None, _) if self.print_plan => Ok("OUT".into()),
            (None, Asks::Script) => {
                Err(Failure::wrong("--out DIR is missing: the bundle to make, a new folder"))
            }
            (None, Asks::Prompt(_) | Asks::Chat) => {
                let agent = self.agent.as_deref().unwrap_or_default();
                let from = from.map(|from| absolute(Path::new(from))).filter(|it| it.is_dir());
                let name = from.as_deref().and_then(Path::file_name);
                let name = name.map_or("live".into(), |name| name.to_string_lossy());
                let folder = from.as_deref().and_then(Path::parent).map(Path::to_owned);
                let folder = folder.unwrap_or_else(|| absolute(Path::new(".")));
                let name = format!("{name}-{agent}-{}", asks.word());
                Ok(prepare::free_folder(&folder, &name))
            }
        }
    }
}

fn wanted(args: &Args, asks: &Asks) -> Result<Job, Failure> {
    let (script, condition) = asks.script(args)?;
    let mut start = args.start.options();
    if *asks != Asks::Script && start.from.is_none() {
        let here = std::env::current_dir().ok();
        let around = here.and_then(|here| beginning::repository_around(&here));
        start.from = around.map(|around| around.to_string_lossy().trim_end_matches('/').into());
        if start.from.is_none() {
            tell(
                "here is no git repository, so the agent begins with an empty folder; --from names files",
            );
        }
    }
    let bundle = args.bundle(asks, start.from.as_deref())?;
    let work = args.work.clone().unwrap_or_else(stage::somewhere);
    let mut setup = Setup::new(args.agent.as_deref().unwrap_or_default(), absolute(&work));
    setup.condition = condition;
    setup.program = args.program.as_deref().map(program);
    setup.provider.model = args.model.clone();
    setup.provider.base_url = args.base_url.clone();
    setup.provider.key_env = args.key_env.clone();
    setup.pass = args.pass.clone();
    setup.permissions = args.permissions;
    setup.layers.notes = args.notes.as_deref().map(absolute);
    setup.layers.layers.clone_from(&args.layers);
    if args.layers.iter().any(|spec| spec.name == COMMAND) {
        setup.layers.folder = std::env::current_dir().ok();
    }
    setup.tests = args.test.clone();
    setup.recording.records_ignored = args.ignored == "record";
    setup.folders.keeps_work = args.keep_work;
    setup.folders.leaves_bundle_open = args.open_bundle;
    setup.folders.start = start;
    setup.folders.isolation = args.isolation.isolation();
    setup.folders.copies_login = args.isolation.login;
    let given = [&args.script, &args.specification, &args.components, &args.layer_store];
    let hidden = given.into_iter().flatten().chain(&args.hide);
    setup.folders.hidden = hidden.map(|path| absolute(path)).collect();
    setup.in_terminal = args.terminal || *asks == Asks::Chat;
    setup.args = if asks.takes_words(args) { vec![] } else { args.args.clone() };
    limit(args, &mut setup);
    name_driver(args, &mut setup)?;
    let components = args.components.as_deref().map(bytes_of).transpose()?;
    let store = args.layer_store.as_deref().map(store_of).transpose()?.unwrap_or_default();
    let layers = LayerFiles { store, helper: None };
    let (has_person, step_by_step, tried) = (false, false, None);
    let mut job =
        Job { setup, script, bundle, components, layers, has_person, step_by_step, tried };
    help(args, &mut job)?;
    Ok(job)
}

/// The driver of a program without one of its own: from the settings, or from the words after `--`.
fn name_driver(args: &Args, setup: &mut Setup) -> Result<(), Failure> {
    if setup.agent == "command" {
        if args.args.is_empty() {
            return Err(Failure::wrong(
                "--agent command needs a program after --, such as -- ./agent.sh {prompt_file}",
            ));
        }
        setup.args.clear();
        let mut start = args.args.clone();
        if let Some(first) = start.first_mut() {
            *first = program(Path::new(first)).to_string_lossy().into_owned();
        }
        setup.command = Some(prepare::words(&start));
        return Ok(());
    }
    if drivers::names().contains(&setup.agent.as_str()) {
        return Ok(());
    }
    let loaded = config::load(args.config.as_deref())?;
    for problem in loaded.problems.iter().filter(|problem| problem.contains("drivers")) {
        tell(problem);
    }
    Ok(prepare::drive(setup, &loaded.drivers)?)
}
