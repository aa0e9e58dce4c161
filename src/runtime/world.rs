//! Where pure code ends: effects carried out on threads of their own, answers sent back.
//!
//! A worker that panics answers too, with a sentence: the screen lives on, and no question is ever left open.

use crossbeam_channel::Sender;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use trajview_code::highlight::highlight;
use trajview_judge::stop::Stop;
use trajview_layers::record::Record;
use trajview_live::{Control, Job, Start};
use trajview_metrics::{
    absence::Place,
    cost::RunCost,
    decisions::Lane,
    lifeline::{Asked, Lifeline},
    memory::Course,
    process::Report,
    quality::Scored,
    reuse::Reuse,
};
use trajview_run::{
    RepoPath, Run, StepId, StepText,
    files::{
        Change, FileDiff, Moment, Timeline,
        blame::BlamedLine,
        history::{self, History},
    },
    lookup::{Looked, RunHits},
    pictures::raster::Decoded,
    rubric::{Component, Gold, Label, Labels, Rubric, Verdict},
    search::{Hit, Query},
};
use trajview_store as store;
use trajview_store::OpenError;
use trajview_study as study;
use trajview_study::{
    Estimate,
    compare::{Party, Trees},
    paired::{Tested, tested},
};
use trajview_tui::{
    session::{
        self,
        columns::Column,
        digest::Counts,
        effect::Effect,
        files::texts::{Sides, Texts},
        filtering::ToFilter,
        integration::Integration,
        jobs::{Checks, Found, Measure, Plan as JobPlan, Refusal, Tests, Wanted},
        judging::{Judge, JudgingRequest, Outcome, Plan as JudgePlan, Start as JudgingStart},
        live::Command,
        measured::{Measured, Moved, RulerName},
        question::{Answer, Executor, Part, Question},
        request::{Request, Sentence},
        runs::Order,
        runs::{Depth, Sides as PairedSides},
        saved::{Pairs, Saved, ToSave},
    },
    shell::{Message, state},
    views::{audit::agreement, replay::search::MOST_HITS},
};

use super::{
    auditing,
    collecting::Collecting,
    comparing::Comparing,
    event::{Event, Reply},
    filtering::Filtering,
    finding::Finding,
    follow::Following,
    held::Held,
    jobs,
    judging::{JudgedRun, Judging},
    living::{self, Living},
    recording::{Opener, Recording, from_disk},
    scoring::{Scoring, name_of},
    starting::{self, Starting},
};

/// Carries out effects.
pub struct World {
    sender: Sender<Event>,
    opener: Opener,
    recording: Option<Arc<dyn Recording>>,
    /// The newest search; an older one stops at its next hit.
    search: Arc<AtomicU64>,
    following: Following,
    scoring: Arc<Scoring>,
    /// Raised when nobody wants any more scores of those asked for before.
    unwanted: Arc<AtomicU64>,
    comparing: Comparing,
    collecting: Collecting,
    /// The agent at work, where a run is being made.
    living: Option<Living>,
    judging: Judging,
    testing: jobs::Testing,
    named: NamedFiles,
    starting: Starting,
    /// Runs of a study that were open last.
    held: Held,
}

/// Files that the command line and the settings name.
#[derive(Debug, Clone, Default)]
struct NamedFiles {
    /// The settings file, where there is a place for one.
    settings: Option<PathBuf>,
    /// Decisions that are laid over runs, in the place of their own.
    store: Option<PathBuf>,
}

impl World {
    pub fn new(sender: Sender<Event>, opener: Opener) -> Self {
        let comparing = Comparing::new(opener.clone());
        let collecting = Collecting {
            opener: opener.clone(),
            scoring: Arc::default(),
            siblings: Arc::default(),
            unwanted: Arc::default(),
            era: 0,
            finding: Finding::default(),
            filtering: Filtering::default(),
            kept: None,
        };
        Self {
            judging: Judging::new(sender.clone()),
            sender,
            opener,
            comparing,
            recording: None,
            search: Arc::default(),
            following: Following::default(),
            scoring: Arc::default(),
            unwanted: Arc::default(),
            collecting,
            living: None,
            testing: jobs::Testing::default(),
            named: NamedFiles::default(),
            starting: Starting::default(),
            held: Held::default(),
        }
    }

    /// From now on these decisions are laid over runs; None for their own.
    pub fn lay_over(&mut self, store: Option<PathBuf>) {
        self.named.store = store;
    }

    /// Whether what sessions come to is kept on disk from now on.
    pub fn keep_cards(&mut self, keeps: bool) {
        self.collecting.kept = keeps.then(Arc::default);
    }

    /// From now on agents are started so.
    pub fn start_with(&mut self, starting: Starting) {
        self.starting = starting;
    }

    /// From now on questions are about this recording.
    pub fn ask_about(&mut self, recording: Arc<dyn Recording>) {
        self.following.watch(recording.bundle(), &self.sender);
        self.recording = Some(recording);
    }

    /// From now on it is told when somebody else judges the run that is open.
    pub const fn watch_judgements(&mut self) {
        self.following.watches = true;
    }

    /// From now on the code is scored as this says.
    pub fn score_with(&mut self, scoring: Scoring) {
        self.collecting.scoring = Arc::new(scoring.another());
        self.scoring = Arc::new(scoring);
        self.comparing.score_with(self.scoring.clone());
    }

    /// From now on what runs say is found by the index, which is kept up; without one everything is read.
    pub fn find_with(&mut self, index: Option<PathBuf>) {
        self.collecting.finding.index = index;
    }

    /// From now on the code is scored as somebody said on the screen.
    pub fn measure_with(&mut self, measure: Measure) {
        if measure.is_default {
            let words = jobs::keep_measure(&measure, self.named.settings.as_deref());
            let say = Message::Shell(state::Message::Say(words));
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
        self.opener.holds_several(path)
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
        self.named.settings = settings.map(Path::to_owned);
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
        self.following.end();
    }

    /// Tells from now on when a recording grows; one that was followed before is left alone.
    pub fn follow(&mut self, path: PathBuf) {
        self.following.follow(path, &self.sender);
    }

    /// Tells once when a recording is written to that is not followed.
    pub fn watch(&mut self, path: PathBuf) {
        self.following.look_at(path, &self.sender);
    }

    /// Tells from now on which recordings below these paths change.
    pub fn watch_all(&mut self, sources: Vec<PathBuf>) {
        self.following.look_at_all(sources, &self.sender);
    }

    /// Starts a worker, which sends exactly one [`Event::Answered`].
    pub fn carry_out(&self, effect: Effect) {
        let Some(request) = effect.request() else { return };
        let apology = apology(&effect);
        let sorry = apology.clone();
        if let Effect::Open(..) = effect {
            self.stop_scoring();
            self.search.store(request.number(), Ordering::Relaxed);
        }
        let question = match &effect {
            Effect::Ask(_, question) => Some(&**question),
            _ => None,
        };
        if let Some(Question::Search { .. }) = question {
            self.search.store(request.number(), Ordering::Relaxed);
        }
        if let Some(Question::Find { .. }) = question {
            self.collecting.finding.begin(request);
        }
        let worker = self.worker(request, question);
        let takes_long = question.is_some_and(takes_long);
        let sender = self.sender.clone();
        let work = move || {
            if takes_long {
                store::stand_back();
            }
            let reply = catch_unwind(AssertUnwindSafe(|| worker.reply(effect)));
            let reply = reply.unwrap_or_else(|panic| apology(&words_of(&*panic)));
            let _ = sender.send(Event::Answered(reply)); // the loop may already have gone home
        };
        let started = thread::Builder::new().name("worker".into()).spawn(work);
        if let Err(why) = started {
            let words = format!("no thread could be started: {why}");
            let _ = self.sender.send(Event::Answered(sorry(&words)));
        }
    }

    fn worker(&self, request: Request, question: Option<&Question>) -> Worker {
        Worker {
            request,
            judging: self.judging.clone(),
            sender: self.sender.clone(),
            opener: self.opener.clone(),
            recording: self.recording.clone(),
            comparing: self.comparing.clone(),
            collecting: self.collecting.clone(),
            testing: self.testing.for_question(question),
            named: self.named.clone(),
            starting: self.starting.clone(),
            held: self.held.clone(),
            not_compared: OnceLock::new(),
            cancellation: Cancellation {
                stop: question.map(|it| self.judging.stop_for(request, it)).unwrap_or_default(),
                search: self.search.clone(),
                scoring: self.scoring.clone(),
                unwanted: self.unwanted.clone(),
                era: self.unwanted.load(Ordering::Relaxed),
            },
        }
    }
}

/// What takes long is not what is looked at: it stands back for the rest.
const fn takes_long(question: &Question) -> bool {
    matches!(
        question,
        Question::Scores { .. }
            | Question::LineCounts { .. }
            | Question::Search { .. }
            | Question::Agreement { .. }
            | Question::PartyScores { .. }
            | Question::Trees { .. }
            | Question::PairTests { .. }
    )
}

/// Answers a question about a recording at once, with what a program that was just started has. Parts of the answer are
/// lost.
pub fn answer(recording: &Arc<dyn Recording>, question: Question) -> Answer {
    let mut world = World::new(crossbeam_channel::unbounded().0, from_disk());
    world.ask_about(recording.clone());
    question.carry_out(&world.worker(Request::default(), None))
}

/// Answers one question, with copies of what the world has.
struct Worker {
    /// The number of the question.
    request: Request,
    sender: Sender<Event>,
    opener: Opener,
    recording: Option<Arc<dyn Recording>>,
    cancellation: Cancellation,
    comparing: Comparing,
    collecting: Collecting,
    judging: Judging,
    testing: jobs::Testing,
    named: NamedFiles,
    starting: Starting,
    held: Held,
    /// Why a run that was to be set beside others cannot be opened.
    not_compared: OnceLock<OpenError>,
}

/// What ends work that nobody wants any more.
struct Cancellation {
    search: Arc<AtomicU64>,
    scoring: Arc<Scoring>,
    unwanted: Arc<AtomicU64>,
    /// What `unwanted` was when the work began.
    era: u64,
    /// Ends the judging that this is.
    stop: Stop,
}

impl Worker {
    fn reply(self, effect: Effect) -> Reply {
        match effect {
            Effect::Ask(request, question) => {
                let answer = question.carry_out(&self);
                match self.not_compared.into_inner() {
                    Some(why) => Reply::NotCompared(request, why),
                    None => Reply::Message(Message::Answered(request, answer)),
                }
            }
            Effect::Open(request, path) => self.open(request, &path),
            Effect::OpenInStudy(request, path) => {
                Reply::Opened(request, self.held.open(&path, &self.opener))
            }
            Effect::StartLive(request, beginning) => {
                self.starting.begin(request, &beginning, &self.opener)
            }
            effect => apology(&effect)("asked in the wrong place"),
        }
    }

    fn open(&self, request: Request, path: &Path) -> Reply {
        if self.opener.holds_several(path) {
            return Reply::Message(Message::Several(request));
        }
        if let Some(head) = self.opener.head(path) {
            let _ = self.sender.send(Event::Begun(request, head)); // the loop may already have gone home
            store::stand_back(); // there is something to look at
        }
        Reply::Opened(request, self.opener.open(path))
    }

    fn recording(&self) -> Result<&dyn Recording, Sentence> {
        self.recording.as_deref().ok_or_else(|| our_mistake("no run is open"))
    }

    fn bundle(&self) -> Option<PathBuf> {
        self.recording.as_ref()?.bundle()
    }

    fn judged_run(&self, turns: usize) -> JudgedRun {
        JudgedRun { bundle: self.bundle(), turns, store: self.named.store.clone() }
    }

    fn say(&self, words: String) {
        let message = Message::Shell(state::Message::Say(words));
        let _ = self.sender.send(Event::Partly(message)); // the loop may already have gone home
    }

    /// Brings the beginning of an answer; whether anybody listens.
    fn tell(&self, part: Part) -> bool {
        self.sender.send(Event::Partly(Message::Partly(self.request, part))).is_ok()
    }

    fn is_wanted(&self) -> bool {
        self.cancellation.unwanted.load(Ordering::Relaxed) == self.cancellation.era
    }
}

impl Executor for Worker {
    fn timeline(&self, run: Arc<Run>) -> Result<Arc<Timeline>, Sentence> {
        self.recording()?.timeline(&run)
    }

    fn line_counts(&self, run: Arc<Run>) -> Result<Arc<Counts>, Sentence> {
        self.recording()?.line_counts(&run).map(Arc::new)
    }

    fn step_text(&self, run: Arc<Run>, step: StepId) -> Result<Arc<StepText>, Sentence> {
        Ok(Arc::new(self.recording()?.step_text(&run, step)))
    }

    fn request_text(&self, run: Arc<Run>, turn: usize) -> Result<Arc<StepText>, Sentence> {
        let text = self.recording()?.request(&run, turn);
        Ok(Arc::new(StepText { text, ..StepText::default() }))
    }

    fn images(
        &self,
        run: Arc<Run>,
        turn: usize,
        step: Option<StepId>,
    ) -> Result<Arc<Vec<Decoded>>, Sentence> {
        let images = self.recording()?.images(&run, turn, step);
        Ok(Arc::new(images.into_iter().map(Decoded::from).collect()))
    }

    fn diff(&self, run: Arc<Run>, change: Change, context: usize) -> Result<FileDiff, Sentence> {
        Ok(self.recording()?.diff(&run, &change, context))
    }

    fn changes_between(
        &self,
        run: Arc<Run>,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, Sentence> {
        self.recording()?.changes_between(&run, before, after)
    }

    fn blame(
        &self,
        run: Arc<Run>,
        path: RepoPath,
        moment: Moment,
    ) -> Result<Vec<BlamedLine>, Sentence> {
        self.recording()?.blame(&run, &path, moment)
    }

    fn history(&self, run: Arc<Run>, wanted: history::Wanted) -> Result<Arc<History>, Sentence> {
        self.recording()?.history(&run, &wanted).map(Arc::new)
    }

    fn colours(&self, texts: Texts) -> Result<Sides, Sentence> {
        Ok(colours_of(&texts))
    }

    /// Sends hits as they are found, the first at once; gives those not sent yet.
    fn search(&self, run: Arc<Run>, query: Query) -> Result<Vec<Hit>, Sentence> {
        let (mut batch, mut count) = (vec![], 0);
        self.recording()?.search(&run, &query, &mut |hit| {
            batch.push(hit);
            count += 1;
            if count == 1 || batch.len() == BATCH {
                self.tell(Part::Hits(std::mem::take(&mut batch)));
            }
            count < MOST_HITS
                && self.cancellation.search.load(Ordering::Relaxed) == self.request.number()
        })?;
        Ok(batch)
    }

    fn scores(
        &self,
        run: Arc<Run>,
        moments: Vec<Moment>,
    ) -> Result<session::measured::Answer, Sentence> {
        let recording = self.recording()?;
        let scorer = self.cancellation.scoring.scorer(&|words| self.say(words))?;
        let goes_on = |done: usize, total: usize| {
            self.tell(Part::Measured(done, total));
            self.is_wanted()
        };
        let scored = recording.score(&run, &moments, scorer, &goes_on)?;
        let measured = scored.iter().map(Measured::of);
        Ok(session::measured::Answer {
            ruler: name_of(scorer.ruler()),
            moments: moments.iter().copied().zip(measured).collect(),
        })
    }

    fn moved(&self, run: Arc<Run>, before: Moment, after: Moment) -> Result<Arc<Moved>, Sentence> {
        let recording = self.recording()?;
        let scorer = self.cancellation.scoring.scorer(&|words| self.say(words))?;
        let goes_on = |_, _| self.is_wanted();
        let scored = recording.score(&run, &[before, after], scorer, &goes_on)?;
        let [before, after] = <[Scored; 2]>::try_from(scored).map_err(|_| "no such moment")?;
        if let Some(scored) = [&before, &after].into_iter().find(|it| it.is_untold) {
            let why = scored.unmeasured().map(|why| why.to_string()).unwrap_or_default();
            return Err(format!("what moved is not known: {why}"));
        }
        let rules = scorer.ruler().rules();
        Ok(Arc::new(Moved::between(&before.detail, &after.detail, rules)))
    }

    fn rubric(&self, _run: Arc<Run>) -> Result<Arc<Rubric>, Sentence> {
        Ok(Arc::new(self.recording()?.rubric()))
    }

    fn reuse(&self, run: Arc<Run>, done: usize) -> Result<Option<Integration>, Sentence> {
        let reuse = self.recording()?.reuse(&run, done)?;
        Ok(integration(reuse.as_ref()))
    }

    fn lifelines(
        &self,
        run: Arc<Run>,
        components: Vec<Asked>,
    ) -> Result<Arc<Vec<Lifeline>>, Sentence> {
        self.recording()?.lifelines(&run, &components, &|_, _| true).map(Arc::new)
    }

    fn process(&self, run: Arc<Run>) -> Result<Option<Arc<Report>>, Sentence> {
        Ok(self.recording()?.process(&run).map(Arc::new))
    }

    fn decisions(&self, run: Arc<Run>) -> Result<Option<Arc<Lane>>, Sentence> {
        Ok(self
            .recording()?
            .decisions(&run, self.named.store.as_deref())
            .transpose()?
            .map(Arc::new))
    }

    fn draw_decisions(&self, run: Arc<Run>) -> Result<String, Sentence> {
        self.recording()?.draw_decisions(&run)
    }

    fn cost(&self, run: Arc<Run>) -> Result<Arc<RunCost>, Sentence> {
        Ok(Arc::new(RunCost::of(&run, &store::prices::held().prices)))
    }

    fn memory(&self, run: Arc<Run>) -> Result<Option<Arc<Course>>, Sentence> {
        Ok(self.recording()?.memory(&run).map(Arc::new))
    }

    fn layers(&self, run: Arc<Run>) -> Result<Option<Arc<Vec<Record>>>, Sentence> {
        let records = self.recording()?.layers(&run);
        Ok((!records.is_empty()).then(|| Arc::new(records)))
    }

    fn labels(&self, annotator: String) -> Result<Labels, Sentence> {
        self.recording()?.labels(&annotator)
    }

    fn save_label(
        &self,
        place: Option<PathBuf>,
        annotator: String,
        what: ToSave,
        seen: Option<Label>,
    ) -> Result<Saved, Sentence> {
        let what = match what {
            ToSave::Label(label) => {
                let at = label.at.or_else(|| Some(auditing::now()));
                ToSave::Label(Label { at, ..label })
            }
            other => other,
        };
        match place {
            Some(place) => auditing::save_in(&place, &annotator, what, seen.as_ref()),
            None => self.recording()?.save_label(&annotator, what, seen.as_ref()),
        }
    }

    fn save_gold(&self, place: PathBuf, gold: Box<Gold>) -> Result<Vec<Gold>, Sentence> {
        auditing::save_gold(&place, *gold)
    }

    fn study_labels(&self, places: Vec<PathBuf>) -> Result<Vec<Vec<Labels>>, Sentence> {
        Ok(places.iter().map(|place| store::rubric::read_in(place).labels).collect())
    }

    fn places(
        &self,
        run: Arc<Run>,
        done: usize,
        component: Component,
        verdict: Option<Verdict>,
    ) -> Result<Arc<Vec<Place>>, Sentence> {
        self.recording()?.places(&run, done, &component, verdict.as_ref()).map(Arc::new)
    }

    fn agreement(&self, pairs: Pairs) -> Result<Estimate, Sentence> {
        Ok(agreement::kappa(&pairs))
    }

    fn parties(&self, paths: Vec<PathBuf>) -> Result<Vec<Party>, Sentence> {
        self.comparing.open_all(&paths).map_err(|why| {
            let words = why.to_string();
            let _ = self.not_compared.set(why); // asked once
            words
        })
    }

    fn party_scores(
        &self,
        path: PathBuf,
        moments: Vec<usize>,
    ) -> Result<(RulerName, Vec<session::parties::Measured>), Sentence> {
        let progress = |done: usize, total: usize| {
            self.tell(Part::Measured(done, total));
        };
        self.comparing.measure(&path, moments, &|words| self.say(words), &progress)
    }

    fn trees(&self, paths: [PathBuf; 2]) -> Result<Trees, Sentence> {
        self.comparing.trees(&paths)
    }

    fn file_between(&self, paths: [PathBuf; 2], change: Box<Change>) -> Result<FileDiff, Sentence> {
        self.comparing.between(&paths, &change)
    }

    fn file_text(&self, path: PathBuf, file: String, done: usize) -> Result<Arc<str>, Sentence> {
        self.comparing.file(&path, &file, done)
    }

    fn run_paths(&self, sources: Vec<PathBuf>, order: Order) -> Result<(), Sentence> {
        let ended = self.collecting.find(&sources, order, &|found| self.tell(Part::Runs(found)));
        self.collecting.finding.keep_up(sources);
        ended
    }

    fn find(&self, sources: Vec<PathBuf>, words: String) -> Result<Looked, Sentence> {
        let tell = |found: RunHits| self.tell(Part::RunHits(vec![found]));
        self.collecting.finding.find(self.request, sources, &words, &tell)
    }

    fn cards(&self, depth: Depth, asked: Vec<session::runs::Asked>) -> Result<(), Sentence> {
        self.collecting.read(depth, &asked, &|found| self.tell(Part::Runs(found)));
        Ok(())
    }

    fn run_scores(&self, asked: Vec<session::runs::Asked>) -> Result<(), Sentence> {
        self.collecting.score(&asked, &|found| self.tell(Part::Runs(found)))
    }

    fn filtered(&self, wanted: ToFilter) -> Result<Option<Vec<usize>>, Sentence> {
        self.collecting.filtering.answer(wanted)
    }

    fn pair_tests(&self, sides: PairedSides) -> Result<Vec<Tested<Column>>, Sentence> {
        Ok(tested(&sides, Column::better, &study::Plan::default()))
    }

    fn job_plan(&self, wanted: Wanted) -> Result<Result<JobPlan, Refusal>, Sentence> {
        let starting = (&self.starting, &self.opener);
        Ok(jobs::plan(&wanted, self.bundle().as_deref(), self.named.settings.as_deref(), starting))
    }

    fn agents(&self, task: String) -> Result<Found, Sentence> {
        Ok(self.starting.find(&task, &|found| {
            self.tell(Part::Agents(found));
        }))
    }

    fn checkpoint_tests(&self, run: Arc<Run>, tests: Tests) -> Result<String, Sentence> {
        let opener = &self.opener;
        self.testing.test((self.bundle(), &run), &tests, &|checkpoint, outcome, bundle| {
            self.tell(Part::Tested(checkpoint.to_owned(), outcome));
            if let Ok(opened) = opener.open(bundle) {
                let changed = Event::Changed(bundle.to_owned(), opened);
                let _ = self.sender.send(changed); // the loop may already have gone home
            }
        })
    }

    fn state_checks(&self, checks: Checks) -> Result<String, Sentence> {
        self.testing.check(self.bundle(), &checks, &|words, is_good| {
            self.tell(Part::Tested(words, Ok((u64::from(is_good), 1))));
        })
    }

    fn judge_plan(&self, turns: usize, wish: JudgingRequest) -> Result<JudgePlan, Sentence> {
        self.judging.plan(&self.judged_run(turns), &wish)
    }

    fn judges(&self) -> Result<(Vec<Judge>, Option<Sentence>), Sentence> {
        Ok(self.judging.find(&|judges| {
            self.tell(Part::Judges(judges));
        }))
    }

    fn models(&self, judge: String) -> Result<Vec<Judge>, Sentence> {
        Ok(self.judging.list(&judge))
    }

    fn keep_judge(&self, judge: String, model: String) -> Result<String, Sentence> {
        self.judging.keep(&judge, &model)
    }

    fn judging(
        &self,
        turns: usize,
        wish: JudgingRequest,
        start: JudgingStart,
    ) -> Result<Outcome, Sentence> {
        let judged = self.judged_run(turns);
        Ok(self.judging.judge_all(self.request, &judged, &wish, start, &self.cancellation.stop))
    }
}

/// Hits sent at once.
const BATCH: usize = 256;

pub fn colours_of(texts: &session::files::texts::Texts) -> session::files::texts::Sides {
    let side = |text: &Option<Arc<str>>| highlight(&texts.path, text.as_deref()?);
    session::files::texts::Sides { old: side(&texts.old), new: side(&texts.new) }
}

/// None where no file could be read.
fn integration(reuse: Option<&Reuse>) -> Option<Integration> {
    let read = reuse.filter(|reuse| reuse.is_read())?;
    Some(Integration { exported: read.exported(), reused: read.reused() })
}

fn our_mistake(why: &str) -> Sentence {
    format!("this could not be worked out, a mistake in trajview: {why}")
}

/// How to answer where a worker failed, given the reason.
fn apology(effect: &Effect) -> Arc<dyn Fn(&str) -> Reply + Send + Sync> {
    match effect {
        Effect::Open(request, path) | Effect::OpenInStudy(request, path) => {
            let (request, path) = (*request, path.clone());
            Arc::new(move |why| {
                let (path, why) = (path.clone(), our_mistake(why));
                Reply::Opened(request, Err(OpenError::Understand { path, why }))
            })
        }
        Effect::Ask(request, question) => {
            let (request, failure) = (*request, question.failure());
            Arc::new(move |why| {
                Reply::Message(Message::Answered(request, failure(our_mistake(why))))
            })
        }
        Effect::StartLive(request, _) => {
            let request = *request;
            Arc::new(move |why| {
                starting::failed(request, Refusal { field: None, why: our_mistake(why) })
            })
        }
        effect => unreachable!("{effect:?} is carried out by no worker"),
    }
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a worker stopped".into())
}
