//! `trajview judge`: asks a judge about the components of a run, places in its code, decisions or parts of its process, and
//! keeps what it says beside the run.

mod panel;
mod report;
mod shard;
pub mod signals;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use trajview_formats as formats;
use trajview_formats::Source;
use trajview_judge::{
    cost::CostBudget,
    criteria::{self, Criteria},
    document::Document,
    each::{self, EachError, News, States, judge_each},
    fault::Fault,
    job::{About, JobError, JudgingRequest},
    own::{self, OwnError},
    prompt::{self, Prompt},
    run::{Ended, Halt, Job, Start},
    scale::Scale,
    settings::Settings,
};
use trajview_run::{
    Run,
    named::{self, Miss},
    rubric::{Codebook, Unit},
};
use trajview_store as store;
use trajview_store::{Opened, judgements::Judgements};

use super::{
    Exit, Failure, Outcome, RunArg, at, config, decisions,
    output::{Out, tell},
    sharding::Sharding,
};

/// Ask a judge how faithfully each component is implemented, to flag places, or whether decisions were kept
///
/// The judge is one of those in the settings file ([judges.NAME]): a server or a command. For each component it may
/// look at the files of one turn a few times and then gives a level from 0 to 4 with its lines. With --rubric flags it is
/// asked about groups of criteria and names places that meet one; flags of an earlier state whose lines did not change are
/// carried on. With --rubric decisions it says of each decision that applied to a step, and that nothing has taken the place
/// of, whether the code keeps it: kept, broken, or that it cannot tell. With --rubric process it scores from 0 to 3 the parts
/// of the process pillars that no recording gives: DQ, the plan; CH, the commits; RT, the requirements with a test; what the
/// run does not have is not asked. Each one is saved as soon as it is done, into a new file below RUN/judgements. Ends with
/// 1 where one got no verdict.
///
/// With --shard RUN is a folder: one judge is asked about each run bundle of the shard, out of one budget. What was judged already by
/// the same judge, with the same words, of the same state, is not asked again, and what was stopped goes on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// A judge of the settings file; the beginning of its name is enough where only one begins so. Several (--judge A --judge B)
    /// are asked at once
    #[arg(long, value_name = "NAME", required = true)]
    judge: Vec<String>,
    /// What several judges may cost together, in US dollars; each of them keeps its own bound too
    #[arg(long, value_name = "USD", value_parser = dollars)]
    max_cost: Option<f64>,
    /// A level for each component, flags for each group of criteria, whether each decision is kept, or a level for each part
    /// of the process
    #[arg(long, value_name = "slump-5|flags|decisions|process", default_value = "slump-5", value_parser = rubric)]
    rubric: Scale,
    /// The decisions, in the place of the run's own decisions.json: a JSON file in Continuity's shape
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// `all`, or ids of components.json; with --rubric flags groups of criteria, with decisions their ids, with process DQ,
    /// CH and RT
    #[arg(long, value_name = "all|ID,...", default_value = "all", value_delimiter = ',')]
    components: Vec<String>,
    /// Looks a judge may take for one component or group; else as the settings say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    budget: Option<u32>,
    /// How often everything is judged; one file each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    #[arg(long, default_value = "final", help = at::HELP)]
    at: String,
    /// Judge the end of every checkpoint, in order; one that has nothing to judge, such as no decision that applied yet, is
    /// left out and named
    #[arg(long, value_name = "checkpoint", value_parser = ["checkpoint"], conflicts_with = "at")]
    each: Option<String>,
    /// The words a judge is told, in the place of the built-in ones
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    /// What components are scored by: a study file (study.toml) or a components.json with a codebook. If left out, the run's
    /// components.json; where neither has one, from 0 to 4. A codebook with a scale of its own (1..5, 0..1, `[0,1]`) or with several
    /// criteria is what the judge is given then, and what it is held to
    #[arg(long, value_name = "FILE")]
    codebook: Option<PathBuf>,
    /// What places are flagged by, in the place of the built-in criteria (schema trajview.criteria/1)
    #[arg(long, value_name = "FILE")]
    criteria: Option<PathBuf>,
    /// Print what would be sent and what it could cost at most; ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Reach a judge on another machine over http, where what is sent can be read on the way
    #[arg(long)]
    allow_http: bool,
    /// Go on with the last judging of the same thing, where it stopped
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
    #[command(flatten)]
    sharding: Sharding,
    /// The settings file, in the place of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.judge/1, with --each trajview.judge-each/1; of several judges trajview.judge-panel/1)
    #[arg(long)]
    json: bool,
}

/// A rubric by its word.
fn rubric(word: &str) -> Result<Scale, String> {
    let known = || Scale::NAMED.map(Scale::word).join(", ");
    Scale::by_word(word)
        .filter(|scale| Scale::NAMED.contains(scale))
        .ok_or_else(|| format!("expected one of {}", known()))
}

fn dollars(word: &str) -> Result<f64, String> {
    let amount = word.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0);
    amount.ok_or_else(|| "expected an amount such as 2.50".into())
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if args.criteria.is_some() && args.rubric != Scale::Flags {
        return Err(Failure::wrong(
            "--criteria is for --rubric flags; components are judged by their checklist",
        ));
    }
    if args.codebook.is_some() && args.rubric != Scale::Levels {
        return Err(Failure::wrong("--codebook is for components; leave out --rubric"));
    }
    if args.store.is_some() && args.rubric != Scale::Decisions {
        return Err(Failure::wrong("--store is for --rubric decisions"));
    }
    let judges = judges(args)?;
    if args.sharding.is_asked() {
        return shard::run(args, &judges, out);
    }
    let (calls, moments) = calls(args, &args.run.path, judges)?;
    let audited = match calls.as_slice() {
        [only] if args.max_cost.is_none() => only,
        several => return panel::run(args, several, &moments, out),
    };
    if args.dry_run {
        let (jobs, left_out) = each::jobs(&moments, |turn| audited.job(turn))?;
        report::plan((&jobs, &left_out), args.json, out)?;
        return Ok(Exit::Fine);
    }
    let begin = if args.resume { Begin::As(Start::Resume) } else { Begin::As(Start::Anew) };
    let budget = Arc::new(CostBudget::new(audited.wish.settings.cost));
    judge(args, audited, (&moments, begin, &budget), out)
}

/// A call for each judge, and the moments that they judge.
fn calls(
    args: &Args,
    path: &Path,
    judges: Vec<Settings>,
) -> Result<(Vec<JudgingCall>, Vec<usize>), Failure> {
    let bundle = bundle(path)?;
    let opened = Arc::new(store::open(&bundle)?);
    let moments = moments(args, &opened.run)?;
    let mut calls = vec![];
    for settings in judges {
        let wish = wish(args, settings, &opened)?;
        calls.push(JudgingCall { wish, opened: opened.clone(), bundle: bundle.clone() });
    }
    Ok((calls, moments))
}

/// How a judging begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    As(Start),
    /// It goes on where there is something to go on with, which may be finished already, and else begins anew.
    Either,
}

/// What all states of one call have in common.
struct JudgingCall {
    opened: Arc<Opened>,
    wish: JudgingRequest,
    bundle: PathBuf,
}

impl JudgingCall {
    /// For the state after so many turns. What is carried on is read now: what was judged before is there by then.
    fn job(&self, turn: usize) -> Result<Job, JobError> {
        Job::prepare(JudgingRequest { turn, ..self.wish.clone() }, &self.bundle, &self.opened)
    }
}

/// Turns done, each once, in order.
fn moments(args: &Args, run: &Run) -> Result<Vec<usize>, Failure> {
    if args.each.is_none() {
        return Ok(vec![at::turns_done(run, &args.at)?]);
    }
    let ends: BTreeSet<usize> = run.checkpoints.iter().map(|it| it.last_turn + 1).collect();
    match ends.is_empty() {
        true => Err(Failure::wrong(format!("{} has no checkpoints; --at names a turn", run.id))),
        false => Ok(ends.into_iter().collect()),
    }
}

fn judge(
    args: &Args,
    audited: &JudgingCall,
    (moments, begin, budget): (&[usize], Begin, &Arc<CostBudget>),
    out: &mut Out,
) -> Outcome {
    let (stop, signal) = signals::listen();
    let judgements = Judgements::of(&audited.bundle);
    let mut tell = |news: News<'_>| match news {
        News::Begins(job) => report::beginning(job),
        News::Event(job, event) => report::event(job.scale(), event),
        News::LeftOut(left_out) => report::left_out(left_out),
    };
    let mut states = States::default();
    let mut go = |start, states: &mut States| {
        let job = |turn| audited.job(turn)?.with_key();
        judge_each(moments, job, (budget, start), (&judgements, &stop), &mut tell, states)
    };
    match begin {
        Begin::As(start) => go(start, &mut states)?,
        Begin::Either => {
            go(Start::Resume, &mut states)?;
            if states.has_nothing_to_resume() {
                states = States::default();
                go(Start::Anew, &mut states)?;
            }
        }
    }
    match args.each {
        Some(_) => report::each_ended(&states, args.json, out)?,
        None => {
            states.judged.iter().try_for_each(|(job, it)| report::ended(job, it, args.json, out))?
        }
    }
    let mut exit = Exit::Fine;
    for (job, ended) in &states.judged {
        if end(job, ended, signal.last())? != Exit::Fine {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// How it ended, as an exit code and a sentence.
fn end(job: &Job, ended: &Ended, signal: Option<u8>) -> Outcome {
    let kept = match ended.files.last() {
        Some((_, document)) if document.entries().is_empty() => "nothing was judged yet".to_owned(),
        Some((path, document)) => {
            let judged = at::counted(document.entries().len(), job.scale().noun());
            format!("{judged} stay in {}; --resume goes on", path.display())
        }
        None => "nothing was judged yet".to_owned(),
    };
    let judge = &job.settings.name;
    match &ended.halted {
        Some(Halt::Stopped) => Err(Failure::stopped(signal, format!("stopped; {kept}"))),
        Some(Halt::Fault(fault @ Fault::Dear(_))) => {
            Err(Failure::new(Exit::Failed, format!("judge {judge} stops at {fault}; {kept}")))
        }
        Some(Halt::Fault(fault)) => Err(Failure::unread(format!("judge {judge}: {fault}; {kept}"))),
        Some(Halt::Write(why)) => Err(Failure::unread(format!("{why}; {kept}"))),
        Some(Halt::NothingToResume) => Err(Failure::wrong(format!(
            "no judging of {} after turn {} by {judge}, with this prompt, budget and these {}s, to go on \
             with; leave out --resume to begin one",
            job.subject.run,
            job.subject.turn,
            job.scale().noun()
        ))),
        None => {
            let is_whole =
                |(_, it): &(PathBuf, Document)| it.is_finished() && it.unanswered().is_empty();
            Ok(if ended.files.iter().all(is_whole) { Exit::Fine } else { Exit::Failed })
        }
    }
}

/// Those that are named, each once, in their order.
fn judges(args: &Args) -> Result<Vec<Settings>, Failure> {
    let mut judges: Vec<Settings> = vec![];
    for name in &args.judge {
        let mut settings = settings(args, name)?;
        settings.allows_http |= args.allow_http;
        if let Some(why) = settings.refusal() {
            return Err(Failure::wrong(format!("judge {} {why}", settings.name)));
        }
        if !judges.iter().any(|it| it.name == settings.name) {
            judges.push(settings);
        }
    }
    Ok(judges)
}

fn settings(args: &Args, name: &str) -> Result<Settings, Failure> {
    let loaded = config::load(args.config.as_deref())?;
    for problem in loaded.problems.iter().filter(|problem| problem.contains("judges")) {
        tell(problem);
    }
    let known: Vec<&str> = loaded.judges.iter().map(|judge| judge.name.as_str()).collect();
    match named::by_name(name, &known) {
        Ok(at) => Ok(loaded.judges[at].clone()),
        Err(miss) => Err(Failure::wrong(no_judge(name, &known, &miss))),
    }
}

fn no_judge(word: &str, known: &[&str], miss: &Miss) -> String {
    if let Miss::Several(found) = miss {
        let are: Vec<&str> = found.iter().filter_map(|at| known.get(*at).copied()).collect();
        return format!(
            "{word:?} begins several judges: {}; write more of the name",
            are.join(", ")
        );
    }
    let known = match known {
        [] => "the settings name none".to_owned(),
        names => format!("known: {}", names.join(", ")),
    };
    format!(
        "no judge is called {word}; {known}; a table [judges.{word}] in the settings file makes one"
    )
}

fn bundle(path: &Path) -> Result<PathBuf, Failure> {
    // Before anybody is asked what could not be written down.
    store::remote::refuse_writing(path)
        .map_err(|why| Failure::wrong(format!("{}: {why}", path.display())))?;
    if let Some(folder) = store::rubric::bundle_of(path) {
        return Ok(folder);
    }
    store::open(path)?; // what cannot be read at all says so itself
    let shown = path.display();
    Err(Failure::wrong(format!(
        "{shown} is no run bundle, so there is no place for verdicts; `trajview import {shown} --out DIR` makes one"
    )))
}

/// Everything but the turn.
fn wish(args: &Args, settings: Settings, opened: &Opened) -> Result<JudgingRequest, Failure> {
    let wanted: Vec<String> = args.components.iter().map(|id| id.trim().to_owned()).collect();
    Ok(JudgingRequest {
        settings,
        prompt: prompt(args.rubric, args.prompt.as_deref())?,
        about: match args.rubric {
            Scale::Levels | Scale::Codebook => About::Components,
            Scale::Flags => About::Places(Arc::new(criteria(args.criteria.as_deref())?)),
            Scale::Decisions => {
                let store = decisions::store_of(args.store.as_deref(), &opened.archive)?;
                About::Decisions(Arc::new(store))
            }
            Scale::Process => About::Process,
        },
        codebook: args.codebook.as_deref().map(codebook).transpose()?.map(Arc::new),
        components: (wanted != ["all"]).then_some(wanted),
        turn: 0,
        budget: args.budget,
        repeats: usize::from(args.repeat),
    })
}

impl From<JobError> for Failure {
    fn from(why: JobError) -> Self {
        let exit = match why {
            JobError::TooEarly
            | JobError::UnknownComponent { .. }
            | JobError::UnknownGroup { .. }
            | JobError::UnknownDecision { .. }
            | JobError::NoDecisions(_)
            | JobError::NoPart { .. }
            | JobError::UnknownPart(_)
            | JobError::NoKey { .. } => Exit::WrongArguments,
            JobError::NoFiles(_) => Exit::CannotRead,
            JobError::NoChecklist(_) => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<EachError> for Failure {
    fn from(why: EachError) -> Self {
        match why {
            EachError::Job(why) => why.into(),
            why @ EachError::Judge { .. } => Failure::wrong(why.to_string()),
        }
    }
}

fn prompt(scale: Scale, path: Option<&Path>) -> Result<Prompt, Failure> {
    let Some(path) = path else { return Ok(Prompt::built_in_for(scale)) };
    let of = |bytes: &[u8], origin: &str| Prompt::for_rubric(scale, bytes, origin);
    Ok(own::read(path, prompt::MOST_BYTES, of)?)
}

/// What a study or a file of components says of the levels of components.
fn codebook(path: &Path) -> Result<Codebook, Failure> {
    let lacks = || {
        let shown = path.display();
        let how = "a table [codebook] of a study, or \"codebook\" in a components.json, has one";
        Failure::not_understood(format!("{shown}: has no codebook for components; {how}"))
    };
    if store::study::is_study(path) {
        let design = store::study::read(path)?;
        return design.codebook.filter(|_| design.unit == Unit::Component).ok_or_else(lacks);
    }
    let name = path.display().to_string();
    let read = |bytes: &[u8], _: &str| {
        Ok(formats::rubric::read(&[Source { name: "components.json", bytes }]))
    };
    let read = own::read(path, formats::rubric::MOST_BYTES as usize, read)?;
    let book = read.codebook.ok_or_else(lacks)?;
    Ok(Codebook { origin: name, ..*book })
}

fn criteria(path: Option<&Path>) -> Result<Criteria, Failure> {
    let Some(path) = path else { return Ok(Criteria::built_in()) };
    Ok(own::read(path, criteria::MOST_BYTES, Criteria::of)?)
}

impl From<OwnError> for Failure {
    fn from(why: OwnError) -> Self {
        let exit = match why {
            OwnError::Read { .. } => Exit::CannotRead,
            OwnError::Understand { .. } => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}
