//! Judgings of runs that are not open: they go on, and are shown again when their run is opened.

use std::path::{Path, PathBuf};

use trajview_run::judging::{JudgingEnd, JudgingOutcome};

use crate::{
    session::{effect::Effect, request::RequestId},
    views::judge::watched::WatchedJudging,
};

/// A judging of a run that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherJudging {
    /// The recording, as it was opened.
    pub source: PathBuf,
    pub watched: WatchedJudging,
}

/// The largest number of kept judgings; those that ended first are dropped first.
const MAX_JUDGINGS: usize = 50;

/// Returns the last part of a recording's path.
pub(crate) fn file_name_text(source: &Path) -> String {
    let name = source.file_name().unwrap_or(source.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The judgings of runs that are not open.
#[derive(Debug, Default)]
pub struct OtherJudgings(Vec<OtherJudging>);

impl OtherJudgings {
    pub fn iter(&self) -> impl Iterator<Item = &OtherJudging> {
        self.0.iter()
    }

    pub fn add(&mut self, other: OtherJudging) {
        self.0.retain(|it| it.source != other.source);
        self.0.push(other);
        if self.0.len() > MAX_JUDGINGS {
            let ended = self.0.iter().position(|it| !it.watched.is_under_way());
            ended.map(|at| self.0.remove(at));
        }
    }

    pub fn remove(&mut self, source: &Path) -> Option<WatchedJudging> {
        let at = self.0.iter().position(|it| it.source == source)?;
        Some(self.0.remove(at).watched)
    }

    pub fn for_request(&mut self, request: RequestId) -> Option<&mut OtherJudging> {
        self.0.iter_mut().find(|it| it.watched.request == request)
    }

    pub fn stop_judging(&mut self, source: &Path) -> Vec<Effect> {
        let is_it =
            |other: &&mut OtherJudging| other.source == source && other.watched.is_under_way();
        let stop = self.0.iter_mut().find(is_it).map(|it| {
            it.watched.is_stopping = true;
            Effect::StopJudging(it.watched.request)
        });
        stop.into_iter().collect()
    }

    pub fn under_way(&self) -> impl Iterator<Item = &WatchedJudging> {
        self.iter().map(|it| &it.watched).filter(|it| it.is_under_way())
    }
}

impl OtherJudging {
    /// Ends the judging, and returns a sentence about the result.
    pub fn end_judging(&mut self, outcome: JudgingOutcome) -> String {
        let done = if outcome.end == JudgingEnd::Finished { ": the judge is done" } else { "" };
        let words = format!("{}: {}{done}", file_name_text(&self.source), outcome.text);
        self.watched.end_judging(outcome);
        words
    }
}
