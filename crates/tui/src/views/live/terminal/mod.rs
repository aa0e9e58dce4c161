//! The state of an emulated terminal: its screen, its replies to the program, and the scroll position in its history.
//!
//! It is fed with bytes and keeps the screen that the program expects ([`TerminalScreen::feed`]); it answers the
//! program's queries ([`TerminalReplies::replies`]) and encodes keys, text and the mouse for the program
//! ([`xterm_keys`], [`keyboard_modes`], [`mod@mouse_reports`]). It starts nothing and reads nothing: the owner of the
//! program moves the bytes both ways, so that a whole session can be played back without a program. The output of a
//! program is not trusted: it can move the cursor here and nowhere else, has no clipboard, and its history is bounded.

pub mod checkpoint;
pub mod keyboard_modes;
pub mod kitty_keys;
pub mod mouse_reports;
pub mod search;
pub mod xterm_keys;

use alacritty_terminal::{
    event::{Event, EventListener, WindowSize},
    grid::{Dimensions, Scroll as Display},
    index::{Column, Line, Point},
    term::{Config, Osc52, Term, TermMode, cell::Cell},
    vte::ansi::{Processor, Rgb, Timeout},
};
use ratatui::layout::Size;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::widgets::scroll::Motion;

use checkpoint::HiddenState;
use keyboard_modes::{KeyboardFlags, KeyboardState, WithKeyboard};
use search::TerminalMatch;

/// The least a terminal is given: with one column a wide character has no place and the emulator never comes to an end.
pub const MIN_SIZE: Size = Size { width: 2, height: 2 };

/// Lines of history.
pub(crate) const HISTORY_LINES: usize = 10_000;

/// A title longer than this is cut (characters).
const MAX_TITLE_CHARS: usize = 200;

/// The colours that a program receives when it queries ours: foreground and background of a dark terminal.
const FOREGROUND: Rgb = Rgb { r: 0xd8, g: 0xd8, b: 0xd8 };
const BACKGROUND: Rgb = Rgb { r: 0x18, g: 0x18, b: 0x18 };

/// The emulator's numbers of these two.
const FOREGROUND_NUMBER: usize = 256;
const BACKGROUND_NUMBER: usize = 257;

/// A screen with its history.
pub struct TerminalScreen {
    term: Term<EventOutbox>,
    parser: Processor<FrameHold>,
    outbox: EventOutbox,
    keyboard: KeyboardState,
    hidden: HiddenState,
    size: Size,
    /// The most lines of history.
    history_limit: usize,
    title: Option<String>,
    bells: usize,
    last_match: Option<TerminalMatch>,
}

/// The result of feeding bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalReplies {
    /// Bytes to write to the program.
    pub replies: Vec<u8>,
}

/// The events that the emulator emits.
#[derive(Clone, Default)]
struct EventOutbox(Arc<Mutex<Vec<Event>>>);

impl EventListener for EventOutbox {
    fn send_event(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// True while the program holds its frame back until it is complete. There is no clock here:
/// [`TerminalScreen::end_held_frame`] ends it.
#[derive(Debug, Default)]
struct FrameHold(bool);

impl Timeout for FrameHold {
    fn set_timeout(&mut self, _: Duration) {
        self.0 = true;
    }

    fn clear_timeout(&mut self) {
        self.0 = false;
    }

    fn pending_timeout(&self) -> bool {
        self.0
    }
}

/// A size as the emulator wants to hear it.
struct TerminalCells(Size);

impl Dimensions for TerminalCells {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.height)
    }

    fn columns(&self) -> usize {
        usize::from(self.0.width)
    }
}

/// Returns the size, no smaller than [`MIN_SIZE`].
pub(crate) fn at_least_min_size(size: Size) -> Size {
    Size { width: size.width.max(MIN_SIZE.width), height: size.height.max(MIN_SIZE.height) }
}

impl TerminalScreen {
    /// Creates an empty screen, no smaller than [`MIN_SIZE`].
    pub fn new(size: Size) -> Self {
        Self::with_history(size, HISTORY_LINES)
    }

    /// Creates an empty screen with so many lines of history at most.
    pub(crate) fn with_history(size: Size, history_limit: usize) -> Self {
        let size = at_least_min_size(size);
        let outbox = EventOutbox::default();
        let config = Config {
            scrolling_history: history_limit,
            kitty_keyboard: false, // see `keyboard`
            osc52: Osc52::Disabled,
            ..Config::default()
        };
        Self {
            term: Term::new(config, &TerminalCells(size), outbox.clone()),
            parser: Processor::new(),
            outbox,
            keyboard: KeyboardState::default(),
            hidden: HiddenState::default(),
            size,
            history_limit,
            title: None,
            bells: 0,
            last_match: None,
        }
    }

    /// Takes what the program wrote.
    pub fn feed(&mut self, bytes: &[u8]) -> TerminalReplies {
        let Self { term, parser, outbox, keyboard, hidden, .. } = self;
        hidden.note_bytes(bytes);
        parser.advance(&mut WithKeyboard { term, keyboard, outbox, hidden }, bytes);
        self.collect_replies()
    }

    /// Takes recorded output; returns how many cells it wrote. A frame that is not ended is shown at once: a recording has
    /// no clock that could end it.
    pub(crate) fn feed_recorded(&mut self, bytes: &[u8]) -> usize {
        self.feed(bytes);
        self.end_held_frame();
        self.hidden.take_written_cells()
    }

    /// Returns the number of cells of the screen and its history.
    pub(crate) fn cell_count(&self) -> usize {
        self.term.grid().total_lines() * self.term.grid().columns()
    }

    /// Resets the keyboard modes for another program.
    pub(crate) fn begin_program(&mut self) {
        self.keyboard = KeyboardState::default();
    }

    /// Returns the flags that the surrounding terminal needs so that keys can be reported to the program as it
    /// requested.
    pub fn outer_flags(&self) -> KeyboardFlags {
        self.keyboard.outer_flags(self.term_modes())
    }

    /// Returns whether the program began a frame and has not ended it.
    pub(crate) fn holds_frame(&self) -> bool {
        self.parser.sync_timeout().pending_timeout()
    }

    /// Shows the received part of a frame that takes too long.
    pub(crate) fn end_held_frame(&mut self) -> TerminalReplies {
        if self.holds_frame() {
            let Self { term, parser, outbox, keyboard, hidden, .. } = self;
            parser.stop_sync(&mut WithKeyboard { term, keyboard, outbox, hidden });
        }
        self.collect_replies()
    }

    /// Keeps the scroll position within the history, which a program or a resize may shorten.
    fn clamp_scroll(&mut self) {
        if self.term.grid().display_offset() > self.history_len() {
            self.term.scroll_display(Display::Bottom);
        }
    }

    fn collect_replies(&mut self) -> TerminalReplies {
        self.clamp_scroll();
        let events =
            std::mem::take(&mut *self.outbox.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut fed = TerminalReplies::default();
        for event in events {
            match event {
                Event::PtyWrite(text) => fed.replies.extend(text.into_bytes()),
                Event::ColorRequest(number, write) => {
                    let colour = match number {
                        BACKGROUND_NUMBER => BACKGROUND,
                        FOREGROUND_NUMBER => FOREGROUND,
                        _ => continue,
                    };
                    fed.replies.extend(write(colour).into_bytes());
                }
                Event::TextAreaSizeRequest(write) => {
                    let size = WindowSize {
                        num_lines: self.size.height,
                        num_cols: self.size.width,
                        cell_width: 1,
                        cell_height: 2,
                    };
                    fed.replies.extend(write(size).into_bytes());
                }
                Event::Title(title) => {
                    self.title = Some(title.chars().take(MAX_TITLE_CHARS).collect())
                }
                Event::ResetTitle => self.title = None,
                Event::Bell => self.bells += 1,
                _ => {}
            }
        }
        fed
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    /// Gives the screen another size; lines are broken anew.
    pub fn resize(&mut self, size: Size) {
        let size = at_least_min_size(size);
        if size != self.size {
            self.size = size;
            self.term.resize(TerminalCells(size));
            self.hidden.note_scroll_region(true);
            self.hidden.note_resize(self.term_modes());
            self.clamp_scroll();
            self.last_match = None; // its place is another one
        }
    }

    /// Returns the title that the program set.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref().filter(|title| !title.is_empty())
    }

    pub(crate) fn term_modes(&self) -> TermMode {
        *self.term.mode()
    }

    /// Returns lines of history above the screen.
    pub(crate) fn history_len(&self) -> usize {
        self.term.grid().history_size()
    }

    /// Returns the number of lines scrolled back; 0 at the end.
    pub(crate) fn lines_back(&self) -> usize {
        self.term.grid().display_offset()
    }

    /// Looks elsewhere in the history; up is back.
    pub(crate) fn scroll_history(&mut self, motion: Motion) {
        let height = usize::from(self.size.height);
        let top = self.history_len().saturating_sub(self.lines_back());
        let lines = self.history_len() + height;
        let wanted = match motion {
            Motion::Up(rows) => top.saturating_sub(rows),
            Motion::Down(rows) => top.saturating_add(rows),
            Motion::PageUp => top.saturating_sub(height),
            Motion::PageDown => top.saturating_add(height),
            Motion::HalfUp => top.saturating_sub(height / 2),
            Motion::HalfDown => top.saturating_add(height / 2),
            Motion::Start => 0,
            Motion::End => lines,
            Motion::To(line) => line.saturating_sub(1),
        };
        self.set_top_line(wanted);
    }

    /// Puts a line of the whole, counted from 0, at the top.
    fn set_top_line(&mut self, top: usize) {
        let back = self.history_len().saturating_sub(top);
        let by = i32::try_from(back).unwrap_or(i32::MAX)
            - i32::try_from(self.lines_back()).unwrap_or(i32::MAX);
        self.term.scroll_display(Display::Delta(by));
    }

    /// Returns the cell at a position of the visible screen; None outside.
    pub fn cell_at(&self, column: u16, row: u16) -> Option<&Cell> {
        if column >= self.size.width || row >= self.size.height {
            return None;
        }
        let line = i32::from(row) - i32::try_from(self.lines_back()).unwrap_or(i32::MAX);
        Some(&self.term.grid()[Point::new(Line(line), Column(usize::from(column)))])
    }

    /// Returns the column and the row of the cursor, from 0; None where it is hidden or scrolled out.
    pub(crate) fn cursor_on_screen(&self) -> Option<(u16, u16)> {
        if !self.term_modes().contains(TermMode::SHOW_CURSOR) {
            return None;
        }
        let point = self.term.grid().cursor.point;
        self.screen_position(point)
    }

    /// Returns the row of the cursor on the screen, from 0, also of a hidden one; None where it is scrolled out.
    pub(crate) fn cursor_row(&self) -> Option<u16> {
        self.screen_position(self.term.grid().cursor.point).map(|(_, row)| row)
    }

    /// Returns the column and the row on the screen, from 0, of a point of the grid; None where it is scrolled out.
    fn screen_position(&self, point: Point) -> Option<(u16, u16)> {
        let row = i64::from(point.line.0) + i64::try_from(self.lines_back()).unwrap_or(i64::MAX);
        let row = u16::try_from(row).ok().filter(|row| *row < self.size.height)?;
        let column =
            u16::try_from(point.column.0).ok().filter(|column| *column < self.size.width)?;
        Some((column, row))
    }

    /// Returns whether the terminal shows nothing and has no history.
    pub fn is_blank(&self) -> bool {
        self.history_len() == 0 && self.full_text().is_empty()
    }

    /// Returns the text of the screen and of the history above it, without blanks at the ends of lines.
    pub fn full_text(&self) -> String {
        let grid = self.term.grid();
        let first = Point::new(grid.topmost_line(), Column(0));
        let last = Point::new(grid.bottommost_line(), grid.last_column());
        let text = self.term.bounds_to_string(first, last);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

impl fmt::Debug for TerminalScreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal")
            .field("size", &self.size)
            .field("history", &self.history_len())
            .field("back", &self.lines_back())
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small_terminal() -> TerminalScreen {
        TerminalScreen::new(Size { width: 20, height: 4 })
    }

    fn terminal_after(words: &str) -> TerminalScreen {
        let mut terminal = small_terminal();
        terminal.feed(words.as_bytes());
        terminal
    }

    #[test]
    fn what_was_written_is_on_the_screen_and_then_in_the_history() {
        let mut terminal = terminal_after("one\r\ntwo\r\nthree\r\nfour\r\nfive");

        assert_eq!(terminal.full_text(), "one\ntwo\nthree\nfour\nfive");
        assert_eq!(
            (terminal.history_len(), terminal.lines_back(), terminal.cursor_on_screen()),
            (1, 0, Some((4, 3)))
        );
        terminal.scroll_history(Motion::Start);
        assert_eq!(
            (terminal.lines_back(), terminal.cell_at(0, 0).map(|cell| cell.c)),
            (1, Some('o'))
        );
        assert_eq!(terminal.cursor_on_screen(), None, "it is below what is looked at");
        terminal.scroll_history(Motion::End);
        assert_eq!(terminal.lines_back(), 0);
    }

    #[test]
    fn questions_are_answered() {
        let asked = |question: &str| {
            let replies = terminal_after("ab").feed(question.as_bytes()).replies;
            String::from_utf8(replies).unwrap()
        };

        assert_eq!(asked("\x1b[6n"), "\x1b[1;3R", "where the cursor is");
        assert_eq!(asked("\x1b[5n"), "\x1b[0n", "whether all is well");
        assert!(asked("\x1b[c").starts_with("\x1b[?"), "what we are");
        assert!(asked("\x1b]11;?\x07").starts_with("\x1b]11;rgb:1818/1818/1818"), "the ground");
        assert_eq!(asked("\x1b[18t"), "\x1b[8;4;20t", "how large we are");
        assert_eq!(asked("\x1b]52;c;?\x07"), "", "the clipboard is nobody's business");
    }

    #[test]
    fn a_frame_that_is_never_ended_is_shown_when_its_time_is_over() {
        let mut terminal = terminal_after("\x1b[?2026hhalf");

        assert!(terminal.holds_frame());
        assert_eq!(terminal.full_text(), "");
        terminal.end_held_frame();
        assert_eq!((terminal.full_text().as_str(), terminal.holds_frame()), ("half", false));
    }

    #[test]
    fn titles_are_bounded_and_bells_counted() {
        let mut terminal = terminal_after(&format!("\x1b]0;{}\x07\x07\x07", "x".repeat(999)));

        assert_eq!(terminal.title().map(str::len), Some(MAX_TITLE_CHARS));
        assert_eq!(terminal.bells, 2);
        terminal.feed(b"\x1b]0;\x07");
        assert_eq!(terminal.title(), None);
    }

    #[test]
    fn a_screen_that_is_made_smaller_keeps_its_words() {
        let mut terminal = terminal_after("a line of twenty ch.\r\nend");

        terminal.resize(Size { width: 7, height: 0 });

        assert_eq!(terminal.size(), Size { width: 7, height: 2 });
        assert_eq!(terminal.full_text().replace('\n', ""), "a line of twenty ch.end");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
        #[test]
        fn whatever_a_program_writes_the_terminal_stands(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..80),
                    "\\x1b\\[[<=>?]?[0-9;:?]{0,6}[@-~]".prop_map(String::into_bytes),
                    "\\x1b\\[[<=>?][0-9]{0,2}u".prop_map(String::into_bytes),
                    "[漢字a é\\u{301}]{0,12}".prop_map(String::into_bytes),
                ],
                0..40,
            ),
            sizes in proptest::collection::vec((0u16..40, 0u16..12), 1..6),
        ) {
            let mut terminal = small_terminal();
            for (at, piece) in pieces.iter().enumerate() {
                terminal.feed(piece);
                let (width, height) = sizes[at % sizes.len()];
                if at % 5 == 4 {
                    terminal.resize(Size { width, height });
                }
                terminal.scroll_history(if at % 2 == 0 { Motion::PageUp } else { Motion::Down(1) });
                let Size { width, height } = terminal.size();
                for row in 0..height {
                    for column in 0..width {
                        prop_assert!(terminal.cell_at(column, row).is_some());
                    }
                }
                prop_assert!(terminal.cell_at(width, 0).is_none() && terminal.cell_at(0, height).is_none());
            }
            terminal.end_held_frame();
            let _ = terminal.full_text();
        }
    }
}
