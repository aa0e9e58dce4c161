//! Encodes the mouse for a program in a terminal: xterm's reports, in the mode that the program requested.

use alacritty_terminal::term::TermMode;

use crate::widgets::{
    mouse::{MouseKind, ROWS_PER_WHEEL_NOTCH},
    scroll::Motion,
};

use super::TerminalScreen;

/// Buttons as reports number them.
const LEFT: u8 = 0;
const RELEASED: u8 = 3;
const MOVED: u8 = 32;
const NONE: u8 = 3;
const WHEEL: u8 = 64;

/// The old form has one byte for a column or a row, counted from 33.
const MAX_LEGACY_CELL: u16 = 223;

impl TerminalScreen {
    /// Handles a mouse event at a cell of the screen (counted from 0). Returns the bytes to write to the program; where
    /// it did not request the mouse, the wheel scrolls the history.
    pub(crate) fn handle_mouse(&mut self, kind: MouseKind, column: u16, row: u16) -> Vec<u8> {
        let modes = self.term_modes();
        if modes.intersects(TermMode::MOUSE_MODE) {
            return mouse_report(kind, column, row, modes).unwrap_or_default();
        }
        let motion = match kind {
            MouseKind::WheelUp => Motion::Up(ROWS_PER_WHEEL_NOTCH),
            MouseKind::WheelDown => Motion::Down(ROWS_PER_WHEEL_NOTCH),
            _ => return vec![],
        };
        let scrolls_program = TermMode::ALT_SCREEN | TermMode::ALTERNATE_SCROLL;
        if !modes.contains(scrolls_program) {
            self.scroll_history(motion);
            return vec![];
        }
        let letter = if kind == MouseKind::WheelUp { 'A' } else { 'B' };
        let intro = if modes.contains(TermMode::APP_CURSOR) { 'O' } else { '[' };
        format!("\x1b{intro}{letter}").repeat(ROWS_PER_WHEEL_NOTCH).into_bytes()
    }
}

/// Returns the report of a mouse event; None where the program did not request it.
fn mouse_report(kind: MouseKind, column: u16, row: u16, modes: TermMode) -> Option<Vec<u8>> {
    let drags = TermMode::MOUSE_DRAG | TermMode::MOUSE_MOTION;
    let (button, is_release) = match kind {
        MouseKind::Click | MouseKind::DoubleClick => (LEFT, false),
        MouseKind::Release => (LEFT, true),
        MouseKind::Drag if modes.intersects(drags) => (LEFT + MOVED, false),
        MouseKind::Move if modes.contains(TermMode::MOUSE_MOTION) => (NONE + MOVED, false),
        MouseKind::WheelUp => (WHEEL, false),
        MouseKind::WheelDown => (WHEEL + 1, false),
        MouseKind::WheelLeft => (WHEEL + 2, false),
        MouseKind::WheelRight => (WHEEL + 3, false),
        MouseKind::Drag | MouseKind::Move => return None,
    };
    if modes.contains(TermMode::SGR_MOUSE) {
        let end = if is_release { 'm' } else { 'M' };
        return Some(format!("\x1b[<{button};{};{}{end}", column + 1, row + 1).into_bytes());
    }
    if column >= MAX_LEGACY_CELL || row >= MAX_LEGACY_CELL {
        return None;
    }
    let button = if is_release { RELEASED } else { button };
    let cell = |at: u16| u8::try_from(at + 33).ok();
    Some(vec![0x1b, b'[', b'M', button + 32, cell(column)?, cell(row)?])
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    fn bytes_for_mouse(setup: &str, kind: MouseKind) -> String {
        let mut terminal = TerminalScreen::new(Size { width: 300, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.handle_mouse(kind, 4, 2)).unwrap()
    }

    #[test]
    fn reports_come_in_the_form_that_was_asked_for() {
        let modern = "\x1b[?1000h\x1b[?1006h";
        assert_eq!(bytes_for_mouse(modern, MouseKind::Click), "\x1b[<0;5;3M");
        assert_eq!(bytes_for_mouse(modern, MouseKind::Release), "\x1b[<0;5;3m");
        assert_eq!(bytes_for_mouse(modern, MouseKind::WheelDown), "\x1b[<65;5;3M");
        assert_eq!(bytes_for_mouse(modern, MouseKind::Drag), "", "it asked for clicks only");
        assert_eq!(bytes_for_mouse("\x1b[?1002h\x1b[?1006h", MouseKind::Drag), "\x1b[<32;5;3M");
        assert_eq!(bytes_for_mouse("\x1b[?1003h\x1b[?1006h", MouseKind::Move), "\x1b[<35;5;3M");
        assert_eq!(bytes_for_mouse("\x1b[?1000h", MouseKind::Click), "\x1b[M %#");
        assert_eq!(bytes_for_mouse("\x1b[?1000h", MouseKind::Release), "\x1b[M#%#");
    }

    #[test]
    fn a_place_that_the_old_form_cannot_say_is_not_said() {
        let mut terminal = TerminalScreen::new(Size { width: 300, height: 4 });
        terminal.feed(b"\x1b[?1000h");
        assert_eq!(terminal.handle_mouse(MouseKind::Click, 250, 1), b"");
    }

    #[test]
    fn the_wheel_of_a_program_without_a_mouse_looks_back_or_moves_its_cursor() {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 2 });
        terminal.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6");
        assert_eq!(terminal.handle_mouse(MouseKind::WheelUp, 0, 0), b"");
        assert_eq!(terminal.lines_back(), 3);
        terminal.feed(b"\x1b[?1049h");
        assert_eq!(terminal.handle_mouse(MouseKind::WheelUp, 0, 0), b"\x1b[A\x1b[A\x1b[A");
    }
}
