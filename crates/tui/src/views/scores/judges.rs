//! All judgements of a run at once: components as rows, judgements as columns, and the comparison of two judgements.
//!
//! [`columns`] builds the columns and [`rows`] the cells; [`judgement_pair`] compares the two chosen judgements; [`both_verdicts`] has the
//! texts of both on one component; [`areas`] computes the parts. Nothing here changes a judgement. The labels of human
//! raters are left out on purpose, since raters must not see each other's. Judgements of the kind `human` are included,
//! since they were made to be seen.

pub mod areas;
pub mod both_verdicts;
pub mod columns;
pub mod judgement_pair;
mod navigation;
pub mod rows;

use crate::{
    session::{Session, context::KeyContext},
    views::scores::ScoresView,
    widgets::{
        layout::ScreenLayout,
        pane::{ListPane, TextPane},
        scroll::Motion,
    },
};

use super::ScoresPage;

use columns::JudgementColumn;
use judgement_pair::MeasuredPair;

/// The state of the judgements view.
#[derive(Debug, Default)]
pub struct JudgesView {
    pub part: JudgesPart,
    /// The part from which the view of both verdicts was opened.
    came_from: JudgesPart,
    pub sort: JudgeRowSort,
    /// True if only components are listed that the two chosen judgements score differently.
    pub only_differing: bool,
    /// Id of the component at the cursor.
    component: Option<String>,
    /// File of the judgement at the cursor.
    column: Option<String>,
    /// Files of the two compared judgements, if they were chosen.
    chosen_files: [Option<String>; 2],
    pub(super) rows: ListPane,
    pub(super) differing: ListPane,
    /// The first column that is seen.
    pub left: usize,
    /// The side whose text has the keyboard, or is shown if there is room for one only.
    pub side: JudgeSide,
    /// The words of each side.
    pub(super) words: [TextPane; 2],
    /// The component and both files to which the texts belong.
    words_of: Option<[String; 3]>,
    measured: Option<MeasuredPair>,
}

/// The part that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgesPart {
    #[default]
    Matrix,
    /// Two judgements, and where they differ.
    Pair,
    /// The verdicts of both judgements on one component.
    Both,
}

/// One of the two compared judgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgeSide {
    #[default]
    First,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgeRowSort {
    /// Sorts in the order of the checklist.
    #[default]
    Id,
    /// Sorts by agreement, the lowest first.
    Instability,
    /// The largest difference of the two that are chosen first.
    Difference,
}

#[derive(Debug, Clone, PartialEq)]
pub enum JudgesMessage {
    /// Rows: components, or words.
    Move(Motion),
    /// Columns.
    Column(Motion),
    /// The column at the cursor becomes this side.
    Choose(JudgeSide),
    /// The next or previous two that are worth holding against each other.
    NextPair,
    PreviousPair,
    Sort,
    OnlyDiffering,
    /// Opens the row at the cursor.
    Open,
    /// Shows both verdicts on the component at the cursor.
    Both,
    /// The other one's words.
    Flip,
    NextDifference,
    PreviousDifference,
    NextPart,
}

impl JudgeSide {
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    pub(crate) const fn other_side(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Returns the letter that marks the column of the side.
    pub(crate) const fn side_letter(self) -> &'static str {
        match self {
            Self::First => "a",
            Self::Second => "b",
        }
    }
}

impl JudgeRowSort {
    const fn next(self) -> Self {
        match self {
            Self::Id => Self::Instability,
            Self::Instability => Self::Difference,
            Self::Difference => Self::Id,
        }
    }

    pub(crate) const fn sort_words(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Instability => "instability, lowest agreement first",
            Self::Difference => "difference of a and b, the largest first",
        }
    }
}

impl JudgesView {
    /// Goes back to where the words were opened from, else to the table; returns false if the table has the keyboard.
    pub(super) fn close_part(&mut self) -> bool {
        let before = self.part;
        self.part = match before {
            JudgesPart::Both => self.came_from,
            JudgesPart::Pair | JudgesPart::Matrix => JudgesPart::Matrix,
        };
        before != JudgesPart::Matrix
    }

    /// Opens at a component.
    pub(crate) fn choose_component(&mut self, id: Option<String>) {
        self.component = id;
    }
}

impl JudgesView {
    fn list_differing(&mut self, session: &mut Session) {
        self.only_differing = !self.only_differing;
        let is_only = self.only_differing;
        let count = self.differing_rows(session).len();
        session.notice = Some(match (is_only, count) {
            (true, 0) => format!(
                "a and b agree everywhere: {} lists all components",
                session.keys.key_text(KeyContext::Matrix, "differences-only")
            ),
            (true, count) => format!("only the {count} on which a and b differ"),
            (false, _) => "all components".into(),
        });
    }

    fn show_both(&mut self, session: &mut Session) {
        if self.component.is_none() {
            session.notice = Some("no component selected".into());
            return;
        }
        if self.part != JudgesPart::Both {
            self.came_from = self.part;
            self.part = JudgesPart::Both;
            self.side = JudgeSide::First;
        }
    }

    fn choose_side(&mut self, session: &mut Session, side: JudgeSide) {
        let Some(column) = self.judge_column(session) else { return };
        let other = self.side_column(session, side.other_side()).map(|column| column.file);
        if other.as_ref() == Some(&column.file) {
            let letter = side.other_side().side_letter();
            session.notice = Some(format!("this column is already {letter}; choose another"));
            return;
        }
        session.notice = Some(format!("{} is {}", side.side_letter(), column.column_words()));
        self.chosen_files = match side {
            JudgeSide::First => [Some(column.file), other],
            JudgeSide::Second => [other, Some(column.file)],
        };
    }

    fn next_pair(&mut self, session: &mut Session, by: isize) {
        let pairs = self.pairs_of_columns(session);
        let now = [JudgeSide::First, JudgeSide::Second]
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
        session.notice = Some(format!(
            "pair {} of {count}: {}",
            next + 1,
            judgement_pair::comparison_kind(a, b)
        ));
        self.chosen_files = [Some(a.file.clone()), Some(b.file.clone())];
    }

    /// Returns the column at the cursor.
    pub fn judge_column(&self, session: &Session) -> Option<JudgementColumn> {
        let columns = self.judge_columns(session);
        let wanted = self.column.as_ref();
        let at = columns.iter().position(|column| Some(&column.file) == wanted).unwrap_or(0);
        columns.into_iter().nth(at)
    }

    /// Returns the id of the component at the cursor.
    pub fn judges_component(&self) -> Option<&str> {
        self.component.as_deref()
    }
}

impl ScoresView {
    pub(super) fn update_judges(
        &mut self,
        session: &mut Session,
        message: JudgesMessage,
        layout: &ScreenLayout,
    ) {
        let judges = &mut self.judges;
        match message {
            JudgesMessage::Move(motion) => self.judges.move_among_judges(session, motion),
            JudgesMessage::Column(motion) => self.judges.move_column(session, motion, layout),
            JudgesMessage::Choose(side) => self.judges.choose_side(session, side),
            JudgesMessage::NextPair => self.judges.next_pair(session, 1),
            JudgesMessage::PreviousPair => self.judges.next_pair(session, -1),
            JudgesMessage::Sort => {
                judges.sort = judges.sort.next();
                session.notice = Some(format!("sorted by {}", judges.sort.sort_words()));
            }
            JudgesMessage::OnlyDiffering => self.judges.list_differing(session),
            JudgesMessage::Open => self.open_judged(session),
            JudgesMessage::Both => self.judges.show_both(session),
            JudgesMessage::Flip => judges.side = judges.side.other_side(),
            JudgesMessage::NextDifference => self.judges.go_to_difference(session, 1),
            JudgesMessage::PreviousDifference => self.judges.go_to_difference(session, -1),
            JudgesMessage::NextPart => match judges.part {
                JudgesPart::Matrix => judges.part = JudgesPart::Pair,
                JudgesPart::Pair => judges.part = JudgesPart::Matrix,
                JudgesPart::Both => judges.side = judges.side.other_side(),
            },
        }
    }

    /// Opens the verdict of the column at the cursor, or both verdicts if they differ and only differing components are
    /// listed.
    fn open_judged(&mut self, session: &mut Session) {
        let judges = &self.judges;
        match judges.part {
            JudgesPart::Matrix if !judges.only_differing => {
                let file = self.judges.judge_column(session).map(|column| column.file);
                self.open_column_verdict(session, file);
            }
            JudgesPart::Matrix | JudgesPart::Pair => self.judges.show_both(session),
            JudgesPart::Both => {
                let file = self.judges.side_column(session, judges.side).map(|column| column.file);
                self.open_column_verdict(session, file);
            }
        }
    }

    /// Opens the verdict in the table of components, from which the evidence can be opened in the code.
    fn open_column_verdict(&mut self, session: &mut Session, file: Option<String>) {
        let (Some(file), Some(id)) = (file, self.judges.component.clone()) else {
            session.notice = Some("no verdict here".into());
            return;
        };
        self.chosen = Some(ScoresPage::Components);
        session.rubric.show_judgement(&file);
        let components = &mut self.components;
        components.choose_component(Some(id));
        components.part = super::components::ComponentsPart::Verdict;
        session.notice = Some("t returns to all judgements".into());
    }
}
