//! Works out what a job would do before it is begun, and begins it. Nothing is changed by a plan.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use trajview_judge::stop::Stop;
use trajview_live::{
    checks,
    recheck::{self, Recheck},
    states::{self, Told},
};
use trajview_metrics::{process::states::CheckKind, quality::Ruler, rules::Rules};
use trajview_run::Run;
use trajview_store as store;
use trajview_tui::{
    session::{
        self,
        jobs::{Moments, Plan, Refusal, Wanted},
        question::Question,
    },
    shell::jobs::scoring,
};

use super::{
    recording::Opener,
    scoring::{name_of, rules_in},
    starting::Starting,
};

/// What beginning it would do.
pub fn plan(
    wanted: &Wanted,
    bundle: Option<&Path>,
    settings: Option<&Path>,
    (starting, opener): (&Starting, &Opener),
) -> Result<Plan, Refusal> {
    match wanted {
        Wanted::Score(measure) => plan_of_measure(measure, settings),
        Wanted::Test(tests) => plan_of_tests(tests, bundle),
        Wanted::Check(checks) => plan_of_checks(checks, bundle),
        Wanted::Live(start) => starting.plan(start, opener),
    }
}

fn plan_of_measure(
    measure: &session::jobs::Measure,
    settings: Option<&Path>,
) -> Result<Plan, Refusal> {
    let rules = rules_of(measure).map_err(|why| Refusal::at(scoring::RULES, why))?;
    let ruler = Ruler::new(measure.profile, rules);
    let mut plan = Plan::default();
    plan.row("rules", format!("{}, {}", ruler.rules().count(), ruler.rules().source()));
    plan.row("numbers are of", name_of(&ruler).said());
    plan.row("measured", "what the cache has is taken from there, every other file is read again");
    if measure.is_default {
        let path = settings.ok_or_else(|| {
            Refusal::at(scoring::DEFAULT, "there is no place for settings: no home folder is known")
        })?;
        plan.row("kept in", path.display().to_string());
    }
    Ok(plan)
}

/// Every rule can be used, or the first that cannot is named: file, line, what is wrong.
fn rules_of(measure: &session::jobs::Measure) -> Result<Rules, String> {
    let Some(path) = &measure.rules else { return Ok(Rules::built_in()) };
    let rules = rules_in(path)?;
    match rules.problems().first() {
        Some(first) => {
            let what = first.what.lines().next().unwrap_or_default(); // the rest quotes the file
            Err(format!("{}:{}: {what}", first.file, first.line))
        }
        None if rules.count() == 0 => Err(format!("{}: there is no rule in it", path.display())),
        None => Ok(rules),
    }
}

const NO_BUNDLE: &str = "this recording is no run bundle, so there is no place for outcomes; `trajview import RECORDING --out DIR` \
                         makes one";

fn plan_of_tests(tests: &session::jobs::Tests, bundle: Option<&Path>) -> Result<Plan, Refusal> {
    let bundle = bundle.ok_or_else(|| Refusal { field: None, why: NO_BUNDLE.into() })?;
    let mut plan = Plan::default();
    plan.row("runs", format!("sh -c '{}'", tests.command));
    plan.row(
        "in",
        "a scratch copy of the files at the checkpoint, with a home of its own and no keys",
    );
    plan.row("recorded in", bundle.join("tests.jsonl").display().to_string());
    plan.row(
        "before",
        "outcomes that new ones take the place of are kept beside it, under another name",
    );
    Ok(plan)
}

const NO_PLACE: &str = "this recording is no run bundle; `trajview process RECORDING --build CMD --test CMD` runs them and keeps the \
                        results beside the cache";

fn plan_of_checks(checks: &session::jobs::Checks, bundle: Option<&Path>) -> Result<Plan, Refusal> {
    let bundle = bundle.ok_or_else(|| Refusal { field: None, why: NO_PLACE.into() })?;
    let mut plan = Plan::default();
    for (name, command) in [("builds with", &checks.build), ("tests with", &checks.test)] {
        if let Some(command) = command {
            plan.row(name, format!("sh -c '{command}'"));
        }
    }
    plan.row(
        "in",
        "a scratch copy of the files for each command, with a home of its own and no keys",
    );
    plan.row("kept in", bundle.join("checks.jsonl").display().to_string());
    plan.row("again", "what has a result for the same files and command is not run again");
    Ok(plan)
}

/// Tests of checkpoints, and builds and tests of turns; copies share which are under way.
#[derive(Clone, Default)]
pub struct Testing {
    last: Arc<Mutex<Stop>>,
    /// Tests that have not ended.
    running: Arc<AtomicUsize>,
    stop: Stop,
}

/// How long tests have to end when the program does: their command is told to, and their scratch folder goes.
const PATIENCE: Duration = Duration::from_secs(3);

impl Testing {
    /// For the worker that answers a question; tests that begin have a stop of their own.
    pub fn for_question(&self, question: Option<&Question>) -> Self {
        let stop = Stop::default();
        let tests = |it: &Question| {
            matches!(it, Question::CheckpointTests { .. } | Question::StateChecks { .. })
        };
        if question.is_some_and(tests) {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        Self { stop, ..self.clone() }
    }

    /// Ends those that were begun last.
    pub fn stop(&self) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).set();
    }

    /// Ends those under way and waits a moment until they have.
    pub fn end(&self) {
        self.stop();
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Tests one checkpoint after the other and tells of each, with the bundle that has its outcome. Gives a sentence about
    /// all; the error is one too.
    pub fn test(
        &self,
        (bundle, run): (Option<PathBuf>, &Run),
        tests: &session::jobs::Tests,
        tell: &dyn Fn(&str, session::jobs::Outcome, &Path),
    ) -> Result<String, String> {
        let _running = Running(&self.running);
        let bundle = bundle.ok_or(NO_BUNDLE)?;
        let tell = |checkpoint: &str, outcome| tell(checkpoint, outcome, &bundle);
        self.test_all(&bundle, run, tests, &tell)
    }

    /// Builds and tests the files of every turn and tells of each result. Gives a sentence about all; the error is one too.
    pub fn check(
        &self,
        bundle: Option<PathBuf>,
        checks: &session::jobs::Checks,
        tell: &dyn Fn(String, bool),
    ) -> Result<String, String> {
        let _running = Running(&self.running);
        let bundle = bundle.ok_or(NO_PLACE)?;
        let opened = store::open(&bundle).map_err(|why| why.to_string())?;
        let commands = [(CheckKind::Build, &checks.build), (CheckKind::Test, &checks.test)];
        let wanted = states::Wanted {
            commands: commands
                .into_iter()
                .filter_map(|(kind, command)| Some((kind, command.clone()?)))
                .collect(),
            each: match checks.moments {
                Moments::Turns => store::checks::Each::Turn,
                Moments::Edits => store::checks::Each::Edit,
            },
            seconds: checks.seconds,
            again: false,
        };
        let mut tell = |told: Told<'_>| {
            let (Told::Ran(check) | Told::Known(check)) = told;
            tell(check.told(), check.outcome.is_good() == Some(true));
        };
        let done = states::run(&bundle, &opened, &wanted, &self.stop, &mut tell);
        let done = done.map_err(|why| why.to_string())?;
        let how = if done.is_stopped { "stopped" } else { "done" };
        Ok(format!("builds and tests {how}: {}", done.words()))
    }

    fn test_all(
        &self,
        bundle: &Path,
        run: &Run,
        tests: &session::jobs::Tests,
        tell: &dyn Fn(&str, session::jobs::Outcome),
    ) -> Result<String, String> {
        let moments = tests.moments(run);
        let ids: Vec<String> = moments.iter().map(|(id, _)| id.clone()).collect();
        let opened = store::open(bundle).map_err(|why| why.to_string())?;
        let kept = recheck::keep_outcomes(bundle, &ids).map_err(|why| why.to_string())?;
        let recheck = Recheck {
            command: tests.command.clone(),
            report: tests.report.clone(),
            seconds: tests.seconds,
        };
        let mut counts = (0, 0);
        for (id, done) in &moments {
            if self.stop.is_set() {
                break;
            }
            let tested = recheck::test_after(bundle, &opened, *done, &recheck, &self.stop);
            if self.stop.is_set() {
                break;
            }
            let outcome = tested.and_then(|tested| {
                checks::enter(bundle, id, &tested).map_err(|why| why.to_string())?;
                Ok((tested.passed(), tested.total()))
            });
            counts = (counts.0 + 1, counts.1 + usize::from(outcome.is_ok()));
            tell(id, outcome);
        }
        let name = |path: PathBuf| path.file_name().map(|it| it.to_string_lossy().into_owned());
        let kept = kept.and_then(name).map(|name| format!("; those before are in {name}"));
        let how = if self.stop.is_set() { "stopped" } else { "done" };
        let (done, told) = counts;
        let left_out = if told < done {
            format!(", {} could not be tested", done - told)
        } else {
            String::new()
        };
        let total = moments.len();
        Ok(format!(
            "tests {how}: {told} of {total} checkpoints have outcomes{left_out}{}",
            kept.unwrap_or_default()
        ))
    }
}

/// Counts down when tests end, however they do.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Writes what measures into the settings. Gives a sentence, of success or failure.
pub fn keep_measure(measure: &session::jobs::Measure, settings: Option<&Path>) -> String {
    let Some(path) = settings else { return "there is no place for settings".into() };
    let rules = measure.rules.as_ref().map(|rules| {
        let whole = std::path::absolute(rules).unwrap_or_else(|_| rules.clone());
        whole.display().to_string()
    });
    let values = [("profile", Some(measure.profile.name().to_owned())), ("rules", rules)];
    match store::config::set(path, &values) {
        Ok(()) => format!("{} is the default from now on: {}", measure.profile, path.display()),
        Err(why) => format!("the default is as before: {}: {why}", path.display()),
    }
}
