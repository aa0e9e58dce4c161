//! The layers of a run under way: asked before a request, answering while the agent works, informed of each turn, recorded.

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

use trajview_analysis::layers::RunFeed;
use trajview_layers as layers;
use trajview_layers::{
    Brief, BriefSentence, ContextUse, FileCall, HelperCost, HelperModel, HelperPrompt, Layer,
    LayerProject, LayerSpec, LayerState, RequestMoment, TurnDone,
    memory::EVENTS,
    stack::{DeliveredBrief, Delivery, LayerBrief, prepend_briefs},
};
use trajview_store as store;
use trajview_store::{
    layers::layer_history::{self, LayerEntry},
    write,
};

use super::{
    super::{
        journal::{self, FinishedTurn},
        manifest::LayerRow,
        secrets::Secrets,
        socket::SocketServer,
    },
    LayerMaker,
    question_channel::{self, ChannelAnswer, ChannelQuestion},
};

/// The layers of a run and their context.
pub struct LayerStack {
    shared: Arc<Mutex<SharedLayers>>,
    helper: Box<dyn HelperModel + Send>,
    bundle: PathBuf,
    /// The files after the last turn.
    project: LayerProject,
    context: ContextUse,
    server: Option<SocketServer>,
}

/// A request as it is sent, with the text of the layers.
#[derive(Debug, Default)]
pub struct PreparedRequest {
    pub text: String,
    pub rows: Vec<LayerRow>,
    pub restarts: bool,
    /// Sentences about layers that failed.
    pub problems: Vec<String>,
}

/// The results of informing the layers of finished turns.
#[derive(Debug, Default)]
pub struct LayerUpdates {
    /// The updated rows of each turn.
    pub rows: Vec<(usize, Vec<LayerRow>)>,
    /// Sentences about layers that failed.
    pub problems: Vec<String>,
}

/// The part that the agent's programs reach as well.
struct SharedLayers {
    members: Vec<StackedLayer>,
    maker: LayerMaker,
    /// The turn under way.
    turn: usize,
    /// The file of what layers give during the turn, until the turn is recorded.
    log: Option<PathBuf>,
    secrets: Secrets,
}

struct StackedLayer {
    spec: LayerSpec,
    layer: Box<dyn Layer>,
    /// The last turn whose state is recorded, and that state; 0 and nothing before the first.
    recorded: usize,
    state: LayerState,
    /// Text that it gave in the turn under way.
    given: Vec<DeliveredBrief>,
}

/// A line of the log of what was given.
#[derive(Serialize, Deserialize)]
struct GivenLogLine {
    layer: String,
    #[serde(flatten)]
    given: DeliveredBrief,
}

/// A helper and its usage.
struct CountedHelper<'h> {
    helper: &'h mut dyn HelperModel,
    spent: HelperCost,
}

impl HelperModel for CountedHelper<'_> {
    fn is_available(&self) -> bool {
        self.helper.is_available()
    }

    fn ask_model(&mut self, prompt: &HelperPrompt) -> Result<layers::HelperAnswer, String> {
        let answer = self.helper.ask_model(prompt)?;
        self.spent = self.spent.combined_with(answer.spent);
        Ok(answer)
    }
}

/// Calls a layer. A panic counts as a failure.
fn call_guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, LayerFailure> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|why| LayerFailure { why, has_panicked: false }),
        Err(_) => {
            Err(LayerFailure { why: "it panicked, a mistake in it".into(), has_panicked: true })
        }
    }
}

struct LayerFailure {
    /// A sentence.
    why: String,
    has_panicked: bool,
}

impl StackedLayer {
    fn new(spec: LayerSpec, maker: &LayerMaker) -> Result<Self, String> {
        let layer = maker.make_layer(&spec)?;
        Ok(Self { spec, layer, recorded: 0, state: LayerState::new(), given: vec![] })
    }

    /// Creates the layer anew, with its recorded state.
    fn remake(&mut self, maker: &LayerMaker) {
        if let Ok(layer) = maker.make_layer(&self.spec) {
            self.layer = layer;
        }
        let (layer, state) = (&mut self.layer, &self.state);
        let _ = call_guarded(|| {
            layer.restore(state);
            Ok(())
        }); // it begins with nothing
    }

    /// Calls the layer with the helper; returns the usage and the result.
    fn call_layer<T>(
        &mut self,
        maker: &LayerMaker,
        helper: &mut dyn HelperModel,
        call: impl FnOnce(&mut dyn Layer, &mut dyn HelperModel) -> Result<T, String>,
    ) -> (HelperCost, Result<T, String>) {
        let mut counted = CountedHelper { helper, spent: HelperCost::default() };
        let began = Instant::now();
        let result = call_guarded(|| call(&mut *self.layer, &mut counted));
        let spent = HelperCost { seconds: began.elapsed().as_secs_f64(), ..counted.spent };
        let result = result.map_err(|failed| {
            if failed.has_panicked {
                self.remake(maker);
            }
            failed.why
        });
        (spent, result)
    }
}

impl LayerStack {
    /// Creates the layers with their state after `done` turns; they may show or store none of the secrets. The error is a
    /// sentence.
    pub fn new(
        specs: Vec<LayerSpec>,
        maker: LayerMaker,
        helper: Box<dyn HelperModel + Send>,
        secrets: Secrets,
        bundle: &Path,
        done: usize,
    ) -> Result<Self, String> {
        let members: Result<Vec<StackedLayer>, String> =
            specs.into_iter().map(|spec| StackedLayer::new(spec, &maker)).collect();
        let shared = SharedLayers { members: members?, maker, turn: done + 1, log: None, secrets };
        let mut stack = Self {
            shared: Arc::new(Mutex::new(shared)),
            helper,
            bundle: bundle.to_owned(),
            project: LayerProject::default(),
            context: ContextUse::default(),
            server: None,
        };
        stack.restore_layers(done);
        Ok(stack)
    }

    /// Starts to answer the agent at a socket. The error is a sentence.
    pub(crate) fn serve_socket(&mut self, socket: &Path) -> Result<(), String> {
        let shared = Arc::clone(&self.shared);
        let answer = move |asked: &ChannelQuestion| lock(&shared).answer_question(asked);
        self.server = Some(question_channel::serve_questions(socket, answer)?);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        lock(&self.shared).members.is_empty()
    }

    /// Restores the state of every layer after `turns` turns.
    fn restore_layers(&mut self, turns: usize) {
        let mut shared = lock(&self.shared);
        let SharedLayers { members, maker, .. } = &mut *shared;
        for member in members {
            let known = layer_history::state_at(&self.bundle, &member.spec, turns);
            (member.recorded, member.state) = known.unwrap_or_default();
            member.given.clear();
            member.remake(maker);
        }
    }

    /// Rewinds the layers before a turn that is done again. `done` are the turns before it.
    pub(crate) fn rewind_to(&mut self, done: &[FinishedTurn]) -> LayerUpdates {
        if self.is_empty() {
            return LayerUpdates::default();
        }
        let was_recorded = lock(&self.shared).members.iter().any(|it| it.recorded > done.len());
        self.restore_layers(done.len());
        match was_recorded {
            true if done.is_empty() => {
                (self.project, self.context) = (LayerProject::default(), ContextUse::default());
                LayerUpdates::default()
            }
            true => self.tell_finished_turns(done, None),
            false => LayerUpdates::default(),
        }
    }

    /// Begins a turn; what layers give during it is also written to a file, for a run that is killed.
    pub fn begin_turn(&self, turn: usize, requests: &Path) {
        let mut shared = lock(&self.shared);
        let log = given_log_path(requests, turn);
        let _ = fs::remove_file(&log); // of an attempt before
        (shared.turn, shared.log) = (turn, Some(log));
        shared.members.iter_mut().for_each(|member| member.given.clear());
    }

    /// Asks every layer about the request of a turn, as the script or a person has it, and returns the request with their text.
    pub(crate) fn ask_before_request(
        &mut self,
        turn: usize,
        request: &str,
        earlier: &[String],
    ) -> PreparedRequest {
        let mut found = PreparedRequest::default();
        let (project, context) = (&self.project, self.context);
        let moment = RequestMoment { turn, request, earlier, project, context };
        let mut shared = lock(&self.shared);
        let SharedLayers { members, maker, secrets, .. } = &mut *shared;
        let mut briefs: Vec<Brief> = vec![];
        for member in members {
            let layer = member.spec.to_string();
            let asked = |it: &mut dyn Layer, helper: &mut dyn HelperModel| {
                it.before_request(&moment, helper)
            };
            let (spent, result) = member.call_layer(maker, &mut *self.helper, asked);
            match result {
                Ok(brief) => {
                    let Some(brief) = brief.filter(|brief| !brief.is_empty()) else { continue };
                    let brief = hide_secrets(secrets, brief);
                    found.restarts |= brief.restarts.is_some();
                    let brief_answer = LayerBrief { layer, brief, spent };
                    found.rows.push(LayerRow::from_brief(&brief_answer));
                    briefs.push(brief_answer.brief);
                }
                Err(why) => found.problems.push(format!("layer {layer} failed: {why}")),
            }
        }
        found.text = prepend_briefs(request, &briefs);
        found
    }

    /// Informs the layers of the turns that they have not processed, and records each. `requests` is the folder with the
    /// file of what was given in a turn whose run was killed; None when it is in memory.
    pub(crate) fn tell_finished_turns(
        &mut self,
        done: &[FinishedTurn],
        requests: Option<&Path>,
    ) -> LayerUpdates {
        let mut updates = LayerUpdates::default();
        if self.is_empty() || done.is_empty() {
            return updates;
        }
        if let Some(requests) = requests {
            lock(&self.shared).read_log(&given_log_path(requests, done.len()));
        }
        let opened = store::open(&self.bundle).map_err(|why| why.to_string());
        match opened.and_then(|opened| RunFeed::new(&opened)) {
            Ok(recording) => self.update_layers(recording, done, &mut updates),
            Err(why) => {
                let turn = done.len();
                updates.problems.push(format!("layers get no update for turn {turn}: {why}"));
            }
        }
        updates
    }

    /// Informs the layers of those finished turns of the recording that they have not processed, and records each. Sets
    /// the project and the context in use to those at its end.
    fn update_layers(
        &mut self,
        mut recording: RunFeed,
        finished_turns: &[FinishedTurn],
        updates: &mut LayerUpdates,
    ) {
        while let Some(turn) = recording.next_moment().map(|moment| moment.turn) {
            let Some(row) = turn.checked_sub(1).and_then(|at| finished_turns.get(at)) else {
                break;
            };
            let commit = recording.project().commit.clone();
            let Some(turn_done) = recording.finish_turn() else { break };
            if lock(&self.shared).members.iter().any(|member| member.recorded < turn) {
                let rows = self.update_after_turn(&turn_done, commit.as_deref(), row, updates);
                updates.rows.push((turn, rows));
            }
        }
        (self.project, self.context) = (recording.project().clone(), recording.context());
    }

    /// Informs each layer of one turn, records it, and adds problems to the updates. Returns the updated rows of the
    /// turn.
    fn update_after_turn(
        &mut self,
        turn_done: &TurnDone<'_>,
        commit: Option<&str>,
        done: &FinishedTurn,
        updates: &mut LayerUpdates,
    ) -> Vec<LayerRow> {
        let mut rows = done.row.layer.as_ref().map(|it| it.rows().to_vec()).unwrap_or_default();
        let mut shared = lock(&self.shared);
        let SharedLayers { members, maker, secrets, .. } = &mut *shared;
        for member in members.iter_mut().filter(|member| member.recorded < turn_done.turn) {
            let name = member.spec.to_string();
            let call =
                |it: &mut dyn Layer, helper: &mut dyn HelperModel| it.after_turn(turn_done, helper);
            let (after, result) = member.call_layer(maker, &mut *self.helper, call);
            if let Err(why) = result {
                let turn = turn_done.turn;
                updates.problems.push(format!("layer {name} got no update for turn {turn}: {why}"));
            }
            let at = rows.iter().position(|row| row.name == name);
            let brief_answer = at.and_then(|at| rows[at].to_brief());
            let given = std::mem::take(&mut member.given);
            let entry = TurnEntry { over: turn_done, commit, done, after, given: &given, secrets };
            if let Err(why) = member.record_turn(&self.bundle, brief_answer.as_ref(), &entry) {
                updates.problems.push(format!("layer {name} is not recorded: {why}"));
            }
            let new = LayerRow { name, why: "empty answer".into(), ..LayerRow::default() };
            if let Some(at) = at {
                (rows[at].after, rows[at].given) = (Some(after), given.len());
            } else if after.calls > 0 || !given.is_empty() {
                rows.push(LayerRow { after: Some(after), given: given.len(), ..new });
            }
        }
        rows
    }

    /// Packs the records of the layers; nothing is recorded afterwards. Returns problems as sentences.
    pub(crate) fn pack_records(&self) -> Vec<String> {
        let shared = lock(&self.shared);
        let packed =
            shared.members.iter().map(|it| layer_history::pack_layer(&self.bundle, &it.spec));
        packed.filter_map(Result::err).map(|why| why.to_string()).collect()
    }
}

fn lock(shared: &Mutex<SharedLayers>) -> MutexGuard<'_, SharedLayers> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The record of a turn besides a layer's state and text.
struct TurnEntry<'a> {
    over: &'a TurnDone<'a>,
    commit: Option<&'a str>,
    done: &'a FinishedTurn,
    after: HelperCost,
    given: &'a [DeliveredBrief],
    secrets: &'a Secrets,
}

/// Returns a brief with its secrets hidden.
fn hide_secrets(secrets: &Secrets, brief: Brief) -> Brief {
    let hide = |text: String| secrets.hide(&text);
    let sentence = |it: BriefSentence| BriefSentence { text: hide(it.text), ..it };
    Brief {
        sentences: brief.sentences.into_iter().map(sentence).collect(),
        forecast: brief.forecast.into_iter().map(hide).collect(),
        restarts: brief.restarts.map(hide),
        why: hide(brief.why),
    }
}

impl StackedLayer {
    fn record_turn(
        &mut self,
        bundle: &Path,
        brief_answer: Option<&LayerBrief>,
        entry: &TurnEntry<'_>,
    ) -> Result<(), String> {
        let layer = &self.layer;
        let state = call_guarded(|| Ok(layer.state())).map_err(|failed| failed.why)?;
        let hidden = |(path, text): (String, String)| (path, entry.secrets.hide(&text));
        let state: LayerState = state.into_iter().map(hidden).collect();
        let ended = entry.done.row.ended_at.as_deref().unwrap_or_default();
        let written = layer_history::append_turn(
            bundle,
            &LayerEntry {
                spec: &self.spec,
                turn: entry.over.turn,
                commit: entry.commit,
                state: &state,
                layer_brief: brief_answer,
                deliveries: entry.given,
                after: entry.after,
                at: journal::parse_timestamp(ended),
            },
        );
        written.map_err(|why| why.to_string())?;
        // Readers of memory events look for them in the bundle.
        if let Some(events) = state.get(EVENTS) {
            let path = bundle.join(EVENTS);
            write::replace_file(&path, events.as_bytes()).map_err(|why| why.to_string())?;
        }
        (self.recorded, self.state) = (entry.over.turn, state);
        Ok(())
    }
}

/// Returns the file of what layers gave in a turn, until that is recorded.
fn given_log_path(requests: &Path, turn: usize) -> PathBuf {
    requests.join(format!("given-{turn:03}.jsonl"))
}

/// The largest such log that is read (bytes).
const MAX_LOG_BYTES: u64 = 64 << 20;

impl SharedLayers {
    fn read_log(&mut self, path: &Path) {
        let is_small = fs::metadata(path).is_ok_and(|meta| meta.len() <= MAX_LOG_BYTES);
        let text = fs::read_to_string(path).ok().filter(|_| is_small).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<GivenLogLine>(line).ok());
        let mut by_layer: BTreeMap<String, Vec<DeliveredBrief>> = BTreeMap::new();
        lines.for_each(|line| by_layer.entry(line.layer).or_default().push(line.given));
        for member in &mut self.members {
            member.given = by_layer.remove(&member.spec.to_string()).unwrap_or_default();
        }
    }

    fn append_to_log(&self, layer: &str, given: &DeliveredBrief) {
        let line = GivenLogLine { layer: layer.to_owned(), given: given.clone() };
        let (Some(path), Ok(mut line)) = (&self.log, serde_json::to_string(&line)) else { return };
        line.push('\n');
        let file = OpenOptions::new().create(true).append(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes())); // it is in memory as well
    }

    /// Returns the record of a question and the answer.
    fn given_record(
        &self,
        asked: &ChannelQuestion,
        brief: Brief,
        failed: Option<String>,
    ) -> DeliveredBrief {
        let hide = |text: &String| self.secrets.hide(text);
        let (delivery, asked, paths) = match asked {
            ChannelQuestion::Search { query } => (Delivery::Search, hide(query), vec![]),
            ChannelQuestion::Call { tool, paths, .. } => {
                (Delivery::Call, hide(tool), paths.iter().map(hide).collect())
            }
        };
        let failed = failed.as_ref().map(hide);
        DeliveredBrief { at: journal::timestamp_now(), delivery, asked, paths, brief, failed }
    }

    fn answer_question(&mut self, asked: &ChannelQuestion) -> ChannelAnswer {
        let (mut texts, mut failures) = (vec![], vec![]);
        for at in 0..self.members.len() {
            let member = &mut self.members[at];
            let layer = &mut member.layer;
            let brief_answer = call_guarded(|| match asked {
                ChannelQuestion::Search { query } => layer.search(query).transpose(),
                ChannelQuestion::Call { tool, paths, arguments } => {
                    layer.on_call(&FileCall { turn: self.turn, tool, paths, arguments })
                }
            });
            let (brief_answer, failed) = match brief_answer {
                Ok(None) => continue,
                Ok(Some(brief)) => (hide_secrets(&self.secrets, brief), None),
                Err(failed) => {
                    if failed.has_panicked {
                        member.remake(&self.maker);
                    }
                    (Brief::default(), Some(failed.why))
                }
            };
            let name = member.spec.to_string();
            texts.push(brief_answer.text());
            failures.extend(failed.as_ref().map(|why| format!("layer {name}: {why}")));
            let given = self.given_record(asked, brief_answer, failed);
            self.append_to_log(&name, &given);
            self.members[at].given.push(given);
        }
        texts.retain(|text| !text.is_empty());
        let failed = (!failures.is_empty()).then(|| failures.join("; "));
        ChannelAnswer { text: texts.join("\n\n"), failed }
    }
}
