//! Judgings of runs that are not open: they go on, and are there again when their run is opened.

use std::path::{Path, PathBuf};

use crate::{
    session::{
        effect::Effect,
        judging::{How, Outcome},
        request::Request,
    },
    views::judge::watched::Watched,
};

/// A judging of a run that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The recording, as it was opened.
    pub source: PathBuf,
    pub watched: Watched,
}

/// Judgings that are kept; those that ended first go first.
const MOST: usize = 50;

/// The last part of a recording's path.
pub fn name_of(source: &Path) -> String {
    let name = source.file_name().unwrap_or(source.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The judgings of runs that are not open.
#[derive(Debug, Default)]
pub struct OtherJudgings(Vec<Other>);

impl OtherJudgings {
    pub fn iter(&self) -> impl Iterator<Item = &Other> {
        self.0.iter()
    }

    pub fn add(&mut self, other: Other) {
        self.0.retain(|it| it.source != other.source);
        self.0.push(other);
        if self.0.len() > MOST {
            let ended = self.0.iter().position(|it| !it.watched.is_under_way());
            ended.map(|at| self.0.remove(at));
        }
    }

    pub fn remove(&mut self, source: &Path) -> Option<Watched> {
        let at = self.0.iter().position(|it| it.source == source)?;
        Some(self.0.remove(at).watched)
    }

    pub fn of(&mut self, request: Request) -> Option<&mut Other> {
        self.0.iter_mut().find(|it| it.watched.request == request)
    }

    pub fn stop(&mut self, source: &Path) -> Vec<Effect> {
        let is_it = |other: &&mut Other| other.source == source && other.watched.is_under_way();
        let stop = self.0.iter_mut().find(is_it).map(|it| {
            it.watched.is_stopping = true;
            Effect::StopJudging(it.watched.request)
        });
        stop.into_iter().collect()
    }

    pub fn under_way(&self) -> impl Iterator<Item = &Watched> {
        self.iter().map(|it| &it.watched).filter(|it| it.is_under_way())
    }
}

impl Other {
    /// Ends it; the sentence says what came of it.
    pub fn end(&mut self, outcome: Outcome) -> String {
        let done = if outcome.how == How::Finished { ": the judge is done" } else { "" };
        let words = format!("{}: {}{done}", name_of(&self.source), outcome.words);
        self.watched.end(outcome);
        words
    }
}
