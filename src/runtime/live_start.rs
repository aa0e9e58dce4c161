//! Live runs from the screen: the agents of this machine, the job of a form, and its plan.
//!
//! Nothing is created before the form is started; then everything is checked once more, so that a job that cannot start is
//! a sentence in the form and not a run that ended at once.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use trajview_layers::{LayerSpec, spec::COMMAND};
use trajview_live::{
    self as live, RunJob,
    agents::{self, DrivableAgent},
    command_line::shell_words,
    confine::Confinement,
    drivers::{self, Driver, command::ProgramOptions},
    isolation::{IsolationOptions, Network, Sandbox},
    layers::LayerFiles,
    loopback::ServerRoute,
    plan,
    prepare::{self, UnusableInput},
    run_folders,
    script::RequestScript,
    setup::{Permissions, RunBudget, RunSetup},
};
use trajview_run::condition::Condition;
use trajview_store as store;
use trajview_tui::{
    session::{
        jobs::{
            FormChoice, FormFacts, FormOrigin, JobPlan, JobRefusal, LiveRunSpec, LiveRunStart,
            TaskSource,
        },
        request::RequestId,
    },
    shell::{
        AppMessage,
        jobs::{self, live_form as form},
    },
};

use super::{event::WorkerReply, run_opener::RunOpener};

/// Everything that starting an agent needs besides the form.
#[derive(Clone, Default)]
pub struct LiveStarter {
    /// Programs from the settings.
    pub drivers: Arc<Vec<(String, ProgramOptions)>>,
    /// True if the values of forms are remembered on disk.
    pub remembers: bool,
    /// The script that was read last: the plan is computed again with each change of a form.
    script: Arc<Mutex<Option<(PathBuf, RequestScript)>>>,
}

/// The largest number of folders that are searched for a run of the same task.
const MAX_NEIGHBOURS: usize = 500;

impl LiveStarter {
    pub fn new(drivers: Vec<(String, ProgramOptions)>, remembers: bool) -> Self {
        Self { drivers: Arc::new(drivers), remembers, ..Self::default() }
    }

    /// Finds the agents of this machine: first without their versions, then with them. Of those that are here the one that
    /// made the run comes first, and likewise of those that are missing.
    pub(crate) fn find_agents(&self, origin: &FormOrigin, tell: &dyn Fn(FormFacts)) -> FormFacts {
        let known = self.known_drivers(Some(&origin.path));
        let made_by = live::journal::read_journal(&origin.path).map(|it| it.setup.agent);
        let made_by = made_by.unwrap_or_else(|| origin.agent.clone());
        // A log names Claude Code `claude-code`; its driver is `claude`.
        let made_run = |name: &str| made_by == name || made_by.starts_with(&format!("{name}-"));
        let mut agents = agents::drivable_agents(&known);
        agents.sort_by_key(|it| (it.place.is_none(), !made_run(&it.name)));
        let remembered = match self.remembers {
            true => store::saved_forms::read_form(&origin.task),
            false => vec![],
        };
        let found = |agents: &[DrivableAgent]| FormFacts {
            agents: agents.iter().map(|it| agent_choice(it, &known, made_run(&it.name))).collect(),
            remembered: remembered.clone(),
            work: run_folders::temporary_folder(),
        };
        tell(found(&agents));
        agents::ask_versions(&mut agents, &known);
        found(&agents)
    }

    /// Returns the programs of the settings, and the one that made a live run without being one of them or a built-in one.
    fn known_drivers(&self, bundle: Option<&Path>) -> Vec<(String, ProgramOptions)> {
        let mut known = self.drivers.to_vec();
        let setup = bundle.and_then(live::journal::read_journal).map(|it| it.setup);
        let own = setup.and_then(|setup| Some((setup.agent, setup.command?)));
        known.extend(own.filter(|(name, _)| self.drivers.iter().all(|(other, _)| other != name)));
        known
    }

    /// Returns the plan of a job.
    pub(crate) fn plan_start(
        &self,
        start: &LiveRunSpec,
        opener: &RunOpener,
    ) -> Result<JobPlan, JobRefusal> {
        let (job, note) = self.make_job(start, opener)?;
        let mut plan = JobPlan::default();
        if start.folder.is_none() {
            plan.proposed.push((form::FOLDER, job.bundle.display().to_string()));
        }
        let driver = drivers::driver_for_setup(&job.setup)
            .map_err(|why| JobRefusal::for_field(form::AGENT, why))?;
        let key = job.setup.provider.key_env.as_deref().or(driver.key_variable.as_deref());
        plan.proposed.extend(key.map(|name| (form::KEY, name.to_owned())));
        describe_job(&job, &note, &mut plan)?;
        Ok(plan)
    }

    /// Checks everything once more and makes the job; the values of the form are remembered.
    pub(crate) fn begin_start(
        &self,
        request: RequestId,
        beginning: &LiveRunStart,
        opener: &RunOpener,
    ) -> WorkerReply {
        let ready = self.make_job(&beginning.start, opener).and_then(|(job, note)| {
            describe_job(&job, &note, &mut JobPlan::default())?;
            check_sandbox(&job.setup)?;
            check_can_create(&job.bundle)
                .map_err(|why| JobRefusal::for_field(form::FOLDER, why))?;
            Ok(job)
        });
        match ready {
            Err(refusal) => refused_reply(request, refusal),
            Ok(job) => {
                if self.remembers {
                    let task = beginning.origin.as_ref().map_or("", |it| &it.task);
                    store::saved_forms::write_form(task, &beginning.form_values);
                }
                WorkerReply::StartLive(request, Box::new(job), beginning.origin.clone())
            }
        }
    }

    /// Makes the job of a form, and a sentence about the requests.
    fn make_job(
        &self,
        start: &LiveRunSpec,
        opener: &RunOpener,
    ) -> Result<(RunJob, String), JobRefusal> {
        let mut setup = self.make_setup(start)?;
        let (script, note) = self.make_script(start, opener)?;
        let hidden = [start.from.as_deref().map(run_file), file_of_source(&start.what)];
        setup.folders.hidden =
            hidden.into_iter().flatten().map(|path| prepare::absolute_path(&path)).collect();
        let bundle = match &start.folder {
            Some(folder) => {
                let taken = |why: store::write::WriteError| {
                    JobRefusal::for_field(form::FOLDER, why.to_string())
                };
                store::write::require_free(folder).map_err(taken)?;
                folder.clone()
            }
            None => proposed_folder(start),
        };
        let components = start.from.as_ref().filter(|_| start.what == TaskSource::Task);
        let components = components.and_then(|from| fs::read(from.join("components.json")).ok());
        let (layers, has_person, step_by_step) = (LayerFiles::default(), true, false);
        let tried = None;
        let job = RunJob {
            setup,
            script,
            bundle,
            components,
            layers,
            has_person,
            step_by_step,
            earlier_refusals: tried,
        };
        Ok((job, note))
    }

    fn make_setup(&self, start: &LiveRunSpec) -> Result<RunSetup, JobRefusal> {
        let mut setup = RunSetup::new(&start.agent, prepare::absolute_path(&start.work));
        setup.condition = start.condition;
        setup.provider.model.clone_from(&start.model);
        setup.provider.base_url.clone_from(&start.server);
        setup.provider.key_env.clone_from(&start.key);
        setup.tests.clone_from(&start.files.tests);
        if let Some(from) = &start.files.from {
            store::start_files::StartSource::find(from)
                .map_err(|why| JobRefusal::for_field(form::FILES, why))?;
        }
        setup.folders.start.from.clone_from(&start.files.from);
        setup.folders.start.setup = start.files.setup.iter().cloned().collect();
        set_environment(&mut setup, start)?;
        setup.limits.budget = RunBudget {
            tokens: start.limits.tokens.map(|it| it as u64),
            usd: start.limits.usd,
            minutes: start.limits.minutes,
            turns: start.limits.turns.map(|it| it as usize),
        };
        let server = start.server.as_deref();
        if server.is_some_and(|url| run_folders::host_and_port(url).is_none()) {
            let why = "not an address; expected one such as http://127.0.0.1:8080";
            return Err(JobRefusal::for_field(form::SERVER, why));
        }
        if let Some(notes) = &start.notes {
            prepare::read_text(notes)
                .map_err(|why| JobRefusal::for_field(form::NOTES, why.sentence()))?;
            setup.layers.notes = Some(prepare::absolute_path(notes));
        }
        if setup.folders.isolation.network == Network::Loopback {
            ServerRoute::to_model_server(&setup, &setup.folders.work)
                .map_err(|why| JobRefusal::for_field(form::SERVER, without_options(&why)))?;
        }
        setup.layers.layers = parse_layers(start.layers.as_deref())?;
        if setup.layers.layers.iter().any(|spec| spec.name == COMMAND) {
            setup.layers.folder = std::env::current_dir().ok();
        }
        self.set_checked_driver(start, &mut setup)?;
        Ok(setup)
    }

    /// Sets the driver and checks that its program exists and has what it needs.
    fn set_checked_driver(
        &self,
        start: &LiveRunSpec,
        setup: &mut RunSetup,
    ) -> Result<(), JobRefusal> {
        let agent = |why: String| JobRefusal::for_field(form::AGENT, why);
        let known = self.known_drivers(start.from.as_deref());
        prepare::set_driver(setup, &known).map_err(|why| agent(why.sentence()))?;
        setup.program = start.program.as_deref().map(prepare::program_path);
        let driver = drivers::driver_for_setup(setup).map_err(agent)?;
        let program = driver.called_program(setup);
        if prepare::find_program(Path::new(&program)).is_none() {
            return Err(match &start.program {
                Some(path) => {
                    let why = format!("{} is not an executable file", path.display());
                    JobRefusal::for_field(form::PROGRAM, why)
                }
                None => agent(missing_text(
                    &start.agent,
                    &program,
                    agents::install_command_of(&start.agent),
                )),
            });
        }
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = start.key.as_deref().filter(|name| !is_set(name)) {
            return Err(JobRefusal::for_field(
                form::KEY,
                format!("the variable {name} is not set here"),
            ));
        }
        if setup.folders.copies_login {
            let run_folders = run_folders::RunFolders::for_plan(&setup.folders.work);
            run_folders.read_logins(&driver).map_err(|why| {
                let why =
                    why.replace("; give a key with --key-env", "; name the variable of a key");
                JobRefusal::for_field(form::LOGIN, why)
            })?;
        }
        match (driver.setup_problem)(setup) {
            None => Ok(()),
            Some(why) => {
                let field = if why.contains("--model") { form::MODEL } else { form::KEY };
                let why = why.replace(" with --base-url", "").replace(": --model NAME", "");
                Err(JobRefusal::for_field(field, format!("{} {why}", setup.agent)))
            }
        }
    }

    /// Makes the script, and a sentence about it.
    fn make_script(
        &self,
        start: &LiveRunSpec,
        opener: &RunOpener,
    ) -> Result<(RequestScript, String), JobRefusal> {
        let wrong = |field| move |why: UnusableInput| JobRefusal::for_field(field, why.sentence());
        let condition = start.condition;
        let asked = |script: RequestScript, field: &'static str| {
            script
                .for_condition(condition, None)
                .map_err(|why| JobRefusal::for_field(field, format!("this {why}")))
        };
        match &start.what {
            TaskSource::Prompt(words) => Ok((
                asked(RequestScript::from_specification(words), form::PROMPT)?,
                "what was typed".into(),
            )),
            TaskSource::Specification(path) => {
                let text = prepare::read_text(path).map_err(wrong(form::FILE))?;
                if text.trim().is_empty() {
                    let why = format!("{} is empty", path.display());
                    return Err(JobRefusal::for_field(form::FILE, why));
                }
                Ok((
                    asked(RequestScript::from_specification(&text), form::FILE)?,
                    path.display().to_string(),
                ))
            }
            TaskSource::Script(path) => {
                let script = prepare::read_script(path).map_err(wrong(form::FILE))?;
                Ok((asked(script, form::CONDITION)?, path.display().to_string()))
            }
            TaskSource::Task => {
                let path = start.from.as_ref();
                let path =
                    path.ok_or_else(|| JobRefusal::for_field(form::WHAT, "no run is open"))?;
                self.script_for_task(path, condition, opener)
                    .map_err(|why| JobRefusal::for_field(form::WHAT, why))
            }
        }
    }

    /// Returns the script of a run's task under a condition: its own, that of a run of the same task beside it, or one made
    /// from its own.
    fn script_for_task(
        &self,
        path: &Path,
        condition: Condition,
        opener: &RunOpener,
    ) -> Result<(RequestScript, String), String> {
        let script = self.script_of_run(path, opener)?;
        let name = file_stem_text(path);
        let own = script.own_condition().unwrap_or(Condition::Emergent);
        if own == condition {
            return Ok((script.for_condition(condition, None)?, format!("the script of {name}")));
        }
        if let Some((neighbour, script)) = neighbour_script(path, &script, condition) {
            let note = format!("the script of {neighbour} beside it, a run of the same task");
            return Ok((script.for_condition(condition, None)?, note));
        }
        if condition == Condition::Emergent && script.requests.len() < 2 {
            return Err(format!(
                "{name} has only one request, and there is no emergent run of its task beside it: name a script"
            ));
        }
        let script = script.for_condition(condition, None)?;
        let made = script.made.clone().unwrap_or_else(|| format!("the request of {name}"));
        Ok((script, made))
    }

    /// Reads `script.json` of a bundle; of another recording its requests.
    fn script_of_run(&self, path: &Path, opener: &RunOpener) -> Result<RequestScript, String> {
        let file = path.join("script.json");
        if file.is_file() {
            return prepare::read_script(&file).map_err(UnusableInput::sentence);
        }
        let mut last = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, script)) = last.as_ref().filter(|(of, _)| of == path) {
            return Ok(script.clone());
        }
        let opened = opener.open(path).map_err(|why| why.to_string())?;
        let run = &opened.run;
        let ends = |turn: usize| {
            let ended = run.checkpoints.iter().find(|it| it.last_turn == turn);
            ended.map(|it| it.id.clone())
        };
        let requests =
            (0..run.turns.len()).map(|at| (opened.archive.request_with_added(run, at), ends(at)));
        let requests = requests.filter(|(text, _)| !text.trim().is_empty());
        let mut script = RequestScript::from_requests(requests);
        if script.requests.is_empty() {
            return Err(format!("no request is recorded in {}", path.display()));
        }
        script.task = run.task.as_ref().map(|it| it.id.clone());
        script.title = run.task.as_ref().and_then(|it| it.title.clone());
        script.condition.clone_from(&run.condition);
        script.made = Some(format!("the requests were read from {}", path.display()));
        *last = Some((path.to_owned(), script.clone()));
        Ok(script)
    }
}

/// Sets the agent's permissions and sandbox from the form, with the checks of the command line.
fn set_environment(setup: &mut RunSetup, start: &LiveRunSpec) -> Result<(), JobRefusal> {
    let wanted = &start.surroundings;
    if wanted.has_full_rights {
        setup.permissions = Permissions::Full;
    }
    setup.folders.copies_login = wanted.copies_login;
    let isolation = IsolationOptions {
        sandbox: Sandbox::by_word(&wanted.sandbox).unwrap_or_default(),
        network: Network::by_word(&wanted.network).unwrap_or_default(),
        image: wanted.image.clone(),
    };
    if let Some(why) = isolation.contradiction() {
        let field = if isolation.image.is_none() && why.contains("--image") {
            form::IMAGE
        } else {
            form::NETWORK
        };
        return Err(JobRefusal::for_field(field, without_options(&why)));
    }
    setup.folders.isolation = isolation;
    Ok(())
}

/// Returns a sentence without the names of command-line options, for a form.
fn without_options(why: &str) -> String {
    let why = why.replace(": --image NAME", "").replace(": --base-url http", ": http");
    why.replace("--sandbox ", "").replace("--network ", "")
}

/// Returns the reply that a job cannot start.
pub(crate) const fn refused_reply(request: RequestId, refusal: JobRefusal) -> WorkerReply {
    WorkerReply::Message(AppMessage::Jobs(jobs::JobsMessage::Refused(request, refusal)))
}

/// Returns an agent with its version and place, or its command line where it has no driver of its own.
fn agent_choice(
    agent: &DrivableAgent,
    known: &[(String, ProgramOptions)],
    made_run: bool,
) -> FormChoice {
    let choice = FormChoice::new(&*agent.name, &*agent.name);
    let own = known.iter().find(|(name, _)| *name == agent.name);
    let maker = made_run.then(|| "made this run".to_owned());
    match &agent.place {
        None => {
            let why = missing_text(&agent.name, &agent.program, &agent.install);
            let words: Vec<String> =
                maker.into_iter().chain(["not on this machine".into()]).collect();
            choice.with_remark(words.join(" · ")).with_lack(why)
        }
        Some(place) => {
            let place =
                own.map_or_else(|| place.display().to_string(), |(_, it)| shell_words(&it.start));
            let version = agent.version.iter().cloned();
            let words: Vec<String> = version.chain(maker).chain([place]).collect();
            choice.with_remark(words.join(" · "))
        }
    }
}

fn missing_text(agent: &str, program: &str, install: &str) -> String {
    let help = match install {
        "" => format!("[drivers.{agent}] of the settings names it"),
        install => format!("`{install}` installs it, or type its program below more…"),
    };
    format!("no program {program} on this machine; {help}")
}

/// Returns the path that hides a run from an agent: bundles as a whole.
fn run_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("run.json") } else { path.to_owned() }
}

fn file_of_source(what: &TaskSource) -> Option<PathBuf> {
    match what {
        TaskSource::Script(path) | TaskSource::Specification(path) => Some(path.clone()),
        TaskSource::Task | TaskSource::Prompt(_) => None,
    }
}

fn file_stem_text(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Finds a run of the same task beside this one under this condition, the first by name.
fn neighbour_script(
    path: &Path,
    script: &RequestScript,
    condition: Condition,
) -> Option<(String, RequestScript)> {
    let task = script.task.as_deref().filter(|task| !task.is_empty())?;
    let entries = fs::read_dir(prepare::absolute_path(path).parent()?).ok()?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().take(MAX_NEIGHBOURS).map(|entry| entry.path()).collect();
    folders.sort();
    folders.iter().find_map(|folder| {
        let script = prepare::read_script(&folder.join("script.json")).ok()?;
        let is_it = script.task.as_deref() == Some(task)
            && script.own_condition() == Some(condition)
            && script.made.is_none();
        is_it.then(|| (file_stem_text(folder), script))
    })
}

/// Returns a folder that does not exist yet: beside the bundle that the run is started from, or else in the present folder.
fn proposed_folder(start: &LiveRunSpec) -> PathBuf {
    let from = start.from.as_deref().map(prepare::absolute_path);
    // Logs are in the folders of their agents, where trajview must not write.
    let bundle = from.as_deref().filter(|it| it.join("run.json").is_file());
    let folder = bundle.and_then(Path::parent);
    let folder = folder.map_or_else(|| prepare::absolute_path(Path::new(".")), Path::to_owned);
    let task = match &start.what {
        TaskSource::Task => from.as_deref().map(file_stem_text),
        TaskSource::Script(path) | TaskSource::Specification(path) => Some(file_stem_text(path)),
        TaskSource::Prompt(_) => None,
    };
    let name = task.unwrap_or_else(|| "live".into());
    let name = format!("{name}-{}-{}", start.agent, start.condition.word());
    prepare::free_folder(&folder, &name)
}

/// Checks that the sandbox works here, by trying it.
fn check_sandbox(setup: &RunSetup) -> Result<(), JobRefusal> {
    let Ok(folder) = tempfile::tempdir() else { return Ok(()) }; // the run itself will say why
    match Confinement::sandbox_only(setup, folder.path()).hiding_problem() {
        Some(why) if setup.folders.isolation.sandbox != Sandbox::None => {
            Err(JobRefusal::for_field(form::SANDBOX, without_options(&why)))
        }
        _ => Ok(()),
    }
}

/// Checks that a new folder can be created, by creating and removing it.
fn check_can_create(folder: &Path) -> Result<(), String> {
    store::write::require_free(folder).map_err(|why| why.to_string())?;
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let made: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let outcome = fs::create_dir_all(folder)
        .and_then(|()| tempfile_in(folder))
        .map_err(|why| format!("{} cannot be written: {why}", folder.display()));
    for path in made {
        let _ = fs::remove_dir(path); // another program may use it by now
    }
    outcome
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(".trajview-can-write");
    fs::write(&path, "").and_then(|()| fs::remove_file(&path))
}

/// Describes a job, row by row.
fn describe_job(job: &RunJob, note: &str, plan: &mut JobPlan) -> Result<(), JobRefusal> {
    let of_run = plan::plan_run(job);
    let it = of_run.map_err(|why| JobRefusal { field: None, why: why.to_string() })?;
    let count = job.script.requests.len();
    let requests = if count == 1 { "1 request".into() } else { format!("{count} requests") };
    plan.add_row("asks", format!("{requests}, {}: {note}", job.setup.condition.word()));
    plan.add_row(
        "calls",
        format!("{} (the request {})", shell_words(&it.first.command), it.first.request),
    );
    if count > 1 {
        plan.add_row(
            "then",
            format!("{} (the request {})", shell_words(&it.next.command), it.next.request),
        );
    }
    plan.add_row(
        "environment",
        it.environment.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(" "),
    );
    plan.add_row("works in", &it.workspace);
    let driver = drivers::driver_for_setup(&job.setup)
        .map_err(|why| JobRefusal::for_field(form::AGENT, why))?;
    describe_environment(&job.setup, &driver, plan);
    let logs = match it.logs.as_slice() {
        [] => "no own log".to_owned(),
        logs => format!("its log ({}) in session/", logs.join(", ")),
    };
    plan.add_row(
        "records",
        format!(
            "{}: each turn a commit in workspace.git and a row in run.json, {logs}, its output, script.json as asked",
            job.bundle.display()
        ),
    );
    if let Some(from) = &job.setup.folders.start.from {
        plan.add_row(
            "starting files",
            format!("a copy of {from}; changes.patch will lead from it to the end"),
        );
    }
    for command in &job.setup.folders.start.setup {
        plan.add_row("setup", format!("{command}, before the first request"));
    }
    if let Some(tests) = &job.setup.tests {
        plan.add_row(
            "tests",
            format!("{tests}, in a copy of the code after each checkpoint, into tests.jsonl"),
        );
    }
    for layer in &it.layers {
        let lacks: String = layer.lacks.iter().map(|lack| format!("; {lack}")).collect();
        plan.add_row(
            "layer",
            format!("{}: its words {}{lacks}", layer.name, layer.ways.join(", ")),
        );
    }
    Ok(())
}

/// Describes the agent's sandbox, and the login that it gets.
fn describe_environment(setup: &RunSetup, driver: &Driver, plan: &mut JobPlan) {
    if let Some(place) = setup.folders.isolation.place_text() {
        let own = if (driver.leaves_sandbox)(setup) { "; the agent's own is off" } else { "" };
        plan.add_row("sandbox", format!("{place}{own}"));
    }
    if setup.folders.copies_login {
        let run_folders = run_folders::RunFolders::for_plan(&setup.folders.work);
        let logins = (driver.login_files)(&run_folders);
        let files: Vec<String> = logins.iter().map(|(path, _)| format!("~/{path}")).collect();
        plan.add_row("login", format!("a copy of {}, gone with the run", files.join(", ")));
    }
}

/// Parses layers separated by blanks; a command with arguments needs the command line.
fn parse_layers(words: Option<&str>) -> Result<Vec<LayerSpec>, JobRefusal> {
    let specs = words.unwrap_or_default().split_whitespace().map(str::parse);
    specs.collect::<Result<_, String>>().map_err(|why| JobRefusal::for_field(form::LAYERS, why))
}
