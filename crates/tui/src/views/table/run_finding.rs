//! The search in the text of all runs of the table. Its results replace the table: lines by run. Enter opens a result,
//! and going back returns to the results.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::{
    session::{
        context::KeyContext,
        effect::Effect,
        pending::Pending,
        question::Question,
        request::{RequestId, RequestIds, Sentence},
    },
    widgets::{
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::{
    Time,
    lookup::{Lookup, LookupHit, LookupTotals, RunHits},
};

#[derive(Debug, Default)]
pub struct RunFinding {
    /// The search text, while it is typed and after.
    pub text: String,
    pub is_typing: bool,
    /// The reason why the search text is invalid, or why nothing was found.
    pub complaint: Option<Sentence>,
    /// The runs with hits, in the order in which they were found.
    pub run_hits: Vec<RunHits>,
    /// Once everything was looked through.
    pub search_summary: Option<LookupTotals>,
    pub(crate) list: ListPane,
    lines: Vec<FoundLine>,
    /// The search text of the results in `found`. Empty if there was no search.
    search_words: String,
    /// The search text that is still to be requested.
    pending_search: Option<String>,
    asking: Pending<()>,
}

/// A line of what was found; both are positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundLine {
    Run(usize),
    Hit(usize, usize),
    /// The number of further hits of a run that were dropped.
    More(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum FindingMessage {
    /// Type what to look for.
    Start,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
    Move(Motion),
    /// The wheel was turned.
    Turn(Motion),
    /// Moves to another run.
    Run(Motion),
    /// The hit at the cursor.
    Open,
    /// Back to the table.
    Close,
}

/// Most hits that are stored.
const MOST_HITS: usize = 20_000;

/// Rows above what was found: how much it is.
const HEADING_ROWS: u16 = 1;

impl RunFinding {
    pub(crate) fn found_lines(&self) -> &[FoundLine] {
        &self.lines
    }

    /// Returns the run and the hit at the cursor; of a run's own line its first hit.
    pub(crate) fn selected_hit(&self) -> Option<(&RunHits, &LookupHit)> {
        let (run, hit) = match *self.lines.get(self.list.cursor())? {
            FoundLine::Run(run) | FoundLine::More(run) => (run, 0),
            FoundLine::Hit(run, hit) => (run, hit),
        };
        let found = self.run_hits.get(run)?;
        Some((found, found.hits.get(hit)?))
    }

    /// Returns the search in the form that the search within a run takes.
    pub(crate) fn parsed_lookup(&self) -> Option<Lookup> {
        Lookup::parse(&self.search_words, Time(0)).ok()
    }

    /// Returns the text of the last search.
    pub(crate) fn search_words(&self) -> &str {
        &self.search_words
    }

    pub const fn is_under_way(&self) -> bool {
        self.pending_search.is_some() || !self.asking.is_free()
    }

    /// Returns the area of the lines within the body of the screen.
    pub(crate) const fn list_area(body: Rect) -> Rect {
        let top = if body.height < HEADING_ROWS { body.height } else { HEADING_ROWS };
        Rect { y: body.y + top, height: body.height - top, ..body }
    }

    pub(super) fn message_for_mouse(&self, mouse: Mouse) -> Option<FindingMessage> {
        Some(match (mouse.kind, self.list.row_at(mouse)) {
            (MouseKind::Click, Some(line)) => FindingMessage::Move(Motion::To(line + 1)),
            (MouseKind::DoubleClick, Some(_)) => FindingMessage::Open,
            (MouseKind::WheelUp, _) => FindingMessage::Turn(Motion::Up(ROWS_PER_WHEEL_NOTCH)),
            (MouseKind::WheelDown, _) => FindingMessage::Turn(Motion::Down(ROWS_PER_WHEEL_NOTCH)),
            _ => return None,
        })
    }

    /// Keeps the cursor in the lines and on screen.
    pub(super) fn settle_cursor(&mut self, body: Rect) {
        self.list.settle(PaneRoom::without_border(Self::list_area(body)), self.lines.len());
    }

    pub(crate) const fn keyboard_context(&self) -> KeyContext {
        if self.is_typing { KeyContext::FindWords } else { KeyContext::FoundInRuns }
    }

    /// Requests the search below these paths, if one is pending.
    pub(super) fn ask_wanted(
        &mut self,
        numbers: &mut RequestIds,
        sources: &[PathBuf],
    ) -> Option<Effect> {
        let words = self.pending_search.take()?;
        let question = Question::Find { sources: sources.to_vec(), words };
        Some(self.asking.ask_question(numbers, (), question))
    }

    /// Takes what was found in some runs, if the question that it belongs to is out.
    pub(crate) fn take_hits(&mut self, request: RequestId, found: Vec<RunHits>) {
        if self.asking.is_waiting_for(request) {
            self.add_hits(found);
        }
    }

    /// Takes the end of the question that is out.
    pub(super) fn end_search(
        &mut self,
        request: RequestId,
        looked: Result<LookupTotals, Sentence>,
    ) {
        if self.asking.take_answered(request).is_none() {
            return;
        }
        match looked {
            Ok(looked) => self.search_summary = Some(looked),
            Err(why) => self.complaint = Some(why),
        }
    }

    fn add_hits(&mut self, found: Vec<RunHits>) {
        let mut kept: usize = self.run_hits.iter().map(|run| run.hits.len()).sum();
        for run in found {
            if kept >= MOST_HITS {
                return;
            }
            kept += run.hits.len();
            let at = self.run_hits.len();
            self.lines.push(FoundLine::Run(at));
            self.lines.extend((0..run.hits.len()).map(|hit| FoundLine::Hit(at, hit)));
            if run.total > run.hits.len() {
                self.lines.push(FoundLine::More(at));
            }
            self.run_hits.push(run);
        }
    }

    fn edit_text(&mut self, change: impl FnOnce(&mut String)) {
        self.complaint = None;
        change(&mut self.text);
    }

    fn accept_text(&mut self) {
        match Lookup::parse(&self.text, Time(0)) {
            Err(why) => self.complaint = Some(why),
            Ok(_) => {
                let words = self.text.clone();
                *self = Self {
                    text: words.clone(),
                    pending_search: Some(words.clone()),
                    search_words: words,
                    ..Self::default()
                };
            }
        }
    }

    fn go_to_run(&mut self, motion: Motion) {
        let runs: Vec<usize> = (0..self.lines.len())
            .filter(|at| matches!(self.lines[*at], FoundLine::Run(_)))
            .collect();
        let at = runs.partition_point(|line| *line <= self.list.cursor()).saturating_sub(1);
        let is_inside = runs.get(at).is_some_and(|line| *line < self.list.cursor());
        let to = match motion {
            // Inside of a run its beginning comes first.
            Motion::Up(rows) if is_inside => at.saturating_sub(rows - 1),
            motion => motion.target_row(at, runs.len(), runs.len()),
        };
        self.list.choose(runs.get(to).copied().unwrap_or_default());
    }
}

/// Changes what is looked for, which is nothing while the table is shown.
pub(super) fn update_finding(slot: &mut Option<Box<RunFinding>>, message: FindingMessage) {
    let finding = slot.get_or_insert_default();
    match message {
        FindingMessage::Start => finding.is_typing = true,
        FindingMessage::Type(words) => finding.edit_text(|text| text.push_str(&words)),
        FindingMessage::Erase => finding.edit_text(|text| {
            text.pop();
        }),
        FindingMessage::EraseAll => finding.edit_text(String::clear),
        FindingMessage::Accept => finding.accept_text(),
        FindingMessage::Cancel if finding.search_words.is_empty() => *slot = None,
        FindingMessage::Cancel => {
            finding.is_typing = false;
            finding.complaint = None;
            finding.text.clone_from(&finding.search_words);
        }
        FindingMessage::Move(motion) => finding.list.move_cursor(motion),
        FindingMessage::Turn(motion) => finding.list.scroll_by(motion),
        FindingMessage::Run(motion) => finding.go_to_run(motion),
        FindingMessage::Open => {} // this is the program's
        FindingMessage::Close => *slot = None,
    }
}
