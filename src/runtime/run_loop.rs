//! The loop: wait, update with everything that has arrived, run the effects, draw once.
//!
//! Questions are counted when they are sent and when they are answered, so that idle is known and never guessed: no open
//! question and no waiting event. When idle the loop blocks on its channel.

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use ratatui::layout::Size;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use trajview_live::{RunControl, RunJob, StartMode};
use trajview_run::pictures::RecordedImage;
use trajview_store as store;
use trajview_store::{OpenError, OpenedRecording, lookup};
use trajview_study::loaded_study::LoadedStudy;
use trajview_tui::{
    session::{
        effect::{EditedFile, EditorTarget, Effect, OpenAnswer, OpenPurpose},
        jobs::FormOrigin,
        question::Answer,
        request::RequestId,
        start_place::StartPlace,
    },
    shell::{App, AppMessage, jobs, screens::study, state},
    views::{judge::JudgeList, live::LiveMessage},
};

use super::{
    ScreenOptions,
    event::{RuntimeEvent, WorkerReply},
    lazy_scorer::LazyScorer,
    live_start::LiveStarter,
    live_worker::{self, BesideAgent},
    run_opener::RunOpener,
    timer::Timer,
    workers::Workers,
};

/// The shortest time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(8);

/// The largest number of events before a frame is drawn: a flood must not stop the drawing.
const MAX_EVENTS: usize = 4096;

pub struct Runtime {
    pub app: App,
    pub workers: Workers,
    sender: Sender<RuntimeEvent>,
    events: Receiver<RuntimeEvent>,
    timer: Timer,
    questions: usize,
    /// True if growing recordings are followed.
    pub may_follow: bool,
    /// Tasks for the terminal before the next frame.
    terminal_tasks: Vec<TerminalTask>,
    /// The reason why the recording could not be opened.
    pub open_error: Option<OpenError>,
    /// A notice for the time when the run is open.
    pub at_first: Option<String>,
}

/// The parts of a terminal that the loop needs.
pub trait ScreenDisplay {
    fn draw(&mut self, app: &App) -> io::Result<()>;
    fn size(&self) -> io::Result<Size>;
    /// Releases the terminal to the shell until the program is continued.
    fn suspend_terminal(&mut self) -> io::Result<()>;
    /// Takes the terminal again after the program was continued; another program may have used it.
    fn resume_terminal(&mut self) -> io::Result<()>;
    /// Copies into the terminal's clipboard.
    fn copy_text(&mut self, text: &str) -> io::Result<()>;
    /// Lends the terminal to the user's editor; the inner error is a sentence.
    fn open_editor(&mut self, editing: &EditorTarget) -> io::Result<Result<(), String>>;
    /// Opens an image outside of the terminal. Returns a sentence about success or failure.
    fn open_image(&mut self, image: &RecordedImage) -> Result<String, String>;
}

/// A task that only the terminal can do; without one it is dropped.
enum TerminalTask {
    Copy(String),
    Edit(EditorTarget),
    OpenImage(Arc<RecordedImage>),
}

/// The end of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenEnd {
    Quit,
    /// The signal that ended it.
    Signal(u8),
}

/// The next action of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopAction {
    GoOn,
    Suspend,
    Resume,
    End(ScreenEnd),
}

impl Runtime {
    pub fn new(opener: RunOpener) -> Self {
        let (sender, events) = unbounded();
        Self {
            app: App::default(),
            workers: Workers::new(sender.clone(), opener),
            sender,
            events,
            timer: Timer::default(),
            questions: 0,
            may_follow: false,
            terminal_tasks: vec![],
            open_error: None,
            at_first: None,
        }
    }

    /// Sets the scorer of the code.
    pub(crate) fn score_with(&mut self, scoring: LazyScorer) {
        self.workers.score_with(scoring);
    }

    /// Sets the judges, in the workers and on the screen.
    pub(crate) fn judge_with(&mut self, options: &ScreenOptions) {
        self.workers.set_cache(options.settings.as_deref());
        let environment = options.environment.clone();
        let judges = self.workers.judging().set_judges(
            &options.judges,
            environment,
            options.settings_file.clone(),
        );
        self.app.screens.defaults.judges = JudgeList {
            judges: judges.into(),
            settings: options.settings.as_ref().map(|path| path.display().to_string()),
        };
    }

    /// Sets decisions that replace those of runs.
    pub(crate) fn decide_with(&mut self, options: &ScreenOptions) {
        self.workers.set_decisions(options.store.clone());
    }

    /// Sets the settings for starting agents.
    pub fn start_with(&mut self, options: &ScreenOptions) {
        self.workers.start_with(LiveStarter::new(options.drivers.clone(), options.caches));
        self.workers.keep_cards(options.caches);
    }

    /// Uses the search index and keeps it up to date.
    pub(crate) fn find_with(&mut self, options: &ScreenOptions) {
        self.workers.find_with(options.caches.then(lookup::default_path).flatten());
    }

    /// Measures how long a judge takes.
    pub(crate) const fn with_clock(&mut self) {
        self.workers.judging().with_clock();
    }

    /// Stops the judgings under way; finished judgements are saved.
    pub fn end_judging(&mut self) {
        self.workers.judging().end_all();
    }

    /// Applies the options of a user at a terminal.
    pub(crate) fn apply_options(&mut self, options: ScreenOptions) {
        self.score_with(LazyScorer::from_options(&options));
        self.judge_with(&options);
        self.decide_with(&options);
        self.start_with(&options);
        self.with_clock();
        self.app.configure(&options.config);
        self.app.shell.looks = options.looks_of_environment(self.app.shell.looks);
        self.app.shell.mouse = options.mouse;
        self.app.screens.table_opening = options.table;
    }

    pub fn sender(&self) -> Sender<RuntimeEvent> {
        self.sender.clone()
    }

    pub fn open_path(&mut self, path: PathBuf, place: StartPlace) {
        self.update(AppMessage::Open(path, place));
    }

    /// Shows the queue of a study.
    pub fn begin_study(&mut self, studied: Arc<LoadedStudy>, place: StartPlace) {
        self.update(AppMessage::BeginStudy(studied, place));
    }

    /// Compares runs side by side.
    pub fn compare_runs(&mut self, paths: Vec<PathBuf>, place: StartPlace) {
        self.update(AppMessage::CompareRuns(paths, place));
    }

    /// Returns whether a path has several runs.
    pub(crate) fn holds_several(&self, path: &Path) -> bool {
        self.workers.holds_several(path)
    }

    pub fn show_collection(&mut self, paths: Vec<PathBuf>, place: StartPlace) {
        self.update(AppMessage::Collect(paths, place));
    }

    /// Returns whether every question is answered and no event waits.
    pub fn is_idle(&self) -> bool {
        self.questions == 0 && self.events.is_empty()
    }

    /// Processes events until nothing is left to wait for. Time does not pass here: nothing plays.
    pub(crate) fn run_until_idle(&mut self) {
        while !self.is_idle() {
            let event = self.events.recv().expect("we hold a sender ourselves");
            self.apply_event(event);
        }
    }

    /// Processes events until the state is as it should be, or the time is over; returns whether it is.
    pub(crate) fn run_until(&mut self, patience: Duration, is_so: impl Fn(&App) -> bool) -> bool {
        let deadline = Instant::now() + patience;
        while !is_so(&self.app) {
            let Ok(event) = self.events.recv_deadline(deadline) else { return false };
            self.apply_event(event);
        }
        true
    }

    /// Waits a moment for the recording to be opened; most are open before anybody could read a word.
    pub(crate) fn wait_for_opening(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while self.open_error.is_none() && !self.app.screens.has_something_to_show() {
            let Ok(event) = self.events.recv_deadline(deadline) else { return };
            self.apply_event(event);
        }
    }

    /// Updates the state by a message and executes the effects. Returns whether the program is to be suspended.
    pub fn update(&mut self, message: AppMessage) -> bool {
        let mut suspends = false;
        for effect in self.app.update(message) {
            match effect {
                Effect::Suspend => suspends = true,
                // One frame is no time for a recording to grow in, and waiting for it would never end.
                Effect::Follow(_) | Effect::Watch(_) | Effect::WatchAll(_) if !self.may_follow => {}
                Effect::Follow(path) => self.workers.follow_recording(path),
                Effect::Watch(path) => self.workers.watch_recording(path),
                Effect::WatchAll(sources) => self.workers.watch_all(sources),
                // Changes of a table by a script are not remembered as a choice of the user.
                Effect::KeepTable(..) if !self.may_follow => {}
                Effect::KeepLanes(_) if !self.may_follow => {}
                Effect::KeepLanes(lanes) => self.workers.save_lanes(&lanes),
                Effect::KeepTable(name, lines) => store::table_state::save_lines(name, &lines),
                Effect::Live(command) => self.workers.command_agent(command),
                Effect::ResumeLive(bundle) => self.resume_live(&bundle),
                Effect::ReadLive(bundle) => self.read_live(&bundle),
                Effect::StopTesting => self.workers.stop_testing(),
                Effect::StopExport => self.workers.stop_export(),
                Effect::MeasureWith(measure) => self.workers.measure_with(measure),
                Effect::PinJudge(judge) => store::rubric::pin_judge(judge),
                Effect::StopScoring => self.workers.stop_scoring(),
                Effect::StopComparing => self.workers.stop_comparing(),
                Effect::StopJudging(request) => self.workers.judging().stop_judging(request),
                Effect::StopCollecting => self.workers.stop_collecting(),
                Effect::Copy(text) => self.terminal_tasks.push(TerminalTask::Copy(text)),
                Effect::Edit(editing) => self.terminal_tasks.push(TerminalTask::Edit(editing)),
                Effect::OpenImage(image) => {
                    self.terminal_tasks.push(TerminalTask::OpenImage(image))
                }
                effect => {
                    if let Effect::Open(_, _, OpenPurpose::Show) = effect {
                        self.workers.stop_following();
                    }
                    self.questions += 1; // before the worker starts, so that idle never lies
                    self.workers.start_worker(effect);
                }
            }
        }
        suspends
    }

    pub(crate) fn run_loop(&mut self, display: &mut impl ScreenDisplay) -> io::Result<ScreenEnd> {
        loop {
            self.update_size(display)?;
            display.draw(&self.app)?;
            let drawn = Instant::now();
            match self.run_turn(drawn) {
                LoopAction::GoOn => {}
                LoopAction::Suspend => display.suspend_terminal()?,
                LoopAction::Resume => display.resume_terminal()?,
                LoopAction::End(ending) => return Ok(ending),
            }
            if self.open_error.is_some() {
                return Ok(ScreenEnd::Quit);
            }
            self.run_terminal_tasks(display)?;
        }
    }

    fn run_terminal_tasks(&mut self, display: &mut impl ScreenDisplay) -> io::Result<()> {
        for task in std::mem::take(&mut self.terminal_tasks) {
            match task {
                TerminalTask::Copy(text) => display.copy_text(&text)?,
                TerminalTask::OpenImage(image) => {
                    let notice = display.open_image(&image).unwrap_or_else(|why| why);
                    self.update(AppMessage::Shell(state::ShellMessage::Say(notice)));
                }
                TerminalTask::Edit(editing) => {
                    if let Err(why) = display.open_editor(&editing)? {
                        self.update(AppMessage::Shell(state::ShellMessage::Say(why)));
                    } else if let EditedFile::File(_) = editing.what {
                        self.update(AppMessage::Shell(state::ShellMessage::Edited));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the size before each frame: the size in an event may be old by now, when many of them come.
    fn update_size(&mut self, display: &impl ScreenDisplay) -> io::Result<()> {
        let size = display.size()?;
        if size != self.app.screens.frame.size {
            self.update(AppMessage::Resized(size));
        }
        Ok(())
    }

    /// Processes one event, or the alarm, and everything else that arrives before the next frame is due.
    fn run_turn(&mut self, drawn: Instant) -> LoopAction {
        let then = self.wait_for_event();
        if then != LoopAction::GoOn {
            return then;
        }
        for _ in 0..MAX_EVENTS {
            if !self.terminal_tasks.is_empty() {
                break; // keys that follow may be meant for the editor
            }
            let Ok(event) = self.events.recv_deadline(drawn + FRAME_INTERVAL) else { break };
            let then = self.apply_event(event);
            if then != LoopAction::GoOn {
                return then;
            }
        }
        LoopAction::GoOn
    }

    fn wait_for_event(&mut self) -> LoopAction {
        self.timer.arm_for(self.app.screens.next_deadline(), Instant::now());
        let arrived = self.events.recv_timeout(self.timer.time_left(Instant::now()));
        if self.timer.take_fired(Instant::now()) {
            let message = self.app.screens.after_deadline();
            self.update(message);
        }
        match arrived {
            Ok(event) => self.apply_event(event),
            Err(RecvTimeoutError::Timeout) => LoopAction::GoOn,
            Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
        }
    }

    fn apply_event(&mut self, event: RuntimeEvent) -> LoopAction {
        let suspends = match event {
            RuntimeEvent::Asked(message) | RuntimeEvent::Partly(message) => self.update(message),
            RuntimeEvent::Living(message) => {
                self.workers.take_live_ticket();
                self.update(message)
            }
            RuntimeEvent::Answered(reply) => {
                self.questions -= usize::from(reply.is_final());
                self.apply_reply(reply)
            }
            RuntimeEvent::Signal(signal) => return after_signal(signal),
            RuntimeEvent::Changed(bundle, _) if !self.workers.is_about(&bundle) => false,
            RuntimeEvent::Grown(opened) | RuntimeEvent::Changed(_, opened)
                if !self.is_news(&opened) =>
            {
                false
            }
            RuntimeEvent::Grown(opened) | RuntimeEvent::Changed(_, opened) => {
                self.workers.ask_about(opened.archive);
                self.update(AppMessage::Grown(opened.run))
            }
            RuntimeEvent::KeyboardKnown => false, // the frame that follows uses it
            RuntimeEvent::Gone => return LoopAction::End(ScreenEnd::Signal(HANG_UP_SIGNAL)),
        };
        match (self.app.is_quitting, suspends) {
            (true, _) => LoopAction::End(ScreenEnd::Quit),
            (false, true) => LoopAction::Suspend,
            (false, false) => LoopAction::GoOn,
        }
    }

    /// Returns whether a recording has more than the one on screen.
    fn is_news(&self, opened: &OpenedRecording) -> bool {
        self.app.screens.open_run().is_some_and(|open| *open.session.run != *opened.run)
    }

    /// Starts an agent if its form was not closed meanwhile. Returns whether the program is to be suspended.
    fn begin_live(
        &mut self,
        request: RequestId,
        mut job: RunJob,
        origin: Option<FormOrigin>,
    ) -> bool {
        if !self.app.jobs.is_beginning(request) {
            return false;
        }
        let beside = if origin.is_some() { BesideAgent::OtherRun } else { BesideAgent::Recording };
        let message = jobs::JobsMessage::LiveBegan(origin, job.bundle.clone());
        let suspends = self.update(AppMessage::Jobs(message));
        let inside = self.app.screens.live_areas().terminal_inside();
        job.setup.size = (inside.width, inside.height);
        self.workers.begin_live(job, StartMode::Anew, RunControl::default(), beside);
        suspends
    }

    /// Resumes a run that broke off. When that is impossible, it is over again, with the reason.
    fn resume_live(&mut self, bundle: &Path) {
        match RunJob::from_bundle(bundle) {
            Ok(mut job) => {
                let live = self.app.screens.live.as_ref();
                let has_origin = live.is_some_and(|live| live.from.origin.is_some());
                let beside =
                    if has_origin { BesideAgent::OtherRun } else { BesideAgent::Recording };
                let inside = self.app.screens.live_areas().terminal_inside();
                job.setup.size = (inside.width, inside.height);
                self.workers.begin_live(job, StartMode::Resume, RunControl::default(), beside);
            }
            Err(why) => {
                let over = LiveMessage::Over { words: why.to_string(), is_whole: false };
                let message = AppMessage::Live(over);
                let _ = self.sender.send(RuntimeEvent::Asked(message)); // we hold the receiver ourselves
            }
        }
    }

    /// Shows what is recorded of the live run that made a bundle.
    fn read_live(&mut self, bundle: &Path) {
        let Some(recorded) = live_worker::recorded_messages(bundle) else { return };
        if self.app.screens.begin_recorded_live(bundle) {
            for message in recorded {
                self.update(AppMessage::Live(message));
            }
        }
    }

    /// Updates the state by a worker's reply. Returns whether the program is to be suspended.
    fn apply_reply(&mut self, reply: WorkerReply) -> bool {
        match reply {
            WorkerReply::StartLive(request, job, origin) => self.begin_live(request, *job, origin),
            WorkerReply::Message(message) => self.update(message),
            WorkerReply::NotCompared(request, why) => {
                let answer = Answer::Parties(Err(why.to_string()));
                // Beside a table or a run it is a sentence.
                if self.app.screens.collection.is_none() && self.app.screens.open_run().is_none() {
                    self.open_error = Some(why);
                }
                self.update(AppMessage::Answered(request, answer))
            }
            WorkerReply::Opened(request, answer) => self.apply_opened(request, answer),
        }
    }

    /// Shows a recording that was opened, unless another was requested meanwhile. Returns whether the program is to be
    /// suspended.
    fn apply_opened(
        &mut self,
        request: RequestId,
        answer: OpenAnswer<OpenedRecording, OpenError>,
    ) -> bool {
        if !self.app.screens.awaits_opened(request) {
            return false; // another run was requested in the meantime
        }
        let is_open = matches!(answer, OpenAnswer::Whole(Ok(_)));
        let answer = match answer {
            OpenAnswer::Several => OpenAnswer::Several,
            OpenAnswer::Beginning(opened) => {
                self.workers.ask_about(opened.archive);
                OpenAnswer::Beginning(opened.run)
            }
            OpenAnswer::Whole(Ok(opened)) => {
                self.workers.ask_about(opened.archive);
                OpenAnswer::Whole(Ok(opened.run))
            }
            OpenAnswer::Whole(Err(why)) => {
                let words = why.to_string();
                // In a collection it is a sentence: there is something else to look at.
                let screens = &self.app.screens;
                let is_alone = screens.collection.is_none()
                    && screens.compared.is_none()
                    && !study::is_open(screens);
                if is_alone && self.app.screens.live.is_none() {
                    self.open_error = Some(why);
                }
                OpenAnswer::Whole(Err(words))
            }
        };
        let suspends = self.update(AppMessage::Opened(request, answer));
        if let Some(words) = self.at_first.take_if(|_| is_open) {
            self.update(AppMessage::Shell(state::ShellMessage::Say(words)));
        }
        suspends
    }
}

const HANG_UP_SIGNAL: u8 = 1;

#[cfg(unix)]
fn after_signal(signal: i32) -> LoopAction {
    use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
    match signal {
        SIGWINCH => LoopAction::GoOn, // a frame is drawn after any event, and fits
        SIGTSTP => LoopAction::Suspend,
        SIGCONT => LoopAction::Resume,
        other => LoopAction::End(ScreenEnd::Signal(u8::try_from(other).unwrap_or(HANG_UP_SIGNAL))),
    }
}

#[cfg(not(unix))]
fn after_signal(_signal: i32) -> LoopAction {
    LoopAction::GoOn
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_tui::widgets::key::Key;

    /// Counts frames.
    #[derive(Default)]
    struct CountingDisplay {
        frames: usize,
    }

    impl ScreenDisplay for CountingDisplay {
        fn draw(&mut self, _app: &App) -> io::Result<()> {
            self.frames += 1;
            Ok(())
        }

        fn size(&self) -> io::Result<Size> {
            Ok(Size { width: 80, height: 24 })
        }

        fn suspend_terminal(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn resume_terminal(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn copy_text(&mut self, _text: &str) -> io::Result<()> {
            Ok(())
        }

        fn open_editor(&mut self, _editing: &EditorTarget) -> io::Result<Result<(), String>> {
            Ok(Ok(()))
        }

        fn open_image(&mut self, _image: &RecordedImage) -> Result<String, String> {
            Ok(String::new())
        }
    }

    fn press_key(runtime: &Runtime, key: Key) {
        runtime.sender().send(RuntimeEvent::Asked(AppMessage::Press(key))).unwrap();
    }

    #[test]
    fn everything_that_has_arrived_is_drawn_at_once() {
        let mut runtime = Runtime::new(RunOpener::Disk);
        (0..1000).for_each(|_| press_key(&runtime, Key::from_char('l')));
        press_key(&runtime, Key::from_char('q'));
        let mut paper = CountingDisplay::default();

        let ending = runtime.run_loop(&mut paper).unwrap();

        assert_eq!((ending, paper.frames), (ScreenEnd::Quit, 1));
    }

    #[test]
    fn a_run_that_cannot_be_opened_ends_the_loop_with_its_reason() {
        let mut runtime = Runtime::new(RunOpener::Disk);
        runtime.open_path("a-run".into(), StartPlace::default());

        runtime.run_loop(&mut CountingDisplay::default()).unwrap();

        let why = runtime.open_error.map(|why| why.to_string());
        assert_eq!(why.as_deref(), Some("cannot read a-run: no such file or folder"));
    }
}
