//! All judgements of a run at once: components down, judgements across, and two of them held against each other.
//!
//! [`columns`] says which judgement stands where and [`rows`] what each said; [`pair`] holds the two that are chosen
//! against each other; [`both`] has the words of both on one component; [`areas`] says where the parts stand. Nothing
//! here changes a judgement. The labels of human raters are left out on purpose: raters must not see each other. A
//! judgement of the kind `human` is in: it was made to be seen.

pub mod areas;
pub mod both;
pub mod columns;
mod moving;
pub mod pair;
pub mod rows;

use crate::{
    session::Session,
    views::scores::Scores,
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};

use super::Shows;

use columns::Column;
use pair::Measured;

/// What is looked at.
#[derive(Debug, Default)]
pub struct Judges {
    pub part: Part,
    /// Where the part of both verdicts was entered from.
    came_from: Part,
    pub sort: Sort,
    /// Only components that the two chosen judgements score differently.
    pub only_differing: bool,
    /// Id of the component at the cursor.
    component: Option<String>,
    /// File of the judgement at the cursor.
    column: Option<String>,
    /// Files of the two that are held against each other, where they were chosen.
    chosen: [Option<String>; 2],
    pub rows: Scroll,
    pub differing: Scroll,
    /// The first column that is seen.
    pub left: usize,
    /// Whose words have the keyboard, or are seen where there is room for one only.
    pub side: Side,
    /// The first row of words that is seen, of each.
    pub words: [usize; 2],
    /// Whose words they are of: component, and both files.
    words_of: Option<[String; 3]>,
    measured: Option<Measured>,
}

/// Which part has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Matrix,
    /// Two judgements, and where they differ.
    Pair,
    /// What both say of one component.
    Both,
}

/// One of the two that are held against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    #[default]
    First,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// In the order of the checklist.
    #[default]
    Id,
    /// What is agreed on least first.
    Instability,
    /// The largest difference of the two that are chosen first.
    Difference,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Rows: components, or words.
    Move(Motion),
    /// Columns.
    Column(Motion),
    /// The column at the cursor becomes this side.
    Choose(Side),
    /// The next or previous two that are worth holding against each other.
    NextPair,
    PreviousPair,
    Sort,
    OnlyDiffering,
    /// What the cursor stands on.
    Open,
    /// What both of the chosen say of the component at the cursor.
    Both,
    /// The other one's words.
    Flip,
    NextDifference,
    PreviousDifference,
    NextPart,
    Close,
}

impl Side {
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// As the columns are marked.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::First => "a",
            Self::Second => "b",
        }
    }
}

impl Sort {
    const fn next(self) -> Self {
        match self {
            Self::Id => Self::Instability,
            Self::Instability => Self::Difference,
            Self::Difference => Self::Id,
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Instability => "instability, what is agreed on least first",
            Self::Difference => "difference of a and b, the largest first",
        }
    }
}

impl Judges {
    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.component = id;
    }
}

impl Judges {
    fn list_differing(&mut self, session: &mut Session) {
        self.only_differing = !self.only_differing;
        let is_only = self.only_differing;
        let count = self.differing(session).len();
        session.notice = Some(match (is_only, count) {
            (true, 0) => "a and b differ nowhere: d lists all components again".into(),
            (true, count) => format!("only the {count} on which a and b differ"),
            (false, _) => "all components".into(),
        });
    }

    fn show_both(&mut self, session: &mut Session) {
        if self.component.is_none() {
            session.notice = Some("no component is chosen".into());
            return;
        }
        if self.part != Part::Both {
            self.came_from = self.part;
            self.part = Part::Both;
            self.side = Side::First;
        }
    }

    fn choose_side(&mut self, session: &mut Session, side: Side) {
        let Some(column) = self.judge_column(session) else { return };
        let other = self.side_column(session, side.other()).map(|column| column.file);
        if other.as_ref() == Some(&column.file) {
            let letter = side.other().letter();
            session.notice = Some(format!("this column is {letter} already; choose another"));
            return;
        }
        session.notice = Some(format!("{} is {}", side.letter(), column.words()));
        self.chosen = match side {
            Side::First => [Some(column.file), other],
            Side::Second => [other, Some(column.file)],
        };
    }

    fn next_pair(&mut self, session: &mut Session, by: isize) {
        let pairs = self.pairs_of_columns(session);
        let now = [Side::First, Side::Second]
            .map(|side| self.side_column(session, side).map(|it| it.file));
        let at = pairs
            .iter()
            .position(|pair| pair.each_ref().map(|column| Some(column.file.clone())) == now);
        let count = pairs.len() as isize;
        if count == 0 {
            return;
        }
        let next = match at {
            Some(at) => (at as isize + by).rem_euclid(count),
            None => 0,
        };
        let Some([a, b]) = pairs.get(next as usize) else { return };
        session.notice = Some(format!("pair {} of {count}: {}", next + 1, pair::kind(a, b)));
        self.chosen = [Some(a.file.clone()), Some(b.file.clone())];
    }

    /// The column at the cursor.
    pub fn judge_column(&self, session: &Session) -> Option<Column> {
        let columns = self.judge_columns(session);
        let wanted = self.column.as_ref();
        let at = columns.iter().position(|column| Some(&column.file) == wanted).unwrap_or(0);
        columns.into_iter().nth(at)
    }

    /// The id of the component at the cursor.
    pub fn judges_component(&self) -> Option<&str> {
        self.component.as_deref()
    }
}

impl Scores {
    pub(super) fn update_judges(
        &mut self,
        session: &mut Session,
        message: Message,
        layout: &Layout,
    ) {
        let judges = &mut self.judges;
        match message {
            Message::Move(motion) => self.judges.move_among_judges(session, motion, layout),
            Message::Column(motion) => self.judges.move_column(session, motion, layout),
            Message::Choose(side) => self.judges.choose_side(session, side),
            Message::NextPair => self.judges.next_pair(session, 1),
            Message::PreviousPair => self.judges.next_pair(session, -1),
            Message::Sort => {
                judges.sort = judges.sort.next();
                session.notice = Some(format!("sorted by {}", judges.sort.words()));
            }
            Message::OnlyDiffering => self.judges.list_differing(session),
            Message::Open => self.open_judged(session),
            Message::Both => self.judges.show_both(session),
            Message::Flip => judges.side = judges.side.other(),
            Message::NextDifference => self.judges.go_to_difference(session, 1),
            Message::PreviousDifference => self.judges.go_to_difference(session, -1),
            Message::NextPart => match judges.part {
                Part::Matrix => judges.part = Part::Pair,
                Part::Pair => judges.part = Part::Matrix,
                Part::Both => judges.side = judges.side.other(),
            },
            Message::Close => match judges.part {
                Part::Both => judges.part = judges.came_from,
                Part::Pair | Part::Matrix => judges.part = Part::Matrix,
            },
        }
    }

    /// The verdict of the column at the cursor, or both where they differ and that is what is listed.
    fn open_judged(&mut self, session: &mut Session) {
        let judges = &self.judges;
        match judges.part {
            Part::Matrix if !judges.only_differing => {
                let file = self.judges.judge_column(session).map(|column| column.file);
                self.open_verdict_of(session, file);
            }
            Part::Matrix | Part::Pair => self.judges.show_both(session),
            Part::Both => {
                let file = self.judges.side_column(session, judges.side).map(|column| column.file);
                self.open_verdict_of(session, file);
            }
        }
    }

    /// In the table of components, where the evidence opens into the code.
    fn open_verdict_of(&mut self, session: &mut Session, file: Option<String>) {
        let (Some(file), Some(id)) = (file, self.judges.component.clone()) else {
            session.notice = Some("there is no verdict here".into());
            return;
        };
        self.chosen = Some(Shows::Components);
        session.rubric.look_at(&file);
        let components = &mut self.components;
        components.choose(Some(id));
        components.part = super::components::Part::Verdict;
        session.notice = Some("t goes back to all judgements".into());
    }
}
