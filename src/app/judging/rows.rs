//! The lines about one component of a judging: what was said of it, and what the judge looked at so far.

use super::{
    areas::Areas,
    sitting::{Call, Entry, State, Traced},
};
use crate::{
    app::{replay::Replay, scores::components::verdict::cut},
    run::rubric::{Evidence, Verdict},
};

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Blank,
    Heading(String),
    Score(u8),
    /// Somebody else's words, cut to the width.
    Words(String),
    /// Our own.
    Note(String),
    Problem(String),
    Evidence(Evidence),
    /// Counts from 1.
    Call(usize, Call),
    Excerpt(String),
}

/// Lines of what a call gave.
const MOST_EXCERPT: usize = 6;

impl Replay {
    /// About the chosen component, as wide as the pane is in these areas.
    pub fn entry_rows(&self, areas: &Areas) -> Vec<Row> {
        let Some(entry) = self.judging.chosen() else { return vec![] };
        let width = areas.width().saturating_sub(2).max(20);
        let mut rows = vec![];
        self.say_state(entry, width, &mut rows);
        if let Some(verdict) = self.entry_verdict(entry) {
            say_verdict(verdict, width, &mut rows);
        }
        say_trace(entry, width, &mut rows);
        rows
    }

    /// The verdict as it was saved; None where there is none in the file that is being filled.
    pub fn entry_verdict(&self, entry: &Entry) -> Option<&Verdict> {
        let file = &self.judging.sitting.as_ref()?.file.as_ref()?.name;
        let judgements = &self.scores.components.rubric()?.judgements;
        let saved = judgements.iter().find(|it| it.file.rsplit('/').next() == Some(file))?;
        saved.of(&entry.id).filter(|it| it.score.is_some() || it.error.is_some())
    }

    /// What is known of a component: what was saved before counts where nothing happened since.
    pub fn entry_state(&self, entry: &Entry) -> State {
        match (&entry.state, self.entry_verdict(entry)) {
            (State::Waiting, Some(verdict)) => State::Done {
                score: verdict.score,
                error: verdict.error.clone().unwrap_or_default(),
            },
            (state, _) => state.clone(),
        }
    }

    fn say_state(&self, entry: &Entry, width: usize, rows: &mut Vec<Row>) {
        match self.entry_state(entry) {
            State::Waiting => rows.push(Row::Note("not asked yet".into())),
            State::Looking => rows.push(Row::Note("being judged".into())),
            State::Retries { why, .. } => {
                rows.push(Row::Note("waits to be asked again".into()));
                rows.extend(cut(&why, width).into_iter().map(Row::Problem));
            }
            State::Done { score: Some(score), .. } => rows.push(Row::Score(score)),
            State::Done { score: None, error } => {
                rows.push(Row::Note("no verdict".into()));
                rows.extend(cut(&error, width).into_iter().map(Row::Problem));
            }
        }
    }
}

fn say_verdict(verdict: &Verdict, width: usize, rows: &mut Vec<Row>) {
    if !verdict.rationale.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Heading("rationale".into()));
        rows.extend(cut(&verdict.rationale, width).into_iter().map(Row::Words));
    }
    if !verdict.evidence.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Heading("evidence".into()));
        rows.extend(verdict.evidence.iter().cloned().map(Row::Evidence));
    }
}

fn say_trace(entry: &Entry, width: usize, rows: &mut Vec<Row>) {
    if entry.trace.is_empty() {
        return;
    }
    rows.push(Row::Blank);
    rows.push(Row::Heading("what it did".into()));
    let mut number = 0;
    for traced in &entry.trace {
        match traced {
            Traced::Words(words) => rows.extend(cut(words, width).into_iter().map(Row::Words)),
            Traced::Fault(why) => rows.extend(cut(why, width).into_iter().map(Row::Problem)),
            Traced::Call(call) => {
                number += 1;
                rows.push(Row::Call(number, call.clone()));
                let excerpt = call.look.excerpt.as_deref().unwrap_or_default();
                let lines = cut(excerpt, width.saturating_sub(4));
                let more = lines.len().saturating_sub(MOST_EXCERPT);
                rows.extend(lines.into_iter().take(MOST_EXCERPT).map(Row::Excerpt));
                if more > 0 {
                    rows.push(Row::Excerpt(format!("… {more} more lines")));
                }
            }
        }
    }
}
