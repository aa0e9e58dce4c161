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
use trajview_live::{CannotStart, LiveRunEnd, RunControl, RunHalt, RunJob, StartMode};
use trajview_run::live::{LiveCommand, LiveEvent, LivePlan};
use trajview_tui::{
    session::{
        start_place::{NamedMoment, StartPlace},
        views::{self, View},
    },
    shell::AppMessage,
    views::live::{LiveFileChange, LiveMessage, printed::printed_turn},
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
            let teller = LiveEventSender { sender: &sender, tickets: &tickets, watch: &watch };
            let outcome = live::run_job(&job, start, &hands, &mut |event| teller.on_event(event));
            watch.is_over.store(true, Ordering::Relaxed);
            watch.request_look();
            teller.send_message(over_message(&job, &outcome));
            let is_whole = outcome.as_ref().is_ok_and(|ended| ended.halted.is_none());
            if beside == BesideAgent::RecordingThenReplay && is_whole {
                let _ = sender.send(RuntimeEvent::Living(AppMessage::View(
                    views::ViewMessage::To(View::Replay),
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
    sender: &'a Sender<RuntimeEvent>,
    tickets: &'a Sender<()>,
    watch: &'a RecordingWatch,
}

impl LiveEventSender<'_> {
    fn send_message(&self, message: LiveMessage) {
        let _ = self.tickets.send(()); // waits while the screen is behind; without a screen the receiver is gone
        let _ = self.sender.send(RuntimeEvent::Living(AppMessage::Live(message))); // the loop may have ended
    }

    fn on_event(&self, event: &LiveEvent) {
        match event {
            LiveEvent::TurnBegan { .. } => self.watch.is_working.store(true, Ordering::Relaxed),
            LiveEvent::TurnEnded(_) => self.watch.is_working.store(false, Ordering::Relaxed),
            _ => {}
        }
        let is_for_screen = !matches!(
            event,
            LiveEvent::LogGrew | LiveEvent::Used { .. } | LiveEvent::Edited { .. }
        );
        if is_for_screen {
            self.send_message(LiveMessage::LiveEvent(event.clone()));
        }
        let is_news = match event {
            LiveEvent::Opened(plan) => plan.done > 0,
            LiveEvent::LogGrew | LiveEvent::TurnEnded(_) => true,
            _ => false,
        };
        if is_news {
            self.watch.request_look();
        }
    }
}

/// Returns the messages about the run that made a bundle, as far as it has come; None when no live run made it. It is not
/// known here whether the run still goes on elsewhere.
pub(crate) fn recorded_messages(bundle: &Path) -> Option<Vec<LiveMessage>> {
    let before = live::journal::read_journal(bundle)?;
    let job = RunJob::from_bundle(bundle).ok()?;
    let progress = &before.progress;
    let (version, done) = (before.version.as_deref(), progress.done.len());
    let plan = live::plan::live_plan(&job.setup, &job.script, &job.bundle, version, done);
    // The recorded output has its headings already.
    let plan = LivePlan { has_screen: true, ..plan };
    let mut events = vec![LiveEvent::Opened(Box::new(plan))];
    if live::terminal_recording::is_recorded(bundle) {
        // The view plays it.
        let (command, process) = (String::new(), 0);
        events.push(LiveEvent::Started { command, process, has_terminal: true });
    } else {
        let turns = progress.done.iter().map(|done| &done.row).chain(&progress.open);
        events.extend(turns.filter_map(|turn| recorded_output(&job, turn)));
    }
    let total = progress.used_in_total();
    let mut all: Vec<LiveMessage> = events.into_iter().map(LiveMessage::LiveEvent).collect();
    let ended = progress.done.iter().map(|done| done.row.ended(total));
    let ended = ended.map(|ended| LiveEvent::TurnEnded(Box::new(ended)));
    let remarks = progress.remarks.iter().cloned().map(LiveEvent::Warned);
    all.extend(ended.chain(remarks).map(LiveMessage::LiveEvent));
    all.extend(end_messages(progress, &job));
    Some(all)
}

/// Returns the output of an agent without a terminal in a turn, below its heading.
fn recorded_output(job: &RunJob, row: &live::manifest::LiveTurnRow) -> Option<LiveEvent> {
    let output = live::logs::turn_output(&job.bundle, row.turn)?;
    let request = job.script.requests.iter().find(|it| it.turn == row.turn);
    let request = request.map_or("", |it| it.text.as_str());
    Some(LiveEvent::Terminal(printed_turn(row.turn, row.attempt, request, &output)))
}

fn end_messages(progress: &live::journal::LiveProgress, job: &RunJob) -> Vec<LiveMessage> {
    let over = |words: String, is_whole| vec![LiveMessage::Over { words, is_whole }];
    match (&progress.stopped, &progress.open) {
        _ if progress.is_finished => over(complete_text(job).into(), true),
        (Some(it), _) => over(format!("stopped: {}", it.why), false),
        _ if !live::journal::is_under_way(&job.bundle) => over("interrupted".into(), false),
        (None, open) => {
            let began = |row: &live::manifest::LiveTurnRow| {
                let (turn, request, attempt) = (row.turn, String::new(), row.attempt);
                LiveMessage::LiveEvent(LiveEvent::TurnBegan {
                    turn,
                    request,
                    attempt,
                    layers: vec![],
                })
            };
            open.iter().map(began).chain([LiveMessage::Elsewhere]).collect()
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
            // Another run may be open by now.
            let folder = opened.archive.bundle().map_or(bundle, Path::to_owned);
            RuntimeEvent::Changed(folder, opened)
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
            let message = AppMessage::Live(LiveMessage::Changed(changed));
            let _ = self.sender.send(RuntimeEvent::Asked(message)); // the loop may have ended
        }
    }
}

/// Returns the sentence for a run that ended by itself.
const fn complete_text(job: &RunJob) -> &'static str {
    if job.script.chat { "chat ended" } else { "finished" }
}

fn over_message(job: &RunJob, outcome: &LiveOutcome) -> LiveMessage {
    let (words, is_whole) = match outcome {
        Err(why) => (why.to_string(), false),
        Ok(LiveRunEnd { halted: None, .. }) => (complete_text(job).into(), true),
        Ok(LiveRunEnd { halted: Some(halt), .. }) => (halt_text(halt), false),
    };
    LiveMessage::Over { words, is_whole }
}

fn halt_text(halt: &RunHalt) -> String {
    match halt {
        RunHalt::Stopped => "stopped".into(),
        RunHalt::Budget(why) => {
            format!("stopped: {why}; for a higher limit: `trajview live --resume`")
        }
        RunHalt::Failed { turn, why } => format!("turn {turn}: {why}"),
        RunHalt::NotReady(why) => format!("{why}; no request was sent"),
        RunHalt::Write(why) => why.to_string(),
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
}
