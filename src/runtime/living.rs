//! A run that is being made, behind its view: the agent on one thread, what is recorded of it read on another.
//!
//! The agent waits while the screen is behind: so many things that were told and not taken in, and its output is not read
//! any further. What the turn under way has changed is looked at from beside the run, now and then.

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use trajview_live as live;
use trajview_live::{
    CannotStart, Control, Ended, Event as Happened, Halt, Job, LiveCommand, Start, drivers,
};
use trajview_run::Tokens;
use trajview_tui::{
    session::{
        live::{Asked, Changed, Command, How, Layer, LiveEvent, Pause, Plan, Spent},
        place::{At, Place},
        views::{self, View},
    },
    shell::Message,
    views::live as view,
};

use super::{event::Event, recording::Opener};

/// What an agent thread came to.
pub type Outcome = Result<Ended, CannotStart>;

/// Things told that the screen has not taken in; the agent waits beyond.
const MOST_UNREAD: usize = 64;

/// How often the turn under way is looked at, and how long the recording may be behind.
const LOOK: Duration = Duration::from_millis(700);

/// A patch is cut to so many lines.
const MOST_LINES: usize = 400;

/// A line of an agent without a terminal is cut to so many characters.
const MOST_CHARS: usize = 1_000;

/// What is shown beside the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// What is recorded of it, growing.
    Recording,
    /// The same; the replay takes the whole screen when the run is over.
    RecordingThenReplay,
    /// The run that it was started from, which stays open.
    OtherRun,
}

/// The agent at work.
pub struct Living {
    control: Control,
    agent: Option<thread::JoinHandle<Outcome>>,
    /// One for each thing told; taken as it is taken in.
    unread: Receiver<()>,
}

impl Living {
    /// Starts the agent; what happens is sent as events.
    pub fn start(
        job: Job,
        start: Start,
        control: Control,
        (sender, opener): (Sender<Event>, Opener),
        beside: Beside,
    ) -> Self {
        live::adopt_orphans();
        let (tickets, unread) = bounded(MOST_UNREAD);
        let hands = control.clone();
        let agent = thread::Builder::new().name("live".into()).spawn(move || {
            let watch = Watch::start(&job, &sender, opener, beside);
            let teller = Reporter { job: &job, sender: &sender, tickets: &tickets, watch: &watch };
            let outcome = live::run(&job, start, &hands, &mut |event| teller.hear(event));
            watch.is_over.store(true, Ordering::Relaxed);
            watch.look();
            teller.tell(over(&job, &outcome));
            let is_whole = outcome.as_ref().is_ok_and(|ended| ended.halted.is_none());
            if beside == Beside::RecordingThenReplay && is_whole {
                let _ = sender.send(Event::Living(Message::View(views::Message::Number(
                    View::Replay.number(),
                )))); // as above
            }
            outcome
        });
        Self { control, agent: agent.ok(), unread }
    }

    /// One thing told was taken in.
    pub fn took(&self) {
        let _ = self.unread.try_recv(); // the last words have no ticket when nobody waits
    }

    /// What the person wants; false where the agent does not read its keys.
    pub fn ask(&self, command: Command) -> bool {
        self.control.wish(match command {
            Command::Resume(_) => return false, // begins another, see `World::begin_live`
            Command::Type(bytes) => LiveCommand::Keys(bytes),
            Command::Resize(size) => LiveCommand::Resize(size.width, size.height),
            Command::Pause => LiveCommand::Pause,
            Command::GoOn => LiveCommand::GoOn,
            Command::Skip => LiveCommand::Skip,
            Command::Edit(text) => LiveCommand::Edit(text),
            Command::Retry => LiveCommand::Retry,
            Command::Stop => LiveCommand::Stop,
        })
    }

    /// Ends the run, if it goes on, and waits for its end. None where it never began or broke off.
    pub fn end(mut self) -> Option<Outcome> {
        self.control.wish(LiveCommand::Stop);
        let agent = self.agent.take()?;
        // Nobody takes in what is told any more: the agent's thread must not wait for that.
        while !agent.is_finished() {
            let _ = self.unread.recv_timeout(Duration::from_millis(20));
        }
        agent.join().ok()
    }
}

struct Reporter<'a> {
    job: &'a Job,
    sender: &'a Sender<Event>,
    tickets: &'a Sender<()>,
    watch: &'a Watch,
}

impl Reporter<'_> {
    fn tell(&self, told: LiveEvent) {
        let _ = self.tickets.send(()); // waits while the screen is behind; without a screen nobody listens
        let message = Message::Live(view::Message::LiveEvent(told));
        let _ = self.sender.send(Event::Living(message)); // the loop may already have gone home
    }

    fn hear(&self, event: &Happened) {
        match event {
            Happened::TurnBegan { .. } => self.watch.is_working.store(true, Ordering::Relaxed),
            Happened::TurnEnded { .. } => self.watch.is_working.store(false, Ordering::Relaxed),
            _ => {}
        }
        told(self.job, event).into_iter().for_each(|told| self.tell(told));
        let is_news = match event {
            Happened::Opened { done, .. } => *done > 0,
            Happened::Grew | Happened::TurnEnded { .. } => true,
            _ => false,
        };
        if is_news {
            self.watch.look();
        }
    }
}

/// What an event is to the screen.
fn told(job: &Job, event: &Happened) -> Vec<LiveEvent> {
    match event {
        Happened::Opened { agent, version, condition, done, .. } => {
            let agent = called(agent, version.as_deref());
            vec![LiveEvent::Planned(plan(job, agent, condition, *done))]
        }
        Happened::Waits { why, .. } => {
            let sentence = match why {
                live::Why::Failed(why) => Some(LiveEvent::Warned(why.clone())),
                live::Why::StepByStep | live::Why::Paused | live::Why::Prompt => None,
            };
            sentence.into_iter().chain([LiveEvent::Waits(pause(why))]).collect()
        }
        Happened::TurnBegan { turn, request, attempt, layers, .. } => {
            let layer = |it: &live::manifest::LayerRow| Layer {
                name: it.name.clone(),
                why: it.why.clone(),
            };
            let layers = layers.iter().map(layer).collect();
            let began = LiveEvent::Began { turn: *turn, attempt: *attempt, layers };
            let heading = (!has_screen(job)).then(|| heading(*turn, *attempt, request));
            heading.map(LiveEvent::Wrote).into_iter().chain([began]).collect()
        }
        Happened::Started { has_terminal, .. } => {
            vec![LiveEvent::Started { has_terminal: *has_terminal }]
        }
        Happened::Terminal(bytes) => vec![LiveEvent::Wrote(bytes.clone())],
        Happened::Said(line) => vec![LiveEvent::Wrote(shown(line).into_bytes())],
        Happened::Denied(what) => vec![LiveEvent::Warned(format!("not allowed: {what}"))],
        Happened::Grew | Happened::Used { .. } | Happened::Edited { .. } => vec![],
        Happened::Recording { files } => vec![LiveEvent::Recording(*files)],
        Happened::TurnEnded { row, total, changed } => {
            let spent = Spent { tokens: sum(&total.tokens), cost: total.cost_usd };
            let ended = ended(row);
            let end = (!has_screen(job)).then(|| ending(&ended, changed.len()));
            end.map(LiveEvent::Wrote).into_iter().chain([ended, LiveEvent::Spent(spent)]).collect()
        }
        Happened::Tested { checkpoint, passed, total, .. } => {
            vec![LiveEvent::Tested {
                checkpoint: checkpoint.clone(),
                passed: *passed,
                total: *total,
            }]
        }
        Happened::Skipped { .. } => vec![LiveEvent::Skipped],
        Happened::Typed { turn, request } => {
            vec![LiveEvent::Typed { turn: *turn, text: request.clone() }]
        }
        Happened::Queued(text) => vec![LiveEvent::Warned(format!("asked after this turn: {text}"))],
        Happened::Redo { turn } => vec![LiveEvent::Redo(*turn)],
        Happened::Again { turn, why } => {
            vec![LiveEvent::Warned(format!("turn {turn} is done again: {why}"))]
        }
        Happened::Beginning(words) | Happened::Warned(words) => {
            vec![LiveEvent::Warned(words.clone())]
        }
    }
}

/// Whether the agent has a screen of its own, in which nothing of ours is to stand.
fn has_screen(job: &Job) -> bool {
    let is_process = |driver: Box<dyn drivers::Driver>| driver.naming() == drivers::Naming::Process;
    job.setup.in_terminal || drivers::of(&job.setup).is_ok_and(is_process)
}

/// Lines of a request that are shown above what the agent says to it.
const MOST_REQUEST_LINES: usize = 12;

/// Where a turn begins in the output of an agent without a screen: its number, and what it was asked.
fn heading(turn: usize, attempt: usize, request: &str) -> Vec<u8> {
    let attempt = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
    let mut text = format!("\r\n\x1b[1m── turn {turn}{attempt} ──\x1b[0m\r\n");
    let lines: Vec<&str> = request.lines().collect();
    for line in lines.iter().take(MOST_REQUEST_LINES) {
        text += &format!("\x1b[36m› {}\x1b[0m\r\n", shown(line).trim_end());
    }
    let more = lines.len().saturating_sub(MOST_REQUEST_LINES);
    if more > 0 {
        text += &format!("\x1b[36m› … {more} more lines\x1b[0m\r\n");
    }
    text.into_bytes()
}

/// Where it ends: how, how long it took, how many files it changed.
fn ending(ended: &LiveEvent, changed: usize) -> Vec<u8> {
    let LiveEvent::Ended { turn, how, seconds } = ended else { return vec![] };
    let how = match how {
        How::Done => "done".to_owned(),
        How::Failed(why) => format!("failed: {}", shown(why).trim_end()),
    };
    let seconds = trajview_run::figures::duration(*seconds);
    let files = if changed == 1 { "1 file".to_owned() } else { format!("{changed} files") };
    format!("\x1b[2m── turn {turn} {how}, {seconds}, {files} changed ──\x1b[0m\r\n").into_bytes()
}

fn ended(row: &live::manifest::TurnRow) -> LiveEvent {
    let how = row.why.clone().map_or(How::Done, How::Failed);
    let seconds = seconds(row.started_at.as_deref(), row.ended_at.as_deref());
    LiveEvent::Ended { turn: row.turn, how, seconds }
}

/// What a bundle tells of the run that made it, as far as that has come; None where no live run made it. Nothing here
/// knows whether it still goes on elsewhere.
pub fn recorded(bundle: &Path) -> Option<Vec<LiveEvent>> {
    let before = live::journal::read(bundle)?;
    let job = Job::of_bundle(bundle).ok()?;
    let progress = &before.progress;
    let agent = called(&job.setup.agent, before.version.as_deref());
    let condition = job.setup.condition.word();
    let mut all = vec![LiveEvent::Planned(plan(&job, agent, condition, progress.done.len()))];
    if let Some(screen) = live::cast::output_of(bundle) {
        all.extend([
            LiveEvent::Started { has_terminal: true },
            LiveEvent::Wrote(screen),
            LiveEvent::Silent,
        ]);
    } else {
        all.extend(progress.done.iter().filter_map(|done| printed(&job, &done.row)));
    }
    all.extend(progress.done.iter().map(|done| ended(&done.row)));
    let total = progress.total();
    all.push(LiveEvent::Spent(Spent { tokens: sum(&total.tokens), cost: total.cost_usd }));
    all.extend(progress.remarks.iter().cloned().map(LiveEvent::Warned));
    all.extend(end_of(progress, &job));
    Some(all)
}

/// What an agent without a terminal printed in a turn, below its heading, as it was shown while it ran.
fn printed(job: &Job, row: &live::manifest::TurnRow) -> Option<LiveEvent> {
    let output = live::logs::output_of(&job.bundle, row.turn)?;
    let request = job.script.requests.iter().find(|it| it.turn == row.turn);
    let request = request.map_or("", |it| it.text.as_str());
    let mut bytes = heading(row.turn, row.attempt, request);
    for line in String::from_utf8_lossy(&output).lines() {
        bytes.extend(shown(line).into_bytes());
    }
    Some(LiveEvent::Wrote(bytes))
}

fn end_of(progress: &live::journal::Progress, job: &Job) -> Vec<LiveEvent> {
    let over = |words: String, is_whole| vec![LiveEvent::Over { words, is_whole }];
    match (&progress.stopped, &progress.open) {
        _ if progress.is_finished => over(whole(job).into(), true),
        (Some(why), _) => over(format!("stopped: {why}; --resume goes on"), false),
        _ if !live::journal::is_under_way(&job.bundle) => {
            over("interrupted; --resume goes on".into(), false)
        }
        (None, open) => {
            let began = |row: &live::manifest::TurnRow| LiveEvent::Began {
                turn: row.turn,
                attempt: row.attempt,
                layers: vec![],
            };
            open.iter().map(began).chain([LiveEvent::Elsewhere]).collect()
        }
    }
}

/// Reads the recording as it grows, and looks at the turn under way.
struct Watch {
    wishes: Sender<()>,
    is_working: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    fn start(job: &Job, sender: &Sender<Event>, opener: Opener, beside: Beside) -> Self {
        let (wishes, wanted) = bounded(1);
        let (is_working, is_over) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let eyes = Observer {
            job: job.clone(),
            sender: sender.clone(),
            opener,
            is_working: is_working.clone(),
            is_over: is_over.clone(),
            is_open: false,
            beside,
            changed: vec![],
        };
        // Without this thread the replay does not grow; everything else goes on.
        let _ = thread::Builder::new().name("beside".into()).spawn(move || eyes.watch(&wanted));
        Self { wishes, is_working, is_over }
    }

    /// The recording has changed.
    fn look(&self) {
        let _ = self.wishes.try_send(()); // one look sees everything
    }
}

struct Observer {
    job: Job,
    sender: Sender<Event>,
    opener: Opener,
    is_working: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    is_open: bool,
    beside: Beside,
    changed: Vec<Changed>,
}

impl Observer {
    fn watch(mut self, wanted: &Receiver<()>) {
        trajview_store::stand_back(); // the screen comes first
        loop {
            match wanted.recv_timeout(LOOK) {
                Ok(()) => self.read(),
                Err(RecvTimeoutError::Timeout) => self.compare(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.is_over.load(Ordering::Relaxed) && wanted.is_empty() {
                return;
            }
        }
    }

    /// Shows the recording, or what is new in it.
    fn read(&mut self) {
        if self.beside == Beside::OtherRun {
            return;
        }
        let bundle: PathBuf = self.job.bundle.clone();
        // Half a recording is none yet; the next look will tell.
        let opened = catch_unwind(AssertUnwindSafe(|| self.opener.open(&bundle)));
        let Ok(Ok(opened)) = opened else { return };
        if opened.run.turns.is_empty() {
            return;
        }
        let event = if self.is_open {
            Event::Grown(opened)
        } else {
            self.is_open = true;
            let last = At::Turn(opened.run.turns.len());
            Event::Asked(Message::Open(
                bundle,
                Place { turn: Some(last), follows: true, ..Place::default() },
            ))
        };
        let _ = self.sender.send(event); // the loop may already have gone home
    }

    fn compare(&mut self) {
        if !self.is_working.load(Ordering::Relaxed) {
            self.changed.clear();
            return;
        }
        let patch = catch_unwind(AssertUnwindSafe(|| live::under_way::patch(&self.job)));
        let Ok(Ok(patch)) = patch else { return };
        let changed = files_of(&patch);
        if changed != self.changed {
            self.changed.clone_from(&changed);
            let message = Message::Live(view::Message::LiveEvent(LiveEvent::Changed(changed)));
            let _ = self.sender.send(Event::Asked(message)); // the loop may already have gone home
        }
    }
}

/// `codex 0.169.0`
fn called(agent: &str, version: Option<&str>) -> String {
    [Some(agent), version].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn plan(job: &Job, agent: String, condition: &str, done: usize) -> Plan {
    let budget = job.setup.limits.budget;
    let limits = [
        budget.tokens.map(|tokens| format!("{tokens} tokens")),
        budget.usd.map(|usd| format!("${usd}")),
        budget.minutes.map(|minutes| format!("{minutes} minutes")),
        budget.turns.map(|turns| format!("{turns} turns")),
    ];
    let asked = |request: &live::script::Request| Asked {
        turn: request.turn,
        text: request.text.clone(),
        checkpoint: request.checkpoint.clone(),
        is_typed: request.typed,
    };
    Plan {
        agent,
        condition: condition.to_owned(),
        out: job.bundle.display().to_string(),
        requests: job.script.requests.iter().map(asked).collect(),
        done,
        is_chat: job.script.chat,
        is_interactive: false,
        limits: limits.into_iter().flatten().collect(),
    }
}

const fn pause(why: &live::Why) -> Pause {
    match why {
        live::Why::StepByStep => Pause::BeforeEach,
        live::Why::Paused => Pause::Asked,
        live::Why::Prompt => Pause::Prompt,
        live::Why::Failed(_) => Pause::Failure,
    }
}

/// A line of an agent without a terminal: it must not move the cursor.
fn shown(line: &str) -> String {
    let kept: String = line.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect();
    format!("{kept}\r\n")
}

/// 0 where the times are not known.
fn seconds(from: Option<&str>, to: Option<&str>) -> f64 {
    let time = |text: Option<&str>| text?.parse::<jiff::Timestamp>().ok();
    let (Some(from), Some(to)) = (time(from), time(to)) else { return 0.0 };
    to.duration_since(from).as_secs_f64().max(0.0)
}

/// Input and output; None where neither is told.
fn sum(tokens: &Tokens) -> Option<u64> {
    match (tokens.input, tokens.output) {
        (None, None) => None,
        (input, output) => Some(input.unwrap_or_default() + output.unwrap_or_default()),
    }
}

/// How a run ended that was not halted.
const fn whole(job: &Job) -> &'static str {
    if job.script.chat { "the chat is over" } else { "every request was asked" }
}

fn over(job: &Job, outcome: &Outcome) -> LiveEvent {
    let (words, is_whole) = match outcome {
        Err(why) => (why.to_string(), false),
        Ok(Ended { halted: None, .. }) => (whole(job).into(), true),
        Ok(Ended { halted: Some(halt), .. }) => (halted(halt), false),
    };
    LiveEvent::Over { words, is_whole }
}

fn halted(halt: &Halt) -> String {
    match halt {
        Halt::Stopped => "stopped; --resume goes on".into(),
        Halt::Budget(why) => format!("stopped: {why}; --resume with a higher limit goes on"),
        Halt::Failed { turn, why } => format!("turn {turn}: {why}; --resume does it again"),
        Halt::NotReady(why) => format!("{why}; nothing was asked; --resume tries it again"),
        Halt::Write(why) => format!("{why}; --resume goes on"),
    }
}

/// The files of a unified patch, each with its part.
fn files_of(patch: &str) -> Vec<Changed> {
    let mut files: Vec<Changed> = vec![];
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let path = names.rsplit_once(" b/").map_or(names, |(_, path)| path);
            let path = path.trim_matches('"').to_owned();
            files.push(Changed { path, lines: Some((0, 0)), patch: String::new() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            file.lines = None;
        }
        let is_of_patch = line.starts_with(['@', '+', '-', ' ']) && !is_heading(line, file);
        if !is_of_patch {
            continue;
        }
        if let Some((added, removed)) = &mut file.lines {
            *added += usize::from(line.starts_with('+'));
            *removed += usize::from(line.starts_with('-'));
        }
        if file.patch.lines().count() < MOST_LINES {
            file.patch.push_str(line);
            file.patch.push('\n');
        }
    }
    files
}

/// `--- a/x` and `+++ b/x`, before the first hunk.
fn is_heading(line: &str, file: &Changed) -> bool {
    file.patch.is_empty() && (line.starts_with("--- ") || line.starts_with("+++ "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_told_file_by_file() {
        let patch = "diff --git a/a.py b/a.py\nindex 1..2\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-x\n+y\n+--- z\ndiff --git a/b.png b/b.png\nBinary files differ\n";

        let files = files_of(patch);

        assert_eq!(files.len(), 2);
        assert_eq!((files[0].path.as_str(), files[0].lines), ("a.py", Some((2, 1))));
        assert_eq!(files[0].patch, "@@ -1 +1,2 @@\n-x\n+y\n+--- z\n");
        assert_eq!((files[1].path.as_str(), files[1].lines), ("b.png", None));
    }

    #[test]
    fn a_line_cannot_move_the_cursor() {
        assert_eq!(shown("a\u{1b}[2Jb\rc"), "a[2Jbc\r\n");
    }
}
