//! The form of a live run: task, agent, limits, and the folder of the recording.
//!
//! The form is filled in three steps: from the open run, from the values used last for the same task, and by a worker that
//! finds the agents on this machine. The plan proposes a folder when none is named.

use std::path::{Path, PathBuf};

use crate::{
    session::{
        effect::Effect,
        jobs::{
            AgentEnvironment, FormChoice, FormFacts, FormOrigin, JobRefusal, LiveLimits,
            LiveRunSpec, TaskSource, WorkspaceSource,
        },
        pending::Pending,
        question::Question,
        request::{RequestId, RequestIds},
        start_place::StartPlace,
        views::View,
    },
    shell::screens::Screens,
    views::form::{FormField, FormPane},
};
use trajview_run::{Run, condition::Condition};

pub const WHAT: &str = "what";
pub const FILE: &str = "file";
pub const PROMPT: &str = "prompt";
pub const AGENT: &str = "agent";
pub const PROGRAM: &str = "program";
pub const MODEL: &str = "model";
pub const CONDITION: &str = "condition";
pub const SERVER: &str = "server";
pub const KEY: &str = "key";
pub(crate) const RIGHTS: &str = "rights";
pub const SANDBOX: &str = "sandbox";
pub const IMAGE: &str = "image";
pub const NETWORK: &str = "network";
pub const LOGIN: &str = "login";
pub const NOTES: &str = "notes";
pub const LAYERS: &str = "layers";
pub(crate) const TESTS: &str = "tests";
pub const FOLDER: &str = "folder";
pub const FILES: &str = "files";
pub(crate) const SETUP: &str = "setup";

/// Values of [`WHAT`].
const AGAIN: &str = "again";
const OTHER: &str = "other";
const SCRIPT: &str = "script";
const SPECIFICATION: &str = "specification";

/// Values of [`SANDBOX`].
const NO_SANDBOX: &str = "none";
const BWRAP: &str = "bwrap";

/// Values of [`LOGIN`].
const COPY: &str = "copy";

/// Returns the form before the agents of this machine are known.
pub fn live_form(origin: Option<&FormOrigin>) -> FormPane {
    let own_condition = origin.map_or(Condition::SingleShot, |it| it.condition);
    let conditions = [Condition::Emergent, Condition::SingleShot];
    let at = conditions.iter().position(|it| *it == own_condition).unwrap_or_default();
    let conditions = conditions.map(|it| FormChoice::new(it.word(), it.word())).to_vec();
    let rights = vec![
        FormChoice::new("workspace", "workspace")
            .with_remark("commands in the agent's own sandbox"),
        FormChoice::new("full", "full").with_remark("the agent's own checks are off"),
    ];
    let looking = vec![FormChoice::new("", "looking…")];
    let text = FormField::with_text;
    let limit = |id, word, step, unit, empty| {
        FormField::with_amount(id, "limits", (None, step), unit, empty).named_in_row(word)
    };
    let fields = vec![
        FormField::with_choices(WHAT, "task", task_choices(origin), 0),
        text(FILE, "file", "", "none: space to type its path"),
        text(PROMPT, "prompt", "", "none: space to type it"),
        FormField::with_choices(AGENT, "agent", looking, 0),
        text(MODEL, "model", "", "default"),
        FormField::with_choices(CONDITION, "condition", conditions, at),
        FormField::with_choices(RIGHTS, "permissions", rights, 0),
        limit("tokens", "tokens", 100_000.0, "", "none"),
        limit("usd", "cost", 0.5, "USD", "none"),
        limit("minutes", "time", 5.0, "min", "none"),
        limit("turns", "turns", 1.0, "", "all"),
        text(FOLDER, "output folder", "", "(chosen automatically)"),
        text(PROGRAM, "program", "", "from PATH").rare(),
        text(SERVER, "server", "", "default").rare(),
        text(KEY, "key variable", "", "default").rare(),
        FormField::with_choices(SANDBOX, "sandbox", sandbox_choices(), 0).rare(),
        text(IMAGE, "image", "", "none: space to type the image with the agent").rare(),
        FormField::with_choices(NETWORK, "network", network_choices(), 0).rare(),
        FormField::with_choices(LOGIN, "login", login_choices(), 0).rare(),
        text(NOTES, "layer: notes", "", "none (a file, sent before each request)").rare(),
        text(LAYERS, "layers", "", "none (continuity, memory:blind, ... with blanks between)")
            .rare(),
        text(TESTS, "tests", "", "none (a command, run after each checkpoint)").rare(),
        text(FILES, "starting files", "", "none (a repository, REPO@REV or a folder)").rare(),
        text(SETUP, "setup", "", "none (a command, run before the first request)").rare(),
    ];
    let mut form = FormPane::new("live run", "start the agent", fields);
    show_needed_fields(&mut form);
    form
}

fn task_choices(origin: Option<&FormOrigin>) -> Vec<FormChoice> {
    let of_origin = origin.into_iter().flat_map(|origin| {
        let other = origin.condition.opposite().word();
        [
            FormChoice::new(AGAIN, format!("{} (same script)", origin.name))
                .with_remark(origin.condition.word()),
            FormChoice::new(OTHER, format!("{}, {other}", origin.name))
                .with_remark("same task, other condition"),
        ]
    });
    let typed = [
        FormChoice::new(SPECIFICATION, "specification").with_remark("a file, sent as one request"),
        FormChoice::new(PROMPT, "prompt").with_remark("typed here, sent as one request"),
        FormChoice::new(SCRIPT, "script").with_remark("a script.json"),
    ];
    of_origin.chain(typed).collect()
}

fn sandbox_choices() -> Vec<FormChoice> {
    let container = "a container of an image with the agent";
    [
        (NO_SANDBOX, "only the recording is hidden"),
        (BWRAP, "reads this machine, writes in its own folder only"),
        ("docker", container),
        ("podman", container),
    ]
    .map(|(word, remark)| FormChoice::new(word, word).with_remark(remark))
    .to_vec()
}

fn network_choices() -> Vec<FormChoice> {
    [
        ("on", "all networks of this machine"),
        ("loopback", "only the model server of this machine"),
        ("off", "nothing, not even the model"),
    ]
    .map(|(word, remark)| FormChoice::new(word, word).with_remark(remark))
    .to_vec()
}

fn login_choices() -> Vec<FormChoice> {
    vec![
        FormChoice::new("none", "none").with_remark("a separate home folder, and a key"),
        FormChoice::new(COPY, "copy of yours").with_remark("read-only, never recorded"),
    ]
}

/// Shows the fields that the choices need: file and prompt, image and network.
fn show_needed_fields(form: &mut FormPane) {
    let sandbox = form.chosen_id(SANDBOX).to_owned();
    form.show_field(NETWORK, sandbox != NO_SANDBOX);
    form.show_field(IMAGE, sandbox != NO_SANDBOX && sandbox != BWRAP);
    let what = form.chosen_id(WHAT).to_owned();
    form.show_field(FILE, what == SCRIPT || what == SPECIFICATION);
    form.show_field(PROMPT, what == PROMPT);
}

/// Updates the fields that depend on the field of this id after it has changed.
pub(crate) fn link_fields(form: &mut FormPane, changed: &str, origin: Option<&FormOrigin>) {
    let own_condition = origin.map(|it| it.condition);
    match (changed, form.chosen_id(WHAT), own_condition) {
        (WHAT, AGAIN, Some(own_condition)) => form.fill_field(CONDITION, own_condition.word()),
        (WHAT, OTHER, Some(own_condition)) => {
            form.fill_field(CONDITION, own_condition.opposite().word())
        }
        (WHAT, SPECIFICATION | PROMPT, _) => {
            form.fill_field(CONDITION, Condition::SingleShot.word());
        }
        (CONDITION, AGAIN | OTHER, Some(own_condition)) => {
            let is_own = form.chosen_id(CONDITION) == own_condition.word();
            form.fill_field(WHAT, if is_own { AGAIN } else { OTHER });
        }
        _ => {}
    }
    show_needed_fields(form);
}

/// The state of a live form besides its fields, and the question that it asks once.
#[derive(Debug, Default)]
pub struct LiveFormState {
    pub origin: Option<FormOrigin>,
    work: PathBuf,
    asked: Pending<()>,
    has_asked: bool,
    /// True if agents are known, even without their versions.
    pub has_agents: bool,
}

impl LiveFormState {
    pub fn new(origin: Option<FormOrigin>) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Asks once for the agents of this machine.
    pub(crate) fn ask_for_agents(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        if std::mem::replace(&mut self.has_asked, true) {
            return None;
        }
        let origin = self.origin.clone().unwrap_or_default();
        Some(self.asked.ask_question(numbers, (), Question::Agents { origin }))
    }

    /// Shows the final answer about agents and last values, and closes the question.
    pub(crate) fn take_facts(
        &mut self,
        request: RequestId,
        found: &FormFacts,
        form: &mut FormPane,
    ) {
        self.show_facts(request, found, form);
        self.asked.take_answered(request);
    }

    /// Shows a partial answer, if it is to this form's question.
    pub(crate) fn show_facts(
        &mut self,
        request: RequestId,
        found: &FormFacts,
        form: &mut FormPane,
    ) {
        if !self.asked.is_waiting_for(request) {
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_agents, true);
        if is_first {
            self.work.clone_from(&found.work);
        }
        fill_form(form, found, is_first, self.origin.as_ref());
    }

    pub(crate) fn live_run_spec(&self, form: &FormPane) -> Result<LiveRunSpec, JobRefusal> {
        spec_from_form(form, self.origin.as_ref(), &self.work)
    }
}

/// Fills in the found values; fields that the user has changed meanwhile stay.
fn fill_form(form: &mut FormPane, found: &FormFacts, is_first: bool, origin: Option<&FormOrigin>) {
    form.offer_choices(AGENT, found.agents.clone());
    if !is_first {
        return;
    }
    for (id, value) in &found.remembered {
        form.fill_field(id, value);
        link_fields(form, id, origin);
    }
}

fn spec_from_form(
    form: &FormPane,
    origin: Option<&FormOrigin>,
    work: &Path,
) -> Result<LiveRunSpec, JobRefusal> {
    let program = form.typed_text(PROGRAM).map(PathBuf::from);
    let agent = form.field_by_id(AGENT).and_then(FormField::chosen_value);
    let agent = agent.ok_or_else(|| JobRefusal::for_field(AGENT, "no agent found"))?;
    if let (Some(lacks), None) = (&agent.lacks, &program) {
        return Err(JobRefusal::for_field(AGENT, lacks));
    }
    let key = form.typed_text(KEY).map(str::to_owned);
    if let Some(name) = key.as_deref().filter(|name| !is_variable_name(name)) {
        let length = name.chars().count();
        let why = format!(
            "these {length} characters are not a variable name: type the name of the variable with the key, never the key"
        );
        return Err(JobRefusal::for_field(KEY, why));
    }
    Ok(LiveRunSpec {
        from: origin.map(|it| it.path.clone()),
        what: task_source(form)?,
        condition: Condition::by_word(form.chosen_id(CONDITION)).unwrap_or_default(),
        agent: agent.id.clone(),
        program,
        model: form.typed_text(MODEL).map(str::to_owned),
        server: form.typed_text(SERVER).map(str::to_owned),
        key,
        surroundings: agent_environment(form),
        notes: form.typed_text(NOTES).map(PathBuf::from),
        layers: form.typed_text(LAYERS).map(str::to_owned),
        files: WorkspaceSource {
            from: form.typed_text(FILES).map(str::to_owned),
            setup: form.typed_text(SETUP).map(str::to_owned),
            tests: form.typed_text(TESTS).map(str::to_owned),
        },
        folder: form.typed_text(FOLDER).map(PathBuf::from),
        work: work.to_owned(),
        limits: LiveLimits {
            tokens: form.typed_amount("tokens"),
            usd: form.typed_amount("usd"),
            minutes: form.typed_amount("minutes"),
            turns: form.typed_amount("turns"),
        },
    })
}

/// Reads the agent's environment; a hidden field counts as empty.
fn agent_environment(form: &FormPane) -> AgentEnvironment {
    AgentEnvironment {
        has_full_rights: form.chosen_id(RIGHTS) == "full",
        sandbox: form.chosen_id(SANDBOX).to_owned(),
        image: form.typed_text(IMAGE).map(str::to_owned),
        network: form.chosen_id(NETWORK).to_owned(),
        copies_login: form.chosen_id(LOGIN) == COPY,
    }
}

fn task_source(form: &FormPane) -> Result<TaskSource, JobRefusal> {
    let is_emergent = form.chosen_id(CONDITION) == Condition::Emergent.word();
    let file = || {
        let path = form.typed_text(FILE).map(PathBuf::from);
        path.ok_or_else(|| JobRefusal::for_field(FILE, "no file: space to type its path"))
    };
    let what = match form.chosen_id(WHAT) {
        SCRIPT => TaskSource::Script(file()?),
        SPECIFICATION => TaskSource::Specification(file()?),
        PROMPT => {
            let prompt = form.typed_text(PROMPT).map(str::to_owned);
            let prompt = prompt
                .ok_or_else(|| JobRefusal::for_field(PROMPT, "no prompt: space to type it"))?;
            TaskSource::Prompt(prompt)
        }
        _ => TaskSource::Task,
    };
    match what {
        TaskSource::Specification(_) | TaskSource::Prompt(_) if is_emergent => {
            Err(JobRefusal::for_field(
                CONDITION,
                "one request is single-shot; an emergent run needs a script",
            ))
        }
        what => Ok(what),
    }
}

/// Returns whether a word is a valid variable name of a shell.
fn is_variable_name(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.chars().all(is_letter) && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the values that are remembered for the next time: no folder, and no address with a name and a password in it.
pub(crate) fn values_to_remember(form: &FormPane) -> Vec<(String, String)> {
    let mut all = form.field_values();
    let has_login = |value: &str| {
        let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
        rest.split(['/', '?', '#']).next().is_some_and(|place| place.contains('@'))
    };
    all.retain(|(id, value)| id != FOLDER && (id != SERVER || !has_login(value)));
    all
}

/// Returns the run on screen, from which a live run is started.
pub(crate) fn form_origin(screens: &Screens) -> Option<FormOrigin> {
    if let (None, Some(compared)) = (screens.shown_live(), screens.shown_comparison()) {
        let path = compared.paths.get(compared.focused_run())?;
        return Some(origin_of_run(
            path.clone(),
            &compared.all_parties().get(compared.focused_run())?.run,
        ));
    }
    if let (None, Some(table)) = (screens.shown_live(), screens.shown_table()) {
        let row = table.selected_run()?;
        let card = row.known_card();
        let name = row.path.file_stem()?.to_string_lossy().into_owned();
        let task = card.and_then(|it| it.identity.task_key.clone()).unwrap_or_else(|| name.clone());
        let condition = card.and_then(|it| it.identity.condition.as_deref()).unwrap_or_default();
        return Some(FormOrigin {
            path: row.path.clone(),
            name,
            task,
            condition: Condition::by_word(condition).unwrap_or_default(),
            agent: card.and_then(|it| it.identity.agent_key.clone()).unwrap_or_default(),
        });
    }
    let open = screens.open_run()?;
    Some(origin_of_run(screens.source.clone(), &open.session.run))
}

/// Shows the view of a live run: beside the run that it was started from.
pub(crate) fn show_begun(
    screens: &mut Screens,
    origin: Option<FormOrigin>,
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
    vec![screens.open_path(path, StartPlace { view: View::Replay, ..StartPlace::default() })]
}

fn origin_of_run(path: PathBuf, run: &Run) -> FormOrigin {
    let name = path.file_stem().map_or(run.id.clone(), |it| it.to_string_lossy().into_owned());
    FormOrigin {
        path,
        task: run.task_key().unwrap_or_else(|| name.clone()),
        name,
        condition: run.condition.as_deref().and_then(Condition::by_word).unwrap_or_default(),
        agent: run.agent.name.clone(),
    }
}
