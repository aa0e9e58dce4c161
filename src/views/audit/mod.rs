//! The audit of a judge: a queue of components in a seeded order, each labelled by a human before its verdict is shown.
//!
//! [`queue`] says how far what is to be labelled is, [`reason`] why a label and a verdict differ, [`prompt`] what is
//! typed. [`item`] has the lines on a component, [`code`] the places in the judged code, [`agreement`] the numbers beside
//! them. [`areas`] says where the parts stand, [`asking`] what is missing. The labels, the queue and what was seen are the
//! session's: [`crate::session::labels`], [`crate::session::audited`]. Until a label is in, nothing here reads a verdict
//! but to know that there is one; the session keeps the other views from giving it away.

pub mod agreement;
pub mod areas;
pub mod asking;
pub mod code;
mod copying;
pub mod draw;
mod hiding;
pub mod item;
mod labelling;
mod moving;
mod opening;
mod pointing;
pub mod prompt;
pub mod queue;
pub mod reason;

use crate::{
    run::rubric::{Component, Verdict},
    session::{Session, context::Context, views::View},
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
    pub asks: Option<prompt::Asks>,
    pub code: code::Code,
    places: asking::Places,
    pub agreement: agreement::Known,
    /// A score to be given as soon as the labels of who gives it are known.
    wanted: Option<u8>,
    /// What the scroll of the component is of: its id, and whether the verdict is shown.
    item_of: Option<(String, bool)>,
    /// Whether the first thing to label was looked for.
    has_started: bool,
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
    /// Where the keyboard is while the view is seen.
    pub const fn context(&self) -> Context {
        match &self.asks {
            None => Context::Audit,
            Some(prompt::Asks::Reason) => Context::AuditReason,
            Some(prompt::Asks::Note(_) | prompt::Asks::Name(_)) => Context::AuditWords,
        }
    }

    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id;
    }
}

impl Audit {
    pub(crate) fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Audit;
        match message {
            Message::Next(count) => self.move_in_queue(session, Motion::Down(count), layout),
            Message::Previous(count) => self.move_in_queue(session, Motion::Up(count), layout),
            Message::NextUnlabelled(count) => self.go_to_unlabelled(session, count),
            Message::Move(motion) => self.move_in_audit(session, motion, layout),
            Message::Left(columns) => {
                self.code.column = self.code.column.saturating_sub(columns);
            }
            Message::Right(columns) => {
                self.code.column = self.code.column.saturating_add(columns);
            }
            Message::NextPart => self.part = self.part.next(),
            Message::PreviousPart => self.part = self.part.previous(),
            Message::NextSpot(count) => self.go_to_spot_of_code(session, count as isize, layout),
            Message::PreviousSpot(count) => {
                self.go_to_spot_of_code(session, -(count as isize), layout)
            }
            Message::Open => self.open_in_audit(session, layout),
            Message::OpenInReplay => self.open_in_replay(session, layout),
            Message::Close => self.close_in_audit(),
            Message::Label(score) => self.label(session, score, layout),
            Message::Undo => self.take_label_back(session),
            Message::Because(reason) => self.give_reason(session, reason),
            Message::BecauseLikely => self.give_likely_reason(session),
            Message::Later => self.put_reason_off(session),
            Message::AskReason => self.ask_for_reason(session, layout),
            Message::AskNote => self.ask_for_note(session),
            Message::AskName => self.asks = Some(prompt::Asks::name(None)),
            Message::Words(message) => self.update_words(session, message, layout),
            Message::Save => self.save_again(session),
            Message::Files => self.switch_files(session),
            Message::Committed => self.go_to_commitment(session),
            Message::NextJudgement => self.flip_audit(session, 1),
            Message::PreviousJudgement => self.flip_audit(session, -1),
        }
    }

    fn flip_audit(&mut self, session: &mut Session, by: isize) {
        let flipped = session.flip_audited(by);
        if flipped.is_ok() {
            self.asks = None;
        }
        let (Ok(words) | Err(words)) = flipped;
        session.notice = Some(words);
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
        session.labels.given_to(judgement, id)?;
        judgement.of(id)
    }

    pub(crate) fn settle(&mut self, session: &mut Session, layout: &Layout) {
        self.note_what_is_seen(session);
        if session.view != View::Audit {
            return;
        }
        session.draw_queue(self.seed);
        self.start(session);
        self.give_wanted(session, layout);
        let areas = Areas::of(layout, self.part);
        self.settle_queue(session, &areas);
        let shown = self.chosen.clone().map(|id| (id, self.revealed(session).is_some()));
        if self.item_of != shown {
            self.item_of = shown;
            self.item = Scroll::default();
        }
        let len = self.item_rows(session, &areas).len();
        self.item.follow(len, areas.height(Part::Component));
        let len = self.agreement_rows(session, &areas).len();
        self.figures.follow(len, areas.height(Part::Agreement));
        self.settle_code(session, &areas);
    }
}
