//! Live runs from the screen: which agents there are, what a form comes to as a job, and what it would do.
//!
//! Nothing is made before the form is begun; then once more everything is looked at, so that what cannot begin is a
//! sentence in the form and no run that ended at once.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use trajview_layers::{Spec, spec::COMMAND};
use trajview_live::{
    Job,
    agents::{self, Agent},
    command_line::shell_words,
    confine::Confinement,
    drivers::{self, Driver, command::ProgramOptions},
    isolation::{Isolation, Network, Sandbox},
    layers::LayerFiles,
    loopback::Way,
    plan,
    prepare::{self, Unusable},
    script::{Condition, Script},
    setup::{Budget, Permissions, Setup},
    stage,
};
use trajview_store as store;
use trajview_tui::{
    session::{
        self,
        jobs::{Beginning, Choice, Found, Plan, Refusal, Start, What},
        request::Request,
    },
    shell::{
        Message,
        jobs::{self, live as form},
    },
};

use super::{event::Reply, recording::Opener};

/// What starting an agent needs beside the form.
#[derive(Clone, Default)]
pub struct Starting {
    /// Programs that the settings name.
    pub drivers: Arc<Vec<(String, ProgramOptions)>>,
    /// Whether what forms say is remembered on disk.
    pub remembers: bool,
    /// The script that was read last: a plan is made anew with each change of a form.
    script: Arc<Mutex<Option<(PathBuf, Script)>>>,
}

/// A run in the folder of another is looked for among so many.
const MOST_NEIGHBOURS: usize = 500;

impl Starting {
    pub fn new(drivers: Vec<(String, ProgramOptions)>, remembers: bool) -> Self {
        Self { drivers: Arc::new(drivers), remembers, ..Self::default() }
    }

    /// The agents of this machine: first without their versions, then with them.
    pub fn find(&self, task: &str, tell: &dyn Fn(Found)) -> Found {
        let mut agents = agents::all(&self.drivers);
        let remembered = if self.remembers { store::forms::read(task) } else { vec![] };
        let found = |agents: &[Agent]| Found {
            agents: agents.iter().map(choice).collect(),
            remembered: remembered.clone(),
            work: stage::somewhere(),
        };
        tell(found(&agents));
        agents::ask_versions(&mut agents, &self.drivers);
        found(&agents)
    }

    /// What it would do.
    pub fn plan(&self, start: &Start, opener: &Opener) -> Result<Plan, Refusal> {
        let (job, note) = self.job(start, opener)?;
        let mut plan = Plan::default();
        if start.folder.is_none() {
            plan.proposed.push((form::FOLDER, job.bundle.display().to_string()));
        }
        let driver = drivers::of(&job.setup).map_err(|why| Refusal::at(form::AGENT, why))?;
        let key = job.setup.provider.key_env.as_deref().or(driver.key_variable());
        plan.proposed.extend(key.map(|name| (form::KEY, name.to_owned())));
        describe(&job, &note, &mut plan)?;
        Ok(plan)
    }

    /// Looks at everything once more and makes the job; what the form says is remembered.
    pub fn begin(&self, request: Request, beginning: &Beginning, opener: &Opener) -> Reply {
        let ready = self.job(&beginning.start, opener).and_then(|(job, note)| {
            describe(&job, &note, &mut Plan::default())?;
            can_stand(&job.setup)?;
            can_be_made(&job.bundle).map_err(|why| Refusal::at(form::FOLDER, why))?;
            Ok(job)
        });
        match ready {
            Err(refusal) => failed(request, refusal),
            Ok(job) => {
                if self.remembers {
                    let task = beginning.origin.as_ref().map_or("", |it| &it.task);
                    store::forms::write(task, &beginning.said);
                }
                Reply::StartLive(request, Box::new(job), beginning.origin.clone())
            }
        }
    }

    /// The job of a form, and a sentence about what is asked.
    fn job(&self, start: &Start, opener: &Opener) -> Result<(Job, String), Refusal> {
        let mut setup = self.setup(start)?;
        let (script, note) = self.script(start, opener)?;
        let hidden = [start.from.as_deref().map(run_file), file_of(&start.what)];
        setup.folders.hidden =
            hidden.into_iter().flatten().map(|path| prepare::absolute(&path)).collect();
        let bundle = match &start.folder {
            Some(folder) => {
                let taken =
                    |why: store::write::WriteError| Refusal::at(form::FOLDER, why.to_string());
                store::write::is_free(folder).map_err(taken)?;
                folder.clone()
            }
            None => proposed(start),
        };
        let components = start.from.as_ref().filter(|_| start.what == What::Task);
        let components = components.and_then(|from| fs::read(from.join("components.json")).ok());
        let (layers, has_person, step_by_step) = (LayerFiles::default(), true, false);
        let tried = None;
        let job =
            Job { setup, script, bundle, components, layers, has_person, step_by_step, tried };
        Ok((job, note))
    }

    fn setup(&self, start: &Start) -> Result<Setup, Refusal> {
        let mut setup = Setup::new(&start.agent, prepare::absolute(&start.work));
        setup.condition = condition(start);
        setup.provider.model.clone_from(&start.model);
        setup.provider.base_url.clone_from(&start.server);
        setup.provider.key_env.clone_from(&start.key);
        setup.tests.clone_from(&start.files.tests);
        if let Some(from) = &start.files.from {
            store::beginning::Beginning::find(from).map_err(|why| Refusal::at(form::FILES, why))?;
        }
        setup.folders.start.from.clone_from(&start.files.from);
        setup.folders.start.setup = start.files.setup.iter().cloned().collect();
        surround(&mut setup, start)?;
        setup.limits.budget = Budget {
            tokens: start.limits.tokens.map(|it| it as u64),
            usd: start.limits.usd,
            minutes: start.limits.minutes,
            turns: start.limits.turns.map(|it| it as usize),
        };
        let server = start.server.as_deref();
        if server.is_some_and(|url| stage::host_of(url).is_none()) {
            let why = "this is no address; one is as http://127.0.0.1:8080";
            return Err(Refusal::at(form::SERVER, why));
        }
        if let Some(notes) = &start.notes {
            prepare::text_of(notes).map_err(|why| Refusal::at(form::NOTES, why.sentence()))?;
            setup.layers.notes = Some(prepare::absolute(notes));
        }
        if setup.folders.isolation.network == Network::Loopback {
            Way::of(&setup, &setup.folders.work)
                .map_err(|why| Refusal::at(form::SERVER, without_options(&why)))?;
        }
        setup.layers.layers = layers_of(start.layers.as_deref())?;
        if setup.layers.layers.iter().any(|spec| spec.name == COMMAND) {
            setup.layers.folder = std::env::current_dir().ok();
        }
        self.driver(start, &mut setup)?;
        Ok(setup)
    }

    /// The driver, whose program is there and has what it needs.
    fn driver(&self, start: &Start, setup: &mut Setup) -> Result<(), Refusal> {
        let agent = |why: String| Refusal::at(form::AGENT, why);
        prepare::drive(setup, &self.drivers).map_err(|why| agent(why.sentence()))?;
        setup.program = start.program.as_deref().map(prepare::program);
        let driver = drivers::of(setup).map_err(agent)?;
        let program = drivers::program_of(&*driver, setup);
        if prepare::found(Path::new(&program)).is_none() {
            return Err(match &start.program {
                Some(path) => {
                    let why = format!("{} is no file that can be run", path.display());
                    Refusal::at(form::PROGRAM, why)
                }
                None => agent(missing(&start.agent, &program, agents::install_of(&start.agent))),
            });
        }
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = start.key.as_deref().filter(|name| !is_set(name)) {
            return Err(Refusal::at(form::KEY, format!("the variable {name} is not set here")));
        }
        if setup.folders.copies_login {
            let stage = stage::Stage::imagined(&setup.folders.work);
            stage.login_of(&*driver).map_err(|why| {
                let why =
                    why.replace("; give a key with --key-env", "; name the variable of a key");
                Refusal::at(form::LOGIN, why)
            })?;
        }
        match driver.problem(setup) {
            None => Ok(()),
            Some(why) => {
                let field = if why.contains("--model") { form::MODEL } else { form::KEY };
                let why = why.replace(" with --base-url", "").replace(": --model NAME", "");
                Err(Refusal::at(field, format!("{} {why}", setup.agent)))
            }
        }
    }

    /// What is asked, and a sentence about it.
    fn script(&self, start: &Start, opener: &Opener) -> Result<(Script, String), Refusal> {
        let wrong = |field| move |why: Unusable| Refusal::at(field, why.sentence());
        let condition = condition(start);
        let asked = |script: Script, field: &'static str| {
            script.under(condition, None).map_err(|why| Refusal::at(field, format!("this {why}")))
        };
        match &start.what {
            What::Prompt(words) => {
                Ok((asked(Script::of_specification(words), form::PROMPT)?, "what was typed".into()))
            }
            What::Specification(path) => {
                let text = prepare::text_of(path).map_err(wrong(form::FILE))?;
                if text.trim().is_empty() {
                    let why = format!("{} is empty", path.display());
                    return Err(Refusal::at(form::FILE, why));
                }
                Ok((
                    asked(Script::of_specification(&text), form::FILE)?,
                    path.display().to_string(),
                ))
            }
            What::Script(path) => {
                let script = prepare::script_of(path).map_err(wrong(form::FILE))?;
                Ok((asked(script, form::CONDITION)?, path.display().to_string()))
            }
            What::Task => {
                let path = start.from.as_ref();
                let path = path.ok_or_else(|| Refusal::at(form::WHAT, "no run is open"))?;
                self.of_task(path, condition, opener).map_err(|why| Refusal::at(form::WHAT, why))
            }
        }
    }

    /// The script of a run's task under a condition: its own, that of a run of the same task beside it, or made of its
    /// own.
    fn of_task(
        &self,
        path: &Path,
        condition: Condition,
        opener: &Opener,
    ) -> Result<(Script, String), String> {
        let script = self.script_of_run(path, opener)?;
        let name = name_of(path);
        let own = script.own_condition().unwrap_or(Condition::Emergent);
        if own == condition {
            return Ok((script.under(condition, None)?, format!("as {name} was asked")));
        }
        if let Some((neighbour, script)) = neighbour(path, &script, condition) {
            let note = format!("as {neighbour} beside it was asked, a run of the same task");
            return Ok((script.under(condition, None)?, note));
        }
        if condition == Condition::Emergent && script.requests.len() < 2 {
            return Err(format!(
                "{name} was asked one request, and no emergent run of its task lies beside it: name a script"
            ));
        }
        let script = script.under(condition, None)?;
        let made = script.made.clone().unwrap_or_else(|| format!("the request of {name}"));
        Ok((script, made))
    }

    /// `script.json` of a bundle; of another recording its requests.
    fn script_of_run(&self, path: &Path, opener: &Opener) -> Result<Script, String> {
        let file = path.join("script.json");
        if file.is_file() {
            return prepare::script_of(&file).map_err(Unusable::sentence);
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
        let requests = (0..run.turns.len()).map(|at| (opened.recording.request(run, at), ends(at)));
        let requests = requests.filter(|(text, _)| !text.trim().is_empty());
        let mut script = Script::of_requests(requests);
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

/// What the agent may do and what stands around it, as the form says it and as the command line would check it.
fn surround(setup: &mut Setup, start: &Start) -> Result<(), Refusal> {
    let wanted = &start.surroundings;
    if wanted.has_full_rights {
        setup.permissions = Permissions::Full;
    }
    setup.folders.copies_login = wanted.copies_login;
    let isolation = Isolation {
        sandbox: Sandbox::by_word(&wanted.sandbox).unwrap_or_default(),
        network: Network::by_word(&wanted.network).unwrap_or_default(),
        image: wanted.image.clone(),
    };
    if let Some(why) = isolation.problem() {
        let field = if isolation.image.is_none() && why.contains("--image") {
            form::IMAGE
        } else {
            form::NETWORK
        };
        return Err(Refusal::at(field, without_options(&why)));
    }
    setup.folders.isolation = isolation;
    Ok(())
}

/// The same sentence where there are fields: the options of the command line are not named.
fn without_options(why: &str) -> String {
    let why = why.replace(": --image NAME", "").replace(": --base-url http", ": http");
    why.replace("--sandbox ", "").replace("--network ", "")
}

/// What is answered where something cannot begin.
pub const fn failed(request: Request, refusal: Refusal) -> Reply {
    Reply::Message(Message::Jobs(jobs::Message::Refused(request, refusal)))
}

fn choice(agent: &Agent) -> Choice {
    let choice = Choice::new(&*agent.name, &*agent.name);
    match &agent.place {
        None => {
            let why = missing(&agent.name, &agent.program, &agent.install);
            choice.with_remark("not on this machine").lacking(why)
        }
        Some(place) => {
            let version = agent.version.iter().cloned();
            let words: Vec<String> = version.chain([place.display().to_string()]).collect();
            choice.with_remark(words.join(" · "))
        }
    }
}

fn missing(agent: &str, program: &str, install: &str) -> String {
    let help = match install {
        "" => format!("[drivers.{agent}] of the settings names it"),
        install => format!("`{install}` installs it, or name its program below"),
    };
    format!("there is no program {program} on this machine; {help}")
}

const fn condition(start: &Start) -> Condition {
    match start.condition {
        session::jobs::Condition::Emergent => Condition::Emergent,
        session::jobs::Condition::SingleShot => Condition::SingleShot,
    }
}

/// A file by which a run is hidden from an agent: bundles as a whole.
fn run_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("run.json") } else { path.to_owned() }
}

fn file_of(what: &What) -> Option<PathBuf> {
    match what {
        What::Script(path) | What::Specification(path) => Some(path.clone()),
        What::Task | What::Prompt(_) => None,
    }
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A run of the same task beside this one that was asked under this condition, the first by name.
fn neighbour(path: &Path, script: &Script, condition: Condition) -> Option<(String, Script)> {
    let task = script.task.as_deref().filter(|task| !task.is_empty())?;
    let entries = fs::read_dir(prepare::absolute(path).parent()?).ok()?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().take(MOST_NEIGHBOURS).map(|entry| entry.path()).collect();
    folders.sort();
    folders.iter().find_map(|folder| {
        let script = prepare::script_of(&folder.join("script.json")).ok()?;
        let is_it = script.task.as_deref() == Some(task)
            && script.own_condition() == Some(condition)
            && script.made.is_none();
        is_it.then(|| (name_of(folder), script))
    })
}

/// A folder that is not there yet: beside the bundle that it is started from, or else where we were started.
fn proposed(start: &Start) -> PathBuf {
    let from = start.from.as_deref().map(prepare::absolute);
    // Logs lie where their agents keep them, and there is no place for anything of ours.
    let bundle = from.as_deref().filter(|it| it.join("run.json").is_file());
    let folder = bundle.and_then(Path::parent);
    let folder = folder.map_or_else(|| prepare::absolute(Path::new(".")), Path::to_owned);
    let task = match &start.what {
        What::Task => from.as_deref().map(name_of),
        What::Script(path) | What::Specification(path) => Some(name_of(path)),
        What::Prompt(_) => None,
    };
    let name = task.unwrap_or_else(|| "live".into());
    let name = format!("{name}-{}-{}", start.agent, start.condition.word());
    prepare::free_folder(&folder, &name)
}

/// Whether the sandbox can be had here; found out by trying it.
fn can_stand(setup: &Setup) -> Result<(), Refusal> {
    let Ok(folder) = tempfile::tempdir() else { return Ok(()) }; // the run itself will say why
    match Confinement::sandbox_of(setup, folder.path()).problem() {
        Some(why) if setup.folders.isolation.sandbox != Sandbox::None => {
            Err(Refusal::at(form::SANDBOX, without_options(&why)))
        }
        _ => Ok(()),
    }
}

/// Whether a new folder can be made there; found out by making it and taking it away.
fn can_be_made(folder: &Path) -> Result<(), String> {
    store::write::is_free(folder).map_err(|why| why.to_string())?;
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

/// What a job would do, row by row.
fn describe(job: &Job, note: &str, plan: &mut Plan) -> Result<(), Refusal> {
    let of_run = plan::of(job);
    let it = of_run.map_err(|why| Refusal { field: None, why: why.to_string() })?;
    let count = job.script.requests.len();
    let requests = if count == 1 { "1 request".into() } else { format!("{count} requests") };
    plan.row("asks", format!("{requests}, {}: {note}", job.setup.condition.word()));
    let words =
        |words: &[String]| shell_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
    plan.row("calls", format!("{} (the request {})", words(&it.first.command), it.first.request));
    if count > 1 {
        plan.row("then", format!("{} (the request {})", words(&it.next.command), it.next.request));
    }
    plan.row(
        "environment",
        it.environment.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(" "),
    );
    plan.row("works in", &it.workspace);
    let driver = drivers::of(&job.setup).map_err(|why| Refusal::at(form::AGENT, why))?;
    surroundings(&job.setup, &*driver, plan);
    let logs = match it.logs.as_slice() {
        [] => "no log of its own".to_owned(),
        logs => format!("its log ({}) in session/", logs.join(", ")),
    };
    plan.row(
        "records",
        format!(
            "{}: each turn a commit in workspace.git and a row in run.json, {logs}, its output, script.json as asked",
            job.bundle.display()
        ),
    );
    if let Some(from) = &job.setup.folders.start.from {
        plan.row(
            "begins with",
            format!("a copy of {from}; changes.patch will lead from it to the end"),
        );
    }
    for command in &job.setup.folders.start.setup {
        plan.row("setup", format!("{command}, before the first request"));
    }
    if let Some(tests) = &job.setup.tests {
        plan.row(
            "tests",
            format!("{tests}, in a copy of the code after each checkpoint, into tests.jsonl"),
        );
    }
    for layer in &it.layers {
        let lacks: String = layer.lacks.iter().map(|lack| format!("; {lack}")).collect();
        plan.row("layer", format!("{}: its words {}{lacks}", layer.name, layer.ways.join(", ")));
    }
    Ok(())
}

/// What stands around the agent, and what of the person's it gets.
fn surroundings(setup: &Setup, driver: &dyn Driver, plan: &mut Plan) {
    if let Some(place) = setup.folders.isolation.place() {
        let own = if driver.leaves_sandbox(setup) { "; the agent's own is off" } else { "" };
        plan.row("sandbox", format!("{place}{own}"));
    }
    if setup.folders.copies_login {
        let stage = stage::Stage::imagined(&setup.folders.work);
        let logins = driver.logins(&stage);
        let files: Vec<String> = logins.iter().map(|(path, _)| format!("~/{path}")).collect();
        plan.row("login", format!("a copy of {}, gone with the run", files.join(", ")));
    }
}

/// Layers with blanks between; a command with its words is for the command line.
fn layers_of(words: Option<&str>) -> Result<Vec<Spec>, Refusal> {
    let specs = words.unwrap_or_default().split_whitespace().map(str::parse);
    specs.collect::<Result<_, String>>().map_err(|why| Refusal::at(form::LAYERS, why))
}
