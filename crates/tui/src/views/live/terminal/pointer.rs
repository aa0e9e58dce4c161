//! The mouse as a program in a terminal hears it: xterm's reports, in the mode the program asked for.

use alacritty_terminal::term::TermMode;

use crate::widgets::{
    mouse::{Kind, NOTCH},
    scroll::Motion,
};

use super::Terminal;

/// Buttons as reports number them.
const LEFT: u8 = 0;
const RELEASED: u8 = 3;
const MOVED: u8 = 32;
const NONE: u8 = 3;
const WHEEL: u8 = 64;

/// The old form has one byte for a column or a row, counted from 33.
const MOST_OLD: u16 = 223;

impl Terminal {
    /// Something done with the mouse at a cell of the screen (counted from 0). What is given back is to be written to
    /// the program; where it did not ask for the mouse, the wheel looks through the history.
    pub fn point(&mut self, kind: Kind, column: u16, row: u16) -> Vec<u8> {
        let modes = self.modes();
        if modes.intersects(TermMode::MOUSE_MODE) {
            return report(kind, column, row, modes).unwrap_or_default();
        }
        let motion = match kind {
            Kind::WheelUp => Motion::Up(NOTCH),
            Kind::WheelDown => Motion::Down(NOTCH),
            _ => return vec![],
        };
        let scrolls_program = TermMode::ALT_SCREEN | TermMode::ALTERNATE_SCROLL;
        if !modes.contains(scrolls_program) {
            self.scroll(motion);
            return vec![];
        }
        let letter = if kind == Kind::WheelUp { 'A' } else { 'B' };
        let intro = if modes.contains(TermMode::APP_CURSOR) { 'O' } else { '[' };
        format!("\x1b{intro}{letter}").repeat(NOTCH).into_bytes()
    }
}

/// None where the program did not ask for this.
fn report(kind: Kind, column: u16, row: u16, modes: TermMode) -> Option<Vec<u8>> {
    let drags = TermMode::MOUSE_DRAG | TermMode::MOUSE_MOTION;
    let (button, is_release) = match kind {
        Kind::Click | Kind::DoubleClick => (LEFT, false),
        Kind::Release => (LEFT, true),
        Kind::Drag if modes.intersects(drags) => (LEFT + MOVED, false),
        Kind::Move if modes.contains(TermMode::MOUSE_MOTION) => (NONE + MOVED, false),
        Kind::WheelUp => (WHEEL, false),
        Kind::WheelDown => (WHEEL + 1, false),
        Kind::WheelLeft => (WHEEL + 2, false),
        Kind::WheelRight => (WHEEL + 3, false),
        Kind::Drag | Kind::Move => return None,
    };
    if modes.contains(TermMode::SGR_MOUSE) {
        let end = if is_release { 'm' } else { 'M' };
        return Some(format!("\x1b[<{button};{};{}{end}", column + 1, row + 1).into_bytes());
    }
    if column >= MOST_OLD || row >= MOST_OLD {
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

    fn pointed(setup: &str, kind: Kind) -> String {
        let mut terminal = Terminal::new(Size { width: 300, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.point(kind, 4, 2)).unwrap()
    }

    #[test]
    fn reports_come_in_the_form_that_was_asked_for() {
        let modern = "\x1b[?1000h\x1b[?1006h";
        assert_eq!(pointed(modern, Kind::Click), "\x1b[<0;5;3M");
        assert_eq!(pointed(modern, Kind::Release), "\x1b[<0;5;3m");
        assert_eq!(pointed(modern, Kind::WheelDown), "\x1b[<65;5;3M");
        assert_eq!(pointed(modern, Kind::Drag), "", "it asked for clicks only");
        assert_eq!(pointed("\x1b[?1002h\x1b[?1006h", Kind::Drag), "\x1b[<32;5;3M");
        assert_eq!(pointed("\x1b[?1003h\x1b[?1006h", Kind::Move), "\x1b[<35;5;3M");
        assert_eq!(pointed("\x1b[?1000h", Kind::Click), "\x1b[M %#");
        assert_eq!(pointed("\x1b[?1000h", Kind::Release), "\x1b[M#%#");
    }

    #[test]
    fn a_place_that_the_old_form_cannot_say_is_not_said() {
        let mut terminal = Terminal::new(Size { width: 300, height: 4 });
        terminal.feed(b"\x1b[?1000h");
        assert_eq!(terminal.point(Kind::Click, 250, 1), b"");
    }

    #[test]
    fn the_wheel_of_a_program_without_a_mouse_looks_back_or_moves_its_cursor() {
        let mut terminal = Terminal::new(Size { width: 20, height: 2 });
        terminal.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6");
        assert_eq!(terminal.point(Kind::WheelUp, 0, 0), b"");
        assert_eq!(terminal.back(), 3);
        terminal.feed(b"\x1b[?1049h");
        assert_eq!(terminal.point(Kind::WheelUp, 0, 0), b"\x1b[A\x1b[A\x1b[A");
    }
}
