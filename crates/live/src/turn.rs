//! One attempt at one turn: prepares and sends the request, listens to the agent, and records the result.

use std::{
    fs,
    net::{TcpStream, ToSocketAddrs},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use regex::bytes::Regex;

use trajview_judge::stop_flag::StopFlag;
use trajview_run::{
    Tokens, TurnState, first_line_label,
    live::{EndedTurn, LiveEvent},
};
use trajview_store::{sha256, workspace::CommitNote, write::WriteError};

use super::{
    checkpoint_tests::{self, CommandLimits},
    command_line::shell_words,
    drivers::{
        AgentCommand, AgentRequest, LogPatterns, RequestInput, SessionNaming, TitlePatterns,
        TurnEndSign,
        agent_output::{AgentOutput, ReportedAmount},
    },
    journal::{self, FinishedTurn, JournalEntry},
    layers::PreparedRequest,
    listener::{ListenOutcome, Listener, PersonInput, TerminalWatch},
    logs::{self, BegunTurn, KeptDocuments, LogMatcher, LogRow, LogWatch, TurnLogState},
    manifest::{
        AgentReport, FileRemarks, LayerRow, LayerRows, LiveTurnRow, LogPlace, TypedByPerson,
    },
    orphans,
    pasted_request::PastedRequest,
    process::{AgentProcess, ProcessEnding, ProcessSpec},
    queued_prompts::{PromptsDuringTurn, QueuedPrompt},
    recorder::{Recorder, fresh_id},
    run::RunHalt,
    run_folders::host_and_port,
    setup::RunSetup,
};

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum AttemptVerdict {
    /// The turn counts.
    Done,
    /// The turn failed; a sentence.
    Failed(String),
    /// A person wants the turn done again.
    Repeat,
    Stopped,
}

/// The largest number of changed paths that are listed of a turn.
const MAX_CHANGED_PATHS: usize = 200;

/// A request that was prepared and is being sent.
struct SentRequest {
    turn: usize,
    attempt: usize,
    dressed: PreparedRequest,
    prompt_file: PathBuf,
    /// The session in which it is sent; None begins one.
    session: Option<String>,
    fresh: String,
    before: Option<String>,
    row: LiveTurnRow,
}

/// The signs that a turn is over, apart from the end of the process.
#[derive(Default)]
pub struct TurnEndWatch {
    pub marker: Option<Regex>,
    pub watch: Option<LogWatch>,
    pub titles: Option<TitlePatterns>,
}

/// Stands for a prompt that is neither in the agent's log nor among the typed keys.
pub(crate) const UNKNOWN_PROMPT: &str = "(a prompt typed by a person; not in the agent's log)";

/// The result of listening to the agent.
struct AttemptResult {
    outcome: ListenOutcome,
    parsed: AgentOutput,
    ending: Option<ProcessEnding>,
    seconds: f64,
    /// Processes that it had started and not ended.
    left_running: usize,
    /// Prompts that a person sent during the turn and the agent took into it.
    typed_within: Vec<String>,
    /// The turn that the agent began by itself, with a prompt that a person had sent meanwhile.
    next: Option<BegunTurn>,
}

impl AttemptResult {
    /// Returns the result for an agent that could not be asked; a sentence says why.
    fn not_asked(why: String) -> Self {
        Self {
            outcome: ListenOutcome::Exited(ProcessEnding { code: None, signal: None }),
            parsed: AgentOutput { failed: Some(why), ..AgentOutput::default() },
            ending: None,
            seconds: 0.0,
            left_running: 0,
            typed_within: vec![],
            next: None,
        }
    }
}

impl Recorder<'_> {
    /// Makes one attempt. `keeps`: whether the turn counts even if it fails.
    pub(crate) fn attempt_turn(
        &mut self,
        turn: usize,
        keeps: bool,
    ) -> Result<AttemptVerdict, RunHalt> {
        let sent = self.prepare_request(turn)?;
        let answer = match self.send_and_listen(&sent)? {
            Ok(answer) => answer,
            Err(why) => AttemptResult::not_asked(why),
        };
        let verdict = self.judge_attempt(&sent, &answer);
        self.record_attempt(sent, answer, &verdict, keeps)?;
        match verdict {
            AttemptVerdict::Failed(_) if keeps => Ok(AttemptVerdict::Done),
            verdict => Ok(verdict),
        }
    }

    /// Prepares the request with the layers' text, and writes into the bundle that the turn is under way.
    fn prepare_request(&mut self, turn: usize) -> Result<SentRequest, RunHalt> {
        let request = self.script.request_of_turn(turn).cloned();
        let (text, typed) = request.map(|it| (it.text, it.typed)).unwrap_or_default();
        let earlier: Vec<String> =
            self.script.requests.iter().take(turn - 1).map(|it| it.text.clone()).collect();
        let dressed = match typed {
            true => PreparedRequest { text: text.clone(), ..PreparedRequest::default() },
            false => self.layers.ask_before_request(turn, &text, &earlier),
        };
        self.layers.begin_turn(turn, &self.run_folders.requests_folder());
        for problem in &dressed.problems {
            self.record_warning(problem)?;
        }
        if dressed.restarts {
            self.forget_session();
        }
        self.attempts += 1;
        let (attempt, before) = (self.attempts, self.progress.last_commit().map(str::to_owned));
        let prompt_file = self.run_folders.prompt_file(turn);
        fs::write(&prompt_file, &dressed.text).map_err(WriteError::at_path(&prompt_file))?;
        let kept = KeptDocuments::before_turn(turn, &self.run_folders.requests_folder());
        logs::keep_documents(self.progress.last_logs(), &self.bundle, &kept)?;
        let request_sha256 = sha256(dressed.text.as_bytes());
        self.record_entry(&JournalEntry::TurnBegan {
            turn,
            attempt,
            request_sha256,
            before: before.clone(),
        })?;
        let without_memory = self.lacks_session(turn) && !dressed.restarts;
        let first = self.open_row(&dressed);
        let row = LiveTurnRow {
            typed: TypedByPerson { request: typed, ..first.typed },
            without_memory,
            ..first
        };
        self.progress.open = Some(row.clone());
        self.write_manifest()?;
        self.agent.terminal_recording.add_marker(&format!("turn {turn}"));
        let (session, fresh) = (self.agent.session.clone(), fresh_id());
        let sent = SentRequest { turn, attempt, dressed, prompt_file, session, fresh, before, row };
        self.emit_event(&LiveEvent::TurnBegan {
            turn,
            request: sent.dressed.text.clone(),
            attempt,
            layers: sent.dressed.rows.iter().map(LayerRow::effect).collect(),
        });
        if without_memory {
            self.record_warning(&format!(
                "turn {turn}: the agent was restarted without memory of the previous turns"
            ))?;
        }
        self.seal_bundle()?;
        Ok(sent)
    }

    /// Returns whether the agent comes to a turn without the memory that it should have.
    fn lacks_session(&mut self, turn: usize) -> bool {
        let runs = self.agent.process.as_mut().is_some_and(|it| it.poll_ending().is_none());
        turn > 1
            && match self.agent.driver.session_naming {
                SessionNaming::None | SessionNaming::History => false,
                SessionNaming::Process => !runs,
                SessionNaming::Chosen | SessionNaming::Printed => self.agent.session.is_none(),
            }
    }

    /// Returns the row of a turn under way. Its place is in the log of the session that goes on, or in one that does not
    /// exist yet.
    fn open_row(&self, dressed: &PreparedRequest) -> LiveTurnRow {
        let open = self.progress.open.clone().unwrap_or_default();
        let last = self.progress.done.last().filter(|_| self.agent.session.is_some());
        let session = last.and_then(|done| done.row.log.session.clone());
        let lines = session.as_ref().and_then(|name| {
            self.progress.last_logs().iter().find(|log| log.name == *name).map(|log| log.lines)
        });
        LiveTurnRow {
            started_at: Some(journal::timestamp_now()),
            log: LogPlace { first_line: Some(lines.unwrap_or(0) + 1), session, ..open.log },
            layer: LayerRows::from_rows(dressed.rows.clone()),
            ..open
        }
    }

    /// Sends the request and listens. The inner error is a sentence: the agent could not be asked.
    fn send_and_listen(
        &mut self,
        sent: &SentRequest,
    ) -> Result<Result<AttemptResult, String>, RunHalt> {
        let ask = AgentRequest {
            setup: &self.setup,
            run_folders: &self.run_folders,
            session: sent.session.as_deref(),
            fresh: &sent.fresh,
            prompt: &sent.dressed.text,
            prompt_file: &sent.prompt_file,
            turn: sent.turn,
        };
        let call = self.agent.driver.request_command(&ask);
        let goes_on = self.agent.process.as_mut().is_some_and(|it| it.poll_ending().is_none());
        let TurnEndWatch { marker, mut watch, titles } = match self.turn_end_watch(goes_on) {
            Ok(ends) => ends,
            Err(why) => return Ok(Err(why)),
        };
        let mut process = match self.agent.process.take().filter(|_| goes_on) {
            Some(process) => process,
            None => match self.start_process(&call)? {
                Ok(process) => process,
                Err(why) => return Ok(Err(why)),
            },
        };
        let was_typed = std::mem::take(&mut self.steering.is_sent) && goes_on;
        let types = !was_typed && (goes_on || call.input == RequestInput::Typed);
        let keys = if types { self.typed_request(&sent.dressed.text) } else { vec![] };
        let sends = self.agent.driver.send_key.filter(|_| types);
        let waits_first = !goes_on && call.input == RequestInput::Typed;
        let (mut parsed, mut meanwhile) = (AgentOutput::default(), PromptsDuringTurn::default());
        let places = (self.agent.driver.log_files)(&self.setup, &self.run_folders);
        let (answers, shown) =
            (!self.steering.has_person, std::mem::take(&mut self.agent.earlier_output));
        self.steering.input_line.clear();
        let Self { setup, bundle, run_folders, control, agent, steering, emit, .. } = self;
        let began = Instant::now();
        let mut listener = Listener {
            control,
            timeouts: setup.limits.timeouts,
            output: &agent.driver.output,
            parsed: &mut parsed,
            secrets: &run_folders.secrets,
            terminal_recording: &mut agent.terminal_recording,
            terminal: TerminalWatch {
                marker: marker.as_ref(),
                titles,
                earlier_output: shown,
                typed: None,
                answers,
            },
            check_log: &mut || {
                watch.as_mut().map_or(TurnLogState::UnderWay, LogWatch::read_new_lines)
            },
            file: fs::File::create(sent.prompt_file.with_extension("out")).ok(),
            check_growth: &mut || logs::copy_new_lines(&places, bundle, &run_folders.secrets),
            person: PersonInput {
                input_line: &mut steering.input_line,
                prompts: &mut meanwhile,
                is_typed: sent.row.typed.request,
                later_commands: &mut steering.later_commands,
            },
            emit: &mut **emit,
        };
        let mut outcome = ListenOutcome::MarkerShown;
        if waits_first {
            outcome = listener.listen(&mut process);
        }
        if outcome == ListenOutcome::MarkerShown {
            process.type_bytes(&keys);
            listener.terminal.typed = sends.map(|key| PastedRequest::new(&sent.dressed.text, key));
            outcome = listener.listen(&mut process);
        }
        let stays = matches!(outcome, ListenOutcome::MarkerShown | ListenOutcome::EndedByPerson)
            && process.has_terminal();
        let ending = if stays { None } else { listener.end_process(&mut process) };
        self.agent.earlier_output = std::mem::take(&mut listener.terminal.earlier_output);
        let seconds = began.elapsed().as_secs_f64();
        self.agent.process = stays.then_some(process);
        let left_running = if stays { 0 } else { orphans::kill_orphans(&self.run_folders.id) };
        let left_running =
            if matches!(outcome, ListenOutcome::Exited(_)) { left_running } else { 0 };
        let (typed_within, next) = self.sort_typed_prompts(meanwhile, watch.as_mut());
        self.agent.watch = watch.filter(|_| outcome == ListenOutcome::MarkerShown);
        Ok(Ok(AttemptResult { outcome, parsed, ending, seconds, left_running, typed_within, next }))
    }

    /// Prepares the signs for the end of the turn. The error is a sentence.
    pub(crate) fn turn_end_watch(&mut self, goes_on: bool) -> Result<TurnEndWatch, String> {
        let regex = |pattern: &str| Regex::new(pattern).map_err(|why| why.to_string());
        match self.agent.driver.turn_end_sign.clone() {
            TurnEndSign::Exit => Ok(TurnEndWatch::default()),
            TurnEndSign::Marker(pattern) => {
                Ok(TurnEndWatch { marker: Some(regex(&pattern)?), ..TurnEndWatch::default() })
            }
            TurnEndSign::Log(LogPatterns {
                ends,
                begins,
                goes_on: unless,
                titles,
                prompt_in_line,
            }) => {
                let (ends, begins) = (regex(ends)?, regex(begins)?);
                let unless = unless.map(regex).transpose()?;
                let words = LogMatcher { ends, begins, goes_on: unless, prompt_of: prompt_in_line };
                let known = self.agent.watch.take().filter(|_| goes_on);
                let watched = self.agent.driver.watched_files(&self.setup, &self.run_folders);
                let new = || LogWatch::new(watched, words);
                let mut watch = known.unwrap_or_else(new);
                watch.start_turn();
                Ok(TurnEndWatch { marker: None, watch: Some(watch), titles })
            }
        }
    }

    /// Returns the keys that type the request. Unsent input of a person would become a part of it: they erase it, and a
    /// warning is sent.
    fn typed_request(&mut self, prompt: &str) -> Vec<u8> {
        const ERASE: &[u8] = b"\x15";
        let typed = (self.agent.driver.typed_bytes)(prompt);
        let Some(rest) = self.steering.input_line.unsent_text() else { return typed };
        let rest = self.run_folders.secrets.hide(&rest);
        let sentence =
            format!("typed and not sent, so it was erased before the next request: {rest}");
        self.emit_event(&LiveEvent::Warned(sentence));
        [ERASE, &typed].concat()
    }

    /// Sorts prompts that a person sent during the turn: those that belong to the turn, and the one that is the next turn.
    fn sort_typed_prompts(
        &mut self,
        meanwhile: PromptsDuringTurn,
        watch: Option<&mut LogWatch>,
    ) -> (Vec<String>, Option<BegunTurn>) {
        let PromptsDuringTurn { within, queued, .. } = meanwhile;
        let Some(watch) = watch else {
            self.steering.queued.extend(queued);
            return (within, None);
        };
        watch.wait_for_prompt();
        let (taken_in, next) = watch.prompts_and_next();
        if let Some(next) = next {
            let typed = self.steering.input_line.unsent_text().or_else(|| within.last().cloned());
            let text = next.prompt.clone().or(typed).unwrap_or_else(|| UNKNOWN_PROMPT.to_owned());
            self.steering.queued.push_back(QueuedPrompt { text, is_sent: true });
        }
        if next.is_some() || !taken_in.is_empty() {
            self.steering.input_line.clear(); // some agents have other keys than return for it
        }
        (taken_in.to_vec(), next.cloned())
    }

    /// Starts a process of the agent. The inner error is a sentence.
    pub(crate) fn start_process(
        &mut self,
        call: &AgentCommand,
    ) -> Result<Result<AgentProcess, String>, RunHalt> {
        let workspace = self.run_folders.workspace();
        let prompt_file = self.run_folders.prompt_file(self.progress.done.len() + 1);
        let process = match AgentProcess::spawn(&self.process_spec(call, &workspace, &prompt_file))
        {
            Ok(process) => process,
            Err(why) => return Ok(Err(why)),
        };
        let command = self.run_folders.secrets.hide(&shown_command_line(call));
        let (id, has_terminal) = (process.id, process.has_terminal());
        self.record_entry(&JournalEntry::Process { process: id, command: command.clone() })?;
        self.emit_event(&LiveEvent::Started { command, process: id, has_terminal });
        Ok(Ok(process))
    }

    /// Returns how a program of the agent is run.
    fn process_spec<'s>(
        &'s self,
        command: &'s AgentCommand,
        workspace: &'s Path,
        prompt_file: &'s Path,
    ) -> ProcessSpec<'s> {
        ProcessSpec {
            command,
            environment: &self.run_folders.environment,
            folder: workspace,
            prompt_file,
            size: self.setup.size,
            confinement: &self.guard.confinement,
        }
    }

    fn judge_attempt(&self, sent: &SentRequest, answer: &AttemptResult) -> AttemptVerdict {
        let AttemptResult { outcome, parsed, .. } = answer;
        let last_words = || {
            let words = parsed.failed.as_ref().or(parsed.troubles.last());
            words.map(|words| format!(": {words}")).unwrap_or_default()
        };
        match outcome {
            ListenOutcome::Stopped => return AttemptVerdict::Stopped,
            ListenOutcome::Repeat => return AttemptVerdict::Repeat,
            ListenOutcome::Late(why) => {
                return AttemptVerdict::Failed(format!("{why}; the agent was ended"));
            }
            ListenOutcome::Exited(ProcessEnding { code: None, signal: None }) => {
                let why = parsed.failed.clone();
                return AttemptVerdict::Failed(
                    why.unwrap_or_else(|| "the request could not be sent to the agent".into()),
                );
            }
            ListenOutcome::Exited(ending)
                if !matches!(self.agent.driver.turn_end_sign, TurnEndSign::Exit) =>
            {
                let how = ending.ending_text();
                let why =
                    format!("the agent ended ({how}) before its turn was over{}", last_words());
                return AttemptVerdict::Failed(why);
            }
            ListenOutcome::Exited(ending)
                if !ending.code.is_some_and(|it| self.agent.driver.success_codes.contains(&it)) =>
            {
                return AttemptVerdict::Failed(format!(
                    "the agent failed ({}){}",
                    ending.ending_text(),
                    last_words()
                ));
            }
            ListenOutcome::Exited(_)
            | ListenOutcome::MarkerShown
            | ListenOutcome::EndedByPerson => {}
        }
        if let Some(why) = &parsed.failed {
            return AttemptVerdict::Failed(format!("the agent reported a failure: {why}"));
        }
        match (&sent.session, &parsed.session, self.agent.driver.session_naming) {
            (Some(asked), Some(found), SessionNaming::Printed | SessionNaming::Chosen)
                if asked != found =>
            {
                let why = format!("the agent continued session {found} instead of {asked}");
                AttemptVerdict::Failed(why)
            }
            (None, None, SessionNaming::Printed) => {
                AttemptVerdict::Failed("the agent did not report its session".into())
            }
            _ => AttemptVerdict::Done,
        }
    }

    /// Records the results of the turn: logs, files, the row; then emits the event.
    fn record_attempt(
        &mut self,
        sent: SentRequest,
        answer: AttemptResult,
        verdict: &AttemptVerdict,
        keeps: bool,
    ) -> Result<(), RunHalt> {
        let state = match verdict {
            AttemptVerdict::Done => TurnState::Done,
            AttemptVerdict::Failed(_) if keeps => TurnState::Kept,
            _ => TurnState::Cut,
        };
        self.restore_run_folders(sent.turn)?;
        if let Some(problem) = self.agent.terminal_recording.end_reason() {
            self.record_warning(&problem)?;
        }
        self.check_seal(sent.turn)?;
        let session = self.session_after(&sent, &answer.parsed);
        if state.is_counted() {
            self.export_log(&sent, session.as_deref())?;
        }
        let places = (self.agent.driver.log_files)(&self.setup, &self.run_folders);
        let copied = logs::copy_logs(&places, &self.bundle, &self.run_folders.secrets)?;
        for problem in &copied.problems {
            self.record_warning(problem)?;
        }
        for name in &copied.covered {
            let what =
                "a key stood in it and was covered with stars: it is not byte for byte the agent's";
            self.record_warning(&format!("session/{name}: {what}"))?;
        }
        let mut found = copied.rows;
        if let Some(next) = &answer.next {
            logs::cut_before(&mut found, next, &self.bundle)?;
        }
        if !self.has_terminal() && logs::has_nothing_new(&found, self.progress.last_logs()) {
            found.extend(logs::keep_output(&sent.prompt_file, sent.turn, &self.bundle)?);
        }
        let rows = self.with_earlier_logs(found);
        let mut row = self.final_row(&sent, &answer, verdict, state);
        self.set_log_place(&mut row, &rows, session.as_deref());
        let (used, cost) = self.record_usage(&sent, &answer.parsed, &mut row);
        self.commit_turn(&sent, &mut row)?;
        self.note_unread_logs(&rows);
        let changed = match &row.commit {
            Some(commit) => {
                self.history.changed_paths(sent.before.as_deref(), commit, MAX_CHANGED_PATHS)
            }
            None => vec![],
        };
        // Before the turn counts: a resumed run does not check it again.
        for outside in &row.files.outside {
            self.record_warning(&format!(
                "turn {}: the agent wrote {outside}, outside its workspace",
                row.turn
            ))?;
        }
        self.record_entry(&JournalEntry::TurnEnded(Box::new(FinishedTurn {
            row: row.clone(),
            session_id: session.clone(),
            session_tokens: used,
            session_cost_usd: cost,
            seconds: answer.seconds,
            logs: rows,
        })))?;
        self.write_manifest()?;
        if row.state.is_counted() {
            let taken = self.layers.tell_finished_turns(&self.progress.done, None);
            self.record_layer_updates(taken)?;
            row.layer = self.progress.done.last().and_then(|done| done.row.layer.clone());
        }
        self.agent.session = session;
        for denied in &row.reported.denied {
            self.emit_event(&LiveEvent::Denied(denied.clone()));
        }
        let total = self.progress.used_in_total();
        self.emit_event(&LiveEvent::TurnEnded(Box::new(EndedTurn { changed, ..row.ended(total) })));
        Ok(())
    }

    /// Restores folders that the agent removed or replaced: nothing of ours is written, recorded or removed through a link
    /// of the agent's.
    fn restore_run_folders(&mut self, turn: usize) -> Result<(), RunHalt> {
        for folder in self.run_folders.restore_missing()? {
            self.record_warning(&format!(
                "turn {turn}: the agent deleted or replaced its folder {folder}; it is now empty"
            ))?;
        }
        Ok(())
    }

    fn has_terminal(&self) -> bool {
        self.setup.in_terminal || self.agent.driver.session_naming == SessionNaming::Process
    }

    fn session_after(&self, sent: &SentRequest, parsed: &AgentOutput) -> Option<String> {
        match self.agent.driver.session_naming {
            SessionNaming::None | SessionNaming::History => None,
            SessionNaming::Process => Some("process".into()),
            SessionNaming::Chosen => sent.session.clone().or_else(|| Some(sent.fresh.clone())),
            SessionNaming::Printed => parsed.session.clone().or_else(|| sent.session.clone()),
        }
    }

    /// Exports the agent's log, if it does not write one itself.
    fn export_log(&mut self, sent: &SentRequest, session: Option<&str>) -> Result<(), RunHalt> {
        let ask = AgentRequest {
            setup: &self.setup,
            run_folders: &self.run_folders,
            session,
            fresh: &sent.fresh,
            prompt: "",
            prompt_file: &sent.prompt_file,
            turn: sent.turn,
        };
        let Some((call, path)) = self.agent.driver.export_command(&ask) else { return Ok(()) };
        let workspace = self.run_folders.workspace();
        let spec = self.process_spec(&call, &workspace, &sent.prompt_file);
        if let Err(why) = spec.run_into_file(&path) {
            self.record_warning(&format!("the agent's log could not be written down: {why}"))?;
        }
        Ok(())
    }

    /// Imports the agent's session from its log.
    pub(crate) fn import_log(&mut self, turn: usize) -> Result<(), RunHalt> {
        let prompt_file = self.run_folders.prompt_file(turn);
        let ask = AgentRequest {
            setup: &self.setup,
            run_folders: &self.run_folders,
            session: self.agent.session.as_deref(),
            fresh: "",
            prompt: "",
            prompt_file: &prompt_file,
            turn,
        };
        let workspace = self.run_folders.workspace();
        let mut last = Ok(());
        for call in self.agent.driver.import_commands(&ask) {
            last = self.process_spec(&call, &workspace, &prompt_file).run_quietly();
        }
        if let Err(why) = last {
            self.agent.session = None;
            self.record_warning(&format!(
                "turn {turn} is repeated in a new session: the previous session could not be restored: {why}"
            ))?;
        }
        Ok(())
    }

    /// Adds the rows of earlier logs that the agent no longer has.
    fn with_earlier_logs(&self, mut rows: Vec<LogRow>) -> Vec<LogRow> {
        for old in self.progress.last_logs() {
            if !rows.iter().any(|row| row.name == old.name) {
                rows.push(old.clone());
            }
        }
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows
    }

    fn final_row(
        &self,
        sent: &SentRequest,
        answer: &AttemptResult,
        verdict: &AttemptVerdict,
        state: TurnState,
    ) -> LiveTurnRow {
        let AttemptResult { parsed, ending, outcome, .. } = answer;
        let hidden = |words: &Vec<String>| -> Vec<String> {
            words.iter().map(|words| self.run_folders.secrets.hide(words)).collect()
        };
        let why = match verdict {
            AttemptVerdict::Failed(why) => Some(self.run_folders.secrets.hide(why)),
            AttemptVerdict::Stopped => Some(journal::REQUESTED_STOP.into()),
            AttemptVerdict::Repeat => Some("repeated at the user's request".into()),
            AttemptVerdict::Done => None,
        };
        let exited =
            matches!(outcome, ListenOutcome::Exited(ProcessEnding { code: None, signal: None }));
        let known: Vec<String> =
            self.progress.done.iter().flat_map(|done| done.row.files.outside.clone()).collect();
        let strangers =
            self.run_folders.unexpected_files().into_iter().filter(|it| !known.contains(it));
        LiveTurnRow {
            turn: sent.turn,
            attempt: sent.attempt,
            ended_at: Some(journal::timestamp_now()),
            state,
            exit: ending.filter(|_| !exited).map(ProcessEnding::ending_text),
            why,
            reported: AgentReport {
                denied: hidden(&parsed.denied),
                troubles: if state == TurnState::Done { vec![] } else { hidden(&parsed.troubles) },
                ..sent.row.reported.clone()
            },
            files: FileRemarks {
                outside: strangers.map(|name| self.run_folders.secrets.hide(&name)).collect(),
                ..sent.row.files.clone()
            },
            left_running: answer.left_running,
            typed: TypedByPerson { within: hidden(&answer.typed_within), ..sent.row.typed.clone() },
            ..sent.row.clone()
        }
    }

    fn set_log_place(&self, row: &mut LiveTurnRow, now: &[LogRow], session: Option<&str>) {
        let before = self.progress.last_logs();
        let last = self.progress.done.last().and_then(|done| done.row.log.session.as_deref());
        let Some(log) = logs::main_log(now, before, (session, last), &self.bundle) else {
            row.log = LogPlace::default();
            return;
        };
        let old = before.iter().find(|old| old.name == log.name).map_or(0, |old| old.lines);
        row.log = LogPlace {
            session: Some(log.name.clone()),
            first_line: Some(old + 1),
            last_line: Some(log.lines),
        };
    }

    /// Enters the turn's usage into its row; returns the usage of the session so far.
    fn record_usage(
        &self,
        sent: &SentRequest,
        parsed: &AgentOutput,
        row: &mut LiveTurnRow,
    ) -> (Tokens, Option<f64>) {
        let last = self.progress.done.last().filter(|_| sent.session.is_some());
        let before = last.map_or(Tokens::default(), |done| done.session_tokens);
        let cost_before = last.and_then(|done| done.session_cost_usd);
        let (turn, session) = match parsed.tokens {
            ReportedAmount::Unknown => (Tokens::default(), before),
            ReportedAmount::Turn(turn) => (turn, before + turn),
            ReportedAmount::Session(session) => (session.difference_from(before), session),
        };
        row.reported.tokens = turn;
        let (cost, cost_session) = match parsed.cost {
            ReportedAmount::Unknown => (None, cost_before),
            ReportedAmount::Turn(cost) => (Some(cost), Some(cost_before.unwrap_or(0.0) + cost)),
            ReportedAmount::Session(all) => (
                (all >= cost_before.unwrap_or(0.0)).then(|| all - cost_before.unwrap_or(0.0)),
                Some(all),
            ),
        };
        row.reported.cost_usd = cost;
        (session, cost_session)
    }

    /// Commits the files after a turn, and sets the commit of its row.
    fn commit_turn(&mut self, sent: &SentRequest, row: &mut LiveTurnRow) -> Result<(), RunHalt> {
        let request = self.script.request_of_turn(sent.turn);
        let title = first_line_label(request.map_or("", |it| it.text.as_str()));
        let title = format!("turn {}: {}", sent.turn, short_heading(&title));
        let checkpoint = request.and_then(|it| it.checkpoint.clone());
        let mut trailers = vec![("Turn", sent.turn.to_string())];
        trailers.extend(checkpoint.map(|id| ("Checkpoint", id)));
        trailers.push(("Agent", self.setup.agent.clone()));
        if row.state != TurnState::Done {
            let state =
                if row.state == TurnState::Kept { "failed, kept" } else { "does not count" };
            trailers.push(("State", state.to_owned()));
        }
        let at = journal::parse_timestamp(row.ended_at.as_deref().unwrap_or_default());
        let title = self.run_folders.secrets.hide(&title);
        let note = CommitNote { title: &title, trailers: &trailers, at };
        let taken = self.commit_workspace(sent.before.as_deref(), &note)?;
        row.commit = Some(taken.commit);
        row.files.not_recorded =
            taken.left_out.iter().map(|(path, why)| format!("{path}: {why}")).collect();
        row.files.covered = taken.covered;
        for path in &row.files.covered {
            self.record_warning(&format!(
                "turn {}: a key stood in {path} and is covered with stars in the commit",
                row.turn
            ))?;
        }
        Ok(())
    }

    /// Tests the checkpoint of the last turn that counts, if an interruption prevented that.
    pub(crate) fn test_interrupted_checkpoint(&mut self) -> Result<(), RunHalt> {
        let turn = self.progress.done.len();
        let checkpoint = self.script.request_of_turn(turn).and_then(|it| it.checkpoint.as_deref());
        let is_told = |id: &str| {
            let begins = untested_prefix(id);
            self.progress.remarks.iter().any(|it| it.starts_with(&begins))
        };
        let is_done = self.progress.is_tested || checkpoint.is_none_or(is_told);
        if is_done { Ok(()) } else { self.test_after_turn(turn) }
    }

    /// Tests the code if the turn ended a checkpoint.
    pub(crate) fn test_after_turn(&mut self, turn: usize) -> Result<(), RunHalt> {
        self.attempts = 0;
        let checkpoint = self.script.request_of_turn(turn).and_then(|it| it.checkpoint.clone());
        let (Some(checkpoint), Some(command)) = (checkpoint, self.setup.tests.clone()) else {
            return Ok(());
        };
        let folder = self.run_folders.root().join("tmp/tested");
        let _ = fs::remove_dir_all(&folder); // it may well not be there
        self.history.restore_files(&folder, self.progress.last_commit())?;
        self.seal_bundle()?;
        let seconds = self.setup.limits.timeouts.turn;
        let tested = checkpoint_tests::run_tests(
            &command,
            (&folder, None),
            &self.run_folders,
            &self.guard.confinement,
            &CommandLimits { seconds, stop: &StopFlag::default() },
        );
        orphans::kill_orphans(&self.run_folders.id);
        self.check_seal(turn)?;
        match tested {
            Ok(tested) => {
                checkpoint_tests::record_results(&self.bundle, &checkpoint, &tested)?;
                let (passed, total) = (tested.passed_count(), tested.run_count());
                let seconds = tested.seconds;
                let entry =
                    JournalEntry::Tested { checkpoint: checkpoint.clone(), passed, total, seconds };
                self.record_entry(&entry)?;
                self.emit_event(&LiveEvent::Tested { checkpoint, passed, total, seconds });
            }
            Err(why) => self.record_warning(&format!("{}: {why}", untested_prefix(&checkpoint)))?,
        }
        let _ = fs::remove_dir_all(&folder); // it is made anew each time
        Ok(())
    }
}

/// Returns the beginning of the remark that a checkpoint could not be tested, before the reason.
fn untested_prefix(checkpoint: &str) -> String {
    format!("checkpoint {checkpoint} was not tested")
}

/// Returns a command as it is shown and recorded: a request among its arguments is cut.
fn shown_command_line(call: &AgentCommand) -> String {
    const LONGEST: usize = 200;
    let cut = |word: &String| match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.clone(),
    };
    shell_words(std::iter::once(&call.program).chain(&call.args).map(cut))
}

/// Returns the beginning of a request, in whole words.
fn short_heading(request: &str) -> String {
    const LONGEST: usize = 60;
    let mut heading = String::new();
    for word in request.split_whitespace() {
        if heading.chars().count() + word.chars().count() >= LONGEST {
            return heading + " …";
        }
        if !heading.is_empty() {
            heading.push(' ');
        }
        heading.push_str(word);
    }
    heading
}

/// Checks that the model server accepts connections: some agents wait for ever when it does not. The error is a sentence.
pub(crate) fn check_server_reachable(setup: &RunSetup, stop: &StopFlag) -> Result<(), String> {
    let Some((url, (host, port))) =
        setup.server_url().and_then(|url| Some((url, host_and_port(url)?)))
    else {
        return Ok(());
    };
    let is_proxied =
        std::env::var_os("HTTPS_PROXY").is_some() || std::env::var_os("https_proxy").is_some();
    if is_proxied && !host.starts_with("127.") && host != "localhost" {
        return Ok(()); // the agent gets there another way
    }
    let mut why = String::new();
    for attempt in 0..3 {
        if attempt > 0 && !stop.wait_for(Duration::from_secs(1)) {
            break;
        }
        match try_connect(&host, port) {
            Ok(()) => return Ok(()),
            Err(error) => why = error,
        }
    }
    Err(format!("the model server at {url} does not answer: {why}"))
}

fn try_connect(host: &str, port: u16) -> Result<(), String> {
    let places = (host, port).to_socket_addrs().map_err(|why| why.to_string())?;
    let mut why = "it has no address".to_owned();
    for place in places {
        match TcpStream::connect_timeout(&place, Duration::from_secs(5)) {
            Ok(_) => return Ok(()),
            Err(error) => why = error.to_string(),
        }
    }
    Err(why)
}
