//! Everything that was begun from the screen, in one list: what it is, how far it is, what it took.
//!
//! A row is derived from what is known of the work each time; nothing is kept twice. To add a kind of work add a variant to
//! [`Work`], its row, and what entering and stopping it mean.

pub use crate::shell::message::jobs::List as Message;
use std::path::PathBuf;

use crate::{
    session::{effect::Effect, judging::How, place::Place, views::View},
    shell::open_run::RunMessage,
    shell::screens::{Screen, Screens, judge::name_of},
    views::{
        compare, curves,
        judge::watched::Watched,
        live::{self, Live, Phase},
        table,
    },
    widgets::scroll::Scroll,
};

use super::{Jobs, form_height, testing::Testing};

/// The list over the view.
#[derive(Debug, Clone, Default)]
pub struct List {
    pub rows: Scroll,
}

/// One work.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub work: Work,
    /// `judging codex-p12, by stub m-1`
    pub what: String,
    pub state: State,
    /// Done, and to be done.
    pub progress: Option<(usize, usize)>,
    pub tokens: Option<u64>,
    /// US dollars; None where it is not priced.
    pub cost: Option<f64>,
    /// That it took so far; None where nobody measures.
    pub seconds: Option<f64>,
    /// How it ended: a sentence, or nothing.
    pub words: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    Live,
    /// Of the run that is open.
    Judging,
    /// Of another run.
    OtherJudging(PathBuf),
    /// Of this run's checkpoints.
    Tests(PathBuf),
    Measuring,
    Table,
    Comparison,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Running,
    /// For a person, before it goes on.
    Waiting,
    Ended,
    Stopped,
    Failed,
}

impl State {
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

impl Job {
    const fn of(work: Work, what: String, state: State) -> Self {
        let (progress, tokens, cost, seconds) = (None, None, None, None);
        Self { work, what, state, progress, tokens, cost, seconds, words: String::new() }
    }
}

impl Jobs {
    /// All there is, those of the open run first.
    pub fn all(&self, screens: &Screens) -> Vec<Job> {
        let live = screens.live.as_deref().and_then(of_live);
        let own = screens.open_run().and_then(|it| it.judging.watched.as_ref());
        let own = own.map(|it| of_judging(Work::Judging, name_of(&screens.source), it));
        let others = screens.other_judgings.iter().map(|other| {
            let work = Work::OtherJudging(other.source.clone());
            of_judging(work, name_of(&other.source), &other.watched)
        });
        let tests = self.testing.as_ref().map(of_testing);
        let measuring =
            [self.measuring(screens), table_at_work(screens), comparison_at_work(screens)];
        let measuring = measuring.into_iter().flatten();
        live.into_iter().chain(own).chain(others).chain(tests).chain(measuring).collect()
    }

    fn measuring(&self, screens: &Screens) -> Option<Job> {
        let open = screens.open_run()?;
        let scores = &open.session.scores;
        let known = (scores.count(), open.session.run.turns.len());
        let state = match (scores.is_busy(), scores.is_stopped, &scores.failed) {
            (.., Some(_)) => State::Failed,
            (_, true, _) => State::Stopped,
            (true, ..) => State::Running,
            (false, ..) if known.0 == 0 => return None,
            (false, ..) => State::Ended,
        };
        let what =
            format!("measuring {}, {}", name_of(&screens.source), self.measure.profile.name());
        let job = Job::of(Work::Measuring, what, state);
        let words = scores.failed.clone().unwrap_or_default();
        Some(Job { progress: Some(known), words, ..job })
    }

    pub(crate) fn update_list(&mut self, message: Message, screens: &mut Screens) -> Vec<Effect> {
        let jobs = self.all(screens);
        let height = form_height(screens);
        let Some(list) = &mut self.list else {
            self.list = Some(List::default());
            return vec![];
        };
        let job = jobs.get(list.rows.cursor);
        match (message, job) {
            (Message::Toggle, _) => self.list = None,
            (Message::Move(motion), _) => {
                list.rows.cursor = motion.from(list.rows.cursor, jobs.len(), height);
            }
            (Message::Enter, Some(job)) => {
                self.list = None;
                return enter(screens, &job.work);
            }
            (Message::Stop, Some(job)) if !job.state.is_over() => {
                return self.stop_job(&job.work, screens);
            }
            (Message::Stop, Some(_)) => screens.say("this is over already".into()),
            (Message::Enter | Message::Stop, None) => {}
        }
        vec![]
    }

    pub(crate) fn settle_list(&mut self, screens: &Screens) {
        if self.list.is_none() {
            return;
        }
        let (count, height) = (self.all(screens).len(), form_height(screens));
        if let Some(list) = &mut self.list {
            list.rows.follow(count, height);
        }
    }

    fn stop_job(&mut self, work: &Work, screens: &mut Screens) -> Vec<Effect> {
        match work {
            Work::Live => {
                let effects = screens.update_live(live::Message::Stop);
                // It asks first, on whatever screen the list lies.
                let notice = screens.live.as_ref().and_then(|live| live.notice.clone());
                notice.into_iter().for_each(|words| screens.say(words));
                effects
            }
            Work::Judging => {
                screens.on_open_run(|open| open.judging.stop_judging(&mut open.session));
                vec![]
            }
            Work::OtherJudging(source) => screens.other_judgings.stop(source),
            Work::Tests(_) => self.stop_testing(),
            Work::Measuring => {
                let (message, layout) = (curves::Message::StopOrGoOn, screens.layout());
                screens.update_run(RunMessage::Curves(message), &layout)
            }
            Work::Table => screens.update_table(table::Message::StopOrGoOn),
            Work::Comparison => {
                let layout = screens.layout();
                screens.update_comparison(compare::Message::StopOrGoOn, &layout)
            }
        }
    }
}

fn table_at_work(screens: &Screens) -> Option<Job> {
    let table = screens.collection.as_ref()?;
    let ([_, done], all) = (table.progress(), table.rows.len());
    let state = match (table.is_stopped, table.is_listed && done == all) {
        (_, true) => State::Ended,
        (true, false) => State::Stopped,
        (false, false) => State::Running,
    };
    let job = Job::of(Work::Table, "measuring the table of runs".into(), state);
    Some(Job { progress: Some((done, all)), ..job })
}

fn comparison_at_work(screens: &Screens) -> Option<Job> {
    let compared = screens.compared.as_ref()?;
    let state =
        match (compared.measures.is_stopped, compared.measures.progress, &compared.measures.failed)
        {
            (.., Some(_)) => State::Failed,
            (true, ..) => State::Stopped,
            (false, Some(_), None) => State::Running,
            (false, None, None) => return None,
        };
    let job = Job::of(Work::Comparison, "measuring the comparison".into(), state);
    let words = compared.measures.failed.clone().unwrap_or_default();
    Some(Job { progress: compared.measures.progress, words, ..job })
}

fn enter(screens: &mut Screens, work: &Work) -> Vec<Effect> {
    match work {
        Work::Live => screens.bring_up(View::Live),
        Work::Table => screens.bring_up(View::Collection),
        Work::Comparison => screens.bring_up(View::Compare),
        Work::Measuring => screens.bring_up(View::Curves),
        Work::Judging => screens.show_judging(),
        Work::Tests(source) if *source == screens.source => screens.bring_up(View::Curves),
        Work::Tests(source) => return open_in(screens, source.clone(), View::Curves),
        Work::OtherJudging(source) => {
            screens.way.shows_judging = true;
            return open_in(screens, source.clone(), View::Replay);
        }
    }
    vec![]
}

fn open_in(screens: &mut Screens, source: PathBuf, view: View) -> Vec<Effect> {
    screens.show(Screen::Run);
    vec![screens.open(source, Place { view, ..Place::default() })]
}

/// None where no run is being made, and where another program makes it: nothing is known of that.
fn of_live(live: &Live) -> Option<Job> {
    let (state, words) = match &live.phase {
        Phase::Nothing | Phase::Elsewhere => return None,
        Phase::Starting | Phase::Running | Phase::Stopping => (State::Running, String::new()),
        Phase::Waiting(_) => (State::Waiting, String::new()),
        Phase::Over { words, is_whole: true } => (State::Ended, words.clone()),
        Phase::Over { words, is_whole: false } => (State::Stopped, words.clone()),
    };
    let what = format!("live run, {}: {}", live.plan.agent, live.plan.out);
    let times: Vec<f64> = live.turns.iter().filter_map(|turn| turn.seconds).collect();
    Some(Job {
        progress: Some((live.done(), live.turns.len())),
        tokens: live.spent.tokens,
        cost: live.spent.cost,
        seconds: (!times.is_empty()).then(|| times.iter().sum()),
        words,
        ..Job::of(Work::Live, what, state)
    })
}

fn of_testing(testing: &Testing) -> Job {
    let state = match (&testing.over, testing.is_stopping) {
        (None, _) => State::Running,
        (Some(_), true) => State::Stopped,
        (Some(_), false) => State::Ended,
    };
    let what = format!("tests of {}: {}", name_of(&testing.source), testing.command);
    let words = testing.over.clone().unwrap_or_default();
    let progress = Some((testing.done.len(), testing.total));
    Job { progress, words, ..Job::of(Work::Tests(testing.source.clone()), what, state) }
}

fn of_judging(work: Work, run: String, watched: &Watched) -> Job {
    let (state, words) = match &watched.outcome {
        None => (State::Running, String::new()),
        Some(outcome) => {
            let state = match outcome.how {
                How::Finished => State::Ended,
                How::Stopped => State::Stopped,
                How::Failed => State::Failed,
            };
            (state, outcome.words.clone())
        }
    };
    let model = if watched.panel.is_empty() { watched.wish.model.as_str() } else { "" };
    let judges: Vec<&str> = watched.all().map(|it| it.judge.as_str()).collect();
    let by = [&judges.join(", "), model].join(" ").trim_end().to_owned();
    Job {
        progress: Some(watched.progress()),
        tokens: watched.tokens,
        cost: watched.spent,
        seconds: (watched.seconds > 0.0).then_some(watched.seconds),
        words,
        ..Job::of(work, format!("judging {run}, by {}", by.trim()), state)
    }
}
