//! What the judge pointed at, beside the lines of the replay.

use std::ops::RangeInclusive;

use crate::{
    session::{files::Scope, rubric::is_judged_at},
    shell::replay::Replay,
};

use super::verdict::score_said;

/// Lines that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceMark {
    pub component: String,
    /// Of the file as it was judged, counting from 1.
    pub lines: RangeInclusive<usize>,
}

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
        let (Some(key), Some(judgement)) = (shown, self.session.rubric.judgement()) else {
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
        let shown =
            shown.filter(|verdict| !self.session.is_hidden_by_the_audit(&verdict.component));
        shown.flat_map(of_verdict).collect()
    }

    /// What the evidence at the cursor of the diff is for, one paragraph each: a heading and what it says.
    pub(crate) fn why_evidence(&self, line: usize) -> Vec<(String, String)> {
        let Some(judgement) = self.session.rubric.judgement() else { return vec![] };
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
}
