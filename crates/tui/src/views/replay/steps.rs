//! The steps of the turn as a list that folds.
//!
//! Only what is unfolded and seen is read and cut into `rows`, and is cut once: a turn of a thousand steps unfolds
//! as fast as one of ten.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use crate::widgets::scroll::{Motion, Scroll};
use trajview_code::printed::{self, Look};
use trajview_run::{
    Run, StepId, StepKind, StepText,
    search::{Hit, HitPlace, StepField},
};

mod images;
mod kinds;
mod outline;
mod pace;
mod rows;

use outline::Outline;

pub use images::Images;
pub use kinds::Kinds;
pub use pace::{Began, Column};
pub use rows::{RowKind, at_most, part_of};

/// One entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// What was put before the turn's request, and why; the turn counts from 0.
    Layer(usize),
    /// What the turn was asked; the turn counts from 0.
    Request(usize),
    Step(StepId),
}

impl Item {
    pub const fn turn(self) -> usize {
        match self {
            Self::Layer(turn) | Self::Request(turn) => turn,
            Self::Step(id) => id.turn,
        }
    }

    pub const fn step(self) -> Option<StepId> {
        match self {
            Self::Layer(_) | Self::Request(_) => None,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Index into [`Steps::items`].
    pub item: usize,
    pub kind: &'a RowKind,
}

/// Cells that every row of text leaves to the left.
pub const INDENT: usize = 6;
/// More of them for each level of sub-agents.
pub const DEPTH_INDENT: usize = 3;
/// Deeper levels stand below each other.
pub const DEEPEST_INDENT: usize = 4;

/// A place inside the list to go to once its text is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    item: Item,
    field: StepField,
    line: usize,
    /// Byte within the line.
    byte: usize,
}

/// What was unfolded last, while the cursor is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unfolding {
    item: Item,
    /// All of its rows are known and as many as fit were brought into view.
    is_seen: bool,
}

impl Unfolding {
    const fn of(item: Item) -> Self {
        Self { item, is_seen: false }
    }
}

#[derive(Debug, Default)]
pub struct Steps {
    pub items: Vec<Item>,
    /// How deep in sub-agents each item is.
    pub depths: Vec<usize>,
    pub scroll: Scroll,
    outline: Outline,
    unfolded: HashSet<Item>,
    read: Read,
    pub images: Images,
    /// What is unfolded, cut into rows of `width` cells.
    bodies: HashMap<Item, Vec<RowKind>>,
    /// First row of each item.
    starts: Vec<usize>,
    row_count: usize,
    target: Option<Target>,
    width: usize,
    is_stale: bool,
    /// Whether each step says when it began, how long it took and what it read, and in which words.
    pub began: Option<Began>,
    unfolding: Option<Unfolding>,
}

/// What the steps say, as far as it was read.
#[derive(Debug, Default)]
struct Read {
    texts: HashMap<Item, Result<Arc<StepText>, String>>,
    /// How results look that were printed with colours: the bytes of each look, in order.
    looks: HashMap<Item, Vec<(Range<usize>, Look)>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Next(usize),
    Previous(usize),
    /// Folds or unfolds the selected step; enters the sub-agent it starts.
    Fold,
    /// Folds or unfolds the selected step where it is, the steps of a sub-agent too.
    FoldInPlace,
    /// Back to the agent that started the one whose steps are listed.
    Leave,
    FoldAll,
    UnfoldAll,
    /// When each step began, how long it took, what it waited for and read; or none of it.
    SwitchPace,
}

/// Bytes of text beyond which only those of the shown turn are kept.
const TEXTS_KEPT: usize = 64 << 20;

impl Steps {
    /// Shows the steps of a turn, the first selected.
    pub fn show(&mut self, run: &Run, turn: usize) {
        if run.turns.get(turn).is_none() {
            return;
        }
        self.outline.entered = None;
        self.outline.read(run, turn);
        (self.items, self.depths) = self.outline.listed();
        self.scroll = Scroll::default();
        (self.target, self.unfolding) = (None, None);
        self.bodies.clear();
        self.is_stale = true;
        if self.read.texts.values().map(size_of).sum::<usize>() > TEXTS_KEPT {
            self.read.texts.retain(|item, _| item.turn() == turn);
            self.read.looks.retain(|item, _| item.turn() == turn);
        }
        self.put_layer(run, turn);
    }

    /// The selected step and those after it.
    pub fn from_selected(&self) -> impl Iterator<Item = Item> + '_ {
        self.items.iter().copied().skip(self.selected_index())
    }

    /// The first of [`Self::from_selected`] whose words are not here, where so many rows are to be filled with them.
    pub fn wanted_from_selected(&self, width: usize, height: usize) -> Option<Item> {
        let mut left = height;
        for item in self.from_selected() {
            let text = self.text(item);
            if text.is_none() {
                return Some(item);
            }
            left = left.checked_sub(at_most(text, width, height).len() + 1)?;
        }
        None
    }

    /// How many rows there are, unfolded text included.
    pub const fn row_count(&self) -> usize {
        self.row_count
    }

    pub fn row(&self, row: usize) -> Option<Row<'_>> {
        if row >= self.row_count {
            return None;
        }
        let item = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        let below_head = (row - self.starts[item]).checked_sub(1);
        let kind = match below_head {
            None => &RowKind::Head,
            Some(index) => self.bodies.get(self.items.get(item)?)?.get(index)?,
        };
        Some(Row { item, kind })
    }

    pub fn update(&mut self, message: Message) {
        if let (Message::Fold | Message::FoldInPlace, Some(item)) = (&message, self.image_here()) {
            self.images.wanted = Some(item);
            return;
        }
        match message {
            Message::Next(count) => self.select(self.selected_index().saturating_add(count)),
            Message::Previous(count) => self.select(self.selected_index().saturating_sub(count)),
            Message::Fold => match self.enterable() {
                Some(id) => self.enter(id),
                None => self.fold_or_unfold(),
            },
            Message::FoldInPlace => self.fold_in_place(),
            Message::Leave => self.leave(),
            Message::SwitchPace => self.began = Began::after(self.began),
            Message::FoldAll => {
                self.unfolded.clear();
                self.relist(Outline::close_all);
            }
            Message::UnfoldAll => {
                self.relist(Outline::open_all);
                self.keep_item(|steps| steps.unfolded.extend(steps.items.iter().copied()));
            }
        }
    }

    /// Moves the cursor over rows; `To` counts steps, not rows.
    pub fn go(&mut self, motion: Motion, height: usize) {
        match motion {
            Motion::To(number) => self.select(number.saturating_sub(1)),
            motion => {
                self.scroll.cursor = motion.from(self.scroll.cursor, self.row_count, height);
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

    /// The entry that a row belongs to, by its index.
    pub fn item_at(&self, row: usize) -> Option<usize> {
        self.row(row).map(|row| row.item)
    }

    /// Index into [`Self::items`].
    pub fn selected_index(&self) -> usize {
        self.row(self.scroll.cursor).map_or(0, |row| row.item)
    }

    pub fn selected(&self) -> Option<Item> {
        self.items.get(self.selected_index()).copied()
    }

    pub fn is_unfolded(&self, item: Item) -> bool {
        self.unfolded.contains(&item)
    }

    /// The text of an entry; None where it has not been read yet.
    pub fn text(&self, item: Item) -> Option<&Result<Arc<StepText>, String>> {
        self.read.texts.get(&item)
    }

    /// How some bytes of a part of an entry look, counted from the first of them.
    pub fn looks_in(
        &self,
        item: Item,
        field: StepField,
        bytes: &Range<usize>,
    ) -> Vec<(Range<usize>, Look)> {
        let looks = self.read.looks.get(&item).filter(|_| field == StepField::Result);
        looks.map_or(vec![], |looks| printed::looks_in(looks, bytes).collect())
    }

    /// The selected entry, where the cursor is at the line that stands for an image, and how many images stand before it
    /// in the same part.
    fn image_here(&self) -> Option<(Item, usize)> {
        let row = self.row(self.scroll.cursor)?;
        let item = *self.items.get(row.item)?;
        let RowKind::Text { field, range, .. } = row.kind else { return None };
        let words = part_of(self.text(item)?.as_ref().ok()?, *field)?;
        let start = words.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
        let is_image = |line: &&str| line.starts_with(images::SIGN);
        words
            .get(start..)?
            .starts_with(images::SIGN)
            .then(|| (item, words[..start].lines().filter(is_image).count()))
    }

    /// Unfolds the entry a hit stands in and goes to its line as soon as that is known.
    pub fn go_to_hit(&mut self, hit: &Hit) {
        let (item, field) = Item::of(hit);
        self.reveal(item);
        self.unfolded.insert(item);
        self.is_stale = true;
        if let Some(index) = self.items.iter().position(|other| *other == item) {
            self.select(index);
        }
        self.target = Some(Target { item, field, line: hit.line, byte: hit.range.start });
    }

    /// A result is kept as a terminal shows it, with its colours apart.
    pub fn put_text(&mut self, item: Item, mut text: Result<Arc<StepText>, String>) {
        self.read.looks.remove(&item);
        let result = text.as_ref().ok().and_then(|text| text.result.as_deref());
        if let (Some(printed), Ok(text)) = (result.and_then(printed::shown), &mut text) {
            Arc::make_mut(text).result = Some(printed.text);
            self.read.looks.insert(item, printed.looks);
        }
        self.read.texts.insert(item, text);
        self.bodies.remove(&item);
        self.is_stale = true;
    }

    /// The next text worth reading: of the selection, else of what is seen, if it is unfolded or is thinking, whose
    /// words are counted.
    pub fn wanted_text(&self, run: &Run, height: usize) -> Option<Item> {
        let is_thinking = |item: &Item| {
            let step = item.step().and_then(|id| run.step(id));
            step.is_some_and(|step| step.kind == StepKind::Thinking)
        };
        let rows = (self.scroll.top..self.row_count).take(height);
        let seen = rows.filter_map(|row| self.items.get(self.row(row)?.item)).copied();
        self.selected()
            .into_iter()
            .chain(seen)
            .filter(|item| self.unfolded.contains(item) || is_thinking(item))
            .find(|item| !self.read.texts.contains_key(item))
    }

    /// Brings rows and window in step with everything else. Called after every message.
    pub fn settle(&mut self, width: usize, height: usize) {
        if self.is_stale || self.width != width {
            if self.width != width {
                self.bodies.clear();
                self.width = width;
            }
            self.keep_item(|_| {});
        }
        self.reach_target();
        let top = self.scroll.top;
        self.scroll.follow(self.row_count, height);
        self.keep_in_view(top, height);
    }

    /// Makes an entry listed whatever is folded, entered or left out, and selects it.
    pub fn go_to(&mut self, item: Item) {
        self.reveal(item);
        if let Some(index) = self.items.iter().position(|other| *other == item) {
            self.select(index);
        }
    }

    /// Which steps are listed.
    pub const fn kinds(&self) -> Kinds {
        self.outline.kinds
    }

    pub fn choose(&mut self, kinds: Kinds) {
        self.relist(|outline| outline.choose(kinds));
    }

    /// Steps that the choice of kinds leaves out.
    pub fn hidden(&self) -> usize {
        self.outline.hidden()
    }

    /// The step that started the sub-agent whose steps are listed, the agents it stands in last.
    pub fn way_in(&self) -> Vec<StepId> {
        let Some(entered) = self.outline.entered else { return vec![] };
        std::iter::once(entered).chain(self.outline.ancestors_of(entered)).collect()
    }

    /// Steps of the sub-agent that a step started, if they are folded away below it.
    pub fn folded_below(&self, id: StepId) -> Option<usize> {
        let is_shown = self.outline.is_open(id)
            || self.outline.entered == Some(id)
            || self.outline.kinds != Kinds::All;
        Some(self.outline.below(id)).filter(|count| *count > 0 && !is_shown)
    }

    /// Steps of the turn, listed or not.
    pub fn count(&self) -> usize {
        self.outline.count()
    }

    /// Number of a step among all of the turn; counts from 0.
    pub fn position_of(&self, id: StepId) -> Option<usize> {
        self.outline.position(id)
    }

    /// The step of the turn with this number, listed or not; counts from 0.
    pub fn at(&self, position: usize) -> Option<StepId> {
        self.outline.at(position)
    }

    /// Takes up a run that has grown; what has changed is read again, everything else stays as it is.
    pub fn grow(&mut self, run: &Run, turn: usize, has_changed: impl Fn(Item) -> bool) {
        self.read.texts.retain(|item, _| !has_changed(*item));
        self.read.looks.retain(|item, _| !has_changed(*item));
        self.bodies.retain(|item, _| !has_changed(*item));
        self.relist(|outline| outline.read(run, turn));
        self.put_layer(run, turn);
    }

    /// The words of a layer are in the index; nobody has to be asked for them.
    fn put_layer(&mut self, run: &Run, turn: usize) {
        if let Some(layer) = run.turns.get(turn).and_then(|turn| turn.layer.as_deref()) {
            let text = StepText { text: layer.to_owned(), ..StepText::default() };
            self.read.texts.insert(Item::Layer(turn), Ok(Arc::new(text)));
        }
    }

    fn reveal(&mut self, item: Item) {
        let is_listed = self.items.contains(&item);
        match item {
            _ if is_listed => {}
            Item::Step(id) => self.relist(|outline| outline.reveal(id)),
            Item::Layer(_) | Item::Request(_) => self.relist(|outline| {
                outline.entered = None;
                outline.kinds = Kinds::All;
            }),
        }
    }

    /// The selected step, where its head is selected and it starts a sub-agent that can be entered.
    fn enterable(&self) -> Option<StepId> {
        let row = self.row(self.scroll.cursor)?;
        let id = self.items.get(row.item)?.step()?;
        let can_be = *row.kind == RowKind::Head
            && self.outline.entered != Some(id)
            && self.outline.below(id) > 0;
        can_be.then_some(id)
    }

    fn enter(&mut self, id: StepId) {
        self.relist(|outline| outline.entered = Some(id));
        self.scroll.top = 0;
    }

    /// No sub-agent is entered.
    pub const fn is_at_the_outside(&self) -> bool {
        self.outline.entered.is_none()
    }

    fn leave(&mut self) {
        let Some(id) = self.outline.entered else { return };
        let outer = self.outline.ancestors_of(id).first().copied();
        self.relist(|outline| outline.entered = outer);
        self.go_to(Item::Step(id));
    }

    fn fold_in_place(&mut self) {
        match self.enterable() {
            Some(id) if self.outline.kinds == Kinds::All => {
                self.relist(|outline| outline.open_or_close(id));
                let is_open = self.outline.is_open(id);
                self.unfolding = is_open.then(|| Unfolding::of(Item::Step(id)));
            }
            _ => self.fold_or_unfold(),
        }
    }

    /// Changes which entries are listed, and stays on the selected one, or on the one it is folded into, or on the
    /// last before it.
    fn relist(&mut self, change: impl FnOnce(&mut Outline)) {
        if self.is_stale {
            self.rebuild_rows();
        }
        let selected = self.selected();
        let offset = self.scroll.cursor.saturating_sub(self.start_of(self.selected_index()));
        let above = self.scroll.cursor.saturating_sub(self.scroll.top);
        change(&mut self.outline);
        (self.items, self.depths) = self.outline.listed();
        self.rebuild_rows();
        let same = self.items.iter().position(|item| Some(*item) == selected);
        let index = same.unwrap_or_else(|| self.nearest(selected));
        let offset = if same.is_some() { offset } else { 0 };
        let last = self.start_of(index + 1).saturating_sub(1);
        self.scroll.cursor = (self.start_of(index) + offset).min(last);
        self.scroll.top = self.scroll.cursor.saturating_sub(above);
    }

    /// The last listed entry at or before one that is not listed.
    fn nearest(&self, item: Option<Item>) -> usize {
        let Some(position) = item.and_then(Item::step).and_then(|id| self.outline.position(id))
        else {
            return 0;
        };
        let is_before = |item: &Item| {
            let found = item.step().and_then(|id| self.outline.position(id));
            found.is_none_or(|found| found <= position)
        };
        self.items.iter().rposition(is_before).unwrap_or_default()
    }

    fn fold_or_unfold(&mut self) {
        let Some(item) = self.selected() else { return };
        if self.unfolded.insert(item) {
            self.unfolding = Some(Unfolding::of(item));
            return self.keep_item(|_| {});
        }
        self.unfolding = None;
        self.unfolded.remove(&item);
        self.select(self.selected_index());
        self.keep_item(|_| {});
    }

    /// Changes the rows and stays on the same step, at the same row of it where that still exists, and as far down
    /// the screen.
    fn keep_item(&mut self, change: impl FnOnce(&mut Self)) {
        let index = self.selected_index();
        let offset = self.scroll.cursor.saturating_sub(self.start_of(index));
        let above = self.scroll.cursor.saturating_sub(self.scroll.top);
        change(self);
        self.rebuild_rows();
        let last = self.start_of(index + 1).saturating_sub(1);
        self.scroll.cursor = (self.start_of(index) + offset).min(last);
        self.scroll.top = self.scroll.cursor.saturating_sub(above);
    }

    /// Scrolls so that as much as fits of what was unfolded last is seen, its head in any case; then does not scroll back for
    /// the sake of rows above the cursor. `top` is where the window began before it followed the cursor.
    fn keep_in_view(&mut self, top: usize, height: usize) {
        let Some(Unfolding { item, is_seen }) = self.unfolding.take() else { return };
        let Some(index) = self.items.iter().position(|other| *other == item) else { return };
        let depth = |index: usize| self.depths.get(index).copied().unwrap_or_default();
        let below = (index + 1..self.items.len()).take_while(|other| depth(*other) > depth(index));
        let (start, end) = (self.start_of(index), self.start_of(index + 1 + below.count()));
        if !(start..end).contains(&self.scroll.cursor) {
            return;
        }
        let least = if is_seen { top } else { top.max(end.saturating_sub(height)).min(start) };
        self.scroll.top = self.scroll.top.max(least.min(self.scroll.cursor));
        let is_waiting = self.unfolded.contains(&item) && !self.read.texts.contains_key(&item);
        self.unfolding = Some(Unfolding { item, is_seen: is_seen || !is_waiting });
    }

    /// First row of an item; of one past the last the count of all rows.
    fn start_of(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or(self.row_count)
    }

    fn rebuild_rows(&mut self) {
        self.starts.clear();
        self.row_count = 0;
        for index in 0..self.items.len() {
            self.starts.push(self.row_count);
            self.row_count += 1 + self.body_len(index);
        }
        self.is_stale = false;
    }

    /// Rows below the head of an item; cuts its text where that has not been done.
    fn body_len(&mut self, index: usize) -> usize {
        let item = self.items[index];
        if !self.unfolded.contains(&item) {
            return 0;
        }
        let depth = self.depths.get(index).copied().unwrap_or_default().min(DEEPEST_INDENT);
        let width = self.width.saturating_sub(INDENT + depth * DEPTH_INDENT).max(8);
        let text = self.read.texts.get(&item);
        self.bodies.entry(item).or_insert_with(|| rows::of(text, width)).len()
    }

    fn reach_target(&mut self) {
        let Some(target) = self.target else { return };
        let Some(text) = self.read.texts.get(&target.item) else { return };
        let index = self.items.iter().position(|item| *item == target.item);
        let row = text.as_ref().ok().zip(self.bodies.get(&target.item)).and_then(|(text, body)| {
            rows::row_of(body, text, target.field, target.line, target.byte)
        });
        if let Some((index, row)) = index.zip(row) {
            self.scroll.cursor = self.start_of(index) + 1 + row;
        }
        self.target = None;
    }
}

fn size_of(text: &Result<Arc<StepText>, String>) -> usize {
    text.as_ref().map_or(0, |text| {
        let parts = [text.arguments.as_ref(), text.result.as_ref()];
        text.text.len() + parts.into_iter().flatten().map(String::len).sum::<usize>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{question::Question, request::Numbers};
    use trajview_run::{Step, Turn, pictures::Picture};

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
    fn what_is_unfolded_below_the_panel_scrolls_into_view_as_far_as_its_head_allows() {
        let unfold_last = |words: &str| {
            let mut steps = steps();
            steps.settle(40, 4);
            steps.update(Message::Next(3));
            steps.update(Message::Fold);
            steps.settle(40, 4);
            steps.put_text(steps.items[3], text(words));
            steps.settle(40, 4);
            (steps.scroll.top, steps)
        };

        assert_eq!(unfold_last("one\ntwo").0, 2, "all of it, and one row before its head");
        let (top, mut steps) = unfold_last("one\ntwo\nthree\nfour\nfive");
        assert_eq!(top, 3, "its head is the first row");
        steps.go(Motion::Down(1), 4);
        steps.settle(40, 4);
        assert_eq!(steps.scroll.top, 3, "the way down does not scroll up");
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
        assert_eq!(steps.row_count(), 4);
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

        let row = steps.row(steps.scroll.cursor).unwrap();
        let third = RowKind::Text { field: StepField::Text, line: 2, range: 8..13 };
        assert_eq!(row, Row { item: 2, kind: &third });
    }

    #[test]
    fn an_image_is_fetched_at_its_line_and_then_shown() {
        let mut steps = steps();
        steps.update(Message::Fold);
        steps.put_text(steps.items[0], text("look at\n[image: image/png, 1×1, 69 bytes]\nthis"));
        steps.settle(40, 10);
        let (run, mut numbers) = (Arc::new(run()), Numbers::default());

        steps.go(Motion::Down(2), 10);
        steps.update(Message::Fold);
        let asked = steps.images.ask(&run, &mut numbers).unwrap();
        let request = asked.request().unwrap();
        let wanted = Question::Images { run: run.clone(), turn: 0, step: None };
        assert_eq!(asked, wanted.under(request));
        let picture = Picture { media_type: "image/png".into(), bytes: vec![1] };
        let images = Arc::new(vec![picture.into()]);
        assert_eq!(steps.images.take(request, Ok(images.clone())), None);
        assert_eq!(steps.images.ask(&run, &mut numbers), None);
        assert_eq!(steps.images.arrived, Some((images, 0)));
        assert!(steps.is_unfolded(Item::Request(0)));

        // Elsewhere the key folds.
        steps.go(Motion::Down(1), 10);
        steps.update(Message::Fold);
        assert!(!steps.is_unfolded(Item::Request(0)));
    }

    #[test]
    fn only_what_is_seen_is_read() {
        let mut steps = steps();
        steps.update(Message::UnfoldAll);
        steps.settle(40, 2);
        let mut read = 0;
        while let Some(item) = steps.wanted_text(&run(), 2) {
            steps.put_text(item, text("one\ntwo\nthree"));
            steps.settle(40, 2);
            read += 1;
        }
        assert_eq!(read, 1);
    }
}
