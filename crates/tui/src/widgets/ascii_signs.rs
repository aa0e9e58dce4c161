//! Our signs in ASCII, for terminals that have nothing else.
//!
//! The drawn frame is rewritten cell by cell, so that no panel has to know. Recorded text is rewritten too: on a
//! terminal without UTF-8 the bytes of other characters are noise or, worse, commands. A character without a likeness becomes `?`.

use ratatui::{buffer::Buffer, symbols::line};

use super::text;

/// Keys and numbers that one character cannot say.
const SPELLED_SIGNS: &[(&str, &str)] = &[
    ("←→", "left/right"),
    ("↑↓", "up/down"),
    ("⏎", "enter"),
    ("←", "left"),
    ("→", "right"),
    ("↑", "up"),
    ("↓", "down"),
    ("¼", "1/4"),
    ("½", "1/2"),
];

/// ASCII characters that resemble each sign, as wide as the sign.
const LIKENESSES: &[(&str, &str)] = &[
    ("▌", ">"),
    ("▐", "<"),
    ("▸", "+"),
    ("▾", "-"),
    ("▶", ">"),
    ("◀", "<"),
    ("▲", "^"),
    ("▼", "v"),
    ("✗", "x"),
    ("✖", "X"),
    ("■", "#"),
    ("□", "o"),
    ("✓", "y"),
    ("×", "x"),
    ("⟲", "@"),
    ("⑂", "Y"),
    ("◇", "o"),
    ("◈", "*"),
    ("◆", "#"),
    ("●", "*"),
    ("○", "o"),
    ("◐", "~"),
    ("⊘", "!"),
    ("⚠", "!"),
    ("⚑", "!"),
    ("‽", "?"),
    ("∅", "o"),
    ("§", "$"),
    ("≡", "="),
    ("≈", "~"),
    ("╭", "+"),
    ("╮", "+"),
    ("⋯", "~"),
    ("…", "."),
    ("−", "-"),
    ("–", "-"),
    ("—", "-"),
    ("·", "-"),
    ("•", "*"),
    ("‹", "<"),
    ("›", ">"),
    ("«", "<"),
    ("»", ">"),
    ("⟨", "<"),
    ("⟩", ">"),
    ("“", "\""),
    ("”", "\""),
    ("‘", "'"),
    ("’", "'"),
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("↳", "\\"),
    ("⏎", "|"),
    ("▁", "_"),
    ("▂", "_"),
    ("▃", "."),
    ("▄", "."),
    ("▅", "="),
    ("▆", "="),
    ("▇", "#"),
    ("█", "#"),
    ("░", "."),
    ("▒", ":"),
    ("▓", "#"),
    (line::HORIZONTAL, "-"),
    (line::THICK_HORIZONTAL, "-"),
    ("┄", "-"),
    ("┈", "-"),
    (line::VERTICAL, "|"),
    (line::THICK_VERTICAL, "|"),
    ("┆", ":"),
    ("┊", ":"),
];

/// Spells out signs of our own text that ASCII cannot show in one character. Use it before measuring the text.
pub(crate) fn spell_out_signs(words: &str) -> String {
    SPELLED_SIGNS.iter().fold(words.to_owned(), |words, (sign, word)| words.replace(sign, word))
}

/// Leaves only ASCII in a frame.
pub(crate) fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let cells = text::width(cell.symbol()).max(1);
            let likeness = ascii_likeness(cell.symbol()).repeat(cells);
            cell.set_symbol(&likeness);
        }
    }
}

fn ascii_likeness(symbol: &str) -> &'static str {
    let known = LIKENESSES.iter().find(|(sign, _)| *sign == symbol);
    let is_corner = symbol.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c));
    known.map_or(if is_corner { "+" } else { "?" }, |(_, likeness)| likeness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{layout::Rect, text::Line, widgets::Widget};

    #[test]
    fn a_sign_keeps_its_width() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 1));
        Line::from("┌─ 漢 −8…é").render(buffer.area, &mut buffer);

        to_ascii(&mut buffer);

        assert_eq!(crate::widgets::export::frame_text(&buffer), "+- ?? -8.\n");
        assert!(LIKENESSES.iter().all(|(sign, likeness)| text::width(sign) == likeness.len()));
    }

    #[test]
    fn keys_are_spelled_out() {
        assert_eq!(spell_out_signs("←→"), "left/right");
        assert_eq!(spell_out_signs("h ←"), "h left");
    }
}
