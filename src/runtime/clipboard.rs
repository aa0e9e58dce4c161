//! Text into the clipboard of the terminal, however far away it is.
//!
//! OSC 52: the terminal itself copies, so it works over ssh. What is copied goes out as base64 and as nothing else: no
//! byte of a recording reaches the terminal as it is.

/// The sequence that makes a terminal copy `text`.
pub fn sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes()))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| three.get(index).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let is_padding = digit > three.len();
            let value = (bits >> (18 - 6 * digit)) & 63;
            out.push(if is_padding { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let of = |text: &str| base64(text.as_bytes());
        assert_eq!(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(of),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
        );
    }

    #[test]
    fn escape_sequences_leave_as_base64() {
        let sequence = sequence("\x1b]0;owned\x07\x1b[2J");
        let inside = sequence.strip_prefix("\x1b]52;c;").and_then(|rest| rest.strip_suffix('\x07'));
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        assert!(inside.is_some_and(|inside| inside.chars().all(is_base64)), "{sequence:?}");
    }
}
