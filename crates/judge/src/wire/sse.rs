//! Server-sent events, as the HTML standard parses an event stream: lines end in LF, CR or CRLF, a blank line ends an
//! event, and the bytes may be split anywhere.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Empty where the stream names none.
    pub name: String,
    /// Lines of data, joined with LF.
    pub data: String,
}

/// Events out of bytes as they arrive.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    ended_with_cr: bool,
    has_begun: bool,
    event: Option<Event>,
}

impl Events {
    /// The events that these bytes complete.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut found = vec![];
        for &byte in bytes {
            let is_second_half = self.ended_with_cr && byte == b'\n';
            self.ended_with_cr = byte == b'\r';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => found.extend(self.end_line()),
                byte => self.line.push(byte),
            }
        }
        found
    }

    /// What was begun when the stream ended: the standard drops it, but some servers leave out the last blank line.
    pub fn finish(&mut self) -> Option<Event> {
        let ended = if self.line.is_empty() { None } else { self.end_line() };
        ended.or_else(|| self.event.take())
    }

    fn end_line(&mut self) -> Option<Event> {
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

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut events = Events::default();
        let mut found: Vec<Event> = pieces.iter().flat_map(|piece| events.take(piece)).collect();
        found.extend(events.finish());
        found
    }

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        let text =
            "\u{feff}: hello\nevent: a\ndata: one\ndata:two\n\nid: 3\n\ndata: {\"x\": 1}\n\n";
        let wanted = [event("a", "one\ntwo"), event("", "{\"x\": 1}")];

        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(read(&[text.replace('\n', end).as_bytes()]), wanted, "{end:?}");
        }
        assert_eq!(read(&[b"data: cut off"]), [event("", "cut off")]);
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

            prop_assert_eq!(read(&[first, second]), read(&[&bytes]));
            prop_assert_eq!(read(&single), read(&[&bytes]));
        }
    }
}
