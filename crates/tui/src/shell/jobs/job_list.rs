//! The list of everything that was started from the screen: what it is, its progress and its cost.
//!
//! A row is computed from the state of the work each time; nothing is stored twice. To add a kind of work add a variant to
//! [`JobKind`], its row, and what entering and stopping it mean.

pub use crate::shell::message::jobs::JobListMessage;
use std::path::PathBuf;

use trajview_run::judging::JudgingEnd;

use crate::{
    session::{effect::Effect, start_place::StartPlace, views::View},
    shell::open_run::RunMessage,
    shell::screens::{ScreenKind, Screens, judge::file_name_text},
    views::{
        compare, curves,
        judge::watched::WatchedJudging,
        live::{self, LivePhase, LiveView},
        table,
    },
    widgets::pane::ListPane,
};

use super::{Jobs, export_form::StartedExport, list_room, test_form::TestingJob};

/// The list over the view.
#[derive(Debug, Clone, Default)]
pub struct JobList {
    pub rows: ListPane,
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    pub work: JobKind,
    /// `judging codex-p12, by stub m-1`
    pub what: String,
    pub state: JobState,
    /// Done parts, and all parts.
    pub progress: Option<(usize, usize)>,
    pub tokens: Option<u64>,
    /// Cost in US dollars; None when it is not priced.
    pub cost: Option<f64>,
    /// Seconds so far; None when they are not measured.
    pub seconds: Option<f64>,
    /// A sentence about its end, or nothing.
    pub words: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobKind {
    Live,
    /// A judging of the open run.
    Judging,
    /// A judging of another run.
    OtherJudging(PathBuf),
    /// Tests of this run's checkpoints.
    Tests(PathBuf),
    Measuring,
    Table,
    Comparison,
    Export,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    Running,
    /// The work waits for a person.
    Waiting,
    Ended,
    Stopped,
    Failed,
}

impl JobState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }

    pub const fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Stopped | Self::Failed)
    }
}

impl JobRow {
    const fn new(work: JobKind, what: String, state: JobState) -> Self {
        let (progress, tokens, cost, seconds) = (None, None, None, None);
        Self { work, what, state, progress, tokens, cost, seconds, words: String::new() }
    }
}

impl Jobs {
    /// Returns all jobs, those of the open run first.
    pub(crate) fn all_jobs(&self, screens: &Screens) -> Vec<JobRow> {
        let live = screens.live.as_deref().and_then(live_job);
        let own = screens.open_run().and_then(|it| it.judging.watched.as_ref());
        let own = own.map(|it| judging_job(JobKind::Judging, file_name_text(&screens.source), it));
        let others = screens.other_judgings.iter().map(|other| {
            let work = JobKind::OtherJudging(other.source.clone());
            judging_job(work, file_name_text(&other.source), &other.watched)
        });
        let tests = self.testing.as_ref().map(testing_job);
        let measuring = [self.measuring_job(screens), table_job(screens), comparison_job(screens)];
        let measuring = measuring.into_iter().flatten();
        let export = self.exporting.as_ref().map(export_job);
        live.into_iter()
            .chain(own)
            .chain(others)
            .chain(tests)
            .chain(export)
            .chain(measuring)
            .collect()
    }

    fn measuring_job(&self, screens: &Screens) -> Option<JobRow> {
        let open = screens.open_run()?;
        let scores = &open.session.scores;
        let known = (scores.measured_turn_count(), open.session.run.turns.len());
        let state = match (scores.is_busy(), scores.is_stopped, &scores.failed) {
            (.., Some(_)) => JobState::Failed,
            (_, true, _) => JobState::Stopped,
            (true, ..) => JobState::Running,
            (false, ..) if known.0 == 0 => return None,
            (false, ..) => JobState::Ended,
        };
        let what = format!(
            "measuring {}, {}",
            file_name_text(&screens.source),
            self.measure.profile.name()
        );
        let job = JobRow::new(JobKind::Measuring, what, state);
        let words = scores.failed.clone().unwrap_or_default();
        Some(JobRow { progress: Some(known), words, ..job })
    }

    pub(crate) fn update_list(
        &mut self,
        message: JobListMessage,
        screens: &mut Screens,
    ) -> Vec<Effect> {
        let jobs = self.all_jobs(screens);
        let Some(list) = &mut self.list else {
            self.list = Some(JobList::default());
            return vec![];
        };
        let job = jobs.get(list.rows.cursor());
        match (message, job) {
            (JobListMessage::Toggle, _) => self.list = None,
            (JobListMessage::Move(motion), _) => list.rows.move_cursor(motion),
            (JobListMessage::Enter, Some(job)) => {
                self.list = None;
                return show_job(screens, &job.work);
            }
            (JobListMessage::Stop, Some(job)) if !job.state.is_over() => {
                return self.stop_job(&job.work, screens);
            }
            (JobListMessage::Stop, Some(_)) => screens.show_notice("already finished".into()),
            (JobListMessage::Enter | JobListMessage::Stop, None) => {}
        }
        vec![]
    }

    pub(crate) fn settle_list(&mut self, screens: &Screens) {
        let count = self.list.as_ref().map_or(0, |_| self.all_jobs(screens).len());
        if let Some(list) = &mut self.list {
            list.rows.settle(list_room(screens), count);
        }
    }

    fn stop_job(&mut self, work: &JobKind, screens: &mut Screens) -> Vec<Effect> {
        match work {
            JobKind::Live => screens.update_live(live::LiveMessage::AskToStop),
            JobKind::Judging => {
                screens.on_open_run(|open| open.judging.stop_judging(&mut open.session));
                vec![]
            }
            JobKind::OtherJudging(source) => screens.other_judgings.stop_judging(source),
            JobKind::Tests(_) => self.stop_testing(),
            JobKind::Measuring => {
                let (message, layout) = (curves::CurvesMessage::StopOrGoOn, screens.layout());
                screens.update_run(RunMessage::Curves(message), &layout)
            }
            JobKind::Table => screens.update_table(table::TableMessage::StopOrGoOn),
            JobKind::Comparison => {
                let layout = screens.layout();
                screens.update_comparison(compare::CompareMessage::StopOrGoOn, &layout)
            }
            JobKind::Export => self.stop_export(),
        }
    }
}

fn table_job(screens: &Screens) -> Option<JobRow> {
    let table = screens.collection.as_ref()?;
    let ([_, done], all) = (table.read_and_measured(), table.rows.len());
    let state = match (table.is_stopped, table.is_listed && done == all) {
        (_, true) => JobState::Ended,
        (true, false) => JobState::Stopped,
        (false, false) => JobState::Running,
    };
    let job = JobRow::new(JobKind::Table, "measuring the runs".into(), state);
    Some(JobRow { progress: Some((done, all)), ..job })
}

fn comparison_job(screens: &Screens) -> Option<JobRow> {
    let compared = screens.compared.as_ref()?;
    let state =
        match (compared.measures.is_stopped, compared.measures.progress, &compared.measures.failed)
        {
            (.., Some(_)) => JobState::Failed,
            (true, ..) => JobState::Stopped,
            (false, Some(_), None) => JobState::Running,
            (false, None, None) => return None,
        };
    let job = JobRow::new(JobKind::Comparison, "measuring the comparison".into(), state);
    let words = compared.measures.failed.clone().unwrap_or_default();
    Some(JobRow { progress: compared.measures.progress, words, ..job })
}

fn show_job(screens: &mut Screens, work: &JobKind) -> Vec<Effect> {
    match work {
        JobKind::Live => screens.bring_up_view(View::Live),
        JobKind::Table => screens.bring_up_view(View::Collection),
        JobKind::Comparison => screens.bring_up_view(View::Compare),
        JobKind::Measuring => screens.bring_up_view(View::Curves),
        JobKind::Judging => screens.show_judging(),
        JobKind::Export => {}
        JobKind::Tests(source) if *source == screens.source => screens.bring_up_view(View::Curves),
        JobKind::Tests(source) => return open_run_in(screens, source.clone(), View::Curves),
        JobKind::OtherJudging(source) => {
            screens.opening.shows_judging = true;
            return open_run_in(screens, source.clone(), View::Replay);
        }
    }
    vec![]
}

fn open_run_in(screens: &mut Screens, source: PathBuf, view: View) -> Vec<Effect> {
    screens.show_screen(ScreenKind::Run);
    vec![screens.open_path(source, StartPlace { view, ..StartPlace::default() })]
}

/// Returns the row of the live run; None when there is none, or another program makes it: nothing is known of that.
fn live_job(live: &LiveView) -> Option<JobRow> {
    let (state, words) = match &live.phase {
        LivePhase::Nothing | LivePhase::Elsewhere => return None,
        LivePhase::Starting | LivePhase::Running | LivePhase::Stopping => {
            (JobState::Running, String::new())
        }
        LivePhase::Waiting(_) => (JobState::Waiting, String::new()),
        LivePhase::Over { words, is_whole: true } => (JobState::Ended, words.clone()),
        LivePhase::Over { words, is_whole: false } => (JobState::Stopped, words.clone()),
    };
    let what = format!("live run, {}: {}", live.plan.agent, live.plan.out);
    let times: Vec<f64> = live.turns.iter().filter_map(|turn| turn.seconds).collect();
    Some(JobRow {
        progress: Some((live.finished_count(), live.turns.len())),
        tokens: live.spent.tokens.recorded_sum(),
        cost: live.spent.cost_usd,
        seconds: (!times.is_empty()).then(|| times.iter().sum()),
        words,
        ..JobRow::new(JobKind::Live, what, state)
    })
}

fn testing_job(testing: &TestingJob) -> JobRow {
    let state = match (&testing.over, testing.is_stopping) {
        (None, _) => JobState::Running,
        (Some(_), true) => JobState::Stopped,
        (Some(_), false) => JobState::Ended,
    };
    let what = format!("tests of {}: {}", file_name_text(&testing.source), testing.command);
    let words = testing.over.clone().unwrap_or_default();
    let progress = Some((testing.done.len(), testing.total));
    JobRow { progress, words, ..JobRow::new(JobKind::Tests(testing.source.clone()), what, state) }
}

fn export_job(export: &StartedExport) -> JobRow {
    let (state, words) = match (&export.end, export.is_stopping) {
        (None, _) => (JobState::Running, String::new()),
        (Some(Err(why)), true) => (JobState::Stopped, why.clone()),
        (Some(Err(why)), false) => (JobState::Failed, why.clone()),
        (Some(Ok(words)), _) => (JobState::Ended, words.clone()),
    };
    JobRow { words, ..JobRow::new(JobKind::Export, export.command.clone(), state) }
}

fn judging_job(work: JobKind, run: String, watched: &WatchedJudging) -> JobRow {
    let (state, words) = match &watched.outcome {
        None => (JobState::Running, String::new()),
        Some(outcome) => {
            let state = match outcome.end {
                JudgingEnd::Finished => JobState::Ended,
                JudgingEnd::Stopped => JobState::Stopped,
                JudgingEnd::Failed => JobState::Failed,
            };
            (state, outcome.text.clone())
        }
    };
    let model = if watched.panel.is_empty() { watched.judging_request.model.as_str() } else { "" };
    let judges: Vec<&str> = watched.all_judges().map(|it| it.judge.as_str()).collect();
    let by = [&judges.join(", "), model].join(" ").trim_end().to_owned();
    JobRow {
        progress: Some(watched.progress()),
        tokens: watched.tokens,
        cost: watched.spent,
        seconds: (watched.seconds > 0.0).then_some(watched.seconds),
        words,
        ..JobRow::new(work, format!("judging {run}, by {}", by.trim()), state)
    }
}
