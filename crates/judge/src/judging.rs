//! Judging many components, or groups of criteria: several at a time, each saved as soon as it is done.
//!
//! After every one the whole file is written anew beside the old one and takes its name in one step, so that a crash
//! loses at most the components under way. A judging that is stopped keeps its results.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicUsize},
    time::{Duration, Instant},
};

use crossbeam_channel::RecvTimeoutError;

use trajview_metrics::{
    quality::{QualityProfile, Ruler, measure_file},
    rules::RuleSet,
};
use trajview_run::{
    RepoPath,
    judging::{JudgeAnswer, JudgeEvent, JudgingScale, JudgingStart, OpenFile},
    rubric::CANNOT_TELL,
};
use trajview_store::{
    judgements::{JudgementFile, JudgementFolder},
    sha256,
    write::WriteError,
};

use super::{
    client::JudgeClient,
    component::{CheckedVerdict, JudgedItem},
    cost::CostBudget,
    criteria::Criteria,
    document::{DocumentJudge, DocumentRepeat, JudgementDocument, JudgingSubject, scored_by},
    fault::JudgeFault,
    item::JudgeItem,
    judge_key::JudgeKey,
    prompt::JudgePrompt,
    settings::JudgeConfig,
    snapshot::CodeSnapshot,
    stop_flag::StopFlag,
    unchanged_flags::CarriedFlags,
    worker::{self, JudgeTask, WorkerContext, WorkerEvent},
};

/// The parts of a judging: the items, the judge, the rules.
#[derive(Debug, Clone)]
pub struct JudgingJob {
    pub settings: Arc<JudgeConfig>,
    pub key: JudgeKey,
    pub prompt: Arc<JudgePrompt>,
    pub snapshot: CodeSnapshot,
    pub subject: JudgingSubject,
    /// The items: those of [`JudgingSubject::components`], in the same order.
    pub items: Vec<JudgeItem>,
    /// The criteria, for flags.
    pub criteria: Option<Arc<Criteria>>,
    /// Flags of an earlier state whose lines are the same.
    pub carried: CarriedFlags,
    /// Looks for one conversation.
    pub budget: u32,
    /// Files to make of the same thing; at least 1.
    pub repeats: usize,
}

/// The end of a judging.
#[derive(Debug, Default)]
pub struct JudgingFiles {
    /// The files there are now, in order.
    pub files: Vec<(PathBuf, JudgementDocument)>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
    /// The reason why items are left; earlier answers are saved.
    pub halted: Option<JudgingHalt>,
}

#[derive(Debug)]
pub enum JudgingHalt {
    /// A person or a signal stopped it.
    Stopped,
    /// Asking on would not have helped; [`JudgeFault::ends_all`].
    Fault(JudgeFault),
    Write(WriteError),
    /// There was no judging to resume.
    NothingToResume,
}

/// Time for the workers to end once they are to stop; those that wait for a server are abandoned then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two checks of the stop flag.
const BEAT: Duration = Duration::from_millis(50);

/// Judges, with money that several jobs share, and returns what was written. The error is a sentence about the judge,
/// without its name; nothing was written then.
pub fn run_judging(
    cost_budget: &Arc<CostBudget>,
    job: &JudgingJob,
    judgements: &JudgementFolder,
    start: JudgingStart,
    stop: &StopFlag,
    on_event: &mut dyn FnMut(&JudgeEvent),
) -> Result<JudgingFiles, String> {
    let client = Arc::new(JudgeClient::new(&job.settings, &job.key)?);
    let judge = job.document_judge();
    let mut ended = JudgingFiles::default();
    match open_series(job, &judge, judgements, start) {
        None => ended.halted = Some(JudgingHalt::NothingToResume),
        Some(series) => {
            let watched =
                JudgingSession { job, judge: &judge, judgements, client, cost_budget, stop };
            watched.fill_series(series, &mut ended, on_event);
        }
    }
    ended.spent = cost_budget.spent_usd();
    Ok(ended)
}

impl JudgingJob {
    pub const fn scale(&self) -> JudgingScale {
        self.subject.scale
    }

    /// Makes the job one of the batch with this id; see [`JudgementDocument::batch_id`].
    pub fn in_batch(mut self, batch_id: Option<String>) -> Self {
        self.subject.batch_id = batch_id;
        self
    }

    /// Returns the data of workers for these conversations.
    pub(crate) fn worker_context(
        &self,
        tasks: Vec<JudgeTask>,
        client: &Arc<JudgeClient>,
        cost_budget: &Arc<CostBudget>,
    ) -> Arc<WorkerContext> {
        Arc::new(WorkerContext {
            settings: Arc::clone(&self.settings),
            client: Arc::clone(client),
            cost_budget: Arc::clone(cost_budget),
            key: self.key.clone(),
            prompt: Arc::clone(&self.prompt),
            budget: self.budget,
            tasks,
            next: AtomicUsize::new(0),
            halt: StopFlag::default(),
        })
    }

    /// Returns the judge as the files describe it.
    pub fn document_judge(&self) -> DocumentJudge {
        let words: Vec<String> = self.items.iter().filter_map(JudgeItem::words_sha256).collect();
        let of_words = (!words.is_empty()).then(|| sha256(words.concat().as_bytes()));
        let criteria = self.criteria.as_ref().map(|criteria| criteria.sha256.clone());
        let criteria_sha256 = criteria.or(of_words);
        let book = self.items.first().and_then(JudgeItem::codebook);
        DocumentJudge {
            criteria_sha256,
            criteria: book.map(|book| scored_by(book)).unwrap_or_default(),
            overall: book.and_then(|book| book.overall).map(|rule| rule.word().to_owned()),
            ..DocumentJudge::for_settings(&self.settings, &self.prompt, self.budget)
        }
    }
}

/// Returns the lines of code of all files that count, by the profile `trajview`.
fn lines_of_code(snapshot: &CodeSnapshot) -> u64 {
    let ruler = Ruler::new(QualityProfile::Trajview, RuleSet::none());
    let paths =
        snapshot.tree().files.keys().filter(|path| ruler.profile().counts_file(path.as_str()));
    let lines = |path: &RepoPath| {
        let text = snapshot.text_of(path).ok()?;
        Some(u64::from(measure_file(path.as_str(), text.as_bytes(), &ruler).loc))
    };
    paths.filter_map(lines).sum()
}

/// Files that are repeats of each other.
struct RepeatSeries {
    /// The beginning of their names, up to the number.
    stem: String,
    /// The existing files by number from 1: name and content.
    files: Vec<Option<(String, JudgementDocument)>>,
}

/// Opens the files of a judging. None where there is nothing to resume.
fn open_series(
    job: &JudgingJob,
    judge: &DocumentJudge,
    judgements: &JudgementFolder,
    start: JudgingStart,
) -> Option<RepeatSeries> {
    if start == JudgingStart::Anew {
        let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let stem = match (job.subject.test, job.scale()) {
            (Some(test), _) => format!("{}-{}-{stamp}", judge.name, test.word()),
            (None, JudgingScale::Levels | JudgingScale::Codebook) => {
                format!("{}-{stamp}", judge.name)
            }
            (None, scale) => format!("{}-{}-{stamp}", judge.name, scale.word()),
        };
        return Some(RepeatSeries { stem, files: vec![None; job.repeats] });
    }
    let ours: Vec<(String, JudgementDocument)> = judgements
        .read_all()
        .into_iter()
        .filter_map(|(name, bytes)| Some((name, JudgementDocument::parse(&bytes)?)))
        .filter(|(_, document)| document.is_same_judging(judge, &job.subject))
        .collect();
    let stem_of = |name: &str| Some(name.strip_suffix(".json")?.rsplit_once('-')?.0.to_owned());
    let (_, last) = ours.iter().map(|(name, it)| (&it.created_at, name)).max()?;
    let stem = stem_of(last)?;
    let mut files = vec![None; job.repeats];
    for (name, document) in ours.into_iter().filter(|(name, _)| stem_of(name) == Some(stem.clone()))
    {
        let number = document.repeat.number;
        // A hundred thousand repeats are never requested; such a file is broken.
        if (1..100_000).contains(&number) {
            files.resize(files.len().max(number), None);
            files[number - 1] = Some((name, document));
        }
    }
    Some(RepeatSeries { stem, files })
}

struct JudgingSession<'a> {
    job: &'a JudgingJob,
    judge: &'a DocumentJudge,
    judgements: &'a JudgementFolder,
    client: Arc<JudgeClient>,
    cost_budget: &'a Arc<CostBudget>,
    stop: &'a StopFlag,
}

impl JudgingSession<'_> {
    fn fill_series(
        &self,
        series: RepeatSeries,
        ended: &mut JudgingFiles,
        on_event: &mut dyn FnMut(&JudgeEvent),
    ) {
        let total = series.files.len();
        for (number, existing) in (1..).zip(series.files) {
            let opened = match existing {
                Some((name, document)) => (self.judgements.reopen(&name), document),
                None => {
                    match self.create_file(&series.stem, DocumentRepeat { number, of: total }) {
                        Ok(created) => created,
                        Err(why) => {
                            ended.halted = Some(JudgingHalt::Write(why));
                            return;
                        }
                    }
                }
            };
            let (file, mut document) = opened;
            ended.halted = self.fill_file(&file, &mut document, on_event).err();
            let path = file.path().to_owned();
            if document.entries().is_empty() && file.discard().is_ok() {
                return; // nothing was judged, and nobody needs a file that says so
            }
            ended.files.push((path, document));
            if ended.halted.is_some() {
                return;
            }
        }
    }

    fn create_file(
        &self,
        stem: &str,
        repeat: DocumentRepeat,
    ) -> Result<(JudgementFile, JudgementDocument), WriteError> {
        let now = timestamp_now();
        let mut document = JudgementDocument::new(self.judge, &self.job.subject, repeat, &now);
        if self.job.scale() == JudgingScale::Flags {
            let carried = self.job.carried.for_repeat(repeat.number);
            document = document.with_carried_flags(&carried, lines_of_code(&self.job.snapshot));
        }
        let name = format!("{stem}-{}", repeat.number);
        let file = self.judgements.create(&name, &bytes_of(&document)?)?;
        Ok((file, document))
    }

    /// Asks for everything a file lacks.
    fn fill_file(
        &self,
        file: &JudgementFile,
        document: &mut JudgementDocument,
        on_event: &mut dyn FnMut(&JudgeEvent),
    ) -> Result<(), JudgingHalt> {
        let missing: Vec<String> =
            document.unanswered_ids().into_iter().map(str::to_owned).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let total = document.components.len();
        let mut done = total - missing.len();
        let path = file.path().to_owned();
        let DocumentRepeat { number: repeat, of: repeats } = document.repeat;
        let turn = self.job.subject.turn;
        on_event(&JudgeEvent::Opened(OpenFile { path, turn, repeat, repeats, done, total }));
        let context = self.worker_context(&missing);
        let mut enter = |component: String, judged: &JudgedItem| -> Result<_, JudgingHalt> {
            self.enter_answer(file, document, &component, judged)?;
            done += 1;
            let flags = judged.checked_flags().map(|_| document.flag_counts_of(&component));
            let answer = judged.verdict().map(answer_of).or(flags.map(JudgeAnswer::Flags));
            let fault = judged.fault.as_ref().map(ToString::to_string);
            let error = judged.error.clone().or(fault);
            Ok(JudgeEvent::Ended { component, answer, error, done, total })
        };
        let ended = collect_answers(&context, self.stop, &mut enter, on_event);
        context.halt.set();
        ended
    }

    /// Enters an answer into the document and saves the file.
    fn enter_answer(
        &self,
        file: &JudgementFile,
        document: &mut JudgementDocument,
        component: &str,
        judged: &JudgedItem,
    ) -> Result<(), JudgingHalt> {
        let before = document.clone();
        document
            .enter_answer(component, judged)
            .map_err(|why| JudgingHalt::Write(without_path(&why)))?;
        if document.unanswered_ids().is_empty() {
            document.finished_at = Some(timestamp_now());
        }
        bytes_of(document).and_then(|bytes| file.save(&bytes)).map_err(|why| {
            *document = before; // which is what the file says
            JudgingHalt::Write(why)
        })
    }

    fn worker_context(&self, missing: &[String]) -> Arc<WorkerContext> {
        let is_missing = |item: &&JudgeItem| missing.iter().any(|id| id == item.id());
        let task = |item: &JudgeItem| JudgeTask {
            name: item.id().to_owned(),
            item: item.clone(),
            snapshot: self.job.snapshot.clone(),
        };
        let tasks = self.job.items.iter().filter(is_missing).map(task).collect();
        self.job.worker_context(tasks, &self.client, self.cost_budget)
    }
}

/// Collects answers until all workers are done, or are to stop and have had their time.
pub(crate) fn collect_answers(
    context: &Arc<WorkerContext>,
    stop: &StopFlag,
    enter: &mut dyn FnMut(String, &JudgedItem) -> Result<JudgeEvent, JudgingHalt>,
    on_event: &mut dyn FnMut(&JudgeEvent),
) -> Result<(), JudgingHalt> {
    let news = worker::start_workers(context);
    let mut halted: Option<(JudgingHalt, Instant)> = None;
    loop {
        if stop.is_set() && halted.is_none() {
            halted = Some((JudgingHalt::Stopped, Instant::now()));
            context.halt.set();
        }
        if halted.as_ref().is_some_and(|(_, since)| since.elapsed() > PATIENCE) {
            break;
        }
        let halt = match news.recv_timeout(BEAT) {
            Ok(WorkerEvent::Event(event)) => {
                on_event(&event);
                None
            }
            Ok(WorkerEvent::Judged { component, judged }) => match &judged.fault {
                _ if matches!(halted, Some((JudgingHalt::Write(_), _))) => None,
                Some(JudgeFault::Stopped) => None,
                Some(fault) if fault.ends_all() => Some(JudgingHalt::Fault(fault.clone())),
                _ => enter(component, &judged).map(|event| on_event(&event)).err(),
            },
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Some(halt) = halt {
            context.halt.set();
            halted.get_or_insert((halt, Instant::now()));
        }
    }
    halted.map_or(Ok(()), |(halt, _)| Err(halt))
}

/// Returns the answer that a verdict gives.
pub(crate) fn answer_of(verdict: &CheckedVerdict) -> JudgeAnswer {
    match (verdict.level, verdict.label.clone()) {
        (Some(level), name) => JudgeAnswer::Level { level, name },
        (None, label) if label == CANNOT_TELL => JudgeAnswer::CannotTell,
        (None, label) => JudgeAnswer::Scores(label),
    }
}

pub(crate) fn timestamp_now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn bytes_of(document: &JudgementDocument) -> Result<Vec<u8>, WriteError> {
    document.to_bytes().map_err(|why| without_path(&why))
}

/// Returns the error of a document that cannot be written as JSON; there is none as far as we know.
pub(crate) fn without_path(why: &serde_json::Error) -> WriteError {
    WriteError::new("the judgement".as_ref(), why.to_string())
}
