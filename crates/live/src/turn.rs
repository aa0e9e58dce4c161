//! One attempt at one turn: the request is dressed and sent, the agent is listened to, and what it left is recorded.

use std::{
    fs,
    net::{TcpStream, ToSocketAddrs},
    path::PathBuf,
    time::{Duration, Instant},
};

use regex::bytes::Regex;

use trajview_judge::stop::Stop;
use trajview_run::{Tokens, label};
use trajview_store::{
    sha256,
    workspace::{Note, Onlooker},
    write::WriteError,
};

use super::{
    checks,
    drivers::{
        Ask, Call, End, Input, LogPatterns, Naming, Titles,
        agent_output::{AgentOutput, Amount},
    },
    event::Event,
    journal::{self, Done, Entry},
    layers::{Dressed, Request},
    listener::{Listener, Outcome, Person, TerminalWatch},
    logs::{self, Begun, Kept, LogRow, LogWords, Says, Watch},
    manifest::{FileRemarks, Layers, LogPlace, Reported, State, TurnRow, Typed},
    process::{Ending, Order, Process},
    queued::{Interjections, Queued},
    recorder::{Parts, Recorder, fresh_id},
    run::Halt,
    setup::Setup,
    stage::host_of,
    unsent::Unsent,
};

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It counts.
    Done,
    /// A sentence.
    Failed(String),
    /// A person wants it done again.
    Again,
    Stopped,
}

/// Paths that are told of a turn.
const MOST_CHANGED: usize = 200;

/// One request on its way.
struct Sent {
    turn: usize,
    attempt: usize,
    dressed: Dressed,
    prompt_file: PathBuf,
    /// The session it is asked in; None begins one.
    session: Option<String>,
    fresh: String,
    before: Option<String>,
    row: TurnRow,
}

/// How the end of a turn is seen, where not by the end of the process.
#[derive(Default)]
pub struct Ends {
    pub marker: Option<Regex>,
    pub watch: Option<Watch>,
    pub titles: Option<Titles>,
}

/// Stands for a prompt that neither the agent's log nor the keys tell.
pub const UNKNOWN: &str = "(a prompt that a person typed and that the agent's log does not hold)";

/// What listening gave.
struct Answer {
    outcome: Outcome,
    heard: AgentOutput,
    ending: Option<Ending>,
    seconds: f64,
    /// Processes it had started and not ended.
    left_running: usize,
    /// What a person sent while it worked, and it took into the turn.
    typed_within: Vec<String>,
    /// The turn that it began by itself, with a prompt that a person sent meanwhile.
    next: Option<Begun>,
}

impl Answer {
    /// The agent could not be asked; a sentence says why.
    fn none(why: String) -> Self {
        Self {
            outcome: Outcome::Exited(Ending { code: None, signal: None }),
            heard: AgentOutput { failed: Some(why), ..AgentOutput::default() },
            ending: None,
            seconds: 0.0,
            left_running: 0,
            typed_within: vec![],
            next: None,
        }
    }
}

impl Recorder<'_> {
    /// `keeps`: whether the turn stands even where it fails.
    pub fn attempt(&mut self, turn: usize, keeps: bool) -> Result<Verdict, Halt> {
        let sent = self.prepare(turn)?;
        let answer = match self.send_and_listen(&sent)? {
            Ok(answer) => answer,
            Err(why) => Answer::none(why),
        };
        let verdict = self.judge(&sent, &answer);
        self.enter(sent, answer, &verdict, keeps)?;
        match verdict {
            Verdict::Failed(_) if keeps => Ok(Verdict::Done),
            verdict => Ok(verdict),
        }
    }

    /// Dresses the request and says in the bundle that the turn is under way.
    fn prepare(&mut self, turn: usize) -> Result<Sent, Halt> {
        let request = self.script.request(turn).cloned();
        let (text, checkpoint, typed) =
            request.map(|it| (it.text, it.checkpoint, it.typed)).unwrap_or_default();
        let earlier: Vec<String> =
            self.script.requests.iter().take(turn - 1).map(|it| it.text.clone()).collect();
        let dressed = match typed {
            true => Dressed { text: text.clone(), ..Dressed::default() },
            false => self.layers.before(&Request { turn, text: &text, earlier: &earlier }),
        };
        self.layers.begin(turn, &self.stage.requests());
        for problem in &dressed.problems {
            self.warn(problem)?;
        }
        if dressed.restarts {
            self.forget_session();
        }
        self.attempts += 1;
        let (attempt, before) = (self.attempts, self.progress.commit().map(str::to_owned));
        let prompt_file = self.stage.requests().join(format!("turn-{turn:03}.txt"));
        fs::write(&prompt_file, &dressed.text).map_err(WriteError::at(&prompt_file))?;
        let kept = Kept::before(turn, &self.stage.requests());
        logs::keep_documents(self.progress.logs(), &self.bundle, &kept)?;
        let request_sha256 = sha256(dressed.text.as_bytes());
        self.record(&Entry::TurnBegan { turn, attempt, request_sha256, before: before.clone() })?;
        let without_memory = self.begins_anew(turn) && !dressed.restarts;
        let first = self.first_row(&dressed);
        let row =
            TurnRow { typed: Typed { request: typed, ..first.typed }, without_memory, ..first };
        self.progress.open = Some(row.clone());
        self.write_manifest()?;
        self.agent.cast.mark(&format!("turn {turn}"));
        let (session, fresh) = (self.agent.session.clone(), fresh_id());
        let sent = Sent { turn, attempt, dressed, prompt_file, session, fresh, before, row };
        self.told(&Event::TurnBegan {
            turn,
            request: sent.dressed.text.clone(),
            attempt,
            checkpoint,
            layers: sent.dressed.rows.clone(),
        });
        if without_memory {
            self.warn(&format!(
                "turn {turn}: the agent was started anew and remembers nothing of the turns before"
            ))?;
        }
        self.seal()?;
        Ok(sent)
    }

    /// Whether an agent that has a memory comes to a turn without it.
    fn begins_anew(&mut self, turn: usize) -> bool {
        let runs = self.agent.process.as_mut().is_some_and(|it| it.ending().is_none());
        turn > 1
            && match self.agent.driver.naming() {
                Naming::None | Naming::History => false,
                Naming::Process => !runs,
                Naming::Chosen | Naming::Told => self.agent.session.is_none(),
            }
    }

    /// The row of a turn under way. It stands in the log of the session that goes on, or in one that is not there yet.
    fn first_row(&self, dressed: &Dressed) -> TurnRow {
        let open = self.progress.open.clone().unwrap_or_default();
        let last = self.progress.done.last().filter(|_| self.agent.session.is_some());
        let session = last.and_then(|done| done.row.log.session.clone());
        let lines = session.as_ref().and_then(|name| {
            self.progress.logs().iter().find(|log| log.name == *name).map(|log| log.lines)
        });
        TurnRow {
            started_at: Some(journal::now()),
            log: LogPlace { first_line: Some(lines.unwrap_or(0) + 1), session, ..open.log },
            layer: Layers::of(dressed.rows.clone()),
            ..open
        }
    }

    /// The inner error is a sentence: the agent could not be asked.
    fn send_and_listen(&mut self, sent: &Sent) -> Result<Result<Answer, String>, Halt> {
        let ask = Ask {
            setup: &self.setup,
            stage: &self.stage,
            session: sent.session.as_deref(),
            fresh: &sent.fresh,
            prompt: &sent.dressed.text,
            prompt_file: &sent.prompt_file,
            turn: sent.turn,
        };
        let call = self.agent.driver.call(&ask);
        let goes_on = self.agent.process.as_mut().is_some_and(|it| it.ending().is_none());
        let Ends { marker, mut watch, titles } = match self.ends(goes_on) {
            Ok(ends) => ends,
            Err(why) => return Ok(Err(why)),
        };
        let mut process = match self.agent.process.take().filter(|_| goes_on) {
            Some(process) => process,
            None => match self.start(&call)? {
                Ok(process) => process,
                Err(why) => return Ok(Err(why)),
            },
        };
        let was_typed = std::mem::take(&mut self.steering.is_sent) && goes_on;
        let types = !was_typed && (goes_on || call.input == Input::Typed);
        let keys = if types { self.keys_of(&sent.dressed.text) } else { vec![] };
        let sends = self.agent.driver.sends().filter(|_| types);
        let waits_first = !goes_on && call.input == Input::Typed;
        let (mut heard, mut meanwhile) = (AgentOutput::default(), Interjections::default());
        let mut reader = self.agent.driver.reader();
        let places = self.agent.driver.logs(&self.stage);
        let (answers, shown) = (!self.steering.has_person, std::mem::take(&mut self.agent.shown));
        self.steering.typing.clear();
        let Parts { setup, bundle, stage, control, cast, later, typing, tell, .. } = self.parts();
        let began = Instant::now();
        let mut listener = Listener {
            control,
            timeouts: setup.limits.timeouts,
            reader: &mut *reader,
            heard: &mut heard,
            secrets: &stage.secrets,
            cast,
            terminal: TerminalWatch {
                marker: marker.as_ref(),
                titles,
                shown,
                typed: None,
                answers,
            },
            look: &mut || watch.as_mut().map_or(Says::UnderWay, Watch::look),
            file: fs::File::create(sent.prompt_file.with_extension("out")).ok(),
            grow: &mut || logs::grow(&places, bundle, &stage.secrets),
            person: Person {
                typing,
                sent: &mut meanwhile,
                is_typed: sent.row.typed.request,
                later,
            },
            tell,
        };
        let mut outcome = Outcome::Marked;
        if waits_first {
            outcome = listener.listen(&mut process);
        }
        if outcome == Outcome::Marked {
            process.type_in(&keys);
            listener.terminal.typed = sends.map(|key| Unsent::new(&sent.dressed.text, key));
            outcome = listener.listen(&mut process);
        }
        let stays =
            matches!(outcome, Outcome::Marked | Outcome::Declared) && process.has_terminal();
        let ending = if stays { None } else { listener.end(&mut process) };
        self.agent.shown = std::mem::take(&mut listener.terminal.shown);
        let seconds = began.elapsed().as_secs_f64();
        self.agent.process = stays.then_some(process);
        let left_running = if stays { 0 } else { super::process::sweep(&self.stage.id) };
        let left_running = if matches!(outcome, Outcome::Exited(_)) { left_running } else { 0 };
        let (typed_within, next) = self.sort_out(meanwhile, watch.as_mut());
        self.agent.watch = watch.filter(|_| outcome == Outcome::Marked);
        Ok(Ok(Answer { outcome, heard, ending, seconds, left_running, typed_within, next }))
    }

    /// How the end of the turn will be seen. The error is a sentence.
    pub fn ends(&mut self, goes_on: bool) -> Result<Ends, String> {
        let regex = |pattern: &str| Regex::new(pattern).map_err(|why| why.to_string());
        match self.agent.driver.end() {
            End::Exit => Ok(Ends::default()),
            End::Marker(pattern) => Ok(Ends { marker: Some(regex(&pattern)?), ..Ends::default() }),
            End::Log(LogPatterns { ends, begins, goes_on: unless, titles }) => {
                let (ends, begins) = (regex(ends)?, regex(begins)?);
                let unless = unless.map(regex).transpose()?;
                let prompt_of = self.agent.driver.prompt_of();
                let words = LogWords { ends, begins, goes_on: unless, prompt_of };
                let known = self.agent.watch.take().filter(|_| goes_on);
                let new = || Watch::new(self.agent.driver.watched(&self.stage), words);
                let mut watch = known.unwrap_or_else(new);
                watch.begin();
                Ok(Ends { marker: None, watch: Some(watch), titles })
            }
        }
    }

    /// The request as it is typed. What a person has typed and not sent would become a part of it: it is erased.
    fn keys_of(&mut self, prompt: &str) -> Vec<u8> {
        const ERASE: &[u8] = b"\x15";
        let typed = self.agent.driver.typed(prompt);
        let Some(rest) = self.steering.typing.rest() else { return typed };
        let rest = self.stage.secrets.hide(&rest);
        let sentence =
            format!("typed and not sent, so it was erased before the next request: {rest}");
        self.told(&Event::Warned(sentence));
        [ERASE, &typed].concat()
    }

    /// What a person sent while the turn was under way: what belongs to the turn, and what is to be the next one.
    fn sort_out(
        &mut self,
        meanwhile: Interjections,
        watch: Option<&mut Watch>,
    ) -> (Vec<String>, Option<Begun>) {
        let Interjections { within, queued, .. } = meanwhile;
        let Some(watch) = watch else {
            self.steering.queued.extend(queued);
            return (within, None);
        };
        watch.wait_for_prompt();
        let (taken_in, next) = watch.found();
        if let Some(next) = next {
            let typed = self.steering.typing.rest().or_else(|| within.last().cloned());
            let text = next.prompt.clone().or(typed).unwrap_or_else(|| UNKNOWN.to_owned());
            self.steering.queued.push_back(Queued { text, is_sent: true });
        }
        if next.is_some() || !taken_in.is_empty() {
            self.steering.typing.clear(); // some agents have other keys than return for it
        }
        (taken_in.to_vec(), next.cloned())
    }

    /// The inner error is a sentence.
    pub fn start(&mut self, call: &Call) -> Result<Result<Process, String>, Halt> {
        let (workspace, prompt_file) = (
            self.stage.workspace(),
            self.stage.requests().join(format!("turn-{:03}.txt", self.progress.done.len() + 1)),
        );
        let order = Order {
            call,
            environment: &self.stage.environment,
            folder: &workspace,
            prompt_file: &prompt_file,
            size: self.setup.size,
            confinement: &self.guard.confinement,
        };
        let process = match Process::start(&order) {
            Ok(process) => process,
            Err(why) => return Ok(Err(why)),
        };
        let command = self.stage.secrets.hide(&command_line(call));
        let (id, has_terminal) = (process.id, process.has_terminal());
        self.record(&Entry::Process { process: id, command: command.clone() })?;
        self.told(&Event::Started { command, process: id, has_terminal });
        Ok(Ok(process))
    }

    fn judge(&self, sent: &Sent, answer: &Answer) -> Verdict {
        let Answer { outcome, heard, .. } = answer;
        let last_words = || {
            let words = heard.failed.as_ref().or(heard.troubles.last());
            words.map(|words| format!(": {words}")).unwrap_or_default()
        };
        match outcome {
            Outcome::Stopped => return Verdict::Stopped,
            Outcome::Again => return Verdict::Again,
            Outcome::Late(why) => return Verdict::Failed(format!("{why}; the agent was ended")),
            Outcome::Exited(Ending { code: None, signal: None }) => {
                let why = heard.failed.clone();
                return Verdict::Failed(
                    why.unwrap_or_else(|| "the agent could not be asked".into()),
                );
            }
            Outcome::Exited(ending) if self.agent.driver.end() != End::Exit => {
                let how = ending.words();
                let why =
                    format!("the agent ended ({how}) before its turn was over{}", last_words());
                return Verdict::Failed(why);
            }
            Outcome::Exited(ending)
                if !ending.code.is_some_and(|it| self.agent.driver.is_fine(it)) =>
            {
                return Verdict::Failed(format!(
                    "the agent failed ({}){}",
                    ending.words(),
                    last_words()
                ));
            }
            Outcome::Exited(_) | Outcome::Marked | Outcome::Declared => {}
        }
        if let Some(why) = &heard.failed {
            return Verdict::Failed(format!("the agent reported a failure: {why}"));
        }
        match (&sent.session, &heard.session, self.agent.driver.naming()) {
            (Some(asked), Some(found), Naming::Told | Naming::Chosen) if asked != found => {
                let why =
                    format!("the agent went on in session {found} where {asked} was asked for");
                Verdict::Failed(why)
            }
            (None, None, Naming::Told) => {
                Verdict::Failed("the agent did not say the name of its session".into())
            }
            _ => Verdict::Done,
        }
    }

    /// Records what the turn left: logs, files, the row; then tells.
    fn enter(
        &mut self,
        sent: Sent,
        answer: Answer,
        verdict: &Verdict,
        keeps: bool,
    ) -> Result<(), Halt> {
        let state = match verdict {
            Verdict::Done => State::Done,
            Verdict::Failed(_) if keeps => State::Kept,
            _ => State::Cut,
        };
        self.mend_stage(sent.turn)?;
        if let Some(problem) = self.agent.cast.problem() {
            self.warn(&problem)?;
        }
        self.compare(sent.turn)?;
        let session = self.session_after(&sent, &answer.heard);
        if state.counts() {
            self.export(&sent, session.as_deref())?;
        }
        let places = self.agent.driver.logs(&self.stage);
        let copied = logs::copy(&places, &self.bundle, &self.stage.secrets)?;
        for problem in &copied.problems {
            self.warn(problem)?;
        }
        for name in &copied.covered {
            let what =
                "a key stood in it and was covered with stars: it is not byte for byte the agent's";
            self.warn(&format!("session/{name}: {what}"))?;
        }
        let mut found = copied.rows;
        if let Some(next) = &answer.next {
            logs::end_before(&mut found, next, &self.bundle)?;
        }
        if !self.has_terminal() && logs::is_silent(&found, self.progress.logs()) {
            found.extend(logs::keep_output(&sent.prompt_file, sent.turn, &self.bundle)?);
        }
        let rows = self.with_earlier(found);
        let mut row = self.last_row(&sent, &answer, verdict, state);
        self.place_in_log(&mut row, &rows, session.as_deref());
        let (used, cost) = self.used(&sent, &answer.heard, &mut row);
        self.commit(&sent, &mut row)?;
        self.keep(&rows);
        let changed = match &row.commit {
            Some(commit) => self.history.changed(sent.before.as_deref(), commit, MOST_CHANGED),
            None => vec![],
        };
        // Before the turn counts: whoever goes on with the run does not look at it again.
        for outside in &row.files.outside {
            self.warn(&format!(
                "turn {}: the agent wrote {outside}, outside its workspace",
                row.turn
            ))?;
        }
        self.record(&Entry::TurnEnded(Box::new(Done {
            row: row.clone(),
            session_id: session.clone(),
            session_tokens: used,
            session_cost_usd: cost,
            seconds: answer.seconds,
            logs: rows,
        })))?;
        self.write_manifest()?;
        if row.state.counts() {
            let taken = self.layers.take_in(&self.progress.done, None);
            self.enter_layers(taken)?;
            row.layer = self.progress.done.last().and_then(|done| done.row.layer.clone());
        }
        self.agent.session = session;
        for denied in &row.reported.denied {
            self.told(&Event::Denied(denied.clone()));
        }
        let total = self.progress.total();
        self.told(&Event::TurnEnded { row: Box::new(row), changed, total });
        Ok(())
    }

    /// Puts folders of the agent's back that it took away, or in whose places it put something else: nothing of ours is
    /// written, recorded or removed by way of a link of the agent's.
    fn mend_stage(&mut self, turn: usize) -> Result<(), Halt> {
        for folder in self.stage.mend()? {
            self.warn(&format!(
                "turn {turn}: the agent took its folder {folder} away, or put something else in its place; an empty one is there now"
            ))?;
        }
        Ok(())
    }

    fn has_terminal(&self) -> bool {
        self.setup.in_terminal || self.agent.driver.naming() == Naming::Process
    }

    fn session_after(&self, sent: &Sent, heard: &AgentOutput) -> Option<String> {
        match self.agent.driver.naming() {
            Naming::None | Naming::History => None,
            Naming::Process => Some("process".into()),
            Naming::Chosen => sent.session.clone().or_else(|| Some(sent.fresh.clone())),
            Naming::Told => heard.session.clone().or_else(|| sent.session.clone()),
        }
    }

    /// Has the agent write its log down, where it keeps none in a file.
    fn export(&mut self, sent: &Sent, session: Option<&str>) -> Result<(), Halt> {
        let ask = Ask {
            setup: &self.setup,
            stage: &self.stage,
            session,
            fresh: &sent.fresh,
            prompt: "",
            prompt_file: &sent.prompt_file,
            turn: sent.turn,
        };
        let Some((call, path)) = self.agent.driver.export(&ask) else { return Ok(()) };
        let workspace = self.stage.workspace();
        let order = Order {
            call: &call,
            environment: &self.stage.environment,
            folder: &workspace,
            prompt_file: &sent.prompt_file,
            size: self.setup.size,
            confinement: &self.guard.confinement,
        };
        if let Err(why) = order.write(&path) {
            self.warn(&format!("the agent's log could not be written down: {why}"))?;
        }
        Ok(())
    }

    /// Gives the agent its session back as its log has it.
    pub fn import(&mut self, turn: usize) -> Result<(), Halt> {
        let prompt_file = self.stage.requests().join(format!("turn-{turn:03}.txt"));
        let ask = Ask {
            setup: &self.setup,
            stage: &self.stage,
            session: self.agent.session.as_deref(),
            fresh: "",
            prompt: "",
            prompt_file: &prompt_file,
            turn,
        };
        let workspace = self.stage.workspace();
        let mut last = Ok(());
        for call in self.agent.driver.import(&ask) {
            let order = Order {
                call: &call,
                environment: &self.stage.environment,
                folder: &workspace,
                prompt_file: &prompt_file,
                size: self.setup.size,
                confinement: &self.guard.confinement,
            };
            last = order.run();
        }
        if let Err(why) = last {
            self.agent.session = None;
            self.warn(&format!(
                "turn {turn} is done again in a new session: the one before could not be given back to the agent: {why}"
            ))?;
        }
        Ok(())
    }

    /// Logs that the agent no longer has are kept as they were.
    fn with_earlier(&self, mut rows: Vec<LogRow>) -> Vec<LogRow> {
        for old in self.progress.logs() {
            if !rows.iter().any(|row| row.name == old.name) {
                rows.push(old.clone());
            }
        }
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows
    }

    fn last_row(&self, sent: &Sent, answer: &Answer, verdict: &Verdict, state: State) -> TurnRow {
        let Answer { heard, ending, outcome, .. } = answer;
        let hidden = |words: &Vec<String>| -> Vec<String> {
            words.iter().map(|words| self.stage.secrets.hide(words)).collect()
        };
        let why = match verdict {
            Verdict::Failed(why) => Some(self.stage.secrets.hide(why)),
            Verdict::Stopped => Some("it was told to stop".into()),
            Verdict::Again => Some("a person wants it done again".into()),
            Verdict::Done => None,
        };
        let exited = matches!(outcome, Outcome::Exited(Ending { code: None, signal: None }));
        let known: Vec<String> =
            self.progress.done.iter().flat_map(|done| done.row.files.outside.clone()).collect();
        let strangers = self.stage.strangers().into_iter().filter(|it| !known.contains(it));
        TurnRow {
            turn: sent.turn,
            attempt: sent.attempt,
            ended_at: Some(journal::now()),
            state,
            exit: ending.filter(|_| !exited).map(Ending::words),
            why,
            reported: Reported {
                denied: hidden(&heard.denied),
                troubles: if state == State::Done { vec![] } else { hidden(&heard.troubles) },
                ..sent.row.reported.clone()
            },
            files: FileRemarks {
                outside: strangers.map(|name| self.stage.secrets.hide(&name)).collect(),
                ..sent.row.files.clone()
            },
            left_running: answer.left_running,
            typed: Typed { within: hidden(&answer.typed_within), ..sent.row.typed.clone() },
            ..sent.row.clone()
        }
    }

    fn place_in_log(&self, row: &mut TurnRow, now: &[LogRow], session: Option<&str>) {
        let before = self.progress.logs();
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

    /// What the turn used goes into its row; gives what the session used by now.
    fn used(&self, sent: &Sent, heard: &AgentOutput, row: &mut TurnRow) -> (Tokens, Option<f64>) {
        let last = self.progress.done.last().filter(|_| sent.session.is_some());
        let before = last.map_or(Tokens::default(), |done| done.session_tokens);
        let cost_before = last.and_then(|done| done.session_cost_usd);
        let (turn, session) = match heard.tokens {
            Amount::Unknown => (Tokens::default(), before),
            Amount::Turn(turn) => (turn, before + turn),
            Amount::Session(session) => (session.since(before), session),
        };
        row.reported.tokens = turn;
        let (cost, cost_session) = match heard.cost {
            Amount::Unknown => (None, cost_before),
            Amount::Turn(cost) => (Some(cost), Some(cost_before.unwrap_or(0.0) + cost)),
            Amount::Session(all) => (
                (all >= cost_before.unwrap_or(0.0)).then(|| all - cost_before.unwrap_or(0.0)),
                Some(all),
            ),
        };
        row.reported.cost_usd = cost;
        (session, cost_session)
    }

    fn commit(&mut self, sent: &Sent, row: &mut TurnRow) -> Result<(), Halt> {
        let request = self.script.request(sent.turn);
        let title = label(request.map_or("", |it| it.text.as_str()));
        let title = format!("turn {}: {}", sent.turn, heading(&title));
        let checkpoint = request.and_then(|it| it.checkpoint.clone());
        let mut trailers = vec![("Turn", sent.turn.to_string())];
        trailers.extend(checkpoint.map(|id| ("Checkpoint", id)));
        trailers.push(("Agent", self.setup.agent.clone()));
        if row.state != State::Done {
            let state = if row.state == State::Kept { "failed, kept" } else { "does not count" };
            trailers.push(("State", state.to_owned()));
        }
        let at = journal::time(row.ended_at.as_deref().unwrap_or_default());
        let title = self.stage.secrets.hide(&title);
        let note = Note { title: &title, trailers: &trailers, at };
        let Parts { stage, history, tell, .. } = self.parts();
        let onlooker = Onlooker {
            cover: &|bytes| stage.secrets.cover(bytes),
            count: &mut |files| tell(&Event::Recording { files }),
        };
        let taken = history.take(&stage.workspace(), sent.before.as_deref(), &note, onlooker)?;
        row.commit = Some(taken.commit);
        row.files.not_recorded =
            taken.left_out.iter().map(|(path, why)| format!("{path}: {why}")).collect();
        row.files.covered = taken.covered;
        for path in &row.files.covered {
            self.warn(&format!(
                "turn {}: a key stood in {path} and is covered with stars in the commit",
                row.turn
            ))?;
        }
        Ok(())
    }

    /// Tests the last turn that counts where that was left undone: the run was interrupted in between.
    pub fn test_what_was_left(&mut self) -> Result<(), Halt> {
        let turn = self.progress.done.len();
        let checkpoint = self.script.request(turn).and_then(|it| it.checkpoint.as_deref());
        let is_told = |id: &str| {
            let begins = untested(id);
            self.progress.remarks.iter().any(|it| it.starts_with(&begins))
        };
        let is_done = self.progress.is_tested || checkpoint.is_none_or(is_told);
        if is_done { Ok(()) } else { self.after_turn(turn) }
    }

    /// Tests, where the turn ended a checkpoint.
    pub fn after_turn(&mut self, turn: usize) -> Result<(), Halt> {
        self.attempts = 0;
        let checkpoint = self.script.request(turn).and_then(|it| it.checkpoint.clone());
        let (Some(checkpoint), Some(command)) = (checkpoint, self.setup.tests.clone()) else {
            return Ok(());
        };
        let folder = self.stage.root().join("tmp/tested");
        let _ = fs::remove_dir_all(&folder); // it may well not be there
        self.history.restore(&folder, self.progress.commit())?;
        self.seal()?;
        let seconds = self.setup.limits.timeouts.turn;
        let tested = checks::run(&command, &folder, &self.stage, &self.guard.confinement, seconds);
        super::process::sweep(&self.stage.id);
        self.compare(turn)?;
        match tested {
            Ok(tested) => {
                checks::enter(&self.bundle, &checkpoint, &tested)?;
                let (passed, total) = (tested.passed(), tested.total());
                let seconds = tested.seconds;
                let entry =
                    Entry::Tested { checkpoint: checkpoint.clone(), passed, total, seconds };
                self.record(&entry)?;
                self.told(&Event::Tested { checkpoint, passed, total, seconds });
            }
            Err(why) => self.warn(&format!("{}: {why}", untested(&checkpoint)))?,
        }
        let _ = fs::remove_dir_all(&folder); // it is made anew each time
        Ok(())
    }
}

/// How it is told that a checkpoint could not be tested, before the reason.
fn untested(checkpoint: &str) -> String {
    format!("checkpoint {checkpoint} was not tested")
}

/// A call as it is told and recorded: a request among its words is cut.
fn command_line(call: &Call) -> String {
    const LONGEST: usize = 200;
    let cut = |word: &String| match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.clone(),
    };
    let words: Vec<String> = std::iter::once(&call.program).chain(&call.args).map(cut).collect();
    super::command_line::shell_words(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The beginning of a request, in whole words.
fn heading(request: &str) -> String {
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

/// Whether something answers where the model server should be: some agents wait for ever where nothing does. The error is a
/// sentence.
pub fn reachable(setup: &Setup, stop: &Stop) -> Result<(), String> {
    let Some((url, (host, port))) = setup.server().and_then(|url| Some((url, host_of(url)?)))
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
        if attempt > 0 && !stop.wait(Duration::from_secs(1)) {
            break;
        }
        match connected(&host, port) {
            Ok(()) => return Ok(()),
            Err(said) => why = said,
        }
    }
    Err(format!("the model server at {url} does not answer: {why}"))
}

fn connected(host: &str, port: u16) -> Result<(), String> {
    let places = (host, port).to_socket_addrs().map_err(|why| why.to_string())?;
    let mut why = "it has no address".to_owned();
    for place in places {
        match TcpStream::connect_timeout(&place, Duration::from_secs(5)) {
            Ok(_) => return Ok(()),
            Err(said) => why = said.to_string(),
        }
    }
    Err(why)
}
