//! Recorded text for a page: no text becomes markup, no character is invisible, and nothing is longer than requested.

use maud::{Markup, Render, html};

use trajview_code::base64;
use trajview_run::format_number;
use trajview_tui::widgets::text;

/// Recorded words in a page.
#[derive(Clone, Copy)]
pub struct Words<'a>(pub &'a str);

impl Render for Words<'_> {
    fn render_to(&self, page: &mut String) {
        page.push_str(&escape_html(self.0));
    }
}

/// Returns words as a page shows them. Control and direction characters are written out, as on the screen.
pub(crate) fn escape_html(words: &str) -> String {
    let mut shown = String::with_capacity(words.len() + 16);
    for (at, line) in words.split('\n').enumerate() {
        if at > 0 {
            shown.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        for (at, part) in line.split('\t').enumerate() {
            if at > 0 {
                shown.push('\t');
            }
            push_escaped(&mut shown, &text::safe(part));
        }
    }
    shown
}

fn push_escaped(shown: &mut String, words: &str) {
    for letter in words.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            other => shown.push(other),
        }
    }
}

/// Returns the number of bytes of the words as a page shows them, or somewhat more.
pub(crate) fn count_escaped_bytes(words: &str) -> usize {
    let size = |byte: u8| match byte {
        b'"' => 6,
        b'&' | b'\'' => 5,
        b'<' | b'>' => 4,
        b'\n' | b'\t' => 1,
        byte if byte.is_ascii_control() => 8,
        _ => 1,
    };
    words.bytes().map(size).sum()
}

/// Returns the words as a part of an address within the page; different words of the same letters and digits are the
/// same.
pub fn slug(words: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    words.chars().map(plain).collect()
}

/// Returns the part of a text that is shown, and a sentence if it was cut. A cut is at the end of a line, if there is
/// one.
pub fn cut_text(text: &str, most: usize) -> (&str, Option<String>) {
    if text.len() <= most {
        return (text, None);
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let end = text[..end].rfind('\n').filter(|end| *end > most / 2).unwrap_or(end);
    let (shown, all) = (
        format_number::with_thousands(end as u64),
        format_number::with_thousands(text.len() as u64),
    );
    (&text[..end], Some(format!("cut: {shown} of {all} bytes are shown")))
}

/// Returns the hash of a script by which a page allows it and no other.
pub(crate) fn script_hash(script: &str) -> String {
    let hex = trajview_store::sha256(script.as_bytes());
    let pairs = hex.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    let bytes: Vec<u8> = pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
    format!("sha256-{}", base64::encode_base64(&bytes))
}

/// Returns a list of names and values; nothing where it is empty.
pub(crate) fn fact_list(class: &str, facts: &[(String, String)]) -> Markup {
    let fact = |(name, value): &(String, String)| {
        html! { dt { (Words(name)) } dd { (Words(value)) } }
    };
    html! {
        @if !facts.is_empty() {
            dl class=(class) {
                @for it in facts {
                    @if class == "inline" { div { (fact(it)) } } @else { (fact(it)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_words_are_no_markup_and_nothing_of_them_is_unseen() {
        assert_eq!(
            escape_html("<script>\"a\" & 'b'</script>\r\n\tc"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\n\tc"
        );
        assert!(!escape_html("a\u{202e}b\u{1b}[31m").contains(['\u{202e}', '\u{1b}']));
    }

    #[test]
    fn a_long_text_is_cut_at_the_end_of_a_line_and_the_cut_is_said() {
        let (shown, said) = cut_text("aaaa\nbbbb\ncccc", 11);

        assert_eq!(shown, "aaaa\nbbbb");
        assert_eq!(said.unwrap(), "cut: 9 of 14 bytes are shown");
        assert_eq!(cut_text("äöü", 3).0, "ä");
    }
}
