//! Where pure code ends: effects carried out on threads of their own, answers sent back.
//!
//! A worker that panics answers too, with a sentence: the screen lives on, and no question is ever left open.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crossbeam_channel::Sender;

use crate::{
    app::{
        Effect, Message, Request,
        audit::asking::{Ask, Saved},
        collection, colours,
        curves::{Measured, Moved, scores},
        jobs::{Refusal, live::Origin, scoring::Measure},
        live::told::Command,
        replay::{Answer, Counts},
        scores::components::asking::Integration,
        search::MOST_HITS,
        search::Progress,
        shell,
    },
    code::highlight::highlight,
    judge::stop::Stop,
    live::{Control, Job, Start},
    metrics::{
        absence::Place,
        lifeline::{Asked, Lifeline},
        quality::Scored,
        reuse::Reuse,
    },
    run::{
        RepoPath, Run, StepId, StepText,
        files::{Blob, Change, FileDiff, Timeline, TreeFile, blame::BlamedLine},
        rubric::{Component, Label, Labels, Rubric, Verdict},
        search::{Hit, Query},
    },
    store::{self, Archive, GoesOn, OpenError, ReuseReader, Scorer, Siblings},
};

use super::{
    auditing,
    collecting::{self, Collecting},
    comparing::{self, Comparing},
    jobs,
    judging::{self, Judging},
    living::{self, Living},
    scoring::{Scoring, name_of},
    starting::{self, Starting},
};

/// What answers questions about a run. The store's archive does; tests bring their own.
pub trait Recording: Send + Sync {
    fn step_text(&self, run: &Run, step: StepId) -> StepText;
    fn request(&self, run: &Run, turn: usize) -> String;
    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String>;
    /// One list a turn, one entry a change.
    fn line_counts(&self, run: &Run) -> Result<Counts, String>;
    fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff;
    /// What changed between two moments, counted in turns done.
    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, String>;
    /// One entry a line of the file after so many turns.
    fn blame(&self, run: &Run, path: &RepoPath, done: usize) -> Result<Vec<BlamedLine>, String>;
    fn search(
        &self,
        run: &Run,
        query: &Query,
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String>;
    /// The scores of the files at each of these moments, counted in turns done.
    fn score(
        &self,
        run: &Run,
        moments: &[usize],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Scored>, String>;
    /// DIR of the files at each of these moments, counted in turns done; None where there is none.
    fn dir(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<f64>>, String>;
    /// What is in a file. The error is a sentence.
    fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String>;
    /// What stands beside the run of what it is judged by; by default nothing does.
    fn rubric(&self) -> Rubric {
        Rubric::default()
    }
    /// The folder of the bundle, where it is one: the place for verdicts.
    fn bundle(&self) -> Option<PathBuf> {
        None
    }
    /// What the modules offer after so many turns and who takes it; None where nothing says what the files were. The
    /// error is a sentence.
    fn reuse(&self, _run: &Run, _done: usize) -> Result<Option<Reuse>, String> {
        Ok(None)
    }
    /// What became of these components; one entry each. The error is a sentence.
    fn lifelines(
        &self,
        _run: &Run,
        _asked: &[Asked],
        _goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        Err("this recording cannot tell what became of its components".into())
    }
    /// What a rater has labelled so far; nothing of other raters. The error is a sentence.
    fn labels(&self, _annotator: &str) -> Result<Labels, String> {
        Err(auditing::NO_BUNDLE.into())
    }
    /// Brings a label to the disk before it returns, and gives all labels of the rater. The error is a sentence.
    fn save_label(
        &self,
        _annotator: &str,
        _label: Label,
        _seen: Option<&Label>,
    ) -> Result<Saved, String> {
        Err(auditing::NO_BUNDLE.into())
    }
    /// Places that look like a component after so many turns, best first; what of them a verdict's looks read, where
    /// one is given. The error is a sentence.
    fn places(
        &self,
        _run: &Run,
        _done: usize,
        _component: &Component,
        _verdict: Option<&Verdict>,
    ) -> Result<Vec<Place>, String> {
        Err("this recording cannot tell what its code looks like".into())
    }
}

impl Recording for Archive {
    fn step_text(&self, run: &Run, step: StepId) -> StepText {
        self.step_text(run, step)
    }

    fn request(&self, run: &Run, turn: usize) -> String {
        self.request(run, turn)
    }

    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String> {
        self.timeline(run)
    }

    fn line_counts(&self, run: &Run) -> Result<Counts, String> {
        self.line_counts(run)
    }

    fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff {
        self.diff(run, change, context)
    }

    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, String> {
        self.changes_between(run, before, after)
    }

    fn blame(&self, run: &Run, path: &RepoPath, done: usize) -> Result<Vec<BlamedLine>, String> {
        self.blame(run, path, done)
    }

    fn search(
        &self,
        run: &Run,
        query: &Query,
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String> {
        self.search(run, query, found)
    }

    fn score(
        &self,
        run: &Run,
        moments: &[usize],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Scored>, String> {
        self.score(run, moments, scorer, goes_on)
    }

    fn dir(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<f64>>, String> {
        let reuse = self.reuse(run, moments, reader)?;
        Ok(reuse.into_iter().map(|reuse| reuse?.dir()).collect())
    }

    fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        self.content(run, file)
    }

    fn rubric(&self) -> Rubric {
        self.rubric()
    }

    fn bundle(&self) -> Option<PathBuf> {
        self.bundle().map(Path::to_owned)
    }

    fn reuse(&self, run: &Run, done: usize) -> Result<Option<Reuse>, String> {
        let mut all = self.reuse(run, &[done], &store::ReuseReader::default())?;
        Ok(all.pop().flatten())
    }

    fn lifelines(
        &self,
        run: &Run,
        asked: &[Asked],
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        self.lifelines(run, asked, goes_on)
    }

    fn labels(&self, annotator: &str) -> Result<Labels, String> {
        auditing::labels(self, annotator)
    }

    fn save_label(
        &self,
        annotator: &str,
        label: Label,
        seen: Option<&Label>,
    ) -> Result<Saved, String> {
        auditing::save(self, annotator, label, seen)
    }

    fn places(
        &self,
        run: &Run,
        done: usize,
        component: &Component,
        verdict: Option<&Verdict>,
    ) -> Result<Vec<Place>, String> {
        self.places(run, done, component, verdict)
    }
}

/// A run and what answers questions about it.
#[derive(Clone)]
pub struct Opened {
    pub run: Arc<Run>,
    pub recording: Arc<dyn Recording>,
}

impl From<store::Opened> for Opened {
    fn from(opened: store::Opened) -> Self {
        Self { run: opened.run, recording: opened.archive }
    }
}

/// How a path becomes a run.
#[derive(Clone)]
pub struct Opener {
    whole: Arc<Whole>,
    among: Option<Arc<Among>>,
    head: Arc<Head>,
    several: Arc<Several>,
}

type Whole = dyn Fn(&Path) -> Result<Opened, OpenError> + Send + Sync;
type Among = dyn Fn(&Path, &Siblings) -> Result<Opened, OpenError> + Send + Sync;
type Head = dyn Fn(&Path) -> Option<Opened> + Send + Sync;
type Several = dyn Fn(&Path) -> bool + Send + Sync;

impl Opener {
    pub fn new(whole: impl Fn(&Path) -> Result<Opened, OpenError> + Send + Sync + 'static) -> Self {
        let (head, several) = (Arc::new(|_: &Path| None), Arc::new(|_: &Path| false));
        Self { whole: Arc::new(whole), among: None, head, several }
    }

    /// Opens the whole run.
    pub fn open(&self, path: &Path) -> Result<Opened, OpenError> {
        (self.whole)(path)
    }

    /// Opens one of many runs, by what is known of the logs beside it.
    pub fn open_among(&self, path: &Path, siblings: &Siblings) -> Result<Opened, OpenError> {
        match &self.among {
            Some(among) => among(path, siblings),
            None => self.open(path),
        }
    }

    /// With a way to open many runs that costs less than to open each by itself.
    #[must_use]
    pub fn with_many(
        self,
        among: impl Fn(&Path, &Siblings) -> Result<Opened, OpenError> + Send + Sync + 'static,
    ) -> Self {
        Self { among: Some(Arc::new(among)), ..self }
    }

    /// With a way to have the beginning of a run while the whole is read.
    #[must_use]
    pub fn with_head(self, head: impl Fn(&Path) -> Option<Opened> + Send + Sync + 'static) -> Self {
        Self { head: Arc::new(head), ..self }
    }
}

impl Opener {
    /// With a way to tell that a path holds several runs, which are shown in a table then.
    #[must_use]
    pub fn with_several(self, several: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { several: Arc::new(several), ..self }
    }
}

/// The way in through the disk.
pub fn from_disk() -> Opener {
    Opener::new(|path| store::open(path).map(Opened::from))
        .with_many(|path, siblings| store::open_among(path, siblings).map(Opened::from))
        .with_head(|path| store::open_head(path).map(Opened::from))
        .with_several(store::holds_several)
}

/// What a worker sends back.
pub enum Reply {
    Opened(Request, Result<Opened, OpenError>),
    Message(Message),
    /// A run that was to be set beside others cannot be opened.
    NotCompared(Request, OpenError),
    /// The run of a form can begin; the one that it is started from.
    StartLive(Request, Box<Job>, Option<Origin>),
}

pub enum Event {
    /// The user, the terminal or the clock wants something.
    Asked(Message),
    /// A question is answered, for good.
    Answered(Reply),
    /// A part of an answer; more follows.
    Partly(Message),
    /// The beginning of a run that is still being read; the whole follows.
    Begun(Request, Opened),
    /// Told of a run that is being made; whoever tells waits until it is taken in.
    Living(Message),
    /// A signal arrived.
    Signal(i32),
    /// There is no terminal any more.
    Gone,
    /// The recording that is followed has grown.
    Grown(Opened),
    /// Something was added to a bundle, which may not be the one that is open any more.
    Changed(PathBuf, Opened),
}

/// Carries out effects.
pub struct World {
    sender: Sender<Event>,
    opener: Opener,
    recording: Option<Arc<dyn Recording>>,
    /// The newest search; an older one stops at its next hit.
    search: Arc<AtomicU64>,
    followed: Option<PathBuf>,
    /// The newest follower; an older one stops.
    follows: Arc<AtomicU64>,
    scoring: Arc<Scoring>,
    /// Raised when nobody wants any more scores of those asked for before.
    unwanted: Arc<AtomicU64>,
    comparing: Comparing,
    collecting: Collecting,
    /// The agent at work, where a run is being made.
    living: Option<Living>,
    judging: Judging,
    testing: jobs::Testing,
    /// The settings file, where there is a place for one.
    settings: Option<PathBuf>,
    starting: Starting,
}

impl World {
    pub fn new(sender: Sender<Event>, opener: Opener) -> Self {
        let comparing = Comparing::new(sender.clone(), opener.clone());
        let collecting = Collecting {
            sender: sender.clone(),
            opener: opener.clone(),
            scoring: Arc::default(),
            siblings: Arc::default(),
            unwanted: Arc::default(),
            era: 0,
        };
        Self {
            judging: Judging::new(sender.clone()),
            sender,
            opener,
            comparing,
            recording: None,
            search: Arc::default(),
            followed: None,
            follows: Arc::default(),
            scoring: Arc::default(),
            unwanted: Arc::default(),
            collecting,
            living: None,
            testing: jobs::Testing::default(),
            settings: None,
            starting: Starting::default(),
        }
    }

    /// From now on agents are started so.
    pub fn start_with(&mut self, starting: Starting) {
        self.starting = starting;
    }

    /// From now on questions are about this recording.
    pub fn ask_about(&mut self, recording: Arc<dyn Recording>) {
        self.recording = Some(recording);
    }

    /// From now on the code is scored as this says.
    pub fn score_with(&mut self, scoring: Scoring) {
        self.collecting.scoring = Arc::new(scoring.another());
        self.scoring = Arc::new(scoring);
        self.comparing.score_with(self.scoring.clone());
    }

    /// From now on the code is scored as somebody said on the screen.
    pub fn measure_with(&mut self, measure: Measure) {
        if measure.is_default {
            let words = jobs::keep_measure(&measure, self.settings.as_deref());
            let say = Message::Shell(shell::Message::Say(words));
            let _ = self.sender.send(Event::Partly(say)); // the loop may already have gone home
        }
        self.stop_scoring();
        self.score_with(self.scoring.measuring(measure));
    }

    /// Who can be asked about a run.
    pub const fn judging(&mut self) -> &mut Judging {
        &mut self.judging
    }

    /// Whether a path names several runs.
    pub fn holds_several(&self, path: &Path) -> bool {
        (self.opener.several)(path)
    }

    /// Ends what is being measured of runs side by side.
    pub fn stop_comparing(&self) {
        self.comparing.stop();
    }

    /// Starts an agent whose run is shown.
    pub fn begin_live(&mut self, job: Job, start: Start, control: Control, beside: living::Beside) {
        let (sender, opener) = (self.sender.clone(), self.opener.clone());
        self.living = Some(Living::start(job, start, control, (sender, opener), beside));
    }

    /// Something told of the run was taken in.
    pub fn took_in(&self) {
        if let Some(living) = &self.living {
            living.took();
        }
    }

    /// What the person wants of the run. An agent that does not read its keys loses them.
    pub fn ask_agent(&self, command: Command) {
        if let Some(living) = &self.living {
            living.ask(command);
        }
    }

    /// Ends the run, and waits for its end; None where there was none or it broke off.
    pub fn end_live(&mut self) -> Option<living::Outcome> {
        self.living.take()?.end()
    }

    /// What is to be kept is kept in this file.
    pub fn keep_in(&mut self, settings: Option<&Path>) {
        self.settings = settings.map(Path::to_owned);
    }

    /// Whether questions are about the recording in this bundle.
    pub fn is_about(&self, bundle: &Path) -> bool {
        self.recording.as_ref().and_then(|it| it.bundle()).is_some_and(|open| open == bundle)
    }

    /// Ends the tests of checkpoints, and waits a moment until they have.
    pub fn end_testing(&self) {
        self.testing.end();
    }

    /// Ends the tests of checkpoints.
    pub fn stop_testing(&self) {
        self.testing.stop();
    }

    /// Ends what is being scored.
    pub fn stop_scoring(&self) {
        self.unwanted.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends what is being read and measured of the collection.
    pub fn stop_collecting(&mut self) {
        self.collecting.era = self.collecting.unwanted.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// Tells no more of a recording that grows.
    pub fn follow_no_more(&mut self) {
        self.followed = None;
        self.follows.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells from now on when a recording grows; one that was followed before is left alone.
    pub fn follow(&mut self, path: PathBuf) {
        if self.followed.as_ref() == Some(&path) {
            return;
        }
        self.followed = Some(path.clone());
        let (sender, newest) = (self.sender.clone(), self.follows.clone());
        let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
        let is_wanted = move || newest.load(Ordering::Relaxed) == number;
        let follow = move || {
            let grown = |opened| sender.send(Event::Grown(opened)).is_ok();
            super::follow::tell(&path, &is_wanted, &grown);
        };
        // Without a thread nothing grows; everything else goes on.
        let _ = thread::Builder::new().name("follower".into()).spawn(follow);
    }

    /// Starts a worker, which sends exactly one [`Event::Answered`].
    pub fn carry_out(&self, effect: Effect) {
        let apology = Arc::new(apology(&effect));
        let sorry = apology.clone();
        let (judging, stop) = (self.judging.clone(), self.judging.stop_for(&effect));
        let worker = Worker {
            judging,
            stop,
            sender: self.sender.clone(),
            opener: self.opener.clone(),
            recording: self.recording.clone(),
            search: self.search.clone(),
            scoring: self.scoring.clone(),
            unwanted: self.unwanted.clone(),
            era: self.unwanted.load(Ordering::Relaxed),
            comparing: self.comparing.clone(),
            collecting: self.collecting.clone(),
            testing: self.testing.for_effect(&effect),
            settings: self.settings.clone(),
            starting: self.starting.clone(),
        };
        if let Effect::Open(request, _) = &effect {
            self.stop_scoring();
            self.search.store(request.number(), Ordering::Relaxed);
        }
        if let Effect::Search(request, ..) = &effect {
            self.search.store(request.number(), Ordering::Relaxed);
        }
        let sender = self.sender.clone();
        // What takes long is not what is looked at.
        let takes_long = match &effect {
            Effect::Score(..) | Effect::CountLines(..) | Effect::Search(..) => true,
            Effect::Audit(_, ask) => matches!(**ask, Ask::Agree(_)),
            Effect::Compare(_, ask) => comparing::takes_long(ask),
            _ => false,
        };
        let work = move || {
            if takes_long {
                store::stand_back();
            }
            let reply = catch_unwind(AssertUnwindSafe(|| worker.answer(effect)));
            let reply = reply.unwrap_or_else(|panic| apology(&words_of(&*panic)));
            let _ = sender.send(Event::Answered(reply)); // the loop may already have gone home
        };
        let started = thread::Builder::new().name("worker".into()).spawn(work);
        if let Err(why) = started {
            let words = format!("no thread could be started: {why}");
            let _ = self.sender.send(Event::Answered(sorry(&words)));
        }
    }
}

/// What a worker needs; a copy of the world's.
struct Worker {
    sender: Sender<Event>,
    opener: Opener,
    recording: Option<Arc<dyn Recording>>,
    search: Arc<AtomicU64>,
    scoring: Arc<Scoring>,
    unwanted: Arc<AtomicU64>,
    /// What `unwanted` was when the work began.
    era: u64,
    comparing: Comparing,
    collecting: Collecting,
    judging: Judging,
    /// Ends the judging that this is.
    stop: Stop,
    testing: jobs::Testing,
    settings: Option<PathBuf>,
    starting: Starting,
}

impl Worker {
    fn answer(&self, effect: Effect) -> Reply {
        let asked = |request, answer| Reply::Message(Message::Answered(request, answer));
        if let Some(reply) = self.collecting.answer(&effect) {
            return reply;
        }
        if let Effect::Open(request, path) = &effect {
            if (self.opener.several)(path) {
                return Reply::Message(Message::Several(*request));
            }
            if let Some(head) = (self.opener.head)(path) {
                let _ = self.sender.send(Event::Begun(*request, head)); // the loop may already have gone home
                store::stand_back(); // there is something to look at
            }
            return Reply::Opened(*request, self.opener.open(path));
        }
        if let Effect::Compare(request, ask) = effect {
            return self.comparing.answer(request, ask);
        }
        if let Effect::PlanJob(request, wanted) = &effect {
            let bundle = self.recording.as_ref().and_then(|it| it.bundle());
            let starting = (&self.starting, &self.opener);
            let settings = self.settings.as_deref();
            return jobs::plan(*request, wanted, bundle.as_deref(), settings, starting);
        }
        if let Effect::FindAgents(request, task) = &effect {
            return self.starting.find(*request, task, &|message| self.partly(message));
        }
        if let Effect::StartLive(request, beginning) = &effect {
            return self.starting.begin(*request, beginning, &self.opener);
        }
        let Some(recording) = &self.recording else { return apology(&effect)("no run is open") };
        match effect {
            Effect::Open(..)
            | Effect::Compare(..)
            | Effect::StopComparing
            | Effect::PlanJob(..)
            | Effect::FindAgents(..)
            | Effect::StartLive(..)
            | Effect::MeasureWith(_)
            | Effect::StopTesting
            | Effect::FindRuns(..)
            | Effect::ReadRuns(..)
            | Effect::ScoreRuns(..)
            | Effect::TestPairs(..)
            | Effect::StopCollecting
            | Effect::StopScoring
            | Effect::Live(_)
            | Effect::StopJudging(_)
            | Effect::Suspend
            | Effect::Follow(_)
            | Effect::Copy(_)
            | Effect::Edit(_) => apology(&effect)("asked in the wrong place"),
            Effect::Judge(request, run, ask) => {
                let bundle = recording.bundle();
                self.judging.answer(request, (bundle, run.turns.len()), ask, &self.stop)
            }
            Effect::TestCheckpoints(request, run, tests) => {
                let place = (recording.bundle(), &*run);
                self.testing.answer(request, place, &tests, &self.sender, &self.opener)
            }
            Effect::LoadTimeline(request, run) => {
                asked(request, Answer::Timeline(recording.timeline(&run)))
            }
            Effect::CountLines(request, run) => {
                asked(request, Answer::Counted(recording.line_counts(&run).map(Arc::new)))
            }
            Effect::LoadText(request, run, step) => {
                let text = recording.step_text(&run, step);
                asked(request, Answer::Text(Ok(Arc::new(text))))
            }
            Effect::LoadRequest(request, run, turn) => {
                let text = StepText { text: recording.request(&run, turn), ..StepText::default() };
                asked(request, Answer::Text(Ok(Arc::new(text))))
            }
            Effect::Diff(request, run, change, context) => {
                asked(request, Answer::Diff(Ok(recording.diff(&run, &change, context))))
            }
            Effect::ChangesBetween(request, run, before, after) => {
                let changes = recording.changes_between(&run, before, after);
                asked(request, Answer::Changes(changes))
            }
            Effect::Blame(request, run, path, done) => {
                asked(request, Answer::Blamed(recording.blame(&run, &path, done)))
            }
            Effect::Highlight(request, texts) => {
                asked(request, Answer::Highlighted(Ok(colours_of(&texts))))
            }
            Effect::Search(request, run, query) => {
                let (rest, progress) = self.look_for(&**recording, request, &run, &query);
                asked(request, Answer::Found(rest, progress))
            }
            Effect::Score(request, run, moments) => {
                let scores = self.score(&**recording, request, &run, &moments);
                asked(request, Answer::Scored(scores))
            }
            Effect::CompareScores(request, run, before, after) => {
                let moved = self.compare_scores(&**recording, &run, [before, after]);
                asked(request, Answer::Moved(moved))
            }
            Effect::Audit(request, ask) => auditing::answer(&**recording, request, *ask),
            Effect::LoadRubric(request, _) => {
                asked(request, Answer::Rubric(Ok(Arc::new(recording.rubric()))))
            }
            Effect::MeasureReuse(request, run, done) => {
                let reuse = recording.reuse(&run, done);
                asked(request, Answer::Reused(reuse.map(|reuse| integration(reuse.as_ref()))))
            }
            Effect::FollowComponents(request, run, components) => {
                let told = recording.lifelines(&run, &components, &|_, _| true);
                asked(request, Answer::Lifelines(told.map(Arc::new)))
            }
        }
    }

    fn say(&self, words: String) {
        let message = Message::Shell(shell::Message::Say(words));
        let _ = self.sender.send(Event::Partly(message)); // the loop may already have gone home
    }

    fn partly(&self, message: Message) {
        let _ = self.sender.send(Event::Partly(message)); // the loop may already have gone home
    }

    fn is_wanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed) == self.era
    }

    fn score(
        &self,
        recording: &dyn Recording,
        request: Request,
        run: &Run,
        moments: &[usize],
    ) -> Result<scores::Answer, String> {
        let scorer = self.scoring.scorer(&|words| self.say(words))?;
        let goes_on = |done: usize, total: usize| {
            let part = Message::Answered(request, Answer::Scoring(done, total));
            let _ = self.sender.send(Event::Partly(part)); // the loop may already have gone home
            self.is_wanted()
        };
        let scored = recording.score(run, moments, scorer, &goes_on)?;
        let measured = scored.iter().map(Measured::of);
        Ok(scores::Answer {
            ruler: name_of(scorer.ruler()),
            moments: moments.iter().copied().zip(measured).collect(),
        })
    }

    fn compare_scores(
        &self,
        recording: &dyn Recording,
        run: &Run,
        moments: [usize; 2],
    ) -> Result<Arc<Moved>, String> {
        let scorer = self.scoring.scorer(&|words| self.say(words))?;
        let goes_on = |_, _| self.is_wanted();
        let scored = recording.score(run, &moments, scorer, &goes_on)?;
        let [before, after] = <[Scored; 2]>::try_from(scored).map_err(|_| "no such moment")?;
        if let Some(scored) = [&before, &after].into_iter().find(|it| it.is_untold) {
            let why = scored.unmeasured().map(|why| why.to_string()).unwrap_or_default();
            return Err(format!("what moved is not known: {why}"));
        }
        let rules = scorer.ruler().rules();
        Ok(Arc::new(Moved::between(&before.detail, &after.detail, rules)))
    }

    /// Sends hits as they are found, the first at once; gives those not sent yet.
    fn look_for(
        &self,
        recording: &dyn Recording,
        request: Request,
        run: &Run,
        query: &Query,
    ) -> (Vec<Hit>, Progress) {
        let (mut batch, mut count) = (vec![], 0);
        let searched = recording.search(run, query, &mut |hit| {
            batch.push(hit);
            count += 1;
            if count == 1 || batch.len() == BATCH {
                let hits = std::mem::take(&mut batch);
                let part = Message::Answered(request, Answer::Found(hits, Progress::More));
                let _ = self.sender.send(Event::Partly(part)); // the loop may already have gone home
            }
            count < MOST_HITS && self.search.load(Ordering::Relaxed) == request.number()
        });
        match searched {
            Ok(()) => (batch, Progress::Done),
            Err(why) => (batch, Progress::Failed(why)),
        }
    }
}

/// Hits sent at once.
const BATCH: usize = 256;

pub fn colours_of(texts: &colours::Texts) -> colours::Sides {
    let side = |text: &Option<Arc<str>>| highlight(&texts.path, text.as_deref()?);
    colours::Sides { old: side(&texts.old), new: side(&texts.new) }
}

/// None where no file could be read.
fn integration(reuse: Option<&Reuse>) -> Option<Integration> {
    let read = reuse.filter(|reuse| reuse.is_read())?;
    Some(Integration { exported: read.exported(), reused: read.reused() })
}

/// How to answer a question whose worker failed, given the reason.
fn apology(effect: &Effect) -> impl Fn(&str) -> Reply + Send + Sync + use<> {
    let (request, answer): (Request, fn(String) -> Answer) = match effect {
        Effect::Open(request, _) => (*request, |_| Answer::Found(vec![], Progress::Done)),
        Effect::LoadTimeline(request, _) => (*request, |why| Answer::Timeline(Err(why))),
        Effect::CountLines(request, _) => (*request, |why| Answer::Counted(Err(why))),
        Effect::LoadText(request, ..) | Effect::LoadRequest(request, ..) => {
            (*request, |why| Answer::Text(Err(why)))
        }
        Effect::Diff(request, ..) => (*request, |why| Answer::Diff(Err(why))),
        Effect::ChangesBetween(request, ..) => (*request, |why| Answer::Changes(Err(why))),
        Effect::Blame(request, ..) => (*request, |why| Answer::Blamed(Err(why))),
        Effect::Highlight(request, _) => (*request, |why| Answer::Highlighted(Err(why))),
        Effect::Search(request, ..) => {
            (*request, |why| Answer::Found(vec![], Progress::Failed(why)))
        }
        Effect::Score(request, ..) => (*request, |why| Answer::Scored(Err(why))),
        Effect::CompareScores(request, ..) => (*request, |why| Answer::Moved(Err(why))),
        Effect::Compare(request, _) => (*request, |_| Answer::Found(vec![], Progress::Done)),
        Effect::FindRuns(request, _)
        | Effect::ReadRuns(request, ..)
        | Effect::ScoreRuns(request, _)
        | Effect::TestPairs(request, _) => (*request, |_| Answer::Found(vec![], Progress::Done)),
        Effect::Audit(request, ask) => (*request, auditing::failed(ask)),
        Effect::LoadRubric(request, _) => (*request, |why| Answer::Rubric(Err(why))),
        Effect::MeasureReuse(request, ..) => (*request, |why| Answer::Reused(Err(why))),
        Effect::FollowComponents(request, ..) => (*request, |why| Answer::Lifelines(Err(why))),
        Effect::Judge(request, _, ask) => (*request, judging::failed(ask)),
        Effect::PlanJob(request, _)
        | Effect::TestCheckpoints(request, ..)
        | Effect::FindAgents(request, _)
        | Effect::StartLive(request, _) => (*request, |_| Answer::Found(vec![], Progress::Done)),
        Effect::StopCollecting
        | Effect::StopComparing
        | Effect::MeasureWith(_)
        | Effect::StopTesting
        | Effect::StopScoring
        | Effect::Live(_)
        | Effect::StopJudging(_)
        | Effect::Suspend
        | Effect::Follow(_)
        | Effect::Copy(_)
        | Effect::Edit(_) => (Request::default(), |_| Answer::Found(vec![], Progress::Done)),
    };
    let compares = matches!(effect, Effect::Compare(..));
    let plans = matches!(effect, Effect::PlanJob(..));
    let tests = matches!(effect, Effect::TestCheckpoints(..));
    let begins = matches!(effect, Effect::StartLive(..));
    let finds = matches!(effect, Effect::FindAgents(..));
    let is_of_collection = collecting::is_one(effect);
    let opens = match effect {
        Effect::Open(_, path) => Some(path.clone()),
        _ => None,
    };
    move |why| {
        let why = format!("this could not be worked out, a mistake in trajview: {why}");
        match &opens {
            Some(path) => {
                Reply::Opened(request, Err(OpenError::Understand { path: path.clone(), why }))
            }
            None if plans => jobs::failed(request, why),
            None if tests => jobs::tests_over(request, Err(why)),
            None if begins => starting::failed(request, Refusal { field: None, why }),
            None if finds => starting::found_nothing(request),
            None if compares => comparing::failed(request, why),
            None if is_of_collection => {
                collecting::reply(request, collection::asking::Answer::Failed(why))
            }
            None => Reply::Message(Message::Answered(request, answer(why))),
        }
    }
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a worker stopped".into())
}
