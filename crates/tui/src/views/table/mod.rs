//! Many runs in a table: which there are, how they are sorted, narrowed down and grouped, what is still being read.
//!
//! [`row`] is one run, [`columns`] what is told of each and [`values`] how, [`filter`] and [`order`] which of them are
//! listed, [`areas`] where they stand, `asking` what is wanted of the world, `around` what the table is to the rest of
//! the program. A collection lies beside the run that was opened from it, and keeps its place.

pub mod areas;
pub mod asking;
pub mod draw;
pub mod expression;
pub mod facts;
pub mod filter;
pub mod finding;
pub mod kept;
pub mod order;
pub mod pairs;
mod pointing;
pub mod prompt;
pub mod row;
pub mod values;
mod widths;

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    session::{
        columns::{self, Column, SessionColumn, Set},
        context::Context,
        measured::RulerName,
    },
    widgets::scroll::{Motion, Scroll},
};
use trajview_run::address::is_address;

use asking::Asking;
use expression::Expression;
use filter::Filter;
use finding::Finding;
use kept::{Kept, Which};
use order::{Direction, Group, Key, Line, LineOptions, Sort};
use pairs::{Matched, Pairs};
use row::Row;
use widths::{BEFORE, Widths};

pub use prompt::Prompt;

#[derive(Debug, Default)]
pub struct Collection {
    /// What was opened.
    pub sources: Vec<PathBuf>,
    /// In the order in which they were found.
    pub rows: Vec<Row>,
    /// No more runs will be found.
    pub is_listed: bool,
    /// Reading and measuring are called off.
    pub is_stopped: bool,
    /// What measures; None until something is measured.
    pub ruler: Option<RulerName>,
    /// What measured the values in brackets, where some are shown.
    pub before: Option<RulerName>,
    pub notice: Option<String>,
    /// The run that another is to be compared with: index of its row.
    pub marked: Option<usize>,
    pub prompt: Option<Prompt>,
    /// What is looked for in all runs, in the place of the table.
    pub finding: Option<Box<Finding>>,
    /// The panel that holds two conditions against each other.
    pub pairs: Option<Pairs>,
    pub shape: Shape,
    pub scroll: Scroll,
    worked_out: WorkedOut,
    asking: Asking,
}

/// Which runs and columns are shown, and in which order.
#[derive(Debug, Default)]
pub struct Shape {
    pub filter: Filter,
    /// A condition in SQL, which holds beside the filter.
    pub expression: Expression,
    pub sort: Option<Sort>,
    /// What runs are grouped by.
    pub group: Option<Column>,
    /// The column that has the keyboard.
    pub chosen: Column,
    /// Which columns somebody wants; None where the runs decide.
    pub set: Option<Set>,
    /// What is shown without a path.
    pub start: Option<Start>,
    /// Columns of which no run has a value are shown too.
    pub shows_empty: bool,
    folded: BTreeSet<Key>,
}

/// What is worked out of the rows for what is shown.
#[derive(Debug, Default)]
struct WorkedOut {
    arranged: Arranged,
    counted: Widths,
    /// Which columns the runs call for.
    set: Set,
    /// Whether the filter takes each of the runs, in their order.
    taken: Vec<bool>,
    /// Something was answered that the lines do not show yet.
    has_news: bool,
}

/// Worked out from the rest after each change.
#[derive(Debug, Default)]
struct Arranged {
    lines: Vec<Line>,
    /// The columns to be shown, with their widths in cells.
    widths: Vec<(Column, u16)>,
    /// Columns left out because no run has a value.
    empty: Vec<Column>,
    /// What the panel of paired tests is about.
    matched: Option<Result<Matched, String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Move(Motion),
    /// The wheel was turned.
    Turn(Motion),
    /// To another column.
    Choose(Motion),
    /// By the chosen column; once more the other way round.
    Sort,
    SortBy(Column),
    Reverse,
    /// By the next thing runs can be grouped by.
    Group,
    Fold,
    FoldAll,
    SwitchEmpty,
    /// The columns of sessions, or those of scores.
    SwitchSet,
    StopOrGoOn,
    /// The panel with the paired tests: by condition, by agent, closed.
    Pairs,
    /// The next two conditions or agents.
    NextPair,
    Prompt(prompt::Message),
    /// Typing a condition in SQL.
    Where(expression::Message),
    /// In what all runs say.
    Find(finding::Message),
    /// These recordings are new or were written to; what stands otherwise at this moment (milliseconds since 1970-01-01 UTC).
    Stands {
        changed: Vec<PathBuf>,
        now: i64,
    },
    /// The run at the cursor; a group folds or unfolds.
    Open,
    /// The table, from the run that was opened from it.
    Show,
    /// This run and the one that was marked before, side by side.
    Compare,
    /// The filter goes, then the condition in SQL, the groups, the sorting.
    Escape,
}

/// How the table is wanted when it is opened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Opening {
    /// The sessions of this machine, to choose one by typing; None for the runs that somebody named.
    pub start: Option<Start>,
    pub sort: Option<Sort>,
    pub group: Option<Column>,
    pub filter: Filter,
    /// How the table was left the last time; what else is said goes before it.
    pub kept: Kept,
}

impl Opening {
    /// Whether somebody asked for something that only a table has.
    pub fn is_asked_for(&self) -> bool {
        Self { kept: Kept::default(), ..self.clone() } != Self::default()
    }
}

/// The view of a program that was started without a path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Start {
    /// A run to look at where there is none; None where it could not be written.
    pub sample: Option<PathBuf>,
}

impl Line {
    /// Index of the run.
    pub const fn run(&self) -> Option<usize> {
        match self {
            Self::Run(row) => Some(*row),
            Self::Group(_) => None,
        }
    }
}

/// What the cursor stands on, wherever it stands.
#[derive(Debug, Clone, PartialEq)]
enum Spot {
    Run(usize),
    Group(Key),
}

impl Collection {
    pub fn of(sources: Vec<PathBuf>, opening: Opening) -> Self {
        let Opening { start, sort, group, filter, kept } = opening;
        // Columns that somebody names decide by themselves which are shown.
        let kept = if sort.is_some() { Kept::default() } else { kept.fitting() };
        let sort = sort.or(kept.sort);
        let chosen = sort.map_or_else(Column::default, |sort| sort.column);
        let of_sessions = Column::of(Set::Sessions);
        let mut named = sort.map(|sort| sort.column).into_iter().chain(group);
        let set = match &start {
            _ if named.any(|column| !of_sessions.contains(&column)) => Some(Set::Scores),
            Some(_) => kept.set.or(Some(Set::Sessions)),
            None => kept.set,
        };
        let shape = Shape { sort, group, filter, chosen, set, start, ..Shape::default() };
        let mut collection = Self { sources, shape, ..Self::default() };
        if collection.shape.start.is_some() {
            collection.update_prompt(prompt::Message::Start);
        }
        collection.asking.kept = collection.kept();
        collection.arrange();
        collection
    }

    /// Which columns somebody wants and in which order, as it is kept.
    pub const fn kept(&self) -> Kept {
        Kept { set: self.shape.set, sort: self.shape.sort }
    }

    /// Which of the tables this is.
    pub const fn which(&self) -> Which {
        if self.shape.start.is_some() { Which::Start } else { Which::Runs }
    }

    /// The columns that may be shown, from left to right.
    pub fn columns(&self) -> Vec<Column> {
        Column::of(self.set())
    }

    /// Which columns are shown: as somebody chose, else as the runs call for.
    pub fn set(&self) -> Set {
        self.shape.set.unwrap_or(self.worked_out.set)
    }

    /// What a row is called.
    pub fn what(&self) -> &'static str {
        match self.set() {
            Set::Sessions => "session",
            Set::Scores => "run",
        }
    }

    /// As somebody chose; sessions with the newest first where nobody did.
    pub fn sort(&self) -> Option<Sort> {
        let newest =
            Sort { column: Column::Session(SessionColumn::When), direction: Direction::Down };
        self.shape.sort.or((self.set() == Set::Sessions).then_some(newest))
    }

    pub fn lines(&self) -> &[Line] {
        &self.worked_out.arranged.lines
    }

    pub fn widths(&self) -> &[(Column, u16)] {
        &self.worked_out.arranged.widths
    }

    /// Columns that are left out: no run has a value there.
    pub fn empty_columns(&self) -> &[Column] {
        &self.worked_out.arranged.empty
    }

    /// What stands against what in the panel below; the error is a sentence. None while it is closed.
    pub fn matched(&self) -> Option<&Result<Matched, String>> {
        self.worked_out.arranged.matched.as_ref()
    }

    /// The run at the cursor.
    pub fn selected(&self) -> Option<&Row> {
        self.lines().get(self.scroll.cursor)?.run().map(|row| &self.rows[row])
    }

    /// What stands in the row at the cursor, with tabs between; nothing where nothing is known.
    pub fn selected_line(&self) -> Option<String> {
        let row = self.selected()?;
        let cell = |(column, _): &(Column, u16)| row.shown(*column).known().unwrap_or_default();
        Some(self.widths().iter().map(cell).collect::<Vec<_>>().join("\t"))
    }

    pub fn group_at_cursor(&self) -> Option<&Group> {
        match self.lines().get(self.scroll.cursor)? {
            Line::Group(group) => Some(group),
            Line::Run(_) => None,
        }
    }

    /// How many runs the filter lets through.
    pub fn taken(&self) -> usize {
        let of_line = |line: &Line| match (line, self.shape.group) {
            (Line::Group(group), _) => group.rows.len(),
            (Line::Run(_), None) => 1,
            (Line::Run(_), Some(_)) => 0,
        };
        self.lines().iter().map(of_line).sum()
    }

    /// Every run was found and read.
    pub fn is_read(&self) -> bool {
        self.is_listed && (self.reads_what_is_seen() || self.rows.iter().all(Row::is_read))
    }

    /// Whether only those rows are read that are looked at: there are very many, or they are on remote storage.
    pub fn reads_what_is_seen(&self) -> bool {
        self.rows.len() > asking::READ_UNSEEN || self.is_remote()
    }

    /// Whether the runs are on remote storage: of those that are not opened only the beginnings are read.
    pub fn is_remote(&self) -> bool {
        self.sources.iter().any(|source| is_address(source))
    }

    /// So many runs are read, so many are measured.
    pub fn progress(&self) -> [usize; 2] {
        let count = |is_so: fn(&Row) -> bool| self.rows.iter().filter(|row| is_so(row)).count();
        match self.set() {
            // Nothing is measured of sessions.
            Set::Sessions => [count(Row::is_read); 2],
            Set::Scores => [count(Row::is_read), count(Row::is_done)],
        }
    }

    /// `height` is how many lines are seen.
    pub fn update(&mut self, message: Message, height: usize) {
        match message {
            Message::Move(motion) => {
                self.scroll.cursor = motion.from(self.scroll.cursor, self.lines().len(), height);
            }
            Message::Turn(motion) => {
                let len = self.lines().len();
                self.scroll.turn(motion, len, height);
            }
            Message::Choose(motion) => self.choose(motion),
            Message::Sort => self.sort_by(self.shape.chosen),
            Message::SortBy(column) => {
                self.shape.chosen = column;
                self.sort_by(column);
            }
            Message::Reverse => self.reverse(),
            Message::Group => {
                self.shape.group = Column::next_group(self.shape.group, self.set());
            }
            Message::Fold => self.fold(),
            Message::FoldAll => self.fold_all(),
            Message::SwitchEmpty => self.shape.shows_empty = !self.shape.shows_empty,
            Message::SwitchSet => self.shape.set = Some(self.set().other()),
            Message::StopOrGoOn => self.is_stopped = !self.is_stopped,
            Message::Pairs => self.switch_pairs(),
            Message::NextPair => self.next_pair(),
            Message::Prompt(message) => {
                self.update_prompt(message);
                if self.shape.start.is_some() && self.prompt.is_some() {
                    return self.arrange_from_top();
                }
            }
            Message::Where(message) => {
                if !self.shape.expression.update(message) {
                    return;
                }
            }
            Message::Stands { changed, now } => return self.stand(changed, now),
            Message::Find(message) => return finding::update(&mut self.finding, message, height),
            Message::Escape => self.escape(),
            Message::Open | Message::Show | Message::Compare => return, // these are the program's
        }
        self.arrange();
    }

    /// Which keys hold in the table.
    pub fn context(&self) -> Context {
        match &self.finding {
            Some(finding) => finding.context(),
            None if self.shape.expression.prompt.is_some() => Context::Where,
            None if self.prompt.is_some() => match self.shape.start {
                Some(_) => Context::Start,
                None => Context::Filter,
            },
            None => Context::Table,
        }
    }

    /// Keeps the cursor in the lines and on screen.
    pub fn settle(&mut self, height: usize) {
        let len = self.lines().len();
        self.scroll.follow(len, height);
        if let Some(finding) = &mut self.finding {
            finding.settle(height);
        }
    }

    fn choose(&mut self, motion: Motion) {
        let columns: Vec<Column> = self.widths().iter().map(|(column, _)| *column).collect();
        let at = columns.iter().position(|column| *column == self.shape.chosen).unwrap_or_default();
        let to = motion.from(at, columns.len(), columns.len());
        self.shape.chosen = columns.get(to).copied().unwrap_or_default();
    }

    /// Words begin with a, numbers with the largest; the second time the other way round.
    fn sort_by(&mut self, column: Column) {
        let first = match column.kind() {
            columns::Kind::Words => Direction::Up,
            columns::Kind::Number => Direction::Down,
        };
        let direction = match self.sort() {
            Some(sort) if sort.column == column => sort.direction.other(),
            _ => first,
        };
        self.shape.sort = Some(Sort { column, direction });
    }

    fn reverse(&mut self) {
        match self.sort() {
            Some(sort) => {
                self.shape.sort = Some(Sort { direction: sort.direction.other(), ..sort });
            }
            None => self.notice = Some("nothing is sorted: s sorts by the chosen column".into()),
        }
    }

    fn fold(&mut self) {
        let Some(key) = self.group_of_cursor() else { return };
        if !self.shape.folded.remove(&key) {
            self.shape.folded.insert(key);
        }
    }

    /// The group of the line at the cursor.
    fn group_of_cursor(&self) -> Option<Key> {
        let above = self.lines().get(..=self.scroll.cursor)?.iter().rev();
        let mut groups = above.filter_map(|line| match line {
            Line::Group(group) => Some(group.key.clone()),
            Line::Run(_) => None,
        });
        groups.next()
    }

    /// Folds all groups, or unfolds all if all are folded.
    fn fold_all(&mut self) {
        let keys = self.lines().iter().filter_map(|line| match line {
            Line::Group(group) => Some(group.key.clone()),
            Line::Run(_) => None,
        });
        let keys: BTreeSet<Key> = keys.collect();
        if keys.is_subset(&self.shape.folded) {
            self.shape.folded.clear();
        } else {
            self.shape.folded.extend(keys);
        }
    }

    fn escape(&mut self) {
        if !self.shape.filter.is_empty() {
            self.shape.filter = Filter::default();
        } else if !self.shape.expression.is_empty() {
            self.shape.expression.clear();
        } else if self.shape.group.is_some() {
            self.shape.group = None;
        } else {
            self.shape.sort = None;
        }
    }

    /// A run is another than it was: its cells are counted again.
    fn note_change(&mut self, at: usize) {
        let Some(row) = self.rows.get(at) else { return };
        self.worked_out.counted.count(at, row);
        let is_taken = self.shape.filter.takes(row) && self.shape.expression.takes(at);
        self.shape.expression.note(at);
        match self.worked_out.taken.get_mut(at) {
            Some(taken) => *taken = is_taken,
            None => self.worked_out.taken.push(is_taken),
        }
        self.worked_out.has_news = true;
    }

    /// Works out the lines again after something was answered: a cursor that has never left the top stays there.
    fn arrange_news(&mut self) {
        if !std::mem::take(&mut self.worked_out.has_news) {
            return;
        }
        if self.scroll.top == 0 && self.scroll.cursor == self.first_line() {
            self.arrange_around(None);
        } else {
            self.arrange_around(self.spot());
        }
    }

    /// Works out everything again; the cursor stays on its run.
    fn arrange(&mut self) {
        self.work_out_taken();
        self.arrange_around(self.spot());
    }

    fn work_out_taken(&mut self) {
        let Shape { filter, expression, .. } = &self.shape;
        let rows = self.rows.iter().enumerate();
        let taken = rows.map(|(at, row)| filter.takes(row) && expression.takes(at));
        self.worked_out.taken = taken.collect();
    }

    /// As [`Self::arrange`], with the cursor on the first line: enter opens the first that fits.
    fn arrange_from_top(&mut self) {
        self.work_out_taken();
        self.arrange_around(None);
    }

    fn arrange_around(&mut self, spot: Option<Spot>) {
        // Of very many rows, which are read as they are looked at, a few say nothing of the others.
        self.worked_out.set = match self.rows.len() > asking::READ_UNSEEN {
            true => Set::Scores,
            false => row::set_of(&self.rows),
        };
        let wish = LineOptions {
            taken: &self.worked_out.taken,
            sort: self.sort(),
            group: self.shape.group,
            folded: &self.shape.folded,
        };
        self.worked_out.arranged.lines = order::lines(&self.rows, &wish);
        self.lay_out_columns();
        self.worked_out.arranged.matched = self.match_up();
        let Some(spot) = spot else {
            self.scroll = Scroll { cursor: self.first_line(), ..Scroll::default() };
            return;
        };
        if let Some(cursor) = self.place_of(&spot) {
            let moved = self.scroll.cursor.abs_diff(cursor);
            // It stays where it is on screen, too.
            self.scroll.top = match cursor > self.scroll.cursor {
                true => self.scroll.top + moved,
                false => self.scroll.top.saturating_sub(moved),
            };
            self.scroll.cursor = cursor;
        }
        self.scroll.cursor = self.scroll.cursor.min(self.lines().len().saturating_sub(1));
    }

    /// Where the cursor is before it is moved: on the first line; among the sessions of this machine on the first of them,
    /// which enter opens.
    fn first_line(&self) -> usize {
        let first = |line: &Line| line.run().is_some();
        let first = self.shape.start.as_ref().and_then(|_| self.lines().iter().position(first));
        first.unwrap_or_default()
    }

    /// Whether values of another profile stand in a column too.
    fn shows_before(&self, column: Column) -> bool {
        self.before.is_some() && column.is_of_profile()
    }

    fn spot(&self) -> Option<Spot> {
        self.lines().get(self.scroll.cursor).map(|line| match line {
            Line::Run(row) => Spot::Run(*row),
            Line::Group(group) => Spot::Group(group.key.clone()),
        })
    }

    fn place_of(&self, spot: &Spot) -> Option<usize> {
        self.lines().iter().position(|line| match (line, spot) {
            (Line::Run(row), Spot::Run(wanted)) => row == wanted,
            (Line::Group(group), Spot::Group(wanted)) => group.key == *wanted,
            _ => false,
        })
    }

    /// Measures every run anew, with another profile or other rules; what is known stays as what was before.
    pub(crate) fn measure_again(&mut self) {
        self.asking.stop_measuring();
        self.before = self.ruler.take().or(self.before.take());
        self.rows.iter_mut().for_each(Row::measure_again);
        self.count_all();
    }

    /// Values of another profile or other rules are not shown any more.
    pub(crate) fn dismiss_before(&mut self) {
        self.before = None;
        self.rows.iter_mut().for_each(|row| row.before = None);
        self.count_all();
    }

    /// Works out the widths of every column again, because cells of every run have changed.
    fn count_all(&mut self) {
        (0..self.rows.len()).for_each(|at| self.note_change(at));
        self.arrange();
    }

    fn lay_out_columns(&mut self) {
        let (mut widths, mut empty) = (vec![], vec![]);
        // What its group says is not said in each row.
        let is_said = |column: &Column| {
            matches!(column, Column::Session(_)) && self.shape.group == Some(*column)
        };
        let sort = self.sort();
        for column in self.columns().into_iter().filter(|column| !is_said(column)) {
            let about = column.about();
            let is_sorted = sort.is_some_and(|sort| sort.column == column);
            let title = about.title.chars().count() + usize::from(is_sorted); // its sign
            let width = self.worked_out.counted.widest(column).max(title);
            let is_settled = self.is_listed && !self.rows.is_empty() && column != Column::Run;
            let is_empty = is_settled && self.worked_out.counted.is_empty(column);
            match is_empty && !self.shape.shows_empty && !is_sorted {
                true => empty.push(column),
                false => {
                    let both = if self.shows_before(column) { BEFORE } else { 0 };
                    let most = match about.kind {
                        columns::Kind::Words => width,
                        columns::Kind::Number => about.most.max(title) + both,
                    };
                    widths.push((column, width.min(most) as u16));
                }
            }
        }
        if !widths.iter().any(|(column, _)| *column == self.shape.chosen) {
            let second = widths.get(1).or(widths.first());
            self.shape.chosen = second.map_or(Column::Run, |(column, _)| *column);
        }
        self.worked_out.arranged.widths = widths;
        self.worked_out.arranged.empty = empty;
    }
}
