//! What is looked for in everything that the runs of the table say, and what was found: lines by run, in the place of the
//! table. Enter leads to one; the way back leads here again.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::{
    session::{
        ask::Pending,
        context::Context,
        effect::Effect,
        question::Question,
        request::{Numbers, Request, Sentence},
    },
    widgets::{
        mouse::{Kind, Mouse, NOTCH},
        scroll::{Motion, Scroll},
    },
};
use trajview_run::{
    Time,
    lookup::{Hit, Looked, Lookup, RunHits},
};

#[derive(Debug, Default)]
pub struct Finding {
    /// What is typed, or was.
    pub text: String,
    pub is_typing: bool,
    /// Why what is typed cannot be looked for, or was not found.
    pub complaint: Option<Sentence>,
    /// In the order in which they were found.
    pub found: Vec<RunHits>,
    /// Once everything was looked through.
    pub looked: Option<Looked>,
    pub scroll: Scroll,
    lines: Vec<Line>,
    /// What `found` was asked for with; empty where nothing was.
    asked: String,
    /// To be asked for.
    wanted: Option<String>,
    asking: Pending<()>,
}

/// A line of what was found; both are positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Run(usize),
    Hit(usize, usize),
    /// So many hits of a run are not kept.
    More(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
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
    /// To another run.
    Run(Motion),
    /// The hit at the cursor.
    Open,
    /// Back to the table.
    Close,
}

/// Hits that are kept; nobody reads more.
const MOST: usize = 20_000;

/// Rows above what was found: how much it is.
const HEADING: u16 = 1;

impl Finding {
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The run and the hit at the cursor; of a run's own line its first hit.
    pub fn selected(&self) -> Option<(&RunHits, &Hit)> {
        let (run, hit) = match *self.lines.get(self.scroll.cursor)? {
            Line::Run(run) | Line::More(run) => (run, 0),
            Line::Hit(run, hit) => (run, hit),
        };
        let found = self.found.get(run)?;
        Some((found, found.hits.get(hit)?))
    }

    /// What was looked for, as it can be looked for in a run.
    pub fn lookup(&self) -> Option<Lookup> {
        Lookup::parse(&self.asked, Time(0)).ok()
    }

    /// What is looked for, once it is.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    pub const fn is_under_way(&self) -> bool {
        self.wanted.is_some() || !self.asking.is_free()
    }

    /// Where the lines stand in the body of the screen.
    pub const fn list(body: Rect) -> Rect {
        let top = if body.height < HEADING { body.height } else { HEADING };
        Rect { y: body.y + top, height: body.height - top, ..body }
    }

    pub(super) fn pointed_at(&self, mouse: Mouse, body: Rect) -> Option<Message> {
        let list = Self::list(body);
        let line = mouse.is_in(list).then(|| self.scroll.top + usize::from(mouse.row - list.y));
        let line = line.filter(|line| *line < self.lines.len());
        Some(match (mouse.kind, line) {
            (Kind::Click, Some(line)) => Message::Move(Motion::To(line + 1)),
            (Kind::DoubleClick, Some(_)) => Message::Open,
            (Kind::WheelUp, _) => Message::Turn(Motion::Up(NOTCH)),
            (Kind::WheelDown, _) => Message::Turn(Motion::Down(NOTCH)),
            _ => return None,
        })
    }

    /// Keeps the cursor in the lines and on screen.
    pub(super) fn settle(&mut self, height: usize) {
        self.scroll.follow(self.lines.len(), height);
    }

    pub const fn context(&self) -> Context {
        if self.is_typing { Context::FindWords } else { Context::Found }
    }

    /// Asks below these paths for what is to be asked for, if anything is.
    pub(super) fn ask(&mut self, numbers: &mut Numbers, sources: &[PathBuf]) -> Option<Effect> {
        let words = self.wanted.take()?;
        let question = Question::Find { sources: sources.to_vec(), words };
        Some(self.asking.ask(numbers, (), question))
    }

    /// Takes what was found in some runs, if the question that it belongs to is out.
    pub fn take(&mut self, request: Request, found: Vec<RunHits>) {
        if self.asking.is_about(request) {
            self.add(found);
        }
    }

    /// Takes the end of the question that is out.
    pub(super) fn end(&mut self, request: Request, looked: Result<Looked, Sentence>) {
        if self.asking.answered(request).is_none() {
            return;
        }
        match looked {
            Ok(looked) => self.looked = Some(looked),
            Err(why) => self.complaint = Some(why),
        }
    }

    fn add(&mut self, found: Vec<RunHits>) {
        let mut kept: usize = self.found.iter().map(|run| run.hits.len()).sum();
        for run in found {
            if kept >= MOST {
                return;
            }
            kept += run.hits.len();
            let at = self.found.len();
            self.lines.push(Line::Run(at));
            self.lines.extend((0..run.hits.len()).map(|hit| Line::Hit(at, hit)));
            if run.total > run.hits.len() {
                self.lines.push(Line::More(at));
            }
            self.found.push(run);
        }
    }

    fn edit(&mut self, change: impl FnOnce(&mut String)) {
        self.complaint = None;
        change(&mut self.text);
    }

    fn accept(&mut self) {
        match Lookup::parse(&self.text, Time(0)) {
            Err(why) => self.complaint = Some(why),
            Ok(_) => {
                let words = self.text.clone();
                *self = Self {
                    text: words.clone(),
                    wanted: Some(words.clone()),
                    asked: words,
                    ..Self::default()
                };
            }
        }
    }

    fn go_to_run(&mut self, motion: Motion) {
        let runs: Vec<usize> =
            (0..self.lines.len()).filter(|at| matches!(self.lines[*at], Line::Run(_))).collect();
        let at = runs.partition_point(|line| *line <= self.scroll.cursor).saturating_sub(1);
        let is_inside = runs.get(at).is_some_and(|line| *line < self.scroll.cursor);
        let to = match motion {
            // Inside of a run its beginning comes first.
            Motion::Up(rows) if is_inside => at.saturating_sub(rows - 1),
            motion => motion.from(at, runs.len(), runs.len()),
        };
        self.scroll.cursor = runs.get(to).copied().unwrap_or_default();
    }
}

/// Changes what is looked for, which is nothing while the table is shown; `height` is how many lines are seen.
pub(super) fn update(slot: &mut Option<Box<Finding>>, message: Message, height: usize) {
    let finding = slot.get_or_insert_default();
    let len = finding.lines.len();
    match message {
        Message::Start => finding.is_typing = true,
        Message::Type(words) => finding.edit(|text| text.push_str(&words)),
        Message::Erase => finding.edit(|text| {
            text.pop();
        }),
        Message::EraseAll => finding.edit(String::clear),
        Message::Accept => finding.accept(),
        Message::Cancel if finding.asked.is_empty() => *slot = None,
        Message::Cancel => {
            finding.is_typing = false;
            finding.complaint = None;
            finding.text.clone_from(&finding.asked);
        }
        Message::Move(motion) => {
            finding.scroll.cursor = motion.from(finding.scroll.cursor, len, height);
        }
        Message::Turn(motion) => finding.scroll.turn(motion, len, height),
        Message::Run(motion) => finding.go_to_run(motion),
        Message::Open => {} // this is the program's
        Message::Close => *slot = None,
    }
}
