//! Judging many components, or groups of criteria: several at a time, each saved as soon as it is done.
//!
//! After every one the whole file is written anew beside the old one and takes its name in one step, so that
//! whatever happens loses at most the components under way. Who is told to stop keeps what is done.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicUsize},
    time::{Duration, Instant},
};

use crossbeam_channel::RecvTimeoutError;

use trajview_metrics::{
    quality::{Profile, Ruler, measure},
    rules::Rules,
};
use trajview_run::flags::Counts;
use trajview_store::{
    judgements::{JudgementFile, Judgements},
    sha256,
    write::WriteError,
};

use super::{
    carry::Carried,
    client::Client,
    component::{Judged, Look},
    cost::CostBudget,
    criteria::Criteria,
    document::{Document, Judge, Repeat, Subject, scored_by},
    fault::Fault,
    item::Item,
    prompt::Prompt,
    scale::Scale,
    secret::Secret,
    settings::Settings,
    snapshot::{Found, Snapshot},
    stop::Stop,
    worker::{self, WorkerContext, WorkerEvent},
};

/// What is to be judged, by whom, by what.
#[derive(Debug, Clone)]
pub struct Job {
    pub settings: Arc<Settings>,
    pub key: Secret,
    pub prompt: Arc<Prompt>,
    pub snapshot: Snapshot,
    pub subject: Subject,
    /// What is asked about: those of [`Subject::components`], in the same order.
    pub items: Vec<Item>,
    /// Where flags are asked for.
    pub criteria: Option<Arc<Criteria>>,
    /// Flags of an earlier state whose lines are the same.
    pub carried: Carried,
    /// Looks for one conversation.
    pub budget: u32,
    /// Files to make of the same thing; at least 1.
    pub repeats: usize,
}

/// Whether to begin anew or to go on with what was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Anew,
    Resume,
}

/// What happens, for whoever watches. No word of it holds the key.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A file is open; so many of its components are judged already.
    Opened {
        path: PathBuf,
        repeat: Repeat,
        done: usize,
        total: usize,
    },
    Began {
        component: String,
    },
    Looked {
        component: String,
        look: Look,
    },
    /// The judge said something: so many tokens this request took (None where the server does not tell), and so many US
    /// dollars all of them so far (None without prices).
    Replied {
        component: String,
        words: String,
        tokens: Option<u64>,
        spent: Option<f64>,
    },
    /// Something went wrong that may pass.
    Waits {
        component: String,
        why: String,
        pause: Duration,
    },
    /// A component or group is done and saved; without a label and without flags, `error` says why.
    Ended {
        component: String,
        score: Option<u8>,
        /// The name of the score, or that the judge cannot tell; by a codebook what it gave; None without a verdict.
        label: Option<String>,
        /// Of the group, as they are in the file now, those that were carried on among them; None without an answer.
        flags: Option<Counts>,
        error: Option<String>,
        done: usize,
        total: usize,
    },
}

/// How a judging ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// The files there are now, in order.
    pub files: Vec<(PathBuf, Document)>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
    /// Why not everything was asked; what was judged before is saved.
    pub halted: Option<Halt>,
}

#[derive(Debug)]
pub enum Halt {
    /// We were told to.
    Stopped,
    /// Asking on would not have helped; [`Fault::ends_all`].
    Fault(Fault),
    Write(WriteError),
    /// Nothing that could be gone on with.
    NothingToResume,
}

/// How long we wait for the workers once they are to stop; those that wait for a server are left to themselves.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often we look whether we are to stop.
const BEAT: Duration = Duration::from_millis(50);

/// Judges, with money that several jobs share. The error is a sentence about the judge, without its name; nothing was
/// written then.
pub fn judge(
    cost_budget: &Arc<CostBudget>,
    job: &Job,
    judgements: &Judgements,
    start: Start,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event),
) -> Result<Ended, String> {
    let client = Arc::new(Client::new(&job.settings, &job.key)?);
    let judge = job.judge();
    let mut ended = Ended::default();
    match series(job, &judge, judgements, start) {
        None => ended.halted = Some(Halt::NothingToResume),
        Some(series) => {
            let watched =
                JudgingSession { job, judge: &judge, judgements, client, cost_budget, stop };
            watched.hold(series, &mut ended, tell);
        }
    }
    ended.spent = cost_budget.spent();
    Ok(ended)
}

impl Job {
    pub const fn scale(&self) -> Scale {
        self.subject.scale
    }

    /// Who judges, as the files say it.
    pub fn judge(&self) -> Judge {
        let words: Vec<String> = self.items.iter().filter_map(Item::words_sha256).collect();
        let of_words = (!words.is_empty()).then(|| sha256(words.concat().as_bytes()));
        let criteria = self.criteria.as_ref().map(|criteria| criteria.sha256.clone());
        let criteria_sha256 = criteria.or(of_words);
        let book = self.items.first().and_then(Item::codebook);
        Judge {
            criteria_sha256,
            criteria: book.map(|book| scored_by(book)).unwrap_or_default(),
            overall: book.and_then(|book| book.overall).map(|rule| rule.word().to_owned()),
            ..Judge::of(&self.settings, &self.prompt, self.budget)
        }
    }
}

/// Of all files that count, by the profile `trajview`.
fn lines_of_code(snapshot: &Snapshot) -> u64 {
    let ruler = Ruler::new(Profile::Trajview, Rules::none());
    let paths = snapshot.tree().files.keys().filter(|path| ruler.profile().takes(path.as_str()));
    let lines = |text: String, path: &str| u64::from(measure(path, text.as_bytes(), &ruler).loc);
    let of_file = |path| match snapshot.text(path) {
        Found::Text(text) => lines(text, path.as_str()),
        Found::Not(_) => 0,
    };
    paths.map(of_file).sum()
}

/// Files that are repeats of each other.
struct Series {
    /// What their names begin with, up to the number.
    stem: String,
    /// By number from 1: name and content of those that are there.
    files: Vec<Option<(String, Document)>>,
}

/// None where there is nothing to go on with.
fn series(job: &Job, judge: &Judge, judgements: &Judgements, start: Start) -> Option<Series> {
    if start == Start::Anew {
        let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let stem = match job.scale() {
            Scale::Levels | Scale::Codebook => format!("{}-{stamp}", judge.name),
            scale => format!("{}-{}-{stamp}", judge.name, scale.word()),
        };
        return Some(Series { stem, files: vec![None; job.repeats] });
    }
    let ours: Vec<(String, Document)> = judgements
        .all()
        .into_iter()
        .filter_map(|(name, bytes)| Some((name, Document::read(&bytes)?)))
        .filter(|(_, document)| document.is_of(judge, &job.subject))
        .collect();
    let stem_of = |name: &str| Some(name.strip_suffix(".json")?.rsplit_once('-')?.0.to_owned());
    let (_, last) = ours.iter().map(|(name, it)| (&it.created_at, name)).max()?;
    let stem = stem_of(last)?;
    let mut files = vec![None; job.repeats];
    for (name, document) in ours.into_iter().filter(|(name, _)| stem_of(name) == Some(stem.clone()))
    {
        let number = document.repeat.number;
        // A hundred thousand repeats are nobody's wish but a broken file's.
        if (1..100_000).contains(&number) {
            files.resize(files.len().max(number), None);
            files[number - 1] = Some((name, document));
        }
    }
    Some(Series { stem, files })
}

struct JudgingSession<'a> {
    job: &'a Job,
    judge: &'a Judge,
    judgements: &'a Judgements,
    client: Arc<Client>,
    cost_budget: &'a Arc<CostBudget>,
    stop: &'a Stop,
}

impl JudgingSession<'_> {
    fn hold(&self, series: Series, ended: &mut Ended, tell: &mut dyn FnMut(&Event)) {
        let of = series.files.len();
        for (number, known) in (1..).zip(series.files) {
            let opened = match known {
                Some((name, document)) => (self.judgements.reopen(&name), document),
                None => match self.create(&series.stem, Repeat { number, of }) {
                    Ok(made) => made,
                    Err(why) => {
                        ended.halted = Some(Halt::Write(why));
                        return;
                    }
                },
            };
            let (file, mut document) = opened;
            ended.halted = self.fill(&file, &mut document, tell).err();
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

    fn create(&self, stem: &str, repeat: Repeat) -> Result<(JudgementFile, Document), WriteError> {
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        let mut document = Document::new(self.judge, &self.job.subject, repeat, &now);
        if self.job.scale() == Scale::Flags {
            let carried = self.job.carried.for_repeat(repeat.number);
            document = document.carrying(&carried, lines_of_code(&self.job.snapshot));
        }
        let name = format!("{stem}-{}", repeat.number);
        let file = self.judgements.create(&name, &bytes_of(&document)?)?;
        Ok((file, document))
    }

    /// Asks for everything a file lacks.
    fn fill(
        &self,
        file: &JudgementFile,
        document: &mut Document,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(), Halt> {
        let missing = document.missing();
        if missing.is_empty() {
            return Ok(());
        }
        let total = document.components.len();
        let mut done = total - missing.len();
        let path = file.path().to_owned();
        tell(&Event::Opened { path, repeat: document.repeat, done, total });
        let context = self.context(&missing);
        let heard =
            self.listen(&context, &mut |event| tell(event), &mut |component, judged, tell| {
                let before = document.clone();
                document.enter(&component, &judged).map_err(|why| Halt::Write(unsaid(&why)))?;
                if document.missing().is_empty() {
                    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
                    document.finished_at = Some(now.to_string());
                }
                let saved = bytes_of(document).and_then(|bytes| file.save(&bytes));
                if let Err(why) = saved {
                    *document = before; // which is what the file says
                    return Err(Halt::Write(why));
                }
                let score = judged.verdict().and_then(|verdict| verdict.level);
                let label = judged.verdict().map(|verdict| verdict.label.clone());
                let flags = judged.flagged().map(|_| document.counts_of(&component));
                let fault = judged.fault.as_ref().map(ToString::to_string);
                done += 1;
                let error = judged.error.or(fault);
                tell(&Event::Ended { component, score, label, flags, error, done, total });
                Ok(())
            });
        context.halt.set();
        heard
    }

    fn context(&self, missing: &[String]) -> Arc<WorkerContext> {
        let is_missing = |item: &&Item| missing.iter().any(|id| id == item.id());
        Arc::new(WorkerContext {
            settings: Arc::clone(&self.job.settings),
            client: Arc::clone(&self.client),
            cost_budget: Arc::clone(self.cost_budget),
            key: self.job.key.clone(),
            prompt: Arc::clone(&self.job.prompt),
            snapshot: self.job.snapshot.clone(),
            budget: self.job.budget,
            items: self.job.items.iter().filter(is_missing).cloned().collect(),
            next: AtomicUsize::new(0),
            halt: Stop::default(),
        })
    }

    /// Until all workers are done, or are to stop and have had their time.
    fn listen(
        &self,
        context: &Arc<WorkerContext>,
        tell: &mut dyn FnMut(&Event),
        heard: &mut OnJudged<'_>,
    ) -> Result<(), Halt> {
        let news = worker::start(context);
        let mut halted: Option<(Halt, Instant)> = None;
        loop {
            if self.stop.is_set() && halted.is_none() {
                halted = Some((Halt::Stopped, Instant::now()));
                context.halt.set();
            }
            if halted.as_ref().is_some_and(|(_, since)| since.elapsed() > PATIENCE) {
                break;
            }
            let halt = match news.recv_timeout(BEAT) {
                Ok(WorkerEvent::Told(event)) => {
                    tell(&event);
                    None
                }
                Ok(WorkerEvent::Judged { component, judged }) => match judged.fault {
                    _ if matches!(halted, Some((Halt::Write(_), _))) => None,
                    Some(Fault::Stopped) => None,
                    Some(fault) if fault.ends_all() => Some(Halt::Fault(fault)),
                    _ => heard(component, judged, tell).err(),
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
}

type OnJudged<'a> = dyn FnMut(String, Judged, &mut dyn FnMut(&Event)) -> Result<(), Halt> + 'a;

fn bytes_of(document: &Document) -> Result<Vec<u8>, WriteError> {
    document.bytes().map_err(|why| unsaid(&why))
}

/// A document that cannot be written as JSON; there is none as far as we know.
fn unsaid(why: &serde_json::Error) -> WriteError {
    WriteError::new("the judgement".as_ref(), why.to_string())
}
