//! The requests of the table: the runs, then their cards, then the measurements of their files. Rows on screen come
//! first. Each kind of question is open only once at a time.

use std::{collections::BTreeSet, path::PathBuf};

use crate::session::{
    columns::ColumnSet,
    effect::Effect,
    pending::Pending,
    question::{Answer, Question},
    request::{RequestId, RequestIds, Sentence},
    table_protocol::{FoundRuns, KnownCard, ReadDepth, RunOrder, RunRequest},
};

use super::{
    RunTableView,
    row::{ComputedScores, RunReading, RunRow, name_after_folders, run_name},
    stored_choice::StoredChoice,
};

/// The questions that are out.
#[derive(Debug, Default)]
pub struct OpenQuestions {
    list: Pending<()>,
    /// The rows that the open question covers.
    cards: Pending<(ReadDepth, Vec<usize>)>,
    scores: Pending<Vec<usize>>,
    /// The folder to which the names of runs are relative, if it is not an opened path.
    named_below: Option<PathBuf>,
    /// True once the table receives later changes of the files.
    is_watched: bool,
    /// The choice that was stored last.
    pub(super) stored_choice: StoredChoice,
}

impl OpenQuestions {
    pub(crate) fn stop_measuring(&mut self) {
        self.scores.stop_waiting();
    }
}

/// If there are more rows than this, only rows on screen are read, since a data set may have hundreds of thousands.
pub(super) const MOST_ROWS_READ_UNSEEN: usize = 5_000;

/// Rows requested at once. Beginnings are quick to read, measurements are slow.
const BEGINNINGS_AT_ONCE: usize = 256;
const WHOLE_RUNS_AT_ONCE: usize = 64;
const SCORES_AT_ONCE: usize = 16;

impl RunTableView {
    /// Returns the questions for missing data, and the effects that are due: watching the files, and storing a changed choice
    /// of columns.
    pub(crate) fn ask_missing(&mut self, numbers: &mut RequestIds) -> Vec<Effect> {
        let mut effects = vec![];
        if !self.is_listed && self.asking.list.is_free() {
            let sources = self.sources.clone();
            let order = match self.shape.start {
                Some(_) => RunOrder::NewestFirst,
                None => RunOrder::OfFolders,
            };
            effects.push(self.asking.list.ask_question(
                numbers,
                (),
                Question::RunPaths { sources, order },
            ));
        }
        if self.is_listed && self.column_set() == ColumnSet::Sessions && !self.asking.is_watched {
            self.asking.is_watched = true;
            effects.push(Effect::WatchAll(self.sources.clone()));
        }
        let current_choice = self.stored_choice();
        if current_choice != self.asking.stored_choice {
            self.asking.stored_choice = current_choice;
            let which = self.which_table();
            effects.push(Effect::KeepTable(which.table_word(), current_choice.choice_lines(which)));
        }
        let finding = self.finding.as_mut();
        effects.extend(finding.and_then(|it| it.ask_wanted(numbers, &self.sources)));
        effects.extend(self.shape.expression.ask_rows(numbers, &self.rows));
        if self.is_stopped {
            return effects;
        }
        if self.asking.cards.is_free() {
            effects.extend(self.ask_for_cards(numbers));
        }
        if self.asking.scores.is_free() && self.column_set() == ColumnSet::Scores && self.is_read()
        {
            effects.extend(self.ask_for_scores(numbers));
        }
        effects.extend(self.ask_for_tests(numbers));
        effects
    }

    fn ask_for_cards(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let is_unread = |row: &RunRow| row.reading == RunReading::Unread;
        let unread = self.first_rows(BEGINNINGS_AT_ONCE, is_unread);
        let whole_depth = match self.column_set() {
            ColumnSet::Sessions => ReadDepth::Index,
            ColumnSet::Scores => ReadDepth::Whole,
        };
        let (depth, rows) = match unread.is_empty() {
            false => (ReadDepth::Beginning, unread),
            // Of what is far away no more is fetched before it is opened.
            true if self.is_remote() => return None,
            true => (
                whole_depth,
                self.first_rows(WHOLE_RUNS_AT_ONCE, |row| !row.is_read() || row.is_stale),
            ),
        };
        if rows.is_empty() {
            return None;
        }
        for &row in &rows {
            self.rows[row].is_stale = false; // written to once more it is stale again
        }
        let requests = self.run_requests(&rows);
        Some(self.asking.cards.ask_question(
            numbers,
            (depth, rows),
            Question::Cards { depth, asked: requests },
        ))
    }

    fn ask_for_scores(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let rows = self.first_rows(SCORES_AT_ONCE, |row| row.is_read() && !row.is_done());
        if rows.is_empty() {
            return None;
        }
        let requests = self.run_requests(&rows);
        Some(self.asking.scores.ask_question(
            numbers,
            rows,
            Question::RunScores { asked: requests },
        ))
    }

    fn run_requests(&self, rows: &[usize]) -> Vec<RunRequest> {
        let of_row = |row: &usize| {
            let found = &self.rows[*row];
            let moments = found.whole_card().map(|card| card.moments.clone()).unwrap_or_default();
            RunRequest { row: *row, path: found.path.clone(), moments }
        };
        rows.iter().map(of_row).collect()
    }

    /// Returns at most `most` wanted rows, those on screen before the others.
    fn first_rows(&self, most: usize, is_wanted: impl Fn(&RunRow) -> bool) -> Vec<usize> {
        let seen = self.visible_lines().iter().filter_map(|line| line.run_index());
        let mut taken = BTreeSet::new();
        let mut rows = vec![];
        let others = if self.reads_what_is_seen() { 0 } else { self.rows.len() };
        for row in seen.chain(0..others) {
            if rows.len() == most {
                break;
            }
            if is_wanted(&self.rows[row]) && taken.insert(row) {
                rows.push(row);
            }
        }
        rows
    }

    /// Takes what a worker found, if the question that it belongs to is out.
    pub(crate) fn take_part(&mut self, request: RequestId, found: FoundRuns) {
        let asking = &self.asking;
        let is_asked = match &found {
            FoundRuns::Paths(_) | FoundRuns::Known(_) | FoundRuns::Below(_) => {
                asking.list.is_waiting_for(request)
            }
            FoundRuns::Beginnings(_) | FoundRuns::Cards(_) => asking.cards.is_waiting_for(request),
            FoundRuns::Scores(_) | FoundRuns::Ruler(_) => asking.scores.is_waiting_for(request),
        };
        if is_asked {
            self.add_found_runs(found);
            self.arrange_news();
        }
    }

    fn add_found_runs(&mut self, found: FoundRuns) {
        match found {
            FoundRuns::Paths(paths) => self.add_runs(paths.into_iter().map(|path| (path, None))),
            FoundRuns::Known(runs) => self.add_runs(runs.into_iter()),
            FoundRuns::Below(folder) => self.asking.named_below = Some(folder),
            FoundRuns::Beginnings(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, RunReading::Beginning(card));
                }
            }
            FoundRuns::Cards(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, card.map_or_else(RunReading::Failed, RunReading::Whole));
                }
            }
            FoundRuns::Scores(scored) => {
                for (row, scores) in scored {
                    self.set_computed(
                        row,
                        scores.map_or_else(ComputedScores::Failed, ComputedScores::Ready),
                    );
                }
            }
            FoundRuns::Ruler(ruler) => self.ruler = Some(ruler),
        }
    }

    /// Marks changed recordings to be read again, adds new recordings as rows, and updates the activity of the agents
    /// at the given time.
    pub(super) fn update_activity(&mut self, changed: Vec<PathBuf>, now: i64) {
        for path in changed {
            match self.rows.iter().position(|row| row.path == path) {
                Some(at) => self.rows[at].is_stale = true,
                None => self.add_runs(std::iter::once((path, None))),
            }
        }
        for at in 0..self.rows.len() {
            if self.rows[at].update_activity(now) {
                self.note_change(at);
            }
        }
        self.arrange_news();
    }

    fn add_runs(&mut self, runs: impl Iterator<Item = (PathBuf, Option<KnownCard>)>) {
        let first = self.rows.len();
        let sources = self.asking.named_below.as_slice();
        let sources = if sources.is_empty() { &self.sources } else { sources };
        self.rows.extend(runs.map(|(path, said)| {
            let name = run_name(&path, sources);
            let reading = said.map_or(RunReading::Unread, RunReading::from);
            RunRow { reading, ..RunRow::unread_row(path, name) }
        }));
        (first..self.rows.len()).for_each(|at| self.note_change(at));
    }

    /// Takes the end of a question that is out; what was not found by then will not be.
    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Answer) {
        match answer {
            Answer::PairTests(results) => return self.take_tests(request, results),
            Answer::Find(looked) => {
                if let Some(finding) = &mut self.finding {
                    finding.end_search(request, looked);
                }
                return;
            }
            Answer::Filtered(fitting) => {
                if self.shape.expression.take_rows(request, fitting) {
                    self.arrange_lines();
                }
                return;
            }
            Answer::RunPaths(ended) => {
                if self.asking.list.take_answered(request).is_none() {
                    return;
                }
                self.notice = ended.err().or(self.notice.take());
                self.is_listed = true;
                // The rows of an export already have their final names.
                if self.asking.named_below.is_none() {
                    let renamed = name_after_folders(&mut self.rows, &self.sources);
                    renamed.into_iter().for_each(|at| self.note_change(at));
                }
                self.worked_out.has_news = true;
            }
            Answer::Cards(ended) => {
                let Some((depth, rows)) = self.asking.cards.take_answered(request) else { return };
                self.give_up_reading(depth, &rows, &failure_reason(ended));
            }
            Answer::RunScores(ended) => {
                let Some(rows) = self.asking.scores.take_answered(request) else { return };
                self.give_up_scoring(&rows, &failure_reason(ended));
            }
            _ => return, // asked elsewhere
        }
        self.arrange_news();
    }

    fn set_reading(&mut self, at: usize, reading: RunReading) {
        if let Some(row) = self.rows.get_mut(at) {
            row.reading = reading;
            self.note_change(at);
        }
    }

    fn set_computed(&mut self, at: usize, computed: ComputedScores) {
        if let Some(row) = self.rows.get_mut(at) {
            row.computed = computed;
            self.note_change(at);
        }
    }

    /// Marks rows as failed if they were requested and not answered, so that they are not requested again. Requests
    /// that we cancelled ourselves are left open.
    fn give_up_reading(&mut self, depth: ReadDepth, rows: &[usize], why: &str) {
        if self.is_stopped {
            return;
        }
        for &row in rows {
            let is_open = match depth {
                ReadDepth::Beginning => self.rows[row].reading == RunReading::Unread,
                ReadDepth::Index | ReadDepth::Whole => !self.rows[row].is_read(),
            };
            if is_open {
                let reading = match depth {
                    ReadDepth::Beginning => RunReading::Beginning(None),
                    ReadDepth::Index | ReadDepth::Whole => RunReading::Failed(why.to_owned()),
                };
                self.set_reading(row, reading);
            }
        }
    }

    fn give_up_scoring(&mut self, rows: &[usize], why: &str) {
        if self.is_stopped {
            return;
        }
        for &row in rows {
            if !self.rows[row].is_done() {
                self.set_computed(row, ComputedScores::Failed(why.to_owned()));
            }
        }
    }
}

fn failure_reason(ended: Result<(), Sentence>) -> Sentence {
    ended.err().unwrap_or_else(|| "no answer".into())
}
