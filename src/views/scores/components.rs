//! The components of a run's checklist, and what a judge said of each: a table, the verdict on the chosen one with its
//! evidence and what the judge looked at, and below them the [`super::lifeline`].
//!
//! What the run is judged by is read beside it once it is open, and again whenever the view is come back to. [`table`]
//! has the rows, [`verdict`] the lines of the panel, [`areas`] says where the parts stand, [`asking`] what is missing.

pub mod areas;
pub mod asking;
mod copying;
pub mod marks;
mod opening;
mod pointing;
pub mod table;
pub mod verdict;

use std::sync::Arc;

use crate::{
    run::rubric::{Judge, Judgement, Rubric},
    session::ask::{Loading, Request},
    shell::replay::Replay,
    views::replay::{base::Base, turns},
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};

use super::lifeline::Lifelines;

use areas::Areas;
use table::Sort;

/// What is known of the components, and what is looked at.
#[derive(Debug, Default)]
pub struct Components {
    pub rubric: Loading<Arc<Rubric>>,
    /// A newer reading that is under way, with the old one on screen.
    again: Option<Request>,
    /// Something was written beside the run since it was read.
    is_stale: bool,
    /// Whether the view was on screen after the last message.
    was_seen: bool,
    pub part: Part,
    pub sort: Sort,
    /// Id of the component that is looked at.
    chosen: Option<String>,
    /// File of the judgement that is looked at.
    judgement: Option<String>,
    pub rows: Scroll,
    pub verdict: Scroll,
    /// Whose verdict the scroll is of.
    verdict_of: Option<(String, Option<String>)>,
    pub lifelines: Lifelines,
    pub reuse: asking::Reused,
    /// What the diff was measured from before an event led to it.
    lent_base: Option<Base>,
}

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Table,
    Verdict,
    Lifeline,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In the part that has the keyboard.
    Move(Motion),
    /// The playhead, from turn to turn; up is back.
    Turn(Motion),
    NextCheckpoint(usize),
    PreviousCheckpoint(usize),
    /// To the next turn that did something to the chosen component.
    NextEvent(usize),
    PreviousEvent(usize),
    /// To the turn where the chosen component was lost.
    Lost,
    /// By the next column.
    Sort,
    /// Another judgement.
    NextJudgement,
    PreviousJudgement,
    NextPart,
    PreviousPart,
    /// What the cursor stands on.
    Open,
    /// Back to the table.
    Close,
}

impl Part {
    const ALL: [Self; 3] = [Self::Table, Self::Verdict, Self::Lifeline];

    const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    const fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

impl Components {
    /// Whether anything is known that a table could show.
    pub fn is_there(&self) -> bool {
        self.rubric.ready().is_some_and(|rubric| {
            let has_list = rubric.checklist.as_ref().is_some_and(|it| !it.components.is_empty());
            has_list || !rubric.judgements.is_empty()
        })
    }

    pub fn rubric(&self) -> Option<&Rubric> {
        self.rubric.ready().map(|rubric| &**rubric)
    }

    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id;
    }

    /// Looks at the judgement of a file.
    pub fn look_at(&mut self, file: &str) {
        self.judgement = Some(file.to_owned());
    }

    /// The judgement that is looked at: the one that was flipped to, else the one that speaks for the run, else the last
    /// there is.
    pub fn judgement(&self) -> Option<&Judgement> {
        let rubric = self.rubric()?;
        self.flipped_to().or_else(|| rubric.shown()).or_else(|| rubric.judgements.last())
    }

    /// The judgement that the user asked for.
    fn flipped_to(&self) -> Option<&Judgement> {
        let wanted = self.judgement.as_ref()?;
        self.rubric()?.judgements.iter().find(|it| it.file == *wanted)
    }

    /// Whether means over the judgement that is looked at are shown: where it covers the checklist, or was asked for.
    pub fn has_means(&self) -> bool {
        let rubric = self.rubric();
        let covers = || rubric.zip(self.judgement()).is_some_and(|(rubric, it)| rubric.covers(it));
        self.flipped_to().is_some() || covers()
    }

    /// Whose judgements the curves are of: that of the one that is looked at where it covers the checklist, else that of
    /// the one that speaks for the run.
    pub fn judge_of_curves(&self) -> Option<&Judge> {
        let rubric = self.rubric()?;
        let looked_at = self.judgement().filter(|it| rubric.covers(it));
        looked_at.or_else(|| rubric.chosen()).map(|it| &it.judge)
    }

    /// Which of how many it is; both count from 1.
    pub fn judgement_number(&self) -> Option<(usize, usize)> {
        let (rubric, chosen) = (self.rubric()?, self.judgement()?);
        let at = rubric.judgements.iter().position(|it| it.file == chosen.file)?;
        Some((at + 1, rubric.judgements.len()))
    }

    /// The judgement that changes are told from: the one before with a score, else one after.
    pub fn other(&self) -> Option<&Judgement> {
        let (rubric, (number, _)) = (self.rubric()?, self.judgement_number()?);
        let (before, after) = rubric.judgements.split_at(number - 1);
        let has_score = |it: &&Judgement| rubric.coverage(it).scored > 0;
        before.iter().rfind(has_score).or_else(|| after.iter().skip(1).find(has_score))
    }

    /// Reads again what the run is judged by.
    pub fn renew(&mut self) {
        self.is_stale = true;
    }

    /// Keeps looking at this judgement, whatever newer ones come.
    pub fn stay(&mut self) {
        self.judgement = self.judgement().map(|it| it.file.clone());
    }

    fn flip(&mut self, by: isize) -> Result<String, String> {
        let (number, count) = self.judgement_number().ok_or("nothing has judged this run yet")?;
        if count == 1 {
            return Err("this run has one judgement".into());
        }
        let (at, count) = (number as isize - 1, count as isize);
        let next = (at + by).rem_euclid(count) as usize;
        let judgements = self.rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let file = judgements.get(next).map(|it| it.file.clone()).unwrap_or_default();
        let words = format!("judgement {} of {count}: {file}", next + 1);
        self.judgement = Some(file);
        Ok(words)
    }

    pub fn take_rubric(&mut self, request: Request, rubric: Result<Arc<Rubric>, String>) {
        if self.again.take_if(|asked| *asked == request).is_some() {
            if let Ok(rubric) = rubric {
                self.rubric = Loading::Ready(rubric);
            }
            return;
        }
        self.rubric.settle(request, rubric);
    }
}

impl Replay {
    pub(super) fn update_components(&mut self, message: Message, layout: &Layout) {
        let parts = &mut self.scores.components;
        match message {
            Message::Move(motion) => self.move_in_part(motion, layout),
            Message::Turn(motion) => {
                let turn = motion.from(self.session.turn, self.session.run.turns.len(), 10);
                self.select_turn(turn);
            }
            Message::NextCheckpoint(count) => {
                let message = turns::Message::NextCheckpoint(count);
                self.select_turn(message.from(&self.session.run, self.session.turn));
            }
            Message::PreviousCheckpoint(count) => {
                let message = turns::Message::PreviousCheckpoint(count);
                self.select_turn(message.from(&self.session.run, self.session.turn));
            }
            Message::NextEvent(count) => self.go_to_event(count as isize),
            Message::PreviousEvent(count) => self.go_to_event(-(count as isize)),
            Message::Lost => self.go_to_loss(),
            Message::Sort => {
                parts.sort = parts.sort.next();
                self.session.notice =
                    Some(format!("sorted by {}", self.scores.components.sort.words()));
            }
            Message::NextJudgement => self.flip(1),
            Message::PreviousJudgement => self.flip(-1),
            Message::NextPart => parts.part = parts.part.next(),
            Message::PreviousPart => parts.part = parts.part.previous(),
            Message::Open => self.open_part(layout),
            Message::Close => parts.part = Part::Table,
        }
    }

    fn flip(&mut self, by: isize) {
        let (Ok(words) | Err(words)) = self.scores.components.flip(by);
        self.session.notice = Some(words);
    }

    fn move_in_part(&mut self, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        match self.scores.components.part {
            Part::Table | Part::Lifeline => {
                let ids: Vec<String> =
                    self.component_rows().into_iter().map(|row| row.id).collect();
                let parts = &mut self.scores.components;
                let at = motion.from(parts.rows.cursor, ids.len(), areas.table_height());
                parts.rows.cursor = at;
                parts.chosen = ids.get(at).cloned();
            }
            Part::Verdict => {
                let len = self.verdict_rows(&areas).len();
                let parts = &mut self.scores.components;
                parts.verdict.cursor =
                    motion.from(parts.verdict.cursor, len, areas.verdict_height());
            }
        }
    }

    fn open_part(&mut self, layout: &Layout) {
        match self.scores.components.part {
            Part::Table => self.scores.components.part = Part::Verdict,
            Part::Verdict => self.open_evidence(layout),
            Part::Lifeline => self.open_event(),
        }
    }

    pub(super) fn settle_components(&mut self, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        let rows = self.component_rows();
        let parts = &mut self.scores.components;
        let at = rows.iter().position(|row| Some(&row.id) == parts.chosen.as_ref());
        if let (None, Some(wanted), false) = (at, &parts.chosen, rows.is_empty()) {
            self.session.notice = Some(format!("no component {wanted}: {}", table::ids(&rows)));
        }
        parts.rows.cursor = at.unwrap_or_default();
        parts.chosen = rows.get(parts.rows.cursor).map(|row| row.id.clone());
        parts.rows.follow(rows.len(), areas.table_height());
        let judged = parts.judgement().map(|it| it.file.clone());
        let shown = parts.chosen.clone().map(|id| (id, judged));
        if parts.verdict_of != shown {
            parts.verdict_of = shown;
            parts.verdict = Scroll::default();
        }
        let len = self.verdict_rows(&areas).len();
        self.scores.components.verdict.follow(len, areas.verdict_height());
    }
}
