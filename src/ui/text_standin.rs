//! Stands in for `ui::text` until it is merged.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `line` with control and invisible characters written out.
pub fn safe_line(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => shown.push_str("    "),
            c if c.is_control() || c.width() == Some(0) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

pub fn width(text: &str) -> usize {
    text.width()
}
