//! Building and testing the files of every turn: commands of the person's, whose results are kept with the run.

use crate::{
    session::{
        ask::Loading,
        effect::Effect,
        jobs::{Checks, Choice, Moments, Refusal},
        question::Question,
    },
    shell::{open_run::OpenRun, screens::Screens},
    views::form::{Field, Form},
};

use super::{
    Jobs,
    testing::{Of, SECONDS, Testing, USUAL_SECONDS},
};

pub const BUILD: &str = "build";
pub const TEST: &str = "test";
const MOMENTS: &str = "moments";

pub fn form(last: Option<&Checks>) -> Form {
    let last_word = |of: fn(&Checks) -> &Option<String>| {
        last.and_then(|last| of(last).as_deref()).unwrap_or_default()
    };
    let none = "none: space types one";
    let each = vec![
        Choice::new("turn", "every turn").with_remark("that changed files"),
        Choice::new("edit", "every edit too").with_remark("of turns whose edits tell all"),
    ];
    let at = usize::from(last.is_some_and(|last| last.moments == Moments::Edits));
    let seconds = last.map_or(USUAL_SECONDS, |last| last.seconds);
    Form::new(vec![
        Field::text(BUILD, "build", last_word(|it| &it.build), none),
        Field::text(TEST, "test", last_word(|it| &it.test), none),
        Field::choice(MOMENTS, "after", each, at),
        Field::amount(SECONDS, "ends after", (Some(seconds), 30.0), "s", "0 s"),
    ])
}

pub fn wanted(form: &Form) -> Result<Checks, Refusal> {
    let (build, test) = (form.text(BUILD), form.text(TEST));
    if build.is_none() && test.is_none() {
        let why = "which command? such as `cargo build` or `make`; the exit code counts";
        return Err(Refusal::at(BUILD, why));
    }
    let moments = match form.choice(MOMENTS) {
        "edit" => Moments::Edits,
        _ => Moments::Turns,
    };
    let seconds = form.amount(SECONDS).ok_or_else(|| Refusal::at(SECONDS, "at least 30 s"))?;
    Ok(Checks { build: build.map(str::to_owned), test: test.map(str::to_owned), moments, seconds })
}

/// Results that there will be at most.
fn total(open: &OpenRun, checks: &Checks) -> usize {
    let Loading::Ready(timeline) = &open.session.timeline else { return 0 };
    let changed = timeline.turns.iter().filter(|turn| !turn.changes.is_empty());
    let moments: usize = changed
        .map(|turn| match checks.moments {
            Moments::Turns => 1,
            Moments::Edits => turn.steps.len().max(1),
        })
        .sum();
    moments * checks.commands().len()
}

impl Jobs {
    pub(crate) fn begin_checking(&mut self, checks: Checks, screens: &mut Screens) -> Vec<Effect> {
        let Some(open) = screens.open_run() else { return vec![] };
        let total = total(open, &checks);
        let request = screens.numbers.fresh();
        self.testing = Some(Testing {
            request,
            source: screens.source.clone(),
            of: Of::States,
            command: checks.commands().join("; "),
            total,
            done: vec![],
            is_stopping: false,
            over: None,
        });
        self.last_checks = Some(checks.clone());
        vec![Question::StateChecks { checks }.under(request)]
    }
}
