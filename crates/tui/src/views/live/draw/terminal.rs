//! Draws an emulated terminal, cell by cell, in the colours of its program.
//!
//! A program's output is text of others: invisible characters are blank here, since every cell has its place, and the
//! border separates the program's screen from our own text.

use alacritty_terminal::{
    term::cell::{Cell, Flags},
    vte::ansi::{Color as Wanted, NamedColor},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};

use crate::{
    views::live::terminal::TerminalScreen,
    widgets::{
        text,
        theme::{Meaning, Theme},
    },
};

/// Draws as much of the screen as the area has room for; with the keyboard in it the cursor is shown.
pub fn draw(
    terminal: &TerminalScreen,
    is_focused: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let size = terminal.size();
    let part = Rect::new(0, 0, size.width, size.height);
    draw_part(terminal, part, is_focused, theme, area, buffer);
}

/// Draws a part of the screen at the upper left of the area, as much as it has room for.
pub(super) fn draw_part(
    terminal: &TerminalScreen,
    part: Rect,
    is_focused: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let area = area.intersection(buffer.area);
    for y in 0..area.height {
        for x in 0..area.width {
            let at = (area.x + x, area.y + y);
            buffer[at].reset();
            let is_inside = x < part.width && y < part.height;
            let (column, row) = (part.x + x, part.y + y);
            let Some(cell) = terminal.cell_at(column, row).filter(|_| is_inside) else { continue };
            let is_cut =
                cell.flags.contains(Flags::WIDE_CHAR) && x + 1 >= part.width.min(area.width);
            let mut style = cell_style(cell, theme);
            if terminal.is_match_cell(column, row) {
                style = theme.style_for(Meaning::CurrentHit);
            }
            buffer[at].set_style(style);
            if !cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                match is_cut || cell.flags.contains(Flags::HIDDEN) {
                    true => buffer[at].set_char(' '),
                    false => buffer[at].set_symbol(&cell_symbol(cell)),
                };
            }
        }
    }
    let cursor = terminal.cursor_on_screen().filter(|_| is_focused);
    let cursor = cursor.and_then(|(x, y)| Some((x.checked_sub(part.x)?, y.checked_sub(part.y)?)));
    let is_inside =
        |x: u16, y: u16| x < area.width.min(part.width) && y < area.height.min(part.height);
    if let Some((x, y)) = cursor.filter(|(x, y)| is_inside(*x, *y)) {
        let cell = &mut buffer[(area.x + x, area.y + y)];
        cell.modifier.toggle(Modifier::REVERSED);
    }
}

/// Returns the character with its marks; a blank for an invisible one.
fn cell_symbol(cell: &Cell) -> String {
    let mut symbol = String::from(cell.c);
    symbol.extend(cell.zerowidth().into_iter().flatten());
    if cell.c.is_ascii_graphic() && symbol.len() == 1 {
        return symbol;
    }
    match text::safe(&symbol) == symbol {
        true => symbol,
        false if text::safe(cell.c.encode_utf8(&mut [0; 4])).chars().eq([cell.c]) => cell.c.into(),
        false => " ".into(),
    }
}

fn cell_style(cell: &Cell, theme: Theme) -> Style {
    let mut style = Style::reset();
    if theme.has_colours() {
        style = style.fg(terminal_colour(cell.fg)).bg(terminal_colour(cell.bg));
    }
    let looks = [
        (Flags::BOLD, Modifier::BOLD),
        (Flags::DIM, Modifier::DIM),
        (Flags::ITALIC, Modifier::ITALIC),
        (Flags::ALL_UNDERLINES, Modifier::UNDERLINED),
        (Flags::INVERSE, Modifier::REVERSED),
        (Flags::STRIKEOUT, Modifier::CROSSED_OUT),
    ];
    for (flag, modifier) in looks {
        if cell.flags.intersects(flag) {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn terminal_colour(wanted: Wanted) -> Color {
    match wanted {
        Wanted::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        Wanted::Indexed(number) => Color::Indexed(number),
        Wanted::Named(name) => named_colour(name),
    }
}

fn named_colour(name: NamedColor) -> Color {
    let number = name as usize;
    match u8::try_from(number) {
        Ok(number) if number < 16 => Color::Indexed(number),
        // The dim ones are the plain ones, dimmed by their modifier.
        _ if (NamedColor::DimBlack as usize..=NamedColor::DimWhite as usize).contains(&number) => {
            let number = number - NamedColor::DimBlack as usize;
            u8::try_from(number).map_or(Color::Reset, Color::Indexed)
        }
        _ => Color::Reset,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    fn drawn_buffer(words: &str, width: u16, theme: Theme) -> Buffer {
        let mut terminal = TerminalScreen::new(Size { width: 8, height: 2 });
        terminal.feed(words.as_bytes());
        let area = Rect::new(0, 0, width, 2);
        let mut buffer = Buffer::empty(area);
        draw(&terminal, true, theme, area, &mut buffer);
        buffer
    }

    fn row_text(buffer: &Buffer, y: u16) -> String {
        (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect()
    }

    #[test]
    fn words_have_the_looks_their_program_gave_them() {
        let buffer = drawn_buffer(
            "\x1b[1;31mab\x1b[0;48;2;1;2;3mc\x1b[0;7md",
            8,
            Theme::with_terminal_colours(),
        );

        assert_eq!(row_text(&buffer, 0), "abcd    ");
        assert_eq!(
            (buffer[(0, 0)].fg, buffer[(0, 0)].modifier),
            (Color::Indexed(1), Modifier::BOLD)
        );
        assert_eq!(buffer[(2, 0)].bg, Color::Rgb(1, 2, 3));
        assert_eq!(buffer[(3, 0)].modifier, Modifier::REVERSED);
        assert_eq!(buffer[(4, 0)].modifier, Modifier::REVERSED, "the cursor");
    }

    #[test]
    fn without_colours_there_are_only_modifiers() {
        let buffer = drawn_buffer("\x1b[1;31ma", 8, Theme::without_colours());
        assert_eq!((buffer[(0, 0)].fg, buffer[(0, 0)].modifier), (Color::Reset, Modifier::BOLD));
    }

    #[test]
    fn wide_characters_are_never_cut_in_half_and_marks_stay_with_their_letter() {
        assert_eq!(
            drawn_buffer("漢e\u{301}", 8, Theme::with_terminal_colours())[(2, 0)].symbol(),
            "e\u{301}"
        );
        assert_eq!(row_text(&drawn_buffer("abc漢", 4, Theme::with_terminal_colours()), 0), "abc ");
    }

    #[test]
    fn what_turns_words_round_is_not_shown() {
        let buffer = drawn_buffer("a\u{202e}b\u{200b}c", 8, Theme::with_terminal_colours());
        assert_eq!(row_text(&buffer, 0), "abc     ");
    }
}
