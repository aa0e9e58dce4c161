//! The words of one of the two judgements on the component at the cursor.

use crate::{
    session::Session,
    views::{scores::judges::JudgesView, verdict::doubt_text},
    widgets::wrap::wrap_line,
};
use trajview_run::rubric::{Evidence, Verdict};

use super::JudgeSide;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictWordsRow {
    Blank,
    /// A part begins.
    Heading(String),
    Score(Option<u8>),
    /// The judge's own, cut to the width.
    Words(String),
    Note(String),
    Problem(String),
    /// Lines of a file at the judged commit.
    Evidence(Evidence),
    /// A call of the judge's tools.
    Look {
        tool: String,
        arguments: String,
    },
}

impl JudgesView {
    /// Returns the rows of one side's verdict, wrapped to `width` cells.
    pub(crate) fn side_verdict_rows(
        &self,
        session: &Session,
        side: JudgeSide,
        width: usize,
    ) -> Vec<VerdictWordsRow> {
        let column = self.side_column(session, side);
        let judgement = column.as_ref().and_then(|column| self.column_judgement(session, column));
        let (Some(judgement), Some(id)) = (judgement, self.judges_component()) else {
            return vec![VerdictWordsRow::Note("no judgement here".into())];
        };
        match judgement.verdict_on(id) {
            Some(verdict) => verdict_words_rows(verdict, width),
            None if !judgement.asks_about(id) => {
                vec![VerdictWordsRow::Note(format!("{id} was not judged"))]
            }
            None => vec![VerdictWordsRow::Note(format!("has no verdict on {id}"))],
        }
    }
}

fn verdict_words_rows(verdict: &Verdict, width: usize) -> Vec<VerdictWordsRow> {
    let mut rows = vec![VerdictWordsRow::Score(verdict.score)];
    let (row, why): (fn(String) -> VerdictWordsRow, _) = match (&verdict.error, &verdict.reason) {
        (None, Some(reason)) => (VerdictWordsRow::Note, reason.as_str()),
        (error, _) => {
            (VerdictWordsRow::Problem, error.as_deref().unwrap_or("the judge gave no score"))
        }
    };
    if verdict.score.is_none() {
        rows.extend(words_in_rows(why, width).map(row));
    }
    let doubt = verdict.doubt().map(doubt_text);
    rows.extend(
        doubt.iter().flat_map(|text| words_in_rows(text, width)).map(VerdictWordsRow::Problem),
    );
    rows.push(VerdictWordsRow::Blank);
    if verdict.rationale.is_empty() {
        rows.push(VerdictWordsRow::Note("no rationale is recorded".into()));
    }
    rows.extend(words_in_rows(&verdict.rationale, width).map(VerdictWordsRow::Words));
    rows.push(VerdictWordsRow::Blank);
    match verdict.evidence.len() {
        0 => rows.push(VerdictWordsRow::Note("it cites no lines of code".into())),
        _ => rows.push(VerdictWordsRow::Heading("evidence".into())),
    }
    rows.extend(verdict.evidence.iter().map(|it| VerdictWordsRow::Evidence(it.clone())));
    rows.push(VerdictWordsRow::Blank);
    match verdict.trace.len() {
        0 if verdict.looks.is_some() => {
            rows.push(VerdictWordsRow::Note("it called no tool".into()))
        }
        0 => rows.push(VerdictWordsRow::Note("its tool calls are not recorded".into())),
        1 => rows.push(VerdictWordsRow::Heading("1 tool call".into())),
        count => rows.push(VerdictWordsRow::Heading(format!("{count} tool calls"))),
    }
    rows.extend(verdict.trace.iter().map(|it| VerdictWordsRow::Look {
        tool: it.tool.clone(),
        arguments: it.arguments.clone(),
    }));
    rows
}

/// Wraps text into rows of a width. Returns none for empty text.
fn words_in_rows(words: &str, width: usize) -> impl Iterator<Item = String> {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    lines.flat_map(move |line| {
        wrap_line(line, width).into_iter().map(|range| line[range].to_owned())
    })
}
