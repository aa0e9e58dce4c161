//! Asks a judge for the screen: works out what that would take, and runs the judging while telling what happens.
//!
//! Keys stay in here: what is told has none, and no header. A judging ends when it is told to, when the run is closed and
//! when the program ends; what is judged by then is on disk.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Sender, bounded};

use crate::{
    app::{
        Effect, Message, Request,
        judging::asking::{Answer, Ask, File, How, News, Outcome, Plan, Start, Wish},
        replay,
    },
    judge::{
        self,
        client::Client,
        component::Look,
        document::Document,
        fault::Fault,
        job, own,
        prompt::{self, Prompt},
        run::{Ended, Halt, Job},
        settings::Settings,
        stop::Stop,
    },
    run::rubric,
    store::{self, Opened, judgements::Judgements},
};

use super::world::{Event, Reply};

/// What a worker needs to ask a judge; copies share who is asked and what is open.
#[derive(Clone)]
pub struct Judging {
    sender: Sender<Event>,
    judges: Arc<[Settings]>,
    /// The bundle that was asked about last.
    held: Arc<Mutex<Option<Held>>>,
    /// Of the judging that was begun last.
    stop: Arc<Mutex<Stop>>,
    /// Judgings that have not ended.
    running: Arc<AtomicUsize>,
    /// Whether time passes.
    has_clock: bool,
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

const fn heard(request: Request, answer: Answer) -> Message {
    Message::Answered(request, replay::Answer::Judged(answer))
}

/// What is answered where a worker failed.
pub fn failed(ask: &Ask) -> fn(String) -> replay::Answer {
    match ask {
        Ask::Plan(_) => |why| replay::Answer::Judged(Answer::Planned(Err(why))),
        Ask::Judge(..) => |why| replay::Answer::Judged(Answer::Over(failure(why))),
    }
}

const fn failure(words: String) -> Outcome {
    Outcome { how: How::Failed, words, files: vec![], spent: None }
}

impl Judging {
    pub fn new(sender: Sender<Event>) -> Self {
        Self {
            sender,
            judges: Arc::new([]),
            held: Arc::default(),
            stop: Arc::default(),
            running: Arc::default(),
            has_clock: false,
        }
    }

    /// From now on these can be asked.
    pub fn ask_of(&mut self, judges: &[Settings]) {
        self.judges = judges.into();
    }

    /// From now on it is told how long things take.
    pub const fn with_clock(&mut self) {
        self.has_clock = true;
    }

    /// Ends the judging under way.
    pub fn stop(&self) {
        locked(&self.stop).set();
    }

    /// Ends the judging under way and waits a moment until it has.
    pub fn end(&self) {
        self.stop();
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// To be called before the worker starts, so that a stop that follows at once is not missed.
    pub fn stop_for(&self, effect: &Effect) -> Stop {
        let stop = Stop::default();
        if matches!(effect, Effect::Judge(_, _, Ask::Judge(..))) {
            *locked(&self.stop) = stop.clone();
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        stop
    }

    /// `bundle` is the folder of the recording's bundle, where it is one; `turns` how many it has by now.
    pub fn answer(
        &self,
        request: Request,
        (bundle, turns): (Option<PathBuf>, usize),
        ask: Ask,
        stop: &Stop,
    ) -> Reply {
        let answer = match ask {
            Ask::Plan(wish) => {
                Answer::Planned(self.desk(bundle, turns, &wish).and_then(|desk| desk.plan(&wish)))
            }
            Ask::Judge(wish, start) => {
                let _running = Running(&self.running);
                let desk = self.desk(bundle, turns, &wish);
                let over = desk.map(|desk| self.judge(request, &desk, &wish, start, stop));
                Answer::Over(over.unwrap_or_else(failure))
            }
        };
        Reply::Message(heard(request, answer))
    }

    /// The error is a sentence.
    fn desk(&self, bundle: Option<PathBuf>, turns: usize, wish: &Wish) -> Result<Desk, String> {
        let settings = self.judges.iter().find(|it| it.name == wish.judge);
        let settings = settings.ok_or_else(|| format!("no judge is called {}", wish.judge))?;
        let bundle = bundle.ok_or(NO_BUNDLE)?;
        let prompt = prompt_in(wish.prompt.as_deref())?;
        let opened = self.open(&bundle, turns)?;
        Ok(Desk { settings: settings.clone(), prompt, bundle, opened })
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

    /// One moment after the other. All of them share the bound on the cost.
    fn judge(
        &self,
        request: Request,
        desk: &Desk,
        wish: &Wish,
        start: Start,
        stop: &Stop,
    ) -> Outcome {
        let clock = Clock::start(self, request);
        let mut all = All { judge: wish.judge.clone(), ..All::default() };
        let mut start = start;
        for &turn in &wish.moments {
            let mut tell = |event: &judge::run::Event| clock.tell(turn, event);
            let halted = match desk.judge(wish, turn, start, all.spent, stop, &mut tell) {
                Err(why) => return all.failed(why),
                Ok(ended) => all.take(ended),
            };
            match halted {
                None => {}
                // A stopped judging of several moments went no further than this.
                Some(Halt::NothingToResume) if !all.files.is_empty() && start == Start::Resume => {
                    start = Start::Anew;
                    let ended = desk.judge(wish, turn, start, all.spent, stop, &mut tell);
                    match ended.map(|ended| all.take(ended)) {
                        Err(why) => return all.failed(why),
                        Ok(Some(halt)) => return all.halted(&halt, turn),
                        Ok(None) => {}
                    }
                }
                Some(halt) => return all.halted(&halt, turn),
            }
        }
        all.finished()
    }
}

const NO_BUNDLE: &str = "this recording is no run bundle, so there is no place for verdicts; `trajview import RECORDING --out DIR` \
                         makes one";

/// Counts down when a judging ends, however it does.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Everything a judging needs but the moment.
struct Desk {
    settings: Settings,
    prompt: Prompt,
    bundle: PathBuf,
    opened: Arc<Opened>,
}

impl Desk {
    fn job(&self, wish: &Wish, turn: usize) -> Result<Job, String> {
        let wish = job::Wish {
            settings: self.settings.clone(),
            prompt: self.prompt.clone(),
            criteria: None,
            components: wish.components.clone(),
            turn,
            budget: Some(wish.budget),
            repeats: wish.repeats,
        };
        Job::prepare(wish, &self.bundle, &self.opened).map_err(|why| why.to_string())
    }

    fn plan(&self, wish: &Wish) -> Result<Plan, String> {
        let bound = self.settings.cost.most;
        let mut whole = Plan {
            bound,
            prompt: self.prompt.sha256.chars().take(12).collect(),
            cost: Some(0.0),
            ..Plan::default()
        };
        for &turn in &wish.moments {
            let job = self.job(wish, turn)?;
            let plan = judge::plan::Plan::of(&job);
            whole.components = job.matters.len();
            whole.requests += plan.requests;
            whole.input_tokens += plan.input_tokens;
            whole.output_tokens += plan.output_tokens;
            let sum = whole.cost.zip(plan.cost).map(|(sum, cost)| sum + cost);
            whole.cost = sum.map(|sum| sum.min(bound.unwrap_or(f64::INFINITY)));
            whole.place = plan.place;
            whole.lacks = lacks(job, &mut whole.place);
        }
        Ok(whole)
    }

    fn judge(
        &self,
        wish: &Wish,
        turn: usize,
        start: Start,
        spent: Option<f64>,
        stop: &Stop,
        tell: &mut dyn FnMut(&judge::run::Event),
    ) -> Result<Ended, String> {
        let mut job = self.job(wish, turn)?.with_key().map_err(|why| why.to_string())?;
        if let (Some(most), Some(spent)) = (&mut Arc::make_mut(&mut job.settings).cost.most, spent)
        {
            *most = (*most - spent).max(0.0);
        }
        let start = match start {
            Start::Anew => judge::run::Start::Anew,
            Start::Resume => judge::run::Start::Resume,
        };
        judge::run::judge(&job, &Judgements::of(&self.bundle), start, stop, tell)
            .map_err(|why| format!("judge {} {why}", wish.judge))
    }
}

/// What is missing to ask, as a sentence; a key in the place of the judge is taken out of it.
fn lacks(job: Job, place: &mut String) -> Option<String> {
    let name = job.settings.name.clone();
    match job.with_key() {
        Err(why) => Some(why.to_string()),
        Ok(job) => {
            *place = job.key.hide(place);
            let why = Client::new(&job.settings, &job.key).err()?;
            Some(format!("judge {name} {why}"))
        }
    }
}

/// The error is a sentence.
fn prompt_in(path: Option<&str>) -> Result<Prompt, String> {
    let Some(path) = path else { return Ok(Prompt::built_in()) };
    own::read(Path::new(path), prompt::MOST_BYTES, Prompt::of).map_err(|why| why.to_string())
}

/// Tells what happens, and when.
struct Clock {
    sender: Sender<Event>,
    request: Request,
    /// None where no time passes.
    began: Option<Instant>,
    /// Ends the beat when it is dropped.
    _beat: Option<Sender<()>>,
}

impl Clock {
    fn start(judging: &Judging, request: Request) -> Self {
        let sender = judging.sender.clone();
        let began = judging.has_clock.then(Instant::now);
        let _beat = began.and_then(|began| beat(sender.clone(), request, began));
        Self { sender, request, began, _beat }
    }

    fn tell(&self, turn: usize, event: &judge::run::Event) {
        let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let message = heard(self.request, Answer::News(seconds, news(turn, event)));
        let _ = self.sender.send(Event::Partly(message)); // the loop may already have gone home
    }
}

/// Without a thread time stands still; everything else goes on.
fn beat(sender: Sender<Event>, request: Request, began: Instant) -> Option<Sender<()>> {
    let (ends, ended) = bounded::<()>(0);
    let tell = move || {
        while ended.recv_timeout(BEAT) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
            let seconds = began.elapsed().as_secs_f64();
            let message = heard(request, Answer::News(seconds, News::Beat));
            if sender.send(Event::Partly(message)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("beat".into()).spawn(tell).ok()?;
    Some(ends)
}

/// In the screen's own words. Nothing here holds a key.
fn news(turn: usize, event: &judge::run::Event) -> News {
    use judge::run::Event as Told;
    match event.clone() {
        Told::Opened { path, repeat, done, total } => {
            News::File(File { name: name_of(&path), turn, repeat: repeat.number, done, total })
        }
        Told::Began { component } => News::Began { component },
        Told::Replied { component, words, tokens, spent } => {
            News::Replied { component, words, tokens, spent }
        }
        Told::Looked { component, look } => {
            let is_refused = look.is_refused;
            News::Looked { component, look: shown(look), is_refused }
        }
        Told::Waits { component, why, pause } => {
            News::Waits { component, why, seconds: pause.as_secs_f64() }
        }
        Told::Ended { component, score, error, done, .. } => {
            News::Ended { component, score, error, done }
        }
    }
}

fn shown(look: Look) -> rubric::Look {
    rubric::Look {
        tool: look.tool,
        arguments: match look.arguments {
            serde_json::Value::String(words) => words,
            other => other.to_string(),
        },
        bytes: Some(look.bytes as u64),
        sha256: Some(look.sha256),
        excerpt: Some(look.excerpt),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What came of all moments so far.
#[derive(Default)]
struct All {
    judge: String,
    files: Vec<(PathBuf, Document)>,
    spent: Option<f64>,
}

impl All {
    fn take(&mut self, ended: Ended) -> Option<Halt> {
        self.files.extend(ended.files);
        if let Some(spent) = ended.spent {
            self.spent = Some(self.spent.unwrap_or_default() + spent);
        }
        ended.halted
    }

    fn over(self, how: How, words: String) -> Outcome {
        let file = |(path, document): &(PathBuf, Document)| (name_of(path), summary(document));
        Outcome { how, words, files: self.files.iter().map(file).collect(), spent: self.spent }
    }

    fn failed(self, why: String) -> Outcome {
        self.over(How::Failed, why)
    }

    /// What is kept, and how to go on.
    fn kept(&self) -> String {
        let judged: usize = self.files.iter().map(|(_, it)| it.given().len()).sum();
        match self.files.last() {
            Some((path, _)) if judged > 0 => {
                format!("{judged} judged are kept, the last in {}; R goes on", name_of(path))
            }
            _ => "nothing was judged yet".into(),
        }
    }

    fn halted(self, halt: &Halt, turn: usize) -> Outcome {
        let (kept, judge) = (self.kept(), &self.judge);
        let (how, words) = match halt {
            Halt::Stopped => (How::Stopped, format!("stopped; {kept}")),
            Halt::Fault(fault @ Fault::Dear(_)) => {
                (How::Failed, format!("judge {judge} stops at {fault}; {kept}"))
            }
            Halt::Fault(fault) => (How::Failed, format!("judge {judge}: {fault}; {kept}")),
            Halt::Write(why) => (How::Failed, format!("{why}; {kept}")),
            Halt::NothingToResume => (
                How::Failed,
                format!(
                    "no judging after turn {turn} by {judge}, with this prompt, these looks and components, to go on \
                     with; n and enter begin one"
                ),
            ),
        };
        self.over(how, words)
    }

    fn finished(self) -> Outcome {
        let scores = self.files.iter().flat_map(|(_, it)| it.given());
        let (with, without): (Vec<_>, Vec<_>) = scores.partition(|(_, score)| score.is_some());
        let is_whole = self.files.iter().all(|(_, it)| it.is_finished());
        let words = match (without.len(), is_whole) {
            (0, true) => format!("{} judged", with.len()),
            (none, true) => format!("{} judged, {none} without a verdict", with.len()),
            (none, false) => {
                format!("{} judged, {none} without a verdict; R asks again", with.len())
            }
        };
        let how = if is_whole { How::Finished } else { How::Failed };
        self.over(how, words)
    }
}

/// `22 of 24, mean 2.86`
fn summary(document: &Document) -> String {
    let scores: Vec<u8> = document.given().into_iter().filter_map(|(_, score)| score).collect();
    let words = format!("{} of {}", scores.len(), document.components.len());
    if scores.is_empty() {
        return words;
    }
    let sum: u32 = scores.iter().map(|score| u32::from(*score)).sum();
    format!("{words}, mean {:.2}", f64::from(sum) / scores.len() as f64)
}

/// Nothing here leaves what is locked halfway.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
