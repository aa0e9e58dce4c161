//! What each judgement said of each component.

use std::cmp::Reverse;

use crate::{
    session::Session,
    views::{scores::judges::Judges, verdict::plain_name},
    widgets::text,
};
use trajview_run::rubric::Judgement;
use trajview_study::stability::{Shares, Steadiness};

use super::{Side, Sort, areas::Longest, columns::Column};

/// A component as the matrix shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: String,
    /// Empty where the checklist lacks it.
    pub name: String,
    /// One for each column, in their order.
    pub cells: Vec<Cell>,
    /// Share of pairs of judgements of the state at the cursor that gave the same level, 0 to 1; None of fewer than two.
    pub agreed: Option<f64>,
    /// The same over pairs of repeats alone, whatever the state.
    pub repeated: Option<f64>,
    /// Levels between the lowest and the highest of the state at the cursor.
    pub spread: u8,
    /// Score of the second of the two that are chosen less that of the first.
    pub gap: Option<i8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    Score(u8),
    /// It was judged and has no score.
    Error,
    /// It was judged, and a reason says why there is no score on 0..4.
    Unscored,
    /// It was asked about and nothing is said of it yet.
    Missing,
    NotAsked,
}

impl Cell {
    pub const fn score(self) -> Option<u8> {
        match self {
            Self::Score(score) => Some(score),
            Self::Error | Self::Unscored | Self::Missing | Self::NotAsked => None,
        }
    }

    fn of(judgement: &Judgement, id: &str) -> Self {
        match judgement.of(id) {
            Some(verdict) => match (verdict.score, &verdict.reason) {
                (Some(score), _) => Self::Score(score),
                (None, Some(_)) => Self::Unscored,
                (None, None) => Self::Error,
            },
            None if judgement.asked.is_some() && judgement.asks_about(id) => Self::Missing,
            None => Self::NotAsked,
        }
    }
}

/// A row above the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Judge,
    Prompt,
    Turn,
    Repeat,
    /// Which column is a, which b, and which the cursor's.
    Sides,
}

impl Judges {
    /// The rows above the matrix; one that no column has anything in is left out.
    pub fn heads(&self, session: &Session) -> Vec<Head> {
        let columns = self.judge_columns(session);
        let all = [Head::Judge, Head::Prompt, Head::Turn, Head::Repeat, Head::Sides];
        let is_filled = |head: &Head| match head {
            Head::Judge | Head::Turn | Head::Sides => true,
            Head::Prompt => columns.iter().any(|column| !column.prompt.is_empty()),
            Head::Repeat => columns.iter().any(|column| column.repeat.is_some()),
        };
        all.into_iter().filter(is_filled).collect()
    }

    /// Of the names that the matrix has.
    pub fn longest(&self, session: &Session, columns: &[Column]) -> Longest {
        let listed = session.rubric.known().and_then(|rubric| rubric.checklist.as_ref());
        let names = listed.into_iter().flat_map(|it| &it.components);
        let component = names.map(|it| text::width(plain_name(&it.name))).max();
        let judge = columns.iter().map(|column| text::width(&column.setup.name)).max();
        Longest { component: component.unwrap_or_default(), judge: judge.unwrap_or_default() }
    }

    /// In the order that is chosen; only those that differ where that is wanted.
    pub fn judge_rows(&self, session: &Session) -> Vec<Row> {
        let mut rows = self.all_judge_rows(session);
        if self.only_differing {
            rows.retain(|row| row.gap.is_some_and(|gap| gap != 0));
        }
        match self.sort {
            Sort::Id => {}
            Sort::Instability => rows.sort_by(|a, b| {
                let known = |row: &Row| row.agreed.unwrap_or(2.0);
                known(a).total_cmp(&known(b)).then(b.spread.cmp(&a.spread))
            }),
            Sort::Difference => {
                rows.sort_by_key(|row| Reverse(row.gap.map(|gap| gap.unsigned_abs())));
            }
        }
        rows
    }

    /// Those on which the two that are chosen differ, the largest difference first.
    pub fn differing(&self, session: &Session) -> Vec<Row> {
        let mut rows = self.all_judge_rows(session);
        rows.retain(|row| row.gap.is_some_and(|gap| gap != 0));
        rows.sort_by_key(|row| Reverse(row.gap.map(|gap| gap.unsigned_abs())));
        rows
    }

    fn all_judge_rows(&self, session: &Session) -> Vec<Row> {
        let Some(rubric) = session.rubric.known() else { return vec![] };
        let columns = self.judge_columns(session);
        let judgements: Vec<&Judgement> =
            columns.iter().filter_map(|column| self.judgement_of(session, column)).collect();
        let here = self.judge_column(session).map(|column| column.state);
        let sides = Side::ALL.map(|side| {
            let file = self.side_column(session, side)?.file;
            columns.iter().position(|column| column.file == file)
        });
        let listed = rubric.checklist.iter().flat_map(|it| &it.components);
        let mut ids: Vec<(String, String)> =
            listed.map(|it| (it.id.clone(), it.name.clone())).collect();
        for verdict in rubric.judgements.iter().flat_map(|it| &it.verdicts) {
            if !ids.iter().any(|(id, _)| *id == verdict.component) {
                ids.push((verdict.component.clone(), String::new()));
            }
        }
        let row = |(id, name): (String, String)| {
            let cells: Vec<Cell> = judgements.iter().map(|it| Cell::of(it, &id)).collect();
            let score = |side: Option<usize>| cells.get(side?)?.score();
            let gap = score(sides[0]).zip(score(sides[1])).map(|(a, b)| b as i8 - a as i8);
            let told = cells.iter().zip(&columns);
            let of_state: Vec<u8> = told
                .filter(|(_, column)| Some(&column.state) == here.as_ref())
                .filter_map(|(cell, _)| cell.score())
                .collect();
            let (low, high) = (of_state.iter().min(), of_state.iter().max());
            Row {
                agreed: Shares::within(&of_state).exact.ok(),
                repeated: repeated(&columns, &cells),
                spread: high.zip(low).map_or(0, |(high, low)| high - low),
                id,
                name,
                gap,
                cells,
            }
        };
        ids.into_iter().map(row).collect()
    }
}

/// The mean over groups of repeats.
fn repeated(columns: &[Column], cells: &[Cell]) -> Option<f64> {
    let mut groups: Vec<(&Column, Vec<Option<u8>>)> = vec![];
    for (column, cell) in columns.iter().zip(cells) {
        let is_like = |other: &Column| other.setup == column.setup && other.state == column.state;
        match groups.iter_mut().find(|(other, _)| is_like(other)) {
            Some((_, scores)) => scores.push(cell.score()),
            None => groups.push((column, vec![cell.score()])),
        }
    }
    let shares: Vec<f64> = groups
        .into_iter()
        .filter_map(|(_, scores)| Steadiness::of("", scores).shares.exact.ok())
        .collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}
