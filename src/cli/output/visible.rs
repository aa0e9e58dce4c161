//! JSON that can be looked at in a terminal.
//!
//! serde_json escapes the control characters below U+0020, as the grammar demands. A terminal obeys DEL and U+0080 to
//! U+009F too, and direction marks make one text look like another: these and everything else that [`text::unseen`]
//! finds are written as `\uXXXX`. What reads the document gets the same text.

use serde_json::ser::{Formatter, PrettyFormatter};
use std::io::{self, Write};

use crate::widgets::text;

/// Indented as serde_json does it, with escapes for what would not be seen.
#[derive(Default)]
pub struct Visible(PrettyFormatter<'static>);

impl Formatter for Visible {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        write_visible(writer, fragment)
    }

    /// JSON has these characters only within strings.
    fn write_raw_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        fragment.split_inclusive(['\n', '\r', '\t']).try_for_each(|piece| {
            let text = piece.trim_end_matches(['\n', '\r', '\t']);
            write_visible(writer, text)?;
            writer.write_all(&piece.as_bytes()[text.len()..])
        })
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

fn write_visible<W: Write + ?Sized>(writer: &mut W, text: &str) -> io::Result<()> {
    let mut done = 0;
    for unseen in text::unseen(text) {
        writer.write_all(&text.as_bytes()[done..unseen.start])?;
        text[unseen.clone()].encode_utf16().try_for_each(|unit| write!(writer, "\\u{unit:04x}"))?;
        done = unseen.end;
    }
    writer.write_all(&text.as_bytes()[done..])
}
