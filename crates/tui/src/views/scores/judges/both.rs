//! The words of one of the two judgements on the component at the cursor.

use crate::{session::Session, views::scores::judges::Judges, widgets::wrap::wrap};
use trajview_run::rubric::Verdict;

use super::Side;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Blank,
    /// A part begins.
    Heading(String),
    Score(Option<u8>),
    /// The judge's own, cut to the width.
    Words(String),
    Note(String),
    Problem(String),
    /// Lines of a file at the judged commit.
    Evidence {
        path: String,
        lines: Option<(usize, usize)>,
    },
    /// A call of the judge's tools.
    Look {
        tool: String,
        arguments: String,
    },
}

impl Judges {
    /// As wide as `width` cells.
    pub fn words_of_side(&self, session: &Session, side: Side, width: usize) -> Vec<Row> {
        let column = self.side_column(session, side);
        let judgement = column.as_ref().and_then(|column| self.judgement_of(session, column));
        let (Some(judgement), Some(id)) = (judgement, self.judges_component()) else {
            return vec![Row::Note("there is no judgement here".into())];
        };
        match judgement.of(id) {
            Some(verdict) => rows(verdict, width),
            None if !judgement.asks_about(id) => {
                vec![Row::Note(format!("{id} was not asked about"))]
            }
            None => vec![Row::Note(format!("says nothing of {id}"))],
        }
    }
}

fn rows(verdict: &Verdict, width: usize) -> Vec<Row> {
    let mut rows = vec![Row::Score(verdict.score)];
    let (row, why): (fn(String) -> Row, _) = match (&verdict.error, &verdict.reason) {
        (None, Some(reason)) => (Row::Note, reason.as_str()),
        (error, _) => (Row::Problem, error.as_deref().unwrap_or("the judge gave no score")),
    };
    if verdict.score.is_none() {
        rows.extend(cut(why, width).map(row));
    }
    rows.push(Row::Blank);
    if verdict.rationale.is_empty() {
        rows.push(Row::Note("no rationale is recorded".into()));
    }
    rows.extend(cut(&verdict.rationale, width).map(Row::Words));
    rows.push(Row::Blank);
    match verdict.evidence.len() {
        0 => rows.push(Row::Note("it names no lines of code".into())),
        _ => rows.push(Row::Heading("evidence".into())),
    }
    rows.extend(
        verdict.evidence.iter().map(|it| Row::Evidence { path: it.path.clone(), lines: it.lines }),
    );
    rows.push(Row::Blank);
    match verdict.trace.len() {
        0 => rows.push(Row::Note("what it looked at is not recorded".into())),
        1 => rows.push(Row::Heading("what it looked at, 1 call".into())),
        count => rows.push(Row::Heading(format!("what it looked at, {count} calls"))),
    }
    rows.extend(
        verdict
            .trace
            .iter()
            .map(|it| Row::Look { tool: it.tool.clone(), arguments: it.arguments.clone() }),
    );
    rows
}

/// Words in rows of a width; none for no words.
fn cut(words: &str, width: usize) -> impl Iterator<Item = String> {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    lines.flat_map(move |line| wrap(line, width).into_iter().map(|range| line[range].to_owned()))
}
