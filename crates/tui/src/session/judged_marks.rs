//! What judges pointed at, beside the lines of a file: the evidence of verdicts, and flags.

use std::ops::RangeInclusive;

use crate::session::{
    Session,
    files::DiffKey,
    flags::{self, FlaggedBy},
    rubric::{is_judged_at, score_text},
};
use trajview_run::{flags::Flag, rubric::Verdict};

/// Lines that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceMark {
    pub component: String,
    /// The lines of the judged file, counting from 1.
    pub lines: RangeInclusive<usize>,
}

impl EvidenceMark {
    /// Returns `◆ C07 evidence`.
    pub(crate) fn mark_label(&self) -> String {
        format!("◆ {} evidence", self.component)
    }
}

/// Lines that are flagged.
#[derive(Debug, Clone, PartialEq)]
pub struct FlagMark {
    pub flag: Flag,
    /// The lines of the judged file, counting from 1.
    pub lines: RangeInclusive<usize>,
    /// The judge that flagged the lines.
    by: String,
}

impl FlagMark {
    /// Returns `⚑ copied-logic`.
    pub(crate) fn mark_label(&self) -> String {
        format!("⚑ {}", self.flag.criterion)
    }

    fn explain_flag(&self) -> (String, String) {
        let (first, last) = (self.lines.start(), self.lines.end());
        let kind = self.flag.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let sure = self.flag.confidence;
        let sure = sure.map(|it| format!(", confidence {it} of 5")).unwrap_or_default();
        let carried = self.flag.carried_from.as_deref();
        let carried = carried.map(|from| format!(", carried from {from}")).unwrap_or_default();
        let explanation = self.flag.explanation.as_deref().unwrap_or("No explanation is given.");
        let by = &self.by;
        let words = format!("lines {first}–{last}{kind}: {by}{sure}{carried}. {explanation}");
        (self.mark_label(), words)
    }
}

/// Returns the evidence in a file, where its lines are those that were judged.
pub(crate) fn evidence_marks(session: &Session, key: &DiffKey) -> Vec<EvidenceMark> {
    let (Some(turn), Some(judgement)) = (key.scope.turn_after(), session.rubric.shown_judgement())
    else {
        return vec![];
    };
    if !is_judged_at(&session.run, judgement, turn) {
        return vec![];
    }
    let of_verdict = |verdict: &'_ Verdict| {
        let here = verdict.evidence.iter().filter(|it| it.path == key.path.as_str());
        let mark = |(first, last): (usize, usize)| EvidenceMark {
            component: verdict.component.clone(),
            lines: first..=last,
        };
        here.filter_map(|it| it.shown_lines().map(mark)).collect::<Vec<_>>()
    };
    let shown = judgement.verdicts.iter();
    let shown = shown.filter(|verdict| !session.is_hidden_by_the_audit(&verdict.component));
    shown.flat_map(of_verdict).collect()
}

/// Returns the explanations of the evidence at a line of a file, one paragraph each: a heading and the text.
pub(crate) fn evidence_explanations(
    session: &Session,
    key: &DiffKey,
    line: usize,
) -> Vec<(String, String)> {
    let Some(judgement) = session.rubric.shown_judgement() else { return vec![] };
    let marks = evidence_marks(session, key).into_iter().filter(|mark| mark.lines.contains(&line));
    let words_by_line = marks.filter_map(|mark| {
        let verdict = judgement.verdict_on(&mark.component)?;
        let score = verdict.score.map_or_else(|| "no score".into(), score_text);
        let (first, last) = (mark.lines.start(), mark.lines.end());
        let words = format!(
            "lines {first}–{last}: {} gave {score}. {}",
            judgement.judge.name, verdict.rationale
        );
        Some((mark.mark_label(), words))
    });
    words_by_line.collect()
}

/// Returns the flags in a file, of every judge of its state.
pub(crate) fn flag_marks(session: &Session, key: &DiffKey) -> Vec<FlagMark> {
    let Some(turn) = key.scope.turn_after() else { return vec![] };
    let mut marks: Vec<FlagMark> = vec![];
    for source in flags::flag_sources(session) {
        let by = match source.by {
            FlaggedBy::Recorded => "recorded".to_owned(),
            judge @ FlaggedBy::Judge(_) => judge.display_text(),
        };
        // Of several judgings of this state the last one speaks.
        let Some(state) = source.states.iter().rfind(|it| it.turn == Some(turn + 1)) else {
            continue;
        };
        let here = state.flags.iter().filter(|flag| *flag.path == *key.path.as_str());
        marks.extend(here.filter_map(|flag| {
            let (start, end) = (flag.start? as usize, flag.end? as usize);
            Some(FlagMark { flag: flag.clone(), lines: start..=end, by: by.clone() })
        }));
    }
    marks
}

/// Returns the explanations of the flags at a line of a file, one paragraph each.
pub(crate) fn flag_explanations(
    session: &Session,
    key: &DiffKey,
    line: usize,
) -> Vec<(String, String)> {
    let marks = flag_marks(session, key).into_iter().filter(|mark| mark.lines.contains(&line));
    marks.map(|mark| mark.explain_flag()).collect()
}
