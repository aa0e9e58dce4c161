//! The lines that the judge named for the chosen component, in both runs, at the commits that were judged.

use std::{ops::Range, sync::Arc};

use crate::{
    session::{ask::Answers, files::texts::Sides},
    widgets::scroll::{Motion, Scroll},
};
use trajview_run::rubric::{Evidence, Verdict};
use trajview_study::compare::{Cell, done_at};

use super::{Comparison, answers};

/// A file of a run as it stood after so many turns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeKey {
    /// By position.
    pub run: usize,
    pub path: String,
    pub done: usize,
}

/// A text cut into lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub text: Arc<str>,
    /// Each without its line end.
    pub lines: Vec<Range<usize>>,
}

/// What is shown of one side.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Which of the verdict's evidence, counts from 0.
    pub evidence: usize,
    pub scroll: Scroll,
    /// What it is scrolled for.
    shown: Option<(CodeKey, Option<(usize, usize)>)>,
}

#[derive(Debug)]
pub struct Code {
    pub views: [View; 2],
    /// First character shown of each line.
    pub column: usize,
    pub(crate) texts: Answers<CodeKey, Arc<Text>>,
    pub(crate) colours: Answers<CodeKey, Sides>,
    /// The component the views are of.
    component: Option<String>,
}

impl Default for Code {
    fn default() -> Self {
        Self {
            views: [View::default(), View::default()],
            column: 0,
            texts: answers(),
            colours: answers(),
            component: None,
        }
    }
}

/// Why there is no code to be shown of a side, or what there is.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown<'a> {
    /// A sentence.
    Nothing(String),
    /// Which of how many, counting from 1.
    Place { evidence: &'a Evidence, number: usize, count: usize, key: CodeKey },
}

impl Text {
    pub fn of(text: Arc<str>) -> Self {
        let mut lines = vec![];
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            lines.push(start..end);
            start += line.len();
        }
        Self { text, lines }
    }

    /// Counts from 0.
    pub fn line(&self, index: usize) -> &str {
        self.lines.get(index).and_then(|range| self.text.get(range.clone())).unwrap_or_default()
    }
}

impl Code {
    pub fn text(&self, key: &CodeKey) -> Option<&Result<Arc<Text>, String>> {
        self.texts.get(key)
    }

    pub fn colours_of(&self, key: &CodeKey) -> Option<&Sides> {
        self.colours.get(key)?.as_ref().ok()
    }

    fn line_count(&self, side: usize) -> usize {
        let shown = self.views[side].shown.as_ref();
        let text = shown.and_then(|(key, _)| self.texts.get(key));
        text.and_then(|text| text.as_ref().ok()).map_or(0, |text| text.lines.len())
    }

    pub fn go(&mut self, side: usize, motion: Motion, height: usize) {
        let count = self.line_count(side);
        let scroll = &mut self.views[side].scroll;
        scroll.cursor = motion.from(scroll.cursor, count, height);
    }

    pub(crate) const fn go_sideways(&mut self, motion: Motion) {
        match motion {
            Motion::Up(columns) => self.column = self.column.saturating_sub(columns),
            Motion::Down(columns) => self.column = self.column.saturating_add(columns),
            _ => {}
        }
    }

    /// The runs on the sides are others now.
    pub(crate) fn forget_places(&mut self) {
        self.views = [View::default(), View::default()];
    }
}

impl Comparison {
    /// The verdict on the chosen component on one side.
    pub fn verdict(&self, side: usize) -> Option<&Verdict> {
        let row = self.table.selected()?;
        self.all().get(self.pair[side])?.judgement()?.of(&row.id)
    }

    /// What there is to be seen on one side.
    pub fn code_of(&self, side: usize) -> Shown<'_> {
        let nothing = |words: &str| Shown::Nothing(words.into());
        let run = self.pair[side];
        let (Some(row), Some(party)) = (self.table.selected(), self.all().get(run)) else {
            return nothing("no component is chosen");
        };
        match row.cells.get(run) {
            None | Some(Cell::NotListed) => return nothing("not in the checklist of this run"),
            Some(Cell::NotJudged(None)) => return nothing("not judged"),
            Some(Cell::NotJudged(Some(why))) => {
                return Shown::Nothing(format!("not judged: {why}"));
            }
            Some(Cell::Score(_)) => {}
        }
        let Some((judgement, verdict)) = party.judgement().zip(self.verdict(side)) else {
            return nothing("not judged");
        };
        let count = verdict.evidence.len();
        let number = self.code.views[side].evidence.min(count.saturating_sub(1));
        match verdict.evidence.get(number) {
            None => nothing("the judge names no lines"),
            Some(evidence) => {
                let done = done_at(&party.run, judgement);
                let key = CodeKey { run, path: evidence.path.clone(), done };
                Shown::Place { evidence, number: number + 1, count, key }
            }
        }
    }

    /// On the side with the keyboard.
    pub(crate) fn next_evidence(&mut self, motion: Motion) {
        let count = self.verdict(self.side).map_or(0, |verdict| verdict.evidence.len());
        let view = &mut self.code.views[self.side];
        view.evidence = motion.from(view.evidence, count, 1);
        if count < 2 {
            let words = ["the judge names no lines here", "the judge names one place here"];
            self.notice = Some(words[count].into());
        }
    }

    /// A new component is shown from its first evidence, evidence from its first line.
    pub(crate) fn settle_code(&mut self, height: usize) {
        let component = self.table.selected().map(|row| row.id.clone());
        if self.code.component != component {
            self.code.component = component;
            self.code.column = 0;
            self.code.forget_places();
        }
        for side in 0..2 {
            let place = match self.code_of(side) {
                Shown::Place { evidence, key, .. } => Some((key, evidence.lines)),
                Shown::Nothing(_) => None,
            };
            let is_here = place.as_ref().is_some_and(|(key, _)| self.code.texts.has(key));
            let count = self.code.line_count(side);
            let view = &mut self.code.views[side];
            if is_here && view.shown != place {
                let first =
                    place.as_ref().and_then(|(_, lines)| *lines).map_or(0, |(first, _)| first);
                let cursor = first.saturating_sub(1);
                view.scroll = Scroll { cursor, top: cursor.saturating_sub(ABOVE) };
                view.shown = place;
            } else {
                view.scroll.follow(count, height);
            }
        }
    }
}

/// Lines that are seen above the first of the evidence.
const ABOVE: usize = 2;
