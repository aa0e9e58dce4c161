//! The steps of the turn as a list that folds, and the rows it takes.
//!
//! Rows hold positions, not text: which step, which part of it, which bytes. A result of many megabytes costs a
//! few words a row, and the screen slices what it draws out of the text itself.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use crate::run::{
    Run, StepId, StepKind, StepText,
    search::{Hit, HitPlace, StepField},
};

use super::{
    scroll::{Motion, Scroll},
    wrap::wrap,
};

/// One entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// What the turn was asked; the turn counts from 0.
    Request(usize),
    Step(StepId),
}

impl Item {
    pub const fn turn(self) -> usize {
        match self {
            Self::Request(turn) => turn,
            Self::Step(id) => id.turn,
        }
    }

    pub const fn step(self) -> Option<StepId> {
        match self {
            Self::Request(_) => None,
            Self::Step(id) => Some(id),
        }
    }

    /// Where a hit stands.
    pub const fn of(hit: &Hit) -> (Self, StepField) {
        match hit.place {
            HitPlace::Request => (Self::Request(hit.turn), StepField::Text),
            HitPlace::Step(id, field) => (Self::Step(id), field),
        }
    }
}

/// One row of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Index into [`Steps::items`].
    pub item: usize,
    pub kind: RowKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowKind {
    Head,
    /// The name of the part that follows.
    Section(StepField),
    /// Bytes `range` of the part's text; `line` counts from 0.
    Text {
        field: StepField,
        line: usize,
        range: Range<usize>,
    },
    /// The text is on its way.
    Waiting,
    /// Why there is no text.
    Failed,
    /// There is nothing to read here.
    Empty,
    /// The rest is too long to be shown.
    Cut(StepField),
}

/// Rows of one part at most; a bound on memory, far beyond what anybody scrolls through.
const MOST_ROWS: usize = 200_000;

/// Cells that every row of text leaves to the left.
pub const INDENT: usize = 6;
/// More of them for each level of sub-agents.
pub const DEPTH_INDENT: usize = 3;

/// A place inside the list to go to once its text is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    item: Item,
    field: StepField,
    line: usize,
    /// Byte within the line.
    byte: usize,
}

#[derive(Debug, Default)]
pub struct Steps {
    pub items: Vec<Item>,
    /// How deep in sub-agents each item is.
    pub depths: Vec<usize>,
    pub rows: Vec<Row>,
    pub scroll: Scroll,
    unfolded: HashSet<Item>,
    texts: HashMap<Item, Result<Arc<StepText>, String>>,
    /// First row of each item.
    starts: Vec<usize>,
    target: Option<Target>,
    width: usize,
    is_stale: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Next(usize),
    Previous(usize),
    /// Folds or unfolds the selected step.
    Fold,
    FoldAll,
    UnfoldAll,
}

/// Turns whose texts are kept; those of the shown turn always are.
const TEXTS_KEPT: usize = 512;

impl Steps {
    /// Shows the steps of a turn, the first selected.
    pub fn show(&mut self, run: &Run, turn: usize) {
        let Some(found) = run.turns.get(turn) else { return };
        self.items.clear();
        if found.request.is_some() || !found.title.is_empty() {
            self.items.push(Item::Request(turn));
        }
        self.items.extend(run.steps_of_turn(turn).into_iter().map(Item::Step));
        self.depths = self.items.iter().map(|item| depth_of(run, *item)).collect();
        self.scroll = Scroll::default();
        self.target = None;
        self.is_stale = true;
        if self.texts.len() > TEXTS_KEPT {
            self.texts.retain(|item, _| item.turn() == turn);
        }
    }

    pub fn update(&mut self, message: Message) {
        match message {
            Message::Next(count) => self.select(self.selected_index().saturating_add(count)),
            Message::Previous(count) => self.select(self.selected_index().saturating_sub(count)),
            Message::Fold => self.fold_or_unfold(),
            Message::FoldAll => {
                self.keep_item(|steps| steps.unfolded.clear());
            }
            Message::UnfoldAll => {
                self.keep_item(|steps| steps.unfolded.extend(steps.items.iter().copied()));
            }
        }
    }

    /// Moves the cursor over rows; `To` counts steps, not rows.
    pub fn go(&mut self, motion: Motion, height: usize) {
        match motion {
            Motion::To(number) => self.select(number.saturating_sub(1)),
            motion => {
                self.scroll.cursor = motion.from(self.scroll.cursor, self.rows.len(), height);
            }
        }
    }

    /// Selects an entry by its index; beyond the end the last.
    pub fn select(&mut self, index: usize) {
        self.target = None;
        let index = index.min(self.items.len().saturating_sub(1));
        if self.is_stale {
            self.rebuild_rows();
        }
        self.scroll.cursor = self.starts.get(index).copied().unwrap_or_default();
    }

    /// Index into [`Self::items`].
    pub fn selected_index(&self) -> usize {
        self.rows.get(self.scroll.cursor).map_or(0, |row| row.item)
    }

    pub fn selected(&self) -> Option<Item> {
        self.items.get(self.selected_index()).copied()
    }

    pub fn is_unfolded(&self, item: Item) -> bool {
        self.unfolded.contains(&item)
    }

    /// The text of an entry; None where it has not been read yet.
    pub fn text(&self, item: Item) -> Option<&Result<Arc<StepText>, String>> {
        self.texts.get(&item)
    }

    /// Unfolds the entry a hit stands in and goes to its line as soon as that is known.
    pub fn go_to_hit(&mut self, hit: &Hit) {
        let (item, field) = Item::of(hit);
        self.unfolded.insert(item);
        self.is_stale = true;
        if let Some(index) = self.items.iter().position(|other| *other == item) {
            self.select(index);
        }
        self.target = Some(Target { item, field, line: hit.line, byte: hit.range.start });
    }

    pub fn put_text(&mut self, item: Item, text: Result<Arc<StepText>, String>) {
        self.texts.insert(item, text);
        self.is_stale = true;
    }

    /// The next text worth reading: that of the selection first, then of what is unfolded, then of thinking that is
    /// seen, whose words are counted.
    pub fn wanted_text(&self, run: &Run, height: usize) -> Option<Item> {
        let is_thinking = |item: &Item| {
            let step = item.step().and_then(|id| run.step(id));
            step.is_some_and(|step| step.kind == StepKind::Thinking)
        };
        let seen = self.rows.iter().skip(self.scroll.top).take(height);
        let seen = seen.filter_map(|row| self.items.get(row.item)).copied();
        let unfolded = self.items.iter().copied().filter(|item| self.unfolded.contains(item));
        let selected = self.selected().filter(|item| self.unfolded.contains(item));
        selected
            .into_iter()
            .chain(unfolded)
            .chain(seen.filter(is_thinking))
            .find(|item| !self.texts.contains_key(item))
    }

    /// Brings rows and window in step with everything else. Called after every message.
    pub fn settle(&mut self, width: usize, height: usize) {
        if self.is_stale || self.width != width {
            self.width = width;
            self.keep_item(|_| {});
        }
        self.reach_target();
        self.scroll.follow(self.rows.len(), height);
    }

    fn fold_or_unfold(&mut self) {
        let Some(item) = self.selected() else { return };
        if self.unfolded.insert(item) {
            return self.keep_item(|_| {});
        }
        self.unfolded.remove(&item);
        self.select(self.selected_index());
        self.keep_item(|_| {});
    }

    /// Changes the rows and stays on the same step, at the same row of it where that still exists.
    fn keep_item(&mut self, change: impl FnOnce(&mut Self)) {
        let index = self.selected_index();
        let offset = self.scroll.cursor
            - self.starts.get(index).copied().unwrap_or_default().min(self.scroll.cursor);
        change(self);
        self.rebuild_rows();
        let start = self.starts.get(index).copied().unwrap_or_default();
        let end = self.starts.get(index + 1).copied().unwrap_or(self.rows.len());
        self.scroll.cursor = (start + offset).min(end.saturating_sub(1));
    }

    fn rebuild_rows(&mut self) {
        let (mut rows, mut starts) = (Vec::new(), Vec::with_capacity(self.items.len()));
        for (index, item) in self.items.iter().enumerate() {
            starts.push(rows.len());
            rows.push(Row { item: index, kind: RowKind::Head });
            if self.unfolded.contains(item) {
                self.push_body(index, *item, &mut rows);
            }
        }
        (self.rows, self.starts, self.is_stale) = (rows, starts, false);
    }

    fn push_body(&self, index: usize, item: Item, rows: &mut Vec<Row>) {
        let mut push = |kind| rows.push(Row { item: index, kind });
        let text = match self.texts.get(&item) {
            None => return push(RowKind::Waiting),
            Some(Err(_)) => return push(RowKind::Failed),
            Some(Ok(text)) => text,
        };
        let depth = self.depths.get(index).copied().unwrap_or_default();
        let width = self.width.saturating_sub(INDENT + depth * DEPTH_INDENT).max(8);
        let parts: Vec<_> = parts_of(text).collect();
        let has_sections = parts.iter().any(|(field, _)| *field != StepField::Text);
        for (field, words) in &parts {
            if has_sections {
                push(RowKind::Section(*field));
            }
            push_text(*field, words, width, &mut push);
        }
        if parts.is_empty() {
            push(RowKind::Empty);
        }
    }

    fn reach_target(&mut self) {
        let Some(target) = self.target else { return };
        let Some(index) = self.items.iter().position(|item| *item == target.item) else { return };
        if !self.texts.contains_key(&target.item) {
            return;
        }
        self.target = None;
        let start = self.starts.get(index).copied().unwrap_or_default();
        let of_item =
            self.rows.iter().enumerate().skip(start).take_while(|(_, row)| row.item == index);
        let line = self.line_start(target);
        let reached = of_item.filter(|(_, row)| match &row.kind {
            RowKind::Text { field, line: at, range } => {
                *field == target.field
                    && *at == target.line
                    && line.is_none_or(|line| range.start <= line + target.byte)
            }
            _ => false,
        });
        if let Some((row, _)) = reached.last() {
            self.scroll.cursor = row;
        }
    }

    /// First byte of the target's line within its part.
    fn line_start(&self, target: Target) -> Option<usize> {
        let text = self.texts.get(&target.item)?.as_ref().ok()?;
        let words = part_of(text, target.field)?;
        lines_of(words).nth(target.line).map(|range| range.start)
    }
}

fn push_text(field: StepField, words: &str, width: usize, push: &mut impl FnMut(RowKind)) {
    let mut count = 0;
    for (line, bytes) in lines_of(words).enumerate() {
        for part in wrap(&words[bytes.clone()], width) {
            if count == MOST_ROWS {
                return push(RowKind::Cut(field));
            }
            count += 1;
            let range = bytes.start + part.start..bytes.start + part.end;
            push(RowKind::Text { field, line, range });
        }
    }
}

/// The bytes of each line, line ends not included; the same lines as [`str::lines`].
pub fn lines_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.lines().map(move |line| {
        let start = line.as_ptr() as usize - base;
        start..start + line.len()
    })
}

/// One part of a step's text, as recorded.
pub fn part_of(text: &StepText, field: StepField) -> Option<&str> {
    match field {
        StepField::Text => Some(text.text.as_str()),
        StepField::Arguments => text.arguments.as_deref(),
        StepField::Result => text.result.as_deref(),
    }
}

fn parts_of(text: &StepText) -> impl Iterator<Item = (StepField, &str)> {
    [StepField::Text, StepField::Arguments, StepField::Result]
        .into_iter()
        .filter_map(|field| Some((field, part_of(text, field)?)))
        .filter(|(_, words)| !words.trim().is_empty())
}

/// How many sub-agents stand between an entry and the main agent.
fn depth_of(run: &Run, item: Item) -> usize {
    let parent = |agent: usize| run.subagents.get(agent)?.parent?.subagent;
    let first = item.step().and_then(|id| id.subagent);
    // A recording may name an agent as its own ancestor.
    std::iter::successors(first, |agent| parent(*agent)).take(4).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Step, Turn};

    fn run() -> Run {
        let step = Step { kind: StepKind::Message, ..Step::default() };
        let turn = Turn { title: "fix the loss".into(), steps: vec![step; 3], ..Turn::default() };
        Run { turns: vec![turn], ..Run::default() }
    }

    fn steps() -> Steps {
        let mut steps = Steps::default();
        steps.show(&run(), 0);
        steps.settle(40, 10);
        steps
    }

    fn text(words: &str) -> Result<Arc<StepText>, String> {
        Ok(Arc::new(StepText { text: words.into(), ..StepText::default() }))
    }

    #[test]
    fn the_request_comes_before_the_steps() {
        assert_eq!(steps().items[0], Item::Request(0));
        assert_eq!(steps().items.len(), 4);
    }

    #[test]
    fn text_that_arrives_above_does_not_move_the_selection() {
        let mut steps = steps();
        steps.update(Message::UnfoldAll);
        steps.update(Message::Next(2));
        let selected = steps.selected();

        steps.put_text(steps.items[0], text("one\ntwo\nthree\nfour"));
        steps.settle(40, 10);

        assert_eq!(steps.selected(), selected);
    }

    #[test]
    fn folding_from_within_a_text_goes_back_to_its_head() {
        let mut steps = steps();
        steps.update(Message::Fold);
        steps.put_text(steps.items[0], text("one\ntwo\nthree"));
        steps.settle(40, 10);
        steps.go(Motion::Down(2), 10);
        steps.update(Message::Fold);

        assert_eq!(steps.scroll.cursor, 0);
        assert_eq!(steps.rows.len(), 4);
    }

    #[test]
    fn a_hit_unfolds_its_step_and_is_reached_when_the_text_is_here() {
        let mut steps = steps();
        let id = StepId { turn: 0, subagent: None, step: 1 };
        let place = HitPlace::Step(id, StepField::Text);
        steps.go_to_hit(&Hit { turn: 0, place, line: 2, range: 0..5 });
        steps.settle(40, 10);
        assert_eq!(steps.wanted_text(&run(), 10), Some(Item::Step(id)));

        steps.put_text(Item::Step(id), text("one\ntwo\nthree"));
        steps.settle(40, 10);

        let row = &steps.rows[steps.scroll.cursor];
        assert_eq!(row.kind, RowKind::Text { field: StepField::Text, line: 2, range: 8..13 });
    }
}
