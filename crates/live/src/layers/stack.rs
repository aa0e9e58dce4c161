//! The layers of a run under way: asked before a request, answering while the agent works, told of the turn, recorded.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use trajview_layers as layers;
use trajview_layers::{
    Brief, Call, Context, Helper, Layer, Moment, Project, Prompt, Sentence, Spec, Spent, State,
    TurnDone,
    memory::EVENTS,
    stack::{Delivery, Given, Said, dressed},
};
use trajview_store as store;
use trajview_store::{
    layers::{
        Feed,
        history::{self, Entry},
    },
    write,
};

use super::{
    super::{
        journal::{self, Done},
        manifest::LayerRow,
        secrets::Secrets,
    },
    Maker,
    channel::{Answer, Answers, Asked, Server},
};

/// The layers of a run, and what they are asked with.
pub struct Stack {
    shared: Arc<Mutex<Shared>>,
    helper: Box<dyn Helper + Send>,
    bundle: PathBuf,
    /// The files after the last turn.
    project: Project,
    context: Context,
    server: Option<Server>,
}

/// What the layers of a run are made of.
pub struct Parts {
    pub specs: Vec<Spec>,
    pub maker: Maker,
    pub helper: Box<dyn Helper + Send>,
    /// What no layer may say or keep.
    pub secrets: Secrets,
}

/// What is asked about a request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Counts from 1.
    pub turn: usize,
    /// As the script, or a person, has it.
    pub text: &'a str,
    /// Those of the turns before.
    pub earlier: &'a [String],
}

/// A request as it is sent.
#[derive(Debug, Default)]
pub struct Dressed {
    pub text: String,
    pub rows: Vec<LayerRow>,
    pub restarts: bool,
    /// Sentences about layers that failed.
    pub problems: Vec<String>,
}

/// What came of telling the layers of turns that are over.
#[derive(Debug, Default)]
pub struct TakenIn {
    /// The rows of each turn, as they stand now.
    pub rows: Vec<(usize, Vec<LayerRow>)>,
    /// Sentences about layers that failed.
    pub problems: Vec<String>,
}

/// What the agent's programs reach as well.
struct Shared {
    members: Vec<Member>,
    maker: Maker,
    /// The turn under way.
    turn: usize,
    /// Where is kept what is given meanwhile, until the turn is recorded.
    log: Option<PathBuf>,
    secrets: Secrets,
}

struct Member {
    spec: Spec,
    layer: Box<dyn Layer>,
    /// The last turn whose state is recorded, and that state; 0 and nothing before the first.
    recorded: usize,
    state: State,
    /// In the turn under way.
    given: Vec<Given>,
}

/// A line of the log of what was given.
#[derive(Serialize, Deserialize)]
struct Line {
    layer: String,
    #[serde(flatten)]
    given: Given,
}

/// A helper, and what was spent on it.
struct Counted<'h> {
    helper: &'h mut dyn Helper,
    spent: Spent,
}

impl Helper for Counted<'_> {
    fn is_available(&self) -> bool {
        self.helper.is_available()
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<layers::Answer, String> {
        let answer = self.helper.ask(prompt)?;
        self.spent = self.spent.and(answer.spent);
        Ok(answer)
    }
}

/// Calls a layer. One that panics has failed.
fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, Failed> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|why| Failed { why, has_panicked: false }),
        Err(_) => Err(Failed { why: "it panicked, a mistake in it".into(), has_panicked: true }),
    }
}

struct Failed {
    /// A sentence.
    why: String,
    has_panicked: bool,
}

impl Member {
    fn new(spec: Spec, maker: &Maker) -> Result<Self, String> {
        let layer = maker.make(&spec)?;
        Ok(Self { spec, layer, recorded: 0, state: State::new(), given: vec![] })
    }

    /// Makes the layer anew, with what it knew when it was recorded.
    fn revive(&mut self, maker: &Maker) {
        if let Ok(layer) = maker.make(&self.spec) {
            self.layer = layer;
        }
        let (layer, state) = (&mut self.layer, &self.state);
        let _ = guarded(|| {
            layer.restore(state);
            Ok(())
        }); // it begins with nothing
    }

    /// Calls the layer with the helper; what that cost, and what came of it.
    fn call<T>(
        &mut self,
        maker: &Maker,
        helper: &mut dyn Helper,
        call: impl FnOnce(&mut dyn Layer, &mut dyn Helper) -> Result<T, String>,
    ) -> (Spent, Result<T, String>) {
        let mut counted = Counted { helper, spent: Spent::default() };
        let began = Instant::now();
        let result = guarded(|| call(&mut *self.layer, &mut counted));
        let spent = Spent { seconds: began.elapsed().as_secs_f64(), ..counted.spent };
        let result = result.map_err(|failed| {
            if failed.has_panicked {
                self.revive(maker);
            }
            failed.why
        });
        (spent, result)
    }
}

impl Stack {
    /// The layers with what they knew after so many turns. The error is a sentence.
    pub fn new(parts: Parts, bundle: &Path, done: usize) -> Result<Self, String> {
        let Parts { specs, maker, helper, secrets } = parts;
        let members: Result<Vec<Member>, String> =
            specs.into_iter().map(|spec| Member::new(spec, &maker)).collect();
        let shared = Shared { members: members?, maker, turn: done + 1, log: None, secrets };
        let mut stack = Self {
            shared: Arc::new(Mutex::new(shared)),
            helper,
            bundle: bundle.to_owned(),
            project: Project::default(),
            context: Context::default(),
            server: None,
        };
        stack.restore(done);
        Ok(stack)
    }

    /// Answers the agent at a socket from now on. The error is a sentence.
    pub fn serve(&mut self, socket: &Path) -> Result<(), String> {
        self.server = Some(Server::start(socket, Arc::clone(&self.shared))?);
        Ok(())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_empty(&self) -> bool {
        self.shared().members.is_empty()
    }

    /// Every layer goes back to what it knew after so many turns.
    fn restore(&mut self, turns: usize) {
        let mut shared = self.shared();
        let Shared { members, maker, .. } = &mut *shared;
        for member in members {
            let known = history::state_at(&self.bundle, &member.spec, turns);
            (member.recorded, member.state) = known.unwrap_or_default();
            member.given.clear();
            member.revive(maker);
        }
    }

    /// A turn is about to be done again: it never was. `done` are the turns before it.
    pub fn rewind(&mut self, done: &[Done]) -> TakenIn {
        if self.is_empty() {
            return TakenIn::default();
        }
        let was_recorded = self.shared().members.iter().any(|it| it.recorded > done.len());
        self.restore(done.len());
        match was_recorded {
            true if done.is_empty() => {
                (self.project, self.context) = (Project::default(), Context::default());
                TakenIn::default()
            }
            true => self.take_in(done, None),
            false => TakenIn::default(),
        }
    }

    /// A turn begins; what is given while it is under way is kept in a file too, for a run that is killed.
    pub fn begin(&self, turn: usize, requests: &Path) {
        let mut shared = self.shared();
        let log = log_of(requests, turn);
        let _ = fs::remove_file(&log); // of an attempt before
        (shared.turn, shared.log) = (turn, Some(log));
        shared.members.iter_mut().for_each(|member| member.given.clear());
    }

    /// Asks every layer about a request.
    pub fn before(&mut self, request: &Request<'_>) -> Dressed {
        let mut found = Dressed { text: request.text.to_owned(), ..Dressed::default() };
        let moment = Moment {
            turn: request.turn,
            request: request.text,
            earlier: request.earlier,
            project: &self.project,
            context: self.context,
        };
        let shared = Arc::clone(&self.shared);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { members, maker, secrets, .. } = &mut *shared;
        let mut briefs: Vec<Brief> = vec![];
        for member in members {
            let layer = member.spec.to_string();
            let asked = |it: &mut dyn Layer, helper: &mut dyn Helper| it.before(&moment, helper);
            let (spent, result) = member.call(maker, &mut *self.helper, asked);
            match result {
                Ok(brief) => {
                    let Some(brief) = brief.filter(|brief| !brief.is_empty()) else { continue };
                    let brief = covered(secrets, brief);
                    found.restarts |= brief.restarts.is_some();
                    let said = Said { layer, brief, spent };
                    found.rows.push(LayerRow::of(&said));
                    briefs.push(said.brief);
                }
                Err(why) => found.problems.push(format!("layer {layer} did nothing: {why}")),
            }
        }
        found.text = dressed(request.text, &briefs);
        found
    }

    /// Tells the layers of the turns that they do not know of, and records each. `requests` is the folder with what was given in a
    /// turn whose run was killed; None where it is in memory.
    pub fn take_in(&mut self, done: &[Done], requests: Option<&Path>) -> TakenIn {
        let mut taken = TakenIn::default();
        if self.is_empty() || done.is_empty() {
            return taken;
        }
        if let Some(requests) = requests {
            self.shared().read_log(&log_of(requests, done.len()));
        }
        let opened = store::open(&self.bundle).map_err(|why| why.to_string());
        match opened.and_then(|opened| Feed::new(&opened)) {
            Ok(feed) => self.feed(feed, done, &mut taken),
            Err(why) => {
                let turn = done.len();
                taken.problems.push(format!("layers learn nothing of turn {turn}: {why}"));
            }
        }
        taken
    }

    fn feed(&mut self, mut feed: Feed, done: &[Done], taken: &mut TakenIn) {
        while let Some(turn) = feed.moment().map(|moment| moment.turn) {
            let Some(row) = turn.checked_sub(1).and_then(|at| done.get(at)) else { break };
            let commit = feed.project().commit.clone();
            let Some(over) = feed.go_on() else { break };
            if self.shared().members.iter().any(|member| member.recorded < turn) {
                let rows = self.tell(&over, commit.as_deref(), row, taken);
                taken.rows.push((turn, rows));
            }
        }
        (self.project, self.context) = (feed.project().clone(), feed.context());
    }

    /// Tells each layer of one turn, and records it. The rows of the turn, as they stand then.
    fn tell(
        &mut self,
        over: &TurnDone<'_>,
        commit: Option<&str>,
        done: &Done,
        taken: &mut TakenIn,
    ) -> Vec<LayerRow> {
        let mut rows = done.row.layer.as_ref().map(|it| it.rows().to_vec()).unwrap_or_default();
        let shared = Arc::clone(&self.shared);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { members, maker, secrets, .. } = &mut *shared;
        for member in members.iter_mut().filter(|member| member.recorded < over.turn) {
            let name = member.spec.to_string();
            let told = |it: &mut dyn Layer, helper: &mut dyn Helper| it.after(over, helper);
            let (after, result) = member.call(maker, &mut *self.helper, told);
            if let Err(why) = result {
                let turn = over.turn;
                taken.problems.push(format!("layer {name} did not take in turn {turn}: {why}"));
            }
            let at = rows.iter().position(|row| row.name == name);
            let said = at.and_then(|at| rows[at].said());
            let given = std::mem::take(&mut member.given);
            let entry = TurnEntry { over, commit, done, after, given: &given, secrets };
            if let Err(why) = member.record(&self.bundle, said.as_ref(), &entry) {
                taken.problems.push(format!("layer {name} is not recorded: {why}"));
            }
            let new = LayerRow { name, why: "nothing said".into(), ..LayerRow::default() };
            if let Some(at) = at {
                (rows[at].after, rows[at].given) = (Some(after), given.len());
            } else if after.calls > 0 || !given.is_empty() {
                rows.push(LayerRow { after: Some(after), given: given.len(), ..new });
            }
        }
        rows
    }

    /// Puts the records of the layers away; nothing is recorded afterwards. Sentences about what went wrong.
    pub fn finish(&self) -> Vec<String> {
        let shared = self.shared();
        let packed = shared.members.iter().map(|it| history::pack(&self.bundle, &it.spec));
        packed.filter_map(Result::err).map(|why| why.to_string()).collect()
    }
}

/// What is recorded of a turn beside a layer's state and words.
struct TurnEntry<'a> {
    over: &'a TurnDone<'a>,
    commit: Option<&'a str>,
    done: &'a Done,
    after: Spent,
    given: &'a [Given],
    secrets: &'a Secrets,
}

/// A brief without what must not be told.
fn covered(secrets: &Secrets, brief: Brief) -> Brief {
    let hide = |text: String| secrets.hide(&text);
    let sentence = |it: Sentence| Sentence { text: hide(it.text), ..it };
    Brief {
        sentences: brief.sentences.into_iter().map(sentence).collect(),
        forecast: brief.forecast.into_iter().map(hide).collect(),
        restarts: brief.restarts.map(hide),
        why: hide(brief.why),
    }
}

impl Member {
    fn record(
        &mut self,
        bundle: &Path,
        said: Option<&Said>,
        entry: &TurnEntry<'_>,
    ) -> Result<(), String> {
        let layer = &self.layer;
        let state = guarded(|| Ok(layer.state())).map_err(|failed| failed.why)?;
        let hidden = |(path, text): (String, String)| (path, entry.secrets.hide(&text));
        let state: State = state.into_iter().map(hidden).collect();
        let ended = entry.done.row.ended_at.as_deref().unwrap_or_default();
        let written = history::append(
            bundle,
            &Entry {
                spec: &self.spec,
                turn: entry.over.turn,
                commit: entry.commit,
                state: &state,
                said,
                given: entry.given,
                after: entry.after,
                at: journal::time(ended),
            },
        );
        written.map_err(|why| why.to_string())?;
        // Readers of memory events look for them in the bundle.
        if let Some(events) = state.get(EVENTS) {
            let path = bundle.join(EVENTS);
            write::replace(&path, events.as_bytes()).map_err(|why| why.to_string())?;
        }
        (self.recorded, self.state) = (entry.over.turn, state);
        Ok(())
    }
}

/// What the layers gave in a turn, until it is recorded.
fn log_of(requests: &Path, turn: usize) -> PathBuf {
    requests.join(format!("given-{turn:03}.jsonl"))
}

/// Bytes of such a log that are read.
const MOST_OF_A_LOG: u64 = 64 << 20;

impl Shared {
    fn read_log(&mut self, path: &Path) {
        let is_small = fs::metadata(path).is_ok_and(|meta| meta.len() <= MOST_OF_A_LOG);
        let text = fs::read_to_string(path).ok().filter(|_| is_small).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let mut by_layer: BTreeMap<String, Vec<Given>> = BTreeMap::new();
        lines.for_each(|line| by_layer.entry(line.layer).or_default().push(line.given));
        for member in &mut self.members {
            member.given = by_layer.remove(&member.spec.to_string()).unwrap_or_default();
        }
    }

    fn keep(&self, layer: &str, given: &Given) {
        let line = Line { layer: layer.to_owned(), given: given.clone() };
        let (Some(path), Ok(mut line)) = (&self.log, serde_json::to_string(&line)) else { return };
        line.push('\n');
        let file = OpenOptions::new().create(true).append(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes())); // it is in memory as well
    }
}

impl Shared {
    /// The record of what was asked and given.
    fn given(&self, asked: &Asked, brief: Brief, failed: Option<String>) -> Given {
        let hide = |text: &String| self.secrets.hide(text);
        let (delivery, asked, paths) = match asked {
            Asked::Search { query } => (Delivery::Search, hide(query), vec![]),
            Asked::Call { tool, paths, .. } => {
                (Delivery::Call, hide(tool), paths.iter().map(hide).collect())
            }
        };
        let failed = failed.as_ref().map(hide);
        Given { at: journal::now(), delivery, asked, paths, brief, failed }
    }
}

impl Answers for Shared {
    fn answer(&mut self, asked: &Asked) -> Answer {
        let (mut texts, mut failures) = (vec![], vec![]);
        for at in 0..self.members.len() {
            let member = &mut self.members[at];
            let layer = &mut member.layer;
            let said = guarded(|| match asked {
                Asked::Search { query } => layer.search(query).transpose(),
                Asked::Call { tool, paths, arguments } => {
                    layer.on_call(&Call { turn: self.turn, tool, paths, arguments })
                }
            });
            let (said, failed) = match said {
                Ok(None) => continue,
                Ok(Some(brief)) => (covered(&self.secrets, brief), None),
                Err(failed) => {
                    if failed.has_panicked {
                        member.revive(&self.maker);
                    }
                    (Brief::default(), Some(failed.why))
                }
            };
            let name = member.spec.to_string();
            texts.push(said.text());
            failures.extend(failed.as_ref().map(|why| format!("layer {name}: {why}")));
            let given = self.given(asked, said, failed);
            self.keep(&name, &given);
            self.members[at].given.push(given);
        }
        texts.retain(|text| !text.is_empty());
        let failed = (!failures.is_empty()).then(|| failures.join("; "));
        Answer { text: texts.join("\n\n"), failed }
    }
}
