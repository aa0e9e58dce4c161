//! What a person has typed into an agent's terminal and not sent yet, as a line editor would have it.
//!
//! Movements of the cursor are not followed: what the agent was asked stands in its own log, this is what we know where it
//! has none.

#[derive(Debug, Clone, Default)]
pub struct Typing {
    line: Vec<u8>,
    escape: Vec<u8>,
    is_pasting: bool,
}

impl Typing {
    /// Takes keys; what was sent with them, where something was.
    pub fn take(&mut self, keys: &[u8]) -> Option<String> {
        let sent: Vec<String> = keys.iter().filter_map(|key| self.key(*key)).collect();
        (!sent.is_empty()).then(|| sent.join("\n"))
    }

    /// What was typed and not sent.
    pub fn rest(&self) -> Option<String> {
        (!self.line.is_empty()).then(|| String::from_utf8_lossy(&self.line).into_owned())
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn key(&mut self, key: u8) -> Option<String> {
        if self.is_answering() && matches!(key, b'\r' | b'\n') {
            // No answer has a line end: somebody pressed alt with such a key, and typed on.
            let typed = std::mem::take(&mut self.escape);
            self.line.extend(typed.iter().skip(2).filter(|byte| **byte >= b' '));
        }
        if !self.escape.is_empty() {
            self.escaped(key);
            return None;
        }
        match key {
            0x1b => self.escape.push(key),
            b'\r' | b'\n' if self.is_pasting => self.line.push(b'\n'),
            b'\r' | b'\n' => {
                let line = std::mem::take(&mut self.line);
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                return (!line.is_empty()).then_some(line);
            }
            0x7f | 0x08 => self.erase(),
            0x03 | 0x15 => self.line.clear(),
            b' '.. => self.line.push(key),
            _ => {}
        }
        None
    }

    /// Whether what comes is an answer of the terminal, as that to a question about its colours: it is written where keys are.
    fn is_answering(&self) -> bool {
        self.escape.get(1).is_some_and(|second| b"]P_^X".contains(second))
    }

    /// A sequence ends with a letter or `~`, an answer with BEL or `ESC \`; those of one more byte end at once.
    fn escaped(&mut self, key: u8) {
        self.escape.push(key);
        let is_long = self.escape.get(1).is_some_and(|second| b"[O".contains(second));
        let is_over = if self.is_answering() {
            key == 0x07 || self.escape.ends_with(b"\x1b\\")
        } else {
            !is_long || self.escape.len() > 2 && (0x40..0x7f).contains(&key)
        };
        if is_over {
            match self.escape.as_slice() {
                b"\x1b[200~" => self.is_pasting = true,
                b"\x1b[201~" => self.is_pasting = false,
                _ => {}
            }
            self.escape.clear();
        }
    }

    fn erase(&mut self) {
        while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_known_when_it_is_sent() {
        let mut typing = Typing::default();
        assert_eq!(typing.take(b"ad\x7f"), None);
        assert_eq!(typing.take("gr\u{fc}\u{fc}".as_bytes()), None);
        assert_eq!(typing.take(b"\x7fn\x1b[A\x1bOB\r"), Some("agr\u{fc}n".into()));
        assert_eq!(typing.take(b" \r"), None);
        assert_eq!(
            typing.take(b"gone\x15\x1b[200~two\rlines\x1b[201~\r"),
            Some("two\nlines".into())
        );
        assert_eq!(
            typing.take(b"\x1b]10;rgb:d8/d8/d8\x07\x1b]11;rgb:0/0/0\x1b\\\x1bP>|t 1\x1b\\ask\r"),
            Some("ask".into())
        );
        assert_eq!(typing.take(b"\x1b]a word\r"), Some("a word".into()));
        typing.take(b"half");
        assert_eq!(typing.rest().as_deref(), Some("half"));
        typing.clear();
        assert_eq!(typing.take(b"\r"), None);
    }
}
