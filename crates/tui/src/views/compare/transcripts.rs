//! Two transcripts side by side: the rows on screen, where equal ones are folded, and the way from difference to
//! difference.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use crate::{
    session::{
        effect::Effect,
        pending::Loading,
        question::Question,
        request::{RequestId, RequestIds, Sentence},
    },
    widgets::{
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_study::compare::{
    ComparedTranscripts, RowCounts, RowKind, TranscriptItem, TranscriptRow,
};

use super::ComparisonView;

/// Equal rows that stay visible before and after a difference.
const ROWS_AROUND: usize = 2;

/// Equal rows in a row that are worth a fold.
const LEAST_FOLDED: usize = 3;

/// The aligned transcripts of the two compared runs.
#[derive(Debug, Default)]
pub struct CompareTranscripts {
    pub aligned: Loading<Arc<ComparedTranscripts>>,
    /// The rows on screen, in order.
    pub shown: Vec<ShownRow>,
    pub pane: ListPane,
    /// Computed once when the transcripts arrive, since a frame has no time for all rows.
    pub(crate) differences: TranscriptDifferences,
    /// The rows on screen in which the runs differ.
    shown_differences: Vec<usize>,
    /// The first rows of the folds that the user has opened.
    unfolded: BTreeSet<usize>,
}

/// The rows in which two transcripts differ.
#[derive(Debug, Default)]
pub(crate) struct TranscriptDifferences {
    /// None where the transcripts are equal or not aligned yet.
    pub first: Option<FirstStep>,
    pub counts: RowCounts,
    /// The rows of the alignment, in order.
    rows: Vec<usize>,
}

/// The first step that differs, by side.
#[derive(Debug)]
pub(crate) struct FirstStep {
    /// `1.3`; `the end` where that run has ended.
    pub addresses: [String; 2],
    /// `1.3 Bash: ls -l`; `the end`.
    pub texts: [String; 2],
    /// Requests and calls before it, which are equal in both.
    pub equal_before: usize,
}

impl TranscriptDifferences {
    fn in_transcripts(aligned: &ComparedTranscripts) -> Self {
        let first = aligned.first_difference().map(|first| {
            let address = |item: Option<&TranscriptItem>| {
                item.map_or_else(|| "the end".into(), TranscriptItem::address)
            };
            FirstStep {
                addresses: [first.a, first.b].map(address),
                texts: [0, 1].map(|side| first.side_text(side)),
                equal_before: first.equal_before,
            }
        });
        let rows = aligned.rows.iter().enumerate().filter(|(_, row)| row.kind.is_difference());
        let rows = rows.map(|(at, _)| at).collect();
        Self { first, counts: aligned.row_counts(), rows }
    }
}

/// A row on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownRow {
    /// The index of a row of the alignment.
    Row(usize),
    /// Equal rows in the place of which one line is shown.
    Fold(Range<usize>),
}

impl CompareTranscripts {
    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        answer: Result<Arc<ComparedTranscripts>, Sentence>,
    ) {
        if !matches!(self.aligned, Loading::Waiting(asked) if asked == request) {
            return;
        }
        self.aligned.settle_with(request, answer);
        self.unfolded.clear();
        self.settle_differences();
        self.choose_row(self.differences.rows.first().copied().unwrap_or_default());
    }

    fn settle_differences(&mut self) {
        let differences = self.aligned.ready().map(|it| TranscriptDifferences::in_transcripts(it));
        self.differences = differences.unwrap_or_default();
        self.list_rows();
    }

    /// Returns the row of the alignment at the cursor; None on a fold.
    pub(crate) fn selected_row(&self) -> Option<&TranscriptRow> {
        match self.shown.get(self.pane.cursor())? {
            ShownRow::Row(row) => self.aligned.ready()?.rows.get(*row),
            ShownRow::Fold(_) => None,
        }
    }

    /// Returns the items of both sides at the cursor.
    pub(crate) fn selected_items(&self) -> Option<[Option<&TranscriptItem>; 2]> {
        Some(self.aligned.ready()?.items_of(self.selected_row()?))
    }

    /// Returns the number of the difference at or before the cursor, and of all; the number counts from 1 and is 0 before
    /// the first.
    pub(crate) fn difference_place(&self) -> (usize, usize) {
        let here = match self.shown.get(self.pane.cursor()) {
            Some(ShownRow::Row(row)) => row + 1,
            Some(ShownRow::Fold(rows)) => rows.end,
            None => 0,
        };
        let rows = &self.differences.rows;
        (rows.partition_point(|row| *row < here), rows.len())
    }

    /// Goes to the next difference, or to the previous one. The error says that there is none.
    pub(crate) fn step_to_difference(&mut self, motion: Motion) -> Result<(), &'static str> {
        let differing = &self.shown_differences;
        let cursor = self.pane.cursor();
        let (before, after) = (
            differing.partition_point(|at| *at < cursor),
            differing.partition_point(|at| *at <= cursor),
        );
        let wanted = match motion {
            Motion::Up(count) if before > 0 => Some(differing[before.saturating_sub(count)]),
            Motion::Down(count) if after < differing.len() => {
                Some(differing[(after + count.max(1) - 1).min(differing.len() - 1)])
            }
            _ => None,
        };
        let none = match motion {
            Motion::Up(_) => "no difference before this",
            _ => "no difference after this",
        };
        self.pane.choose(wanted.ok_or(none)?);
        Ok(())
    }

    /// Shows the rows of the fold at the cursor; returns false where none is there.
    pub(crate) fn unfold_selected(&mut self) -> bool {
        let Some(ShownRow::Fold(rows)) = self.shown.get(self.pane.cursor()) else { return false };
        let first = rows.start;
        self.unfolded.insert(first);
        self.list_rows();
        self.choose_row(first);
        true
    }

    pub(crate) fn settle_rows(&mut self, room: PaneRoom) {
        self.pane.settle(room, self.shown.len());
    }

    /// Chooses the row on screen that shows a row of the alignment.
    fn choose_row(&mut self, wanted: usize) {
        let is_it = |shown: &ShownRow| match shown {
            ShownRow::Row(row) => *row == wanted,
            ShownRow::Fold(rows) => rows.contains(&wanted),
        };
        let at = self.shown.iter().position(is_it).unwrap_or_default();
        self.pane.show_below(ROWS_AROUND, at);
    }

    /// Lists the rows again: the differences with some equal rows around them, the other equal ones folded.
    fn list_rows(&mut self) {
        let Some(aligned) = self.aligned.ready() else {
            self.shown.clear();
            self.shown_differences.clear();
            return;
        };
        let rows = &aligned.rows;
        let is_equal = |row: &TranscriptRow| matches!(row.kind, RowKind::Same | RowKind::Text);
        let mut shown = vec![];
        let mut at = 0;
        for part in rows.chunk_by(|one, other| is_equal(one) == is_equal(other)) {
            let end = at + part.len();
            let folded = match is_equal(&part[0]) {
                true => foldable_rows(at..end, rows.len()),
                false => at..at,
            };
            match folded.len() >= LEAST_FOLDED && !self.unfolded.contains(&folded.start) {
                true => {
                    shown.extend((at..folded.start).map(ShownRow::Row));
                    shown.push(ShownRow::Fold(folded.clone()));
                    shown.extend((folded.end..end).map(ShownRow::Row));
                }
                false => shown.extend((at..end).map(ShownRow::Row)),
            }
            at = end;
        }
        let differs = |row: &ShownRow| match row {
            ShownRow::Row(row) => rows[*row].kind.is_difference(),
            ShownRow::Fold(_) => false,
        };
        let differing = shown.iter().enumerate().filter(|(_, row)| differs(row));
        self.shown_differences = differing.map(|(at, _)| at).collect();
        self.shown = shown;
    }
}

/// Returns the rows of an equal part that are folded: without those around a difference.
fn foldable_rows(part: Range<usize>, all: usize) -> Range<usize> {
    let start = if part.start == 0 { 0 } else { part.start + ROWS_AROUND };
    let end = if part.end == all { all } else { part.end.saturating_sub(ROWS_AROUND) };
    start.min(end)..end
}

impl ComparisonView {
    /// Asks for the aligned transcripts of the two compared runs.
    pub(super) fn ask_transcripts(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let paths = self.pair_of_paths().filter(|_| self.transcripts.aligned.is_nothing())?;
        let question = Question::Transcripts { paths };
        Some(self.transcripts.aligned.ask_question(numbers, question))
    }

    /// Goes to the next difference of the transcripts, or to the previous one.
    pub(super) fn step_to_difference(&mut self, motion: Motion) {
        if let Err(why) = self.transcripts.step_to_difference(motion) {
            self.notice = Some(why.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_study::compare::{ItemKind, Transcript, fingerprint_of};

    /// Two runs that share all calls but those at these places.
    fn aligned(count: usize, differing: &[usize]) -> CompareTranscripts {
        let side = |own: &str| Transcript {
            items: (0..count)
                .map(|at| {
                    let line = if differing.contains(&at) {
                        format!("{own}{at}")
                    } else {
                        format!("{at}")
                    };
                    TranscriptItem {
                        turn: 0,
                        step: None,
                        number: at + 1,
                        kind: ItemKind::Call,
                        name: "Bash".into(),
                        fingerprint: fingerprint_of(&line),
                        family: 0,
                        line: line.into(),
                        has_failed: false,
                    }
                })
                .collect(),
            left_out: 0,
        };
        let both = Arc::new(ComparedTranscripts::align(side("a"), side("b")));
        let mut made =
            CompareTranscripts { aligned: Loading::Ready(both), ..CompareTranscripts::default() };
        made.settle_differences();
        made
    }

    #[test]
    fn equal_rows_are_folded_but_for_those_around_a_difference() {
        let mut made = aligned(20, &[8]);

        let rows = |range: Range<usize>| range.map(ShownRow::Row).collect::<Vec<_>>();
        let expected =
            [vec![ShownRow::Fold(0..6)], rows(6..11), vec![ShownRow::Fold(11..20)]].concat();
        assert_eq!(made.shown, expected);
        made.pane.choose(0);
        assert!(made.unfold_selected());
        assert_eq!(made.shown, [rows(0..11), vec![ShownRow::Fold(11..20)]].concat());
    }

    #[test]
    fn equal_runs_are_one_fold_without_a_difference_to_go_to() {
        let mut made = aligned(9, &[]);

        assert_eq!(made.shown, [ShownRow::Fold(0..9)]);
        assert!(made.step_to_difference(Motion::Down(1)).is_err());
        assert_eq!(made.difference_place(), (0, 0));
    }

    #[test]
    fn n_goes_from_difference_to_difference_and_stops_at_the_last() {
        let mut made = aligned(30, &[8, 9, 25]);
        made.pane.choose(0);

        let mut seen = vec![];
        for _ in 0..3 {
            made.step_to_difference(Motion::Down(1)).unwrap();
            seen.push(made.difference_place());
        }

        assert_eq!(seen, [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(made.step_to_difference(Motion::Down(1)), Err("no difference after this"));
        made.step_to_difference(Motion::Up(2)).unwrap();
        assert_eq!(made.difference_place(), (1, 3));
        assert_eq!(made.step_to_difference(Motion::Up(1)), Err("no difference before this"));
    }

    #[test]
    fn an_answer_to_an_older_question_changes_nothing() {
        let mut made = aligned(30, &[8, 25]);
        made.step_to_difference(Motion::Down(1)).unwrap();
        let before = (made.pane.cursor(), made.shown.clone());

        made.take_answer(RequestIds::default().next_request(), Err("too late".into()));

        assert_eq!((made.pane.cursor(), made.shown.clone()), before);
        assert_eq!(made.difference_place().1, 2);
    }
}
