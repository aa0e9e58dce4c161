//! Copies text into the clipboard of the terminal, also over ssh.
//!
//! OSC 52: the terminal itself copies, so it works over ssh. The text goes out as base64 and nothing else: no byte of a
//! recording reaches the terminal as it is.

use trajview_code::base64;

/// Returns the sequence that makes a terminal copy `text`.
pub(crate) fn copy_sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64::encode_base64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_leave_as_base64() {
        let sequence = copy_sequence("\x1b]0;owned\x07\x1b[2J");
        let inside = sequence.strip_prefix("\x1b]52;c;").and_then(|rest| rest.strip_suffix('\x07'));
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        assert!(inside.is_some_and(|inside| inside.chars().all(is_base64)), "{sequence:?}");
    }
}
