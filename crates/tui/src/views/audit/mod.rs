//! The audit of a judge: a queue of items in a seeded order, each labelled by a human before its verdict is shown.
//!
//! An item is a component, a leaf of a rubric tree, a flag, a signal, a decision or a part of process
//! ([`trajview_study::audit_items`]). [`queue`] has the status of each item, [`disagreement_reasons`] the reasons for a
//! difference of label and verdict, [`prompt`] the typed input, `proposals` the scores before they are committed,
//! `missed_flag` the marks on places that no flag has. [`item_rows`] has the rows on an item, [`codebook_rows`] the
//! meaning of the levels, [`judged_code`] the places in the judged code, [`agreement`] the numbers beside them.
//! [`areas`] computes the areas of the parts, [`questions`] asks for missing data. The labels, the queue and the record
//! of shown verdicts belong to the session: [`crate::session::labels`], [`crate::session::audit_queue`]. Before a label
//! is given, nothing here reads a verdict except to know that there is one; the session hides verdicts in the other
//! views.

pub mod adjudication;
pub mod agreement;
pub mod areas;
pub mod clipboard_text;
pub mod codebook_rows;
pub mod disagreement_reasons;
pub mod draw;
pub mod item_rows;
pub mod judged_code;
mod label_entry;
mod missed_flag;
pub mod prompt;
mod proposals;
pub mod questions;
pub mod queue;
pub mod study_queue;
mod update;
mod view;

use crate::{
    session::Session,
    widgets::{layout::ScreenLayout, pane::ListPane, scroll::Motion},
};
use areas::AuditAreas;
use trajview_run::rubric::{Component, LabelUnit, ScoreScale};
use trajview_study::audit_items::{AuditItem, AuditedVerdict};

/// The state of the audit: the position in the queue and the current input.
#[derive(Debug, Default)]
pub struct AuditView {
    pub part: AuditPart,
    /// The seed of the queue; None for the seed of [`trajview_study::queue::QueuePlan`].
    pub seed: Option<u64>,
    /// The current item.
    chosen: Option<ChosenItem>,
    /// True where a score is proposed first and committed by a second key.
    pub proposes: bool,
    /// True where the next item without a label follows a label.
    goes_on: bool,
    pub rows: ListPane,
    item: ListPane,
    levels: ListPane,
    pub prompt: Option<prompt::AuditPrompt>,
    pub code: judged_code::JudgedCode,
    places: questions::SimilarPlaces,
    pub agreement: agreement::AgreementState,
    /// The answer that is given as soon as the labels of the rater are known.
    pending_answer: Option<AuditAnswer>,
    /// The item that the scroll position belongs to, and whether its verdict is shown.
    item_scroll_key: Option<(ChosenItem, bool)>,
    /// True once the first item to label was chosen.
    has_started: bool,
    /// True where there is an agreement and it is not hidden.
    shows_agreement: bool,
    /// The room of the item; more while a reason is entered or raters are adjudicated.
    item_room: areas::ItemRoom,
    /// The lines over the queue: the corrected mean and the plan of labels.
    correction_lines: Vec<String>,
}

/// The identity of an item of the audited unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChosenItem {
    pub id: String,
    pub criterion: Option<String>,
}

/// The answer of a rater for an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AuditAnswer {
    Score(f64),
    CannotTell,
}

/// The part of the view that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditPart {
    #[default]
    Queue,
    Item,
    Code,
    Codebook,
    Agreement,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AuditMessage {
    /// Goes forward in the queue.
    Next(usize),
    Previous(usize),
    NextUnlabelled(usize),
    /// Moves in the part that has the keyboard.
    Move(Motion),
    /// The code, by columns.
    Left(usize),
    Right(usize),
    NextPart,
    PreviousPart,
    /// Place in the code, or piece of evidence.
    NextSpot(usize),
    PreviousSpot(usize),
    /// Opens the row at the cursor.
    Open,
    /// Opens the place in the replay.
    OpenInReplay,
    /// Opens the list of every change to the code at the cursor.
    History,
    /// A level of the scale.
    Label(u8),
    /// Types a number, where any is on the scale.
    AskScore,
    /// The rater looked and cannot tell.
    CannotTell,
    /// Sets the confidence: low, medium, high, none.
    Confidence,
    /// Scores are proposed first from now on, or no longer.
    Propose,
    /// The next item without a label follows each label from now on, or no longer.
    GoOn,
    /// Shows the agreement while items wait for a label, or hides it again.
    Reveal,
    /// Shows the meaning of the levels.
    Codebook,
    /// Things of the next kind.
    NextUnit,
    /// The lines at the cursor should have been flagged.
    Missed,
    /// Takes the last label back.
    Undo,
    /// Gives the reason for the difference of label and verdict: one of [`disagreement_reasons::CHOICES`].
    GiveReason(&'static str),
    /// The reason that is offered first.
    GiveLikelyReason,
    /// No reason now.
    DeferReason,
    AskReason,
    AskNote,
    /// Asks for the name of the rater.
    AskName,
    Words(prompt::AuditPromptMessage),
    /// Saves again after a failure.
    Save,
    /// All files of the judged code, or the places again.
    Files,
    /// Goes to the turn in which the dialogue commits to the component.
    Committed,
    /// Switches between labelling and adjudication of a study.
    Adjudicate,
    NextJudgement,
    PreviousJudgement,
    /// Plans labels for an interval of this half width, and puts them next in the queue; none for no plan.
    Plan(Option<f64>),
}

impl AuditPart {
    pub const ALL: [Self; 5] =
        [Self::Queue, Self::Item, Self::Code, Self::Codebook, Self::Agreement];

    pub const fn part_name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Item => "item",
            Self::Code => "code",
            Self::Codebook => "codebook",
            Self::Agreement => "agreement",
        }
    }

    const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    const fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

impl AuditView {
    /// Returns the scores that the current item can have; None where they are not digits, or there is no item.
    pub(crate) fn label_range(&self, session: &Session) -> Option<std::ops::RangeInclusive<u32>> {
        let scale = session.criterion_of(self.audited_item(session)?)?.scale;
        let levels: Vec<u32> = match scale {
            ScoreScale::Share => return None,
            scale => scale.level_range().map(u32::from).collect(),
        };
        Some(*levels.first()?..=*levels.last()?)
    }

    /// Returns the areas of the parts.
    fn part_areas(&self, layout: &ScreenLayout) -> AuditAreas {
        let rows = self.correction_lines.len() as u16;
        AuditAreas::new(layout, self.part, self.shows_agreement, (self.item_room, rows))
    }

    /// Opens at an item.
    pub(crate) fn choose_by_id(&mut self, id: Option<String>) {
        self.chosen = id.map(|id| ChosenItem { id, criterion: None });
    }

    /// Goes to a component of the queue; changes nothing where it is not in the queue, or in a study, which has an
    /// order of its own.
    pub(crate) fn choose_queued(&mut self, session: &Session, id: &str) {
        let is_it = |item: &&AuditItem| item.unit == LabelUnit::Component && item.id == id;
        let found =
            session.queued_items().iter().find(is_it).filter(|_| session.study_queue().is_none());
        match found {
            Some(item) => self.chosen = Some(ChosenItem::for_item(item)),
            None if !self.has_started => self.choose_by_id(Some(id.to_owned())),
            None => {}
        }
    }

    /// Returns the item that is audited; None where the queue does not have it.
    pub(crate) fn audited_item<'a>(&self, session: &'a Session) -> Option<&'a AuditItem> {
        let chosen = self.chosen.as_ref()?;
        session.queued_items().iter().find(|item| chosen.matches_item(item))
    }

    /// Returns the current component, as the checklist has it.
    pub(crate) fn audited_component<'a>(&self, session: &'a Session) -> Option<&'a Component> {
        let id = &self.audited_item(session).filter(|it| it.unit == LabelUnit::Component)?.id;
        let checklist = session.rubric.known_rubric()?.checklist.as_ref()?;
        checklist.components.iter().find(|it| it.id == *id)
    }

    /// Returns the turn that asks for the current component, counted from 0; None where nothing says which one does.
    pub(crate) fn requesting_turn(&self, session: &Session) -> Option<usize> {
        let turn = self.audited_component(session)?.committed_at_turn?.checked_sub(1)?;
        Some(turn).filter(|turn| *turn < session.run.turns.len())
    }

    /// Returns the id of the current item.
    pub fn audited_id(&self) -> Option<&str> {
        self.chosen.as_ref().map(|chosen| chosen.id.as_str())
    }

    /// Returns the verdict on the current item, once a label is given; None before. An adjudicator has it on request.
    pub(crate) fn revealed_verdict<'a>(&self, session: &'a Session) -> Option<&'a AuditedVerdict> {
        let item = self.audited_item(session)?;
        if session.is_adjudicating() {
            let is_asked_for = session.study_queue().is_some_and(|study| study.shows_verdicts);
            return is_asked_for.then_some(&item.verdict);
        }
        session.labels.answered_label(item.judged_state(), item.item_key())?;
        Some(&item.verdict)
    }

    /// Returns whether a digit is a level of the current scale, and not a count.
    pub(crate) fn takes_digit(&self, session: &Session, digit: u8) -> bool {
        let criterion = self.audited_item(session).and_then(|it| session.criterion_of(it));
        let scale = criterion.map_or(session.audit.unit().default_scale(), |it| it.scale);
        let (low, high) = scale.lowest_and_highest();
        (low..=high).contains(&digit)
    }
}

impl ChosenItem {
    fn for_item(item: &AuditItem) -> Self {
        Self { id: item.id.clone(), criterion: item.criterion.clone() }
    }

    fn matches_item(&self, item: &AuditItem) -> bool {
        self.id == item.id && self.criterion == item.criterion
    }
}
