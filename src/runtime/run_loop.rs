//! The loop: wait, update with everything that has arrived, carry out the effects, draw once.
//!
//! Questions are counted as they leave and as they are answered, so that idle is known and never guessed: nothing
//! out and nothing waiting. At rest the loop blocks on its channel.

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use ratatui::layout::Size;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use trajview_live::{Control, Job, Start};
use trajview_run::pictures::Picture;
use trajview_store as store;
use trajview_store::{OpenError, lookup};
use trajview_study::studied::Studied;
use trajview_tui::{
    session::{
        effect::{Edited, Editing, Effect},
        jobs::Origin,
        live::{Command, LiveEvent},
        place::Place,
        question::Answer,
        request::Request,
    },
    shell::{App, Message, jobs, screens::study, state},
    views::{judge::Known, live},
};

use super::{
    Options,
    event::{Event, Reply},
    living::Beside,
    recording::{Opened, Opener},
    scoring::Scoring,
    starting::Starting,
    timer::Timer,
    world::World,
};

/// Frames are at least this far apart, however much happens.
const FRAME: Duration = Duration::from_millis(8);

/// Events taken before a frame is due at the latest: a flood must not keep the screen from being drawn.
const FLOOD: usize = 4096;

pub struct Runtime {
    pub app: App,
    pub world: World,
    sender: Sender<Event>,
    events: Receiver<Event>,
    timer: Timer,
    questions: usize,
    /// Whether recordings that grow are told of.
    pub may_follow: bool,
    /// What the terminal is to do before the next frame.
    errands: Vec<Errand>,
    /// Why the recording could not be opened.
    pub open_error: Option<OpenError>,
    /// To be said once the run is open.
    pub at_first: Option<String>,
}

/// What the loop needs of a terminal.
pub trait Display {
    fn draw(&mut self, app: &App) -> io::Result<()>;
    fn size(&self) -> io::Result<Size>;
    /// Gives the terminal back to the shell until the program is continued.
    fn suspend(&mut self) -> io::Result<()>;
    /// The program was continued, and somebody else may have had the terminal.
    fn resume(&mut self) -> io::Result<()>;
    /// Into the terminal's clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Gives the terminal to the user's editor; the inner error is a sentence.
    fn edit(&mut self, editing: &Editing) -> io::Result<Result<(), String>>;
    /// Opens an image outside of the terminal. What was done, or why nothing was, in a sentence.
    fn open(&mut self, image: &Picture) -> Result<String, String>;
}

/// Something that only the terminal can do; without one nobody does it.
enum Errand {
    Copy(String),
    Edit(Editing),
    OpenImage(Arc<Picture>),
}

/// How the screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Quit,
    /// This signal asked for it.
    Signal(u8),
}

/// What is to be done after some events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    Suspend,
    Resume,
    End(Ending),
}

impl Runtime {
    pub fn new(opener: Opener) -> Self {
        let (sender, events) = unbounded();
        Self {
            app: App::default(),
            world: World::new(sender.clone(), opener),
            sender,
            events,
            timer: Timer::default(),
            questions: 0,
            may_follow: false,
            errands: vec![],
            open_error: None,
            at_first: None,
        }
    }

    /// From now on the code is scored as this says.
    pub fn score_with(&mut self, scoring: Scoring) {
        self.world.score_with(scoring);
    }

    /// From now on these judges can be asked, and the screen knows of them.
    pub fn judge_with(&mut self, options: &Options) {
        self.world.keep_in(options.settings.as_deref());
        let environment = options.environment.clone();
        let judges = self.world.judging().ask_of(
            &options.judges,
            environment,
            options.settings_file.clone(),
        );
        self.app.screens.defaults.judges = Known {
            judges: judges.into(),
            settings: options.settings.as_ref().map(|path| path.display().to_string()),
        };
    }

    /// From now on these decisions are laid over runs, in the place of their own.
    pub fn decide_with(&mut self, options: &Options) {
        self.world.lay_over(options.store.clone());
    }

    /// From now on agents are started as these settings say.
    pub fn start_with(&mut self, options: &Options) {
        self.world.start_with(Starting::new(options.drivers.clone(), options.caches));
        self.world.keep_cards(options.caches);
    }

    /// From now on an index of what runs say is used and kept up.
    pub fn find_with(&mut self, options: &Options) {
        self.world.find_with(options.caches.then(lookup::default_path).flatten());
    }

    /// From now on it is told how long a judge takes.
    pub const fn with_clock(&mut self) {
        self.world.judging().with_clock();
    }

    /// Ends the judging under way; what is judged is saved.
    pub fn end_judging(&mut self) {
        self.world.judging().end();
    }

    /// As somebody in front of a terminal wants it; gives what is wrong with the settings.
    pub fn prepare(&mut self, options: Options) -> Vec<String> {
        self.score_with(Scoring::of(&options));
        self.judge_with(&options);
        self.decide_with(&options);
        self.start_with(&options);
        self.with_clock();
        let problems = self.app.configure(&options.config);
        self.app.shell.looks = options.looks(self.app.shell.looks);
        self.app.shell.mouse = options.mouse;
        self.app.screens.table_opening = options.table;
        problems
    }

    pub fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    pub fn open(&mut self, path: PathBuf, place: Place) {
        self.update(Message::Open(path, place));
    }

    /// Shows the queue of a study.
    pub fn begin_study(&mut self, studied: Arc<Studied>, place: Place) {
        self.update(Message::BeginStudy(studied, place));
    }

    /// Sets runs side by side.
    pub fn compare(&mut self, paths: Vec<PathBuf>, place: Place) {
        self.update(Message::CompareRuns(paths, place));
    }

    /// Whether a path names several runs.
    pub fn holds_several(&self, path: &Path) -> bool {
        self.world.holds_several(path)
    }

    pub fn collect(&mut self, paths: Vec<PathBuf>, place: Place) {
        self.update(Message::Collect(paths, place));
    }

    /// Everything asked for has been answered, and nothing has arrived since.
    pub fn is_idle(&self) -> bool {
        self.questions == 0 && self.events.is_empty()
    }

    /// Takes what arrives until there is nothing left to wait for. Time does not pass here: nothing plays.
    pub fn run_until_idle(&mut self) {
        while !self.is_idle() {
            let event = self.events.recv().expect("we hold a sender ourselves");
            self.apply(event);
        }
    }

    /// Takes what arrives until the state is as it should be, or patience ends; whether it is.
    pub fn run_until(&mut self, patience: Duration, is_so: impl Fn(&App) -> bool) -> bool {
        let deadline = Instant::now() + patience;
        while !is_so(&self.app) {
            let Ok(event) = self.events.recv_deadline(deadline) else { return false };
            self.apply(event);
        }
        true
    }

    /// Waits a moment for the recording to be opened; most are before anybody could read a word.
    pub fn wait_for_opening(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while self.open_error.is_none() && !self.app.screens.has_something_to_show() {
            let Ok(event) = self.events.recv_deadline(deadline) else { return };
            self.apply(event);
        }
    }

    pub fn update(&mut self, message: Message) -> bool {
        let mut suspends = false;
        for effect in self.app.update(message) {
            match effect {
                Effect::Suspend => suspends = true,
                // One frame is no time for a recording to grow in, and waiting for it would never end.
                Effect::Follow(_) | Effect::Watch(_) | Effect::WatchAll(_) if !self.may_follow => {}
                Effect::Follow(path) => self.world.follow(path),
                Effect::Watch(path) => self.world.watch(path),
                Effect::WatchAll(sources) => self.world.watch_all(sources),
                // What a script does to a table is nobody's choice.
                Effect::KeepTable(..) if !self.may_follow => {}
                Effect::KeepTable(name, lines) => store::tables::keep(name, &lines),
                Effect::Live(Command::Resume(bundle)) => self.resume_live(&bundle),
                Effect::Live(command) => self.world.ask_agent(command),
                Effect::StopTesting => self.world.stop_testing(),
                Effect::MeasureWith(measure) => self.world.measure_with(measure),
                Effect::StopScoring => self.world.stop_scoring(),
                Effect::StopComparing => self.world.stop_comparing(),
                Effect::StopJudging(request) => self.world.judging().stop(request),
                Effect::StopCollecting => self.world.stop_collecting(),
                Effect::Copy(text) => self.errands.push(Errand::Copy(text)),
                Effect::Edit(editing) => self.errands.push(Errand::Edit(editing)),
                Effect::OpenImage(image) => self.errands.push(Errand::OpenImage(image)),
                effect => {
                    if let Effect::Open(..) = effect {
                        self.world.follow_no_more();
                    }
                    self.questions += 1; // before the worker starts, so that idle never lies
                    self.world.carry_out(effect);
                }
            }
        }
        suspends
    }

    pub fn run(&mut self, display: &mut impl Display) -> io::Result<Ending> {
        loop {
            self.fit(display)?;
            display.draw(&self.app)?;
            let drawn = Instant::now();
            match self.turn(drawn) {
                Then::GoOn => {}
                Then::Suspend => display.suspend()?,
                Then::Resume => display.resume()?,
                Then::End(ending) => return Ok(ending),
            }
            if self.open_error.is_some() {
                return Ok(Ending::Quit);
            }
            self.run_errands(display)?;
        }
    }

    fn run_errands(&mut self, display: &mut impl Display) -> io::Result<()> {
        for errand in std::mem::take(&mut self.errands) {
            match errand {
                Errand::Copy(text) => display.copy(&text)?,
                Errand::OpenImage(image) => {
                    let said = display.open(&image).unwrap_or_else(|why| why);
                    self.update(Message::Shell(state::Message::Say(said)));
                }
                Errand::Edit(editing) => {
                    if let Err(why) = display.edit(&editing)? {
                        self.update(Message::Shell(state::Message::Say(why)));
                    } else if let Edited::File(_) = editing.what {
                        self.update(Message::Shell(state::Message::Edited));
                    }
                }
            }
        }
        Ok(())
    }

    /// Asks for the size before each frame: what an event said of it may be old by now, in a storm of them.
    fn fit(&mut self, display: &impl Display) -> io::Result<()> {
        let size = display.size()?;
        if size != self.app.screens.frame.size {
            self.update(Message::Resized(size));
        }
        Ok(())
    }

    /// Takes one event, or the alarm, and everything else that arrives before the next frame is due.
    fn turn(&mut self, drawn: Instant) -> Then {
        let then = self.wait();
        if then != Then::GoOn {
            return then;
        }
        for _ in 0..FLOOD {
            if !self.errands.is_empty() {
                break; // keys that follow may be meant for the editor
            }
            let Ok(event) = self.events.recv_deadline(drawn + FRAME) else { break };
            let then = self.apply(event);
            if then != Then::GoOn {
                return then;
            }
        }
        Then::GoOn
    }

    fn wait(&mut self) -> Then {
        self.timer.arm(self.app.screens.next_deadline(), Instant::now());
        let arrived = self.events.recv_timeout(self.timer.patience(Instant::now()));
        if self.timer.take_fired(Instant::now()) {
            let message = self.app.screens.after_deadline();
            self.update(message);
        }
        match arrived {
            Ok(event) => self.apply(event),
            Err(RecvTimeoutError::Timeout) => Then::GoOn,
            Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
        }
    }

    fn apply(&mut self, event: Event) -> Then {
        let suspends = match event {
            Event::Asked(message) | Event::Partly(message) => self.update(message),
            Event::Living(message) => {
                self.world.took_in();
                self.update(message)
            }
            Event::Answered(reply) => {
                self.questions -= 1;
                self.hear(reply)
            }
            Event::Begun(request, opened) => {
                self.world.ask_about(opened.recording);
                self.update(Message::Begun(request, opened.run))
            }
            Event::Signal(signal) => return after_signal(signal),
            Event::Changed(bundle, _) if !self.world.is_about(&bundle) => false,
            Event::Grown(opened) | Event::Changed(_, opened) if !self.is_news(&opened) => false,
            Event::Grown(opened) | Event::Changed(_, opened) => {
                self.world.ask_about(opened.recording);
                self.update(Message::Grown(opened.run))
            }
            Event::KeyboardKnown => false, // the frame that follows uses it
            Event::Gone => return Then::End(Ending::Signal(HANGUP)),
        };
        match (self.app.is_quitting, suspends) {
            (true, _) => Then::End(Ending::Quit),
            (false, true) => Then::Suspend,
            (false, false) => Then::GoOn,
        }
    }

    /// Whether a recording says more than the one on screen.
    fn is_news(&self, opened: &Opened) -> bool {
        self.app.screens.open_run().is_some_and(|open| *open.session.run != *opened.run)
    }

    /// Starts an agent, where its form was not closed meanwhile.
    fn begin_live(&mut self, request: Request, mut job: Job, origin: Option<Origin>) -> bool {
        if !self.app.jobs.is_beginning(request) {
            return false;
        }
        let beside = if origin.is_some() { Beside::OtherRun } else { Beside::Recording };
        let message = jobs::Message::LiveBegan(origin, job.bundle.clone());
        let suspends = self.update(Message::Jobs(message));
        let inside = self.app.screens.live_areas().inside();
        job.setup.size = (inside.width, inside.height);
        self.world.begin_live(job, Start::Anew, Control::default(), beside);
        suspends
    }

    /// Goes on with a run that broke off. Where that cannot be, it is over again, with the reason.
    fn resume_live(&mut self, bundle: &Path) {
        match Job::of_bundle(bundle) {
            Ok(mut job) => {
                let live = self.app.screens.live.as_ref();
                let has_origin = live.is_some_and(|live| live.from.origin.is_some());
                let beside = if has_origin { Beside::OtherRun } else { Beside::Recording };
                let inside = self.app.screens.live_areas().inside();
                job.setup.size = (inside.width, inside.height);
                self.world.begin_live(job, Start::Resume, Control::default(), beside);
            }
            Err(why) => {
                let over = LiveEvent::Over { words: why.to_string(), is_whole: false };
                let message = Message::Live(live::Message::LiveEvent(over));
                let _ = self.sender.send(Event::Asked(message)); // we hold the receiver ourselves
            }
        }
    }

    fn hear(&mut self, reply: Reply) -> bool {
        match reply {
            Reply::StartLive(request, job, origin) => self.begin_live(request, *job, origin),
            Reply::Message(message) => self.update(message),
            Reply::NotCompared(request, why) => {
                let answer = Answer::Parties(Err(why.to_string()));
                // Beside a table or a run it is a sentence.
                if self.app.screens.collection.is_none() && self.app.screens.open_run().is_none() {
                    self.open_error = Some(why);
                }
                self.update(Message::Answered(request, answer))
            }
            Reply::Opened(request, Ok(opened)) => {
                self.world.ask_about(opened.recording);
                let suspends = self.update(Message::Opened(request, Ok(opened.run)));
                if let Some(words) = self.at_first.take() {
                    self.update(Message::Shell(state::Message::Say(words)));
                }
                suspends
            }
            Reply::Opened(request, Err(why)) => {
                let words = why.to_string();
                // In a collection it is a sentence: there is something else to look at.
                let screens = &self.app.screens;
                let is_alone = screens.collection.is_none()
                    && screens.compared.is_none()
                    && !study::is_open(screens);
                if is_alone && self.app.screens.live.is_none() {
                    self.open_error = Some(why);
                }
                self.update(Message::Opened(request, Err(words)))
            }
        }
    }
}

const HANGUP: u8 = 1;

#[cfg(unix)]
fn after_signal(signal: i32) -> Then {
    use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
    match signal {
        SIGWINCH => Then::GoOn, // a frame is drawn after any event, and fits
        SIGTSTP => Then::Suspend,
        SIGCONT => Then::Resume,
        other => Then::End(Ending::Signal(u8::try_from(other).unwrap_or(HANGUP))),
    }
}

#[cfg(not(unix))]
fn after_signal(_signal: i32) -> Then {
    Then::GoOn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Opened;
    use trajview_tui::widgets::key::Key;

    /// Counts frames.
    #[derive(Default)]
    struct Paper {
        frames: usize,
    }

    impl Display for Paper {
        fn draw(&mut self, _app: &App) -> io::Result<()> {
            self.frames += 1;
            Ok(())
        }

        fn size(&self) -> io::Result<Size> {
            Ok(Size { width: 80, height: 24 })
        }

        fn suspend(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn resume(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn copy(&mut self, _text: &str) -> io::Result<()> {
            Ok(())
        }

        fn edit(&mut self, _editing: &Editing) -> io::Result<Result<(), String>> {
            Ok(Ok(()))
        }

        fn open(&mut self, _image: &Picture) -> Result<String, String> {
            Ok(String::new())
        }
    }

    fn nothing_to_open() -> Opener {
        let path = PathBuf::from("a-run");
        Opener::new(move |_| -> Result<Opened, OpenError> {
            Err(OpenError::Read { path: path.clone(), why: "no such file".into() })
        })
    }

    fn press(runtime: &Runtime, key: Key) {
        runtime.sender().send(Event::Asked(Message::Press(key))).unwrap();
    }

    #[test]
    fn everything_that_has_arrived_is_drawn_at_once() {
        let mut runtime = Runtime::new(nothing_to_open());
        (0..1000).for_each(|_| press(&runtime, Key::char('l')));
        press(&runtime, Key::char('q'));
        let mut paper = Paper::default();

        let ending = runtime.run(&mut paper).unwrap();

        assert_eq!((ending, paper.frames), (Ending::Quit, 1));
    }

    #[test]
    fn a_run_that_cannot_be_opened_ends_the_loop_with_its_reason() {
        let mut runtime = Runtime::new(nothing_to_open());
        runtime.open("a-run".into(), Place::default());

        runtime.run(&mut Paper::default()).unwrap();

        let why = runtime.open_error.map(|why| why.to_string());
        assert_eq!(why.as_deref(), Some("cannot read a-run: no such file"));
    }

    #[test]
    fn an_opening_that_panics_is_a_sentence_too() {
        let opener = Opener::new(|_| panic!("a broken parser"));
        let mut runtime = Runtime::new(opener);
        runtime.open("a-run".into(), Place::default());

        runtime.run_until_idle();

        let why = runtime.open_error.map(|why| why.to_string()).unwrap_or_default();
        assert!(why.ends_with("a mistake in trajview: a broken parser"), "{why}");
    }
}
