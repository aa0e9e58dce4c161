//! Server-sent events, as the HTML standard parses an event stream: lines end in LF, CR or CRLF, a blank line ends an
//! event, and the bytes may be split anywhere.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// Empty where the stream names none.
    pub name: String,
    /// Lines of data, joined with LF.
    pub data: String,
}

/// Events out of bytes as they arrive.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    ended_with_cr: bool,
    has_begun: bool,
    event: Option<SseEvent>,
}

impl SseParser {
    /// Adds bytes of the stream, and returns the events that they complete.
    pub fn take_bytes(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = vec![];
        for &byte in bytes {
            let is_second_half = self.ended_with_cr && byte == b'\n';
            self.ended_with_cr = byte == b'\r';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(byte),
            }
        }
        events
    }

    /// Takes the unfinished event at the end of the stream: the standard drops it, but some servers leave out the last
    /// blank line.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let ended = if self.line.is_empty() { None } else { self.end_line() };
        ended.or_else(|| self.event.take())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let line = if is_first { line.trim_start_matches('\u{feff}') } else { &line };
        if line.is_empty() {
            return self.event.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.get_or_insert_default().name = value.to_owned(),
            "data" => {
                let event = self.event.get_or_insert_default();
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
            _ => {} // a comment, an id, a reconnection time, or a field nobody knows
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample_event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.into(), data: data.into() }
    }

    fn parse_pieces(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut events = SseParser::default();
        let mut parsed: Vec<SseEvent> =
            pieces.iter().flat_map(|piece| events.take_bytes(piece)).collect();
        parsed.extend(events.finish());
        parsed
    }

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        let text =
            "\u{feff}: hello\nevent: a\ndata: one\ndata:two\n\nid: 3\n\ndata: {\"x\": 1}\n\n";
        let expected = [sample_event("a", "one\ntwo"), sample_event("", "{\"x\": 1}")];

        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(parse_pieces(&[text.replace('\n', end).as_bytes()]), expected, "{end:?}");
        }
        assert_eq!(parse_pieces(&[b"data: cut off"]), [sample_event("", "cut off")]);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_and_the_split_the_events_are_the_same(
            bytes in prop::collection::vec(prop_oneof![
                Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), Just(0xc3), Just(0xa9), any::<u8>(),
            ], 0..60),
            at in any::<prop::sample::Index>(),
        ) {
            let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();

            prop_assert_eq!(parse_pieces(&[first, second]), parse_pieces(&[&bytes]));
            prop_assert_eq!(parse_pieces(&single), parse_pieces(&[&bytes]));
        }
    }
}
