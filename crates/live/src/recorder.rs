//! A run under way and everything it holds open: the bundle, the agent's folders, its process.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use serde::Serialize;

use trajview_metrics::decisions::Store;
use trajview_store::{
    beginning::Beginning,
    decisions,
    import::{Agent, CheckpointRow, Task},
    sha256,
    workspace::{History, Rules},
    write::{self, WriteError},
};

use super::{
    base::Base,
    cast::Cast,
    checks,
    confine::Confinement,
    control::{Control, LiveCommand},
    drivers::{self, Driver, End, Rewind},
    event::Event,
    isolation::Network,
    journal::{self, Entry, Journal, Progress},
    layers::{self, Maker, Stack, StackParts, TakenIn},
    logs::{self, Kept, Watch},
    loopback::{Relay, Way},
    manifest::{Conduct, Configuration, Course, Manifest, Surroundings},
    process::{self, Process},
    queued::Queued,
    run::{CannotStart, Halt, Job, Start},
    script::{Condition, Script},
    seal::{self, Seal},
    setup::{Setup, duration},
    stage::Stage,
    typing::Typing,
    version,
};

pub struct Recorder<'a> {
    pub setup: Setup,
    pub script: Script,
    pub bundle: PathBuf,
    pub stage: Stage,
    pub history: History,
    pub progress: Progress,
    pub control: &'a Control,
    pub layers: Stack,
    /// Attempts at the turn that is next or under way.
    pub attempts: usize,
    pub agent: DrivenAgent,
    pub steering: Steering,
    pub guard: BundleGuard,
    journal: Journal,
    tell: &'a mut dyn FnMut(&Event),
    header: Header,
}

/// The agent, and what is kept of it from turn to turn.
pub struct DrivenAgent {
    pub driver: Box<dyn Driver>,
    /// A process that goes on from turn to turn.
    pub process: Option<Process>,
    /// The session to go on with.
    pub session: Option<String>,
    /// What the log of an agent in a terminal said so far.
    pub watch: Option<Watch>,
    /// What the terminal showed since the last turn, where the agent went on by itself.
    pub shown: Vec<u8>,
    pub cast: Cast,
}

/// What a person does to the course of the run.
#[derive(Default)]
pub struct Steering {
    pub has_person: bool,
    pub is_paused: bool,
    pub is_step_by_step: bool,
    /// Wishes that came during a turn and are about the next one.
    pub later: Vec<LiveCommand>,
    /// What a person has typed and not sent.
    pub typing: Typing,
    /// Whether the request of the next turn was typed already, so that it is not sent.
    pub is_sent: bool,
    /// Prompts that a person sent while a turn was under way: the next turns.
    pub queued: VecDeque<Queued>,
    /// How often the next turn was refused before; see [`Job::tried`].
    pub tried: Option<usize>,
}

/// What keeps the bundle as we left it, or shows that somebody changed it.
pub struct BundleGuard {
    pub confinement: Confinement,
    /// Why the agent can reach the bundle; a sentence. None where it cannot.
    within_reach: Option<String>,
    /// The files of the bundle as we left them.
    seal: Seal,
    components: Option<Vec<u8>>,
    /// What leads an agent without a network to its model; closed when this is dropped.
    _relay: Option<Relay>,
}

/// What `run.json` says of the run as a whole.
struct Header {
    version: Option<String>,
    started_at: String,
    ended_at: Option<String>,
    state: String,
    /// Files below `session/` that no format reads.
    kept: Vec<String>,
    /// Patterns of what is never recorded.
    not_recorded: Vec<String>,
}

/// Made anew by every tool that reads them, and by every run differently: never recorded.
pub const NEVER: [&str; 4] =
    ["**/__pycache__", "**/.pytest_cache", "**/.mypy_cache", "**/.DS_Store"];

impl<'a> Recorder<'a> {
    pub fn open(
        job: &Job,
        start: Start,
        control: &'a Control,
        tell: &'a mut dyn FnMut(&Event),
    ) -> Result<Self, CannotStart> {
        let setup = job.setup.clone();
        let driver = drivers::of(&setup).map_err(CannotStart::Wrong)?;
        if let Some(problem) = setup.folders.isolation.problem() {
            return Err(CannotStart::Wrong(problem));
        }
        if job.script.chat && driver.end() == End::Exit {
            let why = "has no screen of its own to chat in; give it a script or a prompt";
            return Err(CannotStart::Wrong(format!("agent {} {why}", setup.agent)));
        }
        if setup.folders.isolation.network == Network::Loopback {
            Way::of(&setup, &setup.folders.work).map_err(CannotStart::Wrong)?;
        }
        if let Some(problem) = driver.problem(&setup) {
            return Err(CannotStart::Wrong(format!("agent {}: {problem}", setup.agent)));
        }
        let mut not_recorded: Vec<String> = NEVER.map(str::to_owned).to_vec();
        not_recorded.extend(driver.own_files().into_iter().map(str::to_owned));
        let patterns: Vec<&str> = not_recorded.iter().map(String::as_str).collect();
        let rules =
            Rules::new(&patterns, setup.recording.records_ignored, setup.recording.most_bytes)
                .map_err(CannotStart::Wrong)?;
        let planned = layers::planned(&setup, &*driver).map_err(CannotStart::Wrong)?;
        let helper =
            layers::helper_of(&setup, &job.layers, &control.stop).map_err(CannotStart::Wrong)?;
        let opening = Opening { job, setup: &setup, driver: &*driver };
        let opened = match start {
            Start::Anew => opening.anew(rules)?,
            Start::Resume => opening.resume(rules)?,
        };
        let Opened { stage, history, journal, version, started_at, progress, mut remarks } = opened;
        remarks.extend(planned.into_iter().flat_map(layers::Planned::remarks));
        let (confinement, within_reach) = confined(&job.bundle, &setup);
        let confinement = confinement.marked(&stage.id);
        let relay = confinement.way().map(Relay::start).transpose().map_err(|why| {
            CannotStart::Wrong(format!(
                "no way leads out of the sandbox to the model server: {why}"
            ))
        })?;
        let cast = Cast::new(&job.bundle, setup.size, stage.secrets.clone());
        let session = progress.done.last().and_then(|done| done.session_id.clone());
        let mut layers = Stack::new(
            StackParts {
                specs: setup.layers.specs(),
                maker: Maker::new(&setup, stage.workspace(), decisions(&job.bundle, &mut remarks)),
                helper,
                secrets: stage.secrets.clone(),
            },
            &job.bundle,
            progress.done.len(),
        )
        .map_err(CannotStart::Wrong)?;
        if let Some(deliveries) = &stage.deliveries
            && let Err(why) = layers.serve(&deliveries.socket)
        {
            remarks.push(format!("no layer reaches the agent beside its requests: {why}"));
        }
        let agent =
            DrivenAgent { driver, process: None, session, watch: None, shown: vec![], cast };
        let steering = Steering {
            has_person: job.has_person,
            is_step_by_step: job.step_by_step,
            tried: job.tried,
            ..Steering::default()
        };
        let components = std::fs::read(job.bundle.join("components.json")).ok();
        let header = Header {
            version,
            started_at,
            ended_at: None,
            state: "running".into(),
            kept: vec![],
            not_recorded,
        };
        let mut recorder = Self {
            script: job.script.clone(),
            bundle: job.bundle.clone(),
            stage,
            history,
            attempts: progress.open.as_ref().map_or(0, |row| row.attempt),
            progress,
            control,
            layers,
            agent,
            steering,
            guard: BundleGuard {
                _relay: relay,
                confinement,
                within_reach,
                seal: Seal::default(),
                components,
            },
            journal,
            tell,
            header,
            setup,
        };
        recorder.begin(remarks)?;
        Ok(recorder)
    }

    fn begin(&mut self, remarks: Vec<String>) -> Result<(), WriteError> {
        self.header.kept = logs::unread(self.progress.logs(), &self.bundle);
        self.write_script()?;
        for remark in remarks {
            self.warn(&remark)?;
        }
        if let Some(why) = self.guard.within_reach.clone() {
            self.warn(&format!("{WITHIN_REACH}: {why}"))?;
        }
        self.write_manifest()?;
        let requests = self.stage.requests();
        let taken = self.layers.take_in(&self.progress.done, Some(&requests));
        self.enter_layers(taken)?;
        let event = Event::Opened {
            bundle: self.bundle.clone(),
            agent: self.setup.agent.clone(),
            version: self.header.version.clone(),
            model: self.setup.provider.model.clone(),
            condition: self.setup.condition.word(),
            requests: self.script.requests.len(),
            done: self.progress.done.len(),
            workspace: self.stage.workspace(),
        };
        self.told(&event);
        Ok(())
    }

    pub fn told(&mut self, event: &Event) {
        (self.tell)(event);
    }

    /// Gives away what tells, for a while in which the rest of us is needed too.
    pub fn parts(&mut self) -> Parts<'_> {
        Parts {
            setup: &self.setup,
            bundle: &self.bundle,
            stage: &self.stage,
            history: &self.history,
            control: self.control,
            cast: &mut self.agent.cast,
            later: &mut self.steering.later,
            typing: &mut self.steering.typing,
            tell: self.tell,
        }
    }

    /// Something that should be known: in the journal, in `run.json` and told.
    pub fn warn(&mut self, sentence: &str) -> Result<(), WriteError> {
        let sentence = self.stage.secrets.hide(sentence);
        if self.progress.remarks.contains(&sentence) {
            return Ok(());
        }
        self.record(&Entry::Warned { sentence: sentence.clone() })?;
        self.told(&Event::Warned(sentence));
        Ok(())
    }

    /// A line in the journal; from then on it happened.
    pub fn record(&mut self, entry: &Entry) -> Result<(), WriteError> {
        self.journal.write(entry)?;
        self.progress.take(entry);
        Ok(())
    }

    pub fn write_script(&self) -> Result<(), WriteError> {
        write_json(&self.bundle.join("script.json"), &self.script)
    }

    /// Remembers the files of the bundle as they are, before an agent works or when we are done.
    pub fn seal(&mut self) -> Result<(), WriteError> {
        let now = Seal::take(&self.bundle, &self.guard.seal);
        let is_new = |(name, mark): &(&String, &seal::Mark)| {
            self.guard.seal.marks().get(*name) != Some(*mark)
        };
        let files = now.marks().iter().filter(is_new);
        let files = files.map(|(name, mark)| (name.clone(), mark.clone())).collect();
        let is_gone = |name: &&String| !now.marks().contains_key(*name);
        let gone = self.guard.seal.marks().keys().filter(is_gone).cloned().collect();
        self.guard.seal = now;
        self.record(&Entry::Sealed { files, gone })
    }

    /// Tells what of the bundle was changed since it was sealed, and writes again what we still know.
    pub fn compare(&mut self, turn: usize) -> Result<(), WriteError> {
        let changes = self.guard.seal.differences(&self.bundle, self.guard.within_reach.is_some());
        self.record(&Entry::Compared { turn })?;
        if changes.is_empty() {
            return Ok(());
        }
        for sentence in changed(&changes) {
            self.warn(&format!("turn {turn}: while the agent worked, {sentence}"))?;
        }
        if let Some(components) = &self.guard.components {
            write::replace(&self.bundle.join("components.json"), components)?;
        }
        self.write_script()
    }

    /// Records what the layers took in.
    pub fn enter_layers(&mut self, taken: TakenIn) -> Result<(), WriteError> {
        let is_new = !taken.rows.is_empty();
        for (turn, rows) in taken.rows {
            self.record(&Entry::LayersTookIn { turn, rows })?;
        }
        for problem in taken.problems {
            self.warn(&problem)?;
        }
        if is_new { self.write_manifest() } else { Ok(()) }
    }

    pub fn keep(&mut self, rows: &[logs::LogRow]) {
        self.header.kept = logs::unread(rows, &self.bundle);
    }

    pub fn write_manifest(&self) -> Result<(), WriteError> {
        let mut turns = self.progress.rows();
        turns.extend(self.progress.open.clone());
        let id = self.bundle.file_name().map(|it| it.to_string_lossy().into_owned());
        let task = self.script.task.as_deref();
        let manifest = Manifest {
            schema: "trajview.run/1",
            id: id.as_deref().unwrap_or("live"),
            title: self.title(),
            task: task.map(|id| Task { id, title: self.script.title.as_deref(), venue: None }),
            configuration: Configuration {
                condition: self.setup.named_condition(),
                platform: &self.setup.agent,
                agent: Agent {
                    name: Some(&self.setup.agent),
                    version: self.header.version.as_deref(),
                },
                model: self.setup.provider.model.as_deref(),
            },
            provenance: self.provenance(),
            course: Course {
                started_at: &self.header.started_at,
                ended_at: self.header.ended_at.as_deref(),
                state: self.header.state.clone(),
            },
            start: self.progress.base.as_ref(),
            languages: [],
            checkpoints: self.checkpoints(),
            turns,
            kept: &self.header.kept,
            surroundings: self.surroundings(),
            remarks: &self.progress.remarks,
        };
        write_json(&self.bundle.join("run.json"), &manifest)
    }

    fn title(&self) -> String {
        let what = self.script.title.as_deref().or(self.script.task.as_deref());
        let agent = &self.setup.agent;
        let how = match self.setup.condition {
            Condition::Emergent if self.script.chat => "a chat".to_owned(),
            Condition::Emergent => format!("{} requests", self.script.requests.len()),
            Condition::SingleShot => "one request".to_owned(),
        };
        what.map_or_else(|| format!("{agent}, {how}"), |what| format!("{what}, {agent}, {how}"))
    }

    /// Those whose last turn counts.
    fn checkpoints(&self) -> Vec<CheckpointRow<'_>> {
        let done = self.script.requests.iter().take(self.progress.done.len());
        let mut found: Vec<CheckpointRow<'_>> = vec![];
        for request in done {
            let Some(id) = request.checkpoint.as_deref() else { continue };
            found.retain(|checkpoint| checkpoint.id != id);
            found.push(CheckpointRow { id, turn: request.turn, label: self.script.label(id) });
        }
        found
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            recorder: concat!("trajview ", env!("CARGO_PKG_VERSION")),
            os: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            variables: self.stage.environment.keys().map(String::as_str).collect(),
            permissions: self.setup.permissions.word(),
            arguments: &self.setup.args,
            records_ignored: self.setup.recording.records_ignored,
            not_recorded: &self.header.not_recorded,
            most_bytes: self.setup.recording.most_bytes,
            tests: self.setup.tests.as_deref(),
            conduct: Conduct {
                limits: &self.setup.limits,
                bundle_in_reach: self.guard.within_reach.is_some(),
                in_terminal: self.setup.in_terminal,
                isolation: &self.setup.folders.isolation,
                prompts_sha256: self.script.sha256(),
                interruptions: self.progress.interruptions,
            },
        }
    }

    fn provenance(&self) -> String {
        let agent = match &self.header.version {
            Some(version) => format!("{} {version}", self.setup.agent),
            None => self.setup.agent.clone(),
        };
        let mut parts = vec![format!(
            "recorded by trajview {} while it drove {agent}, one commit of the workspace after each turn",
            env!("CARGO_PKG_VERSION")
        )];
        parts.extend(self.progress.base.as_ref().and_then(Base::origin));
        parts.extend(self.setup.server().map(|url| format!("model server at {url}")));
        let open = self.progress.remarks.iter().find(|it| it.starts_with(WITHIN_REACH));
        let isolation = &self.setup.folders.isolation;
        let way = if self.guard.confinement.has_sandbox() {
            "its sandbox"
        } else {
            "user and mount namespaces"
        };
        parts.push(open.map_or_else(|| format!("{OUT_OF_REACH} ({way})"), Clone::clone));
        parts.extend(isolation.said());
        let own = "the agent's own sandbox was off inside it";
        parts.extend(self.agent.driver.leaves_sandbox(&self.setup).then(|| own.to_owned()));
        let login = "the agent had a copy of the person's login";
        parts.extend(self.setup.folders.copies_login.then(|| login.to_owned()));
        parts.extend(self.script.made.clone());
        let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let typed = self.script.requests.iter().filter(|it| it.typed).count();
        parts.extend(match self.script.chat {
            true => Some("a free chat: a person typed every request".to_owned()),
            false => count(typed, "requests are not in the script: a person typed them"),
        });
        let within = self.progress.done.iter().filter(|it| !it.row.typed.within.is_empty()).count();
        parts.extend(count(within, "turns hold what a person typed while they were under way"));
        let edited = self.script.requests.iter().filter(|it| it.original.is_some()).count();
        parts.extend(count(self.script.skipped.len(), "requests were skipped"));
        parts.extend(count(edited, "requests were edited"));
        parts.join("; ")
    }

    /// Gets ready to do a turn again: files and logs are what they were before it. Where this is interrupted, it is done
    /// once more when the run goes on.
    pub fn again(&mut self, turn: usize, why: &str) -> Result<(), Halt> {
        self.end_process();
        let checkpoint = self.script.request(turn).and_then(|it| it.checkpoint.clone());
        if let Some(checkpoint) = checkpoint {
            checks::forget(&self.bundle, &checkpoint)?;
        }
        let attempt = match &self.progress.open {
            Some(open) if open.turn == turn => open.attempt,
            _ => self.progress.done.get(turn - 1).map_or(0, |done| done.row.attempt),
        };
        let why = self.stage.secrets.hide(why);
        self.record(&Entry::Again { turn, attempt, why: why.clone() })?;
        self.write_manifest()?;
        self.agent.session = self.progress.done.last().and_then(|done| done.session_id.clone());
        self.history.restore(&self.stage.workspace(), self.progress.commit())?;
        self.rewind(turn)?;
        self.progress.open = None;
        let taken = self.layers.rewind(&self.progress.done);
        self.enter_layers(taken)?;
        self.attempts = attempt;
        self.told(&Event::Again { turn, why });
        Ok(())
    }

    fn rewind(&mut self, turn: usize) -> Result<(), Halt> {
        let places = self.agent.driver.logs(&self.stage);
        let kept = Kept::before(turn, &self.stage.requests());
        match self.agent.driver.rewind() {
            Rewind::Logs => logs::cut_back(&places, self.progress.logs(), &self.bundle, &kept)?,
            Rewind::Restart => {
                // The process that wrote them is gone: what they say of the turn that does not count would be a turn of its own.
                logs::cut_back(&places, self.progress.logs(), &self.bundle, &kept)?;
                self.agent.session = None;
            }
            Rewind::Import => {
                logs::cut_back(&places, self.progress.logs(), &self.bundle, &kept)?;
                self.import(turn)?;
            }
            Rewind::GoOn if self.agent.session.is_some() => self.warn(&format!(
                "turn {turn} is done again in the same session: the agent remembers the one that does not count"
            ))?,
            Rewind::GoOn => {}
        }
        Ok(())
    }

    /// The agent begins a new session with the next request.
    pub fn forget_session(&mut self) {
        self.end_process();
        self.agent.session = None;
    }

    pub fn end_process(&mut self) {
        if let Some(mut process) = self.agent.process.take() {
            let patience = duration(self.setup.limits.timeouts.patience);
            process.end(patience, &mut |_| {});
        }
        process::sweep(&self.stage.id);
        self.steering.queued.retain(|it| !it.is_sent); // what works on them is gone
        self.agent.watch = None;
        self.agent.shown.clear();
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        self.setup.size = size;
        self.agent.cast.resize(size);
        if let Some(process) = &mut self.agent.process {
            process.resize(size);
        }
    }

    pub fn type_in(&mut self, bytes: &[u8]) {
        if let Some(process) = &mut self.agent.process {
            process.type_in(bytes);
        }
    }

    /// Ends everything and says in the bundle how it ended, as far as that can be written.
    pub fn close(&mut self, halted: Option<&Halt>) -> Result<(), WriteError> {
        self.end_process();
        self.stage.take_logins_away(&*self.agent.driver);
        let patched = self.write_patch();
        self.header.ended_at = Some(journal::now());
        let unpatched = patched.as_ref().err().map(ToString::to_string);
        let Some(why) = halted.map(words_of).or(unpatched) else {
            // In this order: a run whose journal says that it is over is not gone on with.
            self.header.state = "finished".into();
            self.write_manifest()?;
            return self.finish();
        };
        let why = self.stage.secrets.hide(&why);
        self.header.state = format!("stopped: {why}");
        self.record(&Entry::Stopped { why })?;
        self.write_manifest()?;
        self.seal()?;
        patched
    }

    fn finish(&mut self) -> Result<(), WriteError> {
        self.history.pack()?;
        for problem in self.layers.finish() {
            self.warn(&problem)?;
        }
        self.record(&Entry::Finished)?;
        if !self.setup.folders.keeps_work {
            self.stage.clone().strike();
        }
        Ok(())
    }
}

/// What carrying out a turn needs at the same time.
pub struct Parts<'b> {
    pub setup: &'b Setup,
    pub bundle: &'b Path,
    pub stage: &'b Stage,
    pub history: &'b History,
    pub control: &'b Control,
    pub cast: &'b mut Cast,
    pub later: &'b mut Vec<LiveCommand>,
    pub typing: &'b mut Typing,
    pub tell: &'b mut dyn FnMut(&Event),
}

fn words_of(halt: &Halt) -> String {
    match halt {
        Halt::Stopped => "it was told to stop".into(),
        Halt::Budget(why) => why.clone(),
        Halt::Failed { turn, why } => format!("turn {turn} failed: {why}"),
        Halt::NotReady(why) => why.clone(),
        Halt::Write(why) => why.to_string(),
    }
}

/// A document of ours, whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(WriteError::at(path))?;
    bytes.push(b'\n');
    write::replace(path, &bytes)
}

/// An id nobody else has, in the form of a random UUID: made from the moment, the process and a count.
pub fn fresh_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanoseconds = jiff::Timestamp::now().as_nanosecond();
    let hex = sha256(format!("{nanoseconds} {} {count}", std::process::id()).as_bytes());
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

/// The store that the bundle was given; empty without one.
fn decisions(bundle: &Path, remarks: &mut Vec<String>) -> Store {
    match decisions::of_bundle(bundle) {
        None => Store::default(),
        Some(Ok(store)) => {
            remarks.extend(store.warnings.iter().map(|what| format!("decisions.json: {what}")));
            store
        }
        Some(Err(why)) => {
            remarks.push(why);
            Store::default()
        }
    }
}

const OUT_OF_REACH: &str = "the bundle was out of the agent's reach";

const WITHIN_REACH: &str = "the agent could read and change the bundle";

/// What the agent is kept from, and why from nothing.
fn confined(bundle: &Path, setup: &Setup) -> (Confinement, Option<String>) {
    if setup.folders.leaves_bundle_open {
        let confinement = Confinement::of(bundle, setup).open();
        return (confinement, Some("--open-bundle was said".into()));
    }
    let confinement = Confinement::of(bundle, setup);
    match confinement.problem() {
        None => (confinement, None),
        why if confinement.has_sandbox() => (confinement, why),
        why => (Confinement::default(), why),
    }
}

/// Changes as sentences; of many the first ones.
fn changed(changes: &[String]) -> Vec<String> {
    const MOST: usize = 20;
    let said = |change: &String| format!("{change}, and not by trajview");
    let mut all: Vec<String> = changes.iter().take(MOST).map(said).collect();
    let more = changes.len().saturating_sub(MOST);
    all.extend((more > 0).then(|| format!("{more} more files of the bundle were changed")));
    all
}

struct Opening<'a> {
    job: &'a Job,
    setup: &'a Setup,
    driver: &'a dyn Driver,
}

struct Opened {
    stage: Stage,
    history: History,
    journal: Journal,
    version: Option<String>,
    started_at: String,
    progress: Progress,
    remarks: Vec<String>,
}

impl Opening<'_> {
    fn stage(&self, id: &str) -> Result<Stage, CannotStart> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if absolute(&self.setup.folders.work).starts_with(absolute(&self.job.bundle)) {
            let why = "the agent's folder cannot lie in the bundle; name another with --work";
            return Err(CannotStart::Wrong(why.into()));
        }
        let mut stage = Stage::set(&self.setup.folders.work, id)?;
        stage.furnish(self.setup, self.driver).map_err(CannotStart::Wrong)?;
        stage.dress(self.setup, self.driver)?;
        Ok(stage)
    }

    /// As the agent says it, in the sandbox that it will have. The error is a sentence.
    fn version(&self, stage: &Stage) -> Result<Option<String>, String> {
        let sandbox = Confinement::sandbox_of(self.setup, stage.root());
        match sandbox.problem().filter(|_| sandbox.has_sandbox()) {
            Some(why) => Err(why),
            None => version::of(self.driver, self.setup, stage, &sandbox),
        }
    }

    fn anew(&self, rules: Rules) -> Result<Opened, CannotStart> {
        let bundle = &self.job.bundle;
        if !journal::is_unbegun(bundle) {
            write::is_free(bundle)?;
        }
        if let Some(from) = &self.setup.folders.start.from {
            Beginning::find(from).map_err(CannotStart::Wrong)?;
        }
        let id = fresh_id();
        let begun = self.begin(&id, rules);
        begun.inspect_err(|_| Stage::give_up(&self.setup.folders.work, &id))
    }

    /// The bundle, up to the line of its journal that says how the run began.
    fn begin(&self, id: &str, rules: Rules) -> Result<Opened, CannotStart> {
        let bundle = &self.job.bundle;
        let stage = self.stage(id)?;
        let version = self.version(&stage).map_err(CannotStart::Wrong)?;
        let mut journal = self.claim()?;
        std::fs::create_dir_all(bundle.join("session")).map_err(WriteError::at(bundle))?;
        if let Some(components) = &self.job.components {
            write::replace(&bundle.join("components.json"), components)?;
        }
        for (name, content) in &self.job.layers.store {
            write::replace(&bundle.join(name), content)?;
        }
        write_json(&bundle.join("script.json"), &self.job.script)?;
        let history = History::create(bundle, rules)?;
        let started_at = journal::now();
        let mut setup = Box::new(self.setup.clone());
        setup.folders.work = stage.root().to_owned();
        let (schema, id, version_said) =
            (journal::SCHEMA.to_owned(), id.to_owned(), version.clone());
        journal.write(&Entry::Began { schema, id, setup, version: version_said })?;
        let (progress, remarks) = (Progress::default(), vec![]);
        Ok(Opened { stage, history, journal, version, started_at, progress, remarks })
    }

    /// Makes the bundle ours before anything is written into it, and takes away what a run left that was killed before it
    /// began.
    fn claim(&self) -> Result<Journal, CannotStart> {
        let bundle = &self.job.bundle;
        std::fs::create_dir_all(bundle).map_err(WriteError::at(bundle))?;
        let journal = Journal::create(bundle)?;
        write::sweep_parts(bundle);
        let repository = bundle.join("workspace.git");
        if std::fs::symlink_metadata(&repository).is_ok() {
            std::fs::remove_dir_all(&repository).map_err(WriteError::at(&repository))?;
        }
        Ok(journal)
    }

    fn resume(&self, rules: Rules) -> Result<Opened, CannotStart> {
        let bundle = &self.job.bundle;
        let nothing = || {
            let shown = bundle.display();
            CannotStart::Wrong(format!("{shown} holds no live run to go on with"))
        };
        let (mut journal, before) = Journal::open(bundle)?.ok_or_else(nothing)?;
        if before.progress.is_finished {
            if !before.setup.folders.keeps_work {
                Stage::give_up(&before.setup.folders.work, &before.id); // killed before it did that itself
            }
            let count = before.progress.done.len();
            let why = format!("the run in {} is over: {count} turns are done", bundle.display());
            return Err(CannotStart::Wrong(why));
        }
        process::sweep(&before.id);
        write::sweep_parts(bundle);
        let mut remarks = vec![];
        if let Some(marks) = &before.progress.sealed {
            let turn = before.progress.done.len() + 1;
            let changes = Seal::of_marks(marks.clone()).differences(bundle, false);
            let said = |change| format!("before turn {turn}, while the run rested, {change}");
            remarks.extend(changed(&changes).into_iter().map(said));
        }
        let was_there = Stage::is_there(&self.setup.folders.work);
        let stage = self.stage(&before.id)?;
        let history = History::open(bundle, rules)?;
        history.unlock(); // the journal is ours, so nobody else writes
        let mut progress = before.progress;
        if let Some(commit) = progress.commit().filter(|commit| !history.has(commit)) {
            let why = format!("{}: workspace.git lacks commit {commit}", bundle.display());
            return Err(CannotStart::Unusable(why));
        }
        history.restore(&stage.workspace(), progress.commit())?;
        let loses_files = progress.base.as_ref().is_some_and(Base::has_more_than_its_commit);
        if !was_there && loses_files {
            let work = self.setup.folders.work.display();
            remarks.push(format!("the folder {work} was gone when the run was gone on with: what the run began with and is not recorded, or what its setup made of that, is gone too"));
        }
        if !was_there && let Some(last) = progress.done.last_mut() {
            last.session_id = None;
            let (turn, work) = (last.row.turn + 1, self.setup.folders.work.display());
            remarks.push(format!(
                "from turn {turn} on the agent is in a new session: its folder {work} was gone when the run was gone on with"
            ));
        }
        let kept = Kept::before(progress.done.len() + 1, &stage.requests());
        logs::cut_copies(progress.logs(), bundle, &kept)?;
        let version = self.version(&stage).map_err(CannotStart::Wrong)?;
        if version != before.version {
            let said = |it: &Option<String>| it.clone().unwrap_or_else(|| "unknown".into());
            let (old, new) = (said(&before.version), said(&version));
            let turn = progress.done.len() + 1;
            remarks.push(format!(
                "from turn {turn} on the agent's version is {new}; before it was {old}"
            ));
        }
        journal.write(&Entry::Resumed { version })?;
        progress.interruptions += 1;
        let (version, started_at) = (before.version, before.started_at);
        Ok(Opened { stage, history, journal, version, started_at, progress, remarks })
    }
}
