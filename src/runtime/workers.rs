//! Runs effects on threads of their own and sends the answers back.
//!
//! A worker that panics answers too, with a sentence: the screen goes on, and every question gets an answer.

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

use trajview_analysis as analysis;
use trajview_analysis::scores::{ReuseRequest, ScoreRequest, Scores};
use trajview_code::highlight::highlight_text;
use trajview_judge::{crash_document::CrashDocument, stop_flag::StopFlag};
use trajview_layers::record::LayerRecord;
use trajview_live::{RunControl, RunJob, StartMode};
use trajview_metrics::{
    absence::CandidatePlace,
    cost::RunCost,
    decisions::DecisionLane,
    lifeline::{FollowedComponent, Lifeline},
    memory::MemoryTimeline,
    process::ProcessReport,
    quality::ScoredSnapshot,
    reuse::Reuse,
};
use trajview_run::{
    RepoPath, Run, SourceId, StepId, StepText,
    files::{
        FileChange, FileDiff, RunMoment, Timeline,
        blame::BlamedLine,
        history::{self, ChangeHistory},
    },
    judging::{JudgeEntry, JudgingOutcome, JudgingPlan, JudgingRequest, JudgingStart},
    live::LiveCommand,
    lookup::{LookupTotals, RunHits},
    pictures::raster::DecodedImage,
    rubric::{Component, GoldLabel, Label, LabelFile, Rubric, Verdict},
    search::{SearchHit, SearchQuery},
    terminal_recording::{PieceStart, TerminalPiece, TerminalRecording},
};
use trajview_store as store;
use trajview_store::{Archive, OpenError, OpenedRecording, decisions, judgements::JudgementFolder};
use trajview_study as study;
use trajview_study::{
    Estimate,
    compare::{ComparedRun, ComparedTranscripts, ComparedTrees},
    crash_test::CrashReport,
    paired::{TestedMetric, test_metrics},
};
use trajview_tui::{
    session::{
        self,
        code_measures::{MeasuredMoment, MovedScores, RulerName},
        columns::RunTableColumn,
        effect::{Effect, OpenAnswer, OpenPurpose},
        export_job::ExportJob,
        files::coloured_texts::{ColouredSides, TextsToColour},
        integration::DependencyIntegration,
        jobs::{
            CheckJob, FormFacts, FormOrigin, FormRequest, JobPlan, JobRefusal, MeasureSettings,
            TestJob,
        },
        label_protocol::{LabelSave, SavedLabels, ScorePairs},
        question::{Answer, AnswerPart, Executor, Question},
        request::{RequestId, Sentence},
        sql_filter::FilterRequest,
        table_protocol::RunOrder,
        table_protocol::{PairedSides, ReadDepth},
        turn_counts::ChangeLineCounts,
    },
    shell::{AppMessage, state},
    views::{audit::agreement, replay::search::MAX_HITS},
};

use super::{
    compare_worker::CompareWorker,
    event::{RuntimeEvent, WorkerReply},
    export_worker::ExportWorker,
    filter_worker::FilterWorker,
    find_worker::FindWorker,
    follow::FollowWorker,
    job_worker,
    judging::{JudgedRun, JudgingWorker},
    label_files,
    lazy_scorer::{LazyScorer, ruler_name},
    live_start::{self, LiveStarter},
    live_worker::{self, LiveWorker},
    open_run_cache::OpenRunCache,
    run_opener::RunOpener,
    table_worker::TableWorker,
};

/// Runs effects.
pub struct Workers {
    sender: Sender<RuntimeEvent>,
    opener: RunOpener,
    archive: Option<Arc<Archive>>,
    /// The newest search; an older one stops at its next hit.
    search: Arc<AtomicU64>,
    following: FollowWorker,
    scoring: Arc<LazyScorer>,
    /// Raised when earlier score requests are no longer wanted.
    unwanted: Arc<AtomicU64>,
    comparing: CompareWorker,
    collecting: TableWorker,
    /// The agent at work in a live run.
    living: Option<LiveWorker>,
    judging: JudgingWorker,
    testing: job_worker::TestWorker,
    exporting: ExportWorker,
    named: NamedFiles,
    starting: LiveStarter,
    /// The most recently open runs of a study.
    run_cache: OpenRunCache,
}

/// Files named by the command line and the settings.
#[derive(Debug, Clone, Default)]
struct NamedFiles {
    /// The settings file, if there is a place for one.
    settings: Option<PathBuf>,
    /// Decisions that replace those of runs.
    store: Option<PathBuf>,
}

impl Workers {
    pub fn new(sender: Sender<RuntimeEvent>, opener: RunOpener) -> Self {
        let comparing = CompareWorker::new(opener.clone());
        let collecting = TableWorker {
            opener: opener.clone(),
            scoring: Arc::default(),
            siblings: Arc::default(),
            unwanted: Arc::default(),
            era: 0,
            finding: FindWorker::default(),
            filtering: FilterWorker::default(),
            kept: None,
        };
        Self {
            judging: JudgingWorker::new(sender.clone()),
            sender,
            opener,
            comparing,
            archive: None,
            search: Arc::default(),
            following: FollowWorker::default(),
            scoring: Arc::default(),
            unwanted: Arc::default(),
            collecting,
            living: None,
            testing: job_worker::TestWorker::default(),
            exporting: ExportWorker::default(),
            named: NamedFiles::default(),
            starting: LiveStarter::default(),
            run_cache: OpenRunCache::default(),
        }
    }

    /// Sets decisions that replace those of runs; None for their own.
    pub(crate) fn set_decisions(&mut self, store: Option<PathBuf>) {
        self.named.store = store;
    }

    /// Sets whether the cards of sessions are cached on disk.
    pub(crate) fn keep_cards(&mut self, keeps: bool) {
        self.collecting.kept = keeps.then(Arc::default);
    }

    /// Sets the settings for starting agents.
    pub fn start_with(&mut self, starting: LiveStarter) {
        self.starting = starting;
    }

    /// Sets the recording that questions are about.
    pub(crate) fn ask_about(&mut self, archive: Arc<Archive>) {
        self.following.watch_judgements(archive.bundle().map(Path::to_owned), &self.sender);
        self.archive = Some(archive);
    }

    /// Starts watching for new judgements of the open run.
    pub(crate) const fn watch_judgements(&mut self) {
        self.following.watches = true;
    }

    /// Sets the scorer of the code.
    pub(crate) fn score_with(&mut self, scoring: LazyScorer) {
        self.collecting.scoring = Arc::new(scoring.fresh_copy());
        self.scoring = Arc::new(scoring);
        self.comparing.score_with(self.scoring.clone());
    }

    /// Sets the search index, which is kept up to date; without one everything is read.
    pub(crate) fn find_with(&mut self, index: Option<PathBuf>) {
        self.collecting.finding.index = index;
    }

    /// Sets the scorer to the settings of the screen.
    pub fn measure_with(&mut self, measure: MeasureSettings) {
        if measure.is_default {
            let words = job_worker::save_measure(&measure, self.named.settings.as_deref());
            let say = AppMessage::Shell(state::ShellMessage::Say(words));
            let _ = self.sender.send(RuntimeEvent::Partly(say)); // the loop may have ended
        }
        self.stop_scoring();
        self.score_with(self.scoring.with_measure(measure));
    }

    /// Returns the judging worker.
    pub const fn judging(&mut self) -> &mut JudgingWorker {
        &mut self.judging
    }

    /// Returns whether a path has several runs.
    pub(crate) fn holds_several(&self, path: &Path) -> bool {
        self.opener.has_several_runs(path)
    }

    /// Stops the measuring of compared runs.
    pub(crate) fn stop_comparing(&self) {
        self.comparing.stop_measuring();
    }

    /// Starts an agent whose run is shown.
    pub fn begin_live(
        &mut self,
        job: RunJob,
        start: StartMode,
        control: RunControl,
        beside: live_worker::BesideAgent,
    ) {
        let (sender, opener) = (self.sender.clone(), self.opener.clone());
        self.living = Some(LiveWorker::start_agent(job, start, control, (sender, opener), beside));
    }

    /// Removes the ticket of a processed event of the live run.
    pub(crate) fn take_live_ticket(&self) {
        if let Some(living) = &self.living {
            living.take_ticket();
        }
    }

    /// Sends a command of the person to the agent. An agent that does not read its keys loses them.
    pub(crate) fn command_agent(&self, command: LiveCommand) {
        if let Some(living) = &self.living {
            living.send_command(command);
        }
    }

    /// Stops the live run and waits for its end; None when there was none or it broke off.
    pub(crate) fn end_live(&mut self) -> Option<live_worker::LiveOutcome> {
        self.living.take()?.end_run()
    }

    /// Sets the settings file.
    pub fn set_cache(&mut self, settings: Option<&Path>) {
        self.named.settings = settings.map(Path::to_owned);
        self.exporting.settings = settings.map(Path::to_owned);
    }

    /// Returns whether questions are about the recording in this bundle.
    pub fn is_about(&self, bundle: &Path) -> bool {
        self.archive.as_ref().and_then(|it| it.bundle()).is_some_and(|open| open == bundle)
    }

    /// Stops tests and exports, and waits a moment for their end.
    pub fn end_testing(&self) {
        self.testing.end_all();
        self.exporting.end_all();
    }

    /// Saves the lanes of the timeline in the settings, and says so.
    pub(crate) fn save_lanes(&self, lanes: &[String]) {
        let names = lanes.join(", ");
        let words = match self.named.settings.as_deref() {
            None => format!("lanes: {names} (not saved: no settings file)"),
            Some(path) => match store::settings_file::set_list(path, "timeline", "lanes", lanes) {
                Ok(()) => format!("lanes: {names} (saved in the settings)"),
                Err(why) => format!("lanes are not saved: {}: {why}", path.display()),
            },
        };
        let say = AppMessage::Shell(state::ShellMessage::Say(words));
        let _ = self.sender.send(RuntimeEvent::Partly(say)); // the loop may have ended
    }

    /// Sets the program that exports: this one, where it has a terminal. Without one nothing is exported.
    pub(crate) fn export_with(&mut self, program: Option<PathBuf>) {
        self.exporting.program = program;
    }

    /// Stops the export under way.
    pub(crate) fn stop_export(&self) {
        self.exporting.stop_newest();
    }

    /// Stops the tests of checkpoints.
    pub fn stop_testing(&self) {
        self.testing.stop_newest();
    }

    /// Stops the scoring.
    pub(crate) fn stop_scoring(&self) {
        self.unwanted.fetch_add(1, Ordering::Relaxed);
    }

    /// Stops reading and measuring for the table.
    pub(crate) fn stop_collecting(&mut self) {
        self.collecting.era = self.collecting.unwanted.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// Stops following a recording.
    pub(crate) fn stop_following(&mut self) {
        self.following.stop_following();
    }

    /// Follows a recording that grows; one that is followed already is left alone.
    pub fn follow_recording(&mut self, path: PathBuf) {
        self.following.follow_recording(path, &self.sender);
    }

    /// Reports the first write to a recording that is not followed.
    pub(crate) fn watch_recording(&mut self, path: PathBuf) {
        self.following.watch_once(path, &self.sender);
    }

    /// Watches the recordings below these paths.
    pub(crate) fn watch_all(&mut self, sources: Vec<PathBuf>) {
        self.following.watch_all(sources, &self.sender);
    }

    /// Starts a thread for an effect with a request id, which sends exactly one [`RuntimeEvent::Answered`]; ignores
    /// other effects. Stops an earlier search of the same kind, and for a run to show also the scoring.
    pub(crate) fn start_worker(&self, effect: Effect) {
        let Some(request) = effect.request_id() else { return };
        let awaited = AwaitedReply::of_effect(&effect);
        let awaited_copy = awaited.clone();
        if let Effect::Open(_, _, OpenPurpose::Show) = effect {
            self.stop_scoring();
            self.search.store(request.as_number(), Ordering::Relaxed);
        }
        let question = match &effect {
            Effect::Ask(_, question) => Some(&**question),
            _ => None,
        };
        if let Some(Question::Search { .. }) = question {
            self.search.store(request.as_number(), Ordering::Relaxed);
        }
        if let Some(Question::Find { .. }) = question {
            self.collecting.finding.set_newest(request);
        }
        let worker = self.make_worker(request, question);
        let takes_long = question.is_some_and(takes_long);
        let sender = self.sender.clone();
        let work = move || {
            if takes_long {
                store::lower_priority();
            }
            let reply = reply_or_failure(|| worker.make_reply(effect), awaited);
            let _ = sender.send(RuntimeEvent::Answered(reply)); // the loop may have ended
        };
        let started = thread::Builder::new().name("worker".into()).spawn(work);
        if let Err(why) = started {
            let words = format!("no thread could be started: {why}");
            let _ = self.sender.send(RuntimeEvent::Answered(awaited_copy.failure(&words)));
        }
    }

    fn make_worker(&self, request: RequestId, question: Option<&Question>) -> EffectWorker {
        EffectWorker {
            request,
            judging: self.judging.clone(),
            sender: self.sender.clone(),
            opener: self.opener.clone(),
            archive: self.archive.clone(),
            comparing: self.comparing.clone(),
            collecting: self.collecting.clone(),
            testing: self.testing.for_question(question),
            exporting: self.exporting.for_question(question),
            named: self.named.clone(),
            starting: self.starting.clone(),
            run_cache: self.run_cache.clone(),
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

/// Returns whether a question takes long and gets a lower priority than what is on screen.
const fn takes_long(question: &Question) -> bool {
    matches!(
        question,
        Question::Scores { .. }
            | Question::LineCounts { .. }
            | Question::Search { .. }
            | Question::Agreement { .. }
            | Question::PartyScores { .. }
            | Question::PartyLifelines { .. }
            | Question::Trees { .. }
            | Question::Transcripts { .. }
            | Question::PairTests { .. }
    )
}

/// Answers a question about a recording at once, with the defaults of a program that was just started. Partial answers are
/// dropped.
pub fn answer_question(archive: &Arc<Archive>, question: Question) -> Answer {
    let mut world = Workers::new(crossbeam_channel::unbounded().0, RunOpener::Disk);
    world.ask_about(archive.clone());
    question.carry_out(&world.make_worker(RequestId::default(), None))
}

/// Answers one question, with copies of the state of the workers.
struct EffectWorker {
    /// The number of the question.
    request: RequestId,
    sender: Sender<RuntimeEvent>,
    opener: RunOpener,
    archive: Option<Arc<Archive>>,
    cancellation: Cancellation,
    comparing: CompareWorker,
    collecting: TableWorker,
    judging: JudgingWorker,
    testing: job_worker::TestWorker,
    exporting: ExportWorker,
    named: NamedFiles,
    starting: LiveStarter,
    run_cache: OpenRunCache,
    /// The reason why a run of a comparison cannot be opened.
    not_compared: OnceLock<OpenError>,
}

/// The flags that cancel unwanted work.
struct Cancellation {
    search: Arc<AtomicU64>,
    scoring: Arc<LazyScorer>,
    unwanted: Arc<AtomicU64>,
    /// The value of `unwanted` when the work began.
    era: u64,
    /// Stops this judging.
    stop: StopFlag,
}

impl EffectWorker {
    fn make_reply(self, effect: Effect) -> WorkerReply {
        match effect {
            Effect::Ask(request, question) => {
                let answer = question.carry_out(&self);
                match self.not_compared.into_inner() {
                    Some(why) => WorkerReply::NotCompared(request, why),
                    None => WorkerReply::Message(AppMessage::Answered(request, answer)),
                }
            }
            Effect::Open(request, path, OpenPurpose::Show) => {
                WorkerReply::Opened(request, self.open_path(request, &path))
            }
            Effect::Open(request, path, OpenPurpose::Study) => {
                let opened = self.run_cache.open_cached(&path, &self.opener);
                WorkerReply::Opened(request, OpenAnswer::Whole(opened))
            }
            Effect::StartLive(request, beginning) => {
                self.starting.begin_start(request, &beginning, &self.opener)
            }
            effect => AwaitedReply::of_effect(&effect).failure("asked in the wrong place"),
        }
    }

    fn open_path(&self, request: RequestId, path: &Path) -> OpenAnswer<OpenedRecording, OpenError> {
        if self.opener.has_several_runs(path) {
            return OpenAnswer::Several;
        }
        if let Some(head) = self.opener.open_head(path) {
            let beginning = WorkerReply::Opened(request, OpenAnswer::Beginning(head));
            let _ = self.sender.send(RuntimeEvent::Answered(beginning)); // the loop may have ended
            store::lower_priority(); // there is something to look at
        }
        OpenAnswer::Whole(self.opener.open(path))
    }

    fn archive(&self) -> Result<&Archive, Sentence> {
        self.archive.as_deref().ok_or_else(|| internal_error("no run is open"))
    }

    fn bundle(&self) -> Option<PathBuf> {
        self.archive.as_ref()?.bundle().map(Path::to_owned)
    }

    fn judged_run(&self, turns: usize) -> JudgedRun {
        JudgedRun { bundle: self.bundle(), turns, store: self.named.store.clone() }
    }

    fn send_notice(&self, words: String) {
        let message = AppMessage::Shell(state::ShellMessage::Say(words));
        let _ = self.sender.send(RuntimeEvent::Partly(message)); // the loop may have ended
    }

    /// Sends a partial answer; returns whether anybody listens.
    fn send_part(&self, part: AnswerPart) -> bool {
        self.sender.send(RuntimeEvent::Partly(AppMessage::Partly(self.request, part))).is_ok()
    }

    fn is_wanted(&self) -> bool {
        self.cancellation.unwanted.load(Ordering::Relaxed) == self.cancellation.era
    }
}

impl Executor for EffectWorker {
    fn timeline(&self, run: Arc<Run>) -> Result<Arc<Timeline>, Sentence> {
        self.archive()?.timeline(&run)
    }

    fn line_counts(&self, run: Arc<Run>) -> Result<Arc<ChangeLineCounts>, Sentence> {
        self.archive()?.line_counts(&run).map(Arc::new)
    }

    fn step_text(&self, run: Arc<Run>, step: StepId) -> Result<Arc<StepText>, Sentence> {
        Ok(Arc::new(self.archive()?.step_text(&run, step)))
    }

    fn request_text(&self, run: Arc<Run>, turn: usize) -> Result<Arc<StepText>, Sentence> {
        let text = self.archive()?.request_with_added(&run, turn);
        Ok(Arc::new(StepText { text, ..StepText::default() }))
    }

    fn images(
        &self,
        run: Arc<Run>,
        turn: usize,
        step: Option<StepId>,
    ) -> Result<Arc<Vec<DecodedImage>>, Sentence> {
        let images = self.archive()?.images_of_step(&run, turn, step);
        Ok(Arc::new(images.into_iter().map(DecodedImage::from).collect()))
    }

    fn diff(
        &self,
        run: Arc<Run>,
        change: FileChange,
        context: usize,
    ) -> Result<FileDiff, Sentence> {
        Ok(self.archive()?.file_diff(&run, &change, context))
    }

    fn changes_between(
        &self,
        run: Arc<Run>,
        before: usize,
        after: usize,
    ) -> Result<Vec<FileChange>, Sentence> {
        self.archive()?.changes_between(
            &run,
            RunMoment::after_turns(before),
            RunMoment::after_turns(after),
        )
    }

    fn terminal_recording(
        &self,
        run: Arc<Run>,
        source: SourceId,
    ) -> Result<Arc<TerminalRecording>, Sentence> {
        self.archive()?.terminal_recording(&run, source).map(Arc::new)
    }

    fn terminal_piece(
        &self,
        source: SourceId,
        piece: PieceStart,
    ) -> Result<Arc<TerminalPiece>, Sentence> {
        self.archive()?.terminal_piece(source, piece).map(Arc::new)
    }

    fn blame(
        &self,
        run: Arc<Run>,
        path: RepoPath,
        moment: RunMoment,
    ) -> Result<Vec<BlamedLine>, Sentence> {
        self.archive()?.blame_lines(&run, &path, moment)
    }

    fn history(
        &self,
        run: Arc<Run>,
        wanted: history::HistoryQuery,
    ) -> Result<Arc<ChangeHistory>, Sentence> {
        analysis::file_history(self.archive()?, &run, &wanted).map(Arc::new)
    }

    fn colours(&self, texts: TextsToColour) -> Result<ColouredSides, Sentence> {
        Ok(colours_of(&texts))
    }

    /// Sends hits as they are found, the first at once; returns those that are not sent yet.
    fn search(&self, run: Arc<Run>, query: SearchQuery) -> Result<Vec<SearchHit>, Sentence> {
        let (mut batch, mut count) = (vec![], 0);
        self.archive()?.search(&run, &query, &mut |hit| {
            batch.push(hit);
            count += 1;
            if count == 1 || batch.len() == MAX_HIT_BATCH {
                self.send_part(AnswerPart::Hits(std::mem::take(&mut batch)));
            }
            count < MAX_HITS
                && self.cancellation.search.load(Ordering::Relaxed) == self.request.as_number()
        })?;
        Ok(batch)
    }

    fn scores(
        &self,
        run: Arc<Run>,
        moments: Vec<RunMoment>,
    ) -> Result<session::code_measures::MeasuredMoments, Sentence> {
        let archive = self.archive()?;
        let scorer = self.cancellation.scoring.get_scorer(&|words| self.send_notice(words))?;
        let keep_going = |_, done: usize, total: usize| {
            self.send_part(AnswerPart::Measured(done, total));
            self.is_wanted()
        };
        let reuse = ReuseRequest::Nowhere;
        let request =
            ScoreRequest { moments: &moments, with_detail: false, reuse, for_process: false };
        let scores = Scores::for_run(archive, &run, &request, scorer, &keep_going)?;
        let measured = scores.code.iter().map(MeasuredMoment::from_scored);
        Ok(session::code_measures::MeasuredMoments {
            ruler: ruler_name(scorer.ruler()),
            moments: moments.iter().copied().zip(measured).collect(),
        })
    }

    fn moved(
        &self,
        run: Arc<Run>,
        before: RunMoment,
        after: RunMoment,
    ) -> Result<Arc<MovedScores>, Sentence> {
        let archive = self.archive()?;
        let scorer = self.cancellation.scoring.get_scorer(&|words| self.send_notice(words))?;
        let keep_going = |_, _, _| self.is_wanted();
        let moments = [before, after];
        let reuse = ReuseRequest::Nowhere;
        let request =
            ScoreRequest { moments: &moments, with_detail: true, reuse, for_process: false };
        let scores = Scores::for_run(archive, &run, &request, scorer, &keep_going)?;
        let [before, after] =
            <[ScoredSnapshot; 2]>::try_from(scores.code).map_err(|_| "no such moment")?;
        if let Some(scored) = [&before, &after].into_iter().find(|it| it.are_files_unknown) {
            let why = scored.unmeasured_reason().map(|why| why.to_string()).unwrap_or_default();
            return Err(format!("cannot compute what changed: {why}"));
        }
        let rules = scorer.ruler().rules();
        Ok(Arc::new(MovedScores::between_details(&before.detail, &after.detail, rules)))
    }

    fn rubric(&self, _run: Arc<Run>) -> Result<Arc<Rubric>, Sentence> {
        Ok(Arc::new(self.archive()?.read_rubric()))
    }

    fn crash_tests(&self, _run: Arc<Run>) -> Result<Arc<Vec<CrashReport>>, Sentence> {
        let Some(bundle) = self.archive()?.bundle() else { return Ok(Arc::default()) };
        let files = JudgementFolder::crash_tests_in_bundle(bundle).read_all().into_iter();
        let report = |(name, bytes): (String, Vec<u8>)| {
            Some(CrashDocument::parse(&bytes)?.report(format!("crash-tests/{name}")))
        };
        let mut reports: Vec<CrashReport> = files.filter_map(report).collect();
        reports.sort_by(|a, b| b.created_at.cmp(&a.created_at));
        Ok(Arc::new(reports))
    }

    fn reuse(&self, run: Arc<Run>, done: usize) -> Result<Option<DependencyIntegration>, Sentence> {
        let reuse = analysis::reuse::reuse_at(self.archive()?, &run, done)?;
        Ok(integration_of(reuse.as_ref()))
    }

    fn lifelines(
        &self,
        run: Arc<Run>,
        components: Vec<FollowedComponent>,
    ) -> Result<Arc<Vec<Lifeline>>, Sentence> {
        analysis::lifelines::component_lifelines(self.archive()?, &run, &components, &|_, _| true)
            .map(Arc::new)
    }

    fn process(&self, run: Arc<Run>) -> Result<Option<Arc<ProcessReport>>, Sentence> {
        Ok(Some(Arc::new(analysis::process_report(self.archive()?, &run))))
    }

    fn decisions(&self, run: Arc<Run>) -> Result<Option<Arc<DecisionLane>>, Sentence> {
        let archive = self.archive()?;
        let store = decisions::store_of_run(archive, self.named.store.as_deref()).transpose()?;
        Ok(store.map(|store| Arc::new(analysis::decisions::decision_lane(archive, &run, &store))))
    }

    fn draw_decisions(&self, run: Arc<Run>) -> Result<String, Sentence> {
        let archive = self.archive()?;
        let path = archive.bundle().ok_or(decisions::NO_BUNDLE)?.join(decisions::STORE_FILE);
        let count = analysis::decisions::write_request_decisions(archive, &run, &path)?;
        let drawn = decisions::count_text(count);
        Ok(format!("{drawn} extracted from the requests into {}", path.display()))
    }

    fn cost(&self, run: Arc<Run>) -> Result<Arc<RunCost>, Sentence> {
        Ok(Arc::new(RunCost::new(&run, &store::prices::current_prices().prices)))
    }

    fn memory(&self, run: Arc<Run>) -> Result<Option<Arc<MemoryTimeline>>, Sentence> {
        let archive = self.archive()?;
        let timeline = analysis::memory::memory_timeline(archive, &run, run.end_in_turns());
        Ok(timeline.map(|(timeline, _)| Arc::new(timeline)))
    }

    fn layers(&self, run: Arc<Run>) -> Result<Option<Arc<Vec<LayerRecord>>>, Sentence> {
        let records = analysis::layers::layer_records(self.archive()?, &run);
        Ok((!records.is_empty()).then(|| Arc::new(records)))
    }

    fn labels(&self, annotator: String) -> Result<LabelFile, Sentence> {
        label_files::read_labels(self.archive()?, &annotator)
    }

    fn save_label(
        &self,
        place: Option<PathBuf>,
        annotator: String,
        what: LabelSave,
        seen: Option<Label>,
    ) -> Result<SavedLabels, Sentence> {
        let what = match what {
            LabelSave::Label(label) => {
                let at = label.at.or_else(|| Some(label_files::timestamp_now()));
                LabelSave::Label(Label { at, ..label })
            }
            other => other,
        };
        match place {
            Some(place) => label_files::save_in(&place, &annotator, what, seen.as_ref()),
            None => label_files::save_to_bundle(self.archive()?, &annotator, what, seen.as_ref()),
        }
    }

    fn save_gold(&self, place: PathBuf, gold: Box<GoldLabel>) -> Result<Vec<GoldLabel>, Sentence> {
        label_files::save_gold(&place, *gold)
    }

    fn study_labels(&self, places: Vec<PathBuf>) -> Result<Vec<Vec<LabelFile>>, Sentence> {
        Ok(places.iter().map(|place| store::rubric::read_folder(place).labels).collect())
    }

    fn places(
        &self,
        run: Arc<Run>,
        done: usize,
        component: Component,
        verdict: Option<Verdict>,
    ) -> Result<Arc<Vec<CandidatePlace>>, Sentence> {
        analysis::absence_check::candidate_places(
            self.archive()?,
            &run,
            done,
            &component,
            verdict.as_ref(),
        )
        .map(Arc::new)
    }

    fn agreement(&self, pairs: ScorePairs) -> Result<Estimate, Sentence> {
        Ok(agreement::quadratic_kappa(&pairs))
    }

    fn parties(&self, paths: Vec<PathBuf>) -> Result<Vec<ComparedRun>, Sentence> {
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
    ) -> Result<(RulerName, Vec<session::compare_protocol::MeasuredRunMoment>), Sentence> {
        let progress = |done: usize, total: usize| {
            self.send_part(AnswerPart::Measured(done, total));
        };
        self.comparing.measure_run(&path, moments, &|words| self.send_notice(words), &progress)
    }

    fn party_lifelines(
        &self,
        path: PathBuf,
        components: Vec<FollowedComponent>,
    ) -> Result<Arc<Vec<Lifeline>>, Sentence> {
        self.comparing.follow_components(&path, &components)
    }

    fn trees(&self, paths: [PathBuf; 2]) -> Result<ComparedTrees, Sentence> {
        self.comparing.compare_trees(&paths)
    }

    fn transcripts(&self, paths: [PathBuf; 2]) -> Result<Arc<ComparedTranscripts>, Sentence> {
        self.comparing.align_transcripts(&paths).map(Arc::new)
    }

    fn file_between(
        &self,
        paths: [PathBuf; 2],
        change: Box<FileChange>,
    ) -> Result<FileDiff, Sentence> {
        self.comparing.diff_between_runs(&paths, &change)
    }

    fn file_text(&self, path: PathBuf, file: String, done: usize) -> Result<Arc<str>, Sentence> {
        self.comparing.file_text(&path, &file, done)
    }

    fn run_paths(&self, sources: Vec<PathBuf>, order: RunOrder) -> Result<(), Sentence> {
        let ended = self
            .collecting
            .find_runs(&sources, order, &|found| self.send_part(AnswerPart::Runs(found)));
        self.collecting.finding.update_index(sources);
        ended
    }

    fn find(&self, sources: Vec<PathBuf>, words: String) -> Result<LookupTotals, Sentence> {
        let tell = |found: RunHits| self.send_part(AnswerPart::RunHits(vec![found]));
        self.collecting.finding.find_hits(self.request, sources, &words, &tell)
    }

    fn cards(
        &self,
        depth: ReadDepth,
        asked: Vec<session::table_protocol::RunRequest>,
    ) -> Result<(), Sentence> {
        self.collecting.read_cards(depth, &asked, &|found| self.send_part(AnswerPart::Runs(found)));
        Ok(())
    }

    fn run_scores(&self, asked: Vec<session::table_protocol::RunRequest>) -> Result<(), Sentence> {
        self.collecting.score_runs(&asked, &|found| self.send_part(AnswerPart::Runs(found)))
    }

    fn filtered(&self, wanted: FilterRequest) -> Result<Option<Vec<usize>>, Sentence> {
        self.collecting.filtering.matching_rows(wanted)
    }

    fn pair_tests(
        &self,
        sides: PairedSides,
    ) -> Result<Vec<TestedMetric<RunTableColumn>>, Sentence> {
        Ok(test_metrics(&sides, RunTableColumn::better_direction, &study::BootstrapPlan::default()))
    }

    fn job_plan(&self, wanted: FormRequest) -> Result<Result<JobPlan, JobRefusal>, Sentence> {
        let starting = (&self.starting, &self.opener);
        Ok(job_worker::plan_job(
            &wanted,
            self.bundle().as_deref(),
            self.named.settings.as_deref(),
            starting,
        ))
    }

    fn agents(&self, origin: FormOrigin) -> Result<FormFacts, Sentence> {
        Ok(self.starting.find_agents(&origin, &|found| {
            self.send_part(AnswerPart::Agents(found));
        }))
    }

    fn checkpoint_tests(&self, run: Arc<Run>, tests: TestJob) -> Result<String, Sentence> {
        let opener = &self.opener;
        self.testing.test_checkpoints(
            (self.bundle(), &run),
            &tests,
            &|checkpoint, outcome, bundle| {
                self.send_part(AnswerPart::Tested(checkpoint.to_owned(), outcome));
                if let Ok(opened) = opener.open(bundle) {
                    let changed = RuntimeEvent::Changed(bundle.to_owned(), opened);
                    let _ = self.sender.send(changed); // the loop may have ended
                }
            },
        )
    }

    fn state_checks(&self, checks: CheckJob) -> Result<String, Sentence> {
        self.testing.check_states(self.bundle(), &checks, &|words, is_good| {
            self.send_part(AnswerPart::Tested(words, Ok((u64::from(is_good), 1))));
        })
    }

    fn export(&self, job: ExportJob) -> Result<String, Sentence> {
        self.exporting.write_runs(&job)
    }

    fn judge_plan(
        &self,
        turns: usize,
        judging_request: JudgingRequest,
    ) -> Result<JudgingPlan, Sentence> {
        self.judging.plan_judging(&self.judged_run(turns), &judging_request)
    }

    fn judges(&self) -> Result<(Vec<JudgeEntry>, Option<Sentence>), Sentence> {
        Ok(self.judging.find_judges(&|judges| {
            self.send_part(AnswerPart::Judges(judges));
        }))
    }

    fn models(&self, judge: String) -> Result<Vec<JudgeEntry>, Sentence> {
        Ok(self.judging.list_models(&judge))
    }

    fn keep_judge(&self, judge: String, model: String) -> Result<String, Sentence> {
        self.judging.keep_judge(&judge, &model)
    }

    fn judging(
        &self,
        turns: usize,
        judging_request: JudgingRequest,
        start: JudgingStart,
    ) -> Result<JudgingOutcome, Sentence> {
        let judged = self.judged_run(turns);
        Ok(self.judging.judge_all(
            self.request,
            &judged,
            &judging_request,
            start,
            &self.cancellation.stop,
        ))
    }
}

/// The number of hits that are sent together.
const MAX_HIT_BATCH: usize = 256;

pub fn colours_of(
    texts: &session::files::coloured_texts::TextsToColour,
) -> session::files::coloured_texts::ColouredSides {
    let side = |text: &Option<Arc<str>>| highlight_text(&texts.path, text.as_deref()?);
    session::files::coloured_texts::ColouredSides { old: side(&texts.old), new: side(&texts.new) }
}

/// Returns the integration numbers; None when no file could be read.
fn integration_of(reuse: Option<&Reuse>) -> Option<DependencyIntegration> {
    let read = reuse.filter(|reuse| reuse.is_read())?;
    Some(DependencyIntegration { exported: read.exported_count(), reused: read.reused_count() })
}

fn internal_error(why: &str) -> Sentence {
    format!("internal error in trajview; please report it: {why}")
}

/// The reply that an effect awaits, for a worker that fails.
#[derive(Clone)]
enum AwaitedReply {
    Opened(RequestId, PathBuf),
    Answer(RequestId, fn(Sentence) -> Answer),
    LiveStart(RequestId),
}

impl AwaitedReply {
    fn of_effect(effect: &Effect) -> Self {
        match effect {
            Effect::Open(request, path, _) => Self::Opened(*request, path.clone()),
            Effect::Ask(request, question) => Self::Answer(*request, question.failure()),
            Effect::StartLive(request, _) => Self::LiveStart(*request),
            effect => unreachable!("{effect:?} is carried out by no worker"),
        }
    }

    /// Returns the reply of a worker that failed, given the reason.
    fn failure(self, why: &str) -> WorkerReply {
        let why = internal_error(why);
        match self {
            Self::Opened(request, path) => {
                let failed = Err(OpenError::Understand { path, why });
                WorkerReply::Opened(request, OpenAnswer::Whole(failed))
            }
            Self::Answer(request, failed) => {
                WorkerReply::Message(AppMessage::Answered(request, failed(why)))
            }
            Self::LiveStart(request) => {
                live_start::refused_reply(request, JobRefusal { field: None, why })
            }
        }
    }
}

/// Returns the reply of some work, or that of its failure if it panics.
fn reply_or_failure(work: impl FnOnce() -> WorkerReply, awaited: AwaitedReply) -> WorkerReply {
    let reply = catch_unwind(AssertUnwindSafe(work));
    reply.unwrap_or_else(|panic| awaited.failure(&panic_text(&*panic)))
}

/// Returns the message of a panic.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a worker stopped".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply_of_panic(effect: &Effect) -> WorkerReply {
        reply_or_failure(|| panic!("a broken parser"), AwaitedReply::of_effect(effect))
    }

    #[test]
    fn an_opening_that_panics_is_a_sentence_too() {
        let effect = Effect::Open(RequestId::default(), "a-run".into(), OpenPurpose::Show);

        let reply = reply_of_panic(&effect);

        let WorkerReply::Opened(_, OpenAnswer::Whole(Err(why))) = reply else { panic!("it opens") };
        assert!(why.to_string().ends_with("please report it: a broken parser"), "{why}");
    }

    #[test]
    fn a_question_that_panics_is_answered_with_a_sentence() {
        let reply = reply_of_panic(&Question::Judges {}.with_request(RequestId::default()));

        let WorkerReply::Message(AppMessage::Answered(_, Answer::Judges(Err(why)))) = reply else {
            panic!("it is answered")
        };
        assert!(why.ends_with("please report it: a broken parser"), "{why}");
    }
}
