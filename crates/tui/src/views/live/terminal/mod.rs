//! A terminal as state: what a program wrote into it, what it wants to hear back, and where in its history we look.
//!
//! Fed with bytes, it is the screen that the program thinks it has ([`Terminal::feed`]); it answers the program's
//! questions about it ([`Fed::replies`]) and says how keys, text and the mouse are to be written to it ([`keys`], [`keyboard`],
//! [`mod@pointer`]). It starts nothing and reads nothing: whoever owns the program moves the bytes both ways, so that a whole
//! session can be played back without one. What comes out of a program is somebody else's words: it can move the cursor
//! here and nowhere else, has no clipboard, and its history is bounded.

pub mod find;
pub mod keyboard;
pub mod keys;
pub mod kitty;
pub mod pointer;

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

use find::Found;
use keyboard::{Flags, Keyboard, WithKeyboard};

/// The least a terminal is given: with one column a wide character has no place and the emulator never comes to an end.
pub const LEAST: Size = Size { width: 2, height: 2 };

/// Lines of history.
pub const HISTORY: usize = 10_000;

/// A title longer than this is cut (characters).
const MOST_TITLE: usize = 200;

/// What a program is told of our colours where it asks: text and ground of a dark terminal.
const INK: Rgb = Rgb { r: 0xd8, g: 0xd8, b: 0xd8 };
const GROUND: Rgb = Rgb { r: 0x18, g: 0x18, b: 0x18 };

/// The emulator's numbers of these two.
const INK_NUMBER: usize = 256;
const GROUND_NUMBER: usize = 257;

/// A screen with its history.
pub struct Terminal {
    term: Term<Outbox>,
    parser: Processor<Hold>,
    outbox: Outbox,
    keyboard: Keyboard,
    size: Size,
    title: Option<String>,
    bells: usize,
    found: Option<Found>,
}

/// What came of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fed {
    /// To be written to the program.
    pub replies: Vec<u8>,
}

/// Where the emulator leaves what it wants to say.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<Event>>>);

impl EventListener for Outbox {
    fn send_event(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// Whether the program holds its frame back until it is whole. Nobody here has a clock: [`Terminal::end_wait`] ends it.
#[derive(Debug, Default)]
struct Hold(bool);

impl Timeout for Hold {
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
struct Cells(Size);

impl Dimensions for Cells {
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

/// No smaller than [`LEAST`].
pub fn at_least(size: Size) -> Size {
    Size { width: size.width.max(LEAST.width), height: size.height.max(LEAST.height) }
}

impl Terminal {
    /// An empty screen; smaller than [`LEAST`] it does not get.
    pub fn new(size: Size) -> Self {
        let size = at_least(size);
        let outbox = Outbox::default();
        let config = Config {
            scrolling_history: HISTORY,
            kitty_keyboard: false, // see `keyboard`
            osc52: Osc52::Disabled,
            ..Config::default()
        };
        Self {
            term: Term::new(config, &Cells(size), outbox.clone()),
            parser: Processor::new(),
            outbox,
            keyboard: Keyboard::default(),
            size,
            title: None,
            bells: 0,
            found: None,
        }
    }

    /// Takes what the program wrote.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        let Self { term, parser, outbox, keyboard, .. } = self;
        parser.advance(&mut WithKeyboard { term, keyboard, outbox }, bytes);
        self.collect()
    }

    /// Another program has the terminal from now on: what the one before asked of the keyboard does not hold any more.
    pub fn begin_program(&mut self) {
        self.keyboard = Keyboard::default();
    }

    /// What the terminal around us has to tell of keys, so that the program can be told of them as it asked.
    pub fn outer_flags(&self) -> Flags {
        self.keyboard.outer_flags(self.modes())
    }

    /// Whether the program began a frame that it has not ended.
    pub fn is_held(&self) -> bool {
        self.parser.sync_timeout().pending_timeout()
    }

    /// Shows what is there of a frame that takes too long.
    pub fn end_wait(&mut self) -> Fed {
        if self.is_held() {
            let Self { term, parser, outbox, keyboard, .. } = self;
            parser.stop_sync(&mut WithKeyboard { term, keyboard, outbox });
        }
        self.collect()
    }

    /// The emulator may look back further than there is history, where a program or another size took some away.
    fn stay_inside(&mut self) {
        if self.term.grid().display_offset() > self.history() {
            self.term.scroll_display(Display::Bottom);
        }
    }

    fn collect(&mut self) -> Fed {
        self.stay_inside();
        let events =
            std::mem::take(&mut *self.outbox.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut fed = Fed::default();
        for event in events {
            match event {
                Event::PtyWrite(text) => fed.replies.extend(text.into_bytes()),
                Event::ColorRequest(number, write) => {
                    let colour = match number {
                        GROUND_NUMBER => GROUND,
                        INK_NUMBER => INK,
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
                Event::Title(title) => self.title = Some(title.chars().take(MOST_TITLE).collect()),
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
        let size = at_least(size);
        if size != self.size {
            self.size = size;
            self.term.resize(Cells(size));
            self.stay_inside();
            self.found = None; // its place is another one
        }
    }

    /// What the program calls itself.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref().filter(|title| !title.is_empty())
    }

    /// How often it rang.
    pub const fn bells(&self) -> usize {
        self.bells
    }

    pub fn modes(&self) -> TermMode {
        *self.term.mode()
    }

    /// Whether the program has the whole screen and keeps no history.
    pub fn is_full_screen(&self) -> bool {
        self.modes().contains(TermMode::ALT_SCREEN)
    }

    /// Lines of history above the screen.
    pub fn history(&self) -> usize {
        self.term.grid().history_size()
    }

    /// Lines that we look back; 0 at the end.
    pub fn back(&self) -> usize {
        self.term.grid().display_offset()
    }

    /// Looks elsewhere in the history; up is back.
    pub fn scroll(&mut self, motion: Motion) {
        let height = usize::from(self.size.height);
        let top = self.history().saturating_sub(self.back());
        let lines = self.history() + height;
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
        self.show_from(wanted);
    }

    /// Puts a line of the whole, counted from 0, at the top.
    fn show_from(&mut self, top: usize) {
        let back = self.history().saturating_sub(top);
        let by = i32::try_from(back).unwrap_or(i32::MAX)
            - i32::try_from(self.back()).unwrap_or(i32::MAX);
        self.term.scroll_display(Display::Delta(by));
    }

    /// The cell at a place of the screen as it is looked at; None outside.
    pub fn cell(&self, column: u16, row: u16) -> Option<&Cell> {
        if column >= self.size.width || row >= self.size.height {
            return None;
        }
        let line = i32::from(row) - i32::try_from(self.back()).unwrap_or(i32::MAX);
        Some(&self.term.grid()[Point::new(Line(line), Column(usize::from(column)))])
    }

    /// Where the cursor is on the screen as it is looked at; None where it is hidden or not in sight.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        if !self.modes().contains(TermMode::SHOW_CURSOR) {
            return None;
        }
        let point = self.term.grid().cursor.point;
        self.on_screen(point)
    }

    fn on_screen(&self, point: Point) -> Option<(u16, u16)> {
        let row = i64::from(point.line.0) + i64::try_from(self.back()).unwrap_or(i64::MAX);
        let row = u16::try_from(row).ok().filter(|row| *row < self.size.height)?;
        let column =
            u16::try_from(point.column.0).ok().filter(|column| *column < self.size.width)?;
        Some((column, row))
    }

    /// Whether nothing was ever written that could be seen.
    pub fn is_blank(&self) -> bool {
        self.history() == 0 && self.text().is_empty()
    }

    /// The words of the screen and of the history above it, without blanks at the ends of lines.
    pub fn text(&self) -> String {
        let grid = self.term.grid();
        let first = Point::new(grid.topmost_line(), Column(0));
        let last = Point::new(grid.bottommost_line(), grid.last_column());
        let text = self.term.bounds_to_string(first, last);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal")
            .field("size", &self.size)
            .field("history", &self.history())
            .field("back", &self.back())
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terminal() -> Terminal {
        Terminal::new(Size { width: 20, height: 4 })
    }

    fn fed(words: &str) -> Terminal {
        let mut terminal = terminal();
        terminal.feed(words.as_bytes());
        terminal
    }

    #[test]
    fn what_was_written_is_on_the_screen_and_then_in_the_history() {
        let mut terminal = fed("one\r\ntwo\r\nthree\r\nfour\r\nfive");

        assert_eq!(terminal.text(), "one\ntwo\nthree\nfour\nfive");
        assert_eq!((terminal.history(), terminal.back(), terminal.cursor()), (1, 0, Some((4, 3))));
        terminal.scroll(Motion::Start);
        assert_eq!((terminal.back(), terminal.cell(0, 0).map(|cell| cell.c)), (1, Some('o')));
        assert_eq!(terminal.cursor(), None, "it is below what is looked at");
        terminal.scroll(Motion::End);
        assert_eq!(terminal.back(), 0);
    }

    #[test]
    fn questions_are_answered() {
        let asked = |question: &str| {
            let replies = fed("ab").feed(question.as_bytes()).replies;
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
        let mut terminal = fed("\x1b[?2026hhalf");

        assert!(terminal.is_held());
        assert_eq!(terminal.text(), "");
        terminal.end_wait();
        assert_eq!((terminal.text().as_str(), terminal.is_held()), ("half", false));
    }

    #[test]
    fn titles_are_bounded_and_bells_counted() {
        let mut terminal = fed(&format!("\x1b]0;{}\x07\x07\x07", "x".repeat(999)));

        assert_eq!(terminal.title().map(str::len), Some(MOST_TITLE));
        assert_eq!(terminal.bells(), 2);
        terminal.feed(b"\x1b]0;\x07");
        assert_eq!(terminal.title(), None);
    }

    #[test]
    fn a_screen_that_is_made_smaller_keeps_its_words() {
        let mut terminal = fed("a line of twenty ch.\r\nend");

        terminal.resize(Size { width: 7, height: 0 });

        assert_eq!(terminal.size(), Size { width: 7, height: 2 });
        assert_eq!(terminal.text().replace('\n', ""), "a line of twenty ch.end");
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
            let mut terminal = terminal();
            for (at, piece) in pieces.iter().enumerate() {
                terminal.feed(piece);
                let (width, height) = sizes[at % sizes.len()];
                if at % 5 == 4 {
                    terminal.resize(Size { width, height });
                }
                terminal.scroll(if at % 2 == 0 { Motion::PageUp } else { Motion::Down(1) });
                let Size { width, height } = terminal.size();
                for row in 0..height {
                    for column in 0..width {
                        prop_assert!(terminal.cell(column, row).is_some());
                    }
                }
                prop_assert!(terminal.cell(width, 0).is_none() && terminal.cell(0, height).is_none());
            }
            terminal.end_wait();
            let _ = terminal.text();
        }
    }
}
