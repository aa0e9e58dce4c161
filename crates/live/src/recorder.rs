//! A run under way and everything that it has open: the bundle, the agent's folders, its process.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;

use trajview_metrics::decisions::DecisionStore;
use trajview_run::{
    condition::Condition,
    live::{LiveCommand, LiveEvent, LivePlan},
    run_file::{self, RunFile, RunFileAgent, RunFileCheckpoint, RunFileTask},
};
use trajview_store::{
    decisions, sha256,
    start_files::StartSource,
    workspace::{CommitNote, RecordedCommit, RecordingObserver, RecordingRules, WorkspaceHistory},
    write::{self, WriteError},
};

use super::{
    checkpoint_tests,
    checksum::{self, BundleChecksums},
    confine::Confinement,
    control::RunControl,
    drivers::{self, Driver, RewindMethod, TurnEndSign},
    input_line::InputLine,
    isolation::Network,
    journal::{self, Journal, JournalEntry, LiveProgress, StopReason},
    layers::{self, LayerMaker, LayerStack, LayerUpdates},
    logs::{self, KeptDocuments, LogWatch},
    loopback::{self, ServerRoute},
    manifest::{RecordedConduct, RecorderValues, RunSurroundings},
    orphans, plan,
    process::AgentProcess,
    queued_prompts::QueuedPrompt,
    run::{CannotStart, RunHalt, RunJob, StartMode},
    run_folders::RunFolders,
    script::RequestScript,
    setup::{RunSetup, to_duration},
    socket::SocketServer,
    start_files::StartFiles,
    terminal_recording::TerminalRecording,
    version,
};

pub struct Recorder<'a> {
    pub setup: RunSetup,
    pub script: RequestScript,
    pub bundle: PathBuf,
    pub run_folders: RunFolders,
    pub history: WorkspaceHistory,
    pub progress: LiveProgress,
    pub control: &'a RunControl,
    pub layers: LayerStack,
    /// Attempts at the turn that is next or under way.
    pub attempts: usize,
    pub agent: DrivenAgent,
    pub steering: Steering,
    pub guard: BundleGuard,
    pub emit: &'a mut dyn FnMut(&LiveEvent),
    journal: Journal,
    header: RunHeader,
}

/// The agent and its state from turn to turn.
pub struct DrivenAgent {
    pub driver: Driver,
    /// A process that lives from turn to turn.
    pub process: Option<AgentProcess>,
    /// The session to resume.
    pub session: Option<String>,
    /// The log watcher of an agent in a terminal.
    pub watch: Option<LogWatch>,
    /// Output of the terminal since the last turn, when the agent went on by itself.
    pub earlier_output: Vec<u8>,
    pub terminal_recording: TerminalRecording,
}

/// A person's control of the run.
#[derive(Default)]
pub struct Steering {
    pub has_person: bool,
    pub is_paused: bool,
    pub is_step_by_step: bool,
    /// Commands that came during a turn and concern the next one.
    pub later_commands: Vec<LiveCommand>,
    /// Input that a person has typed and not sent.
    pub input_line: InputLine,
    /// True if the request of the next turn was typed by a person already, so that it is not sent again.
    pub is_sent: bool,
    /// Prompts that a person sent while a turn was under way: the next turns.
    pub queued: VecDeque<QueuedPrompt>,
    /// The number of times that the next turn was refused before; see [`RunJob::earlier_refusals`].
    pub earlier_refusals: Option<usize>,
}

/// Protects the bundle, or shows changes that trajview did not make.
pub struct BundleGuard {
    pub confinement: Confinement,
    /// The reason why the agent can reach the bundle; a sentence. None when it cannot.
    within_reach: Option<String>,
    /// Checksums of the bundle's files after our last write.
    seal: BundleChecksums,
    components: Option<Vec<u8>>,
    /// The relay to the model of an agent without a network; closed when this is dropped.
    _relay: Option<SocketServer>,
}

/// The fields of `run.json` about the run as a whole.
struct RunHeader {
    version: Option<String>,
    started_at: String,
    ended_at: Option<String>,
    state: String,
    /// Files below `session/` that no format reads.
    kept: Vec<String>,
    /// Patterns of files that are never recorded.
    not_recorded: Vec<String>,
}

/// Files that tools create anew and differently in every run: never recorded.
pub(crate) const NEVER_RECORDED: [&str; 4] =
    ["**/__pycache__", "**/.pytest_cache", "**/.mypy_cache", "**/.DS_Store"];

impl<'a> Recorder<'a> {
    pub fn open(
        job: &RunJob,
        start: StartMode,
        control: &'a RunControl,
        emit: &'a mut dyn FnMut(&LiveEvent),
    ) -> Result<Self, CannotStart> {
        let setup = job.setup.clone();
        let driver = drivers::driver_for_setup(&setup).map_err(CannotStart::Wrong)?;
        if let Some(problem) = setup.folders.isolation.contradiction() {
            return Err(CannotStart::Wrong(problem));
        }
        if job.script.chat && matches!(driver.turn_end_sign, TurnEndSign::Exit) {
            let why = "has no own screen for a chat; give it a script or a prompt";
            return Err(CannotStart::Wrong(format!("agent {} {why}", setup.agent)));
        }
        if setup.folders.isolation.network == Network::Loopback {
            ServerRoute::to_model_server(&setup, &setup.folders.work)
                .map_err(CannotStart::Wrong)?;
        }
        if let Some(problem) = (driver.setup_problem)(&setup) {
            return Err(CannotStart::Wrong(format!("agent {}: {problem}", setup.agent)));
        }
        let mut not_recorded: Vec<String> = NEVER_RECORDED.map(str::to_owned).to_vec();
        not_recorded.extend(driver.own_files.iter().cloned());
        let patterns: Vec<&str> = not_recorded.iter().map(String::as_str).collect();
        let rules = RecordingRules::new(
            &patterns,
            setup.recording.records_ignored,
            setup.recording.most_bytes,
        )
        .map_err(CannotStart::Wrong)?;
        let planned = layers::planned_layers(&setup, &driver).map_err(CannotStart::Wrong)?;
        let helper =
            layers::helper_model(&setup, &job.layers, &control.stop).map_err(CannotStart::Wrong)?;
        let opening = BundleOpener { job, setup: &setup, driver: &driver };
        let opened = match start {
            StartMode::Anew => opening.start_new(rules)?,
            StartMode::Resume => opening.resume_run(rules)?,
        };
        let OpenedBundle {
            run_folders,
            history,
            journal,
            version,
            started_at,
            progress,
            mut remarks,
        } = opened;
        remarks.extend(planned.into_iter().flat_map(layers::PlannedLayer::remark_sentences));
        let (confinement, within_reach) = confinement_of_run(&job.bundle, &setup);
        let confinement = confinement.with_mark(&run_folders.id);
        let relay =
            confinement.server_route().map(loopback::start_relay).transpose().map_err(|why| {
                CannotStart::Wrong(format!(
                    "no way leads out of the sandbox to the model server: {why}"
                ))
            })?;
        let terminal_recording =
            TerminalRecording::new(&job.bundle, setup.size, run_folders.secrets.clone());
        let session = progress.done.last().and_then(|done| done.session_id.clone());
        let decisions = read_decisions(&job.bundle, &mut remarks);
        let mut layers = LayerStack::new(
            setup.layers.all_specs(),
            LayerMaker::new(&setup, run_folders.workspace(), decisions),
            helper,
            run_folders.secrets.clone(),
            &job.bundle,
            progress.done.len(),
        )
        .map_err(CannotStart::Wrong)?;
        if let Some(deliveries) = &run_folders.layer_access
            && let Err(why) = layers.serve_socket(&deliveries.socket)
        {
            remarks.push(format!("no layer reaches the agent beside its requests: {why}"));
        }
        let agent = DrivenAgent {
            driver,
            process: None,
            session,
            watch: None,
            earlier_output: vec![],
            terminal_recording,
        };
        let steering = Steering {
            has_person: job.has_person,
            is_step_by_step: job.step_by_step,
            earlier_refusals: job.earlier_refusals,
            ..Steering::default()
        };
        let components = std::fs::read(job.bundle.join("components.json")).ok();
        let header = RunHeader {
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
            run_folders,
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
                seal: BundleChecksums::default(),
                components,
            },
            journal,
            emit,
            header,
            setup,
        };
        recorder.begin_recording(remarks)?;
        Ok(recorder)
    }

    fn begin_recording(&mut self, remarks: Vec<String>) -> Result<(), WriteError> {
        self.header.kept = logs::unreadable_logs(self.progress.last_logs(), &self.bundle);
        self.write_script()?;
        for remark in remarks {
            self.record_warning(&remark)?;
        }
        if let Some(why) = self.guard.within_reach.clone() {
            self.record_warning(&format!("{WITHIN_REACH}: {why}"))?;
        }
        self.write_manifest()?;
        let requests = self.run_folders.requests_folder();
        let taken = self.layers.tell_finished_turns(&self.progress.done, Some(&requests));
        self.record_layer_updates(taken)?;
        let done = self.progress.done.len();
        let version = self.header.version.as_deref();
        let plan = LivePlan {
            workspace: self.run_folders.workspace().display().to_string(),
            ..plan::live_plan(&self.setup, &self.script, &self.bundle, version, done)
        };
        self.emit_event(&LiveEvent::Opened(Box::new(plan)));
        Ok(())
    }

    pub(crate) fn emit_event(&mut self, event: &LiveEvent) {
        (self.emit)(event);
    }

    /// Records the files of the workspace as the commit after `before`, with secrets covered.
    pub(crate) fn commit_workspace(
        &mut self,
        before: Option<&str>,
        note: &CommitNote<'_>,
    ) -> Result<RecordedCommit, WriteError> {
        let Self { run_folders, history, emit, .. } = self;
        let observer = RecordingObserver {
            cover: &|bytes| run_folders.secrets.cover(bytes),
            count: &mut |files| emit(&LiveEvent::ReadingFiles { files }),
        };
        history.record_commit(&run_folders.workspace(), before, note, observer)
    }

    /// Records a warning: in the journal, in `run.json` and as an event.
    pub(crate) fn record_warning(&mut self, sentence: &str) -> Result<(), WriteError> {
        let sentence = self.run_folders.secrets.hide(sentence);
        if self.progress.remarks.contains(&sentence) {
            return Ok(());
        }
        self.record_entry(&JournalEntry::Warned { sentence: sentence.clone() })?;
        self.emit_event(&LiveEvent::Warned(sentence));
        Ok(())
    }

    /// Appends an entry to the journal and applies it to the progress.
    pub fn record_entry(&mut self, entry: &JournalEntry) -> Result<(), WriteError> {
        self.journal.append_entry(entry)?;
        self.progress.apply_entry(entry);
        Ok(())
    }

    pub(crate) fn write_script(&self) -> Result<(), WriteError> {
        write_json(&self.bundle.join("script.json"), &self.script)
    }

    /// Takes checksums of the bundle's files, before an agent works or at the end.
    pub(crate) fn seal_bundle(&mut self) -> Result<(), WriteError> {
        let now = BundleChecksums::of_bundle(&self.bundle, &self.guard.seal);
        let is_new = |(name, mark): &(&String, &checksum::FileMark)| {
            self.guard.seal.marks().get(*name) != Some(*mark)
        };
        let files = now.marks().iter().filter(is_new);
        let files = files.map(|(name, mark)| (name.clone(), mark.clone())).collect();
        let is_gone = |name: &&String| !now.marks().contains_key(*name);
        let gone = self.guard.seal.marks().keys().filter(is_gone).cloned().collect();
        self.guard.seal = now;
        self.record_entry(&JournalEntry::Sealed { files, gone })
    }

    /// Warns of files of the bundle that changed since the checksums were taken, and writes again those that are still
    /// known.
    pub(crate) fn check_seal(&mut self, turn: usize) -> Result<(), WriteError> {
        let changes = self.guard.seal.differences(&self.bundle, self.guard.within_reach.is_some());
        self.record_entry(&JournalEntry::Compared { turn })?;
        if changes.is_empty() {
            return Ok(());
        }
        for sentence in change_sentences(&changes) {
            self.record_warning(&format!("turn {turn}: while the agent worked, {sentence}"))?;
        }
        if let Some(components) = &self.guard.components {
            write::replace_file(&self.bundle.join("components.json"), components)?;
        }
        self.write_script()
    }

    /// Records the updates of the layers.
    pub(crate) fn record_layer_updates(&mut self, updates: LayerUpdates) -> Result<(), WriteError> {
        let is_new = !updates.rows.is_empty();
        for (turn, rows) in updates.rows {
            self.record_entry(&JournalEntry::LayersTookIn { turn, rows })?;
        }
        for problem in updates.problems {
            self.record_warning(&problem)?;
        }
        if is_new { self.write_manifest() } else { Ok(()) }
    }

    pub(crate) fn note_unread_logs(&mut self, rows: &[logs::LogRow]) {
        self.header.kept = logs::unreadable_logs(rows, &self.bundle);
    }

    /// Writes `run.json` with the turns so far.
    pub fn write_manifest(&self) -> Result<(), WriteError> {
        let mut turns = self.progress.turn_rows();
        turns.extend(self.progress.open.clone());
        let id = self.bundle.file_name().map(|it| it.to_string_lossy().into_owned());
        let task = self.script.task.clone();
        let agent = Some(self.setup.agent.clone());
        let manifest = RunFile {
            schema: run_file::SCHEMA.into(),
            id: Some(id.unwrap_or_else(|| "live".into())),
            title: Some(self.run_title()),
            task: task.map(|id| RunFileTask {
                id: Some(id),
                title: self.script.title.clone(),
                venue: None,
            }),
            condition: Some(self.setup.condition_with_layers()),
            platform: agent.clone(),
            agent: Some(RunFileAgent { name: agent, version: self.header.version.clone() }),
            model: self.setup.provider.model.clone(),
            provenance: Some(self.provenance_text()),
            started_at: Some(self.header.started_at.clone()),
            ended_at: self.header.ended_at.clone(),
            state: Some(Value::from(self.header.state.as_str())),
            start: self.progress.base.as_ref(),
            trial: None,
            languages: Value::Array(vec![]),
            checkpoints: self.finished_checkpoints(),
            turns,
            rest: RecorderValues {
                kept: &self.header.kept,
                surroundings: self.run_surroundings(),
                remarks: &self.progress.remarks,
            },
        };
        write_json(&self.bundle.join("run.json"), &manifest)
    }

    fn run_title(&self) -> String {
        let what = self.script.title.as_deref().or(self.script.task.as_deref());
        let agent = &self.setup.agent;
        let how = match self.setup.condition {
            Condition::Emergent if self.script.chat => "a chat".to_owned(),
            Condition::Emergent => format!("{} requests", self.script.requests.len()),
            Condition::SingleShot => "one request".to_owned(),
        };
        what.map_or_else(|| format!("{agent}, {how}"), |what| format!("{what}, {agent}, {how}"))
    }

    /// Returns the checkpoints whose last turn counts.
    fn finished_checkpoints(&self) -> Vec<RunFileCheckpoint> {
        let done = self.script.requests.iter().take(self.progress.done.len());
        let mut found: Vec<RunFileCheckpoint> = vec![];
        for request in done {
            let Some(id) = request.checkpoint.as_deref() else { continue };
            found.retain(|checkpoint| checkpoint.id.as_deref() != Some(id));
            found.push(RunFileCheckpoint {
                id: Some(id.to_owned()),
                turn: request.turn,
                label: self.script.checkpoint_label(id).map(str::to_owned),
            });
        }
        found
    }

    fn run_surroundings(&self) -> RunSurroundings<'_> {
        RunSurroundings {
            recorder: concat!("trajview ", env!("CARGO_PKG_VERSION")),
            os: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            variables: self.run_folders.environment.keys().map(String::as_str).collect(),
            permissions: self.setup.permissions.word(),
            arguments: &self.setup.args,
            records_ignored: self.setup.recording.records_ignored,
            not_recorded: &self.header.not_recorded,
            most_bytes: self.setup.recording.most_bytes,
            tests: self.setup.tests.as_deref(),
            conduct: RecordedConduct {
                limits: &self.setup.limits,
                bundle_in_reach: self.guard.within_reach.is_some(),
                in_terminal: self.setup.in_terminal,
                isolation: &self.setup.folders.isolation,
                prompts_sha256: self.script.requests_sha256(),
                interruptions: self.progress.interruptions,
            },
        }
    }

    fn provenance_text(&self) -> String {
        let agent = match &self.header.version {
            Some(version) => format!("{} {version}", self.setup.agent),
            None => self.setup.agent.clone(),
        };
        let mut parts = vec![format!(
            "recorded by trajview {} while it drove {agent}, one commit of the workspace after each turn",
            env!("CARGO_PKG_VERSION")
        )];
        parts.extend(self.progress.base.as_ref().and_then(StartFiles::origin_text));
        parts.extend(self.setup.server_url().map(|url| format!("model server at {url}")));
        let open = self.progress.remarks.iter().find(|it| it.starts_with(WITHIN_REACH));
        let isolation = &self.setup.folders.isolation;
        let protection = if self.guard.confinement.has_sandbox() {
            "its sandbox"
        } else {
            "user and mount namespaces"
        };
        parts.push(open.map_or_else(|| format!("{OUT_OF_REACH} ({protection})"), Clone::clone));
        parts.extend(isolation.provenance_sentence());
        let own = "the agent's own sandbox was off inside it";
        parts.extend((self.agent.driver.leaves_sandbox)(&self.setup).then(|| own.to_owned()));
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
        parts.extend(count(within, "turns include input that a person typed during the turn"));
        let edited = self.script.requests.iter().filter(|it| it.original.is_some()).count();
        parts.extend(count(self.script.skipped.len(), "requests were skipped"));
        parts.extend(count(edited, "requests were edited"));
        parts.join("; ")
    }

    /// Prepares to do a turn again: files and logs are as before it. When this is interrupted, it is repeated when the run
    /// is resumed.
    pub(crate) fn prepare_retry(&mut self, turn: usize, why: &str) -> Result<(), RunHalt> {
        self.end_process();
        let checkpoint = self.script.request_of_turn(turn).and_then(|it| it.checkpoint.clone());
        if let Some(checkpoint) = checkpoint {
            checkpoint_tests::forget_checkpoint(&self.bundle, &checkpoint)?;
        }
        let attempt = match &self.progress.open {
            Some(open) if open.turn == turn => open.attempt,
            _ => self.progress.done.get(turn - 1).map_or(0, |done| done.row.attempt),
        };
        let why = self.run_folders.secrets.hide(why);
        self.record_entry(&JournalEntry::Again { turn, attempt, why: why.clone() })?;
        self.write_manifest()?;
        self.agent.session = self.progress.done.last().and_then(|done| done.session_id.clone());
        self.history.restore_files(&self.run_folders.workspace(), self.progress.last_commit())?;
        self.rewind_agent(turn)?;
        self.progress.open = None;
        let taken = self.layers.rewind_to(&self.progress.done);
        self.record_layer_updates(taken)?;
        self.attempts = attempt;
        self.emit_event(&LiveEvent::TurnRepeated { turn, why });
        Ok(())
    }

    fn rewind_agent(&mut self, turn: usize) -> Result<(), RunHalt> {
        let places = (self.agent.driver.log_files)(&self.setup, &self.run_folders);
        let kept = KeptDocuments::before_turn(turn, &self.run_folders.requests_folder());
        let method = self.agent.driver.rewind_method;
        if method != RewindMethod::GoOn {
            // Also after a restart: what they say of the turn that does not count would be a turn of its own.
            logs::restore_logs(&places, self.progress.last_logs(), &self.bundle, &kept)?;
        }
        match method {
            RewindMethod::Restart => self.agent.session = None,
            RewindMethod::Import => self.import_log(turn)?,
            RewindMethod::GoOn if self.agent.session.is_some() => self.record_warning(&format!(
                "turn {turn} is repeated in the same session: the agent remembers the discarded turn"
            ))?,
            RewindMethod::Logs | RewindMethod::GoOn => {}
        }
        Ok(())
    }

    /// Makes the agent begin a new session with the next request.
    pub(crate) fn forget_session(&mut self) {
        self.end_process();
        self.agent.session = None;
    }

    /// Ends the agent and all processes that it started, and forgets the prompts that were sent to it.
    pub(crate) fn end_process(&mut self) {
        if let Some(mut process) = self.agent.process.take() {
            let patience = to_duration(self.setup.limits.timeouts.patience);
            process.end_group(patience, &mut |_| {});
        }
        orphans::kill_orphans(&self.run_folders.id);
        self.steering.queued.retain(|it| !it.is_sent); // what works on them is gone
        self.agent.watch = None;
        self.agent.earlier_output.clear();
    }

    /// Changes the size of the terminal (columns, rows), of the agent's and of its recording.
    pub fn resize_terminal(&mut self, size: (u16, u16)) {
        self.setup.size = size;
        self.agent.terminal_recording.resize(size);
        if let Some(process) = &mut self.agent.process {
            process.resize(size);
        }
    }

    pub(crate) fn type_keys(&mut self, bytes: &[u8]) {
        if let Some(process) = &mut self.agent.process {
            process.type_bytes(bytes);
        }
    }

    /// Ends all processes and writes into the bundle how the run ended, as far as that can be written.
    pub(crate) fn close_run(&mut self, halted: Option<&RunHalt>) -> Result<(), WriteError> {
        self.end_process();
        self.run_folders.remove_logins(&self.agent.driver);
        let patched = self.write_patch();
        self.header.ended_at = Some(journal::timestamp_now());
        let unpatched = patched.as_ref().err().map(ToString::to_string);
        let Some(why) = halted.map(halt_text).or(unpatched) else {
            // In this order: a run whose journal says that it is over is not resumed.
            self.header.state = "finished".into();
            self.write_manifest()?;
            return self.finish_bundle();
        };
        let why = self.run_folders.secrets.hide(&why);
        self.header.state = format!("stopped: {why}");
        let reason = halted.map_or(StopReason::Unwritten, StopReason::from);
        self.record_entry(&JournalEntry::Stopped { why, reason: Some(reason) })?;
        self.write_manifest()?;
        self.seal_bundle()?;
        patched
    }

    fn finish_bundle(&mut self) -> Result<(), WriteError> {
        self.history.pack_all()?;
        for problem in self.layers.pack_records() {
            self.record_warning(&problem)?;
        }
        self.record_entry(&JournalEntry::Finished)?;
        if !self.setup.folders.keeps_work {
            self.run_folders.clone().remove_all();
        }
        Ok(())
    }
}

fn halt_text(halt: &RunHalt) -> String {
    match halt {
        RunHalt::Stopped => journal::REQUESTED_STOP.into(),
        RunHalt::Budget(why) => why.clone(),
        RunHalt::Failed { turn, why } => format!("turn {turn} failed: {why}"),
        RunHalt::NotReady(why) => why.clone(),
        RunHalt::Write(why) => why.to_string(),
    }
}

/// Writes a JSON document, whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(WriteError::at_path(path))?;
    bytes.push(b'\n');
    write::replace_file(path, &bytes)
}

/// Returns a unique id in the form of a random UUID, made from the time, the process and a count.
pub(crate) fn fresh_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanoseconds = jiff::Timestamp::now().as_nanosecond();
    let hex = sha256(format!("{nanoseconds} {} {count}", std::process::id()).as_bytes());
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

/// Reads the bundle's store of decisions; empty when it has none.
fn read_decisions(bundle: &Path, remarks: &mut Vec<String>) -> DecisionStore {
    match decisions::bundle_store(bundle) {
        None => DecisionStore::default(),
        Some(Ok(store)) => {
            remarks.extend(store.warnings.iter().map(|what| format!("decisions.json: {what}")));
            store
        }
        Some(Err(why)) => {
            remarks.push(why);
            DecisionStore::default()
        }
    }
}

const OUT_OF_REACH: &str = "the bundle was out of the agent's reach";

const WITHIN_REACH: &str = "the agent could read and change the bundle";

/// Returns what is hidden from the agent, and why nothing is hidden if so.
fn confinement_of_run(bundle: &Path, setup: &RunSetup) -> (Confinement, Option<String>) {
    if setup.folders.leaves_bundle_open {
        let confinement = Confinement::for_run(bundle, setup).without_hiding();
        return (confinement, Some("--no-hide was given".into()));
    }
    let confinement = Confinement::for_run(bundle, setup);
    match confinement.hiding_problem() {
        None => (confinement, None),
        why if confinement.has_sandbox() => (confinement, why),
        why => (Confinement::default(), why),
    }
}

/// Returns changes as sentences; of many the first ones.
fn change_sentences(changes: &[String]) -> Vec<String> {
    const MOST: usize = 20;
    let sentence = |change: &String| format!("{change}, and not by trajview");
    let mut all: Vec<String> = changes.iter().take(MOST).map(sentence).collect();
    let more = changes.len().saturating_sub(MOST);
    all.extend((more > 0).then(|| format!("{more} more files of the bundle were changed")));
    all
}

struct BundleOpener<'a> {
    job: &'a RunJob,
    setup: &'a RunSetup,
    driver: &'a Driver,
}

struct OpenedBundle {
    run_folders: RunFolders,
    history: WorkspaceHistory,
    journal: Journal,
    version: Option<String>,
    started_at: String,
    progress: LiveProgress,
    remarks: Vec<String>,
}

impl BundleOpener<'_> {
    fn make_run_folders(&self, id: &str) -> Result<RunFolders, CannotStart> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if absolute(&self.setup.folders.work).starts_with(absolute(&self.job.bundle)) {
            let why = "the agent's folder cannot lie in the bundle; name another with --work-dir";
            return Err(CannotStart::Wrong(why.into()));
        }
        let mut run_folders = RunFolders::create(&self.setup.folders.work, id)?;
        run_folders.set_environment(self.setup, self.driver).map_err(CannotStart::Wrong)?;
        run_folders.write_settings(self.setup, self.driver)?;
        Ok(run_folders)
    }

    /// Asks the agent for its version, in the sandbox that it will have. The error is a sentence.
    fn agent_version(&self, run_folders: &RunFolders) -> Result<Option<String>, String> {
        let sandbox = Confinement::sandbox_only(self.setup, run_folders.root());
        match sandbox.hiding_problem().filter(|_| sandbox.has_sandbox()) {
            Some(why) => Err(why),
            None => version::agent_version(self.driver, self.setup, run_folders, &sandbox),
        }
    }

    fn start_new(&self, rules: RecordingRules) -> Result<OpenedBundle, CannotStart> {
        let bundle = &self.job.bundle;
        if !journal::is_unbegun(bundle) {
            write::require_free(bundle)?;
        }
        if let Some(from) = &self.setup.folders.start.from {
            StartSource::find(from).map_err(CannotStart::Wrong)?;
        }
        let id = fresh_id();
        let begun = self.create_bundle(&id, rules);
        begun.inspect_err(|_| RunFolders::remove_if_owned(&self.setup.folders.work, &id))
    }

    /// Creates the bundle, up to the line of its journal that says how the run began.
    fn create_bundle(&self, id: &str, rules: RecordingRules) -> Result<OpenedBundle, CannotStart> {
        let bundle = &self.job.bundle;
        let run_folders = self.make_run_folders(id)?;
        let version = self.agent_version(&run_folders).map_err(CannotStart::Wrong)?;
        let mut journal = self.claim_bundle()?;
        std::fs::create_dir_all(bundle.join("session")).map_err(WriteError::at_path(bundle))?;
        if let Some(components) = &self.job.components {
            write::replace_file(&bundle.join("components.json"), components)?;
        }
        for (name, content) in &self.job.layers.store {
            write::replace_file(&bundle.join(name), content)?;
        }
        write_json(&bundle.join("script.json"), &self.job.script)?;
        let history = WorkspaceHistory::create(bundle, rules)?;
        let started_at = journal::timestamp_now();
        let mut setup = Box::new(self.setup.clone());
        setup.folders.work = run_folders.root().to_owned();
        let (schema, id, version_said) =
            (journal::SCHEMA.to_owned(), id.to_owned(), version.clone());
        journal.append_entry(&JournalEntry::Began { schema, id, setup, version: version_said })?;
        let (progress, remarks) = (LiveProgress::default(), vec![]);
        Ok(OpenedBundle { run_folders, history, journal, version, started_at, progress, remarks })
    }

    /// Locks the bundle before anything is written into it, and removes the files of a run that was killed before it began.
    fn claim_bundle(&self) -> Result<Journal, CannotStart> {
        let bundle = &self.job.bundle;
        std::fs::create_dir_all(bundle).map_err(WriteError::at_path(bundle))?;
        let journal = Journal::create(bundle)?;
        write::sweep_parts(bundle);
        let repository = bundle.join("workspace.git");
        if std::fs::symlink_metadata(&repository).is_ok() {
            std::fs::remove_dir_all(&repository).map_err(WriteError::at_path(&repository))?;
        }
        Ok(journal)
    }

    fn resume_run(&self, rules: RecordingRules) -> Result<OpenedBundle, CannotStart> {
        let bundle = &self.job.bundle;
        let nothing = || {
            let shown = bundle.display();
            CannotStart::Wrong(format!("{shown} has no live run to resume"))
        };
        let (mut journal, before) = Journal::open(bundle)?.ok_or_else(nothing)?;
        if before.progress.is_finished {
            if !before.setup.folders.keeps_work {
                RunFolders::remove_if_owned(&before.setup.folders.work, &before.id); // killed before it did that itself
            }
            let count = before.progress.done.len();
            let why = format!("the run in {} is over: {count} turns are done", bundle.display());
            return Err(CannotStart::Wrong(why));
        }
        orphans::kill_orphans(&before.id);
        write::sweep_parts(bundle);
        let mut remarks = vec![];
        if let Some(marks) = &before.progress.sealed {
            let turn = before.progress.done.len() + 1;
            let changes = BundleChecksums::from_marks(marks.clone()).differences(bundle, false);
            let sentence = |change| format!("before turn {turn}, while the run rested, {change}");
            remarks.extend(change_sentences(&changes).into_iter().map(sentence));
        }
        let was_there = RunFolders::exists_at(&self.setup.folders.work);
        let run_folders = self.make_run_folders(&before.id)?;
        let history = WorkspaceHistory::open(bundle, rules)?;
        history.remove_locks(); // the journal is locked by us, so no other process writes
        let mut progress = before.progress;
        if let Some(commit) = progress.last_commit().filter(|commit| !history.has_commit(commit)) {
            let why = format!("{}: workspace.git lacks commit {commit}", bundle.display());
            return Err(CannotStart::Unusable(why));
        }
        history.restore_files(&run_folders.workspace(), progress.last_commit())?;
        let loses_files = progress.base.as_ref().is_some_and(StartFiles::has_unrecorded_files);
        if !was_there && loses_files {
            let work = self.setup.folders.work.display();
            remarks.push(format!("the folder {work} did not exist when the run was resumed: starting files that are not recorded, and their changes by setup commands, are lost"));
        }
        if !was_there && let Some(last) = progress.done.last_mut() {
            last.session_id = None;
            let (turn, work) = (last.row.turn + 1, self.setup.folders.work.display());
            remarks.push(format!(
                "from turn {turn} on the agent is in a new session: its folder {work} was gone when the run was gone on with"
            ));
        }
        let kept =
            KeptDocuments::before_turn(progress.done.len() + 1, &run_folders.requests_folder());
        logs::restore_copies(progress.last_logs(), bundle, &kept)?;
        let version = self.agent_version(&run_folders).map_err(CannotStart::Wrong)?;
        if version != before.version {
            let sentence = |it: &Option<String>| it.clone().unwrap_or_else(|| "unknown".into());
            let (old, new) = (sentence(&before.version), sentence(&version));
            let turn = progress.done.len() + 1;
            remarks.push(format!(
                "from turn {turn} on the agent's version is {new}; before it was {old}"
            ));
        }
        journal.append_entry(&JournalEntry::Resumed { version })?;
        progress.interruptions += 1;
        let (version, started_at) = (before.version, before.started_at);
        Ok(OpenedBundle { run_folders, history, journal, version, started_at, progress, remarks })
    }
}
