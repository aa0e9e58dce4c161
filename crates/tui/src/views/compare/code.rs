//! The lines that the judge named for the chosen component, in both runs, at the commits that were judged.

use std::{ops::Range, sync::Arc};

use crate::{
    session::{files::coloured_texts::ColouredSides, pending::CachedAnswers},
    widgets::{
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::rubric::{Evidence, Verdict};
use trajview_study::compare::{ComponentCell, turns_done_at_judgement};

use super::{ComparisonView, empty_answers};

/// A file of a run after this many turns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeKey {
    /// The position of the run.
    pub run: usize,
    pub path: String,
    pub done: usize,
}

/// A text cut into lines.
#[derive(Debug, Clone, PartialEq)]
pub struct FileLines {
    pub text: Arc<str>,
    /// Each without its line end.
    pub lines: Vec<Range<usize>>,
}

/// The state of one side of the code.
#[derive(Debug, Clone, Default)]
pub struct CodeSide {
    /// The index of the verdict's evidence, counts from 0.
    pub evidence: usize,
    pub lines: ListPane,
    /// The place that the scroll position belongs to.
    scrolled_for: Option<(CodeKey, Option<(usize, usize)>)>,
}

#[derive(Debug)]
pub struct CompareCode {
    pub views: [CodeSide; 2],
    /// First character shown of each line.
    pub column: usize,
    pub(crate) texts: CachedAnswers<CodeKey, Arc<FileLines>>,
    pub(crate) colours: CachedAnswers<CodeKey, ColouredSides>,
    /// The component the views are of.
    component: Option<String>,
}

impl Default for CompareCode {
    fn default() -> Self {
        Self {
            views: [CodeSide::default(), CodeSide::default()],
            column: 0,
            texts: empty_answers(),
            colours: empty_answers(),
            component: None,
        }
    }
}

/// The code of a side, or the reason why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum SideCode<'a> {
    /// A sentence.
    Nothing(String),
    /// The number of the evidence, counts from 1, and the count of all.
    Place { evidence: &'a Evidence, number: usize, count: usize, key: CodeKey },
}

impl FileLines {
    pub fn new(text: Arc<str>) -> Self {
        let mut lines = vec![];
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            lines.push(start..end);
            start += line.len();
        }
        Self { text, lines }
    }

    /// Returns the text of a line, counted from 0; empty past the end.
    pub fn line_text(&self, index: usize) -> &str {
        self.lines.get(index).and_then(|range| self.text.get(range.clone())).unwrap_or_default()
    }
}

impl CompareCode {
    pub fn file_text(&self, key: &CodeKey) -> Option<&Result<Arc<FileLines>, String>> {
        self.texts.get(key)
    }

    pub fn colours_of(&self, key: &CodeKey) -> Option<&ColouredSides> {
        self.colours.get(key)?.as_ref().ok()
    }

    fn line_count(&self, side: usize) -> usize {
        let shown = self.views[side].scrolled_for.as_ref();
        let text = shown.and_then(|(key, _)| self.texts.get(key));
        text.and_then(|text| text.as_ref().ok()).map_or(0, |text| text.lines.len())
    }

    pub(crate) const fn go_sideways(&mut self, motion: Motion) {
        match motion {
            Motion::Up(columns) => self.column = self.column.saturating_sub(columns),
            Motion::Down(columns) => self.column = self.column.saturating_add(columns),
            _ => {}
        }
    }

    /// Forgets the scroll positions, since the runs on the sides changed.
    pub(crate) fn forget_places(&mut self) {
        self.views = [CodeSide::default(), CodeSide::default()];
    }
}

impl ComparisonView {
    /// Returns the verdict on the chosen component on one side.
    pub(crate) fn verdict_of_side(&self, side: usize) -> Option<&Verdict> {
        let row = self.table.selected_row()?;
        self.all_parties().get(self.pair[side])?.judgement()?.verdict_on(&row.id)
    }

    /// Returns the code of one side.
    pub(crate) fn side_code(&self, side: usize) -> SideCode<'_> {
        let nothing = |words: &str| SideCode::Nothing(words.into());
        let run = self.pair[side];
        let (Some(row), Some(party)) = (self.table.selected_row(), self.all_parties().get(run))
        else {
            return nothing("no component selected");
        };
        match row.cells.get(run) {
            None | Some(ComponentCell::NotListed) => {
                return nothing("not in the checklist of this run");
            }
            Some(ComponentCell::NotJudged(None)) => return nothing("not judged"),
            Some(ComponentCell::NotJudged(Some(why))) => {
                return SideCode::Nothing(format!("not judged: {why}"));
            }
            Some(ComponentCell::Score(_) | ComponentCell::LeftOut(..)) => {}
        }
        let Some((judgement, verdict)) = party.judgement().zip(self.verdict_of_side(side)) else {
            return nothing("not judged");
        };
        let count = verdict.evidence.len();
        let number = self.code.views[side].evidence.min(count.saturating_sub(1));
        match verdict.evidence.get(number) {
            None => nothing("the judge cites no lines"),
            Some(evidence) => {
                let done = turns_done_at_judgement(&party.run, judgement);
                let key = CodeKey { run, path: evidence.path.clone(), done };
                SideCode::Place { evidence, number: number + 1, count, key }
            }
        }
    }

    /// Goes to the next evidence on the side with the keyboard.
    pub(crate) fn next_evidence(&mut self, motion: Motion) {
        let count = self.verdict_of_side(self.side).map_or(0, |verdict| verdict.evidence.len());
        let view = &mut self.code.views[self.side];
        view.evidence = motion.target_row(view.evidence, count, 1);
        if count < 2 {
            let words = ["the judge cites no lines here", "the judge cites one place here"];
            self.notice = Some(words[count].into());
        }
    }

    /// Shows a new component from its first evidence, and evidence from its first line.
    pub(crate) fn settle_code(&mut self, rooms: [PaneRoom; 2]) {
        let component = self.table.selected_row().map(|row| row.id.clone());
        if self.code.component != component {
            self.code.component = component;
            self.code.column = 0;
            self.code.forget_places();
        }
        for (side, room) in rooms.into_iter().enumerate() {
            let place = match self.side_code(side) {
                SideCode::Place { evidence, key, .. } => Some((key, evidence.shown_lines())),
                SideCode::Nothing(_) => None,
            };
            let is_here = place.as_ref().is_some_and(|(key, _)| self.code.texts.has_answer(key));
            let is_new = is_here && self.code.views[side].scrolled_for != place;
            if is_new {
                self.code.views[side].scrolled_for.clone_from(&place);
            }
            let count = self.code.line_count(side);
            let lines = &mut self.code.views[side].lines;
            lines.settle(room, count);
            if is_new {
                let first = place.and_then(|(_, lines)| lines).map_or(0, |(first, _)| first);
                lines.show_below(LINES_ABOVE_EVIDENCE, first.saturating_sub(1));
            }
        }
    }
}

/// Lines shown above the first line of the evidence.
const LINES_ABOVE_EVIDENCE: usize = 2;
