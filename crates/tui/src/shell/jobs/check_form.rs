//! The form for building and testing the files of every turn: commands of the person, whose results are stored with the
//! run.

use crate::{
    session::{
        effect::Effect,
        jobs::{CheckJob, CheckMoments, FormChoice, JobRefusal},
        pending::Loading,
        question::Question,
    },
    shell::{open_run::OpenRun, screens::Screens},
    views::form::{FormField, FormPane},
};

use super::{
    Jobs,
    test_form::{SECONDS, TestTarget, TestingJob, USUAL_SECONDS},
};

pub(crate) const BUILD: &str = "build";
pub const TEST: &str = "test";
const MOMENTS: &str = "moments";

pub(crate) fn check_form(last: Option<&CheckJob>) -> FormPane {
    let last_word = |of: fn(&CheckJob) -> &Option<String>| {
        last.and_then(|last| of(last).as_deref()).unwrap_or_default()
    };
    let none = "none: space to type";
    let each = vec![
        FormChoice::new("turn", "every turn").with_remark("that changed files"),
        FormChoice::new("edit", "every turn and edit")
            .with_remark("where edits are recorded in full"),
    ];
    let at = usize::from(last.is_some_and(|last| last.moments == CheckMoments::Edits));
    let seconds = last.map_or(USUAL_SECONDS, |last| last.seconds);
    let fields = vec![
        FormField::with_text(BUILD, "build", last_word(|it| &it.build), none),
        FormField::with_text(TEST, "test", last_word(|it| &it.test), none),
        FormField::with_choices(MOMENTS, "after", each, at),
        FormField::with_amount(SECONDS, "timeout", (Some(seconds), 30.0), "s", "0 s"),
    ];
    FormPane::new("build and test the files of every turn", "start the tests", fields)
}

pub(crate) fn check_job(form: &FormPane) -> Result<CheckJob, JobRefusal> {
    let (build, test) = (form.typed_text(BUILD), form.typed_text(TEST));
    if build.is_none() && test.is_none() {
        let why = "which command? such as `cargo build` or `make`; the exit code counts";
        return Err(JobRefusal::for_field(BUILD, why));
    }
    let moments = match form.chosen_id(MOMENTS) {
        "edit" => CheckMoments::Edits,
        _ => CheckMoments::Turns,
    };
    let seconds = form
        .typed_amount(SECONDS)
        .ok_or_else(|| JobRefusal::for_field(SECONDS, "at least 30 s"))?;
    Ok(CheckJob {
        build: build.map(str::to_owned),
        test: test.map(str::to_owned),
        moments,
        seconds,
    })
}

/// Returns the largest possible number of results.
fn max_results(open: &OpenRun, checks: &CheckJob) -> usize {
    let Loading::Ready(timeline) = &open.session.timeline else { return 0 };
    let changed = timeline.turns.iter().filter(|turn| !turn.changes.is_empty());
    let moments: usize = changed
        .map(|turn| match checks.moments {
            CheckMoments::Turns => 1,
            CheckMoments::Edits => turn.steps.len().max(1),
        })
        .sum();
    moments * checks.commands().len()
}

impl Jobs {
    pub(crate) fn begin_checking(
        &mut self,
        checks: CheckJob,
        screens: &mut Screens,
    ) -> Vec<Effect> {
        let Some(open) = screens.open_run() else { return vec![] };
        let total = max_results(open, &checks);
        let request = screens.numbers.next_request();
        self.testing = Some(TestingJob {
            request,
            source: screens.source.clone(),
            of: TestTarget::States,
            command: checks.commands().join("; "),
            total,
            done: vec![],
            is_stopping: false,
            over: None,
        });
        self.last_checks = Some(checks.clone());
        vec![Question::StateChecks { checks }.with_request(request)]
    }
}
