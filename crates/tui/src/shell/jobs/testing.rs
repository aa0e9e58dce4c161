//! Testing the code of checkpoints: a command of the person's on the files as they were.

use crate::{
    session::{
        effect::Effect,
        jobs::{Choice, Outcome, Refusal, Tests},
        question::Question,
        request::Request,
    },
    shell::{open_run::OpenRun, screens::Screens},
    views::form::{Field, Form},
};
use trajview_run::{Checkpoint, Run};

use super::Jobs;

/// Tests that were begun from the screen, and what came of them so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Testing {
    pub request: Request,
    /// The recording they are of.
    pub source: std::path::PathBuf,
    pub of: Of,
    pub command: String,
    /// Checkpoints to be tested; of states the results that there may be.
    pub total: usize,
    /// Id of each that is done, and what came of it; of states a sentence in the place of the id.
    pub done: Vec<(String, Outcome)>,
    pub is_stopping: bool,
    /// How it ended; None while it goes on.
    pub over: Option<String>,
}

/// Whose code is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Checkpoints,
    /// Of every turn that changed files; it is built too.
    States,
}

pub const CHECKPOINT: &str = "checkpoint";
pub const COMMAND: &str = "command";
pub const REPORT: &str = "report";
pub const SECONDS: &str = "seconds";

/// A command that runs longer than this is ended, unless somebody says otherwise.
pub(super) const USUAL_SECONDS: f64 = 300.0;

pub fn form(open: Option<&OpenRun>, last: Option<&Tests>) -> Form {
    let checkpoints = open.map_or(&[][..], |open| &open.session.run.checkpoints);
    let here = open.and_then(|open| checkpoint_of(&open.session.run, open.session.turn));
    let each = checkpoints.iter().enumerate().map(|(at, it)| choice(at, it));
    let every = (checkpoints.len() > 1).then(|| {
        Choice::new("every", "every one").with_remark(format!("{} checkpoints", checkpoints.len()))
    });
    let before = usize::from(every.is_some());
    let options: Vec<Choice> = every.into_iter().chain(each).collect();
    let at = here.map_or(0, |here| here + before);
    let command = last.map_or("", |last| &last.command);
    let report = last.and_then(|last| last.report.as_deref()).unwrap_or_default();
    let seconds = last.map_or(USUAL_SECONDS, |last| last.seconds);
    Form::new(vec![
        Field::text(COMMAND, "command", command, "none yet: space types one"),
        Field::choice(CHECKPOINT, "checkpoint", options, at),
        Field::text(REPORT, "JUnit report", report, "none: what the command prints is read"),
        Field::amount(SECONDS, "ends after", (Some(seconds), 30.0), "s", "0 s"),
    ])
}

fn choice(at: usize, checkpoint: &Checkpoint) -> Choice {
    let title = checkpoint.label.as_deref().unwrap_or_default();
    let turn = checkpoint.last_turn + 1;
    Choice::new(at.to_string(), checkpoint.id.clone())
        .with_remark(format!("after turn {turn}  {title}"))
}

/// The checkpoint that a turn is part of.
fn checkpoint_of(run: &Run, turn: usize) -> Option<usize> {
    run.checkpoints.iter().position(|it| it.last_turn >= turn)
}

pub fn wanted(form: &Form) -> Result<Tests, Refusal> {
    let checkpoint = match form.choice(CHECKPOINT) {
        "" => return Err(Refusal::at(CHECKPOINT, "this run has no checkpoints")),
        "every" => None,
        at => at.parse().ok(),
    };
    let command = form.text(COMMAND).ok_or_else(|| {
        Refusal::at(COMMAND, "which command? such as `python -m pytest -rA` or `cargo test`")
    })?;
    let seconds = form.amount(SECONDS).ok_or_else(|| Refusal::at(SECONDS, "at least 30 s"))?;
    let report = form.text(REPORT).map(str::to_owned);
    Ok(Tests { checkpoint, command: command.to_owned(), report, seconds })
}

impl Testing {
    /// `tests 3/9`; None when it is over.
    pub fn sign(&self) -> Option<String> {
        self.over.is_none().then(|| format!("tests {}/{}", self.done.len(), self.total))
    }

    /// `c4: 12 of 14 pass`, for the footer.
    fn news(&self) -> Option<String> {
        let (id, outcome) = self.done.last()?;
        Some(match outcome {
            _ if self.of == Of::States => id.clone(),
            Ok((passed, total)) => format!("checkpoint {id}: {passed} of {total} tests pass"),
            Err(why) => format!("checkpoint {id} was not tested: {why}"),
        })
    }
}

impl Jobs {
    pub(crate) fn begin_testing(&mut self, tests: Tests, screens: &mut Screens) -> Vec<Effect> {
        let Some(run) = screens.open_run().map(|open| open.session.run.clone()) else {
            return vec![];
        };
        let request = screens.numbers.fresh();
        self.testing = Some(Testing {
            request,
            source: screens.source.clone(),
            of: Of::Checkpoints,
            command: tests.command.clone(),
            total: tests.moments(&run).len(),
            done: vec![],
            is_stopping: false,
            over: None,
        });
        self.last_tests = Some(tests.clone());
        vec![Question::CheckpointTests { run, tests }.under(request)]
    }

    pub(crate) fn take_test(
        &mut self,
        request: Request,
        checkpoint: String,
        outcome: Outcome,
        screens: &mut Screens,
    ) {
        let Some(testing) = self.testing.as_mut().filter(|it| it.request == request) else {
            return;
        };
        testing.done.push((checkpoint, outcome));
        if let Some(words) = testing.news() {
            screens.say(words);
        }
    }

    pub fn end_testing(
        &mut self,
        request: Request,
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
        if testing.of == Of::States {
            screens.on_open_run(|open| open.session.scores.worked.outdate());
        }
        screens.say(words);
    }

    /// Ends the tests under way; what is known by then is kept.
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
