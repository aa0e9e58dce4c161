//! Judgings of runs that are not open: they go on, and are there again when their run is opened.

use std::path::{Path, PathBuf};

use crate::{
    session::{
        ask::{Loading, Request, Sentence},
        effect::Effect,
        judging::{How, News, Outcome},
    },
    shell::App,
    views::judge::{Page, Part, sitting::Sitting},
    widgets::scroll::Scroll,
};

/// A judging of a run that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The recording, as it was opened.
    pub source: PathBuf,
    pub sitting: Sitting,
}

/// Judgings that are kept; those that ended first go first.
const MOST: usize = 50;

/// The last part of a recording's path.
pub fn name_of(source: &Path) -> String {
    let name = source.file_name().unwrap_or(source.as_os_str());
    name.to_string_lossy().into_owned()
}

impl App {
    /// To be called before another run takes the place of the open one.
    pub(crate) fn set_judging_aside(&mut self) {
        let source = self.shell.source.clone();
        let Loading::Ready(open) = &mut self.opened else { return };
        let Some(sitting) = open.judging.sitting.take() else { return };
        self.other_judgings.retain(|it| it.source != source);
        self.other_judgings.push(Other { source, sitting });
        if self.other_judgings.len() > MOST {
            let ended = self.other_judgings.iter().position(|it| !it.sitting.is_under_way());
            ended.map(|at| self.other_judgings.remove(at));
        }
    }

    /// To be called when a run was opened: its judging is watched again.
    pub(crate) fn take_judging_back(&mut self) {
        let Loading::Ready(open) = &mut self.opened else { return };
        let source = &self.shell.source;
        let Some(at) = self.other_judgings.iter().position(|it| it.source == *source) else {
            return;
        };
        let judging = &mut open.judging;
        judging.sitting = Some(self.other_judgings.remove(at).sitting);
        (judging.page, judging.part) = (Page::Watch, Part::Components);
        (judging.rows, judging.calls) = (Scroll::default(), Scroll::default());
        judging.follows = true;
    }

    /// The judging of a run that is not open.
    fn other_judging(&mut self, request: Request) -> Option<&mut Other> {
        self.other_judgings.iter_mut().find(|it| it.sitting.request == request)
    }

    pub(crate) fn take_news(&mut self, request: Request, seconds: f64, news: News) {
        match self.other_judging(request) {
            Some(other) => {
                other.sitting.hear(seconds, news);
            }
            None => {
                self.on_open_run(|it| it.judging.take_news(&mut it.session, request, seconds, news))
            }
        }
    }

    pub(crate) fn take_outcome(&mut self, request: Request, outcome: Result<Outcome, Sentence>) {
        let outcome = outcome.unwrap_or_else(Outcome::failure);
        let Some(other) = self.other_judging(request) else {
            return self
                .on_open_run(|it| it.judging.end_judging(&mut it.session, request, outcome));
        };
        let done = if outcome.how == How::Finished { ": the judge is done" } else { "" };
        let words = format!("{}: {}{done}", name_of(&other.source), outcome.words);
        other.sitting.end(outcome);
        self.say(words);
    }

    pub(crate) fn stop_other_judging(&mut self, source: &Path) -> Vec<Effect> {
        let is_it = |other: &&mut Other| other.source == source && other.sitting.is_under_way();
        let other = self.other_judgings.iter_mut().find(is_it);
        let stop = other.map(|it| {
            it.sitting.is_stopping = true;
            Effect::StopJudging(it.sitting.request)
        });
        stop.into_iter().collect()
    }

    /// Every judging that goes on.
    pub fn judgings_under_way(&self) -> impl Iterator<Item = &Sitting> {
        let of_open = self.open_run().and_then(|it| it.judging.under_way());
        let others = self.other_judgings.iter().map(|it| &it.sitting);
        of_open.into_iter().chain(others.filter(|it| it.is_under_way()))
    }
}
