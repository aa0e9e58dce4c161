//! A table of many runs: its rows, their order, filter and groups, and the data that is still being read.
//!
//! [`row`] is one run, [`columns`] lists the columns and [`values`] computes their values, [`filter`] and [`order`]
//! select the listed rows, [`areas`] computes the parts, and `questions` asks for missing data. A table stays next to
//! the run that was opened from it, and keeps its cursor.

pub mod areas;
pub mod draw;
pub mod expression;
pub mod filter;
mod mouse;
pub mod order;
pub mod pairs;
pub mod prompt;
pub mod questions;
pub mod row;
pub mod run_facts;
pub mod run_finding;
pub mod stored_choice;
pub mod values;
mod widths;

use std::{collections::BTreeSet, path::PathBuf};

use ratatui::layout::Rect;

use crate::{
    session::{
        code_measures::RulerName,
        columns::{self, CardColumn, ColumnSet, RunTableColumn},
        context::KeyContext,
        corrected_mcf::ShownMeans,
        key_texts::KeyTexts,
    },
    widgets::{
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::address::is_address;
use trajview_study::outcomes::{OutcomeCounts, PassRate};

use expression::WhereExpression;
use filter::RunRowFilter;
use order::{ColumnSort, GroupKey, LineOptions, RunGroup, SortDirection, TableLine};
use pairs::{MatchedPairs, PairsPanel};
use questions::OpenQuestions;
use row::RunRow;
use run_finding::RunFinding;
use stored_choice::{StoredChoice, WhichTable};
use widths::{ColumnWidths, EARLIER_VALUE_CELLS};

pub use prompt::FilterPrompt;

#[derive(Debug, Default)]
pub struct RunTableView {
    /// The opened paths.
    pub sources: Vec<PathBuf>,
    /// The runs in the order in which they were found.
    pub rows: Vec<RunRow>,
    /// True once no more runs will be found.
    pub is_listed: bool,
    /// Reading and measuring are called off.
    pub is_stopped: bool,
    /// The name of the measuring profile. None until something was measured.
    pub ruler: Option<RulerName>,
    /// The profile of the values in brackets, if such values are shown.
    pub earlier_ruler: Option<RulerName>,
    pub notice: Option<String>,
    /// The keys that notices and hints name.
    pub(crate) keys: KeyTexts,
    /// The runs that another is to be compared with: indices of their rows, in the order in which they were marked.
    pub marked: Vec<usize>,
    pub prompt: Option<FilterPrompt>,
    /// The search in all runs, shown instead of the table.
    pub finding: Option<Box<RunFinding>>,
    /// The panel that holds two conditions against each other.
    pub pairs: Option<PairsPanel>,
    pub shape: TableShape,
    pub list: ListPane,
    worked_out: WorkedOut,
    asking: OpenQuestions,
}

/// The selection and the order of the shown runs and columns.
#[derive(Debug, Default)]
pub struct TableShape {
    pub filter: RunRowFilter,
    /// A condition in SQL, applied in addition to the filter.
    pub expression: WhereExpression,
    pub sort: Option<ColumnSort>,
    /// The column by which runs are grouped.
    pub group: Option<RunTableColumn>,
    /// The column that has the keyboard.
    pub chosen: RunTableColumn,
    /// The chosen set of columns. None if the runs decide.
    pub set: Option<ColumnSet>,
    /// The start view, shown if the program was started without a path.
    pub start: Option<StartView>,
    /// Columns of which no run has a value are shown too.
    pub shows_empty: bool,
    /// Which mean of judged scores has a column.
    pub means: ShownMeans,
    folded: BTreeSet<GroupKey>,
}

/// Values computed from the rows for display.
#[derive(Debug, Default)]
struct WorkedOut {
    arranged: ArrangedLines,
    counted: ColumnWidths,
    /// The set of columns that the runs call for.
    set: ColumnSet,
    /// For each run whether the filter takes it.
    is_taken: Vec<bool>,
    /// Something was answered that the lines do not show yet.
    has_news: bool,
}

/// Worked out from the rest after each change.
#[derive(Debug, Default)]
struct ArrangedLines {
    lines: Vec<TableLine>,
    /// The columns to be shown, with their widths in cells.
    widths: Vec<(RunTableColumn, u16)>,
    /// Columns left out because no run has a value.
    empty: Vec<RunTableColumn>,
    /// The pairs for the panel of paired tests.
    matched_pairs: Option<Result<MatchedPairs, String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TableMessage {
    Move(Motion),
    /// The wheel was turned.
    Turn(Motion),
    /// Moves to another column.
    Choose(Motion),
    /// Sorts by the chosen column. A second time reverses the order.
    Sort,
    SortBy(RunTableColumn),
    Reverse,
    /// Groups by the next column that runs can be grouped by.
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
    Prompt(prompt::FilterPromptMessage),
    /// Typing a condition in SQL.
    Where(expression::ExpressionMessage),
    /// Searches in the text of all runs.
    Find(run_finding::FindingMessage),
    /// Recordings that are new or were written to, and the time (milliseconds since 1970-01-01 UTC) for the activity of
    /// the agents.
    Stands {
        changed: Vec<PathBuf>,
        now: i64,
    },
    /// The run at the cursor; a group folds or unfolds.
    Open,
    /// Marks this run, or compares it with the marked ones, side by side.
    Compare,
    /// Marks this run beside the marked ones.
    Mark,
    /// Removes the filter, then the condition in SQL, the groups, the sorting. The start screen keeps its groups and
    /// order, and goes from typing to the keys of the table and back.
    Escape,
}

/// The options with which the table is opened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableOpening {
    /// The sessions of this machine, filtered by typing. None for the runs that the user named.
    pub start: Option<StartView>,
    pub sort: Option<ColumnSort>,
    pub group: Option<RunTableColumn>,
    pub filter: RunRowFilter,
    /// The stored choice of the last time. The other options override it.
    pub stored_choice: StoredChoice,
}

impl TableOpening {
    /// Returns true if the user requested something that only a table has.
    pub fn needs_table(&self) -> bool {
        Self { stored_choice: StoredChoice::default(), ..self.clone() } != Self::default()
    }
}

/// The view of a program that was started without a path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartView {
    /// The keys are those of the table; otherwise a letter begins a filter.
    pub has_table_keys: bool,
    /// A sample run to open if there is none. None if it could not be written.
    pub sample: Option<PathBuf>,
}

impl TableLine {
    /// Returns the index of the run.
    pub const fn run_index(&self) -> Option<usize> {
        match self {
            Self::Run(row) => Some(*row),
            Self::Group(_) => None,
        }
    }
}

/// The row at the cursor, independent of its position.
#[derive(Debug, Clone, PartialEq)]
enum CursorSpot {
    Run(usize),
    Group(GroupKey),
}

impl RunTableView {
    pub fn from_sources(sources: Vec<PathBuf>, opening: TableOpening) -> Self {
        let TableOpening { start, sort, group, filter, stored_choice: kept } = opening;
        // Columns that the user names determine which set is shown.
        let kept =
            if sort.is_some() { StoredChoice::default() } else { kept.without_hidden_sort() };
        let sort = sort.or(kept.sort);
        let chosen = sort.map_or_else(RunTableColumn::default, |sort| sort.column);
        let of_sessions = RunTableColumn::in_set(ColumnSet::Sessions);
        let mut named = sort.map(|sort| sort.column).into_iter().chain(group);
        let set = match &start {
            _ if named.any(|column| !of_sessions.contains(&column)) => Some(ColumnSet::Scores),
            Some(_) => kept.set.or(Some(ColumnSet::Sessions)),
            None => kept.set,
        };
        let shape = TableShape { sort, group, filter, chosen, set, start, ..TableShape::default() };
        let mut collection = Self { sources, shape, ..Self::default() };
        collection.asking.stored_choice = collection.stored_choice();
        collection.arrange_lines();
        collection
    }

    /// Sets the keys that notices and hints name.
    pub(crate) fn with_keys(self, keys: KeyTexts) -> Self {
        Self { keys, ..self }
    }

    /// Returns the choice of columns and order for storing.
    pub const fn stored_choice(&self) -> StoredChoice {
        StoredChoice { set: self.shape.set, sort: self.shape.sort }
    }

    /// Returns the kind of this table.
    pub(crate) const fn which_table(&self) -> WhichTable {
        if self.shape.start.is_some() { WhichTable::Start } else { WhichTable::Runs }
    }

    /// Returns the columns that can be shown, from left to right.
    pub fn set_columns(&self) -> Vec<RunTableColumn> {
        RunTableColumn::in_set_with_means(self.column_set(), self.shape.means)
    }

    /// Shows these means, in the column of the others.
    pub(crate) fn show_means(&mut self, means: ShownMeans) {
        if self.shape.means == means {
            return;
        }
        self.shape.means = means;
        self.shape.chosen = self.shape.chosen.with_means(means);
        if let Some(sort) = &mut self.shape.sort {
            sort.column = sort.column.with_means(means);
        }
        self.arrange_lines();
    }

    /// Returns a sentence on the means that are shown: how many runs have a corrected one, and of the run at the cursor why
    /// it has none.
    pub(crate) fn means_text(&self) -> String {
        let scores = || self.rows.iter().filter_map(|row| row.known_card()?.mcf.as_ref());
        let (judged, corrected) =
            (scores().count(), scores().filter(|it| it.corrected.is_ok()).count());
        match self.shape.means {
            ShownMeans::Judged => "MCF: means of the judge".into(),
            ShownMeans::Corrected if judged == 0 => "no run here has an MCF to correct".into(),
            ShownMeans::Corrected => {
                let here = self.selected_run().and_then(|row| row.known_card()?.mcf.as_ref());
                let why = here.and_then(|it| it.corrected.as_ref().err());
                let why = why.map(|why| format!("; this run: {why}")).unwrap_or_default();
                format!("MCF corrected by blind labels: {corrected} of {judged} judged runs{why}")
            }
        }
    }

    /// Returns the set of shown columns: the chosen one, or else the one that the runs call for.
    pub(crate) fn column_set(&self) -> ColumnSet {
        self.shape.set.unwrap_or(self.worked_out.set)
    }

    /// Returns the noun for a row.
    pub(crate) fn row_noun(&self) -> &'static str {
        match self.column_set() {
            ColumnSet::Sessions => "session",
            ColumnSet::Scores => "run",
        }
    }

    /// Returns the chosen order. Sessions are sorted with the newest first if none was chosen.
    pub(crate) fn current_sort(&self) -> Option<ColumnSort> {
        let newest = ColumnSort {
            column: RunTableColumn::Card(CardColumn::When),
            direction: SortDirection::Down,
        };
        self.shape.sort.or((self.column_set() == ColumnSet::Sessions).then_some(newest))
    }

    pub fn table_lines(&self) -> &[TableLine] {
        &self.worked_out.arranged.lines
    }

    pub(crate) fn visible_lines(&self) -> &[TableLine] {
        self.table_lines().get(self.list.visible_rows()).unwrap_or_default()
    }

    pub fn column_widths(&self) -> &[(RunTableColumn, u16)] {
        &self.worked_out.arranged.widths
    }

    /// Returns the columns that are left out: no run has a value there.
    pub(crate) fn empty_columns(&self) -> &[RunTableColumn] {
        &self.worked_out.arranged.empty
    }

    /// Returns the matched pairs for the panel below. The error is a sentence. None while the panel is closed.
    pub(crate) fn matched_pairs(&self) -> Option<&Result<MatchedPairs, String>> {
        self.worked_out.arranged.matched_pairs.as_ref()
    }

    /// Returns the run at the cursor.
    pub fn selected_run(&self) -> Option<&RunRow> {
        self.table_lines().get(self.list.cursor())?.run_index().map(|row| &self.rows[row])
    }

    /// Returns the row at the cursor as a line of text, its values separated by tabs; a value that is not known is
    /// empty.
    pub(crate) fn selected_line(&self) -> Option<String> {
        let row = self.selected_run()?;
        let cell = |(column, _): &(RunTableColumn, u16)| {
            row.shown_text(*column).known_value().unwrap_or_default()
        };
        Some(self.column_widths().iter().map(cell).collect::<Vec<_>>().join("\t"))
    }

    pub(crate) fn group_at_cursor(&self) -> Option<&RunGroup> {
        match self.table_lines().get(self.list.cursor())? {
            TableLine::Group(group) => Some(group),
            TableLine::Run(_) => None,
        }
    }

    /// Returns the number of runs that the filter takes.
    pub(crate) fn taken_count(&self) -> usize {
        let of_line = |line: &TableLine| match (line, self.shape.group) {
            (TableLine::Group(group), _) => group.rows.len(),
            (TableLine::Run(_), None) => 1,
            (TableLine::Run(_), Some(_)) => 0,
        };
        self.table_lines().iter().map(of_line).sum()
    }

    /// Returns true if every run was found and read.
    pub fn is_read(&self) -> bool {
        self.is_listed && (self.reads_what_is_seen() || self.rows.iter().all(RunRow::is_read))
    }

    /// Returns true if only rows on screen are read, since there are very many or they are on remote storage.
    pub(crate) fn reads_what_is_seen(&self) -> bool {
        self.rows.len() > questions::MOST_ROWS_READ_UNSEEN || self.is_remote()
    }

    /// Returns true if the runs are on remote storage. Only the beginnings of unopened runs are then read.
    pub(crate) fn is_remote(&self) -> bool {
        self.sources.iter().any(|source| is_address(source))
    }

    /// Counts the outcomes of the runs that the filter takes and that are read.
    pub(crate) fn outcome_counts(&self) -> OutcomeCounts {
        let of_line = |line: &TableLine| match (line, self.shape.group) {
            (TableLine::Group(group), _) => group.rows.clone(),
            (TableLine::Run(row), None) => vec![*row],
            (TableLine::Run(_), Some(_)) => vec![],
        };
        let taken = self.table_lines().iter().flat_map(of_line);
        let cards = taken.filter_map(|row| self.rows.get(row)?.known_card());
        cards.map(|card| card.trial.outcome).collect()
    }

    /// Returns the pass rate of a group, errors counted as failures; None where none of its runs that are read counts.
    pub(crate) fn group_pass_rate(&self, group: &RunGroup) -> Option<PassRate> {
        let rows = group.rows.iter().filter_map(|row| self.rows.get(*row));
        let cards = rows.filter_map(RunRow::known_card);
        cards.map(|card| card.trial.outcome).collect::<OutcomeCounts>().default_pass_rate()
    }

    /// Returns the numbers of runs that are read and that are measured.
    pub(crate) fn read_and_measured(&self) -> [usize; 2] {
        let count = |is_so: fn(&RunRow) -> bool| self.rows.iter().filter(|row| is_so(row)).count();
        match self.column_set() {
            // Nothing is measured of sessions.
            ColumnSet::Sessions => [count(RunRow::is_read); 2],
            ColumnSet::Scores => [count(RunRow::is_read), count(RunRow::is_done)],
        }
    }

    pub(crate) fn update_table(&mut self, message: TableMessage) {
        match message {
            TableMessage::Move(motion) => self.list.move_cursor(motion),
            TableMessage::Turn(motion) => self.list.scroll_by(motion),
            TableMessage::Choose(motion) => self.choose_column(motion),
            TableMessage::Sort => self.sort_by(self.shape.chosen),
            TableMessage::SortBy(column) => {
                self.shape.chosen = column;
                self.sort_by(column);
            }
            TableMessage::Reverse => self.reverse_sort(),
            TableMessage::Group => {
                self.shape.group = RunTableColumn::next_group(self.shape.group, self.column_set());
            }
            TableMessage::Fold => self.toggle_group(),
            TableMessage::FoldAll => self.fold_all(),
            TableMessage::SwitchEmpty => self.shape.shows_empty = !self.shape.shows_empty,
            TableMessage::SwitchSet => self.shape.set = Some(self.column_set().other_set()),
            TableMessage::StopOrGoOn => self.is_stopped = !self.is_stopped,
            TableMessage::Pairs => self.switch_pairs(),
            TableMessage::NextPair => self.next_pair(),
            TableMessage::Prompt(message) => {
                self.update_prompt(message);
                if self.shape.start.is_some() && self.prompt.is_some() {
                    return self.arrange_from_top();
                }
            }
            TableMessage::Where(message) => {
                if !self.shape.expression.update_expression(message) {
                    return;
                }
            }
            TableMessage::Stands { changed, now } => return self.update_activity(changed, now),
            TableMessage::Find(message) => {
                return run_finding::update_finding(&mut self.finding, message);
            }
            TableMessage::Escape => self.drop_restriction(),
            TableMessage::Open | TableMessage::Compare | TableMessage::Mark => return, // these are the program's
        }
        self.arrange_lines();
    }

    /// Returns the keyboard context of the table.
    pub(crate) fn keyboard_context(&self) -> KeyContext {
        match &self.finding {
            Some(finding) => finding.keyboard_context(),
            None if self.shape.expression.prompt.is_some() => KeyContext::Where,
            None if self.prompt.is_some() => match self.shape.start {
                Some(_) => KeyContext::StartFilter,
                None => KeyContext::Filter,
            },
            None if self.awaits_letter() => KeyContext::Start,
            None => KeyContext::Table,
        }
    }

    /// Returns whether a letter that is no key begins a filter.
    pub(crate) fn awaits_letter(&self) -> bool {
        self.shape.start.as_ref().is_some_and(|start| !start.has_table_keys)
    }

    /// Returns whether escape has something to take back in the table.
    pub(crate) fn is_narrowed(&self) -> bool {
        let shape = &self.shape;
        let is_shaped = shape.start.is_some() || shape.group.is_some() || shape.sort.is_some();
        is_shaped || !shape.filter.is_empty() || !shape.expression.is_empty()
    }

    /// Keeps the cursor in the lines and on screen.
    pub(crate) fn settle_cursor(&mut self, body: Rect) {
        let room = PaneRoom::without_border(self.table_areas(body).list);
        self.list.settle(room, self.table_lines().len());
        if let Some(finding) = &mut self.finding {
            finding.settle_cursor(body);
        }
    }

    fn choose_column(&mut self, motion: Motion) {
        let columns: Vec<RunTableColumn> =
            self.column_widths().iter().map(|(column, _)| *column).collect();
        let at = columns.iter().position(|column| *column == self.shape.chosen).unwrap_or_default();
        let to = motion.target_row(at, columns.len(), columns.len());
        self.shape.chosen = columns.get(to).copied().unwrap_or_default();
    }

    /// Sorts words from a, numbers from the largest. A second time reverses the order.
    fn sort_by(&mut self, column: RunTableColumn) {
        let first = match column.column_kind() {
            columns::ColumnKind::Words => SortDirection::Up,
            columns::ColumnKind::Number => SortDirection::Down,
        };
        let direction = match self.current_sort() {
            Some(sort) if sort.column == column => sort.direction.other_direction(),
            _ => first,
        };
        self.shape.sort = Some(ColumnSort { column, direction });
    }

    fn reverse_sort(&mut self) {
        match self.current_sort() {
            Some(sort) => {
                self.shape.sort =
                    Some(ColumnSort { direction: sort.direction.other_direction(), ..sort });
            }
            None => {
                let sort = self.keys.key_text(KeyContext::Table, "sort");
                self.notice = Some(format!("not sorted: {sort} sorts by the selected column"));
            }
        }
    }

    fn toggle_group(&mut self) {
        let Some(key) = self.group_of_cursor() else { return };
        if !self.shape.folded.remove(&key) {
            self.shape.folded.insert(key);
        }
    }

    /// Returns the group of the line at the cursor.
    fn group_of_cursor(&self) -> Option<GroupKey> {
        let above = self.table_lines().get(..=self.list.cursor())?.iter().rev();
        let mut groups = above.filter_map(|line| match line {
            TableLine::Group(group) => Some(group.key.clone()),
            TableLine::Run(_) => None,
        });
        groups.next()
    }

    /// Folds all groups, or unfolds all if all are folded.
    fn fold_all(&mut self) {
        let keys = self.table_lines().iter().filter_map(|line| match line {
            TableLine::Group(group) => Some(group.key.clone()),
            TableLine::Run(_) => None,
        });
        let keys: BTreeSet<GroupKey> = keys.collect();
        if keys.is_subset(&self.shape.folded) {
            self.shape.folded.clear();
        } else {
            self.shape.folded.extend(keys);
        }
    }

    fn drop_restriction(&mut self) {
        if !self.shape.filter.is_empty() {
            self.shape.filter = RunRowFilter::default();
        } else if !self.shape.expression.is_empty() {
            self.shape.expression.clear_expression();
        } else if let Some(start) = &mut self.shape.start {
            start.has_table_keys = !start.has_table_keys;
        } else if self.shape.group.is_some() {
            self.shape.group = None;
        } else {
            self.shape.sort = None;
        }
    }

    /// Counts the cells of a run again after a change.
    fn note_change(&mut self, at: usize) {
        let Some(row) = self.rows.get(at) else { return };
        self.worked_out.counted.count_row(at, row);
        let is_taken = self.shape.filter.takes_row(row) && self.shape.expression.lists_row(at);
        self.shape.expression.note_changed_row(at);
        match self.worked_out.is_taken.get_mut(at) {
            Some(taken) => *taken = is_taken,
            None => self.worked_out.is_taken.push(is_taken),
        }
        self.worked_out.has_news = true;
    }

    /// Works out the lines again after something was answered: a cursor that has never left the top stays there.
    fn arrange_news(&mut self) {
        if !std::mem::take(&mut self.worked_out.has_news) {
            return;
        }
        if self.list.top() == 0 && self.list.cursor() == self.first_line() {
            self.arrange_around(None);
        } else {
            self.arrange_around(self.cursor_spot());
        }
    }

    /// Works out everything again; the cursor stays on its run.
    fn arrange_lines(&mut self) {
        self.work_out_taken();
        self.arrange_around(self.cursor_spot());
    }

    fn work_out_taken(&mut self) {
        let TableShape { filter, expression, .. } = &self.shape;
        let rows = self.rows.iter().enumerate();
        let taken = rows.map(|(at, row)| filter.takes_row(row) && expression.lists_row(at));
        self.worked_out.is_taken = taken.collect();
    }

    /// Calls [`Self::arrange_lines`] and moves the cursor to the first line, so that enter opens the first match.
    fn arrange_from_top(&mut self) {
        self.work_out_taken();
        self.arrange_around(None);
    }

    fn arrange_around(&mut self, spot: Option<CursorSpot>) {
        // If very many rows are read only on screen, a few of them do not represent the others.
        self.worked_out.set = match self.rows.len() > questions::MOST_ROWS_READ_UNSEEN {
            true => ColumnSet::Scores,
            false => row::called_column_set(&self.rows),
        };
        let options = LineOptions {
            is_taken: &self.worked_out.is_taken,
            sort: self.current_sort(),
            group: self.shape.group,
            folded: &self.shape.folded,
        };
        self.worked_out.arranged.lines = order::ordered_lines(&self.rows, &options);
        self.lay_out_columns();
        self.worked_out.arranged.matched_pairs = self.match_up();
        let Some(spot) = spot else {
            self.list.restart();
            return self.list.choose(self.first_line());
        };
        if let Some(cursor) = self.spot_index(&spot) {
            self.list.choose_in_place(cursor);
        }
        self.list.choose(self.list.cursor().min(self.table_lines().len().saturating_sub(1)));
    }

    /// Returns the line of the cursor before the first move: the first line, or among the sessions of this machine the
    /// first session.
    fn first_line(&self) -> usize {
        let first = |line: &TableLine| line.run_index().is_some();
        let first =
            self.shape.start.as_ref().and_then(|_| self.table_lines().iter().position(first));
        first.unwrap_or_default()
    }

    /// Returns true if the column also shows values of another profile.
    fn shows_before(&self, column: RunTableColumn) -> bool {
        self.earlier_ruler.is_some() && column.is_of_profile()
    }

    fn cursor_spot(&self) -> Option<CursorSpot> {
        self.table_lines().get(self.list.cursor()).map(|line| match line {
            TableLine::Run(row) => CursorSpot::Run(*row),
            TableLine::Group(group) => CursorSpot::Group(group.key.clone()),
        })
    }

    fn spot_index(&self, spot: &CursorSpot) -> Option<usize> {
        self.table_lines().iter().position(|line| match (line, spot) {
            (TableLine::Run(row), CursorSpot::Run(wanted)) => row == wanted,
            (TableLine::Group(group), CursorSpot::Group(wanted)) => group.key == *wanted,
            _ => false,
        })
    }

    /// Measures every run again, with another profile or other rules. Known values stay as the earlier values.
    pub(crate) fn measure_again(&mut self) {
        self.asking.stop_measuring();
        self.earlier_ruler = self.ruler.take().or(self.earlier_ruler.take());
        self.rows.iter_mut().for_each(RunRow::measure_again);
        self.count_all();
    }

    /// Stops to show values of another profile or other rules.
    pub(crate) fn dismiss_before(&mut self) {
        self.earlier_ruler = None;
        self.rows.iter_mut().for_each(|row| row.earlier_scores = None);
        self.count_all();
    }

    /// Works out the widths of every column again, because cells of every run have changed.
    fn count_all(&mut self) {
        (0..self.rows.len()).for_each(|at| self.note_change(at));
        self.arrange_lines();
    }

    fn lay_out_columns(&mut self) {
        let (mut widths, mut empty) = (vec![], vec![]);
        // The value of the group's column is not repeated in each row.
        let is_said =
            |column: &RunTableColumn| column.is_of_sessions() && self.shape.group == Some(*column);
        let sort = self.current_sort();
        for column in self.set_columns().into_iter().filter(|column| !is_said(column)) {
            let column_info = column.column_info();
            let is_sorted = sort.is_some_and(|sort| sort.column == column);
            let title = column_info.title.chars().count() + usize::from(is_sorted); // its sign
            let width = self.worked_out.counted.widest_cell(column).max(title);
            let is_settled =
                self.is_listed && !self.rows.is_empty() && column != RunTableColumn::Run;
            let is_empty = is_settled && self.worked_out.counted.is_empty(column);
            match is_empty && !self.shape.shows_empty && !is_sorted {
                true => empty.push(column),
                false => {
                    let both = if self.shows_before(column) { EARLIER_VALUE_CELLS } else { 0 };
                    let most = match column_info.kind {
                        columns::ColumnKind::Words => width,
                        columns::ColumnKind::Number => column_info.max_cells.max(title) + both,
                    };
                    widths.push((column, width.min(most) as u16));
                }
            }
        }
        if !widths.iter().any(|(column, _)| *column == self.shape.chosen) {
            let second = widths.get(1).or(widths.first());
            self.shape.chosen = second.map_or(RunTableColumn::Run, |(column, _)| *column);
        }
        self.worked_out.arranged.widths = widths;
        self.worked_out.arranged.empty = empty;
    }
}
