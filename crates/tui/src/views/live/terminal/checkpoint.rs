//! Copies of a screen, from which a recording is played on without its beginning.
//!
//! The emulator cannot be copied as a whole: [`HiddenState`] follows the parts of it that cannot be read, and a copy is
//! taken only while these are as they are at the beginning and no escape sequence is incomplete. So a copy that was
//! restored goes on exactly as the screen that it was taken of.

use alacritty_terminal::{
    grid::{Dimensions, Grid, Scroll as Display},
    term::{TermMode, cell::Cell},
    vte::ansi::{CharsetIndex, Handler, Mode, NamedMode, NamedPrivateMode, PrivateMode},
};
use ratatui::layout::Size;

use super::{TerminalScreen, keyboard_modes::KeyboardState};

/// A copy of a screen with its history.
#[derive(Debug)]
pub(crate) struct ScreenCheckpoint {
    size: Size,
    /// The main screen, and the alternate one while it is shown.
    main: Grid<Cell>,
    alternate: Option<Grid<Cell>>,
    modes: TermMode,
    title: Option<String>,
    keyboard: KeyboardState,
    /// The character that a repetition repeats.
    last_char: Option<char>,
}

/// The parts of the emulator that it does not show to others.
#[derive(Debug, Default)]
pub struct HiddenState {
    has_scroll_region: bool,
    has_tab_stops: bool,
    has_charset: bool,
    /// The number of titles that the program has put aside.
    titles: usize,
    last_char: Option<char>,
    escape: EscapeState,
    /// The alternate screen has a saved cursor, which stays while the main screen is shown.
    has_alternate_cursor: bool,
    /// The size changed while the alternate screen was shown: the cursor and the saved cursor of the main screen may differ.
    was_resized: bool,
    /// The cells that were written since they were last asked for.
    written_cells: usize,
}

/// Where the parser is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EscapeState {
    /// Outside of escape sequences.
    #[default]
    Ground,
    Escape,
    ControlSequence,
    /// In a title or a link, which a bell ends.
    SystemCommand,
    /// In another string, which an escape ends.
    DeviceString,
}

const ESCAPE: u8 = 0x1b;

impl HiddenState {
    /// Follows the parser.
    pub(super) fn note_bytes(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            if self.escape == EscapeState::Ground {
                let Some(next) = memchr::memchr(ESCAPE, &bytes[at..]) else { return };
                at += next;
            }
            self.escape = self.escape.after_byte(bytes[at]);
            at += 1;
        }
    }

    pub(super) const fn note_char(&mut self, c: char) {
        self.last_char = Some(c);
    }

    pub(super) const fn note_scroll_region(&mut self, is_whole: bool) {
        self.has_scroll_region = !is_whole;
    }

    pub(super) const fn note_tab_stops(&mut self) {
        self.has_tab_stops = true;
    }

    pub(super) fn note_charset(&mut self, index: CharsetIndex) {
        self.has_charset = index != CharsetIndex::G0;
    }

    pub(super) const fn note_title_pushed(&mut self) {
        self.titles = self.titles.saturating_add(1);
    }

    pub(super) const fn note_title_popped(&mut self) {
        self.titles = self.titles.saturating_sub(1);
    }

    /// Notes that everything is as at the beginning.
    pub(super) const fn note_reset(&mut self) {
        (self.has_scroll_region, self.has_tab_stops, self.has_charset) = (false, false, false);
        (self.has_alternate_cursor, self.was_resized) = (false, false);
        self.titles = 0;
    }

    pub(super) fn note_saved_cursor(&mut self, modes: TermMode) {
        self.has_alternate_cursor |= modes.contains(TermMode::ALT_SCREEN);
    }

    pub(super) fn note_resize(&mut self, modes: TermMode) {
        self.was_resized |= modes.contains(TermMode::ALT_SCREEN);
    }

    /// Notes that the main screen is shown.
    pub(super) const fn note_main_screen(&mut self) {
        self.was_resized = false;
    }

    pub(super) const fn note_written(&mut self, cells: usize) {
        self.written_cells = self.written_cells.saturating_add(cells);
    }

    /// Returns the number of cells that were written since the call before, and counts anew.
    pub(super) const fn take_written_cells(&mut self) -> usize {
        std::mem::replace(&mut self.written_cells, 0)
    }

    fn is_as_at_first(&self, modes: TermMode) -> bool {
        let is_alternate = modes.contains(TermMode::ALT_SCREEN);
        let has_any = self.has_scroll_region
            || self.has_tab_stops
            || self.has_charset
            || (self.has_alternate_cursor && !is_alternate)
            || (self.was_resized && is_alternate);
        !has_any && self.titles == 0 && self.escape == EscapeState::Ground
    }
}

impl EscapeState {
    const fn after_byte(self, byte: u8) -> Self {
        match (self, byte) {
            (_, ESCAPE) => Self::Escape,
            (_, 0x18 | 0x1a) => Self::Ground, // the sequence is cancelled
            (Self::Escape, b'[') => Self::ControlSequence,
            (Self::Escape, b']') => Self::SystemCommand,
            (Self::Escape, b'P' | b'X' | b'^' | b'_') => Self::DeviceString,
            (Self::Escape, 0x30..=0x7e) | (Self::ControlSequence, 0x40..=0x7e) => Self::Ground,
            (Self::SystemCommand, 0x07) => Self::Ground,
            (state, _) => state,
        }
    }
}

/// The modes that decide what becomes of output.
const PRIVATE_MODES: [(TermMode, NamedPrivateMode); 3] = [
    (TermMode::SHOW_CURSOR, NamedPrivateMode::ShowCursor),
    (TermMode::ORIGIN, NamedPrivateMode::Origin),
    (TermMode::LINE_WRAP, NamedPrivateMode::LineWrap),
];
const MODES: [(TermMode, NamedMode); 2] = [
    (TermMode::INSERT, NamedMode::Insert),
    (TermMode::LINE_FEED_NEW_LINE, NamedMode::LineFeedNewLine),
];

impl TerminalScreen {
    /// Returns a copy; None while the state has parts that cannot be copied.
    pub(crate) fn take_checkpoint(&mut self) -> Option<ScreenCheckpoint> {
        if !self.hidden.is_as_at_first(self.term_modes()) || self.holds_frame() {
            return None;
        }
        let modes = self.term_modes();
        let visible = self.term.grid().clone();
        let (main, alternate) = if modes.contains(TermMode::ALT_SCREEN) {
            self.term.swap_alt();
            let main = self.term.grid().clone();
            self.term.swap_alt(); // this empties the alternate screen
            *self.term.grid_mut() = visible.clone();
            (main, Some(visible))
        } else {
            (visible, None)
        };
        Some(ScreenCheckpoint {
            size: self.size,
            main,
            alternate,
            modes,
            title: self.title.clone(),
            keyboard: self.keyboard.clone(),
            last_char: self.hidden.last_char,
        })
    }

    /// Becomes the screen that a copy was taken of, at the end of its history.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &ScreenCheckpoint) {
        *self = Self::with_history(checkpoint.size, self.history_limit);
        if let Some(c) = checkpoint.last_char {
            self.feed(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        let term = &mut self.term;
        term.set_title(checkpoint.title.clone());
        for (flag, mode) in PRIVATE_MODES {
            match checkpoint.modes.contains(flag) {
                true => term.set_private_mode(PrivateMode::Named(mode)),
                false => term.unset_private_mode(PrivateMode::Named(mode)),
            }
        }
        for (flag, mode) in MODES {
            match checkpoint.modes.contains(flag) {
                true => term.set_mode(Mode::Named(mode)),
                false => term.unset_mode(Mode::Named(mode)),
            }
        }
        *term.grid_mut() = checkpoint.main.clone();
        if let Some(alternate) = &checkpoint.alternate {
            term.swap_alt();
            *term.grid_mut() = alternate.clone();
        }
        term.scroll_display(Display::Bottom);
        // The copy in the alternate screen may have a saved cursor.
        self.hidden.note_saved_cursor(checkpoint.modes);
        self.keyboard = checkpoint.keyboard.clone();
        self.collect_replies();
        self.title.clone_from(&checkpoint.title);
    }
}

impl ScreenCheckpoint {
    /// Returns about how many bytes it takes.
    pub(crate) fn size_in_bytes(&self) -> usize {
        let grids = std::iter::once(&self.main).chain(&self.alternate);
        grids.map(|grid| grid.total_lines() * grid.columns() * size_of::<Cell>()).sum()
    }
}
