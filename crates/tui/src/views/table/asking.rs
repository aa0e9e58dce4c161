//! What a collection asks the world for: the runs, then what each says, then what its files measure. What is on screen
//! comes first; each kind of question is out once.

use std::{collections::BTreeSet, path::PathBuf};

use crate::session::{
    ask::Pending,
    columns::Set,
    effect::Effect,
    question::{Answer, Question},
    request::{Numbers, Request, Sentence},
    runs::{Asked, Depth, Found, Order, Said},
};

use super::{
    Collection,
    kept::Kept,
    row::{Computed, Reading, Row, name_after_folders, name_of},
};

/// The questions that are out.
#[derive(Debug, Default)]
pub struct Asking {
    list: Pending<()>,
    /// Which rows they are about.
    cards: Pending<(Depth, Vec<usize>)>,
    scores: Pending<Vec<usize>>,
    /// The folder below whose path runs are called, where it is none of what was opened.
    below: Option<PathBuf>,
    /// It is told of what is written from now on.
    is_watched: bool,
    /// How the table was when that was kept last.
    pub(super) kept: Kept,
}

impl Asking {
    pub(crate) fn stop_measuring(&mut self) {
        self.scores.forget();
    }
}

/// Of more rows than this only those are read that are looked at: a data set may have hundreds of thousands.
pub(super) const READ_UNSEEN: usize = 5_000;

/// Rows asked for at once: many are quick to begin and slow to measure.
const BEGINNINGS: usize = 256;
const WHOLES: usize = 64;
const SCORES: usize = 16;

impl Collection {
    /// What is missing.
    pub fn ask(&mut self, numbers: &mut Numbers, height: usize) -> Vec<Effect> {
        let mut effects = vec![];
        if !self.is_listed && self.asking.list.is_free() {
            let sources = self.sources.clone();
            let order = match self.shape.start {
                Some(_) => Order::NewestFirst,
                None => Order::OfFolders,
            };
            effects.push(self.asking.list.ask(numbers, (), Question::RunPaths { sources, order }));
        }
        if self.is_listed && self.set() == Set::Sessions && !self.asking.is_watched {
            self.asking.is_watched = true;
            effects.push(Effect::WatchAll(self.sources.clone()));
        }
        let kept = self.kept();
        if kept != self.asking.kept {
            self.asking.kept = kept;
            let which = self.which();
            effects.push(Effect::KeepTable(which.word(), kept.lines(which)));
        }
        let finding = self.finding.as_mut();
        effects.extend(finding.and_then(|it| it.ask(numbers, &self.sources)));
        effects.extend(self.shape.expression.ask(numbers, &self.rows));
        if self.is_stopped {
            return effects;
        }
        if self.asking.cards.is_free() {
            effects.extend(self.ask_for_cards(numbers, height));
        }
        if self.asking.scores.is_free() && self.set() == Set::Scores && self.is_read() {
            effects.extend(self.ask_for_scores(numbers, height));
        }
        effects.extend(self.ask_for_tests(numbers));
        effects
    }

    fn ask_for_cards(&mut self, numbers: &mut Numbers, height: usize) -> Option<Effect> {
        let is_unread = |row: &Row| row.reading == Reading::Unread;
        let unread = self.first(height, BEGINNINGS, is_unread);
        let whole = match self.set() {
            Set::Sessions => Depth::Index,
            Set::Scores => Depth::Whole,
        };
        let (depth, rows) = match unread.is_empty() {
            false => (Depth::Beginning, unread),
            // Of what is far away no more is fetched before it is opened.
            true if self.is_remote() => return None,
            true => (whole, self.first(height, WHOLES, |row| !row.is_read() || row.is_stale)),
        };
        if rows.is_empty() {
            return None;
        }
        for &row in &rows {
            self.rows[row].is_stale = false; // written to once more it is stale again
        }
        let asked = self.asked(&rows);
        Some(self.asking.cards.ask(numbers, (depth, rows), Question::Cards { depth, asked }))
    }

    fn ask_for_scores(&mut self, numbers: &mut Numbers, height: usize) -> Option<Effect> {
        let rows = self.first(height, SCORES, |row| row.is_read() && !row.is_done());
        if rows.is_empty() {
            return None;
        }
        let asked = self.asked(&rows);
        Some(self.asking.scores.ask(numbers, rows, Question::RunScores { asked }))
    }

    fn asked(&self, rows: &[usize]) -> Vec<Asked> {
        let of_row = |row: &usize| {
            let found = &self.rows[*row];
            let moments = found.whole().map(|card| card.moments.clone()).unwrap_or_default();
            Asked { row: *row, path: found.path.clone(), moments }
        };
        rows.iter().map(of_row).collect()
    }

    /// At most so many rows for which it holds, those on screen before the others.
    fn first(&self, height: usize, most: usize, is_wanted: impl Fn(&Row) -> bool) -> Vec<usize> {
        let seen = self.lines().iter().skip(self.scroll.top).take(height);
        let seen = seen.filter_map(|line| line.run());
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
    pub(crate) fn take_part(&mut self, request: Request, found: Found) {
        let asking = &self.asking;
        let is_asked = match &found {
            Found::Paths(_) | Found::Known(_) | Found::Below(_) => asking.list.is_about(request),
            Found::Beginnings(_) | Found::Cards(_) => asking.cards.is_about(request),
            Found::Scores(_) | Found::Ruler(_) => asking.scores.is_about(request),
        };
        if is_asked {
            self.put(found);
            self.arrange_news();
        }
    }

    fn put(&mut self, found: Found) {
        match found {
            Found::Paths(paths) => self.add(paths.into_iter().map(|path| (path, None))),
            Found::Known(runs) => self.add(runs.into_iter()),
            Found::Below(folder) => self.asking.below = Some(folder),
            Found::Beginnings(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, Reading::Beginning(card));
                }
            }
            Found::Cards(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, card.map_or_else(Reading::Failed, Reading::Whole));
                }
            }
            Found::Scores(scored) => {
                for (row, scores) in scored {
                    self.set_computed(row, scores.map_or_else(Computed::Failed, Computed::Ready));
                }
            }
            Found::Ruler(ruler) => self.ruler = Some(ruler),
        }
    }

    /// What was written to is read again, what is new is a row; who is at work is told by the clock.
    pub(super) fn stand(&mut self, changed: Vec<PathBuf>, now: i64) {
        for path in changed {
            match self.rows.iter().position(|row| row.path == path) {
                Some(at) => self.rows[at].is_stale = true,
                None => self.add(std::iter::once((path, None))),
            }
        }
        for at in 0..self.rows.len() {
            if self.rows[at].stand(now) {
                self.note_change(at);
            }
        }
        self.arrange_news();
    }

    fn add(&mut self, runs: impl Iterator<Item = (PathBuf, Option<Said>)>) {
        let first = self.rows.len();
        let sources = self.asking.below.as_slice();
        let sources = if sources.is_empty() { &self.sources } else { sources };
        self.rows.extend(runs.map(|(path, said)| {
            let name = name_of(&path, sources);
            let reading = said.map_or(Reading::Unread, Reading::from);
            Row { reading, ..Row::of(path, name) }
        }));
        (first..self.rows.len()).for_each(|at| self.note_change(at));
    }

    /// Takes the end of a question that is out; what was not found by then will not be.
    pub fn take(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::PairTests(results) => return self.take_tests(request, results),
            Answer::Find(looked) => {
                if let Some(finding) = &mut self.finding {
                    finding.end(request, looked);
                }
                return;
            }
            Answer::Filtered(fitting) => {
                if self.shape.expression.take(request, fitting) {
                    self.arrange();
                }
                return;
            }
            Answer::RunPaths(ended) => {
                if self.asking.list.answered(request).is_none() {
                    return;
                }
                self.notice = ended.err().or(self.notice.take());
                self.is_listed = true;
                // What an export tells of was called as it is to be.
                if self.asking.below.is_none() {
                    let renamed = name_after_folders(&mut self.rows, &self.sources);
                    renamed.into_iter().for_each(|at| self.note_change(at));
                }
                self.worked_out.has_news = true;
            }
            Answer::Cards(ended) => {
                let Some((depth, rows)) = self.asking.cards.answered(request) else { return };
                self.give_up_reading(depth, &rows, &reason(ended));
            }
            Answer::RunScores(ended) => {
                let Some(rows) = self.asking.scores.answered(request) else { return };
                self.give_up_scoring(&rows, &reason(ended));
            }
            _ => return, // asked elsewhere
        }
        self.arrange_news();
    }

    fn set_reading(&mut self, at: usize, reading: Reading) {
        if let Some(row) = self.rows.get_mut(at) {
            row.reading = reading;
            self.note_change(at);
        }
    }

    fn set_computed(&mut self, at: usize, computed: Computed) {
        if let Some(row) = self.rows.get_mut(at) {
            row.computed = computed;
            self.note_change(at);
        }
    }

    /// What was asked and not told of is not asked again, unless we called it off ourselves.
    fn give_up_reading(&mut self, depth: Depth, rows: &[usize], why: &str) {
        if self.is_stopped {
            return;
        }
        for &row in rows {
            let is_open = match depth {
                Depth::Beginning => self.rows[row].reading == Reading::Unread,
                Depth::Index | Depth::Whole => !self.rows[row].is_read(),
            };
            if is_open {
                let reading = match depth {
                    Depth::Beginning => Reading::Beginning(None),
                    Depth::Index | Depth::Whole => Reading::Failed(why.to_owned()),
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
                self.set_computed(row, Computed::Failed(why.to_owned()));
            }
        }
    }
}

fn reason(ended: Result<(), Sentence>) -> Sentence {
    ended.err().unwrap_or_else(|| "nothing was heard of it".into())
}
