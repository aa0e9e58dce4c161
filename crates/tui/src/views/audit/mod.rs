//! The audit of a judge: a queue of items in a seeded order, each labelled by a human before its verdict is shown.
//!
//! An item is a component, a leaf of a rubric tree, a flag, a signal, a decision or a part of process
//! ([`trajview_study::items`]). [`queue`] says how far what is to be labelled is, [`reason`] why a label and a verdict
//! differ, [`prompt`] what is typed, `proposing` what is put down before it is committed, `missed` how a place is marked
//! that nothing flags. [`item`] has the lines on an item, [`codebook`] what the levels mean, [`code`] the places in the
//! judged code, [`agreement`] the numbers beside them. [`areas`] says where the parts stand, [`asking`] what is missing. The labels, the queue and what was seen are the
//! session's: [`crate::session::labels`], [`crate::session::audited`]. Until a label is in, nothing here reads a verdict
//! but to know that there is one; the session keeps the other views from giving it away.

pub mod adjudicating;
pub mod agreement;
pub mod areas;
pub mod asking;
pub mod code;
pub mod codebook;
pub mod copying;
pub mod draw;
pub mod item;
mod labelling;
mod missed;
pub mod over_runs;
pub mod prompt;
mod proposing;
pub mod queue;
pub mod reason;
mod update;
mod view;

use crate::{
    session::Session,
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use areas::Areas;
use trajview_run::rubric::{Component, Unit};
use trajview_study::items::{AuditItem, Said};

/// The queue, where in it the rater is, and what was said.
#[derive(Debug, Default)]
pub struct Audit {
    pub part: Part,
    /// What the queue is drawn with; None for the seed of [`trajview_study::queue::Plan`].
    pub seed: Option<u64>,
    /// The item that is looked at.
    chosen: Option<Chosen>,
    /// Whether a score is proposed first and committed by a second key.
    pub proposes: bool,
    pub rows: Scroll,
    pub item: Scroll,
    pub levels: Scroll,
    pub prompt: Option<prompt::Prompt>,
    pub code: code::Code,
    places: asking::Places,
    pub agreement: agreement::Known,
    /// What is to be said as soon as the labels of who says it are known.
    wanted: Option<Answer>,
    /// What the scroll of the item is of, and whether the verdict is shown.
    item_of: Option<(Chosen, bool)>,
    /// Whether the first thing to label was looked for.
    has_started: bool,
    /// Whether there is an agreement and it is not hidden.
    shows_agreement: bool,
}

/// Which item, of the unit that is audited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    pub id: String,
    pub criterion: Option<String>,
}

/// What a rater says of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    Score(f64),
    CannotTell,
}

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Queue,
    Item,
    Code,
    Codebook,
    Agreement,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In the queue.
    Next(usize),
    Previous(usize),
    NextUnlabelled(usize),
    /// In the part that has the keyboard.
    Move(Motion),
    /// The code, by columns.
    Left(usize),
    Right(usize),
    NextPart,
    PreviousPart,
    /// Place in the code, or piece of evidence.
    NextSpot(usize),
    PreviousSpot(usize),
    /// What the cursor stands on.
    Open,
    /// In the replay.
    OpenInReplay,
    /// The list of every change to what stands at the cursor of the code.
    History,
    Close,
    /// A level of the scale.
    Label(u8),
    /// Types a number, where any is on the scale.
    AskScore,
    /// The rater looked and cannot tell.
    CannotTell,
    /// How sure: low, medium, high, nothing.
    Confidence,
    /// Scores are proposed first from now on, or no longer.
    Propose,
    /// Shows the agreement while items wait for a label, or hides it again.
    Reveal,
    /// What the levels mean.
    Codebook,
    /// Things of the next kind.
    NextUnit,
    /// The lines at the cursor should have been flagged.
    Missed,
    /// Takes the last label back.
    Undo,
    /// Why label and verdict differ: one of [`reason::CHOICES`].
    Because(&'static str),
    /// The reason that is offered first.
    BecauseLikely,
    /// No reason now.
    Later,
    AskReason,
    AskNote,
    /// Who labels.
    AskName,
    Words(prompt::Message),
    /// What could not be saved, once more.
    Save,
    /// All files of the judged code, or the places again.
    Files,
    /// To the turn in which the dialogue commits to the component.
    Committed,
    /// From labelling to settling what raters of a study differ on, and back.
    Adjudicate,
    NextJudgement,
    PreviousJudgement,
}

impl Part {
    pub const ALL: [Self; 5] =
        [Self::Queue, Self::Item, Self::Code, Self::Codebook, Self::Agreement];

    pub const fn word(self) -> &'static str {
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

impl Audit {
    /// Where the parts stand.
    fn areas(&self, layout: &Layout) -> Areas {
        Areas::of(layout, self.part, self.shows_agreement)
    }

    /// Opens at an item.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id.map(|id| Chosen { id, criterion: None });
    }

    /// To a component of the queue; nothing changes where it is not in it, and in a study, which has an order of its own.
    pub fn choose_queued(&mut self, session: &Session, id: &str) {
        let is_it = |item: &&AuditItem| item.unit == Unit::Component && item.id == id;
        let found = session.queued().iter().find(is_it).filter(|_| session.study().is_none());
        match found {
            Some(item) => self.chosen = Some(Chosen::of(item)),
            None if !self.has_started => self.choose(Some(id.to_owned())),
            None => {}
        }
    }

    /// The item that is looked at.
    pub fn audited_item<'a>(&self, session: &'a Session) -> Option<&'a AuditItem> {
        let chosen = self.chosen.as_ref()?;
        session.queued().iter().find(|item| chosen.is(item))
    }

    /// The component that is looked at, as the checklist has it.
    pub fn audited_component<'a>(&self, session: &'a Session) -> Option<&'a Component> {
        let id = &self.audited_item(session).filter(|it| it.unit == Unit::Component)?.id;
        let checklist = session.rubric.known()?.checklist.as_ref()?;
        checklist.components.iter().find(|it| it.id == *id)
    }

    /// The id of the item that is looked at.
    pub fn audited_id(&self) -> Option<&str> {
        self.chosen.as_ref().map(|chosen| chosen.id.as_str())
    }

    /// The verdict on the item that is looked at, once a label is in; before that there is none to be had. Whoever settles
    /// the labels of others has it when they ask for it.
    pub fn revealed<'a>(&self, session: &'a Session) -> Option<&'a Said> {
        let item = self.audited_item(session)?;
        if session.adjudicates() {
            let is_asked_for = session.study().is_some_and(|study| study.shows_verdicts);
            return is_asked_for.then_some(&item.said);
        }
        session.labels.given_to(item.state(), item.key())?;
        Some(&item.said)
    }

    /// Whether a digit is a level of what is looked at, and no count.
    pub fn takes_digit(&self, session: &Session, digit: u8) -> bool {
        let criterion = self.audited_item(session).and_then(|it| session.criterion_of(it));
        let scale = criterion.map_or(session.audited.unit().scale(), |it| it.scale);
        let (low, high) = scale.ends();
        (low..=high).contains(&digit)
    }
}

impl Chosen {
    fn of(item: &AuditItem) -> Self {
        Self { id: item.id.clone(), criterion: item.criterion.clone() }
    }

    fn is(&self, item: &AuditItem) -> bool {
        self.id == item.id && self.criterion == item.criterion
    }
}

/// One of a kind, as a sentence has it.
pub const fn noun(unit: Unit) -> &'static str {
    match unit {
        Unit::Process => "part",
        other => other.word(),
    }
}
