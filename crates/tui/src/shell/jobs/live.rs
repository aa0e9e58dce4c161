//! A live run: what is asked, of which agent, how far, and where it is recorded.
//!
//! The form is filled in three steps: by what is open, by what was said the last time for the same task, and by a worker
//! that looks for agents on this machine. A folder that nobody names is proposed by the plan.

use std::path::{Path, PathBuf};

use crate::{
    session::{
        ask::Pending,
        effect::Effect,
        jobs::{
            Choice, Condition, Files, Found, Limits, Origin, Refusal, Start, Surroundings, What,
        },
        place::Place,
        question::Question,
        request::{Numbers, Request},
        views::View,
    },
    shell::screens::Screens,
    views::form::{Field, Form},
};
use trajview_run::Run;

pub const WHAT: &str = "what";
pub const FILE: &str = "file";
pub const PROMPT: &str = "prompt";
pub const AGENT: &str = "agent";
pub const PROGRAM: &str = "program";
pub const MODEL: &str = "model";
pub const CONDITION: &str = "condition";
pub const SERVER: &str = "server";
pub const KEY: &str = "key";
pub const RIGHTS: &str = "rights";
pub const SANDBOX: &str = "sandbox";
pub const IMAGE: &str = "image";
pub const NETWORK: &str = "network";
pub const LOGIN: &str = "login";
pub const NOTES: &str = "notes";
pub const LAYERS: &str = "layers";
pub const TESTS: &str = "tests";
pub const FOLDER: &str = "folder";
pub const FILES: &str = "files";
pub const SETUP: &str = "setup";

/// Of [`WHAT`].
const AGAIN: &str = "again";
const OTHER: &str = "other";
const SCRIPT: &str = "script";
const SPECIFICATION: &str = "specification";

/// Of [`SANDBOX`].
const NO_SANDBOX: &str = "none";
const BWRAP: &str = "bwrap";

/// Of [`LOGIN`].
const COPY: &str = "copy";

/// Before anything was found on this machine.
pub fn form(origin: Option<&Origin>) -> Form {
    let own = origin.map_or(Condition::SingleShot, |it| it.condition);
    let conditions = [Condition::Emergent, Condition::SingleShot];
    let at = conditions.iter().position(|it| *it == own).unwrap_or_default();
    let conditions = conditions.map(|it| Choice::new(it.word(), it.word())).to_vec();
    let rights = vec![
        Choice::new("workspace", "its workspace").with_remark("and commands in its own sandbox"),
        Choice::new("full", "everything").with_remark("the agent's own checks are off"),
    ];
    let mut form = Form::new(vec![
        Field::choice(WHAT, "run", whats(origin), 0),
        Field::text(FILE, "file", "", "type its path: space"),
        Field::text(PROMPT, "prompt", "", "type what the agent is to do: space"),
        Field::choice(AGENT, "agent", vec![], 0),
        Field::text(PROGRAM, "program", "", "found by its name"),
        Field::text(MODEL, "model", "", "the agent's own"),
        Field::choice(CONDITION, "condition", conditions, at),
        Field::text(SERVER, "server", "", "the agent's own"),
        Field::text(KEY, "key variable", "", "the agent's usual one"),
        Field::choice(RIGHTS, "may change", rights, 0),
        Field::choice(SANDBOX, "sandbox", sandboxes(), 0),
        Field::text(IMAGE, "image", "", "type the image in which the agent is installed: space"),
        Field::choice(NETWORK, "network", networks(), 0),
        Field::choice(LOGIN, "login", logins(), 0),
        Field::text(NOTES, "layer: notes", "", "none; a file whose words go before each request"),
        Field::text(
            LAYERS,
            "layers",
            "",
            "none; continuity, memory:blind, ... with blanks between",
        ),
        Field::text(TESTS, "tests", "", "none; a command, run after each checkpoint"),
        Field::amount("tokens", "stop at", (None, 100_000.0), "tokens", "any number of tokens"),
        Field::amount("usd", "", (None, 0.5), "USD", "any cost"),
        Field::amount("minutes", "", (None, 5.0), "minutes", "any time"),
        Field::amount("turns", "", (None, 1.0), "turns", "the last request"),
        Field::text(FOLDER, "folder", "", "proposed when the rest is known"),
        Field::text(
            FILES,
            "begins with",
            "",
            "no files; a repository, REPO@REV or a folder is copied",
        ),
        Field::text(SETUP, "setup", "", "none; a command, run before the first request"),
    ]);
    show_words(&mut form);
    form
}

fn whats(origin: Option<&Origin>) -> Vec<Choice> {
    let mut all = vec![];
    if let Some(origin) = origin {
        let (own, other) = (origin.condition, origin.condition.other());
        let again = format!("{} again", origin.name);
        all.push(Choice::new(AGAIN, again).with_remark(format!("as it was asked, {}", own.word())));
        let other = format!("its other condition: {}", other.word());
        all.push(Choice::new(OTHER, other).with_remark("the same task"));
    }
    all.push(Choice::new(SPECIFICATION, "a specification").with_remark("a file, asked at once"));
    all.push(Choice::new(PROMPT, "a prompt").with_remark("typed here, asked at once"));
    all.push(Choice::new(SCRIPT, "a script").with_remark("a script.json"));
    all
}

fn sandboxes() -> Vec<Choice> {
    [
        (NO_SANDBOX, "nothing but what hides the recording"),
        (BWRAP, "it sees this machine and writes in its own folder alone"),
        ("docker", "a container of an image in which it is installed"),
        ("podman", "a container of an image in which it is installed"),
    ]
    .map(|(word, remark)| Choice::new(word, word).with_remark(remark))
    .to_vec()
}

fn networks() -> Vec<Choice> {
    [
        ("on", "what this machine reaches"),
        ("loopback", "the model server of this machine and nothing else"),
        ("off", "nothing, no model either"),
    ]
    .map(|(word, remark)| Choice::new(word, word).with_remark(remark))
    .to_vec()
}

fn logins() -> Vec<Choice> {
    vec![
        Choice::new("none", "none").with_remark("a home of its own, and a key"),
        Choice::new(COPY, "a copy of yours").with_remark("to be read alone, never recorded"),
    ]
}

/// The file and the prompt are fields only where they are wanted, and so are image and network.
fn show_words(form: &mut Form) {
    let sandbox = form.choice(SANDBOX).to_owned();
    form.show(NETWORK, sandbox != NO_SANDBOX);
    form.show(IMAGE, sandbox != NO_SANDBOX && sandbox != BWRAP);
    let what = form.choice(WHAT).to_owned();
    form.show(FILE, what == SCRIPT || what == SPECIFICATION);
    form.show(PROMPT, what == PROMPT);
}

/// Brings what depends on each other in step, after the field of this id has changed.
pub fn link(form: &mut Form, changed: &str, origin: Option<&Origin>) {
    let own = origin.map(|it| it.condition);
    match (changed, form.choice(WHAT), own) {
        (WHAT, AGAIN, Some(own)) => form.choose(CONDITION, own.word()),
        (WHAT, OTHER, Some(own)) => form.choose(CONDITION, own.other().word()),
        (WHAT, SPECIFICATION | PROMPT, _) => {
            form.choose(CONDITION, Condition::SingleShot.word());
        }
        (CONDITION, AGAIN | OTHER, Some(own)) => {
            let is_own = form.choice(CONDITION) == own.word();
            form.choose(WHAT, if is_own { AGAIN } else { OTHER });
        }
        _ => {}
    }
    show_words(form);
}

/// What a form is opened with, and asks for once.
#[derive(Debug, Default)]
pub struct Opened {
    pub origin: Option<Origin>,
    work: PathBuf,
    asked: Pending<()>,
    has_asked: bool,
    /// Whether agents are known, be it without their versions.
    pub has_agents: bool,
}

impl Opened {
    pub fn of(origin: Option<Origin>) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Asks once what is on this machine.
    pub fn ask(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if std::mem::replace(&mut self.has_asked, true) {
            return None;
        }
        let task = self.origin.as_ref().map(|it| it.task.clone()).unwrap_or_default();
        Some(self.asked.ask(numbers, (), Question::Agents { task }))
    }

    /// Takes what was found in the end.
    pub fn take(&mut self, request: Request, found: &Found, form: &mut Form) {
        self.show(request, found, form);
        self.asked.answered(request);
    }

    /// Shows what was found so far, where it was asked for.
    pub fn show(&mut self, request: Request, found: &Found, form: &mut Form) {
        if !self.asked.is_about(request) {
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_agents, true);
        if is_first {
            self.work.clone_from(&found.work);
        }
        offer(form, found, is_first, self.origin.as_ref());
    }

    pub fn wanted(&self, form: &Form) -> Result<Start, Refusal> {
        wanted(form, self.origin.as_ref(), &self.work)
    }
}

/// Puts in what was found; what the user has changed meanwhile stays.
fn offer(form: &mut Form, found: &Found, is_first: bool, origin: Option<&Origin>) {
    form.offer(AGENT, found.agents.clone());
    if !is_first {
        return;
    }
    for (id, value) in &found.remembered {
        form.fill(id, value);
        link(form, id, origin);
    }
}

fn wanted(form: &Form, origin: Option<&Origin>, work: &Path) -> Result<Start, Refusal> {
    let program = form.text(PROGRAM).map(PathBuf::from);
    let agent = form.get(AGENT).and_then(Field::chosen);
    let agent = agent.ok_or_else(|| Refusal::at(AGENT, "no agent is known"))?;
    if let (Some(lacks), None) = (&agent.lacks, &program) {
        return Err(Refusal::at(AGENT, lacks));
    }
    let key = form.text(KEY).map(str::to_owned);
    if let Some(name) = key.as_deref().filter(|name| !is_name(name)) {
        let length = name.chars().count();
        let why = format!(
            "these {length} letters are no name of a variable: name the variable that holds the key, never the key"
        );
        return Err(Refusal::at(KEY, why));
    }
    Ok(Start {
        from: origin.map(|it| it.path.clone()),
        what: what(form)?,
        condition: Condition::by_word(form.choice(CONDITION)),
        agent: agent.id.clone(),
        program,
        model: form.text(MODEL).map(str::to_owned),
        server: form.text(SERVER).map(str::to_owned),
        key,
        surroundings: surroundings(form),
        notes: form.text(NOTES).map(PathBuf::from),
        layers: form.text(LAYERS).map(str::to_owned),
        files: Files {
            from: form.text(FILES).map(str::to_owned),
            setup: form.text(SETUP).map(str::to_owned),
            tests: form.text(TESTS).map(str::to_owned),
        },
        folder: form.text(FOLDER).map(PathBuf::from),
        work: work.to_owned(),
        limits: Limits {
            tokens: form.amount("tokens"),
            usd: form.amount("usd"),
            minutes: form.amount("minutes"),
            turns: form.amount("turns"),
        },
    })
}

/// A field that is hidden says nothing, whatever it held before.
fn surroundings(form: &Form) -> Surroundings {
    Surroundings {
        has_full_rights: form.choice(RIGHTS) == "full",
        sandbox: form.choice(SANDBOX).to_owned(),
        image: form.text(IMAGE).map(str::to_owned),
        network: form.choice(NETWORK).to_owned(),
        copies_login: form.choice(LOGIN) == COPY,
    }
}

fn what(form: &Form) -> Result<What, Refusal> {
    let is_emergent = form.choice(CONDITION) == Condition::Emergent.word();
    let file = || {
        let path = form.text(FILE).map(PathBuf::from);
        path.ok_or_else(|| Refusal::at(FILE, "which file? space types its path"))
    };
    let what = match form.choice(WHAT) {
        SCRIPT => What::Script(file()?),
        SPECIFICATION => What::Specification(file()?),
        PROMPT => {
            let prompt = form.text(PROMPT).map(str::to_owned);
            let prompt = prompt
                .ok_or_else(|| Refusal::at(PROMPT, "what is the agent to do? space types it"))?;
            What::Prompt(prompt)
        }
        _ => What::Task,
    };
    match what {
        What::Specification(_) | What::Prompt(_) if is_emergent => Err(Refusal::at(
            CONDITION,
            "this is one request: only single-shot; an emergent run needs a script",
        )),
        what => Ok(what),
    }
}

/// As shells take them.
fn is_name(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.chars().all(is_letter) && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// What is kept of a form for the next time: no folder, and no address with a name and a password in it.
pub fn to_remember(form: &Form) -> Vec<(String, String)> {
    let mut all = form.values();
    let has_login = |value: &str| {
        let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
        rest.split(['/', '?', '#']).next().is_some_and(|place| place.contains('@'))
    };
    all.retain(|(id, value)| id != FOLDER && (id != SERVER || !has_login(value)));
    all
}

/// The run that a live run is started from: the one that is looked at.
pub fn origin(screens: &Screens) -> Option<Origin> {
    if let (None, Some(compared)) = (screens.live(), screens.comparison()) {
        let path = compared.paths.get(compared.here())?;
        return Some(of_run(path.clone(), &compared.all().get(compared.here())?.run));
    }
    if let (None, Some(table)) = (screens.live(), screens.table()) {
        let row = table.selected()?;
        let card = row.card();
        let name = row.path.file_stem()?.to_string_lossy().into_owned();
        let task = card.and_then(|it| it.identity.task_key.clone()).unwrap_or_else(|| name.clone());
        let condition = card.and_then(|it| it.identity.condition.as_deref()).unwrap_or_default();
        return Some(Origin {
            path: row.path.clone(),
            name,
            task,
            condition: Condition::by_word(condition),
        });
    }
    let open = screens.open_run()?;
    Some(of_run(screens.source.clone(), &open.session.run))
}

/// Shows the view of a run that is being made: beside the run that it was started from.
pub(crate) fn show_begun(
    screens: &mut Screens,
    origin: Option<Origin>,
    bundle: PathBuf,
) -> Vec<Effect> {
    screens.begin_live();
    let Some(live) = &mut screens.live else { return vec![] };
    live.from.bundle = Some(bundle);
    let Some(origin) = origin else { return vec![] };
    let path = origin.path.clone();
    live.from.origin = Some(origin);
    if screens.open_run().is_some() && screens.source == path {
        return vec![];
    }
    vec![screens.open(path, Place { view: View::Replay, ..Place::default() })]
}

fn of_run(path: PathBuf, run: &Run) -> Origin {
    let name = path.file_stem().map_or(run.id.clone(), |it| it.to_string_lossy().into_owned());
    Origin {
        path,
        task: run.task_key().unwrap_or_else(|| name.clone()),
        name,
        condition: Condition::by_word(run.condition.as_deref().unwrap_or_default()),
    }
}
