//! The audit of a judge: a queue of components in a seeded order, each labelled by a human before its verdict is shown.
//!
//! [`queue`] says how far what is to be labelled is, [`reason`] why a label and a verdict differ, [`prompt`] what is
//! typed. [`item`] has the lines on a component, [`code`] the places in the judged code, [`agreement`] the numbers beside
//! them. [`areas`] says where the parts stand, [`asking`] what is missing. The labels, the queue and what was seen are the
//! session's: [`crate::session::labels`], [`crate::session::audited`]. Until a label is in, nothing here reads a verdict
//! but to know that there is one; the session keeps the other views from giving it away.

pub mod adjudicating;
pub mod agreement;
pub mod areas;
pub mod asking;
pub mod code;
pub mod copying;
pub mod draw;
pub mod item;
mod labelling;
pub mod over_runs;
pub mod prompt;
pub mod queue;
pub mod reason;
mod update;
mod view;

use crate::{
    run::rubric::{Component, Verdict},
    session::Session,
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use areas::Areas;

/// The queue, where in it the rater is, and what was said.
#[derive(Debug, Default)]
pub struct Audit {
    pub part: Part,
    /// What the queue is drawn with; None for the seed of [`crate::study::queue::Plan`].
    pub seed: Option<u64>,
    /// Id of the component that is looked at.
    chosen: Option<String>,
    pub rows: Scroll,
    pub item: Scroll,
    pub figures: Scroll,
    pub prompt: Option<prompt::Prompt>,
    pub code: code::Code,
    places: asking::Places,
    pub agreement: agreement::Known,
    /// A score to be given as soon as the labels of who gives it are known.
    wanted: Option<u8>,
    /// What the scroll of the component is of: its id, and whether the verdict is shown.
    item_of: Option<(String, bool)>,
    /// Whether the first thing to label was looked for.
    has_started: bool,
    /// Whether whoever sits here gave a label.
    has_labels: bool,
}

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Queue,
    Component,
    Code,
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
    Close,
    /// 0 to 4.
    Label(u8),
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
    /// The verdicts of the judges beside the labels, while those are settled.
    Verdicts,
    NextJudgement,
    PreviousJudgement,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Queue, Self::Component, Self::Code, Self::Agreement];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Component => "component",
            Self::Code => "code",
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
        Areas::of(layout, self.part, self.has_labels)
    }

    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id;
    }

    /// The component that is looked at, as the checklist has it.
    pub fn audited_component<'a>(&self, session: &'a Session) -> Option<&'a Component> {
        let id = self.chosen.as_ref()?;
        let checklist = session.rubric.known()?.checklist.as_ref()?;
        checklist.components.iter().find(|it| it.id == *id)
    }

    /// The id of the component that is looked at.
    pub fn audited_id(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    /// The verdict on the component that is looked at, once a label is in; before that there is none to be had.
    pub fn revealed<'a>(&self, session: &'a Session) -> Option<&'a Verdict> {
        let id = self.chosen.as_ref()?;
        let judgement = session.audited()?;
        if session.adjudicates() {
            let is_asked_for = session.study().is_some_and(|study| study.shows_verdicts);
            return judgement.of(id).filter(|_| is_asked_for);
        }
        session.labels.given_to(judgement, id)?;
        judgement.of(id)
    }
}
