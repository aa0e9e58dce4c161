//! Panes: rows in a frame that scroll, know what the mouse points at, and draw themselves.
//!
//! A [`ListPane`] has a chosen row, a [`TextPane`] is only read. After every message a view settles its panes: it
//! gives them their room and the number of their rows. From then on a pane moves, finds the row under the mouse and
//! draws the rows that are visible; the view makes the line of a row and decides what a chosen row leads to.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, style::Style, text::Line};

use super::{
    layout::inside_border,
    mouse::Mouse,
    panel::{PanelTitles, draw_scroll_position, draw_titled_panel, put_row},
    scroll::{Motion, Scroll},
    theme::Theme,
};

/// The place of a pane on the screen. Empty while the pane is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaneRoom {
    /// The border included, where there is one.
    frame: Rect,
    inner: Rect,
    /// The rows that scroll.
    rows: Rect,
}

impl PaneRoom {
    /// Returns the room inside the border of a frame.
    pub(crate) fn framed(frame: Option<Rect>) -> Self {
        let frame = frame.unwrap_or_default();
        let inner = inside_border(frame);
        Self { frame, inner, rows: inner }
    }

    /// Returns a room without a border; nothing says which of its rows are visible.
    pub(crate) const fn without_border(area: Rect) -> Self {
        Self { frame: area, inner: area, rows: area }
    }

    /// Leaves rows above those that scroll, such as the names of columns, and below them, such as a sum.
    pub(crate) fn with_fixed_rows(self, above: u16, below: u16) -> Self {
        let height = self.rows.height.saturating_sub(above + below);
        let y = self.rows.y + above.min(self.rows.height);
        Self { rows: Rect { y, height, ..self.rows }, ..self }
    }

    /// Sets the rows that scroll, where they are not the full width of the frame.
    pub(crate) const fn with_rows(self, rows: Rect) -> Self {
        Self { rows, ..self }
    }

    pub(crate) fn width(self) -> usize {
        usize::from(self.rows.width)
    }

    pub(crate) fn height(self) -> usize {
        usize::from(self.rows.height)
    }

    /// Returns the row under the mouse, counted from the first that is visible.
    fn row_under(self, mouse: Mouse) -> Option<usize> {
        mouse.is_in(self.rows).then(|| usize::from(mouse.row - self.rows.y))
    }

    fn visible_rows(self, top: usize, len: usize) -> Range<usize> {
        top..(top + self.height()).min(len)
    }

    /// Draws the numbers of the visible rows at the lower edge, where the rows do not all fit.
    fn draw_position(self, top: usize, len: usize, theme: Theme, buffer: &mut Buffer) {
        if self.inner == self.frame {
            return;
        }
        let rows = self.rows.height + 2;
        let y = (self.frame.bottom()).saturating_sub(rows);
        draw_scroll_position(top, len, theme, Rect { y, height: rows, ..self.frame }, buffer);
    }
}

/// A list with a chosen row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListPane {
    scroll: Scroll,
    len: usize,
    room: PaneRoom,
}

impl ListPane {
    /// Takes the room and the number of rows, and brings the chosen row into sight.
    pub(crate) fn settle(&mut self, room: PaneRoom, len: usize) {
        (self.room, self.len) = (room, len);
        self.scroll.follow_cursor(len, room.height());
    }

    /// Takes another number of rows in the same room.
    pub(crate) fn settle_rows(&mut self, len: usize) {
        self.settle(self.room, len);
    }

    /// Returns the index of the chosen row.
    pub const fn cursor(&self) -> usize {
        self.scroll.cursor
    }

    /// Returns the index of the first visible row.
    pub const fn top(&self) -> usize {
        self.scroll.top
    }

    /// Chooses a row. Its visibility is ensured by [`Self::settle`].
    pub(crate) const fn choose(&mut self, row: usize) {
        self.scroll.cursor = row;
    }

    /// Chooses the listed row under the mouse, if there is one.
    pub(crate) fn choose_row_at(&mut self, mouse: Mouse) {
        self.scroll.cursor = self.row_at(mouse).unwrap_or(self.scroll.cursor);
    }

    /// Chooses a row and shows it below so many others.
    pub(crate) const fn show_below(&mut self, above: usize, row: usize) {
        self.scroll = Scroll { cursor: row, top: row.saturating_sub(above) };
    }

    /// Returns whether some rows do not fit.
    pub(crate) fn hides_rows(&self) -> bool {
        self.len > self.room.height()
    }

    /// Returns how many visible rows are above the chosen one.
    pub(crate) const fn rows_above(&self) -> usize {
        self.scroll.cursor.saturating_sub(self.scroll.top)
    }

    /// Chooses a row and scrolls by as much, so that the chosen row stays where it is on the screen.
    pub(crate) const fn choose_in_place(&mut self, row: usize) {
        self.scroll.top = (self.scroll.top + row).saturating_sub(self.scroll.cursor);
        self.scroll.cursor = row;
    }

    /// Chooses the first row, as of another list.
    pub(crate) fn restart(&mut self) {
        self.scroll = Scroll::default();
    }

    pub(crate) fn move_cursor(&mut self, motion: Motion) {
        self.scroll.cursor = self.target_row(motion);
    }

    /// Returns the row that a motion leads to.
    pub(crate) fn target_row(&self, motion: Motion) -> usize {
        motion.target_row(self.scroll.cursor, self.len, self.room.height())
    }

    /// Scrolls and takes the cursor along only as far as it must, as a wheel does.
    pub(crate) fn scroll_by(&mut self, motion: Motion) {
        self.scroll.scroll_by(motion, self.len, self.room.height());
    }

    /// Returns whether the mouse is on the pane, border included.
    pub(crate) const fn has_mouse(&self, mouse: Mouse) -> bool {
        mouse.is_in(self.room.frame)
    }

    /// Returns the listed row under the mouse.
    pub(crate) fn row_at(&self, mouse: Mouse) -> Option<usize> {
        let row = self.room.row_under(mouse).map(|row| self.scroll.top + row);
        row.filter(|row| *row < self.len)
    }

    /// Returns the motion that a mouse event on the pane makes: the wheel by one row, a click to the row under it.
    pub(crate) fn mouse_motion(&self, mouse: Mouse) -> Option<Motion> {
        let row = self.row_at(mouse).filter(|_| mouse.is_click());
        row.map(|row| Motion::To(row + 1)).or_else(|| mouse.wheel_motion(1))
    }

    /// Returns the width in cells of the frame, border included.
    pub(crate) const fn frame_width(&self) -> u16 {
        self.room.frame.width
    }

    /// Draws the frame with its titles and returns the room inside. Draws nothing while the pane is not shown.
    pub(crate) fn draw_frame(
        &self,
        titles: impl Into<PanelTitles>,
        is_focused: bool,
        theme: Theme,
        buffer: &mut Buffer,
    ) -> Rect {
        draw_titled_panel(is_focused, titles, theme, self.room.frame, buffer)
    }

    pub(crate) fn visible_rows(&self) -> Range<usize> {
        self.room.visible_rows(self.scroll.top, self.len)
    }

    /// Draws the visible rows, the chosen one in the style `chosen` if given, and their position.
    pub(crate) fn draw_rows(
        &self,
        chosen: Option<Style>,
        theme: Theme,
        buffer: &mut Buffer,
        row: impl Fn(usize) -> Line<'static>,
    ) {
        for (index, y) in self.visible_rows().zip(0..) {
            let style = chosen.filter(|_| index == self.scroll.cursor);
            put_row(row(index), style, self.room.rows, y, buffer);
        }
        self.draw_position(theme, buffer);
    }

    /// Draws the numbers of the visible rows at the lower edge, where the rows do not all fit.
    pub(crate) fn draw_position(&self, theme: Theme, buffer: &mut Buffer) {
        self.room.draw_position(self.scroll.top, self.len, theme, buffer);
    }
}

/// Returns the part of a view that a click or the wheel is on, border included, and the motion that it makes there.
pub(crate) fn part_under<'p, P>(
    parts: impl IntoIterator<Item = (P, &'p ListPane)>,
    mouse: Mouse,
) -> Option<(P, Option<Motion>)> {
    let (part, pane) = parts.into_iter().find(|(_, pane)| pane.has_mouse(mouse))?;
    let motion = pane.mouse_motion(mouse);
    (mouse.is_click() || motion.is_some()).then_some((part, motion))
}

/// Rows that are read; none of them is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextPane {
    top: usize,
    len: usize,
    room: PaneRoom,
}

impl TextPane {
    /// Takes the room and the number of rows.
    pub(crate) fn settle(&mut self, room: PaneRoom, len: usize) {
        (self.room, self.len) = (room, len);
        self.top = self.top.min(len.saturating_sub(room.height()));
    }

    /// Shows the first row, as of another text.
    pub(crate) const fn restart(&mut self) {
        self.top = 0;
    }

    pub(crate) fn scroll_by(&mut self, motion: Motion) {
        let last_top = self.len.saturating_sub(self.room.height());
        self.top = motion.target_row(self.top, self.len, self.room.height()).min(last_top);
    }

    /// Returns whether the mouse is on the pane, border included.
    pub(crate) const fn has_mouse(&self, mouse: Mouse) -> bool {
        mouse.is_in(self.room.frame)
    }

    /// Draws the frame with its titles, the visible rows and their position.
    pub(crate) fn draw(
        &self,
        titles: impl Into<PanelTitles>,
        is_focused: bool,
        theme: Theme,
        buffer: &mut Buffer,
        row: impl Fn(usize) -> Line<'static>,
    ) {
        draw_titled_panel(is_focused, titles, theme, self.room.frame, buffer);
        self.draw_rows(theme, buffer, row);
    }

    pub(crate) fn visible_rows(&self) -> Range<usize> {
        self.room.visible_rows(self.top, self.len)
    }

    /// Draws the visible rows and their position.
    pub(crate) fn draw_rows(
        &self,
        theme: Theme,
        buffer: &mut Buffer,
        row: impl Fn(usize) -> Line<'static>,
    ) {
        for (index, y) in self.visible_rows().zip(0..) {
            put_row(row(index), None, self.room.rows, y, buffer);
        }
        self.room.draw_position(self.top, self.len, theme, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::mouse::MouseKind, *};

    /// Two rows in a frame of four by five cells.
    fn two_rows() -> ListPane {
        let mut pane = ListPane::default();
        pane.settle(PaneRoom::framed(Some(Rect { x: 0, y: 0, width: 4, height: 5 })), 2);
        pane
    }

    fn part_and_motion(kind: MouseKind, row: u16) -> Option<((), Option<Motion>)> {
        part_under([((), &two_rows())], Mouse { kind, column: 1, row })
    }

    #[test]
    fn the_wheel_works_on_the_border_too() {
        for row in 0..5 {
            let turned = part_and_motion(MouseKind::WheelDown, row);
            assert_eq!(turned, Some(((), Some(Motion::Down(1)))), "row {row}");
        }
        assert_eq!(part_and_motion(MouseKind::WheelDown, 5), None);
    }

    #[test]
    fn a_click_chooses_the_row_under_it_and_elsewhere_only_the_part() {
        assert_eq!(part_and_motion(MouseKind::Click, 2), Some(((), Some(Motion::To(2)))));
        for beside in [0, 3, 4] {
            assert_eq!(part_and_motion(MouseKind::Click, beside), Some(((), None)));
        }
        assert_eq!(part_and_motion(MouseKind::Move, 2), None);
    }
}
