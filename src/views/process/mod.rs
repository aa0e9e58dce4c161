//! How the run was worked on: the seven pillars with the events that were counted, signals along the playhead, recoveries, the
//! plan beside what was done, the decisions over the steps, and what a memory gave the agent.
//!
//! [`rows`] says what each list holds and where a row opens, [`areas`] where the lists stand. Everything with a step opens
//! there.

pub mod areas;
pub mod draw;
mod memory;
pub mod rows;
mod view;

use crate::{
    metrics::process::{Pillar, Profile, Report, Weights, pillars::MOST_MOVED},
    session::{Session, views::View},
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use areas::Areas;
use rows::Row;

/// What the view shows beside what is known.
#[derive(Debug, Default)]
pub struct Process {
    pub part: Part,
    pub profile: Profile,
    pub list: List,
    pub weights: Weights,
    /// Of the pillars.
    pub pillar: usize,
    /// Of what the chosen pillar is made of.
    pub counted: Scroll,
    /// Of the lower list.
    pub below: Scroll,
}

/// Which part has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Pillars,
    /// What the chosen pillar is made of.
    Counted,
    /// The list below: signals, recoveries and plan, decisions, memory, the recording.
    Below,
}

/// What the lower list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum List {
    #[default]
    Signals,
    /// Recoveries, and the plan beside what was done.
    Plan,
    Decisions,
    /// Events and evidence cards of a memory.
    Memory,
    /// What is wrong with the recording.
    Recording,
}

impl List {
    pub const ALL: [Self; 5] =
        [Self::Signals, Self::Plan, Self::Decisions, Self::Memory, Self::Recording];

    pub const fn words(self) -> &'static str {
        match self {
            Self::Signals => "signals",
            Self::Plan => "recoveries and plan",
            Self::Decisions => "decisions",
            Self::Memory => "memory",
            Self::Recording => "the recording",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Move(Motion),
    /// To the next part, and after the last to the first.
    SwitchPart,
    /// Back to the pillars.
    Close,
    SwitchProfile,
    /// To the next of the lower lists.
    SwitchList,
    /// The chosen pillar's weight by so many tenths of its own: on, or back.
    Weigh(i8),
    /// Every weight as it is in the paper.
    Unweigh,
    /// From a pillar into what it is made of; from a row to its step.
    Open,
    /// The turns before and after, whatever has the keyboard.
    Turn(Motion),
}

/// By how much of its own a key moves a weight.
const WEIGHED: f64 = 0.1;

impl Process {
    pub(crate) fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Process;
        match message {
            Message::Move(motion) => self.go(session, motion, layout),
            Message::SwitchPart => {
                self.part = match self.part {
                    Part::Pillars => Part::Counted,
                    Part::Counted => Part::Below,
                    Part::Below => Part::Pillars,
                };
            }
            Message::Close => self.part = Part::Pillars,
            Message::SwitchProfile => {
                self.profile = match self.profile {
                    Profile::Paper => Profile::Shipped,
                    Profile::Shipped => Profile::Paper,
                };
            }
            Message::SwitchList => {
                let at = List::ALL.iter().position(|it| *it == self.list).unwrap_or_default();
                self.list = List::ALL[(at + 1) % List::ALL.len()];
                self.part = Part::Below;
                self.below = Scroll::default();
            }
            Message::Weigh(tenths) => self.weigh(tenths),
            Message::Unweigh => self.weights = Weights::default(),
            Message::Open => self.open(session),
            Message::Turn(motion) => {
                let turn = motion.from(session.turn, session.run.turns.len(), 10);
                session.select_turn(turn);
            }
        }
    }

    pub fn chosen(&self) -> Pillar {
        Pillar::ALL[self.pillar.min(Pillar::ALL.len() - 1)]
    }

    fn weigh(&mut self, tenths: i8) {
        let pillar = self.chosen();
        let by = self.weights.move_of(pillar) + f64::from(tenths) * WEIGHED;
        // A weight that is back where it was is the paper's own, not nearly.
        let by = if by.abs() < WEIGHED / 2.0 { 0.0 } else { by };
        self.weights = self.weights.clone().moved(pillar, by.clamp(-MOST_MOVED, MOST_MOVED));
    }

    fn go(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        match self.part {
            Part::Pillars => {
                self.pillar = motion.from(self.pillar, Pillar::ALL.len(), Pillar::ALL.len());
                self.counted = Scroll::default();
            }
            Part::Counted => {
                let len = self.counted_rows(session).len();
                self.counted.cursor = motion.from(self.counted.cursor, len, areas.counted_height());
            }
            Part::Below => {
                let rows = self.below_rows(session);
                self.below.cursor =
                    motion.from(self.below.cursor, rows.len(), areas.below_height());
                // The playhead goes along: the strip shows where the row is.
                if let Some(step) = rows.get(self.below.cursor).and_then(|row| row.step) {
                    session.select_turn(step.turn);
                }
            }
        }
    }

    fn open(&mut self, session: &mut Session) {
        let row = match self.part {
            Part::Pillars => {
                self.part = Part::Counted;
                return;
            }
            Part::Counted => self.counted_rows(session).get(self.counted.cursor).cloned(),
            Part::Below => self.below_rows(session).get(self.below.cursor).cloned(),
        };
        match row.and_then(Row::opening) {
            Some(opening) => session.open(opening),
            None => session.notice = Some("this row has no step to open".into()),
        }
    }

    /// What is known of the run's process; None where it is not known yet, or cannot be.
    pub fn report<'s>(&self, session: &'s Session) -> Option<&'s Report> {
        session.scores.worked.report()?.ok().flatten()
    }

    /// What the chosen pillar is made of.
    pub fn counted_rows(&self, session: &Session) -> Vec<Row> {
        let Some(report) = self.report(session) else { return vec![] };
        let scored = report.in_profile(self.profile).pillars.get(self.pillar);
        scored
            .map(|scored| rows::of_pillar(&session.run, &report.names, scored))
            .unwrap_or_default()
    }

    /// The lower list.
    pub fn below_rows(&self, session: &Session) -> Vec<Row> {
        let report = self.report(session);
        match self.list {
            List::Signals => report.map(|it| rows::of_signals(&it.signals)).unwrap_or_default(),
            List::Plan => report.map(rows::of_plan).unwrap_or_default(),
            List::Decisions => match session.scores.worked.decisions() {
                Some(Ok(Some(lane))) => rows::of_decisions(lane),
                _ => vec![],
            },
            List::Memory => match session.scores.worked.memory() {
                Some(Ok(Some(course))) => memory::rows(session, course),
                _ => vec![],
            },
            List::Recording => report.map(|it| rows::of_lints(&it.lints)).unwrap_or_default(),
        }
    }
}
