//! The process of the run: the seven pillars with the counted events, signals over the turns, recoveries, the plan
//! compared with the work done, the decisions over the steps, and the memory that the agent received.
//!
//! [`rows`] builds the lists and the target of each row, [`areas`] computes the areas of the lists. Every row with a
//! step opens that step.

pub mod areas;
pub mod draw;
mod memory_rows;
pub mod rows;
mod view;

use std::path::PathBuf;

use crate::{
    session::{
        Session,
        context::KeyContext,
        replay_opening::{OpeningTarget, ReplayOpening},
        views::View,
    },
    widgets::{
        layout::ScreenLayout, line::safe_string, mouse::Mouse, pane::ListPane, scroll::Motion,
    },
};
use areas::{ListRows, MAX_OTHERS, ProcessAreas};
use rows::ProcessRow;
use trajview_metrics::process::{
    Pillar, PillarWeights, ProcessReport, RigorProfile, pillars::MAX_WEIGHT_CHANGE,
};

/// The state of the view, apart from the report.
#[derive(Debug, Default)]
pub struct ProcessView {
    pub part: ProcessPart,
    pub profile: RigorProfile,
    pub list: ProcessList,
    pub weights: PillarWeights,
    pillars: ListPane,
    /// The events of the chosen pillar.
    counted: ListPane,
    /// The lower list.
    below: ListPane,
    /// True while decisions are to be extracted from the requests.
    is_drawing: bool,
    /// True if the view was on when it last asked.
    was_on: bool,
}

/// The part that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessPart {
    #[default]
    Pillars,
    /// The events of the chosen pillar.
    Counted,
    /// The list below: signals, recoveries and plan, decisions, memory, the recording.
    Below,
}

/// The content of the lower list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessList {
    #[default]
    Signals,
    /// Recoveries, and the plan compared with the work done.
    Plan,
    /// Results of commands that were run on request on the files of each moment.
    States,
    Decisions,
    /// Events and evidence cards of a memory.
    Memory,
    /// Problems of the recording.
    Recording,
}

impl ProcessList {
    pub const ALL: [Self; 6] =
        [Self::Signals, Self::Plan, Self::States, Self::Decisions, Self::Memory, Self::Recording];

    pub(crate) const fn list_title(self) -> &'static str {
        match self {
            Self::Signals => "signals",
            Self::Plan => "recoveries and plan",
            Self::States => "builds and tests",
            Self::Decisions => "decisions",
            Self::Memory => "memory",
            Self::Recording => "recording checks",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ProcessMessage {
    Move(Motion),
    /// Moves to the next part, and from the last to the first.
    SwitchPart,
    SwitchProfile,
    /// Switches to the next of the lower lists.
    SwitchList,
    /// The chosen pillar's weight by so many tenths of its own: on, or back.
    Weigh(i8),
    /// Every weight as it is in the paper.
    Unweigh,
    /// Opens the events of a pillar, or the step of a row.
    Open,
    /// Extracts the decisions from the requests and writes them into the bundle, if it has none.
    DrawDecisions,
    /// The turns before and after, or the steps of the only turn, whatever has the keyboard.
    Turn(Motion),
    /// Moves to the next signal of the run, or to the one before if negative. Works in every view.
    Signal(isize),
}

/// Share of its own weight by which a key changes a pillar's weight.
const WEIGHT_STEP: f64 = 0.1;

impl ProcessView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: ProcessMessage,
        _: &ScreenLayout,
    ) {
        if let ProcessMessage::Signal(by) = message {
            return to_signal(session, by);
        }
        session.view = View::Process;
        match message {
            ProcessMessage::Move(motion) => self.move_cursor(session, motion),
            ProcessMessage::SwitchPart => {
                self.part = match self.part {
                    ProcessPart::Pillars => ProcessPart::Counted,
                    ProcessPart::Counted => ProcessPart::Below,
                    ProcessPart::Below => ProcessPart::Pillars,
                };
            }
            ProcessMessage::SwitchProfile => {
                self.profile = match self.profile {
                    RigorProfile::Paper => RigorProfile::Shipped,
                    RigorProfile::Shipped => RigorProfile::Paper,
                };
            }
            ProcessMessage::SwitchList => {
                let at =
                    ProcessList::ALL.iter().position(|it| *it == self.list).unwrap_or_default();
                self.show_list(ProcessList::ALL[(at + 1) % ProcessList::ALL.len()]);
            }
            ProcessMessage::Weigh(tenths) => self.weigh_pillar(tenths),
            ProcessMessage::Unweigh => self.weights = PillarWeights::default(),
            ProcessMessage::Open => self.open_row(session),
            ProcessMessage::DrawDecisions => self.draw_decisions(session),
            ProcessMessage::Turn(motion) => {
                let points = session.run_timeline.facts().points.max(session.run.turns.len());
                let here = session.timeline_point().unwrap_or_default();
                session.select_timeline_point(motion.target_row(here, points, 10));
            }
            ProcessMessage::Signal(_) => {}
        }
    }

    pub(crate) fn chosen_pillar(&self) -> Pillar {
        Pillar::ALL[self.pillars.cursor().min(Pillar::ALL.len() - 1)]
    }

    fn weigh_pillar(&mut self, tenths: i8) {
        let pillar = self.chosen_pillar();
        let by = self.weights.change_of(pillar) + f64::from(tenths) * WEIGHT_STEP;
        // A weight that is back where it was is the paper's own, not nearly.
        let by = if by.abs() < WEIGHT_STEP / 2.0 { 0.0 } else { by };
        self.weights = self
            .weights
            .clone()
            .with_moved(pillar, by.clamp(-MAX_WEIGHT_CHANGE, MAX_WEIGHT_CHANGE));
    }

    fn move_cursor(&mut self, session: &mut Session, motion: Motion) {
        match self.part {
            ProcessPart::Pillars => {
                self.pillars.move_cursor(motion);
                self.counted.restart();
            }
            ProcessPart::Counted => self.counted.move_cursor(motion),
            ProcessPart::Below => {
                self.below.move_cursor(motion);
                let row = self.below_rows(session).into_iter().nth(self.below.cursor());
                // The playhead follows, so that the timeline shows the place of the row.
                if let Some(step) = row.and_then(|row| row.step) {
                    session.select_step_of_run(step);
                }
            }
        }
    }

    fn draw_decisions(&mut self, session: &mut Session) {
        match session.scores.process.decisions() {
            _ if self.list != ProcessList::Decisions => {
                let key = |id| session.keys.key_text(KeyContext::Process, id);
                let [extract, list] = ["extract-decisions", "list-content"].map(key);
                session.notice = Some(format!("{extract} extracts decisions; {list}: their list"));
            }
            Some(Ok(None)) => self.is_drawing = true,
            None => session.notice = Some("still loading the decisions".into()),
            Some(_) => {
                let key = session.keys.key_text(KeyContext::Process, "open-in-editor");
                session.notice =
                    Some(format!("the run already has a decisions file; {key} edits it"));
            }
        }
    }

    fn open_row(&mut self, session: &mut Session) {
        let row = match self.part {
            ProcessPart::Pillars => {
                self.part = ProcessPart::Counted;
                return;
            }
            ProcessPart::Counted => {
                self.counted_rows(session).into_iter().nth(self.counted.cursor())
            }
            ProcessPart::Below => self.below_rows(session).into_iter().nth(self.below.cursor()),
        };
        match row.and_then(ProcessRow::row_opening) {
            Some(opening) => session.set_opening(opening),
            None if self.part == ProcessPart::Below && self.list == ProcessList::Decisions => {
                session.notice =
                    Some("the newest decision of this chain applies to no step".into());
            }
            None => session.notice = Some("this row has no step to open".into()),
        }
    }

    /// Returns the report on the run's process. None if it is not known yet or cannot be computed.
    pub fn process_report<'s>(&self, session: &'s Session) -> Option<&'s ProcessReport> {
        session.scores.process.report()?.ok().flatten()
    }

    /// Returns the events of the chosen pillar.
    pub(crate) fn counted_rows(&self, session: &Session) -> Vec<ProcessRow> {
        let Some(report) = self.process_report(session) else { return vec![] };
        let scored = report.in_profile(self.profile).pillars.get(self.pillars.cursor());
        scored
            .map(|scored| rows::pillar_rows(&session.run, &report.names, scored))
            .unwrap_or_default()
    }

    /// Returns the list of decisions, each row with the decision's id.
    fn decision_rows(&self, session: &Session) -> Vec<rows::ListedDecision> {
        match session.scores.process.decisions() {
            Some(Ok(Some(lane))) => rows::decision_rows(lane),
            _ => vec![],
        }
    }

    /// Returns the file of decisions and the line of the chosen one. The error is a sentence.
    pub(crate) fn decision_place(&self, session: &Session) -> Result<(PathBuf, usize), String> {
        if self.list != ProcessList::Decisions {
            let key = |id| session.keys.key_text(KeyContext::Process, id);
            return Err(format!(
                "{} opens the decisions file; {}: their list",
                key("open-in-editor"),
                key("list-content")
            ));
        }
        let worked = &session.scores.process;
        let path = worked.store.clone().ok_or("this run has no decisions file")?;
        let chosen = self.decision_rows(session).into_iter().nth(self.below.cursor());
        let line = chosen
            .zip(worked.decisions())
            .and_then(|((id, _), lane)| lane.ok().flatten()?.lines.get(&id).copied());
        Ok((path, line.unwrap_or(1)))
    }

    /// Chooses another of the lower lists.
    fn show_list(&mut self, list: ProcessList) {
        self.list = list;
        self.part = ProcessPart::Below;
        self.below.restart();
    }

    /// Returns the rows of the chosen lower list.
    pub(crate) fn below_rows(&self, session: &Session) -> Vec<ProcessRow> {
        self.rows_of(self.list, session)
    }

    /// Returns the lists that are shown beside the chosen one, in the order in which `v` brings them: those with rows.
    pub(crate) fn other_lists(&self, session: &Session) -> Vec<ProcessList> {
        let at = ProcessList::ALL.iter().position(|it| *it == self.list).unwrap_or_default();
        let rest =
            ProcessList::ALL.into_iter().cycle().skip(at + 1).take(ProcessList::ALL.len() - 1);
        let has_rows = |list: &ProcessList| !self.rows_of(*list, session).is_empty();
        rest.filter(has_rows).take(MAX_OTHERS).collect()
    }

    /// Returns the numbers of rows of the lists on screen.
    fn list_rows(&self, session: &Session) -> ListRows {
        let mut others = [0; MAX_OTHERS];
        for (rows, list) in others.iter_mut().zip(self.other_lists(session)) {
            *rows = self.rows_of(list, session).len();
        }
        let (counted, below) = (self.counted_rows(session).len(), self.below_rows(session).len());
        ListRows { counted, below, others }
    }

    /// Returns the areas of the lists.
    pub(crate) fn areas(&self, session: &Session, layout: &ScreenLayout) -> ProcessAreas {
        ProcessAreas::for_layout(layout, self.part, self.list_rows(session))
    }

    /// Returns the list under the mouse that is not the chosen one.
    fn other_list_at(
        &self,
        session: &Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> Option<ProcessList> {
        let others = self.areas(session, layout).others.into_iter();
        let mut shown = others.zip(self.other_lists(session));
        shown.find(|(area, _)| mouse.is_in(*area)).map(|(_, list)| list)
    }

    /// Returns the rows of a lower list.
    pub(crate) fn rows_of(&self, list: ProcessList, session: &Session) -> Vec<ProcessRow> {
        let report = self.process_report(session);
        match list {
            ProcessList::Signals => {
                report.map(|it| rows::signal_rows(&it.signals)).unwrap_or_default()
            }
            ProcessList::Plan => report.map(rows::plan_rows).unwrap_or_default(),
            ProcessList::States => report.map(rows::state_rows).unwrap_or_default(),
            ProcessList::Decisions => {
                self.decision_rows(session).into_iter().map(|(_, row)| row).collect()
            }
            ProcessList::Memory => match session.scores.process.memory() {
                Some(Ok(Some(course))) => memory_rows::memory_rows(session, course),
                _ => vec![],
            },
            ProcessList::Recording => {
                report.map(|it| rows::lint_rows(&it.lints)).unwrap_or_default()
            }
        }
    }
}

/// Moves the playhead to a signal and shows its reason as a notice. In the replay its step is opened; other views stay.
fn to_signal(session: &mut Session, by: isize) {
    session.scores.process.is_wanted = true;
    let words = match session.scores.process.report() {
        None => "computing signals…",
        Some(Err(why)) => &format!("no signals: {why}"),
        Some(Ok(_)) => "",
    };
    if !words.is_empty() {
        session.notice = Some(words.to_owned());
        return;
    }
    let Some(signal) = session.scores.process.visit_signal(session.turn, by) else {
        let where_to = if by < 0 { "before" } else { "after" };
        session.notice = Some(format!("no signal {where_to} this one"));
        return;
    };
    let (step, why) = (signal.step, format!("{}: {}", signal.kind.words(), signal.why));
    match session.view {
        View::Replay => {
            session.set_opening(ReplayOpening::at_turn(step.turn, OpeningTarget::Step(step)))
        }
        _ => session.select_step_of_run(step),
    }
    session.notice = Some(safe_string(&why));
}
