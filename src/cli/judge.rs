//! `trajview judge`: asks a judge about the components of a run, places in its code, decisions or parts of its process,
//! and writes the answers beside the run.

mod crash_report;
mod crash_test;
mod drift;
mod frozen_set;
mod panel;
mod report;
mod shard;
pub mod signals;
mod variants;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::builder::{ArgPredicate, TypedValueParser};

use trajview_analysis as analysis;
use trajview_formats as formats;
use trajview_formats::SourceBytes;
use trajview_judge::{
    cost::CostBudget,
    criteria::{self, Criteria},
    document::JudgementDocument,
    fault::JudgeFault,
    job::{JobError, JobItems, JobRequest, QuestionVariant},
    judge_states::{self, EachError, JudgedStates, StateEvent, judge_each},
    judging::{JudgingFiles, JudgingHalt, JudgingJob},
    judging_batch,
    prompt::{self, JudgePrompt},
    settings::JudgeConfig,
    user_file::{self, UserFileError},
};
use trajview_run::{
    Run,
    find_by_name::{self, NameMiss},
    judging::{JudgingScale, JudgingStart},
    rubric::{Codebook, LabelUnit},
};
use trajview_store as store;
use trajview_store::{OpenedRecording, judgements::JudgementFolder};

use super::{
    CommandFailure, CommandResult, Exit, RunArg, config, decisions,
    output::{Out, print_note},
    run_args,
    sharding::ShardArgs,
};

/// Ask a judge to score components, to flag places, or to check decisions
///
/// The judge is one of those in the settings file ([judges.NAME]): a server or a command. For each component it may
/// make a few tool calls on the files of one turn, and then gives a level from 0 to 4 with its lines. With --rubric
/// flags it gets groups of criteria and flags places that meet one; flags of an earlier state whose lines did not
/// change are carried over. With --rubric decisions it scores each decision that applied to a step and was not
/// replaced: kept, broken, or cannot tell. With --rubric process it scores from 0 to 3 the parts of the process pillars
/// that cannot be computed: DQ, the plan; CH, the commits; RT, the requirements with a test; parts that the run does
/// not have are skipped. Each verdict is saved at once, in a new file in RUN/judgements. The exit code is 1 if a
/// verdict is missing.
///
/// With --crash-test the judge itself is tested, on a sample of components: see "Crash test" in the page on judging.
///
/// With --shard RUN is a folder: one judge judges each run bundle of the shard, with one budget. A state that the same
/// judge judged with the same prompt is skipped, and a stopped judgement continues.
#[derive(Debug, clap::Args)]
#[command(mut_arg("run", |run| {
    run.required(false).required_unless_present("against").default_value_if("against", ArgPredicate::IsPresent, ".")
}))]
pub struct JudgeArgs {
    #[command(flatten)]
    run: RunArg,
    /// A judge of the settings file; a unique beginning of its name is enough. Several (--judge A
    /// --judge B) run at the same time
    #[arg(long, value_name = "NAME", required = true)]
    judge: Vec<String>,
    /// Cost limit of several judges together, in US dollars; each judge also has its own limit
    #[arg(long, value_name = "USD", value_parser = parse_dollars)]
    max_cost: Option<f64>,
    /// What to judge: components, flags, decisions, or parts of the process
    #[arg(long, value_name = "slump-5|flags|decisions|process", default_value = "slump-5", value_parser = rubric_parser(), hide_possible_values = true)]
    rubric: JudgingScale,
    /// The decisions, instead of the run's own decisions.json: a JSON file in Continuity's form
    #[arg(long, alias = "store", value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// `all`, or ids of components.json; with --rubric flags groups of criteria, with decisions their ids, with process DQ,
    /// CH and RT
    #[arg(long, value_name = "all|ID,...", default_value = "all", value_delimiter = ',')]
    components: Vec<String>,
    /// Tool calls per component or group (max); default: from the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    budget: Option<u32>,
    /// Number of repeats; one file each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    #[arg(long, default_value = "final", help = run_args::MOMENT_HELP)]
    at: String,
    /// Judge the end of every checkpoint, in order; a checkpoint with nothing to judge, such as no decision yet, is
    /// skipped and listed
    #[arg(long, value_name = "checkpoint", value_parser = ["checkpoint"], conflicts_with = "at")]
    each: Option<String>,
    /// The prompt, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    /// The codebook for components: a study file (study.toml) or a components.json with a codebook. Default: the run's
    /// components.json, else the levels 0 to 4. If the codebook has its own scale (1..5, 0..1, `[0,1]`) or several
    /// criteria, the judge gets it and must follow it
    #[arg(long, value_name = "FILE")]
    codebook: Option<PathBuf>,
    /// The criteria of flags, instead of the built-in criteria (schema trajview.criteria/1)
    #[arg(long, value_name = "FILE")]
    criteria: Option<PathBuf>,
    /// Print what would be sent and the highest cost; send nothing
    #[arg(long)]
    dry_run: bool,
    /// Allow http to a judge on another machine; others on the network can read the data
    #[arg(long)]
    allow_http: bool,
    /// Resume the last judgement of the same items
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
    /// Test the judge with planted edits: judge a sample of components again on copies of the tree, some edited so that it must
    /// not matter, others so that it must. Print a card; no verdict of it is a score
    #[arg(long, conflicts_with_all = ["each", "codebook", "criteria", "decisions", "shard", "max_cost", "against", "reword"])]
    crash_test: bool,
    /// With --crash-test or --against: judge only so many of the components, drawn at random [default: 12 with --crash-test,
    /// else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sample: Option<u32>,
    /// With --crash-test or --against: the seed of what is drawn at random [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Start a crash test that costs money without a question
    #[arg(long, requires = "crash_test")]
    yes: bool,
    #[command(flatten)]
    variants: variants::VariantArgs,
    #[command(flatten)]
    drift: drift::DriftArgs,
    #[command(flatten)]
    sharding: ShardArgs,
    /// The settings file, instead of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.judge/1, with --each trajview.judge-each/1; of several judges trajview.judge-panel/1; of a
    /// crash test trajview.crash-card/1)
    #[arg(long)]
    json: bool,
}

impl JudgeArgs {
    /// Returns the seed of what is drawn at random.
    pub(crate) fn random_seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Returns whether a judging begins anew or continues.
    pub(crate) const fn judging_start(&self) -> JudgingStart {
        if self.resume { JudgingStart::Resume } else { JudgingStart::Anew }
    }
}

fn rubric_parser() -> impl TypedValueParser<Value = JudgingScale> {
    run_args::word_parser(JudgingScale::NAMED.map(JudgingScale::word), JudgingScale::by_word)
}

fn parse_dollars(word: &str) -> Result<f64, String> {
    let amount = word.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0);
    amount.ok_or_else(|| "expected an amount such as 2.50".into())
}

pub fn run(args: &JudgeArgs, out: &mut Out) -> CommandResult {
    if args.criteria.is_some() && args.rubric != JudgingScale::Flags {
        return Err(CommandFailure::wrong_arguments(
            "--criteria works only with --rubric flags; components use their checklist",
        ));
    }
    if args.codebook.is_some() && args.rubric != JudgingScale::Levels {
        return Err(CommandFailure::wrong_arguments(
            "--codebook works only with components; remove --rubric",
        ));
    }
    if args.decisions.is_some() && args.rubric != JudgingScale::Decisions {
        return Err(CommandFailure::wrong_arguments(
            "--decisions works only with --rubric decisions",
        ));
    }
    variants::check_variants(args)?;
    let judges = judges_by_name(args)?;
    let set = args.drift.set_path()?;
    if set.is_none() && !args.crash_test && (args.sample.is_some() || args.seed.is_some()) {
        return Err(CommandFailure::wrong_arguments(
            "--sample and --seed work only with --crash-test or --against",
        ));
    }
    if let Some(set) = set {
        return drift::run_drift(args, set, judges, out);
    }
    if args.crash_test {
        return crash_test::run_crash_test(args, judges, out);
    }
    if args.sharding.is_named() {
        return shard::run_shard(args, &judges, out);
    }
    let (calls, moments) = judging_calls(args, &args.run.path, judges)?;
    let audited = match calls.as_slice() {
        [only] if args.max_cost.is_none() => only,
        several => return panel::run_panel(args, several, &moments, out),
    };
    if args.dry_run {
        let (mut jobs, mut left_out) = (vec![], vec![]);
        for variant in &audited.variants {
            let job = |turn| audited.variant_job(*variant, turn);
            let (more, left) = judge_states::jobs_for_turns(&moments, job)?;
            jobs.extend(more);
            left_out = left;
        }
        report::print_plan((&jobs, &left_out), args.json, out)?;
        return Ok(Exit::Fine);
    }
    let begin = JudgingBegin::As(args.judging_start());
    let budget = Arc::new(CostBudget::new(audited.request.settings.cost));
    run_judging(args, audited, (&moments, begin, &budget), out)
}

/// Returns a call for each judge, and the moments that they judge.
fn judging_calls(
    args: &JudgeArgs,
    path: &Path,
    judges: Vec<JudgeConfig>,
) -> Result<(Vec<JudgingCall>, Vec<usize>), CommandFailure> {
    let bundle = bundle_folder(path)?;
    let opened = Arc::new(store::open(&bundle)?);
    let moments = judged_moments(args, &opened.run)?;
    let mut calls = vec![];
    for settings in judges {
        let request = judging_request(args, settings, &opened)?;
        let (variants, _) = args.variants.variants_and_repeats(args.repeat);
        let (opened, bundle) = (opened.clone(), bundle.clone());
        calls.push(JudgingCall { request, variants, opened, bundle });
    }
    Ok((calls, moments))
}

/// The start of a judging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JudgingBegin {
    As(JudgingStart),
    /// Resumes a judging if there is one, which may be finished already, otherwise begins anew.
    ResumeOrAnew,
}

/// The parts that all states of one call share.
struct JudgingCall {
    opened: Arc<OpenedRecording>,
    request: JobRequest,
    /// The variants of the question, asked one after the other; at least one.
    variants: Vec<QuestionVariant>,
    bundle: PathBuf,
}

impl JudgingCall {
    /// Makes the job for the state after `turn` turns. Earlier judgements to carry on are read now, when those of the
    /// states before are complete.
    fn job_at_turn(&self, turn: usize) -> Result<JudgingJob, JobError> {
        self.variant_job(self.request.variant, turn)
    }

    /// Makes the job as [`Self::job_at_turn`], with a variant of the question.
    fn variant_job(&self, variant: QuestionVariant, turn: usize) -> Result<JudgingJob, JobError> {
        let request = JobRequest { turn, variant, ..self.request.clone() };
        JudgingJob::prepare(request, &self.bundle, &self.opened)
    }
}

/// Returns the numbers of turns done that are judged, each once, in order.
fn judged_moments(args: &JudgeArgs, run: &Run) -> Result<Vec<usize>, CommandFailure> {
    if args.each.is_none() {
        return Ok(vec![run_args::turns_done(run, &args.at)?]);
    }
    let ends: BTreeSet<usize> = run.checkpoints.iter().map(|it| it.last_turn + 1).collect();
    match ends.is_empty() {
        true => Err(CommandFailure::wrong_arguments(format!(
            "{} has no checkpoints; choose a turn with --at",
            run.id
        ))),
        false => Ok(ends.into_iter().collect()),
    }
}

fn run_judging(
    args: &JudgeArgs,
    audited: &JudgingCall,
    (moments, begin, budget): (&[usize], JudgingBegin, &Arc<CostBudget>),
    out: &mut Out,
) -> CommandResult {
    let (stop, signal) = signals::listen_for_signals();
    let judgements = JudgementFolder::in_bundle(&audited.bundle);
    let mut tell = |news: StateEvent<'_>| match news {
        StateEvent::Begins(job) => report::print_start(job),
        StateEvent::Event(job, event) => report::print_event(job.scale(), event),
        StateEvent::LeftOut(left_out) => report::print_left_out(left_out),
    };
    let batch_id = rewording_batch(args, audited, moments)?;
    let mut states = JudgedStates::default();
    for variant in &audited.variants {
        let mut go = |start, states: &mut JudgedStates| {
            let job =
                |turn| audited.variant_job(*variant, turn)?.in_batch(batch_id.clone()).with_key();
            judge_each(moments, job, (budget, start), (&judgements, &stop), &mut tell, states)
        };
        let mut asked = JudgedStates::default();
        match begin {
            JudgingBegin::As(JudgingStart::Resume) if batch_id.is_none() => {
                go(JudgingStart::Resume, &mut asked)?;
            }
            JudgingBegin::As(JudgingStart::Anew) => go(JudgingStart::Anew, &mut asked)?,
            // Some variants of a batch may not have been asked before it was stopped.
            JudgingBegin::As(JudgingStart::Resume) | JudgingBegin::ResumeOrAnew => {
                go(JudgingStart::Resume, &mut asked)?;
                if asked.has_nothing_to_resume() {
                    asked = JudgedStates::default();
                    go(JudgingStart::Anew, &mut asked)?;
                }
            }
        }
        let is_over = asked.judged.iter().any(|(_, it)| it.halted.is_some());
        states.judged.extend(asked.judged);
        states.left_out.extend(asked.left_out);
        if is_over {
            break;
        }
    }
    match args.each.is_some() || audited.variants.len() > 1 {
        true => report::print_each_result(&states, args.json, out)?,
        false => states
            .judged
            .iter()
            .try_for_each(|(job, it)| report::print_result(job, it, args.json, out))?,
    }
    let mut exit = Exit::Fine;
    for (job, ended) in &states.judged {
        if judging_outcome(job, ended, signal.last())? != Exit::Fine {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// Returns the id that all rewordings of one command share; None where nothing is reworded.
fn rewording_batch(
    args: &JudgeArgs,
    audited: &JudgingCall,
    moments: &[usize],
) -> Result<Option<String>, CommandFailure> {
    if audited.variants.iter().all(|variant| variant.rewording.is_none()) {
        return Ok(None);
    }
    let mut jobs = vec![];
    for variant in &audited.variants {
        let job = |turn| audited.variant_job(*variant, turn);
        jobs.extend(judge_states::jobs_for_turns(moments, job)?.0);
    }
    let folder = || JudgementFolder::in_bundle(&audited.bundle);
    let jobs: Vec<(&JudgingJob, JudgementFolder)> =
        jobs.iter().map(|job| (job, folder())).collect();
    batch_id_for(args, &jobs, "set of rewordings").map(Some)
}

/// Returns the id of the batch that `--resume` continues, else a new id. Fails if the newest batch is finished, or if there is
/// none: answers of before must not count as new ones.
fn batch_id_for(
    args: &JudgeArgs,
    jobs: &[(&JudgingJob, JudgementFolder)],
    noun: &str,
) -> Result<String, CommandFailure> {
    if !args.resume {
        return Ok(judging_batch::new_batch_id(jobs));
    }
    judging_batch::unfinished_batch(jobs).ok_or_else(|| {
        CommandFailure::wrong_arguments(format!(
            "no unfinished {noun} to resume: the last one of these components, with this judge and prompt, is finished, or there \
             is none; start one without --resume"
        ))
    })
}

/// Converts the result to an exit code and a sentence.
fn judging_outcome(job: &JudgingJob, ended: &JudgingFiles, signal: Option<u8>) -> CommandResult {
    let kept_text = match ended.files.last() {
        Some((_, document)) if document.entries().is_empty() => "no verdicts yet".to_owned(),
        Some((path, document)) => {
            let judged = run_args::count_with_noun(document.entries().len(), job.scale().noun());
            format!("{judged} saved in {}; --resume continues", path.display())
        }
        None => "no verdicts yet".to_owned(),
    };
    let judge = &job.settings.name;
    match &ended.halted {
        Some(JudgingHalt::Stopped) => {
            Err(CommandFailure::stopped_by(signal, format!("stopped; {kept_text}")))
        }
        Some(JudgingHalt::Fault(fault @ JudgeFault::TooExpensive(_))) => Err(CommandFailure::new(
            Exit::Failed,
            format!("judge {judge} stops at {fault}; {kept_text}"),
        )),
        Some(JudgingHalt::Fault(fault)) => {
            Err(CommandFailure::cannot_read(format!("judge {judge}: {fault}; {kept_text}")))
        }
        Some(JudgingHalt::Write(why)) => {
            Err(CommandFailure::cannot_read(format!("{why}; {kept_text}")))
        }
        Some(JudgingHalt::NothingToResume) => Err(CommandFailure::wrong_arguments(format!(
            "no judgement of {} after turn {} by {judge} with this prompt, budget and these {}s to resume; start one without --resume",
            job.subject.run,
            job.subject.turn,
            job.scale().noun()
        ))),
        None => {
            let is_whole = |(_, it): &(PathBuf, JudgementDocument)| {
                it.is_finished() && it.unanswered_ids().is_empty()
            };
            Ok(if ended.files.iter().all(is_whole) { Exit::Fine } else { Exit::Failed })
        }
    }
}

/// Returns the named judges, each once, in their order.
fn judges_by_name(args: &JudgeArgs) -> Result<Vec<JudgeConfig>, CommandFailure> {
    let mut judges: Vec<JudgeConfig> = vec![];
    for name in &args.judge {
        let mut settings = judge_settings(args, name)?;
        settings.allows_http |= args.allow_http;
        if let Some(why) = settings.encryption_problem() {
            return Err(CommandFailure::wrong_arguments(format!("judge {} {why}", settings.name)));
        }
        if !judges.iter().any(|it| it.name == settings.name) {
            judges.push(settings);
        }
    }
    Ok(judges)
}

fn judge_settings(args: &JudgeArgs, name: &str) -> Result<JudgeConfig, CommandFailure> {
    let loaded = config::load_settings(args.config.as_deref())?;
    for problem in loaded.problems.iter().filter(|problem| problem.contains("judges")) {
        print_note(problem);
    }
    let names: Vec<&str> = loaded.judges.iter().map(|judge| judge.name.as_str()).collect();
    match find_by_name::position_by_name(name, &names) {
        Ok(at) => Ok(loaded.judges[at].clone()),
        Err(miss) => Err(CommandFailure::wrong_arguments(no_judge_text(name, &names, &miss))),
    }
}

fn no_judge_text(word: &str, names: &[&str], miss: &NameMiss) -> String {
    if let NameMiss::Several(found) = miss {
        let are: Vec<&str> = found.iter().filter_map(|at| names.get(*at).copied()).collect();
        return format!(
            "{word:?} matches several judges: {}; type more of the name",
            are.join(", ")
        );
    }
    let names_text = match names {
        [] => "the settings have none".to_owned(),
        names => format!("known: {}", names.join(", ")),
    };
    format!("unknown judge {word}; {names_text}; add a table [judges.{word}] to the settings file")
}

fn bundle_folder(path: &Path) -> Result<PathBuf, CommandFailure> {
    // This fails before a judge is asked whose answers could not be written.
    store::remote::refuse_writing(path)
        .map_err(|why| CommandFailure::wrong_arguments(format!("{}: {why}", path.display())))?;
    if let Some(folder) = store::rubric::bundle_of(path) {
        return Ok(folder);
    }
    let opened = store::open(path)?; // what cannot be read at all says so itself
    let shown = path.display();
    Err(CommandFailure::wrong_arguments(match opened.run.is_rubric_tree_alone() {
        true => format!(
            "{shown} is a graded rubric tree without files to judge; `trajview {shown} --view audit` labels its leaves"
        ),
        false => format!(
            "{shown} is not a run bundle, so verdicts cannot be saved; make one: `trajview import {shown} --out DIR`"
        ),
    }))
}

/// Returns everything but the turn.
fn judging_request(
    args: &JudgeArgs,
    settings: JudgeConfig,
    opened: &OpenedRecording,
) -> Result<JobRequest, CommandFailure> {
    let wanted: Vec<String> = args.components.iter().map(|id| id.trim().to_owned()).collect();
    let (variants, repeats) = args.variants.variants_and_repeats(args.repeat);
    Ok(JobRequest {
        settings,
        prompt: read_prompt(args.rubric, args.prompt.as_deref())?,
        about: match args.rubric {
            JudgingScale::Levels | JudgingScale::Codebook => JobItems::Components,
            JudgingScale::Flags => {
                JobItems::Places(Arc::new(read_criteria(args.criteria.as_deref())?))
            }
            JudgingScale::Decisions => {
                let store = decisions::open_store(args.decisions.as_deref(), &opened.archive)?;
                JobItems::Decisions(Arc::new(store))
            }
            JudgingScale::Process => JobItems::Process,
        },
        codebook: args.codebook.as_deref().map(read_codebook).transpose()?.map(Arc::new),
        components: (wanted != ["all"]).then_some(wanted),
        turn: 0,
        budget: args.budget,
        repeats,
        variant: variants.first().copied().unwrap_or_default(),
    })
}

impl From<JobError> for CommandFailure {
    fn from(why: JobError) -> Self {
        let exit = match why {
            JobError::TooEarly
            | JobError::UnknownComponent { .. }
            | JobError::UnknownGroup { .. }
            | JobError::UnknownDecision { .. }
            | JobError::NoDecisions(_)
            | JobError::NoPart { .. }
            | JobError::UnknownPart(_)
            | JobError::NoRewording
            | JobError::NoKey { .. } => Exit::WrongArguments,
            JobError::NoFiles(_) => Exit::CannotRead,
            JobError::NoChecklist(_) => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<EachError> for CommandFailure {
    fn from(why: EachError) -> Self {
        match why {
            EachError::Job(why) => why.into(),
            why @ EachError::Judge { .. } => CommandFailure::wrong_arguments(why.to_string()),
        }
    }
}

fn read_prompt(scale: JudgingScale, path: Option<&Path>) -> Result<JudgePrompt, CommandFailure> {
    let Some(path) = path else { return Ok(JudgePrompt::built_in_for(scale)) };
    let read_prompt_text =
        |bytes: &[u8], origin: &str| JudgePrompt::for_rubric(scale, bytes, origin);
    Ok(user_file::read_user_file(path, prompt::MOST_BYTES, read_prompt_text)?)
}

/// Reads the codebook for components from a study or a file of components.
fn read_codebook(path: &Path) -> Result<Codebook, CommandFailure> {
    let lacks = || {
        let shown = path.display();
        let how = "add [codebook] to a study, or \"codebook\" to a components.json";
        CommandFailure::cannot_understand(format!("{shown}: no codebook for components; {how}"))
    };
    if analysis::study::is_study(path) {
        let design = analysis::study::read_design(path)?;
        return design.codebook.filter(|_| design.unit == LabelUnit::Component).ok_or_else(lacks);
    }
    let name = path.display().to_string();
    let read = |bytes: &[u8], _: &str| {
        Ok(formats::rubric::read_rubric(&[SourceBytes { name: "components.json", bytes }]))
    };
    let read = user_file::read_user_file(path, formats::rubric::MAX_BYTES as usize, read)?;
    let book = read.codebook.ok_or_else(lacks)?;
    Ok(Codebook { origin: name, ..*book })
}

fn read_criteria(path: Option<&Path>) -> Result<Criteria, CommandFailure> {
    let Some(path) = path else { return Ok(Criteria::built_in()) };
    Ok(user_file::read_user_file(path, criteria::MOST_BYTES, Criteria::parse)?)
}

impl From<UserFileError> for CommandFailure {
    fn from(why: UserFileError) -> Self {
        let exit = match why {
            UserFileError::Read { .. } => Exit::CannotRead,
            UserFileError::Understand { .. } => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}
