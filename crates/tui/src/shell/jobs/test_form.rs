//! The form for testing the code of checkpoints: a command of the person, run on the files of that moment.

use crate::{
    session::{
        effect::Effect,
        jobs::{CheckpointOutcome, FormChoice, JobRefusal, TestJob},
        question::Question,
        request::RequestId,
    },
    shell::{open_run::OpenRun, screens::Screens},
    views::form::{FormField, FormPane},
};
use trajview_run::{Checkpoint, Run};

use super::Jobs;

/// Tests that were started from the screen, and their results so far.
#[derive(Debug, Clone, PartialEq)]
pub struct TestingJob {
    pub request: RequestId,
    /// The recording that is tested.
    pub source: std::path::PathBuf,
    pub of: TestTarget,
    pub command: String,
    /// The number of checkpoints to test; for states the largest number of results.
    pub total: usize,
    /// Id and result of each that is done; for states a sentence in the place of the id.
    pub done: Vec<(String, CheckpointOutcome)>,
    pub is_stopping: bool,
    /// A sentence about its end; None while it runs.
    pub over: Option<String>,
}

/// The states whose code is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestTarget {
    Checkpoints,
    /// The state after every turn that changed files; it is built too.
    States,
}

pub const CHECKPOINT: &str = "checkpoint";
pub const COMMAND: &str = "command";
pub const REPORT: &str = "report";
pub const SECONDS: &str = "seconds";

/// The usual time limit of a command (seconds).
pub(super) const USUAL_SECONDS: f64 = 300.0;

pub(crate) fn test_form(open: Option<&OpenRun>, last: Option<&TestJob>) -> FormPane {
    let checkpoints = open.map_or(&[][..], |open| &open.session.run.checkpoints);
    let here = open.and_then(|open| checkpoint_of(&open.session.run, open.session.turn));
    let each = checkpoints.iter().enumerate().map(|(at, it)| checkpoint_choice(at, it));
    let every = (checkpoints.len() > 1).then(|| {
        FormChoice::new("every", "all").with_remark(format!("{} checkpoints", checkpoints.len()))
    });
    let before = usize::from(every.is_some());
    let options: Vec<FormChoice> = every.into_iter().chain(each).collect();
    let at = here.map_or(0, |here| here + before);
    let command = last.map_or("", |last| &last.command);
    let report = last.and_then(|last| last.report.as_deref()).unwrap_or_default();
    let seconds = last.map_or(USUAL_SECONDS, |last| last.seconds);
    let fields = vec![
        FormField::with_text(COMMAND, "command", command, "none: space to type"),
        FormField::with_choices(CHECKPOINT, "checkpoint", options, at),
        FormField::with_text(REPORT, "JUnit report", report, "none (parse the output)"),
        FormField::with_amount(SECONDS, "timeout", (Some(seconds), 30.0), "s", "0 s"),
    ];
    FormPane::new("test the code at checkpoints", "start the tests", fields)
}

fn checkpoint_choice(at: usize, checkpoint: &Checkpoint) -> FormChoice {
    let title = checkpoint.label.as_deref().unwrap_or_default();
    let turn = checkpoint.last_turn + 1;
    FormChoice::new(at.to_string(), checkpoint.id.clone())
        .with_remark(format!("after turn {turn}  {title}"))
}

/// Returns the checkpoint that a turn is part of.
fn checkpoint_of(run: &Run, turn: usize) -> Option<usize> {
    run.checkpoints.iter().position(|it| it.last_turn >= turn)
}

pub(crate) fn test_job(form: &FormPane) -> Result<TestJob, JobRefusal> {
    let checkpoint = match form.chosen_id(CHECKPOINT) {
        "" => return Err(JobRefusal::for_field(CHECKPOINT, "this run has no checkpoints")),
        "every" => None,
        at => at.parse().ok(),
    };
    let command = form.typed_text(COMMAND).ok_or_else(|| {
        JobRefusal::for_field(
            COMMAND,
            "which command? such as `python -m pytest -rA` or `cargo test`",
        )
    })?;
    let seconds = form
        .typed_amount(SECONDS)
        .ok_or_else(|| JobRefusal::for_field(SECONDS, "at least 30 s"))?;
    let report = form.typed_text(REPORT).map(str::to_owned);
    Ok(TestJob { checkpoint, command: command.to_owned(), report, seconds })
}

impl TestingJob {
    /// Returns `c4: 12 of 14 pass`, for the footer.
    fn news_text(&self) -> Option<String> {
        let (id, outcome) = self.done.last()?;
        Some(match outcome {
            _ if self.of == TestTarget::States => id.clone(),
            Ok((passed, total)) => format!("checkpoint {id}: {passed} of {total} tests pass"),
            Err(why) => format!("checkpoint {id} was not tested: {why}"),
        })
    }
}

impl Jobs {
    pub(crate) fn begin_testing(&mut self, tests: TestJob, screens: &mut Screens) -> Vec<Effect> {
        let Some(run) = screens.open_run().map(|open| open.session.run.clone()) else {
            return vec![];
        };
        let request = screens.numbers.next_request();
        self.testing = Some(TestingJob {
            request,
            source: screens.source.clone(),
            of: TestTarget::Checkpoints,
            command: tests.command.clone(),
            total: tests.tested_moments(&run).len(),
            done: vec![],
            is_stopping: false,
            over: None,
        });
        self.last_tests = Some(tests.clone());
        vec![Question::CheckpointTests { run, tests }.with_request(request)]
    }

    pub(crate) fn take_test(
        &mut self,
        request: RequestId,
        checkpoint: String,
        outcome: CheckpointOutcome,
        screens: &mut Screens,
    ) {
        let Some(testing) = self.testing.as_mut().filter(|it| it.request == request) else {
            return;
        };
        testing.done.push((checkpoint, outcome));
        if let Some(words) = testing.news_text() {
            screens.show_notice(words);
        }
    }

    pub fn end_testing(
        &mut self,
        request: RequestId,
        outcome: Result<String, String>,
        screens: &mut Screens,
    ) {
        let Some(testing) = self.testing.as_mut().filter(|it| it.request == request) else {
            return;
        };
        let words = match outcome {
            Ok(words) | Err(words) => words,
        };
        testing.over = Some(words.clone());
        if testing.of == TestTarget::States {
            screens.on_open_run(|open| open.session.scores.process.mark_stale());
        }
        screens.show_notice(words);
    }

    /// Stops the tests under way; results so far are kept.
    pub fn stop_testing(&mut self) -> Vec<Effect> {
        match &mut self.testing {
            Some(testing) if testing.over.is_none() => {
                testing.is_stopping = true;
                vec![Effect::StopTesting]
            }
            _ => vec![],
        }
    }
}
