//! Asks a judge for the screen: works out what that would take, and runs the judging while telling what happens.
//!
//! Keys stay in here: what is told has none, and no header. A judging ends when it is told to and when the program ends;
//! what is judged by then is on disk. It goes on when another run is opened. Who can be asked is [`known`].

pub mod known;
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
    client::Client,
    cost::{Common, CostBudget},
    criteria::{self, Criteria, Group},
    each::{self, States, judge_each},
    found::Environment,
    job::{self, About, JobError},
    own,
    prompt::{self, Prompt},
    run::Job,
    scale,
    settings::Settings,
    stop::Stop,
};
use trajview_store as store;
use trajview_store::{Opened, decisions, judgements::Judgements};
use trajview_tui::{
    session::{
        judging::{self, Item, JudgingRequest, News, Outcome, Plan, Scale, Start},
        question::{Part, Question},
        request::Request,
    },
    shell::Message,
};

use super::event::Event;

use known::{Known, SettingsFile};

/// What a worker needs to ask a judge; copies share who is asked and what is open.
#[derive(Clone)]
pub struct Judging {
    sender: Sender<Event>,
    known: Arc<Mutex<Known>>,
    /// The bundle that was asked about last.
    held: Arc<Mutex<Option<Held>>>,
    /// Of the judgings that have not ended.
    stops: Arc<Mutex<HashMap<Request, Stop>>>,
    /// Judgings that have not ended.
    running: Arc<AtomicUsize>,
    /// Whether time passes.
    has_clock: bool,
}

/// The run that is judged.
#[derive(Debug, Clone, Default)]
pub struct JudgedRun {
    /// The folder of the recording's bundle, where it is one.
    pub bundle: Option<PathBuf>,
    /// How many it has by now.
    pub turns: usize,
    /// Decisions in the place of the run's own, where some are named.
    pub store: Option<PathBuf>,
}

#[derive(Clone)]
struct Held {
    bundle: PathBuf,
    opened: Arc<Opened>,
}

/// How often it is told that time passes.
const BEAT: Duration = Duration::from_secs(1);

/// How long a judging has to end when the program does. It saves after each component, so there is little to lose.
const PATIENCE: Duration = Duration::from_secs(2);

impl Judging {
    pub fn new(sender: Sender<Event>) -> Self {
        Self {
            sender,
            known: Arc::default(),
            held: Arc::default(),
            stops: Arc::default(),
            running: Arc::default(),
            has_clock: false,
        }
    }

    /// From now on these can be asked, and those that are found in this environment.
    pub fn ask_of(
        &self,
        judges: &[Settings],
        environment: Environment,
        file: Option<SettingsFile>,
    ) -> Vec<judging::Judge> {
        let mut known = locked(&self.known);
        known.write_down(judges);
        (known.environment, known.file) = (environment, file);
        known.all()
    }

    /// From now on it is told how long things take.
    pub const fn with_clock(&mut self) {
        self.has_clock = true;
    }

    /// Ends a judging.
    pub fn stop(&self, judging: Request) {
        if let Some(stop) = locked(&self.stops).get(&judging) {
            stop.set();
        }
    }

    /// Ends every judging under way and waits a moment until they have.
    pub fn end(&self) {
        locked(&self.stops).values().for_each(Stop::set);
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// To be called before the worker starts, so that a stop that follows at once is not missed.
    pub fn stop_for(&self, request: Request, question: &Question) -> Stop {
        let stop = Stop::default();
        if let Question::Judging { .. } = question {
            locked(&self.stops).insert(request, stop.clone());
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        stop
    }

    /// What a judging would take; as [`Self::judge_all`]. The error is a sentence.
    pub fn plan(&self, judged: &JudgedRun, wish: &JudgingRequest) -> Result<Plan, String> {
        let mut whole: Option<Plan> = None;
        for wish in wish.each() {
            let plan = self.desk(judged, &wish)?.plan(&wish)?;
            whole = Some(match whole {
                None => plan,
                Some(first) => together(first, plan),
            });
        }
        let whole = whole.unwrap_or_default();
        let bound = most_of(wish).or(whole.bound.filter(|_| wish.panel.is_empty()));
        let cost = whole.cost.map(|cost| cost.min(bound.unwrap_or(f64::INFINITY)));
        Ok(Plan { bound, cost, ..whole })
    }

    pub fn judge_all(
        &self,
        request: Request,
        judged: &JudgedRun,
        wish: &JudgingRequest,
        start: Start,
        stop: &Stop,
    ) -> Outcome {
        let _running = Running { judging: self, request };
        let clock = Clock::start(self, request, wish);
        let each = wish.each();
        if let [only] = each.as_slice() {
            let desk = self.desk(judged, only);
            let over = desk.map(|desk| judge_one(&clock, &desk, only, (start, None, stop)));
            return over.unwrap_or_else(Outcome::failure);
        }
        // Nothing is asked unless each of them can be.
        let setups: Result<Vec<JudgingSetup>, String> =
            each.iter().map(|wish| self.desk(judged, wish)).collect();
        match setups {
            Ok(setups) => judge_panel(&clock, &setups, (&each, most_of(wish)), start, stop),
            Err(why) => Outcome::failure(why),
        }
    }

    /// The judge of this name with this model is in the settings from now on. Gives a sentence; the error is one too.
    pub fn keep(&self, judge: &str, model: &str) -> Result<String, String> {
        locked(&self.known).keep(judge, model)
    }

    /// Says at once what the settings, keys and programs give, and which servers answer when they had their time. Gives
    /// everybody, and what is wrong with the settings.
    pub fn find(
        &self,
        tell: &dyn Fn(Vec<judging::Judge>),
    ) -> (Vec<judging::Judge>, Option<String>) {
        let (problem, judges, environment) = {
            let mut known = locked(&self.known);
            let problem = known.look();
            (problem, known.all(), known.environment.clone())
        };
        tell(judges);
        let servers = Known::servers(&environment);
        let mut known = locked(&self.known);
        known.take_servers(servers);
        (known.all(), problem)
    }

    /// Everybody, with the models of this judge, or why they are not known.
    pub fn list(&self, judge: &str) -> Vec<judging::Judge> {
        let known = locked(&self.known).clone(); // nobody waits for a server
        let models = known.ask_for_models(judge);
        let mut known = locked(&self.known);
        known.list(judge, models);
        known.all()
    }

    /// The error is a sentence.
    fn desk(&self, judged: &JudgedRun, wish: &JudgingRequest) -> Result<JudgingSetup, String> {
        let known = locked(&self.known).clone();
        let settings = known.settings(&wish.judge, &wish.model)?;
        let bundle = judged.bundle.clone().ok_or(NO_BUNDLE)?;
        let scale = match wish.scale {
            Scale::Levels => scale::Scale::Levels,
            Scale::Flags => scale::Scale::Flags,
            Scale::Decisions => scale::Scale::Decisions,
            Scale::Process => scale::Scale::Process,
        };
        let prompt = prompt_in(scale, wish.prompt.as_deref())?;
        let opened = self.open(&bundle, judged.turns)?;
        let about = match scale {
            scale::Scale::Levels | scale::Scale::Codebook => About::Components,
            scale::Scale::Flags => About::Places(Arc::new(criteria_in(wish.criteria.as_deref())?)),
            scale::Scale::Decisions => {
                let store = decisions::of_run(&opened.archive, judged.store.as_deref());
                About::Decisions(Arc::new(store.ok_or(NO_DECISIONS)??))
            }
            scale::Scale::Process => About::Process,
        };
        Ok(JudgingSetup { settings, prompt, about, bundle, opened, known })
    }

    fn open(&self, bundle: &Path, turns: usize) -> Result<Arc<Opened>, String> {
        let mut held = locked(&self.held);
        let is_it = |held: &&Held| held.bundle == bundle && held.opened.run.turns.len() == turns;
        if let Some(held) = held.as_ref().filter(is_it) {
            return Ok(held.opened.clone());
        }
        let opened = Arc::new(store::open(bundle).map_err(|why| why.to_string())?);
        *held = Some(Held { bundle: bundle.to_owned(), opened: opened.clone() });
        Ok(opened)
    }
}

/// What all judges of a panel may cost together, in US dollars.
fn most_of(wish: &JudgingRequest) -> Option<f64> {
    wish.most.as_ref()?.parse().ok()
}

/// What two judges of a panel take together. Where it goes and with which key is of the first.
fn together(first: Plan, other: Plan) -> Plan {
    Plan {
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

/// Each judge of a panel on a thread of its own; what they may cost together is one bound.
fn judge_panel(
    clock: &Clock,
    setups: &[JudgingSetup],
    (each, most): (&[JudgingRequest], Option<f64>),
    start: Start,
    stop: &Stop,
) -> Outcome {
    let common = most.map(|most| Arc::new(Common::new(most)));
    let one = |(setup, wish): (&JudgingSetup, &JudgingRequest)| {
        let outcome = judge_one(clock, setup, wish, (start, common.clone(), stop));
        (wish.judge.clone(), outcome)
    };
    let outcomes: Vec<(String, Outcome)> = thread::scope(|scope| {
        let all = setups.iter().zip(each);
        let started: Vec<_> = all.map(|it| scope.spawn(move || one(it))).collect();
        let ended = started.into_iter().map(|it| it.join());
        // A judge that broke down breaks the judging down, as it would alone.
        ended.map(|it| it.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    });
    report::of_panel(outcomes)
}

/// One moment after the other; with the bound of a panel, where it is one of several.
fn judge_one(
    clock: &Clock,
    setup: &JudgingSetup,
    wish: &JudgingRequest,
    (start, common, stop): (Start, Option<Arc<Common>>, &Stop),
) -> Outcome {
    let is_of_panel = clock.is_of_panel;
    let mut tell = |news: each::News<'_>| match news {
        each::News::Begins(_) | each::News::LeftOut(_) => {}
        each::News::Event(job, event) => {
            let judge = is_of_panel.then_some(wish.judge.as_str());
            clock.tell(judge, job.subject.turn, event);
        }
    };
    let own = CostBudget::new(setup.settings.cost);
    let budget = Arc::new(match common {
        Some(common) => own.within(common),
        None => own,
    });
    let mut go = |start, states: &mut States| {
        judge_each(
            &wish.moments,
            |turn| setup.job(wish, turn)?.with_key_of(&|name| setup.known.variable(name)),
            (&budget, start),
            (&Judgements::of(&setup.bundle), stop),
            &mut tell,
            states,
        )
    };
    let mut states = States::default();
    let first = match start {
        Start::Anew => judge::run::Start::Anew,
        Start::Resume => judge::run::Start::Resume,
    };
    let mut judged = go(first, &mut states);
    // A panel that was stopped may not have come to this judge.
    let is_nothing = |(_, it): &(Job, judge::run::Ended)| {
        matches!(it.halted, Some(judge::run::Halt::NothingToResume))
    };
    if is_of_panel && states.judged.iter().any(is_nothing) {
        states = States::default();
        judged = go(judge::run::Start::Anew, &mut states);
    }
    match judged {
        Ok(()) => report::outcome(&states),
        Err(why) => report::failed(&states, why.to_string()),
    }
}

const NO_DECISIONS: &str =
    "this run has no decisions.json; `p`, `v` to the decisions and `d` draw them from the requests";

const NO_BUNDLE: &str = "this recording is no run bundle, so there is no place for verdicts; `trajview import RECORDING --out DIR` \
                         makes one";

/// Counts down when a judging ends, however it does.
struct Running<'a> {
    judging: &'a Judging,
    request: Request,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        locked(&self.judging.stops).remove(&self.request);
        self.judging.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Everything a judging needs but the moment.
struct JudgingSetup {
    settings: Settings,
    prompt: Prompt,
    about: About,
    bundle: PathBuf,
    opened: Arc<Opened>,
    /// Where the key is looked up.
    known: Known,
}

impl JudgingSetup {
    fn job(&self, wish: &JudgingRequest, turn: usize) -> Result<Job, JobError> {
        let wish = job::JudgingRequest {
            settings: self.settings.clone(),
            prompt: self.prompt.clone(),
            about: self.about.clone(),
            codebook: wish.codebook.clone(),
            components: wish.components.clone(),
            turn,
            budget: Some(wish.budget),
            repeats: wish.repeats,
        };
        Job::prepare(wish, &self.bundle, &self.opened)
    }

    fn plan(&self, wish: &JudgingRequest) -> Result<Plan, String> {
        let bound = self.settings.cost.most;
        let mut whole =
            Plan { bound, prompt: digits(&self.prompt.sha256), cost: Some(0.0), ..Plan::default() };
        let jobs = each::jobs(&wish.moments, |turn| self.job(wish, turn));
        let (jobs, left_out) = jobs.map_err(|why| why.to_string())?;
        whole.left_out = left_out.iter().map(|it| it.turn).collect();
        if let About::Places(criteria) = &self.about {
            whole.criteria = Some(digits(&criteria.sha256));
            whole.items = criteria.groups.iter().map(group).collect();
        }
        for job in jobs {
            let plan = judge::plan::Plan::of(&job);
            whole.answers += job.items.len();
            for item in job.items.iter().filter_map(item) {
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
            whole.lacks = lacks(job, &self.known, &mut whole.place);
        }
        Ok(whole)
    }
}

/// The first of them.
fn digits(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

/// Of a decision or a part; the others are known beforehand.
fn item(of: &judge::item::Item) -> Option<Item> {
    let name = match of {
        judge::item::Item::Component(_)
        | judge::item::Item::Rated(..)
        | judge::item::Item::Group(_) => return None,
        judge::item::Item::Decision(decision) => decision.question.clone(),
        judge::item::Item::Part(_) => of.blank("name")?,
    };
    Some(Item { id: of.id().to_owned(), name })
}

fn group(group: &Group) -> Item {
    let names: Vec<&str> = group.criteria.iter().map(|it| it.name.as_str()).collect();
    Item { id: group.id.clone(), name: names.join(", ") }
}

/// What is missing to ask, as a sentence; a key in the place of the judge is taken out of it.
fn lacks(job: Job, known: &Known, place: &mut String) -> Option<String> {
    let name = job.settings.name.clone();
    match job.with_key_of(&|name| known.variable(name)) {
        Err(why) => Some(why.to_string()),
        Ok(job) => {
            *place = job.key.hide(place);
            let why = Client::new(&job.settings, &job.key).err()?;
            Some(format!("judge {name} {why}"))
        }
    }
}

/// The error is a sentence.
fn prompt_in(scale: scale::Scale, path: Option<&str>) -> Result<Prompt, String> {
    let Some(path) = path else { return Ok(Prompt::built_in_for(scale)) };
    let of = |bytes: &[u8], origin: &str| Prompt::for_rubric(scale, bytes, origin);
    own::read(Path::new(path), prompt::MOST_BYTES, of).map_err(|why| why.to_string())
}

/// The error is a sentence.
fn criteria_in(path: Option<&str>) -> Result<Criteria, String> {
    let Some(path) = path else { return Ok(Criteria::built_in()) };
    own::read(Path::new(path), criteria::MOST_BYTES, Criteria::of).map_err(|why| why.to_string())
}

/// Tells what happens, and when.
struct Clock {
    sender: Sender<Event>,
    request: Request,
    /// None where no time passes.
    began: Option<Instant>,
    /// Whether what is told is told with the name of a judge.
    is_of_panel: bool,
    /// Ends the beat when it is dropped.
    _beat: Option<Sender<()>>,
}

impl Clock {
    fn start(judging: &Judging, request: Request, wish: &JudgingRequest) -> Self {
        let sender = judging.sender.clone();
        let began = judging.has_clock.then(Instant::now);
        let _beat = began.and_then(|began| beat(sender.clone(), request, began));
        Self { sender, request, began, is_of_panel: !wish.panel.is_empty(), _beat }
    }

    fn tell(&self, judge: Option<&str>, turn: usize, event: &judge::run::Event) {
        let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let news = report::news(turn, event);
        let news = match judge {
            Some(judge) => News::Of(judge.to_owned(), Box::new(news)),
            None => news,
        };
        let message = Message::Partly(self.request, Part::Judging(seconds, news));
        let _ = self.sender.send(Event::Partly(message)); // the loop may already have gone home
    }
}

/// Without a thread time stands still; everything else goes on.
fn beat(sender: Sender<Event>, request: Request, began: Instant) -> Option<Sender<()>> {
    let (ends, ended) = bounded::<()>(0);
    let tell = move || {
        while ended.recv_timeout(BEAT) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
            let seconds = began.elapsed().as_secs_f64();
            let message = Message::Partly(request, Part::Judging(seconds, News::Beat));
            if sender.send(Event::Partly(message)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("beat".into()).spawn(tell).ok()?;
    Some(ends)
}

/// Nothing here leaves what is locked halfway.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
