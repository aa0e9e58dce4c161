//! The rows of the table: one a component of the checklist, then those that only a verdict names.

use std::cmp::Reverse;

use crate::{session::Session, views::scores::components::Components};
use trajview_run::rubric::{Component, Judgement, Rubric, Verdict, given::all_words};

/// By which column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// In the order of the checklist.
    #[default]
    Checklist,
    /// The lowest first; what has none last.
    Score,
    /// What was lost, the earliest first; then what scores less than in the other judgement.
    Loss,
}

/// A component as the table shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: String,
    /// Empty where the checklist lacks it.
    pub name: String,
    pub is_in_checklist: bool,
    pub score: Option<u8>,
    /// The pooled score where it lies between two levels.
    pub exact: Option<f64>,
    /// What the judge gave by a codebook, in words; empty where it did not.
    pub given: String,
    /// Why there is no score.
    pub why: Option<String>,
    /// Whether that is no failure.
    pub is_reasoned: bool,
    /// What whoever sits here labelled.
    pub label: Option<f64>,
    /// Recoverability at the end of the run, 0 to 4; None where it was not audited.
    pub exposure: Option<u8>,
    /// Score minus that in the other judgement.
    pub change: Option<i8>,
    /// The turn where it was lost, as far as that is known; counts from 1.
    pub lost_at: Option<usize>,
}

impl Sort {
    pub const fn next(self) -> Self {
        match self {
            Self::Checklist => Self::Score,
            Self::Score => Self::Loss,
            Self::Loss => Self::Checklist,
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::Checklist => "id",
            Self::Score => "score, the lowest first",
            Self::Loss => "loss, the earliest first",
        }
    }
}

impl Components {
    /// In the order that is chosen.
    pub fn component_rows(&self, session: &Session) -> Vec<Row> {
        let judged = &session.rubric;
        let Some(rubric) = judged.known() else { return vec![] };
        let (judgement, other) = (judged.judgement(), judged.other());
        let listed = rubric.checklist.iter().flat_map(|it| &it.components);
        let mut rows: Vec<Row> = listed
            .map(|it| self.row(session, rubric, &it.id, Some(it), judgement, other))
            .collect();
        let unlisted = judgement.into_iter().flat_map(|it| &it.verdicts);
        for verdict in unlisted {
            if !rows.iter().any(|row| row.id == verdict.component) {
                rows.push(self.row(session, rubric, &verdict.component, None, judgement, other));
            }
        }
        match self.sort {
            Sort::Checklist => {}
            Sort::Score => rows.sort_by_key(|row| (row.score.is_none(), row.score)),
            Sort::Loss => rows.sort_by_key(|row| {
                (row.lost_at.is_none(), row.lost_at, row.change.unwrap_or_default())
            }),
        }
        rows
    }

    fn row(
        &self,
        session: &Session,
        rubric: &Rubric,
        id: &str,
        component: Option<&Component>,
        judgement: Option<&Judgement>,
        other: Option<&Judgement>,
    ) -> Row {
        let verdict = judgement.and_then(|it| it.of(id));
        let score = verdict.and_then(|it| it.score);
        let before = other.and_then(|it| it.of(id)?.score);
        let change = |(now, before): (u8, u8)| now as i8 - before as i8;
        let exposure = rubric.exposure.as_ref();
        let exposure = exposure.and_then(|it| it.components.iter().find(|it| it.id == id));
        Row {
            id: id.to_owned(),
            name: component.map(|it| it.name.clone()).unwrap_or_default(),
            is_in_checklist: component.is_some() || rubric.checklist.is_none(),
            score,
            exact: verdict.and_then(|it| it.exact),
            given: verdict.map(|it| all_words(&it.given)).unwrap_or_default(),
            is_reasoned: verdict.is_some_and(|it| it.reason.is_some()),
            why: why(judgement, verdict),
            label: session.own_label_of(id).and_then(|label| label.score()),
            exposure: exposure.map(|it| it.at(session.run.end())),
            change: score.zip(before).map(change),
            lost_at: session.rubric.lifeline_of(id).and_then(|it| it.lost_at),
        }
    }

    /// The row that is chosen.
    pub fn component_row(&self, session: &Session) -> Option<Row> {
        self.component_rows(session).into_iter().nth(self.rows.cursor)
    }

    /// The component that is chosen, as the checklist has it.
    pub fn component<'s>(&self, session: &'s Session) -> Option<&'s Component> {
        let judged = &session.rubric;
        let id = self.chosen.as_ref()?;
        judged.known()?.checklist.as_ref()?.components.iter().find(|it| it.id == *id)
    }

    /// The verdict on the chosen component.
    pub fn verdict<'s>(&self, session: &'s Session) -> Option<&'s Verdict> {
        let judged = &session.rubric;
        judged.judgement()?.of(self.chosen.as_ref()?)
    }
}

fn why(judgement: Option<&Judgement>, verdict: Option<&Verdict>) -> Option<String> {
    match (judgement, verdict) {
        (None, _) => None,
        (Some(_), None) => Some("not judged".into()),
        (Some(_), Some(verdict)) if verdict.score.is_some() => None,
        (Some(_), Some(verdict)) => {
            let why = verdict.error.clone().or_else(|| verdict.reason.clone());
            Some(why.unwrap_or_else(|| "the judge gave no score".into()))
        }
    }
}

/// `C01 to C24`, or a few of them.
pub fn ids(rows: &[Row]) -> String {
    let mut ids: Vec<&str> = rows.iter().map(|row| &*row.id).collect();
    ids.sort_by_key(|id| (Reverse(id.is_empty()), *id));
    match ids.as_slice() {
        [] => "there are none".into(),
        [only] => format!("there is {only}"),
        [first, .., last] => format!("there are {first} to {last}"),
    }
}
