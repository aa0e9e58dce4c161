//! The steps of the turn as a list that folds.
//!
//! Only what is unfolded and seen is read and cut into `rows`, and is cut once: a turn of a thousand steps unfolds
//! as fast as one of ten.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use crate::widgets::{
    mouse::Mouse,
    pane::{ListPane, PaneRoom},
    scroll::Motion,
};
use trajview_code::ansi_text::{self, TextStyle};
use trajview_run::{
    Run, StepId, StepKind, StepText,
    search::{SearchHit, StepField},
};

mod images;
mod outline;
mod rows;
mod step_columns;
mod step_filter;

use outline::StepOutline;

pub use images::{IMAGE_SIGN, RequestedImages, StepImages};
pub use rows::{StepRowKind, body_rows_at_most, step_field_text};
pub use step_columns::{BeganFormat, StepColumn};
pub use step_filter::StepFilter;

/// One row of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRow<'a> {
    /// Index into [`StepList::items`].
    pub item: usize,
    pub kind: &'a StepRowKind,
}

/// Cells that every row of text leaves to the left.
pub(crate) const ROW_INDENT: usize = 6;
/// More of them for each level of sub-agents.
pub(crate) const DEPTH_INDENT: usize = 3;
/// Deeper levels have the same indent.
pub(crate) const MAX_INDENTED_DEPTH: usize = 4;

/// A place inside the list to go to once its text is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StepTarget {
    step: StepId,
    field: StepField,
    line: usize,
    /// Byte within the line.
    byte: usize,
}

/// The item that was unfolded last, while the cursor is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LastUnfolded {
    item: StepId,
    /// All of its rows are known and as many as fit were brought into view.
    is_seen: bool,
}

impl LastUnfolded {
    const fn new(item: StepId) -> Self {
        Self { item, is_seen: false }
    }
}

#[derive(Debug, Default)]
pub struct StepList {
    pub items: Vec<StepId>,
    /// False until a step of the turn is chosen: the turn as a whole is shown before its first step.
    has_chosen: bool,
    /// The depth of each item in sub-agents.
    pub depths: Vec<usize>,
    pub list: ListPane,
    outline: StepOutline,
    unfolded: HashSet<StepId>,
    read: StepTexts,
    pub images: StepImages,
    /// The rows of unfolded items, `width` cells wide.
    bodies: HashMap<StepId, Vec<StepRowKind>>,
    /// First row of each item.
    starts: Vec<usize>,
    row_count: usize,
    target: Option<StepTarget>,
    width: usize,
    is_stale: bool,
    /// The format of the start times; None where the columns of time, tokens and cost are hidden.
    pub began: Option<BeganFormat>,
    unfolding: Option<LastUnfolded>,
}

/// The loaded texts of the steps.
#[derive(Debug, Default)]
struct StepTexts {
    texts: HashMap<StepId, Result<Arc<StepText>, String>>,
    /// The styles of results that were printed with colours: the bytes of each style, in order.
    looks: HashMap<StepId, Vec<(Range<usize>, TextStyle)>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StepsMessage {
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
    /// Switches the columns: start, length, wait, tokens and cost of each step; or none of them.
    SwitchPace,
}

/// Bytes of text beyond which only those of the shown turn are kept.
const MAX_KEPT_TEXT_BYTES: usize = 64 << 20;

impl StepList {
    /// Shows the steps of a turn, the first selected.
    pub(crate) fn show_turn(&mut self, run: &Run, turn: usize) {
        if run.turns.get(turn).is_none() {
            return;
        }
        self.outline.entered = None;
        self.outline.load_turn(run, turn);
        (self.items, self.depths) = self.outline.listed_items();
        self.list.restart();
        self.has_chosen = false;
        (self.target, self.unfolding) = (None, None);
        self.bodies.clear();
        self.is_stale = true;
        if self.read.texts.values().map(text_bytes).sum::<usize>() > MAX_KEPT_TEXT_BYTES {
            self.read.texts.retain(|item, _| item.turn == turn);
            self.read.looks.retain(|item, _| item.turn == turn);
        }
    }

    /// Returns the selected step and those after it.
    pub(crate) fn items_from_selected(&self) -> impl Iterator<Item = StepId> + '_ {
        self.items.iter().copied().skip(self.selected_index())
    }

    /// Returns the first item of [`Self::items_from_selected`] whose text is missing, as far as the items fill `height`
    /// rows.
    pub(crate) fn text_wanted_from_selected(&self, width: usize, height: usize) -> Option<StepId> {
        let mut left = height;
        for item in self.items_from_selected() {
            let text = self.item_text(item);
            if text.is_none() {
                return Some(item);
            }
            left = left.checked_sub(body_rows_at_most(text, width, height).len() + 1)?;
        }
        None
    }

    /// Returns the number of rows, unfolded text included.
    pub const fn row_count(&self) -> usize {
        self.row_count
    }

    pub(crate) fn row_at(&self, row: usize) -> Option<StepRow<'_>> {
        if row >= self.row_count {
            return None;
        }
        let item = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        let below_head = (row - self.starts[item]).checked_sub(1);
        let kind = match below_head {
            None => &StepRowKind::Head,
            Some(index) => self.bodies.get(self.items.get(item)?)?.get(index)?,
        };
        Some(StepRow { item, kind })
    }

    pub fn update(&mut self, message: StepsMessage) {
        if let (StepsMessage::Fold | StepsMessage::FoldInPlace, Some((step, first))) =
            (&message, self.image_here())
        {
            self.images.requested =
                Some(RequestedImages { turn: step.turn, step: Some(step), first });
            return;
        }
        if matches!(message, StepsMessage::Fold | StepsMessage::FoldInPlace) {
            self.has_chosen = true;
        }
        match message {
            StepsMessage::Next(count) => self.select_item(self.next_index(count)),
            StepsMessage::Previous(count) => self.go_back_by(count),
            StepsMessage::Fold => match self.enterable_agent_step() {
                Some(id) => self.enter_agent(id),
                None => self.fold_or_unfold(),
            },
            StepsMessage::FoldInPlace => self.fold_in_place(),
            StepsMessage::Leave => self.leave_agent(),
            StepsMessage::SwitchPace => self.began = BeganFormat::next_format(self.began),
            StepsMessage::FoldAll => {
                self.unfolded.clear();
                self.change_listing(StepOutline::close_subagents);
            }
            StepsMessage::UnfoldAll => {
                self.change_listing(StepOutline::open_subagents);
                self.rebuild_keeping_item(|steps| {
                    steps.unfolded.extend(steps.items.iter().copied())
                });
            }
        }
    }

    /// Moves the cursor over rows; `To` counts steps, not rows. The first move into the list chooses the first step, and
    /// a move up from there the turn as a whole.
    pub(crate) fn move_cursor(&mut self, motion: Motion) {
        let is_up = matches!(motion, Motion::Up(_) | Motion::PageUp | Motion::HalfUp);
        match motion {
            Motion::To(number) => self.select_item(number.saturating_sub(1)),
            Motion::Down(rows) if !self.has_chosen => {
                self.list.move_cursor(Motion::Down(rows.saturating_sub(1)));
                self.has_chosen = true;
            }
            _ if is_up && self.list.cursor() == 0 => self.has_chosen = false,
            motion => {
                self.list.move_cursor(motion);
                self.has_chosen = true;
            }
        }
    }

    /// Chooses the row under the mouse.
    pub(crate) fn choose_row_at(&mut self, mouse: Mouse) {
        self.list.choose_row_at(mouse);
        self.has_chosen = true;
    }

    /// Returns the index of the step that many steps on.
    fn next_index(&self, count: usize) -> usize {
        let first = if self.has_chosen { self.selected_index() } else { 0 };
        first.saturating_add(count).saturating_sub(usize::from(!self.has_chosen))
    }

    /// Goes back by some steps; before the first one to the turn as a whole.
    fn go_back_by(&mut self, count: usize) {
        match self.selected_index().checked_sub(count) {
            Some(index) if self.has_chosen => self.select_item(index),
            _ => self.choose_none(),
        }
    }

    /// Shows the turn as a whole, before its first step.
    pub(crate) fn choose_none(&mut self) {
        self.select_item(0);
        self.has_chosen = false;
    }

    /// Selects an entry by its index; beyond the end the last.
    pub(crate) fn select_item(&mut self, index: usize) {
        (self.target, self.has_chosen) = (None, true);
        let index = index.min(self.items.len().saturating_sub(1));
        if self.is_stale {
            self.rebuild_rows();
        }
        self.list.choose(self.starts.get(index).copied().unwrap_or_default());
    }

    /// Returns the entry that a row belongs to, by its index.
    pub(crate) fn item_at(&self, row: usize) -> Option<usize> {
        self.row_at(row).map(|row| row.item)
    }

    /// Returns the index of the selected item in [`Self::items`].
    pub fn selected_index(&self) -> usize {
        self.row_at(self.list.cursor()).map_or(0, |row| row.item)
    }

    /// Returns the step at the cursor; the first where none is chosen yet.
    pub fn selected_item(&self) -> Option<StepId> {
        self.items.get(self.selected_index()).copied()
    }

    /// Returns the chosen step; None while the turn as a whole is shown.
    pub(crate) fn chosen_step(&self) -> Option<StepId> {
        self.selected_item().filter(|_| self.has_chosen)
    }

    pub fn is_unfolded(&self, item: StepId) -> bool {
        self.unfolded.contains(&item)
    }

    /// Returns the text of an entry; None where it has not been read yet.
    pub fn item_text(&self, item: StepId) -> Option<&Result<Arc<StepText>, String>> {
        self.read.texts.get(&item)
    }

    /// Returns the styles of some bytes of a part of an item, counted from the first of them.
    pub(crate) fn looks_in(
        &self,
        item: StepId,
        field: StepField,
        bytes: &Range<usize>,
    ) -> Vec<(Range<usize>, TextStyle)> {
        let looks = self.read.looks.get(&item).filter(|_| field == StepField::Result);
        looks.map_or(vec![], |looks| ansi_text::styles_in(looks, bytes).collect())
    }

    /// Returns the selected item where the cursor is at the line of an image, and the number of images before it in the
    /// same field.
    fn image_here(&self) -> Option<(StepId, usize)> {
        let row = self.row_at(self.list.cursor())?;
        let item = *self.items.get(row.item)?;
        let StepRowKind::Text { field, range, .. } = row.kind else { return None };
        let words = step_field_text(self.item_text(item)?.as_ref().ok()?, *field)?;
        let start = words.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
        let is_image = |line: &&str| line.starts_with(IMAGE_SIGN);
        words
            .get(start..)?
            .starts_with(IMAGE_SIGN)
            .then(|| (item, words[..start].lines().filter(is_image).count()))
    }

    /// Unfolds the step that contains a hit and goes to its line as soon as it is loaded.
    pub(crate) fn go_to_hit(&mut self, item: StepId, field: StepField, hit: &SearchHit) {
        self.list_item(item);
        self.unfolded.insert(item);
        self.is_stale = true;
        if let Some(index) = self.items.iter().position(|other| *other == item) {
            self.select_item(index);
        }
        self.target = Some(StepTarget { step: item, field, line: hit.line, byte: hit.range.start });
    }

    /// Stores a text; the colours of a result are separated from it, as a terminal shows it.
    pub(crate) fn put_text(&mut self, item: StepId, mut text: Result<Arc<StepText>, String>) {
        self.read.looks.remove(&item);
        let result = text.as_ref().ok().and_then(|text| text.result.as_deref());
        if let (Some(printed), Ok(text)) = (result.and_then(ansi_text::parse_ansi), &mut text) {
            Arc::make_mut(text).result = Some(printed.text);
            self.read.looks.insert(item, printed.styles);
        }
        self.read.texts.insert(item, text);
        self.bodies.remove(&item);
        self.is_stale = true;
    }

    /// Returns the next text to load: of the selection, else of the visible items, if they are unfolded or are
    /// thinking, whose words are counted.
    pub(crate) fn wanted_text(&self, run: &Run) -> Option<StepId> {
        let is_thinking =
            |item: &StepId| run.step(*item).is_some_and(|step| step.kind == StepKind::Thinking);
        let seen = self.list.visible_rows();
        let seen = seen.filter_map(|row| self.items.get(self.row_at(row)?.item)).copied();
        self.selected_item()
            .into_iter()
            .chain(seen)
            .filter(|item| self.unfolded.contains(item) || is_thinking(item))
            .find(|item| !self.read.texts.contains_key(item))
    }

    /// Brings rows and window in step with everything else. Called after every message.
    pub(crate) fn settle_rows(&mut self, width: usize, room: PaneRoom) {
        if self.is_stale || self.width != width {
            if self.width != width {
                self.bodies.clear();
                self.width = width;
            }
            self.rebuild_keeping_item(|_| {});
        }
        self.reach_target();
        let top = self.list.top();
        self.list.settle(room, self.row_count);
        self.keep_in_view(top, room.height());
    }

    /// Makes an entry listed whatever is folded, entered or left out, and selects it.
    pub(crate) fn go_to_item(&mut self, item: StepId) {
        self.list_item(item);
        if let Some(index) = self.items.iter().position(|other| *other == item) {
            self.select_item(index);
        }
    }

    /// Returns the filter of the list.
    pub const fn step_filter(&self) -> StepFilter {
        self.outline.filter
    }

    pub(crate) fn set_filter(&mut self, kinds: StepFilter) {
        self.change_listing(|outline| outline.set_filter(kinds));
    }

    /// Returns the number of steps that the choice of kinds leaves out.
    pub(crate) fn hidden_count(&self) -> usize {
        self.outline.hidden_count()
    }

    /// Returns the step that started the listed sub-agent, followed by the steps that started the agents around it.
    pub(crate) fn entered_agents(&self) -> Vec<StepId> {
        let Some(entered) = self.outline.entered else { return vec![] };
        std::iter::once(entered).chain(self.outline.ancestors_of_step(entered)).collect()
    }

    /// Returns the number of steps of the sub-agent that a step started, if they are folded away below it.
    pub(crate) fn folded_step_count(&self, id: StepId) -> Option<usize> {
        let is_shown = self.outline.is_open(id)
            || self.outline.entered == Some(id)
            || self.outline.filter != StepFilter::All;
        Some(self.outline.steps_below(id)).filter(|count| *count > 0 && !is_shown)
    }

    /// Returns the number of steps of the turn, listed or not.
    pub fn step_count(&self) -> usize {
        self.outline.step_count()
    }

    /// Returns the number of a step among all of the turn; counts from 0.
    pub(crate) fn position_in_turn(&self, id: StepId) -> Option<usize> {
        self.outline.position_of(id)
    }

    /// Returns the step of the turn with this number, listed or not; counts from 0.
    pub fn step_at(&self, position: usize) -> Option<StepId> {
        self.outline.step_at(position)
    }

    /// Takes up a run that has grown; what has changed is read again, everything else stays as it is.
    pub(crate) fn replace_run(
        &mut self,
        run: &Run,
        turn: usize,
        has_changed: impl Fn(StepId) -> bool,
    ) {
        self.read.texts.retain(|item, _| !has_changed(*item));
        self.read.looks.retain(|item, _| !has_changed(*item));
        self.bodies.retain(|item, _| !has_changed(*item));
        self.change_listing(|outline| outline.load_turn(run, turn));
    }

    fn list_item(&mut self, item: StepId) {
        if !self.items.contains(&item) {
            self.change_listing(|outline| outline.list_step(item));
        }
    }

    /// Returns the selected step, where its head is selected and it starts a sub-agent that can be entered.
    fn enterable_agent_step(&self) -> Option<StepId> {
        let row = self.row_at(self.list.cursor())?;
        let id = *self.items.get(row.item)?;
        let can_be = *row.kind == StepRowKind::Head
            && self.outline.entered != Some(id)
            && self.outline.steps_below(id) > 0;
        can_be.then_some(id)
    }

    fn enter_agent(&mut self, id: StepId) {
        self.change_listing(|outline| outline.entered = Some(id));
        self.list.show_below(self.list.cursor(), self.list.cursor());
    }

    /// Returns whether no sub-agent is entered.
    pub(crate) const fn is_outside_agents(&self) -> bool {
        self.outline.entered.is_none()
    }

    fn leave_agent(&mut self) {
        let Some(id) = self.outline.entered else { return };
        let outer = self.outline.ancestors_of_step(id).first().copied();
        self.change_listing(|outline| outline.entered = outer);
        self.go_to_item(id);
    }

    fn fold_in_place(&mut self) {
        match self.enterable_agent_step() {
            Some(id) if self.outline.filter == StepFilter::All => {
                self.change_listing(|outline| outline.toggle_open(id));
                let is_open = self.outline.is_open(id);
                self.unfolding = is_open.then(|| LastUnfolded::new(id));
            }
            _ => self.fold_or_unfold(),
        }
    }

    /// Changes which entries are listed, and stays on the selected one, or on the one it is folded into, or on the
    /// last before it.
    fn change_listing(&mut self, change: impl FnOnce(&mut StepOutline)) {
        if self.is_stale {
            self.rebuild_rows();
        }
        let selected = self.selected_item();
        let offset = self.list.cursor().saturating_sub(self.first_row_of(self.selected_index()));
        let above = self.list.rows_above();
        change(&mut self.outline);
        (self.items, self.depths) = self.outline.listed_items();
        self.rebuild_rows();
        let same = self.items.iter().position(|item| Some(*item) == selected);
        let index = same.unwrap_or_else(|| self.nearest_listed(selected));
        let offset = if same.is_some() { offset } else { 0 };
        let last = self.first_row_of(index + 1).saturating_sub(1);
        self.list.show_below(above, (self.first_row_of(index) + offset).min(last));
    }

    /// Returns the last listed entry at or before one that is not listed.
    fn nearest_listed(&self, item: Option<StepId>) -> usize {
        let Some(position) = item.and_then(|id| self.outline.position_of(id)) else {
            return 0;
        };
        let is_before =
            |item: &StepId| self.outline.position_of(*item).is_none_or(|found| found <= position);
        self.items.iter().rposition(is_before).unwrap_or_default()
    }

    fn fold_or_unfold(&mut self) {
        let Some(item) = self.selected_item() else { return };
        if self.unfolded.insert(item) {
            self.unfolding = Some(LastUnfolded::new(item));
            return self.rebuild_keeping_item(|_| {});
        }
        self.unfolding = None;
        self.unfolded.remove(&item);
        self.select_item(self.selected_index());
        self.rebuild_keeping_item(|_| {});
    }

    /// Changes the rows and stays on the same step, at the same row of it where that still exists, and as far down
    /// the screen.
    fn rebuild_keeping_item(&mut self, change: impl FnOnce(&mut Self)) {
        let index = self.selected_index();
        let offset = self.list.cursor().saturating_sub(self.first_row_of(index));
        let above = self.list.rows_above();
        change(self);
        self.rebuild_rows();
        let last = self.first_row_of(index + 1).saturating_sub(1);
        self.list.show_below(above, (self.first_row_of(index) + offset).min(last));
    }

    /// Scrolls so that as much as fits of what was unfolded last is seen, its head in any case; then does not scroll back for
    /// the sake of rows above the cursor. `top` is where the window began before it followed the cursor.
    fn keep_in_view(&mut self, top: usize, height: usize) {
        let Some(LastUnfolded { item, is_seen }) = self.unfolding.take() else { return };
        let Some(index) = self.items.iter().position(|other| *other == item) else { return };
        let depth = |index: usize| self.depths.get(index).copied().unwrap_or_default();
        let below = (index + 1..self.items.len()).take_while(|other| depth(*other) > depth(index));
        let (start, end) = (self.first_row_of(index), self.first_row_of(index + 1 + below.count()));
        if !(start..end).contains(&self.list.cursor()) {
            return;
        }
        let least = if is_seen { top } else { top.max(end.saturating_sub(height)).min(start) };
        let (cursor, top) = (self.list.cursor(), self.list.top());
        self.list.show_below(cursor.saturating_sub(top.max(least.min(cursor))), cursor);
        let is_waiting = self.unfolded.contains(&item) && !self.read.texts.contains_key(&item);
        self.unfolding = Some(LastUnfolded { item, is_seen: is_seen || !is_waiting });
    }

    /// Returns the first row of an item; of one past the last the count of all rows.
    fn first_row_of(&self, index: usize) -> usize {
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

    /// Returns the number of rows below the head of an item; wraps its text where that has not been done.
    fn body_len(&mut self, index: usize) -> usize {
        let item = self.items[index];
        if !self.unfolded.contains(&item) {
            return 0;
        }
        let depth = self.depths.get(index).copied().unwrap_or_default().min(MAX_INDENTED_DEPTH);
        let width = self.width.saturating_sub(ROW_INDENT + depth * DEPTH_INDENT).max(8);
        let text = self.read.texts.get(&item);
        self.bodies.entry(item).or_insert_with(|| rows::body_rows(text, width)).len()
    }

    fn reach_target(&mut self) {
        let Some(target) = self.target else { return };
        let Some(text) = self.read.texts.get(&target.step) else { return };
        let index = self.items.iter().position(|item| *item == target.step);
        let row = text.as_ref().ok().zip(self.bodies.get(&target.step)).and_then(|(text, body)| {
            rows::row_of_byte(body, text, target.field, target.line, target.byte)
        });
        if let Some((index, row)) = index.zip(row) {
            self.list.choose(self.first_row_of(index) + 1 + row);
        }
        self.target = None;
    }
}

fn text_bytes(text: &Result<Arc<StepText>, String>) -> usize {
    text.as_ref().map_or(0, |text| {
        let parts = [text.arguments.as_ref(), text.result.as_ref()];
        text.text.len() + parts.into_iter().flatten().map(String::len).sum::<usize>()
    })
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;
    use crate::session::{question::Question, request::RequestIds};
    use trajview_run::{Step, Turn, pictures::RecordedImage, search::HitPlace};

    fn three_step_run() -> Run {
        let step = Step { kind: StepKind::Message, ..Step::default() };
        let turn = Turn { title: "fix the loss".into(), steps: vec![step; 3], ..Turn::default() };
        Run { turns: vec![turn], ..Run::default() }
    }

    fn rows(height: u16) -> PaneRoom {
        PaneRoom::without_border(Rect { x: 0, y: 0, width: 40, height })
    }

    fn settled_steps() -> StepList {
        let mut steps = StepList::default();
        steps.show_turn(&three_step_run(), 0);
        steps.settle_rows(40, rows(10));
        steps
    }

    fn step_text(words: &str) -> Result<Arc<StepText>, String> {
        Ok(Arc::new(StepText { text: words.into(), ..StepText::default() }))
    }

    #[test]
    fn the_turn_as_a_whole_comes_before_its_first_step() {
        let mut steps = settled_steps();
        assert_eq!((steps.items.len(), steps.chosen_step()), (3, None));

        steps.update(StepsMessage::Next(1));
        assert_eq!(steps.chosen_step(), Some(steps.items[0]));
        steps.update(StepsMessage::Next(1));
        steps.update(StepsMessage::Previous(2));
        assert_eq!(steps.chosen_step(), None, "back to the turn as a whole");
        steps.move_cursor(Motion::Down(2));
        assert_eq!(steps.chosen_step(), Some(steps.items[1]));
        steps.move_cursor(Motion::Up(1));
        steps.move_cursor(Motion::Up(1));
        assert_eq!(steps.chosen_step(), None);
    }

    #[test]
    fn text_that_arrives_above_does_not_move_the_selection() {
        let mut steps = settled_steps();
        steps.update(StepsMessage::UnfoldAll);
        steps.update(StepsMessage::Next(2));
        let selected = steps.selected_item();

        steps.put_text(steps.items[0], step_text("one\ntwo\nthree\nfour"));
        steps.settle_rows(40, rows(10));

        assert_eq!(steps.selected_item(), selected);
    }

    #[test]
    fn what_is_unfolded_below_the_panel_scrolls_into_view_as_far_as_its_head_allows() {
        let unfold_last = |words: &str| {
            let mut steps = settled_steps();
            steps.settle_rows(40, rows(3));
            steps.update(StepsMessage::Next(3));
            steps.update(StepsMessage::Fold);
            steps.settle_rows(40, rows(3));
            steps.put_text(steps.items[2], step_text(words));
            steps.settle_rows(40, rows(3));
            (steps.list.top(), steps)
        };

        assert_eq!(unfold_last("one").0, 1, "all of it, and one row before its head");
        let (top, mut steps) = unfold_last("one\ntwo\nthree\nfour\nfive");
        assert_eq!(top, 2, "its head is the first row");
        steps.move_cursor(Motion::Down(1));
        steps.settle_rows(40, rows(3));
        assert_eq!(steps.list.top(), 2, "the way down does not scroll up");
    }

    #[test]
    fn folding_from_within_a_text_goes_back_to_its_head() {
        let mut steps = settled_steps();
        steps.update(StepsMessage::Fold);
        steps.put_text(steps.items[0], step_text("one\ntwo\nthree"));
        steps.settle_rows(40, rows(10));
        steps.move_cursor(Motion::Down(2));
        steps.update(StepsMessage::Fold);

        assert_eq!(steps.list.cursor(), 0);
        assert_eq!(steps.row_count(), 3);
    }

    #[test]
    fn a_hit_unfolds_its_step_and_is_reached_when_the_text_is_here() {
        let mut steps = settled_steps();
        let id = StepId { turn: 0, subagent: None, step: 1 };
        let place = HitPlace::Step(id, StepField::Text);
        let hit = SearchHit { turn: 0, place, line: 2, range: 0..5 };
        steps.go_to_hit(id, StepField::Text, &hit);
        steps.settle_rows(40, rows(10));
        assert_eq!(steps.wanted_text(&three_step_run()), Some(id));

        steps.put_text(id, step_text("one\ntwo\nthree"));
        steps.settle_rows(40, rows(10));

        let row = steps.row_at(steps.list.cursor()).unwrap();
        let third = StepRowKind::Text { field: StepField::Text, line: 2, range: 8..13 };
        assert_eq!(row, StepRow { item: 1, kind: &third });
    }

    #[test]
    fn an_image_is_fetched_at_its_line_and_then_shown() {
        let mut steps = settled_steps();
        steps.update(StepsMessage::Fold);
        steps.put_text(
            steps.items[0],
            step_text("look at\n[image: image/png, 1×1, 69 bytes]\nthis"),
        );
        steps.settle_rows(40, rows(10));
        let (run, mut numbers) = (Arc::new(three_step_run()), RequestIds::default());

        steps.move_cursor(Motion::Down(2));
        steps.update(StepsMessage::Fold);
        let effect = steps.images.ask_images(&run, &mut numbers).unwrap();
        let request = effect.request_id().unwrap();
        let step = Some(steps.items[0]);
        let wanted = Question::Images { run: run.clone(), turn: 0, step };
        assert_eq!(effect, wanted.with_request(request));
        let picture = RecordedImage { media_type: "image/png".into(), bytes: vec![1] };
        let images = Arc::new(vec![picture.into()]);
        assert_eq!(steps.images.take_images(request, Ok(images.clone())), None);
        assert_eq!(steps.images.ask_images(&run, &mut numbers), None);
        assert_eq!(steps.images.arrived, Some((images, 0)));
        assert!(steps.is_unfolded(steps.items[0]));

        // Elsewhere the key folds.
        steps.move_cursor(Motion::Down(1));
        steps.update(StepsMessage::Fold);
        assert!(!steps.is_unfolded(steps.items[0]));
    }

    #[test]
    fn only_what_is_seen_is_read() {
        let mut steps = settled_steps();
        steps.update(StepsMessage::UnfoldAll);
        steps.settle_rows(40, rows(2));
        let mut read = 0;
        while let Some(item) = steps.wanted_text(&three_step_run()) {
            steps.put_text(item, step_text("one\ntwo\nthree"));
            steps.settle_rows(40, rows(2));
            read += 1;
        }
        assert_eq!(read, 1);
    }
}
