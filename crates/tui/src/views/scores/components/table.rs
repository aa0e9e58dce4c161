//! The rows of the table: one a component of the checklist, then those that only a verdict names.

use std::cmp::Reverse;

use crate::{session::Session, views::scores::components::ComponentsView};
use trajview_run::rubric::{
    Component, Judgement, Rubric, Verdict, VerdictDoubt, criterion_scores::scores_text,
};

/// The column by which the table is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComponentSort {
    /// Sorts in the order of the checklist.
    #[default]
    Checklist,
    /// The lowest first; what has none last.
    Score,
    /// Sorts lost components first, the earliest loss first, then components that score less than in the other
    /// judgement.
    Loss,
}

/// A component as the table shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentRow {
    pub id: String,
    /// Empty if the checklist lacks it.
    pub name: String,
    pub is_in_checklist: bool,
    pub score: Option<u8>,
    /// The pooled score if it is between two levels.
    pub exact_score: Option<f64>,
    /// The text of the score that the judge gave by a codebook. Empty if the judge used none.
    pub given_text: String,
    /// The reason to doubt the score.
    pub doubt: Option<VerdictDoubt>,
    /// True if no mean counts the score.
    pub is_left_out: bool,
    /// The reason for a missing score.
    pub missing_reason: Option<String>,
    /// True if the missing score is not a failure.
    pub is_reasoned: bool,
    /// The label of the local rater.
    pub label: Option<f64>,
    /// Recoverability at the end of the run, 0 to 4. None if it was not audited.
    pub exposure: Option<u8>,
    /// Score minus that in the other judgement.
    pub change: Option<i8>,
    /// The turn where it was lost, as far as that is known; counts from 1.
    pub lost_at: Option<usize>,
}

impl ComponentSort {
    pub const fn next(self) -> Self {
        match self {
            Self::Checklist => Self::Score,
            Self::Score => Self::Loss,
            Self::Loss => Self::Checklist,
        }
    }

    pub(crate) const fn sort_words(self) -> &'static str {
        match self {
            Self::Checklist => "id",
            Self::Score => "score, the lowest first",
            Self::Loss => "loss, the earliest first",
        }
    }
}

impl ComponentsView {
    /// Returns the rows in the chosen order.
    pub fn component_rows(&self, session: &Session) -> Vec<ComponentRow> {
        let judged = &session.rubric;
        let Some(rubric) = judged.known_rubric() else { return vec![] };
        let (judgement, other) = (judged.shown_judgement(), judged.compared_judgement());
        let listed = rubric.checklist.iter().flat_map(|it| &it.components);
        let mut rows: Vec<ComponentRow> = listed
            .map(|it| self.component_table_row(session, rubric, &it.id, Some(it), judgement, other))
            .collect();
        let unlisted = judgement.into_iter().flat_map(|it| &it.verdicts);
        for verdict in unlisted {
            if !rows.iter().any(|row| row.id == verdict.component) {
                rows.push(self.component_table_row(
                    session,
                    rubric,
                    &verdict.component,
                    None,
                    judgement,
                    other,
                ));
            }
        }
        match self.sort {
            ComponentSort::Checklist => {}
            ComponentSort::Score => rows.sort_by_key(|row| (row.score.is_none(), row.score)),
            ComponentSort::Loss => rows.sort_by_key(|row| {
                (row.lost_at.is_none(), row.lost_at, row.change.unwrap_or_default())
            }),
        }
        rows
    }

    fn component_table_row(
        &self,
        session: &Session,
        rubric: &Rubric,
        id: &str,
        component: Option<&Component>,
        judgement: Option<&Judgement>,
        other: Option<&Judgement>,
    ) -> ComponentRow {
        let verdict = judgement.and_then(|it| it.verdict_on(id));
        let score = verdict.and_then(|it| it.score);
        let before = other.and_then(|it| it.verdict_on(id)?.score);
        let change = |(now, before): (u8, u8)| now as i8 - before as i8;
        let exposure = rubric.exposure.as_ref();
        let exposure = exposure.and_then(|it| it.components.iter().find(|it| it.id == id));
        ComponentRow {
            id: id.to_owned(),
            name: component.map(|it| it.name.clone()).unwrap_or_default(),
            is_in_checklist: component.is_some() || rubric.checklist.is_none(),
            score,
            exact_score: verdict.and_then(|it| it.exact),
            given_text: verdict.map(|it| scores_text(&it.criterion_scores)).unwrap_or_default(),
            is_reasoned: verdict.is_some_and(|it| it.reason.is_some()),
            doubt: verdict.and_then(Verdict::doubt),
            is_left_out: verdict.is_some_and(|it| it.is_left_out),
            missing_reason: missing_score_reason(judgement, verdict),
            label: session.own_label_of(id).and_then(|label| label.score()),
            exposure: exposure.map(|it| it.level_at(session.run.end_in_turns())),
            change: score.zip(before).map(change),
            lost_at: session.rubric.lifeline_of(id).and_then(|it| it.lost_at),
        }
    }

    /// Returns the row that is chosen.
    pub fn component_row(&self, session: &Session) -> Option<ComponentRow> {
        self.component_rows(session).into_iter().nth(self.rows.cursor())
    }

    /// Returns the component that is chosen, as the checklist has it.
    pub(crate) fn chosen_component<'s>(&self, session: &'s Session) -> Option<&'s Component> {
        let judged = &session.rubric;
        let id = self.chosen.as_ref()?;
        judged.known_rubric()?.checklist.as_ref()?.components.iter().find(|it| it.id == *id)
    }

    /// Returns the verdict on the chosen component.
    pub(crate) fn chosen_verdict<'s>(&self, session: &'s Session) -> Option<&'s Verdict> {
        let judged = &session.rubric;
        judged.shown_judgement()?.verdict_on(self.chosen.as_ref()?)
    }
}

fn missing_score_reason(
    judgement: Option<&Judgement>,
    verdict: Option<&Verdict>,
) -> Option<String> {
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

/// Returns `C01 to C24`, or a few of them.
pub(crate) fn ids_text(rows: &[ComponentRow]) -> String {
    let mut ids: Vec<&str> = rows.iter().map(|row| &*row.id).collect();
    ids.sort_by_key(|id| (Reverse(id.is_empty()), *id));
    match ids.as_slice() {
        [] => "there are none".into(),
        [only] => format!("there is {only}"),
        [first, .., last] => format!("there are {first} to {last}"),
    }
}
