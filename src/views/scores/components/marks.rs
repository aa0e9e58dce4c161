//! What the judge pointed at, beside the lines of the replay, and the scores beside the turn in numbers.

use std::ops::RangeInclusive;

use crate::{
    metrics::lifeline::judged_after, run::rubric::Judgement, shell::replay::Replay,
    views::replay::diff::Scope,
};

use super::{asking::is_judged_at, verdict::score_said};

/// Lines that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceMark {
    pub component: String,
    /// Of the file as it was judged, counting from 1.
    pub lines: RangeInclusive<usize>,
}

/// A component's score as it was known after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub id: String,
    pub name: String,
    pub score: u8,
    /// Minus the score in the judgement of an earlier turn.
    pub change: Option<i8>,
}

/// Components in the list beside a turn, at most.
pub const MOST_STANDING: usize = 6;

impl EvidenceMark {
    /// `◆ C07 evidence`
    pub fn label(&self) -> String {
        format!("◆ {} evidence", self.component)
    }
}

impl Replay {
    /// The evidence in the file that the diff shows, where its lines are those that were judged.
    pub fn evidence_marks(&self) -> Vec<EvidenceMark> {
        let shown = self.diff_key().filter(|_| self.curves.has_marks);
        let (Some(key), Some(judgement)) = (shown, self.scores.components.judgement()) else {
            return vec![];
        };
        let turn = match key.scope {
            Scope::Turn(turn) | Scope::At(turn) => turn,
            Scope::Since { done, turn } if done <= turn => turn,
            Scope::Since { .. } | Scope::Step(_) => return vec![],
        };
        if !is_judged_at(&self.session.run, judgement, turn) {
            return vec![];
        }
        let of_verdict = |verdict: &'_ crate::run::rubric::Verdict| {
            let here = verdict.evidence.iter().filter(|it| it.path == key.path.as_str());
            let mark = |(first, last): (usize, usize)| EvidenceMark {
                component: verdict.component.clone(),
                lines: first..=last,
            };
            here.filter_map(|it| it.lines.map(mark)).collect::<Vec<_>>()
        };
        let shown = judgement.verdicts.iter();
        let shown = shown.filter(|verdict| !self.is_hidden_by_the_audit(&verdict.component));
        shown.flat_map(of_verdict).collect()
    }

    /// What the evidence at the cursor of the diff is for, one paragraph each: a heading and what it says.
    pub(crate) fn why_evidence(&self, line: usize) -> Vec<(String, String)> {
        let Some(judgement) = self.scores.components.judgement() else { return vec![] };
        let marks = self.evidence_marks().into_iter().filter(|mark| mark.lines.contains(&line));
        let said = marks.filter_map(|mark| {
            let verdict = judgement.of(&mark.component)?;
            let score = verdict.score.map_or_else(|| "no score".into(), score_said);
            let (first, last) = (mark.lines.start(), mark.lines.end());
            let words = format!(
                "lines {first}–{last}: {} gave {score}. {}",
                judgement.judge.name, verdict.rationale
            );
            Some((mark.label(), words))
        });
        said.collect()
    }

    /// The components that the last whole judgement up to the playhead leaves worse than an earlier one did, then those
    /// that score least; none where nothing up to there was judged.
    pub fn standings(&self) -> Vec<Standing> {
        let Some(rubric) = self.scores.components.rubric() else { return vec![] };
        let moment = |judgement: &Judgement| judged_after(&self.session.run, judgement);
        let whole = || rubric.judgements.iter().filter(|it| rubric.covers(it));
        let Some(chosen) = whole()
            .filter(|it| moment(it).is_some_and(|done| done <= self.session.turn + 1))
            .max_by_key(|it| moment(it))
        else {
            return vec![];
        };
        let earlier = whole().filter(|it| moment(it) < moment(chosen)).max_by_key(|it| moment(it));
        let name = |id: &str| {
            let listed = rubric.checklist.iter().flat_map(|it| &it.components);
            let found = listed.into_iter().find(|it| it.id == id);
            found.map(|it| it.name.clone()).unwrap_or_default()
        };
        let mut all: Vec<Standing> = chosen
            .verdicts
            .iter()
            .filter(|verdict| !self.is_hidden_by_the_audit(&verdict.component))
            .filter_map(|verdict| {
                let (score, id) = (verdict.score?, verdict.component.clone());
                let before = earlier.and_then(|it| it.of(&id)?.score);
                let change = before.map(|before| score as i8 - before as i8);
                Some(Standing { name: name(&id), id, score, change })
            })
            .collect();
        all.sort_by_key(|it| (it.change.unwrap_or_default().min(0), it.score));
        all.truncate(MOST_STANDING);
        all
    }
}
