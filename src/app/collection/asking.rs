//! What a collection asks the world for: the runs, then what each says, then what its files measure. What is on screen
//! comes first; each kind of question is out once.

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    app::{
        Effect,
        ask::{Desk, Numbers, Request},
        curves::RulerName,
    },
    run::Card,
    study::paired::Tested,
};

use super::{
    Collection,
    columns::Column,
    row::{Computed, Reading, Row, Scores, name_after_folders, name_of},
};

/// The questions that are out.
#[derive(Debug, Default)]
pub struct Desks {
    list: Desk<()>,
    /// Which rows they are about.
    cards: Desk<(Depth, Vec<usize>)>,
    scores: Desk<Vec<usize>>,
}

impl Desks {
    pub(super) fn stop_measuring(&mut self) {
        self.scores = Desk::default();
    }
}

/// How much of a recording is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Beginning,
    Whole,
}

/// A run that is asked about: its row, where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub row: usize,
    pub path: PathBuf,
    /// The moments to score, in turns done.
    pub moments: Vec<usize>,
}

/// What a worker found.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Some more runs.
    Found(Vec<PathBuf>),
    /// Some beginnings: row and what it tells, if anything.
    Begun(Vec<(usize, Option<Box<Card>>)>),
    /// Some runs, read to their end; the error is a sentence.
    Read(Vec<(usize, Result<Box<Card>, String>)>),
    /// Some runs, measured; the error is a sentence.
    Scored(Vec<(usize, Result<Scores, String>)>),
    /// Pairs, tested: one entry a column that was asked about.
    Tested(Vec<Tested<Column>>),
    /// What measures.
    Ruler(RulerName),
    /// The question is answered; what was not told of will not be.
    Done,
    /// As done, with the reason. A sentence.
    Failed(String),
}

/// Rows asked for at once: many are quick to begin and slow to measure.
const BEGINNINGS: usize = 256;
const WHOLES: usize = 64;
const SCORES: usize = 16;

impl Collection {
    /// What is missing.
    pub(in crate::app) fn ask(&mut self, numbers: &mut Numbers, height: usize) -> Vec<Effect> {
        let mut effects = vec![];
        if !self.is_listed && self.desks.list.is_free() {
            let request = self.desks.list.ask(numbers, ());
            effects.push(Effect::FindRuns(request, self.sources.clone()));
        }
        if self.is_stopped {
            return effects;
        }
        if self.desks.cards.is_free() {
            effects.extend(self.ask_for_cards(numbers, height));
        }
        if self.desks.scores.is_free() && self.is_read() {
            effects.extend(self.ask_for_scores(numbers, height));
        }
        effects.extend(self.ask_for_tests(numbers));
        effects
    }

    fn ask_for_cards(&mut self, numbers: &mut Numbers, height: usize) -> Option<Effect> {
        let is_unread = |row: &Row| row.reading == Reading::Unread;
        let unread = self.first(height, BEGINNINGS, is_unread);
        let (depth, rows) = match unread.is_empty() {
            false => (Depth::Beginning, unread),
            true => (Depth::Whole, self.first(height, WHOLES, |row| !row.is_read())),
        };
        if rows.is_empty() {
            return None;
        }
        let asked = self.asked(&rows);
        let request = self.desks.cards.ask(numbers, (depth, rows));
        Some(Effect::ReadRuns(request, depth, asked))
    }

    fn ask_for_scores(&mut self, numbers: &mut Numbers, height: usize) -> Option<Effect> {
        let rows = self.first(height, SCORES, |row| !row.is_done());
        if rows.is_empty() {
            return None;
        }
        let asked = self.asked(&rows);
        let request = self.desks.scores.ask(numbers, rows);
        Some(Effect::ScoreRuns(request, asked))
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
        for row in seen.chain(0..self.rows.len()) {
            if rows.len() == most {
                break;
            }
            if is_wanted(&self.rows[row]) && taken.insert(row) {
                rows.push(row);
            }
        }
        rows
    }

    /// Takes an answer, if it is to a question that is out.
    pub(super) fn hear(&mut self, request: Request, answer: Answer) {
        if let Answer::Tested(results) = answer {
            return self.hear_tests(request, results);
        }
        let is_over = matches!(answer, Answer::Done | Answer::Failed(_));
        if self.desks.list.is_about(request) {
            self.hear_list(&answer);
            if is_over {
                self.is_listed = true;
                name_after_folders(&mut self.rows, &self.sources);
                (0..self.rows.len()).for_each(|at| self.note_change(at));
                self.has_news = true;
                self.desks.list.answered(request);
            }
        } else if self.desks.cards.is_about(request) {
            let why = reason(&answer);
            self.hear_cards(answer);
            if is_over && let Some((depth, rows)) = self.desks.cards.answered(request) {
                self.give_up_reading(depth, &rows, &why);
            }
        } else if self.desks.scores.is_about(request) {
            let why = reason(&answer);
            self.hear_scores(answer);
            if is_over && let Some(rows) = self.desks.scores.answered(request) {
                self.give_up_scoring(&rows, &why);
            }
        } else {
            if let Answer::Failed(why) = answer {
                self.hear_tests(request, vec![]);
                self.notice = Some(why);
            }
            return;
        }
        self.arrange_news();
    }

    fn hear_list(&mut self, answer: &Answer) {
        match answer {
            Answer::Found(paths) => {
                let sources = &self.sources;
                let row = |path: &PathBuf| Row::of(path.clone(), name_of(path, sources));
                let first = self.rows.len();
                self.rows.extend(paths.iter().map(row));
                (first..self.rows.len()).for_each(|at| self.note_change(at));
            }
            Answer::Failed(why) => self.notice = Some(why.clone()),
            _ => {}
        }
    }

    fn hear_cards(&mut self, answer: Answer) {
        match answer {
            Answer::Begun(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, Reading::Beginning(card));
                }
            }
            Answer::Read(cards) => {
                for (row, card) in cards {
                    self.set_reading(row, card.map_or_else(Reading::Failed, Reading::Whole));
                }
            }
            _ => {}
        }
    }

    fn hear_scores(&mut self, answer: Answer) {
        match answer {
            Answer::Scored(scored) => {
                for (row, scores) in scored {
                    self.set_computed(row, scores.map_or_else(Computed::Failed, Computed::Ready));
                }
            }
            Answer::Ruler(ruler) => self.ruler = Some(ruler),
            _ => {}
        }
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
                Depth::Whole => !self.rows[row].is_read(),
            };
            if is_open {
                let reading = match depth {
                    Depth::Beginning => Reading::Beginning(None),
                    Depth::Whole => Reading::Failed(why.to_owned()),
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

fn reason(answer: &Answer) -> String {
    match answer {
        Answer::Failed(why) => why.clone(),
        _ => "nothing was heard of it".into(),
    }
}
