//! Plans a job before it starts, and starts it. A plan changes nothing.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use trajview_judge::stop_flag::StopFlag;
use trajview_live::{
    check_history::{self, CheckReport},
    checkpoint_tests,
    recheck::{self, RecheckOptions},
};
use trajview_metrics::{process::checked_states::CheckKind, quality::Ruler, rules::RuleSet};
use trajview_run::Run;
use trajview_store as store;
use trajview_tui::{
    session::{
        self,
        jobs::{CheckMoments, FormRequest, JobPlan, JobRefusal},
        question::Question,
    },
    shell::jobs::scoring_form,
};

use super::{
    export_worker, lazy_scorer::ruler_name, live_start::LiveStarter, run_opener::RunOpener,
};

/// Returns the plan of a job.
pub(crate) fn plan_job(
    request: &FormRequest,
    bundle: Option<&Path>,
    settings: Option<&Path>,
    (starting, opener): (&LiveStarter, &RunOpener),
) -> Result<JobPlan, JobRefusal> {
    match request {
        FormRequest::Score(measure) => plan_of_measure(measure, settings),
        FormRequest::Test(tests) => plan_of_tests(tests, bundle),
        FormRequest::Check(checks) => plan_of_checks(checks, bundle),
        FormRequest::Live(start) => starting.plan_start(start, opener),
        FormRequest::Export(job) => export_worker::plan_export(job),
    }
}

fn plan_of_measure(
    measure: &session::jobs::MeasureSettings,
    settings: Option<&Path>,
) -> Result<JobPlan, JobRefusal> {
    let rules =
        usable_rules(measure).map_err(|why| JobRefusal::for_field(scoring_form::RULES, why))?;
    let ruler = Ruler::new(measure.profile, rules);
    let mut plan = JobPlan::default();
    plan.add_row("rules", format!("{}, {}", ruler.rules().rule_count(), ruler.rules().source()));
    plan.add_row("numbers are of", ruler_name(&ruler).display_text());
    plan.add_row("measured", "from the cache, all other files are read again");
    if measure.is_default {
        let path = settings.ok_or_else(|| {
            JobRefusal::for_field(
                scoring_form::DEFAULT,
                "no folder for settings: the home folder is unknown",
            )
        })?;
        plan.add_row("saved in", path.display().to_string());
    }
    Ok(plan)
}

/// Returns the rules if every rule can be used; the error names the first bad one: file, line, what is wrong.
fn usable_rules(measure: &session::jobs::MeasureSettings) -> Result<RuleSet, String> {
    let Some(path) = &measure.rules else { return Ok(RuleSet::built_in()) };
    let rules = store::rule_files::read_rules(path)?;
    match rules.problems().first() {
        Some(first) => {
            let what = first.what.lines().next().unwrap_or_default(); // the rest quotes the file
            Err(format!("{}:{}: {what}", first.file, first.line))
        }
        None if rules.rule_count() == 0 => Err(format!("{}: contains no rule", path.display())),
        None => Ok(rules),
    }
}

const NO_BUNDLE: &str = "not a run bundle, so outcomes cannot be saved; make one: `trajview import RECORDING --out DIR`";

fn plan_of_tests(
    tests: &session::jobs::TestJob,
    bundle: Option<&Path>,
) -> Result<JobPlan, JobRefusal> {
    let bundle = bundle.ok_or_else(|| JobRefusal { field: None, why: NO_BUNDLE.into() })?;
    let mut plan = JobPlan::default();
    plan.add_row("runs", format!("sh -c '{}'", tests.command));
    plan.add_row(
        "in",
        "a scratch copy of the files at the checkpoint, with a separate home and no keys",
    );
    plan.add_row("recorded in", bundle.join("tests.jsonl").display().to_string());
    plan.add_row("before", "replaced outcomes are saved beside it, under another name");
    Ok(plan)
}

const NO_PLACE: &str = "not a run bundle; `trajview process RECORDING --build CMD --test CMD` runs them and saves the results beside the cache";

fn plan_of_checks(
    checks: &session::jobs::CheckJob,
    bundle: Option<&Path>,
) -> Result<JobPlan, JobRefusal> {
    let bundle = bundle.ok_or_else(|| JobRefusal { field: None, why: NO_PLACE.into() })?;
    let mut plan = JobPlan::default();
    for (name, command) in [("builds with", &checks.build), ("tests with", &checks.test)] {
        if let Some(command) = command {
            plan.add_row(name, format!("sh -c '{command}'"));
        }
    }
    plan.add_row(
        "in",
        "a scratch copy of the files for each command, with a separate home and no keys",
    );
    plan.add_row("saved in", bundle.join("checks.jsonl").display().to_string());
    plan.add_row("again", "existing results for the same files and command are not repeated");
    Ok(plan)
}

/// Tests of checkpoints, and builds and tests of turns; copies share the running ones.
#[derive(Clone, Default)]
pub struct TestWorker {
    last: Arc<Mutex<StopFlag>>,
    /// Tests that have not ended.
    running: Arc<AtomicUsize>,
    stop: StopFlag,
}

/// The longest time that tests may take to end when the program ends: their command is interrupted, and their temporary folder is
/// removed.
const END_TIMEOUT: Duration = Duration::from_secs(3);

impl TestWorker {
    /// Returns a copy for the worker of a question; tests that start have a stop flag of their own.
    pub fn for_question(&self, question: Option<&Question>) -> Self {
        let stop = StopFlag::default();
        let tests = |it: &Question| {
            matches!(it, Question::CheckpointTests { .. } | Question::StateChecks { .. })
        };
        if question.is_some_and(tests) {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        Self { stop, ..self.clone() }
    }

    /// Stops the newest tests.
    pub(crate) fn stop_newest(&self) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).set();
    }

    /// Stops the running tests and waits a moment for their end.
    pub(crate) fn end_all(&self) {
        self.stop_newest();
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < END_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Tests one checkpoint after the other and reports each, with the bundle that has its outcome. Returns a sentence
    /// about all; the error is one too.
    pub(crate) fn test_checkpoints(
        &self,
        (bundle, run): (Option<PathBuf>, &Run),
        tests: &session::jobs::TestJob,
        tell: &dyn Fn(&str, session::jobs::CheckpointOutcome, &Path),
    ) -> Result<String, String> {
        let _running = RunningTests(&self.running);
        let bundle = bundle.ok_or(NO_BUNDLE)?;
        let tell = |checkpoint: &str, outcome| tell(checkpoint, outcome, &bundle);
        self.test_all(&bundle, run, tests, &tell)
    }

    /// Builds and tests the files of every turn and reports each result. Returns a sentence about all; the error is one
    /// too.
    pub fn check_states(
        &self,
        bundle: Option<PathBuf>,
        checks: &session::jobs::CheckJob,
        tell: &dyn Fn(String, bool),
    ) -> Result<String, String> {
        let _running = RunningTests(&self.running);
        let bundle = bundle.ok_or(NO_PLACE)?;
        let opened = store::open(&bundle).map_err(|why| why.to_string())?;
        let commands = [(CheckKind::Build, &checks.build), (CheckKind::Test, &checks.test)];
        let wanted = check_history::CheckRequest {
            commands: commands
                .into_iter()
                .filter_map(|(kind, command)| Some((kind, command.clone()?)))
                .collect(),
            each: match checks.moments {
                CheckMoments::Turns => store::checks::CheckedMoments::Turn,
                CheckMoments::Edits => store::checks::CheckedMoments::Edit,
            },
            seconds: checks.seconds,
            again: false,
        };
        let mut tell = |report: CheckReport<'_>| {
            let (CheckReport::Ran(check) | CheckReport::Existing(check)) = report;
            tell(check.summary_line(), check.outcome.is_good() == Some(true));
        };
        let done = check_history::run_checks(&bundle, &opened, &wanted, &self.stop, &mut tell);
        let done = done.map_err(|why| why.to_string())?;
        let how = if done.is_stopped { "stopped" } else { "done" };
        Ok(format!("builds and tests {how}: {}", done.summary_text()))
    }

    fn test_all(
        &self,
        bundle: &Path,
        run: &Run,
        tests: &session::jobs::TestJob,
        tell: &dyn Fn(&str, session::jobs::CheckpointOutcome),
    ) -> Result<String, String> {
        let moments = tests.tested_moments(run);
        let ids: Vec<String> = moments.iter().map(|(id, _)| id.clone()).collect();
        let opened = store::open(bundle).map_err(|why| why.to_string())?;
        let kept = recheck::keep_outcomes(bundle, &ids).map_err(|why| why.to_string())?;
        let recheck = RecheckOptions {
            command: tests.command.clone(),
            report: tests.report.clone(),
            seconds: tests.seconds,
        };
        let mut counts = (0, 0);
        for (id, done) in &moments {
            if self.stop.is_set() {
                break;
            }
            let tested = recheck::test_after_turns(bundle, &opened, *done, &recheck, &self.stop);
            if self.stop.is_set() {
                break;
            }
            let outcome = tested.and_then(|tested| {
                checkpoint_tests::record_results(bundle, id, &tested)
                    .map_err(|why| why.to_string())?;
                Ok((tested.passed_count(), tested.run_count()))
            });
            counts = (counts.0 + 1, counts.1 + usize::from(outcome.is_ok()));
            tell(id, outcome);
        }
        let name = |path: PathBuf| path.file_name().map(|it| it.to_string_lossy().into_owned());
        let kept = kept.and_then(name).map(|name| format!("; those before are in {name}"));
        let how = if self.stop.is_set() { "stopped" } else { "done" };
        let (done, tested) = counts;
        let left_out = if tested < done {
            format!(", {} could not be tested", done - tested)
        } else {
            String::new()
        };
        let total = moments.len();
        Ok(format!(
            "tests {how}: {tested} of {total} checkpoints have outcomes{left_out}{}",
            kept.unwrap_or_default()
        ))
    }
}

/// Counts down when tests end for any reason.
struct RunningTests<'a>(&'a AtomicUsize);

impl Drop for RunningTests<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Writes the settings for measuring into the settings file. Returns a sentence, of success or failure.
pub(crate) fn save_measure(
    measure: &session::jobs::MeasureSettings,
    settings: Option<&Path>,
) -> String {
    let Some(path) = settings else { return "no folder for settings".into() };
    let rules = measure.rules.as_ref().map(|rules| {
        let whole = std::path::absolute(rules).unwrap_or_else(|_| rules.clone());
        whole.display().to_string()
    });
    let values = [("profile", Some(measure.profile.name().to_owned())), ("rules", rules)];
    match store::settings_file::set_values(path, &values) {
        Ok(()) => format!("{} is the default from now on: {}", measure.profile, path.display()),
        Err(why) => format!("the default is as before: {}: {why}", path.display()),
    }
}
