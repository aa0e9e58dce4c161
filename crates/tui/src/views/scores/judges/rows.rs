//! Builds the cells of the matrix: the score of each component in each judgement.

use std::cmp::Reverse;

use crate::{
    session::Session,
    views::{scores::judges::JudgesView, verdict::plain_name},
    widgets::text,
};
use trajview_run::rubric::Judgement;
use trajview_study::stability::{ComponentStability, PairShares};

use super::{JudgeRowSort, JudgeSide, areas::LongestNames, columns::JudgementColumn};

/// A component as the matrix shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    pub id: String,
    /// Empty if the checklist lacks it.
    pub name: String,
    /// One for each column, in their order.
    pub cells: Vec<MatrixCell>,
    /// Share of pairs of judgements of the state at the cursor that gave the same level, 0 to 1; None of fewer than two.
    pub agreement: Option<f64>,
    /// The same over pairs of repeats alone, whatever the state.
    pub repeat_agreement: Option<f64>,
    /// Levels between the lowest and the highest of the state at the cursor.
    pub spread: u8,
    /// Score of the second of the two that are chosen less that of the first.
    pub gap: Option<i8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixCell {
    Score(u8),
    /// The component was judged and has no score.
    Error,
    /// The component was judged, and a reason is given for the missing score on 0..4.
    Unscored,
    /// The judge was asked about the component and has not answered yet.
    Missing,
    NotAsked,
}

impl MatrixCell {
    pub(crate) const fn cell_score(self) -> Option<u8> {
        match self {
            Self::Score(score) => Some(score),
            Self::Error | Self::Unscored | Self::Missing | Self::NotAsked => None,
        }
    }

    fn for_component(judgement: &Judgement, id: &str) -> Self {
        match judgement.verdict_on(id) {
            Some(verdict) => match (verdict.score, &verdict.reason) {
                (Some(score), _) => Self::Score(score),
                (None, Some(_)) => Self::Unscored,
                (None, None) => Self::Error,
            },
            None if judgement.requested_ids.is_some() && judgement.asks_about(id) => Self::Missing,
            None => Self::NotAsked,
        }
    }
}

/// A row above the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixHead {
    Judge,
    Prompt,
    Turn,
    Repeat,
    /// The marks of column a, column b and the cursor's column.
    Sides,
}

impl JudgesView {
    /// Returns the rows above the matrix; one that no column has anything in is left out.
    pub(crate) fn matrix_heads(&self, session: &Session) -> Vec<MatrixHead> {
        let columns = self.judge_columns(session);
        let all = [
            MatrixHead::Judge,
            MatrixHead::Prompt,
            MatrixHead::Turn,
            MatrixHead::Repeat,
            MatrixHead::Sides,
        ];
        let is_filled = |head: &MatrixHead| match head {
            MatrixHead::Judge | MatrixHead::Turn | MatrixHead::Sides => true,
            MatrixHead::Prompt => columns.iter().any(|column| !column.prompt.is_empty()),
            MatrixHead::Repeat => columns.iter().any(|column| column.repeat.is_some()),
        };
        all.into_iter().filter(is_filled).collect()
    }

    /// Returns the longest names of the matrix.
    pub(crate) fn longest_names(
        &self,
        session: &Session,
        columns: &[JudgementColumn],
    ) -> LongestNames {
        let listed = session.rubric.known_rubric().and_then(|rubric| rubric.checklist.as_ref());
        let names = listed.into_iter().flat_map(|it| &it.components);
        let component = names.map(|it| text::width(plain_name(&it.name))).max();
        let judge = columns.iter().map(|column| text::width(&column.setup.name)).max();
        LongestNames { component: component.unwrap_or_default(), judge: judge.unwrap_or_default() }
    }

    /// Returns the rows in the chosen order, and only differing ones if that is set.
    pub(crate) fn judge_rows(&self, session: &Session) -> Vec<MatrixRow> {
        let mut rows = self.all_judge_rows(session);
        if self.only_differing {
            rows.retain(|row| row.gap.is_some_and(|gap| gap != 0));
        }
        match self.sort {
            JudgeRowSort::Id => {}
            JudgeRowSort::Instability => rows.sort_by(|a, b| {
                let sort_value = |row: &MatrixRow| row.agreement.unwrap_or(2.0);
                sort_value(a).total_cmp(&sort_value(b)).then(b.spread.cmp(&a.spread))
            }),
            JudgeRowSort::Difference => {
                rows.sort_by_key(|row| Reverse(row.gap.map(|gap| gap.unsigned_abs())));
            }
        }
        rows
    }

    /// Returns the rows on which the two chosen judgements differ, the largest difference first.
    pub(crate) fn differing_rows(&self, session: &Session) -> Vec<MatrixRow> {
        let mut rows = self.all_judge_rows(session);
        rows.retain(|row| row.gap.is_some_and(|gap| gap != 0));
        rows.sort_by_key(|row| Reverse(row.gap.map(|gap| gap.unsigned_abs())));
        rows
    }

    fn all_judge_rows(&self, session: &Session) -> Vec<MatrixRow> {
        let Some(rubric) = session.rubric.known_rubric() else { return vec![] };
        let columns = self.judge_columns(session);
        let judgements: Vec<&Judgement> =
            columns.iter().filter_map(|column| self.column_judgement(session, column)).collect();
        let here = self.judge_column(session).map(|column| column.state);
        let sides = JudgeSide::ALL.map(|side| {
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
            let cells: Vec<MatrixCell> =
                judgements.iter().map(|it| MatrixCell::for_component(it, &id)).collect();
            let score = |side: Option<usize>| cells.get(side?)?.cell_score();
            let gap = score(sides[0]).zip(score(sides[1])).map(|(a, b)| b as i8 - a as i8);
            let column_cells = cells.iter().zip(&columns);
            let of_state: Vec<u8> = column_cells
                .filter(|(_, column)| Some(&column.state) == here.as_ref())
                .filter_map(|(cell, _)| cell.cell_score())
                .collect();
            let (low, high) = (of_state.iter().min(), of_state.iter().max());
            MatrixRow {
                agreement: PairShares::within_scores(&of_state).exact.ok(),
                repeat_agreement: repeat_agreement(&columns, &cells),
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

/// Returns the mean over groups of repeats.
fn repeat_agreement(columns: &[JudgementColumn], cells: &[MatrixCell]) -> Option<f64> {
    let mut groups: Vec<(&JudgementColumn, Vec<Option<u8>>)> = vec![];
    for (column, cell) in columns.iter().zip(cells) {
        let is_like =
            |other: &JudgementColumn| other.setup == column.setup && other.state == column.state;
        match groups.iter_mut().find(|(other, _)| is_like(other)) {
            Some((_, scores)) => scores.push(cell.cell_score()),
            None => groups.push((column, vec![cell.cell_score()])),
        }
    }
    let shares: Vec<f64> = groups
        .into_iter()
        .filter_map(|(_, scores)| ComponentStability::from_scores("", scores).shares.exact.ok())
        .collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}
