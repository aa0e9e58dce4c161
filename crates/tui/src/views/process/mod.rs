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

use std::path::PathBuf;

use crate::{
    session::{
        Session,
        opening::{Opening, Target},
        views::View,
    },
    widgets::{
        layout::Layout,
        line::safe,
        scroll::{Motion, Scroll},
    },
};
use areas::Areas;
use rows::Row;
use trajview_metrics::process::{Pillar, Profile, Report, Weights, pillars::MOST_MOVED};

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
    /// Whether decisions are to be drawn from the requests.
    is_drawing: bool,
    /// Whether it was on when it asked last.
    was_on: bool,
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
    /// What commands that were run on request said of the files of each moment.
    States,
    Decisions,
    /// Events and evidence cards of a memory.
    Memory,
    /// What is wrong with the recording.
    Recording,
}

impl List {
    pub const ALL: [Self; 6] =
        [Self::Signals, Self::Plan, Self::States, Self::Decisions, Self::Memory, Self::Recording];

    pub const fn words(self) -> &'static str {
        match self {
            Self::Signals => "signals",
            Self::Plan => "recoveries and plan",
            Self::States => "builds and tests",
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
    /// Has what the requests lay down written into the bundle, where it has no decisions.
    DrawDecisions,
    /// The turns before and after, whatever has the keyboard.
    Turn(Motion),
    /// To the next signal of the run, or with less than 0 to the one before, in whichever view.
    Signal(isize),
}

/// By how much of its own a key moves a weight.
const WEIGHED: f64 = 0.1;

impl Process {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        if let Message::Signal(by) = message {
            return to_signal(session, by);
        }
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
            Message::DrawDecisions => self.draw_decisions(session),
            Message::Turn(motion) => {
                let turn = motion.from(session.turn, session.run.turns.len(), 10);
                session.select_turn(turn);
            }
            Message::Signal(_) => {}
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

    fn draw_decisions(&mut self, session: &mut Session) {
        match session.scores.worked.decisions() {
            _ if self.list != List::Decisions => {
                session.notice = Some("d draws decisions; v goes to their list".into());
            }
            Some(Ok(None)) => self.is_drawing = true,
            None => session.notice = Some("the decisions are still being looked for".into()),
            Some(_) => {
                session.notice = Some("there is a store of decisions already; E edits it".into());
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
            None if self.part == Part::Below && self.list == List::Decisions => {
                session.notice =
                    Some("the newest decision of this chain applies to no step".into());
            }
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

    /// The list of decisions, each row with the decision's id.
    fn decisions(&self, session: &Session) -> Vec<rows::DecisionRow> {
        match session.scores.worked.decisions() {
            Some(Ok(Some(lane))) => rows::of_decisions(lane),
            _ => vec![],
        }
    }

    /// The file of decisions and the line of the chosen one. The error is a sentence.
    pub fn store_at(&self, session: &Session) -> Result<(PathBuf, usize), String> {
        if self.list != List::Decisions {
            return Err("E opens the store of decisions; v goes to their list".into());
        }
        let worked = &session.scores.worked;
        let path = worked.store.clone().ok_or("no store of decisions is laid over this run")?;
        let chosen = self.decisions(session).into_iter().nth(self.below.cursor);
        let line = chosen
            .zip(worked.decisions())
            .and_then(|((id, _), lane)| lane.ok().flatten()?.lines.get(&id).copied());
        Ok((path, line.unwrap_or(1)))
    }

    /// The lower list.
    pub fn below_rows(&self, session: &Session) -> Vec<Row> {
        let report = self.report(session);
        match self.list {
            List::Signals => report.map(|it| rows::of_signals(&it.signals)).unwrap_or_default(),
            List::Plan => report.map(rows::of_plan).unwrap_or_default(),
            List::States => report.map(rows::of_states).unwrap_or_default(),
            List::Decisions => self.decisions(session).into_iter().map(|(_, row)| row).collect(),
            List::Memory => match session.scores.worked.memory() {
                Some(Ok(Some(course))) => memory::rows(session, course),
                _ => vec![],
            },
            List::Recording => report.map(|it| rows::of_lints(&it.lints)).unwrap_or_default(),
        }
    }
}

/// Takes the playhead to a signal, and says why it is one. In the replay its step is opened; other views stay.
fn to_signal(session: &mut Session, by: isize) {
    session.scores.worked.is_wanted = true;
    let words = match session.scores.worked.report() {
        None => "signals are being looked for",
        Some(Err(why)) => &format!("signals are not known: {why}"),
        Some(Ok(_)) => "",
    };
    if !words.is_empty() {
        session.notice = Some(words.to_owned());
        return;
    }
    let Some(signal) = session.scores.worked.visit(session.turn, by) else {
        let where_to = if by < 0 { "before" } else { "after" };
        session.notice = Some(format!("no signal {where_to} this one"));
        return;
    };
    let (step, why) = (signal.step, format!("{}: {}", signal.kind.words(), signal.why));
    match session.view {
        View::Replay => session.open(Opening::at(step.turn, Target::Step(step))),
        _ => session.select_turn(step.turn),
    }
    session.notice = Some(safe(&why));
}
