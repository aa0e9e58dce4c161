//! A live run behind its view: one thread runs the agent, another reads the recording so far.
//!
//! The agent waits while the screen is behind: with a limited number of unprocessed events its output is not read any
//! further. The changes of the turn under way are computed beside the run, now and then.

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
    CannotStart, LiveRunEnd, RunControl, RunEvent, RunHalt, RunJob, StartMode, drivers,
};
use trajview_run::live::{LiveCommand, WaitReason};
use trajview_tui::{
    session::{
        live::{
            LayerEffect, LiveEvent, LiveFileChange, LivePlan, LiveSpending, PlannedRequest, TurnEnd,
        },
        start_place::{NamedMoment, StartPlace},
        views::{self, View},
    },
    shell::AppMessage,
    views::live as view,
};

use super::{event::RuntimeEvent, run_opener::RunOpener};

/// The result of an agent thread.
pub type LiveOutcome = Result<LiveRunEnd, CannotStart>;

/// The largest number of unprocessed events; the agent waits beyond.
const MAX_UNREAD: usize = 64;

/// The interval at which the turn under way is checked, and how long the recording may be behind.
const POLL_INTERVAL: Duration = Duration::from_millis(700);

/// The longest patch that is shown (lines).
const MAX_PATCH_LINES: usize = 400;

/// The longest line of an agent without a terminal that is shown (characters).
const MAX_LINE_CHARS: usize = 1_000;

/// The content beside the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BesideAgent {
    /// The recording so far, growing.
    Recording,
    /// The recording so far; the replay gets the whole screen when the run is over.
    RecordingThenReplay,
    /// The run that it was started from, which stays open.
    OtherRun,
}

/// The agent at work.
pub struct LiveWorker {
    control: RunControl,
    agent: Option<thread::JoinHandle<LiveOutcome>>,
    /// One ticket for each event; removed when it is processed.
    unread: Receiver<()>,
}

impl LiveWorker {
    /// Starts the agent; its events are sent to the run loop.
    pub(crate) fn start_agent(
        job: RunJob,
        start: StartMode,
        control: RunControl,
        (sender, opener): (Sender<RuntimeEvent>, RunOpener),
        beside: BesideAgent,
    ) -> Self {
        live::adopt_orphans();
        let (tickets, unread) = bounded(MAX_UNREAD);
        let hands = control.clone();
        let agent = thread::Builder::new().name("live".into()).spawn(move || {
            let watch = RecordingWatch::start_watch(&job, &sender, opener, beside);
            let teller =
                LiveEventSender { job: &job, sender: &sender, tickets: &tickets, watch: &watch };
            let outcome = live::run_job(&job, start, &hands, &mut |event| teller.on_event(event));
            watch.is_over.store(true, Ordering::Relaxed);
            watch.request_look();
            teller.send_event(over_event(&job, &outcome));
            let is_whole = outcome.as_ref().is_ok_and(|ended| ended.halted.is_none());
            if beside == BesideAgent::RecordingThenReplay && is_whole {
                let _ = sender.send(RuntimeEvent::Living(AppMessage::View(
                    views::ViewMessage::Number(View::Replay.view_number()),
                ))); // as above
            }
            outcome
        });
        Self { control, agent: agent.ok(), unread }
    }

    /// Removes the ticket of a processed event.
    pub(crate) fn take_ticket(&self) {
        let _ = self.unread.try_recv(); // the last event has no ticket when nothing waits
    }

    /// Sends a command to the agent; false when the agent does not read its keys.
    pub fn send_command(&self, command: LiveCommand) -> bool {
        self.control.send_command(command)
    }

    /// Stops the run if it goes on, and waits for its end. None when it never began or broke off.
    pub fn end_run(mut self) -> Option<LiveOutcome> {
        self.control.send_command(LiveCommand::Stop);
        let agent = self.agent.take()?;
        // No events are processed any more: the agent's thread must not wait for that.
        while !agent.is_finished() {
            let _ = self.unread.recv_timeout(Duration::from_millis(20));
        }
        agent.join().ok()
    }
}

struct LiveEventSender<'a> {
    job: &'a RunJob,
    sender: &'a Sender<RuntimeEvent>,
    tickets: &'a Sender<()>,
    watch: &'a RecordingWatch,
}

impl LiveEventSender<'_> {
    fn send_event(&self, event: LiveEvent) {
        let _ = self.tickets.send(()); // waits while the screen is behind; without a screen the receiver is gone
        let message = AppMessage::Live(view::LiveMessage::LiveEvent(event));
        let _ = self.sender.send(RuntimeEvent::Living(message)); // the loop may have ended
    }

    fn on_event(&self, event: &RunEvent) {
        match event {
            RunEvent::TurnBegan { .. } => self.watch.is_working.store(true, Ordering::Relaxed),
            RunEvent::TurnEnded { .. } => self.watch.is_working.store(false, Ordering::Relaxed),
            _ => {}
        }
        screen_events(self.job, event).into_iter().for_each(|event| self.send_event(event));
        let is_news = match event {
            RunEvent::Opened { done, .. } => *done > 0,
            RunEvent::LogGrew | RunEvent::TurnEnded { .. } => true,
            _ => false,
        };
        if is_news {
            self.watch.request_look();
        }
    }
}

/// Returns the screen events for an event of the run.
fn screen_events(job: &RunJob, event: &RunEvent) -> Vec<LiveEvent> {
    match event {
        RunEvent::Opened { agent, version, condition, done, .. } => {
            let agent = agent_name(agent, version.as_deref());
            vec![LiveEvent::Planned(run_plan(job, agent, condition, *done))]
        }
        RunEvent::Waits { why, .. } => {
            let sentence = match why {
                WaitReason::Failed(why) => Some(LiveEvent::Warned(why.clone())),
                WaitReason::StepByStep | WaitReason::Paused | WaitReason::Prompt => None,
            };
            sentence.into_iter().chain([LiveEvent::Waits(why.clone())]).collect()
        }
        RunEvent::TurnBegan { turn, request, attempt, layers, .. } => {
            let layer = |it: &live::manifest::LayerRow| LayerEffect {
                name: it.name.clone(),
                why: it.why.clone(),
            };
            let layers = layers.iter().map(layer).collect();
            let began = LiveEvent::Began { turn: *turn, attempt: *attempt, layers };
            let heading = (!has_screen(job)).then(|| turn_heading(*turn, *attempt, request));
            heading.map(LiveEvent::Wrote).into_iter().chain([began]).collect()
        }
        RunEvent::Started { has_terminal, .. } => {
            vec![LiveEvent::Started { has_terminal: *has_terminal }]
        }
        RunEvent::Terminal(bytes) => vec![LiveEvent::Wrote(bytes.clone())],
        RunEvent::AgentLine(line) => vec![LiveEvent::Wrote(output_line(line).into_bytes())],
        RunEvent::Denied(what) => vec![LiveEvent::Warned(format!("not allowed: {what}"))],
        RunEvent::LogGrew | RunEvent::Used { .. } | RunEvent::Edited { .. } => vec![],
        RunEvent::ReadingFiles { files } => vec![LiveEvent::Recording(*files)],
        RunEvent::TurnEnded { row, total, changed } => {
            let spent = LiveSpending { tokens: total.tokens.total(), cost: total.cost_usd };
            let ended = turn_ended(row);
            let end = (!has_screen(job)).then(|| turn_ending(&ended, changed.len()));
            end.map(LiveEvent::Wrote).into_iter().chain([ended, LiveEvent::Spent(spent)]).collect()
        }
        RunEvent::Tested { checkpoint, passed, total, .. } => {
            vec![LiveEvent::Tested {
                checkpoint: checkpoint.clone(),
                passed: *passed,
                total: *total,
            }]
        }
        RunEvent::Skipped { .. } => vec![LiveEvent::Skipped],
        RunEvent::Typed { turn, request } => {
            vec![LiveEvent::Typed { turn: *turn, text: request.clone() }]
        }
        RunEvent::Queued(text) => vec![LiveEvent::Warned(format!("asked after this turn: {text}"))],
        RunEvent::Redo { turn } => vec![LiveEvent::Redo(*turn)],
        RunEvent::TurnRepeated { turn, why } => {
            vec![LiveEvent::Warned(format!("turn {turn} is done again: {why}"))]
        }
        RunEvent::Preparing(words) | RunEvent::Warned(words) => {
            vec![LiveEvent::Warned(words.clone())]
        }
    }
}

/// Returns whether the agent has a screen of its own, in which nothing of ours may appear.
fn has_screen(job: &RunJob) -> bool {
    let is_process = |driver: Box<dyn drivers::Driver>| {
        driver.session_naming() == drivers::SessionNaming::Process
    };
    job.setup.in_terminal || drivers::driver_for_setup(&job.setup).is_ok_and(is_process)
}

/// The largest number of lines of a request that are shown above the agent's output.
const MAX_REQUEST_LINES: usize = 12;

/// Returns the heading of a turn in the output of an agent without a screen: its number and its request.
fn turn_heading(turn: usize, attempt: usize, request: &str) -> Vec<u8> {
    let attempt = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
    let mut text = format!("\r\n\x1b[1m── turn {turn}{attempt} ──\x1b[0m\r\n");
    let lines: Vec<&str> = request.lines().collect();
    for line in lines.iter().take(MAX_REQUEST_LINES) {
        text += &format!("\x1b[36m› {}\x1b[0m\r\n", output_line(line).trim_end());
    }
    let more = lines.len().saturating_sub(MAX_REQUEST_LINES);
    if more > 0 {
        text += &format!("\x1b[36m› … {more} more lines\x1b[0m\r\n");
    }
    text.into_bytes()
}

/// Returns the end of a turn in that output: result, duration, number of changed files.
fn turn_ending(ended: &LiveEvent, changed: usize) -> Vec<u8> {
    let LiveEvent::Ended { turn, how, seconds } = ended else { return vec![] };
    let how = match how {
        TurnEnd::Done => "done".to_owned(),
        TurnEnd::Failed(why) => format!("failed: {}", output_line(why).trim_end()),
    };
    let seconds = trajview_run::format_number::duration_text(*seconds);
    let files = if changed == 1 { "1 file".to_owned() } else { format!("{changed} files") };
    format!("\x1b[2m── turn {turn} {how}, {seconds}, {files} changed ──\x1b[0m\r\n").into_bytes()
}

fn turn_ended(row: &live::manifest::LiveTurnRow) -> LiveEvent {
    let how = row.why.clone().map_or(TurnEnd::Done, TurnEnd::Failed);
    let seconds = seconds_between(row.started_at.as_deref(), row.ended_at.as_deref());
    LiveEvent::Ended { turn: row.turn, how, seconds }
}

/// Returns the events of the run that made a bundle, as far as it has come; None when no live run made it. It is not known
/// here whether the run still goes on elsewhere.
pub fn recorded_events(bundle: &Path) -> Option<Vec<LiveEvent>> {
    let before = live::journal::read_journal(bundle)?;
    let job = RunJob::from_bundle(bundle).ok()?;
    let progress = &before.progress;
    let agent = agent_name(&job.setup.agent, before.version.as_deref());
    let condition = job.setup.condition.word();
    let mut all = vec![LiveEvent::Planned(run_plan(&job, agent, condition, progress.done.len()))];
    if let Some(screen) = live::terminal_recording::recorded_output(bundle) {
        all.extend([
            LiveEvent::Started { has_terminal: true },
            LiveEvent::Wrote(screen),
            LiveEvent::Silent,
        ]);
    } else {
        all.extend(progress.done.iter().filter_map(|done| printed_output(&job, &done.row)));
    }
    all.extend(progress.done.iter().map(|done| turn_ended(&done.row)));
    let total = progress.used_in_total();
    all.push(LiveEvent::Spent(LiveSpending { tokens: total.tokens.total(), cost: total.cost_usd }));
    all.extend(progress.remarks.iter().cloned().map(LiveEvent::Warned));
    all.extend(end_events(progress, &job));
    Some(all)
}

/// Returns the output of an agent without a terminal in a turn, below its heading, as it was shown while it ran.
fn printed_output(job: &RunJob, row: &live::manifest::LiveTurnRow) -> Option<LiveEvent> {
    let output = live::logs::turn_output(&job.bundle, row.turn)?;
    let request = job.script.requests.iter().find(|it| it.turn == row.turn);
    let request = request.map_or("", |it| it.text.as_str());
    let mut bytes = turn_heading(row.turn, row.attempt, request);
    for line in String::from_utf8_lossy(&output).lines() {
        bytes.extend(output_line(line).into_bytes());
    }
    Some(LiveEvent::Wrote(bytes))
}

fn end_events(progress: &live::journal::LiveProgress, job: &RunJob) -> Vec<LiveEvent> {
    let over = |words: String, is_whole| vec![LiveEvent::Over { words, is_whole }];
    match (&progress.stopped, &progress.open) {
        _ if progress.is_finished => over(complete_text(job).into(), true),
        (Some(why), _) => over(format!("stopped: {why}; --resume goes on"), false),
        _ if !live::journal::is_under_way(&job.bundle) => {
            over("interrupted; --resume goes on".into(), false)
        }
        (None, open) => {
            let began = |row: &live::manifest::LiveTurnRow| LiveEvent::Began {
                turn: row.turn,
                attempt: row.attempt,
                layers: vec![],
            };
            open.iter().map(began).chain([LiveEvent::Elsewhere]).collect()
        }
    }
}

/// Reads the recording as it grows, and checks the turn under way.
struct RecordingWatch {
    wishes: Sender<()>,
    is_working: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
}

impl RecordingWatch {
    fn start_watch(
        job: &RunJob,
        sender: &Sender<RuntimeEvent>,
        opener: RunOpener,
        beside: BesideAgent,
    ) -> Self {
        let (wishes, wanted) = bounded(1);
        let (is_working, is_over) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let eyes = LiveObserver {
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
        let _ =
            thread::Builder::new().name("beside".into()).spawn(move || eyes.run_observer(&wanted));
        Self { wishes, is_working, is_over }
    }

    /// Requests a read, because the recording has changed.
    fn request_look(&self) {
        let _ = self.wishes.try_send(()); // one look sees everything
    }
}

struct LiveObserver {
    job: RunJob,
    sender: Sender<RuntimeEvent>,
    opener: RunOpener,
    is_working: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    is_open: bool,
    beside: BesideAgent,
    changed: Vec<LiveFileChange>,
}

impl LiveObserver {
    fn run_observer(mut self, wanted: &Receiver<()>) {
        trajview_store::lower_priority(); // the screen comes first
        loop {
            match wanted.recv_timeout(POLL_INTERVAL) {
                Ok(()) => self.read_recording(),
                Err(RecvTimeoutError::Timeout) => self.compare_workspace(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.is_over.load(Ordering::Relaxed) && wanted.is_empty() {
                return;
            }
        }
    }

    /// Sends the recording, or its growth, to the screen.
    fn read_recording(&mut self) {
        if self.beside == BesideAgent::OtherRun {
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
            RuntimeEvent::Grown(opened)
        } else {
            self.is_open = true;
            let last = NamedMoment::Turn(opened.run.turns.len());
            RuntimeEvent::Asked(AppMessage::Open(
                bundle,
                StartPlace { turn: Some(last), follows: true, ..StartPlace::default() },
            ))
        };
        let _ = self.sender.send(event); // the loop may have ended
    }

    fn compare_workspace(&mut self) {
        if !self.is_working.load(Ordering::Relaxed) {
            self.changed.clear();
            return;
        }
        let patch = catch_unwind(AssertUnwindSafe(|| live::live_changes::patch_so_far(&self.job)));
        let Ok(Ok(patch)) = patch else { return };
        let changed = files_of_patch(&patch);
        if changed != self.changed {
            self.changed.clone_from(&changed);
            let message =
                AppMessage::Live(view::LiveMessage::LiveEvent(LiveEvent::Changed(changed)));
            let _ = self.sender.send(RuntimeEvent::Asked(message)); // the loop may have ended
        }
    }
}

/// Returns agent and version, such as `codex 0.169.0`.
fn agent_name(agent: &str, version: Option<&str>) -> String {
    [Some(agent), version].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn run_plan(job: &RunJob, agent: String, condition: &str, done: usize) -> LivePlan {
    let budget = job.setup.limits.budget;
    let limits = [
        budget.tokens.map(|tokens| format!("{tokens} tokens")),
        budget.usd.map(|usd| format!("${usd}")),
        budget.minutes.map(|minutes| format!("{minutes} minutes")),
        budget.turns.map(|turns| format!("{turns} turns")),
    ];
    let asked = |request: &live::script::ScriptedRequest| PlannedRequest {
        turn: request.turn,
        text: request.text.clone(),
        checkpoint: request.checkpoint.clone(),
        is_typed: request.typed,
    };
    LivePlan {
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

/// Returns a line of an agent without a terminal, without characters that would move the cursor.
fn output_line(line: &str) -> String {
    let kept: String = line.chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect();
    format!("{kept}\r\n")
}

/// Returns the seconds between two times; 0 when they are not known.
fn seconds_between(from: Option<&str>, to: Option<&str>) -> f64 {
    let time = |text: Option<&str>| text?.parse::<jiff::Timestamp>().ok();
    let (Some(from), Some(to)) = (time(from), time(to)) else { return 0.0 };
    to.duration_since(from).as_secs_f64().max(0.0)
}

/// Returns the sentence for a run that ended by itself.
const fn complete_text(job: &RunJob) -> &'static str {
    if job.script.chat { "the chat is over" } else { "every request was asked" }
}

fn over_event(job: &RunJob, outcome: &LiveOutcome) -> LiveEvent {
    let (words, is_whole) = match outcome {
        Err(why) => (why.to_string(), false),
        Ok(LiveRunEnd { halted: None, .. }) => (complete_text(job).into(), true),
        Ok(LiveRunEnd { halted: Some(halt), .. }) => (halt_text(halt), false),
    };
    LiveEvent::Over { words, is_whole }
}

fn halt_text(halt: &RunHalt) -> String {
    match halt {
        RunHalt::Stopped => "stopped; --resume goes on".into(),
        RunHalt::Budget(why) => format!("stopped: {why}; --resume with a higher limit goes on"),
        RunHalt::Failed { turn, why } => format!("turn {turn}: {why}; --resume does it again"),
        RunHalt::NotReady(why) => format!("{why}; nothing was asked; --resume tries it again"),
        RunHalt::Write(why) => format!("{why}; --resume goes on"),
    }
}

/// Returns the files of a unified patch, each with its part.
fn files_of_patch(patch: &str) -> Vec<LiveFileChange> {
    let mut files: Vec<LiveFileChange> = vec![];
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let path = names.rsplit_once(" b/").map_or(names, |(_, path)| path);
            let path = path.trim_matches('"').to_owned();
            files.push(LiveFileChange { path, lines: Some((0, 0)), patch: String::new() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            file.lines = None;
        }
        let is_of_patch = line.starts_with(['@', '+', '-', ' ']) && !is_file_heading(line, file);
        if !is_of_patch {
            continue;
        }
        if let Some((added, removed)) = &mut file.lines {
            *added += usize::from(line.starts_with('+'));
            *removed += usize::from(line.starts_with('-'));
        }
        if file.patch.lines().count() < MAX_PATCH_LINES {
            file.patch.push_str(line);
            file.patch.push('\n');
        }
    }
    files
}

/// Returns whether a line is `--- a/x` or `+++ b/x` before the first hunk.
fn is_file_heading(line: &str, file: &LiveFileChange) -> bool {
    file.patch.is_empty() && (line.starts_with("--- ") || line.starts_with("+++ "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_told_file_by_file() {
        let patch = "diff --git a/a.py b/a.py\nindex 1..2\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-x\n+y\n+--- z\ndiff --git a/b.png b/b.png\nBinary files differ\n";

        let files = files_of_patch(patch);

        assert_eq!(files.len(), 2);
        assert_eq!((files[0].path.as_str(), files[0].lines), ("a.py", Some((2, 1))));
        assert_eq!(files[0].patch, "@@ -1 +1,2 @@\n-x\n+y\n+--- z\n");
        assert_eq!((files[1].path.as_str(), files[1].lines), ("b.png", None));
    }

    #[test]
    fn a_line_cannot_move_the_cursor() {
        assert_eq!(output_line("a\u{1b}[2Jb\rc"), "a[2Jbc\r\n");
    }
}
