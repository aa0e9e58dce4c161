//! Asks a judge for the screen: plans a judging, runs it, and reports its events.
//!
//! Keys stay in here: reports have none, and no headers. A judging ends when it is stopped and when the program ends;
//! judgements made by then are on disk. It goes on when another run is opened. The judges are in [`known_judges`].

pub mod known_judges;
mod report;

use crossbeam_channel::{Sender, bounded};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use trajview_judge as judge;
use trajview_judge::{
    client::JudgeClient,
    cost::{CommonBudget, CostBudget},
    criteria::{self, Criteria, CriteriaGroup},
    discover::JudgeEnvironment,
    job::{self, JobError, JobItems},
    judge_states::{self, JudgedStates, judge_each},
    judging::JudgingJob,
    prompt::{self, JudgePrompt},
    settings::JudgeConfig,
    stop_flag::StopFlag,
    user_file,
};
use trajview_run::judging::{
    ItemName, JudgeEntry, JudgeEvent, JudgingOutcome, JudgingPlan, JudgingRequest, JudgingScale,
    JudgingStart,
};
use trajview_store as store;
use trajview_store::{OpenedRecording, decisions, judgements::JudgementFolder};
use trajview_tui::{
    session::{
        judging::JudgingUpdate,
        question::{AnswerPart, Question},
        request::RequestId,
    },
    shell::AppMessage,
};

use super::event::RuntimeEvent;

use known_judges::{JudgeSettingsFile, KnownJudges};

/// Everything that a worker needs to ask a judge; copies share the known judges and the open bundle.
#[derive(Clone)]
pub struct JudgingWorker {
    sender: Sender<RuntimeEvent>,
    known: Arc<Mutex<KnownJudges>>,
    /// The bundle of the last question.
    last_bundle: Arc<Mutex<Option<LastBundle>>>,
    /// The stop flags of running judgings.
    stops: Arc<Mutex<HashMap<RequestId, StopFlag>>>,
    /// The number of running judgings.
    running: Arc<AtomicUsize>,
    /// True if durations are measured.
    has_clock: bool,
}

/// The run that is judged.
#[derive(Debug, Clone, Default)]
pub struct JudgedRun {
    /// The folder of the recording's bundle, if it is one.
    pub bundle: Option<PathBuf>,
    /// The number of turns so far.
    pub turns: usize,
    /// Decisions that replace those of the run.
    pub store: Option<PathBuf>,
}

#[derive(Clone)]
struct LastBundle {
    bundle: PathBuf,
    opened: Arc<OpenedRecording>,
}

/// The interval at which the elapsed time is reported.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// The longest time that a judging may take to end when the program ends. It saves after each component, so there is little to lose.
const END_TIMEOUT: Duration = Duration::from_secs(2);

impl JudgingWorker {
    pub fn new(sender: Sender<RuntimeEvent>) -> Self {
        Self {
            sender,
            known: Arc::default(),
            last_bundle: Arc::default(),
            stops: Arc::default(),
            running: Arc::default(),
            has_clock: false,
        }
    }

    /// Sets the judges, and the environment in which further ones are searched.
    pub fn set_judges(
        &self,
        judges: &[JudgeConfig],
        environment: JudgeEnvironment,
        file: Option<JudgeSettingsFile>,
    ) -> Vec<JudgeEntry> {
        let mut known = lock(&self.known);
        known.set_configured(judges);
        (known.environment, known.file) = (environment, file);
        known.all_entries()
    }

    /// Starts to measure durations.
    pub(crate) const fn with_clock(&mut self) {
        self.has_clock = true;
    }

    /// Stops a judging.
    pub fn stop_judging(&self, judging: RequestId) {
        if let Some(stop) = lock(&self.stops).get(&judging) {
            stop.set();
        }
    }

    /// Stops every running judging and waits a moment for their end.
    pub(crate) fn end_all(&self) {
        lock(&self.stops).values().for_each(StopFlag::set);
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < END_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the stop flag of a judging. Must be called before the worker starts, so that an immediate stop is not
    /// missed.
    pub(crate) fn stop_for(&self, request: RequestId, question: &Question) -> StopFlag {
        let stop = StopFlag::default();
        if let Question::Judging { .. } = question {
            lock(&self.stops).insert(request, stop.clone());
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        stop
    }

    /// Plans a judging; the arguments are those of [`Self::judge_all`]. The error is a sentence.
    pub(crate) fn plan_judging(
        &self,
        judged: &JudgedRun,
        request: &JudgingRequest,
    ) -> Result<JudgingPlan, String> {
        let mut whole: Option<JudgingPlan> = None;
        for request in request.per_judge() {
            let plan = self.prepare_setup(judged, &request)?.make_plan(&request)?;
            whole = Some(match whole {
                None => plan,
                Some(first) => add_plans(first, plan),
            });
        }
        let whole = whole.unwrap_or_default();
        let bound = cost_limit(request).or(whole.bound.filter(|_| request.panel.is_empty()));
        let cost = whole.cost.map(|cost| cost.min(bound.unwrap_or(f64::INFINITY)));
        Ok(JudgingPlan { bound, cost, ..whole })
    }

    pub(crate) fn judge_all(
        &self,
        request: RequestId,
        judged: &JudgedRun,
        judging_request: &JudgingRequest,
        start: JudgingStart,
        stop: &StopFlag,
    ) -> JudgingOutcome {
        let _running = RunningJudging { judging: self, request };
        let clock = JudgingClock::start_clock(self, request, judging_request);
        let each = judging_request.per_judge();
        if let [only] = each.as_slice() {
            let setup = self.prepare_setup(judged, only);
            let outcome = setup.map(|setup| judge_one(&clock, &setup, only, (start, None, stop)));
            return outcome.unwrap_or_else(JudgingOutcome::failure);
        }
        // Nothing is asked unless each of them can be.
        let setups: Result<Vec<JudgingSetup>, String> =
            each.iter().map(|request| self.prepare_setup(judged, request)).collect();
        match setups {
            Ok(setups) => {
                judge_panel(&clock, &setups, (&each, cost_limit(judging_request)), start, stop)
            }
            Err(why) => JudgingOutcome::failure(why),
        }
    }

    /// Adds the judge of this name with this model to the settings. Returns a sentence; the error is one too.
    pub fn keep_judge(&self, judge: &str, model: &str) -> Result<String, String> {
        lock(&self.known).keep_found(judge, model)
    }

    /// Reports the judges of settings, keys and programs at once, and servers when they have answered. Returns all judges,
    /// and what is wrong with the settings.
    pub(crate) fn find_judges(
        &self,
        tell: &dyn Fn(Vec<JudgeEntry>),
    ) -> (Vec<JudgeEntry>, Option<String>) {
        let (problem, judges, environment) = {
            let mut known = lock(&self.known);
            let problem = known.refresh();
            (problem, known.all_entries(), known.environment.clone())
        };
        tell(judges);
        let servers = KnownJudges::find_servers(&environment);
        let mut known = lock(&self.known);
        known.set_servers(servers);
        (known.all_entries(), problem)
    }

    /// Returns all judges, with the models of this judge, or why they are not known.
    pub fn list_models(&self, judge: &str) -> Vec<JudgeEntry> {
        let known = lock(&self.known).clone(); // the lock is not kept while a server answers
        let models = known.ask_for_models(judge);
        let mut known = lock(&self.known);
        known.set_models(judge, models);
        known.all_entries()
    }

    /// Collects everything for a judging. The error is a sentence.
    fn prepare_setup(
        &self,
        judged: &JudgedRun,
        request: &JudgingRequest,
    ) -> Result<JudgingSetup, String> {
        let known = lock(&self.known).clone();
        let settings = known.settings_for(&request.judge, &request.model)?;
        let bundle = judged.bundle.clone().ok_or(NO_BUNDLE)?;
        let scale = request.scale;
        let prompt = prompt_in(scale, request.prompt.as_deref())?;
        let opened = self.open_bundle(&bundle, judged.turns)?;
        let about = match scale {
            JudgingScale::Levels | JudgingScale::Codebook => JobItems::Components,
            JudgingScale::Flags => {
                JobItems::Places(Arc::new(criteria_in(request.criteria.as_deref())?))
            }
            JudgingScale::Decisions => {
                let store = decisions::store_of_run(&opened.archive, judged.store.as_deref());
                JobItems::Decisions(Arc::new(store.ok_or(NO_DECISIONS)??))
            }
            JudgingScale::Process => JobItems::Process,
        };
        Ok(JudgingSetup { settings, prompt, about, bundle, opened, known })
    }

    fn open_bundle(&self, bundle: &Path, turns: usize) -> Result<Arc<OpenedRecording>, String> {
        let mut last_bundle = lock(&self.last_bundle);
        let is_it = |last_bundle: &&LastBundle| {
            last_bundle.bundle == bundle && last_bundle.opened.run.turns.len() == turns
        };
        if let Some(last_bundle) = last_bundle.as_ref().filter(is_it) {
            return Ok(last_bundle.opened.clone());
        }
        let opened = Arc::new(store::open(bundle).map_err(|why| why.to_string())?);
        *last_bundle = Some(LastBundle { bundle: bundle.to_owned(), opened: opened.clone() });
        Ok(opened)
    }
}

/// Returns the cost limit for all judges of a panel together, in US dollars.
fn cost_limit(request: &JudgingRequest) -> Option<f64> {
    request.most.as_ref()?.parse().ok()
}

/// Adds the plans of two judges of a panel. Address and key are those of the first.
fn add_plans(first: JudgingPlan, other: JudgingPlan) -> JudgingPlan {
    JudgingPlan {
        answers: first.answers + other.answers,
        requests: first.requests + other.requests,
        input_tokens: first.input_tokens + other.input_tokens,
        output_tokens: first.output_tokens + other.output_tokens,
        cost: first.cost.zip(other.cost).map(|(a, b)| a + b),
        lacks: first.lacks.clone().or(other.lacks),
        place: format!("{}, {}", first.place, other.place),
        key: first.key.clone().or(other.key),
        ..first
    }
}

/// Runs each judge of a panel on a thread of its own; their cost limit is shared.
fn judge_panel(
    clock: &JudgingClock,
    setups: &[JudgingSetup],
    (each, most): (&[JudgingRequest], Option<f64>),
    start: JudgingStart,
    stop: &StopFlag,
) -> JudgingOutcome {
    let common = most.map(|most| Arc::new(CommonBudget::new(most)));
    let one = |(setup, request): (&JudgingSetup, &JudgingRequest)| {
        let outcome = judge_one(clock, setup, request, (start, common.clone(), stop));
        (request.judge.clone(), outcome)
    };
    let outcomes: Vec<(String, JudgingOutcome)> = thread::scope(|scope| {
        let all = setups.iter().zip(each);
        let started: Vec<_> = all.map(|it| scope.spawn(move || one(it))).collect();
        let ended = started.into_iter().map(|it| it.join());
        // A judge that broke down breaks the judging down, as it would alone.
        ended.map(|it| it.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    });
    report::panel_outcome(outcomes)
}

/// Judges one moment after the other; with the shared limit of a panel if there is one.
fn judge_one(
    clock: &JudgingClock,
    setup: &JudgingSetup,
    request: &JudgingRequest,
    (start, common, stop): (JudgingStart, Option<Arc<CommonBudget>>, &StopFlag),
) -> JudgingOutcome {
    let is_of_panel = clock.is_of_panel;
    let mut tell = |news: judge_states::StateEvent<'_>| match news {
        judge_states::StateEvent::Begins(_) | judge_states::StateEvent::LeftOut(_) => {}
        judge_states::StateEvent::Event(_, event) => {
            let judge = is_of_panel.then_some(request.judge.as_str());
            clock.send_update(judge, event);
        }
    };
    let own = CostBudget::new(setup.settings.cost);
    let budget = Arc::new(match common {
        Some(common) => own.with_common_budget(common),
        None => own,
    });
    let mut go = |start, states: &mut JudgedStates| {
        judge_each(
            &request.moments,
            |turn| setup.make_job(request, turn)?.with_key_of(&|name| setup.known.variable(name)),
            (&budget, start),
            (&JudgementFolder::in_bundle(&setup.bundle), stop),
            &mut tell,
            states,
        )
    };
    let mut states = JudgedStates::default();
    let mut judged = go(start, &mut states);
    // A panel that was stopped may not have come to this judge.
    let is_nothing = |(_, it): &(JudgingJob, judge::judging::JudgingFiles)| {
        matches!(it.halted, Some(judge::judging::JudgingHalt::NothingToResume))
    };
    if is_of_panel && states.judged.iter().any(is_nothing) {
        states = JudgedStates::default();
        judged = go(JudgingStart::Anew, &mut states);
    }
    match judged {
        Ok(()) => report::report_outcome(&states),
        Err(why) => report::failed_outcome(&states, why.to_string()),
    }
}

const NO_DECISIONS: &str = "this run has no decisions.json; `p`, `v` to the decisions, and `d` extracts them from the requests";

const NO_BUNDLE: &str = "not a run bundle, so verdicts cannot be saved; make one: `trajview import RECORDING --out DIR`";

/// Counts down when a judging ends for any reason.
struct RunningJudging<'a> {
    judging: &'a JudgingWorker,
    request: RequestId,
}

impl Drop for RunningJudging<'_> {
    fn drop(&mut self) {
        lock(&self.judging.stops).remove(&self.request);
        self.judging.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Everything that a judging needs except the moment.
struct JudgingSetup {
    settings: JudgeConfig,
    prompt: JudgePrompt,
    about: JobItems,
    bundle: PathBuf,
    opened: Arc<OpenedRecording>,
    /// The judges, among which the key is looked up.
    known: KnownJudges,
}

impl JudgingSetup {
    fn make_job(&self, request: &JudgingRequest, turn: usize) -> Result<JudgingJob, JobError> {
        let request = job::JobRequest {
            settings: self.settings.clone(),
            prompt: self.prompt.clone(),
            about: self.about.clone(),
            codebook: request.codebook.clone(),
            components: request.components.clone(),
            turn,
            budget: Some(request.budget),
            repeats: request.repeats,
            variant: job::QuestionVariant::default(),
        };
        JudgingJob::prepare(request, &self.bundle, &self.opened)
    }

    fn make_plan(&self, request: &JudgingRequest) -> Result<JudgingPlan, String> {
        let bound = self.settings.cost.most;
        let mut whole = JudgingPlan {
            bound,
            prompt: first_digits(&self.prompt.sha256),
            cost: Some(0.0),
            ..JudgingPlan::default()
        };
        let jobs =
            judge_states::jobs_for_turns(&request.moments, |turn| self.make_job(request, turn));
        let (jobs, left_out) = jobs.map_err(|why| why.to_string())?;
        whole.left_out = left_out.iter().map(|it| it.turn).collect();
        if let JobItems::Places(criteria) = &self.about {
            whole.criteria = Some(first_digits(&criteria.sha256));
            whole.items = criteria.groups.iter().map(group_name).collect();
        }
        for job in jobs {
            let plan = judge::plan::JudgingEstimate::for_job(&job);
            whole.answers += job.items.len();
            for item in job.items.iter().filter_map(item_name) {
                if !whole.items.iter().any(|it| it.id == item.id) {
                    whole.items.push(item);
                }
            }
            whole.requests += plan.requests;
            whole.input_tokens += plan.input_tokens;
            whole.output_tokens += plan.output_tokens;
            let sum = whole.cost.zip(plan.cost).map(|(sum, cost)| sum + cost);
            whole.cost = sum.map(|sum| sum.min(bound.unwrap_or(f64::INFINITY)));
            whole.place = plan.place;
            whole.key = job.settings.key_env.clone();
            whole.lacks = reason_not_ready(job, &self.known, &mut whole.place);
        }
        Ok(whole)
    }
}

/// Returns the first digits of a hash.
fn first_digits(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

/// Returns the name of a decision or a part; other items are known beforehand.
fn item_name(of: &judge::item::JudgeItem) -> Option<ItemName> {
    let name = match of {
        judge::item::JudgeItem::Component(_)
        | judge::item::JudgeItem::CodebookComponent(..)
        | judge::item::JudgeItem::Group(_) => return None,
        judge::item::JudgeItem::Decision(decision) => decision.question.clone(),
        judge::item::JudgeItem::Part(_) => of.fill_blank("name")?,
    };
    Some(ItemName { id: of.id().to_owned(), name })
}

fn group_name(group: &CriteriaGroup) -> ItemName {
    let names: Vec<&str> = group.criteria.iter().map(|it| it.name.as_str()).collect();
    ItemName { id: group.id.clone(), name: names.join(", ") }
}

/// Returns why a judge cannot be asked, as a sentence; None where it can. Hides the key in the address if the key is
/// known.
fn reason_not_ready(job: JudgingJob, known: &KnownJudges, address: &mut String) -> Option<String> {
    let name = job.settings.name.clone();
    match job.with_key_of(&|name| known.variable(name)) {
        Err(why) => Some(why.to_string()),
        Ok(job) => {
            *address = job.key.hide_key(address);
            let why = JudgeClient::new(&job.settings, &job.key).err()?;
            Some(format!("judge {name} {why}"))
        }
    }
}

/// Reads the prompt of a scale. The error is a sentence.
fn prompt_in(scale: JudgingScale, path: Option<&str>) -> Result<JudgePrompt, String> {
    let Some(path) = path else { return Ok(JudgePrompt::built_in_for(scale)) };
    let of = |bytes: &[u8], origin: &str| JudgePrompt::for_rubric(scale, bytes, origin);
    user_file::read_user_file(Path::new(path), prompt::MOST_BYTES, of)
        .map_err(|why| why.to_string())
}

/// Reads the criteria. The error is a sentence.
fn criteria_in(path: Option<&str>) -> Result<Criteria, String> {
    let Some(path) = path else { return Ok(Criteria::built_in()) };
    user_file::read_user_file(Path::new(path), criteria::MOST_BYTES, Criteria::parse)
        .map_err(|why| why.to_string())
}

/// Reports events and the elapsed time.
struct JudgingClock {
    sender: Sender<RuntimeEvent>,
    request: RequestId,
    /// The start; None when durations are not measured.
    began: Option<Instant>,
    /// True if reports have the name of a judge.
    is_of_panel: bool,
    /// Ends the ticks when it is dropped.
    _beat: Option<Sender<()>>,
}

impl JudgingClock {
    fn start_clock(
        judging: &JudgingWorker,
        request: RequestId,
        judging_request: &JudgingRequest,
    ) -> Self {
        let sender = judging.sender.clone();
        let began = judging.has_clock.then(Instant::now);
        let _beat = began.and_then(|began| spawn_ticks(sender.clone(), request, began));
        Self { sender, request, began, is_of_panel: !judging_request.panel.is_empty(), _beat }
    }

    fn send_update(&self, judge: Option<&str>, event: &JudgeEvent) {
        let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let update =
            JudgingUpdate { seconds, judge: judge.map(str::to_owned), event: Some(event.clone()) };
        let message = AppMessage::Partly(self.request, AnswerPart::Judging(update));
        let _ = self.sender.send(RuntimeEvent::Partly(message)); // the loop may have ended
    }
}

/// Reports the elapsed time regularly. Without a thread it is not reported; everything else goes on.
fn spawn_ticks(
    sender: Sender<RuntimeEvent>,
    request: RequestId,
    began: Instant,
) -> Option<Sender<()>> {
    let (ends, ended) = bounded::<()>(0);
    let tell = move || {
        while ended.recv_timeout(CLOCK_INTERVAL)
            == Err(crossbeam_channel::RecvTimeoutError::Timeout)
        {
            let seconds = began.elapsed().as_secs_f64();
            let update = JudgingUpdate { seconds, judge: None, event: None };
            let message = AppMessage::Partly(request, AnswerPart::Judging(update));
            if sender.send(RuntimeEvent::Partly(message)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("beat".into()).spawn(tell).ok()?;
    Some(ends)
}

/// Locks a value also after a panic: no code here can leave it inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
