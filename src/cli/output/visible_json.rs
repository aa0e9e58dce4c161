//! JSON that can be looked at in a terminal.
//!
//! serde_json escapes the control characters below U+0020, as the grammar demands. A terminal obeys DEL and U+0080 to
//! U+009F too, and direction marks make one text look like another: these and everything else that [`text::unseen_ranges`]
//! finds are written as `\uXXXX`. What reads the document gets the same text.

use std::io::{self, Write};

use trajview_tui::widgets::text;

/// Characters of the document's layout; within a string they are always escaped.
const LAYOUT: [u8; 3] = *b"\n\r\t";

/// Writes JSON with escapes for invisible characters. serde_json writes whole pieces of text.
pub struct VisibleJson<W>(pub W);

impl<W: Write> Write for VisibleJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| (b' '..0x7f).contains(byte) || LAYOUT.contains(byte);
        let text = std::str::from_utf8(bytes).ok().filter(|_| !bytes.iter().all(is_plain));
        let mut done = 0;
        let unseen = text.into_iter().flat_map(text::unseen_ranges);
        for unseen in unseen.filter(|unseen| !LAYOUT.contains(&bytes[unseen.start])) {
            self.0.write_all(&bytes[done..unseen.start])?;
            let units = text.unwrap_or_default()[unseen.clone()].encode_utf16();
            units.into_iter().try_for_each(|unit| write!(self.0, "\\u{unit:04x}"))?;
            done = unseen.end;
        }
        self.0.write_all(&bytes[done..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
